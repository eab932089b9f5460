import CherishCore
import CherishStore
import CherishTestSupport
import Foundation
import GardenGenerator
import Testing

@Suite("Exporting and restoring accounts", .migratedDatabase, .serialized)
struct ExportTests {
    private func generator(_ now: Instant) -> GardenGenerator {
        GardenGenerator(seed: 11, now: now, zones: ServiceUnderTest.zones)
    }

    @Test("an account with a past, restored into an empty database, exports the same; doing it again changes nothing")
    func roundTrip() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        let store = service.store(at: now)
        let exports = try (0..<6).map { try generator(now).account($0) }
        #expect(exports.contains { $0.plants.contains { !$0.postponements.isEmpty } })
        #expect(try await store.seed(exports) == Array(repeating: .written, count: 6))
        for export in exports { #expect(try await store.export(of: export.account.id) == export) }
        let before = try await service.fingerprint()
        #expect(try await store.seed(exports) == Array(repeating: .known, count: 6))
        #expect(try await service.fingerprint() == before)
    }

    @Test("7.8: upcoming occurrences are pushed, and everything has one outcome")
    func pending() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        let export = try generator(now).account(0)
        _ = try await service.store(at: now).seed([export])
        let pending = export.pushes.filter { $0.end == nil }
        #expect(!pending.isEmpty)
        let later = try #require(pending.map(\.occurrence.at).max())
        try await service.run(at: later.adding(hours: 1))
        #expect(try await service.count("SELECT count(*) FROM push WHERE outcome IS NULL") == 0)
        #expect(try await service.rows(of: "push") == export.pushes.count)
    }

    @Test("an account erased and restored exports every push once, although the log still has the ended ones")
    func erasedAndReadBack() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        let made = try generator(now).account(0)
        _ = try await service.store(at: now).seed([made])
        // Some were restored as ended, others ended as jobs of this database.
        let pending = made.pushes.filter { $0.end == nil }.map(\.occurrence.at)
        let first = try #require(pending.min())
        let later = first.adding(hours: 24)
        try await service.run(at: later)
        let store = service.store(at: later)
        let export = try await store.export(of: made.account.id)
        _ = try await store.eraseAccount(made.account.id)
        #expect(try await store.seed([export]) == [.written])
        let again = try await store.export(of: made.account.id)
        #expect(again == export)
        #expect(Set(again.pushes.map(\.occurrence)).count == again.pushes.count)
    }

    @Test("a push waiting for a retry while its account is erased and restored is sent once")
    func underway() async throws {
        let sender = RecordingSender { _, attempt in .answers(attempt == 1 ? .retry(error: "busy") : .delivered) }
        let service = ServiceUnderTest(sender: sender)
        let (account, plant) = try await service.garden()
        let now = try seoul("2027-03-02T09:00")
        try await service.run(at: now)
        let store = service.store(at: now)
        let export = try await store.export(of: account.id)
        _ = try await store.eraseAccount(account.id)
        _ = try await store.seed([export])
        try await service.run(at: now.adding(minutes: 1))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent_after_retry"])
        #expect(await sender.sent.map(\.plantID) == [plant.id, plant.id])
    }

    @Test(
        "7.7, 7.10: behind the cursor, only pushes that are still fresh are sent; birthdays continue",
        arguments: [true, false])
    func behindTheCursor(isElsewhere: Bool) async throws {
        let service = ServiceUnderTest()
        let registered = try seoul("2027-02-23T10:00")
        let account = try await service.account(switches: NotificationSwitches(birthday: true), at: registered)
        _ = try await service.friend(of: account, number: 1, birthday: "03-05", at: registered)
        let dueToday = try await service.friend(of: account, number: 2, cycle: 15, at: registered)
        let store = service.store(at: registered)
        let export = try await store.export(of: account.id)
        #expect(export.pushes.count == 3)
        _ = try await store.eraseAccount(account.id)
        // Another database would not know what was planned.
        if isElsewhere { try await service.execute("DELETE FROM occurrence") }
        let other = try await service.account(email: "jun@example.com", at: registered)
        let neighbour = try await service.friend(of: other, number: 3, cycle: 15, alarm: "11:00", at: registered)
        try await service.run(at: seoul("2027-03-10T11:00"))

        let now = try seoul("2027-03-10T12:00")
        #expect(try await service.store(at: now).seed([export]) == [.written])
        try await service.run(at: now)
        #expect(await service.sender.sent.map(\.plantID) == [neighbour.id, dueToday.id])
        let ended =
            isElsewhere
            ? ["watering_due 2027-03-02 expired too_late", "birthday 2027-03-05 expired too_late"]
            : [
                "watering_due 2027-03-02 superseded erased", "birthday 2027-03-05 superseded erased",
                "watering_due 2027-03-10 superseded erased",
            ]
        let delivered = Array(repeating: "watering_due 2027-03-10 delivered sent", count: 2)
        #expect(try await service.pushes() == ended + delivered)
        #expect(try await service.calendar().last == "birthday 2028-03-05 2028-03-05T00:00:00Z")
    }

    @Test("1.8: a removed friend brought back after a restore elsewhere is pushed as in the original database")
    func removedFriend() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-23T11:00"))
        _ = try await store.removeFriend(plant.reference)
        let export = try await store.export(of: account.id)
        #expect(export.pushes.map(\.end) == [nil])
        _ = try await store.eraseAccount(account.id)
        try await service.execute("DELETE FROM occurrence")
        #expect(try await store.seed([export]) == [.written])
        #expect(try await store.export(of: account.id) == export)
        _ = try await store.importFriends([registration()], to: account.id, restoring: true, isDryRun: false)
        try await service.run(at: seoul("2027-03-02T09:00"))
        #expect(try await service.pushes() == ["watering_due 2027-03-02 delivered sent"])
    }

    @Test("accounts are restored together, however many months lack a partition")
    func manyMonths() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        let exports = try (0..<8).map { number in
            var export = try generator(now).account(number)
            let plant = try #require(export.plants.first).plant
            let day = try civilDay("\(2040 + number)-03-05")
            let birthday = plant.occurrence(
                .birthday, PlannedMoment(ref: Int(day.daysSinceEpoch), at: try seoul("\(day)T09:00")))
            export.pushes = [ExportedPush(occurrence: birthday, end: nil)]
            return export
        }
        #expect(try await service.store(at: now).seed(exports) == Array(repeating: .written, count: 8))
        #expect(try await service.rows(of: "occurrence") == 8)
    }

    @Test("one taken e-mail refuses all accounts of the call")
    func takenEmail() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        var exports = try (0..<2).map { try generator(now).account($0) }
        _ = try await service.account(at: now)
        exports[1].account.email = try EmailAddress("Minji@example.com")
        let before = try await service.fingerprint()
        let refused = exports
        await #expect(throws: CareError.duplicateEmail("Minji@example.com")) {
            _ = try await service.store(at: now).seed(refused)
        }
        #expect(try await service.fingerprint() == before)
    }

    @Test("12.6, 12.7: postcode, appearance and picture come back")
    func settings() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        var export = try generator(now).account(0)
        export.account.postcode = try Postcode("04524")
        // As PostgreSQL spells it.
        export.account.appearance = try Appearance(object: #"{"size": [1, 2.50], "colours": "dark"}"#)
        export.picture = [0xFF, 0xD8, 0, 1]
        let store = service.store(at: now)
        #expect(try await store.seed([export]) == [.written])
        #expect(try await store.export(of: export.account.id) == export)
    }

    @Test("12.5: anonymous accounts come back, and are found by their ids alone")
    func anonymous() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        var exports = try (0..<2).map { try generator(now).account($0) }
        for place in exports.indices { exports[place].account.email = nil }
        let store = service.store(at: now)
        #expect(try await store.seed(exports) == [.written, .written])
        #expect(try await service.rows(of: "account_email") == 0)
        let id = exports[0].account.id
        #expect(try await store.account(id.description).email == nil)
        #expect(try await store.accounts().count == 2)
        #expect(try await store.seed(exports) == [.known, .known])
        #expect(try await store.eraseAccount(id).tables.contains { $0.table == "account_email" && $0.before == 0 })
        #expect(try await store.seed(exports) == [.written, .known])
    }

    @Test("reads the same in pages of any size, and writes nothing")
    func pages() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        let made = try generator(now).account(0)
        let store = service.store(at: now)
        _ = try await store.seed([made])
        let imported = try await store.importFriends(
            (1...5).map { try registration(number: $0) }, to: made.account.id, restoring: false, isDryRun: false)
        #expect(imported.count == 5)
        let whole = try await store.export(of: made.account.id)
        #expect(whole.plants.count > 4 && whole.pushes.count > 4 && whole.imports.last?.changes.count == 5)
        let read = try await store.withExport(of: made.account.id, pageSize: 2) { reader in
            var read = reader.head
            for index in read.imports.indices {
                var changes: [ImportBatch.Change] = []
                try await reader.changes(of: read.imports[index].id) { page in
                    #expect(page.count <= 2)
                    changes += page
                }
                read.imports[index].changes = changes
            }
            var (plants, pushes): ([PlantHistory], [ExportedPush]) = ([], [])
            try await reader.plants { page in
                #expect(page.count <= 2)
                plants += page
            }
            try await reader.pushes { page in
                #expect(page.count <= 2)
                pushes += page
            }
            (read.plants, read.pushes) = (plants, pushes)
            return read
        }
        #expect(read == whole)
    }

    @Test("all pages show the same moment, whatever changes meanwhile")
    func oneMoment() async throws {
        let service = ServiceUnderTest()
        let start = try seoul("2027-02-23T10:00")
        let account = try await service.account(at: start)
        for number in 1...4 { _ = try await service.friend(of: account, number: number, at: start) }
        let store = service.store(at: start)
        let before = try await store.export(of: account.id)
        let plants = try await store.withExport(of: account.id, pageSize: 1) { reader in
            var plants: [PlantHistory] = []
            try await reader.plants { page in
                if plants.isEmpty { _ = try await store.eraseAccount(account.id) }
                plants += page
            }
            return plants
        }
        #expect(plants == before.plants)
        await #expect(throws: CareError.notFound(.account)) { _ = try await store.export(of: account.id) }
    }

    // MARK: Too large for memory

    @Test("an account in pieces is restored like a whole one; doing it again changes nothing")
    func inPieces() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        let store = service.store(at: now)
        // Imports also name plants that no longer exist.
        var made = try #require(try (0..<20).map { try generator(now).account($0) }.first { !$0.imports.isEmpty })
        let gone = ImportBatch.Change(plantID: Plant.ID(UUID()), kind: .updated)
        made.imports[0].changes = (made.imports[0].changes + [gone]).sorted {
            $0.plantID.description < $1.plantID.description
        }
        let written = try await store.seed(PiecesOfAccount(made))
        #expect(written.outcome == .written && written.friendCount == made.plants.count)
        #expect(try await store.export(of: made.account.id) == made)
        let before = try await service.fingerprint()
        let again = try await store.seed(PiecesOfAccount(made))
        #expect(again.outcome == .known && again.friendCount == 0)
        #expect(try await service.fingerprint() == before)
    }

    @Test("nothing is left of an account in pieces if the last one is refused")
    func brokenPiece() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        var made = try generator(now).account(0)
        // Pieces of unknown plants come last.
        let stray = Occurrence(
            at: now, accountID: made.account.id, subjectID: Subject.ID(UUID()), topic: .wateringDue, ref: 20_000)
        let end = ExportedPush.End(outcome: .delivered, reason: "sent\0", finishedAt: now)
        made.pushes.append(ExportedPush(occurrence: stray, end: end))
        let before = try await service.fingerprint()
        let broken = PiecesOfAccount(made)
        await #expect(throws: UnfitExport.self) { _ = try await service.store(at: now).seed(broken) }
        #expect(try await service.fingerprint() == before)
    }

    @Test("an account in pieces gets all missing months of the calendar, however many")
    func manyMonthsInPieces() async throws {
        let service = ServiceUnderTest()
        let now = try seoul("2027-03-01T10:00")
        var export = try generator(now).account(0)
        export.pushes = try export.plants.prefix(8).enumerated().map { number, plant in
            let day = try civilDay("\(2040 + number)-03-05")
            let birthday = plant.plant.occurrence(
                .birthday, PlannedMoment(ref: Int(day.daysSinceEpoch), at: try seoul("\(day)T09:00")))
            return ExportedPush(occurrence: birthday, end: nil)
        }
        #expect(export.pushes.count > 4)
        let written = try await service.store(at: now).seed(PiecesOfAccount(export))
        #expect(written.outcome == .written)
        #expect(try await service.rows(of: "occurrence") == export.pushes.count)
    }

    /// Flaws that the document alone does not reveal.
    enum Flaw: CaseIterable, Sendable {
        case takenPlant, takenDevice, emptyToken, fileNameWithNUL, reasonWithNUL
    }

    @Test("an account that the tables refuse leaves nothing behind", arguments: Flaw.allCases)
    func unfit(flaw: Flaw) async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let now = try seoul("2027-03-01T10:00")
        let store = service.store(at: now)
        let device = try await store.addDevice(account, platform: .ios, token: "phone")
        let export = try jun(flaw, plant, device, at: now)
        let before = try await service.fingerprint()
        await #expect(throws: UnfitExport.self) { _ = try await store.seed([export]) }
        #expect(try await service.fingerprint() == before)
    }

    /// An account in the lane of the one that owns the plant and the device.
    private func jun(_ flaw: Flaw, _ plant: Plant, _ device: Device, at now: Instant) throws -> AccountExport {
        let account = Account(
            id: Account.ID(UUID.random(lane: ServiceUnderTest.lane.number)), email: try EmailAddress("jun@example.com"),
            nickname: try Nickname("준"), phone: nil, timeZone: "Asia/Seoul", language: .korean)
        let context = CommandContext(
            now: now, zone: try ServiceUnderTest.zones.rules("Asia/Seoul"), calendarCursor: now)
        let (friend, occurrences) = Plant.register(
            try registration(), id: flaw == .takenPlant ? plant.id : Plant.ID(UUID()), for: account, in: context)
        let reason = flaw == .reasonWithNUL ? "sent\0" : "sent"
        var export = AccountExport(
            account: account, createdAt: now, plants: [PlantHistory(plant: friend, createdAt: now)],
            pushes: occurrences.map { occurrence in
                ExportedPush(
                    occurrence: occurrence,
                    end: ExportedPush.End(outcome: .delivered, reason: reason, finishedAt: now))
            })
        switch flaw {
        case .takenPlant, .reasonWithNUL: break
        case .takenDevice:
            export.devices = [Device(id: device.id, platform: .ios, token: "other", addedAt: now)]
        case .emptyToken:
            export.devices = [Device(id: Device.ID(UUID()), platform: .ios, token: "", addedAt: now)]
        case .fileNameWithNUL:
            export.imports = [
                ImportBatch(
                    id: ImportBatch.ID(UUID()), importedAt: now, fileName: "contacts\0.vcf", tagIDs: [], changes: [])
            ]
        }
        return export
    }
}

