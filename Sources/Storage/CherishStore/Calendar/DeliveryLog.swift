// Leases, the second look, and how a batch of jobs is read and completed.
// Reads jobs, subjects, accounts and devices; writes `lane_delivery`, repairs `push_retry`, and records results in a
// `Receipt`.
// Start with `DeliveryLog.lease`, then `read`, then `complete`.
import CherishCore
import Foundation
import Postgres
import SystemTimeZones

/// The right to deliver a lane's jobs until an instant of the database's clock. Its fence invalidates earlier leases.
public struct Lease: Sendable {
    public let lane: Lane
    public let fence: Int
    public let worker: String
    let cursorRecordedAt: Instant
    let cursorSeq: Int
}

/// The lease expired and another worker took over the lane. That worker delivers whatever was not completed.
public struct LeaseLost: Error, Sendable, CustomStringConvertible {
    public let lane: Lane

    public var description: String { "another worker took over lane \(lane)" }
}

/// A push job as the log holds it.
public struct PushJob: Sendable {
    public let lane: Lane
    public let seq: Int
    public let recordedAt: Instant
    public let occurrence: Occurrence
    public let expiresAt: Instant

    public init(lane: Lane, seq: Int, recordedAt: Instant, occurrence: Occurrence, expiresAt: Instant) {
        self.lane = lane
        self.seq = seq
        self.recordedAt = recordedAt
        self.occurrence = occurrence
        self.expiresAt = expiresAt
    }
}

/// A push job read for delivery, with its current state (the second look) and the content of its text.
public struct DeliveryJob: Sendable {
    public let job: PushJob
    public let candidate: PushCandidate
    /// Why the job cannot be delivered: it, or a row it needs, is unreadable. Such a job has neither state nor content.
    public var unreadable: UnreadableRow?
    /// nil if the subject was erased or the job is unreadable.
    public let content: Content?
    /// The number of earlier attempts.
    public let attempts: Int
    /// Whether the job was attempted before or waited for the end of quiet hours.
    public let isRetry: Bool

    /// What the push's text needs, from the current subject and account.
    public struct Content: Sendable {
        public let language: Language
        public let subject: SubjectContent
        /// The account's devices that are not retired, newest first.
        public let devices: [Device]
    }
}

/// The result of delivering one job.
public enum DeliveryResult: Sendable, Hashable {
    case ended(PushOutcome, PushReason)
    /// Try again. `attempts` counts requests to providers, not waits for the end of quiet hours.
    case retry(at: Instant, attempts: Int, error: String?)
    /// Sent but not answered. The sender settles the job when the answer arrives; unless somebody does so by `until`,
    /// it is sent again.
    case underway(until: Instant)
}

/// The log of push jobs as a worker sees it: leases, reading, receipts.
public struct DeliveryLog: Sendable {
    /// A lane with something to deliver.
    public struct Work: Sendable {
        public let lane: Lane
        /// Whether a worker holds the lane now.
        public let isLeased: Bool
        /// Whether the lane has due retries.
        public let hasRetries: Bool
    }

    private let pool: ConnectionPool
    /// Used instead of the pool's connections, if set.
    private var connection: Connection?
    private let zones: SystemTimeZones
    let time: EngineTime
    let domains: DueDomains
    /// How long a lease lasts unless it is renewed.
    public let leaseDuration: Duration
    let report: UnreadableRowReport

    /// - Parameter report: called for each unreadable row.
    public init(
        pool: ConnectionPool, zones: SystemTimeZones, time: EngineTime, leaseDuration: Duration,
        domains: DueDomains = .all, report: @escaping UnreadableRowReport = { _, _ in }
    ) {
        self.pool = pool
        self.zones = zones
        self.time = time
        self.domains = domains
        self.leaseDuration = leaseDuration
        self.report = report
    }

