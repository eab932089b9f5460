import CherishCore
import CherishService
import CherishTestSupport
import DocumentEncoding
import Foundation
import Testing

@testable import CherishHTTP

/// What every route does, whatever it is about.
@Suite("The door", .migratedDatabase)
struct DoorTests {
    @Test("a request that is repeated with its key happens once, and gets the first answer again")
    func idempotency() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let body: JSONValue = ["name": "김하나", "phone": "010-1234-5678", "cycleDays": 7]
            func post(_ key: String, _ body: JSONValue) async throws -> Answer {
                try await server.send(
                    "POST", "/v1/friends", body, token: token, headers: ["Idempotency-Key": key])
            }
            let first = try await post("key", body)
            let again = try await post("key", body)
            #expect(first.status == 201 && again.status == 201)
            #expect(again.body == first.body)
            let other = try await post("key", ["name": "이둘", "phone": "010-1234-5679", "cycleDays": 7])
            #expect(other.status == 422 && other.code == "idempotency_conflict")
            // What was refused changed nothing, and may be tried again.
            #expect(try await post("second", body).code == "duplicate_phone")
            _ = try await server.send("DELETE", "/v1/friends/\(try first.text("id"))", token: token)
            #expect(try await post("second", body).status == 201)
            // The keys of another session do not matter.
            let stranger = try await server.signUp("jun@example.com")
            let theirs = try await server.send(
                "POST", "/v1/friends", body, token: stranger, headers: ["Idempotency-Key": "key"])
            #expect(theirs.status == 201 && theirs.body != first.body)
            for key in ["", String(repeating: "k", count: 65), "a b"] {
                #expect(try await post(key, body).status == 400)
            }
        }
    }

    @Test("what waits in a file is readable by nobody else, also not by programs that the server starts")
    func spooledFile() async throws {
        let file = try await SpooledFile.write { write in try write(Array("secret".utf8)) }
        let found = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return target?.contains("/cherish-") == true && target?.hasSuffix(" (deleted)") == true
        }
        #expect(!found.isEmpty)
        for number in found {
            // Another test may have closed its own meanwhile.
            guard let info = try? String(contentsOfFile: "/proc/self/fdinfo/\(number)", encoding: .utf8) else {
                continue
            }
            let flags = try #require(info.firstMatch(of: #/flags:\s+([0-7]+)/#).flatMap { Int32($0.1, radix: 8) })
            #expect(flags & O_CLOEXEC != 0)
        }
        #expect(try file.piece(0..<6) == Array("secret".utf8))
    }

    @Test("a deadline ends work, unless the work puts it off")
    func deadline() async throws {
        await #expect(throws: RefusedRequest.tooSlow) {
            try await Deadline.within(.milliseconds(1), orThrow: RefusedRequest.tooSlow) { _ in
                try await Task.sleep(for: longWait)
            }
        }
        try await Deadline.within(.milliseconds(1), orThrow: RefusedRequest.tooSlow) { end in
            end.postpone(by: longWait, most: longWait)
            try await Task.sleep(for: .milliseconds(500))
        }
        await #expect(throws: RefusedRequest.tooSlow) {
            try await Deadline.within(.milliseconds(1), orThrow: RefusedRequest.tooSlow) { end in
                end.postpone(by: longWait, most: .milliseconds(1))
                try await Task.sleep(for: longWait)
            }
        }
    }

    @Test("many requests with one key at once make one friend")
    func concurrentRepetition() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let friend = try await server.addFriend(token: token)
            let statuses = Answers()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...10 {
                    group.addTask {
                        await statuses.add(
                            try await server.send(
                                "POST", "/v1/friends/\(friend)/waterings", ["method": "call"], token: token,
                                headers: ["Idempotency-Key": "key"]
                            ).status)
                    }
                }
                try await group.waitForAll()
            }
            #expect(await Set(statuses.all).isSubset(of: [201, 409]))
            #expect(await statuses.all.contains(201))
            let stats = try await server.send("GET", "/v1/stats", token: token)
            #expect(stats["wateringCount"] == 1)
        }
    }

    @Test("an attempt that another one has replaced changes nothing")
    func takenOver() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(time: .fixed(start)) { server in
            let token = try await server.signUp("minji@example.com")
            let people = server.people
            let visitor = try await people.visitor(token)
            let requests = people.requests(of: visitor)
            guard case .begun(let slow) = try await requests.begin(key: "k", parts: [[1]]) else {
                Issue.record("not begun")
                return
            }
            guard case .running = try await requests.begin(key: "k", parts: [[1]]) else {
                Issue.record("begun twice")
                return
            }
            try await TestServer.run(time: .fixed(start.adding(minutes: 1))) { later in
                let second = later.people.requests(of: visitor)
                guard case .begun = try await second.begin(key: "k", parts: [[1]]) else {
                    Issue.record("the dead attempt still counts")
                    return
                }
            }
            let garden = try await CareService(server.engine).garden(of: .account(visitor.accountID))
            await #expect(throws: (any Error).self) {
                try await requests.committing(slow) {
                    try await garden.addTag("too late", colour: nil, cycleDays: nil)
                }
            }
            #expect(try await garden.tags().isEmpty)
        }
    }

    @Test("all that is wrong is reported, and unknown names are refused")
    func invalidValues() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let answer = try await server.send(
                "POST", "/v1/friends",
                ["nam": "x", "phone": 5, "cycleDays": 91, "alarmTime": "25:00", "tags": ["a", 7], "a/b~c": 1],
                token: token)
            #expect(answer.status == 422)
            guard case .array(let errors)? = answer["errors"] else {
                Issue.record("no errors")
                return
            }
            let found = errors.map { "\($0["pointer"] ?? .null) \($0["code"] ?? .null)" }
            let expected: [(JSONValue, JSONValue)] = [
                ("/name", "missing"), ("/phone", "not_text"), ("/cycleDays", "invalid_cycle"),
                ("/alarmTime", "invalid_alarm"), ("/tags/1", "not_text"), ("/a~1b~0c", "unknown_name"),
                ("/nam", "unknown_name"),
            ]
            #expect(found == expected.map { "\($0.0) \($0.1)" })
            #expect(answer.headers.first(name: "Content-Type") == "application/problem+json")
            let query = try await server.send("GET", "/v1/friends?limit=0&sort=best&nope=1", token: token)
            #expect(query.status == 422)
            let one = try await server.send("POST", "/v1/tags", ["name": ""], token: token)
            #expect(one.code == "invalid_tag")
        }
    }

    @Test("problems are told in the language of Accept-Language, with the values that matter")
    func languages() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let friend = try await server.addFriend(token: token)
            func send(_ method: String, _ path: String, _ body: JSONValue?, _ language: String?) async throws -> Answer
            {
                try await server.send(
                    method, path, body, token: token, headers: language.map { ["Accept-Language": $0] } ?? [:])
            }
            let postponements = "/v1/friends/\(friend)/postponements"
            let early = try await send("POST", postponements, ["days": 3], "ko-KR,ko;q=0.9,en;q=0.8")
            #expect(early.code == "not_yet_due")
            #expect(try early.text("detail") == "물 주는 날까지 7일 남았어요. 물 주는 날에만 미룰 수 있어요.")
            #expect(try early.text("remedy") == "미루는 대신 물을 주세요.")
            #expect(early.headers.first(name: "Content-Language") == "ko")
            #expect(early.headers.first(name: "Vary") == "Accept-Language")
            for language in [nil, "en-GB", "fr", "ko;q=high"] {
                let answer = try await send("POST", postponements, ["days": 3], language)
                #expect(try answer.text("detail") == "it is D-7: only a plant on its D-day can be postponed")
                #expect(answer.headers.first(name: "Content-Language") == "en")
                #expect(answer.headers.first(name: "Vary") == "Accept-Language")
            }
            let several = try await send("POST", "/v1/friends", ["name": "하나", "cycleDays": 91, "nam": 1], "ko")
            #expect(several["detail"] == "요청의 여러 값이 잘못됐어요.")
            guard case .array(let errors)? = several["errors"] else {
                Issue.record("no errors")
                return
            }
            #expect(
                errors.map { $0["detail"] } == [
                    "phone 값이 없어요. 꼭 필요해요.", "1부터 90까지의 수를 써 주세요.", "여기에는 이 이름의 값이 없어요.",
                ])
            let device: JSONValue = ["platform": "webhook", "token": "http://example.com"]
            let webhook = try await send("POST", "/v1/devices", device, "ko")
            #expect(webhook.status == 422 && webhook.code == "usage")
            #expect(webhook["detail"] == "웹훅 URL은 https://로 시작해야 해요.")
            #expect(try await send("GET", "/nowhere", nil, "ko")["detail"] == "이 경로에는 아무것도 없어요.")
            #expect(try await send("GET", "/v1/account", nil, "ko").headers.first(name: "Content-Language") == nil)
            let stranger = try await server.send("GET", "/v1/account", headers: ["Accept-Language": "ko"])
            #expect(stranger.status == 401)
            #expect(try stranger.text("detail") == "로그인하지 않았거나 세션이 끝났어요.")
        }
    }

    @Test("unreadable, too long and wrongly labelled bodies are refused")
    func bodies() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let long = JSONValue.string(String(repeating: "x", count: 300_000))
            #expect(try await server.send("POST", "/v1/tags", ["name": long], token: token).status == 413)
            let typed = try await server.send(
                "POST", "/v1/tags", ["name": "x"], token: token, headers: ["Content-Type": "text/plain"])
            #expect(typed.status == 415)
            #expect(try await server.send("POST", "/v1/tags", ["x"], token: token).status == 422)
            #expect(try await server.send("PUT", "/v1/tags", token: token).status == 405)
            #expect(try await server.send("GET", "/v1//tags", token: token).status == 404)
            #expect(try await server.send("GET", "/v1/tags/..%2f..%2f", token: token).status == 404)
        }
    }

    @Test("an answer that the client has is not sent again")
    func entityTags() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let first = try await server.send("GET", "/v1/account", token: token)
            let tag = try #require(first.headers.first(name: "ETag"))
            let again = try await server.send(
                "GET", "/v1/account", token: token, headers: ["If-None-Match": "\"x\", \(tag)"])
            #expect(again.status == 304 && again.body.isEmpty)
            _ = try await server.send("PATCH", "/v1/account", ["nickname": "둘"], token: token)
            let changed = try await server.send("GET", "/v1/account", token: token, headers: ["If-None-Match": tag])
            #expect(changed.status == 200)
            // A file is made anew, and sent whole.
            let export = try await server.send("GET", "/v1/account/export", token: token)
            #expect(export.status == 200 && export.headers.first(name: "ETag") == nil && export.body.count > 100)
        }
    }

    @Test("pages give every friend once, also while friends are removed")
    func paging() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            var added: [String] = []
            for number in 1...7 {
                added.append(
                    try await server.addFriend("010-1234-500\(number)", name: "친구\(number)", token: token))
            }
            var seen: [String] = []
            var path = "/v1/friends?limit=3&sort=name"
            while true {
                let page = try await server.send("GET", path, token: token)
                guard case .array(let plants)? = page["plants"] else { break }
                seen += plants.compactMap { plant in if case .string(let id)? = plant["id"] { id } else { nil } }
                guard case .string(let next)? = page["next"] else { break }
                path = "/v1/friends?limit=3&sort=name&after=\(next)"
                // The last one of the page goes, and the next page begins behind it all the same.
                if seen.count == 3 {
                    _ = try await server.send("DELETE", "/v1/friends/\(seen[1])", token: token)
                }
            }
            #expect(seen == added)
            #expect(try await server.send("GET", "/v1/friends?after=x!", token: token).status == 422)
        }
    }

    @Test("another site's pages change nothing, and cookies alone prove nothing")
    func origins() async throws {
        try await TestServer.run(publicOrigin: "https://cherish.example") { server in
            _ = try await server.signUp("minji@example.com")
            func signIn(_ headers: [String: String]) async throws -> Answer {
                try await server.send(
                    "POST", "/v1/sessions",
                    ["email": "minji@example.com", "password": .string(TestServer.password), "cookie": true],
                    headers: headers)
            }
            #expect(try await signIn(["Sec-Fetch-Site": "cross-site"]).status == 403)
            #expect(try await signIn(["Sec-Fetch-Site": "same-site"]).status == 403)
            #expect(try await signIn(["Origin": "https://evil.example"]).status == 403)
            #expect(try await signIn(["Origin": "null"]).status == 403)
            let answer = try await signIn(["Sec-Fetch-Site": "same-origin"])
            #expect(answer.status == 201)
            #expect(answer["token"] == .null)
            let set = try #require(answer.headers.first(name: "Set-Cookie"))
            for part in ["__Host-cherish=", "Path=/", "HttpOnly", "Secure", "SameSite=Lax"] {
                #expect(set.contains(part))
            }
            let cookie = String(set.prefix { $0 != ";" })
            let own = ["Cookie": "a=b; \(cookie)", "Sec-Fetch-Site": "same-origin"]
            #expect(try await server.send("GET", "/v1/account", headers: ["Cookie": cookie]).status == 200)
            #expect(try await server.send("POST", "/v1/tags", ["name": "x"], headers: own).status == 201)
            #expect(try await server.send("POST", "/v1/tags", ["name": "y"], headers: ["Cookie": cookie]).status == 403)
            let out = try await server.send("DELETE", "/v1/session", headers: own)
            #expect(out.status == 204)
            #expect(try #require(out.headers.first(name: "Set-Cookie")).contains("Max-Age=0"))
        }
    }

    @Test("answers carry what protects browsers, a request id, and nothing about the machine")
    func headers() async throws {
        try await TestServer.run(publicOrigin: "https://cherish.example") { server in
            for path in ["/openapi.json", "/livez", "/readyz", "/v1/account", "/nowhere"] {
                let answer = try await server.send("GET", path)
                #expect(answer.headers.first(name: "X-Content-Type-Options") == "nosniff")
                #expect(answer.headers.first(name: "Content-Security-Policy")?.contains("default-src 'none'") == true)
                #expect(answer.headers.first(name: "Strict-Transport-Security") != nil)
                #expect(answer.headers.first(name: "X-Request-Id")?.count == 32)
                #expect(answer.headers.first(name: "Server") == nil)
            }
        }
    }

    @Test("a proxy's word counts only if the proxy is trusted")
    func proxies() {
        let address = try? NIOAddress.loopback()
        func client(_ trusted: Set<String>, _ forwarded: String?) -> String {
            ServerSettings(trustedProxies: trusted, logger: .init(label: "test")).clientAddress(address, forwarded)
        }
        #expect(client([], "1.2.3.4") == "127.0.0.1")
        #expect(client(["127.0.0.1"], nil) == "127.0.0.1")
        #expect(client(["127.0.0.1"], "6.6.6.6, 1.2.3.4") == "1.2.3.4")
        #expect(client(["127.0.0.1", "10.0.0.2"], "1.2.3.4, 10.0.0.2") == "1.2.3.4")
    }
}
