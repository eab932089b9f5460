import NIOCore
import NIOPosix
import Synchronization

/// A real server on 127.0.0.1 whose answers come from a closure: the senders' counterpart in tests and benchmarks.
///
/// The closure runs on the server's only thread, so it must be quick and must not block. Stop each server, or its
/// thread leaks.
public final class PushServer: Sendable {
    /// The port that the server listens on.
    public let port: Int
    /// The protocol the server speaks.
    public let httpProtocol: HTTPProtocol

    private let group: MultiThreadedEventLoopGroup
    private let counters: PushCounters

    private init(
        port: Int, httpProtocol: HTTPProtocol, group: MultiThreadedEventLoopGroup, counters: PushCounters
    ) {
        self.port = port
        self.httpProtocol = httpProtocol
        self.group = group
        self.counters = counters
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - hosts: The names in the server's certificate.
    ///   - authority: Signs the certificate.
    ///   - httpProtocol: The only protocol that the server offers.
    ///   - maximumStreams: The limit of concurrent requests on one HTTP/2 connection.
    ///   - port: Zero for any free port.
    ///   - respond: Called once for each request that has been read completely.
    public static func start(
        hosts: [String] = ["localhost"], authority: TestCertificateAuthority,
        protocol httpProtocol: HTTPProtocol = .http2, maximumStreams: Int = 100, port: Int = 0,
        respond: @escaping @Sendable (Request) -> Answer
    ) async throws -> PushServer {
        let counters = PushCounters()
        let pipeline = PushPipeline(
            httpProtocol: httpProtocol,
            security: try PushPipeline.security(of: httpProtocol, hosts: hosts, authority: authority),
            maximumStreams: maximumStreams,
            counters: counters,
            respond: respond
        )
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 1024)
                // A test may stop a server and start another one on its port at once.
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { pipeline.configure($0) }
                .bind(host: "127.0.0.1", port: port).get()
            return PushServer(
                port: listener.localAddress?.port ?? port, httpProtocol: httpProtocol, group: group, counters: counters)
        } catch {
            // Report the original error, not one of the cleanup.
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// The base URL: scheme, host and port, without a trailing slash.
    public var url: String { (httpProtocol == .plainHTTP1 ? "http" : "https") + "://localhost:\(port)" }

    /// How many TCP connections were accepted.
    public var connectionCount: Int { counters.connections.load(ordering: .relaxed) }

    /// How many requests were read completely.
    public var requestCount: Int { counters.requests.load(ordering: .relaxed) }

    /// The largest number of concurrent requests on one connection.
    public var mostStreamsAtOnce: Int { counters.mostStreamsAtOnce.load(ordering: .relaxed) }

    /// Closes the port and all connections, and ends the thread. Idempotent.
    public func stop() async {
        // A test could do nothing about an error here.
        try? await group.shutdownGracefully()
    }
}

/// The counters of a server, written on its thread and read by the tests.
final class PushCounters: Sendable {
    let connections = Atomic<Int>(0)
    let requests = Atomic<Int>(0)
    let mostStreamsAtOnce = Atomic<Int>(0)
}
