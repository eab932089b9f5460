import CherishCore
import CherishPush
import Crypto
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Secrets
import Synchronization

/// How an installation sends pushes to browsers.
public struct WebPushSettings: Sendable {
    public var key: VAPIDKey
    public var subject: VAPIDSubject
    /// Where people reach the web garden, such as `https://cherish.example`.
    public var origin: String
    /// Hosts of push services, besides those of the usual browsers.
    public var hosts: [String]
    /// Whether these may be inside the operator's own network, and without TLS.
    public var allowsPrivateAddresses: Bool
    /// The maximum number of concurrent pushes, and of those to one host.
    public var concurrency: Int

    public init(
        key: VAPIDKey, subject: VAPIDSubject, origin: String, hosts: [String] = [],
        allowsPrivateAddresses: Bool = false, concurrency: Int = 500
    ) {
        self.key = key
        self.subject = subject
        self.origin = origin
        self.hosts = hosts
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.concurrency = concurrency
    }
}

/// Sends pushes to browsers by Web Push (RFC 8030), encrypted for each (RFC 8291) and signed with our key (RFC 8292).
public final class WebPushSender: DeviceSender {
    private static let holdWithoutHost = Duration.seconds(300)

    private let settings: WebPushSettings
    private let links: DeepLinks
    private let tokens: VAPIDTokens
    private let hosts: PinnedHosts

    /// - Parameter clock: The wall clock that push services compare with their own; not the engine's now.
    public convenience init(
        _ settings: WebPushSettings, transport: TransportSettings = TransportSettings(),
        clock: @escaping @Sendable () -> Date = { Date() }, logger: Logger
    ) {
        self.init(settings, transport: transport, clock: clock, logger: logger, lookUp: SystemLookup.addresses(of:))
    }

    /// - Parameter lookUp: Returns all addresses of a name, preferred first.
    init(
        _ settings: WebPushSettings, transport: TransportSettings, clock: @escaping @Sendable () -> Date,
        logger: Logger, lookUp: @escaping @Sendable (String) -> [SocketAddress]
    ) {
        self.settings = settings
        links = DeepLinks(origin: settings.origin)
        tokens = VAPIDTokens(settings.key, subject: settings.subject, clock: clock)
        let services = PushServices(settings, clock: transport.clock, logger: logger)
        hosts = PinnedHosts(
            transport, allowsPrivateAddresses: settings.allowsPrivateAddresses, provider: services.provider(of:),
            lookUp: lookUp)
    }

    public var concurrency: Int { settings.concurrency }

    /// Closes all connections. Call once, at the end.
    public func close() async {
        await hosts.close()
    }

    /// Sends one push to one browser.
    public func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        guard let keys = device.subscriptionKeys, let encryption = WebPushEncryption(keys) else {
            return .refused(reason: "unusable keys")
        }
        let address: PushServiceAddress
        do {
            address = try PushServiceAddress(
                device.token, hosts: settings.hosts, allowsPrivateAddresses: settings.allowsPrivateAddresses)
        } catch {
            return .refused(reason: error.reason)
        }
        return await hosts.with(address.host) { host in
            await host.provider.send {
                guard let authorization = try? tokens.authorization(for: address.origin) else {
                    return ProviderAnswer(consequence: .misconfigured, reason: "the key cannot sign")
                }
                // Only now, so that a push that waits for its turn takes no memory for it.
                guard let body = try? encryption.body(of: push.payloadForWebPush(links)) else {
                    return ProviderAnswer(consequence: .refused, reason: "too long")
                }
                switch await host.transport.post(address.url, push.headersForWebPush(authorization, at: now), body) {
                case .success(let http): return WebPushAnswers.answer(http)
                case .failure(let failure): return failure.answer
                }
            }
        } otherwise: { failure in
            // Accounts choose names below those of the services, so a missing name says nothing about a service.
            failure == .privateAddress
                ? .refused(reason: failure.rawValue)
                : .held(reason: failure.rawValue, for: WebPushSender.holdWithoutHost)
        }
    }
}

