import Postgres

extension Garden {
    /// What the view `push` shows of the account's lane, as a relation. Parameter 1 is the lane.
    ///
    /// A session for one account reads the view, because it may not read receipts.
    var pushSource: SQL { session == nil ? PushSource.ofLane : "push" }
}

enum PushSource {
    /// The view `push` once more, with the lane named for each table: Citus then asks only the shard of that lane.
    static let ofLane: SQL = """
        (
            SELECT job.lane, job.seq, job.account_id, job.subject_id, job.topic, job.ref, job.planned_at, job.expires_at,
                coalesce(ended.outcome, CASE WHEN receipt.finished_at IS NOT NULL AND retry.seq IS NULL
                    THEN 'delivered'::push_outcome_kind END) AS outcome,
                coalesce(ended.reason, CASE WHEN receipt.finished_at IS NOT NULL AND retry.seq IS NULL
                    THEN 'sent' END) AS reason,
                coalesce(ended.finished_at, CASE WHEN retry.seq IS NULL THEN receipt.finished_at END) AS finished_at
            FROM push_job AS job
            LEFT JOIN push_outcome AS ended
                ON ended.lane = $1 AND ended.recorded_at = job.recorded_at AND ended.seq = job.seq
            LEFT JOIN push_retry AS retry ON retry.lane = $1 AND retry.seq = job.seq
            LEFT JOIN LATERAL (
                SELECT batch.from_seq, batch.finished_at FROM push_receipt AS batch
                WHERE batch.lane = $1 AND batch.to_seq >= job.seq AND batch.recorded_at >= job.recorded_at
                ORDER BY batch.to_seq LIMIT 1
            ) AS receipt ON receipt.from_seq <= job.seq
            WHERE job.lane = $1
            UNION ALL
            SELECT lane, NULL, account_id, subject_id, topic, ref, planned_at, NULL, outcome, reason, finished_at
            FROM occurrence_outcome WHERE lane = $1
        )
        """
}
