import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Simulation
import Synchronization
import Testing

@testable import CherishStore

@Suite("14.1, 14.2: what has changed in an account", .migratedDatabase, .serialized)
struct ChangeFeedTests {
    private let service = ServiceUnderTest(maximumConnections: 8)
    private static let now = "2027-03-02T10:00"

    private func store(_ now: String = now) throws -> CareStore { service.store(at: try seoul(now)) }

    private func changeCount(of account: Account) async throws -> Int {
        try await service.count("SELECT count(*) FROM account_change WHERE account_id = $1", [account.id])
    }

    // MARK: Every command

    /// A command, and whose copies it changes.
    private struct Step: Sendable {
        let name: String
        let changes: Set<Side>
        let run: @Sendable (Scene) async throws -> Void

        enum Side { case owner, helper }

        init(
            _ name: String, _ changes: Set<Side> = [.owner], _ run: @escaping @Sendable (Scene) async throws -> Void
        ) {
            (self.name, self.changes, self.run) = (name, changes, run)
        }
    }

    /// Two accounts, and what the steps have made.
    private final class Scene: Sendable {
        let service: ServiceUnderTest
        let store: CareStore
        let owner, helper: Account
        let plant: Plant
        private let made = Mutex<[String: UUID]>([:])

        init(_ service: ServiceUnderTest, _ store: CareStore, owner: Account, helper: Account, plant: Plant) {
            (self.service, self.store, self.owner, self.helper, self.plant) = (service, store, owner, helper, plant)
        }

        var garden: Garden { store.garden(of: owner.id) }
        var errands: Errands { store.errands(of: helper.id) }

        func keep(_ name: String, _ id: UUID) { made.withLock { $0[name] = id } }
        func id(_ name: String) throws -> UUID { try #require(made.withLock { $0[name] }) }
        func list() throws -> ShoppingList.ID { ShoppingList.ID(try id("list")) }
        func thing() throws -> Thing.ID { Thing.ID(try id("thing")) }
    }

    private func scene() async throws -> Scene {
        let (owner, plant) = try await service.garden()
        let helper = try await service.account(lane: Lane(9), email: "hana@example.com", at: seoul(Self.now))
        let korea = try #require(Country("KR"))
        let centre = try #require(Position(latitude: 37.5, longitude: 127))
        _ = try await store().importPostcodes([PostcodeCentre(country: korea, key: "K0", position: centre)])
        for account in [owner, helper] {
            var edit = AccountEdit()
            edit.postcode = .some(try Postcode("K0"))
            edit.country = .some(korea)
            _ = try await store().editAccount(account.id, edit)
        }
        return Scene(service, try store(), owner: owner, helper: helper, plant: plant)
    }

    private static func draft() throws -> ShoppingListDraft {
        ShoppingListDraft(
            title: try ThingTitle("장보기"), entries: [ShoppingList.Entry(name: try EntryName("우유"), quantity: nil)])
    }

    private static func openList(_ scene: Scene) async throws {
        let id = try await scene.garden.writeList(draft()).list.id
        scene.keep("list", id.uuid)
        _ = try await scene.garden.openList(id)
    }

