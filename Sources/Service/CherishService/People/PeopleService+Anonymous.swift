import CherishCore
import CherishStore
import Secrets

// Accounts without an e-mail (rule 12.5).
extension PeopleService {
    /// How many of them a network address may begin within 15 minutes.
    static let mostAnonymousOfAddress = 10

    /// Adds an account that nobody can sign in to again until it has an e-mail or an identity, and signs it in.
    ///
    /// - Throws: ``CareError``, ``PeopleError/slowDown(seconds:)`` for the network address.
    public func beginAnonymously(_ person: NewPerson, from address: NetworkAddress) async throws -> SignedIn {
        let account = try await newAccount(person)
        let wait = try await people.takeAttempt(
            SecretHash.hmac([address.key], key: Array("anonymous".utf8)),
            capacity: PeopleService.mostAnonymousOfAddress)
        if wait > 0 { throw PeopleError.slowDown(seconds: wait) }
        let session = NewSession(person.deviceName)
        try await people.beginAnonymously(account, session: session.stored)
        return session.begun(by: account)
    }
}
