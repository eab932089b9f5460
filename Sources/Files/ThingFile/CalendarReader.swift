import AddressBook
import CherishCore
import Foundation

/// Reads events and to-dos of a calendar (RFC 5545) as things.
struct CalendarReader {
    /// A property of a component, with its name and parameters in upper case.
    struct Property {
        let name: String
        let parameters: [String: String]
        let value: String
    }

    /// An event or a to-do, or an alarm in one.
    struct Component {
        let name: String
        /// The line on which it begins.
        let line: Int
        var properties: [Property] = []
        var alarms: [Component] = []

        func first(_ name: String) -> Property? { properties.first { $0.name == name } }
    }

    private let options: ThingFileOptions
    /// The line that the next one may continue.
    private var open: (number: Int, bytes: [UInt8])?
    /// The components that are open, the innermost last. What is neither an event nor a to-do is not kept.
    private var stack: [Component] = []

    init(_ options: ThingFileOptions) {
        self.options = options
    }

    mutating func take(_ line: PhysicalLine) throws -> ThingFileReader.Row? {
        if let first = line.bytes.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t"), open != nil {
            guard (open?.bytes.count ?? 0) + line.bytes.count <= LineReader.longestLine else {
                throw UnreadableFile(reason: "line \(line.number) continues one that is longer than 8 MiB")
            }
            open?.bytes += line.bytes.dropFirst()
            return nil
        }
        let row = endLine()
        open = (line.number, line.bytes)
        return row
    }

    func finish() throws -> [ThingFileReader.Row] {
        var reader = self
        let last = reader.endLine()
        return [last, Self.cutOff(in: reader.stack[...])].compactMap(\.self)
    }

    private static func isEntry(_ component: Component) -> Bool {
        component.name == "VEVENT" || component.name == "VTODO"
    }

    /// An entry that has no end.
    private static func cutOff(in components: ArraySlice<Component>) -> ThingFileReader.Row? {
        components.first(where: isEntry).map {
            ($0.line, .failure(.unreadable("the entry has no end: export the calendar once more")))
        }
    }

    private mutating func endLine() -> ThingFileReader.Row? {
        guard let (number, bytes) = open else { return nil }
        open = nil
        guard let property = Property(String(decoding: bytes, as: UTF8.self)) else { return nil }
        let name = property.value.uppercased()
        switch property.name {
        case "BEGIN":
            // No program nests more.
            if stack.count < 16 { stack.append(Component(name: name, line: number)) }
        case "END":
            guard let index = stack.lastIndex(where: { $0.name == name }) else { return nil }
            let ended = stack[index]
            let cutOff = Self.cutOff(in: stack[(index + 1)...])
            stack.removeSubrange(index...)
            if let cutOff { return cutOff }
            if name == "VALARM", let last = stack.indices.last { stack[last].alarms.append(ended) }
            if Self.isEntry(ended) {
                let options = options
                return (ended.line, Result { () throws(ThingRefusal) in try CalendarEntry(ended, options).record() })
            }
        default:
            if let last = stack.indices.last { stack[last].properties.append(property) }
        }
        return nil
    }
}

extension CalendarReader.Property {
    /// `NAME;PARAMETER=value:value`; nil for a line that is none.
    init?(_ line: String) {
        var isQuoted = false
        let colon = line.firstIndex { character in
            if character == "\"" { isQuoted.toggle() }
            return character == ":" && !isQuoted
        }
        guard let colon else { return nil }
        let parts = line[..<colon].split(separator: ";")
        guard let name = parts.first else { return nil }
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { parameters[pair[0].uppercased()] = pair[1].filter { $0 != "\"" } }
        }
        self.init(name: name.uppercased(), parameters: parameters, value: String(line[line.index(after: colon)...]))
    }

    /// The value without the escapes of texts (3.3.11).
    var text: String {
        var (text, isEscaped) = ("", false)
        for character in value {
            if isEscaped {
                text.append(character == "n" || character == "N" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                text.append(character)
            }
        }
        return text
    }

    /// The texts of a list; a comma that is escaped divides nothing.
    var list: [String] {
        value.replacing("\\,", with: "\u{0}").split(separator: ",")
            .map { Self(name: name, parameters: [:], value: String($0).replacing("\u{0}", with: ",")).text }
    }
}

/// An event or a to-do, on its way to a thing.
struct CalendarEntry {
    private let component: CalendarReader.Component
    private let options: ThingFileOptions
    private var warnings: [String] = []

    init(_ component: CalendarReader.Component, _ options: ThingFileOptions) {
        (self.component, self.options) = (component, options)
    }

    func record() throws(ThingRefusal) -> ThingRecord {
        var entry = self
        return try entry.read()
    }

