/// Parses a compiled zone file (RFC 9636). Cherish needs only the offsets and the instants at which they begin.
struct TimeZoneFileReader {
    struct Contents {
        var transitions: [Int64] = []
        var offsets: [Int32] = []
        var offsetBeforeFirst: Int32 = 0
        var footer: RecurringOffset?
    }

    private struct Header {
        var isUTCCount = 0
        var isStandardCount = 0
        var leapCount = 0
        var transitionCount = 0
        var typeCount = 0
        var characterCount = 0

        func dataSize(timeSize: Int) -> Int {
            transitionCount * (timeSize + 1) + typeCount * 6 + characterCount + leapCount * (timeSize + 4)
                + isStandardCount + isUTCCount
        }
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func read() throws(TimeZoneFileError) -> Contents {
        // The first block holds 32-bit data for old readers; in version 2 and later, the 64-bit data follows.
        let old = try header()
        try skip(old.dataSize(timeSize: 4))
        let header = try header()
        let start = position
        var contents = Contents()
        for _ in 0..<header.transitionCount { contents.transitions.append(try integer(8)) }
        var types: [Int] = []
        for _ in 0..<header.transitionCount { types.append(Int(try integer(1))) }
        var offsets: [Int32] = []
        for _ in 0..<header.typeCount {
            offsets.append(Int32(truncatingIfNeeded: try integer(4)))
            try skip(2)
        }
        guard let first = offsets.first, types.allSatisfy({ offsets.indices.contains($0) }) else {
            throw TimeZoneFileError(description: "it names a kind of local time that it does not define")
        }
        contents.offsetBeforeFirst = first
        contents.offsets = types.map { offsets[$0] }
        position = start
        try skip(header.dataSize(timeSize: 8))
        contents.footer = try footer()
        return contents
    }

    private mutating func header() throws(TimeZoneFileError) -> Header {
        guard bytes.count >= position + 44, Array(bytes[position..<(position + 4)]) == Array("TZif".utf8),
            bytes[position + 4] >= UInt8(ascii: "2")
        else { throw TimeZoneFileError(description: "it is not a TZif file of version 2 or later") }
        position += 20
        var header = Header()
        header.isUTCCount = Int(try integer(4))
        header.isStandardCount = Int(try integer(4))
        header.leapCount = Int(try integer(4))
        header.transitionCount = Int(try integer(4))
        header.typeCount = Int(try integer(4))
        header.characterCount = Int(try integer(4))
        let counts = [header.leapCount, header.transitionCount, header.typeCount, header.characterCount]
        guard counts.allSatisfy({ (0...100_000).contains($0) }), (0...100_000).contains(header.isUTCCount),
            (0...100_000).contains(header.isStandardCount)
        else { throw TimeZoneFileError(description: "its counts make no sense") }
        return header
    }

    private mutating func footer() throws(TimeZoneFileError) -> RecurringOffset? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\n"),
            let end = bytes[(position + 1)...].firstIndex(of: UInt8(ascii: "\n"))
        else { throw TimeZoneFileError(description: "its footer is missing") }
        let text = bytes[(position + 1)..<end]
        if text.isEmpty { return nil }
        guard let footer = RecurringOffset(Array(text)) else {
            throw TimeZoneFileError(
                description: "its footer is not a POSIX zone: \(String(decoding: text, as: UTF8.self))")
        }
        return footer
    }

    private mutating func skip(_ count: Int) throws(TimeZoneFileError) {
        guard position + count <= bytes.count else { throw TimeZoneFileError(description: "it ends too early") }
        position += count
    }

    /// Reads a big-endian number: 1 byte unsigned, 4 or 8 bytes signed.
    private mutating func integer(_ size: Int) throws(TimeZoneFileError) -> Int64 {
        let start = position
        try skip(size)
        var value: UInt64 = 0
        for byte in bytes[start..<position] { value = value << 8 | UInt64(byte) }
        return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
}

/// The rule for a zone's offset after the last listed transition: a POSIX `TZ` string such as `EST5EDT,M3.2.0,M11.1.0`,
/// with the extensions of RFC 9636 (hours from -167 to 167).
struct RecurringOffset: Sendable {
    private enum YearDay {
        case julianWithoutLeapDay(Int)
        case zeroBased(Int)
        case weekday(month: Int, week: Int, weekday: Int)
    }

    private struct Change {
        var day: YearDay
        var second: Int

