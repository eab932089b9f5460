import Testing

@testable import CherishCore

/// A planned push with the state of its plant and account. Rows of the table change single fields.
struct PushSituation: Sendable {
    var topic = Topic.wateringDue
    var isErased = false
    var isRemoved = false
    /// Whether the plant points at this very occurrence, at another instant for the same ref, or elsewhere.
    var pointer = Pointer.here
    var dueSource = Plant.DueSource.registration
    /// Whether the plant is still due on the occurrence's date.
    var isDueThen = true
    var pushesEnabled = true
    var isTopicWanted = true
    var reviewState = PlantPushState.ReviewState.missing
    var now = "2027-03-02T12:00"

    enum Pointer: Sendable {
        case here, sameRefLater, otherRef, nowhere
    }

    /// The verdict on a push planned for noon in Seoul.
    func verdict() throws -> PushVerdict {
        let zone = try systemTimeZones.rules("Asia/Seoul")
        let due = try civilDay("2027-03-02")
        let planned = PlannedMoment(ref: Int(due.daysSinceEpoch), at: try seoul("2027-03-02T12:00"))
        let plant = PlantPushState(
            isArchived: isRemoved, pointer: moment(of: planned), dueOn: isDueThen ? due : due + 7,
            dueSource: dueSource, pushesEnabled: pushesEnabled, reviewState: reviewState)
        let state = PushCandidate.State(
            end: plant.end(of: topic, planned), isTopicWanted: isTopicWanted, zone: zone)
        let candidate = PushCandidate(topic: topic, planned: planned, state: isErased ? nil : state)
        return candidate.verdict(at: try seoul(now), expiresAt: candidate.expiry(in: zone))
    }

    private func moment(of planned: PlannedMoment) -> PlannedMoment? {
        switch pointer {
        case .here: planned
        case .sameRefLater: PlannedMoment(ref: planned.ref, at: planned.at.adding(hours: 8))
        case .otherRef: PlannedMoment(ref: planned.ref + 7, at: planned.at.adding(hours: 24 * 7))
        case .nowhere: nil
        }
    }
}

/// A row of the table: how the situation differs from that of a sent push, and the verdict.
struct VerdictExample: Sendable, CustomTestStringConvertible {
    let name: String
    let outcome: PushOutcome
    let reason: PushReason
    let change: @Sendable (inout PushSituation) -> Void

    init(
        _ name: String, _ outcome: PushOutcome, _ reason: PushReason,
        _ change: @escaping @Sendable (inout PushSituation) -> Void
    ) {
        self.name = name
        self.outcome = outcome
        self.reason = reason
        self.change = change
    }

    var testDescription: String { "\(name): \(outcome.rawValue), \(reason.rawValue)" }
}

