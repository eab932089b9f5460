import CherishCore
import CherishStore
import Foundation
import Postgres
import SystemTimeZones

/// The nearest places among a million: half of them in one city, half all over a country, as shops are.
enum PlacesBenchmark {
    static func run(size: Size, in laboratory: Laboratory) async throws {
        let count = size.isSmoke ? 2_000 : 1_000_000
        let searches = size.isSmoke ? 20 : 1_000
        try await laboratory.withConnections(1) { pool in
            let store = CareStore(pool: pool, zones: SystemTimeZones())
            progress("places: importing \(count)")
            let start = ContinuousClock.now
            _ = try await store.importStores(isDryRun: false) { importing in
                for number in 0..<count { try await importing.take(try record(number)) }
            }
            let imported = (ContinuousClock.now - start) / .seconds(1)
            try await laboratory.script("VACUUM ANALYZE place")
            let one = try await store.catalogue.stores()[0].id
            // Reads the index once.
            _ = try await search(store.catalogue, nil, radius: 10, times: searches)
            var rows = [["", "radius", "p50, ms", "p99, ms", "slowest, ms", "places found"]]
            for (title, id) in [("of all stores", Store.ID?.none), ("of one store", one)] {
                for radius in [1, 10, 50] {
                    rows.append(
                        [title, "\(radius) km"]
                            + (try await search(store.catalogue, id, radius: radius, times: searches)))
                }
            }
            Report.table(
                "places: the nearest 20 among \(Report.count(Double(count))), imported in \(Report.decimal(imported, 1)) s",
                rows)
        }
    }

    /// A text or a position of this benchmark that no rule accepts.
    private struct Impossible: Error {}

    private static func record(_ number: Int) throws -> StoreRecord {
        guard let name = StoreName("Store \(number % 2_000)"), let country = Country("KR"),
            let address = PlaceAddress("Street \(number)")
        else { throw Impossible() }
        var record = StoreRecord(name: name, country: country)
        record.places = [(address, try position())]
        return record
    }

    private static func position() throws -> Position {
        func about(_ middle: Double, _ width: Double) -> Double {
            middle + ((0..<3).map { _ in Double.random(in: 0...1) }.reduce(0, +) - 1.5) * width
        }
        let position =
            Bool.random()
            ? Position(latitude: about(37.5, 0.2), longitude: about(127, 0.25))
            : Position(latitude: .random(in: 33.2...38.2), longitude: .random(in: 126.2...129.4))
        guard let position else { throw Impossible() }
        return position
    }

    private static func search(_ catalogue: StoreCatalogue, _ store: Store.ID?, radius: Int, times: Int) async throws
        -> [String]
    {
        var (milliseconds, found): ([Double], Int) = ([], 0)
        for _ in 0..<times {
            let position = try position()
            let start = ContinuousClock.now
            found += try await catalogue.places(near: position, within: radius, of: store).count
            milliseconds.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        milliseconds.sort()
        return [milliseconds[times / 2], milliseconds[times * 99 / 100], milliseconds[times - 1]]
            .map { Report.decimal($0, 2) } + [Report.decimal(Double(found) / Double(times), 1)]
    }
}
