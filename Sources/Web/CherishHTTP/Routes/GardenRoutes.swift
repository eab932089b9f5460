import CherishCore
import CherishService
import DocumentEncoding
import Foundation
import HTTPTypes

// Friends, waterings, reviews, postponements, and what is read of them.

/// A page of a list.
struct PageQuery: RequestQuery {
    /// The items of a page, unless the request says how many.
    static let usualLength = 50

    let limit: Int
    let after: Cursor?

    init(_ fields: inout Fields) {
        limit = fields.present("limit", .pageLength) ?? PageQuery.usualLength
        after = fields.present("after", .cursor)
    }
}

/// `GET /v1/friends`
struct FriendsQuery: RequestQuery {
    let query: FriendQuery
    let page: PageQuery

    init(_ fields: inout Fields) {
        var query = FriendQuery()
        query.search = fields.present("search", .text(atMost: 200)) ?? ""
        if let tag = fields.present("tag", .tagName) { query.tags = [tag] }
        query.isFavouritesOnly = fields.present("favourite", .flag) ?? false
        query.isArchived = fields.present("archived", .flag) ?? false
        query.order = fields.present("sort", .choice(of: GardenOrder.self)) ?? .nearness
        self.query = query
        page = PageQuery(&fields)
    }
}

/// `POST /v1/friends`
struct FriendBody: RequestBody {
    let request: FriendRequest

    init(_ fields: inout Fields) {
        var request = FriendRequest(
            name: fields.required("name", .text(atMost: 400)), phone: fields.required("phone", .phone))
        request.cycleDays = fields.optional("cycleDays", .cycle)
        request.nickname = fields.optional("nickname", .nickname)
        request.birthday = fields.optional("birthday", .birthday)
        request.alarm = fields.optional("alarmTime", .alarm) ?? request.alarm
        request.tags = fields.present("tags", .list(of: .tagName, atMost: Tag.maximumPerFriend)) ?? []
        request.isFavourite = fields.present("favourite", .flag) ?? false
        self.request = request
    }

    static let example: JSONValue = [
        "name": "김하나", "phone": "010-1234-5678", "cycleDays": 7, "nickname": "하나", "birthday": "05-21",
        "alarmTime": "09:00", "tags": [], "favourite": false,
    ]
}

/// `PATCH /v1/friends/{friend}`
struct FriendEditBody: RequestBody {
    let request: FriendEditRequest
    let modifiedAt: Instant?

    init(_ fields: inout Fields) {
        var request = FriendEditRequest()
        request.nickname = fields.removable("nickname", .nickname).map { $0 ?? "" }
        request.birthday = fields.removable("birthday", .birthday).map { $0 ?? "" }
        request.cycleDays = fields.present("cycleDays", .cycle)
        request.alarm = fields.present("alarmTime", .alarm)
        request.pushesEnabled = fields.present("pushesEnabled", .flag)
        request.isFavourite = fields.present("favourite", .flag)
        let tags = Kind<[String]>.list(of: .tagName, atMost: Tag.maximumPerFriend)
        request.addedTags = fields.present("addTags", tags) ?? []
        request.removedTags = fields.present("removeTags", tags) ?? []
        self.request = request
        modifiedAt = fields.editTime()
    }

    static let example: JSONValue = ["cycleDays": 14, "birthday": .null, "favourite": true]
}

/// `POST /v1/friends/{friend}/waterings`
struct WateringBody: RequestBody {
    let request: ContactRequest

    init(_ fields: inout Fields) {
        var request = ContactRequest(method: fields.required("method", .choice(of: ContactMethod.self)))
        request.day = fields.optional("wateredOn", .day)
        request.keywords = fields.present("keywords", .keywords) ?? []
        request.memo = fields.optional("memo", .memo)
        request.declinesReview = fields.present("reviewDeclined", .flag) ?? false
        request.fact = Fact(&fields)
        self.request = request
    }

    static let example: JSONValue = [
        "id": "0d5c0a0e-6f0e-4a53-9d1c-4b8f2f6f9a10", "method": "call", "keywords": ["이사", "새 직장"],
        "memo": "이사 축하하기",
    ]
}

/// `PUT /v1/friends/{friend}/waterings/{day}/review`
struct ReviewBody: RequestBody {
    let keywords: [String]
    let memo: String?
    let modifiedAt: Instant?

    init(_ fields: inout Fields) {
        keywords = fields.present("keywords", .keywords) ?? []
        memo = fields.optional("memo", .memo)
        modifiedAt = fields.editTime()
    }

    static let example: JSONValue = ["keywords": ["생일"], "memo": .null]
}

/// `POST /v1/friends/{friend}/postponements`
struct PostponementBody: RequestBody {
    let days: Int
    let fromDueOn: CivilDay?
    let fact: Fact

    init(_ fields: inout Fields) {
        days = fields.required("days", .integer(1...7, code: "invalid_days"))
        fromDueOn = fields.optional("fromDueOn", .day)
        fact = Fact(&fields)
    }

    static let example: JSONValue = ["days": 3]
}

/// When the person made an edit or a deletion.
struct EditTimeQuery: RequestQuery {
    let modifiedAt: Instant?

    init(_ fields: inout Fields) {
        modifiedAt = fields.editTime()
    }
}

extension Fields {
    /// When the person made an edit, by the device's clock (rule 14.3); nil if it is not known.
    mutating func editTime() -> Instant? { optional("modifiedAt", .instant) }
}

/// A span of days.
struct SpanQuery: RequestQuery {
    let from, to: CivilDay?

