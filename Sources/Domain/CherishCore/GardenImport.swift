/// An address book contact that can become a friend: its texts are validated and its phones parsed.
public struct FriendContact: Sendable {
    /// The maximum number of phones collected when contacts of one person are merged.
    private static let mostPhones = 100

    public var name: ContactName
    /// At least one; the friend is planted under the first.
    public var phones: [PhoneNumber]
    public var nickname: Nickname?
    public var birthday: Birthday?
    public var cycle: Cycle?
    public var alarmTime: TimeOfDay?
    public var tags: [TagName]
    public var isFavourite: Bool

    public init(
        name: ContactName, phones: [PhoneNumber], nickname: Nickname? = nil, birthday: Birthday? = nil,
        cycle: Cycle? = nil, alarmTime: TimeOfDay? = nil, tags: [TagName] = [], isFavourite: Bool = false
    ) {
        precondition(!phones.isEmpty, "a contact without a phone cannot become a friend")
        self.name = name
        self.phones = phones
        self.nickname = nickname
        self.birthday = birthday
        self.cycle = cycle
        self.alarmTime = alarmTime
        self.tags = tags
        self.isFavourite = isFavourite
    }

    /// Fills in missing data from another contact of the same person. A file may repeat a contact many times, so phones
    /// and tags are capped.
    mutating func fill(from other: FriendContact) {
        if phones.count < Self.mostPhones {
            let known = Set(phones)
            phones += other.phones.filter { !known.contains($0) }.prefix(Self.mostPhones - phones.count)
        }
        nickname = nickname ?? other.nickname
        birthday = birthday ?? other.birthday
        cycle = cycle ?? other.cycle
        alarmTime = alarmTime ?? other.alarmTime
        for tag in other.tags where tags.count < Tag.maximumPerFriend && !tags.contains(tag) { tags.append(tag) }
        isFavourite = isFavourite || other.isFavourite
    }

    /// The data of the contact other than name and phones.
    fileprivate var details: Set<ContactDetail> {
        var details = Set(tags.map { ContactDetail.tag($0) })
        if nickname != nil { details.insert(.nickname) }
        if birthday != nil { details.insert(.birthday) }
        if cycle != nil { details.insert(.cycle) }
        if alarmTime != nil { details.insert(.alarmTime) }
        if isFavourite { details.insert(.favourite) }
        return details
    }
}

/// An optional part of a contact, which another contact of the same person may lack.
private enum ContactDetail: Hashable {
    case nickname, birthday, cycle, alarmTime, favourite
    case tag(TagName)
}

/// The options of an import.
public struct ImportOptions: Sendable {
    /// The number of new friends above which first due dates are spread by default (rule 1.9).
    public static let spreadsAbove = 20

    /// The cycle of contacts for which neither the file nor a tag sets one.
    public var cycle: Cycle
    /// Whether removed friends are brought back.
    public var restoring = false
    /// Whether contacts of the same person are merged, and missing data of living plants is filled in.
    public var merging = false
    /// Whether first due dates are spread over the cycle; nil means above ``spreadsAbove`` new friends.
    public var spreading: Bool?

    public init(cycle: Cycle) {
        self.cycle = cycle
    }
}

/// The result of one contact in an import.
public enum ImportOutcome: Hashable, Sendable {
    case planted(Plant)
    /// Already living; its name was corrected, missing data was filled in, or both.
    case updated(Plant, isRenamed: Bool, isFilled: Bool)
    case restored(Plant)
    /// Already living; the contact has nothing new.
    case unchanged(Plant)
    /// The friend was removed, and the options do not bring friends back.
    case removedBefore(Plant)
    /// A living plant has the same name and another of this contact's phones.
    case otherNumber(Plant)
    /// An earlier contact of the file, counted from 0, is the same person: it has the same first phone, or the same
    /// name and a phone in common with that contact or with one that repeats it.
    case repeated(of: Int)
    /// Like `repeated`, and it added data that neither the earlier contact nor the plant had.
    case merged(into: Int)
}

/// The complete plan of an import, computed by the rules alone, so that a dry run reports exactly what the import would
/// do.
public struct GardenImport: Sendable {
    /// The results, in the order of the contacts.
    public private(set) var outcomes: [ImportOutcome] = []
    public private(set) var planted: [Plant] = []
    /// Living plants that change and plants that are brought back, in their new state.
    public private(set) var changed: [Plant] = []
    /// Plants that got tags and nothing else: of their rows, only the version changes.
    public private(set) var retagged: [Plant.ID] = []
    public private(set) var occurrences: [Occurrence] = []
    /// The tags to create.
    public var newTags: [Tag] { tags.newTags }
    /// Tags of the file that exceed the account's limit.
    public var tagsLeftOut: [TagName] { tags.namesLeftOut }
    /// The changes per plant, with enough data to undo them.
    public private(set) var changes: [ImportBatch.Change] = []
    /// Whether first due dates are spread over the cycles (rule 1.9).
    public private(set) var isSpread = false

