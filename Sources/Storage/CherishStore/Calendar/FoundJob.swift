import CherishCore
import Postgres

/// A job that was found, readable or not.
struct FoundJob {
    /// The columns, in this order.
    private enum Place {
        static let attempts = 1, isRetry = 2, seq = 3, recordedAt = 4, expiresAt = 5, occurrence = 6
    }

    let seq: Int
    /// As much of the job as could be read; nil for a retry without a job.
    let job: PushJob?
    let unreadable: UnreadableRow?
    private let attempts: Int
    private let isRetry: Bool
    /// Names the job's row.
    private let row: Row

    /// Whether it is a retry without a job.
    var isLost: Bool { job == nil }

    init(_ row: Row, in lane: Lane, _ domains: DueDomains) throws {
        self.row = row
        seq = try row.decode(Place.seq)
        isRetry = try row.decode(Place.isRetry)
        do {
            let read = try FoundJob.read(row, in: lane, domains)
            (job, attempts, unreadable) = (read.job, read.attempts, nil)
        } catch let error as UnreadableRow {
            let remains = try FoundJob.remains(of: row, in: lane, domains)
            let lost = UnreadableRow(
                what: "another recorded_at than its job, or the number of none", in: "push_retry",
                [.lane(lane), .number(seq, column: "seq")])
            (job, attempts, unreadable) = (remains, 0, remains == nil ? lost : error)
        }
    }

    private static func read(
        _ row: Row, in lane: Lane, _ domains: DueDomains
    ) throws -> (job: PushJob, attempts: Int) {
        var reader = row.reader(from: Place.seq)
        let job = try reader.reading("push_job", key: { key(of: row, in: lane) }) {
            try PushJobRow.decode(&$0, in: lane, domains)
        }
        return (job, try attempts(row, of: job))
    }

    private static func attempts(_ row: Row, of job: PushJob) throws -> Int {
        var reader = row.reader(from: Place.attempts)
        let key = { () -> [UnreadableRow.KeyPart] in [.lane(job.lane), .number(job.seq, column: "seq")] }
        return try reader.reading("push_retry", key: key) {
            try $0.next(Int.self).within(RowLimit.count, orHolds: "an impossible count of attempts")
        }
    }

    /// The place in the log of a job that cannot be read, and what it is about; nil for a retry without a job.
    private static func remains(of row: Row, in lane: Lane, _ domains: DueDomains) throws -> PushJob? {
        var reader = row.reader(from: Place.occurrence + 1)
        guard let accountID = try reader.next(Account.ID?.self) else { return nil }
        let recordedAt = try row.decode(Place.recordedAt, as: Instant.self)
        return PushJob(
            lane: lane, seq: try row.decode(Place.seq), recordedAt: recordedAt,
            occurrence: Occurrence(
                at: recordedAt, accountID: accountID, subjectID: try reader.next(),
                topic: domains.topic(try reader.next()), ref: 0),
            expiresAt: recordedAt)
    }

    private static func key(of row: Row, in lane: Lane) -> [UnreadableRow.KeyPart] {
        guard let seq = try? row.decode(Place.seq, as: Int.self),
            let recordedAt = try? row.decode(Place.recordedAt, as: Instant.self)
        else { return [] }
        return [.lane(lane), .instant(recordedAt, column: "recorded_at"), .number(seq, column: "seq")]
    }

    /// Returns the job with everything that delivery needs, or with the reason why it is unreadable.
    ///
    /// - Parameter subject: its row, of ``SubjectReading``.
    func delivery(_ subject: Row?, _ context: BatchContext, _ domains: DueDomains, _ report: UnreadableRowReport)
        -> DeliveryJob
    {
        // `withoutLost` has removed retries without a job.
        let job = job!
        do {
            if let unreadable { throw unreadable }
            let state = try domains.state(
                of: job.occurrence, in: subject, plannedIn: "push_job", key: { FoundJob.key(of: row, in: job.lane) })
            let candidate = try PushCandidate(job.occurrence, state, context.accounts)
            return DeliveryJob(
                job: job, candidate: candidate, content: try content(of: job, in: subject, context, domains),
                attempts: attempts, isRetry: isRetry)
        } catch {
            return ending(
                job, error as? UnreadableRow ?? UnreadableRow(what: "an unreadable job"), report)
        }
    }

    private func content(
        of job: PushJob, in subject: Row?, _ context: BatchContext, _ domains: DueDomains
    ) throws -> DeliveryJob.Content? {
        let owner = job.occurrence.accountID
        guard let account = context.accounts.readable[owner],
            let subject = try domains.content(of: job.occurrence, in: account.language, subject)
        else { return nil }
        return DeliveryJob.Content(
            language: account.language, subject: subject, devices: context.devices[owner] ?? [])
    }

    private func ending(_ job: PushJob, _ unreadable: UnreadableRow, _ report: UnreadableRowReport) -> DeliveryJob {
        let occurrence = job.occurrence
        report(
            unreadable,
            """
            job \(seq) of lane \(job.lane), \(occurrence.topic) of subject \(occurrence.subjectID), ends as dead \
            (unreadable_row)
            """)
        return DeliveryJob(
            job: job, candidate: PushCandidate(topic: occurrence.topic, planned: occurrence.planned, state: nil),
            unreadable: unreadable, content: nil, attempts: 0, isRetry: isRetry)
    }
}

/// What the jobs of a batch share, read once for all of them.
struct BatchContext {
    var accounts = AccountCandidates()
    var devices: [Account.ID: [Device]] = [:]
}
