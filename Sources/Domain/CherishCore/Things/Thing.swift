/// Something that an account must remember besides its friends: an errand, a reminder, or food (rule 10).
public struct Thing: Hashable, Sendable {
    public typealias ID = Identifier<Thing>

    /// What a thing is. It never changes.
    public enum Kind: String, CaseIterable, Sendable {
        /// Something to fetch from a shop.
        case pickup
        /// Something to bring back to a shop.
        case giveBack = "return"
        /// An appointment or a to-do.
        case reminder
        /// Something to eat before it expires.
        case food

        /// Whether it may have a time, besides a day (rule 10.2).
        public var hasTime: Bool { self != .food }
        /// Whether it may have a store and an order number.
        public var hasStore: Bool { self == .pickup || self == .giveBack }
        /// Whether it may have a day of purchase.
        public var hasPurchase: Bool { self != .reminder }
    }

    /// The state of a thing on a day. It is computed and never stored (rule 10.3).
    public enum State: String, CaseIterable, Sendable {
        case done
        case upcoming, due, overdue
        /// These take the place of the three before for food.
        case fresh, expiring, expired
    }

    /// The completion after which a thing was done.
    public struct End: Hashable, Sendable {
        /// The civil day for which it counts.
        public let completedOn: CivilDay
        public let recordedAt: Instant
        /// nil for anything but food.
        public let outcome: ThingCompletion.Outcome?

        public init(completedOn: CivilDay, recordedAt: Instant, outcome: ThingCompletion.Outcome?) {
            (self.completedOn, self.recordedAt, self.outcome) = (completedOn, recordedAt, outcome)
        }
    }

    /// The days on which things may be due: 2000-01-01 to 2099-12-31 (rule 10.2).
    public static let dueDays = CivilDay(daysSinceEpoch: 10_957)...CivilDay(daysSinceEpoch: 47_481)

    /// An alert goes on for so many days after the due day (rule 10.5).
    public static let daysOfRepetition = 7

    public let id: ID
    public let accountID: Account.ID
    public let kind: Kind
    public let createdAt: Instant
    public var title: ThingTitle
    public var note: ThingNote?
    public var isFavourite: Bool
    /// When it is due.
    public internal(set) var due: ThingDue
    /// For food only.
    public var category: FoodCategory?
    /// For everything but reminders.
    public var boughtOn: CivilDay?
    /// For pickups and returns only, as is ``orderNumber``.
    public var storeID: Store.ID?
    public var orderNumber: OrderNumber?
    /// The alerts that the account chose; nil for those of rule 10.4.
    public internal(set) var chosenAlerts: [ThingAlert]?
    public internal(set) var repetition: AlertRepetition
    /// Whether its alerts are sent (rule 10.13).
    public var pushesEnabled: Bool
    public internal(set) var recurrence: Recurrence?
    /// The first day of the series from which ``recurrence`` counts: the due day that a person chose last.
    public internal(set) var seriesStart: CivilDay
    /// How often it was completed, completions that were undone included.
    public internal(set) var completionCount: Int
    /// How it ended; nil while it is open.
    public internal(set) var end: End?
    /// The alerts that the calendar holds.
    public internal(set) var plans: ThingPlans
    /// Grows with each change (rule 14.1), from 1.
    public var version: Int
    /// When the account changed it last; planning is no change.
    public var modifiedAt: Instant

    package init(
        id: ID, accountID: Account.ID, kind: Kind, createdAt: Instant, title: ThingTitle, note: ThingNote?,
        isFavourite: Bool, due: ThingDue, category: FoodCategory?, boughtOn: CivilDay?, storeID: Store.ID?,
        orderNumber: OrderNumber?, chosenAlerts: [ThingAlert]?, repetition: AlertRepetition, pushesEnabled: Bool,
        recurrence: Recurrence?, seriesStart: CivilDay, completionCount: Int, end: End?, plans: ThingPlans,
        version: Int,
        modifiedAt: Instant
    ) {
        self.id = id
        self.accountID = accountID
        self.kind = kind
        self.createdAt = createdAt
        self.title = title
        self.note = note
        self.isFavourite = isFavourite
        self.due = due
        self.category = category
        self.boughtOn = boughtOn
        self.storeID = storeID
        self.orderNumber = orderNumber
        self.chosenAlerts = chosenAlerts
        self.repetition = repetition
        self.pushesEnabled = pushesEnabled
        self.recurrence = recurrence
        self.seriesStart = seriesStart
        self.completionCount = completionCount
        self.end = end
        self.plans = plans
        self.version = version
        self.modifiedAt = modifiedAt
    }

    public var isDone: Bool { end != nil }

    /// The state on a day.
    ///
    /// - Parameter warningDays: for how many days before its due day food is expiring: the account's choice.
    public func state(on today: CivilDay, warningDays: WarningDays) -> State {
        if isDone { return .done }
        let daysLeft = due.day - today
        guard kind == .food else { return daysLeft > 0 ? .upcoming : daysLeft == 0 ? .due : .overdue }
        return daysLeft < 0 ? .expired : daysLeft <= warningDays.days ? .expiring : .fresh
    }
}

/// The civil day on which a thing is due, and for some the time of the account's wall clock on that date (rule 10.2). It does
/// not move with the end of the account's days: an appointment at 01:00 is at 01:00 of its date.
public struct ThingDue: Hashable, Sendable {
    public var day: CivilDay
    public var time: TimeOfDay?

    public init(day: CivilDay, time: TimeOfDay? = nil) {
        (self.day, self.time) = (day, time)
    }
}

/// For how many days before its due day food is expiring, through that day: 0–30 (rule 10.3).
public struct WarningDays: Hashable, Sendable {
    public static let range = 0...30
    public static let usual = WarningDays(unchecked: 3)

    public let days: Int

    /// - Throws: ``ThingError/invalidWarningDays(_:)``.
    public init(_ days: Int) throws(ThingError) {
        guard WarningDays.range.contains(days) else { throw .invalidWarningDays(days) }
        self.days = days
    }

    private init(unchecked days: Int) {
        self.days = days
    }
}

/// One completion of a thing (rule 10.8).
public struct ThingCompletion: Hashable, Sendable {
    /// How food ended (rule 10.7).
    public enum Outcome: String, CaseIterable, Sendable {
        case eaten
        case thrownAway = "thrown_away"
    }

    /// 1, 2, 3 … within its thing. That of a completion that was undone is not used again.
    public let number: Int
    /// The civil day for which it counts.
    public let completedOn: CivilDay
    public let recordedAt: Instant
    /// nil for anything but food.
    public let outcome: Outcome?
    /// When the thing was due.
    public let dueOn: CivilDay
    /// The due day that it set; nil if the thing is done.
    public let nextDueOn: CivilDay?
    /// The first day of the series before the completion, which a reopening brings back.
    public let seriesStart: CivilDay

    public init(
        number: Int, completedOn: CivilDay, recordedAt: Instant, outcome: Outcome?, dueOn: CivilDay,
        nextDueOn: CivilDay?, seriesStart: CivilDay
    ) {
        self.number = number
        self.completedOn = completedOn
        self.recordedAt = recordedAt
        self.outcome = outcome
        self.dueOn = dueOn
        self.nextDueOn = nextDueOn
        self.seriesStart = seriesStart
    }
}
