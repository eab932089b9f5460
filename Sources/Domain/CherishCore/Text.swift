@_spi(_Unicode) import Swift

/// The maximum lengths of texts, in user-perceived characters (rules 1.5 and 5.1).
public enum TextLimit {
    public static let name = 50
    public static let nickname = 20
    public static let keyword = 5
    public static let memo = 100
    /// Rule 9.1.
    public static let tag = 20
    /// The maximum number of UTF-8 bytes per allowed character (rule 1.5). The longest character in everyday use, a
    /// family emoji with four skin tones, has 41 bytes; but a single letter may carry any number of combining marks.
    public static let bytesPerCharacter = 64
}

/// Text as rule 5.2 stores it: in NFC, trimmed, with inner white space folded to single spaces.
///
/// Length is counted in Swift's `Character`, the extended grapheme cluster of rule 5.2.
enum TidyText {
    /// Fast path: the length of text that is already tidy and holds only ASCII and Hangul syllables, one character
    /// each. nil if it needs the full check. Most names qualify, and an import has many.
    static func plainLength(_ text: String) -> Int? {
        var text = text
        return text.withUTF8 { bytes in
            var (position, length) = (0, 0)
            while position < bytes.count {
                switch bytes[position] {
                case 0x21...0x7E: position += 1
                case 0x20:
                    guard position > 0, position + 1 < bytes.count, bytes[position + 1] != 0x20 else { return nil }
                    position += 1
                case 0xEA...0xED:
                    guard isHangulSyllable(bytes[position], bytes[position + 1], bytes[position + 2]) else {
                        return nil
                    }
                    position += 3
                default: return nil
                }
                length += 1
            }
            return length
        }
    }

    /// Whether three bytes of UTF-8 encode one of U+AC00–U+D7A3.
    private static func isHangulSyllable(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        switch first {
        case 0xEA: second >= 0xB0
        case 0xED: second < 0x9E || (second == 0x9E && third <= 0xA3)
        default: true
        }
    }

    /// The length of tidy text: its characters, or its bytes divided by ``TextLimit/bytesPerCharacter`` and rounded up,
    /// whichever is more.
    static func length(of text: String) -> Int {
        let worth = (text.utf8.count + TextLimit.bytesPerCharacter - 1) / TextLimit.bytesPerCharacter
        return max(text.count, worth)
    }

    /// Tidies text; nil if it has invalid characters, a character count outside `lengths`, or more than
    /// ``TextLimit/bytesPerCharacter`` bytes for each allowed character.
    static func tidied(_ text: String, lengths: ClosedRange<Int>) -> String? {
        // A plain character has at most three bytes, so the byte limit holds.
        if let length = plainLength(text) { return lengths.contains(length) ? text : nil }
        let tidy = tidy(text)
        let hasRoom = tidy.utf8.count <= lengths.upperBound * TextLimit.bytesPerCharacter
        return hasRoom && !hasControlCharacter(text) && lengths.contains(tidy.count) ? tidy : nil
    }

    /// A prefix of tidy text: at most `length` characters, within the byte limit for that many. If that would be blank,
    /// it begins at the first visible character instead, so only blank text has a blank prefix.
    static func beginning(of text: String, length: Int) -> String {
        let first = tidy(cut(text, to: length))
        if !first.isEmpty { return first }
        return tidy(cut(String(text.unicodeScalars.drop(while: showsNothing)), to: length))
    }

    private static func cut(_ text: String, to length: Int) -> String {
        var bytesLeft = length * TextLimit.bytesPerCharacter
        let scalars = text.prefix(length).unicodeScalars.prefix { scalar in
            bytesLeft -= UTF8.width(scalar)
            return bytesLeft >= 0
        }
        return String(scalars)
    }

    /// Tidies text. Control characters and line breaks count as white space; invisible characters are dropped, and text
    /// without any visible character becomes empty.
    static func tidy(_ text: String) -> String {
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.filter { !isDropped($0) }))
        var folded = String.UnicodeScalarView()
        var pendingSpace = false
        for scalar in shown.precomposedScalars {
            if isBlank(scalar) {
                pendingSpace = !folded.isEmpty
            } else {
                if pendingSpace { folded.append(" ") }
                pendingSpace = false
                folded.append(scalar)
            }
        }
        return folded.allSatisfy(showsNothing) ? "" : String(folded)
    }

    /// Whether this scalar is invisible; tidy text of only such scalars is blank.
    private static func showsNothing(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar.properties.isDefaultIgnorableCodePoint
    }

    /// Whether text contains characters that no name may have: control characters other than white space, or U+FFFD,
    /// which replaces invalid bytes.
    static func hasControlCharacter(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            scalar == "\u{FFFD}" || (scalar.properties.generalCategory == .control && !scalar.properties.isWhitespace)
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }

    /// Whether to drop a scalar. Default-ignorable code points are invisible; those that shape their neighbours are
    /// kept: joiners and variation selectors (family emoji, ❤️), tags (regional flags), and the fillers of old Hangul.
    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.value {
        case 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0020...0xE007F, 0x115F, 0x1160: return false
        default: return true
        }
    }
}

