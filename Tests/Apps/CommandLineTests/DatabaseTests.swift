import CherishTestSupport
import Foundation
import Postgres
import PrivatePostgres
import Testing

@Suite("The programs' databases")
struct DatabaseTests {
    @Test("an unreachable database")
    func unreachable() async throws {
        let cherish = Program(
            name: "cherish", environment: ["DATABASE_URL": "host=/nowhere dbname=x connect_timeout=2"])
        for command in [["account", "list"], ["tick"], ["database", "migrate"]] {
            let result = try await cherish.run(command)
            #expect(result.status == 69, "\(command): \(result.errors)")
            #expect(result.code == "database_unreachable")
        }
        let worker = Program(name: "cherish-worker", environment: cherish.environment)
        #expect(try await worker.run().status == 69)
    }

    @Test("a server is migrated only on request, and programs refuse it until then", .emptyDatabase)
    func migrations() async throws {
        let before = try await Program.cherish.run("account", "list")
        #expect(before.status == 69)
        #expect(before.code == "not_migrated")
        #expect(before.errors.contains("cherish database migrate"))
        #expect(try await Program.worker.run().code == "not_migrated")
        // Two at once: one waits for the other.
        async let first = Program.cherish.run("database", "migrate")
        async let second = Program.cherish.run("database", "migrate")
        #expect(try await first.status == 0)
        #expect(try await second.status == 0)
        #expect(try await Program.cherish.run("account", "list").status == 0)
        let status = try await Program.cherish.json("database", "status")
        #expect(status["applied"] as? Int == status["known"] as? Int)

        let pool = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await pool.withConnection {
            try await $0.execute("INSERT INTO schema_migration VALUES (9999, 'from the future', 'x')")
        }
        await pool.close()
        let newer = try await Program.cherish.run("account", "list")
        #expect(newer.status == 69)
        #expect(newer.code == "schema_newer")
    }

    @Test(
        "a tick in the future is refused on a shared database; where it happened, it is detected and repaired",
        .migratedDatabase)
    func future() async throws {
        let cherish = Program.cherish
        _ = try await cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "Asia/Seoul")
        func add(_ phone: String) async throws -> String {
            let plant = try await cherish.json(
                "friend", "add", "a@example.com", "--name", "B", "--phone", phone, "--cycle-days", "3")
            return try #require(plant["id"] as? String)
        }
        func cursors() async throws -> String? {
            let report = try await cherish.run("doctor", "--output", "json").json()
            let findings = report["findings"] as? [[String: Any]] ?? []
            return findings.first { $0["check"] as? String == "cursors" }?["verdict"] as? String
        }
        _ = try await add("+821020000000")
        try await TestDatabase.current.unmark()
        #expect(try await cherish.json("database", "status")["test"] as? Bool == false)
        let refused = try await cherish.run("tick", "--now", "2040-01-01T00:00:00Z")
        #expect(refused.status == 64)
        #expect(refused.code == "future_now")
        #expect(refused.errors.contains("cherish database mark-test"))
        #expect(try await cursors() == "ok")

        #expect(try await cherish.json("database", "mark-test")["marked"] as? Bool == true)
        #expect(try await cherish.json("database", "mark-test")["marked"] as? Bool == false)
        #expect(try await cherish.json("database", "status")["test"] as? Bool == true)
        #expect(try await cherish.json("tick", "--now", "2040-01-01T00:00:00Z")["expired"] as? Int == 1)
        let plant = try await add("+821020000001")
        #expect(try await cursors() == "problem")
        #expect(try await cherish.json("preview", "a@example.com")["calendarAheadUntil"] is String)
        #expect(try await cherish.json("friend", "explain", plant)["calendarAheadUntil"] is String)
        let explained = try await cherish.json("push", "explain", plant)["explanation"] as? [String]
        #expect(explained?.last?.hasPrefix("Warning: the calendar of this account was walked ahead") == true)

