import Synchronization

/// Lets in a few at once. The others wait in order of arrival, unless the line is full or they are cancelled.
///
/// The module BoundedWork keeps work that takes long from holding up everything else. Start reading here.
public final class WaitingLine: Sendable {
    private struct State {
        var free: Int
        var lastTicket = 0
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let state: Mutex<State>
    private let limit: Int

    /// - Parameters:
    ///   - places: how many are let in at once, at least 1.
    ///   - limit: how many may wait.
    public init(places: Int, limit: Int) {
        precondition(places >= 1, "nobody would ever be let in")
        state = Mutex(State(free: places))
        self.limit = limit
    }

    /// How many wait.
    public var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs the body once there is room.
    ///
    /// - Throws: ``LineFull`` if the line is full; `CancellationError` if the task is cancelled first.
    public func run<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async throws {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    // Whoever is cancelled from now on finds the ticket below.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.free > 0 {
                        state.free -= 1
                        return .success(())
                    }
                    if state.waiting.count >= limit { return .failure(LineFull()) }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
            }
            cancelled?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Makes room for the next one.
    private func leave() {
        let next = state.withLock { state in
            if state.waiting.isEmpty {
                state.free += 1
                return nil as CheckedContinuation<Void, any Error>?
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume()
    }
}

/// Too many are waiting; try again in a few seconds.
public struct LineFull: Error, Sendable {
    public init() {}
}
