import CherishStore
import CherishTestSupport
import Foundation
import Postgres
import Testing

@Suite("Bad input", .migratedDatabase)
struct BadInputTests {
    private static let now = ["--now", "2027-03-01T10:00:00+09:00"]

    /// Makes an account with one friend of cycle 7 and returns the plant's id.
    private func garden() async throws -> String {
        let account = [
            "account", "add", "--email", "minji@example.com", "--nickname", "민지", "--time-zone", "Asia/Seoul",
        ]
        try await Program.cherish.run(account + Self.now)
        let friend = [
            "friend", "add", "minji@example.com", "--name", "박지수", "--phone", "01012345678", "--cycle-days", "7",
            "--output", "json",
        ]
        return try #require(try await Program.cherish.run(friend + Self.now).json()["id"] as? String)
    }

    /// Everything that commands could have changed, as text.
    private func contents() async throws -> String {
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        let tables = [
            "account", "account_email", "device", "device_token", "plant", "watering", "postponement", "cycle_change",
            "affection_entry",
            "erasure", "occurrence", "lane",
        ]
        let text = try await pool.withConnection { connection in
            var parts: [String] = []
            for table in tables {
                let rows = try await connection.query(
                    "SELECT coalesce(string_agg(row::text, E'\\n' ORDER BY row::text), '') FROM \(table) AS row")
                parts.append(try rows.first?.decode(0, as: String.self) ?? "")
            }
            return parts.joined(separator: "\n")
        }
        await pool.close()
        return text
    }

    /// The arguments of a command, and the code and exit status expected. PLANT stands for the plant's id.
    private static let refusals: [(words: String, code: String, status: Int32)] = [
        ("account add --email nobody --nickname A --time-zone Asia/Seoul", "invalid_email", 1),
        (
            "account add --email a@example.com --nickname 가나다라마바사아자차카타파하가나다라마바사 --time-zone Asia/Seoul",
            "invalid_nickname", 1
        ),
        ("account add --email a@example.com --nickname A --time-zone Asia/Pyeongchang", "invalid_time_zone", 1),
        ("account add --email a@example.com --nickname A --time-zone PST", "invalid_time_zone", 1),
        ("account add --email a@example.com --nickname A --time-zone ../../../etc/passwd", "invalid_time_zone", 1),
        ("account add --email MINJI@example.com --nickname A --time-zone Asia/Seoul", "duplicate_email", 1),
        ("account add --email a@example.com --nickname A --time-zone Asia/Seoul --phone abc", "invalid_phone", 1),
        ("account add --email a@example.com --nickname A --time-zone Asia/Seoul --language fr", "usage", 64),
        ("account show nobody@example.com", "not_found", 1),
        ("account erase minji@example.com", "usage", 64),
        ("account edit minji@example.com --time-zone Mars/Olympus", "invalid_time_zone", 1),
        ("friend add minji@example.com --name A --phone 01011112222 --cycle-days 0", "invalid_cycle", 1),
        ("friend add minji@example.com --name A --phone 01011112222 --cycle-days 91", "invalid_cycle", 1),
        ("friend add minji@example.com --name A --phone 01011112222 --cycle-days -7", "invalid_cycle", 1),
        (
            "friend add minji@example.com --name A --phone 01011112222 --cycle-days 99999999999999999999",
            "invalid_cycle", 1
        ),
        ("friend add minji@example.com --name A --phone 01011112222 --cycle-days seven", "usage", 64),
        ("friend add minji@example.com --name A --phone 1-800-FLOWERS --cycle-days 7", "invalid_phone", 1),
        ("friend add minji@example.com --name A --phone 010-1234-5678 --cycle-days 7", "duplicate_phone", 1),
        ("friend add minji@example.com --name \u{200B} --phone 01011112222 --cycle-days 7", "invalid_name", 1),
        (
            "friend add minji@example.com --name A --phone 01011112222 --cycle-days 7 --birthday 02-31",
            "invalid_birthday", 1
        ),
        (
            "friend add minji@example.com --name A --phone 01011112222 --cycle-days 7 --birthday 1993-02-29",
            "invalid_birthday", 1
        ),
        ("friend add minji@example.com --name A --phone 01011112222 --cycle-days 7 --alarm 24:00", "invalid_alarm", 1),
        ("friend add nobody@example.com --name A --phone 01011112222 --cycle-days 7", "not_found", 1),
        ("friend edit PLANT --name B", "identity_fixed", 1),
        ("friend edit PLANT --phone 01099998888", "identity_fixed", 1),
        ("friend show 00000000", "not_found", 1),
        ("friend show 1234567", "not_found", 1),
        ("friend show zzzzzzzz", "not_found", 1),
        ("postpone PLANT --days 3", "not_yet_due", 1),
        ("postpone PLANT --days 3 --now 2027-03-09T00:00:00+09:00", "withered", 1),
        ("postpone PLANT --days 0 --now 2027-03-08T10:00:00+09:00", "invalid_days", 1),
        ("postpone PLANT --days 8 --now 2027-03-08T10:00:00+09:00", "invalid_days", 1),
        ("water PLANT --by pigeon", "usage", 64),
        ("water PLANT --by call --on 2027-02-28", "watering_day_out_of_range", 1),
        ("water PLANT --by call --on 2027-03-02", "watering_day_out_of_range", 1),
        ("water PLANT --by call --on 2027-02-31", "usage", 64),
        (
            "water PLANT --by call --keyword a --keyword b --keyword c --keyword d --keyword e --keyword f --keyword g",
            "too_many_keywords", 1
        ),
        ("water PLANT --by call --keyword 여섯글자네요", "keyword_too_long", 1),
        ("water PLANT --by call --keyword \u{3000}", "keyword_empty", 1),
        ("water PLANT --by call --keyword 카페 --keyword \u{110F}\u{1161}\u{1111}\u{1166}", "keyword_repeated", 1),
        ("water PLANT --by call --memo \(String(repeating: "가", count: 101))", "memo_too_long", 1),
        ("water PLANT --by call --keyword a --no-review", "usage", 64),
        ("review write PLANT --keyword a", "not_found", 1),
        ("review write PLANT", "review_empty", 1),
        ("review delete PLANT --on 2027-03-01", "not_found", 1),
        ("device remove 00000000-0000-0000-0000-000000000000", "not_found", 1),
        ("device add minji@example.com --platform pager --token x", "usage", 64),
        ("tick --now yesterday", "usage", 64),
        ("garden", "usage", 64),
        ("", "", 0),
    ]

