import CLibPhoneNumber

/// Parses phone numbers as people write them.
public enum PhoneNumberParser {
    private static let extensionMarkers: Set<String> = ["ext", "extn", "extension", "x", "내선", "내선번호"]

    /// The longest text to parse, in bytes of UTF-8. The library takes quadratic time: we measured 7 seconds for 32,000
    /// digits.
    private static let longestText = 250

    /// The library's code for an unknown region.
    private static let noRegion = "ZZ"

    /// Range signs: `02-123-4567~9` means three lines. The library would read an extension.
    private static let rangeSigns: Set<Unicode.Scalar> = ["~", "\u{2053}", "\u{223C}", "\u{FF5E}"]

    /// A letter to Unicode, but a dash to people who write `03ー1234ー5678`.
    private static let longVowelMark: Unicode.Scalar = "\u{30FC}"

    /// Returns the number in E.164, such as `+821000000001`, without an extension.
    ///
    /// - Parameters:
    ///   - text: The number, in digits of any script with any common separators. An extension (`ext. 12`, `x12`,
    ///     `내선 12`) or the end of a range of lines (`~9`) may follow.
    ///   - region: The country (ISO 3166, two letters) of numbers without a country code; nil to accept only numbers
    ///     with one.
    /// - Returns: nil if the text has other letters or more than 250 bytes, or if no number of its country has that
    ///   length.
    public static func e164(_ text: String, region: String?) -> String? {
        guard text.utf8.count <= longestText else { return nil }
        if let digits = plainDigits(text) { return e164(ofPlain: digits, region: region) }
        // In C, a NUL would cut the text short and leave a different number.
        guard !text.unicodeScalars.contains("\0"), let number = withoutExtension(text).flatMap(withoutRange) else {
            return nil
        }
        return e164(ofPlain: String(number), region: region)
    }

    private static func e164(ofPlain number: String, region: String?) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(cherish_phone_number_capacity)) { written in
            let isNumber = cherish_phone_number_e164(
                number, region?.uppercased() ?? noRegion, written.baseAddress, written.count)
            return isNumber ? written.baseAddress.map { String(cString: $0) } : nil
        }
    }

    /// The digits and leading plus sign of a text with only insignificant separators; nil for any other text. Stripping
    /// those separators saves a quarter of the library's matching time.
    private static func plainDigits(_ text: String) -> String? {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte)
            case UInt8(ascii: "+") where digits.isEmpty: digits.append(byte)
            case UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"), Byte.period, Byte.space: continue
            default: return nil
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The first number of a range of lines; nil unless one or two digits follow the sign: otherwise it means something
    /// else, and the library would read the rest as an extension.
    private static func withoutRange(_ text: Substring) -> Substring? {
        let scalars = text.unicodeScalars
        guard let sign = scalars.firstIndex(where: rangeSigns.contains) else { return text }
        let last = scalars[scalars.index(after: sign)...].filter { !$0.properties.isWhitespace }
        guard (1...2).contains(last.count), last.allSatisfy({ $0.properties.numericType == .decimal }) else {
            return nil
        }
        return text[..<sign]
    }

    /// The text before an extension; nil if it has other letters, which the library would convert to keypad digits.
    private static func withoutExtension(_ text: String) -> Substring? {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: isLetter) else { return text[...] }
        let end = scalars[start...].firstIndex { !isLetter($0) } ?? scalars.endIndex
        guard extensionMarkers.contains(text[start..<end].lowercased()) else { return nil }
        let afterMarker = text[end...].drop { ".:#=-".contains($0) || $0.isWhitespace }
        let digits = afterMarker.prefix(while: \.isWholeNumber)
        let rest = afterMarker[digits.endIndex...]
        guard !digits.isEmpty, rest.allSatisfy({ $0 == ")" || $0.isWhitespace }) else { return nil }
        return text[..<start]
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic && scalar != longVowelMark
    }
}
