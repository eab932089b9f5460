import CherishCore
import Postgres

extension Garden {
    /// Loads everything that belongs to an account (what rule 8.6 erases) into memory. Uses one snapshot and does not
    /// block commands.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func export() async throws -> AccountExport {
        try await withExport { reader in
            var export = reader.head
            for index in export.imports.indices {
                var changes: [ImportBatch.Change] = []
                try await reader.changes(of: export.imports[index].id) { changes += $0 }
                export.imports[index].changes = changes
            }
            var plants: [PlantHistory] = []
            try await reader.plants { plants += $0 }
            var pushes: [ExportedPush] = []
            try await reader.pushes { pushes += $0 }
            (export.plants, export.pushes) = (plants, pushes)
            return export
        }
    }

    /// Reads an account of any size page by page, in one snapshot. Does not block commands.
    ///
    /// - Parameters:
    ///   - pageSize: how many plants, pushes or changes to hold in memory at a time.
    ///   - read: may be slow, for example while somebody pages through a long export in a terminal.
    /// - Throws: ``CareError/notFound(_:)``, and what `read` throws.
    public func withExport<Result: Sendable>(
        pageSize: Int = 250, _ read: (ExportReader) async throws -> Result
    ) async throws -> Result {
        // No retry: `read` may already have passed on rows.
        try await snapshot(attempts: 1) { connection in
            // No lane is locked, so a paused reader blocks nobody. Cursors are read to the end; plan for all rows.
            try await connection.script(
                """
                SET LOCAL idle_in_transaction_session_timeout = '1h';
                SET LOCAL cursor_tuple_fraction = 1
                """)
            return try await read(try await ExportReader(self, on: connection, pageSize: pageSize))
        }
    }
}

/// Reads the tables of one account page by page. Valid only inside the closure that received it.
public struct ExportReader: Sendable {
    /// The account with its devices, tags, things, pauses and imports, without plants, pushes or the imports' changes.
    public let head: AccountExport
    let connection: Connection
    let domains: DueDomains
    /// ``Garden/pushSource``.
    let pushSource: SQL
    private let pageSize: Int

    fileprivate init(_ garden: Garden, on connection: Connection, pageSize: Int) async throws {
        let id = garden.accountID
        let rows = try await connection.query(
            "SELECT created_at FROM account WHERE lane = $1 AND id = $2", [id.lane, id])
        guard let account = try await AccountRow.all([id], on: connection).first, let row = rows.first else {
            throw CareError.notFound(.account)
        }
        let devices = try await connection.query(
            "SELECT \(DeviceRow.columns) FROM device WHERE lane = $1 AND account_id = $2 ORDER BY added_at DESC, id",
            [id.lane, id]
        ).map { row in
            var reader = row.reader
            return try DeviceRow.decode(&reader, in: account.id.lane)
        }
        let tags = try await TagRow.all(of: [id], on: connection)[id] ?? []
        let picture = try await connection.query(PictureRow.image(of: id)).first?.decode(0, as: Bytea?.self)
        head = AccountExport(
            account: account, createdAt: try row.decode(0), picture: picture?.bytes, devices: devices,
            tags: tags.sorted { $0.name < $1.name },
            imports: try await ImportRow.batches(
                on: connection, lane: id.lane, "account_id = $2 ORDER BY imported_at, id", [id], withChanges: false),
            things: try await ThingRow.histories(of: id, tags: tags, on: connection),
            pauses: try PauseRow.pauses(try await connection.query(PauseRow.list(of: id))))
        self.connection = connection
        domains = garden.store.domains
        pushSource = garden.pushSource
        self.pageSize = pageSize
    }

    private var lane: Lane { head.account.id.lane }

    /// Reads the plants, sorted by id.
    ///
    /// - Parameters:
    ///   - withHistory: whether to read their history too.
    ///   - take: receives each page.
    public func plants(withHistory: Bool = true, _ take: ([PlantHistory]) async throws -> Void) async throws {
        try await pages(
            Statement(
                """
                DECLARE exported_plants NO SCROLL CURSOR FOR
                SELECT \(PlantRow.columns), created_at FROM plant WHERE lane = $1 AND account_id = $2 ORDER BY id
                """, [lane, head.account.id]),
            fetch: "FETCH \(pageSize) FROM exported_plants", close: "CLOSE exported_plants"
        ) { rows in
            var plants = try rows.map {
                PlantHistory(plant: try PlantRow.decode($0), createdAt: try $0.decode("created_at"))
            }
            try await addTags(to: &plants)
            if withHistory { try await addHistory(to: &plants) }
            try await take(plants)
        }
    }

    /// Reads an import's changes, sorted by plant id.
    public func changes(of batch: ImportBatch.ID, _ take: ([ImportBatch.Change]) async throws -> Void) async throws {
        try await pages(
            Statement(
                """
                DECLARE exported_changes NO SCROLL CURSOR FOR
                SELECT \(ImportRow.changeColumns) FROM import_change
                WHERE lane = $1 AND batch_id = $2
                    AND EXISTS (SELECT 1 FROM import_batch WHERE lane = $1 AND id = $2 AND account_id = $3)
                ORDER BY plant_id
                """, [lane, batch, head.account.id]),
            fetch: "FETCH \(pageSize) FROM exported_changes", close: "CLOSE exported_changes"
        ) { rows in
            try await take(
                rows.map { row in
                    var reader = row.reader
                    return try ImportRow.change(&reader)
                })
        }
    }

