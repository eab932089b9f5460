import CherishCore
import CherishPush
import CherishStore
import Secrets
import Synchronization

/// Sends the pushes of a batch to the devices of their accounts and determines the result of each job. A job is
/// delivered when one device has accepted its push.
struct DeviceDelivery {
    let devices: DeviceSenders
    let log: DeliveryLog
    let links: DeepLinks
    let retryPolicy: RetryPolicy
    let underway: UnderwayPushes
    let providers: ProviderWatch

    /// Runs a slow operation while the lane's lease is renewed, and returns its result.
    typealias Holding = (@escaping @Sendable () async -> [Sent]) async throws -> [Sent]

    /// Returns one result per push, in order, with the device attempts, the sent pushes and the devices to retire.
    ///
    /// - Parameter holding: runs the sending. Database queries run outside it: a worker whose queries get no answer
    ///   must lose the lane.
    func deliver(_ pushes: [DuePush], at now: Instant, holding: Holding) async throws -> DeliveredBatch {
        var batch = DeliveredBatch()
        var results = pushes.map { unreachable($0, at: now) }
        let reachable = pushes.indices.filter { results[$0] == nil }
        batch.retirements = pushes.flatMap { stale($0, at: now) }
        let surroundings = try await log.surroundings(of: reachable.map { pushes[$0].delivery }, at: now)
        let folding = fold(reachable.map { pushes[$0] }, surroundings, at: now)
        for (job, reason) in folding.sent { results[reachable[job]] = .ended(.delivered, reason) }
        for (job, collapseID, reason) in folding.joining {
            let push = pushes[reachable[job]]
            let until = underway.join(push, collapseID, reason)
            results[reachable[job]] =
                until.map { .underway(until: $0) } ?? .retry(at: now, attempts: push.delivery.attempts, error: nil)
        }
        var sendings: [Sending] = []
        for fold in folding.folds {
            sendings.append(try await sending(fold, fold.jobs.map { pushes[reachable[$0]] }, surroundings, at: now))
        }
        let prepared = try await offering(sendings, at: now)
        for (sending, sent) in zip(prepared, try await holding { await send(prepared, at: now) }) {
            let answers = Answers(sent.answers)
            let draw = retryPolicy.draw()
            for (job, push) in zip(sending.fold.jobs, sending.jobs) {
                if let until = sent.underwayUntil, !answers.isAccepted {
                    results[reachable[job]] = .underway(until: until)
                } else {
                    results[reachable[job]] = result(of: answers, to: sending, for: push, draw, at: now)
                }
            }
            batch.record(sending, sent.answers)
            providers.note(sending, sent.answers, at: now)
        }
        // Safe: every push is unreachable, was already sent, joins one underway, or belongs to one fold.
        batch.results = results.map { $0! }
        return batch
    }

    /// Settles a push that was underway. Returns its jobs that are still open and one result for each, in the same order.
    ///
    /// - Parameter isOpen: whether the job with this number is still to be settled.
    func settle(_ push: UnderwayPushes.Push, at now: Instant, isOpen: (Int) -> Bool) -> (
        jobs: [DeliveryJob], batch: DeliveredBatch
    ) {
        var batch = DeliveredBatch()
        let (answers, draw) = (Answers(push.answers), retryPolicy.draw())
        let open = push.isDelivered ? [] : push.jobs.filter { isOpen($0.push.message.seq) }
        batch.results = open.map { job in
            answers.isAccepted
                ? .ended(.delivered, job.reason)
                : result(of: answers, to: push.sending, for: job.push, draw, at: now)
        }
        // If another worker has resent the push, that worker recorded the answers.
        if push.isDelivered || !open.isEmpty {
            batch.record(push.sending, push.lateAnswers)
            providers.note(push.sending, push.lateAnswers, at: now)
        }
        // The batch has recorded the sent push already.
        if push.isDelivered { batch.sentPushes = [] }
        return (open.map(\.push.delivery), batch)
    }

    /// A push and the devices it goes to.
    struct Sending: Sendable {
        let fold: PushFolding.Fold
        /// The jobs of the fold, in its order; never empty.
        let jobs: [DuePush]
        let push: AccountPush
        let devices: [Device]
        /// Whether a device is left out because its provider refused the push earlier.
        let hasRefused: Bool
        /// With which browsers act at once.
        var tokens: [Device.ID: CapabilityToken] = [:]

