import CherishCore
import CherishStore

/// A phone that an account added.
struct PhoneModel: Sendable {
    let token: String
    /// Whether the app is deleted, so that its provider rejects the token.
    var isGone = false
}

/// The state that an account must have by the rules.
struct AccountModel: Sendable {
    let id: Account.ID
    var zone: PersonClock
    /// The topics that are switched on (rules 7.4 and 7.10).
    var wanted: Set<Topic> = [.wateringDue, .reviewMissing]
    /// nil if pushes are lines, which need no phone.
    var phones: [PhoneModel]?
    /// In the order of registration.
    var plants: [PlantModel] = []
    /// What it has of each further domain, in the order of the domains.
    var furtherSubjects: [any SimulatedSubjects]
    /// Those that are over too.
    var pauses: [PauseModel] = []
    var hasLeft = false

    init(id: Account.ID, zone: PersonClock, furtherSubjects: [any SimulatedSubjects]) {
        self.id = id
        self.zone = zone
        self.furtherSubjects = furtherSubjects
    }

    /// Whether the account wants pushes about a topic. It cannot switch off those of further domains.
    func wants(_ topic: Topic) -> Bool { wanted.contains(topic) || !Topic.ofPlants.contains(topic) }

    /// Whether a push can reach the account.
    var isReachable: Bool { phones?.contains { !$0.isGone } ?? true }

    /// Advances the model to an instant.
    mutating func follow(to now: Instant) {
        let isReachable = self.isReachable
        for place in plants.indices {
            plants[place].follow(to: now, wanted: wanted, isReachable: isReachable, in: zone)
        }
        for domain in furtherSubjects.indices {
            furtherSubjects[domain].follow(to: now, isReachable: isReachable)
            furtherSubjects[domain].excusePaused(ownSpans, upTo: now, in: zone)
        }
    }

    /// Applies an act at an instant that the model has reached. False if the rules refuse it; then nothing changes.
    mutating func apply(_ act: Act, at now: Instant) -> Bool {
        if case .further(let further) = act {
            furtherSubjects[further.domain] = further.subjects
            furtherSubjects[further.domain].blur(at: now)
            return true
        }
        if act.plant == nil {
            for domain in furtherSubjects.indices { furtherSubjects[domain].blur(at: now) }
        }
        for place in plants.indices where act.plant == nil || act.plant == place { plants[place].blur(at: now) }
        guard carryOut(act, at: now) else { return false }
        for place in plants.indices where act.plant == nil || act.plant == place {
            plants[place].planRequested(wanted, at: now, in: zone)
        }
        return true
    }

    private mutating func carryOut(_ act: Act, at now: Instant) -> Bool {
        switch act {
        case .register(let phone, let cycleDays, let alarmMinute, let birthday):
            plants.append(
                PlantModel(
                    phone: phone, cycleDays: cycleDays, alarmMinute: alarmMinute, birthday: birthday,
                    pauses: Set(ownPauses), at: now, in: zone))
        case .water(let plant, let daysBack, let keywords, let memo, let declines):
            return plants[plant].water(
                daysBack: daysBack, keywords: keywords, memo: memo, declines: declines, at: now, in: zone)
        case .review(let plant, let keywords, let memo):
            return plants[plant].review(keywords: keywords, memo: memo)
        case .decline(let plant): return plants[plant].decline()
        case .postpone(let plant, let days): return plants[plant].postpone(days: days, at: now, in: zone)
        case .changeCycle(let plant, let days): return plants[plant].changeCycle(days: days, at: now, in: zone)
        case .changeAlarm(let plant, let minute): return plants[plant].changeAlarm(minute: minute, at: now, in: zone)
        case .changeBirthday(let plant, let day): return plants[plant].changeBirthday(to: day)
        case .switchPlant(let plant, let isOn): return plants[plant].switchPushes(isOn: isOn)
        case .remove(let plant): return plants[plant].remove()
        case .restore(let plant): return plants[plant].restore(at: now, in: zone)
        case .setClock(let clock, _): set(clock, at: now)
        case .switchAccount(let wanted): switchPushes(wanted)
        case .tag(let plant, let tag, let isOn): return self.tag(plant, tag, isOn: isOn, at: now)
        case .beginPause(let scope, let first, let last, let isSpread):
            return beginPause(scope, from: first, to: last, isSpread: isSpread, at: now)
        case .editPause(let pause, let last): return editPause(pause, to: last, at: now)
        case .endPause(let pause): return endPause(pause, at: now)
        case .addPhone(let token): phones?.append(PhoneModel(token: token))
        case .removePhone(let token): losePhones { $0.removeAll { $0.token == token } }
        case .uninstall(let token):
            losePhones { phones in
                for place in phones.indices where phones[place].token == token { phones[place].isGone = true }
            }
        case .leave: hasLeft = true
        case .further: break
        }
        return true
    }

    private mutating func set(_ zone: PersonClock, at now: Instant) {
        guard zone != self.zone else { return }
        self.zone = zone
        for place in plants.indices { plants[place].travel(at: now, in: zone) }
        let person = SimulatedPerson(accountID: id, zone: zone, now: now)
        for domain in furtherSubjects.indices { furtherSubjects[domain].travel(to: person) }
    }

