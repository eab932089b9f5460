import Foundation

// How near neighbours are, and what they learn of it (rule 11.3).

/// Within how many kilometres of its own postcode an account looks for lists (rule 11.3).
public struct NeighbourRadius: Hashable, Sendable {
    public static let range = 2...50
    public static let usual = NeighbourRadius(unchecked: 6)

    public let kilometres: Int

    /// - Throws: ``ShoppingListError/invalidRadius(_:)``.
    public init(kilometres: Int) throws(ShoppingListError) {
        guard Self.range.contains(kilometres) else { throw .invalidRadius(kilometres) }
        self.kilometres = kilometres
    }

    private init(unchecked kilometres: Int) {
        self.kilometres = kilometres
    }
}

/// How far away a list is: less than so many kilometres, in steps of two (rule 11.3).
///
/// Distances are between the centres of postcodes, so that no number of them says more of a home than its postcode.
public struct NeighbourDistance: Hashable, Comparable, Sendable {
    public static let step = 2

    /// 2, 4, 6 …
    public let kilometres: Int

    /// - Parameter metres: the great-circle distance of two postcodes' centres, at least 0.
    public init(metres: Double) {
        let steps = (metres / Double(Self.step * 1000)).rounded(.down)
        kilometres = (Int(steps) + 1) * Self.step
    }

    public static func < (one: NeighbourDistance, other: NeighbourDistance) -> Bool {
        one.kilometres < other.kilometres
    }
}

extension Position {
    /// In metres: the mean radius of the earth.
    private static let earthRadius = 6_371_008.8

    /// The great-circle distance in metres, on a sphere (haversine).
    public func metres(to other: Position) -> Double {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let latitudes = sin(radians(other.latitude - latitude) / 2)
        let longitudes = sin(radians(other.longitude - longitude) / 2)
        let chord =
            latitudes * latitudes
            + cos(radians(latitude)) * cos(radians(other.latitude)) * longitudes * longitudes
        return 2 * Self.earthRadius * asin(min(1, chord.squareRoot()))
    }
}

/// When an account changed its postcode: twice in 30 days at most, so that nobody measures distances from many places (rule
/// 11.3).
public struct PostcodeChanges: Hashable, Sendable {
    public static let most = 2
    public static let days = 30

    /// The newest ones, oldest first, at most ``most``.
    public private(set) var instants: [Instant]

    public init(_ instants: [Instant] = []) {
        self.instants = Array(instants.sorted().suffix(Self.most))
    }

    /// Notes another change.
    ///
    /// - Throws: ``ShoppingListError/postcodeChangedTooOften``.
    public mutating func add(at now: Instant) throws(ShoppingListError) {
        let recent = instants.filter { now < $0.adding(hours: Self.days * 24) }
        guard recent.count < Self.most else { throw .postcodeChangedTooOften }
        self = PostcodeChanges(recent + [now])
    }
}
