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
            return PlantArchive(
                plant: try PlantRow.decode(row), createdAt: try row.decode("created_at", as: Instant.self),
                waterings: try await events(.waterings, of: reference, on: connection),
                postponements: try await events(.postponements, of: reference, on: connection),
                dueDateChanges: try await events(.dueDateChanges, of: reference, on: connection),
                ledger: try await events(.ledger, of: reference, on: connection),
                removals: try await removals(of: reference, on: connection))
        }
    }

    /// When it was removed and brought back, which only imports do.
    private func removals(of plant: PlantReference, on connection: Connection) async throws -> [Range<Instant>] {
        try await connection.query(
            """
            SELECT change.archived_at, batch.imported_at
            FROM import_batch AS batch
            JOIN import_change AS change ON change.lane = batch.lane AND change.batch_id = batch.id
            WHERE batch.lane = $1 AND batch.account_id = $2 AND batch.undone_at IS NULL AND change.plant_id = $3
                AND change.kind = 'restored'
            ORDER BY batch.imported_at
            """, [plant.lane, plant.accountID, plant.id]
        ).compactMap { row in
            var reader = row.reader
            let (removedAt, broughtBackAt) = (try reader.next(Instant.self), try reader.next(Instant.self))
            // A fixed `--now` may bring back what was removed later.
            return removedAt < broughtBackAt ? removedAt..<broughtBackAt : nil
        }
    }

    private func events<Event>(_ table: HistoryTable<Event>, of plant: PlantReference, on connection: Connection)
        async throws -> [Event]
    {
        try await connection.query(
            """
            SELECT \(table.columns) FROM \(table.name) WHERE lane = $1 AND plant_id = $2 ORDER BY \(table.order)
            """, [plant.lane, plant.id]
        ).map { row in
            var reader = row.reader
            return try table.read(&reader, of: plant.id, in: plant.lane)
        }
    }
}
