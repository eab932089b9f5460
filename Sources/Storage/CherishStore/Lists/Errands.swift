import CherishCore
import Foundation
import Postgres

/// The lists of others that an account finds, accepts and fetches (rule 11.4).
///
/// A list lies in its owner's lane. What the helper does there runs in a session for the owner, and only through the commands
/// of this type, each of which first asks what the account is to the list: its helper, or a stranger.
public struct Errands: Sendable {
    /// The helper's.
    let garden: Garden
    var store: CareStore { garden.store }
    var accountID: Account.ID { garden.accountID }

    /// How many lists a search finds at most.
    public static let mostNearby = 50
}

extension CareStore {
    /// The errands of one account, whether the account exists or not.
    public func errands(of account: Account.ID) -> Errands { Errands(garden: garden(of: account)) }

    /// The owner of a list.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    func owner(of list: ShoppingList.ID) async throws -> Account.ID {
        let session = gardenRole.map { AccountSession(nil, role: $0) }
        let statement = Statement("SELECT list_owner($1, $2)", [list.lane, list])
        let rows = try await pool.withConnection { connection in
            guard let session else { return try await connection.query(statement) }
            return try await connection.transaction([session.opening, statement])[1]
        }
        guard let owner = try rows.first?.decode(0, as: Account.ID?.self) else { throw CareError.notFound(.list) }
        return owner
    }

    /// The list whose id begins with at least 8 hexadecimal digits, whoever's it is: for operators.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func listID(_ prefix: String) async throws -> ShoppingList.ID {
        if let whole = UUID(uuidString: prefix) { return ShoppingList.ID(whole) }
        return try await find("id", in: "shopping_list", prefix, orElse: .list).decode(0)
    }

    /// Returns the account of the list whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func owner(ofList prefix: String) async throws -> Account.ID {
        try await find("account_id", in: "shopping_list", prefix, orElse: .list).decode(0)
    }
}

// MARK: - Finding

/// An open list of a neighbour: all that strangers learn of it (rule 11.3).
public struct NearbyList: Hashable, Sendable {
    public let id: ShoppingList.ID
    public let ownerNickname: Nickname
    public let entryCount: Int
    public let expiresAt: Instant
    public let distance: NeighbourDistance
}

extension Errands {
    /// The nearest open lists of others, at most ``mostNearby`` (rule 11.3).
    ///
    /// - Throws: ``ShoppingListError/postcodeUnknown``, ``ShoppingListError/barredFromHelping``,
    ///   ``CareError/notFound(_:)``.
    public func nearby(within radius: NeighbourRadius) async throws -> (now: Instant, lists: [NearbyList]) {
        let furthest = radius.kilometres
        // As long as too few are found, the circle grows. Its radius is a whole number of steps, so that a list in the circle
        // is never further than one outside.
        var reach = min(NeighbourDistance.step, furthest)
        while true {
            let seen = try await garden.see([
                Statement(
                    "SELECT 1 FROM account_position($1, $2)", [accountID.lane, accountID]),
                Statement(
                    """
                    SELECT id, nickname, entry_count, expires_at, distance
                    FROM nearby_lists($1, $2, coalesce($3, clock_timestamp()), $4, $5)
                    """,
                    [
                        accountID.lane, accountID, store.time.fixedInstant, Double(reach * 1000),
                        Int32(Errands.mostNearby),
                    ]), isBarred,
            ])
            if !seen.rows[2].isEmpty { throw ShoppingListError.barredFromHelping }
            if seen.rows[0].isEmpty { throw ShoppingListError.postcodeUnknown }
            if seen.rows[1].count == Errands.mostNearby || reach == furthest {
                return (seen.viewpoint.now, try seen.rows[1].map(NearbyList.init))
            }
            reach = min(reach * 2, furthest)
        }
    }

    private var isBarred: Statement {
        Statement(
            "SELECT 1 FROM account WHERE lane = $1 AND id = $2 AND barred_from_helping_at IS NOT NULL",
            [accountID.lane, accountID])
    }
}

