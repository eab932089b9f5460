import CherishCore
import CherishPush
import CherishTestSupport
import Foundation
import Secrets
import Testing

@testable import CherishProviders

@Suite("Tokens for push services")
struct VAPIDTokensTests {
    private static let origin = "https://push.example.com"

    private func tokens(_ clock: TestClock, key: VAPIDKey = TestKeys.vapid) throws -> VAPIDTokens {
        let subject = try #require(VAPIDSubject("mailto:push@example.com"))
        return VAPIDTokens(key, subject: subject, clock: { clock.now })
    }

    @Test("name origin, contact and an expiry within a day, and are signed by our key")
    func claims() throws {
        let tokens = try tokens(TestClock(1_803_945_600.75))
        let header = try #require(VAPIDHeader(try tokens.authorization(for: Self.origin)))
        #expect(header.audience == Self.origin)
        #expect(header.subject == "mailto:push@example.com")
        #expect(header.expiry == 1_803_945_600 + 12 * 3600)
        #expect(header.key == TestKeys.vapid.publicKey)
    }

    /// So that what the tests say of ours counts.
    @Test("the tests verify what py-vapid signs, and nothing else")
    func verifier() throws {
        let signed = try WebPushFixture.read().byPyVAPID
        let header = try #require(VAPIDHeader(signed.authorization))
        #expect(header.audience == signed.claims.aud)
        #expect(header.subject == signed.claims.sub)
        #expect(header.expiry == signed.claims.exp)
        #expect(Base64URL.encode(header.key) == signed.publicKey)
        let other = Base64URL.encode(VAPIDKey().publicKey)
        #expect(VAPIDHeader(signed.authorization.replacing(signed.publicKey, with: other)) == nil)
        #expect(VAPIDHeader(signed.authorization.replacing("vapid t=eyJ0", with: "vapid t=eyJ1")) == nil)
        #expect(VAPIDHeader(signed.authorization.replacing("vapid t=", with: "Bearer ")) == nil)
    }

    @Test("are used for an hour, and then replaced")
    func renewal() throws {
        let clock = TestClock(1_803_945_600)
        let tokens = try tokens(clock)
        let first = try tokens.authorization(for: Self.origin)
        clock.advance(by: 3599)
        #expect(try tokens.authorization(for: Self.origin) == first)
        clock.advance(by: 1)
        let second = try tokens.authorization(for: Self.origin)
        #expect(second != first)
        #expect(VAPIDHeader(second)?.expiry == 1_803_992_400)
        // A clock that is put back must not keep a token of the future.
        clock.advance(by: -7200)
        #expect(try tokens.authorization(for: Self.origin) != second)
    }

    @Test("are one per origin, of a limited number of origins")
    func origins() throws {
        let tokens = try tokens(TestClock(1_803_945_600))
        let first = try tokens.authorization(for: Self.origin)
        let other = try tokens.authorization(for: "https://push.example.com:8443")
        #expect(VAPIDHeader(other)?.audience == "https://push.example.com:8443")
        #expect(try tokens.authorization(for: Self.origin) == first)
        for number in 2..<VAPIDTokens.mostOrigins {
            _ = try tokens.authorization(for: "https://\(number).example.com")
        }
        #expect(try tokens.authorization(for: Self.origin) == first)
        _ = try tokens.authorization(for: "https://one-more.example.com")
        #expect(try tokens.authorization(for: Self.origin) != first)
    }

    @Test(
        "have a contact that push services accept",
        arguments: [
            "mailto:push@example.com", "mailto:push+cherish@mail.example.co.kr", "https://example.com",
            "https://example.com/contact?about=push",
        ])
    func contact(text: String) throws {
        #expect(try #require(VAPIDSubject(text)).text == text)
    }

    @Test(
        "have no other contact",
        arguments: [
            "", "push@example.com", "mailto:", "mailto:push", "mailto: push@example.com",
            "mailto:<push@example.com>", "mailto:push@localhost", "mailto:Push <push@example.com>",
            "mailto:push@example.com\n", "mailto:정원@example.com", "https://", "https://localhost",
            "https://localhost:8080/", "https://example.com/a b", "http://example.com", "HTTPS://example.com",
            "tel:+82212345678", "https://example.com/\"",
        ])
    func otherContact(text: String) {
        #expect(VAPIDSubject(text) == nil)
    }
}
