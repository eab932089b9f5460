import CherishCore
import CherishPush
import CherishStore
import CherishTestSupport
import Foundation
import Testing

@testable import CherishWorker

@Suite("Delivery", .migratedDatabase, .serialized)
struct DeliveryTests {
    @Test("one receipt per batch covers all its jobs; outcomes are written only for exceptions")
    func receipts() async throws {
        let sender = RecordingSender { message, _ in
            .answers(message.collapseID == "cherish-7-13" ? .refused : .delivered)
        }
        let service = ServiceUnderTest(sender: sender)
        let (_, plant) = try await service.garden()
        try await service.multiply(plant, by: 24)
        let now = try seoul("2027-03-02T09:00")
        let counts = try await service.tick(at: now, batchSize: 10).run()
        #expect(counts.enqueued == 25)
        #expect(counts.delivered == 24)
        #expect(counts.dead == 1)
        #expect(
            try await service.texts(
                "SELECT concat_ws(' ', from_seq, to_seq, fence, worker) FROM push_receipt ORDER BY to_seq")
                == ["1 10 1 worker-1", "11 20 1 worker-1", "21 25 1 worker-1"])
        #expect(
            try await service.texts("SELECT concat_ws(' ', seq, outcome, reason) FROM push_outcome")
                == ["13 dead refused"])
        #expect(try await service.rows(of: "push_retry") == 0)
        #expect(try await service.count("SELECT cursor_seq FROM lane_delivery WHERE lane = 7") == 25)
        #expect(
            try await service.texts(
                "SELECT concat_ws(' ', outcome, reason, count(*)) FROM push GROUP BY outcome, reason ORDER BY outcome")
                == ["delivered sent 24", "dead refused 1"])
        #expect(
            try await service.count("SELECT count(*) FROM push WHERE finished_at <> $1", [now]) == 0)
        let collapseIDs = await sender.collapseIDs
        #expect(collapseIDs == (1...25).map { "cherish-7-\($0)" })
        let again = try await service.run(at: now)
        #expect(again == RoundCounts())
    }

    @Test(
        "7.9: a push has names, a link to watering or review, and the newest keywords, but neither phone nor memo"
    )
    func messages() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let review = try Review(keywords: ["여행"], memo: "아무에게도 말하지 않기")
        let watered = try seoul("2027-02-24T10:00")
        _ = try await service.store(at: watered).water(plant.reference, WateringRequest(method: .call, review: review))
        try await service.run(at: seoul("2027-03-03T09:00"))
        // Watered at 00:10 in Seoul: the reminder comes at 08:00 that day.
        _ = try await service.store(at: seoul("2027-03-04T00:10")).water(
            plant.reference, WateringRequest(method: .call))
        try await service.run(at: seoul("2027-03-04T08:00"))
        let due = PushMessage(
            lane: ServiceUnderTest.lane, seq: 1, accountID: account.id, subjectID: plant.id.subject,
            topic: .wateringDue, occursOn: try civilDay("2027-03-03"), language: .korean,
            values: PushValues(
                name: plant.nickname.description, noun: "아메리칸블루", number: 9, words: ["여행"]),
            deviceToken: nil)
        let missing = PushMessage(
            lane: ServiceUnderTest.lane, seq: 2, accountID: account.id, subjectID: plant.id.subject,
            topic: .reviewMissing, occursOn: try civilDay("2027-03-04"), language: .korean,
            values: PushValues(
                name: plant.nickname.description, noun: "아메리칸블루", number: 10, words: []),
            deviceToken: nil)
        let sent = await service.sender.sent
        #expect(sent == [due, missing])
        #expect(
            sent.map(\.link)
                == ["cherish://plants/\(plant.id)/water", "cherish://plants/\(plant.id)/review"])
        let text = sent.map { "\($0) \($0.text) \($0.link)" }.joined()
        for secret in [plant.phone.description, "아무에게도"] { #expect(!text.contains(secret)) }
    }

    @Test("two concurrent workers deliver each of 2,000 plants exactly once")
    func twoWorkers() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        for lane in UInt8(1)...4 {
            let (_, plant) = try await service.garden(lane: Lane(lane), email: "account-\(lane)@example.com")
            try await service.multiply(plant, by: 499)
        }
        let now = try seoul("2027-03-02T09:00")
        let results = await concurrently(2) { number in
            try await service.tick(at: now, worker: "worker-\(number)", batchSize: 100).run()
        }
        var total = RoundCounts()
        for result in results { total.add(try result.get()) }
        #expect(total.enqueued == 2000)
        #expect(total.delivered == 2000)
        let sent = await service.sender.sent
        #expect(sent.count == 2000)
        #expect(Set(sent.map(\.plantID)).count == 2000)
        #expect(Set(sent.map(\.collapseID)).count == 2000)
        #expect(try await service.count("SELECT count(*) FROM push WHERE outcome = 'delivered'") == 2000)
        #expect(try await service.unaccounted(upTo: now).isEmpty)
        #expect(try await service.count("SELECT count(*) FROM lane_delivery WHERE leased_by IS NOT NULL") == 0)
    }

    @Test("messages that a sender does not answer are retried")
    func missingAnswers() async throws {
        struct SilentSender: PushSender {
            func send(_ messages: [PushMessage], at now: Instant) async -> [SendResult] { [] }
        }
        let service = ServiceUnderTest()
        _ = try await service.garden()
        let now = try seoul("2027-03-02T09:00")
        let deliverer = Deliverer(
            log: service.log(at: now), destination: .lines(SilentSender()), worker: "worker-1", logger: .silent)
        let counts = try await LaneRunner(scheduler: service.scheduler(at: now), deliverer: deliverer).run()
        #expect(counts.retrying == 1)
        #expect(try await service.pushes() == ["watering_due 2027-03-02"])
        #expect(try await service.rows(of: "push_retry") == 1)
    }
}

