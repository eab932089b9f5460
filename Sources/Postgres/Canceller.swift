import CLibPQ
import Dispatch
import Synchronization

/// What libpq needs to cancel, freed with the last reference.
///
/// `@unchecked Sendable`: a `PGcancel` is never changed, and libpq documents `PQcancel` as safe in every thread.
final class CancelHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init?(_ connection: OpaquePointer) {
        guard let cancel = PQgetCancel(connection) else { return nil }
        pointer = cancel
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Asks the server to cancel and waits until it has taken note. Whether it succeeds shows in the statement's result.
    func cancel() {
        let capacity = 256
        var message = [CChar](repeating: 0, count: capacity)
        _ = PQcancel(pointer, &message, Int32(capacity))
    }
}

/// Cancels the running statement, and only that one.
///
/// A cancellation names a connection, not a statement, so one that comes late would hit the next statement, perhaps
/// of somebody else. Therefore statements are numbered, and a statement does not end before a cancellation that is on
/// its way has arrived. `@unchecked Sendable`: the state is behind a lock, and a dispatch queue may be used from every
/// thread.
final class Canceller: @unchecked Sendable {
    private struct State {
        var handle: CancelHandle?
        var statement: UInt64 = 0
        var isRunning = false
        var isRequested = false
    }

    private let state = Mutex(State())
    /// PQcancel opens a connection and waits: not on a thread of the cooperative pool.
    private let queue = DispatchQueue(label: "postgres.cancel")

    /// Sets what cancels; nil once the connection is closed.
    func install(_ handle: CancelHandle?) {
        state.withLock { $0.handle = handle }
    }

    /// Notes that a statement begins, and returns its number.
    func begin() -> UInt64 {
        state.withLock { state in
            state.statement += 1
            state.isRunning = true
            state.isRequested = false
            return state.statement
        }
    }

    /// Notes that the statement has ended.
    ///
    /// - Parameter waiting: Whether to wait for a cancellation on its way: needed if the connection is used again.
    func end(waiting: Bool) {
        let isRequested = state.withLock { state in
            state.isRunning = false
            return state.isRequested
        }
        if isRequested && waiting {
            queue.sync {}
        }
    }

    /// Cancels the running statement, or only the statement with this number; without one running, nothing happens.
    /// Returns at once.
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
