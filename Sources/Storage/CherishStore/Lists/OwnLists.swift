import CherishCore
import Foundation
import Postgres

// What an owner does with its lists (rules 11.1, 11.6 and 11.7). Each command is one transaction in the owner's lane; it leaves
// news for the helper's lane, and delivers it after its commit (ListNews.swift).

/// The lists that an account wrote, as it sees them.
public struct ListsOverview: Sendable {
    public let viewpoint: Viewpoint
    /// The newest first.
    public let lists: [StoredList]
}

extension Garden {
    /// Begins a draft (rule 11.1).
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``.
    public func writeList(_ draft: ShoppingListDraft) async throws -> StoredList {
        let drafts = Statement(
            "SELECT 1 FROM shopping_list WHERE lane = $1 AND account_id = $2 AND opened_at IS NULL LIMIT $3",
            [accountID.lane, accountID, ListLimits.drafts])
        return try await command(reading: [AccountRow.locked(accountID, .update), drafts]) { command, rows in
            if rows[0].isEmpty { throw CareError.notFound(.account) }
            guard rows[1].count < ListLimits.drafts else { throw ShoppingListError.tooManyDrafts }
            let id = ShoppingList.ID(store.identifiers.random(), in: accountID.lane)
            let list = StoredList(try ShoppingList.write(draft, id: id, for: accountID, at: command.now))
            command.note([.list(id)], of: accountID)
            command.finish([ShoppingListRow.insert(list)])
            return list
        }
    }

    /// Edits a draft or an open list (rule 11.1). Parts that were edited later stay (rule 14.3).
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``, ``VersionPassed``.
    public func editList(_ id: ShoppingList.ID, _ edit: ShoppingListEdit) async throws -> StoredList {
        try await command(onList: id, reading: [EditedItemRow.read(.list(id), of: accountID)]) { command, locked in
            var order = try editOrder(locked.rows[0], at: command.now)
            var edit = edit
            edit.settle(in: &order)
            if order.isOvertaken { return locked.stored }
            try locked.stored.list.edit(edit, at: command.now)
            return locked.finish(command, EditedItemRow.write(order, of: .list(id), in: accountID))
        }
    }

    /// Lets neighbours find a draft (rule 11.2), from where the account's postcode is now.
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``, ``VersionPassed``.
    public func openList(_ id: ShoppingList.ID) async throws -> StoredList {
        let active = Statement(
            """
            SELECT count(*) FROM shopping_list
            WHERE lane = $1 AND account_id = $2 AND opened_at IS NOT NULL AND delivered_at IS NULL AND cancelled_at IS NULL
                AND expires_at > coalesce($3, clock_timestamp())
            """, [accountID.lane, accountID, store.time.fixedInstant])
        // The edit of an account takes the stronger lock, and so do two lists that are opened at once.
        return try await command(onList: id, lock: .update, reading: [active, position]) { command, locked in
            try locked.stored.list.open(at: command.now)
            var count = locked.rows[0].first?.reader
            guard try count?.nextCount() ?? 0 < ListLimits.open else { throw ShoppingListError.tooManyOpen }
            guard let place = try locked.rows[1].first.map(ListPlace.init) else {
                throw ShoppingListError.postcodeUnknown
            }
            locked.stored.place = place
            return locked.finish(command)
        }
    }

    /// Takes a list back (rule 11.7).
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``, ``VersionPassed``.
    public func cancelList(_ id: ShoppingList.ID) async throws -> StoredList {
        let list = try await command(onList: id) { command, locked in
            try locked.stored.list.cancel(at: command.now)
            return locked.finish(command, tells: true)
        }
        await store.tellSoon(list)
        return list
    }

    /// Rates the helper (rule 11.6).
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``.
    public func rateHelper(_ id: ShoppingList.ID, _ rating: HelperRating) async throws -> StoredList {
        let list = try await command(onList: id) { command, locked in
            try locked.stored.list.rate(rating, at: command.now)
            return locked.finish(command, tells: true)
        }
        await store.tellSoon(list)
        return list
    }

    /// Deletes a draft.
    ///
    /// - Throws: ``ShoppingListError/notADraft``, ``CareError/notFound(_:)``, ``VersionPassed``, ``CareError/editedSince`` if it
    ///   was edited after the person decided that.
    public func removeList(_ id: ShoppingList.ID) async throws {
        try await command(onList: id, reading: [EditedItemRow.read(.list(id), of: accountID)]) { command, locked in
            var order = try editOrder(locked.rows[0], at: command.now)
            try order.delete()
            guard locked.stored.list.openedAt == nil else { throw ShoppingListError.notADraft }
            command.note([.list(id)], of: accountID)
            command.finish([Statement("SELECT delete_draft_list($1, $2, $3)", [command.lane, accountID, id])])
        }
    }

