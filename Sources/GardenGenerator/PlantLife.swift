import CherishCore
import SeededChance

/// An account whose friends' lives are made up, and what all of them have in common.
struct Gardener: Sendable {
    let account: Account
    let vocabulary: Vocabulary
    let zone: TimeZoneRules
    /// When the past ends.
    let now: Instant
}

/// A plant and all that its commands write, kept as the store keeps it, while scheduler and worker are never late.
///
/// Commands must come in the order of time and before ``Gardener/now``.
struct PlantLife: Sendable {
    private(set) var history: PlantArchive
    /// What was planned and has ended, in the order of the calendar; at the end also what is still to come.
    private(set) var pushes: [ArchivedPush] = []
    private let gardener: Gardener
    /// The plant's part of the calendar after the cursor, in its order.
    private var calendar: [Occurrence] = []
    private var wateredDays: Set<CivilDay> = []
    /// Decides how long scheduling and sending take.
    private var delays: SplitMix64

    var plant: Plant { history.plant }

    init(
        _ registration: Registration, id: Plant.ID, tagIDs: [Tag.ID], of gardener: Gardener, at now: Instant,
        delays: SplitMix64
    ) {
        self.gardener = gardener
        self.delays = delays
        let present = Present(now: now, zone: gardener.zone, calendarCursor: now)
        let (plant, occurrences) = Plant.register(registration, id: id, for: gardener.account, at: present)
        history = PlantArchive(plant: plant, createdAt: now, tagIDs: tagIDs)
        noteDueDate(at: now)
        plan(occurrences)
    }

    // MARK: Commands

    mutating func water(_ request: WateringRequest, at now: Instant) throws {
        let present = follow(to: now)
        let day = try history.plant.wateringDay(request.day, at: present)
        let isFirstOfDay = wateredDays.insert(day).inserted
        let change = try history.plant.water(
            request, isFirstOfDay: isFirstOfDay, for: gardener.account, at: present)
        history.waterings.append(change.watering)
        note(change.entries, at: now)
        plan(change.occurrences)
    }

    /// Writes the review of the watering that was recorded last, if there is one.
    mutating func writeReview(_ review: Review, at now: Instant) throws {
        let present = follow(to: now)
        guard var watering = history.waterings.last else { return }
        let earned = history.ledger.map(\.entry).filter { $0.wateringNumber == watering.number }.map(\.reason)
        let entries = try history.plant.write(review, to: &watering, earned: Set(earned), at: present)
        history.waterings[history.waterings.count - 1] = watering
        note(entries, at: now)
    }

    /// Declines to review the watering that was recorded last, if there is one.
    mutating func declineReview(at now: Instant) throws {
        let present = follow(to: now)
        guard var watering = history.waterings.last else { return }
        try history.plant.declineReview(of: &watering, at: present)
        history.waterings[history.waterings.count - 1] = watering
    }

    mutating func postpone(days: Int, at now: Instant) throws {
        let present = follow(to: now)
        let (postponement, occurrences) = try history.plant.postpone(days: days, for: gardener.account, at: present)
        history.postponements.append(ArchivedPostponement(postponement: postponement, postponedAt: now))
        plan(occurrences)
    }

    mutating func edit(_ edit: PlantEdit, at now: Instant) throws {
        let present = follow(to: now)
        let before = history.plant
        let occurrences = try history.plant.edit(edit, for: gardener.account, at: present)
        if plant.dueOn != before.dueOn || plant.cycle != before.cycle { noteDueDate(at: now) }
        plan(occurrences)
    }

    mutating func archive(at now: Instant) throws {
        let present = follow(to: now)
        try history.plant.archive(at: present)
    }

    mutating func restore(at now: Instant) {
        let present = follow(to: now)
        let occurrences = history.plant.restore(for: gardener.account, at: present)
        noteDueDate(at: now)
        plan(occurrences)
    }

    /// Ends what has come until now, and keeps what is still to come: what the plant points at, even if it was removed.
    mutating func finish() {
        _ = follow(to: gardener.now)
        let plans = plant.plans
        let toCome = calendar.filter { plans[$0.kind] == $0.planned }
        pushes += toCome.map { ArchivedPush(occurrence: $0, end: nil) }
    }

    private mutating func noteDueDate(at now: Instant) {
        let change = DueDateChange(changedAt: now, cycle: plant.cycle, dueOn: plant.dueOn, source: plant.dueSource)
        history.dueDateChanges.append(change)
    }

    private mutating func note(_ entries: [AffectionEntry], at now: Instant) {
        history.ledger += entries.map { ArchivedAffection(entry: $0, gainedAt: now) }
    }

    // MARK: The calendar

    /// Adds to the calendar, which holds an occurrence once: a cycle that is changed and changed back plans one again.
    private mutating func plan(_ occurrences: [Occurrence]) {
        for occurrence in occurrences {
            let place = calendar.firstIndex { !$0.precedes(occurrence) } ?? calendar.endIndex
            let isKnown = place < calendar.endIndex && calendar[place] == occurrence
            if !isKnown { calendar.insert(occurrence, at: place) }
        }
    }

    /// Walks the calendar up to an instant, and returns the present of a command at that instant.
    private mutating func follow(to now: Instant) -> Present {
        while let next = calendar.first, next.at <= now {
            calendar.removeFirst()
            end(next)
        }
        return Present(now: now, zone: gardener.zone, calendarCursor: now)
    }

    private mutating func end(_ occurrence: Occurrence) {
        let (outcome, reason) = ending(of: occurrence)
        // A push that is sent is scheduled first, and then a provider has to take it.
        let milliseconds = Int64(delays.number(in: outcome == .delivered ? 300...4000 : 20...1000))
        let finishedAt = min(occurrence.at.adding(microseconds: milliseconds * 1000), gardener.now)
        pushes.append(
            ArchivedPush(
                occurrence: occurrence,
                end: ArchivedPush.End(outcome: outcome, reason: reason.rawValue, finishedAt: finishedAt)))
        if occurrence.kind == .birthday, outcome != .superseded { planNextBirthday(after: occurrence.at) }
    }

    /// What the rules say at the occurrence's own instant.
    private func ending(of occurrence: Occurrence) -> (PushOutcome, PushReason) {
        let candidate = PushCandidate(occurrence, of: history, for: gardener.account, in: gardener.zone)
        switch candidate.verdict(at: occurrence.at, expiresAt: candidate.expiry(in: gardener.zone)) {
        case .end(let outcome, let reason): return (outcome, reason)
        // Nothing has to wait at its own instant: a reminder is planned outside quiet hours.
        case .send, .wait: return (.delivered, .sent)
        }
    }

    private mutating func planNextBirthday(after reached: Instant) {
        let present = Present(now: reached, zone: gardener.zone, calendarCursor: reached)
        if let next = history.plant.planNextBirthday(for: gardener.account, at: present) { plan([next]) }
    }
}

extension Occurrence {
    var planned: PlannedMoment { PlannedMoment(subject: subject, at: at) }

    /// The order in which a lane's calendar is walked.
    func precedes(_ other: Occurrence) -> Bool {
        (at, plantID, kind, subject) < (other.at, other.plantID, other.kind, other.subject)
    }
}
