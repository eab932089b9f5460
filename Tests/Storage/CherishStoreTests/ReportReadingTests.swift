import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishStore

@Suite("Reading reports", .migratedDatabase, .serialized)
struct ReportReadingTests {
    private let service = ServiceUnderTest()

    private func reports(at now: String = "2027-03-02T10:00") throws -> Reports {
        service.store(at: try seoul(now)).reports
    }

    /// All values of a report, row by row.
    private func values(
        of name: String, _ filter: ReportFilter = ReportFilter(), at now: String = "2027-03-02T10:00"
    ) async throws -> [[ReportValue?]] {
        let reports = try reports(at: now)
        let rows = try await reports.rows(of: try await reports.report(name), filter)
        return try (0..<rows.count).map { try rows.values(at: $0) }
    }

    /// The values of one column.
    private func column(_ column: String, of name: String, _ filter: ReportFilter = ReportFilter()) async throws
        -> [ReportValue?]
    {
        let report = try await reports().report(name)
        let place = try #require(report.columns.firstIndex { $0.name == column })
        return try await values(of: name, filter).map { $0[place] }
    }

    // MARK: The catalogue

    @Test("every report has a description, and every column a meaning, in its comment")
    func comments() async throws {
        let list = try await reports().list()
        #expect(list.map(\.name) == list.map(\.name).sorted())
        #expect(list.contains { $0.name == "dday" })
        for report in list {
            #expect(!report.explanation.isEmpty, "\(report.name)")
            for column in report.columns {
                #expect(!column.explanation.isEmpty, "\(report.name).\(column.name)")
                #expect(!column.explanation.contains("["), "\(report.name).\(column.name) has an unknown marker")
            }
        }
    }

    @Test("reports about pushes are planned without looking through the constraints of each day of the log")
    func planning() async throws {
        let setting = try await reports().reading { connection in
            try await connection.query("SHOW constraint_exclusion").first?.decode(0, as: String.self)
        }
        #expect(setting == "off")
    }

    @Test("every report can be read, and filtered by account if it has one")
    func all() async throws {
        let (account, _) = try await service.garden()
        try await service.run(at: seoul("2027-03-02T09:00"))
        for report in try await reports().list() {
            let rows = try await reports().rows(of: report, ReportFilter(limit: 10))
            for place in 0..<rows.count { _ = try rows.values(at: place) }
            guard report.isPerAccount else { continue }
            _ = try await reports().rows(of: report, ReportFilter(account: account.id))
        }
    }

    @Test("an unknown report is refused, and the known ones are named")
    func unknown() async throws {
        let reports = try reports()
        for name in ["nothing", "", "dday\"; DROP SCHEMA report; --", "DDAY"] {
            let error = await #expect(throws: ReportError.self) { _ = try await reports.report(name) }
            #expect(error?.code == "unknown_report")
            #expect(error?.description.contains("watering_daily") == true)
        }
        #expect(try await service.count("SELECT count(*) FROM report.dday") == 0)
    }

