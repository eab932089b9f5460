/// Why a mail or a text message was not sent.
///
/// `description` is safe to log: it never contains an address, a phone number, a text, a password, or a server's own
/// words, which often quote the recipient.
public struct MailError: Error, Hashable, Sendable {
    /// Whether another attempt may succeed.
    public enum Outlook: String, Sendable {
        /// The server asks to try again, or no server answered: try again later.
        case temporary
        /// The same message fails again until somebody changes it or a setting.
        case permanent
    }

    /// The kind of failure. The set is open: compare codes instead of switching exhaustively.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name used in descriptions.
        public let rawValue: String

        /// A kind of failure by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The server refused the message or its recipient; `status` says with which number.
        public static let refused = Code(rawValue: "refused")
        /// The server refused the user or the password.
        public static let authentication = Code(rawValue: "authentication")
        /// No server answered, or the connection was lost.
        public static let connection = Code(rawValue: "connection")
        /// The server did not answer in time.
        public static let timeout = Code(rawValue: "timeout")
        /// The server's certificate is not trusted, or belongs to another host.
        public static let certificate = Code(rawValue: "certificate")
        /// The server offers no encryption.
        public static let encryption = Code(rawValue: "encryption")
        /// A setting cannot be used.
        public static let setting = Code(rawValue: "setting")
        /// Too many messages are being sent already.
        public static let busy = Code(rawValue: "busy")
        /// The task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The file cannot be written, or others may read it.
        public static let file = Code(rawValue: "file")
        /// The message itself cannot be sent.
        public static let message = Code(rawValue: "message")
    }

    /// Whether another attempt may succeed.
    public var outlook: Outlook
    /// The kind of failure.
    public var code: Code
    /// The server's numbers, such as `550 5.1.1` of a mail server, `503` of a web server or `400 21211` of Twilio.
    public var status: String?
    /// What happened and what to do.
    public var explanation: String

    init(_ outlook: Outlook, _ code: Code, status: String? = nil, _ explanation: String) {
        self.outlook = outlook
        self.code = code
        self.status = status
        self.explanation = explanation
    }

    /// Whether another attempt may succeed.
    public var isTemporary: Bool { outlook == .temporary }
}

extension MailError: CustomStringConvertible {
    /// Code, the server's numbers, and what to do.
    public var description: String {
        "\(code.rawValue)\(status.map { " \($0)" } ?? ""): \(explanation)"
    }
}

extension MailError {
    static let cancelled = MailError(.temporary, .cancelled, "the program gave up, because it ends; send it again")
    static let busy = MailError(
        .temporary, .busy,
        "too many messages are being sent already; try again later, and check the server if this goes on")
}
