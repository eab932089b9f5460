import CherishCore
import Foundation

/// A mail to one person.
///
/// Nothing in it can add a header or a recipient: addresses with a character that has a meaning to a mail server are
/// refused, and control characters elsewhere become spaces.
public struct Mail: Sendable {
    /// Becomes the Message-ID, together with the sender's domain. The same for every attempt, so that a mail server
    /// that receives it twice can tell.
    public let id: UUID
    /// When the mail was written.
    public let date: Instant
    public let from: Mailbox
    public let to: EmailAddress
    /// Who receives the answers; nil for the sender.
    public let replyTo: EmailAddress?
    /// One line.
    public let subject: String
    /// The mail as plain text.
    public let text: String
    /// The same as HTML, for programs that show it.
    public let html: String?
    /// Where the recipient stops such mails; empty for mails that were asked for, such as codes.
    public let unsubscribeLinks: [UnsubscribeLink]
    /// Whether a POST to the first link is enough (RFC 8058).
    public let unsubscribesWithOneClick: Bool

    /// Describes a mail.
    ///
    /// - Parameters:
    ///   - id: Different for each mail, the same for every attempt.
    ///   - date: When it was written.
    ///   - replyTo: Who receives the answers; nil for the sender.
    ///   - subject: Any text; line breaks become spaces.
    ///   - html: The same as `text`, for programs that show HTML.
    /// - Throws: ``MailError`` for an address that cannot be written into a mail.
    public init(
        id: UUID, date: Instant, from: Mailbox, to: EmailAddress, replyTo: EmailAddress? = nil, subject: String,
        text: String, html: String? = nil, unsubscribeLinks: [UnsubscribeLink] = [],
        unsubscribesWithOneClick: Bool = false
    ) throws(MailError) {
        for address in [to, replyTo ?? to] where !address.canBeWritten {
            throw MailError(.permanent, .message, "the address has a character that mail servers do not accept")
        }
        self.id = id
        self.date = date
        self.from = from
        self.to = to
        self.replyTo = replyTo
        self.subject = subject.withoutControlCharacters
        self.text = text
        self.html = html
        self.unsubscribeLinks = unsubscribeLinks
        self.unsubscribesWithOneClick = unsubscribesWithOneClick && !unsubscribeLinks.isEmpty
    }
}

/// Printed mails end up in logs, and they contain codes.
extension Mail: CustomStringConvertible, CustomDebugStringConvertible {
    /// The id; never the recipient or the text.
    public var description: String { "Mail(id: \(id))" }
    /// Same as ``description``: a debug log is still a log.
    public var debugDescription: String { description }
}

/// A name with an address, of whoever sends a mail.
public struct Mailbox: Hashable, Sendable {
    /// Empty for none.
    public let name: String
    /// In ASCII: its domain is part of every Message-ID, and few mail servers let others send from another.
    public let address: EmailAddress

    /// - Returns: nil if the address is not in ASCII.
    public init?(name: String = "", address: EmailAddress) {
        guard address.canBeWritten, address.description.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        self.name = name.withoutControlCharacters.trimmingCharacters(in: .whitespaces)
        self.address = address
    }

    /// Parses `Cherish <cherish@example.com>` or `cherish@example.com`; nil for anything else.
    public init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard text.hasSuffix(">"), let start = text.lastIndex(of: "<") else {
            guard let address = try? EmailAddress(text) else { return nil }
            self.init(address: address)
            return
        }
        guard let address = try? EmailAddress(String(text[start...].dropFirst().dropLast())) else { return nil }
        self.init(name: String(text[..<start]), address: address)
    }

    /// The part of the address after the `@`.
    var domain: String { address.domain }
}

/// A link in the header List-Unsubscribe (RFC 2369).
public struct UnsubscribeLink: Hashable, Sendable {
    let url: String

    /// Accepts `https:` and `mailto:` in printable ASCII, at most 900 bytes; nil for anything else.
    public init?(_ url: String) {
        let forbidden = Set("<>\"\\, ".utf8)
        guard url.hasPrefix("https://") || url.hasPrefix("mailto:"), url.utf8.count <= 900,
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !forbidden.contains($0) })
        else { return nil }
        self.url = url
    }
}

extension EmailAddress {
    /// The part after the `@`.
    var domain: String { String(description.drop { $0 != "@" }.dropFirst()) }

    /// Whether the address stays one address in a header and in a command to a mail server. Looks at each scalar: a
    /// mark after a `>` makes another character of both, but not another byte.
    var canBeWritten: Bool {
        description.unicodeScalars.allSatisfy { scalar in
            !"<>()[],;:\"\\".unicodeScalars.contains(scalar) && !scalar.properties.isWhitespace && !scalar.isControl
        }
    }
}

extension Unicode.Scalar {
    /// Whether it breaks a line or steers a terminal.
    fileprivate var isControl: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}

extension String {
    /// The text on one line: each control character and line break becomes a space.
    var withoutControlCharacters: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
    }
}
