import CherishCore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Testing

@testable import CherishHTTP
@testable import WebGarden

/// Shared reminders and calendars by secret links (rule 10.12), over HTTP and on pages.
@Suite("10.12: secret links over HTTP", .migratedDatabase)
struct LinkRouteTests {
    private let start = Instant("2027-03-01T01:00:00Z")!

    private func withReminder(
        at now: Instant? = nil, _ body: (TestServer, _ token: String, _ thing: String) async throws -> Void
    ) async throws {
        try await TestServer.run(publicOrigin: "https://cherish.example", time: .fixed(now ?? start)) { server in
            let token = try await server.signUp("minji@example.com")
            let thing = try await server.send(
                "POST", "/v1/things",
                [
                    "kind": "reminder", "title": "치과", "note": "3층", "dueOn": "2027-03-05", "dueTime": "15:00",
                    "alerts": [["daysBefore": 1, "time": "20:00"]], "notice": "daily",
                ], token: token)
            try await body(server, token, "/v1/things/\(try thing.text("id"))")
        }
    }

    /// The body of an answer without what tells requests apart.
    private func comparable(_ answer: Answer) -> String {
        String(decoding: answer.body, as: UTF8.self).replacing(#/"requestId":"[^"]*"/#, with: "")
    }

    @Test("whoever has a link sees the reminder and nothing else, and takes a copy with its alerts")
    func sharing() async throws {
        try await withReminder { server, token, thing in
            let made = try await server.send("POST", "\(thing)/shares", ["days": 3], token: token)
            #expect(made.status == 201 && made["expiresAt"] == "2027-03-04T01:00:00Z")
            let secret = try made.text("token")
            #expect(made["url"] == .string("https://cherish.example/shared/\(secret)"))
            let listed = try await server.send("GET", "\(thing)/shares", token: token)
            #expect(!String(decoding: listed.body, as: UTF8.self).contains(secret))

            let seen = try await server.send("GET", "/v1/shares/\(secret)")
            #expect(try seen.json == ["title": "치과", "note": "3층", "dueOn": "2027-03-05", "dueTime": "15:00"])
            let jun = try await server.signUp("jun@example.com")
            let copy = try await server.send("POST", "/v1/shares/\(secret)/copies", token: jun)
            #expect(
                copy.status == 201 && copy["title"] == "치과" && copy["dueTime"] == "15:00" && copy["notice"] == "daily")
            #expect(copy["alerts"] == [["daysBefore": 1, "time": "20:00", "minutesBefore": .null]])
            #expect(copy["kind"] == "reminder" && copy["id"] != .string(String(thing.dropFirst(11))))
            #expect(try await server.send("POST", "/v1/shares/\(secret)/copies").status == 401)

            let keyed = try await server.send(
                "POST", "\(thing)/shares", [:], token: token, headers: ["Idempotency-Key": "k-12345678"])
            let owner = TestDatabase.current.pool(maximumConnections: 1)
            let kept = try await owner.withConnection {
                try await $0.query("SELECT 1 FROM idempotent_request WHERE key LIKE 'k-%'")
            }
            await owner.close()
            #expect(kept.isEmpty, "no answer with a token is kept: \(keyed.status)")
            for days in [0, 31] {
                let refused = try await server.send(
                    "POST", "\(thing)/shares", ["days": .integer(days)], token: token)
                #expect(refused.status == 422 && refused["code"] == "invalid_share_days")
            }
        }
    }

    @Test(
        "a link that is over, was withdrawn or never was, and one of a thing that is done or deleted, answer the same")
    func sameAnswer() async throws {
        var answers: Set<String> = []
        var statuses: Set<Int> = []
        func look(_ server: TestServer, _ secret: String) async throws {
            let answer = try await server.send("GET", "/v1/shares/\(secret)")
            answers.insert(comparable(answer))
            statuses.insert(answer.status)
        }
        try await withReminder { server, token, thing in
            let made = try await server.send("POST", "\(thing)/shares", [:], token: token)
            let secret = try made.text("token")
            try await look(server, String(secret.dropLast()) + (secret.hasSuffix("A") ? "B" : "A"))
            try await look(server, "x")
            _ = try await server.send("POST", "\(thing)/completion", [:], token: token)
            try await look(server, secret)
            _ = try await server.send("DELETE", "\(thing)/completion", token: token)
            #expect(try await server.send("GET", "/v1/shares/\(secret)").status == 200)
            let withdrawn = try await server.send("DELETE", "/v1/shares/\(try made.text("id"))", token: token)
            #expect(withdrawn.status == 204)
            try await look(server, secret)
            let other = try await server.send("POST", "\(thing)/shares", [:], token: token).text("token")
            try await TestServer.run(time: .fixed(start.adding(hours: 7 * 24))) { try await look($0, other) }
            _ = try await server.send("DELETE", thing, token: token)
            try await look(server, other)
        }
        #expect(answers.count == 1 && statuses == [404], "\(answers)")
    }

