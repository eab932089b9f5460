import Testing

@testable import CherishCore

@Suite("Planned watering-due pushes")
struct WateringDuePlanTests {
    @Test("7.2: planned on the due date at the plant's alarm time, wall clock of the account's zone")
    func planned() throws {
        let garden = try Garden(cycle: 7, alarm: "21:30", registeredAt: seoul("2027-03-01T10:00"))
        let due = try civilDay("2027-03-08")
        let planned = PlannedMoment(ref: Int(due.daysSinceEpoch), at: try seoul("2027-03-08T21:30"))
        #expect(garden.plant.plans.wateringDue == planned)
        #expect(garden.calendar == [garden.plant.occurrence(.wateringDue, planned)])
        #expect(garden.plant.plans.reviewMissing == nil)
        #expect(garden.plant.plans.birthday == nil)
        #expect(garden.plant.plans.withered == nil)
    }

    @Test("7.2: one push per due date, through waterings and postponements")
    func onePerDueDate() throws {
        var garden = try Garden(cycle: 3, registeredAt: seoul("2027-03-01T10:00"))
        try garden.tick(at: seoul("2027-03-04T09:00"))
        try garden.postpone(2, at: seoul("2027-03-04T12:00"))
        try garden.tick(at: seoul("2027-03-06T09:00"))
        try garden.water(at: seoul("2027-03-06T12:00"), declines: true)
        try garden.tick(at: seoul("2027-03-09T09:00"))
        try garden.tick(at: seoul("2027-03-31T09:00"))
        #expect(garden.sentDueDates == ["2027-03-04", "2027-03-06", "2027-03-09"])
    }

