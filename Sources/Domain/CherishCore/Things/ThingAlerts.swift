/// When an account is reminded of a thing (rule 10.4).
public enum ThingAlert: Hashable, Sendable {
    /// So many days before the due day, at a time of the account's wall clock.
    case daysBefore(Int, at: TimeOfDay)
    /// So many minutes of elapsed time before a due time.
    case minutesBefore(Int)

    /// The most alerts of one thing.
    public static let most = 5
    public static let dayRange = 0...365
    public static let minuteRange = 0...10_080
    /// When alerts ring that nobody chose: 09:00.
    public static let usualTime = TimeOfDay.defaultAlarm

    /// Checks the alerts that an account chose.
    ///
    /// - Throws: ``ThingError/tooManyAlerts(_:)``, ``ThingError/invalidAlert(_:)``.
    static func check(_ alerts: [ThingAlert], hasTime: Bool) throws(ThingError) {
        guard alerts.count <= most else { throw .tooManyAlerts(alerts.count) }
        for alert in alerts {
            switch alert {
            case .daysBefore(let days, _):
                guard dayRange.contains(days) else { throw .invalidAlert(.days(days)) }
            case .minutesBefore(let minutes):
                guard hasTime else { throw .invalidAlert(.withoutTime) }
                guard minuteRange.contains(minutes) else { throw .invalidAlert(.minutes(minutes)) }
            }
        }
    }

    /// The alert of a thing for which none was chosen.
    static func usual(for kind: Thing.Kind, _ due: ThingDue, _ warningDays: WarningDays) -> ThingAlert {
        switch kind {
        case .food: .daysBefore(warningDays.days, at: usualTime)
        case .pickup, .giveBack: .daysBefore(1, at: usualTime)
        case .reminder: due.time == nil ? .daysBefore(0, at: usualTime) : .minutesBefore(0)
        }
    }
}

extension ThingAlert: CustomStringConvertible {
    /// `3d@09:00` for days before, `30m` for minutes before.
    public var description: String {
        switch self {
        case .daysBefore(let days, let time): "\(days)d@\(time)"
        case .minutesBefore(let minutes): "\(minutes)m"
        }
    }

    /// Reads ``description``; `3d` alone means at 09:00.
    ///
    /// - Throws: ``ThingError/invalidAlert(_:)``.
    public init(_ text: some StringProtocol) throws(ThingError) {
        guard let unit = text.firstIndex(where: { $0 == "d" || $0 == "m" }), let count = Int(text[..<unit]),
            text[..<unit].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw .invalidAlert(.unreadable) }
        let rest = text[text.index(after: unit)...]
        switch (text[unit], rest.first) {
        case ("m", nil): self = .minutesBefore(count)
        case ("d", nil): self = .daysBefore(count, at: ThingAlert.usualTime)
        case ("d", "@"):
            guard let time = try? TimeOfDay(alarm: String(rest.dropFirst())) else { throw .invalidAlert(.unreadable) }
            self = .daysBefore(count, at: time)
        default: throw .invalidAlert(.unreadable)
        }
        try ThingAlert.check([self], hasTime: true)
    }
}

/// How a thing goes on after its last alert (rule 10.5).
public enum AlertRepetition: String, CaseIterable, Sendable {
    case once, hourly, daily, weekly
}

/// The moments at which a thing alerts, without end but that of rule 10.5. They follow from the thing and the zone alone:
/// neither from the time of a command nor from what was sent.
struct AlertSeries {
    /// One alert.
    struct Moment: Hashable {
        let at: Instant
        /// Whether it is given in minutes before the due time, so that it expires with that.
        let isTimed: Bool
        /// See ``ThingPlans/Alert/wallMinute``.
        var wallMinute: Int
    }

    private let due: ThingDue
    private let repetition: AlertRepetition
    private let zone: TimeZoneRules
    /// In order, one a minute.
    let alerts: [Moment]
    /// The day and time of the last alert on the wall clock, from which repetitions count.
    private let last: (day: CivilDay, time: TimeOfDay)?

