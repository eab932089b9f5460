import CherishCore
import CherishPush
import CherishTestSupport
import Foundation
import Postgres
import Secrets
import Testing

@testable import CherishStore

/// What a notification on a browser offers, by a token that works once.
@Suite("Actions of notifications", .migratedDatabase)
struct PushActionTests {
    private let sender = RecordingDeviceSender()

    private func alarm() throws -> Instant { try seoul("2027-03-02T09:00") }

    /// An account with a browser and a phone, whose friend is due, after its push was sent.
    private func pushed() async throws -> (service: ServiceUnderTest, account: Account, plant: Plant) {
        let service = ServiceUnderTest(devices: sender.senders())
        let registered = try seoul("2027-02-23T10:00")
        let account = try await service.account(email: "minji@example.com", at: registered)
        let store = service.store(at: registered)
        _ = try await store.addDevice(
            account, platform: .web, token: "https://push.example/1", keys: TestBrowser().keys)
        _ = try await store.addDevice(account, platform: .ios, token: "phone")
        let plant = try await service.friend(of: account, number: 1, at: registered)
        try await service.run(at: alarm())
        return (service, account, plant)
    }

    /// The token that the browser got.
    private func token() async throws -> CapabilityToken {
        try #require(await sender.sent.last { $0.device.platform == .web }?.push.actionToken)
    }

    private func use(_ token: CapabilityToken, _ service: ServiceUnderTest, at now: Instant) async throws
        -> AllowedPushAction?
    {
        try await service.store(at: now).people.usePushAction(token, secretHash: SecretHash.sha256(token.secret))
    }

    @Test("the browser alone gets a token, of which the database knows a hash; it works once")
    func once() async throws {
        let (service, account, plant) = try await pushed()
        #expect(await sender.sent.count == 2)
        #expect(await sender.sent.first { $0.device.platform == .ios }?.push.actionToken == nil)
        let token = try await token()
        #expect(CapabilityToken(token.text) == token && token.lane == account.id.lane)
        #expect(!"\(token)".contains(token.text))
        #expect(try await service.count("SELECT count(*) FROM push_action") == 1)
        let stored = try await service.texts("SELECT encode(token_hash, 'hex') FROM push_action")
        #expect(stored != [token.secret.map { String(format: "%02x", $0) }.joined()])

        let other = CapabilityToken(in: token.lane)
        #expect(try await use(other, service, at: alarm()) == nil)
        let used = try #require(try await use(token, service, at: try alarm().adding(hours: 2)))
        #expect(used.accountID == account.id && used.subjectID.uuid == plant.id.uuid)
        #expect(used.ref == Int(plant.dueOn.daysSinceEpoch) && used.topic == "watering_due" && used.action == "later")
        #expect(try await use(token, service, at: try alarm().adding(hours: 2)) == nil)
    }

    @Test("it is over when D-day ends, and the next offer forgets it")
    func expiry() async throws {
        let (service, _, _) = try await pushed()
        let token = try await token()
        #expect(try await use(token, service, at: try seoul("2027-03-03T00:00")) == nil)
        let (second, account, _) = (service, try await service.store(at: alarm()).account("minji@example.com"), 0)
        _ = try await second.friend(of: account, number: 2, at: seoul("2027-03-02T10:00"))
        try await service.run(at: seoul("2027-03-09T09:00"))
        #expect(try await service.count("SELECT count(*) FROM push_action WHERE expires_at < '2027-03-09'") == 0)
    }

    enum Ending: CaseIterable {
        case removed, takenByAnother, retired
    }

    @Test("it is dead with its device", arguments: Ending.allCases)
    func device(ending: Ending) async throws {
        let (service, account, _) = try await pushed()
        let (token, store) = (try await token(), service.store(at: try seoul("2027-03-02T09:01")))
        switch ending {
        case .removed:
            let browser = try #require(try await store.devices(account).first { $0.platform == .web })
            try await store.garden(of: account.id).removeDevice(browser.id)
        case .takenByAnother:
            let other = try await service.account(email: "other@example.com", at: seoul("2027-03-02T09:01"))
            _ = try await store.addDevice(
                other, platform: .web, token: "https://push.example/1", keys: TestBrowser().keys)
        case .retired:
            try await service.execute(
                "UPDATE device SET retired_at = '2027-03-02', retired_reason = '410' WHERE platform = 'web'")
        }
        #expect(try await use(token, service, at: try seoul("2027-03-02T10:00")) == nil)
    }

    @Test("a push about several plants, and one about a review, offer nothing")
    func others() async throws {
        let service = ServiceUnderTest(devices: sender.senders())
        let registered = try seoul("2027-02-23T10:00")
        let account = try await service.account(email: "minji@example.com", at: registered)
        _ = try await service.store(at: registered).addDevice(
            account, platform: .web, token: "https://push.example/1", keys: TestBrowser().keys)
        for number in 1...2 { _ = try await service.friend(of: account, number: number, at: registered) }
        try await service.run(at: alarm())
        #expect(await sender.sent.count == 1)
        #expect(await sender.sent.first?.push.actionToken == nil)
        #expect(try await service.count("SELECT count(*) FROM push_action") == 0)
    }
}
