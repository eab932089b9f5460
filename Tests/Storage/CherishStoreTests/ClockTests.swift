import CherishCore
import CherishStore
import CherishTestSupport
import CherishWorker
import Testing

/// What a command may do to a plant on its D-day.
enum CommandOfEarlierClock: String, CaseIterable, Sendable {
    case alarmEarlier, alarmLater, cycleThereAndBack, zoneThereAndBack, switchThereAndBack

    func carryOut(on plant: Plant, of account: Account, in store: CareStore) async throws {
        switch self {
        case .alarmEarlier: _ = try await store.editFriend(plant.reference, plantEdit(alarm: "08:45"))
        case .alarmLater: _ = try await store.editFriend(plant.reference, plantEdit(alarm: "20:00"))
        case .cycleThereAndBack:
            for cycle in [8, 7] { _ = try await store.editFriend(plant.reference, plantEdit(cycle: cycle)) }
        case .zoneThereAndBack:
            for zone in ["America/New_York", "Asia/Seoul"] {
                var edit = AccountEdit()
                edit.timeZone = zone
                _ = try await store.editAccount(account.id, edit)
            }
        case .switchThereAndBack:
            for isOn in [false, true] {
                var edit = AccountEdit()
                edit.wateringPushes = isOn
                _ = try await store.editAccount(account.id, edit)
            }
        }
    }
}

