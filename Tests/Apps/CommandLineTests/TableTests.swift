import CherishTestSupport
import Foundation
import Testing

/// Tables as opened in a spreadsheet, and read back.
@Suite("Tables", .migratedDatabase)
struct TableTests {
    private static let now = ["--now", "2027-03-01T10:00:00+09:00"]

    /// Names, nicknames and tags that begin like formulas, or like the escape that disarms them.
    private static let friends = [
        ("=HYPERLINK(\"x\")", "=SUM(A1)", "@home"), ("+Ann", "-1", "+plus"), ("'=quoted", "''@twice", "'-tag"),
        ("'tis", "'", "plain"), ("＝full", "＋width", "＠tag"),
    ]

    private func addAccount(_ email: String, nickname: String) async throws {
        let words = ["account", "add", "--email", email, "--nickname=\(nickname)", "--time-zone", "Asia/Seoul"]
        let result = try await Program.cherish.run(words + Self.now)
        try #require(result.status == 0, "\(result.errors)")
    }

    /// The rows as an independent program reads them.
    private func rowsByPython(_ table: URL) async throws -> [[String]] {
        let result = try await RunningProgram(
            "/usr/bin/env",
            [
                "python3", "-c",
                "import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], encoding='utf-8', newline='')))))",
                table.path,
            ]
        ).result()
        return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String]])
    }

    private func plants(of email: String) async throws -> [[String: Any]] {
        let list = try await Program.cherish.run(
            ["friend", "list", email, "--sort", "name", "--output", "json"] + Self.now)
        return try #require(try list.json()["plants"] as? [[String: Any]])
    }

    private func texts(_ name: String, of plants: [[String: Any]]) -> [String] {
        plants.map { $0[name] as? String ?? "none" }.sorted()
    }

    @Test("an exported table has no formulas, and keeps names, nicknames, phones and tags when imported")
    func exported() async throws {
        try await addAccount("a@example.com", nickname: "A")
        try await addAccount("b@example.com", nickname: "B")
        for tag in Set(Self.friends.map(\.2)) {
            try #require(
                try await Program.cherish.run(["tag", "add", "a@example.com", "--", tag]).status == 0, "\(tag)")
        }
        for (number, friend) in Self.friends.enumerated() {
            let words = [
                "friend", "add", "a@example.com", "--name=\(friend.0)", "--phone", "+82100000030\(number)",
                "--nickname=\(friend.1)", "--tag=\(friend.2)", "--cycle-days", "7",
            ]
            let result = try await Program.cherish.run(words + Self.now)
            try #require(result.status == 0, "\(words): \(result.errors)")
        }
        try await withTemporaryFile("friends.csv") { file in
            let export = ["export", "a@example.com", "--format", "csv", "--file", file.path]
            try #require(try await Program.cherish.run(export + Self.now).status == 0)
            let rows = try await rowsByPython(file)
            #expect(rows.count == 1 + Self.friends.count)
            #expect(Set(rows.map(\.count)) == [12])
            for cell in rows.joined() {
                #expect(!"=+-@\t\r＝＋－＠".contains(cell.first ?? "a"), "\(cell)")
            }
            #expect(rows.dropFirst().allSatisfy { $0[1].hasPrefix("'+8210000003") })

            let report = try await Program.cherish.run(
                ["friend", "import", "b@example.com", file.path, "--output", "json"] + Self.now)
            #expect(try report.json()["planted"] as? Int == Self.friends.count)
        }
        let (first, second) = (try await plants(of: "a@example.com"), try await plants(of: "b@example.com"))
        for name in ["name", "nickname", "phone"] {
            #expect(texts(name, of: first) == texts(name, of: second), "\(name)")
        }
        #expect(texts("nickname", of: second) == Self.friends.map(\.1).sorted())
        #expect(
            Set(second.compactMap { ($0["tags"] as? [String])?.first }) == Set(Self.friends.map(\.2)))
    }

    @Test("lists and reports as CSV escape formulas, but not negative numbers of our own")
    func lists() async throws {
        try await addAccount("a@example.com", nickname: "=1+1")
        let early = ["--now", "2027-02-01T10:00:00+09:00"]
        let friend = ["friend", "add", "a@example.com", "--name", "Ann", "--phone", "01012345678", "--cycle-days", "1"]
        let added = try await Program.cherish.run(friend + ["--output", "json"] + early)
        let plant = try #require(try added.json()["id"] as? String)
        try await withTemporaryFile("table.csv") { file in
            let accounts = try await Program.cherish.run(["account", "list", "--output", "csv"] + Self.now)
            try Data(accounts.output.utf8).write(to: file)
            #expect(try await rowsByPython(file).last?[2] == "'=1+1")
            let report = try await Program.cherish.run(["report", "dday", "--output", "csv"] + Self.now)
            try Data(report.output.utf8).write(to: file)
            let rows = try await rowsByPython(file)
            let column = try #require(rows.first?.firstIndex(of: "days_left"))
            #expect(rows.dropFirst().map { $0[column] } == ["-27"])
            let watered = try await Program.cherish.run(
                ["water", plant, "--by", "call", "--keyword==1+1", "--keyword=@b"] + Self.now)
            try #require(watered.status == 0, "\(watered.errors)")
            let keywords = try await Program.cherish.run(["report", "review_keywords", "--output", "csv"] + Self.now)
            try Data(keywords.output.utf8).write(to: file)
            let words = try await rowsByPython(file)
            let place = try #require(words.first?.firstIndex(of: "keyword"))
            #expect(words.dropFirst().map { $0[place] }.sorted() == ["'=1+1", "'@b"])
        }
    }

    @Test("a table of errors has no formulas, and is read back unchanged")
    func errors() async throws {
        try await addAccount("a@example.com", nickname: "A")
        try await withTemporaryFile("book.jsonl") { file in
            try Data(#"{"name": "=Ann", "phone": "+82 none", "nickname": "'-", "cycleDays": 7}"#.utf8).write(to: file)
            let table = file.deletingLastPathComponent().appendingPathComponent("errors.csv")
            let command = ["friend", "import", "a@example.com"]
            try await Program.cherish.run(command + [file.path, "--errors", table.path] + Self.now)
            let row = try #require(try await rowsByPython(table).last)
            #expect(Array(row[5...7]) == ["'=Ann", "'+82 none", "''-"])
            let corrected = try String(contentsOf: table, encoding: .utf8).replacing("82 none", with: "821000000301")
            try Data(corrected.utf8).write(to: table)
            let again = try await Program.cherish.run(command + [table.path, "--output", "json"] + Self.now)
            #expect(try again.json()["planted"] as? Int == 1)
        }
        let plant = try #require(try await plants(of: "a@example.com").first)
        #expect(plant["name"] as? String == "=Ann")
        #expect(plant["nickname"] as? String == "'-")
        #expect(plant["phone"] as? String == "+821000000301")
    }
}
