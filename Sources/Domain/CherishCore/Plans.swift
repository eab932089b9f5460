/// The plans of a plant: the occurrence that it points at, per topic.
public struct Plans: Hashable, Sendable {
    public var wateringDue: PlannedMoment?
    public var reviewMissing: PlannedMoment?
    public var birthday: PlannedMoment?
    /// The last birthday push that was reached. The plant still points at it during delivery, although the next one is
    /// already planned.
    public var passedBirthday: PlannedMoment?
    public var withered: PlannedMoment?
    /// The most recent due dates whose alarm was reached. If one becomes the due date again, no alarm is planned for it
    /// (rule 7.2).
    public var alarmedDueDates: [CivilDay]

    public init(
        wateringDue: PlannedMoment? = nil, reviewMissing: PlannedMoment? = nil, birthday: PlannedMoment? = nil,
        passedBirthday: PlannedMoment? = nil, withered: PlannedMoment? = nil, alarmedDueDates: [CivilDay] = []
    ) {
        self.wateringDue = wateringDue
        self.reviewMissing = reviewMissing
        self.birthday = birthday
        self.passedBirthday = passedBirthday
        self.withered = withered
        self.alarmedDueDates = alarmedDueDates
    }

    /// The occurrence of a topic that the plant points at; nil for a topic of another domain, which cannot be set.
    public subscript(topic: Topic) -> PlannedMoment? {
        get { Plans.pointer(topic).flatMap { self[keyPath: $0] } }
        set { if let pointer = Plans.pointer(topic) { self[keyPath: pointer] = newValue } }
    }

    private static func pointer(_ topic: Topic) -> WritableKeyPath<Plans, PlannedMoment?>? {
        switch topic {
        case .wateringDue: \.wateringDue
        case .reviewMissing: \.reviewMissing
        case .birthday: \.birthday
        case .withered: \.withered
        default: nil
        }
    }

    /// The pointer to compare a planned moment with: ``passedBirthday`` if they are equal, otherwise the pointer of its
    /// topic.
    public func pointer(_ topic: Topic, for planned: PlannedMoment) -> PlannedMoment? {
        topic == .birthday && passedBirthday == planned ? passedBirthday : self[topic]
    }
}

extension Plant {
    /// Replans the day alarms after a change of due date, alarm time, birthday, zone, or switches, and returns the
    /// occurrences to add to the calendar. Alarms already reached stay unchanged (rule 7.2).
    mutating func replan(for account: Account, in context: CommandContext) -> [Occurrence] {
        let before = plans
        planWateringDue(in: context)
        planWithered(for: account, in: context)
        planBirthday(for: account, in: context)
        return [Topic.wateringDue, .withered, .birthday].compactMap { topic in
            guard let planned = plans[topic], planned != before[topic] else { return nil }
            return occurrence(topic, planned)
        }
    }

    /// The plant's occurrence of a topic at a planned moment.
    package func occurrence(_ topic: Topic, _ planned: PlannedMoment) -> Occurrence {
        Occurrence(at: planned.at, accountID: accountID, subjectID: id.subject, topic: topic, ref: planned.ref)
    }

    private mutating func planWateringDue(in context: CommandContext) {
        let due = Int(dueOn.daysSinceEpoch)
        if let old = plans.wateringDue, context.hasReached(old.at) {
            if old.ref == due { return }
            plans.alarmedDueDates.append(CivilDay(ref: old.ref))
            // A due date can recur only within a few days, and no plant has more alarms than this in that time.
            plans.alarmedDueDates = plans.alarmedDueDates.suffix(8)
        }
        plans.wateringDue =
            plans.alarmedDueDates.contains(dueOn) ? nil : plannedAlarm(on: dueOn, ref: due, in: context)
    }

    /// Plans the withered push for the first day on which the plant is withered, if the account opted in (rule 7.10).
    private mutating func planWithered(for account: Account, in context: CommandContext) {
        let due = Int(dueOn.daysSinceEpoch)
        let old = plans.withered.flatMap { $0.ref == due ? $0 : nil }
        if let old, context.hasReached(old.at) { return }
        // A due date that was past when it was set may already have had its withered push. Turning the kind off keeps a
        // planned push, because it could not be planned again later; a change of zone still moves it.
        let isWanted = old != nil || account.switches.withered && dueOn >= context.today
        plans.withered = isWanted ? plannedAlarm(on: withersOn, ref: due, in: context) : nil
    }

