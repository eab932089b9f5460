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
            let listening = Task {
                do {
                    try await listen(on: channel, configuration) { continuation.yield($0) }
                    continuation.finish()
                } catch is CancellationError {
                    // Stopped while connecting: nobody waits for this error.
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in listening.cancel() }
        }
    }

    /// Listens on one channel until the task is cancelled.
    private static func listen(
        on channel: String, _ configuration: PostgresConfiguration, _ receive: (Notification) -> Void
    ) async throws {
        // The server would silently truncate a longer name, and then refuse NOTIFY on the full one.
        guard !channel.isEmpty, channel.utf8.count <= 63, !channel.utf8.contains(0) else {
            throw PostgresError.usage("a channel's name has 1 to 63 bytes, none of them NUL")
        }
        let session = try await Session.connect(configuration, canceller: Canceller())
        session.begin(timeout: configuration.connectTimeout, heedsCancellation: false)
        try await session.script("LISTEN \(SQL(name: channel))")
        while !Task.isCancelled {
            for notification in session.takeNotifications() { receive(notification) }
            try await session.waitForActivity()
        }
    }
}
