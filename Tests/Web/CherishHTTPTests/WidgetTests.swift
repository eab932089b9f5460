import CherishCore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Testing

@testable import CherishHTTP

@Suite("14.4: the widget", .migratedDatabase)
struct WidgetTests {
    private static let now = Instant("2027-03-05T03:00:00Z")!

    private func add(
        _ kind: String, _ title: String, _ dueOn: String, _ time: String? = nil, _ server: TestServer, _ token: String
    )
        async throws
    {
        let answer = try await server.send(
            "POST", "/v1/things",
            [
                "kind": .string(kind), "title": .string(title), "dueOn": .string(dueOn),
                "dueTime": time.map(JSONValue.string) ?? .null,
            ], token: token)
        #expect(answer.status == 201)
    }

    private func entries(_ answer: Answer) throws -> [JSONValue] {
        guard case .array(let entries)? = answer["entries"] else { throw Missing(what: "entries in \(answer.status)") }
        return entries
    }

    @Test("what is due today comes first, by its time, then what is overdue, the newest first; all of it is counted")
    func order() async throws {
        // A friend of 4 days before, and one who is due today.
        let days = [Self.now.adding(hours: -24 * 7), Self.now.adding(hours: -24 * 3)]
        try await TestServer.run(time: .fixed(days[0])) { server in
            let token = try await server.signUp("minji@example.com")
            _ = try await server.send(
                "POST", "/v1/friends", ["name": "하나", "phone": "010-1111-1111", "cycleDays": 3], token: token)
            _ = try await server.send(
                "POST", "/v1/friends", ["name": "두리", "phone": "010-2222-2222", "cycleDays": 7], token: token)
            _ = try await server.send(
                "POST", "/v1/friends", ["name": "later", "phone": "010-3333-3333", "cycleDays": 8], token: token)
            try await add("reminder", "tomorrow", "2027-03-06", nil, server, token)
            try await add("reminder", "evening", "2027-03-05", "19:30", server, token)
            try await add("reminder", "morning", "2027-03-05", "08:00", server, token)
            try await add("food", "milk", "2027-03-04", nil, server, token)
            try await TestServer.run(time: .fixed(Self.now)) { server in
                let answer = try await server.send("GET", "/v1/today", token: token)
                let entries = try entries(answer)
                #expect(entries.map { $0["title"] } == ["morning", "evening", "두리", "milk", "하나"])
                #expect(entries.map { $0["kind"] } == ["reminder", "reminder", "friend", "food", "friend"])
                #expect(entries.map { $0["daysLeft"] } == [0, 0, 0, -1, -4])
                #expect(entries.map { $0["time"] } == ["08:00", "19:30", .null, .null, .null])
                #expect((answer["dueCount"], answer["overdueCount"], answer["day"]) == (3, 2, "2027-03-05"))
                let small = try await server.send("GET", "/v1/today?size=small", token: token)
                #expect(try self.entries(small).count == 3)
                #expect((small["dueCount"], small["overdueCount"]) == (3, 2))
                // One tap completes a thing.
                guard case .string(let path)? = answer["thingCompletion"], case .string(let id)? = entries[0]["id"]
                else {
                    throw Missing(what: "a completion")
                }
                let done = try await server.send("POST", path.replacing("{id}", with: id), [:], token: token)
                #expect(done.status == 200)
                #expect(try await server.send("GET", "/v1/today", token: token)["dueCount"] == 2)
                #expect(
                    answer["friendLink"] == "cherish://plants/{id}" && answer["thingLink"] == "cherish://things/{id}")
            }
        }
    }

    @Test("has at most 3 KiB, whatever the titles, and may be kept for a minute")
    func length() async throws {
        try await TestServer.run(time: .fixed(Self.now)) { server in
            let token = try await server.signUp("minji@example.com")
            let family = "👨‍👩‍👧‍👦"
            for title in [
                String(repeating: "가", count: 100), String(repeating: family, count: 100),
                String(repeating: "\"", count: 100),
            ] {
                for _ in 0..<4 { try await add("reminder", title, "2027-03-01", "10:00", server, token) }
            }
            for size in ["small", "medium", "large"] {
                let answer = try await server.send("GET", "/v1/today?size=\(size)", token: token)
                #expect(answer.status == 200 && answer.body.count <= 3 * 1024, "\(size): \(answer.body.count)")
                #expect(answer.headers["Cache-Control"] == ["private, max-age=60"])
                let tag = try #require(answer.headers["ETag"].first)
                let again = try await server.send(
                    "GET", "/v1/today?size=\(size)", token: token, headers: ["If-None-Match": tag])
                #expect(again.status == 304)
            }
            let answer = try await server.send("GET", "/v1/today", token: token)
            let titles = try entries(answer).compactMap {
                if case .string(let title)? = $0["title"] { title } else { nil }
            }
            #expect(titles.count == 12)
            #expect(Set(titles.map(\.count)) == [40, 4])
            #expect(try await server.send("GET", "/v1/today?size=huge", token: token).status == 422)
        }
    }
}
