import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Synchronization
import Testing

@testable import CherishStore

/// Column types and most constraints exclude these values. A damaged or foreign server may still send them, and then
/// arithmetic on them must not crash the program.
@Suite("Rows that no rule allows are refused", .migratedDatabase, .serialized)
struct UnreadableRowTests {
    /// Reads the only row of a statement.
    private func read<Value>(
        _ sql: SQL, _ parameters: [any PostgresEncodable] = [], _ decode: (inout RowReader) throws -> Value
    ) async throws -> Value {
        let rows = try await ServiceUnderTest().pool.withConnection { try await $0.query(sql, parameters) }
        return try decoded(try #require(rows.first), by: decode)
    }

    /// Not part of `read`: Swift 6.3 crashes when optimizing an async function into which a throwing one was inlined.
    @inline(never)
    private func decoded<Value>(_ row: Row, by decode: (inout RowReader) throws -> Value) throws -> Value {
        var reader = row.reader
        return try decode(&reader)
    }

    /// Reads the only row of a table with some columns replaced, whatever its constraints.
    private func read<Value>(
        _ table: SQL, _ columns: SQL, with changes: String, _ decode: (Row) throws -> Value
    ) async throws -> Value {
        let rows = try await ServiceUnderTest().pool.withConnection { connection in
            try await connection.query(
                """
                WITH changed AS (SELECT (jsonb_populate_record(kept, $1::jsonb)).* FROM \(table) AS kept)
                SELECT \(columns) FROM changed
                """, [changes])
        }
        return try decode(try #require(rows.first))
    }

    // MARK: - Gardens

    @Test("a plant with days, instants or counts outside their range")
    func plants() async throws {
        _ = try await ServiceUnderTest().garden()
        func plant(_ changes: String) async throws -> Plant {
            try await read("plant", PlantRow.columns, with: changes) { try PlantRow.decode($0) }
        }
        // The first and last valid days, and the maximum of waterings.
        for changes in [
            "{}", #"{"due_on": "9999-12-31", "planted_on": "0001-01-01"}"#,
            #"{"alarm_at": "9999-12-31 23:59:59.999999+00", "removed_at": "0001-01-01 00:00:00+00"}"#,
            #"{"watering_count": 999999999, "postponement_count": 0}"#,
        ] {
            _ = try await plant(changes)
        }
        for changes in [
            #"{"due_on": "10000-01-01"}"#, #"{"due_on": "5874897-12-31"}"#, #"{"planted_on": "0001-12-31 BC"}"#,
            #"{"last_watered_on": "5874897-12-31"}"#, #"{"alarmed_due_dates": ["5874897-12-31"]}"#,
            #"{"birthday_on": "4713-01-01 BC", "birthday_at": "2027-03-02 00:00:00+00"}"#,
            #"{"alarm_at": "10000-01-01 00:00:00+00"}"#, #"{"withered_at": "294200-01-01 00:00:00+00"}"#,
            #"{"removed_at": "0001-12-31 23:59:59+00 BC"}"#,
            #"{"watering_count": 2147483647}"#, #"{"watering_count": -1}"#, #"{"postponement_count": 2147483647}"#,
            #"{"reminder_number": 2147483647, "reminder_at": "2027-03-02 00:00:00+00"}"#,
            #"{"alarm_minute": 1440}"#, #"{"birthday_month": 2, "birthday_day": 30}"#,
        ] {
            await #expect(throws: UnreadableRow.self, "\(changes)") { _ = try await plant(changes) }
        }
    }

    @Test("a plant with too many waterings to number is not watered, and an error is thrown")
    func watering() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.dropChecks()
        try await service.execute("UPDATE plant SET watering_count = 2147483647")
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        await #expect(throws: UnreadableRow.self) {
            _ = try await store.water(plant.reference, WateringRequest(method: .call))
        }
    }

