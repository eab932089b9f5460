import CherishCore
import CherishPush
import CherishTestSupport
import CherishWorker
import Foundation
import Postgres
import Testing

@testable import CherishStore

// MARK: - What is known without asking a report

/// A push, as known to the test that caused it.
struct PushFact: Sendable {
    /// The day of the log on which it was scheduled.
    let logDay: CivilDay
    let lane: Lane
    /// nil if the account was erased.
    let accountID: String?
    let plantID: String
    let kind: String
    let day: CivilDay
    let plannedAt: Instant
    /// Outcome and reason; `- -` while it is pending.
    let ending: String
    let finishedAt: Instant?
    let isWatered: Bool
    let isReviewed: Bool

    /// Lane and account; nil if the account was erased.
    fileprivate var owner: String? { accountID.map { "\(lane) \($0)" } }
    fileprivate var isInFunnel: Bool { ending.hasPrefix("delivered") && kind != "review_missing" }
}

/// The expected reports about pushes, counted one by one.
struct PushFacts: Sendable {
    static let accountViews = ["pushes", "push_outcomes", "push_funnel"]
    static let serviceViews = ["push_counts", "service_push_outcomes", "service_push_funnel"]

    let all: [PushFact]

    /// The rows of a view, with all columns from left to right, sorted as text.
    func rows(of view: String) -> [String] {
        let rows =
            switch view {
            case "pushes": pushes
            case "push_outcomes": outcomes
            case "push_funnel": funnel
            case "push_counts": counts
            case "service_push_outcomes": serviceOutcomes
            case "service_push_funnel": serviceFunnel
            default: [] as [String]
            }
        return rows.sorted()
    }

    private var pushes: [String] {
        all.compactMap { push in
            guard let owner = push.owner else { return nil }
            let finishedAt = push.finishedAt?.description ?? "-"
            return "\(owner) \(push.plantID) \(push.kind) \(push.day) \(push.plannedAt) \(push.ending) \(finishedAt)"
        }
    }

    private var outcomes: [String] {
        tallies { push in push.owner.map { "\($0) \(push.day) \(push.kind) \(push.ending)" } }
            .map { key, tally in "\(key) \(tally.pushCount) \(tally.average) \(tally.longest)" }
    }

    private var funnel: [String] {
        tallies { push in
            guard let owner = push.owner, push.isInFunnel else { return nil }
            return "\(owner) \(push.day) \(push.kind)"
        }.map { key, tally in "\(key) \(tally.pushCount) \(tally.funnel)" }
    }

    private var counts: [String] {
        tallies { "\($0.logDay) \($0.day) \($0.kind) \($0.ending)" }
            .map { key, tally in
                "\(key) \(tally.pushCount) \(tally.total) \(tally.longest) \(tally.punctuality) \(tally.funnel)"
            }
    }

    private var serviceOutcomes: [String] {
        tallies { "\($0.day) \($0.kind) \($0.ending)" }
            .map { key, tally in
                "\(key) \(tally.pushCount) \(tally.average) \(tally.longest) \(tally.punctuality)"
            }
    }

    private var serviceFunnel: [String] {
        tallies { $0.isInFunnel ? "\($0.day) \($0.kind)" : nil }
            .map { key, tally in "\(key) \(tally.pushCount) \(tally.funnel)" }
    }

    /// Tallies the pushes by key, leaving out those without one.
    private func tallies(by key: (PushFact) -> String?) -> [(key: String, tally: Tally)] {
        var tallies: [String: Tally] = [:]
        for push in all {
            if let key = key(push) { tallies[key, default: Tally()].add(push) }
        }
        return tallies.map { (key: $0.key, tally: $0.value) }
    }
}

/// Pushes that are counted together.
private struct Tally {
    private(set) var pushCount = 0
    private var delays: [Double] = []
    private var wateredCount = 0
    private var reviewedCount = 0

