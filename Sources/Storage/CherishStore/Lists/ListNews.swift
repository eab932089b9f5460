import CherishCore
import Foundation
import Postgres
import Synchronization

// A list and its helper lie in two lanes. The list is the truth; each change leaves a row of news in its own transaction. Then
// the helper's lane is told: it reads the list as it is, and takes what it does not know yet (decision 58). Whoever changed the
// list does that at once; a worker does what was left.

/// The rows of `list_news`.
enum ListNewsRow {
    /// Notes that somebody is to be told, with the list's write.
    static func write(_ list: ShoppingList, for recipient: Account.ID, at now: Instant) -> Statement {
        Statement(
            """
            INSERT INTO list_news (lane, account_id, list_id, recipient_id, list_version, written_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (lane, account_id, list_id, recipient_id)
                DO UPDATE SET list_version = excluded.list_version, written_at = excluded.written_at
            """, [list.ownerID.lane, list.ownerID, list.id, recipient, list.version, now])
    }

    static func delete(_ news: ListNews, upTo version: Int) -> Statement {
        Statement(
            "SELECT delete_list_news($1, $2, $3, $4, $5)",
            [news.ownerID.lane, news.ownerID, news.listID, news.recipientID, version])
    }
}

/// Somebody is to be told of a list.
struct ListNews: Hashable, Sendable {
    let ownerID: Account.ID
    let listID: ShoppingList.ID
    let recipientID: Account.ID
}

extension CareStore {
    /// How old news must be before a worker takes them from the program that wrote them, in seconds.
    static let newsPatience = 5

    /// Tells the helper's lane of a list at once. An error does not matter: a worker tells it later.
    func tellSoon(_ stored: StoredList, besides former: Account.ID? = nil) async {
        guard let recipient = stored.list.acceptance?.helperID ?? former else { return }
        let news = ListNews(ownerID: stored.list.ownerID, listID: stored.list.id, recipientID: recipient)
        // The request has been carried out, and its mark is in the lane of whoever asked.
        try? await IdempotentRequest.$current.withValue(nil) { try await tell(news) }
    }

    /// Tells the helper's lane what the list is now, and deletes the news that this covers.
    func tell(_ news: ListNews) async throws {
        let (stored, nickname) = try await look(at: news.listID, of: news.ownerID)
        do {
            try await garden(of: news.recipientID)
                .learn(news.listID, stored?.list, ownerNickname: nickname?.description ?? "")
        } catch CareError.notFound(.account) {
            // Nobody to tell any more.
        }
        guard let version = stored?.list.version else { return }
        try await garden(of: news.ownerID).command(reading: []) { command, _ in
            command.finish([ListNewsRow.delete(news, upTo: version)])
        }
    }

    /// Reads a list in its owner's lane, and the owner's nickname; nil for what is gone.
    func look(at list: ShoppingList.ID, of owner: Account.ID) async throws -> (stored: StoredList?, nickname: Nickname?)
    {
        let rows = try await garden(of: owner).read([
            ShoppingListRow.read(list, of: owner),
            Statement("SELECT nickname FROM account WHERE lane = $1 AND id = $2", [owner.lane, owner]),
        ])
        return (
            try rows[0].first.map(ShoppingListRow.decode),
            try rows[1].first.map { Nickname(stored: try $0.decode(0)) }
        )
    }

    /// For how long changes of lists have waited for the other person's lane to be told; zero without any.
    public func newsAge() async throws -> Duration {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                "SELECT min(written_at), coalesce($1, clock_timestamp()) FROM list_news", [time.fixedInstant])
        }
        guard var reader = rows.first?.reader, let oldest = try reader.next(Instant?.self) else { return .zero }
        return max(.zero, oldest.duration(to: try reader.next()))
    }

    /// Tells what programs left that stopped between a list and its helper's lane.
    ///
    /// - Parameter shouldStop: asked before each.
    /// - Returns: how many people were told.
    /// - Throws: the first error, after all had their turn.
    @discardableResult
    public func tellOldNews(shouldStop: @Sendable () -> Bool = { false }) async throws -> Int {
        // In any order: news of broken rows, which stay, must not keep others waiting for ever.
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT account_id, list_id, recipient_id FROM list_news
                WHERE written_at < coalesce($1, clock_timestamp()) - $2 * interval '1 second'
                ORDER BY random() LIMIT 100
                """, [time.fixedInstant, Double(CareStore.newsPatience)])
        }
        var count = 0
        var failure: (any Error)?
        for row in rows where !shouldStop() {
            do {
                var reader = row.reader
                try await tell(
                    ListNews(ownerID: reader.next(), listID: reader.next(), recipientID: reader.next()))
                count += 1
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return count
    }
}

extension Garden {
    /// Takes what is new of a list that this account helps with, or wants to.
    fileprivate func learn(_ id: ShoppingList.ID, _ list: ShoppingList?, ownerNickname: String) async throws {
        let locking = [AccountRow.locked(accountID, .share), HelpedListRow.locked(id, of: accountID)]
        try await command(reading: locking) { command, rows in
            guard let account = rows[0].first else { throw CareError.notFound(.account) }
            let context = try command.context(for: try AccountRow.decode(account))
            guard let row = rows[1].first else { return }
            let before = try HelpedListRow.decode(row)
            var helped = before
            let planned = helped.learn(list, ownerNickname: ownerNickname, in: context)
            var statements: [Statement] = []
            if helped != before {
                command.note([.list(id)], of: accountID)
                statements.append(HelpedListRow.update(helped))
            }
            if let rating = list?.rating, list?.acceptance?.helperID == accountID {
                statements.append(
                    Statement(
                        """
                        INSERT INTO helper_rating (lane, account_id, list_id, points) VALUES ($1, $2, $3, $4)
                        ON CONFLICT DO NOTHING
                        """, [command.lane, accountID, id, Int16(rating.points)]))
            }
            command.finish(statements, planning: planned.map(helped.occurrence))
        }
    }
}
