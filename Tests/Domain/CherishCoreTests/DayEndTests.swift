import CherishTestSupport
import Testing

@testable import CherishCore

@Suite("Days that end late (rule 13.4)")
struct DayEndTests {
    private func clock(_ zone: String, _ end: String) throws -> TimeZoneRules {
        try systemTimeZones.rules(zone).withDays(endingAt: DayEnd(end))
    }

    @Test(
        "a day ends between 00:00 and 04:00",
        arguments: [
            ("00:00", true), ("03:30", true), ("04:00", true), ("04:01", false), ("23:00", false), ("3", false),
        ])
    func range(text: String, isValid: Bool) {
        let end = try? DayEnd(text)
        #expect(end?.description == (isValid ? text : nil))
        if !isValid { #expect(throws: CareError.invalidDayEnd) { try DayEnd(text) } }
    }

    @Test("until the end of the day it is still today, to the second")
    func stillToday() throws {
        let clock = try clock("Asia/Seoul", "03:00")
        let end = try seoul("2027-03-03T03:00")
        #expect(clock.day(at: end.adding(microseconds: -1)).description == "2027-03-02")
        #expect(clock.day(at: end).description == "2027-03-03")
        #expect(clock.date(at: end.adding(microseconds: -1)).description == "2027-03-03")
        #expect(clock.start(of: try civilDay("2027-03-03")) == end)
    }

    @Test(
        "an alarm before the end of the day rings at the end of its day, on the next date",
        arguments: [
            ("01:30", "2027-03-02T16:30:00Z"), ("02:59", "2027-03-02T17:59:00Z"), ("03:00", "2027-03-01T18:00:00Z"),
            ("09:00", "2027-03-02T00:00:00Z"),
        ])
    func lateAlarm(alarm: String, expected: String) throws {
        let clock = try clock("Asia/Seoul", "03:00")
        let at = clock.firstInstant(on: try civilDay("2027-03-02"), at: try timeOfDay(alarm))
        #expect(at.description == expected)
        // It is worth sending until the end of that day (rule 7.7).
        let expiry = Topic.wateringDue.expiry(ofPushPlannedFor: at, in: clock)
        let end = try seoul("2027-03-03T03:00")
        #expect(expiry == end)
    }

    @Test("7.3: quiet hours go by the clock, whenever days end")
    func quietHours() throws {
        let clock = try clock("Asia/Seoul", "04:00")
        for time in ["2027-03-02T22:00", "2027-03-03T00:30", "2027-03-03T03:59", "2027-03-03T07:59"] {
            let end = try seoul("2027-03-03T08:00")
            let instant = try seoul(time)
            #expect(clock.outsideQuietHours(instant) == end)
        }
    }

    /// 01:30 comes twice on 7 November 2027 in New York: at 05:30Z and at 06:30Z.
    @Test("a day that has begun does not end when clocks go back")
    func clocksGoBack() throws {
        let clock = try clock("America/New_York", "01:30")
        let days = try ["05:29:59", "05:30:00", "05:59:59", "06:00:00", "06:29:59", "06:30:00"].map { time in
            clock.day(at: try instant("2027-11-07T\(time)Z")).description
        }
        #expect(days == ["2027-11-06"] + Array(repeating: "2027-11-07", count: 5))
    }

    /// On 14 March 2027, clocks in New York go from 02:00 to 03:00.
    @Test("7.5: where clocks skip the end of the day, it ends with the gap")
    func clocksGoForward() throws {
        let clock = try clock("America/New_York", "02:30")
        let days = try ["06:59:59", "07:00:00"].map { clock.day(at: try instant("2027-03-14T\($0)Z")).description }
        #expect(days == ["2027-03-13", "2027-03-14"])
    }

    @Test("days follow each other without a gap, and every instant lies in its day, around every change of every zone")
    func daysFollowEachOther() throws {
        let fixture = try TransitionFixture.shared.get()
        var wrong: [String] = []
        var count = 0
        for zone in fixture.difficultZones {
            for minute in [1, 30, 60, 90, 120, 150, 180, 240] {
                let clock = try systemTimeZones.rules(zone.name).withDays(endingAt: DayEnd(minuteOfDay: minute))
                for change in fixture.zone(zone.name)?.changes ?? [] {
                    for distance in stride(from: Int64(-5 * 3600), through: 5 * 3600, by: 900) {
                        let instant = Instant(secondsSinceEpoch: change.second + distance)
                        let day = clock.day(at: instant)
                        count += 1
                        if clock.start(of: day) > instant || clock.start(of: day + 1) <= instant {
                            wrong.append("\(zone.name) \(minute) \(instant)")
                        }
                    }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) lie outside their day, such as \(wrong.prefix(5))")
        #expect(count > 10_000)
    }

    @Test("6.1: a plant is postponed until its D-day ends, and a contact after midnight is one of the day before")
    func postponedAfterMidnight() throws {
        var garden = try Garden(dayEnd: DayEnd("03:00"), registeredAt: seoul("2027-02-23T10:00"))
        #expect(garden.plant.dueOn.description == "2027-03-02")
        // Past midnight, and before the end of the day.
        let label = try garden.dDay(seoul("2027-03-03T02:59")).label
        #expect(label == "D-DAY")
        _ = try garden.water(at: seoul("2027-03-03T02:59"))
        #expect(garden.plant.lastWateredOn?.description == "2027-03-02")
        #expect(garden.plant.dueOn.description == "2027-03-09")
        var tooLate = garden
        #expect(throws: CareError.withered(daysOver: 1)) { _ = try tooLate.postpone(1, at: seoul("2027-03-10T03:00")) }
        _ = try garden.postpone(1, at: seoul("2027-03-10T02:59"))
        #expect(garden.plant.dueOn.description == "2027-03-10")
    }
}