    /// Plans the next birthday push, if the account opted in (rule 7.10).
    private mutating func planBirthday(for account: Account, in context: CommandContext) {
        if let old = plans.birthday, context.hasReached(old.at) {
            plans.passedBirthday = old
            plans.birthday = nil
        }
        guard let birthday, account.switches.birthday else {
            plans.birthday = nil
            return
        }
        var earliest = context.today
        if let passed = plans.passedBirthday {
            earliest = max(earliest, CivilDay(ref: passed.ref) + 1)
        }
        // Two tries: this year's alarm may already be past.
        for _ in 0..<2 {
            guard let day = birthday.next(onOrAfter: earliest) else { return }
            plans.birthday = plannedAlarm(on: day, ref: Int(day.daysSinceEpoch), in: context)
            if plans.birthday != nil { return }
            earliest = day + 1
        }
    }

    /// The alarm on a day; nil if its time is past (rule 7.2).
    private func plannedAlarm(on day: CivilDay, ref: Int, in context: CommandContext) -> PlannedMoment? {
        let instant = context.zone.firstInstant(on: day, at: alarmTime)
        return instant < context.now ? nil : PlannedMoment(ref: ref, at: context.aheadOfCursor(instant))
    }

    /// Plans the reminder of a watering without a review, 30 minutes after it and outside quiet hours, once per
    /// watering (rule 7.3).
    mutating func planReminder(of watering: Watering, in context: CommandContext) -> [Occurrence] {
        guard watering.review == nil, !watering.isReviewDeclined, !watering.isBackdated,
            plans.reviewMissing?.ref != watering.number
        else { return [] }
        let instant = Reminder.instant(of: watering, in: context)
        guard instant >= context.now else { return [] }
        return [pointReminder(at: instant, number: watering.number, in: context)]
    }

    private mutating func pointReminder(at instant: Instant, number: Int, in context: CommandContext) -> Occurrence {
        let planned = PlannedMoment(ref: number, at: context.aheadOfCursor(instant))
        plans.reviewMissing = planned
        return occurrence(.reviewMissing, planned)
    }

    /// Replans future pushes after the account's zone or switches changed (rules 7.5 and 7.10).
    ///
    /// - Parameter reminded: The watering that the planned reminder is about, if there is one.
    public mutating func replanAfterAccountEdit(reminded: Watering?, for account: Account, in context: CommandContext)
        -> [Occurrence]
    {
        guard archivedAt == nil else { return [] }
        var occurrences = replan(for: account, in: context)
        if let old = plans.reviewMissing, let reminded, reminded.number == old.ref, !context.hasReached(old.at) {
            let instant = context.zone.outsideQuietHours(
                max(reminded.recordedAt.adding(minutes: Reminder.delayMinutes), context.now))
            if instant != old.at {
                occurrences.append(pointReminder(at: instant, number: reminded.number, in: context))
            }
        }
        return occurrences
    }

    /// Plans the next birthday push after one has passed, and returns its occurrence.
    public mutating func planNextBirthday(for account: Account, in context: CommandContext) -> Occurrence? {
        guard archivedAt == nil else { return nil }
        let before = plans.birthday
        planBirthday(for: account, in: context)
        guard let planned = plans.birthday, planned != before else { return nil }
        return occurrence(.birthday, planned)
    }
}

/// When the reminder of a missing review is due (rule 7.3).
enum Reminder {
    static let delayMinutes = 30

    static func instant(of watering: Watering, in context: CommandContext) -> Instant {
        context.zone.outsideQuietHours(watering.recordedAt.adding(minutes: delayMinutes))
    }
}

extension TimeZoneRules {
    /// The instant itself, or the end of the quiet hours (22:00–08:00 local) that contain it (rule 7.3).
    public func outsideQuietHours(_ instant: Instant) -> Instant {
        let time = timeOfDay(at: instant)
        // Clocks know no days that end late.
        if time >= .quietHoursBegin { return firstInstant(onDate: date(at: instant) + 1, at: .quietHoursEnd) }
        if time < .quietHoursEnd { return firstInstant(onDate: date(at: instant), at: .quietHoursEnd) }
        return instant
    }
}
