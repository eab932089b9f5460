import AddressBook
import Testing

@Suite("The fictional tables and JSON Lines")
struct TableFixtureTests {
    @Test("Google's older table")
    func olderGoogle() throws {
        let book = try readBook(path: fixture("google-contacts-old.csv"))
        #expect(book.unreadable.isEmpty)
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "김지우", nickname: "지우",
                    phones: ["010-0000-2101", "010-0000-2102", "02-000-2101"], birthday: "1994-05-21",
                    tags: ["친구", "대학"]),
                ContactCard(line: 3, name: "Emma Rose Clarke", phones: ["07700 900212"], birthday: " --11-03"),
                ContactCard(line: 5, name: "山田花子", phones: ["+44 7700 900213"], tags: ["Tea, and cakes"]),
                ContactCard(line: 6, name: "Fern & Moss", phones: ["(202) 555-0121"]),
            ])
    }

    @Test("Outlook's table")
    func outlook() throws {
        let book = try readBook(path: fixture("outlook.csv"))
        #expect(book.unreadable.isEmpty)
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "Emma Rose Clarke",
                    phones: ["(202) 555-0133", "(202) 555-0131", "(202) 555-0132"], birthday: "11/3/1988",
                    tags: ["Friends", "Book club"]),
                ContactCard(
                    line: 3, name: "Daniel O'Brien",
                    phones: [
                        "(202) 555-0134", "(202) 555-0135", "(202) 555-0136", "(202) 555-0137", "(202) 555-0138",
                        "(202) 555-0139", "(202) 555-0140",
                    ]),
                ContactCard(line: 5, phones: ["(202) 555-0141"]),
                ContactCard(line: 6, name: "Linh Nguyen", birthday: "2/29/1992"),
            ])
    }

    @Test("Korean Outlook's table, in Windows-949")
    func koreanOutlook() throws {
        let book = try readBook(path: fixture("outlook-korean.csv"))
        #expect(book.unreadable.isEmpty)
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "김지우", phones: ["010-0000-2301", "02-000-2302"], birthday: "1994-05-21",
                    tags: ["친구", "대학"]),
                ContactCard(
                    line: 3, name: "이서연", phones: ["02-000-2304", "02-000-2305", "02-000-2306", "031-000-2307"]),
                ContactCard(
                    line: 4, name: "Emma Rose Clarke", phones: ["07700 900230", "02-000-2308"], birthday: "1988-11-03"),
                ContactCard(line: 5, name: "박도윤"),
            ])
    }

    @Test("Naver's table, in Windows-949 with letters missing from EUC-KR, and lunar birthdays")
    func naver() throws {
        let book = try readBook(path: fixture("naver.csv"))
        #expect(book.unreadable.isEmpty)
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "김지우", nickname: "지우", phones: ["010-0000-2401"], birthday: "1994.05.21",
                    tags: ["친구", "대학"]),
                ContactCard(
                    line: 3, name: "박순자", nickname: "할머니", phones: ["010-0000-2402", "031-000-2402"],
                    birthday: "1948.04.08", birthdayCalendar: .lunar(isLeapMonth: false), tags: ["가족"]),
                ContactCard(
                    line: 4, name: "이말순", phones: ["010-0000-2403"], birthday: "1963.04.15",
                    birthdayCalendar: .lunar(isLeapMonth: true), tags: ["가족"]),
                ContactCard(line: 5, name: "한믜르", phones: ["02-000-2404"]),
                ContactCard(
                    line: 6, name: "정은", phones: ["010-0000-2405", "02-000-2405", "02-000-2406"], birthday: "05.08",
                    birthdayCalendar: .lunar(isLeapMonth: false)),
            ])
    }

    @Test("A short Korean table in EUC-KR")
    func kakaoTalk() throws {
        let book = try readBook(path: fixture("kakaotalk.csv"))
        #expect(book.unreadable.isEmpty)
        #expect(
            book.cards == [
                ContactCard(line: 2, name: "김지우", phones: ["010-0000-2501"], birthday: "5월 21일", tags: ["친구"]),
                ContactCard(
                    line: 3, name: "이서연", phones: ["+82 10-0000-2502"], birthday: "1995.06.22",
                    tags: ["친구", "회사"]),
                ContactCard(line: 4, name: "엄마", phones: ["010-0000-2503"], birthday: "음력 8월 15일", tags: ["가족"]),
                ContactCard(line: 5, name: "박도윤", phones: ["010-0000-2504"]),
            ])
    }

    @Test("Excel's Unicode text")
    func utf16() throws {
        let book = try readBook(path: fixture("utf-16.csv"))
        #expect(book.unreadable.isEmpty)
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "강민준 🌵", phones: ["010-0000-2601"], birthday: "1990-03-04", cycleDays: "7",
                    alarm: "18:00", tags: ["친구", "식물"]),
                ContactCard(line: 3, name: "Zoë Müller", phones: ["+1 202-555-0160"], cycleDays: "30"),
            ])
    }

    @Test("A table with mapped columns")
    func mapped() throws {
        let columns = try ColumnMap(
            """
            name=성함,phone="연락처, 집 또는 손전화",nickname=부르는 이름,birthday=태어난 날,birthday_calendar=음양,\
            alarm=알림 시각,tags=모임,account=담당
            """
        ).settingCycleColumn("연락 간격")
        let book = try readBook(path: fixture("mapped.csv"), columns: columns)
        #expect(book.unreadable.isEmpty)
        #expect(
            book.cards == [
                ContactCard(
                    line: 2, name: "김지우", nickname: "지우", phones: ["010-0000-2701"], birthday: "1994. 5. 21.",
                    cycleDays: "3", alarm: "09:00", tags: ["친구", "대학"], account: "owner@example.com"),
                ContactCard(
                    line: 3, name: "박순자", nickname: "할머니", phones: ["010-0000-2702"], birthday: "1948년 4월 8일",
                    birthdayCalendar: .lunar(isLeapMonth: false), cycleDays: "7", tags: ["가족"],
                    account: "owner@example.com"),
                ContactCard(
                    line: 4, name: "Emma Clarke", phones: ["07700 900270"], cycleDays: "30", alarm: "07:45",
                    account: "emma@example.com"),
            ])
    }

    @Test("JSON Lines")
    func jsonLines() throws {
        let book = try readBook(path: fixture("friends.jsonl"))
        #expect(
            book.cards == [
                ContactCard(
                    line: 1, name: "김지우", nickname: "지우", phones: ["010-0000-2801"], birthday: "1994-05-21",
                    cycleDays: "3", alarm: "09:00", tags: ["친구", "대학"], isFavourite: true,
                    account: "owner@example.com"),
                ContactCard(
                    line: 2, name: "박순자", nickname: "할머니", phones: ["010-0000-2802", "031-000-2802"],
                    birthday: "1948-04-08", birthdayCalendar: .lunar(isLeapMonth: false), cycleDays: "7",
                    alarm: "21:30", tags: ["가족", "고향"]),
                ContactCard(
                    line: 4, name: "이말순", phones: ["010-0000-2803"], birthday: "04-15",
                    birthdayCalendar: .lunar(isLeapMonth: true), cycleDays: "7"),
                ContactCard(
                    line: 5, name: "Emma Clarke", phones: ["07700 900280", "020 7946 0280"], alarm: "07:45"),
                ContactCard(line: 6, name: "강민준 🌵", phones: ["010-0000-2804"]),
                ContactCard(
                    line: 11, name: "Linh Nguyen", phones: ["+1 202-555-0128"], birthday: "05-08",
                    unknownCalendar: "mayan"),
                ContactCard(line: 12, name: "山田花子", phones: ["+44 7700 900281"]),
            ])
        #expect(book.unreadableLines == [7, 8, 9, 10])
    }

    @Test(
        "All their phone numbers can be parsed",
        arguments: [
            "google-contacts-old.csv", "outlook.csv", "outlook-korean.csv", "naver.csv", "kakaotalk.csv", "utf-16.csv",
            "friends.jsonl",
        ])
    func numbersArePossible(name: String) throws {
        for phone in try readBook(path: fixture(name)).cards.flatMap(\.phones) {
            let region = phone.hasPrefix("(") ? "US" : phone.hasPrefix("07") || phone.hasPrefix("020") ? "GB" : "KR"
            #expect(PhoneNumberParser.e164(phone, region: region) != nil, "\(phone)")
        }
    }

    @Test(
        "All their birthdays are readable",
        arguments: [
            "google-contacts-old.csv", "outlook.csv", "outlook-korean.csv", "naver.csv", "kakaotalk.csv", "utf-16.csv",
            "friends.jsonl",
        ])
    func birthdaysCanBeRead(name: String) throws {
        let cards = try readBook(path: fixture(name)).cards
        #expect(cards.contains { $0.birthday != nil })
        for card in cards {
            guard let text = card.birthday else { continue }
            #expect(BirthdayReader.birthday(text, calendar: card.birthdayCalendar) != nil, "\(text)")
        }
    }
}