    @Test("a tag whose colour has more than three bytes", arguments: [-1, 0x100_0000, Int(Int32.max)])
    func colours(_ colour: Int) async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        _ = try await service.store(at: seoul("2027-02-23T10:00")).addTag(
            TagName("family"), colour: TagColour("#ffffff"), cycle: nil, to: account.id)
        let tag = try await read("tag", TagRow.columns, with: "{}") { try TagRow.decode($0) }
        #expect(tag.colour.description == "#ffffff")
        await #expect(throws: UnreadableRow.self) {
            _ = try await read("tag", TagRow.columns, with: "{\"colour\": \(colour)}") { try TagRow.decode($0) }
        }
    }

    @Test("waterings with impossible numbers", arguments: [-1, Int(Int32.max), Int.max])
    func waterings(_ number: Int) async throws {
        func watering(_ number: Int) async throws -> Watering {
            try await read(
                """
                SELECT $1::bigint, date '2027-02-23', now(), 'call'::contact_method, NULL::date, false, '{}'::text[],
                    NULL::text, false
                """, [number]
            ) { try WateringRow.decode(&$0) }
        }
        #expect(try await watering(3).number == 3)
        await #expect(throws: UnreadableRow.self) { _ = try await watering(number) }
    }

    @Test("postponements by other than 1 to 7 days", arguments: [Int.min, 0, 8, Int.max])
    func postponements(_ days: Int) async throws {
        func postponement(_ days: Int) async throws -> ExportedPostponement {
            try await read("SELECT 1, now(), date '9999-12-24', $1::bigint", [days]) {
                try HistoryTable<ExportedPostponement>.postponements.decode(&$0)
            }
        }
        let last = try await postponement(7)
        #expect(last.postponement.dueOn == CivilDay("9999-12-31"))
        await #expect(throws: UnreadableRow.self) { _ = try await postponement(days) }
    }

    @Test("points of affection other than 1 to 8", arguments: [Int.min, 0, 9, Int.max])
    func points(_ points: Int) async throws {
        func row(_ points: Int) async throws -> ExportedAffection {
            try await read("SELECT 1, 'contact'::affection_reason, $1::bigint, now()", [points]) {
                try HistoryTable<ExportedAffection>.ledger.decode(&$0)
            }
        }
        #expect(try await row(8).entry.points == 8)
        await #expect(throws: UnreadableRow.self) { _ = try await row(points) }
    }

    @Test("imports with impossible counts of care", arguments: [-1, Int(Int32.max), Int.max])
    func careCounts(_ count: Int) async throws {
        func change(_ count: Int) async throws -> ImportBatch.Change {
            try await read(
                """
                SELECT gen_random_uuid(), 'planted', NULL::text, NULL::text, NULL::text, NULL::text, '{}'::uuid[],
                    NULL::timestamptz, NULL::date, NULL::text, NULL::date, $1::bigint, '0123456789abcdef'
                """, [count]
            ) { try ImportRow.change(&$0) }
        }
        #expect(try await change(4).after?.careCount == 4)
        await #expect(throws: UnreadableRow.self) { _ = try await change(count) }
    }

    @Test("negative counts, and those that would overflow when added up", arguments: [-1, Int.max])
    func counts(_ count: Int) async throws {
        func next(_ count: Int) async throws -> Int {
            try await read("SELECT $1::bigint", [count]) { try $0.nextCount() }
        }
        #expect(try await next(12) == 12)
        await #expect(throws: UnreadableRow.self) { _ = try await next(count) }
    }

    // MARK: - Pushes

    @Test("an occurrence's ref is a day, or the number of a watering")
    func refs() async throws {
        func state(_ topic: Topic, _ ref: Int) async throws -> SubjectState {
            // A plant that was erased.
            try await read("SELECT NULL::date") { reader in
                try PlantDomain().state(
                    of: Occurrence(
                        at: try seoul("2027-03-02T09:00"), accountID: Account.ID(UUID()), subjectID: Subject.ID(UUID()),
                        topic: topic, ref: ref), &reader)
            }
        }
        let lastDay = try Int(civilDay("9999-12-31").daysSinceEpoch)
        let known: [(Topic, Int)] = [(.wateringDue, lastDay), (.birthday, -1), (.reviewMissing, 999_999_999)]
        for (topic, ref) in known {
            #expect(try await state(topic, ref) == .erased)
        }
        let unknown: [(Topic, Int)] = [
            (.wateringDue, lastDay + 1), (.withered, Int(Int32.max)), (.birthday, .min), (.birthday, .max),
            (.reviewMissing, -1), (.reviewMissing, Int(Int32.max)),
        ]
        for (topic, ref) in unknown {
            await #expect(throws: UnreadableRow.self, "\(topic) \(ref)") { _ = try await state(topic, ref) }
        }
    }

    @Test("a lane that ran out of job numbers", arguments: [-1, Int.max])
    func sequences(_ seq: Int) async throws {
        func lastSeq(_ seq: Int) async throws -> Int {
            try await read(
                "SELECT now(), now(), now(), gen_random_uuid(), 'watering_due'::topic, 0, $1::bigint", [seq]
            ) { try LaneScheduler.Position(ServiceUnderTest.lane, &$0).lastSeq }
        }
        #expect(try await lastSeq(41) == 41)
        await #expect(throws: UnreadableRow.self) { _ = try await lastSeq(seq) }
    }

    @Test("a job with an impossible number of attempts", arguments: [-1, Int(Int32.max), Int.max])
    func attempts(_ attempts: Int) async throws {
        func job(_ attempts: Int) async throws -> FoundJob {
            let rows = try await ServiceUnderTest().pool.withConnection { connection in
                try await connection.query(
                    """
                    SELECT now(), $1::bigint, true, 41::bigint, now(), now(), now(), gen_random_uuid(),
                        gen_random_uuid(), 'watering_due'::topic, 0, NULL::date
                    """, [attempts])
            }
            return try FoundJob(try #require(rows.first), in: ServiceUnderTest.lane, .all)
        }
        #expect(try await job(9).unreadable == nil)
        #expect(try await job(attempts).unreadable?.table == "push_retry")
    }

    @Test("an unreadable plant does not keep its lane's other plants from their pushes")
    func others() async throws {
        let service = ServiceUnderTest()
        let switches = NotificationSwitches(watering: true, review: true, birthday: true)
        let (account, _) = try await service.garden(switches: switches)
        let now = try seoul("2027-02-23T10:00")
        // 2 March is this one's birthday, and the due date of the garden's other plant.
        let broken = try await service.friend(of: account, number: 2, cycle: 30, birthday: "03-02", at: now)
        try await service.dropChecks()
        try await service.execute(
            "UPDATE plant SET due_on = '5874897-12-31', planted_on = '0044-03-15 BC' WHERE id = $1", [broken.id])
        try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(
            try await service.pushes().sorted() == [
                "birthday 2027-03-02 delivered sent", "watering_due 2027-03-02 delivered sent",
            ])
        let store = service.store(at: try seoul("2027-03-02T09:00"))
        await #expect(throws: UnreadableRow.self) { _ = try await store.plant(broken.id.description) }
    }

    // MARK: - What is said of them

    @Test("an error names the row and a repair, but not its contents")
    func names() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        _ = try await store.water(plant.reference, WateringRequest(method: .call))
        try await service.dropChecks()
        func sentence(_ change: String, _ read: () async throws -> Void) async throws -> String {
            try await service.execute("UPDATE \(change)")
            return try await #require(throws: UnreadableRow.self, "\(change)") { try await read() }.description
        }
        let watered = try await sentence("watering SET watered_on = 'infinity'") {
            _ = try await store.history(of: plant.reference)
        }
        #expect(
            watered == """
                the row of table watering with lane 7, plant_id '\(plant.id)', number 1 holds an infinite date in column \
                watered_on, which no rule allows; as the owner of the tables correct it, for example by UPDATE watering SET \
                watered_on = … WHERE lane = 7 AND plant_id = '\(plant.id)' AND number = 1, or restore it from a backup
                """)
        let due = try await sentence("plant SET due_on = '5874897-12-31'") {
            _ = try await store.plant(plant.id.description)
        }
        #expect(
            due.contains(
                "table plant with lane 7, id '\(plant.id)' holds a day outside of the years 1 to 9999 in column due_on")
        )
        #expect(due.contains("UPDATE plant SET due_on = … WHERE lane = 7 AND id = '\(plant.id)'"))
        let phone = try await sentence("account SET phone = 'call me at 010-1234'") {
            _ = try await store.account(account.id.description)
        }
        #expect(
            phone.contains(
                "table account with lane 7, id '\(account.id)' holds what the rules refuse as invalid_phone in column phone"
            ))
        #expect(!phone.contains("010-1234"))
        let cursor = try await sentence("lane SET cursor_at = 'infinity' WHERE lane = 7") {
            _ = try await store.water(plant.reference, WateringRequest(method: .call))
        }
        #expect(cursor.contains("UPDATE lane SET cursor_at = … WHERE lane = 7"))
    }

    @Test("a broken lane stops and is reported in each round; the others continue")
    func brokenLanes() async throws {
        let reported = Mutex<[String]>([])
        var service = ServiceUnderTest()
        service.report = { row, consequence in reported.withLock { $0.append("\(row): \(consequence)") } }
        for lane in 1...4 { _ = try await service.garden(lane: Lane(UInt8(lane)), email: "\(lane)@example.com") }
        try await service.dropChecks()
        try await service.execute("UPDATE lane SET cursor_at = 'infinity' WHERE lane = 1")
        try await service.execute("UPDATE lane SET last_recorded_at = '5000-01-01' WHERE lane = 2")
        try await service.execute("UPDATE lane_delivery SET cursor_seq = 41 WHERE lane = 3")
        let counts = try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(counts.enqueued == 2 && counts.delivered == 1)
        #expect(try await service.texts("SELECT lane::text FROM push_receipt") == ["4"])
        let sentences = reported.withLock { Set($0) }
        for (row, consequence) in [
            ("table lane with lane 1 holds an infinite instant in column cursor_at", "lane 1 schedules nothing"),
            (
                "table lane with lane 2 holds an instant beyond the calendar in column last_recorded_at",
                "lane 2 schedules"
            ),
            ("table lane_delivery with lane 3 holds", "lane 3 delivers nothing until it is repaired"),
        ] {
            #expect(sentences.contains { $0.contains(row) && $0.contains(consequence) }, "\(row) in \(sentences)")
        }
    }

    @Test("7.8: an unreadable job ends as dead, and the list of its plant's pushes stays readable")
    func endsAsDead() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        _ = try await service.friend(of: account, number: 2, at: seoul("2027-02-23T10:00"))
        try await service.dropChecks()
        try await service.execute(
            "UPDATE occurrence SET ref = -2147483648 WHERE subject_id = $1", [plant.id])
        try await service.run(at: seoul("2027-03-02T09:00"))
        let ends = try await service.texts("SELECT concat_ws(' ', outcome, reason) FROM push ORDER BY 1")
        #expect(ends == ["dead unreadable_row", "delivered sent"])
        #expect(try await service.unaccounted(upTo: seoul("2027-03-02T09:00")).isEmpty)
        let listed = try await service.store(at: seoul("2027-03-02T09:01")).pushes(account)
        #expect(Set(listed.map(\.occursOn)) == [try civilDay("2027-03-02")])
    }

    @Test("jobs with missing numbers do not keep a lane busy for ever", arguments: ["'9223372036854775807'", "'-1'"])
    func missingNumbers(_ seq: String) async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let other = try await service.friend(of: account, number: 2, at: seoul("2027-02-23T10:00"))
        let now = try seoul("2027-03-02T09:00")
        _ = try await service.tick(at: now).schedule()
        try await service.dropChecks()
        for broken in [plant, other] {
            try await service.execute(
                "UPDATE push_job SET seq = \(seq)::bigint - $2 WHERE subject_id = $1",
                [broken.id, broken.id == plant.id ? 1 : 2])
        }
        try await service.run(at: now)
        #expect(try await service.rows(of: "push_outcome") == 2)
        #expect(
            try await service.count(
                "SELECT count(*) FROM lane JOIN lane_delivery USING (lane) WHERE last_seq <> cursor_seq") == 0)
        // The next one is delivered as usual.
        _ = try await service.friend(of: account, number: 3, alarm: "09:30", at: seoul("2027-02-23T10:00"))
        let counts = try await service.run(at: seoul("2027-03-02T09:30"))
        #expect(counts.delivered == 1)
    }
}

