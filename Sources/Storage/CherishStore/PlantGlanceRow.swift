import CherishCore
import Postgres

/// The columns of `plant` that lists show.
enum PlantGlanceRow {
    /// Selects an account's living plants.
    static func list(of account: Account.ID) -> Statement {
        Statement(
            """
            SELECT id, name, phone, nickname, cycle_days, planted_on, last_watered_on, restored_on, due_on, due_source,
                original_due_on IS NOT NULL, pauses, affection, watering_count, is_favourite
            FROM plant WHERE lane = $1 AND account_id = $2 AND removed_at IS NULL
            """, [account.lane, account])
    }

    static func decode(_ row: Row, of account: Account.ID) throws -> PlantGlance {
        var reader = row.reader
        let id = try reader.next(Plant.ID.self)
        return try reader.reading("plant", key: { [.lane(account.lane), .id(id)] }) { reader in
            PlantGlance(
                id: id, name: ContactName(stored: try reader.next()), phone: try PhoneNumber(e164: reader.next()),
                nickname: Nickname(stored: try reader.next()), cycle: try Cycle(days: reader.next()),
                plantedOn: try reader.next(), lastWateredOn: try reader.next(), restoredOn: try reader.next(),
                dueOn: try reader.next(), dueSource: try reader.next(label: Plant.DueSource.self),
                isMovedByPause: try reader.next(), pausedDays: try PausedDays(storedPairs: reader.next()),
                affection: Affection(points: try reader.next()),
                wateringCount: try reader.next(Int.self)
                    .within(RowLimit.count, orHolds: "an impossible count of waterings"),
                isFavourite: try reader.next())
        }
    }
}
