import CherishCore
import Synchronization

/// A pause after an error, which doubles with each further one.
struct Backoff: Sendable {
    /// The pause after the first error. Later ones are at most five seconds, or this if that is longer.
    var shortest = Duration.milliseconds(200)

    func pause(afterFailures failures: Int) -> Duration {
        max(shortest, min(shortest * (1 << min(failures - 1, 5)), .seconds(5)))
    }
}

/// Lanes that failed and rest for a while, so that a lane that always fails neither delays the others nor fills the log.
final class RestingLanes: Sendable {
    private struct Rest {
        var failures: Int
        var until: ContinuousClock.Instant
    }

    private let backoff: Backoff
    private let rests = Mutex<[Lane: Rest]>([:])

    init(_ backoff: Backoff) {
        self.backoff = backoff
    }

    /// The lanes that still rest.
    func lanes(at now: ContinuousClock.Instant = .now) -> Set<Lane> {
        rests.withLock { Set($0.lazy.filter { $0.value.until > now }.map(\.key)) }
    }

    /// Lets a lane rest that failed. A failure soon after its last rest is a further one.
    ///
    /// - Returns: how long it rests.
    @discardableResult
    func add(_ lane: Lane, at now: ContinuousClock.Instant = .now) -> Duration {
        rests.withLock { rests in
            rests = rests.filter { now - $0.value.until < .seconds(5) }
            let failures = (rests[lane]?.failures ?? 0) + 1
            let pause = backoff.pause(afterFailures: failures)
            rests[lane] = Rest(failures: failures, until: now + pause)
            return pause
        }
    }
}
