import CherishCore
import Foundation
import Postgres

// Outages, and the plants that they excuse (rule 13.3, decision 64). What made an outage is recorded by the schedulers, in
// `Calendar/LaneWatch.swift`, and by the workers' watch over the providers; operators may declare one. Once pushes leave again,
// whoever replans gardens looks, lane after lane, for the pushes of due dates that expired meanwhile.

/// An outage as an operator sees it: what began at one instant for one cause, whichever lanes it struck.
public struct OutageView: Sendable, Equatable {
    public let cause: Outage.Cause
    public let beganAt: Instant
    /// nil while it lasts somewhere.
    public let endedAt: Instant?
    public let laneCount: Int
    /// How many plants it has excused so far.
    public let excusedCount: Int
    /// Whether all plants have been looked at.
    public let isSettled: Bool
}

/// Why an outage cannot be declared as an operator wants it.
public enum OutageProblem: Error, Hashable, CustomStringConvertible {
    case isBackwards
    case isNotOver(now: Instant)
    case isTooOld(days: Int)

    /// The error code listed in `docs/command-line.md`.
    public var code: String { "invalid_outage" }

    public var description: String {
        switch self {
        case .isBackwards: "an outage must begin before it ends"
        case .isNotOver(let now): "only an outage that is over can be declared; it is \(now) now"
        case .isTooOld(let days):
            "the log of pushes tells what an outage kept back; declare one that began at most \(days) days ago"
        }
    }
}

extension CareStore {
    /// How long ago a declared outage may have begun, in days.
    public static let declaredDaysBack = 30

