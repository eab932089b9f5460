import AddressBook
import Testing

@Suite("Birthdays in vCards")
struct VCardBirthdayTests {
    private struct Expected: Equatable {
        var text: String?
        var calendar: BirthdayCalendar
    }

    private let lunar = BirthdayCalendar.lunar(isLeapMonth: false)
    private let leap = BirthdayCalendar.lunar(isLeapMonth: true)

    private func birthday(_ lines: String...) throws -> Expected {
        let text = (["BEGIN:VCARD", "VERSION:4.0"] + lines + ["END:VCARD", ""]).joined(separator: "\n")
        let book = try readBook(text)
        let card = try #require(book.cards.first)
        return Expected(text: card.birthday, calendar: card.birthdayCalendar)
    }

    @Test(
        "As written, even if it is not a day",
        arguments: ["19940521", "--0521", "1994-05-21", "19940521T000000Z", "1994-05-21T00:00:00Z", "1994-05", "---21"])
    func asWritten(text: String) throws {
        #expect(try birthday("BDAY;VALUE=date-and-or-time:\(text)") == Expected(text: text, calendar: .solar))
    }

    @Test("A text stays a text, even if it begins with 1604")
    func text() throws {
        #expect(try birthday("BDAY;VALUE=text:circa 1800").text == "circa 1800")
        #expect(try birthday("BDAY;VALUE=text:1604-05-21 or so").text == "1604-05-21 or so")
    }

    @Test("The year 1604 is Apple's placeholder for none, declared or not", arguments: ["", ";X-APPLE-OMIT-YEAR=1604"])
    func yearForNone(parameter: String) throws {
        #expect(try birthday("BDAY\(parameter):1604-05-21").text == "--05-21")
        #expect(try birthday("BDAY\(parameter):16040521").text == "--05-21")
        #expect(try birthday("BDAY\(parameter):1604").text == "1604")
    }

    @Test(
        "Android's rows give a birthday, but BDAY takes precedence",
        arguments: [
            ("contact_event;--05-21;3;;;", "--05-21"), ("contact_event;1994-05-21;3", "1994-05-21"),
            ("contact_event;1994-05-21;1;;;", nil), ("contact_event;;3;;;", nil), ("contact_event;1994-05-21", nil),
            ("relation;1994-05-21;3", nil),
        ] as [(String, String?)])
    func androidRows(row: String, text: String?) throws {
        let line = "X-ANDROID-CUSTOM:vnd.android.cursor.item/\(row)"
        #expect(try birthday(line) == Expected(text: text, calendar: .solar))
        #expect(try birthday(line, "BDAY:--0101") == Expected(text: "--0101", calendar: .solar))
    }

    @Test("Android's rows of type 4, and Pantech's, are lunar birthdays")
    func androidLunarRows() throws {
        let expected = Expected(text: "1994-05-21", calendar: lunar)
        #expect(try birthday("X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;1994-05-21;4;;") == expected)
        #expect(try birthday("X-ANDROID-CUSTOM:vnd.pantech.cursor.item/lunar_event;1994-05-21;3;;") == expected)
        #expect(try birthday("X-ANDROID-CUSTOM:vnd.pantech.cursor.item/lunar_event;1994-05-21;1;;").text == nil)
    }

    @Test(
        "Parameters that mark the birthday as lunar",
        arguments: [
            "CALSCALE=chinese", "CALSCALE=dangi", "CALSCALE=Korean", "X-LUNAR=1", "X-SAMSUNG-LUNAR=true", "TYPE=lunar",
            "LUNAR", "TYPE=음력",
        ])
    func lunarParameters(parameter: String) throws {
        #expect(try birthday("BDAY;\(parameter):19940521") == Expected(text: "19940521", calendar: lunar))
    }

    @Test(
        "Parameters that do not",
        arguments: ["CALSCALE=gregorian", "X-LUNAR=0", "X-LUNAR=false", "X-LUNAR=NO", "X-LUNAR=", "TYPE=home"])
    func solarParameters(parameter: String) throws {
        #expect(try birthday("BDAY;\(parameter):19940521") == Expected(text: "19940521", calendar: .solar))
    }

    @Test(
        "Leap months",
        arguments: [
            "BDAY;X-LUNAR=leap:19940521", "BDAY;X-LUNAR=윤달:19940521", "BDAY;CALSCALE=chinese;X-LEAP-MONTH=1:19940521",
            "BDAY;TYPE=lunar-leap:19940521", "X-LUNAR-LEAP-BDAY:19940521", "X-BDAY-LUNAR;X-LEAP=1:19940521",
        ])
    func leapMonths(line: String) throws {
        #expect(try birthday(line) == Expected(text: "19940521", calendar: leap))
    }

    @Test("A leap month is ignored in the solar calendar, and so is a negative mark")
    func noLeapMonth() throws {
        #expect(try birthday("BDAY;X-LEAP-MONTH=1:19940521").calendar == .solar)
        #expect(try birthday("BDAY;X-LUNAR=1;X-LEAP-MONTH=0:19940521").calendar == lunar)
    }

    @Test("A separate property that marks the birthday as lunar")
    func lunarMarks() throws {
        #expect(try birthday("X-LUNAR:1", "BDAY:19940521") == Expected(text: "19940521", calendar: lunar))
        #expect(try birthday("BDAY:19940521", "X-SAMSUNG-LUNAR:윤달").calendar == leap)
        #expect(try birthday("BDAY:19940521", "X-LUNAR:1", "X-LUNAR-LEAP:1").calendar == leap)
        #expect(try birthday("BDAY:19940521", "X-LUNAR:0", "X-LUNAR-LEAP:0").calendar == .solar)
        #expect(try birthday("X-LUNAR:1") == Expected(text: nil, calendar: .solar))
    }

    @Test("A lunar birthday in a property of its own, if there is no other")
    func lunarProperties() throws {
        #expect(try birthday("X-LUNAR-BDAY:1994-05-21") == Expected(text: "1994-05-21", calendar: lunar))
        #expect(try birthday("X-BDAY-LUNAR:--0521") == Expected(text: "--0521", calendar: lunar))
        let both = try birthday("X-BDAY-LUNAR:1994-05-21", "BDAY:1994-06-29")
        #expect(both == Expected(text: "1994-06-29", calendar: .solar))
    }

    /// 1984 began a cycle of sixty years, so 2014 was its year 31, and 1983 was year 60 of the previous cycle.
    @Test(
        "The alternate birthday that iOS writes next to the solar one",
        arguments: [
            ("007800310318", "2014-03-18", false), ("007700600101", "1983-01-01", false),
            ("0078001505L08", "1998-05-08", true), ("--0408", "--04-08", false), ("0078-04L08", "--04-08", true),
            ("007819940521", "1994-05-21", false), ("spring", "spring", false),
        ])
    func alternateBirthday(value: String, text: String, isLeapMonth: Bool) throws {
        let calendar = BirthdayCalendar.lunar(isLeapMonth: isLeapMonth)
        #expect(try birthday("X-ALTBDAY;CALSCALE=chinese:\(value)") == Expected(text: text, calendar: calendar))
        #expect(try birthday("X-ALTBDAY;CALSCALE=hebrew:\(value)") == Expected(text: nil, calendar: .solar))
        let both = try birthday("X-ALTBDAY;CALSCALE=chinese:\(value)", "BDAY:1994-06-29")
        #expect(both == Expected(text: "1994-06-29", calendar: .solar))
    }
}
