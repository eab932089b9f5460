import CherishTestSupport
import SystemTimeZones
import Testing

@testable import CherishCore

@Suite("Time zones, checked against an independent reader of the same database")
struct TimeZoneRulesTests {
    @Test("every zone, every transition from 1990 to 2040: the second before, that second, the second after")
    func transitions() throws {
        let fixture = try TransitionFixture.shared.get()
        #expect(fixture.zones.count > 100)
        var wrong: [String] = []
        for zone in fixture.zones {
            for name in zone.names {
                let rules = try systemTimeZones.rules(name)
                let start = try utc("1990-01-01T00:00").secondsSinceEpoch
                if rules.offset(atSecond: start) != zone.firstOffset { wrong.append("\(name) in 1990") }
                var before = zone.firstOffset
                for change in zone.changes {
                    let offsets = (-1...1).map { rules.offset(atSecond: change.second + $0) }
                    if offsets != [before, change.offset, change.offset] {
                        wrong.append("\(name) at \(change.second): \(offsets)")
                    }
                    before = change.offset
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5))")
    }

    @Test("the footer after the table: twice a month from 2038 to 2060")
    func laterOffsets() throws {
        let fixture = try TransitionFixture.shared.get()
        var wrong: [String] = []
        for zone in fixture.difficultZones {
            let rules = try systemTimeZones.rules(zone.name)
            var expected = zone.laterOffsets.makeIterator()
            for year in 2038...2060 {
                for month in 1...12 {
                    for day in [1, 15] {
                        let civilDay = try #require(CivilDay(year: year, month: month, day: day))
                        let offset = rules.offset(atSecond: Int64(civilDay.daysSinceEpoch) * 86_400)
                        if offset != expected.next() { wrong.append("\(zone.name) on \(civilDay): \(offset)") }
                    }
                }
            }
            let leftOver = expected.next()
            #expect(leftOver == nil)
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5))")
    }

