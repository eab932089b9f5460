import CherishCore
import Foundation
import Postgres

/// The counts on My page (rules 8.1 and 8.4).
public struct Statistics: Sendable, Equatable {
    /// Living plants.
    public let plantCount: Int
    /// All waterings and postponements, including those of removed plants.
    public let wateringCount: Int
    public let postponementCount: Int
    /// Living plants with full affection.
    public let fullCount: Int
}

/// Where an account sees its garden from: its settings, and the engine's now.
public struct Viewpoint: Sendable {
    public let account: Account
    public let now: Instant
}

/// All plants of an account.
public struct GardenOverview: Sendable {
    public let viewpoint: Viewpoint
    public let tags: AccountTags
    /// In the order of rule 2.4.
    public let plants: [Plant]
}

/// What a list shows of an account's living plants.
public struct GardenGlances: Sendable {
    public let viewpoint: Viewpoint
    public let tags: AccountTags
    /// In the order of rule 2.4.
    public let plants: [PlantGlance]
}

/// A plant with what its page shows (rule 8.2).
public struct PlantDetail: Sendable {
    public let viewpoint: Viewpoint
    public let plant: Plant
    /// Sorted by name.
    public let tags: [Tag]
    /// The two newest waterings with a review.
    public let reviewed: [RecordedWatering]
    public let newest: Watering?
}

/// A planned push and how it ended, as the view `push` shows it.
public struct PushRecord: Sendable, Equatable {
    public let lane: Lane
    /// nil if the occurrence never became a job.
    public let seq: Int?
    public let subjectID: Subject.ID
    public let topic: Topic
    /// The civil day that the push is about. For plants it is the due date, the birthday, or the day of the watering.
    public let occursOn: CivilDay
    public let plannedAt: Instant
    public let expiresAt: Instant?
    /// nil while pending.
    public let outcome: PushOutcome?
    /// nil while pending.
    public let reason: PushReason?
    public let finishedAt: Instant?
}

/// The outcome of a push at one device.
public struct DeviceRecord: Sendable, Equatable {
    /// The job's number in its lane.
    public let seq: Int
    public let deviceID: Device.ID
    /// nil if the device was removed since.
    public let platform: Device.Platform?
    public let outcome: DeviceOutcome
    public let reason: String
    public let attempts: Int
}

