import CherishCore
import CherishPush
import CherishTestSupport
import Crypto
import Foundation
import Synchronization
import Testing

@testable import CherishProviders

/// A sender of webhooks, and what it logged.
private struct Webhooks: Sendable {
    let sender: WebhookSender
    let log: LogLines

    func send(_ push: AccountPush, to device: Device) async throws -> DeviceResult {
        await sender.send(push, to: device, at: try now())
    }

    func send(to url: String) async throws -> DeviceResult {
        try await send(try Sample.wateringDue.push(), to: try webhook(url))
    }
}

/// Runs a body with a sender that is closed afterwards.
private func withWebhooks(
    allowsPrivateAddresses: Bool = true, concurrency: Int = 64, deadline: Duration = .seconds(3600),
    trustsAuthority: Bool = true, clock: @escaping @Sendable () -> Date = { Date() },
    pace: ManualClock = ManualClock(),
    _ body: (Webhooks) async throws -> Void
) async throws {
    let log = LogLines()
    let sender = WebhookSender(
        allowsPrivateAddresses: allowsPrivateAddresses, concurrency: concurrency,
        transport: try transportSettings(deadline: deadline, trustsAuthority: trustsAuthority, clock: pace),
        clock: clock,
        logger: log.logger)
    do {
        try await body(Webhooks(sender: sender, log: log))
    } catch {
        await sender.close()
        throw error
    }
    await sender.close()
}

/// Runs a body with a receiver whose certificate is for 127.0.0.1 and localhost.
private func withReceiver(
    _ httpProtocol: PushServer.HTTPProtocol = .plainHTTP1, hosts: [String] = ["127.0.0.1", "localhost"],
    respond: @escaping @Sendable (PushServer.Request) -> PushServer.Answer = { _ in PushServer.Answer(status: 204) },
    _ body: (WebhookReceiver) async throws -> Void
) async throws {
    let receiver = try await WebhookReceiver.start(
        authority: try authority(), hosts: hosts, protocol: httpProtocol, respond: respond)
    do {
        try await body(receiver)
    } catch {
        await receiver.stop()
        throw error
    }
    await receiver.stop()
}

extension WebhookReceiver {
    /// A URL of the receiver, by any of the names of 127.0.0.1.
    fileprivate func hookURL(host: String = "127.0.0.1", path: String = "/hook") -> String {
        "\(server.httpProtocol == .plainHTTP1 ? "http" : "https")://\(host):\(server.port)\(path)"
    }
}

@Suite("Webhooks", .serialized, .timeLimit(.minutes(10)))
struct WebhookSenderTests {
    // MARK: - What is sent

    /// The signature as a receiver computes it, independently of our code.
    private func signature(of request: PushServer.Request) throws -> String {
        let identifier = try #require(request.header("webhook-id"))
        let time = try #require(request.header("webhook-timestamp"))
        let secret = try #require(Data(base64Encoded: String(webhookSecretText.dropFirst("whsec_".count))))
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(identifier).\(time).".utf8) + Data(request.body), using: SymmetricKey(data: secret))
        return "v1,\(Data(code).base64EncodedString())"
    }

    @Test(
        "are posted to the whole URL with a signature that the receiver accepts",
        arguments: PushServer.HTTPProtocol.allCases)
    func accepted(httpProtocol: PushServer.HTTPProtocol) async throws {
        let clock = TestClock(1_803_945_600.75)
        try await withReceiver(httpProtocol) { receiver in
            try await withWebhooks(clock: { clock.now }) { webhooks in
                let result = try await webhooks.send(to: receiver.hookURL(path: "/hook/7?room=%ED%95%98&x=1"))
                #expect(result == .accepted)
                let request = try #require(receiver.requests.first)
                #expect(receiver.requests.count == 1)
                #expect(request.method == "POST")
                #expect(request.path == "/hook/7?room=%ED%95%98&x=1")
                #expect(request.header("content-type") == "application/json")
                #expect(request.header("user-agent") == "cherish")
                #expect(request.header("webhook-timestamp") == "1803945600")
                let identifier = try #require(request.header("webhook-id"))
                #expect(identifier.hasPrefix("msg_"))
                #expect(UUID(uuidString: String(identifier.dropFirst(4))) != nil)
                #expect(identifier == identifier.lowercased())
                let signature = try signature(of: request)
                #expect(request.header("webhook-signature") == signature)
                let fixture = try Sample.wateringDue.fixture("webhook", .korean)
                #expect(String(decoding: request.body, as: UTF8.self) + "\n" == fixture)
                #expect(webhooks.log.all.isEmpty)
            }
        }
    }