    @Test("each refusal has its code and exit status, and changes nothing")
    func refusals() async throws {
        let plant = try await garden()
        let before = try await contents()
        for refusal in Self.refusals {
            // Split on ASCII spaces only: ideographic and zero-width spaces above belong to arguments.
            let words = refusal.words.split(separator: " ").map { $0 == "PLANT" ? plant : String($0) }
            let now = words.contains("--now") || words.count < 2 ? [] : Self.now
            let result = try await Program.cherish.run(words + now)
            #expect(result.status == refusal.status, "\(refusal.words): \(result.errors)")
            #expect(result.code ?? "" == refusal.code, "\(refusal.words): \(result.errors)")
        }
        #expect(try await contents() == before)
    }

    @Test("a plan that reaches beyond the calendar is refused")
    func outsideCalendar() async throws {
        _ = try await garden()
        let before = try await contents()
        let result = try await Program.cherish.run(
            "friend", "add", "minji@example.com", "--name", "나래", "--phone", "01012345679",
            "--cycle-days", "7", "--now", "2120-03-01T10:00:00+09:00")
        #expect(result.code == "outside_calendar", "\(result.errors)")
        #expect(result.status == 65)
        #expect(try await contents() == before)
    }

    @Test("a removed plant can be shown, but not changed")
    func removed() async throws {
        let plant = try await garden()
        try await Program.cherish.run(["friend", "remove", plant] + Self.now)
        for words in [
            ["water", plant, "--by", "call"], ["postpone", plant, "--days", "1"],
            ["friend", "edit", plant, "--nickname", "A"], ["friend", "remove", plant],
        ] {
            let result = try await Program.cherish.run(words + Self.now)
            #expect(result.code == "archived", "\(words): \(result.errors)")
            #expect(result.status == 1)
        }
        #expect(try await Program.cherish.run("friend", "show", plant).status == 0)
    }

