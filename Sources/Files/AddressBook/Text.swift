/// The bytes with a meaning in address books. All are ASCII, so in UTF-8 they never occur inside another character.
enum Byte {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")
    static let comma = UInt8(ascii: ",")
    static let period = UInt8(ascii: ".")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
    static let backslash = UInt8(ascii: "\\")
}

extension StringProtocol {
    /// Whether the text is empty or all white space.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }

    /// The text without leading and trailing white space.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}

extension String {
    /// The unchanged text; nil if it is blank.
    var unlessBlank: String? { isBlank ? nil : self }
}

/// Validates UTF-8 piece by piece, without keeping the bytes.
///
/// The ranges follow table 3-7 of the Unicode standard: surrogates and overlong forms are invalid.
struct UTF8Check {
    private static let continuation: ClosedRange<UInt8> = 0x80...0xBF

    private var bytesMissing = 0
    private var allowed = UTF8Check.continuation
    private var isBroken = false

    /// Whether all bytes so far are valid UTF-8 and end with a complete character.
    var isComplete: Bool { !isBroken && bytesMissing == 0 }

    /// Whether the bytes so far end inside a character.
    var isInsideCharacter: Bool { bytesMissing > 0 }

    mutating func check(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBufferPointer { bytes in
            // Most files are mostly ASCII.
            if bytesMissing == 0, bytes.allSatisfy({ $0 < 0x80 }) { return }
            for byte in bytes { check(byte) }
        }
    }

    private mutating func check(_ byte: UInt8) {
        if bytesMissing == 0 {
            begin(byte)
        } else if allowed.contains(byte) {
            bytesMissing -= 1
            allowed = Self.continuation
        } else {
            isBroken = true
        }
    }

    private mutating func begin(_ byte: UInt8) {
        switch byte {
        case 0x00...0x7F: break
        case 0xC2...0xDF: expect(1, Self.continuation)
        case 0xE0: expect(2, 0xA0...0xBF)
        case 0xED: expect(2, 0x80...0x9F)
        case 0xE1...0xEF: expect(2, Self.continuation)
        case 0xF0: expect(3, 0x90...0xBF)
        case 0xF1...0xF3: expect(3, Self.continuation)
        case 0xF4: expect(3, 0x80...0x8F)
        default: isBroken = true
        }
    }

    private mutating func expect(_ count: Int, _ next: ClosedRange<UInt8>) {
        bytesMissing = count
        allowed = next
    }
}
