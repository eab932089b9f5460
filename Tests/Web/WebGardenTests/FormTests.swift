import CherishCore
import Testing

@testable import WebGarden

@Suite("Forms")
struct FormTests {
    @Test("are read as browsers send them")
    func reading() {
        let form = Form(Array("a=1+2&b=%EA%B0%80%2B&tags=x&tags=y&empty=&flag&a=3".utf8))
        #expect(form["a"] == "1 2" && form["b"] == "가+" && form["empty"] == "" && form["flag"] == "")
        #expect(form.all("tags") == ["x", "y"] && form["c"] == nil && form.written("empty") == nil)
        #expect(Form([]).isEmpty && !form.isEmpty)
    }

    @Test("what no browser sends is read somehow", arguments: ["%", "%4", "%zz=%", "=&=", "&&&", "a=%FF%FE", "%00=x"])
    func broken(text: String) {
        _ = Form(Array(text.utf8))
    }

    @Test("a text survives its way through a form", arguments: ["a&b=c", "가 나+다%", "\r\n\t", "👨‍👩‍👧‍👦", "é\u{301}"])
    func roundTrip(text: String) {
        let form = Form(Array("x=\(text.percentEncoded)&y=1".utf8))
        #expect(form["x"]?.unicodeScalars.elementsEqual(text.unicodeScalars) == true && form["y"] == "1")
    }

    @Test(
        "only paths of our own are followed",
        arguments: [
            ("/plants/1?a=b", "/plants/1?a=b"), ("//evil", "/"), ("https://evil", "/"), ("/a\\b", "/"), ("", "/"),
            ("x", "/"),
            ("/a b", "/"), ("/\u{1}", "/"),
        ])
    func ownPaths(given: String, path: String) {
        #expect(OwnPath(given).text == path)
    }
}

@Suite("Words")
struct WordsTests {
    @Test("of days are those of the calendar")
    func days() throws {
        let (korean, english) = (Words(language: .korean), Words(language: .english))
        let today = try #require(CivilDay("2027-03-02"))
        #expect(english.namedDate(today, today: today) == "Today, 2 March")
        #expect(english.namedDate(today + -1, today: today) == "Yesterday, 1 March")
        #expect(english.namedDate(today + -2, today: today) == "Sunday, 28 February")
        #expect(korean.fullDate(today, today: today) == "3월 2일 화요일")
        #expect(english.fullDate(today + 365, today: today) == "Wednesday, 1 March 2028")
        func dDay(_ left: Int, withersIn days: Int? = nil) -> DDay {
            DDay(dueOn: today + left, withersOn: days.map { today + $0 }, anchor: today + -30, today: today)
        }
        #expect(korean.dueness(dDay(-2)) == "2일 전에 시듦" && english.dueness(dDay(1)) == "water in 1 day")
        #expect(english.dueness(dDay(-2, withersIn: 3)) == "waits during the pause")
        #expect(try #require(CivilDay("1969-12-29")).weekday == 1)
        #expect(try #require(CivilDay("1970-01-01")).weekday == 4)
    }

    @Test("a month has its first and last day, and ends with the years that rules speak of")
    func months() throws {
        let february = try #require(CalendarMonth("2028-02"))
        #expect(february.last.description == "2028-02-29" && february.description == "2028-02")
        #expect(february.moved(by: 1)?.description == "2028-03" && february.moved(by: -1)?.description == "2028-01")
        #expect(CalendarMonth("2099-12")?.moved(by: 1) == nil && CalendarMonth("2000-01")?.moved(by: -1) == nil)
        #expect(CalendarMonth("2027-13") == nil && CalendarMonth("x") == nil)
    }
}