/// An account piece by piece, as its document would give it.
private struct PiecesOfAccount: PiecewiseExport {
    private let export: AccountExport

    init(_ export: AccountExport) {
        self.export = export
    }

    var head: AccountExport {
        var head = export
        (head.plants, head.pushes) = ([], [])
        for index in head.imports.indices { head.imports[index].changes = [] }
        return head
    }

    func forEachPiece(_ body: (ExportPiece) throws -> Void) throws {
        // Not in the order in which they are written.
        for (index, push) in export.pushes.enumerated() {
            let occurrence = push.occurrence
            try body(
                ExportPiece(
                    list: .pushes, index: index, plantID: Plant.ID(occurrence.subjectID),
                    plannedAt: push.end == nil ? occurrence.at : nil, bytes: []))
        }
        for (index, plant) in export.plants.enumerated() {
            try body(ExportPiece(list: .plants, index: index, plantID: plant.plant.id, bytes: []))
        }
        for (number, batch) in export.imports.enumerated() {
            for (index, change) in batch.changes.enumerated() {
                try body(
                    ExportPiece(
                        list: .changes, importIndex: number, index: index, plantID: change.plantID, bytes: []))
            }
        }
    }

    func part(_ pieces: [ExportPiece]) throws -> AccountExport {
        var part = head
        for piece in pieces {
            switch piece.list {
            case .plants: part.plants.append(export.plants[piece.index])
            case .pushes: part.pushes.append(export.pushes[piece.index])
            case .changes:
                part.imports[piece.importIndex].changes.append(
                    export.imports[piece.importIndex].changes[piece.index])
            }
        }
        return part
    }
}
