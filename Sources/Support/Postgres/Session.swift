import CLibPQ
import Glibc
import Synchronization

/// A connection to the server: the layer that calls libpq.
///
/// It belongs to one actor or task and is not `Sendable`; while one of its methods waits, no other may be called. It uses
/// libpq in non-blocking mode and lets ``SocketWatch`` wait, so that deadlines and cancellation are heeded and no thread
/// is blocked.
final class Session {
    /// How long to wait after a cancel request before giving up the connection.
    private static let patienceAfterCancelling: Duration = .seconds(10)
    /// The polling interval while waiting, in milliseconds.
    private static let slice: Int32 = 250

    private enum Interruption {
        case none, cancelled, timedOut
    }

    private let handle: ConnectionHandle
    private let canceller: Canceller
    private var statements = StatementCache()
    private var deadline = Deadline(after: nil)
    private var heedsCancellation = false
    private var interruption = Interruption.none
    private var isAbandoned = false

    private init(handle: ConnectionHandle, canceller: Canceller) {
        self.handle = handle
        self.canceller = canceller
    }

    /// - Parameters:
    ///   - configuration: The server.
    ///   - canceller: Cancels statements of this connection; receives the handle that it needs for that.
    static func connect(
        _ configuration: PostgresConfiguration, canceller: Canceller
    ) async throws -> Session {
        let isCancelled = Atomic(false)
        // libpq blocks while it looks up a host.
        let handle = try await withTaskCancellationHandler {
            try await BlockingThread.run {
                let handle = try ConnectionHandle(configuration)
                try handle.establish(within: configuration.connectTimeout) { isCancelled.load(ordering: .relaxed) }
                return Lent(value: handle)
            }.value
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
        canceller.install(CancelHandle(handle.pointer))
        let session = Session(handle: handle, canceller: canceller)
        if handle.isOverTCP {
            session.begin(timeout: configuration.connectTimeout, heedsCancellation: true)
            try await session.script(ConnectionHandle.patienceOfServer)
        }
        return session
    }

    private var pointer: OpaquePointer { handle.pointer }

    var isUsable: Bool { !isAbandoned && PQstatus(pointer) == CONNECTION_OK }

    var serverVersion: Int { Int(PQserverVersion(pointer)) }

    var transactionStatus: TransactionStatus {
        switch PQtransactionStatus(pointer) {
        case PQTRANS_IDLE: .idle
        case PQTRANS_ACTIVE: .active
        case PQTRANS_INTRANS: .inTransaction
        case PQTRANS_INERROR: .inFailedTransaction
        default: .unknown
        }
    }

    /// Whether an idle connection is still open. A server that went away has left an end of file on the socket.
    func isAlive() -> Bool {
        // Drain unsolicited messages, such as a shutdown notice, until the socket is quiet.
        for _ in 0..<8 {
            guard isUsable else { return false }
            let socket = PQsocket(pointer)
            guard let ready = try? waitForSocket(socket, events: POLLIN, milliseconds: 0) else { return false }
            if ready == 0 { return true }
            guard PQconsumeInput(pointer) == 1 else { return false }
            _ = takeNotifications()
        }
        return false
    }

    /// Marks the connection as unusable.
    func abandon() {
        isAbandoned = true
    }

    /// Sets the timeout and cancellation for the operation that follows.
    func begin(timeout: Duration?, heedsCancellation: Bool) {
        deadline = Deadline(after: timeout)
        self.heedsCancellation = heedsCancellation
        interruption = .none
    }
}

// MARK: - Statements

extension Session {
    func query(_ sql: String, _ parameters: [any PostgresEncodable]) async throws -> Rows {
        try refuseNUL(sql)
        let encoded = try EncodedParameters(parameters)
        let key = StatementCache.Key(sql: sql, types: encoded.types)
        let name = try await preparedName(key)
        try await submit(sendExecution(name, encoded))
        do {
            return Rows(try await collect(sql))
        } catch let error as PostgresError {
            unprepare(key, name, after: error)
            throw error
        }
    }

    /// Runs several statements in one text, without parameters or rows.
    func script(_ sql: String) async throws {
        try refuseNUL(sql)
        try await submit(PQsendQuery(pointer, sql))
        _ = try await collect(sql)
    }