    private let account: Account
    private let context: CommandContext
    private let options: ImportOptions
    private let garden: KnownGarden
    private let newTagID: @Sendable () -> Tag.ID
    private let newPlantID: @Sendable () -> Plant.ID
    private var tags: TagRoster
    /// The index of the first contact that matched each living or brought-back plant.
    private var firstContacts: [Plant.ID: Int] = [:]

    /// Plans the import.
    ///
    /// - Parameters:
    ///   - garden: All plants of the account, including removed ones, and its tags.
    ///   - newTagID: Creates the id of a new tag.
    ///   - newPlantID: Creates the id of a new plant.
    public init(
        _ contacts: [FriendContact], into garden: KnownGarden, of account: Account, in context: CommandContext,
        options: ImportOptions, newTagID: @escaping @Sendable () -> Tag.ID,
        newPlantID: @escaping @Sendable () -> Plant.ID
    ) throws(CareError) {
        self.account = account
        self.context = context
        self.options = options
        self.garden = garden
        self.newTagID = newTagID
        self.newPlantID = newPlantID
        self.tags = TagRoster(garden.tags)
        let (unique, repetitions) = Self.withoutRepetitions(contacts, merging: options.merging)
        var new: [(place: Int, contact: FriendContact)] = []
        outcomes.reserveCapacity(contacts.count)
        for (place, contact) in unique.enumerated() {
            if let repetition = repetitions[place] {
                outcomes.append(.repeated(of: repetition.earlier))  // or merged, below
            } else if let outcome = try known(contact, at: place) {
                outcomes.append(outcome)
            } else {
                new.append((place, contact))
                outcomes.append(.repeated(of: place))  // replaced when it is planted, below
            }
        }
        plant(new)
        markMerged(repetitions)
    }

    /// Whether the import writes anything.
    public var changesAnything: Bool { !changes.isEmpty }
}

/// The plants and tags of an account before an import.
public struct KnownGarden: Sendable {
    let tags: [Tag]
    let tagIDs: [Plant.ID: [Tag.ID]]
    private(set) var living: [PhoneNumber: Plant] = [:]
    /// The most recently removed plant of each phone.
    private(set) var removed: [PhoneNumber: Plant] = [:]

    /// - Parameters:
    ///   - plants: All plants of the account; among removed plants with the same phone, the newest comes last.
    ///   - tagIDs: The tags of each plant.
    public init(plants: [Plant], tags: [Tag], tagIDs: [Plant.ID: [Tag.ID]]) {
        self.tags = tags
        self.tagIDs = tagIDs
        living.reserveCapacity(plants.count)
        for plant in plants {
            if plant.archivedAt == nil { living[plant.phone] = plant } else { removed[plant.phone] = plant }
        }
    }

    func living(named name: ContactName, withOneOf phones: [PhoneNumber]) -> Plant? {
        phones.lazy.compactMap { living[$0] }.first { $0.name == name }
    }

    func removed(named name: ContactName, withOneOf phones: [PhoneNumber]) -> Plant? {
        phones.lazy.compactMap { removed[$0] }.first { $0.name == name }
    }
}

// MARK: - Contacts of the same person

extension GardenImport {
    /// A contact that repeats an earlier one of the same person.
    private struct Repetition {
        let earlier: Int
        /// The data that the earlier contact lacked; empty unless contacts are merged.
        var details: Set<ContactDetail> = []
    }

