import CherishCore
import CherishPush
import CherishTestSupport
import Foundation
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import CherishProviders

/// The senders against third-party servers: nghttp2's, and Python's hypercorn. `scripts/test` installs both.
@Suite("Third-party servers", .serialized, .timeLimit(.minutes(10)))
struct ForeignServerTests {
    private static let nghttpd = ["/usr/sbin/nghttpd", "/usr/bin/nghttpd"].first(where: isExecutable)
    private static let hypercorn = ["/usr/bin/hypercorn"].first(where: isExecutable)

    private static func isExecutable(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: path)
    }

    /// Runs a body with a server, a folder with a certificate for localhost, and a free port.
    private func withServer(
        _ program: String, environment: [String: String] = [:], prepare: (URL) throws -> Void = { _ in },
        arguments: (_ folder: URL, _ port: Int) -> [String], _ body: (_ url: String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-foreign-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let issued = try authority().issue(hosts: ["localhost", "127.0.0.1"])
        try issued.certificatePEM.write(
            to: folder.appendingPathComponent("certificate.pem"), atomically: true, encoding: .utf8)
        try issued.privateKeyPEM.write(to: folder.appendingPathComponent("key.pem"), atomically: true, encoding: .utf8)
        try prepare(folder)
        let port = try await freePort()
        let server = try RunningProgram(program, arguments(folder, port), environment: environment)
        defer { server.signal(SIGKILL) }
        try await untilListening(port)
        try await body("https://localhost:\(port)")
    }

    /// A port that is free at the moment.
    private func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(channel.localAddress?.port)
        try await channel.close()
        return port
    }

    private func untilListening(_ port: Int) async throws {
        try await eventually("the server did not start") {
            let channel = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port).get()
            try await channel?.close()
            return channel != nil
        }
    }

    private func apns(_ url: String) throws -> APNsSender {
        try APNsSender(
            APNsSettings(
                privateKey: TestKeys.apns.pemRepresentation, keyID: "ABC123DEFG", teamID: "DEF123GHIJ",
                topic: "com.example.cherish", url: url), transport: try transportSettings(), logger: LogLines().logger)
    }

    @Test(
        "nghttpd, with padded frames and twenty streams: 500 concurrent pushes, and a 404 in HTML",
        .enabled(if: nghttpd != nil))
    func nghttp2() async throws {
        try await withServer(
            Self.nghttpd ?? "",
            prepare: { folder in
                let devices = folder.appendingPathComponent("3/device")
                try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
                try Data().write(to: devices.appendingPathComponent(Token.iPhone))
            },
            arguments: { folder, port in
                [
                    "--address=127.0.0.1", "--htdocs=\(folder.path)", "--max-concurrent-streams=20", "--padding=17",
                    "--error-gzip", "\(port)", folder.path + "/key.pem", folder.path + "/certificate.pem",
                ]
            }
        ) { url in
            let sender = try apns(url)
            let push = try Sample.wateringDue.push()
            let device = try iPhone()
            let results = await sendAtOnce(500) { _ in
                await sender.send(push, to: device, at: push.plannedAt)
            }
            #expect(results == Array(repeating: .accepted, count: 500))
            let missing = await sender.send(push, to: try iPhone(token: "ab"), at: push.plannedAt)
            #expect(missing == .held(reason: "404 unknown answer", for: .seconds(60)))
            await sender.close()
        }
    }

    @Test(
        "hypercorn, which answers byte by byte: answers of Apple, Google and a webhook are understood",
        .enabled(if: hypercorn != nil), arguments: ["h2", "http/1.1"])
    func python(httpProtocol: String) async throws {
        let servers = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("fixtures/push/servers")
        try await withServer(
            Self.hypercorn ?? "",
            environment: [
                "PYTHONPATH": servers.path, "PYTHONDONTWRITEBYTECODE": "1", "WEBHOOK_SECRET": webhookSecretText,
            ],
            prepare: { folder in
                try "alpn_protocols = [\"\(httpProtocol)\"]\n".write(
                    to: folder.appendingPathComponent("hypercorn.toml"), atomically: true, encoding: .utf8)
            },
            arguments: { folder, port in
                [
                    "--config", folder.path + "/hypercorn.toml", "--bind", "127.0.0.1:\(port)", "--certfile",
                    folder.path + "/certificate.pem", "--keyfile", folder.path + "/key.pem", "provider:app",
                ]
            }
        ) { url in
            let push = try Sample.wateringDue.push()
            let apple = try apns(url)
            #expect(await apple.send(push, to: try iPhone(token: "ab01"), at: push.plannedAt) == .accepted)
            let since = try #require(Instant("2027-03-01T12:00:00Z")?.adding(hours: 12))
            #expect(
                await apple.send(push, to: try iPhone(token: "ab00"), at: push.plannedAt)
                    == .tokenDead(reason: "410 Unregistered", since: since))
            await apple.close()

            let file = [
                "type": "service_account", "project_id": "p", "private_key_id": "k", "private_key": TestKeys.rsa,
                "client_email": "e@example.com", "token_uri": url + "/token",
            ]
            let json = String(decoding: try JSONEncoder().encode(file), as: UTF8.self)
            let google = FCMSender(
                FCMSettings(account: try ServiceAccount(json: json), url: url), transport: try transportSettings(),
                logger: LogLines().logger)
            let phone = try android()
            let results = await sendAtOnce(50) { _ in await google.send(push, to: phone, at: push.plannedAt) }
            #expect(results == Array(repeating: .accepted, count: 50))
            #expect(
                await google.send(push, to: try android(token: "gone"), at: push.plannedAt)
                    == .tokenDead(reason: "404 UNREGISTERED", since: nil))
            await google.close()

            let webhooks = WebhookSender(
                allowsPrivateAddresses: true, transport: try transportSettings(), logger: LogLines().logger)
            let hook = try webhook(url.replacing("localhost", with: "127.0.0.1") + "/hook")
            #expect(await webhooks.send(push, to: hook, at: push.plannedAt) == .accepted)
            await webhooks.close()
        }
    }
}
