import CherishCore
import CherishPush
import CherishStore

/// Sends the pushes of a batch to the devices of their accounts, and says what became of each job: it is delivered when one
/// device took it.
struct DeviceDelivery {
    let devices: DeviceSenders
    let log: DeliveryLog
    let links: DeepLinks
    let retryPolicy: RetryPolicy

    /// Runs what may take its time while the lane is held, and returns what it returned.
    typealias Holding = (@escaping @Sendable () async -> [[DeviceResult]]) async throws -> [[DeviceResult]]

    /// One result per push, in their order; what came of each device; what accounts were told; which devices are gone.
    ///
    /// - Parameter holding: sending runs in it. Asking the database does not: who gets no answer there must lose the lane.
    func deliver(_ pushes: [DuePush], at now: Instant, holding: Holding) async throws -> DeliveredBatch {
        var batch = DeliveredBatch()
        var results = pushes.map { unreachable($0, at: now) }
        let reachable = pushes.indices.filter { results[$0] == nil }
        batch.retirements = pushes.flatMap { stale($0, at: now) }
        let surroundings = try await log.surroundings(of: reachable.map { pushes[$0].delivery }, at: now)
        let folding = fold(reachable.map { pushes[$0] }, surroundings, at: now)
        for (job, reason) in folding.told { results[reachable[job]] = .ended(.delivered, reason) }
        var sendings: [Sending] = []
        for fold in folding.folds {
            sendings.append(try await sending(fold, fold.jobs.map { pushes[reachable[$0]] }, surroundings, at: now))
        }
        let prepared = sendings
        for (sending, answers) in zip(prepared, try await holding { await send(prepared, at: now) }) {
            let answer = Answers(answers)
            let draw = retryPolicy.draw()
            for job in sending.fold.jobs {
                results[reachable[job]] = result(of: answer, to: sending, for: pushes[reachable[job]], draw, at: now)
            }
            batch.record(sending, answers, jobs: sending.fold.jobs.map { pushes[reachable[$0]] }, at: now)
        }
        // Every push is unreachable, told, or in one fold.
        batch.results = results.map { $0! }
        return batch
    }

    /// A push, and the devices that it goes to.
    struct Sending: Sendable {
        let fold: PushFolding.Fold
        let push: AccountPush
        let devices: [Device]
        /// Whether a device was left out because its provider refused the push before.
        let hasRefused: Bool
    }

    /// How a push ends whose account has no device that can be reached; nil if there is one.
    private func unreachable(_ push: DuePush, at now: Instant) -> DeliveryResult? {
        let living = push.devices.filter { $0.retirement(at: now) == nil }
        if living.isEmpty { return .ended(.suppressed, .noDevice) }
        return living.contains { devices.senders[$0.platform] != nil }
            ? nil : .ended(.suppressed, .providerNotConfigured)
    }

    private func stale(_ push: DuePush, at now: Instant) -> [DeviceRetirement] {
        push.devices.compactMap { device in
            device.retirement(at: now).map {
                DeviceRetirement(deviceID: device.id, reason: $0.reason, deadSince: device.addedAt)
            }
        }
    }

    private func fold(_ pushes: [DuePush], _ surroundings: PushSurroundings, at now: Instant) -> PushFolding {
        PushFolding(
            pushes.map { $0.foldingJob(at: now) }, surroundings, cap: devices.dailyCap,
            digestID: AccountPush.digestCollapseID)
    }

    /// - Parameter pushes: those of the fold.
    private func sending(
        _ fold: PushFolding.Fold, _ pushes: [DuePush], _ surroundings: PushSurroundings, at now: Instant
    ) async throws -> Sending {
        let first = pushes[0]
        let thirstyCount =
            fold.subject == .digest
            ? try await log.thirstyCount(of: first.message.accountID, on: fold.today) : 0
        // By all jobs of the push: one that is new must be offered to each device.
        let refused = pushes.dropFirst().reduce(surroundings.refused[first.delivery.job.seq] ?? []) {
            $0.intersection(surroundings.refused[$1.delivery.job.seq] ?? [])
        }
        return Sending(
            fold: fold,
            push: fold.push(pushes, thirstyCount: thirstyCount, links: links, at: now),
            devices: first.devices.filter {
                $0.retirement(at: now) == nil && devices.senders[$0.platform] != nil && !refused.contains($0.id)
            }, hasRefused: !refused.isEmpty)
    }

    /// Sends all at once; each sender bounds by itself how many it has on the way. One answer per device, in their order.
    ///
    /// Whoever has not answered when patience ends is given up, so that the batch can be recorded: what still waits for its
    /// turn does not go out any more, and what may have gone out is repeated with the same collapse id.
    private func send(_ sendings: [Sending], at now: Instant) async -> [[DeviceResult]] {
        var answers = sendings.map {
            $0.devices.map { _ in DeviceResult.held(reason: "no answer yet", for: .seconds(5)) }
        }
        var left = answers.reduce(0) { $0 + $1.count }
        guard left > 0 else { return answers }
        let (stream, continuation) = AsyncStream.makeStream(of: (sending: Int, device: Int, result: DeviceResult).self)
        // Not children of this task: it must not have to wait for them.
        var tasks: [Task<Void, Never>] = []
        for (place, sending) in sendings.enumerated() {
            for (number, device) in sending.devices.enumerated() {
                guard let sender = devices.senders[device.platform] else { continue }
                tasks.append(
                    Task { continuation.yield((place, number, await sender.send(sending.push, to: device, at: now))) })
            }
        }
        tasks.append(
            Task { [patience = devices.patience] in
                try? await Task.sleep(for: patience)
                continuation.finish()
            })
        for await answer in stream {
            answers[answer.sending][answer.device] = answer.result
            left -= 1
            if left == 0 { break }
        }
        for task in tasks { task.cancel() }
        return answers
    }

