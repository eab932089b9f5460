import Postgres

/// A grant, owner or setting that gives somebody more access to Cherish's rows and functions than intended, or lets
/// them substitute other objects for Cherish's. Such openings come from dumps restored without grants, or from
/// operators.
public struct Opening: Sendable, Equatable {
    /// What is open, such as `EXECUTE on drop_partition(text) for PUBLIC`.
    public let what: String
    /// How to close it.
    public let remedy: String
    /// The statement that closes it, if the owner of the tables may run it; nil otherwise.
    let repair: String?
}

/// Compares the catalogue with ``Roles``.
struct Openings {
    let application: String
    let reporting: String
    let account: String

    private var roles: [String] { [application, reporting, account] }

    /// Returns all openings. Needs the tables; any user who can connect may call it.
    func all(on connection: Connection) async throws -> [Opening] {
        try await closable(on: connection) + owners(on: connection) + (try await settings(on: connection))
            + (try await memberships(on: connection))
    }

    /// Returns the openings that the owner of the tables can close.
    func closable(on connection: Connection) async throws -> [Opening] {
        try await grants(on: connection) + defaults(on: connection) + (try await definitions(on: connection))
    }

    // MARK: Grants

    /// Where Cherish's tables are, and which objects are Cherish's: the tables and views that ``Roles`` lists, with
    /// their partitions, and everything in the schemas `garden` and `report`.
    private static let ours: SQL = """
        place AS (
            SELECT class.relnamespace AS oid, schema.nspname AS name, class.relowner AS owner
            FROM pg_class AS class JOIN pg_namespace AS schema ON schema.oid = class.relnamespace
            WHERE class.oid = 'account'::regclass
        ), relation AS (
            SELECT class.*, schema.nspname,
                CASE class.relnamespace WHEN place.oid THEN '' ELSE schema.nspname || '.' END || class.relname AS name
            FROM place CROSS JOIN pg_class AS class JOIN pg_namespace AS schema ON schema.oid = class.relnamespace
            WHERE class.relkind IN ('r', 'p', 'v', 'm', 'S') AND (
                schema.nspname IN ('garden', 'report') OR class.relnamespace = place.oid
                AND regexp_replace(class.relname, '_([0-9]{6}|[0-9]{8})$', '') = ANY ($1))
        ), function AS (
            SELECT * FROM (
                SELECT function.*, function.pronamespace = place.oid AS is_beside_tables,
                    CASE function.pronamespace WHEN place.oid THEN '' ELSE schema.nspname || '.' END
                        || format('%s(%s)', function.proname, oidvectortypes(function.proargtypes)) AS name
                FROM place CROSS JOIN pg_proc AS function JOIN pg_namespace AS schema ON schema.oid = function.pronamespace
                WHERE schema.oid = place.oid OR schema.nspname IN ('garden', 'report')
            ) AS named
            WHERE NOT is_beside_tables OR name = ANY ($2)
        ), type AS (
            SELECT type.* FROM pg_type AS type JOIN place ON place.oid = type.typnamespace WHERE type.typname = ANY ($3)
        )
        """

    private var ours: [any PostgresEncodable] {
        [Roles.tables.map(\.name), Roles.functions.map(\.signature), Roles.types]
    }

