import CherishTestSupport
import Foundation
import Postgres
import Testing

/// Explanations of the past and previews of the future, checked against what was sent.
@Suite("Explaining and previewing", .migratedDatabase)
struct ExplainTests {
    private static let registered = "2027-03-01T10:00:00+09:00"

    /// The only times of day at which anything is planned in these tests, and the days that are ticked through.
    private static let times = ["08:00", "09:00", "20:30"]
    private static let days = 2...15

    /// Adds an account in Seoul that asked for all kinds, and returns its plants' ids by name.
    private func garden() async throws -> [String: String] {
        let cherish = Program.cherish
        _ = try await cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "민지", "--time-zone", "Asia/Seoul", "--language",
            "ko", "--now", ExplainTests.registered)
        _ = try await cherish.json(
            "account", "edit", "a@example.com", "--birthday-pushes", "on", "--withered-pushes", "on", "--now",
            ExplainTests.registered)
        let friends = [
            ("하나", "3", "09:00", "03-05"), ("두리", "3", "09:00", ""), ("세나", "4", "20:30", "03-05"),
            ("네오", "7", "09:00", "03-12"), ("다솜", "14", "20:30", ""), ("여름", "4", "09:00", ""),
        ]
        var plants: [String: String] = [:]
        for (number, friend) in friends.enumerated() {
            let birthday = friend.3.isEmpty ? [] : ["--birthday", friend.3]
            let added = try await cherish.run(
                [
                    "friend", "add", "a@example.com", "--name", friend.0, "--phone", "+82102000000\(number)",
                    "--cycle-days", friend.1, "--alarm", friend.2, "--now", ExplainTests.registered, "--output", "json",
                ] + birthday)
            plants[friend.0] = try #require(try added.json()["id"] as? String)
        }
        // A reminder that quiet hours move to the next morning, and a plant whose pushes are off.
        let now = "2027-03-01T21:50:00+09:00"
        let (watered, silent) = (try #require(plants["다솜"]), try #require(plants["여름"]))
        _ = try await cherish.json("water", watered, "--by", "call", "--now", now)
        _ = try await cherish.json("friend", "edit", silent, "--pushes", "off", "--now", now)
        return plants
    }

    /// Ticks at each time of each day between two moments, and once more at the end.
    private func tickThrough(
        _ cherish: Program, from start: String = "2027-03-02T00:00", to end: String = "2027-03-15T23:59"
    ) async throws {
        let moments = ExplainTests.days.flatMap { day in
            ExplainTests.times.map { "2027-03-\(day < 10 ? "0" : "")\(day)T\($0)" }
        }
        for moment in moments.filter({ $0 > start && $0 < end }) + [end] {
            _ = try await cherish.json("tick", "--now", "\(moment):00+09:00")
        }
    }

    private func texts(_ push: [String: Any], _ names: [String]) -> String {
        names.map { push[$0] as? String ?? "missing" }.joined(separator: " | ")
    }

