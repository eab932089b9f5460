import Foundation

/// The Korean lunar calendar, in the years 1900–2100.
///
/// Foundation computes it. Tests compare it with the tables in `fixtures/lunar`.
public enum LunarCalendar {
    /// A day of the Gregorian calendar.
    public typealias SolarDay = (year: Int, month: Int, day: Int)

    private static let years = 1900...2100
    private static let lunar = calendar(.dangi)
    private static let solar = calendar(.gregorian)

    /// Converts a lunar day to its Gregorian day.
    ///
    /// - Parameters:
    ///   - year: 1900–2100, the Gregorian year in whose January or February the lunar year begins.
    ///   - month: 1–12.
    ///   - day: 1–30.
    ///   - isLeapMonth: Whether the month is the leap month, the second of two with the same number.
    /// - Returns: nil if the lunar calendar has no such day: the 30th of a 29-day month, or the leap month of a year
    ///   without one.
    public static func solarDay(year: Int, month: Int, day: Int, isLeapMonth: Bool) -> SolarDay? {
        guard years.contains(year), (1...12).contains(month), (1...30).contains(day),
            let (era, yearOfEra) = lunarYear(year)
        else { return nil }
        var wanted = DateComponents(era: era, year: yearOfEra, month: month, day: day, hour: 12)
        wanted.isLeapMonth = isLeapMonth
        guard let date = lunar.date(from: wanted) else { return nil }
        // Foundation shifts a nonexistent day to one that exists.
        let found = lunar.dateComponents([.era, .year, .month, .day], from: date)
        guard found.era == era, found.year == yearOfEra, found.month == month, found.day == day,
            found.isLeapMonth == isLeapMonth
        else { return nil }
        return gregorianDay(of: date)
    }

    /// Returns the first Gregorian day, on or after a given one, on which a lunar birthday without a year is
    /// celebrated.
    ///
    /// A birthday in a leap month is celebrated in the leap month if the year has it, otherwise in the regular month of
    /// that number. In a month without a 30th, the 29th takes its place.
    ///
    /// - Parameters:
    ///   - month: 1–12.
    ///   - day: 1–30.
    ///   - isLeapMonth: Whether the birthday is in a leap month.
    ///   - first: The first day that counts, in the years 1900–2100.
    /// - Returns: nil for a month or day that no year has, or if the day is outside 1900–2100.
    public static func nextSolarDay(
        month: Int, day: Int, isLeapMonth: Bool, onOrAfter first: SolarDay
    ) -> SolarDay? {
        guard years.contains(first.year) else { return nil }
        // January may still be in the previous lunar year, and this lunar year's day may be over.
        for year in first.year - 1...first.year + 1 {
            if let kept = keptDay(year: year, month: month, day: day, isLeapMonth: isLeapMonth), kept >= first {
                return kept
            }
        }
        return nil
    }

    private static func keptDay(year: Int, month: Int, day: Int, isLeapMonth: Bool) -> SolarDay? {
        let isLeap = isLeapMonth && solarDay(year: year, month: month, day: 1, isLeapMonth: true) != nil
        return solarDay(year: year, month: month, day: day, isLeapMonth: isLeap)
            ?? (day == 30 ? solarDay(year: year, month: month, day: 29, isLeapMonth: isLeap) : nil)
    }

    /// Foundation's era (of 60 years) and year for the lunar year that begins in a Gregorian one.
    private static func lunarYear(_ year: Int) -> (era: Int, year: Int)? {
        // The lunar year begins in January or February, so it contains July.
        let july = DateComponents(year: year, month: 7, day: 1, hour: 12)
        guard let date = solar.date(from: july) else { return nil }
        let components = lunar.dateComponents([.era, .year], from: date)
        guard let era = components.era, let yearOfEra = components.year else { return nil }
        return (era, yearOfEra)
    }

    private static func gregorianDay(of date: Date) -> SolarDay? {
        let components = solar.dateComponents([.year, .month, .day], from: date)
        guard let year = components.year, let month = components.month, let day = components.day else { return nil }
        return (year, month, day)
    }

    private static func calendar(_ identifier: Calendar.Identifier) -> Calendar {
        var calendar = Calendar(identifier: identifier)
        // Both calendars only count days. In GMT every day has a noon.
        calendar.timeZone = .gmt
        return calendar
    }
}