    @Test("without their schema, reports are reported as missing")
    func missing() async throws {
        try await service.execute("DROP SCHEMA report CASCADE")
        let reports = try reports()
        await #expect(throws: SchemaError.reportsDiffer) { _ = try await reports.list() }
        #expect(SchemaError.reportsDiffer.code == "not_migrated")
        await #expect(throws: SchemaError.reportsDiffer) {
            _ = try await reports.figures(of: nil, days: 30, daysAhead: 30)
        }
    }

    // MARK: Values

    @Test("values of all types are read correctly")
    func types() async throws {
        try await service.execute(
            """
            CREATE VIEW report."odd ""zoo"" animals" AS SELECT
                1::smallint AS small, 123456789012345678901234567890.5 AS "big number", 0.5::double precision AS half,
                'NaN'::double precision AS none, true AS yes, date '2027-03-02' AS day,
                timestamptz '2027-03-02T09:00+09' AS at,
                '00000000-0000-0000-0000-000000000007'::uuid AS id, 'call'::contact_method AS method,
                ARRAY['a', NULL, '바다'] AS words, ARRAY[1, 2, 3]::bigint[] AS numbers, interval '90 minutes' AS pause,
                '{"a": 1}'::jsonb AS document, NULL::text AS nothing, NULL::integer AS no_number
            """)
        let report = try await reports().report("odd \"zoo\" animals")
        let kinds: [ReportColumn.Kind] = [
            .number, .number, .number, .number, .boolean, .day, .instant, .identifier, .text, .texts, .numbers, .text,
            .text, .text, .number,
        ]
        #expect(report.columns.map(\.kind) == kinds)
        let day = try civilDay("2027-03-02")
        let at = try instant("2027-03-02T00:00:00Z")
        let rows = try await values(of: "odd \"zoo\" animals")
        let row: [ReportValue?] = [
            .number("1"), .number("123456789012345678901234567890.5"), .number("0.5"), .number("NaN"), .boolean(true),
            .day(day), .instant(at), .text("00000000-0000-0000-0000-000000000007"), .text("call"), .texts(["a", "바다"]),
            .numbers(["1", "2", "3"]), .text("01:30:00"), .text("{\"a\": 1}"), nil, nil,
        ]
        #expect(rows == [row])
    }

    @Test("markers in comments are removed from the text and obeyed")
    func markers() async throws {
        try await service.execute(
            "CREATE VIEW report.marked AS SELECT n, 10 - n AS m, 'x' || n AS name FROM generate_series(1, 12) AS n")
        try await service.execute("COMMENT ON COLUMN report.marked.m IS 'How many. [bar] [ascending]'")
        let report = try await reports().report("marked")
        let column = try #require(report.columns.first { $0.name == "m" })
        #expect(column.explanation == "How many.")
        #expect(column.markers == [.bar, .ascending])
        // As numbers, not as texts.
        let shown = try await self.column("m", of: "marked", ReportFilter(limit: 3))
        #expect(shown == [.number("-2"), .number("-1"), .number("0")])
        try await service.execute("COMMENT ON COLUMN report.marked.m IS 'How many. [descending]'")
        let first = try await self.column("m", of: "marked", ReportFilter(limit: 2))
        #expect(first == [.number("9"), .number("8")])
    }

    // MARK: Filters

    /// Two accounts with waterings on 24 and 26 February.
    private func twoGardens() async throws -> (minji: Account, jisoo: Account) {
        let (minji, plant) = try await service.garden()
        let (jisoo, other) = try await service.garden(lane: Lane(9), email: "jisoo@example.com")
        for (reference, day) in [
            (plant.reference, "2027-02-24T12:00"), (plant.reference, "2027-02-26T12:00"),
            (other.reference, "2027-02-26T12:00"),
        ] {
            _ = try await service.store(at: seoul(day)).water(reference, WateringRequest(method: .call))
        }
        return (minji, jisoo)
    }

    @Test("account and days filter by their columns, newest day first")
    func filters() async throws {
        let (minji, jisoo) = try await twoGardens()
        let (early, late) = (try civilDay("2027-02-24"), try civilDay("2027-02-26"))
        func days(_ filter: ReportFilter) async throws -> [ReportValue?] {
            try await column("day", of: "watering_daily", filter)
        }
        let all = try await days(ReportFilter())
        #expect(all == [.day(late), .day(late), .day(early)])
        let own = try await days(ReportFilter(account: minji.id))
        #expect(own == [.day(late), .day(early)])
        let until = try await days(ReportFilter(account: minji.id, to: early))
        #expect(until == [.day(early)])
        let since = try await days(ReportFilter(account: jisoo.id, from: late, to: late))
        #expect(since == [.day(late)])
        let limited = try await days(ReportFilter(limit: 1))
        #expect(limited == [.day(late)])
        let nobody = try await days(ReportFilter(account: Account.ID(UUID.random(lane: 9))))
        #expect(nobody.isEmpty)
    }

    @Test("a filter without a matching column is refused, with what to leave out")
    func refused() async throws {
        let reports = try reports()
        let service = try await reports.report("service_watering_daily")
        let account = ReportFilter(account: Account.ID(UUID.random(lane: 7)))
        let first = ReportError.noColumn(report: service.name, filter: .account)
        await #expect(throws: first) { _ = try await reports.rows(of: service, account) }
        #expect(first.description.contains("--account"))
        let streaks = try await reports.report("streaks")
        let days = ReportFilter(from: try civilDay("2027-03-01"))
        let second = ReportError.noColumn(report: streaks.name, filter: .day)
        await #expect(throws: second) { _ = try await reports.rows(of: streaks, days) }
        #expect(second.description.contains("--from"))
        #expect(second.code == "filter_refused")
    }

    @Test("the reports use the engine's now")
    func now() async throws {
        _ = try await service.garden()
        func label(at now: String) async throws -> ReportValue? {
            let report = try await reports().report("dday")
            let place = try #require(report.columns.firstIndex { $0.name == "label" })
            return try await values(of: "dday", at: now).first?[place]
        }
        // 00:30 in Seoul is still the day before in UTC.
        #expect(try await label(at: "2027-03-02T00:30") == .text("D-DAY"))
        #expect(try await label(at: "2027-03-01T23:30") == .text("D-1"))
        #expect(try await label(at: "2027-03-05T23:30") == .text("D+3"))
    }

    // MARK: Accounts and figures

    @Test("an account named by its id is not looked up by name")
    func accounts() async throws {
        let (minji, _) = try await service.garden()
        let byEmail = try await reports().account("MINJI@example.com")
        #expect(byEmail.id == minji.id)
        #expect(byEmail.nickname == minji.nickname)
        let byID = try await reports().account(minji.id.description)
        #expect(byID.nickname == nil)
        #expect(byID.language == .korean)
        let today = try civilDay("2027-03-02")
        #expect(byID.today == today)
        let reports = try reports()
        for nobody in ["nobody@example.com", UUID.random(lane: 7).uuidString] {
            await #expect(throws: CareError.notFound(.account)) { _ = try await reports.account(nobody) }
        }
    }

    @Test("the figures of an account and of the service match their plants, waterings and pushes")
    func figures() async throws {
        let (minji, _) = try await twoGardens()
        try await service.run(at: seoul("2027-03-02T10:00"))
        let reports = try reports()
        let today = try civilDay("2027-03-02")
        let owner = try await reports.account(minji.id.description)
        let own = try await reports.figures(of: owner, days: 7, daysAhead: 7)
        #expect(own.today == today)
        #expect(own.firstDay == today + -6)
        #expect(own.lastDay == today + 6)
        let group = GardenFigures.Group(
            species: .americanBlue, stage: .sprout, thriving: 1, thirsty: 0, withered: 0, full: 0)
        #expect(own.groups == [group])
        // Watered on the 26th, with a cycle of 7.
        #expect(own.dueDays == [GardenFigures.DueDay(day: today + 3, plantCount: 1)])
        #expect(own.wateringDays.map(\.wateringCount) == [1, 1])
        #expect(own.rhythms == [GardenFigures.Rhythm(cycleDays: 7, plantCount: 1, medianGapDays: 2, longGapDays: 2)])
        #expect(own.keywords.isEmpty)
        let pushes = own.pushDays.reduce(0) { $0 + $1.pushCount }
        #expect(pushes > 0)

        let all = try await reports.figures(of: nil, days: 7, daysAhead: 7)
        #expect(all.groups.map(\.plantCount) == [2])
        #expect(all.dueDays.map(\.plantCount) == [2])
        #expect(all.wateringDays.map(\.wateringCount) == [1, 2])
        let allPushes = all.pushDays.reduce(0) { $0 + $1.pushCount }
        #expect(allPushes >= pushes)

        let shorter = try await reports.figures(of: owner, days: 5, daysAhead: 3)
        #expect(shorter.wateringDays.map(\.day) == [today + -4])
        #expect(shorter.dueDays.isEmpty)
    }

    @Test("for a large service, the rhythm is sampled from some lanes, and marked as such")
    func sampledRhythm() async throws {
        try await PastGarden.shared().restore(into: service)
        let reports = service.store(at: PastGarden.now).reports
        let all = try await reports.figures(of: nil, days: 7, daysAhead: 7)
        let plants = all.groups.map(\.plantCount).reduce(0, +)
        let some = try await reports.figures(of: nil, days: 7, daysAhead: 7, rhythmSample: plants / 4)
        for (figures, lanes, isSampled) in [(all, 256, false), (some, 256 * (plants / 4) / plants, true)] {
            let known = try await service.rows(
                """
                SELECT cycle_days, count(*) FROM report.contact_rhythm
                WHERE NOT is_archived AND lane < \(lanes) GROUP BY 1 ORDER BY 1
                """)
            #expect(figures.isRhythmSampled == isSampled)
            #expect(figures.rhythms.map { "\($0.cycleDays)|\($0.plantCount)" } == known)
        }
        #expect(some.rhythms.count > 3)
        #expect(some.rhythms.count < all.rhythms.count)
    }

    @Test("a user with access to the reports alone can read them and their figures")
    func asReader() async throws {
        let (minji, _) = try await service.garden()
        let role = "reader_\(TestDatabase.current.name)"
        _ = try await Roles(
            pool: service.pool, application: "app_\(TestDatabase.current.name)", reporting: role,
            account: "account_\(TestDatabase.current.name)"
        ).establish()
        let reports = ServiceUnderTest(role: role).store(at: try seoul("2027-03-02T10:00")).reports
        let names = try await reports.list().map(\.name)
        #expect(names.contains("dday"))
        let account = try await reports.account(minji.id.description)
        let rows = try await reports.rows(of: try await reports.report("dday"), ReportFilter(account: account.id))
        #expect(rows.count == 1)
        let figures = try await reports.figures(of: account, days: 30, daysAhead: 30)
        #expect(figures.groups.map(\.plantCount) == [1])
        await #expect(throws: PostgresError.self) { _ = try await reports.account("minji@example.com") }
    }
}
