import CherishCore
import Postgres

/// What the database says about lists and their people, as text that a model can be compared with. PostgreSQL's own arithmetic
/// computes ends and states.
struct NeighbourFacts: Sendable {
    private let pool: ConnectionPool

    init(pool: ConnectionPool) {
        self.pool = pool
    }

    private func texts(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) async throws -> [String] {
        try await pool.withConnection { try await $0.query(sql, parameters) }.map { try $0.decode(0, as: String.self) }
    }

    /// All lists, in order, as ``ListModel/line(at:)``. The stored end must be the computed one.
    func lists(at now: Instant) async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', id, account_id, title,
                (SELECT coalesce(string_agg(CASE WHEN bought THEN 't' ELSE 'f' END, ',' ORDER BY number), '')
                 FROM unnest(entries_bought) WITH ORDINALITY AS entry (bought, number)),
                CASE WHEN cancelled_at IS NOT NULL THEN 'cancelled' WHEN delivered_at IS NOT NULL THEN 'delivered'
                    WHEN opened_at IS NULL THEN 'draft' WHEN ends_at <= $1 THEN 'expired'
                    WHEN helper_id IS NULL THEN 'open' ELSE 'accepted' END,
                coalesce(helper_id::text, '-'), CASE WHEN helper_id IS NOT NULL AND receipt_format IS NOT NULL THEN 'receipt' ELSE '-' END,
                coalesce(rating::text, '-'),
                coalesce((extract(epoch FROM opened_at) * 1000000)::bigint::text, '-'),
                coalesce((extract(epoch FROM accepted_at) * 1000000)::bigint::text, '-'),
                coalesce((extract(epoch FROM delivered_at) * 1000000)::bigint::text, '-'),
                coalesce((extract(epoch FROM cancelled_at) * 1000000)::bigint::text, '-'),
                coalesce((extract(epoch FROM ends_at) * 1000000)::bigint::text, '-'),
                CASE WHEN ends_at IS DISTINCT FROM expires_at THEN 'another end is stored' END)
            FROM (
                SELECT *, least(
                    greatest(opened_at + interval '168 hours', accepted_at + interval '48 hours'), opened_at + interval '216 hours')
                    AS ends_at
                FROM shopping_list
            ) AS list ORDER BY id
            """, [now])
    }

    /// All accounts, in order, as ``NeighbourModel/line``.
    func accounts() async throws -> [String] {
        try await texts(
            """
            SELECT concat(id, ' ', postcode, ' ', CASE WHEN barred_from_helping_at IS NULL THEN '-' ELSE 'barred' END, ' ',
                (SELECT string_agg(blocked_id::text, ',' ORDER BY blocked_id::text) FROM account_block AS block
                 WHERE block.lane = account.lane AND block.account_id = account.id))
            FROM account ORDER BY id::text
            """)
    }

    /// Who has a place for which list that is not over, as the helpers' lanes know it: helper and list.
    func places(at now: Instant) async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', account_id, list_id) FROM helped_list
            WHERE slot IS NOT NULL AND accepted_at IS NOT NULL AND ended_at IS NULL AND expires_at > $1 ORDER BY 1
            """, [now])
    }

    /// How owners rated each helper: helper and points.
    func ratings() async throws -> [String] {
        try await texts("SELECT concat_ws(' ', account_id, points) FROM helper_rating ORDER BY 1")
    }

    /// Lists with a receipt in which there is something: list and helper.
    func receipts() async throws -> [String] {
        try await texts(
            "SELECT concat_ws(' ', list_id, helper_id) FROM list_receipt WHERE content IS NOT NULL ORDER BY 1")
    }

    /// News that nobody has been told.
    func untold() async throws -> [String] {
        try await texts("SELECT concat_ws(' ', list_id, recipient_id, list_version) FROM list_news ORDER BY 1")
    }

    /// Rows of accounts that left, by table, and lists that still name one as their helper.
    func leftBehind() async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', of_table, account_id) FROM (
                SELECT 'shopping_list' AS of_table, account_id FROM shopping_list
                UNION ALL SELECT 'helper of a list', helper_id FROM shopping_list WHERE helper_id IS NOT NULL
                UNION ALL SELECT 'helped_list', account_id FROM helped_list
                UNION ALL SELECT 'list_news', account_id FROM list_news
                UNION ALL SELECT 'helper_rating', account_id FROM helper_rating
                UNION ALL SELECT 'account_block', account_id FROM account_block
                UNION ALL SELECT 'list_receipt', account_id FROM list_receipt
                UNION ALL SELECT 'list_measure', account_id FROM list_measure
            ) AS found
            WHERE account_id NOT IN (SELECT id FROM account) ORDER BY 1 LIMIT 5
            """)
    }
}
