import Testing

@testable import CherishCore

@Suite("Postponing")
struct PostponingTests {
    @Test("6.2: by 1 to 7 days from the due date; the cycle stays", arguments: 1...7)
    func days(days: Int) throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-03-01T10:00"))
        let postponement = try garden.postpone(days, at: seoul("2027-03-11T23:59"))
        let due = try civilDay("2027-03-11")
        #expect(postponement == Postponement(number: 1, fromDueOn: due, days: days))
        #expect(postponement.dueOn == due + days)
        #expect(garden.plant.dueOn == due + days)
        #expect(garden.plant.cycle.days == 10)
        #expect(garden.plant.dueSource == .postponement)
        #expect(garden.plant.postponementCount == 1)
        #expect(garden.plant.lastWateredOn == nil)
    }

    @Test("6.2: anything else is refused", arguments: [Int.min, -7, -1, 0, 8, 14, Int.max])
    func otherDays(days: Int) throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-03-01T10:00"))
        let now = try seoul("2027-03-11T10:00")
        #expect(throws: CareError.invalidDays(days)) { try garden.postpone(days, at: now) }
    }

    @Test("6.1: only on D-day, which is the account's civil day to the minute")
    func onlyOnDDay() throws {
        let garden = try Garden(cycle: 1, zone: "America/New_York", registeredAt: instant("2027-03-13T12:00:00-05:00"))
        let cases: [(String, CareError?)] = [
            ("2027-03-13T23:59:59-05:00", .notYetDue(daysLeft: 1)), ("2027-03-14T00:00:00-05:00", nil),
            // The day on which the clocks go forward ends after 23 hours.
            ("2027-03-14T23:59:59-04:00", nil), ("2027-03-15T00:00:00-04:00", .withered(daysOver: 1)),
        ]
        for (now, expected) in cases {
            var copy = garden
            let moment = try instant(now)
            if let expected {
                #expect(throws: expected) { try copy.postpone(1, at: moment) }
            } else {
                let postponement = try copy.postpone(1, at: moment)
                #expect(postponement.dueOn.description == "2027-03-15")
            }
        }
    }

    @Test("6.3: there is no limit, and each is counted")
    func again() throws {
        var garden = try Garden(cycle: 1, registeredAt: seoul("2027-03-01T10:00"))
        for number in 1...30 {
            let now = try seoul("2027-03-01T10:00").adding(hours: 24 * number)
            let postponement = try garden.postpone(1, at: now)
            #expect(postponement.number == number)
        }
        #expect(garden.plant.postponementCount == 30)
        #expect(garden.plant.dueOn.description == "2027-04-01")
    }

    @Test("6.3: of two postponements at the same moment exactly one succeeds")
    func twice() throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-03-01T10:00"))
        let now = try seoul("2027-03-11T10:00")
        try garden.postpone(3, at: now)
        #expect(throws: CareError.notYetDue(daysLeft: 3)) { try garden.postpone(3, at: now) }
        #expect(garden.postponements.count == 1)
        #expect(garden.plant.postponementCount == 1)
    }

    @Test("6.1: a revived plant can be postponed again on its next D-day")
    func afterReviving() throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-03-01T10:00"))
        let late = try seoul("2027-03-20T10:00")
        #expect(throws: CareError.withered(daysOver: 9)) { try garden.postpone(1, at: late) }
        try garden.water(at: late)
        try garden.postpone(1, at: seoul("2027-03-30T10:00"))
        #expect(garden.plant.dueOn.description == "2027-03-31")
    }
}