/// What the database itself refuses, whoever writes it.
@Suite("The database refuses rows that the engine cannot read", .migratedDatabase)
struct RefusedRowTests {
    /// Changes of a garden, each with the constraint that refuses it.
    private static let changes = [
        ("account SET email = repeat('x', 255)", "account_email_length"),
        ("account SET nickname = repeat('x', 1281)", "account_nickname_length"),
        ("account SET time_zone = '../etc/passwd'", "account_time_zone_form"),
        ("account SET created_at = 'infinity'", "account_created_at_range"),
        ("device SET added_at = '-infinity'", "device_instants_range"),
        ("device SET secret = 'whsec_short'", "device_secret_form"),
        ("plant SET due_on = 'infinity'", "plant_days_range"),
        ("plant SET planted_on = '0001-12-31 BC'", "plant_days_range"),
        ("plant SET birthday_on = '10000-01-01', birthday_at = now()", "plant_days_range"),
        ("plant SET alarm_at = 'infinity'", "plant_instants_range"),
        ("plant SET birthday_year = 0, birthday_month = NULL, birthday_day = NULL", "plant_birthday_is_a_day"),
        ("plant SET birthday_year = -5, birthday_month = 2, birthday_day = 3", "plant_birthday_year_range"),
        ("plant SET watering_count = 1000000000", "plant_counts_range"),
        ("plant SET reminder_number = -5, reminder_at = now()", "plant_reminder_number_range"),
        ("plant SET alarmed_due_dates = '{NULL}'", "plant_alarmed_due_dates_are_days"),
        ("plant SET alarmed_due_dates = '{-infinity}'", "plant_alarmed_due_dates_are_days"),
        ("plant SET alarmed_due_dates = array_fill(due_on, ARRAY[9])", "plant_alarmed_due_dates_are_days"),
        ("plant SET alarmed_due_dates = '{{2027-03-02}}'", "plant_alarmed_due_dates_are_days"),
        ("plant SET name = repeat('x', 3201)", "plant_name_length"),
        ("watering SET watered_on = 'infinity'", "watering_days_range"),
        ("watering SET keywords = '{NULL}'", "watering_keywords_are_words"),
        ("watering SET keywords = '{\"\"}'", "watering_keywords_are_words"),
        ("watering SET keywords = '[5:5]={x}'", "watering_keywords_are_words"),
        ("watering SET keywords = '{{x}}'", "watering_keywords_are_words"),
        ("watering SET memo = repeat('x', 6401)", "watering_memo_length"),
        ("cycle_change SET due_on = '-infinity'", "cycle_change_due_on_range"),
        ("affection_entry SET gained_at = 'infinity'", "affection_entry_gained_at_range"),
        ("tag SET name = repeat('x', 1281)", "tag_name_length"),
        ("lane SET cursor_at = 'infinity'", "lane_cursor_at_range"),
        ("lane SET last_seq = -1", "lane_last_seq_range"),
        ("lane_delivery SET cursor_seq = 9223372036854775807", "lane_delivery_cursor_seq_range"),
        ("lane_delivery SET leased_by = 'x', leased_until = 'infinity'", "lane_delivery_leased_until_range"),
        ("occurrence SET ref = -2147483648", "occurrence_ref_range"),
        ("occurrence SET topic = 'review_missing', ref = -5", "occurrence_ref_range"),
        ("occurrence SET lane = 256", "occurrence_lane_range"),
    ]

