import Testing

@testable import CherishCore

@Suite("10: things")
struct ThingTests {
    private static let account: Account.ID = identifier(7)

    private static func draft(
        _ kind: Thing.Kind = .reminder, due: String? = "2027-03-10", time: String? = nil,
        _ change: (inout ThingDraft) throws -> Void = { _ in }
    ) throws -> ThingDraft {
        var draft = ThingDraft(kind: kind, title: try ThingTitle("우유"), dueOn: try due.map { try civilDay($0) })
        draft.dueTime = try time.map { try timeOfDay($0) }
        try change(&draft)
        return draft
    }

    private static func record(
        _ draft: ThingDraft, at now: String = "2027-03-01T08:00", cursor: Instant = Instant(secondsSinceEpoch: 0)
    ) throws -> (thing: Thing, change: ThingChange) {
        try Thing.record(
            draft, id: identifier(1), for: account, .usual, in: context(try seoul(now), cursor: cursor))
    }

    /// When a thing alerts first.
    private static func alert(_ draft: ThingDraft, at now: String) throws -> Instant? {
        let (thing, change) = try record(draft, at: now)
        #expect(thing.plans.next?.planned == change.planned)
        return change.planned?.at
    }

    // MARK: - Limits

    @Test("10.1: a title has 1 to 100 characters, a note at most 1,000")
    func texts() throws {
        #expect(try ThingTitle(String(repeating: "가", count: 100)).description.count == 100)
        for text in ["", " \u{200B} ", String(repeating: "가", count: 101), "a\u{7}"] {
            #expect(throws: ThingError.invalidTitle) { try ThingTitle(text) }
        }
        #expect(try ThingTitle(" e\u{301}  b\n").description == "é b")
        #expect(try ThingNote(" \n") == nil)
        #expect(try ThingNote(String(repeating: "x", count: 1000)) != nil)
        #expect(throws: ThingError.noteTooLong(length: 1001)) { try ThingNote(String(repeating: "x", count: 1001)) }
        #expect(throws: ThingError.invalidCategory) { try FoodCategory(String(repeating: "x", count: 21)) }
        #expect(throws: ThingError.invalidOrderNumber) { try OrderNumber(String(repeating: "x", count: 61)) }
    }

    @Test("10.2: a due day lies within 2000 to 2099, and may be past")
    func dueDays() throws {
        for day in ["2000-01-01", "2099-12-31"] {
            #expect(try Self.record(Self.draft(due: day)).thing.due.day.description == day)
        }
        for day in ["1999-12-31", "2100-01-01"] {
            #expect(throws: ThingError.invalidDue(try civilDay(day))) { try Self.record(Self.draft(due: day)) }
        }
    }

    @Test("10.2: each kind has parts of its own")
    func parts() throws {
        func refusal(_ kind: Thing.Kind, _ change: (inout ThingDraft) throws -> Void) throws -> ThingError? {
            do {
                _ = try Self.record(Self.draft(kind, change))
                return nil
            } catch let error as ThingError {
                return error
            }
        }
        let store = try Self.store(returnDays: 14)
        for kind in Thing.Kind.allCases {
            let time = try refusal(kind) { $0.dueTime = .defaultAlarm }
            #expect(time == (kind == .food ? .notForKind(.time, kind) : nil))
            let category = try refusal(kind) { $0.category = try FoodCategory("dairy") }
            #expect(category == (kind == .food ? nil : .notForKind(.category, kind)))
            let purchase = try refusal(kind) { $0.boughtOn = $0.dueOn }
            #expect(purchase == (kind == .reminder ? .notForKind(.purchase, kind) : nil))
            let isErrand = kind == .pickup || kind == .giveBack
            let place = try refusal(kind) { $0.store = store }
            #expect(place == (isErrand ? nil : .notForKind(.store, kind)))
            let order = try refusal(kind) { $0.orderNumber = try OrderNumber("A-1") }
            #expect(order == (isErrand ? nil : .notForKind(.order, kind)))
        }
    }

