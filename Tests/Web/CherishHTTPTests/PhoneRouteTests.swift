import CherishCore
import CherishTestSupport
import DocumentEncoding
import Testing

@testable import CherishHTTP

/// Phones that people confirm, and passwords that are reset by them (rules 12.4 and 12.6).
@Suite("Phones over HTTP", .migratedDatabase)
struct PhoneRouteTests {
    private static let phone = "+821012345678"

    /// Confirms the phone.
    private func confirm(_ server: TestServer, _ token: String) async throws {
        let asked = try await server.send("PUT", "/v1/account/phone", ["phone": "010-1234-5678"], token: token)
        #expect(asked.status == 202)
        let code = try server.outbox.code(to: Self.phone)
        let confirmed = try await server.send(
            "POST", "/v1/account/phone/confirmation", ["code": .string(code)], token: token)
        #expect(confirmed.status == 200 && confirmed["phone"] == .string(Self.phone))
    }

    private func confirmedPhone(_ server: TestServer, _ token: String) async throws -> JSONValue? {
        try await server.send("GET", "/v1/account/identities", token: token)["confirmedPhone"]
    }

    /// Asks for a code by text message.
    ///
    /// - Returns: the path of the reset, and whether a message went to the phone.
    private func reset(_ server: TestServer, _ phone: String = phone) async throws -> (path: String, isSent: Bool) {
        let count = server.outbox.all.count
        let begun = try await server.send("POST", "/v1/password-resets", ["phone": .string(phone)])
        #expect(begun.status == 202)
        return ("/v1/password-resets/\(try begun.text("id"))", server.outbox.all.count > count)
    }