    mutating func add(_ push: PushFact) {
        pushCount += 1
        if let finishedAt = push.finishedAt { delays.append(push.plannedAt.duration(to: finishedAt) / .seconds(1)) }
        if push.isInFunnel && push.isWatered { wateredCount += 1 }
        if push.isInFunnel && push.isReviewed { reviewedCount += 1 }
    }

    var total: String { seconds(delays.reduce(0, +)) }
    var average: String { seconds(delays.reduce(0, +) / Double(delays.count)) }
    var longest: String { seconds(delays.max() ?? 0) }
    /// Those that ended within 10 seconds, a minute and 10 minutes.
    var punctuality: String {
        let limits: [Double] = [10, 60, 600]
        return limits.map { limit in String(delays.count { $0 <= limit }) }.joined(separator: " ")
    }
    var funnel: String { "\(wateredCount) \(reviewedCount)" }

    private func seconds(_ value: Double) -> String {
        delays.isEmpty ? "-" : String(format: "%.3f", value)
    }
}

extension ServiceUnderTest {
    private static let fields = """
        SELECT CASE atttypid
            WHEN 'timestamptz'::regtype THEN format($$rtrim(rtrim(
                to_char(%I AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z'$$, attname)
            WHEN 'double precision'::regtype THEN format('round(%I::numeric, 3)::text', attname)
            ELSE format('%I::text', attname) END
        FROM pg_attribute
        WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
            AND ($2::text[] IS NULL OR attname = ANY ($2::text[]))
        ORDER BY attnum
        """

    /// The rows of a table or view, with all columns or some of them, sorted as text. Instants are in UTC, seconds have
    /// three digits, and `-` stands for null.
    func content(of relation: String, _ columns: [String]? = nil, at now: Instant? = nil) async throws -> [String] {
        try await pool.withTransaction { connection in
            if let now {
                _ = try await connection.query("SELECT set_config('cherish.now', $1, true)", [now.description])
            }
            let fields = try await connection.query("\(Self.fields)", [relation, columns])
                .map { try $0.decode(0, as: String.self) }.joined(separator: ", ")
            let rows = try await connection.query(
                "SELECT array_to_string(ARRAY[\(fields)], ' ', '-') FROM \(relation)")
            return try rows.map { try $0.decode(0, as: String.self) }.sorted()
        }
    }

    /// All reports about the service's pushes.
    func serviceReports() async throws -> [[String]] {
        var reports: [[String]] = []
        for view in PushFacts.serviceViews { reports.append(try await content(of: "report.\(view)")) }
        return reports
    }
}

// MARK: - A history that is known push by push

/// Four accounts in three zones, one of them erased, whose pushes end in all possible ways. In the log this happened
/// from 3 to 6 January 2020.
struct PushHistory: Sendable {
    /// Account, lane, zone, and when it was added with all its friends: at ten in the morning of 23 February there.
    private static let accounts = """
        tiare 200 Pacific/Kiritimati 02-22T20:00:00
        minji 7 Asia/Seoul 02-23T01:00:00
        gone 7 Asia/Seoul 02-23T01:00:00
        ann 7 America/New_York 02-23T15:00:00
        """

    /// Account, friend, cycle, alarm and birthday.
    private static let friends = """
        tiare morning 7 09:00
        tiare pending 9 18:00
        minji quick 7 09:00
        minji slow 7 08:55
        minji slower 7 08:00
        minji late 7 09:00
        minji backdated 7 09:00
        minji twice 7 09:00
        minji memo 7 09:00
        minji refused 7 09:00
        minji once 7 09:00
        minji busy 7 09:00
        minji off 7 09:00
        minji removed 7 09:00
        minji early 7 09:00
        minji expired 6 09:00
        minji reminded 30 09:00
        minji reviewed 30 09:00
        minji quiet 30 09:00
        minji waiting 9 09:00
        gone pushed 7 09:00
        gone reminder 30 09:00
        gone later 8 09:00
        ann withered 7 09:00
        ann evening 7 20:00
        ann birthday 90 09:00 03-02
        """

