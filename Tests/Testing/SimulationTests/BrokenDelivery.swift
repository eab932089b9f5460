import CherishCore
import CherishPush
import CherishStore
import Simulation

/// A short reimplementation of a worker's delivery that can be broken.
struct BrokenDelivery: Sendable {
    /// Whether the receipt is written before anything is sent.
    var recordsFirst = false
    /// Changes the verdict of the second look.
    var look: @Sendable (PushVerdict) -> PushVerdict = { $0 }

    var variant: SimulationVariant {
        var variant = SimulationVariant()
        variant.delivery = { log, worker, sender, now in
            try await deliver(log, worker, sender, now)
        }
        return variant
    }

    private func deliver(_ log: DeliveryLog, _ worker: String, _ sender: any PushSender, _ now: Instant) async throws {
        for work in try await log.lanesWithWork() where !work.isLeased {
            guard var lease = try await log.lease(work.lane, for: worker) else { continue }
            do {
                while true {
                    let (jobs, _) = try await log.read(lease, limit: 3)
                    if jobs.isEmpty { break }
                    if recordsFirst {
                        let results = await send(jobs, through: nil, now)
                        lease = try await log.complete(Array(zip(jobs, results)), under: lease, at: now)
                        _ = await send(jobs, through: sender, now)
                    } else {
                        let results = await send(jobs, through: sender, now)
                        lease = try await log.complete(Array(zip(jobs, results)), under: lease, at: now)
                    }
                }
                try await log.release(lease)
            } catch is LeaseLost {
                continue
            }
        }
    }

    /// Judges the jobs and sends those that are to be sent, one by one; without a sender, it assumes success.
    private func send(_ jobs: [DeliveryJob], through sender: (any PushSender)?, _ now: Instant) async
        -> [DeliveryResult]
    {
        var results: [DeliveryResult] = []
        for delivery in jobs {
            switch look(delivery.candidate.verdict(at: now, expiresAt: delivery.job.expiresAt)) {
            case .end(let outcome, let reason): results.append(.ended(outcome, reason))
            case .wait(let instant):
                results.append(
                    .retry(at: min(instant, delivery.job.expiresAt), attempts: delivery.attempts, error: nil))
            case .send: results.append(await send(delivery, through: sender, now))
            }
        }
        return results
    }

    private func send(_ delivery: DeliveryJob, through sender: (any PushSender)?, _ now: Instant) async
        -> DeliveryResult
    {
        guard let message = message(delivery) else { return .ended(.superseded, .erased) }
        let answer = await sender?.send([message], at: now).first ?? .delivered
        switch answer {
        case .delivered: return .ended(.delivered, .sent)
        case .refused: return .ended(.dead, .refused)
        case .retry(let error):
            let instant = min(now.adding(minutes: 2), delivery.job.expiresAt)
            return .retry(at: instant, attempts: delivery.attempts + 1, error: error)
        }
    }

    private func message(_ delivery: DeliveryJob) -> PushMessage? {
        guard let content = delivery.content else { return nil }
        let occurrence = delivery.job.occurrence
        return PushMessage(
            lane: delivery.job.lane, seq: delivery.job.seq, accountID: occurrence.accountID,
            subjectID: occurrence.subjectID, topic: occurrence.topic, occursOn: content.subject.occursOn,
            language: content.language, values: content.subject.values,
            deviceToken: nil)
    }
}
