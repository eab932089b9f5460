/// What a phone number's labels say about it.
struct PhoneTraits: OptionSet {
    static let mobile = PhoneTraits(rawValue: 1)
    static let preferred = PhoneTraits(rawValue: 2)
    /// A fax machine or pager: nobody answers there.
    static let unreachable = PhoneTraits(rawValue: 4)

    private static let mobileWords = ["cell", "mobile", "iphone", "휴대"]
    private static let unreachableWords = ["fax", "pager", "팩스", "호출기"]

    let rawValue: Int

    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Parses one label.
    ///
    /// - Parameter label: A vCard type, or the label in a table: `CELL`, `pref`, `Work Fax`, `* Mobile`.
    init(label: String) {
        let label = label.lowercased()
        self = []
        if Self.hasWord(Self.mobileWords, in: label) { insert(.mobile) }
        // Google marks the preferred number with a star before its label.
        if label == "pref" || label.hasPrefix("*") { insert(.preferred) }
        if Self.hasWord(Self.unreachableWords, in: label) { insert(.unreachable) }
    }

    private static func hasWord(_ words: [String], in label: String) -> Bool {
        words.contains { label.contains($0) }
    }
}

/// The phone numbers of one contact, ranked by how likely they reach the person.
struct PhoneList {
    /// Preferred mobiles, other mobiles, other preferred numbers, the rest.
    private var ranks: [[String]] = [[], [], [], []]
    private var count = 0

    /// All numbers, best first; within a rank in insertion order.
    var bestFirst: [String] { ranks.flatMap { $0 } }

    /// Adds a number, unless it is blank, belongs to a fax machine or pager, or exceeds the limit.
    mutating func add(_ number: String, traits: PhoneTraits) {
        guard count < ContactCard.mostPhones, !traits.contains(.unreachable), !number.isBlank else { return }
        ranks[(traits.contains(.mobile) ? 0 : 2) + (traits.contains(.preferred) ? 0 : 1)].append(number)
        count += 1
    }
}
