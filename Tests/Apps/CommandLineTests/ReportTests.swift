import CherishTestSupport
import Foundation
import Postgres
import Testing

@Suite("Reports through the command line", .migratedDatabase)
struct ReportTests {
    private static let now = ["--now", "2027-03-02T10:00:00+09:00"]
    private let email = "minji@example.com"

    private func run(_ words: [String]) async throws -> ProgramResult {
        try await Program.cherish.run(["report"] + words + Self.now)
    }

    private func run(_ words: String...) async throws -> ProgramResult {
        try await run(words)
    }

    private func rows(_ words: String...) async throws -> [[String: Any]] {
        let result = try await run(words + ["--output", "json"])
        try #require(result.status == 0, "\(result.errors)")
        return try #require(try result.json()["rows"] as? [[String: Any]])
    }

    /// An account with two friends: 박지수, withered since 27 February, and 이서연, watered on the 25th and 28th.
    private func garden() async throws {
        func cherish(_ words: [String], at day: String) async throws -> [String: Any] {
            let result = try await Program.cherish.run(
                words + ["--output", "json", "--now", "2027-02-\(day)T10:00:00+09:00"])
            try #require(result.status == 0, "\(words): \(result.errors)")
            return try result.json()
        }
        _ = try await cherish(
            ["account", "add", "--email", email, "--nickname", "민지", "--time-zone", "Asia/Seoul", "--language", "ko"],
            at: "20")
        _ = try await cherish(
            ["friend", "add", email, "--name", "박지수", "--phone", "01012345678", "--cycle-days", "6"], at: "20")
        let plant = try await cherish(
            ["friend", "add", email, "--name", "이서연", "--phone", "01012345679", "--cycle-days", "20"], at: "20")
        let id = try #require(plant["id"] as? String)
        _ = try await cherish(["water", id, "--by", "call", "--keyword", "바다", "--memo", "제주"], at: "25")
        _ = try await cherish(["water", id, "--by", "message"], at: "28")
    }

    private func identifier() async throws -> String {
        let account = try await Program.cherish.json("account", "show", email)
        return try #require(account["id"] as? String)
    }

    // MARK: Listing

    @Test("without a name, all reports are listed with their descriptions")
    func list() async throws {
        let people = try await run()
        #expect(people.status == 0)
        let line = people.output.split(separator: "\n").first { $0.hasPrefix("overdue ") }
        #expect(line?.contains("withered today") == true)
        #expect(people.output.split(separator: "\n").count > 15)
        let document = try await run("--output", "json").json()
        let reports = try #require(document["reports"] as? [[String: Any]])
        #expect(reports.count == people.output.split(separator: "\n").count)
        #expect(reports.allSatisfy { Set($0.keys) == ["name", "description", "columns"] })
        let columns = try #require(reports.first?["columns"] as? [[String: Any]])
        #expect(columns.allSatisfy { Set($0.keys) == ["name", "type", "description"] })
        let table = try await run("--output", "csv").output
        #expect(table.hasPrefix("name,description\r\n"))
    }

    @Test("the columns of a report are listed with their meanings")
    func columns() async throws {
        let people = try await run("overdue", "--columns")
        let line = people.output.split(separator: "\n").first { $0.hasPrefix("days_overdue ") }
        #expect(line?.contains("Days since the due date") == true)
        #expect(!people.output.contains("["))
    }

    // MARK: Showing

    @Test("a report is a table for people, CSV with the view's column names, or JSON with typed values")
    func formats() async throws {
        try await garden()
        let account = try await identifier()
        let people = try await run("overdue")
        let lines = people.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4)
        #expect(lines[0].contains("DAYS") && lines[1].contains("OVERDUE"))
        #expect(lines[2].contains("american_blue") && lines[2].contains("2027-02-26"))
        #expect(!lines[0].contains("LANE"))

        let table = try await run("overdue", "--output", "csv").output
        #expect(table.hasPrefix("lane,account_id,plant_id,species,cycle_days,due_on,"))
        #expect(table.split(separator: "\r\n").count == 2)

