import CherishCore

/// The state that a thing must have by the rules, reimplemented from docs/rules.md §10: it shares days and zones with
/// the engine, but no rule.
struct ThingModel: Sendable {
    /// When it alerts.
    enum Alert: Hashable, Sendable {
        /// So many days before the due day, at a minute of the wall clock.
        case days(Int, at: Int)
        /// So many minutes before the due time.
        case minutes(Int)

        /// As the service stores it: `1d@09:00`, `30m`.
        var text: String {
            switch self {
            case .days(let days, let minute): "\(days)d@\(TimeOfDay(minuteOfDay: minute) ?? .defaultAlarm)"
            case .minutes(let minutes): "\(minutes)m"
            }
        }
    }

    /// How it comes back.
    struct Recurrence: Sendable {
        let every: Int
        let unit: CherishCore.Recurrence.Unit
        let isFromCompletion: Bool
    }

    /// A moment at which it alerts.
    struct Moment: Sendable {
        let at: Instant
        var expiresAt: Instant
        /// What the account's clocks show, in minutes from the start of the due day.
        let wallMinute: Int
        /// Whether it makes up for the usual alert, whose time was past when it was planned (rule 10.4).
        var makesUp = false
    }

    let id: Thing.ID
    let kind: Thing.Kind
    var title: String
    var dueOn: CivilDay
    /// A minute of the due day; nil without a time.
    var dueMinute: Int?
    /// nil if the account chose none.
    var alerts: [Alert]?
    var repetition: AlertRepetition
    var isOn = true
    var recurrence: Recurrence?
    /// The first day of the series.
    var seriesStart: CivilDay
    var completionCount = 0
    var doneOn: CivilDay?
    /// The due day, the next one and the start of the series of each completion that was not undone, the newest last.
    private var completions: [(dueOn: CivilDay, nextDueOn: CivilDay?, seriesStart: CivilDay)] = []
    /// The newest alert for this due day whose moment has come.
    private(set) var reached: Moment?
    /// Whether its alerts, or the clock, have changed since, so that nobody can tell what waits for the end of a pause.
    var isUnsure = false
    /// When it was recorded or got its due day. What it has missed in a pause since then waits for its end.
    var plannedFrom = Instant(secondsSinceEpoch: 0)

    init(
        id: Thing.ID, kind: Thing.Kind, title: String, dueOn: CivilDay, dueMinute: Int?, alerts: [Alert]?,
        repetition: AlertRepetition, recurrence: Recurrence?
    ) {
        (self.id, self.kind, self.title, self.dueOn, self.dueMinute) = (id, kind, title, dueOn, dueMinute)
        (self.alerts, self.repetition, self.recurrence) = (alerts, repetition, recurrence)
        seriesStart = dueOn
    }

    var isOpen: Bool { doneOn == nil }
    var canBeReopened: Bool { completions.last.map { $0.nextDueOn ?? $0.dueOn == dueOn } ?? false }

    mutating func reach(_ moment: Moment) {
        if moment.at > reached?.at ?? moment.at.adding(minutes: -1) { reached = moment }
    }

    /// Other alerts may ring at a time that the clocks showed before.
    mutating func keepReached(areAlertsOther: Bool) {
        if areAlertsOther, let moment = reached {
            reached = Moment(at: moment.at, expiresAt: moment.expiresAt, wallMinute: .min)
        }
    }

    mutating func forgetReached() { reached = nil }

    /// A new due day or time begins anew (rule 10.7).
    mutating func move(to day: CivilDay, at minute: Int?) {
        if day != dueOn { seriesStart = day }
        (dueOn, dueMinute, reached) = (day, minute, nil)
    }

    /// Rules 10.7 and 10.8.
    mutating func complete(today: CivilDay) {
        let next = recurrence.flatMap { nextDueDay($0, today: today) }
        completions.append((dueOn, next, seriesStart))
        completionCount += 1
        reached = nil
        guard let next else {
            doneOn = today
            return
        }
        if recurrence?.isFromCompletion == true { seriesStart = next }
        dueOn = next
    }

