import CherishCore
import Foundation
import Postgres

/// Somebody whom an account has blocked (rule 11.7).
public struct Block: Hashable, Sendable {
    public typealias ID = Identifier<Block>

    public let id: ID
    /// The other's nickname when it was blocked.
    public let nickname: Nickname
    public let blockedAt: Instant
}

extension Errands {
    /// Blocks the other person of a list: its owner, or who helps with it. From then on neither sees the other's lists. A list
    /// that one of them has accepted from the other stays: it can be given back or cancelled.
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``: also for a draft of somebody else.
    public func block(ofList id: ShoppingList.ID) async throws -> Block {
        let (otherID, nickname) = try await other(of: id)
        let known = Statement(
            "SELECT blocked_id FROM account_block WHERE lane = $1 AND account_id = $2 LIMIT $3",
            [accountID.lane, accountID, ListLimits.blocks])
        let reading = [AccountRow.locked(accountID, .update), known, blocked(otherID)]
        return try await garden.command(reading: reading) { command, rows in
            if rows[0].isEmpty { throw CareError.notFound(.account) }
            if let before = try rows[2].first.map(Block.init) { return before }
            guard rows[1].count < ListLimits.blocks else { throw ShoppingListError.tooManyBlocks }
            let block = Block(
                id: Block.ID(store.identifiers.random()), nickname: nickname, blockedAt: command.now)
            command.finish([
                Statement(
                    """
                    INSERT INTO account_block (lane, id, account_id, blocked_id, nickname, blocked_at)
                    VALUES ($1, $2, $3, $4, $5, $6)
                    """, [command.lane, block.id, accountID, otherID, nickname.description, block.blockedAt])
            ])
            return block
        }
    }

    /// Whom the account has blocked, the newest first.
    public func blocks() async throws -> [Block] {
        try await garden.read(
            """
            SELECT id, nickname, blocked_at FROM account_block WHERE lane = $1 AND account_id = $2
            ORDER BY blocked_at DESC, id
            """, [accountID.lane, accountID]
        ).map(Block.init)
    }

    /// Ends a block.
    ///
    /// - Parameter prefix: the block's id, or at least 8 digits of it.
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func unblock(_ prefix: String) async throws {
        guard let range = UUID.range(beginningWith: prefix) else { throw CareError.notFound(.block) }
        let rows = try await garden.read(
            "SELECT id FROM account_block WHERE lane = $1 AND account_id = $2 AND id BETWEEN $3 AND $4 LIMIT 2",
            [accountID.lane, accountID, range.lowerBound, range.upperBound])
        let id = try rows.only(beginningWith: prefix, orElse: .block).decode(0, as: Block.ID.self)
        try await garden.command(reading: []) { command, _ in
            command.finish([Statement("SELECT delete_account_blocks($1, $2, $3)", [command.lane, accountID, [id]])])
        }
    }

    private func blocked(_ other: Account.ID) -> Statement { Block.read(of: other, by: accountID) }

    /// The other person of a list, from where this account stands.
    private func other(of id: ShoppingList.ID) async throws -> (Account.ID, Nickname) {
        let ownerID = try await store.owner(of: id)
        guard case (let stored?, let nickname?) = try await store.look(at: id, of: ownerID) else {
            throw CareError.notFound(.list)
        }
        if ownerID == accountID {
            guard let helper = stored.list.acceptance?.helperID, let profile = stored.helper else {
                throw ShoppingListError.blockedYourself
            }
            return (helper, profile.nickname)
        }
        guard stored.list.openedAt != nil else { throw CareError.notFound(.list) }
        return (ownerID, nickname)
    }

    /// Tells the operator about a list. Whoever reports it twice is told nothing new.
    ///
    /// - Throws: ``CareError/notFound(_:)``: also for a draft of somebody else.
    public func report(_ id: ShoppingList.ID, _ reason: ListReportText) async throws {
        let ownerID = try await store.owner(of: id)
        try await IdempotentRequest.$current.withValue(nil) {
            try await store.garden(of: ownerID).command(onList: id) { command, locked in
                guard locked.stored.list.openedAt != nil || ownerID == accountID else {
                    throw CareError.notFound(.list)
                }
                command.finish([
                    Statement(
                        """
                        INSERT INTO list_report (lane, id, account_id, list_id, reporter_id, reason, reported_at)
                        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
                        """,
                        [
                            command.lane, store.identifiers.random(), ownerID, id, accountID, reason.description,
                            command.now,
                        ])
                ])
            }
        }
    }
}

extension Block {
    /// Reads whether an account has blocked another one.
    static func read(of blocked: Account.ID, by account: Account.ID) -> Statement {
        Statement(
            "SELECT id, nickname, blocked_at FROM account_block WHERE lane = $1 AND account_id = $2 AND blocked_id = $3",
            [account.lane, account, blocked])
    }

    fileprivate init(_ row: Row) throws {
        var reader = row.reader
        id = try reader.next()
        nickname = Nickname(stored: try reader.next())
        blockedAt = try reader.next()
    }
}
