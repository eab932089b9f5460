import CherishCore
import Foundation
import Testing

@testable import CherishMail

/// The secret used in the examples of the Standard Webhooks reference.
private let webhookSecretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

/// Writes a file that only its owner may read, and returns its path.
private func write(_ text: String, _ name: String, in folder: URL, permissions: Int = 0o600) throws -> String {
    let path = folder.path + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    return path
}

@Suite("Settings of mail")
struct MailSettingsTests {
    private func smtp(
        _ value: String, _ others: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (settings: SMTPSettings, from: Mailbox) {
        let environment = others.merging(["CHERISH_MAIL": value]) { $1 }
        let settings = try #require(try MailSettings(environment: environment), sourceLocation: sourceLocation)
        guard case .smtp(let smtp) = settings.route else {
            return try #require(nil as (SMTPSettings, Mailbox)?, sourceLocation: sourceLocation)
        }
        return (smtp, settings.from)
    }

    private func error(_ value: String, _ others: [String: String] = [:]) throws -> MessageSettingError {
        let environment = others.merging(["CHERISH_MAIL": value]) { $1 }
        return try #require(throws: MessageSettingError.self) { _ = try MailSettings(environment: environment) }
    }

    @Test("nothing is set")
    func unset() throws {
        #expect(try MailSettings(environment: [:]) == nil)
        #expect(try MailSettings(environment: ["CHERISH_MAIL": ""]) == nil)
        #expect(try MailSettings(environment: ["CHERISH_MAIL_PASSWORD_FILE": "/nonexistent"]) == nil)
    }

    @Test(
        "host, port and encryption",
        arguments: [
            ("smtp://minji:geheim@mail.example.com:2525", "mail.example.com", 2525, SMTPSettings.Encryption.startTLS),
            ("smtp://minji:geheim@mail.example.com", "mail.example.com", 587, .startTLS),
            ("smtps://minji:geheim@mail.example.com", "mail.example.com", 465, .tls),
            ("smtps://minji:geheim@mail.example.com:465/", "mail.example.com", 465, .tls),
            ("smtp://minji:geheim@[::1]:587", "::1", 587, .startTLS),
            ("smtp://minji:geheim@127.0.0.1", "127.0.0.1", 587, .startTLS),
        ])
    func server(value: String, host: String, port: Int, encryption: SMTPSettings.Encryption) throws {
        let (settings, from) = try smtp(value + "?from=Cherish%20<cherish@example.com>")
        #expect(settings.host == host)
        #expect(settings.port == port)
        #expect(settings.encryption == encryption)
        #expect(settings.login?.user == "minji")
        #expect(settings.login?.password.text == "geheim")
        #expect(from.name == "Cherish")
        #expect(from.address.description == "cherish@example.com")
    }

    @Test("a server without a user, with and without port")
    func withoutUser() throws {
        let (settings, _) = try smtp("smtp://relay.example.com:25?from=cherish@example.com")
        #expect(settings.host == "relay.example.com")
        #expect(settings.port == 25)
        #expect(settings.login == nil)
        #expect(try smtp("smtps://relay.example.com?from=cherish@example.com").settings.port == 465)
    }

    @Test(
        "user and password with any character",
        arguments: [
            ("minji%40example.com:a", "minji@example.com", "a"), ("minji@example.com:a", "minji@example.com", "a"),
            ("minji:a:b", "minji", "a:b"), ("minji:a@b", "minji", "a@b"), ("minji:%2F%3F%25%23", "minji", "/?%#"),
            ("minji:a/b", "minji", "a/b"), ("m%3Ai:%EA%B0%80", "m:i", "가"),
        ])
    func login(text: String, user: String, password: String) throws {
        let login = try #require(try smtp("smtp://\(text)@mail.example.com?from=c@example.com").settings.login)
        #expect(login.user == user)
        #expect(login.password.text == password)
    }

    @Test(
        "the sender",
        arguments: [
            ("cherish@example.com", "", "cherish@example.com"),
            ("%EC%B2%B4%EB%A6%AC%EC%89%AC%20<c@example.com>", "체리쉬", "c@example.com"),
            ("체리쉬 정원 <c@example.com>", "체리쉬 정원", "c@example.com"),
            ("Cherish+Garden%20%3Cc+tag%40example.com%3E", "Cherish+Garden", "c+tag@example.com"),
        ])
    func sender(text: String, name: String, address: String) throws {
        let from = try smtp("smtp://a:b@mail.example.com?from=\(text)").from
        #expect(from.name == name)
        #expect(from.address.description == address)
    }

    @Test("a file")
    func file() throws {
        let settings = try #require(
            try MailSettings(environment: ["CHERISH_MAIL": "jsonl:/var/lib/cherish/mail.jsonl"]))
        guard case .jsonLines("/var/lib/cherish/mail.jsonl") = settings.route else {
            Issue.record("another route")
            return
        }
        #expect(settings.sender() is FileMailSender)
        #expect(settings.from.address.domain == "example.invalid")
    }