@Suite("Verdicts on planned pushes")
struct PushVerdictTests {
    static let examples: [VerdictExample] = [
        VerdictExample("account and plant are gone", .superseded, .erased) { $0.isErased = true },
        VerdictExample("plant removed", .superseded, .archived) { $0.isRemoved = true },
        VerdictExample("watered", .superseded, .watered) {
            $0.pointer = .otherRef
            $0.isDueThen = false
            $0.dueSource = .watering
        },
        VerdictExample("postponed", .superseded, .postponed) {
            $0.pointer = .otherRef
            $0.isDueThen = false
            $0.dueSource = .postponement
        },
        VerdictExample("cycle edited", .superseded, .edited) {
            $0.pointer = .otherRef
            $0.isDueThen = false
            $0.dueSource = .edit
        },
        VerdictExample("restored", .superseded, .edited) {
            $0.pointer = .otherRef
            $0.isDueThen = false
        },
        VerdictExample("watered for a past due date", .superseded, .watered) {
            $0.pointer = .nowhere
            $0.isDueThen = false
            $0.dueSource = .watering
        },
        VerdictExample("alarm moved", .superseded, .edited) { $0.pointer = .sameRefLater },
        VerdictExample("alarm moved after a watering", .superseded, .edited) {
            $0.pointer = .sameRefLater
            $0.dueSource = .watering
        },
        VerdictExample("alarm moved into the past", .superseded, .edited) { $0.pointer = .nowhere },
        VerdictExample("withered: watered", .superseded, .watered) {
            $0.topic = .withered
            $0.pointer = .otherRef
            $0.isDueThen = false
            $0.dueSource = .watering
        },
        VerdictExample("birthday changed", .superseded, .edited) {
            $0.topic = .birthday
            $0.pointer = .otherRef
        },
        VerdictExample("newer watering", .superseded, .newerWatering) {
            $0.topic = .reviewMissing
            $0.pointer = .otherRef
        },
        VerdictExample("newer watering with a review", .superseded, .newerWatering) {
            $0.topic = .reviewMissing
            $0.pointer = .nowhere
        },
        VerdictExample("reminder moved by a change of zone", .superseded, .edited) {
            $0.topic = .reviewMissing
            $0.pointer = .sameRefLater
        },
        VerdictExample("review written", .superseded, .reviewed) {
            $0.topic = .reviewMissing
            $0.reviewState = .written
        },
        VerdictExample("review declined", .superseded, .declined) {
            $0.topic = .reviewMissing
            $0.reviewState = .declined
        },
        VerdictExample("plant's switch off", .suppressed, .plantPushesOff) { $0.pushesEnabled = false },
        VerdictExample("plant's switch off, reminder", .suppressed, .plantPushesOff) {
            $0.topic = .reviewMissing
            $0.pushesEnabled = false
        },
        VerdictExample("account's switch off", .suppressed, .accountPushesOff) { $0.isTopicWanted = false },
        VerdictExample("account's switch off, reminder", .suppressed, .accountPushesOff) {
            $0.topic = .reviewMissing
            $0.isTopicWanted = false
        },
        VerdictExample("account's switch off, birthday", .suppressed, .accountPushesOff) {
            $0.topic = .birthday
            $0.isTopicWanted = false
        },
        VerdictExample("too late", .expired, .tooLate) { $0.now = "2027-03-03T00:00" },
        VerdictExample("too late, reminder", .expired, .tooLate) {
            $0.topic = .reviewMissing
            $0.now = "2027-03-03T12:00"
        },
        VerdictExample("too late, birthday", .expired, .tooLate) {
            $0.topic = .birthday
            $0.now = "2027-03-03T00:00"
        },
        VerdictExample("too late, withered", .expired, .tooLate) {
            $0.topic = .withered
            $0.now = "2027-03-03T00:00"
        },
        // The first matching reason decides.
        VerdictExample("watered and late: it was watered", .superseded, .watered) {
            $0.pointer = .otherRef
            $0.isDueThen = false
            $0.dueSource = .watering
            $0.now = "2027-03-09T00:00"
        },
        VerdictExample("off and late: it is off", .suppressed, .accountPushesOff) {
            $0.isTopicWanted = false
            $0.now = "2027-03-09T00:00"
        },
    ]

    @Test("7.4, 7.6, 7.7: how a planned push ends", arguments: PushVerdictTests.examples)
    func ends(example: VerdictExample) throws {
        var situation = PushSituation()
        example.change(&situation)
        let verdict = try situation.verdict()
        #expect(verdict == .end(example.outcome, example.reason))
    }

    @Test("7.6: a push without obstacles is sent", arguments: Topic.ofPlants)
    func sent(kind: Topic) throws {
        for now in ["2027-03-02T12:00", "2027-03-02T21:59"] {
            var situation = PushSituation()
            situation.topic = kind
            situation.now = now
            let verdict = try situation.verdict()
            #expect(verdict == .send)
        }
    }

    @Test("7.3: in quiet hours reminders wait, and other pushes do not", arguments: Topic.ofPlants)
    func quietHours(kind: Topic) throws {
        var situation = PushSituation()
        situation.topic = kind
        situation.now = "2027-03-02T22:00"
        let evening = try situation.verdict()
        let morning = try seoul("2027-03-03T08:00")
        let expectedInTheEvening: PushVerdict = kind == .reviewMissing ? .wait(until: morning) : .send
        #expect(evening == expectedInTheEvening)
        situation.now = "2027-03-03T07:59"
        let night = try situation.verdict()
        let expectedAtNight: PushVerdict = kind == .reviewMissing ? .wait(until: morning) : .end(.expired, .tooLate)
        #expect(night == expectedAtNight)
    }

    @Test("7.3, 7.6: an obsolete push does not wait for the end of the quiet hours")
    func noWaitingForNothing() throws {
        var situation = PushSituation()
        situation.topic = .reviewMissing
        situation.now = "2027-03-02T23:00"
        situation.reviewState = .written
        let verdict = try situation.verdict()
        #expect(verdict == .end(.superseded, .reviewed))
    }

