import CherishCore
import CherishStore
import CherishTestSupport
import Foundation
import Testing

extension ImportOutcome {
    fileprivate var name: String {
        switch self {
        case .planted: "planted"
        case .updated(_, let isRenamed, let isFilled): isFilled ? isRenamed ? "both" : "filled" : "renamed"
        case .restored: "restored"
        case .unchanged: "unchanged"
        case .removedBefore: "removedBefore"
        case .otherNumber: "otherNumber"
        case .repeated(let earlier): "repeated \(earlier)"
        case .merged(let earlier): "merged \(earlier)"
        }
    }

    fileprivate var plant: Plant? {
        switch self {
        case .planted(let plant), .updated(let plant, _, _), .restored(let plant), .unchanged(let plant),
            .removedBefore(let plant), .otherNumber(let plant):
            plant
        case .repeated, .merged: nil
        }
    }
}

@Suite("Importing friends in SQL", .migratedDatabase, .serialized)
struct ImportTests {
    private func now() throws -> Instant {
        try seoul("2027-03-01T10:00")
    }

    /// A living plant (1), another one (2) and a removed one (3).
    private func knownGarden(_ service: ServiceUnderTest) async throws -> (account: Account, plants: [Plant]) {
        let (account, plant) = try await service.garden()
        let registered = try seoul("2027-02-23T10:00")
        let second = try await service.friend(of: account, number: 2, at: registered)
        let third = try await service.friend(of: account, number: 3, at: registered)
        let removed = try await service.store(at: seoul("2027-02-24T10:00")).removeFriend(third.reference)
        return (account, [plant, second, removed])
    }

    private func contacts() throws -> [Registration] {
        try [
            registration(number: 1), registration(number: 2, name: "박두리"), registration(number: 3),
            registration(number: 4, birthday: "02-29"), registration(number: 4, name: "김넷"),
        ]
    }

