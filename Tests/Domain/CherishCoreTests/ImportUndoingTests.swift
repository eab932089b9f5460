import Foundation
import Testing

@testable import CherishCore

/// An account and its friends, into which address books are imported, kept as the store would keep them.
private struct ImportedGarden {
    let account: Account
    private(set) var plants: [Plant.ID: Plant]
    // Qualified because Swift Testing has a `Tag` too.
    var tags: [CherishCore.Tag] = []
    var tagIDs: [Plant.ID: [CherishCore.Tag.ID]] = [:]

    init(_ garden: Garden) {
        account = garden.account
        plants = [garden.plant.id: garden.plant]
    }

    mutating func importContacts(
        _ contacts: [FriendContact], at now: Instant, restoring: Bool = false, merging: Bool = false
    ) throws -> ImportBatch {
        var options = ImportOptions(cycle: try Cycle(days: 7))
        options.restoring = restoring
        options.merging = merging
        options.spreading = false
        let known = KnownGarden(plants: Array(plants.values), tags: tags, tagIDs: tagIDs)
        let plan = try GardenImport(
            contacts, into: known, of: account, in: context(now), options: options, newTagID: { Identifier(UUID()) },
            newPlantID: { newFriend })
        for plant in plan.planted + plan.changed { plants[plant.id] = plant }
        for change in plan.changes { tagIDs[change.plantID, default: []] += change.tagIDs }
        tags += plan.newTags
        return ImportBatch(
            id: identifier(200), importedAt: now, fileName: "a.vcf", tagIDs: plan.newTags.map(\.id),
            changes: plan.changes)
    }

    /// Changes a friend as a command would.
    mutating func change(_ id: Plant.ID, _ body: (inout Plant) throws -> Void) throws {
        var plant = try #require(plants[id])
        try body(&plant)
        plants[id] = plant
    }

    mutating func edit(_ id: Plant.ID, at now: Instant, _ make: (inout PlantEdit) throws -> Void) throws {
        var edit = PlantEdit()
        try make(&edit)
        let (account, context) = (account, try context(now))
        try change(id) { _ = try $0.edit(edit, for: account, in: context) }
    }

    mutating func water(_ id: Plant.ID, at now: Instant, on day: String? = nil) throws {
        var request = WateringRequest(method: .call)
        if let day { request.day = try civilDay(day) }
        let (account, context) = (account, try context(now))
        try change(id) { _ = try $0.water(request, isFirstOfDay: true, for: account, in: context) }
    }

    func undo(_ batch: ImportBatch, at now: Instant) throws -> ImportUndoing {
        try ImportUndoing(batch, plants: plants, tags: tags, tagIDs: tagIDs, of: account, in: context(now))
    }
}

extension ImportBatch {
    /// The same import as recorded before migration 4.
    fileprivate var ofOlderVersion: ImportBatch {
        let changes = changes.map { change in
            var change = change
            change.names?.nicknameBefore = nil
            change.dueBefore = nil
            change.after = nil
            return change
        }
        return ImportBatch(id: id, importedAt: importedAt, fileName: fileName, tagIDs: tagIDs, changes: changes)
    }
}

/// The friend in ``Garden``: 김하나, called 하나.
private let hana: Plant.ID = identifier(1)
private let hanasPhone = "+821012345678"
/// The friend who comes with an import; there is one at most.
private let newFriend: Plant.ID = identifier(10)

private func contact(
    _ name: String = "박서준", phone: String = "+821000000010", birthday: String? = nil, tags: [String] = []
) throws -> FriendContact {
    var contact = FriendContact(name: try ContactName(name), phones: [try PhoneNumber(e164: phone)])
    if let birthday { contact.birthday = try Birthday(birthday) }
    contact.tags = try tags.map { try TagName($0) }
    return contact
}

/// One field of a friend that a person can edit.
struct FriendEdit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (inout PlantEdit) throws -> Void

    static let all = [
        FriendEdit(testDescription: "nickname") { $0.nickname = "단짝" },
        FriendEdit(testDescription: "birthday") { $0.birthday = .some(try Birthday("05-21")) },
        FriendEdit(testDescription: "cycle") { $0.cycle = try Cycle(days: 10) },
        FriendEdit(testDescription: "alarm") { $0.alarmTime = try TimeOfDay(alarm: "20:00") },
        FriendEdit(testDescription: "pushes") { $0.pushesEnabled = false },
        FriendEdit(testDescription: "favourite") { $0.isFavourite = true },
    ]
}

@Suite("1.10: undoing the import of a new friend")
struct PlantedUndoingTests {
    /// A garden with an imported friend of 24 February, tagged as family.
    private func planted() throws -> (garden: ImportedGarden, batch: ImportBatch) {
        var garden = ImportedGarden(try Garden(registeredAt: seoul("2027-02-23T10:00")))
        let batch = try garden.importContacts([contact(tags: ["가족"])], at: seoul("2027-02-24T10:00"))
        return (garden, batch)
    }

