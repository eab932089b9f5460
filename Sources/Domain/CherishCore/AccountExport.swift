/// An account and everything that belongs to it, which is what rule 8.6 erases.
///
/// Seeding it into a database without that account restores the same state: the same plants with the same ids and due
/// dates, the same history, and the same pending pushes.
public struct AccountExport: Hashable, Sendable {
    public var account: Account
    public var createdAt: Instant
    /// A JPEG of at most 1 MiB; nil without a picture.
    public var picture: [UInt8]?
    public var devices: [Device]
    /// Sorted by name.
    public var tags: [Tag]
    /// Sorted by id.
    public var plants: [PlantHistory]
    /// The planned pushes with their outcomes, and the pending ones, in planning order.
    public var pushes: [ExportedPush]
    /// The imports of address books, oldest first.
    public var imports: [ImportBatch]
    /// Sorted by id. Without the pushes about them.
    public var things: [ThingHistory]
    /// Sorted by their first days.
    public var pauses: [Pause]

    public init(
        account: Account, createdAt: Instant, picture: [UInt8]? = nil, devices: [Device] = [], tags: [Tag] = [],
        plants: [PlantHistory] = [], pushes: [ExportedPush] = [], imports: [ImportBatch] = [],
        things: [ThingHistory] = [], pauses: [Pause] = []
    ) {
        self.account = account
        self.createdAt = createdAt
        self.picture = picture
        self.devices = devices
        self.tags = tags
        self.plants = plants
        self.pushes = pushes
        self.imports = imports
        self.things = things
        self.pauses = pauses
    }
}

extension AccountExport {
    /// Returns the export with every name-based plant id (UUID version 5) replaced by a new one. Older versions derived
    /// plant ids from phones, which brute force could recover.
    ///
    /// - Parameter newID: Creates a plant id.
    public func replacingNameBasedIDs(_ newID: () -> Plant.ID) -> AccountExport {
        var new: [Plant.ID: Plant.ID] = [:]
        func replaced(_ id: Plant.ID) -> Plant.ID {
            guard id.uuid.uuid.6 >> 4 == 5 else { return id }
            if let known = new[id] { return known }
            let made = newID()
            new[id] = made
            return made
        }
        var export = self
        for place in plants.indices { export.plants[place].plant.id = replaced(plants[place].plant.id) }
        export.plants.sort { $0.plant.id < $1.plant.id }
        export.pushes = pushes.map { push in
            let planned = push.occurrence
            return ExportedPush(
                occurrence: Occurrence(
                    at: planned.at, accountID: planned.accountID,
                    subjectID: replaced(Plant.ID(planned.subjectID)).subject, topic: planned.topic, ref: planned.ref),
                end: push.end)
        }
        for (place, batch) in imports.enumerated() {
            export.imports[place].changes = batch.changes.map { change in
                var change = change
                change.plantID = replaced(change.plantID)
                return change
            }.sorted { $0.plantID < $1.plantID }
        }
        return new.isEmpty ? self : export
    }
}

/// A plant with its whole history.
public struct PlantHistory: Hashable, Sendable {
    public var plant: Plant
    public var createdAt: Instant
    /// Sorted by the tags' names.
    public var tagIDs: [Tag.ID]
    /// In recording order.
    public var waterings: [Watering]
    /// In the order in which they were made.
    public var postponements: [ExportedPostponement]
    /// Due dates set by neither a watering nor a postponement, oldest first.
    public var dueDateChanges: [DueDateChange]
    /// The affection ledger, oldest first.
    public var ledger: [ExportedAffection]
    /// Past removals, oldest first: each lasts from the removal until the plant was brought back. Loaded only for the
    /// history of a single plant; in the export of an account, the imports record them.
    public var removals: [Range<Instant>]

