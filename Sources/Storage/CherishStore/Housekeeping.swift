import CherishCore
import Foundation
import Postgres

/// Creates partitions ahead of time, counts completed days of the log, drops partitions after the retention period, and
/// keeps what reports need of histories. It also forgets what people no longer need, and erases accounts without an e-mail
/// that are unused.
///
/// The calendar follows the engine's now. The log is recorded and retained by the database's clock.
///
/// Nothing is lost, because what is over stays over:
///
/// - A month of the calendar is over once every lane's cursor has reached its end. A cursor moves only under the lane's
///   lock, which waits for running commands, and later commands plan after the cursor (`CommandContext.aheadOfCursor`).
///   So nobody can add an occurrence to that month, and dropping it needs no further lock.
/// - A day of the log is over once each of its jobs lies at or before its lane's delivery cursor and none has a retry.
///   Cursors never move back, and nobody adds a job to a past day: schedulers record by the clock, and housekeeping
///   waits for those that may have read it on that day.
///
/// The view `push` finds a job's receipt on the job's day or later. So days are dropped oldest first, and none is
/// dropped before an older one that stays.
///
/// A day's pushes are indexed by account an hour after it ended, for the reports of one account (decision 69). A day to which
/// schedulers still add has no such index, because it would cost each push.
///
/// A day is counted one day after it ended, when it is known which pushes were followed by a watering within 24 hours,
/// and always before it is dropped. The newest counted day implies all earlier ones.
///
/// Non-owners drop partitions through `drop_partition`, which may briefly block others.
public struct Housekeeping: Sendable {
    /// The result of one run, by partition names.
    public struct Report: Sendable, Equatable {
        /// Partitions that were missing and now exist.
        public var made: [String]
        /// Days of the log that this run counted, except days without pushes.
        public var counted: [CivilDay]
        /// Days of the log whose pushes can be found by account from now on.
        public var indexed: [CivilDay]
        /// Dropped partitions, in order.
        public var dropped: [String]
        /// A partition that transactions held until `patience` ran out, or that another worker took over. The next run
        /// continues with it.
        public var held: String?
        /// Plants and accounts whose history was summarized for the reports, because something had happened to them.
        public var summarized: Int
        /// Why some of them were not, if rows of a lane cannot be computed: reports about them fail, too.
        public var summaryFailure: String?
        /// Accounts without an e-mail that nobody has used for 180 days.
        public var erased: Int

        /// An empty report by default.
        public init(
            made: [String] = [], counted: [CivilDay] = [], indexed: [CivilDay] = [], dropped: [String] = [],
            held: String? = nil, summarized: Int = 0, summaryFailure: String? = nil, erased: Int = 0
        ) {
            self.made = made
            self.counted = counted
            self.indexed = indexed
            self.dropped = dropped
            self.held = held
            self.summarized = summarized
            self.summaryFailure = summaryFailure
            self.erased = erased
        }
    }

    /// Longer than a list lasts, and than its helper can be rated.
    private static let daysHelped = 40
    /// For how long devices may ask what has changed (rule 14.2).
    private static let daysOfChanges = 90
    /// Two days, so that nobody waits at midnight and workers may be down for a day.
    private static let logHoursAhead = 48
    /// Covers everything that the rules can plan, and one month more than a session for one account may create.
    /// Otherwise such a session could block others from creating months for as long as it likes.
    private static let calendarHoursAhead = 462 * 24
    /// Renewed with each step. A step takes at most 1.5 seconds, unless the file system is slow to delete.
    private static let leaseSeconds = 300

    private let pool: ConnectionPool
    private let time: EngineTime
    private let retention: Int
    private let patience: Duration

    /// - Parameters:
    ///   - retention: how many days to keep log and calendar, at least 1.
    ///   - patience: how long a run waits for transactions that may still read what it drops.
    public init(pool: ConnectionPool, time: EngineTime, retention: Int, patience: Duration = .seconds(600)) {
        precondition(retention > 0, "what is written today is kept")
        self.pool = pool
        self.time = time
        self.retention = retention
        self.patience = patience
    }

