import CherishCore

/// A push that the rules promise: it comes, or its outcome explains why not.
struct PromisedPush: Sendable {
    let topic: Topic
    /// For plants, the due date or the birthday in days since 1970-01-01, or the number of the watering.
    let ref: Int
    let at: Instant
    /// When it stops being worth sending (rule 7.7).
    let expiresAt: Instant
    /// Whether its moment has come.
    var hasCome = false
    /// Whether it may end unsent because the plant was watered, switched off, removed and so on.
    var isExcused = false
    /// False after an act so close to its moment that clock differences decide.
    var isCertain = true
    /// False if it was planned so close to its moment that it may be moved to the next minute.
    var isExact = true

    /// Whether an act at an instant was so close to its moment that clock differences decide.
    func isClose(to now: Instant) -> Bool {
        abs(at.microsecondsSinceEpoch - now.microsecondsSinceEpoch) <= PlantModel.disagreement
    }

    /// Whether its moment has come, and it has had to wait on a paused day.
    func waited(in spans: [ClosedRange<CivilDay>], upTo now: Instant, _ zone: PersonClock) -> Bool {
        guard hasCome, !spans.isEmpty else { return false }
        let (first, last) = (zone.day(at: at), min(zone.day(at: expiresAt), zone.day(at: now)))
        return first <= last && spans.contains { $0.overlaps(first...last) }
    }

    /// Whether it must have ended by an instant.
    func isOver(by end: Instant) -> Bool { hasCome && expiresAt <= end }

    /// Whether a push that is sent now must cover it, if the push was planned in the minute of an instant.
    func isCertainlySent(inMinuteOf planned: Instant, at clock: Instant) -> Bool {
        isCertain && isExact && !isExcused && expiresAt > clock
            && at.secondsSinceEpoch / 60 == planned.secondsSinceEpoch / 60
    }

    /// Whether a push of this planned instant may cover it, even if it is excused: the switch may be on again, or a
    /// phone added.
    func mayBeSent(at planned: Instant, by clock: Instant) -> Bool {
        let latest = clock.adding(microseconds: -2 * PlantModel.disagreement)
        let isNear = abs(at.microsecondsSinceEpoch - planned.microsecondsSinceEpoch) < 3 * PlantModel.disagreement
        return expiresAt > latest && (isNear || !isCertain || !isExact)
    }
}

/// A watering as the oracle remembers it.
struct WateringModel: Sendable {
    let number: Int
    let day: CivilDay
    let recordedAt: Instant
    /// Whether it is the first of its day; only that one earns affection (rule 3.5).
    let earns: Bool
    var hasKeywords: Bool
    var hasMemo: Bool
    var isDeclined: Bool

    var isReviewed: Bool { hasKeywords || hasMemo }
}

/// The state that a plant must have by the rules, reimplemented from docs/rules.md: it shares days and zones with the
/// engine, but no rule.
struct PlantModel: Sendable {
    /// The largest difference between two programs' clocks, plus a margin, in microseconds.
    static let disagreement: Int64 = 61_000_000

    /// nil until the service has returned it.
    var id: Plant.ID?
    let phone: String
    let plantedOn: CivilDay
    var cycleDays: Int
    var alarmMinute: Int
    var dueOn: CivilDay
    /// Where it would be due without pauses (rule 13.2).
    private(set) var ownDueOn: CivilDay
    /// Whether an outage set the due date (rule 13.3).
    var isDueByOutage = false
    /// When the pushes were planned of which the oracle has seen that outages have kept them back.
    var excusedPushes: Set<Instant> = []
    /// The pauses that concern it.
    var pauses: Set<PauseModel>
    /// By their places among ``PauseModel/tagNames``.
    var tags: Set<Int> = []
    var lastWateredOn: CivilDay?
    var restoredOn: CivilDay?
    var affection = 0
    var waterings: [WateringModel] = []
    var postponementCount = 0
    var pushesEnabled = true
    var isArchived = false
    /// When alarm time, cycle or zone last changed, or when the plant was registered or brought back.
    var changedAt: Instant
    /// The friend's birthday; nil if unknown.
    private(set) var birthday: YearlyDay?

