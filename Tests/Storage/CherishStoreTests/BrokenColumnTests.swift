import CherishCore
import CherishPush
import CherishTestSupport
import CherishWorker
import Postgres
import Synchronization
import Testing

@testable import CherishStore

/// Breaks each column of each table that the worker reads, with the worst values of its type: one break per lane. Each
/// lane has two accounts, one of which gets the broken row.
@Suite("No broken row keeps its neighbours from their pushes", .migratedDatabase, .timeLimit(.minutes(60)))
struct BrokenColumnTests {
    /// When rows are broken: before scheduling, or between scheduling and delivery.
    enum Stage: CaseIterable, Sendable {
        case scheduling, delivery

        var tables: [String] {
            switch self {
            case .scheduling:
                [
                    "account", "device", "helped_list", "lane", "lane_delivery", "occurrence", "plant", "shopping_list",
                    "watering",
                ]
            case .delivery:
                [
                    "account", "device", "helped_list", "lane", "lane_delivery", "plant", "push_device_outcome",
                    "push_job",
                    "sent_push", "push_retry", "shopping_list", "watering",
                ]
            }
        }
    }

    /// A column and its new value, as SQL.
    struct Break: Sendable, CustomStringConvertible {
        let table: String
        let column: String
        let value: String

        var description: String { "\(table).\(column) = \(value)" }
        /// A lane's own rows belong to no account: that lane stops.
        var stopsItsLane: Bool { table == "lane" || table == "lane_delivery" }
    }

    private static let neighbour = "neighbour@example.com"
    private static let victim = "victim@example.com"
    /// A few pushes were already sent or tried at 08:50 and 08:58; the others are due now.
    private static let due = "2027-03-02T09:00"
    /// Pushes of each account.
    private static let pushCount = 5
    private static let parts = 3

    @Test("whatever a column contains", arguments: Stage.allCases, Array(0..<BrokenColumnTests.parts))
    func columns(_ stage: Stage, part: Int) async throws {
        do {
            try await deliver(withBroken: stage, part: part)
        } catch let error as PostgresError {
            // Its description names no rows, and so not what was refused.
            Issue.record("\(error.debugDescription)")
        }
    }

