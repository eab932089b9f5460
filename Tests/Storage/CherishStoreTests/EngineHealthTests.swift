import CherishCore
import CherishPush
import CherishStore
import CherishTestSupport
import Testing

@testable import CherishWorker

@Suite("The engine's lag", .migratedDatabase, .serialized)
struct EngineHealthTests {
    private static let lane = ServiceUnderTest.lane

    private func health(_ service: ServiceUnderTest, at now: String) async throws -> EngineHealth {
        try await EngineHealth.read(from: service.pool, time: .fixed(seoul(now)))
    }

    @Test("with nothing planned, or nothing due yet, there is no lag")
    func nothing() async throws {
        let service = ServiceUnderTest()
        let empty = try await health(service, at: "2027-03-02T09:00")
        #expect([empty.schedulingLag, empty.deliveryLag, empty.retryLag] == [.zero, .zero, .zero])
        #expect([empty.undeliveredCount, empty.retryCount, empty.leasedCount, empty.abandonedCount] == [0, 0, 0, 0])
        _ = try await service.garden()
        #expect(try await health(service, at: "2027-03-02T08:59:59") == empty)
    }

    @Test("the oldest occurrence of all lanes counts until it is scheduled, then its job until it is delivered")
    func lags() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden(lane: Lane(3), email: "late@example.com", alarm: "09:10")
        let (_, plant) = try await service.garden()
        try await service.multiply(plant, by: 4)
        let due = try await health(service, at: "2027-03-02T09:30:15")
        // Since 09:00, not since 09:10.
        #expect(due.schedulingLag == .seconds(30 * 60 + 15))
        #expect(due.undeliveredCount == 0)
        #expect(due.deliveryLag == .zero)

        _ = try await service.tick(at: seoul("2027-03-02T09:30:15")).schedule()
        let scheduled = try await health(service, at: "2027-03-02T09:31")
        #expect(scheduled.schedulingLag == .zero)
        #expect(scheduled.undeliveredCount == 6)
        // By the database's clock, which keeps running.
        #expect(scheduled.deliveryLag > .zero)
        #expect(scheduled.deliveryLag < .seconds(600))
        let later = try await health(service, at: "2027-03-02T09:31")
        #expect(later.deliveryLag > scheduled.deliveryLag)

        _ = try await service.tick(at: seoul("2027-03-02T09:31")).deliver()
        let delivered = try await health(service, at: "2027-03-02T09:31")
        #expect(delivered.undeliveredCount == 0)
        #expect(delivered.deliveryLag == .zero)
    }

    @Test("a retry lags from its due time, and does not count as undelivered")
    func retries() async throws {
        let service = ServiceUnderTest(sender: RecordingSender { _, _ in .answers(.retry(error: "busy")) })
        _ = try await service.garden()
        try await service.run(at: seoul("2027-03-02T09:00"))
        // Thirty seconds after the first attempt.
        let waiting = try await health(service, at: "2027-03-02T09:00:29")
        #expect(waiting.retryCount == 1)
        #expect(waiting.retryLag == .zero)
        #expect(waiting.undeliveredCount == 0)
        #expect(try await health(service, at: "2027-03-02T09:02").retryLag == .seconds(90))
    }

    @Test("leases are counted while held, and when they expired without being released")
    func leases() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-02T09:00")
        let log = service.log(at: now)
        let lease = try await log.lease(Self.lane, for: "worker-1")
        #expect(try await health(service, at: "2027-03-02T09:00").leasedCount == 1)
        try await service.execute("UPDATE lane_delivery SET leased_until = now() WHERE lane = $1", [Self.lane])
        let abandoned = try await health(service, at: "2027-03-02T09:00")
        #expect(abandoned.abandonedCount == 1)
        #expect(abandoned.leasedCount == 0)
        let held = try #require(lease)
        try await log.release(held)
        #expect(try await health(service, at: "2027-03-02T09:00").abandonedCount == 0)
    }
}

@Suite("A worker's view of itself")
struct PulseTests {
    private let start = ContinuousClock.now

    @Test("a loop is silent since its last turn; unknown loops are not reported")
    func silence() {
        let pulse = Pulse(["scheduling", "delivery"], at: start)
        pulse.note("delivery", at: start + .seconds(20))
        pulse.note("housekeeping", at: start + .seconds(20))
        #expect(
            pulse.silences(at: start + .seconds(30)) == ["scheduling": .seconds(30), "delivery": .seconds(10)])
    }

    @Test("the age of the oldest lease is that of the lane held longest")
    func leaseAge() {
        let leases = HeldLeases()
        #expect(leases.oldestAge(at: start) == .zero)
        leases.note(Lane(1), at: start)
        leases.note(Lane(2), at: start + .seconds(5))
        #expect(leases.oldestAge(at: start + .seconds(8)) == .seconds(8))
        leases.forget(Lane(1))
        #expect(leases.oldestAge(at: start + .seconds(8)) == .seconds(3))
        leases.forget(Lane(2))
        #expect(leases.oldestAge(at: start + .seconds(8)) == .zero)
    }
}
