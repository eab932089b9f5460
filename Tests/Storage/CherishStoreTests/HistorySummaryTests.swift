import CherishCore
import CherishTestSupport
import Postgres
import Testing

@testable import CherishStore

@Suite("Kept histories stand while nothing has happened, and are computed otherwise", .migratedDatabase)
struct HistorySummaryTests {
    private let service = ServiceUnderTest()

    private func keep(pieces: Int = 1000) async throws -> Int {
        try await HistorySummaries(pool: service.pool, pieceSize: pieces).keep().count
    }

    /// The phones of the plants whose sums must be computed.
    private func outdatedPlants() async throws -> [String] {
        try await service.texts(
            """
            SELECT plant.phone FROM plant_history AS history
            JOIN plant ON plant.lane = history.lane AND plant.id = history.plant_id WHERE NOT is_kept ORDER BY 1
            """)
    }

    private func outdatedAccounts() async throws -> Int {
        try await service.count("SELECT count(*) FROM account_history WHERE NOT is_kept")
    }

    private func expectTruth(_ accounts: [Account], at now: Instant) async throws {
        let names = ["streaks", "contact_rhythm", "cohort_retention"]
        var exports: [AccountExport] = []
        for account in accounts { exports.append(try await service.store(at: now).export(of: account.id)) }
        for report in try HistoryTruth(exports, at: now).reports where names.contains(report.name) {
            expectSame(try await service.rows("SELECT * FROM report.\(report.name)", at: now), report.rows, report.name)
        }
    }

    @Test("what happens to a plant ends its own kept sums only, and the reports tell the truth before and after")
    func everyEvent() async throws {
        let (account, plant) = try await service.garden(cycle: 3)
        let added = try seoul("2027-02-23T10:00")
        let neighbour = try await service.friend(of: account, number: 2, cycle: 3, at: added)
        _ = try await service.store(at: seoul("2027-02-24T10:00")).water(
            neighbour.reference, WateringRequest(method: .call))
        #expect(try await keep() == 3)

        func store(_ day: String) throws -> CareStore { service.store(at: try seoul("2027-\(day)T12:00")) }
        // A postponed plant keeps its due date when its cycle changes.
        let unchanged = "cycle changed"
        let events: [(name: String, day: String, act: (CareStore) async throws -> Void)] = [
            ("watered", "02-25", { _ = try await $0.water(plant.reference, WateringRequest(method: .call)) }),
            ("watered twice", "02-25", { _ = try await $0.water(plant.reference, WateringRequest(method: .call)) }),
            (
                "watered for an earlier day", "03-01",
                {
                    _ = try await $0.water(
                        plant.reference, WateringRequest(method: .call, day: try civilDay("2027-02-27")))
                }
            ),
            ("postponed", "03-02", { _ = try await $0.postpone(plant.reference, days: 2) }),
            (unchanged, "03-03", { _ = try await $0.editFriend(plant.reference, plantEdit(cycle: 5)) }),
            ("watered late", "03-20", { _ = try await $0.water(plant.reference, WateringRequest(method: .call)) }),
        ]
        for event in events {
            try await event.act(store(event.day))
            let isOutdated = event.name != unchanged
            #expect(try await outdatedPlants() == (isOutdated ? [plant.phone.description] : []), "\(event.name)")
            try await expectTruth([account], at: store(event.day).now())
            #expect(try await (keep() > 0) == isOutdated, "\(event.name)")
            #expect(try await outdatedPlants().isEmpty, "\(event.name)")
            #expect(try await outdatedAccounts() == 0, "\(event.name)")
            try await expectTruth([account], at: store(event.day).now())
        }

        // Its gaps of contact break where it was brought back.
        _ = try await store("03-21").removeFriend(plant.reference)
        _ = try await store("03-25").importFriends(
            [registration(cycle: 5)], to: account.id, restoring: true, isDryRun: false)
        #expect(try await outdatedPlants() == [plant.phone.description])
        try await expectTruth([account], at: store("03-25").now())
        #expect(try await keep() == 1)
        try await expectTruth([account], at: store("03-25").now())
        #expect(try await keep() == 0)
    }