extension NearbyList {
    fileprivate init(_ row: Row) throws {
        var reader = row.reader
        id = try reader.next()
        ownerNickname = Nickname(stored: try reader.next())
        entryCount = Int(try reader.next(Int32.self))
        expiresAt = try reader.next()
        distance = NeighbourDistance(metres: Double(try reader.next(Int32.self) - 1) * 1000)
    }
}

// MARK: - Accepting

extension Errands {
    /// Accepts a list: the first one wins (rule 11.4).
    ///
    /// First one of the helper's five places is claimed, in the helper's lane. Then the list is accepted, in the owner's. The
    /// helper's lane is told last. Whatever of this does not happen, decision 58 says what puts it right.
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``: also if either has blocked the other.
    public func accept(_ id: ShoppingList.ID) async throws -> HelpersList {
        let ownerID = try await store.owner(of: id)
        guard ownerID != accountID else { throw ShoppingListError.ownList }
        return try await IdempotentRequest.$current.withValue(nil) {
            try await settleClaims()
            let claim = try await claim(id, of: ownerID)
            do {
                let stored = try await accept(id, of: ownerID, claim)
                await store.tellSoon(stored)
                return try await list(id)
            } catch let refusal as ShoppingListError {
                try await giveUp(id)
                throw refusal
            } catch let refusal as CareError {
                try await giveUp(id)
                throw refusal
            }
        }
    }

    /// What the helper brings to the list.
    struct Claim: Sendable {
        let claimedAt: Instant
        let profile: HelperProfile
        let helper: Helper
    }

    func claim(_ id: ShoppingList.ID, of owner: Account.ID) async throws -> Claim {
        let reading = [
            AccountRow.locked(accountID, .update), HelpedListRow.locked(of: accountID), ratingCounts,
            Block.read(of: owner, by: accountID), isBarred,
        ]
        return try await garden.command(reading: reading) { command, rows in
            guard let account = try rows[0].first.map(AccountRow.decode) else { throw CareError.notFound(.account) }
            guard rows[3].isEmpty else { throw CareError.notFound(.list) }
            guard rows[4].isEmpty else { throw ShoppingListError.barredFromHelping }
            let all = try rows[1].map(HelpedListRow.decode)
            let now = command.now
            let mine = all.first { $0.listID == id }
            let claim = Claim(
                claimedAt: now,
                profile: HelperProfile(
                    nickname: account.nickname, ratings: try HelperRatings(rows[2])),
                helper: Helper(id: accountID, hasConfirmedEmail: account.email != nil))
            // Whoever asks twice has it still.
            if let mine, mine.isCurrent(at: now) { return claim }
            try requireModeration(all, at: now)
            // Also those that lost their slot, whatever went wrong.
            let held = all.filter { list in
                list.acceptedAt != nil && list.endedAt == nil && list.expiresAt.map { now < $0 } ?? true
            }
            guard held.count < Helper.mostLists else { throw ShoppingListError.tooManyAccepted }
            let taken = Set(all.filter { $0.takesSlot(at: now) && $0.listID != id }.compactMap(\.slot))
            guard let slot = (1...Helper.mostLists).first(where: { !taken.contains($0) }) else {
                throw ShoppingListError.tooManyAccepted
            }
            var statements: [Statement] = []
            // Claims and lists that are over leave their places.
            for var over in all where over.slot == slot && over.listID != id {
                over.giveUp()
                statements.append(HelpedListRow.update(over))
            }
            if var mine {
                mine.claim(slot: slot, at: now)
                statements.append(HelpedListRow.update(mine))
            } else {
                statements.append(
                    HelpedListRow.insert(HelpedList(id, of: owner, by: accountID, slot: slot, at: now)))
            }
            command.finish(statements)
            return claim
        }
    }

    /// - Throws: ``ShoppingListError`` if the account accepts, or gives back, too often.
    private func requireModeration(_ all: [HelpedList], at now: Instant) throws(ShoppingListError) {
        let today = all.filter { $0.claimedAt > now.adding(hours: -24) }.map(\.acceptanceCount).reduce(0, +)
        if today >= ListLimits.acceptancesADay { throw .acceptedTooOften }
        let thisWeek = all.filter { $0.releasedAt.map { $0 > now.adding(hours: -24 * 7) } ?? false }
        if thisWeek.map(\.releaseCount).reduce(0, +) >= ListLimits.releasesAWeek { throw .releasedTooOften }
    }