        /// Local midnight plus the rule's time, in seconds since the epoch as if local time were UTC.
        func wallSecond(year: Int) -> Int64 {
            guard let newYear = CivilDay(year: year, month: 1, day: 1) else { return 0 }
            let isLeap = CivilDay.length(ofMonth: 2, year: year) == 29
            let dayOfYear: Int
            switch day {
            case .julianWithoutLeapDay(let number):
                dayOfYear = number - 1 + (isLeap && number >= 60 ? 1 : 0)
            case .zeroBased(let number):
                dayOfYear = number
            case .weekday(let month, let week, let weekday):
                guard let first = CivilDay(year: year, month: month, day: 1) else { return 0 }
                // 1970-01-01 was a Thursday; weekday 0 is Sunday.
                let firstWeekday = (Int(first.daysSinceEpoch) + 4).floorDivided(by: 7).remainder
                var date = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
                if date >= CivilDay.length(ofMonth: month, year: year) { date -= 7 }
                dayOfYear = first - newYear + date
            }
            return Int64(Int(newYear.daysSinceEpoch) + dayOfYear) * 86_400 + Int64(second)
        }
    }

    private var standardOffset = 0
    private var daylight: (offset: Int, begin: Change, end: Change)?

    func offset(atSecond second: Int64) -> Int {
        guard let daylight else { return standardOffset }
        let localDay = (second + Int64(standardOffset)).floorDivided(by: 86_400).quotient
        let year = CivilDay(daysSinceEpoch: Int32(localDay)).components.year
        let begin = daylight.begin.wallSecond(year: year) - Int64(standardOffset)
        let end = daylight.end.wallSecond(year: year) - Int64(daylight.offset)
        let isDaylight = begin < end ? second >= begin && second < end : second >= begin || second < end
        return isDaylight ? daylight.offset : standardOffset
    }

    init?(_ text: [UInt8]) {
        var scanner = Scanner(text: text)
        guard scanner.skipName(), let standard = scanner.time() else { return nil }
        standardOffset = -standard
        if scanner.isAtEnd { return }
        guard scanner.skipName() else { return nil }
        var daylightOffset = standardOffset + 3600
        if scanner.peek != UInt8(ascii: ",") {
            guard let west = scanner.time() else { return nil }
            daylightOffset = -west
        }
        guard let begin = scanner.change(), let end = scanner.change(), scanner.isAtEnd else { return nil }
        daylight = (daylightOffset, begin, end)
    }

    private struct Scanner {
        let text: [UInt8]
        var position = 0

        init(text: [UInt8]) {
            self.text = text
        }

        var isAtEnd: Bool { position == text.count }
        var peek: UInt8? { isAtEnd ? nil : text[position] }

        mutating func take(_ character: Character) -> Bool {
            guard peek == character.asciiValue else { return false }
            position += 1
            return true
        }

        /// Skips a name: letters, or anything in angle brackets.
        mutating func skipName() -> Bool {
            let start = position
            if take("<") {
                guard let end = text[position...].firstIndex(of: UInt8(ascii: ">")) else { return false }
                position = end + 1
                return true
            }
            while let byte = peek, (65...90).contains(byte) || (97...122).contains(byte) { position += 1 }
            return position - start >= 3
        }

        /// At most four digits: enough for every number in a rule, and safe from overflow.
        mutating func integer() -> Int? {
            let digits = text[position...].prefix { (48...57).contains($0) }
            guard digits.count <= 4 else { return nil }
            position += digits.count
            return number(digits)
        }

        /// `[+-]hh[:mm[:ss]]` in seconds.
        mutating func time() -> Int? {
            let sign = take("-") ? -1 : 1
            if sign == 1 { _ = take("+") }
            guard var seconds = integer().map({ $0 * 3600 }), seconds <= 167 * 3600 else { return nil }
            for unit in [60, 1] where take(":") {
                guard let value = integer(), value < 60 else { return nil }
                seconds += value * unit
            }
            return sign * seconds
        }

        mutating func change() -> Change? {
            guard take(",") else { return nil }
            let day: YearDay
            if take("M") {
                guard let month = integer(), (1...12).contains(month), take("."), let week = integer(),
                    (1...5).contains(week), take("."), let weekday = integer(), (0...6).contains(weekday)
                else { return nil }
                day = .weekday(month: month, week: week, weekday: weekday)
            } else if take("J") {
                guard let number = integer(), (1...365).contains(number) else { return nil }
                day = .julianWithoutLeapDay(number)
            } else {
                guard let number = integer(), (0...365).contains(number) else { return nil }
                day = .zeroBased(number)
            }
            var second = 2 * 3600
            if take("/") {
                guard let time = time() else { return nil }
                second = time
            }
            return Change(day: day, second: second)
        }
    }
}
