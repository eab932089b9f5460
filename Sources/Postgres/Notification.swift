import Dispatch
import Glibc
import Synchronization

/// What a NOTIFY says.
public struct Notification: Hashable, Sendable {
    /// The channel it was sent on.
    public let channel: String
    /// The text sent along; empty if none was.
    public let payload: String
    /// The process of the server that sent it.
    public let processID: Int32

    /// Puts a notification together.
    public init(channel: String, payload: String, processID: Int32) {
        self.channel = channel
        self.payload = payload
        self.processID = processID
    }
}

/// Notifications as they come.
public typealias NotificationStream = AsyncThrowingStream<Notification, any Error>

extension Connection {
    /// Listens on a channel, over a connection of its own.
    ///
    /// Listening begins shortly after the call, so look at the tables once after the first notification may have been
    /// missed, and now and then anyway. Who does not keep up loses the oldest of more than 1,024 notifications. The
    /// connection is closed when the consumer stops.
    ///
    /// - Parameters:
    ///   - channel: The name as it is, without quotes; at most 63 bytes.
    ///   - configuration: Where the server is.
    /// - Returns: A stream that fails with a ``PostgresError`` when the server cannot be reached or goes away.
    public static func notifications(
        on channel: String, configuration: PostgresConfiguration
    ) -> NotificationStream {
        NotificationStream(bufferingPolicy: .bufferingNewest(1_024)) { continuation in
            do {
                let listener = try NotificationListener(channel: channel, configuration: configuration)
                continuation.onTermination = { _ in listener.stop() }
                DispatchQueue(label: "postgres.notifications").async {
                    do {
                        try listener.run { continuation.yield($0) }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }
}

/// Listens on one channel until it is stopped, blocking a thread.
private final class NotificationListener: Sendable {
    private let channel: String
    private let configuration: PostgresConfiguration
    private let wake: WakeUp
    private let isStopped = Mutex(false)

    init(channel: String, configuration: PostgresConfiguration) throws {
        // The server would cut a longer name silently and then refuse to notify under it.
        guard !channel.isEmpty, channel.utf8.count <= 63, !channel.utf8.contains(0) else {
            throw PostgresError.usage("a channel's name has 1 to 63 bytes, none of them NUL")
        }
        self.channel = channel
        self.configuration = configuration
        wake = try WakeUp()
    }

    func stop() {
        isStopped.withLock { $0 = true }
        wake.signal()
    }

    private var hasStopped: Bool { isStopped.withLock { $0 } }

    func run(_ receive: (Notification) -> Void) throws {
        do {
            let session = try Session.connect(
                configuration, canceller: Canceller(), isCancelled: { self.hasStopped })
            session.begin(timeout: configuration.connectTimeout, heedsCancellation: false)
            let identifier = channel.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            try session.script("LISTEN \"\(identifier)\"")
            while !hasStopped {
                for notification in session.takeNotifications() { receive(notification) }
                try session.waitForActivity(or: wake.descriptor)
            }
        } catch is CancellationError {
            // Stopped while connecting: nobody waits for the error.
        }
    }
}

/// A pipe that ends a wait in `poll` from another thread.
private final class WakeUp: Sendable {
    let descriptor: Int32
    private let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw PostgresError(code: .connection, explanation: "no file descriptor left (errno \(errno))")
        }
        // Programs started meanwhile must not inherit the pipe.
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        descriptor = ends[0]
        writing = ends[1]
    }

    deinit {
        _ = close(descriptor)
        _ = close(writing)
    }

    func signal() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }
}
