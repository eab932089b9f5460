import CherishCore

/// A day of every year.
struct YearlyDay: Hashable, Sendable, CustomStringConvertible {
    let month: Int
    let day: Int

    /// When it is kept: 29 February on the 28th in years that have none (rule 7.10).
    func day(in year: Int) -> CivilDay? {
        CivilDay(year: year, month: month, day: day) ?? CivilDay(year: year, month: 2, day: 28)
    }

    /// `02-29`.
    var description: String { [month, day].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-") }
}

// MARK: - What is sent only to accounts that asked for it (rule 7.10)

extension PlantModel {
    /// Plans what is ahead by the garden and the wall clock of now. It changes nothing where nothing else has changed.
    mutating func planRequested(_ wanted: Set<PushKind>, at now: Instant, in zone: TimeZoneRules) {
        guard !isArchived else { return }
        planWithered(isWanted: wanted.contains(.withered), at: now, in: zone)
        if wanted.contains(.birthday) { planBirthday(at: now, in: zone) }
    }

    /// On the day after the due date, once. Nothing is told of a due date that was past when it was set, or when the
    /// account asked. What was planned stays while the switch is off: switched on again in time, it comes.
    private mutating func planWithered(isWanted: Bool, at now: Instant, in zone: TimeZoneRules) {
        let old = witheredAlarm.flatMap { $0.subject == Int(dueOn.daysSinceEpoch) ? $0 : nil }
        if let old, old.at <= now || !isWanted { return }
        witheredAlarm = nil
        guard isWanted, old != nil || dueOn >= zone.day(at: now) else { return }
        witheredAlarm = push(
            .withered, about: dueOn, on: dueOn + 1, at: now, in: zone, isCertain: old?.isCertain ?? true)
    }

    /// On the next birthday whose alarm time is ahead, and that was not told of yet.
    private mutating func planBirthday(at now: Instant, in zone: TimeZoneRules) {
        let (old, today) = (birthdayAlarm, zone.day(at: now))
        birthdayAlarm = nil
        guard let birthday else { return }
        let year = today.components.year
        for day in (year...year + 2).compactMap({ birthday.day(in: $0) }) where day >= today {
            if let lastBirthday, day <= lastBirthday { continue }
            // Whether the one of this day was reached, clocks may disagree about.
            let isCertain = old.map { $0.isCertain || $0.subject != Int(day.daysSinceEpoch) } ?? true
            birthdayAlarm = push(.birthday, about: day, on: day, at: now, in: zone, isCertain: isCertain)
            if birthdayAlarm != nil { return }
        }
    }

    /// Hands over what has come until now. After a birthday that came, the next one is planned.
    mutating func takeRequested(_ wanted: Set<PushKind>, by now: Instant, in zone: TimeZoneRules) -> [PromisedPush] {
        var came: [PromisedPush] = []
        if let planned = witheredAlarm, !planned.hasCome, planned.at <= now {
            witheredAlarm?.hasCome = true
            came.append(planned)
        }
        if let planned = birthdayAlarm, planned.at <= now {
            came.append(planned)
            lastBirthday = CivilDay(daysSinceEpoch: Int32(planned.subject))
            birthdayAlarm = nil
            planRequested(wanted, at: now, in: zone)
        }
        return came
    }
}
