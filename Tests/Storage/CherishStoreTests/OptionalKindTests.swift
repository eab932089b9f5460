import CherishCore
import CherishStore
import CherishTestSupport
import Foundation
import Testing

@Suite("Opt-in kinds of push", .migratedDatabase, .serialized)
struct OptionalKindTests {
    private func gardenWithBirthday(_ service: ServiceUnderTest, birthday: String, asksForIt: Bool = true) async throws
        -> (account: Account, plant: Plant)
    {
        let now = try seoul("2027-02-01T10:00")
        let account = try await service.account(switches: NotificationSwitches(birthday: asksForIt), at: now)
        return (account, try await service.friend(of: account, cycle: 90, birthday: birthday, at: now))
    }

    @Test("7.10: birthdays are pushed year after year, 29 February on 28 February in other years")
    func birthdays() async throws {
        let service = ServiceUnderTest()
        _ = try await gardenWithBirthday(service, birthday: "1996-02-29")
        // As a worker would, so that only the calendar lacks a partition when the next birthday is planned.
        let first = try seoul("2027-02-28T09:00")
        _ = try await service.housekeeping(at: first).run()
        try await service.run(at: first)
        #expect(try await service.pushes(.birthday) == ["birthday 2027-02-28 delivered sent"])
        #expect(try await service.calendar().last == "birthday 2028-02-29 2028-02-29T00:00:00Z")
        try await service.run(at: seoul("2028-02-28T09:00"))
        try await service.run(at: seoul("2028-02-29T09:00"))
        #expect(
            try await service.pushes(.birthday) == [
                "birthday 2027-02-28 delivered sent", "birthday 2028-02-29 delivered sent",
            ])
        #expect(try await service.calendar().last == "birthday 2029-02-28 2029-02-28T00:00:00Z")
        let kept = await service.sender.sent.filter { $0.topic == .birthday }.map(\.occursOn.description)
        #expect(kept == ["2027-02-28", "2028-02-29"])
    }

    @Test("7.10: the first tick of a new database plans the next birthday, although partitions are missing")
    func birthdayWithoutPartitions() async throws {
        let service = ServiceUnderTest()
        _ = try await gardenWithBirthday(service, birthday: "02-28")
        try await service.run(at: seoul("2027-02-28T09:00"))
        #expect(try await service.pushes(.birthday) == ["birthday 2027-02-28 delivered sent"])
        #expect(try await service.calendar().last == "birthday 2028-02-28 2028-02-28T00:00:00Z")
    }

    @Test("7.7, 7.10: a birthday missed in an outage expires, and the next one is planned nevertheless")
    func missedBirthday() async throws {
        let service = ServiceUnderTest()
        _ = try await gardenWithBirthday(service, birthday: "02-28")
        let now = try seoul("2027-03-01T10:00")
        _ = try await service.housekeeping(at: now).run()
        try await service.run(at: now)
        #expect(try await service.pushes(.birthday) == ["birthday 2027-02-28 expired too_late"])
        try await service.run(at: seoul("2028-02-28T09:00"))
        #expect(try await service.pushes(.birthday).last == "birthday 2028-02-28 delivered sent")
    }

    @Test("7.10: kinds not asked for are not planned; asked for later, they are planned from then on")
    func notAskedFor() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await gardenWithBirthday(service, birthday: "02-28", asksForIt: false)
        #expect(try await service.calendar() == ["watering_due 2027-05-02 2027-05-02T00:00:00Z"])
        var edit = AccountEdit()
        edit.birthdayPushes = true
        edit.witheredPushes = true
        _ = try await service.store(at: seoul("2027-02-28T10:00")).editAccount(account.id, edit)
        // This year's birthday alarm is past.
        #expect(
            try await service.calendar() == [
                "watering_due 2027-05-02 2027-05-02T00:00:00Z", "withered 2027-05-02 2027-05-03T00:00:00Z",
                "birthday 2028-02-28 2028-02-28T00:00:00Z",
            ])
    }

    @Test("7.10: switching birthdays on plans those of several friends, in whatever months")
    func severalMonths() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await gardenWithBirthday(service, birthday: "07-01", asksForIt: false)
        let now = try seoul("2027-02-01T10:00")
        // More months than a command's retries cover.
        for number in 2...6 {
            _ = try await service.friend(
                of: account, number: number, cycle: 90, birthday: String(format: "%02d-01", number + 6), at: now)
        }
        var edit = AccountEdit()
        edit.birthdayPushes = true
        _ = try await service.store(at: now).editAccount(account.id, edit)
        #expect(
            try await service.calendar().suffix(6) == [
                "birthday 2027-07-01 2027-07-01T00:00:00Z", "birthday 2027-08-01 2027-08-01T00:00:00Z",
                "birthday 2027-09-01 2027-09-01T00:00:00Z", "birthday 2027-10-01 2027-10-01T00:00:00Z",
                "birthday 2027-11-01 2027-11-01T00:00:00Z", "birthday 2027-12-01 2027-12-01T00:00:00Z",
            ])
    }

    @Test("7.6, 7.10: a birthday moved or switched off before its day is not pushed")
    func changedBirthday() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await gardenWithBirthday(service, birthday: "02-28")
        var moved = PlantEdit()
        moved.birthday = try Birthday("03-05")
        let store = service.store(at: try seoul("2027-02-20T10:00"))
        _ = try await store.editFriend(plant.reference, moved)
        try await service.run(at: seoul("2027-02-28T09:00"))
        #expect(try await service.pushes() == ["birthday 2027-02-28 superseded edited"])
        var edit = AccountEdit()
        edit.birthdayPushes = false
        _ = try await service.store(at: seoul("2027-03-01T10:00")).editAccount(account.id, edit)
        try await service.run(at: seoul("2027-03-05T09:00"))
        #expect(try await service.pushes().last == "birthday 2027-03-05 superseded edited")
    }

    @Test("7.10: a plant not watered is pushed as withered on the day after its due date, once")
    func withered() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden(switches: NotificationSwitches(withered: true))
        for time in ["2027-03-02T09:00", "2027-03-03T09:00", "2027-03-04T09:00"] {
            try await service.run(at: seoul(time))
        }
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 delivered sent", "withered 2027-03-02 delivered sent",
            ])
        let sent = await service.sender.sent
        let message = try #require(sent.last)
        #expect(message.topic == .withered)
        #expect(message.occursOn.description == "2027-03-02")
    }

    @Test(
        "7.6, 7.10: a plant watered or postponed in time is not pushed as withered", arguments: [true, false])
    func notWithered(isWatered: Bool) async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden(switches: NotificationSwitches(review: false, withered: true))
        let store = service.store(at: try seoul("2027-03-02T10:00"))
        if isWatered {
            _ = try await store.water(plant.reference, WateringRequest(method: .call, declinesReview: true))
        } else {
            _ = try await store.postpone(plant.reference, days: 7)
        }
        try await service.run(at: seoul("2027-03-03T09:00"))
        #expect(
            try await service.pushes(.withered)
                == ["withered 2027-03-02 superseded \(isWatered ? "watered" : "postponed")"])
        try await service.run(at: seoul("2027-03-10T09:00"))
        #expect(try await service.pushes(.withered).last == "withered 2027-03-09 delivered sent")
    }
}
