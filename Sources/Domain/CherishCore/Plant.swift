/// The state of one friendship: contact data, cycle, due date, affection, and plans.
///
/// The module `CherishCore` implements the rules of care (`docs/rules.md`). It depends only on its arguments: the
/// caller passes in time, zone, and ids. Start here, then read `Watering.swift` and `Plans.swift`.
public struct Plant: Hashable, Sendable {
    public typealias ID = Identifier<Plant>

    /// What set the current due date.
    public enum DueSource: String, CaseIterable, Sendable {
        case registration, watering, postponement, edit
        /// Only in the history: a pause moved the due date that something else had set (rule 13.2).
        case pause
        /// An outage kept the push of the due date before from leaving (rule 13.3).
        case outage
    }

    public internal(set) var id: ID
    public let accountID: Account.ID
    public var name: ContactName
    public let phone: PhoneNumber
    public var nickname: Nickname
    public var birthday: Birthday?
    public var cycle: Cycle
    public var alarmTime: TimeOfDay
    public let plantedOn: CivilDay
    public var lastWateredOn: CivilDay?
    public var dueOn: CivilDay
    public var dueSource: DueSource
    /// The due date before a pause moved it; nil if none has since it was set (rule 13.2).
    public var originalDueOn: CivilDay?
    /// When it is paused: by pauses of the account, of its tags and of its own (rule 13.1).
    public var pausedDays: PausedDays
    public var affection: Affection
    public var wateringCount: Int
    public var postponementCount: Int
    public var pushesEnabled: Bool
    /// Whether the account marked the friend as a favourite (rule 9.5).
    public var isFavourite: Bool
    public var plans: Plans
    public var archivedAt: Instant?
    /// The day on which the plant was last brought back; nil if never (rule 1.8).
    public var restoredOn: CivilDay?
    /// Grows with each command that changes the plant (rule 14.1), from 1.
    public var version: Int
    /// When a command last changed the plant; nil if a program before migration 14 did, which noted no time.
    public var modifiedAt: Instant?

    public init(
        id: ID, accountID: Account.ID, name: ContactName, phone: PhoneNumber, nickname: Nickname, birthday: Birthday?,
        cycle: Cycle, alarmTime: TimeOfDay, plantedOn: CivilDay, lastWateredOn: CivilDay?, dueOn: CivilDay,
        dueSource: DueSource, affection: Affection, wateringCount: Int, postponementCount: Int, pushesEnabled: Bool,
        isFavourite: Bool = false, plans: Plans, archivedAt: Instant?, restoredOn: CivilDay? = nil, version: Int = 1,
        modifiedAt: Instant? = nil, originalDueOn: CivilDay? = nil, pausedDays: PausedDays = .none
    ) {
        self.id = id
        self.accountID = accountID
        self.name = name
        self.phone = phone
        self.nickname = nickname
        self.birthday = birthday
        self.cycle = cycle
        self.alarmTime = alarmTime
        self.plantedOn = plantedOn
        self.lastWateredOn = lastWateredOn
        self.dueOn = dueOn
        self.dueSource = dueSource
        self.affection = affection
        self.wateringCount = wateringCount
        self.postponementCount = postponementCount
        self.pushesEnabled = pushesEnabled
        self.isFavourite = isFavourite
        self.plans = plans
        self.archivedAt = archivedAt
        self.restoredOn = restoredOn
        self.version = version
        self.modifiedAt = modifiedAt
        self.originalDueOn = originalDueOn
        self.pausedDays = pausedDays
    }

    /// Begins a command that changes the plant.
    public mutating func beginChange(at now: Instant) {
        version += 1
        modifiedAt = now
    }

    /// The day from which the gauge and an edited cycle count: the last watering or the registration (rule 2.3), or the
    /// day on which the plant was brought back, if that is later (rule 1.8).
    public var anchor: CivilDay {
        Plant.anchor(plantedOn: plantedOn, lastWateredOn: lastWateredOn, restoredOn: restoredOn)
    }

    static func anchor(plantedOn: CivilDay, lastWateredOn: CivilDay?, restoredOn: CivilDay?) -> CivilDay {
        let wateredOn = lastWateredOn ?? plantedOn
        return restoredOn.map { max($0, wateredOn) } ?? wateredOn
    }

    /// Days left and gauge on a civil day (rules 2.1–2.3).
    public func dDay(on today: CivilDay) -> DDay {
        DDay(dueOn: dueOn, withersOn: withersOn, anchor: anchor, today: today)
    }

    /// Where it stands in lists.
    public var place: PlantPlace { PlantPlace(dueOn: dueOn, affection: affection, nickname: nickname, id: id) }