    /// Finds the contacts that repeat an earlier one. When merging, the earlier one also gets the data that the others
    /// add.
    private static func withoutRepetitions(
        _ contacts: [FriendContact], merging: Bool
    ) -> (contacts: [FriendContact], repetitions: [Int: Repetition]) {
        struct NamedNumber: Hashable {
            let name: ContactName
            let phone: PhoneNumber
        }
        var unique = contacts
        var repetitions: [Int: Repetition] = [:]
        var byPhone: [PhoneNumber: Int] = [:]
        var byNameAndNumber: [NamedNumber: Int] = [:]
        for (place, contact) in contacts.enumerated() {
            let numbers = contact.phones.map { NamedNumber(name: contact.name, phone: $0) }
            let known = byPhone[contact.phones[0]] ?? numbers.lazy.compactMap { byNameAndNumber[$0] }.first
            // A phone that only a repetition has can still identify a later contact as the same person.
            if byPhone[contact.phones[0]] == nil { byPhone[contact.phones[0]] = known ?? place }
            for number in numbers where byNameAndNumber[number] == nil { byNameAndNumber[number] = known ?? place }
            guard let earlier = known else { continue }
            var repetition = Repetition(earlier: earlier)
            if merging {
                repetition.details = contact.details.subtracting(unique[earlier].details)
                unique[earlier].fill(from: contact)
            }
            repetitions[place] = repetition
        }
        return (unique, repetitions)
    }

    /// Marks repetitions as merged if they led to a write.
    private mutating func markMerged(_ repetitions: [Int: Repetition]) {
        let adding = repetitions.filter { !$0.value.details.isEmpty }
        if adding.isEmpty { return }
        let written = Dictionary(changes.map { ($0.plantID, $0) }, uniquingKeysWith: { first, _ in first })
        for (place, repetition) in adding {
            guard let change = outcomes[repetition.earlier].changedPlantID.flatMap({ written[$0] }) else { continue }
            if repetition.details.contains(where: { isWritten($0, by: change) }) {
                outcomes[place] = .merged(into: repetition.earlier)
            }
        }
    }

    private func isWritten(_ detail: ContactDetail, by change: ImportBatch.Change) -> Bool {
        switch detail {
        case .nickname, .cycle, .alarmTime, .favourite: change.kind == .planted
        case .birthday: change.kind == .planted || change.birthday != nil
        case .tag(let name): tags[name].map { change.tagIDs.contains($0.id) } ?? false
        }
    }
}

extension ImportOutcome {
    /// The plant that the import writes to.
    fileprivate var changedPlantID: Plant.ID? {
        switch self {
        case .planted(let plant), .updated(let plant, _, _), .restored(let plant): plant.id
        case .unchanged, .removedBefore, .otherNumber, .repeated, .merged: nil
        }
    }
}

// MARK: - Known contacts

extension GardenImport {
    /// The result for a contact that matches a plant in the garden; nil if it becomes a new one.
    private mutating func known(_ contact: FriendContact, at place: Int) throws(CareError) -> ImportOutcome? {
        let first = contact.phones[0]
        if let plant = garden.living[first] { return try update(plant, from: contact, at: place) }
        if let plant = garden.living(named: contact.name, withOneOf: contact.phones) {
            return options.merging ? try update(plant, from: contact, at: place) : .otherNumber(plant)
        }
        guard let plant = garden.removed[first] ?? garden.removed(named: contact.name, withOneOf: contact.phones)
        else { return nil }
        guard options.restoring else { return .removedBefore(plant) }
        // If another living friend has the phone now, the contact becomes a new plant with its first phone.
        return garden.living[plant.phone] == nil ? try restore(plant, from: contact, at: place) : nil
    }

    /// Returns the earlier contact that matched the same plant, if any: two contacts may match one plant by different
    /// phones.
    private mutating func earlierContact(about plant: Plant, than place: Int) -> Int? {
        if let earlier = firstContacts[plant.id] { return earlier }
        firstContacts[plant.id] = place
        return nil
    }

    private mutating func update(_ before: Plant, from contact: FriendContact, at place: Int) throws(CareError)
        -> ImportOutcome
    {
        if let earlier = earlierContact(about: before, than: place) { return .repeated(of: earlier) }
        var plant = before
        let isRenamed = try plant.correctName(contact.name, in: context)
        let birthday = options.merging && plant.birthday == nil ? contact.birthday : nil
        if let birthday {
            var edit = PlantEdit()
            edit.birthday = .some(birthday)
            occurrences += try plant.edit(edit, for: account, in: context)
        }
        let tagIDs = options.merging ? tagging(contact, of: plant) : []
        let isFilled = birthday != nil || !tagIDs.isEmpty
        guard isRenamed || isFilled else { return .unchanged(plant) }
        let hasOnlyNewTags = plant == before
        plant.beginChange(at: context.now)
        if hasOnlyNewTags {
            retagged.append(plant.id)
        } else {
            changed.append(plant)
        }
        changes.append(
            ImportBatch.Change(
                plantID: plant.id, kind: .updated, names: nameChange(before, plant), birthday: birthday, tagIDs: tagIDs)
        )
        return .updated(plant, isRenamed: isRenamed, isFilled: isFilled)
    }

