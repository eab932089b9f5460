/// The clock that an account lives by: the UTC offsets of one IANA time zone, and the time at which a day ends.
///
/// A **date** is what a calendar on the wall shows; a **day** is what the account calls today. They differ between
/// midnight and ``dayEnd``. Rules count days; dates serve to write down instants.
///
/// The offsets are parsed from a compiled tz database file. The bytes come from the system's tz database (module `SystemTimeZones`), in the format of RFC 9636 ("TZif").
/// Conversions follow rule 7.5. They are exact up to the last transition in the file; after that they follow its
/// footer.
public struct TimeZoneRules: Sendable {
    /// A class, so that copies share it: the rules are passed along with every plant.
    private final class Table: Sendable {
        let name: String
        let transitions: [Int64]
        let offsets: [Int32]
        let offsetBeforeFirst: Int32
        let footer: RecurringOffset?

        init(
            name: String, transitions: [Int64], offsets: [Int32], offsetBeforeFirst: Int32, footer: RecurringOffset?
        ) {
            self.name = name
            self.transitions = transitions
            self.offsets = offsets
            self.offsetBeforeFirst = offsetBeforeFirst
            self.footer = footer
        }
    }

    private let table: Table
    /// When days end (rule 13.4).
    public private(set) var dayEnd = DayEnd.midnight

    /// The IANA name, such as `Asia/Seoul`.
    public var name: String { table.name }

    /// Parses the file of one zone.
    ///
    /// - Throws: ``TimeZoneFileError`` if the bytes are not a TZif file of version 2 or later.
    public init(name: String, file bytes: [UInt8]) throws(TimeZoneFileError) {
        var reader = TimeZoneFileReader(bytes)
        let parsed = try reader.read()
        table = Table(
            name: name, transitions: parsed.transitions, offsets: parsed.offsets,
            offsetBeforeFirst: parsed.offsetBeforeFirst, footer: parsed.footer)
    }

    private init(name: String, fixedOffset: Int32) {
        table = Table(name: name, transitions: [], offsets: [], offsetBeforeFirst: fixedOffset, footer: nil)
    }

    /// Coordinated Universal Time; needs no file.
    public static let utc = TimeZoneRules(name: "UTC", fixedOffset: 0)

    /// The same zone with days that end at another time (rule 13.4).
    public func withDays(endingAt dayEnd: DayEnd) -> TimeZoneRules {
        var rules = self
        rules.dayEnd = dayEnd
        return rules
    }

    /// Seconds east of UTC, at an instant in seconds since the epoch.
    public func offset(atSecond second: Int64) -> Int {
        let transitions = table.transitions
        if let last = transitions.last, second >= last, let footer = table.footer {
            return footer.offset(atSecond: second)
        }
        if transitions.isEmpty, let footer = table.footer {
            return footer.offset(atSecond: second)
        }
        // Binary search for the last transition at or before the instant.
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= second { low = middle + 1 } else { high = middle }
        }
        return Int(low == 0 ? table.offsetBeforeFirst : table.offsets[low - 1])
    }

    /// The civil day that an instant belongs to: the last one that has begun (rule 13.4).
    public func day(at instant: Instant) -> CivilDay {
        if dayEnd == .midnight { return date(at: instant) }
        let wall = wallSecond(at: instant) - Int64(dayEnd.time.minuteOfDay) * 60
        let day = CivilDay(daysSinceEpoch: Int32(wall.floorDivided(by: 86_400).quotient))
        // Clocks that go back may show a time before the end of the day once more, when the next day has begun.
        return start(of: day + 1) <= instant ? day + 1 : day
    }

    /// The date on the zone's clocks, whenever days end.
    public func date(at instant: Instant) -> CivilDay {
        CivilDay(daysSinceEpoch: Int32(wallSecond(at: instant).floorDivided(by: 86_400).quotient))
    }

    /// Hour and minute on the zone's clocks.
    public func timeOfDay(at instant: Instant) -> TimeOfDay {
        let second = wallSecond(at: instant).floorDivided(by: 86_400).remainder
        return TimeOfDay(minuteOfDay: Int(second / 60)) ?? .midnight
    }

    /// The first instant at which the zone's clocks show the given wall-clock time of a day or a later one (rule 7.5). A
    /// time before the end of days belongs to the end of its day, on the next date (rule 13.4).
    ///
    /// A skipped time yields the first instant after the gap, a repeated time its first occurrence, and a day that the
    /// zone skipped the next instant that exists.
    public func firstInstant(on day: CivilDay, at time: TimeOfDay) -> Instant {
        firstInstant(showing: Int64(day.daysSinceEpoch) * 86_400 + Int64(dayEnd.minutes(to: time)) * 60)
    }

    /// The same of a date, whenever days end.
    public func firstInstant(onDate date: CivilDay, at time: TimeOfDay) -> Instant {
        firstInstant(showing: Int64(date.daysSinceEpoch) * 86_400 + Int64(time.minuteOfDay) * 60)
    }

    private func firstInstant(showing wall: Int64) -> Instant {
        // Offsets lie between -12 and +14 hours today; a margin of 40 hours covers every transition that could matter.
        let before = offset(atSecond: wall - 40 * 3600)
        let after = offset(atSecond: wall + 40 * 3600)
        if before == after, offset(atSecond: wall - Int64(before)) == before {
            return Instant(secondsSinceEpoch: wall - Int64(before))
        }
        return Instant(secondsSinceEpoch: firstSecond(showing: wall))
    }

    /// The first instant of a civil day, or of the next existing one.
    public func start(of day: CivilDay) -> Instant {
        firstInstant(on: day, at: dayEnd.time)
    }

    /// The first second whose wall clock is not before `wall`. Scans the spans of constant offset around it.
    private func firstSecond(showing wall: Int64) -> Int64 {
        let end = wall + 40 * 3600
        var start = wall - 40 * 3600
        while true {
            let offset = offset(atSecond: start)
            let stretchEnd = nextChange(after: start, until: end) ?? end
            let candidate = max(start, wall - Int64(offset))
            if candidate < stretchEnd || stretchEnd == end { return candidate }
            start = stretchEnd
        }
    }

    /// The first second after `start` with another offset. Searches hour by hour, then by bisection: no zone changes
    /// its clocks twice within one hour.
    private func nextChange(after start: Int64, until end: Int64) -> Int64? {
        let offset = offset(atSecond: start)
        var low = start
        while low < end {
            let high = min(low + 3600, end)
            if self.offset(atSecond: high) != offset {
                var known = low
                var changed = high
                while changed - known > 1 {
                    let middle = (known + changed) / 2
                    if self.offset(atSecond: middle) == offset { known = middle } else { changed = middle }
                }
                return changed
            }
            low = high
        }
        return nil
    }

    private func wallSecond(at instant: Instant) -> Int64 {
        let second = instant.secondsSinceEpoch
        return second + Int64(offset(atSecond: second))
    }
}

extension TimeZoneRules: Equatable {
    public static func == (left: TimeZoneRules, right: TimeZoneRules) -> Bool {
        left.dayEnd == right.dayEnd && (left.table === right.table || left.name == right.name)
    }
}

/// Why a tz database file could not be parsed.
public struct TimeZoneFileError: Error, Sendable, CustomStringConvertible {
    public let description: String
}