    private func grants(on connection: Connection) async throws -> [Opening] {
        let isOnCitus = try await connection.isOnCitus()
        let expected = self.expected(onCitus: isOnCitus)
        return try await connection.query(
            """
            WITH \(Self.ours), granted AS (
                SELECT 'TABLE' AS kind, format('%I.%I', nspname, relname) AS identity, name, NULL::text AS field,
                    relowner AS owner, acl.*
                FROM relation CROSS JOIN aclexplode(relacl) AS acl
                UNION ALL
                SELECT 'TABLE', format('%I.%I', nspname, relname), name, attname::text, relowner, acl.*
                FROM relation JOIN pg_attribute ON attrelid = relation.oid AND NOT attisdropped
                CROSS JOIN aclexplode(attacl) AS acl
                UNION ALL
                SELECT 'FUNCTION', oid::regprocedure::text, name, NULL, proowner, acl.*
                FROM function CROSS JOIN aclexplode(coalesce(proacl, acldefault('f', proowner))) AS acl
                UNION ALL
                SELECT 'TYPE', format('%I.%I', place.name, typname), typname, NULL, typowner, acl.*
                FROM type CROSS JOIN place CROSS JOIN aclexplode(coalesce(typacl, acldefault('T', typowner))) AS acl
                UNION ALL
                SELECT 'SCHEMA', quote_ident(nspname), nspname, NULL, nspowner, acl.*
                FROM pg_namespace CROSS JOIN place CROSS JOIN aclexplode(nspacl) AS acl
                -- Others may have something of their own where our tables are.
                WHERE nspname IN ('garden', 'report') OR pg_namespace.oid = place.oid AND acl.privilege_type = 'CREATE'
                UNION ALL
                SELECT 'DATABASE', quote_ident(datname), datname, NULL, datdba, acl.*
                FROM pg_database CROSS JOIN aclexplode(datacl) AS acl
                -- Who may make a schema can have another table found by the name of one of ours.
                WHERE datname = current_database() AND acl.privilege_type = 'CREATE'
            ), named AS (
                SELECT granted.*, coalesce(role.rolname::text, 'PUBLIC') AS role,
                    coalesce(quote_ident(role.rolname), 'PUBLIC') AS grantee_identity,
                    privilege_type || coalesce(' (' || quote_ident(field) || ')', '') AS privilege
                FROM granted LEFT JOIN pg_roles AS role ON role.oid = granted.grantee
                WHERE granted.grantee = 0 OR role.rolname = ANY ($8)
            )
            SELECT privilege || ' on ' || named.name || ' for ' || role
                    || CASE WHEN is_grantable THEN ', who may grant it' ELSE '' END
                    || CASE WHEN grantor <> named.owner THEN ', granted by ' || pg_get_userbyid(grantor) ELSE '' END,
                -- Citus cannot revoke columns; a privilege that is revoked on the whole table ends on each of them too.
                format('REVOKE %s ON %s %s FROM %s CASCADE', CASE WHEN $9 THEN privilege_type ELSE privilege END, kind,
                    identity, grantee_identity),
                -- Who else has to take it back than the owner of the tables.
                CASE WHEN grantor <> named.owner OR NOT pg_has_role(place.owner, named.owner, 'USAGE')
                    THEN pg_get_userbyid(grantor)::text END
            FROM named CROSS JOIN place
            WHERE is_grantable OR NOT EXISTS (
                SELECT FROM unnest($4::text[], $5::text[], $6::text[], $7::text[]) AS let (kind, name, role, privilege)
                WHERE let.kind = named.kind AND let.role = named.role AND let.privilege = named.privilege
                    AND (let.name = named.name OR let.name = 'report.*' AND named.name LIKE 'report.%'))
            ORDER BY named.name ~ '[0-9]$', kind, named.name, role, privilege
            """,
            ours + [
                expected.map(\.kind), expected.map(\.name), expected.map(\.role), expected.map(\.privilege), roles,
                isOnCitus,
            ]
        ).map { row in
            let (what, repair) = (try row.decode(0, as: String.self), try row.decode(1, as: String.self))
            guard let grantor = try row.decode(2, as: String?.self) else { return Self.repaired(what, repair) }
            return Opening(what: what, remedy: "as \(grantor) run '\(repair)'", repair: nil)
        }
    }

    /// Every privilege that ``Roles`` gives to the three roles.
    private func expected(onCitus: Bool) -> [(kind: String, name: String, role: String, privilege: String)] {
        func each(_ kind: String, _ name: String, _ role: String, _ privileges: [String])
            -> [(kind: String, name: String, role: String, privilege: String)]
        {
            privileges.map { (kind: kind, name: name, role: role, privilege: $0) }
        }
        func role(_ caller: Roles.Caller) -> String {
            switch caller {
            case .application: application
            case .reporting: reporting
            case .account: account
            }
        }
        let callers = onCitus ? [application, reporting] : roles
        let ofAccounts =
            Roles.gardenViews.flatMap { view in
                each("TABLE", "garden.\(view.name)", account, Roles.split(view.rows))
                    + each("TABLE", "garden.\(view.name)", account, view.changed.map { "UPDATE (\($0))" })
            }
            + Roles.shared.flatMap { each("TABLE", $0, account, ["SELECT"]) }
            + each("SCHEMA", "garden", account, ["USAGE"])
        return Roles.tables(onCitus: onCitus)
            .flatMap { each("TABLE", $0.name, application, Roles.split($0.privileges)) }
            + (onCitus ? [] : ofAccounts)
            + [application, reporting].flatMap {
                each("TABLE", "report.*", $0, ["SELECT"]) + each("FUNCTION", "report.*", $0, ["EXECUTE"])
                    + each("SCHEMA", "report", $0, ["USAGE"])
            }
            + Roles.functions.flatMap { function in
                function.callers.filter { callers.contains(role($0)) }
                    .flatMap { each("FUNCTION", function.signature, role($0), ["EXECUTE"]) }
            }
            + Roles.types.flatMap { type in callers.flatMap { each("TYPE", type, $0, ["USAGE"]) } }
    }

