/// A plan for undoing an import, plant by plant (rule 1.10).
///
/// Reverts the import but keeps later changes. A friend that the import added is deleted permanently, and one that it
/// brought back is removed again, unless anything about them has changed since. A friend that was already living is
/// reverted field by field, even if watered since: a watering does not confirm a wrong name.
public struct ImportUndoing: Sendable {
    /// Why a plant is not reverted.
    public enum Obstacle: String, Hashable, Sendable {
        /// It was watered or postponed since.
        case caredFor = "cared_for"
        /// It was edited since, or nothing of what the import changed is left to revert.
        case edited
        /// It was removed since.
        case removed
    }

    /// New plants to delete permanently.
    public private(set) var deleted: [Plant] = []
    /// Plants to revert, including those that only lose tags.
    public private(set) var reverted: [Plant] = []
    /// Reverted plants that the import had brought back and that regain their previous due date.
    public private(set) var dueDatesPutBack: [Plant.ID] = []
    /// Tags to remove from plants.
    public private(set) var taggings: [(plantID: Plant.ID, tagID: Tag.ID)] = []
    /// Plants that stay unchanged. None of them is in the other lists.
    public private(set) var kept: [(plant: Plant, obstacle: Obstacle)] = []
    public private(set) var occurrences: [Occurrence] = []

    /// Plans the undo.
    ///
    /// - Parameters:
    ///   - plants: The import's plants in their current state, without erased ones.
    ///   - tags: All tags of the account.
    ///   - tagIDs: The tags of each plant.
    /// - Throws: ``CareError/importUndone`` if it was already undone.
    public init(
        _ batch: ImportBatch, plants: [Plant.ID: Plant], tags: [Tag], tagIDs: [Plant.ID: [Tag.ID]],
        of account: Account, in context: CommandContext
    ) throws(CareError) {
        guard batch.undoneAt == nil else { throw .importUndone }
        let known = Set(tags.map(\.id))
        for change in batch.changes {
            guard let plant = plants[change.plantID] else { continue }
            let has = Set(tagIDs[plant.id] ?? [])
            // Deleting a tag leaves its friends as they are (rule 9.3), so it does not count as an edit of them.
            let hadSince = has.union(change.tagIDs.filter { !known.contains($0) })
            if let obstacle = Self.obstacle(plant, tagIDs: hadSince, since: change) {
                kept.append((plant, obstacle))
            } else if change.kind == .planted {
                deleted.append(plant)
            } else {
                try revert(plant, change, losing: change.tagIDs.filter(has.contains), for: account, in: context)
            }
        }
    }

    private static func obstacle(_ plant: Plant, tagIDs: Set<Tag.ID>, since change: ImportBatch.Change) -> Obstacle? {
        if plant.archivedAt != nil { return .removed }
        if change.kind == .updated { return nil }
        guard let after = change.after else {
            // Imports by older versions recorded no state that would reveal edits.
            let isUntouched = change.kind == .planted ? plant.careCount == 0 : plant.dueSource == .registration
            return isUntouched ? nil : .caredFor
        }
        if plant.careCount != after.careCount { return .caredFor }
        return ImportBatch.PlantState(plant, tagIDs: tagIDs) == after ? nil : .edited
    }

    private mutating func revert(
        _ before: Plant, _ change: ImportBatch.Change, losing tagIDs: [Tag.ID], for account: Account,
        in context: CommandContext
    ) throws(CareError) {
        var plant = before
        if let names = change.names { try plant.putBack(names, in: context) }
        if let birthday = change.birthday, plant.birthday == birthday {
            var edit = PlantEdit()
            edit.birthday = .some(nil)
            occurrences += try plant.edit(edit, for: account, in: context)
        }
        if change.kind == .restored {
            occurrences += plant.removeAgain(change, for: account, in: context)
            if change.dueBefore != nil { dueDatesPutBack.append(plant.id) }
        }
        taggings += tagIDs.map { (plant.id, $0) }
        if plant == before, tagIDs.isEmpty {
            kept.append((before, .edited))
        } else {
            plant.beginChange(at: context.now)
            reverted.append(plant)
        }
    }
}

extension Plant {
    fileprivate var careCount: Int { wateringCount + postponementCount }

    /// Reverts a corrected name, unless it has been corrected again. A nickname that followed the name is reverted too;
    /// one that was chosen stays.
    fileprivate mutating func putBack(_ names: ImportBatch.NameChange, in context: CommandContext) throws(CareError) {
        guard name == names.after else { return }
        guard let nicknameBefore = names.nicknameBefore else {
            _ = try correctName(names.before, in: context)
            return
        }
        let followed = nicknameBefore == Nickname(names.before)
        if followed, nickname == Nickname(names.after) { nickname = nicknameBefore }
        name = names.before
    }

    /// Removes a brought-back plant again, with its previous removal time and due date.
    fileprivate mutating func removeAgain(
        _ change: ImportBatch.Change, for account: Account, in context: CommandContext
    ) -> [Occurrence] {
        var occurrences: [Occurrence] = []
        if let due = change.dueBefore {
            dueOn = due.on
            originalDueOn = nil
            dueSource = due.source
            restoredOn = due.restoredOn
            // Replanning records an alarm reached in the meantime (rule 7.2). The calendar must contain what the plant
            // points at; it ends as superseded unless the friend is brought back first.
            occurrences = replan(for: account, in: context)
        }
        archivedAt = change.archivedAt
        return occurrences
    }
}

// MARK: - Fingerprints

extension ImportBatch.PlantState {
    /// Captures the state of a living plant, without its plans, which nobody chooses.
    init(_ plant: Plant, tagIDs: Set<Tag.ID>) {
        var fingerprint = Fingerprint()
        let texts = [
            plant.name.description, plant.nickname.description, plant.birthday?.description ?? "",
            plant.dueSource.rawValue,
        ]
        for text in texts { fingerprint.add(text) }
        let numbers = [
            plant.cycle.days, plant.alarmTime.minuteOfDay, plant.pushesEnabled ? 1 : 0, plant.isFavourite ? 1 : 0,
            Int(plant.ownDueOn.daysSinceEpoch), plant.affection.points,
        ]
        for number in numbers { fingerprint.add(number) }
        // Omitted for plants that were never brought back, so that hashes older than this field stay valid.
        if let restoredOn = plant.restoredOn { fingerprint.add(Int(restoredOn.daysSinceEpoch)) }
        for id in tagIDs.sorted() { withUnsafeBytes(of: id.uuid.uuid) { fingerprint.add($0) } }
        self.init(careCount: plant.careCount, fingerprint: fingerprint.description)
    }
}

/// 64-bit FNV-1a over the added bytes, stable across platforms and versions.
private struct Fingerprint: CustomStringConvertible {
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    mutating func add(_ text: String) {
        add(text.utf8)
        // A terminator: UTF-8 never contains this byte.
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
