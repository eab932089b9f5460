import CherishTestSupport
import SeededChance
import Testing

@testable import CherishCore

@Suite("Pauses (rules 13.1 and 13.2)")
struct PauseTests {
    private static func pause(
        _ first: String, _ last: String, _ scope: Pause.Scope = .account, isSpread: Bool = false,
        today: String = "2027-03-01"
    ) throws -> Pause {
        try Pause(
            id: identifier(3), scope, from: civilDay(first), to: civilDay(last), isSpread: isSpread,
            today: civilDay(today))
    }

    private static func refusal(_ body: () throws -> some Any) -> PauseProblem? {
        do {
            _ = try body()
            return nil
        } catch CareError.invalidPause(let problem) {
            return problem
        } catch {
            Issue.record(error)
            return nil
        }
    }

    /// Registered on 26 February with a cycle of 7, so due on 5 March.
    private func garden(alarm: String = "09:00", withered: Bool = false) throws -> Garden {
        try Garden(
            alarm: alarm, switches: NotificationSwitches(withered: withered), registeredAt: seoul("2027-02-26T08:00"))
    }

    @Test("a pause has at most 366 days, begins at most 7 days back, and ends today or later")
    func range() throws {
        let problems = [
            ("2027-03-01", "2028-02-29"), ("2027-03-01", "2028-03-01"), ("2027-02-22", "2027-03-01"),
            ("2027-02-21", "2027-03-01"), ("2027-03-02", "2027-03-01"), ("2027-02-25", "2027-02-28"),
        ].map { days in Self.refusal { try Self.pause(days.0, days.1) } }
        #expect(
            problems == [nil, .tooLong, nil, .tooEarly(try civilDay("2027-02-22")), .isBackwards, .isPast])
    }

    @Test("a pause that has begun keeps its first day; one that is over stays as it is")
    func editing() throws {
        let today = try civilDay("2027-03-10")
        var pause = try Self.pause("2027-03-04", "2027-03-20")
        try pause.edit(from: nil, to: civilDay("2027-03-12"), isSpread: true, today: today)
        #expect(pause.days.upperBound.description == "2027-03-12")
        #expect(pause.isSpread)
        let begun = pause
        let problem = Self.refusal {
            var pause = begun
            try pause.edit(from: civilDay("2027-03-05"), to: nil, isSpread: nil, today: today)
        }
        #expect(problem == .hasBegun)
        let wasOne = try pause.end(today: today)
        #expect(wasOne)
        #expect(pause.days.upperBound.description == "2027-03-09")
        let over = pause
        let another = Self.refusal {
            var pause = over
            return try pause.end(today: today)
        }
        #expect(another == .isOver)
        var ahead = try Self.pause("2027-03-10", "2027-03-20")
        let wasAnother = try ahead.end(today: today)
        #expect(!wasAnother)
    }

    @Test("overlapping pauses act as their union: as a set of days says")
    func union() throws {
        var chance = SplitMix64(seed: 13)
        let start = try civilDay("2027-01-01")
        for _ in 0..<2_000 {
            let pauses = (0..<Int.random(in: 0...5, using: &chance)).map { _ in
                let first = start + Int.random(in: 0...40, using: &chance)
                return Pause(
                    stored: identifier(3), .account, first...first + Int.random(in: 0...12, using: &chance),
                    isSpread: Bool.random(using: &chance))
            }
            let days = PausedDays(pauses)
            let union = Set(pauses.flatMap { Array($0.days) })
            for offset in -2...60 {
                let day = start + offset
                #expect(days.contains(day) == union.contains(day))
                var free = day
                while union.contains(free) { free = free + 1 }
                #expect(days.firstUnpaused(from: day) == free)
            }
            #expect(days.spreadDays.allSatisfy { !union.contains($0) && union.contains($0 + -1) })
            let (stored, read) = (days.spans.flatMap { [$0.lowerBound, $0.upperBound] }, days)
            #expect(stored == stored.sorted() && read == PausedDays(stored: days.spans, spreadDays: days.spreadDays))
        }
    }

    @Test(
        "worked example: due 5 March, paused 4 to 20 March: thirsty on 21 March, postponable on that day; no push before"
    )
    func workedExample() throws {
        var garden = try garden(withered: true)
        #expect(garden.plant.dueOn.description == "2027-03-05")
        try garden.adopt([Self.pause("2027-03-04", "2027-03-20")], at: seoul("2027-03-01T10:00"))
        for day in 2...20 {
            let now = try seoul("2027-03-\(day < 10 ? "0" : "")\(day)T12:00")
            try garden.tick(at: now)
            let condition = try garden.dDay(now).condition
            #expect(condition == .thriving)
            var tooEarly = garden
            #expect(throws: CareError.notYetDue(daysLeft: 21 - day)) { try tooEarly.postpone(1, at: now) }
        }
        #expect(garden.ended.filter { $0.verdict == .send }.isEmpty)
        try garden.tick(at: seoul("2027-03-21T09:00"))
        #expect(garden.ended.filter { $0.verdict == .send }.map(\.topic) == [.wateringDue])
        let dDay = try garden.dDay(seoul("2027-03-21T12:00"))
        #expect(dDay.condition == .thirsty && dDay.label == "D-DAY")
        var unwatered = garden
        _ = try garden.postpone(3, at: seoul("2027-03-21T12:00"))
        #expect(garden.plant.dueOn.description == "2027-03-24")
        try unwatered.tick(at: seoul("2027-03-22T09:00"))
        let condition = try unwatered.dDay(seoul("2027-03-22T12:00")).condition
        #expect(condition == .withered)
        #expect(unwatered.ended.filter { $0.verdict == .send }.map(\.topic) == [.wateringDue, .withered])
    }

    @Test(
        "13.1: due on the day before a pause: thirsty through all of it, and postponable; withered on the first day after"
    )
    func dueOnTheEve() throws {
        var garden = try garden(withered: true)
        try garden.adopt([Self.pause("2027-03-06", "2027-03-20")], at: seoul("2027-03-01T10:00"))
        #expect(garden.plant.dueOn.description == "2027-03-05")
        try garden.tick(at: seoul("2027-03-05T09:00"))
        #expect(garden.ended.map(\.verdict) == [.send])
        for day in ["05", "06", "20"] {
            let condition = try garden.dDay(seoul("2027-03-\(day)T12:00")).condition
            #expect(condition == .thirsty)
        }
        try garden.tick(at: seoul("2027-03-20T23:59"))
        #expect(garden.ended.filter { $0.verdict == .send }.count == 1)
        var postponed = garden
        _ = try postponed.postpone(1, at: seoul("2027-03-10T12:00"))
        #expect(postponed.plant.dueOn.description == "2027-03-21")
        let condition = try garden.dDay(seoul("2027-03-21T00:00")).condition
        #expect(condition == .withered)
        try garden.tick(at: seoul("2027-03-21T09:00"))
        #expect(garden.ended.filter { $0.verdict == .send }.map(\.topic) == [.wateringDue, .withered])
    }

    @Test("13.1: what had withered before stays withered; what withers in a pause that began in the past does not")
    func pausesOfThePast() throws {
        var before = try garden()
        try before.adopt([Self.pause("2027-03-07", "2027-03-20", today: "2027-03-08")], at: seoul("2027-03-08T10:00"))
        let stays = try before.dDay(seoul("2027-03-08T12:00")).condition
        #expect(stays == .withered && before.plant.dueOn.description == "2027-03-05")
        var during = try garden()
        try during.adopt([Self.pause("2027-03-06", "2027-03-20", today: "2027-03-08")], at: seoul("2027-03-08T10:00"))
        let revives = try during.dDay(seoul("2027-03-08T12:00")).condition
        #expect(revives == .thirsty)
        var moved = try garden()
        try moved.tick(at: seoul("2027-03-05T09:00"))
        try moved.adopt([Self.pause("2027-03-05", "2027-03-20", today: "2027-03-08")], at: seoul("2027-03-08T10:00"))
        #expect(moved.plant.dueOn.description == "2027-03-21")
        // Its new due date has an alarm of its own.
        try moved.tick(at: seoul("2027-03-21T09:00"))
        #expect(moved.ended.map(\.verdict) == [.send, .send])
    }

    @Test(
        "13.2: a pause that ends early moves the due date to the later of its own day and the first unpaused day, never before today",
        arguments: [
            ("2027-03-02", "2027-03-05"), ("2027-03-05", "2027-03-05"), ("2027-03-06", "2027-03-06"),
            ("2027-03-10", "2027-03-10"),
        ])
    func endedEarly(today: String, expected: String) throws {
        var garden = try garden()
        var pause = try Self.pause("2027-03-02", "2027-03-20")
        let now = try seoul("\(today)T08:00")
        try garden.adopt([pause], at: seoul("2027-03-01T10:00"))
        #expect(garden.plant.dueOn.description == "2027-03-21")
        let isLeft = try pause.end(today: civilDay(today))
        try garden.adopt(isLeft ? [pause] : [], at: now)
        #expect(garden.plant.dueOn.description == expected)
        try garden.tick(at: seoul("\(expected)T09:00"))
        #expect(garden.ended.filter { $0.verdict == .send }.count == 1)
        // What has come stays, whatever happens to the pause later.
        try garden.adopt([], at: seoul("\(expected)T10:00"))
        #expect(garden.plant.dueOn.description == expected)
    }

    @Test("13.2: a due date that was set since stays when the pause ends")
    func setSince() throws {
        var garden = try garden()
        try garden.adopt([Self.pause("2027-03-04", "2027-03-20")], at: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-18T10:00"))
        #expect(garden.plant.dueOn.description == "2027-03-25")
        #expect(garden.waterings[0].dueOn?.description == "2027-03-25")
        try garden.adopt([], at: seoul("2027-03-19T10:00"))
        #expect(garden.plant.dueOn.description == "2027-03-25")
        try garden.tick(at: seoul("2027-03-25T09:00"))
        #expect(garden.ended.filter { $0.topic == .wateringDue && $0.verdict == .send }.count == 1)
    }

    @Test(
        "watering during a pause is an ordinary watering, but its reminder is silent, and a due date in the pause moves"
    )
    func wateringInside() throws {
        var garden = try garden()
        try garden.adopt([Self.pause("2027-03-04", "2027-03-20")], at: seoul("2027-03-01T10:00"))
        let change = try garden.water(at: seoul("2027-03-06T10:00"))
        #expect(change.watering.dueOn?.description == "2027-03-13")
        #expect(garden.plant.dueOn.description == "2027-03-21" && garden.plant.ownDueOn.description == "2027-03-13")
        try garden.tick(at: seoul("2027-03-06T10:30"))
        #expect(garden.ended.last?.verdict == .end(.suppressed, .paused))
        #expect(garden.plant.affection.points == 8)
    }

    @Test("a cycle that is edited, and a friend who is brought back, keep out of the pause")
    func otherDueDates() throws {
        var garden = try garden()
        let pause = try Self.pause("2027-03-04", "2027-03-20")
        try garden.adopt([pause], at: seoul("2027-03-01T10:00"))
        try garden.edit(at: seoul("2027-03-01T11:00")) { $0.cycle = try Cycle(days: 10) }
        #expect(garden.plant.ownDueOn.description == "2027-03-08" && garden.plant.dueOn.description == "2027-03-21")
        try garden.remove(at: seoul("2027-03-01T12:00"))
        let context = try garden.context(seoul("2027-03-02T12:00"))
        _ = garden.plant.restore(for: garden.account, in: context, pausedDays: PausedDays([pause]))
        #expect(garden.plant.dueOn.description == "2027-03-21" && garden.plant.ownDueOn.description == "2027-03-12")
    }

    @Test("13.2: what is due on the first day after a pause is spread over the cycle, and stays where it was put")
    func spread() throws {
        let pause = try Self.pause("2027-03-04", "2027-03-20", isSpread: true)
        let days = PausedDays([pause])
        let first = try civilDay("2027-03-21")
        let cycle = try Cycle(days: 7)
        var found: [CivilDay: Int] = [:]
        var chance = SplitMix64(seed: 5)
        for _ in 0..<7_000 {
            let id = Plant.ID(chance.uuid())
            let day = days.dueDate(for: try civilDay("2027-03-07"), cycle, of: id)
            #expect(days.dueDate(for: first, cycle, of: id) == day)
            found[day, default: 0] += 1
        }
        #expect(Set(found.keys) == Set((0..<7).map { first + $0 }))
        #expect(found.values.allSatisfy { (850...1_150).contains($0) })
        #expect(days.dueDate(for: first + 1, cycle, of: identifier(1)) == first + 1)
        var garden = try garden()
        try garden.adopt([pause], at: seoul("2027-03-01T10:00"))
        let due = garden.plant.dueOn
        let other = try Self.pause("2027-05-01", "2027-05-02")
        try garden.adopt([pause, other], at: seoul("2027-03-20T10:00"))
        #expect(garden.plant.dueOn == due)
    }

    @Test("a push that was planned before the due date moved ends as superseded, because of the pause")
    func supersededPush() throws {
        var garden = try garden()
        try garden.adopt([Self.pause("2027-03-04", "2027-03-20")], at: seoul("2027-03-01T10:00"))
        try garden.tick(at: seoul("2027-03-05T09:00"))
        #expect(garden.ended.map(\.verdict) == [.end(.superseded, .paused)])
    }

    @Test("a removed plant does not care for pauses")
    func removed() throws {
        var garden = try garden()
        try garden.remove(at: seoul("2027-03-01T09:00"))
        let before = garden.plant
        try garden.adopt([Self.pause("2027-03-04", "2027-03-20")], at: seoul("2027-03-01T10:00"))
        #expect(garden.plant == before)
    }

    @Test("a pause is for all friends, those with a tag, or one")
    func scopes() throws {
        let (tag, other): (CherishCore.Tag.ID, CherishCore.Tag.ID) = (identifier(8), identifier(9))
        let pauses = try [
            Self.pause("2027-03-01", "2027-03-02"), Self.pause("2027-03-04", "2027-03-05", .tag(tag)),
            Self.pause("2027-03-07", "2027-03-08", .friend(identifier(1))),
        ]
        #expect(pauses.days(of: identifier(1), tagIDs: [tag, other]).spans.count == 3)
        #expect(pauses.days(of: identifier(2), tagIDs: [other]).spans.count == 1)
        #expect(pauses.days(of: nil, tagIDs: [tag]).spans.count == 2)
        #expect(pauses.daysOfAccount.spans.count == 1)
    }
}