        /// The push as a device gets it.
        func push(to device: Device) -> AccountPush {
            guard let token = tokens[device.id] else { return push }
            var push = push
            push.actionToken = token
            return push
        }

        /// This push as an entry of the account's sent pushes.
        var sent: PushSurroundings.Sent {
            PushSurroundings.Sent(
                collapseID: push.collapseID, sentOn: fold.today, subjectIDs: Set(fold.subjects.map(\.subjectID)),
                countsTowardsCap: fold.countsTowardsCap)
        }
    }

    /// The result for an account without a reachable device; nil if there is one.
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
            pushes.map { $0.foldingJob(at: now) }, surroundings,
            underway: pushes.first.map { underway.countedAsSent(in: $0.message.lane) } ?? [:], cap: devices.dailyCap,
            digestID: AccountPush.digestCollapseID)
    }

    /// - Parameter pushes: those of the fold.
    private func sending(
        _ fold: PushFolding.Fold, _ pushes: [DuePush], _ surroundings: PushSurroundings, at now: Instant
    ) async throws -> Sending {
        let first = pushes[0]
        let dueCount =
            fold.content == .digest ? try await log.dueCount(of: first.message.accountID, on: fold.today) : 0
        // Skip a device only if it refused every job of the push: a new job must be offered to each device.
        let refused = pushes.dropFirst().reduce(surroundings.refused[first.delivery.job.seq] ?? []) {
            $0.intersection(surroundings.refused[$1.delivery.job.seq] ?? [])
        }
        return Sending(
            fold: fold, jobs: pushes,
            push: fold.push(pushes, dueCount: dueCount, links: links, at: now),
            devices: first.devices.filter {
                $0.retirement(at: now) == nil && devices.senders[$0.platform] != nil && !refused.contains($0.id)
            }, hasRefused: !refused.isEmpty)
    }

    /// Gives browsers tokens for what a notification offers, and stores them before they are sent.
    private func offering(_ sendings: [Sending], at now: Instant) async throws -> [Sending] {
        var (offering, offers) = (sendings, [PushActionOffer]())
        for (place, sending) in sendings.enumerated() {
            guard let action = sending.push.actions.first(where: \.isDoneAtOnce) else { continue }
            let occurrence = sending.jobs[0].delivery.job.occurrence
            for device in sending.devices where device.platform == .web {
                let token = CapabilityToken(in: sending.jobs[0].message.lane)
                offering[place].tokens[device.id] = token
                offers.append(
                    PushActionOffer(
                        tokenHash: SecretHash.sha256(token.secret), for: device.id, of: occurrence, action: action,
                        expiresAt: sending.push.expiresAt))
            }
        }
        guard let lane = sendings.first?.jobs[0].message.lane else { return sendings }
        try await log.offer(offers, in: lane, at: now)
        return offering
    }

    /// What is known of a push when its batch is recorded.
    struct Sent: Sendable {
        /// One per device, in order; nil where an answer is missing.
        let answers: [DeviceResult?]
        /// When to resend the jobs unless the push is settled first; nil once all devices have answered.
        let underwayUntil: Instant?
    }

    /// Sends all pushes concurrently; each sender limits its own concurrency.
    ///
    /// The batch waits for phones until patience ends. It then gives up on missing answers so that it can be recorded:
    /// queued requests are dropped, and requests that may have gone out are repeated with the same collapse id. The
    /// batch does not wait for webhooks: those that have not answered when the phones have are underway.
    private func send(_ sendings: [Sending], at now: Instant) async -> [Sent] {
        let until = now.adding(
            microseconds: Int64((devices.patience + log.leaseDuration) / .microseconds(1)))
        let numbers = sendings.map { sending in
            sending.devices.allSatisfy { devices.isAwaited($0.platform) } ? nil : underway.begin(sending, until: until)
        }
        return zip(numbers, await awaitedAnswers(to: sendings, numbers, at: now)).map { number, awaited in
            guard let number else { return Sent(answers: awaited, underwayUntil: nil) }
            let answers = underway.takeAnswers(to: number, adding: awaited)
            return Sent(answers: answers, underwayUntil: answers.contains(nil) ? until : nil)
        }
    }

    /// A push to one device: their places among the sendings and their devices.
    private typealias Request = (sending: Int, device: Int)

    /// Starts all requests and returns the answers of awaited devices; nil for webhooks that are underway.
    ///
    /// - Parameter numbers: the number of each push in ``UnderwayPushes``; nil if it is not underway.
    private func awaitedAnswers(
        to sendings: [Sending], _ numbers: [Int?], at now: Instant
    ) async -> [[DeviceResult?]] {
        var answers = sendings.map { $0.devices.map { _ in DeviceResult?.none } }
        var awaited: [Device.Platform: [Request]] = [:]
        // Unstructured tasks, because this function must not wait for them to finish.
        var others: [Task<Void, Never>] = []
        for (place, sending) in sendings.enumerated() {
            for (device, receiver) in sending.devices.enumerated() {
                guard let sender = devices.senders[receiver.platform] else { continue }
                if devices.isAwaited(receiver.platform) {
                    answers[place][device] = DeviceDelivery.noAnswer
                    awaited[receiver.platform, default: []].append((place, device))
                } else if let number = numbers[place] {
                    others.append(
                        Task { [underway] in
                            let answer = await sender.send(sending.push, to: receiver, at: now)
                            underway.note(answer, of: device, to: number)
                        })
                } else {
                    answers[place][device] = .held(reason: "too many webhooks are waiting", for: .seconds(5))
                }
            }
        }
        endPatience(with: others, of: sendings, numbers)
        for (request, result) in await ask(awaited, of: sendings, at: now) {
            answers[request.sending][request.device] = result
        }
        return answers
    }

    /// Sends requests and returns the answers that come before patience ends.
    private func ask(
        _ awaited: [Device.Platform: [Request]], of sendings: [Sending], at now: Instant
    ) async -> [(Request, DeviceResult)] {
        let count = awaited.values.reduce(0) { $0 + $1.count }
        if count == 0 { return [] }
        let (stream, continuation) = AsyncStream.makeStream(of: (Request, DeviceResult).self)
        // Unstructured tasks: an answer that comes too late must not be waited for.
        var tasks = awaited.flatMap { platform, requests in
            devices.senders[platform].map { sender in
                askInTurn(sender, requests) { request in
                    let sending = sendings[request.sending]
                    let device = sending.devices[request.device]
                    let result = await sender.send(sending.push(to: device), to: device, at: now)
                    continuation.yield((request, result))
                }
            } ?? []
        }
        tasks.append(
            Task { [patience = devices.patience] in
                try? await Task.sleep(for: patience)
                continuation.finish()
            })
        var answers: [(Request, DeviceResult)] = []
        for await answer in stream {
            answers.append(answer)
            if answers.count == count { break }
        }
        for task in tasks { task.cancel() }
        return answers
    }

    /// Starts as many tasks as the sender sends at once. Each takes one request after the other: a task that only waits
    /// for its turn would take some kilobytes.
    private func askInTurn(
        _ sender: any DeviceSender, _ requests: [Request], _ ask: @escaping @Sendable (Request) async -> Void
    ) -> [Task<Void, Never>] {
        let next = NextPlace()
        return (0..<min(sender.concurrency, requests.count)).map { _ in
            Task {
                while !Task.isCancelled, let place = next.take(below: requests.count) { await ask(requests[place]) }
            }
        }
    }

    private final class NextPlace: Sendable {
        private let place = Atomic(0)

        func take(below end: Int) -> Int? {
            let taken = place.wrappingAdd(1, ordering: .relaxed).oldValue
            return taken < end ? taken : nil
        }
    }

    /// Gives up, when patience ends, on webhooks that have not answered.
    private func endPatience(with tasks: [Task<Void, Never>], of sendings: [Sending], _ numbers: [Int?]) {
        if tasks.isEmpty { return }
        let pushes = zip(numbers, sendings).compactMap { number, sending in
            number.map { (number: $0, deviceCount: sending.devices.count) }
        }
        Task { [underway, patience = devices.patience] in
            try? await Task.sleep(for: patience)
            for (number, count) in pushes {
                for device in 0..<count { underway.note(DeviceDelivery.noAnswer, of: device, to: number) }
            }
            for task in tasks { task.cancel() }
        }
    }

    private static let noAnswer = DeviceResult.held(reason: "no answer yet", for: .seconds(5))

    /// The result for one job: delivered if a device accepted the push, otherwise a retry while some device may still take it.
    private func result(
        of answers: Answers, to sending: Sending, for push: DuePush, _ draw: Double, at now: Instant
    ) -> DeliveryResult {
        let (attempts, expiresAt) = (push.delivery.attempts, push.delivery.job.expiresAt)
        if answers.isAccepted { return .ended(.delivered, sending.fold.content == .digest ? .digest : .sent) }
        // Ten failures of one device do not end the job while another device is on hold.
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
    /// The job as folding sees it.
    func foldingJob(at now: Instant) -> PushFolding.Job {
        PushFolding.Job(
            group: PushGroup(
                accountID: message.accountID, topic: message.topic, plannedAt: delivery.job.occurrence.at),
            subject: PushSurroundings.GroupMember(subjectID: message.subjectID, name: message.values.name),
            today: zone.day(at: now), isExemptFromCap: delivery.content?.subject.isExemptFromCap ?? false)
    }
}

