import CherishCore
import CherishStore
import CherishTestSupport
import Foundation
import Postgres
import SeededChance
import Synchronization
import Testing

@Suite("Planting very many friends in SQL", .migratedDatabase, .serialized)
struct BulkPlantingTests {
    private func now() throws -> Instant {
        try seoul("2027-03-01T10:00")
    }

    /// Without spreading, so that due dates follow rule 1.4.
    private func plainOptions(cycle: Int = 7) throws -> BulkOptions {
        var options = BulkOptions(cycle: try Cycle(days: cycle))
        options.spreading = false
        return options
    }

    private func contact(
        _ number: Int, name: String = "김하나", cycle: Int? = 7, alarm: String = "09:00", tags: [String] = []
    ) throws -> FriendContact {
        var contact = FriendContact(try registration(number: number, name: name, alarm: alarm))
        contact.cycle = try cycle.map { days throws(CareError) in try Cycle(days: days) }
        contact.tags = try tags.map { text throws(CareError) in try TagName(text) }
        return contact
    }

    private func friends(_ numbers: ClosedRange<Int>, of account: Account, tags: [String] = []) throws -> [BulkFriend] {
        try numbers.map { number in
            BulkFriend(accountID: account.id, contact: try contact(number, tags: tags))
        }
    }

    private func plantID(_ number: Int, of account: Account, _ service: ServiceUnderTest) async throws -> Plant.ID {
        try await service.single(
            "SELECT id FROM plant WHERE account_id = $1 AND phone = $2",
            [account.id, try contact(number).phones[0].description])
    }

    /// The numbers of plants, recorded due dates and occurrences.
    private func rowCounts(_ service: ServiceUnderTest) async throws -> [Int] {
        var counts: [Int] = []
        for table in ["plant", "cycle_change", "occurrence"] { counts.append(try await service.rows(of: table)) }
        return counts
    }

