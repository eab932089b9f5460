import CherishCore
import Foundation
import Testing

@testable import CherishMail

/// A mail as Python's `email` package reads it.
private struct JudgedMail: Decodable {
    struct Part: Decodable, Equatable {
        let type: String
        let charset: String?
        let encoding: String?
        let content: String
    }

    let headers: [String]
    let subject: String
    let fromName: String
    let fromAddress: String
    let to: [String]
    let replyTo: [String]
    let date: String
    let messageID: String
    let defects: [String]
    let isMultipart: Bool
    let parts: [Part]
    let unsubscribe: String?
}

/// Reads the mails named `0`, `1` … in the folder of its argument.
private let judge = """
    import email, email.header, email.policy, email.utils, json, os, sys
    judged = []
    for number in range(len(os.listdir(sys.argv[1]))):
        with open(f'{sys.argv[1]}/{number}', 'rb') as file:
            content = file.read()
        mail = email.message_from_bytes(content, policy=email.policy.default)
        # In Python 3.11, the newer policy leaves spaces between the encoded words of a name, against RFC 2047.
        name, _ = email.utils.parseaddr(email.message_from_bytes(content)['From'])
        leaves = [part for part in mail.walk() if not part.is_multipart()]
        defects = [repr(d) for part in mail.walk() for d in part.defects]
        defects += [repr(d) for _, value in mail.items() for d in value.defects]
        author = mail['From'].addresses
        judged.append({
            'headers': mail.keys(), 'subject': mail['Subject'], 'fromName': str(email.header.make_header(email.header.decode_header(name))),
            'fromAddress': author[0].addr_spec, 'to': [a.addr_spec for a in mail['To'].addresses],
            'replyTo': [a.addr_spec for a in mail['Reply-To'].addresses] if mail['Reply-To'] else [],
            'date': mail['Date'].datetime.isoformat(), 'messageID': mail['Message-ID'], 'defects': defects,
            'isMultipart': mail.get_content_type() == 'multipart/alternative',
            'parts': [{
                'type': part.get_content_type(), 'charset': part.get_content_charset(),
                'encoding': part['Content-Transfer-Encoding'],
                'content': part.get_payload(decode=True).decode('utf-8'),
            } for part in leaves],
            'unsubscribe': mail['List-Unsubscribe'],
        })
    print(json.dumps(judged))
    """

private func judged(_ mails: [Mail]) async throws -> [JudgedMail] {
    try await withFolder { folder in
        for (number, mail) in mails.enumerated() {
            let bytes = MailWriter.bytes(of: mail)
            try expectWireFormat(bytes)
            try Data(bytes).write(to: folder.appendingPathComponent("\(number)"))
        }
        let json = try await python(judge, [folder.path])
        return try JSONDecoder().decode([JudgedMail].self, from: Data(json.utf8))
    }
}

/// Short lines of ASCII that end with CRLF, and no CR or LF elsewhere.
private func expectWireFormat(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(
        bytes.allSatisfy { (0x20...0x7E).contains($0) || [9, 10, 13].contains($0) }, sourceLocation: sourceLocation)
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines.last == "", sourceLocation: sourceLocation)
    #expect(lines.allSatisfy { !$0.utf8.contains(10) && !$0.utf8.contains(13) }, sourceLocation: sourceLocation)
    let body = try #require(lines.firstIndex(of: ""))
    #expect(lines[body...].allSatisfy { $0.utf8.count <= 76 }, sourceLocation: sourceLocation)
    // What mail servers change on the way.
    for line in lines[body...] {
        #expect(line.last?.isWhitespace != true, sourceLocation: sourceLocation)
        #expect(!line.hasPrefix(".") && !line.hasPrefix("From "), sourceLocation: sourceLocation)
    }
    #expect(lines.allSatisfy { $0.utf8.count <= 998 }, sourceLocation: sourceLocation)
    for line in lines[..<body] where line.contains("=?") {
        #expect(line.utf8.count <= 76, sourceLocation: sourceLocation)
        for word in line.matches(of: #/=\?[^ ]*\?=/#) {
            #expect(word.output.utf8.count <= 75, sourceLocation: sourceLocation)
        }
    }
}

