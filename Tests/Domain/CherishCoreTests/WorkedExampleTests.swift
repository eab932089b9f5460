import Testing

@testable import CherishCore

/// The rows of the table "Worked examples" of docs/rules.md, in its order.
@Suite("Worked examples")
struct WorkedExampleTests {
    static let speciesByCycle: [(Int, Species)] = [
        (1, .rosemary), (3, .rosemary), (4, .americanBlue), (7, .americanBlue), (8, .dandelion), (15, .dandelion),
        (16, .stuckyi), (30, .stuckyi), (31, .echinopsis), (90, .echinopsis),
    ]

    @Test("1.3: the cycle decides the species", arguments: WorkedExampleTests.speciesByCycle)
    func species(days: Int, species: Species) throws {
        let cycle = try Cycle(days: days)
        #expect(cycle.species == species)
    }

    @Test("1.2: cycles of 0 and 91 days are refused", arguments: [0, 91])
    func refusedCycle(days: Int) {
        #expect(throws: CareError.invalidCycle(days)) { try Cycle(days: days) }
    }

    static let earnings: [([String], String?, Int)] = [
        ([], nil, 8), (["안부"], nil, 16), (["안부", "점심", "여행"], nil, 16), (["안부"], "다음 주에 만나기로 했다", 24),
    ]

