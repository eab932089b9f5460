import CherishTestSupport
import Postgres
import Synchronization
import Testing

/// Settings for the database of the test that is running.
func databaseConfiguration(
    applicationName: String = "postgres-tests", statementTimeout: Duration? = nil
) -> PostgresConfiguration {
    PostgresConfiguration(
        connectionString: TestDatabase.current.connectionString,
        applicationName: applicationName,
        statementTimeout: statementTimeout
    )
}

/// A connection to the database of the test that is running.
func openConnection(statementTimeout: Duration? = nil) async throws -> Connection {
    try await Connection.connect(databaseConfiguration(statementTimeout: statementTimeout))
}

/// A pool on the database of the test that is running.
func makePool(maximumConnections: Int = 4, acquireTimeout: Duration = .seconds(10)) -> ConnectionPool {
    ConnectionPool(
        configuration: databaseConfiguration(),
        maximumConnections: maximumConnections,
        acquireTimeout: acquireTimeout
    )
}

/// The only value of the only row.
func single<Value: PostgresDecodable>(
    _ connection: Connection, _ sql: String, _ parameters: [any PostgresEncodable] = [],
    as type: Value.Type = Value.self
) async throws -> Value {
    let rows = try await connection.query(sql, parameters)
    let row = try #require(rows.first)
    return try row.decode(0, as: type)
}

/// Asks again and again, for ten seconds at most, until the answer is yes.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(10))
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return false
}

/// Counts from several tasks.
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
