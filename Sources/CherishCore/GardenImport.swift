/// A contact of an address book that can become a friend: its texts are checked, its numbers are read.
public struct FriendContact: Sendable {
    /// The most numbers of one person that are gathered when contacts are put together.
    private static let mostPhones = 100

    public var name: ContactName
    /// At least one; the first is the number under which the friend is planted.
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

    /// Takes from another contact of the same person what this one does not have. A file may hold very many such
    /// contacts: no more numbers and tags are gathered than count.
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

    /// What it has beside name and numbers.
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

/// One of the things that a contact may have and another of the same person not.
private enum ContactDetail: Hashable {
    case nickname, birthday, cycle, alarmTime, favourite
    case tag(TagName)
}

/// How an address book is imported.
public struct ImportOptions: Sendable {
    /// Above how many new friends their first due dates are spread, unless it is said whether (rule 1.9).
    public static let spreadsAbove = 20

    /// The cycle of contacts for which neither the file nor a tag names one.
    public var cycle: Cycle
    /// Whether friends that were removed before are brought back.
    public var restoring = false
    /// Whether contacts of the same person are put together, and plants get what was unknown of them.
    public var merging = false
    /// Whether first due dates are spread over the cycle; nil is above ``spreadsAbove`` new friends.
    public var spreading: Bool?

    public init(cycle: Cycle) {
        self.cycle = cycle
    }
}

/// What becomes of one contact of an import.
public enum ImportOutcome: Hashable, Sendable {
    case planted(Plant)
    /// It lives already; its name was corrected, or it got what was unknown of it, or both.
    case updated(Plant, isRenamed: Bool, isFilled: Bool)
    case restored(Plant)
    /// It lives already, and there is nothing new about it.
    case unchanged(Plant)
    /// The friend was removed before and is not brought back unless that is asked for.
    case removedBefore(Plant)
    /// A living plant has the same name and another number of this contact.
    case otherNumber(Plant)
    /// An earlier contact of the same file, counted from 0, is the same person: the same phone, or the same name and a
    /// number in common, with that contact or with one that repeats it.
    case repeated(of: Int)
    /// As `repeated`, and something of it was written that neither the earlier contact nor the plant had.
    case merged(into: Int)
}

/// What an import will do: decided at once and by the rules alone, so that a dry run tells exactly what would happen.
public struct GardenImport: Sendable {
    /// What becomes of each contact, in their order.
    public private(set) var outcomes: [ImportOutcome] = []
    /// The new plants.
    public private(set) var planted: [Plant] = []
    /// Plants that lived or were restored, as they are now.
    public private(set) var changed: [Plant] = []
    public private(set) var occurrences: [Occurrence] = []
    /// The tags that have to be made.
    public var newTags: [Tag] { tags.newTags }
    /// Tags of the file for which the account has no room.
    public var tagsLeftOut: [TagName] { tags.namesLeftOut }
    /// Enough to undo it.
    public private(set) var changes: [ImportBatch.Change] = []
    /// Whether first due dates were spread over the cycles (rule 1.9).
    public private(set) var isSpread = false

    private let account: Account
    private let present: Present
    private let options: ImportOptions
    private let garden: KnownGarden
    private let newTagID: @Sendable () -> Tag.ID
    private let newPlantID: @Sendable () -> Plant.ID
    private var tags: TagRoster
    /// Which contact was the first about a plant that lived or was restored.
    private var firstContacts: [Plant.ID: Int] = [:]

    /// Decides what to do.
    ///
    /// - Parameters:
    ///   - garden: all plants of the account, the removed ones too, and its tags.
    ///   - newTagID: makes the id of a new tag.
    ///   - newPlantID: makes the id of a new friend.
    public init(
        _ contacts: [FriendContact], into garden: KnownGarden, of account: Account, at present: Present,
        options: ImportOptions, newTagID: @escaping @Sendable () -> Tag.ID,
        newPlantID: @escaping @Sendable () -> Plant.ID
    ) throws(CareError) {
        self.account = account
        self.present = present
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
        tellMerged(repetitions)
    }

    /// Whether anything is to be written.
    public var changesAnything: Bool { !changes.isEmpty }
}

/// The plants and tags that an account has before an import.
public struct KnownGarden: Sendable {
    let tags: [Tag]
    let tagIDs: [Plant.ID: [Tag.ID]]
    private(set) var living: [PhoneNumber: Plant] = [:]
    /// The newest removed plant of each phone.
    private(set) var archived: [PhoneNumber: Plant] = [:]

    /// - Parameters:
    ///   - plants: all of the account; of those removed that had one phone the newest last.
    ///   - tagIDs: which plants have which tags.
    public init(plants: [Plant], tags: [Tag], tagIDs: [Plant.ID: [Tag.ID]]) {
        self.tags = tags
        self.tagIDs = tagIDs
        for plant in plants {
            if plant.archivedAt == nil { living[plant.phone] = plant } else { archived[plant.phone] = plant }
        }
    }

    func living(named name: ContactName, withOneOf phones: [PhoneNumber]) -> Plant? {
        phones.lazy.compactMap { living[$0] }.first { $0.name == name }
    }

