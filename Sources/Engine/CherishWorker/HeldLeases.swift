import CherishCore
import Synchronization

/// The lanes that this process is delivering, and since when.
final class HeldLeases: Sendable {
    private let beginnings = Mutex<[Lane: ContinuousClock.Instant]>([:])

    func note(_ lane: Lane, at now: ContinuousClock.Instant = .now) {
        beginnings.withLock { $0[lane] = now }
    }

    func forget(_ lane: Lane) {
        beginnings.withLock { $0[lane] = nil }
    }

    /// How long the longest-held lane has been held; zero if none is held.
    func oldestAge(at now: ContinuousClock.Instant = .now) -> Duration {
        beginnings.withLock { $0.values.min() }.map { now - $0 } ?? .zero
    }
}
