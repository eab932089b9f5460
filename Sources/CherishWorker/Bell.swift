import ServiceLifecycle
import Synchronization

/// Wakes a loop before its time, such as delivery when something was scheduled. One loop waits for it.
final class Bell: Sendable {
    private struct State {
        /// A ring is remembered while nobody listens.
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

    /// Returns when it rings, after the time, when the service is to stop, or when the task is cancelled.
    func wait(atMost time: Duration) async {
        await cancelWhenGracefulShutdown {
            // Time and cancellation ring as well. Too late, they make the loop look once more than it must.
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
