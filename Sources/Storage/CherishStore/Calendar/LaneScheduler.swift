// How a lane's calendar becomes push jobs, and when the next occurrence is due.
// Appends to `push_job` and `occurrence_outcome`, moves the cursor in `lane`, and lets the domains plan what follows.
// Start with `LaneScheduler.schedule`.
import CherishCore
import Foundation
import Postgres
import SystemTimeZones

/// Schedules the lanes' calendars: turns due occurrences into push jobs, or records why not.
public struct LaneScheduler: Sendable {
    /// The result of one transaction.
    public struct Batch: Sendable, Equatable {
        /// Push jobs appended.
        public var enqueued: Int
        /// Occurrences that never became a job, by outcome.
        public var ended: [PushOutcome: Int]
        /// Whether the lane may hold more due occurrences.
        public var isFull: Bool
        /// The number of processed occurrences.
        public var count: Int { ended.values.reduce(enqueued, +) }

        /// An empty batch by default.
        public init(enqueued: Int = 0, ended: [PushOutcome: Int] = [:], isFull: Bool = false) {
            self.enqueued = enqueued
            self.ended = ended
            self.isFull = isFull
        }
    }

    let pool: ConnectionPool
    private let zones: SystemTimeZones
    private let time: EngineTime
    private let domains: DueDomains
    private let report: UnreadableRowReport

    /// - Parameter report: called for each unreadable row.
    public init(
        pool: ConnectionPool, zones: SystemTimeZones, time: EngineTime, domains: DueDomains = .all,
        report: @escaping UnreadableRowReport = { _, _ in }
    ) {
        self.pool = pool
        self.zones = zones
        self.time = time
        self.domains = domains
        self.report = report
    }

    /// What is due in the calendar, and when the next occurrence follows.
    public struct Outlook: Sendable {
        /// The engine's now.
        public let now: Instant
        /// The lanes with a due occurrence.
        public let due: [Lane]
        /// The instants of the first ones.
        let dueSince: [(lane: Lane, at: Instant)]
        /// The instant of the first occurrence after now; nil if there is none within a day.
        public let next: Instant?
    }

    /// Reads the first occurrence after each lane's cursor: one index probe per lane, however many subjects there are.
    /// Skips a lane whose row is unreadable; it stops until the row is repaired.
    ///
    /// Looks a day ahead only, and names that instant as a value, so that later months of the calendar are not planned:
    /// Citus plans the statement for each shard and each time.
    public func outlook() async throws -> Outlook {
        let tomorrow = try await time.now(pool).adding(hours: 24)
        let rows = try await pool.askAboutLanes { connection, lanes in
            try await Array(
                connection.query(
                    """
                    SELECT coalesce($1, clock_timestamp()), lane.lane, first.at, lane.cursor_at, lane.cursor_subject_id,
                        lane.cursor_topic, lane.cursor_ref, lane.last_seq, lane.last_recorded_at
                    FROM lane LEFT JOIN LATERAL (
                        SELECT planned.at FROM occurrence AS planned
                        WHERE \(OccurrenceKey.isPlannedAfterCursor) AND planned.at < $3
                            \(lanes == nil ? "" : "AND planned.lane = ANY ($2)")
                        ORDER BY planned.at LIMIT 1
                    ) AS first ON true
                    \(lanes == nil ? "" : "WHERE lane.lane = ANY ($2)")
                    ORDER BY lane.lane
                    """, [time.fixedInstant, lanes, tomorrow]))
        }
        guard let now = try rows.first?.decode(0, as: Instant.self) else { throw UnreadableRow(what: "no lanes") }
        let planned = try rows.compactMap(first)
        let due = planned.compactMap { lane, at in at.flatMap { $0 <= now ? (lane: lane, at: $0) : nil } }
        return Outlook(
            now: now, due: due.map(\.lane), dueSince: due,
            next: planned.compactMap(\.at).filter { $0 > now }.min())
    }