    public init(
        plant: Plant, createdAt: Instant, tagIDs: [Tag.ID] = [], waterings: [Watering] = [],
        postponements: [ExportedPostponement] = [], dueDateChanges: [DueDateChange] = [],
        ledger: [ExportedAffection] = [], removals: [Range<Instant>] = []
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

/// A postponement and when it was made.
public struct ExportedPostponement: Hashable, Sendable {
    public let postponement: Postponement
    public let postponedAt: Instant

    public init(postponement: Postponement, postponedAt: Instant) {
        self.postponement = postponement
        self.postponedAt = postponedAt
    }
}

/// A due date set by registering the plant, bringing it back, or changing its cycle.
public struct DueDateChange: Hashable, Sendable {
    public let changedAt: Instant
    public let cycle: Cycle
    public let dueOn: CivilDay
    /// `registration`, `edit`, `pause` or `outage`.
    public let source: Plant.DueSource
    /// The first day on which the plant would be withered; nil means the day after the due date (rule 13.1).
    public let withersOn: CivilDay?

    public init(
        changedAt: Instant, cycle: Cycle, dueOn: CivilDay, source: Plant.DueSource, withersOn: CivilDay? = nil
    ) {
        self.changedAt = changedAt
        self.cycle = cycle
        self.dueOn = dueOn
        self.source = source
        self.withersOn = withersOn
    }

    /// What a command noted of a due date that neither a watering nor a postponement set.
    public init(of plant: Plant, changedAt: Instant) {
        self.init(
            changedAt: changedAt, cycle: plant.cycle, dueOn: plant.ownDueOn, source: plant.dueSource)
    }

    /// What a command noted of a plant whose due date a pause moved. Whatever had set that has the instant of the command, so
    /// this one has the next.
    public init(pausing plant: Plant, changedAt: Instant) {
        self.init(
            changedAt: changedAt.adding(microseconds: 1), cycle: plant.cycle, dueOn: plant.dueOn, source: .pause,
            withersOn: plant.withersOn == plant.dueOn + 1 ? nil : plant.withersOn)
    }
}

/// An entry of the affection ledger and when the points were gained.
public struct ExportedAffection: Hashable, Sendable {
    public let entry: AffectionEntry
    public let gainedAt: Instant

    public init(entry: AffectionEntry, gainedAt: Instant) {
        self.entry = entry
        self.gainedAt = gainedAt
    }
}

/// A planned push and how it ended.
public struct ExportedPush: Hashable, Sendable {
    /// The outcome of a push, its reason, and its time.
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
    /// nil while the push is pending or being delivered.
    public let end: End?

    public init(occurrence: Occurrence, end: End?) {
        self.occurrence = occurrence
        self.end = end
    }
}

/// One import of an address book into an account, kept so that it can be undone.
public struct ImportBatch: Hashable, Sendable {
    public typealias ID = Identifier<ImportBatch>

    /// What an import did to one plant.
    public struct Change: Hashable, Sendable {
        /// Whether the plant was new, brought back, or already living.
        public enum Kind: String, CaseIterable, Sendable {
            /// The import created the plant.
            case planted
            /// The plant had been removed and was brought back.
            case restored
            /// The plant was living; the import corrected its name or filled in missing data.
            case updated
        }

        public fileprivate(set) var plantID: Plant.ID
        public let kind: Kind
        /// The name before and after; nil if it stayed the same.
        public var names: NameChange?
        /// The birthday that the import filled in; nil if it filled in none.
        public let birthday: Birthday?
        /// The tags that the import added to the plant.
        public let tagIDs: [Tag.ID]
        /// When a brought-back plant was removed before the import; nil for others.
        public let archivedAt: Instant?
        /// The previous due date of a brought-back plant; nil for others and for imports by older versions.
        public var dueBefore: DueDate?
        /// The state of a new or brought-back plant after the import; nil for others and for imports by older versions.
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
        /// The nickname before the change; nil for imports by older versions.
        public var nicknameBefore: Nickname?

        public init(before: ContactName, after: ContactName, nicknameBefore: Nickname? = nil) {
            self.before = before
            self.after = after
            self.nicknameBefore = nicknameBefore
        }
    }

    /// A due date and what set it.
    public struct DueDate: Hashable, Sendable {
        public let on: CivilDay
        public let source: Plant.DueSource
        /// The day on which the plant had last been brought back before the import; nil if never.
        public let restoredOn: CivilDay?

        public init(on day: CivilDay, source: Plant.DueSource, restoredOn: CivilDay? = nil) {
            self.on = day
            self.source = source
            self.restoredOn = restoredOn
        }
    }

    /// The state of a plant after an import, so that an undo can detect later changes.
    public struct PlantState: Hashable, Sendable {
        /// The number of waterings and postponements.
        public let careCount: Int
        /// 16 hexadecimal digits: a hash of everything that commands can change in a living plant.
        public let fingerprint: String

        public init(careCount: Int, fingerprint: String) {
            self.careCount = careCount
            self.fingerprint = fingerprint
        }
    }

    public let id: ID
    public let importedAt: Instant
    /// The last component of the file's path.
    public let fileName: String
    /// The tags that the import created.
    public let tagIDs: [Tag.ID]
    /// Sorted by plant id.
    public var changes: [Change]
    /// When the import was undone; nil if it was not.
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
