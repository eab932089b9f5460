import CherishCore
import CherishPush
import CherishStore

/// What pushes are about: a phone shows one for each.
struct PushTopic: Hashable, Sendable {
    let plant: Plant.ID
    let kind: PushKind
    /// The due date in days since 1970-01-01, or the number of the watering.
    let subject: Int
}

/// A job, as its collapse id names it.
struct JobNumber: Hashable, Sendable {
    let lane: Lane
    let seq: Int
}

/// What all phones together have seen.
struct Phones: Sendable {
    private var shown: [PushTopic: JobNumber] = [:]
    private var jobs: Set<JobNumber> = []
    private(set) var count = 0
    /// Pushes that came again with the same collapse id, which a phone shows once.
    private(set) var repetitions = 0

    /// Shows a push. False if another one about the same was shown before.
    mutating func show(_ topic: PushTopic, _ job: JobNumber) -> Bool {
        count += 1
        if !jobs.insert(job).inserted { repetitions += 1 }
        let first = shown[topic] ?? job
        shown[topic] = first
        return first == job
    }

    func haveSeen(_ topic: PushTopic) -> Bool { shown[topic] != nil }
    func haveSeen(_ job: JobNumber) -> Bool { jobs.contains(job) }
}

// MARK: - At the phone

extension Simulation {
    /// Looks at a push as it comes to a phone, by the clock of the worker that sends it.
    func see(_ message: PushMessage, at clock: Instant) {
        report.pushes[message.kind.rawValue, default: 0] += 1
        guard let account = accounts[message.accountID],
            let plant = account.plants.first(where: { $0.id == message.plantID })
        else { return note(.erased, message.plantID, "a push for an account that left") }
        let isOn = message.kind == .wateringDue ? account.wateringPushes : account.reviewPushes
        expect(!plant.isArchived, .archived, plant.id, "a push for a plant that was removed")
        expect(isOn && plant.pushesEnabled, .switchedOff, plant.id, "a push of a kind that is switched off")
        switch message.kind {
        case .wateringDue: seeAlarm(message, of: plant, account.zone, at: clock)
        case .reviewMissing: seeReminder(message, of: plant, account.zone, at: clock)
        case .birthday, .withered: note(.switchedOff, plant.id, "a push of a kind that nobody asked for")
        }
    }

    private func seeAlarm(_ message: PushMessage, of plant: PlantModel, _ zone: TimeZoneRules, at clock: Instant) {
        expect(
            message.occursOn == plant.dueOn, .notWhenDone, plant.id,
            "an alarm for \(message.occursOn), but it is due on \(plant.dueOn)")
        // What was changed close to its alarm may ring by its old time (rule 7.2).
        if plant.changedAt < now.adding(hours: -48), message.occursOn == plant.dueOn {
            let alarmTime = TimeOfDay(minuteOfDay: plant.alarmMinute) ?? .defaultAlarm
            let alarm = zone.firstInstant(on: plant.dueOn, at: alarmTime)
            // One worker found that it was time, by its clock; another one sends it.
            let latest = clock.adding(microseconds: 2 * PlantModel.disagreement)
            expect(latest >= alarm, .dueDate, plant.id, "an alarm at \(clock), before its time \(alarm)")
            expect(
                [clock, latest].contains { zone.day(at: $0) == plant.dueOn }, .dueDate, plant.id,
                "an alarm on \(zone.day(at: clock)) for the due date \(plant.dueOn)")
        }
        show(message, of: plant, about: Int(message.occursOn.daysSinceEpoch))
    }

    private func seeReminder(_ message: PushMessage, of plant: PlantModel, _ zone: TimeZoneRules, at clock: Instant) {
        guard let watering = plant.newestWatering.map({ plant.waterings[$0] }) else {
            return note(.notWhenDone, plant.id, "a reminder of a plant that was never watered")
        }
        expect(
            message.occursOn == watering.day && !watering.isReviewed && !watering.isDeclined, .notWhenDone, plant.id,
            "a reminder of \(message.occursOn), but the newest watering is \(watering)")
        expect(
            !PlantModel.isQuiet(clock, in: zone), .quietHours, plant.id,
            "a reminder at \(clock), which is \(zone.timeOfDay(at: clock)) in \(zone.name)")
        expect(
            clock.adding(microseconds: 2 * PlantModel.disagreement) >= watering.recordedAt.adding(minutes: 30),
            .notWhenDone, plant.id,
            "a reminder at \(clock) of a watering at \(watering.recordedAt)")
        show(message, of: plant, about: watering.number)
    }

