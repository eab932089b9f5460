import CherishTestSupport
import Foundation
import FoundationNetworking
import Postgres
import PrivatePostgres
import Testing

/// All personal data carries a mark. After many failures, the mark must appear nowhere but in the database.
@Suite("Nothing personal in logs and errors")
struct SecrecyTests {
    /// Prefixes of the memo, name, e-mail, token and keyword used here, and suffixes of the phones.
    private static let marks = ["qvx", "98760001", "98760002", "9876-0001"]
    private static let registered = "2027-02-23T10:00:00+09:00"
    private static let memo = "qvx secret words"
    private static let email = "qvxmail@example.com"

    private func expectNoMark(in text: String, of what: String) {
        for mark in Self.marks {
            #expect(!text.lowercased().contains(mark), "\(what) reveals \(mark): \(text)")
        }
    }

    /// Adds an account with a friend, and returns the friend's id.
    private func plant(_ cherish: Program, at now: String, alarm: String = "09:00") async throws -> String {
        _ = try await cherish.json(
            "account", "add", "--email", Self.email, "--nickname", "qvxnick", "--time-zone", "UTC", "--phone",
            "+821098760001", "--now", now)
        let plant = try await cherish.json(
            "friend", "add", Self.email, "--name", "Qvxname", "--phone", "+821098760002", "--cycle-days", "1",
            "--alarm", alarm, "--now", now)
        return try #require(plant["id"] as? String)
    }

    /// Commands refused for different reasons. `PLANT` stands for the friend's id.
    private static let refused: [[String]] = [
        ["friend", "add", email, "--name", "Qvxname", "--phone", "+821098760002", "--cycle-days", "7"],
        ["friend", "add", email, "--name", "Qvxname", "--phone", "98760001", "--cycle-days", "700"],
        ["friend", "add", email, "--name", String(repeating: "Qvx", count: 50), "--phone", "+821098760001"],
        ["friend", "add", "qvxnobody@example.com", "--name", "Qvx", "--phone", "+821098760001", "--cycle-days", "7"],
        ["friend", "edit", "PLANT", "--nickname", String(repeating: "qvx", count: 50)],
        ["account", "add", "--email", "qvx", "--nickname", "qvx", "--time-zone", "UTC"],
        ["account", "add", "--email", email, "--nickname", "qvx", "--time-zone", "UTC"],
        ["account", "edit", email, "--phone", "98760001x"],
        ["device", "add", email, "--platform", "ios", "--token", String(repeating: "qvx", count: 1000)],
        ["water", "PLANT", "--by", "call", "--keyword", "qvxlonger", "--memo", memo],
        ["water", "PLANT", "--by", "call", "--keyword", "qvxke", "--keyword", "qvxke", "--memo", memo],
        ["water", "PLANT", "--by", "pigeon", "--memo", memo],
        ["water", "PLANT", "--by", "call", "--memo", String(repeating: memo, count: 50)],
        ["water", "PLANT", "--by", "call", "--memo", "words", "qvx", "98760001"],
        ["water", "PLANT", "--by", "call", "--on", "2020-01-01", "--memo", memo],
        ["review", "write", "PLANT", "--memo", memo, "--keyword", "qvxke"],
    ]

    /// Commands that fail once the tables have been tampered with.
    private static let broken: [[String]] = [
        ["friend", "add", email, "--name", "Qvxother", "--phone", "+821098760001", "--cycle-days", "7"],
        ["friend", "edit", "PLANT", "--nickname", "qvxnew"],
        ["water", "PLANT", "--by", "call", "--keyword", "qvxke", "--memo", memo],
        ["friend", "import", email, "FILE"],
    ]

    @Test("failing commands reveal no memo, phone, name, e-mail, token or keyword; nor does the server's log")
    func commands() async throws {
        try await withTemporaryFile("home") { home in
            let cherish = Program(
                name: "cherish", environment: ["CHERISH_HOME": home.path, "CHERISH_LOG_LEVEL": "trace"])
            let cluster = PrivateCluster(home: home.path)
            let plant = try await plant(cherish, at: Self.registered)
            let file = home.appendingPathComponent("friends.csv")
            try "name,phone\nQvxcopied,+821098760001\n".write(to: file, atomically: true, encoding: .utf8)
            func fail(_ commands: [[String]], with status: ClosedRange<Int32>) async throws {
                for command in commands {
                    let words = command.map { ["PLANT": plant, "FILE": file.path][$0] ?? $0 }
                    let result = try await cherish.run(words + ["--now", "2027-02-24T10:00:00Z"])
                    #expect(status.contains(result.status), "\(command): \(result.output)\(result.errors)")
                    expectNoMark(in: result.errors, of: "\(command[0...1])")
                }
            }
            try await fail(Self.refused, with: 1...64)

            try await tamper(
                cluster.connectionString(), "ALTER TABLE plant ADD CONSTRAINT broken CHECK (false) NOT VALID")
            try await fail(Self.broken, with: 70...70)
            let log = try String(contentsOf: home.appendingPathComponent("postgres.log"), encoding: .utf8)
            #expect(log.contains("violates check constraint \"broken\""))
            expectNoMark(in: log, of: "the server's log")
            try await cluster.destroy()
        }
    }

