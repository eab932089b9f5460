/// What undoing an import does with each plant that it touched.
///
/// It takes back what the import did and nobody built upon: what happened since stays. A friend that came with it goes for
/// good, as if it had never been there, unless there is care to lose.
public struct ImportUndoing: Sendable {
    /// Why a plant is not taken back.
    public enum Obstacle: String, Hashable, Sendable {
        /// It was watered or postponed since.
        case caredFor = "cared_for"
        /// The plant was removed since.
        case removed
    }

    /// New plants that go for good.
    public private(set) var deleted: [Plant] = []
    /// Plants that are put back to what they were.
    public private(set) var reverted: [Plant] = []
    /// Tags that plants lose again.
    public private(set) var taggings: [(plantID: Plant.ID, tagID: Tag.ID)] = []
    public private(set) var kept: [(plant: Plant, obstacle: Obstacle)] = []
    public private(set) var occurrences: [Occurrence] = []

    /// Decides what to take back.
    ///
    /// - Parameter plants: the plants of the import as they are now; one that was erased meanwhile is missing.
    /// - Throws: ``CareError/importUndone`` when it was undone before.
    public init(_ batch: ImportBatch, plants: [Plant.ID: Plant], of account: Account, at present: Present)
        throws(CareError)
    {
        guard batch.undoneAt == nil else { throw .importUndone }
        for change in batch.changes {
            guard let plant = plants[change.plantID] else { continue }
            switch change.kind {
            case .planted:
                if let obstacle = Self.obstacle(plant, since: batch) {
                    kept.append((plant, obstacle))
                } else {
                    deleted.append(plant)
                }
            case .restored, .updated: try revert(plant, change, of: batch, for: account, at: present)
            }
        }
    }

    private static func obstacle(_ plant: Plant, since batch: ImportBatch) -> Obstacle? {
        if plant.wateringCount > 0 || plant.postponementCount > 0 { return .caredFor }
        return plant.archivedAt == nil ? nil : .removed
    }

    private mutating func revert(
        _ before: Plant, _ change: ImportBatch.Change, of batch: ImportBatch, for account: Account, at present: Present
    ) throws(CareError) {
        guard before.archivedAt == nil else {
            kept.append((before, .removed))
            return
        }
        var plant = before
        if let names = change.names, plant.name == names.after { _ = try plant.correctName(names.before, at: present) }
        if let birthday = change.birthday, plant.birthday == birthday {
            var edit = PlantEdit()
            edit.birthday = .some(nil)
            occurrences += try plant.edit(edit, for: account, at: present)
        }
        if change.kind == .restored {
            // A due date that something else set since means that it was cared for.
            if plant.dueSource == .registration {
                plant.archivedAt = change.archivedAt
            } else {
                kept.append((before, .caredFor))
            }
        }
        taggings += change.tagIDs.map { (plant.id, $0) }
        if plant != before { reverted.append(plant) }
    }
}
