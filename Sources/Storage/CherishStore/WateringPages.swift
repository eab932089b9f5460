import CherishCore
import Postgres

/// A place in the list of a plant's waterings, newest first: that of one watering.
public struct WateringPlace: Sendable, Equatable {
    public let day: CivilDay
    /// The watering's number within its plant, from 1.
    public let number: Int

    public init(day: CivilDay, number: Int) {
        (self.day, self.number) = (day, number)
    }
}

/// A part of the list of a plant's waterings.
public struct WateringPage: Sendable, Equatable {
    /// By day, then by number, both descending.
    public let waterings: [RecordedWatering]
    /// The place of the last one; nil if there are no older ones.
    public let next: WateringPlace?
}

extension Garden {
    /// Returns a page of a plant's waterings, newest first. What is recorded between two pages moves none from one to the
    /// other.
    ///
    /// - Parameters:
    ///   - place: the page begins behind it; nil begins with the newest.
    ///   - limit: how many waterings the page has at most, at least 1.
    /// - Throws: ``CareError/notFound(_:)``.
    public func wateringPage(of plantID: Plant.ID, after place: WateringPlace?, limit: Int) async throws -> WateringPage
    {
        // One more tells whether there are older ones.
        let waterings = Statement(
            """
            SELECT \(WateringRow.columns), \(Self.pointsGained) FROM watering
            WHERE lane = $1 AND plant_id = $2 AND \(Self.isOwn("$2", "$3"))
                AND (watered_on, number) < (coalesce($4, 'infinity'::date), coalesce($5, 0))
            ORDER BY watered_on DESC, number DESC LIMIT $6
            """, [accountID.lane, plantID, accountID, place?.day, place?.number, limit + 1])
        let rows = try await read([PlantRow.read(plantID, of: accountID), waterings])
        guard !rows[0].isEmpty else { throw CareError.notFound(.plant) }
        let found = try rows[1].map { try recordedWatering($0, of: plantID) }
        let page = Array(found.prefix(limit))
        let last = found.count > limit ? page.last?.watering : nil
        return WateringPage(
            waterings: page, next: last.map { WateringPlace(day: $0.wateredOn, number: $0.number) })
    }
}
