import NIOCore
import NIOPosix
import Synchronization

/// A real server on 127.0.0.1 that answers whatever a closure says: the far end of the senders' tests and benchmarks.
///
/// It has one thread, and the closure runs on it: it must be quick and must not block. Stop each server, or its thread
/// stays.
public final class PushServer: Sendable {
    /// The port that the server listens on.
    public let port: Int
    /// What the server speaks.
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
    ///   - authority: Who signs the certificate.
    ///   - httpProtocol: What the server speaks; it offers nothing else.
    ///   - maximumStreams: How many requests at once it allows on one HTTP/2 connection.
    ///   - port: Zero for one that is free.
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
                // A test that stops a server and starts another one on its port need not wait.
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { pipeline.configure($0) }
                .bind(host: "127.0.0.1", port: port).get()
            return PushServer(
                port: listener.localAddress?.port ?? port, httpProtocol: httpProtocol, group: group, counters: counters)
        } catch {
            // The first error is the one to tell.
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Where clients find the server: scheme, host and port, without a slash at the end.
    public var url: String { (httpProtocol == .plainHTTP1 ? "http" : "https") + "://localhost:\(port)" }

    /// How many TCP connections were accepted.
    public var connectionCount: Int { counters.connections.load(ordering: .relaxed) }

    /// How many requests were read completely.
    public var requestCount: Int { counters.requests.load(ordering: .relaxed) }

    /// The largest number of requests that one connection had open at the same time.
    public var mostStreamsAtOnce: Int { counters.mostStreamsAtOnce.load(ordering: .relaxed) }

    /// Closes the port and all connections, and ends the thread. A server that is stopped already stays so.
    public func stop() async {
        // There is nothing that a test could do about a server that cannot be closed.
        try? await group.shutdownGracefully()
    }
}

/// What a server counts. Written on its thread and read by the tests'.
final class PushCounters: Sendable {
    let connections = Atomic<Int>(0)
    let requests = Atomic<Int>(0)
    let mostStreamsAtOnce = Atomic<Int>(0)
}
