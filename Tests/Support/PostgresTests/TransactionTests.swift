import CherishTestSupport
import Postgres
import Testing

@Suite("A transaction", .emptyDatabase)
struct TransactionTests {
    private struct GivenUp: Error {}

    private func preparedPool() async throws -> ConnectionPool {
        let pool = makePool()
        try await pool.withConnection {
            try await $0.script("CREATE TABLE item (id bigint, amount bigint); INSERT INTO item VALUES (1, 0), (2, 0)")
        }
        return pool
    }

    private func total(_ pool: ConnectionPool) async throws -> Int {
        try await pool.withConnection { try await single($0, "SELECT sum(amount)::bigint FROM item") }
    }

    @Test func isCommitted() async throws {
        let pool = try await preparedPool()
        let amount = try await pool.withTransaction { connection in
            try await connection.execute("UPDATE item SET amount = 1 WHERE id = 1")
            return 7
        }
        #expect(amount == 7)
        #expect(try await total(pool) == 1)
    }

    @Test func givesItsLocksUpWhenItStandsStillForTooLong() async throws {
        var configuration = databaseConfiguration()
        configuration.idleTransactionTimeout = .seconds(240)
        let sleepy = ConnectionPool(configuration: configuration, maximumConnections: 1)
        let pool = try await preparedPool()
        let error = await #expect(throws: PostgresError.self) {
            try await sleepy.withTransaction { connection in
                let setting = try await single(
                    connection, "SHOW idle_in_transaction_session_timeout", as: String.self)
                #expect(setting == "4min")
                // The timeout is long until the row is locked, and then short.
                _ = try await connection.pipeline([
                    Statement("UPDATE item SET amount = 1 WHERE id = 1"),
                    Statement("SELECT set_config('idle_in_transaction_session_timeout', '100', true)"),
                ])
                // Another transaction gets the row although this one has not ended.
                _ = try await pool.withTransaction { try await $0.execute("UPDATE item SET amount = 2 WHERE id = 1") }
                try await connection.execute("UPDATE item SET amount = 3 WHERE id = 2")
            }
        }
        #expect(error?.sqlState == "25P03" || error?.code == .connection)
        #expect(try await total(pool) == 2)
        // The timeout ends with the transaction, and does not affect the connection's next user.
        _ = try await sleepy.withTransaction { try await $0.query("SELECT 1") }
        let left = try await sleepy.withConnection {
            try await single($0, "SHOW idle_in_transaction_session_timeout", as: String.self)
        }
        #expect(left == "0")
        await sleepy.close()
    }

    @Test func isRolledBackWhenTheBodyThrows() async throws {
        let pool = try await preparedPool()
        await #expect(throws: GivenUp.self) {
            try await pool.withTransaction { connection in
                try await connection.execute("UPDATE item SET amount = 1")
                throw GivenUp()
            }
        }
        #expect(try await total(pool) == 0)
        #expect(pool.openConnections == 1)
    }

    @Test func isRolledBackWhenItsTaskIsCancelled() async throws {
        let pool = try await preparedPool()
        let task = Task {
            try await pool.withTransaction { connection in
                try await connection.execute("UPDATE item SET amount = 1")
                try await connection.execute("SELECT pg_sleep(600)")
            }
        }
        try await untilRunning("SELECT pg_sleep(600)")
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(try await total(pool) == 0)
        #expect(pool.openConnections == 1)
    }

    @Test func isRefusedWhenAFailureWasSwallowed() async throws {
        let pool = try await preparedPool()
        let error = try await #require(throws: PostgresError.self) {
            try await pool.withTransaction { connection in
                try await connection.execute("UPDATE item SET amount = 1")
                _ = try? await connection.execute("SELECT 1/0")
            }
        }
        #expect(error.code == .usage)
        #expect(try await total(pool) == 0)
    }

    @Test func canBeReadOnly() async throws {
        let pool = try await preparedPool()
        let error = try await #require(throws: PostgresError.self) {
            _ = try await pool.withTransaction(isolation: .serializable, readOnly: true) { connection in
                try await connection.execute("UPDATE item SET amount = 1")
            }
        }
        #expect(error.sqlState == "25006")
    }

    @Test func isRunAgainAfterASerializationFailure() async throws {
        let pool = try await preparedPool()
        let attempts = Counter()
        try await pool.withTransaction(isolation: .repeatableRead) { connection in
            attempts.add(1)
            let amount: Int = try await single(connection, "SELECT amount FROM item WHERE id = 1")
            if attempts.current == 1 {
                _ = try await pool.withTransaction { other in
                    try await other.execute("UPDATE item SET amount = 10 WHERE id = 1")
                }
            }
            try await connection.execute("UPDATE item SET amount = $1 WHERE id = 1", [amount + 1])
        }
        #expect(attempts.current == 2)
        #expect(try await total(pool) == 11)
    }

    @Test func isGivenUpAfterTheLastAttempt() async throws {
        let pool = try await preparedPool()
        let attempts = Counter()
        let error = try await #require(throws: PostgresError.self) {
            try await pool.withTransaction(isolation: .repeatableRead, attempts: 2) { connection in
                attempts.add(1)
                _ = try await connection.query("SELECT amount FROM item")
                _ = try await pool.withTransaction { other in
                    try await other.execute("UPDATE item SET amount = amount + 1")
                }
                try await connection.execute("UPDATE item SET amount = 100")
            }
        }
        #expect(error.isRetryable)
        #expect(error.sqlState == "40001")
        #expect(attempts.current == 2)
    }

    @Test func isRunAgainAfterADeadlock() async throws {
        let pool = try await preparedPool()
        let attempts = Counter()
        let locked = Counter()
        @Sendable func add(first: Int, second: Int) async throws {
            try await pool.withTransaction { connection in
                attempts.add(1)
                let update = "UPDATE item SET amount = amount + 1 WHERE id = $1"
                try await connection.execute("\(update)", [first])
                locked.add(1)
                _ = try await eventually { locked.current >= 2 }
                try await connection.execute("\(update)", [second])
            }
        }
        async let left: Void = add(first: 1, second: 2)
        async let right: Void = add(first: 2, second: 1)
        try await left
        try await right
        #expect(try await total(pool) == 4)
        #expect(attempts.current >= 3)
    }
}
