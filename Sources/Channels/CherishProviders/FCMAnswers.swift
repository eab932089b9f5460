import Foundation

/// The consequence of each response of FCM's HTTP v1 API. The codes are from its reference, "ErrorCode"
/// (firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode), and the canonical ones of Google's APIs.
enum FCMAnswers {
    /// FCM's own codes. UNSPECIFIED_ERROR is omitted: it says nothing, so the canonical code or the status decides.
    static let consequences: [String: Consequence] = [
        "INVALID_ARGUMENT": .refused,
        "UNREGISTERED": .tokenDead,
        // The token and the service account belong to different projects.
        "SENDER_ID_MISMATCH": .tokenWrong,
        "QUOTA_EXCEEDED": .slowDown,
        "UNAVAILABLE": .retry,
        "INTERNAL": .retry,
        // The credentials that Firebase itself needs for Apple or browsers.
        "THIRD_PARTY_AUTH_ERROR": .misconfigured,
    ]

    /// Canonical codes, for errors raised before the request reaches FCM: authentication, quotas, a missing project.
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

    /// The pause in Google's documentation for answers that name none. The ten seconds that it asks for during outages
    /// are shorter than any pause of ours.
    private static let pauseAfterQuota = Duration.seconds(60)

    /// An error as Google's APIs write it (google.rpc.Status).
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

        /// Set for an accepted message.
        let name: String?
        let error: Failure?
    }

    /// Parses a response. Unknown codes are judged by the status.
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
            // A 401 means that our access token is unknown.
            consequence = http.status == 401 ? .credentialExpired : UnknownAnswer.consequence(status: http.status)
            reason = "\(http.status) unknown answer"
        }
        return ProviderAnswer(
            consequence: consequence, reason: reason, retryAfter: http.retryAfter,
            pause: consequence == .slowDown ? pauseAfterQuota : nil)
    }

    /// INVALID_ARGUMENT may blame the token or the rest of our message. For the token, a violation names its field, or,
    /// without any violation, the message names it.
    private static func blamesToken(_ body: Body) -> Bool {
        let fields = body.error?.details?.flatMap { $0.fieldViolations ?? [] }.compactMap(\.field) ?? []
        if !fields.isEmpty { return fields.contains("message.token") }
        return body.error?.message?.contains("registration token") == true
    }
}
