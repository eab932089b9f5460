import CherishCore
import Foundation
import NIOHTTP1
import Testing

@testable import CherishProviders

@Suite("The signature of webhooks")
struct WebhookSignatureTests {
    @Test("matches the example of Standard Webhooks")
    func reference() throws {
        let headers = WebhookSignature.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: Date(timeIntervalSince1970: 1_614_265_330),
            body: Array(#"{"test": 2432232314}"#.utf8), secret: try #require(WebhookSecret(webhookSecretText)))
        #expect(headers.first(name: "webhook-id") == "msg_p5jXN8AQM9LWM0D4loKWxJek")
        #expect(headers.first(name: "webhook-timestamp") == "1614265330")
        #expect(headers.first(name: "webhook-signature") == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(headers.first(name: "content-type") == "application/json")
        #expect(headers.count == 5)
    }

    @Test("uses the whole seconds of the attempt, rounded down")
    func seconds() throws {
        let secret = try #require(WebhookSecret(webhookSecretText))
        let headers = WebhookSignature.headers(
            id: "msg_1", at: Date(timeIntervalSince1970: 1_614_265_330.999), body: [], secret: secret)
        #expect(headers.first(name: "webhook-timestamp") == "1614265330")
    }

    @Test("depends on the id, the time, the body and the secret")
    func dependence() throws {
        let secret = try #require(WebhookSecret(bytes: Array(0..<24)))
        let other = try #require(WebhookSecret(bytes: Array(1...24)))
        let time = Date(timeIntervalSince1970: 1_800_000_000)
        let all = [
            WebhookSignature.headers(id: "msg_1", at: time, body: [1], secret: secret),
            WebhookSignature.headers(id: "msg_2", at: time, body: [1], secret: secret),
            WebhookSignature.headers(id: "msg_1", at: time.addingTimeInterval(1), body: [1], secret: secret),
            WebhookSignature.headers(id: "msg_1", at: time, body: [2], secret: secret),
            WebhookSignature.headers(id: "msg_1", at: time, body: [], secret: secret),
            WebhookSignature.headers(id: "msg_1", at: time, body: [1], secret: other),
        ]
        #expect(Set(all.compactMap { $0.first(name: "webhook-signature") }).count == all.count)
    }

    /// Signs with the secret in the first argument; the others are the id, the seconds and the body in Base64.
    private static let program = """
        import base64, hashlib, hmac, sys
        secret, id, seconds, body = sys.argv[1:]
        signed = id.encode() + b'.' + seconds.encode() + b'.' + base64.b64decode(body)
        code = hmac.new(base64.b64decode(secret.removeprefix('whsec_')), signed, hashlib.sha256).digest()
        print('v1,' + base64.b64encode(code).decode(), end='')
        """

    @Test("matches Python's hmac, with the shortest and the longest secret", arguments: [24, 33, 64])
    func secondOpinion(length: UInt8) async throws {
        let secret = try #require(WebhookSecret(bytes: (0..<length).map { $0 &* 37 &+ length }))
        for sample in Sample.allCases {
            let body = try sample.push().payloadForWebhook()
            let headers = WebhookSignature.headers(
                id: "msg_\(sample)", at: Date(timeIntervalSince1970: 1_803_945_600), body: body, secret: secret)
            let expected = try await python(
                WebhookSignatureTests.program,
                [secret.text, "msg_\(sample)", "1803945600", Data(body).base64EncodedString()])
            #expect(headers.first(name: "webhook-signature") == expected)
        }
    }
}
