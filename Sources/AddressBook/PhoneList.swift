/// What its labels say of a phone number.
struct PhoneTraits: OptionSet {
    static let mobile = PhoneTraits(rawValue: 1)
    /// Preferred to others.
    static let preferred = PhoneTraits(rawValue: 2)
    /// Of a fax machine or a pager: nobody is called there.
    static let unreachable = PhoneTraits(rawValue: 4)

    private static let mobileWords = ["cell", "mobile", "iphone", "휴대"]
    private static let unreachableWords = ["fax", "pager", "팩스", "호출기"]

    let rawValue: Int

    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// What one label says.
    ///
    /// - Parameter label: A type of vCard, or the label of a table: `CELL`, `pref`, `Work Fax`, `* Mobile`.
    init(label: String) {
        let label = label.lowercased()
        self = []
        if Self.hasWord(Self.mobileWords, in: label) { insert(.mobile) }
        // Google marks the preferred one by a star before the label.
        if label == "pref" || label.hasPrefix("*") { insert(.preferred) }
        if Self.hasWord(Self.unreachableWords, in: label) { insert(.unreachable) }
    }

    private static func hasWord(_ words: [String], in label: String) -> Bool {
        words.contains { label.contains($0) }
    }
}

/// The phone numbers of one contact, sorted by how well they reach a person.
struct PhoneList {
    /// Preferred mobiles, other mobiles, preferred others, others.
    private var ranks: [[String]] = [[], [], [], []]
    private var count = 0

    /// The best number first; numbers of the same rank in the order in which they were added.
    var bestFirst: [String] { ranks.flatMap { $0 } }

    /// Adds a number unless it is blank, belongs to a fax machine or a pager, or is one too many.
    mutating func add(_ number: String, traits: PhoneTraits) {
        guard count < ContactCard.mostPhones, !traits.contains(.unreachable), !number.isBlank else { return }
        ranks[(traits.contains(.mobile) ? 0 : 2) + (traits.contains(.preferred) ? 0 : 1)].append(number)
        count += 1
    }
}
