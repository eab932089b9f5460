/// The parts of a name, for contacts without a formatted one.
struct NameParts {
    var family = ""
    var given = ""
    var additional = ""

    /// The parts in writing order; nil if all are blank.
    ///
    /// A name written only in Chinese, Japanese or Korean letters is family, additional and given name without spaces;
    /// any other is given, additional and family name.
    var formatted: String? {
        let isEastAsian = self.isEastAsian
        let parts = isEastAsian ? [family, additional, given] : [given, additional, family]
        let written = parts.map(\.trimmed).filter { !$0.isEmpty }
        return written.isEmpty ? nil : written.joined(separator: isEastAsian ? "" : " ")
    }

    /// Whether all letters are Chinese, Japanese or Korean. Emoji and other marks do not count.
    private var isEastAsian: Bool {
        let letters = (family + given + additional).unicodeScalars.filter(\.properties.isAlphabetic)
        return !letters.isEmpty && letters.allSatisfy(Self.isEastAsian)
    }

    private static func isEastAsian(_ letter: Unicode.Scalar) -> Bool {
        switch letter.value {
        // Hangul: letters, compatibility letters, extended letters A, syllables and extended letters B.
        case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF: true
        // The iteration mark of Chinese characters, then Hiragana and Katakana, also in half width.
        case 0x3005, 0x3040...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: true
        default: letter.properties.isIdeographic
        }
    }
}
