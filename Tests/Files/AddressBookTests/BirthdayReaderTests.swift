import AddressBook
import CherishTestSupport
import Testing

@Suite("Birthdays as written")
struct BirthdayReaderTests {
    @Test(
        "21 May 1994 in many forms",
        arguments: [
            "1994-05-21", "19940521", "1994/5/21", "1994.05.21", "1994. 5. 21.", "1994년 5월 21일", "1994년5월21일",
            "1994年5月21日", "5/21/1994", "05-21-1994", "21/5/1994", "21.05.1994", "21. 5. 1994", "05.21.1994",
            "May 21, 1994", "21 May 1994", "21-May-1994", "may 21 1994", "1994 May 21", "1994-05-21T00:00:00Z",
            "1994-05-21T23:59:59+09:00", "19940521T000000", "1994-05-21 00:00:00", "5/21/1994 12:00:00 AM",
            "1994-05-21 오전 12:00:00", "１９９４－０５－２１", "１９９４年５月２１日", " 1994-05-21 ", "1994-05-21*", "1994-05-21 -",
            "양력 1994.05.21", "1994-05-21(양)", "1994-05-21 (solar)",
        ])
    func forms(text: String) {
        let birthday = BirthdayReader.birthday(text, calendar: .solar)
        #expect(birthday == ContactBirthday(year: 1994, month: 5, day: 21))
    }

    @Test(
        "21 May without a year in many forms",
        arguments: [
            "--05-21", "--0521", " --05-21", "05-21", "5/21", "5.21", "05.21.", "5월 21일", "21/5", "May 21", "21 may",
            "1604-05-21", "16040521", "0000-05-21", "5/21/1604", "５월 ２１일",
        ])
    func withoutYear(text: String) {
        let birthday = BirthdayReader.birthday(text, calendar: .solar)
        #expect(birthday == ContactBirthday(year: nil, month: 5, day: 21))
    }

    @Test("English names of months, in full or abbreviated")
    func monthNames() {
        let names = [
            "Jan", "February", "Mar", "APRIL", "may", "June", "Jul", "August", "Sept", "Oct", "Nov.", "December",
        ]
        for (index, name) in names.enumerated() {
            let birthday = BirthdayReader.birthday("\(name) 3, 1994", calendar: .solar)
            #expect(birthday == ContactBirthday(year: 1994, month: index + 1, day: 3), "\(name)")
        }
    }

    /// Both numbers could be the month.
    @Test(
        "Whether the day comes first",
        arguments: [
            ("3/4/1994", 3, 4), ("3-4-1994", 3, 4), ("3.4.1994", 4, 3), ("3/4", 3, 4), ("3.4", 3, 4), ("03-04", 3, 4),
            ("1994/3/4", 3, 4), ("3월 4일", 3, 4),
        ])
    func order(text: String, month: Int, day: Int) {
        let birthday = BirthdayReader.birthday(text, calendar: .solar)
        #expect(birthday?.month == month)
        #expect(birthday?.day == day)
    }

    @Test(
        "Whether the day comes first with --day-first",
        arguments: [
            ("3/4/1994", 4, 3), ("3-4-1994", 4, 3), ("3.4.1994", 4, 3), ("3/4", 4, 3), ("5/21/1994", 5, 21),
            ("03-04", 3, 4), ("--03-04", 3, 4), ("1994/3/4", 3, 4), ("3월 4일", 3, 4), ("19940304", 3, 4),
        ])
    func dayFirst(text: String, month: Int, day: Int) {
        let birthday = BirthdayReader.birthday(text, calendar: .solar, dayFirst: true)
        #expect(birthday?.month == month)
        #expect(birthday?.day == day)
    }

    @Test(
        "A text may name the lunar calendar",
        arguments: [
            "음력 1994.04.08", "1994-04-08 (음)", "(음) 1994년 4월 8일", "음1994-04-08", "1994-04-08 lunar", "음력19940408",
            "1994. 4. 8. 음력", "음력 평4월 8일 1994",
        ])
    func lunar(text: String) {
        let birthday = BirthdayReader.birthday(text, calendar: .solar)
        let isLunar = birthday?.calendar == .lunar(isLeapMonth: false)
        #expect(isLunar)
        #expect(birthday?.month == 4)
        #expect(birthday?.day == 8)
    }

