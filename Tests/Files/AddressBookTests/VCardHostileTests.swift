import AddressBook
import CherishTestSupport
import Testing

@Suite("Malicious vCards")
struct VCardHostileTests {
    @Test(
        "Quoted-printable text cut off by the end of the card",
        arguments: [("Linh=", "Linh"), ("Linh=E", "Linh=E"), ("Linh= ", "Linh"), ("=", nil), ("Linh==", "Linh=")]
            as [(String, String?)])
    func cutByEnd(value: String, name: String?) throws {
        let card = try contact(version: "2.1", "TEL;CELL:1", "FN;ENCODING=QUOTED-PRINTABLE:\(value)")
        #expect(card == ContactCard(line: 1, name: name, phones: ["1"]))
    }

    @Test("Quoted-printable text cut off by the next card", arguments: ["=", "=E", "=EA", "=EA="])
    func cutByNextCard(value: String) throws {
        let book = try readBook("BEGIN:VCARD\nVERSION:2.1\nFN;QUOTED-PRINTABLE:\(value)\n" + vCard("FN:Emma"))
        #expect(book.cards.map(\.name) == ["Emma"])
        #expect(book.unreadableLines == [1])
    }

    @Test(
        "Text cut off by the end of the file",
        arguments: [
            "FN;QUOTED-PRINTABLE:=", "FN;QUOTED-PRINTABLE:=E", "NOTE;QUOTED-PRINTABLE:=EA=", "FN;A=", "FN;A=\"",
        ])
    func cutByEndOfFile(line: String) throws {
        let book = try readBook(vCard("FN:Emma") + "BEGIN:VCARD\nVERSION:2.1\n\(line)")
        #expect(book.cards.map(\.name) == ["Emma"])
        #expect(book.unreadable == [UnreadableContact(line: 5, reason: "the card has no end: END:VCARD is missing")])
    }

    @Test("Endless base64", arguments: ["", " "])
    func endlessPhoto(indent: String) throws {
        let photo = String(repeating: "\n\(indent)QUJDREVGR0hJSktM", count: 200_000)
        let book = try readBook(vCard("FN:Emma") + "BEGIN:VCARD\nVERSION:2.1\nPHOTO;BASE64:\(photo)")
        #expect(book.cards.map(\.name) == ["Emma"])
        #expect(book.unreadableLines == [5])
    }

    @Test("Endless quoted-printable text makes its contact unreadable, without filling memory")
    func endlessText() throws {
        let text = String(repeating: "=EA=B9=80=\n", count: 200_000)
        let book = try readBook("BEGIN:VCARD\nVERSION:2.1\nFN;QUOTED-PRINTABLE:\(text)\nEND:VCARD\n" + vCard("FN:Emma"))
        #expect(book.cards.map(\.name) == ["Emma"])
        #expect(book.unreadable == [UnreadableContact(line: 1, reason: "line 3 is too long for a name or a number")])
    }

    @Test("100,000 dots before a name, and as many parameters after it")
    func longHeads() throws {
        try within(processorTime: .seconds(60)) { () throws in
            let dots = String(repeating: "a.", count: 100_000)
            let parameters = String(repeating: ";a=\"b\"", count: 100_000)
            #expect(try contact(version: "3.0", "\(dots)TEL:1", "TEL\(parameters);TYPE=CELL:2").phones == ["2", "1"])
            #expect(try contact(version: "3.0", dots, "NOTE\(parameters)", "TEL:1").phones == ["1"])
        }
    }

    @Test("A name and its parameters in one-byte folds")
    func manyFolds() throws {
        try within(processorTime: .seconds(60)) { () throws in
            let folds = String(repeating: "\r\n ;", count: 300_000)
            #expect(try contact(version: "3.0", "TEL\(folds)\r\n :1").phones == ["1"])
            let text = String(repeating: "=\r\n", count: 300_000)
            #expect(try contact(version: "2.1", "FN;QUOTED-PRINTABLE:a\(text)b").name == "ab")
        }
    }

