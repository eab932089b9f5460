import CherishCore
import CherishStore
import CherishTestSupport
import Foundation
import Postgres
import Testing

@Suite("The doctor")
struct DoctorTests {
    /// What a check found.
    private struct Finding {
        let verdict, message, remedy: String
    }

    /// Runs the doctor and returns its exit status, the overall verdict, and each check's finding.
    private func examine(_ cherish: Program = .cherish) async throws -> (
        status: Int32, verdict: String, findings: [String: Finding]
    ) {
        let result = try await cherish.run("doctor", "--output", "json")
        #expect(result.errors.isEmpty, "\(result.errors)")
        let document = try result.json()
        var findings: [String: Finding] = [:]
        for finding in try #require(document["findings"] as? [[String: Any]]) {
            #expect(Set(finding.keys) == ["check", "verdict", "message", "remedy"])
            let name = try #require(finding["check"] as? String)
            findings[name] = Finding(
                verdict: finding["verdict"] as? String ?? "", message: finding["message"] as? String ?? "",
                remedy: finding["remedy"] as? String ?? "")
        }
        return (result.status, document["verdict"] as? String ?? "", findings)
    }

    private func execute(_ statement: SQL) async throws {
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await pool.withConnection { try await $0.execute(statement) }
        await pool.close()
    }

    /// Makes the partitions a worker would make.
    private func keepHouse() async throws {
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await Housekeeping(pool: pool, time: .database, retention: 90).run()
        await pool.close()
    }

    /// Adds an account, then sets its time zone in the database.
    private func liveIn(_ zone: String) async throws {
        let added = try await Program.cherish.run(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC")
        #expect(added.status == 0, "\(added.errors)")
        // As in a dump from a server with another tz database.
        try await execute("ALTER TABLE account DROP CONSTRAINT account_time_zone_is_known")
        try await execute("UPDATE account SET time_zone = '\(zone)'")
    }

    @Test("a healthy database: all checks run, none finds a problem, status 0", .migratedDatabase)
    func inOrder() async throws {
        try await keepHouse()
        let (status, verdict, findings) = try await examine()
        #expect(status == 0)
        // The tests connect as a superuser.
        #expect(verdict == "warning")
        let odd = findings.filter { $0.value.verdict != "ok" }.keys.sorted()
        #expect(odd == ["roles"], "\(findings)")
        #expect(findings["roles"]?.message.contains("superuser") == true)
        #expect(
            findings.keys.sorted() == [
                "clock", "cursors", "database", "delivery", "leases", "mail", "migrations", "news", "outages",
                "partitions",
                "privileges",
                "pushes", "replanning", "reports", "retries",
                "roles", "scheduling", "time_zones",
            ])
        let people = try await Program.cherish.run("doctor")
        #expect(people.status == 0)
        #expect(people.output.contains("What to do:\n  roles: run 'cherish database roles'"))
    }

    @Test("passwords without CHERISH_MAIL are a warning: nobody would get a code", .migratedDatabase)
    func mail() async throws {
        try await keepHouse()
        #expect(try await examine().findings["mail"]?.message == "nobody signs in with a password")
        try await liveIn("UTC")
        try await execute(
            """
            INSERT INTO account_password (lane, account_id, salt, tag, memory_kib, passes, changed_at)
            SELECT lane, id, substr(sha256('salt'), 1, 16), sha256('tag'), 19456, 2, now() FROM account
            """)
        let mail = try #require(try await examine().findings["mail"])
        #expect(mail.verdict == "warning" && mail.remedy.contains("CHERISH_MAIL"))
    }

    @Test("an unmigrated database: checks that need tables are skipped, and the remedy is named", .emptyDatabase)
    func notMigrated() async throws {
        let (status, verdict, findings) = try await examine()
        #expect(status == 69)
        #expect(verdict == "problem")
        #expect(findings["database"]?.verdict == "ok")
        #expect(findings["migrations"]?.remedy == "run 'cherish database migrate'")
        #expect(findings["leases"] == nil)
        // The doctor did not migrate.
        let accounts = try await Program.cherish.run("account", "list")
        #expect(accounts.code == "not_migrated")
    }

    @Test("an expired lease is a warning; with jobs waiting behind it, a problem", .migratedDatabase)
    func abandonedLease() async throws {
        try await execute(
            """
            UPDATE lane_delivery SET leased_by = 'gone:1', leased_until = clock_timestamp() - interval '90 seconds'
            WHERE lane = 7
            """)
        let idle = try await examine()
        #expect(idle.status == 0)
        #expect(idle.findings["leases"]?.verdict == "warning")
        #expect(idle.findings["leases"]?.message.contains("lane 7 of gone:1 9") == true)
        try await execute("UPDATE lane SET last_seq = 1 WHERE lane = 7")
        let waiting = try await examine()
        #expect(waiting.status == 1)
        #expect(waiting.findings["leases"]?.verdict == "problem")
        #expect(waiting.findings["leases"]?.remedy.contains("start cherish-worker") == true)
    }

    @Test("a partition that was not made ahead is named", .migratedDatabase)
    func missingPartition() async throws {
        try await keepHouse()
        // Tomorrow's is needed today, and still needed if midnight passes during the test.
        let tomorrow = CivilDay(daysSinceEpoch: Int32(Date().timeIntervalSince1970 / 86_400)) + 1
        let day = tomorrow.description.filter { $0 != "-" }
        try await execute("DROP TABLE push_job_\(day)")
        let (status, _, findings) = try await examine()
        #expect(status == 0)
        #expect(findings["partitions"]?.verdict == "warning")
        #expect(findings["partitions"]?.message == "not made ahead: push_job_\(day)")
    }

    @Test(
        "minutes of scheduling lag are a problem, and so is one missing privilege",
        .migratedDatabase)
    func behind() async throws {
        try await keepHouse()
        let added = [
            ["account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC"],
            ["friend", "add", "a@example.com", "--name", "B", "--phone", "+821020000000", "--cycle-days", "1"],
        ]
        for command in added {
            _ = try await Program.cherish.run(command + ["--now", "2027-03-01T10:00:00Z"])
        }
        func lag(at time: String) async throws -> String? {
            let result = try await Program.cherish.run("doctor", "--now", "2027-03-02T\(time)Z", "--output", "json")
            let findings = try #require(try result.json()["findings"] as? [[String: Any]])
            return findings.first { $0["check"] as? String == "scheduling" }?["verdict"] as? String
        }
        #expect(try await lag(at: "09:00:30") == "ok")
        #expect(try await lag(at: "09:02:00") == "warning")
        #expect(try await lag(at: "09:06:00") == "problem")

        _ = try await Program.cherish.run("database", "roles")
        let user = "worker_\(TestDatabase.current.name)"
        try await execute("CREATE ROLE \(user) LOGIN IN ROLE cherish_app")
        try await execute("REVOKE DELETE ON device FROM cherish_app")
        let worker = Program(
            name: "cherish", environment: ["DATABASE_URL": "\(TestDatabase.current.connectionString) user=\(user)"])
        let roles = try await examine(worker).findings["roles"]
        #expect(roles?.verdict == "problem")
        #expect(roles?.message == "\(user) lacks DELETE on device")
    }

    @Test("an undelivered job is a warning after a minute, a problem after five", .migratedDatabase)
    func undelivered() async throws {
        try await execute("SELECT make_log_partitions(clock_timestamp() - interval '1 hour')")
        try await keepHouse()
        try await execute(
            """
            INSERT INTO push_job (lane, recorded_at, seq, account_id, subject_id, topic, ref, planned_at, expires_at)
            SELECT 7, clock, 1, gen_random_uuid(), gen_random_uuid(), 'watering_due', 0, clock, clock + interval '1 day'
            FROM clock_timestamp() AS clock
            """)
        try await execute("UPDATE lane SET last_seq = 1 WHERE lane = 7")
        let fresh = try await examine().findings["delivery"]
        #expect(fresh?.verdict == "ok")
        try await execute("UPDATE push_job SET recorded_at = clock_timestamp() - interval '2 minutes'")
        let late = try await examine()
        #expect(late.status == 0)
        #expect(late.findings["delivery"]?.verdict == "warning")
        try await execute("UPDATE push_job SET recorded_at = clock_timestamp() - interval '10 minutes'")
        let stuck = try await examine()
        #expect(stuck.status == 1)
        let delivery = try #require(stuck.findings["delivery"])
        #expect(delivery.verdict == "problem")
        #expect(delivery.message.hasPrefix("1 pushes have not been looked at for 6"), "\(delivery)")
        #expect(delivery.remedy.contains("check that cherish-worker runs"))
        // Scheduling and retries are unaffected.
        #expect(stuck.findings["scheduling"]?.verdict == "ok")
        #expect(stuck.findings["retries"]?.verdict == "ok")
    }

    @Test("an overdue retry is a warning after a minute, a problem after a quarter of an hour", .migratedDatabase)
    func overdueRetry() async throws {
        try await keepHouse()
        try await execute(
            """
            INSERT INTO push_retry (lane, seq, recorded_at, attempts, retry_at)
            VALUES (7, 1, 'epoch', 1, clock_timestamp() + interval '1 hour')
            """)
        let waiting = try await examine().findings["retries"]
        #expect(waiting?.verdict == "ok")
        try await execute("UPDATE push_retry SET retry_at = clock_timestamp() - interval '10 minutes'")
        let late = try await examine()
        #expect(late.status == 0)
        #expect(late.findings["retries"]?.verdict == "warning")
        try await execute("UPDATE push_retry SET retry_at = clock_timestamp() - interval '20 minutes'")
        let stuck = try await examine()
        #expect(stuck.status == 1)
        let retries = try #require(stuck.findings["retries"])
        #expect(retries.verdict == "problem")
        #expect(retries.message.hasPrefix("1 pushes are to be tried again for 12"), "\(retries)")
        #expect(retries.remedy.contains("check that cherish-worker runs"))
        #expect(stuck.findings["delivery"]?.verdict == "ok")
    }

    @Test("a half-planned garden is a warning until its planning is completed", .migratedDatabase)
    func halfPlanned() async throws {
        try await keepHouse()
        _ = try await Program.cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC")
        let planned = try await examine().findings["replanning"]
        #expect(planned?.verdict == "ok")
        try await execute("UPDATE account SET replan_after = '00000000-0000-0000-0000-000000000000'")
        let (status, _, findings) = try await examine()
        #expect(status == 0)
        let half = try #require(findings["replanning"])
        #expect(half.verdict == "warning")
        #expect(half.message.hasPrefix("1 gardens are being planned again"), "\(half)")
        #expect(half.remedy.contains("cherish-worker"))
        _ = try await Program.cherish.json("tick")
        let done = try await examine().findings["replanning"]
        #expect(done?.verdict == "ok")
    }

    @Test("a change of a list that nobody has been told of is a warning, then a problem", .migratedDatabase)
    func untoldNews() async throws {
        try await keepHouse()
        _ = try await Program.cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "A", "--time-zone", "UTC")
        #expect(try await examine().findings["news"]?.verdict == "ok")
        try await execute(
            """
            INSERT INTO list_news SELECT lane, id, gen_random_uuid(), gen_random_uuid(), 1, now() - interval '2 minutes'
            FROM account
            """)
        let late = try #require(try await examine().findings["news"])
        #expect(late.verdict == "warning" && late.message.contains("has not been told"), "\(late)")
        try await execute("UPDATE list_news SET written_at = now() - interval '1 hour'")
        let (status, _, findings) = try await examine()
        #expect(status == 1 && findings["news"]?.verdict == "problem")
    }

    @Test("an account's time zone unknown to this machine is a problem", .migratedDatabase)
    func unknownZone() async throws {
        try await liveIn("Mars/Olympus")
        let (status, _, findings) = try await examine()
        #expect(status == 1)
        #expect(findings["time_zones"]?.verdict == "problem")
        #expect(findings["time_zones"]?.message == "this machine's tz database lacks Mars/Olympus")
        #expect(findings["time_zones"]?.remedy.contains("update the package tzdata") == true)
    }

    @Test(
        "a time zone that PostgreSQL computes differently is a warning", .migratedDatabase,
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/CET")))
    func differingZone() async throws {
        // PostgreSQL looks up abbreviations before zone names, so its CET has no summer time.
        try await liveIn("CET")
        let (status, _, findings) = try await examine()
        #expect(status == 0)
        let zones = try #require(findings["time_zones"])
        #expect(zones.verdict == "warning")
        #expect(zones.message.hasSuffix("differs from PostgreSQL's in CET"), "\(zones)")
        #expect(zones.remedy.contains("tzdata"))
    }

    @Test("a read-only server is a problem", .migratedDatabase)
    func readOnly() async throws {
        let (status, _, findings) = try await examine(
            Program.cherish.with(["PGOPTIONS": "-c default_transaction_read_only=on"]))
        #expect(status == 69)
        #expect(findings["database"]?.verdict == "problem")
        #expect(findings["database"]?.message.contains("takes no writes") == true)
        #expect(findings["database"]?.remedy.contains("let DATABASE_URL lead to the primary") == true)
    }

    @Test("reports of another version, or none, are a warning; migrating fixes both", .migratedDatabase)
    func otherReports() async throws {
        for (change, state) in [
            ("COMMENT ON SCHEMA report IS 'Made of something else.'", "outdated"),
            ("DROP SCHEMA report CASCADE", "missing"),
        ] {
            try await execute("\(change)")
            let (status, _, findings) = try await examine()
            #expect(status == 0, "\(findings)")
            #expect(findings["reports"]?.verdict == "warning")
            #expect(findings["reports"]?.message == state)
            #expect(findings["reports"]?.remedy == "run 'cherish database migrate'")
            #expect(findings["migrations"]?.verdict == "ok")
            let migrated = try await Program.cherish.run("database", "migrate")
            #expect(migrated.status == 0, "\(migrated.errors)")
            let mended = try await examine().findings["reports"]
            #expect(mended?.verdict == "ok")
        }
    }

    @Test(
        "a missing push file is created; Google's credentials are checked even without Apple's",
        .migratedDatabase)
    func destinations() async throws {
        try await withTemporaryFile("pushes.jsonl") { file in
            let lines = try await examine(Program.cherish.with(["CHERISH_PUSH": "jsonl:\(file.path)"]))
            #expect(lines.findings["pushes"]?.verdict == "ok", "\(lines.findings)")
            try "{}".write(to: file, atomically: true, encoding: .utf8)
            chmod(file.path, 0o600)
            let google = try await examine(Program.cherish.with(["CHERISH_FCM_CREDENTIALS": file.path]))
            #expect(google.findings["fcm"]?.verdict == "problem")
            #expect(google.findings["fcm"]?.message.contains("CHERISH_FCM_CREDENTIALS cannot be used") == true)
        }
    }

    @Test("a user for single accounts is told to leave this check to the worker's user", .migratedDatabase)
    func forOneAccount() async throws {
        try await keepHouse()
        let roles = try await Program.cherish.run("database", "roles")
        #expect(roles.status == 0)
        let user = "server_\(TestDatabase.current.name)"
        try await execute("CREATE ROLE \(user) LOGIN IN ROLE cherish_account")
        let address = TestDatabase.current.connectionString
        let (status, _, findings) = try await examine(
            Program(name: "cherish", environment: ["DATABASE_URL": "\(address) user=\(user)"]))
        #expect(status == 1)
        #expect(findings["roles"]?.verdict == "problem")
        #expect(findings["roles"]?.message.contains("acts for one account at a time") == true, "\(findings)")
        #expect(findings["roles"]?.remedy == "run this command with the worker's DATABASE_URL")
    }

    @Test(
        "PUBLIC's privileges after a restore without grants are a problem until 'database roles' or 'migrate'",
        .migratedDatabase, arguments: ["roles", "migrate"])
    func openToAll(command: String) async throws {
        try await keepHouse()
        let closed = try await examine().findings["privileges"]
        #expect(closed?.verdict == "ok")
        // As if restored without their grants, or with grants added by hand.
        try await execute("GRANT EXECUTE ON FUNCTION drop_partition(text) TO PUBLIC")
        try await execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
        try await execute("GRANT SELECT ON plant TO PUBLIC")
        let (status, _, findings) = try await examine()
        #expect(status == 1)
        let open = try #require(findings["privileges"])
        #expect(open.verdict == "problem")
        for what in ["EXECUTE on drop_partition(text)", "CREATE on public", "SELECT on plant"] {
            #expect(open.message.contains("\(what) for PUBLIC"), "\(open)")
        }
        #expect(open.remedy == "as the owner of the tables run 'cherish database roles'")
        let done = try await Program.cherish.run("database", command)
        #expect(done.status == 0, "\(done.errors)")
        let mended = try await examine().findings["privileges"]
        #expect(mended?.verdict == "ok", "\(mended.map { "\($0)" } ?? "")")
    }

    @Test("tables owned by a superuser are a warning for other users", .migratedDatabase)
    func superuserOwns() async throws {
        try await keepHouse()
        _ = try await Program.cherish.run("database", "roles")
        let user = "worker_\(TestDatabase.current.name)"
        try await execute("CREATE ROLE \(user) LOGIN IN ROLE cherish_app")
        let worker = Program(
            name: "cherish", environment: ["DATABASE_URL": "\(TestDatabase.current.connectionString) user=\(user)"])
        let owned = try await examine(worker).findings["privileges"]
        #expect(owned?.verdict == "warning")
        #expect(owned?.message.contains("a superuser") == true)
        #expect(owned?.remedy.contains("REASSIGN OWNED") == true)
    }

    @Test("a key that others may read, an invalid key, and a valid one", .migratedDatabase)
    func keys() async throws {
        try await withTemporaryFile("key.p8") { file in
            let cherish = Program.cherish.with([
                "CHERISH_APNS_KEY": file.path, "CHERISH_APNS_KEY_ID": "ABC123DEFG",
                "CHERISH_APNS_TEAM_ID": "DEF123GHIJ", "CHERISH_APNS_TOPIC": "com.example.cherish",
            ])
            let missing = try await examine(cherish)
            #expect(missing.status == 1)
            #expect(missing.findings["apns"]?.message.contains("cannot be read") == true)
            let key = TestSigningKey.es256().privateKeyPEM
            try key.write(to: file, atomically: true, encoding: .utf8)
            chmod(file.path, 0o644)
            let open = try await examine(cherish)
            #expect(open.status == 1)
            #expect(open.findings["apns"]?.verdict == "problem")
            #expect(open.findings["apns"]?.message.contains("chmod 600") == true)
            chmod(file.path, 0o600)
            let closed = try await examine(cherish)
            #expect(closed.status == 0)
            #expect(closed.findings["apns"]?.verdict == "ok")
            #expect(closed.findings["pushes"]?.message == "go to devices: ios, webhook")
            try "secret-rubbish".write(to: file, atomically: true, encoding: .utf8)
            chmod(file.path, 0o600)
            let broken = try await cherish.run("doctor")
            #expect(broken.status == 1)
            #expect(broken.output.contains("CHERISH_APNS_KEY cannot be used"))
            #expect(!broken.output.contains("secret-rubbish"))
        }
    }

    @Test("an unreachable database, a private cluster never created, an unwritable file")
    func nowhere() async throws {
        let unreachable = try await examine(
            Program(name: "cherish", environment: ["DATABASE_URL": "host=/nowhere dbname=x connect_timeout=2"]))
        #expect(unreachable.status == 69)
        #expect(unreachable.findings["database"]?.verdict == "problem")
        #expect(unreachable.findings["database"]?.remedy.contains("check DATABASE_URL") == true)
        try await withTemporaryFile("home") { home in
            let cherish = Program(name: "cherish", environment: ["CHERISH_HOME": home.path])
            let unmade = try await examine(cherish)
            #expect(unmade.status == 0)
            #expect(unmade.findings["database"]?.verdict == "warning")
            #expect(!FileManager.default.fileExists(atPath: home.path))
            let unwritable = try await examine(
                cherish.with(["CHERISH_PUSH": "jsonl:\(home.path)/nowhere/pushes.jsonl"]))
            #expect(unwritable.status == 1)
            #expect(unwritable.findings["pushes"]?.verdict == "problem")
        }
    }
}
