import CherishCore
import CherishPush
import CherishStore

/// What a push is about; a phone shows one push per topic.
struct PushIdentity: Hashable, Sendable {
    let subject: Subject.ID
    let topic: Topic
    /// For plants, the due date or the birthday in days since 1970-01-01, or the number of the watering.
    let ref: Int
    /// Tells apart the pushes with the same ref, such as the alerts of a thing for one due day.
    var number = 0
}

/// A push on a phone. A later one with the same collapse id replaces it.
struct ShownPush: Hashable, Sendable {
    /// The phone's token; empty for the one phone that shows all lines.
    let phone: String
    let collapseID: String
}

/// Everything that all phones have seen.
struct Phones: Sendable {
    private var coveringPushes: [PushIdentity: Set<ShownPush>] = [:]
    private var pushes: Set<ShownPush> = []
    private(set) var count = 0
    /// Pushes repeated with the same collapse id, which a phone shows once.
    private(set) var repetitions = 0

    mutating func receive(_ push: ShownPush) {
        count += 1
        if !pushes.insert(push).inserted { repetitions += 1 }
    }

    /// Records that a push covers a topic. False if another push on the same phone covered it already.
    mutating func show(_ topic: PushIdentity, _ push: ShownPush) -> Bool {
        coveringPushes[topic, default: []].insert(push)
        return !(coveringPushes[topic] ?? []).contains { $0.phone == push.phone && $0 != push }
    }

    func haveSeen(_ topic: PushIdentity) -> Bool { coveringPushes[topic] != nil }
    func haveSeen(_ topic: PushIdentity, in push: ShownPush) -> Bool { coveringPushes[topic]?.contains(push) ?? false }
    func haveSeen(_ push: ShownPush) -> Bool { pushes.contains(push) }
}

/// The occurrences that a plant pointed at when it was removed. They stay in the calendar and count again if the plant
/// is brought back.
struct RemovedPlans: Equatable, Sendable {
    let since: Instant?
    let plans: Plans

    init(_ plant: Plant) {
        since = plant.archivedAt
        plans = plant.plans
    }
}

// MARK: - At the phone

extension Simulation {
    /// Checks a push about one subject as it reaches a phone, by the sending worker's clock.
    ///
    /// - Parameter planned: when it was planned; nil if the push does not say.
    func see(_ message: PushMessage, plannedAt planned: Instant?, as shown: ShownPush, at clock: Instant) {
        report.pushes[message.topic.label, default: 0] += 1
        phones.receive(shown)
        guard let account = accounts[message.accountID] else {
            return note(.erased, message.subjectID, "a push for an account that left")
        }
        if let further = subjects(of: account, about: message.topic) {
            expect(
                !account.ownSpans.contains { $0.contains(account.zone.day(at: clock)) }, .paused, message.subjectID,
                "\(message.topic.label) at \(clock), in a pause of the account")
            return see(message, plannedAt: planned, of: further, account.zone, as: shown, at: clock)
        }
        guard let plant = account.plants.first(where: { $0.subject == message.subjectID }) else {
            return note(.erased, message.subjectID, "a push for an account that left")
        }
        let isOn = account.wants(message.topic)
        expect(!plant.isArchived, .archived, plant.subject, "a push for a plant that was removed")
        expect(
            !plant.isPaused(on: account.zone.day(at: clock)), .paused, plant.subject,
            "\(message.topic.label) at \(clock), in a pause")
        expect(isOn && plant.pushesEnabled, .switchedOff, plant.subject, "a push about a topic that is switched off")
        switch message.topic {
        case .wateringDue: seeAlarm(message, of: plant, account.zone, as: shown, at: clock)
        case .reviewMissing: seeReminder(message, of: plant, account.zone, as: shown, at: clock)
        case .birthday: seeBirthday(message, of: plant, account.zone, as: shown, at: clock)
        case .withered: seeWithered(message, of: plant, account.zone, as: shown, at: clock)
        default: note(.switchedOff, plant.subject, "a push about \(message.topic), which nobody was promised")
        }
    }

    /// What an account has of the further domain of a topic; nil for topics of plants.
    private func subjects(of account: AccountModel, about topic: Topic) -> (any SimulatedSubjects)? {
        let domain = settings.domains.firstIndex { $0.dueDomain.topics.contains(topic) }
        return domain.map { account.furtherSubjects[$0] }
    }

