import CherishCore
import CherishTestSupport
import Foundation
import Synchronization
import Testing

@testable import CherishMail

/// A mail as the server received it.
private struct ReceivedMail: Decodable {
    let from: String
    let to: [String]
    let options: [String]
    let content: Data
    let greeting: String
    let isEncrypted: Bool
    let user: String?
}

/// What no error and no description may contain.
private let password = "p4ss-Wörd:@/?%"

/// The real mail server aiosmtpd. `scripts/test` installs it.
@Suite("Mail to a server", .timeLimit(.minutes(10)))
struct SMTPSenderTests {
    /// The system's Python has Debian's package; another one may have PyPI's.
    private static let python =
        FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/aiosmtpd") ? "/usr/bin/python3" : nil

    private struct Server {
        let fixture: FixtureServer
        let mode: String

        func settings(host: String = "localhost", trusts: Bool = true) -> SMTPSettings {
            var settings = SMTPSettings(
                host: host, port: fixture.port, encryption: mode == "tls" ? .tls : .startTLS,
                login: SMTPSettings.Login(user: "cherish@example.org", password: Secret(password)),
                certificatesPath: trusts ? fixture.folder.appendingPathComponent("certificate.pem").path : nil)
            // Long for everything but what must time out.
            settings.connectTimeout = longWait
            settings.timeout = longWait
            settings.pauses = []
            return settings
        }

        func mails() throws -> [ReceivedMail] {
            let folder = fixture.folder.appendingPathComponent("mails")
            let count = try FileManager.default.contentsOfDirectory(atPath: folder.path).count
            return try (1...max(count, 1)).prefix(count).map { number in
                let decoder = JSONDecoder()
                decoder.dataDecodingStrategy = .base64
                let file = folder.appendingPathComponent("\(number).json")
                return try decoder.decode(ReceivedMail.self, from: Data(contentsOf: file))
            }
        }

        var attempts: [String] { get throws { try fixture.lines("attempts") } }
    }

    private func withServer(_ mode: String = "starttls", _ body: (Server) async throws -> Void) async throws {
        try await FixtureServer.run(
            "smtp_server.py", python: Self.python ?? "python3", [mode, "cherish@example.org", password]
        ) { fixture in
            try await body(Server(fixture: fixture, mode: mode))
        }
    }

