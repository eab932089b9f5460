import CherishCore
import CherishStore
import CherishTestSupport
import Postgres
import Testing

@testable import CherishWorker

@Suite("Retries", .migratedDatabase, .serialized)
struct RetryTests {
    private func alwaysBusy() -> RecordingSender {
        RecordingSender { _, _ in .answers(.retry(error: "busy")) }
    }

    @Test("7.3: a reminder found late, in quiet hours, waits until 08:00 without an attempt, and is then sent")
    func quietHours() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        _ = try await service.store(at: seoul("2027-03-01T21:20")).water(
            plant.reference, WateringRequest(method: .call))
        let counts = try await service.run(at: seoul("2027-03-01T22:30"))
        #expect(counts.enqueued == 1)
        #expect(counts.retrying == 1)
        #expect(try await service.retries() == ["0 2027-03-01T23:00:00Z"])
        #expect(try await service.pushes() == ["review_missing 1"])
        let early = try await service.run(at: seoul("2027-03-02T07:59:59"))
        #expect(early == RoundCounts())
        #expect(await service.sender.sent.isEmpty)
        try await service.run(at: seoul("2027-03-02T08:00"))
        #expect(try await service.pushes() == ["review_missing 1 delivered sent_after_retry"])
        #expect(try await service.retries().isEmpty)
        #expect(await service.sender.sent.count == 1)
    }

    @Test("7.3: quiet hours are checked again before every attempt")
    func quietHoursBetweenAttempts() async throws {
        let service = ServiceUnderTest(sender: alwaysBusy())
        let (_, plant) = try await service.garden()
        _ = try await service.store(at: seoul("2027-03-01T21:25")).water(
            plant.reference, WateringRequest(method: .call))
        try await service.run(at: seoul("2027-03-01T21:59:50"))
        #expect(try await service.retries() == ["1 2027-03-01T13:00:20Z busy"])
        try await service.run(at: seoul("2027-03-01T22:00:20"))
        #expect(try await service.retries() == ["1 2027-03-01T23:00:00Z"])
        #expect(await service.sender.sent.count == 1)
        try await service.run(at: seoul("2027-03-02T08:00"))
        #expect(try await service.retries() == ["2 2027-03-01T23:01:00Z busy"])
    }

    @Test("7.6: a waiting push gets another second look before it is tried again")
    func changedWhileWaiting() async throws {
        let service = ServiceUnderTest(sender: alwaysBusy())
        let (_, plant) = try await service.garden()
        let now = try seoul("2027-03-02T09:00")
        try await service.run(at: now)
        _ = try await service.store(at: now).water(
            plant.reference, WateringRequest(method: .call, declinesReview: true))
        try await service.run(at: now.adding(minutes: 1))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 superseded watered"])
        #expect(try await service.retries().isEmpty)
        #expect(await service.sender.sent.count == 1)
    }

    @Test("a push is tried ten times, with delays that double up to an hour, and is then dead")
    func backoff() async throws {
        let service = ServiceUnderTest(sender: alwaysBusy())
        _ = try await service.garden()
        var now = try seoul("2027-03-02T09:00")
        for (attempt, seconds) in [30, 60, 120, 240, 480, 960, 1920, 3600, 3600].enumerated() {
            let counts = try await service.run(at: now)
            #expect(counts.retrying == 1)
            let next = now.adding(microseconds: Int64(seconds) * 1_000_000)
            #expect(try await service.retries() == ["\(attempt + 1) \(next) busy"])
            let early = try await service.run(at: next.adding(microseconds: -1))
            #expect(early == RoundCounts())
            now = next
        }
        #expect(try await service.pushes() == ["watering_due 2027-03-02"])
        let last = try await service.run(at: now)
        #expect(last.dead == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 dead attempts_exhausted"])
        #expect(try await service.retries().isEmpty)
        // A phone that got some of them anyway shows one.
        #expect(await service.sender.collapseIDs == Array(repeating: "cherish-7-1", count: 10))
        try await service.run(at: now.adding(hours: 2))
        #expect(await service.sender.sent.count == 10)
    }

    @Test("a push that the provider refuses for good is dead at once")
    func refused() async throws {
        let service = ServiceUnderTest(sender: RecordingSender { _, _ in .answers(.refused) })
        _ = try await service.garden()
        let counts = try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(counts.dead == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 dead refused"])
        #expect(try await service.rows(of: "push_retry") == 0)
    }

    @Test("7.7: a push that cannot be sent before its expiry expires")
    func expiresWhileRetrying() async throws {
        let service = ServiceUnderTest(sender: alwaysBusy())
        _ = try await service.garden(alarm: "23:50")
        try await service.run(at: seoul("2027-03-02T23:59:50"))
        #expect(try await service.retries() == ["1 2027-03-02T15:00:00Z busy"])
        let counts = try await service.run(at: seoul("2027-03-03T00:00"))
        #expect(counts.expired == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 expired too_late"])
        #expect(try await service.retries().isEmpty)
        #expect(await service.sender.sent.count == 1)
    }

    @Test("the cursor does not wait for retries; they precede new jobs")
    func retriesBesideNewJobs() async throws {
        let service = ServiceUnderTest(
            sender: RecordingSender { message, attempt in
                .answers(message.collapseID == "cherish-7-1" && attempt == 1 ? .retry(error: "busy") : .delivered)
            })
        let (account, _) = try await service.garden()
        let registered = try seoul("2027-02-23T10:00")
        _ = try await service.friend(of: account, number: 2, alarm: "09:01", at: registered)
        let now = try seoul("2027-03-02T09:00")
        try await service.run(at: now)
        let counts = try await service.run(at: now.adding(minutes: 1))
        #expect(counts.delivered == 2)
        #expect(await service.sender.collapseIDs == ["cherish-7-1", "cherish-7-1", "cherish-7-2"])
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 delivered sent_after_retry", "watering_due 2027-03-02 delivered sent",
            ])
        #expect(
            try await service.texts("SELECT concat_ws(' ', from_seq, to_seq) FROM push_receipt ORDER BY to_seq")
                == ["1 1", "2 2"])
    }

    @Test("a retry due in every round does not delay fresh jobs")
    func freshBesideRetries() async throws {
        let service = ServiceUnderTest(
            sender: RecordingSender { message, _ in
                .answers(message.seq == 1 ? .retry(error: "busy") : .delivered)
            })
        let (account, _) = try await service.garden()
        let registered = try seoul("2027-02-23T10:00")
        _ = try await service.friend(of: account, number: 2, alarm: "09:01", at: registered)
        let now = try seoul("2027-03-02T09:00")
        _ = try await service.run(at: now)
        let later = now.adding(minutes: 1)
        _ = try await service.tick(at: later).schedule()
        let counts = try await service.deliverer(at: later).deliver(
            ServiceUnderTest.lane, first: .retries, shouldStop: { false })
        #expect(counts.retrying == 1)
        #expect(counts.delivered == 1)
    }

    @Test("an error in one lane does not interrupt the others: their sends are recorded, and no lane stays leased")
    func errorInOneLane() async throws {
        let sender = RecordingSender { _, _ in .hangs }
        let service = ServiceUnderTest(sender: sender)
        _ = try await service.garden(lane: Lane(1), email: "a@example.com")
        _ = try await service.garden(lane: Lane(2), email: "b@example.com")
        let now = try seoul("2027-03-02T09:00")
        _ = try await service.tick(at: now).schedule()
        try await breakLaneOne(service)
        let tick = service.tick(at: now)
        let delivering = Task { try await tick.deliver() }
        let isUnderWay = try await eventually {
            let isRefused: Bool = try await service.single("SELECT is_called FROM refusal")
            return await sender.sent.count == 1 && isRefused
        }
        #expect(isUnderWay)
        await sender.release()
        await #expect(throws: PostgresError.self) { _ = try await delivering.value }
        #expect(try await service.texts("SELECT lane::text FROM push_receipt") == ["2"])
        #expect(try await service.count("SELECT count(*) FROM lane_delivery WHERE leased_by IS NOT NULL") == 0)
    }

    @Test("a broken lane does not keep the others from their turn, even without concurrency")
    func brokenLane() async throws {
        let now = try seoul("2027-03-02T09:00")
        let service = try await serviceWithJobs(inLanes: 1...8, at: now)
        try await breakLaneOne(service)
        let tick = LaneRunner(
            scheduler: service.scheduler(at: now), deliverer: service.deliverer(at: now), concurrency: 1)
        await #expect(throws: PostgresError.self) { _ = try await tick.deliver() }
        #expect(try await service.count("SELECT count(*) FROM push_receipt WHERE lane BETWEEN 2 AND 8") == 7)
    }

    @Test("a lane that fails rests while the services visit the others, and does not stop them")
    func restingLane() async throws {
        let now = try seoul("2027-03-02T09:00")
        let service = try await serviceWithJobs(inLanes: 1...3, at: now)
        try await breakLaneOne(service)
        let tick = service.tick(at: now)
        let loop = ServiceLoop(name: "delivery", pulse: Pulse(["delivery"]), logger: .silent)
        let first = try await tick.deliverRound(shouldStop: { false })
        #expect(first.failures.map(\.lane) == [Lane(1)])
        #expect(first.counts.delivered == 2)
        try loop.note(first, since: .now, "delivered")
        let resting = loop.resting.lanes(at: .now - .seconds(1))
        #expect(resting == [Lane(1)])
        let second = try await tick.deliverRound(except: resting, shouldStop: { false })
        #expect(second.failures.isEmpty)
        #expect(try await tick.deliverRound(shouldStop: { false }).failures.map(\.lane) == [Lane(1)])
    }

    @Test("when more lanes fail than are visited at once, the services take it for a global fault and pause")
    func globalFault() async throws {
        let now = try seoul("2027-03-02T09:00")
        let service = try await serviceWithJobs(inLanes: 1...8, at: now)
        try await service.execute("ALTER TABLE lane_delivery ADD CONSTRAINT all_are_broken CHECK (leased_by IS NULL)")
        let tick = LaneRunner(
            scheduler: service.scheduler(at: now), deliverer: service.deliverer(at: now), concurrency: 2)
        let visits = try await tick.deliverRound(shouldStop: { false })
        #expect((3...4).contains(visits.failures.count))
        let loop = ServiceLoop(name: "delivery", pulse: Pulse(["delivery"]), logger: .silent)
        #expect(throws: PostgresError.self) { try loop.note(visits, since: .now, "delivered") }
    }

    /// Adds a garden to each lane and schedules its push.
    private func serviceWithJobs(inLanes lanes: ClosedRange<UInt8>, at now: Instant) async throws -> ServiceUnderTest {
        let service = ServiceUnderTest()
        for lane in lanes { _ = try await service.garden(lane: Lane(lane), email: "\(lane)@example.com") }
        _ = try await service.tick(at: now).schedule()
        return service
    }

    /// Makes the server refuse to lease lane 1, an error unrelated to its jobs. The sequence `refusal` shows that it
    /// did, because rollbacks do not reset sequences.
    private func breakLaneOne(_ service: ServiceUnderTest) async throws {
        try await service.execute("CREATE SEQUENCE refusal")
        try await service.execute(
            """
            ALTER TABLE lane_delivery ADD CONSTRAINT lane_one_is_broken
            CHECK (lane <> 1 OR leased_by IS NULL OR nextval('refusal') = 0)
            """)
    }

    @Test("retries alternate with fresh jobs and come first, so that a stream of jobs does not delay them")
    func turns() async throws {
        let service = ServiceUnderTest(
            sender: RecordingSender { message, attempt in
                .answers(message.seq <= 3 && attempt == 1 ? .retry(error: "busy") : .delivered)
            })
        let (account, plant) = try await service.garden()
        try await service.multiply(plant, by: 2)
        let registered = try seoul("2027-02-23T10:00")
        for number in 2...7 {
            _ = try await service.friend(of: account, number: number, alarm: "09:01", at: registered)
        }
        let now = try seoul("2027-03-02T09:00")
        let before = try await service.tick(at: now, batchSize: 2).run()
        #expect(before.retrying == 3)
        let counts = try await service.tick(at: now.adding(minutes: 1), batchSize: 2).run()
        #expect(counts.delivered == 9)
        let seqs = await service.sender.sent.map(\.seq)
        #expect(seqs == [1, 2, 3, 1, 2, 4, 5, 3, 6, 7, 8, 9])
        let left = try await service.retries()
        #expect(left.isEmpty)
    }
}