    /// Checks a push about a subject of a further domain: it must be promised, and come in its time.
    private func see(
        _ message: PushMessage, plannedAt planned: Instant?, of subjects: any SimulatedSubjects, _ zone: PersonClock,
        as shown: ShownPush, at clock: Instant
    ) {
        let (subject, topic) = (message.subjectID, message.topic)
        let kept = subjects.promise(keptBy: message, shown, plannedAt: planned, at: clock, seenBefore: phones)
        expect(
            kept != nil, .notWhenDone, subject,
            "\(topic.label) about \(message.occursOn), which is not promised or not any more")
        guard let promise = kept else { return }
        let earliest = promise.at.adding(microseconds: -2 * PlantModel.disagreement)
        let latest = promise.push.expiresAt.adding(microseconds: 2 * PlantModel.disagreement)
        expect(
            clock >= earliest && clock < latest, .notWhenDone, subject,
            "\(topic.label) at \(clock), which is not from \(promise.at) to \(promise.push.expiresAt)")
        expect(
            !topic.keepsQuietHours || !PlantModel.isQuiet(clock, in: zone), .quietHours, subject,
            "\(topic.label) at \(clock), which is \(zone.timeOfDay(at: clock)) in \(zone.name)")
        for objection in subjects.objections(to: message, promise) {
            note(.notWhenDone, subject, "\(topic.label): \(objection)")
        }
        show(message, promise.identity, as: shown)
    }

    private func seeAlarm(
        _ message: PushMessage, of plant: PlantModel, _ zone: PersonClock, as shown: ShownPush, at clock: Instant
    ) {
        expect(
            message.occursOn == plant.dueOn, .notWhenDone, plant.subject,
            "an alarm for \(message.occursOn), but it is due on \(plant.dueOn)")
        seeTime(message, on: message.occursOn, of: plant, zone, at: clock)
        show(message, about: Int(message.occursOn.daysSinceEpoch), as: shown)
    }

    private func seeBirthday(
        _ message: PushMessage, of plant: PlantModel, _ zone: PersonClock, as shown: ShownPush, at clock: Instant
    ) {
        let (day, year) = (message.occursOn, message.occursOn.components.year)
        expect(
            plant.birthday?.day(in: year) == day, .notWhenDone, plant.subject,
            "a birthday on \(day), but the friend's is \(plant.birthday?.description ?? "unknown")")
        seeTime(message, on: day, of: plant, zone, at: clock)
        show(message, about: Int(day.daysSinceEpoch), as: shown)
    }

    private func seeWithered(
        _ message: PushMessage, of plant: PlantModel, _ zone: PersonClock, as shown: ShownPush, at clock: Instant
    ) {
        expect(
            message.occursOn == plant.dueOn, .notWhenDone, plant.subject,
            "withered since \(message.occursOn), but it is due on \(plant.dueOn)")
        seeTime(message, on: plant.withersOn, of: plant, zone, at: clock)
        show(message, about: Int(message.occursOn.daysSinceEpoch), as: shown)
    }

    /// Checks that the push comes on its day and not before its alarm time. Skips plants changed recently: their pushes
    /// may still use the old time (rule 7.2).
    private func seeTime(
        _ message: PushMessage, on day: CivilDay, of plant: PlantModel, _ zone: PersonClock, at clock: Instant
    ) {
        guard plant.changedAt < now.adding(hours: -48) else { return }
        let alarm = zone.firstInstant(on: day, at: TimeOfDay(minuteOfDay: plant.alarmMinute) ?? .defaultAlarm)
        // One worker schedules the push by its clock; another, with another clock, sends it.
        let latest = clock.adding(microseconds: 2 * PlantModel.disagreement)
        let topic = message.topic.label
        expect(latest >= alarm, .dueDate, plant.subject, "\(topic) at \(clock), before its time \(alarm)")
        expect(
            [clock, latest].contains { zone.day(at: $0) == day }, .dueDate, plant.subject,
            "\(topic) about \(message.occursOn) on \(zone.day(at: clock)) instead of \(day)")
    }

    private func seeReminder(
        _ message: PushMessage, of plant: PlantModel, _ zone: PersonClock, as shown: ShownPush, at clock: Instant
    ) {
        guard let watering = plant.newestWatering.map({ plant.waterings[$0] }) else {
            return note(.notWhenDone, plant.subject, "a reminder of a plant that was never watered")
        }
        expect(
            message.occursOn == watering.day && !watering.isReviewed && !watering.isDeclined, .notWhenDone,
            plant.subject,
            "a reminder of \(message.occursOn), but the newest watering is \(watering)")
        expect(
            !PlantModel.isQuiet(clock, in: zone), .quietHours, plant.subject,
            "a reminder at \(clock), which is \(zone.timeOfDay(at: clock)) in \(zone.name)")
        expect(
            clock.adding(microseconds: 2 * PlantModel.disagreement) >= watering.recordedAt.adding(minutes: 30),
            .notWhenDone, plant.subject,
            "a reminder at \(clock) of a watering at \(watering.recordedAt)")
        show(message, about: watering.number, as: shown)
    }

