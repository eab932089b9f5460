/// Why a plant is as it is on a civil day, what happened around that day, and what comes next, told from its history.
public struct PlantExplanation: Sendable {
    /// What is ahead of the plant.
    public struct Upcoming: Hashable, Sendable {
        /// What is to come.
        public enum Kind: Hashable, Sendable {
            case push(PushKind)
            /// The day after the due date begins (rule 2.2).
            case withers
        }

        public let at: Instant
        public let kind: Kind
        /// Why it will not be sent when its time comes, if nothing changes; nil where it will, and for withering.
        public let obstacle: PushReason?
    }

    /// How it stands with the alarm of the due date (rule 7.2).
    public enum Alarm: Hashable, Sendable {
        case planned(Instant)
        /// Its time has come already.
        case reached(Instant)
        /// The alarm of this due date was reached before an edit brought the due date back.
        case notAgain
        /// Its time was past already when a command set it.
        case wasPast
    }

    /// How many days before and after the day count as around it: as far back as a watering can be recorded (rule 3.4),
    /// as far ahead as a due date can be postponed (rule 6.2).
    public static let reach = 7

    public let day: CivilDay
    /// Up to when things count: the end of a past day, else now.
    public let instant: Instant
    /// Whether the day is over. Then all is told as of its end.
    public let isPast: Bool
    /// As it was then; nil before its registration. Of a past day without plans.
    public let plant: Plant?
    public let affection: AffectionAccount
    /// All due dates up to then, the last of which counts.
    public let dueDates: [DueDateStep]
    /// What happened on the days around, also what happened since.
    public let events: [PlantEvent]
    /// In the order of time. Of a past day the alarm and the withering, by the alarm time of now.
    public let upcoming: [Upcoming]
    /// nil for a past day, and for a plant that is removed.
    public let alarm: Alarm?

    /// - Parameters:
    ///   - archive: the plant and all that happened to it.
    ///   - day: today or later is told from what is so now, whenever it was recorded.
    ///   - zone: the account's.
    public init(
        of archive: PlantArchive, for account: Account, on day: CivilDay, at now: Instant, in zone: TimeZoneRules
    ) {
        self.day = day
        isPast = day < zone.day(at: now)
        let end = zone.start(of: day + 1).adding(microseconds: -1)
        instant = isPast ? end : now
        let steps = archive.dueDates(in: zone)
        dueDates = isPast ? steps.filter { $0.setAt <= end } : steps
        affection = AffectionAccount(of: archive, asOf: isPast ? end : nil)
        plant = isPast ? archive.plant(asOf: end, in: zone) : archive.plant
        let known = max(now, steps.last?.setAt ?? now)
        events = archive.events(upTo: known, in: zone).filter {
            abs($0.day - day) <= PlantExplanation.reach
        }
        alarm = isPast ? nil : archive.plant.alarm(at: now)
        upcoming =
            isPast
            ? plant?.pastUpcoming(after: end, in: zone) ?? []
            : archive.upcoming(for: account, at: now, in: zone)
    }

    /// What set the due date of then.
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
        let at = zone.start(of: dueOn + 1)
        return at > instant ? [.init(at: at, kind: .withers, obstacle: nil)] : []
    }

    fileprivate func pastUpcoming(after instant: Instant, in zone: TimeZoneRules) -> [PlantExplanation.Upcoming] {
        if archivedAt != nil { return [] }
        let at = zone.firstInstant(on: dueOn, at: alarmTime)
        let alarm = at > instant ? [PlantExplanation.Upcoming(at: at, kind: .push(.wateringDue), obstacle: nil)] : []
        return alarm + withering(after: instant, in: zone)
    }
}

extension PlantArchive {
    /// What the plant points at and what will come of that.
    fileprivate func upcoming(for account: Account, at now: Instant, in zone: TimeZoneRules)
        -> [PlantExplanation.Upcoming]
    {
        if plant.archivedAt != nil { return [] }
        let pushes = PushKind.allCases.compactMap { kind -> PlantExplanation.Upcoming? in
            guard let planned = plant.plans[kind], planned.at > now else { return nil }
            let occurrence = Occurrence(at: planned.at, plantID: plant.id, kind: kind, subject: planned.subject)
            let end = PushForecast.end(of: PushCandidate(occurrence, of: self, for: account, in: zone), after: now)
            var obstacle: PushReason?
            if case .end(_, let reason) = end.verdict { obstacle = reason }
            return PlantExplanation.Upcoming(at: end.at, kind: .push(kind), obstacle: obstacle)
        }
        return (pushes + plant.withering(after: now, in: zone)).sorted { $0.at < $1.at }
    }
}
