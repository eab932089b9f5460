import CherishCore
import Postgres

// An account's zone, switches, warning days and pauses determine when its pushes are planned. When they change, the whole
// garden is replanned, 2,000 plants and things per transaction in the order of their ids, so that no lane stays locked for long.
//
// The rules allow this. A changed zone replans what is ahead (rule 7.5), and for each plant that is decided in its
// turn. An alarm reached before then by the old zone counts as reached (rule 7.2), as if the account had been edited a
// moment later. Each plant and its occurrences are written in one transaction, so it always points at something in the
// calendar. A command on a plant still to be replanned already uses the new zone, and replanning then finds nothing to
// change. `account.replan_after` records the progress; whoever finds it set continues.

extension CareStore {
    /// Continues gardens whose replanning was interrupted, because a program ended or lost the database.
    ///
    /// - Parameter shouldStop: asked before each transaction.
    /// - Returns: how many gardens were finished.
    /// - Throws: the first error, after all gardens had their turn.
    @discardableResult
    public func resumeReplanning(shouldStop: @Sendable () -> Bool = { false }) async throws -> Int {
        var finished = 0
        var failure: (any Error)?
        for account in try await accountsToReplan() {
            do {
                // Skips an account whose row is locked, so that nobody waits for it; a later run finds it again.
                if try await isHeld(account) { continue }
                while !shouldStop() {
                    guard try await garden(of: account).replanPiece() else { continue }
                    finished += 1
                    break
                }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return finished
    }

    /// Returns the accounts whose gardens are still being replanned.
    public func accountsToReplan() async throws -> [Account.ID] {
        try await pool.withConnection { connection in
            try await connection.query("SELECT id FROM account WHERE replan_after IS NOT NULL ORDER BY lane, id")
                .map { try $0.decode(0) }
        }
    }

    /// Whether a transaction holds the account's row, or the account is gone.
    private func isHeld(_ account: Account.ID) async throws -> Bool {
        try await pool.withConnection { connection in
            try await connection.query(
                "SELECT 1 FROM account WHERE lane = $1 AND id = $2 \(RowLock.updateUnlessHeld.sql)",
                [account.lane, account]
            ).isEmpty
        }
    }
}

extension Garden {
    /// Replans what is left of the garden, if anything is.
    func finishReplanning() async throws {
        while true { if try await replanPiece() { return } }
    }

    /// Replans the garden's next plants in its own transaction. The account's row lock gives concurrent calls different
    /// plants.
    ///
    /// - Returns: whether the garden is finished.
    func replanPiece() async throws -> Bool {
        try await command { command in
            let account: Account
            do {
                account = try await command.account(accountID, lock: .update)
            } catch CareError.notFound {
                return true
            }
            let rows = try await command.connection.query(
                "SELECT replan_after FROM account WHERE lane = $1 AND id = $2", [command.lane, accountID])
            guard let after = try rows.first?.decode(0, as: Plant.ID?.self) else { return true }
            return try await command.replan(account, after: after, limit: store.replanningPiece)
        }
    }
}

extension LaneCommand {
    /// Replans up to `limit` plants and things of an account whose ids are greater than `after`, and records the
    /// progress. The account's row must be locked.
    ///
    /// - Returns: whether the garden is finished.
    func replan(_ account: Account, after: Plant.ID, limit: Int) async throws -> Bool {
        let context = try context(for: account)
        let ends = try await connection.query(
            """
            SELECT id FROM (
                SELECT id FROM (
                    SELECT id FROM plant WHERE lane = $1 AND account_id = $2 AND id > $3 AND removed_at IS NULL
                    ORDER BY id LIMIT $4
                ) AS plants
                UNION ALL
                SELECT id FROM (
                    SELECT id FROM thing WHERE lane = $1 AND account_id = $2 AND id > $3 AND done_on IS NULL
                    ORDER BY id LIMIT $4
                ) AS things
            ) AS subject ORDER BY id OFFSET $4 - 1 LIMIT 1
            """, [lane, account.id, after, limit])
        // nil if these are the last ones.
        let last = try ends.first?.decode(0, as: Plant.ID.self)
        let found = try await connection.pipeline([
            Statement(
                """
                SELECT \(PlantRow.columns) FROM plant
                WHERE lane = $1 AND account_id = $2 AND id > $3 AND ($4::uuid IS NULL OR id <= $4) AND removed_at IS NULL
                ORDER BY id FOR UPDATE
                """, [lane, account.id, after, last]),
            Statement(
                """
                SELECT \(ThingRow.columns, at: .thingToReplan) FROM thing
                WHERE lane = $1 AND account_id = $2 AND id > $3 AND ($4::uuid IS NULL OR id <= $4) AND done_on IS NULL
                ORDER BY id FOR UPDATE
                """, [lane, account.id, after, last]),
        ])
        try await replan(plants: found[0], of: account, in: context)
        try await replan(things: found[1], of: account, in: context)
        try await connection.execute(
            """
            UPDATE account SET replan_after = $3 WHERE lane = $1 AND id = $2 AND replan_after IS DISTINCT FROM $3
            """, [lane, account.id, last])
        return last == nil
    }

    private func replan(plants rows: Rows, of account: Account, in context: CommandContext) async throws {
        let plants = try rows.compactMap(PlantRow.decodeUnlessBroken)
        let reminded = try await reminded(plants)
        let pausedDays = try await pausedDays(of: plants, in: account.id)
        var changed: [Plant] = []
        var moved: [Plant] = []
        var occurrences: [Occurrence] = []
        for before in plants {
            var plant = before
            var planned = plant.adopt(pausedDays[plant.id] ?? .none, for: account, in: context)
            if plant != before {
                // Devices show when a friend is paused, and when it is due.
                plant.beginChange(at: now)
                note([.friend(plant.id)], of: account.id)
            }
            if (plant.dueOn, plant.withersOn) != (before.dueOn, before.withersOn) { moved.append(plant) }
            planned += plant.replanAfterAccountEdit(reminded: reminded[plant.id], for: account, in: context)
            guard plant != before else { continue }
            changed.append(plant)
            occurrences += planned
        }
        try await update(changed, of: account.id)
        if !moved.isEmpty { try await write([PlantRow.notePauses(of: moved, lane: lane, at: now)]) }
        try await planMany(occurrences)
    }

    private func replan(things rows: Rows, of account: Account, in context: CommandContext) async throws {
        var changed: [Thing] = []
        var occurrences: [Occurrence] = []
        for before in try rows.compactMap({ row in try readable { try ThingRow.decode(row) } }) {
            var thing = before
            let planned = thing.replanAfterAccountEdit(account.warningDays, in: context)
            guard thing != before else { continue }
            changed.append(thing)
            occurrences += [planned].compactMap { $0.map(thing.occurrence) }
        }
        if changed.isEmpty { return }
        try await writePlanningEachTime(ThingRow.updates(changed, of: account.id))
        try await planMany(occurrences)
    }

    /// Returns the waterings that the plants' review pushes are about, by plant.
    func reminded(_ plants: [Plant]) async throws -> [Plant.ID: Watering] {
        let pointed = plants.compactMap { plant in plant.plans.reviewMissing.map { (id: plant.id, number: $0.ref) }
        }
        if pointed.isEmpty { return [:] }
        // OFFSET 0 keeps the planner from reading all waterings of the lane, which it takes for few without statistics.
        let rows = try await connection.query(
            """
            SELECT reminded.plant_id, \(WateringRow.columns.qualified(by: "watering"))
            FROM unnest($2::uuid[], $3::int[]) AS reminded (plant_id, number)
            CROSS JOIN LATERAL (
                SELECT \(WateringRow.columns) FROM watering
                WHERE lane = $1 AND plant_id = reminded.plant_id AND number = reminded.number OFFSET 0
            ) AS watering
            """, [lane, pointed.map(\.id), pointed.map { Int32($0.number) }])
        var waterings: [Plant.ID: Watering] = [:]
        for row in rows {
            var reader = row.reader
            waterings[try reader.next()] = try WateringRow.decode(&reader)
        }
        return waterings
    }

    /// Runs statements with custom plans. After several executions a connection switches to a generic plan, which
    /// assumes arrays of ten elements and compares all pairs: ten times slower, as measured.
    ///
    /// The setting applies to these statements only. Otherwise foreign key checks would also be planned per row, and
    /// each would read the whole lane where statistics do not know it yet: 100 times slower, as measured.
    func writePlanningEachTime(_ statements: [Statement]) async throws {
        try await write(
            [Statement("SET LOCAL plan_cache_mode = force_custom_plan", [])] + statements
                + [Statement("SET LOCAL plan_cache_mode TO DEFAULT", [])])
    }

    /// Updates all mutable columns of many plants of one account.
    ///
    /// - Parameter isDueDateNew: whether to record the due date as set by neither a watering nor a postponement.
    func update(_ plants: [Plant], of account: Account.ID, isDueDateNew: (Plant) -> Bool = { _ in false }) async throws
    {
        if plants.isEmpty { return }
        let plants = plants.sorted { $0.id < $1.id }
        for start in stride(from: 0, to: plants.count, by: PlantRow.mostUpdated * 4) {
            let piece = plants[start..<min(start + PlantRow.mostUpdated * 4, plants.count)]
            let noted = piece.filter(isDueDateNew)
            try await writePlanningEachTime(PlantRow.updates(piece, of: account))
            if !noted.isEmpty { try await write([PlantRow.noteDueDates(of: noted, lane: lane, at: now)]) }
        }
    }
}

// MARK: - Statistics

extension CareStore {
    /// Above this number of new rows, refresh the planner's statistics.
    public static let largeImport = 5_000

    /// Updates the planner's statistics of the garden tables. Autovacuum would do so minutes later; until then,
    /// statements may be planned as if the tables were empty.
    ///
    /// Does nothing if the user may not execute `analyze_gardens`, and gives up if the tables are locked. Ignores
    /// errors, because the import has already succeeded.
    public func analyzeGardens() async {
        try? await pool.withConnection { connection in
            let rows = try await connection.query("SELECT has_function_privilege('analyze_gardens()', 'EXECUTE')")
            guard try rows.first?.decode(0, as: Bool.self) == true else { return }
            _ = try await connection.query("SELECT analyze_gardens()")
        }
    }
}
