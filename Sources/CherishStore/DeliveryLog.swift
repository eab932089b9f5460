import CherishCore
import Foundation
import Postgres
import SystemTimeZones

/// The right to deliver a lane's jobs until a moment of the database's clock. Its fence outdates all earlier leases.
public struct Lease: Sendable {
    public let lane: Lane
    public let fence: Int
    public let worker: String
    let cursorRecordedAt: Instant
    let cursorSeq: Int
}

/// The lease ran out and another worker took the lane; what was not completed is the other's to do.
public struct LeaseLost: Error, Sendable, CustomStringConvertible {
    public let lane: Lane

    public var description: String { "another worker took over lane \(lane)" }
}

/// A push job read for delivery: the second look at its state, and what its text needs.
public struct DeliveryJob: Sendable {
    public let lane: Lane
    public let seq: Int
    public let recordedAt: Instant
    public let expiresAt: Instant
    public let candidate: PushCandidate
    public let plantID: Plant.ID
    /// nil when plant and account were erased.
    public let content: Content?
    /// How often it was tried before.
    public let attempts: Int
    let isRetry: Bool

    /// What the text of the push needs, as plant and account are now.
    public struct Content: Sendable {
        public let accountID: Account.ID
        public let language: Language
        public let friendNickname: Nickname
        public let cycle: Cycle
        /// The civil day of the watering that a reminder is about; nil for other kinds.
        public let wateredOn: CivilDay?
        /// Tokens of the account's devices, the newest first.
        public let deviceTokens: [String]
    }
}

/// How the delivery of one job went.
public enum DeliveryResult: Sendable, Hashable {
    case ended(PushOutcome, PushReason)
    /// To be tried again; attempts count what a provider was asked, not waiting for quiet hours to end.
    case retry(at: Instant, attempts: Int, error: String?)
}

/// The log of push jobs as a worker sees it: leases, reading, receipts.
public struct DeliveryLog: Sendable {
    /// What a lane has to deliver.
    public struct Work: Sendable {
        public let lane: Lane
        /// Whether a worker holds it at the moment.
        public let isLeased: Bool
    }

    private let pool: ConnectionPool
    private let zones: SystemTimeZones
    private let time: EngineTime
    /// How long a lease lasts without being renewed.
    public let leaseDuration: Duration

    public init(pool: ConnectionPool, zones: SystemTimeZones, time: EngineTime, leaseDuration: Duration) {
        self.pool = pool
        self.zones = zones
        self.time = time
        self.leaseDuration = leaseDuration
    }

