// Knows how a command runs: one transaction that locks its lane, then the account and the plant.
// Touches `lane`, `account` and `plant`, and adds occurrences to the calendar.
// Start with `CareStore.command`; `LaneCommand` holds what all commands share.
import CherishCore
import Foundation
import Postgres
import SystemTimeZones

/// The source of the engine's now.
public enum EngineTime: Sendable {
    /// The database's clock, which all programs share.
    case database
    /// A fixed moment (`--now`).
    case fixed(Instant)

    /// For `coalesce($n, now())`: nil means the database's clock.
    var fixedInstant: Instant? {
        switch self {
        case .database: nil
        case .fixed(let instant): instant
        }
    }

    /// The engine's now.
    func now(_ pool: ConnectionPool) async throws -> Instant {
        if let fixed = fixedInstant { return fixed }
        let rows = try await pool.withConnection { try await $0.query("SELECT clock_timestamp()") }
        guard let now = try rows.first?.decode(0, as: Instant.self) else { throw UnreadableRow(what: "no clock") }
        return now
    }
}

/// Accounts and their gardens in PostgreSQL. An account's own data is reached through ``garden(of:)`` only.
///
/// A command is one transaction. It share-locks its lane's row, so that no occurrence is added behind the lane's cursor, then
/// locks the account and the plant, lets the rules decide, and writes the result.
public struct CareStore: Sendable {
    public let pool: ConnectionPool
    public let zones: SystemTimeZones
    public let time: EngineTime
    let identifiers: UniqueIdentifiers
    /// The role that reads and changes gardens, `cherish_account`; nil keeps the program's own role.
    let gardenRole: String?
    /// How many plants one transaction replans when their account's zone or switches change: as many as take a few tenths of a
    /// second, because the lane's scheduler waits meanwhile.
    var replanningPiece = 2_000

    public init(
        pool: ConnectionPool, zones: SystemTimeZones, time: EngineTime = .database,
        identifiers: UniqueIdentifiers = UniqueIdentifiers(), gardenRole: String? = nil
    ) {
        self.pool = pool
        self.zones = zones
        self.time = time
        self.identifiers = identifiers
        self.gardenRole = gardenRole
    }

    /// The garden of one account, whether the account exists or not.
    public func garden(of account: Account.ID) -> Garden {
        Garden(store: self, accountID: account, session: gardenRole.map { AccountSession(account, role: $0) })
    }

    /// The engine's now.
    public func now() async throws -> Instant {
        try await time.now(pool)
    }

    /// Runs a command in its lane. If the body throws, all its changes roll back.
    ///
    /// - Parameter session: the account that the database session acts for; nil is the program, which may act for all.
    func command<Result: Sendable>(
        in lane: Lane, as session: AccountSession? = nil, _ body: (LaneCommand) async throws -> Result
    ) async throws -> Result {
        try await retryingMissingPartitions(pool, as: session) {
            try await pool.withTransaction(opening: session?.opening) { connection in
                // A statement of its own: the following ones must see what a scheduler wrote while this one waited for it.
                let rows = try await connection.query(
                    """
                    SELECT coalesce($2, clock_timestamp()), \("cursor_at", at: .laneCursor) FROM lane
                    WHERE lane = $1 FOR SHARE
                    """,
                    [lane, time.fixedInstant])
                guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no lane \(lane)") }
                let now = try reader.next(Instant.self)
                let cursor = try reader.reading("lane", key: { [.lane(lane)] }) { try $0.next(Instant.self) }
                return try await body(
                    LaneCommand(connection: connection, lane: lane, now: now, calendarCursor: cursor, zones: zones))
            }
        }
    }
}

/// Lanes that are share-locked for the rest of the transaction.
struct LockedLanes {
    /// The engine's now.
    let now: Instant
    /// The calendar cursor of each lane.
    let cursors: [Lane: Instant]
}