    private func deliver(withBroken stage: Stage, part: Int) async throws {
        let reports = Mutex<[String]>([])
        var service = ServiceUnderTest(devices: RecordingDeviceSender().senders())
        service.report = { row, consequence in reports.withLock { $0.append("\(row): \(consequence)") } }
        let all = try await breaks(of: stage.tables, service)
        let breaks = all.enumerated().filter { $0.offset % Self.parts == part }.map(\.element)
        try #require(breaks.count <= 255, "make more parts: there are 256 lanes")
        try await fillLane(0)
        try await copyLane(toLanesUpTo: breaks.count, service)
        try await service.dropChecks()

        let tick = service.tick(at: try seoul(Self.due))
        if stage == .delivery { _ = try await tick.schedule() }
        var broken: [Int: Break] = [:]
        for (place, change) in breaks.enumerated() where try await apply(change, in: place + 1, service) {
            broken[place + 1] = change
        }
        // The other breaks are refused by types, keys and partition bounds.
        #expect(broken.count > breaks.count / 2)
        #expect(Set(broken.values.map(\.table)) == Set(breaks.map(\.table)))
        _ = try await tick.run()

        let delivered = try await delivered(service)
        for lane in 0...breaks.count where broken[lane]?.stopsItsLane != true {
            #expect(
                delivered[lane] == Self.pushCount,
                "\(broken[lane]?.description ?? "nothing broken"): \(delivered[lane] ?? 0) of \(Self.pushCount) pushes")
        }
        let findings = reports.withLock { $0 }
        #expect(!findings.isEmpty)
        let secrets = ["example.com", "+82", "김하나"]
        #expect(!findings.contains { finding in secrets.contains { finding.contains($0) } }, "\(findings)")
    }

    // MARK: - What is broken

    /// All columns of some tables, with the worst values of their types.
    private func breaks(of tables: [String], _ service: ServiceUnderTest) async throws -> [Break] {
        let columns = try await service.pool.withConnection { connection in
            try await connection.query(
                """
                SELECT relname::text, attname::text, format_type(atttypid, NULL), NOT attnotnull, ARRAY (
                    SELECT enumlabel::text FROM pg_enum WHERE enumtypid = atttypid ORDER BY enumsortorder)
                FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1) AND attnum > 0 AND NOT attisdropped
                ORDER BY relname, attnum
                """, [tables])
        }
        return try columns.flatMap { row in
            let (table, column): (String, String) = (try row.decode(0), try row.decode(1))
            let labels = try row.decode(4, as: [String].self)
            let values = labels.isEmpty ? Self.worst(of: try row.decode(2)) : labels.map { "'\($0)'" }
            try #require(!values.isEmpty, "add the worst values for \(table).\(column)")
            return (values + (try row.decode(3, as: Bool.self) ? ["NULL"] : [])).map {
                Break(table: table, column: column, value: $0)
            }
        }
    }

    private static func worst(of type: String) -> [String] {
        switch type {
        case "smallint": ["-32768", "32767"]
        case "integer": ["-2147483648", "-1", "2147483647"]
        case "bigint": ["-9223372036854775808", "-1", "9223372036854775807"]
        case "boolean": ["true", "false"]
        case "boolean[]": ["'{NULL}'", "'{{t}}'", "array_fill(true, ARRAY[10000])"]
        case "double precision": ["'NaN'", "'infinity'", "'-infinity'"]
        case "date": ["'infinity'", "'-infinity'", "'5874897-12-31'", "'4713-01-01 BC'"]
        case "timestamp with time zone":
            ["'infinity'", "'-infinity'", "'294276-12-31 23:59:59+00'", "'4713-01-01 00:00:00+00 BC'"]
        case "bytea": ["''", "decode(repeat('04', 65), 'hex')", "decode(repeat('ff', 100000), 'hex')"]
        case "text": ["''", "E'Mars/Olympus\\n'", "repeat('x', 100000)"]
        case "uuid": ["'ffffffff-ffff-ffff-ffff-ffffffffffff'"]
        case "date[]": ["'{infinity}'", "'{NULL}'", "'{{2027-03-02}}'", "array_fill(date '2027-03-02', ARRAY[10000])"]
        case "timestamp with time zone[]":
            ["'{infinity}'", "'{NULL}'", "'{{2027-03-02}}'", "array_fill(timestamptz '2027-03-02', ARRAY[10000])"]
        case "jsonb": ["'[]'", "jsonb_build_object('x', repeat('x', 100000))"]
        case "text[]": ["'{NULL}'", "'{\"\"}'", "'{{a}}'", "array_fill('x'::text, ARRAY[10000])"]
        case "uuid[]": ["'{NULL}'", "'{{00000000-0000-0000-0000-000000000000}}'"]
        default: []
        }
    }

    /// Breaks the rows of one account in a lane, or one of them if they must differ.
    ///
    /// - Returns: whether the database accepted it.
    private func apply(_ change: Break, in lane: Int, _ service: ServiceUnderTest) async throws -> Bool {
        let account = "(SELECT id FROM account WHERE lane = \(lane) AND email = '\(Self.victim)')"
        let plants = "(SELECT id FROM plant WHERE lane = \(lane) AND account_id = \(account))"
        let jobs = "(SELECT seq FROM push_job WHERE lane = \(lane) AND subject_id IN \(plants))"
        let owned =
            switch change.table {
            case "account": "id = \(account)"
            case "device", "helped_list", "plant", "sent_push", "shopping_list": "account_id = \(account)"
            case "watering": "plant_id IN \(plants)"
            case "occurrence", "push_job": "subject_id IN \(plants)"
            case "push_retry", "push_device_outcome": "seq IN \(jobs)"
            default: "true"
            }
        let rows = "lane = \(lane) AND \(owned)"
        let single = "(tableoid, ctid) IN (SELECT tableoid, ctid FROM \(change.table) WHERE \(rows) LIMIT 1)"
        for condition in [rows, single] {
            do {
                let count = try await service.pool.withConnection { connection in
                    try await connection.execute(
                        "UPDATE \(change.table) SET \(change.column) = \(change.value) WHERE \(condition)")
                }
                return count > 0
            } catch let error as PostgresError {
                // Keys, missing partitions, values too large for an index.
                let refusals = ["23503", "23505", "23514", "22008", "54000"]
                try #require(
                    error.sqlState.map { refusals.contains($0) } == true, "\(change): \(error.debugDescription)")
            }
        }
        return false
    }

    // MARK: - Who lives there

    /// Two accounts in a lane, with identical histories.
    private func fillLane(_ number: UInt8) async throws {
        let retried = try seoul("2027-03-02T08:58")
        // One push fails at first, so that there is a retry.
        let sender = RecordingDeviceSender { push, _, _ in
            push.plannedAt == retried ? .failed(reason: "busy", retryAfter: nil) : .accepted
        }
        let service = ServiceUnderTest(devices: sender.senders())
        let registered = try seoul("2027-02-23T10:00")
        let lateDay = try seoul("2027-03-02T08:30")
        var watered: [Plant] = []
        for email in [Self.victim, Self.neighbour] {
            let account = try await service.account(
                lane: Lane(number), email: email, switches: NotificationSwitches(birthday: true, withered: true),
                at: registered)
            let store = service.store(at: registered)
            _ = try await store.addDevice(account, platform: .ios, token: "token of \(email)")
            _ = try await store.addDevice(account, platform: .webhook, token: "https://example.com/\(email)")
            _ = try await store.addDevice(
                account, platform: .web, token: "https://push.example/\(email)", keys: TestBrowser().keys)
            for (place, alarm) in ["08:50", "08:58", "09:00"].enumerated() {
                _ = try await service.friend(of: account, number: place + 1, alarm: alarm, at: registered)
            }
            watered.append(try await service.friend(of: account, number: 4, alarm: "21:00", at: registered))
            let birthday = try await service.friend(
                of: account, number: 5, cycle: 30, birthday: "03-02", at: registered)
            _ = try await service.store(at: seoul("2027-02-24T10:00")).water(
                birthday.reference,
                WateringRequest(method: .call, review: try Review(keywords: ["등산", "커피"], memo: "둘만의 이야기")))
        }
        try await fillLists(service)
        // The review reminder follows half an hour later.
        for plant in watered {
            _ = try await service.store(at: lateDay).water(plant.reference, WateringRequest(method: .message))
        }
        try await service.run(at: seoul("2027-03-02T08:50"))
        try await service.run(at: retried)
        #expect(try await service.rows(of: "push_retry") == 2)
    }

    /// Each account has a list that was delivered, and helped with one that was cancelled, both just now.
    private func fillLists(_ service: ServiceUnderTest) async throws {
        try await service.pool.withConnection { connection in
            try await connection.script(
                """
                INSERT INTO shopping_list (lane, id, account_id, title, entry_names, entry_quantities, entries_bought, opened_at,
                    expires_at, accepted_at, helper_id, helper_nickname, helper_rating_count, helper_rating_sum, delivered_at,
                    event_topic, event_at, version, modified_at, created_at)
                SELECT lane, gen_random_uuid(), id, 'x', '{우유}', '{""}', '{t}', at, at + interval '7 days', at, id, '하나', 1, 5, at,
                    'list_delivered', at, 4, at, at
                FROM account, (SELECT timestamptz '2027-03-02T09:00:00+09' AS at) AS due;
                INSERT INTO helped_list (lane, account_id, list_id, owner_id, owner_nickname, claimed_at, accepted_at, opened_at,
                    expires_at, ended_at, acceptance_count, release_count, list_version, event_topic, event_at)
                SELECT lane, id, gen_random_uuid(), id, '하나', at, at, at, at + interval '7 days', at, 1, 0, 3, 'list_cancelled', at
                FROM account, (SELECT timestamptz '2027-03-02T09:00:00+09' AS at) AS due;
                INSERT INTO occurrence (lane, at, account_id, subject_id, topic, ref)
                SELECT lane, event_at, account_id, id, event_topic, 0 FROM shopping_list
                UNION ALL
                SELECT lane, event_at, account_id, list_id, event_topic, 1 FROM helped_list;
                """)
        }
    }

    /// Copies lane 0 to other lanes. Ids other than those of accounts are moved by their last byte too.
    private func copyLane(toLanesUpTo last: Int, _ service: ServiceUnderTest) async throws {
        let tables = [
            "account", "device", "plant", "watering", "cycle_change", "affection_entry", "shopping_list", "helped_list",
            "occurrence",
            "occurrence_outcome", "push_job", "push_receipt", "push_outcome", "push_retry", "push_device_outcome",
            "sent_push",
        ]
        try await service.pool.withConnection { connection in
            try await connection.script(
                """
                CREATE FUNCTION pg_temp.moved(original jsonb, lane integer) RETURNS jsonb LANGUAGE sql AS $$
                    SELECT regexp_replace(original::text,
                        '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{10})[0-9a-f]{2}',
                        '\\1' || lpad(to_hex(lane), 2, '0'), 'g')::jsonb || jsonb_build_object('lane', lane)
                $$
                """)
            for table in tables {
                try await connection.execute(
                    """
                    INSERT INTO \(table) SELECT copy.* FROM \(table) AS original, generate_series(1, $1) AS copied (to_lane),
                        LATERAL jsonb_populate_record(original, pg_temp.moved(to_jsonb(original), to_lane::int)) AS copy
                    WHERE original.lane = 0
                    """, [last])
            }
            try await connection.execute(
                """
                UPDATE lane SET cursor_at = first.cursor_at, cursor_topic = first.cursor_topic,
                    cursor_subject_id = (left(first.cursor_subject_id::text, 34) || lpad(to_hex(lane.lane::int), 2, '0'))::uuid,
                    cursor_ref = first.cursor_ref, last_seq = first.last_seq,
                    last_recorded_at = first.last_recorded_at
                FROM lane AS first WHERE first.lane = 0 AND lane.lane BETWEEN 1 AND $1
                """, [last])
            try await connection.execute(
                """
                UPDATE lane_delivery AS delivery SET cursor_recorded_at = first.cursor_recorded_at,
                    cursor_seq = first.cursor_seq, fence = first.fence
                FROM lane_delivery AS first WHERE first.lane = 0 AND delivery.lane BETWEEN 1 AND $1
                """, [last])
        }
    }

    /// How many pushes were delivered to each lane's neighbour.
    private func delivered(_ service: ServiceUnderTest) async throws -> [Int: Int] {
        let rows = try await service.pool.withConnection { connection in
            try await connection.query(
                """
                SELECT account.lane, count(*) FILTER (WHERE push.outcome = 'delivered') FROM account
                JOIN plant ON plant.lane = account.lane AND plant.account_id = account.id
                JOIN push ON push.lane = plant.lane AND push.subject_id = plant.id
                WHERE account.email = $1 GROUP BY account.lane
                """, [Self.neighbour])
        }
        return Dictionary(
            try rows.map { (try $0.decode(0, as: Int.self), try $0.decode(1, as: Int.self)) },
            uniquingKeysWith: { first, _ in first })
    }
}