    /// The lanes with jobs after their delivery cursor, or with retries that are due.
    public func lanesWithWork() async throws -> [Work] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT delivery.lane, coalesce(delivery.leased_until > clock_timestamp(), false)
                FROM lane_delivery AS delivery JOIN lane ON lane.lane = delivery.lane
                WHERE lane.last_seq > delivery.cursor_seq OR EXISTS (
                    SELECT FROM push_retry AS retry
                    WHERE retry.lane = delivery.lane AND retry.retry_at <= coalesce($1, now()))
                ORDER BY delivery.lane
                """, [time.fixedInstant]
            ).map { row in Work(lane: try row.decode(0), isLeased: try row.decode(1)) }
        }
    }

    /// Takes a lane that nobody holds, or whose lease ran out; nil if another worker was faster.
    public func lease(_ lane: Lane, for worker: String) async throws -> Lease? {
        try await pool.withConnection { connection in
            let rows = try await connection.query(
                """
                UPDATE lane_delivery SET fence = fence + 1, leased_by = $2,
                    leased_until = clock_timestamp() + $3 * interval '1 millisecond'
                WHERE lane = $1 AND (leased_until IS NULL OR leased_until <= clock_timestamp())
                RETURNING fence, cursor_recorded_at, cursor_seq
                """, [lane, worker, leaseMilliseconds])
            guard var reader = rows.first?.reader else { return nil }
            return Lease(
                lane: lane, fence: try reader.next(), worker: worker, cursorRecordedAt: try reader.next(),
                cursorSeq: try reader.next())
        }
    }

    /// Holds a lease for longer, for as long as a batch is being sent.
    ///
    /// - Throws: ``LeaseLost``.
    public func renew(_ lease: Lease) async throws {
        let renewed = try await pool.withConnection { connection in
            try await connection.execute(
                """
                UPDATE lane_delivery SET leased_until = clock_timestamp() + $3 * interval '1 millisecond'
                WHERE lane = $1 AND fence = $2 AND leased_by IS NOT NULL
                """, [lease.lane, lease.fence, leaseMilliseconds])
        }
        if renewed == 0 { throw LeaseLost(lane: lease.lane) }
    }

    /// Gives a lane back, so that another worker need not wait for the lease to run out.
    public func release(_ lease: Lease) async throws {
        _ = try await pool.withConnection { connection in
            try await connection.execute(
                "UPDATE lane_delivery SET leased_by = NULL, leased_until = NULL WHERE lane = $1 AND fence = $2",
                [lease.lane, lease.fence])
        }
    }

    /// The next jobs after the cursor of the lease, or, where there are none, retries that are due; joined with plant and
    /// account as they are now, which is the second look of rule 7.6. Also what the engine takes for now.
    public func read(_ lease: Lease, limit: Int) async throws -> (jobs: [DeliveryJob], now: Instant) {
        try await pool.withConnection { connection in
            let fresh = try await jobs(
                """
                SELECT job.*, false AS is_retry, 0 AS attempts FROM push_job AS job
                WHERE lane = $1 AND recorded_at >= $2 AND (recorded_at, seq) > ($2, $3)
                ORDER BY recorded_at, seq LIMIT $4
                """, [lease.lane, lease.cursorRecordedAt, lease.cursorSeq, limit], on: connection)
            if !fresh.jobs.isEmpty { return fresh }
            return try await jobs(
                """
                SELECT job.*, true AS is_retry, retry.attempts FROM push_retry AS retry
                JOIN push_job AS job
                    ON job.lane = retry.lane AND job.recorded_at = retry.recorded_at AND job.seq = retry.seq
                WHERE retry.lane = $1 AND retry.retry_at <= coalesce($2, now())
                ORDER BY retry.retry_at, retry.seq LIMIT $3
                """, [lease.lane, time.fixedInstant, limit], on: connection)
        }
    }

    private func jobs(_ selection: String, _ parameters: [any PostgresEncodable], on connection: Connection)
        async throws -> (jobs: [DeliveryJob], now: Instant)
    {
        let nowPlace = "$\(parameters.count + 1)"
        let rows = try await connection.query(
            """
            SELECT coalesce(\(nowPlace), clock_timestamp()), job.lane, job.seq, job.recorded_at, job.expires_at,
                job.attempts, job.is_retry, job.planned_at, job.plant_id, job.kind, job.subject,
                \(CandidateRow.columns(for: "job")), account.id, account.language, plant.nickname, plant.cycle_days, watering.watered_on, ARRAY(
                    SELECT device.token FROM device
                    WHERE device.lane = account.lane AND device.account_id = account.id
                    ORDER BY device.added_at DESC, device.id)
            FROM (\(selection)) AS job
            \(CandidateRow.joins(to: "job"))
            ORDER BY job.recorded_at, job.seq
            """, parameters + [time.fixedInstant])
        guard let now = try rows.first?.decode(0, as: Instant.self) else { return ([], Instant(secondsSinceEpoch: 0)) }
        return (try rows.map(decodeJob), now)
    }

    private func decodeJob(_ row: Row) throws -> DeliveryJob {
        var reader = row.reader
        _ = try reader.next(Instant.self)
        let lane = try reader.next(Lane.self)
        let seq = try reader.next(Int.self)
        let recordedAt = try reader.next(Instant.self)
        let expiresAt = try reader.next(Instant.self)
        let attempts = try reader.next(Int.self)
        let isRetry = try reader.next(Bool.self)
        let key = try OccurrenceKey(&reader)
        let candidate = try CandidateRow.decode(&reader, key: key, zones: zones)
        return DeliveryJob(
            lane: lane, seq: seq, recordedAt: recordedAt, expiresAt: expiresAt, candidate: candidate,
            plantID: key.plantID, content: try decodeContent(&reader), attempts: attempts, isRetry: isRetry)
    }

    private func decodeContent(_ reader: inout RowReader) throws -> DeliveryJob.Content? {
        guard let accountID = try reader.next(Account.ID?.self),
            let language = try reader.next(String?.self).flatMap(Language.init),
            let nickname = try reader.next(String?.self), let cycleDays = try reader.next(Int?.self)
        else { return nil }
        return DeliveryJob.Content(
            accountID: accountID, language: language, friendNickname: try Nickname(nickname),
            cycle: try Cycle(days: cycleDays), wateredOn: try reader.next(),
            deviceTokens: try reader.next([String].self))
    }

    /// Records how a batch went and moves the cursor behind it, in one transaction that an outdated lease cannot commit.
    ///
    /// - Returns: the lease with its new cursor.
    /// - Throws: ``LeaseLost``.
    public func complete(_ batch: [(job: DeliveryJob, result: DeliveryResult)], under lease: Lease, at now: Instant)
        async throws -> Lease
    {
        guard let first = batch.first?.job, let last = batch.last?.job else { return lease }
        let fresh = first.isRetry ? nil : (from: first, to: last)
        let cursorRecordedAt = fresh?.to.recordedAt ?? lease.cursorRecordedAt
        let cursorSeq = fresh?.to.seq ?? lease.cursorSeq
        return try await pool.withTransaction { connection in
            let held = try await connection.execute(
                """
                UPDATE lane_delivery SET cursor_recorded_at = $3, cursor_seq = $4,
                    leased_until = clock_timestamp() + $5 * interval '1 millisecond'
                WHERE lane = $1 AND fence = $2 AND leased_by IS NOT NULL
                """, [lease.lane, lease.fence, cursorRecordedAt, cursorSeq, leaseMilliseconds])
            if held == 0 { throw LeaseLost(lane: lease.lane) }
            var statements = exceptions(batch, lane: lease.lane, at: now)
            if let fresh {
                statements.append(
                    Statement(
                        """
                        INSERT INTO push_receipt (lane, to_seq, recorded_at, from_seq, fence, worker, finished_at)
                        VALUES ($1, $2, $3, $4, $5, $6, $7)
                        """,
                        [lease.lane, fresh.to.seq, fresh.to.recordedAt, fresh.from.seq, lease.fence, lease.worker, now]
                    ))
            }
            if !statements.isEmpty { _ = try await connection.pipeline(statements) }
            return Lease(
                lane: lease.lane, fence: lease.fence, worker: lease.worker, cursorRecordedAt: cursorRecordedAt,
                cursorSeq: cursorSeq)
        }
    }

    /// The rows for all that was not simply delivered with its batch.
    private func exceptions(_ batch: [(job: DeliveryJob, result: DeliveryResult)], lane: Lane, at now: Instant)
        -> [Statement]
    {
        var ended: [(job: DeliveryJob, outcome: PushOutcome, reason: PushReason)] = []
        var retries: [(job: DeliveryJob, at: Instant, attempts: Int, error: String?)] = []
        for (job, result) in batch {
            switch result {
            case .ended(.delivered, _) where !job.isRetry: continue
            case .ended(.delivered, _): ended.append((job, .delivered, .sentAfterRetry))
            case .ended(let outcome, let reason): ended.append((job, outcome, reason))
            case .retry(let instant, let attempts, let error): retries.append((job, instant, attempts, error))
            }
        }
        var statements: [Statement] = []
        if !ended.isEmpty {
            statements.append(
                Statement(
                    """
                    INSERT INTO push_outcome (lane, finished_at, recorded_at, seq, outcome, reason)
                    SELECT $1, $2, recorded_at, seq, outcome::push_outcome_kind, reason
                    FROM unnest($3::timestamptz[], $4::bigint[], $5::text[], $6::text[])
                        AS ended (recorded_at, seq, outcome, reason)
                    """,
                    [
                        lane, now, ended.map(\.job.recordedAt), ended.map(\.job.seq), ended.map(\.outcome.rawValue),
                        ended.map(\.reason.rawValue),
                    ]))
            statements.append(
                Statement("DELETE FROM push_retry WHERE lane = $1 AND seq = ANY ($2)", [lane, ended.map(\.job.seq)]))
        }
        if !retries.isEmpty {
            statements.append(
                Statement(
                    """
                    INSERT INTO push_retry (lane, seq, recorded_at, attempts, retry_at, last_error)
                    SELECT $1, * FROM unnest($2::bigint[], $3::timestamptz[], $4::int[], $5::timestamptz[], $6::text[])
                    ON CONFLICT (lane, seq) DO UPDATE SET attempts = excluded.attempts, retry_at = excluded.retry_at,
                        last_error = excluded.last_error
                    """,
                    [
                        lane, retries.map(\.job.seq), retries.map(\.job.recordedAt),
                        retries.map { Int32($0.attempts) }, retries.map(\.at), retries.map(\.error),
                    ]))
        }
        return statements
    }

    private var leaseMilliseconds: Double {
        let (seconds, attoseconds) = leaseDuration.components
        return Double(seconds) * 1000 + Double(attoseconds) / 1e15
    }
}
