import CherishCore
import CherishTestSupport
import Crypto
import CryptoExtras
import Foundation
import SignInProviders
import Testing

/// A token that must be refused, for one reason.
struct Forgery: Sendable, CustomTestStringConvertible {
    /// What forgers have: the provider's published key, a key of their own, and a server.
    struct Means: Sendable {
        let provider: TestKey
        let forger: TestKey
        let url: String
    }

    let testDescription: String
    let flaw: TokenFlaw
    let token: @Sendable (Means) throws -> String

    init(_ description: String, _ flaw: TokenFlaw, _ token: @escaping @Sendable (Means) throws -> String) {
        (testDescription, self.flaw, self.token) = (description, flaw, token)
    }

    /// Signed by the provider, with another header or claim than it writes. Nil leaves a value out.
    private static func signed(_ flaw: TokenFlaw, header: String, _ value: String?) -> Forgery {
        Forgery("header \(header): \(value ?? "none")", flaw) { means in
            try means.provider.token(header: [header: try value.map(JSONText.value)], googleClaims())
        }
    }

    private static func signed(_ flaw: TokenFlaw, _ claims: (name: String, value: String?)...) -> Forgery {
        let description = claims.map { "\($0.name): \($0.value?.prefix(40) ?? "none")" }.joined(separator: ", ")
        return Forgery(description, flaw) { means in
            let changes = try claims.map { ($0.name, try $0.value.map(JSONText.value) as Any?) }
            return try means.provider.token(googleClaims(Dictionary(uniqueKeysWithValues: changes)))
        }
    }

    /// A valid token, changed afterwards.
    private static func changed(
        _ description: String, _ flaw: TokenFlaw, _ change: @escaping @Sendable ([String]) throws -> String
    ) -> Forgery {
        Forgery(description, flaw) { means in
            let token = try means.provider.token(googleClaims())
            return try change(token.split(separator: ".").map(String.init))
        }
    }

    static let all = signatures + headers + shapes + claims

