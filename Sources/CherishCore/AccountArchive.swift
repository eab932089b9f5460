/// All that belongs to an account, as it is exported and read back (rule 8.6 erases it, this keeps it).
///
/// Reading it into a database where the account is unknown gives the same state: the same plants with the same ids and due
/// dates, the same history, and what was still to be pushed is to be pushed.
public struct AccountArchive: Hashable, Sendable {
    public var account: Account
    public var createdAt: Instant
    public var devices: [Device]
    /// In the order of their names.
    public var tags: [Tag]
    /// In the order of their ids.
    public var plants: [PlantArchive]
    /// What was planned for the plants and has an outcome, or is still to come, in the order of planning.
    public var pushes: [ArchivedPush]
    /// The imports of address books, the oldest first.
    public var imports: [ImportBatch]

    public init(
        account: Account, createdAt: Instant, devices: [Device] = [], tags: [Tag] = [], plants: [PlantArchive] = [],
        pushes: [ArchivedPush] = [], imports: [ImportBatch] = []
    ) {
        self.account = account
        self.createdAt = createdAt
        self.devices = devices
        self.tags = tags
        self.plants = plants
        self.pushes = pushes
        self.imports = imports
    }
}

extension AccountArchive {
    /// The archive with new ids in place of name-based ones (UUIDs of version 5), wherever it mentions them: an older Cherish
    /// made the ids of plants from their phones, which could be told from them by trying all numbers.
    ///
    /// - Parameter newID: makes the id of a plant.
    public func replacingNameBasedIDs(_ newID: () -> Plant.ID) -> AccountArchive {
        var new: [Plant.ID: Plant.ID] = [:]
        func replaced(_ id: Plant.ID) -> Plant.ID {
            guard id.uuid.uuid.6 >> 4 == 5 else { return id }
            if let known = new[id] { return known }
            let made = newID()
            new[id] = made
            return made
        }
        var archive = self
        for place in plants.indices { archive.plants[place].plant.id = replaced(plants[place].plant.id) }
        archive.plants.sort { $0.plant.id < $1.plant.id }
        archive.pushes = pushes.map { push in
            let planned = push.occurrence
            return ArchivedPush(
                occurrence: Occurrence(
                    at: planned.at, plantID: replaced(planned.plantID), kind: planned.kind, subject: planned.subject),
                end: push.end)
        }
        for (place, batch) in imports.enumerated() {
            archive.imports[place].changes = batch.changes.map { change in
                var change = change
                change.plantID = replaced(change.plantID)
                return change
            }.sorted { $0.plantID < $1.plantID }
        }
        return new.isEmpty ? self : archive
    }
}

/// A plant with all that happened to it.
public struct PlantArchive: Hashable, Sendable {
    public var plant: Plant
    public var createdAt: Instant
    /// In the order of the tags' names.
    public var tagIDs: [Tag.ID]
    /// In the order of recording.
    public var waterings: [Watering]
    /// In the order of postponing.
    public var postponements: [ArchivedPostponement]
    /// Due dates that neither a watering nor a postponement set, the oldest first.
    public var dueDateChanges: [DueDateChange]
    /// The ledger of affection, in the order of gaining.
    public var ledger: [ArchivedAffection]
    /// When it was removed, up to when it was brought back; the oldest first, and without a removal that lasts. Empty where it
    /// was not asked for: in an account's archive its imports tell.
    public var removals: [Range<Instant>]

    public init(
        plant: Plant, createdAt: Instant, tagIDs: [Tag.ID] = [], waterings: [Watering] = [],
        postponements: [ArchivedPostponement] = [], dueDateChanges: [DueDateChange] = [],
        ledger: [ArchivedAffection] = [], removals: [Range<Instant>] = []
    ) {
        self.plant = plant
        self.createdAt = createdAt
        self.tagIDs = tagIDs
        self.waterings = waterings
        self.postponements = postponements
        self.dueDateChanges = dueDateChanges
        self.ledger = ledger
        self.removals = removals
    }
}

/// A postponement, and when it was made.
public struct ArchivedPostponement: Hashable, Sendable {
    public let postponement: Postponement
    public let postponedAt: Instant

    public init(postponement: Postponement, postponedAt: Instant) {
        self.postponement = postponement
        self.postponedAt = postponedAt
    }
}

/// A due date that registration, restoration or a changed cycle set.
public struct DueDateChange: Hashable, Sendable {
    public let changedAt: Instant
    public let cycle: Cycle
    public let dueOn: CivilDay
    /// `registration` or `edit`.
    public let source: Plant.DueSource

    public init(changedAt: Instant, cycle: Cycle, dueOn: CivilDay, source: Plant.DueSource) {
        self.changedAt = changedAt
        self.cycle = cycle
        self.dueOn = dueOn
        self.source = source
    }
}

