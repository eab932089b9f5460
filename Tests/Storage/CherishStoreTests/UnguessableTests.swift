import CherishCore
import CherishTestSupport
import Foundation
import GardenGenerator
import Testing

@testable import CherishStore

/// Ids reveal no phone, neither by trying all numbers nor by comparing two databases.
@Suite("Ids that reveal no phone", .migratedDatabase, .serialized)
struct UnguessableTests {
    private func now() throws -> Instant { try seoul("2027-03-01T10:00") }

    /// How many plants have an id that is not version 4.
    private func guessableIDs(_ service: ServiceUnderTest) async throws -> Int {
        try await service.count("SELECT count(*) FROM plant WHERE substr(id::text, 15, 1) <> '4'")
    }

    @Test("the same friend of the same account has another id in each database, however it was added")
    func ids() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try now())
        let account = try await service.account(at: now())
        let empty = try await store.export(of: account.id)
        var ids: Set<Plant.ID> = []
        for _ in 1...2 {
            _ = try await store.seed([empty])
            ids.insert(try await service.friend(of: account, number: 1, at: now()).id)
            _ = try await store.importFriends(
                [registration(number: 2)], to: account.id, restoring: false, isDryRun: false)
            _ = try await store.plantFriends(
                [BulkFriend(accountID: account.id, contact: FriendContact(registration(number: 3)))],
                BulkOptions(cycle: Cycle(days: 7)))
            ids.formUnion(try await store.garden(account).map(\.id))
            #expect(try await guessableIDs(service) == 0)
            // A new database would not know any of this.
            _ = try await store.eraseAccount(account.id)
        }
        #expect(ids.count == 6)
    }

    /// A generated account as an older version would have exported it, with name-based ids.
    private func exportOfOlderVersion() throws -> AccountExport {
        let generator = GardenGenerator(seed: 11, now: try now(), zones: ServiceUnderTest.zones)
        // One with a friend brought back, so that an import names it.
        let export = try #require(try (0..<50).lazy.map { try generator.account($0) }.first { !$0.imports.isEmpty })
        func renamed(_ id: Plant.ID) -> Plant.ID {
            var bytes = id.uuid.uuid
            bytes.6 = bytes.6 & 0x0f | 0x50
            return Plant.ID(UUID(uuid: bytes))
        }
        var older = export
        older.plants = export.plants.map { history in
            let plant = history.plant
            var history = history
            history.plant = Plant(
                id: renamed(plant.id), accountID: plant.accountID, name: plant.name, phone: plant.phone,
                nickname: plant.nickname, birthday: plant.birthday, cycle: plant.cycle, alarmTime: plant.alarmTime,
                plantedOn: plant.plantedOn, lastWateredOn: plant.lastWateredOn, dueOn: plant.dueOn,
                dueSource: plant.dueSource, affection: plant.affection, wateringCount: plant.wateringCount,
                postponementCount: plant.postponementCount, pushesEnabled: plant.pushesEnabled,
                isFavourite: plant.isFavourite, plans: plant.plans, archivedAt: plant.archivedAt,
                restoredOn: plant.restoredOn, version: plant.version, modifiedAt: plant.modifiedAt)
            return history
        }
        older.pushes = export.pushes.map { push in
            let planned = push.occurrence
            return ExportedPush(
                occurrence: Occurrence(
                    at: planned.at, accountID: planned.accountID,
                    subjectID: renamed(Plant.ID(planned.subjectID)).subject, topic: planned.topic, ref: planned.ref),
                end: push.end)
        }
        older.imports = export.imports.map { batch in
            ImportBatch(
                id: batch.id, importedAt: batch.importedAt, fileName: batch.fileName, tagIDs: batch.tagIDs,
                changes: batch.changes.map {
                    ImportBatch.Change(plantID: renamed($0.plantID), kind: $0.kind, archivedAt: $0.archivedAt)
                })
        }
        return older
    }

    @Test("an export of an older version gets random ids in plants, pushes and imports alike; again it is known")
    func olderExport() async throws {
        let service = ServiceUnderTest()
        let store = service.store(at: try now())
        let older = try exportOfOlderVersion()
        #expect(try await store.seed([older]) == [.written])
        #expect(try await guessableIDs(service) == 0)
        let read = try await store.export(of: older.account.id)
        #expect(Set(read.plants.map(\.plant.id)).isDisjoint(with: older.plants.map(\.plant.id)))
        #expect(Set(read.plants.map(\.plant.phone)) == Set(older.plants.map(\.plant.phone)))
        let ids = Set(read.plants.map(\.plant.id))
        #expect(read.pushes.count == older.pushes.count)
        #expect(read.pushes.allSatisfy { ids.contains(Plant.ID($0.occurrence.subjectID)) })
        #expect(read.imports.flatMap(\.changes).allSatisfy { ids.contains($0.plantID) })
        let before = try await service.fingerprint()
        #expect(try await store.seed([older]) == [.known])
        #expect(try await service.fingerprint() == before)
        // Pending occurrences are pushed under the new ids.
        let last = try #require(older.pushes.filter { $0.end == nil }.map(\.occurrence.at).max())
        try await service.run(at: last.adding(hours: 1))
        // Ended ones are restored without their occurrence in the calendar.
        #expect(try await service.unaccounted(upTo: last).filter { $0.contains("planned t") }.isEmpty)
        // An export of this database keeps its ids.
        _ = try await store.eraseAccount(older.account.id)
        #expect(try await store.seed([read]) == [.written])
        #expect(Set(try await store.export(of: older.account.id).plants.map(\.plant.id)) == ids)
    }
}