extension Garden {
    /// Returns the account's plant whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func plant(_ prefix: String) async throws -> Plant {
        guard let range = UUID.range(beginningWith: prefix) else { throw CareError.notFound(.plant) }
        let rows = try await read(
            """
            SELECT \(PlantRow.columns) FROM plant
            WHERE lane = $1 AND account_id = $2 AND id BETWEEN $3 AND $4 LIMIT 2
            """, [accountID.lane, accountID, range.lowerBound, range.upperBound])
        return try PlantRow.decode(try rows.only(beginningWith: prefix, orElse: .plant))
    }

    /// Returns the account's plants in the order of rule 2.4.
    public func plants(isArchived: Bool = false) async throws -> [Plant] {
        try await overview(isArchived: isArchived).plants
    }

    /// Returns a plant's waterings from `first` through `last`, sorted by day, then by recording order.
    public func waterings(of plantID: Plant.ID, from first: CivilDay, to last: CivilDay) async throws -> [Watering] {
        try await read { connection in
            try await connection.query(
                """
                SELECT \(WateringRow.columns) FROM watering
                WHERE lane = $1 AND plant_id = $2 AND \(Self.isOwn("$2", "$3")) AND watered_on BETWEEN $4 AND $5
                ORDER BY watered_on, number
                """, [accountID.lane, plantID, accountID, first, last]
            ).map { try watering($0, of: plantID) }
        }
    }

    /// Returns where the account sees its garden from.
    public func viewpoint() async throws -> Viewpoint { try await see([]).viewpoint }

    /// Returns all plants in the order of rule 2.4, with their tags.
    public func overview(isArchived: Bool = false) async throws -> GardenOverview {
        let seen = try await see(
            [TagRow.list(of: accountID), TagRow.taggings(of: accountID), plantList(isArchived: isArchived)])
        return GardenOverview(
            viewpoint: seen.viewpoint,
            tags: try TagRow.accountTags(try TagRow.sorted(seen.rows[0], of: accountID), seen.rows[1]),
            plants: Plant.listed(try seen.rows[2].map(PlantRow.decode)))
    }

    /// Returns what a list shows of the living plants, in the order of rule 2.4.
    ///
    /// - Parameter isTagged: whether to find out which plants have which tags, too.
    public func glances(isTagged: Bool) async throws -> GardenGlances {
        let seen = try await see(
            [TagRow.list(of: accountID), PlantGlanceRow.list(of: accountID)]
                + (isTagged ? [TagRow.taggings(of: accountID)] : []))
        let tags = try TagRow.sorted(seen.rows[0], of: accountID)
        return GardenGlances(
            viewpoint: seen.viewpoint,
            tags: isTagged ? try TagRow.accountTags(tags, seen.rows[2]) : AccountTags(tags: tags),
            plants: PlantGlance.listed(try seen.rows[1].map { try PlantGlanceRow.decode($0, of: accountID) }))
    }

    /// Returns the tags of a plant, sorted by name, and where the account sees it from.
    public func tags(of plantID: Plant.ID) async throws -> (viewpoint: Viewpoint, tags: [Tag]) {
        let seen = try await see([TagRow.list(of: accountID, on: plantID)])
        return (seen.viewpoint, try TagRow.sorted(seen.rows[0], of: accountID))
    }

    /// Returns a plant with its tags, the two newest waterings with a review, and the newest watering of all (rule 8.2).
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func detail(of plantID: Plant.ID) async throws -> PlantDetail {
        let parameters: [any PostgresEncodable] = [accountID.lane, plantID, accountID]
        let reviewed = Statement(
            """
            SELECT \(WateringRow.columns), \(Self.pointsGained)
            FROM watering
            WHERE lane = $1 AND plant_id = $2 AND \(Self.isOwn("$2", "$3")) AND (keywords <> '{}' OR memo IS NOT NULL)
            ORDER BY watered_on DESC, number DESC LIMIT 2
            """, parameters)
        let newest = Statement(
            """
            SELECT \(WateringRow.columns) FROM watering
            WHERE lane = $1 AND plant_id = $2 AND \(Self.isOwn("$2", "$3"))
            ORDER BY watered_on DESC, number DESC LIMIT 1
            """, parameters)
        let seen = try await see(
            [PlantRow.read(plantID, of: accountID), TagRow.list(of: accountID, on: plantID), reviewed, newest])
        guard let plant = seen.rows[0].first else { throw CareError.notFound(.plant) }
        return PlantDetail(
            viewpoint: seen.viewpoint, plant: try PlantRow.decode(plant),
            tags: try TagRow.sorted(seen.rows[1], of: accountID),
            reviewed: try seen.rows[2].map { try recordedWatering($0, of: plantID) },
            newest: try seen.rows[3].first.map { try watering($0, of: plantID) })
    }

    /// Reads with statements, the account and the engine's now in one round trip.
    func see(_ statements: [Statement]) async throws -> (viewpoint: Viewpoint, rows: [Rows]) {
        let rows = try await read([AccountRow.seen(accountID, at: store.time.fixedInstant)] + statements)
        return (try AccountRow.viewpoint(rows[0]), Array(rows.dropFirst()))
    }

    /// Selects the account's living plants, or those that were removed.
    func plantList(isArchived: Bool) -> Statement {
        Statement(
            """
            SELECT \(PlantRow.columns) FROM plant
            WHERE lane = $1 AND account_id = $2 AND (removed_at IS NOT NULL) = $3
            """, [accountID.lane, accountID, isArchived])
    }

    /// Returns the counts on My page (rule 8.1).
    public func statistics() async throws -> Statistics {
        let rows = try await read(
            """
            SELECT count(*) FILTER (WHERE removed_at IS NULL), coalesce(sum(watering_count), 0)::bigint,
                coalesce(sum(postponement_count), 0)::bigint,
                count(*) FILTER (WHERE removed_at IS NULL AND affection = $3)
            FROM plant WHERE lane = $1 AND account_id = $2
            """, [accountID.lane, accountID, Affection.full])
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no counts") }
        return Statistics(
            plantCount: try reader.next(), wateringCount: try reader.next(), postponementCount: try reader.next(),
            fullCount: try reader.next())
    }

    /// Returns the account's scheduled pushes, or those about one subject, in planning order.
    public func pushes(of subjectID: Subject.ID? = nil) async throws -> [PushRecord] {
        try await read { connection in
            try await connection.query(
                """
                SELECT planned.lane, planned.seq, planned.subject_id, planned.topic, \(store.domains.occursOn),
                    planned.at, planned.expires_at, planned.outcome, planned.reason, planned.finished_at
                FROM (SELECT push.*, push.planned_at AS at FROM \(pushSource) AS push) AS planned
                WHERE planned.lane = $1 AND planned.account_id = $2 AND ($3::uuid IS NULL OR planned.subject_id = $3)
                ORDER BY planned.at, planned.subject_id, planned.topic, planned.ref
                """, [accountID.lane, accountID, subjectID]
            ).map { row in
                var reader = row.reader
                return PushRecord(
                    lane: try reader.next(), seq: try reader.next(), subjectID: try reader.next(),
                    topic: store.domains.topic(try reader.next()), occursOn: try reader.next(),
                    plannedAt: try reader.next(), expiresAt: try reader.next(),
                    outcome: try reader.next(String?.self).flatMap(PushOutcome.init),
                    reason: try reader.next(String?.self).map { store.domains.reason($0) },
                    finishedAt: try reader.next())
            }
        }
    }

    /// Returns the per-device outcomes of the pushes about a subject, in log order.
    public func deviceRecords(of subjectID: Subject.ID) async throws -> [DeviceRecord] {
        try await read { connection in
            try await connection.query(
                """
                SELECT job.seq, asked.device_id, device.platform::text, asked.outcome, asked.reason, asked.attempts
                FROM push_job AS job
                JOIN push_device_outcome AS asked ON asked.lane = $1 AND asked.recorded_at = job.recorded_at
                    AND asked.seq = job.seq
                LEFT JOIN device ON device.lane = $1 AND device.id = asked.device_id
                WHERE job.lane = $1 AND job.account_id = $2 AND job.subject_id = $3
                ORDER BY job.seq, asked.device_id
                """, [accountID.lane, accountID, subjectID]
            ).map { row in
                var reader = row.reader
                return DeviceRecord(
                    seq: try reader.next(), deviceID: try reader.next(),
                    platform: try reader.next(String?.self).flatMap(Device.Platform.init),
                    outcome: try reader.next(label: DeviceOutcome.self), reason: try reader.next(),
                    attempts: try reader.next())
            }
        }
    }

    /// Whether a plant belongs to the account; its history tables have no account id. Parameter 1 is the lane.
    static func isOwn(_ plant: SQL, _ account: SQL) -> SQL {
        "EXISTS (SELECT 1 FROM plant WHERE plant.lane = $1 AND plant.id = \(plant) AND plant.account_id = \(account))"
    }

    /// The points of a row of `watering`. Parameter 1 is the lane.
    static let pointsGained: SQL = """
        (SELECT coalesce(sum(points), 0)::bigint FROM affection_entry AS entry
        WHERE entry.lane = $1 AND entry.plant_id = watering.plant_id AND entry.watering_number = watering.number)
        """

    /// Decodes the columns of a watering, followed by ``pointsGained``.
    ///
    /// - Parameter column: the first of them.
    func recordedWatering(_ row: Row, from column: Int = 0, of plantID: Plant.ID) throws -> RecordedWatering {
        var reader = row.reader(from: column)
        return RecordedWatering(
            plantID: plantID, watering: try WateringRow.decode(&reader, of: (plantID, accountID.lane)),
            pointsGained: try reader.next())
    }

    private func watering(_ row: Row, of plantID: Plant.ID) throws -> Watering {
        var reader = row.reader
        return try WateringRow.decode(&reader, of: (plantID, accountID.lane))
    }
}
