import Synchronization

/// Lends connections, opening them as needed up to a limit.
///
/// When all connections are lent, callers wait in line. The pool closes a connection instead of lending it again if it
/// is broken, was left inside a transaction, or has lost its server.
public final class ConnectionPool: Sendable {
    /// A claim on one of the pool's places.
    private enum Place: Sendable {
        case taken(Connection)
        case vacant
    }

    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Place, any Error>
        let timer: Task<Void, Never>
    }

    private struct State {
        var idle: [Connection] = []
        /// Places in use: connections lent, idle, and being opened.
        var open = 0
        var waiters: [Waiter] = []
        var lastWaiter: UInt64 = 0
        var isClosed = false
    }

    /// How many of a pool's places are in use.
    public struct Use: Sendable, Equatable {
        /// Connections that are lent or being opened.
        public let lent: Int
        /// Connections that are open and not lent.
        public let idle: Int
        /// Tasks waiting in line for a connection.
        public let waiting: Int
        /// The maximum number of open connections.
        public let limit: Int
    }

    /// The maximum number of waiting tasks; further ones are refused at once.
    private static let maximumWaiters = 10_000

    /// The server and the timeouts of the connections.
    public let configuration: PostgresConfiguration
    private let maximumConnections: Int
    private let acquireTimeout: Duration
    private let state = Mutex(State())

    /// Creates a pool without opening any connection.
    ///
    /// - Parameters:
    ///   - configuration: The server and the timeouts.
    ///   - maximumConnections: The maximum number of open connections, at least 1.
    ///   - acquireTimeout: How long to wait in line for a connection.
    public init(
        configuration: PostgresConfiguration, maximumConnections: Int = 8, acquireTimeout: Duration = .seconds(10)
    ) {
        precondition(maximumConnections > 0, "a pool without connections would never lend one")
        self.configuration = configuration
        self.maximumConnections = maximumConnections
        self.acquireTimeout = acquireTimeout
    }

    /// Connections that are open or being opened, lent or idle.
    public var openConnections: Int { state.withLock { $0.open } }

    /// How many places are in use now.
    public var use: Use {
        state.withLock { state in
            Use(
                lent: state.open - state.idle.count, idle: state.idle.count, waiting: state.waiters.count,
                limit: maximumConnections)
        }
    }

    /// Lends a connection while `body` runs. `body` must not keep it.
    ///
    /// - Parameters:
    ///   - caller: The caller's actor, on which `body` runs.
    ///   - body: What to do with the connection.
    /// - Throws: What `body` throws; ``PostgresError`` with code `poolExhausted`, `poolClosed` or `connection`;
    ///   `CancellationError` if the task is cancelled while it waits.
    public func withConnection<R: Sendable>(
        caller: isolated (any Actor)? = #isolation, _ body: (Connection) async throws -> R
    ) async throws -> R {
        let connection = try await acquire()
        do {
            let result = try await body(connection)
            await release(connection)
            return result
        } catch {
            await release(connection)
            throw error
        }
    }

    /// Closes the pool: idle connections now, lent ones when they are returned. Waiting tasks get an error.
    public func close() async {
        let (idle, waiters) = state.withLock { state in
            state.isClosed = true
            let found = (state.idle, state.waiters)
            state.open -= state.idle.count
            state.idle = []
            state.waiters = []
            return found
        }
        for waiter in waiters {
            waiter.timer.cancel()
            waiter.continuation.resume(throwing: Self.closedError)
        }
        for connection in idle {
            await connection.close()
        }
    }

    private static var closedError: PostgresError {
        PostgresError(code: .poolClosed, explanation: "the pool is closed")
    }
}

// MARK: - Lending

extension ConnectionPool {
    /// Acquires a connection; the caller must ``release(_:)`` it.
    func acquire() async throws -> Connection {
        if case .taken(let connection) = try await reserve() {
            connection.doubt()
            return connection
        }
        // Its place in the pool is still ours: open a new connection in it.
        do {
            return try await Connection.connect(configuration)
        } catch {
            pass(on: .vacant)
            throw error
        }
    }

    /// Returns a connection to the pool.
    func release(_ connection: Connection) async {
        if connection.isReusable {
            if pass(on: .taken(connection)) { return }
            await connection.close()
        } else {
            await connection.close()
            pass(on: .vacant)
        }
    }

    /// Gives a place to the task that has waited longest, or else keeps it.
    ///
    /// - Returns: False if the pool is closed; the caller must then close the connection.
    @discardableResult
    private func pass(on place: Place) -> Bool {
        let (waiter, isKept) = state.withLock { state -> (Waiter?, Bool) in
            if state.isClosed {
                state.open -= 1
                return (nil, false)
            }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), true) }
            switch place {
            case .taken(let connection): state.idle.append(connection)
            case .vacant: state.open -= 1
            }
            return (nil, true)
        }
        waiter?.timer.cancel()
        waiter?.continuation.resume(returning: place)
        return isKept
    }

    /// Reserves a place, waiting in line if necessary.
    private func reserve() async throws -> Place {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                line(up: continuation, as: number)
                // If the task was cancelled before it joined the line, the handler below did not find it.
                if Task.isCancelled { dismiss(number, CancellationError()) }
            }
        } onCancel: {
            dismiss(number, CancellationError())
        }
    }

    private func line(up continuation: CheckedContinuation<Place, any Error>, as number: UInt64) {
        let outcome = state.withLock { state -> Result<Place, any Error>? in
            if state.isClosed { return .failure(Self.closedError) }
            if let connection = state.idle.popLast() { return .success(.taken(connection)) }
            if state.open < maximumConnections {
                state.open += 1
                return .success(.vacant)
            }
            if state.waiters.count >= Self.maximumWaiters { return .failure(exhaustedError) }
            state.waiters.append(Waiter(number: number, continuation: continuation, timer: timer(for: number)))
            return nil
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    private func timer(for number: UInt64) -> Task<Void, Never> {
        Task {
            // A cancelled timer means that its task no longer waits.
            guard (try? await Task.sleep(for: acquireTimeout)) != nil else { return }
            dismiss(number, exhaustedError)
        }
    }

    private var exhaustedError: PostgresError {
        PostgresError(
            code: .poolExhausted,
            explanation: "all \(maximumConnections) connections stayed in use for \(acquireTimeout); allow more of them"
        )
    }

    /// Removes a waiting task from the line and fails it; a task that already has a place keeps it.
    private func dismiss(_ number: UInt64, _ error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.timer.cancel()
        waiter?.continuation.resume(throwing: error)
    }
}
