import CLibCurl

/// Hands mails to a mail server, encrypted, with a connection for each.
public final class SMTPSender: MailSender {
    private static let variable = "CHERISH_MAIL"

    private let settings: SMTPSettings
    private let threads: TransferThreads

    /// - Parameter concurrency: how many mails are sent at the same time, each blocking a thread of its own.
    public init(_ settings: SMTPSettings, concurrency: Int = 2) {
        self.settings = settings
        threads = TransferThreads(concurrency)
    }

    /// Returns once the server has taken the mail. Repeats temporary failures, with the pauses of the settings.
    public func send(_ mail: Mail) async throws(MailError) {
        let bytes = MailWriter.bytes(of: mail)
        try await threads.limited { () async throws(MailError) in
            for pause in settings.pauses {
                do throws(MailError) {
                    return try await attempt(mail, bytes)
                } catch {
                    guard error.isTemporary, error != .cancelled else { throw error }
                }
                // If the task is cancelled, the next attempt says so.
                try? await Task.sleep(for: pause)
            }
            try await attempt(mail, bytes)
        }
    }

    private func attempt(_ mail: Mail, _ bytes: [UInt8]) async throws(MailError) {
        let outcome = await threads.run { [settings] cancellation in
            do throws(TransferFailure) {
                let transfer = try SMTPSender.transfer(mail, bytes, settings, cancellation)
                return transfer.perform()
            } catch {
                return CurlTransfer.Outcome(failure: error)
            }
        }
        if let error = SMTPAnswers.error(outcome, variable: SMTPSender.variable) { throw error }
    }

    private static func transfer(
        _ mail: Mail, _ bytes: [UInt8], _ settings: SMTPSettings, _ cancellation: Cancellation
    ) throws(TransferFailure) -> CurlTransfer {
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        // The path is how we introduce ourselves.
        let url = "\(settings.encryption.rawValue)://\(host):\(settings.port)/\(mail.from.domain)"
        let limits = TransferLimits(
            connectTimeout: settings.connectTimeout, timeout: settings.timeout,
            certificatesPath: settings.certificatesPath)
        let transfer = try CurlTransfer(
            to: url, schemes: settings.encryption.rawValue, limits: limits, cancellation: cancellation)
        try transfer.set(CURLOPT_USE_SSL, to: Int(CURLUSESSL_ALL.rawValue))
        if let login = settings.login {
            // The connection is encrypted, so the simplest ways will do; the others are weak or unusual.
            try transfer.set(CURLOPT_LOGIN_OPTIONS, to: "AUTH=PLAIN;AUTH=LOGIN")
            try transfer.set(CURLOPT_USERNAME, to: login.user)
            try transfer.set(CURLOPT_PASSWORD, to: login.password.text)
        }
        try transfer.set(CURLOPT_MAIL_FROM, to: "<\(mail.from.address)>")
        try transfer.set(CURLOPT_MAIL_RCPT, to: ["<\(mail.to)>"])
        try transfer.upload(bytes)
        return transfer
    }
}

/// The consequence of each answer of a mail server.
enum SMTPAnswers {
    /// nil if the server took the mail.
    static func error(_ outcome: CurlTransfer.Outcome, variable: String) -> MailError? {
        guard let failure = outcome.failure else { return nil }
        // The number of the last answer explains more than libcurl's error, if the server refused something.
        guard (400...599).contains(outcome.status), failure != .cancelled, failure != .timeout else {
            return failure.error(variable: variable)
        }
        let status = [String(outcome.status), enhancedStatus(outcome.refusal)].compactMap(\.self)
            .joined(separator: " ")
        switch outcome.status {
        case 400...499:
            return MailError(
                .temporary, .refused, status: status,
                "the mail server asks to try again later; if this goes on, its log says why")
        case 530, 534, 535, 538:
            return MailError(
                .permanent, .authentication, status: status,
                "the mail server refused the user or the password; correct \(variable)")
        default:
            return MailError(
                .permanent, .refused, status: status,
                "the mail server does not take this mail, or none for its recipient; its log says why")
        }
    }

    /// The digits of an enhanced status code (RFC 3463), as in `550 5.1.1 …`; nil if there are none. The rest of the
    /// line may quote the recipient.
    private static func enhancedStatus(_ line: [UInt8]) -> String? {
        let text = String(decoding: line, as: UTF8.self)
        return text.prefixMatch(of: #/[45]\d\d[ -]([45]\.\d{1,3}\.\d{1,3})(?!\S)/#).map { String($0.output.1) }
    }
}