    /// Passes `body` a log that uses a single connection.
    ///
    /// A worker that leases and delivers a lane this way leases it over a working connection. With several connections,
    /// it could get no answer over a dead one (a network that drops everything), lose the lane, and lease it again over
    /// a live one, wasting a whole lease each time.
    public func onOneConnection<R: Sendable>(
        caller: isolated (any Actor)? = #isolation, _ body: (DeliveryLog) async throws -> R
    ) async throws -> R {
        try await pool.withConnection { connection in
            var log = self
            log.connection = connection
            return try await body(log)
        }
    }

    /// Runs `body` with this log's connection, or with one from the pool if there is none or it broke, so that what was
    /// sent in the meantime can still be recorded.
    func withConnection<R: Sendable>(
        caller: isolated (any Actor)? = #isolation, _ body: (Connection) async throws -> R
    ) async throws -> R {
        if let connection, await connection.isAlive() { return try await body(connection) }
        return try await pool.withConnection(body)
    }

    /// Returns the lanes with jobs after their delivery cursor, or with due retries. Skips a lane whose row is
    /// unreadable; it stops until the row is repaired.
    ///
    /// While a node of Citus is down, it returns the lanes of the others.
    public func lanesWithWork() async throws -> [Work] {
        try await pool.askAboutLanes { connection, lanes in
            try await Array(
                connection.query(
                    """
                    SELECT delivery.lane, coalesce(delivery.leased_until > clock_timestamp(), false),
                        retry.is_due IS NOT NULL, lane.last_seq, delivery.cursor_recorded_at, delivery.cursor_seq,
                        delivery.fence, delivery.leased_until
                    FROM lane_delivery AS delivery JOIN lane ON lane.lane = delivery.lane
                    LEFT JOIN LATERAL (
                        SELECT 1 AS is_due FROM push_retry
                        WHERE push_retry.lane = delivery.lane AND push_retry.retry_at <= coalesce($1, now())
                            \(lanes == nil ? "" : "AND push_retry.lane = ANY ($2)") LIMIT 1
                    ) AS retry ON true
                    WHERE (lane.last_seq > delivery.cursor_seq OR retry.is_due IS NOT NULL
                        OR delivery.cursor_seq NOT BETWEEN 0 AND lane.last_seq
                        OR NOT isfinite(delivery.cursor_recorded_at) OR NOT isfinite(delivery.leased_until))
                        \(lanes == nil ? "" : "AND delivery.lane = ANY ($2) AND lane.lane = ANY ($2)")
                    ORDER BY delivery.lane
                    """, [time.fixedInstant, lanes]))
        }.compactMap(work)
    }

    private func work(_ row: Row) throws -> Work? {
        var reader = row.reader
        let lane = try reader.next(Lane.self)
        do {
            return try reader.reading("lane_delivery", key: { [.lane(lane)] }) { reader in
                let work = Work(lane: lane, isLeased: try reader.next(), hasRetries: try reader.next())
                try DeliveryCursor.check(&reader, in: lane)
                return work
            }
        } catch let unreadable as UnreadableRow {
            report(unreadable, "lane \(lane) delivers nothing until it is repaired")
            return nil
        }
    }

    /// Leases a lane that nobody holds or whose lease expired; returns nil if another worker was faster.
    ///
    /// - Parameter worker: identifies this process. Leases do not wait for the disk, so after a server crash two
    ///   workers may hold the same fence, but only one of them holds the lane.
    public func lease(_ lane: Lane, for worker: String) async throws -> Lease? {
        try await withConnection { connection in
            let rows = try await connection.queryWithoutWaitingForDisk(
                """
                UPDATE lane_delivery SET fence = fence + 1, leased_by = $2,
                    leased_until = statement_timestamp() + $3 * interval '1 millisecond'
                WHERE lane = $1 AND (leased_until IS NULL OR leased_until <= statement_timestamp())
                RETURNING fence, cursor_recorded_at, cursor_seq
                """, [lane, worker, leaseMilliseconds])
            guard var reader = rows.first?.reader else { return nil }
            return try reader.reading("lane_delivery", key: { [.lane(lane)] }) { reader in
                Lease(
                    lane: lane, fence: try reader.next(), worker: worker, cursorRecordedAt: try reader.next(),
                    cursorSeq: try reader.next())
            }
        }
    }