    /// Tables with misplaced cells, and the exit status of importing each.
    private static let misplaced: [(table: String, status: Int32)] = [
        ("Qvxname,+821098760001,qvx memo\n", 65),
        (
            """
            name,phone,days,alarm,birthday,groups
            Ana,+821098750001,+821098760001,09:00,,
            Ben,+821098750002,9876-0001,09:00,,
            Cho,+821098750003,7,9876-0001,,
            Dae,+821098750004,7,qvx memo,,
            Eun,+821098750005,7,09:00,9876-0001,qvx memo that is too long for a tag
            Fay,qvx memo,7,09:00,,

            """, 0
        ),
    ]

    @Test("importing a table with misplaced columns reveals neither memo nor phone", .migratedDatabase)
    func misplacedColumns() async throws {
        _ = try await plant(.cherish, at: Self.registered)
        for (table, status) in Self.misplaced {
            try await withTemporaryFile("friends.csv") { file in
                try table.write(to: file, atomically: true, encoding: .utf8)
                let result = try await Program.cherish.run(
                    "friend", "import", Self.email, file.path, "--cycle-column", "days", "--now", Self.registered)
                #expect(result.status == status, "\(result.output)\(result.errors)")
                expectNoMark(in: result.errors + result.output, of: "import")
            }
        }
    }

    private func tamper(_ connectionString: String, _ statement: SQL) async throws {
        let pool = ConnectionPool(
            configuration: PostgresConfiguration(connectionString: connectionString), maximumConnections: 1)
        try await pool.withConnection { try await $0.script(statement) }
        await pool.close()
    }

    @Test("the worker's trace log and metrics reveal nobody, whatever fails", .migratedDatabase)
    func worker() async throws {
        let yesterday = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -86_400))
        _ = try await plant(.cherish, at: yesterday, alarm: "00:00")
        _ = try await Program.cherish.with(["CHERISH_WEBHOOKS": "private"]).json(
            "device", "add", Self.email, "--platform", "webhook", "--token", "http://localhost:1/qvxtoken", "--now",
            yesterday)
        let worker = try Program.worker.with([
            "CHERISH_LOG_LEVEL": "trace", "CHERISH_METRICS_PORT": "0", "CHERISH_POLL_MILLISECONDS": "50",
            "CHERISH_PUSH": "devices", "CHERISH_WEBHOOKS": "private", "CHERISH_PUSH_DEADLINE_MILLISECONDS": "500",
        ]).start()
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        try await eventually("no push failed: \(worker.errors)") {
            try await pool.withConnection { try await !$0.query("SELECT lane FROM push_retry").isEmpty }
        }
        try await pool.withConnection {
            try await $0.script(
                """
                ALTER TABLE device RENAME COLUMN token TO gone; ALTER TABLE plant RENAME COLUMN name TO gone;
                UPDATE push_retry SET retry_at = 'epoch';
                """)
        }
        try await eventually("no lane rests: \(worker.errors)") { worker.errors.contains("the lane rests") }
        let match = try #require(worker.errors.firstMatch(of: #/metrics=(http:\/\/127\.0\.0\.1:\d+\/metrics)/#))
        let address = try #require(URL(string: String(match.1)))
        let (metrics, _) = try await URLSession.shared.data(from: address)
        worker.signal(SIGTERM)
        let result = await worker.result()
        #expect(String(decoding: metrics, as: UTF8.self).contains("cherish_service_errors_total"))
        expectNoMark(in: String(decoding: metrics, as: UTF8.self), of: "/metrics")
        expectNoMark(in: result.errors + result.output, of: "the worker")
        await pool.close()
    }

    @Test("a tick that fails in the database reveals nobody", .migratedDatabase)
    func tick() async throws {
        _ = try await plant(.cherish, at: Self.registered)
        try await tamper(
            TestDatabase.current.connectionString,
            "ALTER TABLE push_job ADD CONSTRAINT broken CHECK (false) NOT VALID")
        let result = try await Program.cherish.with(["CHERISH_LOG_LEVEL": "trace"]).run(
            "tick", "--now", "2027-02-24T09:30:00Z")
        #expect(result.status == 70)
        expectNoMark(in: result.errors + result.output, of: "tick")
    }
}
