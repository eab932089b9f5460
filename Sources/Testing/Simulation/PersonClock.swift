import CherishCore

/// A person's clock by rule 13.4, written anew: it shares dates and offsets with the programs, and no notion of a day.
package struct PersonClock: Sendable, Equatable {
    /// A zone whose days end at midnight.
    let zone: TimeZoneRules
    /// When days end, in minutes after midnight.
    var dayEndMinute = 0

    package var name: String { zone.name }

    /// The day that began last.
    package func day(at instant: Instant) -> CivilDay {
        var day = zone.date(at: instant) + 1
        while start(of: day) > instant { day = day + -1 }
        return day
    }

    package func start(of day: CivilDay) -> Instant { instant(on: day, atMinute: dayEndMinute) }

    /// The first instant at which the clock shows a time of a day, or a later one (rules 7.5 and 13.4).
    package func firstInstant(on day: CivilDay, at time: TimeOfDay) -> Instant {
        instant(on: time.minuteOfDay < dayEndMinute ? day + 1 : day, atMinute: time.minuteOfDay)
    }

    package func firstInstant(onDate date: CivilDay, at time: TimeOfDay) -> Instant {
        zone.firstInstant(onDate: date, at: time)
    }

    package func date(at instant: Instant) -> CivilDay { zone.date(at: instant) }

    package func timeOfDay(at instant: Instant) -> TimeOfDay { zone.timeOfDay(at: instant) }

    private func instant(on date: CivilDay, atMinute minute: Int) -> Instant {
        zone.firstInstant(onDate: date, at: TimeOfDay(minuteOfDay: minute) ?? .defaultAlarm)
    }
}