    private func preparedName(_ key: StatementCache.Key) async throws -> String {
        if let name = statements.name(for: key) { return name }
        let name = statements.insert(key)
        do {
            try await deallocateDiscarded()
            try await submit(sendPreparation(name, key))
            _ = try await collect(key.sql)
            return name
        } catch {
            statements.forget(name)
            throw error
        }
    }

    /// Drops a prepared statement that became unusable, so that the next attempt prepares it again.
    private func unprepare(_ key: StatementCache.Key, _ name: String, after error: PostgresError) {
        switch error.sqlState {
        case PostgresError.SQLState.invalidStatementName: statements.forget(name)
        case PostgresError.SQLState.featureNotSupported: statements.discard(key)
        default: break
        }
    }

    private func deallocateDiscarded() async throws {
        // A failed transaction refuses every statement; deallocate the names later.
        guard transactionStatus != .inFailedTransaction else { return }
        for name in statements.takeDiscarded() {
            try await script("DEALLOCATE \(name)")
        }
    }

    private func sendPreparation(_ name: String, _ key: StatementCache.Key) -> Int32 {
        PQsendPrepare(pointer, name, key.sql, Int32(key.types.count), key.types)
    }

    private func sendExecution(_ name: String, _ parameters: EncodedParameters) -> Int32 {
        parameters.withPointers { values, lengths, formats in
            PQsendQueryPrepared(pointer, name, Int32(values.count), values, lengths, formats, 1)
        }
    }

    /// A C string ends at the first NUL, so the server would run a different statement from the caller's.
    private func refuseNUL(_ sql: String) throws {
        var sql = sql
        let holdsNUL = sql.withUTF8 { bytes in
            bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
        }
        if holdsNUL { throw PostgresError.usage("the SQL holds a NUL byte") }
    }

    /// Reads all results of the statement. Returns the last successful one, or throws the first failure.
    private func collect(_ sql: String) async throws -> QueryResult {
        var last: QueryResult?
        var failure: PostgresError?
        do {
            while let result = try await nextResult() {
                try refuseCopy(result)
                if result.isSuccess {
                    last = result
                } else {
                    failure = failure ?? interpret(result, sql)
                }
            }
        } catch {
            // A failure that the server reported before the connection broke says more than the broken connection.
            if let failure { throw failure }
            throw error
        }
        if let failure { throw failure }
        guard let last else { throw lost() }
        return last
    }

    private func refuseCopy(_ result: QueryResult) throws {
        guard result.isCopy else { return }
        abandon()
        throw PostgresError.usage("COPY needs copyIn, and COPY … TO is not supported; the connection is closed")
    }

    private func interpret(_ result: QueryResult, _ sql: String) -> PostgresError {
        var error = result.failure(sql: sql)
        if interruption == .timedOut, error.sqlState == PostgresError.SQLState.queryCanceled {
            error.code = .timeout
            error.explanation = "the statement took longer than allowed and was cancelled"
        }
        if error.sqlState == nil, PQstatus(pointer) == CONNECTION_BAD {
            error.code = .connection
            error.explanation = Self.lostExplanation
        }
        // Class 08 in an answer that is not fatal is about another server, such as a node of Citus.
        if error.code == .server, error.sqlState?.hasPrefix("08") == true, !result.isFatal {
            error.explanation = "the server cannot reach another server that it needs"
        } else if error.isConnectionFailure {
            abandon()
        }
        return error
    }
}

// MARK: - Pipeline

extension Session {
    /// The steps of a pipeline, in order; each has one result.
    private enum Step {
        case prepare(name: String, statement: Int)
        case execute(key: StatementCache.Key, name: String, statement: Int)

        var statement: Int {
            switch self {
            case .prepare(_, let statement), .execute(_, _, let statement): statement
            }
        }
    }

    func pipeline(_ batch: [Statement]) async throws -> [Rows] {
        guard !batch.isEmpty else { return [] }
        // Validate everything before sending anything.
        let parameters = try batch.map { statement in
            try refuseNUL(statement.sql.text)
            return try EncodedParameters(statement.parameters)
        }
        try await deallocateDiscarded()
        guard PQenterPipelineMode(pointer) == 1 else { throw lost() }
        let outcome: Result<[Rows], PostgresError>
        do {
            let steps = try sendPipeline(batch, parameters)
            try await flush()
            outcome = try await receivePipeline(steps, batch)
            guard PQexitPipelineMode(pointer) == 1 else { throw lost() }
        } catch {
            // Mid-pipeline, nobody knows which results are still to come.
            abandon()
            throw error
        }
        return try outcome.get()
    }

