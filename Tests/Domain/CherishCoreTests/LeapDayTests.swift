import Testing

@testable import CherishCore

/// Expectations were counted by hand: February 2028 and 2096 have 29 days, February 2027 and 2100 have 28.
@Suite("Leap days and year ends")
struct LeapDayTests {
    static let dueDates: [(String, Int, String)] = [
        ("2027-02-27", 3, "2027-03-02"), ("2028-02-27", 3, "2028-03-01"), ("2100-02-27", 3, "2100-03-02"),
        ("2027-02-28", 1, "2027-03-01"), ("2028-02-28", 1, "2028-02-29"), ("2028-02-29", 1, "2028-03-01"),
        ("2096-02-28", 1, "2096-02-29"), ("2100-02-28", 1, "2100-03-01"), ("2028-02-29", 30, "2028-03-30"),
        // December has 30 days left, January 31, then February's.
        ("2026-12-01", 90, "2027-03-01"), ("2027-12-01", 90, "2028-02-29"), ("2099-12-01", 90, "2100-03-01"),
        ("2027-12-31", 1, "2028-01-01"), ("2028-12-31", 1, "2029-01-01"), ("2099-12-31", 60, "2100-03-01"),
    ]

    @Test(
        "1.4, 3.3: cycles count calendar days, and the push comes on the due date",
        arguments: LeapDayTests.dueDates)
    func due(day: String, cycle: Int, expected: String) throws {
        var garden = try Garden(cycle: cycle, registeredAt: seoul("\(day)T08:00"))
        #expect(garden.plant.dueOn.description == expected)
        try garden.tick(at: seoul("\(expected)T08:59"))
        #expect(garden.sentDueDates.isEmpty)
        try garden.tick(at: seoul("\(expected)T09:00"))
        #expect(garden.sentDueDates == [expected])
        var watered = try Garden(cycle: cycle, registeredAt: seoul("2026-01-01T08:00"))
        try watered.water(at: seoul("\(day)T08:00"), declines: true)
        #expect(watered.plant.dueOn.description == expected)
    }

    /// Today, the earliest day for which a watering may be recorded, and the day before that.
    static let backdated: [(String, String, String)] = [
        ("2028-03-02", "2028-02-24", "2028-02-23"), ("2027-03-02", "2027-02-23", "2027-02-22"),
        ("2100-03-02", "2100-02-23", "2100-02-22"), ("2028-01-03", "2027-12-27", "2027-12-26"),
    ]

    @Test("3.4: seven days back over leap days and year ends", arguments: LeapDayTests.backdated)
    func sevenDaysBack(today: String, earliest: String, tooEarly: String) throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2026-01-01T10:00"))
        let (first, before, latest) = (try civilDay(earliest), try civilDay(tooEarly), try civilDay(today))
        let refusal = CareError.wateringDayOutOfRange(before, earliest: first, latest: latest)
        #expect(throws: refusal) { try garden.water(at: seoul("\(today)T10:00"), on: before) }
        try garden.water(at: seoul("\(today)T10:00"), on: first)
        #expect(garden.plant.lastWateredOn == first)
    }

    @Test("6.2: a postponement on the day before a leap day, and on the last day of a year")
    func postponed() throws {
        for (registered, due, days, expected) in [
            ("2028-02-21", "2028-02-28", 1, "2028-02-29"), ("2028-02-22", "2028-02-29", 7, "2028-03-07"),
            ("2100-02-21", "2100-02-28", 1, "2100-03-01"), ("2027-12-24", "2027-12-31", 3, "2028-01-03"),
        ] {
            var garden = try Garden(cycle: 7, registeredAt: seoul("\(registered)T10:00"))
            try garden.postpone(days, at: seoul("\(due)T23:59"))
            #expect(garden.plant.dueOn.description == expected)
        }
    }

    @Test("2.1: D-day at the end of a year follows the account's zone, from the first zone to the last")
    func yearEnd() throws {
        for (zone, midnight) in [
            ("Pacific/Kiritimati", "2027-12-31T10:00"), ("Asia/Seoul", "2027-12-31T15:00"),
            ("Pacific/Pago_Pago", "2028-01-01T11:00"),
        ] {
            let newYear = try utc(midnight)
            var garden = try Garden(cycle: 1, zone: zone, registeredAt: newYear.adding(minutes: -1))
            #expect(garden.plant.plantedOn.description == "2027-12-31", "\(zone)")
            let labels = try [-1, 0, 24 * 3_600_000_000 - 1, 24 * 3_600_000_000].map {
                try garden.dDay(newYear.adding(microseconds: $0)).label
            }
            #expect(labels == ["D-1", "D-DAY", "D-DAY", "D+1"], "\(zone)")
            try garden.tick(at: newYear.adding(hours: 9))
            #expect(garden.sentDueDates == ["2028-01-01"], "\(zone)")
        }
    }

    @Test("7.10: a birthday on 29 February is pushed once a year through 2100, which has no leap day")
    func leapDayBirthday() throws {
        let birthday = try Birthday("1996-02-29")
        for (from, expected) in [
            ("2028-02-28", "2028-02-29"), ("2028-03-01", "2029-02-28"), ("2095-03-01", "2096-02-29"),
            ("2099-03-01", "2100-02-28"), ("2100-03-01", "2101-02-28"), ("2103-03-01", "2104-02-29"),
        ] {
            let next = birthday.next(onOrAfter: try civilDay(from))
            #expect(next?.description == expected)
        }
        var kept: [CivilDay] = []
        var day = try civilDay("2027-01-01")
        while let next = birthday.next(onOrAfter: day), kept.count < 80 {
            kept.append(next)
            day = next + 1
        }
        #expect(kept.map { $0.components.year } == Array(2027...2106))
        // 2028, 2032 … 2096 and 2104, without 2100.
        #expect(kept.filter { $0.components.day == 29 }.count == 19)
    }

    @Test("7.10: birthdays on the first and the last day of a year are pushed once a year")
    func birthdaysAtYearEnd() throws {
        for birthday in ["01-01", "12-31"] {
            var garden = try Garden(
                cycle: 90, birthday: birthday, switches: NotificationSwitches(birthday: true),
                registeredAt: seoul("2027-06-01T10:00"))
            for year in 2027...2029 {
                for day in ["01-01", "12-31"] {
                    try garden.tick(at: seoul("\(year)-\(day)T09:00"))
                }
            }
            let expected = birthday == "01-01" ? ["2028-01-01", "2029-01-01"] : (2027...2029).map { "\($0)-12-31" }
            #expect(garden.sentDays(.birthday) == expected)
        }
    }
}
