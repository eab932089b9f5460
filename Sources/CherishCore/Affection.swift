/// How much a plant is loved: 0 at first, full at 100, and never less than before (rules 4.2 and 4.3).
public struct Affection: Hashable, Comparable, Sendable {
    public static let full = 100
    /// What each reason earns, once per watering (rule 4.1).
    public static let pointsPerReason = 8

    /// 0–100.
    public private(set) var points: Int

    public init(points: Int = 0) {
        self.points = min(max(points, 0), Affection.full)
    }

    public var isFull: Bool { points == Affection.full }

    public var stage: GrowthStage {
        switch points {
        case ..<24: .sprout
        case ..<48: .bud
        default: .bloom
        }
    }

    public static func < (left: Affection, right: Affection) -> Bool {
        left.points < right.points
    }

    /// Adds what a reason earns, up to the full 100, and tells how much that was.
    mutating func gain() -> Int {
        let gained = min(Affection.pointsPerReason, Affection.full - points)
        points += gained
        return gained
    }
}

/// Why affection grew (rule 4.1).
public enum AffectionReason: String, CaseIterable, Sendable {
    case contact, keywords, memo
}

/// A row of the ledger whose sum is the affection (rule 4.5). Points are what was actually gained, 1–8.
public struct AffectionEntry: Hashable, Sendable {
    public let wateringNumber: Int
    public let reason: AffectionReason
    public let points: Int

    public init(wateringNumber: Int, reason: AffectionReason, points: Int) {
        self.wateringNumber = wateringNumber
        self.reason = reason
        self.points = points
    }
}
