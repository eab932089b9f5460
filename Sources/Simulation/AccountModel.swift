import CherishCore
import CherishStore

/// An account as it must be by the rules.
struct AccountModel: Sendable {
    let id: Account.ID
    var zone: TimeZoneRules
    var wateringPushes = true
    var reviewPushes = true
    /// In the order of registration.
    var plants: [PlantModel] = []
    var hasLeft = false

    init(id: Account.ID, zone: TimeZoneRules) {
        self.id = id
        self.zone = zone
    }

    /// Lets time pass.
    mutating func follow(to now: Instant) {
        for place in plants.indices {
            plants[place].follow(to: now, wateringPushes: wateringPushes, reviewPushes: reviewPushes)
        }
    }

    /// Does what a person did, at an instant to which it was followed. False where the rules refuse; then nothing changes.
    mutating func apply(_ act: Act, at now: Instant) -> Bool {
        for place in plants.indices where act.plant == nil || act.plant == place { plants[place].blur(at: now) }
        switch act {
        case .register(let phone, let cycleDays, let alarmMinute):
            plants.append(
                PlantModel(phone: phone, cycleDays: cycleDays, alarmMinute: alarmMinute, at: now, in: zone))
        case .water(let plant, let daysBack, let keywords, let memo, let declines):
            return plants[plant].water(
                daysBack: daysBack, keywords: keywords, memo: memo, declines: declines, at: now, in: zone)
        case .review(let plant, let keywords, let memo):
            return plants[plant].review(keywords: keywords, memo: memo)
        case .decline(let plant): return plants[plant].decline()
        case .postpone(let plant, let days): return plants[plant].postpone(days: days, at: now, in: zone)
        case .changeCycle(let plant, let days): return plants[plant].changeCycle(days: days, at: now, in: zone)
        case .changeAlarm(let plant, let minute): return plants[plant].changeAlarm(minute: minute, at: now, in: zone)
        case .switchPlant(let plant, let isOn): return plants[plant].switchPushes(isOn: isOn)
        case .archive(let plant): return plants[plant].archive()
        case .restore(let plant): return plants[plant].restore(at: now, in: zone)
        case .travel(let zone): travel(to: zone, at: now)
        case .switchAccount(let watering, let review): switchPushes(watering: watering, review: review)
        case .leave: hasLeft = true
        }
        return true
    }

    private mutating func travel(to zone: TimeZoneRules, at now: Instant) {
        guard zone.name != self.zone.name else { return }
        self.zone = zone
        for place in plants.indices { plants[place].travel(at: now, in: zone) }
    }

    private mutating func switchPushes(watering: Bool, review: Bool) {
        wateringPushes = watering
        reviewPushes = review
        for place in plants.indices {
            plants[place].excuse { $0.hasCome && !($0.kind == .wateringDue ? watering : review) }
        }
    }
}

// MARK: - Comparing

/// Something that is not as it must be.
struct Difference: Sendable {
    let promise: Violation.Promise
    var plant: Plant.ID?
    let what: String
}

extension AccountModel {
    /// What is not as it must be; nothing if all is. The facts are those of this account alone.
    func differences(_ account: Evidence.AccountFacts?, _ facts: [Evidence.PlantFacts], at now: Instant) -> [Difference]
    {
        guard !hasLeft else {
            let isGone = account == nil && facts.isEmpty
            return isGone ? [] : [Difference(promise: .erased, what: "something of account \(id) is left")]
        }
        guard let account else { return [Difference(promise: .wholeCommands, what: "account \(id) is gone")] }
        var found: [Difference] = []
        if account.timeZone != zone.name || account.wateringPushes != wateringPushes
            || account.reviewPushes != reviewPushes
        {
            let expected = "\(zone.name) \(wateringPushes) \(reviewPushes)"
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
        if fact.dueOn != dueOn || fact.lastWateredOn != lastWateredOn || fact.daysLeft != dueOn - today {
            let what = "due \(fact.dueOn) in \(fact.daysLeft) days instead of \(dueOn) in \(dueOn - today) days"
            found.append(Difference(promise: .dueDate, plant: fact.id, what: what))
        }
        let counts = [
            fact.wateringCount, fact.postponementCount, fact.reviewedCount, fact.declinedCount, fact.cycleDays,
            fact.alarmMinute,
        ]
        let expected = [
            waterings.count, postponementCount, waterings.count { $0.isReviewed }, waterings.count { $0.isDeclined },
            cycleDays, alarmMinute,
        ]
        if counts != expected || fact.pushesEnabled != pushesEnabled || fact.isArchived != isArchived {
            let what = "\(fact) instead of \(expected) \(pushesEnabled) \(isArchived)"
            found.append(Difference(promise: .wholeCommands, plant: fact.id, what: what))
        }
        return found
    }
}
