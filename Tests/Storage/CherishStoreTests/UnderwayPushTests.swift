import CherishCore
import CherishPush
import CherishStore
import CherishTestSupport
import Postgres
import Testing

@testable import CherishWorker

private let slowHook = "https://slow.example.com/hook"
private let quickHook = "https://quick.example.com/hook"

/// Phones and webhooks that answer at once, except for a slow one that answers on request.
private actor GatedSender: DeviceSender {
    /// Token, collapse id and title of each push, in order of arrival.
    private(set) var sent: [String] = []
    private var answer: DeviceResult?
    private var waiting: [CheckedContinuation<DeviceResult, Never>] = []

    func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        sent.append("\(device.token) \(push.collapseID) \(push.text.title)")
        guard device.token == slowHook else { return .accepted }
        if let answer { return answer }
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// Sets the slow one's answer to all its pushes, past and future.
    func answer(_ result: DeviceResult) {
        answer = result
        for continuation in waiting { continuation.resume(returning: result) }
        waiting = []
    }

    /// How often the slow one was asked.
    var slowCount: Int { sent.count { $0.hasPrefix(slowHook) } }

    nonisolated func senders(
        dailyCap: Int = DeviceSenders.standardDailyCap, patience: Duration = .seconds(60)
    ) -> DeviceSenders {
        DeviceSenders(
            [.ios: self, .webhook: self], dailyCap: dailyCap, patience: patience, waitsForWebhooks: false)
    }
}

/// A worker's deliverer, and the lane runner that drives it.
private struct Worker {
    let deliverer: Deliverer
    let tick: LaneRunner

    init(
        _ service: ServiceUnderTest, at now: Instant, name: String = "worker-1", batchSize: Int = 1000,
        mostUnderway: Int = 100
    ) {
        guard let devices = service.devices else { preconditionFailure("the service has no devices") }
        deliverer = Deliverer(
            log: service.log(at: now), destination: .devices(devices), retryPolicy: RetryPolicy(random: { 0.5 }),
            worker: name, batchSizes: batchSize...batchSize, mostUnderway: mostUnderway, logger: .silent)
        tick = LaneRunner(scheduler: service.scheduler(at: now), deliverer: deliverer)
    }

    /// Schedules, and delivers what needs no answer from webhooks.
    @discardableResult
    func begin() async throws -> RoundCounts {
        _ = try await tick.schedule()
        return try await tick.deliver()
    }

    /// Delivers until everything underway is answered and settled.
    func settle() async throws -> Bool {
        try await eventually {
            _ = try await tick.deliver()
            return deliverer.underway.isEmpty
        }
    }
}

extension ServiceUnderTest {
    fileprivate func hook(
        _ token: String, _ platform: Device.Platform = .webhook, of account: Account
    ) async throws {
        _ = try await store(at: seoul("2027-02-23T10:00")).addDevice(account, platform: platform, token: token)
    }

    /// An account with one device and a plant due on 2 March 2027 at 09:00.
    @discardableResult
    fileprivate func hooked(_ token: String, lane: Lane = ServiceUnderTest.lane, email: String = "minji@example.com")
        async throws -> Account
    {
        let (account, _) = try await garden(lane: lane, email: email)
        try await hook(token, token.hasPrefix("https") ? .webhook : .ios, of: account)
        return account
    }

