import CherishCore
import CherishPush
import CherishTestSupport
import CherishWorker
import Postgres
import Testing

@testable import CherishStore

@Suite("Plants and accounts of a batch", .migratedDatabase, .serialized)
struct CandidateTests {
    private static let lane = ServiceUnderTest.lane

    /// An account in Seoul with three plants, all due on 2 March 2027 at 09:00.
    private func garden(_ service: ServiceUnderTest, _ name: String) async throws -> Account {
        let (account, plant) = try await service.garden(email: "\(name)@example.com")
        try await service.multiply(plant, by: 2)
        return account
    }

    @Test("plants of one account share its devices, each once, the newest first")
    func sharedAccount() async throws {
        let service = ServiceUnderTest()
        let account = try await garden(service, "first")
        _ = try await garden(service, "second")
        for (time, token) in [("2027-02-24T10:00", "old"), ("2027-02-24T11:00", "new")] {
            _ = try await service.store(at: seoul(time)).addDevice(account, platform: .ios, token: token)
        }
        let now = try seoul("2027-03-02T09:00")
        _ = try await service.scheduler(at: now).schedule(Self.lane)
        let lease = try #require(try await service.log(at: now).lease(Self.lane, for: "worker-1"))
        let jobs = try await service.log(at: now).read(lease, limit: 100).jobs
        let tokens = jobs.map { job in
            "\(job.job.occurrence.accountID == account.id) \((job.content?.devices ?? []).map(\.token).joined(separator: " "))"
        }
        #expect(tokens.sorted() == ["false ", "false ", "false ", "true new old", "true new old", "true new old"])
    }

    @Test("7.6: a change to an account affects all its plants and no others, at scheduling and at the second look")
    func severalAccounts() async throws {
        let service = ServiceUnderTest()
        let kept = try await garden(service, "kept")
        let offBefore = try await garden(service, "off-before")
        let offBetween = try await garden(service, "off-between")
        let erasedBefore = try await garden(service, "erased-before")
        let erasedBetween = try await garden(service, "erased-between")
        let now = try seoul("2027-03-02T09:00")
        var off = AccountEdit()
        off.wateringPushes = false

        let store = service.store(at: now.adding(minutes: -1))
        _ = try await store.editAccount(offBefore.id, off)
        _ = try await store.eraseAccount(erasedBefore.id)
        let scheduled = try await service.scheduler(at: now).schedule(Self.lane)
        #expect(scheduled == LaneScheduler.Batch(enqueued: 9, ended: [.suppressed: 3, .superseded: 3]))

        _ = try await service.store(at: now).editAccount(offBetween.id, off)
        _ = try await service.store(at: now).eraseAccount(erasedBetween.id)
        let counts = try await service.tick(at: now).deliver()
        #expect(counts.delivered == 3)
        #expect(counts.suppressed == 3)
        #expect(counts.superseded == 3)
        let sent = await service.sender.sent
        #expect(sent.map(\.accountID) == [kept.id, kept.id, kept.id])
        #expect(Set(sent.map(\.subjectID)).count == 3)
        let ends = try await service.texts(
            "SELECT concat_ws(' ', outcome, reason, count(*)) FROM push GROUP BY outcome, reason ORDER BY 1")
        #expect(ends == ["delivered sent 3", "superseded erased 6", "suppressed account_pushes_off 6"])
    }

    @Test("7.7: the expiry of a push follows its account's zone")
    func zones() async throws {
        let service = ServiceUnderTest()
        let registered = try seoul("2027-02-23T10:00")
        for (name, zone) in [("minji", "Asia/Seoul"), ("june", "America/New_York")] {
            let account = try await service.account(email: "\(name)@example.com", zone: zone, at: registered)
            _ = try await service.friend(of: account, at: registered)
        }
        // In New York it is still the evening of 1 March, whose alarm has come too.
        let scheduled = try await service.scheduler(at: seoul("2027-03-02T09:00")).schedule(Self.lane)
        #expect(scheduled.enqueued == 2)
        let expiries = try await service.texts(
            "SELECT to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') FROM push_job ORDER BY seq")
        #expect(expiries == ["2027-03-02 05:00", "2027-03-02 15:00"])
    }

    @Test("a push to lines carries the newest device of its own account, if any")
    func devices() async throws {
        let service = ServiceUnderTest()
        let several = try await garden(service, "several")
        let single = try await garden(service, "single")
        let without = try await garden(service, "without")
        let devices = [
            (several, "2027-02-24T10:00", "oldest"), (several, "2027-02-24T12:00", "newest"),
            (several, "2027-02-24T11:00", "older"), (single, "2027-02-24T13:00", "only"),
        ]
        for (account, time, token) in devices {
            _ = try await service.store(at: seoul(time)).addDevice(account, platform: .ios, token: token)
        }
        let counts = try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(counts.delivered == 9)
        let sent = await service.sender.sent
        let targets = Set(sent.map { "\($0.accountID) \($0.deviceToken ?? "nowhere")" })
        #expect(targets == ["\(several.id) newest", "\(single.id) only", "\(without.id) nowhere"])
    }

    @Test("a plant with the same id in another lane is another plant, with its own account and review")
    func sameIDInTwoLanes() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let other = try await service.account(
            lane: Lane(3), email: "other@example.com", at: seoul("2027-02-23T10:00"))
        let watered = try seoul("2027-03-01T10:00")
        _ = try await service.store(at: watered).water(plant.reference, WateringRequest(method: .call))
        // Keys without a column in the table are ignored.
        let changes = "'lane', 3, 'account_id', '\(other.id)', 'nickname', 'other', 'keywords', ARRAY['other']"
        for table in ["plant", "occurrence", "watering"] {
            try await service.execute(
                """
                INSERT INTO \(table) SELECT copy.* FROM \(table) AS original,
                    LATERAL jsonb_populate_record(original, jsonb_build_object(\(changes))) AS copy
                """)
        }

        try await service.run(at: watered.adding(minutes: 30))
        let due = try seoul("2027-03-08T09:00")
        let scheduled = try await service.tick(at: due).schedule()
        #expect(scheduled.enqueued == 2)
        var off = AccountEdit()
        off.wateringPushes = false
        _ = try await service.store(at: due).editAccount(other.id, off)
        try await service.run(at: due)
        let ends = try await service.texts(
            "SELECT concat_ws(' ', lane, topic, outcome, reason) FROM push ORDER BY lane, planned_at")
        #expect(
            ends == [
                "3 review_missing superseded reviewed", "3 watering_due superseded watered",
                "3 watering_due suppressed account_pushes_off", "7 review_missing delivered sent",
                "7 watering_due superseded watered", "7 watering_due delivered sent",
            ])
        let sent = await service.sender.sent
        #expect(sent.map(\.accountID) == [account.id, account.id])
        #expect(sent.map(\.values.name) == [plant.nickname.description, plant.nickname.description])
    }
}
