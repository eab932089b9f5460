import CherishTestSupport
import Foundation
import Testing

@testable import CherishCore

/// A contact whose phones are given as small numbers, the preferred one first.
private func contact(
    _ name: String, _ numbers: [Int], birthday: String? = nil, tags: [String] = [], favourite: Bool = false
) throws -> FriendContact {
    FriendContact(
        name: try ContactName(name), phones: try numbers.map { try phone($0) },
        birthday: try birthday.map { try Birthday($0) }, tags: try tags.map { try TagName($0) },
        isFavourite: favourite)
}

private func phone(_ number: Int) throws -> PhoneNumber {
    try PhoneNumber(e164: "+8210\(10_000_000 + number)")
}

/// New friends with nothing in common.
private func strangers(_ count: Int) throws -> [FriendContact] {
    try (1...count).map { try contact("Friend \($0)", [$0]) }
}

extension ImportOutcome {
    fileprivate var label: String {
        switch self {
        case .planted: "planted"
        case .updated(_, let isRenamed, let isFilled): "\(isRenamed ? "renamed" : "")\(isFilled ? "filled" : "")"
        case .restored: "restored"
        case .unchanged: "unchanged"
        case .removedBefore: "removed before"
        case .otherNumber: "other number"
        case .repeated(let earlier): "repeats \(earlier)"
        case .merged(let earlier): "merged into \(earlier)"
        }
    }
}

/// An account in Seoul on 1 March 2027, with the garden that it has before an import.
private struct Importer {
    var options: ImportOptions
    private(set) var plants: [Plant] = []
    // Qualified because Swift Testing has a `Tag` too.
    private(set) var tags: [CherishCore.Tag] = []
    private(set) var tagIDs: [Plant.ID: [CherishCore.Tag.ID]] = [:]
    private let account: Account
    private let march: CommandContext
    private let february: CommandContext

    init(merging: Bool = false, restoring: Bool = false, spreading: Bool? = nil, cycle: Int = 7) throws {
        options = ImportOptions(cycle: try Cycle(days: cycle))
        options.merging = merging
        options.restoring = restoring
        options.spreading = spreading
        account = Account(
            id: identifier(7), email: try EmailAddress("minji@example.com"), nickname: try Nickname("민지"), phone: nil,
            timeZone: "Asia/Seoul", language: .korean)
        march = try context(seoul("2027-03-01T10:00"))
        february = try context(seoul("2027-02-27T10:00"))
    }

    /// Adds a friend with a cycle of 7 days who was registered in February, and optionally removed the same day.
    mutating func know(_ name: String, _ number: Int, isRemoved: Bool = false, tags names: [String] = []) throws {
        let registration = Registration(try contact(name, [number]), cycle: try Cycle(days: 7))
        var plant = Plant.register(registration, id: Identifier(UUID()), for: account, in: february).plant
        if isRemoved { try plant.remove(in: february) }
        plants.append(plant)
        try makeTags(names)
        tagIDs[plant.id] = try names.map { try id(ofTag: $0) }
    }

    mutating func makeTags(_ names: [String], cycle: Int? = nil) throws {
        for name in try names.map({ try TagName($0) }) {
            let tagCycle = try cycle.map { try Cycle(days: $0) }
            tags.append(
                CherishCore.Tag(id: Identifier(UUID()), name: name, colour: TagColour(for: name), cycle: tagCycle))
        }
    }

    func id(ofTag name: String) throws -> CherishCore.Tag.ID {
        let found = tags.first { $0.name.description == name }
        return try #require(found).id
    }

    func plan(_ contacts: [FriendContact]) throws -> GardenImport {
        try GardenImport(
            contacts, into: KnownGarden(plants: plants, tags: tags, tagIDs: tagIDs), of: account, in: march,
            options: options, newTagID: { Identifier(UUID()) }, newPlantID: { Identifier(UUID()) })
    }

    /// Applies an import's plan, as the store does.
    mutating func write(_ plan: GardenImport) {
        let changed = Set(plan.changed.map(\.id))
        plants = plants.filter { !changed.contains($0.id) } + plan.changed + plan.planted
        tags += plan.newTags
        for change in plan.changes { tagIDs[change.plantID, default: []] += change.tagIDs }
    }
}

