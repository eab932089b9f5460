import CherishCore
import Foundation
import Postgres

// What operators do about lists (issue of abuse): they read reports, close a list, and bar an account from helping. Each act is
// on the record.

/// What somebody told the operator about a list.
public struct ListReport: Sendable {
    public let listID: ShoppingList.ID
    public let ownerID, reporterID: Account.ID
    public let reason: String
    public let reportedAt: Instant
    /// nil if the list has been deleted.
    public let stored: StoredList?
}

/// What an operator did about a list or an account, and why.
public struct ListMeasure: Sendable {
    /// What was done.
    public enum Action: String, Sendable {
        case close, bar, admit
    }

    public let accountID: Account.ID
    public let listID: ShoppingList.ID?
    public let action: Action
    public let reason: String
    /// The user of the operating system.
    public let takenBy: String
    public let takenAt: Instant
}

extension CareStore {
    /// How many reports and measures an operator sees at most.
    public static let mostReports = 1_000

    /// The newest reports about lists, and when they were read.
    public func listReports() async throws -> (now: Instant, reports: [ListReport]) {
        let now = try await now()
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT list_id, account_id, reporter_id, reason, reported_at FROM list_report
                ORDER BY reported_at DESC, id LIMIT $1
                """, [CareStore.mostReports])
        }
        var reports: [ListReport] = []
        for row in rows {
            var reader = row.reader
            let (list, owner) = (try reader.next(ShoppingList.ID.self), try reader.next(Account.ID.self))
            let stored = try await garden(of: owner).read([ShoppingListRow.read(list, of: owner)])[0].first
            reports.append(
                ListReport(
                    listID: list, ownerID: owner, reporterID: try reader.next(), reason: try reader.next(),
                    reportedAt: try reader.next(), stored: try stored.map(ShoppingListRow.decode)))
        }
        return (now, reports)
    }

    /// Ends a list that should not be there: it is cancelled, whoever has it.
    ///
    /// - Throws: ``ShoppingListError``, ``CareError/notFound(_:)``.
    public func closeList(_ id: ShoppingList.ID, because reason: ListReportText, by user: String) async throws
        -> StoredList
    {
        let ownerID = try await owner(of: id)
        let stored = try await garden(of: ownerID).command(onList: id) { command, locked in
            try locked.stored.list.cancel(at: command.now)
            command.finish([measure(.close, of: ownerID, id, reason, user, at: command.now)])
            return locked.finish(command, tells: true)
        }
        await tellSoon(stored)
        return stored
    }

    /// Ends an account's access to lists of others, or gives it back. What it has accepted, it may still deliver.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func bar(_ account: Account.ID, lifts: Bool = false, because reason: ListReportText, by user: String)
        async throws
    {
        try await command(in: account.lane, reading: [AccountRow.locked(account, .update)]) { command, rows in
            if rows[0].isEmpty { throw CareError.notFound(.account) }
            command.finish([
                Statement(
                    "UPDATE account SET barred_from_helping_at = $3 WHERE lane = $1 AND id = $2",
                    [command.lane, account, lifts ? nil : command.now]),
                measure(lifts ? .admit : .bar, of: account, nil, reason, user, at: command.now),
            ])
        }
    }

    /// What operators did, the newest first.
    public func listMeasures() async throws -> [ListMeasure] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT account_id, list_id, action, reason, taken_by, taken_at FROM list_measure
                ORDER BY taken_at DESC, id LIMIT $1
                """, [CareStore.mostReports])
        }
        return try rows.map { row in
            var reader = row.reader
            return ListMeasure(
                accountID: try reader.next(), listID: try reader.next(),
                action: try reader.next(label: ListMeasure.Action.self),
                reason: try reader.next(), takenBy: try reader.next(), takenAt: try reader.next())
        }
    }

    private func measure(
        _ action: ListMeasure.Action, of account: Account.ID, _ list: ShoppingList.ID?, _ reason: ListReportText,
        _ user: String, at now: Instant
    ) -> Statement {
        Statement(
            """
            INSERT INTO list_measure (lane, id, account_id, list_id, action, reason, taken_by, taken_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """, [account.lane, identifiers.random(), account, list, action.rawValue, reason.description, user, now])
    }
}

// MARK: - Leaving

extension Garden {
    /// Before an account is erased: cancels its lists, and gives back what it has accepted, so that the other people learn of it
    /// (rule 11.9). No broken row stops the erasure, least of all somebody else's: a list that is gone counts as cancelled, and
    /// housekeeping forgets who helped. Anything else does, so that whoever asks again finds what is left to do.
    func leaveNeighbourhood() async throws {
        let rows = try await read([
            Statement(
                """
                SELECT id FROM shopping_list
                WHERE lane = $1 AND account_id = $2 AND opened_at IS NOT NULL AND delivered_at IS NULL AND cancelled_at IS NULL
                """, [accountID.lane, accountID]),
            Statement(
                """
                SELECT list_id FROM helped_list
                WHERE lane = $1 AND account_id = $2 AND (accepted_at IS NOT NULL OR slot IS NOT NULL)
                """, [accountID.lane, accountID]),
        ])
        for row in rows[0] {
            try await unlessBroken { _ = try await cancelList(row.decode(0)) }
        }
        let errands = store.errands(of: accountID)
        for row in rows[1] {
            try await unlessBroken { try await errands.leave(row.decode(0)) }
        }
        // The news that is left goes with the account.
        let news = try await read(
            "SELECT list_id, recipient_id FROM list_news WHERE lane = $1 AND account_id = $2",
            [accountID.lane, accountID])
        for row in news {
            try await unlessBroken {
                var reader = row.reader
                try await store.tell(ListNews(ownerID: accountID, listID: reader.next(), recipientID: reader.next()))
            }
        }
    }

    /// Does something with a list, unless the list is not there any more, or its row, or the other person's, is broken.
    private func unlessBroken(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch is UnreadableRow {
        } catch is ShoppingListError {
        } catch is CareError {
        } catch let error as PostgresError where ["22", "23"].contains(error.sqlState?.prefix(2)) {
            // A value, or a constraint, of a row that a command would never have written.
        }
    }
}
