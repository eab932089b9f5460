/// How a thing comes back after it was completed (rule 10.8).
public struct Recurrence: Hashable, Sendable {
    /// Of an interval. Months and years are those of the calendar.
    public enum Unit: String, CaseIterable, Sendable {
        case days, weeks, months, years
    }

    /// What the next due day is counted from.
    public enum Base: String, CaseIterable, Sendable {
        /// The days of the series on which the thing is due, whenever it is completed.
        case due
        /// The day on which it was completed.
        case completion
    }

    /// The intervals that rule 10.8 allows.
    public static let intervals = 1...99

    public let every: Int
    public let unit: Unit
    public let base: Base
    /// The last day on which the thing may be due; nil for no end but that of the calendar.
    public let until: CivilDay?

    /// Every day, counted from the due day.
    public static let daily = Recurrence(unchecked: 1, .days)

    private init(unchecked every: Int, _ unit: Unit) {
        (self.every, self.unit, base, until) = (every, unit, .due, nil)
    }

    /// - Throws: ``ThingError/invalidRecurrence(_:)`` for an interval outside ``intervals``.
    public init(every: Int, _ unit: Unit, from base: Base = .due, until: CivilDay? = nil) throws(ThingError) {
        guard Recurrence.intervals.contains(every) else { throw .invalidRecurrence(.interval(every)) }
        (self.every, self.unit, self.base, self.until) = (every, unit, base, until)
    }

    /// Reads an ``interval``; `month` alone means every month.
    ///
    /// - Throws: ``ThingError/invalidRecurrence(_:)``.
    public init(every interval: String, from base: Base = .due, until: CivilDay? = nil) throws(ThingError) {
        let words = interval.split(separator: " ")
        guard (1...2).contains(words.count), let word = words.last,
            let unit = Unit.allCases.first(where: { $0.rawValue == word || $0.rawValue.dropLast() == word }),
            words.count == 1 || words[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw .invalidRecurrence(.unreadable) }
        // A number that does not fit is out of range.
        try self.init(every: words.count == 1 ? 1 : Int(words[0]) ?? .max, unit, from: base, until: until)
    }

    /// How often it comes back: `2 weeks`, `1 month`.
    public var interval: String { "\(every) \(every == 1 ? String(unit.rawValue.dropLast()) : unit.rawValue)" }

    /// The day that is `steps` intervals after a day. A month that is too short for the day of the month has its last
    /// day instead; later months have the day itself again.
    ///
    /// - Returns: nil after 2099.
    package func day(after start: CivilDay, steps: Int) -> CivilDay? {
        // A product of an interval and as many steps as a century has days fits by far.
        let count = steps * every
        let day: CivilDay?
        switch unit {
        case .days: day = start + count
        case .weeks: day = start + 7 * count
        case .months: day = start.adding(months: count)
        case .years: day = start.adding(months: 12 * count)
        }
        return day.flatMap { $0 <= Thing.dueDays.upperBound ? $0 : nil }
    }

    /// The due day after a completion.
    ///
    /// - Parameters:
    ///   - start: The first day of the series.
    ///   - dueOn: The day on which the thing was due.
    ///   - completedOn: The day of the completion.
    ///   - today: The civil day of the command, which is later than `completedOn` if the completion was sent late.
    /// - Returns: nil if the series has ended, so that the thing is done.
    func nextDueDay(from start: CivilDay, dueOn: CivilDay, completedOn: CivilDay, today: CivilDay) -> CivilDay? {
        let next: CivilDay?
        switch base {
        case .due: next = first(of: start, after: max(dueOn, today))
        case .completion: next = day(after: completedOn, steps: 1)
        }
        return next.flatMap { next in until.map { next <= $0 } ?? true ? next : nil }
    }

    /// The first day of the series after a day.
    private func first(of start: CivilDay, after day: CivilDay) -> CivilDay? {
        guard day >= start else { return start }
        // A month has at most 31 days and a year at most 366, so this many steps are never too many.
        let longest =
            switch unit {
            case .days: 1
            case .weeks: 7
            case .months: 31
            case .years: 366
            }
        var steps = max(1, (day - start) / (longest * every))
        while let candidate = self.day(after: start, steps: steps) {
            if candidate > day { return candidate }
            steps += 1
        }
        return nil
    }
}

extension CivilDay {
    /// The same day of the month so many months later, or the last day of a month that is shorter; nil after 9999.
    public func adding(months: Int) -> CivilDay? {
        let (year, month, day) = components
        let later = year * 12 + month - 1 + months
        let (laterYear, laterMonth) = (later / 12, later % 12 + 1)
        return CivilDay(
            year: laterYear, month: laterMonth,
            day: min(day, CivilDay.length(ofMonth: laterMonth, year: laterYear)))
    }
}
