import CherishCore
import CherishStore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Postgres
import Testing

@testable import CherishHTTP

/// Edits of several devices, put in order by the time at which people made them (rule 14.3).
@Suite("Edits of several devices over HTTP", .migratedDatabase)
struct EditTimeRouteTests {
    private static let now = Instant("2027-03-05T10:00:00Z")!

    /// Something that devices edit.
    private struct Item {
        let path: String
        /// The part that is edited, and two values of it.
        let part: String
        let values: (JSONValue, JSONValue)
        /// Another part, with a value.
        let other: (part: String, value: JSONValue)
        var method = "PATCH"
    }

    private func items(_ server: TestServer, _ token: String) async throws -> [Item] {
        let friend = try await server.addFriend(token: token)
        let thing = try await server.send(
            "POST", "/v1/things", ["kind": "reminder", "title": "치과", "dueOn": "2027-03-10"], token: token)
        let tag = try await server.send("POST", "/v1/tags", ["name": "가족"], token: token)
        let list = try await server.send("POST", "/v1/lists", ["title": "장보기", "entries": []], token: token)
        return [
            Item(
                path: "/v1/friends/\(friend)", part: "nickname", values: ("하나", "둘"), other: ("favourite", true)),
            Item(path: "/v1/friends/\(friend)", part: "cycleDays", values: (14, 21), other: ("birthday", "05-21")),
            Item(
                path: "/v1/things/\(try thing.text("id"))", part: "title", values: ("검진", "치과 검진"),
                other: ("dueOn", "2027-03-11")),
            Item(path: "/v1/tags/\(try tag.text("id"))", part: "name", values: ("식구", "친구"), other: ("cycleDays", 9)),
            Item(
                path: "/v1/lists/\(try list.text("id"))", part: "title", values: ("장", "시장"), other: ("note", "문 앞에")),
            Item(path: "/v1/account", part: "nickname", values: ("민", "지"), other: ("reviewPushes", false)),
        ]
    }

