import CherishCore
import Foundation
import Postgres
import SystemTimeZones

/// Walks the lanes' calendars: turns occurrences whose time has come into push jobs, or records why not.
public struct LaneScheduler: Sendable {
    /// How many occurrences one transaction takes at most.
    public static let batchSize = 2000

    /// What one transaction did with its occurrences.
    public struct Batch: Sendable, Equatable {
        /// Push jobs appended.
        public var enqueued: Int
        /// Occurrences that never became a job, by how they ended.
        public var ended: [PushOutcome: Int]
        /// Whether the lane may hold more that is due.
        public var isFull: Bool

        /// Nothing, unless said otherwise.
        public init(enqueued: Int = 0, ended: [PushOutcome: Int] = [:], isFull: Bool = false) {
            self.enqueued = enqueued
            self.ended = ended
            self.isFull = isFull
        }
    }

    private let pool: ConnectionPool
    private let zones: SystemTimeZones
    private let time: EngineTime

    public init(pool: ConnectionPool, zones: SystemTimeZones, time: EngineTime) {
        self.pool = pool
        self.zones = zones
        self.time = time
    }

    /// The lanes with an occurrence after their cursor that is not after now.
    public func lanesDue() async throws -> [Lane] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT lane.lane FROM lane
                WHERE EXISTS (
                    SELECT FROM occurrence AS planned
                    WHERE planned.lane = lane.lane AND planned.at >= lane.cursor_at
                        AND planned.at <= coalesce($1, now())
                        AND (planned.at, planned.plant_id, planned.kind, planned.subject)
                            > (lane.cursor_at, lane.cursor_plant_id, lane.cursor_kind, lane.cursor_subject))
                ORDER BY lane.lane
                """, [time.fixedInstant]
            ).map { try $0.decode(0) }
        }
    }

    /// Schedules what is due in a lane, up to ``batchSize`` occurrences, in one transaction.
    ///
    /// Whoever holds the lane's row does it; everybody else waits here and then finds nothing left to do.
    public func schedule(_ lane: Lane) async throws -> Batch {
        try await retryingMissingPartitions(pool) {
            try await pool.withTransaction { connection in
                // A statement of its own: the occurrences of commands that it waited for must be visible to the next one.
                let position = try await lock(lane, on: connection)
                let decided = try await decide(after: position, on: connection)
                guard let last = decided.last?.key else { return Batch() }
                try await write(decided, last: last, position, on: connection)
                try await planNextBirthdays(decided, after: last.at, position, on: connection)
                return batch(decided)
            }
        }
    }

    /// Where a lane stands, while its row is locked.
    private struct Position {
        let lane: Lane
        let now: Instant
        let recordedAt: Instant
        let cursor: OccurrenceKey
        let lastSeq: Int
    }

    /// An occurrence and what the rules say about it now.
    private struct Decided {
        let key: OccurrenceKey
        let expiresAt: Instant
        /// nil where a job is to be delivered, now or after quiet hours.
        let end: (outcome: PushOutcome, reason: PushReason)?

        init(_ key: OccurrenceKey, _ candidate: PushCandidate, at now: Instant) {
            self.key = key
            // An erased plant's occurrence has no zone and no expiry: it ends at once.
            expiresAt = candidate.state.map { candidate.expiry(in: $0.zone) } ?? key.at
            if case .end(let outcome, let reason) = candidate.verdict(at: now, expiresAt: expiresAt) {
                end = (outcome, reason)
            } else {
                end = nil
            }
        }
    }

    private func lock(_ lane: Lane, on connection: Connection) async throws -> Position {
        let rows = try await connection.query(
            """
            SELECT coalesce($2, clock_timestamp()), greatest(clock_timestamp(), last_recorded_at), cursor_at,
                cursor_plant_id, cursor_kind, cursor_subject, last_seq
            FROM lane WHERE lane = $1 FOR UPDATE
            """, [lane, time.fixedInstant])
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no lane \(lane)") }
        return Position(
            lane: lane, now: try reader.next(), recordedAt: try reader.next(),
            cursor: try OccurrenceKey(&reader), lastSeq: try reader.next())
    }

    /// What is due after the cursor, each decided as soon as its row is read: only the decisions are kept.
    private func decide(after position: Position, on connection: Connection) async throws -> [Decided] {
        let cursor = position.cursor
        return try await connection.query(
            """
            SELECT due.planned_at, due.plant_id, due.kind, due.subject, \(CandidateRow.columns(for: "due"))
            FROM (
                SELECT lane, at AS planned_at, plant_id, kind, subject FROM occurrence
                WHERE lane = $1 AND at >= $2 AND at <= $6
                    AND (at, plant_id, kind, subject) > ($2, $3, $4::push_kind, $5)
                ORDER BY at, plant_id, kind, subject LIMIT $7
            ) AS due
            \(CandidateRow.joins(to: "due"))
            ORDER BY due.planned_at, due.plant_id, due.kind, due.subject
            """,
            [
                position.lane, cursor.at, cursor.plantID, cursor.kind.rawValue, Int32(cursor.subject), position.now,
                LaneScheduler.batchSize,
            ]
        ).map { row in
            var reader = row.reader
            let key = try OccurrenceKey(&reader)
            let candidate = try CandidateRow.decode(
                &reader, kind: key.kind, planned: PlannedMoment(subject: key.subject, at: key.at), zones: zones)
            return Decided(key, candidate, at: position.now)
        }
    }

    private func write(
        _ decided: [Decided], last: OccurrenceKey, _ position: Position, on connection: Connection
    ) async throws {
        do {
            try await addJobs(decided, position, on: connection)
            try await addOutcomes(decided, position, on: connection)
        } catch let error as PostgresError where error.isMissingPartition {
            throw MissingPartition(makeStatements: [
                Statement("SELECT make_log_partitions($1)", [position.recordedAt])
            ])
        }
        _ = try await connection.query(
            """
            UPDATE lane SET cursor_at = $2, cursor_plant_id = $3, cursor_kind = $4::push_kind, cursor_subject = $5,
                last_seq = $6, last_recorded_at = $7
            WHERE lane = $1
            """,
            [
                position.lane, last.at, last.plantID, last.kind.rawValue, last.subject,
                position.lastSeq + decided.count { $0.end == nil }, position.recordedAt,
            ])
    }

    private func addJobs(_ decided: [Decided], _ position: Position, on connection: Connection) async throws {
        guard decided.contains(where: { $0.end == nil }) else { return }
        // COPY writes the rows of a page at once, so it takes less of the log of PostgreSQL than INSERT.
        _ = try await connection.copyIn(
            """
            COPY push_job (lane, recorded_at, seq, plant_id, kind, subject, planned_at, expires_at)
            FROM STDIN (FORMAT binary)
            """
        ) { rows in
            var seq = position.lastSeq
            for job in decided where job.end == nil {
                seq += 1
                try rows.append(
                    position.lane, position.recordedAt, seq, job.key.plantID, job.key.kind.rawValue,
                    Int32(job.key.subject), job.key.at, job.expiresAt)
            }
        }
    }

    private func addOutcomes(_ decided: [Decided], _ position: Position, on connection: Connection) async throws {
        guard decided.contains(where: { $0.end != nil }) else { return }
        _ = try await connection.copyIn(
            """
            COPY occurrence_outcome
                (lane, recorded_at, finished_at, plant_id, kind, subject, planned_at, outcome, reason)
            FROM STDIN (FORMAT binary)
            """
        ) { rows in
            for decision in decided {
                guard let end = decision.end else { continue }
                try rows.append(
                    position.lane, position.recordedAt, position.now, decision.key.plantID, decision.key.kind.rawValue,
                    Int32(decision.key.subject), decision.key.at, end.outcome.rawValue, end.reason.rawValue)
            }
        }
    }

    /// When a birthday that still counts has come, the next one is planned (rule 7.10).
    private func planNextBirthdays(
        _ decided: [Decided], after cursor: Instant, _ position: Position, on connection: Connection
    ) async throws {
        for decision in decided where decision.key.kind == .birthday && decision.end?.outcome != .superseded {
            let rows = try await connection.query(
                "SELECT \(PlantRow.columns) FROM plant WHERE lane = $1 AND id = $2 FOR UPDATE",
                [position.lane, decision.key.plantID])
            guard let row = rows.first else { continue }
            var plant = try PlantRow.decode(row)
            let accounts = try await connection.query(
                "SELECT \(AccountRow.columns) FROM account WHERE lane = $1 AND id = $2",
                [position.lane, plant.accountID])
            guard let account = try accounts.first.map(AccountRow.decode) else { continue }
            let present = Present(
                now: position.now, zone: try zones.rules(account.timeZone), calendarCursor: cursor)
            guard let next = plant.planNextBirthday(for: account, at: present) else { continue }
            let command = LaneCommand(
                connection: connection, lane: position.lane, now: position.now, calendarCursor: cursor, zones: zones)
            try await command.save(plant)
            try await command.add([next])
        }
    }

    private func batch(_ decided: [Decided]) -> Batch {
        var batch = Batch(isFull: decided.count == LaneScheduler.batchSize)
        for decision in decided {
            if let end = decision.end { batch.ended[end.outcome, default: 0] += 1 } else { batch.enqueued += 1 }
        }
        return batch
    }

    /// When the next occurrence of any lane is planned, if there is one.
    public func nextOccurrence() async throws -> Instant? {
        try await pool.withConnection { connection in
            let rows = try await connection.query(
                """
                SELECT min(next.at) FROM lane CROSS JOIN LATERAL (
                    SELECT at FROM occurrence AS planned
                    WHERE planned.lane = lane.lane AND planned.at > lane.cursor_at ORDER BY at LIMIT 1
                ) AS next
                """)
            return try rows.first?.decode(0)
        }
    }

    /// What the engine takes for now.
    public func now() async throws -> Instant {
        try await time.now(pool)
    }
}

/// What tells an occurrence from all others of its lane, and the order in which a lane's calendar is walked.
struct OccurrenceKey {
    let at: Instant
    let plantID: Plant.ID
    let kind: PushKind
    let subject: Int

    init(_ reader: inout RowReader) throws {
        at = try reader.next()
        plantID = try reader.next()
        kind = try reader.next(label: PushKind.self)
        subject = try reader.next()
    }
}

/// The state that a verdict looks at, read beside a planned push.
enum CandidateRow {
    /// The pointer of the occurrence's kind is picked by the statement, so that a row carries only what counts.
    static func columns(for planned: String) -> String {
        """
        plant.id IS NOT NULL, plant.archived_at IS NOT NULL,
        CASE \(planned).kind
            WHEN 'review_missing' THEN plant.reminder_number
            WHEN 'birthday' THEN CASE WHEN \(isPassedBirthday(planned)) THEN plant.passed_birthday_on
                ELSE plant.birthday_on END - date '1970-01-01'
            ELSE plant.due_on - date '1970-01-01' END,
        CASE \(planned).kind
            WHEN 'watering_due' THEN plant.alarm_at
            WHEN 'review_missing' THEN plant.reminder_at
            WHEN 'birthday' THEN CASE WHEN \(isPassedBirthday(planned)) THEN plant.passed_birthday_at
                ELSE plant.birthday_at END
            WHEN 'withered' THEN plant.withered_at END,
        plant.due_on, plant.due_source, plant.pushes_enabled,
        CASE \(planned).kind
            WHEN 'watering_due' THEN account.watering_pushes
            WHEN 'review_missing' THEN account.review_pushes
            WHEN 'birthday' THEN account.birthday_pushes
            WHEN 'withered' THEN account.withered_pushes END,
        account.time_zone, watering.is_review_declined, watering.keywords <> '{}' OR watering.memo IS NOT NULL
        """
    }

    private static func isPassedBirthday(_ planned: String) -> String {
        """
        plant.passed_birthday_at = \(planned).planned_at
            AND plant.passed_birthday_on - date '1970-01-01' = \(planned).subject
        """
    }

    static func joins(to planned: String) -> String {
        """
        LEFT JOIN plant ON plant.lane = \(planned).lane AND plant.id = \(planned).plant_id
        LEFT JOIN account ON account.lane = plant.lane AND account.id = plant.account_id
        LEFT JOIN watering ON \(planned).kind = 'review_missing' AND watering.lane = \(planned).lane
            AND watering.plant_id = \(planned).plant_id AND watering.number = \(planned).subject
        """
    }

    static func decode(
        _ reader: inout RowReader, kind: PushKind, planned: PlannedMoment, zones: SystemTimeZones
    ) throws -> PushCandidate {
        let exists = try reader.next(Bool.self)
        let isArchived = try reader.next(Bool.self)
        let pointer = (subject: try reader.next(Int?.self), at: try reader.next(Instant?.self))
        let dueOn = try reader.next(CivilDay?.self)
        let dueSource = try reader.next(String?.self).flatMap(Plant.DueSource.init)
        let isPlantEnabled = try reader.next(Bool?.self)
        let isKindEnabled = try reader.next(Bool?.self)
        let zoneName = try reader.next(String?.self)
        let isDeclined = try reader.next(Bool?.self) ?? false
        let isReviewed = try reader.next(Bool?.self) ?? false
        guard exists, let dueOn, let dueSource, let isPlantEnabled, let isKindEnabled, let zoneName else {
            return PushCandidate(kind: kind, planned: planned, state: nil)
        }
        // A zone that an update of the tz database took away must not stop the whole lane.
        let zone = (try? zones.rules(zoneName)) ?? .utc
        let pointsAt = pointer.subject.flatMap { subject in pointer.at.map { PlannedMoment(subject: subject, at: $0) } }
        return PushCandidate(
            kind: kind, planned: planned,
            state: PushCandidate.State(
                isArchived: isArchived, pointer: pointsAt, dueOn: dueOn, dueSource: dueSource,
                pushesEnabled: isPlantEnabled, isKindEnabled: isKindEnabled,
                reviewState: isReviewed ? .written : isDeclined ? .declined : .missing,
                zone: zone))
    }
}