    private mutating func read() throws(ThingRefusal) -> ThingRecord {
        let status = component.first("STATUS")?.value.uppercased()
        if status == "COMPLETED" || component.first("COMPLETED") != nil { throw .skipped("it is done") }
        if status == "CANCELLED" { throw .skipped("it was cancelled") }
        if component.first("RECURRENCE-ID") != nil {
            throw .unreadable("it changes one day of a series, which is not taken over: record that day as a thing")
        }
        let start =
            component.name == "VTODO"
            ? component.first("DUE") ?? component.first("DTSTART") : component.first("DTSTART")
        guard let start else {
            throw .refused(code: "due_unknown", "the entry has no day: give it one, or leave it out")
        }
        let (day, time) = try moment(start)
        let categories = component.properties.filter { $0.name == "CATEGORIES" }.flatMap(\.list)
        let kind = categories.compactMap { Thing.Kind(rawValue: $0.lowercased()) }.first ?? options.kind
        do {
            var draft = ThingDraft(
                kind: kind, title: try ThingTitle(component.first("SUMMARY")?.text ?? ""), dueOn: day)
            draft.dueTime = time
            draft.note = try component.first("DESCRIPTION").flatMap { note throws(ThingError) in
                try ThingNote(note.text)
            }
            draft.recurrence = try recurrence(day)
            draft.alerts = alerts(day, time)
            var record = ThingRecord(draft)
            for text in categories where Thing.Kind(rawValue: text.lowercased()) == nil {
                let tag = try TagName(text)
                if !record.tags.contains(tag), record.tags.count < Tag.maximumPerFriend { record.tags.append(tag) }
            }
            if component.properties.contains(where: { ["EXDATE", "RDATE"].contains($0.name) }) {
                warnings.append("days that were added to the series, or left out of it, are not taken over")
            }
            record.warnings = warnings
            return record
        } catch let error as ThingError {
            throw ThingRefusal(error)
        } catch let error as CareError {
            throw ThingRefusal(error)
        } catch let refusal as ThingRefusal {
            throw refusal
        } catch {
            throw .unreadable("the entry cannot be read: export the calendar once more")
        }
    }

    // MARK: Days and times

