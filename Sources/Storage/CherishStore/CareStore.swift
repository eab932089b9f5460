// How a command runs: one transaction that locks its lane, then the account and the plant.
// Locks rows of `lane`, `account` and `plant`, and adds occurrences to the calendar.
// Start with `CareStore.command`; `LaneCommand` holds what all commands share.
import CherishCore
import Foundation
import Postgres
import Synchronization
import SystemTimeZones

/// The source of the engine's now.
public enum EngineTime: Sendable {
    /// The database's clock, which all programs share.
    case database
    /// A fixed moment (`--now`).
    case fixed(Instant)
    /// A clock that runs: it showed a moment at a point of the machine's clock that nobody sets.
    case running(from: Instant, since: ContinuousClock.Instant)

    /// For `coalesce($n, now())`: nil means the database's clock.
    var fixedInstant: Instant? {
        switch self {
        case .database: nil
        case .fixed(let instant): instant
        case .running(let start, let since):
            start.adding(microseconds: Int64((ContinuousClock.now - since) / .microseconds(1)))
        }
    }

    /// Returns the engine's now.
    func now(_ pool: ConnectionPool) async throws -> Instant {
        if let fixed = fixedInstant { return fixed }
        let rows = try await pool.withConnection { try await $0.query("SELECT clock_timestamp()") }
        guard let now = try rows.first?.decode(0, as: Instant.self) else { throw UnreadableRow(what: "no clock") }
        return now
    }
}

/// Accounts and their gardens in PostgreSQL. An account's own data is reached only through ``garden(of:)``.
///
/// A command is one transaction. It share-locks its lane's row, so that no occurrence is added behind the lane's
/// cursor. Then it locks the account and the plant, lets the rules decide, and writes the result.
public struct CareStore: Sendable {
    public let pool: ConnectionPool
    public let zones: SystemTimeZones
    public let time: EngineTime
    /// What pushes may be about.
    public let domains: DueDomains
    /// Tells servers which accounts have changed.
    public let announcer: ChangeAnnouncer
    let identifiers: UniqueIdentifiers
    /// The role that reads and changes gardens, `cherish_account`; nil keeps the program's own role.
    let gardenRole: String?
    /// How many plants one transaction replans when the zone or switches of their account change. Takes a few tenths of
    /// a second, during which the lane's scheduler waits.
    var replanningPiece = 2_000

    public init(
        pool: ConnectionPool, zones: SystemTimeZones, time: EngineTime = .database, domains: DueDomains = .all,
        identifiers: UniqueIdentifiers = UniqueIdentifiers(), gardenRole: String? = nil,
        announcer: ChangeAnnouncer? = nil
    ) {
        self.pool = pool
        self.announcer = announcer ?? ChangeAnnouncer(pool: pool)
        self.zones = zones
        self.time = time
        self.domains = domains
        self.identifiers = identifiers
        self.gardenRole = gardenRole
    }

    /// Returns the garden of one account, whether the account exists or not.
    ///
    /// - Parameter proof: proves the session of whoever asks, with what is read first; nil if it is proved.
    public func garden(of account: Account.ID, proving proof: SessionProof? = nil) -> Garden {
        Garden(
            store: self, accountID: account, session: gardenRole.map { AccountSession(account, role: $0) }, proof: proof
        )
    }

    /// Returns the engine's now.
    public func now() async throws -> Instant {
        try await time.now(pool)
    }

    /// Runs a command in its lane. If `body` throws, all changes roll back.
    ///
    /// - Parameters:
    ///   - session: the account that the database session acts for; nil is the program, which may act for all.
    ///   - statements: sent with the lane's lock in one round trip; `body` receives their rows.
    func command<Result: Sendable>(
        in lane: Lane, as session: AccountSession? = nil, reading statements: [Statement] = [],
        _ body: (LaneCommand, [Rows]) async throws -> Result
    ) async throws -> Result {
        // A separate statement: those that follow must see what a scheduler wrote while this one waited.
        let lock = Statement(
            """
            SELECT coalesce($2, clock_timestamp()), \("cursor_at", at: .laneCursor) FROM lane
            WHERE lane = $1 FOR SHARE
            """,
            [lane, time.fixedInstant])
        let ending = LaneCommand.Ending()
        let result = try await retryingMissingPartitions(pool, as: session) {
            do {
                return try await pool.withTransaction(opening: session?.opening, reading: [lock] + statements) {
                    connection, rows, last in
                    ending.clear()
                    guard var reader = rows[0].first?.reader else { throw UnreadableRow(what: "no lane \(lane)") }
                    let now = try reader.next(Instant.self)
                    let cursor = try reader.reading("lane", key: { [.lane(lane)] }) { try $0.next(Instant.self) }
                    let command = LaneCommand(
                        connection: connection, lane: lane, now: now, calendarCursor: cursor, zones: zones,
                        ending: ending)
                    let result = try await body(command, Array(rows.dropFirst()))
                    last = ending.statements(in: lane, at: now)
                    if let request = IdempotentRequest.current { last.append(request.commit) }
                    return result
                }
            } catch let error as PostgresError where error.isMissingPartition && !ending.occurrences.isEmpty {
                throw OccurrenceRow.missingPartition(ending.occurrences, after: error)
            }
        }
        await announcer.announce(ending.changedAccounts)
        return result
    }

