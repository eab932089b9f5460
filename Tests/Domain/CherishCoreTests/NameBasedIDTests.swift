import Foundation
import Testing

@testable import CherishCore

@Suite("An export of an older version")
struct NameBasedIDTests {
    /// An id of a UUID version.
    private func id(_ version: UInt8, _ number: UInt8) -> Plant.ID {
        Identifier(UUID(uuid: (0x11, 0, 0, 0, 0, 0, version << 4, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
    }

    /// An export with a plant and a push for each id, and an import that names each and one that is gone.
    private func export(_ ids: [Plant.ID], gone: Plant.ID) throws -> AccountExport {
        var export = try RememberedGarden.long().account
        let plant = export.plants[0]
        export.plants = ids.map { id in
            var other = plant
            other.plant.id = id
            return other
        }
        let now = try seoul("2027-03-20T10:00")
        export.pushes = ids.map { id in
            ExportedPush(
                occurrence: Occurrence(
                    at: now, accountID: plant.plant.accountID, subjectID: id.subject, topic: .wateringDue, ref: 20_000),
                end: ExportedPush.End(outcome: .delivered, reason: "sent", finishedAt: now))
        }
        export.imports = [
            ImportBatch(
                id: identifier(200), importedAt: now, fileName: "a.vcf", tagIDs: [],
                changes: (ids + [gone]).map { ImportBatch.Change(plantID: $0, kind: .planted) })
        ]
        return export
    }

    @Test("gets a random id for each name-based one, consistently; all else stays")
    func replaced() throws {
        let (first, second, random, gone) = (id(5, 1), id(5, 2), id(4, 3), id(5, 4))
        let old = try export([first, second, random], gone: gone)
        var made: [Plant.ID] = []
        let new = old.replacingNameBasedIDs {
            made.append(id(4, UInt8(100 - made.count)))
            return made[made.count - 1]
        }
        #expect(made.count == 3)
        let names = [first: made[0], second: made[1], random: random, gone: made[2]]
        #expect(new.plants.map(\.plant.id) == [made[0], made[1], random].sorted())
        let expected = old.pushes.map { names[Plant.ID($0.occurrence.subjectID)] }
        #expect(new.pushes.map { Plant.ID($0.occurrence.subjectID) } == expected)
        let changed = new.imports[0].changes.map(\.plantID)
        #expect(changed == names.values.sorted())
        // With the old ids put back, it equals the original.
        var renamed = new
        let back = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })
        for place in renamed.plants.indices {
            renamed.plants[place].plant.id = try #require(back[renamed.plants[place].plant.id])
        }
        #expect(Set(renamed.plants) == Set(old.plants))
    }

    @Test("stays unchanged if all its ids are random")
    func untouched() throws {
        let export = try export([id(4, 2), id(4, 1)], gone: id(4, 3))
        let same = export.replacingNameBasedIDs {
            Issue.record("no id is needed")
            return id(4, 9)
        }
        #expect(same == export)
    }
}
