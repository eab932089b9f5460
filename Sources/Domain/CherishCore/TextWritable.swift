/// A value whose text is written straight as UTF-8: formatting by interpolation costs many times as much, and pushes
/// hold several ids, days and instants each.
public protocol TextWritable: CustomStringConvertible {
    /// Appends the value's description.
    func write(to bytes: inout [UInt8])
}

extension TextWritable {
    public var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The lower-case hexadecimal digit of a number below 16, in ASCII.
    package init(hexadecimalDigitOf value: UInt8) {
        self = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Whether it is a hexadecimal digit in ASCII, of either case.
    package var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension [UInt8] {
    /// Appends an integer in decimal digits, with leading zeros up to a width.
    package mutating func append(decimal number: Int, width: Int = 1) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let start = count
        repeat {
            append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0 || count - start < width
        self[start...].reverse()
    }

    /// Appends a mark, and a number from 0 to 99 as two digits.
    fileprivate mutating func append(_ mark: Unicode.Scalar, twoDigits number: Int) {
        append(UInt8(ascii: mark))
        append(UInt8(ascii: "0") + UInt8(number / 10))
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}

extension Identifier: TextWritable {
    /// The UUID in lower-case hexadecimal.
    public func write(to bytes: inout [UInt8]) {
        // Each append to the array checks whether it is shared and has room, so the 36 are appended at once.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { text in
            var position = 0
            func write(_ octet: UInt8) {
                text[position] = octet
                position += 1
            }
            withUnsafeBytes(of: uuid.uuid) { octets in
                for (place, octet) in octets.enumerated() {
                    if place == 4 || place == 6 || place == 8 || place == 10 { write(UInt8(ascii: "-")) }
                    write(UInt8(hexadecimalDigitOf: octet >> 4))
                    write(UInt8(hexadecimalDigitOf: octet & 0xF))
                }
            }
            bytes.append(contentsOf: text)
        }
    }
}

extension CivilDay: TextWritable {
    /// `2027-03-02`.
    public func write(to bytes: inout [UInt8]) {
        let (year, month, day) = components
        bytes.append(decimal: year, width: 4)
        bytes.append("-", twoDigits: month)
        bytes.append("-", twoDigits: day)
    }
}

extension Instant: TextWritable {
    /// RFC 3339 in UTC with as many fractional digits as needed: `2027-03-02T00:00:00Z`.
    public func write(to bytes: inout [UInt8]) {
        let (seconds, microseconds) = microsecondsSinceEpoch.floorDivided(by: 1_000_000)
        let (days, secondOfDay) = seconds.floorDivided(by: 86_400)
        CivilDay(daysSinceEpoch: Int32(days)).write(to: &bytes)
        bytes.append("T", twoDigits: Int(secondOfDay / 3600))
        bytes.append(":", twoDigits: Int(secondOfDay / 60 % 60))
        bytes.append(":", twoDigits: Int(secondOfDay % 60))
        if microseconds > 0 {
            bytes.append(UInt8(ascii: "."))
            bytes.append(decimal: Int(microseconds), width: 6)
            while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        }
        bytes.append(UInt8(ascii: "Z"))
    }
}
