import CherishCore
import CherishPush
import CherishTestSupport
import Foundation
import JWTKit
import Testing

@testable import CherishProviders

/// Local stand-ins for Google's services, and a sender connected to them.
private struct FCM: Sendable {
    let server: FCMServer
    let sender: FCMSender
    let log: LogLines

    func send(_ push: AccountPush, to device: Device) async throws -> DeviceResult {
        await sender.send(push, to: device, at: try now())
    }

    /// Sends one push to each of `count` phones concurrently.
    func sendAtOnce(_ count: Int) async throws -> [DeviceResult] {
        let push = try Sample.wateringDue.push()
        let time = try now()
        let devices = try (0..<count).map { try android(UInt8($0 % 256), token: "token-\($0)") }
        return await CherishProvidersTests.sendAtOnce(count) { number in
            await sender.send(push, to: devices[number], at: time)
        }
    }

    func expectNoSecretsInLog(sourceLocation: SourceLocation = #_sourceLocation) {
        log.expectNone(
            of: TestKeys.bodyLines(TestKeys.rsa) + [Token.android, "ya29", "messages:send", "하나", server.clientEmail],
            sourceLocation: sourceLocation)
    }
}

/// Runs a body with a server and a sender.
private func withFCM(
    deadline: Duration = .seconds(3600), serverNow: @escaping @Sendable () -> Date = { Date() },
    tokenFault: @escaping @Sendable (PushServer.Request) -> PushServer.Answer? = { _ in nil },
    fault: @escaping @Sendable (PushServer.Request, _ deviceToken: String) -> PushServer.Answer? = { _, _ in nil },
    _ body: (FCM) async throws -> Void
) async throws {
    let server = try await FCMServer.start(
        authority: try authority(), publicKeyPEM: TestKeys.rsaPublic, now: serverNow, tokenFault: tokenFault,
        fault: fault)
    do {
        let account = try ServiceAccount(json: try server.serviceAccount(privateKeyPEM: TestKeys.rsa))
        let log = LogLines()
        let sender = FCMSender(
            FCMSettings(account: account, url: server.url), transport: try transportSettings(deadline: deadline),
            logger: log.logger)
        do {
            try await body(FCM(server: server, sender: sender, log: log))
        } catch {
            await sender.close()
            throw error
        }
        await sender.close()
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

// Serialized, because some tests measure time.
@Suite("Pushes to Android phones", .serialized, .timeLimit(.minutes(10)))
struct FCMSenderTests {
    // MARK: - What is sent

    @Test("are posted to the account's project, with an access token that Google issued for a signed assertion")
    func accepted() async throws {
        try await withFCM { fcm in
            let result = try await fcm.send(try Sample.wateringDue.push(), to: try android())
            #expect(result == .accepted)
            let sent = try #require(fcm.server.accepted.first)
            #expect(fcm.server.accepted.count == 1)
            #expect(sent.token == Token.android)
            #expect(sent.request.method == "POST")
            #expect(sent.request.path == "/v1/projects/cherish-test/messages:send")
            #expect(sent.request.header("content-type") == "application/json")
            #expect(sent.request.header("authorization")?.hasPrefix("Bearer ya29.") == true)
            #expect(fcm.server.issuedTokenCount == 1)
            #expect(fcm.server.server.requestCount == 2)
            #expect(fcm.server.server.connectionCount == 1)
            #expect(fcm.log.all.isEmpty)
        }
    }

    @Test("have the bodies of fixtures/push", arguments: Sample.allCases, Language.allCases)
    func golden(sample: Sample, language: Language) async throws {
        let expected = try sample.fixture("fcm", language)
        let message = try sample.push(language).messageForFCM(to: try android(), at: try now())
        #expect(String(decoding: message, as: UTF8.self) + "\n" == expected)
        guard language == .korean else { return }
        try await withFCM { fcm in
            let result = try await fcm.send(try sample.push(language), to: try android())
            #expect(result == .accepted)
            let body = fcm.server.accepted.first?.body ?? []
            #expect(String(decoding: body, as: UTF8.self) + "\n" == expected)
        }
    }

    /// The part of a message for Android phones.
    private func androidPart(of push: AccountPush) throws -> [String: Any] {
        let json = push.messageForFCM(to: try android(), at: try now())
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        let message = try #require(object["message"] as? [String: Any])
        // Google accepts only strings there.
        #expect(message["data"] is [String: String])
        return try #require(message["android"] as? [String: Any])
    }

    @Test(
        "are kept by Google until they expire, for at least 0 s and at most four weeks",
        arguments: [
            ("2027-03-02T00:00:01Z", "1s"), ("2027-03-02T15:00:00Z", "54000s"), ("2027-03-02T00:00:00Z", "0s"),
            ("2027-03-01T23:59:59Z", "0s"), ("1970-01-01T00:00:00Z", "0s"), ("2027-03-30T00:00:00Z", "2419200s"),
            ("2027-03-30T00:00:01Z", "2419200s"), ("9999-12-31T00:00:00Z", "2419200s"),
        ])
    func timeToLive(expiresAt: String, expected: String) throws {
        let expiry = try #require(Instant(expiresAt))
        let push = try plantPush(.wateringDue, expiresAt: expiry)
        let part = try androidPart(of: push)
        #expect(part["ttl"] as? String == expected)
    }

    @Test("have one collapse key and one tag, so that a phone shows a push once")
    func collapse() throws {
        for sample in Sample.allCases {
            let push = try sample.push()
            let part = try androidPart(of: push)
            #expect(part["collapse_key"] as? String == push.collapseID)
            let notification = try #require(part["notification"] as? [String: String])
            #expect(notification == ["tag": push.collapseID])
        }
    }

    @Test("have high priority if their moment matters")
    func priority() throws {
        let priorities = try Sample.allCases.map { try androidPart(of: try $0.push())["priority"] as? String }
        // Watering due, review missing, birthday, withered, several waterings due, digest.
        #expect(priorities == ["HIGH", "NORMAL", "HIGH", "NORMAL", "HIGH", "NORMAL"])
    }

    @Test("never exceed 4096 bytes", arguments: [LongText.zalgo, LongText.quotes])
    func longText(nickname: String) async throws {
        try await withFCM { fcm in
            for kind in Topic.ofPlants {
                for language in Language.allCases {
                    let keywords = Array(repeating: nickname, count: 3)
                    let push = try plantPush(kind, language, nickname: nickname, keywords: keywords)
                    let result = try await fcm.send(push, to: try android())
                    #expect(result == .accepted)
                }
            }
            #expect(fcm.server.accepted.allSatisfy { $0.body.count <= 4096 })
        }
    }

    @Test("carry any token as text, even if it looks like JSON, a path or a header")
    func hostileToken() async throws {
        try await withFCM { fcm in
            let tokens = [#"","topic":"all"#, "../../x", "a\r\nauthorization: Bearer x", "하나", "\u{0}"]
            for token in tokens {
                let result = try await fcm.send(
                    try Sample.birthday.push(), to: try android(token: token))
                #expect(result == .accepted)
            }
            #expect(fcm.server.accepted.map(\.token) == tokens)
        }
    }

    // MARK: - The access token

    @Test("share one access token, even if many need the first one at once")
    func oneToken() async throws {
        try await withFCM { fcm in
            let results = try await fcm.sendAtOnce(100)
            #expect(results == Array(repeating: .accepted, count: 100))
            #expect(fcm.server.issuedTokenCount == 1)
            #expect(fcm.server.server.requestCount == 101)
            #expect(fcm.server.server.connectionCount == 1)
            #expect(Set(fcm.server.accepted.map(\.token)).count == 100)
        }
    }

    @Test("share one new access token once Google rejects theirs")
    func revokedToken() async throws {
        try await withFCM { fcm in
            let first = try await fcm.send(try Sample.wateringDue.push(), to: try android())
            #expect(first == .accepted)
            fcm.server.revokeTokens()
            let second = try await fcm.send(try Sample.wateringDue.push(), to: try android())
            #expect(second == .accepted)
            #expect(fcm.server.issuedTokenCount == 2)
            fcm.server.revokeTokens()
            let results = try await fcm.sendAtOnce(50)
            #expect(results == Array(repeating: .accepted, count: 50))
            #expect(fcm.server.issuedTokenCount == 3)
            #expect(fcm.log.all.isEmpty)
        }
    }

    @Test("are held after two attempts if Google rejects every access token")
    func tokenNeverTaken() async throws {
        try await withFCM(
            fault: { _, _ in FCMServer.refusal(status: 401, code: "UNAUTHENTICATED") },
            { fcm in
                let push = try Sample.wateringDue.push()
                let result = try await fcm.send(push, to: try android())
                #expect(result == .held(reason: "401 UNAUTHENTICATED", for: .seconds(60)))
                // Two token requests and two rejected pushes.
                #expect(fcm.server.server.requestCount == 4)
                #expect(fcm.server.issuedTokenCount == 2)
                #expect(fcm.log.text.contains("CHERISH_FCM_CREDENTIALS"))
                fcm.expectNoSecretsInLog()
            })
    }

    /// Sends one push without obtaining an access token, and expects no request to Firebase.
    private func expectHeld(
        _ reason: String, for time: Duration, _ fcm: FCM, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let push = try Sample.wateringDue.push()
        let result = try await fcm.send(push, to: try android())
        #expect(result == .held(reason: reason, for: time), sourceLocation: sourceLocation)
        #expect(fcm.server.acceptedCount == 0, sourceLocation: sourceLocation)
        #expect(fcm.server.server.requestCount == 1, "only the token endpoint", sourceLocation: sourceLocation)
        #expect(fcm.log.all.count == 1, sourceLocation: sourceLocation)
        #expect(fcm.log.text.contains("CHERISH_FCM_CREDENTIALS"), sourceLocation: sourceLocation)
        #expect(fcm.log.text.contains(reason), sourceLocation: sourceLocation)
        fcm.expectNoSecretsInLog(sourceLocation: sourceLocation)
    }

    @Test("are held if Google rejects the assertion, as with a wrong clock, and the log names the setting")
    func invalidGrant() async throws {
        try await withFCM(
            serverNow: { Date(timeIntervalSinceNow: 7200) },
            { fcm in
                try await expectHeld("no access token: 400 invalid_grant", for: .seconds(60), fcm)
            })
    }

    static let tokenAnswers: [(Int, String, String, Int)] = [
        (500, "", "500 unknown answer", 30), (503, "<html>", "503 unknown answer", 30),
        (429, #"{"error":"slow_down"}"#, "429 unknown answer", 30), (200, "no JSON", "200 unknown answer", 30),
        (200, "{}", "200 unknown answer", 30), (200, #"{"access_token":""}"#, "200 unknown answer", 30),
        (200, #"{"access_token":7}"#, "200 unknown answer", 30),
        // Not valid in a header.
        (200, #"{"access_token":"a\r\nb: c"}"#, "200 unknown answer", 30),
        (200, #"{"access_token":"하나"}"#, "200 unknown answer", 30),
        (401, #"{"error":"invalid_client"}"#, "401 invalid_client", 60),
        (400, #"{"error":"unauthorized_client"}"#, "400 unauthorized_client", 60),
        (403, #"{"error":"secret-of-somebody"}"#, "403 unknown answer", 60),
        (302, "", "302 unknown answer", 60), (404, "<html>", "404 unknown answer", 60),
    ]

    @Test("are held if the token endpoint returns no token", arguments: FCMSenderTests.tokenAnswers)
    func tokenEndpoint(status: Int, body: String, reason: String, seconds: Int) async throws {
        try await withFCM(
            tokenFault: { _ in
                PushServer.Answer(
                    status: status, headers: [("location", "https://localhost/")], body: Array(body.utf8))
            },
            { fcm in
                try await expectHeld("no access token: \(reason)", for: .seconds(seconds), fcm)
                #expect(!fcm.log.text.contains("secret-of-somebody"))
            })
    }

    @Test("are not delayed by a token endpoint that answers with ten megabytes")
    func hugeTokenAnswer() async throws {
        let body = Array(repeating: UInt8(ascii: "x"), count: 10_000_000)
        try await withFCM(
            tokenFault: { _ in PushServer.Answer(body: body) },
            { fcm in
                try await expectHeld("no access token: 200 unknown answer", for: .seconds(30), fcm)
            })
    }

    @Test("are held at the deadline, and not sooner, if the token endpoint is silent")
    func silentTokenEndpoint() async throws {
        try await withDeadline { deadline in
            var hasCome = false
            try await withFCM(
                deadline: deadline, tokenFault: { _ in PushServer.Answer(ending: .silence) },
                { fcm in
                    let start = ContinuousClock.now
                    let result = try await fcm.send(try Sample.wateringDue.push(), to: try android())
                    #expect(ContinuousClock.now - start >= deadline)
                    hasCome = fcm.server.server.requestCount > 0
                    #expect(!hasCome || result == .held(reason: "no answer in time", for: .seconds(30)))
                })
            return hasCome
        }
    }

    @Test("ask a failing token endpoint once for all that wait")
    func failingTogether() async throws {
        let begun = Counter()
        try await withFCM(
            tokenFault: { _ in
                PushServer.Answer(status: 500, delay: .milliseconds(200), heldWhile: { begun.value < 50 })
            },
            { fcm in
                let (push, phone, time) = (try Sample.wateringDue.push(), try android(), try now())
                let results = await sendAtOnce(50) { _ in
                    _ = begun.next()
                    return await fcm.sender.send(push, to: phone, at: time)
                }
                let held = DeviceResult.held(reason: "no access token: 500 unknown answer", for: .seconds(30))
                #expect(results == Array(repeating: held, count: 50))
                // A push that starts after the answer asks again.
                #expect(fcm.server.server.requestCount <= 3)
            })
    }

    // MARK: - Answers

    /// The result of one push that gets this answer.
    private func result(of answer: PushServer.Answer) async throws -> DeviceResult {
        var result: DeviceResult?
        try await withFCM(
            fault: { _, _ in answer },
            { fcm in
                result = try await fcm.send(try Sample.wateringDue.push(), to: try android())
                fcm.expectNoSecretsInLog()
            })
        return try #require(result)
    }

    @Test("retire a device that is no longer registered")
    func unregistered() async throws {
        let result = try await result(
            of: FCMServer.refusal(status: 404, code: "NOT_FOUND", errorCode: "UNREGISTERED"))
        #expect(result == .tokenDead(reason: "404 UNREGISTERED", since: nil))
    }

    @Test("retire no device if the project does not exist")
    func noProject() async throws {
        let result = try await result(of: FCMServer.refusal(status: 404, code: "NOT_FOUND"))
        #expect(result == .held(reason: "404 NOT_FOUND", for: .seconds(60)))
    }

    @Test(
        "wait as long as Google asks after too many requests, a minute by default",
        arguments: [7, nil])
    func quota(retryAfter: Int?) async throws {
        let result = try await result(
            of: FCMServer.refusal(
                status: 429, code: "RESOURCE_EXHAUSTED", errorCode: "QUOTA_EXCEEDED", retryAfter: retryAfter))
        #expect(result == .failed(reason: "429 QUOTA_EXCEEDED", retryAfter: .seconds(retryAfter ?? 60)))
    }

    @Test("fail on Google's server errors")
    func unavailable() async throws {
        let result = try await result(
            of: FCMServer.refusal(status: 503, code: "UNAVAILABLE", errorCode: "UNAVAILABLE"))
        #expect(result == .failed(reason: "503 UNAVAILABLE", retryAfter: nil))
    }

    @Test("are refused if Google rejects a field of ours, and no device is retired")
    func wrongField() async throws {
        let refusal = FCMServer.refusal(
            status: 400, code: "INVALID_ARGUMENT", errorCode: "INVALID_ARGUMENT", badField: "message.data[0].value")
        let others = Counter()
        try await withFCM(
            fault: { _, token in
                if token == Token.android { return refusal }
                _ = others.next()
                return nil
            },
            { fcm in
                let accepted = try await fcm.sendAtOnce(5)
                #expect(accepted == Array(repeating: .accepted, count: 5))
                #expect(others.value == 5)
                for _ in 1...12 {
                    let result = try await fcm.send(
                        try Sample.wateringDue.push(), to: try android())
                    #expect(result == .refused(reason: "400 INVALID_ARGUMENT"))
                }
                // Logged once: it is our fault.
                #expect(fcm.log.all.count == 1)
                #expect(fcm.log.text.contains("refused a push for good (400 INVALID_ARGUMENT)"))
            })
    }

    @Test("retire a device with an invalid token only if most others are accepted")
    func wrongToken() async throws {
        let refusal = FCMServer.refusal(
            status: 400, code: "INVALID_ARGUMENT", errorCode: "INVALID_ARGUMENT", badField: "message.token")
        try await withFCM(
            fault: { _, token in token == Token.android ? refusal : nil },
            { fcm in
                let push = try Sample.wateringDue.push()
                let alone = try await fcm.send(push, to: try android())
                #expect(alone == .failed(reason: "400 INVALID_ARGUMENT of the token", retryAfter: nil))
                let others = try await fcm.sendAtOnce(5)
                #expect(others == Array(repeating: .accepted, count: 5))
                let amongOthers = try await fcm.send(push, to: try android())
                #expect(amongOthers == .tokenDead(reason: "400 INVALID_ARGUMENT of the token", since: nil))
            })
    }

    @Test("retire no device if all tokens belong to another project, and the log names the setting")
    func wrongProject() async throws {
        let refusal = FCMServer.refusal(
            status: 403, code: "PERMISSION_DENIED", errorCode: "SENDER_ID_MISMATCH")
        try await withFCM(
            fault: { _, _ in refusal },
            { fcm in
                var results: [DeviceResult] = []
                for _ in 1...20 {
                    results.append(
                        try await fcm.send(try Sample.wateringDue.push(), to: try android()))
                }
                #expect(results.allSatisfy { if case .tokenDead = $0 { false } else { true } })
                let held = DeviceResult.held(reason: "403 SENDER_ID_MISMATCH", for: .seconds(300))
                #expect(Array(results[9...]) == Array(repeating: held, count: 11))
                #expect(fcm.log.all.count == 1)
                #expect(fcm.log.text.contains("CHERISH_FCM_CREDENTIALS"))
                fcm.expectNoSecretsInLog()
            })
    }
}

@Suite("The service account file")
struct ServiceAccountTests {
    private static let fields = [
        "type": "service_account", "project_id": "cherish-a1b2c3", "private_key_id": "0123456789abcdef0123",
        "private_key": TestKeys.rsa, "client_email": "sender@cherish-a1b2c3.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
    ]

    /// The file with some fields changed or removed.
    private func file(_ changes: [String: String?] = [:]) throws -> String {
        var fields = ServiceAccountTests.fields
        for (name, value) in changes { fields[name] = value }
        return String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
    }

    private func expectRefused(
        _ json: String, _ description: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: CredentialError.self, sourceLocation: sourceLocation) {
            try ServiceAccount(json: json)
        }
        #expect(error?.description == description, sourceLocation: sourceLocation)
        let secrets = TestKeys.bodyLines(TestKeys.rsa) + ServiceAccountTests.fields.filter { $0.key != "type" }.values
        for secret in secrets {
            #expect(error.map { "\($0)" }?.contains(secret) != true, sourceLocation: sourceLocation)
        }
    }

    @Test("is read as Google's console exports it")
    func valid() throws {
        let account = try ServiceAccount(json: try file())
        #expect(account.projectID == "cherish-a1b2c3")
        #expect(account.clientEmail == "sender@cherish-a1b2c3.iam.gserviceaccount.com")
        #expect(account.privateKeyID == "0123456789abcdef0123")
        #expect(account.tokenURL == "https://oauth2.googleapis.com/token")
    }

    @Test("is JSON", arguments: ["", "{", "[]", "null", "-----BEGIN PRIVATE KEY-----", #"{"type":"service_account"}"#])
    func noJSON(text: String) {
        expectRefused(text, "it is no service account in JSON, as Google's console gives it out")
    }

    @Test(
        "has all of its fields",
        arguments: ["type", "project_id", "private_key_id", "private_key", "client_email", "token_uri"])
    func missingField(name: String) throws {
        expectRefused(
            try file([name: nil]), "it is no service account in JSON, as Google's console gives it out")
    }

    @Test("is of a service account")
    func wrongType() throws {
        expectRefused(
            try file(["type": "authorized_user"]), "its type is not service_account")
    }

    @Test(
        "contains an RSA key of at least 2048 bits",
        arguments: [
            "", "secret", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----",
            TestKeys.apns.pemRepresentation, TestKeys.rsaPublic, String(TestKeys.rsa.dropLast(200)),
        ])
    func brokenKey(text: String) throws {
        expectRefused(try file(["private_key": text]), "its private_key is no RSA key in PEM")
    }

    @Test(
        "has an https token endpoint",
        arguments: ["", "http://oauth2.googleapis.com/token", "oauth2.googleapis.com", "file:///etc/passwd"])
    func tokenURL(text: String) throws {
        expectRefused(try file(["token_uri": text]), "its token_uri is no https URL")
    }

    @Test(
        "has a valid project id, which becomes part of the path",
        arguments: [
            "", "a/b", "../other", "a b", "a?b", "a#b", "a%2Fb", "Cherish", "하나", "a\n",
            String(repeating: "a", count: 101),
        ])
    func projectID(text: String) throws {
        expectRefused(try file(["project_id": text]), "its project_id is no project's id")
    }
}