    /// Day of the log, friend, kind, civil day, planned instant, outcome, reason, when it ended, what it led to. Days
    /// are in 2027, instants in UTC.
    private static let pushes = """
        3 quick watering_due 03-02 03-02T00:00:00 delivered sent 03-02T00:00:05 watered
        3 slow watering_due 03-02 03-01T23:55:00 delivered sent 03-02T00:00:05
        3 slower watering_due 03-02 03-01T23:00:00 delivered sent 03-02T00:00:05
        3 late watering_due 03-02 03-02T00:00:00 delivered sent 03-02T00:00:05
        3 backdated watering_due 03-02 03-02T00:00:00 delivered sent 03-02T00:00:05
        3 twice watering_due 03-02 03-02T00:00:00 delivered sent 03-02T00:00:05 watered reviewed
        3 memo watering_due 03-02 03-02T00:00:00 delivered sent 03-02T00:00:05 watered reviewed
        3 refused watering_due 03-02 03-02T00:00:00 dead refused 03-02T00:00:05
        3 once watering_due 03-02 03-02T00:00:00 delivered sent_after_retry 03-02T00:00:35
        3 busy watering_due 03-02 03-02T00:00:00 expired too_late 03-03T00:00:05
        3 off watering_due 03-02 03-02T00:00:00 suppressed plant_pushes_off 03-02T00:00:05
        3 removed watering_due 03-02 03-02T00:00:00 superseded archived 03-02T00:00:05
        3 early watering_due 03-02 03-02T00:00:00 superseded watered 03-02T00:00:05
        3 expired watering_due 03-01 03-01T00:00:00 expired too_late 03-02T00:00:05
        3 reminded review_missing 03-02 03-01T23:40:00 delivered sent 03-02T00:00:05
        3 reviewed review_missing 03-02 03-01T23:40:00 superseded reviewed 03-02T00:00:05
        3 morning watering_due 03-02 03-01T19:00:00 delivered sent 03-02T00:00:05 watered reviewed
        3 pushed watering_due 03-02 03-02T00:00:00 delivered sent 03-02T00:00:05
        3 reminder review_missing 03-01 03-01T23:40:00 delivered sent 03-02T00:00:05
        4 quiet review_missing 03-02 03-02T12:50:00 delivered sent_after_retry 03-03T00:00:05
        4 withered watering_due 03-02 03-02T14:00:00 delivered sent 03-02T14:00:02
        4 birthday birthday 03-02 03-02T14:00:00 delivered sent 03-02T14:00:02
        5 later watering_due 03-03 03-03T00:00:00 superseded erased 03-03T00:00:05
        5 evening watering_due 03-02 03-03T01:00:00 delivered sent 03-03T01:00:00 watered
        6 withered withered 03-03 03-03T14:00:00 delivered sent 03-03T14:00:00 watered reviewed
        6 evening withered 03-03 03-04T01:00:00 superseded watered 03-04T04:00:00
        """

    private static let lastPushes = """
        6 waiting watering_due 03-04 03-04T00:00:00 - - -
        6 pending watering_due 03-04 03-04T04:00:00 - - -
        """

    private static let lastPushesEnded = """
        6 waiting watering_due 03-04 03-04T00:00:00 delivered sent_after_retry 03-04T05:00:00
        6 pending watering_due 03-04 03-04T04:00:00 delivered sent 03-04T05:00:00
        """

    let service: ServiceUnderTest
    private var plants: [String: Plant] = [:]
    private var erased: Account.ID?

