import CherishCore
import CherishStore
import CherishTestSupport
import Testing

@Suite("Receipts", .migratedDatabase, .serialized)
struct ReceiptTests {
    private static let lane = ServiceUnderTest.lane
    private static let sent = DeliveryResult.ended(.delivered, .sent)

    /// Three jobs recorded together and two recorded later. Returns the engine's now, which is 00:01 in UTC.
    private func jobs(_ service: ServiceUnderTest) async throws -> Instant {
        let (account, plant) = try await service.garden()
        try await service.multiply(plant, by: 2)
        let registered = try seoul("2027-02-23T10:00")
        for number in 2...3 {
            _ = try await service.friend(of: account, number: number, alarm: "09:01", at: registered)
        }
        for time in ["2027-03-02T09:00", "2027-03-02T09:01"] {
            _ = try await service.scheduler(at: seoul(time)).schedule(Self.lane)
        }
        return try seoul("2027-03-02T09:01")
    }

    private func lease(_ log: DeliveryLog, for worker: String = "worker-1") async throws -> Lease {
        let lease = try await log.lease(Self.lane, for: worker)
        return try #require(lease)
    }

    private func pairs(_ jobs: [DeliveryJob], _ results: [DeliveryResult])
        -> [(job: DeliveryJob, result: DeliveryResult)]
    {
        zip(jobs, results).map { (job: $0, result: $1) }
    }

