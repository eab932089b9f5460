import CherishCore
import CherishPush
import CherishStore
import SeededChance

/// What a worker's visit sent to phones, until it is known whether the worker recorded it.
struct Visit: Sendable {
    /// Seeds the providers' answers, so that they do not depend on the order in which pushes arrive.
    let seed: UInt64
    /// Whether the lease expired during the visit: if so, nothing in it is certain to be recorded.
    var wasInterrupted = false
    var accepted: [(account: Account.ID, collapseID: String, day: CivilDay)] = []
    /// The worker's statement count at the last push. It does not change within a batch.
    var statementCount = 0
    /// The digests of the current batch.
    var digests: [(account: Account.ID, day: CivilDay)] = []
    var deadTokens: Set<String> = []
}

/// A push sent to an account, whichever subjects it named.
struct ReceivedPush: Sendable {
    /// The account's days on which phones got it.
    var days: Set<CivilDay> = []
    /// The day on which the service certainly recorded it.
    var recordedOn: CivilDay?
}

/// The provider of all phones.
struct PhoneProvider: DeviceSender {
    let simulation: Simulation
    /// The index of its visit among the running ones.
    let visit: Int

    func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        await simulation.receive(push, on: device.token, in: visit, at: now)
    }
}

extension Simulation {
    // MARK: Providers

    /// The provider's answer for one phone. It depends only on visit, push and phone, because the pushes of a batch
    /// arrive in any order.
    func receive(_ push: AccountPush, on token: String, in visit: Int, at clock: Instant) async -> DeviceResult {
        if isOutage {
            outageFacts.refuse(at: clock)
            return .failed(reason: "provider outage", retryAfter: nil)
        }
        noteBatch(of: visit)
        guard let account = accounts[push.accountID] else {
            note(.erased, push.subjectID, "a push for an account that left")
            return .accepted
        }
        let phone = account.phones?.first { $0.token == token }
        // During an interrupted visit another worker may learn that the phone is gone.
        let isKnownDead = retiredTokens.contains(token) && !visits[visit].wasInterrupted
        expect(
            phone != nil && !isKnownDead, .deadPhones, push.subjectID,
            "\(push.collapseID) to the phone \(token), which is gone")
        if phone?.isGone != false {
            outageFacts.accept(at: clock)
            visits[visit].deadTokens.insert(token)
            return .tokenDead(reason: "Unregistered", since: nil)
        }
        see(push, by: account, on: token, in: visit, at: clock)
        guard settings.hasFaults else {
            outageFacts.accept(at: clock)
            noteAccepted(push, by: account, in: visit, at: clock)
            return .accepted
        }
        var fate = SplitMix64(seed: visits[visit].seed ^ Simulation.hash("\(push.collapseID) \(token)"))
        let isLost = fate.chance(3)
        if isLost {
            outageFacts.refuse(at: clock)
            report.faults["answer of a provider lost", default: 0] += 1
        } else {
            outageFacts.accept(at: clock)
            noteAccepted(push, by: account, in: visit, at: clock)
        }
        if visit == 0, workers.count > 1, !visits[0].wasInterrupted, fate.chance(8) {
            visits[0].wasInterrupted = true
            await letAnotherWorkerCome()
        }
        return isLost ? .failed(reason: "no answer", retryAfter: nil) : .accepted
    }

    private func noteAccepted(_ push: AccountPush, by account: AccountModel, in visit: Int, at clock: Instant) {
        if case .digest = push.content { return }
        if account.mayBeExemptFromCap(push) { return }
        visits[visit].accepted.append((account.id, push.collapseID, account.zone.day(at: clock)))
    }

    /// The pushes of a batch arrive in any order, so its digests are judged when the next batch begins.
    private func noteBatch(of visit: Int) {
        let statementCount = workers[busyWorkers[visit]].faults.statementCount
        guard statementCount != visits[visit].statementCount else { return }
        judge(visits[visit].digests)
        visits[visit].digests = []
        visits[visit].statementCount = statementCount
    }

    /// Checks that the daily cap was reached before each digest.
    private func judge(_ digests: [(account: Account.ID, day: CivilDay)]) {
        for digest in digests {
            let before = received[digest.account]?.values.count { $0.days.contains(digest.day) } ?? 0
            expect(
                before >= settings.dailyCap, .dailyCap, nil,
                "a digest of \(digest.day) for account \(digest.account) after \(before) pushes")
        }
    }

