import CherishCore
import CherishTestSupport
import Postgres
import Testing

@testable import CherishStore

@Suite("The next birthdays of a batch", .migratedDatabase)
struct BirthdayBatchTests {
    @Test("7.10: planning fifty takes as many round trips as planning one, while the lane's commands wait")
    func roundTrips() async throws {
        let service = ServiceUnderTest()
        let registered = try seoul("2027-02-23T10:00")
        for (lane, count) in [(UInt8(1), 1), (2, 50)] {
            let account = try await service.account(
                lane: Lane(lane), email: "\(lane)@example.com", switches: NotificationSwitches(birthday: true),
                at: registered)
            for number in 1...count {
                _ = try await service.friend(of: account, number: number, cycle: 30, birthday: "03-02", at: registered)
            }
        }
        // A batch runs twice if a partition is missing.
        try await service.execute("SELECT make_calendar_partition('2028-03-02'), make_log_partitions(now())")
        let trips = RoundTrips()
        let pool = trips.pool()
        let scheduler = LaneScheduler(
            pool: pool, zones: ServiceUnderTest.zones, time: .fixed(try seoul("2027-03-02T09:00")))
        var counts: [Int] = []
        for (lane, count) in [(Lane(1), 1), (Lane(2), 50)] {
            _ = trips.take()
            #expect(try await scheduler.schedule(lane).enqueued == count)
            counts.append(trips.take())
        }
        await pool.close()
        #expect(counts[0] == counts[1], "round trips: \(counts)")
        let planned = try await service.count(
            "SELECT count(*) FROM occurrence WHERE topic = 'birthday' AND at = '2028-03-02T00:00:00Z'")
        #expect(planned == 51)
        let pointing = try await service.count(
            """
            SELECT count(*) FROM plant WHERE birthday_on = '2028-03-02' AND passed_birthday_on = '2027-03-02'
            """)
        #expect(pointing == 51)
    }
}
