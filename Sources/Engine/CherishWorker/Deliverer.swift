import CherishCore
import CherishPush
import CherishStore
import Logging
import Postgres

/// Delivers the push jobs of a lane: takes the lease, takes the second look, sends, and records receipts.
public struct Deliverer: Sendable {
    private let log: DeliveryLog
    private let destination: PushDestination
    private let links: DeepLinks
    private let retryPolicy: RetryPolicy
    private let worker: String
    private let batchSizes: LaneBatchSizes
    let leases = HeldLeases()
    /// Which providers take pushes.
    let providers = ProviderWatch()
    /// Times lease renewals and measures batches.
    var clock: any Clock<Duration> = ContinuousClock()
    /// Rings when there is something to deliver or to settle.
    let bell: Bell
    let underway: UnderwayPushes
    private let logger: Logger

    /// - Parameters:
    ///   - worker: names this process in leases and receipts.
    ///   - batchSizes: the range of jobs per receipt; within it, a batch aims at half a second.
    ///   - mostUnderway: how many pushes may be underway, counting those that are answered but not settled.
    public init(
        log: DeliveryLog, destination: PushDestination, links: DeepLinks = DeepLinks(),
        retryPolicy: RetryPolicy = RetryPolicy(), worker: String, batchSizes: ClosedRange<Int> = 50...4000,
        mostUnderway: Int = 4096, logger: Logger
    ) {
        self.log = log
        self.destination = destination
        self.links = links
        self.retryPolicy = retryPolicy
        self.worker = worker
        self.batchSizes = LaneBatchSizes(start: 250, range: batchSizes, target: .milliseconds(500))
        bell = Bell()
        underway = UnderwayPushes(most: mostUnderway, bell: bell)
        self.logger = logger
    }

    /// The lanes that have something to deliver.
    func lanesWithWork() async throws -> [DeliveryLog.Work] {
        try await log.lanesWithWork()
    }

    /// The longest wait for an answer of a device.
    var patience: Duration {
        switch destination {
        case .lines: .zero
        case .devices(let devices): devices.patience
        }
    }

    /// Settles the lane's answered pushes and delivers everything due there, then releases the lane. Does nothing if
    /// another worker holds it.
    ///
    /// - Parameters:
    ///   - first: which jobs the first batch reads.
    ///   - shouldStop: checked between batches; a batch that has begun always finishes.
    func deliver(
        _ lane: Lane, first: DeliveryLog.Preference = .fresh, shouldStop: @Sendable () -> Bool
    ) async throws -> RoundCounts {
        var held: Lease?
        do {
            return try await log.onOneConnection { log in
                guard let lease = try await log.lease(lane, for: worker) else { return RoundCounts() }
                held = lease
                leases.note(lane)
                defer { leases.forget(lane) }
                return try await deliver(under: lease, on: log, first: first, shouldStop: shouldStop)
            }
        } catch {
            // Release over another connection and in a new task, in case this one was cancelled. Otherwise other
            // workers would have to wait until the lease expires.
            if let held { await Task { try? await log.release(held) }.value }
            throw error
        }
    }

    private func deliver(
        under lease: Lease, on log: DeliveryLog, first: DeliveryLog.Preference, shouldStop: @Sendable () -> Bool
    ) async throws -> RoundCounts {
        var (lease, first, counts) = (lease, first, RoundCounts())
        let batchSize = batchSizes[lease.lane]
        do {
            while true {
                lease = try await settle(under: lease, on: log, &counts)
                if shouldStop() { break }
                let limit = batchSize.current
                let sinceRenewal = clock.stopwatch()
                let (jobs, now) = try await log.read(lease, limit: limit, first: first)
                if jobs.isEmpty { break }
                // A read this slow may cost the lease. A batch whose lease is lost is not measured below, so measure it here.
                let reading = sinceRenewal()
                if reading > log.leaseDuration / 3 { batchSize.note(jobs.count, of: limit, took: reading) }
                let stopwatch = clock.stopwatch()
                var isRecorded = false
                defer { underway.endBatch(in: lease.lane, isRecorded: isRecorded) }
                let batch = try await send(jobs, at: now, under: lease, renewedBefore: sinceRenewal, on: log)
                // A short batch of fresh jobs is the last one, so release the lane in the same statement. After a short
                // batch of retries, read fresh jobs now: the next round starts with retries again.
                let isLast = jobs.count < limit && jobs.first?.isRetry == false
                lease = try await log.complete(
                    Array(zip(jobs, batch.results)), attempts: batch.attempts, sentPushes: batch.sentPushes,
                    under: lease,
                    at: now, thenRelease: isLast)
                isRecorded = true
                batchSize.note(jobs.count, of: limit, took: stopwatch())
                counts.count(batch.results)
                await retire(batch.retirements, in: lease.lane, on: log, at: now)
                if isLast { return counts }
                // Alternate, so that a stream of fresh jobs cannot starve retries.
                first = first == .fresh ? .retries : .fresh
            }
            try await log.release(lease)
        } catch let lost as LeaseLost {
            // The new holder repeats the unfinished batch with the same collapse ids.
            logger.warning("lease lost", metadata: ["lane": "\(lost.lane)"])
        }
        return counts
    }

