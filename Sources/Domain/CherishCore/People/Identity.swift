/// Who vouches for somebody who signs in (rule 12.5).
public enum IdentityProvider: String, CaseIterable, Sendable {
    case google, apple

    /// As the provider writes it.
    public var name: String {
        switch self {
        case .google: "Google"
        case .apple: "Apple"
        }
    }
}

/// Who somebody is to a provider, as a verified token says.
public struct VerifiedIdentity: Hashable, Sendable {
    public let provider: IdentityProvider
    /// What the provider calls the person, for ever: 1–255 bytes.
    public let subject: String
    /// nil if the token has none, or one that no account can have.
    public let email: EmailAddress?
    /// Whether the provider says that the person reads the e-mail.
    public let isEmailConfirmed: Bool

    public init(provider: IdentityProvider, subject: String, email: String?, isEmailConfirmed: Bool) {
        (self.provider, self.subject) = (provider, subject)
        self.email = email.flatMap { try? EmailAddress($0) }
        self.isEmailConfirmed = self.email != nil && isEmailConfirmed
    }
}

/// An identity by which an account is signed in to.
public struct LinkedIdentity: Hashable, Sendable {
    public let provider: IdentityProvider
    /// The e-mail in the token when it was linked, so that people recognize it.
    public let email: EmailAddress?
    public let linkedAt: Instant

    public init(provider: IdentityProvider, email: EmailAddress?, linkedAt: Instant) {
        (self.provider, self.email, self.linkedAt) = (provider, email, linkedAt)
    }
}