    @Test("a preview of 14 days matches what ticks of these days write, line by line")
    func previewOfLines() async throws {
        let plants = try await garden()
        try await withTemporaryFile("pushes.jsonl") { file in
            let cherish = Program.cherish.with(["CHERISH_PUSH": "jsonl:\(file.path)"])
            let preview = try await cherish.json(
                "preview", "a@example.com", "--days", "14", "--now", "2027-03-02T00:00:00+09:00")
            #expect(preview["to"] as? String == "lines")
            let previewed = try #require(preview["pushes"] as? [[String: Any]])
            let withheld = try #require(preview["withheld"] as? [[String: Any]])
            #expect(withheld.compactMap { $0["reason"] as? String } == ["plant_pushes_off", "plant_pushes_off"])
            #expect(withheld.allSatisfy { $0["plantId"] as? String == plants["여름"] })
            try await tickThrough(cherish)
            let names = ["sentAt", "kind", "plantId", "occursOn", "title", "body", "link"]
            let sent = try lines(of: file).map { line in
                let push = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return texts(try #require(push), names)
            }
            // 4 alarms, 4 that withered, 3 birthdays, a reminder, and the alarm of the watered plant.
            #expect(sent.count == 13)
            #expect(previewed.map { texts($0, names) }.sorted() == sent.sorted())
            let times = previewed.compactMap { $0["sentAt"] as? String }
            #expect(times == times.sorted())
        }
    }

    /// A receiver for the garden's pushes, and a program that sends them there with a daily cap of two.
    private func device() async throws -> (webhook: WebhookReceiver, cherish: Program) {
        let webhook = try await WebhookReceiver.start(
            authority: try TestCertificateAuthority(), protocol: .plainHTTP1)
        _ = try await Program.cherish.with(["CHERISH_WEBHOOKS": "private"]).json(
            "device", "add", "a@example.com", "--platform", "webhook", "--token", webhook.url + "/hook", "--now",
            ExplainTests.registered)
        let cherish = Program.cherish.with([
            "CHERISH_PUSH": "devices", "CHERISH_WEBHOOKS": "private", "CHERISH_PUSH_DAILY_CAP": "2",
        ])
        return (webhook, cherish)
    }

    /// The pushes a webhook received, starting at one of its requests.
    private func sent(to webhook: WebhookReceiver, from first: Int = 0, _ names: [String]) throws -> [String] {
        try webhook.requests.dropFirst(first).map { request in
            let document = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
            return texts(try #require(document?["data"] as? [String: Any]), names)
        }
    }

    @Test("a preview for devices matches what a webhook gets: combined by minute, with a digest beyond the daily cap")
    func previewOfDevices() async throws {
        let plants = try await garden()
        let (webhook, cherish) = try await device()
        let preview = try await cherish.json(
            "preview", "a@example.com", "--days", "14", "--now", "2027-03-02T00:00:00+09:00")
        #expect(preview["to"] as? String == "devices")
        #expect(preview["obstacle"] is NSNull)
        let previewed = try #require(preview["pushes"] as? [[String: Any]])
        try await tickThrough(cherish)
        let names = ["kind", "plantId", "occursOn", "title", "body", "link", "collapseId"]
        let sent = try sent(to: webhook, names)
        #expect(previewed.map { texts($0, names) }.sorted() == sent.sorted())
        let titles = previewed.compactMap { $0["title"] as? String }
        #expect(titles.contains("두리 외 1명이 물을 기다려요"))
        // On the 5th, a birthday and the two that withered at 09:00 use up the cap, so the digest comes at 20:30.
        let digests = previewed.filter { $0["kind"] as? String == "digest" }
        #expect(digests.compactMap { $0["day"] as? String } == ["2027-03-05"])
        try await explainCombined(try #require(plants["두리"]))
        await webhook.stop()
    }

    /// Two plants were due in the same minute of 4 March, and one push named both.
    private func explainCombined(_ plant: String) async throws {
        // As if its own job had come in a later batch than that push.
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        let changed = try await pool.withConnection { connection in
            try await connection.execute(
                """
                INSERT INTO push_outcome (lane, recorded_at, seq, outcome, reason, finished_at)
                SELECT lane, recorded_at, seq, 'delivered', 'combined', recorded_at FROM push_job
                WHERE subject_id::text = $1 AND topic = 'watering_due' AND planned_at = '2027-03-04T09:00:00+09:00'
                ON CONFLICT (lane, recorded_at, seq) DO UPDATE SET reason = excluded.reason
                """, [plant])
        }
        await pool.close()
        #expect(changed == 1)
        let people = try await Program.cherish.run(
            "push", "explain", plant, "--on", "2027-03-04", "--now", "2027-03-16T13:00:00+09:00")
        #expect(people.output.contains("because a push that spoke of this plant too had been sent"), "\(people.output)")
    }

    @Test("a preview from the middle of a day shows what is still to come, and counts what was sent or ended today")
    func previewFromTheMiddle() async throws {
        _ = try await garden()
        let (webhook, cherish) = try await device()
        // The cap of the 5th is reached.
        try await tickThrough(cherish, to: "2027-03-05T12:00")
        let before = webhook.requests.count
        let preview = try await cherish.json(
            "preview", "a@example.com", "--days", "11", "--now", "2027-03-05T12:00:00+09:00")
        let previewed = try #require(preview["pushes"] as? [[String: Any]])
        try await tickThrough(cherish, from: "2027-03-05T12:00")
        let names = ["kind", "plantId", "occursOn", "title", "body", "link", "collapseId"]
        let sent = try sent(to: webhook, from: before, names)
        #expect(before > 3 && sent.count > 3)
        #expect(previewed.map { texts($0, names) }.sorted() == sent.sorted())
        #expect(previewed.first?["kind"] as? String == "digest")
        // Jobs that ended unsent are not listed: only the plant whose pushes are off withers without a push.
        let withheld = try #require(preview["withheld"] as? [[String: Any]])
        #expect(withheld.map { $0["reason"] as? String } == ["plant_pushes_off"])
        await webhook.stop()
    }

    @Test(
        "a preview combines the plants of a minute at the first one's second, even those due seconds later"
    )
    func previewOfSeconds() async throws {
        let plants = try await garden()
        let (webhook, cherish) = try await device()
        for (name, time) in [("하나", "10:00:05"), ("두리", "10:00:40")] {
            let plant = try #require(plants[name])
            _ = try await cherish.json("water", plant, "--by", "call", "--now", "2027-03-02T\(time)+09:00")
        }
        // First send what is already due.
        _ = try await cherish.json("tick", "--now", "2027-03-02T10:01:00+09:00")
        let before = webhook.requests.count
        let preview = try await cherish.json(
            "preview", "a@example.com", "--days", "1", "--now", "2027-03-02T10:01:00+09:00")
        let previewed = try #require(preview["pushes"] as? [[String: Any]])
        #expect(previewed.compactMap { $0["sentAt"] as? String } == ["2027-03-02T01:30:05Z"])
        // A worker that runs at that second, and one that runs in the evening.
        for time in ["10:30:05", "23:59:00"] { _ = try await cherish.json("tick", "--now", "2027-03-02T\(time)+09:00") }
        let names = ["kind", "plantId", "occursOn", "title", "body", "link", "collapseId"]
        #expect(try previewed.map { texts($0, names) } == sent(to: webhook, from: before, names))
        #expect(previewed.first?["title"] as? String == "두리 외 1명과 나눈 이야기")
        await webhook.stop()
    }

    @Test("a past day within a removal is reported as such, although the friend was brought back since")
    func removedMeanwhile() async throws {
        let cherish = Program.cherish
        _ = try await cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "민지", "--time-zone", "Asia/Seoul", "--now",
            ExplainTests.registered)
        let added = try await cherish.json(
            "friend", "add", "a@example.com", "--name", "하나", "--phone", "+821020000001", "--cycle-days", "3", "--now",
            ExplainTests.registered)
        let plant = try #require(added["id"] as? String)
        func removeAndBringBack(_ removed: String, _ broughtBack: String) async throws {
            _ = try await cherish.json("friend", "remove", plant, "--now", "2027-03-\(removed)T10:00:00+09:00")
            try await withTemporaryFile("friends.csv") { file in
                try "name,phone\n하나,+821020000001\n".write(to: file, atomically: true, encoding: .utf8)
                let report = try await cherish.json(
                    "friend", "import", "a@example.com", file.path, "--restore", "--cycle-days", "3", "--now",
                    "2027-03-\(broughtBack)T10:00:00+09:00")
                #expect(report["restored"] as? Int == 1)
            }
        }
        try await removeAndBringBack("02", "10")
        try await removeAndBringBack("15", "18")
        func explain(_ topic: String, _ day: String) async throws -> String {
            try await cherish.run(
                topic, "explain", plant, "--on", "2027-03-\(day)", "--now", "2027-03-19T12:00:00+09:00"
            )
            .output
        }
        for (day, removedOn) in [("02", "02"), ("04", "02"), ("09", "02"), ("16", "15")] {
            #expect(try await explain("friend", day).contains("The plant is removed."))
            #expect(
                try await explain("push", day).contains(
                    "Nothing was scheduled for 2027-03-\(day): the plant was removed on 2027-03-\(removedOn)."))
        }
        let around = try await explain("friend", "06").components(separatedBy: "Around").last ?? ""
        #expect(
            around.contains("removed") && around.contains("brought back") && !around.contains("wither"), "\(around)")
        for day in ["01", "11", "18"] { #expect(try await !explain("friend", day).contains("The plant is removed.")) }
        // Due on the 13th, not removed until the 15th.
        let withered = try await explain("friend", "14")
        #expect(withered.contains("withered") && withered.contains("2027-03-15"), "\(withered)")
        #expect(try await explain("push", "13").contains("no worker has scheduled it"))
    }

    @Test("a preview names what keeps pushes from going out, and limits its days")
    func obstacles() async throws {
        _ = try await garden()
        let now = "2027-03-02T00:00:00+09:00"
        let preview = try await Program.cherish.with(["CHERISH_PUSH": "devices"]).json(
            "preview", "a@example.com", "--now", now)
        #expect(preview["obstacle"] as? String == "no_device")
        #expect((preview["pushes"] as? [Any])?.isEmpty == false)
        let people = try await Program.cherish.with(["CHERISH_PUSH": "devices"]).run(
            "preview", "a@example.com", "--now", now)
        #expect(people.output.contains("because the account has no device"))
        // An unreachable device does not keep the other one from its pushes.
        for (platform, token) in [("ios", String(repeating: "ab", count: 32)), ("webhook", "https://example.com/hook")]
        {
            _ = try await Program.cherish.json(
                "device", "add", "a@example.com", "--platform", platform, "--token", token, "--now", now)
        }
        let reachable = try await Program.cherish.with(["CHERISH_PUSH": "devices"]).json(
            "preview", "a@example.com", "--now", now)
        #expect(reachable["obstacle"] is NSNull)
        for days in ["0", "-1", "367"] {
            let refused = try await Program.cherish.run("preview", "a@example.com", "--days", days)
            #expect(refused.status == 64)
        }
        let unknown = try await Program.cherish.run("preview", "nobody@example.com")
        #expect(unknown.code == "not_found")
    }

    @Test("a friend added before a change of zone is shown without spreading, on the day it was added")
    func zoneChanged() async throws {
        let cherish = Program.cherish
        _ = try await cherish.json(
            "account", "add", "--email", "a@example.com", "--nickname", "민지", "--time-zone", "Asia/Seoul", "--now",
            ExplainTests.registered)
        let added = try await cherish.json(
            "friend", "add", "a@example.com", "--name", "하나", "--phone", "+821020000001", "--cycle-days", "3", "--now",
            ExplainTests.registered)
        let plant = try #require(added["id"] as? String)
        // In that zone it was still the last of February when she was added.
        let later = "2027-03-02T10:00:00+09:00"
        _ = try await cherish.json(
            "account", "edit", "a@example.com", "--time-zone", "America/New_York", "--now", later)
        let people = try await cherish.run("friend", "explain", plant, "--now", later)
        #expect(people.output.contains("registered on 2027-03-01, cycle of 3 days (rule 1.4)"), "\(people.output)")
        #expect(!people.output.contains("rule 1.9"))
        let explained = try await cherish.json("friend", "explain", plant, "--now", later)
        let dates = try #require(explained["dueDates"] as? [[String: Any]])
        #expect(dates.first?["setOn"] as? String == "2027-03-01")
    }

    /// A plant with weeks of care, and what `friend show` printed at the end of some of its days.
    private func weeks() async throws -> (plant: String, shown: [String: [String: Any]]) {
        let plants = try await garden()
        let plant = try #require(plants["네오"])
        let steps: [(String, [String])] = [
            ("2027-03-03", ["water", plant, "--by", "call", "--keyword", "커피"]),
            ("2027-03-05", ["review", "write", plant, "--memo", "제주"]),
            ("2027-03-10", ["postpone", plant, "--days", "2"]),
            ("2027-03-14", ["water", plant, "--by", "message"]),
            ("2027-03-16", ["friend", "edit", plant, "--cycle-days", "10"]),
        ]
        var shown: [String: [String: Any]] = [:]
        for (day, command) in steps {
            let changed = try await Program.cherish.run(command + ["--now", "\(day)T12:00:00+09:00"])
            try #require(changed.status == 0, "\(command): \(changed.errors)")
            shown[day] = try await Program.cherish.json("friend", "show", plant, "--now", "\(day)T23:00:00+09:00")
        }
        return (plant, shown)
    }

    @Test("friend explain of a past day shows the plant as friend show did on that day")
    func pastDays() async throws {
        let (plant, shown) = try await weeks()
        for (day, before) in shown {
            let explained = try await Program.cherish.json(
                "friend", "explain", plant, "--on", day, "--now", "2027-04-01T12:00:00+09:00")
            let then = try #require(explained["plant"] as? [String: Any])
            // These are today's, because nobody notes the versions of before.
            for (name, value) in then where !["version", "modifiedAt"].contains(name) {
                let expected = try #require(before[name], "\(name)")
                #expect("\(value)" == "\(expected)", "\(name) on \(day)")
            }
        }
        let early = try await Program.cherish.json(
            "friend", "explain", plant, "--on", "2027-02-28", "--now", "2027-04-01T12:00:00+09:00")
        #expect(early["plant"] is NSNull)
    }

    @Test("friend explain shows the ledger, the due dates and what comes next, as JSON and as text")
    func explained() async throws {
        let (plant, _) = try await weeks()
        let now = "2027-03-16T13:00:00+09:00"
        let explanation = try await Program.cherish.json("friend", "explain", plant, "--now", now)
        #expect(
            Set(explanation.keys) == [
                "plantId", "on", "at", "timeZone", "past", "calendarAheadUntil", "plant", "ledger", "waterings",
                "dueDates",
                "events", "pushes", "upcoming",
            ])
        let ledger = try #require(explanation["ledger"] as? [[String: Any]])
        #expect(ledger.compactMap { $0["sum"] as? Int } == [8, 16, 24, 32])
        let dueDates = try #require(explanation["dueDates"] as? [[String: Any]])
        // 14 March + 10; 14 + 7; 10 + 2; 3 + 7; 1 + 7.
        #expect(
            dueDates.compactMap { $0["dueOn"] as? String } == [
                "2027-03-24", "2027-03-21", "2027-03-12", "2027-03-10", "2027-03-08",
            ])
        let upcoming = try #require(explanation["upcoming"] as? [[String: Any]])
        #expect(upcoming.first?["kind"] as? String == "watering_due")
        #expect(upcoming.first?["at"] as? String == "2027-03-24T00:00:00Z")
        let people = try await Program.cherish.run("friend", "explain", plant, "--now", now)
        #expect(people.status == 0)
        for words in [
            "네오 is thriving, D-8.", "+8 memo on 2027-03-05 (rule 4.4), 24 in all",
            "cycle changed on 2027-03-16 to 10 days, counted from 2027-03-14 (rule 1.7)",
            "before: 2027-03-12, postponed on 2027-03-10 by 2 days from 2027-03-10 (rule 6.2)",
            "2027-03-13 00:00 Asia/Seoul  withered", "2027-03-24 09:00 Asia/Seoul  push watering_due",
        ] {
            #expect(people.output.contains(words), "\(words) in \(people.output)")
        }
        // Memos do not belong in an explanation.
        #expect(!people.output.contains("제주"))
    }

    @Test("what is still to come, and what suppresses it, is reported as such")
    func ahead() async throws {
        let plants = try await garden()
        let (watered, silent) = (try #require(plants["다솜"]), try #require(plants["여름"]))
        let now = "2027-03-01T22:00:00+09:00"
        let pending = try await Program.cherish.run("push", "explain", watered, "--now", now)
        #expect(pending.output.contains("Next: review_missing at 2027-03-02 08:00 Asia/Seoul."))
        #expect(!pending.output.contains("No reminder"), "\(pending.output)")
        let kept = try await Program.cherish.run("friend", "explain", silent, "--now", now)
        #expect(
            kept.output.contains("push watering_due, not sent, because the plant's pushes were off"), "\(kept.output)")
    }

    @Test("push explain gives the reason why a past day had no push, by the due date of that time")
    func silence() async throws {
        let (plant, _) = try await weeks()
        func explanation(_ day: String) async throws -> String {
            let document = try await Program.cherish.json(
                "push", "explain", plant, "--on", day, "--now", "2027-03-16T13:00:00+09:00")
            return (document["explanation"] as? [String] ?? []).joined(separator: "\n")
        }
        let expected = [
            ("2027-02-20", "the plant was not registered yet"),
            ("2027-03-03", "No reminder of watering 1: it has its review"),
            ("2027-03-07", "it was not the due date, which was 2027-03-10"),
            ("2027-03-07", "At the end of 2027-03-07 the plant was due on 2027-03-10 (D-3)."),
            ("2027-03-12", "no worker has scheduled it"),
            ("2027-03-13", "due on 2027-03-12, and each due date has one alarm"),
            ("2027-03-30", "is still to come"),
        ]
        for (day, words) in expected {
            let sentences = try await explanation(day)
            #expect(sentences.contains(words), "\(day): \(sentences)")
        }
    }

    @Test("push explain gives no reason for days whose pushes were dropped")
    func dropped() async throws {
        let (plant, _) = try await weeks()
        let cherish = Program.cherish.with(["CHERISH_RETENTION_DAYS": "4"])
        // A day with a watering whose reminder was not sent, a due date without a push, and one still within retention.
        for (day, isDropped) in [("2027-03-03", true), ("2027-03-10", true), ("2027-03-12", false)] {
            let document = try await cherish.json(
                "push", "explain", plant, "--on", day, "--now", "2027-03-16T13:00:00+09:00")
            let sentences = (document["explanation"] as? [String] ?? []).joined(separator: "\n")
            let isUnknown = sentences.contains(
                "is not known: pushes are kept for 4 days, and older ones are dropped.")
            #expect(isUnknown == isDropped, "\(sentences)")
            let reasons = ["No reminder", "no worker has scheduled it", "Nothing was scheduled"].filter {
                sentences.contains($0)
            }
            #expect(reasons.isEmpty == isDropped, "\(sentences)")
        }
    }
}
