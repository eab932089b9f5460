import Postgres

/// The three roles of a service. People and programs log in as users that are members of these roles.
///
/// `cherish_app` has exactly what the programs need: access to rows but no tables of its own; functions create and drop
/// partitions for it. `cherish_report` can read only the schema `report`, so it sees no name, phone, e-mail, token or
/// memo. `cherish_account` reads and changes, through the schema `garden`, the rows of the account that the setting
/// `cherish.account` names.
public struct Roles: Sendable {
    /// The result of ``establish()``.
    public struct Outcome: Sendable, Equatable {
        /// The role of the programs.
        public let application: String
        /// The role of report readers.
        public let reporting: String
        /// The role of sessions that act for one account at a time.
        public let account: String
        /// The roles that this call created.
        public let made: [String]
    }

    /// The role of sessions that act for one account at a time.
    public static let accountRole = "cherish_account"

    private let pool: ConnectionPool
    private let application: String
    private let reporting: String
    private let account: String

    public init(pool: ConnectionPool) {
        self.init(pool: pool, application: "cherish_app", reporting: "cherish_report", account: Roles.accountRole)
    }

    init(pool: ConnectionPool, application: String, reporting: String, account: String) {
        self.pool = pool
        self.application = application
        self.reporting = reporting
        self.account = account
    }

    private var names: [String] { [application, reporting, account] }

    /// Creates missing roles and grants each exactly what it needs in this database. Idempotent. Also revokes
    /// everything beyond that from the roles and PUBLIC, whether somebody granted it or a dump lacked its grants.
    ///
    /// - Throws: ``RoleError`` if the connected user lacks the privileges.
    public func establish() async throws -> Outcome {
        do {
            return try await makeAndGrant()
        } catch let error as PostgresError where error.isAlreadyMade {
            // All databases of a server share its roles: a run in another database created them concurrently.
            return try await makeAndGrant()
        }
    }

    private func makeAndGrant() async throws -> Outcome {
        try await pool.withTransaction { connection in
            // Checked first, because other users may not even take the lock.
            try await requirePrivileges(toMake: try await missing(on: connection), on: connection)
            try await connection.execute(Migrator.lock)
            // Another program may have created them in the meantime.
            let missing = try await missing(on: connection)
            for role in missing {
                try await connection.script("CREATE ROLE \(name: role) NOLOGIN")
            }
            try await grant(to: names, on: connection)
            return Outcome(application: application, reporting: reporting, account: account, made: missing)
        }
    }

    /// Closes the openings that the owner of the tables can close, if there are any: a restored database may need no
    /// migration and still be open to all.
    ///
    /// - Throws: ``RoleError`` if the connected user lacks the privileges.
    func close() async throws {
        let isOpen = try await pool.withConnection { connection in
            try await openings.closable(on: connection).contains { $0.repair != nil }
        }
        guard isOpen else { return }
        try await pool.withTransaction { connection in
            try await requirePrivileges(toMake: [], on: connection)
            try await connection.execute(Migrator.lock)
            try await grantAgain(on: connection)
        }
    }

    /// Gives the existing roles, and nobody else, access to new objects after a migration or new reports.
    func grantAgain(on connection: Connection) async throws {
        try await grant(to: try await existing(on: connection), on: connection)
    }

    /// Finds what gives the roles or PUBLIC more than is listed here.
    var openings: Openings { Openings(application: application, reporting: reporting, account: account) }

    private func missing(on connection: Connection) async throws -> [String] {
        let found = try await existing(on: connection)
        return names.filter { !found.contains($0) }
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
        if let foreign = try await openings.owners(isForeign: true, on: connection).first {
            throw RoleError.mixedOwners(what: foreign.what, remedy: foreign.remedy)
        }
    }
}

// MARK: - What each may do

extension Roles {
    /// One of the three roles.
    enum Caller: Sendable {
        case application, reporting, account
    }

