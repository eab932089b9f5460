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

    /// Builds a single statement, so one round trip. It checks the lease first; everything else depends on that row.
    ///
    /// - Parameter leaseMilliseconds: how long the lease lasts from now on; nil releases the lane.
    func statement(under lease: Lease, leaseMilliseconds: Double?) -> Statement {
        var statement = StatementInParts(
            """
            held AS (
                UPDATE lane_delivery SET cursor_recorded_at = coalesce($4, cursor_recorded_at),
                    cursor_seq = coalesce($5, cursor_seq), leased_until = statement_timestamp() + $6 * interval '1 millisecond',
                    leased_by = CASE WHEN $6 IS NULL THEN NULL ELSE \("leased_by", at: .leaseHolder) END
                WHERE lane = $1 AND \("fence = $2 AND leased_by = $3", at: .fence)
                RETURNING lane
            )
            """, [lease.lane, lease.fence, lease.worker, to?.recordedAt, to?.seq, leaseMilliseconds])
        addRange(to: &statement)
        addEnds(to: &statement)
        addRetries(to: &statement)
        addAttempts(to: &statement)
        addSentPushes(to: &statement)
        return statement.selecting("lane FROM held")
    }

    private func addRange(to statement: inout StatementInParts) {
        guard let from, let to else { return }
        statement.add(
            """
            receipt AS (
                INSERT INTO push_receipt (lane, to_seq, recorded_at, from_seq, fence, worker, finished_at)
                SELECT lane, \(statement.place(to.seq, to.recordedAt, from.seq)), $2, $3, \(statement.place(finishedAt))
                FROM held
            )
            """)
    }

    private func addEnds(to statement: inout StatementInParts) {
        if ended.isEmpty { return }
        let seqs = statement.place(ended.map(\.job.seq))
        let results = statement.place(
            ended.map(\.job.recordedAt), ended.map(\.outcome.rawValue), ended.map(\.reason.rawValue))
        statement.add(
            """
            ended AS (
                INSERT INTO push_outcome (lane, finished_at, recorded_at, seq, outcome, reason)
                SELECT lane, \(statement.place(finishedAt)), recorded_at, seq, outcome::push_outcome_kind, reason
                FROM held, unnest(\(seqs), \(results)) AS ended (seq, recorded_at, outcome, reason)
            ), forgotten AS (
                DELETE FROM push_retry USING held WHERE push_retry.lane = $1 AND seq = ANY (\(seqs))
            )
            """)
    }

    private func addRetries(to statement: inout StatementInParts) {
        if retries.isEmpty { return }
        let jobs = statement.place(
            retries.map(\.job.seq), retries.map(\.job.recordedAt), retries.map { Int32($0.attempts) },
            retries.map(\.at), retries.map(\.error))
        statement.add(
            """
            retries AS (
                INSERT INTO push_retry (lane, seq, recorded_at, attempts, retry_at, last_error)
                SELECT held.lane, retry.*
                FROM held, unnest(\(jobs)) AS retry
                ON CONFLICT (lane, seq) DO UPDATE SET attempts = excluded.attempts, retry_at = excluded.retry_at,
                    last_error = excluded.last_error
            )
            """)
    }

    private func addAttempts(to statement: inout StatementInParts) {
        if attempts.isEmpty { return }
        let answers = statement.place(
            attempts.map(\.job.recordedAt), attempts.map(\.job.seq), attempts.map(\.deviceID),
            attempts.map(\.outcome.rawValue), attempts.map(\.reason))
        statement.add(
            """
            asked AS (
                INSERT INTO push_device_outcome
                    (lane, finished_at, attempts, recorded_at, seq, device_id, outcome, reason)
                SELECT lane, \(statement.place(finishedAt)), 1, recorded_at, seq, device_id, outcome::device_outcome, reason
                FROM held, unnest(\(answers)) AS asked (recorded_at, seq, device_id, outcome, reason)
                ON CONFLICT (lane, recorded_at, seq, device_id) DO UPDATE SET outcome = excluded.outcome,
                    reason = excluded.reason, attempts = least(push_device_outcome.attempts, 999999998) + 1,
                    finished_at = excluded.finished_at
            )
            """)
    }

    /// KEY SHARE waits for a concurrent erasure, and an erased account then gets no sent push.
    private func addSentPushes(to statement: inout StatementInParts) {
        if sentPushes.isEmpty { return }
        let owners = statement.place(sentPushes.map(\.accountID))
        let contents = statement.place(
            sentPushes.map(\.job.recordedAt), sentPushes.map(\.collapseID), sentPushes.map(\.sentOn),
            sentPushes.map(\.subjectArray))
        statement.add(
            """
            living AS (
                SELECT account.lane, account.id FROM account
                WHERE account.lane = $1 AND account.id = ANY (\(owners)) AND EXISTS (SELECT 1 FROM held) FOR KEY SHARE
            ), noted AS (
                INSERT INTO sent_push (lane, account_id, recorded_at, collapse_id, sent_on, subject_ids)
                SELECT living.lane, living.id, sent.recorded_at, sent.collapse_id, sent.sent_on,
                    \("sent.subject_ids::uuid[]", at: .subjectsOfSentPush)
                FROM living JOIN unnest(\(owners), \(contents)) AS sent (account_id, recorded_at, collapse_id, sent_on, subject_ids)
                    ON sent.account_id = living.id
                ON CONFLICT (lane, account_id, recorded_at, collapse_id) DO UPDATE
                SET subject_ids = excluded.subject_ids, sent_on = excluded.sent_on
            )
            """)
    }
}

/// A WITH statement built from several queries with a common parameter numbering.
private struct StatementInParts {
    private var parts: [SQL]
    private var parameters: [any PostgresEncodable]

    /// - Parameters:
    ///   - first: the first query, whose parameters are `$1` and so on.
    init(_ first: SQL, _ parameters: [any PostgresEncodable]) {
        parts = [first]
        self.parameters = parameters
    }

    /// Adds values and returns their placeholders: `$7, $8`.
    mutating func place(_ values: any PostgresEncodable...) -> SQL {
        parameters += values
        return (parameters.count - values.count..<parameters.count).map { "$\($0 + 1)" as SQL }.joined(separator: ", ")
    }

    mutating func add(_ part: SQL) {
        parts.append(part)
    }

    func selecting(_ result: SQL) -> Statement {
        Statement("WITH \(parts.joined(separator: ", ")) SELECT \(result)", parameters)
    }
}
