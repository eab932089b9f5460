/// A failure between this process and the server.
///
/// `description` is safe to log: it never contains values, server messages, or SQL. `debugDescription` contains
/// everything, for interactive debugging.
public struct PostgresError: Error, Sendable {
    /// The kind of failure. The set is open: compare codes instead of switching exhaustively.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name used in descriptions.
        public let rawValue: String

        /// A kind of failure by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The server rejected a statement; `sqlState` says why.
        public static let server = Code(rawValue: "server")
        /// Connecting failed, or the connection was lost.
        public static let connection = Code(rawValue: "connection")
        /// The statement took longer than the configuration allows.
        public static let timeout = Code(rawValue: "timeout")
        /// A value did not have the expected type or bytes.
        public static let decoding = Code(rawValue: "decoding")
        /// No connection of the pool became free in time.
        public static let poolExhausted = Code(rawValue: "pool_exhausted")
        /// The pool is closed.
        public static let poolClosed = Code(rawValue: "pool_closed")
        /// The caller asked for something impossible.
        public static let usage = Code(rawValue: "usage")
    }

    /// The kind of failure.
    public var code: Code
    /// The five-character SQLSTATE, if the server sent one.
    public var sqlState: String?
    /// The violated constraint.
    public var constraint: String?
    /// The table the failure concerns.
    public var table: String?
    /// The primary message of the server or of libpq. May contain values.
    public var serverMessage: String?
    /// The server's detail. Often contains values.
    public var detail: String?
    /// The server's hint.
    public var hint: String?
    /// The statement that failed.
    public var sql: String?
    /// This module's own explanation: advice, names of columns and types, never a value.
    public internal(set) var explanation: String?

    /// Creates a client-side error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - explanation: A sentence of advice. It appears in `description`, so it must not contain values.
    public init(code: Code, explanation: String? = nil) {
        self.code = code
        self.explanation = explanation
    }

    /// Whether the connection is gone: class 08, a server that is shutting down or starting up, or a lost socket.
    public var isConnectionFailure: Bool {
        if code == .connection { return true }
        guard let sqlState else { return false }
        return sqlState.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(sqlState)
    }

    /// Whether the statement's values are at fault, so that a retry fails too: cardinality, data, or a constraint.
    public var isAboutData: Bool {
        ["21", "22", "23"].contains { sqlState?.hasPrefix($0) == true }
    }

    /// Whether a retry of the same transaction may succeed: serialization failure or deadlock.
    public var isRetryable: Bool {
        sqlState == SQLState.serializationFailure || sqlState == SQLState.deadlockDetected
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Code, SQLSTATE, constraint and, for client-side failures, advice. Contains no values.
    public var description: String {
        var text = code.rawValue
        if let sqlState { text += " \(sqlState)" }
        if let constraint { text += " constraint \(constraint)" }
        if let explanation { text += ": \(explanation)" }
        return text
    }

    /// Everything known, including values. Not for logs.
    public var debugDescription: String {
        let fields: [(String, String?)] = [
            ("table", table), ("message", serverMessage), ("detail", detail), ("hint", hint), ("sql", sql),
        ]
        return fields.reduce(into: description) { text, field in
            if let value = field.1 { text += "\n  \(field.0): \(value)" }
        }
    }
}

extension PostgresError {
    /// The SQLSTATEs that this module handles itself.
    enum SQLState {
        static let serializationFailure = "40001"
        static let deadlockDetected = "40P01"
        static let queryCanceled = "57014"
        /// The server does not know the prepared statement, for example because it was deallocated.
        static let invalidStatementName = "26000"
        /// Among others: a table change altered the result columns of a prepared statement.
        static let featureNotSupported = "0A000"
    }

    /// Whether a text is a SQLSTATE: five digits or capital letters.
    static func isState(_ text: String) -> Bool {
        text.utf8.count == 5 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    /// Whether a text can be a server-side name: at most 63 bytes and no control characters.
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= 63 && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    static func decoding(_ explanation: String) -> PostgresError {
        PostgresError(code: .decoding, explanation: explanation)
    }

    static func usage(_ explanation: String) -> PostgresError {
        PostgresError(code: .usage, explanation: explanation)
    }

    /// Whether the statement was cancelled or timed out.
    var isInterruption: Bool {
        sqlState == SQLState.queryCanceled || code == .timeout
    }
}
