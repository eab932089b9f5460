import CherishCore
import HTMLMarkup
import Foundation
import Testing

@testable import ReportPage

@Suite("Numbers, dates and words of the page")
struct WordingTests {
    private let korean = Wording(language: .korean)
    private let english = Wording(language: .english)

    @Test(
        "numbers are grouped by thousands",
        arguments: [
            (0, "0"), (7, "7"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-12_345, "-12,345"),
        ])
    func groups(_ number: Int, _ text: String) {
        #expect(korean.count(number) == text)
        #expect(english.count(number) == text)
    }

    @Test(
        "numbers on axes are abbreviated, in Korean by ten thousands",
        arguments: [
            (9999, "9,999", "9,999"), (10_000, "1만", "10k"), (12_345, "1.2만", "12.3k"), (1_500_000, "150만", "1.5M"),
            (123_456_789, "1.2억", "123.5M"), (2_000_000_000, "20억", "2B"),
            (999_949, "100만", "999.9k"), (999_950, "100만", "1M"), (99_999_499, "9999.9만", "100M"),
            (99_999_500, "1억", "100M"), (999_950_000, "10억", "1B"),
        ])
    func short(_ number: Int, _ inKorean: String, _ inEnglish: String) {
        #expect(korean.compact(number) == inKorean)
        #expect(english.compact(number) == inEnglish)
    }

    @Test("counts are worded in each language")
    func counted() {
        #expect(english.count(1, "그루", "plant") == "1 plant")
        #expect(english.count(0, "그루", "plant") == "0 plants")
        #expect(korean.count(1200, "그루", "plant") == "1,200그루")
        #expect(english.days(1) == "1 day")
        #expect(english.days(7.25) == "7.3 days")
        #expect(korean.days(7) == "7일")
        #expect(english.count(2, "", "push") == "2 pushes")
        #expect(english.count(1, "", "push") == "1 push")
        #expect(english.period(30) == "in the last 30 days")
        #expect(english.period(1) == "today")
        #expect(korean.period(365) == "지난 365일 동안")
        #expect(korean.period(1) == "오늘")
    }

    @Test("shares are whole percents, and only all is 100% and only none 0%")
    func shares() {
        #expect(english.share(1, of: 3) == "33%")
        #expect(english.share(0, of: 3) == "0%")
        #expect(english.share(1, of: 100_000) == "<1%")
        #expect(english.share(99_999, of: 100_000) == ">99%")
        #expect(english.share(3, of: 3) == "100%")
        #expect(english.share(0, of: 0) == "–")
    }

    @Test("weekdays match Foundation's calendar, and weeks begin on Sunday in Korean, on Monday otherwise")
    func weekdays() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        for number in stride(from: Int32(-800), to: 40_000, by: 97) {
            let day = CivilDay(daysSinceEpoch: number)
            let date = Date(timeIntervalSince1970: Double(number) * 86_400)
            let weekday = calendar.component(.weekday, from: date)
            #expect(english.weekday(day) == names[weekday - 1])
            #expect(korean.placeInWeek(day) == weekday - 1)
            #expect(english.placeInWeek(day) == (weekday + 5) % 7)
        }
    }

    @Test("dates are written out, and do not break between day and month")
    func dates() throws {
        let day = try civilDay("2027-03-02")
        #expect(korean.date(day) == "2027년 3월\u{A0}2일")
        #expect(english.date(day) == "2\u{A0}March 2027")
        #expect(korean.shortDate(day) == "3월\u{A0}2일")
        #expect(english.shortDate(day) == "2\u{A0}Mar")
        #expect(korean.weekday(day) == "화요일")
        #expect(korean.weekdayAndDate(day) == "3월\u{A0}2일 화요일")
        #expect(english.weekdayAndDate(day) == "Tuesday, 2\u{A0}Mar")
        #expect(korean.month(of: day) == "2027년 3월")
        #expect(english.month(of: day) == "Mar 2027")
    }

    @Test(
        "every species, stage, outcome and reason has its own name in each language",
        arguments: Language.allCases)
    func names(_ language: Language) {
        let words = Wording(language: language)
        let names = [
            Species.allCases.map { words.name(of: $0) }, GrowthStage.allCases.map { words.name(of: $0) },
            (PushOutcome.allCases.map { Optional($0) } + [nil]).map { words.name(of: $0) },
            PushReason.all.map { words.name(of: $0) },
        ]
        for list in names { #expect(Set(list).count == list.count) }
    }

    @Test("1.3: names of species are capitalized where the language has capitals")
    func species() {
        let inEnglish = Species.allCases.map { english.name(of: $0) }
        #expect(inEnglish == ["Rosemary", "American blue", "Dandelion", "Stuckyi", "Echinopsis"])
        let inKorean = Species.allCases.map { korean.name(of: $0) }
        #expect(inKorean == ["로즈마리", "아메리칸블루", "민들레", "스투키", "단모환"])
    }

    @Test(
        "lengths have at most two decimals and no exponent",
        arguments: [
            (0.0, "0"), (1.0, "1"), (1.5, "1.5"), (1.005, "1"), (1.006, "1.01"), (-0.004, "0"), (-2.25, "-2.25"),
            (0.05, "0.05"), (1e-9, "0"), (Double.nan, "0"), (Double.infinity, "0"),
        ])
    func lengths(_ number: Double, _ text: String) {
        #expect(number.written(decimals: 2) == text)
    }
}