    @Test("a feed has what the export has, says when nothing changed, and ends when it is withdrawn")
    func feed() async throws {
        try await withReminder { server, token, thing in
            _ = try await server.addFriend("010-7777-7777", name: "김하나", token: token)
            let made = try await server.send("POST", "/v1/feeds", token: token)
            #expect(made.status == 201)
            let path = "/v1/feeds/\(try made.text("token")).ics"
            #expect(made["url"] == .string("https://cherish.example\(path)"))
            let first = try await server.send("GET", path)
            #expect(first.status == 200 && first.headers.first(name: "Content-Type") == "text/calendar; charset=utf-8")
            let text = String(decoding: first.body, as: UTF8.self)
            #expect(text.contains("SUMMARY:치과") && text.contains("REFRESH-INTERVAL;VALUE=DURATION:PT4H"))
            let events = text.split(separator: "BEGIN:VEVENT").filter { $0.contains("-due@cherish") }
            #expect(!events.isEmpty && events.allSatisfy { $0.contains("\r\nLAST-MODIFIED:20270301T010000Z\r\n") })
            let tag = try #require(first.headers.first(name: "ETag"))
            // The same day, a while later.
            try await TestServer.run(time: .fixed(start.adding(hours: 5))) { later in
                let same = try await later.send("GET", path, headers: ["If-None-Match": tag])
                #expect(same.status == 304 && same.body.isEmpty)
                _ = try await later.send("PATCH", thing, ["title": "치과 검진"], token: token)
                let changed = try await later.send("GET", path, headers: ["If-None-Match": tag])
                #expect(changed.status == 200)
                let text = String(decoding: changed.body, as: UTF8.self)
                #expect(text.contains("SEQUENCE:1\r\n") && text.contains("LAST-MODIFIED:20270301T060000Z"))
            }
            let gone = try await server.send("DELETE", "/v1/feeds/\(try made.text("id"))", token: token)
            #expect(gone.status == 204)
            let after = try await server.send("GET", path)
            let never = try await server.send("GET", "/v1/feeds/x.ics")
            #expect(after.status == 404 && comparable(after) == comparable(never))
            #expect(try await server.send("GET", String(path.dropLast(4))).status == 404)
        }
    }

    @Test("pages: a link is made, shown once, opened by a stranger, copied, and withdrawn")
    func pages() async throws {
        try await TestVisitor.run(time: .fixed(start)) { server, visitor in
            let minji = visitor()
            try await minji.signUp("minji@example.com")
            let added = try await minji.submit(
                "/things/new",
                [("kind", "reminder"), ("title", "Dentist <b>"), ("due", "tomorrow"), ("note", "3rd floor")])
            let thing = "/things/\(String(try added.location.split(separator: "=").last ?? ""))"
            #expect(try await minji.open(thing).text.contains("href=\"\(thing)/shares\""))
            let made = try await minji.submit("\(thing)/shares", [("days", "3")])
            let link = try #require(made.text.firstMatch(of: #/readonly value="(?:https?://[^/]*)(/shared/[^"]+)"/#)?.1)
            let page = try await minji.open("\(thing)/shares")
            #expect(!page.text.contains(link) && page.text.contains("until Thursday, 4 March"))

            let stranger = visitor()
            let seen = try await stranger.open(String(link))
            #expect(seen.text.contains("<h1><bdi>Dentist &lt;b&gt;</bdi></h1>") && seen.text.contains("3rd floor"))
            #expect(seen.text.contains("2 March 2027") && !seen.text.contains("minji"))
            #expect(seen.headers.first(name: "X-Robots-Tag") == "noindex")
            #expect(seen.headers.first(name: "Cache-Control") == "no-store")
            #expect(seen.headers.first(name: "Referrer-Policy") == "no-referrer")
            #expect(seen.text.contains("href=\"/sign-in?next=\(link)\""))
            #expect(try await stranger.submit(String(link), []).status == 401)
            let jun = visitor()
            try await jun.signUp("jun@example.com")
            let copied = try await jun.submit(String(link), [])
            #expect(try await jun.open(try copied.location).text.contains("Dentist &lt;b&gt;"))

            let removal = try #require(page.text.firstMatch(of: #/action="([^"]+/removal)"/#)?.1)
            #expect(try await minji.submit(String(removal), []).status == 303)
            let over = try await stranger.open(String(link))
            let never = try await stranger.open("/shared/x")
            #expect(over.status == 404 && never.status == 404)

            let feed = try await minji.submit("/more/feeds", [])
            #expect(feed.text.contains("/v1/feeds/") && feed.text.contains(".ics\""))
            let feeds = try await minji.open("/more/feeds")
            #expect(!feeds.text.contains(".ics") && feeds.text.contains("made on"))
            let owner = TestDatabase.current.pool(maximumConnections: 1)
            let kept = try await owner.withConnection {
                try await $0.query(
                    "SELECT 1 FROM idempotent_request WHERE position('/shared/' in encode(body, 'escape')) > 0")
            }
            await owner.close()
            #expect(kept.isEmpty, "no answer with a token is kept")
        }
    }
}
