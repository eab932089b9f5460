import CherishCore
import Foundation
import Postgres

/// What an import did, or in a dry run would do.
public struct ImportResult: Sendable {
    /// What became of each contact, in their order.
    public let outcomes: [ImportOutcome]
    /// By what it can be undone; nil when nothing was written.
    public let batchID: ImportBatch.ID?
    public let newTags: [Tag]
    /// Tags of the file for which the account has no room.
    public let tagsLeftOut: [TagName]
    /// Whether first due dates were spread over the cycles (rule 1.9).
    public let isSpread: Bool
}

/// What undoing an import did.
public struct UndoneImport: Sendable {
    public let batch: ImportBatch
    public let deletedCount: Int
    public let revertedCount: Int
    /// Plants that stay, and why.
    public let kept: [(plant: Plant, obstacle: ImportUndoing.Obstacle)]
}

extension CareStore {
    /// Registers the contacts of an address book: all of them, or none when the database goes away in between.
    ///
    /// - Parameters:
    ///   - fileName: under which the import is listed.
    ///   - isDryRun: only tells what would happen.
    public func importFriends(
        _ contacts: [FriendContact], to accountID: Account.ID, _ options: ImportOptions, fileName: String,
        isDryRun: Bool = false
    ) async throws -> ImportResult {
        try await command(in: accountID.lane) { command in
            let account = try await command.account(accountID, lock: .update)
            let random = identifiers.random
            let plan = try GardenImport(
                contacts, into: try await command.knownGarden(account), of: account,
                at: try command.present(for: account), options: options,
                newTagID: { Tag.ID(random()) },
                plantID: { UniqueIdentifiers.plant(account: account.id, phone: $0, removedBefore: 0) })
            var batchID: ImportBatch.ID?
            if !isDryRun, plan.changesAnything {
                let batch = ImportBatch(
                    id: ImportBatch.ID(identifiers.random()), importedAt: command.now, fileName: fileName,
                    tagIDs: plan.newTags.map(\.id), changes: plan.changes)
                try await command.write(plan, batch, for: account)
                batchID = batch.id
            }
            return ImportResult(
                outcomes: plan.outcomes, batchID: batchID, newTags: plan.newTags, tagsLeftOut: plan.tagsLeftOut,
                isSpread: plan.isSpread)
        }
    }

    /// The imports of an account, the newest first.
    public func imports(_ account: Account) async throws -> [ImportBatch] {
        try await pool.withConnection { connection in
            try await ImportRow.batches(
                on: connection, lane: account.id.lane,
                "account_id = $2 ORDER BY imported_at DESC, id", [account.id])
        }
    }

    /// Takes back what an import did and nobody built upon.
    ///
    /// - Parameter reference: the id of the import, or the beginning of one, 8 digits at least.
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``, ``CareError/importUndone``.
    public func undoImport(_ reference: String) async throws -> UndoneImport {
        let (owner, id) = try await findImport(reference)
        return try await command(in: owner.lane) { command in
            let account = try await command.account(owner, lock: .update)
            let batches = try await ImportRow.batches(
                on: command.connection, lane: command.lane, "id = $2 FOR UPDATE", [id])
            guard let batch = batches.first else { throw CareError.notFound(.importBatch) }
            let plants = try await command.plants(batch.changes.map(\.plantID))
            let undoing = try ImportUndoing(
                batch, plants: Dictionary(plants.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
                of: account, at: try command.present(for: account))
            try await command.write(undoing, batch)
            return UndoneImport(
                batch: batch, deletedCount: undoing.deleted.count, revertedCount: undoing.reverted.count,
                kept: undoing.kept)
        }
    }

    private func findImport(_ reference: String) async throws -> (Account.ID, ImportBatch.ID) {
        guard let range = UUID.range(beginningWith: reference) else { throw CareError.notFound(.importBatch) }
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                "SELECT account_id, id FROM import_batch WHERE lane = ANY ($1) AND id BETWEEN $2 AND $3 LIMIT 2",
                [Lane.all, range.lowerBound, range.upperBound])
        }
        if rows.count > 1 { throw CareError.ambiguousID(reference) }
        guard let row = rows.first else { throw CareError.notFound(.importBatch) }
        return (try row.decode(0, as: Account.ID.self), try row.decode(1, as: ImportBatch.ID.self))
    }
}

