import CherishCore
import CherishService
import CherishStore
import HTTPTypes

// What was done for friends, day by day.

/// `GET /v1/friends/{friend}/waterings`
struct WateringsQuery: RequestQuery {
    let limit: Int
    let after: WateringPlace?

    init(_ fields: inout Fields) {
        limit = fields.present("limit", .pageLength) ?? PageQuery.usualLength
        after = fields.present("after", .wateringPlace)
    }
}

extension Kind<WateringPlace> {
    /// A cursor that names a watering.
    static let wateringPlace = Kind(
        schema: Kind<Cursor>.cursor.schema, placeholder: WateringPlace(day: CivilDay(daysSinceEpoch: 0), number: 1),
        read: { value throws(InvalidValue) in
            let cursor = try Kind<Cursor>.cursor.read(value)
            guard let day = CivilDay(cursor.id) else { throw InvalidValue(.notACursor) }
            return WateringPlace(day: day, number: cursor.place)
        })
}

extension Cursor {
    init(_ place: WateringPlace) {
        self.init(place: place.number, id: place.day.description)
    }
}

/// A page of a friend's waterings.
struct WateringsPage: Codable, Sendable {
    /// Newest first.
    let waterings: [WateringDocument]
    /// The cursor of the next page; null on the last.
    let next: Nullable<String>
}

extension Route {
    static let history: [Route] = [
        Route(
            .get, "/v1/friends/{friend}/waterings", "A friend's waterings, the newest first.",
            query: WateringsQuery.self
        ) { ask, query, _ in
            let page = try await ask.garden().waterings(
                try ask.id("friend", of: .plant), after: query.after, limit: query.limit)
            return WateringsPage(waterings: page.documents, next: Nullable(page.next.map { Cursor($0).text }))
        },
        Route(
            .get, "/v1/calendar", "The days on which friends were watered, are due, or will be.", query: SpanQuery.self
        ) { ask, query, _ in
            try await ask.garden().calendar(from: query.from, to: query.to).document
        },
    ]
}
