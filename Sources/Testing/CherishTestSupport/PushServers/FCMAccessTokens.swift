import Foundation
import Synchronization

/// Google's token endpoint, which exchanges an assertion signed by the service account for an access token.
final class FCMAccessTokens: Sendable {
    static let path = "/token"

    let clientEmail: String
    /// The endpoint's own URL, the required audience of assertions.
    let audience = Mutex("")
    let issuedCount = Atomic<Int>(0)

    private let verifier: TokenVerifier
    private let lifetime: Int
    private let now: @Sendable () -> Date
    private let fault: @Sendable (PushServer.Request) -> PushServer.Answer?
    /// The valid access tokens, with their expiry.
    private let expiries = Mutex<[String: Date]>([:])

    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    init(
        verifier: TokenVerifier, clientEmail: String, lifetime: Int, now: @escaping @Sendable () -> Date,
        fault: @escaping @Sendable (PushServer.Request) -> PushServer.Answer?
    ) {
        self.verifier = verifier
        self.clientEmail = clientEmail
        self.lifetime = lifetime
        self.now = now
        self.fault = fault
    }

    /// Whether the header holds a token that was issued here and has not expired.
    func isValid(_ authorization: String?) -> Bool {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return false }
        let token = String(authorization.dropFirst("Bearer ".count))
        guard let expiry = expiries.withLock({ $0[token] }) else { return false }
        return now() < expiry
    }

    func revoke() {
        expiries.withLock { $0.removeAll() }
    }

    func answer(_ request: PushServer.Request) -> PushServer.Answer {
        if let answer = fault(request) { return answer }
        guard request.method == "POST" else { return PushServer.Answer(status: 405) }
        let form = Self.form(request.body)
        guard form["grant_type"] == Self.grantType else {
            return refuse("unsupported_grant_type", "Invalid grant_type: \(form["grant_type"] ?? "")")
        }
        guard let signed = verifier.verify(form["assertion"] ?? "") else {
            return refuse("invalid_grant", "Invalid JWT Signature.")
        }
        return refusal(of: signed.claims) ?? issue()
    }

    private func refusal(of claims: SignedToken.Claims) -> PushServer.Answer? {
        guard claims.iss == clientEmail else { return refuse("invalid_grant", "Invalid grant: account not found") }
        guard claims.aud == audience.withLock({ $0 }) else {
            return refuse("invalid_grant", "Invalid JWT: Failed audience check.")
        }
        let time = now().timeIntervalSince1970
        guard let issued = claims.iat, let expiry = claims.exp, expiry - issued <= 3600, expiry > time else {
            return refuse(
                "invalid_grant",
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                    + "Check your iat and exp values in the JWT claim."
            )
        }
        guard (claims.scope ?? "").split(separator: " ").contains(Substring(Self.scope)) else {
            return refuse("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        }
        return nil
    }

    private func issue() -> PushServer.Answer {
        let token = "ya29.test-\(UUID().uuidString)"
        let expiry = now().addingTimeInterval(Double(lifetime))
        expiries.withLock { $0[token] = expiry }
        issuedCount.wrappingAdd(1, ordering: .relaxed)
        return .json(200, ["access_token": token, "expires_in": lifetime, "token_type": "Bearer"])
    }

    private func refuse(_ error: String, _ description: String) -> PushServer.Answer {
        .json(400, ["error": error, "error_description": description])
    }

    private static func form(_ body: [UInt8]) -> [String: String] {
        var fields: [String: String] = [:]
        for field in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                let spaced = part.replacing("+", with: " ")
                return String(spaced).removingPercentEncoding ?? String(spaced)
            }
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        return fields
    }
}
