/// A due date that a plant had, and what set it.
public struct DueDateStep: Hashable, Sendable {
    /// What set a due date.
    public enum Cause: Hashable, Sendable {
        /// The day of registration and the cycle (rule 1.4), or fewer days where many friends came at once (rule 1.9).
        case registration(Cycle)
        /// The plant was brought back after it had been removed: the day and the cycle.
        case restoration(Cycle)
        /// A changed cycle, counted from the last watering, the registration or the day it was brought back, but never
        /// earlier than the day of the edit (rule 1.7).
        case edit(Cycle, anchor: CivilDay)
        /// A watering, and the cycle of then (rule 3.3).
        case watering(Watering)
        /// A postponement by 1 to 7 days from the due date before (rule 6.2).
        case postponement(from: CivilDay, days: Int)
    }

    /// When it was set.
    public let setAt: Instant
    /// The civil day of that in the account's zone; by what was recorded where that tells, so that a zone that changed
    /// later moves nothing.
    public let setOn: CivilDay
    /// The due date.
    public let dueOn: CivilDay
    public let cause: Cause
}

extension DueDateStep {
    /// What set it, as a plant notes it.
    public var source: Plant.DueSource {
        switch cause {
        case .registration, .restoration: .registration
        case .edit: .edit
        case .watering: .watering
        case .postponement: .postponement
        }
    }
}

extension PlantArchive {
    /// Every due date that the plant had, in the order in which they were set. Of two at one instant, which only a fixed
    /// `--now` brings about, cycles come first, then postponements, then waterings, as in the reports.
    ///
    /// - Parameter zone: the account's.
    public func dueDates(in zone: TimeZoneRules) -> [DueDateStep] {
        let steps = cycleSteps(in: zone) + postponementSteps() + wateringSteps(in: zone)
        // A stable order, in which the kinds follow each other as above.
        return steps.enumerated().sorted { ($0.element.setAt, $0.offset) < ($1.element.setAt, $1.offset) }
            .map(\.element)
    }

    private func cycleSteps(in zone: TimeZoneRules) -> [DueDateStep] {
        let registration = dueDateChanges.firstIndex { $0.source == .registration }
        let restorations = restorations
        return dueDateChanges.enumerated().map { place, change in
            let cause: DueDateStep.Cause =
                switch change.source {
                case .registration:
                    place == registration ? .registration(change.cycle) : .restoration(change.cycle)
                case .watering, .postponement, .edit:
                    .edit(
                        change.cycle,
                        anchor: Plant.anchor(
                            plantedOn: plant.plantedOn, lastWateredOn: lastWateredOn(before: change.changedAt),
                            restoredOn: restorations.last { $0.at < change.changedAt }?.on))
                }
            return DueDateStep(
                setAt: change.changedAt, setOn: day(of: change, by: cause) ?? zone.day(at: change.changedAt),
                dueOn: change.dueOn, cause: cause)
        }
    }

    /// The day of a change as it was recorded, which is that of the zone of then; nil where nothing tells it.
    private func day(of change: DueDateChange, by cause: DueDateStep.Cause) -> CivilDay? {
        switch cause {
        case .registration: plant.plantedOn
        case .edit(let cycle, let anchor): change.dueOn == anchor + cycle.days ? nil : change.dueOn
        case .restoration(let cycle): change.dueOn + -cycle.days
        case .watering, .postponement: nil
        }
    }

    private func postponementSteps() -> [DueDateStep] {
        postponements.map { postponed in
            let postponement = postponed.postponement
            return DueDateStep(
                setAt: postponed.postponedAt, setOn: postponement.fromDueOn, dueOn: postponement.dueOn,
                cause: .postponement(from: postponement.fromDueOn, days: postponement.days))
        }
    }

    private func wateringSteps(in zone: TimeZoneRules) -> [DueDateStep] {
        waterings.compactMap { watering in
            watering.dueOn.map { dueOn in
                DueDateStep(
                    setAt: watering.recordedAt, setOn: watering.recordingDay(in: zone), dueOn: dueOn,
                    cause: .watering(watering))
            }
        }
    }

    /// When it was brought back, the oldest first. The due date tells the day, so that a zone that changed later moves
    /// nothing.
    private var restorations: [(at: Instant, on: CivilDay)] {
        dueDateChanges.filter { $0.source == .registration }.dropFirst()
            .map { ($0.changedAt, $0.dueOn + -$0.cycle.days) }
    }

    private func lastWateredOn(before instant: Instant) -> CivilDay? {
        waterings.filter { $0.recordedAt < instant }.map(\.wateredOn).max()
    }
}

extension Watering {
    /// The civil day on which it was recorded. What was recorded on its own day needs no zone.
    func recordingDay(in zone: TimeZoneRules) -> CivilDay {
        isBackdated ? zone.day(at: recordedAt) : wateredOn
    }
}

extension PlantArchive {
    /// The plant as it was at an instant, told from what happened; nil before it was registered. What has no history
    /// (name, nickname, birthday, alarm time, switch and marks) is as it is now; nothing is planned.
    ///
    /// - Parameter zone: the account's.
    public func plant(asOf instant: Instant, in zone: TimeZoneRules) -> Plant? {
        guard let step = dueDates(in: zone).last(where: { $0.setAt <= instant }) else { return nil }
        let known = waterings.filter { $0.recordedAt <= instant }
        var past = plant
        past.cycle = dueDateChanges.last { $0.changedAt <= instant }?.cycle ?? plant.cycle
        past.lastWateredOn = known.map(\.wateredOn).max()
        past.dueOn = step.dueOn
        past.dueSource = step.source
        past.affection = Affection(
            points: ledger.filter { $0.gainedAt <= instant }.reduce(0) { $0 + $1.entry.points })
        past.wateringCount = known.count
        past.postponementCount = postponements.count { $0.postponedAt <= instant }
        past.plans = Plans()
        past.restoredOn = restorations.last { $0.at <= instant }?.on
        past.archivedAt =
            removals.last { $0.contains(instant) }?.lowerBound
            ?? plant.archivedAt.flatMap { $0 <= instant ? $0 : nil }
        return past
    }
}
