import CherishRuntime
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The answer to a request.
struct MonitoringAnswer: Sendable {
    let status: HTTPResponseStatus
    var contentType = "text/plain; charset=utf-8"
    let body: String

    /// 200 with a word as the body.
    static func ok(_ word: String) -> MonitoringAnswer {
        MonitoringAnswer(status: .ok, body: word + "\n")
    }

    static func unavailable(_ reason: String) -> MonitoringAnswer {
        MonitoringAnswer(status: .serviceUnavailable, body: reason + "\n")
    }
}

/// A small HTTP server for scrapers and probes: GET and HEAD on a few paths, nothing else.
struct MonitoringServer: Service {
    private static let mostConnections = 64
    /// The read timeout, within a request or between two. A scraper that asks once a minute keeps its connection.
    private static let idleTime = TimeAmount.seconds(120)

    /// The base URL, such as `http://127.0.0.1:9464`.
    let url: String
    private let listener: any Channel

    /// Listens until ``run()`` ends.
    ///
    /// - Parameter answer: returns the answer for a path; nil if there is none.
    /// - Throws: ``SettingError`` if the server cannot listen there.
    static func start(
        at address: MonitoringAddress, answer: @escaping @Sendable (_ path: String) async -> MonitoringAnswer?
    ) async throws -> MonitoringServer {
        let places = ConnectionPlaces(mostConnections)
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        do {
            let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    guard places.take(for: channel) else { return channel.eventLoop.makeFailedFuture(Crowded()) }
                    return channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                        try pipeline.addHandler(IdleStateHandler(readTimeout: idleTime))
                        try pipeline.addHandler(MonitoringRequestHandler(answer: answer))
                    }
                }
                .bind(host: address.host, port: address.port).get()
            return MonitoringServer(
                url: "http://\(host):\(listener.localAddress?.port ?? address.port)", listener: listener)
        } catch {
            throw SettingError(
                variable: "CHERISH_METRICS_PORT",
                problem: """
                    nothing can listen at \(host):\(address.port) (\(error)); set another port, or another address as \
                    CHERISH_METRICS_HOST
                    """)
        }
    }

    func run() async throws {
        try? await gracefulShutdown()
        try? await listener.close().get()
    }
}

/// There are too many connections; this one is closed.
private struct Crowded: Error {}

/// Limits the number of open connections.
private final class ConnectionPlaces: Sendable {
    private let limit: Int
    private let taken = Atomic<Int>(0)

    init(_ limit: Int) {
        self.limit = limit
    }

    /// Takes a place until the connection closes; false if there is none.
    func take(for channel: any Channel) -> Bool {
        let isRoom = taken.wrappingAdd(1, ordering: .relaxed).newValue <= limit
        channel.closeFuture.whenComplete { _ in self.taken.wrappingSubtract(1, ordering: .relaxed) }
        return isRoom
    }
}

/// Answers the requests of one connection, one at a time.
private final class MonitoringRequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let answer: @Sendable (String) async -> MonitoringAnswer?
    private var head: HTTPRequestHead?

    init(answer: @escaping @Sendable (String) async -> MonitoringAnswer?) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        // No request here has a body.
        case .body: context.close(promise: nil)
        case .end:
            guard let head else { return }
            self.head = nil
            context.eventLoop.makeFutureWithTask { [answer] in
                await MonitoringRequestHandler.answer(to: head, answer)
            }
            .assumeIsolated().whenSuccess { self.give($0, to: head, context: context) }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client disconnected or broke the protocol.
        context.close(promise: nil)
    }

    private static func answer(
        to head: HTTPRequestHead, _ answer: @Sendable (String) async -> MonitoringAnswer?
    ) async -> MonitoringAnswer {
        guard [.GET, .HEAD].contains(head.method) else {
            return MonitoringAnswer(status: .methodNotAllowed, body: "there is only GET\n")
        }
        let path = String(head.uri.prefix { $0 != "?" })
        return await answer(path)
            ?? MonitoringAnswer(status: .notFound, body: "there are /metrics, /livez and /readyz\n")
    }

    private func give(_ answer: MonitoringAnswer, to request: HTTPRequestHead, context: ChannelHandlerContext) {
        // The client may have disconnected.
        guard context.channel.isActive else { return }
        let body = ByteBuffer(string: answer.body)
        var headers: HTTPHeaders = [
            "content-type": answer.contentType, "content-length": "\(body.readableBytes)", "cache-control": "no-store",
        ]
        if answer.status == .methodNotAllowed { headers.add(name: "allow", value: "GET, HEAD") }
        if !request.isKeepAlive { headers.add(name: "connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let isSent = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: isSent)
        isSent.futureResult.assumeIsolated().whenComplete { _ in
            if !request.isKeepAlive { context.close(promise: nil) }
        }
    }
}
