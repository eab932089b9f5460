import CherishCore
import Postgres

/// The rows of `edited_item`: when the parts of an item were last edited (rule 14.3, decision 60).
enum EditedItemRow {
    /// Reads the row of an item. Whoever edits the item has locked it, so nobody else writes the row.
    static func read(_ item: ChangedItem, of account: Account.ID) -> Statement {
        Statement(
            """
            SELECT parts, made_at FROM edited_item
            WHERE lane = $1 AND account_id = $2 AND kind = $3::text::change_kind AND id = $4 AND number = $5
            """, [account.lane, account, item.kind.rawValue, item.id(in: account), item.number])
    }

    /// Reads the times of one item from its row.
    static func times(_ rows: Rows) throws -> [String: Instant] {
        guard var reader = rows.first?.reader else { return [:] }
        let parts = try reader.next([String].self)
        let times = try reader.next([Instant].self)
        guard parts.count == times.count else { throw UnreadableRow(what: "parts without times") }
        return Dictionary(zip(parts, times)) { max($0, $1) }
    }

    /// Writes the row, if the edit changed anything.
    static func write(_ order: EditOrder, of item: ChangedItem, in account: Account.ID) -> [Statement] {
        guard order.hasWon, let newest = order.times.values.max() else { return [] }
        let times = order.times.sorted { $0.key < $1.key }
        return [
            Statement(
                """
                INSERT INTO edited_item (lane, account_id, kind, id, number, parts, made_at, newest_at)
                VALUES ($1, $2, $3::text::change_kind, $4, $5, $6, $7, $8)
                ON CONFLICT (lane, account_id, kind, id, number)
                    DO UPDATE SET parts = excluded.parts, made_at = excluded.made_at, newest_at = excluded.newest_at
                """,
                [
                    account.lane, account, item.kind.rawValue, item.id(in: account), item.number, times.map(\.key),
                    times.map(\.value), newest,
                ])
        ]
    }
}

extension Garden {
    /// Begins to judge an edit by the row that ``EditedItemRow/read(_:of:)`` found.
    ///
    /// - Throws: ``CareError/madeTooLongAgo(_:days:)``.
    func editOrder(_ rows: Rows, at now: Instant) throws -> EditOrder {
        try EditOrder(EditedItemRow.times(rows), madeAt: editedAt, now: now)
    }
}