    init(_ alerts: [ThingAlert], _ due: ThingDue, _ repetition: AlertRepetition, in zone: TimeZoneRules) {
        (self.due, self.repetition, self.zone) = (due, repetition, zone)
        let placed = alerts.compactMap { AlertSeries.place($0, due, zone) }
            .sorted {
                ($0.moment.at, $0.moment.isTimed ? 1 : 0, $0.day, $0.time)
                    < ($1.moment.at, $1.moment.isTimed ? 1 : 0, $1.day, $1.time)
            }
        self.alerts = placed.map(\.moment).reduce(into: []) { kept, moment in
            if let last = kept.last, last.at.minute == moment.at.minute {
                kept[kept.count - 1].wallMinute = max(last.wallMinute, moment.wallMinute)
            } else {
                kept.append(moment)
            }
        }
        last = placed.last.map { ($0.day, $0.time) }
    }

    private static func place(
        _ alert: ThingAlert, _ due: ThingDue, _ zone: TimeZoneRules
    ) -> (moment: Moment, day: CivilDay, time: TimeOfDay)? {
        switch alert {
        case .daysBefore(let days, let time):
            let day = due.day + -days
            let at = zone.firstInstant(on: day, at: time)
            return (Moment(at: at, isTimed: false, wallMinute: due.wallMinute(day, time, in: zone)), day, time)
        case .minutesBefore(let minutes):
            guard let time = due.time else { return nil }
            let at = zone.firstInstant(onDate: due.day, at: time).adding(minutes: -minutes)
            let (day, clock) = (zone.day(at: at), zone.timeOfDay(at: at))
            return (Moment(at: at, isTimed: true, wallMinute: due.wallMinute(day, clock, in: zone)), day, clock)
        }
    }

    /// The first alert at or after an instant; nil if there is none any more.
    func first(from instant: Instant) -> Moment? {
        if let alert = alerts.first(where: { $0.at >= instant }) { return alert }
        guard let last, let lastAlert = alerts.last else { return nil }
        let end = zone.start(of: due.day + Thing.daysOfRepetition + 1)
        let after = max(instant, lastAlert.at.minute.adding(minutes: 1))
        guard after < end, let next = repetition(from: after, last, lastAlert.at), next < end else { return nil }
        return Moment(
            at: next, isTimed: false,
            wallMinute: due.wallMinute(zone.day(at: next), zone.timeOfDay(at: next), in: zone))
    }

    /// The first repetition at or after an instant that is after the last alert.
    private func repetition(
        from instant: Instant, _ last: (day: CivilDay, time: TimeOfDay), _ lastAt: Instant
    ) -> Instant? {
        switch repetition {
        case .once: return nil
        case .hourly:
            let hour: Int64 = 3_600_000_000
            let passed = instant.microsecondsSinceEpoch - lastAt.microsecondsSinceEpoch
            var next = lastAt.adding(hours: Int((passed + hour - 1) / hour))
            while zone.outsideQuietHours(next) != next { next = next.adding(hours: 1) }
            return next
        case .daily, .weekly:
            let step = repetition == .daily ? 1 : 7
            // The day before may still have a later instant, where a zone skipped the time of the day.
            let passed = max(0, zone.day(at: instant) - last.day - 1)
            var day = last.day + max(step, passed / step * step)
            while true {
                let next = zone.firstInstant(on: day, at: last.time)
                if next >= instant { return next }
                day = day + step
            }
        }
    }

    /// The alert after another.
    func next(after instant: Instant) -> Moment? {
        first(from: instant.minute.adding(minutes: 1))
    }

    /// The alert after one that was reached, at or after an instant.
    func next(after reached: ThingPlans.Alert, from instant: Instant) -> Moment? {
        first(from: max(instant, end(of: reached).minute.adding(minutes: 1)))
    }

