import CherishSchema
import Postgres

/// Brings a database to this program's schema: first the migrations, forward only and one transaction each, then the
/// reports, which are replaced as a whole if they differ from this program's.
public struct Migrator: Sendable {
    /// The state of a database.
    public struct Status: Sendable, Equatable {
        /// The newest applied migration; 0 if there is none.
        public let applied: Int
        /// The newest migration that this program knows.
        public let known: Int
        public let reports: ReportState
    }

    /// How a database's schema `report` compares with this program's.
    public enum ReportState: String, Sendable {
        /// The schema does not exist.
        case missing
        /// Another program version created it, or a view was dropped or added since.
        case outdated
        case current
    }

    private let pool: ConnectionPool
    private let migrations: [Schema.Migration]
    /// The SQL that creates the schema `report`; empty for none.
    private let reports: String
    /// The roles that get access to new objects; nil if the tables are not Cherish's.
    private let roles: Roles?

    public init(pool: ConnectionPool) {
        self.init(
            pool: pool, migrations: Schema.migrations, reports: Schema.reports.map(\.sql).joined(separator: "\n"),
            roles: Roles(pool: pool))
    }

    init(pool: ConnectionPool, migrations: [Schema.Migration], reports: String = "", roles: Roles? = nil) {
        self.pool = pool
        self.migrations = migrations
        self.reports = reports
        self.roles = roles
    }

    /// Applies missing migrations, replaces outdated reports, and gives the roles of the service, and nobody else,
    /// access to the result. Programs may run it concurrently: each step takes a lock.
    ///
    /// - Throws: ``SchemaError`` if the database is newer than the program, an applied migration was changed, or views
    ///   in other schemas depend on the reports; ``RoleError`` if the database is open and the user may not close it.
    public func migrate() async throws {
        let before = try await status()
        let isMigrated = before.applied == before.known && before.known > 0
        if !isMigrated { try await applyMigrations() }
        if before.reports != .current { try await replaceReports() }
        try await roles?.close()
    }

    private func applyMigrations() async throws {
        do {
            try await makeRecord()
        } catch let error as PostgresError where error.isAlreadyMade {
            // Another program created it concurrently; there was no table yet to lock.
        }
        for migration in migrations {
            try await pool.withTransaction { connection in
                try await connection.execute(Migrator.lock)
                guard try await newestApplied(on: connection) < migration.version else { return }
                try await connection.script(SQL(trusting: migration.sql))
                try await connection.execute(
                    """
                    INSERT INTO schema_migration (version, name, checksum)
                    VALUES ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'))
                    """, [migration.version, migration.name, migration.sql])
                // Even if a later step fails, the programs can use the new tables.
                if migration.version == newestKnown { try await roles?.grantAgain(on: connection) }
            }
        }
    }

    private func makeRecord() async throws {
        try await pool.withTransaction { connection in
            let exists = try await connection.query("SELECT to_regclass('schema_migration') IS NOT NULL")
            if try exists.first?.decode(0, as: Bool.self) == true { return }
            try await connection.script(
                """
                CREATE TABLE schema_migration (
                    version integer NOT NULL,
                    name text NOT NULL,
                    checksum text NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
                    CONSTRAINT schema_migration_pkey PRIMARY KEY (version)
                );
                COMMENT ON TABLE schema_migration IS 'The migrations that were applied, each in one transaction.';
                COMMENT ON COLUMN schema_migration.version IS '1, 2, 3 ... without gaps.';
                COMMENT ON COLUMN schema_migration.name IS 'What it brought.';
                COMMENT ON COLUMN schema_migration.checksum IS 'SHA-256 of the file in hexadecimal.';
                COMMENT ON COLUMN schema_migration.applied_at IS 'When it was applied.';
                """)
        }
    }

    /// Returns the state of the database.
    ///
    /// - Throws: ``SchemaError/newer(applied:known:)``, ``SchemaError/changed(version:)``,
    ///   ``SchemaError/beforeBaseline``.
    public func status() async throws -> Status {
        try await pool.withConnection { connection in
            Status(
                applied: try await newestApplied(on: connection), known: newestKnown,
                reports: try await reportState(on: connection))
        }
    }

    /// Throws unless every migration is applied. Ignores the reports.
    ///
    /// - Throws: ``SchemaError``.
    public func requireCurrent() async throws {
        let applied = try await pool.withConnection { try await newestApplied(on: $0) }
        if applied < newestKnown { throw SchemaError.missing(applied: applied, known: newestKnown) }
    }

    /// Serializes changes of the schema and its privileges. The three roles cannot take it: they may only read the
    /// table.
    static let lock: SQL = "LOCK TABLE schema_migration IN SHARE ROW EXCLUSIVE MODE"

    /// The first migration of the schema before ``Schema/migrations`` began anew (decision 39).
    private static let firstOfOldSchema = "care_and_lanes"

    private var newestKnown: Int { migrations.last?.version ?? 0 }

