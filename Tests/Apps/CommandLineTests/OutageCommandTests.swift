import CherishTestSupport
import Foundation
import Testing

/// Rule 13.3 as operators see it.
@Suite("Outages through the command line", .migratedDatabase)
struct OutageCommandTests {
    /// Adds an account and a friend who is due on 5 March 2027 at nine in Seoul, and returns the friend's id.
    private func plant() async throws -> String {
        let now = "2027-03-02T10:00:00+09:00"
        _ = try await Program.cherish.json(
            "account", "add", "--email", "minji@example.com", "--nickname", "민지", "--time-zone", "Asia/Seoul", "--now",
            now)
        let friend = try await Program.cherish.json(
            "friend", "add", "minji@example.com", "--name", "박지수", "--phone", "010-1234-5678", "--cycle-days", "3",
            "--now", now)
        return try #require(friend["id"] as? String)
    }

    private func tick(at now: String) async throws -> [String: Int] {
        let counts = try await Program.cherish.json("tick", "--now", now)
        return try #require(counts as? [String: Int])
    }

    private func outages(_ arguments: [String]) async throws -> [[String: Any]] {
        let result = try await Program.cherish.run(["outage"] + arguments + ["--output", "json"])
        return try #require(try result.json()["outages"] as? [[String: Any]])
    }

    @Test("a tick after an outage ends the missed push, excuses the plant and sends its push; people see why")
    func recorded() async throws {
        let id = try await plant()
        _ = try await tick(at: "2027-03-04T00:00:00+09:00")
        let counts = try await tick(at: "2027-03-06T10:00:00+09:00")
        #expect(counts["expired"] == 1)
        #expect(counts["delivered"] == 1)

        let outage = try #require(try await outages(["list"]).first)
        #expect(outage["cause"] as? String == "engine")
        #expect(outage["from"] as? String == "2027-03-03T15:00:00Z")
        #expect(outage["to"] as? String == "2027-03-06T01:00:00Z")
        #expect(outage["excused"] as? Int == 1)
        #expect(outage["settled"] as? Bool == true)

        let now = "2027-03-06T11:00:00+09:00"
        let friend = try await Program.cherish.json("friend", "show", id, "--now", now)
        #expect(friend["dueOn"] as? String == "2027-03-06")
        #expect(friend["label"] as? String == "D-DAY")
        let explained = try await Program.cherish.run("friend", "explain", id, "--now", now)
        #expect(explained.output.contains("its push of 2027-03-05 could not leave"))
        let postponed = try await Program.cherish.json("postpone", id, "--days", "2", "--now", now)
        #expect(postponed["dueOn"] as? String == "2027-03-08")
    }

    @Test("the tick after a declaration excuses; an outage that lasts, ends before it begins or is too old is refused")
    func declared() async throws {
        let id = try await plant()
        // A push that cannot be written to its file is no refusal of a provider.
        _ = try await Program.cherish.with(["CHERISH_PUSH": "jsonl:/dev/null/pushes"]).json(
            "tick", "--now", "2027-03-05T09:00:00+09:00")
        let now = "2027-03-06T10:00:00+09:00"
        let late = try await tick(at: now)
        #expect(late["expired"] == 1)
        #expect(try await outages(["list"]).isEmpty)

        let refused = [
            ("2027-03-05T10:00:00+09:00", "2027-03-05T08:00:00+09:00"),
            ("2027-03-05T08:00:00+09:00", "2027-03-08T08:00:00+09:00"),
            ("2027-02-01T08:00:00+09:00", "2027-03-05T08:00:00+09:00"),
        ]
        for (from, to) in refused {
            let result = try await Program.cherish.run("outage", "add", "--from", from, "--to", to, "--now", now)
            #expect(result.code == "invalid_outage", "\(from) \(to)")
        }

        let span = ["--from", "2027-03-05T08:00:00+09:00", "--to", "2027-03-06T01:00:00+09:00"]
        let outage = try #require(try await outages(["add"] + span + ["--now", now]).first)
        #expect(outage["cause"] as? String == "declared")
        #expect(outage["settled"] as? Bool == false)
        let counts = try await tick(at: "2027-03-06T10:05:00+09:00")
        #expect(counts["delivered"] == 1)
        #expect(try await outages(["list"]).first?["excused"] as? Int == 1)
        let friend = try await Program.cherish.json("friend", "show", id, "--now", now)
        #expect(friend["dueOn"] as? String == "2027-03-06")
    }
}
