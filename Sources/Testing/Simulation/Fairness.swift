import CherishCore
import CherishStore
import CherishWorker
import SeededChance

// Pauses and outages (rule 13): what people and workers do, and what the oracle makes of it. All choices come from a generator of
// their own, so that a history without them draws nothing for them.

/// A plant that a declared outage must excuse.
struct AwaitedExcuse: Equatable, Sendable {
    let account: Account.ID
    let plant: Subject.ID
    let dueOn: CivilDay
    /// When the outage was declared.
    let since: Instant
}

/// What the oracle knows of times in which pushes could not leave.
struct OutageFacts: Sendable {
    /// When no worker comes.
    var withoutWorkers: [ClosedRange<Instant>] = []
    /// The outages that an operator declared.
    private(set) var declared: [ClosedRange<Instant>] = []
    /// The plants that a declared outage must excuse, unless their account does something before.
    private(set) var awaited: [AwaitedExcuse] = []
    /// When workers looked at the lanes, by their clocks.
    private(set) var looks: [Instant] = []
    /// When the provider took no push.
    private(set) var refusals: [Instant] = []
    /// When the provider took one, and a worker certainly recorded that.
    private(set) var acceptances: [Instant] = []
    /// Pushes that were taken in the current round.
    private var unrecorded: [Instant] = []

    mutating func look(at clock: Instant) { looks.append(clock) }
    mutating func refuse(at clock: Instant) { refusals.append(clock) }
    mutating func accept(at clock: Instant) { unrecorded.append(clock) }

    mutating func declare(_ span: ClosedRange<Instant>, excusing plants: [AwaitedExcuse]) {
        declared.append(span)
        awaited += plants
    }

    mutating func forgetAwaited(where condition: (AwaitedExcuse) -> Bool) { awaited.removeAll(where: condition) }

    mutating func settle(isRecorded: Bool) {
        if isRecorded { acceptances += unrecorded }
        unrecorded = []
    }

    mutating func forget(before instant: Instant) {
        looks.removeAll { $0 < instant }
        refusals.removeAll { $0 < instant }
        acceptances.removeAll { $0 < instant }
        withoutWorkers.removeAll { $0.upperBound < instant }
        declared.removeAll { $0.upperBound < instant }
    }

    func hasAcceptance(from start: Instant, to end: Instant) -> Bool {
        acceptances.contains { $0 > start && $0 < end }
    }

    /// Whether a time lies in a gap of more than half an hour between looks, while the provider refused, or in a declared outage, as
    /// far as clocks agree.
    func mayExplain(expiryAt end: Instant) -> Bool {
        let (slack, half) = (2 * PlantModel.disagreement, Int64(29 * 60) * 1_000_000)
        let isGap = zip(looks, looks.dropFirst()).contains { before, after in
            after.microsecondsSinceEpoch - before.microsecondsSinceEpoch > half
                && before.adding(microseconds: -slack) <= end && end <= after.adding(microseconds: slack)
        }
        return isGap || declared.contains { $0.contains(end) }
            || refusals.contains { refusal in
                refusal.adding(microseconds: -slack) <= end
                    && !acceptances.contains {
                        $0 > refusal.adding(microseconds: slack) && $0 < end.adding(microseconds: -slack)
                    }
            }
    }

    /// Whether nobody looked from before a push was due until after it had expired, and it was due half an hour before the next look.
    func certainlyWithoutWorker(_ push: PromisedPush) -> Bool {
        let slack = 2 * PlantModel.disagreement
        return zip(looks, looks.dropFirst()).contains { before, after in
            before.adding(microseconds: slack) < push.at && push.expiresAt < after.adding(microseconds: -slack)
                && push.at.adding(minutes: 35) < after
        }
    }
}

extension Simulation {
    // MARK: What happens

    /// Plans the times in which no worker comes, or the provider takes nothing, for up to three days.
    func planOutages() {
        outageFacts.forget(before: now.adding(hours: -192))
        guard settings.hasOutages else { return }
        let start = now.adding(microseconds: Int64(fairChance.number(in: 0...86_399)) * 1_000_000)
        // Not so often that people's days consist of nothing else.
        guard !isAfterOutage(within: 96), fairChance.chance(25) else { return }
        let outage = start...start.adding(minutes: fairChance.number(in: 60...72 * 60))
        if fairChance.chance(60) {
            outageFacts.withoutWorkers.append(outage)
            report.faults["no worker", default: 0] += 1
        } else {
            outages.append(outage)
            report.faults["long provider outage", default: 0] += 1
        }
    }

    var isWithoutWorkers: Bool { outageFacts.withoutWorkers.contains { $0.contains(now) } }

