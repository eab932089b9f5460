import CherishTestSupport
import Foundation
import Postgres
import Testing

@Suite("Seeding many accounts through the command line", .migratedDatabase)
struct SeedTests {
    private static let now = ["--now", "2027-03-01T10:00:00+09:00"]

    private func addAccount(_ email: String) async throws -> String {
        let account = try await Program.cherish.json(
            "account", "add", "--email", email, "--nickname", "A", "--time-zone", "Asia/Seoul")
        return try #require(account["id"] as? String)
    }

    private func run(_ arguments: [String]) async throws -> ProgramResult {
        try await Program.cherish.run(arguments + Self.now)
    }

    /// Seeds a file that must be readable, and returns the report.
    private func seed(_ file: URL, _ arguments: [String] = []) async throws -> [String: Any] {
        let result = try await run(["seed", file.path, "--output", "json"] + arguments)
        try #require(result.status == 0, "\(result.errors)")
        return try result.json()
    }

    private func seed(_ text: String, _ arguments: [String] = []) async throws -> [String: Any] {
        try await withTemporaryFile("seed") { file in
            try Data(text.utf8).write(to: file)
            return try await seed(file, arguments)
        }
    }

    /// The friends of an account, sorted by name.
    private func friends(of email: String) async throws -> [[String: Any]] {
        let list = try await run(["friend", "list", email, "--sort", "name", "--output", "json"])
        return try #require(try list.json()["plants"] as? [[String: Any]])
    }

    private func problems(_ report: [String: Any]) throws -> [[String: Any]] {
        try #require(report["problems"] as? [[String: Any]])
    }

    /// One value of each document.
    private func values<Value>(_ name: String, of documents: [[String: Any]], as type: Value.Type) -> [Value?] {
        documents.map { $0[name] as? Value }
    }

    private func texts(_ name: String, of documents: [[String: Any]]) -> [String?] {
        values(name, of: documents, as: String.self)
    }

    private func lineNumbers(of problems: [[String: Any]]) -> [Int?] {
        values("line", of: problems, as: Int.self)
    }

    /// Counts the lines of a table, which end in CR LF.
    private func rowCount(of table: URL) throws -> Int {
        try String(contentsOf: table, encoding: .utf8).split(whereSeparator: \.isNewline).count
    }

    // MARK: Tables

    @Test("a truncated document is an unreadable file, not a successful restore")
    func truncated() async throws {
        let whole = #"{"account": {"email": "minji@example.com", "nickname": "Minji", "timeZone": "Asia/Seoul"}}"#
        try await withTemporaryFile("backup.json") { file in
            try whole.dropLast(20).write(to: file, atomically: true, encoding: .utf8)
            let refused = try await run(["seed", file.path])
            #expect(refused.status == 65)
            #expect(refused.output.contains("unreadable_account"))
            try whole.write(to: file, atomically: true, encoding: .utf8)
            #expect(try await run(["seed", file.path]).status == 0)
        }
    }

    @Test("a table names accounts by id, or by e-mail in any case; an unknown one is refused with its line")
    func table() async throws {
        let minji = try await addAccount("minji@example.com")
        _ = try await addAccount("jisoo@example.com")
        let table = """
            account,name,phone,cycle_days
            Minji@Example.COM,박지수,010-1234-5678,3
            \(minji),이서연,010-1234-5679,
            jisoo@example.com,Linh,010-1234-5678,
            nobody@example.com,Ann,010-1234-5670,
            ,Ben,010-1234-5671,
            """
        let options = ["--no-spread", "--cycle-days", "5"]
        let report = try await seed(table, options)
        #expect(
            Set(report.keys) == [
                "accounts", "knownAccounts", "friends", "knownFriends", "tagsLeftOut", "problemCount", "problems",
            ])
        #expect(report["accounts"] as? Int == 0)
        #expect(report["friends"] as? Int == 3)
        #expect(report["problemCount"] as? Int == 2)
        let problems = try problems(report)
        let keys = problems.map { Set($0.keys) }
        #expect(keys == Array(repeating: ["line", "name", "code", "message", "remedy"], count: 2))
        #expect(lineNumbers(of: problems) == [5, 6])
        #expect(texts("name", of: problems) == ["Ann", "Ben"])
        #expect(texts("code", of: problems) == ["not_found", "not_found"])
        #expect((problems[0]["message"] as? String)?.contains("nobody@example.com") == true)
        #expect((problems[0]["remedy"] as? String)?.contains("--time-zone") == true)
        let garden = try await friends(of: "minji@example.com")
        #expect(texts("name", of: garden) == ["박지수", "이서연"])
        // Rule 1.4: three days, and five where the row has no cycle.
        #expect(texts("dueOn", of: garden) == ["2027-03-04", "2027-03-06"])

