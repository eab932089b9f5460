import CherishCore
import CherishRuntime
import CherishStore
import Foundation

// What an owner does with its lists (rule 11). ``ErrandService`` has the other side.

/// An entry of a list, not validated yet.
public struct ListEntryRequest: Sendable {
    public var name: String
    public var quantity: String?

    public init(name: String, quantity: String? = nil) {
        (self.name, self.quantity) = (name, quantity)
    }
}

/// A request to write or change a list, not validated yet; nil leaves a part unchanged.
public struct ShoppingListRequest: Sendable {
    public var title: String?
    /// Empty removes it.
    public var note, deliveryNote: String?
    public var entries: [ListEntryRequest]?

    public init() {}
}

/// A list as its owner or its helper sees it now.
public struct ShoppingListView: Sendable {
    /// What the person is to the list.
    public enum Role: String, Sendable {
        case owner, helper
    }

    public let stored: StoredList
    public let role: Role
    /// nil for the owner.
    public let ownerNickname: Nickname?
    public let now: Instant
    public let clock: WallClock
    public let language: Language

    public var list: ShoppingList { stored.list }
    public var state: ShoppingList.State { stored.list.state(at: now) }
    public var document: ShoppingListDocument { ShoppingListDocument(self) }
}

extension GardenService {
    /// Begins a draft (rule 11.1).
    ///
    /// - Throws: ``ShoppingListError``, ``ThingError`` for title and note, ``CareError``.
    public func writeList(_ request: ShoppingListRequest) async throws -> ShoppingListView {
        var draft = ShoppingListDraft(
            title: try ThingTitle(request.title ?? ""), entries: try entries(request.entries ?? []))
        draft.note = try request.note.flatMap { text throws(ThingError) in try ThingNote(text) }
        draft.deliveryNote = try request.deliveryNote.flatMap { text throws(ShoppingListError) in
            try DeliveryNote(text)
        }
        return try await view(of: try await garden.writeList(draft))
    }

    /// Edits a draft or an open list (rule 11.1). Entries are replaced together.
    ///
    /// - Parameter id: the list's id, or a prefix of at least 8 digits.
    public func editList(_ id: String, _ request: ShoppingListRequest) async throws -> ShoppingListView {
        var edit = ShoppingListEdit()
        edit.title = try request.title.map { text throws(ThingError) in try ThingTitle(text) }
        if let note = request.note { edit.note = .some(try ThingNote(note)) }
        if let note = request.deliveryNote { edit.deliveryNote = .some(try DeliveryNote(note)) }
        edit.entries = try request.entries.map { try entries($0) }
        return try await view(of: try await garden.editList(try await listID(id), edit))
    }

    /// Lets neighbours find a draft (rule 11.2).
    public func openList(_ id: String) async throws -> ShoppingListView {
        try await view(of: try await garden.openList(try await listID(id)))
    }

    /// Takes a list back (rule 11.7).
    public func cancelList(_ id: String) async throws -> ShoppingListView {
        try await view(of: try await garden.cancelList(try await listID(id)))
    }

    /// Rates the helper (rule 11.6).
    ///
    /// - Parameter points: 1–5.
    public func rateHelper(_ id: String, points: Int) async throws -> ShoppingListView {
        try await view(of: try await garden.rateHelper(try await listID(id), try HelperRating(points: points)))
    }

    /// The receipt of one of the account's lists (rule 11.6).
    public func receipt(ofList id: String) async throws -> ShoppingReceipt {
        try await garden.receipt(of: try await listID(id))
    }

    /// Deletes a draft.
    ///
    /// - Returns: the draft as it was.
    public func removeList(_ id: String) async throws -> ShoppingListView {
        let list = try await shoppingList(id)
        try await garden.removeList(list.list.id)
        return list
    }

    /// One of the account's lists.
    public func shoppingList(_ id: String) async throws -> ShoppingListView {
        let seen = try await garden.shoppingList(try await listID(id))
        return try ownersView(seen.lists[0], seen.viewpoint)
    }

