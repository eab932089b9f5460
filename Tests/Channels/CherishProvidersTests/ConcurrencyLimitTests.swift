import CherishTestSupport
import Synchronization
import Testing

@testable import CherishProviders

@Suite("The concurrency limit", .timeLimit(.minutes(10)))
struct ConcurrencyLimitTests {
    /// How many are inside now, and the maximum so far.
    private final class Room: Sendable {
        private struct State {
            var inside = 0
            var most = 0
            var served: [Int] = []
        }

        private let state = Mutex(State())

        func enter(_ number: Int) {
            state.withLock { state in
                state.inside += 1
                state.most = max(state.most, state.inside)
                state.served.append(number)
            }
        }

        func leave() { state.withLock { $0.inside -= 1 } }

        var most: Int { state.withLock { $0.most } }
        var inside: Int { state.withLock { $0.inside } }
        var served: [Int] { state.withLock { $0.served } }
    }

    @Test("admits as many as its limit and never more", arguments: [1, 2, 7, 64])
    func most(limit: Int) async {
        let room = Room()
        let concurrency = ConcurrencyLimit(limit)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    await concurrency.run {
                        room.enter(number)
                        // The first ones stay until the limit is reached.
                        _ = try? await eventually { room.most >= limit }
                        try? await Task.sleep(for: .milliseconds(1))
                        room.leave()
                    }
                }
            }
        }
        #expect(room.most == limit)
        #expect(room.inside == 0)
        #expect(room.served.sorted() == Array(0..<500))
    }

    @Test("serves 10,000 waiters in order of arrival")
    func order() async {
        let room = Room()
        let concurrency = ConcurrencyLimit(1)
        let executor = SerialTaskExecutor()
        let arrived = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<10_000 {
                group.addTask(executorPreference: executor) {
                    _ = arrived.next()
                    await concurrency.run {
                        room.enter(number)
                        // The first one stays until all others wait.
                        if number == 0 { _ = try? await eventually { arrived.value == 10_000 } }
                        await Task.yield()
                        room.leave()
                    }
                }
            }
        }
        #expect(room.most == 1)
        #expect(room.served == Array(0..<10_000))
    }

    @Test("serves 10,000 from many threads, and has room again afterwards")
    func crowd() async {
        let room = Room()
        let concurrency = ConcurrencyLimit(3)
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...10_000 {
                group.addTask {
                    await concurrency.run {
                        room.enter(number)
                        await Task.yield()
                        room.leave()
                        return number
                    } ?? 0
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 50_005_000)
        #expect(room.most <= 3)
        #expect(room.inside == 0)
        let again = await concurrency.run { 1 }
        #expect(again == 1)
    }

    @Test("admits nobody whose task was cancelled, and keeps no place for them")
    func cancelled() async throws {
        let (concurrency, room) = (ConcurrencyLimit(1), Room())
        @Sendable func stay(_ number: Int) async -> Int? {
            await concurrency.run {
                room.enter(number)
                // Each one inside stays until its task is cancelled, which ends the sleep.
                try? await Task.sleep(for: .seconds(3600))
                return number
            }
        }
        var tasks = [Task { await stay(0) }]
        try await eventually("the first one never came in") { room.inside == 1 }
        tasks += (1..<100).map { number in Task { await stay(number) } }
        for task in tasks.reversed() { task.cancel() }
        var served: [Int] = []
        for task in tasks { if let number = await task.value { served.append(number) } }
        #expect(served == [0])
        let again = await concurrency.run { 1 }
        #expect(again == 1)
    }
}
