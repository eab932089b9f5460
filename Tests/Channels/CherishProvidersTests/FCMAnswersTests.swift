import CherishTestSupport
import Foundation
import NIOHTTP1
import Testing

@testable import CherishProviders

@Suite("Consequences of Firebase's answers")
struct FCMAnswersTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        /// The name of the `google.rpc` status.
        let code: String
        /// Firebase's own code; nil if it gives none.
        let errorCode: String?
        let consequence: Consequence
        let reason: String
        var seconds: Int?

        var testDescription: String { "\(status) \(code) \(errorCode ?? "")" }
    }

    /// Firebase's "ErrorCode", with the status and the `google.rpc` name that go with each.
    static let ownCodes = [
        Row(
            status: 400, code: "INVALID_ARGUMENT", errorCode: "INVALID_ARGUMENT", consequence: .refused,
            reason: "400 INVALID_ARGUMENT"),
        Row(
            status: 404, code: "NOT_FOUND", errorCode: "UNREGISTERED", consequence: .tokenDead,
            reason: "404 UNREGISTERED"),
        Row(
            status: 403, code: "PERMISSION_DENIED", errorCode: "SENDER_ID_MISMATCH", consequence: .tokenWrong,
            reason: "403 SENDER_ID_MISMATCH"),
        Row(
            status: 429, code: "RESOURCE_EXHAUSTED", errorCode: "QUOTA_EXCEEDED", consequence: .slowDown,
            reason: "429 QUOTA_EXCEEDED", seconds: 60),
        Row(
            status: 503, code: "UNAVAILABLE", errorCode: "UNAVAILABLE", consequence: .retry, reason: "503 UNAVAILABLE"),
        Row(
            status: 500, code: "INTERNAL", errorCode: "INTERNAL", consequence: .retry, reason: "500 INTERNAL"),
        Row(
            status: 401, code: "UNAUTHENTICATED", errorCode: "THIRD_PARTY_AUTH_ERROR", consequence: .misconfigured,
            reason: "401 THIRD_PARTY_AUTH_ERROR"),
        // Says nothing, so the status decides.
        Row(
            status: 500, code: "INTERNAL", errorCode: "UNSPECIFIED_ERROR", consequence: .retry, reason: "500 INTERNAL"),
        Row(
            status: 400, code: "INVALID_ARGUMENT", errorCode: "UNSPECIFIED_ERROR", consequence: .refused,
            reason: "400 INVALID_ARGUMENT"),
    ]

    /// Errors of Google's APIs before Firebase is reached.
    static let canonicalCodes = [
        Row(
            status: 401, code: "UNAUTHENTICATED", errorCode: nil, consequence: .credentialExpired,
            reason: "401 UNAUTHENTICATED"),
        Row(
            status: 403, code: "PERMISSION_DENIED", errorCode: nil, consequence: .misconfigured,
            reason: "403 PERMISSION_DENIED"),
        // The project does not exist; the token may.
        Row(status: 404, code: "NOT_FOUND", errorCode: nil, consequence: .misconfigured, reason: "404 NOT_FOUND"),
        Row(
            status: 400, code: "INVALID_ARGUMENT", errorCode: nil, consequence: .refused,
            reason: "400 INVALID_ARGUMENT"),
        Row(
            status: 400, code: "FAILED_PRECONDITION", errorCode: nil, consequence: .misconfigured,
            reason: "400 FAILED_PRECONDITION"),
        Row(
            status: 429, code: "RESOURCE_EXHAUSTED", errorCode: nil, consequence: .slowDown,
            reason: "429 RESOURCE_EXHAUSTED", seconds: 60),
        Row(
            status: 503, code: "UNAVAILABLE", errorCode: nil, consequence: .retry, reason: "503 UNAVAILABLE"),
        Row(status: 500, code: "INTERNAL", errorCode: nil, consequence: .retry, reason: "500 INTERNAL"),
        Row(
            status: 504, code: "DEADLINE_EXCEEDED", errorCode: nil, consequence: .retry,
            reason: "504 DEADLINE_EXCEEDED"),
        Row(status: 409, code: "ABORTED", errorCode: nil, consequence: .retry, reason: "409 ABORTED"),
        Row(status: 499, code: "CANCELLED", errorCode: nil, consequence: .retry, reason: "499 CANCELLED"),
    ]

    private func answer(_ status: Int, _ body: String, headers: HTTPHeaders = [:]) -> ProviderAnswer {
        FCMAnswers.answer(HTTPAnswer(status: status, headers: headers, body: Array(body.utf8)))
    }

    private func answer(_ refusal: PushServer.Answer) -> ProviderAnswer {
        FCMAnswers.answer(
            HTTPAnswer(status: refusal.status, headers: HTTPHeaders(refusal.headers), body: refusal.body))
    }

    static let allCodes = ownCodes + canonicalCodes

    @Test("Firebase's codes mean what Firebase documents", arguments: FCMAnswersTests.allCodes)
    func documented(row: Row) {
        let answer = answer(FCMServer.refusal(status: row.status, code: row.code, errorCode: row.errorCode))
        #expect(answer.consequence == row.consequence)
        #expect(answer.reason == row.reason)
        #expect((answer.retryAfter ?? answer.pause) == row.seconds.map { Duration.seconds($0) })
        #expect(answer.deadSince == nil)
    }

    @Test("our tables have exactly the documented codes")
    func complete() {
        let documented = Set(FCMAnswersTests.ownCodes.compactMap(\.errorCode)).subtracting(["UNSPECIFIED_ERROR"])
        #expect(Set(FCMAnswers.consequences.keys) == documented)
        #expect(Set(FCMAnswers.canonicalConsequences.keys) == Set(FCMAnswersTests.canonicalCodes.map(\.code)))
    }

    @Test("only UNREGISTERED retires a device at once")
    func retiring() {
        let dead = FCMAnswersTests.allCodes.filter { $0.consequence == .tokenDead }
        #expect(dead.map(\.errorCode) == ["UNREGISTERED"])
    }

    @Test("200 is acceptance only with the name of a message")
    func accepted() {
        let accepted = answer(200, #"{"name":"projects/cherish-test/messages/0:1500415314455276"}"#)
        #expect(accepted.consequence == .accepted)
        #expect(accepted.reason == "200")
        #expect(accepted.retryAfter == nil)
        for body in ["", "{}", "ok", #"{"name":7}"#, #"{"error":{}}"#, "[]"] {
            let answer = answer(200, body)
            #expect(answer.consequence == .retry, "\(body)")
            #expect(answer.reason == "200 unknown answer", "\(body)")
        }
    }

    @Test("INVALID_ARGUMENT concerns the token if a violation names its field")
    func tokenField() {
        for errorCode in ["INVALID_ARGUMENT", nil] {
            let answer = answer(
                FCMServer.refusal(
                    status: 400, code: "INVALID_ARGUMENT", errorCode: errorCode, badField: "message.token"))
            #expect(answer.consequence == .tokenWrong)
            #expect(answer.reason == "400 INVALID_ARGUMENT of the token")
        }
    }

    @Test(
        "INVALID_ARGUMENT is our fault if a violation names another field",
        arguments: ["message.data[0].value", "message.android.ttl", "message", "message.tokens", "token", ""])
    func otherField(field: String) {
        let answer = answer(
            FCMServer.refusal(
                status: 400, code: "INVALID_ARGUMENT", errorCode: "INVALID_ARGUMENT", badField: field))
        #expect(answer.consequence == .refused)
        #expect(answer.reason == "400 INVALID_ARGUMENT")
    }

    /// As Firebase formats it.
    private func invalidArgument(_ message: String, violations: String = "") -> String {
        #"""
        {"error":{"code":400,"message":"\#(message)","status":"INVALID_ARGUMENT","details":[
        {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}\#(violations)]}}
        """#
    }

    @Test("without a violation, INVALID_ARGUMENT concerns the token if the message says so")
    func tokenMessage() {
        let ofToken = answer(
            400, invalidArgument("The registration token is not a valid FCM registration token"))
        #expect(ofToken.consequence == .tokenWrong)
        #expect(ofToken.reason == "400 INVALID_ARGUMENT of the token")
        let ofOther = answer(400, invalidArgument("Request contains an invalid argument."))
        #expect(ofOther.consequence == .refused)
        let violation = #"""
            ,{"@type":"type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations":[{"field":"message.data[0].value","description":"Invalid value"}]}
            """#
        let both = answer(400, invalidArgument("Beside the registration token", violations: violation))
        #expect(both.consequence == .refused)
    }

    @Test("the words \"registration token\" matter with no other code")
    func wordsElsewhere() {
        for (status, code) in [(403, "PERMISSION_DENIED"), (404, "NOT_FOUND"), (500, "INTERNAL")] {
            let body = #"{"error":{"status":"\#(code)","message":"no such registration token"}}"#
            let answer = answer(status, body)
            #expect(answer.reason == "\(status) \(code)")
            #expect(![.tokenDead, .tokenWrong].contains(answer.consequence))
        }
    }

    @Test(
        "Retry-After overrides the delay that Google asks for otherwise",
        arguments: [(429, "QUOTA_EXCEEDED", 7), (503, "UNAVAILABLE", 120), (500, "INTERNAL", 3)])
    func retryAfter(status: Int, errorCode: String, seconds: Int) {
        let answer = answer(
            FCMServer.refusal(status: status, code: "UNKNOWN", errorCode: errorCode, retryAfter: seconds))
        #expect(answer.retryAfter == .seconds(seconds))
    }

    static let statuses: [(Int, Consequence)] = [
        (302, .misconfigured), (400, .refused), (401, .credentialExpired), (403, .misconfigured), (404, .misconfigured),
        (408, .retry), (413, .refused), (429, .slowDown), (500, .retry), (502, .retry), (503, .retry),
    ]

    @Test("an unknown error is judged by its status", arguments: FCMAnswersTests.statuses)
    func unknown(status: Int, consequence: Consequence) {
        let bodies = [
            "", "<html>", "{}", "[]", "null", #"{"error":"text"}"#, #"{"error":{"status":7}}"#,
            #"{"error":{"status":"SOMETHING_NEW"}}"#, #"{"error":{"details":[{"errorCode":"SOMETHING_NEW"}]}}"#,
            #"{"error":{"status":"\#(Token.android)","details":[{"errorCode":"\#(Token.android)"}]}}"#,
        ]
        for body in bodies {
            let answer = answer(status, body)
            #expect(answer.consequence == consequence, "\(body)")
            #expect(answer.reason == "\(status) unknown answer", "\(body)")
            let pause: Duration? =
                switch consequence {
                case .slowDown: .seconds(60)
                default: nil
                }
            #expect(answer.retryAfter == nil)
            #expect(answer.pause == pause)
        }
    }

    @Test("messages are not repeated: they may contain a token")
    func echo() {
        let body = #"{"error":{"status":"NOT_FOUND","message":"\#(Token.android)"}}"#
        #expect(answer(404, body).reason == "404 NOT_FOUND")
    }
}
