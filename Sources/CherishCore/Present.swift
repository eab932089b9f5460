/// The moment at which a command acts: what the engine takes for now, where, and how far its lane was scheduled.
public struct Present: Sendable {
    public let now: Instant
    /// The rules of the account's time zone.
    public let zone: TimeZoneRules
    /// The instant up to which the lane's calendar was walked. An occurrence may only be added after it.
    public let calendarCursor: Instant
    /// The civil day of `now` in the account's zone.
    public let today: CivilDay

    public init(now: Instant, zone: TimeZoneRules, calendarCursor: Instant) {
        self.now = now
        self.zone = zone
        self.calendarCursor = calendarCursor
        self.today = zone.day(at: now)
    }

    /// Whether a planned instant has come. The lane may have been walked beyond this command's now.
    func hasReached(_ instant: Instant) -> Bool {
        instant <= max(now, calendarCursor)
    }

    /// The instant itself, or the first one that the lane has not been walked beyond.
    func aheadOfCursor(_ instant: Instant) -> Instant {
        max(instant, calendarCursor.adding(microseconds: 1))
    }
}

/// How near a plant's watering is on a civil day (rules 2.1–2.3).
public struct DDay: Hashable, Sendable {
    /// Due date minus today; negative once it is past.
    public let daysLeft: Int
    /// 0…1: days left divided by the days from the anchor to the due date.
    public let gauge: Double

    public init(dueOn: CivilDay, anchor: CivilDay, today: CivilDay) {
        daysLeft = dueOn - today
        let span = dueOn - anchor
        gauge = span > 0 ? min(max(Double(daysLeft) / Double(span), 0), 1) : 0
    }

    public var condition: Condition {
        daysLeft > 0 ? .thriving : daysLeft == 0 ? .thirsty : .withered
    }

    /// `D-3`, `D-DAY`, `D+2`.
    public var label: String {
        daysLeft > 0 ? "D-\(daysLeft)" : daysLeft == 0 ? "D-DAY" : "D+\(-daysLeft)"
    }
}

/// How a plant is doing today (rule 2.2).
public enum Condition: String, CaseIterable, Sendable {
    case thriving, thirsty, withered
}
