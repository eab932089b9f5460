/// A due date in a plant's history, and what set it.
public struct DueDateStep: Hashable, Sendable {
    /// What set a due date.
    public enum Cause: Hashable, Sendable {
        /// The day of registration plus the cycle (rule 1.4), or earlier if an import spread its due dates (rule 1.9).
        case registration(Cycle)
        /// The day on which the plant was brought back, plus the cycle.
        case restoration(Cycle)
        /// A changed cycle, counted from the last watering, the registration, or the day the plant was brought back;
        /// never before the day of the edit (rule 1.7).
        case edit(Cycle, anchor: CivilDay)
        /// A watering, and the cycle at that time (rule 3.3).
        case watering(Watering)
        /// A postponement by 1 to 7 days from the previous due date (rule 6.2).
        case postponement(from: CivilDay, days: Int)
        /// A pause moved the due date, or put off the day on which the plant withers (rule 13.2).
        case pause
        /// An outage kept the push of the due date before from leaving (rule 13.3).
        case outage
    }

    /// When it was set.
    public let setAt: Instant
    /// The civil day of `setAt` in the account's zone. Derived from the records where possible, so that a later change
    /// of zone does not move it.
    public let setOn: CivilDay
    public let dueOn: CivilDay
    /// The first day on which the plant would be withered: the day after the due date, unless that is paused.
    public let withersOn: CivilDay
    public let cause: Cause

    public init(setAt: Instant, setOn: CivilDay, dueOn: CivilDay, withersOn: CivilDay? = nil, cause: Cause) {
        self.setAt = setAt
        self.setOn = setOn
        self.dueOn = dueOn
        self.withersOn = withersOn ?? dueOn + 1
        self.cause = cause
    }
}

extension DueDateStep {
    /// The cause as the plant records it.
    public var source: Plant.DueSource {
        switch cause {
        case .registration, .restoration: .registration
        case .edit: .edit
        case .watering: .watering
        case .postponement: .postponement
        case .pause: .pause
        case .outage: .outage
        }
    }
}

extension PlantHistory {
    /// All due dates of the plant in the order in which they were set. Ties, which only a fixed `--now` produces, are
    /// ordered as in the reports: cycles, postponements, waterings.
    ///
    /// - Parameter zone: The account's zone.
    public func dueDates(in zone: TimeZoneRules) -> [DueDateStep] {
        let steps = cycleSteps(in: zone) + postponementSteps() + wateringSteps(in: zone)
        // Sorting stably keeps the order of kinds above.
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
                case .pause: .pause
                case .outage: .outage
                case .watering, .postponement, .edit:
                    .edit(
                        change.cycle,
                        anchor: Plant.anchor(
                            plantedOn: plant.plantedOn, lastWateredOn: lastWateredOn(before: change.changedAt),
                            restoredOn: restorations.last { $0.at < change.changedAt }?.on))
                }
            return DueDateStep(
                setAt: change.changedAt, setOn: day(of: change, by: cause) ?? zone.day(at: change.changedAt),
                dueOn: change.dueOn, withersOn: change.withersOn, cause: cause)
        }
    }

    /// The day of a change in the zone of that time, derived from the records; nil if they do not show it.
    private func day(of change: DueDateChange, by cause: DueDateStep.Cause) -> CivilDay? {
        switch cause {
        case .registration: plant.plantedOn
        case .edit(let cycle, let anchor): change.dueOn == anchor + cycle.days ? nil : change.dueOn
        case .restoration(let cycle): change.dueOn + -cycle.days
        case .watering, .postponement, .pause, .outage: nil
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

    /// When the plant was brought back, oldest first. The day is derived from the due date, so that a later change of
    /// zone does not move it.
    private var restorations: [(at: Instant, on: CivilDay)] {
        dueDateChanges.filter { $0.source == .registration }.dropFirst()
            .map { ($0.changedAt, $0.dueOn + -$0.cycle.days) }
    }

    private func lastWateredOn(before instant: Instant) -> CivilDay? {
        waterings.filter { $0.recordedAt < instant }.map(\.wateredOn).max()
    }
}

extension Watering {
    /// The civil day on which the watering was recorded. Only a backdated one depends on the zone.
    func recordingDay(in zone: TimeZoneRules) -> CivilDay {
        isBackdated ? zone.day(at: recordedAt) : wateredOn
    }
}

extension PlantHistory {
    /// Reconstructs the plant at an instant from its history; nil before its registration. Fields without a history
    /// (name, nickname, birthday, alarm time, push switch, favourite mark) keep their current values; the plans are
    /// empty.
    ///
    /// - Parameter zone: The account's zone.
    public func plant(asOf instant: Instant, in zone: TimeZoneRules) -> Plant? {
        guard let step = dueDates(in: zone).last(where: { $0.setAt <= instant }) else { return nil }
        let known = waterings.filter { $0.recordedAt <= instant }
        var past = plant
        past.cycle = dueDateChanges.last { $0.changedAt <= instant }?.cycle ?? plant.cycle
        past.lastWateredOn = known.map(\.wateredOn).max()
        past.dueOn = step.dueOn
        past.dueSource = step.source
        past.originalDueOn = nil
        past.pausedDays =
            step.withersOn > step.dueOn + 1
            ? PausedDays(stored: [step.dueOn + 1...step.withersOn + -1]) : .none
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
