import CherishCore
import CherishPush
import CherishStore
import Postgres
import SeededChance

/// A further domain in a simulation. Plants are built in; things and other domains are added by ``SimulationSettings``.
///
/// It brings its tables, what people do with its subjects, and which pushes the rules promise them. The frame does the
/// rest, as for plants: it decides when people act and what goes wrong, runs the workers, and compares promises,
/// phones and the database.
///
/// No account can switch its topics off. Its pushes are worth sending for little more than a day at most, so that the
/// frame sees their end.
package protocol SimulatedDomain: Sendable {
    /// What commands, scheduler and delivery know about it.
    var dueDomain: any DueDomain { get }

    /// Selects `account_id` and a line of text for each of its subjects. The text must be that of
    /// ``SimulatedSubjects/lines``, whatever workers have done so far.
    var subjectLines: SQL { get }

    /// Does what a migration of the domain would do, before anything else happens.
    func prepare(_ pool: ConnectionPool) async throws

    /// What a new account has of the domain. When the account leaves, its rows must be gone.
    func subjects(of account: Account.ID) -> any SimulatedSubjects
}

/// What one account has of a further domain, as the domain's rules demand it: a model that shares no rule with the
/// engine.
package protocol SimulatedSubjects: Sendable {
    /// The pushes that may still come. The domain adds them, and removes those that must not come any more. The frame
    /// marks them as their time passes, and removes those that are over.
    var promises: [SubjectPromise] { get set }

    /// The subjects as ``SimulatedDomain/subjectLines`` selects them, in any order.
    var lines: [String] { get }

    /// Draws what the account's person does now, and changes the model accordingly; nil if nothing. Every choice comes
    /// from `chance`, ids included.
    mutating func act(_ person: SimulatedPerson, _ chance: inout SplitMix64) -> SubjectAct?

    /// Adds what follows a promise whose moment has come, such as the letter of the next week: at least a day later.
    mutating func follow(_ reached: SubjectPromise)

    /// Changes the promises after the person moved to another zone.
    mutating func travel(to person: SimulatedPerson)

    /// Changes the promises after the account has begun, changed or ended a pause (rule 13.2). The frame knows that no push may come
    /// in it.
    ///
    /// - Parameter spans: the first and last days of the account's pauses, in any order.
    mutating func takeOver(_ spans: [ClosedRange<CivilDay>], _ person: SimulatedPerson)

    /// What is wrong with a promised push as it reaches a phone, apart from subject, day and time; empty if nothing.
    func objections(to message: PushMessage, _ promise: SubjectPromise) -> [String]

    /// How many subjects a digest of a day counts (``DueDomain/dueCount``).
    func dueCount(on day: CivilDay) -> Int
}

/// A person who acts.
package struct SimulatedPerson: Sendable {
    package let accountID: Account.ID
    package let zone: PersonClock
    package let now: Instant
}

/// What a person does with subjects of a further domain.
package struct SubjectAct: Sendable {
    /// The name under which the report counts it.
    let name: String
    let carryOut: @Sendable (CareStore) async throws -> Void

    /// - Parameter carryOut: runs the command, in one transaction. The service must accept it. If the command fails for
    ///   a fault, the lines of the account's subjects tell whether it was done.
    package init(_ name: String, carryOut: @escaping @Sendable (CareStore) async throws -> Void) {
        self.name = name
        self.carryOut = carryOut
    }
}

/// A push about a subject of a further domain that the rules promise.
package struct SubjectPromise: Sendable {
    package let subjectID: Subject.ID
    /// Tells apart the pushes that have subject, topic and ref in common. A phone shows one with each number.
    package let number: Int
    /// The day that the push is about. Pushes about subject and topic that have it in common are never worth sending at
    /// the same time.
    package let occursOn: CivilDay
    /// Whether it is sent although the daily cap is reached, and does not count towards it.
    var isExemptFromCap = false
    /// Whether it may be left out, or end unsent, because its successor was due before a worker sent it.
    var mayBeLeftOut = false
    /// What the frame knows of it.
    var push: PromisedPush

    /// - Parameters:
    ///   - instant: the planned instant, more than two minutes ahead.
    ///   - expiresAt: when it stops being worth sending, at most 25 hours later.
    package init(
        about subjectID: Subject.ID, _ topic: Topic, ref: Int, number: Int = 0, on occursOn: CivilDay,
        at instant: Instant, expiresAt: Instant
    ) {
        self.subjectID = subjectID
        self.number = number
        self.occursOn = occursOn
        push = PromisedPush(topic: topic, ref: ref, at: instant, expiresAt: expiresAt)
    }

    package var topic: Topic { push.topic }
    package var ref: Int { push.ref }
    package var at: Instant { push.at }

    var identity: PushIdentity {
        PushIdentity(subject: subjectID, topic: push.topic, ref: push.ref, number: number)
    }
}

