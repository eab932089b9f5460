import CherishCore
import CherishPush
import CherishSchema
import CherishTestSupport
import Postgres
import Testing

@testable import CherishStore

@Suite("Devices", .migratedDatabase, .serialized)
struct DeviceTests {
    private func now() throws -> Instant { try seoul("2027-03-02T09:00") }

    @Test("a webhook gets a secret of 32 bytes, keeps it when added again, and accepts a given one")
    func secret() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let store = service.store(at: try now())
        let added = try await store.addDevice(account, platform: .webhook, token: "https://example.com/hook")
        let made = try #require(added.secret)
        #expect(made.bytes.count == 32)
        #expect(made.text.hasPrefix("whsec_"))
        #expect(WebhookSecret(made.text) == made)
        #expect(!"\(added)".contains(made.text))

        let later = service.store(at: try now().adding(minutes: 1))
        let again = try await later.addDevice(account, platform: .webhook, token: "https://example.com/hook")
        #expect(again.id == added.id)
        #expect(again.secret == made)
        #expect(again.addedAt > added.addedAt)

        let given = try #require(WebhookSecret(bytes: Array(1...24)))
        let replaced = try await later.addDevice(
            account, platform: .webhook, token: "https://example.com/hook", secret: given)
        #expect(replaced.id == added.id)
        #expect(replaced.secret == given)
        let unchanged = try await later.addDevice(account, platform: .webhook, token: "https://example.com/hook")
        #expect(unchanged == replaced)
        let other = try await store.addDevice(
            account, platform: .webhook, token: "https://example.com/other", secret: given)
        #expect(other.secret == given)
        let third = try await store.addDevice(account, platform: .webhook, token: "https://example.com/third")
        #expect(third.secret != nil && third.secret != made)
        let kept = try await store.devices(account)
        #expect(kept.count == 3)
        #expect(kept.first == replaced)
    }

    @Test("other devices have no secret", arguments: [Device.Platform.ios, .android])
    func noSecret(platform: Device.Platform) async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let store = service.store(at: try now())
        for _ in 1...2 {
            let added = try await store.addDevice(account, platform: platform, token: "token")
            #expect(added.secret == nil)
            #expect(added.platform == platform)
        }
        #expect(try await service.count("SELECT count(*) FROM device WHERE secret IS NULL") == 1)
        let error = try await #require(throws: PostgresError.self) {
            try await service.execute("UPDATE device SET secret = 'whsec_' || repeat('A', 32)")
        }
        #expect(error.constraint == "device_secret_is_for_webhooks")
    }

    @Test("a browser has keys, the newest ones count, and nothing else has any")
    func browser() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let store = service.store(at: try now())
        let endpoint = "https://push.example/1"
        let (first, second) = (try #require(TestBrowser().keys), try #require(TestBrowser().keys))
        let added = try await store.addDevice(account, platform: .web, token: endpoint, keys: first)
        #expect(added.platform == .web && added.subscriptionKeys == first && added.secret == nil)
        let again = try await store.addDevice(account, platform: .web, token: endpoint, keys: second)
        #expect(again.id == added.id && again.subscriptionKeys == second)
        #expect(try await store.devices(account).first == again)
        #expect(!"\(again)".contains(Base64URL.encode(second.auth)))
        let constraints: [(SQL, String)] = [
            (
                """
                INSERT INTO device (lane, id, account_id, platform, token, added_at)
                SELECT lane, gen_random_uuid(), account_id, 'web', 'other', added_at FROM device WHERE platform = 'web'
                """, "device_keys_are_for_browsers"
            ),
            ("UPDATE device SET auth = NULL WHERE platform = 'web'", "device_keys_are_for_browsers"),
            (#"UPDATE device SET p256dh = '\x04' WHERE platform = 'web'"#, "device_p256dh_form"),
            ("UPDATE device SET p256dh = set_byte(p256dh, 0, 2) WHERE platform = 'web'", "device_p256dh_form"),
            (#"UPDATE device SET auth = '\x04' WHERE platform = 'web'"#, "device_auth_length"),
        ]
        for (statement, constraint) in constraints {
            let error = try await #require(throws: PostgresError.self) { try await service.execute(statement) }
            #expect(error.constraint == constraint)
        }
    }

    @Test("an invalid secret written by others counts as missing")
    func brokenSecret() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let store = service.store(at: try now())
        _ = try await store.addDevice(account, platform: .webhook, token: "https://example.com/hook")
        try await service.dropChecks()
        try await service.execute("UPDATE device SET secret = 'whsec_short'")
        let devices = try await store.devices(account)
        #expect(devices.map(\.secret) == [nil])
    }

    @Test("an account keeps its twenty newest devices; adding one again makes it the newest")
    func mostDevices() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        for number in 0..<20 {
            _ = try await service.store(at: try now().adding(minutes: number)).addDevice(
                account, platform: .ios, token: "\(number)")
        }
        let store = service.store(at: try now().adding(minutes: 20))
        _ = try await store.addDevice(account, platform: .ios, token: "0")
        #expect(try await store.devices(account).count == 20)
        let later = service.store(at: try now().adding(minutes: 21))
        let newest = try await later.addDevice(account, platform: .android, token: "new")
        let tokens = try await later.devices(account).map(\.token)
        #expect(tokens.prefix(3) == ["new", "0", "19"])
        #expect(tokens.count == 20 && !tokens.contains("1"))
        #expect(newest.platform == .android)
    }

    @Test("the list has all devices, the newest first, with when and why they were retired")
    func list() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let (other, _) = try await service.garden(email: "jun@example.com")
        _ = try await service.store(at: now()).addDevice(other, platform: .ios, token: "theirs")
        var ids: [Device.ID] = []
        for (minute, token) in ["old", "middle", "new"].enumerated() {
            let store = service.store(at: try now().adding(minutes: minute))
            ids.append(try await store.addDevice(account, platform: .android, token: token).id)
        }
        let later = try now().adding(hours: 1)
        try await service.log(at: later).retire(
            [DeviceRetirement(deviceID: ids[1], reason: "404 UNREGISTERED", deadSince: later)], in: account.id.lane,
            at: later)
        let devices = try await service.store(at: later).devices(account)
        #expect(devices.map(\.token) == ["new", "middle", "old"])
        #expect(devices.map(\.id) == ids.reversed())
        #expect(devices.map(\.retirement) == [nil, Device.Retirement(at: later, reason: "404 UNREGISTERED"), nil])

        // Added again, it is the newest, and active.
        let evenLater = later.adding(minutes: 1)
        let again = try await service.store(at: evenLater).addDevice(account, platform: .android, token: "middle")
        #expect(again.id == ids[1])
        #expect(again.retirement == nil)
        let afterwards = try await service.store(at: evenLater).devices(account)
        #expect(afterwards.map(\.token) == ["middle", "new", "old"])
        #expect(afterwards.allSatisfy { $0.retirement == nil })
    }

    @Test("a retired device gets no pushes", arguments: [true, false])
    func living(isRetired: Bool) async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let now = try now()
        let phone = try await service.store(at: now).addDevice(account, platform: .ios, token: "phone")
        if isRetired {
            try await service.log(at: now).retire(
                [DeviceRetirement(deviceID: phone.id, reason: "410", deadSince: now)], in: account.id.lane, at: now)
        }
        try await service.run(at: now)
        #expect(await service.sender.sent.map(\.deviceToken) == [isRetired ? nil : "phone"])
    }

    @Test("the outcome of a push at each device is reported, even for a removed device")
    func records() async throws {
        let sender = RecordingDeviceSender { _, device, _ in
            device.platform == .ios ? .accepted : .refused(reason: "400")
        }
        let service = ServiceUnderTest(devices: sender.senders())
        let (account, plant) = try await service.garden()
        let now = try now()
        let store = service.store(at: now)
        let phone = try await store.addDevice(account, platform: .ios, token: "phone")
        let hook = try await store.addDevice(account, platform: .webhook, token: "https://example.com/hook")
        try await service.run(at: now)
        try await store.removeDevice(hook.id)
        let records = try await store.deviceRecords(of: plant)
        #expect(records.map(\.deviceID) == [phone.id, hook.id].sorted())
        let lines = records.map {
            "\($0.seq) \($0.platform?.rawValue ?? "removed") \($0.outcome.rawValue) \($0.reason) \($0.attempts)"
        }
        #expect(lines.sorted() == ["1 ios accepted accepted 1", "1 removed refused 400 1"])
        let other = try await service.friend(of: account, number: 2, at: now)
        #expect(try await store.deviceRecords(of: other).isEmpty)
    }
}
