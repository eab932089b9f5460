import CherishCore
import CherishTestSupport
import Foundation
import Testing

@testable import CherishMail

/// 09:00 in Seoul.
func now() throws -> Instant {
    try #require(Instant("2027-03-02T00:00:00Z"))
}

func uuid(_ number: UInt8) -> UUID {
    UUID(uuid: (0x3a, 0x11, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
}

func sample(
    _ number: UInt8 = 1, to: String = "minji@example.com", from: String = "Cherish <cherish@example.org>",
    replyTo: String? = nil, subject: String = "가입 코드", text: String = "코드는 123456입니다.\n", html: String? = nil,
    links: [String] = [], oneClick: Bool = false
) throws -> Mail {
    let sender = try #require(Mailbox(from))
    let unsubscribeLinks = links.compactMap(UnsubscribeLink.init)
    return try Mail(
        id: uuid(number), date: now(), from: sender, to: EmailAddress(to),
        replyTo: replyTo.map { try EmailAddress($0) }, subject: subject, text: text, html: html,
        unsubscribeLinks: unsubscribeLinks, unsubscribesWithOneClick: oneClick)
}

func sampleText(_ to: String = "+821012345678", text: String = "코드는 123456입니다.") throws -> TextMessage {
    TextMessage(id: uuid(2), date: try now(), to: try PhoneNumber(e164: to), text: text)
}

/// The error of a body that must fail.
func failure(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws(MailError) -> Void
) async throws -> MailError {
    do throws(MailError) {
        try await body()
    } catch {
        return error
    }
    return try #require(nil as MailError?, "nothing failed", sourceLocation: sourceLocation)
}

/// Runs a body with a folder of its own.
func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-mail-\(UUID())")
    try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

/// The output of a Python program.
func python(_ program: String, _ arguments: [String] = []) async throws -> String {
    let result = try await RunningProgram("/usr/bin/env", ["python3", "-c", program] + arguments).result()
    try #require(result.status == 0, "\(result.errors)")
    return result.output
}

/// A server of `Fixtures`, with a folder and a free port. It ends with the body.
struct FixtureServer: Sendable {
    let folder: URL
    let port: Int

    /// - Parameter arguments: what follows the folder.
    static func run<Value>(
        _ script: String, python: String = "python3", _ arguments: [String],
        _ body: (FixtureServer) async throws -> Value
    ) async throws -> Value {
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(script)")
        return try await withFolder { folder in
            let server = try RunningProgram("/usr/bin/env", [python, "-u", fixture.path, folder.path] + arguments)
            defer { server.signal(SIGKILL) }
            let port = folder.appendingPathComponent("port")
            try await eventually("the server did not start") {
                try #require(server.processID != nil, "\(server.errors)")
                return FileManager.default.fileExists(atPath: port.path)
            }
            let number = try #require(Int(String(contentsOf: port, encoding: .utf8)))
            return try await body(FixtureServer(folder: folder, port: number))
        }
    }

    /// The lines of one of its files so far.
    func lines(_ name: String) throws -> [String] {
        let file = folder.appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