    /// The account's lists, the newest first.
    public func shoppingLists() async throws -> ListsOverview {
        try await shoppingLists(
            Statement(
                """
                SELECT \(ShoppingListRow.columns) FROM shopping_list WHERE lane = $1 AND account_id = $2
                ORDER BY created_at DESC, id LIMIT $3
                """, [accountID.lane, accountID, Garden.mostLists]))
    }

    /// One list of the account.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func shoppingList(_ id: ShoppingList.ID) async throws -> ListsOverview {
        let seen = try await shoppingLists(ShoppingListRow.read(id, of: accountID))
        if seen.lists.isEmpty { throw CareError.notFound(.list) }
        return seen
    }

    /// The receipt of one of the account's lists (rule 11.6).
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func receipt(of id: ShoppingList.ID) async throws -> ShoppingReceipt {
        guard let list = try await shoppingList(id).lists.first?.list else { throw CareError.notFound(.list) }
        return try await receipt(of: list)
    }

    /// The receipt of a list that was read in this lane.
    func receipt(of list: ShoppingList) async throws -> ShoppingReceipt {
        guard let acceptance = list.acceptance, acceptance.receipt != nil,
            let row = try await read([ShoppingReceiptRow.read(of: list, by: acceptance.helperID)])[0].first,
            let receipt = try row.decode(0, as: Bytea?.self).flatMap({ ShoppingReceipt($0.bytes) })
        else { throw CareError.notFound(.receipt) }
        return receipt
    }

    /// How many of its newest lists an account sees at a time.
    public static let mostLists = 200

    private func shoppingLists(_ statement: Statement) async throws -> ListsOverview {
        let seen = try await see([statement])
        return ListsOverview(viewpoint: seen.viewpoint, lists: try seen.rows[0].map(ShoppingListRow.decode))
    }

    private var position: Statement {
        Statement("SELECT area, latitude, longitude FROM account_position($1, $2)", [accountID.lane, accountID])
    }
}

extension ListPlace {
    fileprivate init(_ row: Row) throws {
        var reader = row.reader
        area = try reader.next()
        position = Position(latitude: try reader.next(), longitude: try reader.next())
    }
}

// MARK: - Commands

extension Garden {
    /// A list and its owner, read and locked for a command.
    struct LockedList: Sendable {
        /// As the command leaves it.
        var stored: StoredList
        let owner: Account
        let context: CommandContext
        /// What the command has read besides.
        let rows: [Rows]
        /// Who helped when it was read, and what kind of receipt there was.
        let helperID: Account.ID?
        let receipt: ShoppingReceipt.Format?

        /// Writes the list with COMMIT, plans the owner's pushes, and leaves news for whoever helps, or has just stopped.
        ///
        /// - Parameter topic: what the owner is told; nil if the owner did it.
        mutating func finish(
            _ command: LaneCommand, _ more: [Statement] = [], telling topic: Topic? = nil, tells: Bool = false
        ) -> StoredList {
            let list = stored.list
            if list.acceptance == nil { stored.helper = nil }
            let planned = list.plan(&stored.plans, telling: topic, in: context)
            var statements = [ShoppingListRow.update(stored)] + more
            if receipt != nil, list.acceptance?.receipt == nil {
                statements.append(ShoppingReceiptRow.remove(of: list, at: command.now))
            }
            if tells, let recipient = list.acceptance?.helperID ?? helperID {
                statements.append(ListNewsRow.write(list, for: recipient, at: command.now))
            }
            command.note([.list(list.id)], of: list.ownerID)
            command.finish(statements, planning: planned.map(list.occurrence))
            return stored
        }
    }

    /// Runs a command about a list of this account, whoever it is for. Account and list are read and locked with the lane,
    /// in one round trip.
    ///
    /// - Parameter statements: what else the command reads in that round trip.
    func command<Result: Sendable>(
        onList list: ShoppingList.ID, lock: RowLock = .share, reading statements: [Statement] = [],
        _ body: (LaneCommand, inout LockedList) async throws -> Result
    ) async throws -> Result {
        let locking = [AccountRow.locked(accountID, lock), ShoppingListRow.locked(list, of: accountID)]
        return try await command(reading: locking + statements) { command, rows in
            guard let account = rows[0].first else { throw CareError.notFound(.account) }
            guard let row = rows[1].first else { throw CareError.notFound(.list) }
            let owner = try AccountRow.decode(account)
            let stored = try ShoppingListRow.decode(row)
            try requireExpected(stored.list.version)
            var locked = LockedList(
                stored: stored, owner: owner, context: try command.context(for: owner), rows: Array(rows.dropFirst(2)),
                helperID: stored.list.acceptance?.helperID, receipt: stored.list.acceptance?.receipt)
            return try await body(command, &locked)
        }
    }
}
