import CherishCore
import Postgres

// Signing in by Google or Apple (rule 12.5). The caller has verified the provider's token.
extension PeopleStore {
    /// What came of signing up with an identity.
    public enum IdentitySignUp: String, Sendable {
        case done
        /// An account has the identity.
        case identityTaken = "identity_taken"
        /// An account has the e-mail.
        case emailKnown = "email_known"
    }

    /// What came of linking an identity.
    public enum IdentityLinking: String, Sendable {
        case done
        /// It was linked before.
        case known
        /// Another account has it.
        case identityTaken = "identity_taken"
        /// The account has another one of the provider.
        case providerLinked = "provider_linked"
    }

    /// What came of unlinking an identity.
    public enum IdentityUnlinking: String, Sendable {
        case done
        case notFound = "not_found"
        /// Nothing else lets the person in.
        case lastWayIn = "last_way_in"
    }

    /// Adds an account with an identity and a session, without a password.
    ///
    /// - Parameter email: confirmed by the provider.
    public func signUp(
        _ identity: VerifiedIdentity, email: EmailAddress, account: Account, session: NewSession
    ) async throws -> IdentitySignUp {
        try outcome(
            try await call(
                """
                SELECT sign_up_with_identity($1::identity_provider, $2, $3, $4, $5, $6, $7, $8, $9::language, $10, $11, $12,
                    \(now("$13")))
                """,
                [
                    identity.provider.rawValue, identity.subject, email.description, account.id.lane, account.id,
                    account.nickname.description, account.phone?.description, account.timeZone,
                    account.language.rawValue, session.id, Bytea(session.secretHash), session.deviceName,
                    store.time.fixedInstant,
                ]))
    }

    /// Begins a session of the account that has an identity.
    ///
    /// - Returns: the account; nil if none has it.
    public func signIn(_ identity: VerifiedIdentity, beginning session: NewSession) async throws -> Account.ID? {
        let rows = try await call(
            "SELECT account_id FROM sign_in_with_identity($1::identity_provider, $2, $3, $4, $5, \(now("$6")))",
            [
                identity.provider.rawValue, identity.subject, session.id, Bytea(session.secretHash),
                session.deviceName, store.time.fixedInstant,
            ])
        let account = try rows.first?.decode(0, as: Account.ID.self)
        if let account { await store.announcer.announce([account]) }
        return account
    }

    /// The identities of an account.
    public func identities(of account: Account.ID) async throws -> [LinkedIdentity] {
        try await call(
            """
            SELECT provider::text, email, linked_at FROM account_identity WHERE lane = $1 AND account_id = $2
            ORDER BY account_identity.provider
            """, [account.lane, account], as: account
        ).map { row in
            var reader = row.reader
            return LinkedIdentity(
                provider: try reader.next(label: IdentityProvider.self),
                email: try reader.next(String?.self).map { EmailAddress(stored: $0) }, linkedAt: try reader.next())
        }
    }

    /// Links an identity to an account.
    public func link(_ identity: VerifiedIdentity, to account: Account.ID) async throws -> IdentityLinking {
        try outcome(
            try await call(
                "SELECT link_identity($1, $2, $3::identity_provider, $4, $5, \(now("$6")))",
                [
                    account.lane, account, identity.provider.rawValue, identity.subject,
                    identity.email?.description, store.time.fixedInstant,
                ], as: account))
    }

    /// Unlinks the identity of a provider from an account.
    public func unlink(_ provider: IdentityProvider, from account: Account.ID) async throws -> IdentityUnlinking {
        try outcome(
            try await call(
                "SELECT unlink_identity($1, $2, $3::identity_provider)", [account.lane, account, provider.rawValue],
                as: account))
    }

    /// Whether an account has a password.
    public func hasPassword(_ account: Account.ID) async throws -> Bool {
        try only(try await call("SELECT has_password($1, $2)", [account.lane, account], as: account))
    }
}
