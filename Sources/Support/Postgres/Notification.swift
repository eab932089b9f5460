import Dispatch
import Glibc
import Synchronization

/// The content of a NOTIFY.
public struct Notification: Hashable, Sendable {
    /// The channel of the notification.
    public let channel: String
    /// The payload; empty if there is none.
    public let payload: String
    /// The process ID of the server process that sent it.
    public let processID: Int32

    /// Creates a notification from its parts.
    public init(channel: String, payload: String, processID: Int32) {
        self.channel = channel
        self.payload = payload
        self.processID = processID
    }
}

/// Notifications in order of arrival.
public typealias NotificationStream = AsyncThrowingStream<Notification, any Error>

extension Connection {
    /// Listens on a channel over a dedicated connection.
    ///
    /// LISTEN takes effect shortly after the call, and earlier notifications are missed, so poll the tables as well.
    /// The stream buffers 1,024 notifications; a slow consumer loses the oldest. The connection closes when the
    /// consumer stops.
    ///
    /// - Parameters:
    ///   - channel: The name without quotes; at most 63 bytes.
    ///   - configuration: The server.
    /// - Returns: A stream that fails with a ``PostgresError`` when the server is unreachable or goes away.
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

/// Listens on one channel until stopped, blocking a thread.
private final class NotificationListener: Sendable {
    private let channel: String
    private let configuration: PostgresConfiguration
    private let wake: WakeUp
    private let isStopped = Mutex(false)

    init(channel: String, configuration: PostgresConfiguration) throws {
        // The server would silently truncate a longer name, and then refuse NOTIFY on the full one.
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
            try session.script("LISTEN \(SQL(name: channel))")
            while !hasStopped {
                for notification in session.takeNotifications() { receive(notification) }
                try session.waitForActivity(or: wake.descriptor)
            }
        } catch is CancellationError {
            // Stopped while connecting: nobody waits for this error.
        }
    }
}

/// A pipe through which another thread wakes up a wait in `poll`.
private final class WakeUp: Sendable {
    let descriptor: Int32
    private let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw PostgresError(code: .connection, explanation: "no file descriptor left (errno \(errno))")
        }
        // Child processes must not inherit the pipe.
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
