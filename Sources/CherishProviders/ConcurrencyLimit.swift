import Synchronization

/// Lets so many in at once; the others wait in the order they came.
final class ConcurrencyLimit: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// How many of `waiting` were let in; they are dropped together, now and then.
        var served = 0
    }

    private let state: Mutex<State>

    /// - Parameter limit: at least 1.
    init(_ limit: Int) {
        precondition(limit >= 1, "nobody would ever be let in")
        state = Mutex(State(free: limit))
    }

    /// Runs the body once there is room.
    func run<Result: Sendable>(_ body: () async -> Result) async -> Result {
        await enter()
        defer { leave() }
        return await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.served < state.waiting.count else {
                state.free += 1
                return nil
            }
            let next = state.waiting[state.served]
            state.served += 1
            if state.served == state.waiting.count || state.served > 1000 {
                state.waiting.removeFirst(state.served)
                state.served = 0
            }
            return next
        }
        next?.resume()
    }
}
