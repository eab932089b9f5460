/// The number of days between two waterings, 1–90 (rule 1.2).
public struct Cycle: Hashable, Sendable {
    public static let range = 1...90
    public let days: Int

    /// - Throws: ``CareError/invalidCycle(_:)`` outside 1–90.
    public init(days: Int) throws(CareError) {
        guard Cycle.range.contains(days) else { throw .invalidCycle(days) }
        self.days = days
    }

    /// The species for this cycle (rule 1.3).
    public var species: Species {
        switch days {
        case ...3: .rosemary
        case ...7: .americanBlue
        case ...15: .dandelion
        case ...30: .stuckyi
        default: .echinopsis
        }
    }
}

/// The five species; the cycle decides which one grows (rule 1.3).
public enum Species: String, CaseIterable, Sendable {
    case rosemary
    case americanBlue = "american_blue"
    case dandelion
    case stuckyi
    case echinopsis

    /// The name as used within a sentence: `민들레`, `dandelion`, `American blue`.
    public func name(in language: Language) -> String {
        switch (self, language) {
        case (.rosemary, .korean): "로즈마리"
        case (.rosemary, .english): "rosemary"
        case (.americanBlue, .korean): "아메리칸블루"
        case (.americanBlue, .english): "American blue"
        case (.dandelion, .korean): "민들레"
        case (.dandelion, .english): "dandelion"
        case (.stuckyi, .korean): "스투키"
        case (.stuckyi, .english): "stuckyi"
        case (.echinopsis, .korean): "단모환"
        case (.echinopsis, .english): "echinopsis"
        }
    }
}

/// The growth stage of a plant, by its affection (rule 4.6).
public enum GrowthStage: String, CaseIterable, Sendable {
    case sprout, bud, bloom
}

/// The method of contact (rule 3.1).
public enum ContactMethod: String, CaseIterable, Sendable {
    case call, message, kakaotalk, video
    case inPerson = "in_person"
    case other
}

/// A language in which people are addressed.
public enum Language: String, CaseIterable, Sendable {
    case korean = "ko"
    case english = "en"
}
