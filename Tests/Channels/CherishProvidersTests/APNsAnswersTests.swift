import CherishCore
import Foundation
import NIOHTTP1
import Testing

@testable import CherishProviders

@Suite("Consequences of Apple's answers")
struct APNsAnswersTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let reason: String
        let consequence: Consequence

        init(_ status: Int, _ reason: String, _ consequence: Consequence) {
            self.status = status
            self.reason = reason
            self.consequence = consequence
        }

        var testDescription: String { "\(status) \(reason)" }
    }

    /// Apple's table, transcribed independently of ours.
    static let rows = [
        Row(400, "BadCollapseId", .refused),
        Row(400, "BadDeviceToken", .tokenWrong),
        Row(400, "BadExpirationDate", .refused),
        Row(400, "BadMessageId", .refused),
        Row(400, "BadPriority", .refused),
        Row(400, "BadTopic", .misconfigured),
        Row(400, "DeviceTokenNotForTopic", .tokenWrong),
        Row(400, "DuplicateHeaders", .refused),
        Row(400, "IdleTimeout", .retry),
        Row(400, "InvalidPushType", .refused),
        Row(400, "MissingDeviceToken", .refused),
        Row(400, "MissingTopic", .misconfigured),
        Row(400, "PayloadEmpty", .refused),
        Row(400, "TopicDisallowed", .misconfigured),
        Row(403, "BadCertificate", .misconfigured),
        Row(403, "BadCertificateEnvironment", .misconfigured),
        Row(403, "BadEnvironmentKeyIdInToken", .misconfigured),
        Row(403, "BadEnvironmentKeyInToken", .misconfigured),
        Row(403, "ExpiredProviderToken", .credentialExpired),
        Row(403, "Forbidden", .misconfigured),
        Row(403, "InvalidProviderToken", .misconfigured),
        Row(403, "MissingProviderToken", .misconfigured),
        Row(403, "UnrelatedKeyIdInToken", .connectionUnfit),
        Row(404, "BadPath", .refused),
        Row(405, "MethodNotAllowed", .refused),
        Row(410, "ExpiredToken", .tokenDead),
        Row(410, "Unregistered", .tokenDead),
        Row(413, "PayloadTooLarge", .refused),
        Row(429, "TooManyProviderTokenUpdates", .retry),
        Row(429, "TooManyRequests", .slowDown),
        Row(500, "InternalServerError", .retry),
        Row(503, "ServiceUnavailable", .retry),
        Row(503, "Shutdown", .retry),
    ]

    private func answer(_ status: Int, _ body: String, headers: HTTPHeaders = [:]) -> ProviderAnswer {
        APNsAnswers.answer(HTTPAnswer(status: status, headers: headers, body: Array(body.utf8)))
    }

    @Test("Apple's reasons mean what Apple documents", arguments: APNsAnswersTests.rows)
    func documented(row: Row) {
        let answer = answer(row.status, #"{"reason":"\#(row.reason)"}"#)
        #expect(answer.consequence == row.consequence)
        #expect(answer.reason == "\(row.status) \(row.reason)")
        #expect(answer.deadSince == nil)
        let pause: Duration? = row.status == 500 ? .seconds(900) : nil
        #expect(answer.retryAfter == nil)
        #expect(answer.pause == pause)
    }

    @Test("our table has exactly Apple's reasons")
    func complete() {
        var ours: Set<String> = []
        for (status, reasons) in APNsAnswers.consequences { ours.formUnion(reasons.keys.map { "\(status) \($0)" }) }
        #expect(ours == Set(APNsAnswersTests.rows.map(\.testDescription)))
    }

    @Test("only reasons specific to a token retire a device; those that may concern all tokens are doubted")
    func retiring() {
        let dead = APNsAnswersTests.rows.filter { $0.consequence == .tokenDead }
        #expect(dead.map(\.reason) == ["ExpiredToken", "Unregistered"])
        let doubted = APNsAnswersTests.rows.filter { $0.consequence == .tokenWrong }
        #expect(doubted.map(\.reason) == ["BadDeviceToken", "DeviceTokenNotForTopic"])
    }

    @Test("200 is acceptance, with an empty body, JSON, or anything else", arguments: ["", "{}", "thanks", "\u{0}"])
    func accepted(body: String) {
        let answer = answer(200, body)
        #expect(answer.consequence == .accepted)
        #expect(answer.reason == "200")
        #expect(answer.retryAfter == nil)
    }

    static let statuses: [(Int, Consequence)] = [
        (201, .retry), (204, .retry), (301, .misconfigured), (302, .misconfigured), (304, .misconfigured),
        (400, .refused), (401, .misconfigured), (403, .misconfigured), (404, .misconfigured), (405, .misconfigured),
        (407, .misconfigured), (408, .retry), (413, .refused), (418, .refused), (425, .retry), (429, .slowDown),
        (451, .refused), (500, .retry), (502, .retry), (503, .retry), (504, .retry), (599, .retry), (600, .refused),
        (999, .refused),
    ]

    @Test(
        "without a known reason the status decides, whatever the body",
        arguments: APNsAnswersTests.statuses)
    func unknown(status: Int, consequence: Consequence) {
        let bodies = [
            "", "<html><h1>Bad gateway</h1></html>", "{}", "[]", "null", #"{"reason":null}"#, #"{"reason":7}"#,
            #"{"reason":""}"#, #"{"reason":"SomethingNew"}"#, #"{"reason":"#, "\u{FEFF}{}",
            // A reason that belongs to another status.
            #"{"reason":"FeatureNotEnabled"}"#,
        ]
        for body in bodies {
            let answer = answer(status, body)
            #expect(answer.consequence == consequence, "\(body)")
            #expect(answer.reason == "\(status) unknown answer", "\(body)")
            #expect(answer.deadSince == nil)
        }
    }

    @Test("a known reason with another status is unknown", arguments: [400, 403, 404, 413, 500])
    func wrongStatus(status: Int) {
        let answer = answer(status, #"{"reason":"Unregistered","timestamp":1772000000123}"#)
        #expect(answer.consequence != .tokenDead)
        #expect(answer.reason == "\(status) unknown answer")
    }

    @Test("410 gives the time of the token's death in milliseconds")
    func deadSince() {
        for reason in ["Unregistered", "ExpiredToken"] {
            let answer = answer(410, #"{"reason":"\#(reason)","timestamp":1772000000123}"#)
            #expect(answer.consequence == .tokenDead)
            #expect(answer.deadSince == Instant(microsecondsSinceEpoch: 1_772_000_000_123_000))
        }
        let first = answer(410, #"{"timestamp":0,"reason":"Unregistered"}"#)
        #expect(first.deadSince == Instant(microsecondsSinceEpoch: 0))
    }

    @Test(
        "an impossible timestamp is ignored; the token is dead all the same",
        arguments: [
            "1e300", "-1e300", "1e400", "-1", "-0.001", "253402300800000", "9223372036854775807",
            "18446744073709551616", "null", #""NaN""#, #""1772000000123""#, "[]", "true",
        ])
    func hostileTime(text: String) {
        let answer = answer(410, #"{"reason":"Unregistered","timestamp":\#(text)}"#)
        #expect(answer.consequence == .tokenDead)
        #expect(answer.deadSince == nil)
    }

    @Test("an unknown reason is not repeated: it may be a token")
    func echo() {
        for status in [400, 403, 410, 429, 500, 503] {
            let answer = answer(status, #"{"reason":"\#(Token.iPhone)"}"#, headers: ["reason": Token.iPhone])
            #expect(answer.reason == "\(status) unknown answer")
        }
    }

    @Test("Retry-After counts with every answer, and overrides the quarter of an hour after an internal error")
    func retryAfter() {
        let headers: HTTPHeaders = ["Retry-After": "30"]
        #expect(answer(429, #"{"reason":"TooManyRequests"}"#, headers: headers).retryAfter == .seconds(30))
        #expect(answer(503, #"{"reason":"ServiceUnavailable"}"#, headers: headers).retryAfter == .seconds(30))
        #expect(answer(500, #"{"reason":"InternalServerError"}"#, headers: headers).retryAfter == .seconds(30))
        #expect(answer(502, "", headers: headers).retryAfter == .seconds(30))
        let rubbish: HTTPHeaders = ["Retry-After": "soon"]
        #expect(answer(500, #"{"reason":"InternalServerError"}"#, headers: rubbish).pause == .seconds(900))
        #expect(answer(503, #"{"reason":"Shutdown"}"#, headers: rubbish).retryAfter == nil)
    }

    @Test("a deeply nested body is treated as unreadable")
    func nested() {
        let answer = answer(400, String(repeating: #"{"reason":["#, count: 5000))
        #expect(answer.consequence == .refused)
        #expect(answer.reason == "400 unknown answer")
    }
}
