import AddressBook
import CherishTestSupport
import Testing

@Suite("Phone numbers")
struct PhoneNumberParserTests {
    @Test(
        "Numbers as people write them",
        arguments: [
            ("010-0000-0001", "KR", "+821000000001"), ("010 0000 0001", "KR", "+821000000001"),
            ("(010) 0000.0001", "kr", "+821000000001"), ("+82 10-0000-0001", "US", "+821000000001"),
            ("+82 (0)10-0000-0001", "GB", "+821000000001"), ("00-82-10-0000-0001", "GB", "+821000000001"),
            ("02-123-4567", "KR", "+8221234567"), ("(202) 555-0123", "US", "+12025550123"),
            ("07700 900123", "GB", "+447700900123"), ("\u{202A}+82 10-0000-0001\u{202C}", "US", "+821000000001"),
            ("０１０－００００－０００１", "KR", "+821000000001"), ("＋８２１００００００００１", "US", "+821000000001"),
        ])
    func written(text: String, region: String, number: String) {
        #expect(PhoneNumberParser.e164(text, region: region) == number)
    }

    @Test("Without a region, a number needs its country code")
    func withoutRegion() {
        #expect(PhoneNumberParser.e164("+82 10-0000-0001", region: nil) == "+821000000001")
        #expect(PhoneNumberParser.e164("+44 7700 900123", region: "nowhere") == "+447700900123")
        #expect(PhoneNumberParser.e164("010-0000-0001", region: nil) == nil)
        #expect(PhoneNumberParser.e164("010-0000-0001", region: "nowhere") == nil)
        #expect(PhoneNumberParser.e164("010-0000-0001", region: "") == nil)
    }

    @Test(
        "Extensions are dropped",
        arguments: [
            "02-123-4567 ext 12", "02-123-4567 Ext. 12", "02-123-4567x12", "02-123-4567 내선 12", "02-123-4567 내선번호: 12",
            "02-123-4567 (내선 12)", "02-123-4567 extension 12", "02-123-4567;ext=12", "02-123-4567#12", "02-123-4567,12",
        ])
    func extensions(text: String) {
        #expect(PhoneNumberParser.e164(text, region: "KR") == "+8221234567")
    }

    @Test(
        "Texts that are not numbers",
        arguments: [
            "", " ", "+", "0", "1", "12", "114", "x", "x12", "ext. 12", "010-0000-0001 mom", "010-0000-0001 (집)",
            "전화 없음", "1-800-FLOWERS", "010-MY-CACTUS", "02-123-4567 ext", "02-123-4567 ext 12b", "02-123-4567 x12 x13",
            "010-0000-0001 / 010-0000-0002", "010-0000-000111111", "8210000000011111", "+999 123456789", "+15550100",
            "010-0000-0001\0", "010-0000-0001\0x", "010-0000\n-0001", "tel:+821000000001",
        ])
    func noNumber(text: String) {
        #expect(PhoneNumberParser.e164(text, region: "KR") == nil)
    }

    @Test("A local number without area code is refused")
    func localOnly() {
        #expect(PhoneNumberParser.e164("555-0123", region: "US") == nil)
    }

    @Test("A huge text is refused at once")
    func endless() throws {
        try within(processorTime: .seconds(60)) {
            #expect(PhoneNumberParser.e164(String(repeating: "1", count: 1_000_000), region: "KR") == nil)
        }
    }

    @Test("Safe for concurrent use")
    func concurrent() async {
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<64 {
                group.addTask { PhoneNumberParser.e164("010-0000-0001", region: "KR") }
            }
            for await number in group { #expect(number == "+821000000001") }
        }
    }
}
