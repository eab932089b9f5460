/// A password that rule 12.2 accepts, in NFC: 8–128 characters, at most 1,024 bytes of UTF-8, with a digit and a
/// special character.
///
/// It is not `Equatable`, and shows its text nowhere: what is compared is the tag that Argon2id makes of ``bytes``.
public struct Password: Sendable {
    /// In Swift's `Character`, the extended grapheme cluster (rule 12.2).
    public static let lengths = 8...128
    /// In UTF-8 and NFC. One character may carry any number of combining marks, so rule 12.2 needs a second limit.
    public static let maximumBytes = 1_024
    /// No text with more bytes is looked at. Normalization shortens Hangul to a third, and no text that fits into
    /// ``maximumBytes`` was longer than this in a usual form.
    static let maximumBytesGiven = 4 * maximumBytes

    /// The UTF-8 of the password in NFC, for hashing: however a keyboard composes é or 한, the bytes are the same.
    public let bytes: [UInt8]

    /// Accepts a new password. White space counts as it is, also at both ends.
    ///
    /// - Throws: ``PeopleError/weakPassword(_:)`` with the first reason of: too long (in bytes), a control character,
    ///   too short, too long, no digit (of any script), no special character (neither letter nor digit nor white
    ///   space), the person's name, too common (rule 12.2).
    public init(_ text: String, for person: PersonNames) throws(PeopleError) {
        guard let normalized = Password.normalized(text) else { throw .weakPassword(.tooLong) }
        guard !Password.hasControlCharacter(normalized) else { throw .weakPassword(.controlCharacter) }
        let length = normalized.count
        guard length >= Password.lengths.lowerBound else { throw .weakPassword(.tooShort) }
        guard length <= Password.lengths.upperBound else { throw .weakPassword(.tooLong) }
        let folded = FoldedPassword(normalized)
        guard folded.has(.digit) else { throw .weakPassword(.noDigit) }
        guard folded.has(.special) else { throw .weakPassword(.noSpecial) }
        guard !folded.containsName(of: person) else { throw .weakPassword(.containsName) }
        guard !folded.isCommon else { throw .weakPassword(.common) }
        bytes = Array(normalized.utf8)
    }

    /// The bytes of a password that somebody gives to sign in, which must be compared even if newer rules would refuse
    /// it. nil for more than ``maximumBytes``, which never was a password.
    public static func bytesToVerify(_ text: String) -> [UInt8]? {
        normalized(text).map { Array($0.utf8) }
    }

    /// The text in NFC; nil for more than ``maximumBytes``.
    private static func normalized(_ text: String) -> String? {
        guard text.utf8.count <= maximumBytesGiven else { return nil }
        let normalized = String(text.precomposedScalars)
        return normalized.utf8.count <= maximumBytes ? normalized : nil
    }

    /// Whether text has any control character, or U+FFFD: invalid bytes would all be one password.
    static func hasControlCharacter(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0 == "\u{FFFD}" || $0.properties.generalCategory == .control }
    }
}

// Neither logs nor messages may show a password.
extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a password" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// What a password may not contain: how its person is called (rule 12.2).
public struct PersonNames: Hashable, Sendable {
    /// The e-mail address; nil if the account has none.
    public let email: String?
    /// What the account calls itself; nil if it is not known yet.
    public let nickname: String?

    public init(email: String? = nil, nickname: String? = nil) {
        self.email = email
        self.nickname = nickname
    }

    /// The whole address, its part before the `@`, and the nickname, folded. Parts of fewer than 3 characters are left
    /// out, since too many passwords contain them by chance; so are parts that are longer than any password.
    var folded: [FoldedPassword] {
        let local = email.flatMap { email in email.lastIndex(of: "@").map { String(email[..<$0]) } }
        return [email, local, nickname].compactMap { text in
            guard let text, text.utf8.count <= Password.maximumBytesGiven else { return nil }
            let normalized = String(text.precomposedScalars)
            guard normalized.utf8.count <= Password.maximumBytes,
                (3...Password.lengths.upperBound).contains(normalized.count)
            else { return nil }
            let folded = FoldedPassword(normalized)
            return folded.symbols.isEmpty ? nil : folded
        }
    }
}