    @Test("the password comes from a file, without the end of its line", arguments: ["\n", "", "\r\n"])
    func passwordFile(end: String) async throws {
        try await withFolder { folder in
            let path = try write(" 100% @/?#:가 " + end, "password", in: folder)
            let certificates = try write(
                "-----BEGIN CERTIFICATE-----\n", "ca.pem", in: folder, permissions: 0o644)
            let (settings, _) = try smtp(
                "smtp://minji@example.com@mail.example.com?from=c@example.com",
                ["CHERISH_MAIL_PASSWORD_FILE": path, "CHERISH_MAIL_CA_FILE": certificates])
            #expect(settings.login?.user == "minji@example.com")
            #expect(settings.login?.password.text == " 100% @/?#:가 ")
            #expect(settings.certificatesPath == certificates)
        }
    }

    @Test(
        "a value that cannot work says what to write, and never repeats the secret",
        arguments: [
            "smtp://", "smtp:mail.example.com", "http://minji:geheim@mail.example.com?from=c@example.com", "geheim",
            "smtp://minji:geheim@mail.example.com", "smtp://minji:geheim@mail.example.com?from=",
            "smtp://minji:geheim@mail.example.com?from=geheim", "smtp://minji:geheim@mail.example.com?geheim=1",
            "smtp://minji:geheim@mail.example.com?from=c@example.com&geheim", "smtp://minji:geheim@?from=c@example.com",
            "smtp://minji:geheim@mail.example.com:0?from=c@example.com",
            "smtp://minji:geheim@mail.example.com:99999?from=c@example.com",
            "smtp://minji:geheim@mail.example.com/inbox?from=c@example.com", "smtp://minji:ge?heim@mail.example.com",
            "smtp://minji:geheim%@mail.example.com?from=c@example.com",
            "smtp://:geheim@mail.example.com?from=c@example.com",
            "smtp://minji:geheim%0A@mail.example.com?from=c@example.com",
            "smtp://minji:geheim@mail example.com?from=c@example.com",
            "smtp://minji:geheim@mail.example.com?from=c@example.com%0ABcc:eve@example.com",
            "smtp://minji:geheim@mail.example.com?from=민지@example.com",
            "smtp://minji:geheim#@mail.example.com?from=c@example.com",
            "SMTP://minji:geheim@mail.example.com?from=c@example.com", "jsonl:", "jsonl:a\nb", "stdout",
        ])
    func unusable(value: String) throws {
        let error = try error(value)
        #expect(error.variable == "CHERISH_MAIL")
        #expect(!error.description.contains("geheim"))
        #expect(!error.description.contains("heim@"))
        #expect(error.description.hasPrefix("CHERISH_MAIL cannot be used: "))
    }

    @Test("a missing password, and one given twice")
    func passwords() async throws {
        let value = "smtp://minji@mail.example.com?from=c@example.com"
        #expect(try error(value).problem.contains("CHERISH_MAIL_PASSWORD_FILE"))
        #expect(throws: MessageSettingError.self) { try smtp("smtp://minji:@mail.example.com?from=c@example.com") }
        try await withFolder { folder in
            let path = try write("geheim", "password", in: folder)
            let file = ["CHERISH_MAIL_PASSWORD_FILE": path]
            let twice = try error("smtp://minji:other@mail.example.com?from=c@example.com", file)
            #expect(twice.problem.contains("twice"))
            #expect(try error("smtp://mail.example.com?from=c@example.com", file).problem.contains("USER@"))
        }
    }

