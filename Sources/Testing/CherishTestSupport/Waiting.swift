import Glibc
import Testing

/// The timeout of tests: far longer than the busiest machine needs, so that it only turns a hang into a failure. It is
/// also the lifetime of anything that must *not* end by itself during a test.
public let longWait = Duration.seconds(600)

/// Polls a condition until it holds; false if it never does.
public func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now.advanced(by: longWait)
    while true {
        if try await condition() { return true }
        if ContinuousClock.now >= end { return false }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Waits until a condition holds, and records an issue if it never does.
///
/// - Parameter comment: the message of that issue; evaluated only then.
public func eventually(
    _ comment: @autoclosure () -> Comment, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    if try await !eventually(condition) { Issue.record(comment(), sourceLocation: sourceLocation) }
}

/// Expects the body to use at most `limit` of its thread's processor time; other programs and tests do not count.
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

/// Blocks all callers until it is opened.
public actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public init() {}

    /// How many tasks wait at the gate.
    public var waitingCount: Int { waiting.count }

    /// Returns once the gate is open, even if the task is cancelled.
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