        let row = try #require(try await rows("overdue").first)
        #expect(row["account_id"] as? String == account)
        #expect(row["days_overdue"] as? Int == 4)
        #expect(row["due_on"] as? String == "2027-02-26")
        #expect(row["last_watered_on"] is NSNull)
        #expect(row["is_favourite"] as? Bool == false)
        let cycles = try #require(row["cycles_overdue"] as? Double)
        #expect(abs(cycles - 4.0 / 6) < 1e-12)
    }

    @Test("a report without rows says so, and is an empty list in JSON")
    func noRows() async throws {
        #expect(try await run("affection_check").output.hasSuffix("no rows\n"))
        #expect(try await rows("affection_check").isEmpty)
        #expect(try await run("affection_check", "--output", "csv").output.split(separator: "\r\n").count == 1)
    }

    @Test("rows are filtered by account and days, and limited in number")
    func filters() async throws {
        try await garden()
        let all = try await rows("watering_daily")
        #expect(all.map { $0["day"] as? String } == ["2027-02-28", "2027-02-25"])
        #expect(try await rows("watering_daily", "--account", email).count == 2)
        #expect(try await rows("watering_daily", "--account", try await identifier()).count == 2)
        let early = try await rows("watering_daily", "--to", "2027-02-25")
        #expect(early.map { $0["day"] as? String } == ["2027-02-25"])
        let late = try await rows("service_watering_daily", "--from", "2027-02-26", "--to", "2027-02-28")
        #expect(late.map { $0["watering_count"] as? Int } == [1])
        let first = try await run("watering_daily", "--limit", "1")
        #expect(first.output.contains("2027-02-28") && !first.output.contains("2027-02-25"))
        #expect(first.output.hasSuffix("more rows follow; --limit shows more of them\n"))
        #expect(try await rows("watering_daily", "--limit", "1").count == 1)
        let own = try await run("watering_daily", "--account", email)
        #expect(!own.output.contains("ACCOUNT"))
    }

    /// A command's arguments, the code and exit status expected, and a word of the message.
    private static let refusals: [(words: [String], code: String, status: Int32, word: String)] = [
        (["xyzzy"], "unknown_report", 64, "watering_daily"),
        (["ddya"], "unknown_report", 64, "choose one of dday\n"),
        (["keyword_pairs"], "unknown_report", 64, "choose one of review_keyword_pairs, service_review_keyword_pairs\n"),
        (["dday\"; DROP SCHEMA report; --"], "unknown_report", 64, "dday"),
        (["service_watering_daily", "--account", "minji@example.com"], "filter_refused", 64, "leave out --account"),
        (["streaks", "--from", "2027-03-01"], "filter_refused", 64, "leave out --from"),
        (["dday", "--account", "nobody@example.com"], "not_found", 1, "account"),
        (["dday", "--from", "yesterday"], "usage", 64, "like 2027-03-02"),
        (["watering_daily", "--from", "2027-03-02", "--to", "2027-03-01"], "usage", 64, "after --to"),
        (["dday", "--limit", "0"], "usage", 64, "--limit"),
        (["--account", "minji@example.com"], "usage", 64, "name the report"),
        (["page"], "usage", 64, "--out"),
        (["page", "--out", "/nowhere/page.html"], "cannot_create", 73, "cannot be written"),
        (["page", "--out", "-", "--days", "0"], "usage", 64, "--days"),
        (["page", "--out", "-", "--language", "fr"], "usage", 64, "language"),
        (["page", "--out", "-", "--account", "nobody@example.com"], "not_found", 1, "account"),
    ]

    @Test("invalid arguments are refused with a remedy")
    func refused() async throws {
        try await garden()
        for refusal in Self.refusals {
            let result = try await run(refusal.words)
            #expect(result.status == refusal.status, "\(refusal.words): \(result.errors)")
            #expect(result.errors.hasPrefix("error: \(refusal.code):"), "\(refusal.words): \(result.errors)")
            #expect(result.errors.contains(refusal.word), "\(refusal.words): \(result.errors)")
            #expect(result.output.isEmpty, "\(refusal.words)")
        }
    }

    @Test("no line is wider than the terminal, whatever it contains; in a pipe nothing is cut")
    func terminal() async throws {
        try await garden()
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await pool.withConnection {
            try await $0.script(
                """
                CREATE VIEW report.wide AS SELECT number, 'watering_due' AS kind, repeat('가나다라', 10) AS hangul,
                    10.25 * number AS share, repeat('x', 50) AS text, ARRAY[1, 5, 10] AS trend, date '2027-03-01' + number AS day, number * 10 AS bar
                FROM generate_series(1, 3) AS number;
                COMMENT ON COLUMN report.wide.bar IS 'How many. [bar]';
                COMMENT ON COLUMN report.wide.trend IS 'Over time. [sparkline]';
                COMMENT ON COLUMN report.wide.number IS 'Which. [ascending] [sparkline]';
                """)
        }
        await pool.close()
        let piped = try await run("wide").output
        #expect(piped.contains(String(repeating: "가나다라", count: 10)))
        #expect(piped.contains(String(repeating: "x", count: 50)))
        #expect(piped.contains("▁▄█"))
        #expect(piped.contains("30 " + " " + String(repeating: "█", count: 10)))
        #expect(piped.contains("10.25") && piped.contains("30.75"))
        #expect(piped.contains("number  ▃▆█  2027-03-02 … 2027-03-04"))
        for columns in [40, 80, 100] {
            let output = try await onTerminal(["report", "wide"], columns: columns)
            let lines = output.split(whereSeparator: \.isNewline)
            #expect(lines.count >= 5)
            for line in lines {
                // Hangul takes two columns.
                let width = line.count + line.unicodeScalars.filter { (0xAC00...0xD7A3).contains($0.value) }.count
                #expect(width <= columns, "\(line)")
            }
            #expect(output.contains("…"))
            // Truncated words stay recognizable, and a column that is left out makes room for texts.
            #expect(output.contains("watering_due"))
        }
    }

    @Test("descriptions of reports and columns are never cut, however narrow the terminal", arguments: [40, 60, 100])
    func explanations(_ columns: Int) async throws {
        for command in [[], ["overdue", "--columns"]] {
            let output = try await onTerminal(["report"] + command, columns: columns)
            let widest = output.split(whereSeparator: \.isNewline).map(\.count).max() ?? 0
            #expect((1...columns).contains(widest))
            let piped = try await run(command).output
            #expect(output.split(whereSeparator: \.isWhitespace) == piped.split(whereSeparator: \.isWhitespace))
        }
    }

    @Test("a table shows instants to the second, a document exactly")
    func instants() async throws {
        try await garden()
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await pool.withConnection {
            try await $0.script("CREATE VIEW report.moment AS SELECT timestamptz '2027-03-01T23:16:21.897173Z' AS at")
        }
        await pool.close()
        #expect(try await run("moment").output.contains("2027-03-01T23:16:21Z\n"))
        #expect(try await rows("moment").first?["at"] as? String == "2027-03-01T23:16:21.897173Z")
    }

    /// What a command writes to a terminal of this many columns.
    private func onTerminal(_ words: [String], columns: Int) async throws -> String {
        let cherish = Program.directory.appendingPathComponent("cherish").path
        let command = ([cherish] + words + Self.now).map { "'\($0)'" }.joined(separator: " ")
        let environment = Program.cherish.environment.merging(["COLUMNS": "\(columns)"]) { $1 }
        let terminal = try RunningProgram(
            "/usr/bin/script", ["-qec", command, "/dev/null"],
            environment: environment)
        return await terminal.result().output
    }

    // MARK: The page

    @Test("a page of an account given by e-mail uses its nickname and language")
    func page() async throws {
        try await garden()
        try await withTemporaryFile("page.html") { file in
            let result = try await run("page", "--out", file.path, "--account", email)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == "written to \(file.path)\n")
            let page = try String(contentsOf: file, encoding: .utf8)
            #expect(page.hasPrefix("<!doctype html>\n<html lang=\"ko\">"))
            #expect(page.contains("민지님의 정원"))
            #expect(page.contains("바다"))
            for secret in ["박지수", "이서연", "01012345678", "+8210", email, "제주"] {
                #expect(!page.contains(secret), "\(secret)")
            }
            let again = try await run("page", "--out", "-", "--account", email)
            #expect(again.output == page)
        }
    }

    @Test("a page by id names nobody; a page of the service is English by default")
    func pagesOfOthers() async throws {
        try await garden()
        let own = try await run("page", "--out", "-", "--account", try await identifier(), "--language", "en").output
        #expect(own.contains("<html lang=\"en\">"))
        #expect(!own.contains("민지"))
        let all = try await run("page", "--out", "-").output
        #expect(all.contains("<html lang=\"en\">"))
        #expect(all.contains("All gardens"))
        // An empty service has a page too.
        _ = try await Program.cherish.run("account", "erase", email, "--yes")
        let empty = try await run("page", "--out", "-", "--days", "730")
        #expect(empty.status == 0)
        #expect(empty.output.contains("No friend is planted yet."))
    }

    @Test("the service's page omits keywords of fewer than five reviews")
    func keywordsOfFew() async throws {
        try await garden()
        for number in 1...5 {
            let words = ["--name", "친구 \(number)", "--phone", "0101234570\(number)", "--cycle-days", "20"]
            let added = try await Program.cherish.run(
                ["friend", "add", email, "--output", "json"] + words + Self.now)
            let id = try #require(try added.json()["id"] as? String)
            let keywords = ["--keyword", "여행"] + (number < 5 ? ["--keyword", "이직"] : [])
            let watered = try await Program.cherish.run(["water", id, "--by", "call"] + keywords + Self.now)
            #expect(watered.status == 0, "\(watered.errors)")
        }
        let service = try await run("page", "--out", "-", "--language", "ko").output
        #expect(service.contains("여행"))
        #expect(!service.contains("이직") && !service.contains("바다"))
        let own = try await run("page", "--out", "-", "--account", email).output
        #expect(own.contains("이직") && own.contains("바다"))
    }

    // MARK: Roles

    @Test("roles are created, their privileges printed, and readers can use the reports")
    func roles() async throws {
        try await garden()
        let account = try await identifier()
        let people = try await Program.cherish.run("database", "roles")
        #expect(people.status == 0, "\(people.errors)")
        #expect(people.output.contains("IN ROLE cherish_app"))
        #expect(people.output.contains("IN ROLE cherish_report"))
        #expect(people.output.contains("IN ROLE cherish_account"))
        let document = try await Program.cherish.json("database", "roles")
        #expect(Set(document.keys) == ["application", "reporting", "account", "made"])
        #expect((document["made"] as? [String])?.isEmpty == true)

        let reader = Program.cherish.with(["PGOPTIONS": "-c role=cherish_report"])
        let report = try await reader.run(["report", "overdue", "--account", account, "--output", "csv"] + Self.now)
        #expect(report.status == 0, "\(report.errors)")
        #expect(report.output.split(separator: "\r\n").count == 2)
        #expect(try await reader.run(["report", "page", "--out", "-"] + Self.now).status == 0)
        for command in [["account", "list"], ["friend", "list", email], ["tick"]] {
            let refused = try await reader.run(command)
            #expect(refused.status == 69, "\(command)")
            #expect(refused.errors.hasPrefix("error: missing_privilege:"), "\(command): \(refused.errors)")
            #expect(refused.errors.contains("cherish database roles"), "\(command)")
        }
        let session = Program.cherish.with(["PGOPTIONS": "-c role=cherish_account"])
        for words in [[], ["overdue"], ["page", "--out", "-"]] {
            let refused = try await session.run(["report"] + words)
            #expect(refused.status == 69, "\(words)")
            #expect(refused.errors.hasPrefix("error: missing_privilege:"), "\(words): \(refused.errors)")
        }
        let program = Program.cherish.with(["PGOPTIONS": "-c role=cherish_app"])
        #expect(try await program.run(["friend", "list", email] + Self.now).output.contains("박지수"))
        #expect(try await program.run(["tick"] + Self.now).status == 0)
        let refused = try await program.run("database", "roles")
        #expect(refused.status == 69)
        #expect(refused.errors.hasPrefix("error: missing_privilege:"))
    }

    @Test("the state of the reports is shown, and migrating repairs them")
    func states() async throws {
        let cherish = Program.cherish
        #expect(try await cherish.json("database", "status")["reports"] as? String == "current")
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await pool.withConnection { try await $0.script("DROP VIEW report.engine_health") }
        #expect(try await cherish.json("database", "status")["reports"] as? String == "outdated")
        // Commands that do not need the reports still work.
        #expect(try await cherish.run("account", "list").status == 0)
        #expect(try await cherish.json("database", "migrate")["reportsReplaced"] as? Bool == true)
        #expect(try await cherish.json("database", "migrate")["reportsReplaced"] as? Bool == false)
        #expect(try await cherish.json("database", "status")["reports"] as? String == "current")
        _ = try await pool.withConnection { try await $0.script("DROP SCHEMA report CASCADE") }
        await pool.close()
        let missing = try await cherish.run("report")
        #expect(missing.status == 69)
        #expect(missing.errors.contains("cherish database migrate"))
    }
}
