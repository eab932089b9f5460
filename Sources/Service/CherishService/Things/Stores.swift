import CherishCore
import CherishStore
import Foundation

extension CareService {
    /// The stores whose names contain a text, sorted by name.
    public func stores(search text: String = "") async throws -> [Store] {
        try await engine.store.catalogue.stores(search: text)
    }

    /// A store with its places.
    ///
    /// - Parameter reference: the store's id, a prefix of at least 8 digits, or its name.
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func store(_ reference: String) async throws -> StoreView {
        try await engine.store.catalogue.view(of: reference)
    }

    /// The nearest places of a store, or of all (rule 10.9).
    ///
    /// - Parameter radius: in kilometres, in ``StoreCatalogue/radii``.
    public func places(near position: Position, within radius: Int, of store: Store.ID? = nil) async throws
        -> [NearbyPlace]
    {
        try await engine.store.catalogue.places(near: position, within: radius, of: store)
    }
}

extension GardenService {
    /// The stores whose names contain a text, sorted by name.
    public func stores(search text: String = "") async throws -> [Store] {
        try await garden.catalogue.stores(search: text)
    }

    /// A store with its places.
    ///
    /// - Parameter reference: the store's id, a prefix of at least 8 digits, or its name.
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func store(_ reference: String) async throws -> StoreView {
        try await garden.catalogue.view(of: reference)
    }

    /// Where a thing was bought; nil if it does not say. An account that was restored from another database may name a store
    /// that is unknown here.
    public func store(of thing: Thing) async throws -> Store? {
        guard let id = thing.storeID else { return nil }
        do {
            return try await garden.catalogue.store(id.description)
        } catch CareError.notFound(.store) {
            return nil
        }
    }

    /// The nearest places of a store, or of all (rule 10.9).
    ///
    /// - Parameter radius: in kilometres, in ``StoreCatalogue/radii``.
    public func places(near position: Position, within radius: Int, of store: Store.ID? = nil) async throws
        -> [NearbyPlace]
    {
        try await garden.catalogue.places(near: position, within: radius, of: store)
    }

    /// The store that a request about a thing names.
    ///
    /// - Throws: ``ThingError/storeUnknown``, ``CareError/ambiguousID(_:)``.
    func knownStore(_ reference: String) async throws -> Store {
        do {
            return try await garden.catalogue.store(reference: reference)
        } catch CareError.notFound(.store) {
            throw ThingError.storeUnknown
        }
    }
}

/// A store and how many places it has.
public struct StoreView: Sendable {
    public let store: Store
    public let placeCount: Int

    public var document: StoreDocument { StoreDocument(store, placeCount: placeCount) }
}

extension StoreCatalogue {
    fileprivate func view(of reference: String) async throws -> StoreView {
        let store = try await store(reference: reference)
        return StoreView(store: store, placeCount: try await placeCount(of: store.id))
    }

    /// What has the form of an id is taken for one first; a name may have it, too.
    fileprivate func store(reference: String) async throws -> Store {
        do {
            return try await store(reference)
        } catch CareError.notFound(.store) {
            guard let name = StoreName(reference) else { throw CareError.notFound(.store) }
            return try await store(named: name)
        }
    }
}

// MARK: - Documents

/// A store of the catalogue.
public struct StoreDocument: Codable, Sendable {
    let id, name, country: String
    let returnPolicyUrl: Nullable<String>
    let returnDays, pickupDays: Nullable<Int>
    /// Null in lists.
    let placeCount: Nullable<Int>

    init(_ store: Store, placeCount: Int? = nil) {
        id = store.id.description
        name = store.name.description
        country = store.country.description
        returnPolicyUrl = Nullable(store.returnPolicyURL?.description)
        returnDays = Nullable(store.returnDays)
        pickupDays = Nullable(store.pickupDays)
        self.placeCount = Nullable(placeCount)
    }
}

/// A list of stores.
public struct StoresDocument: Codable, Sendable {
    public let stores: [StoreDocument]

    public init(_ stores: [Store]) {
        self.stores = stores.map { StoreDocument($0) }
    }
}

/// Places by their distance.
public struct NearbyPlacesDocument: Codable, Sendable {
    struct Item: Codable, Sendable {
        let storeId, store, address: String
        let latitude, longitude: Double
        let distanceKm: Double
    }

    let places: [Item]

    public init(_ places: [NearbyPlace]) {
        self.places = places.map { found in
            Item(
                storeId: found.place.storeID.description, store: found.storeName.description,
                address: found.place.address.description, latitude: found.place.position.latitude,
                longitude: found.place.position.longitude, distanceKm: (found.distance / 10).rounded() / 100)
        }
    }
}