    /// The programs' privileges on each table and view. Foreign keys cascade with the owner's privileges, so cascaded
    /// tables need no DELETE. Locking rows needs UPDATE.
    static let tables: [(name: String, privileges: String)] = [
        ("account", "SELECT, INSERT, UPDATE, DELETE"),
        ("account_block", "SELECT, INSERT, DELETE"),
        ("account_change", "SELECT, INSERT, DELETE"),
        ("account_change_head", "SELECT, INSERT, UPDATE, DELETE"),
        ("account_email", "SELECT, INSERT, UPDATE, DELETE"),
        ("account_history", "SELECT"),
        ("account_identity", "SELECT, INSERT, DELETE"),
        ("account_password", "SELECT, INSERT, UPDATE, DELETE"),
        ("account_phone", "SELECT, INSERT, DELETE"),
        ("account_picture", "SELECT, INSERT, UPDATE, DELETE"),
        ("account_session", "SELECT, INSERT, UPDATE, DELETE"),
        ("account_summary", "SELECT, INSERT, UPDATE"),
        ("account_summary_now", "SELECT"),
        ("affection_entry", "SELECT, INSERT"),
        ("calendar_feed", "SELECT, INSERT, DELETE"),
        ("cycle_change", "SELECT, INSERT, UPDATE, DELETE"),
        ("database_mark", "SELECT"),
        ("device", "SELECT, INSERT, UPDATE, DELETE"),
        ("device_token", "SELECT, INSERT, UPDATE, DELETE"),
        ("edited_item", "SELECT, INSERT, UPDATE, DELETE"),
        ("engine_lock", "SELECT, UPDATE"),
        ("erasure", "INSERT"),
        ("helped_list", "SELECT, INSERT, UPDATE, DELETE"),
        ("helper_rating", "SELECT, INSERT"),
        ("idempotent_request", "SELECT, INSERT, UPDATE, DELETE"),
        ("import_batch", "SELECT, INSERT, UPDATE"),
        ("import_change", "SELECT, INSERT"),
        ("lane", "SELECT, UPDATE"),
        ("lane_delivery", "SELECT, UPDATE"),
        ("lane_watch", "SELECT, INSERT, UPDATE"),
        ("list_measure", "SELECT, INSERT"),
        ("list_news", "SELECT, INSERT, UPDATE, DELETE"),
        ("list_receipt", "SELECT, INSERT, UPDATE, DELETE"),
        ("list_report", "SELECT, INSERT"),
        ("occurrence", "SELECT, INSERT, UPDATE (account_id)"),
        ("occurrence_outcome", "SELECT, INSERT, UPDATE (account_id)"),
        ("outage", "SELECT, INSERT, UPDATE, DELETE"),
        ("pause", "SELECT, INSERT, UPDATE, DELETE"),
        ("place", "SELECT, INSERT, UPDATE, DELETE"),
        ("plant", "SELECT, INSERT, UPDATE, DELETE"),
        ("plant_history", "SELECT"),
        ("plant_summary", "SELECT, INSERT, UPDATE, DELETE"),
        ("plant_summary_now", "SELECT"),
        ("plant_tag", "SELECT, INSERT, DELETE"),
        ("postcode", "SELECT, INSERT, DELETE"),
        ("postponement", "SELECT, INSERT"),
        ("push", "SELECT"),
        ("push_action", "SELECT, INSERT, DELETE"),
        ("push_day", "SELECT, INSERT"),
        ("push_device_outcome", "SELECT, INSERT, UPDATE, DELETE"),
        ("push_job", "SELECT, INSERT, UPDATE (account_id)"),
        ("push_outcome", "SELECT, INSERT"),
        ("push_receipt", "SELECT, INSERT"),
        ("push_retry", "SELECT, INSERT, UPDATE, DELETE"),
        ("schema_migration", "SELECT"),
        ("sent_push", "SELECT, INSERT, UPDATE, DELETE"),
        ("shopping_list", "SELECT, INSERT, UPDATE, DELETE"),
        ("store", "SELECT, INSERT, UPDATE"),
        ("tag", "SELECT, INSERT, UPDATE, DELETE"),
        ("thing", "SELECT, INSERT, UPDATE, DELETE"),
        ("thing_completion", "SELECT, INSERT, UPDATE"),
        ("thing_share", "SELECT, INSERT, DELETE"),
        ("thing_tag", "SELECT, INSERT, DELETE"),
        ("throttle", "SELECT, INSERT, UPDATE, DELETE"),
        ("tombstone", "SELECT, INSERT, DELETE"),
        ("verification_code", "SELECT, INSERT, UPDATE, DELETE"),
        ("watering", "SELECT, INSERT, UPDATE"),
    ]

