import CherishCore
import Postgres

/// Keeps what the history of each plant and account amounts to, so that reports about the whole service need not read
/// every watering (decision 41).
///
/// The views `plant_history` and `account_history` tell which rows are out of date, and compute those anew for reports
/// and for this. So nothing depends on when it runs, or whether it ran at all, but the time that reports take.
struct HistorySummaries: Sendable {
    /// How long to rest after a piece, as a multiple of the time that it took: summaries are for reports, and take at
    /// most a quarter of a core from pushes and commands.
    private static let rest = 3.0

    private let pool: ConnectionPool
    private let pieceSize: Int

    /// - Parameter pieceSize: the most rows that one transaction writes. A plant with 20 waterings takes a third of a
    ///   millisecond.
    init(pool: ConnectionPool, pieceSize: Int = 1000) {
        self.pool = pool
        self.pieceSize = pieceSize
    }

    /// Computes what is out of date, lane by lane, unless another program does. A lane whose rows cannot be computed, or
    /// whose plants somebody holds, keeps no other lane from being done; the next run tries it again.
    ///
    /// - Returns: how many plants and accounts were summarized, and the first error about a lane's rows, if any.
    func keep() async throws -> (count: Int, failure: PostgresError?) {
        var count = 0
        var failure: PostgresError?
        for lane in Lane.all {
            do {
                for statement in [HistorySummaries.keepPlants, HistorySummaries.keepAccounts] {
                    guard let kept = try await keep(statement, in: lane) else { return (count, failure) }
                    count += kept
                }
            } catch let error as PostgresError where error.sqlState == "55P03" {
                continue
            } catch let error as PostgresError where error.isAboutData {
                failure = failure ?? error
            }
        }
        return (count, failure)
    }

    /// Returns nil if another program is at it.
    private func keep(_ statement: SQL, in lane: Lane) async throws -> Int? {
        var count = 0
        while true {
            let start = ContinuousClock.now
            let kept = try await pool.withTransaction { connection -> Int? in
                // The foreign keys lock each plant against deletion, and its commands wait for that. Whoever holds one
                // plant must not make this transaction hold those of all its neighbours.
                let locked = try await connection.query(
                    "SELECT 1 FROM engine_lock WHERE name = 'summarizing' FOR UPDATE SKIP LOCKED")
                guard !locked.isEmpty else { return nil }
                try await connection.setEverywhere("lock_timeout = '50ms'")
                return try await connection.execute(statement, [lane, pieceSize])
            }
            guard let kept else { return nil }
            count += kept
            if kept > 0 { try await Task.sleep(for: (ContinuousClock.now - start) * HistorySummaries.rest) }
            if kept < pieceSize { return count }
        }
    }

    private static let keepPlants = statement(
        keeping: "plant_id",
        [
            "watering_count", "postponement_count", "due_on", "restored_on", "in_time_count", "late_count",
            "unbroken_count", "longest_streak", "gap_count", "median_gap_days", "p90_gap_days",
        ], in: "plant_summary", from: "plant_history")

    private static let keepAccounts = statement(
        keeping: "account_id", ["time_zone", "watering_count", "active_weeks"], in: "account_summary",
        from: "account_history")

    /// Parameter 1 is the lane, 2 the most rows to write.
    private static func statement(keeping key: SQL, _ columns: [SQL], in table: SQL, from view: SQL) -> SQL {
        let list = columns.joined(separator: ", ")
        let changes = columns.map { "\($0) = excluded.\($0)" as SQL }.joined(separator: ", ")
        return """
            INSERT INTO \(table) (lane, \(key), \(list))
            SELECT lane, \(key), \(list) FROM \(view) WHERE lane = $1 AND NOT is_kept LIMIT $2
            ON CONFLICT (lane, \(key)) DO UPDATE SET \(changes)
            """
    }
}
