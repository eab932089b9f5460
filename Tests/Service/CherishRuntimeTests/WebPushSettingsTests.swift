import CherishCore
import Testing

@testable import CherishRuntime

@Suite("Settings of Web Push")
struct WebPushSettingsTests {
    private static let complete = [
        "CHERISH_WEBPUSH_KEY": "/etc/cherish/webpush.pem", "CHERISH_WEBPUSH_SUBJECT": "mailto:push@example.com",
        "CHERISH_PUBLIC_URL": "https://cherish.example/",
    ]

    private func settings(_ changes: [String: String?] = [:]) throws -> Settings {
        var environment = Self.complete
        for (name, value) in changes { environment[name] = value }
        return try Settings(environment: environment)
    }

    @Test("are a key, a contact and the address of the web garden")
    func all() throws {
        let settings = try settings()
        let webPush = try #require(settings.providers.webPush)
        #expect(webPush.keyPath == "/etc/cherish/webpush.pem")
        #expect(webPush.subject.text == "mailto:push@example.com")
        #expect(webPush.origin == "https://cherish.example")
        #expect(webPush.hosts == [])
        #expect(settings.providers.platforms == [.webhook, .web])
        #expect(settings.workerPush == .devices)
    }

    @Test("may be missing")
    func none() throws {
        let settings = try Settings(environment: ["CHERISH_PUBLIC_URL": "https://cherish.example"])
        #expect(settings.providers.webPush == nil)
        #expect(settings.providers.platforms == [.webhook])
        #expect(settings.workerPush == .standardOutput)
    }

    @Test("name further hosts, in any spelling")
    func hosts() throws {
        let hosts = "Push.Example.org, 127.0.0.1,::1"
        #expect(
            try settings(["CHERISH_WEBPUSH_HOSTS": hosts]).providers.webPush?.hosts
                == ["push.example.org", "127.0.0.1", "::1"])
    }

    static let broken: [(String, String?, String)] = [
        ("CHERISH_WEBPUSH_KEY", nil, "CHERISH_WEBPUSH_KEY cannot be used: it is missing"),
        ("CHERISH_WEBPUSH_SUBJECT", nil, "CHERISH_WEBPUSH_SUBJECT is not understood"),
        ("CHERISH_WEBPUSH_SUBJECT", "mailto:push@localhost", "CHERISH_WEBPUSH_SUBJECT is not understood"),
        ("CHERISH_PUBLIC_URL", nil, "CHERISH_PUBLIC_URL cannot be used: it is missing"),
        ("CHERISH_PUBLIC_URL", "cherish.example", "CHERISH_PUBLIC_URL is not understood"),
        ("CHERISH_WEBPUSH_HOSTS", "*.example.org", "CHERISH_WEBPUSH_HOSTS is not understood"),
        ("CHERISH_WEBPUSH_HOSTS", "https://example.org", "CHERISH_WEBPUSH_HOSTS is not understood"),
        ("CHERISH_WEBPUSH_HOSTS", ".example.org", "CHERISH_WEBPUSH_HOSTS is not understood"),
    ]

    @Test("that are unusable end the program with the variable's name", arguments: WebPushSettingsTests.broken)
    func unusable(variable: String, value: String?, message: String) {
        let error = #expect(throws: SettingError.self) { try settings([variable: value]) }
        #expect(error?.description.hasPrefix(message) == true)
    }

    @Test("decide which subscriptions are refused")
    func subscriptions() throws {
        let keys = try #require(
            PushSubscription.Keys(
                p256dh: [4] + [UInt8](repeating: 0, count: 64), auth: [UInt8](repeating: 0, count: 16)))
        func subscription(_ endpoint: String) -> PushSubscription {
            PushSubscription(endpoint: endpoint, keys: keys)
        }
        let own = "http://127.0.0.1:4321/push/1"
        let local = ["CHERISH_WEBPUSH_HOSTS": "127.0.0.1", "CHERISH_WEBHOOKS": "private"]
        #expect(throws: Never.self) { try settings().requireUsable(subscription("https://web.push.apple.com/1")) }
        #expect(throws: Never.self) { try settings(local).requireUsable(subscription(own)) }
        #expect(throws: (any Error).self) { try settings().requireUsable(subscription(own)) }
        #expect(throws: (any Error).self) {
            try settings(["CHERISH_WEBHOOKS": "private"]).requireUsable(subscription(own))
        }
    }
}