    /// Records the answers to pushes that earlier batches left underway.
    private func settle(under lease: Lease, on log: DeliveryLog, _ counts: inout RoundCounts) async throws -> Lease {
        let answered = underway.answered(in: lease.lane)
        guard !answered.isEmpty, case .devices(let devices) = destination else { return lease }
        let delivery = delivery(to: devices, log)
        let jobs = answered.flatMap { $0.push.jobs.map(\.push.delivery.job) }
        let (open, now) = try await log.underway(jobs, under: lease)
        var settled: [DeliveryJob] = []
        var batch = DeliveredBatch()
        for (_, push) in answered {
            // If a job's retry time has changed, another worker has resent it.
            let (jobs, result) = delivery.settle(push, at: now) { open[$0] == push.until }
            settled += jobs
            batch.add(result)
        }
        batch.keepLatestOfEach()
        let renewed: Lease
        do {
            renewed = try await log.settle(
                Array(zip(settled, batch.results)), attempts: batch.attempts, sentPushes: batch.sentPushes,
                under: lease,
                at: now)
        } catch let error as PostgresError where error.isAboutData {
            // The database would refuse it on every visit and block the lane. The jobs are retried when they are due
            // again.
            underway.forget(answered.map(\.number))
            throw error
        }
        underway.forget(answered.map(\.number))
        counts.count(batch.results)
        await retire(batch.retirements, in: lease.lane, on: log, at: now)
        return renewed
    }

    private func delivery(to devices: DeviceSenders, _ log: DeliveryLog) -> DeviceDelivery {
        DeviceDelivery(
            devices: devices, log: log, links: links, retryPolicy: retryPolicy, underway: underway,
            providers: providers)
    }

    /// Retires devices whose tokens are dead. After a failure the next push finds the same dead tokens again.
    private func retire(_ retirements: [DeviceRetirement], in lane: Lane, on log: DeliveryLog, at now: Instant) async {
        do {
            try await log.retire(retirements, in: lane, at: now)
        } catch {
            logger.warning("devices not retired", metadata: ["lane": "\(lane)", "error": "\(error)"])
        }
    }

