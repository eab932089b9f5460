import Postgres

/// The two roles of a service, in which the users with whom people and programs log in are members.
///
/// `cherish_app` has what the programs need and no more: rows, but no tables of its own; partitions are made and dropped for
/// it by functions. `cherish_report` reads the schema `report` and nothing else, and so sees no name, phone, e-mail, token
/// or memo.
public struct Roles: Sendable {
    /// What was done.
    public struct Outcome: Sendable, Equatable {
        /// The role of the programs.
        public let application: String
        /// The role of those who read reports.
        public let reporting: String
        /// Which of the two were not there before.
        public let made: [String]
    }

    private let pool: ConnectionPool
    private let application: String
    private let reporting: String

    public init(pool: ConnectionPool) {
        self.init(pool: pool, application: "cherish_app", reporting: "cherish_report")
    }

    init(pool: ConnectionPool, application: String, reporting: String) {
        self.pool = pool
        self.application = application
        self.reporting = reporting
    }

    /// Makes the roles that are missing and gives both exactly what they need in this database. Doing so again changes
    /// nothing, and takes back what somebody else granted them on our tables.
    ///
    /// - Throws: ``RoleError`` when the user of the connection may not do so.
    public func establish() async throws -> Outcome {
        try await pool.withTransaction { connection in
            try await connection.execute(Migrator.lock)
            let found = try await existing(on: connection)
            let missing = [application, reporting].filter { !found.contains($0) }
            try await requirePrivileges(toMake: missing, on: connection)
            for role in missing {
                try await connection.script("CREATE ROLE \(role.quotedIdentifier) NOLOGIN")
            }
            try await grant(to: [application, reporting], on: connection)
            return Outcome(application: application, reporting: reporting, made: missing)
        }
    }

    /// Lets the roles that exist at what is new, after a migration and when the reports were replaced.
    func grantAgain(on connection: Connection) async throws {
        let found = try await existing(on: connection)
        if !found.isEmpty { try await grant(to: found, on: connection) }
    }

    private func existing(on connection: Connection) async throws -> [String] {
        try await connection.query(
            "SELECT rolname::text FROM pg_roles WHERE rolname = ANY ($1) ORDER BY rolname", [[application, reporting]]
        ).map { try $0.decode(0, as: String.self) }
    }