    @Test("in another zone an account was added on another day, so its weeks are counted anew")
    func zones() async throws {
        let account = try await service.account(email: "jisoo@example.com", at: seoul("2027-02-23T02:00"))
        let plant = try await service.friend(of: account, at: seoul("2027-02-23T02:00"))
        let now = try seoul("2027-03-02T12:00")
        _ = try await service.store(at: now).water(plant.reference, WateringRequest(method: .call))
        #expect(try await keep() == 2)
        let weeks: SQL = "SELECT active_weeks::text FROM account_history"
        #expect(try await service.texts(weeks) == ["{1}"])
        // There it was still 22 February; the watering keeps its day.
        var edit = AccountEdit()
        edit.timeZone = "America/New_York"
        let moved = try await service.store(at: now).editAccount(account.id, edit)
        #expect(try await outdatedAccounts() == 1)
        try await expectTruth([moved], at: now)
        #expect(try await keep() > 0)
        try await expectTruth([moved], at: now)
    }

    @Test(
        "reports compute nothing beside what is kept", arguments: ["contact_rhythm", "streaks", "cohort_retention"])
    func nothingBesideKept(report: String) async throws {
        _ = try await service.garden()
        /// Whether each scan of waterings in the report's plan is executed.
        func scans() async throws -> [Bool] {
            let lines = try await service.pool.withTransaction { connection in
                try await connection.execute(
                    "SELECT set_config('cherish.now', $1, true)", [try seoul("2027-03-02T12:00").description])
                return try await connection.query(
                    "EXPLAIN (ANALYZE, COSTS OFF) SELECT * FROM report.\(SQL(trusting: report))"
                ).map { try $0.decode(0, as: String.self) }
            }
            return lines.filter { $0.contains(" on watering") }.map { !$0.contains("never executed") }
        }
        #expect(try await scans().contains(true))
        #expect(try await keep() == 2)
        let afterwards = try await scans()
        #expect(!afterwards.isEmpty && !afterwards.contains(true), "\(afterwards)")
    }

    @Test("large gardens are done in pieces, and what is erased leaves no row")
    func pieces() async throws {
        let (account, _) = try await service.garden()
        for number in 2...5 { _ = try await service.friend(of: account, number: number, at: seoul("2027-02-23T10:00")) }
        #expect(try await keep(pieces: 2) == 6)
        #expect(try await outdatedPlants().isEmpty)
        _ = try await service.store(at: seoul("2027-03-02T12:00")).eraseAccount(account.id)
        let left: SQL = "SELECT (SELECT count(*) FROM plant_summary) + (SELECT count(*) FROM account_summary)"
        #expect(try await service.count(left) == 0)
    }

    @Test("two programs do not do it at once, and a lane that fails keeps no other from being done")
    func others() async throws {
        for lane in [Lane(3), Lane(200)] { _ = try await service.garden(lane: lane, email: "\(lane)@example.com") }
        try await service.pool.withTransaction { connection in
            _ = try await connection.query("SELECT 1 FROM engine_lock WHERE name = 'summarizing' FOR UPDATE")
            #expect(try await keep() == 0)
        }
        try await service.execute("ALTER TABLE plant_summary ADD CONSTRAINT plant_summary_broken CHECK (lane <> 3)")
        let failure = try await service.housekeeping(at: seoul("2027-03-02T09:00")).run().summaryFailure
        #expect(failure?.contains("23514") == true)
        #expect(try await service.texts("SELECT lane::text FROM plant_summary") == ["200"])
        try await service.execute("ALTER TABLE plant_summary DROP CONSTRAINT plant_summary_broken")
        #expect(try await keep() == 2)
    }

    @Test("whoever holds a plant delays only the summaries of its lane, and no neighbour's plant is held meanwhile")
    func heldPlant() async throws {
        let (_, held) = try await service.garden(lane: Lane(3), email: "3@example.com")
        _ = try await service.garden(lane: Lane(200), email: "200@example.com")
        try await service.pool.withTransaction { connection in
            _ = try await connection.query("SELECT 1 FROM plant WHERE id = $1 FOR UPDATE", [held.id])
            // The plant and the account of the other lane. Without a limit, this would wait for this transaction.
            #expect(try await keep() == 2)
        }
        #expect(try await keep() == 2)
        #expect(try await outdatedPlants().isEmpty)
    }
}
