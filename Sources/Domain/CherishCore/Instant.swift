/// A moment in time: whole microseconds since 1970-01-01T00:00:00Z, the resolution of PostgreSQL's `timestamptz`.
///
/// All day arithmetic uses ``CivilDay``; an instant only says when something happened or will happen.
public struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since the Unix epoch, negative before it.
    public var microsecondsSinceEpoch: Int64

    public init(microsecondsSinceEpoch: Int64) {
        self.microsecondsSinceEpoch = microsecondsSinceEpoch
    }

    public init(secondsSinceEpoch: Int64) {
        self.microsecondsSinceEpoch = secondsSinceEpoch * 1_000_000
    }

    /// Whole seconds since the Unix epoch, rounded down.
    public var secondsSinceEpoch: Int64 {
        microsecondsSinceEpoch.floorDivided(by: 1_000_000).quotient
    }

    public static func < (left: Instant, right: Instant) -> Bool {
        left.microsecondsSinceEpoch < right.microsecondsSinceEpoch
    }

    /// The instant this many microseconds later, or earlier if negative.
    public func adding(microseconds: Int64) -> Instant {
        Instant(microsecondsSinceEpoch: microsecondsSinceEpoch + microseconds)
    }

    /// The time from this instant to another; negative if that one is earlier.
    public func duration(to other: Instant) -> Duration {
        .microseconds(other.microsecondsSinceEpoch - microsecondsSinceEpoch)
    }

    /// The instant this many minutes of elapsed time later.
    public func adding(minutes: Int) -> Instant {
        adding(microseconds: Int64(minutes) * 60_000_000)
    }

    /// The instant this many hours of elapsed time later, regardless of clock changes.
    public func adding(hours: Int) -> Instant {
        adding(minutes: hours * 60)
    }
}

extension Instant {
    /// Parses RFC 3339 with a zone: `2027-03-02T08:59:00+09:00`, `2027-03-01T23:59:00Z`. nil for anything else, and for
    /// years outside 1 to 9999 in UTC, because ``description`` could not round-trip those.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, let day = CivilDay(String(text.prefix(10))),
            bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t") || bytes[10] == UInt8(ascii: " "),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var position = 19
        var microseconds: Int64 = 0
        if bytes[position] == UInt8(ascii: ".") {
            let digits = bytes[(position + 1)...].prefix { (48...57).contains($0) }
            guard !digits.isEmpty, let fraction = number(digits.prefix(6)) else { return nil }
            microseconds = (0..<(6 - min(6, digits.count))).reduce(Int64(fraction)) { value, _ in value * 10 }
            position += 1 + digits.count
        }
        guard let offset = Instant.zoneOffset(bytes[position...]) else { return nil }
        let seconds = Int64(day.daysSinceEpoch) * 86_400 + Int64(hour * 3600 + minute * 60 + second) - Int64(offset)
        let dayInUTC = CivilDay(daysSinceEpoch: Int32(seconds.floorDivided(by: 86_400).quotient))
        guard (1...9999).contains(dayInUTC.components.year) else { return nil }
        self.init(microsecondsSinceEpoch: seconds * 1_000_000 + microseconds)
    }

    private static func zoneOffset(_ bytes: ArraySlice<UInt8>) -> Int? {
        let zone = Array(bytes)
        if zone == [UInt8(ascii: "Z")] || zone == [UInt8(ascii: "z")] { return 0 }
        guard zone.count == 6, zone[0] == UInt8(ascii: "+") || zone[0] == UInt8(ascii: "-"),
            zone[3] == UInt8(ascii: ":"), let hour = number(zone[1...2]), let minute = number(zone[4...5]),
            hour < 24, minute < 60
        else { return nil }
        return (hour * 3600 + minute * 60) * (zone[0] == UInt8(ascii: "-") ? -1 : 1)
    }
}

extension BinaryInteger {
    /// Division that rounds towards negative infinity, so that days and seconds before 1970 are correct.
    func floorDivided(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// A number with leading zeros.
func padded(_ value: some BinaryInteger, to width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// The value of ASCII digits; nil if there are none, on any other byte, and on overflow.
func number(_ digits: some Sequence<UInt8>) -> Int? {
    var value: Int?
    for digit in digits {
        guard (48...57).contains(digit) else { return nil }
        let (shifted, overflow) = (value ?? 0).multipliedReportingOverflow(by: 10)
        let (sum, sumOverflow) = shifted.addingReportingOverflow(Int(digit - 48))
        if overflow || sumOverflow { return nil }
        value = sum
    }
    return value
}
