import CherishCore
import CherishTestSupport
import Postgres
import Testing

@testable import CherishStore

/// Types of columns and most constraints keep these out. A server that is damaged or somebody else's may send them all
/// the same, and then adding a day or one more must not end the program.
@Suite("Rows that no rule allows are refused", .migratedDatabase, .serialized)
struct UnreadableRowTests {
    /// Reads the only row of a statement.
    private func read<Value>(
        _ sql: String, _ parameters: [any PostgresEncodable] = [], _ decode: (inout RowReader) throws -> Value
    ) async throws -> Value {
        let rows = try await ServiceUnderTest().pool.withConnection { try await $0.query(sql, parameters) }
        var reader = try #require(rows.first).reader
        return try decode(&reader)
    }

    /// Reads the only row of a table as if some of its columns held something else, whatever its constraints say.
    private func read<Value>(
        _ table: String, _ columns: String, with changes: String, _ decode: (Row) throws -> Value
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

    @Test("a plant whose days, instants and counts nobody can reckon with")
    func plants() async throws {
        _ = try await ServiceUnderTest().garden()
        func plant(_ changes: String) async throws -> Plant {
            try await read("plant", PlantRow.columns, with: changes) { try PlantRow.decode($0) }
        }
        // The first and the last day that can be written, and as many waterings as anybody can make.
        for changes in [
            "{}", #"{"due_on": "9999-12-31", "planted_on": "0001-01-01"}"#,
            #"{"alarm_at": "9999-12-31 23:59:59.999999+00", "archived_at": "0001-01-01 00:00:00+00"}"#,
            #"{"watering_count": 999999999, "postponement_count": 0}"#,
        ] {
            _ = try await plant(changes)
        }
        for changes in [
            #"{"due_on": "10000-01-01"}"#, #"{"due_on": "5874897-12-31"}"#, #"{"planted_on": "0001-12-31 BC"}"#,
            #"{"last_watered_on": "5874897-12-31"}"#, #"{"alarmed_due_dates": ["5874897-12-31"]}"#,
            #"{"birthday_on": "4713-01-01 BC", "birthday_at": "2027-03-02 00:00:00+00"}"#,
            #"{"alarm_at": "10000-01-01 00:00:00+00"}"#, #"{"withered_at": "294200-01-01 00:00:00+00"}"#,
            #"{"archived_at": "0001-12-31 23:59:59+00 BC"}"#,
            #"{"watering_count": 2147483647}"#, #"{"watering_count": -1}"#, #"{"postponement_count": 2147483647}"#,
            #"{"reminder_number": 2147483647, "reminder_at": "2027-03-02 00:00:00+00"}"#,
            #"{"alarm_minute": 1440}"#, #"{"birthday_month": 2, "birthday_day": 30}"#,
        ] {
            await #expect(throws: UnreadableRow.self, "\(changes)") { _ = try await plant(changes) }
        }
    }

    @Test("a plant with more waterings than can be numbered is not watered, and says so")
    func watering() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
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

    @Test("waterings by impossible numbers", arguments: [-1, Int(Int32.max), Int.max])
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
        func postponement(_ days: Int) async throws -> ArchivedPostponement {
            try await read("SELECT 1, now(), date '9999-12-24', $1::bigint", [days]) {
                try HistoryTable<ArchivedPostponement>.postponements.decode(&$0)
            }
        }
        let last = try await postponement(7)
        #expect(last.postponement.dueOn == CivilDay("9999-12-31"))
        await #expect(throws: UnreadableRow.self) { _ = try await postponement(days) }
    }

    @Test("points of affection other than 1 to 8", arguments: [Int.min, 0, 9, Int.max])
    func points(_ points: Int) async throws {
        func row(_ points: Int) async throws -> ArchivedAffection {
            try await read("SELECT 1, 'contact'::affection_reason, $1::bigint, now()", [points]) {
                try HistoryTable<ArchivedAffection>.ledger.decode(&$0)
            }
        }
        #expect(try await row(8).entry.points == 8)
        await #expect(throws: UnreadableRow.self) { _ = try await row(points) }
    }

