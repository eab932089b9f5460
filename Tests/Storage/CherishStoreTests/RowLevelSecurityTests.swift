import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishStore

/// What a session that acts for one account can see and change, tested by trying what must fail.
@Suite("Row-level security by account", .migratedDatabase, .serialized)
struct RowLevelSecurityTests {
    /// Two accounts in one lane, each with rows in every table.
    private struct Neighbours {
        let minji, other: Account
        let plant, otherPlant: Plant
    }

    /// Tables and views without rows of accounts, and those kept for the reports, which no session for an account reads.
    private static let ofNobody: Set<String> = [
        "account_history", "account_summary", "account_summary_now", "database_mark", "engine_lock", "erasure",
        "lane_delivery", "lane_watch", "list_measure", "outage", "place",
        "plant_history", "plant_summary", "plant_summary_now", "push_day",
        "push_receipt",
        "postcode", "schema_migration", "store", "throttle",
        // Secrets, which only functions reach.
        "account_password", "idempotent_request", "push_action", "verification_code",
    ]
    /// Columns that no view shows, because they are secrets.
    private static let hidden = ["account_session.secret_hash bytea"]
    /// When all filled-in rows were recorded.
    private static let recordedAt = "2027-03-01T00:00:00Z"

    private let owner = ServiceUnderTest()
    private let start = "2027-02-23T10:00"

    private var role: String { "account_\(TestDatabase.current.name)" }

    /// A session in the role, for an account or for none.
    private func session(_ account: Account?) -> ServiceUnderTest {
        var settings = ["search_path": "garden,public"]
        if let account { settings["cherish.account"] = account.id.description }
        return ServiceUnderTest(role: role, settings: settings)
    }

    private func neighbours() async throws -> Neighbours {
        let name = TestDatabase.current.name
        _ = try await Roles(
            pool: owner.pool, application: "app_\(name)", reporting: "reader_\(name)", account: role
        ).establish()
        let (minji, plant) = try await owner.garden()
        let (other, otherPlant) = try await owner.garden(email: "other@example.com")
        for (account, plant) in [(minji, plant), (other, otherPlant)] { try await fill(account, plant) }
        try await mark(isForTests: true)
        return Neighbours(minji: minji, other: other, plant: plant, otherPlant: otherPlant)
    }

    /// Marks the database as a test database, or removes the mark.
    private func mark(isForTests: Bool) async throws {
        try await owner.execute(
            "CREATE TABLE IF NOT EXISTS database_mark (purpose text PRIMARY KEY, marked_at timestamptz NOT NULL)")
        try await owner.execute(
            isForTests
                ? "INSERT INTO database_mark (purpose, marked_at) VALUES ('test', now()) ON CONFLICT DO NOTHING"
                : "DELETE FROM database_mark")
    }

    private func fill(_ account: Account, _ plant: Plant) async throws {
        let store = owner.store(at: try seoul(start))
        _ = try await store.addDevice(account, platform: .ios, token: "token-of-\(account.address)")
        _ = try await store.addTag(TagName("family"), colour: nil, cycle: nil, to: account.id)
        _ = try await store.editFriend(plant.reference, plantEdit(), Tagging(adding: [TagName("family")]))
        _ = try await store.importFriends(
            [registration(number: 2)], to: account.id, restoring: false, isDryRun: false)
        let dDay = owner.store(at: try seoul("2027-03-02T09:00"))
        _ = try await dDay.postpone(plant.reference, days: 1)
        let review = try Review(keywords: ["바다"], memo: "memo of \(account.address)")
        _ = try await dDay.water(plant.reference, WateringRequest(method: .call, review: review))
        let garden = store.garden(of: account.id)
        let day = try civilDay("2027-03-10")
        for title in ["milk", "bread", "butter"] {
            var draft = ThingDraft(kind: .food, title: try ThingTitle("\(title) of \(account.address)"), dueOn: day)
            // What is planned for a deleted thing is shown to nobody.
            if title == "butter" { draft.alerts = [] }
            let thing = try await garden.recordThing(draft, tags: [TagName("family")]).thing
            if title == "bread" { _ = try await garden.completeThing(thing.id) }
            if title == "butter" { try await garden.removeThing(thing.id) }
        }
        try await fillLog(account, plant)
    }

