import Synchronization

/// A server that receives webhooks and remembers all requests.
public final class WebhookReceiver: Sendable {
    /// The underlying server.
    public let server: PushServer

    private let received: Received

    /// Shared with the server's closure, which exists before the receiver does.
    private final class Received: Sendable {
        let requests = Mutex<[PushServer.Request]>([])
    }

    private init(server: PushServer, received: Received) {
        self.server = server
        self.received = received
    }

    /// Starts a receiver.
    ///
    /// - Parameters:
    ///   - authority: Signs the receiver's certificate.
    ///   - hosts: The names in the certificate.
    ///   - httpProtocol: The protocol the receiver speaks.
    ///   - port: Zero for any free port.
    ///   - respond: The answer to each request; 204 by default.
    public static func start(
        authority: TestCertificateAuthority, hosts: [String] = ["localhost"],
        protocol httpProtocol: PushServer.HTTPProtocol = .http1, port: Int = 0,
        respond: @escaping @Sendable (PushServer.Request) -> PushServer.Answer = { _ in PushServer.Answer(status: 204) }
    ) async throws -> WebhookReceiver {
        let received = Received()
        let server = try await PushServer.start(
            hosts: hosts, authority: authority, protocol: httpProtocol, port: port
        ) { request in
            received.requests.withLock { $0.append(request) }
            return respond(request)
        }
        return WebhookReceiver(server: server, received: received)
    }

    /// The base URL for senders; any path works.
    public var url: String { server.url }

    /// The requests so far, oldest first.
    public var requests: [PushServer.Request] { received.requests.withLock { $0 } }

    /// Closes the server.
    public func stop() async {
        await server.stop()
    }
}