    @Test("10.4: at most 5 alerts, each within its range, and in minutes only before a time")
    func alertLimits() throws {
        func refusal(_ alerts: [ThingAlert], time: String? = "10:00") throws -> ThingError? {
            do {
                _ = try Self.record(Self.draft(time: time) { $0.alerts = alerts })
                return nil
            } catch let error as ThingError {
                return error
            }
        }
        #expect(try refusal(Array(repeating: .minutesBefore(0), count: 5)) == nil)
        #expect(try refusal(Array(repeating: .minutesBefore(0), count: 6)) == .tooManyAlerts(6))
        #expect(try refusal([.minutesBefore(10_080), .daysBefore(365, at: .defaultAlarm)]) == nil)
        #expect(try refusal([.minutesBefore(10_081)]) == .invalidAlert(.minutes(10_081)))
        #expect(try refusal([.minutesBefore(-1)]) == .invalidAlert(.minutes(-1)))
        #expect(try refusal([.daysBefore(366, at: .defaultAlarm)]) == .invalidAlert(.days(366)))
        #expect(try refusal([.minutesBefore(5)], time: nil) == .invalidAlert(.withoutTime))
        #expect(throws: ThingError.invalidWarningDays(31)) { try WarningDays(31) }
    }

    @Test("10.8: a last day before the first is refused")
    func lastDay() throws {
        let until = try civilDay("2027-03-09")
        #expect(throws: ThingError.invalidRecurrence(.ended(until))) {
            try Self.record(Self.draft { $0.recurrence = try Recurrence(every: 1, .days, until: until) })
        }
    }

    private static func store(returnDays: Int) throws -> Store {
        Store(
            id: identifier(3), name: try #require(StoreName("Store")), country: try #require(Country("kr")),
            returnDays: returnDays)
    }

    @Test("10.9: a store's days give the due day, and nothing else does")
    func storeDays() throws {
        let store = try Self.store(returnDays: 14)
        func draft(_ kind: Thing.Kind, boughtOn: String?, _ store: Store?) throws -> ThingDraft {
            try Self.draft(kind, due: nil) { draft in
                draft.boughtOn = try boughtOn.map { try civilDay($0) }
                draft.store = store
            }
        }
        let thing = try Self.record(draft(.giveBack, boughtOn: "2027-02-20", store)).thing
        #expect(thing.due.day.description == "2027-03-06")
        for draft in [
            try draft(.pickup, boughtOn: "2027-02-20", store), try draft(.giveBack, boughtOn: nil, store),
            try draft(.giveBack, boughtOn: "2027-02-20", nil), try Self.draft(.food, due: nil),
        ] {
            #expect(throws: ThingError.dueUnknown(draft.kind)) { try Self.record(draft) }
        }
    }

    // MARK: - State

    @Test("10.3: the state follows from the days left")
    func states() throws {
        func states(_ kind: Thing.Kind) throws -> [Thing.State] {
            let thing = try Self.record(Self.draft(kind)).thing
            return try ["2027-03-06", "2027-03-07", "2027-03-10", "2027-03-11"].map {
                thing.state(on: try civilDay($0), warningDays: .usual)
            }
        }
        #expect(try states(.reminder) == [.upcoming, .upcoming, .due, .overdue])
        #expect(try states(.food) == [.fresh, .expiring, .expiring, .expired])
    }

    // MARK: - Alerts

    @Test("10.4: where nobody chose an alert, each kind has its own")
    func usualAlerts() throws {
        let now = "2027-03-01T08:00"
        #expect(try Self.alert(Self.draft(.food), at: now) == (try seoul("2027-03-07T09:00")))
        #expect(try Self.alert(Self.draft(.pickup), at: now) == (try seoul("2027-03-09T09:00")))
        #expect(try Self.alert(Self.draft(.giveBack), at: now) == (try seoul("2027-03-09T09:00")))
        #expect(try Self.alert(Self.draft(.reminder), at: now) == (try seoul("2027-03-10T09:00")))
        #expect(try Self.alert(Self.draft(.reminder, time: "14:30"), at: now) == (try seoul("2027-03-10T14:30")))
    }

    @Test("10.4: such an alert whose time is past moves to the next 09:00 up to the due day")
    func lateAlerts() throws {
        let food = try Self.draft(.food)
        #expect(try Self.alert(food, at: "2027-03-08T08:00") == (try seoul("2027-03-08T09:00")))
        #expect(try Self.alert(food, at: "2027-03-08T09:00") == (try seoul("2027-03-08T09:00")))
        #expect(try Self.alert(food, at: "2027-03-08T09:01") == (try seoul("2027-03-09T09:00")))
        #expect(try Self.alert(food, at: "2027-03-10T08:59") == (try seoul("2027-03-10T09:00")))
        #expect(try Self.alert(food, at: "2027-03-10T09:01") == nil)
    }

    @Test("10.4: a chosen alert whose time is past is not planned, and said")
    func pastAlerts() throws {
        let early = ThingAlert.daysBefore(20, at: .defaultAlarm)
        let late = ThingAlert.daysBefore(1, at: .defaultAlarm)
        let (thing, change) = try Self.record(Self.draft { $0.alerts = [early, late] })
        #expect(change.pastAlerts == [early])
        #expect(change.planned?.at == (try seoul("2027-03-09T09:00")))
        let (_, none) = try Self.record(Self.draft { $0.alerts = [early] })
        #expect(none.planned == nil)
        let (_, silent) = try Self.record(Self.draft { $0.alerts = [] })
        #expect(silent.planned == nil && silent.pastAlerts.isEmpty)
        // Nor is it said again by an edit of something else.
        var edited = thing
        var edit = ThingEdit()
        edit.isFavourite = true
        let change2 = try edited.edit(edit, .usual, in: context(try seoul("2027-03-01T09:00")))
        #expect(change2.pastAlerts.isEmpty && change2.planned == nil)
    }

    @Test("10.4: other warning days replan alerts that nobody chose")
    func warningDays() throws {
        var food = try Self.record(Self.draft(.food)).thing
        let now = try context(try seoul("2027-03-01T08:00"))
        let earlier = food.replanAfterAccountEdit(try WarningDays(5), in: now)
        #expect(earlier?.at == (try seoul("2027-03-05T09:00")))
        #expect(food.replanAfterAccountEdit(try WarningDays(5), in: now) == nil)
        var chosen = try Self.record(Self.draft(.food) { $0.alerts = [.daysBefore(1, at: .defaultAlarm)] }).thing
        #expect(chosen.replanAfterAccountEdit(try WarningDays(5), in: now) == nil)
    }

    @Test("10.6: reaching an alert plans the next one; the thing still points at the one that was reached")
    func nextAlerts() throws {
        var thing = try Self.record(Self.draft { $0.repetition = .daily }).thing
        let first = try #require(thing.plans.next)
        let second = thing.planNext(after: first.planned, .usual, in: try context(try seoul("2027-03-10T09:00")))
        #expect(second?.at == (try seoul("2027-03-11T09:00")))
        #expect(thing.plans.reached == first)
        // An occurrence that the thing does not point at any more plans nothing.
        let again = thing.planNext(after: first.planned, .usual, in: try context(try seoul("2027-03-10T09:01")))
        #expect(again == nil)
        // An edit of something else leaves both alone.
        let before = thing.plans
        let replanned = thing.replanAfterAccountEdit(.usual, in: try context(try seoul("2027-03-10T10:00")))
        #expect(replanned == nil)
        #expect(thing.plans == before)
    }

    @Test("10.6: after an outage only the newest missed alert counts")
    func outage() throws {
        var thing = try Self.record(Self.draft { $0.repetition = .daily }).thing
        let first = try #require(thing.plans.next)
        let cursor = try seoul("2027-03-13T12:00")
        let newest = thing.planNext(after: first.planned, .usual, in: try context(cursor, cursor: cursor))
        // The lane's calendar is scheduled up to the cursor, so it comes right after.
        #expect(newest?.at == cursor.adding(microseconds: 1))
        // The one that was missed is over.
        #expect(thing.plans.reached == first)
        #expect(first.expiresAt < cursor)
        // It expires like the alert of that morning.
        #expect(thing.plans.next?.expiresAt == (try seoul("2027-03-14T09:00")))
        let following = thing.planNext(
            after: try #require(newest), .usual, in: try context(cursor.adding(minutes: 1), cursor: cursor))
        #expect(following?.at == (try seoul("2027-03-14T09:00")))
    }

    @Test("10.6: an edit of something else before the scheduler comes loses no alert that was missed")
    func editDuringOutage() throws {
        var thing = try Self.record(
            Self.draft(due: "2027-03-10") { draft in
                draft.alerts = try [.daysBefore(0, at: timeOfDay("09:00")), .daysBefore(0, at: timeOfDay("09:30"))]
            }
        ).thing
        var edit = ThingEdit()
        edit.title = try ThingTitle("치즈")
        let missed = try thing.edit(edit, .usual, in: context(try seoul("2027-03-10T10:00"))).planned
        #expect(missed?.at == (try seoul("2027-03-10T09:30")))
        #expect(thing.plans.reached?.planned.at == (try seoul("2027-03-10T09:00")))
        // Another choice of alerts plans none that is past (rule 10.4).
        edit.alerts = try [.daysBefore(0, at: timeOfDay("09:45")), .daysBefore(0, at: timeOfDay("11:00"))]
        let chosen = try thing.edit(edit, .usual, in: context(try seoul("2027-03-10T10:01")))
        #expect(chosen.planned?.at == (try seoul("2027-03-10T11:00")))
        edit.alerts = nil
        #expect(try thing.edit(edit, .usual, in: context(try seoul("2027-03-10T10:02"))).planned == nil)
        // An edit of the account that moves no alert loses none either; one that does is about what is ahead.
        for (zone, expected) in [("Asia/Tokyo", "2027-03-11T09:00"), ("Asia/Manila", "2027-03-11T10:00")] {
            var daily = try Self.record(Self.draft { $0.repetition = .daily }).thing
            let now = try context(try seoul("2027-03-11T09:30"), in: zone)
            #expect(try daily.replanAfterAccountEdit(.usual, in: now)?.at == seoul(expected))
        }
    }

    @Test("7.5: an alert that has rung does not ring again where the clocks have yet to show its time")
    func movingWest() throws {
        let berlin = { (text: String) throws in try instant("\(text):00+01:00") }
        for repetition in AlertRepetition.allCases {
            var thing = try Self.record(Self.draft { $0.repetition = repetition }).thing
            let first = try #require(thing.plans.next)
            #expect(first.planned.at == (try seoul("2027-03-10T09:00")))
            // 10:00 in Seoul is 02:00 in Berlin.
            let now = try seoul("2027-03-10T10:00")
            let moved = try context(now, in: "Europe/Berlin", cursor: now)
            let next = thing.replanAfterAccountEdit(.usual, in: moved)
            let expected: [AlertRepetition: String] = [
                .hourly: "2027-03-10T10:00", .daily: "2027-03-11T09:00", .weekly: "2027-03-17T09:00",
            ]
            #expect(try next?.at == expected[repetition].map { try berlin($0) }, "\(repetition)")
            // Nor after an edit of something else.
            var edit = ThingEdit()
            edit.isFavourite = true
            #expect(try thing.edit(edit, .usual, in: moved).planned == nil)
            // Nor if the scheduler comes before the thing is replanned.
            var late = try Self.record(Self.draft { $0.repetition = repetition }).thing
            #expect(late.planNext(after: first.planned, .usual, in: moved)?.at == next?.at)
            // Another alert may still come that day.
            edit.alerts = [.daysBefore(0, at: try timeOfDay("08:00"))]
            #expect(try thing.edit(edit, .usual, in: moved).planned?.at == berlin("2027-03-10T08:00"))
        }
    }

    @Test("10.6: an alert more than 400 days ahead has a waypoint")
    func waypoint() throws {
        var (thing, change) = try Self.record(Self.draft(due: "2029-03-10"))
        let waypoint = try #require(change.planned)
        #expect(waypoint.ref == ThingPlans.waypoint)
        #expect(waypoint.at == (try seoul("2027-03-01T08:00")).adding(hours: 400 * 24))
        // It is not moved by each command.
        #expect(thing.replanAfterAccountEdit(.usual, in: try context(try seoul("2027-05-01T08:00"))) == nil)
        let alert = thing.planNext(after: waypoint, .usual, in: try context(waypoint.at))
        #expect(alert?.at == (try seoul("2029-03-10T09:00")))
        #expect(alert?.ref == Int(try civilDay("2029-03-10").daysSinceEpoch))
        #expect(thing.plans.reached == nil)
        // An edit to a nearer day needs none.
        var (near, _) = try Self.record(Self.draft(due: "2029-03-10"))
        var edit = ThingEdit()
        edit.dueOn = try civilDay("2027-06-01")
        let moved = try near.edit(edit, .usual, in: context(try seoul("2027-03-02T08:00"))).planned
        #expect(moved?.at == (try seoul("2027-06-01T09:00")))
    }

    @Test("10.7: an edit of the due day moves its alerts and forgets those that were reached")
    func editing() throws {
        var thing = try Self.record(Self.draft(.food)).thing
        let first = try #require(thing.plans.next)
        _ = thing.planNext(after: first.planned, .usual, in: try context(try seoul("2027-03-07T09:00")))
        // Nothing follows, so the thing goes on pointing at it.
        #expect(thing.plans == ThingPlans(next: first))
        var edit = ThingEdit()
        edit.dueOn = try civilDay("2027-03-20")
        let change = try thing.edit(edit, .usual, in: context(try seoul("2027-03-08T08:00")))
        #expect(change.planned?.at == (try seoul("2027-03-17T09:00")))
        #expect(thing.plans.reached == nil && thing.plans.next?.planned == change.planned)
        // A refused edit changes nothing.
        let before = thing
        edit.dueOn = try civilDay("2100-01-01")
        edit.title = try ThingTitle("치즈")
        let refused = edit
        #expect(throws: ThingError.invalidDue(try civilDay("2100-01-01"))) {
            try thing.edit(refused, .usual, in: context(try seoul("2027-03-08T08:00")))
        }
        #expect(thing == before)
    }

    // MARK: - Completing

    @Test("10.7: completing silences a thing at once, including an alert that is already queued")
    func completing() throws {
        var thing = try Self.record(Self.draft(.food)).thing
        let first = try #require(thing.plans.next)
        _ = thing.planNext(after: first.planned, .usual, in: try context(try seoul("2027-03-07T09:00")))
        let now = try context(try seoul("2027-03-07T09:00"))
        let (completion, planned) = try thing.complete(as: .thrownAway, .usual, in: now)
        #expect(planned == nil && thing.plans == ThingPlans())
        #expect(completion.outcome == .thrownAway && completion.number == 1 && completion.nextDueOn == nil)
        #expect(thing.state(on: now.today, warningDays: .usual) == .done)
        let done = ThingError.alreadyDone(on: now.today)
        #expect(throws: done) { try thing.complete(.usual, in: now) }
    }

    @Test("10.7: only food is eaten or thrown away, and eaten if nobody says")
    func outcomes() throws {
        let now = try context(try seoul("2027-03-07T09:00"))
        var food = try Self.record(Self.draft(.food)).thing
        #expect(try food.complete(.usual, in: now).completion.outcome == .eaten)
        var errand = try Self.record(Self.draft(.pickup)).thing
        #expect(throws: ThingError.notForKind(.outcome, .pickup)) { try errand.complete(as: .eaten, .usual, in: now) }
        #expect(try errand.complete(.usual, in: now).completion.outcome == nil)
    }

    @Test("10.8: completing a thing that recurs moves it, and reopening brings it back")
    func recurring() throws {
        var thing = try Self.record(
            Self.draft(due: "2027-01-31") { $0.recurrence = try Recurrence(every: 1, .months) },
            at: "2027-01-01T08:00"
        ).thing
        let now = try context(try seoul("2027-01-31T10:00"))
        let first = try thing.complete(.usual, in: now)
        #expect(first.completion.nextDueOn == (try civilDay("2027-02-28")))
        #expect(first.planned?.at == (try seoul("2027-02-28T09:00")))
        #expect(!thing.isDone)
        let second = try thing.complete(.usual, in: context(try seoul("2027-02-28T10:00")))
        #expect(thing.due.day == (try civilDay("2027-03-31")))
        let later = try context(try seoul("2027-03-01T10:00"))
        let planned = try thing.reopen(second.completion, .usual, in: later)
        // Its alert was the day before, and it is not due any more.
        #expect(thing.due.day == (try civilDay("2027-02-28")) && planned == nil)
        #expect(thing.completionCount == 2)
        // The day has not changed since the first, so that can be undone, too.
        _ = try thing.reopen(first.completion, .usual, in: later)
        #expect(thing.due.day == (try civilDay("2027-01-31")) && thing.seriesStart == thing.due.day)
        #expect(throws: ThingError.notDone) { try thing.reopen(nil, .usual, in: later) }
    }

    @Test("10.8: a completion is not undone once the due day has changed")
    func changedSince() throws {
        var thing = try Self.record(Self.draft { $0.recurrence = try Recurrence(every: 1, .weeks) }).thing
        let now = try context(try seoul("2027-03-10T10:00"))
        let completion = try thing.complete(.usual, in: now).completion
        var edit = ThingEdit()
        edit.dueOn = try civilDay("2027-03-20")
        _ = try thing.edit(edit, .usual, in: now)
        let changed = ThingError.dueChanged(try civilDay("2027-03-20"))
        #expect(throws: changed) { try thing.reopen(completion, .usual, in: now) }
        // The edit began a new series.
        #expect(try thing.complete(.usual, in: now).completion.nextDueOn == (try civilDay("2027-03-27")))
    }

    @Test("10.8: counted from the completion, the day that it sets is the base of the next step")
    func fromCompletion() throws {
        var thing = try Self.record(
            Self.draft { $0.recurrence = try Recurrence(every: 2, .weeks, from: .completion) }
        ).thing
        let completion = try thing.complete(.usual, in: context(try seoul("2027-03-12T10:00"))).completion
        #expect(completion.nextDueOn == (try civilDay("2027-03-26")))
        #expect(thing.seriesStart == (try civilDay("2027-03-26")))
    }

    @Test("14.3: a completion counts for the day on which the person made it, at most 7 days back")
    func madeEarlier() throws {
        var thing = try Self.record(Self.draft()).thing
        let now = try context(try seoul("2027-03-12T10:00"))
        #expect(throws: CareError.madeTooLongAgo(try civilDay("2027-03-04"), days: 7)) {
            try thing.complete(madeAt: try seoul("2027-03-04T10:00"), .usual, in: now)
        }
        let completion = try thing.complete(madeAt: try seoul("2027-03-05T10:00"), .usual, in: now).completion
        #expect(completion.completedOn == (try civilDay("2027-03-05")) && completion.recordedAt == now.now)
    }

    @Test("every refusal has a code, a sentence in English, and one in Korean")
    func refusals() throws {
        let day = try civilDay("2027-03-05")
        let all: [ThingError] = [
            .invalidTitle, .noteTooLong(length: 1001), .invalidCategory, .invalidOrderNumber, .invalidDue(day),
            .notForKind(.time, .food), .invalidWarningDays(31), .tooManyAlerts(6), .invalidAlert(.days(366)),
            .invalidAlert(.minutes(-1)), .invalidAlert(.withoutTime), .alreadyDone(on: day), .notDone,
            .dueChanged(day), .invalidRecurrence(.interval(100)), .invalidRecurrence(.ended(day)), .storeUnknown,
            .dueUnknown(.pickup), .invalidShareDays(31),
        ]
        for error in all {
            #expect(error.code.wholeMatch(of: #/[a-z]+(_[a-z]+)*/#) != nil)
            #expect(error.description == "\(error.problem); \(error.remedy)")
            #expect(error.korean.problem.hasSuffix(".") && error.korean.remedy.hasSuffix("."))
        }
        #expect(Set(all.map(\.description)).count == all.count)
    }
}