    func archived(named name: ContactName, withOneOf phones: [PhoneNumber]) -> Plant? {
        phones.lazy.compactMap { archived[$0] }.first { $0.name == name }
    }
}

// MARK: - Contacts of the same person

extension GardenImport {
    /// A contact of a person of whom there was one before.
    private struct Repetition {
        let earlier: Int
        /// What it has and the earlier one had not; nothing unless they are put together.
        var details: Set<ContactDetail> = []
    }

    /// The contacts, and which of them repeat an earlier one. When merging, the earlier one has what the others add.
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
            // By a number that only a repetition has, the next contact may be known as the same person.
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

    /// Tells the repetitions of which something is written from those that have nothing new.
    private mutating func tellMerged(_ repetitions: [Int: Repetition]) {
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
    /// The plant of which something is to be written.
    fileprivate var changedPlantID: Plant.ID? {
        switch self {
        case .planted(let plant), .updated(let plant, _, _), .restored(let plant): plant.id
        case .unchanged, .removedBefore, .otherNumber, .repeated, .merged: nil
        }
    }
}

// MARK: - What the garden knows already

extension GardenImport {
    /// What becomes of a contact that the garden has, or had; nil for a new one.
    private mutating func known(_ contact: FriendContact, at place: Int) throws(CareError) -> ImportOutcome? {
        let first = contact.phones[0]
        if let plant = garden.living[first] { return try update(plant, from: contact, at: place) }
        if let plant = garden.living(named: contact.name, withOneOf: contact.phones) {
            return options.merging ? try update(plant, from: contact, at: place) : .otherNumber(plant)
        }
        guard let plant = garden.archived[first] ?? garden.archived(named: contact.name, withOneOf: contact.phones)
        else { return nil }
        guard options.restoring else { return .removedBefore(plant) }
        // Where another friend has its number by now, the friend comes back as a new plant with the first number.
        return garden.living[plant.phone] == nil ? try restore(plant, from: contact, at: place) : nil
    }

    /// Two contacts of the file may be about one plant, by different numbers: which was the first about it.
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
        let isRenamed = try plant.correctName(contact.name, at: present)
        let birthday = options.merging && plant.birthday == nil ? contact.birthday : nil
        if let birthday {
            var edit = PlantEdit()
            edit.birthday = .some(birthday)
            occurrences += try plant.edit(edit, for: account, at: present)
        }
        let tagIDs = options.merging ? tagging(contact, of: plant) : []
        let isFilled = birthday != nil || !tagIDs.isEmpty
        guard isRenamed || isFilled else { return .unchanged(plant) }
        changed.append(plant)
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
        occurrences += plant.restore(for: account, at: present)
        _ = try plant.correctName(contact.name, at: present)
        changed.append(plant)
        changes.append(
            ImportBatch.Change(
                plantID: plant.id, kind: .restored, names: nameChange(before, plant),
                tagIDs: tagging(contact, of: plant),
                archivedAt: before.archivedAt))
        return .restored(plant)
    }

    private func nameChange(_ before: Plant, _ after: Plant) -> ImportBatch.NameChange? {
        before.name == after.name ? nil : ImportBatch.NameChange(before: before.name, after: after.name)
    }

    /// The tags of a contact that a plant does not have and has room for.
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
                Registration(contact, cycle: cycles[index]), id: newPlantID(), for: account, at: present,
                firstDueIn: isSpread ? spread.next(cycles[index]) : nil)
            planted.append(plant)
            occurrences += planned
            changes.append(ImportBatch.Change(plantID: plant.id, kind: .planted, tagIDs: tagged[index].map(\.id)))
            outcomes[friend.place] = .planted(plant)
        }
    }
}

extension Registration {
    /// What is registered of a contact.
    package init(_ contact: FriendContact, cycle: Cycle) {
        self.init(
            name: contact.name, phone: contact.phones[0], nickname: contact.nickname ?? Nickname(contact.name),
            birthday: contact.birthday, cycle: cycle, alarmTime: contact.alarmTime ?? .defaultAlarm,
            isFavourite: contact.isFavourite)
    }
}

/// Hands out first due dates so that new friends of one cycle thirst on different days, as evenly as whole days allow
/// (rule 1.9). The first of them is due after the whole cycle, as if it came alone.
package struct CycleSpread {
    private let counts: [Cycle: Int]
    private var handedOut: [Cycle: Int] = [:]

    init(cycles: [Cycle]) {
        counts = cycles.reduce(into: [:]) { counts, cycle in counts[cycle, default: 0] += 1 }
    }

    /// After how many days the next friend of a cycle wants water for the first time, from 1 to the cycle.
    mutating func next(_ cycle: Cycle) -> Int {
        let number = handedOut[cycle, default: 0]
        handedOut[cycle] = number + 1
        return cycle.days - number * cycle.days / max(counts[cycle] ?? 1, 1)
    }

    /// After how many days a friend of very many wants water for the first time, from 1 to the cycle: by its id, since
    /// nobody knows how many are still to come. Ids are random, so that each day gets its share of them.
    package static func firstDueIn(_ cycle: Cycle, for id: Plant.ID) -> Int {
        let beginning = withUnsafeBytes(of: id.uuid.uuid) { $0.loadUnaligned(as: UInt32.self) }
        return 1 + Int(UInt32(bigEndian: beginning) % UInt32(cycle.days))
    }
}