    /// Renews the lease while the body runs. If the last renewal is long ago, because the database was slow, it renews the lease first:
    /// another worker may have taken over the lane and may be sending the same pushes.
    private func holding<Result: Sendable>(
        _ lease: Lease, renewedBefore sinceRenewal: @Sendable () -> Duration, on log: DeliveryLog,
        _ body: @Sendable @escaping () async throws -> Result
    ) async throws -> Result {
        if sinceRenewal() > log.leaseDuration / 3 { try await log.renew(lease) }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                // One renewal may fail for a transient reason; after a second failure in a row the lease is about to expire.
                var hasFailed = false
                while !Task.isCancelled {
                    try await clock.sleep(for: log.leaseDuration / 3)
                    do {
                        try await log.renew(lease)
                        hasFailed = false
                    } catch let error where !(error is LeaseLost) && !(error is CancellationError) && !hasFailed {
                        hasFailed = true
                    }
                }
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let result { return result }
            }
            throw CancellationError()
        }
    }

    /// Takes the second look and sends what is still worth sending, renewing the lease meanwhile.
    private func send(
        _ jobs: [DeliveryJob], at now: Instant, under lease: Lease,
        renewedBefore sinceRenewal: @Sendable () -> Duration, on log: DeliveryLog
    ) async throws -> DeliveredBatch {
        var due: [DuePush] = []
        due.reserveCapacity(jobs.count)
        // The results of jobs that are not sent.
        let ended = jobs.map { job -> DeliveryResult? in
            switch lookAgain(at: job, now) {
            case .end(let result): return result
            case .send(let push):
                due.append(push)
                return nil
            }
        }
        let pushes = due
        var sent =
            switch destination {
            case .lines(let sender):
                try await holding(lease, renewedBefore: sinceRenewal, on: log) {
                    await deliver(pushes, through: sender, at: now)
                }
            case .devices(let devices):
                try await delivery(to: devices, log).deliver(pushes, at: now) { send in
                    try await holding(lease, renewedBefore: sinceRenewal, on: log) { await send() }
                }
            }
        var results = sent.results.makeIterator()
        // Safe: there is one result per push.
        sent.results = ended.map { $0 ?? results.next()! }
        return sent
    }

    private func deliver(_ pushes: [DuePush], through sender: any PushSender, at now: Instant) async -> DeliveredBatch {
        var answers = (pushes.isEmpty ? [] : await sender.send(pushes.map(\.message), at: now)).makeIterator()
        return DeliveredBatch(
            results: pushes.map { push in
                switch answers.next() ?? .retry(error: "the sender gave no answer") {
                case .delivered: .ended(.delivered, .sent)
                case .refused: .ended(.dead, .refused)
                case .retry(let error):
                    retryPolicy.result(
                        attempts: push.delivery.attempts + 1, now: now, push.delivery.job.expiresAt, error)
                }
            })
    }

    /// The verdict of the second look: the job ends or waits, or there is a push to send.
    private enum Look {
        case end(DeliveryResult)
        case send(DuePush)
    }

    /// The second look of rule 7.6.
    private func lookAgain(at delivery: DeliveryJob, _ now: Instant) -> Look {
        if delivery.unreadable != nil { return .end(.ended(.dead, .unreadableRow)) }
        switch delivery.candidate.verdict(at: now, expiresAt: delivery.job.expiresAt) {
        case .end(let outcome, let reason): return .end(.ended(outcome, reason))
        case .wait(let instant):
            let retryAt = min(instant, delivery.job.expiresAt)
            return .end(.retry(at: retryAt, attempts: delivery.attempts, error: nil))
        case .send:
            guard let push = DuePush(delivery, links: links) else { return .end(.ended(.superseded, .erased)) }
            return .send(push)
        }
    }
}

/// The results of a batch, and what else its receipt records.
struct DeliveredBatch: Sendable {
    /// One result per job, in the order of the jobs.
    var results: [DeliveryResult] = []
    var attempts: [DeviceAttempt] = []
    var sentPushes: [SentPush] = []
    var retirements: [DeviceRetirement] = []

    /// Appends the results of other jobs.
    mutating func add(_ other: DeliveredBatch) {
        results += other.results
        attempts += other.attempts
        sentPushes += other.sentPushes
        retirements += other.retirements
    }

    /// Two pushes may cover the same job. A statement cannot write a row twice, so the later entry stands for both.
    mutating func keepLatestOfEach() {
        var (asked, sent) = (Set<Pair<Int, Device.ID>>(), Set<Pair<Account.ID, String>>())
        attempts = attempts.reversed().filter { asked.insert(Pair($0.job.seq, $0.deviceID)).inserted }.reversed()
        sentPushes = sentPushes.reversed().filter { sent.insert(Pair($0.accountID, $0.collapseID)).inserted }.reversed()
    }

    private struct Pair<First: Hashable, Second: Hashable>: Hashable {
        let first: First
        let second: Second

        init(_ first: First, _ second: Second) {
            self.first = first
            self.second = second
        }
    }
}

/// A job worth sending, and its message. It stores nothing twice, because a batch holds thousands of these.
struct DuePush: Sendable {
    let delivery: DeliveryJob
    let message: PushMessage

    /// nil if subject and account are erased.
    init?(_ delivery: DeliveryJob, links: DeepLinks) {
        guard let content = delivery.content else { return nil }
        let (job, occurrence) = (delivery.job, delivery.job.occurrence)
        self.delivery = delivery
        message = PushMessage(
            lane: job.lane, seq: job.seq, accountID: occurrence.accountID, subjectID: occurrence.subjectID,
            topic: occurrence.topic, occursOn: content.subject.occursOn, language: content.language,
            values: content.subject.values, links: links, deviceToken: content.devices.first?.token)
    }

    /// The account's active devices, newest first.
    var devices: [Device] { delivery.content?.devices ?? [] }
    /// The account's time zone.
    var zone: TimeZoneRules { delivery.candidate.state?.zone ?? .utc }
}
