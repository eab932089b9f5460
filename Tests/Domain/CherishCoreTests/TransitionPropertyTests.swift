import CherishTestSupport
import SystemTimeZones
import Testing

@testable import CherishCore

/// A zone's clock, derived only from the changes that Python found.
private struct WallClock {
    /// A period with a constant offset: the clock shows the second plus the offset.
    private struct Stretch {
        let begin: Int64
        let end: Int64
        let offset: Int64
    }

    private let stretches: [Stretch]

    /// - Parameter index: the change to look at; no zone changes its clock three times within days.
    init(_ zone: TransitionFixture.Zone, around index: Int) {
        let changes = zone.changes
        stretches = (max(index - 1, -1)...min(index + 1, changes.count - 1)).map { number in
            Stretch(
                begin: number < 0 ? Int64.min / 2 : changes[number].second,
                end: number + 1 < changes.count ? changes[number + 1].second : Int64.max / 2,
                offset: Int64(number < 0 ? zone.firstOffset : changes[number].offset))
        }
    }

    func wall(_ second: Int64) -> Int64? {
        stretches.first { second < $0.end }.map { second + $0.offset }
    }

    /// Rule 7.5, literally: the first second at which the clock shows that time or a later one.
    func firstSecond(showing wall: Int64) -> Int64? {
        stretches.first { $0.end + $0.offset > wall }.map { max($0.begin, wall - $0.offset) }
    }
}

/// One change of a zone's clock. Zones with the same clock share their changes.
private struct ClockChange {
    let zone: String
    let clock: WallClock
    let second: Int64
    let offsetBefore: Int64
    let offset: Int64

    /// The start, middle and end of the skipped or repeated time on the clock, in whole minutes.
    var walls: [Int64] {
        let (low, high) = (second + min(offsetBefore, offset), second + max(offsetBefore, offset))
        return [low, (low + high) / 2 / 60 * 60, high]
    }

    /// All changes, or every seventh in a debug build; an odd stride, so that both changes of a year are covered.
    static func some() throws -> [ClockChange] {
        let stride = repetitions(1, inDebug: 7)
        return try all().enumerated().filter { $0.offset.isMultiple(of: stride) }.map(\.element)
    }

    static func all() throws -> [ClockChange] {
        try TransitionFixture.shared.get().zones.flatMap { zone in
            zone.changes.indices.map { index in
                let offsetBefore = index == 0 ? zone.firstOffset : zone.changes[index - 1].offset
                return ClockChange(
                    zone: zone.names[0], clock: WallClock(zone, around: index), second: zone.changes[index].second,
                    offsetBefore: Int64(offsetBefore), offset: Int64(zone.changes[index].offset))
            }
        }
    }
}

@Suite("Days, alarms and D-days around every clock change of every zone from 1990 to 2040")
struct TransitionPropertyTests {
    private static let secondsPerDay: Int64 = 86_400

    @Test("2.1: civil day and time of day match the clock a second, an hour and a day before and after")
    func days() throws {
        #expect(try ClockChange.all().count > 5000)
        var wrong: [String] = []
        for change in try ClockChange.some() {
            let rules = try systemTimeZones.rules(change.zone)
            for distance in [-Self.secondsPerDay, -3600, -1, 0, 1, 3600, Self.secondsPerDay] {
                let now = Instant(secondsSinceEpoch: change.second + distance)
                let wall = try #require(change.clock.wall(change.second + distance))
                let (day, second) = wall.floorDivided(by: Self.secondsPerDay)
                if rules.day(at: now).daysSinceEpoch != Int32(day)
                    || rules.timeOfDay(at: now).minuteOfDay != Int(second / 60)
                {
                    wrong.append("\(change.zone) at \(now)")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5))")
    }

    @Test("7.5: each day has one alarm instant in the skipped or repeated time, and days keep their order")
    func alarms() throws {
        var wrong: [String] = []
        for change in try ClockChange.some() {
            let rules = try systemTimeZones.rules(change.zone)
            let walls = change.walls
            // Three days at one time of day; the second is the one skipped, if the zone skipped a day.
            let days = [walls[1] - Self.secondsPerDay, walls[1], walls[1] + Self.secondsPerDay]
            let alarms = try (days + [walls[0], walls[2]]).map { wall -> Instant in
                let (day, second) = wall.floorDivided(by: Self.secondsPerDay)
                let time = try #require(TimeOfDay(minuteOfDay: Int(second / 60)))
                let alarm = rules.firstInstant(on: CivilDay(daysSinceEpoch: Int32(day)), at: time)
                let expected = try #require(change.clock.firstSecond(showing: wall))
                if alarm != Instant(secondsSinceEpoch: expected) {
                    wrong.append("\(change.zone) at \(wall): \(alarm)")
                }
                return alarm
            }
            // Only a skipped day shares its instant with the next one.
            let isDaySkipped = change.offset - change.offsetBefore >= Self.secondsPerDay
            let isInOrder = isDaySkipped ? alarms[0] <= alarms[1] : alarms[0] < alarms[1]
            if !isInOrder || !(isDaySkipped ? alarms[1] <= alarms[2] : alarms[1] < alarms[2]) {
                wrong.append("\(change.zone): alarms of three days out of order at \(change.second)")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5))")
    }

    @Test("2.1: days left rise only if the clock goes back over midnight, and fall by two only if it skips a day")
    func daysLeft() throws {
        var wrong: [String] = []
        var wentBack: Set<String> = []
        for change in try ClockChange.some() {
            let rules = try systemTimeZones.rules(change.zone)
            let due = rules.day(at: Instant(secondsSinceEpoch: change.second)) + 7
            func daysLeft(_ distance: Int64) -> Int {
                let today = rules.day(at: Instant(secondsSinceEpoch: change.second + distance))
                return DDay(dueOn: due, anchor: due, today: today).daysLeft
            }
            let shift = change.offset - change.offsetBefore
            let sinceMidnight = (change.second + change.offsetBefore).floorDivided(by: Self.secondsPerDay).remainder
            let fall = daysLeft(-1) - daysLeft(0)
            if fall < 0, sinceMidnight > 0, sinceMidnight < -shift {
                wentBack.insert(change.zone)
            } else if fall < 0 || fall > (shift >= Self.secondsPerDay ? 2 : 1) {
                wrong.append("\(change.zone) at \(change.second): \(fall) days")
            }
            let fallInTwoDays = daysLeft(-Self.secondsPerDay) - daysLeft(Self.secondsPerDay)
            if !(1...3).contains(fallInTwoDays) { wrong.append("\(change.zone) around \(change.second)") }
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5))")
        // Newfoundland changed its clocks at one minute past midnight until 2011.
        #expect(wentBack.contains("America/St_Johns"))
    }
}

