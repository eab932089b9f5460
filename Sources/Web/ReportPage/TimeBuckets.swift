import CherishCore

/// Days, weeks or months: the finest unit that a picture can still show.
struct TimeBuckets {
    enum Unit {
        case day, week, month
    }

    let unit: Unit
    /// The first day of each bucket. The first bucket may begin before the period shown.
    let starts: [CivilDay]
    private let days: ClosedRange<CivilDay>
    private let words: Wording
    private let places: [CivilDay: Int]

    init(from first: CivilDay, to last: CivilDay, _ words: Wording) {
        let length = last - first + 1
        let unit: Unit = length <= 45 ? .day : length <= 400 ? .week : .month
        var starts: [CivilDay] = []
        for offset in 0..<max(1, length) {
            let start = Self.start(of: first + offset, unit, words)
            if starts.last != start { starts.append(start) }
        }
        self.unit = unit
        self.starts = starts
        days = first...max(first, last)
        self.words = words
        places = Dictionary(uniqueKeysWithValues: starts.enumerated().map { ($0.element, $0.offset) })
    }

    /// The index in ``starts`` of the bucket that holds a day; nil if there is none. A day outside the period has one
    /// if it shares its week or month with the first or last day.
    func place(of day: CivilDay) -> Int? {
        places[Self.start(of: day, unit, words)]
    }

    /// The label below a column.
    func label(at place: Int) -> String {
        let start = max(starts[place], days.lowerBound)
        return unit == .month ? words.month(of: start) : words.shortDate(start)
    }

    /// The name of a column in a sentence or a table. Weeks are clipped to the period.
    func name(at place: Int) -> String {
        let start = max(starts[place], days.lowerBound)
        switch unit {
        case .day: return words.weekdayAndDate(start)
        case .week:
            let end = min(starts[place] + 6, days.upperBound)
            return start == end ? words.shortDate(start) : "\(words.shortDate(start)) – \(words.shortDate(end))"
        case .month: return words.month(of: start)
        }
    }

    /// The length of a column: `하루`, `day`.
    var span: String {
        switch unit {
        case .day: words("하루", "day")
        case .week: words("한 주", "week")
        case .month: words("한 달", "month")
        }
    }

    /// Warns that the outer columns may look low; nil for daily columns.
    var remark: String? {
        if unit == .day { return nil }
        return words("처음과 마지막 기둥은 \(span)보다 짧을 수 있어요.", "The first and the last column may be less than a \(span).")
    }

    /// The title of the table column that holds the names.
    var unitName: String {
        switch unit {
        case .day: words("날", "Day")
        case .week: words("주", "Week")
        case .month: words("달", "Month")
        }
    }

    private static func start(of day: CivilDay, _ unit: Unit, _ words: Wording) -> CivilDay {
        switch unit {
        case .day: day
        case .week: day + -words.placeInWeek(day)
        case .month: day + (1 - day.components.day)
        }
    }
}
