/// What every rule needs to know about a command's moment: the time, the account's zone, and the lane's cursor.
public struct CommandContext: Sendable {
    public let now: Instant
    /// The account's clock.
    public let zone: TimeZoneRules
    /// The instant up to which the lane's calendar is scheduled. New occurrences must come after it.
    public let calendarCursor: Instant
    /// When the whole account is paused (rule 13.1).
    public let pausedDays: PausedDays
    /// The civil day of `now` by that clock.
    public let today: CivilDay

    public init(
        now: Instant, zone: TimeZoneRules, calendarCursor: Instant, pausedDays: PausedDays = .none
    ) {
        self.now = now
        self.zone = zone
        self.calendarCursor = calendarCursor
        self.pausedDays = pausedDays
        self.today = zone.day(at: now)
    }

    /// The civil day of something that a person did while the device was offline (rule 14.3).
    ///
    /// - Parameter madeAt: By the device's clock; nil, or later than now, means now.
    /// - Throws: ``CareError/madeTooLongAgo(_:days:)`` for more than 7 days back.
    func day(madeAt: Instant?) throws(CareError) -> CivilDay {
        let day = madeAt.map { zone.day(at: min($0, now)) } ?? today
        guard today - day <= Watering.daysBack else { throw .madeTooLongAgo(day, days: Watering.daysBack) }
        return day
    }

    /// Whether a planned instant has been reached. The cursor may be ahead of `now`.
    func hasReached(_ instant: Instant) -> Bool {
        instant <= max(now, calendarCursor)
    }

    /// The instant, or the first one after the cursor if the cursor has reached it.
    func aheadOfCursor(_ instant: Instant) -> Instant {
        max(instant, calendarCursor.adding(microseconds: 1))
    }
}

/// How soon a plant needs water, seen from a civil day (rules 2.1–2.3).
public struct DDay: Hashable, Sendable {
    /// Due date minus today; negative once it has passed.
    public let daysLeft: Int
    /// 0…1: days left divided by the days from the anchor to the due date.
    public let gauge: Double
    public let condition: Condition

    /// - Parameter withersOn: the first day on which it is withered; nil means the day after the due date.
    public init(dueOn: CivilDay, withersOn: CivilDay? = nil, anchor: CivilDay, today: CivilDay) {
        daysLeft = dueOn - today
        condition = today < dueOn ? .thriving : today < withersOn ?? dueOn + 1 ? .thirsty : .withered
        let span = dueOn - anchor
        gauge = span > 0 ? min(max(Double(daysLeft) / Double(span), 0), 1) : 0
    }

    /// `D-3`, `D-DAY`, `D+2`.
    public var label: String {
        daysLeft > 0 ? "D-\(daysLeft)" : daysLeft == 0 ? "D-DAY" : "D+\(-daysLeft)"
    }
}

/// The condition of a plant on a day (rule 2.2).
public enum Condition: String, CaseIterable, Sendable {
    case thriving, thirsty, withered
}
