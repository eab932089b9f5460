/// What undoing an import does with each plant that it touched (rule 1.10).
///
/// It takes back what the import did and nobody built upon: what happened since stays. A friend that came with it goes
/// for good, as if it had never been there, and one that was brought back is removed again, unless anything about them
/// was changed since. A friend that lived already is put back piece by piece: care for it does not speak for a wrong
/// name.
public struct ImportUndoing: Sendable {
    /// Why a plant is not taken back.
    public enum Obstacle: String, Hashable, Sendable {
        /// It was watered or postponed since.
        case caredFor = "cared_for"
        /// It was edited since, or all that the import changed of it was.
        case edited
        /// The plant was removed since.
        case removed
    }

    /// New plants that go for good.
    public private(set) var deleted: [Plant] = []
    /// Plants that are put back to what they were, those that lose only tags too.
    public private(set) var reverted: [Plant] = []
    /// Those of them that had been brought back and have the due date again that they had while they were removed.
    public private(set) var dueDatesPutBack: [Plant.ID] = []
    /// Tags that plants lose again.
    public private(set) var taggings: [(plantID: Plant.ID, tagID: Tag.ID)] = []
    /// Plants that stay as they are. None is among the others.
    public private(set) var kept: [(plant: Plant, obstacle: Obstacle)] = []
    public private(set) var occurrences: [Occurrence] = []

    /// Decides what to take back.
    ///
    /// - Parameters:
    ///   - plants: the plants of the import as they are now; one that was erased meanwhile is missing.
    ///   - tags: all tags of the account.
    ///   - tagIDs: which plants have which tags.
    /// - Throws: ``CareError/importUndone`` when it was undone before.
    public init(
        _ batch: ImportBatch, plants: [Plant.ID: Plant], tags: [Tag], tagIDs: [Plant.ID: [Tag.ID]],
        of account: Account, at present: Present
    ) throws(CareError) {
        guard batch.undoneAt == nil else { throw .importUndone }
        let known = Set(tags.map(\.id))
        for change in batch.changes {
            guard let plant = plants[change.plantID] else { continue }
            let has = Set(tagIDs[plant.id] ?? [])
            // A tag that was deleted altogether leaves its friends as they are (rule 9.3): that is no edit of theirs.
            let hadSince = has.union(change.tagIDs.filter { !known.contains($0) })
            if let obstacle = Self.obstacle(plant, tagIDs: hadSince, since: change) {
                kept.append((plant, obstacle))
            } else if change.kind == .planted {
                deleted.append(plant)
            } else {
                try revert(plant, change, losing: change.tagIDs.filter(has.contains), for: account, at: present)
            }
        }
    }

    private static func obstacle(_ plant: Plant, tagIDs: Set<Tag.ID>, since change: ImportBatch.Change) -> Obstacle? {
        if plant.archivedAt != nil { return .removed }
        if change.kind == .updated { return nil }
        guard let after = change.after else {
            // An older Cherish imported, and kept nothing by which edits could be told.
            let isUntouched = change.kind == .planted ? plant.careCount == 0 : plant.dueSource == .registration
            return isUntouched ? nil : .caredFor
        }
        if plant.careCount != after.careCount { return .caredFor }
        return ImportBatch.PlantState(plant, tagIDs: tagIDs) == after ? nil : .edited
    }

    private mutating func revert(
        _ before: Plant, _ change: ImportBatch.Change, losing tagIDs: [Tag.ID], for account: Account,
        at present: Present
    ) throws(CareError) {
        var plant = before
        if let names = change.names { try plant.putBack(names, at: present) }
        if let birthday = change.birthday, plant.birthday == birthday {
            var edit = PlantEdit()
            edit.birthday = .some(nil)
            occurrences += try plant.edit(edit, for: account, at: present)
        }
        if change.kind == .restored {
            occurrences += plant.removeAgain(change, for: account, at: present)
            if change.dueBefore != nil { dueDatesPutBack.append(plant.id) }
        }
        taggings += tagIDs.map { (plant.id, $0) }
        if plant == before, tagIDs.isEmpty {
            kept.append((before, .edited))
        } else {
            reverted.append(plant)
        }
    }
}

