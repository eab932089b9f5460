import CherishCore
import CherishTestSupport
import DocumentEncoding
import Testing

@testable import CherishHTTP

/// Beginning without an e-mail, as a device does it (rule 12.5).
@Suite("Anonymous accounts over HTTP", .migratedDatabase)
struct AnonymousRouteTests {
    private static let body: JSONValue = ["nickname": "민지", "timeZone": "Asia/Seoul", "language": "ko"]
    private let start = Instant("2027-03-01T00:00:00Z")!

    @Test("12.5: an anonymous account adds an e-mail and then a password, and keeps everything")
    func completing() async throws {
        try await TestServer.run(time: .fixed(start)) { server in
            let begun = try await server.send("POST", "/v1/accounts/anonymous", Self.body)
            #expect(begun.status == 201 && begun["account"]?["email"] == .null)
            let token = try begun.text("token")
            let friend = try await server.addFriend(token: token)
            // Long after the sign-in.
            try await TestServer.run(time: .fixed(start.adding(hours: 24 * 30))) { later in
                let password: JSONValue = ["newPassword": "tulip-8-umbrella"]
                let early = try await later.send("PUT", "/v1/account/password", password, token: token)
                #expect(early.status == 409 && early.code == "email_missing")
                let guessed = try await later.send(
                    "PUT", "/v1/account/password", ["password": "x", "newPassword": "tulip-8-umbrella"], token: token)
                #expect(guessed.code == "wrong_password")
                #expect(try await later.send("GET", "/v1/account/export", token: token).status == 200)
                let asked = try await later.send(
                    "PUT", "/v1/account/email", ["email": "minji@example.com"], token: token)
                #expect(asked.status == 202)
                let code = try later.outbox.code(to: "minji@example.com")
                let confirmed = try await later.send(
                    "POST", "/v1/account/email/confirmation", ["code": .string(code)], token: token)
                #expect(confirmed["email"] == "minji@example.com")
                // There is no e-mail before it to tell.
                #expect(later.outbox.all.count == 1)
                #expect(try await later.send("PUT", "/v1/account/password", password, token: token).status == 204)
                let signedIn = try await later.send(
                    "POST", "/v1/sessions", ["email": "minji@example.com", "password": "tulip-8-umbrella"])
                let friends = try await later.send("GET", "/v1/friends", token: try signedIn.text("token"))
                #expect(friends["plants"]?[0]?["id"] == .string(friend))
            }
        }
    }

    @Test("12.5: an account with an identity can be signed in to again, so an old session proves nothing")
    func identityWithoutEmail() async throws {
        try await TestServer.run(time: .fixed(start)) { server in
            let begun = try await server.send(
                "POST", "/v1/accounts/anonymous", ["nickname": "Minji", "timeZone": "Asia/Seoul", "language": "ko"])
            let token = try begun.text("token")
            let linked = try await server.send(
                "POST", "/v1/account/identities", FakeIdentities.body("1", "minji@example.com"), token: token)
            #expect(linked.status < 300)
            try await TestServer.run(time: .fixed(start.adding(minutes: 11))) { later in
                func code(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> String? {
                    try await later.send(method, path, body, token: token).code
                }
                #expect(try await code("GET", "/v1/account/export") == "sign_in_too_old")
                #expect(try await code("DELETE", "/v1/account", ["confirmation": "Minji"]) == "sign_in_too_old")
                _ = try await code("PUT", "/v1/account/email", ["email": "thief@example.com"])
                let given = try later.outbox.code(to: "thief@example.com")
                #expect(try await code("POST", "/v1/account/email/confirmation", ["code": .string(given)]) == nil)
                let password: JSONValue = ["newPassword": "tulip-8-umbrella"]
                #expect(try await code("PUT", "/v1/account/password", password) == "sign_in_too_old")
            }
        }
    }

    @Test("12.5: another e-mail of an account that has one is no sign-in")
    func noSignIn() async throws {
        try await TestServer.run(time: .fixed(start)) { server in
            let token = try await server.signUp("minji@example.com")
            try await TestServer.run(time: .fixed(start.adding(minutes: 11))) { later in
                _ = try await later.send("PUT", "/v1/account/email", ["email": "new@example.com"], token: token)
                let code = try later.outbox.code(to: "new@example.com")
                let confirmed = try await later.send(
                    "POST", "/v1/account/email/confirmation", ["code": .string(code)], token: token)
                #expect(confirmed.status == 200)
                #expect(try await later.send("DELETE", "/v1/account", [:], token: token).code == "sign_in_too_old")
            }
        }
    }

    @Test("12.8: leaving an anonymous account takes its nickname, and one with an e-mail does not accept it")
    func leaving() async throws {
        try await TestServer.run(time: .fixed(start)) { server in
            let token = try await server.send("POST", "/v1/accounts/anonymous", Self.body).text("token")
            let known = try await server.signUp("minji@example.com")
            try await TestServer.run(time: .fixed(start.adding(minutes: 11))) { later in
                func leave(_ body: JSONValue, _ token: String) async throws -> Answer {
                    try await later.send("DELETE", "/v1/account", body, token: token)
                }
                #expect(try await leave([:], token).code == "sign_in_too_old")
                let wrong = try await leave(["confirmation": "민"], token)
                #expect(wrong.status == 422 && wrong.code == "confirmation_wrong")
                #expect(try await leave(["confirmation": "민지"], known).code == "sign_in_too_old")
                #expect(try await leave(["confirmation": "민지"], token).status == 200)
                #expect(try await later.send("GET", "/v1/account", token: token).status == 401)
            }
        }
    }

    @Test("an address begins ten within 15 minutes, whatever else it does")
    func limit() async throws {
        try await TestServer.run(trustedProxies: ["127.0.0.1"], time: .fixed(start)) { server in
            func begin(from address: String) async throws -> Int {
                try await server.send(
                    "POST", "/v1/accounts/anonymous", Self.body, headers: ["X-Forwarded-For": address]
                ).status
            }
            for _ in 1...10 { #expect(try await begin(from: "192.0.2.1") == 201) }
            #expect(try await begin(from: "192.0.2.1") == 429)
            #expect(try await begin(from: "192.0.2.2") == 201)
            let signUp = try await server.send(
                "POST", "/v1/signups", ["email": "minji@example.com", "language": "ko"],
                headers: ["X-Forwarded-For": "192.0.2.1"])
            #expect(signUp.status == 202)
        }
    }
}
