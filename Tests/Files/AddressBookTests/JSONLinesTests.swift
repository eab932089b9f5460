import AddressBook
import Testing

@Suite("JSON Lines")
struct JSONLinesTests {
    @Test("An object in the first non-blank line makes a file JSON Lines", arguments: ["", " \t", "\n \n\t"])
    func format(start: String) throws {
        let book = try readBook(start + #"{"name": "Linh", "phone": "1"}"# + "\r\n")
        #expect(book.cards.map(\.name) == ["Linh"])
        #expect(book.unreadable.isEmpty)
    }

    @Test(
        "The cycle is a number or a text",
        arguments: [
            ("7", "7"), ("7.0", "7"), ("7e0", "7"), ("7.5", "7.5"), ("-1", "-1"), ("\"7\"", "7"), ("\" 7 \"", " 7 "),
        ])
    func cycle(value: String, text: String) throws {
        let book = try readBook(#"{"name": "Linh", "cycleDays": \#(value)}"#)
        #expect(book.cards == [ContactCard(line: 1, name: "Linh", cycleDays: text)])
    }

    @Test(
        "A value of the wrong type makes the contact unreadable and names the key",
        arguments: [
            (#"{"name": 7}"#, "name"), (#"{"name": true}"#, "name"), (#"{"name": ["Linh"]}"#, "name"),
            (#"{"phone": 1}"#, "phone"), (#"{"phones": ["1", 2]}"#, "phones"), (#"{"phones": [null]}"#, "phones"),
            (#"{"tags": {}}"#, "tags"), (#"{"tags": 1}"#, "tags"), (#"{"cycle_days": false}"#, "cycle_days"),
            (#"{"cycleDays": [7]}"#, "cycleDays"), (#"{"birthday": 19940521}"#, "birthday"),
            (#"{"favourite": 1}"#, "favourite"), (#"{"favorite": [true]}"#, "favorite"),
        ])
    func wrongType(line: String, key: String) throws {
        let book = try readBook(line + "\n" + #"{"name": "Linh"}"#)
        #expect(book.cards == [ContactCard(line: 2, name: "Linh")])
        #expect(book.unreadableLines == [1])
        #expect(book.unreadable.first?.reason.hasPrefix("\"\(key)\" must be ") == true)
    }

    @Test(
        "A line that is not an object makes one contact unreadable",
        arguments: [#"{"name": "Linh""#, "{", "[]", "7", "null", "Linh,1", #"{"name": "Linh"} x"#, #"{name: "Linh"}"#])
    func noObject(line: String) throws {
        let book = try readBook(#"{"name": "Emma"}"# + "\n\(line)\n" + #"{"name": "Zoë"}"# + "\n")
        #expect(book.cards.map(\.name) == ["Emma", "Zoë"])
        #expect(book.unreadableLines == [2])
        #expect(book.unreadable.first?.reason.hasPrefix("the line is no JSON object: write each contact") == true)
    }

    @Test("Nulls, blank texts and unknown keys are ignored")
    func absent() throws {
        let book = try readBook(
            """
            {"name": "Linh", "nickname": null, "birthday": " ", "phones": null, "phone": "", "tags": ["", "a"], "x": 1}
            {}
            """)
        #expect(book.cards == [ContactCard(line: 1, name: "Linh", tags: ["a"]), ContactCard(line: 2)])
    }

    @Test(
        "A favourite is marked by a boolean, or by a word as in a table",
        arguments: [
            ("true", true), ("false", false), ("null", false), ("\"true\"", true), ("\"yes\"", true), ("\"예\"", true),
            ("\"no\"", false), ("\" \"", false),
        ])
    func favourite(value: String, isFavourite: Bool) throws {
        for key in ["favourite", "favorite", "isFavourite"] {
            let book = try readBook(#"{"name": "Linh", "\#(key)": \#(value)}"#)
            #expect(book.cards == [ContactCard(line: 1, name: "Linh", isFavourite: isFavourite)])
        }
    }

    @Test(
        "The calendar of a birthday",
        arguments: [
            ("solar", .solar), ("lunar", .lunar(isLeapMonth: false)), ("lunar-leap", .lunar(isLeapMonth: true)),
        ] as [(String, BirthdayCalendar)])
    func calendar(word: String, calendar: BirthdayCalendar) throws {
        for key in ["birthdayCalendar", "birthday_calendar"] {
            let book = try readBook(#"{"birthday": "04-08", "\#(key)": "\#(word)"}"#)
            #expect(book.cards == [ContactCard(line: 1, birthday: "04-08", birthdayCalendar: calendar)])
        }
    }
}
