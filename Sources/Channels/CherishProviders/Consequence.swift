import CherishCore

/// What follows from a provider's answer, or from its absence. The raw value is a metric label.
enum Consequence: String, CaseIterable, Sendable {
    /// The provider accepted the push.
    case accepted
    /// The provider is failing: retry the push later. Counts as a failure for the circuit breaker.
    case retry
    /// The provider works, but asks for fewer pushes to this device or from us: retry the push later.
    case slowDown = "slow_down"
    /// The device is gone.
    case tokenDead = "token_dead"
    /// The token belongs to another app or environment. The device is dead, unless most tokens are wrong: then our
    /// setting is.
    case tokenWrong = "token_wrong"
    /// The fault is ours or the push's: the provider will never accept it.
    case refused
    /// A setting is wrong: keep the push, and log what to check.
    case misconfigured
    /// Our authentication token has expired: get a new one and ask again at once.
    case credentialExpired = "credential_expired"
    /// This connection does not fit our credential: open a new one and ask again at once.
    case connectionUnfit = "connection_unfit"
    /// The provider got no request: it cannot be reached, or another server answers in its place.
    case unreachable
    /// We gave up: this says nothing about the provider.
    case abandoned
}

/// A provider's answer to one push.
struct ProviderAnswer: Sendable {
    let consequence: Consequence
    /// Status and code, or what prevented the request. Holds no personal data: unknown codes are not quoted.
    let reason: String
    /// The pause that the provider asked for.
    var retryAfter: Duration?
    /// The pause in its documentation, for answers that name none.
    var pause: Duration?
    /// When the token died.
    var deadSince: Instant?
    /// Whether it came so late that it counts as a failure of the provider, whatever it says.
    var isLate = false
    /// The transport's client that received it.
    var clientGeneration: Int?
}

/// Answers that no table lists: from a proxy, or from a provider with new codes.
enum UnknownAnswer {
    /// Judges by the status alone.
    static func consequence(status: Int) -> Consequence {
        switch status {
        case 408, 425, 500...599: .retry
        case 429: .slowDown
        // Another server answered, or this one does not know us.
        case 300...399, 401, 403, 404, 405, 407, 410: .misconfigured
        // Not how this provider confirms a push.
        case 100...299: .retry
        default: .refused
        }
    }
}