    @Test("of two edits of a part the newer stays, although it arrives first; the parts that only the older has, count")
    func newerWins() async throws {
        try await TestServer.run(time: .fixed(Self.now)) { server in
            let token = try await server.signUp("minji@example.com")
            for item in try await items(server, token) {
                let newer = try await server.send(
                    "PATCH", item.path,
                    .object([item.part: item.values.0, "modifiedAt": "2027-03-05T09:00:03Z"]), token: token)
                #expect(newer.status == 200 && newer[item.part] == item.values.0, "\(item.path) \(newer.body)")
                let cursor = try await server.send("GET", "/v1/changes", token: token).text("cursor")
                // Nothing is left of this one: it changes nothing, and no device hears of it.
                let overtaken = try await server.send(
                    "PATCH", item.path,
                    .object([item.part: item.values.1, "modifiedAt": "2027-03-05T09:00:01Z"]), token: token)
                #expect(overtaken.status == 200 && overtaken[item.part] == item.values.0, "\(item.path)")
                #expect(overtaken["version"] == newer["version"])
                #expect(
                    try await server.send("GET", "/v1/changes?after=\(cursor)", token: token).text("cursor") == cursor)
                let half = try await server.send(
                    "PATCH", item.path,
                    .object([
                        item.part: item.values.1, item.other.part: item.other.value,
                        "modifiedAt": "2027-03-05T09:00:02.9Z",
                    ]), token: token)
                #expect(half[item.part] == item.values.0 && half[item.other.part] == item.other.value, "\(item.path)")
                // A tie: the later arrival.
                let tie = try await server.send(
                    "PATCH", item.path,
                    .object([item.part: item.values.1, "modifiedAt": "2027-03-05T18:00:03.5+09:00"]), token: token)
                #expect(tie[item.part] == item.values.1, "\(item.path)")
                // Somebody who edits what the page shows needs no time.
                let plain = try await server.send("PATCH", item.path, .object([item.part: item.values.0]), token: token)
                #expect(plain[item.part] == item.values.0, "\(item.path)")
                let old = try await server.send(
                    "PATCH", item.path,
                    .object([item.part: item.values.1, "modifiedAt": "2026-12-01T00:00:00Z"]), token: token)
                #expect(old.status == 422 && old.code == "made_too_long_ago", "\(item.path)")
            }
        }
    }

    @Test("an added and a removed tag are parts of their own, of a friend and of a thing")
    func tags() async throws {
        try await TestServer.run(time: .fixed(Self.now)) { server in
            let token = try await server.signUp("minji@example.com")
            for name in ["집", "회사"] {
                _ = try await server.send("POST", "/v1/tags", ["name": .string(name)], token: token)
            }
            let tagged = try await items(server, token).filter { ["favourite", "dueOn"].contains($0.other.part) }
            for item in tagged {
                func edit(_ body: JSONValue, at second: Int) async throws -> [JSONValue] {
                    guard case .object(var fields) = body else { return [] }
                    fields["modifiedAt"] = .string("2027-03-05T09:00:0\(second)Z")
                    let answer = try await server.send("PATCH", item.path, .object(fields), token: token)
                    guard case .array(let tags)? = answer["tags"] else { throw Missing(what: "tags: \(answer.body)") }
                    return tags
                }
                #expect(try await edit(["addTags": ["집"]], at: 5).count == 1)
                #expect(try await edit(["removeTags": ["집"], "addTags": ["회사"]], at: 4).count == 2)
                #expect(try await edit(["removeTags": ["집", "회사"]], at: 6).isEmpty)
                #expect(try await edit(["addTags": ["집"]], at: 5).isEmpty)
            }
        }
    }

    @Test("a deletion beats older edits, and is refused if there is a newer one")
    func deletions() async throws {
        try await TestServer.run(time: .fixed(Self.now)) { server in
            let token = try await server.signUp("minji@example.com")
            let items = try await items(server, token).filter { $0.path != "/v1/account" && $0.part != "cycleDays" }
            for item in items {
                _ = try await server.send(
                    "PATCH", item.path,
                    .object([item.part: item.values.0, "modifiedAt": "2027-03-05T09:00:03Z"]), token: token)
                func delete(_ time: String) async throws -> Answer {
                    try await server.send("DELETE", "\(item.path)?modifiedAt=\(time)", token: token)
                }
                let refused = try await delete("2027-03-05T09:00:02Z")
                #expect(refused.status == 409 && refused.code == "edited_since", "\(item.path) \(refused.body)")
                #expect(try await server.send("GET", item.path, token: token)[item.part] == item.values.0)
                #expect(try await delete("2027-03-05T09:00:03Z").status < 300, "\(item.path)")
                let late = try await server.send(
                    "PATCH", item.path,
                    .object([item.part: item.values.1, "modifiedAt": "2027-03-05T09:00:03Z"]), token: token)
                #expect(late.status == (item.path.contains("friends") ? 409 : 404), "\(item.path)")
            }
            // Brought back since: what was edited and deleted before does not count against it.
            let friend = try #require(items.first).path
            _ = try await server.send("POST", "\(friend)/restoration", token: token)
            let old = try await server.send("DELETE", "\(friend)?modifiedAt=2027-03-05T09:30:00Z", token: token)
            #expect(old.code == "edited_since")
            #expect(try await server.send("DELETE", friend, token: token).status == 200)
        }
    }

    @Test("a review is written, deleted and declined in the order in which people did it")
    func reviews() async throws {
        try await TestServer.run(time: .fixed(Self.now)) { server in
            let token = try await server.signUp("minji@example.com")
            let friends = [
                try await server.addFriend("010-1234-5678", token: token),
                try await server.addFriend("010-1234-5679", name: "이둘", token: token),
            ]
            for friend in friends {
                _ = try await server.send("POST", "/v1/friends/\(friend)/waterings", ["method": "call"], token: token)
            }
            let review = "/v1/friends/\(friends[0])/waterings/2027-03-05/review"
            func write(_ memo: String, at time: String) async throws -> JSONValue? {
                try await server.send(
                    "PUT", review, ["memo": .string(memo), "modifiedAt": .string(time)], token: token)["watering"]?[
                        "memo"]
            }
            #expect(try await write("새 것", at: "2027-03-05T09:00:03Z") == "새 것")
            #expect(try await write("옛 것", at: "2027-03-05T09:00:02Z") == "새 것")
            let kept = try await server.send("DELETE", "\(review)?modifiedAt=2027-03-05T09:00:01Z", token: token)
            #expect(kept.status == 200 && kept["watering"]?["memo"] == "새 것")
            let deleted = try await server.send("DELETE", "\(review)?modifiedAt=2027-03-05T09:00:05Z", token: token)
            #expect(deleted["watering"]?["memo"] == .null)
            #expect(try await write("옛 것", at: "2027-03-05T09:00:04Z") == .null)
            // The watering of another friend has an order of its own.
            let other = try await server.send(
                "PUT", "/v1/friends/\(friends[1])/waterings/2027-03-05/review",
                ["memo": "하나", "modifiedAt": "2027-03-05T08:00:00Z"], token: token)
            #expect(other["watering"]?["memo"] == "하나")
        }
    }

    @Test("housekeeping forgets times that no edit is compared with any more")
    func forgetting() async throws {
        try await TestServer.run(time: .fixed(Self.now)) { server in
            let token = try await server.signUp("minji@example.com")
            let friend = "/v1/friends/\(try await server.addFriend(token: token))"
            _ = try await server.send("PATCH", friend, ["nickname": "하나"], token: token)
        }
        let pool = TestDatabase.current.pool(maximumConnections: 2)
        for (days, count) in [(90, 1), (91, 0)] {
            _ = try await Housekeeping(
                pool: pool, time: .fixed(Self.now.adding(hours: 24 * days)), retention: 90
            ).run()
            let rows = try await pool.withConnection { try await $0.query("SELECT count(*) FROM edited_item") }
            #expect(try rows.first?.decode(0, as: Int64.self) == Int64(count))
        }
    }
}
