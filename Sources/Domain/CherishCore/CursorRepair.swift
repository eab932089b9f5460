extension Plant {
    /// Replans what a tick with a future time skipped, once its lane's cursor is set back to now.
    ///
    /// Such a tick reaches alarms months early, and later commands plan for the instant after its cursor. The repair
    /// moves each alarm back to its proper instant; one in the past fires at once if it is still worth sending (rule
    /// 7.7), as after an outage. A skipped occurrence already has its one outcome (rule 7.8), so its replacement is
    /// planned a microsecond later. Occurrences reached by now stay unchanged.
    ///
    /// - Parameters:
    ///   - oldCursor: The cursor before the repair; until then, commands planned a microsecond after it.
    ///   - reminded: The watering that the planned reminder is about, if there is one.
    ///   - context: Contains the new cursor.
    ///   - taken: The future occurrences that already have an outcome or a job.
    /// - Returns: All newly planned occurrences, to add to the calendar. The skipped ones are no longer in it.
    public mutating func planAgainAfterCursorRepair(
        walkedTo oldCursor: Instant, reminded: Watering?, for account: Account, in context: CommandContext,
        taken: Set<Occurrence>
    ) -> [Occurrence] {
        let repair = CursorRepairing(plant: self, oldCursor: oldCursor, context: context, taken: taken)
        // No alarm of a due date after today can have fired, even if moving the due date recorded one.
        let isNotedWrongly = dueOn > context.today && plans.alarmedDueDates.contains(dueOn)
        plans.alarmedDueDates.removeAll { $0 > context.today }
        let isBirthdayAstray = repair.hasPassed(plans.passedBirthday) || repair.isAstray(plans.birthday)
        if repair.hasPassed(plans.passedBirthday) { plans.passedBirthday = nil }
        if isBirthdayAstray { plans.birthday = nil }
        if archivedAt != nil {
            // A removed plant gets no pushes, and starts over if it is brought back.
            for topic in Topic.ofPlants where repair.isAstray(plans[topic]) { plans[topic] = nil }
            return []
        }
        var planned: [(topic: Topic, moment: PlannedMoment?)] = []
        let due = Int(dueOn.daysSinceEpoch)
        if repair.isAstray(plans.wateringDue) || plans.wateringDue == nil && isNotedWrongly {
            plans.wateringDue = repair.alarm(.wateringDue, on: dueOn, at: alarmTime, about: due)
            planned.append((.wateringDue, plans.wateringDue))
        }
        if repair.isAstray(plans.withered) {
            plans.withered =
                account.switches.withered ? repair.alarm(.withered, on: withersOn, at: alarmTime, about: due) : nil
            planned.append((.withered, plans.withered))
        }
        if isBirthdayAstray, account.switches.birthday {
            planAgainBirthday(repair)
            planned.append((.birthday, plans.birthday))
        }
        if let old = plans.reviewMissing, repair.isAstray(old) {
            planned.append((.reviewMissing, planAgainReminder(old, of: reminded, repair)))
        }
        return planned.compactMap { topic, moment in moment.map { occurrence(topic, $0) } }
    }

    private mutating func planAgainBirthday(_ repair: CursorRepairing) {
        guard let birthday else { return }
        var earliest = repair.context.today
        if let passed = plans.passedBirthday {
            earliest = max(earliest, CivilDay(ref: passed.ref) + 1)
        }
        // Two tries: this year's birthday may already be over.
        for _ in 0..<2 where plans.birthday == nil {
            guard let day = birthday.next(onOrAfter: earliest) else { return }
            plans.birthday = repair.alarm(.birthday, on: day, at: alarmTime, about: Int(day.daysSinceEpoch))
            earliest = day + 1
        }
    }

    /// If it is too late for the reminder, still points the plant at its proper instant, because a watering gets at
    /// most one reminder (rule 7.3).
    private mutating func planAgainReminder(_ old: PlannedMoment, of reminded: Watering?, _ repair: CursorRepairing)
        -> PlannedMoment?
    {
        guard let reminded, reminded.number == old.ref else {
            plans.reviewMissing = nil
            return nil
        }
        let proper = Reminder.instant(of: reminded, in: repair.context)
        let instant = repair.context.zone.outsideQuietHours(max(proper, repair.context.now))
        let planned = repair.moment(
            .reviewMissing, at: instant, about: old.ref, worthSendingUntil: proper.adding(hours: 24))
        plans.reviewMissing = planned ?? PlannedMoment(ref: old.ref, at: proper)
        return planned
    }
}

/// The parameters of a repair, shared by all pushes of a plant.
private struct CursorRepairing {
    /// The plant before the repair.
    let plant: Plant
    let oldCursor: Instant
    let context: CommandContext
    let taken: Set<Occurrence>

    /// Whether this moment was skipped, or a command planned it right after the old cursor.
    func isAstray(_ planned: PlannedMoment?) -> Bool {
        guard let planned else { return false }
        return planned.at > context.now && planned.at <= oldCursor.adding(microseconds: 1)
    }

    /// Whether a moment recorded as reached lies in the future.
    func hasPassed(_ planned: PlannedMoment?) -> Bool {
        planned.map { $0.at > context.now } ?? false
    }

    func alarm(_ topic: Topic, on day: CivilDay, at time: TimeOfDay, about ref: Int) -> PlannedMoment? {
        let instant = context.zone.firstInstant(on: day, at: time)
        let end = context.zone.start(of: context.zone.day(at: instant) + 1)
        return moment(topic, at: instant, about: ref, worthSendingUntil: end)
    }

    /// The first free moment at or after an instant and after the cursor; nil if it is too late.
    func moment(_ topic: Topic, at instant: Instant, about ref: Int, worthSendingUntil end: Instant)
        -> PlannedMoment?
    {
        guard context.now < end else { return nil }
        var at = context.aheadOfCursor(instant)
        while taken.contains(plant.occurrence(topic, PlannedMoment(ref: ref, at: at))) {
            at = at.adding(microseconds: 1)
        }
        return PlannedMoment(ref: ref, at: at)
    }
}