    /// Extends a lease while a batch is being sent.
    ///
    /// - Throws: ``LeaseLost``.
    public func renew(_ lease: Lease) async throws {
        let renewed = try await withConnection { connection in
            try await connection.queryWithoutWaitingForDisk(
                """
                UPDATE lane_delivery SET leased_until = statement_timestamp() + $4 * interval '1 millisecond'
                WHERE lane = $1 AND fence = $2 AND leased_by = $3
                """, [lease.lane, lease.fence, lease.worker, leaseMilliseconds]
            ).affectedRows
        }
        if renewed == 0 { throw LeaseLost(lane: lease.lane) }
    }

    /// Releases a lane, so that other workers need not wait for the lease to expire.
    ///
    /// - Throws: ``LeaseLost``.
    public func release(_ lease: Lease) async throws {
        let released = try await withConnection { connection in
            try await connection.queryWithoutWaitingForDisk(
                """
                UPDATE lane_delivery SET leased_by = NULL, leased_until = NULL
                WHERE lane = $1 AND fence = $2 AND leased_by = $3
                """, [lease.lane, lease.fence, lease.worker]
            ).affectedRows
        }
        if released == 0 { throw LeaseLost(lane: lease.lane) }
    }

    /// Which jobs to read first; if there are none, the others are read.
    public enum Preference: Sendable {
        case fresh, retries
    }

    /// Reads the next jobs after the lease's cursor, or due retries, with the current subjects and accounts: the second
    /// look of rule 7.6. Also returns the engine's now, valid only if there are jobs.
    ///
    /// A batch never mixes the two: fresh jobs move the cursor, retries do not.
    public func read(_ lease: Lease, limit: Int, first: Preference = .fresh) async throws
        -> (jobs: [DeliveryJob], now: Instant)
    {
        try await withConnection { connection in
            var found = try await jobs(first, lease, limit, on: connection)
            if found.jobs.isEmpty {
                found = try await jobs(first == .fresh ? .retries : .fresh, lease, limit, on: connection)
            }
            if lease.misses(found.jobs) { try await passMissingNumbers(lease, on: connection) }
            return found
        }
    }

    private func jobs(_ sort: Preference, _ lease: Lease, _ limit: Int, on connection: Connection) async throws
        -> (jobs: [DeliveryJob], now: Instant)
    {
        switch sort {
        case .fresh:
            try await jobs(
                """
                SELECT job.*, job.planned_at AS at, false AS is_retry, 0 AS attempts FROM push_job AS job
                WHERE lane = $1 AND recorded_at >= $2 AND (recorded_at, seq) > ($2, $3)
                    AND seq BETWEEN 1 AND 4611686018427387903
                ORDER BY recorded_at, seq LIMIT $4
                """, [lease.lane, lease.cursorRecordedAt, lease.cursorSeq, limit], in: lease.lane, on: connection)
        case .retries:
            try await jobs(
                """
                SELECT retry.lane, retry.recorded_at, retry.seq, job.account_id, job.subject_id, job.topic, job.ref,
                    job.planned_at AS at, job.expires_at, true AS is_retry, retry.attempts
                FROM push_retry AS retry
                LEFT JOIN push_job AS job
                    ON job.lane = $1 AND job.recorded_at = retry.recorded_at AND job.seq = retry.seq
                WHERE retry.lane = $1 AND retry.retry_at <= coalesce($2, now())
                ORDER BY retry.retry_at, retry.seq LIMIT $3
                """, [lease.lane, time.fixedInstant, limit], in: lease.lane, on: connection)
        }
    }

    /// Reads the next jobs after the lease's cursor without looking at subjects and accounts. Only for measuring the
    /// log by itself: a friend may have been watered since.
    public func readLog(_ lease: Lease, limit: Int) async throws -> [PushJob] {
        try await withConnection { connection in
            try await connection.query(
                """
                SELECT seq, recorded_at, expires_at, planned_at, account_id, subject_id, topic, ref FROM push_job
                WHERE lane = $1 AND recorded_at >= $2 AND (recorded_at, seq) > ($2, $3)
                ORDER BY recorded_at, seq LIMIT $4
                """, [lease.lane, lease.cursorRecordedAt, lease.cursorSeq, limit]
            ).map { row in
                var reader = row.reader
                return try PushJobRow.decode(&reader, in: lease.lane, domains)
            }
        }
    }