    private func isAfterOutage(within hours: Int) -> Bool {
        (outageFacts.withoutWorkers + outages.filter(isLong)).contains { $0.upperBound.adding(hours: hours) > now }
    }

    private func isLong(_ outage: ClosedRange<Instant>) -> Bool {
        outage.upperBound > outage.lowerBound.adding(minutes: 120)
    }

    /// So many hours ago; if workers were away since, as many hours before that.
    func settled(hours: Int) -> Instant {
        let end = now.adding(hours: -hours)
        return outageFacts.withoutWorkers.filter { $0.upperBound > end }.map { $0.lowerBound.adding(hours: -hours) }
            .min().map { min($0, end) } ?? end
    }

    /// Lets an operator declare an outage for the day of a push that has expired, whatever kept it back; preferably of one whose plant
    /// still waits.
    func declareOutage() async throws {
        let pushes = try await evidence.pushes(plannedAfter: now.adding(hours: -96), about: topics)
        let expired = pushes.filter {
            $0.topic == .wateringDue && $0.outcome == .expired && $0.plannedAt.adding(hours: 30) < now
        }
        let waiting = expired.filter { !awaitedExcuses([$0], in: $0.plannedAt...now).isEmpty }
        guard let push = fairChance.elementIfAny(of: waiting.isEmpty ? expired : waiting) else { return }
        let end = push.plannedAt.adding(hours: fairChance.number(in: 8...30))
        let store = CareStore(pool: quietPool, zones: zones, time: .fixed(now), domains: domains)
        try await store.declareOutage(from: push.plannedAt, to: end)
        outageFacts.declare(push.plannedAt...end, excusing: awaitedExcuses(expired, in: push.plannedAt...end))
        report.faults["outage declared", default: 0] += 1
    }

    /// The plants that still wait for the water that an expired push was about, where the push certainly expired in a span.
    private func awaitedExcuses(_ expired: [Evidence.PushFacts], in span: ClosedRange<Instant>) -> [AwaitedExcuse] {
        expired.compactMap { push in
            guard let id = owners[push.subjectID], let account = accounts[id], account.wants(.wateringDue),
                let plant = account.plants.first(where: { $0.subject == push.subjectID })
            else { return nil }
            let expiry = account.zone.start(of: plant.dueOn + 1)
            guard !plant.isArchived, plant.pushesEnabled, plant.dueOn == CivilDay(ref: push.ref),
                plant.changedAt < push.plannedAt.adding(hours: -24), span.contains(expiry)
            else { return nil }
            return AwaitedExcuse(account: id, plant: push.subjectID, dueOn: plant.dueOn, since: now)
        }
    }

    /// Checks that workers have excused the plants of declared outages by their third round.
    func checkDeclared() {
        for excuse in outageFacts.awaited where soundRounds.count(where: { $0 > excuse.since }) > 2 {
            let plant = accounts[excuse.account]?.plants.first { $0.subject == excuse.plant }
            expect(
                plant.map { $0.dueOn != excuse.dueOn } ?? true, .excused, excuse.plant,
                "an operator declared an outage, and the plant is still due on \(excuse.dueOn)")
            outageFacts.forgetAwaited { $0 == excuse }
        }
    }

    /// Lets a person pause, or end a pause, or change a tag.
    func rest(_ id: Account.ID) async {
        guard let account = accounts[id], let act = drawRest(account) else { return }
        let fault = settings.hasFaults ? Simulation.commandFault(&fairChance) : nil
        await perform(act, by: id, fault: fault)
    }

    private func drawRest(_ account: AccountModel) -> Act? {
        let today = account.zone.day(at: now)
        let living = account.plants.indices.filter { !account.plants[$0].isArchived }
        guard let plant = fairChance.elementIfAny(of: living) else { return nil }
        let pause = fairChance.elementIfAny(of: account.pauses.filter { $0.days.upperBound >= today + -1 })
        switch fairChance.number(in: 1...100) {
        case ...25: return .tag(plant, tag: fairChance.number(in: 0...1), isOn: fairChance.chance(65))
        case ...65:
            let scopes: [PauseModel.Scope] = [.account, .plant(plant), .plant(plant), .tag(0), .tag(1)]
            return drawPause(fairChance.element(of: scopes), today)
        case ...80: return pause.map { .editPause($0, to: today + fairChance.number(in: -1...6)) }
        default: return pause.map { .endPause($0) }
        }
    }

