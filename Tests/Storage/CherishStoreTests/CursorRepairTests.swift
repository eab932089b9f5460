import CherishCore
import CherishPush
import CherishTestSupport
import Postgres
import Testing

@testable import CherishStore

@Suite("Cursors that a tick in the future moved ahead", .migratedDatabase, .serialized)
struct CursorRepairTests {
    private func repair(_ service: ServiceUnderTest, at now: String, isDryRun: Bool = false) async throws
        -> [CursorRepair.LaneReport]
    {
        try await CursorRepair(store: service.store(at: seoul(now))).run(isDryRun: isDryRun)
    }

    private func ahead(_ service: ServiceUnderTest, at now: String) async throws -> Int {
        try await EngineHealth.read(from: service.pool, time: .fixed(seoul(now))).aheadCount
    }

    /// Occurrences with more than one outcome, and those behind the cursor without exactly one.
    private func unsettled(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT concat_ws(' ', planned_at, subject_id, topic, ref, count(*)) FROM push
            GROUP BY lane, planned_at, subject_id, topic, ref HAVING count(*) <> 1
            UNION ALL
            SELECT concat_ws(' ', at, planned.subject_id, planned.topic, planned.ref, 'has none')
            FROM occurrence AS planned JOIN lane ON lane.lane = planned.lane
            WHERE (at, planned.subject_id, planned.topic, planned.ref)
                <= (cursor_at, cursor_subject_id, cursor_topic, cursor_ref)
                AND NOT EXISTS (
                    SELECT FROM push WHERE push.lane = planned.lane AND push.planned_at = planned.at
                        AND push.subject_id = planned.subject_id AND push.topic = planned.topic
                        AND push.ref = planned.ref)
            """)
    }

    @Test("7.2, 7.8: after the repair, every alarm comes once on its day, and has one outcome")
    func ringsOnItsDay() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden(switches: NotificationSwitches(birthday: true, withered: true))
        _ = try await service.friend(
            of: account, number: 2, cycle: 90, birthday: "03-05", at: seoul("2027-02-23T10:00"))
        #expect(try await ahead(service, at: "2027-02-23T11:00") == 0)
        try await service.run(at: seoul("2027-09-01T09:00"))
        #expect(await service.sender.sent.isEmpty)
        #expect(try await ahead(service, at: "2027-02-23T11:00") == 1)

        // Meanwhile, new occurrences are planned ahead of the cursor.
        let store = service.store(at: try seoul("2027-02-23T11:50"))
        let late = try await store.addFriend(registration(number: 3, cycle: 3), to: account.id)
        let cursor = try await service.cursor()
        #expect(late.plans.wateringDue?.at == cursor.adding(microseconds: 1))
        #expect(try await store.garden(of: account.id).calendarAhead() == cursor)
        _ = try await store.water(plant.reference, WateringRequest(method: .call))

        let before = try await service.fingerprint()
        let tried = try await repair(service, at: "2027-02-23T12:00", isDryRun: true)
        #expect(try await service.fingerprint() == before)
        let repaired = try await repair(service, at: "2027-02-23T12:00")
        #expect(repaired == tried)
        let report = try #require(repaired.first)
        #expect(repaired.count == 1)
        #expect(report.walkedTo == cursor)
        // D-day and withering of two plants, and a birthday.
        #expect(report.deletedCount == 5)
        #expect(report.subjectCount == 3)
        // The same for the third plant, and a reminder.
        #expect(report.plannedCount == 8)
        #expect(try await ahead(service, at: "2027-02-23T12:00") == 0)
        #expect(try await service.cursor() == seoul("2027-02-23T12:00"))
        #expect(try await repair(service, at: "2027-02-23T12:00").isEmpty)

        try await service.run(at: seoul("2027-02-23T12:30"))
        let tomorrow = try seoul("2027-02-24T09:30")
        for day in 0..<25 { try await service.run(at: tomorrow.adding(hours: 24 * day)) }
        let delivered = try await service.pushes().filter { $0.hasSuffix("delivered sent") }
        #expect(
            delivered == [
                "review_missing 1 delivered sent", "watering_due 2027-02-26 delivered sent",
                "withered 2027-02-26 delivered sent", "watering_due 2027-03-02 delivered sent",
                "withered 2027-03-02 delivered sent", "birthday 2027-03-05 delivered sent",
            ])
        #expect(await service.sender.sent.count == delivered.count)
        #expect(try await unsettled(service).isEmpty)
        // The next year's birthday is planned as usual.
        #expect(try await service.calendar().last == "birthday 2028-03-05 2028-03-05T00:00:00Z")
    }

    @Test("7.6: a job that the tick appended is neither sent early nor retried: it ends as superseded")
    func undelivered() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        _ = try await service.tick(at: seoul("2027-03-02T09:00")).schedule()
        _ = try await repair(service, at: "2027-02-25T12:00")
        try await service.run(at: seoul("2027-02-25T12:01"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 superseded edited"])
        #expect(await service.sender.sent.isEmpty)

        let busy = RecordingSender { _, _ in .answers(.retry(error: "busy")) }
        _ = try await service.tick(at: seoul("2027-03-02T09:01"), sender: busy).run()
        #expect(try await service.rows(of: "push_retry") == 1)
        _ = try await repair(service, at: "2027-02-25T12:10")
        try await service.run(at: seoul("2027-02-25T12:11"))
        #expect(try await service.rows(of: "push_retry") == 0)
        #expect(await service.sender.sent.isEmpty)

        try await service.run(at: seoul("2027-03-02T09:01"))
        #expect(await service.sender.sent.map(\.plantID) == [plant.id])
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 superseded edited", "watering_due 2027-03-02 superseded edited",
                "watering_due 2027-03-02 delivered sent",
            ])
        #expect(try await unsettled(service).isEmpty)
    }

    @Test("a plant changed meanwhile, and one removed and brought back, have their alarms")
    func changedMeanwhile() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let other = try await service.friend(of: account, number: 2, at: seoul("2027-02-23T10:00"))
        try await service.run(at: seoul("2027-03-02T18:00"))
        let sentEarly = await service.sender.sent.count
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        // There and back: the due date was recorded as alarmed.
        _ = try await store.editFriend(plant.reference, plantEdit(cycle: 10))
        _ = try await store.editFriend(plant.reference, plantEdit(cycle: 7))
        _ = try await store.removeFriend(other.reference)
        _ = try await repair(service, at: "2027-02-24T11:00")
        let restored = try await service.store(at: seoul("2027-02-24T12:00")).importFriends(
            [registration(number: 2)], to: account.id, restoring: true, isDryRun: false)
        #expect(restored.count == 1)
        try await service.run(at: seoul("2027-03-02T09:01"))
        try await service.run(at: seoul("2027-03-03T09:01"))
        #expect(await service.sender.sent.dropFirst(sentEarly).map(\.plantID) == [plant.id, other.id])
        #expect(try await unsettled(service).isEmpty)
    }

    /// An account whose friend is due on 2 March 2027, with devices added 271 days earlier.
    private func garden(_ service: ServiceUnderTest, devices: [(Device.Platform, String)] = [(.ios, "iphone")])
        async throws -> Account
    {
        let (account, _) = try await service.garden()
        let store = service.store(at: try seoul("2027-03-02T09:00").adding(hours: -271 * 24))
        for (platform, token) in devices { _ = try await store.addDevice(account, platform: platform, token: token) }
        return account
    }

    @Test("sent pushes of future days are forgotten, so that accounts get their pushes on those days")
    func notices() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await garden(service)
        _ = try await service.friend(of: account, number: 2, cycle: 1, at: seoul("2027-02-23T10:00"))
        try await service.run(at: seoul("2027-02-24T09:00"))
        try await service.run(at: seoul("2027-03-02T09:00"))
        _ = try await repair(service, at: "2027-02-25T12:00")
        // The push of the day before stays.
        #expect(try await service.texts("SELECT sent_on::text FROM sent_push ORDER BY sent_on") == ["2027-02-24"])
        try await service.run(at: seoul("2027-03-02T09:01"))
        let collapseID = "watering_due-20270302T0000Z"
        #expect(await sender.sent.map(\.push.collapseID) == ["watering_due-20270224T0000Z", collapseID, collapseID])
    }

    @Test("a sent push with an invalid day does not keep its lane from being repaired")
    func noticeOfNoDay() async throws {
        let service = ServiceUnderTest(devices: RecordingDeviceSender().senders())
        _ = try await garden(service)
        try await service.run(at: seoul("2027-03-02T09:00"))
        try await service.dropChecks()
        try await service.execute("UPDATE sent_push SET sent_on = 'infinity'")
        #expect(try await repair(service, at: "2027-02-25T12:00").count == 1)
        #expect(try await service.texts("SELECT sent_on::text FROM sent_push") == ["infinity"])
    }

    @Test("looks of the future are forgotten: otherwise no outage would be seen until then")
    func looks() async throws {
        let service = ServiceUnderTest(devices: RecordingDeviceSender().senders())
        _ = try await garden(service)
        try await service.run(at: seoul("2027-03-02T09:00"))
        let ahead: SQL = "SELECT count(*) FROM lane_watch WHERE lane = 7 AND seen_at > '2027-02-25T03:00:00Z'"
        #expect(try await service.count(ahead) == 1)
        _ = try await repair(service, at: "2027-02-25T12:00")
        #expect(try await service.count(ahead) == 0)
    }

    @Test("devices retired as outdated by the wrong clock are reactivated, those retired by providers are not")
    func devices() async throws {
        let sender = RecordingDeviceSender { _, device, _ in
            device.token == "gone" ? .tokenDead(reason: "410", since: nil) : .accepted
        }
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await garden(service, devices: [(.android, "pixel"), (.ios, "gone"), (.ios, "iphone")])
        try await service.run(at: seoul("2027-03-02T09:00"))
        let retired = """
            SELECT concat_ws(' ', token, retired_reason) FROM device WHERE retired_at IS NOT NULL
            ORDER BY token COLLATE "C"
            """
        #expect(try await service.texts("\(retired)") == ["gone 410", "pixel not_refreshed"])
        _ = try await repair(service, at: "2027-02-25T12:00")
        #expect(try await service.texts("\(retired)") == ["gone 410"])
    }

    @Test("a lane that cannot be repaired is reported, and the others are repaired")
    func oneFails() async throws {
        let service = ServiceUnderTest()
        for (lane, email) in [(Lane(1), "a@example.com"), (Lane(2), "b@example.com")] {
            _ = try await service.garden(lane: lane, email: email)
        }
        try await service.run(at: seoul("2027-03-09T09:00"))
        try await service.execute("ALTER TABLE lane ADD CHECK (lane <> 1 OR cursor_at > '2027-03-01') NOT VALID")
        await #expect(throws: PostgresError.self) { _ = try await repair(service, at: "2027-02-24T10:00") }
        #expect(
            try await service.texts(
                "SELECT lane::text FROM lane WHERE lane IN (1, 2) AND cursor_at > '2027-03-01' ORDER BY lane") == ["1"])
    }

    @Test("a cursor a minute ahead, or behind, is left alone")
    func nothingToRepair() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        #expect(try await repair(service, at: "2027-02-23T12:00").isEmpty)
        try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(try await repair(service, at: "2027-03-02T08:59").isEmpty)
        #expect(try await ahead(service, at: "2027-03-02T08:59") == 0)
        #expect(try await repair(service, at: "2027-03-02T08:58:59").count == 1)
    }

    @Test("only the owner of the tables can repair cursors or mark a database")
    func owner() async throws {
        let owner = ServiceUnderTest()
        let name = TestDatabase.current.name
        _ = try await Roles(
            pool: owner.pool, application: "app_\(name)", reporting: "reader_\(name)", account: "account_\(name)"
        ).establish()
        let service = ServiceUnderTest(role: "app_\(name)")
        await #expect(throws: NotOwner.self) { try await repair(service, at: "2027-02-23T12:00") }
        await #expect(throws: NotOwner.self) { try await DatabaseMark(pool: service.pool).markTest() }
        #expect(try await DatabaseMark(pool: service.pool).isTest())
    }

    @Test("an instant in the future is refused unless the database is marked as a test database")
    func futureNow() async throws {
        let service = ServiceUnderTest()
        let clock = try await CareStore(pool: service.pool, zones: service.timeZones).now()
        let nextYear = service.store(at: clock.adding(hours: 24 * 365))
        try await nextYear.requirePresent()
        try await TestDatabase.current.unmark()
        await #expect(throws: FutureNow.self) { try await nextYear.requirePresent() }
        await #expect(throws: FutureNow.self) {
            try await service.store(at: clock.adding(minutes: 90)).requirePresent()
        }
        // The past moves nothing, and clocks may differ.
        try await service.store(at: clock.adding(hours: -24)).requirePresent()
        try await service.store(at: clock.adding(minutes: 50)).requirePresent()
        try await CareStore(pool: service.pool, zones: service.timeZones).requirePresent()
        let mark = DatabaseMark(pool: service.pool)
        #expect(try await mark.markTest())
        #expect(try await !mark.markTest())
        try await nextYear.requirePresent()
    }
}
