import Synchronization

/// Work that must end in time.
///
/// One task watches all that runs, and cancels what is late. A timer for each would cost as much as a short statement.
final class Deadline: Sendable {
    /// How late a deadline may be noticed.
    private static let precision = Duration.milliseconds(100)
    private static let watch = Deadline()

    /// When work must end.
    final class End: Sendable {
        fileprivate let instant: Mutex<ContinuousClock.Instant>
        fileprivate let hasPassed = Atomic(false)

        fileprivate init(after limit: Duration) {
            instant = Mutex(.now + limit)
        }

        /// Gives the work more time.
        ///
        /// - Parameter most: the work never has more than this from now on.
        func postpone(by duration: Duration, most: Duration) {
            instant.withLock { $0 = min($0 + duration, .now + most) }
        }
    }

    private struct Work {
        let end: End
        let cancel: @Sendable () -> Void
    }

    private struct Running {
        var work: [Int: Work] = [:]
        var next = 0
        var isWatched = false
    }

    private let running = Mutex(Running())

    /// Runs the body, and cancels it when the time is over.
    ///
    /// - Throws: `late` if the time was over and the body failed, which a cancelled one does; otherwise what the body throws.
    static func within<Result: Sendable>(
        _ limit: Duration, orThrow late: any Error, _ body: @escaping @Sendable (End) async throws -> Result
    ) async throws -> Result {
        let end = End(after: limit)
        let task = Task { try await body(end) }
        let number = watch.add(Work(end: end, cancel: { task.cancel() }))
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        watch.remove(number)
        if end.hasPassed.load(ordering: .relaxed), case .failure = result { throw late }
        return try result.get()
    }

    private func add(_ work: Work) -> Int {
        let (number, isFirst) = running.withLock { running in
            running.next += 1
            running.work[running.next] = work
            defer { running.isWatched = true }
            return (running.next, !running.isWatched)
        }
        if isFirst { Task.detached { await self.watch() } }
        return number
    }

    private func remove(_ number: Int) {
        running.withLock { $0.work[number] = nil }
    }

    /// Cancels what is late, until nothing runs.
    private func watch() async {
        while true {
            try? await Task.sleep(for: Self.precision)
            let now = ContinuousClock.now
            let late: [Work]? = running.withLock { running in
                if running.work.isEmpty {
                    running.isWatched = false
                    return nil
                }
                return running.work.values.filter { $0.end.instant.withLock { $0 <= now } }
            }
            guard let late else { return }
            for work in late {
                work.end.hasPassed.store(true, ordering: .relaxed)
                work.cancel()
            }
        }
    }
}
