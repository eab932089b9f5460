import CherishCore
import Foundation

/// A day as people say it: `tomorrow`, `in 3 days`, `내일`, `다음 주 금요일`, `3월 5일`, `2027-03-05`. Both languages are
/// always understood. Whoever asks shows the day back as a date.
package struct DayWords {
    private let today: CivilDay

    package init(today: CivilDay) {
        self.today = today
    }

    /// Rejects longer texts.
    private static let mostCharacters = 40

    /// nil for text that is no day.
    package func day(_ text: String) -> CivilDay? {
        guard text.count <= Self.mostCharacters else { return nil }
        let words = text.lowercased().split { $0.isWhitespace || $0 == "," }.map(String.init)
        let joined = words.joined(separator: " ")
        if let day = CivilDay(joined) { return day }
        if let days = Self.named[joined] { return today + days }
        return distance(joined) ?? weekday(joined) ?? date(joined)
    }

    private static let named: [String: Int] = [
        "today": 0, "tomorrow": 1, "the day after tomorrow": 2, "day after tomorrow": 2, "yesterday": -1,
        "next week": 7, "오늘": 0, "내일": 1, "모레": 2, "글피": 3, "어제": -1, "그저께": -2, "다음 주": 7, "다음주": 7,
    ]

    // MARK: Distances

    /// `in 3 days`, `2 weeks`, `a month`, `3일 뒤`, `일주일 후`, `2달 뒤`.
    private func distance(_ text: String) -> CivilDay? {
        if let found = text.wholeMatch(of: #/(?:in )?(a|an|one|\d{1,3}) (day|week|month|year)s?/#) {
            let count = Int(found.1) ?? 1
            return after(count, String(found.2))
        }
        if let found = text.wholeMatch(of: #/(\d{1,3}) ?(일|주|주일|달|개월|년) ?(?:뒤|후|있다가)/#) {
            guard let count = Int(found.1), let unit = Self.units[String(found.2)] else { return nil }
            return after(count, unit)
        }
        if let found = text.wholeMatch(of: #/(하루|이틀|사흘|나흘|닷새|일주일|한 ?달|일 ?년) ?(?:뒤|후|있다가)/#) {
            let spoken = String(found.1).replacing(" ", with: "")
            if let days = Self.counted[spoken] { return today + days }
            return after(1, spoken == "한달" ? "month" : "year")
        }
        return nil
    }

    private static let units = ["일": "day", "주": "week", "주일": "week", "달": "month", "개월": "month", "년": "year"]
    private static let counted = ["하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "일주일": 7]

    private func after(_ count: Int, _ unit: String) -> CivilDay? {
        switch unit {
        case "day": today + count
        case "week": today + 7 * count
        case "month": today.adding(months: count)
        default: today.adding(months: 12 * count)
        }
    }

    // MARK: Weekdays

    /// `friday`, `next friday`, `금요일`, `다음 주 금요일`, `이번 주 금요일`. A weekday alone is the next one, never today.
    private func weekday(_ text: String) -> CivilDay? {
        var name = text
        var week: Int?
        for (prefix, weeks) in Self.weeks where name.hasPrefix(prefix) {
            name = String(name.dropFirst(prefix.count))
            week = weeks
            break
        }
        guard let number = Self.number(ofWeekday: name) else { return nil }
        // Weeks begin on Monday.
        if let week {
            let monday = today + (1 - today.weekday)
            return monday + (7 * week + number - 1)
        }
        let ahead = (number - today.weekday + 7) % 7
        return today + (ahead == 0 ? 7 : ahead)
    }

    /// How many weeks ahead; nil for the next such day.
    private static let weeks: [(prefix: String, ahead: Int?)] = [
        ("next ", 1), ("this ", 0), ("on ", nil), ("다음 주 ", 1), ("다음주 ", 1), ("이번 주 ", 0), ("이번주 ", 0),
    ]

    private static func number(ofWeekday name: String) -> Int? {
        for (number, forms) in weekdays.enumerated() where forms.contains(name) { return number + 1 }
        return nil
    }

    private static let weekdays = [
        ["monday", "mon", "월요일"], ["tuesday", "tue", "화요일"], ["wednesday", "wed", "수요일"],
        ["thursday", "thu", "목요일"], ["friday", "fri", "금요일"], ["saturday", "sat", "토요일"],
        ["sunday", "sun", "일요일"],
    ]

    // MARK: Dates

    /// `3월 5일`, `5 march`, `march 5 2028`, `5일`: without a year or a month, the next such day.
    private func date(_ text: String) -> CivilDay? {
        if let found = text.wholeMatch(of: #/(?:(\d{4})년 ?)?(\d{1,2})월 ?(\d{1,2})일?/#) {
            return next(found.1.flatMap { Int($0) }, Int(found.2), Int(found.3))
        }
        if let found = text.wholeMatch(of: #/(\d{1,2})일/#) { return nextDay(ofMonth: Int(found.1)) }
        if let found = text.wholeMatch(of: #/(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})(?: (\d{4}))?/#) {
            return next(found.3.flatMap { Int($0) }, Self.month(String(found.2)), Int(found.1))
        }
        if let found = text.wholeMatch(of: #/([a-z]{3,9}) (\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?/#) {
            return next(found.3.flatMap { Int($0) }, Self.month(String(found.1)), Int(found.2))
        }
        return nil
    }

    private func next(_ year: Int?, _ month: Int?, _ day: Int?) -> CivilDay? {
        guard let month, let day else { return nil }
        if let year { return CivilDay(year: year, month: month, day: day) }
        // 29 February may be years ahead.
        let thisYear = today.components.year
        return (thisYear...thisYear + 8).lazy.compactMap { CivilDay(year: $0, month: month, day: day) }
            .first { $0 >= today }
    }

    private func nextDay(ofMonth day: Int?) -> CivilDay? {
        guard let day else { return nil }
        let (year, month, _) = today.components
        return (0..<13).lazy.compactMap { step in
            CivilDay(year: year + (month - 1 + step) / 12, month: (month - 1 + step) % 12 + 1, day: day)
        }.first { $0 >= today }
    }

    private static func month(_ name: String) -> Int? {
        months.firstIndex { $0 == name || $0.prefix(3) == name }.map { $0 + 1 }
    }

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
}