    /// Runs everything except the end of the last two pushes: one waits for a worker, one for a retry.
    init() async throws {
        let sender = RecordingSender { message, attempt in
            switch message.values.name {
            case "refused": .answers(.refused)
            case "busy", "waiting": .answers(.retry(error: "busy"))
            case "once" where attempt == 1: .answers(.retry(error: "busy"))
            default: .answers(.delivered)
            }
        }
        service = ServiceUnderTest(maximumConnections: 8, sender: sender)
        try await register()
        try await firstDay()
        try await secondDay()
        try await thirdDay()
        try await fourthDay()
    }

    /// Lets the last two pushes end.
    func end() async throws {
        _ = try await service.tick(at: at("03-04T05:00:00"), sender: RecordingSender()).run()
    }

    /// What happened.
    func facts(isEnded: Bool = false) throws -> PushFacts {
        let lines = [Self.pushes, isEnded ? Self.lastPushesEnded : Self.lastPushes].joined(separator: "\n")
        return PushFacts(all: try lines.split(separator: "\n").map { try fact(String($0)) })
    }

    private func fact(_ line: String) throws -> PushFact {
        let words = line.split(separator: " ").map(String.init)
        let plant = try plant(words[1])
        return PushFact(
            logDay: try civilDay("2020-01-0\(words[0])"), lane: plant.accountID.lane,
            accountID: plant.accountID == erased ? nil : plant.accountID.description,
            plantID: plant.id.description, kind: words[2], day: try civilDay("2027-\(words[3])"),
            plannedAt: try at(words[4]), ending: "\(words[5]) \(words[6])",
            finishedAt: try words[7] == "-" ? nil : at(words[7]),
            isWatered: words.dropFirst(8).contains("watered"), isReviewed: words.dropFirst(8).contains("reviewed"))
    }

    private func plant(_ name: String) throws -> Plant {
        try #require(plants[name], "no friend \(name)")
    }

    private func at(_ text: String) throws -> Instant {
        try instant("2027-\(text)Z")
    }
}

extension PushHistory {
    private mutating func register() async throws {
        for line in Self.accounts.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let lane = UInt8(words[1])
            let now = try at(words[3])
            let isEager = words[0] == "ann"
            let account = try await service.account(
                lane: Lane(try #require(lane)), email: "\(words[0])@example.com", zone: words[2],
                switches: NotificationSwitches(birthday: isEager, withered: isEager), at: now)
            if words[0] == "gone" { erased = account.id }
            try await registerFriends(of: account, named: words[0], at: now)
        }
    }

    private mutating func registerFriends(of account: Account, named name: String, at now: Instant) async throws {
        for (number, line) in Self.friends.split(separator: "\n").enumerated() {
            let words = line.split(separator: " ").map(String.init)
            guard words[0] == name else { continue }
            let cycle = Int(words[2])
            let friend = try registration(
                number: number, nickname: words[1], cycle: try #require(cycle), alarm: words[3],
                birthday: words.count > 4 ? words[4] : nil)
            plants[words[1]] = try await service.store(at: now).addFriend(friend, to: account.id)
        }
    }

    private func firstDay() async throws {
        _ = try await service.store(at: at("03-01T01:00:00")).removeFriend(plant("removed").reference)
        try await water("early", at: "03-01T01:00:00")
        let off = try plantEdit(pushesEnabled: false)
        _ = try await service.store(at: at("03-01T01:00:00")).editFriend(plant("off").reference, off)
        for name in ["reminded", "reviewed", "reminder"] {
            try await water(name, at: "03-01T23:10:00", declinesReview: false)
        }
        _ = try await service.store(at: at("03-01T23:30:00")).writeReview(
            plant("reviewed").reference, on: nil, keywords: ["안부"], memo: nil)
        try await service.run(at: at("03-02T00:00:05"))
        try await service.run(at: at("03-02T00:00:35"))
        try await water("twice", at: "03-02T01:00:00")
        try await water("twice", at: "03-02T02:00:00", review: Review(keywords: ["바다"], memo: nil))
        try await water("memo", at: "03-02T02:00:00", review: Review(keywords: [], memo: "오랜만"))
        try await water("backdated", at: "03-02T03:00:00", on: "2027-02-27")
        let gone = try #require(erased)
        _ = try await service.store(at: at("03-02T03:00:00")).eraseAccount(gone)
        try await service.run(at: at("03-02T03:00:00"))
        try await service.dateLogBack(to: 3)
    }

