import Postgres

/// The three roles of a service, in which the users with whom people and programs log in are members.
///
/// `cherish_app` has what the programs need and no more: rows, but no tables of its own; partitions are made and dropped for
/// it by functions. `cherish_report` reads the schema `report` and nothing else, and so sees no name, phone, e-mail, token
/// or memo. `cherish_account` sees and changes, in the schema `garden`, the rows of the account that the setting
/// `cherish.account` names.
public struct Roles: Sendable {
    /// What was done.
    public struct Outcome: Sendable, Equatable {
        /// The role of the programs.
        public let application: String
        /// The role of those who read reports.
        public let reporting: String
        /// The role of those who act for one account at a time.
        public let account: String
        /// Which of the three were not there before.
        public let made: [String]
    }

    private let pool: ConnectionPool
    private let application: String
    private let reporting: String
    private let account: String

    public init(pool: ConnectionPool) {
        self.init(pool: pool, application: "cherish_app", reporting: "cherish_report", account: "cherish_account")
    }

    init(pool: ConnectionPool, application: String, reporting: String, account: String) {
        self.pool = pool
        self.application = application
        self.reporting = reporting
        self.account = account
    }

    private var names: [String] { [application, reporting, account] }

    /// Makes the roles that are missing and gives each exactly what they need in this database. Doing so again changes
    /// nothing, and takes back what somebody else granted them on our tables.
    ///
    /// - Throws: ``RoleError`` when the user of the connection may not do so.
    public func establish() async throws -> Outcome {
        try await pool.withTransaction { connection in
            try await connection.execute(Migrator.lock)
            let found = try await existing(on: connection)
            let missing = names.filter { !found.contains($0) }
            try await requirePrivileges(toMake: missing, on: connection)
            for role in missing {
                try await connection.script("CREATE ROLE \(role.quotedIdentifier) NOLOGIN")
            }
            try await grant(to: names, on: connection)
            return Outcome(application: application, reporting: reporting, account: account, made: missing)
        }
    }

    /// Lets the roles that exist at what is new, after a migration and when the reports were replaced.
    func grantAgain(on connection: Connection) async throws {
        let found = try await existing(on: connection)
        if !found.isEmpty { try await grant(to: found, on: connection) }
    }

    private func existing(on connection: Connection) async throws -> [String] {
        try await connection.query(
            "SELECT rolname::text FROM pg_roles WHERE rolname = ANY ($1) ORDER BY rolname", [names]
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

    /// What a session that acts for one account does with the views of the schema `garden`: what the commands of ``CareStore``
    /// do with the tables of the same names. Accounts are added and erased by the programs.
    static let gardenViews: [(name: String, privileges: String)] = [
        ("account", "SELECT, UPDATE"),
        ("account_email", "SELECT, INSERT, DELETE"),
        ("affection_entry", "SELECT, INSERT"),
        ("cycle_change", "SELECT, INSERT, UPDATE, DELETE"),
        ("device", "SELECT, INSERT, UPDATE, DELETE"),
        ("import_batch", "SELECT, INSERT, UPDATE"),
        ("import_change", "SELECT, INSERT, DELETE"),
        // A command locks the row, for which one column is enough. The view does not let the number be another one.
        ("lane", "SELECT, UPDATE (lane)"),
        ("occurrence", "SELECT, INSERT"),
        ("occurrence_outcome", "SELECT"),
        ("plant", "SELECT, INSERT, UPDATE, DELETE"),
        ("plant_tag", "SELECT, INSERT, DELETE"),
        ("postponement", "SELECT, INSERT"),
        ("push", "SELECT"),
        ("push_device_outcome", "SELECT"),
        ("push_job", "SELECT"),
        ("push_notice", "SELECT"),
        ("push_outcome", "SELECT"),
        ("push_retry", "SELECT"),
        ("tag", "SELECT, INSERT, UPDATE, DELETE"),
        ("watering", "SELECT, INSERT, UPDATE"),
    ]

    /// What the programs call, all of which the public may not.
    static let functions = [
        "make_partition(text, text, timestamptz)", "make_log_partitions(timestamptz)", calendarFunction,
        "drop_partition(text)", countingFunction,
    ]

    /// A command that plans something far ahead needs the month of the calendar.
    private static let calendarFunction = "make_calendar_partition(timestamptz)"

    /// Views call it on behalf of whoever reads them. It tells counts alone.
    private static let countingFunction = "count_pushes(timestamptz, timestamptz)"

    private func grant(to roles: [String], on connection: Connection) async throws {
        let all = roles.map(\.quotedIdentifier).joined(separator: ", ")
        let tables = Roles.tables.map(\.name).joined(separator: ", ")
        let functions = Roles.functions.joined(separator: ", ")
        var statements = [
            "REVOKE ALL ON \(tables) FROM \(all)", "REVOKE ALL ON ALL TABLES IN SCHEMA garden FROM \(all)",
            "REVOKE ALL ON FUNCTION \(functions) FROM \(all)",
        ]
        if roles.contains(application) {
            let role = application.quotedIdentifier
            statements.append(try await grantOfSchema(to: role, on: connection))
            statements += Roles.tables.map { "GRANT \($0.privileges) ON \($0.name) TO \(role)" }
            statements.append("GRANT EXECUTE ON FUNCTION \(functions) TO \(role)")
        }
        if roles.contains(account) { statements += try await grantsOfGarden(on: connection) }
        statements += try await grantsOfReports(to: roles.filter { $0 != account }, on: connection)
        try await connection.script(statements.joined(separator: ";\n"))
    }

    private func grantsOfGarden(on connection: Connection) async throws -> [String] {
        let role = account.quotedIdentifier
        let views = Roles.gardenViews.map { "GRANT \($0.privileges) ON garden.\($0.name) TO \(role)" }
        return views + [
            try await grantOfSchema(to: role, on: connection), "GRANT USAGE ON SCHEMA garden TO \(role)",
            // So that a program can tell whether the database is its own.
            "GRANT SELECT ON schema_migration TO \(role)",
            "GRANT EXECUTE ON FUNCTION \(Roles.calendarFunction) TO \(role)",
        ]
    }

    private func grantsOfReports(to roles: [String], on connection: Connection) async throws -> [String] {
        let reports = try await connection.query("SELECT to_regnamespace('report') IS NOT NULL")
        guard try reports.first?.decode(0, as: Bool.self) == true, !roles.isEmpty else { return [] }
        let readers = roles.map(\.quotedIdentifier).joined(separator: ", ")
        return [
            "GRANT USAGE ON SCHEMA report TO \(readers)", "GRANT SELECT ON ALL TABLES IN SCHEMA report TO \(readers)",
            "GRANT EXECUTE ON FUNCTION \(Roles.countingFunction) TO \(readers)",
        ]
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
