/// A mail server that passes mails on.
public struct SMTPSettings: Sendable {
    /// How the connection is encrypted. It always is.
    public enum Encryption: String, Sendable {
        /// With STARTTLS, before anything else is said: port 587.
        case startTLS = "smtp"
        /// From the first byte: port 465.
        case tls = "smtps"

        /// The usual port.
        public var port: Int { self == .startTLS ? 587 : 465 }
    }

    /// A name or an address, without brackets.
    public var host: String
    public var port: Int
    public var encryption: Encryption
    /// nil for a server that knows its senders otherwise.
    public var login: Login?
    /// A file with certificates in PEM to trust in addition to the system's.
    public var certificatesPath: String?
    /// How long connecting may take.
    public var connectTimeout: Duration = .seconds(10)
    /// How long sending one mail may take.
    public var timeout: Duration = .seconds(30)
    /// The pauses between attempts: one attempt more than pauses. Servers that greylist refuse unknown senders for
    /// some minutes, most often five.
    public var pauses: [Duration] = [.seconds(10), .seconds(310)]

    /// A user and a password.
    public struct Login: Sendable {
        public var user: String
        public var password: Secret

        /// Describes a user.
        public init(user: String, password: Secret) {
            self.user = user
            self.password = password
        }
    }

    /// Describes a mail server.
    ///
    /// - Parameters:
    ///   - host: A name or an address, without brackets.
    ///   - port: nil for the usual one.
    ///   - login: nil for a server that knows its senders otherwise.
    ///   - certificatesPath: A file with certificates in PEM to trust in addition to the system's.
    public init(
        host: String, port: Int? = nil, encryption: Encryption = .startTLS, login: Login? = nil,
        certificatesPath: String? = nil
    ) {
        self.host = host
        self.port = port ?? encryption.port
        self.encryption = encryption
        self.login = login
        self.certificatesPath = certificatesPath
    }
}
