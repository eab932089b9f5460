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
/// Statements never overlap: each waits until the one before has ended. No thread is blocked while the server works
/// (``SocketWatch``). Code that shares a connection also shares its transaction: take a connection from a
/// ``ConnectionPool`` for each piece of work.
///
/// Cancelling a task that waits for a statement cancels the statement on the server and throws `CancellationError`; the
/// connection stays usable.
public actor Connection {
    private nonisolated let canceller = Canceller()
    private let configuration: PostgresConfiguration
    private var session: Session?
    private nonisolated let condition = Mutex(Condition())

    /// What the last operation left. Readable from any thread, without waiting for the actor.
    private struct Condition {
        var isUsable = false
        var transactionStatus = TransactionStatus.unknown
        /// Whether the connection may have lost its server while nobody used it.
        var isInDoubt = false
    }

    /// Whether an operation runs; others wait for their turn.
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
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

    private func open() async throws {
        try Task.checkCancellation()
        session = try await Session.connect(configuration, canceller: canceller)
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
        try await run { session in
            try await self.intercepting(sql, session) { try await session.query($0, parameters) }
        }
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
            try await self.intercepting(sql, session) { try await session.query($0, parameters).affectedRows }
        }
    }

    /// Runs several statements, separated by semicolons, in one round trip. Outside a transaction they succeed or fail
    /// together, unless the text itself begins or ends transactions.
    ///
    /// - Throws: ``PostgresError``; `CancellationError` if the task is cancelled.
    public func script(_ sql: SQL) async throws {
        try await run { session in
            try await self.intercepting(sql, session) { try await session.script($0) }
        }
    }

    /// Sends all statements without waiting for answers in between, and returns the rows of each. Outside a transaction
    /// they succeed or fail together.
    ///
    /// - Throws: ``PostgresError`` of the first statement that failed; the connection stays usable. `CancellationError`
    ///   if the task is cancelled.
    public func pipeline(_ statements: [Statement]) async throws -> [Rows] {
        try await run { session in
            try await self.intercepting(statements, session) { try await session.pipeline($0) }
        }
    }

    /// Copies rows into a table with COPY in binary format.
    ///
    /// - Parameters:
    ///   - sql: `COPY table (columns) FROM STDIN (FORMAT binary)`.
    ///   - write: Writes the rows. If it throws, the COPY is aborted and the error rethrown.
    /// - Returns: The number of rows copied.
    /// - Throws: What `write` throws; ``PostgresError``; `CancellationError` if the task is cancelled.
    public func copyIn(_ sql: SQL, _ write: @escaping @Sendable (inout CopyWriter) throws -> Void) async throws
        -> Int
    {
        try await run { session in
            try await self.intercepting(sql, session) { try await session.copyIn($0, write) }
        }
    }

    /// Asks the server to cancel the running statement; callable from any thread, and does not wait. The statement then
    /// fails with SQLSTATE 57014 unless it finishes first. Does nothing if no statement is running.
    public nonisolated func cancel() {
        canceller.cancel()
    }

    // MARK: State

    /// Closes the connection after the running statement. Closing it again does nothing.
    public func close() async {
        await takeTurn()
        defer { passTurn() }
        disconnect()
    }

    private func disconnect() {
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
    func rollBack() async {
        await takeTurn()
        defer { passTurn() }
        guard let session, session.isUsable, session.transactionStatus != .idle else { return }
        _ = canceller.begin()
        session.begin(timeout: .seconds(10), heedsCancellation: false)
        do {
            try await session.script("ROLLBACK")
        } catch {
            session.abandon()
        }
        await settle()
    }

    // MARK: Running

    private func run<Value: Sendable>(_ body: (Session) async throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        await takeTurn()
        defer { passTurn() }
        let statement = canceller.begin()
        let result: Result<Value, any Error>
        do {
            result = .success(
                try await withTaskCancellationHandler {
                    try await self.perform(body)
                } onCancel: {
                    canceller.cancel(statement)
                })
        } catch let error as PostgresError where error.isInterruption && Task.isCancelled {
            result = .failure(CancellationError())
        } catch {
            result = .failure(error)
        }
        await settle()
        return try result.get()
    }

    private func perform<Value: Sendable>(_ body: (Session) async throws -> Value) async throws -> Value {
        try await endDoubt()
        guard let session, session.isUsable else {
            throw PostgresError(code: .connection, explanation: "the connection is closed; open another")
        }
        session.begin(timeout: configuration.statementTimeout, heedsCancellation: true)
        return try await body(session)
    }

    /// Waits until no operation runs; the next waits for ``passTurn()``.
    private func takeTurn() async {
        if isBusy {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isBusy = true
        }
    }

    private func passTurn() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }

    /// Sends SQL through the interceptor, if there is one.
    private func intercepting<Value>(
        _ sql: SQL, _ session: Session, _ send: (String) async throws -> Value
    ) async throws -> Value {
        guard let interceptor = configuration.interceptor else { return try await send(sql.text) }
        let changed = try await abandoning(session) { try await interceptor.beforeSending(sql.text) }
        let value = try await send(changed)
        try await abandoning(session) { try interceptor.afterAnswer(to: sql.text) }
        return value
    }

    private func intercepting<Value>(
        _ statements: [Statement], _ session: Session, _ send: ([Statement]) async throws -> Value
    ) async throws -> Value {
        guard let interceptor = configuration.interceptor else { return try await send(statements) }
        let changed = try await abandoning(session) {
            var changed: [Statement] = []
            for statement in statements {
                let text = try await interceptor.beforeSending(statement.sql.text)
                changed.append(Statement(SQL(trusting: text), statement.parameters))
            }
            return changed
        }
        let value = try await send(changed)
        try await abandoning(session) {
            for statement in statements { try interceptor.afterAnswer(to: statement.sql.text) }
        }
        return value
    }

    /// Closes the connection if the interceptor throws.
    private func abandoning<Value>(_ session: Session, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            session.abandon()
            throw error
        }
    }

    private func endDoubt() async throws {
        let isInDoubt = condition.withLock { condition in
            defer { condition.isInDoubt = false }
            return condition.isInDoubt
        }
        guard isInDoubt, session?.isAlive() != true else { return }
        disconnect()
        try await open()
    }

    /// Ends an operation, and closes the connection if it broke.
    private func settle() async {
        noteCondition()
        await canceller.end(waiting: isUsable)
        if !isUsable { disconnect() }
    }

    private func noteCondition() {
        condition.withLock { condition in
            condition.isUsable = session?.isUsable ?? false
            condition.transactionStatus = session?.transactionStatus ?? .unknown
        }
    }
}
