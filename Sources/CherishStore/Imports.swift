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
        let result = try await command(in: accountID.lane) { command in
            let account = try await command.account(accountID, lock: .update)
            let random = identifiers.random
            let garden = try await command.knownGarden(account)
            let plan = try GardenImport(
                contacts, into: garden, of: account, at: try command.present(for: account), options: options,
                newTagID: { Tag.ID(random()) },
                newPlantID: { Plant.ID(random()) })
            var batchID: ImportBatch.ID?
            if !isDryRun, plan.changesAnything {
                let batch = ImportBatch(
                    id: ImportBatch.ID(identifiers.random()), importedAt: command.now, fileName: fileName,
                    tagIDs: plan.newTags.map(\.id), changes: plan.undoableChanges(in: garden))
                try await command.write(plan, batch, for: account)
                batchID = batch.id
            }
            return ImportResult(
                outcomes: plan.outcomes, batchID: batchID, newTags: plan.newTags, tagsLeftOut: plan.tagsLeftOut,
                isSpread: plan.isSpread)
        }
        if result.batchID != nil, contacts.count > CareStore.largeImport { await analyzeGardens() }
        return result
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
            let plants = try await command.plants(batch.changes.map(\.plantID), of: owner)
            let tags = try await TagRow.all(of: owner, on: command.connection)
            let undoing = try ImportUndoing(
                batch, plants: Dictionary(plants.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
                tags: tags.tags, tagIDs: tags.tagIDs, of: account, at: try command.present(for: account))
            try await command.write(undoing, batch, for: account)
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

    /// Those of some plants that the account has, locked.
    fileprivate func plants(_ ids: [Plant.ID], of account: Account.ID) async throws -> [Plant] {
        try await connection.query(
            """
            SELECT \(PlantRow.columns) FROM plant
            WHERE lane = $1 AND account_id = $2 AND id = ANY ($3) ORDER BY id FOR UPDATE
            """, [lane, account, ids]
        ).map(PlantRow.decode)
    }

    fileprivate func write(_ plan: GardenImport, _ batch: ImportBatch, for account: Account) async throws {
        try await plantMany(plan.planted)
        try await write(plan.newTags.map { TagRow.insert($0, account: account.id) })
        let restored = Set(plan.changes.filter { $0.kind == .restored }.map(\.plantID))
        try await update(plan.changed, of: account.id) { restored.contains($0.id) }
        try await planMany(plan.occurrences)
        let taggings = plan.changes.flatMap { change in change.tagIDs.map { (plantID: change.plantID, tagID: $0) } }
        try await write([TagRow.tag(taggings, lane: lane), ImportRow.insert(batch, account: account.id)])
        try await ImportRow.copy(batch.changes, of: batch.id, lane: lane, to: connection)
    }

    /// Writes new plants, and what set their due dates, by COPY.
    private func plantMany(_ plants: [Plant]) async throws {
        if plants.isEmpty { return }
        try await connection.fill(PlantRow.copy) { rows in
            for plant in plants { try PlantRow.append(plant, createdAt: now, to: &rows) }
        }
        try await connection.fill(CycleChangeRow.copy) { rows in
            for plant in plants { try CycleChangeRow.append(plant, changedAt: now, to: &rows) }
        }
    }

    /// Not by COPY: a friend who is brought back may point again at what the calendar still has.
    ///
    /// - Throws: ``MissingPartition`` for all that is to be planned: each piece may lack a month of its own, and the
    ///   tries are few.
    func planMany(_ occurrences: [Occurrence], inPiecesOf size: Int = 10_000) async throws {
        do {
            for start in stride(from: 0, to: occurrences.count, by: size) {
                try await write(planning: Array(occurrences[start..<min(start + size, occurrences.count)]))
            }
        } catch is MissingPartition {
            throw OccurrenceRow.missingPartition(occurrences)
        }
    }

    fileprivate func write(_ undoing: ImportUndoing, _ batch: ImportBatch, for account: Account) async throws {
        try await update(undoing.reverted, of: account.id)
        let deleted = undoing.deleted.map(\.id)
        try await write([
            // What happened to them goes with them; their occurrences end as superseded when their time comes.
            Statement("SELECT delete_plants($1, $2, $3)", [lane, account.id, deleted]),
            Statement(
                "SELECT delete_cycle_changes($1, $2, $3)", [lane, undoing.dueDatesPutBack, batch.importedAt]),
        ])
        try await untag(undoing.taggings)
        try await write([
            TagRow.delete(batch.tagIDs, of: account.id, unlessUsed: true),
            Statement("UPDATE import_batch SET undone_at = $3 WHERE lane = $1 AND id = $2", [lane, batch.id, now]),
        ])
        try await planMany(undoing.occurrences)
    }
}