    /// Reads a lane and its first occurrence after the cursor; nil if the lane's row is unreadable.
    private func first(_ row: Row) throws -> (lane: Lane, at: Instant?)? {
        var reader = row.reader
        _ = try reader.next(Instant.self)
        let lane = try reader.next(Lane.self)
        do {
            return try reader.reading("lane", key: { [.lane(lane)] }) { reader in
                let at = try reader.nextAsItIs(Instant.self)
                _ = try OccurrenceKey(&reader)
                try Position.checkLast(&reader)
                return (lane, at)
            }
        } catch let unreadable as UnreadableRow {
            report(unreadable, "lane \(lane) schedules nothing until it is repaired")
            return nil
        }
    }

    /// Nothing is due. The transaction rolls back, because a rollback need not wait for the disk.
    private struct NothingDue: Error {}

    /// Schedules what is due in a lane, in one transaction.
    ///
    /// Only the holder of the lane's row lock schedules it. Everyone else waits here and then finds nothing left to do.
    ///
    /// - Parameter limit: the maximum number of occurrences to process. The lane's commands wait meanwhile.
    public func schedule(_ lane: Lane, limit: Int = 2000) async throws -> Batch {
        do {
            return try await scheduleDue(lane, limit: limit)
        } catch is NothingDue {
            return Batch()
        }
    }

    /// Three round trips: BEGIN with the lock and what is due, its subjects and their accounts, and what was decided with
    /// the cursor and COMMIT.
    private func scheduleDue(_ lane: Lane, limit: Int) async throws -> Batch {
        try await retryingMissingPartitions(pool) {
            var recordedAt: Instant?
            do {
                return try await pool.withTransaction(reading: [lock(lane), due(in: lane, limit: limit)]) {
                    connection, rows, last in
                    let found = try inOrder(rows[1].map(read))
                    guard let latest = found.last else { throw NothingDue() }
                    let position = try position(of: lane, rows[0], reaching: latest.at)
                    recordedAt = position.recordedAt
                    let decided = try await decide(found, position, on: connection)
                    last = append(decided, position) + [advance(to: latest, decided, position)]
                    let command = LaneCommand(
                        connection: connection, lane: lane, now: position.now, calendarCursor: latest.at, zones: zones)
                    try await domains.planNext(after: decided.filter(\.isReached).map(\.occurrence), command, report)
                    let isNextDue = command.ending.earliestWritten.map { $0 <= position.now } ?? false
                    return batch(decided, isFull: decided.count == limit || isNextDue)
                }
            } catch let error as PostgresError where error.isMissingPartition {
                guard let recordedAt else { throw error }
                throw MissingPartition(
                    makeStatements: [Statement("SELECT make_log_partitions($1)", [recordedAt])], refusal: error)
            }
        }
    }

    /// The state of a lane while its row is locked.
    struct Position {
        let lane: Lane
        var now: Instant
        let recordedAt: Instant
        let cursor: OccurrenceKey
        let lastSeq: Int

        init(_ lane: Lane, _ reader: inout RowReader) throws {
            self.lane = lane
            now = try reader.next()
            recordedAt = try reader.next()
            cursor = try OccurrenceKey(&reader)
            lastSeq = try reader.next(Int.self).within(RowLimit.seq, orHolds: "an impossible number of a push job")
        }

        /// Reads `last_seq` and `last_recorded_at`.
        static func checkLast(_ reader: inout RowReader) throws {
            _ = try reader.next(Int.self).within(RowLimit.seq, orHolds: "an impossible number of a push job")
            guard try reader.next(Instant.self) < RowLimit.calendarEnd else {
                throw UnreadableRow(what: "an instant beyond the calendar")
            }
        }
    }

    /// An occurrence and the rules' current decision about it.
    private struct Decided {
        let occurrence: Occurrence
        let expiresAt: Instant
        /// nil if a job is to be delivered, now or after quiet hours.
        let end: PushEnd?

