import NIOHTTP1
import Testing

@testable import CherishProviders

@Suite("Consequences of push services' answers")
struct WebPushAnswersTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        let consequence: Consequence
        let reason: String

        init(_ status: Int, _ consequence: Consequence, body: String = "", reason: String? = nil) {
            self.status = status
            self.body = body
            self.consequence = consequence
            self.reason = reason ?? String(status)
        }

        var testDescription: String { "\(status) \(body.prefix(40))" }
    }

    /// Transcribed independently of our table: RFC 8030, and what the services document.
    static let rows = [
        Row(200, .accepted), Row(201, .accepted), Row(202, .accepted), Row(204, .accepted),
        // Mozilla's, in JSON with `errno`.
        Row(400, .refused, body: #"{"code":400,"errno":111,"error":"Bad Request","message":"Missing TTL header"}"#),
        Row(401, .misconfigured, body: #"{"code":401,"errno":109,"message":"Request did not validate"}"#),
        Row(404, .tokenDead, body: #"{"code":404,"errno":102,"message":"Request did not validate"}"#),
        Row(410, .tokenDead, body: #"{"code":410,"errno":106,"message":"Subscription does not exist"}"#),
        Row(413, .refused, body: #"{"code":413,"errno":104,"error":"Payload Too Large"}"#),
        Row(503, .retry, body: #"{"code":503,"errno":201,"error":"Service Unavailable"}"#),
        // Apple's, in JSON with `reason`.
        Row(400, .refused, body: #"{"reason":"BadWebPushTopic"}"#),
        Row(403, .misconfigured, body: #"{"reason":"BadJwtToken"}"#),
        Row(410, .tokenDead, body: #"{"reason":"Unregistered"}"#),
        Row(413, .refused, body: #"{"reason":"PayloadTooLarge"}"#),
        Row(429, .slowDown, body: #"{"reason":"TooManyRequests"}"#),
        // Google's, in plain text.
        Row(400, .misconfigured, body: "UnauthorizedRegistration", reason: "400 unauthorized registration"),
        Row(403, .misconfigured, body: "invalid JWT provided\n"),
        Row(410, .tokenDead, body: "push subscription has unsubscribed or expired.\n"),
        // Microsoft's, without a body.
        Row(406, .slowDown), Row(410, .tokenDead),
        Row(429, .slowDown), Row(500, .retry), Row(502, .retry), Row(504, .retry), Row(408, .retry), Row(425, .retry),
        // Another server answered.
        Row(301, .misconfigured), Row(302, .misconfigured), Row(307, .misconfigured), Row(405, .misconfigured),
        Row(407, .misconfigured), Row(418, .refused), Row(203, .retry),
    ]

    /// The browser subscribed with another key.
    static let otherKey = [
        (400, #"{"reason":"VapidPkHashMismatch"}"#), (403, #"{"reason":"VapidPkHashMismatch"}"#),
        (401, #"{"code":401,"errno":109,"error":"Unauthorized","message":"VAPID public key mismatch"}"#),
        (
            403,
            """
            the VAPID credentials in the authorization header do not correspond to the credentials used to create the \
            subscriptions.

            """
        ),
        (403, "the key in the authorization header does not correspond to the sender ID used to subscribe this user."),
    ]

    private func answer(_ status: Int, _ body: String, headers: HTTPHeaders = [:]) -> ProviderAnswer {
        WebPushAnswers.answer(HTTPAnswer(status: status, headers: headers, body: Array(body.utf8)))
    }

    @Test("are those of the table", arguments: WebPushAnswersTests.rows)
    func documented(row: Row) {
        let answer = answer(row.status, row.body)
        #expect(answer.consequence == row.consequence)
        #expect(answer.reason == row.reason)
        #expect(answer.retryAfter == nil)
        #expect(answer.deadSince == nil)
    }

    @Test("our table has no other statuses")
    func complete() {
        #expect(Set(WebPushAnswers.consequences.keys).isSubset(of: Set(Self.rows.map(\.status))))
    }

    @Test("a subscription with another key is wrong, not our key", arguments: WebPushAnswersTests.otherKey)
    func foreignKey(status: Int, body: String) {
        let answer = answer(status, body)
        #expect(answer.consequence == .tokenWrong)
        #expect(answer.reason == "\(status) subscribed with another key")
        // These words mean nothing elsewhere.
        for other in [201, 404, 413, 429, 500] {
            #expect(self.answer(other, body).consequence == self.answer(other, "").consequence)
        }
    }

    @Test("Retry-After is obeyed", arguments: [429, 503, 406, 500])
    func retryAfter(status: Int) {
        #expect(answer(status, "", headers: ["retry-after": "120"]).retryAfter == .seconds(120))
        #expect(answer(status, "", headers: ["retry-after": "soon"]).retryAfter == nil)
    }

    @Test("bodies are not repeated: they may contain the endpoint")
    func echo() {
        for status in [400, 401, 403, 404, 500] {
            #expect(answer(status, "secret-endpoint").reason == String(status))
        }
    }
}
