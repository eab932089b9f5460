import CherishCore
import Foundation
import Postgres
import SystemTimeZones

/// What the engine takes for the present.
public enum EngineTime: Sendable {
    /// The database's clock, which is one for all programs.
    case database
    /// A fixed moment (`--now`).
    case fixed(Instant)

    /// For `coalesce($n, now())`.
    var fixedInstant: Instant? {
        switch self {
        case .database: nil
        case .fixed(let instant): instant
        }
    }

    /// What the engine takes for now.
    func now(_ pool: ConnectionPool) async throws -> Instant {
        if let fixed = fixedInstant { return fixed }
        let rows = try await pool.withConnection { try await $0.query("SELECT clock_timestamp()") }
        guard let now = try rows.first?.decode(0, as: Instant.self) else { throw UnreadableRow(what: "no clock") }
        return now
    }
}

/// Accounts, plants and what happens to them, kept in PostgreSQL.
///
/// A command is one transaction: it share-locks its lane's row, so that no occurrence is added behind the lane's cursor,
/// then locks the account and the plant, lets the rules decide, and writes what they say.
public struct CareStore: Sendable {
    public let pool: ConnectionPool
    public let zones: SystemTimeZones
    public let time: EngineTime
    let identifiers: UniqueIdentifiers
    /// How many plants are planned again in one transaction when their account's zone or switches change: as many as are
    /// done in a few tenths of a second, in which the lane's scheduler waits.
    var replanningPiece = 2_000

    public init(
        pool: ConnectionPool, zones: SystemTimeZones, time: EngineTime = .database,
        identifiers: UniqueIdentifiers = UniqueIdentifiers()
    ) {
        self.pool = pool
        self.zones = zones
        self.time = time
        self.identifiers = identifiers
    }

    /// What the engine takes for now.
    public func now() async throws -> Instant {
        try await time.now(pool)
    }

    /// Runs a command in its lane. What the body throws undoes all it did.
    func command<Result: Sendable>(
        in lane: Lane, _ body: (LaneCommand) async throws -> Result
    ) async throws -> Result {
        try await retryingMissingPartitions(pool) {
            try await pool.withTransaction { connection in
                // A statement of its own: what a scheduler that this one waits for has written must be visible to the
                // statements that follow.
                let rows = try await connection.query(
                    "SELECT coalesce($2, clock_timestamp()), cursor_at FROM lane WHERE lane = $1 FOR SHARE",
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

/// Lanes that are share-locked for the rest of a transaction.
struct LockedLanes {
    /// What the engine takes for now.
    let now: Instant
    /// How far the calendar of each was walked.
    let cursors: [Lane: Instant]
}

extension CareStore {
    /// Locks some lanes as a command locks its one, so that no occurrence is added behind a cursor: in their order, so that
    /// two never wait for each other; each by a statement of its own, since a shard is named by its lane.
    func lockLanes(_ lanes: Set<Lane>, on connection: Connection) async throws -> LockedLanes {
        let lanes = lanes.sorted()
        let locked = try await connection.pipeline(
            lanes.map { Statement("SELECT cursor_at FROM lane WHERE lane = $1 FOR SHARE", [$0]) })
        // Read when the last lock was granted: no scheduler of these lanes is ahead of it.
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

/// A row was to be written for which there is no partition yet.
struct MissingPartition: Error {
    let makeStatements: [Statement]
}

/// Something was to be planned for a time that has no calendar.
public struct OutsideCalendar: Error, Sendable, CustomStringConvertible {
    public init() {}

    /// As `docs/command-line.md` lists it.
    public var code: String { "outside_calendar" }

    public var description: String {
        """
        pushes can be planned from 2000 to 2099 only, and by a session for one account up to 14 months ahead; look at the \
        clock, at --now, and at the times in the file
        """
    }
}

/// Runs a transaction; if it stumbles over a missing partition, makes that one in a transaction of its own and runs it
/// again. Making it inside would hold a lock on the whole table until the end of the command.
func retryingMissingPartitions<Result: Sendable>(
    _ pool: ConnectionPool, _ body: () async throws -> Result
) async throws -> Result {
    // Calendar and log may each lack one; more tries than that mean that somebody drops them as fast as they are made.
    for _ in 0..<4 {
        do {
            return try await body()
        } catch let missing as MissingPartition {
            try await pool.withConnection { connection in
                do {
                    for statement in missing.makeStatements { _ = try await connection.query(statement) }
                } catch let error as PostgresError where error.sqlState == "22023" {
                    throw OutsideCalendar()
                }
            }
        }
    }
    return try await body()
}

extension PostgresError {
    var isUniqueViolation: Bool { sqlState == "23505" }

    /// Somebody else made the same table, type or role, perhaps at the same moment.
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

    func present(for account: Account) throws -> Present {
        Present(now: now, zone: try zones.rules(account.timeZone), calendarCursor: calendarCursor)
    }

    /// The account, locked against edits for the rest of the command.
    func account(_ id: Account.ID, lock: RowLock = .share) async throws -> Account {
        let rows = try await connection.query(
            "SELECT \(AccountRow.columns) FROM account WHERE lane = $1 AND id = $2 \(lock.rawValue)", [lane, id])
        guard let row = rows.first else { throw CareError.notFound(.account) }
        return try AccountRow.decode(row)
    }

    /// The plant, locked, and its account.
    func plant(_ reference: PlantReference) async throws -> (plant: Plant, account: Account) {
        let account = try await account(reference.accountID)
        let rows = try await connection.query(
            "SELECT \(PlantRow.columns) FROM plant WHERE lane = $1 AND id = $2 FOR UPDATE", [lane, reference.id])
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

enum RowLock: String {
    case share = "FOR SHARE"
    case update = "FOR NO KEY UPDATE"
    case delete = "FOR UPDATE"
    /// Rows that somebody else holds are left out.
    case updateUnlessHeld = "FOR NO KEY UPDATE SKIP LOCKED"
}

extension Connection {
    func query(_ statement: Statement) async throws -> Rows {
        try await query(statement.sql, statement.parameters)
    }
}
