import CherishCore
import CherishStore

/// Verifies what Google or Apple says of a person. Another module does it, so that this one needs neither keys nor HTTP.
public protocol IdentityVerifying: Sendable {
    /// Verifies an ID token: its signature by the provider's keys, its issuer, audience, times and nonce.
    ///
    /// - Throws: ``PeopleError/identityRefused`` unless all of that is right, ``PeopleError/providerNotOffered``,
    ///   ``PeopleError/providerUnreachable``.
    func verify(provider: IdentityProvider, idToken: String, nonce: String) async throws -> VerifiedIdentity
}

/// What an app got from Google or Apple, not verified yet.
public struct IdentityProof: Sendable {
    public let provider: IdentityProvider
    public let idToken: String
    /// What the app made up for this sign-in.
    public let nonce: String

    public init(provider: IdentityProvider, idToken: String, nonce: String) {
        (self.provider, self.idToken, self.nonce) = (provider, idToken, nonce)
    }
}

// Signing in by Google or Apple (rule 12.5).
extension PeopleService {
    /// Adds an account without a password and signs it in. Its e-mail is the one that the provider has confirmed.
    ///
    /// - Throws: ``CareError``, ``PeopleError``. Whoever shows the token reads the e-mail, so they may learn that an account
    ///   has it; but it never becomes a way into that account.
    public func signUp(_ person: NewPerson, by proof: IdentityProof, from address: NetworkAddress) async throws
        -> SignedIn
    {
        var account = try await newAccount(person)
        try await countRequest(of: address)
        let identity = try await verified(proof)
        guard identity.isEmailConfirmed, let email = identity.email else { throw PeopleError.emailUnconfirmed }
        account.email = email
        let session = NewSession(person.deviceName)
        switch try await people.signUp(identity, email: email, account: account, session: session.stored) {
        case .done: return session.begun(by: account)
        case .identityTaken: throw PeopleError.identityTaken
        case .emailKnown: throw PeopleError.emailKnown
        }
    }

    /// Signs in to the account that has the identity.
    ///
    /// - Throws: ``PeopleError/identityUnknown`` if none has it, even if one has its e-mail.
    public func signIn(by proof: IdentityProof, deviceName: String, from address: NetworkAddress) async throws
        -> SignedIn
    {
        try await countRequest(of: address)
        let identity = try await verified(proof)
        let session = NewSession(deviceName)
        guard let id = try await people.signIn(identity, beginning: session.stored) else {
            throw PeopleError.identityUnknown
        }
        return session.begun(by: try await engine.store.garden(of: id).account())
    }

    /// What lets a person in besides a code by mail: identities, a password, and a phone that resets it.
    public func waysIn(of account: Account.ID) async throws -> IdentitiesDocument {
        IdentitiesDocument(
            try await people.identities(of: account), hasPassword: try await people.hasPassword(account),
            confirmedPhone: try await people.confirmedPhone(of: account))
    }

    /// Links an identity to the account of somebody who is signed in. It may be linked already.
    ///
    /// - Throws: ``PeopleError``.
    public func link(_ proof: IdentityProof, to visitor: Visitor, from address: NetworkAddress) async throws {
        try await countRequest(of: address)
        switch try await people.link(try await verified(proof), to: visitor.accountID) {
        case .done:
            let account = try await engine.store.garden(of: visitor.accountID).account()
            guard let email = account.email else { return }
            // Whoever took over a session must not get a lasting way in unnoticed.
            messages.send(PersonalMessage(.identityLinked(proof.provider), to: email, in: account.language))
        case .known: break
        case .identityTaken: throw PeopleError.identityTaken
        case .providerLinked: throw PeopleError.providerLinked
        }
    }

    /// Unlinks the identity of a provider.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``PeopleError/lastWayIn``.
    public func unlink(_ provider: IdentityProvider, from visitor: Visitor) async throws {
        switch try await people.unlink(provider, from: visitor.accountID) {
        case .done: break
        case .notFound: throw CareError.notFound(.identity)
        case .lastWayIn: throw PeopleError.lastWayIn
        }
    }

    private func verified(_ proof: IdentityProof) async throws -> VerifiedIdentity {
        guard let identities else { throw PeopleError.providerNotOffered }
        return try await identities.verify(provider: proof.provider, idToken: proof.idToken, nonce: proof.nonce)
    }
}
