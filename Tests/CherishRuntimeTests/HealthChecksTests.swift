import NIOHTTP1
import Synchronization
import Testing

@testable import CherishRuntime

@Suite("Probes")
struct HealthChecksTests {
    private struct Trouble: Error, CustomStringConvertible {
        let description = "trouble"
    }

    private func checks(_ check: @escaping @Sendable () async throws -> Void) -> HealthChecks {
        HealthChecks(silences: { [:] }, patience: .milliseconds(200), check: check)
    }

    @Test("alive as long as each loop has turned within five minutes")
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

    @Test("ready when the database can be used, else the reason")
    func readiness() async {
        let ready = await checks {}.readiness()
        #expect(ready.status == .ok)
        #expect(ready.body == "ready\n")
        let not = await checks { throw Trouble() }.readiness()
        #expect(not.status == .serviceUnavailable)
        #expect(not.body.contains("trouble"))
    }

    @Test("a database that answers nothing, not even to being cancelled, is not waited for")
    func deadline() async {
        let hanging = checks { _ = await Task.detached { try? await Task.sleep(for: .seconds(600)) }.value }
        let started = ContinuousClock.now
        let answer = await hanging.readiness()
        #expect(ContinuousClock.now - started < .seconds(300))
        #expect(answer.status == .serviceUnavailable)
        #expect(answer.body.hasPrefix("the database did not answer within 0.2 seconds"))
    }

    @Test("many who ask at once cost one look, and who asks later gets a new one")
    func cost() async throws {
        let looks = Looks()
        let counted = checks { looks.note() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = await counted.readiness() } }
        }
        #expect(looks.count == 1)
        try await Task.sleep(for: .milliseconds(1100))
        _ = await counted.readiness()
        #expect(looks.count == 2)
    }
}

/// Counts how often the database was looked at.
private final class Looks: Sendable {
    private let looks = Atomic<Int>(0)

    func note() {
        looks.wrappingAdd(1, ordering: .relaxed)
    }

    var count: Int { looks.load(ordering: .relaxed) }
}
