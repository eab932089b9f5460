import CherishCore

/// What follows from a provider's answer, or from having none. Metrics tell the raw value.
enum Consequence: String, CaseIterable, Sendable {
    /// Done: the provider took the push.
    case accepted
    /// The provider is in trouble: try this push again later, and leave it alone if there is more of this.
    case retry
    /// The provider works, but wants fewer pushes to this device, or from us: try this push again later.
    case slowDown = "slow_down"
    /// The device is gone.
    case tokenDead = "token_dead"
    /// The token is not one of this app or environment: dead, unless all of them are, which means that ours is wrong.
    case tokenWrong = "token_wrong"
    /// Our fault, or the push's: the provider will never take it.
    case refused
    /// Something in the settings is wrong: keep the push, and say what.
    case misconfigured
    /// The token that proves who we are has run out: make a new one and ask again at once.
    case credentialExpired = "credential_expired"
    /// This connection is no good for our credential: make a new one and ask again at once.
    case connectionUnfit = "connection_unfit"
    /// Nobody was asked: the provider cannot be reached, or is somebody else.
    case unreachable
    /// We gave it up ourselves: says nothing about the provider.
    case abandoned
}

/// A provider's answer to one push.
struct ProviderAnswer: Sendable {
    let consequence: Consequence
    /// Status and code, or what kept it from being asked. Holds no personal data: codes that are not in our tables are not
    /// repeated.
    let reason: String
    /// What the provider asked for.
    var retryAfter: Duration?
    /// What its documentation asks for, where it named no time itself.
    var pause: Duration?
    /// Since when a token is dead.
    var deadSince: Instant?
    /// Whether it came so late that the provider counts as one that fails, whatever it says.
    var isLate = false
    /// Which client of the transport got it.
    var clientGeneration: Int?
}

/// Answers that no table has: of a proxy, or of a provider that has learnt something new.
enum UnknownAnswer {
    /// What the status alone says.
    static func consequence(status: Int) -> Consequence {
        switch status {
        case 408, 425, 500...599: .retry
        case 429: .slowDown
        // Somebody else answered, or nobody knows us there.
        case 300...399, 401, 403, 404, 405, 407, 410: .misconfigured
        // Not what this provider says when it has taken a push.
        case 100...299: .retry
        default: .refused
        }
    }
}
