import CherishTestSupport
import Foundation
import Postgres
import Testing

@Suite("An import ended by Ctrl-C", .migratedDatabase)
struct ImportInterruptionTests {
    private static let friendCount = repetitions(4_000, inDebug: 1_500)
    private static let tables = [
        "plant", "cycle_change", "occurrence", "tag", "plant_tag", "import_batch", "import_change",
    ]
    private let email = "minji@example.com"

    private func addAccount(_ email: String) async throws {
        _ = try await Program.cherish.json(
            "account", "add", "--email", email, "--nickname", "A", "--time-zone", "Asia/Seoul")
    }

    private func writeFriends(to file: URL) throws {
        let rows = (0..<Self.friendCount).map { "Friend \($0),+8210\(20_000_000 + $0),7" }
        try (["name,phone,cycle_days"] + rows).joined(separator: "\n")
            .write(to: file, atomically: false, encoding: .utf8)
    }

    /// Starts it as a shell would: a test process may block or ignore the signal, and children inherit that.
    private func startImport(_ file: URL, to email: String) throws -> RunningProgram {
        let cherish = Program.cherish
        let path = Program.directory.appendingPathComponent(cherish.name).path
        return try RunningProgram(
            "/usr/bin/env",
            ["--default-signal=INT", path, "friend", "import", email, file.path, "--tag", "school"],
            environment: cherish.environment)
    }

    private func hasSession(_ condition: String, _ pool: ConnectionPool) async throws -> Bool {
        let sessions = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT 1 FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'cherish' AND \(condition)
                """)
        }
        return !sessions.isEmpty
    }

    /// Counts the rows of each table that an import writes, once the sessions of ended programs are gone.
    private func rowCounts() async throws -> [String: Int] {
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        try await eventually("a session never ended") { try await !hasSession("true", pool) }
        var counts: [String: Int] = [:]
        for table in Self.tables {
            let rows = try await pool.withConnection { try await $0.query("SELECT count(*) FROM \(table)") }
            counts[table] = try rows.first?.decode(0, as: Int.self)
        }
        await pool.close()
        return counts
    }

    /// How many friends each listed import added.
    private func listedImports(of email: String) async throws -> [Int] {
        let document = try await Program.cherish.json("import", "list", email)
        let imports = try #require(document["imports"] as? [[String: Any]])
        return try imports.map { try #require($0["planted"] as? Int) }
    }

    @Test("is complete or has no effect, whenever it happens; the next import adds everybody once")
    func anyMoment() async throws {
        try await withTemporaryFile("friends.csv") { file in
            try writeFriends(to: file)
            try await addAccount("first@example.com")
            let start = ContinuousClock.now
            let first = try await startImport(file, to: "first@example.com").result()
            let duration = ContinuousClock.now - start
            #expect(first.status == 0, "\(first.errors)")
            let before = try await rowCounts()
            #expect(before["plant"] == Self.friendCount)
            let after = before.mapValues { $0 * 2 }

            try await addAccount(email)
            var endings: [Int32] = []
            for part in [0.05, 0.2, 0.4, 0.6, 0.8] {
                let running = try startImport(file, to: email)
                try await Task.sleep(for: duration * part)
                running.signal(SIGINT)
                let status = await running.result().status
                endings.append(status)
                let found = try await rowCounts()
                #expect(found == before || found == after, "\(part)")
                // It may be faster than the first one.
                #expect(status == 128 + SIGINT || (status == 0 && found == after), "\(part): \(status)")
                let listed = try await listedImports(of: email)
                let expected = found == before ? [] : [Self.friendCount]
                #expect(listed == expected, "\(part)")
            }
            #expect(endings.contains(128 + SIGINT))

            let last = try await startImport(file, to: email).result()
            #expect(last.status == 0, "\(last.errors)")
            let found = try await rowCounts()
            #expect(found == after)
            let listed = try await listedImports(of: email)
            #expect(listed == [Self.friendCount])
        }
    }

    @Test(
        "has no effect if it was still writing; the next import adds everybody once",
        arguments: ["plant", "cycle_change", "occurrence", "import_change"])
    func whileWriting(table: String) async throws {
        try await withTemporaryFile("friends.csv") { file in
            try writeFriends(to: file)
            try await addAccount(email)
            let before = try await rowCounts()
            #expect(before["plant"] == 0)
            let pool = TestDatabase.current.pool(maximumConnections: 2)
            // The lock makes the import wait with everything it wrote before.
            let running = try await pool.withTransaction { blocker in
                try await blocker.execute("LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE")
                let running = try startImport(file, to: email)
                try await eventually("the import never waited for \(table)") {
                    try await hasSession("wait_event_type = 'Lock'", pool)
                }
                running.signal(SIGINT)
                return running
            }
            let status = await running.result().status
            #expect(status == 128 + SIGINT)
            let found = try await rowCounts()
            #expect(found == before)
            let listed = try await listedImports(of: email)
            #expect(listed == [])
            await pool.close()

            let next = try await startImport(file, to: email).result()
            #expect(next.status == 0, "\(next.errors)")
            let counts = try await rowCounts()
            #expect(counts["plant"] == Self.friendCount)
            #expect(counts["occurrence"] == Self.friendCount)
            let imports = try await listedImports(of: email)
            #expect(imports == [Self.friendCount])
        }
    }
}
