import CherishCore
import CherishRuntime
import CherishStore
import Foundation

/// A request to record a thing, not validated yet.
public struct ThingRequest: Sendable {
    public var kind: Thing.Kind
    public var title: String
    /// nil lets the store's days decide (rule 10.9).
    public var dueOn: CivilDay?
    public var time, note, category, orderNumber: String?
    public var boughtOn: CivilDay?
    /// The store's id or name.
    public var store: String?
    /// nil for the alert of rule 10.4; empty for none.
    public var alerts: [ThingAlert]?
    public var repetition = AlertRepetition.once
    public var recurrence: Recurrence?
    /// Names of existing tags of the account.
    public var tags: [String] = []
    public var isFavourite = false
    public var pushesEnabled = true

    public init(kind: Thing.Kind, title: String) {
        (self.kind, self.title) = (kind, title)
    }
}

/// A request to change a thing, not validated yet; nil leaves a part unchanged.
public struct ThingEditRequest: Sendable {
    public var title: String?
    public var dueOn: CivilDay?
    /// Empty removes it.
    public var time, note, category, orderNumber: String?
    public var boughtOn: CivilDay??
    /// The store's id or name; empty removes it. The due day stays.
    public var store: String?
    /// The inner nil brings the alert of rule 10.4 back.
    public var alerts: [ThingAlert]??
    public var repetition: AlertRepetition?
    public var recurrence: Recurrence??
    public var pushesEnabled, isFavourite: Bool?
    public var addedTags: [String] = []
    public var removedTags: [String] = []

    public init() {}
}

/// Selects and sorts things (rule 10.10).
public struct ThingQuery: Sendable {
    /// Whether to select those that were done instead.
    public var areDone = false
    public var kind: Thing.Kind?
    public var state: Thing.State?
    public var category: String?
    /// Only those with all of these tags.
    public var tags: [String] = []
    public var isFavouritesOnly = false
    public var order = ThingOrder.due

    public init() {}
}

/// A thing as its account sees it now.
public struct ThingView: Sendable {
    public let thing: Thing
    /// Sorted by name.
    public let tags: [Tag]
    public let today: CivilDay
    public let warningDays: WarningDays
    public let language: Language
    /// When it alerts next, if nothing changes; nil if it does not.
    public let nextAlertAt: Instant?
    /// Chosen alerts whose time is past.
    public let pastAlerts: [ThingAlert]
    public let clock: WallClock

    init(_ thing: Thing, tags: [Tag], from viewpoint: Viewpoint, in zone: TimeZoneRules) {
        self.thing = thing
        self.tags = tags
        today = zone.day(at: viewpoint.now)
        clock = WallClock(zone: zone)
        warningDays = viewpoint.account.warningDays
        language = viewpoint.account.language
        nextAlertAt = thing.nextAlert(after: viewpoint.now, warningDays, in: zone)
        pastAlerts = thing.pastAlerts(at: viewpoint.now, in: zone)
    }

    public var state: Thing.State { thing.state(on: today, warningDays: warningDays) }
    public var daysLeft: Int { thing.due.day - today }

    public var document: ThingDocument { ThingDocument(self) }
}

extension GardenService {
    /// Records a thing (rules 10.1 and 10.2).
    ///
    /// - Throws: ``ThingError``, ``CareError``.
    public func recordThing(_ request: ThingRequest) async throws -> ThingView {
        var draft = ThingDraft(kind: request.kind, title: try ThingTitle(request.title), dueOn: request.dueOn)
        draft.dueTime = try request.time.map { text throws(CareError) in try TimeOfDay(alarm: text) }
        draft.note = try request.note.flatMap { text throws(ThingError) in try ThingNote(text) }
        draft.category = try request.category.map { text throws(ThingError) in try FoodCategory(text) }
        draft.orderNumber = try request.orderNumber.map { text throws(ThingError) in try OrderNumber(text) }
        draft.boughtOn = request.boughtOn
        if let store = request.store { draft.store = try await knownStore(store) }
        draft.alerts = request.alerts
        draft.repetition = request.repetition
        draft.recurrence = request.recurrence
        draft.isFavourite = request.isFavourite
        draft.pushesEnabled = request.pushesEnabled
        return try await view(of: try await garden.recordThing(draft, tags: try tagNames(request.tags)).thing)
    }