    mutating func reopen() {
        guard let undone = completions.popLast() else { return }
        (dueOn, seriesStart, doneOn, reached) = (undone.dueOn, undone.seriesStart, nil, nil)
    }

    private func nextDueDay(_ recurrence: Recurrence, today: CivilDay) -> CivilDay? {
        if recurrence.isFromCompletion { return ThingModel.step(recurrence, 1, from: today) }
        let last = max(dueOn, today)
        for steps in 1...40_000 {
            guard let day = ThingModel.step(recurrence, steps, from: seriesStart) else { return nil }
            if day > last { return day }
        }
        return nil
    }

    /// The day so many intervals later; nil after 2099. A month without the day has its last one instead.
    private static func step(_ recurrence: Recurrence, _ steps: Int, from day: CivilDay) -> CivilDay? {
        let count = recurrence.every * steps
        let found: CivilDay?
        switch recurrence.unit {
        case .days: found = day + count
        case .weeks: found = day + 7 * count
        case .months, .years:
            let (year, month, number) = day.components
            let months = year * 12 + month - 1 + (recurrence.unit == .months ? count : 12 * count)
            found =
                (28...31).reversed().lazy.filter { $0 <= max(number, 28) }
                .compactMap { CivilDay(year: months / 12, month: months % 12 + 1, day: min($0, number)) }.first
        }
        return found.flatMap { $0.components.year <= 2099 ? $0 : nil }
    }

    // MARK: Alerts

    private static let nine = 9 * 60

    /// The alerts in effect (rule 10.4).
    private var alertsInEffect: [Alert] {
        if let alerts { return alerts }
        switch kind {
        case .food: return [.days(3, at: ThingModel.nine)]
        case .pickup, .giveBack: return [.days(1, at: ThingModel.nine)]
        case .reminder: return [dueMinute == nil ? .days(0, at: ThingModel.nine) : .minutes(0)]
        }
    }

    /// The moments at which it alerts from now on.
    func moments(from now: Instant, in zone: PersonClock) -> [Moment] {
        guard isOpen else { return [] }
        let all = series(in: zone)
        let ahead = all.filter { $0.at >= now && !wasReached($0, in: zone) }
        guard alerts == nil, reached == nil, let usual = all.first, usual.at < now else { return ahead }
        // Nobody chose it and its time is past: the next 09:00 up to the due day.
        let today = zone.day(at: now)
        let late = (0...2).map { today + $0 }.filter { $0 <= dueOn }.map { moment(on: $0, at: ThingModel.nine, zone) }
            .first { $0.at >= now }
        guard var late, late.at < ahead.first?.at ?? late.at.adding(minutes: 1) else { return ahead }
        late.makesUp = true
        if let next = ahead.first { late.expiresAt = min(late.expiresAt, next.at) }
        return [late] + ahead
    }

    /// What waits for the ends of the account's pauses: of each, the newest missed alert, at 09:00 of the first unpaused day, or at
    /// once if that is past; none if another alert of that day rings before (rule 13.2).
    ///
    /// - Parameter hasJustEnded: whether a pause has silenced today until now.
    func missedInPauses(
        _ spans: [ClosedRange<CivilDay>], hasJustEnded: Bool, from now: Instant, in zone: PersonClock
    ) -> [Moment] {
        let isPaused = { (day: CivilDay) in spans.contains { $0.contains(day) } }
        let isSilenced = { (moment: Moment) in
            hasJustEnded && moment.at < now && zone.day(at: moment.at) == zone.day(at: now)
        }
        let all = moments(from: plannedFrom, in: zone)
        var byEnd: [CivilDay: Moment] = [:]
        for moment in all where isPaused(zone.day(at: moment.at)) || isSilenced(moment) {
            var end = zone.day(at: moment.at)
            while isPaused(end) { end = end + 1 }
            byEnd[end] = moment
        }
        return byEnd.sorted { $0.key < $1.key }.compactMap { end, missed in
            let nine = zone.firstInstant(on: end, at: .defaultAlarm)
            if all.contains(where: { zone.day(at: $0.at) == end && $0.at <= nine && !isSilenced($0) }) { return nil }
            if missed.at >= nine { return Moment(at: now, expiresAt: missed.expiresAt, wallMinute: missed.wallMinute) }
            let at = max(nine, now)
            let next = all.first { $0.at > at }?.at ?? at.adding(hours: 24)
            return Moment(at: at, expiresAt: min(at.adding(hours: 24), next), wallMinute: missed.wallMinute)
        }
    }

