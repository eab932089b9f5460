import CherishCore
import Foundation

/// A setting for mail or text messages cannot be used. The message says what to write, and omits the value, which may
/// contain a secret.
public struct MessageSettingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The environment variable.
    public let variable: String
    /// What is wrong, and what to do.
    public let problem: String

    public var description: String { "\(variable) cannot be used: \(problem)" }

    init(_ variable: String, _ problem: String) {
        self.variable = variable
        self.problem = problem
    }
}

/// Where mail goes, from the environment:
///
/// | variable | meaning |
/// |---|---|
/// | `CHERISH_MAIL` | `smtp://USER:PASSWORD@HOST:587?from=Cherish%20<cherish@example.com>`: a mail server with STARTTLS |
/// | | `smtps://USER:PASSWORD@HOST:465?from=…`: one that encrypts from the first byte |
/// | | `jsonl:PATH`: a file that only its owner may read |
/// | `CHERISH_MAIL_PASSWORD_FILE` | a file with the password, in place of `:PASSWORD` |
/// | `CHERISH_MAIL_CA_FILE` | certificates in PEM to trust in addition to the system's |
///
/// The port may be left out; so may user and password, for a server that knows its senders otherwise. In user, password
/// and name, `%XX` stands for any other character: `%40` for `@`, `%2F` for `/`, `%3F` for `?`, `%25` for `%`.
public struct MailSettings: Sendable {
    /// Where mail goes.
    public enum Route: Sendable {
        case smtp(SMTPSettings)
        case jsonLines(path: String)
    }

    /// The sender of all mails. In a file, nobody sees it.
    public let from: Mailbox
    public let route: Route

    /// - Returns: nil if `CHERISH_MAIL` is unset or empty.
    /// - Throws: ``MessageSettingError`` for an unusable value.
    public init?(environment: [String: String]) throws(MessageSettingError) {
        let reader = MessageSettingReader("CHERISH_MAIL", secretIn: "PASSWORD_FILE", environment)
        guard let reader else { return nil }
        if let path = reader.value.after("jsonl:") {
            route = .jsonLines(path: try reader.path(path))
            from = try reader.placeholder()
            return
        }
        let (smtp, from) = try reader.smtp()
        self.from = from
        route = .smtp(smtp)
    }

    /// A sender for these settings.
    public func sender() -> any MailSender {
        switch route {
        case .smtp(let settings): SMTPSender(settings)
        case .jsonLines(let path): FileMailSender(path: path)
        }
    }
}

/// Where text messages go, from the environment:
///
/// | variable | meaning |
/// |---|---|
/// | `CHERISH_SMS` | `twilio:ACCOUNT_SID:AUTH_TOKEN?from=+15005550006` |
/// | | `sens:ACCESS_KEY:SECRET_KEY@SERVICE_ID?from=0212345678`: SENS of NAVER Cloud |
/// | | `webhook:https://example.com/sms#whsec_…`: a server of your own, with the secret that signs |
/// | | `jsonl:PATH`: a file that only its owner may read |
/// | `CHERISH_SMS_SECRET_FILE` | a file with the token, key or secret, in place of `:AUTH_TOKEN`, `:SECRET_KEY` or `#whsec_…` |
/// | `CHERISH_SMS_CA_FILE` | certificates in PEM to trust in addition to the system's |
/// | `CHERISH_SMS_URL` | another server to use instead of Twilio's or SENS's |
public struct TextMessageSettings: Sendable {
    /// Where text messages go.
    public enum Route: Sendable {
        case twilio(TwilioSettings)
        case sens(SENSSettings)
        case webhook(url: String, secret: WebhookSecret)
        case jsonLines(path: String)
    }

    public let route: Route
    public let transport: TextMessageTransport

    /// - Returns: nil if `CHERISH_SMS` is unset or empty.
    /// - Throws: ``MessageSettingError`` for an unusable value.
    public init?(environment: [String: String]) throws(MessageSettingError) {
        let reader = MessageSettingReader("CHERISH_SMS", secretIn: "SECRET_FILE", environment)
        guard let reader else { return nil }
        transport = TextMessageTransport(certificatesPath: try reader.certificatesPath())
        if let path = reader.value.after("jsonl:") {
            route = .jsonLines(path: try reader.path(path))
        } else if let rest = reader.value.after("twilio:") {
            route = .twilio(try reader.twilio(rest))
        } else if let rest = reader.value.after("sens:") {
            route = .sens(try reader.sens(rest))
        } else if let rest = reader.value.after("webhook:") {
            let (url, secret) = try reader.webhook(rest)
            route = .webhook(url: url, secret: secret)
        } else {
            throw reader.notUnderstood(
                """
                twilio:ACCOUNT_SID:AUTH_TOKEN?from=+15005550006, sens:ACCESS_KEY:SECRET_KEY@SERVICE_ID?from=0212345678, \
                webhook:https://example.com/sms#whsec_… or jsonl:PATH
                """)
        }
    }

