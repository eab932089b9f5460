import CherishCore
import CherishStore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Testing

@testable import CherishHTTP

/// The catalogue of stores over HTTP (rule 10.9), as an app uses it.
@Suite("10.9: stores over HTTP", .migratedDatabase)
struct StoreRouteTests {
    private func withStores(_ body: (TestServer, String) async throws -> Void) async throws {
        try await TestServer.run(time: .fixed(try #require(Instant("2027-03-01T01:00:00Z")))) { server in
            let pool = TestDatabase.current.pool(maximumConnections: 1)
            let store = CareStore(pool: pool, zones: server.engine.zones)
            _ = try await store.importStores(isDryRun: false) { importing in
                for name in ["교보문고", "Corner", "Corner Books"] {
                    var record = StoreRecord(name: try #require(StoreName(name)), country: try #require(Country("KR")))
                    record.returnDays = 14
                    let position = try #require(Position(latitude: 37.57, longitude: 126.978))
                    record.places = [(try #require(PlaceAddress("Street of \(name)")), position)]
                    try await importing.take(record)
                }
            }
            await pool.close()
            try await body(server, try await server.signUp("minji@example.com"))
        }
    }

    @Test("stores are listed by name, in pages, and searched")
    func list() async throws {
        try await withStores { server, token in
            let first = try await server.send("GET", "/v1/stores?search=corner&limit=1", token: token)
            guard case .array(let stores)? = first["stores"] else { throw Missing(what: "stores") }
            #expect(stores.map { $0["name"] } == ["Corner"] && stores[0]["returnDays"] == 14)
            #expect(stores[0]["placeCount"] == .null)
            let second = try await server.send(
                "GET", "/v1/stores?search=corner&limit=1&after=\(try first.text("next"))", token: token)
            #expect(second["next"] == .null)
            guard case .array(let rest)? = second["stores"] else { throw Missing(what: "stores") }
            #expect(rest.map { $0["name"] } == ["Corner Books"])
            guard case .string(let id)? = stores[0]["id"] else { throw Missing(what: "an id") }
            let one = try await server.send("GET", "/v1/stores/\(id)", token: token)
            #expect(one.status == 200 && one["placeCount"] == 1)
        }
    }

    @Test("a thing's store gives its due day, and an unknown one is refused")
    func due() async throws {
        try await withStores { server, token in
            let listed = try await server.send("GET", "/v1/stores?search=%EA%B5%90%EB%B3%B4", token: token)
            guard case .array(let stores)? = listed["stores"], let id = stores.first?["id"] else {
                throw Missing(what: "a store")
            }
            let thing = try await server.send(
                "POST", "/v1/things",
                ["kind": "return", "title": "책", "boughtOn": "2027-02-20", "storeId": id], token: token)
            #expect(thing.status == 201 && thing["dueOn"] == "2027-03-06" && thing["storeId"] == id)
            let path = "/v1/things/\(try thing.text("id"))"
            let removed = try await server.send("PATCH", path, ["storeId": .null], token: token)
            #expect(removed["storeId"] == .null && removed["dueOn"] == "2027-03-06")
            let unknown = try await server.send(
                "PATCH", path, ["storeId": "0d5c0a0e-6f0e-4a53-9d1c-4b8f2f6f9a11"], token: token)
            #expect(unknown.status == 422 && unknown["code"] == "store_unknown")
            let hint = try await server.send(
                "POST", "/v1/things", ["kind": "pickup", "title": "책", "boughtOn": "2027-02-20", "storeId": id],
                token: token)
            #expect(hint.status == 422 && hint["code"] == "due_unknown")
            let food = try await server.send(
                "POST", "/v1/things", ["kind": "food", "title": "우유", "dueOn": "2027-03-06", "storeId": id],
                token: token)
            #expect(food.status == 422 && food["code"] == "not_for_kind")
        }
    }

    @Test("the nearest places are listed with their distance; positions are checked")
    func nearby() async throws {
        try await withStores { server, token in
            let found = try await server.send(
                "POST", "/v1/places/nearby", ["latitude": .number(37.5665), "longitude": .number(126.978)], token: token
            )
            guard case .array(let places)? = found["places"] else { throw Missing(what: "places") }
            #expect(places.count == 3)
            #expect(places.allSatisfy { $0["distanceKm"] == .number(0.39) && $0["latitude"] == .number(37.57) })
            for (body, pointer) in [
                (["longitude": 1] as JSONValue, "/latitude"), (["latitude": 91, "longitude": 1], "/latitude"),
                (["latitude": "1", "longitude": 1], "/latitude"), (["latitude": 1, "longitude": -181], "/longitude"),
                (["latitude": 1, "longitude": 1, "radius": 51], "/radius"),
                (["latitude": 1, "longitude": 1, "storeId": "x"], "/storeId"),
            ] {
                let refused = try await server.send("POST", "/v1/places/nearby", body, token: token)
                #expect(refused.status == 422)
                #expect(String(decoding: refused.body, as: UTF8.self).contains("\"\(pointer)\""), "\(pointer)")
            }
        }
    }
}
