import CherishTestSupport
import Foundation
import Testing

/// Pickups, returns, reminders and food through the command line (rule 10).
@Suite("10: things through the command line", .migratedDatabase)
struct ThingCommandTests {
    private let email = "minji@example.com"

    private func addAccount() async throws {
        _ = try await Program.cherish.json(
            "account", "add", "--email", email, "--nickname", "민지", "--time-zone", "Asia/Seoul", "--language", "ko",
            "--now", "2027-03-01T08:00:00+09:00")
    }

    private func run(_ arguments: String..., now: String = "2027-03-01T08:00:00+09:00") async throws -> ProgramResult {
        try await Program.cherish.run(arguments + ["--now", now])
    }

    /// Records a thing, and returns its id.
    private func add(_ arguments: String...) async throws -> String {
        let result = try await Program.cherish.run(
            ["thing", "add", email] + arguments + ["--output", "json", "--now", "2027-03-01T08:00:00+09:00"])
        try #require(result.status == 0, "\(result.errors)")
        return try #require(try result.json()["id"] as? String)
    }

    @Test("a month of a household: what is due is told, done, undone and found again")
    func household() async throws {
        try await addAccount()
        _ = try await run("tag", "add", email, "집", "--colour", "#3b6fc9")
        let dentist = try await add(
            "--kind", "reminder", "--title", "치과", "--due", "2027-03-05", "--time", "15:00", "--alert", "1d@20:00",
            "--alert", "60m", "--every", "6 months", "--from", "completion", "--tag", "집")
        let milk = try await add("--kind", "food", "--title", "우유", "--due", "2027-03-03", "--category", "유제품")
        let parcel = try await add("--kind", "pickup", "--title", "택배", "--due", "2027-03-08", "--notice", "daily")
        let list = try await run("thing", "list", email, "--output", "csv")
        #expect(
            list.output
                == """
                THING,,TITLE,DUE,TIME,STATE,DAYS LEFT,CATEGORY,BOUGHT,NEXT ALERT,TAGS
                \(milk.prefix(8)),🥛,우유,2027-03-03,,expiring,2,유제품,,2027-03-01 09:00,
                \(dentist.prefix(8)),⏰,치과,2027-03-05,15:00,upcoming,4,,,2027-03-04 20:00,집
                \(parcel.prefix(8)),📦,택배,2027-03-08,,upcoming,7,,,2027-03-07 09:00,

                """.replacing("\n", with: "\r\n"))

        // The food's usual alert was past when it was recorded, so it moved to this morning.
        let morning = try await run("tick", now: "2027-03-01T09:00:10+09:00")
        #expect(morning.output.contains("push thing_alert 2027-03-03: 우유 — 3월 3일까지 드세요."))
        let eaten = try await run("thing", "complete", milk, "--as", "eaten", now: "2027-03-02T19:00:00+09:00")
        #expect(eaten.output.contains("🥛 우유   done") && eaten.output.contains("eaten"))
        let again = try await run("thing", "complete", milk, now: "2027-03-02T19:00:00+09:00")
        #expect(again.status == 1 && again.code == "already_done")
        let evening = try await run("tick", now: "2027-03-04T20:00:10+09:00")
        #expect(evening.output.contains("push thing_alert 2027-03-05: 치과 — 3월 5일 15:00"))
        let visited = try await run("thing", "complete", dentist, now: "2027-03-05T16:00:00+09:00")
        #expect(visited.output.contains("2027-09-05 at 15:00, in 184 days"))
        let reopened = try await run("thing", "reopen", dentist, now: "2027-03-05T16:01:00+09:00")
        #expect(reopened.output.contains("past already, and not planned: 1d@20:00, 60m"))

        // Completing silences what is planned; the explanation says so.
        _ = try await run("tick", now: "2027-03-07T09:00:10+09:00")
        _ = try await run("thing", "complete", parcel, now: "2027-03-07T10:00:00+09:00")
        _ = try await run("tick", now: "2027-03-08T09:00:10+09:00")
        let explained = try await run(
            "push", "explain", parcel, "--on", "2027-03-08", now: "2027-03-08T12:00:00+09:00")
        #expect(explained.output.contains("superseded") && explained.output.contains("the thing had been done"))
        let document = try await Program.cherish.json("push", "explain", String(parcel.prefix(8)))
        #expect(document["plantId"] is NSNull)
        #expect(document["subject"] as? String == "thing" && document["subjectId"] as? String == parcel)
        let unknown = try await run("push", "explain", "abcdef01")
        #expect(unknown.status == 1 && unknown.code == "not_found")

