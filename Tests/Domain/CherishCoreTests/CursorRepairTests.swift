import Testing

@testable import CherishCore

@Suite("A plant after a cursor repair")
struct CursorRepairTests {
    /// Due on 2 March at 09:00 in Seoul, withered a day later, with a birthday on 5 March.
    private let now: Instant
    private let alarm: Instant
    private let oldCursor: Instant
    private let account: Account
    private let registered: Plant

    init() throws {
        now = try seoul("2027-02-23T12:00")
        alarm = try seoul("2027-03-02T09:00")
        oldCursor = try seoul("2027-05-25T09:00")
        account = Account(
            id: identifier(7), email: try EmailAddress("minji@example.com"), nickname: try Nickname("민지"), phone: nil,
            timeZone: "Asia/Seoul", language: .korean, switches: NotificationSwitches(birthday: true, withered: true))
        let registration = Registration(
            name: try ContactName("김하나"), phone: try PhoneNumber(e164: "+821012345678"),
            nickname: try Nickname("하나"), birthday: try Birthday("03-05"), cycle: try Cycle(days: 7))
        registered =
            Plant.register(
                registration, id: identifier(1), for: account, in: try context(try seoul("2027-02-23T10:00"))
            )
            .plant
    }

    private func repair(_ plant: inout Plant, reminded: Watering? = nil, taken: Set<Occurrence> = []) throws
        -> [Occurrence]
    {
        plant.planAgainAfterCursorRepair(
            walkedTo: oldCursor, reminded: reminded, for: account, in: try context(now, cursor: now), taken: taken)
    }

    private func occurrence(_ topic: Topic, at instant: Instant, about day: CivilDay) -> Occurrence {
        registered.occurrence(topic, PlannedMoment(ref: Int(day.daysSinceEpoch), at: instant))
    }

    @Test("skipped occurrences are planned again a microsecond after those with an outcome, as often as needed")
    func shifted() throws {
        var plant = registered
        let due = plant.dueOn
        var taken = [
            occurrence(.wateringDue, at: alarm, about: due),
            occurrence(.withered, at: alarm.adding(hours: 24), about: due),
        ]
        let planned = try repair(&plant, taken: Set(taken))
        #expect(plant.plans.wateringDue?.at == alarm.adding(microseconds: 1))
        #expect(plant.plans.withered?.at == alarm.adding(hours: 24).adding(microseconds: 1))
        #expect(planned.contains(occurrence(.wateringDue, at: alarm.adding(microseconds: 1), about: due)))
        // Again: a second tick in the future has reached those too.
        taken += planned
        _ = try repair(&plant, taken: Set(taken))
        #expect(plant.plans.wateringDue?.at == alarm.adding(microseconds: 2))
    }

    @Test("skipped occurrences are planned again even if the log no longer has them")
    func forgotten() throws {
        var plant = registered
        #expect(try repair(&plant).contains(occurrence(.wateringDue, at: alarm, about: plant.dueOn)))
        #expect(plant.plans.wateringDue?.at == alarm)
    }

    @Test("a plan moved behind the old cursor gets its proper time back, or is due now if that passed today")
    func clamped() throws {
        var plant = registered
        let behind = PlannedMoment(ref: Int(plant.dueOn.daysSinceEpoch), at: oldCursor.adding(microseconds: 1))
        plant.plans.wateringDue = behind
        var late = plant
        _ = try repair(&plant)
        #expect(plant.plans.wateringDue?.at == alarm)
        // Today's 09:00 has passed, but the day is not over.
        late.dueOn = try civilDay("2027-02-23")
        var over = late
        _ = try repair(&late)
        #expect(late.plans.wateringDue?.at == now.adding(microseconds: 1))
        over.dueOn = try civilDay("2027-02-22")
        #expect(try repair(&over).allSatisfy { $0.topic != .wateringDue })
        #expect(over.plans.wateringDue == nil)
    }

    @Test("plans reached before now and plans beyond the old cursor stay")
    func untouched() throws {
        var plant = registered
        let due = Int(plant.dueOn.daysSinceEpoch)
        plant.plans = Plans(
            wateringDue: PlannedMoment(ref: due, at: now.adding(minutes: -1)),
            birthday: PlannedMoment(ref: 1, at: oldCursor.adding(microseconds: 2)),
            passedBirthday: PlannedMoment(ref: 0, at: now), alarmedDueDates: [plant.plantedOn])
        let before = plant
        #expect(try repair(&plant).isEmpty)
        #expect(plant == before)
    }

    @Test("a birthday recorded as passed is planned again")
    func birthday() throws {
        var plant = registered
        let passed = try #require(plant.plans.birthday)
        plant.plans.passedBirthday = passed
        let next = try civilDay("2028-03-05")
        plant.plans.birthday = PlannedMoment(ref: Int(next.daysSinceEpoch), at: try seoul("2028-03-05T09:00"))
        let taken = occurrence(.birthday, at: passed.at, about: try civilDay("2027-03-05"))
        let planned = try repair(&plant, taken: [taken])
        #expect(plant.plans.passedBirthday == nil)
        #expect(plant.plans.birthday == PlannedMoment(ref: passed.ref, at: passed.at.adding(microseconds: 1)))
        #expect(planned.contains { $0.topic == .birthday })
    }

    @Test("a future due date recorded as alarmed gets its alarm again")
    func notedDueDate() throws {
        var plant = registered
        plant.plans.alarmedDueDates = [try civilDay("2027-02-20"), plant.dueOn]
        plant.plans.wateringDue = nil
        let planned = try repair(&plant)
        #expect(plant.plans.alarmedDueDates == [try civilDay("2027-02-20")])
        #expect(planned.contains(occurrence(.wateringDue, at: alarm, about: plant.dueOn)))
    }

    @Test("a reminder comes half an hour after its watering, or now if late, or not at all after a day")
    func reminder() throws {
        func repaired(wateredAt instant: Instant) throws -> (Plant, [Occurrence]) {
            var plant = registered
            plant.plans.reviewMissing = PlannedMoment(ref: 1, at: oldCursor.adding(microseconds: 1))
            let watering = Watering(
                number: 1, wateredOn: try civilDay("2027-02-23"), recordedAt: instant, method: .call,
                dueOn: plant.dueOn, isBackdated: false, review: nil, isReviewDeclined: false)
            let planned = try repair(&plant, reminded: watering)
            return (plant, planned.filter { $0.topic == .reviewMissing })
        }
        #expect(try repaired(wateredAt: now.adding(minutes: -10)).1.map(\.at) == [now.adding(minutes: 20)])
        #expect(try repaired(wateredAt: now.adding(hours: -3)).1.map(\.at) == [now.adding(microseconds: 1)])
        let (plant, none) = try repaired(wateredAt: now.adding(hours: -26))
        #expect(none.isEmpty)
        // The pointer stays, in the past, so that there is no second reminder.
        #expect(plant.plans.reviewMissing?.ref == 1)
        #expect(plant.plans.reviewMissing.map { $0.at < now } == true)
    }

    @Test("a removed plant loses its pointers to deleted occurrences")
    func removed() throws {
        var plant = registered
        plant.archivedAt = now.adding(hours: -1)
        #expect(try repair(&plant).isEmpty)
        #expect(plant.plans == Plans())
    }
}
