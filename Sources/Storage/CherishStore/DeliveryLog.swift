// Leases, the second look, and how a batch of jobs is read and completed.
// Reads jobs, plants, accounts and devices; writes `lane_delivery`, repairs `push_retry`, and records results in a
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
    public let plantID: Plant.ID
    public let kind: PushKind
    public let planned: PlannedMoment
    public let expiresAt: Instant
}

/// A push job read for delivery, with its current state (the second look) and the content of its text.
public struct DeliveryJob: Sendable {
    public let job: PushJob
    public let candidate: PushCandidate
    /// Why the job cannot be delivered: it, or a row it needs, is unreadable. Such a job has neither state nor content.
    public var unreadable: UnreadableRow?
    /// nil if the plant was erased or the job is unreadable.
    public let content: Content?
    /// The number of earlier attempts.
    public let attempts: Int
    /// Whether the job was attempted before or waited for the end of quiet hours.
    public let isRetry: Bool

    /// What the push's text needs, from the current plant and account.
    public struct Content: Sendable {
        public let accountID: Account.ID
        public let language: Language
        public let friendNickname: Nickname
        public let cycle: Cycle
        /// The day of registration.
        public let plantedOn: CivilDay
        /// The civil day of the watering that a review push is about; nil for other kinds.
        public let wateredOn: CivilDay?
        /// The keywords of the most recently recorded watering that has any; empty if none does.
        public let keywords: [String]
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
    /// How long a lease lasts unless it is renewed.
    public let leaseDuration: Duration
    let report: UnreadableRowReport

    /// - Parameter report: called for each unreadable row.
    public init(
        pool: ConnectionPool, zones: SystemTimeZones, time: EngineTime, leaseDuration: Duration,
        report: @escaping UnreadableRowReport = { _, _ in }
    ) {
        self.pool = pool
        self.zones = zones
        self.time = time
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
    public func lanesWithWork() async throws -> [Work] {
        try await withConnection { connection in
            try await connection.query(
                """
                SELECT delivery.lane, coalesce(delivery.leased_until > clock_timestamp(), false), retry.is_due,
                    lane.last_seq, delivery.cursor_recorded_at, delivery.cursor_seq, delivery.fence, delivery.leased_until
                FROM lane_delivery AS delivery JOIN lane ON lane.lane = delivery.lane
                CROSS JOIN LATERAL (
                    SELECT EXISTS (
                        SELECT FROM push_retry AS retry
                        WHERE retry.lane = delivery.lane AND retry.retry_at <= coalesce($1, now())) AS is_due
                ) AS retry
                WHERE lane.last_seq > delivery.cursor_seq OR retry.is_due
                    OR delivery.cursor_seq NOT BETWEEN 0 AND lane.last_seq OR NOT isfinite(delivery.cursor_recorded_at)
                    OR NOT isfinite(delivery.leased_until)
                ORDER BY delivery.lane
                """, [time.fixedInstant]
            ).compactMap(work)
        }
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
                    leased_until = clock_timestamp() + $3 * interval '1 millisecond'
                WHERE lane = $1 AND (leased_until IS NULL OR leased_until <= clock_timestamp())
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
                UPDATE lane_delivery SET leased_until = clock_timestamp() + $4 * interval '1 millisecond'
                WHERE lane = $1 AND fence = $2 AND leased_by = $3
                """, [lease.lane, lease.fence, lease.worker, leaseMilliseconds]
            ).affectedRows
        }
        if renewed == 0 { throw LeaseLost(lane: lease.lane) }
    }

    /// Releases a lane, so that other workers need not wait for the lease to expire.
    public func release(_ lease: Lease) async throws {
        _ = try await withConnection { connection in
            try await connection.queryWithoutWaitingForDisk(
                """
                UPDATE lane_delivery SET leased_by = NULL, leased_until = NULL
                WHERE lane = $1 AND fence = $2 AND leased_by = $3
                """, [lease.lane, lease.fence, lease.worker])
        }
    }

    /// Which jobs to read first; if there are none, the others are read.
    public enum Preference: Sendable {
        case fresh, retries
    }

    /// Reads the next jobs after the lease's cursor, or due retries, with the current plants and accounts: the second
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
                SELECT job.*, false AS is_retry, 0 AS attempts FROM push_job AS job
                WHERE lane = $1 AND recorded_at >= $2 AND (recorded_at, seq) > ($2, $3)
                    AND seq BETWEEN 1 AND 4611686018427387903
                ORDER BY recorded_at, seq LIMIT $4
                """, [lease.lane, lease.cursorRecordedAt, lease.cursorSeq, limit], in: lease.lane, on: connection)
        case .retries:
            try await jobs(
                """
                SELECT retry.lane, retry.recorded_at, retry.seq, job.plant_id, job.kind, job.subject, job.planned_at,
                    job.expires_at, true AS is_retry, retry.attempts
                FROM push_retry AS retry
                LEFT JOIN push_job AS job
                    ON job.lane = retry.lane AND job.recorded_at = retry.recorded_at AND job.seq = retry.seq
                WHERE retry.lane = $1 AND retry.retry_at <= coalesce($2, now())
                ORDER BY retry.retry_at, retry.seq LIMIT $3
                """, [lease.lane, time.fixedInstant, limit], in: lease.lane, on: connection)
        }
    }

