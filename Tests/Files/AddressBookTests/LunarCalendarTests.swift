import AddressBook
import Foundation
import Testing

@Suite("The Korean lunar calendar")
struct LunarCalendarTests {
    /// A month in `fixtures/lunar/lunar-days.txt`.
    private struct Month {
        let year: Int
        let month: Int
        let isLeapMonth: Bool
        let dayCount: Int
        let firstDay: String

        /// The last day, by Foundation's Gregorian calendar.
        func lastDay() throws -> String {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let parts = firstDay.split(separator: "-").compactMap { Int($0) }
            try #require(parts.count == 3)
            // A day beyond the end of the month rolls over into the next.
            let wanted = DateComponents(year: parts[0], month: parts[1], day: parts[2] + dayCount - 1, hour: 12)
            let date = calendar.date(from: wanted)
            let last = try #require(date)
            let day = calendar.dateComponents([.year, .month, .day], from: last)
            return LunarCalendarTests.written((day.year ?? 0, day.month ?? 0, day.day ?? 0))
        }
    }

    private func table() throws -> [Month] {
        let text = try String(contentsOfFile: fixture("../lunar/lunar-days.txt"), encoding: .utf8)
        return try text.split(separator: "\n").dropFirst().map { line -> Month in
            let fields = line.split(separator: " ")
            let numbers = fields.compactMap { Int($0) }
            try #require(fields.count == 5 && numbers.count == 3)
            return Month(
                year: numbers[0], month: numbers[1], isLeapMonth: fields[2] == "leap", dayCount: numbers[2],
                firstDay: String(fields[4]))
        }
    }

    private func solarDay(_ month: Month, day: Int) -> String? {
        let found = LunarCalendar.solarDay(
            year: month.year, month: month.month, day: day, isLeapMonth: month.isLeapMonth)
        return found.map(Self.written)
    }

    fileprivate static func written(_ day: LunarCalendar.SolarDay) -> String {
        String(format: "%04d-%02d-%02d", day.year, day.month, day.day)
    }

    @Test("Every month from 1900 to 2050 has the first day, last day and length of the tables")
    func months() throws {
        let months = try table()
        #expect(months.count == 1866)
        var differences: [String] = []
        for month in months {
            let name = "\(month.year)-\(month.month)\(month.isLeapMonth ? " (leap)" : "")"
            let last = try month.lastDay()
            if solarDay(month, day: 1) != month.firstDay { differences.append("\(name) begins") }
            if solarDay(month, day: month.dayCount) != last { differences.append("\(name) ends") }
            if solarDay(month, day: month.dayCount + 1) != nil { differences.append("\(name) has a day more") }
        }
        #expect(differences == [])
    }

    @Test("A leap month is refused in every year without it")
    func leapMonths() throws {
        let months = try table()
        let leapMonths = Set(months.filter(\.isLeapMonth).map { [$0.year, $0.month] })
        for year in 1900...2049 {
            for month in 1...12 {
                let found = LunarCalendar.solarDay(year: year, month: month, day: 1, isLeapMonth: true)
                let exists = found != nil
                #expect(exists == leapMonths.contains([year, month]), "\(year)-\(month)")
            }
        }
    }

    @Test(
        "Dates outside the calendar are refused",
        arguments: [
            (1899, 12, 1), (2101, 1, 1), (2000, 0, 1), (2000, 13, 1), (2000, 1, 0), (2000, 1, 31), (2000, 1, -1),
            (Int.max, 1, 1), (Int.min, 1, 1), (2000, Int.max, 1), (2000, 1, Int.max),
        ])
    func outside(year: Int, month: Int, day: Int) {
        for isLeapMonth in [false, true] {
            let found = LunarCalendar.solarDay(year: year, month: month, day: day, isLeapMonth: isLeapMonth)
            #expect(found.map(Self.written) == nil)
        }
    }

    @Test("The last convertible years have twelve or thirteen months")
    func lastYears() {
        for year in 2050...2100 {
            let found = (1...12).flatMap { month in
                [false, true].filter {
                    LunarCalendar.solarDay(year: year, month: month, day: 29, isLeapMonth: $0) != nil
                }
            }
            #expect((12...13).contains(found.count), "\(year)")
        }
    }

    /// The days are those of public holidays and of the tables in `fixtures/lunar`.
    @Test(
        "The next occurrence of a lunar birthday",
        arguments: [
            // New Year's Day 2027 and Chuseok 2026.
            (1, 1, false, (2026, 11, 21), "2027-02-07"), (8, 15, false, (2026, 1, 1), "2026-09-25"),
            // On the day itself, and on the day after.
            (5, 5, false, (2026, 6, 19), "2026-06-19"), (5, 5, false, (2026, 6, 20), "2027-06-09"),
            // A day in January that belongs to the previous lunar year.
            (12, 1, false, (2027, 1, 1), "2027-01-08"),
            // Twelfth months of 29 days in 2024 and 2025, of 30 days in 2026.
            (12, 30, false, (2025, 1, 1), "2025-01-28"), (12, 30, false, (2026, 1, 1), "2026-02-16"),
            (12, 30, false, (2027, 1, 1), "2027-02-06"),
            // 2025 had two sixth months, 2026 has one.
            (6, 1, false, (2025, 1, 1), "2025-06-25"), (6, 1, true, (2025, 1, 1), "2025-07-25"),
            (6, 1, true, (2025, 7, 26), "2026-07-14"),
        ] as [(Int, Int, Bool, (Int, Int, Int), String)])
    func next(month: Int, day: Int, isLeapMonth: Bool, first: (Int, Int, Int), expected: String) {
        let found = LunarCalendar.nextSolarDay(
            month: month, day: day, isLeapMonth: isLeapMonth,
            onOrAfter: (year: first.0, month: first.1, day: first.2))
        #expect(found.map(Self.written) == expected)
    }

    @Test("Dates that exist in no year, or lie beyond the calendar, have no next occurrence")
    func noNext() {
        let impossible = [
            (13, 1, 2026), (1, 31, 2026), (0, 1, 2026), (1, 1, 1899), (1, 1, 2101), (1, 1, Int.max), (1, 1, Int.min),
        ]
        for (month, day, year) in impossible {
            let found = LunarCalendar.nextSolarDay(
                month: month, day: day, isLeapMonth: false, onOrAfter: (year: year, month: 1, day: 1))
            #expect(found.map(Self.written) == nil, "\(year)-\(month)-\(day)")
        }
    }
}
