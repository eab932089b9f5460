import CherishCore
import CherishPush
import CherishStore
import Postgres
import SeededChance

/// Things as people record, edit and complete them, beside their plants (rule 10).
struct SimulatedThings: SimulatedDomain {
    let dueDomain: any DueDomain = ThingDomain()

    let subjectLines: SQL = """
        SELECT account_id, concat_ws(' ', id, kind, title, due_on, coalesce(due_minute::text, '-'),
            coalesce('[' || chosen_alerts || ']', 'usual'), repetition, pushes_enabled, series_start, completion_count,
            coalesce(done_on::text, 'open'))
        FROM thing
        """

    func prepare(_ pool: ConnectionPool) async throws {}

    func subjects(of account: Account.ID) -> any SimulatedSubjects { ThingsOfAccount() }
}

/// The things of one account, and the alerts that they promise.
private struct ThingsOfAccount: SimulatedSubjects {
    var promises: [SubjectPromise] = []
    private var things: [ThingModel] = []
    /// The account's pauses.
    private var pausedSpans: [ClosedRange<CivilDay>] = []

    init() {}

    var lines: [String] { things.map(\.line) }

    // MARK: What people do

    mutating func act(_ person: SimulatedPerson, _ chance: inout SplitMix64) -> SubjectAct? {
        let open = things.indices.filter { things[$0].isOpen }
        guard let place = chance.elementIfAny(of: Array(things.indices)), open.count > 1, !chance.chance(30) else {
            return open.count < 8 ? record(person, &chance) : nil
        }
        guard things[place].isOpen else {
            return chance.chance(30) ? reopen(place, person) : remove(place, person)
        }
        switch chance.number(in: 1...100) {
        case ...35: return complete(place, person)
        case ...45: return things[place].canBeReopened ? reopen(place, person) : nil
        case ...60: return move(place, person, &chance)
        case ...75: return changeAlerts(place, person, &chance)
        case ...85: return rename(place, person)
        case ...95: return switchPushes(place, person)
        default: return remove(place, person)
        }
    }

    private mutating func record(_ person: SimulatedPerson, _ chance: inout SplitMix64) -> SubjectAct {
        let kind = chance.element(of: Thing.Kind.allCases)
        let minute = ThingsOfAccount.drawMinute(for: kind, &chance)
        let recurrence =
            chance.chance(30)
            ? ThingModel.Recurrence(
                every: chance.number(in: 1...3), unit: chance.element(of: [.days, .weeks, .months, .years]),
                isFromCompletion: chance.chance(50)) : nil
        let thing = ThingModel(
            id: Thing.ID(chance.uuid(lastByte: person.accountID.lane.number)), kind: kind, title: "우유",
            dueOn: ThingsOfAccount.drawDay(person, &chance), dueMinute: minute,
            alerts: ThingsOfAccount.drawAlerts(hasTime: minute != nil, &chance),
            repetition: ThingsOfAccount.drawRepetition(&chance), recurrence: recurrence)
        things.append(thing)
        things[things.count - 1].plannedFrom = person.now
        promise(things.count - 1, person)
        return SubjectAct("record thing") { store in
            var draft = ThingDraft(kind: thing.kind, title: try ThingTitle(thing.title), dueOn: thing.dueOn)
            draft.dueTime = thing.dueTime
            draft.alerts = try thing.chosenAlerts()
            draft.repetition = thing.repetition
            draft.recurrence = try thing.recurrence.map {
                try Recurrence(every: $0.every, $0.unit, from: $0.isFromCompletion ? .completion : .due)
            }
            _ = try await store.garden(of: person.accountID).recordThing(draft, id: thing.id)
        }
    }

    private mutating func complete(_ place: Int, _ person: SimulatedPerson) -> SubjectAct {
        things[place].complete(today: person.zone.day(at: person.now))
        begin(place, person)
        return act("complete thing", place, person) { try await $0.completeThing($1.id) }
    }

    private mutating func reopen(_ place: Int, _ person: SimulatedPerson) -> SubjectAct? {
        guard things[place].canBeReopened else { return nil }
        things[place].reopen()
        begin(place, person)
        return act("reopen thing", place, person) { try await $0.reopenThing($1.id) }
    }

    private mutating func remove(_ place: Int, _ person: SimulatedPerson) -> SubjectAct {
        let thing = things.remove(at: place)
        promises.removeAll { $0.subjectID == thing.id.subject }
        return SubjectAct("remove thing") { try await $0.garden(of: person.accountID).removeThing(thing.id) }
    }

    private mutating func move(_ place: Int, _ person: SimulatedPerson, _ chance: inout SplitMix64) -> SubjectAct? {
        let day = ThingsOfAccount.drawDay(person, &chance)
        guard day != things[place].dueOn else { return nil }
        things[place].move(to: day, at: things[place].dueMinute)
        begin(place, person)
        return edit("move thing", place, person) { edit, thing in edit.dueOn = thing.dueOn }
    }

