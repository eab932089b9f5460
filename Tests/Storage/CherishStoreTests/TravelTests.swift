import CherishCore
import CherishStore
import CherishTestSupport
import CherishWorker
import Testing

/// The state of a due date's push when its account travels.
enum Departure: String, CaseIterable, Sendable {
    case beforeAlarm, afterAlarm, afterScheduling, afterDelivery
}

/// Across the date line: Kiritimati's clocks are 25 hours ahead of Pago Pago's.
private struct Journey {
    let from: String
    let to: String
    /// 09:00 on 2 March at the origin.
    let alarm: Instant
    /// 09:00 on 2 March at the destination.
    let alarmThere: Instant

    static func west() throws -> Journey {
        Journey(
            from: "Pacific/Kiritimati", to: "Pacific/Pago_Pago", alarm: try instant("2027-03-01T19:00:00Z"),
            alarmThere: try instant("2027-03-02T20:00:00Z"))
    }

    static func east() throws -> Journey {
        let west = try west()
        return Journey(from: west.to, to: west.from, alarm: west.alarmThere, alarmThere: west.alarm)
    }
}

@Suite("Travelling on D-day", .migratedDatabase, .serialized)
struct TravelTests {
    /// A plant due on 2 March, and a birthday on that day.
    private func garden(_ service: ServiceUnderTest, in zone: String) async throws -> (account: Account, plant: Plant) {
        let registered = try instant("2027-02-23T12:00:00Z")
        let account = try await service.account(
            zone: zone, switches: NotificationSwitches(birthday: true), at: registered)
        let today = try ServiceUnderTest.zones.rules(zone).day(at: registered)
        let cycle = try civilDay("2027-03-02") - today
        return (account, try await service.friend(of: account, cycle: cycle, birthday: "03-02", at: registered))
    }

    private func move(_ account: Account, to zone: String, at now: Instant, _ service: ServiceUnderTest) async throws {
        var edit = AccountEdit()
        edit.timeZone = zone
        _ = try await service.store(at: now).editAccount(account.id, edit)
    }

    /// Brings the push to the state of departure, travels, and runs workers for two days.
    private func travel(_ journey: Journey, _ departure: Departure, _ service: ServiceUnderTest) async throws {
        let (account, _) = try await garden(service, in: journey.from)
        let leaves = journey.alarm.adding(minutes: departure == .beforeAlarm ? -60 : 10)
        try await service.run(at: journey.alarm.adding(hours: -2))
        switch departure {
        case .beforeAlarm, .afterAlarm: break
        case .afterScheduling: _ = try await service.tick(at: journey.alarm).schedule()
        case .afterDelivery: try await service.run(at: journey.alarm)
        }
        try await move(account, to: journey.to, at: leaves, service)
        for hour in [0, 1, 24, 25, 26, 48] { try await service.run(at: leaves.adding(minutes: 10 + 60 * hour)) }
        #expect(try await service.unaccounted(upTo: leaves.adding(hours: 48)).isEmpty)
    }

    @Test(
        "7.2, 7.5: west, where D-day comes again: one push, here if its alarm was reached, otherwise there",
        arguments: Departure.allCases)
    func west(departure: Departure) async throws {
        let service = ServiceUnderTest()
        try await travel(try Journey.west(), departure, service)
        let delivered = "2027-03-02 delivered sent"
        for topic in [Topic.wateringDue, .birthday] {
            let superseded = departure == .beforeAlarm ? ["\(topic) 2027-03-02 superseded edited"] : []
            let ended = try await service.pushes(topic)
            #expect(ended == superseded + ["\(topic) \(delivered)"])
        }
        #expect(await service.sender.sent.count == 2)
    }

    @Test(
        "7.2, 7.5: east, where D-day is over: a reached alarm is sent once, a later one is not planned",
        arguments: Departure.allCases)
    func east(departure: Departure) async throws {
        let service = ServiceUnderTest()
        try await travel(try Journey.east(), departure, service)
        let ending = departure == .beforeAlarm ? "superseded edited" : "delivered sent"
        for topic in [Topic.wateringDue, .birthday] {
            let ended = try await service.pushes(topic)
            #expect(ended == ["\(topic) 2027-03-02 \(ending)"])
        }
        #expect(await service.sender.sent.count == (departure == .beforeAlarm ? 0 : 2))
    }

    @Test("7.2, 7.5: there and back before the alarm: one push, at the old instant")
    func thereAndBack() async throws {
        let service = ServiceUnderTest()
        let journey = try Journey.west()
        let (account, _) = try await garden(service, in: journey.from)
        try await move(account, to: journey.to, at: journey.alarm.adding(hours: -3), service)
        try await move(account, to: journey.from, at: journey.alarm.adding(hours: -1), service)
        try await service.run(at: journey.alarm)
        #expect(try await service.pushes(.wateringDue) == ["watering_due 2027-03-02 delivered sent"])
        try await service.run(at: journey.alarmThere)
        #expect(
            try await service.pushes(.wateringDue) == [
                "watering_due 2027-03-02 delivered sent", "watering_due 2027-03-02 superseded edited",
            ])
        #expect(await service.sender.sent.filter { $0.topic == .wateringDue }.count == 1)
    }

    @Test("7.2: pushed, watered for the day before there, due again on the day of the push: no second push")
    func dueAgain() async throws {
        let service = ServiceUnderTest()
        let journey = try Journey.west()
        let (account, plant) = try await garden(service, in: journey.from)
        try await service.run(at: journey.alarm)
        try await move(account, to: journey.to, at: journey.alarm.adding(hours: 1), service)
        let store = service.store(at: journey.alarm.adding(hours: 2))
        let watered = try await store.water(plant.reference, WateringRequest(method: .call, declinesReview: true))
        #expect(watered.watering.watering.wateredOn.description == "2027-03-01")
        let edited = try await store.editFriend(plant.reference, plantEdit(cycle: 1))
        #expect(edited.dueOn.description == "2027-03-02")
        try await service.run(at: journey.alarmThere)
        #expect(try await service.pushes(.wateringDue) == ["watering_due 2027-03-02 delivered sent"])
        // It is D-day there, and only the second push is missing.
        let postponed = try await service.store(at: journey.alarmThere).postpone(plant.reference, days: 1)
        #expect(postponed.dueOn.description == "2027-03-03")
        try await service.run(at: journey.alarmThere.adding(hours: 24))
        #expect(try await service.pushes(.wateringDue).last == "watering_due 2027-03-03 delivered sent")
    }
}
