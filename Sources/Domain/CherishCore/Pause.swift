/// A span of days on which an account, the friends with a tag, or one friend is left in peace (rule 13.1).
public struct Pause: Hashable, Sendable {
    public typealias ID = Identifier<Pause>

    /// Whom it is for.
    public enum Scope: Hashable, Sendable {
        /// All friends, and the alerts of things.
        case account
        case tag(Tag.ID)
        case friend(Plant.ID)
    }

    /// The longest, in days.
    public static let mostDays = 366
    /// How many days back one may begin.
    public static let daysBack = 7
    /// The most of an account, those that are over included.
    public static let mostPerAccount = 100

    public let id: ID
    public let scope: Scope
    /// The first and the last day.
    public private(set) var days: ClosedRange<CivilDay>
    /// Whether what is due on the first day after it is spread over the cycles (rule 13.2).
    public private(set) var isSpread: Bool

    /// Trusts what was stored.
    package init(stored id: ID, _ scope: Scope, _ days: ClosedRange<CivilDay>, isSpread: Bool) {
        (self.id, self.scope, self.days, self.isSpread) = (id, scope, days, isSpread)
    }

    /// Begins a pause.
    ///
    /// - Throws: ``CareError/invalidPause(_:)``.
    public init(
        id: ID, _ scope: Scope, from first: CivilDay, to last: CivilDay, isSpread: Bool, today: CivilDay
    ) throws(CareError) {
        (self.id, self.scope, self.isSpread) = (id, scope, isSpread)
        guard first >= today + -Pause.daysBack else { throw .invalidPause(.tooEarly(today + -Pause.daysBack)) }
        days = try Pause.days(from: first, to: last, today: today)
    }

    /// Changes the days, or whether what is due after it is spread. What has begun keeps its first day.
    ///
    /// - Parameters:
    ///   - last: yesterday ends a pause that has begun.
    /// - Throws: ``CareError/invalidPause(_:)``.
    public mutating func edit(
        from first: CivilDay?, to last: CivilDay?, isSpread: Bool?, today: CivilDay
    ) throws(CareError) {
        guard days.upperBound >= today else { throw .invalidPause(.isOver) }
        if let first, first != days.lowerBound {
            guard days.lowerBound > today, first >= today else { throw .invalidPause(.hasBegun) }
        }
        days = try Pause.days(from: first ?? days.lowerBound, to: last ?? days.upperBound, today: today)
        self.isSpread = isSpread ?? self.isSpread
    }

    /// Ends it, so that today is no part of it.
    ///
    /// - Returns: whether it has been one: false if it had not begun before today, so that nothing is left of it.
    /// - Throws: ``CareError/invalidPause(_:)`` if it is over already.
    public mutating func end(today: CivilDay) throws(CareError) -> Bool {
        guard days.upperBound >= today else { throw .invalidPause(.isOver) }
        guard days.lowerBound < today else { return false }
        days = days.lowerBound...today + -1
        return true
    }

    private static func days(
        from first: CivilDay, to last: CivilDay, today: CivilDay
    ) throws(CareError) -> ClosedRange<CivilDay> {
        guard first <= last else { throw .invalidPause(.isBackwards) }
        guard last - first < mostDays else { throw .invalidPause(.tooLong) }
        guard last >= today else { throw .invalidPause(.isPast) }
        return first...last
    }
}

/// Why a pause cannot be as somebody wants it (rule 13.1).
public enum PauseProblem: Hashable, Sendable {
    case isBackwards, tooLong, isPast, isOver, hasBegun, tooMany, isOfTagAndFriend
    /// With the earliest day.
    case tooEarly(CivilDay)
}

/// The days on which a plant, or the alerts of an account's things, are paused: the union of some pauses (rule 13.1).
public struct PausedDays: Hashable, Sendable {
    public static let none = PausedDays([])

    /// In order, with days between them.
    public let spans: [ClosedRange<CivilDay>]
    /// The first days after pauses for which spreading was asked (rule 13.2), in order.
    public let spreadDays: [CivilDay]

