import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOSSL
import NIOTLS

/// What holds for every connection, over HTTP/1.1 and HTTP/2.
struct Connections: Sendable {
    /// A connection is closed if the head of a request has not arrived after this.
    var idleTime = Duration.seconds(30)
    /// A connection is closed if its client takes nothing of an answer for so long.
    var untakenTime = Duration.seconds(30)
    /// A connection is closed if its TLS handshake takes longer.
    var handshakeTime = Duration.seconds(10)
    /// A TLS connection is closed if no byte passes for so long, which is longer than any answer takes. Over HTTP/2, nothing
    /// else ends one whose client neither asks nor answers pings.
    var silentTime = UploadLine.answerTime + .seconds(30)

    /// The decoder keeps the buffer of the first read for as long as the connection lasts, and most requests are shorter. A buffer
    /// grows with what comes.
    private static let bytesOfFirstRead = 1_024

    /// - Parameters:
    ///   - tls: for a server without a proxy in front.
    ///   - isSecure: whether people reach the server over TLS, its own or that of a proxy.
    func server(tls: TLSConfiguration?, isSecure: Bool) throws -> HTTPServerBuilder {
        // What is longer is no request of the API: the longest is the path with the query of an import.
        let limits = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
        let configuration = HTTP1Channel.Configuration(
            // Over TLS, a handler may be one of a stream, which has no buffer of its own.
            additionalChannelHandlers: [
                AnswerHandler(
                    isSecure: isSecure, untakenTime: TimeAmount(untakenTime),
                    firstRead: tls == nil ? Self.bytesOfFirstRead : nil),
                BodyHandler(),
            ],
            idleTimeout: TimeAmount(idleTime),
            httpDecoderConfiguration: limits)
        guard let tls else { return .http1(configuration: configuration) }
        return HTTPServerBuilder { responder in
            TimelyHandshake(
                base: try HTTP2UpgradeChannel(
                    tlsConfiguration: tls,
                    configuration: .init(idleTimeout: idleTime, streamConfiguration: configuration),
                    responder: responder), limit: TimeAmount(handshakeTime), silentTime: TimeAmount(silentTime))
        }
    }
}

/// Gives up connections whose TLS handshake takes too long. Nothing else would end one that never begins.
private struct TimelyHandshake: ServerChildChannel {
    let base: HTTP2UpgradeChannel
    let limit, silentTime: TimeAmount

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP2UpgradeChannel.Value> {
        let value = base.setup(channel: channel, logger: logger)
        do {
            // Handlers behind this one keep what it tells of the handshake to themselves.
            let tls = try channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
            try channel.pipeline.syncOperations.addHandler(HandshakeHandler(limit), position: .after(tls))
            try channel.pipeline.syncOperations.addHandlers(
                IdleStateHandler(allTimeout: silentTime), SilenceHandler(), position: .before(tls))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return value
    }

    func handle(value: HTTP2UpgradeChannel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// Closes the connection when ``IdleStateHandler`` says that nothing passes.
private final class SilenceHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// Closes the connection unless the handshake is completed in time.
private final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let limit: TimeAmount
    private var deadline: Scheduled<Void>?

    init(_ limit: TimeAmount) {
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { deadline?.cancel() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }
}

/// Reports a body that broke off. Hummingbird takes a stream that ends with its connection for the end of the body.
private final class BodyHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var isReading = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: isReading = true
        case .body: break
        case .end: isReading = false
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Hummingbird itself answers an error of the parser.
        context.fireErrorCaught(isReading && !(error is HTTPParserError) ? RefusedRequest.brokenBody : error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isReading { context.fireErrorCaught(RefusedRequest.brokenBody) }
        context.fireChannelInactive()
    }
}

/// Sees every answer on its way out, also those to requests that break HTTP and reach no route.
private final class AnswerHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let isSecure: Bool
    private let untakenTime: TimeAmount
    /// nil leaves it as it is.
    private let firstRead: Int?
    private var untaken: Scheduled<Void>?

    init(isSecure: Bool, untakenTime: TimeAmount, firstRead: Int?) {
        (self.isSecure, self.untakenTime, self.firstRead) = (isSecure, untakenTime, firstRead)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard let firstRead else { return }
        let allocator = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: firstRead, maximum: 65_536)
        context.channel.setOption(.recvAllocator, value: allocator).whenFailure { _ in }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isSecure, case .head(var head) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        head.headerFields[.strictTransportSecurity] = "max-age=31536000"
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        untaken?.cancel()
        let channel = context.channel
        untaken =
            channel.isWritable
            ? nil : channel.eventLoop.scheduleTask(in: untakenTime) { channel.close(promise: nil) }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        untaken?.cancel()
        context.fireChannelInactive()
    }
}