    /// Whether the series still has a planned alert, at the same instant and wall-clock time.
    func contains(_ alert: ThingPlans.Alert) -> Bool {
        let same = first(from: alert.planned.at.minute)
        return same?.at.minute == alert.planned.at.minute && same?.wallMinute == alert.wallMinute
    }

    /// The newest alert after one that was reached, up to an instant; nil if there is none.
    func last(after reached: ThingPlans.Alert, upTo end: Instant) -> Moment? {
        last(after: self.end(of: reached), upTo: end)
    }

    /// The instant up to which alerts count as reached: that of the newest one, or later if the account has since moved
    /// west, where that wall-clock time is still ahead.
    private func end(of reached: ThingPlans.Alert) -> Instant {
        max(reached.planned.at, ownInstant(of: reached) ?? reached.planned.at)
    }

    /// When an alert would ring by its wall-clock time: not when a pause is over, or the calendar's cursor has let it through.
    private func ownInstant(of alert: ThingPlans.Alert) -> Instant? {
        guard let minute = alert.wallMinute else { return nil }
        let (days, minuteOfDay) = minute.floorDivided(by: TimeOfDay.minutesPerDay)
        return TimeOfDay(minuteOfDay: minuteOfDay).map { zone.firstInstant(onDate: due.day + days, at: $0) }
    }

    /// The newest alert up to now, where one that was not reached yet waits because its own time fell into a pause; nil if it does
    /// not wait, or the series has no such alert any more.
    ///
    /// Without a pause, an alert whose time has passed in another zone is not planned again (rule 7.5). A pause that has just ended may
    /// have left no trace but the time for which the alert waits, 09:00. After a move between zones a whole day apart, an alert may
    /// look as if it waited; then it rings.
    func newest(from waiting: ThingPlans.Alert, in pausedDays: PausedDays, upTo now: Instant) -> Moment? {
        guard let own = ownInstant(of: waiting), own <= now, own < waiting.planned.at,
            pausedDays.contains(zone.day(at: own)) || isUsualTime(waiting.planned.at),
            let moment = first(from: own.minute), moment.at <= now, moment.wallMinute == waiting.wallMinute
        else { return nil }
        return last(after: moment.at, upTo: now) ?? moment
    }

    /// Whether it is the time at which alerts ring that waited for the end of a pause.
    private func isUsualTime(_ instant: Instant) -> Bool {
        instant == zone.firstInstant(on: zone.day(at: instant), at: ThingAlert.usualTime)
    }

    func last(after start: Instant, upTo end: Instant) -> Moment? {
        var found: Moment?
        while let next = next(after: found?.at ?? start), next.at <= end { found = next }
        return found
    }

    /// The instant from which an alert is no longer worth sending: when the next one is due, at the latest after 24
    /// hours, or an hour after the due time for one that is given in minutes (rule 10.6).
    func expiry(of moment: Moment) -> Instant {
        var latest = moment.at.adding(hours: 24)
        if moment.isTimed, let time = due.time {
            latest = zone.firstInstant(onDate: due.day, at: time).adding(hours: 1)
        }
        return next(after: moment.at).map { min($0.at, latest) } ?? latest
    }

    /// Those of some alerts whose instants have passed.
    static func passed(
        _ alerts: [ThingAlert], _ due: ThingDue, in zone: TimeZoneRules, at now: Instant
    ) -> [ThingAlert] {
        alerts.filter { alert in place(alert, due, zone).map { $0.moment.at < now } ?? false }
    }
}

extension ThingDue {
    /// A wall-clock time of a day, in minutes from the midnight with which the date of the due day begins.
    func wallMinute(_ day: CivilDay, _ time: TimeOfDay, in zone: TimeZoneRules) -> Int {
        (day - self.day) * TimeOfDay.minutesPerDay + zone.dayEnd.minutes(to: time)
    }
}

extension Instant {
    /// The beginning of its minute.
    fileprivate var minute: Instant {
        Instant(secondsSinceEpoch: secondsSinceEpoch.floorDivided(by: 60).quotient * 60)
    }
}
