import CherishCore
import Postgres

/// An account's living plants, and their waterings of some days.
public struct GardenDays: Sendable {
    public let viewpoint: Viewpoint
    /// In the order of rule 2.4.
    public let plants: [Plant]
    /// Sorted by day, then by recording order.
    public let waterings: [Plant.ID: [Watering]]
    /// Whether there are more waterings than were asked for.
    public let isCut: Bool
}

extension Garden {
    /// Returns the living plants, and their waterings from `first` through `last`.
    ///
    /// - Parameters:
    ///   - first: nil means 30 days back, or `last` if that is earlier. Today in the account's zone is only known with the
    ///     answer, so a day more may be returned.
    ///   - last: nil means all later days.
    ///   - limit: the maximum number of waterings.
    public func days(from first: CivilDay?, to last: CivilDay?, limit: Int) async throws -> GardenDays {
        let waterings = Statement(
            """
            SELECT plant_id, \(WateringRow.columns) FROM watering
            WHERE lane = $1 AND plant_id = ANY (ARRAY(
                    SELECT id FROM plant WHERE lane = $1 AND account_id = $2 AND removed_at IS NULL))
                AND watered_on >= coalesce($3, least((coalesce($5, clock_timestamp()) AT TIME ZONE 'UTC')::date - 31, $4))
                AND watered_on <= coalesce($4, 'infinity')
            ORDER BY plant_id, watered_on, number LIMIT $6
            """, [accountID.lane, accountID, first, last, store.time.fixedInstant, limit + 1])
        let seen = try await see([plantList(isArchived: false), waterings])
        return GardenDays(
            viewpoint: seen.viewpoint, plants: Plant.listed(try seen.rows[0].map(PlantRow.decode)),
            waterings: try self.waterings(Array(seen.rows[1].prefix(limit))), isCut: seen.rows[1].count > limit)
    }

    /// Reads waterings, each after the id of its plant.
    func waterings(_ rows: [Row]) throws -> [Plant.ID: [Watering]] {
        var found: [Plant.ID: [Watering]] = [:]
        for row in rows {
            var reader = row.reader
            let plantID = try reader.next(Plant.ID.self)
            found[plantID, default: []].append(try WateringRow.decode(&reader, of: (plantID, accountID.lane)))
        }
        return found
    }
}