    private func secondDay() async throws {
        try await water("morning", at: "03-02T06:00:00", review: Review(keywords: ["커피"], memo: nil))
        try await water("quiet", at: "03-02T12:20:00", declinesReview: false)
        // 22:30 in Seoul.
        try await service.run(at: at("03-02T13:30:00"))
        try await water("birthday", at: "03-02T13:59:00")
        try await service.run(at: at("03-02T14:00:02"))
        try await service.dateLogBack(to: 4)
    }

    private func thirdDay() async throws {
        // 23:59 after the push, and 24:01.
        try await water("quick", at: "03-02T23:59:00")
        try await service.run(at: at("03-03T00:00:05"))
        try await water("late", at: "03-03T00:01:00")
        try await service.run(at: at("03-03T01:00:00"))
        try await water("evening", at: "03-03T02:00:00")
        _ = try await service.store(at: at("03-03T03:00:00")).removeFriend(plant("late").reference)
        try await service.dateLogBack(to: 5)
    }

    private func fourthDay() async throws {
        try await service.run(at: at("03-03T14:00:00"))
        // 25 hours after the first push to this friend, and one hour after the second.
        try await water("withered", at: "03-03T15:00:00", review: Review(keywords: ["비"], memo: nil))
        try await service.run(at: at("03-04T00:00:05"))
        _ = try await service.tick(at: at("03-04T04:00:00")).schedule()
        try await service.dateLogBack(to: 6)
    }

    /// Waters a friend; without a review it is declined by default, so that no reminder comes.
    private func water(
        _ name: String, at time: String, on day: String? = nil, review: Review? = nil, declinesReview: Bool = true
    ) async throws {
        let request = WateringRequest(
            method: .call, day: try day.map(civilDay), review: review,
            declinesReview: declinesReview && review == nil)
        _ = try await service.store(at: at(time)).water(plant(name).reference, request)
    }
}

// MARK: - Histories of chance

/// The facts of a random history, read row by row from the tables.
extension PushFacts {
    private struct Watered {
        let plantID: String
        let day: CivilDay
        let recordedAt: Instant
        let isReviewed: Bool
    }

    init(readFrom service: ServiceUnderTest) async throws {
        let waterings = try await Self.waterings(service)
        let rows = try await service.pool.withConnection { connection in
            try await connection.query(
                """
                SELECT coalesce(job.recorded_at, ended.recorded_at), push.lane, account.id::text,
                    push.subject_id::text, push.topic::text, push.ref, push.planned_at, push.outcome::text,
                    push.reason, push.finished_at, account.time_zone
                FROM push
                LEFT JOIN push_job AS job ON job.lane = push.lane AND job.seq = push.seq
                LEFT JOIN occurrence_outcome AS ended
                    ON push.seq IS NULL AND ended.lane = push.lane AND ended.subject_id = push.subject_id
                    AND ended.planned_at = push.planned_at AND ended.topic = push.topic AND ended.ref = push.ref
                LEFT JOIN account ON account.lane = push.lane AND account.id = push.account_id
                """)
        }
        all = try rows.map { try Self.fact($0, waterings) }
    }

