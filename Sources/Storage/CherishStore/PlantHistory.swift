import CherishCore
import Postgres

extension Garden {
    /// Loads a plant with its history, in one snapshot.
    ///
    /// - Throws: ``CareError/notFound(_:)`` if the account has no such plant.
    public func history(of plantID: Plant.ID) async throws -> PlantHistory {
        try await snapshot { connection in
            let plants = try await connection.query(
                "SELECT \(PlantRow.columns), created_at FROM plant WHERE lane = $1 AND account_id = $2 AND id = $3",
                [accountID.lane, accountID, plantID])
            guard let row = plants.first else { throw CareError.notFound(.plant) }
            return PlantHistory(
                plant: try PlantRow.decode(row), createdAt: try row.decode("created_at", as: Instant.self),
                waterings: try await events(.waterings, of: plantID, on: connection),
                postponements: try await events(.postponements, of: plantID, on: connection),
                dueDateChanges: try await events(.dueDateChanges, of: plantID, on: connection),
                ledger: try await events(.ledger, of: plantID, on: connection),
                removals: try await removals(of: plantID, on: connection))
        }
    }

    /// Returns the spans from each removal until the plant was brought back; only imports bring plants back.
    private func removals(of plantID: Plant.ID, on connection: Connection) async throws -> [Range<Instant>] {
        try await connection.query(
            """
            SELECT change.removed_at, batch.imported_at
            FROM import_batch AS batch
            JOIN import_change AS change ON change.lane = $1 AND change.batch_id = batch.id
            WHERE batch.lane = $1 AND batch.account_id = $2 AND batch.undone_at IS NULL AND change.plant_id = $3
                AND change.kind = 'restored'
            ORDER BY batch.imported_at
            """, [accountID.lane, accountID, plantID]
        ).compactMap { row in
            var reader = row.reader
            let (removedAt, broughtBackAt) = (try reader.next(Instant.self), try reader.next(Instant.self))
            // With a fixed `--now`, a plant can be brought back before the instant of its removal.
            return removedAt < broughtBackAt ? removedAt..<broughtBackAt : nil
        }
    }

    private func events<Event>(_ table: HistoryTable<Event>, of plantID: Plant.ID, on connection: Connection)
        async throws -> [Event]
    {
        try await connection.query(
            """
            SELECT \(table.columns) FROM \(name: table.name) WHERE lane = $1 AND plant_id = $2 ORDER BY \(table.order)
            """, [accountID.lane, plantID]
        ).map { row in
            var reader = row.reader
            return try table.read(&reader, of: plantID, in: accountID.lane)
        }
    }
}
