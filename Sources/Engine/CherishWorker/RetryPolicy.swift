import CherishCore
import CherishStore

/// When to retry a push that a provider did not take: after 30 seconds, then with exponential backoff up to an hour and
/// ±20 % jitter, but never before the time that the provider asked for. The job ends when it expires or after 10 attempts.
public struct RetryPolicy: Sendable {
    static let maximumAttempts = 10
    private let random: @Sendable () -> Double

    /// - Parameter random: returns numbers from 0 to 1; tests pass a predictable one.
    public init(random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
        self.random = random
    }

    /// A number from 0 to 1. Jobs that were sent together share one, so that they are retried together.
    func draw() -> Double { random() }

    /// The result of a failed attempt.
    ///
    /// - Parameters:
    ///   - attempts: how many there were, including this one.
    ///   - retryAfter: the pause that the provider asked for.
    ///   - draw: the jitter, from 0 to 1; nil draws a new number.
    func result(
        attempts: Int, now: Instant, _ expiresAt: Instant, _ error: String, retryAfter: Duration? = nil,
        draw: Double? = nil
    ) -> DeliveryResult {
        guard attempts < RetryPolicy.maximumAttempts else { return .ended(.dead, .attemptsExhausted) }
        let draw = draw ?? random()
        let seconds = min(30 * Double(1 << (attempts - 1)), 3600) * (0.8 + 0.4 * draw)
        let time = max(.seconds(seconds), later(retryAfter ?? .zero, draw))
        return retry(after: time, attempts, now, expiresAt, error)
    }

    /// The result if the provider was not asked, which does not count as an attempt. Jitter spreads the backlog over
    /// time.
    func held(
        attempts: Int, now: Instant, _ expiresAt: Instant, _ error: String, for time: Duration, draw: Double
    ) -> DeliveryResult {
        retry(after: later(time, draw), attempts, now, expiresAt, error)
    }

    /// A retry at the job's expiry gets one more look, which ends it as expired.
    private func retry(
        after time: Duration, _ attempts: Int, _ now: Instant, _ expiresAt: Instant, _ error: String
    ) -> DeliveryResult {
        // A provider may name any number; two days are beyond every expiry.
        let seconds = min(time, .seconds(2 * 86_400)) / .seconds(1)
        let instant = min(now.adding(microseconds: Int64(seconds * 1_000_000)), expiresAt)
        return .retry(at: instant, attempts: attempts, error: error)
    }

    /// Adds jitter of up to 20 %.
    private func later(_ time: Duration, _ draw: Double) -> Duration { time * (1 + 0.2 * draw) }
}
