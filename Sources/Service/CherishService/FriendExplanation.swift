import CherishCore
import CherishStore

/// Explains a plant's affection and due date, and what comes next, in words.
public struct FriendExplanation {
    public let plant: PlantExplanation
    /// The plant as it is now.
    let present: Plant
    let account: Account
    let tags: [Tag]
    let clock: WallClock
    /// The pushes planned around the day, ended or pending.
    let pushes: [PushRecord]
    /// How far the account's calendar is scheduled, if that is ahead of now; nil otherwise.
    let calendarAheadUntil: Instant?

    init(
        _ plant: PlantExplanation, of present: Plant, account: Account, tags: [Tag], clock: WallClock,
        pushes: [PushRecord], calendarAheadUntil: Instant?
    ) {
        self.calendarAheadUntil = calendarAheadUntil
        self.plant = plant
        self.present = present
        self.account = account
        self.tags = tags
        self.clock = clock
        self.pushes = pushes
    }

    /// The date and the time of day of an instant, in the account's zone.
    public func localTime(of instant: Instant) -> (date: CivilDay, time: TimeOfDay) {
        (clock.date(instant), clock.time(instant))
    }

    public var document: FriendExplanationDocument { FriendExplanationDocument(self) }

    /// The whole explanation, in paragraphs.
    public var lines: [String] {
        guard let then = plant.plant else {
            return ["On \(plant.day) \(present.nickname) was not registered yet."]
        }
        let dDay = then.dDay(on: plant.day)
        let moment =
            plant.isPast ? "At the end of \(plant.day)" : "On \(plant.day), told at \(clock.text(plant.instant)),"
        let removed = then.archivedAt == nil ? "" : " The plant is removed."
        var lines = ["\(moment) \(then.nickname) is \(dDay.condition.rawValue), \(dDay.label).\(removed)"]
        func add(_ title: String, _ paragraph: [String]) {
            lines += ["", title]
            lines += (paragraph.isEmpty ? ["nothing"] : paragraph).map { "  \($0)" }
        }
        if let last = then.pausedDays.lastDay(from: plant.day), !plant.isPast {
            lines.append("It is paused until \(last) (rule 13.1).")
        }
        add("Affection \(then.affection.points) of \(Affection.full):", affection)
        add("Due on \(then.dueOn):", dueDate)
        add("Around \(plant.day):", around)
        add("To come:", upcoming)
        if let calendarAheadUntil { lines += ["", clock.warning(calendarAheadUntil: calendarAheadUntil)] }
        return lines
    }

    /// What each watering earned, the running total, and why it did not earn more.
    var affection: [String] {
        if plant.affection.earnings.isEmpty { return ["never watered"] }
        return plant.affection.earnings.map { earning in
            let watering = earning.watering
            let head = "watering \(watering.number), \(watering.wateredOn) by \(watering.method.rawValue): "
            let parts = earned(earning) + earning.shortfalls.map { FriendExplanation.words($0) }
            return head + parts.joined(separator: "; ")
        }
    }

    private func earned(_ earning: LedgerStatement.Earning) -> [String] {
        plant.affection.lines.filter { $0.row.entry.wateringNumber == earning.watering.number }.map { line in
            let isLate = line.row.gainedAt != earning.watering.recordedAt
            let later = isLate ? " on \(clock.zone.day(at: line.row.gainedAt)) (rule 4.4)" : ""
            return "+\(line.row.entry.points) \(line.row.entry.reason.rawValue)\(later), \(line.sum) in all"
        }
    }

    static func words(_ shortfall: LedgerStatement.Shortfall) -> String {
        switch shortfall {
        case .notFirstOfDay(let first): "nothing, watering \(first) was the first of that day (rule 3.5)"
        case .full(.contact): "nothing, affection was full (rule 4.2)"
        case .full(let reason): "nothing for \(reason.rawValue), affection was full (rule 4.2)"
        case .capped(let reason): "no more for \(reason.rawValue), \(Affection.full) is full (rule 4.2)"
        case .notWritten(let reason): "no \(reason.rawValue), which would earn up to 8 (rule 4.1)"
        }
    }

    /// What set the due date and the previous ones.
    var dueDate: [String] {
        guard let last = plant.dueDates.last else { return [] }
        let before = plant.dueDates.dropLast().suffix(3).reversed().map {
            "before: \($0.dueOn), \(FriendExplanation.words($0))"
        }
        let alarm: [String] =
            switch plant.alarm {
            case nil, .planned?: []
            case .reached(let at)?: ["its alarm came at \(clock.text(at)); each due date has one (rule 7.2)"]
            case .notAgain?: ["its alarm came before; each due date has one (rule 7.2)"]
            case .wasPast?: ["it has no alarm: its alarm time was past when it was set (rule 7.2)"]
            }
        return [FriendExplanation.words(last)] + alarm + before
    }

    /// What set a due date.
    static func words(_ step: DueDateStep) -> String {
        switch step.cause {
        case .registration(let cycle):
            step.dueOn == step.setOn + cycle.days
                ? "registered on \(step.setOn), cycle of \(cycle.days.counted("day")) (rule 1.4)"
                : "registered on \(step.setOn), spread over the cycle of \(cycle.days.counted("day")) (rule 1.9)"
        case .restoration(let cycle): "brought back on \(step.setOn), cycle of \(cycle.days.counted("day"))"
        case .watering(let watering):
            "watered on \(watering.wateredOn), cycle of \((step.dueOn - watering.wateredOn).counted("day")) (rule 3.3)"
        case .postponement(let from, let days):
            "postponed on \(step.setOn) by \(days.counted("day")) from \(from) (rule 6.2)"
        case .edit(let cycle, let anchor):
            step.dueOn == anchor + cycle.days
                ? "cycle changed on \(step.setOn) to \(cycle.days.counted("day")), counted from \(anchor) (rule 1.7)"
                : "cycle changed on \(step.setOn) to \(cycle.days.counted("day")), and never earlier than that day (rule 1.7)"
        case .pause:
            step.withersOn == step.dueOn + 1
                ? "moved on \(step.setOn), because of a pause (rule 13.2)"
                : "as before on \(step.setOn), but it cannot wither before \(step.withersOn), because of a pause (rule 13.1)"
        case .outage: "moved, because its push of \(step.setOn) could not leave (rule 13.3)"
        }
    }

