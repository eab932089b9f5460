import Glibc
import Testing

/// How long tests wait for what must come: far longer than the busiest machine needs, so that it only turns a hang into a
/// failure. Where something must *not* end by itself while a test looks at it, this is how long it lasts at least.
public let longWait = Duration.seconds(600)

/// Asks again and again until the answer is yes; no if it never is.
public func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now.advanced(by: longWait)
    while true {
        if try await condition() { return true }
        if ContinuousClock.now >= end { return false }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Waits until something is so, and records an issue if it never is.
///
/// - Parameter comment: what is wrong then; made when it is.
public func eventually(
    _ comment: @autoclosure () -> Comment, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    if try await !eventually(condition) { Issue.record(comment(), sourceLocation: sourceLocation) }
}

/// Expects that a body takes no more processor time than this: other programs and other tests do not add to it.
public func within(
    processorTime limit: Duration, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try body()
    #expect(now() - start <= limit, sourceLocation: sourceLocation)
}

/// Lets nobody through until it is opened, and then everybody.
public actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public init() {}

    /// How many wait before it.
    public var waitingCount: Int { waiting.count }

    /// Returns once the gate is open, whether the task is cancelled or not.
    public func pass() async {
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    /// Opens the gate for good.
    public func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
