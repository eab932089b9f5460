import AddressBook
import Testing

@Suite("vCard 2.1")
struct VCardOldVersionTests {
    private let name = "=EA=B9=80=EC=A7=80=EC=9A=B0"

    @Test(
        "Quoted-printable text, however it is declared",
        arguments: [
            ";CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE", ";ENCODING=QUOTED-PRINTABLE", ";QUOTED-PRINTABLE",
            ";encoding=quoted-printable;charset=utf-8", ";ENCODING=\"QUOTED-PRINTABLE\"", ";TYPE=QUOTED-PRINTABLE",
        ])
    func quotedPrintableText(parameters: String) throws {
        #expect(try contact(version: "2.1", "FN\(parameters):\(name)").name == "김지우")
        #expect(try contact(version: "3.0", "FN\(parameters):\(name)").name == "김지우")
        #expect(try contact(version: "4.0", "FN\(parameters):\(name)").name == "김지우")
    }

    @Test("A soft line break may stand anywhere, even within a character or a byte", arguments: 0...27)
    func softLineBreaks(place: Int) throws {
        let start = name.prefix(place)
        let broken = "FN;ENCODING=QUOTED-PRINTABLE:\(start)=\r\n\(name.dropFirst(place))"
        #expect(try contact(version: "2.1", broken, "TEL:1") == ContactCard(line: 1, name: "김지우", phones: ["1"]))
    }

    @Test("A line after a soft line break is taken literally, and an empty one ends the text")
    func softLineBreakEnds() throws {
        #expect(try contact(version: "2.1", "FN;QUOTED-PRINTABLE:Linh=", " Thi").name == "Linh Thi")
        #expect(try contact(version: "2.1", "FN;QUOTED-PRINTABLE:Linh= ", "Thi").name == "LinhThi")
        #expect(try contact(version: "2.1", "FN;QUOTED-PRINTABLE:Linh=", "", "TEL:1").phones == ["1"])
    }

    @Test("Without quoted-printable, a `=` at the end of a line is text")
    func equalsSign() throws {
        let card = try contact(version: "2.1", "FN:Linh=", "TEL;CELL:1", "URL:http://example.com/?a=", "TEL:2")
        #expect(card == ContactCard(line: 1, name: "Linh=", phones: ["1", "2"]))
    }

    @Test("A fold keeps the white space that follows it")
    func folds() throws {
        #expect(try contact(version: "2.1", "FN:Sophie\r\n Marie-Luise\r\n\tWeber").name == "Sophie Marie-Luise\tWeber")
        #expect(try contact(version: "3.0", "FN:Sophie\r\n Marie-Luise\r\n\tWeber").name == "SophieMarie-LuiseWeber")
        #expect(try contact(version: "2.1", "N:Weber;Sophie\r\n Marie;;;").name == "Sophie Marie Weber")
    }

    @Test(
        "White space added by a fold is removed where it can be detected",
        arguments: [
            ("FN:Sophie\r\n  Weber", "Sophie Weber"), ("FN:Sophie \r\n Weber", "Sophie Weber"),
            ("FN;QUOTED-PRINTABLE:=EA=B9\r\n =80=EC=A7=80=E\r\n C=9A=B0", "김지우"),
            ("FN;X-ANY=a\r\n b;QUOTED-PRI\r\n NTABLE\r\n :Zo=C3=AB", "Zoë"), ("F\r\n N:Linh", "Linh"),
        ])
    func addedWhiteSpace(line: String, name: String) throws {
        #expect(try contact(version: "2.1", line).name == name)
    }

    @Test("A fold may split a character, in needed and unneeded lines")
    func foldInsideCharacter() throws {
        var bytes = Array("BEGIN:VCARD\r\nVERSION:2.1\r\n".utf8)
        for property in ["FN:", "NOTE:"] {
            bytes += Array(property.utf8)
            bytes += [0xEA, 0xB9]
            bytes += Array("\r\n ".utf8)
            bytes += [0x80]
            bytes += Array("지우\r\n".utf8)
        }
        bytes += Array("END:VCARD\r\n".utf8)
        let book = try readBook(bytes: bytes)
        #expect(book.cards == [ContactCard(line: 1, name: "김지우")])
    }

    @Test("Before its version is known, a card is unfolded as in later versions")
    func foldBeforeVersion() throws {
        let card = try contact(version: nil, "FN:Sophie\r\n Weber", "VERSION:2.1", "NICKNAME:Sophie\r\n Luise")
        #expect(card == ContactCard(line: 1, name: "SophieWeber", nickname: "Sophie Luise"))
        let book = try readBook("BEGIN:VCARD\nVERSION:2.1\nFN:Li\n nh\nEND:VCARD\n" + vCard("FN:Zo\r\n ë"))
        #expect(book.cards.map(\.name) == ["Li nh", "Zoë"])
    }