extension LaneCommand {
    /// All plants of an account, locked, and its tags.
    fileprivate func knownGarden(_ account: Account) async throws -> KnownGarden {
        let plants = try await connection.query(
            """
            SELECT \(PlantRow.columns) FROM plant
            WHERE lane = $1 AND account_id = $2 ORDER BY created_at, archived_at, id FOR UPDATE
            """, [lane, account.id]
        ).map(PlantRow.decode)
        let tags = try await TagRow.all(of: account.id, on: connection)
        return KnownGarden(plants: plants, tags: tags.tags, tagIDs: tags.tagIDs)
    }

    fileprivate func plants(_ ids: [Plant.ID]) async throws -> [Plant] {
        try await connection.query(
            "SELECT \(PlantRow.columns) FROM plant WHERE lane = $1 AND id = ANY ($2) ORDER BY id FOR UPDATE",
            [lane, ids]
        ).map(PlantRow.decode)
    }

    fileprivate func write(_ plan: GardenImport, _ batch: ImportBatch, for account: Account) async throws {
        try await plantMany(plan.planted)
        try await write(plan.newTags.map { TagRow.insert($0, account: account.id) })
        let restored = Set(plan.changes.filter { $0.kind == .restored }.map(\.plantID))
        for start in stride(from: 0, to: plan.changed.count, by: 500) {
            let some = plan.changed[start..<min(start + 500, plan.changed.count)]
            try await write(
                some.map { PlantRow.update($0, lane: lane) }
                    + some.filter { restored.contains($0.id) }.map { PlantRow.noteDueDate(of: $0, lane: lane, at: now) }
            )
        }
        try await planMany(plan.occurrences)
        let taggings = plan.changes.flatMap { change in change.tagIDs.map { (plantID: change.plantID, tagID: $0) } }
        try await write([TagRow.tag(taggings, lane: lane), ImportRow.insert(batch, account: account.id)])
        try await ImportRow.copy(batch.changes, of: batch.id, lane: lane, to: connection)
    }

    /// Writes new plants, and what set their due dates, by COPY.
    private func plantMany(_ plants: [Plant]) async throws {
        if plants.isEmpty { return }
        _ = try await connection.copyIn(PlantRow.copy) { rows in
            for plant in plants { try PlantRow.append(plant, createdAt: now, to: &rows) }
        }
        _ = try await connection.copyIn(CycleChangeRow.copy) { rows in
            for plant in plants { try CycleChangeRow.append(plant, changedAt: now, to: &rows) }
        }
    }

    /// Not by COPY: an import that was undone leaves its occurrences in the calendar, and may come again.
    private func planMany(_ occurrences: [Occurrence]) async throws {
        for start in stride(from: 0, to: occurrences.count, by: 10_000) {
            try await write(planning: Array(occurrences[start..<min(start + 10_000, occurrences.count)]))
        }
    }

    fileprivate func write(_ undoing: ImportUndoing, _ batch: ImportBatch) async throws {
        try await write(
            undoing.reverted.map { PlantRow.update($0, lane: lane) } + [
                // What happened to them goes with them; their occurrences end as superseded when their time comes.
                Statement("DELETE FROM plant WHERE lane = $1 AND id = ANY ($2)", [lane, undoing.deleted.map(\.id)]),
                TagRow.untag(undoing.taggings, lane: lane),
                Statement(
                    """
                    DELETE FROM tag WHERE lane = $1 AND id = ANY ($2) AND NOT EXISTS (
                        SELECT FROM plant_tag WHERE plant_tag.lane = $1 AND plant_tag.tag_id = tag.id)
                    """, [lane, batch.tagIDs]),
                Statement(
                    "UPDATE import_batch SET undone_at = $3 WHERE lane = $1 AND id = $2", [lane, batch.id, now]),
            ])
        try await planMany(undoing.occurrences)
    }
}

