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

/// What became of one contact of an import.
public enum ImportOutcome: Hashable, Sendable {
    case planted(Plant)
    case renamed(Plant)
    case restored(Plant)
    /// A living plant has this phone and name already.
    case unchanged(Plant)
    /// The friend was removed before and is not brought back unless that is asked for.
    case removedBefore(Plant)
    /// An earlier contact of the same file has this phone.
    case repeated
}

extension CareStore {
    /// Registers a friend (rule 1).
    ///
    /// - Throws: ``CareError/duplicatePhone(_:)`` when a living plant of the account has this phone.
    public func addFriend(_ registration: Registration, to accountID: Account.ID) async throws -> Plant {
        try await command(in: accountID.lane) { command in
            let account = try await command.account(accountID)
            let present = try command.present(for: account)
            let rows = try await command.connection.query(
                """
                SELECT count(*) FILTER (WHERE archived_at IS NOT NULL), count(*) FILTER (WHERE archived_at IS NULL)
                FROM plant WHERE lane = $1 AND account_id = $2 AND phone = $3
                """, [command.lane, accountID, registration.phone.description])
            guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no counts") }
            let removedBefore = try reader.next(Int.self)
            guard try reader.next(Int.self) == 0 else { throw CareError.duplicatePhone(registration.phone) }
            let id = UniqueIdentifiers.plant(
                account: accountID, phone: registration.phone, removedBefore: removedBefore)
            let (plant, occurrences) = Plant.register(registration, id: id, for: account, at: present)
            do {
                try await command.write(
                    [
                        PlantRow.insert(plant, lane: command.lane, createdAt: command.now),
                        PlantRow.noteDueDate(of: plant, lane: command.lane, at: command.now),
                    ], planning: occurrences)
            } catch let error as PostgresError where error.sqlState == "23505" {
                // Another command registered the same friend at the same moment.
                throw CareError.duplicatePhone(registration.phone)
            }
            return plant
        }
    }

    /// Registers many friends at once: all of them, or none when the database goes away in between.
    ///
    /// - Parameters:
    ///   - restoring: whether friends that were removed before are brought back.
    ///   - isDryRun: only tells what would happen.
    /// - Returns: what became of each registration, in their order.
    public func importFriends(
        _ registrations: [Registration], to accountID: Account.ID, restoring: Bool, isDryRun: Bool
    ) async throws -> [ImportOutcome] {
        try await command(in: accountID.lane) { command in
            let account = try await command.account(accountID, lock: .update)
            let present = try command.present(for: account)
            let known = try await command.connection.query(
                "SELECT \(PlantRow.columns) FROM plant WHERE lane = $1 AND account_id = $2 ORDER BY created_at, archived_at, id FOR UPDATE",
                [command.lane, accountID]
            ).map(PlantRow.decode)
            var importing = FriendImport(account: account, present: present, known: known, restoring: restoring)
            let outcomes = try registrations.map { try importing.take($0) }
            if !isDryRun {
                // Occurrences first: should a partition be missing, little was done in vain.
                for start in stride(from: 0, to: importing.occurrences.count, by: 10_000) {
                    try await command.write(planning: Array(importing.occurrences.dropFirst(start).prefix(10_000)))
                }
                for start in stride(from: 0, to: importing.statements.count, by: 500) {
                    try await command.write(Array(importing.statements.dropFirst(start).prefix(500)))
                }
            }
            return outcomes
        }
    }

    /// Edits a plant (rule 1.7).
    public func editFriend(_ reference: PlantReference, _ edit: PlantEdit) async throws -> Plant {
        try await command(in: reference.lane) { command in
            let (before, account) = try await command.plant(reference)
            var plant = before
            let occurrences = try plant.edit(edit, for: account, at: try command.present(for: account))
            var statements = [PlantRow.update(plant, lane: command.lane)]
            if plant.dueOn != before.dueOn || plant.cycle != before.cycle {
                statements.append(PlantRow.noteDueDate(of: plant, lane: command.lane, at: command.now))
            }
            try await command.write(statements, planning: occurrences)
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

/// Decides what an import does with each contact, and collects the statements that do it.
private struct FriendImport {
    let account: Account
    let present: Present
    let restoring: Bool
    var living: [PhoneNumber: Plant] = [:]
    var archived: [PhoneNumber: [Plant]] = [:]
    var seen: Set<PhoneNumber> = []
    var statements: [Statement] = []
    var occurrences: [Occurrence] = []

    init(account: Account, present: Present, known: [Plant], restoring: Bool) {
        self.account = account
        self.present = present
        self.restoring = restoring
        for plant in known {
            if plant.archivedAt == nil {
                living[plant.phone] = plant
            } else {
                archived[plant.phone, default: []].append(plant)
            }
        }
    }

    private var lane: Lane { account.id.lane }

    mutating func take(_ registration: Registration) throws -> ImportOutcome {
        guard seen.insert(registration.phone).inserted else { return .repeated }
        if var plant = living[registration.phone] {
            guard try plant.correctName(registration.name, at: present) else { return .unchanged(plant) }
            statements.append(PlantRow.update(plant, lane: lane))
            return .renamed(plant)
        }
        if var plant = archived[registration.phone]?.last {
            guard restoring else { return .removedBefore(plant) }
            occurrences += plant.restore(for: account, at: present)
            _ = try plant.correctName(registration.name, at: present)
            statements.append(PlantRow.update(plant, lane: lane))
            statements.append(PlantRow.noteDueDate(of: plant, lane: lane, at: present.now))
            return .restored(plant)
        }
        let id = UniqueIdentifiers.plant(account: account.id, phone: registration.phone, removedBefore: 0)
        let (plant, planned) = Plant.register(registration, id: id, for: account, at: present)
        statements.append(PlantRow.insert(plant, lane: lane, createdAt: present.now))
        statements.append(PlantRow.noteDueDate(of: plant, lane: lane, at: present.now))
        occurrences += planned
        return .planted(plant)
    }
}