@Suite("When to try again")
struct RetryPolicyTests {
    @Test("jitter changes a delay by a fifth at most", arguments: 1...9)
    func jitter(attempts: Int) throws {
        let now = try seoul("2027-03-02T09:00")
        let expiry = now.adding(hours: 15)
        let seconds = min(30 * (1 << (attempts - 1)), 3600)
        for (random, tenths) in [(0.0, 8), (0.5, 10), (1.0, 12)] {
            let result = RetryPolicy(random: { random }).result(attempts: attempts, now: now, expiry, "busy")
            guard case .retry(let retryAt, let counted, let error) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(counted == attempts)
            #expect(error == "busy")
            let expected = now.adding(microseconds: Int64(seconds * tenths) * 100_000)
            // Doubles may be off by a microsecond.
            #expect(abs(retryAt.microsecondsSinceEpoch - expected.microsecondsSinceEpoch) <= 1)
        }
        let policy = RetryPolicy()
        for _ in 1...20 {
            guard case .retry(let retryAt, _, _) = policy.result(attempts: attempts, now: now, expiry, "busy") else {
                Issue.record("no retry")
                continue
            }
            let waited = Double(retryAt.microsecondsSinceEpoch - now.microsecondsSinceEpoch) / 1_000_000
            #expect(waited >= 0.8 * Double(seconds) - 0.001 && waited <= 1.2 * Double(seconds) + 0.001)
        }
        let soon = now.adding(microseconds: 1)
        let atExpiry = policy.result(attempts: attempts, now: now, soon, "busy")
        #expect(atExpiry == .retry(at: soon, attempts: attempts, error: "busy"))
    }

    @Test("the tenth failure is the last", arguments: [10, 11])
    func exhausted(attempts: Int) throws {
        let now = try seoul("2027-03-02T09:00")
        let result = RetryPolicy().result(attempts: attempts, now: now, now.adding(hours: 15), "busy")
        #expect(result == .ended(.dead, .attemptsExhausted))
    }
}