    /// Without a reachable phone, pushes whose moment has come cannot be delivered anymore.
    private mutating func losePhones(_ lose: (inout [PhoneModel]) -> Void) {
        guard var left = phones else { return }
        lose(&left)
        phones = left
        guard !isReachable else { return }
        for place in plants.indices { plants[place].excuse { $0.hasCome } }
        for domain in furtherSubjects.indices { furtherSubjects[domain].excuse() }
    }

    private mutating func switchPushes(_ wanted: Set<Topic>) {
        self.wanted = wanted
        for place in plants.indices { plants[place].excuse { $0.hasCome && !wanted.contains($0.topic) } }
    }
}

// MARK: - Comparing

/// A deviation from the expected state.
struct Difference: Sendable {
    let promise: Violation.Promise
    var plant: Plant.ID?
    let what: String
}

extension AccountModel {
    /// The deviations from the expected state; empty if there are none. The facts must be those of this account alone.
    ///
    /// - Parameter lines: what it has of each further domain.
    func differences(
        _ account: Evidence.AccountFacts?, _ facts: [Evidence.PlantFacts], _ lines: [[String]], at now: Instant
    ) -> [Difference] {
        guard !hasLeft else {
            let isGone = account == nil && facts.isEmpty && lines.allSatisfy(\.isEmpty)
            return isGone ? [] : [Difference(promise: .erased, what: "something of account \(id) is left")]
        }
        guard let account else { return [Difference(promise: .wholeCommands, what: "account \(id) is gone")] }
        var found: [Difference] = []
        let tokens = Set((phones ?? []).map(\.token))
        let pauses = pauses.map { line(of: $0) }.sorted()
        if account.timeZone != zone.name || account.dayEndMinute != zone.dayEndMinute
            || account.wantedPushes != wanted || account.deviceTokens != tokens || account.pauses != pauses
        {
            let expected = "\(zone.name) \(zone.dayEndMinute) \(wanted) \(tokens) \(pauses)"
            found.append(Difference(promise: .wholeCommands, what: "\(account) instead of \(expected)"))
        }
        let factsByPhone = Dictionary(facts.map { ($0.phone, $0) }, uniquingKeysWith: { first, _ in first })
        if facts.count != plants.count || !plants.allSatisfy({ factsByPhone[$0.phone] != nil }) {
            let what = "account \(id) has \(facts.count) plants instead of \(plants.count)"
            found.append(Difference(promise: .wholeCommands, what: what))
        }
        for plant in plants {
            if let fact = factsByPhone[plant.phone] { found += plant.differences(fact, today: zone.day(at: now)) }
        }
        for (subjects, stored) in zip(furtherSubjects, lines) where stored.sorted() != subjects.lines.sorted() {
            let what = "account \(id) has \(stored.sorted()) instead of \(subjects.lines.sorted())"
            found.append(Difference(promise: .wholeCommands, what: what))
        }
        return found
    }
}

extension PlantModel {
    fileprivate func differences(_ fact: Evidence.PlantFacts, today: CivilDay) -> [Difference] {
        var found: [Difference] = []
        if fact.affection != affection || fact.ledgerPoints != affection {
            let what = "affection \(fact.affection) and \(fact.ledgerPoints) in the ledger instead of \(affection)"
            found.append(Difference(promise: .affection, plant: fact.id, what: what))
        }
        if fact.ownDueOn != ownDueOn || fact.isDueByOutage != isDueByOutage {
            let what =
                "due \(fact.dueOn), by itself \(fact.ownDueOn), by an outage \(fact.isDueByOutage), instead of \(dueOn), "
                + "\(ownDueOn), \(isDueByOutage)"
            found.append(Difference(promise: .dueDate, plant: fact.id, what: what))
        }
        if fact.dueOn != dueOn || fact.lastWateredOn != lastWateredOn || fact.daysLeft != dueOn - today {
            let what = "due \(fact.dueOn) in \(fact.daysLeft) days instead of \(dueOn) in \(dueOn - today) days"
            found.append(Difference(promise: .dueDate, plant: fact.id, what: what))
        }
        let tagNames = tags.map { PauseModel.tagNames[$0] }.sorted()
        let counts = [
            fact.wateringCount, fact.postponementCount, fact.reviewedCount, fact.declinedCount, fact.cycleDays,
            fact.alarmMinute,
        ]
        let expected = [
            waterings.count, postponementCount, waterings.count { $0.isReviewed }, waterings.count { $0.isDeclined },
            cycleDays, alarmMinute,
        ]
        if counts != expected || fact.pushesEnabled != pushesEnabled || fact.isArchived != isArchived
            || fact.birthday != birthday?.description
            || fact.tags != tagNames
        {
            let born = birthday?.description ?? "unknown"
            let what = "\(fact) instead of \(expected) \(pushesEnabled) \(isArchived), birthday \(born)"
            found.append(Difference(promise: .wholeCommands, plant: fact.id, what: what))
        }
        return found
    }
}