    /// Rows that only failing deliveries would write.
    private func fillLog(_ account: Account, _ plant: Plant) async throws {
        let sequence = try await owner.count("SELECT count(*) + 1 FROM push_job")
        let lane = account.id.lane.number
        try await owner.pool.withConnection { connection in
            try await connection.script(
                """
                SELECT make_log_partitions('\(Self.recordedAt)');
                INSERT INTO push_job SELECT \(lane), at, \(sequence), '\(account.id)', '\(plant.id)', 'watering_due', 0, at, at
                FROM (SELECT timestamptz '\(Self.recordedAt)') AS recorded (at);
                INSERT INTO push_outcome SELECT lane, recorded_at, seq, 'dead', 'x', recorded_at
                FROM push_job WHERE seq = \(sequence);
                INSERT INTO push_retry SELECT lane, seq, recorded_at, 1, recorded_at
                FROM push_job WHERE seq = \(sequence);
                INSERT INTO push_device_outcome
                SELECT job.lane, job.recorded_at, seq, device.id, 'failed', 'x', 1, job.recorded_at
                FROM push_job AS job JOIN device ON device.account_id = '\(account.id)' WHERE seq = \(sequence);
                INSERT INTO sent_push SELECT lane, '\(account.id)', recorded_at, 'x', '2027-03-01', '{}'
                FROM push_job WHERE seq = \(sequence);
                INSERT INTO occurrence_outcome
                SELECT lane, account_id, subject_id, planned_at, 'birthday', 0, 'expired', 'x', planned_at, recorded_at
                FROM push_job WHERE seq = \(sequence);
                INSERT INTO account_session (lane, id, account_id, secret_hash, device_name, signed_in_at, used_at)
                SELECT \(lane), gen_random_uuid(), '\(account.id)', sha256('x'), 'phone', now(), now();
                INSERT INTO account_picture (lane, account_id, image, changed_at)
                VALUES (\(lane), '\(account.id)', 'x', now());
                INSERT INTO account_identity (provider, subject, lane, account_id, email, linked_at)
                VALUES ('google', '\(account.id)', \(lane), '\(account.id)', '\(account.address)', now());
                INSERT INTO account_phone (phone, lane, account_id, confirmed_at)
                VALUES ('+8210900000\(sequence + 10)', \(lane), '\(account.id)', now());
                INSERT INTO thing_share SELECT lane, gen_random_uuid(), account_id, id, sha256('\(account.id)'), now(), now()
                FROM thing WHERE account_id = '\(account.id)' LIMIT 1;
                INSERT INTO tombstone VALUES (\(lane), '\(account.id)', 'thing', gen_random_uuid(), now());
                INSERT INTO pause
                VALUES (\(lane), gen_random_uuid(), '\(account.id)', NULL, NULL, '2027-05-01', '2027-05-02', false);
                INSERT INTO edited_item
                VALUES (\(lane), '\(account.id)', 'friend', gen_random_uuid(), 0, '{nickname}', ARRAY[now()], now());
                INSERT INTO calendar_feed VALUES (\(lane), gen_random_uuid(), '\(account.id)', sha256('\(account.id)'), now());
                INSERT INTO shopping_list (lane, id, account_id, title, entry_names, entry_quantities, entries_bought, version,
                    modified_at, created_at)
                VALUES (\(lane), gen_random_uuid(), '\(account.id)', 'list of \(account.address)', '{}', '{}', '{}', 1, now(), now());
                INSERT INTO helped_list (lane, account_id, list_id, owner_id, owner_nickname, claimed_at, acceptance_count,
                    release_count, list_version)
                VALUES (\(lane), '\(account.id)', gen_random_uuid(), gen_random_uuid(), 'x', now(), 1, 1, 1);
                INSERT INTO list_news SELECT \(lane), account_id, id, gen_random_uuid(), 1, now()
                FROM shopping_list WHERE account_id = '\(account.id)';
                INSERT INTO helper_rating VALUES (\(lane), '\(account.id)', gen_random_uuid(), 5);
                INSERT INTO account_block VALUES (\(lane), gen_random_uuid(), '\(account.id)', gen_random_uuid(), 'x', now());
                INSERT INTO list_receipt SELECT \(lane), account_id, id, gen_random_uuid(), 'x', now()
                FROM shopping_list WHERE account_id = '\(account.id)';
                INSERT INTO list_report SELECT \(lane), gen_random_uuid(), account_id, id, gen_random_uuid(), 'x', now()
                FROM shopping_list WHERE account_id = '\(account.id)';
                """)
        }
    }

    /// All rows that a session sees, sorted as text.
    private func everything(_ session: ServiceUnderTest) async throws -> [String: [String]] {
        var rows: [String: [String]] = [:]
        for view in Roles.gardenViews {
            rows[view.name] = try await session.texts("SELECT entry::text FROM garden.\(view.name) AS entry ORDER BY 1")
        }
        return rows
    }

    private func refuse(
        _ statement: SQL, to session: ServiceUnderTest, states: Set<String> = ["42501"]
    ) async throws {
        let error = await #expect(throws: PostgresError.self, "\(statement)") { try await session.execute(statement) }
        let state = error?.sqlState ?? ""
        #expect(states.contains(state), "\(statement): \(error?.debugDescription ?? "")")
    }

