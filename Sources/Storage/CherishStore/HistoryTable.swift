import CherishCore
import Postgres

/// A table of plant history: its columns, sort order and decoder.
struct HistoryTable<Event: Sendable>: Sendable {
    let name: String
    let columns: SQL
    let order: SQL
    let decode: @Sendable (inout RowReader) throws -> Event

    /// Reads a row.
    ///
    /// - Throws: ``UnreadableRow`` that names it.
    func read(_ reader: inout RowReader, of plant: Plant.ID, in lane: Lane) throws -> Event {
        try reader.reading(name, key: { [.lane(lane), .id(plant, column: "plant_id")] }) { try decode(&$0) }
    }
}

extension HistoryTable where Event == Watering {
    static let waterings = HistoryTable(name: "watering", columns: WateringRow.columns, order: "number") {
        try WateringRow.decode(&$0)
    }
}

extension HistoryTable where Event == ExportedPostponement {
    static let postponements = HistoryTable(
        name: "postponement", columns: "number, postponed_at, from_due_on, days", order: "number"
    ) { reader in
        let number = try reader.next(Int.self)
        return try reader.reading("postponement", key: { [.number(number)] }) { reader in
            let number = try number.within(RowLimit.count, orHolds: "an impossible number of a postponement")
            let postponedAt = try reader.next(Instant.self)
            let fromDueOn = try reader.next(CivilDay.self)
            let days = try reader.next(Int.self)
                .within(Postponement.range, orHolds: "a postponement by other than 1 to 7 days")
            return ExportedPostponement(
                postponement: Postponement(number: number, fromDueOn: fromDueOn, days: days), postponedAt: postponedAt)
        }
    }
}

extension HistoryTable where Event == DueDateChange {
    static let dueDateChanges = HistoryTable(
        name: "cycle_change", columns: "changed_at, cycle_days, due_on, source, withers_on", order: "changed_at"
    ) { reader in
        let changedAt = try reader.next(Instant.self)
        return try reader.reading("cycle_change", key: { [.instant(changedAt, column: "changed_at")] }) { reader in
            DueDateChange(
                changedAt: changedAt, cycle: try Cycle(days: try reader.next()), dueOn: try reader.next(),
                source: try reader.next(label: Plant.DueSource.self), withersOn: try reader.next())
        }
    }
}

extension HistoryTable where Event == ExportedAffection {
    /// PostgreSQL sorts enums by declaration order: contact, keywords, memo.
    static let ledger = HistoryTable(
        name: "affection_entry", columns: "watering_number, reason, points, gained_at",
        order: "gained_at, watering_number, reason"
    ) { reader in
        let number = try reader.next(Int.self)
            .within(RowLimit.count, orHolds: "an impossible number of a watering")
        let reason = try reader.next(label: AffectionReason.self)
        let key = { () -> [UnreadableRow.KeyPart] in
            [.number(number, column: "watering_number"), .label(reason.rawValue, column: "reason")]
        }
        return try reader.reading("affection_entry", key: key) { reader in
            let points = try AffectionRow.points(&reader)
            return ExportedAffection(
                entry: AffectionEntry(wateringNumber: number, reason: reason, points: points),
                gainedAt: try reader.next())
        }
    }
}
