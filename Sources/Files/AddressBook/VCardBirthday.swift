/// The birthday of a vCard, which several properties may hold.
///
/// The standard has only `BDAY`, and since version 4.0 a parameter for its calendar. The rest comes from real exports:
/// iOS (`X-ALTBDAY`), Android and its manufacturers (`X-ANDROID-CUSTOM`), and programs that write `X-BDAY-LUNAR` or
/// `X-LUNAR-BDAY`.
struct VCardBirthday {
    private struct Candidate {
        var text: String
        var calendar: BirthdayCalendar
    }

    /// The year that iOS and others write for an unknown year.
    private static let yearForNone = "1604"
    private static let lunarCalendars: Set<String> = ["chinese", "dangi", "korean"]

    private var own: Candidate?
    private var android: Candidate?
    private var lunar: Candidate?
    /// Whether a separate property marks the birthday as lunar, or as in a leap month.
    private var isMarkedLunar = false
    private var isMarkedLeap = false

    /// The birthday as written, without a placeholder year. A solar one is preferred.
    var text: String? { best?.text }

    /// The calendar of `text`.
    var calendar: BirthdayCalendar {
        guard let best else { return .solar }
        let isLunar = best.calendar != .solar || isMarkedLunar
        let isLeapMonth = best.calendar == .lunar(isLeapMonth: true) || isMarkedLeap
        return isLunar ? .lunar(isLeapMonth: isLeapMonth) : .solar
    }

    private var best: Candidate? { own ?? android ?? lunar }

    /// Takes what a property says about the birthday.
    mutating func take(_ property: VCardProperty) {
        switch property.name {
        case "BDAY": own = own ?? Self.birthday(property)
        case "X-ALTBDAY": lunar = lunar ?? Self.alternateBirthday(property)
        case _ where property.name.contains("LUNAR"): takeLunar(property)
        default: break
        }
    }

    /// Takes an Android event. Type 3 is a birthday; type 4 is a lunar one on devices that support it. Pantech uses its
    /// own kind, `vnd.pantech.cursor.item/lunar_event`.
    mutating func takeAndroidEvent(kind: String, day: String, type: String) {
        let isLunarKind = kind.contains("lunar")
        guard isLunarKind || kind == "vnd.android.cursor.item/contact_event", !day.isBlank else { return }
        if type == "4" || (type == "3" && isLunarKind) {
            let calendar = BirthdayCalendar.lunar(isLeapMonth: Self.namesLeapMonth(day))
            lunar = lunar ?? Candidate(text: Self.withoutYearForNone(day), calendar: calendar)
        } else if type == "3" {
            android = android ?? Candidate(text: Self.withoutYearForNone(day), calendar: .solar)
        }
    }

    private static func birthday(_ property: VCardProperty) -> Candidate? {
        guard let text = property.text.unlessBlank else { return nil }
        let isText = property.parameterValues("VALUE").contains { $0.lowercased() == "text" }
        let omitted = property.parameterValues("X-APPLE-OMIT-YEAR").first ?? yearForNone
        let day = isText ? text : withoutYearForNone(withoutYearForNone(text, year: omitted))
        return Candidate(text: day, calendar: namedCalendar(property, text: text))
    }

    /// A property such as `X-LUNAR-BDAY` either holds the birthday or marks it as lunar.
    private mutating func takeLunar(_ property: VCardProperty) {
        let text = property.text
        let isDay = text.filter { $0.isASCII && $0.isWholeNumber }.count >= 3
        guard isDay || !Self.saysNo([text]) else { return }
        let isLeapMonth = property.name.contains("LEAP") || Self.namesLeapMonth(text) || Self.saysLeapMonth(property)
        if isDay {
            let day = Self.withoutYearForNone(text)
            lunar = lunar ?? Candidate(text: day, calendar: .lunar(isLeapMonth: isLeapMonth))
        } else {
            isMarkedLunar = true
            isMarkedLeap = isMarkedLeap || isLeapMonth
        }
    }
}

// MARK: - Calendars

extension VCardBirthday {
    private static func namedCalendar(_ property: VCardProperty, text: String) -> BirthdayCalendar {
        guard property.parameters.contains(where: saysLunar) else { return .solar }
        return .lunar(isLeapMonth: namesLeapMonth(text) || saysLeapMonth(property))
    }

