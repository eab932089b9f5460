import Foundation

/// What follows from each answer of FCM's HTTP v1 API. The codes are those of "ErrorCode" in its reference
/// (firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode) and the canonical ones of Google's APIs.
enum FCMAnswers {
    /// The codes of FCM itself. UNSPECIFIED_ERROR is missing: it says nothing, so the canonical code or the status counts.
    static let consequences: [String: Consequence] = [
        "INVALID_ARGUMENT": .refused,
        "UNREGISTERED": .tokenDead,
        // The token belongs to another project than the service account.
        "SENDER_ID_MISMATCH": .tokenWrong,
        "QUOTA_EXCEEDED": .slowDown,
        "UNAVAILABLE": .retry,
        "INTERNAL": .retry,
        // What Firebase itself needs to reach Apple or browsers.
        "THIRD_PARTY_AUTH_ERROR": .misconfigured,
    ]

    /// The canonical codes, for answers that come before FCM: of authentication, of quotas, of a project that is not there.
    static let canonicalConsequences: [String: Consequence] = [
        "UNAUTHENTICATED": .credentialExpired,
        "PERMISSION_DENIED": .misconfigured,
        "NOT_FOUND": .misconfigured,
        "INVALID_ARGUMENT": .refused,
        "FAILED_PRECONDITION": .misconfigured,
        "RESOURCE_EXHAUSTED": .slowDown,
        "UNAVAILABLE": .retry,
        "INTERNAL": .retry,
        "DEADLINE_EXCEEDED": .retry,
        "ABORTED": .retry,
        "CANCELLED": .retry,
    ]

    /// What Google asks for where it names no time. The ten seconds for when it is in trouble are less than any pause of
    /// ours.
    private static let pauseAfterQuota = Duration.seconds(60)

    /// The answer as Google's APIs write errors (google.rpc.Status).
    private struct Body: Decodable {
        struct Failure: Decodable {
            let status: String?
            let message: String?
            let details: [Detail]?
        }

        struct Detail: Decodable {
            struct Violation: Decodable {
                let field: String?
            }

            let errorCode: String?
            let fieldViolations: [Violation]?
        }

        /// Of a message that was taken.
        let name: String?
        let error: Failure?
    }

    /// Reads an answer. What no table has goes by its status.
    static func answer(_ http: HTTPAnswer) -> ProviderAnswer {
        let body = try? JSONDecoder().decode(Body.self, from: Data(http.body))
        if http.status == 200, body?.name != nil { return ProviderAnswer(consequence: .accepted, reason: "200") }
        let code = body?.error?.details?.lazy.compactMap(\.errorCode).first
        let status = body?.error?.status
        let consequence: Consequence
        let reason: String
        if let body, code == "INVALID_ARGUMENT" || (code == nil && status == "INVALID_ARGUMENT"), blamesToken(body) {
            (consequence, reason) = (.tokenWrong, "\(http.status) INVALID_ARGUMENT of the token")
        } else if let code, let known = consequences[code] {
            (consequence, reason) = (known, "\(http.status) \(code)")
        } else if let status, let known = canonicalConsequences[status] {
            (consequence, reason) = (known, "\(http.status) \(status)")
        } else {
            // Whoever says 401 does not know our access token.
            consequence = http.status == 401 ? .credentialExpired : UnknownAnswer.consequence(status: http.status)
            reason = "\(http.status) unknown answer"
        }
        return ProviderAnswer(
            consequence: consequence, reason: reason, retryAfter: http.retryAfter,
            pause: consequence == .slowDown ? pauseAfterQuota : nil)
    }

    /// INVALID_ARGUMENT may be about the token or about what we wrote. Of the token it is said in a violation of its field,
    /// or, without any violation, in the message.
    private static func blamesToken(_ body: Body) -> Bool {
        let fields = body.error?.details?.flatMap { $0.fieldViolations ?? [] }.compactMap(\.field) ?? []
        if !fields.isEmpty { return fields.contains("message.token") }
        return body.error?.message?.contains("registration token") == true
    }
}
