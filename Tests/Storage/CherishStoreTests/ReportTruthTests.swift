import CherishCore
import CherishStore
import CherishTestSupport
import Foundation
import Testing

@Suite("The reports match the history", .migratedDatabase, .serialized, .onceOptimized)
struct ReportTruthTests {
    private let service = ServiceUnderTest()

    private func compare(_ report: TrueReport, at now: Instant = PastGarden.now) async throws {
        let columns: String = try await service.single(
            """
            SELECT string_agg(attname::text, '|' ORDER BY attnum) FROM pg_attribute
            WHERE attrelid = to_regclass($1) AND attnum > 0
            """, ["report.\(report.name)"])
        #expect(columns == report.columns, "\(report.name)")
        #expect(!report.rows.isEmpty, "no rows to compare \(report.name) with")
        let rows = try await service.rows("SELECT * FROM report.\(report.name)", at: now)
        expectSame(rows, report.rows, report.name)
    }

    // MARK: The history

    @Test("the history spans the world: three civil days at once, half-hour offsets, clock changes")
    func places() throws {
        let garden = try PastGarden.shared()
        let zones = try Set(garden.exports.map(\.account.timeZone)).map { try ServiceUnderTest.zones.rules($0) }
        #expect(zones.contains { $0.name == "Asia/Seoul" })
        #expect(zones.contains { $0.name.hasPrefix("America/") })
        let july = try instant("2026-07-01T00:00:00Z").secondsSinceEpoch
        let january = try instant("2027-01-01T00:00:00Z").secondsSinceEpoch
        let offsets = zones.map { (july: $0.offset(atSecond: july), january: $0.offset(atSecond: january)) }
        #expect(offsets.contains { $0.january > 12 * 3600 })
        #expect(offsets.contains { $0.january < -10 * 3600 })
        #expect(offsets.contains { $0.january % 3600 == 1800 })
        #expect(offsets.contains { $0.january < $0.july }, "no summer time in the north")
        #expect(offsets.contains { $0.january > $0.july }, "no summer time in the south")
        let today = Set(zones.map { $0.day(at: PastGarden.now).description })
        #expect(today == ["2027-03-01", "2027-03-02", "2027-03-03"])
        #expect(garden.exports.contains { $0.plants.isEmpty })
    }

    @Test("the history covers every case")
    func variety() throws {
        let garden = try PastGarden.shared()
        let living = try ReportTruth(garden).livingPlants
        #expect(Set(living.map(\.species)).count == 5)
        #expect(Set(living.map(\.condition)).count == 3)
        #expect(Set(living.map(\.stage)).count == 3)
        #expect(living.contains { $0.isFull })
        #expect(living.contains { $0.history.waterings.isEmpty })
        #expect(living.contains { !$0.history.waterings.isEmpty && $0.daysLeft < 0 })
        #expect(Set(living.map(\.dueSource)).isSuperset(of: ["registration", "watering"]))
        #expect(garden.plants.contains { $0.history.dueDateChanges.contains { $0.source == .edit } })
        #expect(garden.plants.contains { $0.plant.archivedAt != nil && !$0.history.waterings.isEmpty })
        #expect(garden.plants.contains { $0.plant.isFavourite })
        #expect(garden.plants.contains { !$0.history.postponements.isEmpty })
        #expect(garden.exports.contains { !$0.imports.isEmpty }, "nobody was brought back")

        let waterings = garden.plants.flatMap(\.history.waterings)
        #expect(Set(waterings.map(\.method)).count == ContactMethod.allCases.count)
        #expect(waterings.contains { $0.isBackdated && $0.dueOn != nil })
        #expect(waterings.contains { $0.dueOn == nil }, "none was older than the latest")
        #expect(waterings.contains { $0.review?.keywords.isEmpty == false && $0.review?.memo == nil })
        #expect(waterings.contains { $0.review?.keywords.isEmpty == true && $0.review?.memo != nil })
        #expect(waterings.contains { $0.review?.keywords.count == Review.maximumKeywords })
        let isWateredTwiceADay = garden.plants.contains { plant in
            let days = plant.history.waterings.map(\.wateredOn)
            return Set(days).count < days.count
        }
        #expect(isWateredTwiceADay)
    }

    // MARK: The reports

    @Test("every row and column of the reports about today, on this day and on a later one")
    func today() async throws {
        let garden = try PastGarden.shared()
        try await garden.restore(into: service)
        for report in try ReportTruth(garden).today { try await compare(report) }
        // At another hour too, when it is already the next day elsewhere.
        let later = PastGarden.now.adding(hours: 5 * 24 + 8)
        for report in try ReportTruth(garden, at: later).today { try await compare(report, at: later) }
    }

    @Test("every row and column of the reports about waterings, affection and keywords")
    func past() async throws {
        let garden = try PastGarden.shared()
        try await garden.restore(into: service)
        for report in try ReportTruth(garden).past { try await compare(report) }
    }