    /// Some begin too early, end too early or last too long.
    private func drawPause(_ scope: PauseModel.Scope, _ today: CivilDay) -> Act {
        let first = today + (fairChance.chance(50) ? 0 : fairChance.number(in: -8...5))
        let length = fairChance.chance(3) ? fairChance.number(in: 364...367) : fairChance.number(in: 0...9)
        return .beginPause(scope, from: first, to: first + length, isSpread: fairChance.chance(40))
    }

    // MARK: What the service does about it

    /// Does what a worker does about outages beside scheduling and delivery (rule 13.3).
    ///
    /// - Returns: how many plants it has excused.
    func handleOutages(
        _ round: Round, _ tick: LaneRunner, _ store: CareStore
    ) async throws -> Int {
        // The worker's loop looks again as soon as it has scheduled.
        if round.schedules { try await tick.noteLanes() }
        if round.delivers { try await tick.recordProviders(in: store) }
        // Of two workers, the other one's are not recorded yet.
        outageFacts.settle(isRecorded: round.delivers && busyWorkers.count == 1)
        return try await store.excuseOutages()
    }

    // MARK: What the oracle makes of it

    /// Takes over the due dates that the service has set after outages, and checks that it was right to.
    func followExcuses(by clock: Instant) async throws {
        let excused = try await evidence.plants(at: now).filter { !$0.excusedPushes.isEmpty }
        let pushes = try await evidence.pushes(plannedAfter: now.adding(hours: -192), about: topics)
        for fact in excused {
            guard var account = accounts[fact.accountID],
                let place = account.plants.firstIndex(where: { $0.id == fact.id })
            else { continue }
            let plant = account.plants[place]
            let new = Set(fact.excusedPushes).subtracting(plant.excusedPushes)
            account.plants[place].excusedPushes.formUnion(new)
            accounts[fact.accountID] = account
            let ends = pushes.filter {
                $0.subjectID == plant.subject && $0.topic == .wateringDue && $0.ref == Int(plant.dueOn.daysSinceEpoch)
            }
            // Whoever has watered or postponed it since keeps the due date, and so does what was excused since.
            guard fact.isDueByOutage, ends.contains(where: { new.contains($0.plannedAt) }) else { continue }
            account.follow(to: now)
            checkExcuse(of: plant, account, ends)
            account.plants[place].blur(at: now)
            account.plants[place].excuseOutage(at: clock, in: account.zone)
            account.plants[place].planRequested(account.wanted, at: now, in: account.zone)
            expect(
                account.plants[place].ownDueOn == fact.ownDueOn, .excused, plant.subject,
                "excused until \(fact.ownDueOn) instead of \(account.plants[place].ownDueOn)")
            accounts[fact.accountID] = account
            report.excused += 1
        }
    }

    private func checkExcuse(of plant: PlantModel, _ account: AccountModel, _ ends: [Evidence.PushFacts]) {
        let isMissed = ends.contains { end in
            guard end.outcome == .expired || end.outcome == .dead else { return false }
            if end.outcome == .dead || plant.changedAt > now.adding(hours: -192) { return true }
            return outageFacts.mayExplain(expiryAt: account.zone.start(of: plant.dueOn + 1))
        }
        let found = ends.map { "\($0.outcome?.rawValue ?? "pending") \($0.reason ?? "")" }.joined(separator: ", ")
        expect(
            isMissed, .excused, plant.subject,
            "excused, though no outage kept the push of \(plant.dueOn) back; ends: [\(found)]")
        expect(
            !plant.isArchived && plant.pushesEnabled && account.wants(.wateringDue), .excused, plant.subject,
            "excused, though it gets no pushes")
    }

    /// Whether the provider has taken a push after an outage, long enough ago for workers to excuse.
    private func hasWorkedSince(_ end: Instant) -> Bool {
        outageFacts.hasAcceptance(from: end, to: now.adding(hours: -6))
    }

    /// Checks that a plant whose push an outage kept back was excused: its due date has moved, so the push is excused too.
    func checkMissed(_ promise: PromisedPush, _ plant: Subject.ID, _ ends: [Evidence.PushFacts]) {
        guard settings.hasOutages, promise.topic == .wateringDue, promise.isCertain, promise.isExact, !promise.isExcused
        else { return }
        let isMissed = ends.contains { $0.outcome == .expired } && outageFacts.certainlyWithoutWorker(promise)
        let isRefused =
            settings.usesPhones && ends.contains { $0.outcome == .expired || $0.outcome == .dead }
            && outages.contains {
                isLong($0) && hasWorkedSince($0.upperBound) && $0.contains(promise.at.adding(minutes: -5))
                    && $0.contains(promise.expiresAt)
            }
        expect(
            !isMissed && !isRefused, .excused, plant,
            "an outage kept back the push of \(promise.at) about \(promise.ref), and the plant was not excused")
    }
}