    /// A day, and a time of the account's wall clock. Instants and times of other zones are converted; those without a zone
    /// are taken as they stand.
    private mutating func moment(_ property: CalendarReader.Property) throws(ThingRefusal) -> (CivilDay, TimeOfDay?) {
        let value = property.value.uppercased()
        guard let found = value.wholeMatch(of: #/(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z)?)?/#),
            let day = CivilDay("\(found.1)-\(found.2)-\(found.3)")
        else { throw .refused(code: "unreadable_day", "its day cannot be read: export the calendar once more") }
        guard let hour = found.4, let minute = found.5 else { return (day, nil) }
        guard let time = try? TimeOfDay(alarm: "\(hour):\(minute)") else {
            throw .refused(code: "unreadable_day", "its time cannot be read: export the calendar once more")
        }
        if found.6 != nil {
            return moved(Instant("\(day)T\(time):00Z") ?? options.zone.firstInstant(on: day, at: time))
        }
        guard let name = property.parameters["TZID"] else { return (day, time) }
        guard let zone = options.zoneNamed(name) else {
            warnings.append("the time zone \"\(name.prefix(40))\" is unknown, so its times are taken as they stand")
            return (day, time)
        }
        return moved(zone.firstInstant(on: day, at: time))
    }

    private func moved(_ instant: Instant) -> (CivilDay, TimeOfDay?) {
        (options.zone.date(at: instant), options.zone.timeOfDay(at: instant))
    }

    // MARK: Recurrence

    private static let units: [String: Recurrence.Unit] = [
        "DAILY": .days, "WEEKLY": .weeks, "MONTHLY": .months, "YEARLY": .years,
    ]
    private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    /// The rule as rule 10.8 knows it.
    ///
    /// - Throws: ``ThingRefusal`` for a rule beyond that, ``ThingError``.
    private mutating func recurrence(_ start: CivilDay) throws -> Recurrence? {
        let rules = component.properties.filter { $0.name == "RRULE" }
        guard let rule = rules.first else { return nil }
        func beyond() -> ThingRefusal {
            .refused(
                code: "invalid_recurrence",
                "it repeats by \(rule.value.prefix(80)), which things cannot: record it with every 1-99 days, weeks, months or years"
            )
        }
        if rules.count > 1 { throw beyond() }
        var parts: [String: String] = [:]
        for part in rule.value.uppercased().split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { throw beyond() }
            parts[pair[0]] = pair[1]
        }
        guard let unit = Self.units[parts["FREQ"] ?? ""], let every = Int(parts["INTERVAL"] ?? "1") else {
            throw beyond()
        }
        let known: Set = ["FREQ", "INTERVAL", "UNTIL", "COUNT", "WKST", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS"]
        guard known.isSuperset(of: parts.keys), isPlain(parts, unit, start) else { throw beyond() }
        var recurrence = try Recurrence(every: every, unit)
        if let until = parts["UNTIL"] {
            let end = try moment(CalendarReader.Property(name: "UNTIL", parameters: [:], value: until)).0
            recurrence = try Recurrence(every: every, unit, until: end)
        } else if let text = parts["COUNT"] {
            guard let count = Int(text), count > 0 else { throw beyond() }
            if count == 1 { return nil }
            // A series that ends after 2099 has no end here.
            if let end = recurrence.day(after: start, steps: min(count - 1, 40_000)) {
                recurrence = try Recurrence(every: every, unit, until: end)
            }
        }
        return recurrence
    }

    /// Whether the days of a rule are those of its start, said once more, or the last day of months that are too short.
    private mutating func isPlain(_ parts: [String: String], _ unit: Recurrence.Unit, _ start: CivilDay) -> Bool {
        let (_, month, day) = start.components
        let days = parts["BYMONTHDAY"]?.split(separator: ",").map { Int($0) }
        if let weekday = parts["BYDAY"] {
            guard unit == .weeks, weekday == Self.weekdays[start.weekday - 1] else { return false }
        }
        if let text = parts["BYMONTH"] {
            guard unit == .years, text == String(month) else { return false }
        }
        if let position = parts["BYSETPOS"] {
            // The last of 28, 29, 30 and 31 that a month has, as calendars of Cherish write it.
            guard position == "-1", let days, let last = days.last ?? nil, days == (28...max(28, last)).map({ $0 }),
                day >= 28, unit == .months || unit == .years
            else { return false }
            if last > day {
                warnings.append("the series was about day \(last) of each month; from here on it keeps day \(day)")
            }
            return true
        }
        guard let days else {
            if day > 28, unit == .months {
                warnings.append("months without day \(day) have the thing on their last day")
            }
            return true
        }
        let isLast = days == [-1] && day == 31
        return unit == .months && (days == [day] || isLast) || unit == .years && days == [day]
    }

    // MARK: Alarms

    /// Those that a thing can have; nil without alarms, which leaves the alerts to rule 10.4.
    private mutating func alerts(_ day: CivilDay, _ time: TimeOfDay?) -> [ThingAlert]? {
        if component.alarms.isEmpty { return nil }
        var alerts: [ThingAlert] = []
        for alarm in component.alarms {
            guard let trigger = alarm.first("TRIGGER"), let alert = alert(trigger, day, time),
                alerts.count < ThingAlert.most
            else {
                warnings.append("an alarm that things cannot have is left out")
                continue
            }
            alerts.append(alert)
        }
        return alerts
    }

    private func alert(_ trigger: CalendarReader.Property, _ day: CivilDay, _ time: TimeOfDay?) -> ThingAlert? {
        if trigger.parameters["RELATED"]?.uppercased() == "END" { return nil }
        if trigger.parameters["VALUE"]?.uppercased() == "DATE-TIME" {
            var entry = self
            guard let (alertDay, alertTime) = try? entry.moment(trigger), let alertTime else { return nil }
            return daysBefore(day - alertDay, alertTime)
        }
        guard let minutes = Self.minutes(trigger.value.uppercased()) else { return nil }
        if time != nil, minutes <= 0, ThingAlert.minuteRange.contains(-minutes) { return .minutesBefore(-minutes) }
        let minute = (time?.minuteOfDay ?? 0) + minutes
        let days = Int((Double(minute) / 1_440).rounded(.down))
        return TimeOfDay(minuteOfDay: minute - days * 1_440).flatMap { daysBefore(-days, $0) }
    }

    /// - Parameter dates: from that of the alert to that of the thing. In the small hours it may still be the day before
    ///   (rule 13.4).
    private func daysBefore(_ dates: Int, _ time: TimeOfDay) -> ThingAlert? {
        let days = time < options.zone.dayEnd.time ? dates + 1 : dates
        return ThingAlert.dayRange.contains(days) ? .daysBefore(days, at: time) : nil
    }

    /// A duration in minutes (3.3.6); nil for other text.
    private static func minutes(_ text: String) -> Int? {
        guard
            let found = text.wholeMatch(
                of: #/([+-]?)P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:\d{1,8}S)?)?/#)
        else { return nil }
        func number(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
        let minutes = number(found.2) * 10_080 + number(found.3) * 1_440 + number(found.4) * 60 + number(found.5)
        return found.1 == "-" ? -minutes : minutes
    }
}