    /// A sender for these settings.
    public func sender() -> any TextMessageSender {
        switch route {
        case .twilio(let settings): TwilioSender(settings, transport: transport)
        case .sens(let settings): SENSSender(settings, transport: transport)
        case .webhook(let url, let secret): WebhookTextMessageSender(url: url, secret: secret, transport: transport)
        case .jsonLines(let path): FileTextMessageSender(path: path)
        }
    }
}

// MARK: - The forms

extension MessageSettingReader {
    private static let smtpForm =
        "smtp://USER:PASSWORD@HOST:587?from=Cherish%20<cherish@example.com>, the same with smtps:// and port 465, or "
        + "jsonl:PATH"

    /// Mail that goes to a file needs no sender, but every mail has one.
    fileprivate func placeholder() throws(MessageSettingError) -> Mailbox {
        guard let mailbox = Mailbox("Cherish <cherish@example.invalid>") else { throw notUnderstood(Self.smtpForm) }
        return mailbox
    }

    fileprivate func smtp() throws(MessageSettingError) -> (SMTPSettings, from: Mailbox) {
        for encryption in [SMTPSettings.Encryption.startTLS, .tls] {
            guard let rest = value.after(encryption.rawValue + "://") else { continue }
            let parts = try parts(of: rest, form: Self.smtpForm)
            var server = parts.place ?? parts.user
            if server.hasSuffix("/") { server.removeLast() }
            let (host, port) = try hostAndPort(server, form: Self.smtpForm)
            guard let from = Mailbox(parts.from) else {
                throw MessageSettingError(
                    variable,
                    "the sender after ?from= is not understood; write it like Cherish%20<cherish@example.com>, with an "
                        + "address in ASCII")
            }
            var login: SMTPSettings.Login?
            if parts.place != nil {
                login = SMTPSettings.Login(user: parts.user, password: try secret(parts.secret, named: ":PASSWORD"))
            } else if hasSecretFile {
                throw MessageSettingError(
                    variable, "it names no user for the password in \(secretVariable); write USER@ before the host")
            }
            let settings = SMTPSettings(
                host: host, port: port, encryption: encryption, login: login,
                certificatesPath: try certificatesPath())
            return (settings, from)
        }
        throw notUnderstood(Self.smtpForm)
    }

    fileprivate func twilio(_ rest: String) throws(MessageSettingError) -> TwilioSettings {
        let form = "twilio:ACCOUNT_SID:AUTH_TOKEN?from=+15005550006"
        let parts = try parts(of: rest, form: form)
        guard parts.place == nil, parts.user.isWord else { throw notUnderstood(form) }
        let isNumber = parts.from.wholeMatch(of: #/\+[1-9][0-9]{4,14}/#) != nil
        // Or a sender's name, or a messaging service.
        guard isNumber || parts.from.wholeMatch(of: #/[A-Za-z0-9][A-Za-z0-9 _&-]{0,33}/#) != nil else {
            throw MessageSettingError(
                variable,
                "the sender after ?from= is not understood; write the number with its plus sign, as Twilio "
                    + "shows it")
        }
        return TwilioSettings(
            accountSID: parts.user, authToken: try secret(parts.secret, named: ":AUTH_TOKEN"), from: parts.from,
            url: try serviceURL() ?? TwilioSettings.production)
    }

    fileprivate func sens(_ rest: String) throws(MessageSettingError) -> SENSSettings {
        let form = "sens:ACCESS_KEY:SECRET_KEY@SERVICE_ID?from=0212345678"
        let parts = try parts(of: rest, form: form)
        guard let service = parts.place, service.wholeMatch(of: #/[A-Za-z0-9:._-]+/#) != nil, parts.user.isWord else {
            throw notUnderstood(form)
        }
        let from = parts.from.replacing("-", with: "")
        guard from.wholeMatch(of: #/[0-9]{4,15}/#) != nil else {
            throw MessageSettingError(
                variable, "the sender after ?from= is not understood; write the number registered with SENS, in digits")
        }
        return SENSSettings(
            accessKey: parts.user, secretKey: try secret(parts.secret, named: ":SECRET_KEY"), serviceID: service,
            from: from, url: try serviceURL() ?? SENSSettings.production)
    }

    fileprivate func webhook(
        _ rest: String
    ) throws(MessageSettingError) -> (url: String, secret: WebhookSecret) {
        let pieces = rest.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let url = try url(pieces[0])
        let text = try secret(pieces.count > 1 ? pieces[1] : nil, named: "#whsec_…")
        guard let secret = WebhookSecret(text.text) else {
            throw MessageSettingError(
                variable,
                "the secret of the webhook is not understood; it is whsec_ and then 24 to 64 bytes in Base64, such as "
                    + "the output of: echo whsec_$(openssl rand -base64 32)")
        }
        return (url, secret)
    }
}