    private func show(_ message: PushMessage, about ref: Int, as shown: ShownPush) {
        show(message, PushIdentity(subject: message.subjectID, topic: message.topic, ref: ref), as: shown)
    }

    private func show(_ message: PushMessage, _ identity: PushIdentity, as shown: ShownPush) {
        let isFirst = phones.show(identity, shown)
        expect(isFirst, .sentOnce, message.subjectID, "a second \(message.topic.label) about \(message.occursOn)")
    }
}

// MARK: - After each day

extension Simulation {
    /// Compares the database with the expected state.
    ///
    /// - Parameter end: everything planned until then must have ended.
    func check(until end: Instant) async throws {
        try await checkGardens()
        try await checkRemovedPlants()
        try await checkLanes()
        for line in try await evidence.unaccounted(plannedAfter: end.adding(hours: -96), upTo: end) {
            note(.oneOutcome, nil, line)
        }
        for line in try await evidence.brokenReceipts(finishedAfter: now.adding(hours: -72)) {
            note(.oneOutcome, nil, "a job with two receipts or none: \(line)")
        }
        try await checkPushes()
        checkDeclared()
        try await checkReplicas()
        soundRounds.removeAll { $0 < now.adding(hours: -192) }
        if settings.usesPhones { try await forgetPushes() }
    }