    /// Runs a command in its lane that reads what it needs itself.
    func command<Result: Sendable>(
        in lane: Lane, as session: AccountSession? = nil, _ body: (LaneCommand) async throws -> Result
    ) async throws -> Result {
        try await command(in: lane, as: session) { command, _ in try await body(command) }
    }
}

/// Lanes share-locked until the end of the transaction.
struct LockedLanes {
    /// The engine's now.
    let now: Instant
    /// The calendar cursor of each lane.
    let cursors: [Lane: Instant]
}

extension CareStore {
    /// Share-locks several lanes as a command locks one, so that no occurrence is added behind a cursor. Locks them in
    /// order, so that two callers cannot deadlock, with one statement per lane, because the lane determines the shard.
    func lockLanes(_ lanes: Set<Lane>, on connection: Connection) async throws -> LockedLanes {
        let lanes = lanes.sorted()
        let locked = try await connection.pipeline(
            lanes.map { Statement("SELECT \("cursor_at", at: .laneCursor) FROM lane WHERE lane = $1 FOR SHARE", [$0]) })
        // Read after the last lock is granted, so no scheduler of these lanes has used a later now.
        let clock = try await connection.query("SELECT coalesce($1, clock_timestamp())", [time.fixedInstant])
        guard let now = try clock.first?.decode(0, as: Instant.self) else { throw UnreadableRow(what: "no clock") }
        var cursors: [Lane: Instant] = [:]
        for (lane, rows) in zip(lanes, locked) {
            guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no lane \(lane)") }
            cursors[lane] = try reader.reading("lane", key: { [.lane(lane)] }) { try $0.next(Instant.self) }
        }
        return LockedLanes(now: now, cursors: cursors)
    }
}

/// A row needs a partition that does not exist, or may not exist.
struct MissingPartition: Error {
    let makeStatements: [Statement]
    /// The server's refusal, if there was one. It is thrown if it comes again once the partition exists: Citus names no
    /// constraint, so it may have been about something else.
    let refusal: PostgresError?
}

/// A push would be planned for an instant outside the calendar.
public struct OutsideCalendar: Error, Sendable, CustomStringConvertible {
    public init() {}

    /// The error code listed in `docs/command-line.md`.
    public var code: String { "outside_calendar" }

    public var description: String {
        """
        pushes can be planned from 2000 to 2099 only, and by a session for one account up to 14 months ahead; look at the \
        clock, at --now, and at the times in the file
        """
    }
}

extension OutsideCalendar: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        ("알림은 2000년부터 2099년까지, 지금부터 14개월까지만 계획할 수 있어요.", "시계와 날짜를 확인해 주세요.")
    }
}

/// Runs a transaction. If a partition is missing, creates it in a separate transaction and runs the body again.
/// Creating it inside would lock the whole table until the command ends.
func retryingMissingPartitions<Result: Sendable>(
    _ pool: ConnectionPool, as session: AccountSession? = nil, _ body: () async throws -> Result
) async throws -> Result {
    // The calendar and the log may each lack a partition. If more attempts are needed, something drops partitions as
    // fast as they are created.
    for _ in 0..<4 {
        do {
            return try await body()
        } catch let missing as MissingPartition {
            do {
                // One transaction each: a single one would hold a lock while waiting for the next.
                for statement in missing.makeStatements {
                    try await pool.withTransaction(opening: session?.opening) { _ = try await $0.query(statement) }
                }
            } catch let error as PostgresError where error.sqlState == "22023" {
                throw OutsideCalendar()
            }
        }
    }
    do {
        return try await body()
    } catch let missing as MissingPartition {
        throw missing.refusal ?? missing
    }
}

extension PostgresError {
    var isUniqueViolation: Bool { sqlState == "23505" }

