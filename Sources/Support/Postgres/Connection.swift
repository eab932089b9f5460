import Synchronization

/// The transaction state of a connection.
public enum TransactionStatus: Sendable {
    /// Outside a transaction.
    case idle
    /// A statement is running.
    case active
    /// Inside a transaction.
    case inTransaction
    /// Inside a transaction that failed and can only be rolled back.
    case inFailedTransaction
    /// Unknown, because the connection is closed or broken.
    case unknown
}

/// One connection to a PostgreSQL server.
///
/// The module `Postgres` knows libpq, the binary wire format, pooling, and transactions, but nothing about Cherish. It
/// may touch only the server that its configuration names. Start reading here; ``ConnectionPool`` lends connections,
/// and `Session` talks to libpq.
///
/// The actor runs on its own queue and blocks it while the server works, so statements never overlap and the actor is
/// never reentered during a statement. Code that shares a connection also shares its transaction: take a connection
/// from a ``ConnectionPool`` for each piece of work.
///
/// Cancelling a task that waits for a statement cancels the statement on the server and throws `CancellationError`; the
/// connection stays usable.
public actor Connection {
    private nonisolated let executor: QueueExecutor
    private nonisolated let canceller = Canceller()
    private let configuration: PostgresConfiguration
    private var session: Session?
    private nonisolated let condition = Mutex(Condition())

    /// What the last operation left. Readable from any thread: a visit to the connection's queue costs two thread
    /// switches, as much as a short statement.
    private struct Condition {
        var isUsable = false
        var transactionStatus = TransactionStatus.unknown
        /// Whether the connection may have lost its server while nobody used it.
        var isInDoubt = false
    }

    /// The queue of this connection, as an executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
        executor = QueueExecutor(label: "postgres.connection")
    }

    /// Connects to a server.
    ///
    /// - Parameter configuration: The server and the timeouts.
    /// - Throws: ``PostgresError`` with code `connection` and advice on what to do; `CancellationError`.
    public static func connect(_ configuration: PostgresConfiguration) async throws -> Connection {
        let connection = Connection(configuration)
        try await connection.open()
        return connection
    }

    private func open() throws {
        try Task.checkCancellation()
        session = try Session.connect(configuration, canceller: canceller, isCancelled: { Task.isCancelled })
        noteCondition()
    }

    // MARK: Statements

    /// Runs one statement and returns its rows.
    ///
    /// Each combination of text and parameter types is prepared once per connection.
    ///
    /// - Parameters:
    ///   - sql: One statement, with placeholders `$1`, `$2` ….
    ///   - parameters: At most 65,535; text must not contain a NUL byte.
    /// - Throws: ``PostgresError``; `CancellationError` if the task is cancelled.
    public func query(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) async throws -> Rows {
        try await run { session in try self.intercepting(sql, session) { try session.query($0, parameters) } }
    }

    /// Runs one statement and returns the number of rows it affected.
    ///
    /// - Parameters:
    ///   - sql: One statement, with placeholders `$1`, `$2` ….
    ///   - parameters: At most 65,535; text must not contain a NUL byte.
    /// - Throws: ``PostgresError``; `CancellationError` if the task is cancelled.
    @discardableResult
    public func execute(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) async throws -> Int {
        try await run { session in
            try self.intercepting(sql, session) { try session.query($0, parameters).affectedRows }
        }
    }

    /// Runs several statements, separated by semicolons, in one round trip. Outside a transaction they succeed or fail
    /// together, unless the text itself begins or ends transactions.
    ///
    /// - Throws: ``PostgresError``; `CancellationError` if the task is cancelled.
    public func script(_ sql: SQL) async throws {
        try await run { session in try self.intercepting(sql, session) { try session.script($0) } }
    }

    /// Sends all statements without waiting for answers in between, and returns the rows of each. Outside a transaction
    /// they succeed or fail together.
    ///
    /// - Throws: ``PostgresError`` of the first statement that failed; the connection stays usable. `CancellationError`
    ///   if the task is cancelled.
    public func pipeline(_ statements: [Statement]) async throws -> [Rows] {
        try await run { session in try self.intercepting(statements, session) { try session.pipeline($0) } }
    }

    /// Copies rows into a table with COPY in binary format.
    ///
    /// - Parameters:
    ///   - sql: `COPY table (columns) FROM STDIN (FORMAT binary)`.
    ///   - write: Writes the rows. If it throws, the COPY is aborted and the error rethrown.
    /// - Returns: The number of rows copied.
    /// - Throws: What `write` throws; ``PostgresError``; `CancellationError` if the task is cancelled.
    public func copyIn(_ sql: SQL, _ write: @Sendable (inout CopyWriter) throws -> Void) async throws -> Int {
        try await run { session in try self.intercepting(sql, session) { try session.copyIn($0, write) } }
    }

    /// Asks the server to cancel the running statement; callable from any thread, and does not wait. The statement then
    /// fails with SQLSTATE 57014 unless it finishes first. Does nothing if no statement is running.
    public nonisolated func cancel() {
        canceller.cancel()
    }

    // MARK: State

    /// Closes the connection after the running statement. Closing it again does nothing.
    public func close() {
        canceller.install(nil)
        session = nil
        noteCondition()
    }

    /// Whether the connection was open after its last operation, as far as libpq knows.
    public nonisolated var isUsable: Bool { condition.withLock { $0.isUsable } }

    /// The transaction state after the last operation.
    public nonisolated var transactionStatus: TransactionStatus { condition.withLock { $0.transactionStatus } }

    /// The server's version, for example 150004 for 15.4; 0 when closed.
    public var serverVersion: Int { session?.serverVersion ?? 0 }

    /// Whether the pool may lend this connection again: it is open and outside a transaction.
    nonisolated var isReusable: Bool { condition.withLock { $0.isUsable && $0.transactionStatus == .idle } }

    /// Whether the connection is still open, including any end of file on the socket; sends nothing to the server.
    public func isAlive() -> Bool {
        defer { noteCondition() }
        return session?.isAlive() ?? false
    }

    /// Makes the next statement look first whether the server is still there, and connect again if not. Only for a
    /// connection that is outside a transaction.
    nonisolated func doubt() {
        condition.withLock { $0.isInDoubt = true }
    }

    /// Rolls back the open transaction, even if the task is cancelled. If that fails, the connection is closed.
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
            // The closure calls a method of the actor and so is isolated to it. A nonisolated closure would run on the
            // cooperative pool and block it.
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
        try endDoubt()
        guard let session, session.isUsable else {
            throw PostgresError(code: .connection, explanation: "the connection is closed; open another")
        }
        session.begin(timeout: configuration.statementTimeout, heedsCancellation: true)
        return try body(session)
    }

    /// Sends SQL through the interceptor, if there is one.
    private func intercepting<Value>(
        _ sql: SQL, _ session: Session, _ send: (String) throws -> Value
    ) throws -> Value {
        guard let interceptor = configuration.interceptor else { return try send(sql.text) }
        let changed = try abandoning(session) { try interceptor.beforeSending(sql.text) }
        let value = try send(changed)
        try abandoning(session) { try interceptor.afterAnswer(to: sql.text) }
        return value
    }

    private func intercepting<Value>(
        _ statements: [Statement], _ session: Session, _ send: ([Statement]) throws -> Value
    ) throws -> Value {
        guard let interceptor = configuration.interceptor else { return try send(statements) }
        let changed = try abandoning(session) {
            try statements.map { Statement(SQL(trusting: try interceptor.beforeSending($0.sql.text)), $0.parameters) }
        }
        let value = try send(changed)
        try abandoning(session) {
            for statement in statements { try interceptor.afterAnswer(to: statement.sql.text) }
        }
        return value
    }

    /// Closes the connection if the interceptor throws.
    private func abandoning<Value>(_ session: Session, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            session.abandon()
            throw error
        }
    }

    private func endDoubt() throws {
        let isInDoubt = condition.withLock { condition in
            defer { condition.isInDoubt = false }
            return condition.isInDoubt
        }
        guard isInDoubt, session?.isAlive() != true else { return }
        close()
        try open()
    }

    /// Ends an operation, and closes the connection if it broke.
    private func settle() {
        noteCondition()
        canceller.end(waiting: isUsable)
        if !isUsable { close() }
    }

    private func noteCondition() {
        condition.withLock { condition in
            condition.isUsable = session?.isUsable ?? false
            condition.transactionStatus = session?.transactionStatus ?? .unknown
        }
    }
}
