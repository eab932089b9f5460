import CherishCore
import Foundation
import Postgres

/// The operator's catalogue of stores and of their places (rule 10.9). It is the same for all accounts.
public struct StoreCatalogue: Sendable {
    /// How many stores a list has at most.
    public static let mostListed = 1_000
    /// How many places a search finds at most.
    public static let mostNearby = 20
    /// How far away places are looked for, in kilometres.
    public static let radii = 1...50

    /// The radius in metres with which a search begins. It doubles until there are enough places.
    private static let firstReach = 250.0

    fileprivate let read: @Sendable (Statement) async throws -> Rows

    /// Returns the stores whose names contain a text, in either case, sorted by name: the first ``mostListed``.
    public func stores(search text: String = "") async throws -> [Store] {
        try await read(
            Statement(
                """
                SELECT \(StoreRow.columns) FROM store WHERE position($1 IN name_key) > 0
                ORDER BY name_key, country LIMIT $2
                """, [text.lowercased(), StoreCatalogue.mostListed])
        ).map(StoreRow.decode)
    }

    /// Returns the store with an id, or whose id begins with at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func store(_ prefix: String) async throws -> Store {
        let whole = UUID(uuidString: prefix).map { ($0, $0) }
        guard let (lowest, highest) = whole ?? UUID.range(beginningWith: prefix) else {
            throw CareError.notFound(.store)
        }
        let rows = try await read(
            Statement(
                "SELECT \(StoreRow.columns) FROM store WHERE id BETWEEN $1 AND $2 LIMIT 2", [lowest, highest]))
        return try StoreRow.decode(try rows.only(beginningWith: prefix, orElse: .store))
    }

    /// Returns the store with a name, in either case.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)`` if several countries have one.
    public func store(named name: StoreName) async throws -> Store {
        let rows = try await read(
            Statement("SELECT \(StoreRow.columns) FROM store WHERE name_key = $1 LIMIT 2", [name.key]))
        if rows.count > 1 { throw CareError.ambiguousID(name.description) }
        guard let row = rows.first else { throw CareError.notFound(.store) }
        return try StoreRow.decode(row)
    }

    /// Returns how many places a store has.
    public func placeCount(of store: Store.ID) async throws -> Int {
        let rows = try await read(Statement("SELECT count(*) FROM place WHERE store_id = $1", [store]))
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no count") }
        return try reader.nextCount()
    }

    /// Returns the nearest places of a store, or of all, by great-circle distance.
    ///
    /// - Parameters:
    ///   - radius: in kilometres, in ``radii``.
    ///   - most: at most ``mostNearby``.
    public func places(
        near position: Position, within radius: Int, of store: Store.ID? = nil, atMost most: Int = mostNearby
    ) async throws -> [NearbyPlace] {
        let furthest = Double(radius) * 1000
        var reach = Self.firstReach
        while true {
            reach = min(reach, furthest)
            let rows = try await read(PlaceRow.nearest(to: position, within: reach, of: store, limit: most))
            if rows.count == most || reach == furthest { return try rows.map(PlaceRow.decode) }
            reach *= 2
        }
    }
}

extension CareStore {
    /// The catalogue for operators.
    public var catalogue: StoreCatalogue {
        StoreCatalogue { statement in
            try await pool.withConnection { try await $0.query(statement.sql, statement.parameters) }
        }
    }
}

extension Garden {
    /// The catalogue for the account.
    public var catalogue: StoreCatalogue { StoreCatalogue { try await read([$0])[0] } }
}

/// The rows of `store`.
enum StoreRow {
    static let columns: SQL = "id, name, country, return_policy_url, return_days, pickup_days"

    static func decode(_ row: Row) throws -> Store {
        var reader = row.reader
        let id = try reader.next(Store.ID.self)
        return try reader.reading("store", key: { [.id(id)] }) { reader in
            Store(
                id: id, name: StoreName(stored: try reader.next()), country: Country(stored: try reader.next()),
                returnPolicyURL: try reader.next(String?.self).map { PolicyURL(stored: $0) },
                returnDays: try reader.next(Int16?.self).map { Int($0) },
                pickupDays: try reader.next(Int16?.self).map { Int($0) })
        }
    }

    static func insert(_ stores: [Store]) -> Statement {
        Statement(
            """
            INSERT INTO store (id, name, name_key, country, return_policy_url, return_days, pickup_days)
            SELECT id, name, name_key, country, return_policy_url, return_days, pickup_days FROM \(values)
            """, parameters(stores))
    }

    static func update(_ stores: [Store]) -> Statement {
        Statement(
            """
            UPDATE store SET name = said.name, name_key = said.name_key, country = said.country,
                return_policy_url = said.return_policy_url, return_days = said.return_days, pickup_days = said.pickup_days
            FROM \(values) WHERE store.id = said.id
            """, parameters(stores))
    }