/// A provider that takes time for each message, by its own clock, and records the batch sizes.
private actor MeasuringSender: PushSender {
    private let delay: Duration
    private(set) var sizes: [Int] = []
    nonisolated let clock = ManualClock()

    init(delay: Duration) {
        self.delay = delay
    }

    func send(_ messages: [PushMessage], at now: Instant) async -> [SendResult] {
        sizes.append(messages.count)
        clock.advance(by: delay * messages.count)
        return messages.map { _ in .delivered }
    }
}

@Suite("Batches", .migratedDatabase, .serialized)
struct BatchTests {
    /// Delivers `count` jobs, and returns the batch sizes. Each batch has one receipt, and no job has two.
    private func deliver(_ count: Int, to sender: MeasuringSender, batchSizes: ClosedRange<Int>) async throws -> [Int] {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        try await service.multiply(plant, by: count - 1)
        let now = try seoul("2027-03-02T09:00")
        var deliverer = Deliverer(
            log: service.log(at: now), destination: .lines(sender), worker: "worker-1", batchSizes: batchSizes,
            logger: .silent)
        deliverer.clock = sender.clock
        let counts = try await LaneRunner(scheduler: service.scheduler(at: now), deliverer: deliverer).run()
        #expect(counts.delivered == count)
        let sizes = await sender.sizes
        var ranges: [String] = []
        var last = 0
        for size in sizes {
            ranges.append("\(last + 1) \(last + size)")
            last += size
        }
        let receipts = try await service.texts(
            "SELECT concat_ws(' ', from_seq, to_seq) FROM push_receipt ORDER BY to_seq")
        #expect(last == count)
        #expect(receipts == ranges)
        return sizes
    }

    @Test("a slow provider gets smaller batches: about as many as it takes in half a second")
    func slow() async throws {
        let sizes = try await deliver(14, to: MeasuringSender(delay: .milliseconds(150)), batchSizes: 1...8)
        // Eight take 1.2 s, so the next has four. Four take 0.6 s, so the next would have three, but two are left.
        #expect(sizes == [8, 4, 2])
    }

    @Test("a fast provider gets batches that double up to the maximum")
    func fast() async throws {
        let sizes = try await deliver(2000, to: MeasuringSender(delay: .zero), batchSizes: 50...600)
        #expect(sizes == [250, 500, 600, 600, 50])
    }
}

/// What may happen to a watering-due push between scheduling and sending.
enum ChangeBeforeAlarm: String, CaseIterable, Sendable {
    case watered, postponed, cycleEdited, removed, erased, plantSwitchedOff, accountSwitchedOff

    func make(_ store: CareStore, _ account: Account, _ plant: Plant) async throws {
        switch self {
        case .watered: _ = try await store.water(plant.reference, WateringRequest(method: .call))
        case .postponed: _ = try await store.postpone(plant.reference, days: 1)
        case .cycleEdited: _ = try await store.editFriend(plant.reference, plantEdit(cycle: 30))
        case .removed: _ = try await store.removeFriend(plant.reference)
        case .erased: _ = try await store.eraseAccount(account.id)
        case .plantSwitchedOff: _ = try await store.editFriend(plant.reference, plantEdit(pushesEnabled: false))
        case .accountSwitchedOff:
            var edit = AccountEdit()
            edit.wateringPushes = false
            _ = try await store.editAccount(account.id, edit)
        }
    }