    private static func fact(_ row: Row, _ waterings: [Watered]) throws -> PushFact {
        var reader = row.reader
        let logDay = TimeZoneRules.utc.day(at: try reader.next(Instant.self))
        let lane = try reader.next(Lane.self)
        let accountID = try reader.next(String?.self)
        let plantID = try reader.next(String.self)
        let kind = try reader.next(String.self)
        let subject = try reader.next(Int.self)
        let plannedAt = try reader.next(Instant.self)
        let outcome = try reader.next(String?.self)
        let reason = try reader.next(String?.self)
        let finishedAt = try reader.next(Instant?.self)
        let zone = try reader.next(String?.self)
        let day = try Self.day(of: kind, subject, plannedAt, in: zone)
        let following = waterings.filter { watering in
            watering.plantID == plantID && watering.day >= day && watering.recordedAt >= plannedAt
                && watering.recordedAt < plannedAt.adding(hours: 24)
        }
        return PushFact(
            logDay: logDay, lane: lane, accountID: accountID, plantID: plantID, kind: kind, day: day,
            plannedAt: plannedAt, ending: "\(outcome ?? "-") \(reason ?? "-")", finishedAt: finishedAt,
            isWatered: !following.isEmpty, isReviewed: following.contains { $0.isReviewed })
    }

    private static func day(of kind: String, _ subject: Int, _ plannedAt: Instant, in zone: String?) throws
        -> CivilDay
    {
        guard kind == "review_missing" else {
            return CivilDay(daysSinceEpoch: Int32(subject)) + (kind == "withered" ? 1 : 0)
        }
        return try ServiceUnderTest.zones.rules(zone ?? "UTC").day(at: plannedAt)
    }

    private static func waterings(_ service: ServiceUnderTest) async throws -> [Watered] {
        let rows = try await service.pool.withConnection { connection in
            try await connection.query(
                "SELECT plant_id::text, watered_on, recorded_at, cardinality(keywords), memo FROM watering")
        }
        return try rows.map { row in
            var reader = row.reader
            let (plantID, day): (String, CivilDay) = (try reader.next(), try reader.next())
            let recordedAt = try reader.next(Instant.self)
            let (keywordCount, memo): (Int, String?) = (try reader.next(), try reader.next())
            return Watered(
                plantID: plantID, day: day, recordedAt: recordedAt, isReviewed: keywordCount > 0 || memo != nil)
        }
    }
}

/// A random history that the log dates to 3, 4 and 5 January 2020. Some pushes may still be pending.
struct RandomPushes: Sendable {
    let service: ServiceUnderTest
    private let endsAt: Instant

    init(seed: UInt64) async throws {
        let sender = RecordingSender { message, attempt in
            if message.seq.isMultiple(of: 7) { return .answers(.refused) }
            return .answers(message.seq.isMultiple(of: 3) && attempt == 1 ? .retry(error: "busy") : .delivered)
        }
        service = ServiceUnderTest(maximumConnections: 8, sender: sender)
        var history = try await RandomHistory(seed: seed, service: service, goesBack: seed.isMultiple(of: 2))
        for logDay in 3...5 {
            for _ in 1...35 {
                try await history.step()
                if history.chance(50) { try await service.run(at: history.now) }
            }
            try await service.dateLogBack(to: logDay)
        }
        // At 18:00 in Seoul it is outside quiet hours in Berlin too: nothing is left waiting.
        let zone = try ServiceUnderTest.zones.rules("Asia/Seoul")
        endsAt = zone.firstInstant(on: zone.day(at: history.now) + 4, at: try TimeOfDay(alarm: "18:00"))
    }

    /// Lets all pushes end, on 6 January 2020 by the log.
    func end() async throws {
        _ = try await service.tick(at: endsAt, sender: RecordingSender()).run()
        try await service.dateLogBack(to: 6)
    }
}

// MARK: - The reports

@Suite("Reports about pushes", .migratedDatabase, .serialized)
struct PushReportTests {
    private let views = PushFacts.accountViews + PushFacts.serviceViews

    @Test("show how each push ended and what it led to, and count pushes correctly")
    func known() async throws {
        let history = try await PushHistory()
        for isEnded in [false, true] {
            if isEnded { try await history.end() }
            let facts = try history.facts(isEnded: isEnded)
            for view in views {
                let rows = try await history.service.content(of: "report.\(view)")
                #expect(rows == facts.rows(of: view), "\(view)")
            }
        }
    }

