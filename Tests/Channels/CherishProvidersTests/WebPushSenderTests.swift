import CherishCore
import CherishPush
import CherishTestSupport
import Foundation
import Metrics
import NIOCore
import PrometheusMetrics
import Secrets
import Testing

@testable import CherishProviders

/// A push service, a browser that subscribed there, and a sender.
private struct WebPush: Sendable {
    let service: WebPushService
    let browser: TestBrowser
    let subscription: PushSubscription
    let sender: WebPushSender
    let log: LogLines

    func send(_ push: AccountPush, to device: Device? = nil) async throws -> DeviceResult {
        await sender.send(push, to: try device ?? web(subscription), at: try now())
    }

    func send() async throws -> DeviceResult { try await send(try Sample.wateringDue.push()) }

    /// Sends a push and compares its result.
    func expect(
        _ expected: DeviceResult, of push: AccountPush? = nil, to device: Device? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await send(try push ?? Sample.wateringDue.push(), to: device)
        #expect(result == expected, sourceLocation: sourceLocation)
    }

    func expectAcceptedAtOnce(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let results = try await sendAtOnce(count)
        #expect(results == Array(repeating: .accepted, count: count), sourceLocation: sourceLocation)
    }

    /// Sends one push to each of `count` other browsers concurrently.
    func sendAtOnce(_ count: Int) async throws -> [DeviceResult] {
        let (push, time) = (try Sample.wateringDue.push(), try now())
        let devices = try (0..<count).map { number in
            try web(try #require(service.subscribe(TestBrowser(), to: TestKeys.vapid.publicKey)), number: UInt8(number))
        }
        return await CherishProvidersTests.sendAtOnce(count) { number in
            await sender.send(push, to: devices[number], at: time)
        }
    }

    /// The headers and the body of the only accepted push.
    func onlyPush() throws -> WebPushService.AcceptedPush {
        #expect(service.acceptedCount == 1)
        return try #require(service.accepted.first)
    }

    func expectNoSecretsInLog(sourceLocation: SourceLocation = #_sourceLocation) {
        let keys = subscription.keys
        log.expectNone(
            of: TestKeys.bodyLines(TestKeys.vapid.pem) + [
                subscription.endpoint, "/push/", Base64URL.encode(keys.p256dh), Base64URL.encode(keys.auth), "vapid t=",
                "하나",
            ], sourceLocation: sourceLocation)
    }
}

private func settings(
    key: VAPIDKey = TestKeys.vapid, hosts: [String] = [], allowsPrivateAddresses: Bool = false, concurrency: Int = 500
) throws -> WebPushSettings {
    WebPushSettings(
        key: key, subject: try #require(VAPIDSubject("mailto:push@example.com")), origin: "https://cherish.example",
        hosts: hosts, allowsPrivateAddresses: allowsPrivateAddresses, concurrency: concurrency)
}

/// Runs a body with a service, a browser and a sender.
private func withWebPush(
    _ httpProtocol: PushServer.HTTPProtocol = .http2, key: VAPIDKey = TestKeys.vapid,
    allowsPrivateAddresses: Bool = true, hosts: [String] = ["127.0.0.1"], concurrency: Int = 500,
    deadline: Duration = .seconds(3600), trustsAuthority: Bool = true,
    clock: @escaping @Sendable () -> Date = { Date() }, serviceNow: (@Sendable () -> Date)? = nil,
    pace: ManualClock = ManualClock(),
    fault: @escaping @Sendable (PushServer.Request, _ subscription: Int) -> PushServer.Answer? = { _, _ in nil },
    _ body: (WebPush) async throws -> Void
) async throws {
    let service = try await WebPushService.start(
        authority: try authority(), protocol: httpProtocol, now: serviceNow ?? clock, fault: fault)
    do {
        let log = LogLines()
        let browser = TestBrowser()
        let subscription = try #require(service.subscribe(browser, to: TestKeys.vapid.publicKey))
        let sender = WebPushSender(
            try settings(
                key: key, hosts: hosts, allowsPrivateAddresses: allowsPrivateAddresses, concurrency: concurrency),
            transport: try transportSettings(deadline: deadline, trustsAuthority: trustsAuthority, clock: pace),
            clock: clock, logger: log.logger)
        do {
            try await body(
                WebPush(service: service, browser: browser, subscription: subscription, sender: sender, log: log))
        } catch {
            await sender.close()
            throw error
        }
        await sender.close()
    } catch {
        await service.stop()
        throw error
    }
    await service.stop()
}

@Suite("Pushes to browsers", .serialized, .timeLimit(.minutes(10)))
struct WebPushSenderTests {
    private static let links = DeepLinks(origin: "https://cherish.example")