    /// Creates missing partitions, counts and drops those that are over, then summarizes histories. Several workers may
    /// call it concurrently; only one of them drops.
    ///
    /// Dropping waits for transactions that read the table, without blocking anybody. It may be cancelled at any
    /// moment: the next run resumes where this one stopped.
    public func run() async throws -> Report {
        let (now, clock) = try await clocks()
        let found = try await pool.withConnection { try await partitions(on: $0) }
        let made = try await make(
            Period.all(.log, from: clock, to: clock.adding(hours: Housekeeping.logHoursAhead))
                + Period.all(.calendar, from: now, to: now.adding(hours: Housekeeping.calendarHoursAhead)),
            unlessIn: found)
        let past = Set(found.compactMap { Period(partition: $0) }).sorted { $0.firstDay < $1.firstDay }
        let lastCounted = try await lastCounted()
        func isCounted(_ day: Period) -> Bool { lastCounted.map { day.firstDay <= $0 } ?? false }
        func isKept(_ day: Period) -> Bool { day.end > clock.adding(hours: -24 * retention) }
        let days = try await daysOver(
            past.filter { $0.part == .log && $0.end <= clock.adding(hours: -24) && !(isCounted($0) && isKept($0)) })
        let counted = try await count(days.filter { !isCounted($0) })
        let endedDays = days.filter { !isKept($0) }
        let stayingDays = Set(past.filter { $0.part == .log }).subtracting(endedDays)
        // Outcomes stay while a day of their jobs does.
        let outcomes = past.filter { month in
            month.part == .outcomes && !isKept(month)
                && !stayingDays.contains { month == Period(.outcomes, containing: $0.start) }
        }
        let months = past.filter { $0.part == .calendar && $0.end <= now.adding(hours: -24 * retention) }
        var report = try await drop(endedDays + outcomes + monthsOver(months))
        report.made = made
        report.counted = counted
        try await forgetPeople(now)
        // These three last, because an error here must not keep partitions from being made and dropped.
        let summaries = try await HistorySummaries(pool: pool).keep()
        report.summarized = summaries.count
        report.summaryFailure = summaries.failure?.description
        report.erased = try await UnusedAccounts(pool: pool).erase(at: now)
        let jobs = past.filter { $0.part == .log && $0.end <= clock.adding(hours: -1) && isKept($0) }
        report.indexed = try await index(jobs.filter { found.contains($0.partition(of: "push_job")) })
        return report
    }

    /// Returns the missing partitions that are needed within a day (log) or within the longest cycle (calendar). A
    /// worker creates them ahead of time; without one, the transaction that needs a partition creates it.
    public func missing() async throws -> [String] {
        let (now, clock) = try await clocks()
        let found = try await pool.withConnection { try await partitions(on: $0) }
        let needed =
            Period.all(.log, from: clock, to: clock.adding(hours: 24))
            + Period.all(.calendar, from: now, to: now.adding(hours: 90 * 24))
        return Set(needed.flatMap { $0.missing(in: found) }).sorted()
    }

    /// Returns the engine's now and the database's clock.
    private func clocks() async throws -> (now: Instant, clock: Instant) {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                "SELECT coalesce($1, clock_timestamp()), clock_timestamp()", [time.fixedInstant])
        }
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no clock") }
        return (try reader.next(), try reader.next())
    }

    /// Returns all tables named like a partition, attached or left behind by an interrupted run.
    private func partitions(on connection: Connection) async throws -> Set<String> {
        let rows = try await connection.query(
            """
            SELECT relname FROM pg_class
            WHERE relkind = 'r'
                AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'occurrence'::regclass)
                AND relname ~ '^((push_(job|outcome|receipt|device_outcome)|sent_push|occurrence_outcome)_[0-9]{8}|(push_outcome|occurrence)_[0-9]{6})$'
            """)
        return Set(try rows.map { try $0.decode(0, as: String.self) })
    }
}

// MARK: - People