    /// Zone, planned instant, and the end of its local day.
    static let days: [(String, String, String)] = [
        ("Asia/Seoul", "2027-03-02T00:00:00Z", "2027-03-02T15:00:00Z"),
        // A day of 23 hours and one of 25.
        ("America/New_York", "2027-03-14T05:00:00Z", "2027-03-15T04:00:00Z"),
        ("America/New_York", "2027-03-14T07:00:00Z", "2027-03-15T04:00:00Z"),
        ("America/New_York", "2027-11-07T04:00:00Z", "2027-11-08T05:00:00Z"),
        ("America/New_York", "2027-11-07T05:30:00Z", "2027-11-08T05:00:00Z"),
        // The first instant of 28 March, for an alarm in the gap before it.
        ("America/Nuuk", "2027-03-28T01:00:00Z", "2027-03-29T01:00:00Z"),
        // The next day was skipped.
        ("Pacific/Apia", "2011-12-29T19:00:00Z", "2011-12-30T10:00:00Z"),
        ("UTC", "2027-12-31T23:59:59Z", "2028-01-01T00:00:00Z"),
    ]

    @Test("7.7: a watering push expires at the end of the local day", arguments: PushVerdictTests.days)
    func expiry(zone: String, planned: String, end: String) throws {
        let rules = try systemTimeZones.rules(zone)
        let moment = PlannedMoment(ref: 1, at: try instant(planned))
        for topic in [Topic.wateringDue, .birthday, .withered] {
            let expiry = PushCandidate(topic: topic, planned: moment, state: nil).expiry(in: rules)
            #expect(expiry.description == end)
        }
        let review = PushCandidate(topic: .reviewMissing, planned: moment, state: nil).expiry(in: rules)
        #expect(review == moment.at.adding(hours: 24), "always 24 hours")
    }

    @Test("7.7: the last microsecond of the day is in time, the end is too late")
    func expiryBorder() throws {
        var garden = try Garden(cycle: 7, zone: "America/New_York", registeredAt: instant("2027-03-07T12:00:00-05:00"))
        let midnight = try instant("2027-03-15T00:00:00-04:00")
        var late = garden
        try garden.tick(at: midnight.adding(microseconds: -1))
        #expect(garden.sentDueDates == ["2027-03-14"])
        try late.tick(at: midnight)
        #expect(late.ended.map(\.verdict) == [.end(.expired, .tooLate)])
    }

    @Test("7.7: after an outage, a push that is still fresh is sent once, late")
    func lateOnce() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        try garden.tick(at: seoul("2027-03-08T23:30"))
        try garden.tick(at: seoul("2027-03-08T23:31"))
        #expect(garden.sentDueDates == ["2027-03-08"])
    }

    @Test("7.4: watering and review pushes have their own switches, and each plant has one for both")
    func switches() throws {
        for (isWateringOn, isReviewOn, isPlantOn) in [
            (true, true, true), (false, true, true), (true, false, true), (true, true, false),
        ] {
            var garden = try Garden(
                cycle: 7, switches: NotificationSwitches(watering: isWateringOn, review: isReviewOn),
                registeredAt: seoul("2027-03-01T10:00"))
            try garden.edit(at: seoul("2027-03-01T11:00")) { $0.pushesEnabled = isPlantOn }
            try garden.water(at: seoul("2027-03-01T12:00"))
            try garden.tick(at: seoul("2027-03-01T13:00"))
            try garden.tick(at: seoul("2027-03-08T09:00"))
            let planned = garden.ended.filter { $0.verdict != .end(.superseded, .watered) }
            #expect(planned.count == 2, "pushes that are off are planned, and recorded as suppressed")
            #expect(garden.sent(.wateringDue).isEmpty == !(isWateringOn && isPlantOn))
            #expect(garden.sent(.reviewMissing).isEmpty == !(isReviewOn && isPlantOn))
            let reason: PushReason = isPlantOn ? .accountPushesOff : .plantPushesOff
            let suppressed = planned.filter { $0.verdict != .send }.map(\.verdict)
            let isSuppressed = suppressed.allSatisfy { $0 == .end(.suppressed, reason) }
            #expect(isSuppressed)
        }
    }

    @Test("7.8: outcomes and topics have the names used by the command line and the database")
    func names() {
        let outcomes = ["delivered", "superseded", "suppressed", "expired", "dead"]
        #expect(PushOutcome.allCases.map(\.rawValue) == outcomes)
        #expect(Topic.ofPlants.map(\.label) == ["watering_due", "review_missing", "birthday", "withered"])
        #expect(Topic.ofPlants.sorted() == Topic.ofPlants)
    }
}