/// A contact's name in the address book: 1–50 characters, at most 50 × 64 bytes (rule 1.5).
public struct ContactName: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``CareError/invalidName``.
    public init(_ text: String) throws(CareError) {
        guard let tidy = TidyText.tidied(text, lengths: 1...TextLimit.name) else { throw .invalidName }
        self.description = tidy
    }

    /// Trusts a stored name, which was validated before.
    package init(stored text: String) {
        description = text
    }
}

/// What an account calls a friend, or itself: 1–20 characters, at most 20 × 64 bytes (rule 1.5).
public struct Nickname: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``CareError/invalidNickname``.
    public init(_ text: String) throws(CareError) {
        guard let tidy = TidyText.tidied(text, lengths: 1...TextLimit.nickname) else { throw .invalidNickname }
        self.description = tidy
    }

    /// Trusts a stored nickname, which was validated before.
    package init(stored text: String) {
        description = text
    }

    /// The first 20 characters of a name, never blank (rule 1.5).
    public init(_ name: ContactName) {
        // Most names are short enough to need no counting.
        let isShort = name.description.utf8.count <= TextLimit.nickname
        description =
            isShort ? name.description : TidyText.beginning(of: name.description, length: TextLimit.nickname)
    }

    /// Uses the first 20 characters of the name if the nickname is blank (rule 1.5).
    ///
    /// - Throws: ``CareError/invalidNickname``.
    public init(_ text: String?, for name: ContactName) throws(CareError) {
        if let text, TidyText.plainLength(text).map({ $0 > 0 }) ?? !TidyText.tidy(text).isEmpty {
            try self.init(text)
        } else {
            self.init(name)
        }
    }

    /// Orders by Unicode scalars, like PostgreSQL's collation `C`.
    public static func < (left: Nickname, right: Nickname) -> Bool {
        left.description.unicodeScalars.lexicographicallyPrecedes(right.description.unicodeScalars)
    }
}

/// A phone number in E.164: `+`, then 5 to 15 digits, the first of which is not 0 (rule 1.5).
public struct PhoneNumber: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``CareError/invalidPhone(_:)`` for anything not already in E.164. The module `AddressBook` parses
    ///   numbers as people write them.
    public init(e164 text: String) throws(CareError) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), (5...15).contains(digits.count),
            digits.allSatisfy({ (48...57).contains($0) }), digits.first != UInt8(ascii: "0")
        else { throw .invalidPhone(text) }
        self.description = text
    }
}

/// An e-mail address, compared without regard to case (rule 8.5).
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    /// As the account entered it, in NFC.
    public let description: String

    /// The form that must be unique.
    public var key: String { description.lowercased() }

    /// Accepts addresses that are deliverable in practice: one `@`, a local part of 1–64 bytes, a domain with a dot, no
    /// white space or control characters, at most 254 bytes (RFC 5321).
    ///
    /// - Throws: ``CareError/invalidEmail(_:)``.
    public init(_ text: String) throws(CareError) {
        let address = TidyText.tidy(text)
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count), address.utf8.count <= 254,
            !TidyText.hasControlCharacter(text),
            !address.contains(where: { $0.isWhitespace || "<>()[],;:\"\\".contains($0) })
        else { throw .invalidEmail(text) }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ EmailAddress.isLabel($0) }), !parts[0].hasPrefix("."),
            !parts[0].hasSuffix("."), !parts[0].contains("..")
        else { throw .invalidEmail(text) }
        self.description = address
    }

    /// Trusts a stored address, which was validated before.
    package init(stored text: String) {
        description = text
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
    }

    public static func == (left: EmailAddress, right: EmailAddress) -> Bool {
        left.key == right.key
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
    }
}

extension String {
    /// The Unicode scalars of the text in NFC.
    ///
    /// Uses the standard library, whose string comparison relies on the same normalization. Foundation produces wrong
    /// letters for old Hangul (U+1113 and U+1165) and for letters with marks beyond U+FFFF, and even scalars that UTF-8
    /// cannot encode.
    ///
    /// `_nfc` is underscored. If a later toolchain removes it, this file stops compiling; if one changes it,
    /// `NormalizationContractTests` fails.
    var precomposedScalars: String.UnicodeScalarView {
        String.UnicodeScalarView(_nfc)
    }
}