    /// The alarm of the due date, future or past; nil if it was already past when it was set.
    private var alarm: PromisedPush?
    /// Due dates whose alarm was reached, and those about which the clocks disagree (rule 7.2).
    private var reachedDueDates: Set<CivilDay> = []
    private var perhapsReachedDueDates: Set<CivilDay> = []
    /// Pushes that the account opted into (rule 7.10): for the due date, future or past, and for the next birthday.
    var witheredAlarm: PromisedPush?
    var birthdayAlarm: PromisedPush?
    /// The last birthday whose moment has come, and those about which the clocks disagree.
    var lastBirthday: CivilDay?
    var perhapsReachedBirthdays: Set<CivilDay> = []
    /// Promised pushes that have not been checked yet.
    private(set) var promises: [PromisedPush] = []

    /// Rules 1.4 and 1.6.
    init(
        phone: String, cycleDays: Int, alarmMinute: Int, birthday: YearlyDay?,
        pauses: Set<PauseModel> = [], at now: Instant, in zone: PersonClock
    ) {
        let today = zone.day(at: now)
        self.phone = phone
        self.cycleDays = cycleDays
        self.alarmMinute = alarmMinute
        self.birthday = birthday
        plantedOn = today
        self.pauses = pauses
        ownDueOn = today + cycleDays
        dueOn = ownDueOn
        changedAt = now
        dueOn = movedByPauses(ownDueOn)
        planAlarm(at: now, in: zone)
    }

    /// The plant as the subject of pushes; nil until the service has returned its id.
    var subject: Subject.ID? { id?.subject }

    /// The newest watering by day; on one day, the one recorded last.
    var newestWatering: Int? {
        waterings.indices.max {
            (waterings[$0].day, waterings[$0].number) < (waterings[$1].day, waterings[$1].number)
        }
    }
}

// MARK: - Care

extension PlantModel {
    /// Rules 3.3 to 3.5 and 4. False if they refuse.
    mutating func water(
        daysBack: Int, keywords: Bool, memo: Bool, declines: Bool, at now: Instant, in zone: PersonClock
    ) -> Bool {
        let today = zone.day(at: now)
        let day = today + -daysBack
        guard !isArchived, (0...7).contains(daysBack), daysBack == 0 || day >= plantedOn else { return false }
        let watering = WateringModel(
            number: waterings.count + 1, day: day, recordedAt: now, earns: !waterings.contains { $0.day == day },
            hasKeywords: keywords, hasMemo: memo, isDeclined: declines)
        waterings.append(watering)
        if watering.earns { earn(reasons: 1 + (keywords ? 1 : 0) + (memo ? 1 : 0)) }
        guard lastWateredOn.map({ day >= $0 }) ?? true else { return true }
        lastWateredOn = day
        moveDueDate(to: day + cycleDays, at: now, in: zone)
        excuse { $0.topic == .reviewMissing }
        if !watering.isReviewed, !declines, daysBack == 0 { promiseReminder(of: watering, in: zone) }
        return true
    }

    /// Rules 4.4 and 5.3, for the newest watering.
    mutating func review(keywords: Bool, memo: Bool) -> Bool {
        guard !isArchived, let newest = newestWatering, keywords || memo || waterings[newest].isReviewed else {
            return false
        }
        let isNew = (keywords && !waterings[newest].hasKeywords, memo && !waterings[newest].hasMemo)
        if waterings[newest].earns { earn(reasons: (isNew.0 ? 1 : 0) + (isNew.1 ? 1 : 0)) }
        waterings[newest].hasKeywords = waterings[newest].hasKeywords || keywords
        waterings[newest].hasMemo = waterings[newest].hasMemo || memo
        waterings[newest].isDeclined = false
        excuse { $0.topic == .reviewMissing }
        return true
    }

    /// Rule 5.4, for the newest watering.
    mutating func decline() -> Bool {
        guard !isArchived, let newest = newestWatering else { return false }
        waterings[newest].isDeclined = true
        excuse { $0.topic == .reviewMissing }
        return true
    }

    /// Rule 6.
    mutating func postpone(days: Int, at now: Instant, in zone: PersonClock) -> Bool {
        let today = zone.day(at: now)
        // On the day before a pause it stays thirsty until the pause is over.
        guard !isArchived, (1...7).contains(days), dueOn <= today, today < withersOn else { return false }
        postponementCount += 1
        moveDueDate(to: dueOn + days, at: now, in: zone)
        return true
    }