@Suite("Contacts of the same person")
struct SamePersonTests {
    @Test("the same phone, or the same name and a shared number, is the same person; a shared number alone is not")
    func repeated() throws {
        let plan = try Importer().plan([
            contact("김지우", [1, 2]), contact("지우 회사", [1]), contact("김지우", [3, 2]), contact("김지우", [4]),
            contact("김엄마", [5, 2]),
        ])
        #expect(plan.outcomes.map(\.label) == ["planted", "repeats 0", "repeats 0", "planted", "planted"])
        let phones = try [phone(1), phone(4), phone(5)]
        #expect(plan.planted.map(\.phone) == phones)
    }

    @Test("identity is transitive: a match with a repetition is the same person")
    func transitively() throws {
        let contacts = try [
            contact("김지우", [1, 2]), contact("김지우", [3, 2, 4]), contact("김지우", [3]), contact("김지우", [5, 4]),
            contact("지우 새 번호", [5], birthday: "05-21"),
        ]
        let skipped = try Importer().plan(contacts)
        #expect(
            skipped.outcomes.map(\.label) == ["planted", "repeats 0", "repeats 0", "repeats 0", "repeats 0"])
        let merged = try Importer(merging: true).plan(contacts)
        #expect(merged.outcomes.map(\.label).last == "merged into 0")
        #expect(merged.planted.map(\.birthday?.description) == ["05-21"])
    }

    @Test("--merge fills only what the first contact lacks")
    func filled() throws {
        var second = try contact("지우", [1], birthday: "05-21", tags: ["친구"], favourite: true)
        second.nickname = try Nickname("짝꿍")
        second.cycle = try Cycle(days: 14)
        second.alarmTime = try timeOfDay("20:30")
        let third = try contact("지우", [1], birthday: "12-31", tags: ["가족"])
        let plan = try Importer(merging: true).plan([contact("김지우", [1], tags: ["가족"]), second, third])
        #expect(plan.outcomes.map(\.label) == ["planted", "merged into 0", "repeats 0"])
        let plant = try #require(plan.planted.first)
        #expect(plant.name.description == "김지우")
        #expect(plant.nickname.description == "짝꿍")
        #expect(plant.birthday?.description == "05-21")
        #expect(plant.dueOn.description == "2027-03-15")
        #expect(plant.alarmTime.description == "20:30")
        #expect(plant.isFavourite)
        #expect(plan.newTags.map(\.name.description) == ["가족", "친구"])
        #expect(plan.changes.map(\.tagIDs) == [plan.newTags.map(\.id)])
    }

    @Test("without --merge a repetition adds nothing, and one without anything new is not reported as merged")
    func nothingNew() throws {
        let contacts = try [contact("김지우", [1]), contact("김지우", [1], birthday: "05-21", tags: ["친구"])]
        let skipped = try Importer().plan(contacts)
        #expect(skipped.outcomes.map(\.label) == ["planted", "repeats 0"])
        #expect(skipped.planted.compactMap(\.birthday).isEmpty)
        #expect(skipped.newTags.isEmpty)
        // A friend keeps only its first number.
        let numbers = try Importer(merging: true).plan([contact("김지우", [1]), contact("김지우", [1, 2])])
        #expect(numbers.outcomes.map(\.label) == ["planted", "repeats 0"])
    }

    @Test("merging the same file again changes nothing; new contacts in it are merged")
    func again() throws {
        var importer = try Importer(merging: true)
        var contacts = try [
            contact("김지우", [1], tags: ["가족"]), contact("김지우", [1], birthday: "05-21", tags: ["친구"]),
        ]
        let first = try importer.plan(contacts)
        #expect(first.outcomes.map(\.label) == ["planted", "merged into 0"])
        importer.write(first)
        let second = try importer.plan(contacts)
        #expect(second.outcomes.map(\.label) == ["unchanged", "repeats 0"])
        #expect(!second.changesAnything)
        contacts.append(try contact("김지우", [1], tags: ["대학"]))
        let third = try importer.plan(contacts)
        #expect(third.outcomes.map(\.label) == ["filled", "repeats 0", "merged into 0"])
    }

    @Test(
        "a huge number of contacts of one person, each with new numbers and tags, is handled in time")
    func hostile() throws {
        try within(processorTime: .seconds(60)) {
            let contacts = try (0..<20_000).map { place in
                try contact(
                    "김지우", [0] + (1...5).map { place * 5 + $0 }, tags: (0..<5).map { "tag \(place) \($0)" })
            }
            let plan = try Importer(merging: true).plan(contacts)
            #expect(plan.planted.count == 1)
            #expect(plan.newTags.count == 10)
        }
    }
}