    private static func repaired(_ what: String, _ repair: String) -> Opening {
        Opening(what: what, remedy: "as the owner of the tables run 'cherish database roles'", repair: repair)
    }

    /// Finds what ALTER DEFAULT PRIVILEGES grants on new tables, and so on future partitions.
    private func defaults(on connection: Connection) async throws -> [Opening] {
        try await connection.query(
            """
            WITH place AS (
                SELECT relnamespace AS oid, relowner AS owner FROM pg_class WHERE oid = 'account'::regclass
            )
            SELECT format('%s on each new partition for %s by ALTER DEFAULT PRIVILEGES', acl.privilege_type,
                    coalesce(role.rolname::text, 'PUBLIC')),
                format('ALTER DEFAULT PRIVILEGES FOR ROLE %I%s REVOKE %s ON TABLES FROM %s',
                    pg_get_userbyid(place.owner), ' IN SCHEMA ' || quote_ident(schema.nspname), acl.privilege_type,
                    coalesce(quote_ident(role.rolname), 'PUBLIC'))
            FROM place JOIN pg_default_acl AS given ON given.defaclrole = place.owner AND given.defaclobjtype = 'r'
                AND given.defaclnamespace IN (0, place.oid)
            CROSS JOIN aclexplode(given.defaclacl) AS acl
            LEFT JOIN pg_roles AS role ON role.oid = acl.grantee
            LEFT JOIN pg_namespace AS schema ON schema.oid = given.defaclnamespace
            WHERE acl.grantee = 0 OR role.rolname = ANY ($1)
            ORDER BY 1
            """, [roles]
        ).map { Self.repaired(try $0.decode(0), try $0.decode(1)) }
    }

    // MARK: Definitions

    /// Finds SECURITY DEFINER functions without their own `search_path`, in which others could shadow objects by name,
    /// and garden views without the options that protect other accounts' rows from reads and writes.
    private func definitions(on connection: Connection) async throws -> [Opening] {
        try await connection.query(
            """
            WITH \(Self.ours)
            SELECT format('%s acts for its owner and has not its own search_path', function.name),
                format('ALTER FUNCTION %s SET search_path = %s%I, pg_temp', function.oid::regprocedure,
                    CASE WHEN is_beside_tables OR proname = 'make_calendar_partition' THEN '' ELSE 'garden, ' END, place.name)
            FROM function CROSS JOIN place
            WHERE function.prosecdef AND NOT EXISTS (
                SELECT FROM unnest(function.proconfig) AS setting
                WHERE setting IN (format('search_path=%I, pg_temp', place.name),
                    format('search_path=garden, %I, pg_temp', place.name)))
            UNION ALL
            SELECT format('the view %s is not fenced', relation.name),
                format('ALTER VIEW %I.%I SET (security_barrier = true%s)', nspname, relname,
                    CASE relname WHEN 'push' THEN '' ELSE ', check_option = cascaded' END)
            FROM relation
            WHERE nspname = 'garden' AND relkind = 'v' AND NOT (
                coalesce(reloptions, '{}') @> '{security_barrier=true}'
                AND (relname = 'push' OR coalesce(reloptions, '{}') @> '{check_option=cascaded}'))
            ORDER BY 1
            """, ours
        ).map { Self.repaired(try $0.decode(0), try $0.decode(1)) }
    }

