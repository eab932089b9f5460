import AddressBook
import Testing

@Suite("The fictional address books")
struct FixtureTests {
    @Test("An iPhone's vCards")
    func iPhone() throws {
        let book = try readBook(path: fixture("iphone.vcf"))
        #expect(book.unreadable.isEmpty)
        #expect(
            book.cards == [
                ContactCard(
                    line: 1, name: "김지우", nickname: "지우", phones: ["010-0000-0101"], birthday: "1994-05-21"),
                ContactCard(
                    line: 13, name: "이서연", phones: ["+82 10-0000-0102", "02-000-0102"], birthday: "--02-29"),
                ContactCard(line: 23, name: "박도윤", phones: ["010-0000-0103"]),
                ContactCard(line: 42, name: "최하준", phones: ["01000000104"]),
                ContactCard(
                    line: 51, name: "Emma Clarke", nickname: "Em", phones: ["07700 900105", "020 7946 0105"],
                    birthday: "1988-11-03"),
                ContactCard(line: 64, name: "Daniel O'Brien, Jr.", phones: ["(202) 555-0106"]),
                ContactCard(line: 75, name: "정은", phones: ["+82 (0)10-0000-0108"], birthday: "20010101"),
                ContactCard(line: 86, name: "Linh Thi Nguyen", phones: ["+1 (415) 555-0109"]),
                ContactCard(line: 93, name: "동네 복사집"),
                ContactCard(line: 103, name: "山田 花子", phones: ["+44 7700 900111"], birthday: "1979-07-07"),
                ContactCard(
                    line: 114, name: "강민준 🌵", nickname: "👨‍👩‍👧 아빠", phones: ["010 0000 0112", "02-000-0113"]),
                ContactCard(
                    line: 124, name: "Sophie Marie-Luise Weber", phones: ["+1 202-555-0114", "+1 202-555-0115"],
                    birthday: "1990-12-31"),
            ])
    }

    @Test("Google's table")
    func google() throws {
        let book = try readBook(path: fixture("google-contacts.csv"))
        #expect(book.unreadable.isEmpty)
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "김지우", nickname: "지우", phones: ["010-0000-0201"], birthday: "1994-05-21"),
                ContactCard(
                    line: 3, name: "이서연", phones: ["+82 10-0000-0202", "02-000-0202"], birthday: "--02-29",
                    tags: ["친구"]),
                ContactCard(
                    line: 4, name: "Emma Rose Clarke", nickname: "Em", phones: ["07700 900203", "07700 900204"],
                    birthday: "1988-11-03"),
                ContactCard(line: 5, name: "Daniel O'Brien", phones: ["(202) 555-0105", "(202) 555-0107"]),
                ContactCard(line: 9, name: "강민준 🌵", nickname: "👨‍👩‍👧 아빠", phones: ["010-0000-0208"]),
                ContactCard(line: 10, name: "山田花子", phones: ["+44 7700 900209"], birthday: "1979-07-07"),
                ContactCard(line: 11, name: "Zoë \"Zed\" Müller", phones: ["+1 202-555-0111", "+1 202-555-0110"]),
                ContactCard(
                    line: 12, name: "엄마", phones: ["010-0000-0212", "010-0000-0213", "031-000-0214"],
                    birthday: "1966-08-15"),
                ContactCard(line: 13, name: "Linh Thi Nguyen", phones: ["+1 (415) 555-0115"]),
                ContactCard(line: 14, phones: ["02-000-0216"]),
                ContactCard(line: 15, name: "Min-seo 한", phones: ["010-0000-0217"]),
                ContactCard(line: 16, name: "Newsletter"),
            ])
    }

    @Test("Our own table")
    func friends() throws {
        let book = try readBook(path: fixture("friends.csv"))
        #expect(book.unreadable.isEmpty)
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "김지우", nickname: "지우", phones: ["010-0000-0301"], birthday: "1994-05-21",
                    cycleDays: "1", alarm: "09:00"),
                ContactCard(
                    line: 3, name: "이서연", phones: ["010-0000-0302"], birthday: "02-29", cycleDays: "3",
                    alarm: "21:30"),
                ContactCard(
                    line: 4, name: "박도윤", nickname: "도윤이", phones: ["+82 10-0000-0303"], birthday: "--12-25",
                    cycleDays: "5", alarm: "08:00"),
                ContactCard(
                    line: 5, name: "최하준", phones: ["010-0000-0304"], birthday: "19880101", cycleDays: "7"),
                ContactCard(
                    line: 6, name: "Emma Clarke", nickname: "Em", phones: ["07700 900305"], birthday: "1988-11-03",
                    cycleDays: "10", alarm: "07:45"),
                ContactCard(
                    line: 7, name: "O'Brien, Daniel", nickname: "Dan", phones: ["(202) 555-0106"], cycleDays: "15"),
                ContactCard(
                    line: 8, name: "정은", nickname: "은이", phones: ["010 0000 0307"], cycleDays: "21", alarm: "12:00"),
                ContactCard(
                    line: 9, name: "강민준 🌵", nickname: "👨‍👩‍👧 아빠", phones: ["010-0000-0308"], birthday: "05-08",
                    cycleDays: "30", alarm: "18:00"),
                ContactCard(
                    line: 10, name: "Zoë \"Zed\" Müller", nickname: "Zed", phones: ["+1 202-555-0109"],
                    birthday: "1975-03-14", cycleDays: "60"),
                ContactCard(
                    line: 11, name: "山田花子", phones: ["+44 7700 900310"], birthday: "1979-07-07", cycleDays: "90",
                    alarm: "06:15"),
            ])
    }

    @Test(
        "All their phone numbers can be parsed",
        arguments: [
            "iphone.vcf", "android.vcf", "samsung.vcf", "feature-phone.vcf", "google.vcf", "icloud.vcf", "rfc6350.vcf",
            "google-contacts.csv", "friends.csv",
        ])
    func numbersArePossible(name: String) throws {
        for phone in try readBook(path: fixture(name)).cards.flatMap(\.phones) {
            let region = phone.hasPrefix("(") ? "US" : phone.hasPrefix("07") || phone.hasPrefix("020") ? "GB" : "KR"
            #expect(PhoneNumberParser.e164(phone, region: region) != nil, "\(phone)")
        }
    }

    @Test("Broken vCards make one contact each unreadable")
    func brokenCards() throws {
        let book = try readBook(path: fixture("broken.vcf"))
        #expect(
            book.cards == [
                ContactCard(line: 1, name: "김지우", phones: ["010-0000-0401"]),
                ContactCard(line: 16, name: "최하준", phones: ["010-0000-0404"]),
                ContactCard(line: 47, name: "전화 없음"),
                ContactCard(line: 52, name: "글자 번호", phones: ["010-MY-CACTUS"]),
                ContactCard(line: 57, phones: ["010-0000-0413"]),
                ContactCard(line: 62, name: "Sophie Weber", phones: ["+1 202-555-0114"]),
            ])
        #expect(
            book.unreadable == [
                UnreadableContact(
                    line: 6,
                    reason: "line 8 is quoted-printable, but not in UTF-8: export the contact once more, as UTF-8"),
                UnreadableContact(line: 11, reason: "vCard 5.0 is not known: export as vCard 3.0"),
                UnreadableContact(line: 20, reason: "the card has no end: END:VCARD is missing"),
                UnreadableContact(
                    line: 24, reason: "line 26 is not UTF-8: export the contact once more, as UTF-8"),
                UnreadableContact(
                    line: 29, reason: "line 31 is not UTF-8: export the contact once more, as UTF-8"),
                UnreadableContact(
                    line: 34,
                    reason: "line 36 is quoted-printable, but not in JAMO-1: export the contact once more, as UTF-8"),
                UnreadableContact(
                    line: 39, reason: "line 42 gives no TEL: a colon or a closing quote is missing"),
                UnreadableContact(
                    line: 44, reason: "what stands here belongs to no card: BEGIN:VCARD is missing"),
                UnreadableContact(line: 67, reason: "the card has no end: END:VCARD is missing"),
            ])
    }

    @Test("Broken rows make one contact each unreadable, an open quote all that follow")
    func brokenRows() throws {
        let book = try readBook(path: fixture("broken.csv"))
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "김지우", nickname: "지우", phones: ["010-0000-0501"], birthday: "1994-05-21"),
                ContactCard(line: 5, name: "박도윤", phones: ["010-0000-0503"]),
                ContactCard(line: 9, name: "Zoë 12\" Müller", phones: ["010-0000-0507"]),
                ContactCard(line: 10, name: "전화 없음"),
                ContactCard(line: 11, name: "글자 번호", phones: ["010-MY-CACTUS"]),
                ContactCard(line: 12, phones: ["010-0000-0510"]),
                ContactCard(
                    line: 13, name: "Emma Clarke", nickname: "Em", phones: ["07700 900511"], birthday: "1989-02-30"),
            ])
        #expect(book.unreadableLines == [4, 6, 7, 14])
        #expect(book.unreadable.first?.reason.hasPrefix("the row has 5 cells, but the header only 4") == true)
        #expect(book.unreadable.last?.reason.contains("never closed") == true)
    }
}
