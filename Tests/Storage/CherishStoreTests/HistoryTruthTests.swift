import CherishCore
import CherishTestSupport
import Testing

@testable import CherishStore

@Suite(
    "The reports about the history of plants match what happened", .migratedDatabase, .serialized, .onceOptimized)
struct HistoryTruthTests {
    private let service = ServiceUnderTest()

    /// Compares the reports as they are computed, then as they are kept.
    private func compare(_ exports: [AccountExport], at now: Instant) async throws {
        try await compareOnce(exports, at: now)
        _ = try await HistorySummaries(pool: service.pool).keep()
        try await compareOnce(exports, at: now)
    }

    private func compareOnce(_ exports: [AccountExport], at now: Instant) async throws {
        for report in try HistoryTruth(exports, at: now).reports {
            let columns: String = try await service.single(
                """
                SELECT string_agg(attname::text, '|' ORDER BY attnum) FROM pg_attribute
                WHERE attrelid = to_regclass($1) AND attnum > 0
                """, ["report.\(report.name)"])
            #expect(columns == report.columns, "\(report.name)")
            let rows = try await service.rows("SELECT * FROM report.\(report.name)", at: now)
            expectSame(rows, report.rows, report.name)
        }
    }

    // MARK: Two years around the world

    @Test("every row and column, at the end of two years and some weeks later")
    func everything() async throws {
        let garden = try PastGarden.shared()
        try await garden.restore(into: service)
        for report in try HistoryTruth(garden.exports, at: PastGarden.now).reports {
            #expect(!report.rows.isEmpty, "no rows to compare \(report.name) with")
        }
        try await compare(garden.exports, at: PastGarden.now)
        // At another hour too, when it is already the next day elsewhere.
        try await compare(garden.exports, at: PastGarden.now.adding(hours: 40 * 24 + 8))
    }

    @Test("in two years, plants wither and revive, are watered in time again, and are postponed in a row")
    func variety() async throws {
        try await PastGarden.shared().restore(into: service)
        for condition in [
            "report.revivals WHERE revived_by = 'watering'", "report.revivals WHERE is_withered",
            "report.revivals WHERE is_archived", "report.streaks WHERE current_streak > 3",
            "report.streaks WHERE longest_streak > current_streak AND current_streak > 0",
            "report.postponement_habits WHERE longest_chain > 2",
            "report.contact_rhythm WHERE p90_gap_days > median_gap_days",
            "report.cohort_retention WHERE NOT is_complete",
        ] {
            let rows = try await service.rows("SELECT 1 FROM \(condition) LIMIT 1")
            #expect(rows == ["1"], "\(condition)")
        }
    }

    // MARK: What seldom happens

    /// The rows of a report about a plant, at noon of 29 March in Seoul.
    private func rows(_ columns: String, of report: String, _ plant: Plant, by order: String = "1") async throws
        -> [String]
    {
        try await service.rows(
            "SELECT \(columns) FROM report.\(report) WHERE plant_id = '\(plant.id)' ORDER BY \(order)",
            at: seoul("2027-03-29T12:00"))
    }

    /// Compares all reports about the account's history at noon of 29 March in Seoul.
    private func compare(_ account: Account) async throws {
        let now = try seoul("2027-03-29T12:00")
        let export = try await service.store(at: now).export(of: account.id)
        try await compare([export], at: now)
    }