    @Test("have the bodies of fixtures/push", arguments: Sample.allCases, Language.allCases)
    func golden(sample: Sample, language: Language) throws {
        let expected = try sample.fixture("webhook", language)
        let payload = try sample.push(language).payloadForWebhook()
        #expect(String(decoding: payload, as: UTF8.self) + "\n" == expected)
    }

    @Test("stay far below the 20 kB of Standard Webhooks", arguments: [LongText.zalgo, LongText.quotes])
    func longText(nickname: String) throws {
        for kind in Topic.ofPlants {
            for language in Language.allCases {
                let keywords = Array(repeating: nickname, count: 3)
                let push = try plantPush(kind, language, nickname: nickname, keywords: keywords)
                // Title and body appear twice.
                #expect(push.payloadForWebhook().count <= 8192)
            }
        }
    }

    @Test("keep their id when sent again, with the time of each attempt")
    func repetition() async throws {
        let clock = TestClock(1_803_945_600)
        try await withReceiver { receiver in
            try await withWebhooks(clock: { clock.now }) { webhooks in
                for _ in 1...2 {
                    let result = try await webhooks.send(to: receiver.hookURL())
                    #expect(result == .accepted)
                    clock.advance(by: 90)
                }
                let push = try Sample.birthday.push()
                let ofOther = try await webhooks.send(push, to: try webhook(receiver.hookURL()))
                #expect(ofOther == .accepted)
                let toOther = try await webhooks.send(push, to: try webhook(receiver.hookURL(), number: 2))
                #expect(toOther == .accepted)
                let requests = receiver.requests
                try #require(requests.count == 4)
                let identifiers = requests.compactMap { $0.header("webhook-id") }
                #expect(identifiers[0] == identifiers[1])
                #expect(Set(identifiers).count == 3)
                let times = requests.map { $0.header("webhook-timestamp") }
                #expect(times == ["1803945600", "1803945690", "1803945780", "1803945780"])
                for request in requests {
                    let signature = try signature(of: request)
                    #expect(request.header("webhook-signature") == signature)
                }
                #expect(requests[0].body == requests[1].body)
            }
        }
    }

    @Test("are not sent without a secret to sign them")
    func noSecret() async throws {
        try await withReceiver { receiver in
            try await withWebhooks { webhooks in
                let device = Device(id: deviceID(1), platform: .webhook, token: receiver.hookURL(), addedAt: try now())
                let result = try await webhooks.send(try Sample.wateringDue.push(), to: device)
                #expect(result == .refused(reason: "no secret"))
                #expect(receiver.requests.isEmpty)
            }
        }
    }

    // MARK: - Where they may go

    @Test(
        "go to no loopback address, however it is written",
        arguments: [
            "127.0.0.1", "localhost", "LOCALHOST", "[::1]", "0x7f.1", "2130706433", "0177.0.0.1", "127.1",
            "[::ffff:127.0.0.1]", "0.0.0.0", "0",
        ])
    func privateAddress(host: String) async throws {
        try await withReceiver(.http1) { receiver in
            try await withWebhooks(allowsPrivateAddresses: false) { webhooks in
                let result = try await webhooks.send(to: receiver.hookURL(host: host))
                #expect(result == .refused(reason: "private address"))
                #expect(receiver.server.connectionCount == 0)
            }
        }
    }

