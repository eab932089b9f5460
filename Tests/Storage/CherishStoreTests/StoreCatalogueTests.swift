import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import SeededChance
import Testing

@testable import CherishStore

@Suite("10.9: the catalogue of stores", .migratedDatabase, .serialized)
struct StoreCatalogueTests {
    private func record(
        _ name: String, country: String = "KR", returnDays: Int? = nil, policy: String? = nil,
        places: [(String, Double, Double)]? = []
    ) throws -> StoreRecord {
        var record = StoreRecord(name: try #require(StoreName(name)), country: try #require(Country(country)))
        record.returnDays = returnDays
        record.returnPolicyURL = try policy.map { try #require(PolicyURL($0)) }
        record.places = try places?.map { address, latitude, longitude in
            (
                try #require(PlaceAddress(address)),
                try #require(Position(latitude: latitude, longitude: longitude))
            )
        }
        return record
    }

    private func numbered(_ number: UInt8) -> Store.ID {
        Store.ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)))
    }

    /// Imports records, and returns what was done and why some were left out.
    private func `import`(_ records: [StoreRecord], into store: CareStore, isDryRun: Bool = false) async throws
        -> (counts: StoreImportCounts, refusals: [StoreRefusal])
    {
        var refusals: [StoreRefusal] = []
        let counts = try await store.importStores(isDryRun: isDryRun) { importing in
            for record in records {
                do {
                    try await importing.take(record)
                } catch let refusal as StoreRefusal {
                    refusals.append(refusal)
                }
            }
        }
        return (counts, refusals)
    }

    private func counts(
        stores: (new: Int, corrected: Int, unchanged: Int),
        places: (new: Int, corrected: Int, unchanged: Int, removed: Int)
    ) -> StoreImportCounts {
        var counts = StoreImportCounts()
        (counts.stores.new, counts.stores.corrected, counts.stores.unchanged) = stores
        (counts.places.new, counts.places.corrected, counts.places.unchanged, counts.places.removed) = places
        return counts
    }

    @Test("the same file again changes nothing; what a later one corrects or leaves out does, and moves no due day")
    func again() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T08:00")
        let store = service.store(at: now)
        let first = [
            try record(
                "Books", returnDays: 30, policy: "https://example.com/1", places: [("A", 37.5, 127), ("B", 37.6, 127)]),
            try record("Toys", places: [("C", 37.5, 127)]),
        ]
        let rehearsed = try await self.import(first, into: store, isDryRun: true)
        #expect(rehearsed.counts == counts(stores: (2, 0, 0), places: (3, 0, 0, 0)))
        #expect(try await store.catalogue.stores().isEmpty)
        #expect(try await self.import(first, into: store).counts == rehearsed.counts)
        let rows = try await service.texts("SELECT xmin::text FROM store UNION ALL SELECT xmin::text FROM place")
        #expect(
            try await self.import(first, into: store).counts == counts(stores: (0, 0, 2), places: (0, 0, 3, 0)))
        #expect(
            try await service.texts("SELECT xmin::text FROM store UNION ALL SELECT xmin::text FROM place") == rows)

        let books = try await store.catalogue.store(named: try #require(StoreName("bOOKS")))
        let account = try await service.account(at: now)
        var draft = ThingDraft(kind: .giveBack, title: try ThingTitle("책"))
        draft.boughtOn = try civilDay("2027-02-20")
        draft.store = books
        let thing = try await store.garden(of: account.id).recordThing(draft).thing
        #expect(thing.due.day.description == "2027-03-22")

        let corrected = try await self.import(
            [try record("BOOKS", returnDays: 14, places: [("A, second floor", 37.5, 127), ("D", 37.7, 127)])],
            into: store)
        #expect(corrected.counts == counts(stores: (0, 1, 0), places: (1, 1, 0, 1)))
        let after = try await store.catalogue.store(books.id.description)
        #expect(after.name.description == "BOOKS" && after.returnDays == 14 && after.returnPolicyURL == nil)
        #expect(
            try await service.texts(
                "SELECT address || ' ' || latitude FROM place WHERE store_id = (SELECT id FROM store WHERE name = 'BOOKS') ORDER BY 1"
            )
                == ["A, second floor 37.5", "D 37.7"])
        #expect(try await store.catalogue.stores().map(\.name.description) == ["BOOKS", "Toys"])
        #expect(try await store.garden(of: account.id).detail(of: thing.id).things == [thing])
    }

    @Test("a file that says nothing of places leaves them as they are")
    func withoutPlaces() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try seoul("2027-03-01T08:00"))
        _ = try await self.import([try record("Books", places: [("A", 37.5, 127)])], into: store)
        let result = try await self.import([try record("Books", returnDays: 7, places: nil)], into: store)
        #expect(result.counts == counts(stores: (0, 1, 0), places: (0, 0, 0, 0)))
        let books = try await store.catalogue.stores()[0]
        #expect(try await store.catalogue.placeCount(of: books.id) == 1)
    }

    @Test("stores are renamed by their ids, also when they swap their names' places")
    func renaming() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try seoul("2027-03-01T08:00"))
        _ = try await self.import([try record("A"), try record("B"), try record("A", country: "JP")], into: store)
        let before = try await store.catalogue.stores()
        #expect(before.map { "\($0.name) \($0.country)" } == ["A JP", "A KR", "B KR"])
        var toC = try record("C")
        toC.id = before[2].id
        var toB = try record("B")
        toB.id = before[1].id
        var toD = try record("D")
        toD.id = numbered(99)
        let result = try await self.import([toC, toB, try record("A"), toD], into: store)
        #expect(result.refusals.isEmpty && result.counts.stores.corrected == 2 && result.counts.stores.new == 2)
        let after = try await store.catalogue.stores().filter { $0.country.description == "KR" }
        #expect(after.map(\.name.description) == ["A", "B", "C", "D"])
        #expect(after[1].id == before[1].id && after[2].id == before[2].id && after[3].id == numbered(99))
        #expect(after[0].id != before[1].id)
        await #expect(throws: CareError.ambiguousID("a")) {
            try await store.catalogue.store(named: try #require(StoreName("a")))
        }
    }

    @Test("records that contradict each other are refused one by one")
    func refusals() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try seoul("2027-03-01T08:00"))
        var other = try record("Books")
        other.id = numbered(7)
        let result = try await self.import(
            [
                try record("Books", returnDays: 30, places: [("A", 37.5, 127)]),
                // What it grants need not be said again, but not otherwise.
                try record("Books", places: [("B", 37.6, 127)]),
                try record("Books", returnDays: 31, places: [("C", 37.7, 127)]),
                try record("Books", returnDays: 30, places: [("D", 37.5, 127)]),
                other,
            ], into: store)
        #expect(
            result.refusals == [.contradiction, .positionTaken(try #require(PlaceAddress("D"))), .nameTaken])
        #expect(result.counts == counts(stores: (1, 0, 0), places: (2, 0, 0, 0)))
    }

    @Test("an import that fails leaves nothing, and a second one waits for the first")
    func wholeOrNothing() async throws {
        struct Stop: Error {}
        let service = ServiceUnderTest()
        let store = service.store(at: try seoul("2027-03-01T08:00"))
        await #expect(throws: Stop.self) {
            try await store.importStores(isDryRun: false) { importing in
                for number in 0..<6_000 {
                    try await importing.take(try record("Books", places: [("A", Double(number) / 1000, 127)]))
                }
                throw Stop()
            }
        }
        #expect(try await service.texts("SELECT 1::text FROM place UNION ALL SELECT 1::text FROM store").isEmpty)
        async let one = self.import([try record("Books", places: [("A", 1, 1)])], into: store)
        async let two = self.import([try record("Books", places: [("A", 1, 1)])], into: store)
        let new = try await [one, two].map(\.counts.stores.new)
        #expect(new.sorted() == [0, 1])
    }

    // MARK: The nearest places

    /// The distance in metres by the angle between two vectors: another formula than the database's.
    private func distance(_ one: Position, _ other: Position) -> Double {
        func vector(_ position: Position) -> (Double, Double, Double) {
            let (latitude, longitude) = (position.latitude * .pi / 180, position.longitude * .pi / 180)
            return (cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
        }
        let (a, b) = (vector(one), vector(other))
        let cross = (a.1 * b.2 - a.2 * b.1, a.2 * b.0 - a.0 * b.2, a.0 * b.1 - a.1 * b.0)
        let sine = (cross.0 * cross.0 + cross.1 * cross.1 + cross.2 * cross.2).squareRoot()
        return 6_371_008.8 * atan2(sine, a.0 * b.0 + a.1 * b.1 + a.2 * b.2)
    }

    @Test("the nearest places are found everywhere: in cities, at the poles, and across the 180th meridian")
    func nearest() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try seoul("2027-03-01T08:00"))
        var random = SplitMix64(seed: 109)
        let centres: [(Double, Double)] = [(37.5, 127), (0, 180), (-17, -180), (89.9, 0), (-89.95, 90), (60, 10)]
        func somewhere() throws -> Position {
            let (latitude, longitude) = centres.randomElement(using: &random) ?? (0, 0)
            // As dense as shops: most are near the middle.
            let spread = pow(10, Double.random(in: -4...0, using: &random))
            var east = longitude + Double.random(in: -1...1, using: &random) * spread * (abs(latitude) > 89 ? 180 : 1)
            if east > 180 { east -= 360 }
            if east < -180 { east += 360 }
            let north = min(max(latitude + Double.random(in: -1...1, using: &random) * spread, -90), 90)
            return try #require(Position(latitude: north, longitude: east))
        }
        var known: [(name: String, position: Position)] = []
        var records: [StoreRecord] = []
        for number in 0..<3_000 {
            let name = ["Books", "Toys", "Parcels"][number % 3]
            let position = try somewhere()
            known.append((name, position))
            records.append(try record(name, places: [("\(number)", position.latitude, position.longitude)]))
        }
        let imported = try await self.import(records, into: store)
        #expect(imported.refusals.isEmpty)
        let books = try await store.catalogue.store(named: try #require(StoreName("books")))
        var found = 0
        for number in 0..<300 {
            let (position, radius) = (try somewhere(), [1, 7, 50][number % 3])
            let isOfBooks = number.isMultiple(of: 2)
            let places = try await store.catalogue.places(
                near: position, within: radius, of: isOfBooks ? books.id : nil, atMost: 7)
            let expected = known.filter { !isOfBooks || $0.name == "Books" }
                .map { distance($0.position, position) }.filter { $0 <= Double(radius) * 1000 }.sorted().prefix(7)
            #expect(places.count == expected.count, "\(position) \(radius)")
            for (place, distance) in zip(places, expected) {
                #expect(abs(place.distance - distance) < 0.01, "\(position) \(radius)")
                #expect(abs(self.distance(place.place.position, position) - place.distance) < 0.01)
            }
            found += places.count
        }
        #expect(found > 500)
    }

    @Test("an index finds the nearest places, of all stores and of one")
    func indexes() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try seoul("2027-03-01T08:00"))
        var records: [StoreRecord] = []
        for number in 0..<20_000 {
            let (north, east) = (Double(number % 141) / 100, Double(number / 141) / 100)
            records.append(try record("Store \(number % 100)", places: [("\(number)", 36 + north, 127 + east)]))
        }
        _ = try await self.import(records, into: store)
        _ = try await service.texts("ANALYZE place")
        let position = try #require(Position(latitude: 36.5, longitude: 127.5))
        for (id, index) in [(nil, "place_by_position"), (try await store.catalogue.stores()[0].id, "place_pkey")] {
            let statement = PlaceRow.nearest(to: position, within: 1_000, of: id, limit: 20)
            let plan = try await service.pool.withConnection { connection in
                try await connection.query("EXPLAIN \(statement.sql)", statement.parameters)
                    .map { try $0.decode(0, as: String.self) }.joined(separator: "\n")
            }
            #expect(plan.contains(index), "\(plan)")
            #expect(!plan.contains("Seq Scan on place"), "\(plan)")
        }
    }

    @Test("lists are searched in either case, and cut")
    func search() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try seoul("2027-03-01T08:00"))
        _ = try await self.import(
            try (0..<1_005).map { try record("Store \($0)") } + [try record("교보문고"), try record("100% Books_")],
            into: store)
        #expect(try await store.catalogue.stores().count == 1_000)
        #expect(try await store.catalogue.stores(search: "문고").map(\.name.description) == ["교보문고"])
        #expect(try await store.catalogue.stores(search: "0% bOOKS_").count == 1)
        #expect(try await store.catalogue.stores(search: "%").count == 1)
        await #expect(throws: CareError.notFound(.store)) { try await store.catalogue.store("00000000") }
        await #expect(throws: CareError.notFound(.store)) { try await store.catalogue.store("Store 1") }
    }
}