    func accept(_ id: ShoppingList.ID, of ownerID: Account.ID, _ claim: Claim) async throws -> StoredList {
        let blocked = Block.read(of: accountID, by: ownerID)
        return try await store.garden(of: ownerID).command(onList: id, reading: [blocked]) { command, locked in
            guard locked.rows[0].isEmpty else { throw CareError.notFound(.list) }
            // A draft is nobody else's business.
            guard locked.stored.list.openedAt != nil else { throw CareError.notFound(.list) }
            let before = locked.stored.list
            try locked.stored.list.accept(by: claim.helper, at: command.now)
            if locked.stored.list == before { return locked.stored }
            guard HelpedList.isInTime(claimedAt: claim.claimedAt, at: command.now) else {
                throw ShoppingListError.claimTooOld
            }
            locked.stored.helper = claim.profile
            locked.stored.firstAcceptedAt = locked.stored.firstAcceptedAt ?? command.now
            return locked.finish(command, telling: .listAccepted, tells: true)
        }
    }

    /// Frees the place of a claim that the list refused.
    private func giveUp(_ id: ShoppingList.ID) async throws {
        try await garden.command(reading: [HelpedListRow.locked(id, of: accountID)]) { command, rows in
            guard var helped = try rows[0].first.map(HelpedListRow.decode), !helped.isCurrent(at: command.now) else {
                return
            }
            helped.giveUp()
            command.finish([HelpedListRow.update(helped)])
        }
    }

    /// Looks after claims that nobody confirmed, because a program stopped: their lists know whether they were accepted.
    private func settleClaims() async throws {
        let rows = try await garden.read(
            """
            SELECT owner_id, list_id FROM helped_list
            WHERE lane = $1 AND account_id = $2 AND slot IS NOT NULL AND accepted_at IS NULL
                AND claimed_at <= coalesce($3, clock_timestamp()) - $4 * interval '1 second'
            """, [accountID.lane, accountID, store.time.fixedInstant, Double(HelpedList.secondsClaimed)])
        for row in rows {
            var reader = row.reader
            do {
                try await store.tell(
                    ListNews(ownerID: reader.next(), listID: reader.next(), recipientID: accountID))
            } catch is UnreadableRow {
                // Somebody else's broken list must not keep the helper from all others.
            }
        }
    }
}

// MARK: - Helping

/// A list as its helper sees it.
public struct HelpersList: Sendable {
    public let viewpoint: Viewpoint
    public let stored: StoredList
    public let ownerNickname: Nickname
}

extension Errands {
    /// Gives a list back (rule 11.4).
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``.
    public func release(_ id: ShoppingList.ID) async throws {
        try await change(id, telling: .listReleased) { list, now throws(ShoppingListError) in
            try list.release(by: accountID, at: now)
        }
    }

    /// Marks an entry as bought, or as not bought after all (rule 11.4).
    ///
    /// - Parameter number: of the entry, from 1.
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``.
    public func mark(_ id: ShoppingList.ID, _ number: Int, isBought: Bool) async throws -> HelpersList {
        try await change(id, telling: nil) { list, now throws(ShoppingListError) in
            try list.mark(number, isBought: isBought, by: accountID, at: now)
        }
        return try await list(id)
    }

    /// Says that the shopping was delivered (rule 11.5).
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``.
    public func deliver(_ id: ShoppingList.ID) async throws -> HelpersList {
        try await change(id, telling: .listDelivered) { list, now throws(ShoppingListError) in
            try list.deliver(by: accountID, at: now)
        }
        return try await list(id)
    }

    /// Attaches a receipt, in the place of an earlier one (rule 11.6).
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``.
    public func attach(_ receipt: ShoppingReceipt, to id: ShoppingList.ID) async throws {
        try await change(id, telling: nil) { list, now throws(ShoppingListError) in
            try list.attach(receipt.format, by: accountID, at: now)
        } writing: { list, now in
            [ShoppingReceiptRow.write(receipt, of: list, by: accountID, at: now)]
        }
    }

