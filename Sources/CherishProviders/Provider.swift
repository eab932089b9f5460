import CherishPush
import Logging
import Synchronization

/// What all providers have in common: how many pushes are on their way at once, the circuit breaker, what an answer means
/// for a device, and what the operator is told.
final class Provider: Sendable {
    private static let holdWhileMisconfigured = Duration.seconds(60)
    private static let holdWhileUnreachable = Duration.seconds(30)
    private static let holdInWrongEnvironment = Duration.seconds(300)

    private let name: String
    /// The settings to look at when the provider does not accept who we are.
    private let settings: String
    /// The setting to look at when it knows none of our tokens.
    private let environmentSetting: String
    private let limit: ConcurrencyLimit
    private let breaker = Mutex(CircuitBreaker())
    private let suspicion = Mutex(TokenSuspicion())
    /// When each kind of warning was last given.
    private let lastWarnings = Mutex<[Consequence: ContinuousClock.Instant]>([:])
    private let logger: Logger

    init(name: String, settings: String, environmentSetting: String, concurrency: Int, logger: Logger) {
        self.name = name
        self.settings = settings
        self.environmentSetting = environmentSetting
        limit = ConcurrencyLimit(concurrency)
        self.logger = logger
    }

    /// Asks the provider when there is room, unless it is to be left alone.
    func send(_ ask: () async -> ProviderAnswer) async -> DeviceResult {
        await limit.run {
            if case .wait(let time) = breaker.withLock({ $0.permission(at: .now) }) {
                return .held(reason: "\(name) is left alone after failures", for: time)
            }
            return result(of: await ask())
        }
    }

    private func result(of answer: ProviderAnswer) -> DeviceResult {
        note(answer)
        switch answer.consequence {
        case .accepted:
            suspicion.withLock { $0.noteAccepted() }
            return .accepted
        case .retry, .slowDown: return .failed(reason: answer.reason, retryAfter: answer.retryAfter)
        case .tokenDead: return .tokenDead(reason: answer.reason, since: answer.deadSince)
        case .tokenWrong: return wrongToken(answer)
        case .refused: return .refused(reason: answer.reason)
        // What could be done at once about the last two was done.
        case .misconfigured, .credentialExpired, .connectionUnfit:
            warn(
                .misconfigured,
                "\(name) does not accept us (\(answer.reason)): check \(settings); pushes are kept and tried again")
            return .held(reason: answer.reason, for: Provider.holdWhileMisconfigured)
        case .unreachable:
            warn(
                .unreachable,
                "\(name) cannot be reached (\(answer.reason)): check the network and \(settings); pushes are kept")
            return .held(reason: answer.reason, for: Provider.holdWhileUnreachable)
        }
    }

    private func wrongToken(_ answer: ProviderAnswer) -> DeviceResult {
        let judgement = suspicion.withLock { suspicion in
            suspicion.noteWrong()
            return (trusts: suspicion.trustsAnswers, isWrong: suspicion.isWrongEnvironment)
        }
        if judgement.trusts { return .tokenDead(reason: answer.reason, since: nil) }
        // Time will tell: others may be accepted until it is tried again.
        guard judgement.isWrong else { return .failed(reason: answer.reason, retryAfter: nil) }
        warn(
            .tokenWrong,
            """
            \(name) says \(answer.reason) of most tokens, so it is not the tokens that are wrong: check \
            \(environmentSetting); no device is retired, and pushes are kept
            """)
        return .held(reason: answer.reason, for: Provider.holdInWrongEnvironment)
    }

    /// Feeds the breaker, and says when it opens and closes.
    private func note(_ answer: ProviderAnswer) {
        let isSuccess =
            switch answer.consequence {
            case .accepted, .slowDown, .tokenDead, .tokenWrong, .refused: true
            case .retry, .misconfigured, .credentialExpired, .connectionUnfit, .unreachable: false
            }
        let change = breaker.withLock { $0.note(success: isSuccess, retryAfter: answer.retryAfter, at: .now) }
        switch change {
        case .opened(let time):
            logger.error("\(name) fails: \(answer.reason); pushes to it wait \(time.components.seconds) s")
        case .closed: logger.notice("\(name) works again")
        case nil: break
        }
    }

    /// Says something once a minute at most, however many pushes it is about.
    private func warn(_ kind: Consequence, _ message: String) {
        let isTime = lastWarnings.withLock { last in
            if let last = last[kind], ContinuousClock.now - last < .seconds(60) { return false }
            last[kind] = .now
            return true
        }
        if isTime { logger.error("\(message)") }
    }
}