    private static let values: SQL = """
        unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::smallint[])
            AS said (id, name, name_key, country, return_policy_url, return_days, pickup_days)
        """

    private static func parameters(_ stores: [Store]) -> [any PostgresEncodable] {
        [
            stores.map(\.id), stores.map(\.name.description), stores.map(\.name.key), stores.map(\.country.description),
            stores.map { $0.returnPolicyURL?.description }, stores.map { $0.returnDays.map { Int16($0) } },
            stores.map { $0.pickupDays.map { Int16($0) } },
        ]
    }
}

/// The rows of `place`.
enum PlaceRow {
    /// The mean radius of the earth in metres (IUGG).
    fileprivate static let earthRadius = 6_371_008.8

    /// Selects the nearest places in a circle: the store, the address, the position, the store's name and the distance.
    ///
    /// An index finds the places in a window around the circle; the haversine formula then measures each.
    ///
    /// - Parameter radius: in metres.
    static func nearest(to position: Position, within radius: Double, of store: Store.ID?, limit: Int) -> Statement {
        let window = PlaceWindow(around: position, radius: radius)
        var parameters: [any PostgresEncodable] = [
            position.latitude, position.longitude, radius, limit, window.south, window.north, window.longitudes.west,
            window.longitudes.east, window.beyond.west, window.beyond.east, earthRadius,
        ]
        var isInWindow: SQL = """
            (point(longitude, latitude) <@ box(point($7, $5), point($8, $6))
                OR point(longitude, latitude) <@ box(point($9, $5), point($10, $6)))
            """
        if let store {
            parameters.append(store)
            isInWindow = """
                store_id = $12 AND latitude BETWEEN $5 AND $6
                    AND (longitude BETWEEN $7 AND $8 OR longitude BETWEEN $9 AND $10)
                """
        }
        return Statement(
            """
            SELECT nearest.store_id, nearest.address, nearest.latitude, nearest.longitude, store.name, nearest.distance
            FROM (
                SELECT found.* FROM (
                    SELECT store_id, address, latitude, longitude, \(distance) AS distance FROM place WHERE \(isInWindow)
                ) AS found
                WHERE found.distance <= $3 ORDER BY found.distance, found.store_id, found.address LIMIT $4
            ) AS nearest
            JOIN store ON store.id = nearest.store_id
            ORDER BY nearest.distance, nearest.store_id, nearest.address
            """, parameters)
    }

    private static let distance: SQL = """
        2 * $11::double precision * asin(least(1, sqrt(
            sin(radians(latitude - $1) / 2) ^ 2
                + cos(radians($1)) * cos(radians(latitude)) * sin(radians(longitude - $2) / 2) ^ 2)))
        """

    static func decode(_ row: Row) throws -> NearbyPlace {
        var reader = row.reader
        return NearbyPlace(
            place: try place(&reader), storeName: StoreName(stored: try reader.next()), distance: try reader.next())
    }

    static func decodePlace(_ row: Row) throws -> Place {
        var reader = row.reader
        return try place(&reader)
    }

    static func decodePosition(_ row: Row) throws -> Position {
        var reader = row.reader
        return try position(&reader)
    }

    private static func place(_ reader: inout RowReader) throws -> Place {
        Place(
            storeID: try reader.next(), address: PlaceAddress(stored: try reader.next()),
            position: try position(&reader))
    }

    private static func position(_ reader: inout RowReader) throws -> Position {
        guard let position = Position(latitude: try reader.next(), longitude: try reader.next()) else {
            throw UnreadableRow(what: "a position that is not on the earth")
        }
        return position
    }
}

/// The degrees between which a circle lies.
private struct PlaceWindow {
    /// Where no place is.
    private static let nowhere = (west: 200.0, east: 200.0)
    /// More than what rounding loses.
    private static let margin = 1e-9

    let south, north: Double
    let longitudes: (west: Double, east: Double)
    /// The part on the other side of the 180th meridian, or nowhere.
    let beyond: (west: Double, east: Double)

    /// - Parameter radius: in metres.
    init(around position: Position, radius: Double) {
        let angle = radius / PlaceRow.earthRadius
        let height = angle * 180 / .pi + Self.margin
        (south, north) = (position.latitude - height, position.latitude + height)
        guard south > -90, north < 90 else {
            // A pole is in the circle, and with it all longitudes.
            (longitudes, beyond) = ((-180, 180), Self.nowhere)
            return
        }
        let width = asin(sin(angle) / cos(position.latitude * .pi / 180)) * 180 / .pi + Self.margin
        let (west, east) = (position.longitude - width, position.longitude + width)
        longitudes = (west, east)
        beyond = west < -180 ? (west + 360, 180) : east > 180 ? (-180, east - 360) : Self.nowhere
    }
}
