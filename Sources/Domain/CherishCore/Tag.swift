/// A label under which an account groups friends, such as "family" (rule 9).
public struct Tag: Hashable, Sendable {
    public typealias ID = Identifier<Tag>

    /// The maximum number of tags per account.
    public static let maximumPerAccount = 100
    /// The maximum number of tags per friend.
    public static let maximumPerFriend = 10

    public let id: ID
    public var name: TagName
    public var colour: TagColour
    /// The default cycle for friends added under this tag; nil if the tag sets none.
    public var cycle: Cycle?
    /// Grows with each change (rule 14.1), from 1.
    public var version: Int

    public init(id: ID, name: TagName, colour: TagColour, cycle: Cycle?, version: Int = 1) {
        self.id = id
        self.name = name
        self.colour = colour
        self.cycle = cycle
        self.version = version
    }

    /// The default cycle of a friend with these tags: the shortest of theirs, because a friend who is both family and a
    /// colleague is contacted as often as family (rule 9.4). nil if none has a cycle.
    public static func defaultCycle(of tags: some Sequence<Tag>) -> Cycle? {
        tags.compactMap(\.cycle).min { $0.days < $1.days }
    }
}

/// The name of a tag: 1–20 characters, unique within its account regardless of case (rule 9.1).
public struct TagName: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``CareError/invalidTag(_:)``.
    public init(_ text: String) throws(CareError) {
        guard let tidy = TidyText.tidied(text, lengths: 1...TextLimit.tag) else { throw .invalidTag(text) }
        self.description = tidy
    }

    /// Trusts a stored name, which was validated before.
    package init(stored text: String) {
        description = text
    }

    /// The form that must be unique within an account.
    public var key: String { description.lowercased() }

    public static func == (left: TagName, right: TagName) -> Bool { left.key == right.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// Orders by the Unicode scalars of the keys.
    public static func < (left: TagName, right: TagName) -> Bool {
        left.key.unicodeScalars.lexicographicallyPrecedes(right.key.unicodeScalars)
    }
}

/// The colour of a tag: red, green, and blue, 8 bits each (rule 9.2).
public struct TagColour: Hashable, Sendable, CustomStringConvertible {
    /// Red in the highest of three bytes, then green and blue: 0–0xFFFFFF.
    public let rgb: UInt32

    /// Eight colours that are distinguishable on both white and black.
    private static let palette: [UInt32] = [
        0xC2452D, 0xD98E04, 0x7A8B1E, 0x2E8B57, 0x1F8A9E, 0x3B6FC9, 0x7D55B8, 0xB4478A,
    ]

    /// Each 0–255.
    public var components: (red: UInt8, green: UInt8, blue: UInt8) {
        (UInt8(rgb >> 16 & 0xFF), UInt8(rgb >> 8 & 0xFF), UInt8(rgb & 0xFF))
    }

    /// Trusts a stored colour, which was validated before.
    package init(rgb: UInt32) {
        self.rgb = rgb
    }

    /// Parses `#3b6fc9`.
    ///
    /// - Throws: ``CareError/invalidColour(_:)`` for anything else.
    public init(_ text: String) throws(CareError) {
        let digits = text.dropFirst()
        guard text.utf8.count == 7, text.hasPrefix("#"), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let rgb = UInt32(digits, radix: 16)
        else { throw .invalidColour(text) }
        self.rgb = rgb
    }

    /// The default colour of a tag: one of eight, chosen by its name (FNV-1a of the key), so that it is the same
    /// everywhere.
    public init(for name: TagName) {
        let hash = name.key.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        rgb = TagColour.palette[Int(hash % UInt32(TagColour.palette.count))]
    }

    /// `#3b6fc9`.
    public var description: String {
        let digits = String(rgb, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