@Suite("Alerts of things in pauses (rule 13.2)")
struct PausedThingTests {
    private func days(_ first: String, _ last: String) throws -> PausedDays {
        PausedDays([
            Pause(stored: identifier(3), .account, try civilDay(first)...civilDay(last), isSpread: false)
        ])
    }

    private func context(_ now: String, _ pausedDays: PausedDays = .none) throws -> CommandContext {
        CommandContext(
            now: try seoul(now), zone: try systemTimeZones.rules("Asia/Seoul"),
            calendarCursor: Instant(secondsSinceEpoch: 0), pausedDays: pausedDays)
    }

    private func thing(
        _ alerts: [String], due: String = "2027-03-10", repetition: AlertRepetition = .once, in context: CommandContext
    ) throws -> Thing {
        var draft = ThingDraft(kind: .reminder, title: try ThingTitle("우유"), dueOn: try civilDay(due))
        draft.alerts = try alerts.map { try ThingAlert($0) }
        draft.repetition = repetition
        return try Thing.record(draft, id: identifier(1), for: identifier(7), .usual, in: context).thing
    }

    @Test("the newest missed alert comes once, at 09:00 of the first unpaused day, and then those that follow")
    func newestMissed() throws {
        let paused = try days("2027-03-04", "2027-03-20")
        var thing = try thing(["3d@09:00", "1d@10:00", "0d@11:00"], in: context("2027-03-01T08:00"))
        let first = try seoul("2027-03-07T09:00")
        #expect(thing.plans.next?.planned.at == first)
        let held = thing.replanAfterAccountEdit(.usual, in: try context("2027-03-02T08:00", paused))
        let release = try seoul("2027-03-21T09:00")
        #expect(held?.at == release)
        // It stands for those that follow it in the pause, should that be shortened.
        #expect(thing.plans.next?.wallMinute == -3 * 1440 + 9 * 60)
        let shortened = try days("2027-03-04", "2027-03-09")
        var early = thing
        let released = early.replanAfterAccountEdit(.usual, in: try context("2027-03-10T08:00", shortened))
        #expect(try released?.at == seoul("2027-03-10T09:00"))
        // Worth sending for a day.
        let end = try seoul("2027-03-22T09:00")
        #expect(thing.plans.next?.expiresAt == end)
        let reached = try #require(thing.plans.next?.planned)
        let next = thing.planNext(after: reached, .usual, in: try context("2027-03-21T09:00", paused))
        #expect(next == nil)
    }