@Suite("The bytes of a mail, read by Python")
struct MailWriterTests {
    @Test("a plain mail has exactly the headers it needs")
    func plain() async throws {
        let mail = try #require(try await judged([try sample()]).first)
        #expect(
            mail.headers == [
                "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
                "Content-Transfer-Encoding",
            ])
        #expect(mail.subject == "가입 코드")
        #expect(mail.fromName == "Cherish")
        #expect(mail.fromAddress == "cherish@example.org")
        #expect(mail.to == ["minji@example.com"])
        #expect(mail.date == "2027-03-02T00:00:00+00:00")
        #expect(mail.messageID == "<3a110000-0000-4000-8000-000000000001@example.org>")
        #expect(mail.defects.isEmpty)
        #expect(!mail.isMultipart)
        #expect(
            mail.parts == [
                JudgedMail.Part(
                    type: "text/plain", charset: "utf-8", encoding: "base64", content: "코드는 123456입니다.\r\n")
            ])
    }

    @Test("a mail with HTML has both parts, the richer one last")
    func html() async throws {
        let html = "<p>Your code is <b>123456</b>.</p>\n<p style=\"a\">.=_cherish</p>\n--=_cherish--\n"
        let mail = try #require(
            try await judged([
                try sample(
                    replyTo: "hana@example.net", text: "Your code is 123456.\n--=_cherish\n", html: html,
                    links: ["https://example.org/stop?token=abc", "mailto:stop@example.org"], oneClick: true)
            ]).first)
        #expect(mail.isMultipart)
        #expect(mail.defects.isEmpty)
        #expect(mail.parts.map(\.type) == ["text/plain", "text/html"])
        #expect(mail.parts.map(\.encoding) == ["quoted-printable", "quoted-printable"])
        #expect(
            mail.parts.map(\.content) == [
                "Your code is 123456.\r\n--=_cherish\r\n", html.replacing("\n", with: "\r\n"),
            ])
        #expect(mail.unsubscribe == "<https://example.org/stop?token=abc>, <mailto:stop@example.org>")
        #expect(mail.headers.contains("List-Unsubscribe-Post"))
        #expect(mail.replyTo == ["hana@example.net"])
    }

    @Test("every subject arrives as it was, however long")
    func subjects() async throws {
        var subjects = [
            "", "Your code", "Your code: 123456", "=?UTF-8?B?aGk=?= is no encoded word", " outer spaces ", "a=?b",
            "a \"b\" \\c",
            "family 👨‍👩‍👧‍👦 and flag 🏴󠁧󠁢󠁳󠁣󠁴󠁿", "하" + String(repeating: "\u{301}", count: 60), "\u{1112}\u{1161}\u{11AB} 분해",
            "\u{202E}우향", "<b>&amp;", "Zoë", String(repeating: "가", count: 1000), String(repeating: "a", count: 1000),
            String(repeating: "👨‍👩‍👧‍👦", count: 1000), String(repeating: "word ", count: 199) + "words",
        ]
        // Around each length at which a line or a word ends.
        for length in 1...80 {
            subjects.append(String(repeating: "가", count: length))
            subjects.append(String(repeating: "é", count: length))
            subjects.append(String(repeating: "a", count: length) + "가" + String(repeating: " b", count: length))
            subjects.append(String(repeating: "b", count: length))
        }
        let mails = try await judged(try subjects.map { try sample(subject: $0) })
        try #require(mails.count == subjects.count)
        for (mail, subject) in zip(mails, subjects) {
            #expect(Array(mail.subject.unicodeScalars) == Array(subject.unicodeScalars))
            #expect(mail.defects.isEmpty)
        }
    }

    @Test("an encoded word never ends within a character")
    func wholeCharacters() throws {
        let subject = String(repeating: "aé가👩‍👧", count: 50)
        let words = EncodedWords.folded(subject, after: 9).components(separatedBy: "\r\n ")
        let texts = try words.map { word in
            let base64 = try #require(word.wholeMatch(of: #/=\?UTF-8\?B\?(.+)\?=/#)).output.1
            let bytes = try #require(Data(base64Encoded: String(base64)))
            return try #require(String(bytes: bytes, encoding: .utf8))
        }
        #expect(words.count > 10)
        #expect(texts.joined() == subject)
        #expect(texts.map(\.count).reduce(0, +) == subject.count)
    }

    @Test("every name of the sender arrives as it was")
    func names() async throws {
        let names = [
            "Cherish", "체리쉬 정원", "Smith, \"Jo\" \\ (garden)", "a@b.example", "=?UTF-8?B?aGk=?=", "Zoë's 🌱",
            String(repeating: "이름", count: 100), String(repeating: "name ", count: 40) + "x",
        ]
        let address = try EmailAddress("cherish@example.org")
        let mails = try await judged(
            try names.map { name in
                let from = try #require(Mailbox(name: name, address: address))
                return try Mail(
                    id: uuid(1), date: now(), from: from, to: EmailAddress("minji@example.com"), subject: "s",
                    text: "t")
            })
        try #require(mails.count == names.count)
        for (mail, name) in zip(mails, names) {
            #expect(mail.fromName == name)
            #expect(mail.fromAddress == "cherish@example.org")
            #expect(mail.defects.isEmpty)
        }
    }

    @Test("no text adds a header, a part or a recipient")
    func injection() async throws {
        let attacks = [
            "a\r\nBcc: eve@example.com", "a\nBcc: eve@example.com", "a\rBcc: eve@example.com", "a\r\n\r\n<b>body</b>",
            "a\u{0}b", "a\u{85}Bcc: eve@example.com", "a\u{2028}Bcc: eve@example.com", "a\u{B}\u{C}b",
            "a\u{7F}\u{1B}[2J",
            "\r\n", "=?UTF-8?B?DQpCY2M6IGV2ZUBleGFtcGxlLmNvbQ==?=",
        ]
        let address = try EmailAddress("cherish@example.org")
        var mails: [Mail] = []
        for attack in attacks {
            let from = try #require(Mailbox(name: attack, address: address))
            mails.append(
                try Mail(
                    id: uuid(1), date: now(), from: from,
                    to: EmailAddress("minji@example.com"), subject: attack,
                    text: attack + "\r\n.\r\nMAIL FROM:<eve@example.com>\r\n", html: attack + "\r\n--=_cherish\r\n"))
        }
        let usual = [
            "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
        ]
        for (mail, attack) in zip(try await judged(mails), attacks) {
            #expect(mail.headers == usual)
            #expect(mail.to == ["minji@example.com"])
            #expect(mail.parts.count == 2)
            let controls = attack.unicodeScalars.filter { $0.value < 32 || (0x7F...0x9F).contains($0.value) }
            #expect(controls.allSatisfy { !mail.subject.unicodeScalars.contains($0) })
            #expect(!mail.subject.unicodeScalars.contains("\u{2028}"))
        }
    }

    @Test("every text arrives as it was, with the same end for all lines", arguments: [false, true])
    func texts(isEnglish: Bool) async throws {
        let filling = isEnglish ? String(repeating: "and so on ", count: 300) : "가"
        let texts = [
            "", "\n", "one\ntwo\rthree\r\nfour\n\n\nfive", "no end", "trailing \n tabs\t\n and \u{A0}\n",
            ".\n..\n.dot\n",
            "From me\nFrom \n>From\n", "=\n=3D\n=E0\n==", String(repeating: "x", count: 5000), "\u{0}\u{1}\u{7F}\u{1F}",
            "--=_cherish\n--=_cherish--\n", "a\u{2028}b\u{85}c", String(repeating: "a ", count: 200),
            "tail" + String(repeating: " ", count: 200), String(repeating: "é가👩‍👧 ", count: 100), "\u{FEFF}x",
        ].map { $0 + filling }
        let mails = try await judged(try texts.map { try sample(text: $0) })
        try #require(mails.count == texts.count)
        for (mail, text) in zip(mails, texts) {
            var lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            if !lines.isEmpty, lines.last != "\n" { lines += "\n" }
            let content = try #require(mail.parts.first).content
            #expect(Array(content.unicodeScalars) == Array(lines.replacing("\n", with: "\r\n").unicodeScalars))
            #expect(mail.defects.isEmpty)
        }
    }

    @Test("dates have the right day of the week, from 1970 to 9999")
    func dates() async throws {
        let instants = try [
            "1970-01-01T00:00:00Z", "2000-02-29T23:59:59Z", "2027-03-02T00:00:00.5Z", "2028-12-31T12:34:56Z",
            "1969-12-31T23:59:59Z", "2100-03-01T01:02:03Z", "9999-12-31T23:59:59Z",
        ].map { try #require(Instant($0)) }
        let program = """
            import email.utils, sys
            for text in sys.argv[1:]:
                date = email.utils.parsedate_to_datetime(text)
                assert email.utils.format_datetime(date) == text, text
                print(date.strftime('%Y-%m-%dT%H:%M:%SZ'))
            """
        let output = try await python(program, instants.map(MailWriter.text))
        #expect(
            output.split(separator: "\n")
                == instants.map { instant in
                    Substring(Instant(secondsSinceEpoch: instant.secondsSinceEpoch).description)
                })
    }

    @Test("addresses that a mail server would read otherwise are refused")
    func addresses() throws {
        // A mark after a sign makes another character of both, so that the rule for accounts lets it pass.
        for text in ["a>\u{301}b@example.com", "a,\u{301}eve@example.com", "a\"\u{301}@example.com"] {
            let address = try EmailAddress(text)
            #expect(throws: MailError.self) { try sample(to: text) }
            #expect(throws: MailError.self) { try sample(replyTo: text) }
            #expect(Mailbox(address: address) == nil)
        }
        #expect(Mailbox("Cherish <민지@example.com>") == nil)
        #expect(Mailbox("cherish@example.org\r\nBcc: eve@example.com") == nil)
        #expect(Mailbox("Cherish <cherish@example.org> <eve@example.com>")?.address.description == "eve@example.com")
        #expect(Mailbox("Cherish cherish@example.org") == nil)
        #expect(Mailbox("<cherish@example.org>")?.name == "")
    }

    @Test("links to unsubscribe hold nothing that ends them")
    func links() {
        for url in [
            "http://example.org/stop", "https://example.org/a b", "https://example.org/>,<https://eve.example",
            "https://example.org/\r\nBcc: eve@example.com", "javascript:alert(1)", "https://예시.한국/", "",
            "https://example.org/" + String(repeating: "a", count: 900), "https://example.org/,b",
        ] {
            #expect(UnsubscribeLink(url) == nil)
        }
        #expect(UnsubscribeLink("mailto:stop@example.org?subject=stop") != nil)
    }

    @Test("a mail's description holds no recipient and no text")
    func description() throws {
        let mail = try sample()
        for text in ["\(mail)", String(reflecting: mail)] {
            #expect(text == "Mail(id: 3A110000-0000-4000-8000-000000000001)")
        }
    }
}
