import CherishTestSupport
import Foundation
import Testing

/// Shopping lists through the command line (rule 11).
@Suite("11: shopping lists through the command line", .migratedDatabase)
struct ListCommandTests {
    private func run(_ arguments: String..., now: String = "2027-03-01T08:00:00+09:00") async throws -> ProgramResult {
        try await Program.cherish.run(arguments + ["--now", now])
    }

    private func importPostcodes(_ text: String, _ arguments: String...) async throws -> ProgramResult {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).txt")
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await Program.cherish.run(["postcode", "import", file.path] + arguments)
    }

    private func person(_ name: String, _ postcode: String) async throws {
        _ = try await run(
            "account", "add", "--email", "\(name)@example.com", "--nickname", name, "--time-zone", "Asia/Seoul")
        let edited = try await run(
            "account", "edit", "\(name)@example.com", "--postcode", postcode, "--country", "KR", "--output", "json")
        #expect(try edited.json()["country"] as? String == "KR")
    }

    private static let codes = """
        KR\t04524\tJung-gu\tSeoul\t11\t\t\t\t\t37.5665\t126.978\t4
        KR\t04525\tJung-gu\tSeoul\t11\t\t\t\t\t37.585\t126.978\t4
        KR\tno code!\tx\t\t\t\t\t\t\t1\t2\t
        US\t04524\tMaine\tMaine\t\t\t\t\t\t44\t-69\t1

        """

    @Test("from the import of postcodes to the rating, as an operator tries it")
    func way() async throws {
        let rehearsed = try await importPostcodes(Self.codes, "--dry-run")
        #expect(rehearsed.output.hasPrefix("would import 3 postcodes of 2 countries, in place of 0\nrefused line 3: "))
        let imported = try await importPostcodes(Self.codes, "--output", "json")
        #expect(try imported.json()["postcodesBefore"] as? Int == 0 && imported.json()["postcodesAfter"] as? Int == 3)
        #expect(try await importPostcodes("").code == "unreadable_file")
        try await person("minji", "04524")
        try await person("hana", "04525")
        let added = try await run(
            "list", "add", "minji@example.com", "--title", "Groceries", "--entry", "milk, 2 l", "--entry", "eggs",
            "--delivery-note", "at the door", "--output", "json")
        let list = try #require(try added.json()["id"] as? String)
        let short = String(list.prefix(8))
        #expect(try await run("list", "nearby", "hana@example.com").output.contains("no open list"))
        let opened = try await run("list", "open", short)
        #expect(opened.output.contains("🥕 Groceries   open") && opened.output.contains(" 1. [ ] milk, 2 l"))
        let nearby = try await run("list", "nearby", "hana@example.com", "--output", "csv")
        #expect(nearby.output == "LIST,OWNER,ENTRIES,HOURS LEFT,LESS THAN KM\r\n\(short),minji,2,168,4\r\n")
        #expect(try await run("list", "nearby", "hana@example.com", "--radius", "51").code == "invalid_radius")
        #expect(try await run("list", "accept", short, "--as", "minji@example.com").code == "own_list")
        #expect(
            try await run("list", "accept", short, "--as", "hana@example.com").output.contains("leave it  at the door"))
        #expect(try await run("list", "bought", short, "2", "--as", "hana@example.com").output.contains(" 2. [x] eggs"))
        #expect(try await run("list", "bought", short, "3", "--as", "hana@example.com").code == "no_such_entry")
        #expect(try await run("list", "list", "hana@example.com", "--helping").output.contains(short))
        #expect(try await run("list", "deliver", short, "--as", "hana@example.com").status == 0)
        #expect(try await run("list", "rate", short, "6").code == "invalid_rating")
        #expect(try await run("list", "rate", short, "5").output.contains("rated     5"))
        #expect(try await run("list", "cancel", short).code == "list_delivered")
    }

    @Test("an operator reads what was reported, closes a list and bars an account, and finds it on the record")
    func abuse() async throws {
        _ = try await importPostcodes(Self.codes)
        try await person("minji", "04524")
        try await person("hana", "04525")
        #expect(try await run("list", "reports").output.contains("nobody has reported a list"))
        let added = try await run(
            "list", "add", "minji@example.com", "--title", "Cash", "--entry", "x", "--output", "json")
        let list = try #require(try added.json()["id"] as? String)
        _ = try await run("list", "open", list)
        _ = try await run("list", "report", list, "--as", "hana@example.com", "--reason", "asks for money")
        #expect(try await run("list", "reports").output.contains("asks for money"))
        #expect(
            try await run("list", "close", list, "--because", "asks for money").output.contains("the list is closed"))
        #expect(try await run("list", "show", list).output.contains("Cash   cancelled"))
        _ = try await run("list", "bar", "hana@example.com", "--because", "kept the shopping")
        #expect(try await run("list", "nearby", "hana@example.com").code == "barred_from_helping")
        _ = try await run("list", "bar", "hana@example.com", "--lift", "--because", "a mistake")
        #expect(try await run("list", "nearby", "hana@example.com").output.contains("no open list"))
        let measures = try await run("list", "measures", "--output", "csv")
        #expect(measures.output.split(separator: "\r\n").count == 4)
        _ = try await run("list", "block", list, "--as", "hana@example.com")
        let blocks = try await run("list", "blocks", "hana@example.com", "--output", "csv")
        let block = try #require(blocks.output.split(separator: "\r\n").last?.split(separator: ",").first)
        #expect(try await run("list", "unblock", String(block), "--as", "hana@example.com").status == 0)
        #expect(try await run("list", "blocks", "hana@example.com").output.contains("nobody is blocked"))
    }
}
