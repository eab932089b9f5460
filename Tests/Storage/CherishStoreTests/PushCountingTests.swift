import CherishCore
import CherishPush
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishStore
@testable import CherishWorker

@Suite("Counting the days of the log", .migratedDatabase, .serialized)
struct PushCountingTests {
    /// Keeps everything that the tests date back, by default.
    private func housekeeping(_ service: ServiceUnderTest, retention: Int = 100_000) throws -> Housekeeping {
        try service.housekeeping(at: seoul("2027-03-04T15:00"), retention: retention)
    }

    private func days(_ days: ClosedRange<Int>) throws -> [CivilDay] {
        try days.map { try civilDay("2020-01-0\($0)") }
    }

    /// Compares the counted days, up to one of them, with the known facts.
    private func check(_ service: ServiceUnderTest, keeps facts: PushFacts, to last: CivilDay) async throws {
        let kept = try await service.content(of: "push_day")
        let known = facts.rows(of: "push_counts").filter { $0.prefix(10) <= last.description }
        #expect(kept == known)
    }

    private func check(_ service: ServiceUnderTest, stillReports before: [[String]]) async throws {
        let after = try await service.serviceReports()
        #expect(after == before)
    }

    // MARK: The same as before

    @Test("the service's reports are the same before and after counting, for some days or all, and without the log")
    func same() async throws {
        let history = try await PushHistory()
        let service = history.service
        let before = try await service.serviceReports()
        let first = try await housekeeping(service).run()
        // On the sixth, one push is pending and one is to be retried.
        let days = try days(3...6)
        #expect(first.counted == Array(days.dropLast()))
        #expect(first.dropped.isEmpty)
        try await check(service, keeps: try history.facts(), to: days[2])
        try await check(service, stillReports: before)

        try await history.end()
        let half = try await service.serviceReports()
        #expect(half != before)
        let second = try await housekeeping(service).run()
        #expect(second.counted == [days[3]])
        try await check(service, keeps: try history.facts(isEnded: true), to: days[3])
        try await check(service, stillReports: half)
        let third = try await housekeeping(service).run()
        #expect(third.counted.isEmpty)

        let pushCount = try await service.rows(of: "report.pushes")
        #expect(pushCount > 0)
        let last = try await housekeeping(service, retention: 90).run()
        #expect(last.counted.isEmpty)
        #expect(last.dropped.count == 4 * 5 + 1)
        try await check(service, stillReports: half)
        for view in PushFacts.accountViews {
            let left = try await service.rows(of: "report.\(view)")
            #expect(left == 0, "\(view)")
        }
    }

    @Test("the same holds for random histories", arguments: [4, 5] as [UInt64])
    func random(seed: UInt64) async throws {
        let history = try await RandomPushes(seed: seed)
        let service = history.service
        let before = try await service.serviceReports()
        let some = try await housekeeping(service).run()
        try await check(service, stillReports: before)
        try await history.end()
        let facts = try await PushFacts(readFrom: service)
        let half = try await service.serviceReports()
        let rest = try await housekeeping(service).run()
        let logDays = Set(facts.all.map(\.logDay)).sorted()
        #expect(some.counted + rest.counted == logDays)
        try await check(service, keeps: facts, to: try days(6...6)[0])
        try await check(service, stillReports: half)
    }

    @Test("days are counted and dropped by the same run, and counted only once")
    func dropping() async throws {
        let history = try await PushHistory()
        try await history.end()
        let service = history.service
        let before = try await service.serviceReports()
        let report = try await housekeeping(service, retention: 90).run()
        let days = try days(3...6)
        #expect(report.counted == days)
        #expect(report.dropped.count == 4 * 5 + 1)
        try await check(service, stillReports: before)
        // The lanes continue where they were.
        let account = try await service.account(email: "new@example.com", at: seoul("2027-03-04T15:00"))
        _ = try await service.friend(of: account, cycle: 1, at: seoul("2027-03-04T15:00"))
        try await service.run(at: seoul("2027-03-05T09:00"))
        let added = try await service.serviceReports().map { $0.count }
        let rows = zip(added, before).map { $0 - $1.count }
        #expect(rows == [1, 1, 1])
    }

    @Test(
        "pushes of restored accounts are counted on the day of restoring, with the effects they had at their time"
    )
    func restored() async throws {
        let service = ServiceUnderTest()
        try await PastGarden.shared().restore(into: service)
        try await service.dateLogBack(to: 5)
        let before = try await service.serviceReports()
        let watered = try await service.count("SELECT sum(watered_count)::bigint FROM report.service_push_funnel")
        #expect(watered > 1000)
        let report = try await housekeeping(service).run()
        let days = try days(5...5)
        #expect(report.counted == days)
        try await check(service, stillReports: before)
    }