    /// Returns the outages of more than 30 minutes and the declared ones, newest first.
    public func outages() async throws -> [OutageView] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT cause, began_at, CASE WHEN bool_and(ended_at IS NOT NULL) THEN max(ended_at) END, count(*),
                    sum(excused_count), bool_and(excused_at IS NOT NULL)
                FROM outage
                WHERE cause = 'declared' OR coalesce(ended_at, $1::timestamptz, now()) - began_at > make_interval(secs => $2)
                GROUP BY cause, began_at ORDER BY began_at DESC, cause
                """, [time.fixedInstant, Outage.shortest / .seconds(1)]
            ).map { row in
                var reader = row.reader
                return OutageView(
                    cause: try reader.next(label: Outage.Cause.self), beganAt: try reader.next(),
                    endedAt: try reader.next(), laneCount: try reader.next(), excusedCount: try reader.next(),
                    isSettled: try reader.next())
            }
        }
    }

    /// Declares that no push could leave in a past span. Workers then excuse the plants whose pushes expired in it.
    ///
    /// - Throws: ``OutageProblem``.
    public func declareOutage(from beganAt: Instant, to endedAt: Instant) async throws {
        let now = try await now()
        guard beganAt < endedAt else { throw OutageProblem.isBackwards }
        guard endedAt <= now else { throw OutageProblem.isNotOver(now: now) }
        guard beganAt >= now.adding(hours: -24 * CareStore.declaredDaysBack) else {
            throw OutageProblem.isTooOld(days: CareStore.declaredDaysBack)
        }
        try await pool.withConnection { connection in
            _ = try await connection.query(
                """
                INSERT INTO outage (lane, began_at, cause, ended_at) SELECT lane, $1, 'declared', $2 FROM lane
                ON CONFLICT (lane, began_at, cause) DO UPDATE
                SET ended_at = excluded.ended_at, excused_after = NULL, excused_at = NULL
                WHERE outage.ended_at < excluded.ended_at
                """, [beganAt, endedAt])
        }
    }

    // MARK: Evidence of workers

    /// Records that a provider takes pushes again. What it had refused for no longer than 30 minutes was no outage.
    public func noteWorking(_ provider: Outage.Cause, at now: Instant) async throws {
        try await pool.withConnection { connection in
            // Nearly always there is none, and on Citus a write to all lanes costs more than a look at them.
            let lasting = try await connection.query(
                "SELECT 1 FROM outage WHERE excused_at IS NULL AND ended_at IS NULL AND cause = $1 LIMIT 1",
                [provider.rawValue])
            if lasting.isEmpty { return }
            for statement in [
                Statement(
                    """
                    DELETE FROM outage WHERE cause = $1 AND ended_at IS NULL AND excused_at IS NULL
                        AND began_at BETWEEN $2::timestamptz - make_interval(secs => $3) AND $2
                    """, [provider.rawValue, now, Outage.shortest / .seconds(1)]),
                Statement(
                    """
                    UPDATE outage SET ended_at = $2
                    WHERE cause = $1 AND ended_at IS NULL AND excused_at IS NULL AND began_at <= $2
                    """, [provider.rawValue, now]),
            ] { _ = try await connection.query(statement) }
        }
    }

    /// Records in which lanes a provider takes no pushes, and since when.
    public func noteFailing(_ provider: Outage.Cause, in lanes: [Lane: Instant]) async throws {
        let lanes = lanes.sorted { $0.key < $1.key }
        try await pool.withConnection { connection in
            _ = try await connection.query(
                """
                INSERT INTO outage (lane, began_at, cause)
                SELECT lane.lane, failing.since, $3
                FROM lane JOIN unnest($1::smallint[], $2::timestamptz[]) AS failing (lane, since) ON failing.lane = lane.lane
                WHERE NOT EXISTS (
                    SELECT 1 FROM outage WHERE outage.lane = lane.lane AND cause = $3 AND ended_at IS NULL)
                ORDER BY lane.lane
                ON CONFLICT (lane, began_at, cause) DO NOTHING
                """, [lanes.map(\.key), lanes.map(\.value), provider.rawValue])
        }
    }

    // MARK: Excusing

    /// Excuses the plants of outages that are over, some of a lane at a time.
    ///
    /// - Parameter shouldStop: asked before each transaction.
    /// - Returns: how many plants were excused.
    /// - Throws: the first error, after all lanes had their turn.
    @discardableResult
    public func excuseOutages(shouldStop: @Sendable () -> Bool = { false }) async throws -> Int {
        var count = 0
        var failure: (any Error)?
        for outage in try await outagesToExcuse() {
            do {
                while !shouldStop() {
                    let piece = try await excusePiece(outage)
                    count += piece.count
                    if piece.isLast { break }
                }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return count
    }

    /// An outage of a lane.
    private struct LaneOutage {
        let lane: Lane
        let outage: Outage
    }

    /// Those that are over, in lanes that have been scheduled since.
    private func outagesToExcuse() async throws -> [LaneOutage] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT outage.lane, cause, began_at, ended_at
                FROM outage JOIN lane_watch AS watch ON watch.lane = outage.lane
                WHERE \("excused_at IS NULL AND ended_at <= watch.seen_at", at: .outageToExcuse)
                ORDER BY began_at, outage.lane
                """
            ).map { row in
                var reader = row.reader
                return LaneOutage(
                    lane: try reader.next(),
                    outage: Outage(
                        try reader.next(label: Outage.Cause.self), from: try reader.next(), to: try reader.next()))
            }
        }
    }

    /// How many pushes a transaction looks at. The lane's scheduler waits meanwhile.
    private static let excusingPiece = 200

    /// Excuses the next plants of a lane in one transaction.
    private func excusePiece(_ found: LaneOutage) async throws -> (count: Int, isLast: Bool) {
        let (lane, outage) = (found.lane, found.outage)
        let key: [any PostgresEncodable] = [lane, outage.beganAt, outage.cause.rawValue]
        return try await command(in: lane) { command in
            let rows = try await command.connection.query(
                """
                SELECT excused_after FROM outage
                WHERE lane = $1 AND began_at = $2 AND cause = $3 AND excused_at IS NULL FOR UPDATE
                """, key)
            // Another worker has done it, or is about to look at pushes that expired in it.
            guard let row = rows.first, try await !command.hasOpenPushes(until: outage.endedAt) else {
                return (0, true)
            }
            let missed = try await command.missedPushes(
                of: outage, after: try row.decode(0, as: Plant.ID?.self), limit: CareStore.excusingPiece)
            let count = try await command.excuse(missed, outage)
            let isLast = missed.count < CareStore.excusingPiece
            command.finish([
                Statement(
                    """
                    UPDATE outage SET excused_after = coalesce($4, excused_after), excused_count = excused_count + $5,
                        excused_at = CASE WHEN $6 THEN $7::timestamptz END
                    WHERE lane = $1 AND began_at = $2 AND cause = $3
                    """, key + [missed.last?.plant, Int32(count), isLast, command.now])
            ])
            return (count, isLast)
        }
    }
}

