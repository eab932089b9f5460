/// What the clocks of one IANA time zone show: its offsets from UTC, read from a compiled tz database file.
///
/// The bytes come from the system's tz database (module `SystemTimeZones`); the format is that of RFC 9636 ("TZif").
/// Conversions follow rule 7.5 and are exact for all instants that the database covers, and by its footer ever after.
public struct TimeZoneRules: Sendable {
    /// Shared by all copies: rules travel with every plant that is looked at.
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

    /// Coordinated Universal Time, which needs no file.
    public static let utc = TimeZoneRules(name: "UTC", fixedOffset: 0)

    /// Seconds east of UTC at an instant given in seconds since the epoch.
    public func offset(atSecond second: Int64) -> Int {
        let transitions = table.transitions
        if let last = transitions.last, second >= last, let footer = table.footer {
            return footer.offset(atSecond: second)
        }
        if transitions.isEmpty, let footer = table.footer {
            return footer.offset(atSecond: second)
        }
        // Binary search for the last transition that is not after the instant.
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= second { low = middle + 1 } else { high = middle }
        }
        return Int(low == 0 ? table.offsetBeforeFirst : table.offsets[low - 1])
    }

    /// The civil day that the zone's clocks show.
    public func day(at instant: Instant) -> CivilDay {
        CivilDay(daysSinceEpoch: Int32(wallSecond(at: instant).floorDivided(by: 86_400).quotient))
    }

    /// Hour and minute that the zone's clocks show.
    public func timeOfDay(at instant: Instant) -> TimeOfDay {
        let second = wallSecond(at: instant).floorDivided(by: 86_400).remainder
        return TimeOfDay(minuteOfDay: Int(second / 60)) ?? .midnight
    }

    /// The first instant at which the zone's clocks show the given wall-clock time or a later one (rule 7.5).
    ///
    /// A time that a clock change skips gives the first instant after the gap, one that comes twice the first of the
    /// two, and a day that the zone left out the next instant that exists.
    public func firstInstant(on day: CivilDay, at time: TimeOfDay) -> Instant {
        let wall = Int64(day.daysSinceEpoch) * 86_400 + Int64(time.minuteOfDay) * 60
        // Offsets lie between -12 and +14 hours; a day more on each side holds whatever change could matter.
        let before = offset(atSecond: wall - 40 * 3600)
        let after = offset(atSecond: wall + 40 * 3600)
        if before == after, offset(atSecond: wall - Int64(before)) == before {
            return Instant(secondsSinceEpoch: wall - Int64(before))
        }
        return Instant(secondsSinceEpoch: firstSecond(showing: wall))
    }

    /// The first instant of a civil day, or of the next one there is.
    public func start(of day: CivilDay) -> Instant {
        firstInstant(on: day, at: .midnight)
    }

    /// The first second whose wall clock is not before `wall`: looks at each stretch of constant offset around it.
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

    /// The first second after `start` at which another offset begins, by bisection within hours (no zone changes its
    /// clocks twice within one hour).
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
        left.table === right.table || left.name == right.name
    }
}

/// Why the bytes of a tz database file could not be read.
public struct TimeZoneFileError: Error, Sendable, CustomStringConvertible {
    public let description: String
}