    /// Changes a thing (rule 10.7).
    ///
    /// - Parameter id: the thing's id, or a prefix of at least 8 digits.
    public func editThing(_ id: String, _ request: ThingEditRequest) async throws -> ThingView {
        var edit = ThingEdit()
        edit.title = try request.title.map { text throws(ThingError) in try ThingTitle(text) }
        edit.dueOn = request.dueOn
        if let time = request.time { edit.dueTime = .some(time.isEmpty ? nil : try TimeOfDay(alarm: time)) }
        if let note = request.note { edit.note = .some(try ThingNote(note)) }
        if let category = request.category {
            edit.category = .some(category.isEmpty ? nil : try FoodCategory(category))
        }
        if let number = request.orderNumber { edit.orderNumber = .some(number.isEmpty ? nil : try OrderNumber(number)) }
        edit.boughtOn = request.boughtOn
        if let store = request.store { edit.store = .some(store.isEmpty ? nil : try await knownStore(store)) }
        edit.alerts = request.alerts
        edit.repetition = request.repetition
        edit.recurrence = request.recurrence
        edit.pushesEnabled = request.pushesEnabled
        edit.isFavourite = request.isFavourite
        let tagging = Tagging(adding: try tagNames(request.addedTags), removing: try tagNames(request.removedTags))
        return try await view(of: try await garden.editThing(try await thingID(id), edit, tagging).thing)
    }

    /// Completes a thing (rules 10.7 and 10.8).
    ///
    /// - Parameters:
    ///   - id: the thing's id, or a prefix of at least 8 digits.
    ///   - outcome: for food only; nil means eaten.
    public func completeThing(_ id: String, as outcome: ThingCompletion.Outcome? = nil, fact: Fact = Fact())
        async throws -> ThingView
    {
        try await view(
            of: try await garden.completeThing(
                try await thingID(id), as: outcome, madeAt: fact.madeAt, factID: fact.id
            ).thing)
    }

    /// Undoes the newest completion of a thing (rule 10.8).
    public func reopenThing(_ id: String) async throws -> ThingView {
        try await view(of: try await garden.reopenThing(try await thingID(id)).thing)
    }

    /// Deletes a thing for good (rule 10.7).
    ///
    /// - Returns: the thing as it was.
    public func removeThing(_ id: String) async throws -> ThingView {
        let thing = try await thing(id)
        try await garden.removeThing(thing.thing.id)
        return thing
    }

    /// One thing.
    ///
    /// - Parameter id: the thing's id, or a prefix of at least 8 digits.
    public func thing(_ id: String) async throws -> ThingView {
        let seen = try await garden.detail(of: try await thingID(id))
        guard let view = try views(seen, seen.things).first else { throw CareError.notFound(.thing) }
        return view
    }

    /// The things that match a query (rule 10.10).
    ///
    /// - Throws: ``CareError/notFound(_:)`` for a tag that the account does not have.
    public func things(_ query: ThingQuery = ThingQuery()) async throws -> [ThingView] {
        let seen = try await garden.things(areDone: query.areDone)
        let wanted = try seen.tags(named: try tagNames(query.tags))
        let category = try query.category.map { text throws(ThingError) in try FoodCategory(text) }
        return try views(seen, query.order.sorted(seen.things)).filter { view in
            (query.kind.map { view.thing.kind == $0 } ?? true) && (query.state.map { view.state == $0 } ?? true)
                && (category.map { view.thing.category?.isSame(as: $0) ?? false } ?? true)
                && (view.thing.isFavourite || !query.isFavouritesOnly) && wanted.allSatisfy(view.tags.contains)
        }
    }

    private func views(_ seen: ThingsOverview, _ things: [Thing]) throws -> [ThingView] {
        let zone = try engine.zones.clock(of: seen.viewpoint.account)
        return things.map { ThingView($0, tags: seen.tags(of: $0.id), from: seen.viewpoint, in: zone) }
    }