    private func jobs(
        _ selection: SQL, _ parameters: [any PostgresEncodable], in lane: Lane, on connection: Connection
    )
        async throws -> (jobs: [DeliveryJob], now: Instant)
    {
        let nowPlace: SQL = "$\(parameters.count + 1)"
        let rows = try await connection.query(
            """
            SELECT coalesce(\(nowPlace), clock_timestamp()), planned.attempts, planned.is_retry, planned.seq,
                planned.recorded_at, planned.expires_at, \(Occurrence.columns(of: "planned"))
            FROM (\(selection)) AS planned
            ORDER BY planned.recorded_at, planned.seq
            """, parameters + [time.fixedInstant])
        guard let now = try rows.first?.decode(0, as: Instant.self) else { return ([], Instant(secondsSinceEpoch: 0)) }
        let found = try await withoutLost(
            try rows.map { try FoundJob($0, in: lane, domains) }, in: lane, on: connection)
        let owners = Array(Set(found.lazy.compactMap(\.job?.occurrence.accountID)))
        guard !owners.isEmpty else { return ([], now) }
        let subjects = SubjectReading(
            .toDeliver, of: found.map { $0.unreadable == nil ? $0.job?.occurrence : nil }, in: lane, domains)
        let answers = try await connection.pipeline(
            [AccountCandidate.statement(owners, in: lane), DeviceRow.living(of: owners, in: lane)] + subjects.statements
        )
        let context = BatchContext(
            accounts: try AccountCandidate.decode(answers[0], zones: zones),
            devices: try DeviceRow.byAccount(answers[1], report))
        let jobs = zip(found, try subjects.rows(in: answers.dropFirst(2))).map { found, subject in
            found.delivery(subject, context, domains, report)
        }
        return (jobs, now)
    }

    /// Drops retries without a job from the batch. A retry copies its job's `recorded_at` for faster lookup. A wrong
    /// copy is corrected; a retry whose job does not exist is deleted.
    private func withoutLost(_ found: [FoundJob], in lane: Lane, on connection: Connection) async throws -> [FoundJob] {
        let lost = found.filter(\.isLost)
        guard !lost.isEmpty else { return found }
        _ = try await connection.pipeline([
            Statement(
                """
                UPDATE push_retry SET recorded_at = job.recorded_at FROM push_job AS job
                WHERE push_retry.lane = $1 AND push_retry.seq = ANY ($2) AND job.lane = $1 AND job.seq = push_retry.seq
                """, [lane, lost.map(\.seq)]),
            Statement(
                """
                DELETE FROM push_retry WHERE lane = $1 AND seq = ANY ($2) AND NOT EXISTS (
                    SELECT 1 FROM push_job AS job WHERE job.lane = $1 AND job.seq = push_retry.seq)
                """, [lane, lost.map(\.seq)]),
        ])
        for job in lost {
            report(job.unreadable ?? UnreadableRow(what: "no job"), "it is tried again if there is a job of its number")
        }
        return found.filter { !$0.isLost }
    }

    /// Records a batch's results and moves the cursor past it: all or nothing, and nothing under an outdated lease.
    ///
    /// - Parameters:
    ///   - attempts: the answers of the devices' providers.
    ///   - sentPushes: the pushes that accounts received.
    ///   - thenRelease: whether to release the lane as well.
    /// - Returns: the lease with its new cursor.
    /// - Throws: ``LeaseLost``.
    public func complete(
        _ batch: [(job: DeliveryJob, result: DeliveryResult)], attempts: [DeviceAttempt] = [],
        sentPushes: [SentPush] = [], under lease: Lease, at now: Instant, thenRelease: Bool = false
    ) async throws -> Lease {
        var receipt = Receipt(finishedAt: now, attempts: attempts, sentPushes: sentPushes)
        for (job, result) in batch { receipt.note(job, result) }
        return try await record(receipt, under: lease, thenRelease: thenRelease)
    }

