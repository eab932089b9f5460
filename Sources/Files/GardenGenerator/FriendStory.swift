import CherishCore
import SeededChance

/// Decides what an account does about one friend, day by day, until now.
struct FriendStory: Sendable {
    /// When a friend was removed and brought back.
    struct Restoration: Sendable {
        let removedAt: Instant
        let restoredAt: Instant
    }

    private(set) var life: PlantLife
    private(set) var restoration: Restoration?
    private let gardener: Gardener
    private let circle: Circle
    private let habit: Habit
    /// When the account gives up on the friend; now if it never does.
    private let givesUpAt: Instant
    /// The time of the last command, or of whatever made the account open the app.
    private var time: Instant
    private var generator: SplitMix64

    /// Alarm times in minutes of the day, with their shares. All are well before midnight.
    private static let alarms: [(Int, Int)] = [
        (9 * 60, 46), (8 * 60, 8), (10 * 60, 8), (12 * 60 + 30, 8), (18 * 60, 7), (18 * 60 + 30, 6), (20 * 60, 8),
        (21 * 60, 6), (22 * 60 + 30, 3),
    ]
    private static let postponements: [(Int, Int)] = [(1, 40), (2, 25), (3, 20), (5, 5), (7, 10)]

    /// Registers a friend, and chooses the alarm time.
    init(
        _ registration: Registration, id: Plant.ID, tagIDs: [Tag.ID], in circle: Circle, of gardener: Gardener,
        at registeredAt: Instant, generator: SplitMix64
    ) {
        var generator = generator
        var registration = registration
        registration.alarmTime = FriendStory.alarmTime(using: &generator)
        let habit = generator.weighted(Habit.shares)
        let span = gardener.now.microsecondsSinceEpoch - registeredAt.microsecondsSinceEpoch
        givesUpAt =
            habit != .abandoning
            ? gardener.now
            : generator.instant(
                from: registeredAt.adding(microseconds: span / 10),
                to: registeredAt.adding(microseconds: span / 10 * 6))
        life = PlantLife(
            registration, id: id, tagIDs: tagIDs, of: gardener, at: registeredAt, delays: generator.split())
        time = registeredAt
        self.circle = circle
        self.gardener = gardener
        self.habit = habit
        self.generator = generator
    }

    private static func alarmTime(using generator: inout SplitMix64) -> TimeOfDay {
        TimeOfDay(minuteOfDay: generator.weighted(alarms)) ?? .defaultAlarm
    }

    private var zone: TimeZoneRules { gardener.zone }
    private var vocabulary: Vocabulary { gardener.vocabulary }

    /// Plays the story until now.
    mutating func play() throws {
        try markAtFirst()
        let removedAt = generator.chance(8) ? dayAfter(time) : nil
        try care(until: removedAt ?? gardener.now)
        if let removedAt {
            try life.remove(at: removedAt)
            if generator.chance(25), let restoredAt = dayAfter(removedAt) {
                life.restore(at: restoredAt)
                restoration = Restoration(removedAt: removedAt, restoredAt: restoredAt)
                time = restoredAt
                try care(until: gardener.now)
            }
        }
        life.finish()
    }

    /// A moment on a day strictly between the day of an instant and today; nil if there is none.
    private mutating func dayAfter(_ instant: Instant) -> Instant? {
        let first = zone.day(at: instant) + 1
        let days = zone.day(at: gardener.now) - first
        guard days > 0 else { return nil }
        let day = first + generator.number(in: 0...(days - 1))
        return generator.moment(on: day, in: zone)
    }

    /// Marks a favourite, or turns off the friend's pushes, minutes after registration.
    private mutating func markAtFirst() throws {
        var edit = PlantEdit()
        if generator.chance(12) { edit.isFavourite = true }
        if generator.chance(4) { edit.pushesEnabled = false }
        guard edit.isFavourite != nil || edit.pushesEnabled != nil,
            advance(byMinutes: 1...3, before: gardener.now)
        else { return }
        try life.edit(edit, at: time)
    }

