import CherishCore
import Foundation
import Postgres

/// The result of an import or of its dry run.
public struct ImportResult: Sendable {
    /// The outcome of each contact, in the same order.
    public let outcomes: [ImportOutcome]
    /// Identifies the import for an undo; nil if nothing was written.
    public let batchID: ImportBatch.ID?
    public let newTags: [Tag]
    /// Tags in the file that would exceed the account's maximum.
    public let tagsLeftOut: [TagName]
    /// Whether first due dates were spread over the cycles (rule 1.9).
    public let isSpread: Bool
}

/// The result of undoing an import.
public struct UndoneImport: Sendable {
    public let batch: ImportBatch
    public let deletedCount: Int
    public let revertedCount: Int
    /// Plants that were not reverted, and why.
    public let kept: [(plant: Plant, obstacle: ImportUndoing.Obstacle)]
}

extension Garden {
    /// Registers the contacts of an address book in one transaction.
    ///
    /// - Parameters:
    ///   - fileName: the name under which the import is listed.
    ///   - isDryRun: whether to report what would happen without writing anything.
    public func importFriends(
        _ contacts: [FriendContact], _ options: ImportOptions, fileName: String,
        isDryRun: Bool = false
    ) async throws -> ImportResult {
        let (result, newRowCount, isToReplan) = try await command { command in
            let account = try await command.account(accountID, lock: .update)
            let random = store.identifiers.random
            let garden = try await command.knownGarden(account)
            let plan = try GardenImport(
                contacts, into: garden, of: account, in: try command.context(for: account), options: options,
                newTagID: { Tag.ID(random()) },
                newPlantID: { Plant.ID(random()) })
            var batchID: ImportBatch.ID?
            var isToReplan = false
            if !isDryRun, plan.changesAnything {
                let batch = ImportBatch(
                    id: ImportBatch.ID(random()), importedAt: command.now, fileName: fileName,
                    tagIDs: plan.newTags.map(\.id), changes: plan.changes)
                try await command.write(plan, batch, for: account)
                batchID = batch.id
                isToReplan = try await command.replanWherePaused(accountID)
            }
            let result = ImportResult(
                outcomes: plan.outcomes, batchID: batchID, newTags: plan.newTags, tagsLeftOut: plan.tagsLeftOut,
                isSpread: plan.isSpread)
            let newRowCount = plan.planted.count + plan.changes.reduce(0) { $0 + $1.tagIDs.count }
            return (result, newRowCount, isToReplan)
        }
        if !isDryRun, newRowCount > CareStore.largeImport { await store.analyzeGardens() }
        if isToReplan { try await finishReplanning() }
        return result
    }

    /// Returns the account's imports, newest first.
    public func imports() async throws -> [ImportBatch] {
        try await read { connection in
            try await ImportRow.batches(
                on: connection, lane: accountID.lane,
                "account_id = $2 ORDER BY imported_at DESC, id", [accountID])
        }
    }

    /// Returns the import whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func importBatch(_ prefix: String) async throws -> ImportBatch.ID {
        guard let range = UUID.range(beginningWith: prefix) else { throw CareError.notFound(.importBatch) }
        let rows = try await read { connection in
            try await connection.query(
                """
                SELECT id FROM import_batch
                WHERE lane = $1 AND account_id = $2 AND id BETWEEN $3 AND $4 LIMIT 2
                """, [accountID.lane, accountID, range.lowerBound, range.upperBound])
        }
        return try rows.only(beginningWith: prefix, orElse: .importBatch).decode(0)
    }

    /// Reverts an import, skipping plants changed since.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/importUndone``.
    public func undoImport(_ id: ImportBatch.ID) async throws -> UndoneImport {
        let (undone, isToReplan) = try await command { command in
            let account = try await command.account(accountID, lock: .update)
            let batches = try await ImportRow.batches(
                on: command.connection, lane: command.lane, "account_id = $2 AND id = $3 FOR UPDATE", [accountID, id])
            guard let batch = batches.first else { throw CareError.notFound(.importBatch) }
            let plants = try await command.plants(batch.changes.map(\.plantID), of: accountID)
            let tags = try await TagRow.all(of: accountID, on: command.connection)
            let undoing = try ImportUndoing(
                batch, plants: Dictionary(plants.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
                tags: tags.tags, tagIDs: tags.tagIDs, of: account, in: try command.context(for: account))
            try await command.write(undoing, batch, for: account)
            let isToReplan = try await command.replanWherePaused(accountID)
            let undone = UndoneImport(
                batch: batch, deletedCount: undoing.deleted.count, revertedCount: undoing.reverted.count,
                kept: undoing.kept)
            return (undone, isToReplan)
        }
        if isToReplan { try await finishReplanning() }
        return undone
    }
}