extension Plant {
    fileprivate var careCount: Int { wateringCount + postponementCount }

    /// Puts back a name that was corrected, unless it was corrected again. A nickname that followed the name follows it
    /// back; one that was chosen stays.
    fileprivate mutating func putBack(_ names: ImportBatch.NameChange, at present: Present) throws(CareError) {
        guard name == names.after else { return }
        guard let nicknameBefore = names.nicknameBefore else {
            _ = try correctName(names.before, at: present)
            return
        }
        let followed = nicknameBefore == Nickname(names.before)
        if followed, nickname == Nickname(names.after) { nickname = nicknameBefore }
        name = names.before
    }

    /// Removes a plant that was brought back, since the same instant and with the same due date as before.
    fileprivate mutating func removeAgain(
        _ change: ImportBatch.Change, for account: Account, at present: Present
    ) -> [Occurrence] {
        var occurrences: [Occurrence] = []
        if let due = change.dueBefore {
            dueOn = due.on
            dueSource = due.source
            restoredOn = due.restoredOn
            // An alarm that was reached meanwhile is remembered (rule 7.2). What the plant points at has to be in the
            // calendar, where it ends as superseded: the friend may be brought back once more before.
            occurrences = replan(for: account, at: present)
        }
        archivedAt = change.archivedAt
        return occurrences
    }
}

// MARK: - What undoing has to know

extension GardenImport {
    /// What the import does with each plant, and what has to be known to undo it.
    ///
    /// - Parameter garden: as it was before the import.
    public func undoableChanges(in garden: KnownGarden) -> [ImportBatch.Change] {
        var before: [Plant.ID: Plant] = [:]
        for plant in Array(garden.living.values) + garden.archived.values { before[plant.id] = plant }
        var after: [Plant.ID: Plant] = [:]
        for plant in planted + changed { after[plant.id] = plant }
        return changes.map { change in
            var change = change
            let id = change.plantID
            if let plant = before[id] {
                change.names?.nicknameBefore = plant.nickname
                if change.kind == .restored {
                    change.dueBefore = ImportBatch.DueDate(
                        on: plant.dueOn, source: plant.dueSource, restoredOn: plant.restoredOn)
                }
            }
            if change.kind != .updated, let plant = after[id] {
                change.after = ImportBatch.PlantState(
                    plant, tagIDs: Set(garden.tagIDs[id] ?? []).union(change.tagIDs))
            }
            return change
        }
    }
}

extension ImportBatch.PlantState {
    /// The state of a living plant. What is planned for it is not part of it: nobody chooses that.
    init(_ plant: Plant, tagIDs: Set<Tag.ID>) {
        var fingerprint = Fingerprint()
        let texts = [
            plant.name.description, plant.nickname.description, plant.birthday?.description ?? "",
            plant.dueSource.rawValue,
        ]
        for text in texts { fingerprint.add(text) }
        let numbers = [
            plant.cycle.days, plant.alarmTime.minuteOfDay, plant.pushesEnabled ? 1 : 0, plant.isFavourite ? 1 : 0,
            Int(plant.dueOn.daysSinceEpoch), plant.affection.points,
        ]
        for number in numbers { fingerprint.add(number) }
        // Who was never brought back has the hash of before there was this field.
        if let restoredOn = plant.restoredOn { fingerprint.add(Int(restoredOn.daysSinceEpoch)) }
        for id in tagIDs.sorted() { withUnsafeBytes(of: id.uuid.uuid) { fingerprint.add($0) } }
        self.init(careCount: plant.careCount, fingerprint: fingerprint.description)
    }
}

/// FNV-1a in 64 bits over the bytes that are added: the same on every machine and in every version.
private struct Fingerprint: CustomStringConvertible {
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    mutating func add(_ text: String) {
        add(text.utf8)
        // No text has this byte: it tells where one ends.
        add(CollectionOfOne(0xFF))
    }

    mutating func add(_ number: Int) {
        withUnsafeBytes(of: Int64(number).littleEndian) { add($0) }
    }

    /// 16 hexadecimal digits.
    var description: String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