    /// The providers' answers, such as `1 phone accepted accepted 1`.
    fileprivate func said() async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', asked.seq, device.token, asked.outcome, asked.reason, asked.attempts)
            FROM push_device_outcome AS asked
            JOIN device ON device.lane = asked.lane AND device.id = asked.device_id
            ORDER BY asked.lane, asked.seq, device.token COLLATE "C"
            """)
    }
}

@Suite("Webhooks that do not answer", .migratedDatabase, .serialized)
struct UnderwayPushTests {
    private func alarm() throws -> Instant { try seoul("2027-03-02T09:00") }

    /// The retry time of a push underway: the senders' patience and a lease after the alarm.
    private let isUnderway = "0 2027-03-02T00:11:00Z underway"

    @Test("delay neither their lane nor another one; once they answer, their push counts as delivered, sent once")
    func others() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        try await service.hooked(slowHook, email: "slow@example.com")
        try await service.hooked("phone", email: "phone@example.com")
        try await service.hooked(quickHook, lane: Lane(8), email: "quick@example.com")
        let worker = Worker(service, at: try alarm())
        try await worker.begin()
        let areOthersDone = try await eventually {
            _ = try await worker.tick.deliver()
            return try await service.pushes().count { $0.hasSuffix("delivered sent") } == 2
        }
        #expect(areOthersDone)
        #expect(try await service.retries() == [isUnderway])
        #expect(worker.deliverer.underway.count == 1)
        #expect(try await service.count("SELECT count(*) FROM lane_delivery WHERE leased_by IS NOT NULL") == 0)

        await sender.answer(.accepted)
        #expect(try await worker.settle())
        #expect(try await service.pushes() == Array(repeating: "watering_due 2027-03-02 delivered sent", count: 3))
        #expect(try await service.retries().isEmpty)
        #expect(await sender.slowCount == 1)
        #expect(try await service.said().count { $0.hasSuffix("accepted accepted 1") } == 3)
        #expect(try await service.rows(of: "sent_push") == 3)
        #expect(try await service.unaccounted(upTo: alarm()).isEmpty)
    }

    @Test(
        "end like any other push with that answer",
        arguments: [
            (.failed(reason: "503", retryAfter: nil), "", "1 2027-03-02T00:00:30Z 503", "failed 503 1"),
            (.held(reason: "busy", for: .seconds(60)), "", "0 2027-03-02T00:01:06Z busy", nil),
            (.refused(reason: "400"), " dead refused", nil, "refused 400 1"),
            (.tokenDead(reason: "410", since: nil), " dead token_dead", nil, "token_dead 410 1"),
        ] as [(DeviceResult, String, String?, String?)])
    func answers(answer: DeviceResult, outcome: String, retry: String?, said: String?) async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        try await service.hooked(slowHook)
        let worker = Worker(service, at: try alarm())
        let counts = try await worker.begin()
        #expect(counts == RoundCounts())
        #expect(try await service.retries() == [isUnderway])
        #expect(try await service.said().isEmpty)
        await sender.answer(answer)
        #expect(try await worker.settle())
        #expect(try await service.pushes() == ["watering_due 2027-03-02\(outcome)"])
        #expect(try await service.retries() == [retry].compactMap { $0 })
        #expect(try await service.said() == [said].compactMap { $0 }.map { "1 \(slowHook) \($0)" })
        #expect(try await service.rows(of: "sent_push") == 0)
        let isRetired = if case .tokenDead = answer { 1 } else { 0 }
        #expect(try await service.count("SELECT count(*) FROM device WHERE retired_at IS NOT NULL") == isRetired)
        #expect(try await service.unaccounted(upTo: alarm()).isEmpty)
    }

    @Test("are retried after a failure, and then recorded as sent after a retry")
    func triedAgain() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        try await service.hooked(slowHook)
        let worker = Worker(service, at: try alarm())
        try await worker.begin()
        await sender.answer(.failed(reason: "503", retryAfter: nil))
        #expect(try await worker.settle())
        await sender.answer(.accepted)
        try await service.run(at: seoul("2027-03-02T09:00:30"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent_after_retry"])
        #expect(try await service.said() == ["1 \(slowHook) accepted accepted 2"])
        #expect(Set(await sender.sent).count == 1)
    }

    @Test("do not keep a push open that a phone accepted; their later answers are recorded", arguments: [true, false])
    func beside(accepts: Bool) async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.hooked(slowHook)
        try await service.hook("phone", .ios, of: account)
        let worker = Worker(service, at: try alarm())
        let counts = try await worker.begin()
        #expect(counts.delivered == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
        #expect(try await service.retries().isEmpty)
        #expect(try await service.said() == ["1 phone accepted accepted 1"])
        await sender.answer(accepts ? .accepted : .tokenDead(reason: "410", since: nil))
        #expect(try await worker.settle())
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
        let late = accepts ? "accepted accepted" : "token_dead 410"
        #expect(try await service.said() == ["1 \(slowHook) \(late) 1", "1 phone accepted accepted 1"])
        #expect(try await service.rows(of: "sent_push") == 1)
        #expect(
            try await service.count("SELECT count(*) FROM device WHERE retired_at IS NOT NULL") == (accepts ? 0 : 1))
    }

    @Test(
        "are awaited by a tick, which counts their outcomes, and by a stopping worker", arguments: [true, false])
    func waitedFor(isTick: Bool) async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        try await service.hooked(slowHook)
        let worker = Worker(service, at: try alarm())
        if !isTick { try await worker.begin() }
        let waiting = Task {
            if isTick { return try await worker.tick.run() }
            await worker.tick.finish()
            return RoundCounts()
        }
        let isAsked = try await eventually { await sender.slowCount == 1 }
        #expect(isAsked)
        await sender.answer(.accepted)
        let counts = try await waiting.value
        #expect(counts.delivered == (isTick ? 1 : 0))
        #expect(counts.retrying == 0)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
        #expect(worker.deliverer.underway.isEmpty)
        #expect(await sender.slowCount == 1)
    }

    @Test("are given up when patience ends, which is not an attempt")
    func patience() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders(patience: .milliseconds(200)))
        try await service.hooked(slowHook)
        let counts = try await Worker(service, at: try alarm()).tick.run()
        #expect(counts.retrying == 1)
        #expect(try await service.retries() == ["0 2027-03-02T00:00:05Z no answer yet"])
        await sender.answer(.accepted)
    }

    @Test("wake the delivery loop when they answer")
    func bell() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        try await service.hooked(slowHook)
        let worker = Worker(service, at: try alarm())
        try await worker.begin()
        #expect(worker.deliverer.underway.lanesToSettle.isEmpty)
        await sender.answer(.accepted)
        await worker.deliverer.bell.wait(atMost: .seconds(60))
        #expect(worker.deliverer.underway.lanesToSettle == [ServiceUnderTest.lane])
        #expect(try await worker.settle())
    }

    // MARK: - Other workers

    @Test("of a dead worker are sent again by another, and the dead worker's answers change nothing")
    func dies() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        try await service.hooked(slowHook)
        let dying = Worker(service, at: try alarm())
        try await dying.begin()
        #expect(try await service.retries() == [isUnderway])
        // Nobody sends it again while its worker may still get the answer.
        let early = Worker(service, at: try seoul("2027-03-02T09:10:59"), name: "worker-2")
        #expect(try await early.begin() == RoundCounts())
        #expect(await sender.slowCount == 1)

        let other = Worker(service, at: try seoul("2027-03-02T09:11"), name: "worker-2")
        try await other.begin()
        let isSentAgain = try await eventually { await sender.slowCount == 2 }
        #expect(isSentAgain)
        #expect(Set(await sender.sent).count == 1)
        await sender.answer(.accepted)
        #expect(try await other.settle())
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent_after_retry"])
        #expect(try await dying.settle())
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent_after_retry"])
        #expect(try await service.said() == ["1 \(slowHook) accepted accepted 1"])
        #expect(try await service.rows(of: "push_receipt") == 1)
    }

    @Test("of a worker that stalled: its failures do not overrule another worker's")
    func stoodStill() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        try await service.hooked(slowHook)
        let worker = Worker(service, at: try alarm())
        try await worker.begin()
        try await service.execute("UPDATE push_retry SET retry_at = '2027-03-02T00:07:00Z', attempts = 3")
        await sender.answer(.failed(reason: "503", retryAfter: nil))
        #expect(try await worker.settle())
        #expect(try await service.retries() == ["3 2027-03-02T00:07:00Z underway"])
        #expect(try await service.said().isEmpty)
    }

    /// Makes the server refuse inserts into a table.
    private func refuse(_ table: String, state: String, _ service: ServiceUnderTest) async throws {
        try await service.execute(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '\(state)'; END $$
            """)
        try await service.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON \(table) FOR EACH STATEMENT EXECUTE FUNCTION refuse()")
    }

    @Test("of a batch that cannot be recorded are joined by its jobs, without sending twice, and the lane continues")
    func unrecorded() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.hooked(slowHook)
        try await service.hook("phone", .ios, of: account)
        let worker = Worker(service, at: try alarm())
        // As on a full disk.
        try await refuse("push_device_outcome", state: "53100", service)
        await #expect(throws: PostgresError.self) { try await worker.begin() }
        #expect(try await service.retries().isEmpty)
        try await service.execute("DROP TRIGGER refuse ON push_device_outcome")

        try await worker.begin()
        #expect(try await service.retries() == [isUnderway])
        await sender.answer(.accepted)
        #expect(try await worker.settle())
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
        #expect(await sender.sent.count == 2)
        #expect(try await service.said() == ["1 \(slowHook) accepted accepted 1", "1 phone accepted accepted 1"])
    }

    @Test("whose answers the server refuses are sent again when due, and do not block their lane")
    func unsettled() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        try await service.hooked(slowHook)
        let worker = Worker(service, at: try alarm())
        try await worker.begin()
        try await refuse("push_device_outcome", state: "21000", service)
        await sender.answer(.accepted)
        let isAnswered = try await eventually { !worker.deliverer.underway.lanesToSettle.isEmpty }
        #expect(isAnswered)
        await #expect(throws: PostgresError.self) { _ = try await worker.tick.deliver() }
        #expect(try await worker.tick.deliver() == RoundCounts())
        #expect(try await service.retries() == [isUnderway])

        try await service.execute("DROP TRIGGER refuse ON push_device_outcome")
        let later = Worker(service, at: try seoul("2027-03-02T09:11"))
        try await later.begin()
        #expect(try await later.settle())
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent_after_retry"])
    }

    @Test("are settled later if another worker holds the lane")
    func leased() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        try await service.hooked(slowHook)
        let worker = Worker(service, at: try alarm())
        try await worker.begin()
        let log = service.log(at: try alarm())
        let leased = try await log.lease(ServiceUnderTest.lane, for: "worker-2")
        let lease = try #require(leased)
        await sender.answer(.accepted)
        let isAnswered = try await eventually { !worker.deliverer.underway.lanesToSettle.isEmpty }
        #expect(isAnswered)
        #expect(try await worker.tick.deliver() == RoundCounts())
        #expect(worker.deliverer.underway.count == 1)
        #expect(try await service.retries() == [isUnderway])
        try await log.release(lease)
        #expect(try await worker.tick.deliver().delivered == 1)
        #expect(worker.deliverer.underway.isEmpty)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
    }

    @Test("are settled under a valid lease, or not at all")
    func lostLease() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        try await service.hooked(slowHook)
        let now = try alarm()
        _ = try await service.tick(at: now).schedule()
        let log = service.log(at: now)
        let first = try await log.lease(ServiceUnderTest.lane, for: "worker-1")
        var lease = try #require(first)
        let (jobs, _) = try await log.read(lease, limit: 10)
        let until = now.adding(minutes: 1)
        lease = try await log.complete(
            jobs.map { (job: $0, result: DeliveryResult.underway(until: until)) }, under: lease, at: now)
        let open = try await log.underway(jobs.map(\.job), under: lease)
        #expect(open.until == [1: until])
        #expect(open.now == now)
        try await service.execute("UPDATE lane_delivery SET leased_until = 'epoch' WHERE lane = 7")
        _ = try await log.lease(ServiceUnderTest.lane, for: "worker-2")
        let before = try await service.fingerprint()
        let outdated = lease
        let results = jobs.map { (job: $0, result: DeliveryResult.ended(.delivered, .sent)) }
        await #expect(throws: LeaseLost.self) {
            _ = try await log.settle(results, attempts: [], sentPushes: [], under: outdated, at: now)
        }
        #expect(try await service.fingerprint() == before)
    }

    // MARK: - Limits, groups, caps

    @Test("are limited in number; further pushes come back a little later, which is not an attempt")
    func limit() async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        for lane in 1...3 as ClosedRange<UInt8> {
            try await service.hooked(slowHook, lane: Lane(lane), email: "slow\(lane)@example.com")
        }
        try await service.hooked("phone", lane: Lane(4), email: "phone@example.com")
        let worker = Worker(service, at: try alarm(), mostUnderway: 2)
        let counts = try await worker.begin()
        #expect(counts.delivered == 1)
        #expect(counts.retrying == 1)
        let isAsked = try await eventually { await sender.slowCount == 2 }
        #expect(isAsked)
        #expect(
            try await service.retries().sorted() == [
                "0 2027-03-02T00:00:05Z too many webhooks are waiting", isUnderway, isUnderway,
            ])
        await sender.answer(.accepted)
        #expect(try await worker.settle())
        try await service.run(at: seoul("2027-03-02T09:00:06"))
        #expect(try await service.pushes().count { $0.contains(" delivered ") } == 4)
        #expect(await sender.slowCount == 3)
    }

    @Test(
        "name all friends of a minute once, even those whose jobs are read before they answer",
        arguments: [true, false])
    func combined(accepts: Bool) async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.hooked(slowHook)
        for number in 2...3 {
            _ = try await service.friend(of: account, number: number, at: seoul("2027-02-23T10:00"))
        }
        let worker = Worker(service, at: try alarm(), batchSize: 1)
        try await worker.begin()
        #expect(try await service.retries() == Array(repeating: isUnderway, count: 3))
        await sender.answer(accepts ? .accepted : .failed(reason: "503", retryAfter: nil))
        #expect(try await worker.settle())
        #expect(await sender.slowCount == 1)
        if accepts {
            let reasons = try await service.texts("SELECT reason FROM push ORDER BY seq")
            #expect(reasons == ["sent", "combined", "combined"])
            #expect(try await service.rows(of: "sent_push") == 1)
        } else {
            #expect(try await service.retries() == Array(repeating: "1 2027-03-02T00:00:30Z 503", count: 3))
            await sender.answer(.accepted)
            try await service.run(at: seoul("2027-03-02T09:00:30"))
            #expect(await sender.slowCount == 2)
            #expect(Set(await sender.sent).count == 1)
            #expect(
                try await service.pushes()
                    == Array(repeating: "watering_due 2027-03-02 delivered sent_after_retry", count: 3))
        }
        #expect(try await service.unaccounted(upTo: alarm()).isEmpty)
    }

    @Test("count towards the daily cap, and pushes beyond it end like the digest", arguments: [1000, 1])
    func dailyCap(batchSize: Int) async throws {
        let sender = GatedSender()
        let service = ServiceUnderTest(devices: sender.senders(dailyCap: 1))
        let account = try await service.hooked(slowHook)
        for number in 2...4 {
            _ = try await service.friend(
                of: account, number: number, alarm: "09:0\(number)", at: seoul("2027-02-23T10:00"))
        }
        let now = try seoul("2027-03-02T10:00")
        let worker = Worker(service, at: now, batchSize: batchSize)
        try await worker.begin()
        await sender.answer(.accepted)
        #expect(try await worker.settle())
        let ids = await sender.sent.map { $0.split(separator: " ")[1] }
        #expect(ids.sorted() == ["digest-2027-03-02", "watering_due-20270302T0000Z"])
        let reasons = try await service.texts("SELECT reason FROM push ORDER BY planned_at")
        #expect(reasons == ["sent", "digest", "digest", "digest"])
        #expect(try await service.rows(of: "sent_push") == 2)
        #expect(try await service.unaccounted(upTo: now).isEmpty)
    }

    @Test("7.8: whatever they answer and whenever, every occurrence ends once", arguments: [7, 8] as [UInt64])
    func everythingEndsOnce(seed: UInt64) async throws {
        let moody = DawdlingSender()
        var service = ServiceUnderTest(
            devices: DeviceSenders([.ios: moody, .webhook: moody], dailyCap: 3, waitsForWebhooks: false))
        var history = try await RandomHistory(seed: seed, service: service)
        for step in 1...40 {
            if step == 1 || history.chance(20) {
                let store = service.store(at: history.now)
                for account in try await store.accounts() {
                    for token in [slowHook, quickHook] {
                        _ = try await store.addDevice(account, platform: .webhook, token: token)
                    }
                }
            }
            try await history.step()
            if history.chance(50) { _ = try await service.tick(at: history.now, batchSize: 2).run() }
        }
        let zone = try ServiceUnderTest.zones.rules("Asia/Seoul")
        let end = zone.firstInstant(on: zone.day(at: history.now) + 4, at: try TimeOfDay(alarm: "18:00"))
        service.devices = RecordingDeviceSender().senders(dailyCap: 3)
        try await service.run(at: end)
        #expect(await moody.count > 10)
        #expect(try await service.unaccounted(upTo: end).isEmpty)
        #expect(try await service.count("SELECT count(*) FROM push WHERE outcome IS NULL") == 0)
        #expect(try await service.rows(of: "push_retry") == 0)
        let unheard = try await service.count(
            """
            SELECT count(*) FROM push
            WHERE outcome = 'delivered' AND reason IN ('sent', 'sent_after_retry') AND NOT EXISTS (
                SELECT FROM push_device_outcome AS asked
                WHERE asked.lane = push.lane AND asked.seq = push.seq AND asked.outcome = 'accepted')
            """)
        #expect(unheard == 0)
    }
}

/// Slow webhooks, each with its own delay and answer.
private actor DawdlingSender: DeviceSender {
    private(set) var count = 0

    func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        count += 1
        let mood = (push.collapseID + device.token).utf8.reduce(count) { $0 + Int($1) } % 8
        if mood < 5 { try? await Task.sleep(for: .milliseconds(mood * 15)) }
        return switch mood {
        case 0: .failed(reason: "503", retryAfter: nil)
        case 1: .held(reason: "busy", for: .seconds(90))
        case 2: .refused(reason: "400")
        case 3 where device.token == slowHook: .tokenDead(reason: "410", since: nil)
        default: .accepted
        }
    }
}
