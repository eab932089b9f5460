/// The kinds of push (rules 7.1 and 7.10).
public enum PushKind: String, CaseIterable, Comparable, Sendable {
    case wateringDue = "watering_due"
    case reviewMissing = "review_missing"
    case birthday
    case withered

    /// The order in which the database's enumeration declares them.
    public static func < (left: PushKind, right: PushKind) -> Bool {
        allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!  // every case is among all cases
    }
}

/// One planned moment of a plant. What it is about, the subject, is a number: the watering's for a review, else a civil
/// day in days since 1970-01-01 (the due date, or the birthday that is kept).
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

/// Where a plant points: the occurrence of a kind that counts. Every other occurrence in the calendar is superseded.
public struct PlannedMoment: Hashable, Sendable {
    public let subject: Int
    public let at: Instant

    public init(subject: Int, at: Instant) {
        self.subject = subject
        self.at = at
    }
}

/// What a plant has planned: per kind the occurrence it points at.
public struct Plans: Hashable, Sendable {
    public var wateringDue: PlannedMoment?
    public var reviewMissing: PlannedMoment?
    public var birthday: PlannedMoment?
    /// The birthday push that was reached last. The plant still points at it while it is being delivered, though the next
    /// one is planned.
    public var passedBirthday: PlannedMoment?
    public var withered: PlannedMoment?
    /// The latest due dates whose alarm has been reached; should one become the due date again, it is not planned again
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

    /// The occurrence of a kind at which the plant points.
    public subscript(kind: PushKind) -> PlannedMoment? {
        switch kind {
        case .wateringDue: wateringDue
        case .reviewMissing: reviewMissing
        case .birthday: birthday
        case .withered: withered
        }
    }

    /// What to compare a planned moment with: the pointer of its kind, or the birthday push that was reached last if it
    /// is that one.
    public func pointer(_ kind: PushKind, for planned: PlannedMoment) -> PlannedMoment? {
        kind == .birthday && passedBirthday == planned ? passedBirthday : self[kind]
    }
}

extension Plant {
    /// Brings the day alarms in line with due date, alarm time, birthday, zone and switches, and returns the occurrences
    /// that have to be added to the calendar. What was reached stays as it is (rule 7.2).
    mutating func replan(for account: Account, at present: Present) -> [Occurrence] {
        let before = plans
        planWateringDue(at: present)
        planWithered(for: account, at: present)
        planBirthday(for: account, at: present)
        return [PushKind.wateringDue, .withered, .birthday].compactMap { kind in
            guard let planned = plans[kind], planned != before[kind] else { return nil }
            return Occurrence(at: planned.at, plantID: id, kind: kind, subject: planned.subject)
        }
    }

    private mutating func planWateringDue(at present: Present) {
        let due = Int(dueOn.daysSinceEpoch)
        if let old = plans.wateringDue, present.hasReached(old.at) {
            if old.subject == due { return }
            plans.alarmedDueDates.append(CivilDay(daysSinceEpoch: Int32(old.subject)))
            // A due date can only come again within a few days, in which no plant has more alarms than this.
            plans.alarmedDueDates = plans.alarmedDueDates.suffix(8)
        }
        plans.wateringDue =
            plans.alarmedDueDates.contains(dueOn) ? nil : plannedAlarm(on: dueOn, subject: due, at: present)
    }

    /// The day after the due date, for accounts that asked for it (rule 7.10).
    private mutating func planWithered(for account: Account, at present: Present) {
        let due = Int(dueOn.daysSinceEpoch)
        if let old = plans.withered, old.subject == due, present.hasReached(old.at) || !account.switches.withered {
            return
        }
        // A due date that was past when it was set may have been told of before.
        let isNew = plans.withered?.subject == due || dueOn >= present.today
        plans.withered =
            account.switches.withered && isNew ? plannedAlarm(on: dueOn + 1, subject: due, at: present) : nil
    }

    /// The next birthday, for accounts that asked for it (rule 7.10).
    private mutating func planBirthday(for account: Account, at present: Present) {
        if let old = plans.birthday, present.hasReached(old.at) {
            plans.passedBirthday = old
            plans.birthday = nil
        }
        guard let birthday else {
            plans.birthday = nil
            return
        }
        guard account.switches.birthday else { return }
        var earliest = present.today
        if let passed = plans.passedBirthday {
            earliest = max(earliest, CivilDay(daysSinceEpoch: Int32(passed.subject)) + 1)
        }
        // Two tries: this year's alarm may be past already.
        for _ in 0..<2 {
            guard let day = birthday.next(onOrAfter: earliest) else { return }
            plans.birthday = plannedAlarm(on: day, subject: Int(day.daysSinceEpoch), at: present)
            if plans.birthday != nil { return }
            earliest = day + 1
        }
    }

    /// The alarm time on a day; nil when that is past (rule 7.2).
    private func plannedAlarm(on day: CivilDay, subject: Int, at present: Present) -> PlannedMoment? {
        let instant = present.zone.firstInstant(on: day, at: alarmTime)
        return instant < present.now ? nil : PlannedMoment(subject: subject, at: present.aheadOfCursor(instant))
    }

    /// Plans the reminder of a watering without a review, 30 minutes after it and outside quiet hours, once per
    /// watering (rule 7.3).
    mutating func planReminder(of watering: Watering, at present: Present) -> [Occurrence] {
        guard watering.review == nil, !watering.isReviewDeclined, !watering.isBackdated,
            plans.reviewMissing?.subject != watering.number
        else { return [] }
        let instant = Reminder.instant(of: watering, at: present)
        guard instant >= present.now else { return [] }
        return [pointReminder(at: instant, number: watering.number, at: present)]
    }

    private mutating func pointReminder(at instant: Instant, number: Int, at present: Present) -> Occurrence {
        let planned = PlannedMoment(subject: number, at: present.aheadOfCursor(instant))
        plans.reviewMissing = planned
        return Occurrence(at: planned.at, plantID: id, kind: .reviewMissing, subject: number)
    }

    /// Plans again what is ahead, after the account's zone or switches changed (rules 7.5 and 7.10).
    ///
    /// - Parameter reminded: the watering that the planned reminder is about, if there is one.
    public mutating func replanAfterAccountEdit(reminded: Watering?, for account: Account, at present: Present)
        -> [Occurrence]
    {
        guard archivedAt == nil else { return [] }
        var occurrences = replan(for: account, at: present)
        if let old = plans.reviewMissing, let reminded, reminded.number == old.subject, !present.hasReached(old.at) {
            let instant = present.zone.outsideQuietHours(
                max(reminded.recordedAt.adding(minutes: Reminder.delayMinutes), present.now))
            if instant != old.at {
                occurrences.append(pointReminder(at: instant, number: reminded.number, at: present))
            }
        }
        return occurrences
    }

    /// Plans the next birthday once one has passed, and returns its occurrence.
    public mutating func planNextBirthday(for account: Account, at present: Present) -> Occurrence? {
        guard archivedAt == nil else { return nil }
        let before = plans.birthday
        planBirthday(for: account, at: present)
        guard let planned = plans.birthday, planned != before else { return nil }
        return Occurrence(at: planned.at, plantID: id, kind: .birthday, subject: planned.subject)
    }
}

/// When a missing review is reminded of (rule 7.3).
enum Reminder {
    static let delayMinutes = 30

    static func instant(of watering: Watering, at present: Present) -> Instant {
        present.zone.outsideQuietHours(watering.recordedAt.adding(minutes: delayMinutes))
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
