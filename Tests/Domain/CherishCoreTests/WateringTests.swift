import Testing

@testable import CherishCore

@Suite("Watering")
struct WateringTests {
    @Test("3.1: the ways of contact and their names")
    func methods() {
        #expect(
            ContactMethod.allCases.map(\.rawValue) == ["call", "message", "kakaotalk", "video", "in_person", "other"])
    }

    @Test("3.1, 3.2: every way of contact waters, at once and without a review", arguments: ContactMethod.allCases)
    func method(method: ContactMethod) throws {
        let garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        var plant = garden.plant
        let now = try seoul("2027-03-03T10:00")
        let change = try plant.water(
            WateringRequest(method: method), isFirstOfDay: true, for: garden.account, in: garden.context(now))
        #expect(change.watering.method == method)
        #expect(change.watering.number == 1)
        #expect(change.watering.recordedAt == now)
        #expect(change.watering.review == nil)
        #expect(change.watering.wateredOn.description == "2027-03-03")
        #expect(plant.wateringCount == 1)
    }

    @Test("3.3: watering restarts the cycle on any day: early, on D-day, late", arguments: [1, 6, 7, 8, 40])
    func restart(daysAfterRegistration: Int) throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        let day = garden.plant.plantedOn + daysAfterRegistration
        let now = try seoul("2027-03-01T10:00").adding(hours: 24 * daysAfterRegistration)
        let change = try garden.water(at: now)
        #expect(garden.plant.dueOn == day + 7)
        #expect(garden.plant.lastWateredOn == day)
        #expect(garden.plant.dueSource == .watering)
        #expect(change.watering.dueOn == day + 7)
        let dDay = try garden.dDay(now)
        #expect(dDay.condition == .thriving, "a withered plant revives at once")
    }

    @Test("3.3: on the day of registration")
    func sameDay() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-01T10:01"))
        #expect(garden.plant.dueOn.description == "2027-03-08")
    }

    @Test("3.3: a withered plant stays withered if the new due date is past too")
    func staysWithered() throws {
        var garden = try Garden(cycle: 3, registeredAt: seoul("2027-03-01T10:00"))
        let now = try seoul("2027-03-20T10:00")
        let change = try garden.water(at: now, on: civilDay("2027-03-13"))
        #expect(garden.plant.dueOn.description == "2027-03-16")
        #expect(change.watering.isBackdated)
        let dDay = try garden.dDay(now)
        #expect(dDay.condition == .withered)
        try garden.tick(at: seoul("2027-03-25T10:00"))
        #expect(garden.sentDueDates.isEmpty, "an alarm in the past is not planned")
    }

    @Test("3.4: a watering may be recorded up to 7 days back", arguments: -7...0)
    func backdated(offset: Int) throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-02-01T10:00"))
        let now = try seoul("2027-03-02T10:00")
        let day = try civilDay("2027-03-02") + offset
        let change = try garden.water(at: now, on: day)
        #expect(change.watering.wateredOn == day)
        #expect(change.watering.isBackdated == (offset < 0))
        #expect(garden.plant.dueOn == day + 30)
    }

    @Test("3.4: 8 days back and tomorrow are refused", arguments: [-400, -8, 1, 365])
    func outOfRange(offset: Int) throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-02-01T10:00"))
        let now = try seoul("2027-03-02T10:00")
        let today = try civilDay("2027-03-02")
        let refusal = CareError.wateringDayOutOfRange(today + offset, earliest: today + -7, latest: today)
        #expect(throws: refusal) { try garden.water(at: now, on: today + offset) }
    }

    @Test("3.4: not before registration")
    func beforeRegistration() throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-02-28T10:00"))
        let now = try seoul("2027-03-02T10:00")
        let (today, registered) = (try civilDay("2027-03-02"), try civilDay("2027-02-28"))
        let refusal = CareError.wateringDayOutOfRange(registered + -1, earliest: registered, latest: today)
        #expect(throws: refusal) { try garden.water(at: now, on: registered + -1) }
        try garden.water(at: now, on: registered)
        #expect(garden.plant.lastWateredOn == registered)
    }

    @Test("3.4: older than the latest watering: it counts and earns, and the due date stays")
    func olderThanLatest() throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-02-01T10:00"))
        try garden.water(at: seoul("2027-03-01T10:00"))
        let plansBefore = garden.plant.plans
        let change = try garden.water(at: seoul("2027-03-02T10:00"), on: civilDay("2027-02-27"))
        #expect(garden.plant.dueOn.description == "2027-03-11")
        #expect(garden.plant.lastWateredOn?.description == "2027-03-01")
        #expect(garden.plant.wateringCount == 2)
        #expect(garden.plant.affection.points == 16)
        #expect(change.watering.dueOn == nil)
        #expect(change.occurrences.isEmpty)
        #expect(garden.plant.plans == plansBefore)
    }

    @Test("3.4: newer than the latest watering: the due date moves, even if recorded for an earlier day")
    func backdatedButNewest() throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-02-01T10:00"))
        try garden.water(at: seoul("2027-02-20T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"), on: civilDay("2027-02-27"))
        #expect(garden.plant.dueOn.description == "2027-03-09")
        #expect(garden.plant.lastWateredOn?.description == "2027-02-27")
    }

    @Test("3.5: a second watering of a day is recorded and earns nothing, with or without a review")
    func secondOfDay() throws {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"))
        let second = try garden.water(at: seoul("2027-03-02T23:59"), keywords: ["안부"], memo: "또 통화했다")
        #expect(second.watering.number == 2)
        #expect(second.entries.isEmpty)
        #expect(garden.plant.wateringCount == 2)
        #expect(garden.plant.affection.points == 8)
        let later = try garden.writeReview(2, at: seoul("2027-03-03T09:00"), keywords: ["점심"], memo: "고침")
        #expect(later.isEmpty)
        try garden.water(at: seoul("2027-03-03T10:00"))
        #expect(garden.plant.affection.points == 16)
    }

    @Test("3.5: a day that already has a watering earns nothing for one recorded later")
    func secondOfEarlierDay() throws {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"))
        try garden.water(at: seoul("2027-03-04T10:00"))
        let again = try garden.water(at: seoul("2027-03-04T11:00"), on: civilDay("2027-03-02"))
        #expect(again.entries.isEmpty)
        let between = try garden.water(at: seoul("2027-03-04T11:00"), on: civilDay("2027-03-03"))
        #expect(between.entries.count == 1)
        #expect(garden.plant.affection.points == 24)
    }
}
