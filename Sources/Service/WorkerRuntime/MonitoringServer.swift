import CherishRuntime
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The answer to a request.
struct MonitoringAnswer: Sendable {
    let status: HTTPResponse.Status
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

/// The HTTP server for scrapers and probes: GET and HEAD on a few paths, nothing else.
struct MonitoringServer: Service {
    /// Further ones wait until one of these ends.
    private static let mostConnections = 64

    /// The base URL, such as `http://127.0.0.1:9464`.
    let url: String
    private let server: Server<HTTP1Channel>
    private let serving: Task<Void, Never>
    private let patience: Duration

    /// Listens until ``run()`` ends.
    ///
    /// - Parameters:
    ///   - idleTime: how long a connection may wait for the head of a request, and for its client to take an answer. A
    ///     scraper that asks once a minute keeps its connection.
    ///   - patience: how long answers may take once the process is to stop. None takes longer.
    ///   - answer: returns the answer for a path; nil if there is none.
    /// - Throws: ``SettingError`` if the server cannot listen there.
    static func start(
        at address: MonitoringAddress, idleTime: TimeAmount = .seconds(120),
        patience: Duration = HealthChecks.patience, logger: Logger,
        answer: @escaping @Sendable (_ path: String) async -> MonitoringAnswer?
    ) async throws -> MonitoringServer {
        let listening = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Int.self)
        let server = server(at: address, idleTime, logger, answer) { channel in
            // The limit of connections is checked once per read, which otherwise accepts several.
            try? await channel.setOption(.maxMessagesPerRead, value: 1).get()
            listening.succeed(channel.localAddress?.port ?? address.port)
        }
        let serving = Task {
            do { try await server.run() } catch { listening.fail(error) }
        }
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        do {
            let port = try await listening.futureResult.get()
            return MonitoringServer(
                url: "http://\(host):\(port)", server: server, serving: serving, patience: patience)
        } catch {
            throw SettingError(
                variable: "CHERISH_METRICS_PORT",
                problem: """
                    nothing can listen at \(host):\(address.port) (\(error)); set another port, or another address as \
                    CHERISH_METRICS_HOST
                    """)
        }
    }

    /// Answers until the process is to stop, and finishes what is being answered.
    func run() async throws {
        try? await gracefulShutdown()
        // In a task of its own, because the server must stop listening before it is cancelled: a connection that
        // arrives meanwhile would crash the process.
        await Task {
            // A client that does not take its answer is not waited for.
            _ = await withDeadline(patience) { try? await server.shutdownGracefully() }
            serving.cancel()
            await serving.value
        }.value
    }

    private static func server(
        at address: MonitoringAddress, _ idleTime: TimeAmount, _ logger: Logger,
        _ answer: @escaping @Sendable (String) async -> MonitoringAnswer?,
        onListening: @escaping @Sendable (any Channel) async -> Void
    ) -> Server<HTTP1Channel> {
        // What is longer is no request of a scraper.
        let limits = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 16 * 1024, maxHeaderFieldCount: 100)
        let connection = HTTP1Channel(
            responder: { request, writer, channel in
                let response = await response(to: request, answer)
                // The server itself would wait without end for a client that asks again and takes no answer.
                let deadline = channel.eventLoop.scheduleTask(in: idleTime) { channel.close(promise: nil) }
                defer { deadline.cancel() }
                try await writer.write(response: response.head, body: response.body)
                // Otherwise the server would read the body, however long it is.
                if request.hasBody { channel.close(promise: nil) }
            },
            configuration: HTTP1Channel.Configuration(idleTimeout: idleTime, httpDecoderConfiguration: limits))
        let configuration = ServerConfiguration(
            address: .hostname(address.host, port: address.port),
            availableConnectionsDelegate: MaximumAvailableConnections(mostConnections))
        return Server(
            childChannelSetup: connection, configuration: configuration, onServerRunning: onListening,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    }

    private static func response(
        to request: Request, _ answer: @Sendable (String) async -> MonitoringAnswer?
    ) async -> Response {
        let reply = await reply(to: request, answer)
        let body = ByteBuffer(string: reply.body)
        var headers: HTTPFields = [
            .contentType: reply.contentType, .contentLength: "\(body.readableBytes)", .cacheControl: "no-store",
        ]
        if reply.status == .methodNotAllowed { headers[.allow] = "GET, HEAD" }
        if request.hasBody { headers[.connection] = "close" }
        return Response(
            status: reply.status, headers: headers,
            body: request.method == .head ? ResponseBody() : ResponseBody(byteBuffer: body))
    }

    private static func reply(
        to request: Request, _ answer: @Sendable (String) async -> MonitoringAnswer?
    ) async -> MonitoringAnswer {
        guard [.get, .head].contains(request.method) else {
            return MonitoringAnswer(status: .methodNotAllowed, body: "there is only GET\n")
        }
        guard !request.hasBody else {
            return MonitoringAnswer(status: .contentTooLarge, body: "no request here has a body\n")
        }
        return await answer(request.uri.path)
            ?? MonitoringAnswer(status: .notFound, body: "there are /metrics, /livez and /readyz\n")
    }
}

extension Request {
    /// Whether a body follows the head.
    fileprivate var hasBody: Bool {
        headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } ?? false
    }
}
