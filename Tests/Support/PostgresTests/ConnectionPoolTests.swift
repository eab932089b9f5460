import CherishTestSupport
import Postgres
import Testing

@Suite("A pool", .emptyDatabase)
struct ConnectionPoolTests {
    @Test func keepsItsLimitAndLendsAgain() async throws {
        let pool = makePool(maximumConnections: 2)
        #expect(pool.openConnections == 0)
        let (lent, gate) = (Counter(), Gate())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try await pool.withConnection { connection in
                        lent.add(1)
                        await gate.pass()
                        try await connection.execute("SELECT 1")
                        lent.add(-1)
                    }
                }
            }
            try await untilWaiting(8, for: pool)
            // Those admitted by the pool may still be connecting.
            try await eventually("only \(lent.highest) had a connection at once") { await gate.waitingCount == 2 }
            await gate.open()
            try await group.waitForAll()
        }
        #expect(lent.highest == 2)
        #expect(pool.openConnections == 2)
        await pool.close()
        #expect(pool.openConnections == 0)
    }

    /// Lent, idle, waiting, limit.
    private func use(of pool: ConnectionPool) -> [Int] {
        let use = pool.use
        return [use.lent, use.idle, use.waiting, use.limit]
    }

    @Test func reportsHowItsPlacesAreTaken() async throws {
        let pool = makePool(maximumConnections: 2)
        #expect(use(of: pool) == [0, 0, 0, 2])
        try await pool.withConnection { _ in
            #expect(use(of: pool) == [1, 0, 0, 2])
            let waiter = try await pool.withConnection { _ in
                let waiter = Task { try await pool.withConnection { _ in } }
                try await untilWaiting(1, for: pool)
                #expect(use(of: pool) == [2, 0, 1, 2])
                return waiter
            }
            try await waiter.value
            #expect(use(of: pool) == [1, 1, 0, 2])
        }
        #expect(use(of: pool) == [0, 2, 0, 2])
        await pool.close()
        #expect(use(of: pool) == [0, 0, 0, 2])
    }

    @Test func waitsOnlySoLong() async throws {
        let pool = makePool(maximumConnections: 1, acquireTimeout: .milliseconds(200))
        try await pool.withConnection { _ in
            let error = try await #require(throws: PostgresError.self) {
                try await pool.withConnection { _ in }
            }
            #expect(error.code == .poolExhausted)
        }
        try await pool.withConnection { _ = try await $0.execute("SELECT 1") }
    }

    @Test func letsACancelledWaiterGo() async throws {
        let pool = makePool(maximumConnections: 1)
        try await pool.withConnection { _ in
            let waiter = Task { try await pool.withConnection { _ in } }
            try await untilWaiting(1, for: pool)
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
        try await pool.withConnection { _ = try await $0.execute("SELECT 1") }
        #expect(pool.openConnections == 1)
    }

    @Test func servesWaitersInOrder() async throws {
        let pool = makePool(maximumConnections: 1)
        let served = Counter()
        let waiters = try await pool.withConnection { _ in
            var waiters: [Task<Int, any Error>] = []
            for _ in 0..<5 {
                let waiter = Task {
                    try await pool.withConnection { _ in
                        served.add(1)
                        return served.current
                    }
                }
                waiters.append(waiter)
                try await untilWaiting(waiters.count, for: pool)
            }
            return waiters
        }
        for (index, waiter) in waiters.enumerated() {
            #expect(try await waiter.value == index + 1)
        }
    }

    @Test func replacesAConnectionThatTheServerClosed() async throws {
        let pool = makePool(maximumConnections: 1)
        let first: Int32 = try await pool.withConnection { try await single($0, "SELECT pg_backend_pid()") }
        let other = try await openConnection()
        #expect(try await single(other, "SELECT pg_terminate_backend($1, 10000)", [first], as: Bool.self))
        let second: Int32 = try await pool.withConnection { try await single($0, "SELECT pg_backend_pid()") }
        #expect(first != second)
        #expect(pool.openConnections == 1)
    }

    @Test func dropsAConnectionThatBreaksWhileLent() async throws {
        let pool = makePool(maximumConnections: 1)
        let error = try await #require(throws: PostgresError.self) {
            try await pool.withConnection { connection in
                try await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
                try await connection.execute("SELECT 1")
            }
        }
        #expect(error.isConnectionFailure)
        #expect(pool.openConnections == 0)
        try await pool.withConnection { _ = try await $0.execute("SELECT 1") }
    }

    @Test func dropsAConnectionLeftInsideATransaction() async throws {
        let pool = makePool(maximumConnections: 1)
        try await pool.withConnection { try await $0.script("BEGIN") }
        #expect(pool.openConnections == 0)
        try await pool.withConnection { connection in
            #expect(connection.transactionStatus == .idle)
        }
    }

    @Test func lendsNothingOnceClosed() async throws {
        let pool = makePool(maximumConnections: 1)
        try await pool.withConnection { connection in
            let waiter = Task { try await pool.withConnection { _ in } }
            try await untilWaiting(1, for: pool)
            await pool.close()
            let error = try await #require(throws: PostgresError.self) { try await waiter.value }
            #expect(error.code == .poolClosed)
            try await connection.execute("SELECT 1")
        }
        #expect(pool.openConnections == 0)
        let error = try await #require(throws: PostgresError.self) { try await pool.withConnection { _ in } }
        #expect(error.code == .poolClosed)
    }

    @Test func givesItsPlaceBackWhenConnectingFails() async throws {
        let pool = ConnectionPool(
            configuration: PostgresConfiguration(connectionString: "host=/nonexistent"), maximumConnections: 1)
        for _ in 0..<3 {
            let error = try await #require(throws: PostgresError.self) { try await pool.withConnection { _ in } }
            #expect(error.code == .connection)
        }
        #expect(pool.openConnections == 0)
    }
}