    public init(_ pauses: some Sequence<Pause>) {
        let pauses = pauses.sorted { $0.days.lowerBound < $1.days.lowerBound }
        let spans: [ClosedRange<CivilDay>] = pauses.reduce(into: []) { spans, pause in
            guard let last = spans.last, pause.days.lowerBound <= last.upperBound + 1 else {
                spans.append(pause.days)
                return
            }
            spans[spans.count - 1] = last.lowerBound...max(last.upperBound, pause.days.upperBound)
        }
        self.spans = spans
        // Where another pause goes on, the wish goes with it.
        let spread = pauses.filter(\.isSpread).map(\.days.upperBound)
        spreadDays = spans.filter { span in spread.contains(where: span.contains) }.map { $0.upperBound + 1 }
    }

    /// Trusts what was stored.
    package init(stored spans: [ClosedRange<CivilDay>], spreadDays: [CivilDay] = []) {
        (self.spans, self.spreadDays) = (spans, spreadDays)
    }

    /// Whether a day belongs to a pause.
    public func contains(_ day: CivilDay) -> Bool { spans.contains { $0.contains(day) } }

    /// The last day of the pause that a day belongs to; nil if it is not paused.
    public func lastDay(from day: CivilDay) -> CivilDay? { spans.first { $0.contains(day) }?.upperBound }

    /// The day itself, or the first one after the pause that it belongs to.
    public func firstUnpaused(from day: CivilDay) -> CivilDay { lastDay(from: day).map { $0 + 1 } ?? day }

    /// Where a due date moves: to the first day after the pause, or where spreading was asked for, to one of as many days
    /// from there as the cycle has (rule 13.2).
    func dueDate(for day: CivilDay, _ cycle: Cycle, of plant: Plant.ID) -> CivilDay {
        let first = firstUnpaused(from: day)
        guard spreadDays.contains(first) else { return first }
        return firstUnpaused(from: first + (CycleSpread.firstDueIn(cycle, for: plant) - 1))
    }
}

extension Plant {
    /// Sets the due date. One that falls into a pause moves (rule 13.2).
    mutating func setDue(_ day: CivilDay, _ source: DueSource) {
        dueOn = pausedDays.dueDate(for: day, cycle, of: id)
        originalDueOn = dueOn == day ? nil : day
        dueSource = source
    }

    /// The due date that a command set, before a pause moved it.
    public var ownDueOn: CivilDay { originalDueOn ?? dueOn }

    /// The first day on which the plant is withered, unless it is watered: the first unpaused one after the due date (rules 2.2
    /// and 13.1).
    public var withersOn: CivilDay { pausedDays.firstUnpaused(from: dueOn + 1) }

    /// Whether pauses decide when it is due, or withers.
    public var isMovedByPause: Bool { dueOn != ownDueOn || withersOn != dueOn + 1 }

    /// Takes over the pauses as they are now (rule 13.2), and replans what that moves.
    ///
    /// - Returns: the occurrences to add to the calendar.
    public mutating func adopt(_ pauses: PausedDays, for account: Account, in context: CommandContext) -> [Occurrence] {
        guard archivedAt == nil, pauses != pausedDays else { return [] }
        let before = (dueOn, withersOn)
        pausedDays = pauses
        moveDueDate(today: context.today)
        return (dueOn, withersOn) == before ? [] : replan(for: account, in: context)
    }

    private mutating func moveDueDate(today: CivilDay) {
        // A due date that has come stays, unless a pause has begun by then.
        guard dueOn > today || pausedDays.contains(dueOn) else { return }
        let own = ownDueOn
        var moved = pausedDays.dueDate(for: own, cycle, of: id)
        if moved < today { moved = pausedDays.dueDate(for: today, cycle, of: id) }
        guard moved != dueOn else { return }
        dueOn = moved
        originalDueOn = moved == own ? nil : own
    }
}

extension Pause.Scope {
    /// The tag that a pause is for.
    public var tag: Tag.ID? {
        guard case .tag(let id) = self else { return nil }
        return id
    }

    /// The friend that a pause is for.
    public var friend: Plant.ID? {
        guard case .friend(let id) = self else { return nil }
        return id
    }
}

extension Sequence<Pause> {
    /// When a friend is paused.
    ///
    /// - Parameter plant: nil for one who is being registered.
    public func days(of plant: Plant.ID?, tagIDs: some Sequence<Tag.ID>) -> PausedDays {
        let tagIDs = Set(tagIDs)
        return PausedDays(
            filter { pause in
                switch pause.scope {
                case .account: true
                case .tag(let id): tagIDs.contains(id)
                case .friend(let id): id == plant
                }
            })
    }

    /// When the whole account is paused.
    public var daysOfAccount: PausedDays { PausedDays(filter { $0.scope == .account }) }
}
