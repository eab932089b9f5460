import NIOCore
import NIOHTTP1

/// Reads requests and writes answers, on an HTTP/2 stream or on an HTTP/1 connection.
final class PushRequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let connection: PushConnection
    private let isStream: Bool
    private let respond: @Sendable (PushServer.Request) -> PushServer.Answer
    /// The request that is being read or answered.
    private var head: HTTPRequestHead?
    private var body: ByteBuffer?
    private var isClosed = false

    init(
        connection: PushConnection, isStream: Bool,
        respond: @escaping @Sendable (PushServer.Request) -> PushServer.Answer
    ) {
        self.connection = connection
        self.isStream = isStream
        self.respond = respond
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            connection.requestBegan()
        case .body(var part):
            if body == nil {
                body = part
            } else {
                body?.writeBuffer(&part)
            }
        case .end:
            guard let request = takeRequest() else { return }
            let answer = respond(request)
            give(answer, after: answer.delay, context: context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        endRequest()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client disconnected or broke the protocol; tests observe that at the client.
        context.close(promise: nil)
    }

    private func takeRequest() -> PushServer.Request? {
        guard let head else { return nil }
        connection.requestWasRead()
        defer { body = nil }
        return PushServer.Request(
            method: head.method.rawValue,
            path: head.uri,
            headers: head.headers.map { (name: $0.name, value: $0.value) },
            body: body.map { Array($0.readableBytesView) } ?? [],
            connection: connection.number
        )
    }

    private func endRequest() {
        guard head != nil else { return }
        head = nil
        connection.requestEnded()
    }

    // MARK: - Answering

    private func give(_ answer: PushServer.Answer, after delay: Duration?, context: ChannelHandlerContext) {
        if let delay {
            context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) {
                self.give(answer, after: nil, context: context)
            }
        } else if !isClosed, answer.isHeld?() == true {
            give(answer, after: .milliseconds(2), context: context)
        } else {
            give(answer, context: context)
        }
    }

    private func give(_ answer: PushServer.Answer, context: ChannelHandlerContext) {
        // The client may have given up while the answer was delayed.
        guard !isClosed, let head else { return }
        switch answer.ending {
        case .silence:
            break
        case .reset:
            abort(context, cutsConnection: !isStream)
        case .closeConnection:
            abort(context, cutsConnection: true)
        case .cutBody:
            writeHead(of: answer, context: context)
            write(answer.body.prefix(answer.body.count / 2), context: context)
            context.flush()
            abort(context, cutsConnection: !isStream)
        case .silentBody:
            writeHead(of: answer, context: context)
            write(answer.body.prefix(answer.body.count / 2), context: context)
            context.flush()
        case .slowBody:
            writeHead(of: answer, context: context)
            drip(answer.body[...], context: context)
        case .complete:
            writeHead(of: answer, context: context)
            write(answer.body[...], context: context)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            endRequest()
            if answer.thenGoAway || (!isStream && !head.isKeepAlive) { goAway(context) }
        }
    }

    /// Writes the rest of a body byte by byte until the client disconnects.
    private func drip(_ bytes: ArraySlice<UInt8>, context: ChannelHandlerContext) {
        guard !isClosed else { return }
        guard !bytes.isEmpty else {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            return endRequest()
        }
        write(bytes.prefix(1), context: context)
        context.flush()
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(10)) {
            self.drip(bytes.dropFirst(), context: context)
        }
    }

    private func writeHead(of answer: PushServer.Answer, context: ChannelHandlerContext) {
        var headers = HTTPHeaders(answer.headers)
        if answer.status != 204, answer.status != 304 {
            headers.add(name: "content-length", value: "\(answer.body.count)")
        }
        if answer.thenGoAway, !isStream { headers.add(name: "connection", value: "close") }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func write(_ bytes: ArraySlice<UInt8>, context: ChannelHandlerContext) {
        guard !bytes.isEmpty else { return }
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    }

    /// Ends the stream or cuts the connection in the next tick of the event loop. NIO flushes the writes of this tick
    /// only after reading everything that has arrived, and a reset would drop them.
    private func abort(_ context: ChannelHandlerContext, cutsConnection: Bool) {
        context.eventLoop.assumeIsolated().execute {
            guard !self.isClosed else { return }
            if cutsConnection, let channel = self.connectionChannel(context) {
                self.connection.cut(channel)
            } else {
                context.close(promise: nil)
            }
        }
    }

    /// Also in the next tick, so that the answer precedes the GOAWAY.
    private func goAway(_ context: ChannelHandlerContext) {
        guard let channel = connectionChannel(context) else { return }
        context.eventLoop.execute { [connection, isStream] in
            if isStream {
                connection.goAway(channel)
            } else {
                channel.close(promise: nil)
            }
        }
    }

    /// An HTTP/1 channel is the connection itself; its parent would be the listening socket.
    private func connectionChannel(_ context: ChannelHandlerContext) -> (any Channel)? {
        isStream ? context.channel.parent : context.channel
    }
}