    private mutating func changeAlerts(
        _ place: Int, _ person: SimulatedPerson, _ chance: inout SplitMix64
    ) -> SubjectAct {
        let before = things[place]
        things[place].alerts = ThingsOfAccount.drawAlerts(hasTime: before.dueMinute != nil, &chance)
        things[place].repetition = ThingsOfAccount.drawRepetition(&chance)
        things[place].keepReached(areAlertsOther: before.alerts != things[place].alerts)
        replan(place, person)
        return edit("change alerts", place, person) { edit, thing in
            edit.alerts = .some(try thing.chosenAlerts())
            edit.repetition = thing.repetition
        }
    }

    private mutating func rename(_ place: Int, _ person: SimulatedPerson) -> SubjectAct {
        things[place].title = things[place].title == "우유" ? "약" : "우유"
        return edit("rename thing", place, person) { edit, thing in edit.title = try ThingTitle(thing.title) }
    }

    private mutating func switchPushes(_ place: Int, _ person: SimulatedPerson) -> SubjectAct {
        things[place].isOn.toggle()
        replan(place, person)
        return edit("switch thing", place, person) { edit, thing in edit.pushesEnabled = thing.isOn }
    }

    private func edit(
        _ name: String, _ place: Int, _ person: SimulatedPerson,
        _ change: @escaping @Sendable (inout ThingEdit, ThingModel) throws -> Void
    ) -> SubjectAct {
        act(name, place, person) { garden, thing in
            var edit = ThingEdit()
            try change(&edit, thing)
            return try await garden.editThing(thing.id, edit)
        }
    }

    private func act(
        _ name: String, _ place: Int, _ person: SimulatedPerson,
        _ command: @escaping @Sendable (Garden, ThingModel) async throws -> ChangedThing
    ) -> SubjectAct {
        let thing = things[place]
        return SubjectAct(name) { _ = try await command($0.garden(of: person.accountID), thing) }
    }

    // MARK: Choices

    /// Mostly soon, sometimes past, and sometimes so far ahead that a waypoint stands for the alert.
    private static func drawDay(_ person: SimulatedPerson, _ chance: inout SplitMix64) -> CivilDay {
        let today = person.zone.day(at: person.now)
        switch chance.number(in: 1...20) {
        case 1: return today + chance.number(in: -3 ... -1)
        case 2: return today + chance.number(in: 395...420)
        default: return today + chance.number(in: 0...8)
        }
    }

    private static func drawMinute(for kind: Thing.Kind, _ chance: inout SplitMix64) -> Int? {
        kind != .food && chance.chance(50) ? chance.element(of: [540, 600, 1_110]) : nil
    }

    /// Nine o'clock is when plants ring.
    private static func drawAlerts(hasTime: Bool, _ chance: inout SplitMix64) -> [ThingModel.Alert]? {
        if chance.chance(40) { return nil }
        var alerts: [ThingModel.Alert] = []
        for _ in 0..<chance.number(in: 0...3) {
            let alert: ThingModel.Alert =
                hasTime && chance.chance(50)
                ? .minutes(chance.element(of: [0, 10, 30, 120, 1_440]))
                : .days(chance.number(in: 0...2), at: chance.element(of: [540, 540, 510, 720, 1_125]))
            if !alerts.contains(alert) { alerts.append(alert) }
        }
        return alerts
    }

    private static func drawRepetition(_ chance: inout SplitMix64) -> AlertRepetition {
        chance.chance(60) ? .once : chance.element(of: [.hourly, .daily, .daily, .weekly])
    }

    // MARK: Promises

    /// Promises what a thing alerts for its due day, which is new: nothing else may come.
    private mutating func begin(_ place: Int, _ person: SimulatedPerson) {
        (things[place].plannedFrom, things[place].isUnsure) = (person.now, false)
        promises.removeAll { $0.subjectID == things[place].id.subject }
        promise(place, person)
    }

    /// Promises the alerts from now on anew. Those whose moment has come may still be sent, or not any more.
    private mutating func replan(_ place: Int, _ person: SimulatedPerson) {
        let subject = things[place].id.subject
        // What waits for the end of a pause may go on waiting, or not.
        things[place].isUnsure = true
        promises.removeAll { $0.subjectID == subject && !$0.push.hasCome }
        for index in promises.indices where promises[index].subjectID == subject {
            promises[index].push.isExcused = true
        }
        promise(place, person)
    }

    private mutating func promise(_ place: Int, _ person: SimulatedPerson, hasPauseJustEnded: Bool = false) {
        let thing = things[place]
        var before = thing.reached?.at
        let silent = thing.missedInPauses(
            pausedSpans, hasJustEnded: hasPauseJustEnded, from: person.now, in: person.zone)
        let moments = thing.moments(from: person.now, in: person.zone).filter { moment in
            !pausedSpans.contains { $0.contains(person.zone.day(at: moment.at)) }
        }
        for moment in silent { promiseWaiting(moment, of: thing, person) }
        // The usual alert needs nothing that makes up for it if it only waited for the end of a pause.
        for moment in moments where !moment.makesUp || silent.isEmpty || thing.isUnsure {
            var promise = SubjectPromise(
                about: thing.id.subject, .thingAlert, ref: Int(thing.dueOn.daysSinceEpoch), number: moment.wallMinute,
                on: thing.dueOn, at: moment.at, expiresAt: moment.expiresAt)
            promise.isExemptFromCap = thing.dueMinute != nil
            promise.mayBeLeftOut = true
            // The scheduler plans an alert when it has reached the one before, and then perhaps late.
            let isAlone = before.map { moment.at.microsecondsSinceEpoch - $0.microsecondsSinceEpoch > 8 * hour } ?? true
            promise.push.isExact = isAlone && !promise.push.isClose(to: person.now)
            promise.push.isCertain =
                thing.isOn && !promise.push.isClose(to: person.now) && (!moment.makesUp || silent.isEmpty)
            promises.append(promise)
            before = moment.at
        }
    }