@Suite("Friends already in the garden")
struct KnownFriendTests {
    @Test("a friend known under another of the contact's numbers is reported, and with --merge updated")
    func otherNumber() throws {
        let contacts = try [contact("김지우", [2, 1], birthday: "05-21"), contact("김엄마", [3, 1])]
        var importer = try Importer()
        try importer.know("김지우", 1)
        let named = try importer.plan(contacts)
        #expect(named.outcomes.map(\.label) == ["other number", "planted"])
        #expect(named.planted.map(\.name.description) == ["김엄마"])
        importer.options.merging = true
        let merged = try importer.plan(contacts)
        #expect(merged.outcomes.map(\.label) == ["filled", "planted"])
        #expect(merged.changed.map(\.birthday?.description) == ["05-21"])
        let kept = try phone(1)
        #expect(merged.changed.map(\.phone) == [kept])
    }

    @Test("1.8: a removed friend stays removed, even if another number is now first, until --restore brings it back")
    func removed() throws {
        let contacts = try [contact("김지우", [2, 1]), contact("박도윤", [3, 1])]
        var importer = try Importer()
        try importer.know("김지우", 1, isRemoved: true)
        let without = try importer.plan(contacts)
        #expect(without.outcomes.map(\.label) == ["removed before", "planted"])
        importer.options.restoring = true
        let restored = try importer.plan(contacts)
        #expect(restored.outcomes.map(\.label) == ["restored", "planted"])
        #expect(restored.changed.map(\.id) == importer.plants.map(\.id))
        #expect(restored.changed.map(\.dueOn.description) == ["2027-03-08"])
    }

    @Test("1.8: two contacts of one removed friend bring it back once")
    func restoredOnce() throws {
        var importer = try Importer(restoring: true)
        try importer.know("김지우", 1, isRemoved: true)
        let plan = try importer.plan([contact("지우 회사", [1]), contact("김지우", [2, 1])])
        #expect(plan.outcomes.map(\.label) == ["restored", "repeats 0"])
        #expect(plan.changes.count == 1)
    }

    @Test("1.5: a removed friend whose number another friend now has comes back as a new plant")
    func takenNumber() throws {
        var importer = try Importer()
        try importer.know("김지우", 1, isRemoved: true)
        try importer.know("김엄마", 1)
        let contacts = try [contact("김지우", [2, 1])]
        let without = try importer.plan(contacts)
        #expect(without.outcomes.map(\.label) == ["removed before"])
        importer.options.restoring = true
        let restored = try importer.plan(contacts)
        #expect(restored.outcomes.map(\.label) == ["planted"])
        let second = try phone(2)
        #expect(restored.planted.map(\.phone) == [second])
    }
}

@Suite("Tags of an import")
struct ImportedTagsTests {
    @Test("9.1: a friend with ten tags gets no more, and no tag is created")
    func full() throws {
        var importer = try Importer(merging: true)
        try importer.know("김지우", 1, tags: (1...10).map { "tag \($0)" })
        let plan = try importer.plan([contact("김지우", [1], tags: ["가족"])])
        #expect(plan.outcomes.map(\.label) == ["unchanged"])
        #expect(plan.newTags.isEmpty)
        #expect(!plan.changesAnything)
    }

    @Test("9.1: a friend with nine gets one new tag")
    func oneFree() throws {
        var importer = try Importer(merging: true)
        try importer.know("김지우", 1, tags: (1...9).map { "tag \($0)" })
        let plan = try importer.plan([contact("김지우", [1], tags: ["TAG 1", "가족", "친구"])])
        #expect(plan.outcomes.map(\.label) == ["filled"])
        #expect(plan.newTags.map(\.name.description) == ["가족"])
        #expect(plan.changes.map(\.tagIDs) == [plan.newTags.map(\.id)])
    }