    /// Finds objects not owned by the owner of the tables: a SECURITY DEFINER function would run as somebody else.
    ///
    /// - Parameter isForeign: whether to return only objects of owners whose privileges the connected user lacks.
    func owners(isForeign: Bool = false, on connection: Connection) async throws -> [Opening] {
        try await connection.query(
            """
            WITH \(Self.ours), owned AS (
                SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
                        ELSE 'TABLE' END AS kind, format('%I.%I', nspname, relname) AS name, relowner AS owner
                FROM relation
                UNION ALL SELECT 'FUNCTION', oid::regprocedure::text, proowner FROM function
                UNION ALL SELECT 'TYPE', typname, typowner FROM type
                UNION ALL SELECT 'SCHEMA', nspname, nspowner FROM pg_namespace WHERE nspname IN ('garden', 'report')
            )
            SELECT format('the %s %s belongs to %s and the tables to %s', lower(kind), owned.name,
                    pg_get_userbyid(owned.owner), pg_get_userbyid(place.owner)),
                format('ALTER %s %s OWNER TO %I', kind, owned.name, pg_get_userbyid(place.owner))
            FROM owned CROSS JOIN place
            WHERE owned.owner <> place.owner AND NOT ($4 AND pg_has_role(owned.owner, 'USAGE'))
            ORDER BY kind, owned.name
            """, ours + [isForeign]
        ).map {
            Opening(
                what: try $0.decode(0), remedy: "as a superuser run '\(try $0.decode(1, as: String.self))'", repair: nil
            )
        }
    }

    // MARK: Settings and memberships

    /// Finds settings by ALTER DATABASE or ALTER ROLE that make sessions act for one account or turn foreign keys off.
    private func settings(on connection: Connection) async throws -> [Opening] {
        try await connection.query(
            """
            SELECT format('%s is set for %s', split_part(setting, '=', 1),
                    coalesce('the user ' || role.rolname, 'all users of the database')),
                format('ALTER %s%s RESET %s',
                    CASE WHEN given.setrole = 0 THEN 'DATABASE ' || quote_ident(database.datname)
                        ELSE 'ROLE ' || quote_ident(role.rolname) END,
                    CASE WHEN given.setrole <> 0 AND given.setdatabase <> 0
                        THEN ' IN DATABASE ' || quote_ident(database.datname) ELSE '' END, split_part(setting, '=', 1))
            FROM pg_db_role_setting AS given CROSS JOIN unnest(given.setconfig) AS setting
            JOIN pg_database AS database ON database.datname = current_database()
            LEFT JOIN pg_roles AS role ON role.oid = given.setrole
            WHERE given.setdatabase IN (0, database.oid)
                AND split_part(setting, '=', 1) IN ('cherish.account', 'session_replication_role')
            ORDER BY 1
            """
        ).map { Opening(what: try $0.decode(0), remedy: "run '\(try $0.decode(1, as: String.self))'", repair: nil) }
    }

    /// Finds roles with more power than intended: any of the three that is a member of another role or may administer
    /// the server, and users who act for one account but can reach all of them.
    private func memberships(on connection: Connection) async throws -> [Opening] {
        try await connection.query(
            """
            WITH RECURSIVE membership (member, role) AS (
                SELECT member, roleid FROM pg_auth_members
                UNION
                SELECT membership.member, more.roleid
                FROM membership JOIN pg_auth_members AS more ON more.member = membership.role
            )
            SELECT format('%s is a member of %s', member.rolname, role.rolname),
                format('REVOKE %I FROM %I', role.rolname, member.rolname)
            FROM pg_auth_members AS given JOIN pg_roles AS member ON member.oid = given.member
            JOIN pg_roles AS role ON role.oid = given.roleid
            WHERE member.rolname = ANY ($1)
            UNION ALL
            SELECT format('%s may administer the server', rolname),
                format('ALTER ROLE %I NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS', rolname)
            FROM pg_roles
            WHERE rolname = ANY ($1) AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)
            UNION ALL
            SELECT format('%s acts for one account, and is a member of %s, which has all of them',
                    member.rolname, other.rolname),
                format('REVOKE %I FROM %I', other.rolname, member.rolname)
            FROM membership AS one JOIN pg_roles AS account ON account.oid = one.role AND account.rolname = $2
            JOIN membership AS all_of_them ON all_of_them.member = one.member
            JOIN pg_class AS class ON class.oid = 'account'::regclass
            JOIN pg_roles AS other ON other.oid = all_of_them.role AND (other.rolname = $3 OR other.oid = class.relowner)
            JOIN pg_roles AS member ON member.oid = one.member AND NOT member.rolsuper
            ORDER BY 1
            """, [roles, account, application]
        ).map {
            Opening(what: try $0.decode(0), remedy: "run '\(try $0.decode(1, as: String.self))'", repair: nil)
        }
    }
}
