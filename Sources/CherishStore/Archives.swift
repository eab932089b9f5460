import CherishCore
import Foundation
import Postgres

extension CareStore {
    /// All that belongs to an account, as of one moment (rule 8.6 erases the same).
    public func archive(of id: Account.ID) async throws -> AccountArchive {
        // The account's lock keeps commands out, so that all reads see the same moment.
        try await command(in: id.lane) { command in
            let account = try await command.account(id, lock: .update)
            let reading = ArchiveReading(connection: command.connection, account: account)
            let tags = try await TagRow.all(of: id, on: command.connection)
            return AccountArchive(
                account: account, createdAt: try await reading.createdAt(), devices: try await reading.devices(),
                tags: tags.tags, plants: try await reading.plants(tags), pushes: try await reading.pushes(),
                imports: try await ImportRow.batches(
                    on: command.connection, lane: id.lane, "account_id = $2 ORDER BY imported_at, id", [id]))
        }
    }
}

/// Reads the tables of one account.
private struct ArchiveReading {
    let connection: Connection
    let account: Account

    private func query(_ sql: String) async throws -> Rows {
        try await connection.query(sql, [account.id.lane, account.id])
    }

    func createdAt() async throws -> Instant {
        guard let row = try await query("SELECT created_at FROM account WHERE lane = $1 AND id = $2").first else {
            throw CareError.notFound(.account)
        }
        return try row.decode(0)
    }

    func devices() async throws -> [Device] {
        try await query(
            "SELECT \(DeviceRow.columns) FROM device WHERE lane = $1 AND account_id = $2 ORDER BY added_at DESC, id"
        ).map { row in
            var reader = row.reader
            return try DeviceRow.decode(&reader)
        }
    }

    func plants(_ tags: AccountTags) async throws -> [PlantArchive] {
        let created = try await query("SELECT id, created_at FROM plant WHERE lane = $1 AND account_id = $2")
        let createdAt = Dictionary(
            try created.map { (try $0.decode(0, as: Plant.ID.self), try $0.decode(1, as: Instant.self)) },
            uniquingKeysWith: { first, _ in first })
        let waterings = try await waterings()
        let postponements = try await postponements()
        let changes = try await dueDateChanges()
        let ledger = try await ledger()
        return try await query(
            "SELECT \(PlantRow.columns) FROM plant WHERE lane = $1 AND account_id = $2 ORDER BY id"
        ).map { row in
            let plant = try PlantRow.decode(row)
            return PlantArchive(
                plant: plant, createdAt: createdAt[plant.id] ?? Instant(secondsSinceEpoch: 0),
                tagIDs: tags.tags(of: plant.id).map(\.id), waterings: waterings[plant.id] ?? [],
                postponements: postponements[plant.id] ?? [], dueDateChanges: changes[plant.id] ?? [],
                ledger: ledger[plant.id] ?? [])
        }
    }

    /// The rows of a table of what happened to plants, by plant.
    private func history<Event>(
        _ table: String, _ columns: String, by order: String, _ decode: (inout RowReader) throws -> Event
    ) async throws -> [Plant.ID: [Event]] {
        let rows = try await query(
            """
            SELECT event.plant_id, \(columns.qualified(by: "event")) FROM plant
            JOIN \(table) AS event ON event.lane = plant.lane AND event.plant_id = plant.id
            WHERE plant.lane = $1 AND plant.account_id = $2 ORDER BY event.plant_id, \(order.qualified(by: "event"))
            """)
        var events: [Plant.ID: [Event]] = [:]
        for row in rows {
            var reader = row.reader
            events[try reader.next(), default: []].append(try decode(&reader))
        }
        return events
    }

    private func waterings() async throws -> [Plant.ID: [Watering]] {
        try await history("watering", WateringRow.columns, by: "number") { try WateringRow.decode(&$0) }
    }

    private func postponements() async throws -> [Plant.ID: [ArchivedPostponement]] {
        try await history("postponement", "number, postponed_at, from_due_on, days", by: "number") { reader in
            let number = try reader.next(Int.self)
            let postponedAt = try reader.next(Instant.self)
            return ArchivedPostponement(
                postponement: Postponement(number: number, fromDueOn: try reader.next(), days: try reader.next()),
                postponedAt: postponedAt)
        }
    }

    private func dueDateChanges() async throws -> [Plant.ID: [DueDateChange]] {
        try await history("cycle_change", "changed_at, cycle_days, due_on, source", by: "changed_at") { reader in
            DueDateChange(
                changedAt: try reader.next(), cycle: try Cycle(days: try reader.next()), dueOn: try reader.next(),
                source: try reader.next(label: Plant.DueSource.self))
        }
    }

    private func ledger() async throws -> [Plant.ID: [ArchivedAffection]] {
        try await history(
            "affection_entry", "watering_number, reason, points, gained_at", by: "gained_at, watering_number, reason"
        ) { reader in
            let entry = AffectionEntry(
                wateringNumber: try reader.next(), reason: try reader.next(label: AffectionReason.self),
                points: try reader.next())
            return ArchivedAffection(entry: entry, gainedAt: try reader.next())
        }
    }

    /// What was scheduled, with its end; and what is still in the calendar, where a plant points at it. A plant that was
    /// removed points at what counts again if it is brought back in time.
    func pushes() async throws -> [ArchivedPush] {
        let rows = try await query(
            """
            SELECT push.planned_at, push.plant_id, push.kind, push.subject, push.outcome, push.reason, push.finished_at
            FROM push JOIN plant ON plant.lane = push.lane AND plant.id = push.plant_id
            WHERE push.lane = $1 AND plant.lane = $1 AND plant.account_id = $2
            UNION ALL
            SELECT planned.at, planned.plant_id, planned.kind, planned.subject, NULL, NULL, NULL
            FROM lane JOIN plant ON plant.lane = lane.lane
            CROSS JOIN LATERAL (VALUES
                ('watering_due'::push_kind, plant.alarm_at, plant.due_on - date '1970-01-01'),
                ('withered', plant.withered_at, plant.due_on - date '1970-01-01'),
                ('review_missing', plant.reminder_at, plant.reminder_number),
                ('birthday', plant.birthday_at, plant.birthday_on - date '1970-01-01'),
                ('birthday', plant.passed_birthday_at, plant.passed_birthday_on - date '1970-01-01')
            ) AS pointer (kind, at, subject)
            JOIN occurrence AS planned ON planned.lane = plant.lane AND planned.at = pointer.at
                AND planned.plant_id = plant.id AND planned.kind = pointer.kind AND planned.subject = pointer.subject
            WHERE lane.lane = $1 AND plant.account_id = $2 AND \(OccurrenceKey.isPlannedAfterCursor)
            ORDER BY 1, 2, 3, 4
            """)
        return try rows.map { row in
            var reader = row.reader
            let occurrence = Occurrence(
                at: try reader.next(), plantID: try reader.next(), kind: try reader.next(label: PushKind.self),
                subject: try reader.next())
            let outcome = try reader.next(String?.self).flatMap(PushOutcome.init)
            let reason = try reader.next(String?.self)
            let finishedAt = try reader.next(Instant?.self)
            guard let outcome, let reason, let finishedAt else { return ArchivedPush(occurrence: occurrence, end: nil) }
            return ArchivedPush(
                occurrence: occurrence,
                end: ArchivedPush.End(outcome: outcome, reason: reason, finishedAt: finishedAt))
        }
    }
}