    @Test("7.2: the alarm can be moved before it is reached")
    func movedBefore() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        let evening = try timeOfDay("20:00")
        try garden.edit(at: seoul("2027-03-08T08:59")) { $0.alarmTime = evening }
        try garden.tick(at: seoul("2027-03-08T19:59"))
        #expect(garden.sentDueDates.isEmpty)
        #expect(garden.ended.map(\.verdict) == [.end(.superseded, .edited)])
        try garden.tick(at: seoul("2027-03-08T20:00"))
        #expect(garden.sentDueDates == ["2027-03-08"])
    }

    @Test("7.2: an alarm time that is already past when a command sets it is not planned")
    func pastWhenSet() throws {
        var garden = try Garden(cycle: 7, alarm: "20:00", registeredAt: seoul("2027-03-01T10:00"))
        let (morning, night) = (try timeOfDay("09:00"), try timeOfDay("21:00"))
        try garden.edit(at: seoul("2027-03-08T10:00")) { $0.alarmTime = morning }
        #expect(garden.plant.plans.wateringDue == nil)
        var untouched = garden
        try untouched.tick(at: seoul("2027-03-09T10:00"))
        #expect(untouched.sentDueDates.isEmpty)
        // No alarm was reached, so a later one on the same day is still the first.
        try garden.edit(at: seoul("2027-03-08T11:00")) { $0.alarmTime = night }
        try garden.tick(at: seoul("2027-03-08T21:00"))
        #expect(garden.sentDueDates == ["2027-03-08"])
    }

    @Test("7.2: an alarm at this very instant is planned, one a microsecond ago is not")
    func border() throws {
        let garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        let eight = try Cycle(days: 8)
        for (offset, isPlanned) in [(Int64(-1), true), (0, true), (1, false)] {
            var copy = garden
            let now = try seoul("2027-03-09T09:00").adding(microseconds: offset)
            try copy.edit(at: now) { $0.cycle = eight }
            #expect(copy.plant.dueOn.description == "2027-03-09")
            #expect((copy.plant.plans.wateringDue != nil) == isPlanned)
        }
    }

    @Test("7.2: a due date whose alarm was reached is not planned again, whatever is edited later")
    func reachedOnce() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        let (seven, ten, evening) = (try Cycle(days: 7), try Cycle(days: 10), try timeOfDay("20:00"))
        try garden.tick(at: seoul("2027-03-08T09:00"))
        try garden.edit(at: seoul("2027-03-08T09:30")) { $0.cycle = ten }
        #expect(garden.plant.dueOn.description == "2027-03-11")
        try garden.edit(at: seoul("2027-03-08T09:40")) { $0.alarmTime = evening }
        try garden.edit(at: seoul("2027-03-08T09:50")) { $0.cycle = seven }
        #expect(garden.plant.dueOn.description == "2027-03-08")
        #expect(garden.plant.plans.wateringDue == nil)
        try garden.tick(at: seoul("2027-03-12T00:00"))
        #expect(garden.sentDueDates == ["2027-03-08"])
    }

    @Test("7.2: postponed after its alarm, then edited back to the same day: no second push")
    func postponedAndBack() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        let (seven, eight, evening) = (try Cycle(days: 7), try Cycle(days: 8), try timeOfDay("20:00"))
        try garden.tick(at: seoul("2027-03-08T09:00"))
        try garden.postpone(3, at: seoul("2027-03-08T10:00"))
        try garden.edit(at: seoul("2027-03-08T10:10")) { $0.cycle = eight }
        try garden.edit(at: seoul("2027-03-08T10:20")) { edit in
            edit.cycle = seven
            edit.alarmTime = evening
        }
        #expect(garden.plant.dueOn.description == "2027-03-08")
        try garden.tick(at: seoul("2027-03-08T20:00"))
        #expect(garden.sentDueDates == ["2027-03-08"])
    }

    @Test("7.2: the alarm counts as reached once the cursor passed it, even if the command's now is earlier")
    func reachedByCursor() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        try garden.tick(at: seoul("2027-03-08T09:00"))
        let evening = try timeOfDay("20:00")
        try garden.edit(at: seoul("2027-03-08T08:30")) { $0.alarmTime = evening }
        try garden.tick(at: seoul("2027-03-08T20:00"))
        #expect(garden.sentDueDates == ["2027-03-08"])
    }

    @Test("a command plans ahead of the lane's cursor, and the plant points at exactly that instant")
    func aheadOfCursor() throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        let cursor = try seoul("2027-03-08T09:30")
        try garden.tick(at: cursor)
        let seven = try Cycle(days: 7)
        // The command's now is 08:00; its alarm at 09:00 lies behind the cursor.
        try garden.edit(at: seoul("2027-03-08T08:00")) { $0.cycle = seven }
        #expect(garden.plant.plans.wateringDue?.at == cursor.adding(microseconds: 1))
        try garden.tick(at: cursor.adding(microseconds: 1))
        #expect(garden.sentDueDates == ["2027-03-08"])
    }

    @Test("7.5: a changed zone replans what is ahead")
    func changedZone() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        try garden.move(to: "Europe/London", at: seoul("2027-03-05T10:00"))
        #expect(garden.plant.plans.wateringDue?.at.description == "2027-03-08T09:00:00Z")
        try garden.tick(at: utc("2027-03-08T00:00"))
        #expect(garden.ended.map(\.verdict) == [.end(.superseded, .edited)])
        try garden.tick(at: utc("2027-03-08T09:00"))
        #expect(garden.sentDueDates == ["2027-03-08"])
    }

    @Test("7.2, 7.5: from Kiritimati to Pago Pago a due date comes twice, and is alarmed once")
    func journey() throws {
        var garden = try Garden(
            cycle: 7, zone: "Pacific/Kiritimati", registeredAt: instant("2027-03-01T10:00:00+14:00"))
        let (seven, eight) = (try Cycle(days: 7), try Cycle(days: 8))
        try garden.tick(at: instant("2027-03-08T09:00:00+14:00"))
        try garden.postpone(1, at: instant("2027-03-08T10:00:00+14:00"))
        // 25 hours behind: it is 7 March there.
        let arrival = try instant("2027-03-07T10:30:00-11:00")
        try garden.move(to: "Pacific/Pago_Pago", at: arrival)
        try garden.edit(at: arrival) { $0.cycle = eight }
        try garden.edit(at: arrival) { $0.cycle = seven }
        #expect(garden.plant.dueOn.description == "2027-03-08")
        let dDay = try garden.dDay(arrival)
        #expect(dDay.label == "D-1")
        try garden.tick(at: instant("2027-03-08T09:00:00-11:00"))
        try garden.tick(at: instant("2027-03-12T09:00:00-11:00"))
        #expect(garden.sentDueDates == ["2027-03-08"])
    }

    @Test("7.2: only the latest eight alarmed due dates are kept")
    func forgotten() throws {
        var garden = try Garden(cycle: 1, registeredAt: seoul("2027-03-01T10:00"))
        for day in 1...60 {
            let alarm = try seoul("2027-03-01T09:00").adding(hours: 24 * day)
            try garden.tick(at: alarm)
            try garden.water(at: alarm.adding(minutes: 60), declines: true)
            #expect(garden.plant.plans.alarmedDueDates.count <= 8)
        }
        #expect(garden.sentDueDates.count == 60)
    }
}

