import Foundation
import Testing

@testable import CherishCore

/// A naive calendar that knows the lengths of months and advances day by day.
private struct DayCounter {
    var year: Int
    var month = 1
    var day = 1

    private var isLeapYear: Bool {
        if year % 400 == 0 { return true }
        if year % 100 == 0 { return false }
        return year % 4 == 0
    }

    private var monthLength: Int {
        [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    mutating func step() {
        day += 1
        if day > monthLength { (month, day) = (month + 1, 1) }
        if month > 12 { (year, month) = (year + 1, 1) }
    }
}

@Suite("Civil days")
struct CivilDayTests {
    @Test("every day from 1600 to 2400, counted one by one")
    func everyDay() throws {
        var counter = DayCounter(year: 1600)
        var expected = try civilDay("1600-01-01")
        var wrong: [String] = []
        while counter.year <= 2400 {
            let (year, month, day) = (counter.year, counter.month, counter.day)
            let components = expected.components
            if CivilDay(year: year, month: month, day: day) != expected
                || components.year != year || components.month != month || components.day != day
            {
                wrong.append("\(year)-\(month)-\(day)")
            }
            counter.step()
            expected = expected + 1
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test("days are counted from 1970-01-01")
    func epoch() throws {
        let cases: [(String, Int32)] = [
            ("1970-01-01", 0), ("1970-01-02", 1), ("1969-12-31", -1), ("2000-03-01", 11_017), ("2027-03-02", 20_879),
            ("0001-01-01", -719_162), ("9999-12-31", 2_932_896),
        ]
        for (text, days) in cases {
            let day = try civilDay(text)
            #expect(day.daysSinceEpoch == days)
            #expect(day.description == text)
            #expect(CivilDay(daysSinceEpoch: days).description == text)
        }
    }

    @Test("impossible days and other spellings are not civil days")
    func invalid() {
        let texts = [
            "2027-02-29", "2100-02-29", "1900-02-29", "2027-02-30", "2027-02-31", "2027-04-31", "2027-13-01",
            "2027-00-01", "2027-01-00", "2027-01-32", "0000-01-01", "2027-1-1", "20270101", "2027/01/01",
            "2027-01-01 ", " 2027-01-01", "-027-01-01", "2027-01-0a", "２０２７-01-01", "", "10000-01-01",
        ]
        for text in texts {
            let day = CivilDay(text)
            #expect(day == nil, "\(text)")
        }
        #expect(CivilDay("2000-02-29") != nil)
        #expect(CivilDay("2028-02-29") != nil)
        #expect(CivilDay(year: 10_000, month: 1, day: 1) == nil)
        #expect(CivilDay(year: 0, month: 1, day: 1) == nil)
    }

    @Test("arithmetic and order")
    func arithmetic() throws {
        let (leapDay, next) = (try civilDay("2028-02-29"), try civilDay("2028-03-01"))
        #expect(leapDay + 1 == next)
        #expect(next + -1 == leapDay)
        #expect(next - leapDay == 1)
        #expect(leapDay - next == -1)
        #expect(leapDay < next)
        #expect((leapDay + 365).description == "2029-02-28")
    }

    @Test("lengths of months")
    func lengths() {
        let common = (1...12).map { CivilDay.length(ofMonth: $0, year: 2027) }
        #expect(common == [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
        let februaries = [1900, 2000, 2024, 2100].map { CivilDay.length(ofMonth: 2, year: $0) }
        #expect(februaries == [28, 29, 29, 28])
    }
}

@Suite("Instants")
struct InstantTests {
    /// RFC 3339 as input, and as written back.
    static let readable: [(String, String)] = [
        ("2027-03-02T00:00:00Z", "2027-03-02T00:00:00Z"), ("2027-03-02T08:59:00+09:00", "2027-03-01T23:59:00Z"),
        ("2027-03-02t00:00:00z", "2027-03-02T00:00:00Z"), ("2027-03-02 00:00:00Z", "2027-03-02T00:00:00Z"),
        ("2027-03-14T02:30:00-05:00", "2027-03-14T07:30:00Z"), ("2027-03-02T00:00:00+00:00", "2027-03-02T00:00:00Z"),
        ("2027-03-02T00:00:00-00:00", "2027-03-02T00:00:00Z"), ("2027-01-01T00:00:00+14:00", "2026-12-31T10:00:00Z"),
        ("2026-12-31T23:59:59-11:00", "2027-01-01T10:59:59Z"), ("2027-03-02T00:00:00+05:45", "2027-03-01T18:15:00Z"),
        ("2027-03-02T00:00:00.5Z", "2027-03-02T00:00:00.5Z"), ("2027-03-02T00:00:00.000Z", "2027-03-02T00:00:00Z"),
        ("2027-03-02T00:00:00.000001Z", "2027-03-02T00:00:00.000001Z"),
        ("2027-03-02T00:00:00.120Z", "2027-03-02T00:00:00.12Z"),
        ("2027-03-02T23:59:59.999999+09:00", "2027-03-02T14:59:59.999999Z"),
        // Finer than the database: truncated, not rounded up into the next second.
        ("2027-03-02T00:00:00.123456789Z", "2027-03-02T00:00:00.123456Z"),
        ("2027-03-02T00:00:00.999999999Z", "2027-03-02T00:00:00.999999Z"),
        ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z"), ("1969-12-31T00:00:00Z", "1969-12-31T00:00:00Z"),
        ("2028-02-29T12:00:00Z", "2028-02-29T12:00:00Z"), ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    ]

    @Test("RFC 3339 with any offset and fraction", arguments: InstantTests.readable)
    func reads(text: String, expected: String) throws {
        let moment = try instant(text)
        #expect(moment.description == expected)
        let again = try instant(expected)
        #expect(again == moment)
    }

    @Test(
        "anything else is not an instant",
        arguments: [
            "", "2027-03-02", "2027-03-02T00:00:00", "2027-03-02T00:00Z", "2027-03-02T24:00:00Z",
            "2027-03-02T23:60:00Z",
            "2027-03-02T23:59:61Z", "2027-02-29T00:00:00Z", "2027-13-01T00:00:00Z", "2027-03-02T00:00:00+9:00",
            "2027-03-02T00:00:00+0900", "2027-03-02T00:00:00+09", "2027-03-02T00:00:00+24:00",
            "2027-03-02T00:00:00+09:60", "2027-03-02T00:00:00.Z", "2027-03-02T00:00:00,5Z", "2027-03-02T00:00:00Zulu",
            "2027-03-02T00:00:00.5", "2027-03-02_00:00:00Z", "2027-03-02T00-00-00Z", "27-03-02T00:00:00Z",
            " 2027-03-02T00:00:00Z", "2027-03-02T00:00:00Z ", "2027-03-02T0a:00:00Z", "1803945600", "now",
        ])
    func refuses(text: String) {
        let moment = Instant(text)
        #expect(moment == nil)
    }

    @Test("arithmetic")
    func arithmetic() throws {
        let moment = try instant("2027-03-02T00:00:00Z")
        #expect(moment.microsecondsSinceEpoch == 20_879 * 86_400 * 1_000_000)
        #expect(moment.adding(minutes: 30).description == "2027-03-02T00:30:00Z")
        #expect(moment.adding(hours: -24).description == "2027-03-01T00:00:00Z")
        #expect(moment.adding(microseconds: -1).secondsSinceEpoch == moment.secondsSinceEpoch - 1)
        #expect(Instant(microsecondsSinceEpoch: -1).secondsSinceEpoch == -1)
        #expect(Instant(secondsSinceEpoch: -1).description == "1969-12-31T23:59:59Z")
    }
}

@Suite("Identifiers and lanes")
struct IdentifierTests {
    @Test("the lane is the last byte of an account's id")
    func lane() {
        let id: Account.ID = identifier(0xA7)
        #expect(id.lane == Lane(0xA7))
        #expect(id.lane.description == "167")
        #expect(id.description == "5eed0000-0000-4000-8000-0000000000a7")
        #expect(Lane.all.count == 256)
        #expect(Lane.all.first == Lane(0))
        #expect(Lane.all.last == Lane(255))
    }

    @Test("ids are ordered by their bytes")
    func order() {
        let ids = [UInt8(200), 1, 127, 128].map { number -> Plant.ID in identifier(number) }
        let lastBytes = ids.sorted().map { $0.uuid.uuid.15 }
        #expect(lastBytes == [1, 127, 128, 200])
    }
}