/// A row of the ledger of affection, and when it was gained.
public struct ArchivedAffection: Hashable, Sendable {
    public let entry: AffectionEntry
    public let gainedAt: Instant

    public init(entry: AffectionEntry, gainedAt: Instant) {
        self.entry = entry
        self.gainedAt = gainedAt
    }
}

/// What was planned for a plant, and how it ended.
public struct ArchivedPush: Hashable, Sendable {
    /// How a push ended, why and when.
    public struct End: Hashable, Sendable {
        public let outcome: PushOutcome
        public let reason: String
        public let finishedAt: Instant

        public init(outcome: PushOutcome, reason: String, finishedAt: Instant) {
            self.outcome = outcome
            self.reason = reason
            self.finishedAt = finishedAt
        }
    }

    public let occurrence: Occurrence
    /// nil while it is still to come, or on its way.
    public let end: End?

    public init(occurrence: Occurrence, end: End?) {
        self.occurrence = occurrence
        self.end = end
    }
}

/// One import of an address book into an account, kept so that it can be undone.
public struct ImportBatch: Hashable, Sendable {
    public typealias ID = Identifier<ImportBatch>

    /// What an import did with one plant.
    public struct Change: Hashable, Sendable {
        /// Whether the plant was new, brought back, or lived already.
        public enum Kind: String, CaseIterable, Sendable {
            /// The plant came with the import.
            case planted
            /// It was removed before, and was brought back.
            case restored
            /// It lived already; its name was corrected, or what was unknown of it was added.
            case updated
        }

        public fileprivate(set) var plantID: Plant.ID
        public let kind: Kind
        /// The name it had and the name it got; nil where the name stayed.
        public var names: NameChange?
        /// The birthday that it got; nil where it had one, or got none.
        public let birthday: Birthday?
        /// The tags that it got and did not have.
        public let tagIDs: [Tag.ID]
        /// Since when a restored plant was removed.
        public let archivedAt: Instant?
        /// The due date that a restored plant had; nil for others, and where an older Cherish imported.
        public var dueBefore: DueDate?
        /// How a new or restored plant was left; nil for others, and where an older Cherish imported.
        public var after: PlantState?

        public init(
            plantID: Plant.ID, kind: Kind, names: NameChange? = nil, birthday: Birthday? = nil, tagIDs: [Tag.ID] = [],
            archivedAt: Instant? = nil, dueBefore: DueDate? = nil, after: PlantState? = nil
        ) {
            self.plantID = plantID
            self.kind = kind
            self.names = names
            self.birthday = birthday
            self.tagIDs = tagIDs
            self.archivedAt = archivedAt
            self.dueBefore = dueBefore
            self.after = after
        }
    }

    /// A corrected name.
    public struct NameChange: Hashable, Sendable {
        public let before: ContactName
        public let after: ContactName
        /// The nickname beside the name before; nil where an older Cherish imported.
        public var nicknameBefore: Nickname?

        public init(before: ContactName, after: ContactName, nicknameBefore: Nickname? = nil) {
            self.before = before
            self.after = after
            self.nicknameBefore = nicknameBefore
        }
    }

    /// A due date, and what set it.
    public struct DueDate: Hashable, Sendable {
        public let on: CivilDay
        public let source: Plant.DueSource
        /// The day on which the plant had been brought back before; nil when it never was.
        public let restoredOn: CivilDay?

        public init(on day: CivilDay, source: Plant.DueSource, restoredOn: CivilDay? = nil) {
            self.on = day
            self.source = source
            self.restoredOn = restoredOn
        }
    }

    /// What people did for a plant and made of it, so that it can be told later whether somebody built upon it.
    public struct PlantState: Hashable, Sendable {
        /// How many waterings and postponements it had.
        public let careCount: Int
        /// 16 hexadecimal digits: a hash of all that a command can change of a living plant.
        public let fingerprint: String

        public init(careCount: Int, fingerprint: String) {
            self.careCount = careCount
            self.fingerprint = fingerprint
        }
    }

    public let id: ID
    public let importedAt: Instant
    /// The last part of the file's path.
    public let fileName: String
    /// The tags that were made for it.
    public let tagIDs: [Tag.ID]
    /// In the order of the plants' ids.
    public var changes: [Change]
    /// When it was undone; nil when it was not.
    public let undoneAt: Instant?

    public init(
        id: ID, importedAt: Instant, fileName: String, tagIDs: [Tag.ID], changes: [Change], undoneAt: Instant? = nil
    ) {
        self.id = id
        self.importedAt = importedAt
        self.fileName = fileName
        self.tagIDs = tagIDs
        self.changes = changes
        self.undoneAt = undoneAt
    }
}
