import CherishCore

// Things in a calendar.
extension ICalendarWriter {
    /// Returns the open things, in the given order. One with a time is an event, and one that recurs from its due day is an
    /// event that repeats; any other is a to-do. A thing that recurs from its completion is a single one: nobody knows yet
    /// when it comes back.
    ///
    /// Times have no zone, so that they are those of the account's wall clock wherever the calendar is read. UIDs derive
    /// from the things' ids.
    public mutating func add(_ things: [Thing], in zone: TimeZoneRules) -> [UInt8] {
        var lines = ContentLines()
        for thing in things where !thing.isDone {
            isEmpty = false
            let rule = thing.recurrence.flatMap { $0.base == .due ? Self.rule($0, of: thing) : nil }
            let component = thing.due.time == nil && rule == nil ? "VTODO" : "VEVENT"
            lines.add("BEGIN:\(component)")
            lines.add("UID:\(thing.id)@cherish")
            lines.add("DTSTAMP:\(now.basicForm)")
            lines.add("CREATED:\(thing.createdAt.basicForm)")
            lines.add("LAST-MODIFIED:\(thing.modifiedAt.basicForm)")
            lines.add("SEQUENCE:\(thing.version - 1)")
            if let time = thing.due.time {
                lines.add("DTSTART:\(thing.due.day.basicForm)T\(time.basicForm)")
            } else if rule != nil {
                lines.add("DTSTART;VALUE=DATE:\(thing.due.day.basicForm)")
                lines.add("DTEND;VALUE=DATE:\((thing.due.day + 1).basicForm)")
            } else {
                lines.add("DUE;VALUE=DATE:\(thing.due.day.basicForm)")
            }
            if let rule { lines.add("RRULE:\(rule)") }
            lines.add("SUMMARY", text: thing.title.description)
            if let note = thing.note { lines.add("DESCRIPTION", text: note.description) }
            lines.add("CATEGORIES:\(thing.kind.rawValue.uppercased())")
            lines.add("STATUS:\(component == "VTODO" ? "NEEDS-ACTION" : "CONFIRMED")")
            if component == "VEVENT", thing.due.time == nil { lines.add("TRANSP:TRANSPARENT") }
            for trigger in triggers(of: thing, repeats: rule != nil, in: zone) {
                lines.add("BEGIN:VALARM")
                lines.add("ACTION:DISPLAY")
                lines.add("DESCRIPTION", text: thing.title.description)
                lines.add(trigger)
                lines.add("END:VALARM")
            }
            lines.add("END:\(component)")
        }
        return lines.bytes
    }

    /// Alerts of what repeats count from its beginning; those of anything else are instants.
    private func triggers(of thing: Thing, repeats: Bool, in zone: TimeZoneRules) -> [String] {
        guard account.switches.thing, thing.pushesEnabled else { return [] }
        guard repeats else {
            return thing.alertInstants(account.warningDays, in: zone).map { "TRIGGER;VALUE=DATE-TIME:\($0.basicForm)" }
        }
        let beginning = thing.due.time?.minuteOfDay ?? 0
        return thing.alerts(account.warningDays).map { alert in
            let minutes =
                switch alert {
                case .daysBefore(let days, let time): zone.dayEnd.minutes(to: time) - beginning - 1_440 * days
                case .minutesBefore(let minutes): -minutes
                }
            return "TRIGGER;RELATED=START:\(Self.duration(minutes: minutes))"
        }
    }

    /// The days of the series (rule 10.8). In months that are too short for the day of the series, it is their last day.
    private static func rule(_ recurrence: Recurrence, of thing: Thing) -> String {
        let (_, month, day) = thing.seriesStart.components
        // The last of the days that a month has.
        let lastOfMonth = ";BYMONTHDAY=\((28...max(28, day)).map { String($0) }.joined(separator: ","));BYSETPOS=-1"
        var rule =
            switch recurrence.unit {
            case .days: "FREQ=DAILY"
            case .weeks: "FREQ=WEEKLY"
            case .months: "FREQ=MONTHLY" + (day > 28 ? lastOfMonth : "")
            case .years: "FREQ=YEARLY" + (month == 2 && day == 29 ? ";BYMONTH=2\(lastOfMonth)" : "")
            }
        if recurrence.every > 1 { rule += ";INTERVAL=\(recurrence.every)" }
        if let until = recurrence.until {
            rule += ";UNTIL=\(until.basicForm)" + (thing.due.time == nil ? "" : "T235959")
        }
        return rule
    }
}

extension TimeOfDay {
    /// `150000`.
    fileprivate var basicForm: String { description.replacing(":", with: "") + "00" }
}