    @Test("a file for the password that cannot be used")
    func passwordFiles() async throws {
        let value = "smtp://minji@mail.example.com?from=c@example.com"
        func problem(_ path: String) throws -> String {
            let error = try error(value, ["CHERISH_MAIL_PASSWORD_FILE": path])
            #expect(error.variable == "CHERISH_MAIL_PASSWORD_FILE")
            #expect(!error.description.contains("geheim"))
            return error.problem
        }
        try await withFolder { folder in
            #expect(try problem("geheim").contains("path of a file"))
            #expect(try problem("a/b\ngeheim").contains("path of a file"))
            #expect(try problem(folder.path + "/missing").contains("cannot be read"))
            #expect(try problem(try write("", "empty", in: folder)).contains("on one line"))
            #expect(try problem(try write("\n", "line", in: folder)).contains("on one line"))
            #expect(try problem(try write("geheim\ngeheim\n", "two", in: folder)).contains("on one line"))
            #expect(
                try problem(try write(String(repeating: "a", count: 10_000), "long", in: folder)).contains(
                    "on one line"))
            // Root's files may be read by their group.
            let others = try write("geheim", "open", in: folder, permissions: 0o644)
            #expect(try problem(others).contains("chmod 600"))
            let writable = try write("geheim", "writable", in: folder, permissions: 0o620)
            #expect(try problem(writable).contains("chmod 600"))
        }
    }

    @Test("a file of certificates that cannot be used")
    func certificates() async throws {
        let value = "smtp://mail.example.com?from=c@example.com"
        try await withFolder { folder in
            for path in ["/nonexistent/ca.pem", "-----BEGIN CERTIFICATE-----", try write("no", "ca.pem", in: folder)] {
                #expect(try error(value, ["CHERISH_MAIL_CA_FILE": path]).variable == "CHERISH_MAIL_CA_FILE")
            }
        }
    }

    @Test("neither descriptions nor dumps contain the password")
    func secrecy() throws {
        let settings = try #require(
            try MailSettings(environment: ["CHERISH_MAIL": "smtp://a:geheim@mail.example.com?from=c@example.com"]))
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(dumped.contains("mail.example.com"))
        for text in ["\(settings)", String(reflecting: settings), dumped] {
            #expect(!text.contains("geheim"))
        }
    }
}

@Suite("Settings of text messages")
struct TextMessageSettingsTests {
    private func settings(_ value: String, _ others: [String: String] = [:]) throws -> TextMessageSettings {
        try #require(try TextMessageSettings(environment: others.merging(["CHERISH_SMS": value]) { $1 }))
    }

    private func error(_ value: String, _ others: [String: String] = [:]) throws -> MessageSettingError {
        try #require(throws: MessageSettingError.self) { _ = try settings(value, others) }
    }

    @Test("nothing is set")
    func unset() throws {
        #expect(try TextMessageSettings(environment: ["CHERISH_SMS": ""]) == nil)
    }

    @Test("Twilio, with a number, a name or a service", arguments: ["+15005550006", "Cherish", "MG0123456789"])
    func twilio(from: String) throws {
        guard case .twilio(let twilio) = try settings("twilio:AC0123:geheim?from=\(from)").route else {
            Issue.record("another route")
            return
        }
        #expect(twilio.accountSID == "AC0123")
        #expect(twilio.authToken.text == "geheim")
        #expect(twilio.from == from)
        #expect(twilio.url == "https://api.twilio.com")
    }

    @Test("SENS, whose ids contain colons")
    func sens() throws {
        let value = "sens:ACCESS:geh%3Aeim@ncp:sms:kr:256123:cherish?from=02-1234-5678"
        guard case .sens(let sens) = try settings(value, ["CHERISH_SMS_URL": "http://127.0.0.1:8080/"]).route else {
            Issue.record("another route")
            return
        }
        #expect(sens.accessKey == "ACCESS")
        #expect(sens.secretKey.text == "geh:eim")
        #expect(sens.serviceID == "ncp:sms:kr:256123:cherish")
        #expect(sens.from == "0212345678")
        #expect(sens.url == "http://127.0.0.1:8080")
    }