    @Test("each is refused by its own constraint, even in partitions created later")
    func refused() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let now = try seoul("2027-02-24T10:00")
        let store = service.store(at: now)
        _ = try await store.addDevice(account, platform: .webhook, token: "https://example.com/hook")
        _ = try await store.addTag(TagName("family"), colour: nil, cycle: nil, to: account.id)
        _ = try await store.water(
            plant.reference, WateringRequest(method: .call, review: try Review(keywords: ["산책"], memo: nil)))
        let before = try await service.fingerprint()
        for (change, constraint) in Self.changes {
            let error = await #expect(throws: PostgresError.self, "\(change)") {
                try await service.execute("UPDATE \(change)")
            }
            #expect(error?.constraint == constraint, "\(change): \(error?.description ?? "taken")")
        }
        let unknown = await #expect(throws: PostgresError.self) {
            try await service.execute("UPDATE account SET time_zone = 'Mars/Olympus'")
        }
        // The server names no constraint, because it does not know the zone.
        #expect(unknown?.sqlState == "22023")
        #expect(try await service.fingerprint() == before)
        try await service.execute("UPDATE account SET time_zone = 'America/Argentina/Buenos_Aires'")
    }

    @Test("every table of a lane limits its lanes, and a zone unknown to this server does not break a dump")
    func lanes() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.execute("SELECT make_log_partitions(now())")
        for table in ["push_job", "push_retry"] {
            let (columns, values) =
                table == "push_job"
                ? (
                    "account_id, subject_id, topic, ref, planned_at, expires_at",
                    "'\(plant.accountID)', '\(plant.id)', 'watering_due', 0, now(), now()"
                ) : ("attempts, retry_at", "1, now()")
            for (lane, seq) in [(256, 1), (-1, 1), (7, 0), (7, -1)] {
                let error = await #expect(throws: PostgresError.self) {
                    try await service.execute(
                        "INSERT INTO \(table) (lane, recorded_at, seq, \(columns)) VALUES (\(lane), now(), \(seq), \(values))"
                    )
                }
                #expect(error?.constraint == "\(table)_\(lane == 7 ? "seq" : "lane")_range")
            }
        }
        // Not validated, because pg_dump writes such a constraint after the rows.
        let isValid: Bool = try await service.single(
            "SELECT convalidated FROM pg_constraint WHERE conname = 'account_time_zone_is_known'")
        #expect(!isValid)
    }
}
