import CherishCore
import CherishService
import DocumentEncoding
import HTTPTypes

// Pickups, returns, reminders and food, and the account's agenda (rule 10).

/// `GET /v1/things`
struct ThingsQuery: RequestQuery {
    let query: ThingQuery
    let page: PageQuery

    init(_ fields: inout Fields) {
        var query = ThingQuery()
        query.areDone = fields.present("done", .flag) ?? false
        query.kind = fields.present("kind", .choice(of: Thing.Kind.self))
        query.state = fields.present("state", .choice(of: Thing.State.self))
        query.category = fields.present("category", .foodCategory)
        if let tag = fields.present("tag", .tagName) { query.tags = [tag] }
        query.isFavouritesOnly = fields.present("favourite", .flag) ?? false
        query.order = fields.present("sort", .choice(of: ThingOrder.self)) ?? .due
        if query.state == .done { query.areDone = true }
        self.query = query
        page = PageQuery(&fields)
    }
}

/// `POST /v1/things`
struct ThingBody: RequestBody {
    let request: ThingRequest

    init(_ fields: inout Fields) {
        var request = ThingRequest(
            kind: fields.required("kind", .choice(of: Thing.Kind.self)), title: fields.required("title", .thingTitle))
        request.dueOn = fields.optional("dueOn", .day)
        request.time = fields.optional("dueTime", .alarm)
        request.note = fields.optional("note", .thingNote)
        request.category = fields.optional("category", .foodCategory)
        request.boughtOn = fields.optional("boughtOn", .day)
        request.store = fields.optional("storeId", .id)?.uuidString
        request.orderNumber = fields.optional("orderNumber", .orderNumber)
        request.alerts = fields.optional("alerts", .alerts)
        request.repetition = fields.present("notice", .choice(of: AlertRepetition.self)) ?? request.repetition
        request.recurrence = fields.optional("recurrence", .recurrence)
        request.pushesEnabled = fields.present("pushesEnabled", .flag) ?? request.pushesEnabled
        request.tags = fields.present("tags", .list(of: .tagName, atMost: Tag.maximumPerFriend)) ?? []
        request.isFavourite = fields.present("favourite", .flag) ?? false
        self.request = request
    }

    static let example: JSONValue = [
        "kind": "reminder", "title": "치과", "dueOn": "2027-03-05", "dueTime": "15:00",
        "alerts": [["daysBefore": 1, "time": "20:00"], ["minutesBefore": 60]],
        "recurrence": ["every": 6, "unit": "months", "from": "completion"],
    ]
}

/// `PATCH /v1/things/{thing}`
struct ThingEditBody: RequestBody {
    let request: ThingEditRequest
    let modifiedAt: Instant?

    init(_ fields: inout Fields) {
        var request = ThingEditRequest()
        request.title = fields.present("title", .thingTitle)
        request.dueOn = fields.present("dueOn", .day)
        request.time = fields.removable("dueTime", .alarm).map { $0 ?? "" }
        request.note = fields.removable("note", .thingNote).map { $0 ?? "" }
        request.category = fields.removable("category", .foodCategory).map { $0 ?? "" }
        request.boughtOn = fields.removable("boughtOn", .day)
        request.store = fields.removable("storeId", .id).map { $0?.uuidString ?? "" }
        request.orderNumber = fields.removable("orderNumber", .orderNumber).map { $0 ?? "" }
        request.alerts = fields.removable("alerts", .alerts)
        request.repetition = fields.present("notice", .choice(of: AlertRepetition.self))
        request.recurrence = fields.removable("recurrence", .recurrence)
        request.pushesEnabled = fields.present("pushesEnabled", .flag)
        request.isFavourite = fields.present("favourite", .flag)
        let tags = Kind<[String]>.list(of: .tagName, atMost: Tag.maximumPerFriend)
        request.addedTags = fields.present("addTags", tags) ?? []
        request.removedTags = fields.present("removeTags", tags) ?? []
        self.request = request
        modifiedAt = fields.editTime()
    }

    static let example: JSONValue = ["title": "치과 검진", "alerts": .null, "favourite": true]
}

/// `POST /v1/things/{thing}/completion`
struct CompletionBody: RequestBody {
    let outcome: ThingCompletion.Outcome?
    let fact: Fact

    init(_ fields: inout Fields) {
        outcome = fields.optional("as", .choice(of: ThingCompletion.Outcome.self))
        fact = Fact(&fields)
    }

    static let example: JSONValue = ["id": "0d5c0a0e-6f0e-4a53-9d1c-4b8f2f6f9a11"]
}

