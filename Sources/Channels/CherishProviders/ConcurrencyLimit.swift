import Synchronization

/// Limits how many tasks run at once. The others queue in order of arrival, until they are cancelled.
final class ConcurrencyLimit: Sendable {
    /// A task that waits for admission.
    ///
    /// `@unchecked Sendable`: the waiting task and its cancellation handler share it, and both access it only while
    /// they hold the lock of `state`.
    private final class Ticket: @unchecked Sendable {
        var continuation: CheckedContinuation<Bool, Never>?
        var isCancelled = false
    }

    private struct State {
        var free: Int
        var waiting: [Ticket] = []
        /// How many of `waiting` were called. Batched removal keeps the queue cheap.
        var called = 0

        /// The next task still waiting.
        mutating func next() -> CheckedContinuation<Bool, Never>? {
            while called < waiting.count {
                let ticket = waiting[called]
                called += 1
                if called == waiting.count || called > 1000 {
                    waiting.removeFirst(called)
                    called = 0
                }
                if let continuation = ticket.continuation {
                    ticket.continuation = nil
                    return continuation
                }
            }
            return nil
        }
    }

    private let state: Mutex<State>

    /// How many more tasks may enter.
    var freeCount: Int { state.withLock { $0.free } }

    /// - Parameter limit: At least 1.
    init(_ limit: Int) {
        precondition(limit >= 1, "nobody would ever be let in")
        state = Mutex(State(free: limit))
    }

    /// Runs the body once there is room; nil if the task was cancelled before.
    func run<Result: Sendable>(_ body: () async -> Result) async -> Result? {
        guard await enter() else { return nil }
        defer { leave() }
        return await body()
    }

    /// Waits for room; false if the task was cancelled before. After true, call ``leave()`` exactly once.
    func enter() async -> Bool {
        let ticket = Ticket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isIn: Bool? = state.withLock { state in
                    if ticket.isCancelled { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    ticket.continuation = continuation
                    state.waiting.append(ticket)
                    return nil
                }
                if let isIn { continuation.resume(returning: isIn) }
            }
        } onCancel: {
            let continuation = state.withLock { _ in
                ticket.isCancelled = true
                defer { ticket.continuation = nil }
                return ticket.continuation
            }
            continuation?.resume(returning: false)
        }
    }

    /// Makes room for the next task.
    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let next = state.next() else {
                state.free += 1
                return nil
            }
            return next
        }
        next?.resume(returning: true)
    }
}