        let done = try await run("thing", "list", email, "--done", now: "2027-03-08T12:00:00+09:00")
        #expect(done.output.contains("eaten 2027-03-02") && done.output.contains("done 2027-03-07"))
        let removed = try await run("thing", "remove", milk)
        #expect(removed.status == 0)
        #expect(try await run("thing", "show", milk).code == "not_found")
    }

    @Test("what is not said, what does not go together, and what no rule allows, each has its message")
    func refusals() async throws {
        try await addAccount()
        let base = ["thing", "add", email, "--title", "x", "--due", "2027-03-05"]
        for (arguments, status, code) in [
            (["--kind", "chore"], 64, "usage"), (["--kind", "food", "--time", "10:00"], 1, "not_for_kind"),
            (["--kind", "reminder", "--alert", "3x"], 1, "invalid_alert"),
            (["--kind", "reminder", "--alert", "30m"], 1, "invalid_alert"),
            (["--kind", "reminder", "--alert", "1d", "--no-alerts"], 64, "usage"),
            (["--kind", "reminder", "--every", "fortnight"], 1, "invalid_recurrence"),
            (["--kind", "reminder", "--every", "100 days"], 1, "invalid_recurrence"),
            (["--kind", "reminder", "--until", "2027-04-01"], 64, "usage"),
            (["--kind", "reminder", "--every", "day", "--until", "2027-03-04"], 1, "invalid_recurrence"),
            (["--kind", "reminder", "--tag", "none"], 1, "not_found"),
            (
                [
                    "--kind", "reminder", "--alert", "1d", "--alert", "2d", "--alert", "3d", "--alert", "4d", "--alert",
                    "5d",
                    "--alert", "6d",
                ], 1, "too_many_alerts"
            ),
        ] {
            let result = try await Program.cherish.run(base + arguments)
            #expect(result.status == Int32(status) && result.code == code, "\(arguments): \(result.errors)")
        }
        let without = try await run("thing", "add", email, "--kind", "return", "--title", "신발")
        #expect(without.code == "due_unknown" && without.errors.contains("name the day"))
        let id = try await add("--kind", "reminder", "--title", "x", "--due", "2027-03-05")
        for arguments in [
            ["--usual-alerts", "--alert", "1d"], ["--no-recurrence", "--every", "day"],
            ["--not-bought", "--bought", "2027-01-01"],
        ] {
            let result = try await Program.cherish.run(["thing", "edit", id] + arguments)
            #expect(result.status == 64 && result.code == "usage", "\(arguments)")
        }
        #expect(try await run("thing", "list", email, "--output", "csv").output.split(separator: "\r\n").count == 2)
    }

    @Test("10.11: the agenda is a calendar without colours in a pipe, with the same as JSON and CSV")
    func agenda() async throws {
        try await addAccount()
        _ = try await run("tag", "add", email, "집", "--colour", "#3b6fc9")
        _ = try await run(
            "friend", "add", email, "--name", "박지수", "--phone", "010-1234-5678", "--cycle-days", "7", "--birthday",
            "03-21")
        _ = try await add(
            "--kind", "reminder", "--title", "치과", "--due", "2027-03-05", "--time", "15:00", "--tag", "집")
        let text = try await run("agenda", email, "--to", "2027-03-21")
        #expect(
            text.output == """
                March 2027
                   Mo   Tu   We   Th   Fr   Sa   Su
                 [ 1]   2    3    4    5    6    7
                                       •
                   8    9   10   11   12   13   14
                   •
                  15   16   17   18   19   20   21
                   •                             •

                Fri 2027-03-05
                  15:00  ⏰ 치과   upcoming   ●

                Mon 2027-03-08
                  09:00  💧 박지수 wants water

                Mon 2027-03-15
                  09:00  🌱 박지수 will want water

                Sun 2027-03-21
                         🎂 박지수 has a birthday

                """)
        let csv = try await run("agenda", email, "--to", "2027-03-07", "--output", "csv")
        #expect(csv.output.contains("2027-03-05,15:00,reminder,") && csv.output.contains(",치과,upcoming,#3b6fc9"))
        let document = try await Program.cherish.json(
            "agenda", email, "--from", "2027-03-05", "--to", "2027-03-05", "--now", "2027-03-01T08:00:00+09:00")
        let days = try #require(document["days"] as? [[String: Any]])
        let entries = try #require(days.first?["entries"] as? [[String: Any]])
        #expect(entries.map { Set($0.keys) } == [["kind", "id", "title", "time", "state", "colours"]])
        let wrong = try await run("agenda", email, "--from", "2027-03-05", "--to", "2027-03-04")
        #expect(wrong.status == 64 && wrong.errors.contains("99 days apart"))
        let empty = try await run("agenda", email, "--from", "2027-03-02", "--to", "2027-03-03")
        #expect(empty.output.contains("nothing from 2027-03-02 to 2027-03-03"))
    }

    @Test("links to reminders and calendars are made, listed and withdrawn")
    func links() async throws {
        try await addAccount()
        let dentist = try await add("--kind", "reminder", "--title", "치과", "--due", "2027-03-05")
        let made = try await run("thing", "share", dentist, "--days", "3")
        #expect(made.output.contains("/shared/") && made.output.contains("set CHERISH_PUBLIC_URL"))
        let listed = try await run("thing", "shares", dentist, "--output", "json")
        let share = try #require((try listed.json()["shares"] as? [[String: Any]])?.first)
        #expect(share["expiresAt"] as? String == "2027-03-03T23:00:00Z" && share["token"] is NSNull)
        let id = try #require(share["id"] as? String)
        #expect(try await run("thing", "unshare", String(id.prefix(8))).status == 0)
        #expect(try await run("thing", "unshare", id).code == "not_found")
        #expect(try await run("thing", "shares", dentist).output.contains("no link"))
        #expect(try await run("thing", "share", dentist, "--days", "31").code == "invalid_share_days")

        let feed = try await run("feed", "add", email, "--output", "json")
        #expect((try feed.json()["url"] as? String)?.hasSuffix(".ics") == true)
        let feedID = try #require(try feed.json()["id"] as? String)
        #expect(try await run("feed", "list", email).output.contains(feedID.prefix(8)))
        #expect(try await run("feed", "remove", feedID).status == 0)
        #expect(try await run("feed", "list", email).output.contains("no link"))
    }

    @Test("a file of things is rehearsed, recorded once, and told line by line")
    func importing() async throws {
        try await addAccount()
        _ = try await run("tag", "add", email, "집")
        try await withTemporaryFile("things.csv") { file in
            let table = """
                kind,title,due_on,due_time,every,tags
                reminder,치과,2027-03-05,15:00,6 months,집;병원
                food,우유,2027-03-03,,,
                food,우유,2027-03-03,,,
                food,우유,2027-03-03,10:00,,
                reminder,언젠가,,,,

                """
            try table.write(to: file, atomically: true, encoding: .utf8)
            let rehearsed = try await run("thing", "import", email, file.path, "--dry-run")
            #expect(rehearsed.output.contains("would be: 2 new, 1 unchanged, 2 refused"))
            #expect(rehearsed.output.contains("line 5, 우유: refused: food has no time; leave it out"))
            #expect(rehearsed.output.contains("line 6, without a title: refused: there is no due day"))
            #expect(try await run("thing", "list", email).output.contains("nothing here"))
            let imported = try await run("thing", "import", email, file.path, "--output", "json")
            let document = try imported.json()
            #expect(document["new"] as? Int == 2 && document["newTags"] as? [String] == ["병원"])
            let list = try await run("thing", "list", email, "--output", "csv")
            #expect(list.output.contains("치과,2027-03-05,15:00") && list.output.contains("병원, 집"))
            let again = try await run("thing", "import", email, file.path)
            #expect(again.output.contains("3 unchanged, 2 refused"))
            // The imported alert rings.
            let ticked = try await run("tick", now: "2027-03-05T15:00:10+09:00")
            #expect(ticked.output.contains("push thing_alert 2027-03-05: 치과"))
            // A thing that was done is not recorded again.
            let things = try await run("thing", "list", email, "--kind", "reminder", "--output", "json")
            let thing = try #require((try things.json()["things"] as? [[String: Any]])?.first?["id"] as? String)
            _ = try await run("thing", "complete", thing, now: "2027-03-05T16:00:00+09:00")
            let later = try await run("thing", "import", email, file.path, now: "2027-03-05T16:00:00+09:00")
            #expect(later.output.contains("3 unchanged, 2 refused"))
        }
        let missing = try await run("thing", "import", email, "/nowhere.ics")
        #expect(missing.code == "unreadable_file")
        let map = try await run("thing", "import", email, "/nowhere.ics", "--map", "titel=x")
        #expect(map.status == 64 && map.errors.contains("due_on"))
    }
}
