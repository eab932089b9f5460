import CherishCore
import Foundation
import Postgres

/// The counts of my page (rules 8.1 and 8.4).
public struct Statistics: Sendable, Equatable {
    /// Living plants.
    public let plantCount: Int
    /// All waterings and postponements, those of archived plants too.
    public let wateringCount: Int
    public let postponementCount: Int
    /// How many living plants are full.
    public let fullCount: Int
}

/// A planned push and how it ended, as the view `push` shows it.
public struct PushRecord: Sendable, Equatable {
    public let lane: Lane
    /// nil where the occurrence never became a job.
    public let seq: Int?
    public let plantID: Plant.ID
    public let kind: PushKind
    /// The due date, the birthday, or the civil day of the watering.
    public let occursOn: CivilDay
    public let plannedAt: Instant
    public let expiresAt: Instant?
    /// nil while pending.
    public let outcome: PushOutcome?
    public let reason: String?
    public let finishedAt: Instant?
}

/// What came of a push at one device.
public struct DeviceRecord: Sendable, Equatable {
    /// The job's number in its lane.
    public let seq: Int
    public let deviceID: Device.ID
    /// nil when the device was removed since.
    public let platform: Device.Platform?
    public let outcome: DeviceOutcome
    public let reason: String
    public let attempts: Int
}

