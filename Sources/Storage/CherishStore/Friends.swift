import CherishCore
import Foundation
import Postgres
import Synchronization

extension Garden {
    /// Registers a friend (rule 1).
    ///
    /// - Throws: ``CareError/duplicatePhone(_:)`` if a living plant of the account has this phone.
    public func addFriend(_ registration: Registration, tags: [TagName] = []) async throws
        -> Plant
    {
        let living = Statement(
            """
            SELECT 1 FROM plant
            WHERE lane = $1 AND account_id = $2 AND phone = $3 AND removed_at IS NULL
            """, [accountID.lane, accountID, registration.phone.description])
        do {
            return try await command(
                reading: [AccountRow.locked(accountID, .share), living, PauseRow.list(of: accountID)]
            ) { command, rows in
                guard let row = rows[0].first else { throw CareError.notFound(.account) }
                let account = try AccountRow.decode(row)
                guard rows[1].isEmpty else { throw CareError.duplicatePhone(registration.phone) }
                let pauses = try PauseRow.pauses(rows[2])
                let tagIDs = pauses.isEmpty ? [] : try await command.tags(named: tags, of: accountID).map(\.id)
                let (plant, occurrences) = Plant.register(
                    registration, id: Plant.ID(store.identifiers.random()), for: account,
                    in: try command.context(for: account), pausedDays: pauses.days(of: nil, tagIDs: tagIDs))
                let statements = [
                    PlantRow.insert(plant, createdAt: command.now),
                    PlantRow.noteDueDate(of: plant, lane: command.lane, at: command.now),
                ]
                command.note([.friend(plant.id)], of: accountID)
                guard !tags.isEmpty else {
                    command.finish(statements, planning: occurrences)
                    return plant
                }
                try await command.write(statements, planning: occurrences)
                var order = try EditOrder(madeAt: nil, now: command.now)
                try await command.tag(plant, Tagging(adding: tags), in: &order)
                return plant
            }
        } catch let error as PostgresError where error.isUniqueViolation {
            // A concurrent command registered the same friend.
            throw CareError.duplicatePhone(registration.phone)
        }
    }

    /// Edits a plant (rule 1.7), and adds and removes tags (rule 9). Parts that were edited later stay (rule 14.3).
    public func editFriend(_ plantID: Plant.ID, _ edit: PlantEdit, _ tagging: Tagging = Tagging()) async throws
        -> Plant
    {
        try await command(on: plantID, reading: [EditedItemRow.read(.friend(plantID), of: accountID)]) {
            command, locked, rows in
            let before = locked.plant
            var order = try editOrder(rows[2], at: command.now)
            var edit = edit
            edit.settle(in: &order)
            let occurrences = try locked.plant.edit(edit, for: locked.account, in: locked.context)
            try await command.tag(locked.plant, tagging, in: &order)
            let more = try await command.adoptPauses(after: tagging, &locked)
            let plant = locked.plant
            if order.isOvertaken { return locked.before }
            var statements =
                [PlantRow.update(plant)] + EditedItemRow.write(order, of: .friend(plantID), in: accountID)
            if plant.ownDueOn != before.ownDueOn || plant.cycle != before.cycle {
                statements.append(PlantRow.noteDueDate(of: plant, lane: command.lane, at: command.now))
            } else if (plant.dueOn, plant.withersOn) != (before.dueOn, before.withersOn) {
                statements.append(PlantRow.notePauses(of: [plant], lane: command.lane, at: command.now))
            }
            command.note([.friend(plant.id)], of: accountID)
            command.finish(statements, planning: occurrences + more)
            return plant
        }
    }

    /// Removes a friend (rule 1.8).
    ///
    /// - Throws: ``CareError/editedSince`` if the friend was edited after the person decided that.
    public func removeFriend(_ plantID: Plant.ID) async throws -> Plant {
        try await command(on: plantID, reading: [EditedItemRow.read(.friend(plantID), of: accountID)]) {
            command, locked, rows in
            var order = try editOrder(rows[2], at: command.now)
            // First: somebody who removes a friend that is gone already must hear just that.
            try locked.plant.remove(in: locked.context)
            try order.delete()
            command.note([.friend(plantID)], of: accountID)
            command.finish(
                [PlantRow.update(locked.plant)] + EditedItemRow.write(order, of: .friend(plantID), in: accountID))
            return locked.plant
        }
    }

    /// Brings a removed friend back (rule 1.8); a living one stays as it is.
    ///
    /// - Throws: ``CareError/duplicatePhone(_:)`` if a living plant of the account has this phone.
    public func restoreFriend(_ plantID: Plant.ID) async throws -> Plant {
        let phone = Mutex<PhoneNumber?>(nil)
        do {
            return try await command(on: plantID, reading: [EditedItemRow.read(.friend(plantID), of: accountID)]) {
                command, locked, rows in
                guard locked.plant.archivedAt != nil else { return locked.before }
                var order = try editOrder(rows[2], at: command.now)
                order.restore()
                phone.withLock { $0 = locked.plant.phone }
                let pausedDays = try await command.pausedDays(of: [locked.plant], in: accountID)
                let occurrences = locked.plant.restore(
                    for: locked.account, in: locked.context, pausedDays: pausedDays[plantID] ?? .none)
                let plant = locked.plant
                command.note([.friend(plantID)], of: accountID)
                command.finish(
                    [PlantRow.update(plant), PlantRow.noteDueDate(of: plant, lane: command.lane, at: command.now)]
                        + EditedItemRow.write(order, of: .friend(plantID), in: accountID),
                    planning: occurrences)
                return plant
            }
        } catch let error as PostgresError where error.isUniqueViolation {
            guard let phone = phone.withLock({ $0 }) else { throw error }
            throw CareError.duplicatePhone(phone)
        }
    }
}
