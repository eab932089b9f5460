import CherishCore
import CherishTestSupport
import Foundation
import Testing

@testable import CherishMail

/// A request as the server received it, and what is wrong with it by the service's documentation.
private struct ReceivedRequest: Decodable {
    let path: String
    let headers: [String: String]
    let body: String
    let wrong: [String]
    let status: Int
}

private enum Account {
    static let sid = "AC00000000000000000000000000000001"
    static let token = "auth-token-Ä:/?"
    static let accessKey = "ACCESSKEY0001"
    static let secretKey = "secret-key-0001"
    static let serviceID = "ncp:sms:kr:256000000001:cherish"
    static let webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
}

/// A server that answers as the services document.
private struct Services {
    let fixture: FixtureServer

    var url: String { "http://127.0.0.1:\(fixture.port)" }
    /// Long for everything but what must time out.
    var transport: TextMessageTransport {
        var transport = TextMessageTransport()
        transport.connectTimeout = longWait
        transport.timeout = longWait
        return transport
    }

    static func run(_ body: (Services) async throws -> Void) async throws {
        let settings = [
            "accountSID": Account.sid, "authToken": Account.token, "accessKey": Account.accessKey,
            "secretKey": Account.secretKey, "serviceID": Account.serviceID, "webhookSecret": Account.webhookSecret,
        ]
        let json = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
        try await FixtureServer.run("text_message_server.py", [json]) { try await body(Services(fixture: $0)) }
    }

    func requests() throws -> [ReceivedRequest] {
        try fixture.lines("requests").map { try JSONDecoder().decode(ReceivedRequest.self, from: Data($0.utf8)) }
    }

    func twilio(token: String = Account.token, from: String = "+15005550006") -> TwilioSender {
        TwilioSender(
            TwilioSettings(accountSID: Account.sid, authToken: Secret(token), from: from, url: url),
            transport: transport)
    }

    func sens(
        secretKey: String = Account.secretKey, clock: @escaping @Sendable () -> Date = { Date() }
    ) -> SENSSender {
        SENSSender(
            SENSSettings(
                accessKey: Account.accessKey, secretKey: Secret(secretKey), serviceID: Account.serviceID,
                from: "0212345678", url: url), transport: transport, clock: clock)
    }

    func webhook(_ path: String = "/hook/204", timeout: Duration = longWait) throws -> WebhookTextMessageSender {
        var transport = transport
        transport.timeout = timeout
        let secret = try #require(WebhookSecret(Account.webhookSecret))
        return WebhookTextMessageSender(url: url + path, secret: secret, transport: transport)
    }
}

/// The error of one message; expects it to hold no number, text or secret.
private func failure(
    _ sender: some TextMessageSender, to: String = "+821012345678", sourceLocation: SourceLocation = #_sourceLocation
) async throws -> MailError {
    let message = try sampleText(to)
    let error = try await failure(sourceLocation: sourceLocation) { () async throws(MailError) in
        try await sender.send(message)
    }
    for secret in [to, String(to.dropFirst(3)), "123456", Account.token, Account.secretKey] {
        #expect(!"\(error) \(String(reflecting: error))".contains(secret), sourceLocation: sourceLocation)
    }
    return error
}

/// Texts with everything that has a meaning in a form or in JSON.
private let texts = ["코드는 123456입니다.", "a=b&c+d%20e #?/\\\"\n\t", "", "👨‍👩‍👧‍👦é", "{\"To\":\"+1\"}"]

@Suite("Text messages through services", .timeLimit(.minutes(10)))
struct TextMessageSenderTests {
    // MARK: - Twilio

    @Test("Twilio takes what its documentation asks for, with any text")
    func twilio() async throws {
        try await Services.run { services in
            let long = String(repeating: "가", count: 1600)
            for text in texts + [long] { try await services.twilio().send(try sampleText(text: text)) }
            let service = "MG" + String(repeating: "0", count: 32)
            try await services.twilio(from: service).send(try sampleText())
            let requests = try services.requests()
            #expect(requests.count == texts.count + 2)
            #expect(requests.allSatisfy { $0.wrong.isEmpty && $0.status == 201 })
            func field(_ name: String, _ request: ReceivedRequest) -> String? {
                var form = URLComponents()
                form.percentEncodedQuery = request.body
                return form.queryItems?.first { $0.name == name }?.value
            }
            #expect(requests.prefix(texts.count).map { field("Body", $0) } == texts)
            #expect(requests.prefix(texts.count).allSatisfy { field("To", $0) == "+821012345678" })
            #expect(requests.prefix(texts.count).allSatisfy { field("From", $0) == "+15005550006" })
            #expect(requests.last.flatMap { field("MessagingServiceSid", $0) } == service)
        }
    }