    @Test("Huge numbers of escapes and separators")
    func manySeparators() throws {
        try within(processorTime: .seconds(60)) {
            let semicolons = String(repeating: ";", count: 500_000)
            let commas = String(repeating: ",", count: 500_000)
            let card = try contact(version: "3.0", "N:김;지우\(semicolons)", "CATEGORIES:\(commas)a")
            #expect(card == ContactCard(line: 1, name: "김지우", tags: ["a"]))
            let backslashes = String(repeating: #"\\"#, count: 200_000)
            #expect(try contact(version: "3.0", "FN:\(backslashes)").name?.count == 200_000)
        }
    }

    @Test("Too many short lines make their contact unreadable")
    func manyLines() throws {
        try within(processorTime: .seconds(60)) {
            let phones = String(repeating: "TEL:1\n", count: 300_000)
            let book = try readBook("BEGIN:VCARD\nVERSION:3.0\n\(phones)END:VCARD\n" + vCard("FN:Emma"))
            #expect(book.cards.map(\.name) == ["Emma"])
            let reason = "the card has more than 1 MiB of names and numbers"
            #expect(book.unreadable == [UnreadableContact(line: 1, reason: reason)])
        }
    }

    @Test("Many labels of one group, and even more phones")
    func manyLabels() throws {
        try within(processorTime: .seconds(60)) {
            let labels = String(repeating: "a.X-ABLabel:b\n", count: 2_000)
            let phones = String(repeating: "a.TEL:1\n", count: 50_000)
            let card = try contact(version: "3.0", labels + phones)
            #expect(card.phones == Array(repeating: "1", count: ContactCard.mostPhones))
        }
    }

    @Test("A very long label, and many phones that use it")
    func longLabel() throws {
        try within(processorTime: .seconds(60)) { () throws in
            let letters = String(repeating: "b", count: 500_000)
            let phones = String(repeating: "a.TEL:1\n", count: 50_000)
            #expect(try contact(version: "3.0", "TEL:2", "a.X-ABLabel:\(letters)fax\n\(phones)").phones == ["2"])
        }
    }

    @Test("Endlessly nested agents")
    func endlessAgents() throws {
        try within(processorTime: .seconds(60)) {
            let agents = String(repeating: "AGENT:\nBEGIN:VCARD\n", count: 100_000)
            let book = try readBook("BEGIN:VCARD\nVERSION:2.1\n\(agents)END:VCARD\n" + vCard("FN:Emma"))
            #expect(book.cards.map(\.name) == ["Emma"])
            #expect(book.unreadableLines == [1])
        }
    }

    @Test("NUL bytes are text, encoded or not")
    func nulBytes() throws {
        #expect(try contact(version: "2.1", "FN;QUOTED-PRINTABLE:a=00b", "TEL;CELL:1\0").name == "a\0b")
        #expect(try contact(version: "4.0", "TEL:tel:1%00").phones == ["1\0"])
        let nuls = String(repeating: "\0", count: 2_000)
        #expect(try contact(version: "2.1", "FN:a", "\(nuls):\(nuls)", nuls).name == "a")
    }

    @Test("A very long version is truncated in the message")
    func longVersion() throws {
        let book = try readBook("BEGIN:VCARD\nVERSION:\(String(repeating: "9", count: 1_000))\nEND:VCARD\n")
        let reason = try #require(book.unreadable.first?.reason)
        #expect(reason == "vCard 99999999999999999999 is not known: export as vCard 3.0")
    }

    @Test("Any byte anywhere in a card leaves the other cards intact", arguments: 0..<64)
    func changedBytes(seed: Int) throws {
        let middle = "BEGIN:VCARD\nVERSION:2.1\nN;QUOTED-PRINTABLE:=EA=B9=80;b\nTEL;CELL:1\nBDAY:19940521\nEND:VCARD\n"
        var bytes = Array(middle.utf8)
        // Never the last line: without it, the next card's BEGIN would end this one.
        let place = 12 + seed * 29 % (bytes.count - 23)
        bytes[place] = UInt8(seed * 37 % 256)
        let book = try readBook(bytes: Array(vCard("FN:Linh").utf8) + bytes + Array(vCard("FN:Emma").utf8))
        #expect(book.cards.first?.name == "Linh")
        #expect(book.cards.last?.name == "Emma")
    }
}