    static let signatures = [
        Forgery("alg none", .algorithm) { means in
            let token = try means.provider.token(header: ["alg": "none"], googleClaims())
            return token.split(separator: ".").prefix(2).joined(separator: ".") + "."
        },
        Forgery("alg NoNe with a signature", .algorithm) { means in
            try means.provider.token(header: ["alg": "NoNe"], googleClaims())
        },
        Forgery("HS256 with the public key as the secret", .algorithm) { means in
            try hmac(header: ["alg": "HS256", "kid": "first"], by: means.provider)
        },
        Forgery("HS256 with the public key as the secret, as RS256", .signature) { means in
            try hmac(header: ["alg": "RS256", "kid": "first"], by: means.provider)
        },
        Forgery("RS512, truly signed", .algorithm) { means in
            let text =
                base64URL(Data(#"{"alg":"RS512","kid":"first"}"#.utf8)) + "."
                + base64URL(Data(try json(googleClaims()).utf8))
            let signature = try means.provider.key.signature(
                for: SHA512.hash(data: Data(text.utf8)), padding: .insecurePKCS1v1_5)
            return text + "." + base64URL(signature.rawRepresentation)
        },
        Forgery("PS256 signature as RS256", .signature) { means in
            let text =
                base64URL(Data(#"{"alg":"RS256","kid":"first"}"#.utf8)) + "."
                + base64URL(Data(try json(googleClaims()).utf8))
            let signature = try means.provider.key.signature(for: SHA256.hash(data: Data(text.utf8)), padding: .PSS)
            return text + "." + base64URL(signature.rawRepresentation)
        },
        Forgery("ES256 by the forger", .algorithm) { means in
            let text =
                base64URL(Data(#"{"alg":"ES256","kid":"first"}"#.utf8)) + "."
                + base64URL(Data(try json(googleClaims()).utf8))
            let signature = try P256.Signing.PrivateKey().signature(for: Data(text.utf8))
            return text + "." + base64URL(signature.rawRepresentation)
        },
        Forgery("by the forger's key under the known id", .signature) { means in
            try means.forger.token(header: ["kid": "first"], googleClaims())
        },
        Forgery("by the forger's key under its own id", .keyUnknown) { try $0.forger.token(googleClaims()) },
        Forgery("jku to the forger's keys, known id", .signature) { means in
            try means.forger.token(header: ["kid": "first", "jku": means.url + "/forger"], googleClaims())
        },
        Forgery("jku to the forger's keys, own id", .keyUnknown) { means in
            try means.forger.token(header: ["jku": means.url + "/forger"], googleClaims())
        },
        Forgery("x5u to the forger's certificate", .signature) { means in
            try means.forger.token(header: ["kid": "first", "x5u": means.url + "/forger"], googleClaims())
        },
        Forgery("the forger's key as jwk, known id", .signature) { means in
            try means.forger.token(header: ["kid": "first", "jwk": try means.forger.jwk()], googleClaims())
        },
        Forgery("the forger's key as jwk, own id", .keyUnknown) { means in
            try means.forger.token(header: ["jwk": try means.forger.jwk()], googleClaims())
        },
        changed("no signature", .signature) { "\($0[0]).\($0[1])." },
        changed("a signature cut to 255 bytes", .signature) { "\($0[0]).\($0[1]).\($0[2].prefix(340))" },
        changed("a signature of zeros", .signature) { "\($0[0]).\($0[1]).\(base64URL(Data(count: 256)))" },
        changed("the signature of other claims", .signature) { parts in
            "\(parts[0]).\(base64URL(Data(try json(googleClaims(["sub": "1"])).utf8))).\(parts[2])"
        },
        changed("the signature of another header", .signature) { parts in
            "\(base64URL(Data(#"{"alg":"RS256","kid":"first"}"#.utf8))).\(parts[1]).\(parts[2])"
        },
    ]

    private static func hmac(header: [String: String], by key: TestKey) throws -> String {
        let text = base64URL(Data(try json(header).utf8)) + "." + base64URL(Data(try json(googleClaims()).utf8))
        let secret = SymmetricKey(data: Data(key.key.publicKey.pemRepresentation.utf8))
        return text + "." + base64URL(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: secret)))
    }

    static let headers = [
        signed(.keyUnknown, header: "kid", #""third""#), signed(.keyMissing, header: "kid", nil),
        signed(.keyMissing, header: "kid", "null"), signed(.header, header: "kid", "1"),
        signed(.algorithm, header: "alg", nil), signed(.algorithm, header: "alg", #""rs256""#),
        signed(.header, header: "alg", #"["RS256"]"#), signed(.criticalExtension, header: "crit", #"["exp"]"#),
        signed(.criticalExtension, header: "crit", "[]"), signed(.criticalExtension, header: "crit", "null"),
        Forgery("alg twice", .header) { means in
            try means.provider.token(
                header: #"{"alg":"none","alg":"RS256","kid":"first"}"#, claims: try json(googleClaims()))
        },
        Forgery("a header that is a list", .header) { means in
            try means.provider.token(header: #"["alg","RS256","kid","first"]"#, claims: try json(googleClaims()))
        },
        Forgery("a header 2,500 lists deep", .header) { means in
            let deep = String(repeating: "[", count: 2_500) + String(repeating: "]", count: 2_500)
            return try means.provider.token(header: #"{"alg":\#(deep)}"#, claims: "{}")
        },
        Forgery("a header in UTF-16", .header) { means in
            let header = try #require(#"{"alg":"RS256","kid":"first"}"#.data(using: .utf16LittleEndian))
            let signed = base64URL(header) + "." + base64URL(Data(try json(googleClaims()).utf8))
            return signed + "." + base64URL(try means.provider.signature(signed))
        },
    ]

    static let shapes = [
        Forgery("nothing", .notThreeParts) { _ in "" }, Forgery("two dots", .header) { _ in ".." },
        changed("two parts", .notThreeParts) { "\($0[0]).\($0[1])" },
        changed("four parts", .notThreeParts) { "\($0[0]).\($0[1]).\($0[2])." },
        changed("five parts, as if encrypted", .notThreeParts) { "\($0[0]).\($0[1]).\($0[2]).\($0[1]).\($0[2])" },
        changed("padding behind the signature", .notBase64URL) { $0.joined(separator: ".") + "==" },
        changed("a percent-encoded padding", .notBase64URL) { $0.joined(separator: ".") + "%3D%3D" },
        changed("a signature without its last letter", .notBase64URL) { String($0.joined(separator: ".").dropLast()) },
        changed("other bits left over behind the signature", .notBase64URL) { parts in
            // The last of 342 letters has two bits of the signature and four that must be zero.
            let last = try #require(["A": "B", "Q": "R", "g": "h", "w": "x"][String(parts[2].suffix(1))])
            return "\(parts[0]).\(parts[1]).\(parts[2].dropLast())\(last)"
        },
        changed("a line break behind it", .notBase64URL) { $0.joined(separator: ".") + "\n" },
        changed("a blank in front of it", .notBase64URL) { " " + $0.joined(separator: ".") },
        changed("a letter beyond ASCII", .notBase64URL) { "\($0[0]).\($0[1]).\($0[2].dropLast())가" },
        Forgery("the other alphabet of Base64", .notBase64URL) { means in
            let token = try means.provider.token(header: ["x": ">>>>>>??????"], googleClaims())
            let parts = token.split(separator: ".").map(String.init)
            try #require(parts[0].contains("-") && parts[0].contains("_"))
            return "\(parts[0].replacing("-", with: "+").replacing("_", with: "/")).\(parts[1]).\(parts[2])"
        },
        signed(.tooLong, ("name", #""\#(String(repeating: "n", count: 6_000))""#)),
    ]

    static let claims = [
        Forgery("a token of Apple's key", .keyUnknown) { _ in
            try #require(TestKey.second).token(appleClaims())
        },
        Forgery("a token of Apple, by the same key", .issuer) { try $0.provider.token(appleClaims()) },
        signed(.issuer, ("iss", #""http://accounts.google.com""#)),
        signed(.issuer, ("iss", #""https://accounts.google.com/""#)), signed(.issuer, ("iss", nil)),
        signed(.issuer, ("iss", #""https://appleid.apple.com""#)), signed(.claims, ("iss", "1")),
        signed(.claims, ("iss", #"["https://accounts.google.com"]"#)),
        signed(.audience, ("aud", #""5678-other.apps.googleusercontent.com""#)),
        signed(.audience, ("aud", #""com.example.cherish""#)), signed(.audience, ("aud", nil)),
        signed(.audience, ("aud", "[]")), signed(.audience, ("aud", #"["one","two"]"#)), signed(.claims, ("aud", "7")),
        signed(.audience, ("aud", #""1234-cherish.apps.googleusercontent.com,x""#)),
        signed(
            .authorizedParty, ("aud", #"["1234-cherish.apps.googleusercontent.com","x"]"#), ("azp", #""x""#)),
        signed(.authorizedParty, ("aud", #"["1234-cherish.apps.googleusercontent.com","x"]"#), ("azp", nil)),
        signed(.expired, ("exp", "\(seconds - 60)")), signed(.expired, ("exp", "0")), signed(.expired, ("exp", nil)),
        signed(.claims, ("exp", #""\#(seconds + 600)""#)), signed(.claims, ("exp", "true")),
        signed(.notYetValid, ("iat", "\(seconds + 61)")), signed(.notYetValid, ("nbf", "\(seconds + 61)")),
        signed(.tooOld, ("iat", "\(seconds - 86_401)")), signed(.tooOld, ("iat", nil)),
        signed(.claims, ("iat", #""\#(seconds)""#)), signed(.claims, ("nbf", #""\#(seconds)""#)),
        signed(.nonce, ("nonce", #""another-nonce-of-us""#)), signed(.nonce, ("nonce", nil)),
        signed(.nonce, ("nonce", #""""#)), signed(.nonce, ("nonce", #""\#(nonceHash.uppercased())""#)),
        signed(.nonce, ("nonce", #""uomdVy5mXxoX9eMzgo8tSpSvmgFCreKk5EAIbN26U2M=""#)),
        signed(.claims, ("nonce", "12345678901234567")),
        signed(.subject, ("sub", nil)), signed(.subject, ("sub", #""""#)), signed(.subject, ("sub", #""a b""#)),
        signed(.subject, ("sub", #""\u0000""#)), signed(.subject, ("sub", #""김민지""#)),
        signed(.subject, ("sub", #""\#(String(repeating: "1", count: 256))""#)),
        signed(.claims, ("sub", "110169484474386276334")), signed(.claims, ("email", #"["minji@example.com"]"#)),
        signed(.claims, ("email_verified", "1")), signed(.claims, ("email_verified", #""yes""#)),
        Forgery("sub twice", .claims) { try $0.provider.token(header: header, claims: twice(#""sub":"1""#)) },
        Forgery("sub twice, once escaped", .claims) { means in
            try means.provider.token(header: header, claims: twice(#""s\u0075b":"1""#))
        },
        Forgery("an unknown claim twice", .claims) { means in
            try means.provider.token(header: header, claims: twice(#""x":1,"x":1"#))
        },
        Forgery("claims that are a list", .claims) { try $0.provider.token(header: header, claims: "[]") },
        Forgery("claims that are no JSON", .claims) { try $0.provider.token(header: header, claims: "sub=1") },
        Forgery("claims with something behind them", .claims) { means in
            try means.provider.token(header: header, claims: try json(googleClaims()) + "{}")
        },
    ]

    private static let header = #"{"alg":"RS256","kid":"first"}"#

    /// Valid claims, with another member.
    private static func twice(_ member: String) throws -> String {
        "{\(member)," + (try json(googleClaims())).dropFirst()
    }
}

/// JSON texts as values.
enum JSONText {
    static func value(_ text: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }
}

@Suite("Forged tokens", .timeLimit(.minutes(10)))
struct ForgedTokenTests {
    @Test("are refused for what is wrong with them, where a true one is accepted", arguments: Forgery.all)
    func refused(forgery: Forgery) async throws {
        try await TestIssuer.run { issuer in
            let means = Forgery.Means(
                provider: try #require(TestKey.first), forger: try #require(TestKey.forger), url: issuer.server.url)
            let identity = try await issuer.verify(try means.provider.token(googleClaims()))
            #expect(identity.subject == "110169484474386276334")
            let refusal = await issuer.refusal(try forgery.token(means))
            #expect(refusal == .invalidToken(forgery.flaw))
            // Addresses in a token are never visited.
            #expect(Set(issuer.paths) == ["/keys"])
        }
    }

    @Test("every flaw has a forgery")
    func complete() {
        // That of the nonce that comes with the token is tried in VerifiedIdentityTests.
        #expect(Set(Forgery.all.map(\.flaw)) == Set(TokenFlaw.allCases).subtracting([.nonceUnusable]))
    }
}