    /// Everything that deliveries wrote, restricted to rows with the right time of recording: `receipt 1 5 1 worker-1
    /// 00:01`, `outcome 2 dead refused 00:01`, `retry 4 1 00:02 busy`, `cursor 5 worker-1`.
    private func written(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT line FROM (
                SELECT 1, to_seq, concat_ws(' ', 'receipt', from_seq, to_seq, fence, worker,
                    to_char(finished_at AT TIME ZONE 'UTC', 'HH24:MI'))
                FROM push_receipt JOIN push_job AS job USING (lane, recorded_at) WHERE job.seq = to_seq
                UNION ALL
                SELECT 2, seq, concat_ws(' ', 'outcome', seq, outcome, reason,
                    to_char(finished_at AT TIME ZONE 'UTC', 'HH24:MI'))
                FROM push_outcome JOIN push_job USING (lane, recorded_at, seq)
                UNION ALL
                SELECT 3, seq, concat_ws(' ', 'retry', seq, attempts,
                    to_char(retry_at AT TIME ZONE 'UTC', 'HH24:MI'), last_error)
                FROM push_retry JOIN push_job USING (lane, recorded_at, seq)
                UNION ALL
                SELECT 4, cursor_seq, concat_ws(' ', 'cursor', cursor_seq, leased_by)
                FROM lane_delivery JOIN push_job AS job USING (lane)
                WHERE job.recorded_at = cursor_recorded_at AND job.seq = cursor_seq
            ) AS written (place, seq, line) ORDER BY place, seq
            """)
    }

    /// How many transactions wrote the existing rows.
    private func transactions(_ service: ServiceUnderTest) async throws -> Int {
        try await service.count(
            """
            SELECT count(DISTINCT writer) FROM (
                SELECT xmin::text FROM push_receipt UNION ALL SELECT xmin::text FROM push_outcome
                UNION ALL SELECT xmin::text FROM push_retry
                UNION ALL SELECT xmin::text FROM lane_delivery WHERE lane = 7
            ) AS entry (writer)
            """)
    }

    @Test("a mixed batch writes one receipt, the exceptional outcomes, the retries, and the cursor behind it")
    func mixed() async throws {
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let log = service.log(at: now)
        let held = try await lease(log)
        let (batch, _) = try await log.read(held, limit: 10)
        let results: [DeliveryResult] = [
            Self.sent, .ended(.dead, .refused), .ended(.superseded, .watered),
            .retry(at: now.adding(minutes: 1), attempts: 1, error: "busy"), Self.sent,
        ]
        let moved = try await log.complete(pairs(batch, results), under: held, at: now)
        let lines = try await written(service)
        #expect(
            lines == [
                "receipt 1 5 1 worker-1 00:01", "outcome 2 dead refused 00:01", "outcome 3 superseded watered 00:01",
                "retry 4 1 00:02 busy", "cursor 5 worker-1",
            ])
        let writers = try await transactions(service)
        #expect(writers == 1)
        let ends = try await service.texts("SELECT concat_ws(' ', seq, outcome, reason) FROM push ORDER BY seq")
        #expect(ends == ["1 delivered sent", "2 dead refused", "3 superseded watered", "4", "5 delivered sent"])
        // The returned lease is positioned behind the batch.
        let (rest, _) = try await log.read(moved, limit: 10)
        #expect(rest.isEmpty)
        try await log.renew(moved)
    }

    @Test("the last receipt releases the lane in the same transaction; its lease is invalid from then on")
    func givesBack() async throws {
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let log = service.log(at: now)
        let held = try await lease(log)
        let (batch, _) = try await log.read(held, limit: 10)
        let delivered = batch.map { (job: $0, result: Self.sent) }
        let moved = try await log.complete(delivered, under: held, at: now, thenRelease: true)
        let lines = try await written(service)
        #expect(lines == ["receipt 1 5 1 worker-1 00:01", "cursor 5"])
        let writers = try await transactions(service)
        #expect(writers == 1)

        let before = try await service.fingerprint()
        for outdated in [held, moved] {
            await #expect(throws: LeaseLost.self) { try await log.complete(delivered, under: outdated, at: now) }
            await #expect(throws: LeaseLost.self) { try await log.renew(outdated) }
            await #expect(throws: LeaseLost.self) { try await log.release(outdated) }
        }
        let after = try await service.fingerprint()
        #expect(after == before)
        let next = try await lease(log, for: "worker-2")
        #expect(next.fence == 2)
    }

    @Test("nothing is written under an outdated fence, or under another worker's", arguments: [false, true])
    func lost(inCrash: Bool) async throws {
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let log = service.log(at: now)
        let busy = DeliveryResult.retry(at: now, attempts: 1, error: "busy")
        let earlier = try await lease(log, for: "worker-0")
        let (two, _) = try await log.read(earlier, limit: 2)
        _ = try await log.complete(pairs(two, [busy, busy]), under: earlier, at: now, thenRelease: true)

        let first = try await lease(log, for: "worker-1")
        let (fresh, _) = try await log.read(first, limit: 10)
        let (due, _) = try await log.read(first, limit: 10, first: .retries)
        #expect(fresh.map(\.job.seq) == [3, 4, 5])
        #expect(due.map(\.job.seq) == [1, 2])
        // A server crash undoes a lease that was not on disk yet, so the same fence is given out again.
        let change = inCrash ? "fence = 1, leased_by = NULL, leased_until = NULL" : "leased_until = 'epoch'"
        try await service.execute("UPDATE lane_delivery SET \(change) WHERE lane = 7")
        let second = try await lease(log, for: "worker-2")
        #expect(first.fence == 2)
        #expect(second.fence == (inCrash ? 2 : 3))

        let before = try await service.fingerprint()
        let mixed = pairs(fresh, [Self.sent, .ended(.dead, .refused), busy])
        let tried = pairs(due, [Self.sent, .ended(.dead, .refused)])
        let unseen = fresh.map(\.job)
        for isLast in [false, true] {
            await #expect(throws: LeaseLost.self) {
                try await log.complete(mixed, under: first, at: now, thenRelease: isLast)
            }
            await #expect(throws: LeaseLost.self) {
                try await log.complete(tried, under: first, at: now, thenRelease: isLast)
            }
            await #expect(throws: LeaseLost.self) {
                try await log.complete(unseen, under: first, at: now, thenRelease: isLast)
            }
        }
        await #expect(throws: LeaseLost.self) { try await log.renew(first) }
        await #expect(throws: LeaseLost.self) { try await log.release(first) }
        let after = try await service.fingerprint()
        #expect(after == before)

        _ = try await log.complete(mixed, under: second, at: now)
        let lines = try await written(service)
        #expect(
            lines == [
                "receipt 1 2 1 worker-0 00:01", "receipt 3 5 \(second.fence) worker-2 00:01",
                "outcome 4 dead refused 00:01", "retry 1 1 00:01 busy", "retry 2 1 00:01 busy",
                "retry 5 1 00:01 busy", "cursor 5 worker-2",
            ])
    }

    @Test("a batch of retries moves no cursor: ended ones leave their lane's retries, the rest keeps waiting")
    func retries() async throws {
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let log = service.log(at: now)
        let held = try await lease(log)
        let (two, _) = try await log.read(held, limit: 2)
        let busy = DeliveryResult.retry(at: now, attempts: 1, error: "busy")
        let moved = try await log.complete(pairs(two, [busy, busy]), under: held, at: now)
        try await service.execute(
            "INSERT INTO push_retry (lane, seq, recorded_at, attempts, retry_at) VALUES (3, 1, 'epoch', 1, 'epoch')")

        let (due, _) = try await log.read(moved, limit: 10, first: .retries)
        #expect(due.map(\.job.seq) == [1, 2])
        #expect(due.map(\.attempts) == [1, 1])
        let later = now.adding(minutes: 1)
        let same = try await log.complete(
            pairs(due, [Self.sent, .retry(at: later, attempts: 2, error: nil)]), under: moved, at: now)
        let lines = try await written(service)
        #expect(
            lines == [
                "receipt 1 2 1 worker-1 00:01", "outcome 1 delivered sent_after_retry 00:01", "retry 2 2 00:02",
                "cursor 2 worker-1",
            ])
        let (fresh, _) = try await log.read(same, limit: 10)
        #expect(fresh.map(\.job.seq) == [3, 4, 5])

        let atLater = service.log(at: later)
        let (last, _) = try await atLater.read(same, limit: 10, first: .retries)
        #expect(last.map(\.job.seq) == [2])
        _ = try await atLater.complete(
            pairs(last, [.ended(.dead, .attemptsExhausted)]), under: same, at: later, thenRelease: true)
        let linesLater = try await written(service)
        #expect(
            linesLater == [
                "receipt 1 2 1 worker-1 00:01", "outcome 1 delivered sent_after_retry 00:01",
                "outcome 2 dead attempts_exhausted 00:02", "cursor 2",
            ])
        let left = try await service.texts("SELECT concat_ws(' ', lane, seq) FROM push_retry")
        #expect(left == ["3 1"])
    }

    @Test("read without a second look, jobs are delivered as logged, even if watered meanwhile")
    func withoutSecondLook() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.multiply(plant, by: 2)
        let now = try seoul("2027-03-02T09:00")
        _ = try await service.scheduler(at: now).schedule(Self.lane)
        _ = try await service.store(at: now).water(
            plant.reference, WateringRequest(method: .call, declinesReview: true))

        let log = service.log(at: now.adding(minutes: 1))
        let held = try await lease(log)
        let jobs = try await log.readLog(held, limit: 2)
        let moved = try await log.complete(jobs, under: held, at: now.adding(minutes: 1))
        let rest = try await log.readLog(moved, limit: 10)
        _ = try await log.complete(rest, under: moved, at: now.adding(minutes: 1), thenRelease: true)
        #expect(jobs.map(\.seq) == [1, 2])
        #expect(rest.map(\.seq) == [3])
        let plants = try await service.texts("SELECT subject_id::text FROM push_job ORDER BY seq")
        let delivered = (jobs + rest).map { "\($0.occurrence.subjectID)" }
        #expect(delivered == plants)
        #expect(plants.contains("\(plant.id)"))
        let midnight = try seoul("2027-03-03T00:00")
        for job in jobs + rest {
            #expect(job.occurrence.topic == .wateringDue)
            #expect(job.occurrence.at == now)
            #expect(job.expiresAt == midnight)
        }
        let lines = try await written(service)
        #expect(lines == ["receipt 1 2 1 worker-1 00:01", "receipt 3 3 1 worker-1 00:01", "cursor 3"])
        let pushes = try await service.pushes()
        #expect(pushes == Array(repeating: "watering_due 2027-03-02 delivered sent", count: 3))
    }
}
