import CherishCore
import Foundation
import Postgres

/// Why a record was left out.
public enum StoreRefusal: Error, Hashable, Sendable {
    /// An earlier record says something else of the same store.
    case contradiction
    /// Another store of the country has the name.
    case nameTaken
    /// Another place of the store, with another address, is at the position.
    case positionTaken(PlaceAddress)
}

/// What an import did, or would do.
public struct StoreImportCounts: Sendable, Equatable {
    /// Of stores or of places.
    public struct Kind: Sendable, Equatable {
        public var new = 0
        public var corrected = 0
        public var unchanged = 0
        public var removed = 0
    }

    public var stores = Kind()
    public var places = Kind()
}

extension StoreRecord {
    fileprivate var saysNoPolicy: Bool { returnPolicyURL == nil && returnDays == nil && pickupDays == nil }

    fileprivate func store(_ id: Store.ID) -> Store {
        Store(
            id: id, name: name, country: country, returnPolicyURL: returnPolicyURL, returnDays: returnDays,
            pickupDays: pickupDays)
    }
}

extension CareStore {
    /// Imports a catalogue in one transaction. If `body` throws, nothing was done. Things keep their due days.
    ///
    /// - Parameters:
    ///   - isDryRun: whether to report what would happen without writing anything.
    ///   - body: hands over the records one by one.
    public func importStores(
        isDryRun: Bool, _ body: (StoreImport) async throws -> Void
    ) async throws -> StoreImportCounts {
        do {
            // The file can be read only once.
            return try await pool.withTransaction(attempts: 1) { connection in
                let importing = try await StoreImport(on: connection, randomID: { Store.ID(identifiers.random()) })
                try await body(importing)
                let counts = try await importing.finish()
                if isDryRun { throw DryRun(counts: counts) }
                return counts
            }
        } catch let end as DryRun {
            return end.counts
        }
    }

    /// Rolls back.
    private struct DryRun: Error {
        let counts: StoreImportCounts
    }
}

/// An import of a catalogue. It knows all stores; places go through it in batches.
///
/// A file says everything about the stores that it names: what it leaves empty is removed. Only of places it may say
/// nothing at all.
public final class StoreImport {
    private struct Key: Hashable {
        let name: String
        let country: Country

        init(_ name: StoreName, _ country: Country) {
            (self.name, self.country) = (name.key, country)
        }
    }

    private static let batchSize = 5_000
    /// Any number that no other program uses: one import at a time.
    private static let lock: SQL = "SELECT pg_advisory_xact_lock(7330109001)"

    private let connection: Connection
    private let randomID: () -> Store.ID
    private var stores: [Store.ID: Store] = [:]
    private var ids: [Key: Store.ID] = [:]
    /// The stores that the file has named.
    private var named: Set<Store.ID> = []
    /// The positions of the places that the file has named, by the stores of whose places it speaks.
    private var positions: [Store.ID: Set<Position>] = [:]
    private var newStores: [Store] = []
    private var correctedStores: [Store] = []
    private var places: [Place] = []
    private var counts = StoreImportCounts()

    fileprivate init(on connection: Connection, randomID: @escaping () -> Store.ID) async throws {
        self.connection = connection
        self.randomID = randomID
        try await connection.execute(Self.lock)
        for row in try await connection.query("SELECT \(StoreRow.columns) FROM store") {
            let store = try StoreRow.decode(row)
            stores[store.id] = store
            ids[Key(store.name, store.country)] = store.id
        }
    }

    /// Takes the next record.
    ///
    /// - Throws: ``StoreRefusal``; then the record is left out.
    public func take(_ record: StoreRecord) async throws {
        let id = try id(of: record)
        let said = record.store(id)
        try check(record, says: said)
        let places = try newPlaces(of: record, id)
        if named.insert(id).inserted { name(said) }
        if record.places != nil { positions[id, default: []].formUnion(places.map(\.position)) }
        self.places += places
        if self.places.count >= Self.batchSize { try await write() }
    }

    private func id(of record: StoreRecord) throws(StoreRefusal) -> Store.ID {
        let holder = ids[Key(record.name, record.country)]
        guard let id = record.id else { return holder ?? randomID() }
        if let holder, holder != id { throw .nameTaken }
        return id
    }

    /// A store that the file has named already stays as it is. What it grants need not be repeated with each place.
    private func check(_ record: StoreRecord, says said: Store) throws(StoreRefusal) {
        guard named.contains(said.id), let known = stores[said.id], said != known else { return }
        guard record.saysNoPolicy, said.name == known.name else { throw .contradiction }
    }

    /// The record's places that the file has not named yet.
    private func newPlaces(of record: StoreRecord, _ id: Store.ID) throws(StoreRefusal) -> [Place] {
        var seen = positions[id] ?? []
        var new: [Place] = []
        for (address, position) in record.places ?? [] {
            guard seen.insert(position).inserted else { throw .positionTaken(address) }
            new.append(Place(storeID: id, address: address, position: position))
        }
        return new
    }

