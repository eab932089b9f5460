import Foundation
import JWTKit
import NIOHTTP1

/// A service account as downloaded from Google's console.
public struct ServiceAccount: Sendable {
    let projectID: String
    let clientEmail: String
    let privateKeyID: String
    let tokenURL: String
    let key: Insecure.RSA.PrivateKey

    private struct File: Decodable {
        let type, projectId, privateKeyId, privateKey, clientEmail, tokenUri: String
    }

    /// Parses the JSON file.
    ///
    /// - Throws: ``CredentialError``.
    public init(json: String) throws {
        guard let file = try? JSONDecoder.google.decode(File.self, from: Data(json.utf8)) else {
            throw CredentialError(description: "it is no service account in JSON, as Google's console gives it out")
        }
        guard file.type == "service_account" else {
            throw CredentialError(description: "its type is not service_account")
        }
        guard file.projectId.wholeMatch(of: #/[a-z0-9][a-z0-9:.\-]{0,99}/#) != nil else {
            throw CredentialError(description: "its project_id is no project's id")
        }
        guard let url = URL(string: file.tokenUri), url.scheme == "https", url.host != nil else {
            throw CredentialError(description: "its token_uri is no https URL")
        }
        do {
            key = try Insecure.RSA.PrivateKey(pem: file.privateKey)
        } catch {
            throw CredentialError(description: "its private_key is no RSA key in PEM")
        }
        projectID = file.projectId
        clientEmail = file.clientEmail
        privateKeyID = file.privateKeyId
        tokenURL = file.tokenUri
    }
}

/// The access token for FCM: obtained for an assertion signed with RS256, used until shortly before it expires.
actor GoogleCredential {
    private struct Claims: JWTPayload {
        let iss: IssuerClaim
        let scope: String
        let aud: AudienceClaim
        let iat: IssuedAtClaim
        let exp: ExpirationClaim

        func verify(using key: some JWTAlgorithm) throws {}
    }

    struct Token {
        let text: String
        let usableUntil: ContinuousClock.Instant
    }

    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    private let account: ServiceAccount
    private let transport: HTTPTransport
    private let keys = JWTKeyCollection()
    private var token: Token?
    /// The request underway, shared by all callers.
    private var asking: Task<Result<Token, GoogleCredential.Failure>, Never>?

    /// Why there is no token, as an answer to a push.
    struct Failure: Error {
        let answer: ProviderAnswer
    }

    init(_ account: ServiceAccount, transport: HTTPTransport) {
        self.account = account
        self.transport = transport
    }

    /// - Parameter old: A token that FCM no longer accepts.
    func accessToken(insteadOf old: String? = nil) async -> Result<String, Failure> {
        if let token, token.text != old, ContinuousClock.now < token.usableUntil { return .success(token.text) }
        let task = asking ?? Task { await ask() }
        asking = task
        let result = await task.value
        if asking == task {
            asking = nil
            token = try? result.get()
        }
        return result.map(\.text)
    }

    private func ask() async -> Result<Token, Failure> {
        guard let assertion = try? await assertion() else {
            return .failure(Failure(answer: .init(consequence: .misconfigured, reason: "the key cannot sign")))
        }
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
        let headers: HTTPHeaders = ["content-type": "application/x-www-form-urlencoded"]
        switch await transport.post(account.tokenURL, headers, Array(form.utf8)) {
        case .success(let http): return GoogleCredential.read(http)
        case .failure(let failure):
            var answer = failure.answer
            // FCM itself was not asked.
            if answer.consequence == .retry { answer = .init(consequence: .unreachable, reason: answer.reason) }
            return .failure(Failure(answer: answer))
        }
    }

    private func assertion() async throws -> String {
        let kid = JWKIdentifier(string: account.privateKeyID)
        await keys.add(rsa: account.key, digestAlgorithm: .sha256, kid: kid)
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        return try await keys.sign(
            Claims(
                iss: IssuerClaim(value: account.clientEmail), scope: GoogleCredential.scope,
                aud: AudienceClaim(value: account.tokenURL), iat: IssuedAtClaim(value: now),
                exp: ExpirationClaim(value: now.addingTimeInterval(3600))), kid: kid)
    }

    static func read(_ http: HTTPAnswer) -> Result<Token, Failure> {
        struct Body: Decodable {
            let accessToken: String?
            let expiresIn: Double?
            let error: String?
        }
        let body = try? JSONDecoder.google.decode(Body.self, from: Data(http.body))
        if http.status == 200, let text = body?.accessToken, isHeaderValue(text) {
            // Expires a minute early, but never in under 10 s, so that no answer causes a busy loop.
            let seconds = min(max((body?.expiresIn ?? 3599) - 60, 10), 3600)
            return .success(Token(text: text, usableUntil: .now + .seconds(seconds)))
        }
        // OAuth's errors concern our identity (RFC 6749, 5.2); other answers mean an outage at Google.
        let isTrouble = http.status == 429 || http.status >= 500 || http.status == 200
        let known = ["invalid_grant", "invalid_client", "invalid_request", "unauthorized_client", "invalid_scope"]
        let code = body?.error.flatMap { known.contains($0) ? $0 : nil } ?? "unknown answer"
        return .failure(
            Failure(
                answer: ProviderAnswer(
                    consequence: isTrouble ? .unreachable : .misconfigured,
                    reason: "no access token: \(http.status) \(code)")))
    }

    /// The token becomes part of a header.
    private static func isHeaderValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 4096 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension JSONDecoder {
    /// Decodes Google's snake-case keys.
    fileprivate static var google: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