    @Test("an ambiguous id prefix is refused")
    func ambiguous() async throws {
        let plant = try await garden()
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        try await pool.withConnection { connection in
            // A twin whose id differs only in its last digits.
            try await connection.script(
                """
                INSERT INTO plant SELECT (jsonb_populate_record(plant, jsonb_build_object(
                    'id', left(id::text, 34) || CASE right(id::text, 2) WHEN '00' THEN '01' ELSE '00' END,
                    'phone', '+821099990000'))).* FROM plant
                """)
        }
        await pool.close()
        let result = try await Program.cherish.run("friend", "show", String(plant.prefix(8)))
        #expect(result.code == "ambiguous_id")
        #expect(try await Program.cherish.run("friend", "show", plant).status == 0)
    }

    @Test("arguments that are not UTF-8, such as lone surrogates, are refused")
    func brokenArguments() async throws {
        let plant = try await garden()
        let shell = Program(name: "cherish", environment: Program.cherish.environment)
        let before = try await contents()
        for bytes in ["\\355\\240\\200", "\\377", "\\300\\200"] {
            let program = Program.directory.appendingPathComponent("cherish").path
            let running = try RunningProgram(
                "/bin/sh",
                [
                    "-c", "exec \"$0\" water \"$1\" --by call --memo \"$(printf '\(bytes)')\"", program, plant,
                ],
                environment: shell.environment)
            let result = await running.result()
            #expect(result.status == 64)
            #expect(result.code == "usage")
        }
        #expect(try await contents() == before)
    }

