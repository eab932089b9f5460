import CherishPush
import Logging
import Synchronization

/// The environment variables that log messages point an operator to.
struct ProviderSettingNames: Sendable {
    /// If the provider rejects our credentials.
    let credentials: String
    /// If it cannot be reached, or its certificate is not trusted.
    let address: String
    /// If it knows none of our tokens.
    let environment: String
}

/// The common part of all providers: limited concurrency, the circuit breaker, the consequence of an answer for a
/// device, and the operator's log messages.
///
/// This module knows how to speak to APNs, FCM, browsers' push services and webhooks. It touches only the network: no database, no files. Start
/// here, then read one sender, such as ``APNsSender``.
final class Provider: Sendable {
    private static let holdWhileMisconfigured = Duration.seconds(60)
    private static let holdWhileUnreachable = Duration.seconds(30)
    private static let holdInWrongEnvironment = Duration.seconds(300)
    private static let holdWhileCrowded = Duration.seconds(5)

    private let name: String
    private let settings: ProviderSettingNames
    private let limit: ConcurrencyLimit
    private let breaker = Mutex(CircuitBreaker())
    private let suspicion = Mutex(TokenSuspicion())
    /// When each kind of warning was last logged.
    private let lastWarnings = Mutex<[Consequence: ContinuousClock.Instant]>([:])
    private let metrics: ProviderMetrics
    private let now: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger

    /// - Parameters:
    ///   - name: What log messages and reasons call it.
    ///   - label: Its name in metrics; nil is the same in lower case.
    ///   - concurrency: The maximum number of concurrent pushes; nil if the caller limits them.
    ///   - isOnlyOne: Whether no other provider has this label.
    ///   - clock: The circuit breaker's clock.
    init(
        name: String, label: String? = nil, settings: ProviderSettingNames, concurrency: Int?, isOnlyOne: Bool = true,
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger
    ) {
        self.name = name
        let (start, stopwatch) = (ContinuousClock.now, clock.stopwatch())
        now = { start + stopwatch() }
        metrics = ProviderMetrics(label ?? name.lowercased(), isOnlyOne: isOnlyOne)
        self.settings = settings
        limit = ConcurrencyLimit(concurrency ?? .max)
        self.logger = logger
    }

    /// Sends a request once there is room, unless the circuit breaker is open.
    func send(_ ask: () async -> ProviderAnswer) async -> DeviceResult {
        let result = await limit.run { () async -> DeviceResult in
            let permission = breaker.withLock { $0.permission(at: now()) }
            if case .wait(let time) = permission {
                return .held(reason: "\(name) is left alone after failures", for: time)
            }
            let started = ContinuousClock.now
            let answer = await ask()
            metrics.note(answer.consequence, took: ContinuousClock.now - started)
            return self.result(of: answer, isTrial: permission == .tryIt)
        }
        return result ?? .held(reason: "too many pushes at once", for: Provider.holdWhileCrowded)
    }

    private func result(of answer: ProviderAnswer, isTrial: Bool) -> DeviceResult {
        note(answer, isTrial: isTrial)
        switch answer.consequence {
        case .accepted:
            suspicion.withLock { $0.noteAccepted() }
            return .accepted
        case .retry, .slowDown:
            warn(answer.consequence, "\(name) did not take a push (\(answer.reason)); it is tried again")
            return .failed(reason: answer.reason, retryAfter: answer.retryAfter ?? answer.pause)
        case .tokenDead: return .tokenDead(reason: answer.reason, since: answer.deadSince)
        case .tokenWrong: return wrongToken(answer)
        case .refused:
            warn(.refused, "\(name) refused a push for good (\(answer.reason)), which is no fault of its device")
            return .refused(reason: answer.reason)
        // The last two remain only if their immediate remedy has failed.
        case .misconfigured, .credentialExpired, .connectionUnfit:
            warn(
                .misconfigured,
                """
                \(name) does not accept us (\(answer.reason)): check \(settings.credentials) and this machine's clock; \
                pushes are kept and tried again
                """)
            return .held(reason: answer.reason, for: Provider.holdWhileMisconfigured)
        case .unreachable:
            warn(
                .unreachable,
                "\(name) cannot be reached (\(answer.reason)): check the network and \(settings.address); pushes are kept"
            )
            return .held(reason: answer.reason, for: Provider.holdWhileUnreachable)
        case .abandoned: return .held(reason: answer.reason, for: Provider.holdWhileCrowded)
        }
    }

    private func wrongToken(_ answer: ProviderAnswer) -> DeviceResult {
        let judgement = suspicion.withLock { suspicion in
            suspicion.noteWrong()
            return (trusts: suspicion.trustsAnswers, isWrong: suspicion.isWrongEnvironment)
        }
        if judgement.trusts { return .tokenDead(reason: answer.reason, since: nil) }
        // Undecided: by the next attempt, other tokens may have been accepted.
        guard judgement.isWrong else { return .failed(reason: answer.reason, retryAfter: nil) }
        warn(
            .tokenWrong,
            """
            \(name) says \(answer.reason) of most tokens, so it is not the tokens that are wrong: check \
            \(settings.environment); no device is retired, and pushes are kept
            """)
        return .held(reason: answer.reason, for: Provider.holdInWrongEnvironment)
    }

    /// Feeds the breaker, and logs when it opens and closes.
    private func note(_ answer: ProviderAnswer, isTrial: Bool) {
        let isSuccess: Bool
        switch answer.consequence {
        case .accepted, .slowDown, .tokenDead, .tokenWrong, .refused: isSuccess = !answer.isLate
        case .retry, .misconfigured, .credentialExpired, .connectionUnfit, .unreachable: isSuccess = false
        case .abandoned: return
        }
        let change = breaker.withLock {
            $0.note(success: isSuccess, isTrial: isTrial, retryAfter: answer.retryAfter, at: now())
        }
        if let change { metrics.note(change) }
        switch change {
        case .opened(let time):
            logger.error("\(name) fails: \(answer.reason); pushes to it wait \(time.components.seconds) s")
        case .closed: logger.notice("\(name) works again")
        case nil: break
        }
    }

    /// Logs each kind of warning at most once a minute, however many pushes it concerns.
    private func warn(_ kind: Consequence, _ message: String) {
        let isTime = lastWarnings.withLock { last in
            if let last = last[kind], ContinuousClock.now - last < .seconds(60) { return false }
            last[kind] = .now
            return true
        }
        if isTime { logger.error("\(message)") }
    }
}
