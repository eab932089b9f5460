import Foundation
import Synchronization

/// Apple's push service, as far as Apple documents it for `POST /3/device/<token>` with a provider token.
public final class APNsServer: Sendable {
    /// A push answered with 200.
    public struct AcceptedPush: Sendable {
        /// The device token of the path.
        public let deviceToken: String
        /// The whole request.
        public let request: PushServer.Request
        /// The headers of the request.
        public var headers: [(name: String, value: String)] { request.headers }
        /// The payload.
        public var body: [UInt8] { request.body }
    }

    /// The underlying server.
    public let server: PushServer

    private let rules: APNsRules

    private init(server: PushServer, rules: APNsRules) {
        self.server = server
        self.rules = rules
    }

    /// Starts a server for one app of one team.
    ///
    /// - Parameters:
    ///   - authority: Signs the server's certificate.
    ///   - publicKeyPEM: The public half of the key that signs provider tokens.
    ///   - keyID: The `kid` of provider tokens.
    ///   - teamID: The `iss` of provider tokens.
    ///   - topic: The only allowed topic.
    ///   - maximumStreams: The limit of concurrent requests on one connection.
    ///   - port: Zero for any free port.
    ///   - checksToken: False to accept requests without looking at their provider token.
    ///   - checksPayload: False to accept payloads without parsing them, which costs more than all other checks.
    ///   - maximumTokenChanges: How often the provider token may change before 429 TooManyProviderTokenUpdates.
    ///   - remembers: False for benchmarks, so that accepted pushes are only counted.
    ///   - now: The server's clock.
    ///   - fault: May answer instead of the rules; called for requests with a device path before any check.
    public static func start(
        authority: TestCertificateAuthority, publicKeyPEM: String, keyID: String, teamID: String, topic: String,
        maximumStreams: Int = 1000, port: Int = 0, checksToken: Bool = true, checksPayload: Bool = true,
        maximumTokenChanges: Int = .max, remembers: Bool = true, now: @escaping @Sendable () -> Date = { Date() },
        fault: @escaping @Sendable (PushServer.Request, _ deviceToken: String) -> PushServer.Answer? = { _, _ in nil }
    ) async throws -> APNsServer {
        let providerTokens = APNsProviderTokens(
            verifier: try await TokenVerifier.es256(publicKeyPEM: publicKeyPEM),
            keyID: keyID,
            teamID: teamID,
            maximumChanges: maximumTokenChanges,
            now: now
        )
        let rules = APNsRules(
            topic: topic,
            providerTokens: checksToken ? providerTokens : nil,
            checksPayload: checksPayload,
            remembers: remembers,
            fault: fault
        )
        let server = try await PushServer.start(
            authority: authority, maximumStreams: maximumStreams, port: port, respond: { rules.answer($0) })
        return APNsServer(server: server, rules: rules)
    }

    /// The base URL for senders.
    public var url: String { server.url }

    /// The pushes answered with 200, oldest first; empty if the server does not remember.
    public var accepted: [AcceptedPush] { rules.accepted.withLock { $0 } }

    /// How many pushes were answered with 200.
    public var acceptedCount: Int { rules.acceptedCount.load(ordering: .relaxed) }

    /// How many distinct provider tokens were valid.
    public var providerTokenCount: Int { rules.providerTokens?.validCount ?? 0 }

    /// Closes the server.
    public func stop() async {
        await server.stop()
    }

    /// A refusal as Apple sends it: a reason, and with 410 the time in milliseconds since when the token is gone.
    public static func refusal(status: Int, reason: String, timestamp: Int? = nil) -> PushServer.Answer {
        let time = timestamp.map { #","timestamp":\#($0)"# } ?? ""
        return PushServer.Answer(
            status: status,
            headers: [("apns-id", UUID().uuidString), ("content-type", "application/json")],
            body: Array(#"{"reason":"\#(reason)"\#(time)}"#.utf8)
        )
    }
}
