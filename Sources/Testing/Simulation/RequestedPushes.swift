import CherishCore

/// A day of every year.
struct YearlyDay: Hashable, Sendable, CustomStringConvertible {
    let month: Int
    let day: Int

    /// The day in a given year. In years without 29 February it is the 28th (rule 7.10).
    func day(in year: Int) -> CivilDay? {
        CivilDay(year: year, month: month, day: day) ?? CivilDay(year: year, month: 2, day: 28)
    }

    /// `02-29`.
    var description: String { [month, day].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-") }
}

// MARK: - Pushes that accounts have to ask for (rule 7.10)

extension PlantModel {
    /// Plans future pushes from the current garden and wall clock. Idempotent.
    mutating func planRequested(_ wanted: Set<Topic>, at now: Instant, in zone: PersonClock) {
        guard !isArchived else { return }
        planWithered(isWanted: wanted.contains(.withered), at: now, in: zone)
        planBirthday(isWanted: wanted.contains(.birthday), at: now, in: zone)
    }

    /// Plans one push for the day after the due date, or after a pause that begins then. There is none if the due date
    /// was past when it was set or when the account opted in. Turning the kind off keeps the plan: if it is on again in
    /// time, the push comes.
    private mutating func planWithered(isWanted: Bool, at now: Instant, in zone: PersonClock) {
        let old = witheredAlarm.flatMap { $0.ref == Int(dueOn.daysSinceEpoch) ? $0 : nil }
        if let old, old.at <= now { return }
        witheredAlarm = nil
        guard old != nil || isWanted && dueOn >= zone.day(at: now) else { return }
        witheredAlarm = push(
            .withered, about: dueOn, on: withersOn, at: now, in: zone, isCertain: old?.isCertain ?? true)
    }

    /// Plans the next birthday whose alarm time is ahead and whose push has not come yet; none while the kind is off.
    private mutating func planBirthday(isWanted: Bool, at now: Instant, in zone: PersonClock) {
        let today = zone.day(at: now)
        if let old = birthdayAlarm, !old.isCertain { perhapsReachedBirthdays.insert(CivilDay(ref: old.ref)) }
        birthdayAlarm = nil
        guard isWanted, let birthday else { return }
        let year = today.components.year
        for day in (year...year + 2).compactMap({ birthday.day(in: $0) }) where day >= today {
            if let lastBirthday, day <= lastBirthday { continue }
            let isCertain = !perhapsReachedBirthdays.contains(day)
            birthdayAlarm = push(.birthday, about: day, on: day, at: now, in: zone, isCertain: isCertain)
            if birthdayAlarm != nil { return }
        }
    }

    /// Returns the pushes whose moment has come. After a birthday it plans the next one.
    mutating func takeRequested(_ wanted: Set<Topic>, by now: Instant, in zone: PersonClock) -> [PromisedPush] {
        var came: [PromisedPush] = []
        if let planned = witheredAlarm, !planned.hasCome, planned.at <= now {
            witheredAlarm?.hasCome = true
            came.append(planned)
        }
        if let planned = birthdayAlarm, planned.at <= now {
            came.append(planned)
            lastBirthday = CivilDay(ref: planned.ref)
            birthdayAlarm = nil
            planRequested(wanted, at: now, in: zone)
        }
        return came
    }
}