    /// Records that all jobs read by ``readLog(_:limit:)`` were delivered.
    ///
    /// - Throws: ``LeaseLost``.
    public func complete(_ delivered: [PushJob], under lease: Lease, at now: Instant, thenRelease: Bool = false)
        async throws -> Lease
    {
        try await record(
            Receipt(finishedAt: now, from: delivered.first, to: delivered.last), under: lease,
            thenRelease: thenRelease)
    }

    func record(_ receipt: Receipt, under lease: Lease, thenRelease: Bool = false) async throws -> Lease {
        let until = thenRelease ? nil : leaseMilliseconds
        let lost = LeaseLost(lane: lease.lane)
        do {
            let answers = try await withConnection { connection in
                try await connection.transaction(receipt.statements(under: lease, leaseMilliseconds: until))
            }
            if answers[0].affectedRows == 0 { throw lost }
        } catch let error as PostgresError where error.constraint == Receipt.lostLeaseConstraint {
            throw lost
        }
        return Lease(
            lane: lease.lane, fence: lease.fence, worker: lease.worker,
            cursorRecordedAt: receipt.to?.recordedAt ?? lease.cursorRecordedAt,
            cursorSeq: receipt.to?.seq ?? lease.cursorSeq)
    }

    private var leaseMilliseconds: Double {
        let (seconds, attoseconds) = leaseDuration.components
        return Double(seconds) * 1000 + Double(attoseconds) / 1e15
    }
}

extension Connection {
    /// Runs a statement whose commit does not wait for the disk; a server crash may lose it.
    func queryWithoutWaitingForDisk(_ sql: SQL, _ parameters: [any PostgresEncodable]) async throws -> Rows {
        // A pipeline is one transaction, so the setting ends with it.
        let answers = try await pipeline([
            Statement("SELECT set_config('synchronous_commit', 'off', true)"), Statement(sql, parameters),
        ])
        guard let rows = answers.last else { throw UnreadableRow(what: "no answer") }
        return rows
    }
}

enum PushJobRow {
    /// Reads seq, recorded_at, expires_at, and the columns of an occurrence.
    static func decode(_ reader: inout RowReader, in lane: Lane, _ domains: DueDomains) throws -> PushJob {
        let seq = try reader.next(Int.self).within(RowLimit.jobSeq, orHolds: "an impossible number of a push job")
        return try PushJob(
            lane: lane, seq: seq, recordedAt: reader.next(), expiresAt: reader.next(), &reader, domains)
    }
}

extension PushJob {
    fileprivate init(
        lane: Lane, seq: Int, recordedAt: Instant, expiresAt: Instant, _ reader: inout RowReader, _ domains: DueDomains
    ) throws {
        self.init(
            lane: lane, seq: seq, recordedAt: recordedAt, occurrence: try Occurrence(&reader, domains),
            expiresAt: expiresAt)
    }
}

/// The delivery cursor of a lane.
enum DeliveryCursor {
    /// Reads the lane's `last_seq`, then `cursor_recorded_at`, `cursor_seq`, `fence` and `leased_until`.
    static func check(_ reader: inout RowReader, in lane: Lane) throws {
        let lastSeq = try reader.reading("lane", key: { [.lane(lane)] }) {
            try $0.next(Int.self).within(RowLimit.seq, orHolds: "an impossible number of a push job")
        }
        let recordedAt = try reader.next(Instant.self)
        guard recordedAt < RowLimit.calendarEnd else { throw UnreadableRow(what: "an instant beyond the calendar") }
        _ = try reader.next(Int.self).within(0...lastSeq, orHolds: "no number of the lane's jobs")
        _ = try reader.next(Int.self).within(RowLimit.seq, orHolds: "an impossible fence")
        _ = try reader.next(Instant?.self)
    }
}
