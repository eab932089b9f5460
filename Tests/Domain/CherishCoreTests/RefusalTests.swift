import SystemTimeZones
import Testing

@testable import CherishCore

/// A sequence of valid commands: registering, editing, postponing on D-day, watering with a review, deleting the
/// review.
struct Attempt: Sendable {
    var email = "minji@example.com"
    var accountNickname = "민지"
    var timeZone = "Asia/Seoul"
    var name = "김하나"
    var nickname = "하나"
    var phone = "+821012345678"
    var birthday = "02-29"
    var alarm = "09:00"
    var cycleDays = 7
    var removesFirst = false
    var changesIdentity = false
    /// 0 acts on D-day.
    var daysAfterDue = 0
    var postponedDays = 3
    /// 0 records the watering for today.
    var wateringDayOffset = 0
    var keywords = ["안부", "점심", "여행"]
    var memo = "다음 주에 만나기로 했다"
    var deletesReviewTwice = false

    func carryOut() throws {
        let zone = try systemTimeZones.rules(timeZone)
        let account = Account(
            id: identifier(7), email: try EmailAddress(email), nickname: try Nickname(accountNickname), phone: nil,
            timeZone: timeZone, language: .korean)
        let contactName = try ContactName(name)
        let registration = Registration(
            name: contactName, phone: try PhoneNumber(e164: phone), nickname: try Nickname(nickname, for: contactName),
            birthday: try Birthday(birthday), cycle: try Cycle(days: cycleDays), alarmTime: try TimeOfDay(alarm: alarm))
        let registeredAt = try seoul("2027-02-23T10:00")
        let start = CommandContext(now: registeredAt, zone: zone, calendarCursor: registeredAt)
        var plant = Plant.register(registration, id: identifier(1), for: account, in: start).plant
        let now = registeredAt.adding(hours: 24 * (cycleDays + daysAfterDue))
        let context = CommandContext(now: now, zone: zone, calendarCursor: now)
        if removesFirst { try plant.remove(in: context) }
        var edit = PlantEdit()
        edit.changesIdentity = changesIdentity
        _ = try plant.edit(edit, for: account, in: context)
        _ = try plant.postpone(days: postponedDays, for: account, in: context)
        let review = try Review(keywords: keywords, memo: memo)
        let request = WateringRequest(method: .call, day: context.today + wateringDayOffset, review: review)
        var watering = try plant.water(request, isFirstOfDay: true, for: account, in: context).watering
        _ = try plant.deleteReview(of: &watering, isNewest: true, in: context)
        if deletesReviewTwice { _ = try plant.deleteReview(of: &watering, isNewest: true, in: context) }
    }

    /// What no message may repeat.
    var secrets: [String] {
        ([phone, memo] + keywords).filter { $0.count > 1 }
    }
}

/// One invalid input, and the expected refusal.
struct Refusal: Sendable, CustomTestStringConvertible {
    let rule: String
    let expected: CareError
    let code: String
    let breakIt: @Sendable (inout Attempt) -> Void

    init(_ rule: String, _ expected: CareError, _ code: String, _ breakIt: @escaping @Sendable (inout Attempt) -> Void)
    {
        self.rule = rule
        self.expected = expected
        self.code = code
        self.breakIt = breakIt
    }

    var testDescription: String { "rule \(rule): \(code)" }
}

@Suite("Refusals")
struct RefusalTests {
    @Test("a valid sequence is not refused")
    func valid() throws {
        try Attempt().carryOut()
    }

    /// The D-day of the sequence in `Attempt`.
    private static let dDay = CivilDay(year: 2027, month: 3, day: 2) ?? CivilDay(daysSinceEpoch: 0)

    static let refusals: [Refusal] = [
        Refusal("8.5", .invalidEmail("minji"), "invalid_email") { $0.email = "minji" },
        Refusal("8.5", .invalidNickname, "invalid_nickname") { $0.accountNickname = " " },
        Refusal("1.6", .invalidAlarm("24:00"), "invalid_alarm") { $0.alarm = "24:00" },
        Refusal("1.2", .invalidCycle(0), "invalid_cycle") { $0.cycleDays = 0 },
        Refusal("1.2", .invalidCycle(91), "invalid_cycle") { $0.cycleDays = 91 },
        Refusal("1.2", .invalidCycle(-1), "invalid_cycle") { $0.cycleDays = -1 },
        Refusal("1.5", .invalidPhone("010-1234-5678"), "invalid_phone") { $0.phone = "010-1234-5678" },
        Refusal("1.5", .invalidBirthday("02-31"), "invalid_birthday") { $0.birthday = "02-31" },
        Refusal("2.1", .invalidTimeZone("Asia/Pusan"), "invalid_time_zone") { $0.timeZone = "Asia/Pusan" },
        Refusal("1.5", .invalidName, "invalid_name") { $0.name = "" },
        Refusal("1.5", .invalidName, "invalid_name") { $0.name = String(repeating: "가", count: 51) },
        Refusal("1.5", .invalidName, "invalid_name") { $0.name = "김\u{0}하나" },
        Refusal("1.5", .invalidNickname, "invalid_nickname") { $0.nickname = String(repeating: "가", count: 21) },
        Refusal("1.5", .invalidNickname, "invalid_nickname") { $0.nickname = "하\u{7}나" },
        Refusal("1.1", .identityFixed, "identity_fixed") { $0.changesIdentity = true },
        Refusal("1.8", .archived(since: dDay), "archived") { $0.removesFirst = true },
        Refusal("6.1", .notYetDue(daysLeft: 1), "not_yet_due") { $0.daysAfterDue = -1 },
        Refusal("6.1", .notYetDue(daysLeft: 7), "not_yet_due") { $0.daysAfterDue = -7 },
        Refusal("6.1", .withered(daysOver: 1), "withered") { $0.daysAfterDue = 1 },
        Refusal("6.1", .withered(daysOver: 40), "withered") { $0.daysAfterDue = 40 },
        Refusal("6.2", .invalidDays(0), "invalid_days") { $0.postponedDays = 0 },
        Refusal("6.2", .invalidDays(8), "invalid_days") { $0.postponedDays = 8 },
        Refusal("6.2", .invalidDays(-1), "invalid_days") { $0.postponedDays = -1 },
        Refusal(
            "3.4", .wateringDayOutOfRange(dDay + 1, earliest: dDay + -7, latest: dDay), "watering_day_out_of_range"
        ) { $0.wateringDayOffset = 1 },
        Refusal(
            "3.4", .wateringDayOutOfRange(dDay + -8, earliest: dDay + -7, latest: dDay), "watering_day_out_of_range"
        ) { $0.wateringDayOffset = -8 },
        Refusal("5.1", .tooManyKeywords(4), "too_many_keywords") { $0.keywords.append("선물") },
        Refusal("5.2", .keywordEmpty, "keyword_empty") { $0.keywords[1] = "" },
        Refusal("5.2", .keywordEmpty, "keyword_empty") { $0.keywords[1] = " \u{3000}\n" },
        Refusal("5.1", .keywordTooLong(length: 6), "keyword_too_long") { $0.keywords[1] = "생일선물고민" },
        Refusal("5.2", .keywordRepeated, "keyword_repeated") { $0.keywords[1] = " 안부 " },
        Refusal("5.1", .memoTooLong(length: 101), "memo_too_long") { $0.memo = String(repeating: "글", count: 101) },
        Refusal("5.3", .reviewEmpty, "review_empty") {
            $0.keywords = []
            $0.memo = " "
        },
        Refusal("5.3", .notFound(.review), "not_found") { $0.deletesReviewTwice = true },
    ]