    private func show(_ message: PushMessage, of plant: PlantModel, about subject: Int) {
        let topic = PushTopic(plant: message.plantID, kind: message.kind, subject: subject)
        let isFirst = phones.show(topic, JobNumber(lane: message.lane, seq: message.seq))
        expect(isFirst, .sentOnce, plant.id, "a second \(message.kind.rawValue) about \(message.occursOn)")
    }
}

// MARK: - After each day

extension Simulation {
    /// Compares what the database holds with what must be.
    ///
    /// - Parameter end: what was planned until then is over.
    func check(until end: Instant) async throws {
        try await checkGardens()
        try await checkLanes()
        for line in try await evidence.unaccounted(plannedAfter: end.adding(hours: -72), upTo: end) {
            note(.oneOutcome, nil, line)
        }
        for line in try await evidence.brokenReceipts(finishedAfter: now.adding(hours: -72)) {
            note(.oneOutcome, nil, "a job with two receipts or none: \(line)")
        }
        try await checkPushes()
        soundRounds.removeAll { $0 < now.adding(hours: -96) }
    }

    private func checkGardens() async throws {
        let facts = Dictionary(
            try await evidence.accounts().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let plants = Dictionary(grouping: try await evidence.plants(at: now), by: \.accountID)
        expect(facts.count == order.count, .erased, nil, "\(facts.count) accounts where \(order.count) must be")
        for id in order {
            accounts[id]?.follow(to: now)
            let found = accounts[id]?.differences(facts[id], plants[id] ?? [], at: now) ?? []
            report.checks += 1 + (plants[id]?.count ?? 0)
            for difference in found { note(difference.promise, difference.plant, difference.what) }
        }
    }

    /// Cursors move ahead only, and never beyond what a worker took for now.
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

    /// What is recorded as sent was seen, and what was promised came, or its end explains why not.
    private func checkPushes() async throws {
        let pushes = try await evidence.pushes(plannedAfter: now.adding(hours: -120))
        for push in pushes where push.outcome == .delivered {
            guard let seq = push.seq else { continue }
            expect(
                phones.haveSeen(JobNumber(lane: push.lane, seq: seq)), .nothingLost, push.plantID,
                "\(push.kind.rawValue) is recorded as delivered, and no phone has seen it")
        }
        let ends = Dictionary(grouping: pushes) {
            PushTopic(plant: $0.plantID, kind: $0.kind, subject: $0.subject)
        }
        for id in order {
            guard var account = accounts[id] else { continue }
            for place in account.plants.indices {
                let promises = account.plants[place].takePromises(expiredBy: now.adding(hours: -12))
                guard let plant = account.plants[place].id else { continue }
                for promise in promises where promise.isCertain {
                    let topic = PushTopic(plant: plant, kind: promise.kind, subject: promise.subject)
                    lookFor(promise, topic, ends[topic] ?? [])
                }
            }
            accounts[id] = account
        }
    }

    private func lookFor(_ promise: PromisedPush, _ topic: PushTopic, _ ends: [Evidence.PushFacts]) {
        report.checks += 1
        if phones.haveSeen(topic) { return }
        let isOutage = outages.contains { $0.overlaps(promise.at...promise.expiresAt) }
        // Between these instants every clock says that it was time.
        let (first, last) = (
            promise.at.adding(microseconds: PlantModel.disagreement),
            promise.expiresAt.adding(microseconds: -PlantModel.disagreement)
        )
        let hadTime = soundRounds.contains { $0 > first && $0 < last }
        let isExplained = ends.contains { end in
            switch end.outcome {
            case .expired: promise.isExcused || !hadTime || isOutage
            case .dead: promise.isExcused || isOutage
            case .delivered, .superseded, .suppressed: promise.isExcused
            case nil: false
            }
        }
        guard !isExplained else { return }
        let found = ends.map { "\($0.outcome?.rawValue ?? "pending") \($0.reason ?? "")" }.joined(separator: ", ")
        note(
            .nothingLost, topic.plant,
            "\(promise.kind.rawValue) of \(promise.at) about \(promise.subject) was not seen; ends: [\(found)]")
    }
}