    @Test("imports whose plants were cared for more often than can be", arguments: [-1, Int(Int32.max), Int.max])
    func careCounts(_ count: Int) async throws {
        func change(_ count: Int) async throws -> ImportBatch.Change {
            try await read(
                """
                SELECT gen_random_uuid(), 'planted', NULL::text, NULL::text, NULL::text, NULL::text, '{}'::uuid[],
                    NULL::timestamptz, NULL::date, NULL::text, $1::bigint, '0123456789abcdef'
                """, [count]
            ) { try ImportRow.change(&$0) }
        }
        #expect(try await change(4).after?.careCount == 4)
        await #expect(throws: UnreadableRow.self) { _ = try await change(count) }
    }

    @Test("counts below nothing, and such as would overflow when some are added up", arguments: [-1, Int.max])
    func counts(_ count: Int) async throws {
        func next(_ count: Int) async throws -> Int {
            try await read("SELECT $1::bigint", [count]) { try $0.nextCount() }
        }
        #expect(try await next(12) == 12)
        await #expect(throws: UnreadableRow.self) { _ = try await next(count) }
    }

    // MARK: - Pushes

    @Test("what a planned push is about is a day, or the number of a watering")
    func subjects() async throws {
        func subject(_ kind: PushKind, _ subject: Int) async throws -> Int {
            try await read("SELECT now(), gen_random_uuid(), $1::push_kind, $2::bigint", [kind.rawValue, subject]) {
                try OccurrenceKey(&$0).subject
            }
        }
        let lastDay = try Int(civilDay("9999-12-31").daysSinceEpoch)
        let known: [(PushKind, Int)] = [(.wateringDue, lastDay), (.birthday, -1), (.reviewMissing, 999_999_999)]
        for (kind, number) in known {
            #expect(try await subject(kind, number) == number)
        }
        let unknown: [(PushKind, Int)] = [
            (.wateringDue, lastDay + 1), (.withered, Int(Int32.max)), (.birthday, .min), (.birthday, .max),
            (.reviewMissing, -1), (.reviewMissing, Int(Int32.max)),
        ]
        for (kind, number) in unknown {
            await #expect(throws: UnreadableRow.self, "\(kind) \(number)") { _ = try await subject(kind, number) }
        }
    }

    @Test("a lane whose jobs cannot be numbered any more", arguments: [-1, Int.max])
    func sequences(_ seq: Int) async throws {
        func lastSeq(_ seq: Int) async throws -> Int {
            try await read(
                "SELECT now(), now(), now(), gen_random_uuid(), 'watering_due'::push_kind, 0, $1::bigint", [seq]
            ) { try LaneScheduler.Position(ServiceUnderTest.lane, &$0).lastSeq }
        }
        #expect(try await lastSeq(41) == 41)
        await #expect(throws: UnreadableRow.self) { _ = try await lastSeq(seq) }
    }

    @Test("a job that was tried more often than can be", arguments: [-1, Int(Int32.max), Int.max])
    func attempts(_ attempts: Int) async throws {
        func row(_ attempts: Int) async throws -> Int {
            let rows = try await ServiceUnderTest().pool.withConnection { connection in
                try await connection.query(
                    """
                    SELECT now(), 7::smallint, 41::bigint, now(), now(), now(), gen_random_uuid(),
                        'watering_due'::push_kind, 0, NULL::uuid, false, NULL::integer, NULL::timestamptz, NULL::date,
                        NULL::due_source, NULL::boolean, NULL::boolean, NULL::boolean, NULL::text, NULL::smallint,
                        NULL::date, NULL::integer, NULL::date, $1::bigint, true
                    """, [attempts])
            }
            return try DeliveryRow(try #require(rows.first)).attempts
        }
        #expect(try await row(9) == 9)
        await #expect(throws: UnreadableRow.self) { _ = try await row(attempts) }
    }

    @Test("a plant that nobody can read does not keep the others of its lane from their pushes")
    func others() async throws {
        let service = ServiceUnderTest()
        let switches = NotificationSwitches(watering: true, review: true, birthday: true)
        let (account, _) = try await service.garden(switches: switches)
        let now = try seoul("2027-02-23T10:00")
        // 2 March is the birthday of this one; the one of the garden is due on that day.
        let broken = try await service.friend(of: account, number: 2, cycle: 30, birthday: "03-02", at: now)
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
}