    private mutating func restore(_ before: Plant, from contact: FriendContact, at place: Int) throws(CareError)
        -> ImportOutcome
    {
        if let earlier = earlierContact(about: before, than: place) { return .repeated(of: earlier) }
        var plant = before
        occurrences += plant.restore(for: account, in: context)
        _ = try plant.correctName(contact.name, in: context)
        plant.beginChange(at: context.now)
        changed.append(plant)
        let newTagIDs = tagging(contact, of: plant)
        let tagIDs = Set(garden.tagIDs[plant.id] ?? []).union(newTagIDs)
        changes.append(
            ImportBatch.Change(
                plantID: plant.id, kind: .restored, names: nameChange(before, plant), tagIDs: newTagIDs,
                archivedAt: before.archivedAt,
                dueBefore: ImportBatch.DueDate(
                    on: before.ownDueOn, source: before.dueSource, restoredOn: before.restoredOn),
                after: ImportBatch.PlantState(plant, tagIDs: tagIDs)))
        return .restored(plant)
    }

    private func nameChange(_ before: Plant, _ after: Plant) -> ImportBatch.NameChange? {
        guard before.name != after.name else { return nil }
        return ImportBatch.NameChange(before: before.name, after: after.name, nicknameBefore: before.nickname)
    }

    /// The tags of a contact that a plant lacks and has room for.
    private mutating func tagging(_ contact: FriendContact, of plant: Plant) -> [Tag.ID] {
        tags.tags(named: contact.tags, besides: garden.tagIDs[plant.id] ?? [], newID: newTagID).map(\.id)
    }
}

// MARK: - New friends

extension GardenImport {
    private mutating func plant(_ new: [(place: Int, contact: FriendContact)]) {
        isSpread = options.spreading ?? (new.count > ImportOptions.spreadsAbove)
        let tagged = new.map { tags.tags(named: $0.contact.tags, newID: newTagID) }
        let cycles = zip(new, tagged).map { friend, tags in
            friend.contact.cycle ?? Tag.defaultCycle(of: tags) ?? options.cycle
        }
        var spread = CycleSpread(cycles: cycles)
        for (index, friend) in new.enumerated() {
            let contact = friend.contact
            let (plant, planned) = Plant.register(
                Registration(contact, cycle: cycles[index]), id: newPlantID(), for: account, in: context,
                firstDueIn: isSpread ? spread.next(cycles[index]) : nil)
            planted.append(plant)
            occurrences += planned
            let tagIDs = tagged[index].map(\.id)
            changes.append(
                ImportBatch.Change(
                    plantID: plant.id, kind: .planted, tagIDs: tagIDs,
                    after: ImportBatch.PlantState(plant, tagIDs: Set(tagIDs))))
            outcomes[friend.place] = .planted(plant)
        }
    }
}

extension Registration {
    /// The registration of a contact.
    package init(_ contact: FriendContact, cycle: Cycle) {
        self.init(
            name: contact.name, phone: contact.phones[0], nickname: contact.nickname ?? Nickname(contact.name),
            birthday: contact.birthday, cycle: cycle, alarmTime: contact.alarmTime ?? .defaultAlarm,
            isFavourite: contact.isFavourite)
    }
}

/// Spreads the first due dates of new friends with the same cycle, as evenly as whole days allow (rule 1.9). The first
/// friend is due after the whole cycle, as if imported alone.
package struct CycleSpread {
    private let counts: [Cycle: Int]
    private var handedOut: [Cycle: Int] = [:]

    init(cycles: [Cycle]) {
        counts = cycles.reduce(into: [:]) { counts, cycle in counts[cycle, default: 0] += 1 }
    }

    /// Days until the next friend with this cycle is first due, from 1 to the cycle.
    mutating func next(_ cycle: Cycle) -> Int {
        let number = handedOut[cycle, default: 0]
        handedOut[cycle] = number + 1
        return cycle.days - number * cycle.days / max(counts[cycle] ?? 1, 1)
    }

    /// Days until a friend is first due, from 1 to the cycle, derived from its id, for imports whose size is not known
    /// in advance. Ids are random, so the days fill evenly.
    package static func firstDueIn(_ cycle: Cycle, for id: Plant.ID) -> Int {
        let beginning = withUnsafeBytes(of: id.uuid.uuid) { $0.loadUnaligned(as: UInt32.self) }
        return 1 + Int(UInt32(bigEndian: beginning) % UInt32(cycle.days))
    }
}
