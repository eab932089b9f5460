/// Explains a plant's state on a civil day, the events around that day, and what comes next, derived from its history.
public struct PlantExplanation: Sendable {
    /// Something that will happen to the plant.
    public struct Upcoming: Hashable, Sendable {
        /// What will happen.
        public enum Kind: Hashable, Sendable {
            case push(Topic)
            /// The day after the due date begins (rule 2.2).
            case withers
        }

        public let at: Instant
        public let kind: Kind
        /// Why the push will not be sent if nothing changes; nil if it will be, and for withering.
        public let obstacle: PushReason?
    }

    /// The state of the alarm of the current due date (rule 7.2).
    public enum Alarm: Hashable, Sendable {
        case planned(Instant)
        /// Its time has already come.
        case reached(Instant)
        /// The alarm of this due date was reached before an edit brought the due date back.
        case notAgain
        /// Its time was already past when a command set it.
        case wasPast
    }

    /// How many days before and after the day are covered: as far back as a watering can be recorded (rule 3.4), and as
    /// far ahead as a due date can be postponed (rule 6.2).
    public static let reach = 7

    public let day: CivilDay
    /// Only what was known at this instant counts: the end of a past day, otherwise now.
    public let instant: Instant
    /// Whether the day is over. If so, everything is explained as of its end.
    public let isPast: Bool
    /// The plant at that time; nil before its registration. Without plans on a past day.
    public let plant: Plant?
    public let affection: LedgerStatement
    /// All due dates up to then; the last one counts.
    public let dueDates: [DueDateStep]
    /// Events within ``reach`` days of the day, including any that followed it.
    public let events: [PlantEvent]
    /// In chronological order. For a past day, only the alarm, at the current alarm time, and the withering.
    public let upcoming: [Upcoming]
    /// nil for a past day and for a removed plant.
    public let alarm: Alarm?

    /// Explains the plant.
    ///
    /// - Parameters:
    ///   - history: The plant with its whole history.
    ///   - day: Today and future days are explained by the current state, whenever it was recorded.
    ///   - zone: The account's zone.
    public init(
        of history: PlantHistory, for account: Account, on day: CivilDay, at now: Instant, in zone: TimeZoneRules
    ) {
        self.day = day
        isPast = day < zone.day(at: now)
        let end = zone.start(of: day + 1).adding(microseconds: -1)
        instant = isPast ? end : now
        let steps = history.dueDates(in: zone)
        dueDates = isPast ? steps.filter { $0.setAt <= end } : steps
        affection = LedgerStatement(of: history, asOf: isPast ? end : nil)
        plant = isPast ? history.plant(asOf: end, in: zone) : history.plant
        let known = max(now, steps.last?.setAt ?? now)
        events = history.events(upTo: known, in: zone).filter {
            abs($0.day - day) <= PlantExplanation.reach
        }
        alarm = isPast ? nil : history.plant.alarm(at: now)
        upcoming =
            isPast
            ? plant?.pastUpcoming(after: end, in: zone) ?? []
            : history.upcoming(for: account, at: now, in: zone)
    }

    /// The due date at that time and what set it.
    public var dueDate: DueDateStep? { dueDates.last }
}

extension Plant {
    fileprivate func alarm(at now: Instant) -> PlantExplanation.Alarm? {
        if archivedAt != nil { return nil }
        guard let planned = plans.wateringDue else {
            return plans.alarmedDueDates.contains(dueOn) ? .notAgain : .wasPast
        }
        return planned.at > now ? .planned(planned.at) : .reached(planned.at)
    }

    fileprivate func withering(after instant: Instant, in zone: TimeZoneRules) -> [PlantExplanation.Upcoming] {
        let at = zone.start(of: withersOn)
        return at > instant ? [.init(at: at, kind: .withers, obstacle: nil)] : []
    }

    fileprivate func pastUpcoming(after instant: Instant, in zone: TimeZoneRules) -> [PlantExplanation.Upcoming] {
        if archivedAt != nil { return [] }
        let at = zone.firstInstant(on: dueOn, at: alarmTime)
        let alarm = at > instant ? [PlantExplanation.Upcoming(at: at, kind: .push(.wateringDue), obstacle: nil)] : []
        return alarm + withering(after: instant, in: zone)
    }
}

extension PlantHistory {
    /// The withering and the planned pushes, with what will become of each.
    fileprivate func upcoming(for account: Account, at now: Instant, in zone: TimeZoneRules)
        -> [PlantExplanation.Upcoming]
    {
        if plant.archivedAt != nil { return [] }
        let pushes = Topic.ofPlants.compactMap { topic -> PlantExplanation.Upcoming? in
            guard let planned = plant.plans[topic], planned.at > now else { return nil }
            let occurrence = plant.occurrence(topic, planned)
            let end = PushForecast.end(of: PushCandidate(occurrence, of: self, for: account, in: zone), after: now)
            var obstacle: PushReason?
            if case .end(_, let reason) = end.verdict { obstacle = reason }
            return PlantExplanation.Upcoming(at: end.at, kind: .push(topic), obstacle: obstacle)
        }
        return (pushes + plant.withering(after: now, in: zone)).sorted { $0.at < $1.at }
    }
}