    /// The error of one mail; expects it to hold no recipient and no password.
    private func failure(
        _ settings: SMTPSettings, to: String = "minji@example.com", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> MailError {
        let mail = try sample(to: to)
        let sender = SMTPSender(settings)
        let error = try await CherishMailTests.failure(sourceLocation: sourceLocation) { () async throws(MailError) in
            try await sender.send(mail)
        }
        for text in ["\(error)", String(reflecting: error), "\(settings)"] {
            for secret in [to, to.prefix { $0 != "@" } + "@", Substring(password)[...].description, "123456"] {
                #expect(!text.contains(secret), sourceLocation: sourceLocation)
            }
        }
        return error
    }

    @Test(
        "arrives byte for byte, encrypted and with the user", .enabled(if: python != nil),
        arguments: ["starttls", "tls"])
    func arrives(mode: String) async throws {
        try await withServer(mode) { server in
            let mail = try sample(
                text: String(repeating: "코드는 123456입니다.\n.\n..\n", count: 2000),
                html: "<p>\n.\n.." + String(repeating: "x", count: 10_000) + "\n.\n")
            try await SMTPSender(server.settings()).send(mail)
            let received = try #require(try server.mails().first)
            #expect(received.content == Data(MailWriter.bytes(of: mail)))
            #expect(received.from == "cherish@example.org")
            #expect(received.to == ["minji@example.com"])
            #expect(received.greeting == "example.org")
            #expect(received.isEncrypted)
            #expect(received.user == "cherish@example.org")
        }
    }

    @Test("arrives without user and password at a server that wants none", .enabled(if: python != nil))
    func withoutLogin() async throws {
        try await withServer("open") { server in
            var settings = server.settings()
            settings.login = nil
            try await SMTPSender(settings).send(try sample())
            #expect(try server.mails().map(\.user) == [nil])
            #expect(try server.mails().map(\.isEncrypted) == [true])
        }
    }

    @Test("many mails arrive once each, over a few threads", .enabled(if: python != nil))
    func concurrent() async throws {
        try await withServer { server in
            let sender = SMTPSender(server.settings(), concurrency: 3)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    let mail = try sample(UInt8(number), to: "friend\(number)@example.com")
                    group.addTask { try await sender.send(mail) }
                }
                try await group.waitForAll()
            }
            let recipients = try server.mails().flatMap(\.to)
            #expect(Set(recipients) == Set((0..<30).map { "friend\($0)@example.com" }))
            #expect(recipients.count == 30)
        }
    }

    @Test("an address beyond ASCII arrives where the server knows SMTPUTF8", .enabled(if: python != nil))
    func unicodeAddress() async throws {
        try await withServer { server in
            try await SMTPSender(server.settings()).send(try sample(to: "민지@example.com"))
            let received = try #require(try server.mails().first)
            #expect(received.to == ["민지@example.com"])
            #expect(received.options.contains("SMTPUTF8"))
        }
        try await withServer("ascii") { server in
            let error = try await failure(server.settings(), to: "민지@example.com")
            #expect(error.outlook == .permanent)
            #expect(error.code == .refused)
            #expect(try server.mails().isEmpty)
        }
    }

    // MARK: - Answers of the server

    @Test("is tried three times where it is greylisted", .enabled(if: python != nil))
    func greylisting() async throws {
        try await withServer { server in
            var settings = server.settings()
            settings.pauses = [.milliseconds(1), .milliseconds(2)]
            try await SMTPSender(settings).send(try sample(to: "grey@example.com"))
            #expect(try server.attempts.count == 3)
            #expect(try server.mails().count == 1)

            let error = try await failure(settings, to: "busy@example.com")
            #expect(error.outlook == .temporary)
            #expect(error.code == .refused)
            #expect(error.status == "450 4.2.1")
            #expect(try server.attempts.count == 6)
        }
    }

    @Test(
        "is refused with the server's numbers", .enabled(if: python != nil),
        arguments: [
            ("gone", MailError.Outlook.permanent, "550 5.1.1"), ("spam", .permanent, "554 5.7.1"),
            ("heavy", .temporary, "452 4.3.1"),
        ])
    func refused(recipient: String, outlook: MailError.Outlook, status: String) async throws {
        try await withServer { server in
            var settings = server.settings()
            settings.pauses = [.milliseconds(1)]
            let error = try await failure(settings, to: "\(recipient)@example.com")
            #expect(error.outlook == outlook)
            #expect(error.code == .refused)
            #expect(error.status == status)
            #expect(try server.mails().isEmpty)
            // A permanent failure is not tried again.
            #expect(try server.attempts.count == (outlook == .permanent ? 1 : 2))
        }
    }

    @Test("a server that is full asks to try again", .enabled(if: python != nil))
    func full() async throws {
        try await withServer("full") { server in
            let error = try await failure(server.settings())
            #expect(error.outlook == .temporary)
            #expect(error.status == "421 4.3.2")
        }
    }

    @Test("a wrong password, or none, is permanent", .enabled(if: python != nil))
    func wrongPassword() async throws {
        try await withServer { server in
            var settings = server.settings()
            settings.login?.password = Secret("wrong")
            let wrong = try await failure(settings)
            #expect(wrong.outlook == .permanent)
            #expect(wrong.code == .authentication)
            #expect(wrong.status?.hasPrefix("535") == true)
            settings.login = nil
            let none = try await failure(settings)
            #expect(none.outlook == .permanent)
            #expect(none.code == .authentication)
            #expect(none.status?.hasPrefix("530") == true)
            #expect(try server.attempts.isEmpty)
        }
    }

    // MARK: - Encryption

    @Test("a server without STARTTLS gets nothing", .enabled(if: python != nil))
    func plain() async throws {
        try await withServer("plain") { server in
            var settings = server.settings()
            let error = try await failure(settings)
            #expect(error.outlook == .permanent)
            #expect(error.code == .encryption)
            settings.login = nil
            #expect(try await failure(settings).code == .encryption)
            settings.encryption = .tls
            #expect(try await failure(settings).code == .connection)
            #expect(try server.attempts.isEmpty)
        }
    }

    @Test(
        "a server with an untrusted certificate gets nothing", .enabled(if: python != nil),
        arguments: ["starttls", "tls"])
    func untrusted(mode: String) async throws {
        try await withServer(mode) { server in
            let error = try await failure(server.settings(trusts: false))
            #expect(error.outlook == .permanent)
            #expect(error.code == .certificate)
            #expect(error.explanation.contains("CHERISH_MAIL_CA_FILE"))
            #expect(try server.attempts.isEmpty)
        }
    }

    @Test("a server with the certificate of another host gets nothing", .enabled(if: python != nil))
    func stranger() async throws {
        try await withServer("stranger") { server in
            for host in ["localhost", "127.0.0.1"] {
                let error = try await failure(server.settings(host: host))
                #expect(error.code == .certificate)
            }
            #expect(try server.attempts.isEmpty)
        }
    }

    @Test("a missing file of certificates is named", .enabled(if: python != nil))
    func missingCertificates() async throws {
        try await withServer { server in
            var settings = server.settings()
            settings.certificatesPath = "/nonexistent/certificates.pem"
            let error = try await failure(settings)
            #expect(error.code == .certificate)
            #expect(error.outlook == .permanent)
            #expect(try server.attempts.isEmpty)
        }
    }

    // MARK: - Silence

    @Test(
        "a server that says nothing runs into the timeout", .enabled(if: python != nil),
        arguments: [("silent", "minji"), ("starttls", "slow"), ("tls", "slow")])
    func silent(mode: String, recipient: String) async throws {
        try await withServer(mode) { server in
            var settings = server.settings()
            // A busy machine needs longer to get as far as the recipient.
            for timeout in [Duration.milliseconds(500), .seconds(5), .seconds(50)] {
                settings.timeout = timeout
                let error = try await failure(settings, to: "\(recipient)@example.com")
                #expect(error.outlook == .temporary)
                #expect(error.code == .timeout)
                if try recipient == "minji" || server.attempts.contains("slow@example.com") { return }
            }
            Issue.record("the recipient never came")
        }
    }

    @Test("a mail has arrived even if the server does not say goodbye", .enabled(if: python != nil))
    func rude() async throws {
        try await withServer("rude") { server in
            var settings = server.settings()
            // A busy machine needs longer to get as far as the text.
            for timeout in [Duration.seconds(2), .seconds(20), .seconds(60)] {
                settings.timeout = timeout
                let (sender, mail) = (SMTPSender(settings), try sample())
                var error: MailError?
                do throws(MailError) { try await sender.send(mail) } catch let failure { error = failure }
                let count = try server.mails().count
                #expect(count == (error == nil ? 1 : 0))
                if error == nil { return }
            }
            Issue.record("the text never came")
        }
    }

    @Test("no server, and no host, is temporary", .enabled(if: python != nil))
    func nobody() async throws {
        try await withServer { server in
            // The port above 65535 cannot exist; a closed one may be taken by another test.
            var settings = server.settings(host: "localhost.invalid")
            let unknown = try await failure(settings)
            #expect(unknown.outlook == .temporary)
            #expect(unknown.code == .connection)
            settings.host = "127.0.0.1"
            settings.port = 1
            let closed = try await failure(settings)
            #expect(closed.outlook == .temporary)
            #expect(closed.code == .connection)
        }
    }

    @Test("cancelling ends a transfer and a pause", .enabled(if: python != nil))
    func cancelled() async throws {
        for (mode, recipient) in [("silent", "minji"), ("starttls", "busy")] {
            try await withServer(mode) { server in
                var settings = server.settings()
                settings.pauses = [longWait]
                let sender = SMTPSender(settings)
                let mail = try sample(to: "\(recipient)@example.com")
                let task = Task { () async throws -> MailError in
                    try await CherishMailTests.failure { () async throws(MailError) in try await sender.send(mail) }
                }
                if mode == "starttls" {
                    try await eventually("no attempt") { try server.attempts.count == 1 }
                } else {
                    try await Task.sleep(for: .milliseconds(100))
                }
                task.cancel()
                #expect(try await task.value == .cancelled)
            }
        }
    }

    @Test("does not send what was cancelled before it began", .enabled(if: python != nil))
    func cancelledBefore() async throws {
        try await withServer { server in
            let sender = SMTPSender(server.settings())
            let mail = try sample()
            let gate = Gate()
            let task = Task { () async throws -> MailError in
                await gate.pass()
                return try await CherishMailTests.failure { () async throws(MailError) in try await sender.send(mail) }
            }
            task.cancel()
            await gate.open()
            #expect(try await task.value == .cancelled)
            #expect(try server.attempts.isEmpty)
        }
    }
}

