import CherishCore
import CherishPush
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishStore

@Suite("Roles", .migratedDatabase, .serialized)
struct RoleTests {
    /// Roles belong to the cluster, which tests share, so each test has its own.
    private var application: String { "app_\(TestDatabase.current.name)" }
    private var reporting: String { "reader_\(TestDatabase.current.name)" }
    private var account: String { "account_\(TestDatabase.current.name)" }

    private func roles(_ service: ServiceUnderTest) -> Roles {
        Roles(pool: service.pool, application: application, reporting: reporting, account: account)
    }

    /// Establishes the roles, and connects as one of them.
    private func service(as role: KeyPath<RoleTests, String>, maximumConnections: Int = 4) async throws
        -> ServiceUnderTest
    {
        _ = try await roles(ServiceUnderTest()).establish()
        return ServiceUnderTest(maximumConnections: maximumConnections, role: self[keyPath: role])
    }

    /// Expects statements to fail for lack of a privilege.
    private func refuse(_ statements: [SQL], to service: ServiceUnderTest) async throws {
        for statement in statements {
            let error = await #expect(throws: PostgresError.self, "\(statement)") {
                try await service.execute(statement)
            }
            // 55000: a view that nobody can write.
            #expect(["42501", "55000"].contains(error?.sqlState), "\(statement): \(error?.debugDescription ?? "")")
        }
    }

    private func reports(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = 'report'::regnamespace AND relkind IN ('v', 'm') ORDER BY 1
            """)
    }

    /// All privileges on tables, views, columns, functions, types and schemas.
    private func privileges(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT concat_ws(' ', relname, coalesce(relacl, acldefault('r', relowner))) FROM pg_class
            WHERE relnamespace IN ('public'::regnamespace, 'report'::regnamespace, 'garden'::regnamespace)
            UNION ALL SELECT concat_ws(' ', attrelid::regclass, attname, attacl) FROM pg_attribute WHERE attacl IS NOT NULL
            UNION ALL SELECT concat_ws(' ', proname, proacl) FROM pg_proc
            WHERE pronamespace IN ('public'::regnamespace, 'report'::regnamespace, 'garden'::regnamespace)
            UNION ALL SELECT concat_ws(' ', typname, typacl) FROM pg_type
            WHERE typnamespace = 'public'::regnamespace AND typtype = 'e'
            UNION ALL SELECT concat_ws(' ', nspname, nspacl) FROM pg_namespace ORDER BY 1
            """)
    }

    // MARK: Making

    @Test("are created once; doing it again changes nothing")
    func again() async throws {
        let service = ServiceUnderTest()
        let first = try await roles(service).establish()
        let names = [application, reporting, account]
        #expect(first.made == names)
        #expect([first.application, first.reporting, first.account] == names)
        let before = try await privileges(service)
        let second = try await roles(service).establish()
        #expect(second.made.isEmpty)
        #expect(try await privileges(service) == before)
        let mayLogIn = try await service.count(
            "SELECT count(*) FROM pg_roles WHERE rolname = ANY ($1) AND (rolcanlogin OR rolsuper OR rolcreaterole)",
            [names])
        #expect(mayLogIn == 0)
    }

    @Test("lose any additional grants")
    func takenBack() async throws {
        let service = ServiceUnderTest()
        _ = try await roles(service).establish()
        let before = try await privileges(service)
        try await service.execute("GRANT DELETE ON push_job TO \(application)")
        try await service.execute("GRANT SELECT ON plant TO \(reporting)")
        try await service.execute("GRANT SELECT ON plant TO \(account)")
        try await service.execute("GRANT DELETE ON garden.account TO \(account)")
        #expect(try await privileges(service) != before)
        _ = try await roles(service).establish()
        #expect(try await privileges(service) == before)
    }

    @Test("are decided for every table and view")
    func complete() async throws {
        let service = ServiceUnderTest()
        let relations = try await service.texts(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND NOT relispartition
            ORDER BY 1
            """)
        #expect(Roles.tables.map(\.name) == relations)
    }

    @Test("are decided for every function and every type")
    func functions() async throws {
        let service = ServiceUnderTest()
        let functions = try await service.texts(
            """
            SELECT CASE schema.nspname WHEN 'public' THEN '' ELSE schema.nspname || '.' END
                || format('%s(%s)', function.proname, oidvectortypes(function.proargtypes))
            FROM pg_proc AS function JOIN pg_namespace AS schema ON schema.oid = function.pronamespace
            WHERE schema.nspname IN ('public', 'garden')
            """)
        let decided = Set(Roles.functions.map(\.signature))
        for function in functions {
            #expect(decided.contains(function), "add the callers of \(function) to Roles.functions")
        }
        #expect(decided.subtracting(functions).isEmpty)
        let types = try await service.texts(
            """
            SELECT typname::text FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('d', 'e', 'r')
            ORDER BY 1
            """)
        #expect(Roles.types == types, "add our new types to Roles.types")
    }

    // MARK: Openings

    /// Statements that open the database, with `APP`, `READER`, `ACCOUNT` and `OTHER` for role names, and what is
    /// reported.
    private static let wrongs = [
        ("GRANT EXECUTE ON FUNCTION drop_partition(text) TO PUBLIC", "EXECUTE on drop_partition(text) for PUBLIC"),
        (
            "GRANT EXECUTE ON FUNCTION make_calendar_partition(timestamptz) TO ACCOUNT",
            "EXECUTE on make_calendar_partition(timestamp with time zone) for ACCOUNT"
        ),
        (
            "GRANT EXECUTE ON FUNCTION garden.remove_devices(uuid, uuid[]) TO READER",
            "EXECUTE on garden.remove_devices(uuid, uuid[]) for READER"
        ),
        ("GRANT SELECT ON plant TO PUBLIC", "SELECT on plant for PUBLIC"),
        ("GRANT SELECT (memo) ON watering TO READER", "SELECT (memo) on watering for READER"),
        ("GRANT SELECT ON push_job_20200105 TO PUBLIC", "SELECT on push_job_20200105 for PUBLIC"),
        ("GRANT DELETE ON push_job TO APP", "DELETE on push_job for APP"),
        ("GRANT SELECT ON plant TO APP WITH GRANT OPTION", "SELECT on plant for APP, who may grant it"),
        ("GRANT UPDATE ON garden.plant TO ACCOUNT", "UPDATE on garden.plant for ACCOUNT"),
        ("GRANT DELETE ON garden.tag TO ACCOUNT", "DELETE on garden.tag for ACCOUNT"),
        ("GRANT UPDATE (account_id) ON garden.tag TO ACCOUNT", "UPDATE (account_id) on garden.tag for ACCOUNT"),
        ("GRANT INSERT ON garden.account_email TO ACCOUNT", "INSERT on garden.account_email for ACCOUNT"),
        ("GRANT SELECT ON report.dday TO PUBLIC", "SELECT on report.dday for PUBLIC"),
        ("GRANT USAGE ON TYPE topic TO PUBLIC", "USAGE on topic for PUBLIC"),
        ("GRANT USAGE ON SCHEMA garden TO READER", "USAGE on garden for READER"),
        ("GRANT CREATE ON SCHEMA public TO PUBLIC", "CREATE on public for PUBLIC"),
        (
            "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC",
            "SELECT on each new partition for PUBLIC by ALTER DEFAULT PRIVILEGES"
        ),
        (
            "ALTER DEFAULT PRIVILEGES GRANT INSERT ON TABLES TO READER",
            "INSERT on each new partition for READER by ALTER DEFAULT PRIVILEGES"
        ),
        (
            "ALTER FUNCTION drop_partition(text) RESET search_path",
            "drop_partition(text) acts for its owner and has not its own search_path"
        ),
        (
            "ALTER FUNCTION garden.remove_devices(uuid, uuid[]) SET search_path = public",
            "garden.remove_devices(uuid, uuid[]) acts for its owner and has not its own search_path"
        ),
        ("ALTER VIEW garden.plant RESET (security_barrier)", "the view garden.plant is not fenced"),
        ("ALTER VIEW garden.tag SET (check_option = local)", "the view garden.tag is not fenced"),
    ]

    private func named(_ text: String) -> String {
        text.replacing("APP", with: application).replacing("READER", with: reporting)
            .replacing("ACCOUNT", with: account).replacing("OTHER", with: "other_\(TestDatabase.current.name)")
    }

    private func openings(_ service: ServiceUnderTest) async throws -> [Opening] {
        try await service.pool.withConnection { try await roles(service).openings.all(on: $0) }
    }

    @Test("excess privileges are found, whoever looks, and revoked", arguments: wrongs)
    func closed(wrong: String, found: String) async throws {
        let owner = ServiceUnderTest()
        try await owner.execute("SELECT make_log_partitions('2020-01-05T00:00:00Z')")
        _ = try await roles(owner).establish()
        #expect(try await openings(owner).isEmpty)
        let before = try await privileges(owner)
        try await owner.execute("\(named(wrong))")
        let reported = try await openings(ServiceUnderTest(role: reporting))
        #expect(reported.map(\.what) == [named(found)])
        #expect(reported.first?.remedy == "as the owner of the tables run 'cherish database roles'")
        _ = try await roles(owner).establish()
        #expect(try await openings(owner).isEmpty)
        #expect(try await privileges(owner) == before)
    }

    /// Statements whose effect only an administrator can revert.
    private static let wrongsOfOthers = [
        (
            "ALTER FUNCTION drop_partition(text) OWNER TO OTHER",
            "the function drop_partition(text) belongs to OTHER and the tables to", "OWNER TO"
        ),
        ("ALTER VIEW garden.plant OWNER TO OTHER", "the view garden.plant belongs to OTHER", "OWNER TO"),
        ("GRANT APP TO READER", "READER is a member of APP", "REVOKE APP FROM READER"),
        ("ALTER ROLE ACCOUNT CREATEROLE", "ACCOUNT may administer the server", "NOCREATEROLE"),
        (
            "GRANT ACCOUNT, APP TO OTHER", "OTHER acts for one account, and is a member of APP",
            "REVOKE APP FROM OTHER"
        ),
    ]

    @Test("openings that only an administrator can close are found too, with a remedy", arguments: wrongsOfOthers)
    func ofOthers(wrong: String, found: String, remedy: String) async throws {
        let owner = ServiceUnderTest()
        _ = try await roles(owner).establish()
        try await owner.execute("\(named("CREATE ROLE OTHER NOLOGIN"))")
        try await owner.execute("\(named(wrong))")
        let reported = try await openings(ServiceUnderTest(role: reporting))
        // A view's owner has no rights to the underlying tables, and none are granted to anybody.
        let first = try #require(reported.first { $0.what.hasPrefix(named(found)) }, "\(reported)")
        #expect(first.remedy.contains(named(remedy)), "\(first)")
    }

    @Test("a setting that makes every session act for one account is found")
    func settings() async throws {
        let owner = ServiceUnderTest()
        _ = try await roles(owner).establish()
        let database = TestDatabase.current.name
        try await owner.execute("ALTER DATABASE \(name: database) SET cherish.account = 'x'")
        let reported = try await openings(owner)
        #expect(reported.map(\.what) == ["cherish.account is set for all users of the database"])
        #expect(reported.first?.remedy.contains("RESET cherish.account") == true)
    }

    @Test("mixed owners are refused before anything is granted")
    func mixedOwners() async throws {
        let owner = ServiceUnderTest()
        _ = try await roles(owner).establish()
        try await owner.execute("\(named("CREATE ROLE OTHER NOLOGIN"))")
        for table in try await owner.tables() {
            try await owner.execute("ALTER TABLE \(table) OWNER TO \(named("OTHER"))")
        }
        let other = ServiceUnderTest(role: named("OTHER"))
        let error = await #expect(throws: RoleError.self) { _ = try await roles(other).establish() }
        guard case .mixedOwners = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.code == "missing_privilege")
        #expect(error?.description.contains("OWNER TO other_") == true)
    }

    /// Opens functions and types, like a dump without grants.
    private func open(_ owner: ServiceUnderTest) async throws {
        for schema in ["public", "garden", "report"] {
            try await owner.execute("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA \(schema) TO PUBLIC")
        }
        for type in Roles.types { try await owner.execute("GRANT USAGE ON TYPE \(type) TO PUBLIC") }
    }

    @Test("a restored database is closed by 'database roles', and by migrating even if nothing is to be migrated")
    func restored() async throws {
        let owner = ServiceUnderTest()
        try await owner.execute("SELECT make_partition('occurrence', 'month', '2020-01-05')")
        let reader = try await service(as: \.reporting)
        let steps: [@Sendable () async throws -> Void] = [
            { _ = try await roles(owner).establish() }, { try await Migrator(pool: owner.pool).migrate() },
        ]
        let reportFunctions = try await owner.count(
            "SELECT count(*) FROM pg_proc WHERE pronamespace = 'report'::regnamespace")
        let opened = Roles.functions.count + Roles.types.count + reportFunctions
        for close in steps {
            try await open(owner)
            #expect(try await openings(owner).count == opened)
            // Anybody who can connect could do this.
            try await reader.execute("SELECT make_partition('occurrence', 'month', '2020-02-05')")
            try await close()
            try await refuse(
                [
                    "SELECT drop_partition('occurrence_202001')",
                    "SELECT make_partition('occurrence', 'month', '2020-03-05')",
                ], to: reader)
        }
        #expect(try await openings(owner).isEmpty)
        #expect(try await reader.rows(of: "report.dday") == 0)
    }

    // MARK: Locks

    @Test("only the owner and the programs can take locks that the programs need")
    func locks() async throws {
        let owner = ServiceUnderTest()
        _ = try await owner.garden()
        let reader = try await service(as: \.reporting)
        let session = ServiceUnderTest(role: account)
        let modes = ["SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"]
        let relations =
            Roles.tables.map(\.name) + Roles.gardenViews.map { "garden.\($0.name)" } + ["report.dday"]
        for (who, service) in [("reader", reader), ("account", session)] {
            for relation in relations {
                for mode in modes {
                    let error = await #expect(throws: PostgresError.self, "\(who) \(relation) \(mode)") {
                        try await service.pool.withTransaction { connection in
                            try await connection.script("LOCK TABLE \(relation) IN \(mode) MODE")
                        }
                    }
                    #expect(error?.sqlState == "42501", "\(who) \(relation) \(mode)")
                }
            }
            try await refuse(
                [
                    "SELECT FROM engine_lock FOR KEY SHARE",
                    "UPDATE engine_lock SET held_by = 'me', held_until = now()",
                    "SELECT FROM schema_migration FOR KEY SHARE",
                ], to: service)
        }
        // Not even the programs: migrating does not wait for them.
        try await refuse(
            ["SELECT FROM schema_migration FOR KEY SHARE"], to: ServiceUnderTest(role: application))
    }

    @Test("are created only by the owner of the tables, who must be allowed to create roles")
    func refused() async throws {
        let application = try await service(as: \.application)
        let database = TestDatabase.current.name
        let others = Roles(
            pool: application.pool, application: "a_\(database)", reporting: "b_\(database)",
            account: "c_\(database)")
        let notOwner = try await #require(throws: RoleError.self) { _ = try await others.establish() }
        guard case .notOwner(user: self.application, _) = notOwner else {
            Issue.record("\(notOwner)")
            return
        }
        let owner = ServiceUnderTest()
        try await owner.execute("CREATE ROLE owner_\(database) NOLOGIN")
        try await owner.execute("ALTER TABLE account OWNER TO owner_\(database)")
        let plain = Roles(
            pool: ServiceUnderTest(role: "owner_\(database)").pool, application: "a_\(database)",
            reporting: "b_\(database)", account: "c_\(database)")
        let error = RoleError.mayNotMakeRoles(
            user: "owner_\(database)", roles: ["a_\(database)", "b_\(database)", "c_\(database)"])
        await #expect(throws: error) { _ = try await plain.establish() }
        #expect(error.code == "missing_privilege")
        #expect(error.description.contains("CREATE ROLE a_\(database) NOLOGIN;"))
        let made = try await owner.count("SELECT count(*) FROM pg_roles WHERE rolname = ANY ($1)", [["a_\(database)"]])
        #expect(made == 0)
    }

    // MARK: Reading reports

    @Test("are created even if another database of the server creates them concurrently")
    func madeElsewhere() async throws {
        let elsewhere = ServiceUnderTest()
        let outcome = try await elsewhere.pool.withConnection { connection in
            try await connection.script("BEGIN")
            for role in [application, reporting, account] { try await connection.script("CREATE ROLE \(role) NOLOGIN") }
            async let outcome = roles(ServiceUnderTest()).establish()
            let waits = try await eventually { try await elsewhere.sessionsWaitingForLocks() == 1 }
            #expect(waits)
            try await connection.script("COMMIT")
            return try await outcome
        }
        #expect(outcome.made == [])
        let granted = try await privileges(elsewhere)
        #expect(granted.contains { $0.contains("\(application)=") })
    }

    @Test("a reader can read every report, and no table")
    func reading() async throws {
        let owner = ServiceUnderTest()
        _ = try await owner.garden()
        let reader = try await service(as: \.reporting)
        let views = try await reports(owner)
        #expect(views.count > 15)
        for view in views { _ = try await reader.rows(of: "report.\(view)") }
        #expect(try await reader.rows(of: "report.dday") == 1)
        for table in Roles.tables { try await refuse(["SELECT FROM \(table.name)"], to: reader) }
        try await refuse(
            [
                "SELECT phone FROM plant", "SELECT email, phone FROM account", "SELECT token FROM device",
                "SELECT secret FROM device", "SELECT memo FROM watering",
            ], to: reader)
    }

    @Test("a reader sees how the service's pushes ended, on counted days and since, without seeing the log")
    func pushCounts() async throws {
        let owner = ServiceUnderTest()
        let account = try await owner.account(at: seoul("2027-02-23T10:00"))
        try await owner.push(on: 5, of: account)
        let program = try await service(as: \.application)
        let report = try await program.housekeeping(at: seoul("2027-03-04T09:00"), retention: 100_000).run()
        #expect(report.counted.map(\.description) == ["2020-01-05"])
        try await owner.push(on: 6, of: account)
        let reader = ServiceUnderTest(role: reporting)
        let outcomes = try await reader.texts(
            """
            SELECT concat_ws(' ', day, topic, outcome, reason, push_count) FROM report.service_push_outcomes ORDER BY day
            """)
        #expect(outcomes == ["2027-02-28 watering_due delivered sent 1", "2027-03-01 watering_due delivered sent 1"])
        try await refuse(
            ["SELECT FROM push_day", "SELECT FROM push_job", "INSERT INTO push_day SELECT * FROM report.push_counts"],
            to: reader)
    }

    @Test("a reader can write and create nothing")
    func readOnly() async throws {
        _ = try await ServiceUnderTest().garden()
        let reader = try await service(as: \.reporting)
        try await refuse(Roles.tables.map { "DELETE FROM \($0.name)" }, to: reader)
        try await refuse(
            [
                "UPDATE account SET nickname = 'X'",
                "INSERT INTO account_email VALUES ('a@example.com', 0, gen_random_uuid())",
                "TRUNCATE plant", "CREATE TABLE public.mine (number integer)", "CREATE VIEW report.mine AS SELECT 1",
                "SELECT make_log_partitions('2020-01-05')",
                "SELECT make_partition('occurrence', 'month', '2020-01-05')",
                "SELECT drop_partition('push_job_20200105')", "DROP VIEW report.dday", "SELECT FROM garden.plant",
            ], to: reader)
    }

    @Test("no report shows a name, a phone, an e-mail, a token or a memo")
    func anonymous() async throws {
        let owner = ServiceUnderTest()
        let now = try seoul("2027-02-23T10:00")
        let (account, plant) = try await owner.garden()
        let store = owner.store(at: now)
        _ = try await store.addDevice(account, platform: .ios, token: "secret-token")
        let review = try Review(keywords: ["바다"], memo: "비밀 메모")
        _ = try await store.water(plant.reference, WateringRequest(method: .call, review: review))
        try await owner.run(at: seoul("2027-03-02T09:00"))
        let reader = try await service(as: \.reporting)
        let secrets = [
            account.address, account.nickname.description, plant.name.description,
            plant.nickname.description, plant.phone.description, "secret-token", "비밀 메모",
        ]
        var sawKeyword = false
        for view in try await reports(owner) {
            let text = try await reader.texts("SELECT row::text FROM report.\(view) AS row").joined(separator: "\n")
            sawKeyword = sawKeyword || text.contains("바다")
            for secret in secrets { #expect(!text.contains(secret), "report.\(view) shows \(secret)") }
        }
        #expect(sawKeyword)
    }

    // MARK: The programs

    @Test("the programs can do all their work: care, import, export, pushes, housekeeping, reports, erasure")
    func working() async throws {
        let service = try await service(as: \.application, maximumConnections: 8)
        let start = try seoul("2027-02-23T10:00")
        let (account, plant) = try await service.garden()
        let store = service.store(at: start)
        _ = try await store.addDevice(account, platform: .webhook, token: "https://example.com/hook")
        _ = try await store.addTag(TagName("family"), colour: nil, cycle: nil, to: account.id)
        _ = try await store.editFriend(plant.reference, plantEdit(cycle: 6), Tagging(adding: [TagName("family")]))
        let imported = try await store.importFriends(
            [registration(number: 2), registration(number: 3)], to: account.id, restoring: false, isDryRun: false)
        #expect(imported.count == 2)
        let batch = try #require(try await store.imports(account).first)
        _ = try await store.undoImport(batch.id.description)

        let dDay = try seoul("2027-03-01T09:00")
        let counts = try await service.run(at: dDay)
        #expect(counts.delivered == 1)
        let postponed = try await service.store(at: dDay).postpone(plant.reference, days: 2)
        let dueOn = try civilDay("2027-03-03")
        #expect(postponed.dueOn == dueOn)
        let later = service.store(at: try seoul("2027-03-02T12:00"))
        let review = try Review(keywords: ["바다"], memo: nil)
        _ = try await later.water(plant.reference, WateringRequest(method: .call, review: review))
        try await service.run(at: seoul("2027-03-03T09:00"))
        #expect(try await service.unaccounted(upTo: seoul("2027-03-03T09:00")).isEmpty)

        #expect(try await later.reports.list().count > 15)
        let export = try await later.export(of: account.id)
        #expect(export.plants.count == 1)
        let erasure = try await later.eraseAccount(account.id)
        #expect(erasure.plantCount == 1)
        #expect(try await later.seed([export]) == [.written])
        try await Migrator(pool: service.pool).requireCurrent()
    }

    @Test("the programs' housekeeping creates and drops partitions that they do not own")
    func housekeeping() async throws {
        let owner = ServiceUnderTest()
        try await owner.execute(
            """
            SELECT make_log_partitions('2020-01-05T00:00:00Z'),
                make_partition('occurrence', 'month', '2020-01-01T00:00:00Z')
            """)
        let service = try await service(as: \.application)
        let report = try await service.housekeeping(at: seoul("2027-03-02T09:00")).run()
        #expect(report.dropped.count == 7)
        #expect(report.made.contains("occurrence_202703"))
        #expect(report.held == nil)
        let left = try await owner.count("SELECT count(*) FROM pg_class WHERE relname ~ '_(20200105|202001)$'")
        #expect(left == 0)
    }

    @Test("a partition being read is left for the next run after a limited wait")
    func held() async throws {
        let owner = ServiceUnderTest()
        try await owner.execute("SELECT make_log_partitions('2020-01-05T00:00:00Z')")
        let service = try await service(as: \.application)
        let report = try await owner.pool.withTransaction { reader in
            _ = try await reader.query("SELECT count(*) FROM push_job_20200105")
            return try await service.housekeeping(at: seoul("2027-03-02T09:00"), patience: .zero).run()
        }
        #expect(report.held == "push_job_20200105")
        let next = try await service.housekeeping(at: seoul("2027-03-02T09:00")).run()
        #expect(next.dropped.first == "push_job_20200105")
    }

    @Test("the programs can neither change nor drop tables, nor forge history")
    func noMore() async throws {
        _ = try await ServiceUnderTest().garden()
        let service = try await service(as: \.application)
        try await refuse(
            [
                "CREATE TABLE public.mine (number integer)", "CREATE SCHEMA mine", "DROP TABLE plant",
                "ALTER TABLE plant DROP COLUMN memo", "TRUNCATE plant", "DROP TABLE occurrence_202703",
                "CREATE INDEX ON plant (phone)", "DROP VIEW report.dday", "CREATE ROLE mine",
                "UPDATE schema_migration SET checksum = ''", "DELETE FROM push_job",
                "UPDATE push_receipt SET worker = ''",
                "UPDATE push_day SET push_count = 0", "DELETE FROM push_day",
                "DELETE FROM affection_entry", "UPDATE affection_entry SET points = 8", "SELECT FROM erasure",
                "DELETE FROM lane", "INSERT INTO lane_delivery VALUES (0)", "SELECT FROM pg_authid",
            ], to: service)
        for name in ["plant", "push_job", "push_job_2027", "occurrence_202703; DROP TABLE plant", "push"] {
            let error = await #expect(throws: PostgresError.self) {
                try await service.execute("SELECT drop_partition($1)", [name])
            }
            #expect(error?.sqlState == "22023", "\(name)")
        }
    }

    @Test("no program can create a partition outside its range, or one that would block others")
    func oddPartitions() async throws {
        let service = try await service(as: \.application)
        let odd = [
            ("push_job", "week", "2027-03-02"), ("push_job", "month", "2027-03-02"),
            ("occurrence", "day", "2027-03-02"), ("plant", "day", "2027-03-02"), ("push", "day", "2027-03-02"),
            ("push_receipt", "day", "1999-12-31"), ("sent_push", "day", "2100-01-02"),
            ("occurrence", "month", "infinity"),
        ]
        for (parent, unit, instant) in odd {
            let error = await #expect(throws: PostgresError.self) {
                try await service.execute("SELECT make_partition('\(parent)', '\(unit)', '\(instant)')")
            }
            #expect(error?.sqlState == "22023", "\(parent) \(unit) \(instant): \(error?.debugDescription ?? "")")
        }
        try await service.execute("SELECT make_calendar_partition('2099-12-31T00:00:00Z')")
    }

    @Test("a user's missing privileges are reported: on tables and functions")
    func lacking() async throws {
        let service = try await service(as: \.application)
        let inspection = DatabaseInspection(pool: service.pool)
        #expect(try await inspection.missingPrivileges().isEmpty)
        let owner = ServiceUnderTest()
        try await owner.execute("REVOKE EXECUTE ON FUNCTION drop_partition(text) FROM \(application)")
        try await owner.execute("REVOKE EXECUTE ON FUNCTION make_log_partitions(timestamptz) FROM \(application)")
        try await owner.execute("REVOKE UPDATE ON plant FROM \(application)")
        #expect(
            try await inspection.missingPrivileges() == [
                "EXECUTE on drop_partition(text)", "EXECUTE on make_log_partitions(timestamp with time zone)",
                "UPDATE on plant",
            ])
    }

    @Test("functions that act for the owner use their own search path, whatever the caller's objects")
    func searchPath() async throws {
        let service = try await service(as: \.application, maximumConnections: 1)
        try await service.execute("CREATE TEMPORARY TABLE push_job (number integer)")
        try await service.execute("SELECT make_log_partitions('2031-05-05T00:00:00Z')")
        let made = try await ServiceUnderTest().count(
            """
            SELECT count(*) FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = 'public.push_job'::regclass AND relname = 'push_job_20310505'
            """)
        #expect(made == 1)
        // Nor is it counted instead of the log.
        let counts = try await service.rows(of: "count_pushes('2031-05-05T00:00:00Z', '2031-05-06T00:00:00Z')")
        #expect(counts == 0)
    }
}
