import Foundation

/// The help of an account with somebody's list, as the helper's lane knows it (rule 11.4).
///
/// The list itself lies in its owner's lane, and is the truth. This is a claim at first; news from the list confirms it, and
/// keeps it up to date (decision 58).
public struct HelpedList: Hashable, Sendable {
    /// How old a claim may be when it arrives at the list, and how old it must be before somebody else may have its slot, in
    /// seconds. The time between is for clocks that differ.
    public static let secondsToAccept = 30, secondsClaimed = 60
    /// How many hours before the end the helper is warned (rule 11.5).
    public static let hoursExpiring = 6

    public let listID: ShoppingList.ID
    public let helperID: Account.ID
    public let ownerID: Account.ID
    /// Which of the helper's five places it takes, from 1; nil once it takes none.
    public internal(set) var slot: Int?
    public internal(set) var claimedAt: Instant
    public internal(set) var ownerNickname: String
    /// nil while it is only claimed.
    public internal(set) var acceptedAt: Instant?
    public internal(set) var openedAt: Instant?
    public internal(set) var expiresAt: Instant?
    /// When it was delivered or cancelled.
    public internal(set) var endedAt: Instant?
    /// When the helper gave it back last.
    public internal(set) var releasedAt: Instant?
    /// How often the helper has accepted it, and given it back.
    public internal(set) var acceptanceCount = 0, releaseCount = 0
    /// The version of the list that is known; 0 before any is.
    public internal(set) var listVersion: Int
    public internal(set) var plans: ListPlans

    /// A claim.
    public init(_ list: ShoppingList.ID, of owner: Account.ID, by helper: Account.ID, slot: Int, at now: Instant) {
        self.init(
            listID: list, helperID: helper, ownerID: owner, slot: slot, claimedAt: now, ownerNickname: "",
            listVersion: 0, plans: ListPlans())
    }

    /// As it is stored.
    package init(
        listID: ShoppingList.ID, helperID: Account.ID, ownerID: Account.ID, slot: Int?, claimedAt: Instant,
        ownerNickname: String, acceptedAt: Instant? = nil, openedAt: Instant? = nil, expiresAt: Instant? = nil,
        endedAt: Instant? = nil, releasedAt: Instant? = nil, acceptanceCount: Int = 0, releaseCount: Int = 0,
        listVersion: Int, plans: ListPlans
    ) {
        (self.listID, self.helperID, self.ownerID) = (listID, helperID, ownerID)
        (self.slot, self.claimedAt, self.ownerNickname) = (slot, claimedAt, ownerNickname)
        (self.acceptedAt, self.openedAt, self.expiresAt) = (acceptedAt, openedAt, expiresAt)
        (self.endedAt, self.releasedAt, self.listVersion, self.plans) = (endedAt, releasedAt, listVersion, plans)
        (self.acceptanceCount, self.releaseCount) = (acceptanceCount, releaseCount)
    }

    /// Claims it once more.
    public mutating func claim(slot: Int, at now: Instant) {
        (self.slot, claimedAt, acceptedAt, endedAt) = (slot, now, nil, nil)
    }

    /// Whether a claim is young enough for the list to accept it.
    public static func isInTime(claimedAt: Instant, at now: Instant) -> Bool {
        now < claimedAt.adding(microseconds: Int64(secondsToAccept) * 1_000_000)
    }

    /// Gives up a claim that the list refused.
    public mutating func giveUp() { slot = nil }

    /// Whether it takes one of the five places: while the list is accepted, and while a claim may still be confirmed.
    public func takesSlot(at now: Instant) -> Bool {
        guard slot != nil else { return false }
        guard acceptedAt != nil else {
            return now < claimedAt.adding(microseconds: Int64(Self.secondsClaimed) * 1_000_000)
        }
        return expiresAt.map { now < $0 } ?? true
    }

    /// Whether the helper may still rely on it.
    public func isCurrent(at now: Instant) -> Bool { acceptedAt != nil && takesSlot(at: now) }