    // MARK: - What is sent

    @Test(
        "are posted to the endpoint, encrypted for the browser and signed by our key",
        arguments: PushServer.HTTPProtocol.allCases)
    func accepted(httpProtocol: PushServer.HTTPProtocol) async throws {
        try await withWebPush(httpProtocol) { webPush in
            let result = try await webPush.send()
            #expect(result == .accepted)
            let push = try webPush.onlyPush()
            let request = push.request
            #expect(request.method == "POST")
            #expect(webPush.service.origin + request.path == webPush.subscription.endpoint)
            #expect(request.header("content-encoding") == "aes128gcm")
            #expect(request.header("content-type") == "application/octet-stream")
            let token = try #require(VAPIDHeader(request.header("authorization") ?? ""))
            #expect(token.audience == webPush.service.origin)
            #expect(token.subject == "mailto:push@example.com")
            #expect(token.key == TestKeys.vapid.publicKey)
            let text = try #require(push.text)
            #expect(
                String(decoding: text, as: UTF8.self) + "\n" == (try Sample.wateringDue.fixture("webpush", .korean)))
            #expect(webPush.log.all.isEmpty)
        }
    }

    @Test("have the texts of fixtures/push", arguments: Sample.allCases, Language.allCases)
    func golden(sample: Sample, language: Language) throws {
        let expected = try sample.fixture("webpush", language)
        let payload = try sample.push(language).payloadForWebPush(Self.links)
        #expect(String(decoding: payload, as: UTF8.self) + "\n" == expected)
    }