extension CareStore {
    /// Share-locks several lanes as a command locks its one, so that no occurrence is added behind a cursor. Locks them in order,
    /// so that two callers cannot deadlock, and one per statement, because the lane names the shard.
    func lockLanes(_ lanes: Set<Lane>, on connection: Connection) async throws -> LockedLanes {
        let lanes = lanes.sorted()
        let locked = try await connection.pipeline(
            lanes.map { Statement("SELECT \("cursor_at", at: .laneCursor) FROM lane WHERE lane = $1 FOR SHARE", [$0]) })
        // Read once the last lock is granted: no scheduler of these lanes has used a later now.
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

/// A row needs a partition that does not exist yet.
struct MissingPartition: Error {
    let makeStatements: [Statement]
}

/// A push would be planned for a time outside the calendar.
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

/// Runs a transaction. If a partition is missing, makes it in a transaction of its own and runs the body again: making it inside
/// would hold a lock on the whole table until the command ends.
func retryingMissingPartitions<Result: Sendable>(
    _ pool: ConnectionPool, as session: AccountSession? = nil, _ body: () async throws -> Result
) async throws -> Result {
    // Calendar and log may each lack one. More tries mean that somebody drops partitions as fast as they are made.
    for _ in 0..<4 {
        do {
            return try await body()
        } catch let missing as MissingPartition {
            do {
                // One transaction each: making several in one would hold one lock while waiting for the next.
                for statement in missing.makeStatements {
                    try await pool.withTransaction(opening: session?.opening) { _ = try await $0.query(statement) }
                }
            } catch let error as PostgresError where error.sqlState == "22023" {
                throw OutsideCalendar()
            }
        }
    }
    return try await body()
}

extension PostgresError {
    var isUniqueViolation: Bool { sqlState == "23505" }

    /// Another program made the same table, type or role, perhaps at the same moment.
    var isAlreadyMade: Bool { ["23505", "42P07", "42710"].contains(sqlState) }

    /// "no partition of relation found for row" is a check violation that names no constraint.
    var isMissingPartition: Bool { sqlState == "23514" && constraint == nil }
}

/// One command inside its lane's transaction.
struct LaneCommand: Sendable {
    let connection: Connection
    let lane: Lane
    let now: Instant
    let calendarCursor: Instant
    let zones: SystemTimeZones

    func context(for account: Account) throws -> CommandContext {
        CommandContext(now: now, zone: try zones.rules(account.timeZone), calendarCursor: calendarCursor)
    }

    /// The account, locked against edits for the rest of the command.
    func account(_ id: Account.ID, lock: RowLock = .share) async throws -> Account {
        let rows = try await connection.query(
            "SELECT \(AccountRow.columns) FROM account WHERE lane = $1 AND id = $2 \(lock.sql)", [lane, id])
        guard let row = rows.first else { throw CareError.notFound(.account) }
        return try AccountRow.decode(row)
    }

    /// An account and one of its plants, both locked.
    func plant(_ id: Plant.ID, of accountID: Account.ID) async throws -> (plant: Plant, account: Account) {
        let account = try await account(accountID)
        let rows = try await connection.query(
            """
            SELECT \(PlantRow.columns, at: .plantToChange) FROM plant
            WHERE lane = $1 AND id = $2 AND account_id = $3 FOR UPDATE
            """,
            [lane, id, accountID])
        guard let row = rows.first else { throw CareError.notFound(.plant) }
        return (try PlantRow.decode(row), account)
    }

    /// Writes what a command decided, in one round trip.
    func write(_ statements: [Statement] = [], planning occurrences: [Occurrence] = []) async throws {
        let planned = occurrences.isEmpty ? [] : [OccurrenceRow.insert(occurrences, lane: lane)]
        do {
            _ = try await connection.pipeline(statements + planned)
        } catch let error as PostgresError where error.isMissingPartition {
            throw OccurrenceRow.missingPartition(occurrences)
        }
    }
}

enum RowLock {
    case share
    case update
    case delete
    /// Skips rows that another transaction holds.
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
