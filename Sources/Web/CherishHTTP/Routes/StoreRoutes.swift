import CherishCore
import CherishService
import CherishStore
import DocumentEncoding
import HTTPTypes

// The operator's catalogue of stores (rule 10.9).

/// `GET /v1/stores`
struct StoresQuery: RequestQuery {
    let search: String
    let page: PageQuery

    init(_ fields: inout Fields) {
        search = fields.present("search", .text(atMost: 200)) ?? ""
        page = PageQuery(&fields)
    }
}

/// `POST /v1/places/nearby`
struct NearbyPlacesBody: RequestBody {
    /// Stands for a position that was refused.
    private static let placeholder = Position(latitude: 0, longitude: 0)!  // on the earth

    let position: Position
    let radius: Int
    let store: Store.ID?

    init(_ fields: inout Fields) {
        position =
            Position(
                latitude: fields.required("latitude", .latitude), longitude: fields.required("longitude", .longitude))
            ?? Self.placeholder
        radius = fields.present("radius", .integer(StoreCatalogue.radii)) ?? 10
        store = fields.optional("storeId", .id).map { Store.ID($0) }
    }

    static let example: JSONValue = ["latitude": .number(37.5665), "longitude": .number(126.978), "radius": 5]
}

extension Route {
    static let stores: [Route] = [
        Route(
            .get, "/v1/stores", "Stores, with what they grant those who bought there, sorted by name.",
            query: StoresQuery.self
        ) { ask, query, _ in
            let stores = try await ask.garden().stores(search: query.search)
            return Page.of(stores, query.page, id: \.id.description) { StoresPage(stores: $0, next: $1) }
        },
        Route(.get, "/v1/stores/{store}", "A store.") { ask, _, _ in
            try await ask.garden().store(try ask.id("store", of: .store)).document
        },
        Route(
            .post, "/v1/places/nearby", "The nearest places of a store, or of all: at most 20 within a radius in km.",
            body: NearbyPlacesBody.self
        ) { ask, _, body in
            NearbyPlacesDocument(
                try await ask.garden().places(near: body.position, within: body.radius, of: body.store))
        },
    ]
}

/// A page of the stores.
struct StoresPage: Codable, Sendable {
    let stores: [StoreDocument]
    /// The cursor of the next page; null on the last.
    let next: Nullable<String>

    init(stores: [Store], next: Nullable<String>) {
        (self.stores, self.next) = (StoresDocument(stores).stores, next)
    }
}
