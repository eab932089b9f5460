import Foundation

/// A birthday as an address book states it. Whether the date exists is checked elsewhere.
public struct ContactBirthday: Hashable, Sendable {
    /// 1–9999, in the birthday's calendar; nil if unknown.
    public var year: Int?
    /// 1–12.
    public var month: Int
    /// 1–31; 1–30 in the lunar calendar.
    public var day: Int
    /// The calendar that the numbers belong to.
    public var calendar: BirthdayCalendar

    /// Creates a birthday from unchecked numbers.
    public init(year: Int?, month: Int, day: Int, calendar: BirthdayCalendar = .solar) {
        self.year = year
        self.month = month
        self.day = day
        self.calendar = calendar
    }
}

/// Reads birthdays as phones, services and people write them.
public enum BirthdayReader {
    /// The longest text to parse, in bytes of UTF-8.
    private static let longestText = 64

    fileprivate static let calendars: [String: BirthdayCalendar] = [
        "양력": .solar, "양": .solar, "solar": .solar,
        "음력": .lunar(isLeapMonth: false), "음": .lunar(isLeapMonth: false), "lunar": .lunar(isLeapMonth: false),
        "음력평달": .lunar(isLeapMonth: false), "평달": .lunar(isLeapMonth: false), "평": .lunar(isLeapMonth: false),
        "음력윤달": .lunar(isLeapMonth: true), "윤달": .lunar(isLeapMonth: true), "윤": .lunar(isLeapMonth: true),
        "음력윤": .lunar(isLeapMonth: true), "음윤": .lunar(isLeapMonth: true), "lunarleap": .lunar(isLeapMonth: true),
    ]

    /// Parses a birthday.
    ///
    /// A year has four digits. With the year last, `5/21/1994` is month first and `21.05.1994` is day first; without a
    /// year, the month comes first. If there is no such month, the two are swapped. Services write 0000 or 1604 for an
    /// unknown year, so both mean none.
    ///
    /// - Parameters:
    ///   - text: `1994-05-21`, `19940521`, `--0521`, `05-21`, `1994. 5. 21.`, `1994년 5월 21일`, `5/21/1994`,
    ///     `May 21, 1994`, `음력 윤4월 8일`, `1994-05-21 (음)` and the like, in digits of any width. A trailing time of day
    ///     is ignored.
    ///   - calendar: The calendar to assume if the text names none.
    ///   - dayFirst: Whether `3/4/1994` is 3 April.
    /// - Returns: nil if the text is not a birthday, or longer than 64 bytes.
    public static func birthday(
        _ text: String, calendar: BirthdayCalendar, dayFirst: Bool = false
    ) -> ContactBirthday? {
        guard text.utf8.count <= longestText, let parts = BirthdayParts(plain(text)) else { return nil }
        guard let numbers = parts.date(dayFirst: dayFirst) else { return nil }
        let calendar = parts.calendar ?? calendar
        let lastDay = calendar == .solar ? 31 : 30
        guard (1...12).contains(numbers.month), (1...lastDay).contains(numbers.day) else { return nil }
        let hasYear = numbers.year != 0 && numbers.year != 1604
        return ContactBirthday(
            year: hasYear ? numbers.year : nil, month: numbers.month, day: numbers.day, calendar: calendar)
    }

    /// Parses the value of a calendar column: `양력`, `solar` or nothing, `음력`, `lunar`, `윤달`, `lunar-leap` and the like,
    /// and the initials `S` and `L`.
    ///
    /// - Returns: nil if the text names no known calendar.
    public static func calendar(_ text: String) -> BirthdayCalendar? {
        guard text.utf8.count <= longestText else { return nil }
        var word = ""
        for scalar in plain(text).unicodeScalars {
            if scalar.properties.isAlphabetic {
                word.unicodeScalars.append(scalar)
            } else if !" ()-_".unicodeScalars.contains(scalar) {
                return nil
            }
        }
        switch word {
        case "", "s": return .solar
        case "l": return .lunar(isLeapMonth: false)
        default: return calendars[word]
        }
    }

    /// Lowercases the text and replaces full-width digits and signs with plain ones.
    private static func plain(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
        return (isPlain ? text : text.precomposedStringWithCompatibilityMapping).lowercased()
    }
}