@Suite("Planned review reminders")
struct ReviewReminderPlanTests {
    /// When the watering is recorded, and when its reminder is planned.
    static let reminders: [(String, String)] = [
        ("2027-03-02T12:00", "2027-03-02T12:30"), ("2027-03-02T21:29", "2027-03-02T21:59"),
        ("2027-03-02T21:30", "2027-03-03T08:00"), ("2027-03-02T23:45", "2027-03-03T08:00"),
        ("2027-03-02T00:10", "2027-03-02T08:00"), ("2027-03-02T07:29", "2027-03-02T08:00"),
        ("2027-03-02T07:30", "2027-03-02T08:00"), ("2027-03-02T07:31", "2027-03-02T08:01"),
    ]

    @Test("7.3: 30 minutes after the watering, outside 22:00 to 08:00", arguments: ReviewReminderPlanTests.reminders)
    func planned(recordedAt: String, expected: String) throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul(recordedAt))
        let planned = PlannedMoment(ref: 1, at: try seoul(expected))
        #expect(garden.plant.plans.reviewMissing == planned)
    }

    static let quietHours: [(String, String)] = [
        ("2027-03-02T21:59:59.999999+09:00", "2027-03-02T21:59:59.999999+09:00"),
        ("2027-03-02T22:00:00+09:00", "2027-03-03T08:00:00+09:00"),
        ("2027-03-02T23:59:59+09:00", "2027-03-03T08:00:00+09:00"),
        ("2027-03-03T00:00:00+09:00", "2027-03-03T08:00:00+09:00"),
        ("2027-03-03T07:59:59.999999+09:00", "2027-03-03T08:00:00+09:00"),
        ("2027-03-03T08:00:00+09:00", "2027-03-03T08:00:00+09:00"),
    ]

    @Test("7.3: the limits of the quiet hours", arguments: ReviewReminderPlanTests.quietHours)
    func borders(text: String, expected: String) throws {
        let zone = try systemTimeZones.rules("Asia/Seoul")
        let allowed = zone.outsideQuietHours(try instant(text))
        let wanted = try instant(expected)
        #expect(allowed == wanted)
    }

    @Test("7.3: quiet hours are local, and follow clock changes")
    func clockChange() throws {
        let zone = try systemTimeZones.rules("America/New_York")
        let spring = zone.outsideQuietHours(try instant("2027-03-13T22:30:00-05:00"))
        #expect(spring.description == "2027-03-14T12:00:00Z")
        let autumn = zone.outsideQuietHours(try instant("2027-11-06T22:30:00-04:00"))
        #expect(autumn.description == "2027-11-07T13:00:00Z")
    }

    @Test("7.3: none with a review, declined, or for an earlier day")
    func none() throws {
        let now = try seoul("2027-03-10T12:00")
        let garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        var (reviewed, declined, backdated) = (garden, garden, garden)
        try reviewed.water(at: now, keywords: ["안부"])
        try declined.water(at: now, declines: true)
        try backdated.water(at: now, on: civilDay("2027-03-09"))
        for garden in [reviewed, declined, backdated] {
            #expect(garden.plant.wateringCount == 1)
            #expect(garden.plant.plans.reviewMissing == nil)
        }
    }

    @Test("7.3: only the newest watering is reminded of, even if it needs no reminder")
    func newestOnly() throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T12:00"))
        try garden.water(at: seoul("2027-03-02T12:10"), memo: "또 통화했다")
        try garden.tick(at: seoul("2027-03-03T12:00"))
        #expect(garden.sent(.reviewMissing).isEmpty)
        #expect(garden.ended.map(\.verdict) == [.end(.superseded, .newerWatering)])
    }

    @Test("7.3: a watering recorded for an earlier day leaves the reminder alone")
    func olderDay() throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-10T12:00"))
        try garden.water(at: seoul("2027-03-10T12:10"), on: civilDay("2027-03-08"))
        try garden.tick(at: seoul("2027-03-10T12:30"))
        #expect(garden.sent(.reviewMissing) == [1])
    }

    @Test("7.3, 7.6: a review written in time cancels the reminder; deleting it in time restores the reminder once")
    func writtenAndDeleted() throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T12:00"), memo: "메모")
        #expect(garden.plant.plans.reviewMissing == nil)
        try garden.deleteReview(1, at: seoul("2027-03-02T12:10"))
        let planned = PlannedMoment(ref: 1, at: try seoul("2027-03-02T12:30"))
        #expect(garden.plant.plans.reviewMissing == planned)
        try garden.tick(at: seoul("2027-03-02T12:30"))
        try garden.writeReview(1, at: seoul("2027-03-02T12:40"), memo: "메모")
        try garden.deleteReview(1, at: seoul("2027-03-02T12:50"))
        try garden.tick(at: seoul("2027-03-03T12:30"))
        #expect(garden.sent(.reviewMissing) == [1])
    }

    @Test("7.3: a review deleted after the half hour brings no reminder")
    func deletedLate() throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T12:00"), memo: "메모")
        try garden.deleteReview(1, at: seoul("2027-03-02T12:31"))
        #expect(garden.plant.plans.reviewMissing == nil)
    }

    @Test("7.3: quiet hours are checked again before every attempt")
    func secondLook() throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T21:29"))
        let late = try seoul("2027-03-02T22:01")
        let reminder = garden.calendar.first { $0.topic == .reviewMissing }
        let occurrence = try #require(reminder)
        let verdict = try garden.verdict(on: occurrence, at: late)
        let morning = try seoul("2027-03-03T08:00")
        #expect(verdict == .wait(until: morning))
        try garden.tick(at: late)
        #expect(garden.ended.isEmpty)
        try garden.tick(at: morning)
        #expect(garden.sent(.reviewMissing) == [1])
    }

    @Test("7.3, 7.5: a changed zone moves a reminder out of the new quiet hours")
    func changedZone() throws {
        var garden = try Garden(cycle: 30, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T12:00"))
        // 12:30 in Seoul is 03:30 in London.
        try garden.move(to: "Europe/London", at: seoul("2027-03-02T12:10"))
        #expect(garden.plant.plans.reviewMissing?.at.description == "2027-03-02T08:00:00Z")
        try garden.tick(at: utc("2027-03-02T07:00"))
        #expect(garden.sent(.reviewMissing).isEmpty)
        try garden.tick(at: utc("2027-03-02T08:00"))
        #expect(garden.sent(.reviewMissing) == [1])
        try garden.move(to: "Asia/Seoul", at: utc("2027-03-02T09:00"))
        try garden.tick(at: utc("2027-03-04T09:00"))
        #expect(garden.sent(.reviewMissing) == [1])
    }
}

