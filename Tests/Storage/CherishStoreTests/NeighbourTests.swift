import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishStore

/// Every use case of a garden, tried with the ids of another account in the same lane.
@Suite("Another account's garden", .migratedDatabase, .serialized)
struct NeighbourTests {
    /// An account with something of each kind.
    private struct Neighbour {
        let account: Account
        let plant: Plant
        /// The imported friend.
        let imported: Plant.ID
        let tag: CherishCore.Tag
        let batch: ImportBatch.ID
        let device: Device
        let thing: Thing
        let share: ThingShare
        let feed: CalendarFeed
        let list: ShoppingList.ID
        let pause: Pause

        /// What no other account may read.
        var secrets: [String] {
            [
                account.id.description, account.address, plant.id.description, imported.description,
                tag.id.description,
                batch.description, device.id.description, "memo of \(account.address)", thing.id.description,
                "errand of \(account.address)", share.id.description, feed.id.description, list.description,
                "list of \(account.address)", pause.id.description,
            ].map { $0.lowercased() }
        }
    }

    /// A use case of a garden, with its result as text.
    private struct UseCase {
        /// The method of ``Garden``.
        let name: String
        /// Whether it must be refused because it names an id or name that this account does not have.
        let isRefused: Bool
        let run: @Sendable (Garden, Neighbour) async throws -> String

        init<Result>(
            _ name: String, isRefused: Bool = true,
            _ run: @escaping @Sendable (Garden, Neighbour) async throws -> Result
        ) {
            self.name = name
            self.isRefused = isRefused
            self.run = {
                var text = ""
                dump(try await run($0, $1), to: &text)
                return text
            }
        }
    }

