import CherishCore
import SeededChance

/// Invents one account: who it is, whom it knows, and what it did for them.
struct AccountStory {
    private let garden: GardenGenerator
    private let gardener: Gardener
    private let createdOn: CivilDay
    private let createdAt: Instant
    /// Sorted by tag name.
    private let tags: [(circle: Circle, tag: Tag)]
    private var phones: PhoneBook
    /// The account's names for relatives that are not used yet.
    private var relatives: [String]
    private var generator: SplitMix64
    /// A separate sequence, so that the story does not depend on how plant ids are generated.
    private var plantIDs: SplitMix64

    init(_ number: Int, of garden: GardenGenerator) throws {
        var generator = SplitMix64(seed: garden.seed, sequence: number)
        let place = generator.weighted(Place.shares)
        let zone = try garden.zones.rules(place.timeZone)
        var phones = PhoneBook(place.numbers, using: &generator)
        let account = try AccountStory.account(
            number, seed: garden.seed, in: place, phones: &phones, using: &generator)
        createdOn = zone.day(at: garden.now) + -generator.number(in: garden.pastDays)
        createdAt = generator.moment(on: createdOn, in: zone)
        tags = try AccountStory.tags(place.vocabulary, using: &generator)
        gardener = Gardener(account: account, vocabulary: place.vocabulary, zone: zone, now: garden.now)
        relatives = place.vocabulary.relatives
        self.garden = garden
        self.phones = phones
        self.generator = generator
        plantIDs = SplitMix64(seed: ~garden.seed, sequence: number)
    }

    private static func account(
        _ number: Int, seed: UInt64, in place: Place, phones: inout PhoneBook, using generator: inout SplitMix64
    ) throws -> Account {
        let id: Account.ID = generator.identifier()
        let word = generator.element(of: ["haru", "byeol", "dalbit", "sunny", "garden", "maple", "willow", "fern"])
        let person = place.vocabulary.person(&generator)
        // Chosen before the first friend is registered, so nothing needs replanning.
        let switches = NotificationSwitches(
            watering: generator.chance(96), review: generator.chance(88), birthday: generator.chance(40),
            withered: generator.chance(30))
        return Account(
            id: id, email: try EmailAddress("\(word)\(number).\(String(seed, radix: 36))@example.com"),
            nickname: try Nickname(person.calledName), phone: try generator.chance(70) ? phones.next() : nil,
            timeZone: place.timeZone, language: place.vocabulary.language, switches: switches)
    }

    /// Tags for some of the circles. Half have a chosen colour, fewer a cycle.
    private static func tags(_ vocabulary: Vocabulary, using generator: inout SplitMix64) throws
        -> [(circle: Circle, tag: Tag)]
    {
        guard generator.chance(75) else { return [] }
        var tags: [(circle: Circle, tag: Tag)] = []
        for circle in Circle.allCases where generator.chance(80) {
            let name = try TagName(vocabulary[circle].tag)
            let chosen = generator.element(of: ["#e4572e", "#f3a712", "#76b041", "#17bebb", "#5c6bc0", "#d81b60"])
            let colour = try generator.chance(50) ? TagColour(chosen) : TagColour(for: name)
            let cycle = try generator.chance(35) ? circle.cycle(using: &generator) : nil
            tags.append((circle, Tag(id: generator.identifier(), name: name, colour: colour, cycle: cycle)))
        }
        return tags.sorted { $0.tag.name < $1.tag.name }
    }

    /// Returns the account with everything that happened until now.
    mutating func play() throws -> AccountExport {
        var export = AccountExport(
            account: gardener.account, createdAt: createdAt, devices: devices(), tags: tags.map(\.tag))
        let count = generator.number(in: garden.friendsPerAccount)
        for _ in 0..<count {
            var friend = try friend()
            try friend.play()
            export.plants.append(friend.life.history)
            export.pushes += friend.life.pushes
            if let restoration = friend.restoration {
                export.imports.append(batch(restoring: friend.life.plant.id, restoration))
            }
        }
        export.plants.sort { $0.plant.id < $1.plant.id }
        export.pushes.sort { $0.occurrence.precedes($1.occurrence) }
        export.imports.sort { $0.importedAt < $1.importedAt }
        return export
    }