    private static let steps = [
        Step("editAccount") { scene in
            var edit = AccountEdit()
            edit.nickname = try Nickname("민지민")
            edit.timeZone = "America/New_York"
            _ = try await scene.garden.editAccount(edit)
        },
        Step("change the e-mail") { scene in
            var edit = AccountEdit()
            edit.email = try EmailAddress("new@example.com")
            _ = try await scene.garden.editAccount(edit)
        },
        Step("setPicture") { try await $0.garden.setPicture([0xFF]) },
        Step("confirm a phone") { scene in
            try await scene.store.people.setPhone(PhoneNumber(e164: "+821055556666"), of: scene.owner.id)
        },
        Step("addFriend") { scene in
            scene.keep("second", try await scene.garden.addFriend(registration(number: 2)).id.uuid)
        },
        Step("addTag") { scene in
            scene.keep("tag", try await scene.garden.addTag(TagName("work"), colour: nil, cycle: nil).id.uuid)
        },
        Step("editFriend with a tag") { scene in
            _ = try await scene.garden.editFriend(
                scene.plant.id, plantEdit(cycle: 9), Tagging(adding: [TagName("work")]))
        },
        Step("addFriend with a tag") { scene in
            _ = try await scene.garden.addFriend(registration(number: 3), tags: [TagName("work")])
        },
        Step("editTag") { scene in
            var edit = TagEdit()
            edit.name = try TagName("office")
            _ = try await scene.garden.editTag(TagName("work"), edit)
        },
        Step("water") { scene in
            _ = try await scene.garden.water(
                scene.plant.id, WateringRequest(method: .call), factID: UUID(uuidString: fact))
        },
        Step("water again with the same fact", []) { scene in
            _ = try await scene.garden.water(
                scene.plant.id, WateringRequest(method: .call), factID: UUID(uuidString: fact))
        },
        Step("writeReview") { scene in
            _ = try await scene.garden.writeReview(scene.plant.id, on: nil, keywords: ["x"], memo: nil)
        },
        Step("deleteReview") { scene in
            _ = try await scene.garden.deleteReview(scene.plant.id, on: civilDay("2027-03-01"))
        },
        Step("declineReview") { scene in
            _ = try await scene.garden.declineReview(scene.plant.id, on: civilDay("2027-03-01"))
        },
        Step("postpone") { scene in
            let plant = try await scene.garden.addFriend(registration(number: 4, cycle: 1))
            _ = try await scene.service.store(at: seoul("2027-03-03T10:00")).garden(of: scene.owner.id)
                .postpone(plant.id, days: 2)
        },
        Step("removeFriend") { _ = try await $0.garden.removeFriend(Plant.ID($0.id("second"))) },
        Step("restoreFriend") { _ = try await $0.garden.restoreFriend(Plant.ID($0.id("second"))) },
        Step("restore one who is there", []) { _ = try await $0.garden.restoreFriend(Plant.ID($0.id("second"))) },
        Step("importFriends") { scene in
            let contacts = try (10..<15).map { number in
                var contact = FriendContact(try registration(number: number))
                contact.tags = [try TagName("book")]
                return contact
            }
            let result = try await scene.garden.importFriends(contacts, importOptions(), fileName: "book.vcf")
            scene.keep("batch", try #require(result.batchID).uuid)
        },
        Step("a dry run", []) { scene in
            _ = try await scene.garden.importFriends(
                [FriendContact(try registration(number: 20))], importOptions(), fileName: "book.vcf", isDryRun: true)
        },
        Step("undoImport") { _ = try await $0.garden.undoImport(ImportBatch.ID($0.id("batch"))) },
        Step("plantFriends", [.owner, .helper]) { scene in
            var tagged = FriendContact(try registration(number: 31))
            tagged.tags = [try TagName("bulk")]
            _ = try await scene.store.plantFriends(
                [
                    BulkFriend(accountID: scene.owner.id, contact: FriendContact(try registration(number: 30))),
                    BulkFriend(accountID: scene.helper.id, contact: tagged),
                ], BulkOptions(cycle: Cycle(days: 7)))
        },
        Step("recordThing") { scene in
            let draft = try ThingDraft(kind: .reminder, title: ThingTitle("치과"), dueOn: civilDay("2027-03-09"))
            let recorded = try await scene.garden.recordThing(draft, tags: [TagName("office")])
            scene.keep("thing", recorded.thing.id.uuid)
        },
        Step("editThing") { scene in
            var edit = ThingEdit()
            edit.title = try ThingTitle("치과 예약")
            _ = try await scene.garden.editThing(scene.thing(), edit)
        },
        Step("completeThing") { _ = try await $0.garden.completeThing($0.thing()) },
        Step("reopenThing") { _ = try await $0.garden.reopenThing($0.thing()) },
        Step("importThings") { scene in
            let draft = try ThingDraft(kind: .reminder, title: ThingTitle("우산"), dueOn: civilDay("2027-03-10"))
            _ = try await scene.garden.importThings([ImportedDraft(draft, tags: [TagName("rain")])])
        },
        Step("beginPause") { scene in
            let pause = try await scene.garden.beginPause(
                of: .account, from: civilDay("2027-06-01"), to: civilDay("2027-06-20"), isSpread: false)
            scene.keep("pause", pause.id.uuid)
        },
        Step("editPause") { scene in
            var edit = PauseEdit()
            edit.isSpread = true
            _ = try await scene.garden.editPause(Pause.ID(scene.id("pause")), edit)
        },
        Step("endPause") { scene in _ = try await scene.garden.endPause(Pause.ID(scene.id("pause"))) },
        Step("removeTag") { _ = try await $0.garden.removeTag(TagName("office")) },
        Step("removeThing") { try await $0.garden.removeThing($0.thing()) },
        Step("writeList") { scene in scene.keep("list", try await scene.garden.writeList(draft()).list.id.uuid) },
        Step("editList") { scene in
            var edit = ShoppingListEdit()
            edit.title = try ThingTitle("시장")
            _ = try await scene.garden.editList(scene.list(), edit)
        },
        Step("removeList") { try await $0.garden.removeList($0.list()) },
        Step("openList") { try await openList($0) },
        Step("accept", [.owner, .helper]) { _ = try await $0.errands.accept($0.list()) },
        Step("mark", [.owner, .helper]) { _ = try await $0.errands.mark($0.list(), 1, isBought: true) },
        Step("attach a receipt", [.owner, .helper]) { scene in
            try await scene.errands.attach(#require(ShoppingReceipt([0xFF, 0xD8, 0xFF, 0xE0])), to: scene.list())
        },
        Step("remove the receipt", [.owner, .helper]) { try await $0.errands.removeReceipt(of: $0.list()) },
        Step("release", [.owner, .helper]) { try await $0.errands.release($0.list()) },
        Step("accept and deliver", [.owner, .helper]) { scene in
            _ = try await scene.errands.accept(scene.list())
            _ = try await scene.errands.deliver(scene.list())
        },
        Step("rate", [.owner, .helper]) { scene in
            _ = try await scene.garden.rateHelper(scene.list(), HelperRating(points: 5))
        },
        Step("cancel", [.owner, .helper]) { scene in
            try await openList(scene)
            _ = try await scene.errands.accept(scene.list())
            _ = try await scene.garden.cancelList(scene.list())
        },
        Step("sign in") { scene in
            let session = PeopleStore.NewSession(
                id: SignInSession.ID(UUID()), secretHash: [UInt8](repeating: 1, count: 32), deviceName: "phone")
            scene.keep("session", session.id.uuid)
            try await scene.service.execute(
                "SELECT begin_session($1, $2, $3, $4, $5, $6)",
                [
                    scene.owner.id.lane, scene.owner.id, session.id, Bytea(session.secretHash), session.deviceName,
                    try seoul(now),
                ])
        },
        Step("sign in again") { scene in
            try await scene.store.people.renewSignIn(SignInSession.ID(scene.id("session")), of: scene.owner.id)
        },
        Step("sign out") { scene in
            let session = SignInSession.ID(try scene.id("session"))
            #expect(try await scene.store.people.endSession(session, of: scene.owner.id))
        },
        Step("sign out again", []) { scene in
            let session = SignInSession.ID(try scene.id("session"))
            #expect(try await scene.store.people.endSession(session, of: scene.owner.id) == false)
        },
    ]

    private static let fact = "6f8e2f6e-6a53-4f0e-9b7a-3c1d2e4f5a6b"

    @Test("every command is in the changes, and what a device has by them is what there is")
    func everyCommand() async throws {
        let scene = try await scene()
        let gardens = [Step.Side.owner: scene.garden, .helper: scene.store.garden(of: scene.helper.id)]
        var copies: [Step.Side: GardenReplica] = [:]
        for (side, garden) in gardens { copies[side] = try await .reading(garden) }
        for step in Self.steps {
            try await step.run(scene)
            for (side, garden) in gardens {
                let before = copies[side]?.cursor
                try await copies[side]?.follow(garden)
                let everything = try await GardenReplica.reading(garden)
                #expect(copies[side]?.lines == everything.lines, "\(step.name), \(side)")
                #expect((copies[side]?.cursor != before) == step.changes.contains(side), "\(step.name), \(side)")
            }
        }
        #expect(copies[.owner]?.beginningCount == 1)
    }

    @Test("everything is the same in pages of any length", arguments: [1, 2, 3, 7, 1_000])
    func pages(limit: Int) async throws {
        let scene = try await scene()
        var copy = try await GardenReplica.reading(scene.garden)
        for step in Self.steps.dropLast(20) { try await step.run(scene) }
        let everything = try await GardenReplica.reading(scene.garden)
        #expect(try await GardenReplica.reading(scene.garden, limit: limit).lines == everything.lines)
        try await copy.follow(scene.garden, limit: limit)
        #expect(copy.lines == everything.lines)
    }

    @Test("an import is one change, whose items come in pages")
    func oneWave() async throws {
        let (account, _) = try await service.garden()
        let garden = try store().garden(of: account.id)
        var copy = try await GardenReplica.reading(garden)
        let before = try await changeCount(of: account)
        _ = try await garden.importFriends(
            (10..<110).map { FriendContact(try registration(number: $0)) }, importOptions(), fileName: "book.vcf")
        #expect(try await changeCount(of: account) == before + 1)
        let pagesBefore = copy.pageCount
        try await copy.follow(garden, limit: 30)
        #expect(copy.pageCount == pagesBefore + 4)
        #expect(try await GardenReplica.reading(garden).lines == copy.lines)
    }

    // MARK: Cursors

    @Test("what is older than 90 days is forgotten: a cursor from before must read everything, one at the end need not")
    func forgetting() async throws {
        let (account, plant) = try await service.garden()
        let garden = try store().garden(of: account.id)
        var old = try await GardenReplica.reading(garden)
        _ = try await garden.water(plant.id, WateringRequest(method: .call))
        _ = try await store("2027-03-20T10:00").garden(of: account.id).editFriend(plant.id, plantEdit(cycle: 9))
        var newest = try await GardenReplica.reading(garden)
        let middle = newest
        _ = try await service.housekeeping(at: seoul("2027-05-31T09:00"), retention: 3_650).run()
        #expect(try await changeCount(of: account) == 2)
        _ = try await service.housekeeping(at: seoul("2027-05-31T11:00"), retention: 3_650).run()
        // Whoever knows the newest misses nothing.
        #expect(try await changeCount(of: account) == 1)
        await #expect(throws: ChangeCursorExpired.self) { try await garden.changes(after: old.cursor, limit: 10) }
        await #expect(throws: ChangeCursorExpired.self) { try await garden.changes(after: .beginning, limit: 10) }
        try await old.follow(garden)
        try await newest.follow(garden)
        #expect((old.beginningCount, newest.beginningCount) == (2, 1))
        #expect(old.lines == newest.lines)
        // A command with an earlier now is later than what was noted before it.
        _ = try await service.store(at: seoul("2027-03-01T09:00")).garden(of: account.id).removeFriend(plant.id)
        try await newest.follow(garden)
        #expect(newest.beginningCount == 1 && newest.lines != old.lines)
        #expect(try await garden.changes(after: middle.cursor, limit: 10).friends.map(\.id) == [plant.id])
    }

    @Test("after the database was put back from a backup, no device believes that it knows the newest changes")
    func putBack() async throws {
        let (account, plant) = try await service.garden()
        let garden = try store().garden(of: account.id)
        let backup = try await GardenReplica.reading(garden)
        var copy = backup
        _ = try await garden.removeFriend(plant.id)
        try await copy.follow(garden)
        // As it was in the backup; then something else happens, at another time.
        try await service.execute(
            """
            WITH gone AS (DELETE FROM account_change WHERE number = (SELECT max(number) FROM account_change) RETURNING number)
            UPDATE account_change_head SET number = number - 1, noted_at = (
                SELECT noted_at FROM account_change WHERE number = account_change_head.number - 1)
            """)
        try await service.execute("UPDATE plant SET removed_at = NULL, withered_at = NULL")
        await #expect(throws: ChangeCursorExpired.self) { try await garden.changes(after: copy.cursor, limit: 10) }
        let later = try store("2027-03-02T10:01").garden(of: account.id)
        _ = try await later.addFriend(registration(number: 2))
        await #expect(throws: ChangeCursorExpired.self) { try await later.changes(after: copy.cursor, limit: 10) }
        // Who knew no more than the backup goes on.
        #expect(try await later.changes(after: backup.cursor, limit: 10).friends.count == 1)
    }

    @Test("a cursor of somebody else, or one that was made up, is refused or shows only the account's own")
    func foreignCursors() async throws {
        let (account, _) = try await service.garden()
        let other = try await service.account(email: "other@example.com", at: seoul(Self.now))
        let garden = try store().garden(of: other.id)
        let foreign = try await GardenReplica.reading(try store().garden(of: account.id)).cursor
        await #expect(throws: ChangeCursorExpired.self) { try await garden.changes(after: foreign, limit: 10) }
        for text in ["1 0 1", "0 5 0", "9 0 0", "1 -5 0"] {
            let cursor = try #require(ChangeCursor(text))
            await #expect(throws: ChangeCursorExpired.self) { try await garden.changes(after: cursor, limit: 10) }
        }
        for text in [
            "", "1", "1 2", "-1 0 0", "1 0 -1", "1 0 friend x 0", "1 0 dragon \(UUID()) 0", "1 0 0 0 0 0",
            "1 0 99999999999", "1 0 friend \(UUID()) 99999999999", "99999999999999999999 0 0",
        ] {
            #expect(ChangeCursor(text) == nil)
        }
        // The account's own newest change, of which nobody can know so many items.
        let own = try #require(try await GardenReplica.reading(try store().garden(of: account.id)).cursor?.description)
        let beyond = try #require(ChangeCursor("\(own.dropLast())100000000"))
        await #expect(throws: ChangeCursorExpired.self) {
            try await store().garden(of: account.id).changes(after: beyond, limit: 1_000)
        }
        let reading = try #require(ChangeCursor("1 0 friend \(UUID(uuidString: fullOfZeros)!) 0"))
        #expect(try await garden.changes(after: reading, limit: 10).friends.isEmpty)
    }

    private let fullOfZeros = "00000000-0000-0000-0000-000000000000"

    // MARK: Many at once

    /// Takes numbers from a sequence, which shows them out of order, in place of the account's own.
    private final class BySequence: StatementInterceptor {
        func beforeSending(_ sql: String) throws -> String {
            MutationPoint.notedChanges.replace(in: sql) { _ in
                "note_by_sequence($1, $2, $3, $4::text[]::change_kind[], $5, $6)"
            }
        }

        func afterAnswer(to sql: String) throws {}
    }

    private final class End: Sendable {
        let isReached = Atomic(false)
    }

    /// Waters all plants, eight at a time.
    private static func water(_ plants: [Plant], in garden: Garden) async throws {
        try await withThrowingDiscardingTaskGroup { writers in
            for writer in 0..<8 {
                writers.addTask {
                    for place in stride(from: writer, to: plants.count, by: 8) {
                        _ = try await garden.water(plants[place].id, WateringRequest(method: .call))
                    }
                }
            }
        }
    }

    /// Lets many commands of one account commit side by side, each a little after it has noted its change, while a device
    /// follows.
    ///
    /// - Returns: what the device lacks in the end.
    private func raceToCommit(_ pool: ConnectionPool) async throws -> Set<String> {
        let (account, plant) = try await service.garden()
        try await service.multiply(plant, by: 40)
        // A commit that takes its time, different each time.
        try await service.execute(
            """
            CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN PERFORM pg_sleep(random() * 0.02); RETURN NULL; END'
            """)
        try await service.execute(
            """
            CREATE CONSTRAINT TRIGGER dawdle AFTER INSERT ON account_change DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION dawdle()
            """)
        let store = CareStore(
            pool: pool, zones: ServiceUnderTest.zones, time: .fixed(try seoul(Self.now)),
            announcer: ChangeAnnouncer(pool: service.pool))
        let garden = try self.store().garden(of: account.id)
        let plants = try await garden.plants()
        var copy = try await GardenReplica.reading(garden)
        let end = End()
        let writing = Task {
            defer { end.isReached.store(true, ordering: .sequentiallyConsistent) }
            try await Self.water(plants, in: store.garden(of: account.id))
        }
        while !end.isReached.load(ordering: .sequentiallyConsistent) { try await copy.follow(garden, limit: 5) }
        try await writing.value
        try await copy.follow(garden)
        #expect(copy.beginningCount == 1)
        return try await GardenReplica.reading(garden).lines.subtracting(copy.lines)
    }

    @Test("a device that follows while eight commands of its account commit misses none of them")
    func sideBySide() async throws {
        #expect(try await raceToCommit(TestDatabase.current.pool(maximumConnections: 8)) == [])
    }

    @Test("with numbers from a sequence, it misses some: so the test above can fail")
    func bySequence() async throws {
        try await service.execute("CREATE SEQUENCE change_number START 1000")
        try await service.execute(
            """
            CREATE FUNCTION note_by_sequence(
                smallint, uuid, timestamptz, kinds change_kind[], ids uuid[], numbers integer[]) RETURNS void LANGUAGE plpgsql AS $$
            DECLARE
                new_number bigint := nextval('change_number');
            BEGIN
                PERFORM pg_sleep(random() * 0.02);
                INSERT INTO account_change (lane, account_id, number, noted_at, item_count, kinds, ids, numbers)
                VALUES ($1, $2, new_number, $3, cardinality($5), $4, $5, $6);
                UPDATE account_change_head AS head SET number = greatest(head.number, new_number), noted_at = $3
                WHERE head.lane = $1 AND head.account_id = $2;
            END
            $$
            """)
        let pool = ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: TestDatabase.current.connectionString, interceptor: BySequence()),
            maximumConnections: 8)
        #expect(try await raceToCommit(pool) != [])
        await pool.close()
    }