    /// Rule 1.7.
    mutating func changeCycle(days: Int, at now: Instant, in zone: PersonClock) -> Bool {
        guard !isArchived, (1...90).contains(days) else { return false }
        changedAt = now
        guard days != cycleDays else {
            planAlarm(at: now, in: zone)
            return true
        }
        cycleDays = days
        // Rule 1.8: bringing a friend back starts a new cycle on that day.
        let begin = [lastWateredOn ?? plantedOn, restoredOn].compactMap { $0 }.max() ?? plantedOn
        moveDueDate(to: max(begin + days, zone.day(at: now)), at: now, in: zone)
        return true
    }

    /// Rules 1.6 and 7.2.
    mutating func changeAlarm(minute: Int, at now: Instant, in zone: PersonClock) -> Bool {
        guard !isArchived else { return false }
        changedAt = now
        alarmMinute = minute
        planAlarm(at: now, in: zone)
        return true
    }

    /// Pushes planned for another day no longer count, even if their moment has come.
    mutating func changeBirthday(to day: YearlyDay?) -> Bool {
        guard !isArchived else { return false }
        if day != birthday {
            (birthdayAlarm, lastBirthday, perhapsReachedBirthdays) = (nil, nil, [])
            excuse { $0.topic == .birthday }
        }
        birthday = day
        return true
    }

    /// Rule 7.4.
    mutating func switchPushes(isOn: Bool) -> Bool {
        guard !isArchived else { return false }
        pushesEnabled = isOn
        if !isOn { excuse { $0.hasCome } }
        return true
    }

    /// Rule 1.8.
    mutating func remove() -> Bool {
        guard !isArchived else { return false }
        isArchived = true
        excuse { _ in true }
        return true
    }

    /// Bringing a plant back starts a new cycle on that day.
    mutating func restore(at now: Instant, in zone: PersonClock) -> Bool {
        guard isArchived else { return false }
        isArchived = false
        changedAt = now
        restoredOn = zone.day(at: now)
        moveDueDate(to: zone.day(at: now) + cycleDays, at: now, in: zone)
        return true
    }

    /// Rule 7.5: a new zone replans what is ahead. Reminders and expiries depend on it, so promises become uncertain.
    mutating func travel(at now: Instant, in zone: PersonClock) {
        guard !isArchived else { return }
        changedAt = now
        planAlarm(at: now, in: zone)
        for place in promises.indices { promises[place].isCertain = false }
    }

    /// Rules 4.1 and 4.2.
    private mutating func earn(reasons: Int) {
        affection = min(100, affection + 8 * reasons)
    }
}

// MARK: - Promises

extension PlantModel {
    /// Sets the due date. One that falls into a pause moves to the first day after it (rule 13.2).
    mutating func moveDueDate(to day: CivilDay, at now: Instant, in zone: PersonClock) {
        (ownDueOn, isDueByOutage) = (day, false)
        postponeByPause(to: movedByPauses(day), at: now, in: zone)
    }

    mutating func postponeByPause(to day: CivilDay, at now: Instant, in zone: PersonClock) {
        if day != dueOn { excuse { $0.topic == .wateringDue || $0.topic == .withered } }
        dueOn = day
        planAlarm(at: now, in: zone)
    }

    /// Rule 7.2: a reached alarm stays as it is, and its due date gets no other.
    mutating func planAlarm(at now: Instant, in zone: PersonClock) {
        if let old = alarm {
            let oldDueOn = CivilDay(ref: old.ref)
            if old.at <= now {
                if oldDueOn == dueOn { return }
                reachedDueDates.insert(oldDueOn)
            } else if !old.isCertain {
                perhapsReachedDueDates.insert(oldDueOn)
            }
        }
        let isCertain = !perhapsReachedDueDates.contains(dueOn)
        alarm =
            reachedDueDates.contains(dueOn)
            ? nil : push(.wateringDue, about: dueOn, on: dueOn, at: now, in: zone, isCertain: isCertain)
    }

    /// Promises the push of an excused due date whose alarm is past (rule 13.3).
    mutating func planLateAlarm(at instant: Instant, in zone: PersonClock) {
        alarm = PromisedPush(
            topic: .wateringDue, ref: Int(dueOn.daysSinceEpoch), at: instant,
            expiresAt: zone.start(of: zone.day(at: instant) + 1), isExact: false)
    }