    @Test("withered, watered for too early a day, watered at last, revived by its cycle, removed and brought back")
    func ups() async throws {
        let (account, plant) = try await service.garden(cycle: 1)
        let care = Care(service: service, plant: plant)
        try await care.water("2027-02-25")
        try await care.water("2027-03-05", for: "2027-03-01")
        try await care.water("2027-03-06")
        try await care.water("2027-03-06", at: "13:00")
        try await care.water("2027-03-07", for: "2027-03-05")
        try await care.changeCycle("2027-03-10", to: 4)
        try await care.remove("2027-03-15")
        _ = try await service.store(at: seoul("2027-03-20T12:00")).importFriends(
            [registration(cycle: 4)], to: account.id, restoring: true, isDryRun: false)
        try await care.water("2027-03-21")
        try await compare(account)

        let revivals = try await rows(
            "withered_on, revived_on, revived_by, method, days_withered, is_withered", of: "revivals", plant)
        // The period from 11 March is omitted: it ended with the return of the plant.
        #expect(
            revivals == [
                "2027-02-25|2027-02-25|watering|call|1|false", "2027-02-27|2027-03-06|watering|call|8|false",
                "2027-03-08|2027-03-10|edit|-|3|false", "2027-03-26|-|-|-|4|true",
            ])
        let streaks = try await rows(
            "watered_days, in_time_count, late_count, current_streak, longest_streak", of: "streaks", plant)
        #expect(streaks == ["4|1|3|0|1"])
        // Gaps of 4, 4 and 1 days, and none across the removal.
        let rhythm = try await rows("gap_count, median_gap_days, p90_gap_days", of: "contact_rhythm", plant)
        #expect(rhythm == ["3|4|4"])
    }

    @Test("a watering for too early a day can make a plant wither, on the day of recording")
    func witheredByWatering() async throws {
        let (account, plant) = try await service.garden(cycle: 3)
        let care = Care(service: service, plant: plant)
        try await care.postpone("2027-02-26", by: 7)
        try await care.water("2027-03-03", for: "2027-02-26")
        try await care.water("2027-03-04")
        let removed = try await service.friend(of: account, number: 2, cycle: 2, at: seoul("2027-02-23T10:00"))
        try await Care(service: service, plant: removed).remove("2027-02-28")
        try await compare(account)

        let columns = "withered_on, revived_on, days_withered, is_withered"
        let revivals = try await rows(columns, of: "revivals", plant)
        #expect(revivals == ["2027-03-03|2027-03-04|2|false", "2027-03-08|-|22|true"])
        let ofRemoved = try await rows(columns, of: "revivals", removed)
        #expect(ofRemoved == ["2027-02-26|-|3|false"])
        let kept = try await rows("kept_count", of: "postponement_habits", plant)
        #expect(kept == ["1"])
    }

    @Test("a watering or a changed cycle ends a run of postponements, even with the same due date")
    func chains() async throws {
        let (account, watered) = try await service.garden(cycle: 1)
        let ofWatered = Care(service: service, plant: watered)
        try await ofWatered.postpone("2027-02-24", by: 2)
        try await ofWatered.water("2027-02-25")
        try await ofWatered.postpone("2027-02-26", by: 1)
        try await ofWatered.postpone("2027-02-27", by: 1)
        let edited = try await service.friend(of: account, number: 2, cycle: 7, at: seoul("2027-02-23T10:00"))
        let ofEdited = Care(service: service, plant: edited)
        try await ofEdited.postpone("2027-03-02", by: 3)
        try await ofEdited.changeCycle("2027-03-04", to: 10)
        try await ofEdited.postpone("2027-03-05", by: 2)
        try await compare(account)

        let columns = "postponement_count, longest_chain, kept_count"
        let watering = try await rows(columns, of: "postponement_habits", watered)
        #expect(watering == ["3|2|1"])
        let edit = try await rows(columns, of: "postponement_habits", edited)
        #expect(edit == ["2|1|0"])
    }

    @Test("events of one instant have an order: registering, postponing, watering")
    func oneInstant() async throws {
        let (account, plant) = try await service.garden()
        let care = Care(service: service, plant: plant)
        try await care.water("2027-02-23", at: "10:00")
        try await care.postpone("2027-03-02", by: 1)
        try await care.water("2027-03-02")
        try await compare(account)

        let history = try await rows(
            "source, due_on_before, due_on_after", of: "due_dates", plant, by: "set_at, watering_number NULLS FIRST")
        #expect(
            history == [
                "registration|-|2027-03-02", "watering|2027-03-02|2027-03-03", "postponement|2027-03-02|2027-03-09",
                "watering|2027-03-03|-",
            ])
        let streaks = try await rows("in_time_count, late_count", of: "streaks", plant)
        #expect(streaks == ["2|0"])
    }

    @Test("a cohort's week is complete once it is for the youngest account, and appears once the oldest reaches it")
    func weeks() async throws {
        let columns = "week_number, account_count, active_count, is_complete"
        func weeks(_ now: String) async throws -> [String] {
            try await service.rows(
                "SELECT \(columns) FROM report.cohort_retention WHERE cohort_week = '2027-03-01' ORDER BY 1",
                at: seoul(now))
        }
        // Added on a Wednesday, watered five days later.
        try await addWateringAccount("jisoo@example.com", on: "2027-03-03")
        let first = try await weeks("2027-03-08T12:00")
        #expect(first == ["0|1|1|false"])
        // Added on the Monday of that week, watered seven days later.
        try await addWateringAccount("minji@example.com", on: "2027-03-01")
        let tuesday = try await weeks("2027-03-30T23:59")
        #expect(tuesday == ["0|2|1|true", "1|2|1|true", "2|2|0|true", "3|2|0|false", "4|2|0|false"])
        let wednesday = try await weeks("2027-03-31T00:00")
        #expect(wednesday == ["0|2|1|true", "1|2|1|true", "2|2|0|true", "3|2|0|true", "4|2|0|false"])
    }

    /// Adds an account in Seoul with a friend who is contacted on 8 March.
    private func addWateringAccount(_ email: String, on day: String) async throws {
        let now = try seoul("\(day)T10:00")
        let account = try await service.account(email: email, at: now)
        let plant = try await service.friend(of: account, at: now)
        try await Care(service: service, plant: plant).water("2027-03-08")
    }
}

/// Commands for one plant of an account in Seoul, at noon by default.
private struct Care {
    let service: ServiceUnderTest
    let plant: Plant

    private func store(_ day: String, at time: String = "12:00") throws -> CareStore {
        service.store(at: try seoul("\(day)T\(time)"))
    }

    func water(_ day: String, at time: String = "12:00", for earlierDay: String? = nil) async throws {
        let request = WateringRequest(method: .call, day: try earlierDay.map { try civilDay($0) })
        _ = try await store(day, at: time).water(plant.reference, request)
    }

    func postpone(_ day: String, by days: Int) async throws {
        _ = try await store(day).postpone(plant.reference, days: days)
    }

    func changeCycle(_ day: String, to days: Int) async throws {
        _ = try await store(day).editFriend(plant.reference, plantEdit(cycle: days))
    }

    func remove(_ day: String) async throws {
        _ = try await store(day).removeFriend(plant.reference)
    }
}
