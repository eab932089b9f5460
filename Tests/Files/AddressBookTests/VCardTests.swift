import AddressBook
import Testing

@Suite("vCard 3.0")
struct VCardTests {
    private func onlyCard(_ lines: String...) throws -> ContactCard {
        let text = (["BEGIN:VCARD", "VERSION:3.0"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
        let book = try readBook(text)
        #expect(book.unreadable.isEmpty)
        return try #require(book.cards.first)
    }

    @Test("Folded lines are joined", arguments: ["\r\n ", "\r\n\t", "\n ", "\r "])
    func folds(fold: String) throws {
        #expect(try onlyCard("FN:Sophie Marie-\(fold)Luise\(fold) Weber").name == "Sophie Marie-Luise Weber")
        #expect(try onlyCard("F\(fold)N\(fold):Linh").name == "Linh")
    }

    @Test("A fold may split a character")
    func foldInsideCharacter() throws {
        var bytes = Array("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:".utf8)
        bytes += [0xEA, 0xB9]
        bytes += Array("\r\n ".utf8)
        bytes += [0x80]
        bytes += Array("지우\r\nEND:VCARD\r\n".utf8)
        let book = try readBook(bytes: bytes)
        #expect(book.cards.map(\.name) == ["김지우"])
    }

    @Test("Escapes are decoded; other backslashes are literal")
    func escapes() throws {
        #expect(try onlyCard(#"FN:a\, b\; c\\ d\ne\Nf\: g\x"#).name == "a, b; c\\ d\ne\nf: g\\x")
        #expect(try onlyCard(#"FN:one\\nline\"#).name == "one\\nline\\")
    }

    @Test("All labels of a group apply to its phones, in any order")
    func labelsOfGroup() throws {
        let card = try onlyCard(
            "a.TEL:1", "b.X-ABLabel:* Home", "b.X-ABLabel:Mobile", "b.TEL:2", "c.TEL:3", "c.X-ABLabel: ",
            "c.X-ABLabel:Fax", "d.TEL;TYPE=CELL:4", "d.X-ABLabel:_$!<Home>!$_", "X-ABLabel:Fax")
        #expect(card.phones == ["2", "4", "1"])
    }

    @Test("Groups and parameters, quoted or not, in any case")
    func parameters() throws {
        let card = try onlyCard(
            "home.TEL;X-NOTE=\"a;b:c\":1", "item1.TEL;type=CELL;type=VOICE:2", "TEL;TYPE=\"voice,cell\":3", "TEL;CELL:4"
        )
        #expect(card.phones == ["2", "3", "4", "1"])
    }

    @Test("Mobiles come first, then preferred phones; fax and pager are ignored")
    func phoneOrder() throws {
        let card = try onlyCard(
            "TEL;TYPE=HOME:home", "TEL;TYPE=WORK,PREF:work", "TEL;TYPE=FAX,PREF:fax", "TEL;TYPE=CELL:cell",
            "TEL;TYPE=PAGER:pager", "TEL;TYPE=iphone;TYPE=pref:iphone", "TEL;TYPE=MOBILE:mobile", "TEL:plain", "TEL: ")
        #expect(card.phones == ["iphone", "cell", "mobile", "work", "home", "plain"])
        #expect(try onlyCard("FN:a", "TEL;TYPE=FAX:1", "TEL;TYPE=PAGER:2").phones.isEmpty)
    }

    @Test(
        "Without a formatted name, it is composed of its parts",
        arguments: [
            ("N:Nguyen;Linh;Thi;Dr.;", "Linh Thi Nguyen"),
            ("N:Stevenson;John;Philip,Paul;Dr.;Jr.,M.D.", "John Philip Paul Stevenson"),
            ("N:김;지우;;;", "김지우"), ("N:山田;花子;;;", "山田花子"), ("N:スミス;ジョン;;;", "スミスジョン"), ("N:毛;東;澤", "毛澤東"),
            ("N:강;민준 🌵;;;", "강민준 🌵"), ("N:한;Min-seo;;;", "Min-seo 한"), ("N: 김 ; 지우 ;;;", "김지우"),
            ("N:;Linh", "Linh"), ("N:김", "김"), (#"N:O\;Brien;Daniel"#, "Daniel O;Brien"), ("N:;;;;", nil),
        ] as [(String, String?)])
    func nameFromParts(line: String, name: String?) throws {
        #expect(try onlyCard(line, "TEL:1").name == name)
        #expect(try onlyCard("FN: ", line).name == name)
        #expect(try onlyCard(line, "FN:Formatted ").name == "Formatted ")
    }

    @Test("The first non-blank nickname of the list")
    func nickname() throws {
        #expect(try onlyCard("NICKNAME:Em,Emmie").nickname == "Em")
        #expect(try onlyCard(#"NICKNAME:Em\, the first,Emmie"#).nickname == "Em, the first")
        #expect(try onlyCard("NICKNAME: ,지우").nickname == "지우")
        #expect(try onlyCard("NICKNAME:").nickname == nil)
    }

    @Test(
        "Birthdays as written, without the year that Apple marks as omitted",
        arguments: [
            ("BDAY:1994-05-21", "1994-05-21"), ("BDAY;VALUE=date:19940521", "19940521"), ("BDAY:--0521", "--0521"),
            ("BDAY;VALUE=date;X-APPLE-OMIT-YEAR=1604:1604-05-21", "--05-21"),
            ("BDAY;X-APPLE-OMIT-YEAR=\"1604\":16040521", "--05-21"),
            ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-21T00:00:00Z", "--05-21"),
            ("BDAY;X-APPLE-OMIT-YEAR=1604:1994-05-21", "1994-05-21"), ("BDAY:1604-05-21", "--05-21"),
            ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-5", "1604-5"), ("BDAY:spring", "spring"), ("BDAY:", nil),
        ] as [(String, String?)])
    func birthday(line: String, birthday: String?) throws {
        #expect(try onlyCard(line).birthday == birthday)
    }

    @Test(
        "A photo of many MiB in folded lines is skipped",
        arguments: ["PHOTO", "item2.LOGO", "KEY", "SOUND", "NOTE", "X-ANY"])
    func photo(property: String) throws {
        // Beyond the limits of a line and of a card.
        let isLarge = property == "PHOTO"
        let fold = String(repeating: "\r\n " + String(repeating: "A", count: 74), count: isLarge ? 120_000 : 1_000)
        let photo = "\(property);ENCODING=b;TYPE=JPEG:AAAA\(fold)"
        let book = try readBook(vCard("FN:Linh", photo, "TEL:1") + vCard("FN:Emma"))
        #expect(book.unreadable.isEmpty)
        #expect(book.cards.map(\.name) == ["Linh", "Emma"])
        #expect(book.cards.map(\.line) == [1, isLarge ? 120_007 : 1_007])
        #expect(book.cards.first?.phones == ["1"])
    }

    @Test("An endless name makes its contact unreadable, without filling memory")
    func endlessName() throws {
        let fold = String(repeating: "\r\n " + String(repeating: "A", count: 1_000), count: 1_100)
        let book = try readBook(vCard("FN:\(fold)", "TEL:1") + vCard("FN:Emma"))
        #expect(book.cards.map(\.name) == ["Emma"])
        #expect(book.unreadable == [UnreadableContact(line: 1, reason: "line 3 is too long for a name or a number")])
    }

    @Test("Endless phones make their contact unreadable, without filling memory")
    func endlessPhones() throws {
        let phone = "TEL:" + String(repeating: "1", count: 1_000)
        let phones = Array(repeating: phone, count: 1_100).joined(separator: "\r\n")
        let book = try readBook(vCard(phones) + vCard("FN:Emma"))
        #expect(book.cards.map(\.name) == ["Emma"])
        #expect(book.unreadableLines == [1])
    }

    @Test("A file may hold cards of several versions")
    func versions() throws {
        let old = "BEGIN:VCARD\nVERSION:2.1\nN:Nguyen;Linh\nTEL;CELL:1\nEND:VCARD\n"
        let new = "BEGIN:VCARD\nVERSION:4.0\nFN:Zoë\nTEL:tel:2\nEND:VCARD\n"
        let book = try readBook(old + vCard(#"FN:Em\nma"#) + new)
        #expect(book.unreadable.isEmpty)
        #expect(book.cards.map(\.name) == ["Linh Nguyen", "Em\nma", "Zoë"])
        #expect(book.cards.map(\.phones) == [["1"], [], ["2"]])
    }

    @Test("A card without an end does not swallow the next one")
    func missingEnd() throws {
        let book = try readBook("BEGIN:VCARD\nVERSION:3.0\nFN:Linh\n" + vCard("FN:Emma") + "BEGIN:VCARD\nFN:Zoë")
        #expect(book.cards == [ContactCard(line: 4, name: "Emma")])
        #expect(book.unreadableLines == [1, 8])
    }

    @Test("Text between cards is reported once, however long it is")
    func stray() throws {
        let book = try readBook(vCard("FN:Linh") + "FN:Lost\nTEL:1\nEND:VCARD\n\n" + vCard("FN:Emma") + "END:VCARD\n")
        #expect(book.cards.map(\.name) == ["Linh", "Emma"])
        #expect(book.unreadableLines == [5, 13])
    }

    @Test("Blank lines, and lines without a colon, are skipped")
    func junkLines() throws {
        let card = try onlyCard("FN:Linh", "", "left over from a note", "TEL:1", "TEL")
        #expect(card == ContactCard(line: 1, name: "Linh", phones: ["1"]))
    }

    @Test("Bytes that are not UTF-8 make the contact unreadable, even in unneeded lines")
    func notUTF8() throws {
        var bytes = Array("BEGIN:VCARD\nVERSION:3.0\nFN:Linh\nNOTE:".utf8)
        bytes += [0xC3]
        bytes += Array("\nEND:VCARD\n".utf8)
        let book = try readBook(bytes: bytes)
        #expect(book.cards.isEmpty)
        #expect(book.unreadable.first?.reason.hasPrefix("line 4 is not UTF-8") == true)
    }

    @Test("The first of several names counts")
    func repeatedProperties() throws {
        let card = try onlyCard("FN:", "FN:Linh", "FN:Emma", "BDAY:05-21", "BDAY:06-22", "NICKNAME:Li", "NICKNAME:Em")
        #expect(card == ContactCard(line: 1, name: "Linh", nickname: "Li", birthday: "05-21"))
    }
}
