import CherishCore

/// A pause as the oracle remembers it (rule 13.1).
struct PauseModel: Hashable, Sendable {
    /// Whom it is for. A tag is named by its place among ``tagNames``, a plant by its index among the account's plants.
    enum Scope: Hashable, Sendable {
        case account
        case tag(Int)
        case plant(Int)
    }

    /// The names of the tags that every account has.
    static let tagNames = ["family", "work"]

    let scope: Scope
    var days: ClosedRange<CivilDay>
    /// Whether what is due on the first day after it is spread (rule 13.2).
    let isSpread: Bool

    /// Whether it concerns a plant.
    func concerns(_ place: Int, _ plant: PlantModel) -> Bool {
        switch scope {
        case .account: true
        case .tag(let tag): plant.tags.contains(tag)
        case .plant(let index): index == place
        }
    }
}

// MARK: - What people do

extension AccountModel {
    /// Rule 13.1: at most 366 days, beginning at most 7 days back. One that is over before it begins pauses nothing.
    mutating func beginPause(
        _ scope: PauseModel.Scope, from first: CivilDay, to last: CivilDay, isSpread: Bool, at now: Instant
    ) -> Bool {
        let today = zone.day(at: now)
        guard first <= last, last - first < 366, first >= today + -7, last >= today else { return false }
        pauses.append(PauseModel(scope: scope, days: first...last, isSpread: isSpread))
        takeOverPauses(at: now)
        return true
    }

    /// Shortens or lengthens a pause that is not over, to today at least.
    mutating func editPause(_ pause: PauseModel, to last: CivilDay, at now: Instant) -> Bool {
        let (today, first) = (zone.day(at: now), pause.days.lowerBound)
        guard let place = pauses.firstIndex(of: pause), pause.days.upperBound >= today, last >= today, first <= last,
            last - first < 366
        else { return false }
        pauses[place].days = first...last
        takeOverPauses(at: now)
        return true
    }

    /// Ends a pause that is not over, so that today is no part of it.
    mutating func endPause(_ pause: PauseModel, at now: Instant) -> Bool {
        let (today, first) = (zone.day(at: now), pause.days.lowerBound)
        guard let place = pauses.firstIndex(of: pause), pause.days.upperBound >= today else { return false }
        if first < today { pauses[place].days = first...today + -1 } else { pauses.remove(at: place) }
        takeOverPauses(at: now)
        return true
    }

    /// Whoever gets a tag during its pause is paused too (rule 13.1).
    mutating func tag(_ place: Int, _ tag: Int, isOn: Bool, at now: Instant) -> Bool {
        guard !plants[place].isArchived else { return false }
        if isOn { plants[place].tags.insert(tag) } else { plants[place].tags.remove(tag) }
        takeOverPauses(at: now)
        return true
    }

    /// Tells each plant its pauses.
    mutating func takeOverPauses(at now: Instant) {
        for place in plants.indices {
            let own = pauses.filter { $0.concerns(place, plants[place]) }
            plants[place].takeOver(Set(own), at: now, in: zone)
        }
        let person = SimulatedPerson(accountID: id, zone: zone, now: now)
        for domain in furtherSubjects.indices { furtherSubjects[domain].takeOver(ownSpans, person) }
    }

    /// Lets pushes of further domains be planned late, because no worker comes.
    mutating func delayFurtherPushes(at now: Instant) {
        for domain in furtherSubjects.indices { furtherSubjects[domain].delay(at: now) }
    }

    /// Takes over the id of the newest plant, which says where spreading puts its due date.
    mutating func identifyNewest(_ id: Plant.ID, at now: Instant) {
        guard let place = plants.indices.last, plants[place].id == nil else { return }
        plants[place].identify(id, at: now, in: zone)
        plants[place].planRequested(wanted, at: now, in: zone)
    }

    /// The pauses of the whole account.
    var ownPauses: [PauseModel] { pauses.filter { $0.scope == .account } }

