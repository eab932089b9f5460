import CherishCore
import Postgres

/// The garden of one account: its plants, tags, devices, imports and pushes. All access to them goes through here.
///
/// Each statement binds the lane and the id of the account, so it finds nobody else's rows, whoever shares the lane. Commands
/// lock the account and then the plant, as ``CareStore`` describes; after that, rows of a plant are found by its id.
public struct Garden: Sendable {
    public let accountID: Account.ID
    let store: CareStore
    /// The account that the database session acts for; nil is the program, which may act for all.
    let session: AccountSession?

    init(store: CareStore, accountID: Account.ID, session: AccountSession?) {
        (self.store, self.accountID, self.session) = (store, accountID, session)
    }

    /// Runs a command in the account's lane. If the body throws, all its changes roll back.
    func command<Result: Sendable>(_ body: (LaneCommand) async throws -> Result) async throws -> Result {
        try await store.command(in: accountID.lane, as: session, body)
    }

    /// Reads without a common snapshot: each statement has its own.
    func read<Result: Sendable>(_ body: (Connection) async throws -> Result) async throws -> Result {
        guard let session else { return try await store.pool.withConnection(body) }
        return try await store.pool.withTransaction(readOnly: true, opening: session.opening, body)
    }

    /// Reads in one snapshot.
    func snapshot<Result: Sendable>(
        attempts: Int = 5, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        try await store.pool.withTransaction(
            isolation: .repeatableRead, readOnly: true, attempts: attempts, opening: session?.opening, body)
    }
}

/// A transaction in which the database shows and accepts only the rows of one account, whatever the statements say (decision 24).
struct AccountSession: Sendable {
    /// Sent with BEGIN, in one round trip. It ends with the transaction, so all accounts share the connections.
    let opening: SQL

    /// - Parameter role: may use the views of `garden` and no table; the program's own role must be a member of it.
    init(_ account: Account.ID, role: String) {
        opening = """
            SET LOCAL search_path = garden, public; SET LOCAL cherish.account = \(id: account); \
            SET LOCAL ROLE \(name: role)
            """
    }
}