    /// Whether the account's clocks showed this time already, here or where it lived before, when it alerted.
    private func wasReached(_ moment: Moment, in zone: PersonClock) -> Bool {
        reached.map { moment.wallMinute <= $0.wallMinute || moment.at <= $0.at } ?? false
    }

    /// All moments for this due day, those of the past included (rules 10.5 and 10.6).
    private func series(in zone: PersonClock) -> [Moment] {
        var moments = alertsInEffect.map { place($0, zone) }.sorted { $0.at < $1.at }
        guard let last = moments.last else { return [] }
        let end = zone.start(of: dueOn + 8)
        var number = 1
        while let next = repetition(number, of: last, zone), next.at < end {
            number += 1
            if repetition != .hourly || !PlantModel.isQuiet(next.at, in: zone) { moments.append(next) }
        }
        moments = moments.reduce(into: []) { kept, moment in
            if kept.last?.at.secondsSinceEpoch.quotient(60) != moment.at.secondsSinceEpoch.quotient(60) {
                kept.append(moment)
            }
        }
        for place in moments.indices.dropLast() {
            moments[place].expiresAt = min(moments[place].expiresAt, moments[place + 1].at)
        }
        return moments
    }

    private func place(_ alert: Alert, _ zone: PersonClock) -> Moment {
        switch alert {
        case .days(let days, let minute): return moment(on: dueOn + -days, at: minute, zone)
        case .minutes(let minutes):
            // An appointment is on its date, whenever days end.
            let due = moment(onDate: dueOn, at: dueMinute ?? 0, zone).at
            let at = due.adding(minutes: -minutes)
            return Moment(at: at, expiresAt: due.adding(hours: 1), wallMinute: wallMinute(of: at, zone))
        }
    }

    private func repetition(_ number: Int, of last: Moment, _ zone: PersonClock) -> Moment? {
        switch repetition {
        case .once: return nil
        case .hourly:
            let at = last.at.adding(hours: number)
            return Moment(at: at, expiresAt: at.adding(hours: 24), wallMinute: wallMinute(of: at, zone))
        case .daily, .weekly:
            let (days, minute) = (last.wallMinute.quotient(1440), last.wallMinute.remainder(1440))
            return moment(onDate: dueOn + (days + number * (repetition == .daily ? 1 : 7)), at: minute, zone)
        }
    }

    private func moment(on day: CivilDay, at minute: Int, _ zone: PersonClock) -> Moment {
        moment(onDate: minute < zone.dayEndMinute ? day + 1 : day, at: minute, zone)
    }

    private func moment(onDate date: CivilDay, at minute: Int, _ zone: PersonClock) -> Moment {
        let at = zone.firstInstant(onDate: date, at: TimeOfDay(minuteOfDay: minute) ?? .defaultAlarm)
        return Moment(at: at, expiresAt: at.adding(hours: 24), wallMinute: (date - dueOn) * 1440 + minute)
    }

    private func wallMinute(of instant: Instant, _ zone: PersonClock) -> Int {
        (zone.date(at: instant) - dueOn) * 1440 + zone.timeOfDay(at: instant).minuteOfDay
    }
}

extension BinaryInteger {
    /// The quotient, rounded down.
    fileprivate func quotient(_ divisor: Self) -> Self { (self - remainder(divisor)) / divisor }

    /// The remainder, never negative.
    fileprivate func remainder(_ divisor: Self) -> Self { (self % divisor + divisor) % divisor }
}
