import AddressBook
import Testing

@Suite("The fictional vCards of phones and services")
struct VCardFixtureTests {
    private let lunar = BirthdayCalendar.lunar(isLeapMonth: false)

    private func cards(_ name: String) throws -> [ContactCard] {
        let book = try readBook(path: fixture(name))
        #expect(book.unreadable.isEmpty)
        return book.cards
    }

    @Test("Android's vCards")
    func android() throws {
        let expected = [
            ContactCard(
                line: 1, name: "김지우", nickname: "지우야", phones: ["010-0000-0601", "02-000-0601"],
                birthday: "1994-05-21"),
            ContactCard(
                line: 22, name: "우리 동네 꽃집 이서연 사장님", phones: ["+82 10-0000-0602"], birthday: "--02-29"),
            ContactCard(line: 31, name: "Emma Clarke", nickname: "Em", phones: ["07700 900603"]),
            ContactCard(line: 40, name: "Daniel O'Brien, Jr.", phones: ["(202) 555-0164"]),
            ContactCard(line: 49, name: "동네주민센터장 A", phones: ["02-000-0605"]),
            ContactCard(line: 57, phones: ["010-0000-0606"]),
        ]
        #expect(try cards("android.vcf") == expected)
    }

    @Test("Samsung's vCards")
    func samsung() throws {
        let expected = [
            ContactCard(
                line: 1, name: "엄마", phones: ["010-0000-0701", "031-000-0701"], birthday: "1958-08-15",
                birthdayCalendar: lunar),
            ContactCard(line: 10, name: "박도윤", nickname: "도윤이", phones: ["010-0000-0703", "02-000-0702"]),
            ContactCard(
                line: 30, name: "Linh Thi Nguyen", phones: ["+1 (415) 555-0170"], birthday: "1990-12-31"),
            ContactCard(
                line: 38, name: "할머니", phones: ["031-000-0705"], birthday: "--04-08", birthdayCalendar: lunar),
        ]
        #expect(try cards("samsung.vcf") == expected)
    }

    @Test("An old phone's vCards")
    func featurePhone() throws {
        let expected = [
            ContactCard(line: 1, name: "김지우", phones: ["01000000801", "0310000801"], birthday: "19940521"),
            ContactCard(line: 18, name: "최하준 과장님", phones: ["010-0000-0802", "02-000-0802"]),
            ContactCard(line: 35, name: "김똠이", phones: ["010-0000-0805"]),
        ]
        #expect(try cards("feature-phone.vcf") == expected)
    }

    @Test("Google's vCards")
    func google() throws {
        let expected = [
            ContactCard(
                line: 1, name: "김지우", nickname: "지우", phones: ["010-0000-0901", "02-000-0901"],
                birthday: "1994-05-21", tags: ["식물 모임"]),
            ContactCard(line: 13, name: "이서연", phones: ["+82 10-0000-0902", "02-000-0902"], birthday: "--02-29"),
            ContactCard(
                line: 25, name: "Emma Rose Clarke", nickname: "Em", phones: ["07700 900904", "07700 900903"],
                birthday: "1988-11-03", tags: ["Book club", "family"]),
            ContactCard(
                line: 38, name: "Daniel O'Brien", phones: ["(202) 555-0191"], tags: ["coworkers, old and new"]),
        ]
        #expect(try cards("google.vcf") == expected)
    }

    @Test("iCloud's vCards")
    func iCloud() throws {
        let expected = [
            ContactCard(
                line: 1, name: "김지우", nickname: "지우", phones: ["010-0000-1001", "02-000-1001"],
                birthday: "--05-21"),
            ContactCard(
                line: 17, name: "할아버지", phones: ["010-0000-1002", "031-000-1002"], birthday: "1933-01-01",
                birthdayCalendar: lunar),
            ContactCard(
                line: 29, name: "Sophie Weber", phones: ["+1 202-555-0102", "+1 202-555-0101"],
                birthday: "1990-12-31"),
            ContactCard(
                line: 50, name: "윤하늘", phones: ["010-0000-1005"], birthday: "1998-05-08",
                birthdayCalendar: .lunar(isLeapMonth: true)),
        ]
        #expect(try cards("icloud.vcf") == expected)
    }

    @Test("vCards of version 4.0")
    func rfc6350() throws {
        let expected = [
            ContactCard(
                line: 1, name: "김지우", nickname: "지우", phones: ["+82-10-0000-1101", "+82-2-000-1101"],
                birthday: "19940521", tags: ["식물 모임", "이웃"]),
            ContactCard(
                line: 14, name: "Seo-yeon Lee", phones: ["010-0000-1103", "010-0000-1102"], birthday: "--0229"),
            ContactCard(
                line: 25, name: "Emma Clarke", phones: ["07700 900114"], birthday: "19881103T000000Z",
                tags: ["family"]),
            ContactCard(line: 36, name: "山田 花子", phones: ["+44 7700 900115"], birthday: "circa 1800"),
            ContactCard(
                line: 42, name: "할머니", phones: ["031-000-1105"], birthday: "19400815", birthdayCalendar: lunar),
        ]
        #expect(try cards("rfc6350.vcf") == expected)
    }
}
