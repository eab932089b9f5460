import CherishCore

// Things in an account's document.

struct ThingEntry: Codable {
    var id: String
    var kind: String
    var title: String
    @OrNull var note: String?
    var dueOn: String
    @OrNull var dueTime: String?
    @OrNull var category: String?
    @OrNull var boughtOn: String?
    @OrNull var storeId: String?
    @OrNull var orderNumber: String?
    /// Like `3d@09:00` and `30m`; null for those of rule 10.4.
    @OrNull var alerts: [String]?
    var notice: String
    @OrNull var recurrence: RecurrenceEntry?
    /// The first day of the series.
    var seriesStart: String
    var completionCount: Int
    @OrNull var done: EndEntry?
    var pushesEnabled: Bool
    var favourite: Bool
    /// Tag names.
    @OrNull var tags: [String]?
    var createdAt: String
    @OrNull var version: Int?
    var modifiedAt: String
    @OrNull var nextAlert: AlertEntry?
    @OrNull var reachedAlert: AlertEntry?
    @OrNull var completions: [CompletionEntry]?
}

struct RecurrenceEntry: Codable {
    var every: Int
    var unit: String
    var from: String
    @OrNull var until: String?
}

struct EndEntry: Codable {
    var on: String
    var at: String
    @OrNull var outcome: String?
}

struct AlertEntry: Codable {
    /// The due day for which it is; null for one that only stands for an alert far ahead.
    @OrNull var on: String?
    var at: String
    var expiresAt: String
    /// The wall-clock time in minutes from the start of the due day.
    @OrNull var wallMinute: Int?
}

struct CompletionEntry: Codable {
    var number: Int
    var completedOn: String
    var recordedAt: String
    @OrNull var outcome: String?
    var dueOn: String
    @OrNull var nextDueOn: String?
    var seriesStart: String
    @OrNull var undoneAt: String?
}

// MARK: - Writing

extension ThingEntry {
    init(_ history: ThingHistory, tagNames: [Tag.ID: String], at place: Place) throws {
        let thing = history.thing
        self.init(
            id: thing.id.description, kind: thing.kind.rawValue, title: thing.title.description,
            note: thing.note?.description, dueOn: thing.due.day.description, dueTime: thing.due.time?.description,
            category: thing.category?.description, boughtOn: thing.boughtOn?.description,
            storeId: thing.storeID?.description, orderNumber: thing.orderNumber?.description,
            alerts: thing.chosenAlerts?.map(\.description), notice: thing.repetition.rawValue,
            recurrence: thing.recurrence.map { RecurrenceEntry($0) }, seriesStart: thing.seriesStart.description,
            completionCount: thing.completionCount, done: thing.end.map { EndEntry($0) },
            pushesEnabled: thing.pushesEnabled, favourite: thing.isFavourite,
            tags: try place["tags"].names(of: history.tagIDs, tagNames), createdAt: thing.createdAt.description,
            version: thing.version, modifiedAt: thing.modifiedAt.description,
            nextAlert: thing.plans.next.map { AlertEntry($0) },
            reachedAlert: thing.plans.reached.map { AlertEntry($0) },
            completions: history.completions.map { CompletionEntry($0) })
    }
}

extension RecurrenceEntry {
    fileprivate init(_ recurrence: Recurrence) {
        self.init(
            every: recurrence.every, unit: recurrence.unit.rawValue, from: recurrence.base.rawValue,
            until: recurrence.until?.description)
    }
}

extension EndEntry {
    fileprivate init(_ end: Thing.End) {
        self.init(
            on: end.completedOn.description, at: end.recordedAt.description, outcome: end.outcome?.rawValue)
    }
}

extension AlertEntry {
    fileprivate init(_ alert: ThingPlans.Alert) {
        let planned = alert.planned
        self.init(
            on: planned.ref == ThingPlans.waypoint ? nil : CivilDay(ref: planned.ref).description,
            at: planned.at.description, expiresAt: alert.expiresAt.description, wallMinute: alert.wallMinute)
    }
}

extension CompletionEntry {
    fileprivate init(_ exported: ExportedCompletion) {
        let completion = exported.completion
        self.init(
            number: completion.number, completedOn: completion.completedOn.description,
            recordedAt: completion.recordedAt.description, outcome: completion.outcome?.rawValue,
            dueOn: completion.dueOn.description, nextDueOn: completion.nextDueOn?.description,
            seriesStart: completion.seriesStart.description, undoneAt: exported.undoneAt?.description)
    }
}

// MARK: - Reading