    @Test("1.1, 1.5, 1.8: each contact is planted, unchanged, renamed, removed before or repeated")
    func outcomes() async throws {
        let service = ServiceUnderTest()
        let (account, known) = try await knownGarden(service)
        let store = service.store(at: try now())
        let outcomes = try await store.importFriends(contacts(), to: account.id, restoring: false, isDryRun: false)
        #expect(outcomes.map(\.name) == ["unchanged", "renamed", "removedBefore", "planted", "repeated 3"])
        for plant in outcomes.compactMap(\.plant) {
            #expect(try await store.plant(plant.id.description) == plant)
        }
        let planted = try #require(outcomes[3].plant)
        let renamed = try #require(outcomes[1].plant)
        #expect(renamed.id == known[1].id)
        #expect(renamed.name.description == "박두리")
        // The nickname was never chosen, so it follows.
        #expect(renamed.nickname.description == "박두리")
        // Whoever saw the friend before may not overwrite it (rule 14.1).
        #expect(try renamed.version == known[1].version + 1 && renamed.modifiedAt == now())
        #expect(outcomes[0].plant?.version == known[0].version && planted.version == 1)
        #expect(try await service.rows(of: "plant") == 4)
        #expect(
            try await service.texts("SELECT source::text FROM cycle_change WHERE plant_id = $1", [planted.id])
                == ["registration"])
        #expect(try await service.calendar().last == "watering_due 2027-03-08 2027-03-08T00:00:00Z")
    }

    @Test("a second import of the same contacts changes nothing")
    func twice() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await knownGarden(service)
        let store = service.store(at: try now())
        _ = try await store.importFriends(contacts(), to: account.id, restoring: false, isDryRun: false)
        let before = try await service.fingerprint()
        let outcomes = try await store.importFriends(contacts(), to: account.id, restoring: false, isDryRun: false)
        #expect(outcomes.map(\.name) == ["unchanged", "unchanged", "removedBefore", "unchanged", "repeated 3"])
        #expect(try await service.fingerprint() == before)
    }

    @Test("a dry run reports the same and writes nothing", arguments: [false, true])
    func dryRun(restoring: Bool) async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await knownGarden(service)
        let store = service.store(at: try now())
        let before = try await service.fingerprint()
        let predicted = try await store.importFriends(
            contacts(), to: account.id, restoring: restoring, isDryRun: true)
        #expect(try await service.fingerprint() == before)
        let done = try await store.importFriends(contacts(), to: account.id, restoring: restoring, isDryRun: false)
        // Ids are random.
        #expect(predicted.map(\.name) == done.map(\.name))
        func summary(_ outcomes: [ImportOutcome]) -> [String?] {
            outcomes.map {
                $0.plant.map {
                    "\($0.phone) \($0.name) \($0.nickname) \($0.dueOn) \($0.plans.wateringDue?.at.description ?? "")"
                }
            }
        }
        #expect(summary(predicted) == summary(done))
        #expect(try await service.fingerprint() != before)
    }

    @Test("1.8: a removed friend comes back only on request, with its history and a new cycle")
    func restoring() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let registered = try seoul("2027-02-23T10:00")
        _ = try await service.store(at: registered).water(plant.reference, WateringRequest(method: .call))
        _ = try await service.store(at: seoul("2027-02-24T10:00")).removeFriend(plant.reference)
        let store = service.store(at: try now())
        let outcomes = try await store.importFriends(
            [registration()], to: account.id, restoring: true, isDryRun: false)
        #expect(outcomes.map(\.name) == ["restored"])
        let restored = try await store.plant(plant.id.description)
        #expect(outcomes.compactMap(\.plant) == [restored])
        #expect(try restored.version == 4 && restored.modifiedAt == now())
        #expect(restored.archivedAt == nil)
        #expect(restored.dueOn.description == "2027-03-08")
        #expect(restored.affection.points == 8)
        #expect(restored.wateringCount == 1)
        #expect(
            try await service.texts(
                "SELECT concat_ws(' ', due_on, source) FROM cycle_change ORDER BY changed_at")
                == ["2027-03-02 registration", "2027-03-08 registration"])
        try await service.run(at: seoul("2027-03-08T09:00"))
        #expect(try await service.pushes(.wateringDue).last == "watering_due 2027-03-08 delivered sent")
        #expect(await service.sender.sent.map(\.topic) == [.wateringDue])
    }

    @Test("1.8: a removed friend with another first number stays removed, and comes back as the same plant")
    func removedWithOtherNumber() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        _ = try await service.store(at: seoul("2027-02-24T10:00")).removeFriend(plant.reference)
        var contact = FriendContact(try registration(number: 2))
        contact.phones.append(plant.phone)
        let store = service.store(at: try now())
        let without = try await store.importFriends([contact], to: account.id, importOptions(), fileName: "a.vcf")
        #expect(without.outcomes.map(\.name) == ["removedBefore"])
        #expect(without.batchID == nil)
        let restored = try await store.importFriends(
            [contact], to: account.id, importOptions(restoring: true), fileName: "a.vcf")
        #expect(restored.outcomes.map(\.name) == ["restored"])
        let garden = try await store.garden(account)
        #expect(garden.map(\.id) == [plant.id])
        #expect(garden.map(\.phone) == [plant.phone])
        #expect(try await service.rows(of: "plant") == 1)
    }

    @Test("1.5: a name beginning with invisible letters is planted with a nickname")
    func invisibleBeginning() async throws {
        let service = ServiceUnderTest()
        let registered = try now()
        let account = try await service.account(at: registered)
        let name = String(repeating: "\u{115F}\u{1160}", count: 20) + "a"
        let outcomes = try await service.store(at: registered).importFriends(
            [registration(name: name)], to: account.id, restoring: false, isDryRun: false)
        #expect(outcomes.map(\.name) == ["planted"])
        #expect(try await service.texts("SELECT nickname FROM plant") == ["a"])
    }

    @Test("9.1: a friend with ten tags gets no tag, and nothing is written")
    func tenTags() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = service.store(at: try now())
        let names = try (1...10).map { try TagName("tag \($0)") }
        for name in names { _ = try await store.addTag(name, colour: nil, cycle: nil, to: account.id) }
        _ = try await store.editFriend(plant.reference, PlantEdit(), Tagging(adding: names))
        let before = try await service.fingerprint()
        var contact = FriendContact(try registration(number: 1))
        contact.tags = [try TagName("가족")]
        let result = try await store.importFriends(
            [contact], to: account.id, importOptions(merging: true), fileName: "a.vcf")
        #expect(result.outcomes.map(\.name) == ["unchanged"])
        #expect(result.newTags.isEmpty)
        #expect(try await service.fingerprint() == before)
    }

    @Test("an import longer than one pipeline is written whole, even if its alarms need new partitions")
    func long() async throws {
        let service = ServiceUnderTest()
        let registered = try now()
        let account = try await service.account(at: registered)
        let contacts = try (1...300).map { try registration(number: $0, cycle: 1 + $0 % 90) }
        let outcomes = try await service.store(at: registered).importFriends(
            contacts, to: account.id, restoring: false, isDryRun: false)
        #expect(outcomes.filter { $0.name == "planted" }.count == 300)
        for table in ["plant", "cycle_change", "occurrence"] { #expect(try await service.rows(of: table) == 300) }
    }

    @Test("concurrent imports and registrations of the same friends plant each once")
    func atOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let registered = try now()
        let account = try await service.account(at: registered)
        let contacts = try (1...20).map { try registration(number: $0) }
        let results = await concurrently(6) { number in
            if number.isMultiple(of: 2) {
                _ = try await service.friend(of: account, number: number, at: registered)
            } else {
                _ = try await service.store(at: registered).importFriends(
                    contacts, to: account.id, restoring: false, isDryRun: false)
            }
        }
        for result in results {
            if case .failure(let error) = result {
                let refusal = try #require(error as? CareError)
                #expect(refusal.code == "duplicate_phone")
            }
        }
        #expect(try await service.rows(of: "plant") == 20)
        #expect(try await service.rows(of: "cycle_change") == 20)
        #expect(try await service.rows(of: "occurrence") == 20)
    }
}