    @Test("an alert that rings on the first unpaused day by 09:00 stands for those that were missed")
    func ringsByItself() throws {
        let paused = try days("2027-03-04", "2027-03-09")
        var thing = try thing(["0d@08:00"], due: "2027-03-05", repetition: .daily, in: context("2027-03-01T08:00"))
        let planned = thing.replanAfterAccountEdit(.usual, in: try context("2027-03-02T08:00", paused))
        let expected = try seoul("2027-03-10T08:00")
        #expect(planned?.at == expected)
    }

    @Test(
        "when the pause ends early, what was missed comes at 09:00, or at once where that is past; the rest at its time"
    )
    func endedEarly() throws {
        let paused = try days("2027-03-04", "2027-03-20")
        for (today, now, expected) in [
            ("2027-03-09", "2027-03-10T08:00", "2027-03-10T09:00"),
            ("2027-03-09", "2027-03-10T12:00", "2027-03-10T09:00"),
            ("2027-03-05", "2027-03-06T08:00", "2027-03-07T09:00"),
        ] {
            var thing = try thing(["3d@09:00"], in: context("2027-03-01T08:00"))
            _ = thing.replanAfterAccountEdit(.usual, in: try context("2027-03-02T08:00", paused))
            let shorter = try days("2027-03-04", today)
            let planned = thing.replanAfterAccountEdit(.usual, in: try context(now, shorter))
            let at = try seoul(expected)
            // A past instant is sent at once: the calendar's cursor is behind it.
            #expect(planned?.at == at, "\(now)")
        }
    }

