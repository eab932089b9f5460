/// Explains a plant's affection: the ledger with its running sum, what each watering earned, and why not more (rule 4).
public struct LedgerStatement: Hashable, Sendable {
    /// An entry of the ledger and the affection after it.
    public struct Line: Hashable, Sendable {
        public let row: ExportedAffection
        /// 1–100.
        public let sum: Int
    }

    /// Why a watering earned less than the maximum.
    public enum Shortfall: Hashable, Sendable {
        /// An earlier watering on the same day, identified by its number, earned instead (rule 3.5).
        case notFirstOfDay(first: Int)
        /// Affection was already full (rule 4.2).
        case full(AffectionReason)
        /// Fewer than 8 points were left up to the full 100 (rule 4.2).
        case capped(AffectionReason)
        /// Nothing was written for this reason (rule 4.1).
        case notWritten(AffectionReason)
    }

    /// The points that one watering earned.
    public struct Earning: Hashable, Sendable {
        public let watering: Watering
        /// In the order gained; later than the watering if the review was written later (rule 4.4).
        public let rows: [ExportedAffection]
        public let shortfalls: [Shortfall]

        /// 0–24.
        public var points: Int { rows.reduce(0) { $0 + $1.entry.points } }
    }

    /// In gaining order.
    public let lines: [Line]
    /// In recording order.
    public let earnings: [Earning]

    /// 0–100.
    public var points: Int { lines.last?.sum ?? 0 }

    /// - Parameter instant: Ignores everything recorded after this instant; nil includes everything.
    public init(of history: PlantHistory, asOf instant: Instant? = nil) {
        func isKnown(_ at: Instant) -> Bool { instant.map { at <= $0 } ?? true }
        let rows = history.ledger.filter { isKnown($0.gainedAt) }
        var sum = 0
        lines = rows.map { row in
            sum += row.entry.points
            return Line(row: row, sum: sum)
        }
        let isFull = sum >= Affection.full
        earnings = history.waterings.filter { isKnown($0.recordedAt) }.map { watering in
            let first = history.waterings.first { $0.wateredOn == watering.wateredOn } ?? watering
            let earned = rows.filter { $0.entry.wateringNumber == watering.number }
            let laterReasons = history.ledger.filter {
                $0.entry.wateringNumber == watering.number && !isKnown($0.gainedAt)
            }.map(\.entry.reason)
            return Earning(
                watering: watering, rows: earned,
                shortfalls: LedgerStatement.shortfalls(
                    of: watering, first: first.number, earned.map(\.entry), laterReasons, isFull: isFull))
        }
    }

    /// - Parameter laterReasons: The reasons for which the watering earned points only after the given instant.
    private static func shortfalls(
        of watering: Watering, first: Int, _ earned: [AffectionEntry], _ laterReasons: [AffectionReason], isFull: Bool
    ) -> [Shortfall] {
        if first != watering.number { return [.notFirstOfDay(first: first)] }
        guard earned.contains(where: { $0.reason == .contact }) else { return [.full(.contact)] }
        let written = watering.review?.reasons ?? []
        return AffectionReason.allCases.compactMap { reason in
            if let entry = earned.first(where: { $0.reason == reason }) {
                return entry.points < Affection.pointsPerReason ? .capped(reason) : nil
            }
            let isWritten = written.contains(reason) && !laterReasons.contains(reason)
            return isWritten && isFull ? .full(reason) : .notWritten(reason)
        }
    }
}
