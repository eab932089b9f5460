import CherishCore
import Testing
import ThingFile

@Suite("Days as people say them")
struct DayWordsTests {
    @Test(
        "days are understood as people say them, in both languages",
        arguments: [
            ("today", "2027-03-01"), ("오늘", "2027-03-01"), ("Tomorrow", "2027-03-02"), (" 내일 ", "2027-03-02"),
            ("day after tomorrow", "2027-03-03"), ("모레", "2027-03-03"), ("글피", "2027-03-04"),
            ("yesterday", "2027-02-28"), ("어제", "2027-02-28"), ("in 3 days", "2027-03-04"), ("3 days", "2027-03-04"),
            ("in a week", "2027-03-08"), ("2 weeks", "2027-03-15"), ("in one month", "2027-04-01"),
            ("in 11 months", "2028-02-01"), ("3일 뒤", "2027-03-04"), ("3일후", "2027-03-04"), ("2주 뒤", "2027-03-15"),
            ("이틀 뒤", "2027-03-03"), ("일주일 후", "2027-03-08"), ("한 달 뒤", "2027-04-01"), ("2개월 후", "2027-05-01"),
            ("friday", "2027-03-05"), ("monday", "2027-03-08"), ("this monday", "2027-03-01"),
            ("next monday", "2027-03-08"), ("next sunday", "2027-03-14"), ("금요일", "2027-03-05"),
            ("이번 주 금요일", "2027-03-05"), ("다음 주 금요일", "2027-03-12"), ("다음주 월요일", "2027-03-08"),
            ("3월 5일", "2027-03-05"), ("2월 5일", "2028-02-05"), ("2028년 1월 2일", "2028-01-02"), ("15일", "2027-03-15"),
            ("31일", "2027-03-31"), ("5 march", "2027-03-05"), ("March 5th", "2027-03-05"), ("feb 29", "2028-02-29"),
            ("1 jan 2030", "2030-01-01"), ("2027-03-05", "2027-03-05"),
        ])
    func dayWords(text: String, day: String) throws {
        #expect(DayWords(today: try #require(CivilDay("2027-03-01"))).day(text) == CivilDay(day))
    }

    @Test(
        "what is no day is none",
        arguments: ["", "soon", "31 february", "2027-02-30", "in 1000 days", "32일", "friday 13", "in -1 days"])
    func noDay(text: String) throws {
        #expect(DayWords(today: try #require(CivilDay("2027-03-01"))).day(text) == nil)
    }
}
