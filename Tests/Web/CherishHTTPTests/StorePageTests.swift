import CherishCore
import CherishStore
import CherishTestSupport
import Foundation
import Testing

@testable import CherishHTTP
@testable import WebGarden

/// Stores in the web garden, without JavaScript (rule 10.9).
@Suite("10.9: pages of stores", .migratedDatabase)
struct StorePageTests {
    private func withStore(_ body: (TestVisitor, String) async throws -> Void) async throws {
        try await TestVisitor.run(time: .fixed(try #require(Instant("2027-03-01T01:00:00Z")))) { server, visitor in
            let pool = TestDatabase.current.pool(maximumConnections: 1)
            let store = CareStore(pool: pool, zones: server.engine.zones)
            _ = try await store.importStores(isDryRun: false) { importing in
                var record = StoreRecord(
                    name: try #require(StoreName("Books & <Toys>")), country: try #require(Country("KR")))
                record.returnDays = 14
                record.returnPolicyURL = PolicyURL("https://example.com/returns?a=1&b=2")
                record.places = try [("First <street>", 37.5707), ("Second", 37.5), ("Far", 35.0)].map {
                    (
                        try #require(PlaceAddress($0.0)),
                        try #require(Position(latitude: $0.1, longitude: 126.9779))
                    )
                }
                try await importing.take(record)
            }
            let id = try await store.catalogue.stores()[0].id.description
            await pool.close()
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            try await body(minji, id)
        }
    }

    @Test("a store is found, says what it grants, links its policy, and its nearest places are on a map")
    func nearby() async throws {
        try await withStore { minji, id in
            let list = try await minji.open("/stores?search=toys")
            #expect(list.text.contains("href=\"/stores/\(id)\"") && list.text.contains("14 days to return"))
            #expect(try await minji.open("/stores?search=none").text.contains("There is no such store."))
            let page = try await minji.open("/stores/\(id)")
            #expect(page.text.contains("<h1><bdi>Books &amp; &lt;Toys&gt;</bdi></h1>"))
            #expect(
                page.text.contains(
                    "class=\"button\" href=\"https://example.com/returns?a=1&amp;b=2\" rel=\"noopener noreferrer external\""
                ))
            #expect(page.text.contains("14 days after the purchase") && page.text.contains("not said"))
            #expect(page.headers.first(name: "Permissions-Policy")?.contains("geolocation=(self)") == true)
            #expect(list.headers.first(name: "Permissions-Policy")?.contains("geolocation=()") == true)

            let found = try await minji.submit(
                "/stores/\(id)", [("latitude", "37.5665"), ("longitude", "126.978"), ("radius", "10")])
            #expect(found.status == 200)
            #expect(found.text.contains("1. <bdi>First &lt;street&gt;</bdi>") && found.text.contains("467 m"))
            #expect(found.text.contains("2. <bdi>Second</bdi>") && found.text.contains("7.4 km"))
            #expect(!found.text.contains("Far"))
            #expect(found.text.contains("href=\"geo:37.5707,126.9779?q=37.5707,126.9779(First%20%3Cstreet%3E)\""))
            #expect(found.text.contains("<svg class=\"place-map card\"") && found.text.contains("10.0 km</text>"))
            // The first lies to the north, which is up, and the second to the south and a little to the west.
            let points = found.text.matches(of: #/translate\(([-0-9.]+) ([-0-9.]+)\)">.*?dy=".35em">(\d)/#)
                .map { (place: $0.3, x: Double($0.1) ?? 0, y: Double($0.2) ?? 0) }
            #expect(points.map { "\($0.place) \($0.y < 0)" } == ["2 false", "1 true"])
            #expect(abs(points[0].y - 140 * 7.395 / 10) < 1)
            let owner = TestDatabase.current.pool(maximumConnections: 1)
            let kept = try await owner.withConnection { try await $0.query("SELECT 1 FROM idempotent_request") }
            await owner.close()
            #expect(kept.isEmpty, "no answer with a position is kept")

            let nothing = try await minji.submit("/stores/\(id)", [("latitude", "0"), ("longitude", "0")])
            #expect(nothing.text.contains("There is none within 10 km."))
            for wrong in ["", "north", "91", "nan", "1e400"] {
                let refused = try await minji.submit("/stores/\(id)", [("latitude", wrong), ("longitude", "0")])
                #expect(refused.status == 422 && refused.text.contains("id=\"latitude-error\""), "\(wrong)")
            }
            let strange = try await minji.open("/stores/0d5c0a0e-6f0e-4a53-9d1c-4b8f2f6f9a11")
            #expect(strange.status == 404)
        }
    }

    @Test("a return with a store and a day of purchase is due as the store says")
    func due() async throws {
        try await withStore { minji, id in
            let form = try await minji.open("/things/new?kind=return&store=Books%20%26%20%3CToys%3E")
            #expect(form.text.contains("value=\"Books &amp; &lt;Toys&gt;\"") && form.text.contains("As the store says"))
            #expect(try await !minji.open("/things/new?kind=food").text.contains("As the store says"))
            let fields = [("kind", "return"), ("title", "Lamp"), ("day", ""), ("store", "books & <toys>")]
            let added = try await minji.submit("/things/new", fields + [("boughtOn", "2027-02-20")])
            let location = try added.location
            #expect(try await minji.open(location).text.contains("Saturday, 6 March"))
            let without = try await minji.submit("/things/new", fields)
            #expect(without.status == 422 && without.text.contains("href=\"#due\""))
            let unknown = try await minji.submit(
                "/things/new", [("kind", "return"), ("title", "Lamp"), ("due", "tomorrow"), ("store", "Nowhere")])
            #expect(unknown.status == 422 && unknown.text.contains("href=\"#store\""))

            let thing = "/things/\(location.split(separator: "=").last ?? "")"
            #expect(try await minji.open(thing).text.contains("href=\"/stores/\(id)\""))
            let edit = [("title", "Lamp"), ("due", "2027-03-08"), ("pushesEnabled", "true"), ("alertMode", "usual")]
            _ = try await minji.submit("\(thing)/edit", edit + [("store", "Books & <Toys>")])
            #expect(try await minji.open(thing).text.contains("href=\"/stores/\(id)\""))
            // As in an account that was restored from another database.
            let owner = TestDatabase.current.pool(maximumConnections: 1)
            let before = try await owner.withConnection {
                try await $0.query("UPDATE store SET id = gen_random_uuid() RETURNING 1").count
            }
            #expect(try await minji.open(thing).status == 200 && before == 1)
            _ = try await owner.withConnection {
                try await $0.query("UPDATE store SET id = (SELECT store_id FROM thing LIMIT 1)")
            }
            await owner.close()
            #expect(try await minji.open(thing).text.contains("href=\"/stores/\(id)\""))
            _ = try await minji.submit("\(thing)/edit", edit + [("store", "")])
            #expect(try await !minji.open(thing).text.contains("href=\"/stores/\(id)\""))
        }
    }

    @Test("the map has the places where they are: north up, east to the right")
    func bearings() throws {
        let middle = try #require(Position(latitude: 37, longitude: 127))
        for (latitude, longitude, expected) in [
            (38.0, 127.0, 0.0), (37, 128, .pi / 2), (36, 127, .pi), (37, 126, -.pi / 2),
        ] {
            let end = try #require(Position(latitude: latitude, longitude: longitude))
            #expect(abs(PlaceMap.bearing(from: middle, to: end) - expected) < 0.01)
        }
        let east = try #require(Position(latitude: 0, longitude: 179.9))
        let west = try #require(Position(latitude: 0, longitude: -179.9))
        #expect(abs(PlaceMap.bearing(from: east, to: west) - .pi / 2) < 1e-9)
        #expect(PlaceMap.kilometres(999.4) == "999 m" && PlaceMap.kilometres(999.6) == "1.0 km")
    }
}