    @Test(
        "Twilio's refusals are temporary or permanent",
        arguments: [
            ("+15005550001", MailError.Outlook.permanent, MailError.Code.refused, "400 21211"),
            ("+15005550403", .permanent, .authentication, "403 20005"),
            ("+15005550429", .temporary, .refused, "429 20429"), ("+15005550500", .temporary, .refused, "500 20500"),
        ])
    func twilioRefusals(
        number: String, outlook: MailError.Outlook, code: MailError.Code, status: String
    ) async throws {
        try await Services.run { services in
            let error = try await failure(services.twilio(), to: number)
            #expect(error.outlook == outlook)
            #expect(error.code == code)
            #expect(error.status == status)
        }
    }

    @Test("a wrong token is permanent, and says which setting to correct")
    func twilioToken() async throws {
        try await Services.run { services in
            let error = try await failure(services.twilio(token: "wrong"))
            #expect(error.outlook == .permanent)
            #expect(error.code == .authentication)
            #expect(error.status == "401 20003")
            #expect(error.explanation.contains("CHERISH_SMS"))
        }
    }

    // MARK: - SENS

    @Test("SENS takes what its documentation asks for; Python verifies the signature")
    func sens() async throws {
        struct Body: Decodable {
            struct Recipient: Decodable {
                let to: String
            }
            let countryCode: String
            let from: String
            let content: String
            let messages: [Recipient]
        }
        try await Services.run { services in
            let korean = texts.filter { !$0.contains("👨") } + [String(repeating: "가", count: 45)]
            for text in korean { try await services.sens().send(try sampleText(text: text)) }
            try await services.sens().send(try sampleText("+12025550123", text: String(repeating: "a", count: 91)))
            let requests = try services.requests()
            #expect(requests.allSatisfy { $0.wrong.isEmpty && $0.status == 202 })
            let bodies = try requests.map { try JSONDecoder().decode(Body.self, from: Data($0.body.utf8)) }
            #expect(bodies.dropLast().map(\.content) == korean)
            #expect(bodies.dropLast().allSatisfy { $0.countryCode == "82" && $0.messages.map(\.to) == ["01012345678"] })
            #expect(bodies.allSatisfy { $0.from == "0212345678" })
            #expect(bodies.last?.countryCode == "1")
            #expect(bodies.last?.messages.map(\.to) == ["2025550123"])
        }
    }

    @Test("a wrong key, and a clock that is wrong, are permanent")
    func sensKey() async throws {
        try await Services.run { services in
            #expect(try await failure(services.sens(secretKey: "wrong")).code == .authentication)
            let error = try await failure(services.sens { Date().addingTimeInterval(-600) })
            #expect(error.code == .authentication)
            #expect(error.outlook == .permanent)
            #expect(error.status == "401")
        }
    }

    @Test(
        "the refusals of SENS are temporary or permanent, even within a 202",
        arguments: [
            ("+821000000400", MailError.Outlook.permanent, "400"), ("+821000000429", .temporary, "429"),
            ("+821000000500", .temporary, "500"), ("+821000000202", .permanent, "400"),
        ])
    func sensRefusals(number: String, outlook: MailError.Outlook, status: String) async throws {
        try await Services.run { services in
            let error = try await failure(services.sens(), to: number)
            #expect(error.outlook == outlook)
            #expect(error.code == .refused)
            #expect(error.status == status)
        }
    }

    @Test("a message that SENS would cut off is not sent")
    func sensLength() async throws {
        try await Services.run { services in
            let message = try sampleText(text: String(repeating: "가", count: 45) + "a")
            let error = try await failure { () async throws(MailError) in try await services.sens().send(message) }
            #expect(error.code == .message)
            #expect(error.outlook == .permanent)
            #expect(try services.requests().isEmpty)
        }
    }

    @Test(
        "numbers are written as in their own country",
        arguments: [
            ("+821012345678", "82", "01012345678"), ("+82212345678", "82", "0212345678"),
            ("+12025550123", "1", "2025550123"), ("+79161234567", "7", "9161234567"),
            ("+442079460123", "44", "2079460123"), ("+85212345678", "852", "12345678"),
            ("+3531234567", "353", "1234567"), ("+819012345678", "81", "9012345678"),
        ])
    func nationalNumbers(number: String, countryCode: String, digits: String) throws {
        let national = NationalNumber(try PhoneNumber(e164: number))
        #expect(national.countryCode == countryCode)
        #expect(national.digits == digits)
    }

