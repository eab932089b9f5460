import CherishCore
import Postgres

extension CareStore {
    /// A plant with all that happened to it, as of one moment.
    ///
    /// - Throws: ``CareError/notFound(_:)`` when it was erased meanwhile.
    public func history(of reference: PlantReference) async throws -> PlantArchive {
        try await pool.withTransaction(isolation: .repeatableRead, readOnly: true) { connection in
            let plants = try await connection.query(
                "SELECT \(PlantRow.columns), created_at FROM plant WHERE lane = $1 AND id = $2",
                [reference.lane, reference.id])
            guard let row = plants.first else { throw CareError.notFound(.plant) }
            let reading = PlantHistoryReading(connection: connection, reference: reference)
            return PlantArchive(
                plant: try PlantRow.decode(row), createdAt: try row.decode("created_at", as: Instant.self),
                waterings: try await reading.waterings(), postponements: try await reading.postponements(),
                dueDateChanges: try await reading.dueDateChanges(), ledger: try await reading.ledger())
        }
    }
}

/// Reads what happened to one plant.
private struct PlantHistoryReading {
    let connection: Connection
    let reference: PlantReference

    private func query<Event>(_ sql: String, _ decode: (inout RowReader) throws -> Event) async throws -> [Event] {
        try await connection.query(sql, [reference.lane, reference.id]).map { row in
            var reader = row.reader
            return try decode(&reader)
        }
    }

    func waterings() async throws -> [Watering] {
        try await query(
            "SELECT \(WateringRow.columns) FROM watering WHERE lane = $1 AND plant_id = $2 ORDER BY number"
        ) { try WateringRow.decode(&$0) }
    }

    func postponements() async throws -> [ArchivedPostponement] {
        try await query(
            """
            SELECT number, postponed_at, from_due_on, days FROM postponement
            WHERE lane = $1 AND plant_id = $2 ORDER BY number
            """
        ) { reader in
            let number = try reader.next(Int.self)
            let postponedAt = try reader.next(Instant.self)
            return ArchivedPostponement(
                postponement: Postponement(number: number, fromDueOn: try reader.next(), days: try reader.next()),
                postponedAt: postponedAt)
        }
    }

    func dueDateChanges() async throws -> [DueDateChange] {
        try await query(
            """
            SELECT changed_at, cycle_days, due_on, source FROM cycle_change
            WHERE lane = $1 AND plant_id = $2 ORDER BY changed_at
            """
        ) { reader in
            DueDateChange(
                changedAt: try reader.next(), cycle: try Cycle(days: try reader.next()), dueOn: try reader.next(),
                source: try reader.next(label: Plant.DueSource.self))
        }
    }

    func ledger() async throws -> [ArchivedAffection] {
        // Enumerations sort as they were declared: contact, keywords, memo.
        try await query(
            """
            SELECT watering_number, reason, points, gained_at FROM affection_entry
            WHERE lane = $1 AND plant_id = $2 ORDER BY gained_at, watering_number, reason
            """
        ) { reader in
            let entry = AffectionEntry(
                wateringNumber: try reader.next(), reason: try reader.next(label: AffectionReason.self),
                points: try reader.next())
            return ArchivedAffection(entry: entry, gainedAt: try reader.next())
        }
    }
}
