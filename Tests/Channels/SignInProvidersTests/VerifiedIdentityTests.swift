import CherishCore
import CherishTestSupport
import Foundation
import Testing

@testable import SignInProviders

@Suite("Verified identities", .timeLimit(.minutes(10)))
struct VerifiedIdentityTests {
    /// Google's token with these changes.
    private func token(header: [String: Any?] = [:], _ changes: [String: Any?] = [:]) throws -> String {
        try #require(TestKey.first).token(header: header, googleClaims(changes))
    }

    @Test("say what Google's token says")
    func google() async throws {
        try await TestIssuer.run { issuer in
            let identity = try await issuer.verify(try token())
            let expected = VerifiedIdentity(
                provider: .google, subject: "110169484474386276334", email: "minji@example.com",
                isEmailConfirmed: true)
            #expect(identity == expected)
        }
    }

    @Test("say what Apple's token says, which has the nonce's hash, and words for Booleans")
    func apple() async throws {
        try await TestIssuer.run { issuer in
            let identity = try await issuer.verify(try #require(TestKey.first).token(appleClaims()), .apple)
            let expected = VerifiedIdentity(
                provider: .apple, subject: "001234.5d3f0e8a6c2b4d1f.0123",
                email: "x7p2q9@privaterelay.appleid.com", isEmailConfirmed: true)
            #expect(identity == expected)
        }
    }

    @Test(
        "come from tokens at the edge of what is allowed",
        arguments: [
            ("expired 59 s ago", #"{"exp":\#(seconds - 59)}"#), ("issued in 60 s", #"{"iat":\#(seconds + 60)}"#),
            ("valid in 60 s", #"{"nbf":\#(seconds + 60)}"#), ("issued a day ago", #"{"iat":\#(seconds - 86_400)}"#),
            ("times with fractions", #"{"iat":\#(seconds).25,"exp":\#(seconds + 1).5e0}"#),
            ("Google's older issuer", #"{"iss":"accounts.google.com"}"#),
            ("a list of one audience", #"{"aud":["1234-cherish.apps.googleusercontent.com"]}"#),
            ("one audience, requested by an unknown app", #"{"azp":"x"}"#),
            ("several audiences, requested by us", #"{"aud":["x","1234-cherish.apps.googleusercontent.com"]}"#),
            ("the nonce's hash in Base64url", #"{"nonce":"uomdVy5mXxoX9eMzgo8tSpSvmgFCreKk5EAIbN26U2M"}"#),
            ("a subject of 255 bytes", #"{"sub":"\#(String(repeating: "~", count: 255))"}"#),
            ("nested values with names of their own", #"{"x":{"a":1,"b":{"a":1}},"y":[{"sub":"1"},{"sub":"1"}]}"#),
            ("texts with the signs of JSON", #"{"x":"{\"sub\":\"1\",:","\"y\":":["\\"]}"#),
        ])
    func edges(what: String, changes: String) async throws {
        let changes = try #require(try JSONText.value(changes) as? [String: Any])
        try await TestIssuer.run { issuer in
            _ = try await issuer.verify(try token(changes))
        }
    }

    /// A valid token of as many bytes.
    private func token(ofLength length: Int) throws -> String {
        // Base64url has no text of 4n + 1 letters, so the header may have to be longer, too.
        for filler in ["", "x", "xx"] {
            let shortest = try token(header: ["x": filler], ["x": ""]).utf8.count
            let count = (length - shortest) * 3 / 4
            for count in count - 1...count + 1 {
                let token = try token(header: ["x": filler], ["x": String(repeating: "x", count: count)])
                if token.utf8.count == length { return token }
            }
        }
        return try #require(nil as String?, "no token has \(length) bytes")
    }

    @Test("come from a token of 8 KiB, but from none that is a byte longer")
    func length() async throws {
        try await TestIssuer.run { issuer in
            _ = try await issuer.verify(try token(ofLength: 8_192))
            let refusal = await issuer.refusal(try token(ofLength: 8_193))
            #expect(refusal == .invalidToken(.tooLong))
        }
    }

    @Test("ignore where a header would have us look for keys")
    func ignoredHeaders() async throws {
        try await TestIssuer.run { issuer in
            let forger = try #require(TestKey.forger).jwk()
            let header: [String: Any] = [
                "jku": issuer.server.url + "/jku", "x5u": issuer.server.url + "/x5u", "jwk": forger, "x5c": ["x"],
            ]
            _ = try await issuer.verify(try token(header: header))
            #expect(issuer.paths == ["/keys"])
        }
    }

    @Test(
        "have an e-mail only if an account can have it",
        arguments: [
            (#"{"email":"minji@example.com","email_verified":true}"#, "minji@example.com", true),
            (#"{"email":"minji@example.com","email_verified":"true"}"#, "minji@example.com", true),
            (#"{"email":"minji@example.com","email_verified":false}"#, "minji@example.com", false),
            (#"{"email":"minji@example.com","email_verified":"false"}"#, "minji@example.com", false),
            (#"{"email":"minji@example.com","email_verified":null}"#, "minji@example.com", false),
            (#"{"email":"minji","email_verified":true}"#, nil, false),
            (#"{"email":"","email_verified":true}"#, nil, false),
            (#"{"email":null,"email_verified":true}"#, nil, false),
        ] as [(String, String?, Bool)])
    func email(changes: String, email: String?, isVerified: Bool) async throws {
        let changes = try #require(try JSONText.value(changes) as? [String: Any])
        try await TestIssuer.run { issuer in
            let identity = try await issuer.verify(try token(changes))
            #expect(identity.email?.description == email)
            #expect(identity.isEmailConfirmed == isVerified)
        }
    }

    @Test("need a nonce of 16 to 128 visible characters")
    func nonces() async throws {
        try await TestIssuer.run { issuer in
            for good in [String(repeating: "!", count: 16), String(repeating: "~", count: 128)] {
                _ = try await issuer.verify(try token(["nonce": good]), nonce: good)
            }
            let bad = [
                "", String(repeating: "n", count: 15), String(repeating: "n", count: 129),
                "a nonce with blanks", "nonce-with-\u{7F}-delete", "nonce-with-\n-newline", "nonce-한글-한글-한글",
            ]
            for bad in bad {
                let refusal = await issuer.refusal(try token(["nonce": bad]), nonce: bad)
                #expect(refusal == .invalidToken(.nonceUnusable), "\(bad)")
            }
        }
    }

    @Test("are none where a provider is off")
    func off() async throws {
        let settings = SignInProviderSettings(clientIDs: [.google: ["1234-cherish.apps.googleusercontent.com"]])
        let verifier = IdentityVerifier(settings, logger: LogLines().logger)
        let token = try #require(TestKey.first).token(appleClaims())
        await #expect(throws: SignInProviderError.off(.apple)) {
            try await verifier.verify(.apple, idToken: token, nonce: nonce, at: now)
        }
    }
}

/// Tokens made and judged by PyJWT; see fixtures/id-tokens.
@Suite("Tokens by PyJWT", .timeLimit(.minutes(10)))
struct PyJWTTests {
    struct Fixture: Decodable {
        struct Identity: Decodable, Equatable {
            let subject: String
            let email: String?
            let isEmailVerified: Bool
        }

        struct Token: Decodable {
            let what, provider, pyjwt, token: String
            let identity: Identity?
        }

        let now: Int64
        let nonce: String
        let clientIDs: [String: String]
        let keys: [String: [[String: String]]]
        let tokens: [Token]
    }

    /// Our flaw for each of PyJWT's exceptions.
    private static let flaws: [String: TokenFlaw] = [
        "InvalidSignatureError": .signature, "ExpiredSignatureError": .expired, "ImmatureSignatureError": .notYetValid,
        "InvalidIssuerError": .issuer, "InvalidAudienceError": .audience, "InvalidAlgorithmError": .algorithm,
    ]

    @Test("are accepted and refused as PyJWT does")
    func verdicts() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("fixtures/id-tokens/id-tokens.json")
        let fixture = try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: file))
        try #require(Instant(secondsSinceEpoch: fixture.now) == now && fixture.nonce == nonce)
        try await TestIssuer.run { issuer in
            try issuer.publish(try #require(fixture.keys["keys"]))
            for token in fixture.tokens {
                let provider = try #require(IdentityProvider(rawValue: token.provider))
                do throws(SignInProviderError) {
                    let identity = try await issuer.verify(token.token, provider)
                    let ours = Fixture.Identity(
                        subject: identity.subject, email: identity.email?.description,
                        isEmailVerified: identity.isEmailConfirmed)
                    #expect(token.identity == ours, "\(token.what)")
                } catch {
                    let flaw = PyJWTTests.flaws[token.pyjwt]
                    #expect(flaw.map(SignInProviderError.invalidToken) == error, "\(token.what)")
                }
            }
            #expect(fixture.tokens.count == 20)
            #expect(Set(fixture.tokens.map(\.pyjwt)) == Set(PyJWTTests.flaws.keys).union(["accepted"]))
        }
    }
}