    /// Every row about the living friends of an account, keyed by phone instead of ids.
    private func rows(of account: Account, _ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT phone || ' ' || entry FROM plant, LATERAL (
                SELECT (to_jsonb(plant) - '{id,account_id}'::text[])::text
                UNION ALL SELECT (to_jsonb(change) - 'plant_id')::text FROM cycle_change AS change
                WHERE change.lane = plant.lane AND change.plant_id = plant.id
                UNION ALL SELECT (to_jsonb(planned) - '{account_id,subject_id}'::text[])::text FROM occurrence AS planned
                WHERE planned.lane = plant.lane AND planned.subject_id = plant.id
                UNION ALL SELECT (to_jsonb(tag) - '{id,account_id}'::text[])::text FROM plant_tag
                JOIN tag ON tag.lane = plant_tag.lane AND tag.id = plant_tag.tag_id
                WHERE plant_tag.lane = plant.lane AND plant_tag.plant_id = plant.id
            ) AS found (entry)
            WHERE plant.lane = $1 AND plant.account_id = $2 ORDER BY 1
            """, [account.id.lane, account.id])
    }

    // MARK: What is written

    /// An alarm in the hour that daylight saving skips, a birthday on 29 February, a name too long for a nickname.
    private func variedRegistrations() throws -> [Registration] {
        var favourite = try registration(number: 4, name: "Linh", cycle: 90, alarm: "23:59", birthday: "1992-03-01")
        favourite.isFavourite = true
        return [
            try registration(number: 1),
            try registration(number: 2, name: "Konstantinos Papadopoulos", cycle: 1, alarm: "00:00"),
            try registration(number: 3, name: "이서연", nickname: "둘째", cycle: 13, alarm: "02:30", birthday: "02-29"),
            favourite,
        ]
    }

    @Test("writes the same rows for each friend as registering them one by one")
    func sameAsOneByOne() async throws {
        let service = ServiceUnderTest()
        let now = try instant("2027-03-01T10:00:00-05:00")
        let store = service.store(at: now)
        let switches = NotificationSwitches(birthday: true, withered: true)
        let first = try await service.account(
            email: "one@example.com", zone: "America/New_York", switches: switches, at: now)
        let second = try await service.account(
            email: "many@example.com", zone: "America/New_York", switches: switches, at: now)
        let registrations = try variedRegistrations()
        let work = try TagName("work")
        _ = try await store.addTag(work, colour: nil, cycle: nil, to: first.id)
        for registration in registrations {
            _ = try await store.addFriend(registration, to: first.id, tags: [work])
        }
        var contacts = registrations.map { FriendContact($0) }
        for index in contacts.indices {
            contacts[index].isFavourite = registrations[index].isFavourite
            // This account does not have this tag yet.
            contacts[index].tags = [work]
        }
        // Missing values come from the options, or from the name.
        contacts[0].cycle = nil
        contacts[1].nickname = nil
        let planted = try await store.plantFriends(
            contacts.map { BulkFriend(accountID: second.id, contact: $0) }, plainOptions(cycle: 7))
        #expect(planted.plantedCount == 4)
        #expect(planted.knownCount == 0)
        let expected = try await rows(of: first, service)
        let found = try await rows(of: second, service)
        // Four plants, four due dates, four alarms, four moments of withering, two birthdays, four tags.
        #expect(expected.count == 22)
        #expect(found == expected)
    }

    @Test("1.9: first due dates are spread evenly over the cycle, from the next day on")
    func spreading() async throws {
        let service = ServiceUnderTest()
        // A seed gives the friends the same ids, and so the same days, in each run.
        let seeded = SeededIdentifiers()
        let store = CareStore(
            pool: service.pool, zones: ServiceUnderTest.zones, time: .fixed(try now()),
            identifiers: UniqueIdentifiers(random: { seeded.next() }))
        let account = try await store.addAccount(
            email: EmailAddress("minji@example.com"), nickname: Nickname("민지"), phone: nil, timeZone: "Asia/Seoul",
            language: .korean)
        let planted = try await store.plantFriends(friends(1...5000, of: account), BulkOptions(cycle: Cycle(days: 30)))
        #expect(planted.plantedCount == 5000)
        let days = try await service.texts("SELECT min(due_on)::text || ' ' || max(due_on)::text FROM plant")
        #expect(days == ["2027-03-02 2027-03-08"])
        let texts = try await service.texts("SELECT count(*)::text FROM plant GROUP BY due_on")
        let perDay = texts.compactMap { Double($0) }
        #expect(perDay.count == 7)
        // Pearson's statistic: with six degrees of freedom, chance exceeds this once in a thousand runs.
        let share = 5000.0 / 7
        let statistic = perDay.map { ($0 - share) * ($0 - share) / share }.reduce(0, +)
        #expect(statistic < 22.46)
    }

    @Test("1.9: for any cycle, a friend is first due after 1 day to a whole cycle, and is pushed then")
    func spreadingAllCycles() async throws {
        let service = ServiceUnderTest()
        let now = try now()
        let account = try await service.account(at: now)
        let friends = try (1...900).map { number in
            BulkFriend(accountID: account.id, contact: try contact(number, cycle: 1 + number % 90))
        }
        let planted = try await service.store(at: now).plantFriends(friends, BulkOptions(cycle: Cycle(days: 7)))
        #expect(planted.plantedCount == 900)
        let outside = try await service.count(
            "SELECT count(*) FROM plant WHERE NOT due_on - planted_on BETWEEN 1 AND cycle_days")
        #expect(outside == 0)
        let plannedCount = try await service.count(
            """
            SELECT count(*) FROM plant JOIN occurrence AS planned USING (lane)
            WHERE planned.subject_id = plant.id AND planned.at = plant.alarm_at
                AND planned.ref = plant.due_on - date '1970-01-01'
            """)
        #expect(plannedCount == 900)
    }

    @Test("creates missing months of the calendar")
    func missingPartitions() async throws {
        let service = ServiceUnderTest()
        let now = try now()
        let account = try await service.account(at: now)
        let months = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'occurrence'::regclass"
        let before = try await service.count("\(months)")
        #expect(before == 0)
        let friends = try (1...90).map { number in
            BulkFriend(accountID: account.id, contact: try contact(number, cycle: number))
        }
        let planted = try await service.store(at: now).plantFriends(friends, plainOptions())
        #expect(planted.plantedCount == 90)
        let counts = try await rowCounts(service)
        #expect(counts == [90, 90, 90])
        // From 2 March to 30 May.
        let after = try await service.count("\(months)")
        #expect(after == 3)
    }

    @Test("plants in many lanes at once, each friend in the lane of its account")
    func allLanes() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try now())
        let accounts = try Lane.all.map { lane in
            Account(
                id: Account.ID(UUID.random(lane: lane.number)), email: try EmailAddress("lane\(lane)@example.com"),
                nickname: try Nickname("민지"), phone: nil, timeZone: "Asia/Seoul", language: .korean)
        }
        let added = try await store.addAccounts(accounts)
        #expect(added.count == 256)
        let friends = try accounts.reversed().map { BulkFriend(accountID: $0.id, contact: try contact(1)) }
        let planted = try await store.plantFriends(friends, plainOptions())
        #expect(planted.plantedCount == 256)
        let planned = try await service.count(
            """
            SELECT count(DISTINCT plant.lane) FROM plant JOIN occurrence AS planned USING (lane)
            WHERE planned.subject_id = plant.id AND planned.at = plant.alarm_at
            """)
        #expect(planned == 256)
    }

    @Test("writes all friends or none")
    func allOrNone() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try now())
        let account = try await service.account(at: now())
        let friends = try [7, 13].map { BulkFriend(accountID: account.id, contact: try contact($0, cycle: $0)) }
        // The plants are written before the failure.
        try await service.execute("ALTER TABLE cycle_change ADD CONSTRAINT no_thirteen CHECK (cycle_days <> 13)")
        let options = try plainOptions()
        await #expect(throws: PostgresError.self) { _ = try await store.plantFriends(friends, options) }
        let counts = try await rowCounts(service)
        #expect(counts == [0, 0, 0])
    }

    // MARK: Friends who are known

    @Test("the same friends again change nothing, whatever their other fields; only new ones are added")
    func again() async throws {
        let service = ServiceUnderTest()
        let now = try now()
        let account = try await service.account(at: now)
        _ = try await service.store(at: now).plantFriends(friends(1...40, of: account), plainOptions())
        let before = try await service.fingerprint()
        let later = service.store(at: try seoul("2027-03-05T10:00"))
        let renamed = try (1...40).map { number in
            BulkFriend(accountID: account.id, contact: try contact(number, name: "박두리", cycle: 3, tags: ["work"]))
        }
        let again = try await later.plantFriends(renamed, plainOptions())
        #expect(again.plantedCount == 0)
        #expect(again.knownCount == 40)
        let unchanged = try await service.fingerprint()
        #expect(unchanged == before)
        let half = try await later.plantFriends(friends(21...60, of: account), plainOptions())
        #expect(half.plantedCount == 20)
        #expect(half.knownCount == 20)
        let counts = try await rowCounts(service)
        #expect(counts == [60, 60, 60])
    }

    @Test("1.8: a removed friend stays removed; one planted again since is known")
    func removed() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = service.store(at: try now())
        let removed = try await store.removeFriend(plant.reference)
        let first = try await store.plantFriends(friends(1...1, of: account), plainOptions())
        #expect(first.plantedCount == 0)
        #expect(first.knownCount == 1)
        let kept = try await store.plant(plant.id.description)
        #expect(kept == removed)
        let again = try await service.friend(of: account, at: now())
        #expect(again.id != plant.id)
        let before = try await service.fingerprint()
        let second = try await store.plantFriends(friends(1...1, of: account), plainOptions())
        #expect(second.knownCount == 1)
        let unchanged = try await service.fingerprint()
        #expect(unchanged == before)
    }

    @Test("1.8: a friend removed from another account's garden is new; a removed one is found among many phones")
    func removedElsewhere() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = service.store(at: try now())
        _ = try await store.removeFriend(plant.reference)
        let other = try await service.account(email: "jun@example.com", at: now())
        let all = try friends(1...20, of: other) + friends(1...20, of: account)
        let planted = try await store.plantFriends(all, plainOptions())
        #expect(planted.plantedCount == 39)
        #expect(planted.knownCount == 1)
        #expect(try await store.garden(account).count == 19)
        let again = try await store.plantFriends(all, plainOptions())
        #expect(again.plantedCount == 0)
        #expect(again.knownCount == 40)
    }

    @Test("1.5: a friend with another id is recognized by phone")
    func otherID() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        try await service.multiply(plant, by: 3)
        let name = try ContactName("김하나")
        let known = try (1...3).map { number in
            let phone = try PhoneNumber(e164: "+8220\(10_000_000 + number)")
            return BulkFriend(accountID: account.id, contact: FriendContact(name: name, phones: [phone]))
        }
        let planted = try await service.store(at: now()).plantFriends(
            known + friends(2...3, of: account), plainOptions())
        #expect(planted.plantedCount == 2)
        #expect(planted.knownCount == 3)
        let plants = try await service.rows(of: "plant")
        #expect(plants == 1 + 3 + 2)
    }

    @Test("of two contacts with one phone the first counts")
    func repeated() async throws {
        let service = ServiceUnderTest()
        let now = try now()
        let account = try await service.account(at: now)
        let contacts = try [contact(1, name: "김하나"), contact(2), contact(1, name: "박하나", cycle: 3)]
        let planted = try await service.store(at: now).plantFriends(
            contacts.map { BulkFriend(accountID: account.id, contact: $0) }, plainOptions())
        #expect(planted.plantedCount == 2)
        #expect(planted.knownCount == 1)
        let plant = try await service.store(at: now).plant(plantID(1, of: account, service).description)
        #expect(plant.name.description == "김하나")
        #expect(plant.cycle.days == 7)
    }

    @Test("occurrences left by an undone import do no harm, and each friend is pushed once")
    func undoneImport() async throws {
        let service = ServiceUnderTest()
        let now = try now()
        let account = try await service.account(at: now)
        let store = service.store(at: now)
        let imported = try await store.importFriends(
            [contact(1)], to: account.id, importOptions(), fileName: "contacts.vcf")
        let batch = try #require(imported.batchID)
        _ = try await store.undoImport(batch.description)
        let left = try await rowCounts(service)
        #expect(left == [0, 0, 1])
        let planted = try await store.plantFriends(friends(1...2, of: account), plainOptions())
        #expect(planted.plantedCount == 2)
        let counts = try await rowCounts(service)
        #expect(counts == [2, 2, 3])
        try await service.run(at: seoul("2027-03-08T09:00"))
        let pushes = try await service.pushes().sorted()
        let sent = Array(repeating: "watering_due 2027-03-08 delivered sent", count: 2)
        #expect(pushes == sent + ["watering_due 2027-03-08 superseded erased"])
    }

    @Test("8.6: friends of an erased account are skipped, and the others are planted")
    func erasedAccount() async throws {
        let service = ServiceUnderTest()
        let now = try now()
        let store = service.store(at: now)
        let account = try await service.account(at: now)
        let erased = try await service.account(email: "gone@example.com", at: now)
        _ = try await store.eraseAccount(erased.id)
        let nobody = Account.ID(UUID.random(lane: 200))
        let friends = try [erased.id, nobody, account.id].map { BulkFriend(accountID: $0, contact: try contact(1)) }
        let planted = try await store.plantFriends(friends, plainOptions())
        #expect(planted.plantedCount == 1)
        #expect(planted.knownCount == 2)
        let plants = try await store.garden(account)
        let count = try await service.rows(of: "plant")
        #expect(plants.count == 1 && count == 1)
    }

    // MARK: Tags

    @Test("9.1, 9.4: missing tags are created once, and a friend without a cycle gets the shortest of its tags")
    func tags() async throws {
        let service = ServiceUnderTest()
        let now = try now()
        let store = service.store(at: now)
        let account = try await service.account(at: now)
        _ = try await store.addTag(TagName("Family"), colour: nil, cycle: Cycle(days: 3), to: account.id)
        _ = try await store.addTag(TagName("회사"), colour: nil, cycle: Cycle(days: 30), to: account.id)
        let contacts = [
            try contact(1, cycle: nil, tags: ["family", "회사", "new"]),
            try contact(2, cycle: nil, tags: ["new", "NEW"]),
            try contact(3, cycle: 10, tags: ["FAMILY"]), try contact(4, cycle: nil),
        ]
        let planted = try await store.plantFriends(
            contacts.map { BulkFriend(accountID: account.id, contact: $0) }, plainOptions(cycle: 14))
        #expect(planted.plantedCount == 4)
        #expect(planted.tagsLeftOutCount == 0)
        _ = try await store.plantFriends(friends(5...5, of: account, tags: ["New"]), plainOptions())
        let cycles = try await service.texts("SELECT cycle_days::text FROM plant ORDER BY phone")
        #expect(cycles == ["3", "14", "10", "14", "7"])
        let known = try await store.tags(of: account.id)
        let all = known.tags.map(\.name.description)
        #expect(all == ["Family", "new", "회사"])
        var names: [[String]] = []
        for number in 1...5 {
            let id = try await plantID(number, of: account, service)
            names.append(known.tags(of: id).map(\.name.description))
        }
        #expect(names == [["Family", "new", "회사"], ["new"], ["Family"], [], ["new"]])
    }

    @Test("9.1, 9.3: a friend has at most ten tags, an account a hundred; excess tags are counted, friends planted")
    func tagLimits() async throws {
        let service = ServiceUnderTest()
        let now = try now()
        let store = service.store(at: now)
        let account = try await service.account(at: now)
        let names = (1...99).map { "tag \($0)" }
        let first = try stride(from: 0, to: names.count, by: 10).map { start in
            let tags = Array(names[start..<min(start + 10, names.count)])
            return BulkFriend(accountID: account.id, contact: try contact(100 + start, tags: tags))
        }
        let filled = try await store.plantFriends(first, plainOptions())
        #expect(filled.tagsLeftOutCount == 0)
        let contacts = [
            try contact(1, tags: ["tag 1", "new 1", "new 2", "new 3"]), try contact(2, tags: Array(names.prefix(12))),
        ]
        let planted = try await store.plantFriends(
            contacts.map { BulkFriend(accountID: account.id, contact: $0) }, plainOptions())
        #expect(planted.plantedCount == 2)
        #expect(planted.tagsLeftOutCount == 2)
        let known = try await store.tags(of: account.id)
        #expect(known.tags.count == 100)
        let (squeezedID, taggedID) = (
            try await plantID(1, of: account, service), try await plantID(2, of: account, service)
        )
        let squeezed = known.tags(of: squeezedID).map(\.name.description)
        #expect(squeezed == ["new 1", "tag 1"])
        let tagged = known.tags(of: taggedID).map(\.name.description)
        #expect(Set(tagged) == Set(names.prefix(10)))
    }

    // MARK: Beside others

    @Test("concurrent calls with the same friends plant each once, with and without tags", arguments: [false, true])
    func atOnce(isTagged: Bool) async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let now = try now()
        var all: [BulkFriend] = []
        for lane in 0..<8 {
            let account = try await service.account(
                lane: Lane(UInt8(lane * 30)), email: "lane\(lane)@example.com", at: now)
            all += try friends(1...25, of: account, tags: isTagged ? ["work"] : [])
        }
        let (forward, backward) = (all, Array(all.reversed()))
        let options = try plainOptions()
        let results = await concurrently(6) { number in
            try await service.store(at: now).plantFriends(number.isMultiple(of: 2) ? forward : backward, options)
        }
        let planted = try results.map { try $0.get() }
        #expect(planted.map(\.plantedCount).reduce(0, +) == 200)
        #expect(planted.allSatisfy { $0.plantedCount + $0.knownCount == 200 })
        let counts = try await rowCounts(service)
        #expect(counts == [200, 200, 200])
        let tags = try await service.rows(of: "tag")
        let taggings = try await service.rows(of: "plant_tag")
        #expect(tags == (isTagged ? 8 : 0))
        #expect(taggings == (isTagged ? 200 : 0))
    }

    @Test("friends registered concurrently are planted once, too")
    func besideSingleCommands() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let now = try now()
        let account = try await service.account(at: now)
        let all = try friends(1...40, of: account)
        let options = try plainOptions()
        let results = await concurrently(8) { number in
            if number.isMultiple(of: 4) {
                _ = try await service.store(at: now).plantFriends(all, options)
            } else {
                _ = try await service.friend(of: account, number: number, at: now)
            }
        }
        for result in results where !result.isSuccess {
            let refusal = try #require(result.refusal)
            #expect(refusal.code == "duplicate_phone")
        }
        let counts = try await rowCounts(service)
        #expect(counts == [40, 40, 40])
    }

    @Test("plans move ahead of a lane's cursor, as in single commands; other lanes are unaffected")
    func behindTheCursor() async throws {
        let service = ServiceUnderTest()
        let (first, _) = try await service.garden()
        // Moves the cursor to the alarm of 2 March, 9:00.
        try await service.run(at: seoul("2027-03-02T09:30"))
        let now = try now()
        let second = try await service.account(email: "many@example.com", at: now)
        let elsewhere = try await service.account(lane: Lane(8), email: "other@example.com", at: now)
        let store = service.store(at: now)
        let alarms = [(2, "08:30"), (3, "09:00"), (4, "09:15")]
        for (number, alarm) in alarms {
            _ = try await service.friend(of: first, number: number, cycle: 1, alarm: alarm, at: now)
        }
        let bulk = try [second, elsewhere].flatMap { account in
            try alarms.map { number, alarm in
                BulkFriend(accountID: account.id, contact: try contact(number, cycle: 1, alarm: alarm))
            }
        }
        let planted = try await store.plantFriends(bulk, plainOptions())
        #expect(planted.plantedCount == 6)
        // Without the friend whose alarm moved the cursor.
        let oneByOne = try await rows(of: first, service).filter { !$0.hasPrefix("+821010000001 ") }
        let together = try await rows(of: second, service)
        #expect(together == oneByOne)
        let (early, ahead) = (try seoul("2027-03-02T08:30"), try seoul("2027-03-02T09:00").adding(microseconds: 1))
        let moved = try await store.plant(plantID(2, of: second, service).description)
        #expect(moved.plans.wateringDue?.at == ahead)
        let unmoved = try await store.plant(plantID(2, of: elsewhere, service).description)
        #expect(unmoved.plans.wateringDue?.at == early)
        let end = try seoul("2027-03-02T10:00")
        try await service.run(at: end)
        let unaccounted = try await service.unaccounted(upTo: end)
        #expect(unaccounted.isEmpty)
    }

    @Test("waits for a lane's scheduler, and plans ahead of the new cursor")
    func waitsForScheduler() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let now = try now()
        var all: [BulkFriend] = []
        for lane in [Lane(3), Lane(9)] {
            let account = try await service.account(lane: lane, email: "lane\(lane)@example.com", at: now)
            all.append(BulkFriend(accountID: account.id, contact: try contact(1, cycle: 1)))
        }
        let (store, friends, options) = (service.store(at: now), all, try plainOptions())
        let (morning, noon) = (try seoul("2027-03-02T09:00"), try seoul("2027-03-02T12:00"))
        try await service.pool.withConnection { connection in
            try await connection.script("BEGIN")
            _ = try await connection.query("SELECT 1 FROM lane WHERE lane = $1 FOR UPDATE", [Lane(9)])
            let planting = Task { try await store.plantFriends(friends, options) }
            let isWaiting = try await eventually { try await service.sessionsWaitingForLocks() == 1 }
            #expect(isWaiting)
            try await connection.execute("UPDATE lane SET cursor_at = $2 WHERE lane = $1", [Lane(9), noon])
            try await connection.script("COMMIT")
            let planted = try await planting.value
            #expect(planted.plantedCount == 2)
        }
        let alarms = try await service.pool.withConnection { connection in
            try await connection.query("SELECT at FROM occurrence ORDER BY lane").map { row in
                try row.decode(0, as: Instant.self)
            }
        }
        #expect(alarms == [morning, noon.adding(microseconds: 1)])
    }

    @Test("blocks the schedulers of its lanes, which then see its occurrences")
    func isNotOvertaken() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let now = try now()
        let first = try await service.account(lane: Lane(3), email: "first@example.com", at: now)
        let second = try await service.account(lane: Lane(9), email: "second@example.com", at: now)
        let friends = try [first, second].map { BulkFriend(accountID: $0.id, contact: try contact(1, cycle: 1)) }
        let (store, options) = (service.store(at: now), try plainOptions())
        // Otherwise the month's partition would be missing, and the locks would be released to create it.
        _ = try await store.plantFriends([BulkFriend(accountID: second.id, contact: try contact(2, cycle: 2))], options)
        let later = try seoul("2027-03-02T09:30")
        let batch = try await service.pool.withConnection { connection in
            try await connection.script("BEGIN")
            // It waits for this account while holding both lanes.
            _ = try await connection.query("SELECT 1 FROM account WHERE lane = $1 FOR UPDATE", [Lane(9)])
            let planting = Task { try await store.plantFriends(friends, options) }
            let plantingWaits = try await eventually { try await service.sessionsWaitingForLocks() == 1 }
            #expect(plantingWaits)
            let scheduling = Task { try await service.scheduler(at: later).schedule(Lane(3)) }
            let schedulerWaits = try await eventually { try await service.sessionsWaitingForLocks() == 2 }
            #expect(schedulerWaits)
            try await connection.script("COMMIT")
            _ = try await planting.value
            return try await scheduling.value
        }
        #expect(batch.enqueued == 1)
    }
}

/// Ids generated from a seed.
private final class SeededIdentifiers: Sendable {
    private let chance = Mutex(SplitMix64(seed: 7))

    func next() -> UUID { chance.withLock { $0.uuid() } }
}

@Suite("Adding very many accounts in SQL", .migratedDatabase, .serialized)
struct BulkAccountTests {
    private func now() throws -> Instant {
        try seoul("2027-03-01T10:00")
    }

    private func account(_ email: String, nickname: String = "민지") throws -> Account {
        Account(
            id: Account.ID(UUID()), email: try EmailAddress(email), nickname: try Nickname(nickname), phone: nil,
            timeZone: "Asia/Seoul", language: .korean)
    }

    @Test("8.5: accounts whose e-mail is taken, by another account or earlier in the list, in any case, are skipped")
    func takenEmails() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try now())
        let known = try await service.account(email: "Known@example.com", at: now())
        var detailed = try account("other@example.com")
        detailed.phone = try PhoneNumber(e164: "+821010000001")
        detailed.timeZone = "America/New_York"
        detailed.language = .english
        detailed.switches = NotificationSwitches(watering: false, review: true, birthday: true, withered: false)
        let list = try [
            account("known@EXAMPLE.com", nickname: "다른"), account("New@example.com", nickname: "첫째"),
            account("new@example.com", nickname: "둘째"), detailed,
        ]
        let added = try await store.addAccounts(list)
        #expect(added == [list[1].id, detailed.id])
        let found = try await store.accounts()
        #expect(found == [known, list[1], detailed])
        let again = try await store.addAccounts(list)
        #expect(again.isEmpty)
        let none = try await store.addAccounts([])
        #expect(none.isEmpty)
        let count = try await service.rows(of: "account")
        #expect(count == 3)
    }

    @Test("concurrent calls add each account once, whatever their order")
    func atOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let now = try now()
        let lists: [[Account]] = try (0..<6).map { number in
            let list = try (1...50).map { try account("person\($0)@example.com", nickname: "\(number)") }
            return number.isMultiple(of: 2) ? list : list.reversed()
        }
        let results = await concurrently(6) { try await service.store(at: now).addAccounts(lists[$0 - 1]) }
        let added = try results.map { try $0.get().count }
        #expect(added.reduce(0, +) == 50)
        let whole = try await service.count(
            """
            SELECT count(*) FROM account_email AS owner JOIN account ON account.lane = owner.lane
                AND account.id = owner.account_id AND lower(account.email) = owner.email
            """)
        let accounts = try await service.rows(of: "account")
        #expect(whole == 50 && accounts == 50)
    }

    @Test("accounts are found by e-mail in any case and by id; unknown ones are absent from the answer")
    func found() async throws {
        let service = ServiceUnderTest()
        let now = try now()
        let minji = try await service.account(at: now)
        let jisoo = try await service.account(lane: Lane(200), email: "Jisoo@example.com", at: now)
        let id = jisoo.id.description.uppercased()
        let found = try await service.store(at: now).accounts([
            "MINJI@example.com", "jisoo@example.com", id, "nobody@example.com", "no e-mail", "", UUID().uuidString,
        ])
        #expect(found == ["MINJI@example.com": minji, "jisoo@example.com": jisoo, id: jisoo])
    }
}