        let again = try await seed(table, options)
        #expect(again["friends"] as? Int == 0)
        #expect(again["knownFriends"] as? Int == 3)
        #expect(again["problemCount"] as? Int == 2)
    }

    @Test("--map names custom columns; without --no-spread, due dates are spread")
    func mappedColumns() async throws {
        _ = try await addAccount("minji@example.com")
        let rows = (1...40).map { "minji@example.com,Friend \($0),010-1234-\(5000 + $0),10" }
        let table = (["회원,성함,연락처,간격"] + rows).joined(separator: "\n")
        let map = ["--map", "account=회원,name=성함,phone=연락처,cycle_days=간격"]
        let report = try await seed(table, map)
        #expect(report["friends"] as? Int == 40)
        let garden = try await friends(of: "minji@example.com")
        #expect(garden.allSatisfy { $0["cycleDays"] as? Int == 10 })
        let days = Set(texts("dueOn", of: garden).compactMap { $0 })
        // Rule 1.9. All forty on one day is practically impossible.
        #expect(days.count > 1)
        #expect(days.allSatisfy { ("2027-03-02"..."2027-03-11").contains($0) })
    }

    @Test("--time-zone adds unknown accounts, each once, with a nickname from the e-mail")
    func newAccounts() async throws {
        let table = """
            account,name,phone
            ann@example.com,박지수,010-1234-5678
            Ann@Example.com,이서연,010-1234-5679
            ben@example.com,Linh,010-1234-5678
            no e-mail,Zed,010-1234-5670
            """
        let report = try await seed(table, ["--time-zone", "Asia/Seoul", "--language", "ko"])
        #expect(report["accounts"] as? Int == 2)
        #expect(report["friends"] as? Int == 3)
        let refused = try problems(report)
        #expect(lineNumbers(of: refused) == [5])
        #expect(texts("code", of: refused) == ["not_found"])
        let account = try await Program.cherish.json("account", "show", "BEN@example.com")
        #expect(account["nickname"] as? String == "ben")
        #expect(account["timeZone"] as? String == "Asia/Seoul")
        #expect(account["language"] as? String == "ko")
        // Phones are read in the country of the new account's zone.
        let garden = try await friends(of: "ann@example.com")
        #expect(texts("phone", of: garden) == ["+821012345678", "+821012345679"])
        let again = try await seed(table)
        #expect(again["accounts"] as? Int == 0)
        #expect(again["knownFriends"] as? Int == 3)
    }

    @Test("refused rows can be corrected in the table of errors and seeded")
    func correctedErrors() async throws {
        _ = try await addAccount("minji@example.com")
        let table = """
            account,name,phone,tags,birthday,favourite
            minji@example.com,박지수,call me,"가족, 친구",1994-05-21,true
            nobody@example.com,이서연,010-1234-5679,,,
            minji@example.com,Linh,010-1234-5670,,,
            """
        try await withTemporaryFile("problems.csv") { errors in
            let first = try await seed(table, ["--errors", errors.path])
            #expect(first["friends"] as? Int == 1)
            #expect(first["problemCount"] as? Int == 2)
            let written = try String(contentsOf: errors, encoding: .utf8)
            #expect(written.hasPrefix("line,what,why,how,account,name,phone,"))
            #expect(try rowCount(of: errors) == 1 + 2)
            let corrected = written.replacing("call me", with: "010-1234-5678").replacing("nobody@", with: "minji@")
            let second = try await seed(corrected)
            #expect(second["friends"] as? Int == 2)
            #expect(second["problemCount"] as? Int == 0)
        }
        let garden = try await friends(of: "minji@example.com")
        #expect(texts("name", of: garden) == ["Linh", "박지수", "이서연"])
        #expect(texts("birthday", of: garden) == [nil, "1994-05-21", nil])
        #expect(values("favourite", of: garden, as: Bool.self) == [false, true, false])
        #expect(values("tags", of: garden, as: [String].self) == [[], ["가족", "친구"], []])
    }

    @Test("the first hundred problems are shown; the table of errors has all of them")
    func manyProblems() async throws {
        _ = try await addAccount("minji@example.com")
        let rows = (1...150).map { "minji@example.com,Friend \($0),none" }
        let table = (["account,name,phone"] + rows + ["minji@example.com,Last,010-1234-5678"]).joined(separator: "\n")
        try await withTemporaryFile("members.csv") { file in
            try Data(table.utf8).write(to: file)
            let errors = file.deletingLastPathComponent().appendingPathComponent("problems.csv")
            let report = try await seed(file, ["--errors", errors.path])
            #expect(report["friends"] as? Int == 1)
            #expect(report["problemCount"] as? Int == 150)
            let shown = try problems(report)
            #expect(lineNumbers(of: shown) == Array(2...101))
            #expect(try rowCount(of: errors) == 1 + 150)
            let people = try await run(["seed", file.path])
            #expect(people.status == 0)
            #expect(people.output.contains("150 problems:"))
            #expect(people.output.contains("and 50 more"))
        }
    }

    @Test("a seed of more than 5,000 friends updates the planner's statistics")
    func analyzed() async throws {
        let count = 5_001
        _ = try await addAccount("minji@example.com")
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        try await pool.withConnection { connection in
            try await connection.script("ALTER TABLE plant SET (autovacuum_enabled = false)")
        }
        let rows = (1...count).map { "minji@example.com,Friend \($0),+8210\(20_000_000 + $0)" }
        let report = try await seed((["account,name,phone"] + rows).joined(separator: "\n"))
        #expect(report["friends"] as? Int == count)
        let known = try await pool.withConnection { connection in
            try await connection.query("SELECT reltuples::int8 FROM pg_class WHERE oid = 'plant'::regclass")
        }
        #expect(try known.first?.decode(0, as: Int.self) == count)
        await pool.close()
    }

    // MARK: JSON Lines

    /// A new account, an exported one, friends of both, and unusable lines; `exported` is one line.
    private func mixedLines(_ exported: String, owner: String) -> String {
        [
            """
            {"account": {"email": "minji@example.com", "nickname": "Minji", "timeZone": "Asia/Seoul"}, \
            "tags": [{"name": "family", "cycleDays": 3}], \
            "plants": [{"name": "박지수", "phone": "010-1234-5678", "tags": ["Family"]}]}
            """,
            exported,
            #"{"account": "Minji@example.com", "name": "이서연", "phone": "010-1234-5679", "cycleDays": 10}"#,
            "",
            #"{"account": "\#(owner)", "name": "Ann", "phone": "+81 3-1234-5678"}"#,
            #"{"account": "nobody@example.com", "name": "Ben", "phone": "010-1234-5670"}"#,
            #"{"account": 7}"#,
            "no JSON",
        ].joined(separator: "\n")
    }

    /// Pipes a file into the program, as people do.
    private func seedFromPipe(_ file: URL) async throws -> [String: Any] {
        let cherish = Program.cherish
        let path = Program.directory.appendingPathComponent(cherish.name).path
        let running = try RunningProgram(
            "/bin/sh",
            [
                "-c", "cat \"$1\" | \"$0\" seed - --no-spread --output json --now 2027-03-01T10:00:00+09:00", path,
                file.path,
            ],
            environment: cherish.environment)
        let result = await running.result()
        try #require(result.status == 0, "\(result.errors)")
        return try result.json()
    }

    @Test(
        "new accounts, exported ones and friends come from one file or from standard input",
        arguments: [false, true])
    func jsonLines(isPiped: Bool) async throws {
        let exported = try await run(["seed", "generate", "--accounts", "1", "--seed", "7"]).output
        let document = try JSONSerialization.jsonObject(with: Data(exported.utf8)) as? [String: Any]
        let garden = try #require(document)
        let owner = try #require((garden["account"] as? [String: Any])?["email"] as? String)
        let plantCount = try #require((garden["plants"] as? [Any])?.count)
        let text = mixedLines(exported.trimmingCharacters(in: .newlines), owner: owner)
        try await withTemporaryFile("seed.jsonl") { file in
            try Data(text.utf8).write(to: file)
            let report = try await isPiped ? seedFromPipe(file) : seed(file, ["--no-spread"])
            #expect(report["accounts"] as? Int == 2)
            #expect(report["friends"] as? Int == 1 + plantCount + 2)
            #expect(report["problemCount"] as? Int == 3)
            let refused = try problems(report)
            #expect(lineNumbers(of: refused) == [6, 7, 8])
            #expect(texts("code", of: refused) == ["not_found", "unreadable_account", "unreadable_account"])
            #expect((refused[1]["message"] as? String)?.hasPrefix("account") == true)
            let again = try await seed(file, ["--no-spread"])
            #expect(again["accounts"] as? Int == 0)
            #expect(again["knownAccounts"] as? Int == 2)
            #expect(again["friends"] as? Int == 0)
            #expect(again["knownFriends"] as? Int == 3)
        }
        let friends = try await friends(of: "minji@example.com")
        #expect(texts("name", of: friends) == ["박지수", "이서연"])
        #expect(values("tags", of: friends, as: [String].self) == [["family"], []])
        // Rule 9.4: three days by the tag.
        #expect(texts("dueOn", of: friends) == ["2027-03-04", "2027-03-11"])
    }

    @Test("an exported account is refused if its e-mail is taken or its time zone unknown; the others are added")
    func refusedAccounts() async throws {
        let gardens = try await run(["seed", "generate", "--accounts", "3", "--seed", "7"]).output
        let documents = gardens.split(separator: "\n")
        let second = try JSONSerialization.jsonObject(with: Data(documents[1].utf8)) as? [String: Any]
        let taken = try #require((second?["account"] as? [String: Any])?["email"] as? String)
        _ = try await addAccount(taken)
        let nowhere = #"{"account": {"email": "minji@example.com", "nickname": "A", "timeZone": "Mars/Olympus"}}"#
        let report = try await seed(gardens + nowhere)
        #expect(report["accounts"] as? Int == 2)
        let refused = try problems(report)
        #expect(lineNumbers(of: refused) == [2, 4])
        #expect(texts("code", of: refused) == ["duplicate_email", "invalid_time_zone"])
    }

    @Test("an erased account comes back from its multi-line export, byte for byte")
    func backFromExport() async throws {
        _ = try await addAccount("minji@example.com")
        _ = try await seed(
            """
            account,name,phone,tags
            minji@example.com,박지수,010-1234-5678,가족
            minji@example.com,Linh,+81 3-1234-5678,
            """)
        let export = ["export", "minji@example.com", "--format", "json"]
        let first = try await run(export).output
        #expect(first.hasPrefix("{\n"))
        let erased = try await run(["account", "erase", "minji@example.com", "--yes"])
        #expect(erased.status == 0)
        let report = try await seed(first)
        #expect(report["accounts"] as? Int == 1)
        #expect(report["friends"] as? Int == 2)
        let second = try await run(export).output
        #expect(second == first)
    }

    @Test("an account restored without a device that another account now has is reported, with a remedy")
    func takenPhone() async throws {
        for email in ["minji@example.com", "jun@example.com"] { _ = try await addAccount(email) }
        func addPhone(to email: String) async throws {
            let added = try await run(["device", "add", email, "--platform", "ios", "--token", "8f2c"])
            #expect(added.status == 0, "\(added.errors)")
        }
        try await addPhone(to: "minji@example.com")
        let export = try await run(["export", "minji@example.com", "--format", "json"]).output
        let erased = try await run(["account", "erase", "minji@example.com", "--yes"])
        #expect(erased.status == 0)
        try await addPhone(to: "jun@example.com")
        let report = try await seed(export)
        #expect(report["accounts"] as? Int == 1)
        #expect(report["problemCount"] as? Int == 1)
        let problems = try problems(report)
        #expect(lineNumbers(of: problems) == [1])
        #expect(texts("code", of: problems) == ["taken_device"])
        #expect((problems.first?["remedy"] as? String)?.contains("cherish device add") == true)
    }

    // MARK: Files

    @Test("a corrected table of errors may be seeded onto itself, and stays if the seed cannot begin")
    func errorsInPlace() async throws {
        _ = try await addAccount("minji@example.com")
        try await withTemporaryFile("problems") { table in
            let text = "account,name,phone\nminji@example.com,박지수,010-1234-5678\nminji@example.com,Ann,none\n"
            try Data(text.utf8).write(to: table)
            let report = try await seed(table, ["--errors", table.path])
            #expect(report["friends"] as? Int == 1)
            let left = try String(contentsOf: table, encoding: .utf8)
            #expect(left.contains("Ann,none") && !left.contains("박지수"))
            let refused = try await run(["seed", table.path + ".missing", "--errors", table.path])
            #expect(refused.status != 0)
            let kept = try String(contentsOf: table, encoding: .utf8)
            #expect(kept == left)
        }
    }

    @Test(
        "a refused account adds no friends, not even with --time-zone; excess tags are left out"
    )
    func refusedNewAccounts() async throws {
        let tags = (1...101).map { "{\"name\": \"tag \($0)\"}" }.joined(separator: ", ")
        let lines = """
            {"account": {"email": "minji@example.com", "nickname": "", "timeZone": "Asia/Seoul"}, \
            "plants": [{"name": "Ann", "phone": "010-1234-5678"}]}
            {"account": {"email": "jun@example.com", "nickname": "준", "timeZone": "Asia/Seoul"}, "tags": [\(tags)], \
            "plants": [{"name": "Ben", "phone": "010-1234-5678"}]}
            {"account": "jun@example.com", "name": "Eve", "phone": "010-1234-5679"}
            """
        let report = try await seed(lines, ["--time-zone", "Asia/Seoul"])
        let problems = try problems(report)
        #expect(lineNumbers(of: problems) == [1, 2])
        #expect(texts("code", of: problems) == ["invalid_nickname", "too_many_tags"])
        #expect(report["accounts"] as? Int == 1)
        let garden = try await friends(of: "jun@example.com")
        #expect(texts("name", of: garden) == ["Ben", "Eve"])
    }

    @Test("a friend may be called account, and have a tag of that name")
    func misleadingTexts() async throws {
        _ = try await addAccount("minji@example.com")
        let line =
            #"{"name": "account", "tags": ["account"], "phone": "010-1234-5678", "account" : "minji@example.com"}"#
        let report = try await seed(line)
        #expect(report["friends"] as? Int == 1)
    }

    @Test("an unreadable file is refused; an empty one adds nothing")
    func files() async throws {
        try await withTemporaryFile("seed") { file in
            func refuse(_ path: String, _ comment: Comment) async throws {
                let result = try await run(["seed", path])
                #expect(result.status == 65, comment)
                #expect(result.code == "unreadable_file", comment)
            }
            try await refuse(file.path, "no such file")
            try await refuse(file.deletingLastPathComponent().path, "a directory")
            try Data("hello, world\n1,2\n".utf8).write(to: file)
            try await refuse(file.path, "no known columns")
            for nothing in ["", " \n\n", "account,name,phone\n"] {
                try Data(nothing.utf8).write(to: file)
                let report = try await seed(file)
                #expect(report["friends"] as? Int == 0)
                #expect(report["problemCount"] as? Int == 0)
            }
        }
    }

    @Test("invalid options are reported before anything is seeded")
    func options() async throws {
        try await withTemporaryFile("members.csv") { file in
            try Data("account,name,phone\nann@example.com,Kim,010-1234-5678\n".utf8).write(to: file)
            let folder = file.deletingLastPathComponent().path
            for (words, code, status) in [
                (["--time-zone", "Mars/Olympus"], "invalid_time_zone", Int32(1)),
                (["--time-zone", "Asia/Seoul", "--cycle-days", "91"], "invalid_cycle", 1),
                (["--time-zone", "Asia/Seoul", "--map", "shoe=size"], "usage", 64),
                (["--time-zone", "Asia/Seoul", "--errors", folder], "cannot_create", 73),
            ] {
                let result = try await run(["seed", file.path] + words)
                #expect(result.code == code, "\(words): \(result.errors)")
                #expect(result.status == status, "\(words)")
            }
            let accounts = try await Program.cherish.json("account", "list")["accounts"] as? [Any]
            #expect(accounts?.isEmpty == true)
        }
    }
}