    @Test("what the pause silenced on the day on which it ends comes at 09:00, or at once where that is past")
    func silencedToday() throws {
        for (first, alerts, now, expected) in [
            ("2027-03-05", ["0d@10:00"], "2027-03-10T12:00", "2027-03-10T10:00"),
            ("2027-03-05", ["0d@08:30", "0d@10:00"], "2027-03-10T12:00", "2027-03-10T10:00"),
            ("2027-03-05", ["1d@18:00", "0d@10:00"], "2027-03-10T12:00", "2027-03-10T10:00"),
            ("2027-03-05", ["0d@08:30"], "2027-03-10T08:45", "2027-03-10T09:00"),
            ("2027-03-05", ["0d@08:30", "0d@08:50"], "2027-03-10T08:45", "2027-03-10T08:50"),
            // A pause that began on that day leaves no trace but the alert that waits.
            ("2027-03-10", ["0d@10:00"], "2027-03-10T12:00", "2027-03-10T10:00"),
            ("2027-03-10", ["0d@14:00"], "2027-03-10T12:00", "2027-03-10T14:00"),
        ] {
            var thing = try thing(alerts, in: context("2027-03-01T08:00"))
            _ = thing.replanAfterAccountEdit(.usual, in: try context("2027-03-02T08:00", days(first, "2027-03-20")))
            let left = first == "2027-03-10" ? PausedDays.none : try days(first, "2027-03-09")
            let planned = thing.replanAfterAccountEdit(.usual, in: try context(now, left))
            let at = try seoul(expected)
            // A past instant is sent at once: the calendar's cursor is behind it.
            #expect(planned?.at == at, "\(alerts) \(now)")
        }
    }

    @Test("in another zone, what waits still waits; another alert forgets it")
    func editedMeanwhile() throws {
        let paused = try days("2027-03-04", "2027-03-20")
        var thing = try thing(["3d@09:00"], in: context("2027-03-01T08:00"))
        _ = thing.replanAfterAccountEdit(.usual, in: try context("2027-03-02T08:00", paused))
        let moved = CommandContext(
            now: try seoul("2027-03-12T08:00"), zone: try systemTimeZones.rules("Europe/Berlin"),
            calendarCursor: Instant(secondsSinceEpoch: 0), pausedDays: paused)
        let planned = thing.replanAfterAccountEdit(.usual, in: moved)
        let expected = try instant("2027-03-21T09:00:00+01:00")
        #expect(planned?.at == expected)
        var edit = ThingEdit()
        edit.alerts = try [ThingAlert("0d@09:00")]
        _ = try thing.edit(edit, .usual, in: moved)
        #expect(thing.plans.next == nil)
    }
}