    @Test(
        "go to no private network and no cloud's metadata service",
        arguments: [
            "https://10.0.0.1/", "https://192.168.1.1/", "https://172.16.0.1/",
            "https://169.254.169.254/latest/meta-data", "https://100.100.100.200/", "https://168.63.129.16/",
            "https://[fd00:ec2::254]/", "https://[fe80::1]/", "https://[64:ff9b::a00:1]/", "https://[2002:a00:1::1]/",
        ])
    func privateNetwork(url: String) async throws {
        try await withWebhooks(allowsPrivateAddresses: false) { webhooks in
            // No request is made; an answer could take an hour.
            let result = try await webhooks.send(to: url)
            #expect(result == .refused(reason: "private address"))
        }
    }

    @Test(
        "reach private addresses if the operator allows it, in every spelling",
        arguments: ["0x7f.1", "2130706433", "127.1"])
    func allowedPrivateAddress(host: String) async throws {
        try await withReceiver { receiver in
            try await withWebhooks { webhooks in
                let result = try await webhooks.send(to: receiver.hookURL(host: host))
                #expect(result == .accepted)
                let header = try #require(receiver.requests.first?.header("host"))
                #expect(header == "\(host):\(receiver.server.port)")
            }
        }
    }

    /// The receivers listen on 127.0.0.1, and webhooks use the first address of a name.
    private static let localhostIsIPv4 = SystemLookup.addresses(of: "localhost").first?.ipAddress == "127.0.0.1"

    @Test(
        "check the certificate against the name in the URL, not against the resolved address",
        .enabled(if: WebhookSenderTests.localhostIsIPv4))
    func certificateOfName() async throws {
        try await withReceiver(.http1, hosts: ["localhost"]) { receiver in
            try await withWebhooks { webhooks in
                let byName = try await webhooks.send(to: receiver.hookURL(host: "localhost"))
                #expect(byName == .accepted)
                #expect(receiver.requests.first?.header("host") == "localhost:\(receiver.server.port)")
                // The certificate does not cover this name of the same address.
                let byOther = try await webhooks.send(to: receiver.hookURL(host: "127.1"))
                #expect(byOther == .failed(reason: "certificate not trusted", retryAfter: nil))
                #expect(receiver.requests.count == 1)
            }
        }
    }

    @Test(
        "need TLS unless the operator allows private addresses",
        arguments: ["http", "HTTP", "ftp", "ws", "file", "https+unix"])
    func scheme(scheme: String) async throws {
        try await withReceiver { receiver in
            try await withWebhooks(allowsPrivateAddresses: false) { webhooks in
                let result = try await webhooks.send(to: "\(scheme)://127.0.0.1:\(receiver.server.port)/hook")
                #expect(result == .refused(reason: "not https"))
                #expect(receiver.server.connectionCount == 0)
            }
        }
    }

    @Test(
        "go to no invalid URL, and to none with a user or password",
        arguments: [
            "https://user@127.0.0.1/", "https://user:password@127.0.0.1/", "https://:password@127.0.0.1/",
            "https://example.com@127.0.0.1/", "", "hook", "/hook", "https://", "https:///hook", "https:hook",
            "mailto:minji@example.com",
        ],
        [true, false])
    func invalidURL(url: String, allowsPrivateAddresses: Bool) async throws {
        try await withWebhooks(allowsPrivateAddresses: allowsPrivateAddresses) { webhooks in
            let result = try await webhooks.send(to: url)
            #expect(result == .refused(reason: "invalid URL"))
        }
    }

    @Test(
        "go to no port outside the valid range",
        arguments: ["65536", "70000", "99999999999"])
    func invalidPort(port: String) async throws {
        try await withWebhooks { webhooks in
            let result = try await webhooks.send(to: "http://127.0.0.1:\(port)/hook")
            #expect(result == .refused(reason: "invalid URL"))
        }
    }

