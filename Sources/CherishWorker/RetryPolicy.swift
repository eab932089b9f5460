import CherishCore
import CherishStore

/// When a push that a provider did not take is tried again: after 30 seconds, then twice as long each time up to an hour,
/// each a little shorter or longer by chance, but not before the provider said; until the job expires or 10 attempts were
/// made.
public struct RetryPolicy: Sendable {
    static let maximumAttempts = 10
    private let random: @Sendable () -> Double

    /// - Parameter random: gives numbers from 0 to 1; handed in, so that tests can make them predictable.
    public init(random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }) {
        self.random = random
    }

    /// A number from 0 to 1. Jobs that go out together get the same, so that they come back together.
    func draw() -> Double { random() }

    /// After an attempt that failed.
    ///
    /// - Parameters:
    ///   - attempts: how many there were, this one included.
    ///   - retryAfter: what the provider asked for.
    ///   - draw: the chance; nil for one of its own.
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

    /// Without an attempt: the provider could not be asked. What piled up comes back over a while, not at once.
    func held(
        attempts: Int, now: Instant, _ expiresAt: Instant, _ error: String, for time: Duration, draw: Double
    ) -> DeliveryResult {
        retry(after: later(time, draw), attempts, now, expiresAt, error)
    }

    /// At its expiry it is looked at once more, and ends as expired.
    private func retry(
        after time: Duration, _ attempts: Int, _ now: Instant, _ expiresAt: Instant, _ error: String
    ) -> DeliveryResult {
        // A provider may name any number; what is longer than two days is past every expiry.
        let seconds = min(time, .seconds(2 * 86_400)) / .seconds(1)
        let instant = min(now.adding(microseconds: Int64(seconds * 1_000_000)), expiresAt)
        return .retry(at: instant, attempts: attempts, error: error)
    }

    /// Up to a fifth later.
    private func later(_ time: Duration, _ draw: Double) -> Duration { time * (1 + 0.2 * draw) }
}
