import CherishCore
import Postgres

/// Answers an operator's questions about a database. Changes nothing, and needs no Cherish tables unless noted.
public struct DatabaseInspection: Sendable {
    /// A server and the connected user.
    public struct Server: Sendable, Equatable {
        /// In PostgreSQL's numbering: 150014 is 15.14.
        public let versionNumber: Int
        public let version: String
        /// The name of the database's encoding, such as `UTF8`.
        public let encoding: String
        /// Whether it refuses writes, as a standby or by configuration.
        public let isReadOnly: Bool
        public let user: String
        public let isSuperuser: Bool
        /// Whether the user owns the tables or is a member of the role that does; nil if there are no tables.
        public let ownsTables: Bool?
        /// Whether the user is a member of `cherish_app`; nil if there is no such role.
        public let isApplication: Bool?
        /// Whether the user is a member of `cherish_account`; nil if there is no such role.
        public let isForOneAccount: Bool?
    }

    /// A lease that expired without being released.
    public struct AbandonedLease: Sendable, Equatable {
        public let lane: Lane
        public let worker: String
        /// How long ago it expired.
        public let age: Duration
        /// Whether the lane has undelivered jobs.
        public let hasJobs: Bool
    }

    private let pool: ConnectionPool

    public init(pool: ConnectionPool) {
        self.pool = pool
    }

    /// Returns the server and the connected user.
    public func server() async throws -> Server {
        let rows = try await query(
            """
            SELECT current_setting('server_version_num')::int, current_setting('server_version'),
                pg_encoding_to_char(database.encoding)::text,
                pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean, current_user::text,
                self.rolsuper, pg_has_role(class.relowner, 'USAGE'), pg_has_role(application.oid, 'USAGE'),
                pg_has_role(account.oid, 'USAGE')
            FROM pg_database AS database JOIN pg_roles AS self ON self.rolname = current_user
            LEFT JOIN pg_class AS class ON class.oid = to_regclass('plant')
            LEFT JOIN pg_roles AS application ON application.rolname = 'cherish_app'
            LEFT JOIN pg_roles AS account ON account.rolname = 'cherish_account'
            WHERE database.datname = current_database()
            """)
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no current database") }
        return Server(
            versionNumber: try reader.next(), version: try reader.next(), encoding: try reader.next(),
            isReadOnly: try reader.next(), user: try reader.next(), isSuperuser: try reader.next(),
            ownsTables: try reader.next(), isApplication: try reader.next(), isForOneAccount: try reader.next())
    }

    /// Returns the database's clock.
    public func clock() async throws -> Instant {
        guard let row = try await query("SELECT clock_timestamp()").first else { throw UnreadableRow(what: "no clock") }
        return try row.decode(0)
    }

    /// Whether anybody signs in with a password.
    public func hasPasswords() async throws -> Bool {
        guard let row = try await query("SELECT EXISTS (SELECT 1 FROM account_password)").first else { return false }
        return try row.decode(0)
    }

    /// Returns the privileges that the programs need and the user lacks, such as `INSERT on plant`. Needs all tables
    /// and all functions.
    public func missingPrivileges() async throws -> [String] {
        let needed = Roles.tables.flatMap { table, privileges in
            Roles.split(privileges).map { (table, $0) }
        }
        return try await query(
            """
            SELECT needed.privilege || ' on ' || needed.name
            FROM unnest($1::text[], $2::text[]) AS needed (name, privilege)
            CROSS JOIN LATERAL regexp_match(needed.privilege, '^(.+) \\((.+)\\)$') AS one (part)
            WHERE NOT CASE
                WHEN one.part IS NULL THEN has_table_privilege(needed.name, needed.privilege)
                ELSE has_column_privilege(needed.name, one.part[2], one.part[1]) END
            UNION ALL
            SELECT 'EXECUTE on ' || function FROM unnest($3::text[]) AS function
            WHERE NOT has_function_privilege(function, 'EXECUTE')
            ORDER BY 1
            """,
            [
                needed.map(\.0), needed.map(\.1),
                Roles.functions.filter { $0.callers.contains(.application) }.map(\.signature),
            ]
        ).map { try $0.decode(0) }
    }

    /// Returns everything that gives PUBLIC, one of the three roles or a foreign owner more access than ``Roles``
    /// allows. Needs all tables and functions.
    public func openings() async throws -> [Opening] {
        try await pool.withConnection { try await Roles(pool: pool).openings.all(on: $0) }
    }

    /// Returns the owner of the tables if it is a superuser: its SECURITY DEFINER functions then run as a superuser.
    public func superuserOfTables() async throws -> String? {
        try await query(
            """
            SELECT role.rolname::text FROM pg_class AS class JOIN pg_roles AS role ON role.oid = class.relowner
            WHERE class.oid = 'account'::regclass AND role.rolsuper
            """
        ).first?.decode(0)
    }

    /// Returns the expired leases that no worker has taken over, by lane. Needs the lane tables.
    public func abandonedLeases() async throws -> [AbandonedLease] {
        try await query(
            """
            SELECT delivery.lane, delivery.leased_by, delivery.leased_until, clock_timestamp(),
                lane.last_seq > delivery.cursor_seq
            FROM lane_delivery AS delivery JOIN lane ON lane.lane = delivery.lane
            WHERE delivery.leased_until <= clock_timestamp() ORDER BY delivery.lane
            """
        ).map { row in
            let end = try row.decode(2, as: Instant.self)
            return AbandonedLease(
                lane: try row.decode(0), worker: try row.decode(1),
                age: end.duration(to: try row.decode(3, as: Instant.self)), hasJobs: try row.decode(4))
        }
    }

    /// Returns the time zones of all accounts, by name. Needs the account table.
    public func timeZones() async throws -> [String] {
        try await query("SELECT DISTINCT time_zone FROM account ORDER BY time_zone").map { try $0.decode(0) }
    }

    /// Returns a zone's offsets from UTC, in seconds, at the given instants, by the server's tz database; nil if it
    /// does not know the zone.
    public func offsets(of zone: String, at instants: [Instant]) async throws -> [Int]? {
        do {
            return try await query(
                """
                SELECT extract(epoch FROM (moment.at AT TIME ZONE $1::text) - (moment.at AT TIME ZONE 'UTC'))::int
                FROM unnest($2::timestamptz[]) WITH ORDINALITY AS moment (at, place) ORDER BY moment.place
                """, [zone, instants]
            ).map { try $0.decode(0, as: Int.self) }
        } catch let error as PostgresError where error.sqlState == "22023" {
            return nil
        }
    }

    private func query(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) async throws -> Rows {
        try await pool.withConnection { try await $0.query(sql, parameters) }
    }
}
