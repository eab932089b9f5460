/// The phone numbers of one contact, sorted by how well they reach a person.
struct PhoneList {
    private static let mobileWords = ["cell", "mobile", "iphone", "휴대"]
    private static let unreachableWords = ["fax", "pager", "팩스", "호출기"]

    /// Preferred mobiles, other mobiles, preferred others, others.
    private var ranks: [[String]] = [[], [], [], []]

    /// The best number first; numbers of the same rank in the order of the file.
    var bestFirst: [String] { ranks.flatMap { $0 } }

    /// Adds a number unless it is blank, or belongs to a fax machine or a pager.
    ///
    /// - Parameter labels: The types of vCard, or the label of a table: `CELL`, `pref`, `Work Fax`, `* Mobile`.
    mutating func add(_ number: String, labels: [String]) {
        let labels = labels.map { $0.lowercased() }
        guard !number.isBlank, !Self.hasWord(Self.unreachableWords, in: labels) else { return }
        // Google marks the preferred one by a star before the label.
        let isPreferred = labels.contains { $0 == "pref" || $0.hasPrefix("*") }
        let isMobile = Self.hasWord(Self.mobileWords, in: labels)
        ranks[(isMobile ? 0 : 2) + (isPreferred ? 0 : 1)].append(number)
    }

    private static func hasWord(_ words: [String], in labels: [String]) -> Bool {
        labels.contains { label in words.contains { label.contains($0) } }
    }
}