@Suite("Opt-in pushes")
struct OptInPlanTests {
    private static let birthdays = NotificationSwitches(birthday: true)
    private static let withered = NotificationSwitches(withered: true)

    @Test("7.1, 7.10: off by default, and not planned while off")
    func off() throws {
        let switches = NotificationSwitches()
        #expect(switches.watering && switches.review)
        #expect(!switches.birthday && !switches.withered)
        var garden = try Garden(cycle: 7, birthday: "03-05", registeredAt: seoul("2027-03-01T10:00"))
        try garden.tick(at: seoul("2027-04-01T10:00"))
        let topics = Set(garden.ended.map(\.topic))
        #expect(topics == [.wateringDue])
    }

    @Test("7.10: a birthday is planned at the alarm time, and the next one once it has passed")
    func birthday() throws {
        var garden = try Garden(
            cycle: 90, birthday: "1994-03-05", switches: OptInPlanTests.birthdays,
            registeredAt: seoul("2027-03-01T10:00"))
        #expect(garden.plant.plans.birthday?.at.description == "2027-03-05T00:00:00Z")
        try garden.tick(at: seoul("2027-03-05T09:00"))
        #expect(garden.sentDays(.birthday) == ["2027-03-05"])
        #expect(garden.plant.plans.birthday?.at.description == "2028-03-05T00:00:00Z")
        try garden.tick(at: seoul("2028-03-05T09:00"))
        #expect(garden.sent(.birthday).count == 2)
    }