/// The numbers and words of a birthday, in text order.
private struct BirthdayParts {
    private static let digits: ClosedRange<Unicode.Scalar> = "0"..."9"
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    private var numbers: [(value: Int, digitCount: Int)] = []
    /// The separator of the first two numbers; nil if a word says what they are.
    private var separator: Unicode.Scalar?
    private var leadingHyphens = 0
    private var monthByName: Int?
    private(set) var calendar: BirthdayCalendar?
    /// Whether a time of day has begun; the rest is ignored.
    private var isComplete = false

    /// nil if a word or sign does not belong in a date.
    init?(_ text: String) {
        var rest = text.unicodeScalars[...]
        while let first = rest.first, !isComplete {
            let run: Substring.UnicodeScalarView
            if Self.isDigit(first) {
                run = rest.prefix(while: Self.isDigit)
                take(number: run)
            } else if first.properties.isAlphabetic {
                run = rest.prefix { $0.properties.isAlphabetic }
                guard take(word: String(run)) else { return nil }
            } else {
                run = rest.prefix(1)
                guard take(sign: first) else { return nil }
            }
            rest = rest[run.endIndex...]
        }
    }

    /// The date, with year 0 if there is none; nil if the numbers do not form a date.
    func date(dayFirst: Bool) -> (year: Int, month: Int, day: Int)? {
        if monthByName == nil, numbers.count == 1 { return dateInOneNumber }
        var rest = numbers
        var year: Int?
        let isYearFirst = rest.first?.digitCount == 4
        if isYearFirst {
            year = rest.removeFirst().value
        } else if rest.last?.digitCount == 4 {
            year = rest.removeLast().value
        }
        guard rest.allSatisfy({ $0.digitCount <= 2 }) else { return nil }
        if let monthByName {
            guard rest.count == 1 else { return nil }
            return (year ?? 0, monthByName, rest[0].value)
        }
        guard rest.count == 2 else { return nil }
        var (month, day) = (rest[0].value, rest[1].value)
        if !isYearFirst, isOrderOpen(hasYear: year != nil) {
            let prefersDay = dayFirst || (separator == "." && year != nil)
            let isDayFirst = prefersDay ? day <= 12 : month > 12
            if isDayFirst { swap(&month, &day) }
        }
        return (year ?? 0, month, day)
    }

    /// `19940521`, or `--0521`.
    private var dateInOneNumber: (year: Int, month: Int, day: Int)? {
        let (number, digitCount) = numbers[0]
        guard digitCount == 8 || (digitCount == 4 && leadingHyphens == 2) else { return nil }
        return (number / 10_000, number / 100 % 100, number % 100)
    }

    /// Whether the day may come first: not in `05-21`, which is ISO, nor in `5월 21일`, which is explicit.
    private func isOrderOpen(hasYear: Bool) -> Bool {
        separator == "/" || separator == "." || (separator == "-" && hasYear)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { digits.contains(scalar) }

    private mutating func take(number digits: Substring.UnicodeScalarView) {
        // A longer number is never part of a date, so its value does not matter.
        let value = digits.count <= 8 ? digits.reduce(0) { $0 * 10 + Int($1.value) - 48 } : 0
        numbers.append((value, digits.count))
    }

    /// Returns whether the word belongs in a date.
    private mutating func take(word: String) -> Bool {
        if let named = BirthdayReader.calendars[word] {
            // 음력 and 윤 may be separate words; the leap month wins.
            if calendar != .lunar(isLeapMonth: true) { calendar = named }
            return true
        }
        switch word {
        case "년", "월", "일", "年", "月", "日":
            if numbers.count == 1 { separator = nil }
            return !numbers.isEmpty
        case "t", "오전", "오후":
            isComplete = true
            return true
        default:
            guard word.utf8.count >= 3, monthByName == nil else { return false }
            monthByName = Self.months.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
            return monthByName != nil
        }
    }

    /// Returns whether the sign belongs in a date.
    private mutating func take(sign: Unicode.Scalar) -> Bool {
        switch sign {
        case "-", "/", ".":
            if numbers.isEmpty, sign == "-" { leadingHyphens += 1 }
            if numbers.count == 1 { separator = sign }
            return true
        case ":":
            // Only a time of day has colons: drop the hour, which was taken for part of the date.
            isComplete = true
            return numbers.popLast() != nil
        case ",", "(", ")", "*":
            return true
        default:
            return sign.properties.isWhitespace
        }
    }
}
