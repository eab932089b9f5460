import Foundation
import Synchronization

/// Runs tasks on one thread of its own, which gives way to all others of the machine.
///
/// Work that computes for seconds belongs here: on the threads that all tasks share, it would hold up every one of them.
public final class LowPriorityExecutor: TaskExecutor {
    private let queue = JobQueue()

    /// - Parameter name: of the thread, at most 15 bytes.
    public init(name: String) {
        let queue = queue
        let thread = Thread {
            // Not by Foundation, which may not know the thread yet, and then names another one or none.
            try? Data(name.utf8).write(to: URL(fileURLWithPath: "/proc/thread-self/comm"))
            // Linux has a priority for each thread.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            while let next = queue.next() { next.job.runSynchronously(on: next.executor) }
        }
        thread.start()
    }

    deinit { queue.close() }

    /// Called by the concurrency runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        queue.add(UnownedJob(job), asUnownedTaskExecutor())
    }
}

/// Jobs in the order in which they came.
private final class JobQueue: Sendable {
    struct Entry: Sendable {
        let job: UnownedJob
        let executor: UnownedTaskExecutor
    }

    private let entries = Mutex<[Entry]>([])
    private let work = DispatchSemaphore(value: 0)

    func add(_ job: UnownedJob, _ executor: UnownedTaskExecutor) {
        entries.withLock { $0.append(Entry(job: job, executor: executor)) }
        work.signal()
    }

    /// Waits for the next job; nil once the queue is closed and empty.
    func next() -> Entry? {
        work.wait()
        return entries.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// Call it once, when nothing is added any more.
    func close() { work.signal() }
}
