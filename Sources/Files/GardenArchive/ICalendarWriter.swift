import CherishCore

/// Writes what an account has to do as iCalendar (RFC 5545). Call ``begin()``, then ``add(_:)`` with any number of plants at
/// a time, ``add(_:in:)`` with the things, then ``finish()``.
public struct ICalendarWriter {
    let account: Account
    private let text: CalendarText
    private let today: CivilDay
    private let horizon: CivilDay
    let now: Instant
    private let isFeed: Bool
    var isEmpty = true

    /// - Parameters:
    ///   - account: The account, which determines language and calendar name. A due date gets an alarm unless the
    ///     account or the plant has turned off watering pushes.
    ///   - today: The civil day in the account's zone.
    ///   - now: When the calendar is written.
    ///   - isFeed: Whether programs subscribe to it, and ask for it again.
    ///   - horizonDays: How many days ahead due dates are projected.
    public init(for account: Account, today: CivilDay, at now: Instant, isFeed: Bool = false, horizonDays: Int = 365) {
        self.account = account
        text = CalendarText(language: account.language)
        self.today = today
        horizon = today + horizonDays
        self.now = now
        self.isFeed = isFeed
    }

    /// Returns the lines that precede all plants.
    public func begin() -> [UInt8] {
        var lines = ContentLines()
        lines.add("BEGIN:VCALENDAR")
        lines.add("VERSION:2.0")
        lines.add("PRODID:\(Product.identifier)")
        lines.add("CALSCALE:GREGORIAN")
        lines.add("X-WR-CALNAME", text: text.name(of: account.nickname))
        if isFeed {
            lines.add("METHOD:PUBLISH")
            lines.add("REFRESH-INTERVAL;VALUE=DURATION:PT4H")
            lines.add("X-PUBLISHED-TTL:PT4H")
        }
        return lines.bytes
    }

    /// Returns the events of each plant that was not removed, in the given order: its due date, projections every cycle
    /// after it and after today (rule 8.3), and its birthday in each year.
    ///
    /// All are all-day events that do not block time. An event's UID derives from the plant's id, so importing the
    /// calendar again moves existing events. Phones and memos are left out.
    public mutating func add(_ plants: [PlantHistory]) -> [UInt8] {
        var lines = ContentLines()
        for plant in plants.living.map(\.plant) {
            isEmpty = false
            var events = Self.waterDays(of: plant, text, today: today, horizon: horizon)
            if account.switches.watering, plant.pushesEnabled {
                events[0].alarmMinutes = account.dayEnd.minutes(to: plant.alarmTime)
            }
            if let birthday = Self.birthday(of: plant, text, today: today) { events.append(birthday) }
            for var event in events {
                event.sequence = plant.version - 1
                event.modifiedAt = plant.modifiedAt
                Self.add(event, at: now, to: &lines)
            }
        }
        return lines.bytes
    }

    /// Returns the lines that follow all plants.
    public func finish() -> [UInt8] {
        var lines = ContentLines()
        if isEmpty { Self.addNothing(to: &lines) }
        lines.add("END:VCALENDAR")
        return lines.bytes
    }

    /// A calendar needs at least one component (RFC 5545, 3.6). A bare time zone is invisible to users.
    private static func addNothing(to lines: inout ContentLines) {
        lines.add("BEGIN:VTIMEZONE")
        lines.add("TZID:Etc/UTC")
        lines.add("BEGIN:STANDARD")
        lines.add("DTSTART:19700101T000000")
        lines.add("TZOFFSETFROM:+0000")
        lines.add("TZOFFSETTO:+0000")
        lines.add("END:STANDARD")
        lines.add("END:VTIMEZONE")
    }

    private enum Kind: String {
        case due, projected, birthday
    }

    private struct Event {
        let identifier: String
        let kind: Kind
        let day: CivilDay
        let summary: String
        var recurrence: String?
        /// When the alarm sounds, from the midnight with which the day begins.
        var alarmMinutes: Int?
        /// How often the plant was changed; it grows with each change of the event.
        var sequence = 0
        var modifiedAt: Instant?
    }

    /// The due date, then the projections.
    private static func waterDays(
        of plant: Plant, _ text: CalendarText, today: CivilDay, horizon: CivilDay
    ) -> [Event] {
        let due = Event(
            identifier: "\(plant.id)-due", kind: .due, day: plant.dueOn, summary: text.due(plant.nickname))
        let days = CalendarDay.days(of: plant, waterings: [], from: today, to: horizon, today: today)
        let projections = days.filter { $0.kind == .projected }.enumerated().map { index, day in
            Event(
                identifier: "\(plant.id)-projected-\(index + 1)", kind: .projected, day: day.day,
                summary: text.projected(plant.nickname))
        }
        return [due] + projections
    }

    /// Repeats from the day of birth, or from the next birthday if the year is unknown.
    private static func birthday(of plant: Plant, _ text: CalendarText, today: CivilDay) -> Event? {
        guard let birthday = plant.birthday,
            let first = birthday.year.flatMap({ birthday.day(in: $0) }) ?? birthday.next(onOrAfter: today)
        else { return nil }
        // The last day of February: by rule 7.10, 29 February is celebrated on the 28th in common years.
        let isLeapDay = birthday.month == 2 && birthday.day == 29
        return Event(
            identifier: "\(plant.id)-birthday", kind: .birthday, day: first, summary: text.birthday(plant.nickname),
            recurrence: isLeapDay ? "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1" : "FREQ=YEARLY")
    }

    private static func add(_ event: Event, at now: Instant, to lines: inout ContentLines) {
        lines.add("BEGIN:VEVENT")
        lines.add("UID:\(event.identifier)@cherish")
        lines.add("DTSTAMP:\(now.basicForm)")
        if let modifiedAt = event.modifiedAt { lines.add("LAST-MODIFIED:\(modifiedAt.basicForm)") }
        lines.add("SEQUENCE:\(event.sequence)")
        lines.add("DTSTART;VALUE=DATE:\(event.day.basicForm)")
        lines.add("DTEND;VALUE=DATE:\((event.day + 1).basicForm)")
        if let recurrence = event.recurrence { lines.add("RRULE:\(recurrence)") }
        lines.add("SUMMARY", text: event.summary)
        lines.add("CATEGORIES:\(event.kind.rawValue.uppercased())")
        lines.add("STATUS:\(event.kind == .projected ? "TENTATIVE" : "CONFIRMED")")
        lines.add("TRANSP:TRANSPARENT")
        if let minutes = event.alarmMinutes {
            lines.add("BEGIN:VALARM")
            lines.add("ACTION:DISPLAY")
            lines.add("DESCRIPTION", text: event.summary)
            lines.add("TRIGGER;RELATED=START:\(duration(minutes: minutes))")
            lines.add("END:VALARM")
        }
        lines.add("END:VEVENT")
    }
}

extension ICalendarWriter {
    /// A duration: `PT9H`, `-P2DT15H`, `PT0S`.
    static func duration(minutes: Int) -> String {
        let (days, rest) = abs(minutes).quotientAndRemainder(dividingBy: 1_440)
        let (hours, left) = rest.quotientAndRemainder(dividingBy: 60)
        if minutes == 0 { return "PT0S" }
        let time = (hours == 0 ? "" : "\(hours)H") + (left == 0 ? "" : "\(left)M")
        return (minutes < 0 ? "-" : "") + "P" + (days == 0 ? "" : "\(days)D") + (time.isEmpty ? "" : "T\(time)")
    }
}
