import CherishCore
import Postgres

/// The record of a batch: the range of completed jobs, and the jobs that were not simply delivered.
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

    /// The constraint that refuses a receipt whose lease is lost.
    static let lostLeaseConstraint = "lane_delivery_fence_range"

    /// Builds the statements of one transaction. The first checks the lease: if the lease is lost, it sets a fence that
    /// the table refuses, so the others, which are sent with it, write nothing.
    ///
    /// A single WITH statement would do the same without an error, but Citus carries such a statement out over all nodes;
    /// each of these stays on the node of its lane.
    ///
    /// - Parameter leaseMilliseconds: how long the lease lasts from now on; nil releases the lane.
    func statements(under lease: Lease, leaseMilliseconds: Double?) -> [Statement] {
        let held = Statement(
            """
            UPDATE lane_delivery SET fence = CASE WHEN \("fence = $2 AND leased_by = $3", at: .fence) THEN fence ELSE -1 END,
                cursor_recorded_at = coalesce($4, cursor_recorded_at), cursor_seq = coalesce($5, cursor_seq),
                leased_until = statement_timestamp() + $6 * interval '1 millisecond',
                leased_by = CASE WHEN $6 IS NULL THEN NULL ELSE \("leased_by", at: .leaseHolder) END
            WHERE lane = $1
            """, [lease.lane, lease.fence, lease.worker, to?.recordedAt, to?.seq, leaseMilliseconds])
        return [held] + range(under: lease) + ends(in: lease.lane) + retries(in: lease.lane)
            + attempts(in: lease.lane) + sentPushes(in: lease.lane)
    }

    private func range(under lease: Lease) -> [Statement] {
        guard let from, let to else { return [] }
        return [
            Statement(
                """
                INSERT INTO push_receipt (lane, to_seq, recorded_at, from_seq, fence, worker, finished_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """, [lease.lane, to.seq, to.recordedAt, from.seq, lease.fence, lease.worker, finishedAt])
        ]
    }

    private func ends(in lane: Lane) -> [Statement] {
        if ended.isEmpty { return [] }
        let seqs = ended.map(\.job.seq)
        return [
            Statement(
                """
                INSERT INTO push_outcome (lane, finished_at, recorded_at, seq, outcome, reason)
                SELECT lane.lane, $2, recorded_at, seq, outcome::push_outcome_kind, reason
                FROM lane, unnest($3, $4, $5, $6) AS ended (seq, recorded_at, outcome, reason) WHERE lane.lane = $1
                """,
                [
                    lane, finishedAt, seqs, ended.map(\.job.recordedAt), ended.map(\.outcome.rawValue),
                    ended.map(\.reason.rawValue),
                ]),
            Statement("DELETE FROM push_retry WHERE lane = $1 AND seq = ANY ($2)", [lane, seqs]),
        ]
    }

    private func retries(in lane: Lane) -> [Statement] {
        if retries.isEmpty { return [] }
        return [
            Statement(
                """
                INSERT INTO push_retry (lane, seq, recorded_at, attempts, retry_at, last_error)
                SELECT lane.lane, retry.*
                FROM lane, unnest($2, $3, $4, $5, $6) AS retry (seq, recorded_at, attempts, retry_at, last_error)
                WHERE lane.lane = $1
                ON CONFLICT (lane, seq) DO UPDATE SET attempts = excluded.attempts, retry_at = excluded.retry_at,
                    last_error = excluded.last_error
                """,
                [
                    lane, retries.map(\.job.seq), retries.map(\.job.recordedAt), retries.map { Int32($0.attempts) },
                    retries.map(\.at), retries.map(\.error),
                ])
        ]
    }

    private func attempts(in lane: Lane) -> [Statement] {
        if attempts.isEmpty { return [] }
        return [
            Statement(
                """
                INSERT INTO push_device_outcome
                    (lane, finished_at, attempts, recorded_at, seq, device_id, outcome, reason)
                SELECT lane.lane, $2, 1, recorded_at, seq, device_id, outcome::device_outcome, reason
                FROM lane, unnest($3, $4, $5, $6, $7) AS asked (recorded_at, seq, device_id, outcome, reason)
                WHERE lane.lane = $1
                ON CONFLICT (lane, recorded_at, seq, device_id) DO UPDATE SET outcome = excluded.outcome,
                    reason = excluded.reason, attempts = least(push_device_outcome.attempts, 999999998) + 1,
                    finished_at = excluded.finished_at
                """,
                [
                    lane, finishedAt, attempts.map(\.job.recordedAt), attempts.map(\.job.seq), attempts.map(\.deviceID),
                    attempts.map(\.outcome.rawValue), attempts.map(\.reason),
                ])
        ]
    }

    /// KEY SHARE waits for a concurrent erasure, and an erased account then gets no sent push.
    private func sentPushes(in lane: Lane) -> [Statement] {
        if sentPushes.isEmpty { return [] }
        let owners = sentPushes.map(\.accountID)
        return [
            Statement("SELECT 1 FROM account WHERE lane = $1 AND id = ANY ($2) FOR KEY SHARE", [lane, owners]),
            Statement(
                """
                INSERT INTO sent_push (lane, account_id, recorded_at, collapse_id, sent_on, subject_ids, counts_towards_cap)
                SELECT account.lane, account.id, sent.recorded_at, sent.collapse_id, sent.sent_on,
                    \("sent.subject_ids::uuid[]", at: .subjectsOfSentPush), sent.counts_towards_cap
                FROM account JOIN unnest($2, $3, $4, $5, $6, $7)
                    AS sent (account_id, recorded_at, collapse_id, sent_on, subject_ids, counts_towards_cap)
                    ON sent.account_id = account.id
                WHERE account.lane = $1
                ON CONFLICT (lane, account_id, recorded_at, collapse_id) DO UPDATE
                SET subject_ids = excluded.subject_ids, sent_on = excluded.sent_on,
                    counts_towards_cap = excluded.counts_towards_cap
                """,
                [
                    lane, owners, sentPushes.map(\.job.recordedAt), sentPushes.map(\.collapseID),
                    sentPushes.map(\.sentOn), sentPushes.map(\.subjectArray), sentPushes.map(\.countsTowardsCap),
                ]),
        ]
    }
}
