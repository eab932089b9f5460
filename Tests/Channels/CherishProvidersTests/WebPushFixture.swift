import CherishCore
import CherishTestSupport
import Crypto
import Foundation
import Testing

@testable import CherishProviders

/// What Python's http_ece, pywebpush and py-vapid make (`fixtures/web-push`).
struct WebPushFixture: Decodable {
    struct Message: Decodable {
        let what, text, browser, p256dh, auth, body: String
        /// Of http_ece alone.
        let sender, salt: String?

        func receiver() throws -> TestBrowser {
            TestBrowser(
                key: try P256.KeyAgreement.PrivateKey(rawRepresentation: try decoded(browser)), auth: try decoded(auth))
        }

        func encryption() throws -> WebPushEncryption {
            let keys = try #require(PushSubscription.Keys(p256dh: p256dh, auth: auth))
            return try #require(WebPushEncryption(keys))
        }
    }

    struct Signed: Decodable {
        struct Claims: Decodable {
            let aud, sub: String
            let exp: Double
        }

        let pem, publicKey, authorization: String
        let claims: Claims
    }

    let byHTTPECE, byPyWebPush: [Message]
    let byPyVAPID: Signed

    static func read() throws -> WebPushFixture {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("fixtures/web-push")
        let file = try Data(contentsOf: folder.appendingPathComponent("web-push.json"))
        return try JSONDecoder().decode(WebPushFixture.self, from: file)
    }
}

/// The bytes of a text in Base64url.
func decoded(_ text: String) throws -> [UInt8] {
    try #require(Base64URL.decode(text))
}
