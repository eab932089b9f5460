import CherishCore
import Postgres

/// Moves calendars back that a tick with a future `--now` scheduled ahead of the clock (decision 30).
///
/// Repairs each lane in one transaction, whatever its size. Once the cursor is back at now, a plant not yet replanned
/// points at an occurrence that is gone. If the repair stopped there, the plant would lose its alarm.
public struct CursorRepair: Sendable {
    /// The result of repairing one lane.
    public struct LaneReport: Sendable, Equatable {
        public let lane: Lane
        /// How far the calendar had been scheduled.
        public let walkedTo: Instant
        /// Where the cursor is now.
        public let now: Instant
        /// Occurrences deleted between the two; each already has a job or an outcome.
        public internal(set) var deletedCount = 0
        /// Plants and things whose plans changed.
        public internal(set) var subjectCount = 0
        /// Newly planned occurrences.
        public internal(set) var plannedCount = 0
    }

    /// In minutes. A smaller lead disappears before anybody notices.
    static let noticeableLead = 1

    /// Rolls back a dry run.
    private struct DryRun: Error {
        let report: LaneReport
    }

    /// The state of a lane.
    private struct Position {
        let now: Instant
        let cursor: OccurrenceKey
    }

    private let store: CareStore

    /// - Parameter store: provides the time that calendars move back to: the database's clock, except in tests.
    public init(store: CareStore) {
        self.store = store
    }