    /// FNV-1a, which is the same on every machine and in every run.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Checks a visit at its end. What was certainly recorded counts from now on.
    func settle(_ visit: Visit, isSound: Bool) {
        judge(visit.digests)
        guard isSound, !visit.wasInterrupted else { return }
        retiredTokens.formUnion(visit.deadTokens)
        for push in visit.accepted where received[push.account]?[push.collapseID]?.days == [push.day] {
            received[push.account]?[push.collapseID]?.recordedOn = push.day
            let count = received[push.account]?.values.count { $0.recordedOn == push.day } ?? 0
            expect(
                count <= settings.dailyCap, .dailyCap, nil,
                "\(count) pushes on \(push.day) for account \(push.account)")
        }
    }

    /// Forgets old pushes, as the service does after its retention period.
    func forgetPushes() async throws {
        let limit = TimeZoneRules.utc.day(at: now) + -10
        for (account, pushes) in received {
            received[account] = pushes.filter { $0.value.days.contains { $0 >= limit } }
        }
        for (account, days) in digestDays { digestDays[account] = days.filter { $0 >= limit } }
        try await evidence.forgetSentPushes(before: limit)
    }

    // MARK: At the phone

    private func see(
        _ push: AccountPush, by account: AccountModel, on token: String, in visit: Int, at clock: Instant
    ) {
        let shown = ShownPush(phone: token, collapseID: push.collapseID)
        let day = account.zone.day(at: clock)
        switch push.content {
        case .digest(_, _, _, let dueCount):
            report.pushes["digest", default: 0] += 1
            phones.receive(shown)
            visits[visit].digests.append((account.id, day))
            digestDays[account.id, default: []].insert(day)
            seeDigest(push, dueCount, by: account, on: day)
            return
        case .one(let message):
            seeOccasion(push.occasion, message, of: account)
            see(message, plannedAt: push.plannedAt, as: shown, at: clock)
            seeGroup(push, message.topic, count: 1, by: account, as: shown, at: clock)
        case .several(let topic, _, let first, _, let others):
            report.pushes["several \(topic.label)", default: 0] += 1
            phones.receive(shown)
            expect(account.wants(topic), .switchedOff, first, "a push about a topic that is switched off")
            expect(
                !topic.keepsQuietHours || !PlantModel.isQuiet(clock, in: account.zone), .quietHours, first,
                "reminders at \(clock), which is \(account.zone.timeOfDay(at: clock)) in \(account.zone.name)")
            seeGroup(push, topic, count: others + 1, by: account, as: shown, at: clock)
        }
        received[account.id, default: [:]][push.collapseID, default: ReceivedPush()].days.insert(day)
    }

    /// Checks that the push of a due date says so if a pause or an outage has moved it (rules 13.2 and 13.3).
    private func seeOccasion(_ occasion: PushOccasion, _ message: PushMessage, of account: AccountModel) {
        guard message.topic == .wateringDue,
            let plant = account.plants.first(where: { $0.subject == message.subjectID })
        else { return }
        let expected: PushOccasion =
            plant.isDueByOutage ? .afterOutage : plant.dueOn == plant.ownDueOn ? .usual : .afterPause
        expect(
            occasion == expected, plant.isDueByOutage ? .excused : .dueDate, plant.subject,
            "a push that takes the due date for one \(occasion) instead of \(expected)")
    }

    /// Checks that a digest belongs to its day, counts the right subjects, and was wanted.
    private func seeDigest(_ push: AccountPush, _ dueCount: Int, by account: AccountModel, on day: CivilDay) {
        expect(
            push.occursOn == day && push.collapseID == "digest-\(day)", .folding, push.subjectID,
            "\(push.collapseID) about \(push.occursOn) on \(day)")
        let due = account.dueCount(on: day)
        expect(
            dueCount == due, .folding, push.subjectID,
            "a digest of \(day) with \(dueCount) thirsty plants instead of \(due)")
        expect(
            account.mayCauseDigest(push.subjectID), .switchedOff, push.subjectID,
            "a digest of \(day) because of a plant that was removed, or of what is switched off or not promised")
    }