    private func requirePrivileges(toMake missing: [String], on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            SELECT current_user::text, pg_get_userbyid(class.relowner)::text, pg_has_role(class.relowner, 'USAGE'),
                role.rolcreaterole OR role.rolsuper
            FROM pg_class AS class CROSS JOIN pg_roles AS role
            WHERE class.oid = 'account'::regclass AND role.rolname = current_user
            """)
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no current user") }
        let (user, owner) = (try reader.next(String.self), try reader.next(String.self))
        let (mayGrant, mayMake) = (try reader.next(Bool.self), try reader.next(Bool.self))
        if !mayGrant { throw RoleError.notOwner(user: user, owner: owner) }
        if !missing.isEmpty && !mayMake { throw RoleError.mayNotMakeRoles(user: user, roles: missing) }
    }
}

// MARK: - What each may do

extension Roles {
    /// What the programs do with each table and view. Rows that go with an account or a plant are deleted by foreign keys, on
    /// behalf of the owner; whoever locks rows needs UPDATE.
    static let tables: [(name: String, privileges: String)] = [
        ("account", "SELECT, INSERT, UPDATE, DELETE"),
        ("account_email", "SELECT, INSERT, DELETE"),
        ("affection_entry", "SELECT, INSERT"),
        ("cycle_change", "SELECT, INSERT, UPDATE, DELETE"),
        ("device", "SELECT, INSERT, UPDATE, DELETE"),
        ("erasure", "INSERT"),
        ("import_batch", "SELECT, INSERT, UPDATE"),
        ("import_change", "SELECT, INSERT, DELETE"),
        ("lane", "SELECT, UPDATE"),
        ("lane_delivery", "SELECT, UPDATE"),
        ("occurrence", "SELECT, INSERT"),
        ("occurrence_outcome", "SELECT, INSERT"),
        ("plant", "SELECT, INSERT, UPDATE, DELETE"),
        ("plant_tag", "SELECT, INSERT, DELETE"),
        ("postponement", "SELECT, INSERT"),
        ("push", "SELECT"),
        ("push_day", "SELECT, INSERT"),
        ("push_device_outcome", "SELECT, INSERT, UPDATE, DELETE"),
        ("push_job", "SELECT, INSERT"),
        ("push_notice", "SELECT, INSERT, UPDATE, DELETE"),
        ("push_outcome", "SELECT, INSERT"),
        ("push_receipt", "SELECT, INSERT"),
        ("push_retry", "SELECT, INSERT, UPDATE, DELETE"),
        ("schema_migration", "SELECT"),
        ("tag", "SELECT, INSERT, UPDATE, DELETE"),
        ("watering", "SELECT, INSERT, UPDATE"),
    ]

    private static let functions = """
        make_partition(text, text, timestamptz), make_log_partitions(timestamptz), drop_partition(text), \(countingFunction)
        """

    /// Views call it on behalf of whoever reads them. It tells counts alone.
    private static let countingFunction = "count_pushes(timestamptz, timestamptz)"

    private func grant(to roles: [String], on connection: Connection) async throws {
        let all = roles.map(\.quotedIdentifier).joined(separator: ", ")
        let names = Roles.tables.map(\.name).joined(separator: ", ")
        var statements = [
            "REVOKE ALL ON \(names) FROM \(all)", "REVOKE ALL ON FUNCTION \(Roles.functions) FROM \(all)",
        ]
        if roles.contains(application) {
            let role = application.quotedIdentifier
            statements.append(try await grantOfSchema(to: role, on: connection))
            statements += Roles.tables.map { "GRANT \($0.privileges) ON \($0.name) TO \(role)" }
            statements.append("GRANT EXECUTE ON FUNCTION \(Roles.functions) TO \(role)")
        }
        let reports = try await connection.query("SELECT to_regnamespace('report') IS NOT NULL")
        if try reports.first?.decode(0, as: Bool.self) == true {
            statements += [
                "GRANT USAGE ON SCHEMA report TO \(all)", "GRANT SELECT ON ALL TABLES IN SCHEMA report TO \(all)",
                "GRANT EXECUTE ON FUNCTION \(Roles.countingFunction) TO \(all)",
            ]
        }
        try await connection.script(statements.joined(separator: ";\n"))
    }

    /// The schema of the tables is the first of the search path, whatever its name.
    private func grantOfSchema(to role: String, on connection: Connection) async throws -> String {
        let rows = try await connection.query("SELECT format('GRANT USAGE ON SCHEMA %I TO ', current_schema())")
        guard let row = rows.first else { throw UnreadableRow(what: "no schema") }
        return try row.decode(0, as: String.self) + role
    }
}

/// Why the roles cannot be made or let at the tables.
public enum RoleError: Error, Hashable, Sendable {
    case mayNotMakeRoles(user: String, roles: [String])
    case notOwner(user: String, owner: String)

    /// As `docs/command-line.md` lists it.
    public var code: String { "missing_privilege" }
}

extension RoleError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .mayNotMakeRoles(let user, let roles):
            """
            the user \(user) may not create roles; have an administrator run \
            '\(roles.map { "CREATE ROLE \($0) NOLOGIN;" }.joined(separator: " "))', then run this command again
            """
        case .notOwner(let user, let owner):
            "the tables belong to \(owner), and \(user) cannot let others at them; connect as \(owner), and run this again"
        }
    }
}

extension String {
    /// As an identifier of SQL, whatever it holds.
    var quotedIdentifier: String {
        "\"" + replacing("\"", with: "\"\"") + "\""
    }
}
