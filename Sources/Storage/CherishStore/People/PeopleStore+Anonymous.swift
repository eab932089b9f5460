import CherishCore
import Postgres

// Accounts without an e-mail (rule 12.5).
extension PeopleStore {
    /// Adds an account without an e-mail, and a session.
    public func beginAnonymously(_ account: Account, session: NewSession) async throws {
        _ = try await call(
            "SELECT begin_anonymously($1, $2, $3, $4, $5::language, $6, $7, $8, \(now("$9")))",
            [
                account.id.lane, account.id, account.nickname.description, account.timeZone,
                account.language.rawValue, session.id, Bytea(session.secretHash), session.deviceName,
                store.time.fixedInstant,
            ])
    }

    /// Notes that somebody has just proved who they are by a code.
    public func renewSignIn(_ session: SignInSession.ID, of account: Account.ID) async throws {
        _ = try await call(
            "SELECT renew_sign_in($1, $2, $3, \(now("$4")))",
            [account.lane, account, session, store.time.fixedInstant],
            as: account)
        await store.announcer.announce([account])
    }
}
