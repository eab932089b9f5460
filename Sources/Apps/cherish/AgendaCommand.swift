import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import Foundation

struct AgendaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agenda",
        abstract: "Shows everything that an account has to do and has done, day by day.",
        discussion: """
            Each month has a view of its days. A dot stands for a tag's colour; NO_COLOR turns colours off.

            EXAMPLE
              cherish agenda minji@example.com --from 2027-03-01 --to 2027-03-31
            """)
    @Argument(help: "The account's e-mail or id.") var account: String
    @Option(help: "The first day; today without it.") var from: CivilDay?
    @Option(help: "The last day, at most 99 days later; 30 days after the first without it.") var to: CivilDay?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.withGarden(.account(account)) { garden in
            let agenda: AgendaView
            do {
                agenda = try await garden.agenda(from: from, to: to)
            } catch RequestError.invalidSpan(let mostDays) {
                throw UsageError("--from must not be after --to, and they lie \(mostDays) days apart at most")
            }
            try Output.print(
                common.output, json: agenda.document, table: AgendaText.table(agenda),
                text: AgendaText(hasColours: Terminal.hasColours).text(agenda))
        }
    }
}

/// Formats an agenda for a terminal: a view of each month, then the days on which there is something.
struct AgendaText {
    let hasColours: Bool

    static func table(_ agenda: AgendaView) -> Table {
        Table(
            ["DAY", "TIME", "KIND", "ID", "TITLE", "STATE", "COLOURS"].map { Table.Column(title: $0) },
            rows: agenda.days.flatMap { day in
                day.entries.map { entry in
                    [
                        day.day.description, entry.time?.description ?? "", entry.kind.name, entry.id, entry.title,
                        entry.state?.rawValue ?? "", entry.colours.map(\.description).joined(separator: " "),
                    ]
                }
            })
    }

    func text(_ agenda: AgendaView) -> String {
        var months: [[CivilDay]] = []
        for day in agenda.first...agenda.last {
            if let last = months.last?.last, last.components.month == day.components.month {
                months[months.count - 1].append(day)
            } else {
                months.append([day])
            }
        }
        let entries = Dictionary(uniqueKeysWithValues: agenda.days.map { ($0.day, $0.entries) })
        var blocks = months.map { month($0, entries, today: agenda.today) }
        blocks += agenda.days.map { day($0.day, $0.entries, today: agenda.today) }
        if agenda.days.isEmpty { blocks.append("nothing from \(agenda.first) to \(agenda.last)") }
        return blocks.joined(separator: "\n\n")
    }

    // MARK: Months

    /// The days of a month as a calendar, weeks beginning on Monday. Below each day are up to three dots, or the number
    /// of entries if there are more.
    private func month(
        _ days: [CivilDay], _ entries: [CivilDay: [AgendaView.Entry]], today: CivilDay
    ) -> String {
        let (year, month, _) = days[0].components
        var lines = [
            bold("\(AgendaText.months[month - 1]) \(year)"),
            AgendaText.weekdays.map { "   \($0.prefix(2))" }.joined(),
        ]
        for week in Dictionary(grouping: days, by: { $0 + (1 - $0.weekday) }).sorted(by: { $0.key < $1.key }) {
            let cells = (0..<7).map { offset -> (top: String, bottom: String) in
                let day = week.key + offset
                guard week.value.contains(day) else { return (String(repeating: " ", count: 5), "     ") }
                let number = "\(day.components.day)".fitted(toWidth: 2, isRight: true)
                let label = day == today ? "[\(number)]" : " \(number) "
                return (" " + (day == today ? bold(label) : label), dots(entries[day] ?? []))
            }
            lines.append(cells.map(\.top).joined().trimmingTrailingSpaces)
            lines.append(cells.map(\.bottom).joined().trimmingTrailingSpaces)
        }
        lines.removeAll(where: \.isEmpty)
        return lines.joined(separator: "\n")
    }

    /// Five columns.
    private func dots(_ entries: [AgendaView.Entry]) -> String {
        guard entries.count <= 3 else { return " \("\(entries.count)".fitted(toWidth: 3, isRight: true)) " }
        let marks = entries.map { coloured("•", $0.colours.first) }.joined()
        return String(repeating: " ", count: 4 - entries.count) + marks + " "
    }

    // MARK: Days

    private func day(_ day: CivilDay, _ entries: [AgendaView.Entry], today: CivilDay) -> String {
        let name = AgendaText.weekdays[day.weekday - 1]
        let lines = entries.map { entry in
            let time = (entry.time?.description ?? "").fitted(toWidth: 5)
            let state = entry.state.map { "   \(stressed($0))" } ?? ""
            let marks = entry.colours.isEmpty ? "" : "   " + entry.colours.map { coloured("●", $0) }.joined()
            return "  \(time)  \(entry.kind.picture) \(entry.kind.sentence(entry.title.harmless))\(state)\(marks)"
        }
        return ([bold("\(name) \(day)\(day == today ? ", today" : "")")] + lines).joined(separator: "\n")
    }

    /// What is late or about to expire is red, and says so by its word.
    private func stressed(_ state: Thing.State) -> String {
        switch state {
        case .overdue, .expiring, .expired: escaped("1;31", state.rawValue)
        default: state.rawValue
        }
    }

    // MARK: Colours

    private func coloured(_ text: String, _ colour: TagColour?) -> String {
        guard let colour else { return text }
        let (red, green, blue) = colour.components
        return escaped("38;2;\(red);\(green);\(blue)", text)
    }

    private func bold(_ text: String) -> String { escaped("1", text) }

    /// Select Graphic Rendition of ECMA-48.
    private func escaped(_ parameters: String, _ text: String) -> String {
        hasColours ? "\u{1B}[\(parameters)m\(text)\u{1B}[0m" : text
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

extension AgendaView.Entry.Kind {
    fileprivate var picture: String {
        switch self {
        case .thing(let kind): kind.picture
        case .plantDue: "💧"
        case .plantProjected: "🌱"
        case .watered: "✅"
        case .birthday: "🎂"
        }
    }

    fileprivate func sentence(_ title: String) -> String {
        switch self {
        case .thing: title
        case .plantDue: "\(title) wants water"
        case .plantProjected: "\(title) will want water"
        case .watered: "\(title) was watered"
        case .birthday: "\(title) has a birthday"
        }
    }
}
