/// The maximum lengths of a list's texts, in user-perceived characters (rule 11.1).
extension TextLimit {
    public static let entryName = 60
    public static let entryQuantity = 20
    public static let deliveryNote = 300
    public static let listReport = 500
}

/// What to buy: 1–60 characters (rule 11.1).
public struct EntryName: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``ShoppingListError/invalidEntry``.
    public init(_ text: String) throws(ShoppingListError) {
        guard let tidy = TidyText.tidied(text, lengths: 1...TextLimit.entryName) else { throw .invalidEntry }
        description = tidy
    }

    /// Trusts a stored name, which was validated before.
    package init(stored text: String) {
        description = text
    }
}

/// How much of it, in the owner's words: 1–20 characters (rule 11.1).
public struct EntryQuantity: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Returns: nil for blank text.
    /// - Throws: ``ShoppingListError/invalidQuantity``.
    public init?(_ text: String) throws(ShoppingListError) {
        if TidyText.tidy(text).isEmpty { return nil }
        guard let tidy = TidyText.tidied(text, lengths: 1...TextLimit.entryQuantity) else { throw .invalidQuantity }
        description = tidy
    }

    /// Trusts a stored quantity, which was validated before.
    package init(stored text: String) {
        description = text
    }
}

/// Where to leave the shopping: 1–300 characters (rule 11.1), tidied by rule 5.2.
public struct DeliveryNote: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Returns: nil for blank text.
    /// - Throws: ``ShoppingListError/deliveryNoteTooLong(length:)``.
    public init?(_ text: String) throws(ShoppingListError) {
        let tidy = TidyText.tidy(text)
        let length = TidyText.length(of: tidy)
        guard length <= TextLimit.deliveryNote else { throw .deliveryNoteTooLong(length: length) }
        guard !tidy.isEmpty else { return nil }
        description = tidy
    }

    /// Trusts a stored note, which was validated before.
    package init(stored text: String) {
        description = text
    }
}

/// How content an owner was with a helper: 1–5 (rule 11.6).
public struct HelperRating: Hashable, Sendable {
    public static let range = 1...5

    public let points: Int

    /// - Throws: ``ShoppingListError/invalidRating(_:)``.
    public init(points: Int) throws(ShoppingListError) {
        guard Self.range.contains(points) else { throw .invalidRating(points) }
        self.points = points
    }
}

/// What somebody tells the operator about a list: 1–500 characters.
public struct ListReportText: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``ShoppingListError/invalidReport``.
    public init(_ text: String) throws(ShoppingListError) {
        let tidy = TidyText.tidy(text)
        guard (1...TextLimit.listReport).contains(TidyText.length(of: tidy)) else { throw .invalidReport }
        description = tidy
    }
}
