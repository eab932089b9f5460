/// When the days of an account end, by its wall clock: at midnight, or up to four hours later (rule 13.4).
///
/// For somebody who goes to bed at 01:30 it is still today at 01:00. A day D begins at this time on the date D, and ends
/// where the next one begins.
public struct DayEnd: Hashable, Sendable, CustomStringConvertible {
    /// In minutes after midnight.
    public static let range = 0...240
    public static let midnight = DayEnd(unchecked: .midnight)

    public let time: TimeOfDay

    /// - Throws: ``CareError/invalidDayEnd``.
    public init(minuteOfDay: Int) throws(CareError) {
        guard DayEnd.range.contains(minuteOfDay), let time = TimeOfDay(minuteOfDay: minuteOfDay) else {
            throw .invalidDayEnd
        }
        self.time = time
    }

    /// Parses `03:00`.
    ///
    /// - Throws: ``CareError/invalidDayEnd`` for anything but 00:00 to 04:00.
    public init(_ text: String) throws(CareError) {
        guard let time = try? TimeOfDay(alarm: text) else { throw .invalidDayEnd }
        try self.init(minuteOfDay: time.minuteOfDay)
    }

    private init(unchecked time: TimeOfDay) {
        self.time = time
    }

    /// `03:00`.
    public var description: String { time.description }

    /// The minutes from the midnight with which the date of a day begins to a time of that day: 1,440 or more for one that
    /// belongs to its end, on the next date.
    public func minutes(to time: TimeOfDay) -> Int {
        time.minuteOfDay + (time < self.time ? TimeOfDay.minutesPerDay : 0)
    }
}