    /// The account's lists, the newest first.
    public func shoppingLists() async throws -> [ShoppingListView] {
        let seen = try await garden.shoppingLists()
        return try seen.lists.map { try ownersView($0, seen.viewpoint) }
    }

    private func view(of stored: StoredList) async throws -> ShoppingListView {
        try ownersView(stored, try await garden.viewpoint())
    }

    func ownersView(_ stored: StoredList, _ viewpoint: Viewpoint) throws -> ShoppingListView {
        ShoppingListView(
            stored: stored, role: .owner, ownerNickname: nil, now: viewpoint.now,
            clock: WallClock(zone: try engine.zones.clock(of: viewpoint.account)),
            language: viewpoint.account.language)
    }

    /// The id of a list; a whole one is not looked up.
    private func listID(_ text: String) async throws -> ShoppingList.ID { try await engine.store.listID(text) }

    private func entries(_ requests: [ListEntryRequest]) throws -> [ShoppingList.Entry] {
        guard requests.count <= ShoppingList.mostEntries else { throw ShoppingListError.tooManyEntries(requests.count) }
        return try requests.map { request in
            ShoppingList.Entry(
                name: try EntryName(request.name),
                quantity: try request.quantity.flatMap { text throws(ShoppingListError) in try EntryQuantity(text) })
        }
    }
}

// MARK: - Documents

/// A shopping list as its owner or its helper sees it.
public struct ShoppingListDocument: VersionedDocument {
    struct Entry: Codable, Sendable {
        let number: Int
        let name: String
        let quantity: Nullable<String>
        let bought: Bool
    }

    /// Who fetches it: as it was when the list was accepted.
    struct Helper: Codable, Sendable {
        let nickname: String
        /// The mean, in tenths; null without ratings.
        let rating: Nullable<Double>
        let ratingCount: Int
    }

    let id: String
    /// null for the helper, who knows the owner by its nickname.
    let accountId, ownerNickname: Nullable<String>
    let role, title: String
    let note, deliveryNote: Nullable<String>
    let state, createdAt: String
    let openedAt, expiresAt: Nullable<String>
    let entries: [Entry]
    let acceptedAt, deliveredAt, cancelledAt: Nullable<String>
    let rating: Nullable<Int>
    let helper: Nullable<Helper>
    /// The media type of the receipt; null without one.
    let receipt: Nullable<String>
    public let version: Int
    let modifiedAt: String

    init(_ view: ShoppingListView) {
        let list = view.list
        let isOwner = view.role == .owner
        id = list.id.description
        accountId = Nullable(isOwner ? list.ownerID.description : nil)
        ownerNickname = Nullable(view.ownerNickname?.description)
        role = view.role.rawValue
        title = list.title.description
        note = Nullable(list.note?.description)
        deliveryNote = Nullable(list.deliveryNote?.description)
        state = view.state.rawValue
        createdAt = list.createdAt.description
        openedAt = Nullable(list.openedAt?.description)
        expiresAt = Nullable(list.expiresAt?.description)
        entries = list.entries.enumerated().map { index, entry in
            Entry(
                number: index + 1, name: entry.name.description, quantity: Nullable(entry.quantity?.description),
                bought: entry.isBought)
        }
        acceptedAt = Nullable(list.acceptance?.acceptedAt.description)
        deliveredAt = Nullable(list.deliveredAt?.description)
        cancelledAt = Nullable(list.cancelledAt?.description)
        rating = Nullable(list.rating?.points)
        helper = Nullable(
            view.stored.helper.map {
                Helper(
                    nickname: $0.nickname.description, rating: Nullable($0.ratings.mean), ratingCount: $0.ratings.count)
            })
        receipt = Nullable(list.acceptance?.receipt?.rawValue)
        version = list.version
        modifiedAt = list.modifiedAt.description
    }
}

/// Shopping lists.
public struct ShoppingListsDocument: Codable, Sendable {
    let lists: [ShoppingListDocument]

    public init(_ views: [ShoppingListView]) {
        lists = views.map(\.document)
    }
}