@Suite("Pushes around clock changes")
struct PushesAroundTransitionTests {
    /// Clock changes that differ only in year and place are the same.
    private struct Shape: Hashable {
        let offsetBefore: Int64
        let offset: Int64
        let secondOfDay: Int64
    }

    @Test("7.2, 7.5: watered daily, a plant has one push per due date, whatever the clock does at its alarm time")
    func daily() throws {
        var shapes: Set<Shape> = []
        var wrong: [String] = []
        for change in try ClockChange.all() {
            let wall = change.walls[1]
            let secondOfDay = wall.floorDivided(by: 86_400).remainder
            let shape = Shape(offsetBefore: change.offsetBefore, offset: change.offset, secondOfDay: secondOfDay)
            guard shapes.insert(shape).inserted else { continue }
            let alarm = try #require(TimeOfDay(minuteOfDay: Int(secondOfDay / 60)))
            var garden = try Garden(
                cycle: 1, alarm: alarm.description, zone: change.zone,
                registeredAt: Instant(secondsSinceEpoch: change.second - 3 * 86_400))
            var dueDates: [String] = []
            for _ in 1...5 {
                dueDates.append(garden.plant.dueOn.description)
                try waterAfterAlarm(&garden)
            }
            if garden.sentDueDates != dueDates {
                wrong.append("\(change.zone) at \(change.second): \(garden.sentDueDates), not \(dueDates)")
            }
        }
        #expect(shapes.count > 100)
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5))")
    }

    /// The worker runs just before the alarm and at the alarm; the friend is watered a minute later.
    private func waterAfterAlarm(_ garden: inout Garden) throws {
        let planned = garden.plant.plans.wateringDue?.at
        let alarm = try #require(planned)
        try garden.tick(at: alarm.adding(microseconds: -1))
        let before = garden.sentDueDates.count
        try garden.tick(at: alarm)
        #expect(garden.sentDueDates.count == before + 1)
        try garden.water(at: alarm.adding(minutes: 1), declines: true)
        try garden.tick(at: alarm.adding(hours: 1))
    }

    /// A zone, the day it skipped, and the first instant of the next day.
    static let skippedDays: [(String, String, String)] = [
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
        ("Pacific/Fakaofo", "2011-12-30", "2011-12-30T11:00:00Z"),
        ("Pacific/Kwajalein", "1993-08-21", "1993-08-21T12:00:00Z"),
        ("Pacific/Kiritimati", "1994-12-31", "1994-12-31T10:00:00Z"),
        ("Pacific/Enderbury", "1994-12-31", "1994-12-31T11:00:00Z"),
    ]

    @Test(
        "7.5, 7.7: a plant due on a skipped day is pushed in the first instant after it",
        arguments: PushesAroundTransitionTests.skippedDays)
    func skippedDay(zone: String, day: String, alarm: String) throws {
        let due = try civilDay(day)
        let rules = try systemTimeZones.rules(zone)
        let registered = rules.firstInstant(on: due + -1, at: .defaultAlarm)
        var garden = try Garden(cycle: 1, zone: zone, registeredAt: registered)
        #expect(garden.plant.dueOn == due)
        let planned = garden.plant.plans.wateringDue?.at
        let expected = try instant(alarm)
        #expect(planned == expected)
        #expect(rules.day(at: expected.adding(microseconds: -1)) == due + -1)
        #expect(rules.day(at: expected) == due + 1)
        try garden.tick(at: expected.adding(hours: 23))
        #expect(garden.sentDueDates == [day])
        // There never was a D-day: one day left yesterday, withered today.
        let conditions = try [-1, 0].map { try garden.dDay(expected.adding(microseconds: $0)).condition }
        #expect(conditions == [.thriving, .withered])
    }
}
