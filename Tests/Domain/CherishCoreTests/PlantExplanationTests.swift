import Testing

@testable import CherishCore

@Suite("Explaining a plant")
struct PlantExplanationTests {
    private let zone: TimeZoneRules

    init() throws {
        zone = try systemTimeZones.rules("Asia/Seoul")
    }

    private func explain(_ garden: RememberedGarden, on day: String, at now: String = "2027-03-20T10:00") throws
        -> PlantExplanation
    {
        PlantExplanation(
            of: garden.history, for: garden.garden.account, on: try civilDay(day), at: try seoul(now), in: zone)
    }

    @Test("the history reproduces the plant after each command")
    func asOf() throws {
        let garden = try RememberedGarden.long()
        for (instant, plant) in garden.past {
            var expected = plant
            expected.plans = Plans()
            let found = garden.history.plant(asOf: instant, in: zone)
            #expect(found == expected, "at \(instant)")
        }
        let before = garden.history.plant(asOf: garden.past[0].at.adding(microseconds: -1), in: zone)
        #expect(before == nil)
    }

    @Test("1.7, 1.8: the history of a friend brought back gives the anchor of a changed cycle")
    func broughtBack() throws {
        var garden = try RememberedGarden(at: "2027-03-01T10:00")
        try garden.at("2027-03-02T10:00") { try $0.water(at: $1) }
        try garden.at("2027-03-03T10:00") { try $0.remove(at: $1) }
        try garden.at("2027-05-10T10:00") { try $0.restore(at: $1) }
        try garden.at("2027-05-12T10:00") { garden, now in
            try garden.edit(at: now) { $0.cycle = try Cycle(days: 30) }
        }
        try garden.at("2027-05-13T10:00") { try $0.water(at: $1) }
        let steps = garden.history.dueDates(in: zone)
        let (edited, restoredOn) = (try Cycle(days: 30), try civilDay("2027-05-10"))
        #expect(steps.map(\.cause).contains(.edit(edited, anchor: restoredOn)))
        for (instant, plant) in garden.past {
            var expected = plant
            expected.plans = Plans()
            #expect(garden.history.plant(asOf: instant, in: zone) == expected, "at \(instant)")
        }
    }

