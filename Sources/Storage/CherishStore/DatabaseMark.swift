import CherishCore
import Postgres

/// Whether a database is marked as a test database.
public struct DatabaseMark: Sendable {
    private let pool: ConnectionPool

    public init(pool: ConnectionPool) {
        self.pool = pool
    }

    /// Returns whether the database is marked as a test database. One without migrations is not.
    public func isTest() async throws -> Bool {
        try await pool.withConnection { connection in
            let tables = try await connection.query("SELECT to_regclass('database_mark') IS NOT NULL")
            guard try tables.first?.decode(0, as: Bool.self) == true else { return false }
            return try await connection.query("SELECT 1 FROM database_mark WHERE purpose = 'test'").isEmpty == false
        }
    }

    /// Marks the database as a test database. Idempotent.
    ///
    /// - Returns: whether the mark is new.
    /// - Throws: ``NotOwner`` unless the user owns the tables.
    public func markTest() async throws -> Bool {
        try await pool.withTransaction { connection in
            try await NotOwner.refuse(on: connection)
            return try await connection.execute(
                """
                INSERT INTO database_mark (purpose, marked_at) VALUES ('test', statement_timestamp())
                ON CONFLICT DO NOTHING
                """) > 0
        }
    }
}

/// The operation requires the owner of the tables.
public struct NotOwner: Error, Hashable, Sendable, CustomStringConvertible {
    public let user: String
    public let owner: String

    /// The error code listed in `docs/command-line.md`.
    public var code: String { "missing_privilege" }

    public var description: String {
        "the tables belong to \(owner), and \(user) may not do this; connect as \(owner), and run this again"
    }

    /// - Throws: ``NotOwner`` if the connected user neither owns the tables nor is a member of the role that does.
    static func refuse(on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            SELECT current_user::text, pg_get_userbyid(relowner)::text, pg_has_role(relowner, 'USAGE')
            FROM pg_class WHERE oid = 'account'::regclass
            """)
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no table of accounts") }
        let (user, owner) = (try reader.next(String.self), try reader.next(String.self))
        guard try reader.next(Bool.self) else { throw NotOwner(user: user, owner: owner) }
    }
}

/// `--now` is more than an hour ahead of the database's clock, and the database is not marked as a test database.
public struct FutureNow: Error, Hashable, Sendable, CustomStringConvertible {
    public let now: Instant
    public let clock: Instant

    /// The error code listed in `docs/command-line.md`.
    public var code: String { "future_now" }

    public var description: String {
        """
        --now \(now) is more than an hour ahead of the database's clock, \(clock): it would move all calendars there, and \
        alarms would come late until then; leave --now out, or, if the database is for tests alone, run \
        'cherish database mark-test' as the owner of its tables
        """
    }
}

extension CareStore {
    /// How many minutes `--now` may be ahead of the database's clock: clocks differ, and an hour late is still D-day.
    static let longestLead = 60

    /// - Throws: ``FutureNow`` if the engine's now would move calendars far into the future, unless the database is
    ///   marked as a test database.
    public func requirePresent() async throws {
        guard case .fixed(let now) = time else { return }
        let clock = try await EngineTime.database.now(pool)
        guard now > clock.adding(minutes: CareStore.longestLead) else { return }
        if try await !DatabaseMark(pool: pool).isTest() { throw FutureNow(now: now, clock: clock) }
    }
}
