import CherishCore
import Synchronization

/// The lanes that this process delivers at the moment, and since when.
final class HeldLeases: Sendable {
    private let beginnings = Mutex<[Lane: ContinuousClock.Instant]>([:])

    func note(_ lane: Lane, at now: ContinuousClock.Instant = .now) {
        beginnings.withLock { $0[lane] = now }
    }

    func forget(_ lane: Lane) {
        beginnings.withLock { $0[lane] = nil }
    }

    /// For how long the lane has been held that is held longest; zero when none is.
    func oldestAge(at now: ContinuousClock.Instant = .now) -> Duration {
        beginnings.withLock { $0.values.min() }.map { now - $0 } ?? .zero
    }
}