    /// The programs' privileges on each table and view, on Citus or not. Citus cannot grant columns: there, a privilege on
    /// some columns becomes one on all of them.
    static func tables(onCitus: Bool) -> [(name: String, privileges: String)] {
        guard onCitus else { return tables }
        return tables.map { ($0.name, $0.privileges.replacing(#/ \([a-z_, ]+\)/#, with: "")) }
    }

    /// The privileges of a session for one account on a view of the schema `garden`.
    ///
    /// The session may neither delete rows nor update all columns: either privilege would let it LOCK the view, and the
    /// table beneath it, against everybody. Functions delete; grants on columns are enough to update and lock rows.
    struct GardenView: Sendable {
        let name: String
        /// SELECT, plus INSERT if the session adds rows.
        let rows: String
        /// The columns that the session changes; any single column if it only locks rows.
        let changed: [String]
        /// The columns that never change after insertion. Listed if other columns change, so that none is forgotten.
        let fixed: [String]

        init(_ name: String, _ rows: String, changes changed: String = "", keeps fixed: String = "") {
            self.name = name
            self.rows = rows
            self.changed = changed.split(whereSeparator: \.isWhitespace).map(String.init)
            self.fixed = fixed.split(whereSeparator: \.isWhitespace).map(String.init)
        }

        var privileges: String { changed.isEmpty ? rows : "\(rows), UPDATE (\(changed.joined(separator: ", ")))" }
    }

    /// The tables that a session for one account reads as they are, for they say nothing of any account: whether the
    /// database is Cherish's, whether it is a test database, and the operator's catalogue of stores.
    static let shared = ["schema_migration", "database_mark", "store", "place"]

    /// What ``Garden`` commands may do with the tables of the same names. Only the programs add and erase accounts.
    static let gardenViews = [
        GardenView(
            "account", "SELECT",
            changes: """
                nickname phone time_zone language watering_pushes review_pushes birthday_pushes withered_pushes thing_pushes
                expiry_warning_days replan_after version postcode appearance country postcode_changed_at
                day_end_minute pauses
                """, keeps: "lane id email barred_from_helping_at created_at restored_at"),
        GardenView("account_block", "SELECT, INSERT"),
        GardenView("account_change", "SELECT"),
        GardenView("account_change_head", "SELECT"),
        GardenView("account_email", "SELECT"),
        GardenView("account_identity", "SELECT"),
        GardenView("account_phone", "SELECT"),
        GardenView(
            "account_picture", "SELECT, INSERT", changes: "image changed_at", keeps: "lane account_id"),
        GardenView("account_session", "SELECT"),
        GardenView("affection_entry", "SELECT, INSERT"),
        GardenView("calendar_feed", "SELECT, INSERT"),
        GardenView(
            "cycle_change", "SELECT, INSERT", changes: "cycle_days due_on source withers_on",
            keeps: "lane plant_id changed_at"),
        GardenView(
            "device", "SELECT, INSERT", changes: "secret p256dh auth added_at retired_at retired_reason session_id",
            keeps: "lane id account_id platform token"),
        GardenView("device_token", "SELECT"),
        GardenView(
            "edited_item", "SELECT, INSERT", changes: "parts made_at newest_at", keeps: "lane account_id kind id number"
        ),
        GardenView(
            "helped_list", "SELECT, INSERT",
            changes: """
                owner_nickname slot claimed_at accepted_at opened_at expires_at ended_at released_at acceptance_count
                release_count list_version event_topic event_at expiring_push_at expired_push_at
                """, keeps: "lane account_id list_id owner_id"),
        GardenView("helper_rating", "SELECT, INSERT"),
        GardenView(
            "import_batch", "SELECT, INSERT", changes: "undone_at",
            keeps: "lane id account_id imported_at file_name tag_ids"),
        GardenView("import_change", "SELECT, INSERT"),
        // Commands lock the row, for which one column is enough. The view's check option rejects another lane number.
        GardenView(
            "lane", "SELECT", changes: "lane",
            keeps: "cursor_at cursor_subject_id cursor_topic cursor_ref last_seq last_recorded_at"),
        GardenView(
            "list_news", "SELECT, INSERT", changes: "list_version written_at",
            keeps: "lane account_id list_id recipient_id"),
        GardenView(
            "list_receipt", "SELECT, INSERT", changes: "helper_id content attached_at", keeps: "lane account_id list_id"
        ),
        GardenView("list_report", "SELECT, INSERT"),
        GardenView("occurrence", "SELECT, INSERT"),
        GardenView("occurrence_outcome", "SELECT"),
        GardenView(
            "pause", "SELECT, INSERT", changes: "first_day last_day is_spread",
            keeps: "lane id account_id tag_id plant_id"),
        GardenView(
            "plant", "SELECT, INSERT",
            changes: """
                name phone nickname birthday_year birthday_month birthday_day cycle_days alarm_minute planted_on
                last_watered_on due_on due_source affection watering_count postponement_count pushes_enabled is_favourite
                alarm_at alarmed_due_dates reminder_number reminder_at birthday_on birthday_at passed_birthday_on
                passed_birthday_at withered_at removed_at restored_on version modified_at original_due_on pauses spread_days
                """, keeps: "lane id account_id created_at"),
        GardenView("plant_tag", "SELECT, INSERT"),
        GardenView("postponement", "SELECT, INSERT"),
        GardenView("push", "SELECT"),
        GardenView("push_device_outcome", "SELECT"),
        GardenView("push_job", "SELECT"),
        GardenView("push_outcome", "SELECT"),
        GardenView("push_retry", "SELECT"),
        GardenView("sent_push", "SELECT"),
        GardenView(
            "shopping_list", "SELECT, INSERT",
            changes: """
                title note delivery_note entry_names entry_quantities entries_bought area latitude longitude opened_at expires_at
                first_accepted_at accepted_at helper_id helper_nickname helper_rating_count helper_rating_sum delivered_at
                cancelled_at rating event_topic event_at expired_push_at receipt_format version modified_at
                """, keeps: "lane id account_id created_at"),
        GardenView(
            "tag", "SELECT, INSERT", changes: "name_key name colour cycle_days version", keeps: "lane id account_id"),
        GardenView(
            "thing", "SELECT, INSERT",
            changes: """
                title note is_favourite due_on due_minute category bought_on store_id order_number chosen_alerts repetition
                pushes_enabled recurrence_every recurrence_unit recurrence_base recurrence_until series_start completion_count
                done_on done_at done_as alert_ref alert_at alert_expires_at alert_wall_minute reached_alert_ref
                reached_alert_at reached_alert_expires_at reached_alert_wall_minute version modified_at
                """, keeps: "lane id account_id kind created_at"),
        GardenView(
            "thing_completion", "SELECT, INSERT", changes: "undone_at",
            keeps: """
                lane thing_id number account_id completed_on recorded_at outcome due_on next_due_on series_start fact_id
                """),
        GardenView("thing_share", "SELECT, INSERT"),
        GardenView("thing_tag", "SELECT, INSERT"),
        GardenView("tombstone", "SELECT, INSERT"),
        GardenView(
            "watering", "SELECT, INSERT", changes: "keywords memo is_review_declined",
            keeps: "lane plant_id number watered_on recorded_at method due_on is_backdated fact_id"),
    ]

    /// All of Cherish's functions, in the catalogue's notation, with their callers; nobody else may call them. Report
    /// readers also call those of the schema `report`.
    static let functions: [(signature: String, callers: [Caller])] = single + paired

    private static let single: [(signature: String, callers: [Caller])] =
        [
            ("make_partition(text, text, timestamp with time zone)", [.application]),
            ("make_log_partitions(timestamp with time zone)", [.application]),
            ("make_calendar_partition(timestamp with time zone)", [.application]),
            ("drop_partition(text)", [.application]), ("index_day(text)", [.application]),
            ("analyze_gardens()", [.application]),
            // A constraint calls it as the writing role.
            ("is_known_time_zone(text)", [.application, .account]),
            // Views call these as the reading role. The second returns only counts.
            ("civil_day(timestamp with time zone, text)", [.application, .reporting]),
            ("civil_day(timestamp with time zone, text, smallint)", [.application, .reporting]),
            ("late_civil_day(timestamp with time zone, text, smallint)", [.application, .reporting]),
            ("unpaused_day(date, date[])", [.application, .reporting, .account]),
            ("wall_clock(timestamp with time zone, text)", [.application, .reporting]),
            ("withers_on(date, date[])", [.application, .reporting, .account]),
            ("count_pushes(timestamp with time zone, timestamp with time zone)", [.application, .reporting]),
            ("garden.account_id()", [.account]),
            ("garden.account_lane()", [.account]),
            ("garden.make_calendar_partition(timestamp with time zone)", [.account]),
            ("garden.require_account(uuid)", []),
        ] + steps.map { ($0, [.application]) }

    /// Each with its namesake in the schema `garden`.
    private static let paired: [(signature: String, callers: [Caller])] = (deletions + people).flatMap { signature in
        [(signature, [.application]), ("garden.\(signature)", [.account])]
    }

    /// The programs call these; sessions for one account call their namesakes in the schema `garden`.
    private static let deletions = [
        "change_account_email(smallint, uuid, text)", "delete_account_blocks(smallint, uuid, uuid[])",
        "delete_calendar_feeds(smallint, uuid, uuid[])",
        "delete_cycle_changes(smallint, uuid[], timestamp with time zone)",
        "delete_draft_list(smallint, uuid, uuid)",
        "delete_list_news(smallint, uuid, uuid, uuid, bigint)", "delete_plant_tags(smallint, uuid[], uuid[])",
        "delete_pauses(smallint, uuid, uuid[])",
        "delete_plants(smallint, uuid, uuid[])",
        "delete_tags(smallint, uuid, uuid[], boolean)",
        "delete_thing_shares(smallint, uuid, uuid[], timestamp with time zone)",
        "delete_thing_tags(smallint, uuid, uuid, uuid[])",
        "delete_things(smallint, uuid, uuid[])", "remove_devices(uuid, uuid[])",
        "take_device_token(uuid, device_platform, text, uuid)",
    ]

    /// What people do before they are signed in, and what their sessions do. The programs call these; sessions call their
    /// namesakes in the schema `garden`, which have the rights of the owner.
    private static let people = [
        "abandon_request(smallint, uuid, text, uuid)", "account_position(smallint, uuid)",
        "answer_request(smallint, uuid, text, uuid, smallint, bytea)",
        "begin_anonymously(smallint, uuid, text, text, language, uuid, bytea, text, timestamp with time zone)",
        "begin_email_change(uuid, smallint, uuid, text, bytea, timestamp with time zone)",
        "begin_password_reset(uuid, text, bytea, timestamp with time zone)",
        "begin_password_reset_by_phone(uuid, text, bytea, timestamp with time zone)",
        "begin_phone_change(uuid, smallint, uuid, text, bytea, timestamp with time zone)",
        "begin_request(smallint, uuid, uuid, text, bytea, uuid, timestamp with time zone)",
        "begin_sign_up(uuid, text, bytea, timestamp with time zone)",
        "check_code(uuid, code_purpose, bytea, timestamp with time zone)",
        "check_password(text, bytea, bytea, timestamp with time zone)",
        "commit_request(smallint, uuid, text, uuid)",
        "confirm_email(smallint, uuid, bytea, timestamp with time zone)",
        "confirm_phone(smallint, uuid, bytea, timestamp with time zone)",
        "delete_phone(smallint, uuid, timestamp with time zone)",
        "end_sessions(smallint, uuid, uuid, uuid)",
        "erase_account(smallint, uuid, uuid, timestamp with time zone)",
        "feed_owner(smallint, bytea)", "has_password(smallint, uuid)",
        "link_identity(smallint, uuid, identity_provider, text, text, timestamp with time zone)",
        "list_owner(smallint, uuid)",
        "nearby_lists(smallint, uuid, timestamp with time zone, double precision, integer)",
        "newest_changes(smallint, uuid[])",
        "note_changes(smallint, uuid, timestamp with time zone, change_kind[], uuid[], integer[])",
        "password_challenge(text, bytea, timestamp with time zone)",
        "renew_sign_in(smallint, uuid, uuid, timestamp with time zone)",
        "renew_token(smallint, uuid, bytea, bytea, timestamp with time zone)",
        "reset_password(uuid, bytea, bytea, bytea, integer, smallint, timestamp with time zone)",
        "set_password(smallint, uuid, bytea, bytea, integer, smallint, uuid, timestamp with time zone)",
        "shared_thing(smallint, bytea, timestamp with time zone)",
        "sign_in(text, bytea, bytea, uuid, bytea, text, timestamp with time zone)",
        "sign_in_with_identity(identity_provider, text, uuid, bytea, text, timestamp with time zone)",
        """
        sign_up(uuid, bytea, smallint, uuid, text, text, text, language, bytea, bytea, integer, smallint, uuid, bytea, text, \
        timestamp with time zone)
        """,
        """
        sign_up_with_identity(identity_provider, text, text, smallint, uuid, text, text, text, language, uuid, bytea, text, \
        timestamp with time zone)
        """,
        "take_attempt(bytea, integer, timestamp with time zone)",
        "unlink_identity(smallint, uuid, identity_provider)",
        "use_push_action(smallint, bytea, timestamp with time zone)",
        "use_session(smallint, uuid, bytea, timestamp with time zone)",
    ]

    /// Steps of those functions.
    private static let steps = [
        "begin_code(uuid, code_purpose, text, smallint, uuid, bytea, timestamp with time zone)", "hidden_address(text)",
        "begin_session(smallint, uuid, uuid, bytea, text, timestamp with time zone)",
        "delete_sessions(smallint, uuid, uuid[])", "forget_addresses(smallint, uuid)", "forgive_attempt(bytea)",
        "insert_account(smallint, uuid, text, text, text, text, language, timestamp with time zone)",
        "note_changes_of_accounts(smallint, timestamp with time zone, uuid[], change_kind[], uuid[], integer[])",
        "planned_rows(smallint, uuid)", "set_phone(smallint, uuid, text, timestamp with time zone)",
        "tables_of_account()",
        "take_code(uuid, code_purpose, bytea, timestamp with time zone)", "throttle_key(text, text)",
        "wait_seconds(bytea, integer, timestamp with time zone)",
    ]

    /// All of Cherish's types. Each role may use them for columns of temporary tables; nobody else needs them.
    static let types = [
        "affection_reason", "alert_repetition", "change_kind", "code_purpose", "completion_outcome", "contact_method",
        "device_outcome", "device_platform", "due_source", "identity_provider", "import_change_kind", "language",
        "push_outcome_kind", "recurrence_base", "recurrence_unit", "thing_kind", "topic",
    ]

    /// Splits a list of privileges.
    static func split(_ privileges: String) -> [String] {
        privileges.split(separator: ",").map { String($0.trimmingPrefix(" ")) }
    }

    private func grant(to roles: [String], on connection: Connection) async throws {
        let isOnCitus = try await connection.isOnCitus()
        var statements = try await openings.closable(on: connection).compactMap { $0.repair.map { SQL(trusting: $0) } }
        if roles.contains(application) {
            let role = SQL(name: application)
            statements.append(try await grantOfSchema(to: role, on: connection))
            statements += Roles.tables(onCitus: isOnCitus).map {
                "GRANT \(SQL(trusting: $0.privileges)) ON \(name: $0.name) TO \(role)"
            }
        }
        // The views of the schema `garden` cannot be written over tables on nodes.
        if roles.contains(account) && !isOnCitus {
            let role = SQL(name: account)
            statements.append(try await grantOfSchema(to: role, on: connection))
            statements.append("GRANT USAGE ON SCHEMA garden TO \(role)")
            statements += Roles.gardenViews.map {
                "GRANT \(SQL(trusting: $0.privileges)) ON garden.\(name: $0.name) TO \(role)"
            }
            statements += Roles.shared.map { "GRANT SELECT ON \(name: $0) TO \(role)" }
        }
        for (caller, name) in [(Caller.application, application), (.reporting, reporting), (.account, account)]
        where roles.contains(name) && !(isOnCitus && caller == .account) {
            let functions = Roles.functions.filter { $0.callers.contains(caller) }.map { SQL(trusting: $0.signature) }
            let role = SQL(name: name)
            statements.append("GRANT EXECUTE ON FUNCTION \(functions.joined(separator: ", ")) TO \(role)")
            let types = Roles.types.map { SQL(name: $0) }
            statements.append("GRANT USAGE ON TYPE \(types.joined(separator: ", ")) TO \(role)")
        }
        statements += try await grantsOfReports(to: roles.filter { $0 != account }, on: connection)
        if !statements.isEmpty { try await connection.script(statements.joined(separator: ";\n")) }
    }

    private func grantsOfReports(to roles: [String], on connection: Connection) async throws -> [SQL] {
        let reports = try await connection.query("SELECT to_regnamespace('report') IS NOT NULL")
        guard try reports.first?.decode(0, as: Bool.self) == true, !roles.isEmpty else { return [] }
        let readers = roles.map { SQL(name: $0) }.joined(separator: ", ")
        return [
            "GRANT USAGE ON SCHEMA report TO \(readers)", "GRANT SELECT ON ALL TABLES IN SCHEMA report TO \(readers)",
            "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA report TO \(readers)",
        ]
    }

    /// Returns a GRANT on the tables' schema, which is the first in the search path, whatever its name.
    private func grantOfSchema(to role: SQL, on connection: Connection) async throws -> SQL {
        let rows = try await connection.query("SELECT format('GRANT USAGE ON SCHEMA %I TO ', current_schema())")
        guard let row = rows.first else { throw UnreadableRow(what: "no schema") }
        return SQL(trusting: try row.decode(0)) + role
    }
}

/// Why the roles cannot be created or granted access.
public enum RoleError: Error, Hashable, Sendable {
    case mayNotMakeRoles(user: String, roles: [String])
    case notOwner(user: String, owner: String)
    /// Some objects belong to another owner.
    case mixedOwners(what: String, remedy: String)

    /// The error code listed in `docs/command-line.md`.
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
        case .mixedOwners(let what, let remedy):
            "\(what); \(remedy), and the same for all else that 'cherish doctor' names"
        }
    }
}
