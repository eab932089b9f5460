import Testing

@testable import CherishWorker

@Suite("Bell")
struct BellTests {
    private func time(_ body: () async -> Void) async -> Duration {
        let start = ContinuousClock.now
        await body()
        return ContinuousClock.now - start
    }

    @Test("without a ring it waits for its time, again and again")
    func waits() async {
        let bell = Bell()
        for _ in 0..<5 {
            let waited = await time { await bell.wait(atMost: .milliseconds(60)) }
            #expect(waited >= .milliseconds(59))
        }
    }

    @Test("a ring ends the wait; one that came before is remembered, once")
    func rings() async {
        let bell = Bell()
        Task {
            try await Task.sleep(for: .milliseconds(20))
            bell.ring()
        }
        #expect(await time { await bell.wait(atMost: .seconds(600)) } < .seconds(300))
        bell.ring()
        bell.ring()
        #expect(await time { await bell.wait(atMost: .seconds(600)) } < .seconds(300))
        #expect(await time { await bell.wait(atMost: .milliseconds(60)) } >= .milliseconds(59))
    }

    @Test("a cancelled task does not wait, whenever it is cancelled")
    func cancelled() async {
        let waiting = Task { await Bell().wait(atMost: .seconds(600)) }
        try? await Task.sleep(for: .milliseconds(20))
        waiting.cancel()
        #expect(await time { await waiting.value } < .seconds(300))
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            await Bell().wait(atMost: .seconds(600))
        }
        late.cancel()
        #expect(await time { await late.value } < .seconds(300))
    }
}
