import Synchronization

/// A clock that stands still until a test advances it. Sleepers wake only then.
public final class ManualClock: Clock {
    /// Time since the clock was created.
    public struct Instant: InstantProtocol {
        let offset: Duration

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// How much later the other one is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        let number: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var lastNumber = 0
        var sleepers: [Sleeper] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .zero }

    /// How many tasks are sleeping on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances the clock and wakes the sleepers whose deadline has come.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let woken = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return woken
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Returns once the clock reaches the deadline; throws if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if deadline <= state.now { return true }
                    state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
                // If the task was cancelled before it slept, the handler below did not find it.
                if Task.isCancelled { wake(number) }
            }
        } onCancel: {
            wake(number)
        }
    }

    /// Ends a cancelled sleep.
    private func wake(_ number: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else { return nil }
            return state.sleepers.remove(at: place)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