    // MARK: What there is

    @Test("every table with rows of accounts has a view with all columns, a security barrier and a check option")
    func complete() async throws {
        let views = try await owner.texts(
            """
            SELECT relname::text FROM pg_class WHERE relnamespace = 'garden'::regnamespace AND relkind = 'v' ORDER BY 1
            """)
        #expect(Roles.gardenViews.map(\.name) == views)
        #expect(Set(Roles.tables.map(\.name)).subtracting(Self.ofNobody) == Set(views))
        let open = try await owner.texts(
            """
            SELECT relname::text FROM pg_class WHERE relnamespace = 'garden'::regnamespace AND relkind = 'v' AND NOT (
                'security_barrier=true' = ANY (reloptions)
                AND (relname = 'push' OR 'check_option=cascaded' = ANY (reloptions)))
            """)
        #expect(open.isEmpty)
        let columns: SQL = """
            SELECT format('%s.%s %s', relname, attname, format_type(atttypid, atttypmod))
            FROM pg_class AS class JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped
            """
        let shown = try await owner.texts(
            columns + " WHERE relnamespace = 'garden'::regnamespace AND relkind = 'v' ORDER BY 1")
        let kept = try await owner.texts(
            columns + " WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1) ORDER BY 1", [views])
        #expect(shown == kept.filter { !Self.hidden.contains($0) })
    }

