import CherishCore
import Foundation
import Postgres

// Pauses (rules 13.1 and 13.2, decision 63). Beginning, changing and ending one are commands that plan anew what they touch. The
// pauses of an account or a tag may touch the whole garden, which is then replanned in pieces: see `Replanning.swift`.

/// A pause with the names that people know.
public struct PauseView: Sendable, Equatable {
    public let pause: Pause
    /// The tag that it is for.
    public let tag: TagName?
    /// The nickname of the friend whom it is for.
    public let friend: Nickname?
}

/// Whom a new pause is for.
public enum PauseTarget: Sendable {
    case account
    case tag(TagName)
    case friend(Plant.ID)
}

/// Changes of a pause; nil leaves a part unchanged.
public struct PauseEdit: Sendable {
    public var first: CivilDay?
    public var last: CivilDay?
    public var isSpread: Bool?

    public init() {}

    /// Leaves out the parts that newer edits have overtaken (rule 14.3).
    mutating func settle(in order: inout EditOrder) {
        order.settle("from", &first)
        order.settle("to", &last)
        order.settle("spread", &isSpread)
    }
}

extension Garden {
    /// Returns the account's pauses by their first days, those that are over too.
    public func pauses() async throws -> (viewpoint: Viewpoint, pauses: [PauseView]) {
        let (viewpoint, rows) = try await see([PauseRow.views(of: accountID)])
        return (viewpoint, try rows[0].map(PauseRow.view))
    }

    /// Returns the pause whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func pause(_ prefix: String) async throws -> Pause.ID {
        guard let range = UUID.range(beginningWith: prefix) else { throw CareError.notFound(.pause) }
        return try await read(
            "SELECT id FROM pause WHERE lane = $1 AND account_id = $2 AND id BETWEEN $3 AND $4 LIMIT 2",
            [accountID.lane, accountID, range.lowerBound, range.upperBound]
        ).only(beginningWith: prefix, orElse: .pause).decode(0)
    }

    /// Begins a pause.
    ///
    /// - Parameter first: nil begins it today.
    /// - Throws: ``CareError/invalidPause(_:)``, ``CareError/notFound(_:)`` for a tag or a friend that the account does not have.
    public func beginPause(
        of target: PauseTarget, from first: CivilDay?, to last: CivilDay, isSpread: Bool
    ) async throws -> Pause {
        try await pauseCommand { command, known, today in
            let scope = try await command.scope(of: target, in: accountID)
            let pause = try Pause(
                id: Pause.ID(store.identifiers.random()), scope, from: first ?? today, to: last, isSpread: isSpread,
                today: today)
            var statements = [PauseRow.insert(pause, of: accountID)]
            if known.count >= Pause.mostPerAccount {
                guard let oldest = known.first(where: { $0.days.upperBound < today }) else {
                    throw CareError.invalidPause(.tooMany)
                }
                known.removeAll { $0.id == oldest.id }
                command.note([.pause(oldest.id)], of: accountID)
                statements.insert(PauseRow.delete(oldest.id, of: accountID), at: 0)
            }
            known.append(pause)
            return (pause, statements)
        }
    }

    /// Changes a pause that is not over. Parts that were edited later stay (rule 14.3).
    ///
    /// - Throws: ``CareError/invalidPause(_:)``, ``CareError/notFound(_:)``.
    public func editPause(_ id: Pause.ID, _ edit: PauseEdit) async throws -> Pause {
        try await pauseCommand { command, known, today in
            guard let place = known.firstIndex(where: { $0.id == id }) else { throw CareError.notFound(.pause) }
            var order = try await editOrder(of: id, command)
            var edit = edit
            edit.settle(in: &order)
            try known[place].edit(from: edit.first, to: edit.last, isSpread: edit.isSpread, today: today)
            return (
                known[place],
                [PauseRow.update(known[place], of: accountID)]
                    + EditedItemRow.write(order, of: .pause(id), in: accountID)
            )
        }
    }

    /// Ends a pause, so that today is no part of it. One that did not begin before today is deleted.
    ///
    /// - Returns: the pause as it was or is.
    /// - Throws: ``CareError/invalidPause(_:)`` if it is over, ``CareError/notFound(_:)``.
    public func endPause(_ id: Pause.ID) async throws -> Pause {
        try await pauseCommand { command, known, today in
            guard let place = known.firstIndex(where: { $0.id == id }) else { throw CareError.notFound(.pause) }
            var order = try await editOrder(of: id, command)
            try order.delete()
            var pause = known[place]
            guard try pause.end(today: today) else {
                known.remove(at: place)
                return (pause, [PauseRow.delete(id, of: accountID)])
            }
            known[place] = pause
            return (pause, [PauseRow.update(pause, of: accountID)])
        }
    }

    private func editOrder(of id: Pause.ID, _ command: LaneCommand) async throws -> EditOrder {
        try editOrder(
            try await command.connection.query(EditedItemRow.read(.pause(id), of: accountID)), at: command.now)
    }

    /// Changes the account's pauses, and replans what that touches. The account's row stays locked, so pauses change one after the
    /// other.
    ///
    /// - Parameter body: receives the pauses as they are and the account's day; leaves them as they will be, and returns the pause
    ///   that changed and what to write.
    private func pauseCommand(
        _ body: (LaneCommand, inout [Pause], CivilDay) async throws -> (Pause, [Statement])
    ) async throws -> Pause {
        let (changed, isPlanned) = try await command { command in
            var account = try await command.account(accountID, lock: .update)
            var pauses = try PauseRow.pauses(try await command.connection.query(PauseRow.list(of: accountID)))
            let today = try command.context(for: account).today
            let (changed, statements) = try await body(command, &pauses, today)
            account.pausedDays = pauses.daysOfAccount
            try await command.write(statements + [AccountRow.updatePauses(of: account)])
            command.note([.pause(changed.id)], of: accountID)
            if case .friend(let id) = changed.scope {
                try await command.adoptPauses(id, of: account)
                return (changed, true)
            }
            // Start over, even if an earlier change is still being replanned.
            return (changed, try await command.replan(account, after: .least, limit: store.replanningPiece))
        }
        if !isPlanned { try await finishReplanning() }
        return changed
    }
}

