import Dispatch

/// Runs an actor on its own queue, so that waiting for a socket never blocks a thread of the cooperative pool.
///
/// On Linux, `DispatchSerialQueue` cannot serve as an executor.
///
/// `@unchecked Sendable`: its only state is a constant dispatch queue, and dispatch queues are thread-safe.
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