    private static let useCases = [
        UseCase("account", isRefused: false) { garden, _ in try await garden.account() },
        UseCase("editAccount", isRefused: false) { garden, _ in try await garden.editAccount(AccountEdit()) },
        UseCase("plant") { garden, other in try await garden.plant(other.plant.id.description) },
        UseCase("plants", isRefused: false) { garden, _ in try await garden.plants() },
        UseCase("addFriend", isRefused: false) { garden, _ in try await garden.addFriend(registration(number: 9)) },
        UseCase("editFriend") { garden, other in try await garden.editFriend(other.plant.id, plantEdit(cycle: 9)) },
        UseCase("removeFriend") { garden, other in try await garden.removeFriend(other.plant.id) },
        UseCase("restoreFriend") { garden, other in try await garden.restoreFriend(other.plant.id) },
        UseCase("history") { garden, other in try await garden.history(of: other.plant.id) },
        UseCase("water") { garden, other in
            try await garden.water(other.plant.id, WateringRequest(method: .call))
        },
        UseCase("waterings", isRefused: false) { garden, other in
            try await garden.waterings(of: other.plant.id, from: civilDay("2027-01-01"), to: civilDay("2027-12-31"))
        },
        UseCase("wateringPage") { garden, other in
            try await garden.wateringPage(of: other.plant.id, after: nil, limit: 10)
        },
        UseCase("detail") { garden, other in try await garden.detail(of: other.plant.id) },
        UseCase("overview", isRefused: false) { garden, _ in try await garden.overview().plants },
        UseCase("glances", isRefused: false) { garden, _ in try await garden.glances(isTagged: true).plants },
        UseCase("picture") { garden, _ in try await garden.picture() },
        UseCase("hasPicture", isRefused: false) { garden, _ in try await garden.hasPicture() },
        UseCase("setPicture", isRefused: false) { garden, _ in try await garden.setPicture([0xFF]) },
        UseCase("editing", isRefused: false) { garden, _ in try await garden.editing(at: nil).account() },
        UseCase("expecting", isRefused: false) { garden, _ in try await garden.expecting([1]).account() },
        UseCase("days", isRefused: false) { garden, _ in try await garden.days(from: nil, to: nil, limit: 100) },
        UseCase("dueToday", isRefused: false) { garden, _ in try await garden.dueToday(limit: 10) },
        UseCase("changes", isRefused: false) { garden, _ in try await garden.changes(after: nil, limit: 100) },
        UseCase("viewpoint", isRefused: false) { garden, _ in try await garden.viewpoint() },
        UseCase("tags", isRefused: false) { garden, other in try await garden.tags(of: other.plant.id).tags },
        UseCase("writeReview") { garden, other in
            try await garden.writeReview(other.plant.id, on: nil, keywords: ["x"], memo: nil)
        },
        UseCase("deleteReview") { garden, other in
            try await garden.deleteReview(other.plant.id, on: civilDay("2027-03-02"))
        },
        UseCase("declineReview") { garden, other in
            try await garden.declineReview(other.plant.id, on: civilDay("2027-03-02"))
        },
        UseCase("postpone") { garden, other in try await garden.postpone(other.plant.id, days: 1) },
        UseCase("pushes", isRefused: false) { garden, other in try await garden.pushes(of: other.plant.id.subject) },
        UseCase("deviceRecords", isRefused: false) { garden, other in
            try await garden.deviceRecords(of: other.plant.id.subject)
        },
        UseCase("statistics", isRefused: false) { garden, _ in try await garden.statistics() },
        UseCase("tags", isRefused: false) { garden, _ in try await garden.tags() },
        UseCase("addTag", isRefused: false) { garden, other in
            try await garden.addTag(other.tag.name, colour: nil, cycle: nil)
        },
        // By now the account has a tag of this name, which is not the neighbour's.
        UseCase("editTag", isRefused: false) { garden, other in
            var edit = TagEdit()
            edit.name = try TagName("kin")
            return try await garden.editTag(other.tag.name, edit)
        },
        UseCase("pauses", isRefused: false) { garden, _ in try await garden.pauses() },
        UseCase("pause") { garden, other in try await garden.pause(other.pause.id.description) },
        UseCase("beginPause") { garden, other in
            try await garden.beginPause(
                of: .friend(other.plant.id), from: nil, to: other.pause.days.upperBound, isSpread: false)
        },
        UseCase("editPause") { garden, other in
            var edit = PauseEdit()
            edit.isSpread = true
            return try await garden.editPause(other.pause.id, edit)
        },
        UseCase("endPause") { garden, other in try await garden.endPause(other.pause.id) },
        UseCase("removeTag") { garden, other in try await garden.removeTag(other.tag.name) },
        // A friend whom the neighbour has too.
        UseCase("importFriends", isRefused: false) { garden, _ in
            try await garden.importFriends(
                [FriendContact(registration(number: 2, name: "박다른"))], importOptions(merging: true),
                fileName: "contacts.vcf")
        },
        UseCase("imports", isRefused: false) { garden, _ in try await garden.imports() },
        UseCase("importBatch") { garden, other in try await garden.importBatch(other.batch.description) },
        UseCase("undoImport") { garden, other in try await garden.undoImport(other.batch) },
        // The same receiver may belong to both.
        UseCase("addDevice", isRefused: false) { garden, other in
            try await garden.addDevice(platform: .webhook, token: other.device.token)
        },
        UseCase("devices", isRefused: false) { garden, _ in try await garden.devices() },
        UseCase("removeDevice") { garden, other in try await garden.removeDevice(other.device.id) },
        UseCase("export", isRefused: false) { garden, _ in try await garden.export() },
        UseCase("withExport", isRefused: false) { garden, other in
            try await garden.withExport { reader in
                var found: [ImportBatch.Change] = []
                try await reader.changes(of: other.batch) { found += $0 }
                return found
            }
        },
        UseCase("forecast", isRefused: false) { garden, _ in try await garden.forecast(days: 30) },
        UseCase("calendarAhead", isRefused: false) { garden, _ in try await garden.calendarAhead() },
        UseCase("sentPushes", isRefused: false) { garden, _ in
            try await garden.sentPushes(before: try await garden.forecast(days: 30).deliveries.map(\.job))
        },
        UseCase("recordThing") { garden, other in
            try await garden.recordThing(draft("an errand"), tags: [other.tag.name])
        },
        UseCase("editThing") { garden, other in
            var edit = ThingEdit()
            edit.dueOn = try civilDay("2027-03-20")
            return try await garden.editThing(other.thing.id, edit)
        },
        UseCase("completeThing") { garden, other in try await garden.completeThing(other.thing.id) },
        UseCase("reopenThing") { garden, other in try await garden.reopenThing(other.thing.id) },
        UseCase("writeList", isRefused: false) { garden, _ in
            try await garden.writeList(ShoppingListDraft(title: try ThingTitle("a list")))
        },
        UseCase("editList") { garden, other in try await garden.editList(other.list, ShoppingListEdit()) },
        UseCase("openList") { garden, other in try await garden.openList(other.list) },
        UseCase("cancelList") { garden, other in try await garden.cancelList(other.list) },
        UseCase("rateHelper") { garden, other in try await garden.rateHelper(other.list, HelperRating(points: 5)) },
        UseCase("removeList") { garden, other in try await garden.removeList(other.list) },
        UseCase("shoppingList") { garden, other in try await garden.shoppingList(other.list).lists },
        UseCase("receipt") { garden, other in try await garden.receipt(of: other.list) },
        UseCase("shoppingLists", isRefused: false) { garden, _ in try await garden.shoppingLists().lists },
        UseCase("removeThing") { garden, other in try await garden.removeThing(other.thing.id) },
        UseCase("thing") { garden, other in try await garden.thing(other.thing.id.description) },
        UseCase("things", isRefused: false) { garden, _ in try await garden.things() },
        UseCase("detail") { garden, other in try await garden.detail(of: other.thing.id) },
        UseCase("detail", isRefused: false) { garden, other in try await garden.detail(ofShared: other.thing.id) },
        UseCase("shareThing") { garden, other in
            try await garden.shareThing(other.thing.id, days: 7, tokenHash: Array(repeating: 9, count: 32))
        },
        UseCase("shares") { garden, other in try await garden.shares(of: other.thing.id) },
        UseCase("withdrawShare") { garden, other in try await garden.withdrawShare(other.share.id.description) },
        UseCase("importThings", isRefused: false) { garden, _ in
            try await garden.importThings([ImportedDraft(try draft("imported"))])
        },
        UseCase("addFeed", isRefused: false) { garden, _ in
            try await garden.addFeed(tokenHash: Array(repeating: 9, count: 32))
        },
        UseCase("feeds", isRefused: false) { garden, _ in try await garden.feeds() },
        UseCase("removeFeed") { garden, other in try await garden.removeFeed(other.feed.id.description) },
        UseCase("agenda", isRefused: false) { garden, _ in
            try await garden.agenda(
                from: civilDay("2027-03-01"), to: civilDay("2027-03-31"), mostDays: 100, limit: 100)
        },
        // The last: it leaves no account to act for. What is one's own may go.
        UseCase("erase", isRefused: false) { garden, _ in try await garden.erase() },
    ]

