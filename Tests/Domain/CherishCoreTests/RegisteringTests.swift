import Testing

@testable import CherishCore

@Suite("Registering a friend")
struct RegisteringTests {
    @Test("1.2, 1.3: every cycle from 1 to 90 has its species, all others are refused")
    func cycles() throws {
        // The table of rule 1.3, with the number of cycles per species.
        let sizes: [(Species, Int)] = [
            (.rosemary, 3), (.americanBlue, 4), (.dandelion, 8), (.stuckyi, 15), (.echinopsis, 60),
        ]
        let expected = sizes.flatMap { Array(repeating: $0.0, count: $0.1) }
        let species = try (1...90).map { try Cycle(days: $0).species }
        #expect(species == expected)
        for days in [Int.min, -1, 0, 91, Int.max] {
            #expect(throws: CareError.invalidCycle(days)) { try Cycle(days: days) }
        }
    }

    @Test("1.3: raw values of the species")
    func rawValues() {
        #expect(
            Species.allCases.map(\.rawValue) == ["rosemary", "american_blue", "dandelion", "stuckyi", "echinopsis"])
    }

    @Test("1.4, 1.6, 4.2: a new plant is due after its cycle, has affection 0 and an alarm at 09:00")
    func newPlant() throws {
        let registration = Registration(
            name: try ContactName("김하나"), phone: try PhoneNumber(e164: "+821012345678"), nickname: try Nickname("하나"),
            birthday: nil, cycle: try Cycle(days: 5))
        let account = try Garden(registeredAt: seoul("2027-03-01T10:00")).account
        let now = try context(seoul("2027-03-01T23:59"))
        let plant = Plant.register(registration, id: identifier(3), for: account, in: now).plant
        #expect(plant.plantedOn.description == "2027-03-01")
        #expect(plant.dueOn.description == "2027-03-06")
        #expect(plant.alarmTime.description == "09:00")
        #expect(plant.affection.points == 0)
        #expect(plant.lastWateredOn == nil)
        #expect(plant.wateringCount == 0)
        #expect(plant.postponementCount == 0)
        #expect(plant.pushesEnabled)
        #expect(plant.archivedAt == nil)
        #expect(plant.accountID == account.id)
    }

    @Test("1.4: the day of registration is the day in the account's zone")
    func registrationDay() throws {
        let now = try utc("2027-03-01T10:30")
        let kiritimati = try Garden(cycle: 1, zone: "Pacific/Kiritimati", registeredAt: now)
        let pagoPago = try Garden(cycle: 1, zone: "Pacific/Pago_Pago", registeredAt: now)
        #expect(kiritimati.plant.plantedOn.description == "2027-03-02")
        #expect(pagoPago.plant.plantedOn.description == "2027-02-28")
    }

    @Test("1.5: a name has 1 to 50 characters")
    func nameLength() throws {
        let longest = String(repeating: "👨‍👩‍👧‍👦", count: 50)
        let name = try ContactName(longest)
        #expect(name.description == longest)
        _ = try ContactName("가")
        #expect(throws: CareError.invalidName) { try ContactName(longest + "가") }
        for blank in ["", " ", "\t\n", "\u{200B}", "\u{FEFF}\u{2060}", "\u{3000}"] {
            #expect(throws: CareError.invalidName) { try ContactName(blank) }
        }
    }

    @Test("1.5: a nickname has 1 to 20 characters")
    func nicknameLength() throws {
        // Two regional indicators form one flag.
        let longest = String(repeating: "🇰🇷", count: 20)
        let nickname = try Nickname(longest)
        #expect(nickname.description == longest)
        #expect(throws: CareError.invalidNickname) { try Nickname(longest + "🇰🇷") }
        #expect(throws: CareError.invalidNickname) { try Nickname(" ") }
    }

    @Test("1.5: a blank nickname is the first 20 characters of the name")
    func blankNickname() throws {
        let name = try ContactName("가나다라마바사아자차카타파하거너더러머버서어")
        for blank in [nil, "", "  ", "\u{200B}"] {
            let nickname = try Nickname(blank, for: name)
            #expect(nickname.description == "가나다라마바사아자차카타파하거너더러머버")
        }
        let chosen = try Nickname(" 짝꿍 ", for: name)
        #expect(chosen.description == "짝꿍")
        // The 20th character is a space, which is trimmed as in any text.
        let spaced = try Nickname(nil, for: ContactName("Alexandra Catherine von Humboldt"))
        #expect(spaced.description == "Alexandra Catherine")
    }

    @Test("1.5, 5.2: white space is folded, control characters are refused")
    func namesAreTidied() throws {
        let name = try ContactName("  Min\u{00A0}\tji \n Kim\u{3000}")
        #expect(name.description == "Min ji Kim")
        for control in ["\u{0}", "\u{1B}", "\u{7F}", "\u{9B}", "\u{FFFD}"] {
            #expect(throws: CareError.invalidName) { try ContactName("Min\(control)ji") }
            #expect(throws: CareError.invalidNickname) { try Nickname("Min\(control)ji") }
        }
    }

    @Test("1.5: phones are E.164", arguments: ["+82101234567", "+821012345678", "+12345", "+123456789012345"])
    func goodPhone(text: String) throws {
        let phone = try PhoneNumber(e164: text)
        #expect(phone.description == text)
    }

    @Test(
        "1.5: anything else is not a phone",
        arguments: [
            "", "+", "821012345678", "010-1234-5678", "+82 10 1234 5678", "+0821012345678", "+1234",
            "+1234567890123456", "+８２１０１２３４５６７８", "+82101234567a", "++821012345678", "+821012345678\u{301}",
        ])
    func badPhone(text: String) {
        #expect(throws: CareError.invalidPhone(text)) { try PhoneNumber(e164: text) }
    }

    static let birthdays: [(String, String)] = [
        ("1994-05-21", "1994-05-21"), ("19940521", "1994-05-21"), ("05-21", "05-21"), ("--05-21", "05-21"),
        ("--0521", "05-21"), ("2000-02-29", "2000-02-29"), ("20000229", "2000-02-29"), ("02-29", "02-29"),
        ("--0229", "02-29"), ("12-31", "12-31"), ("0001-01-01", "0001-01-01"),
    ]

    @Test("1.5: a birthday is month and day, the year is optional", arguments: RegisteringTests.birthdays)
    func goodBirthday(text: String, expected: String) throws {
        let birthday = try Birthday(text)
        #expect(birthday.description == expected)
    }

    @Test(
        "1.5: an impossible date is not a birthday",
        arguments: [
            "02-31", "1994-02-31", "1900-02-29", "19000229", "--0231", "02-30", "04-31", "13-01", "00-10", "10-00",
            "0000-05-21", "", "0521", "5-21", "05-2", "052-1", "94-05-21", "1994-0521", "199405-21", "1994/05/21",
            "--1994-05-21", "--19940521", "-0521", "---0521", "05-21 ", " 05-21", "05-21a", "٠٥-٢١", "05\u{2013}21",
            "May 21",
        ])
    func badBirthday(text: String) {
        #expect(throws: CareError.invalidBirthday(text)) { try Birthday(text) }
    }

    @Test("1.6: every minute of the day is a time of day, and is read back as written")
    func timesOfDay() throws {
        let written = (0..<1440).compactMap { TimeOfDay(minuteOfDay: $0)?.description }
        #expect(written.count == 1440)
        let read = try written.map { try TimeOfDay(alarm: $0).minuteOfDay }
        #expect(read == Array(0..<1440))
        #expect(TimeOfDay(minuteOfDay: -1) == nil)
        #expect(TimeOfDay(minuteOfDay: 1440) == nil)
    }

    @Test(
        "1.6: anything else is not a time of day",
        arguments: [
            "", "9:00", "24:00", "23:60", "-1:00", "09:0", "0900", "09:00:00", "09.00", " 09:00", "09:00 ", "0９:00",
            "+9:00", "aa:bb",
        ])
    func badTimeOfDay(text: String) {
        #expect(throws: CareError.invalidAlarm(text)) { try TimeOfDay(alarm: text) }
    }

    @Test("1.7: a changed cycle moves the due date, counted from the registration day if never watered")
    func editedCycleBeforeWatering() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        let twenty = try Cycle(days: 20)
        try garden.edit(at: seoul("2027-03-03T10:00")) { $0.cycle = twenty }
        #expect(garden.plant.dueOn.description == "2027-03-21")
        #expect(garden.plant.cycle.species == .stuckyi)
        #expect(garden.plant.dueSource == .edit)
    }

    @Test("1.7: a changed cycle counts from the last watering day, and affection stays")
    func editedCycleAfterWatering() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-05T10:00"), keywords: ["안부"])
        let three = try Cycle(days: 3)
        try garden.edit(at: seoul("2027-03-06T10:00")) { $0.cycle = three }
        #expect(garden.plant.dueOn.description == "2027-03-08")
        #expect(garden.plant.affection.points == 16)
    }

    @Test("1.7: a changed cycle never makes a plant due before today")
    func editedCycleNotBeforeToday() throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        let one = try Cycle(days: 1)
        let now = try seoul("2027-03-11T10:00")
        try garden.edit(at: now) { $0.cycle = one }
        #expect(garden.plant.dueOn.description == "2027-03-11")
        let dDay = try garden.dDay(now)
        #expect(dDay.label == "D-DAY")
    }

    @Test("1.7: any other edit leaves the due date alone, and so does the same cycle")
    func otherEdits() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        let now = try seoul("2027-03-20T10:00")
        let due = garden.plant.dueOn
        let (seven, evening, birthday) = (try Cycle(days: 7), try timeOfDay("20:30"), try Birthday("02-29"))
        try garden.edit(at: now) { edit in
            edit.nickname = "짝꿍"
            edit.birthday = .some(birthday)
            edit.alarmTime = evening
            edit.pushesEnabled = false
            edit.cycle = seven
        }
        #expect(garden.plant.dueOn == due)
        #expect(garden.plant.dueSource == .registration)
        #expect(garden.plant.birthday == birthday)
        #expect(garden.plant.alarmTime == evening)
        #expect(!garden.plant.pushesEnabled)
        try garden.edit(at: now) { $0.birthday = .some(nil) }
        #expect(garden.plant.birthday == nil)
        #expect(garden.plant.nickname.description == "짝꿍")
    }

    @Test("1.1: importing again corrects the name, and the nickname if it was never chosen")
    func correctedName() throws {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        let now = try garden.context(seoul("2027-03-02T10:00"))
        let corrected = try garden.plant.correctName(ContactName("김한아"), in: now)
        #expect(corrected)
        #expect(garden.plant.name.description == "김한아")
        #expect(garden.plant.nickname.description == "하나", "it was chosen by the account")
        let again = try garden.plant.correctName(ContactName("김한아"), in: now)
        #expect(!again)
        try garden.edit(at: seoul("2027-03-02T11:00")) { $0.nickname = "" }
        #expect(garden.plant.nickname.description == "김한아")
        let correctedBack = try garden.plant.correctName(ContactName("김하나"), in: now)
        #expect(correctedBack)
        #expect(garden.plant.nickname.description == "김하나")
    }

    @Test("1.8: a removed plant accepts no commands, and keeps its counts")
    func remove() throws {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"), keywords: ["안부"])
        let now = try seoul("2027-03-09T10:00")
        try garden.remove(at: now)
        let refusal = CareError.archived(since: try civilDay("2027-03-09"))
        #expect(throws: refusal) { try garden.remove(at: now) }
        #expect(throws: refusal) { try garden.water(at: now) }
        #expect(throws: refusal) { try garden.postpone(1, at: now) }
        #expect(throws: refusal) { try garden.edit(at: now) { $0.nickname = "짝꿍" } }
        #expect(throws: refusal) { try garden.writeReview(1, at: now, memo: "늦은 메모") }
        #expect(throws: refusal) { try garden.deleteReview(1, at: now) }
        #expect(throws: refusal) { try garden.declineReview(1, at: now) }
        #expect(garden.plant.wateringCount == 1)
        #expect(garden.plant.affection.points == 16)
        try garden.tick(at: seoul("2027-03-20T10:00"))
        let outcomes = Set(garden.ended.map(\.verdict))
        #expect(outcomes == [.end(.superseded, .archived)])
    }

    @Test("1.8: a plant brought back restarts its cycle and keeps its history")
    func restore() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"), keywords: ["안부"])
        try garden.remove(at: seoul("2027-03-03T10:00"))
        try garden.tick(at: seoul("2027-04-30T10:00"))
        try garden.restore(at: seoul("2027-05-01T10:00"))
        #expect(garden.plant.archivedAt == nil)
        #expect(garden.plant.dueOn.description == "2027-05-08")
        #expect(garden.plant.affection.points == 16)
        #expect(garden.plant.wateringCount == 1)
        try garden.tick(at: seoul("2027-05-08T09:00"))
        #expect(garden.sentDueDates == ["2027-05-08"])
        let before = garden.plant
        try garden.restore(at: seoul("2027-05-09T10:00"))
        #expect(garden.plant == before, "a plant that was not removed cannot be brought back")
    }

    /// Registered on 1 March with a cycle of 7 days, watered the day after, removed, and brought back on 10 May.
    private func broughtBack() throws -> Garden {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"))
        try garden.remove(at: seoul("2027-03-03T10:00"))
        try garden.restore(at: seoul("2027-05-10T10:00"))
        return garden
    }

    @Test("1.8, 2.3: the gauge of a plant brought back counts from that day, then from its waterings")
    func gaugeOfRestored() throws {
        var garden = try broughtBack()
        #expect(garden.plant.restoredOn?.description == "2027-05-10")
        #expect(try garden.dDay(seoul("2027-05-10T11:00")).gauge == 1)
        #expect(try garden.dDay(seoul("2027-05-15T11:00")).gauge == 2.0 / 7)
        // For a day before the return, but within the limits of rule 3.4, which count from the registration.
        try garden.water(at: seoul("2027-05-11T10:00"), on: civilDay("2027-05-08"))
        #expect(garden.plant.dueOn.description == "2027-05-15")
        #expect(try garden.dDay(seoul("2027-05-11T11:00")).gauge == 4.0 / 5)
        try garden.water(at: seoul("2027-05-12T10:00"))
        #expect(garden.plant.anchor.description == "2027-05-12")
        #expect(try garden.dDay(seoul("2027-05-12T11:00")).gauge == 1)
    }

    @Test("1.7, 1.8: an edited cycle of a plant brought back counts from that day")
    func cycleOfRestored() throws {
        var garden = try broughtBack()
        try garden.edit(at: seoul("2027-05-12T10:00")) { $0.cycle = try Cycle(days: 30) }
        #expect(garden.plant.dueOn.description == "2027-06-09")
        try garden.water(at: seoul("2027-05-13T10:00"))
        try garden.edit(at: seoul("2027-05-14T10:00")) { $0.cycle = try Cycle(days: 10) }
        #expect(garden.plant.dueOn.description == "2027-05-23")
    }
}

