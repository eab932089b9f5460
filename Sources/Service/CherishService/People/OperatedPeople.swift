import CherishCore
import CherishStore
import Secrets

// What operators do for people.
extension CareService {
    /// Sets the password of an account, and ends all its sessions.
    ///
    /// - Parameter reference: the account's e-mail or id.
    /// - Throws: ``CareError/notFound(_:)``, ``PeopleError/weakPassword(_:)``.
    public func setPassword(_ text: String, of reference: String) async throws -> Account {
        let account = try await engine.store.account(reference)
        let password = try Password(text, for: account.names)
        try await engine.store.people.setPassword(
            try await PasswordHasher().tag(of: password), of: account.id, keeping: nil)
        return account
    }

    /// Confirms the phone that an account has given, for a person whom the operator knows (rule 12.4). Another account that had
    /// confirmed it loses it.
    ///
    /// - Parameter reference: the account's e-mail or id.
    /// - Throws: ``CareError/notFound(_:)``, ``PeopleError/phoneMissing``.
    public func verifyPhone(of reference: String) async throws -> Account {
        let account = try await engine.store.account(reference)
        guard let phone = account.phone else { throw PeopleError.phoneMissing }
        try await engine.store.people.setPhone(phone, of: account.id)
        return account
    }

    /// The sessions of an account, the one used last first.
    ///
    /// - Parameter reference: the account's e-mail or id.
    public func sessions(of reference: String) async throws -> [SignInSession] {
        try await engine.store.people.sessions(of: try await engine.store.account(reference).id)
    }

    /// Ends a session.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func endSession(_ id: SignInSession.ID) async throws {
        let people = engine.store.people
        guard try await people.endSession(id, of: try await people.owner(of: id)) else {
            throw CareError.notFound(.session)
        }
    }
}