    @Test("a webhook, and a file")
    func others() throws {
        guard
            case .webhook(let url, let secret) = try settings(
                "webhook:https://example.com/sms?a=b@c#\(webhookSecretText)"
            ).route
        else {
            Issue.record("another route")
            return
        }
        #expect(url == "https://example.com/sms?a=b@c")
        #expect(secret.text == webhookSecretText)
        #expect(try settings("webhook:http://127.0.0.1:1/#\(webhookSecretText)").sender() is WebhookTextMessageSender)
        #expect(try settings("jsonl:sms.jsonl").sender() is FileTextMessageSender)
    }

    @Test("secrets come from a file")
    func secretFile() async throws {
        try await withFolder { folder in
            let file = ["CHERISH_SMS_SECRET_FILE": try write("geheim\n", "secret", in: folder)]
            guard case .twilio(let twilio) = try settings("twilio:AC0123?from=+15005550006", file).route,
                case .sens(let sens) = try settings("sens:ACCESS@ncp:sms:kr:1:c?from=0212345678", file).route
            else {
                Issue.record("another route")
                return
            }
            #expect(twilio.authToken.text == "geheim")
            #expect(sens.secretKey.text == "geheim")
            let webhook = ["CHERISH_SMS_SECRET_FILE": try write(webhookSecretText + "\n", "webhook", in: folder)]
            guard case .webhook(_, let secret) = try settings("webhook:https://example.com/sms", webhook).route else {
                Issue.record("another route")
                return
            }
            #expect(secret.text == webhookSecretText)
            #expect(try error("twilio:AC0123:other?from=+15005550006", file).problem.contains("twice"))
            let wrong = try error("webhook:https://example.com/sms", file)
            #expect(wrong.problem.contains("whsec_"))
            #expect(!wrong.description.contains("geheim"))
        }
    }

    @Test(
        "a value that cannot work says what to write, and never repeats the secret",
        arguments: [
            "geheim", "twilio:", "twilio:AC0123:geheim", "twilio:AC0123:geheim?from=",
            "twilio:AC/0123:geheim?from=+15005550006",
            "twilio:AC0123?from=+15005550006", "twilio:AC0123:geheim@x?from=+15005550006",
            "twilio:AC0123:geheim?from=010%0A",
            "twilio:AC0123:geheim?from=+0", "sens:ACCESS:geheim?from=0212345678",
            "sens:ACCESS:geheim@a/b?from=0212345678",
            "sens:ACCESS:geheim@ncp:sms?from=geheim", "sens:ACCESS@ncp:sms?from=0212345678",
            "sens:ACC%0D%0AESS:geheim@ncp:sms?from=0212345678", "webhook:https://example.com/sms",
            "webhook:https://example.com/sms#geheim", "webhook:http://example.com/sms#\(webhookSecretText)",
            "webhook:https://geheim@example.com/sms#\(webhookSecretText)", "webhook:#\(webhookSecretText)",
            "webhook:ftp://example.com/#\(webhookSecretText)", "webhook:https://example.com/a b#\(webhookSecretText)",
            "jsonl:", "stdout",
        ])
    func unusable(value: String) throws {
        let error = try error(value)
        #expect(error.variable == "CHERISH_SMS")
        #expect(!error.description.contains("geheim"))
        #expect(!error.description.contains("MfKQ9"))
    }

    @Test("another server must be reached by an encrypted connection, or be this machine")
    func urls() throws {
        for url in ["http://example.com", "https://example.com?a=b", "example.com", "https://a:geheim@example.com"] {
            let error = try error("twilio:AC0123:geheim?from=+15005550006", ["CHERISH_SMS_URL": url])
            #expect(error.variable == "CHERISH_SMS_URL")
            #expect(!error.description.contains("geheim"))
        }
    }

    @Test(
        "neither descriptions nor dumps contain a secret",
        arguments: [
            "twilio:AC0123:geheim?from=+15005550006", "sens:ACCESS:geheim@ncp:sms?from=0212345678",
        ])
    func secrecy(value: String) throws {
        let settings = try settings(value)
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), dumped] {
            #expect(!text.contains("geheim"))
        }
    }
}
