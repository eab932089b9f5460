import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import ServiceLifecycle
import Synchronization
import SystemTimeZones
import Testing

@testable import CherishStore
@testable import CherishWorker

/// Due on 2 March 2027 at 09:00 in Seoul, as ``ServiceUnderTest/garden(lane:email:switches:cycle:alarm:)`` makes it.
@Suite("Outages (rule 13.3)", .migratedDatabase, .serialized)
struct OutageTests {
    /// How the plants are, such as `2027-03-04 outage`.
    private func due(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts("SELECT due_on || ' ' || due_source FROM plant ORDER BY name, id")
    }

    private func outages(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT concat_ws(' ', lane, cause, to_char(began_at AT TIME ZONE 'Asia/Seoul', 'MM-DD HH24:MI'),
                to_char(ended_at AT TIME ZONE 'Asia/Seoul', 'MM-DD HH24:MI'), excused_count,
                CASE WHEN excused_at IS NOT NULL THEN 'settled' END)
            FROM outage ORDER BY lane, cause, began_at
            """)
    }

    private func add(_ token: String, to account: Account, _ service: ServiceUnderTest) async throws {
        _ = try await service.store(at: seoul("2027-02-23T10:00")).addDevice(account, platform: .ios, token: token)
    }

    /// Which days a plant was withered, by its history.
    private func withered(_ service: ServiceUnderTest, _ plant: Plant, until end: String) async throws -> [String] {
        let history = try await service.store(at: seoul(end)).history(of: plant.reference)
        let zone = try ServiceUnderTest.zones.rules("Asia/Seoul")
        return history.events(upTo: try seoul(end), in: zone).compactMap { event in
            switch event.kind {
            case .withered: "withered \(event.day)"
            case .revived: "revived \(event.day)"
            case .excused: "excused \(event.day) until \(event.dueOn?.description ?? "?")"
            case .watered: "watered \(event.day)"
            default: nil
            }
        }
    }

    private func excuse(_ service: ServiceUnderTest, at now: String) async throws -> Int {
        try await service.store(at: try seoul(now)).excuseOutages()
    }

    @Test("no worker from the eve of the due date to two days later: it is due then, and one push says why")
    func engineDown() async throws {
        let sender = RecordingDeviceSender { _, _, _ in .accepted }
        let service = ServiceUnderTest(devices: sender.senders())
        let (account, plant) = try await service.garden()
        try await add("phone", to: account, service)
        try await service.run(at: try seoul("2027-03-01T20:00"))
        #expect(try await outages(service) == [])
        try await service.run(at: try seoul("2027-03-04T08:00"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 expired too_late"])
        #expect(try await outages(service) == ["7 engine 03-01 20:00 03-04 08:00 0"])
        // Nothing is excused before the lane was found without overdue pushes.
        #expect(try await excuse(service, at: "2027-03-04T08:00") == 0)
        #expect(try await due(service) == ["2027-03-02 registration"])
        try await service.run(at: try seoul("2027-03-04T08:01"))
        #expect(try await excuse(service, at: "2027-03-04T08:01") == 1)
        #expect(try await due(service) == ["2027-03-04 outage"])
        #expect(try await outages(service) == ["7 engine 03-01 20:00 03-04 08:00 1 settled"])
        #expect(try await excuse(service, at: "2027-03-04T08:02") == 0)
        try await service.run(at: try seoul("2027-03-04T09:00"))
        #expect(await sender.sent.map(\.push.text.body).count == 1)
        #expect(await sender.sent.allSatisfy { $0.push.text.body.hasPrefix("저희 문제로 알림을 보내지 못했어요.") })
        #expect(
            try await withered(service, plant, until: "2027-03-04T12:00") == ["excused 2027-03-02 until 2027-03-04"])
        #expect(
            try await withered(service, plant, until: "2027-03-05T12:00") == [
                "excused 2027-03-02 until 2027-03-04", "withered 2027-03-05",
            ])
        // The excused day is a due date like any other: it can be postponed, and a watering on it is in time.
        let store = service.store(at: try seoul("2027-03-04T10:00"))
        _ = try await store.water(plant.reference, WateringRequest(method: .call))
        #expect(
            try await service.texts("SELECT in_time_count || ' ' || late_count FROM plant_history") == ["1 0"])
    }

    @Test(
        "the push of an excused plant comes at its alarm; if that is past, at once, but not at night",
        arguments: [
            ("2027-03-04T08:00", "2027-03-04", "2027-03-04T09:00"),
            ("2027-03-04T09:30", "2027-03-04", "2027-03-04T09:30"),
            ("2027-03-04T22:30", "2027-03-05", "2027-03-05T09:00"),
        ])
    func whenItComes(back: String, dueOn: String, at: String) async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        try await service.run(at: try seoul("2027-03-01T20:00"))
        try await service.run(at: try seoul(back))
        try await service.run(at: try seoul(back).adding(microseconds: 1))
        #expect(try await service.store(at: try seoul(back).adding(microseconds: 1)).excuseOutages() == 1)
        #expect(try await due(service) == ["\(dueOn) outage"])
        #expect(
            try await service.texts(
                "SELECT to_char(alarm_at AT TIME ZONE 'Asia/Seoul', 'YYYY-MM-DD\"T\"HH24:MI') FROM plant")
                == [at])
    }

    @Test("worked example: down from 4 March, 08:50 to 6 March, 10:00")
    func workedExample() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden(cycle: 9)
        try await service.run(at: try seoul("2027-03-04T08:50"))
        let back = try seoul("2027-03-06T10:00")
        try await service.run(at: back)
        try await service.run(at: back.adding(microseconds: 1))
        #expect(try await service.store(at: back.adding(microseconds: 1)).excuseOutages() == 1)
        #expect(try await due(service) == ["2027-03-06 outage"])
        #expect(try await service.run(at: back.adding(microseconds: 3)).delivered == 1)
        #expect(
            try await withered(service, plant, until: "2027-03-07T12:00") == [
                "excused 2027-03-04 until 2027-03-06", "withered 2027-03-07",
            ])
        // The reports agree.
        #expect(
            try await service.texts("SELECT withers_on::text FROM report.due_dates WHERE source = 'outage'") == [
                "2027-03-07"
            ]
        )
    }

    @Test("half an hour is no outage, and a push that only comes late excuses nobody")
    func short() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden(alarm: "23:45")
        try await service.run(at: try seoul("2027-03-02T23:40"))
        try await service.run(at: try seoul("2027-03-03T00:10"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 expired too_late"])
        #expect(try await outages(service) == [])
        try await service.run(at: try seoul("2027-03-03T00:11"))
        #expect(try await excuse(service, at: "2027-03-03T00:11") == 0)
        #expect(try await due(service) == ["2027-03-02 registration"])
    }

    @Test("a push that came late on its day excuses nobody")
    func late() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        try await service.run(at: try seoul("2027-03-02T08:00"))
        try await service.run(at: try seoul("2027-03-02T15:00"))
        #expect(try await outages(service) == ["7 engine 03-02 08:00 03-02 15:00 0"])
        try await service.run(at: try seoul("2027-03-02T15:01"))
        #expect(try await excuse(service, at: "2027-03-02T15:01") == 0)
        #expect(try await due(service) == ["2027-03-02 registration"])
        #expect(try await outages(service) == ["7 engine 03-02 08:00 03-02 15:00 0 settled"])
    }

    @Test("switched off pushes excuse nobody", arguments: [true, false])
    func switchedOff(isAccount: Bool) async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        try await service.run(at: try seoul("2027-03-01T20:00"))
        try await service.run(at: try seoul("2027-03-04T08:00"))
        try await service.execute(
            isAccount ? "UPDATE account SET watering_pushes = false" : "UPDATE plant SET pushes_enabled = false")
        try await service.run(at: try seoul("2027-03-04T08:01"))
        #expect(try await excuse(service, at: "2027-03-04T08:01") == 0)
        #expect(try await due(service) == ["2027-03-02 registration"])
        _ = (account, plant)
    }

    @Test("who waters during the outage keeps the new due date, and is not late")
    func wateredMeanwhile() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.run(at: try seoul("2027-03-01T20:00"))
        _ = try await service.store(at: try seoul("2027-03-03T12:00")).water(
            plant.reference, WateringRequest(method: .call))
        #expect(try await service.texts("SELECT in_time_count || ' ' || late_count FROM plant_history") == ["0 1"])
        try await service.run(at: try seoul("2027-03-04T08:00"))
        try await service.run(at: try seoul("2027-03-04T08:01"))
        #expect(try await excuse(service, at: "2027-03-04T08:01") == 1)
        #expect(try await due(service) == ["2027-03-10 watering"])
        #expect(try await service.texts("SELECT in_time_count || ' ' || late_count FROM plant_history") == ["1 0"])
        #expect(
            try await withered(service, plant, until: "2027-03-04T12:00") == [
                "excused 2027-03-02 until 2027-03-04", "watered 2027-03-03",
            ])
    }

    @Test(
        "who watered before the push was due, or on its day, is not touched",
        arguments: ["2027-03-02T07:00", "2027-03-02T20:00"])
    func wateredInTime(at: String) async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.run(at: try seoul("2027-03-01T20:00"))
        _ = try await service.store(at: try seoul(at)).water(plant.reference, WateringRequest(method: .call))
        try await service.run(at: try seoul("2027-03-04T08:00"))
        try await service.run(at: try seoul("2027-03-04T08:01"))
        #expect(try await excuse(service, at: "2027-03-04T08:01") == 0)
        #expect(try await due(service) == ["2027-03-09 watering"])
    }

    @Test("a provider that takes no push for more than 30 minutes: excused once it takes one, in whichever lane")
    func providerDown() async throws {
        let sender = RecordingDeviceSender { _, device, _ in
            device.token == "new" ? .accepted : .failed(reason: "503", retryAfter: .seconds(40_000))
        }
        let service = ServiceUnderTest(devices: sender.senders())
        let (account, _) = try await service.garden()
        try await add("phone", to: account, service)
        let (other, _) = try await service.garden(lane: Lane(9), email: "jun@example.com", cycle: 9)
        try await add("new", to: other, service)
        let down = service.tick(at: try seoul("2027-03-02T09:00"))
        _ = try await down.run()
        try await down.recordProviders(in: service.store(at: try seoul("2027-03-02T09:00")))
        #expect(try await outages(service) == ["7 apple 03-02 09:00 0"])
        let lasting = try await service.store(at: try seoul("2027-03-02T10:00")).outages()
        #expect(lasting.map(\.endedAt) == [nil])
        try await service.run(at: try seoul("2027-03-03T00:00"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 expired too_late"])
        #expect(try await excuse(service, at: "2027-03-03T00:00") == 0)
        let up = service.tick(at: try seoul("2027-03-04T09:00"))
        _ = try await up.run()
        try await up.recordProviders(in: service.store(at: try seoul("2027-03-04T09:00")))
        #expect(try await outages(service) == ["7 apple 03-02 09:00 03-04 09:00 0"])
        try await service.run(at: try seoul("2027-03-04T09:01"))
        #expect(try await excuse(service, at: "2027-03-04T09:01") == 1)
        #expect(
            try await service.texts("SELECT due_on || ' ' || due_source FROM plant WHERE lane = 7") == [
                "2027-03-04 outage"
            ])
    }

    @Test("an outage that another worker ended begins anew with the next failure; an older answer ends none")
    func anew() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try seoul("2027-03-02T09:00"))
        let watch = ProviderWatch()
        watch.note(.apple, isWorking: false, in: Lane(7), at: try seoul("2027-03-02T09:00"))
        try await watch.record(in: store)
        try await store.noteWorking(.apple, at: seoul("2027-03-02T08:59"))
        #expect(try await outages(service) == ["7 apple 03-02 09:00 0"])
        try await store.noteWorking(.apple, at: seoul("2027-03-02T09:01"))
        #expect(try await outages(service) == [])
        watch.note(.apple, isWorking: false, in: Lane(7), at: try seoul("2027-03-02T09:02"))
        try await watch.record(in: store)
        #expect(try await outages(service) == ["7 apple 03-02 09:02 0"])
    }

    @Test("looks, and failures of providers, are noted while a command holds the lane: no other lane waits for it")
    func heldLane() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        try await service.run(at: try seoul("2027-03-01T20:00"))
        try await service.pool.withTransaction { command in
            _ = try await command.query("SELECT 1 FROM lane FOR UPDATE")
            let scheduler = service.scheduler(at: try seoul("2027-03-02T10:00"))
            try await scheduler.note(try await scheduler.outlook())
            try await service.store(at: try seoul("2027-03-02T10:00")).noteFailing(
                .apple, in: [Lane(8): seoul("2027-03-02T10:00")])
        }
        #expect(try await outages(service) == ["7 engine 03-01 20:00 03-02 10:00 0", "8 apple 03-02 10:00 0"])
    }

    @Test("pushes leave even if no look can be noted, and the worker says so")
    func unnoted() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        try await service.execute("ALTER TABLE lane_watch RENAME TO lane_watch_elsewhere")
        let now = try seoul("2027-03-02T09:00")
        let lines = LogLines()
        let worker = Worker(
            scheduler: service.scheduler(at: now),
            deliverer: Deliverer(
                log: service.log(at: now), destination: .lines(service.sender), worker: "worker-1", logger: .silent),
            housekeeping: service.housekeeping(at: now), store: service.store(at: now), concurrency: 4,
            pollInterval: .milliseconds(50), logger: lines.logger)
        let group = ServiceGroup(services: worker.services, logger: .silent)
        let running = Task { try await group.run() }
        try await eventually("nothing is sent") { await service.sender.sent.count == 1 }
        await group.triggerGracefulShutdown()
        try await running.value
        try await service.execute("ALTER TABLE lane_watch_elsewhere RENAME TO lane_watch")
        #expect(lines.all.contains { $0.contains("looks at lanes not noted") })
    }

    @Test("an account whose zone the worker does not know is excused by UTC, and keeps no other of its lane from it")
    func unknownZone() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        try await service.run(at: try seoul("2027-03-01T20:00"))
        try await service.run(at: try seoul("2027-03-04T08:00"))
        try await service.run(at: try seoul("2027-03-04T08:01"))
        var worker = service
        worker.timeZones = SystemTimeZones(directory: "/nonexistent")
        #expect(try await excuse(worker, at: "2027-03-04T08:01") == 1)
        #expect(try await due(service) == ["2027-03-04 outage"])
        #expect(try await outages(service).allSatisfy { $0.hasSuffix("settled") })
    }

    @Test("a provider that soon works again has had no outage")
    func blip() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try seoul("2027-03-02T09:00"))
        try await store.noteFailing(
            .google, in: [Lane(7): seoul("2027-03-02T09:00"), Lane(8): seoul("2027-03-02T08:00")])
        try await store.noteFailing(.google, in: [Lane(7): seoul("2027-03-02T09:10")])
        #expect(try await outages(service) == ["7 google 03-02 09:00 0", "8 google 03-02 08:00 0"])
        try await store.noteWorking(.apple, at: seoul("2027-03-02T09:20"))
        try await store.noteWorking(.google, at: seoul("2027-03-02T09:30"))
        #expect(try await outages(service) == ["8 google 03-02 08:00 03-02 09:30 0"])
        #expect(try await store.outages().map(\.laneCount) == [1])
    }

    @Test("an operator may declare an outage that nothing recorded, for the pushes that expired in it")
    func declared() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        // The first look of all: nobody can tell what was before it.
        try await service.run(at: try seoul("2027-03-04T08:00"))
        #expect(try await outages(service) == [])
        let store = service.store(at: try seoul("2027-03-04T10:00"))
        for (from, to) in [
            ("2027-03-03T10:00", "2027-03-02T10:00"), ("2027-03-03T10:00", "2027-03-04T11:00"),
            ("2027-01-03T10:00", "2027-03-04T09:00"),
        ] {
            await #expect(throws: OutageProblem.self) {
                try await store.declareOutage(from: seoul(from), to: seoul(to))
            }
        }
        try await store.declareOutage(from: seoul("2027-03-02T08:00"), to: seoul("2027-03-04T07:00"))
        try await service.run(at: try seoul("2027-03-04T10:00"))
        #expect(try await excuse(service, at: "2027-03-04T10:00") == 1)
        #expect(try await due(service) == ["2027-03-04 outage"])
        let views = try await store.outages()
        #expect(views.map(\.laneCount) == [256] && views.map(\.excusedCount) == [1] && views.allSatisfy(\.isSettled))
    }

    /// Lets an outage keep back the pushes of 451 plants. Returns the store at the moment when they can be excused.
    private func outageOfManyPlants(_ service: ServiceUnderTest) async throws -> CareStore {
        let (_, plant) = try await service.garden()
        try await service.multiply(plant, by: 450)
        for now in ["2027-03-01T20:00", "2027-03-04T08:00", "2027-03-04T08:01"] {
            try await service.run(at: try seoul(now))
        }
        return service.store(at: try seoul("2027-03-04T08:01"))
    }

    @Test("a garden of many plants is excused in pieces, each once")
    func pieces() async throws {
        let service = ServiceUnderTest()
        let store = try await outageOfManyPlants(service)
        async let first = store.excuseOutages()
        async let second = store.excuseOutages()
        #expect(try await [first, second].reduce(0, +) == 451)
        #expect(try await service.count("SELECT count(*) FROM plant WHERE due_on = '2027-03-04'") == 451)
        #expect(try await service.count("SELECT count(*) FROM cycle_change WHERE source = 'outage'") == 451)
        try await service.run(at: try seoul("2027-03-04T09:00"))
        #expect(
            try await service.count("SELECT count(*) FROM push_job WHERE planned_at >= '2027-03-04T00:00:00Z'") == 451)
    }

    @Test("a plant that missed two pushes is excused for both, even if a piece would end between them")
    func twoOfAPlant() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        try await service.multiply(plant, by: 250)
        try await service.run(at: try seoul("2027-03-01T20:00"))
        let store = service.store(at: try seoul("2027-03-02T12:00"))
        let plants = try await store.garden(of: account.id).plants().sorted { $0.id.description < $1.id.description }
        _ = try await store.postpone(plants[199].reference, days: 1)
        for now in ["2027-03-04T08:00", "2027-03-04T08:01"] { try await service.run(at: try seoul(now)) }
        _ = try await excuse(service, at: "2027-03-04T08:01")
        #expect(Set(try await due(service)) == ["2027-03-04 outage"])
    }

    @Test("a worker that has other work stops between two pieces, and goes on there")
    func stops() async throws {
        let service = ServiceUnderTest()
        let store = try await outageOfManyPlants(service)
        let questions = Mutex(0)
        let hasOtherWork = { @Sendable in
            questions.withLock { count in
                count += 1
                return count > 2
            }
        }
        #expect(try await store.excuseOutages(shouldStop: hasOtherWork) == 400)
        #expect(try await outages(service) == ["7 engine 03-01 20:00 03-04 08:00 400"])
        #expect(try await store.excuseOutages() == 51)
        #expect(try await outages(service) == ["7 engine 03-01 20:00 03-04 08:00 451 settled"])
    }

    @Test("in a pause, what an outage excused is due on the first day after it")
    func paused() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        try await service.run(at: try seoul("2027-03-01T20:00"))
        try await service.run(at: try seoul("2027-03-04T08:00"))
        _ = try await service.store(at: try seoul("2027-03-04T08:00")).garden(of: account.id).beginPause(
            of: .account, from: try civilDay("2027-03-04"), to: try civilDay("2027-03-09"), isSpread: false)
        try await service.run(at: try seoul("2027-03-04T08:01"))
        #expect(try await excuse(service, at: "2027-03-04T08:01") == 1)
        #expect(try await due(service) == ["2027-03-10 outage"])
        #expect(
            try await withered(service, plant, until: "2027-03-10T12:00").contains { $0.hasPrefix("withered") } == false
        )
    }
}
