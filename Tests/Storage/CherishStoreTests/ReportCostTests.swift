import CherishTestSupport
import Foundation
import Testing

@testable import CherishStore

/// The planner's estimates for a garden of 2,000 accounts, 10,000 plants, 200,000 waterings and 40,000 pushes. They
/// vary by a few percent from one ANALYZE to the next, and by far more if an index goes unused.
/// `scripts/benchmark-reports` measures the time for a hundred times as many.
@Suite("What the reports cost", .migratedDatabase, .serialized)
struct ReportCostTests {
    private let service = ServiceUnderTest()

    /// Estimates of PostgreSQL 15 for one account, with its lane, and by its id alone.
    private static let accountCosts: [String: (withLane: Double, byID: Double)] = [
        "account_day": (8, 8), "account_stats": (17, 17), "affection_check": (21, 59), "affection_ledger": (25, 59),
        "contact_rhythm": (56, 231), "dday": (17, 17), "due_dates": (78, 190), "garden": (17, 17), "overdue": (17, 17),
        "plant_day": (17, 17), "postponement_habits": (64, 165), "push_funnel": (431, 431),
        "push_outcomes": (536, 536), "pushes": (535, 535), "review_keyword_pairs": (39, 147),
        "review_keywords": (25, 83), "revivals": (79, 198), "streaks": (64, 252), "thing_completion_monthly": (25, 25),
        "things": (25, 25), "watering_by_method": (22, 62),
        "watering_daily": (22, 65),
    ]
    /// Estimates for the service: in full, and since February. Views that call `count_pushes` are left out, because the
    /// planner cannot see into it.
    private static let dailyCosts: [String: (full: Double, month: Double)] = [
        "service_postponement_daily": (269, 219), "service_watering_by_method": (6694, 3374),
        "service_watering_daily": (6705, 3396),
    ]
    private static let tolerance = 1.5

    @Test("costs do not exceed those recorded, and views of one account or month scan no large table")
    func costs() async throws {
        try await fill()
        let large = Set(
            try await service.texts("SELECT relname FROM pg_class WHERE relkind = 'r' AND relpages >= 20"))
        #expect(large.isSuperset(of: ["account", "plant", "watering", "affection_entry", "push_job_20270301"]))
        let perAccount = try await service.store(at: seoul("2027-03-02T09:40")).reports.list().filter(\.isPerAccount)
        #expect(
            perAccount.map(\.name) == Self.accountCosts.keys.sorted(),
            "add the costs of new account views to accountCosts, and remove those of old ones")