    @Test("friends for many accounts of a lane are a change in each, whatever was noted before")
    func manyAccounts() async throws {
        var accounts: [Account] = []
        for number in 0..<5 {
            accounts.append(try await service.account(email: "\(number)@example.com", at: seoul(Self.now)))
        }
        _ = try await store().garden(of: accounts[0].id).addFriend(registration(number: 1))
        var copies: [GardenReplica] = []
        for account in accounts { copies.append(try await .reading(store().garden(of: account.id))) }
        let friends = try (0..<20).map { number in
            BulkFriend(
                accountID: accounts[number % 4].id, contact: FriendContact(try registration(number: 10 + number)))
        }
        _ = try await store().plantFriends(friends, BulkOptions(cycle: Cycle(days: 7)))
        for (number, account) in accounts.enumerated() {
            let garden = try store().garden(of: account.id)
            try await copies[number].follow(garden)
            #expect(try await GardenReplica.reading(garden).lines == copies[number].lines)
            #expect(copies[number].beginningCount == 1)
            #expect(try await changeCount(of: account) == [2, 1, 1, 1, 0][number])
        }
    }

    @Test("a command of one account waits for no other account's")
    func otherAccountsDoNotWait() async throws {
        let (account, plant) = try await service.garden()
        let other = try await service.account(email: "other@example.com", at: seoul(Self.now))
        try await service.pool.withTransaction { connection in
            _ = try await connection.query(
                "SELECT number FROM account_change_head WHERE account_id = $1 FOR UPDATE", [account.id])
            _ = try await store().garden(of: other.id).addFriend(registration(number: 5))
        }
        _ = try await store().garden(of: account.id).water(plant.id, WateringRequest(method: .call))
    }

