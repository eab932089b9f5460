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

    init(store: CareStore, accountID: Account.ID, session: AccountSession?) {
        (self.store, self.accountID, self.session) = (store, accountID, session)
    }

    /// Runs a command in the account's lane. If `body` throws, all changes roll back.
    func command<Result: Sendable>(_ body: (LaneCommand) async throws -> Result) async throws -> Result {
        try await store.command(in: accountID.lane, as: session, body)
    }

    /// Reads without a shared snapshot: each statement takes its own.
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

/// A transaction in which the database shows and accepts only one account's rows, whatever the statements (decision
/// 24).
struct AccountSession: Sendable {
    /// Sent with BEGIN, in one round trip. Its settings end with the transaction, so accounts share connections.
    let opening: SQL

    /// - Parameter role: may use the views of `garden` but no table; the program's own role must be a member of it.
    init(_ account: Account.ID, role: String) {
        opening = """
            SET LOCAL search_path = garden, public; SET LOCAL cherish.account = \(id: account); \
            SET LOCAL ROLE \(name: role)
            """
    }
}