        let (id, lane) = try await someAccount()
        for (view, recorded) in Self.accountCosts {
            let byID = "report.\(view) WHERE account_id = '\(id)'"
            try await expectCheap("\(byID) AND lane = \(lane)", recorded.withLane, sparing: large)
            try await expectCheap(byID, recorded.byID, sparing: large)
        }
        for (view, recorded) in Self.dailyCosts {
            let month = "report.\(view) WHERE day >= '2027-02-01'"
            try await expectCheap("report.\(view)", recorded.full)
            let plan = try await expectCheap(month, recorded.month)
            let indexes = plan.nodes.compactMap(\.indexName)
            #expect(
                indexes.contains("watering_by_day") == view.contains("watering"),
                "a month of \(view) is read by \(indexes)")
        }
    }

    @Test("costs rise if an index is missing")
    func isSensitive() async throws {
        try await fill()
        try await service.execute("DROP INDEX plant_by_account, plant_living_phone")
        let (id, lane) = try await someAccount()
        let plan = try await plan(of: "report.dday WHERE account_id = '\(id)' AND lane = \(lane)")
        let recorded = try #require(Self.accountCosts["dday"])
        #expect(plan.totalCost > recorded.withLane * Self.tolerance)
    }

    // MARK: Plans

    private struct Explained: Decodable {
        let plan: Plan

        enum CodingKeys: String, CodingKey {
            case plan = "Plan"
        }
    }

    private struct Plan: Decodable {
        let nodeType: String
        let totalCost: Double
        let relationName: String?
        let indexName: String?
        let plans: [Plan]?

        enum CodingKeys: String, CodingKey {
            case nodeType = "Node Type"
            case totalCost = "Total Cost"
            case relationName = "Relation Name"
            case indexName = "Index Name"
            case plans = "Plans"
        }

        /// The node itself and all below it.
        var nodes: [Plan] { [self] + (plans ?? []).flatMap(\.nodes) }
    }

    private func plan(of rows: String) async throws -> Plan {
        let json: String = try await service.single("EXPLAIN (FORMAT JSON) SELECT * FROM \(rows)")
        let explained = try JSONDecoder().decode([Explained].self, from: Data(json.utf8))
        return try #require(explained.first).plan
    }

    @discardableResult
    private func expectCheap(
        _ rows: String, _ recorded: Double, sparing tables: Set<String> = []
    ) async throws -> Plan {
        let plan = try await plan(of: rows)
        #expect(
            plan.totalCost <= recorded * Self.tolerance,
            """
            \(rows) became dear: from \(recorded) to \(plan.totalCost). See in EXPLAIN what changed; if it must be so, \
            run scripts/benchmark-reports, and record the new cost here.
            """)
        let scanned = plan.nodes.filter { $0.nodeType == "Seq Scan" }.compactMap(\.relationName)
        #expect(
            tables.isDisjoint(with: scanned),
            "\(rows) reads \(scanned) from end to end: join by lane and id, or give the planner an index")
        return plan
    }

    private func someAccount() async throws -> (id: String, lane: String) {
        let id: String = try await service.single("SELECT id::text FROM account ORDER BY id LIMIT 1")
        let lane: String = try await service.single("SELECT lane::text FROM account ORDER BY id LIMIT 1")
        return (id, lane)
    }

    // MARK: The garden

    private func fill() async throws {
        try await service.pool.withConnection { connection in
            try await connection.script("BEGIN")
            // Rows are inserted complete, so that foreign keys need not be checked one by one.
            try await connection.script("SET LOCAL session_replication_role = replica; SET LOCAL timezone = 'UTC'")
            try await connection.script("\(Self.garden)")
            try await connection.script("\(Self.pushes)")
            try await connection.script("COMMIT")
            try await connection.script("VACUUM (ANALYZE)")
        }
    }

    /// Waterings are in chronological order, as a service writes them.
    private static let garden = """
        INSERT INTO account (lane, id, email, nickname, time_zone, language, watering_pushes, review_pushes,
            birthday_pushes, withered_pushes, created_at)
        SELECT number % 256, (substr(md5('account' || number), 1, 30) || lpad(to_hex(number % 256), 2, '0'))::uuid,
            'someone' || number || '@example.com', '민지',
            (ARRAY['Asia/Seoul', 'Europe/Berlin', 'America/New_York'])[1 + number % 3], 'ko', true, true, false, false,
            '2026-04-01T12:00Z'
        FROM generate_series(0, 1999) AS number;
        INSERT INTO plant (lane, id, account_id, name, phone, nickname, cycle_days, alarm_minute, planted_on,
            last_watered_on, due_on, due_source, affection, watering_count, postponement_count, pushes_enabled,
            alarmed_due_dates, created_at)
        SELECT lane, md5('plant' || id || number)::uuid, id, '김하나', '+8210' || (10000000 + number), '하나', 14, 540,
            planted_on, planted_on + 280, planted_on + 294, 'watering', 100, 20, 1, true, '{}',
            planted_on + time '10:00'
        FROM account CROSS JOIN generate_series(1, 5) AS number
        CROSS JOIN LATERAL (
            SELECT date '2026-05-10' + (hashtext(id::text || number) & 15)
        ) AS planted (planted_on)
        ORDER BY planted_on;
        INSERT INTO watering (lane, plant_id, number, watered_on, recorded_at, method, due_on, is_backdated, keywords,
            is_review_declined)
        SELECT lane, id, number, watered_on, watered_on + time '12:00', 'call', watered_on + 14, false,
            CASE WHEN number % 3 = 0 THEN ARRAY['산책', '말' || (hashtext(id::text || number) & 127)] ELSE '{}' END, false
        FROM plant CROSS JOIN generate_series(1, 20) AS number
        CROSS JOIN LATERAL (SELECT planted_on + 14 * number) AS watered (watered_on)
        ORDER BY watered_on;
        INSERT INTO affection_entry (lane, plant_id, watering_number, reason, points, gained_at)
        SELECT lane, plant_id, number, 'contact', 8, recorded_at FROM watering WHERE number <= 12 ORDER BY recorded_at;
        INSERT INTO postponement (lane, plant_id, number, postponed_at, from_due_on, days, due_on)
        SELECT lane, plant_id, 1, due_on + time '09:00', due_on, 2, due_on + 2 FROM watering WHERE number = 5;
        INSERT INTO cycle_change (lane, plant_id, changed_at, cycle_days, due_on, source)
        SELECT lane, id, created_at, 14, planted_on + 14, 'registration' FROM plant;
        """

    /// One a day for each plant, so that four days of the log are large tables.
    private static let pushes = """
        SELECT make_log_partitions(day)
        FROM generate_series('2027-02-26'::timestamptz, '2027-03-02', '1 day') AS day;
        CREATE TEMPORARY TABLE job ON COMMIT DROP AS
        SELECT lane, account_id, id AS subject_id, day::date AS day, day + hour * interval '1 hour' AS at,
            hashtext(id::text) % 100 AS chance, row_number() OVER (PARTITION BY lane ORDER BY day, hour, id) AS seq
        FROM plant CROSS JOIN generate_series('2027-02-26'::timestamptz, '2027-03-01', '1 day') AS day
        CROSS JOIN LATERAL (SELECT hashtext(id::text) & 15) AS alarm (hour);
        INSERT INTO push_job (lane, recorded_at, seq, account_id, subject_id, topic, ref, planned_at, expires_at)
        SELECT lane, at, seq, account_id, subject_id, 'watering_due', day - date '1970-01-01', at, at + interval '12 hours' FROM job
        ORDER BY at, lane;
        INSERT INTO push_receipt (lane, to_seq, recorded_at, from_seq, fence, worker, finished_at)
        SELECT lane, max(seq), at, min(seq), 1, 'worker', at + interval '1 second' FROM job GROUP BY lane, at;
        INSERT INTO push_outcome (lane, recorded_at, seq, outcome, reason, finished_at)
        SELECT lane, at, seq, 'dead', 'attempts_exhausted', at + interval '1 minute' FROM job WHERE chance = 7;
        INSERT INTO occurrence_outcome (lane, account_id, subject_id, planned_at, topic, ref, outcome, reason,
            finished_at, recorded_at)
        SELECT lane, account_id, subject_id, at, 'birthday', day - date '1970-01-01', 'suppressed', 'plant_pushes_off', at, at
        FROM job WHERE chance < 0;
        UPDATE lane SET last_seq = newest.seq, last_recorded_at = newest.at
        FROM (SELECT lane, max(seq) AS seq, max(at) AS at FROM job GROUP BY lane) AS newest
        WHERE newest.lane = lane.lane;
        UPDATE lane_delivery AS delivery SET cursor_seq = last_seq, cursor_recorded_at = last_recorded_at
        FROM lane WHERE lane.lane = delivery.lane;
        """
}