    // MARK: - Answers

    static let statuses: [(Int, DeviceResult)] = [
        (200, .accepted), (201, .accepted), (202, .accepted), (204, .accepted), (299, .accepted),
        (300, .refused(reason: "300")), (304, .refused(reason: "304")), (307, .refused(reason: "307")),
        (308, .refused(reason: "308")), (400, .refused(reason: "400")), (401, .refused(reason: "401")),
        (403, .refused(reason: "403")), (404, .refused(reason: "404")), (405, .refused(reason: "405")),
        (413, .refused(reason: "413")), (408, .failed(reason: "408", retryAfter: nil)),
        (410, .tokenDead(reason: "410", since: nil)), (425, .failed(reason: "425", retryAfter: nil)),
        (429, .failed(reason: "429", retryAfter: nil)), (500, .failed(reason: "500", retryAfter: nil)),
        (502, .failed(reason: "502", retryAfter: nil)), (503, .failed(reason: "503", retryAfter: nil)),
        (504, .failed(reason: "504", retryAfter: nil)),
    ]

    @Test("interpret each status as Standard Webhooks does", arguments: WebhookSenderTests.statuses)
    func meaning(status: Int, expected: DeviceResult) async throws {
        try await withReceiver(respond: { _ in PushServer.Answer(status: status) }) { receiver in
            try await withWebhooks { webhooks in
                let result = try await webhooks.send(to: receiver.hookURL())
                #expect(result == expected)
                #expect(receiver.requests.count == 1)
            }
        }
    }

    @Test("wait as long as the receiver asks", arguments: [429, 503])
    func retryAfter(status: Int) async throws {
        let answer = PushServer.Answer(status: status, headers: [("Retry-After", "30")])
        try await withReceiver(respond: { _ in answer }) { receiver in
            try await withWebhooks { webhooks in
                let result = try await webhooks.send(to: receiver.hookURL())
                #expect(result == .failed(reason: "\(status)", retryAfter: .seconds(30)))
            }
        }
    }

    @Test("follow no redirects: they could lead anywhere", arguments: [301, 302, 303, 307, 308])
    func redirection(status: Int) async throws {
        try await withReceiver { second in
            let answer = PushServer.Answer(status: status, headers: [("location", second.hookURL(path: "/elsewhere"))])
            try await withReceiver(respond: { _ in answer }) { first in
                try await withWebhooks { webhooks in
                    let result = try await webhooks.send(to: first.hookURL())
                    #expect(result == .refused(reason: "\(status)"))
                    #expect(first.requests.count == 1)
                    #expect(second.server.connectionCount == 0)
                    #expect(second.requests.isEmpty)
                }
            }
        }
    }

    @Test("are not delayed by ten-megabyte answers", arguments: PushServer.HTTPProtocol.allCases)
    func hugeAnswer(httpProtocol: PushServer.HTTPProtocol) async throws {
        let body = Array(repeating: UInt8(ascii: "x"), count: 10_000_000)
        try await withReceiver(httpProtocol, respond: { _ in PushServer.Answer(body: body) }) { receiver in
            try await withWebhooks { webhooks in
                for _ in 1...2 {
                    let result = try await webhooks.send(to: receiver.hookURL())
                    #expect(result == .accepted)
                }
            }
        }
    }

    @Test(
        "end within a deadline of an answer's head if the body arrives byte by byte, or not to its end",
        arguments: PushServer.HTTPProtocol.allCases, [PushServer.Answer.Ending.slowBody, .silentBody])
    func endlessBody(httpProtocol: PushServer.HTTPProtocol, ending: PushServer.Answer.Ending) async throws {
        // Byte by byte it would take hours.
        let answer = PushServer.Answer(body: Array(repeating: 0, count: 1_000_000), ending: ending)
        try await withReceiver(httpProtocol, respond: { _ in answer }) { receiver in
            try await withDeadline { deadline in
                var result: DeviceResult?
                try await withWebhooks(deadline: deadline) { webhooks in
                    result = try await webhooks.send(to: receiver.hookURL())
                }
                // The status suffices, if it came in time.
                return result == .accepted
            }
        }
    }

