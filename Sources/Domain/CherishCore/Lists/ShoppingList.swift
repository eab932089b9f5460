/// What somebody who cannot go out needs from a shop, and what the neighbour who fetches it has done (rule 11).
///
/// A list belongs to its owner. Every other account is its helper, from acceptance on, or a stranger.
public struct ShoppingList: Hashable, Sendable {
    public typealias ID = Identifier<ShoppingList>

    /// The state of a list at an instant. It is computed from times and never stored (rule 11.2).
    public enum State: String, CaseIterable, Sendable {
        /// Only the owner knows of it.
        case draft
        /// Neighbours find it.
        case open
        /// A helper has it.
        case accepted
        case delivered, expired, cancelled
    }

    /// Something to buy.
    public struct Entry: Hashable, Sendable {
        public let name: EntryName
        public let quantity: EntryQuantity?
        /// Whether the helper has it.
        public internal(set) var isBought = false

        public init(name: EntryName, quantity: EntryQuantity? = nil) {
            (self.name, self.quantity) = (name, quantity)
        }

        /// As it is stored.
        package init(name: EntryName, quantity: EntryQuantity?, isBought: Bool) {
            (self.name, self.quantity, self.isBought) = (name, quantity, isBought)
        }
    }

    /// Who fetches it.
    public struct Acceptance: Hashable, Sendable {
        public let helperID: Account.ID
        public let acceptedAt: Instant
        /// What kind of receipt the helper has attached; nil without one.
        public internal(set) var receipt: ShoppingReceipt.Format?

        public init(helperID: Account.ID, acceptedAt: Instant, receipt: ShoppingReceipt.Format? = nil) {
            (self.helperID, self.acceptedAt, self.receipt) = (helperID, acceptedAt, receipt)
        }
    }

    /// How many entries a list has at most (rule 11.1).
    public static let mostEntries = 100
    /// For how long neighbours find a list: 7 days (rule 11.2).
    public static let hoursOpen = 168
    /// How long a helper has at least, and how long after the opening a list ends at the latest: 9 days (rule 11.2).
    public static let hoursToHelp = 48, mostHours = 216
    /// For how long after the end the helper still sees the list, reads where to leave the shopping, and may attach a receipt
    /// (rules 11.4 and 11.6).
    public static let hoursOfDeliveryNote = 24
    /// For how many days after the delivery the owner may rate the helper (rule 11.6).
    public static let daysToRate = 30

    public let id: ID
    public let ownerID: Account.ID
    public let createdAt: Instant
    public internal(set) var title: ThingTitle
    public internal(set) var note: ThingNote?
    /// Where to leave the shopping. Nobody but the owner and the helper reads it.
    public internal(set) var deliveryNote: DeliveryNote?
    public internal(set) var entries: [Entry]
    public internal(set) var openedAt: Instant?
    public internal(set) var acceptance: Acceptance?
    public internal(set) var deliveredAt: Instant?
    public internal(set) var cancelledAt: Instant?
    public internal(set) var rating: HelperRating?
    /// Grows with each change (rule 14.1), from 1.
    public internal(set) var version: Int
    public internal(set) var modifiedAt: Instant

    /// A draft, or a list as it is stored.
    package init(
        id: ID, ownerID: Account.ID, createdAt: Instant, title: ThingTitle, note: ThingNote?,
        deliveryNote: DeliveryNote?,
        entries: [Entry], openedAt: Instant? = nil, acceptance: Acceptance? = nil, deliveredAt: Instant? = nil,
        cancelledAt: Instant? = nil, rating: HelperRating? = nil, version: Int, modifiedAt: Instant
    ) {
        (self.id, self.ownerID, self.createdAt, self.title) = (id, ownerID, createdAt, title)
        (self.note, self.deliveryNote, self.entries) = (note, deliveryNote, entries)
        (self.openedAt, self.acceptance, self.deliveredAt) = (openedAt, acceptance, deliveredAt)
        (self.cancelledAt, self.rating, self.version, self.modifiedAt) = (cancelledAt, rating, version, modifiedAt)
    }

    /// The instant at which the list ends if nothing else ends it (rule 11.2); nil for a draft.
    public var expiresAt: Instant? {
        guard let openedAt else { return nil }
        let ownExpiry = openedAt.adding(hours: Self.hoursOpen)
        guard let acceptance else { return ownExpiry }
        let helped = max(ownExpiry, acceptance.acceptedAt.adding(hours: Self.hoursToHelp))
        return min(helped, openedAt.adding(hours: Self.mostHours))
    }

    /// The state at an instant (rule 11.2).
    public func state(at now: Instant) -> State {
        if cancelledAt != nil { return .cancelled }
        if deliveredAt != nil { return .delivered }
        guard let expiresAt else { return .draft }
        if now >= expiresAt { return .expired }
        return acceptance == nil ? .open : .accepted
    }

    /// When it was delivered or cancelled, or expired; nil while it is none of these.
    public func endedAt(_ now: Instant) -> Instant? {
        cancelledAt ?? deliveredAt ?? expiresAt.flatMap { $0 <= now ? $0 : nil }
    }

    /// Whether an account may read where to leave the shopping: the owner always, the helper from acceptance until 24 hours
    /// after the end (rule 11.4).
    public func showsDeliveryNote(to account: Account.ID, at now: Instant) -> Bool {
        if account == ownerID { return true }
        guard account == acceptance?.helperID else { return false }
        return endedAt(now).map { now < $0.adding(hours: Self.hoursOfDeliveryNote) } ?? true
    }

    /// For how much longer neighbours find it (rule 11.3); nil if they do not.
    public func timeLeft(at now: Instant) -> Duration? {
        guard state(at: now) == .open, let expiresAt else { return nil }
        return now.duration(to: expiresAt)
    }
}