    // MARK: Visits

    private mutating func care(until end: Instant) throws {
        let stop = min(end, givesUpAt)
        while true {
            let visit = nextVisit()
            guard visit < stop else { return }
            time = visit
            try act(before: stop)
        }
    }

    /// When the account next thinks of the friend: on the following day at the earliest.
    private mutating func nextVisit() -> Instant {
        let plant = life.plant
        let today = zone.day(at: time)
        let daysLeft = plant.dueOn - today
        if daysLeft > 2, generator.chance(10) {
            let day = today + generator.number(in: 1...(daysLeft - 1))
            return generator.moment(on: day, in: zone)
        }
        let daysLate = generator.weighted(habit.daysLate)
        let day = max(plant.dueOn + daysLate, today + 1)
        guard daysLate == 0 else { return generator.moment(on: day, in: zone) }
        // On time, because the alarm was the reminder.
        let alarm = plant.alarmTime.minuteOfDay
        return generator.moment(on: day, minutes: (alarm + 2)...min(alarm + 300, 1439), in: zone)
    }

    private mutating func act(before stop: Instant) throws {
        if life.plant.dueOn == zone.day(at: time), generator.chance(habit.postponing) {
            try life.postpone(days: generator.weighted(FriendStory.postponements), at: time)
            return
        }
        try water()
        try reviewLater(before: stop)
        if generator.chance(2), advance(byMinutes: 40...150, before: stop) {
            let again = WateringRequest(method: generator.weighted(vocabulary.methods))
            try life.water(again, at: time)
        }
        if generator.chance(3), advance(byMinutes: 1...15, before: stop) { try edit() }
    }

    /// Advances the time, unless that would reach the end. Returns whether it did.
    private mutating func advance(byMinutes minutes: ClosedRange<Int>, before stop: Instant) -> Bool {
        let later = time.adding(minutes: generator.number(in: minutes))
        guard later < stop else { return false }
        time = later
        return true
    }

    // MARK: Commands

    private mutating func water() throws {
        var request = WateringRequest(method: generator.weighted(vocabulary.methods), day: earlierDay())
        let choice = generator.number(in: 1...100)
        if choice <= 42 {
            request.review = try vocabulary.review(using: &generator)
        } else if choice <= 52 {
            request.declinesReview = true
        }
        try life.water(request, at: time)
    }

    /// Occasionally one of the last three days, for a watering that was not recorded at the time.
    private mutating func earlierDay() -> CivilDay? {
        let today = zone.day(at: time)
        let daysBack = min(3, today - life.plant.plantedOn)
        guard daysBack > 0, generator.chance(6) else { return nil }
        return today + -generator.number(in: 1...daysBack)
    }

    /// Writes or declines some reviews a while after the watering, half of them after the reminder.
    private mutating func reviewLater(before stop: Instant) throws {
        guard let watering = life.history.waterings.last, watering.review == nil, !watering.isReviewDeclined,
            generator.chance(40)
        else { return }
        if generator.chance(50), let reminder = life.plant.plans.reviewMissing?.at, reminder > time, reminder < stop {
            time = reminder
        }
        guard advance(byMinutes: 2...25, before: stop) else { return }
        if generator.chance(20) {
            try life.declineReview(at: time)
        } else {
            try life.writeReview(try vocabulary.review(using: &generator), at: time)
        }
    }

    private mutating func edit() throws {
        var edit = PlantEdit()
        switch generator.number(in: 1...100) {
        case ...35: edit.cycle = try circle.cycle(using: &generator)
        case ...70: edit.alarmTime = FriendStory.alarmTime(using: &generator)
        case ...80: edit.pushesEnabled = !life.plant.pushesEnabled
        case ...90: edit.isFavourite = !life.plant.isFavourite
        default:
            // Somebody mentioned the birthday.
            if life.plant.birthday == nil, let birthday = generator.birthday() { edit.birthday = birthday }
        }
        try life.edit(edit, at: time)
    }
}
