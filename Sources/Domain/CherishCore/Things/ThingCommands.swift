/// What an account says of a thing when it records it (rules 10.1 to 10.8).
public struct ThingDraft: Sendable {
    public var kind: Thing.Kind
    public var title: ThingTitle
    /// nil lets the store's days decide (rule 10.9).
    public var dueOn: CivilDay?
    public var dueTime: TimeOfDay?
    public var note: ThingNote?
    public var isFavourite = false
    public var category: FoodCategory?
    public var boughtOn: CivilDay?
    public var store: Store?
    public var orderNumber: OrderNumber?
    /// nil for the alert of rule 10.4; an empty list for none.
    public var alerts: [ThingAlert]?
    public var repetition = AlertRepetition.once
    public var pushesEnabled = true
    public var recurrence: Recurrence?

    public init(kind: Thing.Kind, title: ThingTitle, dueOn: CivilDay? = nil) {
        (self.kind, self.title, self.dueOn) = (kind, title, dueOn)
    }
}

/// What an edit changes; nil leaves a part as it is, and the inner nil of a part with two clears it.
public struct ThingEdit: Sendable {
    public var title: ThingTitle?
    public var dueOn: CivilDay?
    public var dueTime: TimeOfDay??
    public var note: ThingNote??
    public var isFavourite: Bool?
    public var category: FoodCategory??
    public var boughtOn: CivilDay??
    public var store: Store??
    public var orderNumber: OrderNumber??
    /// The inner nil brings the alert of rule 10.4 back.
    public var alerts: [ThingAlert]??
    public var repetition: AlertRepetition?
    public var pushesEnabled: Bool?
    public var recurrence: Recurrence??

    public init() {}
}

/// What a command does to the calendar.
public struct ThingChange: Sendable {
    /// To be added to the calendar.
    public let planned: PlannedMoment?
    /// The chosen alerts that the command set and whose time is past. They are not planned (rule 10.4).
    public let pastAlerts: [ThingAlert]
}

extension Thing {
    /// Records a thing and plans its first alert.
    ///
    /// - Throws: ``ThingError``.
    public static func record(
        _ draft: ThingDraft, id: ID, for account: Account.ID, _ warningDays: WarningDays, in context: CommandContext
    ) throws(ThingError) -> (thing: Thing, change: ThingChange) {
        let ofStore = draft.boughtOn.flatMap { draft.store?.dueDay(of: draft.kind, boughtOn: $0) }
        guard let dueOn = draft.dueOn ?? ofStore else { throw .dueUnknown(draft.kind) }
        var thing = Thing(
            id: id, accountID: account, kind: draft.kind, createdAt: context.now, title: draft.title, note: draft.note,
            isFavourite: draft.isFavourite, due: ThingDue(day: dueOn, time: draft.dueTime), category: draft.category,
            boughtOn: draft.boughtOn, storeID: draft.store?.id, orderNumber: draft.orderNumber,
            chosenAlerts: draft.alerts, repetition: draft.repetition, pushesEnabled: draft.pushesEnabled,
            recurrence: draft.recurrence, seriesStart: dueOn, completionCount: 0, end: nil, plans: ThingPlans(),
            version: 1, modifiedAt: context.now)
        try thing.check()
        let planned = thing.replan(warningDays, in: context)
        return (thing, ThingChange(planned: planned, pastAlerts: thing.pastAlerts(in: context)))
    }

    /// Edits a thing. A new due day begins a new series and forgets the alerts of the old one (rule 10.7).
    ///
    /// - Throws: ``ThingError``; then the thing stays as it was.
    public mutating func edit(
        _ edit: ThingEdit, _ warningDays: WarningDays, in context: CommandContext
    ) throws(ThingError) -> ThingChange {
        var edited = self
        edited.title = edit.title ?? title
        edited.note = edit.note ?? note
        edited.isFavourite = edit.isFavourite ?? isFavourite
        edited.category = edit.category ?? category
        edited.boughtOn = edit.boughtOn ?? boughtOn
        if let store = edit.store { edited.storeID = store?.id }
        edited.orderNumber = edit.orderNumber ?? orderNumber
        edited.pushesEnabled = edit.pushesEnabled ?? pushesEnabled
        edited.due = ThingDue(day: edit.dueOn ?? due.day, time: edit.dueTime ?? due.time)
        edited.chosenAlerts = edit.alerts ?? chosenAlerts
        edited.repetition = edit.repetition ?? repetition
        edited.recurrence = edit.recurrence ?? recurrence
        try edited.check()
        if edited.due.day != due.day || edited.recurrence != recurrence { edited.seriesStart = edited.due.day }
        let areAlertsSame =
            edited.due == due && edited.chosenAlerts == chosenAlerts && edited.repetition == repetition
        if edited.due != due { edited.plans = ThingPlans() }
        // A newly chosen alert rings even at a wall-clock time that was reached in another zone.
        if edited.chosenAlerts != chosenAlerts { edited.plans.forgetWallMinutes() }
        let planned = edited.replan(warningDays, areSame: areAlertsSame, in: context)
        let isAlertSet = edit.alerts != nil || edited.due != due
        self = edited
        return ThingChange(planned: planned, pastAlerts: isAlertSet ? pastAlerts(in: context) : [])
    }

