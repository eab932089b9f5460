/// What an owner says of a list when writing it (rule 11.1).
public struct ShoppingListDraft: Sendable {
    public var title: ThingTitle
    public var note: ThingNote?
    public var deliveryNote: DeliveryNote?
    public var entries: [ShoppingList.Entry]

    public init(title: ThingTitle, entries: [ShoppingList.Entry] = []) {
        (self.title, self.entries) = (title, entries)
    }
}

/// What an edit changes; nil leaves a part as it is, and the inner nil of a part with two clears it.
public struct ShoppingListEdit: Sendable {
    public var title: ThingTitle?
    public var note: ThingNote??
    public var deliveryNote: DeliveryNote??
    public var entries: [ShoppingList.Entry]?

    public init() {}
}

/// Somebody who wants to accept a list, as far as the rules ask (rule 11.4).
public struct Helper: Sendable {
    public let id: Account.ID
    public let hasConfirmedEmail: Bool

    /// How many lists a helper has at most at a time.
    public static let mostLists = 5

    public init(id: Account.ID, hasConfirmedEmail: Bool) {
        (self.id, self.hasConfirmedEmail) = (id, hasConfirmedEmail)
    }
}

// MARK: - Of the owner

extension ShoppingList {
    /// Begins a draft.
    ///
    /// - Throws: ``ShoppingListError/tooManyEntries(_:)``.
    public static func write(
        _ draft: ShoppingListDraft, id: ID, for owner: Account.ID, at now: Instant
    ) throws(ShoppingListError) -> ShoppingList {
        let list = ShoppingList(
            id: id, ownerID: owner, createdAt: now, title: draft.title, note: draft.note,
            deliveryNote: draft.deliveryNote, entries: draft.entries, version: 1, modifiedAt: now)
        try list.check()
        return list
    }

    /// Edits a draft or an open list; an accepted one is somebody's errand already (rule 11.1).
    ///
    /// - Throws: ``ShoppingListError``; then the list stays as it was.
    public mutating func edit(_ edit: ShoppingListEdit, at now: Instant) throws(ShoppingListError) {
        let state = state(at: now)
        guard state == .draft || state == .open else { throw .notPossible(state) }
        var edited = self
        edited.title = edit.title ?? title
        edited.note = edit.note ?? note
        edited.deliveryNote = edit.deliveryNote ?? deliveryNote
        edited.entries = edit.entries ?? entries
        try edited.check()
        edited.change(at: now)
        self = edited
    }

    /// Lets neighbours find a draft for 168 hours (rule 11.2).
    ///
    /// - Throws: ``ShoppingListError``.
    public mutating func open(at now: Instant) throws(ShoppingListError) {
        let state = state(at: now)
        guard state == .draft else { throw .notPossible(state) }
        if entries.isEmpty { throw .noEntries }
        openedAt = now
        change(at: now)
    }

    /// Takes a list back, until it is delivered (rule 11.7). The owner deletes a draft instead.
    ///
    /// - Throws: ``ShoppingListError/notPossible(_:)``.
    public mutating func cancel(at now: Instant) throws(ShoppingListError) {
        let state = state(at: now)
        guard state == .open || state == .accepted else { throw .notPossible(state) }
        cancelledAt = now
        change(at: now)
    }

    /// Rates the helper, once (rule 11.6).
    ///
    /// - Throws: ``ShoppingListError``.
    public mutating func rate(_ rating: HelperRating, at now: Instant) throws(ShoppingListError) {
        guard let deliveredAt, cancelledAt == nil else { throw .notPossible(state(at: now)) }
        if self.rating != nil { throw .alreadyRated }
        if now >= deliveredAt.adding(hours: Self.daysToRate * 24) { throw .rateTooLate }
        self.rating = rating
        change(at: now)
    }

    private func check() throws(ShoppingListError) {
        if entries.count > Self.mostEntries { throw .tooManyEntries(entries.count) }
        if openedAt != nil, entries.isEmpty { throw .noEntries }
    }

    private mutating func change(at now: Instant) {
        version += 1
        modifiedAt = now
    }
}

// MARK: - Of the helper

extension ShoppingList {
    /// Accepts a list: the first one wins (rule 11.4). Whoever asks twice has it still.
    ///
    /// Whether the helper has a free slot, and whether either has blocked the other, is for the caller to see: both are
    /// known in other rows.
    ///
    /// - Throws: ``ShoppingListError``.
    public mutating func accept(by helper: Helper, at now: Instant) throws(ShoppingListError) {
        guard helper.id != ownerID else { throw .ownList }
        switch state(at: now) {
        case .open: break
        case .accepted where acceptance?.helperID == helper.id: return
        case .accepted, .delivered: throw .alreadyAccepted
        case .expired: throw .listExpired
        case let state: throw .notPossible(state)
        }
        guard helper.hasConfirmedEmail else { throw .emailNotConfirmed }
        acceptance = Acceptance(helperID: helper.id, acceptedAt: now)
        change(at: now)
    }

    /// Gives a list back: it is open again for the rest of its 168 hours, or expires at once (rule 11.4). The next helper buys
    /// everything anew.
    ///
    /// - Throws: ``ShoppingListError``.
    public mutating func release(by helper: Account.ID, at now: Instant) throws(ShoppingListError) {
        try requireHelper(helper, at: now)
        acceptance = nil
        for index in entries.indices { entries[index].isBought = false }
        change(at: now)
    }

    /// Marks an entry as bought, or as not bought after all (rule 11.4).
    ///
    /// - Parameter number: of the entry, from 1.
    /// - Throws: ``ShoppingListError``.
    public mutating func mark(
        _ number: Int, isBought: Bool, by helper: Account.ID, at now: Instant
    ) throws(ShoppingListError) {
        try requireHelper(helper, at: now)
        guard entries.indices.contains(number - 1) else { throw .noSuchEntry(number) }
        if entries[number - 1].isBought == isBought { return }
        entries[number - 1].isBought = isBought
        change(at: now)
    }

    /// Says that the shopping was delivered (rule 11.5).
    ///
    /// - Throws: ``ShoppingListError``.
    public mutating func deliver(by helper: Account.ID, at now: Instant) throws(ShoppingListError) {
        try requireHelper(helper, at: now)
        deliveredAt = now
        change(at: now)
    }

    /// Attaches a receipt, in the place of an earlier one, or takes it away: from acceptance until 24 hours after the delivery
    /// (rule 11.6).
    ///
    /// - Parameter receipt: what kind it is; nil takes it away.
    /// - Throws: ``ShoppingListError``.
    public mutating func attach(
        _ receipt: ShoppingReceipt.Format?, by helper: Account.ID, at now: Instant
    ) throws(ShoppingListError) {
        if state(at: now) == .delivered, helper == acceptance?.helperID {
            guard showsDeliveryNote(to: helper, at: now) else { throw .receiptTooLate }
        } else {
            try requireHelper(helper, at: now)
        }
        if receipt == nil, acceptance?.receipt == nil { return }
        acceptance?.receipt = receipt
        change(at: now)
    }

    /// Forgets who helped, because that account is being erased. Nobody can be rated any more.
    package mutating func forgetHelper(at now: Instant) {
        acceptance = nil
        change(at: now)
    }

    private func requireHelper(_ account: Account.ID, at now: Instant) throws(ShoppingListError) {
        guard account == acceptance?.helperID else { throw .notTheHelper }
        switch state(at: now) {
        case .accepted: return
        case .expired: throw .listExpired
        case let state: throw .notPossible(state)
        }
    }
}
