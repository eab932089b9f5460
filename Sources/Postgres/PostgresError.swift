/// What went wrong between this process and the server.
///
/// `description` is safe to log: it never holds a value, a message of the server or SQL. `debugDescription` holds all
/// there is, for whoever sits in front of the program.
public struct PostgresError: Error, Sendable {
    /// The kind of failure. The set is open: compare, do not switch exhaustively.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name that descriptions show.
        public let rawValue: String

        /// Names a kind of failure.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The server refused a statement; `sqlState` says why.
        public static let server = Code(rawValue: "server")
        /// No connection could be made, or it was lost.
        public static let connection = Code(rawValue: "connection")
        /// The statement took longer than the configuration allows.
        public static let timeout = Code(rawValue: "timeout")
        /// A value did not have the type or the bytes that were asked for.
        public static let decoding = Code(rawValue: "decoding")
        /// The pool had no connection to give in time.
        public static let poolExhausted = Code(rawValue: "pool_exhausted")
        /// The pool is closed.
        public static let poolClosed = Code(rawValue: "pool_closed")
        /// The caller asked for something that cannot work.
        public static let usage = Code(rawValue: "usage")
    }

    /// The kind of failure.
    public var code: Code
    /// The five characters of SQLSTATE, if the server gave them.
    public var sqlState: String?
    /// The constraint that was violated.
    public var constraint: String?
    /// The table the failure is about.
    public var table: String?
    /// The primary message of the server or of libpq. May hold values.
    public var serverMessage: String?
    /// The server's detail. Often holds values.
    public var detail: String?
    /// The server's hint.
    public var hint: String?
    /// The statement that failed.
    public var sql: String?
    /// What this module has to say itself: what to do, names of columns and types, never a value.
    public internal(set) var explanation: String?

    /// Makes an error of the client's side.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - explanation: A sentence that says what to do. It appears in `description`, so it must not hold values.
    public init(code: Code, explanation: String? = nil) {
        self.code = code
        self.explanation = explanation
    }

    /// Whether the connection is gone: class 08, a server that shuts down or starts, or a lost socket.
    public var isConnectionFailure: Bool {
        if code == .connection { return true }
        guard let sqlState else { return false }
        return sqlState.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(sqlState)
    }

    /// Whether the values of the statement are to blame, so that it fails each time: cardinality, data, or a constraint.
    public var isAboutData: Bool {
        ["21", "22", "23"].contains { sqlState?.hasPrefix($0) == true }
    }

    /// Whether the same transaction may well succeed when run again: serialization failure or deadlock.
    public var isRetryable: Bool {
        sqlState == SQLState.serializationFailure || sqlState == SQLState.deadlockDetected
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Code, SQLSTATE, constraint and, for failures of the client's side, what to do. Holds no values.
    public var description: String {
        var text = code.rawValue
        if let sqlState { text += " \(sqlState)" }
        if let constraint { text += " constraint \(constraint)" }
        if let explanation { text += ": \(explanation)" }
        return text
    }

    /// Everything that is known, values included. Not for logs.
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
    /// The states this module itself acts on.
    enum SQLState {
        static let serializationFailure = "40001"
        static let deadlockDetected = "40P01"
        static let queryCanceled = "57014"
        /// The server does not know the prepared statement, because somebody deallocated it.
        static let invalidStatementName = "26000"
        /// Among others: the answer of a prepared statement has changed its columns with the tables.
        static let featureNotSupported = "0A000"
    }

    /// Whether a text is a SQLSTATE: five digits and capital letters.
    static func isState(_ text: String) -> Bool {
        text.utf8.count == 5 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    /// Whether a text may be a name of the server's: 63 bytes at most, none of them a control character.
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= 63 && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    static func decoding(_ explanation: String) -> PostgresError {
        PostgresError(code: .decoding, explanation: explanation)
    }

    static func usage(_ explanation: String) -> PostgresError {
        PostgresError(code: .usage, explanation: explanation)
    }

    /// The statement was stopped from outside or by its deadline.
    var isInterruption: Bool {
        sqlState == SQLState.queryCanceled || code == .timeout
    }
}