@Suite("Clocks that step back, and workers whose clocks differ", .migratedDatabase, .serialized)
struct ClockTests {
    @Test(
        "7.2: pushed at 09:00, then edited by a clock at 08:30: no second push",
        arguments: CommandOfEarlierClock.allCases)
    func pushedBefore(command: CommandOfEarlierClock) async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        try await service.run(at: seoul("2027-03-02T09:00"))
        let cursor = try await service.cursor()
        try await command.carryOut(on: plant, of: account, in: service.store(at: seoul("2027-03-02T08:30")))
        // Only the pushed occurrence is there.
        #expect(try await service.count("SELECT count(*) FROM occurrence WHERE at <= $1", [cursor]) == 1)
        for time in ["2027-03-02T08:45", "2027-03-02T09:00", "2027-03-02T20:00", "2027-03-03T09:00"] {
            try await service.run(at: seoul(time))
        }
        let delivered = try await service.pushes().filter { $0.contains("delivered") }
        #expect(delivered == ["watering_due 2027-03-02 delivered sent"])
        #expect(await service.sender.sent.count == 1)
        #expect(try await service.unaccounted(upTo: seoul("2027-03-03T09:00")).isEmpty)
    }

    @Test("3.4, 3.5: watered by a clock a day back: it counts for that day, and the newer watering sets the due date")
    func wateredYesterday() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let request = WateringRequest(method: .call, declinesReview: true)
        let first = try await service.store(at: seoul("2027-03-03T10:00")).water(plant.reference, request)
        let back = service.store(at: try seoul("2027-03-02T10:00"))
        let second = try await back.water(plant.reference, request)
        #expect(second.watering.watering.wateredOn.description == "2027-03-02")
        #expect(second.watering.watering.dueOn == nil)
        #expect(second.plant.dueOn == first.plant.dueOn)
        #expect(second.plant.affection.points == 16)
        let third = try await service.store(at: seoul("2027-03-03T10:01")).water(plant.reference, request)
        #expect(third.watering.pointsGained == 0)
        #expect(third.plant.dueOn.description == "2027-03-10")
        // By the earlier clock, the third is tomorrow and the new D-day is still ahead.
        let (tomorrow, today) = (try civilDay("2027-03-03"), try civilDay("2027-03-02"))
        let refusal = CareError.wateringDayOutOfRange(tomorrow, earliest: try civilDay("2027-02-23"), latest: today)
        await #expect(throws: refusal) {
            try await back.water(plant.reference, WateringRequest(method: .call, day: tomorrow))
        }
        await #expect(throws: CareError.notYetDue(daysLeft: 8)) { try await back.postpone(plant.reference, days: 1) }
        try await service.run(at: seoul("2027-03-10T09:00"))
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 superseded watered", "watering_due 2027-03-10 delivered sent",
            ])
    }

    @Test("3.4: watered by a clock before the registration: it counts for that clock's today")
    func beforeRegistration() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let back = service.store(at: try seoul("2027-02-22T10:00"))
        let watered = try await back.water(plant.reference, WateringRequest(method: .call, declinesReview: true))
        #expect(watered.plant.dueOn.description == "2027-03-01")
        let earlier = try civilDay("2027-02-21")
        let today = try civilDay("2027-02-22")
        await #expect(throws: CareError.wateringDayOutOfRange(earlier, earliest: today, latest: today)) {
            try await back.water(plant.reference, WateringRequest(method: .call, day: earlier))
        }
        try await service.run(at: seoul("2027-03-01T09:00"))
        try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-01 delivered sent", "watering_due 2027-03-02 superseded watered",
            ])
    }

    @Test("7.3: reminded, then watered by an earlier clock: the next reminder is planned ahead of the cursor")
    func remindedBefore() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let request = WateringRequest(method: .call)
        _ = try await service.store(at: seoul("2027-03-01T10:00")).water(plant.reference, request)
        try await service.run(at: seoul("2027-03-01T10:30"))
        let cursor = try await service.cursor()
        let again = try await service.store(at: seoul("2027-03-01T09:00")).water(plant.reference, request)
        #expect(again.plant.plans.reviewMissing?.at == cursor.adding(microseconds: 1))
        try await service.run(at: seoul("2027-03-01T09:30"))
        #expect(await service.sender.sent.count == 1)
        try await service.run(at: seoul("2027-03-01T10:31"))
        #expect(try await service.pushes() == ["review_missing 1 delivered sent", "review_missing 2 delivered sent"])
    }

    @Test("7.10: a birthday is not pushed twice, however far the clock steps back")
    func birthdayBefore() async throws {
        let service = ServiceUnderTest()
        let registered = try seoul("2027-02-23T10:00")
        let account = try await service.account(switches: NotificationSwitches(birthday: true), at: registered)
        let plant = try await service.friend(of: account, cycle: 90, birthday: "03-02", at: registered)
        try await service.run(at: seoul("2027-03-02T09:00"))
        _ = try await service.store(at: seoul("2027-03-01T08:00")).editFriend(
            plant.reference, plantEdit(alarm: "10:00"))
        try await service.run(at: seoul("2027-03-01T10:00"))
        try await service.run(at: seoul("2027-03-02T10:00"))
        #expect(try await service.pushes(.birthday) == ["birthday 2027-03-02 delivered sent"])
        #expect(try await service.calendar().last == "birthday 2028-03-02 2028-03-02T01:00:00Z")
    }

    @Test("7.8: a worker with a slow clock delivers what a fast one scheduled, and neither delivers it again")
    func workersApart() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        let (ahead, behind) = (try seoul("2027-03-02T09:05"), try seoul("2027-03-02T08:55"))
        _ = try await service.tick(at: ahead, worker: "ahead").schedule()
        for minutes in [0, 5, 10, 20] {
            _ = try await service.tick(at: behind.adding(minutes: minutes), worker: "behind").run()
            _ = try await service.tick(at: ahead.adding(minutes: minutes), worker: "ahead").run()
        }
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
        #expect(try await service.texts("SELECT worker FROM push_receipt") == ["behind"])
        #expect(await service.sender.sent.count == 1)
    }

    @Test("a retry scheduled by a fast clock also waits for the slow one, and is sent once by the first to reach it")
    func retryApart() async throws {
        let sender = RecordingSender { _, attempt in .answers(attempt == 1 ? .retry(error: "busy") : .delivered) }
        let service = ServiceUnderTest(sender: sender)
        _ = try await service.garden()
        let (ahead, behind) = (try seoul("2027-03-02T09:05"), try seoul("2027-03-02T08:55"))
        _ = try await service.tick(at: ahead, worker: "ahead").run()
        let early = try await service.tick(at: behind.adding(minutes: 9), worker: "behind").run()
        #expect(early == RoundCounts())
        _ = try await service.tick(at: behind.adding(minutes: 60), worker: "behind").run()
        _ = try await service.tick(at: ahead.adding(minutes: 60), worker: "ahead").run()
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent_after_retry"])
        #expect(await sender.sent.count == 2)
    }
}
