/// The consequence of each answer of a browser's push service. The statuses are those of RFC 8030 and RFC 8292; what the
/// services of Apple, Google, Microsoft and Mozilla add is in their documentation.
enum WebPushAnswers {
    static let consequences: [Int: Consequence] = [
        200: .accepted,
        201: .accepted,
        // Accepted, with a receipt to follow.
        202: .accepted,
        204: .accepted,
        // A header or the encryption is not to its liking.
        400: .refused,
        // Our token is missing, wrong, too old or for somebody else.
        401: .misconfigured,
        403: .misconfigured,
        // The subscription does not exist, or no longer.
        404: .tokenDead,
        410: .tokenDead,
        // Microsoft's, for too many requests to one channel.
        406: .slowDown,
        413: .refused,
        429: .slowDown,
    ]

    /// What services say, with 400, 401 or 403, when the browser subscribed with another key than ours: Apple, Mozilla,
    /// and Google twice.
    static let wordsOfOtherKey = [
        "VapidPkHashMismatch", "VAPID public key mismatch",
        "do not correspond to the credentials used to create the subscription",
        "does not correspond to the sender ID",
    ]

    /// Chrome's service answers 400 to a token that it cannot verify.
    static let wordsOfBadToken = ["UnauthorizedRegistration", "Unauthorized Registration"]

    /// Interprets a response. Unknown statuses are judged as those of other providers.
    static func answer(_ http: HTTPAnswer) -> ProviderAnswer {
        if [400, 401, 403].contains(http.status) {
            let body = String(decoding: http.body, as: UTF8.self)
            if wordsOfOtherKey.contains(where: { body.contains($0) }) {
                return ProviderAnswer(consequence: .tokenWrong, reason: "\(http.status) subscribed with another key")
            }
            if wordsOfBadToken.contains(where: { body.contains($0) }) {
                return ProviderAnswer(consequence: .misconfigured, reason: "\(http.status) unauthorized registration")
            }
        }
        return ProviderAnswer(
            consequence: consequences[http.status] ?? UnknownAnswer.consequence(status: http.status),
            reason: String(http.status), retryAfter: http.retryAfter)
    }
}
