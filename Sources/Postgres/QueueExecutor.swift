import Dispatch

/// Runs an actor on a queue of its own, so that waiting for a socket never holds a thread of the cooperative pool.
///
/// On Linux there is no `DispatchSerialQueue` that could do this itself.
///
/// `@unchecked Sendable`: its only state is a dispatch queue that is never exchanged, and such a queue may be used from
/// every thread.
final class QueueExecutor: SerialExecutor, @unchecked Sendable {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let unownedJob = UnownedJob(job)
        queue.async {
            unownedJob.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
