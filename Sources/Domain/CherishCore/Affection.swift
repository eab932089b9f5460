/// The affection for a plant: starts at 0, is full at 100, and never decreases (rules 4.2 and 4.3).
public struct Affection: Hashable, Comparable, Sendable {
    public static let full = 100
    /// The points that each reason earns, once per watering (rule 4.1).
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

    /// Adds the points for one reason, up to the full 100, and returns how many were added.
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

/// A ledger entry; the sum of all entries is the affection (rule 4.5). Its points are those actually gained, 1–8.
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