    @Test("agree with the tables after any history", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) async throws {
        let history = try await RandomPushes(seed: seed)
        for isEnded in [false, true] {
            if isEnded { try await history.end() }
            let facts = try await PushFacts(readFrom: history.service)
            #expect(facts.all.count > (isEnded ? 20 : 0))
            for view in views {
                let rows = try await history.service.content(of: "report.\(view)")
                #expect(rows == facts.rows(of: view), "\(view)")
            }
        }
    }

    @Test("the pushes of a lane are those of the view push", arguments: [1, 2, 3] as [UInt64])
    func ofLane(seed: UInt64) async throws {
        let history = try await RandomPushes(seed: seed)
        for isEnded in [false, true] {
            if isEnded { try await history.end() }
            let differing = try await history.service.pool.withConnection { connection in
                var differing = 0
                for lane in Lane.all {
                    differing += try await connection.query(
                        """
                        (SELECT * FROM \(PushSource.ofLane) AS pushed EXCEPT ALL SELECT * FROM push WHERE lane = $1)
                        UNION ALL
                        (SELECT * FROM push WHERE lane = $1 EXCEPT ALL SELECT * FROM \(PushSource.ofLane) AS pushed)
                        """, [lane]
                    ).count
                }
                return differing
            }
            #expect(differing == 0)
            #expect(try await history.service.count("SELECT count(*) FROM push") > (isEnded ? 20 : 0))
        }
    }

    @Test("show one account as among all of them")
    func oneAccount() async throws {
        let history = try await PushHistory()
        let facts = try history.facts()
        let tiare = facts.all.first { $0.lane == Lane(200) }?.accountID
        let own = try #require(tiare)
        for view in PushFacts.accountViews {
            let rows = try await history.service.count(
                "SELECT count(*) FROM report.\(view) WHERE lane = 200 AND account_id = $1::text::uuid", [own])
            let expected = facts.rows(of: view).count { $0.contains(own) }
            #expect(rows == expected && rows > 0, "\(view)")
        }
    }
}

@Suite("The report about the engine", .migratedDatabase, .serialized)
struct EngineReportTests {
    private let service = ServiceUnderTest()
    private static let schedulingColumns = [
        "lane", "scheduled_until", "next_occurrence_at", "oldest_unscheduled_at", "scheduling_lag_seconds",
        "undelivered_count",
    ]
    private static let retryColumns = ["lane", "undelivered_count", "retry_count", "first_retry_at", "most_attempts"]
    private static let leaseColumns = ["lane", "leased_by", "is_lease_over", "fence"]

    /// Its row about lane 7.
    private func row(_ columns: [String], _ service: ServiceUnderTest? = nil, at now: String = "2027-03-02T09:00")
        async throws -> String?
    {
        let rows = try await (service ?? self.service).content(of: "report.engine_health", columns, at: seoul(now))
        #expect(rows.count == 256)
        return rows.first { $0.hasPrefix("7 ") }
    }

    @Test("shows nothing waiting if nothing is planned")
    func nothing() async throws {
        let delivering = ["delivery_lag_seconds", "oldest_undelivered_at"]
        let idle = try await row(Self.schedulingColumns + Self.retryColumns + delivering)
        #expect(idle == "7 1970-01-01T00:00:00Z - - 0.000 0 - 0.000 0 - 0")
        let lease = try await row(Self.leaseColumns)
        #expect(lease == "7 - false 0")
    }