    /// Checks that a push names all subjects due in its minute and no other, and that none is named twice.
    private func seeGroup(
        _ push: AccountPush, _ topic: Topic, count: Int, by account: AccountModel, as shown: ShownPush,
        at clock: Instant
    ) {
        let planned = push.plannedAt
        expect(
            push.collapseID == Simulation.collapseID(topic, planned), .folding, push.subjectID,
            "the collapse id \(push.collapseID) of \(topic.label) at \(planned)")
        expect(
            clock.adding(microseconds: 2 * PlantModel.disagreement) >= planned, .notWhenDone, push.subjectID,
            "\(push.collapseID) at \(clock), before its time")
        let possible = account.possibleMembers(of: topic, push, at: clock, now: now)
        let certain = possible.filter { $0.certain != nil }
        expect(
            (certain.count...possible.count).contains(count), .folding, push.subjectID,
            "\(push.collapseID) names \(count) subjects; \(certain.count) to \(possible.count) are due")
        expect(
            possible.contains { $0.subject == push.subjectID }, .notWhenDone, push.subjectID,
            "\(push.collapseID) names a subject that is not due")
        expect(
            possible.contains(where: \.isAboutDay), .notWhenDone, push.subjectID,
            "\(push.collapseID) is about \(push.occursOn), which no subject is that is due")
        for member in certain {
            guard let identity = member.certain else { continue }
            let isFirst = phones.show(identity, shown)
            expect(isFirst, .sentOnce, identity.subject, "\(push.collapseID) covers what another push covered before")
        }
    }

    /// The collapse id of a topic and minute: `watering_due-20270302T0000Z`.
    static func collapseID(_ topic: Topic, _ planned: Instant) -> String {
        "\(topic.label)-\(planned.description.prefix(16).filter { $0 != "-" && $0 != ":" })Z"
    }

    /// Whether a push recorded as delivered was on a phone: as a push of its topic and minute, or in its day's digest.
    func wasReceived(_ push: Evidence.PushFacts) -> Bool {
        // There is no model of an erased account.
        guard let owner = owners[push.subjectID], let account = accounts[owner] else { return true }
        if push.reason == PushReason.digest.rawValue { return wasInDigest(push, of: account) }
        return received[owner]?[Simulation.collapseID(push.topic, push.plannedAt)] != nil
    }

    private func wasInDigest(_ push: Evidence.PushFacts, of account: AccountModel) -> Bool {
        let days = account.daysOfDigest(for: push)
        return digestDays[account.id]?.contains { days.contains($0) } ?? false
    }

    /// Whether a push that was not recorded as delivered may still have been on a phone, because the answer to the push
    /// that covered it was lost.
    func mayHaveBeenReceived(_ push: Evidence.PushFacts) -> Bool {
        guard settings.usesPhones, let owner = owners[push.subjectID], let account = accounts[owner] else {
            return false
        }
        return wasReceived(push) || wasInDigest(push, of: account)
    }

    /// Whether a digest covered a push that the service had already recorded as sent. A reminder may be in both, and
    /// whatever else keeps quiet hours, because it may wait for the next day.
    func wasReceivedTwice(_ push: Evidence.PushFacts, _ topic: PushIdentity) -> Bool {
        guard push.reason == PushReason.digest.rawValue, !push.topic.keepsQuietHours, phones.haveSeen(topic),
            let owner = owners[push.subjectID]
        else { return false }
        return received[owner]?[Simulation.collapseID(push.topic, push.plannedAt)]?.recordedOn != nil
    }
}

/// A subject that the push of a group may name.
private struct PossibleMember {
    /// nil until the service has returned it.
    let subject: Subject.ID?
    /// Whether a push about it is about the same day as the group's.
    let isAboutDay: Bool
    /// Its push, if the group's push must name it.
    let certain: PushIdentity?
}

extension AccountModel {
    /// The plants that pushes may name.
    fileprivate var nameablePlants: [PlantModel] { plants.filter { !$0.isArchived && $0.pushesEnabled } }

    /// The subjects that a digest counts: the plants that are thirsty on a day, and what further domains count.
    fileprivate func dueCount(on day: CivilDay) -> Int {
        furtherSubjects.reduce(nameablePlants.count { $0.dueOn == day }) { $0 + $1.dueCount(on: day) }
    }

    /// Whether a digest may be sent because of a subject.
    fileprivate func mayCauseDigest(_ subject: Subject.ID) -> Bool {
        !wanted.isEmpty && nameablePlants.contains { $0.subject == subject }
            || furtherSubjects.contains { $0.promises.contains { $0.subjectID == subject } }
    }

