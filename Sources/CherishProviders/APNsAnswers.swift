import CherishCore
import Foundation

/// What follows from each answer of Apple's. The statuses and reasons are those of "Handling notification responses from
/// APNs" (developer.apple.com).
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
            // Apple's servers have been seen to spell it so.
            "BadEnvironmentKeyInToken": .misconfigured,
            "ExpiredProviderToken": .credentialExpired,
            "Forbidden": .misconfigured,
            "InvalidProviderToken": .misconfigured,
            "MissingProviderToken": .misconfigured,
            // The connection was opened with a token of another key.
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
            // Made too often; the one that we have goes on to be used.
            "TooManyProviderTokenUpdates": .retry,
            // To this device.
            "TooManyRequests": .slowDown,
        ],
        500: ["InternalServerError": .retry],
        503: [
            "ServiceUnavailable": .retry,
            "Shutdown": .retry,
        ],
    ]

    /// Apple asks for 15 minutes after this one.
    private static let pauseAfterInternalError = Duration.seconds(15 * 60)

    /// Reads an answer. A reason that is not in the table, or no reason at all, goes by its status.
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

    /// nil for a number that no calendar has.
    private static func instant(milliseconds: Double) -> Instant? {
        guard (0..<253_402_300_800_000).contains(milliseconds) else { return nil }
        return Instant(microsecondsSinceEpoch: Int64(milliseconds * 1000))
    }
}
