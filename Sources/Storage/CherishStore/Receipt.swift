import CherishCore
import Postgres

/// What is recorded about a batch: the range of completed jobs, and the jobs that were not simply delivered.
struct Receipt {
    let finishedAt: Instant
    /// The first and last fresh job; nil for a batch of retries, which does not move the cursor.
    private(set) var from: PushJob?
    private(set) var to: PushJob?
    private let attempts: [DeviceAttempt]
    private let sentPushes: [SentPush]
    private var ended: [(job: PushJob, outcome: PushOutcome, reason: PushReason)] = []
    private var retries: [(job: PushJob, at: Instant, attempts: Int, error: String?)] = []

    init(
        finishedAt: Instant, from: PushJob? = nil, to: PushJob? = nil, attempts: [DeviceAttempt] = [],
        sentPushes: [SentPush] = []
    ) {
        self.finishedAt = finishedAt
        self.attempts = attempts
        self.sentPushes = sentPushes
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
        case .ended(.delivered, .sent) where !delivery.isRetry: break
        case .ended(.delivered, .sent): ended.append((job, .delivered, .sentAfterRetry))
        case .ended(let outcome, let reason): ended.append((job, outcome, reason))
        case .retry(let instant, let attempts, let error): retries.append((job, instant, attempts, error))
        case .underway(let instant): retries.append((job, instant, delivery.attempts, "underway"))
        }
    }

    /// Records the result of a job that an earlier receipt covers but left underway.
    mutating func settle(_ delivery: DeliveryJob, _ result: DeliveryResult) {
        let job = delivery.job
        switch result {
        case .ended(.delivered, .sent) where delivery.isRetry: ended.append((job, .delivered, .sentAfterRetry))
        case .ended(let outcome, let reason): ended.append((job, outcome, reason))
        case .retry(let instant, let attempts, let error): retries.append((job, instant, attempts, error))
        case .underway: break
        }
    }

    /// One statement and so one round trip: it checks the lease first, and everything else depends on that row.
    ///
    /// - Parameter leaseMilliseconds: how long the lease lasts from now on; nil releases the lane.
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
        /// Adds a value and returns its placeholder.
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
        if !attempts.isEmpty {
            parts.append(
                """
                asked AS (
                    INSERT INTO push_device_outcome
                        (lane, finished_at, attempts, recorded_at, seq, device_id, outcome, reason)
                    SELECT lane, \(place(finishedAt)), 1, asked.recorded_at, asked.seq, asked.device_id,
                        asked.outcome::device_outcome, asked.reason
                    FROM held, unnest(\(place(attempts.map(\.job.recordedAt)))::timestamptz[],
                        \(place(attempts.map(\.job.seq)))::bigint[], \(place(attempts.map(\.deviceID)))::uuid[],
                        \(place(attempts.map(\.outcome.rawValue)))::text[], \(place(attempts.map(\.reason)))::text[])
                        AS asked (recorded_at, seq, device_id, outcome, reason)
                    ON CONFLICT (lane, recorded_at, seq, device_id) DO UPDATE SET outcome = excluded.outcome,
                        reason = excluded.reason, attempts = least(push_device_outcome.attempts, 999999998) + 1,
                        finished_at = excluded.finished_at
                )
                """)
        }
        if !sentPushes.isEmpty {
            // KEY SHARE waits for a running erasure of an account, which then gets no sent push.
            parts.append(
                """
                living AS (
                    SELECT account.lane, account.id FROM held JOIN account ON account.lane = held.lane
                    WHERE account.lane = $1 AND account.id = ANY (\(place(sentPushes.map(\.accountID)))) FOR KEY SHARE OF account
                ), told AS (
                    INSERT INTO push_notice (lane, account_id, recorded_at, collapse_id, told_on, plant_ids)
                    SELECT living.lane, living.id, told.recorded_at, told.collapse_id, told.told_on, told.plant_ids::uuid[]
                    FROM living JOIN unnest(\(place(sentPushes.map(\.accountID)))::uuid[],
                        \(place(sentPushes.map(\.job.recordedAt)))::timestamptz[],
                        \(place(sentPushes.map(\.collapseID)))::text[], \(place(sentPushes.map(\.sentOn)))::date[],
                        \(place(sentPushes.map(\.plantArray)))::text[])
                        AS told (account_id, recorded_at, collapse_id, told_on, plant_ids) ON told.account_id = living.id
                    ON CONFLICT (lane, account_id, recorded_at, collapse_id) DO UPDATE SET plant_ids = excluded.plant_ids,
                        told_on = excluded.told_on
                )
                """)
        }
        return Statement("WITH \(parts.joined(separator: ", ")) SELECT lane FROM held", parameters)
    }
}