    /// The plants in the order of rule 2.4.
    public static func listed(_ plants: [Plant]) -> [Plant] {
        let order = PlantPlace.order(plants.map(\.place))
        return order.elementsEqual(plants.indices) ? plants : order.map { plants[$0] }
    }

    func requireLiving(_ zone: TimeZoneRules) throws(CareError) {
        if let archivedAt { throw .archived(since: zone.day(at: archivedAt)) }
    }
}

/// What somebody searches plants for (rule 8.1).
public struct PlantSearch: Sendable {
    private let wanted: String
    /// What a phone must contain; nil if the text is none of a phone.
    private let digits: String?

    /// - Parameter text: as it was written; empty finds every plant.
    public init(_ text: String) {
        wanted = TidyText.tidy(text).lowercased()
        let digits = wanted.filter(\.isNumber)
        let isPhone = !digits.isEmpty && wanted.allSatisfy { $0.isNumber || " -+().".contains($0) }
        self.digits =
            isPhone ? digits.hasPrefix("0") && digits.count > 1 ? String(digits.dropFirst()) : digits : nil
    }

    /// Whether name, nickname, or phone contains the text, ignoring case. Phones also match in national format, with a
    /// leading 0 and dashes.
    public func matches(_ plant: Plant) -> Bool { matches(plant.name, plant.nickname, plant.phone) }

    /// The same for a plant in a list.
    public func matches(_ plant: PlantGlance) -> Bool { matches(plant.name, plant.nickname, plant.phone) }

    private func matches(_ name: ContactName, _ nickname: Nickname, _ phone: PhoneNumber) -> Bool {
        if wanted.isEmpty { return true }
        if [name.description, nickname.description].contains(where: { $0.lowercased().contains(wanted) }) {
            return true
        }
        return digits.map { phone.description.contains($0) } ?? false
    }
}

/// What an account chooses when it registers a friend (rule 1.1).
public struct Registration: Sendable {
    public var name: ContactName
    public var phone: PhoneNumber
    public var nickname: Nickname
    public var birthday: Birthday?
    public var cycle: Cycle
    public var alarmTime: TimeOfDay
    public var isFavourite: Bool

    public init(
        name: ContactName, phone: PhoneNumber, nickname: Nickname, birthday: Birthday?, cycle: Cycle,
        alarmTime: TimeOfDay = .defaultAlarm, isFavourite: Bool = false
    ) {
        self.name = name
        self.phone = phone
        self.nickname = nickname
        self.birthday = birthday
        self.cycle = cycle
        self.alarmTime = alarmTime
        self.isFavourite = isFavourite
    }
}

/// The changes that an account may make to a plant; nil leaves a field unchanged (rule 1.7).
public struct PlantEdit: Sendable {
    /// Set if a new name or phone was requested, which is refused (rule 1.1).
    public var changesIdentity = false
    public var nickname: String?
    public var birthday: Birthday??
    public var cycle: Cycle?
    public var alarmTime: TimeOfDay?
    public var pushesEnabled: Bool?
    public var isFavourite: Bool?

    public init() {}
}

extension Plant {
    /// Registers a friend: the first due date is today plus the cycle (rule 1.4).
    ///
    /// - Parameters:
    ///   - firstDueIn: Days until the first watering is due, from 1 to the cycle, if an import spreads many new friends
    ///     over their cycles (rule 1.9); nil means the whole cycle.
    ///   - pausedDays: by the pauses of the account and of the friend's tags.
    public static func register(
        _ registration: Registration, id: ID, for account: Account, in context: CommandContext,
        firstDueIn days: Int? = nil, pausedDays: PausedDays = .none
    ) -> (plant: Plant, occurrences: [Occurrence]) {
        let cycleDays = registration.cycle.days
        let dueOn = context.today + min(max(days ?? cycleDays, 1), cycleDays)
        var plant = Plant(
            id: id, accountID: account.id, name: registration.name, phone: registration.phone,
            nickname: registration.nickname, birthday: registration.birthday, cycle: registration.cycle,
            alarmTime: registration.alarmTime, plantedOn: context.today, lastWateredOn: nil,
            dueOn: dueOn, dueSource: .registration,
            affection: Affection(),
            wateringCount: 0, postponementCount: 0, pushesEnabled: true,
            isFavourite: registration.isFavourite, plans: Plans(), archivedAt: nil, modifiedAt: context.now,
            pausedDays: pausedDays)
        plant.setDue(dueOn, .registration)
        let occurrences = plant.replan(for: account, in: context)
        return (plant, occurrences)
    }

