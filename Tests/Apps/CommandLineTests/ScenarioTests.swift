import CherishTestSupport
import Foundation
import Postgres
import Testing

@Suite("A garden through the command line", .migratedDatabase)
struct ScenarioTests {
    private let email = "minji@example.com"

    private func addAccount(zone: String = "Asia/Seoul") async throws {
        _ = try await Program.cherish.json(
            "account", "add", "--email", email, "--nickname", "민지", "--time-zone", zone, "--language", "ko",
            "--now", "2027-03-01T10:00:00+09:00")
    }

    private func addFriend(_ arguments: String..., now: String = "2027-03-01T10:00:00+09:00") async throws -> [String:
        Any]
    {
        let result = try await Program.cherish.run(
            ["friend", "add", email, "--output", "json", "--now", now] + arguments)
        try #require(result.status == 0, "\(result.errors)")
        return try result.json()
    }

    @Test("every JSON document has all its keys, even those without a value")
    func jsonNames() async throws {
        try await addAccount()
        let plant = try await addFriend("--name", "박지수", "--phone", "010-1234-5678", "--cycle-days", "7")
        let plantNames: Set<String> = [
            "id", "accountId", "name", "nickname", "phone", "birthday", "species", "cycleDays", "alarmTime",
            "plantedOn",
            "lastWateredOn", "dueOn", "originalDueOn", "withersOn", "pausedUntil", "daysLeft", "label", "condition",
            "gauge", "affection", "stage", "full", "phrase",
            "wateringCount", "postponementCount", "pushesEnabled", "favourite", "tags", "archivedAt",
            "version", "modifiedAt",
        ]
        #expect(Set(plant.keys) == plantNames)
        #expect(plant["phone"] as? String == "+821012345678")
        #expect(plant["dueOn"] as? String == "2027-03-08")
        #expect(plant["species"] as? String == "american_blue")
        #expect(plant["birthday"] is NSNull)
        let id = try #require(plant["id"] as? String)
        let now = "2027-03-02T10:00:00+09:00"

        let watered = try await Program.cherish.json("water", id, "--by", "call", "--keyword", "커피", "--now", now)
        let watering = try #require(watered["watering"] as? [String: Any])
        #expect(
            Set(watering.keys) == [
                "id", "plantId", "wateredOn", "method", "pointsGained", "keywords", "memo", "reviewDeclined",
            ])
        #expect(watering["pointsGained"] as? Int == 16)
        #expect(Set(try #require(watered["plant"] as? [String: Any]).keys) == plantNames)

        let shown = try await Program.cherish.json("friend", "show", String(id.prefix(8)), "--now", now)
        #expect(Set(shown.keys) == plantNames.union(["reviews", "keywords"]))
        #expect(shown["keywords"] as? [String] == ["커피"])

        let calendar = try await Program.cherish.json("calendar", id, "--now", now, "--to", "2027-03-20")
        let days = try #require(calendar["days"] as? [[String: Any]])
        #expect(days.map { $0["kind"] as? String } == ["watered", "due", "projected"])
        #expect(days.allSatisfy { Set($0.keys) == ["day", "kind", "method", "keywords", "memo"] })