    @Test("4.1: contact, keywords and memo earn 8 each", arguments: WorkedExampleTests.earnings)
    func earning(keywords: [String], memo: String?, points: Int) throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"), keywords: keywords, memo: memo)
        #expect(garden.plant.affection.points == points)
    }

    @Test("4.2, 4.5: affection 96, then contact and memo: 100, one ledger row of 4")
    func nearlyFull() throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        garden.plant.affection = Affection(points: 96)
        let change = try garden.water(at: seoul("2027-03-02T10:00"), memo: "오랜만")
        #expect(garden.plant.affection.points == 100)
        #expect(garden.plant.affection.isFull)
        #expect(change.entries == [AffectionEntry(wateringNumber: 1, reason: .contact, points: 4)])
    }

    @Test("1.4: registered 2027-01-31 with a cycle of 30: due 2027-03-02")
    func firstDueDate() throws {
        let garden = try Garden(cycle: 30, registeredAt: seoul("2027-01-31T10:00"))
        #expect(garden.plant.dueOn.description == "2027-03-02")
    }

    @Test("2.1: D-DAY by the account's zone: 2027-03-01T15:00Z is 2 March in Seoul")
    func dDayInSeoul() throws {
        let garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        #expect(garden.plant.dueOn.description == "2027-03-02")
        let dDay = try garden.dDay(utc("2027-03-01T15:00"))
        #expect(dDay.label == "D-DAY")
        let minuteBefore = try garden.dDay(utc("2027-03-01T14:59"))
        #expect(minuteBefore.label == "D-1")
    }

    @Test("6.1: postponing on D-1 is not yet due")
    func postponeTooEarly() throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        let now = try seoul("2027-03-01T23:59")
        #expect(throws: CareError.notYetDue(daysLeft: 1)) { try garden.postpone(3, at: now) }
    }

    @Test("6.1, 6.2: postponing on D-DAY by 3 moves the due date by 3")
    func postponeOnDDay() throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        try garden.postpone(3, at: seoul("2027-03-02T00:00"))
        #expect(garden.plant.dueOn.description == "2027-03-05")
    }

    @Test("6.1: postponing on D+1: the plant has withered")
    func postponeTooLate() throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        let now = try seoul("2027-03-03T00:00")
        #expect(throws: CareError.withered(daysOver: 1)) { try garden.postpone(3, at: now) }
    }

    @Test("6.2: postponing by 0 or 8 days on D-DAY is refused", arguments: [0, 8])
    func postponeByWrongDays(days: Int) throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        let now = try seoul("2027-03-02T10:00")
        #expect(throws: CareError.invalidDays(days)) { try garden.postpone(days, at: now) }
    }

    struct Alarm: Sendable, CustomTestStringConvertible {
        let zone: String
        let alarm: String
        let due: String
        /// The instant in UTC for which the alarm is planned.
        let expected: String

        var testDescription: String { "\(zone) \(due) \(alarm)" }
    }

    static let alarms = [
        Alarm(zone: "America/New_York", alarm: "02:30", due: "2027-03-14", expected: "2027-03-14T07:00:00Z"),
        Alarm(zone: "America/New_York", alarm: "01:30", due: "2027-11-07", expected: "2027-11-07T05:30:00Z"),
        Alarm(zone: "America/Nuuk", alarm: "23:30", due: "2027-03-27", expected: "2027-03-28T01:00:00Z"),
        // The clock goes from 02:00 to 02:30, and back from 02:00 to 01:30.
        Alarm(zone: "Australia/Lord_Howe", alarm: "02:15", due: "2027-10-03", expected: "2027-10-02T15:30:00Z"),
        Alarm(zone: "Australia/Lord_Howe", alarm: "01:45", due: "2027-04-04", expected: "2027-04-03T14:45:00Z"),
        // 29 December was followed by 31 December.
        Alarm(zone: "Pacific/Apia", alarm: "09:00", due: "2011-12-30", expected: "2011-12-30T10:00:00Z"),
    ]

    @Test(
        "7.5: a wall-clock time that does not exist, exists twice, or lies on a skipped day",
        arguments: WorkedExampleTests.alarms)
    func plannedAlarm(example: Alarm) throws {
        let due = try civilDay(example.due)
        let zone = try systemTimeZones.rules(example.zone)
        let noon = try timeOfDay("12:00")
        let garden = try Garden(
            cycle: 7, alarm: example.alarm, zone: example.zone, registeredAt: zone.firstInstant(on: due + -7, at: noon))
        #expect(garden.plant.dueOn == due)
        #expect(garden.plant.plans.wateringDue?.at.description == example.expected)
    }

    @Test("7.5, 7.6: an alarm in a gap that runs to midnight is sent on the next day: its plant still points at it")
    func gapToMidnight() throws {
        var garden = try Garden(
            alarm: "23:30", zone: "America/Nuuk", registeredAt: instant("2027-03-20T12:00:00-02:00"))
        let planned = try utc("2027-03-28T01:00")
        let zone = try systemTimeZones.rules("America/Nuuk")
        #expect(zone.day(at: planned).description == "2027-03-28")
        #expect(zone.day(at: planned.adding(microseconds: -1)).description == "2027-03-27")
        try garden.tick(at: planned.adding(microseconds: -1))
        #expect(garden.sentDueDates.isEmpty)
        try garden.tick(at: planned)
        #expect(garden.sentDueDates == ["2027-03-27"])
    }

    @Test("7.2: alarm fired at 09:00, then moved to 20:00 the same day: no second push")
    func movedAlarm() throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        try garden.tick(at: seoul("2027-03-02T09:00"))
        #expect(garden.sentDueDates == ["2027-03-02"])
        let evening = try timeOfDay("20:00")
        try garden.edit(at: seoul("2027-03-02T10:00")) { $0.alarmTime = evening }
        try garden.tick(at: seoul("2027-03-02T20:00"))
        try garden.tick(at: seoul("2027-03-09T20:00"))
        #expect(garden.sentDueDates == ["2027-03-02"])
        #expect(garden.plant.alarmTime == evening)
    }

    @Test("5.2: a keyword of five syllables in NFD is accepted, stored in NFC, and equal to the NFC spelling")
    func decomposedKeyword() throws {
        // 한가위인사, spelled with conjoining letters.
        let decomposed =
            "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1161}\u{110B}\u{1171}\u{110B}\u{1175}\u{11AB}\u{1109}\u{1161}"
        #expect(decomposed.unicodeScalars.count == 12)
        let review = try Review(keywords: [decomposed], memo: nil)
        let stored = try #require(review.keywords.first)
        #expect(Array(stored.unicodeScalars) == Array("한가위인사".unicodeScalars))
        #expect(throws: CareError.keywordRepeated) { try Review(keywords: [decomposed, "한가위인사"], memo: nil) }
    }

    @Test("7.7, 2.2: worker down from before the alarm to two days later: expired, and the plant has withered")
    func outage() throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        try garden.tick(at: seoul("2027-03-02T08:00"))
        let twoDaysLater = try seoul("2027-03-04T10:00")
        let dDay = try garden.dDay(twoDaysLater)
        #expect(dDay.condition == .withered)
        try garden.tick(at: twoDaysLater)
        let subject = Int(try civilDay("2027-03-02").daysSinceEpoch)
        #expect(
            garden.ended == [Garden.Ended(topic: .wateringDue, ref: subject, verdict: .end(.expired, .tooLate))])
    }

    @Test("1.7: nickname edited on D-day: still D-DAY")
    func nicknameOnDDay() throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        let now = try seoul("2027-03-02T08:00")
        let plansBefore = garden.plant.plans
        try garden.edit(at: now) { $0.nickname = "짝꿍" }
        let dDay = try garden.dDay(now)
        #expect(dDay.label == "D-DAY")
        #expect(garden.plant.nickname.description == "짝꿍")
        #expect(garden.plant.plans == plansBefore)
    }

    @Test("7.3: two waterings at 22:10 and 22:50 without reviews: one reminder, at 08:00, for the newer")
    func oneReminder() throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        try garden.water(at: seoul("2027-03-02T22:10"))
        try garden.water(at: seoul("2027-03-02T22:50"))
        #expect(garden.plant.wateringCount == 2)
        let morning = try seoul("2027-03-03T08:00")
        #expect(garden.plant.plans.reviewMissing == PlannedMoment(ref: 2, at: morning))
        try garden.tick(at: morning.adding(microseconds: -1))
        #expect(garden.sent(.reviewMissing).isEmpty)
        try garden.tick(at: morning)
        try garden.tick(at: seoul("2027-03-06T12:00"))
        #expect(garden.sent(.reviewMissing) == [2])
        let older = Garden.Ended(topic: .reviewMissing, ref: 1, verdict: .end(.superseded, .newerWatering))
        #expect(garden.ended.contains(older))
    }

    @Test("1.7, 7.2: cycle edited 7, 10, 7 before the alarm: one push, on the first date")
    func cycleThereAndBack() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-02-23T10:00"))
        let ten = try Cycle(days: 10)
        let seven = try Cycle(days: 7)
        try garden.edit(at: seoul("2027-02-24T10:00")) { $0.cycle = ten }
        #expect(garden.plant.dueOn.description == "2027-03-05")
        try garden.edit(at: seoul("2027-02-25T10:00")) { $0.cycle = seven }
        #expect(garden.plant.dueOn.description == "2027-03-02")
        try garden.tick(at: seoul("2027-03-02T09:00"))
        try garden.tick(at: seoul("2027-03-05T09:00"))
        #expect(garden.sentDueDates == ["2027-03-02"])
    }

    @Test("7.5: zone changed from Asia/Seoul to America/New_York after the alarm fired on D-day: no second push")
    func zoneChangedAfterAlarm() throws {
        var garden = try Garden(registeredAt: seoul("2027-02-23T10:00"))
        try garden.tick(at: seoul("2027-03-02T09:00"))
        #expect(garden.sentDueDates == ["2027-03-02"])
        try garden.move(to: "America/New_York", at: seoul("2027-03-02T10:00"))
        // The account lives through 2 March again.
        try garden.tick(at: instant("2027-03-02T09:00:00-05:00"))
        try garden.tick(at: instant("2027-03-05T09:00:00-05:00"))
        #expect(garden.sentDueDates == ["2027-03-02"])
    }
}