    @Test("1.4, 1.7, 3.3, 6.2: each due date, and what set it")
    func dueDates() throws {
        let garden = try RememberedGarden.long()
        let steps = garden.history.dueDates(in: zone)
        #expect(
            steps.map { "\($0.setOn) \($0.source.rawValue) \($0.dueOn)" } == [
                "2027-03-01 registration 2027-03-08", "2027-03-05 watering 2027-03-12",
                "2027-03-05 watering 2027-03-12", "2027-03-12 postponement 2027-03-15",
                "2027-03-17 watering 2027-03-24", "2027-03-18 edit 2027-03-27",
            ])
        let (edited, lastWatered) = (try Cycle(days: 10), try civilDay("2027-03-17"))
        #expect(steps.last?.cause == .edit(edited, anchor: lastWatered))
        let postponedFrom = try civilDay("2027-03-12")
        #expect(steps[3].cause == .postponement(from: postponedFrom, days: 3))
    }

    @Test("1.4, 1.7, 1.8: a later change of zone moves no day on which a due date was set")
    func changedZone() throws {
        var garden = try RememberedGarden(at: "2027-03-01T10:00")
        try garden.at("2027-03-17T10:00") { garden, now in
            try garden.edit(at: now) { $0.cycle = try Cycle(days: 3) }
        }
        let edited = garden.history
        let broughtBack = DueDateChange(
            changedAt: try seoul("2027-03-20T10:00"), cycle: try Cycle(days: 3), dueOn: try civilDay("2027-03-23"),
            source: .registration)
        let history = PlantHistory(
            plant: edited.plant, createdAt: edited.createdAt, dueDateChanges: edited.dueDateChanges + [broughtBack])
        // In New York, it was the day before each time.
        for name in ["Asia/Seoul", "America/New_York"] {
            let steps = history.dueDates(in: try systemTimeZones.rules(name))
            #expect(
                steps.map { "\($0.setOn) \($0.source.rawValue) \($0.dueOn)" } == [
                    "2027-03-01 registration 2027-03-08", "2027-03-17 edit 2027-03-17",
                    "2027-03-20 registration 2027-03-23",
                ], "\(name)")
        }
    }

    @Test("3.5, 4.1, 4.4: the ledger with running sums, what each watering earned and why not more")
    func affection() throws {
        let account = LedgerStatement(of: try RememberedGarden.long().history)
        #expect(
            account.lines.map { "\($0.row.entry.wateringNumber) \($0.row.entry.reason.rawValue) \($0.sum)" } == [
                "1 contact 8", "1 keywords 16", "1 memo 24", "3 contact 32",
            ])
        #expect(account.earnings.map(\.points) == [24, 0, 8])
        #expect(
            account.earnings.map(\.shortfalls) == [
                [], [.notFirstOfDay(first: 1)], [.notWritten(.keywords), .notWritten(.memo)],
            ])
    }

    @Test("4.4: before its memo was written, a watering had earned nothing for one")
    func affectionOfThePast() throws {
        let history = try RememberedGarden.long().history
        let account = LedgerStatement(of: history, asOf: try seoul("2027-03-07T19:59"))
        #expect(account.points == 16)
        #expect(account.earnings.map(\.shortfalls) == [[.notWritten(.memo)], [.notFirstOfDay(first: 1)]])
    }

    @Test("4.2: the last points to 100, and nothing beyond")
    func full() throws {
        var garden = try RememberedGarden(at: "2027-03-01T10:00")
        // Four waterings of 24 make 96.
        for day in 2...5 {
            try garden.at("2027-03-0\(day)T10:00") { try $0.water(at: $1, keywords: ["안부"], memo: "메모") }
        }
        try garden.at("2027-03-06T10:00") { try $0.water(at: $1, memo: "메모") }
        try garden.at("2027-03-07T10:00") { try $0.water(at: $1) }
        let account = LedgerStatement(of: garden.history)
        #expect(account.lines.suffix(2).map(\.sum) == [96, 100])
        #expect(account.earnings[4].points == 4)
        #expect(account.earnings[4].shortfalls == [.capped(.contact), .notWritten(.keywords), .full(.memo)])
        #expect(account.earnings[5].shortfalls == [.full(.contact)])
    }

    @Test("2.2, 3.3: the history of events, including withering and reviving")
    func events() throws {
        var garden = try RememberedGarden.long()
        try garden.at("2027-03-19T12:00") { try $0.remove(at: $1) }
        let events = garden.history.events(upTo: try seoul("2027-04-30T10:00"), in: zone)
        let kinds = events.map { event in
            switch event.kind {
            case .registered: "registered"
            case .restored: "restored"
            case .cycleChanged(let days): "cycle \(days)"
            case .watered(let watering, let points): "watered \(watering.number) +\(points)"
            case .reviewed(let number, let reason, let points): "\(reason.rawValue) \(number) +\(points)"
            case .postponed(let days): "postponed \(days)"
            case .pauseMoved: "moved by a pause"
            case .excused: "excused"
            case .withered: "withered"
            case .revived: "revived"
            case .removed: "removed"
            }
        }
        #expect(
            zip(events, kinds).map { "\($0.day) \($1)" } == [
                "2027-03-01 registered", "2027-03-05 watered 1 +16", "2027-03-05 watered 2 +0",
                "2027-03-07 memo 1 +8", "2027-03-12 postponed 3", "2027-03-16 withered", "2027-03-17 watered 3 +8",
                "2027-03-17 revived", "2027-03-18 cycle 10", "2027-03-19 removed",
            ])
        let witheredAt = try seoul("2027-03-16T00:00")
        #expect(events[5].at == witheredAt)
    }

    @Test("a past day is explained as of its end: later events do not count, but nearby ones are listed")
    func pastDay() throws {
        let garden = try RememberedGarden.long()
        let explanation = try explain(garden, on: "2027-03-13")
        #expect(explanation.isPast)
        let then = try #require(explanation.plant)
        let day = try civilDay("2027-03-13")
        #expect(then.dDay(on: day).label == "D-2")
        #expect(then.affection.points == 24)
        #expect(explanation.dueDate?.source == .postponement)
        #expect(explanation.upcoming.map(\.kind) == [.push(.wateringDue), .withers])
        let (alarmAt, withersAt) = (try seoul("2027-03-15T09:00"), try seoul("2027-03-16T00:00"))
        #expect(explanation.upcoming.map(\.at) == [alarmAt, withersAt])
        // From 6 to 20 March: the memo of the 7th, the postponement, withered, watered, revived, the edit.
        #expect(explanation.events.count == 6)
        let early = try explain(garden, on: "2027-02-28")
        #expect(early.plant == nil)
        #expect(early.affection.points == 0)
    }

    @Test("7.2: a due date that comes back gets no second alarm, and says so; a removed plant has nothing upcoming")
    func notAgain() throws {
        var garden = try RememberedGarden(at: "2027-03-01T10:00")
        // The alarm of the 8th was reached; a longer cycle moves the due date away, and the old cycle back.
        for (time, days) in [("12:00", 8), ("13:00", 7)] {
            try garden.at("2027-03-08T\(time)") { garden, now in
                try garden.edit(at: now) { $0.cycle = try Cycle(days: days) }
            }
        }
        #expect(try explain(garden, on: "2027-03-08", at: "2027-03-08T14:00").alarm == .notAgain)
        try garden.at("2027-03-08T15:00") { try $0.remove(at: $1) }
        let removed = try explain(garden, on: "2027-03-08", at: "2027-03-08T16:00")
        #expect(removed.upcoming.isEmpty)
    }

    @Test("7.2, 7.4: what comes next, when, and why it will not be sent")
    func upcoming() throws {
        var garden = try RememberedGarden(
            birthday: "03-10", switches: NotificationSwitches(review: false, birthday: true, withered: true),
            at: "2027-03-01T10:00")
        try garden.at("2027-03-02T21:50") { try $0.water(at: $1) }
        let explanation = try explain(garden, on: "2027-03-02", at: "2027-03-02T22:00")
        #expect(!explanation.isPast)
        // The reminder of 22:20 falls into quiet hours; the due date is 9 March.
        let expected: [(PlantExplanation.Upcoming.Kind, String, PushReason?)] = [
            (.push(.reviewMissing), "2027-03-03T08:00", .accountPushesOff),
            (.push(.wateringDue), "2027-03-09T09:00", nil), (.withers, "2027-03-10T00:00", nil),
            (.push(.withered), "2027-03-10T09:00", nil), (.push(.birthday), "2027-03-10T09:00", nil),
        ]
        let wanted = try Set(
            expected.map { PlantExplanation.Upcoming(at: try seoul($0.1), kind: $0.0, obstacle: $0.2) })
        #expect(Set(explanation.upcoming) == wanted)
        #expect(explanation.upcoming.map(\.at) == explanation.upcoming.map(\.at).sorted())
        let alarmAt = try seoul("2027-03-09T09:00")
        #expect(explanation.alarm == .planned(alarmAt))
        let onDDay = try explain(garden, on: "2027-03-09", at: "2027-03-09T09:30")
        #expect(onDDay.alarm == .reached(alarmAt))
    }

    @Test("7.2: an alarm time already past when set gives no alarm")
    func pastAlarm() throws {
        var garden = try RememberedGarden(at: "2027-03-01T10:00")
        try garden.at("2027-03-05T10:00") { garden, now in
            // Counted from 1 March this would be 3 March, but it is never before today, whose 09:00 has passed.
            try garden.edit(at: now) { $0.cycle = try Cycle(days: 2) }
        }
        let explanation = try explain(garden, on: "2027-03-05", at: "2027-03-05T11:00")
        #expect(explanation.alarm == .wasPast)
        let today = try civilDay("2027-03-05")
        #expect(explanation.plant?.dueOn == today)
    }
}

