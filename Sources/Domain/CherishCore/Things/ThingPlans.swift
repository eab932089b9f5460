/// The alerts of a thing that the calendar holds (rule 10.6).
public struct ThingPlans: Hashable, Sendable {
    /// An alert in the calendar.
    public struct Alert: Hashable, Sendable {
        public let planned: PlannedMoment
        /// From when it is not worth sending.
        public let expiresAt: Instant
        /// The alert's wall-clock time in minutes from the midnight of the due day; negative before it. It identifies the
        /// alert in another zone. nil for a waypoint, and once the account has chosen other alerts.
        public internal(set) var wallMinute: Int?

        public init(planned: PlannedMoment, expiresAt: Instant, wallMinute: Int?) {
            (self.planned, self.expiresAt, self.wallMinute) = (planned, expiresAt, wallMinute)
        }

        /// From 365 days before the due day to the end of the repetitions, on a day that may end late.
        public static let wallMinutes =
            -365 * TimeOfDay.minutesPerDay..<(Thing.daysOfRepetition + 1) * TimeOfDay.minutesPerDay
            + DayEnd.range.upperBound
    }

    /// An alert further ahead than this is represented by a waypoint, which replans it.
    public static let horizonDays = 400
    /// The ref of waypoints. That of an alert is the due day, which is never negative.
    public static let waypoint = -1

    /// The next alert, or a waypoint.
    public var next: Alert?
    /// The newest alert for this due day that was reached. The thing still points at it while it is delivered, although
    /// the next one is planned.
    public var reached: Alert?

    public init(next: Alert? = nil, reached: Alert? = nil) {
        (self.next, self.reached) = (next, reached)
    }

    /// Forgets which alerts were planned and reached, but not when.
    mutating func forgetWallMinutes() {
        next?.wallMinute = nil
        reached?.wallMinute = nil
    }
}

extension Thing {
    /// The alerts in effect: the chosen ones, or the one of rule 10.4.
    public func alerts(_ warningDays: WarningDays) -> [ThingAlert] {
        chosenAlerts ?? [.usual(for: kind, due, warningDays)]
    }

    /// Replans the alerts after a change of what they depend on. Alerts that were reached stay as they are.
    ///
    /// - Parameter areSame: Whether the alerts are the same as before. If so, and the scheduler has not come yet, the
    ///   newest missed alert is planned, as the scheduler would do (rule 10.6).
    /// - Returns: what to add to the calendar; nil if it holds the next alert already, or there is none.
    mutating func replan(
        _ warningDays: WarningDays, areSame: Bool = false, in context: CommandContext
    ) -> PlannedMoment? {
        guard !isDone else {
            plans.next = nil
            return nil
        }
        let series = AlertSeries(alerts(warningDays), due, repetition, in: context.zone)
        if let next = plans.next, context.hasReached(next.planned.at), next.planned.ref != ThingPlans.waypoint {
            plans.reached = next
            plans.next = nil
            if areSame, let missed = series.last(after: next, upTo: context.now) {
                return plan(missed, of: series, in: context)
            }
        }
        if let missed = plans.next.flatMap({ series.newest(from: $0, in: context.pausedDays, upTo: context.now) }) {
            return plan(missed, isSilenced: true, of: series, in: context)
        }
        let regular =
            plans.reached.map { series.next(after: $0, from: context.now) } ?? series.first(from: context.now)
        let isLate = chosenAlerts == nil && plans.reached == nil && series.alerts.contains { $0.at < context.now }
        let late = isLate ? lateAlert(in: context) : nil
        return plan([regular, late].compactMap { $0 }.min { $0.at < $1.at }, of: series, in: context)
    }

    /// Where nobody chose an alert and its time is past: the next 09:00 up to the due day (rule 10.4).
    private func lateAlert(in context: CommandContext) -> AlertSeries.Moment? {
        // Today's 09:00 may be past, and a zone may skip a day.
        for day in (0...2).map({ context.today + $0 }) where day <= due.day {
            let at = context.zone.firstInstant(on: day, at: ThingAlert.usualTime)
            if at >= context.now {
                return AlertSeries.Moment(
                    at: at, isTimed: false, wallMinute: due.wallMinute(day, ThingAlert.usualTime, in: context.zone))
            }
        }
        return nil
    }

    /// Points at an alert, or at a waypoint if it is far ahead.
    ///
    /// - Parameter isSilenced: Whether a pause has silenced it.
    /// - Returns: what to add to the calendar; nil if the thing pointed at it before.
    private mutating func plan(
        _ moment: AlertSeries.Moment?, isSilenced: Bool = false, of series: AlertSeries, in context: CommandContext
    ) -> PlannedMoment? {
        let before = plans.next
        guard let moment = moment.map({ afterPause($0, isSilenced, of: series, in: context) }) else {
            plans.next = nil
            return nil
        }
        let horizon = context.now.adding(hours: ThingPlans.horizonDays * 24)
        guard moment.at <= horizon else {
            // One that is there already is as good as one that is a little later.
            if before?.planned.ref == ThingPlans.waypoint { return nil }
            let planned = PlannedMoment(ref: ThingPlans.waypoint, at: context.aheadOfCursor(horizon))
            plans.next = ThingPlans.Alert(planned: planned, expiresAt: planned.at, wallMinute: nil)
            return planned
        }
        let planned = PlannedMoment(ref: Int(due.day.daysSinceEpoch), at: context.aheadOfCursor(moment.at))
        plans.next = ThingPlans.Alert(
            planned: planned, expiresAt: series.expiry(of: moment), wallMinute: moment.wallMinute)
        return before?.planned == planned ? nil : planned
    }

