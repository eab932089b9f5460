import CherishCore

/// Appends mails to a file that only its owner may read, one JSON object a line: `at`, `subject`, `text`, `to`. For
/// development, and for a service without a mail server.
public struct FileMailSender: MailSender {
    private let file: JSONLinesFile

    /// - Parameter path: created when the first mail is sent. A file that others may read is refused.
    public init(path: String) {
        file = JSONLinesFile(path: path)
    }

    /// Returns once the line is in the file.
    public func send(_ mail: Mail) async throws(MailError) {
        try await file.append([
            "at": mail.date.description, "subject": mail.subject, "text": mail.text, "to": mail.to.description,
        ])
    }
}

/// Appends text messages to a file that only its owner may read, one JSON object a line: `at`, `text`, `to`.
public struct FileTextMessageSender: TextMessageSender {
    private let file: JSONLinesFile

    /// - Parameter path: created when the first message is sent. A file that others may read is refused.
    public init(path: String) {
        file = JSONLinesFile(path: path)
    }

    /// Returns once the line is in the file.
    public func send(_ message: TextMessage) async throws(MailError) {
        try await file.append([
            "at": message.date.description, "text": message.text, "to": message.to.description,
        ])
    }
}