    @Test("7.5: wall-clock times in and around every gap and overlap of the difficult zones")
    func firstInstants() throws {
        let fixture = try TransitionFixture.shared.get()
        #expect(fixture.difficultZones.count >= 40)
        var wrong: [String] = []
        for zone in fixture.difficultZones {
            let rules = try systemTimeZones.rules(zone.name)
            for expected in zone.firstSeconds {
                let actual = try TimeZoneRulesTests.firstInstant(of: expected.wallMinute, in: rules)
                if actual != Instant(secondsSinceEpoch: expected.second) {
                    wrong.append("\(zone.name), wall minute \(expected.wallMinute): \(actual)")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5))")
    }

    private static func firstInstant(of wallMinute: Int64, in rules: TimeZoneRules) throws -> Instant {
        let (day, minute) = (wallMinute / 1440, wallMinute % 1440)
        let time = try #require(TimeOfDay(minuteOfDay: Int(minute)))
        return rules.firstInstant(on: CivilDay(daysSinceEpoch: Int32(day)), at: time)
    }

    @Test("7.5: the definition itself, minute by minute around every transition of the difficult zones")
    func definition() throws {
        let fixture = try TransitionFixture.shared.get()
        // A debug build tests one transition in twelve, staggered by zone.
        let step = repetitions(1, inDebug: 12)
        var wrong: [String] = []
        for (place, difficult) in fixture.difficultZones.enumerated() {
            let rules = try systemTimeZones.rules(difficult.name)
            let zone = try #require(fixture.zone(difficult.name))
            var before = zone.firstOffset
            for (number, change) in zone.changes.enumerated() {
                if (number + place).isMultiple(of: step) {
                    wrong += try TimeZoneRulesTests.violations(in: rules, around: change, offsetBefore: before)
                }
                before = change.offset
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5))")
    }

    /// Walks the clock minute by minute and, for ascending wall-clock times, finds the first minute that shows that
    /// time or a later one.
    private static func violations(
        in rules: TimeZoneRules, around change: TransitionFixture.Change, offsetBefore: Int
    ) throws -> [String] {
        let shift = Int64(abs(change.offset - offsetBefore))
        let first = change.second - shift - 2 * 3600
        let seconds = Array(stride(from: first, through: change.second + shift + 2 * 3600, by: 60))
        let walls = seconds.map { $0 + Int64(rules.offset(atSecond: $0)) }
        let low = change.second + Int64(min(offsetBefore, change.offset)) - 3600
        let high = change.second + Int64(max(offsetBefore, change.offset)) + 3600
        var wrong: [String] = []
        var index = 0
        for wallMinute in stride(from: low / 60, through: high / 60, by: 20) {
            while index < walls.count, walls[index] < wallMinute * 60 { index += 1 }
            let found = index < walls.count ? seconds[index] : nil
            let expected = Instant(secondsSinceEpoch: try #require(found))
            let actual = try firstInstant(of: wallMinute, in: rules)
            if actual != expected {
                wrong.append("\(rules.name), wall minute \(wallMinute): \(actual), not \(expected)")
            }
        }
        return wrong
    }

    @Test("7.5: civil day and time of day match the clock, to the microsecond")
    func whatTheClockShows() throws {
        let cases: [(String, String, String, String)] = [
            ("Asia/Seoul", "2027-03-01T14:59:59.999999Z", "2027-03-01", "23:59"),
            ("Asia/Seoul", "2027-03-01T15:00:00Z", "2027-03-02", "00:00"),
            ("America/New_York", "2027-03-14T06:59:59.999999Z", "2027-03-14", "01:59"),
            ("America/New_York", "2027-03-14T07:00:00Z", "2027-03-14", "03:00"),
            ("Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29", "23:59"),
            ("Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31", "00:00"),
            ("Asia/Kathmandu", "1969-12-31T18:14:59Z", "1969-12-31", "23:44"),
            ("Pacific/Kiritimati", "2027-03-01T10:00:00Z", "2027-03-02", "00:00"),
            ("America/St_Johns", "2027-07-01T02:29:59Z", "2027-06-30", "23:59"),
            ("Etc/GMT+12", "2027-03-02T11:59:59Z", "2027-03-01", "23:59"),
        ]
        for (name, now, day, time) in cases {
            let rules = try systemTimeZones.rules(name)
            let moment = try instant(now)
            #expect(rules.day(at: moment).description == day, "\(name) at \(now)")
            #expect(rules.timeOfDay(at: moment).description == time, "\(name) at \(now)")
        }
    }

    @Test("a zone is an IANA name, and no path out of the database's directory")
    func names() throws {
        for name in ["Asia/Seoul", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT-14", "America/Port-au-Prince"] {
            let rules = try systemTimeZones.rules(name)
            #expect(rules.name == name)
        }
        let refused = [
            "", "Asia", "Asia/", "/Asia/Seoul", "Asia//Seoul", "asia/seoul", " Asia/Seoul", "Asia/Seoul ",
            "Asia/Pusan", "../zoneinfo/Asia/Seoul", "Asia/../Asia/Seoul", "./Asia/Seoul", "posix/Asia/Seoul",
            "right/Asia/Seoul", "localtime", "posixrules", "Factory", "tzdata.zi", "zone.tab", "leapseconds",
            "Asia/Seoul\u{0}", "KST", "+09:00", "Asia/Se\u{f3}ul", "/etc/passwd",
        ]
        for name in refused {
            #expect(throws: CareError.invalidTimeZone(name)) { try systemTimeZones.rules(name) }
        }
        let nowhere = SystemTimeZones(directory: "/nonexistent")
        #expect(throws: CareError.invalidTimeZone("Asia/Seoul")) { try nowhere.rules("Asia/Seoul") }
        #expect(nowhere.version == nil)
    }

    @Test("the country of a zone, even under an older name")
    func countries() {
        let cases: [(String, String?)] = [
            ("Asia/Seoul", "KR"), ("ROK", "KR"), ("America/New_York", "US"), ("Europe/London", "GB"), ("UTC", nil),
            ("Nowhere", nil),
        ]
        for (zone, country) in cases {
            #expect(systemTimeZones.country(of: zone) == country, "\(zone)")
        }
    }
}