    @Test(
        "A property's charset",
        arguments: [
            ("EUC-KR", "=B1=E8=C1=F6=BF=EC", "김지우"), ("KS_C_5601-1987", "=B1=E8=C1=F6=BF=EC", "김지우"),
            ("CP949", "=8C=63", "똠"), ("SHIFT_JIS", "=8E=52=93=63", "山田"), ("ISO-8859-1", "Zo=EB", "Zoë"),
            ("UTF-8", "Zo=C3=AB", "Zoë"),
        ])
    func charset(charset: String, value: String, name: String) throws {
        let card = try contact(version: "2.1", "FN;CHARSET=\(charset);ENCODING=QUOTED-PRINTABLE:\(value)")
        #expect(card.name == name)
    }

    @Test("Unencoded text is in the file's encoding, whatever its charset parameter")
    func charsetOfPlainText() throws {
        #expect(try contact(version: "2.1", "FN;CHARSET=EUC-KR:김지우").name == "김지우")
    }

    @Test(
        "Text in another charset than declared makes only its contact unreadable",
        arguments: [
            (";CHARSET=UTF-8", "UTF-8"), ("", "UTF-8"), (";CHARSET=US-ASCII", "US-ASCII"),
            (";CHARSET=JAMO-1", "JAMO-1"),
        ])
    func wrongCharset(parameter: String, charset: String) throws {
        let old = "BEGIN:VCARD\nVERSION:2.1\nTEL:1\nFN\(parameter);ENCODING=QUOTED-PRINTABLE:=B1=E8\nEND:VCARD\n"
        let book = try readBook(old + vCard("FN:Emma"))
        #expect(book.cards.map(\.name) == ["Emma"])
        let reason = "line 4 is quoted-printable, but not in \(charset): export the contact once more, as UTF-8"
        #expect(book.unreadable == [UnreadableContact(line: 1, reason: reason)])
    }

    @Test("An encoded line break is a newline, an encoded semicolon is not a separator")
    func encodedSigns() throws {
        #expect(try contact(version: "2.1", "FN;QUOTED-PRINTABLE:a=0D=0Ab=0Ac").name == "a\nb\nc")
        #expect(try contact(version: "2.1", "N;QUOTED-PRINTABLE:O=3BBrien;Daniel").name == "Daniel O;Brien")
        #expect(try contact(version: "2.1", "N;QUOTED-PRINTABLE:O\\;Brien;Dan=69el").name == "Daniel O;Brien")
    }

    @Test("Lower-case hexadecimal digits are valid, and a `=` before other characters is literal")
    func looseText() throws {
        #expect(try contact(version: "2.1", "FN;QUOTED-PRINTABLE:Zo=c3=ab").name == "Zoë")
        #expect(try contact(version: "2.1", "FN;QUOTED-PRINTABLE:1+1=2, a==41, =ZZ").name == "1+1=2, a=A, =ZZ")
    }

    @Test("`\\n` is not an escape, and commas do not separate")
    func escapes() throws {
        #expect(try contact(version: "2.1", #"FN:C:\notes\; a\\b"#).name == #"C:\notes; a\b"#)
        #expect(try contact(version: "2.1", "N:Stevenson;John;Philip,Paul").name == "John Philip,Paul Stevenson")
        #expect(try contact(version: "2.1", "NICKNAME:Em, the first").nickname == "Em, the first")
    }

    @Test("Bare parameters are kinds of phone")
    func bareParameters() throws {
        let card = try contact(
            version: "2.1", "TEL;HOME;VOICE:home", "TEL;WORK;FAX:fax", "TEL;WORK;PREF:work", "TEL;CELL:cell",
            "item1.TEL;CELL;PREF:best", "TEL;PAGER:pager")
        #expect(card.phones == ["best", "cell", "work", "home"])
    }

    @Test("Samsung's custom labels for phones")
    func customLabels() throws {
        let head = "TEL;X-CUSTOM(CHARSET=UTF-8,ENCODING=QUOTED-PRINTABLE,"
        let mobile = quotedPrintable("내 휴대폰".utf8)
        let fax = quotedPrintable("팩스".utf8)
        let card = try contact(
            version: "2.1", "TEL;HOME:1", "\(head)\(fax)):2", "\(head)\(mobile)):3", "\(head)\(mobile.prefix(20))=",
            "\(mobile.dropFirst(20))):4", "TEL;X-CUSTOM(CHARSET=UTF-8,ENCODING=8BIT,Mobile):5", "TEL;X-CUSTOM(:6")
        #expect(card.phones == ["3", "4", "5", "1", "6"])
    }