    private func newestApplied(on connection: Connection) async throws -> Int {
        let exists = try await connection.query("SELECT to_regclass('schema_migration') IS NOT NULL")
        guard try exists.first?.decode(0, as: Bool.self) == true else { return 0 }
        let applied = try await connection.query(
            "SELECT version, checksum, name FROM schema_migration ORDER BY version")
        for row in applied {
            let version = try row.decode(0, as: Int.self)
            if version == 1, try row.decode(2, as: String.self) == Migrator.firstOfOldSchema {
                throw SchemaError.beforeBaseline
            }
            guard let migration = migrations.first(where: { $0.version == version }) else {
                throw SchemaError.newer(applied: version, known: newestKnown)
            }
            let same = try await connection.query(
                "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex') = $2",
                [migration.sql, try row.decode(1, as: String.self)])
            guard try same.first?.decode(0, as: Bool.self) == true else { throw SchemaError.changed(version: version) }
        }
        return try applied.last?.decode(0, as: Int.self) ?? 0
    }
}

// MARK: - Reports

extension Migrator {
    /// The end of the comment on the schema `report`: the checksums of its SQL and of its relations' names.
    private static let mark: SQL = """
        ' Made of ' || encode(sha256(convert_to($1, 'UTF8')), 'hex') || ' with ' || (
            SELECT md5(coalesce(string_agg(class.relname::text, ' ' ORDER BY class.relname), ''))
            FROM pg_class AS class WHERE class.relnamespace = schema.oid) || '.'
        """

    private func reportState(on connection: Connection) async throws -> ReportState {
        if reports.isEmpty { return .current }
        let rows = try await connection.query(
            """
            SELECT coalesce(right(obj_description(schema.oid, 'pg_namespace'), length(mark.text)) = mark.text, false)
            FROM pg_namespace AS schema CROSS JOIN LATERAL (SELECT \(Self.mark)) AS mark (text)
            WHERE schema.nspname = 'report'
            """, [reports])
        guard let row = rows.first else { return .missing }
        return try row.decode(0, as: Bool.self) ? .current : .outdated
    }

    private func replaceReports() async throws {
        if reports.isEmpty { return }
        try await pool.withTransaction { connection in
            try await connection.execute(Migrator.lock)
            // Another program may have replaced them in the meantime.
            if try await reportState(on: connection) == .current { return }
            try await refuseToDropOthers(on: connection)
            try await connection.script(SQL(trusting: reports))
            try await markReports(on: connection)
            try await roles?.grantAgain(on: connection)
        }
    }

    /// Replacing the schema drops everything that depends on it, so refuse if views in other schemas use it.
    private func refuseToDropOthers(on connection: Connection) async throws {
        let others = try await connection.query(
            """
            SELECT DISTINCT format('%I.%I', other_schema.nspname, other.relname)
            FROM pg_class AS used
            JOIN pg_depend AS dependency ON dependency.refclassid = 'pg_class'::regclass AND dependency.refobjid = used.oid
            JOIN pg_rewrite AS rule ON dependency.classid = 'pg_rewrite'::regclass AND rule.oid = dependency.objid
            JOIN pg_class AS other ON other.oid = rule.ev_class AND other.relnamespace <> used.relnamespace
            JOIN pg_namespace AS other_schema ON other_schema.oid = other.relnamespace
            WHERE used.relnamespace = to_regnamespace('report') ORDER BY 1
            """
        ).map { try $0.decode(0, as: String.self) }
        if !others.isEmpty { throw SchemaError.reportsInUse(by: others) }
    }

    private func markReports(on connection: Connection) async throws {
        let statement = try await connection.query(
            """
            SELECT format('COMMENT ON SCHEMA report IS %L', coalesce(obj_description(schema.oid, 'pg_namespace'), '') || \(Self.mark))
            FROM pg_namespace AS schema WHERE schema.nspname = 'report'
            """, [reports])
        guard let row = statement.first else { throw UnreadableRow(what: "no schema report") }
        try await connection.script(SQL(trusting: try row.decode(0)))
    }
}

/// Why a database does not fit the program.
public enum SchemaError: Error, Hashable, Sendable {
    case missing(applied: Int, known: Int)
    case newer(applied: Int, known: Int)
    case changed(version: Int)
    /// The database has the schema that came before the first of this program's migrations (decision 39).
    case beforeBaseline
    /// Replacing the reports would drop views in other schemas.
    case reportsInUse(by: [String])
    /// There are no reports, or not this program's.
    case reportsDiffer
    /// There are reports, but the user may not read them.
    case reportsClosed

    /// The error code listed in `docs/command-line.md`.
    public var code: String {
        switch self {
        case .missing, .reportsDiffer: "not_migrated"
        case .newer, .changed: "schema_newer"
        case .beforeBaseline: "schema_older"
        case .reportsInUse: "reports_in_use"
        case .reportsClosed: "missing_privilege"
        }
    }
}

extension SchemaError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let applied, let known):
            "the database has \(applied) of \(known) migrations; run 'cherish database migrate'"
        case .newer(let applied, let known):
            "the database has migration \(applied), this program knows \(known); install a newer program"
        case .changed(let version):
            "migration \(version) of the database differs from this program's; install the program that applied it"
        case .beforeBaseline:
            """
            the database has a schema of before the first release, which cannot be migrated; export each account with the \
            program that made the database, and seed the exports into a new one with this program
            """
        case .reportsInUse(let views):
            """
            the reports are to be replaced, and \(views.joined(separator: ", ")) would be dropped with them; keep its \
            definition, drop it, migrate again, and make it anew
            """
        case .reportsDiffer:
            "the database has not the reports of this program; run 'cherish database migrate'"
        case .reportsClosed:
            "the user of the database may not read the reports; connect as a member of cherish_report or cherish_app"
        }
    }
}