    /// Applies an edit. Only a changed cycle moves the due date, and never to before today (rule 1.7).
    ///
    /// - Throws: ``CareError/identityFixed``, ``CareError/archived(since:)``, ``CareError/invalidNickname``.
    public mutating func edit(_ edit: PlantEdit, for account: Account, in context: CommandContext) throws(CareError)
        -> [Occurrence]
    {
        if edit.changesIdentity { throw .identityFixed }
        try requireLiving(context.zone)
        if let text = edit.nickname { nickname = try Nickname(text, for: name) }
        if let newBirthday = edit.birthday {
            // The date changed: pushes planned for the old one no longer count, not even during delivery.
            if newBirthday?.month != birthday?.month || newBirthday?.day != birthday?.day {
                plans.birthday = nil
                plans.passedBirthday = nil
            }
            birthday = newBirthday
        }
        if let newAlarmTime = edit.alarmTime { alarmTime = newAlarmTime }
        if let enabled = edit.pushesEnabled { pushesEnabled = enabled }
        if let favourite = edit.isFavourite { isFavourite = favourite }
        if let newCycle = edit.cycle, newCycle != cycle {
            cycle = newCycle
            setDue(max(anchor + newCycle.days, context.today), .edit)
        }
        // Other edits affect no plans: an alarm that is past stays past.
        guard edit.cycle != nil || edit.alarmTime != nil || edit.birthday != nil else { return [] }
        return replan(for: account, in: context)
    }

    /// Adopts a corrected name from the address book (rule 1.1), and returns whether it differs.
    ///
    /// - Throws: ``CareError/archived(since:)``.
    public mutating func correctName(_ newName: ContactName, in context: CommandContext) throws(CareError) -> Bool {
        try requireLiving(context.zone)
        guard newName != name else { return false }
        // A default nickname follows the name.
        if try nickname == Nickname(nil, for: name) { nickname = try Nickname(nil, for: newName) }
        name = newName
        return true
    }

    /// Removes the plant: it gets no more pushes, but keeps its history (rule 1.8).
    ///
    /// - Throws: ``CareError/archived(since:)`` if it is already removed.
    public mutating func remove(in context: CommandContext) throws(CareError) {
        try requireLiving(context.zone)
        archivedAt = context.now
    }

    /// Brings a removed plant back as if registered today: it keeps affection and history, and its cycle starts over
    /// (rule 1.8).
    ///
    /// - Parameter pausedDays: by the pauses of the account, of the friend's tags and of its own, as they are now.
    public mutating func restore(
        for account: Account, in context: CommandContext, pausedDays: PausedDays = .none
    ) -> [Occurrence] {
        guard archivedAt != nil else { return [] }
        archivedAt = nil
        restoredOn = context.today
        self.pausedDays = pausedDays
        setDue(context.today + cycle.days, .registration)
        return replan(for: account, in: context)
    }

    /// Postpones the due date by 1 to 7 days, on D-day only, or as long as a pause keeps the plant from withering after it
    /// (rules 6 and 13.1).
    ///
    /// - Parameters:
    ///   - seen: The due date that the person saw; nil does not check it (rule 14.3).
    ///   - madeAt: When the person decided it, by the device's clock: judged as of then. nil means now.
    /// - Throws: ``CareError/archived(since:)``, ``CareError/invalidDays(_:)``, ``CareError/notYetDue(daysLeft:)``,
    ///   ``CareError/withered(daysOver:)``, ``CareError/dueDateChanged(_:)``, ``CareError/madeTooLongAgo(_:days:)``.
    public mutating func postpone(
        days: Int, fromDueOn seen: CivilDay? = nil, madeAt: Instant? = nil, for account: Account,
        in context: CommandContext
    ) throws(CareError) -> (postponement: Postponement, occurrences: [Occurrence]) {
        try requireLiving(context.zone)
        guard Postponement.range.contains(days) else { throw .invalidDays(days) }
        if let seen, seen != dueOn { throw .dueDateChanged(dueOn) }
        let dDay = dDay(on: try context.day(madeAt: madeAt))
        switch dDay.condition {
        case .thriving: throw .notYetDue(daysLeft: dDay.daysLeft)
        case .withered: throw .withered(daysOver: -dDay.daysLeft)
        case .thirsty: break
        }
        postponementCount += 1
        let postponement = Postponement(number: postponementCount, fromDueOn: dueOn, days: days)
        setDue(postponement.dueOn, .postponement)
        return (postponement, replan(for: account, in: context))
    }
}

/// A move of the due date by 1 to 7 days (rule 6).
public struct Postponement: Hashable, Sendable {
    public static let range = 1...7

    /// 1, 2, 3 … within its plant.
    public let number: Int
    public let fromDueOn: CivilDay
    public let days: Int

    public var dueOn: CivilDay { fromDueOn + days }

    public init(number: Int, fromDueOn: CivilDay, days: Int) {
        self.number = number
        self.fromDueOn = fromDueOn
        self.days = days
    }
}