    /// There is no standard: any parameter name, `CALSCALE` or `TYPE` that mentions the lunar calendar counts.
    private static func saysLunar(_ parameter: VCardProperty.Parameter) -> Bool {
        if parameter.name.contains("LUNAR") { return !saysNo(parameter.values) }
        guard ["CALSCALE", "TYPE"].contains(parameter.name) else { return false }
        return parameter.values.contains { value in
            let value = value.lowercased()
            return lunarCalendars.contains(value) || value.contains("lunar") || value.contains("음력")
        }
    }

    private static func saysLeapMonth(_ property: VCardProperty) -> Bool {
        property.parameters.contains { parameter in
            if parameter.name.contains("LEAP") { return !saysNo(parameter.values) }
            return parameter.values.contains(where: namesLeapMonth)
        }
    }

    private static func namesLeapMonth(_ text: String) -> Bool {
        text.contains("윤") || text.lowercased().contains("leap")
    }

    private static func saysNo(_ values: [String]) -> Bool {
        values.allSatisfy { ["", "0", "false", "no", "solar"].contains($0.trimmed.lowercased()) }
    }
}

// MARK: - Days

extension VCardBirthday {
    /// Turns `1604-05-21` into `--05-21`; any other text stays as it is.
    private static func withoutYearForNone(_ text: String, year: String = VCardBirthday.yearForNone) -> String {
        guard year.count == 4, text.hasPrefix(year) else { return text }
        let digits = text.dropFirst(year.count).filter { $0.isASCII && $0.isWholeNumber }.prefix(4)
        guard digits.count == 4 else { return text }
        return "--\(digits.prefix(2))-\(digits.suffix(2))"
    }

    /// Reads the lunar birthday that iOS writes beside `BDAY`: the 60-year cycle, the year in it, the month, `L` for a
    /// leap month, and the day, such as `007800310318`. `-` stands for an unknown part. nil for other calendars.
    private static func alternateBirthday(_ property: VCardProperty) -> Candidate? {
        let scales = property.parameterValues("CALSCALE").map { $0.lowercased() }
        guard let scale = scales.first(where: { lunarCalendars.contains($0) }) else { return nil }
        guard let text = property.text.unlessBlank else { return nil }
        guard let (day, isLeapMonth) = alternateDay(text.trimmed, knowsYears: scale == "chinese") else {
            return Candidate(text: text, calendar: .lunar(isLeapMonth: namesLeapMonth(text)))
        }
        return Candidate(text: day, calendar: .lunar(isLeapMonth: isLeapMonth))
    }

    /// - Parameter knowsYears: Whether the epoch of the calendar's cycles is known.
    private static func alternateDay(_ text: String, knowsYears: Bool) -> (day: String, isLeapMonth: Bool)? {
        var rest = text[...]
        let cycle = takeNumber(4, from: &rest)
        let yearInCycle = takeNumber(4, from: &rest)
        let month = takeNumber(2, from: &rest)
        let isLeapMonth = rest.first == "L"
        if isLeapMonth { rest.removeFirst() }
        let day = takeNumber(2, from: &rest)
        guard let month, let day, rest.isEmpty else { return nil }
        let year = knowsYears ? Self.year(cycle: cycle, yearInCycle: yearInCycle).map { padded($0, to: 4) } : nil
        return ("\(year ?? "-")-\(padded(month, to: 2))-\(padded(day, to: 2))", isLeapMonth)
    }

    /// The 78th cycle began in 1984. Some programs write the solar year instead of the year in the cycle.
    private static func year(cycle: Int?, yearInCycle: Int?) -> Int? {
        guard let yearInCycle, let cycle else { return nil }
        let year = yearInCycle > 60 ? yearInCycle : 1984 + (cycle - 78) * 60 + yearInCycle - 1
        return (1...9999).contains(year) ? year : nil
    }

    /// Consumes that many digits and returns their value; consumes a `-` and returns nil.
    private static func takeNumber(_ digitCount: Int, from text: inout Substring) -> Int? {
        if text.first == "-" {
            text.removeFirst()
            return nil
        }
        let digits = text.prefix(digitCount)
        guard digits.utf8.count == digitCount, digits.allSatisfy({ $0.isASCII && $0.isWholeNumber }) else { return nil }
        text.removeFirst(digitCount)
        return Int(digits)
    }

    private static func padded(_ number: Int, to length: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, length - digits.count)) + digits
    }
}
