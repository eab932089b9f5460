import CherishCore
import CherishService
import CherishTestSupport
import DocumentEncoding
import Postgres
import Testing

@testable import CherishHTTP

/// Stands for the keys of Google and Apple: a token says in words who vouches for whom, and with which nonce.
struct FakeIdentities: IdentityVerifying {
    /// What an app sends.
    static func body(
        _ subject: String, _ email: String, isConfirmed: Bool = true, provider: IdentityProvider = .google,
        nonce: String = "nonce-0123456789-1", with more: [String: JSONValue] = [:]
    ) -> JSONValue {
        let token =
            "\(provider.rawValue) \(subject) \(email) \(isConfirmed ? "confirmed" : "unconfirmed") nonce-0123456789-1"
        return .object(
            more.merging([
                "provider": .string(provider.rawValue), "idToken": .string(token), "nonce": .string(nonce),
            ]) { $1 })
    }

    /// What a person says who signs up.
    static let person: [String: JSONValue] = ["nickname": "Minji", "timeZone": "Asia/Seoul", "language": "en"]

    func verify(provider: IdentityProvider, idToken: String, nonce: String) async throws -> VerifiedIdentity {
        let words = idToken.split(separator: " ").map(String.init)
        guard words.count == 5, words[0] == provider.rawValue, words[4] == nonce else {
            throw PeopleError.identityRefused
        }
        return VerifiedIdentity(
            provider: provider, subject: words[1], email: words[2], isEmailConfirmed: words[3] == "confirmed")
    }
}

/// Signing in by Google or Apple, as an app does it (rule 12.5).
@Suite("Identities over HTTP", .migratedDatabase)
struct IdentityRouteTests {
    private func signUp(_ server: TestServer, _ subject: String, _ email: String) async throws -> Answer {
        try await server.send(
            "POST", "/v1/accounts", FakeIdentities.body(subject, email, with: FakeIdentities.person))
    }

    @Test(
        "12.5: an identity whose e-mail the provider has confirmed signs up, signs in, and is erased with the account")
    func signingUp() async throws {
        try await TestServer.run { server in
            let unknown = try await server.send("POST", "/v1/sessions", FakeIdentities.body("1", "minji@example.com"))
            #expect(unknown.status == 404 && unknown.code == "identity_unknown")
            let unconfirmed = try await server.send(
                "POST", "/v1/accounts",
                FakeIdentities.body("1", "minji@example.com", isConfirmed: false, with: FakeIdentities.person))
            #expect(unconfirmed.status == 422 && unconfirmed.code == "email_unconfirmed")
            let token = try await signUp(server, "1", "minji@example.com").text("token")
            let account = try await server.send("GET", "/v1/account", token: token)
            #expect(try account.text("email") == "minji@example.com" && account.text("nickname") == "Minji")
            let listed = try await server.send("GET", "/v1/account/identities", token: token)
            #expect(listed["hasPassword"] == false)
            #expect(listed["identities"]?[0]?["provider"] == "google")
            #expect(listed["identities"]?[0]?["email"] == "minji@example.com")
            let again = try await signUp(server, "1", "other@example.com")
            #expect(again.status == 409 && again.code == "identity_taken")

            let signedIn = try await server.send("POST", "/v1/sessions", FakeIdentities.body("1", "new@example.com"))
            #expect(signedIn.status == 201 && signedIn["account"]?["id"] == account["id"])
            let forged = try await server.send(
                "POST", "/v1/sessions", FakeIdentities.body("1", "minji@example.com", nonce: "nonce-0123456789-2"))
            #expect(forged.status == 401 && forged.code == "identity_refused")
            let apple = try await server.send(
                "POST", "/v1/sessions", FakeIdentities.body("1", "minji@example.com", provider: .apple))
            #expect(apple.code == "identity_unknown")

            #expect(try await server.send("DELETE", "/v1/account", [:], token: token).status == 200)
            #expect(try await signUp(server, "1", "minji@example.com").status == 201)
        }
    }

    @Test("12.5: an e-mail alone never links an identity; whoever is signed in does, and is told by mail")
    func linking() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let identity = FakeIdentities.body("1", "minji@example.com")
            #expect(try await server.send("POST", "/v1/sessions", identity).code == "identity_unknown")
            let known = try await signUp(server, "1", "MINJI@example.com")
            #expect(known.status == 409 && known.code == "email_known")
            #expect(try await server.send("POST", "/v1/sessions", identity).code == "identity_unknown")

