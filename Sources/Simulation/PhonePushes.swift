import CherishCore
import CherishPush
import CherishStore
import SeededChance

/// What a visit of a worker brought to phones, until it is known whether it was recorded.
struct Visit: Sendable {
    /// Decides what providers answer, in whatever order pushes reach them.
    let seed: UInt64
    /// Whether the lease ran out meanwhile: then nothing of it is recorded for certain.
    var wasInterrupted = false
    var accepted: [(account: Account.ID, collapseID: String, day: CivilDay)] = []
    var digests: [(account: Account.ID, day: CivilDay)] = []
    var deadTokens: Set<String> = []
}

/// A push that an account was told by, whichever plants it spoke of.
struct ToldPush: Sendable {
    /// The days of the account on which phones got it.
    var days: Set<CivilDay> = []
    /// The day on which the service noted it for certain.
    var recordedOn: CivilDay?
}

/// The provider of all phones.
struct PhoneProvider: DeviceSender {
    let simulation: Simulation
    /// Which of the visits that are under way it belongs to.
    let visit: Int

    func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        await simulation.receive(push, on: device.token, in: visit, at: now)
    }
}

extension Simulation {
    // MARK: Providers

    /// What a phone's provider does with a push. Its answer depends on visit, push and phone alone, since the pushes of
    /// a batch come in any order.
    func receive(_ push: AccountPush, on token: String, in visit: Int, at clock: Instant) async -> DeviceResult {
        if isOutage { return .failed(reason: "provider outage", retryAfter: nil) }
        guard let account = accounts[push.accountID] else {
            note(.erased, push.plantID, "a push for an account that left")
            return .accepted
        }
        let phone = account.phones?.first { $0.token == token }
        // While a visit is interrupted, another worker may hear that the phone is gone.
        let isKnownDead = retiredTokens.contains(token) && !visits[visit].wasInterrupted
        expect(
            phone != nil && !isKnownDead, .deadPhones, push.plantID,
            "\(push.collapseID) to the phone \(token), which is gone")
        if phone?.isGone != false {
            visits[visit].deadTokens.insert(token)
            return .tokenDead(reason: "Unregistered", since: nil)
        }
        see(push, by: account, on: token, in: visit, at: clock)
        guard settings.hasFaults else {
            noteAccepted(push, by: account, in: visit, at: clock)
            return .accepted
        }
        var fate = SplitMix64(seed: visits[visit].seed ^ Simulation.hash("\(push.collapseID) \(token)"))
        let isLost = fate.chance(3)
        if isLost {
            report.faults["answer of a provider lost", default: 0] += 1
        } else {
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
        visits[visit].accepted.append((account.id, push.collapseID, account.zone.day(at: clock)))
    }

    /// The same on every machine and in every run: FNV-1a.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// What a visit has shown when it is over. What was certainly recorded counts from now on.
    func settle(_ visit: Visit, isSound: Bool) {
        for digest in visit.digests {
            let before = told[digest.account]?.values.count { $0.days.contains(digest.day) } ?? 0
            expect(
                before >= settings.dailyCap, .dailyCap, nil,
                "a digest of \(digest.day) for account \(digest.account) after \(before) pushes")
        }
        guard isSound, !visit.wasInterrupted else { return }
        retiredTokens.formUnion(visit.deadTokens)
        for push in visit.accepted where told[push.account]?[push.collapseID]?.days == [push.day] {
            told[push.account]?[push.collapseID]?.recordedOn = push.day
            let count = told[push.account]?.values.count { $0.recordedOn == push.day } ?? 0
            expect(
                count <= settings.dailyCap, .dailyCap, nil,
                "\(count) pushes on \(push.day) for account \(push.account)")
        }
    }

    /// Forgets what is too long ago to matter, as the service does by its retention.
    func forgetPushes() async throws {
        let limit = TimeZoneRules.utc.day(at: now) + -10
        for (account, pushes) in told { told[account] = pushes.filter { $0.value.days.contains { $0 >= limit } } }
        try await evidence.forgetNotices(before: limit)
    }

    // MARK: At the phone

    private func see(
        _ push: AccountPush, by account: AccountModel, on token: String, in visit: Int, at clock: Instant
    ) {
        let shown = ShownPush(phone: token, collapseID: push.collapseID)
        let day = account.zone.day(at: clock)
        switch push.content {
        case .digest(let toldDay, _, let thirstyCount):
            report.pushes["digest", default: 0] += 1
            phones.receive(shown)
            visits[visit].digests.append((account.id, day))
            digestDays[account.id, default: []].insert(day)
            let thirsty = account.plants.count { !$0.isArchived && $0.pushesEnabled && $0.dueOn == day }
            expect(
                toldDay == day && thirstyCount == thirsty, .folding, nil,
                "a digest of \(toldDay) with \(thirstyCount) thirsty plants instead of \(thirsty) on \(day)")
            return
        case .plant(let message):
            see(message, as: shown, at: clock)
            seeGroup(push, message.kind, count: 1, by: account, as: shown, at: clock)
        case .plants(let kind, _, let first, _, let others):
            report.pushes["several \(kind.rawValue)", default: 0] += 1
            phones.receive(shown)
            expect(account.wanted.contains(kind), .switchedOff, first, "a push of a kind that is switched off")
            expect(
                kind != .reviewMissing || !PlantModel.isQuiet(clock, in: account.zone), .quietHours, first,
                "reminders at \(clock), which is \(account.zone.timeOfDay(at: clock)) in \(account.zone.name)")
            seeGroup(push, kind, count: others + 1, by: account, as: shown, at: clock)
        }
        told[account.id, default: [:]][push.collapseID, default: ToldPush()].days.insert(day)
    }

    /// Whether a push speaks of all plants that are due in its minute, and of no other, and whether they are told once.
    private func seeGroup(
        _ push: AccountPush, _ kind: PushKind, count: Int, by account: AccountModel, as shown: ShownPush,
        at clock: Instant
    ) {
        let planned = push.plannedAt
        expect(
            push.collapseID == Simulation.collapseID(kind, planned), .folding, push.plantID,
            "the collapse id \(push.collapseID) of \(kind.rawValue) at \(planned)")
        expect(
            clock.adding(microseconds: 2 * PlantModel.disagreement) >= planned, .notWhenDone, push.plantID,
            "\(push.collapseID) at \(clock), before its time")
        let living = account.plants.filter { !$0.isArchived && $0.pushesEnabled }
        let possible = living.filter { $0.mayBeTold(of: kind, at: planned, before: now) }
        let certain = living.compactMap { plant in
            plant.certainPush(of: kind, inMinuteOf: planned, at: clock).map { (plant: plant, subject: $0.subject) }
        }
        expect(
            (certain.count...max(certain.count, possible.count)).contains(count), .folding, push.plantID,
            "\(push.collapseID) speaks of \(count) plants; \(certain.count) to \(possible.count) are due")
        expect(
            possible.contains { $0.id == push.plantID }, .notWhenDone, push.plantID,
            "\(push.collapseID) speaks of a plant that is not due")
        for (plant, subject) in certain {
            guard let id = plant.id else { continue }
            let isFirst = phones.show(PushTopic(plant: id, kind: kind, subject: subject), shown)
            expect(isFirst, .sentOnce, id, "\(push.collapseID) tells what another push told before")
        }
    }

    /// By what a phone recognizes the pushes of a kind and minute: `watering_due-20270302T0000Z`.
    static func collapseID(_ kind: PushKind, _ planned: Instant) -> String {
        "\(kind.rawValue)-\(planned.description.prefix(16).filter { $0 != "-" && $0 != ":" })Z"
    }

    /// Whether what is recorded as delivered was on a phone: as a push of its kind and minute, or in a digest.
    func wasTold(_ push: Evidence.PushFacts) -> Bool {
        // Of those who left nobody knows any more.
        guard let owner = owners[push.plantID], accounts[owner] != nil else { return true }
        if push.reason == PushReason.digest.rawValue { return digestDays[owner]?.isEmpty == false }
        return told[owner]?[Simulation.collapseID(push.kind, push.plannedAt)] != nil
    }

    /// Whether it ended in a digest though the service had noted that it was told. A reminder, which may wait for the
    /// next day, may be in both.
    func wasToldTwice(_ push: Evidence.PushFacts, _ topic: PushTopic) -> Bool {
        guard push.reason == PushReason.digest.rawValue, push.kind != .reviewMissing, phones.haveSeen(topic),
            let owner = owners[push.plantID]
        else { return false }
        return told[owner]?[Simulation.collapseID(push.kind, push.plannedAt)]?.recordedOn != nil
    }
}

extension PlantModel {
    /// What the plant has of a kind for certain in the minute of an instant, and what is worth telling.
    fileprivate func certainPush(of kind: PushKind, inMinuteOf planned: Instant, at clock: Instant) -> PromisedPush? {
        pushes(of: kind).first { push in
            push.isCertain && push.isExact && !push.isExcused && push.expiresAt > clock
                && push.at.secondsSinceEpoch / 60 == planned.secondsSinceEpoch / 60
        }
    }

    /// Whether a push of a kind and time may speak of the plant. Of what was changed lately, the old time may count.
    fileprivate func mayBeTold(of kind: PushKind, at planned: Instant, before now: Instant) -> Bool {
        changedAt > now.adding(hours: -48)
            || pushes(of: kind).contains { push in
                !push.isCertain || !push.isExact
                    || abs(push.at.microsecondsSinceEpoch - planned.microsecondsSinceEpoch)
                        < 3 * PlantModel.disagreement
            }
    }
}