        /// Ends an occurrence that is unreadable or refers to an unreadable row.
        init(unreadable occurrence: Occurrence) {
            self.occurrence = occurrence
            expiresAt = occurrence.at
            end = PushEnd(.dead, .unreadableRow)
        }

        init(_ occurrence: Occurrence, _ candidate: PushCandidate, at now: Instant) {
            self.occurrence = occurrence
            // The occurrence of an erased subject has no zone and no expiry; it ends at once.
            expiresAt = candidate.state.map { candidate.expiry(in: $0.zone) } ?? occurrence.at
            if case .end(let outcome, let reason) = candidate.verdict(at: now, expiresAt: expiresAt) {
                end = PushEnd(outcome, reason)
            } else {
                end = nil
            }
        }

        /// Whether the subject still pointed at it.
        var isReached: Bool { end.map { $0.outcome != .superseded && $0.reason != .unreadableRow } ?? true }
    }

    /// A separate statement: the next one must see the occurrences of commands that this one waited for.
    private func lock(_ lane: Lane) -> Statement {
        Statement(
            """
            SELECT coalesce($2, clock_timestamp()), greatest(clock_timestamp(), last_recorded_at), cursor_at,
                cursor_subject_id, cursor_topic, cursor_ref, last_seq
            FROM lane WHERE lane = $1 FOR UPDATE
            """, [lane, time.fixedInstant])
    }

    /// - Parameter instant: the last instant that is due; the clock may have reached it since the lock was granted.
    private func position(of lane: Lane, _ rows: Rows, reaching instant: Instant) throws -> Position {
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no lane \(lane)") }
        var position = try reader.reading("lane", key: { [.lane(lane)] }) { try Position(lane, &$0) }
        position.now = max(position.now, instant)
        return position
    }

    /// The due occurrences after the cursor.
    private func due(in lane: Lane, limit: Int) -> Statement {
        Statement(
            """
            SELECT \(Occurrence.columns(of: "planned"))
            FROM lane CROSS JOIN LATERAL (
                SELECT at, account_id, subject_id, topic, ref FROM occurrence AS planned
                WHERE planned.lane = $1 AND at <= coalesce($2, statement_timestamp())
                    AND \(OccurrenceKey.isPlannedAfterCursor)
                ORDER BY at, subject_id, topic, ref LIMIT $3
            ) AS planned
            WHERE lane.lane = $1
            """, [lane, time.fixedInstant, limit])
    }

    /// Nearly always in order already: the join keeps the order of the subquery, which the planner does not know.
    private func inOrder(_ found: [Occurrence]) -> [Occurrence] {
        // Topics unknown here have one position: their order is the database's.
        let isSorted = zip(found, found.dropFirst()).allSatisfy { !$1.precedes($0) }
        return isSorted ? found : found.sorted { $0.precedes($1) }
    }

    private func read(_ row: Row) throws -> Occurrence {
        var reader = row.reader
        return try Occurrence(&reader, domains)
    }

    /// Reads the subjects of what is due, and each account once; then decides.
    private func decide(_ found: [Occurrence], _ position: Position, on connection: Connection) async throws
        -> [Decided]
    {
        let owners = Array(Set(found.lazy.map(\.accountID)))
        let subjects = SubjectReading(.toSchedule, of: found, in: position.lane, domains)
        let answers = try await connection.pipeline(
            [AccountCandidate.statement(owners, in: position.lane)] + subjects.statements)
        let accounts = try AccountCandidate.decode(answers[0], zones: zones)
        return try zip(found, subjects.rows(in: answers.dropFirst())).map { try decide($0, $1, accounts, position) }
    }