extension ThingEntry {
    func read(at place: Place, of account: Account.ID, tagIDs: [TagName: Tag.ID]) throws -> ThingHistory {
        try place["completions"].requireNumbered((completions ?? []).map(\.number))
        try place["completionCount"].requireCount(completionCount, of: "completions", completions?.count ?? 0)
        let thing = Thing(
            id: try place["id"].identifier(id), accountID: account, kind: try place["kind"].label(kind),
            createdAt: try place["createdAt"].instant(createdAt),
            title: try place["title"].checked { try ThingTitle(title) },
            note: try note.flatMap { text in try place["note"].checked { try ThingNote(text) } },
            isFavourite: favourite, due: try readDue(at: place),
            category: try category.map { text in try place["category"].checked { try FoodCategory(text) } },
            boughtOn: try boughtOn.map { try place["boughtOn"].day($0) },
            storeID: try storeId.map { try place["storeId"].identifier($0) },
            orderNumber: try orderNumber.map { text in try place["orderNumber"].checked { try OrderNumber(text) } },
            chosenAlerts: try readAlerts(at: place["alerts"]), repetition: try place["notice"].label(notice),
            pushesEnabled: pushesEnabled, recurrence: try recurrence.map { try $0.read(at: place["recurrence"]) },
            seriesStart: try place["seriesStart"].day(seriesStart), completionCount: completionCount,
            end: try done.map { try $0.read(at: place["done"]) },
            plans: ThingPlans(
                next: try nextAlert.map { try $0.read(at: place["nextAlert"]) },
                reached: try reachedAlert.map { try $0.read(at: place["reachedAlert"]) }),
            version: try place["version"].version(version),
            modifiedAt: try place["modifiedAt"].instant(modifiedAt))
        try place.checked { try thing.check() }
        guard thing.end == nil || thing.plans.next == nil else {
            throw place["nextAlert"].problem("a thing that is done alerts no more; write null")
        }
        return ThingHistory(
            thing: thing, tagIDs: try place["tags"].tagIDs(tags, tagIDs),
            completions: try place["completions"].each(completions) { try $0.read(at: $1) })
    }

    private func readDue(at place: Place) throws -> ThingDue {
        ThingDue(
            day: try place["dueOn"].day(dueOn),
            time: try dueTime.map { text in try place["dueTime"].checked { try TimeOfDay(alarm: text) } })
    }

    private func readAlerts(at place: Place) throws -> [ThingAlert]? {
        guard let alerts else { return nil }
        return try place.each(alerts) { text, place in try place.checked { try ThingAlert(text) } }
    }
}

extension RecurrenceEntry {
    fileprivate func read(at place: Place) throws -> Recurrence {
        let unit: Recurrence.Unit = try place["unit"].label(self.unit)
        let base: Recurrence.Base = try place["from"].label(from)
        let until = try until.map { try place["until"].day($0) }
        return try place.checked { try Recurrence(every: every, unit, from: base, until: until) }
    }
}

extension EndEntry {
    fileprivate func read(at place: Place) throws -> Thing.End {
        Thing.End(
            completedOn: try place["on"].day(on), recordedAt: try place["at"].instant(at),
            outcome: try outcome.map { try place["outcome"].label($0) })
    }
}

extension AlertEntry {
    fileprivate func read(at place: Place) throws -> ThingPlans.Alert {
        let ref = try on.map { Int(try place["on"].day($0).daysSinceEpoch) } ?? ThingPlans.waypoint
        return ThingPlans.Alert(
            planned: PlannedMoment(ref: ref, at: try place["at"].instant(at)),
            expiresAt: try place["expiresAt"].instant(expiresAt),
            wallMinute: try wallMinute.map { minute in
                guard ThingPlans.Alert.wallMinutes.contains(minute) else {
                    throw place["wallMinute"].problem("\(minute) is too far from the due day; write null")
                }
                return minute
            })
    }
}

extension CompletionEntry {
    fileprivate func read(at place: Place) throws -> ExportedCompletion {
        ExportedCompletion(
            completion: ThingCompletion(
                number: number, completedOn: try place["completedOn"].day(completedOn),
                recordedAt: try place["recordedAt"].instant(recordedAt),
                outcome: try outcome.map { try place["outcome"].label($0) }, dueOn: try place["dueOn"].day(dueOn),
                nextDueOn: try nextDueOn.map { try place["nextDueOn"].day($0) },
                seriesStart: try place["seriesStart"].day(seriesStart)),
            undoneAt: try undoneAt.map { try place["undoneAt"].instant($0) })
    }
}