    @Test("7.10: a birthday today is planned until its alarm is past")
    func birthdayToday() throws {
        let before = try Garden(
            birthday: "03-05", switches: OptInPlanTests.birthdays, registeredAt: seoul("2027-03-05T08:59"))
        #expect(before.plant.plans.birthday?.at.description == "2027-03-05T00:00:00Z")
        let after = try Garden(
            birthday: "03-05", switches: OptInPlanTests.birthdays, registeredAt: seoul("2027-03-05T09:01"))
        #expect(after.plant.plans.birthday?.at.description == "2028-03-05T00:00:00Z")
    }

    @Test("7.10: 29 February is celebrated on 28 February in other years")
    func leapDay() throws {
        var garden = try Garden(
            cycle: 90, birthday: "02-29", switches: OptInPlanTests.birthdays, registeredAt: seoul("2026-06-01T10:00"))
        for year in 2027...2033 {
            let day = try #require(CivilDay(year: year, month: 2, day: year % 4 == 0 ? 29 : 28))
            #expect(garden.plant.plans.birthday?.ref == Int(day.daysSinceEpoch))
            let planned = try #require(garden.plant.plans.birthday)
            try garden.tick(at: planned.at)
        }
        #expect(garden.sent(.birthday).count == 7)
        let birthday = try Birthday("02-29")
        #expect(birthday.day(in: 2100)?.description == "2100-02-28")
        #expect(birthday.day(in: 2000)?.description == "2000-02-29")
    }

    @Test("7.10: switching on plans a birthday, switching off and removing the birthday drop the plan")
    func switches() throws {
        var garden = try Garden(cycle: 90, birthday: "03-05", registeredAt: seoul("2027-03-01T10:00"))
        #expect(garden.plant.plans.birthday == nil)
        try garden.turn({ $0.birthday = true }, at: seoul("2027-03-02T10:00"))
        #expect(garden.plant.plans.birthday?.at.description == "2027-03-05T00:00:00Z")
        var removed = garden
        try removed.edit(at: seoul("2027-03-03T10:00")) { $0.birthday = .some(nil) }
        #expect(removed.plant.plans.birthday == nil)
        try removed.tick(at: seoul("2027-03-06T10:00"))
        #expect(removed.ended.map(\.verdict) == [.end(.superseded, .edited)])
        var soon = garden
        try soon.turn({ $0.birthday = false }, at: seoul("2027-03-05T09:00"))
        try soon.tick(at: seoul("2027-03-05T09:00"))
        #expect(soon.ended.map(\.verdict) == [.end(.suppressed, .accountPushesOff)], "its moment had come")
        try garden.turn({ $0.birthday = false }, at: seoul("2027-03-04T10:00"))
        #expect(garden.plant.plans.birthday == nil)
        try garden.tick(at: seoul("2027-03-06T10:00"))
        #expect(garden.ended.map(\.verdict) == [.end(.superseded, .edited)])
        try garden.tick(at: seoul("2029-03-06T10:00"))
        let birthdays = garden.ended.filter { $0.topic == .birthday }
        #expect(birthdays.count == 1, "nothing is planned while it is off")
    }

    @Test("7.10: a changed birthday moves the push")
    func changedBirthday() throws {
        var garden = try Garden(
            cycle: 90, birthday: "03-05", switches: OptInPlanTests.birthdays, registeredAt: seoul("2027-03-01T10:00"))
        let corrected = try Birthday("04-05")
        try garden.edit(at: seoul("2027-03-02T10:00")) { $0.birthday = .some(corrected) }
        try garden.tick(at: seoul("2027-04-05T09:00"))
        #expect(garden.sentDays(.birthday) == ["2027-04-05"])
    }

    @Test("7.7: a birthday push delayed by an outage is sent the same day, even if the plant was watered meanwhile")
    func birthdayAfterOutage() throws {
        var garden = try Garden(
            cycle: 90, birthday: "03-05", switches: OptInPlanTests.birthdays, registeredAt: seoul("2027-03-01T10:00"))
        try garden.tick(at: seoul("2027-03-05T08:00"))
        try garden.water(at: seoul("2027-03-05T10:00"), declines: true)
        try garden.tick(at: seoul("2027-03-05T11:00"))
        #expect(garden.sentDays(.birthday) == ["2027-03-05"])
    }

    @Test("7.10: withering is planned at the alarm time of the day after the due date")
    func withered() throws {
        var garden = try Garden(
            cycle: 7, switches: OptInPlanTests.withered, registeredAt: seoul("2027-03-01T10:00"))
        #expect(garden.plant.plans.withered?.at.description == "2027-03-09T00:00:00Z")
        try garden.tick(at: seoul("2027-03-08T09:00"))
        try garden.tick(at: seoul("2027-03-09T09:00"))
        #expect(garden.sentDays(.withered) == ["2027-03-08"])
        try garden.tick(at: seoul("2027-04-09T09:00"))
        #expect(garden.sent(.withered).count == 1)
    }