extension Housekeeping {
    /// Deletes what rule 12 no longer needs: codes after a day, because ten a day are counted; levels of attempts that have
    /// run empty; unused sessions; and answers that nobody asks for again.
    private func forgetPeople(_ now: Instant) async throws {
        // One statement each, in a transaction of its own, so that no two tables are locked at once.
        let statements = [
            Statement("DELETE FROM verification_code WHERE sent_at < $1", [now.adding(hours: -24)]),
            Statement("DELETE FROM throttle WHERE measured_at < $1", [now.adding(hours: -1)]),
            Statement("DELETE FROM idempotent_request WHERE started_at < $1", [now.adding(hours: -48)]),
            // Where a list was, once nobody can accept it: also, so that the index of open lists holds no others.
            Statement(
                """
                UPDATE shopping_list SET latitude = NULL, longitude = NULL
                WHERE latitude IS NOT NULL AND expires_at < $1
                """, [now.adding(hours: -24)]),
            Statement(
                "DELETE FROM helped_list WHERE claimed_at < $1", [now.adding(hours: -24 * Housekeeping.daysHelped)]),
            // A receipt goes after whoever attached it: a list lasts 9 days.
            Statement(
                "DELETE FROM list_receipt WHERE attached_at < $1",
                [now.adding(hours: -24 * (Housekeeping.daysHelped + 10))]),
            ChangeRow.forget(before: now.adding(hours: -24 * Housekeeping.daysOfChanges)),
            // Older edits are refused, so nothing is compared with these times any more.
            Statement(
                "DELETE FROM edited_item WHERE newest_at < $1", [now.adding(hours: -24 * EditOrder.daysKept)]),
            Statement(
                "DELETE FROM tombstone WHERE deleted_at < $1", [now.adding(hours: -24 * Housekeeping.daysOfChanges)]),
        ]
        for statement in statements { _ = try await pool.withConnection { try await $0.query(statement) } }
        try await change(
            "DELETE FROM account_session WHERE used_at < $1 RETURNING account_id, id",
            [now.adding(hours: -24 * SignInSession.daysUnused)], at: now
        ) { .session(SignInSession.ID($0)) }
        // Who helped, once nobody can be rated any more. The ratings stay.
        try await change(
            """
            UPDATE shopping_list SET helper_id = NULL, helper_nickname = NULL, helper_rating_count = NULL,
                helper_rating_sum = NULL, accepted_at = NULL
            WHERE helper_id IS NOT NULL AND expires_at < $1 RETURNING account_id, id
            """, [now.adding(hours: -24 * Housekeeping.daysHelped)], at: now
        ) { .list(ShoppingList.ID($0)) }
    }

    /// Changes what devices show, and notes it for them.
    ///
    /// - Parameter statement: returns the account and the id of each item that it changed.
    private func change(
        _ statement: SQL, _ parameters: [any PostgresEncodable], at now: Instant, _ item: (UUID) -> ChangedItem
    ) async throws {
        try await pool.withTransaction { connection in
            var changes: [Account.ID: [ChangedItem]] = [:]
            for row in try await connection.query(statement, parameters) {
                var reader = row.reader
                changes[try reader.next(), default: []].append(item(try reader.next()))
            }
            _ = try await connection.pipeline(ChangeRow.note(changes, at: now))
        }
    }
}

// MARK: - Ahead

extension Housekeeping {
    /// Creates one period at a time. All tables of a day appear together: where a job fits, its receipt fits too.
    private func make(_ periods: [Period], unlessIn found: Set<String>) async throws -> [String] {
        let lacking = periods.filter { !$0.missing(in: found).isEmpty }
        guard !lacking.isEmpty else { return [] }
        for period in lacking {
            let statement: SQL =
                period.part == .calendar ? "SELECT make_calendar_partition($1)" : "SELECT make_log_partitions($1)"
            _ = try await pool.withConnection { try await $0.query(statement, [period.start]) }
        }
        return try await pool.withConnection { try await partitions(on: $0) }.subtracting(found).sorted()
    }
}

// MARK: - What is over

extension Housekeeping {
    /// Returns the days of the log that are over, up to the first that is not.
    private func daysOver(_ days: [Period]) async throws -> [Period] {
        guard !days.isEmpty else { return [] }
        return try await pool.withConnection { connection in
            // A scheduler reads the clock when it requests its lane, and commits its records before it releases the
            // lane. Once this lock is granted, all earlier requests are done. FOR SHARE could overtake those waiting.
            for lane in Lane.all {
                _ = try await connection.query("SELECT 1 FROM lane WHERE lane = $1 FOR UPDATE", [lane])
            }
            var over: [Period] = []
            for day in days {
                guard try await isOver(day, on: connection) else { break }
                over.append(day)
            }
            return over
        }
    }

    /// Whether all jobs of a day have ended. Delivery keeps their order, so each lane's newest job speaks for the rest.
    private func isOver(_ day: Period, on connection: Connection) async throws -> Bool {
        let rows = try await connection.query(
            """
            SELECT NOT EXISTS (
                SELECT 1 FROM lane_delivery AS delivery CROSS JOIN LATERAL (
                    SELECT job.recorded_at, job.seq FROM push_job AS job
                    WHERE job.lane = delivery.lane AND job.recorded_at >= $1 AND job.recorded_at < $2
                    ORDER BY job.recorded_at DESC, job.seq DESC LIMIT 1
                ) AS newest
                WHERE (newest.recorded_at, newest.seq) > (delivery.cursor_recorded_at, delivery.cursor_seq)
            ) AND NOT EXISTS (SELECT 1 FROM push_retry WHERE recorded_at >= $1 AND recorded_at < $2)
            """, [day.start, day.end])
        return try rows.first?.decode(0, as: Bool.self) == true
    }