// MARK: - What the frame does with promises

extension SimulatedSubjects {
    /// Marks pushes whose moment has come, using the account's state since the last act.
    mutating func follow(to now: Instant, isReachable: Bool) {
        while let place = promises.firstIndex(where: { !$0.push.hasCome && $0.push.at <= now }) {
            promises[place].push.hasCome = true
            if !isReachable { promises[place].push.isExcused = true }
            let reached = promises[place]
            follow(reached)
        }
    }

    /// Marks pushes close to an act as uncertain: clocks disagree, so a worker may already have handled them.
    mutating func blur(at now: Instant) {
        for place in promises.indices where promises[place].push.isClose(to: now) {
            promises[place].push.isCertain = false
        }
    }

    package mutating func takeOver(_ spans: [ClosedRange<CivilDay>], _ person: SimulatedPerson) {}

    /// Excuses pushes that wait on a paused day, up to an instant.
    mutating func excusePaused(_ spans: [ClosedRange<CivilDay>], upTo now: Instant, in zone: PersonClock) {
        for place in promises.indices where promises[place].push.waited(in: spans, upTo: now, zone) {
            promises[place].push.isExcused = true
        }
    }

    /// Lets pushes whose moment has come be planned late, because no worker comes.
    mutating func delay(at now: Instant) {
        for place in promises.indices where promises[place].push.at <= now { promises[place].push.isExact = false }
    }

    /// Marks all pushes as uncertain: after a change of zone, quiet hours and expiries are others.
    package mutating func travel(to person: SimulatedPerson) {
        for place in promises.indices { promises[place].push.isCertain = false }
    }

    /// Excuses the pushes whose moment has come: they may end unsent.
    mutating func excuse() {
        for place in promises.indices where promises[place].push.hasCome { promises[place].push.isExcused = true }
    }

    /// Removes and returns the promises that must have ended by an instant.
    mutating func takePromises(expiredBy end: Instant) -> [SubjectPromise] {
        let over = promises.filter { $0.push.isOver(by: end) }
        promises.removeAll { $0.push.isOver(by: end) }
        return over
    }

    /// The promise that a push about one subject keeps; nil if there is none.
    ///
    /// - Parameters:
    ///   - shown: what the phone shows; the same if the push is repeated.
    ///   - planned: when it was planned; nil if the push does not say.
    ///   - clock: when it comes, by the clock of whoever sends it.
    ///   - phones: what they have seen before.
    func promise(
        keptBy message: PushMessage, _ shown: ShownPush, plannedAt planned: Instant?, at clock: Instant,
        seenBefore phones: Phones
    ) -> SubjectPromise? {
        let possible = promises.filter {
            $0.subjectID == message.subjectID && $0.topic == message.topic && $0.occursOn == message.occursOn
        }.sorted { $0.at < $1.at }
        if possible.count < 2 { return possible.first }
        if let before = possible.first(where: { phones.haveSeen($0.identity, in: shown) }) { return before }
        // One that was missed is planned late, but never later than its successor's moment.
        if let planned { return possible.last { $0.at <= planned } ?? possible.first }
        let inTime = possible.filter { $0.at <= clock && clock < $0.push.expiresAt }
        let almost = possible.filter { $0.push.mayBeSent(at: $0.at, by: clock) && $0.push.isClose(to: clock) }
        return inTime.first { !phones.haveSeen($0.identity) } ?? almost.first { !phones.haveSeen($0.identity) }
            ?? inTime.first ?? possible.last { $0.at <= clock } ?? possible.first
    }
}

extension Topic {
    /// Whether a push must not come in quiet hours. Of plants only reminders wait, whatever the engine declares.
    var keepsQuietHours: Bool { Topic.ofPlants.contains(self) ? self == .reviewMissing : waitsForQuietHours }
}

/// An act with subjects of a further domain.
struct FurtherAct: Sendable, CustomStringConvertible {
    /// The index of the domain.
    let domain: Int
    /// The state that the domain's subjects of the account must have afterwards.
    let subjects: any SimulatedSubjects
    let act: SubjectAct

    var description: String { act.name }
}