    /// Repairs all lanes whose calendars are ahead, one by one. A lane that cannot be repaired does not stop the
    /// others; after an interruption, the next run repairs the rest.
    ///
    /// - Parameter isDryRun: repairs and rolls back, to report what would be done.
    /// - Returns: one report per repaired lane; none if no calendar is ahead.
    /// - Throws: ``NotOwner`` unless the user owns the tables, because programs may not delete from the calendar;
    ///   otherwise the first lane's error, after all lanes have been tried.
    public func run(isDryRun: Bool = false) async throws -> [LaneReport] {
        let lanes = try await store.pool.withConnection { connection in
            try await NotOwner.refuse(on: connection)
            return try await connection.query(
                """
                SELECT lane FROM lane WHERE cursor_at > coalesce($1, clock_timestamp()) + make_interval(mins => $2)
                ORDER BY lane
                """, [store.time.fixedInstant, Int32(CursorRepair.noticeableLead)]
            ).map { try $0.decode(0, as: Lane.self) }
        }
        var reports: [LaneReport] = []
        var failure: (any Error)?
        for lane in lanes {
            do {
                if let report = try await repair(lane, isDryRun: isDryRun) { reports.append(report) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return reports
    }

    private func repair(_ lane: Lane, isDryRun: Bool) async throws -> LaneReport? {
        do {
            return try await retryingMissingPartitions(store.pool) {
                try await store.pool.withTransaction { connection in
                    guard let report = try await repair(lane, on: connection) else { return nil }
                    if isDryRun { throw DryRun(report: report) }
                    return report
                }
            }
        } catch let dryRun as DryRun {
            return dryRun.report
        }
    }

    private func repair(_ lane: Lane, on connection: Connection) async throws -> LaneReport? {
        // Blocks commands and the lane's scheduler until the transaction ends. A separate statement, like theirs.
        let rows = try await connection.query(
            """
            SELECT coalesce($2, clock_timestamp()), cursor_at, cursor_subject_id, cursor_topic, cursor_ref
            FROM lane WHERE lane = $1 FOR UPDATE
            """, [lane, store.time.fixedInstant])
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no lane \(lane)") }
        let position = Position(now: try reader.next(), cursor: try OccurrenceKey(&reader))
        guard position.cursor.at > position.now.adding(minutes: CursorRepair.noticeableLead) else { return nil }
        var report = LaneReport(lane: lane, walkedTo: position.cursor.at, now: position.now)
        let taken = try await taken(lane, after: position.now, on: connection)
        report.deletedCount = try await putBack(lane, position, on: connection)
        try await forgetSentPushes(lane, position, on: connection)
        _ = try await connection.query(
            "UPDATE lane_watch SET seen_at = $2 WHERE lane = $1 AND seen_at > $2", [lane, position.now])
        let command = LaneCommand(
            connection: connection, lane: lane, now: position.now, calendarCursor: position.now, zones: store.zones)
        try await planAgain(position, taken, command, &report)
        try await planThingsAgain(position, taken, command, &report)
        return report
    }

    /// Returns the future occurrences that already have an outcome or a job.
    private func taken(_ lane: Lane, after now: Instant, on connection: Connection) async throws -> Set<Occurrence> {
        let rows = try await connection.query(
            """
            SELECT planned_at, account_id, subject_id, topic, ref FROM push_job
            WHERE lane = $1 AND planned_at > $2 AND isfinite(planned_at)
            UNION ALL
            SELECT planned_at, account_id, subject_id, topic, ref FROM occurrence_outcome
            WHERE lane = $1 AND planned_at > $2 AND isfinite(planned_at)
            """, [lane, now])
        return Set(
            try rows.map { row in
                var reader = row.reader
                return try Occurrence(&reader, store.domains)
            })
    }

    /// Moves the cursor back and deletes the occurrences in between, which would otherwise be scheduled again.
    ///
    /// - Returns: how many occurrences were deleted.
    private func putBack(_ lane: Lane, _ position: Position, on connection: Connection) async throws -> Int {
        let (now, cursor) = (position.now, position.cursor)
        try await connection.execute(
            """
            UPDATE lane SET cursor_at = $2, cursor_subject_id = '00000000-0000-0000-0000-000000000000',
                cursor_topic = 'watering_due', cursor_ref = 0
            WHERE lane = $1
            """, [lane, now])
        // Make all retries due now, so that jobs recorded too early end as superseded.
        try await connection.execute(
            "UPDATE push_retry SET retry_at = $2 WHERE lane = $1 AND retry_at > $2", [lane, now])
        // Reactivate devices that the wrong clock made look unrefreshed for months.
        try await connection.execute(
            """
            UPDATE device SET retired_at = NULL, retired_reason = NULL
            WHERE lane = $1 AND retired_at > $2 AND retired_reason = 'not_refreshed'
            """, [lane, now])
        return try await connection.execute(
            """
            DELETE FROM occurrence WHERE lane = $1 AND at >= $2 AND at <= $3
                AND (at, subject_id, topic, ref) <= ($3, $4, $5::topic, $6)
            """, [lane, now, cursor.at, cursor.subjectID, cursor.topic, Int32(cursor.ref)])
    }

    /// Deletes sent pushes with future dates: they would count as pushes of those days.
    private func forgetSentPushes(_ lane: Lane, _ position: Position, on connection: Connection) async throws {
        let sent = try await connection.query(
            "SELECT DISTINCT account_id, sent_on FROM sent_push WHERE lane = $1 AND sent_on >= $2 AND isfinite(sent_on)",
            [lane, TimeZoneRules.utc.day(at: position.now)]
        ).map { (account: try $0.decode(0, as: Account.ID.self), day: try $0.decode(1, as: CivilDay.self)) }
        let today = Dictionary(
            try await AccountRow.all(Set(sent.map(\.account)), on: connection).map {
                ($0.id, store.zones.clockOrUTC(of: $0).day(at: position.now))
            }, uniquingKeysWith: { first, _ in first })
        let astray = sent.filter { push in today[push.account].map { push.day > $0 } ?? true }
        try await connection.execute(
            """
            DELETE FROM sent_push USING unnest($2::uuid[], $3::date[]) AS astray (account_id, sent_on)
            WHERE sent_push.lane = $1 AND sent_push.account_id = astray.account_id
                AND sent_push.sent_on = astray.sent_on
            """, [lane, astray.map(\.account), astray.map(\.day)])
    }

    /// Replans the plants of a lane, 2,000 at a time.
    private func planAgain(
        _ position: Position, _ taken: Set<Occurrence>, _ command: LaneCommand, _ report: inout LaneReport
    ) async throws {
        let size = 2_000
        var last = (account: Account.ID(Plant.ID.least.uuid), plant: Plant.ID.least)
        while true {
            let rows = try await command.connection.query(
                """
                SELECT \(PlantRow.columns) FROM plant
                WHERE lane = $1 AND (account_id, id) > ($2, $3) AND (
                    EXISTS (SELECT 1 FROM (VALUES \(PlantPointer.rows)) AS pointer (topic, ref, at) WHERE at > $4 AND at <= $5)
                    OR passed_birthday_at > $4 OR alarmed_due_dates <> '{}')
                ORDER BY account_id, id LIMIT $6
                """,
                [
                    command.lane, last.account, last.plant, position.now,
                    position.cursor.at.adding(microseconds: 1), size,
                ])
            try await planAgain(
                try rows.compactMap(PlantRow.decodeUnlessBroken), position, taken, command, &report)
            guard rows.count == size, let row = rows.last else { return }
            last = (account: try row.decode(1), plant: try row.decode(0))
        }
    }

    private func planAgain(
        _ plants: [Plant], _ position: Position, _ taken: Set<Occurrence>, _ command: LaneCommand,
        _ report: inout LaneReport
    ) async throws {
        let reminded = try await command.reminded(plants)
        let accounts = try await AccountRow.all(Set(plants.map(\.accountID)), on: command.connection)
        let gardens = Dictionary(grouping: plants, by: \.accountID)
        var statements: [Statement] = []
        var occurrences: [Occurrence] = []
        for account in accounts {
            let context = CommandContext(
                now: position.now, zone: store.zones.clockOrUTC(of: account), calendarCursor: position.now,
                pausedDays: account.pausedDays)
            var changed: [Plant] = []
            for before in gardens[account.id] ?? [] {
                var plant = before
                occurrences += plant.planAgainAfterCursorRepair(
                    walkedTo: position.cursor.at, reminded: reminded[plant.id], for: account, in: context,
                    taken: taken)
                if plant != before { changed.append(plant) }
            }
            report.subjectCount += changed.count
            // The query returned the plants sorted by id.
            statements += PlantRow.updates(changed[...], of: account.id)
        }
        report.plannedCount += occurrences.count
        try await command.writePlanningEachTime(statements)
        try await command.planMany(occurrences)
    }
}

extension CursorRepair {
    /// Replans the things of a lane.
    private func planThingsAgain(
        _ position: Position, _ taken: Set<Occurrence>, _ command: LaneCommand, _ report: inout LaneReport
    ) async throws {
        let rows = try await command.connection.query(
            """
            SELECT \(ThingRow.columns) FROM thing
            WHERE lane = $1 AND (alert_at > $2 AND alert_at <= $3 OR reached_alert_at > $2) ORDER BY account_id, id
            """, [command.lane, position.now, position.cursor.at.adding(microseconds: 1)])
        let things = try rows.compactMap { row in try readable { try ThingRow.decode(row) } }
        let accounts = try await AccountRow.all(Set(things.map(\.accountID)), on: command.connection)
        let gardens = Dictionary(grouping: things, by: \.accountID)
        var statements: [Statement] = []
        var occurrences: [Occurrence] = []
        for account in accounts {
            let context = CommandContext(
                now: position.now, zone: store.zones.clockOrUTC(of: account), calendarCursor: position.now,
                pausedDays: account.pausedDays)
            var changed: [Thing] = []
            for before in gardens[account.id] ?? [] {
                var thing = before
                let planned = thing.planAgainAfterCursorRepair(
                    walkedTo: position.cursor.at, account.warningDays, in: context, taken: taken)
                guard thing != before else { continue }
                changed.append(thing)
                occurrences += [planned].compactMap { $0.map(thing.occurrence) }
            }
            statements += ThingRow.updates(changed, of: account.id)
            report.subjectCount += changed.count
        }
        report.plannedCount += occurrences.count
        if statements.isEmpty { return }
        try await command.writePlanningEachTime(statements)
        try await command.planMany(occurrences)
    }
}

extension Garden {
    /// Returns the cursor of the account's lane if it is more than a minute ahead of now, so that additions would be
    /// planned too late; nil otherwise.
    public func calendarAhead() async throws -> Instant? {
        try await read { connection in
            try await connection.query(
                """
                SELECT cursor_at FROM lane
                WHERE lane = $1 AND cursor_at > coalesce($2, clock_timestamp()) + make_interval(mins => $3)
                """, [accountID.lane, store.time.fixedInstant, Int32(CursorRepair.noticeableLead)]
            ).first?.decode(0)
        }
    }
}