    /// Returns the months of the calendar that are over, up to the first that is not.
    private func monthsOver(_ months: [Period]) async throws -> [Period] {
        var over: [Period] = []
        for month in months {
            for lane in try await lanes(before: month.end) { try await advance(lane, to: month.end) }
            guard try await lanes(before: month.end).isEmpty else { break }
            over.append(month)
        }
        return over
    }

    /// Returns the lanes whose calendar cursor has not reached an instant.
    private func lanes(before end: Instant) async throws -> [Lane] {
        try await pool.withConnection { connection in
            try await connection.query("SELECT lane FROM lane WHERE cursor_at < $1 ORDER BY lane", [end])
                .map { try $0.decode(0) }
        }
    }

    /// Moves a lane's cursor to the end of a month if nothing is left before it. Otherwise the cursor of a lane without
    /// occurrences would stay behind forever, and a late command could still plan in that month.
    private func advance(_ lane: Lane, to end: Instant) async throws {
        try await pool.withTransaction { connection in
            // A separate statement: the next one must see what the commands wrote that this one waited for.
            _ = try await connection.query("SELECT 1 FROM lane WHERE lane = $1 FOR UPDATE", [lane])
            try await connection.execute(
                """
                UPDATE lane SET cursor_at = $2, cursor_subject_id = '00000000-0000-0000-0000-000000000000',
                    cursor_topic = 'watering_due', cursor_ref = 0
                WHERE lane = $1 AND cursor_at < $2 AND NOT EXISTS (
                    SELECT 1 FROM occurrence AS planned
                    WHERE planned.lane = $1 AND \(OccurrenceKey.isPlannedAfterCursor) AND planned.at < $2)
                """, [lane, end])
        }
    }
}

// MARK: - Counting

extension Housekeeping {
    /// Returns the newest counted day of the log; nil if there is none.
    private func lastCounted() async throws -> CivilDay? {
        try await pool.withConnection { connection in
            try await connection.query("SELECT max(recorded_on) FROM push_day").first?.decode(0, as: CivilDay?.self)
        } ?? nil
    }

    /// Counts day by day. Returns the days that had pushes.
    private func count(_ days: [Period]) async throws -> [CivilDay] {
        var counted: [CivilDay] = []
        for day in days {
            let isAny = try await pool.withTransaction { connection in
                // Another worker may be counting the same day. This one waits, then finds it done.
                _ = try await connection.query("SELECT 1 FROM engine_lock WHERE name = 'counting' FOR UPDATE")
                let rows = try await connection.query(
                    """
                    INSERT INTO push_day SELECT * FROM count_pushes($1, $2)
                    WHERE NOT EXISTS (SELECT 1 FROM push_day WHERE recorded_on >= $3) RETURNING 1
                    """, [day.start, day.end, day.firstDay])
                return !rows.isEmpty
            }
            if isAny { counted.append(day.firstDay) }
        }
        return counted
    }
}

// MARK: - Indexing

