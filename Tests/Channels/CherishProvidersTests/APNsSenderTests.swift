import CherishCore
import CherishPush
import CherishTestSupport
import Foundation
import JWTKit
import Testing

@testable import CherishProviders

/// The developer account of the app.
private enum Makers {
    static let keyID = "KEY1234567"
    static let teamID = "TEAM123456"
    static let topic = "com.example.cherish"
}

/// A local stand-in for Apple's service, and a sender connected to it.
private struct APNs: Sendable {
    let server: APNsServer
    let sender: APNsSender
    let log: LogLines

    func send(_ push: AccountPush, to device: Device) async throws -> DeviceResult {
        await sender.send(push, to: device, at: try now())
    }

    /// Sends one push to each of `count` phones concurrently.
    func sendAtOnce(_ count: Int, from first: Int = 0) async throws -> [DeviceResult] {
        let push = try Sample.wateringDue.push()
        let time = try now()
        let devices = try (first..<first + count).map { try iPhone(UInt8($0 % 256), token: token($0)) }
        return await CherishProvidersTests.sendAtOnce(count) { number in
            await sender.send(push, to: devices[number], at: time)
        }
    }

    func expectNoSecretsInLog(sourceLocation: SourceLocation = #_sourceLocation) {
        log.expectNone(
            of: TestKeys.bodyLines(TestKeys.apns.pemRepresentation) + [Token.iPhone, "/3/device", "하나", "Hana"],
            sourceLocation: sourceLocation)
    }
}

/// The token of one of many phones.
private func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
}

private func settings(url: String, concurrency: Int = 1000) -> APNsSettings {
    APNsSettings(
        privateKey: TestKeys.apns.pemRepresentation, keyID: Makers.keyID, teamID: Makers.teamID, topic: Makers.topic,
        url: url, concurrency: concurrency)
}

/// Runs a body with a sender that is closed afterwards.
private func withSender(
    _ settings: APNsSettings, _ transport: TransportSettings,
    _ body: (APNsSender, LogLines) async throws -> Void
) async throws {
    let log = LogLines()
    let sender = try APNsSender(settings, transport: transport, logger: log.logger)
    do {
        try await body(sender, log)
    } catch {
        await sender.close()
        throw error
    }
    await sender.close()
}

