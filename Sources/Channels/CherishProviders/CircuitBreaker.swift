/// Stops requests to a failing provider. Pure: the caller passes the time.
///
/// Ten consecutive failures open it, and nothing is sent for five seconds. Then one trial push passes (half-open). It
/// closes the breaker, or opens it again for twice as long, up to five minutes.
struct CircuitBreaker: Sendable {
    enum Permission: Equatable, Sendable {
        case go
        /// The trial push, which tests whether the provider works again.
        case tryIt
        /// Wait for this time.
        case wait(Duration)
    }

    enum Change: Equatable, Sendable {
        case opened(for: Duration)
        case closed
    }

    private enum State {
        case closed(failures: Int)
        case open(until: ContinuousClock.Instant, lasting: Duration)
        /// The trial push is underway. If its outcome never arrives, the next push may try after `until`.
        case halfOpen(until: ContinuousClock.Instant, lasted: Duration)
    }

    static let threshold = 10
    static let shortestPause = Duration.seconds(5)
    static let longestPause = Duration.seconds(300)
    private static let patience = Duration.seconds(60)
    /// How soon other pushes check again during a trial.
    static let glance = Duration.seconds(10)

    private var state = State.closed(failures: 0)

    /// Decides whether a push may be sent now.
    mutating func permission(at now: ContinuousClock.Instant) -> Permission {
        switch state {
        case .closed: return .go
        case .halfOpen(let until, _) where now < until: return .wait(min(until - now, CircuitBreaker.glance))
        case .open(let until, let lasting), .halfOpen(let until, let lasting):
            if now < until { return .wait(until - now) }
            state = .halfOpen(until: now + CircuitBreaker.patience, lasted: lasting)
            return .tryIt
        }
    }

    /// Records the outcome of a push that was let through.
    ///
    /// - Parameters:
    ///   - isTrial: Whether it was the trial push.
    ///   - retryAfter: How long the provider asks us to pause.
    mutating func note(
        success: Bool, isTrial: Bool = false, retryAfter: Duration? = nil, at now: ContinuousClock.Instant
    ) -> Change? {
        switch (state, success) {
        case (.closed(0), true): return nil
        case (.closed, true):
            state = .closed(failures: 0)
            return nil
        case (_, true):
            state = .closed(failures: 0)
            return .closed
        case (.closed(let failures), false):
            if failures + 1 < CircuitBreaker.threshold {
                state = .closed(failures: failures + 1)
                return nil
            }
            return open(for: CircuitBreaker.shortestPause, retryAfter, at: now)
        case (.halfOpen(_, let lasted), false) where isTrial: return open(for: lasted * 2, retryAfter, at: now)
        // A push that was already underway when the breaker opened adds no information.
        case (.open, false), (.halfOpen, false): return nil
        }
    }

    private mutating func open(for pause: Duration, _ retryAfter: Duration?, at now: ContinuousClock.Instant)
        -> Change
    {
        let lasting = min(max(pause, retryAfter ?? .zero), CircuitBreaker.longestPause)
        state = .open(until: now + lasting, lasting: lasting)
        return .opened(for: lasting)
    }
}