    /// One or two phones whose app started within the last three days, most recent first.
    private mutating func devices() -> [Device] {
        let earliest = max(createdAt, gardener.now.adding(hours: -72))
        var devices: [Device] = []
        for _ in 0..<generator.weighted([(1, 85), (2, 15)]) {
            let platform = generator.weighted([(Device.Platform.ios, 50), (Device.Platform.android, 50)])
            // Apple's tokens have 32 bytes; Google's are longer.
            let token = generator.hexadecimal(words: platform == .ios ? 4 : 9)
            let addedAt = generator.instant(from: earliest, to: gardener.now)
            devices.append(Device(id: generator.identifier(), platform: platform, token: token, addedAt: addedAt))
        }
        return devices.sorted { $0.addedAt > $1.addedAt }
    }

    /// A second import of the address book, which brings a removed friend back.
    private mutating func batch(restoring plantID: Plant.ID, _ restoration: FriendStory.Restoration) -> ImportBatch {
        let change = ImportBatch.Change(plantID: plantID, kind: .restored, archivedAt: restoration.removedAt)
        return ImportBatch(
            id: generator.identifier(), importedAt: restoration.restoredAt, fileName: "contacts.vcf", tagIDs: [],
            changes: [change])
    }

    // MARK: Friends

    private mutating func friend() throws -> FriendStory {
        let circle = generator.weighted(Circle.shares)
        let tagsOfFriend = tags.filter { generator.chance($0.circle == circle ? 88 : 6) }.map(\.tag)
        let (name, nickname) = try naming(circle)
        let birthday = generator.chance(60) ? generator.birthday() : nil
        var cycle = try circle.cycle(using: &generator)
        if let cycleOfTags = Tag.defaultCycle(of: tagsOfFriend), generator.chance(70) { cycle = cycleOfTags }
        let registration = Registration(
            name: name, phone: try phones.next(), nickname: nickname, birthday: birthday, cycle: cycle)
        let registeredAt = registrationMoment()
        return FriendStory(
            registration, id: plantIDs.identifier(), tagIDs: tagsOfFriend.map(\.id), in: circle, of: gardener,
            at: registeredAt, generator: generator.split())
    }

    private mutating func naming(_ circle: Circle) throws -> (name: ContactName, nickname: Nickname) {
        let vocabulary = gardener.vocabulary
        let person = vocabulary.person(&generator)
        if circle == .family, !relatives.isEmpty, generator.chance(70) {
            let relative = relatives.remove(at: generator.number(in: 0...(relatives.count - 1)))
            let name = try ContactName(generator.chance(50) ? relative : person.fullName)
            return (name, try Nickname(relative))
        }
        let name = try ContactName(person.fullName)
        if generator.chance(20) { return (name, try Nickname(nil, for: name)) }
        let pattern = generator.element(of: vocabulary[circle].nicknames)
        return (name, try Nickname(pattern.replacing("*", with: person.calledName)))
    }

    /// A moment on the day the account was created, or on a later day before today, more often an early one.
    private mutating func registrationMoment() -> Instant {
        let days = gardener.zone.day(at: gardener.now) - createdOn
        if days < 2 || generator.chance(40) {
            // In the account's first twenty minutes, which end before the day does.
            return createdAt.adding(microseconds: Int64(generator.number(in: 60_000_000...1_200_000_000)))
        }
        let (one, other) = (generator.number(in: 1...(days - 1)), generator.number(in: 1...(days - 1)))
        return generator.moment(on: createdOn + min(one, other), in: gardener.zone)
    }
}
