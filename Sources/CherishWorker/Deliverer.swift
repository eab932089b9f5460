import CherishCore
import CherishPush
import CherishStore
import Logging

/// Delivers the push jobs of a lane: leases it, looks again, sends, records receipts.
public struct Deliverer: Sendable {
    private let log: DeliveryLog
    private let sender: any PushSender
    private let links: DeepLinks
    private let retryPolicy: RetryPolicy
    private let worker: String
    private let batchSize: BatchSize
    private let logger: Logger

    /// - Parameters:
    ///   - worker: names this process in leases and receipts.
    ///   - batchSizes: how many jobs one receipt covers; within this range it is what the sender does in half a second.
    public init(
        log: DeliveryLog, sender: any PushSender, links: DeepLinks = DeepLinks(),
        retryPolicy: RetryPolicy = RetryPolicy(), worker: String, batchSizes: ClosedRange<Int> = 50...4000,
        logger: Logger
    ) {
        self.log = log
        self.sender = sender
        self.links = links
        self.retryPolicy = retryPolicy
        self.worker = worker
        batchSize = BatchSize(start: 250, range: batchSizes, target: .milliseconds(500))
        self.logger = logger
    }

    /// The lanes that have something to deliver.
    func lanesWithWork() async throws -> [DeliveryLog.Work] {
        try await log.lanesWithWork()
    }

    /// Delivers all that is due in a lane, if no other worker holds it, and gives the lane back.
    ///
    /// - Parameters:
    ///   - first: which jobs the first batch looks for.
    ///   - shouldStop: asked between two batches; a batch that was begun is always finished.
    func deliver(
        _ lane: Lane, first: DeliveryLog.Preference = .fresh, shouldStop: @Sendable () -> Bool
    ) async throws -> TickCounts {
        guard var lease = try await log.lease(lane, for: worker) else { return TickCounts() }
        var counts = TickCounts()
        do {
            var first = first
            while !shouldStop() {
                let limit = batchSize.current
                let (jobs, now) = try await log.read(lease, limit: limit, first: first)
                if jobs.isEmpty { break }
                let started = ContinuousClock.now
                let batch = try await holding(lease) { await send(jobs, at: now) }
                // Fewer fresh jobs than asked for: nothing is left, and giving the lane back costs nothing here. After the
                // last retries there may be fresh ones, which must not wait for the next round: it has retries again.
                let isLast = jobs.count < limit && jobs.first?.isRetry == false
                lease = try await log.complete(batch, under: lease, at: now, thenRelease: isLast)
                batchSize.note(jobs.count, of: limit, took: ContinuousClock.now - started)
                counts.add(batch.map { $0.result })
                if isLast { return counts }
                // In turns, so that an endless stream of fresh jobs does not keep retries waiting.
                first = first == .fresh ? .retries : .fresh
            }
        } catch let lost as LeaseLost {
            // The other worker repeats the unfinished batch with the same collapse ids.
            logger.warning("lease lost", metadata: ["lane": "\(lost.lane)"])
            return counts
        } catch {
            // Also when this task was cancelled, which would keep the lane from others until the lease runs out.
            let held = lease
            await Task { try? await log.release(held) }.value
            throw error
        }
        try await log.release(lease)
        return counts
    }

    /// Renews the lease for as long as the body runs.
    private func holding<Result: Sendable>(_ lease: Lease, _ body: @Sendable @escaping () async -> Result) async throws
        -> Result
    {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { await body() }
            group.addTask {
                while !Task.isCancelled {
                    try await Task.sleep(for: log.leaseDuration / 3)
                    try await log.renew(lease)
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

    private func send(_ jobs: [DeliveryJob], at now: Instant) async -> [(job: DeliveryJob, result: DeliveryResult)] {
        let looks = jobs.map { lookAgain(at: $0, now) }
        let messages = looks.compactMap { look in if case .send(let message) = look { message } else { nil } }
        var results = (messages.isEmpty ? [] : await sender.send(messages, at: now)).makeIterator()
        return zip(jobs, looks).map { delivery, look in
            if case .end(let result) = look { return (delivery, result) }
            switch results.next() ?? .retry(error: "the sender gave no answer") {
            case .delivered: return (delivery, .ended(.delivered, .sent))
            case .refused: return (delivery, .ended(.dead, .refused))
            case .retry(let error):
                let attempts = delivery.attempts + 1
                return (delivery, retryPolicy.result(attempts: attempts, now: now, delivery.job.expiresAt, error))
            }
        }
    }

    /// What the second look says: the job ends or waits here, or there is a message to send.
    private enum Look {
        case end(DeliveryResult)
        case send(PushMessage)
    }

    /// The second look of rule 7.6.
    private func lookAgain(at delivery: DeliveryJob, _ now: Instant) -> Look {
        switch delivery.candidate.verdict(at: now, expiresAt: delivery.job.expiresAt) {
        case .end(let outcome, let reason): return .end(.ended(outcome, reason))
        case .wait(let instant):
            let retryAt = min(instant, delivery.job.expiresAt)
            return .end(.retry(at: retryAt, attempts: delivery.attempts, error: nil))
        case .send:
            guard let content = delivery.content else { return .end(.ended(.superseded, .erased)) }
            if sender.needsDevice && content.deviceTokens.isEmpty { return .end(.ended(.suppressed, .noDevice)) }
            return .send(message(for: delivery.job, content))
        }
    }

    private func message(for job: PushJob, _ content: DeliveryJob.Content) -> PushMessage {
        let subjectDay = CivilDay(daysSinceEpoch: Int32(job.planned.subject))
        return PushMessage(
            lane: job.lane, seq: job.seq, accountID: content.accountID, plantID: job.plantID, kind: job.kind,
            occursOn: content.wateredOn ?? subjectDay, language: content.language,
            nickname: content.friendNickname, species: content.cycle.species, links: links,
            deviceToken: content.deviceTokens.first)
    }
}

/// When a push that a provider did not take is tried again: after 30 seconds, then twice as long each time up to an hour,
/// each a little shorter or longer by chance, until the job expires or 10 attempts were made.
public struct RetryPolicy: Sendable {
    static let maximumAttempts = 10
    private let random: @Sendable () -> Double

    /// - Parameter random: gives numbers from 0 to 1; handed in, so that tests can make them predictable.
    public init(random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
        self.random = random
    }

    func result(attempts: Int, now: Instant, _ expiresAt: Instant, _ error: String) -> DeliveryResult {
        guard attempts < RetryPolicy.maximumAttempts else { return .ended(.dead, .attemptsExhausted) }
        let seconds = min(30 * Double(1 << (attempts - 1)), 3600) * (0.8 + 0.4 * random())
        // At its expiry it is looked at once more, and ends as expired.
        let instant = min(now.adding(microseconds: Int64(seconds * 1_000_000)), expiresAt)
        return .retry(at: instant, attempts: attempts, error: error)
    }
}