    @Test("12.6: a phone takes the code that went there in one text message, and the person is told by mail")
    func confirming() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            #expect(try await confirmedPhone(server, token) == .null)
            _ = try await server.send("PUT", "/v1/account/phone", ["phone": "010-1234-5678"], token: token)
            let message = try #require(server.outbox.all.last)
            #expect(message.recipient.description == Self.phone && message.text.count <= 70)
            let code = try server.outbox.code(to: Self.phone)
            let wrong = try await server.send(
                "POST", "/v1/account/phone/confirmation", ["code": .string(code == "000000" ? "000001" : "000000")],
                token: token)
            #expect(wrong.status == 422 && wrong.code == "code_wrong")
            try await confirm(server, token)
            #expect(try await confirmedPhone(server, token) == .string(Self.phone))
            let told = try #require(server.outbox.all.last)
            guard case .phoneConfirmed = told.topic, told.recipient.description == "minji@example.com" else {
                Issue.record("the person was not told")
                return
            }
        }
    }

    @Test("12.4: a confirmed phone resets the password, which ends all sessions; no answer tells whether there is one")
    func resetting() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            #expect(try await !reset(server).isSent)
            try await confirm(server, token)
            let (path, isSent) = try await reset(server, "+82 10-1234-5678")
            #expect(isSent)
            let code = try server.outbox.code(to: Self.phone)
            let done = try await server.send("PUT", path, ["code": .string(code), "password": "tulip-8-umbrella"])
            #expect(done.status == 204)
            #expect(try await server.send("GET", "/v1/account", token: token).status == 401)
            let signedIn = try await server.send(
                "POST", "/v1/sessions", ["email": "minji@example.com", "password": "tulip-8-umbrella"])
            #expect(signedIn.status == 201)
            let national = try await server.send("POST", "/v1/password-resets", ["phone": "010-1234-5678"])
            #expect(national.status == 422 && national.code == "invalid_phone")
            let both = try await server.send(
                "POST", "/v1/password-resets", ["phone": .string(Self.phone), "email": "minji@example.com"])
            #expect(both.status == 422 && both.code == "unknown_name")
        }
    }

    @Test("12.4: the newest confirmation wins, and ends what was sent for the account before it")
    func newestWins() async throws {
        try await TestServer.run { server in
            let former = try await server.signUp("minji@example.com")
            try await confirm(server, former)
            let (path, isSent) = try await reset(server)
            #expect(isSent)
            let code = try server.outbox.code(to: Self.phone)
            let newest = try await server.signUp("jun@example.com")
            try await confirm(server, newest)
            #expect(try await confirmedPhone(server, former) == .null)
            #expect(try await confirmedPhone(server, newest) == .string(Self.phone))
            let late = try await server.send("PUT", path, ["code": .string(code), "password": "tulip-8-umbrella"])
            #expect(late.status == 409 && late.code == "code_expired")
            // The former one still shows it, unconfirmed.
            let account = try await server.send("GET", "/v1/account", token: former)
            #expect(account["phone"] == .string(Self.phone))
        }
    }

    @Test("12.6: a phone is removed at once, with its confirmation, and set by a code alone")
    func removing() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            try await confirm(server, token)
            let set = try await server.send("PATCH", "/v1/account", ["phone": "010-9999-9999"], token: token)
            #expect(set.status == 422 && set.code == "not_null")
            #expect(try await confirmedPhone(server, token) == .string(Self.phone))
            let removed = try await server.send("PATCH", "/v1/account", ["phone": .null], token: token)
            #expect(removed.status == 200 && removed["phone"] == .null)
            #expect(try await confirmedPhone(server, token) == .null)
            #expect(try await !reset(server).isSent)
        }
    }

    @Test("12.4: a phone that nobody has confirmed resets nothing, nor one of an account without an e-mail")
    func unconfirmed() async throws {
        try await TestServer.run { server in
            let signedUp = try await server.send(
                "POST", "/v1/accounts",
                FakeIdentities.body(
                    "1", "minji@example.com",
                    with: FakeIdentities.person.merging(["phone": .string(Self.phone)]) { $1 }))
            #expect(signedUp["account"]?["phone"] == .string(Self.phone))
            #expect(try await !reset(server).isSent)
            let anonymous = try await server.send(
                "POST", "/v1/accounts/anonymous", ["nickname": "민지", "timeZone": "Asia/Seoul", "language": "ko"])
            try await confirm(server, try anonymous.text("token"))
            #expect(try await !reset(server).isSent)
        }
    }

    @Test("12.4: erasing one account after another sends no more codes to a phone or an e-mail")
    func erasedCodes() async throws {
        try await TestServer.run { server in
            for _ in 1...3 {
                let begun = try await server.send(
                    "POST", "/v1/accounts/anonymous",
                    ["nickname": "Minji", "timeZone": "Asia/Seoul", "language": "ko"])
                let token = try begun.text("token")
                for _ in 1...2 {
                    for (path, body): (String, JSONValue) in [
                        ("phone", ["phone": "010-9999-0000"]), ("email", ["email": "Victim@example.com"]),
                    ] {
                        let answer = try await server.send("PUT", "/v1/account/\(path)", body, token: token)
                        #expect(answer.status == 202)
                    }
                }
                let left = try await server.send("DELETE", "/v1/account", ["confirmation": "Minji"], token: token)
                #expect(left.status == 200)
            }
            let recipients = server.outbox.all.map(\.recipient.description)
            #expect(recipients.count { $0 == "+821099990000" } == 3)
            #expect(recipients.count { $0 == "Victim@example.com" } == 3)
        }
    }

    @Test("12.4: a phone gets three codes an hour, and an address asks for ten within 15 minutes")
    func limits() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(trustedProxies: ["127.0.0.1"], time: .fixed(start)) { server in
            let token = try await server.signUp("minji@example.com")
            let count = server.outbox.all.count
            func ask(_ phone: String, from address: String) async throws -> Int {
                try await server.send(
                    "PUT", "/v1/account/phone", ["phone": .string(phone)], token: token,
                    headers: ["X-Forwarded-For": address]
                ).status
            }
            for number in 1...5 {
                #expect(try await ask("010-1234-5678", from: "192.0.2.\(number)") == 202)
            }
            #expect(server.outbox.all.count == count + 3)
            for number in 0..<10 {
                #expect(try await ask("010-1000-000\(number)", from: "192.0.2.9") == 202)
            }
            #expect(try await ask("010-1000-1000", from: "192.0.2.9") == 429)
            let reset = try await server.send(
                "POST", "/v1/password-resets", ["phone": .string(Self.phone)],
                headers: ["X-Forwarded-For": "192.0.2.9"])
            #expect(reset.status == 429)
        }
    }
}