    private func sendPipeline(_ batch: [Statement], _ parameters: [EncodedParameters]) throws -> [Step] {
        var steps: [Step] = []
        for index in batch.indices {
            let key = StatementCache.Key(sql: batch[index].sql.text, types: parameters[index].types)
            let name: String
            if let known = statements.name(for: key) {
                name = known
            } else {
                name = statements.insert(key)
                guard sendPreparation(name, key) == 1 else { throw lost() }
                steps.append(.prepare(name: name, statement: index))
            }
            guard sendExecution(name, parameters[index]) == 1 else { throw lost() }
            steps.append(.execute(key: key, name: name, statement: index))
        }
        guard PQpipelineSync(pointer) == 1 else { throw lost() }
        return steps
    }

    private func receivePipeline(_ steps: [Step], _ batch: [Statement]) async throws -> Result<[Rows], PostgresError> {
        var rows: [Rows] = []
        var failure: PostgresError?
        do {
            for step in steps {
                let result = try await nextStepResult()
                if !result.isSuccess, result.status != PGRES_PIPELINE_ABORTED, failure == nil {
                    failure = interpret(result, batch[step.statement].sql.text)
                }
                note(step, result, failure)
                if case .execute = step, result.isSuccess { rows.append(Rows(result)) }
            }
            let failureAtEnd = try await awaitPipelineEnd()
            failure = failure ?? failureAtEnd
        } catch {
            if let failure { throw failure }
            throw error
        }
        if let failure { return .failure(failure) }
        return .success(rows)
    }

    /// Reads the result of one step and the null that follows it.
    private func nextStepResult() async throws -> QueryResult {
        guard let result = try await nextResult() else { throw lost() }
        try refuseCopy(result)
        while try await nextResult() != nil {}
        return result
    }

    /// Reads up to the sync mark that ends the pipeline. A deferred constraint fails just before it.
    private func awaitPipelineEnd() async throws -> PostgresError? {
        var failure: PostgresError?
        for _ in 0..<8 {
            guard let result = try await nextResult() else { continue }
            if result.status == PGRES_PIPELINE_SYNC { return failure }
            failure = failure ?? interpret(result, "")
        }
        throw lost()
    }

    /// Keeps the cache in sync with the statements that the server has prepared.
    private func note(_ step: Step, _ result: QueryResult, _ failure: PostgresError?) {
        guard !result.isSuccess else { return }
        switch step {
        case .prepare(let name, _):
            statements.forget(name)
        case .execute(let key, let name, _):
            if result.status != PGRES_PIPELINE_ABORTED, let failure {
                unprepare(key, name, after: failure)
            }
        }
    }
}

// MARK: - COPY

extension Session {
    /// - Parameter write: Runs on a thread of its own, which waits while the server has too much to read.
    func copyIn(_ sql: String, _ write: @escaping @Sendable (inout CopyWriter) throws -> Void) async throws -> Int {
        try refuseNUL(sql)
        try await submit(PQsendQuery(pointer, sql))
        try await expectBinaryCopy(sql)
        do {
            let lent = Lent(value: self)
            try await BlockingThread.run {
                var writer = CopyWriter { piece in try lent.value.sendCopyData(piece) }
                try write(&writer)
                try writer.finish()
            }
            try await endCopy(nil)
        } catch {
            await abortCopy()
            throw error
        }
        return try await collect(sql).affectedRows
    }

    private func expectBinaryCopy(_ sql: String) async throws {
        guard let start = try await nextResult() else { throw lost() }
        if start.status == PGRES_COPY_IN {
            guard !start.isBinaryCopy else { return }
            await abortCopy()
        } else {
            try refuseCopy(start)
            let failure = start.isSuccess ? nil : interpret(start, sql)
            while let further = try await nextResult() { try refuseCopy(further) }
            if let failure { throw failure }
        }
        throw PostgresError.usage("copyIn takes one COPY … FROM STDIN (FORMAT binary)")
    }

