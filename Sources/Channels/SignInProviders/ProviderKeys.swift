import CherishCore
import JWTKit
import Logging

/// A provider's keys, read when they are needed and kept for as long as the provider allows.
///
/// - One request is underway at a time, and everybody who needs its answer waits for it.
/// - An id that is not among the keys may be that of a new one, so it causes a request, at most once a minute.
/// - While the provider is away, its old keys hold for another day. It is asked again every ten seconds.
actor ProviderKeys {
    /// How often tokens with unknown ids may cause requests. Otherwise anybody could send us to the provider.
    static let pauseAfterUnknown = Duration.seconds(60)
    static let pauseAfterFailure = Duration.seconds(10)
    /// How long keys hold beyond their lifetime if the provider is away.
    static let grace = Duration.seconds(86_400)

    private let provider: IdentityProvider
    private let download: KeyDownload
    private let logger: Logger
    /// The time since this was created, as are all times below.
    private let elapsed: @Sendable () -> Duration

    private var keys: KeySet?
    private var freshUntil = Duration.zero
    private var usableUntil = Duration.zero
    private var nextAttempt = Duration.zero
    private var nextForUnknown = Duration.zero
    /// Why the last request failed; nil if it did not.
    private var trouble: KeyTrouble?
    private var reading: Task<Void, Never>?

    init(_ provider: IdentityProvider, _ download: KeyDownload, clock: some Clock<Duration>, logger: Logger) {
        (self.provider, self.download, self.logger) = (provider, download, logger)
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// The key with an id.
    ///
    /// - Throws: ``SignInProviderError/invalidToken(_:)`` if the provider has none,
    ///   ``SignInProviderError/providerAway(_:_:)`` if it cannot be asked.
    func key(_ id: String) async throws(SignInProviderError) -> any JWTAlgorithm {
        let now = elapsed()
        if now >= freshUntil || keys?[id] == nil {
            if reading == nil, mayAsk(at: now) { reading = Task { await ask() } }
            await reading?.value
        }
        if elapsed() < usableUntil, let key = keys?[id] { return key }
        if let trouble { throw .providerAway(provider, trouble) }
        throw .invalidToken(.keyUnknown)
    }

    /// Whether old keys may be renewed, or fresh ones compared for an unknown id, which this counts.
    private func mayAsk(at now: Duration) -> Bool {
        if now >= freshUntil { return now >= nextAttempt }
        guard now >= nextForUnknown else { return false }
        nextForUnknown = now + ProviderKeys.pauseAfterUnknown
        return true
    }

    private func ask() async {
        let answer = await download.answer()
        reading = nil
        let now = elapsed()
        switch answer {
        case .success(let answer):
            (keys, trouble) = (answer.keys, nil)
            freshUntil = now + answer.lifetime
            usableUntil = freshUntil + ProviderKeys.grace
        case .failure(let failure):
            trouble = failure
            nextAttempt = now + ProviderKeys.pauseAfterFailure
            logger.warning(
                "the keys of a sign-in provider could not be read",
                metadata: ["provider": "\(provider.rawValue)", "reason": "\(failure)"])
        }
    }
}