extension LaneCommand {
    /// Finds whom a pause is for. Tags and friends of the account are locked by its row.
    fileprivate func scope(of target: PauseTarget, in account: Account.ID) async throws -> Pause.Scope {
        switch target {
        case .account: return .account
        case .tag(let name): return .tag(try await tags(named: [name], of: account)[0].id)
        case .friend(let id):
            let living = try await connection.query(
                "SELECT 1 FROM plant WHERE lane = $1 AND id = $2 AND account_id = $3 AND removed_at IS NULL",
                [lane, id, account])
            if living.isEmpty { throw CareError.notFound(.plant) }
            return .friend(id)
        }
    }

    /// Lets one friend take over its pauses.
    fileprivate func adoptPauses(_ id: Plant.ID, of account: Account) async throws {
        guard let row = try await connection.query(PlantRow.locked(id, of: account.id)).first else { return }
        let before = try PlantRow.decode(row)
        var plant = before
        let pausedDays = try await pausedDays(of: [plant], in: account.id)
        let occurrences = plant.adopt(pausedDays[id] ?? .none, for: account, in: try context(for: account))
        guard plant != before else { return }
        plant.beginChange(at: now)
        note([.friend(id)], of: account.id)
        let isMoved = (plant.dueOn, plant.withersOn) != (before.dueOn, before.withersOn)
        try await write(
            [PlantRow.update(plant)] + (isMoved ? [PlantRow.notePauses(of: [plant], lane: lane, at: now)] : []),
            planning: occurrences)
    }

    /// Lets a friend whose tags have changed take over the pauses of the new ones.
    ///
    /// - Returns: the occurrences to add to the calendar.
    func adoptPauses(after tagging: Tagging, _ locked: inout Garden.LockedPlant) async throws -> [Occurrence] {
        if tagging.adding.isEmpty && tagging.removing.isEmpty { return [] }
        let pausedDays = try await pausedDays(of: [locked.plant], in: locked.account.id)
        return locked.plant.adopt(pausedDays[locked.plant.id] ?? .none, for: locked.account, in: locked.context)
    }