    @Test("breaking exactly one rule is refused by that rule", arguments: RefusalTests.refusals)
    func refused(refusal: Refusal) throws {
        var attempt = Attempt()
        refusal.breakIt(&attempt)
        let broken = attempt
        let error = try #require(throws: CareError.self) { try broken.carryOut() }
        #expect(error == refusal.expected)
        #expect(error.code == refusal.code)
        for secret in broken.secrets {
            let isRepeated = error.description.contains(secret)
            #expect(!isRepeated, "the message repeats a phone number, a keyword or a memo: \(error.description)")
        }
    }

    /// One of each case, with its documented code.
    private static func everyRefusal() throws -> [(CareError, String)] {
        [
            (.invalidEmail("x"), "invalid_email"), (.invalidAlarm("x"), "invalid_alarm"),
            (.invalidCycle(0), "invalid_cycle"), (.invalidPhone("x"), "invalid_phone"),
            (.invalidBirthday("x"), "invalid_birthday"), (.invalidTimeZone("x"), "invalid_time_zone"),
            (.invalidName, "invalid_name"), (.invalidNickname, "invalid_nickname"),
            (.duplicatePhone(try PhoneNumber(e164: "+821012345678")), "duplicate_phone"),
            (.duplicateEmail("minji@example.com"), "duplicate_email"), (.identityFixed, "identity_fixed"),
            (.notYetDue(daysLeft: 1), "not_yet_due"), (.withered(daysOver: 1), "withered"),
            (.invalidDays(0), "invalid_days"), (.archived(since: dDay), "archived"),
            (.wateringDayOutOfRange(dDay, earliest: dDay, latest: dDay), "watering_day_out_of_range"),
            (.tooManyKeywords(4), "too_many_keywords"), (.keywordEmpty, "keyword_empty"),
            (.keywordTooLong(length: 6), "keyword_too_long"), (.keywordRepeated, "keyword_repeated"),
            (.memoTooLong(length: 101), "memo_too_long"), (.reviewEmpty, "review_empty"),
            (.notFound(.plant), "not_found"), (.ambiguousID("5eed0000"), "ambiguous_id"),
        ]
    }

    @Test("every refusal has its documented code, and a sentence without a phone number")
    func codes() throws {
        let refusals = try RefusalTests.everyRefusal()
        for (error, code) in refusals {
            #expect(error.code == code)
            #expect(error.description.count > 20, "\(code) needs a sentence that says what to do")
            let repeatsPhone = error.description.contains("1012345678")
            #expect(!repeatsPhone, "\(code) repeats a phone number")
        }
        let codes = Set(refusals.map(\.1))
        #expect(codes.count == 24)
    }

    @Test("8.5: a message about an e-mail does not repeat it")
    func emailIsNotRepeated() {
        for error in [CareError.invalidEmail("minji@example,com"), .duplicateEmail("minji@example,com")] {
            let isRepeated = error.description.contains("example,com")
            #expect(!isRepeated)
        }
    }

    @Test("a refused command leaves the plant unchanged")
    func refusedCommandsChangeNothing() throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        try garden.water(at: seoul("2027-02-24T10:00"))
        let before = garden.plant
        let now = try seoul("2027-02-25T10:00")
        let tomorrow = try civilDay("2027-02-26")
        let ten = try Cycle(days: 10)
        #expect(throws: CareError.self) { try garden.postpone(3, at: now) }
        #expect(throws: CareError.self) { try garden.postpone(9, at: now) }
        #expect(throws: CareError.self) { try garden.water(at: now, on: tomorrow) }
        #expect(throws: CareError.self) { try garden.deleteReview(1, at: now) }
        #expect(throws: CareError.invalidNickname) {
            try garden.edit(at: now) { edit in
                edit.nickname = String(repeating: "가", count: 21)
                edit.cycle = ten
            }
        }
        #expect(garden.plant == before)
    }
}
