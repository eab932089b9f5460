import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishStore

@Suite("Pauses in the store (rules 13.1 and 13.2)", .migratedDatabase, .serialized)
struct PauseStoreTests {
    /// Before all pauses of these tests begin.
    private static let before = "2027-02-24T10:00"

    private func store(
        _ service: ServiceUnderTest, at now: String = PauseStoreTests.before, pieces: Int = 2_000
    ) throws -> CareStore {
        var store = service.store(at: try seoul(now))
        store.replanningPiece = pieces
        return store
    }

    private func begin(
        _ target: PauseTarget = .account, _ first: String = "2027-03-01", _ last: String = "2027-03-20",
        isSpread: Bool = false, of account: Account, _ store: CareStore
    ) async throws -> Pause {
        try await store.garden(of: account.id).beginPause(
            of: target, from: try civilDay(first), to: try civilDay(last), isSpread: isSpread)
    }

    /// The due dates of the living plants, and how many have each.
    private func dueDates(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            "SELECT due_on || ' ' || count(*) FROM plant WHERE removed_at IS NULL GROUP BY due_on ORDER BY due_on")
    }

    /// Plants whose newest due date in the history is another one than theirs, or whose next alarm is not in the calendar.
    private func inconsistent(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            """
            SELECT plant.id || ' ' || plant.due_on || ' ' || history.due_on FROM plant
            JOIN report.due_dates AS history ON history.plant_id = plant.id AND history.replaced_on IS NULL
            WHERE plant.removed_at IS NULL AND (history.due_on <> plant.due_on
                OR history.withers_on <> withers_on(plant.due_on, plant.pauses)
                OR plant.alarm_at IS NOT NULL AND NOT EXISTS (
                    SELECT FROM occurrence AS planned WHERE planned.lane = plant.lane AND planned.at = plant.alarm_at
                        AND planned.subject_id = plant.id AND planned.topic = 'watering_due'))
            """)
    }

    /// Eleven plants, due on 2 March.
    private func garden(_ service: ServiceUnderTest) async throws -> (account: Account, plant: Plant) {
        let (account, plant) = try await service.garden()
        try await service.multiply(plant, by: 10)
        return (account, plant)
    }

    @Test("the push on the first day after a pause blames nobody, in both languages", arguments: Language.allCases)
    func gentleWords(language: Language) async throws {
        let sender = RecordingDeviceSender { _, _, _ in .accepted }
        let service = ServiceUnderTest(devices: sender.senders())
        let (account, _) = try await service.garden()
        let store = try store(service)
        _ = try await store.addDevice(account, platform: .ios, token: "phone")
        var edit = AccountEdit()
        edit.language = language
        _ = try await store.editAccount(account.id, edit)
        _ = try await begin(of: account, store)
        try await service.run(at: try seoul("2027-03-21T09:00"))
        let bodies = await sender.sent.map(\.push.text.body)
        #expect(bodies.count == 1)
        #expect(bodies.allSatisfy { $0.contains(language == .korean ? "서두르지 않아도 괜찮아요" : "there is no hurry") })
    }

    @Test("a pause moves the whole garden, in pieces of any size, and back when it ends", arguments: [1, 3, 11, 2_000])
    func wholeGarden(pieces: Int) async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await garden(service)
        let store = try store(service, pieces: pieces)
        let pause = try await begin(of: account, store)
        #expect(try await dueDates(service) == ["2027-03-21 11"])
        #expect(try await inconsistent(service) == [])
        try await service.run(at: try seoul("2027-03-10T09:00"))
        #expect(try await service.count("SELECT count(*) FROM push_job") == 0)
        let later = try self.store(service, at: "2027-03-11T08:00", pieces: pieces)
        _ = try await later.garden(of: account.id).endPause(pause.id)
        #expect(try await dueDates(service) == ["2027-03-11 11"])
        #expect(try await inconsistent(service) == [])
        try await service.run(at: try seoul("2027-03-11T09:00"))
        #expect(try await service.count("SELECT count(*) FROM push_job") == 11)
        #expect(try await service.count("SELECT count(*) FROM plant WHERE due_on = '2027-03-11' AND version = 3") == 11)
    }

    @Test("the pause of a tag is for its friends: those who get the tag or lose it, and none after it is deleted")
    func tags() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await garden(service)
        let store = try store(service)
        let work = try TagName("work")
        _ = try await store.addTag(work, colour: nil, cycle: nil, to: account.id)
        _ = try await begin(.tag(work), of: account, store)
        #expect(try await dueDates(service) == ["2027-03-02 11"])
        let tagged = try await store.editFriend(plant.reference, PlantEdit(), Tagging(adding: [work]))
        #expect(tagged.dueOn.description == "2027-03-21")
        #expect(try await dueDates(service) == ["2027-03-02 10", "2027-03-21 1"])
        _ = try await store.editFriend(plant.reference, PlantEdit(), Tagging(removing: [work]))
        #expect(try await dueDates(service) == ["2027-03-02 11"])
        _ = try await store.editFriend(plant.reference, PlantEdit(), Tagging(adding: [work]))
        let new = try await store.addFriend(registration(number: 99), to: account.id, tags: [work])
        #expect(new.dueOn.description == "2027-03-21")
        #expect(try await inconsistent(service) == [])
        _ = try await store.removeTag(work, of: account.id)
        #expect(try await dueDates(service) == ["2027-03-02 11", "2027-03-03 1"])
        #expect(try await service.count("SELECT count(*) FROM pause") == 0)
        #expect(try await inconsistent(service) == [])
    }

    @Test(
        "the pause of a friend touches no other, and a friend who comes back keeps out of pauses that began meanwhile")
    func friends() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await garden(service)
        let store = try store(service)
        _ = try await begin(.friend(plant.id), of: account, store)
        #expect(try await dueDates(service) == ["2027-03-02 10", "2027-03-21 1"])
        _ = try await store.removeFriend(plant.reference)
        _ = try await begin(.account, "2027-03-01", "2027-03-25", of: account, store)
        let back = try await store.garden(of: account.id).restoreFriend(plant.id)
        #expect(back.dueOn.description == "2027-03-26")
        await #expect(throws: CareError.notFound(.plant)) {
            _ = try await begin(.friend(Identifier(UUID.random(lane: 7))), of: account, store)
        }
    }

    @Test("imports and new friends of many gardens keep out of pauses")
    func newFriends() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let store = try store(service)
        _ = try await begin(of: account, store)
        _ = try await store.importFriends(
            [registration(number: 51)], to: account.id, restoring: false, isDryRun: false)
        #expect(try await dueDates(service) == ["2027-03-21 2"])
        let contact = FriendContact(
            name: try ContactName("둘"), phones: [try PhoneNumber(e164: "+821012345602")])
        _ = try await store.plantFriends(
            [BulkFriend(accountID: account.id, contact: contact)], BulkOptions(cycle: try Cycle(days: 7)))
        #expect(try await dueDates(service).last?.hasPrefix("2027-03-21") == true)
        #expect(try await inconsistent(service) == [])
    }

    @Test("during a pause, no push is sent for what a replanning has not reached yet")
    func silence() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        // As if the garden had not been replanned yet.
        try await service.execute(
            "UPDATE account SET pauses = '{2027-03-01,2027-03-20}' WHERE id = $1", [account.id])
        try await service.run(at: try seoul("2027-03-02T09:00"))
        #expect(
            try await service.texts("SELECT outcome || ' ' || reason FROM occurrence_outcome") == ["suppressed paused"])
    }

    @Test("an export of pauses can be loaded again")
    func roundTrip() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        let store = try store(service)
        _ = try await store.addFriend(registration(number: 2), to: account.id)
        let work = try TagName("work")
        _ = try await store.addTag(work, colour: nil, cycle: nil, to: account.id)
        _ = try await store.editFriend(plant.reference, PlantEdit(), Tagging(adding: [work]))
        _ = try await begin(.tag(work), isSpread: true, of: account, store)
        _ = try await begin(.friend(plant.id), "2027-03-22", "2027-03-25", of: account, store)
        _ = try await begin(.account, "2027-04-01", "2027-04-05", of: account, store)
        let export = try await store.export(of: account.id)
        #expect(export.pauses.count == 3)
        _ = try await store.eraseAccount(account.id)
        _ = try await store.seed([export])
        let loaded = try await store.export(of: account.id)
        #expect(loaded.pauses == export.pauses)
        #expect(loaded.account == export.account)
        #expect(loaded.plants.map(\.plant) == export.plants.map(\.plant))
        #expect(loaded.plants.map(\.dueDateChanges) == export.plants.map(\.dueDateChanges))
    }

    @Test("an account keeps 100 pauses: the oldest that is over makes room, and where none is over, one must end first")
    func most() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let store = try store(service)
        try await service.execute(
            """
            INSERT INTO pause (lane, id, account_id, first_day, last_day, is_spread)
            SELECT lane, gen_random_uuid(), id, date '2026-01-01' + number, date '2026-01-01' + number, false
            FROM account, generate_series(1, 100) AS number
            """)
        _ = try await begin(of: account, store)
        #expect(try await service.count("SELECT count(*) FROM pause") == 100)
        #expect(try await service.texts("SELECT min(first_day)::text FROM pause") == ["2026-01-03"])
        try await service.execute("UPDATE pause SET last_day = '2027-03-01', first_day = '2027-02-24'")
        await #expect(throws: CareError.invalidPause(.tooMany)) { _ = try await begin(of: account, store) }
    }

    @Test("an older edit of a pause leaves what was edited later")
    func editOrder() async throws {
        let service = ServiceUnderTest()
        let (account, _) = try await service.garden()
        let store = try store(service)
        let pause = try await begin(of: account, store)
        let garden = store.garden(of: account.id)
        var edit = PauseEdit()
        edit.last = try civilDay("2027-03-10")
        _ = try await garden.editing(at: try seoul("2027-02-24T09:59")).editPause(pause.id, edit)
        edit.last = try civilDay("2027-03-15")
        edit.isSpread = true
        let edited = try await garden.editing(at: try seoul("2027-02-24T09:58")).editPause(pause.id, edit)
        #expect(edited.days.upperBound.description == "2027-03-10")
        #expect(edited.isSpread)
    }

    @Test("reports: a plant that is paused after its due date is thirsty, and a watering then is in time")
    func reports() async throws {
        let service = ServiceUnderTest()
        let (account, plant) = try await service.garden()
        _ = try await begin(.account, "2027-03-03", "2027-03-20", of: account, try store(service))
        let during = try store(service, at: "2027-03-10T10:00")
        _ = try await during.water(plant.reference, WateringRequest(method: .call))
        #expect(
            try await service.texts("SELECT in_time_count || ' ' || late_count FROM report.streaks") == ["1 0"])
        #expect(try await service.count("SELECT count(*) FROM report.revivals WHERE withered_on < '2027-03-21'") == 0)
        #expect(
            try await service.texts(
                "SELECT due_on || ' ' || source || ' ' || withers_on FROM report.due_dates ORDER BY set_at, source")
                == [
                    "2027-03-02 registration 2027-03-03", "2027-03-02 pause 2027-03-21",
                    "2027-03-17 watering 2027-03-18", "2027-03-21 pause 2027-03-22",
                ])
    }

    @Test("SQL finds the first unpaused day and the day of withering as Swift does")
    func sameDays() async throws {
        let service = ServiceUnderTest()
        let spans = [("2027-03-01", "2027-03-03"), ("2027-03-05", "2027-03-05"), ("2027-03-07", "2027-03-20")]
        let days = PausedDays(
            try spans.map { first, last in
                Pause(
                    stored: Identifier(UUID.random(lane: 1)), .account,
                    try civilDay(first)...civilDay(last), isSpread: false)
            })
        let found = try await service.texts(
            """
            SELECT withers_on(date '2027-02-25' + number, $1) || ' ' || unpaused_day(date '2027-02-25' + number, $1)
            FROM generate_series(0, 30) AS number ORDER BY number
            """, [days.spans.flatMap { [$0.lowerBound, $0.upperBound] }])
        let start = try civilDay("2027-02-25")
        #expect(
            found
                == (0...30).map { number in
                    "\(days.firstUnpaused(from: start + number + 1)) \(days.firstUnpaused(from: start + number))"
                })
    }
}
