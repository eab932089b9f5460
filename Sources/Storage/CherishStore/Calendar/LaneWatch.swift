import CherishCore
import Postgres

// When lanes were last looked at. A gap of more than 30 minutes in a lane where a push was due meanwhile is an outage of the engine
// (rule 13.3), which is recorded before the lane is scheduled: whoever ends afterwards leaves the evidence.

extension LaneScheduler.Outlook {
    /// How long a push may be overdue in a lane that counts as looked at.
    private static let patience = 60

    /// Lanes with a push that is overdue for longer than a look takes.
    var late: [Lane] { overdue(longerThan: Self.patience) }

    /// Lanes with a push that was due before an outage would be one.
    package var longLate: [Lane] { overdue(longerThan: Int(Outage.shortest.components.seconds)) }

    private func overdue(longerThan seconds: Int) -> [Lane] {
        let end = now.adding(microseconds: Int64(-seconds) * 1_000_000)
        return dueSince.filter { $0.at < end }.map(\.lane)
    }
}

extension LaneScheduler {
    /// Records that the lanes were looked at, except those with overdue pushes, and which of these nobody had looked at for
    /// longer than 30 minutes. A worker does so about once a minute.
    public func note(_ outlook: Outlook) async throws {
        var statements: [Statement] = []
        if !outlook.longLate.isEmpty {
            statements.append(
                Statement(
                    """
                    INSERT INTO outage (lane, began_at, cause, ended_at)
                    SELECT lane, seen_at, 'engine', $2 FROM lane_watch
                    WHERE lane = ANY ($1) AND \("seen_at < $2::timestamptz - make_interval(secs => $3)", at: .unseenLane)
                    ORDER BY lane
                    ON CONFLICT (lane, began_at, cause) DO UPDATE SET ended_at = greatest(outage.ended_at, excluded.ended_at)
                    """, [outlook.longLate, outlook.now, Outage.shortest / .seconds(1)]))
        }
        statements.append(
            Statement(
                """
                INSERT INTO lane_watch (lane, seen_at) SELECT lane, $2 FROM lane WHERE lane <> ALL ($1) ORDER BY lane
                ON CONFLICT (lane) DO UPDATE SET seen_at = excluded.seen_at WHERE lane_watch.seen_at < excluded.seen_at
                """, [outlook.late, outlook.now]))
        let written = statements
        try await pool.withConnection { connection in
            for statement in written { _ = try await connection.query(statement) }
        }
    }
}