extension PushFolding.Fold {
    /// The push that devices receive.
    ///
    /// - Parameters:
    ///   - pushes: those of the fold; never empty.
    ///   - dueCount: for a digest, how many of the account's subjects are due today.
    func push(_ pushes: [DuePush], dueCount: Int, links: DeepLinks, at now: Instant) -> AccountPush {
        let first = pushes[0].message
        let collapseID: String
        let content: AccountPush.Content
        switch self.content {
        case .group(let group):
            collapseID = group.collapseID
            content =
                subjects.count == 1
                ? .one(first)
                : .several(
                    group.topic, occursOn: first.occursOn, first: subjects[0].subjectID, name: subjects[0].name,
                    others: subjects.count - 1)
        case .digest:
            collapseID = AccountPush.digestCollapseID(on: today)
            content = .digest(day: today, first: subjects[0].subjectID, topic: first.topic, dueCount: dueCount)
        }
        var push = AccountPush(
            accountID: first.accountID, language: first.language, content: content, collapseID: collapseID,
            plannedAt: pushes[0].delivery.job.occurrence.at,
            expiresAt: pushes.map(\.delivery.job.expiresAt).max() ?? now, links: links)
        push.occasion = pushes.map(\.message.values.occasion).max() ?? .usual
        return push
    }
}

