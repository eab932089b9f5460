import CLibPQ
import Dispatch
import Synchronization

/// Owns the `PGcancel` that cancels statements, and frees it with the last reference.
///
/// `@unchecked Sendable`: a `PGcancel` never changes, and libpq documents `PQcancel` as thread-safe.
final class CancelHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init?(_ connection: OpaquePointer) {
        guard let cancel = PQgetCancel(connection) else { return nil }
        pointer = cancel
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Sends a cancel request and waits until the server has received it. The statement's result shows whether it
    /// worked.
    func cancel() {
        let capacity = 256
        var message = [CChar](repeating: 0, count: capacity)
        _ = PQcancel(pointer, &message, Int32(capacity))
    }
}

/// Cancels the running statement and no other.
///
/// A cancel request names a connection, not a statement, so a late one would hit the next statement, perhaps a
/// different caller's. Statements are therefore numbered, and a statement does not end before a pending cancel request
/// has arrived.
///
/// `@unchecked Sendable`: a lock guards the state, and dispatch queues are thread-safe.
final class Canceller: @unchecked Sendable {
    private struct State {
        var handle: CancelHandle?
        var statement: UInt64 = 0
        var isRunning = false
        var isRequested = false
    }

    private let state = Mutex(State())
    /// `PQcancel` opens a connection and blocks, so it must not run on the cooperative pool.
    private let queue = DispatchQueue(label: "postgres.cancel")

    /// Sets the handle that cancels; nil once the connection is closed.
    func install(_ handle: CancelHandle?) {
        state.withLock { $0.handle = handle }
    }

    /// Marks the start of a statement and returns its number.
    func begin() -> UInt64 {
        state.withLock { state in
            state.statement += 1
            state.isRunning = true
            state.isRequested = false
            return state.statement
        }
    }

    /// Marks the end of the statement.
    ///
    /// - Parameter waiting: Whether to wait for a pending cancel request; required if the connection is used again.
    func end(waiting: Bool) async {
        let isRequested = state.withLock { state in
            state.isRunning = false
            return state.isRequested
        }
        if isRequested && waiting {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        }
    }

    /// Whether the running statement is to be cancelled.
    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Cancels the running statement, or only the statement with this number. Does nothing if none is running. Returns
    /// immediately.
    func cancel(_ statement: UInt64? = nil) {
        let target = state.withLock { state -> UInt64? in
            guard state.isRunning, statement == nil || statement == state.statement else { return nil }
            state.isRequested = true
            return state.statement
        }
        guard let target else { return }
        queue.async {
            self.handle(ifRunning: target)?.cancel()
        }
    }

    private func handle(ifRunning statement: UInt64) -> CancelHandle? {
        state.withLock { state in
            state.isRunning && state.statement == statement ? state.handle : nil
        }
    }
}
