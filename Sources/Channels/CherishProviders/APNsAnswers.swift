import CherishCore
import Foundation

/// The consequence of each APNs response. Statuses and reasons are from "Handling notification responses from APNs"
/// (developer.apple.com).
enum APNsAnswers {
    static let consequences: [Int: [String: Consequence]] = [
        400: [
            "BadCollapseId": .refused,
            "BadDeviceToken": .tokenWrong,
            "BadExpirationDate": .refused,
            "BadMessageId": .refused,
            "BadPriority": .refused,
            "BadTopic": .misconfigured,
            "DeviceTokenNotForTopic": .tokenWrong,
            "DuplicateHeaders": .refused,
            "IdleTimeout": .retry,
            "InvalidPushType": .refused,
            "MissingDeviceToken": .refused,
            "MissingTopic": .misconfigured,
            "PayloadEmpty": .refused,
            "TopicDisallowed": .misconfigured,
        ],
        403: [
            "BadCertificate": .misconfigured,
            "BadCertificateEnvironment": .misconfigured,
            "BadEnvironmentKeyIdInToken": .misconfigured,
            // An undocumented spelling that Apple's servers use.
            "BadEnvironmentKeyInToken": .misconfigured,
            "ExpiredProviderToken": .credentialExpired,
            "Forbidden": .misconfigured,
            "InvalidProviderToken": .misconfigured,
            "MissingProviderToken": .misconfigured,
            // The connection was opened with another key's token.
            "UnrelatedKeyIdInToken": .connectionUnfit,
        ],
        404: ["BadPath": .refused],
        405: ["MethodNotAllowed": .refused],
        410: [
            "ExpiredToken": .tokenDead,
            "Unregistered": .tokenDead,
        ],
        413: ["PayloadTooLarge": .refused],
        429: [
            // We created tokens too often; keep using the current one.
            "TooManyProviderTokenUpdates": .retry,
            // Too many requests to this device.
            "TooManyRequests": .slowDown,
        ],
        500: ["InternalServerError": .retry],
        503: [
            "ServiceUnavailable": .retry,
            "Shutdown": .retry,
        ],
    ]

    /// Apple asks for 15 minutes after a 500.
    private static let pauseAfterInternalError = Duration.seconds(15 * 60)

    /// Parses a response. An unknown or missing reason is judged by its status.
    static func answer(_ http: HTTPAnswer) -> ProviderAnswer {
        struct Body: Decodable {
            let reason: String
        }
        struct Time: Decodable {
            /// Milliseconds since 1970.
            let timestamp: Double
        }
        if http.status == 200 { return ProviderAnswer(consequence: .accepted, reason: "200") }
        let body = Data(http.body)
        guard let reason = (try? JSONDecoder().decode(Body.self, from: body))?.reason,
            let consequence = consequences[http.status]?[reason]
        else {
            return ProviderAnswer(
                consequence: UnknownAnswer.consequence(status: http.status), reason: "\(http.status) unknown answer",
                retryAfter: http.retryAfter)
        }
        return ProviderAnswer(
            consequence: consequence, reason: "\(http.status) \(reason)",
            retryAfter: http.retryAfter, pause: http.status == 500 ? pauseAfterInternalError : nil,
            deadSince: (try? JSONDecoder().decode(Time.self, from: body)).flatMap {
                instant(milliseconds: $0.timestamp)
            })
    }

    /// nil for a number outside the calendar.
    private static func instant(milliseconds: Double) -> Instant? {
        guard (0..<253_402_300_800_000).contains(milliseconds) else { return nil }
        return Instant(microsecondsSinceEpoch: Int64(milliseconds * 1000))
    }
}
