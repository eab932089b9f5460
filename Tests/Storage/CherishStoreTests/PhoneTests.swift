import CherishCore
import CherishSchema
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishStore

extension ServiceUnderTest {
    /// Devices for which the lookup by token is missing or different.
    fileprivate func strayPhones() async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', device.platform, device.token, device.account_id, '-', found.platform, found.token,
                found.account_id)
            FROM (SELECT * FROM device WHERE platform <> 'webhook') AS device
            FULL JOIN device_token AS found ON found.platform = device.platform AND found.token = device.token
                AND found.lane = device.lane AND found.account_id = device.account_id AND found.device_id = device.id
            WHERE device.id IS NULL OR found.token IS NULL
            """)
    }

    fileprivate func tokens(_ account: Account, at now: Instant) async throws -> [String] {
        try await store(at: now).devices(account).map(\.token).sorted()
    }
}

@Suite("Phones that change hands", .migratedDatabase, .serialized)
struct PhoneTests {
    private func now() throws -> Instant { try seoul("2027-03-01T10:00") }
    private func alarm() throws -> Instant { try seoul("2027-03-02T09:00") }

    /// Two accounts, in two lanes or one, each with a friend due on 2 March.
    private func neighbours(_ service: ServiceUnderTest, lane: Lane = Lane(3)) async throws
        -> (minji: (account: Account, plant: Plant), jun: (account: Account, plant: Plant))
    {
        let minji = try await service.garden()
        return (minji, try await service.garden(lane: lane, email: "jun@example.com"))
    }

    @Test(
        "the last account to add a phone has it, as a device of its own; the other's pushes no longer go to it",
        arguments: [Device.Platform.ios, .android], [Lane(3), ServiceUnderTest.lane, Lane(200)])
    func moved(platform: Device.Platform, lane: Lane) async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let (minji, jun) = try await neighbours(service, lane: lane)
        let store = service.store(at: try now())
        let former = try await store.addDevice(minji.account, platform: platform, token: "phone")
        let added = try await store.addDevice(jun.account, platform: platform, token: "phone")
        #expect(added.id != former.id)
        #expect(try await store.devices(minji.account).isEmpty)
        #expect(try await store.devices(jun.account) == [added])
        #expect(try await service.strayPhones().isEmpty)
        // A late answer for the former device does not affect the new one.
        for lane in [minji.account.id.lane, lane] {
            try await service.log(at: alarm()).retire(
                [DeviceRetirement(deviceID: former.id, reason: "410", deadSince: alarm())], in: lane, at: alarm())
        }
        try await service.run(at: alarm())
        #expect(await sender.sent.map(\.push.plantID) == [jun.plant.id])
        let ends = try await service.texts(
            "SELECT concat_ws(' ', outcome, reason) FROM push WHERE subject_id = $1", [minji.plant.id])
        #expect(ends == ["suppressed no_device"])
        // And back.
        let again = try await store.addDevice(minji.account, platform: platform, token: "phone")
        #expect(![former.id, added.id].contains(again.id))
        #expect(try await store.devices(jun.account).isEmpty)
        #expect(try await store.addDevice(minji.account, platform: platform, token: "phone").id == again.id)
    }

    @Test("the former account's pushes go to its other devices; webhooks and the other platform's tokens stay")
    func others() async throws {
        let sender = RecordingDeviceSender()
        let service = ServiceUnderTest(devices: sender.senders())
        let (minji, jun) = try await neighbours(service)
        let store = service.store(at: try now())
        for account in [minji.account, jun.account] {
            _ = try await store.addDevice(account, platform: .webhook, token: "https://example.com/hook")
        }
        _ = try await store.addDevice(minji.account, platform: .ios, token: "phone")
        _ = try await store.addDevice(minji.account, platform: .android, token: "phone")
        _ = try await store.addDevice(jun.account, platform: .ios, token: "phone")
        try await service.run(at: alarm())
        let sent = await sender.sent.map { "\($0.push.accountID) \($0.device.platform)" }
        let expected = [
            "\(minji.account.id) android", "\(minji.account.id) webhook", "\(jun.account.id) ios",
            "\(jun.account.id) webhook",
        ]
        #expect(sent.sorted() == expected.sorted())
    }

    @Test("a retired phone can be taken over, and one that is removed, displaced or erased is released")
    func letGo() async throws {
        let service = ServiceUnderTest()
        let (minji, jun) = try await neighbours(service)
        let store = service.store(at: try now())
        let phone = try await store.addDevice(minji.account, platform: .ios, token: "phone")
        try await service.log(at: now()).retire(
            [DeviceRetirement(deviceID: phone.id, reason: "410", deadSince: now())], in: minji.account.id.lane,
            at: now())
        let taken = try await store.addDevice(jun.account, platform: .ios, token: "phone")
        #expect(taken.retirement == nil)
        #expect(try await service.strayPhones().isEmpty)
        try await store.removeDevice(taken.id)
        #expect(try await service.rows(of: "device_token") == 0)
        for number in 0...Garden.mostDevices {
            _ = try await service.store(at: now().adding(minutes: number)).addDevice(
                minji.account, platform: .ios, token: "\(number)")
        }
        #expect(try await service.tokens(minji.account, at: now()).count == Garden.mostDevices)
        #expect(try await service.rows(of: "device_token") == Garden.mostDevices)
        #expect(try await service.strayPhones().isEmpty)
        let erasure = try await store.eraseAccount(minji.account.id)
        #expect(erasure.tables.first { $0.table == "device_token" }?.before == Garden.mostDevices)
        #expect(try await service.rows(of: "device_token") == 0)
    }

    @Test("concurrent swaps of phones do not deadlock, and each phone has one owner")
    func swapped() async throws {
        let service = ServiceUnderTest(maximumConnections: 12)
        let now = try now()
        var accounts: [Account] = []
        for (number, lane) in [7, 7, 3, 200].enumerated() {
            let account = try await service.account(
                lane: Lane(UInt8(lane)), email: "a\(number)@example.com", at: now)
            accounts.append(account)
            // So many that each new phone displaces one.
            for token in 0..<Garden.mostDevices {
                _ = try await service.store(at: now).addDevice(account, platform: .ios, token: "\(number)-\(token)")
            }
        }
        let all = accounts
        let results = await concurrently(120) { turn in
            let store = service.store(at: now.adding(minutes: turn))
            let account = all[turn % all.count]
            // Phones that the others are about to lose anyway, and some that all of them want.
            let other = (turn + 1 + turn / 7) % all.count
            let token = turn.isMultiple(of: 3) ? "common-\(turn % 5)" : "\(other)-\(turn % 20)"
            _ = try await store.addDevice(account, platform: .ios, token: token)
            if turn.isMultiple(of: 10), let device = try await store.devices(account).last {
                do { try await store.removeDevice(device.id) } catch CareError.notFound(.device) {}
            }
        }
        for result in results {
            if case .failure(let error) = result { Issue.record("\(error)") }
        }
        #expect(try await service.strayPhones().isEmpty)
        for account in all {
            #expect(try await service.tokens(account, at: now).count <= Garden.mostDevices)
        }
    }

    @Test("a phone taken over while its account is erased belongs to the new account")
    func takenDuringErasure() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let now = try now()
        for round in 0..<10 {
            let former = try await service.account(email: "former\(round)@example.com", at: now)
            let taker = try await service.account(lane: Lane(9), email: "taker\(round)@example.com", at: now)
            _ = try await service.store(at: now).addDevice(former, platform: .ios, token: "phone")
            let results = await concurrently(2) { number in
                if number == 1 {
                    _ = try await service.store(at: now).eraseAccount(former.id)
                } else {
                    _ = try await service.store(at: now).addDevice(taker, platform: .ios, token: "phone")
                }
            }
            #expect(results.filter(\.isSuccess).count == 2)
            #expect(try await service.tokens(taker, at: now) == ["phone"])
            #expect(try await service.strayPhones().isEmpty)
        }
    }

    @Test("a restored account gets its phones back, except those that another account now has")
    func readBack() async throws {
        let service = ServiceUnderTest()
        let (minji, jun) = try await neighbours(service)
        let store = service.store(at: try now())
        for token in ["phone", "tablet"] {
            _ = try await store.addDevice(minji.account, platform: .ios, token: token)
        }
        _ = try await store.addDevice(minji.account, platform: .webhook, token: "https://example.com/hook")
        let export = try await store.export(of: minji.account.id)
        _ = try await store.eraseAccount(minji.account.id)
        let phone = try await store.addDevice(jun.account, platform: .ios, token: "phone")
        #expect(try await store.seed([export]) == [.writtenWithoutPhones(1)])
        #expect(try await service.tokens(minji.account, at: now()) == ["https://example.com/hook", "tablet"])
        #expect(try await store.devices(jun.account) == [phone])
        #expect(try await service.strayPhones().isEmpty)
        _ = try await store.eraseAccount(minji.account.id)
        try await store.removeDevice(phone.id)
        #expect(try await store.seed([export]) == [.written])
        #expect(try await store.export(of: minji.account.id) == export)
    }

    @Test("of two accounts restored together, the last one to add a phone has it")
    func readBackTogether() async throws {
        let service = ServiceUnderTest()
        let (minji, jun) = try await neighbours(service)
        let store = service.store(at: try now())
        _ = try await store.addDevice(minji.account, platform: .ios, token: "phone")
        var exports = [try await store.export(of: minji.account.id)]
        _ = try await service.store(at: now().adding(minutes: 1)).addDevice(
            jun.account, platform: .ios, token: "phone")
        exports.append(try await store.export(of: jun.account.id))
        for account in [minji.account, jun.account] { _ = try await store.eraseAccount(account.id) }
        #expect(try await store.seed(exports) == [.writtenWithoutPhones(1), .written])
        #expect(try await service.tokens(jun.account, at: now()) == ["phone"])
        #expect(try await service.strayPhones().isEmpty)
    }
}