            func link(_ body: JSONValue, _ token: String) async throws -> Answer {
                try await server.send("POST", "/v1/account/identities", body, token: token)
            }
            let linked = try await link(identity, token)
            #expect(linked.status == 200 && linked["hasPassword"] == true)
            let told = try #require(server.outbox.all.last)
            guard case .identityLinked(.google) = told.topic, told.recipient.description == "minji@example.com" else {
                Issue.record("the person was not told")
                return
            }
            let count = server.outbox.all.count
            #expect(try await link(identity, token).status == 200)
            #expect(server.outbox.all.count == count)
            #expect(try await link(FakeIdentities.body("2", "a@example.com"), token).code == "provider_linked")
            let apple = FakeIdentities.body("1", "relay@example.com", provider: .apple)
            #expect(try await link(apple, token)["identities"]?[1]?["provider"] == "apple")
            let other = try await server.signUp("jun@example.com")
            let taken = try await link(identity, other)
            #expect(taken.status == 409 && taken.code == "identity_taken")
            #expect(try await server.send("POST", "/v1/sessions", apple)["account"]?["email"] == "minji@example.com")
        }
    }

    @Test("12.5: an identity is unlinked while a password or another identity remains")
    func unlinking() async throws {
        let start = Instant("2027-03-01T00:00:00Z")!
        try await TestServer.run(time: .fixed(start)) { server in
            let token = try await signUp(server, "1", "minji@example.com").text("token")
            func unlink(_ provider: String) async throws -> Answer {
                try await server.send("DELETE", "/v1/account/identities/\(provider)", token: token)
            }
            let last = try await unlink("google")
            #expect(last.status == 409 && last.code == "last_way_in")
            for provider in ["apple", "nobody"] { #expect(try await unlink(provider).status == 404) }
            _ = try await server.send(
                "POST", "/v1/account/identities", FakeIdentities.body("1", "m@example.com", provider: .apple),
                token: token)
            #expect(try await unlink("google").status == 204)
            #expect(try await unlink("google").status == 404)
            #expect(try await unlink("apple").code == "last_way_in")

            let password: JSONValue = ["newPassword": "tulip-8-umbrella"]
            try await TestServer.run(time: .fixed(start.adding(minutes: 11))) { later in
                let late = try await later.send("PUT", "/v1/account/password", password, token: token)
                #expect(late.status == 403 && late.code == "sign_in_too_old")
            }
            #expect(try await server.send("PUT", "/v1/account/password", password, token: token).status == 204)
            let another = try await server.send("PUT", "/v1/account/password", password, token: token)
            #expect(another.status == 401 && another.code == "wrong_password")
            #expect(try await unlink("apple").status == 204)
            let signedIn = try await server.send(
                "POST", "/v1/sessions", ["email": "minji@example.com", "password": "tulip-8-umbrella"])
            #expect(signedIn.status == 201)
        }
    }

    @Test("12.5: of two identities that are unlinked at the same moment, one remains")
    func unlinkingAtOnce() async throws {
        try await TestServer.run { server in
            let token = try await signUp(server, "1", "minji@example.com").text("token")
            let apple = FakeIdentities.body("1", "minji@example.com", provider: .apple)
            _ = try await server.send("POST", "/v1/account/identities", apple, token: token)
            let statuses = Answers()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for provider in ["google", "apple"] {
                    group.addTask {
                        let path = "/v1/account/identities/\(provider)"
                        await statuses.add(try await server.send("DELETE", path, token: token).status)
                    }
                }
                try await group.waitForAll()
            }
            #expect(await statuses.all.sorted() == [204, 409])
        }
    }

    @Test("a body has one form: a mixture is refused, with all that is wrong with it")
    func mixtures() async throws {
        try await TestServer.run { server in
            func pointers(_ path: String, _ body: JSONValue) async throws -> [String] {
                let answer = try await server.send("POST", path, body)
                #expect(answer.status == 422)
                guard case .array(let errors)? = answer["errors"] else { return [] }
                return errors.compactMap { error in
                    guard case .string(let pointer)? = error["pointer"] else { return nil }
                    return pointer
                }.sorted()
            }
            let mixed: JSONValue = ["email": "m@example.com", "password": "x", "provider": "google"]
            let coded = FakeIdentities.body("1", "m@example.com", with: ["code": "012345", "nickname": "M"])
            let (both, neither) = (
                try await pointers("/v1/sessions", mixed), try await pointers("/v1/sessions", ["nonce": "x"])
            )
            let signUp = try await pointers("/v1/accounts", coded)
            #expect(both == ["/email", "/idToken", "/nonce", "/password"])
            #expect(neither == ["/email", "/nonce", "/password"])
            #expect(signUp == ["/code", "/language", "/timeZone"])
        }
    }

    @Test("OpenAPI describes each form of a body")
    func forms() {
        let forms = SignInBody.schema["oneOf"]
        #expect(forms?[0]?["required"] == ["password", "email"])
        #expect(forms?[0]?["properties"]?["provider"] == nil)
        #expect(forms?[1]?["required"] == ["provider", "idToken", "nonce"])
        #expect(forms?[1]?["additionalProperties"] == false)
    }

    @Test("a service that offers no provider says so")
    func withoutProviders() async throws {
        try await TestServer.run(identities: nil) { server in
            let answer = try await server.send("POST", "/v1/sessions", FakeIdentities.body("1", "minji@example.com"))
            #expect(answer.status == 422 && answer.code == "provider_not_offered")
        }
    }
}

extension JSONValue {
    /// An item of a list.
    subscript(_ index: Int) -> JSONValue? {
        if case .array(let items) = self, items.indices.contains(index) { items[index] } else { nil }
    }
}