    var ending: String {
        switch self {
        case .watered: "superseded watered"
        case .postponed: "superseded postponed"
        case .cycleEdited: "superseded edited"
        case .removed: "superseded archived"
        case .erased: "superseded erased"
        case .plantSwitchedOff: "suppressed plant_pushes_off"
        case .accountSwitchedOff: "suppressed account_pushes_off"
        }
    }
}

/// What may happen to a review-missing push between scheduling and sending.
enum ChangeBeforeReminder: String, CaseIterable, Sendable {
    case reviewed, declined, wateredAgain, removed, accountSwitchedOff

    func make(_ store: CareStore, _ account: Account, _ plant: Plant) async throws {
        switch self {
        case .reviewed: _ = try await store.writeReview(plant.reference, on: nil, keywords: ["안부"], memo: nil)
        case .declined: _ = try await store.declineReview(plant.reference, on: civilDay("2027-03-01"))
        case .wateredAgain: _ = try await store.water(plant.reference, WateringRequest(method: .call))
        case .removed: _ = try await store.removeFriend(plant.reference)
        case .accountSwitchedOff:
            var edit = AccountEdit()
            edit.reviewPushes = false
            _ = try await store.editAccount(account.id, edit)
        }
    }

    var ending: String {
        switch self {
        case .reviewed: "superseded reviewed"
        case .declined: "superseded declined"
        case .wateredAgain: "superseded newer_watering"
        case .removed: "superseded archived"
        case .accountSwitchedOff: "suppressed account_pushes_off"
        }
    }
}

@Suite("The second look", .migratedDatabase, .serialized)
struct SecondLookTests {
    /// Schedules what is due, makes a change a minute later, and delivers after one more minute.
    private func deliver(_ service: ServiceUnderTest, at now: Instant, after change: (CareStore) async throws -> Void)
        async throws
    {
        let scheduled = try await service.tick(at: now).schedule()
        #expect(scheduled.enqueued == 1)
        try await change(service.store(at: now.adding(minutes: 1)))
        let counts = try await service.tick(at: now.adding(minutes: 2)).deliver()
        #expect(counts.superseded + counts.suppressed == 1)
        #expect(await service.sender.sent.isEmpty)
        #expect(try await service.rows(of: "push_receipt") == 1)
        #expect(try await service.rows(of: "push_outcome") == 1)
    }

    @Test("7.6: a watering push is not sent after a change", arguments: ChangeBeforeAlarm.allCases)
    func wateringDue(change: ChangeBeforeAlarm) async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        try await deliver(service, at: seoul("2027-03-02T09:00")) { store in
            try await change.make(store, account, plant)
        }
        #expect(try await service.pushes() == ["watering_due 2027-03-02 \(change.ending)"])
    }

    @Test("7.6: a review push is not sent after a change", arguments: ChangeBeforeReminder.allCases)
    func reviewMissing(change: ChangeBeforeReminder) async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let watered = try seoul("2027-03-01T10:00")
        _ = try await service.store(at: watered).water(plant.reference, WateringRequest(method: .call))
        try await deliver(service, at: watered.adding(minutes: 30)) { store in
            try await change.make(store, account, plant)
        }
        #expect(try await service.pushes() == ["review_missing 1 \(change.ending)"])
    }

    @Test("7.2, 7.6: an alarm time moved between scheduling and sending does not cancel the push")
    func movedAlarm() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden()
        let now = try seoul("2027-03-02T09:00")
        _ = try await service.tick(at: now).schedule()
        _ = try await service.store(at: now.adding(minutes: 1)).editFriend(
            plant.reference, plantEdit(alarm: "20:00"))
        try await service.run(at: now.adding(minutes: 2))
        try await service.run(at: now.adding(hours: 11))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
    }

    @Test("7.7: a job that is scheduled in time but delivered too late expires")
    func tooLate() async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        _ = try await service.tick(at: seoul("2027-03-02T23:59:59")).schedule()
        try await service.run(at: seoul("2027-03-03T00:00"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 expired too_late"])
        #expect(await service.sender.sent.isEmpty)
    }
}

@Suite("Erasing an account", .migratedDatabase, .serialized)
struct ErasureTests {
    /// `table.column` for each column in which some row has one of the ids.
    private func places(of ids: [UUID], _ service: ServiceUnderTest) async throws -> [String] {
        let columns = try await service.texts(
            """
            SELECT class.relname || '.' || attribute.attname
            FROM pg_class AS class JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
            WHERE class.relnamespace = 'public'::regnamespace AND class.relkind IN ('r', 'p')
                AND NOT class.relispartition AND attribute.atttypid = 'uuid'::regtype AND NOT attribute.attisdropped
            ORDER BY 1
            """)
        var found: [String] = []
        for column in columns {
            let table = column.prefix { $0 != "." }
            let rows = try await service.count("SELECT count(*) FROM \(table) WHERE \(column) = ANY ($1)", [ids])
            if rows > 0 { found.append(column) }
        }
        return found
    }

