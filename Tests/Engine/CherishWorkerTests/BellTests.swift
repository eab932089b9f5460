import CherishTestSupport
import Synchronization
import Testing

@testable import CherishWorker

@Suite("Bell")
struct BellTests {
    private let clock = ManualClock()

    /// A task that waits for the bell for a minute, and whether the wait is over.
    private final class Waiter: Sendable {
        private let isOver = Atomic<Bool>(false)
        private let task: Mutex<Task<Void, Never>?> = Mutex(nil)

        init(_ bell: Bell) {
            let task = Task {
                await bell.wait(atMost: .seconds(60))
                isOver.store(true, ordering: .releasing)
            }
            self.task.withLock { $0 = task }
        }

        var hasWaited: Bool { isOver.load(ordering: .acquiring) }

        func cancel() { task.withLock { $0?.cancel() } }

        func untilOver(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            try await eventually("the wait never ended", sourceLocation: sourceLocation) { hasWaited }
        }
    }

    /// A waiter whose minute has begun.
    private func waiter(_ bell: Bell) async throws -> Waiter {
        let waiter = Waiter(bell)
        try await eventually("nobody waits") { clock.sleeperCount == 1 }
        return waiter
    }

    @Test("without a ring, each wait takes its full time")
    func waits() async throws {
        let bell = Bell(clock: clock)
        for _ in 0..<5 {
            let waiter = try await waiter(bell)
            clock.advance(by: .seconds(59))
            #expect(clock.sleeperCount == 1)
            #expect(!waiter.hasWaited)
            clock.advance(by: .seconds(1))
            try await waiter.untilOver()
        }
    }

    @Test("a ring ends the wait; an earlier one is remembered once")
    func rings() async throws {
        let bell = Bell(clock: clock)
        let first = try await waiter(bell)
        bell.ring()
        try await first.untilOver()
        bell.ring()
        bell.ring()
        await bell.wait(atMost: .seconds(60))
        let last = try await waiter(bell)
        clock.advance(by: .seconds(59))
        #expect(clock.sleeperCount == 1)
        #expect(!last.hasWaited)
        clock.advance(by: .seconds(1))
        try await last.untilOver()
    }

    @Test("a cancelled task does not wait, whenever it is cancelled")
    func cancelled() async throws {
        let waiting = try await waiter(Bell(clock: clock))
        waiting.cancel()
        try await waiting.untilOver()
        let (bell, isCancelled) = (Bell(clock: clock), Gate())
        let late = Task {
            await isCancelled.pass()
            await bell.wait(atMost: .seconds(60))
        }
        late.cancel()
        await isCancelled.open()
        await late.value
    }
}