/// Runs a body with a server and a sender.
private func withAPNs(
    keyID: String = Makers.keyID, teamID: String = Makers.teamID, topic: String = Makers.topic,
    maximumStreams: Int = 1000, deadline: Duration = .seconds(3600), trustsAuthority: Bool = true,
    clock: ManualClock = ManualClock(),
    serverNow: @escaping @Sendable () -> Date = { Date() },
    fault: @escaping @Sendable (PushServer.Request, _ deviceToken: String) -> PushServer.Answer? = { _, _ in nil },
    _ body: (APNs) async throws -> Void
) async throws {
    let server = try await APNsServer.start(
        authority: try authority(), publicKeyPEM: TestKeys.apns.publicKey.pemRepresentation, keyID: keyID,
        teamID: teamID, topic: topic, maximumStreams: maximumStreams, now: serverNow, fault: fault)
    do {
        let transport = try transportSettings(
            deadline: deadline, trustsAuthority: trustsAuthority, clock: clock)
        try await withSender(settings(url: server.url), transport) { sender, log in
            try await body(APNs(server: server, sender: sender, log: log))
        }
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// An answer like Apple's 200.
private func taken(delay: Duration? = nil, thenGoAway: Bool = false) -> PushServer.Answer {
    PushServer.Answer(
        headers: [("apns-id", UUID().uuidString)], delay: delay, ending: .complete, thenGoAway: thenGoAway)
}

extension Groups {
    /// An answer like Apple's 200, once the whole group has arrived.
    fileprivate func taken() -> PushServer.Answer { answer(headers: [("apns-id", UUID().uuidString)]) }
}

@Suite("Pushes to iPhones", .serialized, .timeLimit(.minutes(10)))
struct APNsSenderTests {
    // MARK: - What is sent

    @Test("are posted with the headers that Apple requires and a signature that Apple's server accepts")
    func accepted() async throws {
        try await withAPNs { apns in
            let push = try Sample.wateringDue.push()
            let result = try await apns.send(push, to: try iPhone())
            #expect(result == .accepted)
            let sent = try #require(apns.server.accepted.first)
            #expect(apns.server.accepted.count == 1)
            #expect(sent.deviceToken == Token.iPhone)
            #expect(sent.request.method == "POST")
            #expect(sent.request.path == "/3/device/\(Token.iPhone)")
            #expect(sent.request.header("authorization")?.hasPrefix("bearer eyJ") == true)
            #expect(sent.request.header("apns-topic") == Makers.topic)
            #expect(sent.request.header("apns-push-type") == "alert")
            #expect(sent.request.header("apns-priority") == "10")
            let expiresAt = try endOfDay()
            #expect(sent.request.header("apns-expiration") == "1803999600")
            #expect(expiresAt.secondsSinceEpoch == 1_803_999_600)
            #expect(sent.request.header("apns-collapse-id") == "watering_due-20270302T0000Z")
            let identifier = try #require(sent.request.header("apns-id"))
            #expect(UUID(uuidString: identifier)?.uuidString.lowercased() == identifier)
            #expect(apns.server.providerTokenCount == 1)
            #expect(apns.log.all.isEmpty)
        }
    }

    @Test("have priority 10 if their moment matters, and 5 otherwise")
    func priority() async throws {
        try await withAPNs { apns in
            for sample in Sample.allCases {
                let result = try await apns.send(try sample.push(), to: try iPhone())
                #expect(result == .accepted)
            }
            let priorities = apns.server.accepted.map { $0.request.header("apns-priority") }
            // Watering due, review missing, birthday, withered, several waterings due, digest.
            #expect(priorities == ["10", "5", "10", "5", "10", "5"])
        }
    }

    @Test("keep their id when sent again; it differs by device, push and account")
    func identifier() async throws {
        try await withAPNs { apns in
            let (first, second) = (try iPhone(1), try iPhone(2))
            let watering = try Sample.wateringDue.push()
            for (push, device) in [
                (watering, first), (watering, first), (watering, second), (try Sample.birthday.push(), first),
            ] {
                let result = try await apns.send(push, to: device)
                #expect(result == .accepted)
            }
            let identifiers = apns.server.accepted.compactMap { $0.request.header("apns-id") }
            try #require(identifiers.count == 4)
            #expect(identifiers[0] == identifiers[1])
            #expect(Set(identifiers).count == 3)
        }
    }

    @Test("have the bodies of fixtures/push", arguments: Sample.allCases, Language.allCases)
    func golden(sample: Sample, language: Language) async throws {
        let expected = try sample.fixture("apns", language)
        let payload = try sample.push(language).payloadForAPNs()
        #expect(String(decoding: payload, as: UTF8.self) + "\n" == expected)
        guard language == .korean else { return }
        try await withAPNs { apns in
            let result = try await apns.send(try sample.push(language), to: try iPhone())
            #expect(result == .accepted)
            let body = apns.server.accepted.first?.body ?? []
            #expect(String(decoding: body, as: UTF8.self) + "\n" == expected)
        }
    }

    @Test("never exceed 4096 bytes", arguments: [LongText.zalgo, LongText.quotes])
    func longText(nickname: String) async throws {
        try await withAPNs { apns in
            for kind in Topic.ofPlants {
                for language in Language.allCases {
                    let keywords = Array(repeating: nickname, count: 3)
                    let push = try plantPush(kind, language, nickname: nickname, keywords: keywords)
                    let payload = push.payloadForAPNs()
                    #expect(payload.count <= 4096)
                    let result = try await apns.send(push, to: try iPhone())
                    #expect(result == .accepted)
                }
            }
        }
    }

    @Test(
        "refuse a token that is not hexadecimal: it becomes part of the path",
        arguments: [
            "", "../../x", "..", "/", "zz", "0123 4567", "0123\n4567", "%2e%2e%2f", "abc?x=1", "abc#x", "하나",
            String(repeating: "a", count: 3000), String(repeating: "a", count: 201),
            // Digits, but not ASCII.
            String(repeating: "０", count: 64), "ａｂｃｄｅｆ", "a\u{0301}bc",
        ])
    func malformedToken(token: String) async throws {
        try await withAPNs { apns in
            let result = try await apns.send(try Sample.wateringDue.push(), to: try iPhone(token: token))
            #expect(result == .refused(reason: "malformed token"))
            #expect(apns.server.server.requestCount == 0)
        }
    }

    // MARK: - Tokens of devices

    @Test("retire a device that Apple reports gone, as of Apple's timestamp")
    func unregistered() async throws {
        try await withAPNs(
            fault: { _, _ in APNsServer.refusal(status: 410, reason: "Unregistered", timestamp: 1_772_000_000_123) },
            { apns in
                let result = try await apns.send(try Sample.wateringDue.push(), to: try iPhone())
                let since = Instant(microsecondsSinceEpoch: 1_772_000_000_123_000)
                #expect(result == .tokenDead(reason: "410 Unregistered", since: since))
                #expect(apns.log.all.isEmpty)
            })
    }

    @Test("retire a device for a bad token only if most others are accepted")
    func badToken() async throws {
        let bad = token(0xbad)
        try await withAPNs(
            fault: { _, token in
                token == bad ? APNsServer.refusal(status: 400, reason: "BadDeviceToken") : nil
            },
            { apns in
                let push = try Sample.wateringDue.push()
                let alone = try await apns.send(push, to: try iPhone(token: bad))
                #expect(alone == .failed(reason: "400 BadDeviceToken", retryAfter: nil))
                let others = try await apns.sendAtOnce(5)
                #expect(others == Array(repeating: .accepted, count: 5))
                let amongOthers = try await apns.send(push, to: try iPhone(token: bad))
                #expect(amongOthers == .tokenDead(reason: "400 BadDeviceToken", since: nil))
                #expect(apns.log.all.isEmpty)
            })
    }

    @Test("retire no device if Apple rejects all tokens, and name the settings to check")
    func wrongEnvironment() async throws {
        try await withAPNs(
            fault: { _, _ in APNsServer.refusal(status: 400, reason: "BadDeviceToken") },
            { apns in
                let push = try Sample.wateringDue.push()
                var results: [DeviceResult] = []
                for number in 0..<30 {
                    results.append(try await apns.send(push, to: try iPhone(UInt8(number), token: token(number))))
                }
                #expect(results.allSatisfy { if case .tokenDead = $0 { false } else { true } })
                let held = DeviceResult.held(reason: "400 BadDeviceToken", for: .seconds(300))
                #expect(Array(results[9...]) == Array(repeating: held, count: 21))
                // Logged once, not per push.
                #expect(apns.log.all.count == 1)
                #expect(apns.log.text.hasPrefix("error "))
                #expect(apns.log.text.contains("CHERISH_APNS_ENVIRONMENT"))
                #expect(apns.log.text.contains("CHERISH_APNS_TOPIC"))
                apns.expectNoSecretsInLog()
                #expect(!apns.log.text.contains(token(0)))
            })
    }

    // MARK: - Who we are

    /// Sends pushes through a sender whose settings Apple's server rejects.
    private func expectHeld(_ reason: String, naming setting: String, _ apns: APNs) async throws {
        let push = try Sample.wateringDue.push()
        for _ in 1...3 {
            let result = try await apns.send(push, to: try iPhone())
            #expect(result == .held(reason: reason, for: .seconds(60)))
        }
        #expect(apns.server.acceptedCount == 0)
        #expect(apns.log.all.count == 1)
        #expect(apns.log.text.contains(setting))
        #expect(apns.log.text.contains(reason))
        apns.expectNoSecretsInLog()
    }

    @Test("are held if the team does not own the key, and the log names the settings")
    func wrongTeam() async throws {
        try await withAPNs(
            teamID: "OTHER12345",
            { apns in
                try await expectHeld("403 InvalidProviderToken", naming: "CHERISH_APNS_TEAM_ID", apns)
            })
    }

    @Test("are held if the key id is wrong, and the log names the settings")
    func wrongKeyID() async throws {
        try await withAPNs(
            keyID: "OTHER12345",
            { apns in
                try await expectHeld("403 InvalidProviderToken", naming: "CHERISH_APNS_KEY_ID", apns)
            })
    }

    @Test("are held if the topic is not allowed, and the log names the settings")
    func wrongTopic() async throws {
        try await withAPNs(
            topic: "com.example.other",
            { apns in
                try await expectHeld("400 TopicDisallowed", naming: "CHERISH_APNS_TOPIC", apns)
            })
    }

    @Test(
        "need a key in PEM, and never log an invalid one",
        arguments: [
            "", "secret-that-is-no-key", TestKeys.rsa,
            "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----",
        ])
    func unreadableKey(text: String) throws {
        let log = LogLines()
        let settings = APNsSettings(
            privateKey: text, keyID: Makers.keyID, teamID: Makers.teamID, topic: Makers.topic)
        let error = #expect(throws: CredentialError.self) { try APNsSender(settings, logger: log.logger) }
        #expect(error?.description == "it holds no EC private key in PEM (a .p8 file of Apple's)")
        #expect(log.all.isEmpty)
    }

    @Test("share one token, even if many need the first one at once")
    func oneToken() async throws {
        try await withAPNs { apns in
            let results = try await apns.sendAtOnce(200)
            #expect(results == Array(repeating: .accepted, count: 200))
            #expect(apns.server.acceptedCount == 200)
            #expect(apns.server.providerTokenCount == 1)
            #expect(apns.server.server.connectionCount == 1)
            #expect(Set(apns.server.accepted.map(\.deviceToken)).count == 200)
        }
    }

    @Test("get no new token within twenty minutes, even if Apple calls the current one expired")
    func expiredToken() async throws {
        try await withAPNs(
            serverNow: { Date(timeIntervalSinceNow: 7200) },
            { apns in
                let push = try Sample.wateringDue.push()
                for _ in 1...5 {
                    let result = try await apns.send(push, to: try iPhone())
                    #expect(result == .held(reason: "403 ExpiredProviderToken", for: .seconds(60)))
                }
                #expect(apns.server.providerTokenCount == 1)
                #expect(apns.server.server.requestCount == 5)
                #expect(apns.log.text.contains("CHERISH_APNS_KEY"))
                apns.expectNoSecretsInLog()
            })
    }

    @Test("are retried on a new connection if Apple associates this one with another key")
    func unfitConnection() async throws {
        try await withAPNs(
            fault: { request, _ in
                request.connection == 1 ? APNsServer.refusal(status: 403, reason: "UnrelatedKeyIdInToken") : nil
            },
            { apns in
                let result = try await apns.send(try Sample.wateringDue.push(), to: try iPhone())
                #expect(result == .accepted)
                #expect(apns.server.server.requestCount == 2)
                #expect(apns.server.server.connectionCount == 2)
                #expect(apns.server.providerTokenCount == 1)
            })
    }

    @Test("that are told so together share one new connection")
    func unfitConnectionOfMany() async throws {
        try await withAPNs(
            fault: { request, _ in
                guard request.connection == 1 else { return taken(delay: .milliseconds(20)) }
                return APNsServer.refusal(status: 403, reason: "UnrelatedKeyIdInToken")
            },
            { apns in
                let results = try await apns.sendAtOnce(50)
                #expect(results == Array(repeating: .accepted, count: 50))
                #expect(apns.server.server.connectionCount == 2)
            })
    }

    // MARK: - A provider in trouble

    @Test("stop after ten failures in a row: the eleventh is held without a request")
    func breaker() async throws {
        try await withAPNs(
            fault: { _, _ in APNsServer.refusal(status: 503, reason: "ServiceUnavailable") },
            { apns in
                let push = try Sample.wateringDue.push()
                for _ in 1...10 {
                    let result = try await apns.send(push, to: try iPhone())
                    #expect(result == .failed(reason: "503 ServiceUnavailable", retryAfter: nil))
                }
                let eleventh = try await apns.send(push, to: try iPhone())
                let time = try holdTime(eleventh, because: "APNs is left alone after failures")
                #expect(time == .seconds(5))
                #expect(apns.server.server.requestCount == 10)
                // One for the first failure, one for the breaker.
                #expect(apns.log.all.count == 2)
                #expect(apns.log.all.first?.contains("did not take a push (503 ServiceUnavailable)") == true)
                #expect(apns.log.all.last?.contains("pushes to it wait 5 s") == true)
                apns.expectNoSecretsInLog()
            })
    }

    @Test("resume a few seconds later if the provider works again")
    func recovery() async throws {
        let (count, clock) = (Counter(), ManualClock())
        try await withAPNs(
            clock: clock,
            fault: { _, _ in
                count.next() <= 10 ? APNsServer.refusal(status: 503, reason: "Shutdown") : nil
            },
            { apns in
                let push = try Sample.wateringDue.push()
                for _ in 1...10 { _ = try await apns.send(push, to: try iPhone()) }
                let held = try await apns.send(push, to: try iPhone())
                let time = try holdTime(held, because: "APNs is left alone after failures")
                clock.advance(by: time)
                let result = try await apns.send(push, to: try iPhone())
                #expect(result == .accepted)
                #expect(apns.log.all.count == 3)
                #expect(apns.log.all.last?.contains("works again") == true)
                let others = try await apns.sendAtOnce(20)
                #expect(others == Array(repeating: .accepted, count: 20))
            })
    }

    @Test("wait a quarter of an hour after an internal error, as Apple asks")
    func internalError() async throws {
        try await withAPNs(
            fault: { _, _ in APNsServer.refusal(status: 500, reason: "InternalServerError") },
            { apns in
                let result = try await apns.send(try Sample.wateringDue.push(), to: try iPhone())
                #expect(result == .failed(reason: "500 InternalServerError", retryAfter: .seconds(900)))
            })
    }

    // MARK: - The network

    /// Only the first request fails.
    private func onceFaulty(
        _ answer: PushServer.Answer
    ) -> @Sendable (PushServer.Request, String) -> PushServer.Answer? {
        let count = Counter()
        return { _, _ in count.next() == 1 ? answer : nil }
    }

    @Test(
        "are retried once if the stream or the connection breaks",
        arguments: [PushServer.Answer.Ending.reset, .closeConnection])
    func brokenOnce(ending: PushServer.Answer.Ending) async throws {
        let broken = PushServer.Answer(body: Array(repeating: 0x20, count: 1000), ending: ending)
        try await withAPNs(fault: onceFaulty(broken)) { apns in
            let result = try await apns.send(try Sample.wateringDue.push(), to: try iPhone())
            #expect(result == .accepted)
            #expect(apns.server.server.requestCount == 2)
            #expect(apns.server.acceptedCount == 1)
            #expect(apns.log.all.isEmpty)
        }
    }

    @Test("fail after the stream was reset three times")
    func alwaysReset() async throws {
        try await withAPNs(
            fault: { _, _ in PushServer.Answer(ending: .reset) },
            { apns in
                let result = try await apns.send(try Sample.wateringDue.push(), to: try iPhone())
                #expect(result == .failed(reason: "connection lost", retryAfter: nil))
                #expect(apns.server.server.requestCount == 3)
            })
    }

    @Test("are all accepted despite a GOAWAY: the rest use a new connection")
    func goAway() async throws {
        let count = Counter()
        try await withAPNs(
            maximumStreams: 10,
            fault: { _, _ in taken(delay: .milliseconds(5), thenGoAway: count.next() == 10) },
            { apns in
                let results = try await apns.sendAtOnce(100)
                #expect(results == Array(repeating: .accepted, count: 100))
                #expect(apns.server.server.connectionCount == 2)
                #expect(apns.server.server.requestCount >= 100)
                #expect(apns.log.all.isEmpty)
            })
    }

    @Test("fail at the deadline, and not sooner, if there is no answer")
    func silence() async throws {
        try await withDeadline { deadline in
            var hasCome = false
            try await withAPNs(
                deadline: deadline, fault: { _, _ in PushServer.Answer(ending: .silence) },
                { apns in
                    let start = ContinuousClock.now
                    let result = try await apns.send(try Sample.wateringDue.push(), to: try iPhone())
                    #expect(ContinuousClock.now - start >= deadline)
                    hasCome = apns.server.server.requestCount > 0
                    guard hasCome else { return }
                    #expect(result == .failed(reason: "no answer in time", retryAfter: nil))
                    #expect(apns.server.server.requestCount == 1)
                })
            return hasCome
        }
    }

    @Test("use a new connection after three timeouts: the old one may be dead")
    func deadConnection() async throws {
        // Repeats with longer deadlines until the machine is fast enough.
        try await withDeadline { deadline in
            var isRenewed = false
            try await withAPNs(
                deadline: deadline,
                fault: { request, _ in request.connection == 1 ? PushServer.Answer(ending: .silence) : nil },
                { apns in
                    let push = try Sample.wateringDue.push()
                    var results: [DeviceResult] = []
                    for _ in 1...4 { results.append(try await apns.send(push, to: try iPhone())) }
                    let silent = DeviceResult.failed(reason: "no answer in time", retryAfter: nil)
                    isRenewed = results == [silent, silent, silent, .accepted]
                    #expect(!isRenewed || apns.server.server.connectionCount == 2)
                })
            return isRenewed
        }
    }

    @Test("wait for their answers concurrently")
    func slowAnswers() async throws {
        let groups = Groups(of: 100, total: 100)
        try await withAPNs(
            fault: { _, _ in groups.taken() },
            { apns in
                let results = try await apns.sendAtOnce(100)
                #expect(results == Array(repeating: .accepted, count: 100))
                #expect(apns.server.server.mostStreamsAtOnce == 100)
            })
    }

    @Test("are not delayed by ten-megabyte answers, and keep their connection usable")
    func hugeAnswers() async throws {
        let body = Array(repeating: UInt8(ascii: "x"), count: 10_000_000)
        let count = Counter()
        try await withAPNs(
            fault: { _, _ in
                switch count.next() {
                case 1: PushServer.Answer(status: 200, body: body)
                case 2: PushServer.Answer(status: 400, body: body)
                default: nil
                }
            },
            { apns in
                let push = try Sample.wateringDue.push()
                let taken = try await apns.send(push, to: try iPhone())
                #expect(taken == .accepted)
                let refused = try await apns.send(push, to: try iPhone())
                #expect(refused == .refused(reason: "400 unknown answer"))
                let next = try await apns.send(push, to: try iPhone())
                #expect(next == .accepted)
                #expect(apns.server.server.connectionCount == 1)
            })
    }

    @Test("interpret answers that are not JSON by their status")
    func noJSON() async throws {
        let count = Counter()
        let html = Array("<html>\(Token.iPhone)</html>".utf8)
        try await withAPNs(
            fault: { _, _ in
                switch count.next() {
                case 1: PushServer.Answer(status: 200, body: html)
                case 2: PushServer.Answer(status: 400, body: html)
                case 3: PushServer.Answer(status: 502, body: html)
                default: PushServer.Answer(status: 302, headers: [("location", "https://localhost/")], body: html)
                }
            },
            { apns in
                let push = try Sample.wateringDue.push()
                var results: [DeviceResult] = []
                for _ in 1...4 { results.append(try await apns.send(push, to: try iPhone())) }
                #expect(
                    results == [
                        .accepted, .refused(reason: "400 unknown answer"),
                        .failed(reason: "502 unknown answer", retryAfter: nil),
                        .held(reason: "302 unknown answer", for: .seconds(60)),
                    ])
                #expect(apns.server.server.requestCount == 4)
                apns.expectNoSecretsInLog()
            })
    }

    @Test("are held, and nothing is sent, if the server's certificate is not trusted")
    func untrustedCertificate() async throws {
        try await withAPNs(
            trustsAuthority: false,
            { apns in
                // Known at once: the deadline is an hour.
                let result = try await apns.send(try Sample.wateringDue.push(), to: try iPhone())
                #expect(result == .held(reason: "certificate not trusted", for: .seconds(30)))
                #expect(apns.server.server.requestCount == 0)
                #expect(apns.log.text.contains("check the network and CHERISH_APNS_URL, CHERISH_PUSH_CA_FILE"))
                #expect(apns.log.text.contains("certificate not trusted"))
                apns.expectNoSecretsInLog()
            })
    }

    @Test("are held if nothing listens")
    func nobodyListens() async throws {
        let server = try await PushServer.start(authority: try authority()) { _ in PushServer.Answer() }
        await server.stop()
        try await withSender(settings(url: server.url), try transportSettings()) { sender, log in
            // Known at once: the deadline is an hour.
            let result = await sender.send(try Sample.wateringDue.push(), to: try iPhone(), at: try now())
            #expect(result == .held(reason: "no connection", for: .seconds(30)))
            #expect(log.all.count == 1)
            log.expectNone(of: [Token.iPhone, "/3/device"])
        }
    }

    @Test("are held if the provider's name does not resolve")
    func unresolvable() async throws {
        try await withSender(settings(url: "https://push.invalid"), try transportSettings()) { sender, log in
            let result = await sender.send(try Sample.wateringDue.push(), to: try iPhone(), at: try now())
            #expect(result == .held(reason: "host not found", for: .seconds(30)))
            #expect(log.all.count == 1)
            #expect(log.text.contains("host not found"))
            log.expectNone(of: [Token.iPhone, "/3/device"])
        }
    }

    @Test("share one connection even if the server allows only five streams")
    func fewStreams() async throws {
        let groups = Groups(of: 5, total: 100)
        try await withAPNs(
            maximumStreams: 5, fault: { _, _ in groups.taken() },
            { apns in
                let results = try await apns.sendAtOnce(100)
                #expect(results == Array(repeating: .accepted, count: 100))
                #expect(apns.server.server.connectionCount == 1)
                #expect(apns.server.server.mostStreamsAtOnce == 5)
                #expect(apns.server.server.requestCount == 100)
            })
    }

    @Test("are sent concurrently up to our own limit")
    func concurrency() async throws {
        let groups = Groups(of: 7, total: 50)
        let server = try await PushServer.start(authority: try authority(), maximumStreams: 1000) { _ in
            groups.taken()
        }
        do {
            try await withSender(settings(url: server.url, concurrency: 7), try transportSettings()) { sender, _ in
                let (push, device, time) = (try Sample.wateringDue.push(), try iPhone(), try now())
                let results = await sendAtOnce(50) { _ in await sender.send(push, to: device, at: time) }
                #expect(results == Array(repeating: .accepted, count: 50))
                #expect(server.mostStreamsAtOnce == 7)
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}
