import CherishCore
import Foundation
import Synchronization

/// A browsers' push service (RFC 8030, RFC 8292), and the browsers behind it.
public final class WebPushService: Sendable {
    /// A push answered with 201.
    public struct AcceptedPush: Sendable {
        /// The number of the subscription.
        public let subscription: Int
        /// What the browser decrypted; nil if it could not.
        public let text: [UInt8]?
        /// The whole request.
        public let request: PushServer.Request
    }

    /// The underlying server.
    public let server: PushServer

    private let rules: WebPushRules

    private init(server: PushServer, rules: WebPushRules) {
        self.server = server
        self.rules = rules
    }

    /// Starts a service without subscriptions.
    ///
    /// - Parameters:
    ///   - authority: Signs the server's certificate, which is for `localhost` and 127.0.0.1.
    ///   - httpProtocol: The protocol the server speaks.
    ///   - port: Zero for any free port.
    ///   - remembers: False for benchmarks, so that accepted pushes are neither decrypted nor kept.
    ///   - now: The service's clock.
    ///   - fault: May answer instead of the rules; called before any check but that of the path.
    public static func start(
        authority: TestCertificateAuthority, protocol httpProtocol: PushServer.HTTPProtocol = .http2, port: Int = 0,
        remembers: Bool = true, now: @escaping @Sendable () -> Date = { Date() },
        fault: @escaping @Sendable (PushServer.Request, _ subscription: Int) -> PushServer.Answer? = { _, _ in nil }
    ) async throws -> WebPushService {
        let rules = WebPushRules(remembers: remembers, now: now, fault: fault)
        let server = try await PushServer.start(
            hosts: ["localhost", "127.0.0.1"], authority: authority, protocol: httpProtocol, port: port,
            respond: rules.answer)
        let scheme = httpProtocol == .plainHTTP1 ? "http" : "https"
        // Known only now that the server has a port; no request can come earlier.
        rules.origins.withLock {
            $0 = ["\(scheme)://localhost:\(server.port)", "\(scheme)://127.0.0.1:\(server.port)"]
        }
        return WebPushService(server: server, rules: rules)
    }

    /// The origin, which is the audience of tokens. Senders reach it by its address only.
    public var origin: String { server.url.replacing("localhost", with: "127.0.0.1") }

    /// Subscribes a browser; nil if its secret does not have 16 bytes.
    ///
    /// - Parameter key: The public key of whoever may send to it.
    public func subscribe(_ browser: TestBrowser, to key: [UInt8]) -> PushSubscription? {
        guard let keys = browser.keys else { return nil }
        let number = rules.subscriptions.withLock { subscriptions in
            subscriptions.append(WebPushRules.Subscription(browser: browser, senderKey: key))
            return subscriptions.count
        }
        return PushSubscription(endpoint: "\(origin)\(WebPushRules.path)\(number)", keys: keys)
    }

    /// The pushes answered with 201, oldest first; empty if the service does not remember.
    public var accepted: [AcceptedPush] { rules.accepted.withLock { $0 } }

    /// How many pushes were answered with 201.
    public var acceptedCount: Int { rules.acceptedCount.load(ordering: .relaxed) }

    /// Closes the server.
    public func stop() async {
        await server.stop()
    }
}

/// A service's checks of a request, in this order: path, token, headers, body.
final class WebPushRules: Sendable {
    struct Subscription {
        let browser: TestBrowser
        let senderKey: [UInt8]
    }

    /// Why a request is refused.
    private struct Refusal: Error {
        let status: Int
        let text: String
    }

    static let path = "/push/"

    let origins = Mutex<Set<String>>([])
    let subscriptions = Mutex<[Subscription]>([])
    let accepted = Mutex<[WebPushService.AcceptedPush]>([])
    let acceptedCount = Atomic<Int>(0)

    private let remembers: Bool
    private let now: @Sendable () -> Date
    private let fault: @Sendable (PushServer.Request, _ subscription: Int) -> PushServer.Answer?
    /// Each header is verified only once, because senders use one for an hour.
    private let verified = Mutex<[String: VAPIDHeader]>([:])

    init(
        remembers: Bool, now: @escaping @Sendable () -> Date,
        fault: @escaping @Sendable (PushServer.Request, _ subscription: Int) -> PushServer.Answer?
    ) {
        self.remembers = remembers
        self.now = now
        self.fault = fault
    }

    func answer(_ request: PushServer.Request) -> PushServer.Answer {
        let number = request.path.hasPrefix(Self.path) ? Int(request.path.dropFirst(Self.path.count)) : nil
        guard let number, let subscription = subscription(number) else { return PushServer.Answer(status: 404) }
        if let answer = fault(request, number) { return answer }
        do {
            try checkToken(of: request, senderKey: subscription.senderKey)
            try checkHeaders(of: request)
            guard request.body.count <= 4096 else { throw Refusal(status: 413, text: "payload too large") }
        } catch {
            let refusal = error as? Refusal ?? Refusal(status: 500, text: "")
            return PushServer.Answer(status: refusal.status, body: Array(refusal.text.utf8))
        }
        let count = acceptedCount.wrappingAdd(1, ordering: .relaxed).newValue
        if remembers {
            let text = subscription.browser.text(of: request.body)
            accepted.withLock {
                $0.append(WebPushService.AcceptedPush(subscription: number, text: text, request: request))
            }
        }
        return PushServer.Answer(status: 201, headers: [("location", "/message/\(count)")])
    }

    private func subscription(_ number: Int) -> Subscription? {
        subscriptions.withLock { $0.indices.contains(number - 1) ? $0[number - 1] : nil }
    }

    private func checkToken(of request: PushServer.Request, senderKey: [UInt8]) throws {
        guard request.method == "POST" else { throw Refusal(status: 405, text: "") }
        guard let text = request.header("authorization") else { throw Refusal(status: 401, text: "no token") }
        let header = verified.withLock { $0[text] } ?? VAPIDHeader(text)
        guard let header, origins.withLock({ $0.contains(header.audience) }), let subject = header.subject,
            subject.hasPrefix("mailto:") || subject.hasPrefix("https://")
        else { throw Refusal(status: 403, text: #"{"reason":"BadJwtToken"}"#) }
        verified.withLock { $0[text] = header }
        let left = header.expiry - now().timeIntervalSince1970
        guard left > 0, left <= 86_400 else { throw Refusal(status: 403, text: #"{"reason":"BadJwtToken"}"#) }
        guard header.key == senderKey else {
            throw Refusal(
                status: 403,
                text: "the VAPID credentials in the authorization header do not correspond to the credentials used to "
                    + "create the subscriptions.\n")
        }
    }

    private func checkHeaders(of request: PushServer.Request) throws {
        guard request.header("ttl").flatMap(UInt32.init) != nil else { throw Refusal(status: 400, text: "no TTL") }
        guard request.header("content-encoding") == "aes128gcm" else { throw Refusal(status: 400, text: "encoding") }
        if let topic = request.header("topic"), topic.wholeMatch(of: #/[\w-]{1,32}/#) == nil {
            throw Refusal(status: 400, text: "topic")
        }
        if let urgency = request.header("urgency"), !["very-low", "low", "normal", "high"].contains(urgency) {
            throw Refusal(status: 400, text: "urgency")
        }
    }
}