    func view(of thing: Thing) async throws -> ThingView {
        let seen = try await garden.detail(of: thing.id)
        return try views(seen, [thing])[0]
    }

    /// The id of a thing; a whole one is not looked up.
    func thingID(_ text: String) async throws -> Thing.ID {
        if let whole = UUID(uuidString: text) { return Thing.ID(whole) }
        return try await garden.thing(text).id
    }

    private func tagNames(_ texts: [String]) throws -> [TagName] {
        try texts.map { text throws(CareError) in try TagName(text) }
    }
}

// MARK: - Documents

/// A thing as its account sees it now.
public struct ThingDocument: VersionedDocument {
    /// An alert: `daysBefore` and `time`, or `minutesBefore`.
    struct Alert: Codable, Sendable {
        let daysBefore: Nullable<Int>
        let time: Nullable<String>
        let minutesBefore: Nullable<Int>

        init(_ alert: ThingAlert) {
            switch alert {
            case .daysBefore(let days, let time):
                daysBefore = Nullable(days)
                self.time = Nullable(time.description)
                minutesBefore = Nullable(nil)
            case .minutesBefore(let minutes):
                daysBefore = Nullable(nil)
                time = Nullable(nil)
                minutesBefore = Nullable(minutes)
            }
        }
    }

    /// How it comes back.
    struct Interval: Codable, Sendable {
        let every: Int
        let unit, from: String
        let until: Nullable<String>

        init(_ recurrence: Recurrence) {
            every = recurrence.every
            unit = recurrence.unit.rawValue
            from = recurrence.base.rawValue
            until = Nullable(recurrence.until?.description)
        }
    }

    let id, accountId, kind, title: String
    let note: Nullable<String>
    let dueOn: String
    let dueTime: Nullable<String>
    let state: String
    let daysLeft: Int
    let category, boughtOn, storeId, orderNumber: Nullable<String>
    /// Those in effect, whether the account chose them or not.
    let alerts: [Alert]
    let alertsChosen: Bool
    /// Chosen alerts whose time is past: they do not ring.
    let pastAlerts: [Alert]
    /// How it goes on after the last alert.
    let notice: String
    let recurrence: Nullable<Interval>
    let nextAlertAt: Nullable<String>
    let pushesEnabled: Bool
    let tags: [String]
    let favourite: Bool
    let completedAt, completedAs: Nullable<String>
    public let version: Int
    let modifiedAt: String

    init(_ view: ThingView) {
        let thing = view.thing
        id = thing.id.description
        accountId = thing.accountID.description
        kind = thing.kind.rawValue
        title = thing.title.description
        note = Nullable(thing.note?.description)
        dueOn = thing.due.day.description
        dueTime = Nullable(thing.due.time?.description)
        state = view.state.rawValue
        daysLeft = view.daysLeft
        category = Nullable(thing.category?.description)
        boughtOn = Nullable(thing.boughtOn?.description)
        storeId = Nullable(thing.storeID?.description)
        orderNumber = Nullable(thing.orderNumber?.description)
        alerts = thing.alerts(view.warningDays).map(Alert.init)
        alertsChosen = thing.chosenAlerts != nil
        pastAlerts = view.pastAlerts.map(Alert.init)
        notice = thing.repetition.rawValue
        recurrence = Nullable(thing.recurrence.map(Interval.init))
        nextAlertAt = Nullable(view.nextAlertAt?.description)
        pushesEnabled = thing.pushesEnabled
        tags = view.tags.map(\.name.description)
        favourite = thing.isFavourite
        completedAt = Nullable(thing.end?.recordedAt.description)
        completedAs = Nullable(thing.end?.outcome?.rawValue)
        version = thing.version
        modifiedAt = thing.modifiedAt.description
    }
}

/// A list of things.
public struct ThingsDocument: Codable, Sendable {
    let things: [ThingDocument]

    public init(_ views: [ThingView]) {
        things = views.map(\.document)
    }
}
