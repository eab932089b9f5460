import CherishTestSupport
import Foundation
import Postgres
import Testing

/// Output reveals nothing derived from a phone: for the same account and friends, the output of two databases shares
/// only what both were given.
@Suite("What leaves the system", .migratedDatabase)
struct UnguessableTests {
    private static let account = "5eed0000-0000-4000-8000-000000000007"
    private static let phones = ["1098760001", "1098760002"]
    private static let registered = "2027-02-23T10:00:00+09:00"
    private static let alarm = "2027-03-02T09:00:00+09:00"

    /// Adds the account under its id, with two friends and a webhook, and returns all pushes, files and reports.
    private func everythingThatLeaves(_ webhook: WebhookReceiver) async throws -> [String: String] {
        try await withTemporaryFile("pushes.jsonl") { file in
            let document = file.deletingLastPathComponent().appendingPathComponent("account.json")
            let text = """
                {"format": "cherish-account", "version": 1, "account": {"id": "\(Self.account)",
                "email": "minji@example.com", "nickname": "민지", "timeZone": "Asia/Seoul", "language": "ko",
                "wateringPushes": true, "reviewPushes": true, "birthdayPushes": false, "witheredPushes": false,
                "createdAt": "\(Self.registered)"}}
                """
            // Each document is one line.
            try Data(text.replacing("\n", with: " ").utf8).write(to: document)
            let cherish = Program.cherish
            let seeded = try await cherish.run("seed", document.path, "--now", Self.registered)
            try #require(seeded.status == 0, "\(seeded.errors)")
            for (number, phone) in Self.phones.enumerated() {
                _ = try await cherish.json(
                    "friend", "add", "minji@example.com", "--name", "Friend \(number)", "--phone", "+82\(phone)",
                    "--cycle-days", "7", "--alarm", "09:0\(number)", "--now", Self.registered)
            }
            var left: [String: String] = [:]
            let lines = cherish.with(["CHERISH_PUSH": "jsonl:\(file.path)"])
            _ = try await lines.json("tick", "--now", Self.alarm)
            left["file"] = try String(contentsOf: file, encoding: .utf8)
            let first = webhook.requests.count
            let devices = cherish.with(["CHERISH_PUSH": "devices", "CHERISH_WEBHOOKS": "private"])
            _ = try await devices.json(
                "device", "add", "minji@example.com", "--platform", "webhook", "--token", webhook.url + "/hook",
                "--now", Self.registered)
            _ = try await devices.json("tick", "--now", "2027-03-02T09:01:00+09:00")
            try #require(webhook.requests.count == first + 1)
            left["webhook"] = String(decoding: webhook.requests[first].body, as: UTF8.self)
            for command in [
                ["export", "minji@example.com", "--format", "ical"],
                ["push", "list", "minji@example.com", "--output", "json"],
                ["preview", "minji@example.com", "--output", "json"], ["report", "dday", "--output", "json"],
                ["report", "push_outcomes", "--output", "json"],
            ] {
                let result = try await cherish.run(command + ["--now", Self.alarm])
                try #require(result.status == 0, "\(command): \(result.errors)")
                left[command[0...1].joined(separator: " ")] = result.output
            }
            return left
        }
    }

    /// Runs of 16 and more hexadecimal digits, with or without dashes: ids and digests.
    private func digests(_ text: String) -> Set<String> {
        let runs = text.lowercased().matches(of: #/[0-9a-f]{4}[0-9a-f-]{12,}/#).map {
            String($0.output).replacing("-", with: "")
        }
        return Set(runs.filter { $0.count >= 16 })
    }

    /// Erases the account and resets the calendar, so that the database knows no more of it than a new one.
    private func becomeAnotherDatabase() async throws {
        let erased = try await Program.cherish.run("account", "erase", "minji@example.com", "--yes")
        try #require(erased.status == 0, "\(erased.errors)")
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await pool.withConnection { connection in
            try await connection.script("TRUNCATE occurrence; UPDATE lane SET cursor_at = '2027-01-01'")
        }
        await pool.close()
    }

    @Test("two databases with the same account and friends share no id but the account's, and reveal no phone")
    func nothingShared() async throws {
        let webhook = try await WebhookReceiver.start(
            authority: try TestCertificateAuthority(), protocol: .plainHTTP1)
        let first = try await everythingThatLeaves(webhook)
        try await becomeAnotherDatabase()
        let second = try await everythingThatLeaves(webhook)
        await webhook.stop()
        let given = Self.account.replacing("-", with: "")
        for (name, text) in first {
            let shared = digests(text).intersection(digests(second[name] ?? "")).subtracting([given])
            #expect(shared.isEmpty, "\(name)")
            for phone in Self.phones { #expect(!text.contains(phone.dropFirst(2)), "\(name) reveals a phone") }
            // Of UUIDs, only version 4 is purely random.
            let isNameBased = text.contains(#/[0-9a-f]{8}-[0-9a-f]{4}-[1235-9a-f][0-9a-f]{3}-[0-9a-f]{4}-/#)
            #expect(!isNameBased, "\(name)")
        }
        for name in ["file", "webhook", "export minji@example.com", "report dday"] {
            #expect(digests(first[name] ?? "").subtracting([given]).count >= 1, "\(name) names no plant")
        }
    }
}