enum CycleChangeRow {
    static let copy = """
        COPY cycle_change (lane, plant_id, changed_at, cycle_days, due_on, source) FROM STDIN (FORMAT binary)
        """

    static func append(_ plant: Plant, changedAt: Instant, to rows: inout CopyWriter) throws {
        let change = DueDateChange(
            changedAt: changedAt, cycle: plant.cycle, dueOn: plant.dueOn, source: plant.dueSource)
        try append(change, of: plant, to: &rows)
    }

    static func append(_ change: DueDateChange, of plant: Plant, to rows: inout CopyWriter) throws {
        try rows.append(
            plant.accountID.lane, plant.id, change.changedAt, Int16(change.cycle.days), change.dueOn,
            change.source.rawValue)
    }
}

enum ImportRow {
    static func insert(_ batch: ImportBatch, account: Account.ID) -> Statement {
        Statement(
            """
            INSERT INTO import_batch (lane, id, account_id, imported_at, file_name, tag_ids, undone_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """, [account.lane, batch.id, account, batch.importedAt, batch.fileName, batch.tagIDs, batch.undoneAt])
    }

    static func copy(_ changes: [ImportBatch.Change], of batch: ImportBatch.ID, lane: Lane, to connection: Connection)
        async throws
    {
        _ = try await connection.copyIn(
            """
            COPY import_change (lane, batch_id, plant_id, kind, name_before, name_after, birthday, tag_ids, archived_at)
            FROM STDIN (FORMAT binary)
            """
        ) { rows in
            for change in changes {
                try rows.append(
                    lane, batch, change.plantID, change.kind.rawValue, change.names?.before.description,
                    change.names?.after.description, change.birthday?.description, change.tagIDs, change.archivedAt)
            }
        }
    }

    /// The imports that a condition on `import_batch` picks, with their changes.
    static func batches(
        on connection: Connection, lane: Lane, _ condition: String, _ parameters: [any PostgresEncodable]
    ) async throws -> [ImportBatch] {
        let batches = try await connection.query(
            """
            SELECT id, imported_at, file_name, tag_ids, undone_at FROM import_batch WHERE lane = $1 AND \(condition)
            """, [lane] + parameters)
        let changes = try await changes(of: try batches.map { try $0.decode(0) }, on: connection, lane: lane)
        return try batches.map { row in
            var reader = row.reader
            let id = try reader.next(ImportBatch.ID.self)
            return ImportBatch(
                id: id, importedAt: try reader.next(), fileName: try reader.next(), tagIDs: try reader.next(),
                changes: changes[id] ?? [], undoneAt: try reader.next())
        }
    }

    private static func changes(of batches: [ImportBatch.ID], on connection: Connection, lane: Lane) async throws
        -> [ImportBatch.ID: [ImportBatch.Change]]
    {
        let rows = try await connection.query(
            """
            SELECT batch_id, plant_id, kind, name_before, name_after, birthday, tag_ids, archived_at
            FROM import_change WHERE lane = $1 AND batch_id = ANY ($2) ORDER BY plant_id
            """, [lane, batches])
        var changes: [ImportBatch.ID: [ImportBatch.Change]] = [:]
        for row in rows {
            var reader = row.reader
            changes[try reader.next(), default: []].append(try change(&reader))
        }
        return changes
    }

    private static func change(_ reader: inout RowReader) throws -> ImportBatch.Change {
        let plantID = try reader.next(Plant.ID.self)
        let kind = try reader.next(label: ImportBatch.Change.Kind.self)
        let before = try reader.next(String?.self).map { ContactName(stored: $0) }
        let after = try reader.next(String?.self).map { ContactName(stored: $0) }
        let birthday = try reader.next(String?.self).map { text throws(CareError) in try Birthday(text) }
        return ImportBatch.Change(
            plantID: plantID, kind: kind,
            names: before.flatMap { before in after.map { ImportBatch.NameChange(before: before, after: $0) } },
            birthday: birthday, tagIDs: try reader.next(), archivedAt: try reader.next())
    }
}
