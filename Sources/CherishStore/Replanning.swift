import CherishCore
import Postgres

// An account's zone and switches decide when each of its friends' pushes are planned for. Where they change, the whole garden
// is planned again: some 2,000 plants in a transaction, so that no lane is locked for long.
//
// The rules allow that. A changed zone plans again what is ahead (rule 7.5), and what is ahead of a plant is decided when its
// turn comes: an alarm that is reached before, by the old zone, is an alarm that was reached (rule 7.2), as if the account had
// been changed a moment later. Each plant is planned again in one transaction, with its occurrences, so it always points at
// something that is in the calendar. A command on a plant whose turn has not come plans by the new zone already, and the
// piece finds nothing to change. `account.replan_after` says how far it has come: whoever finds it goes on.

extension CareStore {
    /// Goes on with gardens that were not planned again to their end, since a program ended or lost the database in between.
    ///
    /// - Parameter shouldStop: asked between two pieces.
    /// - Returns: how many gardens were finished.
    /// - Throws: the first error, after all gardens had their turn.
    @discardableResult
    public func resumeReplanning(shouldStop: @Sendable () -> Bool = { false }) async throws -> Int {
        var finished = 0
        var failure: (any Error)?
        // Whose row somebody holds is left to a later look: nobody is to wait for it.
        for account in try await accountsToReplan(lock: .updateUnlessHeld) {
            do {
                while !shouldStop() {
                    guard try await replanPiece(of: account) else { continue }
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

    /// The accounts whose gardens are still being planned again.
    public func accountsToReplan() async throws -> [Account.ID] { try await accountsToReplan(lock: nil) }

    private func accountsToReplan(lock: RowLock?) async throws -> [Account.ID] {
        try await pool.withConnection { connection in
            try await connection.query(
                "SELECT id FROM account WHERE replan_after IS NOT NULL ORDER BY lane, id \(lock?.rawValue ?? "")"
            ).map { try $0.decode(0) }
        }
    }

    /// Plans the next plants of a garden again, in a transaction of its own. Of several at once each does a piece of its own:
    /// the account's row is locked.
    ///
    /// - Returns: whether nothing is left to do.
    func replanPiece(of id: Account.ID) async throws -> Bool {
        try await command(in: id.lane) { command in
            let account: Account
            do {
                account = try await command.account(id, lock: .update)
            } catch CareError.notFound {
                return true
            }
            let rows = try await command.connection.query(
                "SELECT replan_after FROM account WHERE lane = $1 AND id = $2", [command.lane, id])
            guard let after = try rows.first?.decode(0, as: Plant.ID?.self) else { return true }
            return try await command.replan(account, after: after, limit: replanningPiece)
        }
    }
}

extension LaneCommand {
    /// Plans the plants of an account whose ids are greater than one again, up to so many of them, and notes how far it has
    /// come. The account's row is locked.
    ///
    /// - Returns: whether nothing is left to do.
    func replan(_ account: Account, after: Plant.ID, limit: Int) async throws -> Bool {
        let present = try present(for: account)
        let rows = try await connection.query(
            """
            SELECT \(PlantRow.columns) FROM plant
            WHERE lane = $1 AND account_id = $2 AND id > $3 AND archived_at IS NULL ORDER BY id LIMIT $4 FOR UPDATE
            """, [lane, account.id, after, limit])
        let plants = try rows.compactMap(PlantRow.decodeUnlessBroken)
        let reminded = try await reminded(plants)
        var changed: [Plant] = []
        var occurrences: [Occurrence] = []
        for before in plants {
            var plant = before
            let planned = plant.replanAfterAccountEdit(reminded: reminded[plant.id], for: account, at: present)
            guard plant != before else { continue }
            changed.append(plant)
            occurrences += planned
        }
        try await update(changed, of: account.id)
        try await planMany(occurrences)
        let last = rows.count == limit ? try rows.last?.decode(0, as: Plant.ID.self) : nil
        try await connection.execute(
            """
            UPDATE account SET replan_after = $3 WHERE lane = $1 AND id = $2 AND replan_after IS DISTINCT FROM $3
            """, [lane, account.id, last])
        return last == nil
    }

    /// The waterings of whose reviews some plants are reminded.
    func reminded(_ plants: [Plant]) async throws -> [Plant.ID: Watering] {
        let pointed = plants.compactMap { plant in plant.plans.reviewMissing.map { (id: plant.id, number: $0.subject) }
        }
        if pointed.isEmpty { return [:] }
        // OFFSET 0 keeps the planner from reading all waterings of the lane: without statistics it takes them for few.
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

    /// Has the statements that follow in this transaction planned for the values that they are given. After some executions a
    /// connection keeps a plan for any values, which takes arrays for ten elements and compares each with each: measured, that
    /// is ten times as slow.
    static let planningEachTime = Statement("SET LOCAL plan_cache_mode = force_custom_plan", [])

    /// Writes all that may change of many plants of one account.
    ///
    /// - Parameter isDueDateNew: whether a due date is noted that neither a watering nor a postponement set.
    func update(_ plants: [Plant], of account: Account.ID, isDueDateNew: (Plant) -> Bool = { _ in false }) async throws
    {
        if plants.isEmpty { return }
        try await write([LaneCommand.planningEachTime])
        let plants = plants.sorted { $0.id < $1.id }
        for start in stride(from: 0, to: plants.count, by: PlantRow.mostUpdated * 4) {
            let piece = plants[start..<min(start + PlantRow.mostUpdated * 4, plants.count)]
            let noted = piece.filter(isDueDateNew)
            try await write(
                PlantRow.updates(piece, of: account)
                    + (noted.isEmpty ? [] : [PlantRow.noteDueDates(of: noted, lane: lane, at: now)]))
        }
    }
}

// MARK: - Statistics

extension CareStore {
    /// So many new friends are more than what the planner can be left to guess about.
    public static let largeImport = 5_000

    /// Tells the planner what the tables of gardens hold now. Autovacuum does so too, but minutes later, and until then a
    /// statement may be planned as if they were empty.
    ///
    /// A session that acts for one account leaves it to others, and so does one that finds another at it. What was imported is
    /// there whatever comes of this, so an error is none of the import's.
    public func analyzeGardens() async {
        try? await pool.withConnection { connection in
            let rows = try await connection.query("SELECT has_function_privilege('analyze_gardens()', 'EXECUTE')")
            guard try rows.first?.decode(0, as: Bool.self) == true else { return }
            _ = try await connection.query("SELECT analyze_gardens()")
        }
    }
}
