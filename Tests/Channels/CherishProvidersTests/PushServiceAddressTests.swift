import CherishTestSupport
import Testing

@testable import CherishProviders
@testable import CherishPush

@Suite("The endpoint of a subscription")
struct PushServiceAddressTests {
    typealias Refusal = PushServiceAddress.Refusal

    private func refusal(_ endpoint: String, hosts: [String] = [], allowsPrivateAddresses: Bool = false) -> Refusal? {
        do {
            _ = try PushServiceAddress(endpoint, hosts: hosts, allowsPrivateAddresses: allowsPrivateAddresses)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "is accepted at the push services of browsers, at their hosts and below",
        arguments: [
            ("https://fcm.googleapis.com/fcm/send/dSbT:APA91", "https://fcm.googleapis.com"),
            ("https://jmt17.google.com/fcm/send/x", "https://jmt17.google.com"),
            ("https://updates.push.services.mozilla.com/wpush/v2/gAAA", "https://updates.push.services.mozilla.com"),
            ("https://web.push.apple.com/QF8w7V0M", "https://web.push.apple.com"),
            ("https://wns2-par02p.notify.windows.com/w/?token=BQYAAA", "https://wns2-par02p.notify.windows.com"),
            ("HTTPS://FCM.GoogleAPIs.com:443/fcm/send/x", "https://fcm.googleapis.com"),
            ("https://web.push.apple.com./x?y#z", "https://web.push.apple.com"),
        ])
    func known(endpoint: String, origin: String) throws {
        let address = try PushServiceAddress(endpoint)
        #expect(address.origin == origin)
        #expect("https://\(address.host)" == origin)
        #expect(refusal(endpoint, allowsPrivateAddresses: true) == nil)
    }

    @Test(
        "is refused at a host that only resembles one of them",
        arguments: [
            "https://xfcm.googleapis.com/", "https://fcm.googleapis.com.example/", "https://googleapis.com/",
            "https://evil-push.apple.com.example/", "https://evil-push.apple.com/", "https://apple.com/",
            "https://push.services.mozilla.com.example.com/", "https://notify.windows.com.example/",
            "https://windows.com/", "https://example.com/fcm.googleapis.com",
            "https://example.com/?fcm.googleapis.com", "https://example.com/#.push.apple.com",
            // The part before .push.apple.com is no name.
            "https://example.com%2F.push.apple.com/", "https://example.com%23.push.apple.com/",
            "https://example.com%3F.push.apple.com/", "https://example.com%5C.push.apple.com/",
            "https://example.com%40.push.apple.com/", "https://a_b.push.apple.com/",
            // Capital and full-width letters, and a dot of another script.
            "https://fcm.googleapis\u{3002}com.example/", "https://\u{FF46}cm.googleapis.com.example/",
            // No push service listens there.
            "https://fcm.googleapis.com:8443/", "https://web.push.apple.com:22/",
        ])
    func unknown(endpoint: String) {
        #expect(refusal(endpoint) == .unknownService)
        #expect(refusal(endpoint, allowsPrivateAddresses: true) == .unknownService)
        #expect(refusal(endpoint, hosts: ["push.example.org"]) == .unknownService)
    }

    @Test(
        "is refused if it is no URL that could be posted to",
        arguments: [
            "", "fcm.googleapis.com", "https://", "https://user@fcm.googleapis.com/",
            "https://fcm.googleapis.com@example.com/", "https://fcm.googleapis.com:pass@example.com/",
            "https://fcm.googleapis.com/a\nb", "https://fcm.googleapis.com:0/", "https://fcm.googleapis.com:65536/",
            "mailto:minji@example.com",
        ])
    func noURL(endpoint: String) {
        #expect(refusal(endpoint) == .notURL)
        #expect(refusal(endpoint, allowsPrivateAddresses: true) == .notURL)
    }

    @Test(
        "is refused inside our network and without TLS, like a webhook",
        arguments: [
            ("http://fcm.googleapis.com/", .notHTTPS), ("https://127.0.0.1/", .privateAddress),
            ("https://localhost/", .privateAddress), ("https://10.0.0.1/fcm.googleapis.com", .privateAddress),
            ("https://[::1]/", .privateAddress), ("https://169.254.169.254/", .privateAddress),
            ("https://2130706433/", .privateAddress), ("https://8.8.8.8/", .unknownService),
        ] as [(String, Refusal)])
    func ofOnesOwn(endpoint: String, expected: Refusal) {
        #expect(refusal(endpoint) == expected)
        // The operator names a host, but does not allow private addresses.
        #expect(refusal("https://127.0.0.1/", hosts: ["127.0.0.1"]) == .privateAddress)
    }

    @Test("may be at other hosts that the operator names, at any port, and below them")
    func named() throws {
        let hosts = ["push.example.org", "127.0.0.1"]
        #expect(refusal("https://push.example.org/x", hosts: hosts) == nil)
        #expect(refusal("https://eu.push.example.org:8443/x", hosts: hosts) == nil)
        #expect(refusal("https://mypush.example.org/x", hosts: hosts) == .unknownService)
        #expect(refusal("https://example.org/x", hosts: hosts) == .unknownService)
        #expect(refusal("http://push.example.org/x", hosts: hosts) == .notHTTPS)
        let local = try PushServiceAddress("http://127.0.0.1:4321/push/1", hosts: hosts, allowsPrivateAddresses: true)
        #expect(local.origin == "http://127.0.0.1:4321")
        let numbered = try PushServiceAddress("HTTP://[::1]:80/push", hosts: ["::1"], allowsPrivateAddresses: true)
        #expect(numbered.origin == "http://[::1]")
        #expect(refusal("https://fcm.googleapis.com/x", hosts: hosts) == nil)
    }

    @Test("each refusal has a description, the same in Korean, and a reason", arguments: Refusal.allCases)
    func words(refusal: Refusal) {
        #expect(refusal.description.count > 30)
        #expect(!refusal.reason.isEmpty)
        let (problem, remedy) = refusal.korean
        #expect(KoreanSentences.flaws([problem, remedy], besides: refusal.description) == [])
    }
}
