import CherishTestSupport
import Foundation
import Postgres
import Testing

@Suite("Statements that take too long", .emptyDatabase)
struct CancellationTests {
    @Test func endWithTheirTask() async throws {
        let connection = try await openConnection()
        let task = Task { try await connection.execute("SELECT pg_sleep(600)") }
        try await untilRunning("SELECT pg_sleep(600)")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func doNotBeginInACancelledTask() async throws {
        let connection = try await openConnection()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await connection.execute("SELECT pg_sleep(600)")
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func canBeCancelledFromOutside() async throws {
        let connection = try await openConnection()
        // Without a statement there is nothing to cancel, and the next one is not affected.
        connection.cancel()
        #expect(try await connection.execute("SELECT 1") == 1)
        let task = Task { try await connection.execute("SELECT pg_sleep(600)") }
        try await untilRunning("SELECT pg_sleep(600)")
        connection.cancel()
        let error = try await #require(throws: PostgresError.self) { try await task.value }
        #expect(error.code == .server)
        #expect(error.sqlState == "57014")
    }

    @Test func endAtTheirDeadline() async throws {
        let connection = try await openConnection(statementTimeout: .milliseconds(500))
        let error = try await #require(throws: PostgresError.self) {
            try await connection.execute("SELECT pg_sleep(600)")
        }
        #expect(error.code == .timeout)
        #expect(connection.isUsable)
        #expect(connection.transactionStatus == .idle)
    }

    @Test func blockNobodyElse() async throws {
        // More than the cooperative pool has threads: if each waiter blocked one, they could not all wait.
        let count = ProcessInfo.processInfo.activeProcessorCount + 4
        let pool = makePool(maximumConnections: count)
        let (holder, waiting) = (try await openConnection(), "SELECT pg_advisory_lock(1)")
        try await holder.execute("\(waiting)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await pool.withConnection { connection in
                        try await connection.execute("\(waiting)")
                        try await connection.execute("SELECT pg_advisory_unlock(1)")
                    }
                }
            }
            try await untilRunning(waiting, sessions: count)
            try await holder.execute("SELECT pg_advisory_unlock(1)")
            try await group.waitForAll()
        }
        #expect(pool.openConnections == count)
        await pool.close()
    }
}