@Suite("The threads of transfers")
struct TransferThreadsTests {
    /// Counts who is at work, and the most at a time.
    private final class Crowd: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        func leave() { counts.withLock { $0.now -= 1 } }
        var now: Int { counts.withLock { $0.now } }
        var most: Int { counts.withLock { $0.most } }
    }

    @Test("blocks as many threads as allowed, and none of the cooperative pool")
    func bounded() async throws {
        let threads = TransferThreads(3)
        let crowd = Crowd()
        let release = DispatchSemaphore(value: 0)
        let count = 40
        let results = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                group.addTask {
                    await threads.run { _ in
                        crowd.enter()
                        release.wait()
                        crowd.leave()
                        return number
                    }
                }
            }
            // With more blocked tasks than the pool has threads, this could not go on.
            try await eventually("three are at work") { crowd.now == 3 }
            for _ in 0..<count { release.signal() }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(results.count == count)
        #expect(crowd.most == 3)
        // The threads have ended: new ones start.
        #expect(await threads.run { _ in 7 } == 7)
    }

    @Test("refuses more than the limit")
    func limit() async throws {
        let threads = TransferThreads(1, mostUnderway: 2)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { try await threads.limited { () async throws(MailError) in await gate.pass() } }
            }
            try await eventually("two are underway") { await gate.waitingCount == 2 }
            let error = try await failure { () async throws(MailError) in
                try await threads.limited { () async throws(MailError) in }
            }
            #expect(error == .busy)
            #expect(error.isTemporary)
            await gate.open()
            try await group.waitForAll()
        }
        try await threads.limited { () async throws(MailError) in }
    }
}
