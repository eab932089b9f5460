import CherishCore
import CherishStore
import CherishTestSupport
import GardenGenerator
import Testing

@Suite("Accounts that leave and come back", .migratedDatabase, .serialized)
struct ArchiveTests {
    private func generator(_ now: Instant) -> GardenGenerator {
        GardenGenerator(
            seed: 11, now: now, zones: ServiceUnderTest.zones,
            plantID: { UniqueIdentifiers.plant(account: $0, phone: $1, removedBefore: 0) })
    }

    @Test("an account with a past, written into an empty database, reads back as it was; again it changes nothing")
    func roundTrip() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        let store = service.store(at: now)
        let archives = try (0..<6).map { try generator(now).account($0) }
        #expect(archives.contains { $0.plants.contains { !$0.postponements.isEmpty } })
        #expect(try await store.restore(archives) == Array(repeating: .written, count: 6))
        for archive in archives { #expect(try await store.archive(of: archive.account.id) == archive) }
        let before = try await service.fingerprint()
        #expect(try await store.restore(archives) == Array(repeating: .known, count: 6))
        #expect(try await service.fingerprint() == before)
    }

    @Test("7.8: what was still to come is pushed, and everything has one outcome")
    func pending() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        let archive = try generator(now).account(0)
        _ = try await service.store(at: now).restore([archive])
        let pending = archive.pushes.filter { $0.end == nil }
        #expect(!pending.isEmpty)
        let later = try #require(pending.map(\.occurrence.at).max())
        try await service.run(at: later.adding(hours: 1))
        #expect(try await service.count("SELECT count(*) FROM push WHERE outcome IS NULL") == 0)
        #expect(try await service.rows(of: "push") == archive.pushes.count)
    }

    @Test("an e-mail that another account has refuses all accounts that came together")
    func takenEmail() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        var archives = try (0..<2).map { try generator(now).account($0) }
        _ = try await service.account(at: now)
        archives[1].account.email = try EmailAddress("Minji@example.com")
        let before = try await service.fingerprint()
        let refused = archives
        await #expect(throws: CareError.duplicateEmail("Minji@example.com")) {
            _ = try await service.store(at: now).restore(refused)
        }
        #expect(try await service.fingerprint() == before)
    }
}