    @Test("8.6: only the proof and planned occurrences remain, by random ids; they end as superseded")
    func nothingRemains() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let registered = try seoul("2027-02-23T10:00")
        let second = try await service.friend(of: account, number: 2, birthday: "05-21", at: registered)
        let other = try await service.garden(email: "jun@example.com")
        _ = try await service.store(at: registered).addDevice(account, platform: .ios, token: "token-of-minji")
        _ = try await service.store(at: seoul("2027-03-02T08:00")).postpone(plant.reference, days: 1)
        let store = service.store(at: try seoul("2027-03-02T08:30"))
        let review = try Review(keywords: ["안부"], memo: "둘만의 이야기")
        _ = try await store.water(plant.reference, WateringRequest(method: .call, review: review))
        let ids = [account.id.uuid, plant.id.uuid, second.id.uuid]
        #expect(try await places(of: ids, service).count > 8)

        let erasure = try await store.eraseAccount(account.id)
        #expect(erasure.plantCount == 2)
        #expect(erasure.wateringCount == 1)
        #expect(erasure.deviceCount == 1)
        #expect(
            try await service.texts(
                "SELECT concat_ws(' ', lane, id, plant_count, watering_count, device_count) FROM erasure")
                == ["7 \(erasure.id.uuidString.lowercased()) 2 1 1"])
        #expect(try await places(of: ids, service) == ["occurrence.subject_id"])
        for table in try await service.tables() {
            for text in ["minji", "민지", "둘만의", "+8210\(10_000_002)", "token-of-minji"] {
                let rows = try await service.count(
                    "SELECT count(*) FROM \(table) AS entry WHERE entry::text LIKE '%' || $1 || '%'", [text])
                #expect(rows == (text == "민지" && table == "account" ? 1 : 0), "\(table) \(text)")
            }
        }

        try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(
            try await service.texts(
                "SELECT concat_ws(' ', outcome, reason, count(*)) FROM push GROUP BY outcome, reason ORDER BY 1")
                == ["delivered sent 1", "superseded erased 2"])
        #expect(await service.sender.sent.map(\.plantID) == [other.plant.id])
        // The e-mail is free again.
        _ = try await service.account(at: seoul("2027-03-02T10:00"))
    }

    @Test(
        "8.6: providers' answers go too, even those of removed devices; what remains is counted")
    func whatProvidersSaid() async throws {
        let sender = RecordingDeviceSender { _, device, _ in
            device.token.hasPrefix("minji") ? .failed(reason: "503", retryAfter: nil) : .accepted
        }
        let service = ServiceUnderTest(devices: sender.senders())
        let (account, plant) = try await service.garden()
        let registered = try seoul("2027-02-23T10:00")
        let second = try await service.friend(of: account, number: 2, alarm: "10:00", at: registered)
        let other = try await service.garden(email: "jun@example.com")
        let store = service.store(at: registered)
        let phone = try await store.addDevice(account, platform: .ios, token: "minji's phone")
        let tablet = try await store.addDevice(account, platform: .ios, token: "minji's tablet")
        _ = try await store.addDevice(other.account, platform: .ios, token: "jun's phone")
        try await service.run(at: seoul("2027-03-02T09:00"))
        try await store.removeDevice(tablet.id)
        // The second friend's push ends as superseded, the first one's is retried.
        let now = try seoul("2027-03-02T10:00")
        _ = try await service.tick(at: now).schedule()
        _ = try await service.store(at: now).water(
            second.reference, WateringRequest(method: .call, declinesReview: true))
        _ = try await service.tick(at: now).deliver()
        #expect(try await service.rows(of: "push_device_outcome") == 3)

        let erasure = try await service.store(at: now).eraseAccount(account.id)
        let said = erasure.tables.first { $0.table == "push_device_outcome" }
        #expect(said?.before == 2)
        let ids = [account.id.uuid, plant.id.uuid, second.id.uuid, phone.id.uuid, tablet.id.uuid]
        let remaining = try await places(of: ids, service)
        // The lane's cursor names the last scheduled occurrence.
        #expect(remaining == ["lane.cursor_subject_id", "occurrence.subject_id", "push_job.subject_id"])
        #expect(try await service.rows(of: "push_device_outcome") == 1)
        // Three occurrences, two jobs, the outcome of one and the retry of the other.
        #expect(erasure.plannedCount == 7)
    }
}
