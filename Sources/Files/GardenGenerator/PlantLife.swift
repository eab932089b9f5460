import CherishCore
import SeededChance

/// An account whose friends' lives are generated, and what these lives share.
struct Gardener: Sendable {
    let account: Account
    let vocabulary: Vocabulary
    let zone: TimeZoneRules
    /// When the past ends.
    let now: Instant
}

/// A plant and everything that its commands write, as the store would hold it if scheduler and worker were never late.
///
/// Commands must be in chronological order and before ``Gardener/now``.
struct PlantLife: Sendable {
    private(set) var history: PlantHistory
    /// The planned pushes that have ended, in calendar order; after ``finish()``, also the pending ones.
    private(set) var pushes: [ExportedPush] = []
    private let gardener: Gardener
    /// The plant's part of the calendar after the cursor, in order.
    private var calendar: [Occurrence] = []
    private var wateredDays: Set<CivilDay> = []
    /// Determines how long scheduling and sending take.
    private var delays: SplitMix64

    var plant: Plant { history.plant }

    init(
        _ registration: Registration, id: Plant.ID, tagIDs: [Tag.ID], of gardener: Gardener, at now: Instant,
        delays: SplitMix64
    ) {
        self.gardener = gardener
        self.delays = delays
        let context = CommandContext(now: now, zone: gardener.zone, calendarCursor: now)
        let (plant, occurrences) = Plant.register(registration, id: id, for: gardener.account, in: context)
        history = PlantHistory(plant: plant, createdAt: now, tagIDs: tagIDs)
        noteDueDate(at: now)
        plan(occurrences)
    }

    // MARK: Commands

    mutating func water(_ request: WateringRequest, at now: Instant) throws {
        let context = follow(to: now)
        let day = try history.plant.wateringDay(request, in: context)
        let isFirstOfDay = wateredDays.insert(day).inserted
        let change = try history.plant.water(
            request, isFirstOfDay: isFirstOfDay, for: gardener.account, in: context)
        history.waterings.append(change.watering)
        note(change.entries, at: now)
        plan(change.occurrences)
    }

    /// Writes the review of the last recorded watering, if there is one.
    mutating func writeReview(_ review: Review, at now: Instant) throws {
        let context = follow(to: now)
        guard var watering = history.waterings.last else { return }
        let earned = history.ledger.map(\.entry).filter { $0.wateringNumber == watering.number }.map(\.reason)
        let entries = try history.plant.write(review, to: &watering, earned: Set(earned), in: context)
        history.waterings[history.waterings.count - 1] = watering
        note(entries, at: now)
    }

    /// Declines to review the last recorded watering, if there is one.
    mutating func declineReview(at now: Instant) throws {
        let context = follow(to: now)
        guard var watering = history.waterings.last else { return }
        try history.plant.declineReview(of: &watering, in: context)
        history.waterings[history.waterings.count - 1] = watering
    }

    mutating func postpone(days: Int, at now: Instant) throws {
        let context = follow(to: now)
        let (postponement, occurrences) = try history.plant.postpone(days: days, for: gardener.account, in: context)
        history.postponements.append(ExportedPostponement(postponement: postponement, postponedAt: now))
        plan(occurrences)
    }

    mutating func edit(_ edit: PlantEdit, at now: Instant) throws {
        let context = follow(to: now)
        let before = history.plant
        let occurrences = try history.plant.edit(edit, for: gardener.account, in: context)
        if plant.dueOn != before.dueOn || plant.cycle != before.cycle { noteDueDate(at: now) }
        plan(occurrences)
    }

    mutating func remove(at now: Instant) throws {
        let context = follow(to: now)
        try history.plant.remove(in: context)
    }

    mutating func restore(at now: Instant) {
        let context = follow(to: now)
        let occurrences = history.plant.restore(for: gardener.account, in: context)
        noteDueDate(at: now)
        plan(occurrences)
    }

    /// Ends everything due by now, and keeps what is pending: the occurrences that the plant points at, even if it was
    /// removed.
    mutating func finish() {
        _ = follow(to: gardener.now)
        let plans = plant.plans
        let toCome = calendar.filter { plans[$0.topic] == $0.planned }
        pushes += toCome.map { ExportedPush(occurrence: $0, end: nil) }
    }

    private mutating func noteDueDate(at now: Instant) {
        let change = DueDateChange(changedAt: now, cycle: plant.cycle, dueOn: plant.dueOn, source: plant.dueSource)
        history.dueDateChanges.append(change)
    }

    private mutating func note(_ entries: [AffectionEntry], at now: Instant) {
        history.ledger += entries.map { ExportedAffection(entry: $0, gainedAt: now) }
    }

    // MARK: The calendar

    /// Adds occurrences to the calendar, each once: changing a cycle and changing it back plans the same one again.
    private mutating func plan(_ occurrences: [Occurrence]) {
        for occurrence in occurrences {
            let place = calendar.firstIndex { !$0.precedes(occurrence) } ?? calendar.endIndex
            let isKnown = place < calendar.endIndex && calendar[place] == occurrence
            if !isKnown { calendar.insert(occurrence, at: place) }
        }
    }

    /// Walks the calendar up to an instant, and returns the context for a command at that instant.
    private mutating func follow(to now: Instant) -> CommandContext {
        while let next = calendar.first, next.at <= now {
            calendar.removeFirst()
            end(next)
        }
        return CommandContext(now: now, zone: gardener.zone, calendarCursor: now)
    }

    private mutating func end(_ occurrence: Occurrence) {
        let (outcome, reason) = ending(of: occurrence)
        // A sent push takes longer, because a provider has to accept it.
        let milliseconds = Int64(delays.number(in: outcome == .delivered ? 300...4000 : 20...1000))
        let finishedAt = min(occurrence.at.adding(microseconds: milliseconds * 1000), gardener.now)
        pushes.append(
            ExportedPush(
                occurrence: occurrence,
                end: ExportedPush.End(outcome: outcome, reason: reason.rawValue, finishedAt: finishedAt)))
        if occurrence.topic == .birthday, outcome != .superseded { planNextBirthday(after: occurrence.at) }
    }

    /// The rules' verdict at the occurrence's own instant.
    private func ending(of occurrence: Occurrence) -> (PushOutcome, PushReason) {
        let candidate = PushCandidate(occurrence, of: history, for: gardener.account, in: gardener.zone)
        switch candidate.verdict(at: occurrence.at, expiresAt: candidate.expiry(in: gardener.zone)) {
        case .end(let outcome, let reason): return (outcome, reason)
        // Nothing waits at its own instant: a reminder is planned outside quiet hours.
        case .send, .wait: return (.delivered, .sent)
        }
    }

    private mutating func planNextBirthday(after reached: Instant) {
        let context = CommandContext(now: reached, zone: gardener.zone, calendarCursor: reached)
        if let next = history.plant.planNextBirthday(for: gardener.account, in: context) { plan([next]) }
    }
}