    // MARK: - Receivers in trouble

    @Test("count as a failed attempt if the receiver is silent until the deadline")
    func silence() async throws {
        try await withReceiver(respond: { _ in PushServer.Answer(ending: .silence) }) { receiver in
            try await withDeadline { deadline in
                try await withWebhooks(deadline: deadline) { webhooks in
                    let start = ContinuousClock.now
                    let result = try await webhooks.send(to: receiver.hookURL())
                    #expect(ContinuousClock.now - start >= deadline)
                    #expect(
                        receiver.requests.isEmpty || result == .failed(reason: "no answer in time", retryAfter: nil))
                    #expect(webhooks.log.all.isEmpty)
                }
                return !receiver.requests.isEmpty
            }
        }
    }

    @Test("count as a failed attempt if nothing listens, and log no address")
    func nobodyListens() async throws {
        let receiver = try await WebhookReceiver.start(authority: try authority(), protocol: .plainHTTP1)
        await receiver.stop()
        try await withWebhooks { webhooks in
            let result = try await webhooks.send(to: receiver.hookURL())
            #expect(result == .failed(reason: "no connection", retryAfter: nil))
            #expect(webhooks.log.all.isEmpty)
        }
    }

    @Test("count as a failed attempt if the name does not resolve")
    func unresolvable() async throws {
        for allowsPrivateAddresses in [true, false] {
            try await withWebhooks(allowsPrivateAddresses: allowsPrivateAddresses) { webhooks in
                let result = try await webhooks.send(to: "https://push.invalid/hook")
                #expect(result == .failed(reason: "host not found", retryAfter: nil))
                #expect(webhooks.log.all.isEmpty)
            }
        }
    }

    @Test("count as a failed attempt if the receiver's certificate is not trusted")
    func untrustedCertificate() async throws {
        try await withReceiver(.http1) { receiver in
            try await withWebhooks(trustsAuthority: false) { webhooks in
                // Known at once: the deadline is an hour.
                let result = try await webhooks.send(to: receiver.hookURL())
                #expect(result == .failed(reason: "certificate not trusted", retryAfter: nil))
                #expect(receiver.requests.isEmpty)
                #expect(webhooks.log.all.isEmpty)
            }
        }
    }

    @Test("pause for a host after ten failures, but not for another one")
    func breaker() async throws {
        try await withReceiver(respond: { _ in PushServer.Answer(status: 500) }) { failing in
            try await withReceiver { working in
                try await withWebhooks { webhooks in
                    for _ in 1...10 {
                        let result = try await webhooks.send(to: failing.hookURL())
                        #expect(result == .failed(reason: "500", retryAfter: nil))
                    }
                    let eleventh = try await webhooks.send(to: failing.hookURL())
                    let time = try holdTime(eleventh, because: "webhook is left alone after failures")
                    #expect(time == .seconds(5))
                    #expect(failing.requests.count == 10)
                    // Another host, although at the same address.
                    let other = try await webhooks.send(to: working.hookURL(host: "2130706433"))
                    #expect(other == .accepted)
                    #expect(working.requests.count == 1)
                    #expect(webhooks.log.all.isEmpty)
                }
            }
        }
    }

    @Test("pause for a host whose answers are late, although it accepts its pushes")
    func late() async throws {
        try await withDeadline { deadline in
            // An answer is late after half of the deadline.
            let answer = PushServer.Answer(status: 204, delay: deadline * 3 / 5)
            var results: [DeviceResult] = []
            try await withReceiver(respond: { _ in answer }) { receiver in
                try await withWebhooks(deadline: deadline) { webhooks in
                    let (sender, push, time) = (webhooks.sender, try Sample.wateringDue.push(), try now())
                    let device = try webhook(receiver.hookURL())
                    // A host that never answered has one place, then eight.
                    for count in [1, 8, 1, 1] {
                        results += await sendAtOnce(count) { _ in await sender.send(push, to: device, at: time) }
                    }
                }
            }
            guard results.prefix(10).allSatisfy({ $0 == .accepted }) else { return false }
            _ = try holdTime(results[10], because: "webhook is left alone after failures")
            return true
        }
    }

    @Test("do not wait for another silent server of the same host")
    func silentPort() async throws {
        try await withReceiver(respond: { _ in PushServer.Answer(ending: .silence) }) { silent in
            try await withReceiver { working in
                let pace = ManualClock()
                try await withWebhooks(pace: pace) { webhooks in
                    let (sender, push, time) = (webhooks.sender, try Sample.wateringDue.push(), try now())
                    let (slow, quick) = (
                        try webhook(silent.hookURL(), number: 1), try webhook(working.hookURL(), number: 2)
                    )
                    async let waiting = sendAtOnce(2) { _ in await sender.send(push, to: slow, at: time) }
                    try await eventually("none is ever on its way") {
                        silent.requests.count == 1 && pace.sleeperCount == 1
                    }
                    pace.advance(by: .seconds(2))
                    try await eventually("none takes the place of a slow server") { silent.requests.count == 2 }
                    // Both places of a slow server are taken.
                    let result = await sender.send(push, to: quick, at: time)
                    #expect(result == .accepted)
                    await silent.stop()
                    let results = await waiting
                    #expect(!results.contains(.accepted))
                }
            }
        }
    }

    @Test("do not wait for another silent host")
    func silentNeighbour() async throws {
        try await withReceiver(respond: { _ in PushServer.Answer(ending: .silence) }) { silent in
            try await withReceiver { working in
                let pace = ManualClock()
                try await withWebhooks(pace: pace) { webhooks in
                    let (sender, push, time) = (webhooks.sender, try Sample.wateringDue.push(), try now())
                    let (slow, quick) = (
                        try webhook(silent.hookURL(), number: 1),
                        try webhook(working.hookURL(host: "2130706433"), number: 2)
                    )
                    async let waiting = sendAtOnce(50) { _ in await sender.send(push, to: slow, at: time) }
                    try await eventually("none is ever on its way") { silent.requests.count == 1 }
                    // The silent one would take an hour, or until its server is gone.
                    let result = await sender.send(push, to: quick, at: time)
                    #expect(result == .accepted)
                    #expect(silent.requests.count == 1)
                    try await eventually("nobody waits for a second to be over") { pace.sleeperCount == 1 }
                    pace.advance(by: .seconds(2))
                    try await eventually("none takes the place of a slow host") { silent.requests.count == 2 }
                    await silent.stop()
                    let results = await waiting
                    // One revealed it, and one took a slow host's place; the others were turned away.
                    let kept = results.filter { if case .held = $0 { true } else { false } }
                    #expect(kept.count == 48)
                    #expect(!results.contains(.accepted))
                }
            }
        }
    }

    @Test("share the connection to a host, eight at a time")
    func perHost() async throws {
        let (groups, count) = (Groups(of: 8, total: 50), Counter())
        try await withReceiver(
            .http2, respond: { _ in count.next() == 1 ? PushServer.Answer() : groups.answer() }
        ) { receiver in
            try await withWebhooks { webhooks in
                let (sender, push, time) = (webhooks.sender, try Sample.wateringDue.push(), try now())
                let device = try webhook(receiver.hookURL())
                // A host that never answered gets one push.
                #expect(await sender.send(push, to: device, at: time) == .accepted)
                let results = await sendAtOnce(50) { _ in await sender.send(push, to: device, at: time) }
                #expect(results == Array(repeating: .accepted, count: 50))
                #expect(receiver.server.connectionCount == 1)
                #expect(receiver.server.mostStreamsAtOnce == 8)
            }
        }
    }
}
