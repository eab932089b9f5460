extension Plant {
    /// Plans again what a tick of the future passed over, once its lane's calendar was put back to now.
    ///
    /// Such a tick reaches alarms months before their time, and commands after it plan for the instant behind it. Here each
    /// gets its proper instant; one that is past already comes at once while it is worth sending (rule 7.7), as after an
    /// outage. An occurrence that was passed over has its outcome, of which there is but one (rule 7.8), so its successor
    /// comes a microsecond after it. What was reached before the present stays as it is.
    ///
    /// - Parameters:
    ///   - oldCursor: how far the calendar had been walked. What commands planned since lies a microsecond after it.
    ///   - reminded: the watering that the planned reminder is about, if there is one.
    ///   - present: its cursor is the new one.
    ///   - taken: what has an outcome or a job already, of all that is ahead.
    /// - Returns: all that is planned anew. It has to be in the calendar, where what was walked is not any more.
    public mutating func planAgainAfterCursorRepair(
        walkedTo oldCursor: Instant, reminded: Watering?, for account: Account, at present: Present,
        taken: Set<Occurrence>
    ) -> [Occurrence] {
        let repair = CursorRepairing(plantID: id, oldCursor: oldCursor, present: present, taken: taken)
        // A due date ahead of today was not alarmed, whatever was noted when it moved away.
        let isNotedWrongly = dueOn > present.today && plans.alarmedDueDates.contains(dueOn)
        plans.alarmedDueDates.removeAll { $0 > present.today }
        let isBirthdayAstray = repair.hasPassed(plans.passedBirthday) || repair.isAstray(plans.birthday)
        if repair.hasPassed(plans.passedBirthday) { plans.passedBirthday = nil }
        if isBirthdayAstray { plans.birthday = nil }
        if archivedAt != nil {
            // It has no pushes, and starts anew if it is brought back.
            if repair.isAstray(plans.wateringDue) { plans.wateringDue = nil }
            if repair.isAstray(plans.withered) { plans.withered = nil }
            if repair.isAstray(plans.reviewMissing) { plans.reviewMissing = nil }
            return []
        }
        var planned: [(kind: PushKind, moment: PlannedMoment?)] = []
        let due = Int(dueOn.daysSinceEpoch)
        if repair.isAstray(plans.wateringDue) || plans.wateringDue == nil && isNotedWrongly {
            plans.wateringDue = repair.alarm(.wateringDue, on: dueOn, at: alarmTime, about: due)
            planned.append((.wateringDue, plans.wateringDue))
        }
        if repair.isAstray(plans.withered) {
            plans.withered =
                account.switches.withered ? repair.alarm(.withered, on: dueOn + 1, at: alarmTime, about: due) : nil
            planned.append((.withered, plans.withered))
        }
        if isBirthdayAstray, account.switches.birthday {
            planAgainBirthday(repair)
            planned.append((.birthday, plans.birthday))
        }
        if let old = plans.reviewMissing, repair.isAstray(old) {
            planned.append((.reviewMissing, planAgainReminder(old, of: reminded, repair)))
        }
        return planned.compactMap { kind, moment in
            moment.map { Occurrence(at: $0.at, plantID: id, kind: kind, subject: $0.subject) }
        }
    }

    private mutating func planAgainBirthday(_ repair: CursorRepairing) {
        guard let birthday else { return }
        var earliest = repair.present.today
        if let passed = plans.passedBirthday {
            earliest = max(earliest, CivilDay(daysSinceEpoch: Int32(passed.subject)) + 1)
        }
        // Two tries: this year's may be over already.
        for _ in 0..<2 where plans.birthday == nil {
            guard let day = birthday.next(onOrAfter: earliest) else { return }
            plans.birthday = repair.alarm(.birthday, on: day, at: alarmTime, about: Int(day.daysSinceEpoch))
            earliest = day + 1
        }
    }

    /// Where it is too late to remind of a watering, the plant points at the instant that was right: at most one reminder comes
    /// of each (rule 7.3).
    private mutating func planAgainReminder(_ old: PlannedMoment, of reminded: Watering?, _ repair: CursorRepairing)
        -> PlannedMoment?
    {
        guard let reminded, reminded.number == old.subject else {
            plans.reviewMissing = nil
            return nil
        }
        let proper = Reminder.instant(of: reminded, at: repair.present)
        let instant = repair.present.zone.outsideQuietHours(max(proper, repair.present.now))
        let planned = repair.moment(
            .reviewMissing, at: instant, about: old.subject, worthSendingUntil: proper.adding(hours: 24))
        plans.reviewMissing = planned ?? PlannedMoment(subject: old.subject, at: proper)
        return planned
    }
}

/// What is the same for all pushes of a plant whose calendar was put back.
private struct CursorRepairing {
    let plantID: Plant.ID
    let oldCursor: Instant
    let present: Present
    let taken: Set<Occurrence>

    /// Whether the plant points at what was passed over, or at what a command planned behind that.
    func isAstray(_ planned: PlannedMoment?) -> Bool {
        guard let planned else { return false }
        return planned.at > present.now && planned.at <= oldCursor.adding(microseconds: 1)
    }

    /// Whether something ahead of now was reached.
    func hasPassed(_ planned: PlannedMoment?) -> Bool {
        planned.map { $0.at > present.now } ?? false
    }

    func alarm(_ kind: PushKind, on day: CivilDay, at time: TimeOfDay, about subject: Int) -> PlannedMoment? {
        let instant = present.zone.firstInstant(on: day, at: time)
        let end = present.zone.start(of: present.zone.day(at: instant) + 1)
        return moment(kind, at: instant, about: subject, worthSendingUntil: end)
    }

    /// The first moment from an instant on that is ahead of the cursor and not taken; nil when it is too late.
    func moment(_ kind: PushKind, at instant: Instant, about subject: Int, worthSendingUntil end: Instant)
        -> PlannedMoment?
    {
        guard present.now < end else { return nil }
        var at = present.aheadOfCursor(instant)
        while taken.contains(Occurrence(at: at, plantID: plantID, kind: kind, subject: subject)) {
            at = at.adding(microseconds: 1)
        }
        return PlannedMoment(subject: subject, at: at)
    }
}
