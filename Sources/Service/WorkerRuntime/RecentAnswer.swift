import Synchronization

/// Caches an answer briefly, so that concurrent scrapers and probes cost the database only one query.
final class RecentAnswer<Answer: Sendable>: Sendable {
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let ask: @Sendable () async -> Answer
    private let last = Mutex<(answer: Task<Answer, Never>, askedAt: ContinuousClock.Instant)?>(nil)

    /// - Parameter ask: must finish on its own; it is never cancelled.
    init(
        lifetime: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ ask: @escaping @Sendable () async -> Answer
    ) {
        self.lifetime = lifetime
        self.now = now
        self.ask = ask
    }

    func get() async -> Answer {
        let answer = last.withLock { last -> Task<Answer, Never> in
            let now = now()
            if let last, now - last.askedAt < lifetime { return last.answer }
            let answer = Task { [ask] in await ask() }
            last = (answer, now)
            return answer
        }
        return await answer.value
    }
}

/// Returns the body's value, or nil after the deadline. The body is then cancelled but not awaited: a wait on a dead
/// network ignores cancellation.
func withDeadline<Value: Sendable>(
    _ deadline: Duration, _ body: @escaping @Sendable () async -> Value
) async -> Value? {
    let (values, continuation) = AsyncStream.makeStream(of: Value.self)
    let work = Task {
        continuation.yield(await body())
        continuation.finish()
    }
    let timer = Task {
        try? await Task.sleep(for: deadline)
        continuation.finish()
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    var iterator = values.makeAsyncIterator()
    return await iterator.next()
}