    init(_ fields: inout Fields) {
        from = fields.present("from", .day)
        to = fields.present("to", .day)
    }
}

/// A day to explain.
struct DayQuery: RequestQuery {
    let on: CivilDay?

    init(_ fields: inout Fields) {
        on = fields.present("on", .day)
    }
}

/// `GET /v1/preview`
struct PreviewQuery: RequestQuery {
    let days: Int

    init(_ fields: inout Fields) {
        days = fields.present("days", .integer(1...366)) ?? 30
    }
}

extension Fact {
    init(_ fields: inout Fields) {
        self.init(id: fields.optional("id", .id), madeAt: fields.optional("madeAt", .instant))
    }
}

extension Kind<String> {
    static let memo = text(atMost: 4_000)
}

extension Kind<[String]> {
    // The rules say what is wrong with a keyword, and how many there may be.
    static let keywords = list(of: .text(atMost: 100), atMost: 20)
}

extension Route {
    static let garden: [Route] = [
        Route(
            .get, "/v1/friends", "The friends, those who need water soonest first.", query: FriendsQuery.self
        ) { ask, query, _ in
            let garden = try await ask.garden().friends(query.query)
            return Page.of(garden.plants, query.page, id: \.plant.id.description) {
                FriendsPage(plants: $0.map(\.document), next: $1)
            }
        },
        Route(.post, "/v1/friends", "Registers a friend.", body: FriendBody.self, success: .created) { ask, _, body in
            try await ask.garden().addFriend(body.request).document
        },
        Route(.get, "/v1/friends/{friend}", "A friend, with the newest reviews.") { ask, _, _ in
            try await ask.garden().friend(try ask.friend).document
        },
        Route(.patch, "/v1/friends/{friend}", "Changes a friend.", body: FriendEditBody.self) { ask, _, body in
            try await ask.garden(editedAt: body.modifiedAt).editFriend(try ask.friend, body.request).document
        },
        Route(
            .delete, "/v1/friends/{friend}", "Removes a friend; the history stays.", query: EditTimeQuery.self
        ) { ask, query, _ in
            try await ask.garden(editedAt: query.modifiedAt).removeFriend(try ask.friend).document
        },
        Route(.post, "/v1/friends/{friend}/restoration", "Brings a removed friend back.") { ask, _, _ in
            try await ask.garden().restoreFriend(try ask.friend).document
        },
        Route(
            .post, "/v1/friends/{friend}/waterings", "Records a contact.", body: WateringBody.self, success: .created
        ) { ask, _, body in
            try await ask.garden().water(try ask.friend, body.request).document
        },
        Route(
            .put, "/v1/friends/{friend}/waterings/{day}/review", "Writes the review of the watering of a day.",
            body: ReviewBody.self
        ) { ask, _, body in
            try await ask.garden(editedAt: body.modifiedAt).writeReview(
                try ask.friend, on: try ask.day("day"), keywords: body.keywords, memo: body.memo
            ).document
        },
        Route(
            .delete, "/v1/friends/{friend}/waterings/{day}/review", "Deletes a review; the watering stays.",
            query: EditTimeQuery.self
        ) { ask, query, _ in
            try await ask.garden(editedAt: query.modifiedAt).deleteReview(
                try ask.friend, on: try ask.day("day")
            ).document
        },
        Route(
            .post, "/v1/friends/{friend}/waterings/{day}/review/declination", "Declines to write a review.",
            query: EditTimeQuery.self
        ) { ask, query, _ in
            try await ask.garden(editedAt: query.modifiedAt).declineReview(
                try ask.friend, on: try ask.day("day")
            ).document
        },
        Route(
            .post, "/v1/friends/{friend}/postponements", "Postpones a plant on its D-day.",
            body: PostponementBody.self, success: .created
        ) { ask, _, body in
            try await ask.garden().postpone(
                try ask.friend, days: body.days, fromDueOn: body.fromDueOn, fact: body.fact
            ).document
        },
        Route(
            .get, "/v1/friends/{friend}/calendar", "Days watered, due and projected.", query: SpanQuery.self
        ) { ask, query, _ in
            try await ask.garden().calendar(try ask.friend, from: query.from, to: query.to).document
        },
        Route(
            .get, "/v1/friends/{friend}/explanation", "Why a friend's affection and due date are what they are.",
            query: DayQuery.self
        ) { ask, query, _ in
            try await ask.garden().explainFriend(try ask.friend, on: query.on).document
        },
        Route(.get, "/v1/stats", "The counts of My page.") { ask, _, _ in
            StatisticsDocument(try await ask.garden().statistics())
        },
        Route(.get, "/v1/preview", "The pushes of the next days.", query: PreviewQuery.self) { ask, query, _ in
            try await ask.garden().preview(days: query.days).document
        },
        Route(
            .get, "/v1/today", "What is due today, and what is overdue, in at most 3 KiB: for a widget.",
            query: WidgetQuery.self
        ) { ask, query, _ in
            let document = try await ask.garden().widget(query.size)
            // A device asks again when it hears of a change.
            ask.headers.add(.cacheControl, "private, max-age=60")
            return document
        },
    ]
}

extension Ask {
    fileprivate var friend: String { get throws { try id("friend", of: .plant) } }
}

/// A page of the friends.
struct FriendsPage: Codable, Sendable {
    let plants: [PlantDocument]
    /// The cursor of the next page; null on the last.
    let next: Nullable<String>
}

/// `GET /v1/today`
struct WidgetQuery: RequestQuery {
    let size: WidgetSize

    init(_ fields: inout Fields) {
        size = fields.present("size", .choice(of: WidgetSize.self)) ?? .large
    }
}
