import CherishCore
import CherishTestSupport
import Crypto
import Foundation
import Testing

@testable import CherishProviders

@Suite("Encryption for browsers")
struct WebPushEncryptionTests {
    private func encryption(for browser: TestBrowser) throws -> WebPushEncryption {
        let keys = try #require(browser.keys)
        return try #require(WebPushEncryption(keys))
    }

    /// RFC 8291, appendix A.
    @Test("matches the example of RFC 8291 byte for byte")
    func example() throws {
        let keys = try #require(
            PushSubscription.Keys(
                p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                auth: "BTBZMqHH6r4Tts7J_aSIgg"))
        let sender = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        let body = try #require(WebPushEncryption(keys)).body(
            of: Array("When I grow up, I want to be a watermelon".utf8), sender: sender,
            salt: decoded("DGv6ra1nlYgDCS1FRnbzlw"))
        let expected = """
            DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3\
            jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
            """
        #expect(Base64URL.encode(body) == expected)
    }

    @Test("makes the bytes that http_ece makes, for texts of any length")
    func sameAsPython() throws {
        let messages = try WebPushFixture.read().byHTTPECE
        #expect(messages.count == 6)
        for message in messages {
            let sender = try P256.KeyAgreement.PrivateKey(
                rawRepresentation: decoded(try #require(message.sender)))
            let body = try message.encryption().body(
                of: decoded(message.text), sender: sender, salt: decoded(try #require(message.salt)))
            #expect(Base64URL.encode(body) == message.body, "\(message.what)")
        }
    }

    /// So that what it says of our pushes counts.
    @Test("the browser of the tests decrypts what http_ece and pywebpush encrypt, and nothing else")
    func browserOfTests() throws {
        let fixture = try WebPushFixture.read()
        for message in fixture.byHTTPECE + fixture.byPyWebPush {
            let body = try decoded(message.body)
            let browser = try message.receiver()
            #expect(browser.text(of: body) == (try decoded(message.text)), "\(message.what)")
            #expect(TestBrowser(key: browser.key).text(of: body) == nil)
            #expect(TestBrowser(auth: browser.auth).text(of: body) == nil)
            for place in [0, 16, 21, 86, body.count - 1] {
                var changed = body
                changed[place] ^= 1
                #expect(browser.text(of: changed) == nil, "byte \(place)")
            }
        }
    }

    @Test("takes texts of up to 3,993 bytes, which make a body of 4,096")
    func longest() throws {
        #expect(WebPushEncryption.longestText == 3993)
        let browser = TestBrowser()
        let text = (0..<3993).map { UInt8($0 % 251) }
        let body = try encryption(for: browser).body(of: text)
        #expect(body.count == 4096)
        #expect(browser.text(of: body) == text)
        #expect(throws: WebPushEncryption.TooLong.self) { try encryption(for: browser).body(of: text + [0]) }
    }

    @Test("uses a new key and a new salt for each push")
    func fresh() throws {
        let browser = TestBrowser()
        let encryption = try encryption(for: browser)
        let bodies = try (0..<20).map { _ in try encryption.body(of: Array("text".utf8)) }
        #expect(Set(bodies.map { Array($0[..<16]) }).count == 20)
        #expect(Set(bodies.map { Array($0[21..<86]) }).count == 20)
        #expect(bodies.allSatisfy { browser.text(of: $0) == Array("text".utf8) })
    }

    @Test("refuses a key that is no point of the curve")
    func offCurve() throws {
        let keys = try #require(TestBrowser().keys)
        for place in [1, 33, 64] {
            var point = keys.p256dh
            point[place] ^= 1
            let broken = try #require(PushSubscription.Keys(p256dh: point, auth: keys.auth))
            #expect(WebPushEncryption(broken) == nil)
        }
        let zero = try #require(
            PushSubscription.Keys(p256dh: [4] + [UInt8](repeating: 0, count: 64), auth: keys.auth))
        #expect(WebPushEncryption(zero) == nil)
    }
}
