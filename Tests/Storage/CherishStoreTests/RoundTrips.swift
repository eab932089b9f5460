import CherishTestSupport
import Postgres
import Synchronization

/// Counts round trips of a connection. The statements of a pipeline are sent together: one round trip.
final class RoundTrips: StatementInterceptor {
    private let state = Mutex<(count: Int, isWaiting: Bool)>((0, false))

    /// The count since the last call.
    func take() -> Int {
        state.withLock { state in
            defer { state.count = 0 }
            return state.count
        }
    }

    func beforeSending(_ sql: String) throws -> String {
        state.withLock { state in
            if !state.isWaiting { state.count += 1 }
            state.isWaiting = true
        }
        return sql
    }

    func afterAnswer(to sql: String) throws {
        state.withLock { $0.isWaiting = false }
    }

    /// A pool of one connection, which this counts.
    func pool() -> ConnectionPool {
        ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: TestDatabase.current.connectionString, interceptor: self), maximumConnections: 1)
    }
}
