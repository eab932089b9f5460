import CherishCore
import CherishTestSupport
import Postgres
import Testing

@testable import CherishStore

@Suite("Undoing imports in SQL", .migratedDatabase, .serialized)
struct UndoTests {
    /// What an account sees, except the traces of imports.
    private func garden(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT (to_jsonb(plant) - ARRAY['version', 'modified_at'])::text || coalesce(string_agg(tag.name, ',' ORDER BY tag.name), '') FROM plant
            LEFT JOIN plant_tag ON plant_tag.plant_id = plant.id LEFT JOIN tag ON tag.id = plant_tag.tag_id
            GROUP BY plant.* ORDER BY 1
            """)
    }

    private func contact(_ number: Int, name: String = "김하나", birthday: String? = nil, tags: [String] = []) throws
        -> FriendContact
    {
        var contact = FriendContact(try registration(number: number, name: name, birthday: birthday))
        contact.tags = try tags.map { text throws(CareError) in try TagName(text) }
        return contact
    }

    private func planted(_ result: ImportResult) -> [Plant] {
        result.outcomes.compactMap { outcome -> Plant? in
            guard case .planted(let plant) = outcome else { return nil }
            return plant
        }
    }

    @discardableResult
    private func undo(_ result: ImportResult, _ store: CareStore) async throws -> UndoneImport {
        let batch = try #require(result.batchID)
        return try await store.undoImport(batch.description)
    }

    @Test("planted, renamed, filled and tagged friends are as before, new tags are gone, and importing again works")
    func everything() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        let before = try await garden(service)
        let contacts = [
            try contact(1, name: "박하나", birthday: "05-21", tags: ["가족"]), try contact(2, tags: ["가족", "친구"]),
        ]
        let options = try importOptions(merging: true)
        let first = try await store.importFriends(contacts, to: account.id, options, fileName: "a.vcf")
        #expect(try await garden(service) != before)
        let batch = try #require(first.batchID)
        let undone = try await store.undoImport(String(batch.description.prefix(8)))
        #expect(undone.deletedCount == 1)
        #expect(undone.revertedCount == 1)
        #expect(undone.kept.isEmpty)
        #expect(try await garden(service) == before)
        #expect(try await service.rows(of: "tag") == 0)
        await #expect(throws: CareError.importUndone) { _ = try await store.undoImport(batch.description) }
        // The friend is now another plant; the old plant's alarm is still in the calendar, and leads nowhere.
        let again = try await store.importFriends(contacts, to: account.id, options, fileName: "a.vcf")
        #expect(again.outcomes.count == first.outcomes.count)
        #expect(planted(again).map(\.phone) == planted(first).map(\.phone))
        #expect(planted(again).map(\.id) != planted(first).map(\.id))
        #expect(try await store.imports(account).map(\.undoneAt).filter { $0 == nil }.count == 1)
    }

    @Test("a friend watered since stays, and is reported")
    func caredFor() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: try seoul("2027-02-23T10:00"))
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        let result = try await store.importFriends(
            [contact(1), contact(2)], to: account.id, importOptions(), fileName: "a.vcf")
        guard case .planted(let plant) = result.outcomes[0] else {
            Issue.record("the first contact was not planted")
            return
        }
        _ = try await store.water(plant.reference, WateringRequest(method: .call))
        let batch = try #require(result.batchID)
        let undone = try await store.undoImport(batch.description)
        #expect(undone.deletedCount == 1)
        #expect(undone.kept.map(\.plant.id) == [plant.id])
        #expect(undone.kept.map(\.obstacle) == [.caredFor])
        #expect(try await store.garden(account).map(\.id) == [plant.id])
    }

    @Test("1.10: new friends changed since stay unchanged, each with the reason")
    func builtUpon() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: try seoul("2027-02-23T10:00"))
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        let result = try await store.importFriends(
            (1...6).map { try contact($0) }, to: account.id, importOptions(), fileName: "a.vcf")
        let plants = planted(result)
        try #require(plants.count == 6)
        var nickname = PlantEdit()
        nickname.nickname = "단짝"
        _ = try await store.editFriend(plants[0].reference, nickname)
        _ = try await store.editFriend(plants[1].reference, plantEdit(cycle: 9))
        _ = try await store.addTag(TagName("가족"), colour: nil, cycle: nil, to: account.id)
        _ = try await store.editFriend(plants[2].reference, PlantEdit(), Tagging(adding: [TagName("가족")]))
        _ = try await store.water(plants[3].reference, WateringRequest(method: .call))
        _ = try await store.removeFriend(plants[4].reference)
        let before = Set(try await garden(service))
        let undone = try await undo(result, store)
        #expect(undone.deletedCount == 1)
        #expect(undone.revertedCount == 0)
        let obstacles = Dictionary(uniqueKeysWithValues: undone.kept.map { ($0.plant.id, $0.obstacle) })
        #expect(
            obstacles == [
                plants[0].id: .edited, plants[1].id: .edited, plants[2].id: .edited, plants[3].id: .caredFor,
                plants[4].id: .removed,
            ])
        let after = Set(try await garden(service))
        #expect(after.count == 5)
        #expect(after.isSubset(of: before))
    }

    @Test("a friend brought back is removed again as of the same instant, and everything is as before")
    func restored() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        _ = try await service.store(at: seoul("2027-02-23T11:00")).water(
            plant.reference, WateringRequest(method: .call))
        let removed = try await service.store(at: seoul("2027-02-24T10:00")).removeFriend(plant.reference)
        let before = try await garden(service) + service.texts("SELECT cycle_change::text FROM cycle_change")
        let store = service.store(at: try seoul("2027-02-25T10:00"))
        let result = try await store.importFriends(
            [contact(1, name: "박하나", tags: ["가족"])], to: account.id, importOptions(restoring: true),
            fileName: "a.vcf")
        let undone = try await undo(result, store)
        #expect(undone.revertedCount == 1)
        let after = try await garden(service) + service.texts("SELECT cycle_change::text FROM cycle_change")
        #expect(after == before)
        let again = try await store.plant(plant.id.description)
        #expect(try again == removed.changedTwice(at: seoul("2027-02-25T10:00")))
        try await service.run(at: seoul("2027-03-20T10:00"))
        #expect(await service.sender.sent.isEmpty)
    }

    @Test("a friend brought back and watered for an earlier day since stays, with name and tags")
    func restoredAndWatered() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        _ = try await service.store(at: seoul("2027-02-24T10:00")).water(
            plant.reference, WateringRequest(method: .call))
        _ = try await service.store(at: seoul("2027-02-24T11:00")).removeFriend(plant.reference)
        let store = service.store(at: try seoul("2027-02-25T10:00"))
        let result = try await store.importFriends(
            [contact(1, name: "박하나", tags: ["가족"])], to: account.id, importOptions(restoring: true),
            fileName: "a.vcf")
        _ = try await store.water(
            plant.reference, WateringRequest(method: .call, day: civilDay("2027-02-23")))
        let before = try await garden(service)
        let undone = try await undo(result, store)
        #expect(undone.revertedCount == 0)
        #expect(undone.kept.map(\.obstacle) == [.caredFor])
        let after = try await garden(service)
        #expect(after == before)
    }

    @Test("a friend who got only tags counts as reverted")
    func onlyTags() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-24T10:00"))
        let before = try await garden(service)
        let result = try await store.importFriends(
            [contact(1, tags: ["가족"])], to: account.id, importOptions(merging: true), fileName: "a.vcf")
        // Tags are part of the friend that its account sees, so its version grows (rule 14.1).
        let version: SQL = "SELECT concat_ws(' ', version, modified_at AT TIME ZONE 'Asia/Seoul') FROM plant"
        #expect(try await service.texts(version) == ["2 2027-02-24 10:00:00"])
        let undone = try await undo(result, store)
        #expect(try await service.texts(version) == ["3 2027-02-24 10:00:00"])
        #expect(undone.revertedCount == 1)
        #expect(undone.kept.isEmpty)
        let after = try await garden(service)
        #expect(after == before)
    }

    @Test("changes naming another account's plants and tags leave them alone")
    func otherAccount() async throws {
        let service = ServiceUnderTest()
        let (_, plant) = try await service.garden(email: "jun@example.com")
        let now = try seoul("2027-02-24T10:00")
        let store = service.store(at: now)
        let account = try await service.account(at: now)
        let tag = try await store.addTag(TagName("가족"), colour: nil, cycle: nil, to: plant.accountID)
        let result = try await store.importFriends([contact(2)], to: account.id, importOptions(), fileName: "a.vcf")
        // As in a document edited by hand.
        try await service.execute(
            "UPDATE import_change SET plant_id = $1, care_count = NULL, fingerprint = NULL", [plant.id])
        try await service.execute("UPDATE import_batch SET tag_ids = ARRAY[$1::uuid]", [tag.id])
        let undone = try await undo(result, store)
        #expect(undone.deletedCount == 0)
        let untouched = try await store.plant(plant.id.description)
        #expect(untouched == plant)
        let tagCount = try await service.rows(of: "tag")
        #expect(tagCount == 1)
    }

    @Test("a friend planted anew is not affected by undoing changes to the old one")
    func plantedAnew() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-02-24T10:00")
        let store = service.store(at: now)
        let account = try await service.account(at: now)
        func importFriend(_ name: String) async throws -> ImportResult {
            try await store.importFriends([contact(1, name: name)], to: account.id, importOptions(), fileName: "a.vcf")
        }
        let first = try await importFriend("김하나")
        let renaming = try await importFriend("박하나")
        _ = try await importFriend("김하나")
        let undone = try await undo(first, store)
        #expect(undone.deletedCount == 1)
        let anew = planted(try await importFriend("박하나"))
        #expect(anew.map(\.phone) == planted(first).map(\.phone))
        #expect(anew.map(\.id) != planted(first).map(\.id))
        let nothing = try await undo(renaming, store)
        #expect(nothing.revertedCount == 0)
        let plants = try await store.garden(account)
        #expect(plants == anew)
    }

    @Test("an account exported and restored undoes its imports as if it had stayed")
    func readBack() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let removed = try await service.store(at: seoul("2027-02-24T10:00")).removeFriend(plant.reference)
        let store = service.store(at: try seoul("2027-02-25T10:00"))
        let result = try await store.importFriends(
            [contact(1, name: "박하나", tags: ["가족"]), contact(2)], to: account.id, importOptions(restoring: true),
            fileName: "a.vcf")
        let export = try await store.export(of: account.id)
        _ = try await store.eraseAccount(account.id)
        _ = try await store.seed([export])
        let again = try await store.export(of: account.id)
        #expect(again.imports == export.imports)
        let undone = try await undo(result, store)
        #expect(undone.deletedCount == 1)
        #expect(undone.revertedCount == 1)
        let plants = try await store.export(of: account.id).plants
        #expect(try plants.map(\.plant) == [removed.changedTwice(at: seoul("2027-02-25T10:00"))])
    }

    @Test("more friends than fit one round trip are renamed, and get their names back")
    func many() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-02-24T10:00")
        let store = service.store(at: now)
        let account = try await service.account(at: now)
        _ = try await store.importFriends(
            (1...1001).map { try contact($0) }, to: account.id, importOptions(), fileName: "a.vcf")
        let before = try await garden(service)
        let renaming = try await store.importFriends(
            (1...1001).map { try contact($0, name: "박하나") }, to: account.id, importOptions(), fileName: "b.vcf")
        let undone = try await undo(renaming, store)
        #expect(undone.revertedCount == 1001)
        let after = try await garden(service)
        #expect(after == before)
    }

    @Test("all missing months of an import are created at once, however many pieces need them")
    func missingMonths() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let january = try instant("2031-01-15T00:00:00Z")
        let occurrences = (0..<12).map { month in
            plant.occurrence(.birthday, PlannedMoment(ref: month, at: january.adding(hours: month * 730)))
        }
        let before = try await service.rows(of: "occurrence")
        try await service.store(at: seoul("2027-02-24T10:00")).command(in: account.id.lane) { command in
            try await command.planMany(occurrences, inPiecesOf: 1)
        }
        let after = try await service.rows(of: "occurrence")
        #expect(after == before + 12)
    }

    @Test("an import into a calendar without months finds that out with a few friends, before it writes all")
    func missingMonthsBeforeFriends() async throws {
        let service = ServiceUnderTest(maximumConnections: 1)
        /// Closes the connections that have written plants, which then report what they wrote, and counts it.
        func written(after pool: ConnectionPool) async throws -> Int {
            await pool.close()
            let others: SQL = """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
                """
            try await eventually("no other connection is open") { try await service.count(others) == 0 }
            return try await service.count("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relid = 'plant'::regclass")
        }
        let first = ServiceUnderTest()
        let (account, _) = try await first.garden()
        let before = try await written(after: first.pool)
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        let store = CareStore(pool: pool, zones: ServiceUnderTest.zones, time: .fixed(try seoul("2031-02-24T10:00")))
        let imported = try await store.importFriends(
            (2...9).map { try contact($0) }, to: account.id, importOptions(), fileName: "contacts.vcf")
        let after = try await written(after: pool)
        #expect(imported.outcomes.count == 8)
        // Rows of the transaction that was rolled back count, too: one friend.
        #expect(after - before == 9)
    }

    /// What an account sees and its history, without planned occurrences.
    private func care(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT concat_ws('|', id, name, nickname, birthday_year, birthday_month, birthday_day, cycle_days,
                alarm_minute, restored_on, last_watered_on, due_on, due_source, affection, watering_count, postponement_count,
                pushes_enabled, is_favourite, removed_at) FROM plant
            UNION ALL SELECT cycle_change::text FROM cycle_change
            UNION ALL SELECT plant_tag::text FROM plant_tag
            UNION ALL SELECT tag::text FROM tag ORDER BY 1
            """)
    }

    @Test(
        "1.10: an import undone at once leaves an account as it was, after any history",
        arguments: [6, 7] as [UInt64])
    func random(seed: UInt64) async throws {
        let service = ServiceUnderTest()
        var history = try await RandomHistory(seed: seed, service: service, erasesAccounts: false)
        for _ in 1...40 {
            try await history.step()
            if history.chance(30) { try await service.run(at: history.now) }
            let before = try await care(service)
            try await history.importAndUndo()
            let after = try await care(service)
            #expect(after == before)
        }
        let undone = try await service.count("SELECT count(*) FROM import_batch WHERE undone_at IS NOT NULL")
        #expect(undone >= 40)
    }

    @Test("1.9: more than twenty new friends of one cycle are due on different days, and pushed on their day")
    func spread() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: try seoul("2027-02-23T10:00"))
        let contacts = try (1...300).map { try contact($0) }
        var options = try importOptions(spreading: nil)
        options.cycle = try Cycle(days: 30)
        for index in contacts.indices { #expect(contacts[index].cycle?.days == 7) }
        let thirty = contacts.map { contact in
            var contact = contact
            contact.cycle = nil
            return contact
        }
        let result = try await service.store(at: seoul("2027-02-23T10:00")).importFriends(
            thirty, to: account.id, options, fileName: "a.vcf")
        #expect(result.isSpread)
        let perDay = try await service.texts("SELECT count(*)::text FROM plant GROUP BY due_on")
        #expect(perDay == Array(repeating: "10", count: 30))
        let days = try await service.texts("SELECT min(due_on)::text || ' ' || max(due_on)::text FROM plant")
        #expect(days == ["2027-02-24 2027-03-25"])
        try await service.run(at: seoul("2027-02-24T10:00"))
        #expect(await service.sender.sent.count == 10)
    }
}

extension Plant {
    /// Undoing is a change, too: the version goes on after the one of the import.
    fileprivate func changedTwice(at now: Instant) -> Plant {
        var plant = self
        (plant.version, plant.modifiedAt) = (version + 2, now)
        return plant
    }
}