    @Test(
        "A text may name a leap month",
        arguments: ["음력 윤4월 8일", "윤4월 8일", "(음) 윤4.8", "04-08 (윤달)", "음력 4월 8일 윤달", "윤달 4월 8일 (음력)"])
    func leapMonth(text: String) {
        let birthday = BirthdayReader.birthday(text, calendar: .solar)
        #expect(
            birthday == ContactBirthday(year: nil, month: 4, day: 8, calendar: .lunar(isLeapMonth: true)))
    }

    @Test("The column's calendar counts unless the text names one")
    func calendarOfColumn() {
        let lunar = BirthdayCalendar.lunar(isLeapMonth: false)
        let plain = BirthdayReader.birthday("05-05", calendar: lunar)
        #expect(plain == ContactBirthday(year: nil, month: 5, day: 5, calendar: lunar))
        let named = BirthdayReader.birthday("05-05 (양)", calendar: lunar)
        #expect(named == ContactBirthday(year: nil, month: 5, day: 5, calendar: .solar))
    }

    @Test("No lunar month has 31 days")
    func lunarDays() {
        #expect(BirthdayReader.birthday("05-31", calendar: .solar) != nil)
        #expect(BirthdayReader.birthday("05-31", calendar: .lunar(isLeapMonth: false)) == nil)
        #expect(BirthdayReader.birthday("05-30", calendar: .lunar(isLeapMonth: false)) != nil)
    }

    @Test("Days missing only in some years are not checked here")
    func unchecked() {
        let birthday = BirthdayReader.birthday("2023-02-31", calendar: .solar)
        #expect(birthday == ContactBirthday(year: 2023, month: 2, day: 31))
    }

    @Test(
        "Nonsense is not a birthday",
        arguments: [
            "", " ", "-", "--", "*", "0/0/00", "0000-00-00", "1994", "1994-05", "0521", "940521", "94-05-21", "5/21/94",
            "1994-13-01", "1994-00-10", "1994-05-32", "1994-05-00", "13/13/1994", "--13-01", "--0532", "199405211",
            "1994-05-21-01", "010-0000-0001", "02-000-0001", "May", "May 1994", "May 32, 1994", "May 21 June 1994",
            "Ma 21, 1994", "내일", "1994-05-21 아침", "음력", "12:30", ":", "T", "년월일", "١٩٩٤-٠٥-٢١", "1994~05~21",
            "99999999999999999999999999-05-21", "<script>", "1994-05-21\u{0}",
        ])
    func nonsense(text: String) {
        #expect(BirthdayReader.birthday(text, calendar: .solar) == nil)
        #expect(BirthdayReader.birthday(text, calendar: .lunar(isLeapMonth: true), dayFirst: true) == nil)
    }

    @Test("Texts of more than 64 bytes are refused")
    func length() {
        let date = "1994-05-21"
        #expect(BirthdayReader.birthday(date + String(repeating: " ", count: 54), calendar: .solar) != nil)
        #expect(BirthdayReader.birthday(date + String(repeating: " ", count: 55), calendar: .solar) == nil)
        #expect(BirthdayReader.calendar(String(repeating: " ", count: 65)) == nil)
    }

    @Test("Hostile texts are harmless")
    func hostile() {
        let signs = ["-", "/", ".", ":", "5", "99999999", "년", "윤", "음력", "may", "t", "(", "\u{FDFA}", "\u{301}", " "]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<repetitions(20_000, inDebug: 2_000) {
            let count = Int.random(in: 1...12, using: &random)
            let text = (0..<count).map { _ in signs.randomElement(using: &random) ?? "" }.joined()
            guard let birthday = BirthdayReader.birthday(text, calendar: .solar, dayFirst: .random()) else { continue }
            #expect((1...12).contains(birthday.month) && (1...31).contains(birthday.day), "\(text)")
            #expect((1...9999).contains(birthday.year ?? 1), "\(text)")
        }
    }

    @Test(
        "The calendar column",
        arguments: [
            ("", .solar), (" ", .solar), ("-", .solar), ("양력", .solar), ("양", .solar), ("(양)", .solar),
            ("Solar", .solar), ("S", .solar),
            ("음력", .lunar(isLeapMonth: false)), ("음", .lunar(isLeapMonth: false)),
            ("음력(평달)", .lunar(isLeapMonth: false)), ("LUNAR", .lunar(isLeapMonth: false)),
            ("L", .lunar(isLeapMonth: false)),
            ("윤달", .lunar(isLeapMonth: true)), ("음력윤달", .lunar(isLeapMonth: true)),
            ("윤", .lunar(isLeapMonth: true)), ("음력(윤달)", .lunar(isLeapMonth: true)),
            ("음력 윤달", .lunar(isLeapMonth: true)), ("lunar-leap", .lunar(isLeapMonth: true)),
            ("lunar_leap", .lunar(isLeapMonth: true)),
        ] as [(String, BirthdayCalendar)])
    func column(text: String, calendar: BirthdayCalendar) {
        #expect(BirthdayReader.calendar(text) == calendar)
    }

    @Test("Texts that name no calendar", arguments: ["0", "1", "Y", "mayan", "양력?", "음양"])
    func noCalendar(text: String) {
        #expect(BirthdayReader.calendar(text) == nil)
    }
}
