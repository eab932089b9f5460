/// Why affection is what it is: the ledger with its running sum, and what each watering earned and why not more (rule 4).
public struct AffectionAccount: Hashable, Sendable {
    /// A row of the ledger, and the affection after it.
    public struct Line: Hashable, Sendable {
        public let row: ArchivedAffection
        /// 1–100.
        public let sum: Int
    }

    /// Why a watering did not earn all that one can earn.
    public enum Shortfall: Hashable, Sendable {
        /// An earlier watering of that day, by its number, is the one that earns (rule 3.5).
        case notFirstOfDay(first: Int)
        /// Affection was full already (rule 4.2).
        case full(AffectionReason)
        /// The last points to the full 100 were fewer than 8 (rule 4.2).
        case capped(AffectionReason)
        /// No such thing was written (rule 4.1).
        case notWritten(AffectionReason)
    }

    /// What one watering earned.
    public struct Earning: Hashable, Sendable {
        public let watering: Watering
        /// In the order of gaining; later than the watering where the review was written later (rule 4.4).
        public let rows: [ArchivedAffection]
        public let shortfalls: [Shortfall]

        /// 0–24.
        public var points: Int { rows.reduce(0) { $0 + $1.entry.points } }
    }

    /// In the order of gaining.
    public let lines: [Line]
    /// In the order of recording.
    public let earnings: [Earning]

    /// 0–100.
    public var points: Int { lines.last?.sum ?? 0 }

    /// - Parameter instant: nothing that was recorded later counts; nil for all there is.
    public init(of archive: PlantArchive, asOf instant: Instant? = nil) {
        func isKnown(_ at: Instant) -> Bool { instant.map { at <= $0 } ?? true }
        let rows = archive.ledger.filter { isKnown($0.gainedAt) }
        var sum = 0
        lines = rows.map { row in
            sum += row.entry.points
            return Line(row: row, sum: sum)
        }
        let isFull = sum >= Affection.full
        earnings = archive.waterings.filter { isKnown($0.recordedAt) }.map { watering in
            let first = archive.waterings.first { $0.wateredOn == watering.wateredOn } ?? watering
            let earned = rows.filter { $0.entry.wateringNumber == watering.number }
            let laterReasons = archive.ledger.filter {
                $0.entry.wateringNumber == watering.number && !isKnown($0.gainedAt)
            }.map(\.entry.reason)
            return Earning(
                watering: watering, rows: earned,
                shortfalls: AffectionAccount.shortfalls(
                    of: watering, first: first.number, earned.map(\.entry), laterReasons, isFull: isFull))
        }
    }

    /// - Parameter laterReasons: for which it earned after the instant that is looked at.
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