@Suite("E-mail")
struct EmailTests {
    static let longestLocalPart = String(repeating: "a", count: 64)
    static let longDomain = String(repeating: String(repeating: "a", count: 60) + ".", count: 5)

    @Test(
        "8.5: valid addresses",
        arguments: [
            "minji@example.com", "a@b.co", "first.last+tag@mail.example.co.kr", "o'brien@example.org", "a_b-c@x-y.com",
            "민지@예시.한국", "123@456.com", "\(EmailTests.longestLocalPart)@example.com",
        ])
    func good(text: String) throws {
        let email = try EmailAddress(text)
        #expect(email.description == text)
    }

    @Test(
        "8.5: invalid addresses",
        arguments: [
            "", " ", "minji", "@example.com", "minji@", "minji@example", "minji@@example.com", "a@b@example.com",
            "min ji@example.com", "minji@exam ple.com", "minji@example..com", "minji@.example.com",
            "minji@example.com.",
            "minji@-example.com", "minji@example-.com", ".minji@example.com", "minji.@example.com",
            "min..ji@example.com", "a@example.com,b@example.com", "<minji@example.com>", "\"minji\"@example.com",
            "minji@exa_mple.com", "minji@[127.0.0.1]", "min\nji@example.com", "minji@example.com\u{0}",
            "minji\u{7F}@example.com", "a\(EmailTests.longestLocalPart)@example.com",
            "a@\(EmailTests.longDomain)com",
            "a@\(EmailTests.longestLocalPart).com",
        ])
    func bad(text: String) {
        #expect(throws: CareError.invalidEmail(text)) { try EmailAddress(text) }
    }

    @Test("8.5: an address is unique regardless of case, and kept as written")
    func caseInsensitive() throws {
        let (written, shouted) = (try EmailAddress(" Minji@Example.com "), try EmailAddress("MINJI@EXAMPLE.COM"))
        #expect(written == shouted)
        #expect(written.hashValue == shouted.hashValue)
        #expect(written.description == "Minji@Example.com")
        #expect(written.key == "minji@example.com")
    }
}