    @Test("9.1: a new friend gets the first ten distinct tags, and no others are created")
    func newFriend() throws {
        let names = (1...12).map { "tag \($0)" }
        let plan = try Importer().plan([contact("김지우", [1], tags: ["tag 1", "Tag 1"] + names)])
        #expect(plan.newTags.map(\.name.description) == Array(names.prefix(10)))
        #expect(plan.changes.map(\.tagIDs) == [plan.newTags.map(\.id)])
    }

    @Test("9.1: an account with a hundred tags gets no more, and each tag left out is reported once")
    func noRoom() throws {
        var importer = try Importer()
        try importer.makeTags((1...100).map { "tag \($0)" })
        let plan = try importer.plan([
            contact("김지우", [1], tags: ["가족", "tag 7", "친구"]), contact("이서연", [2], tags: ["친구", "가족"]),
        ])
        #expect(plan.newTags.isEmpty)
        #expect(plan.tagsLeftOut.map(\.description) == ["가족", "친구"])
        let seventh = try importer.id(ofTag: "tag 7")
        #expect(plan.changes.map(\.tagIDs) == [[seventh], []])
    }

    @Test("9.1: a huge number of tags beyond the limit is handled in time")
    func hostile() throws {
        try within(processorTime: .seconds(60)) {
            var importer = try Importer()
            try importer.makeTags((1...100).map { "tag \($0)" })
            let contacts = try (1...30_000).map { try contact("Friend", [$0], tags: ["other \($0)"]) }
            let plan = try importer.plan(contacts)
            #expect(plan.tagsLeftOut.count == 30_000)
        }
    }

    @Test("9.4: a contact without a cycle takes the shortest of its tags")
    func cycles() throws {
        var importer = try Importer(cycle: 30)
        try importer.makeTags(["가족"], cycle: 3)
        try importer.makeTags(["친구"], cycle: 10)
        var own = try contact("이서연", [2], tags: ["가족"])
        own.cycle = try Cycle(days: 20)
        let plan = try importer.plan([
            contact("김지우", [1], tags: ["친구", "가족"]), own, contact("박도윤", [3]),
        ])
        #expect(plan.planted.map(\.cycle.days) == [3, 20, 30])
    }
}

@Suite("Due dates of an import")
struct ImportedDueDatesTests {
    /// How many friends are due on each day.
    private func dueDates(_ plan: GardenImport) -> [String: Int] {
        plan.planted.reduce(into: [:]) { $0[$1.dueOn.description, default: 0] += 1 }
    }

    /// The week after 1 March.
    private static let week = (2...8).map { "2027-03-0\($0)" }

    @Test("1.9: 20 new friends are due after their cycle, 21 are spread over it")
    func threshold() throws {
        let few = try Importer().plan(strangers(20))
        #expect(!few.isSpread)
        #expect(dueDates(few) == ["2027-03-08": 20])
        let many = try Importer().plan(strangers(21))
        #expect(many.isSpread)
        #expect(dueDates(many) == Dictionary(uniqueKeysWithValues: Self.week.map { ($0, 3) }))
    }

    @Test("1.9: only new friends count")
    func knownFriends() throws {
        var importer = try Importer()
        try importer.know("Friend 1", 1)
        let plan = try importer.plan(strangers(21))
        #expect(plan.outcomes.first?.label == "unchanged")
        #expect(dueDates(plan) == ["2027-03-08": 20])
    }

    @Test("1.9: an account's choice overrides the threshold", arguments: [7, 21, 22, 100, 299, 301])
    func chosen(count: Int) throws {
        let together = try Importer(spreading: false).plan(strangers(count))
        #expect(!together.isSpread)
        #expect(dueDates(together) == ["2027-03-08": count])
        let spread = try Importer(spreading: true).plan(strangers(count))
        #expect(spread.isSpread)
        #expect(dueDates(spread).keys.sorted() == Self.week)
    }

    @Test("1.4: spreading changes neither cycle nor registration day")
    func registered() throws {
        let plan = try Importer(spreading: true).plan(strangers(7))
        #expect(Set(plan.planted.map(\.cycle.days)) == [7])
        #expect(Set(plan.planted.map(\.plantedOn.description)) == ["2027-03-01"])
        #expect(plan.changes.map(\.kind) == Array(repeating: .planted, count: 7))
    }
}