        #expect(try await cherish.run("database", "repair-cursors", "--now", "2027-01-01T00:00:00Z").status == 64)
        let tried = try await cherish.json("database", "repair-cursors", "--dry-run")
        #expect((tried["lanes"] as? [Any])?.count == 1)
        #expect(try await cursors() == "problem")
        let repaired = try await cherish.json("database", "repair-cursors")
        let lanes = try #require(repaired["lanes"] as? [[String: Any]])
        #expect(lanes.map { $0["plannedCount"] as? Int } == [2])
        #expect(try await cursors() == "ok")
        #expect(try await cherish.json("preview", "a@example.com")["calendarAheadUntil"] is NSNull)
        let nothing = try await cherish.run("database", "repair-cursors")
        #expect(nothing.status == 0)
        #expect(nothing.output.contains("nothing to repair"))
        // Both plants are alarmed on their day.
        let preview = try await cherish.json("preview", "a@example.com", "--days", "5", "--to", "lines")
        #expect((preview["pushes"] as? [Any])?.count == 2)
    }

    @Test("losing the database in the middle of a command leaves nothing half done", .migratedDatabase)
    func goesAway() async throws {
        let email = "minji@example.com"
        _ = try await Program.cherish.json(
            "account", "add", "--email", email, "--nickname", "A", "--time-zone", "Asia/Seoul")
        let pool = TestDatabase.current.pool(maximumConnections: 2)
        // A lock makes the import wait in the middle of its transaction; then its session is terminated.
        let result = try await pool.withTransaction { blocker in
            try await blocker.execute("LOCK TABLE plant IN SHARE ROW EXCLUSIVE MODE")
            let running = try Program.cherish.start([
                "friend", "import", email, fixtures.appendingPathComponent("address-books/friends.csv").path,
            ])
            try await eventually("the import never waited") {
                let ended = try await pool.withConnection { connection in
                    try await connection.query(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock'
                        """)
                }
                return !ended.isEmpty
            }
            return await running.result()
        }
        #expect(result.status == 69, "\(result.errors)")
        #expect(result.code == "database_unreachable")
        let rows = try await pool.withConnection {
            try await $0.query("SELECT (SELECT count(*) FROM plant) + (SELECT count(*) FROM occurrence)")
        }
        #expect(try rows.first?.decode(0, as: Int.self) == 0)
        await pool.close()
    }

    @Test("without DATABASE_URL, a private cluster is created, kept running, and stopped on request")
    func privateCluster() async throws {
        try await withTemporaryFile("home") { home in
            let cherish = Program(name: "cherish", environment: ["CHERISH_HOME": home.path])
            #expect(try await cherish.json("database", "status")["state"] as? String == "missing")
            _ = try await cherish.json(
                "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC")
            #expect(try await cherish.json("database", "status")["state"] as? String == "running")
            let url = try #require(try await cherish.json("database", "url")["url"] as? String)
            let viaServer = Program(name: "cherish", environment: ["DATABASE_URL": url])
            #expect((try await viaServer.json("account", "list")["accounts"] as? [Any])?.count == 1)
            #expect(try await viaServer.run("database", "stop").status == 64)
            #expect(try await cherish.json("database", "stop")["stopped"] as? Bool == true)
            #expect(try await cherish.json("database", "stop")["stopped"] as? Bool == false)
            #expect((try await cherish.json("account", "list")["accounts"] as? [Any])?.count == 1)
            try await PrivateCluster(home: home.path).destroy()
        }
    }

    @Test("help shows examples, and completions are generated")
    func help() async throws {
        let cherish = Program(name: "cherish")
        let help = try await cherish.run("friend", "add", "--help")
        #expect(help.status == 0)
        #expect(help.output.contains("EXAMPLE"))
        for shell in ["bash", "zsh", "fish"] {
            let script = try await cherish.run("--generate-completion-script", shell)
            #expect(script.status == 0)
            #expect(script.output.contains("postpone"))
        }
    }
}
