/// Where a connection stands with regard to transactions.
public enum TransactionStatus: Sendable {
    /// Outside of a transaction.
    case idle
    /// In the middle of a statement.
    case active
    /// Inside a transaction.
    case inTransaction
    /// Inside a transaction that can only be rolled back.
    case inFailedTransaction
    /// Not known, because the connection is closed or broken.
    case unknown
}

/// One connection to a PostgreSQL server.
///
/// The actor runs on a queue of its own and blocks it while the server works, so statements never overlap and the
/// actor is never re-entered in the middle of one. Who shares a connection shares its transaction: take one from a
/// ``ConnectionPool`` for as long as a piece of work lasts.
///
/// When the task that waits for a statement is cancelled, the statement is cancelled on the server and a
/// `CancellationError` is thrown; the connection stays usable.
public actor Connection {
    private nonisolated let executor: QueueExecutor
    private nonisolated let canceller = Canceller()
    private let configuration: PostgresConfiguration
    private var session: Session?

    /// The queue of this connection.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
        executor = QueueExecutor(label: "postgres.connection")
    }

    /// Connects to a server.
    ///
    /// - Parameter configuration: Where the server is and how long to wait.
    /// - Throws: ``PostgresError`` with code `connection`, saying what to do; `CancellationError`.
    public static func connect(_ configuration: PostgresConfiguration) async throws -> Connection {
        let connection = Connection(configuration)
        try await connection.open()
        return connection
    }

    private func open() throws {
        try Task.checkCancellation()
        session = try Session.connect(configuration, canceller: canceller, isCancelled: { Task.isCancelled })
    }

    // MARK: Statements

    /// Runs one statement and returns its rows.
    ///
    /// The statement is prepared once per connection, text and parameter types.
    ///
    /// - Parameters:
    ///   - sql: One statement, with `$1`, `$2` … where parameters go.
    ///   - parameters: At most 65,535; text must not hold a NUL byte.
    /// - Throws: ``PostgresError``; `CancellationError` if the task is cancelled.
    public func query(_ sql: String, _ parameters: [any PostgresEncodable] = []) async throws -> Rows {
        try await run { session in try self.intercepting(sql, session) { try session.query($0, parameters) } }
    }

    /// Runs one statement and returns how many rows it affected.
    ///
    /// - Parameters:
    ///   - sql: One statement, with `$1`, `$2` … where parameters go.
    ///   - parameters: At most 65,535; text must not hold a NUL byte.
    /// - Throws: ``PostgresError``; `CancellationError` if the task is cancelled.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [any PostgresEncodable] = []) async throws -> Int {
        try await run { session in
            try self.intercepting(sql, session) { try session.query($0, parameters).affectedRows }
        }
    }

    /// Runs several statements, separated by semicolons, in one go. Outside of a transaction they succeed or fail
    /// together, unless the text itself begins or ends transactions.
    ///
    /// - Throws: ``PostgresError``; `CancellationError` if the task is cancelled.
    public func script(_ sql: String) async throws {
        try await run { session in try self.intercepting(sql, session) { try session.script($0) } }
    }

    /// Sends all statements without waiting in between, and returns the rows of each. Outside of a transaction they
    /// succeed or fail together.
    ///
    /// - Throws: ``PostgresError`` of the first statement that failed; the connection stays usable.
    ///   `CancellationError` if the task is cancelled.
    public func pipeline(_ statements: [Statement]) async throws -> [Rows] {
        try await run { session in try self.intercepting(statements, session) { try session.pipeline($0) } }
    }

    /// Fills a table by COPY in binary format.
    ///
    /// - Parameters:
    ///   - sql: `COPY table (columns) FROM STDIN (FORMAT binary)`.
    ///   - write: Hands the rows over. If it throws, the COPY is aborted and the error thrown on.
    /// - Returns: The number of rows copied.
    /// - Throws: What `write` throws; ``PostgresError``; `CancellationError` if the task is cancelled.
    public func copyIn(_ sql: String, _ write: @Sendable (inout CopyWriter) throws -> Void) async throws -> Int {
        try await run { session in try self.intercepting(sql, session) { try session.copyIn($0, write) } }
    }

    /// Asks the server to cancel the statement that is running, from any thread and without waiting. The statement
    /// then fails with SQLSTATE 57014, unless it is over before. Does nothing when none is running.
    public nonisolated func cancel() {
        canceller.cancel()
    }

    // MARK: State

    /// Closes the connection once the running statement is over. Closing again does nothing.
    public func close() {
        canceller.install(nil)
        session = nil
    }

    /// Whether the connection is open, as far as is known without asking the server.
    public var isUsable: Bool { session?.isUsable ?? false }

    /// Where the connection stands with regard to transactions.
    public var transactionStatus: TransactionStatus { session?.transactionStatus ?? .unknown }

    /// The server's version, for example 150004 for 15.4; 0 when closed.
    public var serverVersion: Int { session?.serverVersion ?? 0 }

    /// Whether the next one may have this connection: it is open and outside of a transaction.
    var isReusable: Bool { isUsable && transactionStatus == .idle }

    /// Whether the connection is still there, as far as that is known without asking the server.
    public func isAlive() -> Bool { session?.isAlive() ?? false }

    /// Ends a transaction, even if the task is cancelled. A connection on which this fails is closed.
    func rollBack() {
        guard let session, session.isUsable, session.transactionStatus != .idle else { return }
        _ = canceller.begin()
        session.begin(timeout: .seconds(10), heedsCancellation: false)
        defer { settle() }
        do {
            try session.script("ROLLBACK")
        } catch {
            session.abandon()
        }
    }

    // MARK: Running

    private func run<Value: Sendable>(_ body: (Session) throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let statement = canceller.begin()
        defer { settle() }
        do {
            // The operation must be isolated to this actor, which it is because it calls a method of it: as a
            // nonisolated closure it would run, and block, on the cooperative pool.
            return try await withTaskCancellationHandler {
                try self.perform(body)
            } onCancel: {
                canceller.cancel(statement)
            }
        } catch let error as PostgresError where error.isInterruption && Task.isCancelled {
            throw CancellationError()
        }
    }

    private func perform<Value>(_ body: (Session) throws -> Value) throws -> Value {
        guard let session, session.isUsable else {
            throw PostgresError(code: .connection, explanation: "the connection is closed; open another")
        }
        session.begin(timeout: configuration.statementTimeout, heedsCancellation: true)
        return try body(session)
    }

    /// Sends a text by way of the interceptor, if there is one.
    private func intercepting<Value>(
        _ sql: String, _ session: Session, _ send: (String) throws -> Value
    ) throws -> Value {
        guard let interceptor = configuration.interceptor else { return try send(sql) }
        let changed = try abandoning(session) { try interceptor.beforeSending(sql) }
        let value = try send(changed)
        try abandoning(session) { try interceptor.afterAnswer(to: sql) }
        return value
    }

    private func intercepting<Value>(
        _ statements: [Statement], _ session: Session, _ send: ([Statement]) throws -> Value
    ) throws -> Value {
        guard let interceptor = configuration.interceptor else { return try send(statements) }
        let changed = try abandoning(session) {
            try statements.map { Statement(try interceptor.beforeSending($0.sql), $0.parameters) }
        }
        let value = try send(changed)
        try abandoning(session) {
            for statement in statements { try interceptor.afterAnswer(to: statement.sql) }
        }
        return value
    }

    /// What the interceptor throws ends the connection.
    private func abandoning<Value>(_ session: Session, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            session.abandon()
            throw error
        }
    }

    /// Ends an operation; a connection that broke meanwhile is closed.
    private func settle() {
        canceller.end(waiting: isUsable)
        if !isUsable { close() }
    }
}
