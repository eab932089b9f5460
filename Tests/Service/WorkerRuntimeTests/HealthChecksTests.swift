import CherishTestSupport
import HTTPTypes
import Synchronization
import Testing

@testable import WorkerRuntime

@Suite("Probes")
struct HealthChecksTests {
    private struct Trouble: Error, CustomStringConvertible {
        let description = "trouble"
    }

    /// Health checks whose clock stands still unless a test advances it.
    private func checks(
        patience: Duration = longWait, clock: TestClock = TestClock(),
        _ check: @escaping @Sendable () async throws -> Void
    ) -> HealthChecks {
        HealthChecks(silences: { [:] }, patience: patience, now: { clock.now }, check: check)
    }

    @Test("alive if each loop turned within five minutes")
    func liveness() {
        func answer(_ seconds: [String: Int]) -> MonitoringAnswer {
            HealthChecks(silences: { seconds.mapValues { Duration.seconds($0) } }, check: {}).liveness
        }
        let alive = answer(["delivery": 299, "scheduling": 0])
        #expect(alive.status == .ok)
        #expect(alive.body == "alive\n")
        let silent = answer(["delivery": 301, "scheduling": 4000, "other": 10])
        #expect(silent.status == .serviceUnavailable)
        #expect(silent.body == "delivery has not turned for 301 s; scheduling has not turned for 4000 s\n")
    }

    @Test("ready if the database is usable, and otherwise the reason")
    func readiness() async {
        let ready = await checks {}.readiness()
        #expect(ready.status == .ok)
        #expect(ready.body == "ready\n")
        let not = await checks { throw Trouble() }.readiness()
        #expect(not.status == .serviceUnavailable)
        #expect(not.body.contains("trouble"))
    }

    @Test("a database that does not even answer a cancellation is not waited for")
    func deadline() async {
        let hanging = checks(patience: .milliseconds(200)) {
            _ = await Task.detached { try? await Task.sleep(for: longWait) }.value
        }
        let answer = await hanging.readiness()
        #expect(answer.status == .serviceUnavailable)
        #expect(answer.body.hasPrefix("the database did not answer within 0.2 seconds"))
    }

    @Test("concurrent probes share one check, and later ones make a new one")
    func cost() async throws {
        let (looks, clock) = (Looks(), TestClock())
        let counted = checks(clock: clock) { looks.note() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = await counted.readiness() } }
        }
        #expect(looks.count == 1)
        clock.advance(by: .milliseconds(999))
        _ = await counted.readiness()
        #expect(looks.count == 1)
        clock.advance(by: .milliseconds(1))
        _ = await counted.readiness()
        #expect(looks.count == 2)
    }
}

/// Counts the checks of the database.
private final class Looks: Sendable {
    private let looks = Atomic<Int>(0)

    func note() {
        looks.wrappingAdd(1, ordering: .relaxed)
    }

    var count: Int { looks.load(ordering: .relaxed) }
}

/// A clock that tests advance.
private final class TestClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
