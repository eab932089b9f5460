import CherishCore
import CherishStore
import CherishTestSupport
import Testing

@Suite("Tags and favourites in SQL", .migratedDatabase, .serialized)
struct TagTests {
    private func name(_ text: String) throws -> TagName { try TagName(text) }

    @Test("9.1, 9.2: a tag is created once, regardless of case, and has the colour of its name by default")
    func making() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-23T10:00"))
        let family = try await store.addTag(name("Family"), colour: nil, cycle: Cycle(days: 3), to: account.id)
        let work = try await store.addTag(name("회사"), colour: TagColour("#0a0b0c"), cycle: nil, to: account.id)
        #expect(family.colour == TagColour(for: try name("family")))
        let known = try await store.tags(of: account.id)
        #expect(known.tags == [family, work])
        await #expect(throws: CareError.duplicateTag("FAMILY")) {
            _ = try await store.addTag(TagName("FAMILY"), colour: nil, cycle: nil, to: account.id)
        }
    }

    @Test("9.3: a renamed tag keeps its friends, a deleted one loses them")
    func renamingAndDeleting() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-23T10:00"))
        _ = try await store.addTag(name("work"), colour: nil, cycle: nil, to: account.id)
        _ = try await store.editFriend(plant.reference, PlantEdit(), Tagging(adding: [name("work")]))
        var edit = TagEdit()
        edit.name = try name("Office")
        edit.cycle = .some(try Cycle(days: 30))
        let office = try await store.editTag(name("WORK"), edit, of: account.id)
        #expect(try await store.tags(of: account.id).tags(of: plant.id) == [office])
        #expect(try await store.removeTag(name("office"), of: account.id) == 1)
        #expect(try await store.tags(of: account.id).tags(of: plant.id).isEmpty)
        var tagged = plant
        tagged.version += 1
        #expect(try await store.plant(plant.id.description) == tagged)
        await #expect(throws: CareError.notFound(.tag)) {
            _ = try await store.removeTag(TagName("office"), of: account.id)
        }
    }

    @Test("9.3: changing or deleting a tag does not read the friends with other tags, who may be 100,000")
    func unread() async throws {
        let count = 300
        // Without sequential scans, so that small tables use indexes too.
        let service = ServiceUnderTest(maximumConnections: 1, settings: ["enable_seqscan": "off"])
        let (account, plant) = try await service.garden()
        try await service.multiply(plant, by: count - 1)
        let store = service.store(at: try seoul("2027-02-23T10:00"))
        let family = try await store.addTag(name("family"), colour: nil, cycle: nil, to: account.id)
        _ = try await store.addTag(name("work"), colour: nil, cycle: nil, to: account.id)
        try await service.execute(
            "INSERT INTO plant_tag (lane, plant_id, tag_id) SELECT lane, id, $1::uuid FROM plant", [family.id])

        var edit = TagEdit()
        edit.name = try name("office")
        let before = try await service.rowsRead()
        _ = try await store.editTag(name("work"), edit, of: account.id)
        #expect(try await store.removeTag(name("office"), of: account.id) == 0)
        #expect(try await service.rowsRead() - before < count)
        #expect(try await store.tags(of: account.id).count(of: family) == count)
    }

    @Test("a tag counts its living friends only")
    func counting() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let registered = try seoul("2027-02-23T10:00")
        let store = service.store(at: registered)
        let removed = try await service.friend(of: account, number: 2, at: registered)
        let work = try await store.addTag(name("work"), colour: nil, cycle: nil, to: account.id)
        let family = try await store.addTag(name("family"), colour: nil, cycle: nil, to: account.id)
        for friend in [plant, removed] {
            _ = try await store.editFriend(friend.reference, PlantEdit(), Tagging(adding: [name("work")]))
        }
        #expect(try await store.tags(of: account.id).count(of: work) == 2)
        _ = try await store.removeFriend(removed.reference)
        let known = try await store.tags(of: account.id)
        #expect(known.count(of: work) == 1)
        #expect(known.count(of: family) == 0)
        // A friend brought back still has it.
        #expect(known.tags(of: removed.id) == [work])
        #expect(try await store.removeTag(name("work"), of: account.id) == 1)
    }

    @Test("9.3: a friend has at most ten tags, all known to the account; a refused edit changes nothing")
    func limits() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-23T10:00"))
        let names = try (1...11).map { try name("tag \($0)") }
        for name in names { _ = try await store.addTag(name, colour: nil, cycle: nil, to: account.id) }
        let before = try await service.fingerprint()
        var edit = PlantEdit()
        edit.isFavourite = true
        let favourite = edit
        await #expect(throws: CareError.tooManyTags(limit: 10)) {
            _ = try await store.editFriend(plant.reference, favourite, Tagging(adding: names))
        }
        await #expect(throws: CareError.notFound(.tag)) {
            _ = try await store.editFriend(plant.reference, favourite, Tagging(adding: [TagName("other")]))
        }
        #expect(try await service.fingerprint() == before)
        let ten = Tagging(adding: Array(names.dropLast()))
        #expect(try await store.editFriend(plant.reference, favourite, ten).isFavourite)
        let swapped = Tagging(adding: [names[10]], removing: [names[0]])
        _ = try await store.editFriend(plant.reference, PlantEdit(), swapped)
        let tags = try await store.tags(of: account.id).tags(of: plant.id)
        #expect(Set(tags.map(\.name)) == Set(names.dropFirst()))
        #expect(try await store.plant(plant.id.description).isFavourite)
    }

    @Test("a friend's tags are erased with the account and counted")
    func erasure() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-23T10:00"))
        _ = try await store.addTag(name("work"), colour: nil, cycle: nil, to: account.id)
        _ = try await store.editFriend(plant.reference, PlantEdit(), Tagging(adding: [name("work")]))
        _ = try await store.importFriends(
            [FriendContact(registration(number: 5))], to: account.id, importOptions(), fileName: "a.vcf")
        let garden = store.garden(of: account.id)
        let milk = ThingDraft(kind: .food, title: try ThingTitle("milk"), dueOn: try civilDay("2027-02-24"))
        let kept = try await garden.recordThing(milk, tags: [name("work")]).thing
        _ = try await garden.completeThing(kept.id)
        try await garden.removeThing(try await garden.recordThing(milk).thing.id)
        let visit = ThingDraft(kind: .reminder, title: try ThingTitle("visit"), dueOn: try civilDay("2027-02-24"))
        let reminder = try await garden.recordThing(visit).thing
        _ = try await garden.shareThing(reminder.id, days: 7, tokenHash: Array(repeating: 1, count: 32))
        _ = try await garden.addFeed(tokenHash: Array(repeating: 1, count: 32))
        let lane = account.id.lane.number
        try await service.pool.withConnection { connection in
            // Whatever the state of a list: here, all of it is over.
            try await connection.script(
                """
                INSERT INTO shopping_list (lane, id, account_id, title, entry_names, entry_quantities, entries_bought, version,
                    modified_at, created_at)
                VALUES (\(lane), gen_random_uuid(), '\(account.id)', 'x', '{}', '{}', '{}', 1, now(), now());
                INSERT INTO helped_list (lane, account_id, list_id, owner_id, owner_nickname, claimed_at, acceptance_count,
                    release_count, list_version)
                VALUES (\(lane), '\(account.id)', gen_random_uuid(), gen_random_uuid(), 'x', now(), 1, 1, 1);
                INSERT INTO list_news SELECT \(lane), '\(account.id)', id, gen_random_uuid(), 1, now() FROM shopping_list;
                INSERT INTO helper_rating VALUES (\(lane), '\(account.id)', gen_random_uuid(), 5);
                INSERT INTO account_block VALUES (\(lane), gen_random_uuid(), '\(account.id)', gen_random_uuid(), 'x', now());
                INSERT INTO list_report SELECT \(lane), gen_random_uuid(), '\(account.id)', id, gen_random_uuid(), 'x', now()
                FROM shopping_list;
                INSERT INTO list_receipt SELECT \(lane), '\(account.id)', id, gen_random_uuid(), 'x', now() FROM shopping_list;
                INSERT INTO list_measure SELECT \(lane), gen_random_uuid(), '\(account.id)', id, 'close', 'x', 'root', now()
                FROM shopping_list;
                """)
        }
        // Whoever erases tells the news first.
        let erasure = try await store.eraseAccount(account.id)
        let found = Dictionary(uniqueKeysWithValues: erasure.tables.map { ($0.table, $0.before) })
        #expect(
            found == [
                "account": 1, "account_email": 1, "account_identity": 0, "account_password": 0, "account_phone": 0,
                "account_picture": 0, "push_action": 0,
                "account_session": 0, "verification_code": 0, "idempotent_request": 0, "device": 0, "device_token": 0,
                "plant": 2, "tag": 1,
                "import_batch": 1, "sent_push": 0, "watering": 0, "postponement": 0, "cycle_change": 2,
                "affection_entry": 0,
                "plant_tag": 1, "import_change": 1, "push_device_outcome": 0,
                "thing": 2, "thing_completion": 1, "thing_tag": 1, "tombstone": 0,
                "account_change_head": 1, "account_change": 9, "edited_item": 1,
                "thing_share": 1, "calendar_feed": 1,
                "shopping_list": 1, "helped_list": 1, "list_news": 0, "helper_rating": 1, "account_block": 1,
                "list_report": 1, "list_receipt": 1, "list_measure": 1, "pause": 0,
            ])
        #expect(erasure.tables.allSatisfy { $0.after == 0 })
        // The alarms of both plants and things are still in the calendar, under ids that lead nowhere.
        #expect(erasure.plannedCount == 5)
        for table in found.keys { #expect(try await service.rows(of: table) == 0) }
    }
}