    /// An alert in a pause of the account waits for 09:00 of the first day after it, with all that follow it in the pause. If another
    /// one rings by itself on that day until then, that one is enough (rule 13.2). An alert that was silenced on the day on which the
    /// pause ended also waits for 09:00, or comes at once if that is past.
    private func afterPause(
        _ moment: AlertSeries.Moment, _ isSilenced: Bool, of series: AlertSeries, in context: CommandContext
    ) -> AlertSeries.Moment {
        let (zone, day) = (context.zone, context.zone.day(at: moment.at))
        let first = context.pausedDays.firstUnpaused(from: day)
        let end = zone.firstInstant(on: first, at: ThingAlert.usualTime)
        guard isSilenced || first != day, moment.at < end else { return moment }
        if let ringing = series.first(from: max(zone.start(of: first), context.now)), ringing.at <= end {
            return ringing
        }
        // The first one that waits: should the pause be shortened, the newest up to then is found from it.
        return AlertSeries.Moment(at: end, isTimed: false, wallMinute: moment.wallMinute)
    }

    /// Plans what follows an occurrence that the scheduler has reached. Of several alerts that were missed, only the
    /// newest counts (rule 10.6). Where nothing follows, the thing stays as it is, so that its row need not be written.
    ///
    /// - Returns: what to add to the calendar.
    package mutating func planNext(
        after reached: PlannedMoment, _ warningDays: WarningDays, in context: CommandContext
    ) -> PlannedMoment? {
        guard let alert = plans.next, alert.planned == reached else { return nil }
        if reached.ref == ThingPlans.waypoint {
            plans.next = nil
            return replan(warningDays, in: context)
        }
        let series = AlertSeries(alerts(warningDays), due, repetition, in: context.zone)
        let newest = series.last(after: alert, upTo: context.now)
        guard let next = newest ?? series.next(after: alert, from: reached.at) else { return nil }
        plans.reached = alert
        return plan(next, of: series, in: context)
    }
}

extension Thing {
    /// The instants of its alerts, without those that repeat the last one.
    public func alertInstants(_ warningDays: WarningDays, in zone: TimeZoneRules) -> [Instant] {
        AlertSeries(alerts(warningDays), due, .once, in: zone).alerts.map(\.at)
    }

    /// When it alerts next, if nothing changes; nil if it does not, or is silent.
    public func nextAlert(after now: Instant, _ warningDays: WarningDays, in zone: TimeZoneRules) -> Instant? {
        guard !isDone, pushesEnabled, let next = plans.next else { return nil }
        let isWaypoint = next.planned.ref == ThingPlans.waypoint
        if next.planned.at > now, !isWaypoint { return next.planned.at }
        let series = AlertSeries(alerts(warningDays), due, repetition, in: zone)
        return (isWaypoint ? series.first(from: now) : series.next(after: next, from: now))?.at
    }

    /// Replans what a tick with a future time skipped, once its lane's cursor is set back to now; see
    /// ``Plant/planAgainAfterCursorRepair(walkedTo:reminded:for:in:taken:)``.
    ///
    /// - Returns: what to add to the calendar.
    public mutating func planAgainAfterCursorRepair(
        walkedTo oldCursor: Instant, _ warningDays: WarningDays, in context: CommandContext, taken: Set<Occurrence>
    ) -> PlannedMoment? {
        let isAstray = [plans.next, plans.reached].compactMap { $0?.planned.at }
            .contains { $0 > context.now && $0 <= oldCursor.adding(microseconds: 1) }
        guard isAstray else { return nil }
        let reached = plans.reached.flatMap { $0.planned.at > context.now ? nil : $0 }
        plans = ThingPlans(reached: reached)
        guard var planned = replan(warningDays, in: context), let next = plans.next else { return nil }
        while taken.contains(occurrence(planned)) {
            planned = PlannedMoment(ref: planned.ref, at: planned.at.adding(microseconds: 1))
        }
        plans.next = ThingPlans.Alert(planned: planned, expiresAt: next.expiresAt, wallMinute: next.wallMinute)
        return planned
    }

    /// The thing's occurrence at a planned moment.
    package func occurrence(_ planned: PlannedMoment) -> Occurrence {
        Occurrence(at: planned.at, accountID: accountID, subjectID: id.subject, topic: .thingAlert, ref: planned.ref)
    }
}

extension Identifier where Owner == Thing {
    /// The thing as the subject of pushes.
    public var subject: Subject.ID { Subject.ID(uuid) }

    /// The thing that is the subject of a push.
    public init(_ subject: Subject.ID) {
        self.init(subject.uuid)
    }
}