/// A password without what does not hinder somebody who guesses: in lower case, with full-width forms as ASCII, all
/// digits as 0–9, and without combining marks and invisible characters.
struct FoldedPassword {
    /// The class of characters that a symbol belongs to.
    enum Class {
        case digit, small, capital, syllable, letter, special, space
    }

    struct Symbol {
        /// In lower case.
        let scalar: UInt32
        let kind: Class

        /// Whether a disguise may surround a word with it.
        var isDecoration: Bool { kind == .digit || kind == .special || kind == .space }
    }

    let symbols: [Symbol]

    /// - Parameter text: In NFC.
    init(_ text: String) {
        symbols = text.unicodeScalars.compactMap(FoldedPassword.symbol)
    }

    /// Whether a symbol belongs to a class.
    func has(_ kind: Class) -> Bool {
        symbols.contains { $0.kind == kind }
    }

    /// Whether it contains a part of an e-mail address, or a nickname (rule 12.2).
    func containsName(of person: PersonNames) -> Bool {
        let scalars = symbols.map(\.scalar)
        return person.folded.contains { name in
            let name = name.symbols.map(\.scalar)
            return scalars.indices.contains { scalars[$0...].starts(with: name) }
        }
    }

    /// Whether it is one of the most common passwords, also with digits and special characters around it, or with
    /// signs for letters, as in `p@ssw0rd` (rule 12.2).
    var isCommon: Bool {
        guard let first = symbols.firstIndex(where: { !$0.isDecoration }),
            let last = symbols.lastIndex(where: { !$0.isDecoration })
        else { return isCommonNumber }
        // A word that begins earlier ends before the last letter.
        let earliest = max(0, last + 1 - CommonPasswords.tree.longest)
        guard earliest <= first else { return false }
        var walk = WordWalk(CommonPasswords.tree, symbols)
        return (earliest...first).contains { start in
            walk.begin(at: start)
            return walk.matches.contains { $0.isWhole && $0.end > last }
        }
    }

    /// Without letters, nothing is left when digits are taken away: only special characters are, as in `1234-5678!`.
    private var isCommonNumber: Bool {
        [symbols, symbols.filter { $0.kind == .digit }].contains { CommonPasswords.tree.contains($0.map(\.scalar)) }
    }

    private static func symbol(of scalar: Unicode.Scalar) -> Symbol? {
        switch scalar.value {
        case 0x61...0x7A: Symbol(scalar: scalar.value, kind: .small)
        case 0x41...0x5A: Symbol(scalar: scalar.value + 0x20, kind: .capital)
        case 0x30...0x39: Symbol(scalar: scalar.value, kind: .digit)
        case 0x20: Symbol(scalar: scalar.value, kind: .space)
        case 0x21...0x7E: Symbol(scalar: scalar.value, kind: .special)
        case 0xAC00...0xD7A3: Symbol(scalar: scalar.value, kind: .syllable)
        // The full-width forms of U+0021–U+007E.
        case 0xFF01...0xFF5E: Unicode.Scalar(scalar.value - 0xFEE0).flatMap(symbol)
        default: rareSymbol(of: scalar)
        }
    }

    private static func rareSymbol(of scalar: Unicode.Scalar) -> Symbol? {
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint { return nil }
        switch properties.generalCategory {
        case .control, .nonspacingMark, .enclosingMark: return nil
        case .decimalNumber:
            return Symbol(scalar: 0x30 + UInt32(properties.numericValue ?? 0), kind: .digit)
        default: break
        }
        if properties.isWhitespace { return Symbol(scalar: 0x20, kind: .space) }
        guard properties.isAlphabetic else { return Symbol(scalar: scalar.value, kind: .special) }
        guard properties.isCased else { return Symbol(scalar: scalar.value, kind: .letter) }
        guard properties.changesWhenLowercased else { return Symbol(scalar: scalar.value, kind: .small) }
        // A mapping to several scalars adds marks: İ.
        let lowered = properties.lowercaseMapping.unicodeScalars.first ?? scalar
        return Symbol(scalar: lowered.value, kind: .capital)
    }
}