    /// A push at the alarm time of a day, worth sending for the rest of that day (rule 7.7); nil if the time is already
    /// past (rule 7.2).
    func push(
        _ topic: Topic, about ref: CivilDay, on day: CivilDay, at now: Instant, in zone: PersonClock,
        isCertain: Bool
    ) -> PromisedPush? {
        let at = zone.firstInstant(on: day, at: TimeOfDay(minuteOfDay: alarmMinute) ?? .defaultAlarm)
        guard at >= now else { return nil }
        let endOfDay = zone.start(of: zone.day(at: at) + 1)
        return PromisedPush(
            topic: topic, ref: Int(ref.daysSinceEpoch), at: at, expiresAt: endOfDay, isCertain: isCertain,
            isExact: at > now.adding(microseconds: 2 * PlantModel.disagreement))
    }

    /// All pushes about a topic that are ahead, or have come and are not checked yet.
    func pushes(of topic: Topic) -> [PromisedPush] {
        let ahead = [alarm, witheredAlarm, birthdayAlarm].compactMap { $0 }.filter { !$0.hasCome }
        return (promises + ahead).filter { $0.topic == topic }
    }

    /// Rule 7.3.
    private mutating func promiseReminder(of watering: WateringModel, in zone: PersonClock) {
        let at = PlantModel.outsideQuietHours(watering.recordedAt.adding(minutes: 30), in: zone)
        promises.append(
            PromisedPush(
                topic: .reviewMissing, ref: watering.number, at: at, expiresAt: at.adding(hours: 24)))
    }

    /// Marks pushes close to an act as uncertain: clocks disagree, so a worker may already have handled them.
    mutating func blur(at now: Instant) {
        if let planned = alarm, planned.isClose(to: now) { alarm?.isCertain = false }
        if let planned = witheredAlarm, planned.isClose(to: now) { witheredAlarm?.isCertain = false }
        if let planned = birthdayAlarm, planned.isClose(to: now) { birthdayAlarm?.isCertain = false }
        for place in promises.indices where promises[place].isClose(to: now) { promises[place].isCertain = false }
    }

    /// Marks pushes whose moment has come, using the state since the last act.
    mutating func follow(to now: Instant, wanted: Set<Topic>, isReachable: Bool, in zone: PersonClock) {
        if let planned = alarm, !planned.hasCome, planned.at <= now {
            alarm?.hasCome = true
            promises.append(planned)
        }
        let requested = takeRequested(wanted, by: now, in: zone)
        promises.append(contentsOf: requested)
        for place in promises.indices where !promises[place].hasCome && promises[place].at <= now {
            promises[place].hasCome = true
            let isOn = pushesEnabled && wanted.contains(promises[place].topic)
            if isArchived || !isOn || !isReachable { promises[place].isExcused = true }
        }
        excusePaused(upTo: now, in: zone)
    }

    mutating func excuse(_ condition: (PromisedPush) -> Bool) {
        for place in promises.indices where condition(promises[place]) { promises[place].isExcused = true }
    }

    /// Removes and returns the promises that must have ended by an instant.
    mutating func takePromises(expiredBy end: Instant) -> [PromisedPush] {
        let over = promises.filter { $0.isOver(by: end) }
        promises.removeAll { $0.isOver(by: end) }
        return over
    }

    /// Whether an instant is in quiet hours: 22:00 to 08:00 by the wall clock.
    static func isQuiet(_ instant: Instant, in zone: PersonClock) -> Bool {
        !(8 * 60..<22 * 60).contains(zone.timeOfDay(at: instant).minuteOfDay)
    }

    static func outsideQuietHours(_ instant: Instant, in zone: PersonClock) -> Instant {
        guard isQuiet(instant, in: zone) else { return instant }
        let isEvening = zone.timeOfDay(at: instant).minuteOfDay >= 22 * 60
        return zone.firstInstant(
            onDate: zone.date(at: instant) + (isEvening ? 1 : 0), at: PlantModel.endOfQuietHours)
    }

    private static let endOfQuietHours = TimeOfDay(minuteOfDay: 8 * 60)!  // a minute of the day
}
