import CherishCore

// JSON documents about people and their sessions. No document but one holds a token.

/// What a code goes with.
public struct CodeRequestDocument: Codable, Sendable {
    let id: String

    public init(id: String) {
        self.id = id
    }
}

/// Somebody who is signed in on a device.
public struct SessionDocument: Codable, Sendable {
    let id, deviceName, signedInAt, usedAt: String
    /// Whether it is the session that asks.
    let current: Bool

    public init(_ session: SignInSession, current: SignInSession.ID?) {
        id = session.id.description
        deviceName = session.deviceName
        signedInAt = session.signedInAt.description
        usedAt = session.usedAt.description
        self.current = session.id == current
    }
}

/// The sessions of an account.
public struct SessionsDocument: Codable, Sendable {
    let sessions: [SessionDocument]

    /// - Parameter current: the session that asks; nil for an operator.
    public init(_ sessions: [SignInSession], current: SignInSession.ID?) {
        self.sessions = sessions.map { SessionDocument($0, current: current) }
    }
}

/// Somebody who has just signed in: the only document with a token.
public struct SignedInDocument: Codable, Sendable {
    let account: AccountDocument
    let sessionId: String
    /// null if a cookie carries it.
    public let token: Nullable<String>

    public init(_ signedIn: SignedIn, showsToken: Bool) {
        account = AccountDocument(signedIn.account)
        sessionId = signedIn.sessionID.description
        token = Nullable(showsToken ? signedIn.token.text : nil)
    }
}

/// How somebody signs in, besides a code (rule 12.5).
public struct IdentitiesDocument: Codable, Sendable {
    package struct Identity: Codable, Sendable {
        let provider: String
        let email: Nullable<String>
        let linkedAt: String
    }

    package let identities: [Identity]
    package let hasPassword: Bool
    /// What resets the password, too; null if the account has confirmed none.
    package let confirmedPhone: Nullable<String>

    public init(_ identities: [LinkedIdentity], hasPassword: Bool, confirmedPhone: PhoneNumber?) {
        self.identities = identities.map {
            Identity(
                provider: $0.provider.rawValue, email: Nullable($0.email?.description),
                linkedAt: $0.linkedAt.description)
        }
        self.hasPassword = hasPassword
        self.confirmedPhone = Nullable(confirmedPhone?.description)
    }
}

/// How many sessions were ended.
public struct EndedSessionsDocument: Codable, Sendable {
    let ended: Int

    public init(ended: Int) {
        self.ended = ended
    }
}

/// How strong a password is (rule 12.2).
public struct PasswordStrengthDocument: Codable, Sendable {
    /// 0–4.
    let score: Int
    /// Codes of what would make it stronger.
    let advice: [String]
    /// Whether it may be used.
    let accepted: Bool
    /// Why it may not; null if it may.
    let reason: Nullable<String>

    public init(_ text: String, for names: PersonNames) {
        let strength = PasswordStrength(of: text, for: names)
        score = strength.score
        advice = strength.advice.map(\.rawValue)
        do throws(PeopleError) {
            _ = try Password(text, for: names)
            (accepted, reason) = (true, Nullable(nil))
        } catch .weakPassword(let weakness) {
            (accepted, reason) = (false, Nullable(weakness.rawValue))
        } catch {
            (accepted, reason) = (false, Nullable(error.code))
        }
    }
}
