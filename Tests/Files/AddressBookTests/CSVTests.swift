import AddressBook
import Testing

@Suite("Tables")
struct CSVTests {
    @Test("Comma, semicolon or tab is detected from the header", arguments: [",", ";", "\t"])
    func separators(separator: String) throws {
        let rows = [["\"na\"\"me\"", "name", "phone"], ["x", "Linh", "1"]].map { $0.joined(separator: separator) }
        #expect(try readBook(rows.joined(separator: "\n")).cards == [ContactCard(line: 2, name: "Linh", phones: ["1"])])
    }

    @Test("A separator in a quoted title does not count")
    func quotedHeader() throws {
        let book = try readBook("\"a,b,c,d\";name;phone\n1,2;Linh;3\n")
        #expect(book.cards == [ContactCard(line: 2, name: "Linh", phones: ["3"])])
    }

    @Test("Quoted cells keep separators, quotes and newlines")
    func quotes() throws {
        let row = "\"Nguyen, \"\"Li\"\" Linh\",\"1\",\"two\r\nlines\n\"\r\n"
        let book = try readBook("name,phone,nickname\r\n\(row)Emma,2,\"\"\r\n")
        #expect(
            book.cards == [
                ContactCard(line: 2, name: "Nguyen, \"Li\" Linh", nickname: "two\r\nlines\n", phones: ["1"]),
                ContactCard(line: 5, name: "Emma", phones: ["2"]),
            ])
    }

    @Test(
        "Misplaced quotes are taken literally",
        arguments: [
            ("12\" Linh", "12\" Linh"), ("\"Li\"nh", "Linh"), ("\"Li\"n\"h", "Lin\"h"),
            (" \"Linh\"", " \"Linh\""),
        ])
    func oddQuotes(cell: String, name: String) throws {
        #expect(try readBook("name,phone\n\(cell),1\n").cards == [ContactCard(line: 2, name: name, phones: ["1"])])
    }

    @Test("An unterminated quote swallows the rest")
    func openQuote() throws {
        let book = try readBook("name,phone\nLinh,1\n\nEmma,\"2\nZoë,3\n")
        #expect(book.cards.map(\.name) == ["Linh"])
        #expect(book.unreadableLines == [4])
    }

    @Test("A row of more than 8 MiB ends the reading")
    func longRow() throws {
        let line = String(repeating: "x", count: 1 << 20) + "\n"
        let bytes = Array(("name,phone\nLinh,1\n\"" + String(repeating: line, count: 9)).utf8)
        let reason = try #require(try refusal(ofBytes: bytes))
        #expect(reason.hasPrefix("the row that begins in line 3 is longer than 8 MiB"))
    }

    @Test("Surplus cells make a row unreadable, missing ones are blank, and blank rows are skipped")
    func cellCounts() throws {
        let book = try readBook("name,phone,birthday\nLinh,1,05-21,x\nEmma,2\n,,\n , ,\n,,,,\n\nZoë\nMax,4,,,x\n")
        #expect(
            book.cards == [ContactCard(line: 3, name: "Emma", phones: ["2"]), ContactCard(line: 8, name: "Zoë")])
        #expect(book.unreadableLines == [2, 9])
    }

    @Test("Blank cells beyond the header are ignored", arguments: [",", ", ", ",,,", ",\"\", \t"])
    func blankCells(cells: String) throws {
        let book = try readBook("name,phone\n김지우,010-0000-0001\(cells)\nLinh,1\n")
        #expect(
            book.cards == [
                ContactCard(line: 2, name: "김지우", phones: ["010-0000-0001"]),
                ContactCard(line: 3, name: "Linh", phones: ["1"]),
            ])
        #expect(book.unreadable.isEmpty)
    }

    @Test("Rows with absurdly many cells are refused without storing them")
    func endlessCells() throws {
        let book = try readBook("name,phone\n" + String(repeating: ",", count: 100_000) + "\nLinh,1\n")
        #expect(book.cards.map(\.name) == ["Linh"])
        #expect(book.unreadable == [UnreadableContact(line: 2, reason: "the row has more than 4096 cells")])
        let header = Array(("name,phone" + String(repeating: ",", count: 5_000)).utf8)
        #expect(try refusal(ofBytes: header)?.contains("more than 4096 columns") == true)
    }

    @Test("Texts are not trimmed, and blank ones are absent")
    func untouched() throws {
        let book = try readBook("name,phone,nickname,birthday,cycle,alarm\n Linh , 1 ,  , 05-21,7 , 09:00\n")
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: " Linh ", phones: [" 1 "], birthday: " 05-21", cycleDays: "7 ", alarm: " 09:00")
            ])
    }

    @Test("The header of our own table", arguments: ["cycle_days", "Cycle Days", " CYCLE "])
    func ourHeader(cycle: String) throws {
        let book = try readBook("Name, PHONE ,Nickname,birthday,\(cycle),Alarm,memo\nLinh,1,Li,05-21,7,09:00,x\n")
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "Linh", nickname: "Li", phones: ["1"], birthday: "05-21", cycleDays: "7",
                    alarm: "09:00")
            ])
    }

    @Test("Korean headers, composed or not")
    func koreanHeader() throws {
        let composed = "이름,휴대폰,전화번호,생일,별명,주기,알림"
        var decomposed = ""
        for scalar in composed.unicodeScalars { decomposed.unicodeScalars += hangulLetters(of: scalar) }
        #expect(decomposed.unicodeScalars.count > composed.unicodeScalars.count)
        let row = "\n김지우,010-0000-0001,02-000-0001,05-21,지우,7,09:00\n"
        for header in [composed, decomposed] {
            #expect(
                try readBook(header + row).cards == [
                    ContactCard(
                        line: 2, name: "김지우", nickname: "지우", phones: ["010-0000-0001", "02-000-0001"],
                        birthday: "05-21", cycleDays: "7", alarm: "09:00")
                ])
        }
    }

    @Test("Next to a family name, 이름 is the given name")
    func koreanNameParts() throws {
        let book = try readBook("이름,성,전화번호,휴대전화\n지우,김,1,2\nLinh,Nguyen,3,4\n")
        #expect(
            book.cards == [
                ContactCard(line: 2, name: "김지우", phones: ["2", "1"]),
                ContactCard(line: 3, name: "Linh Nguyen", phones: ["4", "3"]),
            ])
    }

    @Test("Google's older table")
    func olderGoogle() throws {
        let book = try readBook(
            """
            Name,Given Name,Additional Name,Family Name,Nickname,Birthday,Phone 1 - Type,Phone 1 - Value,\
            Phone 2 - Type,Phone 2 - Value
            Linh N.,Linh,Thi,Nguyen,Li, --05-21,Home Fax,1,Mobile,2 ::: 3
            ,지우,,김,,,Work,4,Home,5
            """)
        #expect(
            book.cards == [
                ContactCard(line: 2, name: "Linh N.", nickname: "Li", phones: ["2", "3"], birthday: " --05-21"),
                ContactCard(line: 3, name: "김지우", phones: ["4", "5"]),
            ])
    }

    @Test("Labels decide which number comes first", arguments: ["Mobile", "* Mobile", "CELL", "휴대폰", "휴대전화", "iPhone"])
    func mobileLabels(label: String) throws {
        let book = try readBook(
            """
            name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Value,Phone 2 - Label,Phone 3 - Label,Phone 3 - Value
            Linh,* Home,1,2,\(label),workFax,3
            """)
        #expect(book.cards == [ContactCard(line: 2, name: "Linh", phones: ["2", "1"])])
    }

    @Test("Labels decide in every row, however many there are")
    func manyLabels() throws {
        let rows = (1...300).flatMap { ["Linh,Home \($0),1,Mobile \($0),2", "Emma,Mobile,3,Home,4", "Zoë,,5, ,6"] }
        let header = "name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value\n"
        let book = try readBook(header + rows.joined(separator: "\n"))
        #expect(book.cards.count == rows.count)
        let phones = ["Linh": ["2", "1"], "Emma": ["3", "4"], "Zoë": ["5", "6"]]
        for card in book.cards { #expect(card.phones == phones[card.name ?? ""]) }
    }

    @Test(
        "A header without name or phone is reported with the titles found and those supported",
        arguments: [
            ("phone,mail", "no column for the name:"), ("name,mail", "no column for the phone:"),
            ("mail,Phonetic First Name,Phone 1 - Label", "no column for the name and no column for the phone:"),
        ])
    func missingColumns(header: String, missing: String) throws {
        let reason = try #require(try refusal(ofBytes: Array((header + "\nLinh,1\n").utf8)))
        #expect(reason.contains(missing))
        let firstTitle = String(header.prefix { $0 != "," })
        #expect(reason.contains("Found: " + firstTitle.debugDescription))
        #expect(reason.contains("Phone 1 - Value"))
    }

    @Test("A table without a header is refused without revealing its first row")
    func missingHeader() throws {
        let reason = try #require(try refusal(ofBytes: Array("Linh,+84901234567,tea\nAn,1,\n".utf8)))
        #expect(reason.contains("no column for the name and no column for the phone:"))
        #expect(reason.contains("Found: no title that is understood."))
        #expect(!["Linh", "84901234567", "tea"].contains { reason.contains($0) })
    }

    @Test("A header in an unknown encoding, and one with an unterminated quote")
    func brokenHeader() throws {
        let bytes = Array("name,phone,".utf8) + [0xFF]
        #expect(try refusal(ofBytes: bytes)?.hasSuffix("is not UTF-8: save as UTF-8") == true)
        #expect(try refusal(ofBytes: Array("name,\"phone\nLinh,1\n".utf8))?.contains("never closed") == true)
    }

    @Test("All columns of our own table, in English and in Korean")
    func wholeTable() throws {
        let english = "name,phone,nickname,birthday,birthday_calendar,cycle_days,alarm,tags,account"
        let korean = "이름,전화번호,별명,생일,음력/양력,주기,알림,그룹,계정"
        for header in [english, korean, korean.replacing("음력/양력", with: "달력").replacing("그룹", with: "태그")] {
            let book = try readBook(header + "\nLinh,1,Li,04-08,lunar,7,09:00,\"a, b;c,\",me@example.com\n")
            #expect(
                book.cards == [
                    ContactCard(
                        line: 2, name: "Linh", nickname: "Li", phones: ["1"], birthday: "04-08",
                        birthdayCalendar: .lunar(isLeapMonth: false), cycleDays: "7", alarm: "09:00",
                        tags: ["a", "b", "c"], account: "me@example.com")
                ])
        }
    }

    @Test(
        "Titles of our own table in all spellings",
        arguments: [
            "birthday_calendar", "Birthday Calendar", "birthday-calendar", "birthdayCalendar", " Birthday  Calendar ",
        ])
    func spellings(title: String) throws {
        let book = try readBook("name,phone,birthday,\(title)\nLinh,1,04-08,음력\n")
        #expect(book.cards.map(\.birthdayCalendar) == [.lunar(isLeapMonth: false)])
    }

    @Test("An unknown calendar is kept as written, next to the birthday")
    func unknownCalendar() throws {
        let book = try readBook("name,phone,birthday,달력\nLinh,1,04-08, mayan\nEmma,2,,mayan\nZoë,3,04-08,\n")
        #expect(
            book.cards == [
                ContactCard(line: 2, name: "Linh", phones: ["1"], birthday: "04-08", unknownCalendar: " mayan"),
                ContactCard(line: 3, name: "Emma", phones: ["2"]),
                ContactCard(line: 4, name: "Zoë", phones: ["3"], birthday: "04-08"),
            ])
        #expect(book.unreadable.isEmpty)
    }

    @Test("Placeholders that exporters write for no birthday", arguments: ["0/0/00", "0000-00-00", "-", " 0/0/00"])
    func noBirthday(text: String) throws {
        let book = try readBook("name,phone,birthday\nLinh,1,\(text)\n")
        #expect(book.cards == [ContactCard(line: 2, name: "Linh", phones: ["1"])])
    }

    @Test("Of columns with the same title the first non-blank one counts; of phones and tags, all")
    func sameTitles() throws {
        let book = try readBook("name,name,phone,phone,nickname,별명,tags,tags\n ,Linh,1,2,Li,Lili,a,b\n")
        #expect(
            book.cards == [ContactCard(line: 2, name: "Linh", nickname: "Li", phones: ["1", "2"], tags: ["a", "b"])])
    }

    @Test(
        "Mobiles come first, whatever their title",
        arguments: ["Mobile", "Mobile Phone", "휴대폰", "휴대전화", "핸드폰", "휴대폰 번호", "휴대폰번호", "추가휴대폰번호1"])
    func mobileColumns(title: String) throws {
        let book = try readBook("이름,집 전화,집전화2,\(title),회사전화,팩스,Pager\nLinh,1,2,3,4,5,6\n")
        #expect(book.cards == [ContactCard(line: 2, name: "Linh", phones: ["3", "1", "2", "4"])])
    }

    @Test("A table with only faxes and pagers has no phone column")
    func onlyFaxes() throws {
        let reason = try #require(try refusal(ofBytes: Array("name,Business Fax,Pager\nLinh,1,2\n".utf8)))
        #expect(reason.contains("no column for the phone:"))
        #expect(reason.hasSuffix("--map name=성함,phone=연락처"))
    }

    @Test("Naver's current table")
    func naver() throws {
        let book = try readBook(
            """
            성,이름,휴대폰번호,이메일,그룹명,회사·소속명,직책,메모,집주소,회사주소,추가휴대폰번호1,추가이메일1,추가그룹명1,추가그룹명2
            김,지우,010-0000-0001,,가족,,,,,,010-0000-0002,,친구,대학
            """)
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "김지우", phones: ["010-0000-0001", "010-0000-0002"], tags: ["가족", "친구", "대학"])
            ])
    }

    @Test("Remember's table of business cards")
    func remember() throws {
        let book = try readBook(
            """
            회사,이름,부서,직함,전자 메일 주소,근무지 주소 번지,근무처 전화,근무처 팩스,휴대폰,명함 등록일,명함첩 이름,그룹,메모
            식물원,김지우,온실,팀장,,,02-000-0001,02-000-0002,010-0000-0001,2024-01-02,개인명함첩,"거래처,친구",
            """)
        #expect(
            book.cards == [
                ContactCard(line: 2, name: "김지우", phones: ["010-0000-0001", "02-000-0001"], tags: ["거래처", "친구"])
            ])
    }

    @Test("Google's labels, except its built-in ones")
    func labels() throws {
        let book = try readBook(
            """
            First Name,Labels,Phone 1 - Value
            Linh,* myContacts ::: a ::: b: c ::: * starred,1
            Emma,* Other Contacts,2
            Zoë,"a, b; c",3
            """)
        #expect(book.cards.map(\.tags) == [["a", "b: c"], [], ["a, b; c"]])
    }

    @Test("An account counts in our own table, but not in Outlook's, where it is a customer number")
    func account() throws {
        #expect(try readBook("name,phone,account\nLinh,1,a\n").cards.map(\.account) == ["a"])
        #expect(try readBook("First Name,Mobile Phone,Telex,Account\nLinh,1,,a\n").cards.map(\.account) == [nil])
    }
}

/// A Hangul syllable decomposed by the arithmetic of the Unicode standard; other characters unchanged.
private func hangulLetters(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    guard (0xAC00...0xD7A3).contains(scalar.value) else { return [scalar] }
    let index = scalar.value - 0xAC00
    let letters = [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28]
    return letters.filter { $0 != 0x11A7 }.compactMap { Unicode.Scalar($0) }
}