    /// What the answers mean for one of the jobs: delivered when one device took it, else tried again if any device may
    /// take it yet.
    private func result(
        of answers: Answers, to sending: Sending, for push: DuePush, _ draw: Double, at now: Instant
    ) -> DeliveryResult {
        let (attempts, expiresAt) = (push.delivery.attempts, push.delivery.job.expiresAt)
        if answers.isAccepted { return .ended(.delivered, sending.fold.subject == .digest ? .digest : .sent) }
        // Ten failures of one device are no reason to give up on another that could not be asked.
        if let failure = answers.failure, attempts + 1 < RetryPolicy.maximumAttempts || answers.hold == nil {
            return retryPolicy.result(
                attempts: attempts + 1, now: now, expiresAt, failure.reason, retryAfter: failure.retryAfter, draw: draw)
        }
        if let hold = answers.hold {
            return retryPolicy.held(
                attempts: attempts, now: now, expiresAt, hold.reason, for: hold.time, draw: draw)
        }
        return .ended(.dead, answers.isRefused || sending.hasRefused ? .refused : .tokenDead)
    }
}

extension DuePush {
    /// What folding looks at.
    func foldingJob(at now: Instant) -> PushFolding.Job {
        PushFolding.Job(
            group: PushGroup(
                accountID: message.accountID, kind: message.kind, plannedAt: delivery.job.planned.at),
            plant: PushSurroundings.Companion(plantID: message.plantID, nickname: message.nickname),
            today: zone.day(at: now))
    }
}

extension PushFolding.Fold {
    /// The push that devices get.
    ///
    /// - Parameters:
    ///   - pushes: those of the fold, never none.
    ///   - thirstyCount: how many plants of the account want water today, for a digest.
    func push(_ pushes: [DuePush], thirstyCount: Int, links: DeepLinks, at now: Instant) -> AccountPush {
        let first = pushes[0]
        let content: AccountPush.Content
        let collapseID: String
        switch subject {
        case .group(let group):
            collapseID = group.collapseID
            content =
                plants.count == 1
                ? .plant(first.message)
                : .plants(
                    group.kind, occursOn: first.message.occursOn, first: plants[0].plantID,
                    nickname: plants[0].nickname, others: plants.count - 1)
        case .digest:
            collapseID = AccountPush.digestCollapseID(on: today)
            content = .digest(day: today, plant: plants[0].plantID, thirstyCount: thirstyCount)
        }
        return AccountPush(
            accountID: first.message.accountID, language: first.message.language, content: content,
            collapseID: collapseID, plannedAt: first.delivery.job.planned.at,
            expiresAt: pushes.map(\.delivery.job.expiresAt).max() ?? now, links: links)
    }
}

/// What the devices of a push answered, taken together.
private struct Answers {
    private(set) var isAccepted = false
    private(set) var isRefused = false
    /// The failure after which the longest pause was asked for.
    private(set) var failure: (reason: String, retryAfter: Duration)?
    /// The shortest time after which anybody may be asked.
    private(set) var hold: (reason: String, time: Duration)?

    init(_ answers: [DeviceResult]) {
        for answer in answers {
            switch answer {
            case .accepted: isAccepted = true
            case .refused: isRefused = true
            case .tokenDead: break
            case .failed(let reason, let retryAfter):
                let pause = retryAfter ?? .zero
                if failure.map({ $0.retryAfter < pause }) ?? true { failure = (reason, pause) }
            case .held(let reason, let time):
                if hold.map({ $0.time > time }) ?? true { hold = (reason, time) }
            }
        }
    }
}

extension DeliveredBatch {
    /// Adds what is to be recorded about a push.
    fileprivate mutating func record(
        _ sending: DeviceDelivery.Sending, _ answers: [DeviceResult], jobs: [DuePush], at now: Instant
    ) {
        for (device, answer) in zip(sending.devices, answers) {
            guard let (outcome, reason) = answer.record else { continue }
            attempts += jobs.map {
                DeviceAttempt(job: $0.delivery.job, deviceID: device.id, outcome: outcome, reason: reason)
            }
            if case .tokenDead(let reason, let since) = answer {
                retirements.append(
                    DeviceRetirement(deviceID: device.id, reason: reason, deadSince: since ?? device.addedAt))
            }
        }
        if let first = jobs.first, answers.contains(.accepted) {
            notices.append(
                PushNotice(
                    job: first.delivery.job, accountID: sending.push.accountID, collapseID: sending.push.collapseID,
                    toldOn: sending.fold.today, plantIDs: Set(sending.fold.plants.map(\.plantID))))
        }
    }
}

extension DeviceResult {
    /// What is recorded about the device; nil when its provider was not asked.
    fileprivate var record: (outcome: DeviceOutcome, reason: String)? {
        switch self {
        case .accepted: (.accepted, "accepted")
        case .failed(let reason, _): (.failed, reason)
        case .held: nil
        case .refused(let reason): (.refused, reason)
        case .tokenDead(let reason, _): (.tokenDead, reason)
        }
    }
}
