import CherishCore
import Foundation
import Postgres

/// Erases accounts without an e-mail that nobody has used for 180 days: nobody can sign in to them any more (rule 12.5).
struct UnusedAccounts {
    /// Each erasure is a transaction of its own, so that others take turns with the lane. The next run goes on.
    private static let mostOfLane = 4

    let pool: ConnectionPool

    /// - Returns: how many it erased.
    func erase(at now: Instant) async throws -> Int {
        let end = now.adding(hours: -24 * SignInSession.daysUnused)
        let found = try await pool.withConnection { connection in
            try await connection.pipeline(Lane.all.map { UnusedAccounts.unused(in: $0, since: end) })
        }
        var count = 0
        for row in found.joined() where try await erase(try row.decode(0), at: now) { count += 1 }
        return count
    }

    private static func unused(in lane: Lane, since end: Instant) -> Statement {
        Statement(
            """
            SELECT id FROM account
            WHERE lane = $1 AND email IS NULL AND coalesce(restored_at, created_at) < $2
                AND NOT EXISTS (
                    SELECT 1 FROM account_session AS session
                    WHERE session.lane = $1 AND session.account_id = account.id AND session.used_at >= $2)
                AND NOT EXISTS (
                    SELECT 1 FROM account_identity AS known WHERE known.lane = $1 AND known.account_id = account.id)
            ORDER BY created_at LIMIT $3
            """, [lane, end, Int32(mostOfLane)])
    }

    /// - Returns: false if another worker was faster, or an operator has given it an e-mail.
    private func erase(_ id: Account.ID, at now: Instant) async throws -> Bool {
        try await pool.withTransaction { connection in
            // In the order in which an erasure locks them.
            _ = try await connection.query("SELECT 1 FROM lane WHERE lane = $1 FOR SHARE", [id.lane])
            _ = try await connection.query("SELECT 1 FROM lane_delivery WHERE lane = $1 FOR UPDATE", [id.lane])
            let unused = try await connection.query(
                "SELECT 1 FROM account WHERE lane = $1 AND id = $2 AND email IS NULL FOR UPDATE", [id.lane, id])
            if unused.isEmpty { return false }
            return try await Erasure(of: id, proof: UUID(), at: now, on: connection) != nil
        }
    }
}