    private func decide(
        _ occurrence: Occurrence, _ subject: Row?, _ accounts: AccountCandidates, _ position: Position
    ) throws -> Decided {
        do {
            let state = try domains.state(
                of: occurrence, in: subject, plannedIn: "occurrence", key: { occurrence.place(in: position.lane) })
            return Decided(occurrence, try PushCandidate(occurrence, state, accounts), at: position.now)
        } catch let unreadable as UnreadableRow {
            report(
                unreadable,
                """
                the \(occurrence.topic) of subject \(occurrence.subjectID) in lane \(position.lane), planned for \
                \(occurrence.at) with ref \(occurrence.ref), ends as dead (unreadable_row)
                """)
            return Decided(unreadable: occurrence)
        }
    }

    private func advance(to last: Occurrence, _ decided: [Decided], _ position: Position) -> Statement {
        Statement(
            """
            UPDATE lane SET cursor_at = $2, cursor_subject_id = $3, cursor_topic = $4::topic, cursor_ref = $5,
                last_seq = $6, last_recorded_at = $7
            WHERE lane = $1
            """,
            [
                position.lane, last.at, last.subjectID, last.topic.label, last.ref,
                position.lastSeq + decided.count { $0.end == nil }, position.recordedAt,
            ])
    }

    /// The statements that append what was decided. COPY would write a fifth less WAL in the same time, but it takes two
    /// more round trips, and if the worker's network fails in the middle of it, the lane stays locked until TCP gives up.
    private func append(_ decided: [Decided], _ position: Position) -> [Statement] {
        let jobs = decided.filter { $0.end == nil }
        let ended = decided.compactMap { decision in decision.end.map { (occurrence: decision.occurrence, end: $0) } }
        return (jobs.isEmpty ? [] : [insert(jobs, position)]) + (ended.isEmpty ? [] : [insert(ended, position)])
    }

    private func insert(_ jobs: [Decided], _ position: Position) -> Statement {
        Statement(
            """
            INSERT INTO push_job (lane, recorded_at, seq, account_id, subject_id, topic, ref, planned_at, expires_at)
            SELECT lane.lane, $2, $3 + place, account_id, subject_id, topic::topic, ref, planned_at, expires_at
            FROM lane, unnest($4::uuid[], $5::uuid[], $6::text[], $7::int[], $8::timestamptz[], $9::timestamptz[])
                WITH ORDINALITY AS job (account_id, subject_id, topic, ref, planned_at, expires_at, place)
            WHERE lane.lane = $1
            """,
            [position.lane, position.recordedAt, position.lastSeq] + columns(of: jobs.map(\.occurrence))
                + [jobs.map(\.expiresAt)])
    }

    /// Account, subject, topic, ref and instant as arrays.
    private func columns(of occurrences: [Occurrence]) -> [any PostgresEncodable] {
        [
            occurrences.map(\.accountID), occurrences.map(\.subjectID), occurrences.map(\.topic.label),
            occurrences.map { Int32($0.ref) }, occurrences.map(\.at),
        ]
    }

    private typealias Ended = (occurrence: Occurrence, end: PushEnd)

    private func insert(_ ended: [Ended], _ position: Position) -> Statement {
        Statement(
            """
            INSERT INTO occurrence_outcome
                (lane, recorded_at, finished_at, account_id, subject_id, topic, ref, planned_at, outcome, reason)
            SELECT lane.lane, $2, $3, account_id, subject_id, topic::topic, ref, planned_at, outcome::push_outcome_kind,
                reason
            FROM lane, unnest($4::uuid[], $5::uuid[], $6::text[], $7::int[], $8::timestamptz[], $9::text[], $10::text[])
                AS ended (account_id, subject_id, topic, ref, planned_at, outcome, reason)
            WHERE lane.lane = $1
            """,
            [position.lane, position.recordedAt, position.now] + columns(of: ended.map(\.occurrence))
                + [ended.map(\.end.outcome.rawValue), ended.map(\.end.reason.rawValue)])
    }

    private func batch(_ decided: [Decided], isFull: Bool) -> Batch {
        var batch = Batch(isFull: isFull)
        for decision in decided {
            if let end = decision.end { batch.ended[end.outcome, default: 0] += 1 } else { batch.enqueued += 1 }
        }
        return batch
    }
}