    // MARK: Announcements

    @Test("a commit is announced, with the accounts that changed")
    func announcements() async throws {
        let (account, plant) = try await service.garden()
        let store = try store()
        let announcements = store.announcer.announcements()
        let heard = Task {
            for try await accounts in announcements where accounts.contains(account.id) { return true }
            return false
        }
        // Until it listens, it hears nothing.
        let shouting = Task {
            while !Task.isCancelled {
                _ = try await store.garden(of: account.id).editFriend(plant.id, plantEdit(cycle: 9))
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(try await heard.value)
        shouting.cancel()
    }

    @Test(
        "announcements of a moment are sent together, in payloads that PostgreSQL takes, and a broken one harms nobody")
    func gathering() async throws {
        let announcer = ChangeAnnouncer(pool: service.pool, pause: .milliseconds(5))
        let accounts = Set((0..<500).map { _ in Account.ID(UUID()) })
        let heard = Task {
            var missing = accounts
            for try await named in announcer.announcements() {
                missing.subtract(named)
                if missing.isEmpty { return true }
            }
            return false
        }
        // Until it listens, it hears nothing.
        let shouting = Task {
            while !Task.isCancelled {
                for account in accounts { await announcer.announce([account]) }
                await announcer.finish()
                try await service.execute(
                    "SELECT pg_notify('cherish_changes', 'x y'), pg_notify('cherish_changes', '')")
            }
        }
        #expect(try await heard.value)
        shouting.cancel()
    }
}
