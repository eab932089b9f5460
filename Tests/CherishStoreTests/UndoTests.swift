import CherishCore
import CherishStore
import CherishTestSupport
import Testing

@Suite("Undoing imports in SQL", .migratedDatabase, .serialized)
struct UndoTests {
    /// What an account sees, without what only tells that there were imports.
    private func garden(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT plant::text || coalesce(string_agg(tag.name, ',' ORDER BY tag.name), '') FROM plant
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

    @Test("planted, renamed, filled and tagged friends are as before, new tags are gone, and it can be imported again")
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
        let after = try await garden(service)
        #expect(after != before)
        let batch = try #require(first.batchID)
        let undone = try await store.undoImport(String(batch.description.prefix(8)))
        #expect(undone.deletedCount == 1)
        #expect(undone.revertedCount == 1)
        #expect(undone.kept.isEmpty)
        #expect(try await garden(service) == before)
        #expect(try await service.rows(of: "tag") == 0)
        await #expect(throws: CareError.importUndone) { _ = try await store.undoImport(batch.description) }
        // Its alarm is in the calendar still; the same friend points at it again.
        let again = try await store.importFriends(contacts, to: account.id, options, fileName: "a.vcf")
        #expect(again.outcomes == first.outcomes)
        #expect(try await garden(service) == after)
        #expect(try await store.imports(account).map(\.undoneAt).filter { $0 == nil }.count == 1)
    }

    @Test("a friend who was cared for since stays, and is named")
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

    @Test("a restored friend is removed again since the same instant")
    func restored() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let removed = try await service.store(at: seoul("2027-02-24T10:00")).removeFriend(plant.reference)
        let store = service.store(at: try seoul("2027-02-25T10:00"))
        let result = try await store.importFriends(
            [contact(1)], to: account.id, importOptions(restoring: true), fileName: "a.vcf")
        let batch = try #require(result.batchID)
        _ = try await store.undoImport(batch.description)
        #expect(try await store.plant(plant.id.description).archivedAt == removed.archivedAt)
        try await service.run(at: seoul("2027-03-20T10:00"))
        #expect(await service.sender.sent.isEmpty)
    }

    @Test("1.9: more than twenty new friends of one cycle thirst on different days, and each is told on its own")
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
