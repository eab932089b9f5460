import Foundation
import Synchronization

/// Tells blocking work that nobody waits for it any more.
final class Cancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() {
        flag.store(true, ordering: .relaxed)
    }
}

/// Runs blocking work on a few threads of its own, because a thread of the cooperative pool must never wait for a
/// server. Threads start when there is work and end when there is none.
final class TransferThreads: Sendable {
    private typealias Job = @Sendable () -> Void

    private struct State {
        var waiting: [Job] = []
        var threads = 0
        var underway = 0
    }

    private let mostThreads: Int
    /// More messages than these would only fill the memory.
    private let mostUnderway: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - count: how many transfers run concurrently.
    ///   - mostUnderway: how many messages may wait for a thread or for their next attempt.
    init(_ count: Int, mostUnderway: Int = 1000) {
        mostThreads = max(1, count)
        self.mostUnderway = mostUnderway
    }

    /// Counts a message as underway while the body runs, with all its attempts.
    ///
    /// - Throws: ``MailError/Code/busy`` if there are too many.
    func limited<Value: Sendable>(_ body: () async throws(MailError) -> Value) async throws(MailError) -> Value {
        let isFull = state.withLock { state in
            if state.underway >= mostUnderway { return true }
            state.underway += 1
            return false
        }
        if isFull { throw .busy }
        defer { state.withLock { $0.underway -= 1 } }
        return try await body()
    }

    /// Runs work on one of the threads.
    ///
    /// - Parameter work: ends soon after its argument says that it is cancelled, together with the task.
    func run<Value: Sendable>(_ work: @escaping @Sendable (Cancellation) -> Value) async -> Value {
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add { continuation.resume(returning: work(cancellation)) }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func add(_ job: @escaping Job) {
        let needsThread = state.withLock { state in
            state.waiting.append(job)
            if state.threads == mostThreads { return false }
            state.threads += 1
            return true
        }
        // Not Dispatch, which adds threads only slowly when others block.
        if needsThread { Thread.detachNewThread { self.work() } }
    }

    /// Does what is waiting, then ends the thread.
    private func work() {
        // Writing to a connection that the server has closed would otherwise end the program.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while let job = next() { job() }
    }

    private func next() -> Job? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.threads -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
