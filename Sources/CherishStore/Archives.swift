import CherishCore
import Foundation
import Postgres

extension CareStore {
    /// All that belongs to an account, as of one moment (rule 8.6 erases the same). Commands go on meanwhile.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func archive(of id: Account.ID) async throws -> AccountArchive {
        try await pool.withTransaction(isolation: .repeatableRead, readOnly: true) { connection in
            guard let account = try await AccountRow.all([id], on: connection).first else {
                throw CareError.notFound(.account)
            }
            let reading = ArchiveReading(connection: connection, account: account)
            let tags = try await TagRow.all(of: id, on: connection)
            return AccountArchive(
                account: account, createdAt: try await reading.createdAt(), devices: try await reading.devices(),
                tags: tags.tags, plants: try await reading.plants(tags), pushes: try await reading.pushes(),
                imports: try await ImportRow.batches(
                    on: connection, lane: id.lane, "account_id = $2 ORDER BY imported_at, id", [id]))
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
        let waterings = try await history(.waterings)
        let postponements = try await history(.postponements)
        let changes = try await history(.dueDateChanges)
        let ledger = try await history(.ledger)
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
    private func history<Event>(_ table: HistoryTable<Event>) async throws -> [Plant.ID: [Event]] {
        let rows = try await query(
            """
            SELECT event.plant_id, \(table.columns.qualified(by: "event")) FROM plant
            JOIN \(table.name) AS event ON event.lane = plant.lane AND event.plant_id = plant.id
            WHERE plant.lane = $1 AND plant.account_id = $2
            ORDER BY event.plant_id, \(table.order.qualified(by: "event"))
            """)
        var events: [Plant.ID: [Event]] = [:]
        for row in rows {
            var reader = row.reader
            events[try reader.next(), default: []].append(try table.decode(&reader))
        }
        return events
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
            return try ArchivedPush(&reader)
        }
    }
}

extension ArchivedPush {
    init(_ reader: inout RowReader) throws {
        let occurrence = try OccurrenceKey(&reader).occurrence
        let outcome = try reader.next(String?.self).flatMap(PushOutcome.init)
        let reason = try reader.next(String?.self)
        let finishedAt = try reader.next(Instant?.self)
        guard let outcome, let reason, let finishedAt else {
            self.init(occurrence: occurrence, end: nil)
            return
        }
        self.init(occurrence: occurrence, end: End(outcome: outcome, reason: reason, finishedAt: finishedAt))
    }
}