    private func checkGardens() async throws {
        let facts = Dictionary(
            try await evidence.accounts().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let plants = Dictionary(grouping: try await evidence.plants(at: now), by: \.accountID)
        let lines = try await furtherLines()
        expect(facts.count == order.count, .erased, nil, "\(facts.count) accounts where \(order.count) must be")
        for id in lines.flatMap({ $0.keys }).sorted() {
            expect(accounts[id] != nil, .erased, nil, "something of account \(id) is left, which has left")
        }
        for id in order {
            accounts[id]?.follow(to: now)
            let ownLines = lines.map { $0[id] ?? [] }
            let found = accounts[id]?.differences(facts[id], plants[id] ?? [], ownLines, at: now) ?? []
            report.checks += 1 + (plants[id]?.count ?? 0)
            for difference in found { note(difference.promise, difference.plant?.subject, difference.what) }
        }
    }

    /// Reads the subjects of each further domain: a line of text each, by account.
    func furtherLines(of id: Account.ID? = nil) async throws -> [[Account.ID: [String]]] {
        var lines: [[Account.ID: [String]]] = []
        for domain in settings.domains {
            lines.append(try await evidence.lines(domain.subjectLines, of: id))
        }
        return lines
    }

    /// Checks that nothing new is planned for a removed plant: its pointers are those it had when it was removed.
    private func checkRemovedPlants() async throws {
        let store = CareStore(pool: quietPool, zones: zones, time: .fixed(now))
        for id in order where accounts[id]?.plants.contains(where: \.isArchived) == true {
            for plant in try await store.garden(of: id).plants(isArchived: true) {
                let found = RemovedPlans(plant)
                // After a lost answer, the reference is the plant's state at the end of that day.
                guard let before = removedPlans[plant.id], before.since == found.since else {
                    removedPlans[plant.id] = found
                    continue
                }
                expect(
                    before == found, .archived, plant.id.subject,
                    "planned after it was removed: \(found.plans) instead of \(before.plans)")
            }
        }
    }

    /// Checks what devices of the accounts have that follow the changes: all of it every fifth day.
    private func checkReplicas() async throws {
        let store = CareStore(pool: quietPool, zones: zones, time: .fixed(now))
        let isWhole = report.days.isMultiple(of: 5)
        var devices = replicas
        let found = try await devices.follow(order, in: store, at: now, isWhole: isWhole)
        replicas = devices
        report.checks += found.comparisons
        for difference in found.differences { note(.onEveryDevice, nil, difference) }
    }

    /// Checks that cursors only move forward, and never past the latest clock of any worker.
    private func checkLanes() async throws {
        for lane in try await evidence.lanes() {
            let before = lanes[lane.lane]
            let isBack =
                lane.calendarCursor < before?.calendarCursor ?? lane.calendarCursor
                || lane.deliveredSeq < before?.deliveredSeq ?? 0 || lane.lastSeq < before?.lastSeq ?? 0
            expect(!isBack, .oneOutcome, nil, "lane \(lane.lane) moved back")
            expect(
                lane.calendarCursor <= latestClock && lane.deliveredSeq <= lane.lastSeq, .oneOutcome, nil,
                "lane \(lane.lane) is ahead of its time")
            lanes[lane.lane] = lane
        }
    }

    /// The topics of all that people have.
    var topics: [Topic] { Topic.ofPlants + settings.domains.flatMap { $0.dueDomain.topics } }

    /// Checks that every push recorded as delivered was seen, and that every promised push came or has a valid excuse.
    private func checkPushes() async throws {
        let pushes = try await evidence.pushes(plannedAfter: now.adding(hours: -192), about: topics)
        for push in pushes where push.outcome == .delivered {
            guard let seq = push.seq else { continue }
            let line = ShownPush(phone: "", collapseID: "cherish-\(push.lane)-\(seq)")
            expect(
                settings.usesPhones ? wasReceived(push) : phones.haveSeen(line), .nothingLost, push.subjectID,
                "\(push.topic.label) is recorded as delivered, and no phone has seen it")
            let topic = PushIdentity(subject: push.subjectID, topic: push.topic, ref: push.ref)
            expect(
                !wasReceivedTwice(push, topic), .sentOnce, push.subjectID,
                "\(push.topic.label) of \(push.plannedAt) was sent, and covered once more by a digest")
        }
        let ends = Dictionary(grouping: pushes) {
            PushIdentity(subject: $0.subjectID, topic: $0.topic, ref: $0.ref)
        }
        for id in order {
            guard var account = accounts[id] else { continue }
            let end = settled(hours: 12)
            for place in account.plants.indices {
                let promises = account.plants[place].takePromises(expiredBy: end)
                guard let plant = account.plants[place].subject else { continue }
                for promise in promises where promise.isCertain {
                    let topic = PushIdentity(subject: plant, topic: promise.topic, ref: promise.ref)
                    lookFor(promise, topic, ends[topic] ?? [], in: account.zone)
                    checkMissed(promise, plant, ends[topic] ?? [])
                }
            }
            for domain in account.furtherSubjects.indices {
                let promises = account.furtherSubjects[domain].takePromises(expiredBy: end)
                for promise in promises where promise.push.isCertain {
                    var sameRef = promise.identity
                    sameRef.number = 0
                    lookFor(promise, ends[sameRef] ?? [], in: account.zone)
                }
            }
            accounts[id] = account
        }
    }

    /// Looks for a promised push of a further domain.
    ///
    /// - Parameter ends: those of all pushes with its ref.
    private func lookFor(_ promise: SubjectPromise, _ ends: [Evidence.PushFacts], in zone: PersonClock) {
        let own = ends.filter { $0.plannedAt >= promise.at && $0.plannedAt < promise.push.expiresAt }
        let isInDigest = own.contains { $0.outcome == .delivered && $0.reason == PushReason.digest.rawValue }
        expect(
            !promise.isExemptFromCap || !isInDigest, .dailyCap, promise.subjectID,
            "\(promise.topic.label) of \(promise.at) is in a digest, but is exempt from the cap")
        lookFor(promise.push, promise.identity, own, in: zone, mayBeLeftOut: promise.mayBeLeftOut)
    }

    private func lookFor(
        _ promise: PromisedPush, _ topic: PushIdentity, _ ends: [Evidence.PushFacts], in zone: PersonClock,
        mayBeLeftOut: Bool = false
    ) {
        report.checks += 1
        if phones.haveSeen(topic) { return }
        let isOutage = outages.contains { $0.overlaps(promise.at...promise.expiresAt) }
        // Between these instants all clocks agree that the push is due.
        let (first, last) = (
            promise.at.adding(microseconds: PlantModel.disagreement),
            promise.expiresAt.adding(microseconds: -PlantModel.disagreement)
        )
        // A lost answer costs a push one round, or two; what workers missed afterwards explains the rest.
        let needed = outageFacts.withoutWorkers.contains { $0.overlaps(promise.at...promise.expiresAt) } ? 3 : 1
        let rounds = soundRounds.filter { round in
            round > first && round < last && !(promise.topic.keepsQuietHours && PlantModel.isQuiet(round, in: zone))
        }
        let hadTime = rounds.count >= needed
        let isLeftOut = mayBeLeftOut && (promise.isExcused || !hadTime)
        let isExplained =
            ends.isEmpty && isLeftOut
            || ends.contains { end in
                // Short-lived pushes end in between if the answer to the push that covered them was lost.
                let hadNoTime = !hadTime || isOutage || mayBeLeftOut && mayHaveBeenReceived(end)
                return switch end.outcome {
                case .expired: promise.isExcused || hadNoTime
                case .dead: promise.isExcused || isOutage
                // A push about another subject, or a digest, may have covered it.
                case .delivered: promise.isExcused || settings.usesPhones && wasReceived(end)
                case .superseded: promise.isExcused || mayBeLeftOut && hadNoTime
                case .suppressed: promise.isExcused
                case nil: false
                }
            }
        guard !isExplained else { return }
        let found = ends.map { "\($0.outcome?.rawValue ?? "pending") \($0.reason ?? "")" }.joined(separator: ", ")
        note(
            .nothingLost, topic.subject,
            "\(promise.topic.label) of \(promise.at) about \(promise.ref) was not seen; ends: [\(found)]")
    }
}