    private func obstacle(_ garden: ImportedGarden, _ batch: ImportBatch) throws -> ImportUndoing.Obstacle? {
        let undoing = try garden.undo(batch, at: seoul("2027-02-26T10:00"))
        #expect(undoing.deleted.count + undoing.kept.count == 1)
        #expect(undoing.reverted.isEmpty && undoing.taggings.isEmpty)
        return undoing.kept.first?.obstacle
    }

    @Test("they are deleted if nothing was changed, even if their alarm came meanwhile")
    func untouched() throws {
        let (garden, batch) = try planted()
        let undoing = try garden.undo(batch, at: seoul("2027-03-20T10:00"))
        #expect(undoing.deleted.map(\.id) == [newFriend])
        #expect(undoing.kept.isEmpty && undoing.reverted.isEmpty)
    }

    @Test("they stay if they were edited", arguments: FriendEdit.all)
    func edited(edit: FriendEdit) throws {
        var (garden, batch) = try planted()
        try garden.edit(newFriend, at: seoul("2027-02-25T10:00"), edit.make)
        #expect(try obstacle(garden, batch) == .edited)
        batch = batch.ofOlderVersion
        #expect(try obstacle(garden, batch) == nil)
    }

    @Test("they stay if they gained or lost a tag")
    func tagged() throws {
        var (garden, batch) = try planted()
        let family = garden.tagIDs[newFriend]
        garden.tagIDs[newFriend] = []
        #expect(try obstacle(garden, batch) == .edited)
        garden.tags.append(
            CherishCore.Tag(id: identifier(2), name: try TagName("일"), colour: TagColour(rgb: 0), cycle: nil))
        garden.tagIDs[newFriend] = (family ?? []) + [identifier(2)]
        #expect(try obstacle(garden, batch) == .edited)
        garden.tagIDs[newFriend] = family
        #expect(try obstacle(garden, batch) == nil)
        batch = batch.ofOlderVersion
        #expect(try obstacle(garden, batch) == nil)
    }

    @Test("9.3: deleting a tag is not an edit of its friends")
    func deletedTag() throws {
        var (garden, batch) = try planted()
        garden.tags = []
        garden.tagIDs = [:]
        #expect(try obstacle(garden, batch) == nil)
        try garden.edit(newFriend, at: seoul("2027-02-25T10:00")) { $0.isFavourite = true }
        #expect(try obstacle(garden, batch) == .edited)
        batch = batch.ofOlderVersion
        #expect(try obstacle(garden, batch) == nil)
    }

    @Test("they stay if they were watered or removed")
    func caredFor() throws {
        var (garden, batch) = try planted()
        try garden.water(newFriend, at: seoul("2027-02-25T10:00"))
        #expect(try obstacle(garden, batch) == .caredFor)
        batch = batch.ofOlderVersion
        #expect(try obstacle(garden, batch) == .caredFor)
        let removal = try context(seoul("2027-02-25T11:00"))
        try garden.change(newFriend) { try $0.remove(in: removal) }
        #expect(try obstacle(garden, batch) == .removed)
    }
}

@Suite("1.10: undoing the import of a removed friend")
struct RestoredUndoingTests {
    /// A garden with a friend watered and removed on 24 February, and brought back a day later under another name and
    /// with a tag.
    private func restored() throws -> (garden: ImportedGarden, before: Plant, batch: ImportBatch) {
        var past = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        try past.water(at: seoul("2027-02-24T10:00"))
        try past.plant.remove(in: context(seoul("2027-02-24T11:00")))
        var garden = ImportedGarden(past)
        let batch = try garden.importContacts(
            [contact("박하나", phone: hanasPhone, tags: ["가족"])], at: seoul("2027-02-25T10:00"), restoring: true)
        return (garden, past.plant, batch)
    }

    /// A plant after it was brought back and removed again: the same, but for having been changed twice.
    private func changedTwice(_ plant: Plant, at time: String) throws -> Plant {
        var changed = plant
        changed.version += 2
        changed.modifiedAt = try seoul(time)
        return changed
    }

    private func requireKept(_ undoing: ImportUndoing, for obstacle: ImportUndoing.Obstacle) {
        #expect(undoing.kept.map(\.obstacle) == [obstacle])
        #expect(undoing.reverted.isEmpty && undoing.dueDatesPutBack.isEmpty)
        #expect(undoing.taggings.isEmpty && undoing.occurrences.isEmpty)
    }