@Suite("Forecast of pushes")
struct PushForecastTests {
    private func lines(_ garden: RememberedGarden, from now: String, before end: String) throws -> [String] {
        let zone = try systemTimeZones.rules("Asia/Seoul")
        let forecast = PushForecast(of: garden.account, from: try seoul(now), before: try seoul(end), in: zone)
        return forecast.entries.map { entry in
            let end = entry.end.map { " \($0.outcome.rawValue) \($0.reason.rawValue)" } ?? ""
            return "\(zone.day(at: entry.at)) \(zone.timeOfDay(at: entry.at)) \(entry.occurrence.topic)\(end)"
        }
    }

    @Test("7.2, 7.3, 7.10: alarm, reminder after quiet hours, withered, birthdays of two years")
    func kinds() throws {
        var garden = try RememberedGarden(
            birthday: "02-29", switches: NotificationSwitches(birthday: true, withered: true), at: "2027-02-20T10:00")
        try garden.at("2027-02-21T22:10") { try $0.water(at: $1) }
        try garden.at("2027-02-21T22:50") { try $0.water(at: $1) }
        // Rule 7.10: 29 February falls on the 28th in 2027, and exists in 2028. Due 21 + 7 = 28 February.
        #expect(
            try lines(garden, from: "2027-02-21T23:00", before: "2028-03-01T00:00").sorted() == [
                "2027-02-22 08:00 review_missing", "2027-02-28 09:00 birthday", "2027-02-28 09:00 watering_due",
                "2027-03-01 09:00 withered", "2028-02-29 09:00 birthday",
            ])
        #expect(try lines(garden, from: "2027-02-21T23:00", before: "2027-02-22T08:00").isEmpty)
    }

    @Test("7.4, 7.7: disabled pushes are suppressed, stale ones expire, late ones are sent at once")
    func ends() throws {
        let garden = try RememberedGarden(at: "2027-03-01T10:00")
        #expect(
            try lines(garden, from: "2027-03-08T15:00", before: "2027-03-09T00:00")
                == ["2027-03-08 15:00 watering_due"])
        #expect(
            try lines(garden, from: "2027-03-09T00:00", before: "2027-03-10T00:00")
                == ["2027-03-09 00:00 watering_due expired too_late"])
        let off = try RememberedGarden(switches: NotificationSwitches(watering: false), at: "2027-03-01T10:00")
        #expect(
            try lines(off, from: "2027-03-02T10:00", before: "2027-04-01T00:00")
                == ["2027-03-08 09:00 watering_due suppressed account_pushes_off"])
    }

    @Test("1.8, 7.6: a removed plant, a written review and a moved due date are not pushed")
    func superseded() throws {
        var removed = try RememberedGarden(at: "2027-03-01T10:00")
        try removed.at("2027-03-02T10:00") { try $0.remove(at: $1) }
        #expect(try lines(removed, from: "2027-03-02T11:00", before: "2027-04-01T00:00").isEmpty)
        var reviewed = try RememberedGarden(at: "2027-03-01T10:00")
        try reviewed.at("2027-03-02T10:00") { try $0.water(at: $1) }
        try reviewed.at("2027-03-02T10:10") { try $0.writeReview(1, at: $1, keywords: ["안부"]) }
        #expect(
            try lines(reviewed, from: "2027-03-02T10:20", before: "2027-04-01T00:00")
                == ["2027-03-09 09:00 watering_due"])
    }
}