    @Test("an unreadable file is refused as a whole")
    func unreadableFiles() async throws {
        _ = try await garden()
        let before = try await contents()
        try await withTemporaryFile("book") { file in
            func refuse(_ path: String, _ comment: Comment) async throws {
                let result = try await Program.cherish.run(["friend", "import", "minji@example.com", path] + Self.now)
                #expect(result.status == 65, comment)
                #expect(result.code == "unreadable_file", comment)
            }
            try await refuse(file.path, "no such file")
            try await refuse(file.deletingLastPathComponent().path, "a directory")
            try Data().write(to: file)
            try await refuse(file.path, "empty")
            try Data("\n \n".utf8).write(to: file)
            try await refuse(file.path, "blank")
            try Data("hello, world\n1,2\n".utf8).write(to: file)
            try await refuse(file.path, "no known columns")
            // 200 MB in one line.
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: Data("name,phone\n".utf8))
            let piece = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
            for _ in 0..<200 { try handle.write(contentsOf: piece) }
            try handle.close()
            try await refuse(file.path, "a line of 200 MB")
        }
        #expect(try await contents() == before)
    }

    @Test("bad contacts (NUL, broken UTF-8) are refused one by one; the others are imported")
    func refusedContacts() async throws {
        _ = try await garden()
        try await withTemporaryFile("book.csv") { file in
            var bytes = Data("name,phone\nGood,01011110001\nN\u{0}UL,01011110002\n".utf8)
            bytes += Data([0xED, 0xA0, 0x80]) + Data(",01011110003\nLetters,call me\nLast,01011110004\n".utf8)
            try bytes.write(to: file)
            let result = try await Program.cherish.run(
                ["friend", "import", "minji@example.com", file.path, "--output", "json"] + Self.now)
            #expect(result.status == 0)
            let report = try result.json()
            #expect(report["planted"] as? Int == 2)
            #expect(report["refused"] as? Int == 3)
            let codes = (report["rows"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
            #expect(codes == ["invalid_name", "unreadable_contact", "invalid_phone"])
        }
    }

    @Test("an invalid birthday or birthday calendar is a warning; the friend is imported without it")
    func birthdayWarnings() async throws {
        _ = try await garden()
        try await withTemporaryFile("book.csv") { file in
            let book = "name,phone,birthday,birthday_calendar\nAnn,01011110001,02-31,\nBen,01011110002,05-08,mayan\n"
            try Data(book.utf8).write(to: file)
            let errors = file.deletingLastPathComponent().appendingPathComponent("errors.csv")
            let words = ["friend", "import", "minji@example.com", file.path, "--errors", errors.path]
            let report = try await Program.cherish.run(words + ["--output", "json"] + Self.now).json()
            #expect(report["planted"] as? Int == 2)
            #expect(report["warnings"] as? Int == 2)
            let rows = try #require(report["rows"] as? [[String: Any]])
            let warnings = rows.filter { $0["result"] as? String == "warning" }
            #expect(warnings.map { $0["line"] as? Int } == [2, 3])
            #expect(warnings.map { $0["code"] as? String } == ["invalid_birthday", "invalid_birthday"])
            // Messages repeat dates, but no other text: it may be a memo in the wrong column.
            #expect((warnings.first?["message"] as? String)?.contains("\"02-31\"") == true)
            #expect(
                (warnings.last?["message"] as? String)?.hasPrefix("what the contact has there names no calendar")
                    == true)
            #expect((warnings.last?["remedy"] as? String)?.contains("solar, lunar or lunar-leap") == true)
            let table = try String(contentsOf: errors, encoding: .utf8)
            #expect(table.contains("Ben,01011110002,,05-08,mayan,"))
            let list = try await Program.cherish.run(
                ["friend", "list", "minji@example.com", "--output", "json"] + Self.now)
            let plants = try #require(try list.json()["plants"] as? [[String: Any]])
            #expect(plants.count == 3)
            #expect(plants.allSatisfy { $0["birthday"] is NSNull })
        }
    }

    @Test("the table of errors keeps all numbers and tags of a contact, so correcting it loses nothing")
    func allNumbersInErrors() async throws {
        _ = try await garden()
        try await withTemporaryFile("book.jsonl") { file in
            let book = #"{"phones": ["비공개", "010-1111-0001", "02-555-0001"], "tags": ["일, 공부", "친구"]}"#
            try Data(book.utf8).write(to: file)
            let errors = file.deletingLastPathComponent().appendingPathComponent("errors.csv")
            let command = ["friend", "import", "minji@example.com"]
            try await Program.cherish.run(command + [file.path, "--errors", errors.path] + Self.now)
            let table = try String(contentsOf: errors, encoding: .utf8)
            #expect(table.contains(",,비공개 ::: 010-1111-0001 ::: 02-555-0001,"))
            try Data(table.replacing(",,비공개", with: ",김지우,비공개").utf8).write(to: errors)
            let again = try await Program.cherish.run(command + [errors.path, "--output", "json"] + Self.now)
            #expect(try again.json()["planted"] as? Int == 1)
            let list = try await Program.cherish.json("friend", "list", "minji@example.com", "--search", "김지우")
            let plant = try #require((list["plants"] as? [[String: Any]])?.first)
            #expect(plant["phone"] as? String == "+821011110001")
            #expect(plant["tags"] as? [String] == ["일/ 공부", "친구"])
        }
    }

    @Test("control characters are replaced in text output and kept in JSON")
    func controlCharacters() async throws {
        _ = try await garden()
        try await withTemporaryFile("book.jsonl") { file in
            // The first writes to the clipboard, the second breaks its line.
            let book = #"""
                {"account": "minji@example.com", "name": "Evil\u001B]52;c;aGVsbG8=\u0007", "phone": "01011110001"}
                {"account": "minji@example.com", "name": "Two\nlines\u0000", "phone": "01011110002"}
                """#
            try Data(book.utf8).write(to: file)
            let importing = ["friend", "import", "minji@example.com", file.path] + Self.now
            for command in [importing, importing + ["--dry-run"], ["seed", file.path] + Self.now] {
                let people = try await Program.cherish.run(command)
                #expect(people.status == 0)
                let isHarmless = people.output.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0.properties.generalCategory != .control
                }
                #expect(isHarmless, "\(command)")
                #expect(people.output.contains("Evil\u{FFFD}]52;c;aGVsbG8=\u{FFFD}"), "\(command)")
                #expect(people.output.contains("Two\u{FFFD}lines\u{FFFD}"), "\(command)")
            }
            let report = try await Program.cherish.run(importing + ["--output", "json"]).json()
            let rows = try #require(report["rows"] as? [[String: Any]])
            #expect(rows.first?["name"] as? String == "Evil\u{1B}]52;c;aGVsbG8=\u{7}")
        }
    }

    @Test("an unwritable table of errors is reported before anything is imported")
    func unwritableErrors() async throws {
        _ = try await garden()
        let before = try await contents()
        try await withTemporaryFile("book.csv") { file in
            try Data("name,phone\nGood,01011110001\n".utf8).write(to: file)
            let folder = file.deletingLastPathComponent()
            for errors in [folder.path, folder.appendingPathComponent("missing/errors.csv").path] {
                let result = try await Program.cherish.run(
                    ["friend", "import", "minji@example.com", file.path, "--errors", errors] + Self.now)
                #expect(result.status == 73)
                #expect(result.code == "cannot_create")
                #expect(result.errors.contains("\(errors) cannot be written"))
            }
        }
        let after = try await contents()
        #expect(after == before)
    }

    @Test("a failed import leaves the table of errors unchanged")
    func untouchedErrors() async throws {
        _ = try await garden()
        try await withTemporaryFile("missing.csv") { file in
            let errors = file.deletingLastPathComponent().appendingPathComponent("errors.csv")
            let words = ["friend", "import", "minji@example.com", file.path, "--errors", errors.path] + Self.now
            let first = try await Program.cherish.run(words)
            #expect(first.code == "unreadable_file")
            #expect(!FileManager.default.fileExists(atPath: errors.path))
            try Data("earlier".utf8).write(to: errors)
            let second = try await Program.cherish.run(words)
            #expect(second.code == "unreadable_file")
            let kept = try String(contentsOf: errors, encoding: .utf8)
            #expect(kept == "earlier")
        }
    }

    @Test("an invalid setting is reported by name")
    func settings() async throws {
        for (variable, value) in [
            ("CHERISH_PUSH", "smoke-signals"), ("CHERISH_PUSH", "jsonl:"), ("CHERISH_LEASE_MILLISECONDS", "soon"),
            ("CHERISH_CONCURRENCY", "0"), ("CHERISH_LINK_SCHEME", "not a scheme"), ("CHERISH_LOG_LEVEL", "loud"),
            ("CHERISH_RETENTION_DAYS", "0"), ("CHERISH_RETENTION_DAYS", "3651"), ("CHERISH_RETENTION_DAYS", "a year"),
        ] {
            let result = try await Program.cherish.with([variable: value]).run("tick")
            #expect(result.status == 64, "\(variable)")
            #expect(result.code == "invalid_setting")
            #expect(result.errors.contains(variable))
        }
    }

    @Test("an unwritable push file makes pushes retry, not vanish")
    func unwritablePushFile() async throws {
        _ = try await garden()
        let now = "2027-03-08T09:00:00+09:00"
        let cherish = Program.cherish.with(["CHERISH_PUSH": "jsonl:/nowhere/pushes.jsonl"])
        #expect(try await cherish.json("tick", "--now", now)["retrying"] as? Int == 1)
        try await withTemporaryFile("pushes.jsonl") { file in
            let repaired = Program.cherish.with(["CHERISH_PUSH": "jsonl:\(file.path)"])
            let later = "2027-03-08T09:05:00+09:00"
            let tick = try await repaired.json("tick", "--now", later)
            #expect(tick["delivered"] as? Int == 1)
            #expect(lines(of: file).count == 1)
        }
    }

    @Test("a reader that closes the pipe ends the program silently, by SIGPIPE")
    func brokenPipe() async throws {
        let program = Program.directory.appendingPathComponent("cherish").path
        let shell = try RunningProgram(
            "/bin/bash",
            [
                "-c", #""$0" seed generate --accounts 50 | head -c 10 >/dev/null; echo "${PIPESTATUS[0]}""#, program,
            ], environment: Program.cherish.environment)
        let result = await shell.result()
        #expect(result.output == "141\n")
        #expect(result.errors == "")
    }
}
