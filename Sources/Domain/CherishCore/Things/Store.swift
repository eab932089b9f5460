/// A shop of the operator's catalogue, with what it grants those who bought there (rule 10.9).
public struct Store: Hashable, Sendable {
    public typealias ID = Identifier<Store>

    /// The days that a policy may grant.
    public static let policyDays = 0...3650

    public let id: ID
    public var name: StoreName
    public var country: Country
    /// Where the store explains how to return something.
    public var returnPolicyURL: PolicyURL?
    /// For how many days after the purchase things can be returned, in ``policyDays``; nil if it does not say.
    public var returnDays: Int?
    /// For how many days after the purchase things wait to be picked up, in ``policyDays``; nil if it does not say.
    public var pickupDays: Int?

    public init(
        id: ID, name: StoreName, country: Country, returnPolicyURL: PolicyURL? = nil, returnDays: Int? = nil,
        pickupDays: Int? = nil
    ) {
        self.id = id
        self.name = name
        self.country = country
        self.returnPolicyURL = returnPolicyURL
        self.returnDays = returnDays
        self.pickupDays = pickupDays
    }

    /// The last day to return or pick up what was bought on a day; nil if the store does not say.
    func dueDay(of kind: Thing.Kind, boughtOn day: CivilDay) -> CivilDay? {
        let days = kind == .pickup ? pickupDays : kind == .giveBack ? returnDays : nil
        return days.map { day + $0 }
    }
}

/// Where a store is (rule 10.9).
public struct Place: Hashable, Sendable {
    public let storeID: Store.ID
    public let address: PlaceAddress
    public let position: Position

    public init(storeID: Store.ID, address: PlaceAddress, position: Position) {
        (self.storeID, self.address, self.position) = (storeID, address, position)
    }
}

/// A position on the earth, in degrees (WGS 84), rounded to six decimals: a tenth of a metre.
public struct Position: Hashable, Sendable {
    /// Degrees north of the equator, -90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich, -180 to 180.
    public let longitude: Double

    /// - Returns: nil outside the ranges.
    public init?(latitude: Double, longitude: Double) {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        func rounded(_ degrees: Double) -> Double {
            // Adding zero makes -0 positive, which text shows otherwise.
            (degrees * 1_000_000).rounded() / 1_000_000 + 0
        }
        (self.latitude, self.longitude) = (rounded(latitude), rounded(longitude))
    }
}

/// What a file says of a store, and of places of it (rule 10.9).
public struct StoreRecord: Sendable {
    /// nil finds the store by name and country.
    public var id: Store.ID?
    public let name: StoreName
    public let country: Country
    public var returnPolicyURL: PolicyURL?
    /// In ``Store/policyDays``.
    public var returnDays, pickupDays: Int?
    /// nil if the file says nothing of them; then they stay as they are.
    public var places: [(address: PlaceAddress, position: Position)]?

    public init(name: StoreName, country: Country) {
        (self.name, self.country) = (name, country)
    }
}

/// A place with its distance from somewhere.
public struct NearbyPlace: Sendable {
    public let place: Place
    public let storeName: StoreName
    /// The great-circle distance in metres.
    public let distance: Double

    public init(place: Place, storeName: StoreName, distance: Double) {
        (self.place, self.storeName, self.distance) = (place, storeName, distance)
    }
}

// MARK: - Texts

/// What a store is called: 1–100 characters.
public struct StoreName: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Returns: nil for other text.
    public init?(_ text: String) {
        guard let tidy = TidyText.tidied(text, lengths: 1...TextLimit.title) else { return nil }
        description = tidy
    }

    /// Trusts a stored name, which was validated before.
    package init(stored text: String) {
        description = text
    }

    /// The form that is unique within a country.
    public var key: String { description.lowercased() }
}

/// An address as people write it: 1–200 characters.
public struct PlaceAddress: Hashable, Sendable, CustomStringConvertible {
    public static let longest = 200

    public let description: String

    /// - Returns: nil for other text.
    public init?(_ text: String) {
        guard let tidy = TidyText.tidied(text, lengths: 1...PlaceAddress.longest) else { return nil }
        description = tidy
    }

    /// Trusts a stored address, which was validated before.
    package init(stored text: String) {
        description = text
    }
}

/// A country: ISO 3166-1 alpha-2, such as `KR`.
public struct Country: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter text: two letters in either case.
    /// - Returns: nil for other text.
    public init?(_ text: String) {
        let letters = text.uppercased()
        guard letters.utf8.count == 2, letters.utf8.allSatisfy({ ("A"..."Z").contains(Character(UnicodeScalar($0))) })
        else {
            return nil
        }
        description = letters
    }

    /// Trusts a stored country, which was validated before.
    package init(stored text: String) {
        description = text
    }
}

/// The address of a page that explains a policy. It becomes a link, so no other scheme than the web's may be in it.
public struct PolicyURL: Hashable, Sendable, CustomStringConvertible {
    public static let longest = 2_000

    public let description: String

    /// - Returns: nil unless it begins with `http://` or `https://`, names a host, and consists of visible ASCII.
    public init?(_ text: String) {
        let scheme = ["https://", "http://"].first { text.lowercased().hasPrefix($0) }
        guard let scheme, text.utf8.count <= PolicyURL.longest, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            !text.utf8.contains(where: Array("\"'<>\\^`{|}".utf8).contains),
            let host = text.dropFirst(scheme.count).first, host.isLetter || host.isNumber || host == "["
        else { return nil }
        description = scheme + text.dropFirst(scheme.count)
    }

    /// Trusts a stored address, which was validated before.
    package init(stored text: String) {
        description = text
    }
}
