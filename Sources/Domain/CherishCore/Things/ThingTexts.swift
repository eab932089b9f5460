/// The maximum lengths of a thing's texts, in user-perceived characters (rules 10.1 and 10.2).
extension TextLimit {
    public static let title = 100
    public static let note = 1000
    public static let category = 20
    public static let orderNumber = 60
}

/// What a thing is called: 1–100 characters, at most 100 × 64 bytes (rule 10.1).
public struct ThingTitle: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``ThingError/invalidTitle``.
    public init(_ text: String) throws(ThingError) {
        guard let tidy = TidyText.tidied(text, lengths: 1...TextLimit.title) else { throw .invalidTitle }
        description = tidy
    }

    /// Trusts a stored title, which was validated before.
    package init(stored text: String) {
        description = text
    }
}

/// What an account notes about a thing: 1–1,000 characters (rule 10.1), tidied by rule 5.2.
public struct ThingNote: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Returns: nil for blank text.
    /// - Throws: ``ThingError/noteTooLong(length:)``.
    public init?(_ text: String) throws(ThingError) {
        let tidy = TidyText.tidy(text)
        let length = TidyText.length(of: tidy)
        guard length <= TextLimit.note else { throw .noteTooLong(length: length) }
        guard !tidy.isEmpty else { return nil }
        description = tidy
    }

    package init(stored text: String) {
        description = text
    }
}

/// What sort of food a thing is, such as "dairy": 1–20 characters (rule 10.2).
public struct FoodCategory: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``ThingError/invalidCategory``.
    public init(_ text: String) throws(ThingError) {
        guard let tidy = TidyText.tidied(text, lengths: 1...TextLimit.category) else { throw .invalidCategory }
        description = tidy
    }

    package init(stored text: String) {
        description = text
    }
}

/// The number of an order at a store: 1–60 characters (rule 10.2).
public struct OrderNumber: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``ThingError/invalidOrderNumber``.
    public init(_ text: String) throws(ThingError) {
        guard let tidy = TidyText.tidied(text, lengths: 1...TextLimit.orderNumber) else { throw .invalidOrderNumber }
        description = tidy
    }

    package init(stored text: String) {
        description = text
    }
}
