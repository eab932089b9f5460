/// A date in the proleptic Gregorian calendar, without a time or a zone.
///
/// All day arithmetic in docs/rules.md uses civil days, counted from 1970-01-01. Years range from 1 to 9999.
public struct CivilDay: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01, negative before it.
    public var daysSinceEpoch: Int32

    public init(daysSinceEpoch: Int32) {
        self.daysSinceEpoch = daysSinceEpoch
    }

    /// The date, or nil if the calendar has no such day (31 February, 29 February of a common year).
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...CivilDay.length(ofMonth: month, year: year)).contains(day)
        else { return nil }
        // Years start in March here, so that the leap day comes last; a 400-year era has 146,097 days.
        let shiftedYear = month > 2 ? year : year - 1
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.init(daysSinceEpoch: Int32(era * 146_097 + dayOfEra - 719_468))
    }

    /// Year, month 1–12 and day 1–31.
    public var components: (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (Int(daysSinceEpoch) + 719_468).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = (shiftedMonth + 2) % 12 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// 1 is Monday, 7 is Sunday (ISO 8601).
    public var weekday: Int { (Int(daysSinceEpoch) + 3).floorDivided(by: 7).remainder + 1 }

    public static func < (left: CivilDay, right: CivilDay) -> Bool {
        left.daysSinceEpoch < right.daysSinceEpoch
    }

    public static func + (day: CivilDay, days: Int) -> CivilDay {
        CivilDay(daysSinceEpoch: day.daysSinceEpoch + Int32(days))
    }

    /// Whole days from `right` to `left`.
    public static func - (left: CivilDay, right: CivilDay) -> Int {
        Int(left.daysSinceEpoch) - Int(right.daysSinceEpoch)
    }

    /// The number of days in a month, 28–31.
    public static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CivilDay {
    /// Parses `2027-03-02`; nil for other formats and for dates that do not exist.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }
}

/// Hour and minute on a wall clock, 00:00–23:59 (rule 1.6).
public struct TimeOfDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let minutesPerDay = 1440

    /// Minutes since midnight, 0–1439.
    public let minuteOfDay: Int

    public init?(minuteOfDay: Int) {
        guard (0..<TimeOfDay.minutesPerDay).contains(minuteOfDay) else { return nil }
        self.minuteOfDay = minuteOfDay
    }

    public init?(hour: Int, minute: Int) {
        guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
        self.minuteOfDay = hour * 60 + minute
    }

    /// Parses `HH:MM` (rule 1.6).
    ///
    /// - Throws: ``CareError/invalidAlarm(_:)`` for anything else.
    public init(alarm text: String) throws(CareError) {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"), let hour = number(bytes[0..<2]),
            let minute = number(bytes[3..<5]), let time = TimeOfDay(hour: hour, minute: minute)
        else { throw .invalidAlarm(text) }
        self = time
    }

    /// The default alarm time: 09:00 (rule 1.6).
    public static let defaultAlarm = TimeOfDay(unchecked: 9 * 60)
    static let midnight = TimeOfDay(unchecked: 0)
    static let quietHoursBegin = TimeOfDay(unchecked: 22 * 60)
    static let quietHoursEnd = TimeOfDay(unchecked: 8 * 60)

    private init(unchecked minuteOfDay: Int) {
        self.minuteOfDay = minuteOfDay
    }

    public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
        left.minuteOfDay < right.minuteOfDay
    }

    /// `09:00`.
    public var description: String {
        "\(padded(minuteOfDay / 60, to: 2)):\(padded(minuteOfDay % 60, to: 2))"
    }
}