    /// Promises the alert that waits for the end of a pause, which may then be planned late.
    private mutating func promiseWaiting(_ moment: ThingModel.Moment, of thing: ThingModel, _ person: SimulatedPerson) {
        var promise = SubjectPromise(
            about: thing.id.subject, .thingAlert, ref: Int(thing.dueOn.daysSinceEpoch), number: moment.wallMinute,
            on: thing.dueOn, at: moment.at, expiresAt: moment.expiresAt)
        (promise.isExemptFromCap, promise.mayBeLeftOut) = (thing.dueMinute != nil, true)
        promise.push.isExact = false
        promise.push.isCertain = thing.isOn && !thing.isUnsure && !promise.push.isClose(to: person.now)
        promises.append(promise)
    }

    mutating func takeOver(_ spans: [ClosedRange<CivilDay>], _ person: SimulatedPerson) {
        guard Set(spans) != Set(pausedSpans) else { return }
        let today = person.zone.day(at: person.now)
        let hasJustEnded =
            pausedSpans.contains { $0.contains(today) } && !spans.contains { $0.contains(today) }
        pausedSpans = spans
        for place in things.indices where things[place].isOpen {
            let subject = things[place].id.subject
            promises.removeAll { $0.subjectID == subject && !$0.push.hasCome }
            promise(place, person, hasPauseJustEnded: hasJustEnded)
        }
    }

    mutating func follow(_ reached: SubjectPromise) {
        guard let place = things.firstIndex(where: { $0.id.subject == reached.subjectID }) else { return }
        if Int(things[place].dueOn.daysSinceEpoch) == reached.ref {
            things[place].reach(
                ThingModel.Moment(at: reached.at, expiresAt: reached.push.expiresAt, wallMinute: reached.number))
        }
        if things[place].isOn { return }
        for index in promises.indices where promises[index].identity == reached.identity {
            promises[index].push.isExcused = true
        }
    }

    mutating func travel(to person: SimulatedPerson) {
        let before = promises
        for place in things.indices where things[place].isOpen { replan(place, person) }
        // The service may not have reached what came shortly before, and then rings there again, in the new zone.
        for old in before where old.push.hasCome && old.push.expiresAt > person.now.adding(hours: -8) {
            guard let thing = things.first(where: { $0.id.subject == old.subjectID }), thing.isOpen else { continue }
            var again = thing
            again.forgetReached()
            for moment in again.moments(from: person.now, in: person.zone) where moment.wallMinute == old.number {
                var promise = SubjectPromise(
                    about: old.subjectID, old.topic, ref: old.ref, number: old.number, on: old.occursOn, at: moment.at,
                    expiresAt: moment.expiresAt)
                (promise.isExemptFromCap, promise.mayBeLeftOut) = (old.isExemptFromCap, true)
                (promise.push.isCertain, promise.push.isExcused, promise.push.isExact) = (false, true, false)
                promises.append(promise)
            }
        }
    }

    // MARK: Comparing

    func objections(to message: PushMessage, _ promise: SubjectPromise) -> [String] {
        guard let thing = things.first(where: { $0.id.subject == promise.subjectID }) else { return ["no such thing"] }
        return (thing.isOn ? [] : ["its alerts are switched off"])
            + (message.values.name == thing.title ? [] : ["\(message.values.name) instead of \(thing.title)"])
    }

    /// The digest counts friends.
    func dueCount(on day: CivilDay) -> Int { 0 }
}

/// In microseconds.
private let hour: Int64 = 3_600_000_000

extension ThingModel {
    /// As ``SimulatedThings/subjectLines`` selects it.
    fileprivate var line: String {
        let alerts = alerts.map { "[\($0.map(\.text).joined(separator: " "))]" } ?? "usual"
        return [
            id.description, kind.rawValue, title, dueOn.description, dueMinute?.description ?? "-", alerts,
            repetition.rawValue, isOn ? "t" : "f", seriesStart.description, "\(completionCount)",
            doneOn?.description ?? "open",
        ].joined(separator: " ")
    }

    fileprivate var dueTime: TimeOfDay? { dueMinute.flatMap { TimeOfDay(minuteOfDay: $0) } }

    /// The alerts in the service's own type.
    fileprivate func chosenAlerts() throws -> [ThingAlert]? { try alerts?.map { try ThingAlert($0.text) } }
}
