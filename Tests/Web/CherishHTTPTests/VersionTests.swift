import CherishCore
import CherishRuntime
import CherishStore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Postgres
import Testing

@testable import CherishHTTP

/// Versions (rule 14.1), facts that a device names (rule 14.3), and devices that go with their session.
@Suite("Versions and facts over HTTP", .migratedDatabase)
struct VersionTests {
    @Test("each change of a friend, a tag and the settings makes the version grow, and the tag begins with it")
    func versionsGrow() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let friend = "/v1/friends/\(try await server.addFriend(token: token))"
            let tag = try await server.send("POST", "/v1/tags", ["name": "가족"], token: token)
            #expect(tag["version"] == 1)
            let changes: [(method: String, path: String, body: JSONValue?, version: Int)] = [
                ("PATCH", friend, ["nickname": "하나"], 2), ("PATCH", friend, ["addTags": ["가족"]], 3),
                ("POST", "\(friend)/waterings", ["method": "call"], 4), ("DELETE", friend, nil, 5),
                ("POST", "\(friend)/restoration", nil, 6), ("POST", "\(friend)/restoration", nil, 6),
                ("PATCH", "/v1/tags/\(try tag.text("id"))", ["name": "친구"], 2),
                ("PATCH", "/v1/account", ["nickname": "민"], 2), ("PATCH", "/v1/account", ["reviewPushes": false], 3),
            ]
            for change in changes {
                let answer = try await server.send(change.method, change.path, change.body, token: token)
                let version = answer["version"] ?? answer["plant"]?["version"]
                #expect(version == .integer(change.version), "\(change.method) \(change.path)")
            }
            let read = try await server.send("GET", friend, token: token)
            #expect(read["version"] == 6)
            #expect(try #require(read.headers.first(name: "ETag")).hasPrefix("\"6."))
        }
    }

    @Test("If-Match refuses what has changed since with 412 and what there is now; the newest version passes")
    func ifMatch() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let friend = "/v1/friends/\(try await server.addFriend(token: token))"
            let tag = try await server.send("POST", "/v1/tags", ["name": "가족"], token: token)
            let seen = try await server.send("GET", friend, token: token)
            let old = try #require(seen.headers.first(name: "ETag"))
            let edited = try await server.send("PATCH", friend, ["nickname": "하나"], token: token)
            let new = try #require(edited.headers.first(name: "ETag"))
            let requests: [(method: String, path: String, body: JSONValue?)] = [
                ("PATCH", friend, ["nickname": "둘"]), ("DELETE", friend, nil),
                ("POST", "\(friend)/waterings", ["method": "call"]), ("POST", "\(friend)/postponements", ["days": 1]),
                ("POST", "\(friend)/restoration", nil),
            ]
            for request in requests {
                let refused = try await server.send(
                    request.method, request.path, request.body, token: token, headers: ["If-Match": old])
                #expect(refused.status == 412 && refused.code == "version_passed", "\(request.method) \(request.path)")
            }
            let refused = try await server.send(
                "PATCH", friend, ["nickname": "둘"], token: token, headers: ["If-Match": old])
            #expect(refused["present"]?["nickname"] == "하나" && refused["present"]?["version"] == 2)
            for (method, path) in [("PATCH", "/v1/account"), ("PATCH", "/v1/tags/\(try tag.text("id"))")] {
                let body: JSONValue = method == "PATCH" && path == "/v1/account" ? ["nickname": "민"] : ["name": "새 이름"]
                let passed = try await server.send(method, path, body, token: token, headers: ["If-Match": "\"7\""])
                #expect(passed.status == 412, "\(path)")
            }
            #expect(try await server.send("GET", "/v1/account", token: token)["version"] == 1)
            for tag in [new, "W/\(new)", "\"2\"", "\"1\", \"2\"", "*"] {
                let body: JSONValue = ["nickname": .string(tag == "*" ? "끝" : "하나")]
                let sent = try await server.send(
                    "PATCH", friend, body, token: token,
                    headers: [
                        "If-Match": tag == new
                            ? tag : tag.replacing("2", with: try await version(friend, server, token))
                    ])
                #expect(sent.status == 200, "\(tag): \(sent.status)")
            }
            for odd in ["", " , ", "7", "\"x\"", "\"\"", "\"99999999999999999999\""] {
                let sent = try await server.send(
                    "PATCH", friend, ["nickname": "x"], token: token, headers: ["If-Match": odd])
                #expect(sent.status == 400 && sent.code == "invalid_header", "\(odd)")
            }
        }
    }

    private func version(_ path: String, _ server: TestServer, _ token: String) async throws -> String {
        guard case .integer(let version)? = try await server.send("GET", path, token: token)["version"] else {
            throw Missing(what: "version")
        }
        return "\(version)"
    }

    @Test("of two devices that edit what both saw, one is told that it was too late, however close they are")
    func race() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let friend = "/v1/friends/\(try await server.addFriend(token: token))"
            let statuses = Answers()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask {
                        await statuses.add(
                            try await server.send(
                                "PATCH", friend, ["nickname": .string("\(number)")], token: token,
                                headers: ["If-Match": "\"1\""]
                            ).status)
                    }
                }
                try await group.waitForAll()
            }
            #expect(await statuses.all.sorted() == [200] + Array(repeating: 412, count: 7))
        }
    }

    @Test("14.3: a watering and a postponement with an id are recorded once, however often they are sent")
    func factsAreRecordedOnce() async throws {
        let dDay = Instant("2027-03-08T03:00:00Z")!
        try await TestServer.run(time: .fixed(dDay)) { server in
            let token = try await server.signUp("minji@example.com")
            let friend = "/v1/friends/\(try await server.addFriend(token: token))"
            let watering: JSONValue = ["id": .string(UUID().uuidString), "method": "call", "keywords": ["이사"]]
            var answers: [Answer] = []
            for _ in 1...3 {
                answers.append(try await server.send("POST", "\(friend)/waterings", watering, token: token))
            }
            #expect(answers.allSatisfy { $0.status == 201 })
            #expect(Set(answers.map(\.body)).count == 1)
            #expect(answers[0]["watering"]?["pointsGained"] == 16)
            #expect(answers[0]["plant"]?["wateringCount"] == 1)
            // Another id is another contact; the same id with another friend, too.
            let second = try await server.send(
                "POST", "\(friend)/waterings", ["id": .string(UUID().uuidString), "method": "call"], token: token)
            #expect(second["plant"]?["wateringCount"] == 2)
        }
    }

    @Test("14.3: a postponement is judged as of when it was made, and refused if the due date is another by now")
    func postponementsAreJudgedWhenMade() async throws {
        var (token, friend) = ("", "")
        try await TestServer.run(time: .fixed(Instant("2027-03-01T03:00:00Z")!)) { server in
            token = try await server.signUp("minji@example.com")
            friend = try await server.addFriend(token: token)
        }
        // Due on the 8th, and withered since.
        try await TestServer.run(time: .fixed(Instant("2027-03-10T03:00:00Z")!)) { server in
            let fact = UUID().uuidString
            func postpone(_ body: JSONValue) async throws -> Answer {
                try await server.send("POST", "/v1/friends/\(friend)/postponements", body, token: token)
            }
            #expect(try await postpone(["days": 3]).code == "withered")
            #expect(try await postpone(["days": 3, "madeAt": "2027-03-07T03:00:00Z"]).code == "not_yet_due")
            let old = try await postpone(["days": 3, "madeAt": "2027-03-02T03:00:00Z"])
            #expect(old.status == 422 && old.code == "made_too_long_ago")
            let other = try await postpone(["days": 3, "fromDueOn": "2027-03-09", "madeAt": "2027-03-08T03:00:00Z"])
            #expect(other.status == 409 && other.code == "due_date_changed")
            let body: JSONValue = [
                "id": .string(fact), "days": 3, "fromDueOn": "2027-03-08", "madeAt": "2027-03-08T03:00:00Z",
            ]
            for _ in 1...2 {
                let postponed = try await postpone(body)
                #expect(
                    postponed.status == 201 && postponed["dueOn"] == "2027-03-11" && postponed["postponementCount"] == 1
                )
            }
            // A watering counts for the day on which it was made; a clock that is ahead does not matter.
            let waterings = "/v1/friends/\(friend)/waterings"
            let late = try await server.send(
                "POST", waterings, ["method": "call", "madeAt": "2027-03-08T14:59:59Z"], token: token)
            #expect(late["watering"]?["wateredOn"] == "2027-03-08")
            let ahead = try await server.send(
                "POST", waterings, ["method": "call", "madeAt": "2027-03-11T20:00:00Z"], token: token)
            #expect(ahead["watering"]?["wateredOn"] == "2027-03-10")
        }
    }

    @Test("ASVS 7.2.4: whoever signs in again ends the session that came along, and keeps its phones")
    func signingInAgain() async throws {
        try await TestServer.run { server in
            let (first, other) = (
                try await server.signUp("minji@example.com"), try await server.signUp("hana@example.com")
            )
            func signIn(_ email: String, _ headers: [String: String], isPage: Bool = false) async throws -> Answer {
                let answer = try await server.send(
                    "POST", "/v1/sessions",
                    ["email": .string(email), "password": .string(TestServer.password), "cookie": .boolean(isPage)],
                    headers: headers.merging(isPage ? ["Sec-Fetch-Site": "same-origin"] : [:]) { _, new in new })
                #expect(answer.status == 201, "\(answer.code ?? "")")
                return answer
            }
            func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }
            func status(_ headers: [String: String]) async throws -> Int {
                try await server.send("GET", "/v1/account", headers: headers).status
            }
            func phones(_ headers: [String: String]) async throws -> JSONValue? {
                try await server.send("GET", "/v1/devices", headers: headers)["devices"]?[0]?["token"]
            }
            let added = try await server.send(
                "POST", "/v1/devices", ["platform": "ios", "token": "phone"], token: first)
            #expect(added.status == 201)
            // A wrong password ends nothing.
            let refused = try await server.send(
                "POST", "/v1/sessions", ["email": "minji@example.com", "password": "wrong-7-umbrella"], token: first)
            #expect(refused.status == 401)
            #expect(try await status(bearer(first)) == 200)
            // The same person, as an app and then as a page.
            let second = bearer(try await signIn("minji@example.com", bearer(first)).text("token"))
            #expect(try await status(bearer(first)) == 401)
            #expect(try await phones(second) == "phone")
            let page = try await signIn("minji@example.com", second, isPage: true)
            let cookie = try #require(page.headers.first(name: "Set-Cookie")?.split(separator: ";").first)
            let own = ["Cookie": String(cookie), "Sec-Fetch-Site": "same-origin"]
            #expect(try await status(second) == 401)
            #expect(try await phones(own) == "phone")
            // A token that is worth nothing is no obstacle.
            _ = try await signIn("minji@example.com", second)
            // Somebody else: the browser gets no more pushes of the person before.
            _ = try await signIn("hana@example.com", own, isPage: true)
            #expect(try await status(own) == 401)
            let third = bearer(try await server.signIn("minji@example.com"))
            #expect(try await phones(third) == nil)
            // Sessions elsewhere go on.
            #expect(try await status(bearer(other)) == 200)
            // Nobody could get into an anonymous account again.
            let anonymous = try await server.send(
                "POST", "/v1/accounts/anonymous", ["nickname": "M", "timeZone": "Asia/Seoul", "language": "ko"])
            let alone = bearer(try anonymous.text("token"))
            _ = try await signIn("hana@example.com", alone)
            #expect(try await status(alone) == 200)
        }
    }

    @Test("whoever signs out gets no more pushes: the phone goes with its session, a webhook stays")
    func devicesGoWithTheirSession() async throws {
        try await TestServer.run { server in
            let first = try await server.signUp("minji@example.com")
            let second = try await server.signIn("minji@example.com")
            func add(_ platform: String, _ name: String, _ token: String) async throws {
                let sent = try await server.send(
                    "POST", "/v1/devices", ["platform": .string(platform), "token": .string(name)], token: token)
                #expect(sent.status == 201, "\(sent.code ?? "")")
            }
            func devices() async throws -> Set<String> {
                guard case .array(let devices)? = try await server.send("GET", "/v1/devices", token: second)["devices"]
                else {
                    return []
                }
                return Set(devices.compactMap { if case .string(let token)? = $0["token"] { token } else { nil } })
            }
            try await add("ios", "phone", first)
            try await add("android", "tablet", second)
            try await add("webhook", "https://example.com/hook", first)
            #expect(try await devices() == ["phone", "tablet", "https://example.com/hook"])
            #expect(try await server.send("DELETE", "/v1/session", token: first).status == 204)
            #expect(try await devices() == ["tablet", "https://example.com/hook"])
            // The next who has the phone takes it from nobody.
            let owner = TestDatabase.current.pool(maximumConnections: 1)
            let tokens = try await owner.withConnection { try await $0.query("SELECT token FROM device_token") }
            #expect(try tokens.map { try $0.decode(0, as: String.self) } == ["tablet"])
            await owner.close()
        }
    }
}