extension CareStore {
    /// The plant whose id begins so; 8 hexadecimal digits at least.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func plant(_ prefix: String) async throws -> Plant {
        guard let range = UUID.range(beginningWith: prefix) else { throw CareError.notFound(.plant) }
        let rows = try await pool.withConnection { connection in
            // The lanes are named so that the primary key serves the search.
            try await connection.query(
                """
                SELECT \(PlantRow.columns) FROM plant
                WHERE lane = ANY ($1) AND id BETWEEN $2 AND $3 LIMIT 2
                """, [Lane.all, range.lowerBound, range.upperBound])
        }
        if rows.count > 1 { throw CareError.ambiguousID(prefix) }
        guard let row = rows.first else { throw CareError.notFound(.plant) }
        return try PlantRow.decode(row)
    }

    /// The account of a plant.
    public func account(of plant: Plant) async throws -> Account {
        try await account(plant.accountID.description)
    }

    /// The plants of an account in the order of rule 2.4.
    public func garden(_ account: Account, isArchived: Bool = false) async throws -> [Plant] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT \(PlantRow.columns) FROM plant
                WHERE lane = $1 AND account_id = $2 AND (archived_at IS NOT NULL) = $3
                """, [account.id.lane, account.id, isArchived]
            ).map(PlantRow.decode).sorted(by: Plant.isListedBefore)
        }
    }

    /// The waterings of a plant on the days from `first` to `last`, by day and order of recording.
    public func waterings(_ plant: Plant, from first: CivilDay, to last: CivilDay) async throws -> [Watering] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT \(WateringRow.columns) FROM watering
                WHERE lane = $1 AND plant_id = $2 AND watered_on BETWEEN $3 AND $4 ORDER BY watered_on, number
                """, [plant.accountID.lane, plant.id, first, last]
            ).map { try CareStore.watering($0, of: plant) }
        }
    }

    /// The two newest waterings with a review, and the newest watering of all (rule 8.2).
    public func newest(_ plant: Plant) async throws -> (reviewed: [RecordedWatering], newest: Watering?) {
        try await pool.withConnection { connection in
            let reviewed = try await connection.query(
                """
                SELECT \(WateringRow.columns), (
                    SELECT coalesce(sum(points), 0)::bigint FROM affection_entry AS entry
                    WHERE entry.lane = watering.lane AND entry.plant_id = watering.plant_id
                        AND entry.watering_number = watering.number)
                FROM watering
                WHERE lane = $1 AND plant_id = $2 AND (keywords <> '{}' OR memo IS NOT NULL)
                ORDER BY watered_on DESC, number DESC LIMIT 2
                """, [plant.accountID.lane, plant.id]
            ).map { row in
                var reader = row.reader
                return RecordedWatering(
                    plantID: plant.id,
                    watering: try WateringRow.decode(&reader, of: (plant.id, plant.accountID.lane)),
                    pointsGained: try reader.next())
            }
            let newest = try await connection.query(
                """
                SELECT \(WateringRow.columns) FROM watering
                WHERE lane = $1 AND plant_id = $2 ORDER BY watered_on DESC, number DESC LIMIT 1
                """, [plant.accountID.lane, plant.id])
            return (reviewed, try newest.first.map { try CareStore.watering($0, of: plant) })
        }
    }

    /// My page (rule 8.1).
    public func statistics(_ account: Account) async throws -> Statistics {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT count(*) FILTER (WHERE archived_at IS NULL), coalesce(sum(watering_count), 0)::bigint,
                    coalesce(sum(postponement_count), 0)::bigint,
                    count(*) FILTER (WHERE archived_at IS NULL AND affection = $3)
                FROM plant WHERE lane = $1 AND account_id = $2
                """, [account.id.lane, account.id, Affection.full])
        }
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no counts") }
        return Statistics(
            plantCount: try reader.next(), wateringCount: try reader.next(), postponementCount: try reader.next(),
            fullCount: try reader.next())
    }

    /// What was scheduled for an account's plants, or for one of them, in the order it was planned for.
    public func pushes(_ account: Account, plant: Plant.ID? = nil) async throws -> [PushRecord] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT push.lane, push.seq, push.plant_id, push.kind,
                    coalesce(watering.watered_on, CASE WHEN push.subject BETWEEN -719162 AND 2932896
                        THEN date '1970-01-01' + push.subject ELSE (push.planned_at AT TIME ZONE 'UTC')::date END),
                    push.planned_at, push.expires_at,
                    push.outcome, push.reason, push.finished_at
                FROM push
                JOIN plant ON plant.lane = push.lane AND plant.id = push.plant_id
                LEFT JOIN watering ON push.kind = 'review_missing' AND watering.lane = push.lane
                    AND watering.plant_id = push.plant_id AND watering.number = push.subject
                WHERE push.lane = $1 AND plant.lane = $1 AND plant.account_id = $2
                    AND ($3::uuid IS NULL OR push.plant_id = $3)
                ORDER BY push.planned_at, push.plant_id, push.kind, push.subject
                """, [account.id.lane, account.id, plant]
            ).map { row in
                var reader = row.reader
                return PushRecord(
                    lane: try reader.next(), seq: try reader.next(), plantID: try reader.next(),
                    kind: try reader.next(label: PushKind.self), occursOn: try reader.next(),
                    plannedAt: try reader.next(), expiresAt: try reader.next(),
                    outcome: try reader.next(String?.self).flatMap(PushOutcome.init), reason: try reader.next(),
                    finishedAt: try reader.next())
            }
        }
    }

    /// What came of a plant's pushes at each device, in the order of the log.
    public func deviceRecords(of plant: Plant) async throws -> [DeviceRecord] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT job.seq, asked.device_id, device.platform::text, asked.outcome, asked.reason, asked.attempts
                FROM push_job AS job
                JOIN push_device_outcome AS asked ON asked.lane = job.lane AND asked.recorded_at = job.recorded_at
                    AND asked.seq = job.seq
                LEFT JOIN device ON device.lane = job.lane AND device.id = asked.device_id
                WHERE job.lane = $1 AND asked.lane = $1 AND job.plant_id = $2
                ORDER BY job.seq, asked.device_id
                """, [plant.accountID.lane, plant.id]
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

    private static func watering(_ row: Row, of plant: Plant) throws -> Watering {
        var reader = row.reader
        return try WateringRow.decode(&reader, of: (plant.id, plant.accountID.lane))
    }
}

extension UUID {
    /// The ids that begin with 8 to 32 hexadecimal digits; nil for anything else.
    static func range(beginningWith prefix: String) -> (lowerBound: UUID, upperBound: UUID)? {
        let digits = prefix.lowercased().filter { $0 != "-" }
        guard (8...32).contains(digits.count), digits.allSatisfy(\.isHexDigit),
            let lowest = UUID(hexadecimal: digits, filledWith: "0"),
            let highest = UUID(hexadecimal: digits, filledWith: "f")
        else { return nil }
        return (lowest, highest)
    }

    /// A UUID whose first digits are given and whose others are all the same.
    init?(hexadecimal digits: String, filledWith digit: Character) {
        let all = Array(digits + String(repeating: digit, count: max(0, 32 - digits.count)))
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(all[$0]) }
        self.init(uuidString: groups.joined(separator: "-"))
    }
}
