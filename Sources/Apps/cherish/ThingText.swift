import CherishCore
import CherishService
import CherishStore

/// Formats things for a terminal.
enum ThingText {
    static func table(_ views: [ThingView]) -> Table {
        Table(
            [
                Table.Column(title: "THING"), Table.Column(title: ""), Table.Column(title: "TITLE"),
                Table.Column(title: "DUE"), Table.Column(title: "TIME"), Table.Column(title: "STATE"),
                Table.Column(title: "DAYS LEFT", isNumber: true), Table.Column(title: "CATEGORY"),
                Table.Column(title: "BOUGHT"), Table.Column(title: "NEXT ALERT"), Table.Column(title: "TAGS"),
            ],
            rows: views.map { view in
                let thing = view.thing
                return [
                    thing.id.short, (thing.isFavourite ? "⭐" : "") + thing.kind.picture, thing.title.description,
                    thing.due.day.description, thing.due.time?.description ?? "", state(view),
                    thing.isDone ? "" : "\(view.daysLeft)", thing.category?.description ?? "",
                    thing.boughtOn?.description ?? "",
                    view.nextAlertAt.map(view.clock.moment) ?? "",
                    view.tags.map(\.name.description).joined(separator: ", "),
                ]
            })
    }

    private static func state(_ view: ThingView) -> String {
        guard let end = view.thing.end else { return view.state.rawValue }
        return "\(end.outcome?.words ?? "done") \(end.completedOn)"
    }

    /// - Parameter store: where it was bought, if the thing says so.
    static func detail(_ view: ThingView, store: Store? = nil) -> String {
        let thing = view.thing
        let time = thing.due.time.map { " at \($0)" } ?? ""
        var lines = [
            "\(thing.kind.picture) \(thing.title)   \(view.state.rawValue)",
            line("kind", thing.kind.rawValue),
            line("due", "\(thing.due.day)\(time)\(thing.isDone ? "" : ", \(daysLeft(view.daysLeft))")"),
        ]
        if let end = thing.end {
            let outcome = end.outcome.map { ", \($0.words)" } ?? ""
            lines.append(line("done", "\(view.clock.text(end.recordedAt))\(outcome)"))
        }
        if let category = thing.category { lines.append(line("category", category.description)) }
        if let boughtOn = thing.boughtOn { lines.append(line("bought", boughtOn.description)) }
        if let store { lines.append(line("store", "\(store.name) (\(store.country))")) }
        if let number = thing.orderNumber { lines.append(line("order", number.description)) }
        if let recurrence = thing.recurrence { lines.append(line("recurs", words(recurrence))) }
        lines.append(line("alerts", alerts(view)))
        if !view.pastAlerts.isEmpty, !thing.isDone {
            let past = view.pastAlerts.map(\.description).joined(separator: ", ")
            lines.append(line("", "past already, and not planned: \(past)"))
        }
        if let next = view.nextAlertAt { lines.append(line("next", view.clock.text(next))) }
        if thing.isFavourite || !view.tags.isEmpty {
            let marks = (thing.isFavourite ? ["favourite"] : []) + view.tags.map(\.name.description)
            lines.append(line("tags", marks.joined(separator: ", ")))
        }
        if let note = thing.note { lines.append(line("note", note.description)) }
        lines.append(line("id", thing.id.description))
        return lines.joined(separator: "\n")
    }

    private static func line(_ name: String, _ text: String) -> String {
        "   \(name.fitted(toWidth: 10)) \(text)"
    }

    private static func daysLeft(_ days: Int) -> String {
        switch days {
        case 0: "today"
        case 1: "tomorrow"
        case -1: "yesterday"
        case 2...: "in \(days.counted("day"))"
        default: "\((-days).counted("day")) ago"
        }
    }

    private static func words(_ recurrence: Recurrence) -> String {
        let base = recurrence.base == .due ? "from its due day" : "from its completion"
        return "every \(recurrence.interval), \(base)" + (recurrence.until.map { ", until \($0)" } ?? "")
    }

    private static func alerts(_ view: ThingView) -> String {
        let thing = view.thing
        let alerts = thing.alerts(view.warningDays)
        if alerts.isEmpty { return "none" }
        var text = alerts.map(\.description).joined(separator: ", ")
        if thing.repetition != .once { text += ", then \(thing.repetition.rawValue)" }
        if thing.chosenAlerts == nil { text += " by default" }
        return thing.pushesEnabled ? text : text + ", pushes off"
    }
}

extension Thing.Kind {
    /// For a terminal; each takes two columns.
    var picture: String {
        switch self {
        case .pickup: "📦"
        case .giveBack: "🔁"
        case .reminder: "⏰"
        case .food: "🥛"
        }
    }
}

extension ThingCompletion.Outcome {
    /// In plain words.
    var words: String {
        switch self {
        case .eaten: "eaten"
        case .thrownAway: "thrown away"
        }
    }
}