enum CycleChangeRow {
    static let copy = CopyTarget(
        table: "cycle_change", columns: "plant_id, changed_at, cycle_days, due_on, source")

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
    static let changeColumns = """
        plant_id, kind, name_before, name_after, nickname_before, birthday, tag_ids, archived_at, due_on, due_source,
        restored_on, care_count, fingerprint
        """

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
        try await connection.fill(
            CopyTarget(table: "import_change", columns: "batch_id, \(changeColumns)")
        ) { rows in
            for change in changes { try append(change, of: batch, lane: lane, to: &rows) }
        }
    }

    static func append(_ change: ImportBatch.Change, of batch: ImportBatch.ID, lane: Lane, to rows: inout CopyWriter)
        throws
    {
        try rows.append(
            lane, batch, change.plantID, change.kind.rawValue, change.names?.before.description,
            change.names?.after.description, change.names?.nicknameBefore?.description, change.birthday?.description,
            change.tagIDs, change.archivedAt, change.dueBefore?.on, change.dueBefore?.source.rawValue,
            change.dueBefore?.restoredOn, change.after.map { Int32($0.careCount) }, change.after?.fingerprint)
    }

    /// The imports that a condition on `import_batch` picks, with their changes unless these are not wanted.
    static func batches(
        on connection: Connection, lane: Lane, _ condition: String, _ parameters: [any PostgresEncodable],
        withChanges: Bool = true
    ) async throws -> [ImportBatch] {
        let batches = try await connection.query(
            """
            SELECT id, imported_at, file_name, tag_ids, undone_at FROM import_batch WHERE lane = $1 AND \(condition)
            """, [lane] + parameters)
        let ids = withChanges ? try batches.map { try $0.decode(0, as: ImportBatch.ID.self) } : []
        let changes = ids.isEmpty ? [:] : try await changes(of: ids, on: connection, lane: lane)
        return try batches.map { row in
            var reader = row.reader
            let id = try reader.next(ImportBatch.ID.self)
            return try reader.reading("import_batch", key: { [.lane(lane), .id(id)] }) { reader in
                ImportBatch(
                    id: id, importedAt: try reader.next(), fileName: try reader.next(), tagIDs: try reader.next(),
                    changes: changes[id] ?? [], undoneAt: try reader.next())
            }
        }
    }

    private static func changes(of batches: [ImportBatch.ID], on connection: Connection, lane: Lane) async throws
        -> [ImportBatch.ID: [ImportBatch.Change]]
    {
        let rows = try await connection.query(
            """
            SELECT batch_id, \(changeColumns) FROM import_change
            WHERE lane = $1 AND batch_id = ANY ($2) ORDER BY plant_id
            """, [lane, batches])
        var changes: [ImportBatch.ID: [ImportBatch.Change]] = [:]
        for row in rows {
            var reader = row.reader
            let batch = try reader.next(ImportBatch.ID.self)
            let change = try reader.reading("import_change", key: { [.lane(lane), .id(batch, column: "batch_id")] }) {
                try ImportRow.change(&$0)
            }
            changes[batch, default: []].append(change)
        }
        return changes
    }

    static func change(_ reader: inout RowReader) throws -> ImportBatch.Change {
        let plantID = try reader.next(Plant.ID.self)
        return try reader.reading("import_change", key: { [.id(plantID, column: "plant_id")] }) {
            try change(&$0, plantID)
        }
    }

    private static func change(_ reader: inout RowReader, _ plantID: Plant.ID) throws -> ImportBatch.Change {
        let kind = try reader.next(label: ImportBatch.Change.Kind.self)
        let names = try nameChange(&reader)
        let birthday = try reader.next(String?.self).map { text throws(CareError) in try Birthday(text) }
        let tagIDs = try reader.next([Tag.ID].self)
        let archivedAt = try reader.next(Instant?.self)
        let dueOn = try reader.next(CivilDay?.self)
        let dueSource = try reader.next(String?.self).flatMap { Plant.DueSource(rawValue: $0) }
        let restoredOn = try reader.next(CivilDay?.self)
        let careCount = try reader.next(Int?.self)?
            .within(0...2 * RowLimit.count.upperBound, orHolds: "an impossible count of waterings and postponements")
        let fingerprint = try reader.next(String?.self)
        var change = ImportBatch.Change(
            plantID: plantID, kind: kind, names: names, birthday: birthday, tagIDs: tagIDs, archivedAt: archivedAt)
        if let dueOn, let dueSource {
            change.dueBefore = ImportBatch.DueDate(on: dueOn, source: dueSource, restoredOn: restoredOn)
        }
        if let careCount, let fingerprint {
            change.after = ImportBatch.PlantState(careCount: careCount, fingerprint: fingerprint)
        }
        return change
    }

    private static func nameChange(_ reader: inout RowReader) throws -> ImportBatch.NameChange? {
        let before = try reader.next(String?.self).map { ContactName(stored: $0) }
        let after = try reader.next(String?.self).map { ContactName(stored: $0) }
        let nicknameBefore = try reader.next(String?.self).map { Nickname(stored: $0) }
        guard let before, let after else { return nil }
        return ImportBatch.NameChange(before: before, after: after, nicknameBefore: nicknameBefore)
    }
}