    /// Checks what depends on the kind and on several parts.
    package func check() throws(ThingError) {
        guard Thing.dueDays.contains(due.day) else { throw .invalidDue(due.day) }
        if let boughtOn, !Thing.dueDays.contains(boughtOn) { throw .invalidDue(boughtOn) }
        if due.time != nil, !kind.hasTime { throw .notForKind(.time, kind) }
        if category != nil, kind != .food { throw .notForKind(.category, kind) }
        if boughtOn != nil, !kind.hasPurchase { throw .notForKind(.purchase, kind) }
        if storeID != nil, !kind.hasStore { throw .notForKind(.store, kind) }
        if orderNumber != nil, !kind.hasStore { throw .notForKind(.order, kind) }
        try ThingAlert.check(chosenAlerts ?? [], hasTime: due.time != nil)
        if let until = recurrence?.until, until < due.day { throw .invalidRecurrence(.ended(until)) }
    }

    private func pastAlerts(in context: CommandContext) -> [ThingAlert] {
        pastAlerts(at: context.now, in: context.zone)
    }

    /// The chosen alerts whose time is past.
    public func pastAlerts(at now: Instant, in zone: TimeZoneRules) -> [ThingAlert] {
        AlertSeries.passed(chosenAlerts ?? [], due, in: zone, at: now)
    }

    /// Replans after an edit of the account, such as of its zone or warning days (rules 7.5 and 10.4).
    public mutating func replanAfterAccountEdit(
        _ warningDays: WarningDays, in context: CommandContext
    ) -> PlannedMoment? {
        let series = AlertSeries(alerts(warningDays), due, repetition, in: context.zone)
        return replan(warningDays, areSame: plans.next.map(series.contains) ?? true, in: context)
    }

    /// Completes a thing, which silences it at once. One that recurs moves to its next due day (rules 10.7 and 10.8).
    ///
    /// - Parameters:
    ///   - outcome: for food only; nil means that it was eaten.
    ///   - madeAt: when the person did it, by the device's clock; nil means now (rule 14.3).
    /// - Throws: ``ThingError/alreadyDone(on:)``, ``ThingError/notForKind(_:_:)``, or ``CareError/madeTooLongAgo(_:days:)``.
    public mutating func complete(
        as outcome: ThingCompletion.Outcome? = nil, madeAt: Instant? = nil, _ warningDays: WarningDays,
        in context: CommandContext
    ) throws -> (completion: ThingCompletion, planned: PlannedMoment?) {
        if let end { throw ThingError.alreadyDone(on: end.completedOn) }
        if outcome != nil, kind != .food { throw ThingError.notForKind(.outcome, kind) }
        let completedOn = try context.day(madeAt: madeAt)
        let next = recurrence?.nextDueDay(
            from: seriesStart, dueOn: due.day, completedOn: completedOn, today: context.today)
        completionCount += 1
        let completion = ThingCompletion(
            number: completionCount, completedOn: completedOn, recordedAt: context.now,
            outcome: kind == .food ? outcome ?? .eaten : nil, dueOn: due.day, nextDueOn: next,
            seriesStart: seriesStart)
        plans = ThingPlans()
        if let next {
            due.day = next
            if recurrence?.base == .completion { seriesStart = next }
        } else {
            end = End(completedOn: completedOn, recordedAt: context.now, outcome: completion.outcome)
        }
        return (completion, replan(warningDays, in: context))
    }

    /// Undoes the newest completion (rule 10.8).
    ///
    /// - Parameter newest: The newest completion that was not undone; nil if there is none.
    /// - Throws: ``ThingError/notDone``, or ``ThingError/dueChanged(_:)`` if the thing is due on another day than the
    ///   one that the completion left.
    public mutating func reopen(
        _ newest: ThingCompletion?, _ warningDays: WarningDays, in context: CommandContext
    ) throws(ThingError) -> PlannedMoment? {
        guard let newest else { throw .notDone }
        guard due.day == newest.nextDueOn ?? newest.dueOn else { throw .dueChanged(due.day) }
        end = nil
        due.day = newest.dueOn
        seriesStart = newest.seriesStart
        plans = ThingPlans()
        return replan(warningDays, in: context)
    }
}
