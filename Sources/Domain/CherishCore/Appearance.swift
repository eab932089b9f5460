/// How an account's apps look: an object in JSON that they own, the same on every device (rule 12.6).
public struct Appearance: Hashable, Sendable {
    public static let empty = Appearance(stored: "{}")
    /// In UTF-8.
    public static let mostBytes = 8_192

    /// The object as JSON. The database spells it in its own way.
    public let json: String

    /// - Parameter object: an object in JSON.
    /// - Throws: ``CareError/invalidAppearance``.
    public init(object: String) throws(CareError) {
        guard object.utf8.first == UInt8(ascii: "{"), object.utf8.count <= Self.mostBytes else {
            throw .invalidAppearance
        }
        json = object
    }

    /// Trusts a stored object, which was validated before.
    package init(stored json: String) {
        self.json = json
    }
}

/// Where an account lives: 1–10 letters, digits, blanks and hyphens (rule 12.6).
public struct Postcode: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``CareError/invalidPostcode``.
    public init(_ text: String) throws(CareError) {
        // As they are written on letters, and found in catalogues.
        guard let tidy = TidyText.tidied(text.uppercased(), lengths: 1...10), tidy.utf8.count <= 40,
            tidy.allSatisfy({ $0 == " " || $0 == "-" || $0.isLetter || $0.isNumber })
        else { throw .invalidPostcode }
        description = tidy
    }

    /// Trusts a stored postcode, which was validated before.
    package init(stored text: String) {
        description = text
    }
}
