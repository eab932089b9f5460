import ServiceLifecycle
import Synchronization

/// Wakes a loop early, such as delivery after scheduling. Only one loop may wait for it.
final class Bell: Sendable {
    private struct State {
        /// Set when the bell rings while nobody waits.
        var isRinging = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    func ring() {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter else {
                state.isRinging = true
                return nil as CheckedContinuation<Void, Never>?
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume()
    }

    /// Returns on a ring, after the given time, on graceful shutdown, or when the task is cancelled.
    func wait(atMost time: Duration) async {
        await cancelWhenGracefulShutdown {
            // Timer and cancellation ring too. A late ring costs one extra look.
            let timer = Task {
                guard (try? await self.clock.sleep(for: time)) != nil else { return }
                self.ring()
            }
            await withTaskCancellationHandler {
                await self.waitForRing()
            } onCancel: {
                self.ring()
            }
            timer.cancel()
        }
    }

    private func waitForRing() async {
        await withCheckedContinuation { continuation in
            let isRinging = state.withLock { state in
                if !state.isRinging { state.waiter = continuation }
                defer { state.isRinging = false }
                return state.isRinging
            }
            if isRinging { continuation.resume() }
        }
    }
}
