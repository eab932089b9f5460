import CherishCore
import Postgres
import Synchronization

/// Proves a session in the transaction that reads for it, which saves the round trip that would ask before (decision 68).
///
/// The transaction acts for whomever the token belongs to. So it sees nothing if the session has ended, whatever the caller
/// believes.
public final class SessionProof: Sendable {
    let token: SessionToken
    /// SHA-256 of the token's secret.
    let secretHash: [UInt8]
    private let given = Atomic(false)

    public init(_ token: SessionToken, secretHash: [UInt8]) {
        (self.token, self.secretHash) = (token, secretHash)
    }

    /// Whether the database has confirmed the session. Nothing that was read may leave the service before.
    public var isGiven: Bool { given.load(ordering: .acquiring) }

    /// Has the transaction act for the account of the token, or for nobody.
    func statement(at fixedInstant: Instant?) -> Statement {
        Statement(
            """
            SELECT set_config('cherish.account', coalesce(
                (SELECT account_id::text FROM use_session($1, $2, $3, coalesce($4, clock_timestamp()))), ''), true)
            """, [token.lane, token.sessionID, Bytea(secretHash), fixedInstant])
    }

    /// Notes that the statement has found the account.
    ///
    /// - Throws: ``PeopleError/notSignedIn``.
    func give(_ rows: Rows, for account: Account.ID) throws {
        guard try rows.first?.decode(0, as: String.self) == account.description else { throw PeopleError.notSignedIn }
        given.store(true, ordering: .releasing)
    }
}