    @Test(
        "Photos in base64, with and without indented lines, and with or without an empty line at the end",
        arguments: ["", " ", "\t", "   "], [true, false])
    func photos(indent: String, isEmptyLineAtEnd: Bool) throws {
        let lines = String(repeating: "\r\n\(indent)/9j/4AAQSkZJRgABAQ==", count: 80_000)
        let photo = "PHOTO;JPEG;ENCODING=BASE64:" + lines + (isEmptyLineAtEnd ? "\r\n" : "")
        let card = try contact(version: "2.1", "FN:Linh", photo, "TEL;CELL:1")
        #expect(card == ContactCard(line: 1, name: "Linh", phones: ["1"]))
    }

    @Test("A quoted-printable note of many MiB is skipped")
    func longNote() throws {
        let note = String(repeating: "=EA=B9=80:TEL;=\r\n", count: 100_000)
        let card = try contact(version: "2.1", "NOTE;ENCODING=QUOTED-PRINTABLE:\(note)", "TEL;CELL:1")
        #expect(card.phones == ["1"])
    }

    @Test("The card of an agent is not the contact's")
    func agents() throws {
        let inner = ["AGENT:", "BEGIN:VCARD", "FN:B", "END:VCARD"]
        let agent = ["AGENT:", "BEGIN:VCARD", "VERSION:2.1", "FN:Agent", "TEL;CELL:2"] + inner + ["END:VCARD"]
        let nested = agent.joined(separator: "\r\n")
        let expected = ContactCard(line: 1, name: "Linh", phones: ["1"])
        #expect(try contact(version: "2.1", nested, "FN:Linh", "TEL:1") == expected)
        #expect(try contact(version: "2.1", "AGENT:BEGIN:VCARD", "FN:A", "END:VCARD", "FN:Linh", "TEL:1") == expected)
        #expect(try contact(version: "3.0", #"AGENT:BEGIN:VCARD\nFN:B\nEND:VCARD\n"#, "FN:Linh", "TEL:1") == expected)
        #expect(try contact(version: "3.0", "AGENT;VALUE=uri:cid:a@example.com", "FN:Linh", "TEL:1") == expected)
    }

    @Test("An agent's card without an end makes only its contact unreadable")
    func agentWithoutEnd() throws {
        let book = try readBook("BEGIN:VCARD\nVERSION:2.1\nAGENT:\nBEGIN:VCARD\nFN:B\nEND:VCARD\n" + vCard("FN:Emma"))
        #expect(book.cards.map(\.name) == ["Emma"])
        #expect(book.unreadableLines == [1])
    }

    @Test("Nicknames that Android writes as database rows")
    func androidNickname() throws {
        let row = "vnd.android.cursor.item/nickname"
        #expect(try contact(version: "2.1", "X-ANDROID-CUSTOM:\(row);별명;1;;;").nickname == "별명")
        let encoded = "X-ANDROID-CUSTOM;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:\(row);=EB=B3=84=EB=AA=85;=31;;"
        #expect(try contact(version: "2.1", encoded).nickname == "별명")
        #expect(try contact(version: "3.0", #"X-ANDROID-CUSTOM:\#(row);a\;b;1"#).nickname == "a;b")
        #expect(try contact(version: "3.0", "X-ANDROID-CUSTOM:\(row);a", "NICKNAME:b").nickname == "b")
        #expect(try contact(version: "2.1", "X-ANDROID-CUSTOM:\(row);", "X-ANDROID-CUSTOM:\(row)").nickname == nil)
        #expect(try contact(version: "2.1", "X-ANDROID-CUSTOM:vnd.android.cursor.item/relation;a;1").nickname == nil)
    }

    @Test("The version of a card without one is guessed")
    func missingVersion() throws {
        #expect(try contact(version: nil, #"FN:a\nb"#, "TEL;TYPE=CELL:1").name == "a\nb")
        #expect(try contact(version: nil, #"FN:a\nb"#, "TEL;CELL:1").name == #"a\nb"#)
        #expect(try contact(version: nil, #"FN:a\nb"#, "N;ENCODING=QUOTED-PRINTABLE:a").name == #"a\nb"#)
        #expect(try contact(version: nil, "FN:Linh", "VERSION: ").name == "Linh")
    }

    @Test("The version may come last")
    func lateVersion() throws {
        #expect(try contact(version: nil, #"FN:a\nb"#, "TEL;CELL:1", "VERSION:3.0").name == "a\nb")
    }
}
