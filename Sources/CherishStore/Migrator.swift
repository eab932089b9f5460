import CherishSchema
import Postgres

/// Brings a database to the schema of this program, forward only, one transaction per migration.
public struct Migrator: Sendable {
    /// Where a database stands.
    public struct Status: Sendable, Equatable {
        /// The newest migration that was applied, 0 for none.
        public let applied: Int
        /// The newest migration that this program knows.
        public let known: Int
    }

    private let pool: ConnectionPool
    private let migrations: [Schema.Migration]

    public init(pool: ConnectionPool) {
        self.init(pool: pool, migrations: Schema.migrations)
    }

    init(pool: ConnectionPool, migrations: [Schema.Migration]) {
        self.pool = pool
        self.migrations = migrations
    }

    /// Applies what is missing. Safe when several programs do it at once: each migration is applied under a lock.
    ///
    /// - Throws: ``SchemaError`` if the database is newer than the program, or an applied migration was changed.
    public func migrate() async throws {
        let before = try await status()
        if before.applied == before.known && before.known > 0 { return }
        try await pool.withTransaction { connection in
            // IF NOT EXISTS alone is not safe against two at once.
            try await connection.execute(Migrator.lock)
            try await connection.script(
                """
                CREATE TABLE IF NOT EXISTS schema_migration (
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
        for migration in migrations {
            try await pool.withTransaction { connection in
                try await connection.execute(Migrator.lock)
                let status = try await status(on: connection)
                guard status.applied < migration.version else { return }
                try await connection.script(migration.sql)
                try await connection.execute(
                    """
                    INSERT INTO schema_migration (version, name, checksum)
                    VALUES ($1, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'))
                    """, [migration.version, migration.name, migration.sql])
            }
        }
    }

    /// Where the database stands.
    ///
    /// - Throws: ``SchemaError/newer(applied:known:)``, ``SchemaError/changed(version:)``.
    public func status() async throws -> Status {
        try await pool.withConnection { try await status(on: $0) }
    }

    /// Refuses to go on unless every migration was applied.
    ///
    /// - Throws: ``SchemaError``.
    public func requireCurrent() async throws {
        let status = try await status()
        if status.applied < status.known { throw SchemaError.missing(applied: status.applied, known: status.known) }
    }

    private static let lock = "SELECT pg_advisory_xact_lock(hashtextextended('cherish migrations', 0))"

    private func status(on connection: Connection) async throws -> Status {
        let known = migrations.last?.version ?? 0
        let exists = try await connection.query("SELECT to_regclass('schema_migration') IS NOT NULL")
        guard try exists.first?.decode(0, as: Bool.self) == true else { return Status(applied: 0, known: known) }
        let applied = try await connection.query("SELECT version, checksum FROM schema_migration ORDER BY version")
        for row in applied {
            let version = try row.decode(0, as: Int.self)
            guard let migration = migrations.first(where: { $0.version == version }) else {
                throw SchemaError.newer(applied: version, known: known)
            }
            let same = try await connection.query(
                "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex') = $2",
                [migration.sql, try row.decode(1, as: String.self)])
            guard try same.first?.decode(0, as: Bool.self) == true else { throw SchemaError.changed(version: version) }
        }
        return Status(applied: try applied.last?.decode(0, as: Int.self) ?? 0, known: known)
    }
}

/// Why a database does not fit the program.
public enum SchemaError: Error, Hashable, Sendable {
    case missing(applied: Int, known: Int)
    case newer(applied: Int, known: Int)
    case changed(version: Int)

    /// As `docs/command-line.md` lists it.
    public var code: String {
        switch self {
        case .missing: "not_migrated"
        case .newer, .changed: "schema_newer"
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
        }
    }
}
