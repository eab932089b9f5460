import CherishCore
import Postgres

/// The garden of one account: its plants, tags, devices, imports and pushes. All access to them goes through here.
///
/// Each statement binds the account's lane and id, so it never finds the rows of another account in the lane. Commands
/// lock the account and then the plant, as ``CareStore`` describes; after that, they find a plant's rows by its id.
public struct Garden: Sendable {
    public let accountID: Account.ID
    let store: CareStore
    /// The account that the database session acts for; nil is the program, which may act for all.
    let session: AccountSession?
    /// Proves the session of whoever asks, in the first round trip that reads; nil if it is proved.
    let proof: SessionProof?
    /// The versions of which a command may change a friend, a tag or the settings; nil is any.
    private var expectedVersions: Set<Int>?
    /// When the person made the edit, by the device's clock; nil if it has no time.
    private(set) var editedAt: Instant?

    init(store: CareStore, accountID: Account.ID, session: AccountSession?, proof: SessionProof? = nil) {
        (self.store, self.accountID, self.session, self.proof) = (store, accountID, session, proof)
    }

    /// The same garden, whose commands change nothing that has another version (rule 14.3): they throw ``VersionPassed``.
    public func expecting(_ versions: Set<Int>?) -> Garden {
        var garden = self
        garden.expectedVersions = versions
        return garden
    }

    /// The same garden, whose edits and deletions were made at a time, by the device's clock (rule 14.3): newer edits, which
    /// other devices sent before, stay.
    public func editing(at madeAt: Instant?) -> Garden {
        var garden = self
        garden.editedAt = madeAt
        return garden
    }

    func requireExpected(_ version: Int) throws(VersionPassed) {
        if let expectedVersions, !expectedVersions.contains(version) { throw VersionPassed(current: version) }
    }

    /// Runs a command in the account's lane. If `body` throws, all changes roll back.
    ///
    /// - Parameter statements: sent with the lane's lock in one round trip; `body` receives their rows.
    func command<Result: Sendable>(
        reading statements: [Statement] = [], _ body: (LaneCommand, [Rows]) async throws -> Result
    ) async throws -> Result {
        try await store.command(in: accountID.lane, as: session, reading: statements, body)
    }

    /// Runs a command in the account's lane that reads what it needs itself.
    func command<Result: Sendable>(_ body: (LaneCommand) async throws -> Result) async throws -> Result {
        try await command { command, _ in try await body(command) }
    }

    /// A plant and its account, read and locked for a command.
    struct LockedPlant: Sendable {
        /// As it was read.
        let before: Plant
        /// As the command leaves it, with the next version.
        var plant: Plant
        let account: Account
        let context: CommandContext
    }

    /// Runs a command about a plant. Account and plant are read and locked with the lane, in one round trip.
    ///
    /// - Parameter statements: what else the command reads in that round trip.
    func command<Result: Sendable>(
        on plant: Plant.ID, reading statements: [Statement] = [],
        _ body: (LaneCommand, inout LockedPlant, ArraySlice<Rows>) async throws -> Result
    ) async throws -> Result {
        let locking = [
            AccountRow.locked(accountID, .share), PlantRow.locked(plant, of: accountID),
        ]
        return try await command(reading: locking + statements) { command, rows in
            guard let account = rows[0].first else { throw CareError.notFound(.account) }
            guard let plant = rows[1].first else { throw CareError.notFound(.plant) }
            let owner = try AccountRow.decode(account)
            let before = try PlantRow.decode(plant)
            try requireExpected(before.version)
            var locked = LockedPlant(
                before: before, plant: before, account: owner, context: try command.context(for: owner))
            locked.plant.beginChange(at: command.now)
            return try await body(command, &locked, rows.dropFirst(2))
        }
    }

    /// Reads without a shared snapshot: each statement takes its own.
    func read<Result: Sendable>(_ body: (Connection) async throws -> Result) async throws -> Result {
        guard let session else { return try await store.pool.withConnection(body) }
        return try await store.pool.withTransaction(readOnly: true, opening: session.opening, body)
    }

    /// Reads with statements that are known beforehand, in one round trip. Each takes its own snapshot.
    ///
    /// - Returns: the rows of each statement.
    func read(_ statements: [Statement]) async throws -> [Rows] {
        try await store.pool.withConnection { connection in
            guard let session else { return try await connection.pipeline(statements) }
            guard let proof, !proof.isGiven else {
                return Array(try await connection.transaction([session.opening] + statements).dropFirst())
            }
            let opening = AccountSession(nil, role: session.role).opening
            let proving = [opening, proof.statement(at: store.time.fixedInstant)]
            let rows = try await connection.transaction(proving + statements)
            try proof.give(rows[1], for: accountID)
            return Array(rows.dropFirst(2))
        }
    }

    /// Reads with one statement, in one round trip.
    func read(_ sql: SQL, _ parameters: [any PostgresEncodable]) async throws -> Rows {
        try await read([Statement(sql, parameters)])[0]
    }

    /// Reads in one snapshot.
    func snapshot<Result: Sendable>(
        attempts: Int = 5, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        try await store.pool.withTransaction(
            isolation: .repeatableRead, readOnly: true, attempts: attempts, opening: session?.opening, body)
    }
}

/// What a command was to change has changed since its caller saw it.
public struct VersionPassed: Error, Sendable, Equatable {
    /// The version that it has now.
    public let current: Int
}

/// A transaction in which the database shows and accepts only one account's rows, whatever the statements (decision
/// 24), or none, for somebody who is not signed in yet.
struct AccountSession: Sendable {
    /// Sent with BEGIN, in one round trip. Its settings end with the transaction, so accounts share connections.
    ///
    /// Every statement names a lane and an account or a plant, so one plan suits them all. PostgreSQL's default plans each
    /// execution anew where it believes that a common plan costs more, as soon as tables have grown; that took a friend's
    /// page twice the time.
    let opening: Statement
    let role: String

    /// - Parameter role: may use the views of `garden` but no table; the program's own role must be a member of it.
    init(_ account: Account.ID?, role: String) {
        self.role = role
        opening = Statement(
            """
            SELECT set_config('search_path', 'garden, public', true), set_config('cherish.account', $1, true),
                set_config('role', $2, true), set_config('plan_cache_mode', 'force_generic_plan', true)
            """, [account?.description ?? "", role])
    }
}