    @Test("affection equals the sum of the ledger; only plants that differ are reported")
    func affectionCheck() async throws {
        let garden = try PastGarden.shared()
        try await garden.restore(into: service)
        let check = """
            SELECT lane, account_id, plant_id, affection, ledger_points, difference FROM report.affection_check
            """
        let before = try await service.rows("\(check)")
        #expect(before.isEmpty)
        let removed = garden.plants.first { $0.plant.archivedAt != nil && !$0.history.ledger.isEmpty }
        let loved = try #require(removed)
        let neverWatered = garden.plants.first { $0.history.ledger.isEmpty }
        let unloved = try #require(neverWatered)
        for (plant, points) in [(loved, -3), (unloved, 5)] {
            try await service.execute(
                "UPDATE plant SET affection = affection + $3 WHERE lane = $1 AND id = $2",
                [plant.account.id.lane, plant.plant.id, points])
        }
        let sum = loved.history.ledger.reduce(0) { $0 + $1.entry.points }
        let after = try await service.rows("\(check)")
        expectSame(after, ["\(loved.key)|\(sum - 3)|\(sum)|-3", "\(unloved.key)|5|0|5"], "affection_check")
    }

    @Test("4.4, 5.3: a deleted review is in no report of reviews; what it earned stays")
    func deletedReview() async throws {
        let (_, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-24T12:00"))
        let review = try Review(keywords: ["바다", "봄"], memo: "이사")
        _ = try await store.water(plant.reference, WateringRequest(method: .call, review: review))
        _ = try await store.deleteReview(plant.reference, on: civilDay("2027-02-24"))
        let reviewed = try await service.rows(
            "SELECT watering_count, reviewed_count FROM report.service_watering_daily")
        #expect(reviewed == ["1|0"])
        for view in ["review_keywords", "review_keyword_pairs", "service_review_keywords"] {
            let rows = try await service.rows("SELECT * FROM report.\(view)")
            #expect(rows.isEmpty, "\(view)")
        }
        let balances = try await service.rows("SELECT reason, balance FROM report.affection_ledger")
        expectSame(balances, ["contact|8", "keywords|16", "memo|24"], "affection_ledger")
    }

    @Test("at one instant, the ledger is ordered by watering, then contact, keywords, memo")
    func ledgerAtOneInstant() async throws {
        let (_, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-25T12:00"))
        let yesterday = try civilDay("2027-02-24")
        for day in [yesterday, yesterday + 1] {
            let review = try Review(keywords: ["바다"], memo: nil)
            _ = try await store.water(plant.reference, WateringRequest(method: .call, day: day, review: review))
        }
        let rows = try await service.rows("SELECT watering_number, reason, balance FROM report.affection_ledger")
        expectSame(rows, ["1|contact|8", "1|keywords|16", "2|contact|24", "2|keywords|32"], "affection_ledger")
    }

    @Test("keywords differ by case but not by composition, and pairs are ordered by code points")
    func unusualKeywords() async throws {
        let (_, plant) = try await service.garden()
        let store = service.store(at: try seoul("2027-02-24T12:00"))
        // In UTF-16, the cup, beyond the first plane, would sort before the full-width letter.
        for keywords in [["tea", "Tea", "caf\u{E9}"], ["cafe\u{301}", "tea"], ["\u{1F375}", "\u{FF34}"]] {
            let request = WateringRequest(method: .call, review: try Review(keywords: keywords, memo: nil))
            _ = try await store.water(plant.reference, request)
        }
        let counts = try await service.rows("SELECT keyword, review_count FROM report.service_review_keywords")
        expectSame(counts, ["Tea|1", "caf\u{E9}|2", "tea|2", "\u{1F375}|1", "\u{FF34}|1"], "service_review_keywords")
        let pairs = ["Tea|tea|1", "Tea|caf\u{E9}|1", "caf\u{E9}|tea|2", "\u{FF34}|\u{1F375}|1"]
        for view in ["review_keyword_pairs", "service_review_keyword_pairs"] {
            let rows = try await service.rows("SELECT keyword, other_keyword, review_count FROM report.\(view)")
            expectSame(rows, pairs, view)
        }
    }

    // MARK: The functions

    @Test("1.3, 2.2, 4.6: species, condition and stage are the same in SQL as in Swift")
    func functions() async throws {
        let species = try await service.rows("SELECT report.species(days) FROM generate_series(1, 90) AS days")
        #expect(species == (1...90).map { trueSpecies(cycleDays: $0) })
        let speciesInSwift = try (1...90).map { try Cycle(days: $0).species.rawValue }
        #expect(species == speciesInSwift)

        let conditions = try await service.rows("SELECT report.condition(days) FROM generate_series(-10, 10) AS days")
        #expect(conditions == (-10...10).map { trueCondition(daysLeft: $0) })
        let today = try civilDay("2027-03-02")
        let conditionsInSwift = (-10...10).map { days in
            DDay(dueOn: today + days, anchor: today + -30, today: today).condition.rawValue
        }
        #expect(conditions == conditionsInSwift)

        let stages = try await service.rows("SELECT report.growth_stage(points) FROM generate_series(0, 100) AS points")
        #expect(stages == (0...100).map { trueStage(affection: $0) })
        #expect(stages == (0...100).map { Affection(points: $0).stage.rawValue })
    }

    @Test("the kinds in the reports are those of the rules, from the smallest to the largest")
    func kinds() async throws {
        func labels(of type: String) async throws -> [String] {
            try await service.texts("SELECT unnest(enum_range(NULL::report.\(type)))::text")
        }
        let (species, conditions, stages) = (
            try await labels(of: "species"), try await labels(of: "condition"), try await labels(of: "growth_stage")
        )
        #expect(species == Species.allCases.map(\.rawValue))
        #expect(conditions == Condition.allCases.map(\.rawValue))
        #expect(stages == GrowthStage.allCases.map(\.rawValue))
    }
}