extension LaneCommand {
    /// Reads and locks all plants of an account, and reads its tags.
    fileprivate func knownGarden(_ account: Account) async throws -> KnownGarden {
        let plants = try await connection.query(
            """
            SELECT \(PlantRow.columns) FROM plant
            WHERE lane = $1 AND account_id = $2 ORDER BY created_at, removed_at, id FOR UPDATE
            """, [lane, account.id]
        ).map(PlantRow.decode)
        let tags = try await TagRow.all(of: account.id, on: connection)
        return KnownGarden(plants: plants, tags: tags.tags, tagIDs: tags.tagIDs)
    }

    /// Reads and locks those of the given plants that the account has.
    fileprivate func plants(_ ids: [Plant.ID], of account: Account.ID) async throws -> [Plant] {
        try await connection.query(
            """
            SELECT \(PlantRow.columns) FROM plant
            WHERE lane = $1 AND account_id = $2 AND id = ANY ($3) ORDER BY id FOR UPDATE
            """, [lane, account, ids]
        ).map(PlantRow.decode)
    }

    fileprivate func write(_ plan: GardenImport, _ batch: ImportBatch, for account: Account) async throws {
        // All is done again if the calendar lacks a month, so an occurrence of each day comes first. A session may plan
        // only for a friend that exists.
        let early = OccurrenceRow.onePerDay(plan.occurrences)
        let earlyFriends = Set(early.map(\.subjectID))
        try await plantMany(plan.planted.filter { earlyFriends.contains($0.id.subject) })
        try await planMany(early)
        try await plantMany(plan.planted.filter { !earlyFriends.contains($0.id.subject) })
        try await write(plan.newTags.map { TagRow.insert($0, account: account.id) })
        let restored = Set(plan.changes.filter { $0.kind == .restored }.map(\.plantID))
        try await update(plan.changed, of: account.id) { restored.contains($0.id) }
        if !plan.retagged.isEmpty { try await write([PlantRow.noteChange(of: plan.retagged, of: account.id, at: now)]) }
        try await planMany(plan.occurrences)
        // The plants were locked before their tags were read, so nobody can have added these tags since.
        try await connection.fill(TagRow.copy) { rows in
            for change in plan.changes {
                for tag in change.tagIDs { try rows.append(lane, change.plantID, tag) }
            }
        }
        note(plan.newTags.map { .tag($0.id) }, of: account.id)
        note((plan.planted + plan.changed).map { .friend($0.id) } + plan.retagged.map { .friend($0) }, of: account.id)
        try await write([ImportRow.insert(batch, account: account.id)])
        try await ImportRow.copy(batch.changes, of: batch.id, lane: lane, to: connection)
    }

    /// Writes new plants and records their due dates, by COPY.
    private func plantMany(_ plants: [Plant]) async throws {
        if plants.isEmpty { return }
        // In the order of their keys, so that rows of one page refer to one page.
        let plants = plants.sorted { $0.id < $1.id }
        try await connection.fill(PlantRow.copy) { rows in
            for plant in plants { try PlantRow.append(plant, createdAt: now, to: &rows) }
        }
        try await connection.fill(CycleChangeRow.copy) { rows in
            for plant in plants { try CycleChangeRow.append(plant, changedAt: now, to: &rows) }
        }
    }

