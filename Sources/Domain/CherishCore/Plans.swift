/// The kinds of push (rules 7.1 and 7.10).
public enum PushKind: String, CaseIterable, Comparable, Sendable {
    case wateringDue = "watering_due"
    case reviewMissing = "review_missing"
    case birthday
    case withered

    /// The declaration order of the database's enum.
    public static func < (left: PushKind, right: PushKind) -> Bool {
        allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!  // every case is among all cases
    }
}

/// One planned moment of a plant. Its subject is a number: the watering's number for a review, otherwise a civil day in
/// days since 1970-01-01 (the due date, or the day on which the birthday is celebrated).
public struct Occurrence: Hashable, Sendable {
    public let at: Instant
    public let plantID: Plant.ID
    public let kind: PushKind
    public let subject: Int

    public init(at: Instant, plantID: Plant.ID, kind: PushKind, subject: Int) {
        self.at = at
        self.plantID = plantID
        self.kind = kind
        self.subject = subject
    }
}

extension CivilDay {
    /// Decodes the day from a push's subject, unless the push is about a review.
    package init(subject: Int) {
        self.init(daysSinceEpoch: Int32(subject))
    }
}

/// A pointer of a plant: the one occurrence of a kind that counts. All others in the calendar are superseded.
public struct PlannedMoment: Hashable, Sendable {
    public let subject: Int
    public let at: Instant

    public init(subject: Int, at: Instant) {
        self.subject = subject
        self.at = at
    }
}

/// The plans of a plant: the occurrence that it points at, per kind.
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

    /// The occurrence of a kind that the plant points at.
    public subscript(kind: PushKind) -> PlannedMoment? {
        get { self[keyPath: Plans.pointer(kind)] }
        set { self[keyPath: Plans.pointer(kind)] = newValue }
    }

    private static func pointer(_ kind: PushKind) -> WritableKeyPath<Plans, PlannedMoment?> {
        switch kind {
        case .wateringDue: \.wateringDue
        case .reviewMissing: \.reviewMissing
        case .birthday: \.birthday
        case .withered: \.withered
        }
    }

    /// The pointer to compare a planned moment with: ``passedBirthday`` if they are equal, otherwise the pointer of its
    /// kind.
    public func pointer(_ kind: PushKind, for planned: PlannedMoment) -> PlannedMoment? {
        kind == .birthday && passedBirthday == planned ? passedBirthday : self[kind]
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
        return [PushKind.wateringDue, .withered, .birthday].compactMap { kind in
            guard let planned = plans[kind], planned != before[kind] else { return nil }
            return Occurrence(at: planned.at, plantID: id, kind: kind, subject: planned.subject)
        }
    }

    private mutating func planWateringDue(in context: CommandContext) {
        let due = Int(dueOn.daysSinceEpoch)
        if let old = plans.wateringDue, context.hasReached(old.at) {
            if old.subject == due { return }
            plans.alarmedDueDates.append(CivilDay(subject: old.subject))
            // A due date can recur only within a few days, and no plant has more alarms than this in that time.
            plans.alarmedDueDates = plans.alarmedDueDates.suffix(8)
        }
        plans.wateringDue =
            plans.alarmedDueDates.contains(dueOn) ? nil : plannedAlarm(on: dueOn, subject: due, in: context)
    }

    /// Plans the withered push for the day after the due date, if the account opted in (rule 7.10).
    private mutating func planWithered(for account: Account, in context: CommandContext) {
        let due = Int(dueOn.daysSinceEpoch)
        if let old = plans.withered, old.subject == due, context.hasReached(old.at) || !account.switches.withered {
            return
        }
        // A due date that was past when it was set may already have had its withered push.
        let isNew = plans.withered?.subject == due || dueOn >= context.today
        plans.withered =
            account.switches.withered && isNew ? plannedAlarm(on: dueOn + 1, subject: due, in: context) : nil
    }

    /// Plans the next birthday push, if the account opted in (rule 7.10).
    private mutating func planBirthday(for account: Account, in context: CommandContext) {
        if let old = plans.birthday, context.hasReached(old.at) {
            plans.passedBirthday = old
            plans.birthday = nil
        }
        guard let birthday else {
            plans.birthday = nil
            return
        }
        guard account.switches.birthday else { return }
        var earliest = context.today
        if let passed = plans.passedBirthday {
            earliest = max(earliest, CivilDay(subject: passed.subject) + 1)
        }
        // Two tries: this year's alarm may already be past.
        for _ in 0..<2 {
            guard let day = birthday.next(onOrAfter: earliest) else { return }
            plans.birthday = plannedAlarm(on: day, subject: Int(day.daysSinceEpoch), in: context)
            if plans.birthday != nil { return }
            earliest = day + 1
        }
    }

    /// The alarm on a day; nil if its time is past (rule 7.2).
    private func plannedAlarm(on day: CivilDay, subject: Int, in context: CommandContext) -> PlannedMoment? {
        let instant = context.zone.firstInstant(on: day, at: alarmTime)
        return instant < context.now ? nil : PlannedMoment(subject: subject, at: context.aheadOfCursor(instant))
    }

    /// Plans the reminder of a watering without a review, 30 minutes after it and outside quiet hours, once per
    /// watering (rule 7.3).
    mutating func planReminder(of watering: Watering, in context: CommandContext) -> [Occurrence] {
        guard watering.review == nil, !watering.isReviewDeclined, !watering.isBackdated,
            plans.reviewMissing?.subject != watering.number
        else { return [] }
        let instant = Reminder.instant(of: watering, in: context)
        guard instant >= context.now else { return [] }
        return [pointReminder(at: instant, number: watering.number, in: context)]
    }

    private mutating func pointReminder(at instant: Instant, number: Int, in context: CommandContext) -> Occurrence {
        let planned = PlannedMoment(subject: number, at: context.aheadOfCursor(instant))
        plans.reviewMissing = planned
        return Occurrence(at: planned.at, plantID: id, kind: .reviewMissing, subject: number)
    }

    /// Replans future pushes after the account's zone or switches changed (rules 7.5 and 7.10).
    ///
    /// - Parameter reminded: The watering that the planned reminder is about, if there is one.
    public mutating func replanAfterAccountEdit(reminded: Watering?, for account: Account, in context: CommandContext)
        -> [Occurrence]
    {
        guard archivedAt == nil else { return [] }
        var occurrences = replan(for: account, in: context)
        if let old = plans.reviewMissing, let reminded, reminded.number == old.subject, !context.hasReached(old.at) {
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
        return Occurrence(at: planned.at, plantID: id, kind: .birthday, subject: planned.subject)
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
        if time >= .quietHoursBegin { return firstInstant(on: day(at: instant) + 1, at: .quietHoursEnd) }
        if time < .quietHoursEnd { return firstInstant(on: day(at: instant), at: .quietHoursEnd) }
        return instant
    }
}