    private let owner = ServiceUnderTest()
    private var store: CareStore {
        get throws { owner.store(at: try seoul("2027-03-09T09:00")) }
    }
    private var role: String { "account_\(TestDatabase.current.name)" }

    private func neighbours() async throws -> (minji: Account, other: Neighbour) {
        let name = TestDatabase.current.name
        _ = try await Roles(
            pool: owner.pool, application: "app_\(name)", reporting: "reader_\(name)", account: role
        ).establish()
        // Its commands' years differ from its server's.
        _ = try await DatabaseMark(pool: owner.pool).markTest()
        let (minji, _) = try await owner.garden()
        let (account, plant) = try await owner.garden(email: "other@example.com")
        let garden = try owner.store(at: seoul("2027-03-02T09:00")).garden(of: account.id)
        let tag = try await garden.addTag(TagName("family"), colour: nil, cycle: nil)
        let device = try await garden.addDevice(platform: .webhook, token: "https://push.example.com/")
        let batch = try await garden.importFriends(
            [FriendContact(registration(number: 2, name: "이둘"))], importOptions(), fileName: "theirs.vcf"
        ).batchID
        _ = try await garden.editFriend(plant.id, plantEdit(), Tagging(adding: [tag.name]))
        let thing = try await garden.recordThing(Self.draft("errand of \(account.address)"), tags: [tag.name]).thing
        let hash = [UInt8](repeating: account.id.uuid.uuid.15, count: 32)
        let share = try await garden.shareThing(thing.id, days: 7, tokenHash: hash)
        let feed = try await garden.addFeed(tokenHash: hash)
        let list = try await garden.writeList(
            ShoppingListDraft(title: try ThingTitle("list of \(account.address)")))
        let pause = try await garden.beginPause(
            of: .account, from: civilDay("2027-04-01"), to: civilDay("2027-04-05"), isSpread: false)
        _ = try await garden.postpone(plant.id, days: 1)
        let review = try Review(keywords: ["바다"], memo: "memo of \(account.address)")
        _ = try await garden.water(plant.id, WateringRequest(method: .call, review: review))
        let imported = try #require(try await garden.plants().first { $0.id != plant.id })
        try await owner.run(at: seoul("2027-03-09T09:00"))
        return (
            minji,
            Neighbour(
                account: account, plant: plant, imported: imported.id, tag: tag, batch: try #require(batch),
                device: device, thing: thing, share: share, feed: feed, list: list.list.id,
                pause: pause)
        )
    }