extension Housekeeping {
    /// Indexes the pushes of days to which nobody adds any more, the newest day first. Returns those that had no index.
    ///
    /// Waits a second at most for a transaction that still writes there, such as one that erases an account; the next run
    /// continues.
    private func index(_ days: [Period]) async throws -> [CivilDay] {
        let indexed = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT relname FROM pg_class
                WHERE relkind = 'i' AND relname ~ '^push_job_[0-9]{8}_account$'
                    AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'push_job'::regclass)
                """)
        }.map { try $0.decode(0, as: String.self) }
        let lacking = days.filter { !indexed.contains("\($0.partition(of: "push_job"))_account") }
            .sorted { $0.firstDay > $1.firstDay }
        var done: [CivilDay] = []
        for day in lacking {
            do {
                try await pool.withTransaction { connection in
                    // Another worker may be indexing the same day. This one waits, then finds it done.
                    _ = try await connection.query("SELECT 1 FROM engine_lock WHERE name = 'counting' FOR UPDATE")
                    _ = try await connection.query("SELECT index_day($1)", [day.partition(of: "push_job")])
                }
            } catch let error as PostgresError where error.sqlState == "55P03" {
                return done
            }
            done.append(day.firstDay)
        }
        return done
    }
}

// MARK: - Dropping

extension Housekeeping {
    /// Drops the partitions of periods that are over, unless another worker is dropping.
    private func drop(_ periods: [Period]) async throws -> Report {
        guard !periods.isEmpty else { return Report() }
        let holder = String(UInt64.random(in: .min ... .max), radix: 16)
        guard try await pool.withConnection({ try await take(holder, on: $0) }) else { return Report() }
        do {
            let report = try await pool.withConnection { try await drop(periods, as: holder, onIts: $0) }
            try await pool.withConnection { try await giveBack(holder, on: $0) }
            return report
        } catch {
            // Even if this task was cancelled, spare others the wait until the lease expires.
            await Task { try? await pool.withConnection { try await giveBack(holder, on: $0) } }.value
            throw error
        }
    }

    private func drop(_ periods: [Period], as holder: String, onIts connection: Connection) async throws -> Report {
        do {
            // While FINALIZE waits, nobody can create partitions. Half a second is tolerable, and shorter than the
            // server's deadlock timeout.
            try await connection.script("SET lock_timeout = '500ms'")
            let report = try await drop(periods, as: holder, on: connection)
            try await connection.script("RESET lock_timeout")
            return report
        } catch {
            // A cancelled task can no longer reach the server. Closing the session ends the setting.
            await connection.close()
            throw error
        }
    }

    /// Takes or renews the lease for dropping.
    ///
    /// A lease rather than a lock, because DETACH ... CONCURRENTLY cannot run inside a transaction block. It need not
    /// be exact: two workers that drop at once only cause each other errors.
    private func take(_ holder: String, on connection: Connection) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE engine_lock SET held_by = $1, held_until = statement_timestamp() + $2 * interval '1 second'
            WHERE name = 'dropping' AND (held_until IS NULL OR held_until <= statement_timestamp() OR held_by = $1)
            """, [holder, Housekeeping.leaseSeconds]) == 1
    }

    private func giveBack(_ holder: String, on connection: Connection) async throws {
        try await connection.execute(
            "UPDATE engine_lock SET held_by = NULL, held_until = NULL WHERE name = 'dropping' AND held_by = $1",
            [holder])
    }

    private func drop(_ periods: [Period], as holder: String, on connection: Connection) async throws -> Report {
        var report = Report()
        // Another worker may have dropped some since they were listed.
        let found = try await partitions(on: connection)
        let end = ContinuousClock.now.advanced(by: patience)
        for period in periods {
            for table in period.part.tables where found.contains(period.partition(of: table)) {
                let partition = period.partition(of: table)
                guard try await drop(partition, of: table, until: end, as: holder, on: connection) else {
                    report.held = partition
                    return report
                }
                report.dropped.append(partition)
            }
        }
        return report
    }

    /// Runs the remaining steps until a partition is gone, starting where an earlier run stopped.
    ///
    /// - Returns: false if transactions held it until `end`, or another worker took over.
    private func drop(
        _ partition: String, of table: String, until end: ContinuousClock.Instant, as holder: String,
        on connection: Connection
    ) async throws -> Bool {
        while let step = try await nextStep(partition, of: table, on: connection) {
            guard try await take(holder, on: connection) else { return false }
            do {
                try await connection.script(step)
            } catch let error as PostgresError where error.sqlState == "55P03" {
                // The lock timed out, or a transaction still reads the partition.
                if ContinuousClock.now >= end { return false }
                try await Task.sleep(for: .seconds(1))
            }
        }
        return true
    }

    /// Returns the next statement on the way to dropping a partition; nil once it is gone.
    ///
    /// DETACH CONCURRENTLY marks the partition, so that new statements ignore it, and waits without a lock for the
    /// transactions that know it. If it is interrupted, FINALIZE completes it.
    private func nextStep(_ partition: String, of table: String, on connection: Connection) async throws -> SQL? {
        let rows = try await connection.query(
            """
            SELECT format('%I.%I', schema.nspname, parent.relname), format('%I.%I', schema.nspname, class.relname),
                pg_has_role(parent.relowner, 'USAGE'), inherited.inhdetachpending
            FROM pg_class AS parent JOIN pg_namespace AS schema ON schema.oid = parent.relnamespace
            JOIN pg_class AS class ON class.relnamespace = parent.relnamespace AND class.relname = $1
            LEFT JOIN pg_inherits AS inherited ON inherited.inhrelid = class.oid AND inherited.inhparent = parent.oid
            WHERE parent.oid = to_regclass($2)
            """, [partition, table])
        guard var reader = rows.first?.reader else { return nil }
        // Schema-qualified, because the search path may reach another installation.
        let (parent, child) = (SQL(trusting: try reader.next()), SQL(trusting: try reader.next()))
        guard try reader.next(Bool.self) else { return "SELECT drop_partition('\(SQL(trusting: partition))')" }
        guard let isPending = try reader.next(Bool?.self) else { return "DROP TABLE \(child)" }
        return "ALTER TABLE \(parent) DETACH PARTITION \(child) \(isPending ? "FINALIZE" as SQL : "CONCURRENTLY")"
    }
}