    /// Takes the receipt away (rule 11.6).
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``.
    public func removeReceipt(of id: ShoppingList.ID) async throws {
        try await change(id, telling: nil) { list, now throws(ShoppingListError) in
            try list.attach(nil, by: accountID, at: now)
        }
    }

    /// The receipt that this account has attached to a list, for as long as it sees the list.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func receipt(of id: ShoppingList.ID) async throws -> ShoppingReceipt {
        let list = try await list(id).stored.list
        return try await store.garden(of: list.ownerID).receipt(of: list)
    }

    /// Gives a list back, or forgets who helped with one that is over: the account is being erased.
    func leave(_ id: ShoppingList.ID) async throws {
        do {
            try await release(id)
        } catch is ShoppingListError {
            try await change(id, telling: nil) { list, now throws(ShoppingListError) in list.forgetHelper(at: now) }
        }
    }

    /// Runs a command of the helper in the owner's lane, then tells the helper's.
    private func change(
        _ id: ShoppingList.ID, telling topic: Topic?,
        _ body: @Sendable (inout ShoppingList, Instant) throws(ShoppingListError) -> Void,
        writing statements: @Sendable (ShoppingList, Instant) -> [Statement] = { _, _ in [] }
    ) async throws {
        let ownerID = try await store.owner(of: id)
        try await IdempotentRequest.$current.withValue(nil) {
            let stored = try await store.garden(of: ownerID).command(onList: id) { command, locked in
                // Others are told nothing, not even that there is such a list.
                guard locked.helperID == accountID else { throw CareError.notFound(.list) }
                let before = locked.stored.list
                try body(&locked.stored.list, command.now)
                if locked.stored.list == before { return locked.stored }
                command.finish(statements(locked.stored.list, command.now))
                return locked.finish(command, telling: topic, tells: true)
            }
            // Also of what it bought, for its other devices.
            await store.tellSoon(stored, besides: accountID)
        }
    }

    /// A list that the account helps with, or has helped with until 24 hours ago.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func list(_ id: ShoppingList.ID) async throws -> HelpersList {
        let ownerID = try await store.owner(of: id)
        let seen = try await store.look(at: id, of: ownerID)
        let viewpoint = try await garden.see([]).viewpoint
        guard case (let stored?, let nickname?) = seen, stored.list.acceptance?.helperID == accountID,
            stored.list.showsDeliveryNote(to: accountID, at: viewpoint.now)
        else { throw CareError.notFound(.list) }
        return HelpersList(viewpoint: viewpoint, stored: stored, ownerNickname: nickname)
    }

    /// The lists that the account helps with, those that end first at the front.
    public func lists() async throws -> [HelpersList] {
        let rows = try await garden.read(
            """
            SELECT list_id FROM helped_list
            WHERE lane = $1 AND account_id = $2 AND accepted_at IS NOT NULL
                AND coalesce(ended_at, expires_at) > coalesce($3, clock_timestamp()) - interval '24 hours'
            ORDER BY expires_at, list_id
            """, [accountID.lane, accountID, store.time.fixedInstant])
        var lists: [HelpersList] = []
        for row in rows {
            // It may have been given back or erased in the meantime.
            if let list = try? await list(row.decode(0)) { lists.append(list) }
        }
        return lists
    }

    /// How owners rated the account (rule 11.6).
    public func ratings() async throws -> HelperRatings { try HelperRatings(try await garden.read([ratingCounts])[0]) }

    private var ratingCounts: Statement {
        Statement(
            "SELECT count(*)::int, coalesce(sum(points), 0)::int FROM helper_rating WHERE lane = $1 AND account_id = $2",
            [accountID.lane, accountID])
    }
}

extension HelperRatings {
    /// Reads the answer to `ratingCounts`.
    fileprivate init(_ rows: Rows) throws {
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no count") }
        self.init(count: Int(try reader.next(Int32.self)), sum: Int(try reader.next(Int32.self)))
    }
}