    /// Takes what is new of the list. An older version changes nothing, so news may come twice and in any order.
    ///
    /// - Parameters:
    ///   - list: as it is now in its owner's lane; nil if it is gone with its owner.
    ///   - nickname: the owner's.
    /// - Returns: the pushes that are planned anew.
    public mutating func learn(_ list: ShoppingList?, ownerNickname nickname: String, in context: CommandContext)
        -> [ListPlans.Event]
    {
        guard let list else { return gone(in: context) }
        guard list.version > listVersion else { return [] }
        listVersion = list.version
        guard let acceptance = list.acceptance, acceptance.helperID == helperID else {
            if acceptedAt != nil {
                (acceptedAt, releasedAt) = (nil, context.now)
                releaseCount += 1
                return end(telling: nil, in: context)
            }
            // A claim that may still arrive at the list keeps its place, whatever older news says.
            return takesSlot(at: context.now) ? [] : end(telling: nil, in: context)
        }
        let before = plans
        if acceptance.acceptedAt != acceptedAt { acceptanceCount += 1 }
        ownerNickname = nickname
        (acceptedAt, openedAt, expiresAt) = (acceptance.acceptedAt, list.openedAt, list.expiresAt)
        if let cancelledAt = list.cancelledAt {
            if endedAt != nil { return [] }
            endedAt = cancelledAt
            return end(telling: .listCancelled, in: context)
        }
        if let deliveredAt = list.deliveredAt {
            endedAt = deliveredAt
            return end(telling: nil, in: context)
        }
        if let end = list.expiresAt {
            let warning = end.adding(hours: -Self.hoursExpiring)
            plans = ListPlans(
                expiringAt: warning > context.now ? context.aheadOfCursor(warning) : before.expiringAt,
                expiredAt: context.aheadOfCursor(end))
        }
        return plans.all.filter { !before.all.contains($0) }
    }

    private mutating func gone(in context: CommandContext) -> [ListPlans.Event] {
        guard isCurrent(at: context.now) else {
            slot = nil
            return []
        }
        endedAt = context.now
        return end(telling: .listCancelled, in: context)
    }

    private mutating func end(telling topic: Topic?, in context: CommandContext) -> [ListPlans.Event] {
        slot = nil
        let event = topic.map { ListPlans.Event(topic: $0, at: context.aheadOfCursor(context.now)) }
        plans = ListPlans(event: event)
        return plans.all
    }

    /// The occurrence of a push to the helper.
    public func occurrence(_ event: ListPlans.Event) -> Occurrence {
        Occurrence(
            at: event.at, accountID: helperID, subjectID: Subject.ID(listID.uuid), topic: event.topic,
            ref: Self.ref(of: helperID))
    }

    /// The ref of a helper's pushes, from 1: the first 20 bits of its id. The lane of the owner, whose ref is 0, and those of
    /// others who have helped before may be the same, and so may the instant at which they all are to hear something.
    static func ref(of helper: Account.ID) -> Int {
        let first = helper.uuid.uuid
        return (Int(first.0) << 12 | Int(first.1) << 4 | Int(first.2) >> 4) + 1
    }
}

/// How owners rated a helper (rule 11.6).
public struct HelperRatings: Hashable, Sendable {
    public static let none = HelperRatings(count: 0, sum: 0)

    public let count: Int
    public let sum: Int

    public init(count: Int, sum: Int) {
        (self.count, self.sum) = (count, sum)
    }

    /// Rounded to tenths; nil without ratings.
    public var mean: Double? { count == 0 ? nil : (Double(sum) / Double(count) * 10).rounded() / 10 }
}

/// How often an account may do something with lists, so that nobody floods or teases a neighbourhood (rule 11).
public enum ListLimits {
    /// Drafts of an account at a time.
    public static let drafts = 20
    /// Open and accepted lists of an owner at a time.
    public static let open = 5
    /// Acceptances of a helper in 24 hours.
    public static let acceptancesADay = 10
    /// Lists that a helper has given back in 7 days; then the helper waits.
    public static let releasesAWeek = 5
    /// Accounts that an account has blocked.
    public static let blocks = 1_000
}

extension Identifier where Owner == ShoppingList {
    /// The lane of the list's owner: the last byte, as in an account's id. So whoever has the id finds the list by one probe.
    public var lane: Lane { Lane(uuid.uuid.15) }

    /// A random id as one of a lane's.
    public init(_ random: UUID, in lane: Lane) {
        var bytes = random.uuid
        bytes.15 = lane.number
        self.init(UUID(uuid: bytes))
    }
}
