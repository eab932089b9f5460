import CherishCore
import CherishTestSupport
import Testing

@testable import CherishStore

@Suite("Plants in lists", .migratedDatabase, .serialized)
struct GlanceTests {
    @Test("2.4: a list shows the same as whole plants in their order, and of them the living ones")
    func sameAsWholePlants() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        try await service.multiply(plant, by: 60)
        // Every column that a list reads differs among them, and some have the same place but for the id.
        try await service.execute(
            """
            UPDATE plant SET affection = number % 4 * 8, cycle_days = 1 + number % 90, nickname = 'N' || number % 5,
                due_on = date '2027-03-01' + number % 7, is_favourite = number % 2 = 0, watering_count = number % 3,
                last_watered_on = CASE WHEN number % 3 > 0 THEN date '2027-02-20' + number % 3 END,
                restored_on = CASE WHEN number % 11 = 0 THEN date '2027-02-22' END,
                due_source = CASE number % 4 WHEN 0 THEN 'outage' WHEN 1 THEN 'edit' ELSE 'watering' END::due_source,
                original_due_on = CASE WHEN number % 5 = 0 THEN date '2027-02-25' END,
                pauses = CASE WHEN number % 6 = 0 THEN '{2027-03-02,2027-03-09}'::date[] ELSE '{}' END,
                removed_at = CASE WHEN number % 13 = 0 THEN now() END
            FROM (SELECT lane, id, row_number() OVER (ORDER BY id)::integer AS number FROM plant) AS numbered
            WHERE numbered.lane = plant.lane AND numbered.id = plant.id
            """)
        let garden = service.store(at: try seoul("2027-03-03T10:00")).garden(of: account.id)
        let whole = try await garden.overview()
        #expect(whole.plants.count == 57)
        let glances = try await garden.glances(isTagged: false)
        #expect(glances.plants == whole.plants.map(\.glance))
        let today = try civilDay("2027-03-03")
        #expect(glances.plants.map { $0.dDay(on: today) } == whole.plants.map { $0.dDay(on: today) })
        #expect(Set(glances.plants.map { $0.dDay(on: today).condition }).count == 3)
    }

    @Test("9.1: tags come with their plants if they are asked for, and without them otherwise")
    func tags() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-23T10:00"))
        let family = try await store.addTag(TagName("family"), colour: nil, cycle: nil, to: account.id)
        _ = try await store.editFriend(plant.reference, PlantEdit(), Tagging(adding: [TagName("family")]))
        let garden = store.garden(of: account.id)
        let (tagged, untagged) = (try await garden.glances(isTagged: true), try await garden.glances(isTagged: false))
        #expect(tagged.tags.tagIDs == [plant.id: [family.id]])
        #expect(untagged.tags.tags == [family] && untagged.tags.tagIDs.isEmpty)
    }
}