    @Test("they are removed again, and everything is as before")
    func untouched() throws {
        let (garden, before, batch) = try restored()
        let undoing = try garden.undo(batch, at: seoul("2027-02-26T10:00"))
        #expect(try undoing.reverted == [changedTwice(before, at: "2027-02-26T10:00")])
        #expect(undoing.dueDatesPutBack == [hana])
        #expect(undoing.taggings.map(\.tagID) == garden.tags.map(\.id))
        #expect(undoing.kept.isEmpty)
    }

    @Test("1.8, 2.3: the previous day of return is restored, if there was one")
    func twice() throws {
        var (garden, _, _) = try restored()
        #expect(garden.plants[hana]?.restoredOn?.description == "2027-02-25")
        let removal = try context(seoul("2027-02-26T10:00"))
        try garden.change(hana) { try $0.remove(in: removal) }
        let removed = try #require(garden.plants[hana])
        let batch = try garden.importContacts(
            [contact("박하나", phone: hanasPhone)], at: seoul("2027-02-28T10:00"), restoring: true)
        #expect(garden.plants[hana]?.anchor.description == "2027-02-28")
        let undoing = try garden.undo(batch, at: seoul("2027-03-01T10:00"))
        #expect(try undoing.reverted == [changedTwice(removed, at: "2027-03-01T10:00")])
    }

    @Test("7.2: an alarm reached while they were back is not planned again")
    func alarmed() throws {
        let (garden, before, batch) = try restored()
        // Due seven days after 25 February, at 09:00.
        let undoing = try garden.undo(batch, at: seoul("2027-03-04T10:00"))
        let plant = try #require(undoing.reverted.first)
        let alarmed = try civilDay("2027-03-04")
        #expect(plant.plans.alarmedDueDates == [alarmed])
        #expect(plant.plans.wateringDue == nil)
        #expect(plant.dueOn == before.dueOn)
    }

    @Test("3.4: they stay if a watering was recorded for an earlier day, although it left the due date alone")
    func backdated() throws {
        var (garden, _, batch) = try restored()
        try garden.water(hana, at: seoul("2027-02-25T11:00"), on: "2027-02-23")
        #expect(garden.plants[hana]?.dueSource == .registration)
        let undoing = try garden.undo(batch, at: seoul("2027-02-26T10:00"))
        requireKept(undoing, for: .caredFor)
        batch = batch.ofOlderVersion
        let old = try garden.undo(batch, at: seoul("2027-02-26T10:00"))
        #expect(old.reverted.count == 1)
    }

    @Test("they stay if they were edited, and keep name and tags", arguments: FriendEdit.all)
    func edited(edit: FriendEdit) throws {
        var (garden, _, batch) = try restored()
        try garden.edit(hana, at: seoul("2027-02-25T11:00"), edit.make)
        let undoing = try garden.undo(batch, at: seoul("2027-02-26T10:00"))
        requireKept(undoing, for: .edited)
        batch = batch.ofOlderVersion
        // Older batches only reveal that something else set the due date.
        let old = try garden.undo(batch, at: seoul("2027-02-26T10:00"))
        if edit.testDescription == "cycle" { requireKept(old, for: .caredFor) }
    }

    @Test("by an older version: they are removed again as of the same instant, and keep the due date")
    func olderVersion() throws {
        let (garden, before, batch) = try restored()
        let undoing = try garden.undo(batch.ofOlderVersion, at: seoul("2027-02-26T10:00"))
        let plant = try #require(undoing.reverted.first)
        #expect(plant.archivedAt == before.archivedAt)
        #expect(plant.dueOn == garden.plants[hana]?.dueOn)
        #expect(undoing.dueDatesPutBack.isEmpty)
    }
}

@Suite("1.10: undoing the import of an existing friend")
struct UpdatedUndoingTests {
    private func garden(nickname: String? = nil) throws -> ImportedGarden {
        var past = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        if let nickname { past.plant.nickname = try Nickname(nickname) }
        return ImportedGarden(past)
    }

    private func importHana(
        _ name: String, birthday: String? = nil, tags: [String] = [], into garden: inout ImportedGarden
    ) throws -> ImportBatch {
        try garden.importContacts(
            [contact(name, phone: hanasPhone, birthday: birthday, tags: tags)], at: seoul("2027-02-24T10:00"),
            merging: true)
    }

    private func names(_ undoing: ImportUndoing) -> [String] {
        undoing.reverted.flatMap { [$0.name.description, $0.nickname.description] }
    }

    private func namesAfterUndoing(_ batch: ImportBatch, in garden: ImportedGarden) throws -> [String] {
        names(try garden.undo(batch, at: seoul("2027-02-25T10:00")))
    }

    @Test("a chosen nickname stays, even if it equals the corrected name")
    func chosenNickname() throws {
        var garden = try garden()
        let batch = try importHana("하나", into: &garden)
        #expect(try namesAfterUndoing(batch, in: garden) == ["김하나", "하나"])
    }