    /// Takes over what the file says of a store when it names it first.
    private func name(_ said: Store) {
        switch stores[said.id] {
        case said:
            counts.stores.unchanged += 1
            return
        case let known?:
            ids[Key(known.name, known.country)] = nil
            correctedStores.append(said)
            counts.stores.corrected += 1
        case nil:
            newStores.append(said)
            counts.stores.new += 1
        }
        stores[said.id] = said
        ids[Key(said.name, said.country)] = said.id
    }

    // MARK: - Writing

    private func write() async throws {
        // A new store may have a name that a corrected one had.
        if !correctedStores.isEmpty { try await run(StoreRow.update(correctedStores)) }
        if !newStores.isEmpty { try await run(StoreRow.insert(newStores)) }
        (correctedStores, newStores) = ([], [])
        let known = try await addresses(of: places)
        var new: [Place] = []
        var corrected: [Place] = []
        for place in places {
            switch known[PlaceKey(place)] {
            case nil: new.append(place)
            case place.address.description: counts.places.unchanged += 1
            default: corrected.append(place)
            }
        }
        counts.places.new += new.count
        counts.places.corrected += corrected.count
        if !new.isEmpty { try await run(PlaceRow.insert(new)) }
        if !corrected.isEmpty { try await run(PlaceRow.update(corrected)) }
        places = []
    }

    private struct PlaceKey: Hashable {
        let store: Store.ID
        let position: Position

        init(_ place: Place) {
            (store, position) = (place.storeID, place.position)
        }
    }

    /// The addresses of those of the places that are there.
    private func addresses(of places: [Place]) async throws -> [PlaceKey: String] {
        if places.isEmpty { return [:] }
        let lookup = PlaceRow.read(places)
        return try await connection.query(lookup.sql, lookup.parameters).reduce(into: [:]) { known, row in
            let place = try PlaceRow.decodePlace(row)
            known[PlaceKey(place)] = place.address.description
        }
    }

    /// Writes the rest, and removes the places that the file does not name any more.
    fileprivate func finish() async throws -> StoreImportCounts {
        try await write()
        for (store, named) in positions {
            for gone in try await self.gone(from: store, named) {
                counts.places.removed += gone.count
                try await run(PlaceRow.delete(gone, of: store))
            }
        }
        return counts
    }

    /// The positions of a store's places that the file does not name, in batches.
    private func gone(from store: Store.ID, _ named: Set<Position>) async throws -> [[Position]] {
        var gone: [[Position]] = []
        var last: Position?
        while true {
            let page = PlaceRow.positions(of: store, after: last, limit: Self.batchSize)
            let positions = try await connection.query(page.sql, page.parameters).map(PlaceRow.decodePosition)
            let missing = positions.filter { !named.contains($0) }
            if !missing.isEmpty { gone.append(missing) }
            guard positions.count == Self.batchSize else { return gone }
            last = positions.last
        }
    }

    private func run(_ statement: Statement) async throws {
        _ = try await connection.execute(statement.sql, statement.parameters)
    }
}

extension PlaceRow {
    private static let values: SQL = """
        unnest($1::uuid[], $2::double precision[], $3::double precision[], $4::text[])
            AS said (store_id, latitude, longitude, address)
        """
    private static let isSame: SQL = """
        place.store_id = said.store_id AND place.latitude = said.latitude AND place.longitude = said.longitude
        """

    private static func parameters(_ places: [Place]) -> [any PostgresEncodable] {
        [
            places.map(\.storeID), places.map(\.position.latitude), places.map(\.position.longitude),
            places.map(\.address.description),
        ]
    }

    /// Reads those of the places that are there, for ``decodePlace(_:)``.
    fileprivate static func read(_ places: [Place]) -> Statement {
        Statement(
            """
            SELECT place.store_id, place.address, place.latitude, place.longitude
            FROM \(values) JOIN place ON \(isSame)
            """, parameters(places))
    }

    fileprivate static func insert(_ places: [Place]) -> Statement {
        Statement(
            """
            INSERT INTO place (store_id, latitude, longitude, address)
            SELECT store_id, latitude, longitude, address FROM \(values)
            """, parameters(places))
    }

    fileprivate static func update(_ places: [Place]) -> Statement {
        Statement("UPDATE place SET address = said.address FROM \(values) WHERE \(isSame)", parameters(places))
    }

    fileprivate static func delete(_ positions: [Position], of store: Store.ID) -> Statement {
        Statement(
            """
            DELETE FROM place
            USING unnest($2::double precision[], $3::double precision[]) AS said (latitude, longitude)
            WHERE place.store_id = $1 AND place.latitude = said.latitude AND place.longitude = said.longitude
            """, [store, positions.map(\.latitude), positions.map(\.longitude)])
    }

    /// Reads the positions of a store's places in their order, for ``decodePosition(_:)``.
    fileprivate static func positions(of store: Store.ID, after last: Position?, limit: Int) -> Statement {
        Statement(
            """
            SELECT latitude, longitude FROM place
            WHERE store_id = $1 AND ($2::double precision IS NULL OR (latitude, longitude) > ($2, $3))
            ORDER BY latitude, longitude LIMIT $4
            """, [store, last?.latitude, last?.longitude, limit])
    }
}
