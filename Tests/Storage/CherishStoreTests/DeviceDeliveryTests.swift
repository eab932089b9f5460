import CherishCore
import CherishPush
import CherishStore
import CherishTestSupport
import Testing

@testable import CherishWorker

/// A provider that holds all pushes until released, and then answers all of them alike.
private actor SlowDeviceSender: DeviceSender {
    private let answer: DeviceResult
    private(set) var collapseIDs: [String] = []
    private var isReleased = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(answer: DeviceResult) {
        self.answer = answer
    }

    func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        collapseIDs.append(push.collapseID)
        if !isReleased { await withCheckedContinuation { waiting.append($0) } }
        return answer
    }

    func release() {
        isReleased = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

extension ServiceUnderTest {
    /// Adds a device to an account, by default when the account is added.
    @discardableResult
    fileprivate func addDevice(
        _ token: String = "phone", _ platform: Device.Platform = .ios, to account: Account, at time: Instant? = nil
    ) async throws -> Device {
        let addedAt = try time ?? seoul("2027-02-23T10:00")
        return try await store(at: addedAt).addDevice(account, platform: platform, token: token)
    }

    /// Friends with these names, registered on 23 February 2027 and due seven days later by default.
    @discardableResult
    fileprivate func addFriends(
        _ names: [String], to account: Account, cycle: Int = 7, alarm: String = "09:00"
    ) async throws -> [Plant] {
        let store = store(at: try seoul("2027-02-23T10:00"))
        var plants: [Plant] = []
        for name in names {
            let number = try await rows(of: "plant") + 1
            plants.append(
                try await store.addFriend(
                    registration(number: number, name: name, cycle: cycle, alarm: alarm), to: account.id))
        }
        return plants
    }

    /// An account in Seoul with an iPhone for each token, and friends due on 2 March 2027 at 09:00.
    fileprivate func account(
        email: String = "minji@example.com", tokens: [String] = ["phone"], friends names: [String] = []
    ) async throws -> Account {
        let account = try await account(email: email, at: seoul("2027-02-23T10:00"))
        for token in tokens { try await addDevice(token, to: account) }
        try await addFriends(names, to: account)
        return account
    }

    /// The providers' answers for each job, such as `1 phone accepted accepted 1`; the last number counts the attempts.
    fileprivate func asked() async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', asked.seq, device.token, asked.outcome, asked.reason, asked.attempts)
            FROM push_device_outcome AS asked
            LEFT JOIN device ON device.lane = asked.lane AND device.id = asked.device_id
            ORDER BY asked.lane, asked.seq, device.token COLLATE "C"
            """)
    }

    /// The retired devices, such as `tablet 2027-03-02T00:00:00Z 410`.
    fileprivate func retired() async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', token, to_char(retired_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                retired_reason)
            FROM device WHERE retired_at IS NOT NULL ORDER BY token COLLATE "C"
            """)
    }

    /// How the friends' pushes ended, such as `가온 delivered sent`.
    fileprivate func endings() async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', plant.name, outcome, reason)
            FROM push JOIN plant ON plant.lane = push.lane AND plant.id = push.subject_id
            ORDER BY plant.name COLLATE "C", push.planned_at, push.topic
            """)
    }
}

@Suite("Pushes to devices", .migratedDatabase, .serialized)
struct DeviceDeliveryTests {
    private func alarm() throws -> Instant { try seoul("2027-03-02T09:00") }

    @Test(
        "a push is delivered if one device accepts it, whatever the other's provider answers",
        arguments: [
            (.failed(reason: "503", retryAfter: .seconds(60)), ["1 tablet failed 503 1"]),
            (.held(reason: "no connection", for: .seconds(60)), []),
            (.refused(reason: "400 BadTopic"), ["1 tablet refused 400 BadTopic 1"]),
            (.tokenDead(reason: "410 Unregistered", since: nil), ["1 tablet token_dead 410 Unregistered 1"]),
        ] as [(DeviceResult, [String])])
    func oneAccepts(other: DeviceResult, said: [String]) async throws {
        let sender = RecordingDeviceSender { _, device, _ in device.token == "phone" ? .accepted : other }
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(tokens: ["phone", "tablet"], friends: ["하나"])
        let counts = try await service.run(at: alarm())
        #expect(counts.delivered == 1)
        #expect(await sender.titles == ["phone 하나가 물을 기다려요", "tablet 하나가 물을 기다려요"])
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
        #expect(try await service.asked() == ["1 phone accepted accepted 1"] + said)
        #expect(try await service.retries().isEmpty)
        #expect(try await service.unaccounted(upTo: alarm()).isEmpty)
    }

    @Test("a push that no device accepted is retried while one still may; a dead token is not tried again")
    func retried() async throws {
        let sender = RecordingDeviceSender { _, device, attempt in
            if device.token == "tablet" { return .tokenDead(reason: "410 Unregistered", since: nil) }
            return attempt == 1 ? .failed(reason: "503 ServiceUnavailable", retryAfter: nil) : .accepted
        }
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(tokens: ["phone", "tablet"], friends: ["하나"])
        let counts = try await service.run(at: alarm())
        #expect(counts.retrying == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02"])
        #expect(try await service.retries() == ["1 2027-03-02T00:00:30Z 503 ServiceUnavailable"])
        #expect(
            try await service.asked() == [
                "1 phone failed 503 ServiceUnavailable 1", "1 tablet token_dead 410 Unregistered 1",
            ])
        #expect(try await service.rows(of: "sent_push") == 0)

        let again = try seoul("2027-03-02T09:00:30")
        let early = try await service.run(at: again.adding(microseconds: -1))
        #expect(early == RoundCounts())
        try await service.run(at: again)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent_after_retry"])
        #expect(
            try await service.asked() == [
                "1 phone accepted accepted 2", "1 tablet token_dead 410 Unregistered 1",
            ])
        #expect(try await service.retries().isEmpty)
        let ids = await sender.sent.map { "\($0.device.token) \($0.push.collapseID)" }.sorted()
        #expect(
            ids == [
                "phone watering_due-20270302T0000Z", "phone watering_due-20270302T0000Z",
                "tablet watering_due-20270302T0000Z",
            ])
        #expect(try await service.unaccounted(upTo: again).isEmpty)
    }

    @Test(
        "a push that no device will ever accept is dead: refused if a living device is left",
        arguments: [
            ([.tokenDead(reason: "410", since: nil), .tokenDead(reason: "404", since: nil)], "token_dead"),
            ([.refused(reason: "400"), .tokenDead(reason: "404", since: nil)], "refused"),
            ([.refused(reason: "400"), .refused(reason: "413")], "refused"),
        ] as [([DeviceResult], String)])
    func dead(answers: [DeviceResult], reason: String) async throws {
        let sender = RecordingDeviceSender { _, device, _ in device.token == "phone" ? answers[0] : answers[1] }
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(tokens: ["phone", "tablet"], friends: ["하나"])
        let counts = try await service.run(at: alarm())
        #expect(counts.dead == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 dead \(reason)"])
        #expect(try await service.rows(of: "push_retry") == 0)
        #expect(try await service.rows(of: "push_device_outcome") == 2)
        #expect(try await service.rows(of: "sent_push") == 0)
        #expect(try await service.unaccounted(upTo: alarm()).isEmpty)
    }

    @Test("a held push waits without an attempt, however often, until it expires")
    func held() async throws {
        let sender = RecordingDeviceSender { _, _, _ in .held(reason: "no connection", for: .seconds(60)) }
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(friends: ["하나"])
        var now = try alarm()
        for _ in 1...20 {
            let counts = try await service.run(at: now)
            #expect(counts.retrying == 1)
            // A tenth more than a minute: jitter spreads what has piled up.
            now = now.adding(microseconds: 66_000_000)
            #expect(try await service.retries() == ["0 \(now) no connection"])
            let early = try await service.run(at: now.adding(microseconds: -1))
            #expect(early == RoundCounts())
        }
        try await service.run(at: seoul("2027-03-02T23:59:30"))
        #expect(try await service.retries() == ["0 2027-03-02T15:00:00Z no connection"])
        #expect(try await service.rows(of: "push_device_outcome") == 0)
        #expect(await sender.sent.count == 21)
        let end = try seoul("2027-03-03T00:00")
        let counts = try await service.run(at: end)
        #expect(counts.expired == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 expired too_late"])
        #expect(try await service.retries().isEmpty)
        #expect(await sender.sent.count == 21)
        #expect(try await service.unaccounted(upTo: end).isEmpty)
    }

    @Test("holding a push between two attempts leaves their number unchanged")
    func heldBetweenAttempts() async throws {
        let sender = RecordingDeviceSender { _, _, attempt in
            switch attempt {
            case 1: .failed(reason: "503", retryAfter: nil)
            case 2: .held(reason: "no connection", for: .seconds(60))
            default: .accepted
            }
        }
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(friends: ["하나"])
        try await service.run(at: alarm())
        try await service.run(at: seoul("2027-03-02T09:00:30"))
        #expect(try await service.retries() == ["1 2027-03-02T00:01:36Z no connection"])
        #expect(try await service.asked() == ["1 phone failed 503 1"])
        try await service.run(at: seoul("2027-03-02T09:01:36"))
        #expect(try await service.asked() == ["1 phone accepted accepted 2"])
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent_after_retry"])
    }

    @Test("a provider is not asked again before the time it named")
    func retryAfter() async throws {
        let sender = RecordingDeviceSender { _, _, attempt in
            attempt == 1 ? .failed(reason: "429", retryAfter: .seconds(600)) : .accepted
        }
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(friends: ["하나"])
        let now = try alarm()
        try await service.run(at: now)
        #expect(try await service.retries() == ["1 2027-03-02T00:11:00Z 429"])
        let early = try await service.run(at: now.adding(minutes: 10))
        #expect(early == RoundCounts())
        try await service.run(at: now.adding(minutes: 11))
        #expect(try await service.asked() == ["1 phone accepted accepted 2"])
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent_after_retry"])
    }

    @Test("a push whose provider asks for a pause beyond its expiry is not tried again")
    func retryAfterExpiry() async throws {
        let sender = RecordingDeviceSender { _, _, _ in .failed(reason: "429", retryAfter: .seconds(365 * 86_400)) }
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(friends: ["하나"])
        try await service.run(at: alarm())
        #expect(try await service.retries() == ["1 2027-03-02T15:00:00Z 429"])
        let early = try await service.run(at: seoul("2027-03-02T23:59:59"))
        #expect(early == RoundCounts())
        let counts = try await service.run(at: seoul("2027-03-03T00:00"))
        #expect(counts.expired == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 expired too_late"])
        #expect(await sender.sent.count == 1)
    }

    @Test("an account without a device, or with none on our platforms, is suppressed")
    func unreachable() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders([.ios, .webhook]))
        _ = try await service.account(email: "none@example.com", tokens: [], friends: ["가온"])
        let android = try await service.account(email: "android@example.com", tokens: [], friends: ["나래"])
        let both = try await service.account(email: "both@example.com", tokens: ["iphone"], friends: ["다솜"])
        try await service.addDevice("pixel", .android, to: android)
        try await service.addDevice("galaxy", .android, to: both)
        let counts = try await service.run(at: alarm())
        #expect(counts.suppressed == 2)
        #expect(counts.delivered == 1)
        #expect(
            try await service.endings() == [
                "가온 suppressed no_device", "나래 suppressed provider_not_configured", "다솜 delivered sent",
            ])
        #expect(await sender.titles == ["iphone 다솜이 물을 기다려요"])
        let asked = try await service.asked()
        #expect(asked.map { $0.dropFirst(2) } == ["iphone accepted accepted 1"])
        #expect(try await service.unaccounted(upTo: alarm()).isEmpty)
    }

    @Test("a plant with a broken row is not named, and does not delay the others of its minute")
    func brokenCompanion() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.account()
        let plants = try await service.addFriends(["하나", "두리"], to: account)
        try await service.dropChecks()
        try await service.execute("UPDATE plant SET due_on = '5874897-12-31' WHERE id = $1", [plants[1].id])
        try await service.run(at: alarm())
        #expect(await sender.sent.map(\.push.plantID) == [plants[0].id])
        #expect(
            try await service.pushes().sorted() == [
                "watering_due 2027-03-02 delivered sent", "watering_due 2027-03-02 superseded edited",
            ])
    }

    @Test("7.9: a push tells the days together and the latest keywords, never memo or phone")
    func message() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.account()
        let plant = try await service.addFriends(["하나"], to: account)[0]
        // All on the day of registration, which leaves the due date unchanged.
        for (hour, keywords, memo) in [
            (11, ["등산"], nil), (12, ["산책", "커피"], "아무에게도 말하지 않기"), (13, [], "둘만의 이야기"),
        ] as [(Int, [String], String?)] {
            _ = try await service.store(at: seoul("2027-02-23T\(hour):00")).water(
                plant.reference, WateringRequest(method: .call, review: Review(keywords: keywords, memo: memo)))
        }
        try await service.run(at: alarm())
        let sent = await sender.sent
        try #require(sent.count == 1)
        let push = sent[0].push
        let shown = "\(push) \(push.text) \(push.link)"
        #expect(push.text.title == "하나가 물을 기다려요")
        #expect(push.text.body == "함께한 지 8일째, 오늘은 아메리칸블루에 물을 주는 날이에요. 지난 이야기: 산책, 커피")
        #expect(push.link == "cherish://plants/\(plant.id)/water")
        #expect(push.plantID == plant.id)
        #expect(push.kind == "watering_due")
        #expect(push.collapseID == "watering_due-20270302T0000Z")
        let (planned, expiry) = (try alarm(), try seoul("2027-03-03T00:00"))
        #expect(push.plannedAt == planned)
        #expect(push.expiresAt == expiry)
        for secret in [plant.phone.description, "아무에게도", "둘만의"] { #expect(!shown.contains(secret)) }
    }

    @Test("a worker dies between sending and recording: the next one repeats the push with the same collapse id")
    func repeated() async throws {
        let (dying, living) = (SlowDeviceSender(answer: .accepted), RecordingDeviceSender())
        var service = ServiceUnderTest(devices: DeviceSenders([.ios: dying]))
        _ = try await service.account(friends: ["가온", "나래", "다솜"])
        let now = try alarm()
        let tick = service.tick(at: now, worker: "worker-1")
        let delivering = Task { try await tick.run() }
        let isSending = try await eventually { await dying.collapseIDs.count == 1 }
        #expect(isSending)
        // A cancelled task no longer reaches the database, as if the worker had died.
        delivering.cancel()
        await dying.release()
        await #expect(throws: CancellationError.self) { _ = try await delivering.value }
        #expect(try await service.rows(of: "push_receipt") == 0)
        #expect(try await service.rows(of: "sent_push") == 0)

        service.devices = living.senders()
        let counts = try await service.tick(at: now, worker: "worker-2").run()
        #expect(counts.delivered == 3)
        let (first, second) = (await dying.collapseIDs, await living.sent.map(\.push.collapseID))
        #expect(first == ["watering_due-20270302T0000Z"])
        #expect(second == first)
        #expect(try await service.unaccounted(upTo: now).isEmpty)
    }

    @Test("7.3: quiet hours are checked again before a retry")
    func quietHours() async throws {
        let sender = RecordingDeviceSender { _, _, attempt in
            attempt == 1 ? .failed(reason: "503", retryAfter: nil) : .accepted
        }
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.account()
        let plant = try await service.addFriends(["하나"], to: account)[0]
        _ = try await service.store(at: seoul("2027-03-01T21:25")).water(
            plant.reference, WateringRequest(method: .call))
        try await service.run(at: seoul("2027-03-01T21:59:50"))
        #expect(try await service.retries() == ["1 2027-03-01T13:00:20Z 503"])
        try await service.run(at: seoul("2027-03-01T22:00:20"))
        #expect(try await service.retries() == ["1 2027-03-01T23:00:00Z"])
        #expect(await sender.sent.count == 1)
        try await service.run(at: seoul("2027-03-02T08:00"))
        #expect(try await service.pushes() == ["review_missing 1 delivered sent_after_retry"])
        let links = await sender.sent.map(\.push.link)
        #expect(links == Array(repeating: "cherish://plants/\(plant.id)/review", count: 2))
    }

    @Test(
        "7.8: whatever happens to plants and devices, every occurrence ends once, and no day exceeds the cap",
        arguments: [5, 6] as [UInt64])
    func everythingEndsOnce(seed: UInt64) async throws {
        let moody = RecordingDeviceSender { push, device, attempt in
            switch (push.collapseID + device.token).utf8.reduce(attempt, { $0 + Int($1) }) % 8 {
            case 0: .failed(reason: "503", retryAfter: nil)
            case 1: .held(reason: "no connection", for: .seconds(90))
            case 2: .refused(reason: "400")
            case 3 where device.token.hasPrefix("tablet"): .tokenDead(reason: "410", since: nil)
            default: .accepted
            }
        }
        var service = ServiceUnderTest(devices: moody.senders(dailyCap: 2))
        var history = try await RandomHistory(seed: seed, service: service)
        for step in 1...80 {
            // As an app does at each start.
            if step == 1 || history.chance(20) {
                let store = service.store(at: history.now)
                for account in try await store.accounts() {
                    for token in ["phone", "tablet"] {
                        _ = try await store.addDevice(account, platform: .ios, token: "\(token) of \(account.address)")
                    }
                }
            }
            try await history.step()
            if history.chance(50) { try await service.run(at: history.now) }
        }
        // At 18:00 in Seoul it is outside quiet hours in Berlin too: nothing is left waiting.
        let zone = try ServiceUnderTest.zones.rules("Asia/Seoul")
        let end = zone.firstInstant(on: zone.day(at: history.now) + 4, at: try TimeOfDay(alarm: "18:00"))
        service.devices = RecordingDeviceSender().senders(dailyCap: 2)
        try await service.run(at: end)

        #expect(await moody.sent.count > 10)
        #expect(try await service.unaccounted(upTo: end).isEmpty)
        #expect(try await service.count("SELECT count(*) FROM push WHERE outcome IS NULL") == 0)
        #expect(try await service.rows(of: "push_retry") == 0)
        let repeated = try await service.texts(
            """
            SELECT concat_ws(' ', subject_id, topic, ref, count(*)) FROM push
            WHERE outcome = 'delivered' AND topic IN ('watering_due', 'review_missing', 'birthday')
            GROUP BY subject_id, topic, ref HAVING count(*) > 1
            """)
        #expect(repeated.isEmpty)
        let tooMany = try await service.texts(
            """
            SELECT concat_ws(' ', account_id, sent_on) FROM sent_push WHERE collapse_id NOT LIKE 'digest-%'
            GROUP BY account_id, sent_on HAVING count(DISTINCT collapse_id) > 2
            """)
        #expect(tooMany.isEmpty)
        // Every sent push was accepted by a device.
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

@Suite("Dead devices", .migratedDatabase, .serialized)
struct DeadDeviceTests {
    private let dead = DeviceResult.tokenDead(reason: "410 Unregistered", since: nil)

    @Test("a device with a dead token gets no further push until it is added again, which keeps its id")
    func retired() async throws {
        let dead = dead
        let sender = RecordingDeviceSender { push, device, _ in
            device.token == "tablet" && push.collapseID == "watering_due-20270302T0000Z" ? dead : .accepted
        }
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.account(tokens: ["phone", "tablet"])
        for (number, name) in ["가온", "나래", "다솜"].enumerated() {
            try await service.addFriends([name], to: account, cycle: 7 + number)
        }
        let store = service.store(at: try seoul("2027-03-03T12:00"))
        let devices = try await store.devices(account)
        let tablet = try #require(devices.first { $0.token == "tablet" })
        try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(try await service.retired() == ["tablet 2027-03-02T00:00:00Z 410 Unregistered"])
        try await service.run(at: seoul("2027-03-03T09:00"))
        let again = try await store.addDevice(account, platform: .ios, token: "tablet")
        #expect(again.id == tablet.id)
        #expect(again.retirement == nil)
        #expect(try await service.retired().isEmpty)
        try await service.run(at: seoul("2027-03-04T09:00"))
        #expect(
            await sender.titles == [
                "phone 가온이 물을 기다려요", "phone 나래가 물을 기다려요", "phone 다솜이 물을 기다려요",
                "tablet 가온이 물을 기다려요", "tablet 다솜이 물을 기다려요",
            ])
        #expect(try await service.endings().allSatisfy { $0.hasSuffix("delivered sent") })
    }

    @Test(
        "a token that died before the device was last added does not retire the device",
        arguments: [(-1, []), (0, ["phone 2027-03-02T00:00:00Z 410"]), (1, ["phone 2027-03-02T00:00:00Z 410"])]
            as [(Int64, [String])])
    func deadSince(microseconds: Int64, retired: [String]) async throws {
        let since = try seoul("2027-02-23T10:00").adding(microseconds: microseconds)
        let sender = RecordingDeviceSender { _, _, _ in .tokenDead(reason: "410", since: since) }
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(friends: ["하나"])
        try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(try await service.retired() == retired)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 dead token_dead"])
    }

    @Test("a device added again while its provider calls it dead stays active", arguments: [true, false])
    func addedMeanwhile(isAdded: Bool) async throws {
        let sender = SlowDeviceSender(answer: dead)
        let service = ServiceUnderTest(devices: DeviceSenders([.ios: sender]))
        let account = try await service.account(friends: ["하나"])
        let now = try seoul("2027-03-02T09:00")
        let tick = service.tick(at: now)
        let delivering = Task { try await tick.run() }
        let isSending = try await eventually { await sender.collapseIDs.count == 1 }
        #expect(isSending)
        if isAdded { try await service.addDevice(to: account, at: now) }
        await sender.release()
        let counts = try await delivering.value
        #expect(counts.dead == 1)
        #expect(try await service.retired() == (isAdded ? [] : ["phone 2027-03-02T00:00:00Z 410 Unregistered"]))
    }

    @Test("a device is retired once, only in its lane, and not if it was added again")
    func retire() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(tokens: ["phone", "tablet"])
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        let devices = try await store.devices(account)
        let phone = try #require(devices.first { $0.token == "phone" })
        let now = try seoul("2027-03-02T09:00")
        let log = service.log(at: now)
        func retire(_ reason: String, since: Instant, in lane: Lane = ServiceUnderTest.lane) async throws {
            try await log.retire(
                [DeviceRetirement(deviceID: phone.id, reason: reason, deadSince: since)], in: lane, at: now)
        }
        let again = try await store.addDevice(account, platform: .ios, token: "phone")
        try await retire("too early", since: phone.addedAt)
        try await retire("other lane", since: again.addedAt, in: Lane(8))
        #expect(try await service.retired().isEmpty)
        try await retire("404", since: again.addedAt)
        #expect(try await service.retired() == ["phone 2027-03-02T00:00:00Z 404"])
        try await retire("410", since: now)
        try await log.retire([], in: ServiceUnderTest.lane, at: now)
        #expect(try await service.retired() == ["phone 2027-03-02T00:00:00Z 404"])
    }

    @Test("an Android device not added again for 270 days is retired without a request; an iPhone is not")
    func notRefreshed() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.account(tokens: [], friends: ["하나"])
        let now = try seoul("2027-03-02T09:00")
        let limit = now.adding(hours: -270 * 24)
        try await service.addDevice("old", .android, to: account, at: limit.adding(hours: -24))
        try await service.addDevice("iphone", .ios, to: account, at: limit.adding(hours: -24))
        try await service.addDevice("just", .android, to: account, at: limit)
        try await service.run(at: now)
        #expect(await sender.titles == ["iphone 하나가 물을 기다려요", "just 하나가 물을 기다려요"])
        #expect(try await service.retired() == ["old 2027-03-02T00:00:00Z not_refreshed"])
        #expect(
            try await service.asked() == ["1 iphone accepted accepted 1", "1 just accepted accepted 1"])
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
    }

    @Test("an account with only outdated devices has no device")
    func allGone() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.account(tokens: [], friends: ["하나"])
        let now = try seoul("2027-03-02T09:00")
        for token in ["one", "two"] {
            try await service.addDevice(token, .android, to: account, at: now.adding(hours: -271 * 24))
        }
        let counts = try await service.run(at: now)
        #expect(counts.suppressed == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02 suppressed no_device"])
        #expect(
            try await service.retired() == [
                "one 2027-03-02T00:00:00Z not_refreshed", "two 2027-03-02T00:00:00Z not_refreshed",
            ])
        #expect(await sender.sent.isEmpty)
    }
}

@Suite("Combined pushes", .migratedDatabase, .serialized)
struct CombinedPushTests {
    private static let names = ["가온", "나래", "다솜"]

    private func alarm() throws -> Instant { try seoul("2027-03-02T09:00") }

    @Test("friends due in the same minute share one push to each device, and each counts as delivered")
    func combined() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.account(tokens: ["phone", "tablet"], friends: Self.names)
        let counts = try await service.run(at: alarm())
        #expect(counts.delivered == 3)
        #expect(await sender.titles == ["phone 가온 외 2명이 물을 기다려요", "tablet 가온 외 2명이 물을 기다려요"])
        let sent = await sender.sent
        let push = try #require(sent.first).push
        #expect(push.accountID == account.id)
        #expect(push.text.body == "오늘 물을 주는 날이에요. 반가운 목소리를 들려주세요.")
        #expect(push.link == "cherish://plants")
        #expect(push.kind == "watering_due")
        #expect(push.collapseID == "watering_due-20270302T0000Z")
        #expect(try await service.endings() == Self.names.map { "\($0) delivered sent" })
        let everywhere = (1...3).flatMap { ["\($0) phone accepted accepted 1", "\($0) tablet accepted accepted 1"] }
        #expect(try await service.asked() == everywhere)
        #expect(
            try await service.texts(
                "SELECT concat_ws(' ', collapse_id, sent_on, cardinality(subject_ids)) FROM sent_push")
                == ["watering_due-20270302T0000Z 2027-03-02 3"])
        #expect(try await service.unaccounted(upTo: alarm()).isEmpty)
    }

    @Test("so they do if their jobs are read one by one: the first push names all, and covers the others")
    func oneByOne() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(tokens: ["phone", "tablet"], friends: Self.names)
        let counts = try await service.tick(at: alarm(), batchSize: 1).run()
        #expect(counts.delivered == 3)
        #expect(await sender.titles == ["phone 가온 외 2명이 물을 기다려요", "tablet 가온 외 2명이 물을 기다려요"])
        #expect(
            try await service.pushes() == [
                "watering_due 2027-03-02 delivered sent", "watering_due 2027-03-02 delivered combined",
                "watering_due 2027-03-02 delivered combined",
            ])
        #expect(try await service.asked() == ["1 phone accepted accepted 1", "1 tablet accepted accepted 1"])
        #expect(try await service.unaccounted(upTo: alarm()).isEmpty)
    }

    @Test("a push that reached nobody does not count as sent: it is retried for all", arguments: [1000, 1])
    func failedTogether(batchSize: Int) async throws {
        let sender = RecordingDeviceSender { _, _, attempt in
            attempt <= 3 ? .failed(reason: "503", retryAfter: nil) : .accepted
        }
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(friends: Self.names)
        var now = try alarm()
        for _ in 1...4 {
            _ = try await service.tick(at: now, batchSize: batchSize).run()
            now = now.adding(minutes: 10)
        }
        let sent = await sender.sent
        #expect(sent.count == 4)
        #expect(Set(sent.map(\.push.text.title)) == ["가온 외 2명이 물을 기다려요"])
        #expect(Set(sent.map(\.push.collapseID)) == ["watering_due-20270302T0000Z"])
        #expect(try await service.endings().allSatisfy { $0.contains(" delivered ") })
        #expect(try await service.unaccounted(upTo: now).isEmpty)
    }

    @Test("friends watered, switched off or removed in between, or due in another minute, are not counted")
    func notCounted() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.account()
        let plants = try await service.addFriends(["가온", "나래", "다솜", "라온", "마루"], to: account)
        try await service.addFriends(["바다"], to: account, alarm: "09:01")
        try await service.addFriends(["사랑"], to: account, cycle: 8)
        let now = try alarm()
        let scheduled = try await service.tick(at: now).schedule()
        #expect(scheduled.enqueued == 5)
        let store = service.store(at: now)
        _ = try await store.water(plants[2].reference, WateringRequest(method: .call, declinesReview: true))
        _ = try await store.editFriend(plants[3].reference, plantEdit(pushesEnabled: false))
        _ = try await store.removeFriend(plants[4].reference)
        _ = try await service.tick(at: now, batchSize: 1).deliver()
        let endings = try await service.endings()
        #expect(
            endings.suffix(3) == [
                "다솜 superseded watered", "라온 suppressed plant_pushes_off", "마루 superseded archived",
            ])
        #expect(Set(endings.prefix(2).map { $0.dropFirst(3) }) == ["delivered sent", "delivered combined"])
        try await service.run(at: now.adding(minutes: 1))
        #expect(await sender.titles == ["phone 가온 외 1명이 물을 기다려요", "phone 바다가 물을 기다려요"])
        #expect(try await service.unaccounted(upTo: now.adding(minutes: 1)).isEmpty)
    }

    @Test("if only one of several friends is left, the push is about that one")
    func oneIsLeft() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.account()
        let plants = try await service.addFriends(Self.names, to: account)
        let now = try alarm()
        _ = try await service.tick(at: now).schedule()
        for plant in plants.dropFirst() {
            _ = try await service.store(at: now).water(
                plant.reference, WateringRequest(method: .call, declinesReview: true))
        }
        _ = try await service.tick(at: now).deliver()
        #expect(await sender.titles == ["phone 가온이 물을 기다려요"])
        #expect(await sender.sent.map(\.push.link) == ["cherish://plants/\(plants[0].id)/water"])
    }

    @Test("another account's friends are not counted, even in the same lane", arguments: [1000, 1])
    func otherAccount(batchSize: Int) async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        _ = try await service.account(tokens: ["ours"], friends: Self.names)
        _ = try await service.account(email: "jun@example.com", tokens: ["theirs"], friends: ["하늘", "호수"])
        let counts = try await service.tick(at: alarm(), batchSize: batchSize).run()
        #expect(counts.delivered == 5)
        #expect(await sender.titles == ["ours 가온 외 2명이 물을 기다려요", "theirs 하늘 외 1명이 물을 기다려요"])
        #expect(try await service.rows(of: "sent_push") == 2)
    }

    @Test("7.3: reminders that waited for the end of quiet hours share one push at 08:00", arguments: [1000, 1])
    func reminders(batchSize: Int) async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let account = try await service.account()
        let plants = try await service.addFriends(["가온", "나래"], to: account)
        for (plant, time) in zip(plants, ["2027-02-28T21:45", "2027-03-01T06:10"]) {
            _ = try await service.store(at: seoul(time)).water(plant.reference, WateringRequest(method: .call))
        }
        let early = try await service.run(at: seoul("2027-03-01T07:59:59"))
        #expect(early == RoundCounts())
        let now = try seoul("2027-03-01T08:00")
        let counts = try await service.tick(at: now, batchSize: batchSize).run()
        #expect(counts.delivered == 2)
        #expect(await sender.titles == ["phone 가온 외 1명과 나눈 이야기"])
        #expect(await sender.sent.map(\.push.collapseID) == ["review_missing-20270228T2300Z"])
        #expect(try await service.unaccounted(upTo: now).isEmpty)
    }

    @Test("in a file, each has its own line")
    func lines() async throws {
        let service = ServiceUnderTest()
        _ = try await service.account(friends: Self.names)
        try await service.run(at: alarm())
        let titles = await service.sender.sent.map(\.text.title).sorted()
        #expect(titles == ["가온이 물을 기다려요", "나래가 물을 기다려요", "다솜이 물을 기다려요"])
        #expect(try await service.endings() == Self.names.map { "\($0) delivered sent" })
        #expect(try await service.rows(of: "sent_push") == 0)
        #expect(try await service.rows(of: "push_device_outcome") == 0)
    }

    @Test("sent pushes of an account are erased with it; those of others stay")
    func erased() async throws {
        let service = ServiceUnderTest(devices: RecordingDeviceSender().senders())
        let gone = try await service.account(email: "gone@example.com", tokens: ["old phone"], friends: Self.names)
        let other = try await service.account(friends: ["하늘"])
        let now = try alarm()
        try await service.run(at: now)
        #expect(try await service.rows(of: "sent_push") == 2)
        _ = try await service.store(at: now).eraseAccount(gone.id)
        #expect(try await service.texts("SELECT account_id::text FROM sent_push") == ["\(other.id)"])
    }

    @Test("a batch completed after an account was erased records no sent push of it")
    func completedAfterErasure() async throws {
        let service = ServiceUnderTest()
        let gone = try await service.account(email: "gone@example.com", friends: ["가온"])
        let other = try await service.account(friends: ["하늘"])
        let now = try alarm()
        _ = try await service.tick(at: now).schedule()
        let log = service.log(at: now)
        let leased = try await log.lease(ServiceUnderTest.lane, for: "worker-1")
        let lease = try #require(leased)
        let (jobs, _) = try await log.read(lease, limit: 10)
        let day = try civilDay("2027-03-02")
        let sentPushes = jobs.compactMap { job in
            job.content.map { _ in
                let occurrence = job.job.occurrence
                return SentPush(
                    job: job.job, accountID: occurrence.accountID, collapseID: "watering_due-20270302T0000Z",
                    sentOn: day, subjectIDs: [occurrence.subjectID])
            }
        }
        #expect(sentPushes.count == 2)
        _ = try await service.store(at: now).eraseAccount(gone.id)
        let results = jobs.map { (job: $0, result: DeliveryResult.ended(.delivered, .sent)) }
        _ = try await log.complete(results, sentPushes: sentPushes, under: lease, at: now, thenRelease: true)
        #expect(try await service.texts("SELECT account_id::text FROM sent_push") == ["\(other.id)"])
        #expect(try await service.pushes() == Array(repeating: "watering_due 2027-03-02 delivered sent", count: 2))
    }
}

@Suite("The daily cap", .migratedDatabase, .serialized)
struct DailyCapTests {
    /// An account whose 25 friends are due on 2 March 2027, one each minute from 09:00 to 09:24.
    private func crowd(_ service: ServiceUnderTest) async throws {
        let account = try await service.account()
        for minute in 0..<25 {
            try await service.addFriends(["친구"], to: account, alarm: "09:\(minute < 10 ? "0" : "")\(minute)")
        }
    }

    private let pushes = (0..<20).map { "watering_due-20270302T00\($0 < 10 ? "0" : "")\($0)Z" } + ["digest-2027-03-02"]

    @Test("pushes beyond it become one digest, which counts the plants due today")
    func minuteByMinute() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders(dailyCap: 20))
        try await crowd(service)
        let first = try seoul("2027-03-02T09:00")
        for minute in 0..<25 {
            let counts = try await service.run(at: first.adding(minutes: minute))
            #expect(counts.delivered == 1)
        }
        let sent = await sender.sent.map(\.push)
        #expect(sent.map(\.collapseID) == pushes)
        let digest = try #require(sent.last)
        #expect(digest.text.body == "나머지 소식은 앱에서 한 번에 볼 수 있어요.")
        #expect(digest.kind == "digest")
        #expect(digest.text.title == "오늘 25명이 물을 기다려요")
        #expect(digest.link == "cherish://plants")
        let ends = try await service.pushes()
        #expect(ends.prefix(20).allSatisfy { $0 == "watering_due 2027-03-02 delivered sent" })
        #expect(ends.suffix(5).allSatisfy { $0 == "watering_due 2027-03-02 delivered digest" })
        #expect(ends.count == 25)
        #expect(try await service.rows(of: "sent_push") == 21)
        #expect(try await service.unaccounted(upTo: first.adding(minutes: 24)).isEmpty)
    }

    @Test("after an outage, when all are due at once, the result is the same", arguments: [1000, 10, 1])
    func atOnce(batchSize: Int) async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders(dailyCap: 20))
        try await crowd(service)
        let now = try seoul("2027-03-02T12:00")
        let counts = try await service.tick(at: now, batchSize: batchSize).run()
        #expect(counts.delivered == 25)
        let sent = await sender.sent.map(\.push)
        #expect(Set(sent.map(\.collapseID)) == Set(pushes))
        #expect(sent.count == 21)
        #expect(sent.filter { $0.kind == "digest" }.map(\.text.title) == ["오늘 25명이 물을 기다려요"])
        #expect(try await service.unaccounted(upTo: now).isEmpty)
    }

    @Test("each day of the account counts anew, and has its own digest")
    func eachDay() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders(dailyCap: 1))
        let account = try await service.account()
        for (name, cycle, alarm) in [
            ("가온", 7, "09:00"), ("나래", 7, "23:58"), ("다솜", 8, "00:01"), ("라온", 8, "09:00"), ("마루", 8, "09:01"),
        ] {
            try await service.addFriends([name], to: account, cycle: cycle, alarm: alarm)
        }
        for time in ["02T09:00", "02T23:58", "03T00:01", "03T09:00", "03T09:01"] {
            try await service.run(at: seoul("2027-03-\(time)"))
        }
        let sent = await sender.sent.map(\.push)
        #expect(
            sent.map(\.collapseID) == [
                "watering_due-20270302T0000Z", "digest-2027-03-02", "watering_due-20270302T1501Z", "digest-2027-03-03",
            ])
        #expect(
            sent.map(\.text.title) == [
                "가온이 물을 기다려요", "오늘 2명이 물을 기다려요", "다솜이 물을 기다려요", "오늘 3명이 물을 기다려요",
            ])
        #expect(
            try await service.endings() == [
                "가온 delivered sent", "나래 delivered digest", "다솜 delivered sent", "라온 delivered digest",
                "마루 delivered digest",
            ])
    }

    @Test("failed pushes and digests do not count, and are retried under the cap")
    func failures() async throws {
        let sender = RecordingDeviceSender { push, _, attempt in
            switch (push.collapseID, attempt) {
            case ("watering_due-20270302T0000Z", 1): .failed(reason: "429", retryAfter: .seconds(600))
            case ("digest-2027-03-02", 1): .failed(reason: "503", retryAfter: nil)
            default: .accepted
            }
        }
        let service = ServiceUnderTest(devices: sender.senders(dailyCap: 1))
        let account = try await service.account()
        for (name, alarm) in [("가온", "09:00"), ("나래", "09:01"), ("다솜", "09:02")] {
            try await service.addFriends([name], to: account, alarm: alarm)
        }
        let first = try seoul("2027-03-02T09:00")
        for minutes in [0, 1, 2, 11] { try await service.run(at: first.adding(minutes: minutes)) }
        #expect(
            await sender.sent.map(\.push.collapseID) == [
                "watering_due-20270302T0000Z", "watering_due-20270302T0001Z", "digest-2027-03-02", "digest-2027-03-02",
            ])
        #expect(
            try await service.endings() == [
                "가온 delivered digest", "나래 delivered sent", "다솜 delivered digest",
            ])
        #expect(try await service.retries().isEmpty)
        #expect(try await service.unaccounted(upTo: first.adding(minutes: 11)).isEmpty)
    }
}

/// A provider of which one device never answers.
private struct TarpitSender: DeviceSender {
    func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        guard device.platform == .webhook else { return .accepted }
        try? await Task.sleep(for: longWait)
        return .accepted
    }
}

/// Notes how many pushes it sends at once.
private actor CountingSender: DeviceSender {
    let concurrency = 3
    private(set) var most = 0
    private var underway = 0

    func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        underway += 1
        most = max(most, underway)
        // The first ones wait until as many send as may, however busy the machine is; then let more begin, if they could.
        var tries = 0
        while most < concurrency, tries < 10_000 {
            try? await Task.sleep(for: .milliseconds(1))
            tries += 1
        }
        for _ in 0..<100 { await Task.yield() }
        underway -= 1
        return .accepted
    }
}

@Suite("Pushes to many devices", .migratedDatabase)
struct ManyDevicesTests {
    @Test("are sent as many at once as their sender takes, and every device gets one")
    func turns() async throws {
        let sender = CountingSender()
        let service = ServiceUnderTest(devices: DeviceSenders([.ios: sender]))
        _ = try await service.account(tokens: (1...20).map { "phone\($0)" }, friends: ["가온"])
        #expect(try await service.run(at: seoul("2027-03-02T09:00")).delivered == 1)
        #expect(await sender.most == 3)
        #expect(try await service.asked().count == 20)
    }
}

@Suite("A device that never answers", .migratedDatabase)
struct PatienceTests {
    @Test("delays the other pushes of its lane only until patience ends; its own job is retried")
    func tarpit() async throws {
        let sender = TarpitSender()
        let service = ServiceUnderTest(
            devices: DeviceSenders([.ios: sender, .webhook: sender], patience: .milliseconds(300)))
        let (slow, _) = try await service.garden(email: "slow@example.com")
        let (quick, _) = try await service.garden(email: "quick@example.com")
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        _ = try await store.addDevice(slow, platform: .webhook, token: "https://example.com/")
        _ = try await store.addDevice(quick, platform: .ios, token: "ab")
        let counts = try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(counts.delivered == 1)
        #expect(counts.retrying == 1)
        // Not counted as an attempt, because the outcome is unknown.
        #expect(try await service.retries() == ["0 2027-03-02T00:00:05Z no answer yet"])
    }
}