    /// The events and pushes around the day, in chronological order.
    var around: [String] {
        let events = plant.events.map { event -> (at: Instant, line: String) in
            let due = event.dueOn.map { ", due on \($0)" } ?? ""
            return (event.at, "\(clock.text(event.at))  \(FriendExplanation.words(event.kind))\(due)")
        }
        let ended = pushes.map { push -> (at: Instant, line: String) in
            let reason = push.reason.map { " (\($0.rawValue))" } ?? ""
            let outcome = (push.outcome?.rawValue ?? "pending") + reason
            let name = "push \(push.topic) for \(push.occursOn)"
            return (push.plannedAt, "\(clock.text(push.plannedAt))  \(name): \(outcome)")
        }
        return (events + ended).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map { $0.element.line }
    }

    /// An event in a few words.
    public static func words(_ kind: PlantEvent.Kind) -> String {
        switch kind {
        case .registered: "registered"
        case .restored: "brought back"
        case .cycleChanged(let days): "cycle changed to \(days.counted("day"))"
        case .watered(let watering, let points):
            "watering \(watering.number) by \(watering.method.rawValue)"
                + (watering.isBackdated ? " for \(watering.wateredOn)" : "") + ", +\(points)"
        case .reviewed(let number, let reason, let points):
            "\(reason.rawValue) for watering \(number), +\(points)"
        case .postponed(let days): "postponed by \(days.counted("day"))"
        case .pauseMoved: "moved by a pause"
        case .excused: "its push could not leave"
        case .withered: "withered"
        case .revived: "revived"
        case .removed: "removed"
        }
    }

    var upcoming: [String] {
        plant.upcoming.map { upcoming in
            switch upcoming.kind {
            case .withers: return "\(clock.text(upcoming.at))  withers"
            case .push(let topic):
                let obstacle = upcoming.obstacle.map { ", not sent, because \($0.meaning)" } ?? ""
                return "\(clock.text(upcoming.at))  push \(topic)\(obstacle)"
            }
        }
    }
}

/// A ``FriendExplanation`` as rows.
public struct FriendExplanationDocument: Codable, Sendable {
    struct Row: Codable, Sendable {
        let wateringNumber: Int
        let reason: String
        let points, sum: Int
        let gainedAt: String
    }

    struct Earning: Codable, Sendable {
        let wateringNumber: Int
        let wateredOn: String
        let points: Int
        let shortfalls: [String]
    }

    struct DueDate: Codable, Sendable {
        let dueOn, setAt, setOn, source, why: String
    }

    struct Event: Codable, Sendable {
        let at, day, event: String
        let dueOn: Nullable<String>
    }

    struct Upcoming: Codable, Sendable {
        let at, kind: String
        let obstacle: Nullable<String>
    }

    let plantId, on, at, timeZone: String
    let past: Bool
    let calendarAheadUntil: Nullable<String>
    let plant: Nullable<PlantDocument>
    let ledger: [Row]
    let waterings: [Earning]
    /// Newest first.
    let dueDates: [DueDate]
    let events: [Event]
    let pushes: [PushDocument]
    let upcoming: [Upcoming]

    init(_ explanation: FriendExplanation) {
        let explained = explanation.plant
        plantId = explanation.present.id.description
        on = explained.day.description
        at = explained.instant.description
        timeZone = explanation.account.timeZone
        past = explained.isPast
        calendarAheadUntil = Nullable(explanation.calendarAheadUntil?.description)
        plant = Nullable(
            explained.plant.map {
                PlantDocument($0, tags: explanation.tags, on: explained.day, language: explanation.account.language)
            })
        ledger = explained.affection.lines.map { line in
            Row(
                wateringNumber: line.row.entry.wateringNumber, reason: line.row.entry.reason.rawValue,
                points: line.row.entry.points, sum: line.sum, gainedAt: line.row.gainedAt.description)
        }
        waterings = explained.affection.earnings.map { earning in
            Earning(
                wateringNumber: earning.watering.number, wateredOn: earning.watering.wateredOn.description,
                points: earning.points, shortfalls: earning.shortfalls.map { FriendExplanation.words($0) })
        }
        dueDates = explained.dueDates.reversed().map { step in
            DueDate(
                dueOn: step.dueOn.description, setAt: step.setAt.description, setOn: step.setOn.description,
                source: step.source.rawValue, why: FriendExplanation.words(step))
        }
        events = explained.events.map { event in
            Event(
                at: event.at.description, day: event.day.description, event: FriendExplanation.words(event.kind),
                dueOn: Nullable(event.dueOn?.description))
        }
        pushes = explanation.pushes.map(PushDocument.init)
        upcoming = explained.upcoming.map(Upcoming.init)
    }
}

extension FriendExplanationDocument.Upcoming {
    init(_ upcoming: PlantExplanation.Upcoming) {
        at = upcoming.at.description
        obstacle = Nullable(upcoming.obstacle?.rawValue)
        switch upcoming.kind {
        case .withers: kind = "withers"
        case .push(let topic): kind = topic.label
        }
    }
}
