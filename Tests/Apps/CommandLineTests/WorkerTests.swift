import CherishTestSupport
import Foundation
import Postgres
import PrivatePostgres
import Testing

@Suite("The worker program")
struct WorkerTests {
    /// Imports friends registered yesterday, so that all are due from midnight today (UTC).
    private func plant(_ count: Int, with cherish: Program, firstPhone: Int) async throws {
        try await withTemporaryFile("friends.csv") { file in
            let rows = (0..<count).map { "Friend \($0),+8210\(firstPhone + $0),1,00:00" }
            try (["name,phone,cycle_days,alarm"] + rows).joined(separator: "\n")
                .write(to: file, atomically: false, encoding: .utf8)
            let yesterday = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -86_400))
            let imported = try await cherish.json(
                "friend", "import", "a@example.com", file.path, "--no-spread", "--now", yesterday)
            #expect(imported["planted"] as? Int == count)
        }
    }

    @Test(
        "delivers what is due, logs structured lines, and exits with 0 on a signal", .migratedDatabase,
        arguments: [SIGTERM, SIGINT])
    func deliversAndStops(signal: Int32) async throws {
        _ = try await Program.cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC")
        try await withTemporaryFile("pushes.jsonl") { file in
            let variables = ["CHERISH_PUSH": "jsonl:\(file.path)", "CHERISH_POLL_MILLISECONDS": "100"]
            try await plant(20, with: .cherish, firstPhone: 20_000_000)
            let worker = try Program.worker.with(variables).start()
            try await eventually("pushes never came: \(worker.errors)") { lines(of: file).count == 20 }
            // What another program adds is noticed within the poll interval.
            try await plant(1, with: .cherish, firstPhone: 30_000_000)
            try await eventually("the added push never came") { lines(of: file).count == 21 }
            worker.signal(signal)
            let result = await worker.result()
            #expect(result.status == 0)
            #expect(result.errors.contains("delivered=20"))
            #expect(result.errors.contains("stopped"))
            #expect(try await Program.cherish.json("tick")["delivered"] as? Int == 0)
        }
    }

    @Test("two concurrent workers send each push once", .migratedDatabase)
    func twoWorkers() async throws {
        _ = try await Program.cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC")
        try await withTemporaryFile("pushes.jsonl") { file in
            let variables = ["CHERISH_PUSH": "jsonl:\(file.path)", "CHERISH_POLL_MILLISECONDS": "50"]
            let workers = try (0..<2).map { _ in try Program.worker.with(variables).start() }
            for batch in 0..<5 {
                try await plant(100, with: .cherish, firstPhone: 20_000_000 + batch * 1000)
            }
            try await eventually("pushes never came") { lines(of: file).count >= 500 }
            // They finish what they began, and leave nothing to do.
            for worker in workers { worker.signal(SIGTERM) }
            for worker in workers { #expect(await worker.result().status == 0) }
            #expect(try await Program.cherish.json("tick")["delivered"] as? Int == 0)
            #expect(lines(of: file).count == 500)
        }
    }

    @Test(
        "makes partitions ahead, drops expired ones, and stops on request even if a reader blocks the drop",
        .migratedDatabase)
    func housekeeping() async throws {
        let pool = TestDatabase.current.pool(maximumConnections: 2)
        func hasRows(_ sql: SQL) async throws -> Bool {
            try await pool.withConnection { connection in
                let rows = try await connection.query(sql)
                return !rows.isEmpty
            }
        }
        let keeper = Program.worker.with(["CHERISH_RETENTION_DAYS": "30"])
        _ = try await hasRows("SELECT make_partition('occurrence', 'month', now() - interval '100 days')")
        try await pool.withConnection { reader in
            try await reader.script("BEGIN; SELECT count(*) FROM occurrence")
            let worker = try keeper.start()
            try await eventually("nothing was to be dropped") {
                try await hasRows("SELECT 1 FROM pg_inherits WHERE inhdetachpending")
            }
            worker.signal(SIGTERM)
            let result = await worker.result()
            #expect(result.status == 0)
            #expect(!result.errors.contains(" error "), "\(result.errors)")
            try await reader.script("COMMIT")
        }
        let worker = try keeper.start()
        try await eventually("nothing was dropped") { worker.errors.contains("dropped=1") }
        let isAhead = try await hasRows(
            """
            SELECT 1 FROM pg_class
            WHERE relname = to_char(now() AT TIME ZONE 'UTC' + interval '100 days', '"occurrence_"YYYYMM')
            """)
        #expect(isAhead)
        worker.signal(SIGTERM)
        let result = await worker.result()
        #expect(result.status == 0)
        await pool.close()
    }

    /// A lock that blocks a statement of a loop, and a part of that statement.
    private static let waits = [
        ("LOCK TABLE occurrence IN ACCESS EXCLUSIVE MODE", "FROM lane LEFT JOIN LATERAL"),
        ("LOCK TABLE lane_delivery IN ACCESS EXCLUSIVE MODE", "FROM lane_delivery AS delivery JOIN lane"),
        ("SELECT FROM lane FOR UPDATE", "FROM lane WHERE lane = $1"),
    ]

    @Test(
        "stops on request even if the database does not answer its loops", .migratedDatabase,
        .timeLimit(.minutes(60)), arguments: waits)
    func stopsWhileItWaits(lock: String, statement: String) async throws {
        _ = try await Program.cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC")
        try await plant(3, with: .cherish, firstPhone: 20_000_000)
        let pool = TestDatabase.current.pool(maximumConnections: 2)
        try await withTemporaryFile("pushes.jsonl") { file in
            let variables = ["CHERISH_PUSH": "jsonl:\(file.path)", "CHERISH_POLL_MILLISECONDS": "50"]
            try await pool.withTransaction { holder in
                try await holder.script("\(lock)")
                let worker = try Program.worker.with(variables).start()
                try await eventually("no loop waits: \(worker.errors)") {
                    try await pool.withConnection { connection in
                        let rows = try await connection.query(
                            """
                            SELECT 1 FROM pg_stat_activity
                            WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, $1) > 0
                            """, [statement])
                        return !rows.isEmpty
                    }
                }
                worker.signal(SIGTERM)
                // The lock is held until the worker has ended.
                let result = await worker.result()
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.errors.contains("stopped"))
                #expect(!result.errors.contains(" error "), "\(result.errors)")
            }
            // Nothing is lost.
            #expect(try await Program.cherish.json("tick")["delivered"] as? Int == 3)
        }
        await pool.close()
    }

    @Test("survives a restart of the database")
    func databaseRestart() async throws {
        try await withTemporaryFile("home") { home in
            let cherish = Program(name: "cherish", environment: ["CHERISH_HOME": home.path])
            _ = try await cherish.json(
                "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC")
            let cluster = PrivateCluster(home: home.path)
            let file = home.deletingLastPathComponent().appendingPathComponent("pushes.jsonl")
            let worker = try Program(
                name: "cherish-worker",
                environment: [
                    "DATABASE_URL": cluster.connectionString(), "CHERISH_PUSH": "jsonl:\(file.path)",
                    "CHERISH_POLL_MILLISECONDS": "50",
                ]
            ).start()
            try await plant(10, with: cherish, firstPhone: 20_000_000)
            try await eventually("the first pushes never came: \(worker.errors)") { pushes(in: file) == 10 }
            _ = try await cluster.stop()
            try await eventually("the worker never noticed") { worker.errors.contains("trying again") }
            try await cluster.ensureRunning()
            try await plant(10, with: cherish, firstPhone: 30_000_000)
            try await eventually("the worker did not go on: \(worker.errors)") { pushes(in: file) == 20 }
            worker.signal(SIGTERM)
            #expect(await worker.result().status == 0)
            try await cluster.destroy()
        }
    }

    /// Counts distinct pushes: one whose receipt the restart cut off is sent again, with the same collapse id.
    private func pushes(in file: URL) -> Int {
        Set(lines(of: file).compactMap { $0.firstMatch(of: #/"collapseId":"([^"]+)"/#)?.1 }).count
    }
}