/// A push of a due date that did not leave.
private struct MissedPush {
    let plant: Plant.ID
    let account: Account.ID
    let planned: PlannedMoment
    /// When there was no more hope for it; nil where its topic and zone tell.
    let endedAt: Instant?
}

extension LaneCommand {
    /// Whether deliverers have still to look at pushes that expired by some instant.
    fileprivate func hasOpenPushes(until instant: Instant) async throws -> Bool {
        let rows = try await connection.query(
            """
            SELECT EXISTS (
                    SELECT 1 FROM push_retry AS retry
                    JOIN push_job AS job
                        ON job.lane = $1 AND job.recorded_at = retry.recorded_at AND job.seq = retry.seq
                    WHERE retry.lane = $1 AND job.expires_at <= $2)
                OR EXISTS (
                    SELECT 1 FROM lane_delivery AS delivery
                    JOIN push_job AS job
                        ON job.lane = $1 AND job.recorded_at >= delivery.cursor_recorded_at
                        AND (job.recorded_at, job.seq) > (delivery.cursor_recorded_at, delivery.cursor_seq)
                    WHERE delivery.lane = $1 AND job.expires_at <= $2)
            """, [lane, instant])
        return try rows.first?.decode(0, as: Bool.self) ?? false
    }

    /// The pushes of due dates that ended unsent around an outage, in the order of their plants: those that expired, and those
    /// whose plants were watered or postponed before they were looked at. All pushes of a plant come together, so there
    /// may be more than the limit.
    fileprivate func missedPushes(of outage: Outage, after: Plant.ID?, limit: Int) async throws -> [MissedPush] {
        // The days of the log go by the database's clock, which a fixed now may be ahead of.
        let reasons = [PushReason.tooLate, .attemptsExhausted, .watered, .postponed].map(\.rawValue)
        return try await connection.query(
            """
            WITH missed AS (
                SELECT job.subject_id, job.account_id, job.ref, job.planned_at,
                    CASE ended.reason WHEN 'attempts_exhausted' THEN ended.finished_at ELSE job.expires_at END AS ended_at
                FROM push_outcome AS ended
                JOIN push_job AS job ON job.lane = $1 AND job.recorded_at = ended.recorded_at AND job.seq = ended.seq
                WHERE ended.lane = $1 AND ended.recorded_at >= least($2, now()) - interval '2 days'
                    AND \("ended.finished_at >= $2 AND ended.reason = ANY ($4)", at: .missedPush)
                    AND job.topic = 'watering_due' AND job.planned_at <= $3
                UNION ALL
                SELECT ended.subject_id, ended.account_id, ended.ref, ended.planned_at, NULL
                FROM occurrence_outcome AS ended
                WHERE ended.lane = $1 AND ended.recorded_at >= least($2, now()) - interval '2 days'
                    AND ended.finished_at >= $2 AND ended.reason = ANY ($4)
                    AND ended.topic = 'watering_due' AND ended.planned_at <= $3
            )
            SELECT subject_id, account_id, ref, planned_at, ended_at FROM (
                SELECT * FROM missed WHERE $5::uuid IS NULL OR subject_id > $5
                ORDER BY subject_id FETCH FIRST ($6) ROWS WITH TIES
            ) AS piece
            ORDER BY subject_id, planned_at
            """, [lane, outage.beganAt, outage.endedAt, reasons, after, limit]
        ).map { row in
            var reader = row.reader
            return MissedPush(
                plant: try reader.next(), account: try reader.next(),
                planned: PlannedMoment(ref: try reader.next(), at: try reader.next()), endedAt: try reader.next())
        }
    }