    /// Another program created the same table, type or role, perhaps concurrently.
    var isAlreadyMade: Bool { ["23505", "42P07", "42710"].contains(sqlState) }

    /// "no partition of relation found for row" is a check violation that names no constraint.
    var isMissingPartition: Bool { sqlState == "23514" && constraint == nil }
}

/// A command within its lane's transaction.
package struct LaneCommand: Sendable {
    let connection: Connection
    let lane: Lane
    let now: Instant
    let calendarCursor: Instant
    let zones: SystemTimeZones
    let ending: Ending

    init(
        connection: Connection, lane: Lane, now: Instant, calendarCursor: Instant, zones: SystemTimeZones,
        ending: Ending = Ending()
    ) {
        self.connection = connection
        self.lane = lane
        self.now = now
        self.calendarCursor = calendarCursor
        self.zones = zones
        self.ending = ending
    }

    /// What is written in the round trip of COMMIT, and the earliest occurrence that was written before it.
    final class Ending: Sendable {
        private let state = Mutex<(statements: [Statement], occurrences: [Occurrence])>(([], []))
        private let changes = Mutex<[Account.ID: [ChangedItem]]>([:])
        private let earliest = Mutex<Instant?>(nil)

        /// When that is planned; nil if none was written.
        var earliestWritten: Instant? { earliest.withLock { $0 } }

        fileprivate func note(_ occurrences: [Occurrence]) {
            guard let new = occurrences.lazy.map(\.at).min() else { return }
            earliest.withLock { $0 = min($0 ?? new, new) }
        }

        var occurrences: [Occurrence] { state.withLock { $0.occurrences } }

        var changedAccounts: Set<Account.ID> { changes.withLock { Set($0.keys) } }

        fileprivate func note(_ items: [ChangedItem], of account: Account.ID) {
            if items.isEmpty { return }
            changes.withLock { $0[account, default: []] += items }
        }

        fileprivate func add(_ statements: [Statement], _ occurrences: [Occurrence]) {
            state.withLock {
                $0.statements += statements
                $0.occurrences += occurrences
            }
        }

        /// A transaction that is tried again starts over.
        fileprivate func clear() {
            state.withLock { $0 = ([], []) }
            changes.withLock { $0 = [:] }
        }

        fileprivate func statements(in lane: Lane, at now: Instant) -> [Statement] {
            let statements = state.withLock { state in
                state.occurrences.isEmpty
                    ? state.statements
                    : state.statements + [OccurrenceRow.insert(state.occurrences, lane: lane)]
            }
            return statements + changes.withLock { ChangeRow.note($0, at: now) }
        }
    }

    func context(for account: Account) throws -> CommandContext {
        CommandContext(
            now: now, zone: try zones.clock(of: account), calendarCursor: calendarCursor, pausedDays: account.pausedDays
        )
    }

    /// Reads an account and locks it against edits until the transaction ends.
    func account(_ id: Account.ID, lock: RowLock = .share) async throws -> Account {
        guard let row = try await connection.query(AccountRow.locked(id, lock)).first else {
            throw CareError.notFound(.account)
        }
        return try AccountRow.decode(row)
    }

    /// Notes what the command changed in an account, for its devices (rule 14.2). Written last, with COMMIT.
    func note(_ items: [ChangedItem], of account: Account.ID) { ending.note(items, of: account) }

    /// Writes the result of a command with COMMIT, in one round trip.
    func finish(_ statements: [Statement], planning occurrences: [Occurrence] = []) {
        ending.add(statements, occurrences)
    }

    /// Writes a part of a command's result now, in one round trip.
    func write(_ statements: [Statement] = [], planning occurrences: [Occurrence] = []) async throws {
        let planned = occurrences.isEmpty ? [] : [OccurrenceRow.insert(occurrences, lane: lane)]
        do {
            _ = try await connection.pipeline(statements + planned)
            ending.note(occurrences)
        } catch let error as PostgresError where error.isMissingPartition {
            throw OccurrenceRow.missingPartition(occurrences, after: error)
        }
    }
}

enum RowLock {
    case share
    case update
    case delete
    /// Skips rows that another transaction has locked.
    case updateUnlessHeld

    var sql: SQL {
        switch self {
        case .share: "FOR SHARE"
        case .update: "FOR NO KEY UPDATE"
        case .delete: "FOR UPDATE"
        case .updateUnlessHeld: "FOR NO KEY UPDATE SKIP LOCKED"
        }
    }
}

extension Connection {
    func query(_ statement: Statement) async throws -> Rows {
        try await query(statement.sql, statement.parameters)
    }
}