    /// Blocks the thread until the piece is sent.
    private func sendCopyData(_ piece: [UInt8]) throws {
        let queued = piece.withUnsafeBytes { bytes in
            PQputCopyData(pointer, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        // libpq queues whatever there is memory for.
        guard queued == 1 else { throw lost() }
        while try !hasFlushed() {
            let pause = deadline.pause(atMost: Self.slice)
            let ready = try waitForSocket(PQsocket(pointer), events: POLLIN | POLLOUT, milliseconds: pause)
            try note(ready)
        }
    }

    private func endCopy(_ message: String?) async throws {
        let queued = message.map { PQputCopyEnd(pointer, $0) } ?? PQputCopyEnd(pointer, nil)
        try await submit(queued)
    }

    /// Aborts a COPY, so that the server discards its rows. The server answers with an error, as expected.
    private func abortCopy() async {
        do {
            try await endCopy("the client gave the COPY up")
            while let result = try await nextResult() {
                try refuseCopy(result)
                if !result.isSuccess { _ = interpret(result, "") }
            }
        } catch {
            abandon()
        }
    }
}

// MARK: - Notifications

extension Session {
    /// Returns the notifications that have arrived, in order.
    func takeNotifications() -> [Notification] {
        // PQnotifies only looks at input that has already been read.
        var notifications: [Notification] = []
        while let notification = PQnotifies(pointer) {
            notifications.append(
                Notification(
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra),
                    processID: notification.pointee.be_pid
                )
            )
            PQfreemem(notification)
        }
        return notifications
    }

    /// Waits without a timeout until the server sends something or the task is cancelled.
    func waitForActivity() async throws {
        let socket = PQsocket(pointer)
        guard socket >= 0 else { throw lost() }
        let ready = await SocketWatch.shared.wait(for: socket, events: POLLIN, milliseconds: nil)
        if ready != 0, PQconsumeInput(pointer) != 1 { throw lost() }
    }
}

// MARK: - Waiting

extension Session {
    private static var lostExplanation: String { "the connection to the server was lost; connect again" }

    private func lost() -> PostgresError {
        abandon()
        var error = PostgresError(code: .connection, explanation: Self.lostExplanation)
        error.serverMessage = String(cString: PQerrorMessage(pointer))
        return error
    }

    /// Flushes after one of libpq's `PQsend…` functions, which return 1 if they queued the request.
    private func submit(_ queued: Int32) async throws {
        guard queued == 1 else { throw lost() }
        try await flush()
    }

    private func flush() async throws {
        while try !hasFlushed() {
            // Read while writing: the server may block until its output is read.
            try note(try await wait(for: POLLIN | POLLOUT))
        }
    }

    private func hasFlushed() throws -> Bool {
        switch PQflush(pointer) {
        case 0: return true
        case 1: return false
        default: throw lost()
        }
    }

    /// Reads what has come, after a wait for input or output.
    private func note(_ ready: Int32) throws {
        try checkPatience(nothingHappened: ready == 0)
        if ready & ~POLLOUT != 0, PQconsumeInput(pointer) != 1 { throw lost() }
    }

    /// Returns the next result, or nil when the statement has no more.
    private func nextResult() async throws -> QueryResult? {
        while PQisBusy(pointer) != 0 {
            try note(try await wait(for: POLLIN))
        }
        guard let result = PQgetResult(pointer) else { return nil }
        return QueryResult(result)
    }

    /// - Returns: 0 if it is time to look at the deadline and at cancellation.
    private func wait(for events: Int32) async throws -> Int32 {
        let socket = PQsocket(pointer)
        guard socket >= 0 else { throw lost() }
        return await SocketWatch.shared.wait(
            for: socket, events: events, milliseconds: deadline.pause(atMost: Self.slice))
    }

    private func checkPatience(nothingHappened: Bool) throws {
        if interruption != .none {
            if deadline.hasPassed {
                abandon()
                throw PostgresError(
                    code: .timeout, explanation: "the server did not answer when asked to cancel; connection closed")
            }
            // The first request may have reached the server before the statement did, so repeat it.
            if nothingHappened { canceller.cancel() }
        } else if deadline.hasPassed {
            interrupt(.timedOut)
        } else if nothingHappened, heedsCancellation, canceller.isRequested {
            interrupt(.cancelled)
        }
    }

    private func interrupt(_ reason: Interruption) {
        interruption = reason
        deadline = Deadline(after: Self.patienceAfterCancelling)
        canceller.cancel()
    }
}