    @Test("a review written after its day was counted changes the account's report, but not the service's")
    func laterReview() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        try await service.run(at: seoul("2027-03-02T09:00"))
        _ = try await service.store(at: seoul("2027-03-02T10:00")).water(
            plant.reference, WateringRequest(method: .call))
        try await service.dateLogBack(to: 5)
        let report = try await housekeeping(service).run()
        let days = try days(5...5)
        #expect(report.counted == days)
        _ = try await service.store(at: seoul("2027-03-02T11:00")).writeReview(
            plant.reference, on: nil, keywords: ["안부"], memo: nil)
        let own = try await service.content(of: "report.push_funnel")
        #expect(own == ["7 \(account.id) 2027-03-02 watering_due 1 1 1"])
        let all = try await service.content(of: "report.service_push_funnel")
        #expect(all == ["2027-03-02 watering_due 1 1 0"])
    }

    // MARK: Once, and when it is time

    @Test("four concurrent workers count each day once")
    func atOnce() async throws {
        let history = try await PushHistory()
        let housekeeping = try housekeeping(history.service)
        let results = await concurrently(4) { _ in try await housekeeping.run() }
        let counted = try results.flatMap { try $0.get().counted }.sorted()
        let days = try days(3...5)
        #expect(counted == days)
        try await check(history.service, keeps: try history.facts(), to: days[2])
    }

    @Test("a day with an unfinished push is not counted, and neither are later days", arguments: [false, true])
    func held(isRetried: Bool) async throws {
        let sender = RecordingSender { message, _ in
            .answers(message.lane == Lane(200) ? .retry(error: "busy") : .delivered)
        }
        let service = ServiceUnderTest(sender: sender)
        let planted = try seoul("2027-02-23T10:00")
        let account = try await service.account(at: planted)
        let other = try await service.account(lane: Lane(200), email: "jun@example.com", at: planted)
        try await service.push(on: 5, of: account)
        _ = try await service.friend(of: other, number: 6, cycle: 6, at: planted)
        let sixth = try service.alarm(6)
        _ = try await service.tick(at: sixth).schedule()
        if isRetried { _ = try await service.deliverer(at: sixth).deliver(other.id.lane, shouldStop: { false }) }
        try await service.dateLogBack(to: 6)
        _ = try await service.friend(of: account, number: 7, cycle: 7, at: planted)
        let seventh = try service.alarm(7)
        _ = try await service.tick(at: seventh).schedule()
        _ = try await service.deliverer(at: seventh).deliver(account.id.lane, shouldStop: { false })
        try await service.dateLogBack(to: 7)
        let retries = try await service.rows(of: "push_retry")
        #expect(retries == (isRetried ? 1 : 0))

        let days = try days(5...7)
        let first = try await housekeeping(service).run()
        #expect(first.counted == [days[0]])
        let again = try await housekeeping(service).run()
        #expect(again.counted.isEmpty)
        let expired = try await service.deliverer(at: seventh).deliver(other.id.lane, shouldStop: { false })
        #expect(expired.expired == 1)
        let second = try await housekeeping(service).run()
        #expect(second.counted == Array(days.dropFirst()))
        let kept = try await service.content(of: "push_day", ["recorded_on", "day", "outcome", "push_count"])
        #expect(
            kept == [
                "2020-01-05 2027-02-28 delivered 1", "2020-01-06 2027-03-01 expired 1",
                "2020-01-07 2027-03-02 delivered 1",
            ])
    }

    @Test(
        "a day is counted once it has been over for 24 hours: not yesterday, but the day before",
        arguments: [(24, false), (48, true)] as [(Int, Bool)])
    func age(hours: Int, isCounted: Bool) async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        try await service.run(at: seoul("2027-03-02T09:00"))
        let clock: Instant = try await service.single("SELECT date_trunc('second', now())")
        let earlier = clock.adding(hours: -hours)
        try await service.dateLogBack(to: earlier)
        let report = try await housekeeping(service).run()
        #expect(report.counted == (isCounted ? [TimeZoneRules.utc.day(at: earlier)] : []))
        let kept = try await service.rows(of: "push_day")
        #expect(kept == (isCounted ? 1 : 0))
        let funnel = try await service.content(of: "report.service_push_funnel")
        #expect(funnel == ["2027-03-02 watering_due 1 0 0"])
    }

    @Test("jobs of two days in one batch are counted on their own days, with the time of the batch")
    func batchOverMidnight() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        _ = try await service.friend(of: account, number: 2, alarm: "09:10", at: seoul("2027-02-23T10:00"))
        _ = try await service.tick(at: seoul("2027-03-02T09:00")).schedule()
        try await service.dateLogBack(to: 5)
        let now = try seoul("2027-03-02T09:10")
        _ = try await service.tick(at: now).schedule()
        try await service.dateLogBack(to: 6)
        try await service.run(at: now)
        let receipts = try await service.texts(
            "SELECT concat_ws(' ', from_seq, to_seq, to_char(recorded_at AT TIME ZONE 'UTC', 'DD')) FROM push_receipt")
        #expect(receipts == ["1 2 06"])
        let before = try await service.serviceReports()
        let report = try await housekeeping(service).run()
        let days = try days(5...6)
        #expect(report.counted == days)
        let kept = try await service.content(of: "push_day")
        #expect(
            kept == [
                "2020-01-05 2027-03-02 watering_due delivered sent 1 600.000 600.000 0 0 1 0 0",
                "2020-01-06 2027-03-02 watering_due delivered sent 1 0.000 0.000 1 1 1 0 0",
            ])
        try await check(service, stillReports: before)
    }

    @Test("if a day cannot be counted, no day is dropped")
    func uncounted() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: seoul("2027-02-23T10:00"))
        try await service.push(on: 5, of: account)
        try await service.push(on: 6, of: account)
        try await service.execute(
            "ALTER TABLE push_day ADD CONSTRAINT not_the_sixth CHECK (recorded_on <> '2020-01-06')")
        let housekeeping = try housekeeping(service, retention: 90)
        let error = await #expect(throws: PostgresError.self) { _ = try await housekeeping.run() }
        #expect(error?.sqlState == "23514")
        let kept = try await service.oldLogDays()
        #expect(kept == ["20200105 5", "20200106 5"])
        try await service.execute("ALTER TABLE push_day DROP CONSTRAINT not_the_sixth")
        let report = try await housekeeping.run()
        let days = try days(6...6)
        #expect(report.counted == days)
        #expect(report.dropped.count == 2 * 5 + 1)
        let rows = try await service.rows(of: "push_day")
        #expect(rows == 2)
    }
}
