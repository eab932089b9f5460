import CherishCore
import Foundation
import Postgres

/// Where a plant is: its id, and the account whose lane it is in.
public struct PlantReference: Hashable, Sendable {
    public let id: Plant.ID
    public let accountID: Account.ID

    public init(id: Plant.ID, accountID: Account.ID) {
        self.id = id
        self.accountID = accountID
    }

    var lane: Lane { accountID.lane }
}

extension Plant {
    public var reference: PlantReference { PlantReference(id: id, accountID: accountID) }
}

extension CareStore {
    /// Registers a friend (rule 1).
    ///
    /// - Throws: ``CareError/duplicatePhone(_:)`` when a living plant of the account has this phone.
    public func addFriend(_ registration: Registration, to accountID: Account.ID, tags: [TagName] = []) async throws
        -> Plant
    {
        try await command(in: accountID.lane) { command in
            let account = try await command.account(accountID)
            let present = try command.present(for: account)
            let living = try await command.connection.query(
                """
                SELECT 1 FROM plant
                WHERE lane = $1 AND account_id = $2 AND phone = $3 AND archived_at IS NULL
                """, [command.lane, accountID, registration.phone.description])
            guard living.isEmpty else { throw CareError.duplicatePhone(registration.phone) }
            let (plant, occurrences) = Plant.register(
                registration, id: Plant.ID(identifiers.random()), for: account, at: present)
            do {
                try await command.write(
                    [
                        PlantRow.insert(plant, lane: command.lane, createdAt: command.now),
                        PlantRow.noteDueDate(of: plant, lane: command.lane, at: command.now),
                    ], planning: occurrences)
            } catch let error as PostgresError where error.isUniqueViolation {
                // Another command registered the same friend at the same moment.
                throw CareError.duplicatePhone(registration.phone)
            }
            try await command.tag(plant, Tagging(adding: tags))
            return plant
        }
    }

    /// Edits a plant (rule 1.7), and gives and takes tags (rule 9).
    public func editFriend(_ reference: PlantReference, _ edit: PlantEdit, _ tagging: Tagging = Tagging()) async throws
        -> Plant
    {
        try await command(in: reference.lane) { command in
            let (before, account) = try await command.plant(reference)
            var plant = before
            let occurrences = try plant.edit(edit, for: account, at: try command.present(for: account))
            var statements = [PlantRow.update(plant, lane: command.lane)]
            if plant.dueOn != before.dueOn || plant.cycle != before.cycle {
                statements.append(PlantRow.noteDueDate(of: plant, lane: command.lane, at: command.now))
            }
            try await command.write(statements, planning: occurrences)
            try await command.tag(plant, tagging)
            return plant
        }
    }

    /// Archives a plant (rule 1.8).
    public func removeFriend(_ reference: PlantReference) async throws -> Plant {
        try await command(in: reference.lane) { command in
            var (plant, account) = try await command.plant(reference)
            try plant.archive(at: try command.present(for: account))
            try await command.write([PlantRow.update(plant, lane: command.lane)])
            return plant
        }
    }
}
