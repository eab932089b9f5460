/// Sends mails, one at a time or many concurrently.
public protocol MailSender: Sendable {
    /// Returns once a mail server, or a file, has taken the mail. This can take minutes: do not let a person wait for it.
    ///
    /// - Throws: ``MailError``; if it is temporary, the same mail may be sent again later.
    func send(_ mail: Mail) async throws(MailError)
}
