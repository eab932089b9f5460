import CherishCore
import Foundation

/// Writes a mail as mail servers expect it: RFC 5322 with MIME.
struct MailWriter {
    /// Occurs in no encoded part: quoted-printable writes digits after an equals sign, and Base64 has no underscore.
    private static let boundary = "=_cherish"
    private static let longestLine = 76

    private var bytes: [UInt8] = []

    /// The whole mail, in lines that end with CRLF.
    static func bytes(of mail: Mail) -> [UInt8] {
        var writer = MailWriter()
        writer.write(headersOf: mail)
        writer.write(bodyOf: mail)
        return writer.bytes
    }

    private mutating func write(headersOf mail: Mail) {
        header("Date", MailWriter.text(of: mail.date))
        write(mailbox: mail.from)
        header("To", mail.to.description)
        if let replyTo = mail.replyTo { header("Reply-To", replyTo.description) }
        let name = "Subject: "
        let fits = name.count + mail.subject.utf8.count <= MailWriter.longestLine
        if fits, EncodedWords.isUnnecessary(for: mail.subject) {
            line(name + mail.subject)
        } else {
            line(name + EncodedWords.folded(mail.subject, after: name.count))
        }
        header("Message-ID", "<\(mail.id.uuidString.lowercased())@\(mail.from.domain)>")
        // Tells programs that answer by themselves not to.
        header("Auto-Submitted", "auto-generated")
        if !mail.unsubscribeLinks.isEmpty {
            header("List-Unsubscribe", mail.unsubscribeLinks.map { "<\($0.url)>" }.joined(separator: ",\r\n "))
        }
        if mail.unsubscribesWithOneClick { header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click") }
        header("MIME-Version", "1.0")
    }

    private mutating func write(mailbox: Mailbox) {
        let beginning = "From: "
        let address = "<\(mailbox.address)>"
        if mailbox.name.isEmpty { return line(beginning + mailbox.address.description) }
        let quoted = "\"\(mailbox.name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        let isPlain =
            EncodedWords.isUnnecessary(for: mailbox.name)
            && beginning.count + quoted.utf8.count <= MailWriter.longestLine
        let name = isPlain ? quoted : EncodedWords.folded(mailbox.name, after: beginning.count)
        let lastLine = (beginning + name).split(separator: "\r\n").last ?? ""
        let fits = lastLine.utf8.count + 1 + address.utf8.count <= MailWriter.longestLine
        line(beginning + name + (fits ? " " : "\r\n ") + address)
    }

    private mutating func write(bodyOf mail: Mail) {
        guard let html = mail.html else {
            write(part: mail.text, type: "text/plain")
            return
        }
        header("Content-Type", "multipart/alternative; boundary=\"\(MailWriter.boundary)\"")
        line("")
        // The richest part comes last (RFC 2046).
        for (text, type) in [(mail.text, "text/plain"), (html, "text/html")] {
            line("--\(MailWriter.boundary)")
            write(part: text, type: type)
            // The line end before a boundary belongs to the boundary.
            line("")
        }
        line("--\(MailWriter.boundary)--")
    }

    private mutating func write(part text: String, type: String) {
        let lines = MailWriter.withStandardLineEnds(text)
        let encoding = TransferEncoding.best(for: lines)
        header("Content-Type", "\(type); charset=utf-8")
        header("Content-Transfer-Encoding", encoding.rawValue)
        line("")
        bytes += encoding.encode(lines)
    }

    private mutating func header(_ name: String, _ value: String) {
        line("\(name): \(value)")
    }

    private mutating func line(_ text: String) {
        bytes += text.utf8
        bytes += "\r\n".utf8
    }

    /// Ends each line with CRLF, whichever end it had, and the last one even if it had none.
    private static func withStandardLineEnds(_ text: String) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(text.utf8.count * 21 / 20)
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch (previous, byte) {
            case (UInt8(ascii: "\r"), UInt8(ascii: "\n")): break
            case (_, UInt8(ascii: "\r")), (_, UInt8(ascii: "\n")): lines += "\r\n".utf8
            default: lines.append(byte)
            }
            previous = byte
        }
        return lines.isEmpty || lines.last == UInt8(ascii: "\n") ? lines : lines + "\r\n".utf8
    }

    /// The date in UTC, like `Tue, 02 Mar 2027 00:00:00 +0000`.
    static func text(of instant: Instant) -> String {
        let seconds = instant.secondsSinceEpoch
        let days = Int32(seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400)
        let second = Int(seconds - Int64(days) * 86_400)
        let (year, month, day) = CivilDay(daysSinceEpoch: days).components
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = [second / 3600, second / 60 % 60, second % 60].map(two).joined(separator: ":")
        let padding = String(repeating: "0", count: max(0, 4 - "\(year)".count))
        return "\(weekdays[Int((days % 7 + 7) % 7)]), \(two(day)) \(months[month - 1]) \(padding)\(year) \(time) +0000"
    }
}
