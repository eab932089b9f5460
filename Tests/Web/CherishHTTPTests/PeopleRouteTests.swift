import CherishCore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Postgres
import Testing

@testable import CherishHTTP

/// Signing up, in and out as an app does it (rule 12).
@Suite("People over HTTP", .migratedDatabase)
struct PeopleRouteTests {
    @Test("12.1: signing up takes the code that went to the e-mail, once")
    func signUp() async throws {
        try await TestServer.run { server in
            let begun = try await server.send("POST", "/v1/signups", ["email": "minji@example.com", "language": "en"])
            #expect(begun.status == 202)
            var body: JSONValue = [
                "signupId": .string(try begun.text("id")), "code": "000000", "password": "lilac-7-umbrella",
                "nickname": "Minji", "timeZone": "Asia/Seoul", "language": "en",
            ]
            func with(_ name: String, _ value: JSONValue) -> JSONValue {
                guard case .object(var fields) = body else { return body }
                fields[name] = value
                return .object(fields)
            }
            let code = try server.outbox.code(to: "minji@example.com")
            let other = code == "000000" ? "000001" : "000000"
            let wrong = try await server.send("POST", "/v1/accounts", with("code", .string(other)))
            #expect(wrong.status == 422 && wrong.code == "code_wrong")
            body = with("code", .string(code))
            // A refused password or zone leaves the code valid.
            let weak = try await server.send("POST", "/v1/accounts", with("password", "password"))
            #expect(weak.status == 422 && weak.code == "weak_password")
            let named = try await server.send("POST", "/v1/accounts", with("password", "minji@example.com1"))
            #expect(named.status == 422 && named.code == "weak_password")
            let nowhere = try await server.send("POST", "/v1/accounts", with("timeZone", "Mars/Olympus"))
            #expect(nowhere.status == 422 && nowhere.code == "invalid_time_zone")
            let answer = try await server.send("POST", "/v1/accounts", body)
            #expect(answer.status == 201)
            let account = try await server.send("GET", "/v1/account", token: try answer.text("token"))
            #expect(try account.text("email") == "minji@example.com")
            let again = try await server.send("POST", "/v1/accounts", body)
            #expect(again.status == 409 && again.code == "code_expired")
        }
    }