    @Test("a nickname that follows the name follows it back")
    func followingNickname() throws {
        var garden = try garden(nickname: "김하나")
        let batch = try importHana("박하나", into: &garden)
        #expect(garden.plants[hana]?.nickname.description == "박하나")
        #expect(try namesAfterUndoing(batch, in: garden) == ["김하나", "김하나"])
        #expect(try namesAfterUndoing(batch.ofOlderVersion, in: garden) == ["김하나", "김하나"])
    }

    @Test("a nickname chosen since stays, and the name is reverted")
    func nicknameChosenSince() throws {
        var garden = try garden(nickname: "김하나")
        let batch = try importHana("박하나", into: &garden)
        try garden.edit(hana, at: seoul("2027-02-24T11:00")) { $0.nickname = "단짝" }
        #expect(try namesAfterUndoing(batch, in: garden) == ["김하나", "단짝"])
    }

    @Test("watering does not protect an imported name, birthday or tag")
    func wateredSince() throws {
        var garden = try garden()
        let batch = try importHana("박하나", birthday: "05-21", tags: ["가족"], into: &garden)
        try garden.water(hana, at: seoul("2027-02-24T11:00"))
        let undoing = try garden.undo(batch, at: seoul("2027-02-25T10:00"))
        #expect(names(undoing) == ["김하나", "하나"])
        #expect(undoing.reverted.first?.birthday == nil)
        #expect(undoing.reverted.first?.wateringCount == 1)
        #expect(undoing.taggings.count == 1)
        #expect(undoing.kept.isEmpty)
    }

    @Test("values changed again since stay; a friend with nothing left to revert is reported")
    func changedOnceMore() throws {
        var garden = try garden()
        let batch = try importHana("박하나", birthday: "05-21", into: &garden)
        _ = try importHana("최하나", into: &garden)
        let undoing = try garden.undo(batch, at: seoul("2027-02-25T10:00"))
        #expect(names(undoing) == ["최하나", "하나"])
        #expect(undoing.reverted.first?.birthday == nil)
        try garden.edit(hana, at: seoul("2027-02-24T11:00")) { $0.birthday = .some(try Birthday("05-22")) }
        let nothing = try garden.undo(batch, at: seoul("2027-02-25T10:00"))
        #expect(nothing.reverted.isEmpty)
        #expect(nothing.kept.map(\.obstacle) == [.edited])
    }

    @Test("a friend who only loses tags counts as reverted, unless they are already gone")
    func onlyTags() throws {
        var garden = try garden()
        let batch = try importHana("김하나", tags: ["가족"], into: &garden)
        let undoing = try garden.undo(batch, at: seoul("2027-02-25T10:00"))
        #expect(undoing.reverted.map(\.id) == [hana])
        #expect(undoing.taggings.map(\.tagID) == garden.tags.map(\.id))
        garden.tagIDs[hana] = []
        let lost = try garden.undo(batch, at: seoul("2027-02-25T10:00"))
        #expect(lost.reverted.isEmpty && lost.taggings.isEmpty)
        #expect(lost.kept.map(\.obstacle) == [.edited])
    }
}

@Suite("The fingerprint of an imported friend")
struct PlantStateTests {
    @Test("is the same in every version, whatever is planned, and for any order of tags")
    func stable() throws {
        var plant = try Garden(registeredAt: seoul("2027-02-23T10:00")).plant
        let state = ImportBatch.PlantState(plant, tagIDs: [identifier(10), identifier(2)])
        // Computed with FNV-1a by a Python program that was checked against the published value of "foobar".
        #expect(state == ImportBatch.PlantState(careCount: 0, fingerprint: "e3a26ddc2ac50d4d"))
        plant.plans = Plans()
        #expect(ImportBatch.PlantState(plant, tagIDs: [identifier(2), identifier(10)]) == state)
    }

    @Test("depends on the day a friend was brought back")
    func restored() throws {
        var plant = try Garden(registeredAt: seoul("2027-02-23T10:00")).plant
        var fingerprints = [ImportBatch.PlantState(plant, tagIDs: []).fingerprint]
        for day in ["2027-02-23", "2027-02-24"] {
            plant.restoredOn = try civilDay(day)
            fingerprints.append(ImportBatch.PlantState(plant, tagIDs: []).fingerprint)
        }
        #expect(Set(fingerprints).count == 3)
    }

    @Test("separates name and nickname")
    func boundaries() throws {
        var plant = try Garden(registeredAt: seoul("2027-02-23T10:00")).plant
        plant.name = try ContactName("가나")
        plant.nickname = try Nickname("다")
        let state = ImportBatch.PlantState(plant, tagIDs: [])
        plant.name = try ContactName("가")
        plant.nickname = try Nickname("나다")
        #expect(ImportBatch.PlantState(plant, tagIDs: []) != state)
    }
}