/// The circuit breakers of push services. They outlive the connections, which ``PinnedHosts`` renews.
final class PushServices: Sendable {
    /// Accounts choose the hosts below those that are allowed.
    static let most = 256

    private let settings: WebPushSettings
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let providers = Mutex<[String: Provider]>([:])

    init(_ settings: WebPushSettings, clock: any Clock<Duration>, logger: Logger) {
        self.settings = settings
        self.clock = clock
        self.logger = logger
    }

    func provider(of host: String) -> Provider {
        providers.withLock { providers in
            if let provider = providers[host] { return provider }
            if providers.count >= PushServices.most { providers = [:] }
            let provider = Provider(
                name: "Web Push at \(host)", label: "webpush",
                settings: ProviderSettingNames(
                    credentials: "CHERISH_WEBPUSH_KEY, CHERISH_WEBPUSH_SUBJECT", address: "CHERISH_PUSH_CA_FILE",
                    environment: "CHERISH_WEBPUSH_KEY, which must be the key that browsers subscribed with"),
                concurrency: settings.concurrency, isOnlyOne: false, clock: clock, logger: logger)
            providers[host] = provider
            return provider
        }
    }
}

extension AccountPush {
    /// The headers of a push to a browser (RFC 8030, section 5).
    fileprivate func headersForWebPush(_ authorization: String, at now: Instant) -> HTTPHeaders {
        [
            "authorization": authorization,
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "ttl": String(secondsToLive(at: now)),
            "topic": topicForWebPush,
            // The battery decides when a browser gets the others.
            "urgency": isUrgent ? "high" : "normal",
        ]
    }

    /// Replaces an earlier push that the browser has not fetched yet. 32 characters are the longest, and Apple wants
    /// some that are Base64url for certain: hexadecimal digits.
    var topicForWebPush: String {
        var digits: [UInt8] = []
        for byte in SHA256.hash(data: Array(collapseID.utf8)).prefix(16) {
            digits += [UInt8(hexadecimalDigitOf: byte >> 4), UInt8(hexadecimalDigitOf: byte & 0xF)]
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The text for a browser: a declarative push message (W3C Push API), which Safari shows by itself and our service
    /// worker in other browsers. `fixtures/push` has examples.
    ///
    /// - Parameter links: Addresses of the web garden.
    func payloadForWebPush(_ links: DeepLinks) -> [UInt8] {
        let text = text
        var json = JSONWriter()
        json.object { json in
            json.member("notification") { json in
                if !actions.isEmpty {
                    json.member("actions", of: actions) { json, action in
                        json.member("action", action.name)
                        json.member("navigate", self.link(of: action, by: links) ?? "")
                        json.member("title", action.title(in: language))
                    }
                }
                json.member("body", text.body)
                json.member("data") { json in
                    if let actionToken {
                        // What our service worker does at once, and how.
                        json.member("actions") { json in
                            for action in actions where action.isDoneAtOnce {
                                json.member(named: action.name) { json in
                                    json.member("token", actionToken.text)
                                    json.member("url", "/v1/push-actions")
                                }
                            }
                        }
                    }
                    json.member("kind", kind)
                    json.member("occursOn", occursOn)
                    json.members(ofSubject: subjectID, subject)
                }
                // The reader's language runs left to right, a friend's name perhaps not.
                json.member("dir", "auto")
                json.member("lang", language.rawValue)
                json.member("navigate", link(by: links))
                // A browser shows one notification per tag.
                json.member("tag", collapseID)
                json.member("title", text.title)
            }
            json.member("web_push", 8030)
        }
        return json.bytes
    }
}

extension PushServiceAddress.Refusal {
    /// The reason recorded for a push.
    var reason: String {
        switch self {
        case .notURL: TransportFailure.invalidURL.rawValue
        case .notHTTPS: "not https"
        case .privateAddress: TransportFailure.privateAddress.rawValue
        case .unknownService: "unknown push service"
        }
    }
}