    /// Returns when plants of an account are paused; empty if it has no pauses.
    func pausedDays(of plants: [Plant], in account: Account.ID) async throws -> [Plant.ID: PausedDays] {
        let pauses = try PauseRow.pauses(try await connection.query(PauseRow.list(of: account)))
        if pauses.isEmpty { return [:] }
        var tagIDs: [Plant.ID: [Tag.ID]] = [:]
        let paused = pauses.compactMap(\.scope.tag)
        if !paused.isEmpty {
            let rows = try await connection.query(
                "SELECT plant_id, tag_id FROM plant_tag WHERE lane = $1 AND plant_id = ANY ($2) AND tag_id = ANY ($3)",
                [lane, plants.map(\.id), paused])
            for row in rows { tagIDs[try row.decode(0), default: []].append(try row.decode(1)) }
        }
        return Dictionary(
            plants.map { ($0.id, pauses.days(of: $0.id, tagIDs: tagIDs[$0.id] ?? [])) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Begins to replan the garden of an account that has pauses, because other friends may have tags of pauses now. The account's
    /// row must be locked.
    ///
    /// - Returns: whether it has pauses; if so, somebody must finish.
    func replanWherePaused(_ account: Account.ID) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE account SET replan_after = $3 WHERE lane = $1 AND id = $2
                AND EXISTS (SELECT 1 FROM pause WHERE pause.lane = $1 AND pause.account_id = $2)
            """, [lane, account, Plant.ID.least]) > 0
    }
}

/// The rows of `pause`.
enum PauseRow {
    private static let columns: SQL = """
        pause.id, pause.tag_id, pause.plant_id, pause.first_day, pause.last_day, pause.is_spread
        """

    /// Selects the pauses of an account by their first days.
    static func list(of account: Account.ID) -> Statement {
        Statement(
            "SELECT \(columns) FROM pause WHERE lane = $1 AND account_id = $2 ORDER BY first_day, id",
            [account.lane, account])
    }

    /// The same with the names of tags and friends.
    static func views(of account: Account.ID) -> Statement {
        Statement(
            """
            SELECT \(columns), tag.name, plant.nickname FROM pause
            LEFT JOIN tag ON tag.lane = $1 AND tag.id = pause.tag_id
            LEFT JOIN plant ON plant.lane = $1 AND plant.id = pause.plant_id
            WHERE pause.lane = $1 AND pause.account_id = $2 ORDER BY pause.first_day, pause.id
            """, [account.lane, account])
    }

    /// Returns the pauses of several accounts.
    static func all(of accounts: [Account.ID], on connection: Connection) async throws -> [Account.ID: [Pause]] {
        // One statement for each lane, because the lane determines the shard.
        let rows = try await connection.pipeline(
            Dictionary(grouping: accounts, by: \.lane).sorted { $0.key < $1.key }.map { lane, accounts in
                Statement(
                    "SELECT account_id, \(columns) FROM pause WHERE lane = $1 AND account_id = ANY ($2)",
                    [lane, accounts])
            })
        var pauses: [Account.ID: [Pause]] = [:]
        for row in rows.joined() {
            var reader = row.reader
            let account = try reader.next(Account.ID.self)
            pauses[account, default: []].append(try decode(&reader))
        }
        return pauses
    }

    static func pauses(_ rows: Rows) throws -> [Pause] {
        try rows.map { row in
            var reader = row.reader
            return try decode(&reader)
        }
    }

    static func view(_ row: Row) throws -> PauseView {
        var reader = row.reader
        let pause = try decode(&reader)
        return PauseView(
            pause: pause, tag: try reader.next(String?.self).map { TagName(stored: $0) },
            friend: try reader.next(String?.self).map { Nickname(stored: $0) })
    }

    private static func decode(_ reader: inout RowReader) throws -> Pause {
        let id = try reader.next(Pause.ID.self)
        return try reader.reading("pause", key: { [.id(id)] }) { reader in
            let tag = try reader.next(Tag.ID?.self)
            let friend = try reader.next(Plant.ID?.self)
            let (first, last) = (try reader.next(CivilDay.self), try reader.next(CivilDay.self))
            guard first <= last else { throw UnreadableRow(what: "a pause that ends before it begins") }
            return Pause(
                stored: id, tag.map { .tag($0) } ?? friend.map { .friend($0) } ?? .account, first...last,
                isSpread: try reader.next())
        }
    }

    static func insert(_ pause: Pause, of account: Account.ID) -> Statement {
        Statement(
            """
            INSERT INTO pause (lane, id, account_id, tag_id, plant_id, first_day, last_day, is_spread)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                account.lane, pause.id, account, pause.scope.tag, pause.scope.friend, pause.days.lowerBound,
                pause.days.upperBound, pause.isSpread,
            ])
    }

    static func update(_ pause: Pause, of account: Account.ID) -> Statement {
        Statement(
            """
            UPDATE pause SET first_day = $4, last_day = $5, is_spread = $6
            WHERE lane = $1 AND account_id = $2 AND id = $3
            """,
            [account.lane, account, pause.id, pause.days.lowerBound, pause.days.upperBound, pause.isSpread])
    }

    static func delete(_ pause: Pause.ID, of account: Account.ID) -> Statement {
        Statement("SELECT delete_pauses($1, $2, $3)", [account.lane, account, [pause]])
    }
}

extension PausedDays {
    /// As the columns hold it: the first and the last day of each span.
    var stored: [CivilDay] { spans.flatMap { [$0.lowerBound, $0.upperBound] } }

    /// - Throws: ``UnreadableRow``.
    init(storedPairs days: [CivilDay], spreadDays: [CivilDay] = []) throws {
        if days.isEmpty && spreadDays.isEmpty {
            self = .none
            return
        }
        self.init(
            stored: try stride(from: 0, to: days.count, by: 2).map { place in
                guard place + 1 < days.count, days[place] <= days[place + 1] else {
                    throw UnreadableRow(what: "paused days that are no spans")
                }
                return days[place]...days[place + 1]
            }, spreadDays: spreadDays)
    }
}