    /// Excuses the plants whose pushes the outage kept back. A plant that was watered or postponed since keeps its due date; its
    /// history then says that the day was excused.
    fileprivate func excuse(_ missed: [MissedPush], _ outage: Outage) async throws -> Int {
        if missed.isEmpty { return 0 }
        let owners = Array(Set(missed.map(\.account)))
        let found = try await connection.pipeline([
            Statement(
                "SELECT \(AccountRow.columns) FROM account WHERE lane = $1 AND id = ANY ($2) ORDER BY id FOR SHARE",
                [lane, owners]),
            Statement(
                "SELECT \(PlantRow.columns) FROM plant WHERE lane = $1 AND id = ANY ($2) ORDER BY id FOR UPDATE",
                [lane, Array(Set(missed.map(\.plant)))]),
            DeviceRow.living(of: owners, in: lane),
        ])
        let accounts = Dictionary(
            try found[0].compactMap { row in try readable { try AccountRow.decode(row) } }.map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        var plants = Dictionary(
            try found[1].compactMap(PlantRow.decodeUnlessBroken).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        let devices = try DeviceRow.byAccount(found[2], { _, _ in })
        var (updates, occurrences, count) = ([Statement](), [Occurrence](), 0)
        var overtaken: [(plant: Plant, missed: MissedPush, endedAt: Instant, day: CivilDay)] = []
        for push in missed {
            guard let account = accounts[push.account], var plant = plants[push.plant], plant.archivedAt == nil,
                plant.pushesEnabled, account.switches.watering
            else { continue }
            // An unknown zone must not stop the others of the lane.
            let context = CommandContext(
                now: now, zone: zones.clockOrUTC(of: account), calendarCursor: calendarCursor,
                pausedDays: account.pausedDays)
            let endedAt =
                push.endedAt ?? Topic.wateringDue.expiry(ofPushPlannedFor: push.planned.at, in: context.zone)
            guard outage.keptBack(expiringAt: endedAt, to: devices[account.id] ?? []) else { continue }
            guard let planned = plant.excuse(push.planned, for: account, in: context) else {
                overtaken.append((plant, push, endedAt, context.zone.day(at: outage.endedAt)))
                continue
            }
            plant.beginChange(at: now)
            note([.friend(plant.id)], of: account.id)
            plants[plant.id] = plant
            updates.append(PlantRow.update(plant))
            updates.append(PlantRow.noteDueDate(of: plant, lane: lane, at: push.planned.at))
            occurrences += planned
            count += 1
        }
        let excused = try await stillDue(overtaken.map { ($0.missed, $0.endedAt) })
        for (plant, push, _, day) in overtaken where excused.contains(push.plant) {
            updates += PlantRow.noteExcuse(of: plant, to: day, lane: lane, at: push.planned.at)
            note([.friend(plant.id)], of: plant.accountID)
            count += 1
        }
        if !updates.isEmpty { try await write(updates, planning: occurrences) }
        return count
    }

    /// The plants whose due date was still the missed one when its push ended.
    private func stillDue(_ missed: [(push: MissedPush, endedAt: Instant)]) async throws -> Set<Plant.ID> {
        if missed.isEmpty { return [] }
        let rows = try await connection.query(
            """
            SELECT missed.plant_id
            FROM unnest($2::uuid[], $3::date[], $4::timestamptz[]) AS missed (plant_id, due_on, ended_at)
            CROSS JOIN LATERAL (
                SELECT set_at, due_on FROM (
                    SELECT recorded_at AS set_at, due_on FROM watering
                    WHERE watering.lane = $1 AND watering.plant_id = missed.plant_id AND due_on IS NOT NULL
                    UNION ALL
                    SELECT postponed_at, due_on FROM postponement
                    WHERE postponement.lane = $1 AND postponement.plant_id = missed.plant_id
                    UNION ALL
                    SELECT changed_at, due_on FROM cycle_change
                    WHERE cycle_change.lane = $1 AND cycle_change.plant_id = missed.plant_id
                ) AS step
                WHERE set_at < missed.ended_at ORDER BY set_at DESC LIMIT 1
            ) AS step
            WHERE step.due_on = missed.due_on
            """,
            [lane, missed.map(\.push.plant), missed.map { CivilDay(ref: $0.push.planned.ref) }, missed.map(\.endedAt)])
        return Set(try rows.map { try $0.decode(0, as: Plant.ID.self) })
    }
}
