import Foundation
import SystemTimeZones
import Testing

@testable import CherishCore

/// The tz database used by all tests.
let systemTimeZones = SystemTimeZones()

/// An instant in RFC 3339.
func instant(_ text: String) throws -> Instant {
    try #require(Instant(text), "\(text) is not an instant")
}

/// An instant by the wall clock of Seoul, which is nine hours ahead of UTC all year: `2027-03-02T09:00`.
func seoul(_ text: String) throws -> Instant {
    try instant("\(text):00+09:00")
}

/// An instant in UTC to the minute: `2027-03-02T09:00`.
func utc(_ text: String) throws -> Instant {
    try instant("\(text):00Z")
}

func civilDay(_ text: String) throws -> CivilDay {
    try #require(CivilDay(text), "\(text) is not a civil day")
}

func timeOfDay(_ text: String) throws -> TimeOfDay {
    try TimeOfDay(alarm: text)
}

/// The context of a lane that was never scheduled, unless a cursor is given.
func context(_ now: Instant, in zone: String = "Asia/Seoul", cursor: Instant = Instant(secondsSinceEpoch: 0)) throws
    -> CommandContext
{
    CommandContext(now: now, zone: try systemTimeZones.rules(zone), calendarCursor: cursor)
}

/// An id with this last byte, which is the lane of an account.
func identifier<Owner>(_ number: UInt8) -> Identifier<Owner> {
    Identifier(UUID(uuid: (0x5e, 0xed, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
}

/// One account with one plant and everything its commands write, kept like the store does, and a worker that runs when
/// asked.
struct Garden {
    /// A planned moment and its outcome.
    struct Ended: Hashable {
        let topic: Topic
        let ref: Int
        let verdict: PushVerdict
    }

    private(set) var account: Account
    var plant: Plant
    private(set) var waterings: [Watering] = []
    private(set) var ledger: [AffectionEntry] = []
    private(set) var postponements: [Postponement] = []
    private(set) var calendar: Set<Occurrence> = []
    private(set) var ended: [Ended] = []
    private(set) var cursor = Instant(secondsSinceEpoch: 0)

    init(
        cycle: Int = 7, alarm: String = "09:00", birthday: String? = nil, zone: String = "Asia/Seoul",
        switches: NotificationSwitches = NotificationSwitches(), dayEnd: DayEnd = .midnight, registeredAt now: Instant
    ) throws {
        account = Account(
            id: identifier(7), email: try EmailAddress("minji@example.com"), nickname: try Nickname("민지"), phone: nil,
            timeZone: zone, dayEnd: dayEnd, language: .korean, switches: switches)
        var birthdayOrNone: Birthday?
        if let birthday { birthdayOrNone = try Birthday(birthday) }
        let registration = Registration(
            name: try ContactName("김하나"), phone: try PhoneNumber(e164: "+821012345678"),
            nickname: try Nickname("하나"), birthday: birthdayOrNone, cycle: try Cycle(days: cycle),
            alarmTime: try TimeOfDay(alarm: alarm))
        let context = CommandContext(
            now: now, zone: try systemTimeZones.clock(of: account), calendarCursor: cursor)
        let registered = Plant.register(registration, id: identifier(1), for: account, in: context)
        plant = registered.plant
        calendar = Set(registered.occurrences)
    }

    func context(_ now: Instant) throws -> CommandContext {
        CommandContext(now: now, zone: try systemTimeZones.clock(of: account), calendarCursor: cursor)
    }

    /// Days left, condition and gauge at an instant.
    func dDay(_ now: Instant) throws -> DDay {
        plant.dDay(on: try context(now).today)
    }

    // MARK: Commands

    @discardableResult
    mutating func water(
        at now: Instant, on day: CivilDay? = nil, keywords: [String] = [], memo: String? = nil, declines: Bool = false
    ) throws -> WateringChange {
        let hasReview = !keywords.isEmpty || memo != nil
        let review = try hasReview ? Review(keywords: keywords, memo: memo) : nil
        let context = try context(now)
        let wateredOn = day ?? context.today
        let isFirstOfDay = !waterings.contains { $0.wateredOn == wateredOn }
        let change = try plant.water(
            WateringRequest(method: .call, day: day, review: review, declinesReview: declines),
            isFirstOfDay: isFirstOfDay, for: account, in: context)
        waterings.append(change.watering)
        ledger += change.entries
        try add(change.occurrences, in: context)
        return change
    }

    /// Writes the review of a watering by its number, and returns what it earned.
    @discardableResult
    mutating func writeReview(_ number: Int, at now: Instant, keywords: [String] = [], memo: String? = nil) throws
        -> [AffectionEntry]
    {
        let index = try index(ofWatering: number)
        let context = try context(now)
        let earned = Set(ledger.filter { $0.wateringNumber == number }.map(\.reason))
        let review = try Review(keywords: keywords, memo: memo)
        let entries = try plant.write(review, to: &waterings[index], earned: earned, in: context)
        ledger += entries
        return entries
    }

    mutating func deleteReview(_ number: Int, at now: Instant) throws {
        let index = try index(ofWatering: number)
        let context = try context(now)
        let occurrences = try plant.deleteReview(
            of: &waterings[index], isNewest: number == waterings.count, in: context)
        try add(occurrences, in: context)
    }

    mutating func declineReview(_ number: Int, at now: Instant) throws {
        let index = try index(ofWatering: number)
        let context = try context(now)
        try plant.declineReview(of: &waterings[index], in: context)
    }

    @discardableResult
    mutating func postpone(_ days: Int, at now: Instant) throws -> Postponement {
        let context = try context(now)
        let change = try plant.postpone(days: days, for: account, in: context)
        postponements.append(change.postponement)
        try add(change.occurrences, in: context)
        return change.postponement
    }

    mutating func edit(at now: Instant, _ change: (inout PlantEdit) throws -> Void) throws {
        var edit = PlantEdit()
        try change(&edit)
        let context = try context(now)
        let occurrences = try plant.edit(edit, for: account, in: context)
        try add(occurrences, in: context)
    }

    mutating func remove(at now: Instant) throws {
        let context = try context(now)
        try plant.remove(in: context)
    }

    mutating func restore(at now: Instant) throws {
        let context = try context(now)
        let occurrences = plant.restore(for: account, in: context)
        try add(occurrences, in: context)
    }

    /// Takes over the pauses of the account, of its tags and of the friend.
    mutating func adopt(_ pauses: [Pause], at now: Instant) throws {
        account.pausedDays = pauses.daysOfAccount
        let context = try context(now)
        let occurrences = plant.adopt(PausedDays(pauses), for: account, in: context)
        try add(occurrences, in: context)
    }

    mutating func move(to zone: String, at now: Instant) throws {
        account.timeZone = zone
        try replan(at: now)
    }

    mutating func turn(_ change: (inout NotificationSwitches) -> Void, at now: Instant) throws {
        change(&account.switches)
        try replan(at: now)
    }

    private mutating func replan(at now: Instant) throws {
        let context = try context(now)
        let subject = plant.plans.reviewMissing?.ref
        let reminded = waterings.first { $0.number == subject }
        let occurrences = plant.replanAfterAccountEdit(reminded: reminded, for: account, in: context)
        try add(occurrences, in: context)
    }

    private func index(ofWatering number: Int) throws -> Int {
        let index = waterings.firstIndex { $0.number == number }
        return try #require(index, "no watering \(number)")
    }

    /// Adds occurrences as the store does: only ahead of the lane's cursor, and none twice.
    private mutating func add(_ occurrences: [Occurrence], in context: CommandContext) throws {
        for occurrence in occurrences {
            let isAhead = occurrence.at > context.calendarCursor
            try #require(isAhead, "an occurrence was added behind the cursor")
            calendar.insert(occurrence)
        }
    }

    // MARK: The worker

    /// Judges every occurrence reached, in order, and records the verdicts. Occurrences that must wait stay.
    mutating func tick(at now: Instant) throws {
        cursor = max(cursor, now)
        let reached = calendar.filter { $0.at <= now }.sorted { $0.precedes($1) }
        for occurrence in reached {
            let verdict = try verdict(on: occurrence, at: now)
            let isPointedAt = plant.plans[occurrence.topic]?.at == occurrence.at
            if case .wait = verdict { continue }
            calendar.remove(occurrence)
            ended.append(Ended(topic: occurrence.topic, ref: occurrence.ref, verdict: verdict))
            if occurrence.topic == .birthday, isPointedAt {
                let context = try context(now)
                if let next = plant.planNextBirthday(for: account, in: context) { calendar.insert(next) }
            }
        }
    }

    func verdict(on occurrence: Occurrence, at now: Instant) throws -> PushVerdict {
        let candidate = try candidate(occurrence)
        let zone = try systemTimeZones.rules(account.timeZone)
        return candidate.verdict(at: now, expiresAt: candidate.expiry(in: zone))
    }

    private func candidate(_ occurrence: Occurrence) throws -> PushCandidate {
        var reviewState = PlantPushState.ReviewState.missing
        if let watering = waterings.first(where: { $0.number == occurrence.ref }) {
            if watering.isReviewDeclined { reviewState = .declined }
            if watering.review != nil { reviewState = .written }
        }
        let (topic, planned) = (occurrence.topic, occurrence.planned)
        let state = PlantPushState(
            isArchived: plant.archivedAt != nil, pointer: plant.plans.pointer(topic, for: planned), dueOn: plant.dueOn,
            dueSource: plant.dueSource, isMovedByPause: plant.originalDueOn != nil, pushesEnabled: plant.pushesEnabled,
            reviewState: reviewState)
        return PushCandidate(
            topic: topic, planned: planned,
            state: .init(
                end: state.end(of: topic, planned), isTopicWanted: account.switches.allows(topic),
                zone: try systemTimeZones.clock(of: account), pausedDays: account.pausedDays,
                subjectPausedDays: plant.pausedDays))
    }

    /// The refs of the sent pushes about a topic, in order.
    func sent(_ topic: Topic) -> [Int] {
        ended.filter { $0.topic == topic && $0.verdict == .send }.map(\.ref)
    }

    /// The due dates whose watering-due push was sent, in order.
    var sentDueDates: [String] {
        sentDays(.wateringDue)
    }

    /// The same as civil days, for topics whose ref is a day.
    func sentDays(_ topic: Topic) -> [String] {
        sent(topic).map { CivilDay(daysSinceEpoch: Int32($0)).description }
    }
}
