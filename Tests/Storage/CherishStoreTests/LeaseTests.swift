import CherishCore
import CherishPush
import CherishStore
import CherishTestSupport
import Glibc
import Postgres
import Testing

@testable import CherishWorker

@Suite("Leases", .migratedDatabase, .serialized)
struct LeaseTests {
    private static let lane = ServiceUnderTest.lane

    /// Three jobs ready for delivery.
    private func jobs(_ service: ServiceUnderTest) async throws -> Instant {
        let (_, plant) = try await service.garden()
        try await service.multiply(plant, by: 2)
        let now = try seoul("2027-03-02T09:00")
        _ = try await service.tick(at: now).schedule()
        return now
    }

    private func lease(_ log: DeliveryLog, for worker: String) async throws -> Lease {
        let lease = try await log.lease(Self.lane, for: worker)
        return try #require(lease)
    }

    /// Advances the clock of the worker that holds the lane, and expects it to renew its lease.
    private func expectRenewal(_ service: ServiceUnderTest, by clock: ManualClock, after time: Duration) async throws {
        try await eventually("nothing waits for the next renewal") { clock.sleeperCount == 1 }
        let leasedUntil = "SELECT leased_until FROM lane_delivery WHERE lane = $1"
        let before: Instant = try await service.single("\(leasedUntil)", [Self.lane])
        clock.advance(by: time)
        try await eventually("the lease was not renewed") {
            try await service.single("\(leasedUntil)", [Self.lane], as: Instant.self) > before
        }
    }

    @Test("a lane has one worker: a second one can neither lease nor deliver it until it is released")
    func exclusive() async throws {
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let log = service.log(at: now)
        let first = try await lease(log, for: "worker-1")
        #expect(first.fence == 1)
        let refused = try await log.lease(Self.lane, for: "worker-2")
        #expect(refused == nil)
        let work = try await log.lanesWithWork()
        #expect(work.map(\.lane) == [Self.lane])
        #expect(work.map(\.isLeased) == [true])
        let second = service.deliverer(at: now, worker: "worker-2")
        let counts = try await second.deliver(Self.lane, shouldStop: { false })
        #expect(counts == RoundCounts())
        #expect(await service.sender.sent.isEmpty)

        try await log.release(first)
        let delivered = try await second.deliver(Self.lane, shouldStop: { false })
        #expect(delivered.delivered == 3)
        #expect(try await service.texts("SELECT concat_ws(' ', fence, worker) FROM push_receipt") == ["2 worker-2"])
    }

    @Test("a worker asked to stop begins no further batch and releases its lease")
    func stops() async throws {
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let counts = try await service.deliverer(at: now).deliver(Self.lane, shouldStop: { true })
        #expect(counts == RoundCounts())
        let next = try await service.log(at: now).lease(Self.lane, for: "worker-2")
        #expect(next?.fence == 2)
    }

    @Test("an expired lease is taken over, and its old holder can write nothing")
    func outdated() async throws {
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let log = service.log(at: now, leaseDuration: .milliseconds(1))
        let first = try await lease(log, for: "worker-1")
        let (batch, _) = try await log.read(first, limit: 10)
        #expect(batch.count == 3)
        var second: Lease?
        let isTaken = try await eventually {
            second = try await service.log(at: now).lease(Self.lane, for: "worker-2")
            return second != nil
        }
        #expect(isTaken)
        let holder = try #require(second)
        #expect(holder.fence == 2)

        let before = try await service.fingerprint()
        let results: [DeliveryResult] = [
            .ended(.delivered, .sent), .ended(.dead, .refused), .retry(at: now, attempts: 1, error: "busy"),
        ]
        let outdated = zip(batch, results).map { (job: $0, result: $1) }
        await #expect(throws: LeaseLost.self) { try await log.complete(outdated, under: first, at: now) }
        await #expect(throws: LeaseLost.self) { try await log.renew(first) }
        await #expect(throws: LeaseLost.self) { try await log.release(first) }
        #expect(try await service.fingerprint() == before)

        // The new holder is unaffected, and continues with the rest.
        let (again, _) = try await log.read(holder, limit: 2)
        let delivered = again.map { (job: $0, result: DeliveryResult.ended(.delivered, .sent)) }
        let moved = try await log.complete(delivered, under: holder, at: now)
        let (rest, _) = try await log.read(moved, limit: 10)
        #expect(again.map(\.job.seq) == [1, 2])
        #expect(rest.map(\.job.seq) == [3])
    }

    @Test("a released lease cannot be used again")
    func released() async throws {
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let log = service.log(at: now)
        let held = try await lease(log, for: "worker-1")
        let (batch, _) = try await log.read(held, limit: 10)
        try await log.release(held)
        let results = batch.map { (job: $0, result: DeliveryResult.ended(.delivered, .sent)) }
        await #expect(throws: LeaseLost.self) { try await log.complete(results, under: held, at: now) }
        await #expect(throws: LeaseLost.self) { try await log.renew(held) }
        #expect(try await service.rows(of: "push_receipt") == 0)
    }

