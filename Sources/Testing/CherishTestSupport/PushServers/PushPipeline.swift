import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import Synchronization

/// How a push server sets up each TCP connection that it accepts.
struct PushPipeline: Sendable {
    let httpProtocol: PushServer.HTTPProtocol
    let security: NIOSSLContext?
    let maximumStreams: Int
    let counters: PushCounters
    let respond: @Sendable (PushServer.Request) -> PushServer.Answer

    static func security(
        of httpProtocol: PushServer.HTTPProtocol, hosts: [String], authority: TestCertificateAuthority
    ) throws -> NIOSSLContext? {
        guard httpProtocol != .plainHTTP1 else { return nil }
        var configuration = try authority.serverConfiguration(hosts: hosts)
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = httpProtocol == .http2 ? ["h2"] : ["http/1.1"]
        // Tests stop servers whose clients are gone and never close TLS.
        configuration.shutdownTimeout = .milliseconds(200)
        return try NIOSSLContext(configuration: configuration)
    }

    func configure(_ channel: any Channel) -> EventLoopFuture<Void> {
        let number = counters.connections.wrappingAdd(1, ordering: .relaxed).newValue
        let connection = PushConnection(number: number, counters: counters)
        return channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let security { try pipeline.addHandler(NIOSSLServerHandler(context: security)) }
            switch httpProtocol {
            case .http2:
                try addHTTP2(to: channel, connection)
            case .http1, .plainHTTP1:
                try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                try pipeline.addHandler(
                    PushRequestHandler(connection: connection, isStream: false, respond: respond))
            }
        }
    }

    /// Does not wait for ALPN, because the server offers only HTTP/2.
    private func addHTTP2(to channel: any Channel, _ connection: PushConnection) throws {
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server,
            connectionConfiguration: connectionConfiguration,
            streamConfiguration: streamConfiguration,
            streamDelegate: connection
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers(
                    HTTP2FramePayloadToHTTP1ServerCodec(),
                    PushRequestHandler(connection: connection, isStream: true, respond: respond)
                )
            }
        }
    }

    /// High limits: tests reset many streams, and benchmarks send much at once.
    private var connectionConfiguration: NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: maximumStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16_384),
        ]
        configuration.targetWindowSize = 16 * 1024 * 1024
        configuration.maximumSequentialEmptyDataFrames = 1000
        configuration.maximumRecentlyResetStreams = 4096
        configuration.maximumConnectionGlitches = .max
        configuration.controlFrameRateLimit.maximumCount = 4096
        configuration.controlFrameRateLimit.windowLength = .milliseconds(1)
        return configuration
    }

    private var streamConfiguration: NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        configuration.streamResetFrameRateLimit.maximumCount = 4096
        configuration.streamResetFrameRateLimit.windowLength = .milliseconds(1)
        configuration.streamErrorRateLimit.maximumCount = 4096
        configuration.streamErrorRateLimit.windowLength = .milliseconds(1)
        return configuration
    }
}
