/// Puts the edits of one item in the order in which people made them (rule 14.3).
///
/// Devices send edits late and in any order. Each part of an item, such as a nickname or a due day, has the second in which it was
/// last edited. Of two edits of a part the newer wins, whichever arrives first; in a tie, the later arrival. An edit without a time
/// was made by somebody who sees the item as it is, and always wins.
public struct EditOrder: Sendable {
    /// For how many days the times are known. Older edits are refused.
    public static let daysKept = 90
    /// How far a device's clock may be ahead. Later times count as this one.
    public static let mostMinutesAhead = 1

    /// When each part was last edited, to the second.
    public private(set) var times: [String: Instant]
    /// The second of the edit that is judged.
    private let second: Instant
    private var wonCount = 0
    private var lostCount = 0

    /// Begins to judge an edit.
    ///
    /// - Parameters:
    ///   - times: when each part of the item was last edited.
    ///   - madeAt: when the person made this edit, by the device's clock; nil if it has no time.
    /// - Throws: ``CareError/madeTooLongAgo(_:days:)``.
    public init(_ times: [String: Instant] = [:], madeAt: Instant?, now: Instant) throws(CareError) {
        let oldest = now.adding(hours: -24 * Self.daysKept)
        self.times = times.filter { $0.value >= oldest }
        guard let madeAt else {
            second = max(now.wholeSecond, self.times.values.max() ?? now.wholeSecond)
            return
        }
        if madeAt < oldest {
            throw .madeTooLongAgo(madeAt.dayInUTC, days: Self.daysKept)
        }
        second = min(madeAt, now.adding(minutes: Self.mostMinutesAhead)).wholeSecond
    }

    /// Whether the edit changed parts, so that ``times`` must be kept.
    public var hasWon: Bool { wonCount > 0 }

    /// Whether newer edits have overtaken every part of this one, so that nothing is left of it.
    public var isOvertaken: Bool { lostCount > 0 && wonCount == 0 }

    /// Whether the edit of a part wins.
    public mutating func wins(_ part: String) -> Bool {
        if let known = times[part], known > second {
            lostCount += 1
            return false
        }
        wonCount += 1
        times[part] = second
        return true
    }

    /// Takes the new value of a part out of an edit unless it wins; nil is no edit.
    package mutating func settle<Value>(_ part: String, _ value: inout Value?) {
        if value != nil, !wins(part) { value = nil }
    }

    /// Judges a deletion: it beats older edits, and gives way to newer ones.
    ///
    /// - Throws: ``CareError/editedSince`` if a part was edited after the person deleted the item.
    public mutating func delete() throws(CareError) {
        if let newest = times.values.max(), newest > second { throw .editedSince }
        _ = wins(Self.removal)
    }

    /// Judges that a removed item was brought back: older deletions no longer count.
    public mutating func restore() { _ = wins(Self.removal) }

    private static let removal = "removed"
}

extension PlantEdit {
    /// Leaves out the parts that newer edits have overtaken.
    public mutating func settle(in order: inout EditOrder) {
        order.settle("nickname", &nickname)
        order.settle("birthday", &birthday)
        order.settle("cycleDays", &cycle)
        order.settle("alarmTime", &alarmTime)
        order.settle("pushesEnabled", &pushesEnabled)
        order.settle("favourite", &isFavourite)
    }
}

extension ThingEdit {
    /// Leaves out the parts that newer edits have overtaken.
    public mutating func settle(in order: inout EditOrder) {
        order.settle("title", &title)
        order.settle("dueOn", &dueOn)
        order.settle("dueTime", &dueTime)
        order.settle("note", &note)
        order.settle("favourite", &isFavourite)
        order.settle("category", &category)
        order.settle("boughtOn", &boughtOn)
        order.settle("storeId", &store)
        order.settle("orderNumber", &orderNumber)
        order.settle("alerts", &alerts)
        order.settle("notice", &repetition)
        order.settle("pushesEnabled", &pushesEnabled)
        order.settle("recurrence", &recurrence)
    }
}

extension ShoppingListEdit {
    /// Leaves out the parts that newer edits have overtaken.
    public mutating func settle(in order: inout EditOrder) {
        order.settle("title", &title)
        order.settle("note", &note)
        order.settle("deliveryNote", &deliveryNote)
        order.settle("entries", &entries)
    }
}

extension Instant {
    fileprivate var wholeSecond: Instant { Instant(secondsSinceEpoch: secondsSinceEpoch) }

    fileprivate var dayInUTC: CivilDay {
        CivilDay(daysSinceEpoch: Int32(clamping: secondsSinceEpoch.floorDivided(by: 86_400).quotient))
    }
}
