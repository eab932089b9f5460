import CherishCore
import Foundation
import Postgres

extension Garden {
    /// Registers a friend (rule 1).
    ///
    /// - Throws: ``CareError/duplicatePhone(_:)`` if a living plant of the account has this phone.
    public func addFriend(_ registration: Registration, tags: [TagName] = []) async throws
        -> Plant
    {
        try await command { command in
            let account = try await command.account(accountID)
            let context = try command.context(for: account)
            let living = try await command.connection.query(
                """
                SELECT 1 FROM plant
                WHERE lane = $1 AND account_id = $2 AND phone = $3 AND removed_at IS NULL
                """, [command.lane, accountID, registration.phone.description])
            guard living.isEmpty else { throw CareError.duplicatePhone(registration.phone) }
            let (plant, occurrences) = Plant.register(
                registration, id: Plant.ID(store.identifiers.random()), for: account, in: context)
            do {
                try await command.write(
                    [
                        PlantRow.insert(plant, createdAt: command.now),
                        PlantRow.noteDueDate(of: plant, lane: command.lane, at: command.now),
                    ], planning: occurrences)
            } catch let error as PostgresError where error.isUniqueViolation {
                // A concurrent command registered the same friend.
                throw CareError.duplicatePhone(registration.phone)
            }
            try await command.tag(plant, Tagging(adding: tags))
            return plant
        }
    }

    /// Edits a plant (rule 1.7), and adds and removes tags (rule 9).
    public func editFriend(_ plantID: Plant.ID, _ edit: PlantEdit, _ tagging: Tagging = Tagging()) async throws
        -> Plant
    {
        try await command { command in
            let (before, account) = try await command.plant(plantID, of: accountID)
            var plant = before
            let occurrences = try plant.edit(edit, for: account, in: try command.context(for: account))
            var statements = [PlantRow.update(plant)]
            if plant.dueOn != before.dueOn || plant.cycle != before.cycle {
                statements.append(PlantRow.noteDueDate(of: plant, lane: command.lane, at: command.now))
            }
            try await command.write(statements, planning: occurrences)
            try await command.tag(plant, tagging)
            return plant
        }
    }

    /// Removes a friend (rule 1.8).
    public func removeFriend(_ plantID: Plant.ID) async throws -> Plant {
        try await command { command in
            var (plant, account) = try await command.plant(plantID, of: accountID)
            try plant.remove(in: try command.context(for: account))
            try await command.write([PlantRow.update(plant)])
            return plant
        }
    }
}
