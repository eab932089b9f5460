import CherishTestSupport
import Testing

@testable import CherishProviders
@testable import CherishPush

@Suite("The address of a webhook")
struct WebhookAddressTests {
    typealias Refusal = WebhookAddress.Refusal

    private func refusal(_ url: String, allowsPrivateAddresses: Bool = false) -> Refusal? {
        do {
            _ = try WebhookAddress(url, allowsPrivateAddresses: allowsPrivateAddresses)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "is accepted if pushes can be sent to it",
        arguments: [
            "https://example.com/cherish", "HTTPS://EXAMPLE.COM/", "https://example.com:8443/a?b=c#d",
            "https://8.8.8.8/",
            "https://[2606:4700::1111]/", "https://a-b.example.com.", "https://hooks.example.com/%EC%A0%95%EC%9B%90",
        ])
    func usable(url: String) {
        #expect(refusal(url) == nil)
        #expect(refusal(url, allowsPrivateAddresses: true) == nil)
    }

    @Test("has one server however it is spelled, and another one at another port")
    func spelling() throws {
        func address(_ url: String) throws -> WebhookAddress { try WebhookAddress(url, allowsPrivateAddresses: true) }
        let usual = try address("https://hooks.example.com/A?b=C")
        for spelled in ["https://HOOKS.example.com/A?b=C", "HTTPS://hooks.example.com.:443/A?b=C"] {
            #expect(try address(spelled).host == usual.host)
            #expect(try address(spelled).server == usual.server)
        }
        // The URL must carry the canonical host name, because the connection is pinned to what that name resolves to.
        #expect(try address("https://Hooks.Example.com./A?b=C#d").url == "https://hooks.example.com/A?b=C#d")
        #expect(try address("https://hooks.example.com:8443/").server != usual.server)
        #expect(try address("http://hooks.example.com/").server == address("http://hooks.example.com:80/").server)
        #expect(try address("https://[2606:4700::1111]:8443/x").url == "https://[2606:4700::1111]:8443/x")
    }

    @Test(
        "is refused if it can never work, even with private addresses allowed",
        arguments: [
            ("", .notURL), ("hook", .noHost), ("https:///hook", .noHost), ("mailto:minji@example.com", .noHost),
            ("https://user@example.com/", .userOrPassword), ("https://user:secret@example.com/", .userOrPassword),
            ("https://example.com/a\nb", .controlCharacter), ("https://example.com/\r\nHost: x", .controlCharacter),
            ("\thttps://example.com/", .controlCharacter), ("https://exa\u{0}mple.com/", .controlCharacter),
            ("https://example.com/\u{2028}", .controlCharacter), ("https://example.com:0/", .noPort),
            ("https://example.com:65536/", .noPort), ("ftp://example.com/", .notHTTPS),
            ("file://example.com/etc/passwd", .notHTTPS),
        ] as [(String, Refusal)])
    func unusable(url: String, refusal expected: Refusal) {
        #expect(refusal(url) == expected)
        #expect(refusal(url, allowsPrivateAddresses: true) == expected)
    }

    @Test(
        "must be public and https unless the operator allows private addresses",
        arguments: [
            ("http://example.com/", .notHTTPS), ("https://localhost/", .privateAddress),
            ("https://127.0.0.1/", .privateAddress), ("https://10.1.2.3:8443/", .privateAddress),
            ("https://[::1]/", .privateAddress), ("https://[fd00::1]/", .privateAddress),
            ("https://[::ffff:192.168.0.1]/", .privateAddress), ("https://2130706433/", .privateAddress),
            ("https://0x7f000001/", .privateAddress), ("https://0177.0.0.1/", .privateAddress),
            ("https://127.1/", .privateAddress), ("https://0/", .privateAddress),
            // 8.8.8.8 in spellings that no certificate covers.
            ("https://134744072/", .unusualNumber), ("https://0x8080808/", .unusualNumber),
        ] as [(String, Refusal)])
    func ofOnesOwn(url: String, refusal expected: Refusal) {
        #expect(refusal(url) == expected)
        #expect(refusal(url, allowsPrivateAddresses: true) == nil)
    }

    @Test("each refusal has a description, the same in Korean, and a reason", arguments: Refusal.allCases)
    func words(refusal: Refusal) {
        #expect(refusal.description.count > 30)
        #expect(!refusal.reason.isEmpty)
        let (problem, remedy) = refusal.korean
        #expect(KoreanSentences.flaws([problem, remedy], besides: refusal.description) == [])
    }
}
