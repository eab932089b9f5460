import CherishCore
import CherishTestSupport
import Crypto
import CryptoExtras
import Foundation
import Logging
import NIOSSL
import Synchronization
import Testing

@testable import SignInProviders

/// 09:00 in Seoul.
let now = Instant(secondsSinceEpoch: 1_803_945_600)
let seconds = 1_803_945_600

/// What an app gives us with a token.
let nonce = "n-0S6_WzA2Mj.K7sYqPzR"
/// `printf %s "$nonce" | sha256sum`
let nonceHash = "ba899d572e665f1a17f5e333828f2d4a94af9a0142ade2a4e440086cddba5363"

let clientIDs: [IdentityProvider: Set<String>] = [
    .google: ["1234-cherish.apps.googleusercontent.com", "1234-android.apps.googleusercontent.com"],
    .apple: ["com.example.cherish"],
]

// MARK: - Keys and tokens

/// A key of a provider or of a forger, generated for this run.
struct TestKey: Sendable {
    let id: String
    let key: _RSA.Signing.PrivateKey

    // If that fails, every test with it fails.
    static let first = try? TestKey(id: "first", key: _RSA.Signing.PrivateKey(keySize: .bits2048))
    static let second = try? TestKey(id: "second", key: _RSA.Signing.PrivateKey(keySize: .bits2048))
    static let forger = try? TestKey(id: "forger", key: _RSA.Signing.PrivateKey(keySize: .bits2048))
    static let short = try? TestKey(id: "short", key: _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024)))

    /// How a key set has it. A change to nil leaves the member out.
    func jwk(_ changes: [String: String?] = [:]) throws -> [String: String] {
        let numbers = try key.publicKey.getKeyPrimitives()
        var jwk: [String: String?] = [
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": id, "n": base64URL(numbers.modulus),
            "e": base64URL(numbers.publicExponent),
        ]
        jwk.merge(changes) { $1 }
        return jwk.compactMapValues { $0 }
    }

    /// A signature by RS256.
    func signature(_ text: String) throws -> Data {
        try key.signature(for: SHA256.hash(data: Data(text.utf8)), padding: .insecurePKCS1v1_5).rawRepresentation
    }

    /// A token of these JSON texts.
    func token(header: String, claims: String) throws -> String {
        let signed = base64URL(Data(header.utf8)) + "." + base64URL(Data(claims.utf8))
        return signed + "." + base64URL(try signature(signed))
    }

    func token(header changes: [String: Any?] = [:], _ claims: [String: Any]) throws -> String {
        var header: [String: Any?] = ["alg": "RS256", "kid": id, "typ": "JWT"]
        header.merge(changes) { $1 }
        return try token(header: json(header.compactMapValues { $0 }), claims: json(claims))
    }
}

func base64URL(_ bytes: some DataProtocol) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

func json(_ object: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
}

/// What Google says of somebody. A change to nil leaves the claim out.
func googleClaims(_ changes: [String: Any?] = [:]) -> [String: Any] {
    var claims: [String: Any?] = [
        "iss": "https://accounts.google.com", "azp": "1234-android.apps.googleusercontent.com",
        "aud": "1234-cherish.apps.googleusercontent.com", "sub": "110169484474386276334",
        "email": "minji@example.com", "email_verified": true, "name": "김민지", "nonce": nonce, "iat": seconds - 10,
        "exp": seconds + 3_590,
    ]
    claims.merge(changes) { $1 }
    return claims.compactMapValues { $0 }
}

/// What Apple says, likewise.
func appleClaims(_ changes: [String: Any?] = [:]) -> [String: Any] {
    var claims: [String: Any?] = [
        "iss": "https://appleid.apple.com", "aud": "com.example.cherish", "sub": "001234.5d3f0e8a6c2b4d1f.0123",
        "email": "x7p2q9@privaterelay.appleid.com", "email_verified": "true", "is_private_email": "true",
        "nonce": nonceHash, "nonce_supported": true, "auth_time": seconds - 10, "iat": seconds - 10,
        "exp": seconds + 600,
    ]
    claims.merge(changes) { $1 }
    return claims.compactMapValues { $0 }
}

// MARK: - A provider

/// A server that publishes keys, and a verifier that believes it.
struct TestIssuer: Sendable {
    /// What the server answers, and what it was asked.
    private final class Script: Sendable {
        let answer = Mutex(PushServer.Answer(status: 404))
        let paths = Mutex<[String]>([])
    }

    let server: PushServer
    let verifier: IdentityVerifier
    let clock: ManualClock
    let log: LogLines
    private let script: Script

    /// Runs a body with a server and a verifier. The server publishes the first key.
    static func run(trusted: Bool = true, _ body: (TestIssuer) async throws -> Void) async throws {
        let script = Script()
        let authority = try authorityOfRun.get()
        let server = try await PushServer.start(authority: authority) { request in
            script.paths.withLock { $0.append(request.path) }
            return script.answer.withLock { $0 }
        }
        do {
            let roots = trusted ? [try NIOSSLCertificate(bytes: Array(authority.pem.utf8), format: .pem)] : []
            var origins: [IdentityProvider: TokenOrigin] = [:]
            for provider in IdentityProvider.allCases {
                origins[provider] = TokenOrigin(issuers: provider.origin.issuers, keysURL: server.url + "/keys")
            }
            var settings = SignInProviderSettings(clientIDs: clientIDs, origins: origins, additionalRoots: roots)
            let clock = ManualClock()
            settings.clock = clock
            let log = LogLines()
            let issuer = TestIssuer(
                server: server, verifier: IdentityVerifier(settings, logger: log.logger), clock: clock, log: log,
                script: script)
            try issuer.publish([#require(TestKey.first).jwk()])
            try await body(issuer)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// The paths of the requests so far.
    var paths: [String] { script.paths.withLock { $0 } }

    func answer(_ answer: PushServer.Answer) {
        script.answer.withLock { $0 = answer }
    }

    func publish(
        _ keys: [[String: String]], cacheControl: String = "public, max-age=3600, must-revalidate",
        heldWhile isHeld: (@Sendable () -> Bool)? = nil
    ) throws {
        answer(
            PushServer.Answer(
                headers: [("cache-control", cacheControl)], body: Array(try json(["keys": keys]).utf8),
                heldWhile: isHeld))
    }

    func verify(_ token: String, _ provider: IdentityProvider = .google, nonce given: String = nonce)
        async throws(SignInProviderError) -> VerifiedIdentity
    {
        try await verifier.verify(provider, idToken: token, nonce: given, at: now)
    }

    /// The refusal of a token; nil if it is accepted.
    func refusal(_ token: String, _ provider: IdentityProvider = .google, nonce given: String = nonce) async
        -> SignInProviderError?
    {
        do throws(SignInProviderError) {
            _ = try await verify(token, provider, nonce: given)
            return nil
        } catch {
            return error
        }
    }
}

private let authorityOfRun = Result { try TestCertificateAuthority() }