    private static func draft(_ title: String) throws -> ThingDraft {
        ThingDraft(kind: .reminder, title: try ThingTitle(title), dueOn: try civilDay("2027-03-12"))
    }

    /// The result of a use case; nil if it was refused as not found, or by the database for another account.
    private func outcome(_ useCase: UseCase, _ garden: Garden, _ other: Neighbour) async throws -> String? {
        do {
            return try await useCase.run(garden, other)
        } catch CareError.notFound {
            return nil
        } catch let error as PostgresError where error.sqlState == "42501" {
            return nil
        }
    }

    @Test("every use case is tried here")
    func complete() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/Storage/CherishStore")
        var methods: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let file = folder.appendingPathComponent(path)
            var isOfGarden = false
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if !line.hasPrefix(" "), line.hasSuffix("{") { isOfGarden = line.contains(" Garden") }
                if isOfGarden, let method = line.firstMatch(of: /^    public func (\w+)/) {
                    methods.insert(String(method.output.1))
                }
            }
        }
        #expect(methods == Set(Self.useCases.map(\.name)))
    }

    @Test("is not found, read or changed through one's own garden", arguments: [false, true])
    func ownGarden(inRole: Bool) async throws {
        let (minji, other) = try await neighbours()
        let before = try await store.garden(of: other.account.id).export()
        let acting = CareStore(
            pool: owner.pool, zones: ServiceUnderTest.zones, time: try store.time, gardenRole: inRole ? role : nil)
        for useCase in Self.useCases {
            let result = try await outcome(useCase, acting.garden(of: minji.id), other)
            #expect((result == nil) == useCase.isRefused, "\(useCase.name)")
            for secret in other.secrets {
                #expect(result?.lowercased().contains(secret) != true, "\(useCase.name) reveals \(secret)")
            }
            #expect(try await store.garden(of: other.account.id).export() == before, "\(useCase.name)")
        }
    }

    /// As if no statement bound the account: the garden is the neighbour's, and only the session is one's own.
    @Test("is not found, read or changed by one's own session, whatever the statements bind")
    func ownSession() async throws {
        let (minji, other) = try await neighbours()
        let before = try await store.garden(of: other.account.id).export()
        let garden = Garden(
            store: try store, accountID: other.account.id, session: AccountSession(minji.id, role: role))
        for useCase in Self.useCases {
            let result = try await outcome(useCase, garden, other)
            let isList = ["imports", "devices"].contains(useCase.name)
            #expect(result != nil || !isList, "\(useCase.name)")
            for secret in other.secrets {
                #expect(result?.lowercased().contains(secret) != true, "\(useCase.name) reveals \(secret)")
            }
            #expect(try await store.garden(of: other.account.id).export() == before, "\(useCase.name)")
        }
    }

    @Test("a session's account applies to its transaction only: the next one on the connection has none")
    func transactions() async throws {
        let (minji, other) = try await neighbours()
        let single = ServiceUnderTest(maximumConnections: 1)
        let store = CareStore(
            pool: single.pool, zones: ServiceUnderTest.zones, time: try store.time, gardenRole: role)
        for id in [minji.id, other.account.id, minji.id] {
            #expect(try await store.garden(of: id).account().id == id)
            _ = try await store.garden(of: id).water(
                try #require(try await store.garden(of: id).plants().first).id, WateringRequest(method: .call))
            let user = try await single.texts(
                "SELECT current_user::text || coalesce(current_setting('cherish.account', true), '')")
            #expect(user == [try #require(try await owner.texts("SELECT current_user::text").first)])
        }
    }
}