    @Test("12.1: nobody learns whether an e-mail is known; its owner is told")
    func knownEmail() async throws {
        try await TestServer.run { server in
            _ = try await server.signUp("minji@example.com")
            let answer = try await server.send("POST", "/v1/signups", ["email": "MINJI@example.com", "language": "ko"])
            #expect(answer.status == 202)
            guard case .accountExists = try #require(server.outbox.all.last).topic else {
                Issue.record("the owner was not told")
                return
            }
            let tried = try await server.send(
                "POST", "/v1/accounts",
                [
                    "signupId": .string(try answer.text("id")), "code": "123456", "password": "lilac-7-umbrella",
                    "nickname": "M", "timeZone": "Asia/Seoul", "language": "ko",
                ])
            #expect(tried.status == 422 && tried.code == "code_wrong")
        }
    }

    @Test("12.4: the fifth wrong code ends it, three codes an hour are the most, and all answers look alike")
    func codeLimits() async throws {
        try await TestServer.run { server in
            var id = ""
            for _ in 1...4 {
                let begun = try await server.send("POST", "/v1/signups", ["email": "m@example.com", "language": "ko"])
                #expect(begun.status == 202)
                if id.isEmpty { id = try begun.text("id") }
            }
            #expect(server.outbox.all.count == 3)
            let first = try #require(server.outbox.all.first?.text.prefix(6))
            let wrong = first == "000000" ? "000001" : "000000"
            func answer(_ code: String) async throws -> String? {
                try await server.send(
                    "POST", "/v1/accounts",
                    [
                        "signupId": .string(id), "code": .string(code), "password": "lilac-7-umbrella", "nickname": "M",
                        "timeZone": "Asia/Seoul", "language": "ko",
                    ]
                ).code
            }
            for _ in 1...4 { #expect(try await answer(wrong) == "code_wrong") }
            #expect(try await answer(wrong) == "too_many_tries")
            #expect(try await answer(String(first)) == "too_many_tries")
        }
    }

    @Test("12.4: a code is valid for 10 minutes")
    func codeLifetime() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(time: .fixed(start)) { server in
            let begun = try await server.send("POST", "/v1/signups", ["email": "m@example.com", "language": "ko"])
            let code = try server.outbox.code(to: "m@example.com")
            for (minutes, expected) in [(11, 409), (10, 201)] {
                try await TestServer.run(time: .fixed(start.adding(minutes: minutes))) { later in
                    let answer = try await later.send(
                        "POST", "/v1/accounts",
                        [
                            "signupId": .string(try begun.text("id")), "code": .string(code),
                            "password": "lilac-7-umbrella", "nickname": "M", "timeZone": "Asia/Seoul", "language": "ko",
                        ])
                    #expect(answer.status == expected)
                }
            }
        }
    }

    @Test("12.3: sessions are listed and ended one by one or all at once; a changed password ends all others")
    func sessions() async throws {
        try await TestServer.run { server in
            let first = try await server.signUp("minji@example.com")
            func signIn(_ password: String = TestServer.password) async throws -> String {
                let answer = try await server.send(
                    "POST", "/v1/sessions",
                    ["email": "minji@example.com", "password": .string(password), "deviceName": "Phone"])
                #expect(answer.status == 201)
                return try answer.text("token")
            }
            let (second, third) = (try await signIn(), try await signIn())
            func status(_ token: String) async throws -> Int {
                try await server.send("GET", "/v1/account", token: token).status
            }
            let listed = try await server.send("GET", "/v1/sessions", token: second)
            guard case .array(let sessions)? = listed["sessions"] else {
                Issue.record("no list")
                return
            }
            #expect(sessions.count == 3)
            #expect(sessions.filter { $0["current"] == true }.count == 1)
            #expect(!String(decoding: listed.body, as: UTF8.self).contains(second))
            let id = try #require(sessions.first { $0["current"] == true }?["id"])
            guard case .string(let own) = id else { return }
            #expect(try await server.send("DELETE", "/v1/sessions/\(own)", token: first).status == 204)
            #expect(try await status(second) == 401)
            let changed = try await server.send(
                "PUT", "/v1/account/password",
                ["password": .string(TestServer.password), "newPassword": "tulip-8-umbrella"], token: first)
            #expect(changed.status == 204)
            #expect(try await status(third) == 401)
            #expect(try await status(first) == 200)
            let fourth = try await signIn("tulip-8-umbrella")
            #expect(try await server.send("DELETE", "/v1/sessions", token: fourth)["ended"] == 1)
            #expect(try await server.send("DELETE", "/v1/session", token: fourth).status == 204)
            #expect(try await status(fourth) == 401)
        }
    }

    @Test("12.3: a session that is unused for 180 days ends; a used one goes on")
    func unusedSessions() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(time: .fixed(start)) { server in
            let token = try await server.signUp("minji@example.com")
            func status(afterDays days: Int) async throws -> Int {
                let status = Answers()
                try await TestServer.run(time: .fixed(start.adding(hours: 24 * days))) { later in
                    await status.add(try await later.send("GET", "/v1/account", token: token).status)
                }
                return await status.last
            }
            #expect(try await status(afterDays: 180) == 200)
            #expect(try await status(afterDays: 360) == 200)
            #expect(try await status(afterDays: 541) == 401)
        }
    }

    @Test("12.4: a forgotten password is reset by a code, which ends all sessions; unknown e-mails get none")
    func reset() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let count = server.outbox.all.count
            let unknown = try await server.send("POST", "/v1/password-resets", ["email": "nobody@example.com"])
            #expect(unknown.status == 202)
            #expect(server.outbox.all.count == count)
            let begun = try await server.send("POST", "/v1/password-resets", ["email": "minji@example.com"])
            let path = "/v1/password-resets/\(try begun.text("id"))"
            let code = try server.outbox.code(to: "minji@example.com")
            let weak = try await server.send("PUT", path, ["code": .string(code), "password": "short"])
            #expect(weak.code == "weak_password")
            #expect(
                try await server.send("PUT", path, ["code": .string(code), "password": "tulip-8-umbrella"]).status
                    == 204)
            #expect(try await server.send("GET", "/v1/account", token: token).status == 401)
            #expect(
                try await server.send("PUT", path, ["code": .string(code), "password": "rose-8-umbrella"]).code
                    == "code_expired")
            let old = try await server.send(
                "POST", "/v1/sessions", ["email": "minji@example.com", "password": .string(TestServer.password)])
            #expect(old.status == 401 && old.code == "wrong_password")
            let new = try await server.send(
                "POST", "/v1/sessions", ["email": "minji@example.com", "password": "tulip-8-umbrella"])
            #expect(new.status == 201)
        }
    }

    @Test("12.9: the eleventh wrong password waits, many at once count too, and the right one works again later")
    func throttling() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(time: .fixed(start)) { server in
            _ = try await server.signUp("minji@example.com")
            func attempt(_ password: String, _ email: String = "minji@example.com") async throws -> Answer {
                try await server.send(
                    "POST", "/v1/sessions", ["email": .string(email), "password": .string(password)])
            }
            // A right one does not count.
            #expect(try await attempt(TestServer.password).status == 201)
            let statuses = Answers()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...20 {
                    group.addTask { await statuses.add(try await attempt("wrong-1-password").status) }
                }
                try await group.waitForAll()
            }
            #expect(await statuses.all.filter { $0 == 401 }.count == 10)
            #expect(await statuses.all.filter { $0 == 429 }.count == 10)
            let right = try await attempt(TestServer.password)
            #expect(right.status == 429 && right.headers.first(name: "Retry-After") == "90")
            // An e-mail without an account is slowed down alike.
            for _ in 1...10 { #expect(try await attempt("wrong-1-password", "nobody@example.com").status == 401) }
            #expect(try await attempt("wrong-1-password", "nobody@example.com").status == 429)
            try await TestServer.run(time: .fixed(start.adding(minutes: 2))) { later in
                let answer = try await later.send(
                    "POST", "/v1/sessions", ["email": "minji@example.com", "password": .string(TestServer.password)])
                #expect(answer.status == 201)
            }
        }
    }

    @Test("12.9: an address that must wait counts against nobody's e-mail, and costs no hash")
    func blockedAddress() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(trustedProxies: ["127.0.0.1"], time: .fixed(start)) { server in
            _ = try await server.signUp("minji@example.com")
            func attempt(_ password: String, _ email: String, from address: String) async throws -> Int {
                try await server.send(
                    "POST", "/v1/sessions", ["email": .string(email), "password": .string(password)],
                    headers: ["X-Forwarded-For": address]
                ).status
            }
            for number in 0..<100 {
                let email = "nobody\(number / 10)@example.com"
                #expect(try await attempt("wrong-1-password", email, from: "192.0.2.1") == 401)
            }
            for _ in 1...15 {
                #expect(try await attempt("wrong-1-password", "minji@example.com", from: "192.0.2.1") == 429)
            }
            #expect(try await attempt(TestServer.password, "minji@example.com", from: "::ffff:192.0.2.1") == 429)
            #expect(try await attempt(TestServer.password, "minji@example.com", from: "192.0.2.2") == 201)
        }
    }

    @Test("12.6: another e-mail takes the code that went there; nobody gets an e-mail that another account has")
    func changeOfEmail() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            _ = try await server.signUp("jun@example.com")
            func change(to email: String) async throws {
                let answer = try await server.send(
                    "PUT", "/v1/account/email", ["email": .string(email)], token: token)
                #expect(answer.status == 202)
            }
            func confirm(_ code: String) async throws -> Answer {
                try await server.send(
                    "POST", "/v1/account/email/confirmation", ["code": .string(code)], token: token)
            }
            try await change(to: "jun@example.com")
            #expect(try await confirm("123456").code == "code_wrong")
            try await change(to: "new@example.com")
            let confirmed = try await confirm(try server.outbox.code(to: "new@example.com"))
            #expect(confirmed.status == 200)
            #expect(try confirmed.text("email") == "new@example.com")
            let told = try #require(server.outbox.all.last)
            #expect(told.recipient.description == "minji@example.com")
            guard case .emailChanged = told.topic else {
                Issue.record("the address before was not told")
                return
            }
            let signedIn = try await server.send(
                "POST", "/v1/sessions", ["email": "new@example.com", "password": .string(TestServer.password)])
            #expect(signedIn.status == 201)
        }
    }

    @Test("12.8: leaving takes the password or a fresh sign-in, and leaves nothing but a proof")
    func leaving() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(time: .fixed(start)) { server in
            let token = try await server.signUp("minji@example.com")
            _ = try await server.addFriend(token: token)
            try await TestServer.run(time: .fixed(start.adding(minutes: 11))) { later in
                let old = try await later.send("DELETE", "/v1/account", [:], token: token)
                #expect(old.status == 403 && old.code == "sign_in_too_old")
                let wrong = try await later.send("DELETE", "/v1/account", ["password": "no"], token: token)
                #expect(wrong.status == 401 && wrong.code == "wrong_password")
                let export = try await later.send("GET", "/v1/account/export", token: token)
                #expect(export.status == 403)
                let left = try await later.send(
                    "DELETE", "/v1/account", ["password": .string(TestServer.password)], token: token)
                #expect(left.status == 200)
                #expect(left["plantCount"] == 1)
                #expect(try await later.send("GET", "/v1/account", token: token).status == 401)
            }
        }
        let rows = try await TestDatabase.current.pool().withConnection { connection in
            try await connection.query(
                """
                SELECT (SELECT count(*) FROM account) + (SELECT count(*) FROM account_email)
                    + (SELECT count(*) FROM account_session) + (SELECT count(*) FROM account_password)
                    + (SELECT count(*) FROM verification_code WHERE account_id IS NOT NULL OR code_hash IS NOT NULL
                        OR address !~ '^[0-9a-f]{64}$') + (SELECT count(*) FROM plant)
                """)
        }
        #expect(try rows.first?.decode(0, as: Int.self) == 0)
    }

    @Test("12.6: postcode and appearance are kept as they are sent, exported, and refused where they cannot be kept")
    func appearance() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            func patch(_ body: JSONValue) async throws -> Answer {
                try await server.send("PATCH", "/v1/account", body, token: token)
            }
            let looks: JSONValue = [
                "colours": "dark", "size": .number(1.25), "small": .number(0.000001), "first page": ["garden", .null],
                "": [:], "\\u0000": "\u{1F331}",
            ]
            let changed = try await patch(["postcode": " sw1a  1aa", "appearance": looks])
            #expect(changed.status == 200)
            for answer in [changed, try await server.send("GET", "/v1/account", token: token)] {
                #expect(answer["postcode"] == "SW1A 1AA" && answer["appearance"] == looks && answer["version"] == 2)
            }
            let export = try await server.send("GET", "/v1/account/export", token: token)
            #expect(export["account"]?["appearance"] == looks && export["account"]?["postcode"] == "SW1A 1AA")

            let longest = String(repeating: "x", count: 8_192 - #"{"a":""}"#.utf8.count)
            #expect(try await patch(["appearance": ["a": .string(longest)]]).status == 200)
            let numbers = [JSONValue](repeating: .number(0.000001), count: 1_300)
            #expect(try await patch(["appearance": ["a": .array(numbers)]]).status == 200)
            let refused: [JSONValue] = [
                ["a": .string(longest + "x")], ["a": "\0"], ["\0": 1], ["a": .number(1e300)], ["a": .number(1e-300)],
            ]
            for appearance in refused {
                let answer = try await patch(["appearance": appearance])
                #expect(answer.status == 422 && answer.code == "invalid_appearance")
            }
            for appearance: JSONValue in [[1], "x", .null] {
                #expect(try await patch(["appearance": appearance]).code == "not_an_object")
            }
            for postcode in ["12345678901", " ", "a/b", "ßßßßßßßßßß"] {
                let answer = try await patch(["postcode": .string(postcode)])
                #expect(answer.status == 422 && answer.code == "invalid_postcode", "\(postcode)")
            }
            // The longest that the table takes.
            #expect(try await patch(["postcode": "ΐΐΐΐΐΐΐΐΐΐ"]).status == 200)
            #expect(try await patch(["postcode": .null])["postcode"] == .null)
        }
    }
}

/// Collects numbers of concurrent tasks.
actor Answers {
    private(set) var all: [Int] = []

    var last: Int { all.last ?? 0 }

    func add(_ number: Int) { all.append(number) }
}
