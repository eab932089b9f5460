import CherishCore
import SeededChance

/// An invented person.
struct Person: Sendable {
    /// The name in the address book.
    let fullName: String
    /// What friends call the person.
    let calledName: String
}

/// The words of accounts that use one language, including their names for people.
struct Vocabulary: Sendable {
    /// The words for a circle of people.
    struct CircleWords: Sendable {
        let tag: String
        /// Nicknames, with `*` for what friends call the person.
        let nicknames: [String]
    }

    let language: Language
    let methods: [(ContactMethod, Int)]
    /// Names for relatives; each stands for one person.
    let relatives: [String]
    let family: CircleWords
    let friends: CircleWords
    let work: CircleWords
    let studies: CircleWords
    /// At most five characters each.
    let keywords: [String]
    /// At most 49 characters each, so that two of them fit into a memo.
    let memos: [String]
    let person: @Sendable (inout SplitMix64) -> Person

    subscript(circle: Circle) -> CircleWords {
        switch circle {
        case .family: family
        case .friends: friends
        case .work: work
        case .studies: studies
        }
    }

    /// A review with keywords, a memo, or both.
    func review(using generator: inout SplitMix64) throws -> Review {
        let hasKeywords = generator.chance(80)
        let hasMemo = !hasKeywords || generator.chance(50)
        let keywordCount = hasKeywords ? generator.number(in: 1...Review.maximumKeywords) : 0
        let sentenceCount = hasMemo ? generator.weighted([(1, 75), (2, 25)]) : 0
        let memo = generator.elements(sentenceCount, of: memos).joined(separator: " ")
        return try Review(keywords: generator.elements(keywordCount, of: keywords), memo: memo)
    }
}

/// Where accounts live.
struct Place: Sendable {
    let timeZone: String
    let vocabulary: Vocabulary
    let numbers: UnassignedNumbers

    /// Accounts in Sydney know people in Britain, because we know of no large block of unassigned Australian numbers.
    static let shares: [(Place, Int)] = [
        (Place(timeZone: "Asia/Seoul", vocabulary: .korean, numbers: .korean), 70),
        (Place(timeZone: "America/New_York", vocabulary: .english, numbers: .american), 9),
        (Place(timeZone: "America/Los_Angeles", vocabulary: .english, numbers: .american), 8),
        (Place(timeZone: "Europe/London", vocabulary: .english, numbers: .british), 8),
        (Place(timeZone: "Australia/Sydney", vocabulary: .english, numbers: .british), 5),
    ]
}