/// The combined answers of a push's devices.
private struct Answers {
    private(set) var isAccepted = false
    private(set) var isRefused = false
    /// The failure with the longest requested pause.
    private(set) var failure: (reason: String, retryAfter: Duration)?
    /// The hold that ends first.
    private(set) var hold: (reason: String, time: Duration)?

    /// - Parameter answers: one per device; nil where an answer is missing.
    init(_ answers: [DeviceResult?]) {
        for case let answer? in answers {
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
    /// Adds the attempts, the retirements and the sent push of one push.
    ///
    /// - Parameter answers: one per device; nil where an answer is missing or already recorded.
    fileprivate mutating func record(_ sending: DeviceDelivery.Sending, _ answers: [DeviceResult?]) {
        for (device, answer) in zip(sending.devices, answers) {
            guard let answer, let (outcome, reason) = answer.record else { continue }
            attempts += sending.jobs.map {
                DeviceAttempt(job: $0.delivery.job, deviceID: device.id, outcome: outcome, reason: reason)
            }
            if case .tokenDead(let reason, let since) = answer {
                retirements.append(
                    DeviceRetirement(deviceID: device.id, reason: reason, deadSince: since ?? device.addedAt))
            }
        }
        if let first = sending.jobs.first, answers.contains(.accepted) {
            let sent = sending.sent
            sentPushes.append(
                SentPush(
                    job: first.delivery.job, accountID: sending.push.accountID, collapseID: sent.collapseID,
                    sentOn: sent.sentOn, subjectIDs: sent.subjectIDs, countsTowardsCap: sent.countsTowardsCap))
        }
    }
}

extension DeviceResult {
    /// What to record about the device; nil for a hold, which is no attempt.
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