    @Test("a lease is renewed while a batch is being sent, and released at the end")
    func renewed() async throws {
        let (sender, clock) = (RecordingSender { _, _ in .hangs }, ManualClock())
        let service = ServiceUnderTest(sender: sender)
        let now = try await jobs(service)
        let tick = service.tick(at: now, clock: clock)
        let delivering = Task { try await tick.run() }
        let isSending = try await eventually { await sender.sent.count == 3 }
        #expect(isSending)
        // Longer than the lease lasts without renewal.
        for _ in 1...4 { try await expectRenewal(service, by: clock, after: longWait / 3) }
        let refused = try await service.log(at: now).lease(Self.lane, for: "worker-2")
        #expect(refused == nil)
        await sender.release()
        let counts = try await delivering.value
        #expect(counts.delivered == 3)
        #expect(
            try await service.texts("SELECT concat_ws(' ', from_seq, to_seq, fence) FROM push_receipt") == ["1 3 1"])
        #expect(try await service.count("SELECT count(*) FROM lane_delivery WHERE leased_by IS NOT NULL") == 0)
    }

    @Test("a worker that the database blocks before sending lets its lease run out, and then sends nothing")
    func silentDatabase() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(maximumConnections: 6, devices: sender.senders())
        let (account, _) = try await service.garden()
        _ = try await service.store(at: seoul("2027-02-23T10:00")).addDevice(account, platform: .ios, token: "phone")
        let now = try seoul("2027-03-02T09:00")
        _ = try await service.tick(at: now).schedule()
        let clock = ManualClock()
        let slow = service.deliverer(
            at: now, worker: "worker-1", leaseDuration: .milliseconds(1), clock: clock)
        let next = try await service.pool.withTransaction { connection in
            // The sent pushes are read just before sending.
            try await connection.execute("LOCK TABLE sent_push IN ACCESS EXCLUSIVE MODE")
            let delivery = Task { try await slow.deliver(Self.lane, shouldStop: { false }) }
            let isWaiting = try await eventually { try await service.sessionsWaitingForLocks() == 1 }
            #expect(isWaiting)
            // There is no renewal timer.
            #expect(clock.sleeperCount == 0)
            var lease: Lease?
            let isTaken = try await eventually {
                lease = try await service.log(at: now).lease(Self.lane, for: "worker-2")
                return lease != nil
            }
            #expect(isTaken)
            clock.advance(by: .milliseconds(1))
            return (delivery: delivery, lease: lease)
        }
        #expect(next.lease?.fence == 2)
        #expect(try await next.delivery.value == RoundCounts())
        #expect(await sender.sent.isEmpty)
        #expect(try await service.rows(of: "push_receipt") == 0)
    }

    @Test("a worker with unresponsive connections keeps using the one with which it took the lane")
    func silentNeighbours() async throws {
        let (slow, clock) = (RecordingSender { _, _ in .hangs }, ManualClock())
        let (service, worker) = (ServiceUnderTest(), ServiceUnderTest(maximumConnections: 3))
        let now = try await jobs(service)
        let deliverer = worker.deliverer(at: now, worker: "worker-1", sender: slow, clock: clock)
        let delivery = Task { try await deliverer.deliver(Self.lane, shouldStop: { false }) }
        let isSending = try await eventually { await slow.sent.count == 3 }
        #expect(isSending)
        let sessions = try await worker.pool.withConnection { first in
            try await worker.pool.withConnection { second in
                var sessions: [pid_t] = []
                for connection in [first, second] {
                    let row = try await connection.query("SELECT pg_backend_pid()").first
                    sessions.append(try #require(row).decode(0, as: Int32.self))
                }
                return sessions
            }
        }
        // Stopped sessions look like half-open connections.
        for session in sessions { #expect(kill(session, SIGSTOP) == 0) }
        defer { for session in sessions { kill(session, SIGCONT) } }
        try await expectRenewal(service, by: clock, after: longWait / 3)
        await slow.release()
        let isRecorded = try await eventually { try await service.rows(of: "push_receipt") == 1 }
        for session in sessions { #expect(kill(session, SIGCONT) == 0) }
        #expect(isRecorded)
        #expect(try await delivery.value.delivered == 3)
        #expect(try await service.count("SELECT count(*) FROM lane_delivery WHERE leased_by IS NOT NULL") == 0)
    }

    @Test("a worker whose connection breaks while sending still records what it sent")
    func brokenWhileSending() async throws {
        let slow = RecordingSender { _, _ in .hangs }
        let (service, worker) = (ServiceUnderTest(), ServiceUnderTest())
        let now = try await jobs(service)
        let deliverer = worker.deliverer(at: now, worker: "worker-1", sender: slow)
        let delivery = Task { try await deliverer.deliver(Self.lane, shouldStop: { false }) }
        let isSending = try await eventually { await slow.sent.count == 3 }
        #expect(isSending)
        let ended = try await service.count(
            """
            SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        #expect(ended > 0)
        await slow.release()
        #expect(try await delivery.value.delivered == 3)
        #expect(
            try await service.texts("SELECT concat_ws(' ', from_seq, to_seq, fence) FROM push_receipt") == ["1 3 1"])
    }

    @Test("a worker that loses its lease while sending records nothing; the next one repeats the batch")
    func lostWhileSending() async throws {
        let slow = RecordingSender { _, _ in .hangs }
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let tick = service.tick(at: now, sender: slow, clock: ManualClock())
        let delivering = Task { try await tick.run() }
        let isSending = try await eventually { await slow.sent.count == 3 }
        #expect(isSending)
        let log = service.log(at: now)
        try await service.execute("UPDATE lane_delivery SET leased_until = 'epoch' WHERE lane = 7")
        let lease = try await lease(log, for: "worker-2")
        await slow.release()
        let (batch, _) = try await log.read(lease, limit: 10)
        let results = batch.map { (job: $0, result: DeliveryResult.ended(.delivered, .sent)) }
        _ = try await log.complete(results, under: lease, at: now)
        try await log.release(lease)
        let counts = try await delivering.value
        #expect(counts == RoundCounts())
        #expect(
            try await service.texts("SELECT concat_ws(' ', from_seq, to_seq, fence, worker) FROM push_receipt")
                == ["1 3 2 worker-2"])
        #expect(try await service.count("SELECT count(*) FROM push WHERE outcome = 'delivered'") == 3)
    }

    @Test("a worker dies between sending and recording: the next one repeats the batch with the same collapse ids")
    func dies() async throws {
        let dying = RecordingSender { _, _ in .hangs }
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let tick = service.tick(at: now, worker: "worker-1", sender: dying)
        let delivering = Task { try await tick.run() }
        let isSending = try await eventually { await dying.sent.count == 3 }
        #expect(isSending)
        // A cancelled task no longer reaches the database, as if the worker had died, except that its lease is
        // released.
        delivering.cancel()
        await dying.release()
        await #expect(throws: CancellationError.self) { _ = try await delivering.value }
        #expect(try await service.rows(of: "push_receipt") == 0)

        let counts = try await service.tick(at: now, worker: "worker-2").run()
        #expect(counts.delivered == 3)
        let first = await dying.collapseIDs
        let second = await service.sender.collapseIDs
        #expect(first == ["cherish-7-1", "cherish-7-2", "cherish-7-3"])
        #expect(second == first)
        #expect(
            try await service.texts("SELECT concat_ws(' ', from_seq, to_seq, fence, worker) FROM push_receipt")
                == ["1 3 2 worker-2"])
        #expect(try await service.unaccounted(upTo: now).isEmpty)
    }

    @Test("leases use the database's clock, whatever the engine's now")
    func clock() async throws {
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        let held = try await lease(service.log(at: now), for: "worker-1")
        #expect(held.worker == "worker-1")
        // Ten years later by the engine's now.
        let later = service.log(at: now.adding(hours: 87_600))
        let refused = try await later.lease(Self.lane, for: "worker-2")
        #expect(refused == nil)
        let isNearClock = try await service.single(
            """
            SELECT leased_until BETWEEN clock_timestamp() AND clock_timestamp() + $1 * interval '1 second'
            FROM lane_delivery WHERE lane = 7
            """, [Double(longWait.components.seconds)], as: Bool.self)
        #expect(isNearClock)
    }

    @Test("leases commit asynchronously, receipts synchronously")
    func disk() async throws {
        let service = ServiceUnderTest()
        let now = try await jobs(service)
        // The tests' cluster commits asynchronously; from here on, new sessions of this database do not. A deferred
        // trigger records the setting at each commit.
        try await service.pool.withConnection { connection in
            try await connection.script(
                """
                ALTER DATABASE \(TestDatabase.current.name) SET synchronous_commit = on;
                CREATE TABLE noted (place bigserial, setting text);
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    INSERT INTO noted (setting) VALUES (current_setting('synchronous_commit'));
                    RETURN NULL;
                END
                $$;
                CREATE CONSTRAINT TRIGGER note AFTER UPDATE ON lane_delivery
                    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note();
                """)
        }
        // One connection, so that a leftover setting would show.
        let log = ServiceUnderTest(maximumConnections: 1).log(at: now)
        let held = try await lease(log, for: "worker-1")
        try await log.renew(held)
        let (first, _) = try await log.read(held, limit: 1)
        let delivered = first.map { (job: $0, result: DeliveryResult.ended(.delivered, .sent)) }
        let moved = try await log.complete(delivered, under: held, at: now)
        try await log.release(moved)
        let again = try await lease(log, for: "worker-1")
        let (rest, _) = try await log.read(again, limit: 10)
        let refused = rest.map { (job: $0, result: DeliveryResult.ended(.dead, .refused)) }
        _ = try await log.complete(refused, under: again, at: now, thenRelease: true)
        let settings = try await service.texts("SELECT setting FROM noted ORDER BY place")
        #expect(settings == ["off", "off", "on", "off", "off", "on"])
    }
}
