import CherishCore
import Postgres

/// What is recorded about a batch: the range of jobs that are done, and whatever was not simply delivered with it.
struct Receipt {
    let finishedAt: Instant
    /// The first and last fresh job; nil for a batch of retries, which does not move the cursor.
    private(set) var from: PushJob?
    private(set) var to: PushJob?
    private var ended: [(job: PushJob, outcome: PushOutcome, reason: PushReason)] = []
    private var retries: [(job: PushJob, at: Instant, attempts: Int, error: String?)] = []

    init(finishedAt: Instant, from: PushJob? = nil, to: PushJob? = nil) {
        self.finishedAt = finishedAt
        self.from = from
        self.to = to
    }

    mutating func note(_ delivery: DeliveryJob, _ result: DeliveryResult) {
        let job = delivery.job
        if !delivery.isRetry {
            from = from ?? job
            to = job
        }
        switch result {
        case .ended(.delivered, _) where !delivery.isRetry: break
        case .ended(.delivered, _): ended.append((job, .delivered, .sentAfterRetry))
        case .ended(let outcome, let reason): ended.append((job, outcome, reason))
        case .retry(let instant, let attempts, let error): retries.append((job, instant, attempts, error))
        }
    }

    /// One statement, so that it takes one round trip: the lease is checked first, and everything else hangs on that row.
    ///
    /// - Parameter leaseMilliseconds: how long the lease goes on; nil gives the lane back.
    func statement(under lease: Lease, leaseMilliseconds: Double?) -> Statement {
        var parts = [
            """
            held AS (
                UPDATE lane_delivery SET cursor_recorded_at = coalesce($4, cursor_recorded_at),
                    cursor_seq = coalesce($5, cursor_seq), leased_until = clock_timestamp() + $6 * interval '1 millisecond',
                    leased_by = CASE WHEN $6 IS NULL THEN NULL ELSE leased_by END
                WHERE lane = $1 AND fence = $2 AND leased_by = $3
                RETURNING lane
            )
            """
        ]
        var parameters: [any PostgresEncodable] = [
            lease.lane, lease.fence, lease.worker, to?.recordedAt, to?.seq, leaseMilliseconds,
        ]
        /// Adds a value and names its place.
        func place(_ value: some PostgresEncodable) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        if let from, let to {
            parts.append(
                """
                receipt AS (
                    INSERT INTO push_receipt (lane, to_seq, recorded_at, from_seq, fence, worker, finished_at)
                    SELECT lane, \(place(to.seq)), \(place(to.recordedAt)), \(place(from.seq)), $2, $3, \(place(finishedAt))
                    FROM held
                )
                """)
        }
        if !ended.isEmpty {
            let seqs = place(ended.map(\.job.seq))
            parts.append(
                """
                ended AS (
                    INSERT INTO push_outcome (lane, finished_at, recorded_at, seq, outcome, reason)
                    SELECT lane, \(place(finishedAt)), ended.recorded_at, ended.seq, ended.outcome::push_outcome_kind,
                        ended.reason
                    FROM held, unnest(\(place(ended.map(\.job.recordedAt)))::timestamptz[], \(seqs)::bigint[],
                        \(place(ended.map(\.outcome.rawValue)))::text[], \(place(ended.map(\.reason.rawValue)))::text[])
                        AS ended (recorded_at, seq, outcome, reason)
                ), forgotten AS (
                    DELETE FROM push_retry USING held WHERE push_retry.lane = $1 AND seq = ANY (\(seqs))
                )
                """)
        }
        if !retries.isEmpty {
            parts.append(
                """
                retries AS (
                    INSERT INTO push_retry (lane, seq, recorded_at, attempts, retry_at, last_error)
                    SELECT held.lane, retry.*
                    FROM held, unnest(\(place(retries.map(\.job.seq)))::bigint[],
                        \(place(retries.map(\.job.recordedAt)))::timestamptz[],
                        \(place(retries.map { Int32($0.attempts) }))::int[], \(place(retries.map(\.at)))::timestamptz[],
                        \(place(retries.map(\.error)))::text[]) AS retry
                    ON CONFLICT (lane, seq) DO UPDATE SET attempts = excluded.attempts, retry_at = excluded.retry_at,
                        last_error = excluded.last_error
                )
                """)
        }
        return Statement("WITH \(parts.joined(separator: ", ")) SELECT lane FROM held", parameters)
    }
}
