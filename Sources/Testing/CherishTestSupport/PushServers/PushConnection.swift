import NIOCore
import NIOHTTP2
import NIOSSL
import Synchronization

/// The state of one TCP connection of a push server, shared by its requests.
///
/// Only the server's thread uses it. The numbers are atomic because NIO requires a delegate to be `Sendable`.
final class PushConnection: NIOHTTP2StreamDelegate {
    let number: Int
    private let counters: PushCounters
    private let openRequests = Atomic<Int>(0)
    private let openStreams = Atomic<Int>(0)
    private let lastStream = Atomic<Int>(0)
    private let isGoingAway = Atomic<Bool>(false)

    init(number: Int, counters: PushCounters) {
        self.number = number
        self.counters = counters
    }

    func requestBegan() {
        let open = openRequests.wrappingAdd(1, ordering: .relaxed).newValue
        counters.mostStreamsAtOnce.max(open, ordering: .relaxed)
    }

    func requestWasRead() {
        counters.requests.wrappingAdd(1, ordering: .relaxed)
    }

    func requestEnded() {
        openRequests.wrappingSubtract(1, ordering: .relaxed)
    }

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
        openStreams.wrappingAdd(1, ordering: .relaxed)
        lastStream.max(Int(id), ordering: .relaxed)
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
        openStreams.wrappingSubtract(1, ordering: .relaxed)
        if let connectionChannel = channel.parent { closeIfDone(connectionChannel) }
    }

    /// Announces that no streams after the last one so far will be answered.
    func goAway(_ channel: any Channel) {
        guard !isGoingAway.exchange(true, ordering: .relaxed) else { return }
        let lastStreamID = HTTP2StreamID(lastStream.load(ordering: .relaxed))
        let frame = HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(lastStreamID: lastStreamID, errorCode: .noError, opaqueData: nil)
        )
        channel.writeAndFlush(frame, promise: nil)
        closeIfDone(channel)
    }

    private func closeIfDone(_ channel: any Channel) {
        guard isGoingAway.load(ordering: .relaxed), openStreams.load(ordering: .relaxed) == 0 else { return }
        // Not at once: closing a socket with unread bytes resets it, and a client that is still sending would lose the
        // last answers.
        channel.eventLoop.scheduleTask(in: .milliseconds(100)) { channel.close(promise: nil) }
    }

    /// Cuts TCP without closing TLS, like a machine that loses its network.
    func cut(_ channel: any Channel) {
        if let context = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
            context.close(promise: nil)
        } else {
            channel.close(promise: nil)
        }
    }
}