    @Test("7.10: a past due date that comes back is not pushed twice")
    func witheredOnce() throws {
        var garden = try Garden(
            cycle: 7, switches: OptInPlanTests.withered, registeredAt: seoul("2027-03-01T10:00"))
        try garden.tick(at: seoul("2027-03-09T09:00"))
        #expect(garden.sentDays(.withered) == ["2027-03-08"])
        let (longer, evening) = (try Cycle(days: 10), try TimeOfDay(alarm: "20:00"))
        try garden.edit(at: seoul("2027-03-09T10:00")) {
            $0.cycle = longer
            $0.alarmTime = evening
        }
        let back = try Cycle(days: 5)
        try garden.edit(at: seoul("2027-03-09T10:01")) { $0.cycle = back }
        // Recorded for the 3rd: due again on the 8th, which is past.
        try garden.water(at: seoul("2027-03-09T10:02"), on: try civilDay("2027-03-03"))
        #expect(garden.plant.dueOn.description == "2027-03-08")
        try garden.tick(at: seoul("2027-03-09T21:00"))
        #expect(garden.sent(.withered).count == 1)
    }

    @Test("7.6, 7.10: a plant watered or postponed on D-day has not withered")
    func notWithered() throws {
        let garden = try Garden(
            cycle: 7, switches: OptInPlanTests.withered, registeredAt: seoul("2027-03-01T10:00"))
        var (watered, postponed) = (garden, garden)
        try watered.water(at: seoul("2027-03-08T23:00"), declines: true)
        try watered.tick(at: seoul("2027-03-09T09:00"))
        #expect(watered.sent(.withered).isEmpty)
        try postponed.postpone(1, at: seoul("2027-03-08T23:00"))
        try postponed.tick(at: seoul("2027-03-09T08:00"))
        try postponed.tick(at: seoul("2027-03-09T09:00"))
        #expect(postponed.sent(.withered).isEmpty)
        try postponed.tick(at: seoul("2027-03-10T09:00"))
        #expect(postponed.sentDays(.withered) == ["2027-03-09"])
    }

    @Test("7.10: switched on in time, withering is planned; switched off, it is suppressed")
    func witheredSwitches() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        #expect(garden.plant.plans.withered == nil)
        try garden.turn({ $0.withered = true }, at: seoul("2027-03-02T10:00"))
        #expect(garden.plant.plans.withered?.at.description == "2027-03-09T00:00:00Z")
        try garden.turn({ $0.withered = false }, at: seoul("2027-03-03T10:00"))
        try garden.tick(at: seoul("2027-03-09T10:00"))
        let verdicts = garden.ended.filter { $0.topic == .withered }.map(\.verdict)
        #expect(verdicts == [.end(.suppressed, .accountPushesOff)])
        try garden.water(at: seoul("2027-03-09T11:00"), declines: true)
        #expect(garden.plant.plans.withered == nil)
    }

    @Test("7.5, 7.10: pushes of a kind that was off while the zone changed come by the new zone")
    func switchesAndZone() throws {
        var garden = try Garden(
            cycle: 9, birthday: "03-10", switches: NotificationSwitches(birthday: true, withered: true),
            registeredAt: seoul("2027-03-01T10:00"))
        try garden.turn({ ($0.birthday, $0.withered) = (false, false) }, at: seoul("2027-03-02T10:00"))
        try garden.move(to: "America/Nuuk", at: seoul("2027-03-06T10:00"))
        try garden.tick(at: instant("2027-03-10T10:00:00+09:00"))
        #expect(garden.ended.allSatisfy { $0.verdict == .end(.superseded, .edited) })
        try garden.turn({ ($0.birthday, $0.withered) = (true, true) }, at: instant("2027-03-10T08:00:00-02:00"))
        try garden.tick(at: instant("2027-03-10T09:00:00-02:00"))
        #expect(garden.sentDays(.birthday) == ["2027-03-10"])
        try garden.tick(at: instant("2027-03-11T09:00:00-02:00"))
        #expect(garden.sentDays(.withered) == ["2027-03-10"])
    }
}