    /// The days on which the whole account is paused.
    var ownSpans: [ClosedRange<CivilDay>] { ownPauses.map(\.days) }

    /// As `Evidence` reads a pause.
    func line(of pause: PauseModel) -> String {
        let scope =
            switch pause.scope {
            case .account: "account"
            case .tag(let tag): "tag \(PauseModel.tagNames[tag])"
            case .plant(let place): "plant \(plants[place].phone)"
            }
        return "\(scope) \(pause.days.lowerBound) \(pause.days.upperBound)" + (pause.isSpread ? " spread" : "")
    }
}

// MARK: - Paused plants (rules 13.1 and 13.2)

extension PlantModel {
    /// Whether a day belongs to one of its pauses.
    func isPaused(on day: CivilDay) -> Bool { pauses.contains { $0.days.contains(day) } }

    /// The first day, from one on, that belongs to none.
    func firstUnpaused(from day: CivilDay) -> CivilDay {
        var day = day
        while isPaused(on: day) { day = day + 1 }
        return day
    }

    /// Where a due date moves. Spreading puts what is due on the first day after a pause on one of as many days as the cycle has: the
    /// one whose number is the remainder of the id's first eight digits.
    func movedByPauses(_ day: CivilDay) -> CivilDay {
        let first = firstUnpaused(from: day)
        guard let digits = id?.description.prefix(8), let number = Int(digits, radix: 16) else { return first }
        var before = first + -1
        while isPaused(on: before) {
            if pauses.contains(where: { $0.isSpread && $0.days.upperBound == before }) {
                return firstUnpaused(from: first + number % cycleDays)
            }
            before = before + -1
        }
        return first
    }

    /// The service has returned its id.
    mutating func identify(_ id: Plant.ID, at now: Instant, in zone: PersonClock) {
        self.id = id
        let moved = movedByPauses(ownDueOn)
        if moved != dueOn { postponeByPause(to: moved, at: now, in: zone) }
    }

    /// The first day on which it is withered: no plant withers in a pause.
    var withersOn: CivilDay { firstUnpaused(from: dueOn + 1) }

    /// Takes over its pauses as they are now. A due date that has come stays, unless it lies in a pause.
    mutating func takeOver(_ pauses: Set<PauseModel>, at now: Instant, in zone: PersonClock) {
        let (today, before) = (zone.day(at: now), withersOn)
        guard pauses != self.pauses else { return }
        self.pauses = pauses
        guard !isArchived else { return }
        if dueOn > today || isPaused(on: dueOn) {
            let moved = movedByPauses(ownDueOn)
            postponeByPause(to: moved < today ? movedByPauses(today) : moved, at: now, in: zone)
        }
        if withersOn != before { excuse { $0.topic == .withered } }
    }

    /// Excuses pushes whose moment has come, and that have had to wait on a paused day.
    mutating func excusePaused(upTo now: Instant, in zone: PersonClock) {
        let spans = pauses.map(\.days)
        excuse { $0.waited(in: spans, upTo: now, zone) }
    }
}

// MARK: - Excused plants (rule 13.3)

extension PlantModel {
    /// Moves a due date whose push an outage kept back to the day on which pushes leave again. In quiet hours, where the alarm
    /// is past, that is the next morning's.
    mutating func excuseOutage(at now: Instant, in zone: PersonClock) {
        let today = zone.day(at: now)
        let alarm = zone.firstInstant(on: today, at: TimeOfDay(minuteOfDay: alarmMinute) ?? .defaultAlarm)
        let at = alarm < now ? PlantModel.outsideQuietHours(now, in: zone) : alarm
        let day = zone.day(at: at)
        moveDueDate(to: day, at: now, in: zone)
        isDueByOutage = true
        // Where the alarm is past, the push comes at once.
        if dueOn == day, day == today, alarm < now { planLateAlarm(at: at, in: zone) }
    }
}