    @Test("are declarative push messages that lead into the web garden")
    func declarative() throws {
        for sample in Sample.allCases {
            let push = try sample.push(.english)
            let json = try JSONSerialization.jsonObject(with: Data(push.payloadForWebPush(Self.links)))
            let message = try #require(json as? [String: Any])
            #expect(message["web_push"] as? Int == 8030)
            let notification = try #require(message["notification"] as? [String: Any])
            #expect(notification["title"] as? String == push.text.title)
            #expect(notification["body"] as? String == push.text.body)
            #expect(notification["lang"] as? String == "en")
            #expect(notification["dir"] as? String == "auto")
            #expect(notification["tag"] as? String == push.collapseID)
            let navigate = try #require(notification["navigate"] as? String)
            let target = try #require(URL(string: navigate))
            #expect(target.scheme == "https")
            #expect(target.host == "cherish.example")
            #expect("cherish:/" + target.path == push.link)
            let data = try #require(notification["data"] as? [String: String])
            let id = plantID.description
            #expect(
                data == [
                    "kind": push.kind, "occursOn": "2027-03-02", "plantId": id, "subject": "plant", "subjectId": id,
                ])
        }
    }

    @Test("fit into a body of 4,096 bytes", arguments: [LongText.zalgo, LongText.quotes])
    func longText(nickname: String) async throws {
        try await withWebPush { webPush in
            for topic in Topic.ofPlants {
                for language in Language.allCases {
                    let keywords = Array(repeating: nickname, count: 3)
                    let push = try plantPush(topic, language, nickname: nickname, keywords: keywords)
                    try await webPush.expect(.accepted, of: push)
                }
            }
            #expect(webPush.service.accepted.allSatisfy { $0.request.body.count <= 4096 && $0.text != nil })
        }
    }

    @Test("are refused if their text is longer than 3,993 bytes, and sent if it is as long")
    func longest() async throws {
        try await withWebPush { webPush in
            let shortest = try plantPush(.birthday, collapseID: "")
            let rest = 3993 - shortest.payloadForWebPush(Self.links).count
            let longest = try plantPush(.birthday, collapseID: String(repeating: "x", count: rest))
            #expect(longest.payloadForWebPush(Self.links).count == 3993)
            try await webPush.expect(.accepted, of: longest)
            #expect(try webPush.onlyPush().request.body.count == 4096)
            let tooLong = try plantPush(.birthday, collapseID: String(repeating: "x", count: rest + 1))
            try await webPush.expect(.refused(reason: "too long"), of: tooLong)
            #expect(webPush.service.server.requestCount == 1)
        }
    }

    @Test(
        "are kept by the service until they expire, for at least 0 s and at most four weeks",
        arguments: [
            ("2027-03-02T00:00:01Z", "1"), ("2027-03-02T15:00:00Z", "54000"), ("2027-03-02T00:00:00Z", "0"),
            ("1970-01-01T00:00:00Z", "0"), ("2027-03-30T00:00:00Z", "2419200"), ("9999-12-31T00:00:00Z", "2419200"),
        ])
    func timeToLive(expiresAt: String, expected: String) async throws {
        let expiry = try #require(Instant(expiresAt))
        try await withWebPush { webPush in
            let push = try plantPush(.wateringDue, expiresAt: expiry)
            try await webPush.expect(.accepted, of: push)
            #expect(try webPush.onlyPush().request.header("ttl") == expected)
        }
    }

    @Test("replace an earlier push with the same collapse id: their topics are 32 hexadecimal digits of it")
    func topic() async throws {
        try await withWebPush { webPush in
            let pushes = try Sample.allCases.map { try $0.push() }
            for push in pushes { try await webPush.expect(.accepted, of: push) }
            let topics = webPush.service.accepted.compactMap { $0.request.header("topic") }
            #expect(topics.count == pushes.count)
            #expect(topics.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil })
            #expect(Set(topics).count == Set(pushes.map(\.collapseID)).count)
            // printf watering_due-20270302T0000Z | sha256sum
            #expect(topics.first == "557ea52568362960624912f8a82a4f8d")
        }
    }

    @Test("are urgent if their moment matters")
    func urgency() async throws {
        try await withWebPush { webPush in
            for sample in Sample.allCases { try await webPush.expect(.accepted, of: try sample.push()) }
            let urgencies = webPush.service.accepted.map { $0.request.header("urgency") }
            // Watering due, review missing, birthday, withered, several waterings due, digest.
            #expect(urgencies == ["high", "normal", "high", "normal", "high", "normal"])
        }
    }

    @Test("share a token for an hour, and a connection")
    func token() async throws {
        let clock = TestClock(1_803_945_600)
        try await withWebPush(clock: { clock.now }) { webPush in
            try await webPush.expectAcceptedAtOnce(50)
            clock.advance(by: 3600)
            try await webPush.expect(.accepted)
            let tokens = webPush.service.accepted.compactMap { $0.request.header("authorization") }
            #expect(Set(tokens.prefix(50)).count == 1)
            #expect(Set(tokens).count == 2)
            #expect(webPush.service.server.connectionCount == 1)
            // Each browser decrypts its own push.
            #expect(webPush.service.accepted.allSatisfy { $0.text != nil })
        }
    }

    // MARK: - Where they may go

    @Test("are not sent without usable keys")
    func unusableKeys() async throws {
        try await withWebPush { webPush in
            let (endpoint, keys) = (webPush.subscription.endpoint, webPush.subscription.keys)
            let none = Device(id: deviceID(1), platform: .web, token: endpoint, addedAt: try now())
            try await webPush.expect(.refused(reason: "unusable keys"), to: none)
            var point = keys.p256dh
            point[40] ^= 1
            let offCurve = try #require(PushSubscription.Keys(p256dh: point, auth: keys.auth))
            let device = try web(PushSubscription(endpoint: endpoint, keys: offCurve))
            try await webPush.expect(.refused(reason: "unusable keys"), to: device)
            #expect(webPush.service.server.connectionCount == 0)
        }
    }

    @Test("go to no host that is not a push service's, and into no private network")
    func elsewhere() async throws {
        try await withWebPush(allowsPrivateAddresses: false) { webPush in
            let keys = webPush.subscription.keys
            func expect(_ reason: String, at endpoint: String) async throws {
                let device = try web(PushSubscription(endpoint: endpoint, keys: keys))
                try await webPush.expect(.refused(reason: reason), to: device)
            }
            // No request is made; an answer could take an hour.
            try await expect("unknown push service", at: "https://evil-push.apple.com.example/")
            try await expect("unknown push service", at: "https://xfcm.googleapis.com/")
            try await expect("private address", at: "https://192.168.1.1/")
            try await expect("not https", at: "http://fcm.googleapis.com/")
            try await expect("invalid URL", at: "https://")
            // The operator named this host, but its address is private.
            try await webPush.expect(.refused(reason: "private address"))
            #expect(webPush.service.server.connectionCount == 0)
        }
    }

    @Test(
        "go to no private address to which an allowed name resolves, not even to another of its addresses",
        arguments: [["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"]])
    func privateName(addresses: [String]) async throws {
        let found = try addresses.map { try SocketAddress(ipAddress: $0, port: 0) }
        let (log, keys) = (LogLines(), try #require(TestBrowser().keys))
        let sender = WebPushSender(
            try settings(), transport: try transportSettings(), clock: { Date() }, logger: log.logger,
            lookUp: { _ in found })
        let device = try web(PushSubscription(endpoint: "https://fcm.googleapis.com/fcm/send/1", keys: keys))
        // No request is made; an answer could take an hour.
        let result = await sender.send(try Sample.birthday.push(), to: device, at: try now())
        #expect(result == .refused(reason: "private address"))
        #expect(log.all.isEmpty)
        await sender.close()
    }

    @Test("wait if the name does not resolve, and count against no service")
    func unresolvable() async throws {
        try await withWebPush(hosts: ["invalid"]) { webPush in
            let device = try web(
                PushSubscription(endpoint: "https://push.invalid/1", keys: webPush.subscription.keys))
            for _ in 1...12 {
                let result = try await webPush.send(try Sample.birthday.push(), to: device)
                #expect(result == .held(reason: "host not found", for: .seconds(300)))
            }
            #expect(webPush.log.all.isEmpty)
        }
    }

    // MARK: - Answers

    @Test("are interpreted by the table", arguments: WebPushAnswersTests.rows)
    func meaning(row: WebPushAnswersTests.Row) async throws {
        let answer = PushServer.Answer(status: row.status, body: Array(row.body.utf8))
        try await withWebPush(fault: { _, _ in answer }) { webPush in
            let result = try await webPush.send()
            switch row.consequence {
            case .accepted: #expect(result == .accepted)
            case .tokenDead: #expect(result == .tokenDead(reason: row.reason, since: nil))
            case .refused: #expect(result == .refused(reason: row.reason))
            case .retry, .slowDown: #expect(result == .failed(reason: row.reason, retryAfter: nil))
            case .misconfigured: #expect(result == .held(reason: row.reason, for: .seconds(60)))
            default: Issue.record("\(row.consequence)")
            }
            #expect(webPush.service.server.requestCount == 1)
            webPush.expectNoSecretsInLog()
        }
    }

    @Test("wait as long as the service asks", arguments: [429, 503])
    func retryAfter(status: Int) async throws {
        let answer = PushServer.Answer(status: status, headers: [("Retry-After", "30")])
        try await withWebPush(fault: { _, _ in answer }) { webPush in
            try await webPush.expect(.failed(reason: "\(status)", retryAfter: .seconds(30)))
        }
    }

    @Test("end a subscription that the service does not know")
    func unsubscribed() async throws {
        try await withWebPush { webPush in
            let gone = PushSubscription(
                endpoint: webPush.service.origin + "/push/2", keys: webPush.subscription.keys)
            let result = try await webPush.send(try Sample.birthday.push(), to: try web(gone))
            #expect(result == .tokenDead(reason: "404", since: nil))
        }
    }

    @Test("end a subscription with another key only if most others are accepted")
    func otherKey() async throws {
        try await withWebPush { webPush in
            let stranger = try #require(webPush.service.subscribe(TestBrowser(), to: VAPIDKey().publicKey))
            let push = try Sample.birthday.push()
            let alone = try await webPush.send(push, to: try web(stranger))
            #expect(alone == .failed(reason: "403 subscribed with another key", retryAfter: nil))
            try await webPush.expectAcceptedAtOnce(5)
            let amongOthers = try await webPush.send(push, to: try web(stranger))
            #expect(amongOthers == .tokenDead(reason: "403 subscribed with another key", since: nil))
        }
    }

    @Test("end no subscription if our key is another one, and the log names the setting")
    func replacedKey() async throws {
        try await withWebPush(key: VAPIDKey()) { webPush in
            var results: [DeviceResult] = []
            for _ in 1...20 { results.append(try await webPush.send()) }
            #expect(results.allSatisfy { if case .tokenDead = $0 { false } else { true } })
            let held = DeviceResult.held(reason: "403 subscribed with another key", for: .seconds(300))
            #expect(Array(results[9...]) == Array(repeating: held, count: 11))
            #expect(webPush.log.all.count == 1)
            #expect(webPush.log.text.contains("CHERISH_WEBPUSH_KEY"))
            webPush.expectNoSecretsInLog()
        }
    }

    @Test("are held if this machine's clock is wrong, and the log names the settings")
    func wrongClock() async throws {
        try await withWebPush(serviceNow: { Date(timeIntervalSinceNow: 13 * 3600) }) { webPush in
            try await webPush.expect(.held(reason: "403", for: .seconds(60)))
            #expect(webPush.log.all.count == 1)
            #expect(webPush.log.text.contains("CHERISH_WEBPUSH_KEY, CHERISH_WEBPUSH_SUBJECT and this machine's clock"))
            webPush.expectNoSecretsInLog()
        }
    }

    @Test("follow no redirects: they could lead anywhere", arguments: [301, 302, 303, 307, 308])
    func redirection(status: Int) async throws {
        try await withWebPush { elsewhere in
            let answer = PushServer.Answer(status: status, headers: [("location", elsewhere.subscription.endpoint)])
            try await withWebPush(fault: { _, _ in answer }) { webPush in
                let result = try await webPush.send()
                #expect(result == .held(reason: "\(status)", for: .seconds(60)))
                #expect(webPush.service.server.requestCount == 1)
                #expect(elsewhere.service.server.connectionCount == 0)
            }
        }
    }

    @Test("are not delayed by ten-megabyte answers")
    func hugeAnswer() async throws {
        let answer = PushServer.Answer(status: 201, body: Array(repeating: UInt8(ascii: "x"), count: 10_000_000))
        try await withWebPush(fault: { _, _ in answer }) { webPush in
            for _ in 1...2 { try await webPush.expect(.accepted) }
        }
    }

    // MARK: - Services in trouble

    @Test("fail if the service is silent until the deadline")
    func silence() async throws {
        try await withDeadline { deadline in
            var hasCome = false
            try await withWebPush(deadline: deadline, fault: { _, _ in PushServer.Answer(ending: .silence) }) {
                webPush in
                let start = ContinuousClock.now
                let result = try await webPush.send()
                #expect(ContinuousClock.now - start >= deadline)
                hasCome = webPush.service.server.requestCount > 0
                #expect(!hasCome || result == .failed(reason: "no answer in time", retryAfter: nil))
                webPush.expectNoSecretsInLog()
            }
            return hasCome
        }
    }

    @Test("are sent again if the connection is lost, and fail after the third time", arguments: [1, 2, 3])
    func reset(losses: Int) async throws {
        let count = Counter()
        try await withWebPush(fault: { _, _ in
            count.next() <= losses ? PushServer.Answer(ending: .closeConnection) : nil
        }) { webPush in
            let result = try await webPush.send()
            #expect(result == (losses < 3 ? .accepted : .failed(reason: "connection lost", retryAfter: nil)))
            #expect(count.value == min(losses + 1, 3))
            // Each time the same push, with the same topic.
            #expect(webPush.service.acceptedCount == (losses < 3 ? 1 : 0))
            webPush.expectNoSecretsInLog()
        }
    }

    @Test("are held if nothing listens, or the certificate is not trusted, and the log names no endpoint")
    func unreachable() async throws {
        try await withWebPush(trustsAuthority: false) { webPush in
            try await webPush.expect(.held(reason: "certificate not trusted", for: .seconds(30)))
            #expect(webPush.log.text.contains("CHERISH_PUSH_CA_FILE"))
            webPush.expectNoSecretsInLog()
        }
        try await withWebPush { webPush in
            await webPush.service.stop()
            try await webPush.expect(.held(reason: "no connection", for: .seconds(30)))
            webPush.expectNoSecretsInLog()
        }
    }

    @Test("pause for a host after ten failures, but not for another one")
    func breaker() async throws {
        let pace = ManualClock()
        let (count, isWell) = (Counter(), Counter())
        try await withWebPush(
            hosts: ["127.0.0.1", "localhost"], pace: pace,
            fault: { request, _ in
                let isOther = request.path == "/push/2"
                if !isOther { _ = count.next() }
                return isOther || isWell.value > 0 ? nil : PushServer.Answer(status: 500)
            }
        ) { webPush in
            for _ in 1...10 { try await webPush.expect(.failed(reason: "500", retryAfter: nil)) }
            let eleventh = try await webPush.send()
            #expect(
                try holdTime(eleventh, because: "Web Push at 127.0.0.1 is left alone after failures") == .seconds(5))
            #expect(count.value == 10)
            #expect(webPush.log.text.contains("Web Push at 127.0.0.1 fails: 500; pushes to it wait 5 s"))
            let other = try #require(webPush.service.subscribe(TestBrowser(), to: TestKeys.vapid.publicKey))
            let endpoint = other.endpoint.replacing("127.0.0.1", with: "localhost")
            let device = try web(PushSubscription(endpoint: endpoint, keys: other.keys))
            try await webPush.expect(.accepted, to: device)
            // The trial push.
            _ = isWell.next()
            pace.advance(by: .seconds(5))
            try await webPush.expect(.accepted)
            webPush.expectNoSecretsInLog()
        }
    }

    @Test("have circuit breakers that outlive connections, for a limited number of hosts")
    func breakers() throws {
        let services = PushServices(try settings(), clock: ManualClock(), logger: LogLines().logger)
        let first = services.provider(of: "web.push.apple.com")
        for number in 1..<PushServices.most { _ = services.provider(of: "\(number).push.apple.com") }
        #expect(services.provider(of: "web.push.apple.com") === first)
        #expect(services.provider(of: "1.push.apple.com") !== first)
        _ = services.provider(of: "one-more.push.apple.com")
        #expect(services.provider(of: "web.push.apple.com") !== first)
    }

    @Test("are limited in number")
    func limit() async throws {
        let groups = Groups(of: 4, total: 20)
        try await withWebPush(concurrency: 4, fault: { _, _ in groups.answer(status: 201) }) { webPush in
            #expect(webPush.sender.concurrency == 4)
            try await webPush.expectAcceptedAtOnce(20)
            #expect(webPush.service.server.mostStreamsAtOnce == 4)
        }
    }

    @Test("are counted together as webpush, without a breaker state")
    func metrics() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await withWebPush(hosts: ["127.0.0.1", "localhost"]) { webPush in
                try await webPush.expect(.accepted)
                let endpoint = webPush.subscription.endpoint.replacing("127.0.0.1", with: "localhost")
                let device = try web(PushSubscription(endpoint: endpoint, keys: webPush.subscription.keys))
                try await webPush.expect(.accepted, to: device)
            }
        }
        let samples = registry.exposition().split(separator: "\n")
        #expect(
            samples.contains(
                #"cherish_provider_answers_total{consequence="accepted",provider="webpush"} 2"#))
        #expect(!samples.contains { $0.hasPrefix("cherish_provider_breaker_open{") })
    }
}