    /// Reads the scheduled pushes with their ends, and the occurrences after the cursor that a plant points at, in
    /// planning order. Includes those of removed plants, which count again if the plant is brought back in time. Omits
    /// pushes that ended because of an unreadable row.
    ///
    /// The query materializes the pointers first. Without statistics, as after a large import, the planner would search
    /// the lane's whole calendar for each plant.
    public func pushes(_ take: ([ExportedPush]) async throws -> Void) async throws {
        try await pages(
            Statement(
                """
                DECLARE exported_pushes NO SCROLL CURSOR FOR
                WITH pointer AS MATERIALIZED (
                    SELECT plant.id AS subject_id, moment.topic, moment.at, moment.ref
                    FROM plant CROSS JOIN LATERAL (VALUES \(PlantPointer.rows)) AS moment (topic, ref, at)
                    WHERE plant.lane = $1 AND plant.account_id = $2 AND moment.at IS NOT NULL
                )
                SELECT push.planned_at AS at, push.account_id, push.subject_id, push.topic, push.ref, push.outcome,
                    push.reason, push.finished_at
                FROM \(pushSource) AS push
                WHERE push.lane = $1 AND push.account_id = $2 AND push.topic IN (\(Topic.ofPlants.literals))
                    AND push.reason IS DISTINCT FROM 'unreadable_row'
                    AND EXISTS (SELECT 1 FROM plant WHERE plant.lane = $1 AND plant.id = push.subject_id)
                UNION ALL
                SELECT \(Occurrence.columns(of: "planned")), NULL, NULL, NULL
                FROM lane JOIN occurrence AS planned ON planned.lane = lane.lane
                JOIN pointer ON pointer.at = planned.at AND pointer.subject_id = planned.subject_id
                    AND pointer.topic = planned.topic AND pointer.ref = planned.ref
                WHERE lane.lane = $1 AND planned.lane = $1 AND \(OccurrenceKey.isPlannedAfterCursor)
                ORDER BY 1, 3, 4, 5
                """, [lane, head.account.id]),
            fetch: "FETCH \(pageSize) FROM exported_pushes", close: "CLOSE exported_pushes"
        ) { rows in
            try await take(
                rows.map { row in
                    var reader = row.reader
                    return try ExportedPush(&reader, domains)
                })
        }
    }

    /// Reads a cursor to the end. The server holds the rows not yet fetched.
    private func pages(
        _ declaration: Statement, fetch: SQL, close: SQL, _ take: (Rows) async throws -> Void
    ) async throws {
        _ = try await connection.query(declaration)
        while true {
            let rows = try await connection.query(fetch)
            if rows.isEmpty { break }
            try await take(rows)
        }
        _ = try await connection.query(close)
    }

    private func addTags(to plants: inout [PlantHistory]) async throws {
        if head.tags.isEmpty { return }
        let rows = try await connection.query(
            "SELECT plant_id, tag_id FROM plant_tag WHERE lane = $1 AND plant_id = ANY ($2)",
            [lane, plants.map(\.plant.id)])
        var tagIDs: [Plant.ID: Set<Tag.ID>] = [:]
        for row in rows { tagIDs[try row.decode(0), default: []].insert(try row.decode(1)) }
        for index in plants.indices {
            guard let ids = tagIDs[plants[index].plant.id] else { continue }
            plants[index].tagIDs = head.tags.map(\.id).filter(ids.contains)
        }
    }

    private func addHistory(to plants: inout [PlantHistory]) async throws {
        let ids = plants.map(\.plant.id)
        let waterings = try await history(.waterings, of: ids)
        let postponements = try await history(.postponements, of: ids)
        let changes = try await history(.dueDateChanges, of: ids)
        let ledger = try await history(.ledger, of: ids)
        for (index, id) in ids.enumerated() {
            plants[index].waterings = waterings[id] ?? []
            plants[index].postponements = postponements[id] ?? []
            plants[index].dueDateChanges = changes[id] ?? []
            plants[index].ledger = ledger[id] ?? []
        }
    }

    /// Returns the rows of one history table for some plants, by plant.
    private func history<Event>(
        _ table: HistoryTable<Event>, of plants: [Plant.ID]
    ) async throws -> [Plant.ID: [Event]] {
        let rows = try await connection.query(
            """
            SELECT plant_id, \(table.columns) FROM \(name: table.name) WHERE lane = $1 AND plant_id = ANY ($2)
            ORDER BY plant_id, \(table.order)
            """, [lane, plants])
        var events: [Plant.ID: [Event]] = [:]
        for row in rows {
            var reader = row.reader
            let plant = try reader.next(Plant.ID.self)
            events[plant, default: []].append(try table.read(&reader, of: plant, in: lane))
        }
        return events
    }
}

extension ExportedPush {
    init(_ reader: inout RowReader, _ domains: DueDomains) throws {
        let occurrence = try Occurrence(&reader, domains)
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