extension Kind<String> {
    static let thingTitle = text(atMost: 2_000).thing { text throws(ThingError) in _ = try ThingTitle(text) }
    static let thingNote = text(atMost: 20_000).thing { text throws(ThingError) in _ = try ThingNote(text) }
    static let foodCategory = text(atMost: 400).thing { text throws(ThingError) in _ = try FoodCategory(text) }
    static let orderNumber = text(atMost: 1_200).thing { text throws(ThingError) in _ = try OrderNumber(text) }

    /// The same text, if a rule of things accepts it.
    private func thing(_ check: @escaping @Sendable (String) throws(ThingError) -> Void) -> Kind {
        let read = read
        return Kind(schema: schema, placeholder: placeholder) { value throws(InvalidValue) in
            let text = try read(value)
            do throws(ThingError) {
                try check(text)
            } catch {
                throw InvalidValue(.refusedThing(error))
            }
            return text
        }
    }
}

extension Kind<[ThingAlert]> {
    static let alerts = list(of: .alert, atMost: ThingAlert.most)
}

extension Kind<ThingAlert> {
    /// `daysBefore` with `time`, or `minutesBefore`.
    static let alert = object(placeholder: .minutesBefore(0)) { fields throws(InvalidValue) in
        let days = fields.optional("daysBefore", .integer(ThingAlert.dayRange, code: "invalid_alert"))
        let time = fields.optional("time", .alarm)
        let minutes = fields.optional("minutesBefore", .integer(ThingAlert.minuteRange, code: "invalid_alert"))
        switch (days, time, minutes) {
        case (let days?, let time, nil):
            let time = time.flatMap { try? TimeOfDay(alarm: $0) } ?? ThingAlert.usualTime
            return .daysBefore(days, at: time)
        case (nil, nil, let minutes?): return .minutesBefore(minutes)
        default: throw InvalidValue(.notAnAlert)
        }
    }
}

extension Kind<Recurrence> {
    static let recurrence = object(placeholder: .daily) { fields throws(InvalidValue) in
        let every = fields.required("every", .integer(Recurrence.intervals, code: "invalid_recurrence"))
        let unit = fields.required("unit", .choice(of: Recurrence.Unit.self))
        let base = fields.present("from", .choice(of: Recurrence.Base.self)) ?? .due
        let until = fields.optional("until", .day)
        do throws(ThingError) {
            return try Recurrence(every: every, unit, from: base, until: until)
        } catch {
            throw InvalidValue(.refusedThing(error))
        }
    }
}

extension Route {
    static let things: [Route] = [
        Route(
            .get, "/v1/things", "Pickups, returns, reminders and food: what is open, or what was done.",
            query: ThingsQuery.self
        ) { ask, query, _ in
            let things = try await ask.garden().things(query.query)
            return Page.of(things, query.page, id: \.thing.id.description) {
                ThingsPage(things: $0.map(\.document), next: $1)
            }
        },
        Route(.post, "/v1/things", "Records a thing.", body: ThingBody.self, success: .created) { ask, _, body in
            try await ask.garden().recordThing(body.request).document
        },
        Route(.get, "/v1/things/{thing}", "A thing.") { ask, _, _ in
            try await ask.garden().thing(try ask.thing).document
        },
        Route(.patch, "/v1/things/{thing}", "Changes a thing and its alerts.", body: ThingEditBody.self) {
            ask, _, body in
            try await ask.garden(editedAt: body.modifiedAt).editThing(try ask.thing, body.request).document
        },
        Route(.delete, "/v1/things/{thing}", "Deletes a thing for good.", query: EditTimeQuery.self) {
            ask, query, _ in
            try await ask.garden(editedAt: query.modifiedAt).removeThing(try ask.thing).document
        },
        Route(
            .post, "/v1/things/{thing}/completion", "Completes a thing; one that recurs is due again.",
            body: CompletionBody.self
        ) { ask, _, body in
            try await ask.garden().completeThing(try ask.thing, as: body.outcome, fact: body.fact).document
        },
        Route(.delete, "/v1/things/{thing}/completion", "Undoes the newest completion of a thing.") { ask, _, _ in
            try await ask.garden().reopenThing(try ask.thing).document
        },
        Route(
            .get, "/v1/agenda", "Everything that the account has to do and has done, day by day.",
            query: SpanQuery.self
        ) { ask, query, _ in
            try await ask.garden().agenda(from: query.from, to: query.to).document
        },
    ]
}

extension Ask {
    fileprivate var thing: String { get throws { try id("thing", of: .thing) } }
}

/// A page of the things.
struct ThingsPage: Codable, Sendable {
    let things: [ThingDocument]
    /// The cursor of the next page; null on the last.
    let next: Nullable<String>
}
