import CherishTestSupport
import Postgres
import Testing

@Suite("Statements that take too long", .emptyDatabase)
struct CancellationTests {
    @Test func endWithTheirTask() async throws {
        let connection = try await openConnection()
        let start = ContinuousClock.now
        let task = Task { try await connection.execute("SELECT pg_sleep(60)") }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func doNotBeginInACancelledTask() async throws {
        let connection = try await openConnection()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await connection.execute("SELECT pg_sleep(60)")
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func canBeCancelledFromOutside() async throws {
        let connection = try await openConnection()
        // Without a statement there is nothing to cancel, and the next one is not hit.
        connection.cancel()
        #expect(try await connection.execute("SELECT 1") == 1)
        let task = Task { try await connection.execute("SELECT pg_sleep(60)") }
        let canceller = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: .milliseconds(50))
                connection.cancel()
            }
        }
        let error = try await #require(throws: PostgresError.self) { try await task.value }
        canceller.cancel()
        #expect(error.code == .server)
        #expect(error.sqlState == "57014")
    }

    @Test func endAtTheirDeadline() async throws {
        let connection = try await openConnection(statementTimeout: .milliseconds(500))
        let start = ContinuousClock.now
        let error = try await #require(throws: PostgresError.self) {
            try await connection.execute("SELECT pg_sleep(60)")
        }
        #expect(error.code == .timeout)
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func blockNobodyElse() async throws {
        let pool = makePool(maximumConnections: 8)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    _ = try await pool.withConnection { try await $0.execute("SELECT pg_sleep(1)") }
                }
            }
            try await group.waitForAll()
        }
        // One after the other on two threads of the cooperative pool they would take four seconds and more.
        #expect(ContinuousClock.now - start < .seconds(3.5))
        #expect(pool.openConnections == 8)
        await pool.close()
    }
}
