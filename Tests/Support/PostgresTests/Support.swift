import CherishTestSupport
import Postgres
import Synchronization
import Testing

/// The configuration for the current test's database.
func databaseConfiguration(
    applicationName: String = "postgres-tests", statementTimeout: Duration? = nil
) -> PostgresConfiguration {
    PostgresConfiguration(
        connectionString: TestDatabase.current.connectionString,
        applicationName: applicationName,
        connectTimeout: longWait,
        statementTimeout: statementTimeout
    )
}

/// A connection to the current test's database.
func openConnection(statementTimeout: Duration? = nil) async throws -> Connection {
    try await Connection.connect(databaseConfiguration(statementTimeout: statementTimeout))
}

/// A pool on the current test's database.
func makePool(maximumConnections: Int = 4, acquireTimeout: Duration = longWait) -> ConnectionPool {
    ConnectionPool(
        configuration: databaseConfiguration(),
        maximumConnections: maximumConnections,
        acquireTimeout: acquireTimeout
    )
}

/// The only value of the only row.
func single<Value: PostgresDecodable>(
    _ connection: Connection, _ sql: SQL, _ parameters: [any PostgresEncodable] = [],
    as type: Value.Type = Value.self
) async throws -> Value {
    let rows = try await connection.query(sql, parameters)
    let row = try #require(rows.first)
    return try row.decode(0, as: type)
}

/// Waits until this many sessions of the test's database run this statement and wait in it: for a lock, or for time.
func untilRunning(_ sql: String, sessions: Int = 1) async throws {
    let observer = try await openConnection()
    try await eventually("\(sessions) sessions never ran \(sql)") {
        try await single(
            observer,
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND query = $1 AND wait_event_type IN ('Lock', 'Timeout')
            """, [sql]) == sessions
    }
}

/// Waits until this many tasks wait for a connection.
func untilWaiting(_ count: Int, for pool: ConnectionPool) async throws {
    try await eventually("\(count) never stood in line") { pool.use.waiting == count }
}

/// Counts across tasks.
final class Counter: Sendable {
    private let state = Mutex((current: 0, highest: 0))

    var current: Int { state.withLock { $0.current } }
    var highest: Int { state.withLock { $0.highest } }

    func add(_ amount: Int) {
        state.withLock { state in
            state.current += amount
            state.highest = max(state.highest, state.current)
        }
    }
}