    @Test("shows the next occurrence, and from then on how long it has waited to be scheduled")
    func scheduling() async throws {
        _ = try await service.garden()
        let before = try await row(Self.schedulingColumns, at: "2027-03-02T08:59:59")
        #expect(before == "7 1970-01-01T00:00:00Z 2027-03-02T00:00:00Z - 0.000 0")
        let after = try await row(Self.schedulingColumns, at: "2027-03-02T09:01:30")
        #expect(after == "7 1970-01-01T00:00:00Z 2027-03-02T00:00:00Z 2027-03-02T00:00:00Z 90.000 0")
        _ = try await service.tick(at: seoul("2027-03-02T09:01:30")).schedule()
        let scheduled = try await row(Self.schedulingColumns, at: "2027-03-02T09:02")
        #expect(scheduled == "7 2027-03-02T00:00:00Z - - 0.000 1")
    }

    @Test("shows since when jobs wait to be delivered, by the clock that recorded them")
    func delivering() async throws {
        let (account, _) = try await service.garden()
        _ = try await service.friend(of: account, number: 2, alarm: "09:01", at: seoul("2027-02-23T10:00"))
        let clock: Instant = try await service.single("SELECT date_trunc('second', now())")
        for (time, hours) in [("2027-03-02T09:00", 2), ("2027-03-02T09:01", 1)] {
            _ = try await service.tick(at: seoul(time)).schedule()
            // Rows already moved back stay: the lag counts from the first waiting job.
            let earlier = clock.adding(hours: -hours)
            try await service.execute("SELECT make_log_partitions($1)", [earlier])
            try await service.execute("UPDATE push_job SET recorded_at = $1 WHERE recorded_at >= $2", [earlier, clock])
        }
        let columns = ["lane", "undelivered_count", "oldest_undelivered_at"]
        let waiting = try await row(columns)
        #expect(waiting == "7 2 \(clock.adding(hours: -2))")
        let lag: Double = try await service.single(
            "SELECT delivery_lag_seconds FROM report.engine_health WHERE lane = 7")
        #expect(lag >= 7200 && lag < 7800)
        _ = try await service.tick(at: seoul("2027-03-02T09:02")).deliver()
        let delivered = try await row(columns + ["delivery_lag_seconds"])
        #expect(delivered == "7 0 - 0.000")
    }

    @Test("shows how many jobs are to be retried, when the first is, and the most attempts")
    func retrying() async throws {
        let service = ServiceUnderTest(sender: RecordingSender { _, _ in .answers(.retry(error: "busy")) })
        let (account, _) = try await service.garden()
        _ = try await service.friend(of: account, number: 2, alarm: "09:01", at: seoul("2027-02-23T10:00"))
        try await service.run(at: seoul("2027-03-02T09:00"))
        // The first job's second attempt, to be repeated after a minute, and the second job's first.
        try await service.run(at: seoul("2027-03-02T09:01"))
        let waiting = try await row(Self.retryColumns, service)
        #expect(waiting == "7 0 2 2027-03-02T00:01:30Z 2")
    }

    @Test("shows who holds a lane, how often it changed hands, and leases that expired without being released")
    func leasing() async throws {
        let log = service.log(at: try seoul("2027-03-02T09:00"), leaseDuration: .seconds(3600))
        let lease = try await log.lease(ServiceUnderTest.lane, for: "worker-1")
        let first = try #require(lease)
        let held = try await row(Self.leaseColumns)
        #expect(held == "7 worker-1 false 1")
        try await service.execute("UPDATE lane_delivery SET leased_until = now() - interval '1 second' WHERE lane = 7")
        let abandoned = try await row(Self.leaseColumns)
        #expect(abandoned == "7 worker-1 true 1")
        let taken = try await log.lease(ServiceUnderTest.lane, for: "worker-2")
        let second = try #require(taken)
        await #expect(throws: LeaseLost.self) { try await log.release(first) }
        let stillHeld = try await row(Self.leaseColumns)
        #expect(stillHeld == "7 worker-2 false 2")
        try await log.release(second)
        let released = try await row(Self.leaseColumns)
        #expect(released == "7 - false 2")
    }
}