        let statistics = try await Program.cherish.json("stats", email)
        #expect(Set(statistics.keys) == ["plantCount", "wateringCount", "postponementCount", "fullCount"])
        let tick = try await Program.cherish.json("tick", "--now", "2027-03-09T09:00:00+09:00")
        #expect(
            Set(tick.keys) == ["enqueued", "delivered", "superseded", "suppressed", "expired", "retrying", "dead"])
        let pushes = try #require(try await Program.cherish.json("push", "list", email)["pushes"] as? [[String: Any]])
        #expect(
            pushes.allSatisfy {
                Set($0.keys) == [
                    "lane", "seq", "plantId", "subject", "subjectId", "kind", "occursOn", "plannedAt", "expiresAt",
                    "outcome", "reason", "finishedAt",
                ]
            })
        #expect(pushes.map { $0["outcome"] as? String } == ["superseded", "delivered"])
        #expect(pushes[0]["seq"] is NSNull)
    }

    @Test("weeks of care: a D-day passes, a push goes out, the friend is watered, reviewed, postponed and missed")
    func weeks() async throws {
        try await addAccount()
        let id = try #require(
            try await addFriend("--name", "박지수", "--phone", "01012345678", "--cycle-days", "7")["id"] as? String)
        try await withTemporaryFile("pushes.jsonl") { file in
            let cherish = Program.cherish.with(["CHERISH_PUSH": "jsonl:\(file.path)"])
            func tick(_ now: String) async throws -> Int? {
                try await cherish.json("tick", "--now", now)["delivered"] as? Int
            }
            #expect(try await tick("2027-03-08T08:59:59+09:00") == 0)
            #expect(try await tick("2027-03-08T09:00:00+09:00") == 1)
            #expect(try await tick("2027-03-08T09:00:00+09:00") == 0)
            let line = try #require(lines(of: file).first)
            let push = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(
                Set(push.keys) == [
                    "accountId", "plantId", "kind", "occursOn", "title", "body", "link", "deviceToken", "collapseId",
                    "sentAt", "subject", "subjectId",
                ])
            #expect(push["title"] as? String == "박지수가 물을 기다려요")
            #expect(push["occursOn"] as? String == "2027-03-08")

            let postponed = try await cherish.json("postpone", id, "--days", "3", "--now", "2027-03-08T10:00:00+09:00")
            #expect(postponed["dueOn"] as? String == "2027-03-11")
            #expect(postponed["label"] as? String == "D-3")
            #expect(try await tick("2027-03-11T09:00:00+09:00") == 1)
            // Nobody calls: no second push, and it withers.
            #expect(try await tick("2027-03-13T09:00:00+09:00") == 0)
            let withered = try await cherish.json("friend", "show", id, "--now", "2027-03-13T09:00:00+09:00")
            #expect(withered["condition"] as? String == "withered")
            #expect(withered["label"] as? String == "D+2")
            _ = try await cherish.json("water", id, "--by", "message", "--now", "2027-03-13T12:00:00+09:00")
            #expect(try await tick("2027-03-13T12:29:59+09:00") == 0)
            #expect(try await tick("2027-03-13T12:30:00+09:00") == 1)
            let reviewed = try await cherish.json(
                "review", "write", id, "--keyword", "여행", "--memo", "제주", "--now", "2027-03-13T13:00:00+09:00")
            #expect((reviewed["watering"] as? [String: Any])?["pointsGained"] as? Int == 24)
            #expect(lines(of: file).count == 3)
            let statistics = try await cherish.json("stats", email)
            #expect(statistics["wateringCount"] as? Int == 1)
            #expect(statistics["postponementCount"] as? Int == 1)
            let explained = try await cherish.json(
                "push", "explain", id, "--on", "2027-03-11", "--now", "2027-03-14T09:00:00+09:00")
            let sentences = try #require(explained["explanation"] as? [String])
            #expect(sentences.first?.contains("delivered") == true)
        }
    }

    @Test("tick writes pushes to standard output, or to standard error next to a JSON document")
    func tickOutput() async throws {
        try await addAccount()
        _ = try await addFriend("--name", "박지수", "--phone", "01012345678", "--cycle-days", "1")
        _ = try await addFriend("--name", "이서연", "--phone", "01012345679", "--cycle-days", "2")
        let people = try await Program.cherish.run("tick", "--now", "2027-03-02T09:00:00+09:00")
        #expect(people.output.contains("push watering_due 2027-03-02: 박지수가 물을 기다려요"))
        let document = try await Program.cherish.run("tick", "--now", "2027-03-03T09:00:00+09:00", "--output", "json")
        #expect(try document.json()["delivered"] as? Int == 1)
        #expect(document.errors.contains("이서연이 물을 기다려요"))
    }

    @Test("refused contacts can be corrected in the table of errors and imported; an import can be undone once")
    func correctedAndUndone() async throws {
        try await addAccount()
        let errors = FileManager.default.temporaryDirectory.appendingPathComponent("errors-\(UUID().uuidString).csv")
        defer { try? FileManager.default.removeItem(at: errors) }
        let broken = fixtures.appendingPathComponent("address-books/broken.csv").path
        let first = try await Program.cherish.json("friend", "import", email, broken, "--errors", errors.path)
        let refused = try #require(first["refused"] as? Int)
        #expect(refused > 3)
        let table = try String(contentsOf: errors, encoding: .utf8)
        #expect(table.hasPrefix("line,what,why,how,account,name,phone"))
        // Fill in the missing phone.
        let corrected = table.replacing("전화 없음,,", with: "전화 없음,010-0000-0599,")
        try Data(corrected.utf8).write(to: errors)
        let again = try await Program.cherish.json("friend", "import", email, errors.path)
        #expect(again["planted"] as? Int == 1)
        let second = try #require(again["importId"] as? String)
        #expect(try await Program.cherish.json("import", "undo", second)["deleted"] as? Int == 1)
        let batch = try #require(first["importId"] as? String)
        let undone = try await Program.cherish.json("import", "undo", batch)
        #expect(undone["deleted"] as? Int == first["planted"] as? Int)
        #expect(try await Program.cherish.run("import", "undo", batch).errors.hasPrefix("error: import_undone:"))
        #expect(try await Program.cherish.json("stats", email)["plantCount"] as? Int == 0)
    }

    @Test("generated gardens are added once, and exported in all formats")
    func seedAndExport() async throws {
        let seed = FileManager.default.temporaryDirectory.appendingPathComponent("seed-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: seed) }
        let now = ["--now", "2027-03-01T10:00:00+09:00"]
        let gardens = try await Program.cherish.run(["seed", "generate", "--accounts", "3", "--seed", "7"] + now)
        try Data(gardens.output.utf8).write(to: seed)
        let first = try await Program.cherish.json("seed", seed.path)
        #expect(first["accounts"] as? Int == 3)
        let second = try await Program.cherish.json("seed", seed.path)
        #expect(second["accounts"] as? Int == 0)
        #expect(second["knownAccounts"] as? Int == 3)
        let accounts = try #require(try await Program.cherish.json("account", "list")["accounts"] as? [[String: Any]])
        let owner = try #require(accounts.first?["email"] as? String)
        for (format, beginning) in [("csv", "name,phone"), ("vcard", "BEGIN:VCARD\r\n"), ("ical", "BEGIN:VCALENDAR")] {
            let exported = try await Program.cherish.run("export", owner, "--format", format)
            #expect(exported.output.hasPrefix(beginning))
        }
    }

    @Test("importing the same address books again adds nothing; a removed friend comes back only on request")
    func importAgain() async throws {
        try await addAccount()
        for (file, planted) in [("iphone.vcf", 11), ("google-contacts.csv", 10), ("friends.csv", 10)] {
            let path = fixtures.appendingPathComponent("address-books/\(file)").path
            let dry = try await Program.cherish.json("friend", "import", email, path, "--dry-run")
            let first = try await Program.cherish.json("friend", "import", email, path)
            #expect(dry["planted"] as? Int == first["planted"] as? Int)
            // friends.csv has one of the others under another name.
            #expect((first["planted"] as? Int ?? 0) + (first["renamed"] as? Int ?? 0) == planted, "\(file)")
            let second = try await Program.cherish.json("friend", "import", email, path)
            #expect(second["planted"] as? Int == 0)
            #expect(second["unchanged"] as? Int == planted)
        }
        let path = fixtures.appendingPathComponent("address-books/friends.csv").path
        let garden = try await Program.cherish.json("friend", "list", email, "--search", "010-0000-0301")
        let plants = try #require(garden["plants"] as? [[String: Any]])
        try #require(plants.count == 1)
        let id = try #require(plants[0]["id"] as? String)
        #expect(try await Program.cherish.json("friend", "remove", id)["archivedAt"] is String)
        let without = try await Program.cherish.json("friend", "import", email, path)
        #expect(without["skipped"] as? Int == 1)
        let restored = try await Program.cherish.json("friend", "import", email, path, "--restore")
        #expect(restored["restored"] as? Int == 1)
        #expect(try await Program.cherish.json("friend", "show", id)["archivedAt"] is NSNull)
    }

    /// Imports an address book on 1 March.
    private func importBook(_ book: String, _ options: [String] = []) async throws -> [String: Any] {
        let result = try await withTemporaryFile("book") { file in
            try Data(book.utf8).write(to: file)
            let words = ["friend", "import", email, file.path, "--now", "2027-03-01T10:00:00+09:00"]
            return try await Program.cherish.run(words + ["--output", "json"] + options)
        }
        try #require(result.status == 0, "\(result.errors)")
        return try result.json()
    }

    /// The plants of `friend list`, in its order.
    private func listed(_ options: [String] = []) async throws -> [[String: Any]] {
        let result = try await Program.cherish.run(["friend", "list", email, "--output", "json"] + options)
        try #require(result.status == 0, "\(result.errors)")
        return try #require(try result.json()["plants"] as? [[String: Any]])
    }

    @Test("--map, --cycle-column and --day-first define a table's columns; lunar birthdays become solar")
    func namedColumns() async throws {
        try await addAccount()
        let book = """
            성함,연락처,며칠마다,태어난 날,음양
            김지우,010-1111-0001,14,05/06/1994,양
            박순자,010-1111-0002,30,1948-04-08,음
            이서연,010-1111-0003,,05-21,
            정달님,010-1111-0004,,04-08,음
            최윤달,010-1111-0005,,2001-04-08,윤달
            """
        let report = try await importBook(
            book,
            [
                "--map", "name=성함,phone=연락처,birthday=태어난 날,birthday_calendar=음양", "--cycle-column", "며칠마다",
                "--day-first",
            ])
        #expect(report["planted"] as? Int == 5)
        let rows = try #require(report["rows"] as? [[String: Any]])
        let codes = rows.compactMap { $0["code"] as? String }
        #expect(codes == ["lunar_birthday"])
        let plants = try await listed(["--sort", "name"])
        let cycles = plants.map { $0["cycleDays"] as? Int }
        #expect(cycles == [14, 30, 7, 7, 7])
        // By the observatory's tables in fixtures/lunar, the fourth months of 1948 and 2027 began on 9 and 6 May, the
        // leap month of 2001 on 23 May.
        let birthdays = plants.map { $0["birthday"] as? String }
        #expect(birthdays == ["1994-06-05", "1948-05-16", "05-21", "05-13", "2001-05-30"])
    }

    @Test("1.9: 30 new friends spread over a week, with --no-spread on one day; 7 on one day, with --spread over all")
    func spreading() async throws {
        try await addAccount()
        let week = (2...8).map { "2027-03-0\($0)" }
        let expectations: [(count: Int, options: [String], dueDates: [String])] = [
            (30, [], week), (30, ["--no-spread"], ["2027-03-08"]), (7, [], ["2027-03-08"]), (7, ["--spread"], week),
        ]
        for (count, options, expected) in expectations {
            let friends = (0..<count).map { "Friend \($0),010-1111-\(1000 + $0)" }
            let book = (["name,phone"] + friends).joined(separator: "\n")
            let report = try await importBook(book, ["--dry-run"] + options)
            let rows = try #require(report["rows"] as? [[String: Any]])
            #expect(rows.count == count)
            let dueDates = Set(rows.compactMap { $0["dueOn"] as? String }).sorted()
            #expect(dueDates == expected, "\(count) \(options)")
        }
    }

    @Test("9.6: the list of friends can be filtered by favourites and tags, and sorted")
    func listOfFriends() async throws {
        try await addAccount()
        _ = try await importBook(
            """
            {"name": "Bob", "phone": "010-1111-0001", "cycleDays": 5, "tags": ["family"], "favourite": true}
            {"name": "alice", "phone": "010-1111-0002", "cycleDays": 6, "tags": ["family", "work"]}
            {"name": "Carol", "phone": "010-1111-0003", "cycleDays": 7, "favourite": true}
            {"name": "dave", "phone": "010-1111-0004", "cycleDays": 8}
            """)
        let expectations: [(options: [String], names: [String])] = [
            ([], ["Bob", "alice", "Carol", "dave"]), (["--favourites"], ["Bob", "Carol"]),
            (["--tag", "FAMILY"], ["Bob", "alice"]), (["--tag", "family", "--tag", "work"], ["alice"]),
            (["--favourites", "--tag", "family"], ["Bob"]),
            (["--sort", "name"], ["alice", "Bob", "Carol", "dave"]),
            (["--sort", "favourite"], ["Bob", "Carol", "alice", "dave"]),
        ]
        for (options, expected) in expectations {
            let names = try await listed(options).compactMap { $0["name"] as? String }
            #expect(names == expected, "\(options)")
        }
        let unknown = try await Program.cherish.run("friend", "list", email, "--tag", "sports")
        #expect(unknown.code == "not_found")
    }

    @Test("--merge combines contacts of one person once; the same file again adds nothing")
    func merging() async throws {
        try await addAccount()
        let book = "name,phone,birthday\n김지우,010-1111-0001,\n김지우,010-1111-0001,05-21"
        let first = try await importBook(book, ["--merge"])
        #expect(first["planted"] as? Int == 1)
        #expect(first["merged"] as? Int == 1)
        let birthdays = try await listed().map { $0["birthday"] as? String }
        #expect(birthdays == ["05-21"])
        let second = try await importBook(book, ["--merge"])
        #expect(second["merged"] as? Int == 0)
        #expect(second["unchanged"] as? Int == 1)
        #expect(second["skipped"] as? Int == 1)
        #expect(second["importId"] is NSNull)
        let rows = try #require(second["rows"] as? [[String: Any]])
        #expect((rows.last?["message"] as? String)?.contains("line 2") == true)
        #expect(rows.last?["remedy"] is NSNull, "already merged")
    }

    @Test("Thousands of plants due in the same minute: one line each, even with two concurrent ticks")
    func thousands() async throws {
        let count = repetitions(10_000, inDebug: 2_000)
        try await addAccount()
        try await withTemporaryFile("friends.csv") { file in
            let rows = (0..<count).map { "Friend \($0),+8210\(20_000_000 + $0),7" }
            try (["name,phone,cycle_days"] + rows).joined(separator: "\n").write(
                to: file, atomically: false, encoding: .utf8)
            let imported = try await Program.cherish.json(
                "friend", "import", email, file.path, "--no-spread", "--now", "2027-03-01T10:00:00+09:00")
            #expect(imported["planted"] as? Int == count)
            let pushes = file.deletingLastPathComponent().appendingPathComponent("pushes.jsonl")
            let cherish = Program.cherish.with(["CHERISH_PUSH": "jsonl:\(pushes.path)"])
            async let first = cherish.run("tick", "--now", "2027-03-08T09:00:00+09:00", "--output", "json")
            async let second = cherish.run("tick", "--now", "2027-03-08T09:00:00+09:00", "--output", "json")
            let counts = [try await first.json(), try await second.json()]
            #expect(counts.compactMap { $0["delivered"] as? Int }.reduce(0, +) == count)
            #expect(counts.compactMap { $0["enqueued"] as? Int }.reduce(0, +) == count)
            let plants = Set(
                try lines(of: pushes).map { line in
                    let push = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                    return try #require(push?["plantId"] as? String)
                })
            // A tick that the machine stops for longer than its lease loses a batch, which the other one repeats.
            let receipts = try await receipts()
            #expect(lines(of: pushes).count == count, "\(counts), receipts: \(receipts)")
            #expect(plants.count == count)

            // A later tick finds nothing left.
            let alone = try await cherish.json("tick", "--now", "2027-03-08T10:00:00+09:00")
            #expect(alone["delivered"] as? Int == 0)
        }
    }

    /// Who delivered which jobs, under which lease.
    private func receipts() async throws -> [String] {
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                "SELECT concat_ws(' ', worker, fence, from_seq, to_seq, recorded_at) FROM push_receipt ORDER BY to_seq")
        }
        await pool.close()
        return try rows.map { try $0.decode(0) }
    }

    @Test("account, device and edits")
    func accountsAndDevices() async throws {
        try await addAccount()
        let plant = try await addFriend(
            "--name", "Ann", "--phone", "+1 201 555 0123", "--cycle-days", "10", "--birthday", "02-29", "--alarm",
            "20:30")
        #expect(plant["birthday"] as? String == "02-29")
        let id = try #require(plant["id"] as? String)
        let edited = try await Program.cherish.json(
            "friend", "edit", id, "--nickname", "Annie", "--cycle-days", "3", "--pushes", "off",
            "--now", "2027-03-02T10:00:00+09:00")
        #expect(edited["nickname"] as? String == "Annie")
        #expect(edited["dueOn"] as? String == "2027-03-04")
        #expect(edited["pushesEnabled"] as? Bool == false)
        let device = try await Program.cherish.json("device", "add", email, "--platform", "ios", "--token", "abc")
        let again = try await Program.cherish.json("device", "add", email, "--platform", "ios", "--token", "abc")
        #expect(device["id"] as? String == again["id"] as? String)
        let listed = try await Program.cherish.json("device", "list", email)
        #expect((listed["devices"] as? [Any])?.count == 1)
        _ = try await Program.cherish.json("device", "remove", try #require(device["id"] as? String))
        let account = try await Program.cherish.json(
            "account", "edit", email, "--email", "Min@Example.com", "--review-pushes", "off", "--time-zone",
            "America/New_York")
        #expect(account["reviewPushes"] as? Bool == false)
        #expect(
            try await Program.cherish.json("account", "show", "min@example.com")["timeZone"] as? String
                == "America/New_York")
        #expect(try await Program.cherish.run("account", "show", email).code == "not_found")
        let csv = try await Program.cherish.run("account", "list", "--output", "csv")
        #expect(csv.output.hasPrefix("ID,E-MAIL,NICKNAME,"))
        #expect(csv.output.contains("Min@Example.com"))
        let erased = try await Program.cherish.json("account", "erase", "min@example.com", "--yes")
        #expect(erased["plantCount"] as? Int == 1)
        #expect((try await Program.cherish.json("account", "list")["accounts"] as? [Any])?.isEmpty == true)
    }
}