    @Test(
        "each column of an updatable view is either changed by commands or kept, and no view can be updated as a whole"
    )
    func columns() async throws {
        for view in Roles.gardenViews where !view.changed.isEmpty {
            let columns = try await owner.texts(
                """
                SELECT attname::text FROM pg_attribute
                WHERE attrelid = ('garden.' || $1)::regclass AND attnum > 0 AND NOT attisdropped
                """, [view.name])
            let decided = view.changed + view.fixed
            for column in columns {
                #expect(
                    decided.contains(column),
                    "decide in Roles.gardenViews whether sessions for one account change \(view.name).\(column)")
            }
            #expect(Set(decided).subtracting(columns).isEmpty, "\(view.name)")
            #expect(decided.count == Set(decided).count, "\(view.name)")
        }
        let whole = Roles.gardenViews.filter { !["SELECT", "SELECT, INSERT"].contains($0.rows) }.map(\.name)
        #expect(whole.isEmpty, "who may UPDATE or DELETE a view may LOCK it against everybody")
    }

    // MARK: Seeing

    @Test("two accounts see their own rows, together all of them, and none of each other's")
    func seeing() async throws {
        let both = try await neighbours()
        let mine = try await everything(session(both.minji))
        let theirs = try await everything(session(both.other))
        for view in Roles.gardenViews.map(\.name) where view != "lane" {
            let (own, others) = (mine[view] ?? [], theirs[view] ?? [])
            #expect(!own.isEmpty && !others.isEmpty, "\(view) shows nothing")
            #expect(Set(own).isDisjoint(with: others), "\(view)")
            #expect(try await owner.rows(of: view) == own.count + others.count, "\(view)")
            for secret in [both.other.id.description, both.otherPlant.id.description, "other@example.com"] {
                #expect(!own.contains { $0.contains(secret) }, "\(view) shows \(secret)")
            }
        }
        #expect(mine["lane"]?.count == 1)
    }

    @Test("without the setting, or with an empty one, there are no rows; an invalid id is refused")
    func nobody() async throws {
        _ = try await neighbours()
        let none = try await everything(session(nil))
        for (view, rows) in none { #expect(rows.isEmpty, "\(view)") }
        let empty = ServiceUnderTest(role: role, settings: ["cherish.account": ""])
        #expect(try await empty.rows(of: "garden.plant") == 0)
        let broken = ServiceUnderTest(role: role, settings: ["cherish.account": "everybody"])
        try await refuse("SELECT FROM garden.plant", to: broken, states: ["22P02"])
    }

    @Test("no table, report or other role bypasses the views")
    func around() async throws {
        let both = try await neighbours()
        let session = session(both.minji)
        for table in Roles.tables.map(\.name) {
            if Roles.shared.contains(table) {
                _ = try await session.rows(of: "public.\(table)")
            } else {
                try await refuse("SELECT FROM public.\(table)", to: session)
            }
            try await refuse("DELETE FROM public.\(table)", to: session, states: ["42501", "55000"])
        }
        try await refuse("SELECT FROM report.dday", to: session)
        try await refuse("SELECT drop_partition('push_job_20270301')", to: session)
        try await refuse("SELECT make_partition('push_job', 'day', '2027-05-05')", to: session)
        for function in Roles.functions where !function.callers.contains(.account) {
            let name = function.signature.prefix { $0 != "(" }
            let arguments = function.signature.filter { $0 == "," }.isEmpty ? "NULL" : "NULL, NULL"
            // With the wrong number of arguments it is not found; either way it does nothing.
            let place = name.contains(".") ? "" : "public."
            try await refuse("SELECT \(place)\(name)(\(arguments))", to: session, states: ["42501", "42883"])
        }
        try await refuse("SELECT public.make_calendar_partition(now())", to: session)
        try await refuse("SELECT public.remove_devices(gen_random_uuid(), '{}')", to: session)
        try await refuse(
            "SELECT public.change_account_email(0::smallint, gen_random_uuid(), 'a@example.com')", to: session)
        try await refuse("SELECT make_log_partitions('2027-05-05')", to: session)
        try await refuse("CREATE VIEW garden.mine AS SELECT 1", to: session)
        for other in ["app", "reader"] {
            let service = ServiceUnderTest(
                role: "\(other)_\(TestDatabase.current.name)", settings: ["cherish.account": both.other.id.description])
            try await refuse("SELECT FROM garden.plant", to: service)
        }
    }

    @Test("a function of the session's own never sees rows that are filtered out")
    func barrier() async throws {
        let both = try await neighbours()
        let session = ServiceUnderTest(
            maximumConnections: 1, role: role, settings: ["cherish.account": both.minji.id.description])
        try await session.execute(
            """
            CREATE FUNCTION pg_temp.is_told(account_id uuid) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$
            BEGIN
                IF account_id = '\(both.other.id)' THEN RAISE EXCEPTION 'told'; END IF;
                RETURN true;
            END $$
            """)
        let seen = try await session.count("SELECT count(*) FROM garden.plant WHERE pg_temp.is_told(account_id)")
        #expect(seen == 2)
    }

    // MARK: Changing

    @Test("whatever a session changes or deletes, another account's rows stay unchanged")
    func changing() async throws {
        let both = try await neighbours()
        let before = try await everything(session(both.other))
        let session = session(both.minji)
        for statement in [
            "UPDATE plant SET account_id = '\(both.other.id)'", "UPDATE plant SET lane = 0",
            "UPDATE tag SET account_id = '\(both.other.id)'", "UPDATE device SET account_id = '\(both.other.id)'",
            "UPDATE import_batch SET account_id = '\(both.other.id)'", "UPDATE account SET id = '\(both.other.id)'",
            "UPDATE watering SET plant_id = '\(both.otherPlant.id)', number = 99", "UPDATE lane SET cursor_at = now()",
            "UPDATE account_email SET email = 'mine@example.com'", "UPDATE thing SET account_id = '\(both.other.id)'",
            "UPDATE thing_completion SET account_id = '\(both.other.id)'", "UPDATE thing SET kind = 'reminder'",
        ] + Roles.gardenViews.map({ "DELETE FROM \($0.name)" }) {
            try await refuse("\(statement)", to: session, states: ["42501", "55000"])
        }
        // The view's check: one column must be granted, so that a command can lock the row.
        try await refuse("UPDATE lane SET lane = 0", to: session, states: ["44000", "23503", "23505"])
        for statement in [
            "UPDATE account SET nickname = 'mine'", "UPDATE plant SET nickname = 'mine'",
            "UPDATE tag SET name = 'mine'", "UPDATE device SET secret = NULL",
            "UPDATE watering SET memo = 'mine'", "UPDATE thing SET title = 'mine'",
            "UPDATE thing_completion SET undone_at = now()", "UPDATE shopping_list SET title = 'mine'",
            "UPDATE helped_list SET slot = 1", "UPDATE list_news SET list_version = 2",
            "UPDATE list_receipt SET content = NULL",
        ] { try await session.execute("\(statement)") }
        #expect(try await everything(self.session(both.other)) == before)
        try await deleteAll(of: both, session)
        #expect(try await session.rows(of: "plant") == 0)
        #expect(try await everything(self.session(both.other)) == before)
    }

    /// Calls every deleting function with the ids of both accounts, whatever they are.
    private func deleteAll(of both: Neighbours, _ session: ServiceUnderTest) async throws {
        func ids(_ column: String, _ table: String) async throws -> String {
            try await owner.single("SELECT array_agg(DISTINCT \(column))::text FROM \(table)")
        }
        let lane = "\(both.minji.id.lane.number)::smallint"
        let (plants, tags, devices) = (
            try await ids("id", "plant"), try await ids("id", "tag"), try await ids("id", "device")
        )
        let things = try await ids("id", "thing")
        let (shares, feeds) = (try await ids("id", "thing_share"), try await ids("id", "calendar_feed"))
        let (lists, blocks) = (try await ids("id", "shopping_list"), try await ids("id", "account_block"))
        let recipients = try await ids("recipient_id", "list_news")
        let changedAt = try await owner.texts("SELECT DISTINCT changed_at::text FROM cycle_change")
        for account in [both.other.id, both.minji.id] {
            for statement in [
                """
                SELECT delete_plant_tags(\(lane), array_agg(plant_id), array_agg(tag_id))
                FROM unnest('\(plants)'::uuid[]) AS plant_id CROSS JOIN unnest('\(tags)'::uuid[]) AS tag_id
                """,
                "SELECT delete_tags(\(lane), '\(account)', '\(tags)', true)",
                "SELECT delete_tags(\(lane), '\(account)', '\(tags)', false)",
            ] + changedAt.map({ "SELECT delete_cycle_changes(\(lane), '\(plants)', '\($0)')" })
                + [
                    "SELECT delete_plants(\(lane), '\(account)', '\(plants)')",
                    """
                    SELECT delete_thing_tags(\(lane), '\(account)', thing, '\(tags)') FROM unnest('\(things)'::uuid[]) AS thing
                    """,
                    "SELECT delete_thing_shares(\(lane), '\(account)', '\(shares)', now())",
                    "SELECT delete_calendar_feeds(\(lane), '\(account)', '\(feeds)')",
                    "SELECT delete_things(\(lane), '\(account)', '\(things)')",
                    "SELECT delete_account_blocks(\(lane), '\(account)', '\(blocks)')",
                    """
                    SELECT delete_list_news(\(lane), '\(account)', list, recipient, 99)
                    FROM unnest('\(lists)'::uuid[]) AS list CROSS JOIN unnest('\(recipients)'::uuid[]) AS recipient
                    """,
                    "SELECT delete_draft_list(\(lane), '\(account)', list) FROM unnest('\(lists)'::uuid[]) AS list",
                ]
            { try await session.execute("\(statement)") }
        }
        try await refuse("SELECT remove_devices('\(both.other.id)', '\(devices)')", to: session)
        try await session.execute("SELECT remove_devices('\(both.minji.id)', '\(devices)')")
        let left =
            ["plant", "tag", "device", "device_token", "plant_tag", "cycle_change", "thing", "thing_tag"] + [
                "thing_share", "calendar_feed", "shopping_list", "list_news", "account_block",
            ]
        for view in left { #expect(try await session.rows(of: view) == 0, "\(view)") }
    }

    @Test("an account has one e-mail, which it can change, but not to another account's")
    func emails() async throws {
        let both = try await neighbours()
        let session = session(both.minji)
        let lane = "\(both.minji.id.lane.number)::smallint"
        func change(_ account: Account.ID, to email: String) async throws -> Bool {
            try await session.single("SELECT change_account_email(\(lane), '\(account)', '\(email)')")
        }
        #expect(try await change(both.minji.id, to: "new@example.com"))
        #expect(try await change(both.minji.id, to: "Newer@Example.com"))
        #expect(try await change(both.minji.id, to: "other@example.com") == false)
        #expect(try await change(both.other.id, to: "taken@example.com") == false)
        try await refuse(
            "SELECT change_account_email(\(lane), '00000000-0000-4000-8000-00000000ff07', 'third@example.com')",
            to: session, states: ["44000"])
        try await refuse(
            "INSERT INTO account_email SELECT 'third@example.com', lane, account_id FROM account_email", to: session)
        let emails = try await owner.texts("SELECT email FROM account_email ORDER BY email")
        #expect(emails == ["newer@example.com", "other@example.com"])
        // Operators see the e-mail by which the account is found.
        try await refuse("UPDATE account SET email = 'other@example.com'", to: session)
        let written = try await owner.texts("SELECT email FROM account ORDER BY email COLLATE \"C\"")
        #expect(written == ["Newer@Example.com", "other@example.com"])
    }

    @Test("only months within the rules' reach can be created, except in a test database")
    func months() async throws {
        let both = try await neighbours()
        let session = session(both.minji)
        try await session.execute("SELECT make_calendar_partition(now() + interval '10 years')")
        try await mark(isForTests: false)
        for offset in ["-32 days", "15 months", "70 years", "-20 years"] {
            try await refuse(
                "SELECT make_calendar_partition(now() + interval '\(offset)')", to: session, states: ["22023"])
        }
        for instant in ["infinity", "-infinity"] {
            try await refuse("SELECT make_calendar_partition('\(instant)')", to: session, states: ["22023"])
        }
        try await session.execute("SELECT make_calendar_partition(now() + interval '13 months')")
        // A temporary table of the session is no mark.
        try await owner.execute("DROP TABLE database_mark")
        let own = ServiceUnderTest(
            maximumConnections: 1, role: role,
            settings: ["search_path": "garden,public", "cherish.account": both.minji.id.description])
        try await own.execute("CREATE TEMPORARY TABLE database_mark AS SELECT 'test' AS purpose")
        try await refuse("SELECT make_calendar_partition(now() + interval '3 years')", to: own, states: ["22023"])
    }

    @Test("odd settings and values of a session break no report, count or month of others")
    func oddities() async throws {
        let both = try await neighbours()
        func session(_ settings: [String: String] = [:]) -> ServiceUnderTest {
            let usual = ["search_path": "garden,public", "cherish.account": both.minji.id.description]
            return ServiceUnderTest(role: role, settings: usual.merging(settings) { $1 })
        }
        // There SAT is a zone, and ABC+1 is one everywhere in POSIX notation.
        let australian = session(["timezone_abbreviations": "Australia"])
        for zone in ["SAT", "KST", "ABC+1", "Foo/Bar3", "Mars/Olympus"] {
            try await refuse(
                "UPDATE account SET time_zone = '\(zone)'", to: australian, states: ["22023", "23514"])
        }
        // Debian has them again in a folder.
        let unknown = try await owner.texts(
            "SELECT name FROM pg_timezone_names WHERE NOT is_known_time_zone(name) AND name NOT LIKE 'posix/%'")
        #expect(unknown == [])
        for zone in ["Etc/GMT+5", "UTC", "EST5EDT", "CET", "Asia/Seoul"] {
            try await australian.execute("UPDATE account SET time_zone = '\(zone)'")
        }

        let indian = session(["DateStyle": "SQL", "TimeZone": "Asia/Kolkata"])
        try await indian.execute("SELECT make_calendar_partition('2031-05-31T23:00:00Z')")
        #expect(
            try await owner.texts(
                "SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = 'occurrence_203105'")
                == ["FOR VALUES FROM ('2031-05-01 00:00:00+00') TO ('2031-06-01 00:00:00+00')"])

        // One day after the last representable one.
        try await session().execute(
            """
            INSERT INTO occurrence (lane, at, account_id, subject_id, topic, ref)
            SELECT lane, '2027-03-02T00:30:00Z', account_id, id, 'withered', 2932896 FROM plant
            """)
        try await owner.execute(
            """
            INSERT INTO occurrence_outcome
                (lane, account_id, subject_id, planned_at, topic, ref, outcome, reason, finished_at, recorded_at)
            SELECT lane, account_id, subject_id, at, topic, ref, 'suppressed', 'plant_pushes_off', at, '\(Self.recordedAt)'
            FROM occurrence WHERE ref = 2932896
            """)
        let counted = try await owner.texts(
            "SELECT max(day)::text FROM count_pushes('2027-03-01T00:00:00Z', '2027-03-02T00:00:00Z')")
        #expect(counted == ["9999-12-31"])
        #expect(try await owner.texts("SELECT max(day)::text FROM report.pushes") == ["9999-12-31"])
    }

    @Test("a session changes identities and phones, and asks for a password, of its own account alone")
    func identities() async throws {
        let both = try await neighbours()
        let session = session(both.minji)
        let before = try await everything(self.session(both.other))
        for schema in ["garden", "public"] {
            for call in [
                "has_password(0::smallint, '\(both.other.id)')",
                "renew_sign_in(0::smallint, '\(both.other.id)', gen_random_uuid(), now())",
                "link_identity(0::smallint, '\(both.other.id)', 'apple', 'mine', NULL, now())",
                "unlink_identity(0::smallint, '\(both.other.id)', 'google')",
                "begin_phone_change(gen_random_uuid(), 0::smallint, '\(both.other.id)', '+821090000000', '', now())",
                "confirm_phone(0::smallint, '\(both.other.id)', '', now())",
                "delete_phone(0::smallint, '\(both.other.id)', now())",
            ] { try await refuse("SELECT \(schema).\(call)", to: session) }
        }
        // The lane that is given does not matter.
        let theirs: String = try await session.single(
            "SELECT link_identity(0::smallint, '\(both.minji.id)', 'google', '\(both.other.id)', NULL, now())")
        #expect(theirs == "identity_taken")
        let last: String = try await session.single(
            "SELECT unlink_identity(0::smallint, '\(both.minji.id)', 'google')")
        #expect(last == "last_way_in")
        #expect(try await everything(self.session(both.other)) == before)
    }

    @Test("another account's device stays, even if a session claims its id")
    func foreignDevice() async throws {
        let both = try await neighbours()
        let theirs = try await owner.store(at: seoul(start)).devices(both.other)
        let id = try #require(theirs.first?.id)
        let taken: String = try await session(both.minji).single(
            "SELECT take_device_token('\(both.minji.id)', 'android', 'mine', '\(id)')::text")
        #expect(taken.lowercased() == id.description.lowercased())
        try await session(both.other).execute(
            "SELECT take_device_token('\(both.other.id)', 'android', 'mine', gen_random_uuid())")
        #expect(try await owner.store(at: seoul(start)).devices(both.other) == theirs)
    }

    @Test("no row can be written for another account, or for anybody without the setting")
    func writing() async throws {
        let both = try await neighbours()
        let (mine, other, none) = (session(both.minji), session(both.other), session(nil))
        // Copies of the other account's rows, with new keys to avoid conflicts.
        let tag: String = try await mine.single("SELECT id::text FROM tag")
        let fresh = """
            '{"id": "00000000-0000-4000-8000-00000000ff07", "number": 99, "watering_number": 99, "reason": "memo",
            "email": "new@example.com", "token": "new", "name_key": "new", "phone": "+821099999999",
            "list_id": "00000000-0000-4000-8000-00000000ff07", "blocked_id": "00000000-0000-4000-8000-00000000ff07",
            "changed_at": "2027-03-05T00:00:00Z", "ref": 99, "token_hash": "\\\\x\(String(repeating: "07", count: 32))"}'::jsonb
            """
        let changes = [
            "plant_tag": "jsonb_build_object('tag_id', '\(tag)')",
            "thing_tag": "jsonb_build_object('tag_id', '\(tag)')",
            "import_change": "jsonb_build_object('plant_id', '\(tag)')",
        ]
        for view in Roles.gardenViews where view.privileges.contains("INSERT") {
            let row: String = try await other.single(
                """
                SELECT quote_literal(to_jsonb(entry) || \(changes[view.name] ?? fresh))
                FROM garden.\(view.name) AS entry LIMIT 1
                """)
            let insert = """
                INSERT INTO garden.\(view.name)
                SELECT * FROM jsonb_populate_record(NULL::garden.\(view.name), \(row)::jsonb)
                """
            // An account has one picture: its key cannot be a new one.
            let states: Set<String> = view.name == "account_picture" ? ["23505"] : ["44000"]
            try await refuse("\(insert)", to: mine, states: states)
            try await refuse("\(insert)", to: none, states: states)
        }
        // A tag of the other account on a plant of one's own.
        let otherTag: String = try await other.single("SELECT id::text FROM tag")
        try await refuse(
            """
            INSERT INTO garden.plant_tag (lane, plant_id, tag_id) SELECT lane, id, '\(otherTag)' FROM garden.plant LIMIT 1
            """, to: mine, states: ["44000"])
        // What happened to a thing of the other account, as if it were one's own.
        let otherThing: String = try await other.single("SELECT id::text FROM thing LIMIT 1")
        for insert in [
            "INSERT INTO garden.thing_tag (lane, account_id, thing_id, tag_id) SELECT lane, account_id, '\(otherThing)', id FROM garden.tag",
            """
            INSERT INTO garden.thing_completion (lane, account_id, thing_id, number, completed_on, recorded_at, due_on, series_start)
            SELECT lane, id, '\(otherThing)', 7, '2027-03-01', now(), '2027-03-01', '2027-03-01' FROM garden.account
            """,
        ] { try await refuse("\(insert)", to: mine, states: ["23503"]) }
        let readOnly = Roles.gardenViews.filter { $0.privileges == "SELECT" }.map(\.name)
        #expect(
            readOnly == [
                "account_change", "account_change_head", "account_email", "account_identity", "account_phone",
                "account_session", "device_token",
                "occurrence_outcome", "push",
                "push_device_outcome", "push_job", "push_outcome", "push_retry", "sent_push",
            ])
        for view in Roles.gardenViews where !view.privileges.contains("INSERT") {
            try await refuse("INSERT INTO garden.\(view.name) DEFAULT VALUES", to: mine, states: ["42501", "55000"])
        }
    }

    // MARK: Working

    @Test("the commands work unchanged for the session's account, and find nothing of others")
    func commands() async throws {
        let both = try await neighbours()
        let store = session(both.minji).store(at: try seoul("2027-03-03T09:00"))
        #expect(try await store.account("minji@example.com").id == both.minji.id)
        let (_, watered) = try await store.water(both.plant.reference, WateringRequest(method: .message))
        #expect(watered.wateringCount == 2)
        // So far ahead that a month of the calendar must be created.
        let added = try await store.addFriend(
            registration(number: 3, cycle: 90, birthday: "01-31"), to: both.minji.id, tags: [TagName("family")])
        #expect(added.accountID == both.minji.id)
        try await importing(store, for: both)
        try await deleting(store, for: both)
        await #expect(throws: CareError.notFound(.account)) { _ = try await store.account("other@example.com") }
        await #expect(throws: CareError.notFound(.plant)) {
            _ = try await store.plant(both.otherPlant.id.description)
        }
        await #expect(throws: CareError.notFound(.account)) {
            _ = try await store.water(both.otherPlant.reference, WateringRequest(method: .call))
        }
        await #expect(throws: CareError.notFound(.account)) {
            _ = try await store.addFriend(registration(number: 4), to: both.other.id)
        }
    }

    /// Deletions by functions, and row locks and changes by column grants.
    private func deleting(_ store: CareStore, for both: Neighbours) async throws {
        let account = try await store.account("minji@example.com")
        for number in 1...Garden.mostDevices {
            _ = try await store.addDevice(account, platform: .android, token: "token \(number)")
        }
        let devices = try await store.devices(account)
        #expect(devices.count == Garden.mostDevices)
        try await store.removeDevice(try #require(devices.first).id)
        #expect(try await store.devices(account).count == Garden.mostDevices - 1)
        let theirs = try #require(try await owner.store(at: try seoul(start)).devices(both.other).first)
        await #expect(throws: CareError.notFound(.device)) { try await store.removeDevice(theirs.id) }

        let family = try TagName("family")
        _ = try await store.editFriend(both.plant.reference, plantEdit(), Tagging(removing: [family]))
        var tagEdit = TagEdit()
        tagEdit.name = try TagName("kin")
        _ = try await store.editTag(family, tagEdit, of: account.id)
        _ = try await store.removeTag(try TagName("kin"), of: account.id)
        #expect(try await store.tags(of: account.id).tags.isEmpty)

        var edit = AccountEdit()
        edit.email = try EmailAddress("minji@example.org")
        edit.timeZone = "America/New_York"
        edit.birthdayPushes = true
        #expect(try await store.editAccount(account.id, edit).email?.description == "minji@example.org")
        edit.email = try EmailAddress("other@example.com")
        await #expect(throws: CareError.duplicateEmail("other@example.com")) {
            _ = try await store.editAccount(account.id, edit)
        }
        _ = try await store.editFriend(both.plant.reference, plantEdit(cycle: 9, alarm: "10:00"))
        #expect(try await store.removeFriend(both.plant.reference).archivedAt != nil)
    }

    @Test("a session can take over another account's phone and remove its own, but only for its account")
    func phones() async throws {
        let both = try await neighbours()
        let now = try seoul("2027-03-03T09:00")
        let (mine, none) = (session(both.minji), session(nil))
        let store = mine.store(at: now)
        let token = "token-of-other@example.com"
        let taken = try await store.addDevice(both.minji, platform: .ios, token: token)
        #expect(try await owner.store(at: now).devices(both.other).isEmpty)
        #expect(try await store.devices(both.minji).map(\.token) == [token, "token-of-minji@example.com"])
        #expect(try await mine.rows(of: "garden.device_token") == 2)
        // Back, outside of the session.
        let back = try await owner.store(at: now).addDevice(both.other, platform: .ios, token: token)
        await #expect(throws: CareError.notFound(.device)) { try await store.removeDevice(taken.id) }
        await #expect(throws: CareError.notFound(.device)) { try await store.removeDevice(back.id) }
        await #expect(throws: CareError.notFound(.account)) {
            _ = try await store.addDevice(both.other, platform: .ios, token: "new")
        }
        let own = try #require(try await store.devices(both.minji).first)
        try await store.removeDevice(own.id)
        #expect(try await mine.rows(of: "garden.device_token") == 0)
        for session in [mine, none] {
            for schema in ["garden", "public"] {
                try await refuse(
                    "SELECT \(schema).take_device_token('\(both.other.id)', 'ios', 'mine', gen_random_uuid())",
                    to: session)
                try await refuse(
                    "SELECT \(schema).remove_devices('\(both.other.id)', ARRAY['\(back.id)'::uuid])", to: session)
            }
            try await refuse("INSERT INTO garden.device_token DEFAULT VALUES", to: session)
        }
        #expect(try await owner.store(at: now).devices(both.other) == [back])
    }

    /// Imports, too: their rows cannot be copied into views.
    private func importing(_ store: CareStore, for both: Neighbours) async throws {
        let contacts = try (5...30).map { try registration(number: $0) }
        let imported = try await store.importFriends(contacts, to: both.minji.id, restoring: false, isDryRun: false)
        #expect(imported.count == contacts.count)
        let batches = try await store.imports(both.minji)
        let batch = try #require(batches.first { $0.changes.count == contacts.count })
        #expect(try await store.undoImport(batch.id.description).deletedCount == contacts.count)
        await #expect(throws: CareError.notFound(.account)) {
            _ = try await store.importFriends(contacts, to: both.other.id, restoring: false, isDryRun: false)
        }
    }
}
