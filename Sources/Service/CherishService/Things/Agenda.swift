import CherishCore
import CherishStore

/// Everything that is due or happened on some days (rule 10.11).
public struct AgendaView: Sendable {
    /// Something on a day.
    public struct Entry: Sendable {
        /// What it is, or what happened.
        public enum Kind: Hashable, Sendable {
            case thing(Thing.Kind)
            case plantDue, plantProjected, watered, birthday

            /// As documents show it.
            public var name: String {
                switch self {
                case .thing(let kind): kind.rawValue
                case .plantDue: "plant_due"
                case .plantProjected: "plant_projected"
                case .watered: "watered"
                case .birthday: "birthday"
                }
            }
        }

        public let kind: Kind
        /// The id of the thing or the plant.
        public let id: String
        public let title: String
        /// When on the day; nil where the day is enough.
        public let time: TimeOfDay?
        /// Of a thing; nil for friends.
        public let state: Thing.State?
        /// Of the tags, in the order of their names.
        public let colours: [TagColour]
    }

    public let first, last, today: CivilDay
    /// The days with entries, in their order.
    public let days: [(day: CivilDay, entries: [Entry])]
    public let language: Language

    public var document: AgendaDocument { AgendaDocument(self) }
}

/// Everything that is due or happened on some days.
public struct AgendaDocument: Codable, Sendable {
    struct Entry: Codable, Sendable {
        let kind, id, title: String
        let time, state: Nullable<String>
        let colours: [String]

        init(_ entry: AgendaView.Entry) {
            kind = entry.kind.name
            id = entry.id
            title = entry.title
            time = Nullable(entry.time?.description)
            state = Nullable(entry.state?.rawValue)
            colours = entry.colours.map(\.description)
        }
    }

    struct Day: Codable, Sendable {
        let day: String
        let entries: [Entry]
    }

    let from, to: String
    /// Without days on which there is nothing.
    let days: [Day]

    init(_ agenda: AgendaView) {
        from = agenda.first.description
        to = agenda.last.description
        days = agenda.days.map { Day(day: $0.day.description, entries: $0.entries.map(Entry.init)) }
    }
}

extension GardenService {
    /// How many days an agenda has at most (rule 10.11).
    public static let longestAgenda = 100

    /// What the account has to do and has done: things due, friends to water now and later, waterings and birthdays.
    /// Things that were done are not in it.
    ///
    /// - Parameters:
    ///   - first: nil means today, or `last` if that is earlier.
    ///   - last: nil means 30 days after the first.
    /// - Throws: ``RequestError/invalidSpan(mostDays:)``, ``RequestError/tooManyEntries(limit:)``.
    public func agenda(from first: CivilDay?, to last: CivilDay?) async throws -> AgendaView {
        let limit = GardenService.mostCalendarEntries
        let seen = try await garden.agenda(
            from: first, to: last, mostDays: GardenService.longestAgenda, limit: limit)
        let today = try today(seen.viewpoint)
        let from = first ?? min(today, last ?? today)
        let to = last ?? from + 30
        guard from <= to, to - from < GardenService.longestAgenda else {
            throw RequestError.invalidSpan(mostDays: GardenService.longestAgenda - 1)
        }
        var entries: [CivilDay: [AgendaView.Entry]] = [:]
        var count = 0
        func add(_ entry: AgendaView.Entry, on day: CivilDay) throws(RequestError) {
            guard (from...to).contains(day) else { return }
            count += 1
            if count > limit || seen.isCut { throw .tooManyEntries(limit: limit) }
            entries[day, default: []].append(entry)
        }
        let warningDays = seen.viewpoint.account.warningDays
        for thing in ThingOrder.due.sorted(seen.things.things) {
            try add(
                AgendaView.Entry(
                    kind: .thing(thing.kind), id: thing.id.description, title: thing.title.description,
                    time: thing.due.time, state: thing.state(on: today, warningDays: warningDays),
                    colours: seen.things.tags(of: thing.id).map(\.colour)),
                on: thing.due.day)
        }
        for plant in seen.plants {
            let colours = seen.tags.tags(of: plant.id).map(\.colour)
            func entry(_ kind: AgendaView.Entry.Kind) -> AgendaView.Entry {
                AgendaView.Entry(
                    kind: kind, id: plant.id.description, title: plant.nickname.description,
                    time: kind == .plantDue || kind == .plantProjected ? plant.alarmTime : nil, state: nil,
                    colours: colours)
            }
            let days = CalendarDay.days(
                of: plant, waterings: seen.waterings[plant.id] ?? [], from: from, to: to, today: today)
            for day in days {
                try add(entry(AgendaView.Entry.Kind(day.kind)), on: day.day)
            }
            var birthday = plant.birthday?.next(onOrAfter: from)
            while let day = birthday, day <= to {
                try add(entry(.birthday), on: day)
                birthday = plant.birthday?.next(onOrAfter: day + 1)
            }
        }
        return AgendaView(
            first: from, last: to, today: today,
            days: entries.sorted { $0.key < $1.key }.map { (day: $0.key, entries: $0.value) },
            language: seen.viewpoint.account.language)
    }
}

extension AgendaView.Entry.Kind {
    fileprivate init(_ kind: CalendarDay.Kind) {
        self =
            switch kind {
            case .watered: .watered
            case .due: .plantDue
            case .projected: .plantProjected
            }
    }
}