    /// Adds occurrences by INSERT, in the order of their keys: a friend brought back may point at an occurrence that is still in the
    /// calendar.
    ///
    /// - Throws: ``MissingPartition`` for all occurrences: each piece may lack a different month, and retries are few.
    func planMany(_ occurrences: [Occurrence], inPiecesOf size: Int = 10_000) async throws {
        let occurrences = occurrences.sorted { ($0.at, $0.subjectID) < ($1.at, $1.subjectID) }
        do {
            for start in stride(from: 0, to: occurrences.count, by: size) {
                try await write(planning: Array(occurrences[start..<min(start + size, occurrences.count)]))
            }
        } catch let missing as MissingPartition {
            throw OccurrenceRow.missingPartition(occurrences, after: missing.refusal)
        }
    }

    fileprivate func write(_ undoing: ImportUndoing, _ batch: ImportBatch, for account: Account) async throws {
        // First, because all is done again if the calendar lacks a month.
        try await planMany(undoing.occurrences)
        try await update(undoing.reverted, of: account.id)
        let deleted = undoing.deleted.map(\.id)
        try await write([
            // Their history is deleted with them. Their occurrences end as superseded when they fall due.
            Statement("SELECT delete_plants($1, $2, $3)", [lane, account.id, deleted]),
            Statement(
                "SELECT delete_cycle_changes($1, $2, $3)", [lane, undoing.dueDatesPutBack, batch.importedAt]),
        ])
        note((undoing.reverted + undoing.deleted).map { .friend($0.id) }, of: account.id)
        note(undoing.taggings.map { .friend($0.plantID) } + batch.tagIDs.map { .tag($0) }, of: account.id)
        try await untag(undoing.taggings)
        try await write([
            TagRow.delete(batch.tagIDs, of: account.id, unlessUsed: true),
            Statement("UPDATE import_batch SET undone_at = $3 WHERE lane = $1 AND id = $2", [lane, batch.id, now]),
        ])
    }
}

enum CycleChangeRow {
    static let copy = CopyTarget(
        table: "cycle_change", columns: "plant_id, changed_at, cycle_days, due_on, source, withers_on")

    static func append(_ plant: Plant, changedAt: Instant, to rows: inout CopyWriter) throws {
        try append(DueDateChange(of: plant, changedAt: changedAt), of: plant, to: &rows)
    }

    static func append(_ change: DueDateChange, of plant: Plant, to rows: inout CopyWriter) throws {
        try rows.append(
            plant.accountID.lane, plant.id, change.changedAt, Int16(change.cycle.days), change.dueOn,
            change.source.rawValue, change.withersOn)
    }
}

enum ImportRow {
    static let changeColumns: SQL = """
        plant_id, kind, name_before, name_after, nickname_before, birthday, tag_ids, removed_at, due_on, due_source,
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
            for change in changes.sorted(by: { $0.plantID < $1.plantID }) {
                try append(change, of: batch, lane: lane, to: &rows)
            }
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

    /// Returns the imports that match a condition on `import_batch`, with their changes if requested.
    static func batches(
        on connection: Connection, lane: Lane, _ condition: SQL, _ parameters: [any PostgresEncodable],
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
        var dueBefore: ImportBatch.DueDate?
        if let dueOn, let dueSource {
            dueBefore = ImportBatch.DueDate(on: dueOn, source: dueSource, restoredOn: restoredOn)
        }
        var after: ImportBatch.PlantState?
        if let careCount, let fingerprint {
            after = ImportBatch.PlantState(careCount: careCount, fingerprint: fingerprint)
        }
        return ImportBatch.Change(
            plantID: plantID, kind: kind, names: names, birthday: birthday, tagIDs: tagIDs, archivedAt: archivedAt,
            dueBefore: dueBefore, after: after)
    }

    private static func nameChange(_ reader: inout RowReader) throws -> ImportBatch.NameChange? {
        let before = try reader.next(String?.self).map { ContactName(stored: $0) }
        let after = try reader.next(String?.self).map { ContactName(stored: $0) }
        let nicknameBefore = try reader.next(String?.self).map { Nickname(stored: $0) }
        guard let before, let after else { return nil }
        return ImportBatch.NameChange(before: before, after: after, nicknameBefore: nicknameBefore)
    }
}
