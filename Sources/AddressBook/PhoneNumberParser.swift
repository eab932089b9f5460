import CLibPhoneNumber

/// Phone numbers as people write them.
public enum PhoneNumberParser {
    private static let extensionMarkers: Set<String> = ["ext", "extn", "extension", "x", "내선", "내선번호"]

    /// The longest text that is looked at, in bytes of UTF-8. The library's time grows with the square of the length:
    /// measured, 7 seconds for 32,000 digits.
    private static let longestText = 250

    /// What the library calls an unknown region.
    private static let noRegion = "ZZ"

    /// The number in E.164, such as `+821000000001`, without an extension.
    ///
    /// - Parameters:
    ///   - text: The number, in digits of any script, with any of the usual separators. An extension may follow: `ext. 12`,
    ///     `x12`, `내선 12`.
    ///   - region: The country (ISO 3166, two letters) whose numbers may be written without a country code; nil when only
    ///     numbers with a country code are read.
    /// - Returns: nil when the text has other letters, more than 250 bytes, or a length that no number of its country has.
    public static func e164(_ text: String, region: String?) -> String? {
        guard text.utf8.count <= longestText else { return nil }
        // A NUL would cut the text short on its way to C, and leave a number that is not the one written.
        guard !text.unicodeScalars.contains("\0"), let number = withoutExtension(text) else { return nil }
        let capacity = Int(cherish_phone_number_capacity)
        var written = [CChar](repeating: 0, count: capacity)
        let regionCode = region?.uppercased() ?? noRegion
        guard cherish_phone_number_e164(String(number), regionCode, &written, capacity) else { return nil }
        let digits = written.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The text in front of an extension; nil when there are other letters. Left in, letters would be dialled as on a keypad.
    private static func withoutExtension(_ text: String) -> Substring? {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: \.properties.isAlphabetic) else { return text[...] }
        let end = scalars[start...].firstIndex { !$0.properties.isAlphabetic } ?? scalars.endIndex
        guard extensionMarkers.contains(text[start..<end].lowercased()) else { return nil }
        let afterMarker = text[end...].drop { ".:#=-".contains($0) || $0.isWhitespace }
        let digits = afterMarker.prefix(while: \.isWholeNumber)
        let rest = afterMarker[digits.endIndex...]
        guard !digits.isEmpty, rest.allSatisfy({ $0 == ")" || $0.isWhitespace }) else { return nil }
        return text[..<start]
    }
}
