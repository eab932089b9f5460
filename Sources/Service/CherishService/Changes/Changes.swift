import CherishCore
import CherishRuntime
import CherishStore
import Secrets

// What has changed in an account, for devices that keep a copy of it (rules 14.1 and 14.2).

extension GardenService {
    /// What has changed since a cursor, or everything from the beginning.
    ///
    /// - Parameters:
    ///   - cursor: that of the page before; nil reads everything.
    ///   - limit: how many items a page has at most, besides the few that come first when everything is read.
    ///   - session: the session that asks.
    /// - Throws: ``RequestError/cursorExpired``.
    public func changes(after cursor: ChangeCursor?, limit: Int, for session: SignInSession.ID?) async throws
        -> ChangesDocument
    {
        let page: ChangePage
        do {
            page = try await garden.changes(after: cursor, limit: limit)
        } catch is ChangeCursorExpired {
            throw RequestError.cursorExpired
        }
        let zone = try engine.zones.clock(of: page.viewpoint.account)
        let today = zone.day(at: page.viewpoint.now)
        let language = page.viewpoint.account.language
        let errands = ErrandService(engine: engine, errands: engine.store.errands(of: garden.accountID))
        var lists = try page.lists.map { try ownersView($0, page.viewpoint) }
        lists += try page.helpedLists.map { try errands.view(of: $0) }
        return ChangesDocument(
            settings: Nullable(page.settings.map(AccountDocument.init)),
            sessions: page.sessions.map { SessionDocument($0, current: session) },
            tags: page.tags.map(ChangedTagDocument.init),
            pauses: page.pauses.map { PauseDocument($0, on: today) },
            friends: page.friends.map { plant in
                let tags = page.tagsOfFriends[plant.id] ?? []
                return ChangedFriendDocument(
                    PlantView(plant, tags: tags, on: today, language: language).document, tags)
            },
            waterings: page.waterings.map(WateringDocument.init),
            things: page.things.map { thing in
                let tags = page.tagsOfThings[thing.id] ?? []
                return ChangedThingDocument(
                    ThingView(thing, tags: tags, from: page.viewpoint, in: zone).document, tags)
            },
            lists: lists.map(\.document),
            deleted: page.gone.map { ChangesDocument.Deleted($0, in: garden.accountID) },
            cursor: page.cursor.text, complete: page.isComplete)
    }
}

extension ChangeCursor {
    /// Opaque to clients.
    public var text: String { Base64URL.encode(Array(description.utf8)) }

    /// Reads what ``text`` wrote; nil for other text.
    public init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }
}

// MARK: - Documents

/// What has changed: each item as it is now, once.
public struct ChangesDocument: Codable, Sendable {
    /// Something that is gone.
    struct Deleted: Codable, Sendable {
        /// `session`, `tag`, `friend`, `watering`, `thing`, `list` or `pause`.
        let kind: String
        let id: String

        init(_ item: ChangedItem, in account: Account.ID) {
            kind = item.kind.rawValue
            id =
                switch item {
                case .settings: account.description
                case .session(let id): id.description
                case .tag(let id): id.description
                case .friend(let id): id.description
                case .watering(let plant, let number): "\(plant)/\(number)"
                case .thing(let id): id.description
                case .list(let id): id.description
                case .pause(let id): id.description
                }
        }
    }

    /// null if they have not changed.
    let settings: Nullable<AccountDocument>
    let sessions: [SessionDocument]
    let tags: [ChangedTagDocument]
    let pauses: [PauseDocument]
    /// Living ones, and those that were removed (`archivedAt`).
    let friends: [ChangedFriendDocument]
    let waterings: [WateringDocument]
    let things: [ChangedThingDocument]
    /// Those that the account wrote, and those that it helps with.
    let lists: [ShoppingListDocument]
    let deleted: [Deleted]
    /// Where the next page begins.
    public let cursor: String
    /// Whether there was no more.
    public let complete: Bool
}

/// A tag as devices keep it: they count its friends themselves.
struct ChangedTagDocument: Codable, Sendable {
    let id, name, colour: String
    let cycleDays: Nullable<Int>
    let version: Int

    init(_ tag: Tag) {
        id = tag.id.description
        name = tag.name.description
        colour = tag.colour.description
        cycleDays = Nullable(tag.cycle?.days)
        version = tag.version
    }
}

/// The keys of ``PlantDocument``, and the ids of the tags: another name of a tag, or its end, is no change of its friends.
struct ChangedFriendDocument: Codable, Sendable {
    let plant: PlantDocument
    let tagIds: [String]

    private enum Key: String, CodingKey {
        case tagIds
    }

    init(_ plant: PlantDocument, _ tags: [Tag]) {
        (self.plant, tagIds) = (plant, tags.map(\.id.description))
    }

    init(from decoder: any Decoder) throws {
        plant = try PlantDocument(from: decoder)
        tagIds = try decoder.container(keyedBy: Key.self).decode([String].self, forKey: .tagIds)
    }

    func encode(to encoder: any Encoder) throws {
        try plant.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(tagIds, forKey: .tagIds)
    }
}

/// The keys of ``ThingDocument``, and the ids of the tags.
struct ChangedThingDocument: Codable, Sendable {
    let thing: ThingDocument
    let tagIds: [String]

    private enum Key: String, CodingKey {
        case tagIds
    }

    init(_ thing: ThingDocument, _ tags: [Tag]) {
        (self.thing, tagIds) = (thing, tags.map(\.id.description))
    }

    init(from decoder: any Decoder) throws {
        thing = try ThingDocument(from: decoder)
        tagIds = try decoder.container(keyedBy: Key.self).decode([String].self, forKey: .tagIds)
    }

    func encode(to encoder: any Encoder) throws {
        try thing.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(tagIds, forKey: .tagIds)
    }
}
