/// Sends text messages, one at a time or many concurrently.
public protocol TextMessageSender: Sendable {
    /// Returns once the service, or a file, has taken the message. Makes one attempt: a second one after a timeout might
    /// send, and cost, the same message twice.
    ///
    /// - Throws: ``MailError``; if it is temporary, the same message may be sent again later.
    func send(_ message: TextMessage) async throws(MailError)
}

/// How senders of text messages reach their service.
public struct TextMessageTransport: Sendable {
    /// A file with certificates in PEM to trust in addition to the system's.
    public var certificatesPath: String?
    /// How long connecting may take.
    public var connectTimeout: Duration = .seconds(10)
    /// How long one request may take.
    public var timeout: Duration = .seconds(30)
    /// How many messages are sent at the same time, each blocking a thread of its own.
    public var concurrency = 2

    /// The usual timeouts.
    ///
    /// - Parameter certificatesPath: A file with certificates in PEM to trust in addition to the system's.
    public init(certificatesPath: String? = nil) {
        self.certificatesPath = certificatesPath
    }
}