    /// Reads the next jobs after the lease's cursor without looking at plants and accounts. Only for measuring the log
    /// by itself: a friend may have been watered since.
    public func readLog(_ lease: Lease, limit: Int) async throws -> [PushJob] {
        try await withConnection { connection in
            try await connection.query(
                """
                SELECT lane, seq, recorded_at, expires_at, planned_at, plant_id, kind, subject FROM push_job
                WHERE lane = $1 AND recorded_at >= $2 AND (recorded_at, seq) > ($2, $3)
                ORDER BY recorded_at, seq LIMIT $4
                """, [lease.lane, lease.cursorRecordedAt, lease.cursorSeq, limit]
            ).map { row in
                var reader = row.reader
                return try PushJobRow.decode(&reader)
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
            SELECT coalesce(\(nowPlace), clock_timestamp()), job.lane, job.seq, job.recorded_at, job.expires_at,
                job.planned_at, job.plant_id, job.kind, job.subject, \(PlantCandidate.columns(for: "job")),
                plant.nickname, plant.cycle_days, plant.planted_on, plant.watering_count, watering.watered_on, job.attempts,
                job.is_retry
            FROM (\(selection)) AS job
            \(PlantCandidate.joins(to: "job"))
            ORDER BY job.recorded_at, job.seq
            """, parameters + [time.fixedInstant])
        guard let now = try rows.first?.decode(0, as: Instant.self) else { return ([], Instant(secondsSinceEpoch: 0)) }
        let found = try await withoutLost(try rows.map { try FoundJob($0, in: lane) }, in: lane, on: connection)
        let readable = found.compactMap(\.row)
        let owners = Array(Set(readable.lazy.compactMap(\.plant?.accountID)))
        guard !owners.isEmpty else { return (found.map { $0.job(BatchContext(), report) }, now) }
        let watered = readable.filter { $0.wateringCount ?? 0 > 0 }.map(\.job.plantID)
        let answers = try await connection.pipeline(
            [AccountCandidate.statement(owners, in: lane), DeviceRow.living(of: owners, in: lane)]
                + (watered.isEmpty ? [] : [NewestKeywords.statement(of: watered, in: lane)]))
        let context = BatchContext(
            accounts: try AccountCandidate.decode(answers[0], zones: zones),
            devices: try DeviceRow.byAccount(answers[1], report),
            keywords: answers.count > 2 ? try NewestKeywords.byPlant(answers[2]) : [:])
        return (found.map { $0.job(context, report) }, now)
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
                    SELECT FROM push_job AS job WHERE job.lane = $1 AND job.seq = push_retry.seq)
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
        let held = try await withConnection { connection in
            try await connection.query(receipt.statement(under: lease, leaseMilliseconds: until)).affectedRows
        }
        if held == 0 { throw LeaseLost(lane: lease.lane) }
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
    /// Reads lane, seq, recorded_at, expires_at, planned_at, plant_id, kind and subject.
    static func decode(_ reader: inout RowReader) throws -> PushJob {
        let lane = try reader.next(Lane.self)
        let seq = try reader.next(Int.self)
        let recordedAt = try reader.next(Instant.self)
        let expiresAt = try reader.next(Instant.self)
        let key = try OccurrenceKey(&reader)
        return PushJob(
            lane: lane, seq: seq, recordedAt: recordedAt, plantID: key.plantID, kind: key.kind,
            planned: PlannedMoment(subject: key.subject, at: key.at), expiresAt: expiresAt)
    }
}

extension PushJob {
    /// A job of which only its place in the log is readable.
    fileprivate init(lane: Lane, seq: Int, recordedAt: Instant, plantID: Plant.ID, kind: PushKind) {
        self.init(
            lane: lane, seq: seq, recordedAt: recordedAt, plantID: plantID, kind: kind,
            planned: PlannedMoment(subject: 0, at: recordedAt), expiresAt: recordedAt)
    }
}

/// A job that was found, readable or not.
struct FoundJob {
    let seq: Int
    /// nil if the job is unreadable.
    let row: DeliveryRow?
    let unreadable: UnreadableRow?
    /// The job's place in the log; nil for a retry without a job.
    private let place: PushJob?
    private let isRetry: Bool

    /// Whether it is a retry without a job.
    var isLost: Bool { place == nil }

    init(_ row: Row, in lane: Lane) throws {
        do {
            var reader = row.reader
            let read = try reader.reading("push_job", key: { FoundJob.key(of: row, in: lane) }) { try DeliveryRow(&$0) }
            (self.row, seq, place, isRetry, unreadable) = (read, read.job.seq, read.job, read.isRetry, nil)
        } catch let error as UnreadableRow {
            self.row = nil
            let seq = try row.decode(2, as: Int.self)
            self.seq = seq
            isRetry = try row.decode(24)
            guard let plantID = try row.decode(6, as: Plant.ID?.self) else {
                place = nil
                unreadable = UnreadableRow(
                    what: "another recorded_at than its job, or the number of none", in: "push_retry",
                    [.lane(lane), .number(seq, column: "seq")])
                return
            }
            place = PushJob(
                lane: lane, seq: seq, recordedAt: try row.decode(3), plantID: plantID,
                kind: PushKind(rawValue: try row.decode(7)) ?? .wateringDue)
            unreadable = error
        }
    }

    private static func key(of row: Row, in lane: Lane) -> [UnreadableRow.KeyPart] {
        guard let seq = try? row.decode(2, as: Int.self), let recordedAt = try? row.decode(3, as: Instant.self) else {
            return []
        }
        return [.lane(lane), .instant(recordedAt, column: "recorded_at"), .number(seq, column: "seq")]
    }

    /// Returns the job with everything that delivery needs, or with the reason why it is unreadable.
    func job(_ context: BatchContext, _ report: UnreadableRowReport) -> DeliveryJob {
        do throws(UnreadableRow) {
            if let row { return try row.job(context) }
            return ending(unreadable ?? UnreadableRow(what: "an unreadable job"), report)
        } catch {
            return ending(error, report)
        }
    }

    private func ending(_ unreadable: UnreadableRow, _ report: UnreadableRowReport) -> DeliveryJob {
        // `withoutLost` has removed jobs without a place.
        let job = place!
        report(
            unreadable,
            "job \(seq) of lane \(job.lane), \(job.kind.rawValue) of plant \(job.plantID), ends as dead (unreadable_row)"
        )
        return DeliveryJob(
            job: job, candidate: PushCandidate(kind: job.kind, planned: job.planned, state: nil),
            unreadable: unreadable,
            content: nil, attempts: 0, isRetry: isRetry)
    }
}

/// A job read for delivery, before its account is read.
struct DeliveryRow {
    let job: PushJob
    let plant: PlantCandidate?
    let nickname: String?
    let cycle: Cycle?
    let plantedOn: CivilDay?
    let wateringCount: Int?
    let wateredOn: CivilDay?
    let attempts: Int
    let isRetry: Bool

    init(_ row: Row) throws {
        var reader = row.reader
        try self.init(&reader)
    }

    init(_ reader: inout RowReader) throws {
        _ = try reader.next(Instant.self)
        let job = try PushJobRow.decode(&reader)
        _ = try job.seq.within(RowLimit.jobSeq, orHolds: "an impossible number of a push job")
        self.job = job
        plant = try PlantCandidate(&reader, of: job.plantID, in: job.lane)
        (nickname, cycle, plantedOn, wateringCount) = try reader.reading(
            "plant", key: { [.lane(job.lane), .id(job.plantID)] }
        ) { reader in
            (
                try reader.next(String?.self),
                try reader.next(Int?.self).map { days throws(CareError) in try Cycle(days: days) },
                try reader.nextAsItIs(CivilDay.self), try reader.next(Int?.self)
            )
        }
        let wateringKey = { () -> [UnreadableRow.KeyPart] in
            [.lane(job.lane), .id(job.plantID, column: "plant_id"), .number(job.planned.subject)]
        }
        wateredOn = try reader.reading("watering", key: wateringKey) { try $0.nextAsItIs(CivilDay.self) }
        let retryKey = { () -> [UnreadableRow.KeyPart] in [.lane(job.lane), .number(job.seq, column: "seq")] }
        attempts = try reader.reading("push_retry", key: retryKey) {
            try $0.next(Int.self).within(RowLimit.count, orHolds: "an impossible count of attempts")
        }
        isRetry = try reader.next()
    }

    /// - Throws: ``UnreadableRow`` if the account cannot be read.
    func job(_ context: BatchContext) throws(UnreadableRow) -> DeliveryJob {
        DeliveryJob(
            job: job,
            candidate: try PushCandidate(
                kind: job.kind, planned: job.planned, plant: plant, accounts: context.accounts),
            content: content(context), attempts: attempts, isRetry: isRetry)
    }

    private func content(_ context: BatchContext) -> DeliveryJob.Content? {
        guard let plant, let nickname, let cycle, let plantedOn,
            let account = context.accounts.readable[plant.accountID]
        else { return nil }
        return DeliveryJob.Content(
            accountID: plant.accountID, language: account.language, friendNickname: Nickname(stored: nickname),
            cycle: cycle, plantedOn: plantedOn, wateredOn: wateredOn,
            keywords: context.keywords[job.plantID] ?? [], devices: context.devices[plant.accountID] ?? [])
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

/// What the jobs of a batch share, read once for all of them.
struct BatchContext {
    var accounts = AccountCandidates()
    var devices: [Account.ID: [Device]] = [:]
    var keywords: [Plant.ID: [String]] = [:]
}

/// For each plant, the keywords of the most recently recorded watering that has any.
enum NewestKeywords {
    static func statement(of plants: [Plant.ID], in lane: Lane) -> Statement {
        Statement(
            """
            SELECT wanted.id, newest.keywords FROM unnest($2::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
                SELECT keywords FROM watering
                WHERE lane = $1 AND plant_id = wanted.id AND keywords <> '{}' ORDER BY number DESC LIMIT 1
            ) AS newest
            """, [lane, plants])
    }

    static func byPlant(_ rows: Rows) throws -> [Plant.ID: [String]] {
        var keywords: [Plant.ID: [String]] = [:]
        for row in rows {
            var reader = row.reader
            let plant = try reader.next(Plant.ID.self)
            // Unreadable keywords are left out of the push.
            keywords[plant] = try readable {
                try reader.reading("watering", key: { [] }) { try $0.next([String].self) }
            }
        }
        return keywords
    }
}