    /// The subjects that the push of a group may name, and among them those that it must name.
    fileprivate func possibleMembers(
        of topic: Topic, _ push: AccountPush, at clock: Instant, now: Instant
    ) -> [PossibleMember] {
        let unpaused = nameablePlants.filter { !$0.isPaused(on: zone.day(at: clock)) }
        let ofPlants = unpaused.compactMap { plant -> PossibleMember? in
            let isPossible =
                plant.mayGetPush(of: topic, at: push.plannedAt, by: clock)
                || plant.changedAt > now.adding(hours: -48) && plant.mayStillGetPush(of: topic, on: push.occursOn)
            guard isPossible else { return nil }
            let certain = plant.certainPush(of: topic, inMinuteOf: push.plannedAt, at: clock)
            return PossibleMember(
                subject: plant.subject, isAboutDay: plant.hasPush(of: topic, about: push.occursOn),
                certain: plant.subject.flatMap { subject in
                    certain.map { PushIdentity(subject: subject, topic: topic, ref: $0.ref) }
                })
        }
        let further = furtherSubjects.flatMap { $0.promises }.filter { promise in
            promise.topic == topic && promise.push.mayBeSent(at: push.plannedAt, by: clock)
        }
        return ofPlants
            + further.map { promise in
                let isCertain = promise.push.isCertainlySent(inMinuteOf: push.plannedAt, at: clock)
                return PossibleMember(
                    subject: promise.subjectID, isAboutDay: promise.occursOn == push.occursOn,
                    certain: isCertain ? promise.identity : nil)
            }
    }

    /// Whether a push may name something that is exempt from the daily cap.
    fileprivate func mayBeExemptFromCap(_ push: AccountPush) -> Bool {
        let topic: Topic
        switch push.content {
        case .one(let message): topic = message.topic
        case .several(let several, _, _, _, _): topic = several
        case .digest: return false
        }
        return furtherSubjects.contains { subjects in
            subjects.promises.contains {
                $0.isExemptFromCap && $0.topic == topic && $0.push.mayBeSent(at: push.plannedAt, by: push.plannedAt)
            }
        }
    }

    /// The days whose digest may have covered a push: its own, and for a reminder also the next. If the account has
    /// travelled since, more days are possible. Only plants tell whether it has.
    fileprivate func daysOfDigest(for push: Evidence.PushFacts) -> ClosedRange<CivilDay> {
        let day = zone.day(at: push.plannedAt)
        let earliest = push.plannedAt.adding(microseconds: -2 * PlantModel.disagreement)
        let plant = plants.first { $0.subject == push.subjectID }
        // A removed plant does not record that its account travels.
        let mayHaveTravelled = plant.map { $0.isArchived || $0.changedAt > earliest } ?? true
        if mayHaveTravelled { return day + -1...day + 2 }
        return day...day + (push.topic == .reviewMissing ? 1 : 0)
    }
}

extension PlantModel {
    /// The push about a topic that a plant certainly has in the minute of an instant and that is worth sending.
    fileprivate func certainPush(of topic: Topic, inMinuteOf planned: Instant, at clock: Instant) -> PromisedPush? {
        pushes(of: topic).first { push in
            push.isCertainlySent(inMinuteOf: planned, at: clock) && isStillTrue(push)
        }
    }

    /// Whether a push about a topic and time may name the plant.
    fileprivate func mayGetPush(of topic: Topic, at planned: Instant, by clock: Instant) -> Bool {
        pushes(of: topic).contains { isStillTrue($0) && $0.mayBeSent(at: planned, by: clock) }
    }

    /// Like ``mayGetPush(of:at:by:)``, for an old time that the model no longer knows but that may still count. A push
    /// must not name what is done. Reminders folded in the morning cover two days.
    fileprivate func mayStillGetPush(of topic: Topic, on day: CivilDay) -> Bool {
        topic == .reviewMissing ? wateringToReview != nil : hasPush(of: topic, about: day)
    }

    /// Whether the push is still correct, whenever it comes.
    private func isStillTrue(_ push: PromisedPush) -> Bool {
        push.topic == .reviewMissing
            ? wateringToReview?.number == push.ref
            : hasPush(of: push.topic, about: CivilDay(ref: push.ref))
    }

    /// Whether a push about a topic would be about this day.
    fileprivate func hasPush(of topic: Topic, about day: CivilDay) -> Bool {
        switch topic {
        case .wateringDue, .withered: day == dueOn
        case .reviewMissing: day == wateringToReview?.day
        case .birthday: day == birthday?.day(in: day.components.year)
        default: false
        }
    }

    /// The newest watering, if it may still get a review.
    private var wateringToReview: WateringModel? {
        guard let watering = newestWatering.map({ waterings[$0] }) else { return nil }
        return watering.isReviewed || watering.isDeclined ? nil : watering
    }
}