    @Test("the short country codes are those of libphonenumber, read by Python", .enabled(if: hasPhoneNumbers))
    func countryCodes() async throws {
        let program = """
            import phonenumbers
            print(*sorted(code for code in phonenumbers.COUNTRY_CODE_TO_REGION_CODE if code < 100))
            """
        let output = try await RunningProgram("/usr/bin/python3", ["-c", program]).result().output
        let codes = output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        #expect(codes.count > 40)
        for beginning in 10...99 {
            let number = try PhoneNumber(e164: "+\(beginning)000000000")
            let length = codes.contains(beginning / 10) ? 1 : codes.contains(beginning) ? 2 : 3
            #expect(NationalNumber(number).countryCode.count == length, "\(beginning)")
        }
    }

    private static let hasPhoneNumbers = FileManager.default.fileExists(
        atPath: "/usr/lib/python3/dist-packages/phonenumbers")

    // MARK: - Webhooks

    @Test("a webhook is signed like those of pushes; Python verifies the signature")
    func webhook() async throws {
        struct Payload: Decodable {
            struct Message: Decodable {
                let text: String
                let to: String
            }
            let data: Message
            let timestamp: String
            let type: String
        }
        try await Services.run { services in
            for text in texts { try await services.webhook().send(try sampleText(text: text)) }
            let requests = try services.requests()
            #expect(requests.allSatisfy { $0.wrong.isEmpty && $0.status == 204 })
            #expect(
                requests.allSatisfy { $0.headers["webhook-id"] == "msg_3a110000-0000-4000-8000-000000000002" })
            let payloads = try requests.map { try JSONDecoder().decode(Payload.self, from: Data($0.body.utf8)) }
            #expect(payloads.map(\.data.text) == texts)
            #expect(payloads.allSatisfy { $0.data.to == "+821012345678" && $0.type == "text_message" })
            #expect(payloads.allSatisfy { $0.timestamp == "2027-03-02T00:00:00Z" })
        }
    }

    @Test("each status of a webhook is taken, temporary or permanent")
    func statuses() async throws {
        try await Services.run { services in
            for status in [200, 201, 202, 204, 299] {
                try await services.webhook("/hook/\(status)").send(try sampleText())
            }
            for status in [408, 425, 429, 500, 502, 503, 504, 599] {
                let error = try await failure(services.webhook("/hook/\(status)"))
                #expect(error.outlook == .temporary)
                #expect(error.status == "\(status)")
            }
            for status in [300, 302, 307, 400, 401, 403, 404, 405, 410, 413, 422] {
                let error = try await failure(services.webhook("/hook/\(status)"))
                #expect(error.outlook == .permanent)
                #expect(error.status == "\(status)")
            }
            // A redirect is not followed.
            #expect(try services.requests().count { $0.path == "/hook/200" } == 1)
        }
    }

    @Test("silence, a lost connection, and answers without end or with half a body")
    func badServers() async throws {
        try await Services.run { services in
            let silent = try await failure(services.webhook("/hook/silent", timeout: .milliseconds(300)))
            #expect(silent.code == .timeout)
            #expect(silent.outlook == .temporary)
            let lost = try await failure(services.webhook("/hook/reset"))
            #expect(lost.code == .connection)
            #expect(lost.outlook == .temporary)
            // Their status came first.
            try await services.webhook("/hook/half").send(try sampleText())
            try await services.webhook("/hook/endless").send(try sampleText())
            let endless = HTTPPoster.Request(url: services.url + "/hook/endless", headers: [], body: "{}")
            let answer = try await HTTPPoster(services.transport).post(endless)
            #expect(answer.status == 200)
            #expect(answer.body.count == 16_384)
        }
    }

    @Test("cancelling ends a request")
    func cancelled() async throws {
        try await Services.run { services in
            let sender = try services.webhook("/hook/silent")
            let task = Task { try await failure(sender) }
            try await Task.sleep(for: .milliseconds(100))
            task.cancel()
            #expect(try await task.value == .cancelled)
        }
    }

    @Test("a line break in a key does not begin another header")
    func headerInjection() async throws {
        try await Services.run { services in
            let sender = SENSSender(
                SENSSettings(
                    accessKey: "a\r\nx-evil: b", secretKey: Secret("c"), serviceID: Account.serviceID,
                    from: "0212345678", url: services.url), transport: services.transport)
            let error = try await failure(sender)
            #expect(error.code == .setting)
            #expect(try services.requests().isEmpty)
        }
    }
}
