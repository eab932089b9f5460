import CherishCore
import Foundation
import Postgres

/// A part of what has changed in an account, each item as it is now.
public struct ChangePage: Sendable {
    public let viewpoint: Viewpoint
    /// The settings, if they changed.
    public internal(set) var settings: Account?
    public internal(set) var sessions: [SignInSession] = []
    public internal(set) var tags: [Tag] = []
    public internal(set) var pauses: [PauseView] = []
    public internal(set) var friends: [Plant] = []
    /// Of the friends.
    public internal(set) var tagsOfFriends: [Plant.ID: [Tag]] = [:]
    public internal(set) var waterings: [RecordedWatering] = []
    public internal(set) var things: [Thing] = []
    /// Of the things.
    public internal(set) var tagsOfThings: [Thing.ID: [Tag]] = [:]
    /// Those that the account wrote.
    public internal(set) var lists: [StoredList] = []
    /// Those that the account helps with.
    public internal(set) var helpedLists: [HelpersList] = []
    /// What is gone.
    public internal(set) var gone: [ChangedItem] = []
    /// The ids of ``helpedLists``, before they are read.
    fileprivate var listsOfOthers: [ShoppingList.ID] = []
    /// Where the next page begins.
    public let cursor: ChangeCursor
    /// Whether there was no more when this was read.
    public let isComplete: Bool
}

extension Garden {
    /// Returns what has changed since a cursor, or the beginning of everything (rule 14.2).
    ///
    /// An item that changed several times may come several times, but only once in a page. Reading everything takes several
    /// pages: what changes meanwhile comes again afterwards, so that in the end nothing is missing.
    ///
    /// - Parameters:
    ///   - cursor: of the page before; nil reads everything.
    ///   - limit: how many items a page has at most, besides the settings, sessions, tags and pauses of the first one.
    /// - Throws: ``ChangeCursorExpired``, ``CareError/notFound(_:)``.
    public func changes(after cursor: ChangeCursor?, limit: Int) async throws -> ChangePage {
        var page = try await snapshot { connection in
            let feed =
                switch cursor {
                case .following(let mark, let known)?:
                    try await changes(following: mark, known, limit, on: connection)
                case .reading(let mark, let item)?: try await fillPage(after: item, mark, limit, on: connection)
                case nil: try await beginning(limit, on: connection)
                }
            return try await load(feed, on: connection)
        }
        // The lists of others lie in their owners' lanes.
        for id in page.listsOfOthers {
            do {
                page.helpedLists.append(try await store.errands(of: accountID).list(id))
            } catch CareError.notFound {
                page.gone.append(.list(id))
            } catch is UnreadableRow {
                // Somebody else's broken list must not keep the account from its changes.
            }
        }
        return page
    }

    /// Returns the account's newest change.
    private func head(on connection: Connection) async throws -> ChangeMark? {
        try ChangeMark(try await connection.query(ChangeFeed.head(of: accountID)))
    }
}

extension PeopleStore {
    /// Returns the cursors of devices that know everything, by their sessions. Those that have ended are absent.
    public func newestChanges(of sessions: Set<SignInSession.Place>) async throws -> [SignInSession.ID: ChangeCursor] {
        // One statement for each lane, because the lane determines the shard.
        let lanes = Dictionary(grouping: sessions, by: \.lane).sorted { $0.key < $1.key }
        let statements = lanes.map { lane, sessions in
            Statement("SELECT session_id, number, noted_at FROM newest_changes($1, $2)", [lane, sessions.map(\.id)])
        }
        var cursors: [SignInSession.ID: ChangeCursor] = [:]
        for row in try await call(statements).joined() {
            var reader = row.reader
            let session = try reader.next(SignInSession.ID.self)
            cursors[session] = .following(
                ChangeMark(number: try reader.next(), notedAt: try reader.next()), items: nil)
        }
        return cursors
    }
}

extension ChangeMark {
    fileprivate init?(_ rows: Rows) throws {
        guard var reader = rows.first?.reader else { return nil }
        self.init(number: try reader.next(), notedAt: try reader.next())
    }
}

/// What a page is about, before it is known what that is now.
private struct ChangeFeed {
    /// Each once.
    var items: [ChangedItem]
    let cursor: ChangeCursor
    let isComplete: Bool

    static func head(of account: Account.ID) -> Statement {
        Statement(
            "SELECT number, noted_at FROM account_change_head WHERE lane = $1 AND account_id = $2",
            [account.lane, account])
    }
}

// MARK: - Following

extension Garden {
    /// Reads what changed after a cursor, and checks that it is one of this account and database.
    private func changes(following mark: ChangeMark, _ known: Int?, _ limit: Int, on connection: Connection)
        async throws -> ChangeFeed
    {
        // The change of the cursor comes first; it may have more items than a page. Of each change only the items that fit
        // are read: an import has as many as an address book.
        let following = Statement(
            """
            SELECT number, noted_at, item_count, known_count, kinds[known_count + 1:known_count + $5]::text[],
                ids[known_count + 1:known_count + $5], numbers[known_count + 1:known_count + $5]
            FROM (
                SELECT next.*, sum(item_count - known_count) OVER (ORDER BY number) - (item_count - known_count) AS before
                FROM (
                    SELECT number, noted_at, item_count, kinds, ids, numbers,
                        CASE WHEN number = $3 THEN coalesce($4, item_count) ELSE 0 END AS known_count
                    FROM account_change WHERE lane = $1 AND account_id = $2 AND number >= $3 ORDER BY number LIMIT $5 + 1
                ) AS next
            ) AS counted
            WHERE before < $5 ORDER BY number
            """, [accountID.lane, accountID, mark.number, known.map { Int32($0) }, Int32(limit)])
        let rows = try await connection.pipeline([ChangeFeed.head(of: accountID), following])
        let head = try ChangeMark(rows[0])
        let found = try rows[1].map(FoundChange.init)
        try require(mark, known, head, found)
        var feed = ChangeFeed(items: [], cursor: .following(mark, items: known), isComplete: true)
        var seen: Set<ChangedItem> = []
        var room = limit
        for change in found {
            let taken = change.items.prefix(room)
            room -= taken.count
            feed.items += taken.filter { seen.insert($0).inserted }
            let isWhole = change.knownCount + taken.count >= change.count
            feed = ChangeFeed(
                items: feed.items,
                cursor: .following(change.mark, items: isWhole ? nil : change.knownCount + taken.count),
                isComplete: isWhole && change.mark.number == head?.number)
        }
        return feed
    }

    private func require(_ mark: ChangeMark, _ known: Int?, _ head: ChangeMark?, _ found: [FoundChange])
        throws(ChangeCursorExpired)
    {
        // What comes after it must still be there, and be what came after it when it was given.
        let isThere =
            if mark.number == 0 {
                head == nil && mark == .beginning || found.first?.mark.number == 1
            } else {
                found.first?.mark == mark && known ?? 1 <= found[0].count
            }
        guard isThere else { throw ChangeCursorExpired() }
    }

    private struct FoundChange {
        let mark: ChangeMark
        /// How many items the change has, and how many of them the cursor knows.
        let count, knownCount: Int
        /// Those that follow, as many as a page takes.
        let items: [ChangedItem]

        init(_ row: Row) throws {
            var reader = row.reader
            mark = ChangeMark(number: try reader.next(), notedAt: try reader.next())
            (count, knownCount) = (Int(try reader.next(Int32.self)), Int(try reader.next(Int32.self)))
            let kinds = try reader.next([String].self)
            let (ids, numbers) = (try reader.next([UUID].self), try reader.next([Int32].self))
            guard kinds.count == ids.count, numbers.count == ids.count else {
                throw UnreadableRow(what: "a change whose parts do not match")
            }
            items = try ids.indices.map { index in
                guard let kind = ChangedItem.Kind(rawValue: kinds[index]) else {
                    throw UnreadableRow(what: "a change of an unknown kind")
                }
                return ChangedItem(kind, ids[index], number: numbers[index])
            }
        }
    }
}

// MARK: - Reading everything

extension Garden {
    /// The first page: all items of which an account has few, and the first friends.
    private func beginning(_ limit: Int, on connection: Connection) async throws -> ChangeFeed {
        let rows = try await connection.pipeline([
            ChangeFeed.head(of: accountID),
            Statement(
                "SELECT id FROM account_session WHERE lane = $1 AND account_id = $2", [accountID.lane, accountID]),
            Statement("SELECT id FROM tag WHERE lane = $1 AND account_id = $2", [accountID.lane, accountID]),
            Statement(
                "SELECT list_id FROM helped_list WHERE lane = $1 AND account_id = $2 AND accepted_at IS NOT NULL",
                [accountID.lane, accountID]),
            PauseRow.list(of: accountID),
        ])
        let mark = try ChangeMark(rows[0]) ?? .beginning
        var feed = try await fillPage(after: .beginning(of: .friend), mark, limit, on: connection)
        feed.items += [.settings]
        feed.items += try rows[1].map { .session(try $0.decode(0)) }
        feed.items += try rows[2].map { .tag(try $0.decode(0)) }
        feed.items += try rows[3].map { .list(try $0.decode(0)) }
        feed.items += try PauseRow.pauses(rows[4]).map { .pause($0.id) }
        return feed
    }

    /// Fills a page: with items of several kinds, if there are few of one.
    private func fillPage(
        after item: ChangeCursor.ReadItem, _ mark: ChangeMark, _ limit: Int, on connection: Connection
    ) async throws -> ChangeFeed {
        var page = try await items(after: item, mark, limit, on: connection)
        // Bounded, because a garden may have many friends without a watering.
        for _ in 0..<8 {
            guard case .reading(_, let last) = page.cursor, page.items.count < limit else { break }
            let more = try await items(after: last, mark, limit - page.items.count, on: connection)
            page = ChangeFeed(items: page.items + more.items, cursor: more.cursor, isComplete: more.isComplete)
        }
        return page
    }

    /// The next items of which an account may have many: friends, things and lists, each in the order of their ids, then
    /// waterings.
    private func items(
        after item: ChangeCursor.ReadItem, _ mark: ChangeMark, _ limit: Int, on connection: Connection
    ) async throws -> ChangeFeed {
        let parameters: [any PostgresEncodable] = [accountID.lane, accountID, item.id, Int32(limit)]
        func ids(_ sql: SQL, _ made: (UUID) -> ChangedItem, then next: ChangedItem.Kind) async throws -> ChangeFeed {
            let ids = try await connection.query(sql, parameters).map { try $0.decode(0, as: UUID.self) }
            let last = ids.count < limit ? nil : ids.last
            return ChangeFeed(
                items: ids.map(made),
                cursor: .reading(
                    mark,
                    upTo: last.map { ChangeCursor.ReadItem(kind: item.kind, id: $0, number: 0) }
                        ?? .beginning(of: next)), isComplete: false)
        }
        switch item.kind {
        case .friend:
            return try await ids(
                "SELECT id FROM plant WHERE lane = $1 AND account_id = $2 AND id > $3 ORDER BY id LIMIT $4",
                { .friend(Plant.ID($0)) }, then: .thing)
        case .thing:
            return try await ids(
                "SELECT id FROM thing WHERE lane = $1 AND account_id = $2 AND id > $3 ORDER BY id LIMIT $4",
                { .thing(Thing.ID($0)) }, then: .list)
        case .list:
            return try await ids(
                "SELECT id FROM shopping_list WHERE lane = $1 AND account_id = $2 AND id > $3 ORDER BY id LIMIT $4",
                { .list(ShoppingList.ID($0)) }, then: .watering)
        case .watering: return try await waterings(after: item, mark, limit, on: connection)
        case .settings, .session, .tag, .pause: throw ChangeCursorExpired()
        }
    }

    /// The next waterings: those of as many friends as a page takes, or as many as fit.
    private func waterings(
        after item: ChangeCursor.ReadItem, _ mark: ChangeMark, _ limit: Int, on connection: Connection
    ) async throws -> ChangeFeed {
        // The friend of the last page may have more.
        let friends: SQL = """
            SELECT id FROM plant WHERE lane = $1 AND account_id = $2 AND id >= $3 ORDER BY id LIMIT $4 + 1
            """
        let rows = try await connection.pipeline([
            Statement(
                "SELECT id, count(*) OVER () FROM (\(friends)) AS friend ORDER BY id DESC LIMIT 1",
                [accountID.lane, accountID, item.id, Int32(limit)]),
            Statement(
                """
                SELECT friend.id, found.number FROM (\(friends)) AS friend
                CROSS JOIN LATERAL (
                    SELECT number FROM watering
                    WHERE lane = $1 AND plant_id = friend.id AND (friend.id > $3 OR number > $5) ORDER BY number LIMIT $4
                ) AS found
                ORDER BY friend.id, found.number LIMIT $4
                """, [accountID.lane, accountID, item.id, Int32(limit), Int32(item.number)]),
        ])
        let items = try rows[1].map { row in
            var reader = row.reader
            return (id: try reader.next(UUID.self), number: try reader.next(Int32.self))
        }
        let lastFriend = try rows[0].first.map { row in
            var reader = row.reader
            return (id: try reader.next(UUID.self), count: try reader.nextCount())
        }
        let found = items.map { ChangedItem.watering(Plant.ID($0.id), number: Int($0.number)) }
        func feed(upTo id: UUID, number: Int) -> ChangeFeed {
            ChangeFeed(
                items: found,
                cursor: .reading(mark, upTo: ChangeCursor.ReadItem(kind: .watering, id: id, number: number)),
                isComplete: false)
        }
        if found.count == limit, let last = items.last { return feed(upTo: last.id, number: Int(last.number)) }
        if let lastFriend, lastFriend.count > limit { return feed(upTo: lastFriend.id, number: Int(Int32.max)) }
        // What was changed meanwhile follows.
        let isComplete = try await head(on: connection) ?? .beginning == mark
        return ChangeFeed(items: found, cursor: .following(mark, items: nil), isComplete: isComplete)
    }
}

// MARK: - What the items are now

extension Garden {
    /// Reads what the items are now; those that are not there are gone. Leaves out what this program cannot read.
    private func load(_ feed: ChangeFeed, on connection: Connection) async throws -> ChangePage {
        let ids = ItemIDs(feed.items)
        let rows = try await connection.pipeline(
            [AccountRow.seen(accountID, at: store.time.fixedInstant), TagRow.list(of: accountID)] + statements(for: ids)
        )
        let viewpoint = try AccountRow.viewpoint(rows[0])
        let tags = try TagRow.sorted(rows[1], of: accountID)
        var page = ChangePage(viewpoint: viewpoint, cursor: feed.cursor, isComplete: feed.isComplete)
        if feed.items.contains(.settings) { page.settings = viewpoint.account }
        page.tags = tags.filter { ids.tags.contains($0.id) }

        var there: Set<ChangedItem> = [.settings]
        there.formUnion(page.tags.map { .tag($0.id) })
        var answers = rows.dropFirst(2)
        if !ids.sessions.isEmpty {
            page.sessions = try answers.removeFirst().map { try SessionRow.decode($0, of: accountID) }
            there.formUnion(page.sessions.map { .session($0.id) })
        }
        // The first column of each of these tables is the id.
        if !ids.friends.isEmpty {
            for row in answers.removeFirst() {
                there.insert(.friend(try row.decode(0)))
                if let plant = try PlantRow.decodeUnlessBroken(row) { page.friends.append(plant) }
            }
            page.tagsOfFriends = try ChangeFeed.tags(answers.removeFirst(), of: tags)
        }
        if !ids.waterings.isEmpty {
            for row in answers.removeFirst() {
                let plant = try row.decode(0, as: Plant.ID.self)
                there.insert(.watering(plant, number: Int(try row.decode(1, as: Int32.self))))
                if let watering = try readable({ try recordedWatering(row, from: 1, of: plant) }) {
                    page.waterings.append(watering)
                }
            }
        }
        if !ids.things.isEmpty {
            for row in answers.removeFirst() {
                there.insert(.thing(try row.decode(0)))
                if let thing = try readable({ try ThingRow.decode(row) }) { page.things.append(thing) }
            }
            page.tagsOfThings = try ChangeFeed.tags(answers.removeFirst(), of: tags)
        }
        if !ids.lists.isEmpty {
            for row in answers.removeFirst() {
                there.insert(.list(try row.decode(0)))
                if let list = try readable({ try ShoppingListRow.decode(row) }) { page.lists.append(list) }
            }
            page.listsOfOthers = try answers.removeFirst().map { try $0.decode(0) }
            there.formUnion(page.listsOfOthers.map { .list($0) })
        }
        if !ids.pauses.isEmpty {
            page.pauses = try answers.removeFirst().map(PauseRow.view).filter { ids.pauses.contains($0.pause.id) }
            there.formUnion(page.pauses.map { .pause($0.pause.id) })
        }
        page.gone = feed.items.filter { !there.contains($0) }
        return page
    }

    /// The statements whose answers ``load(_:on:)`` takes, in its order; none for kinds of which there are no items.
    private func statements(for ids: ItemIDs) -> [Statement] {
        let (lane, account) = (accountID.lane, accountID)
        var statements: [Statement] = []
        if !ids.sessions.isEmpty { statements.append(SessionRow.read(ids.sessions, of: account)) }
        if !ids.friends.isEmpty {
            statements += [
                Statement(
                    """
                    SELECT \(PlantRow.columns) FROM plant
                    WHERE lane = $1 AND account_id = $2 AND id = ANY ($3) ORDER BY id
                    """, [lane, account, ids.friends]),
                Statement(
                    "SELECT plant_id, tag_id FROM plant_tag WHERE lane = $1 AND plant_id = ANY ($2)",
                    [lane, ids.friends]),
            ]
        }
        if !ids.waterings.isEmpty {
            statements.append(
                Statement(
                    """
                    SELECT plant_id, \(WateringRow.columns), \(Self.pointsGained)
                    FROM watering
                    WHERE lane = $1 AND (plant_id, number) IN (SELECT * FROM unnest($2::uuid[], $3::int[]))
                        AND \(Self.isOwn("plant_id", "$4"))
                    ORDER BY plant_id, number
                    """, [lane, ids.waterings.map(\.plant), ids.waterings.map { Int32($0.number) }, account]))
        }
        if !ids.things.isEmpty {
            statements += [
                Statement(
                    """
                    SELECT \(ThingRow.columns) FROM thing
                    WHERE lane = $1 AND account_id = $2 AND id = ANY ($3) ORDER BY id
                    """, [lane, account, ids.things]),
                Statement(
                    "SELECT thing_id, tag_id FROM thing_tag WHERE lane = $1 AND account_id = $2 AND thing_id = ANY ($3)",
                    [lane, account, ids.things]),
            ]
        }
        if !ids.lists.isEmpty {
            statements += [
                Statement(
                    """
                    SELECT \(ShoppingListRow.columns) FROM shopping_list
                    WHERE lane = $1 AND account_id = $2 AND id = ANY ($3) ORDER BY id
                    """, [lane, account, ids.lists]),
                Statement(
                    """
                    SELECT list_id FROM helped_list
                    WHERE lane = $1 AND account_id = $2 AND list_id = ANY ($3) AND accepted_at IS NOT NULL
                    """, [lane, account, ids.lists]),
            ]
        }
        // An account has few, so all are read.
        if !ids.pauses.isEmpty { statements.append(PauseRow.views(of: account)) }
        return statements
    }
}

extension ChangeFeed {
    /// The tags of each friend or thing, sorted by name.
    fileprivate static func tags<Owner>(_ taggings: Rows, of tags: [Tag]) throws -> [Identifier<Owner>: [Tag]] {
        var ids: [Identifier<Owner>: Set<Tag.ID>] = [:]
        for row in taggings {
            var reader = row.reader
            ids[try reader.next(), default: []].insert(try reader.next())
        }
        return ids.mapValues { ids in tags.filter { ids.contains($0.id) } }
    }
}

/// The ids of items, by kind.
private struct ItemIDs {
    private(set) var sessions: [SignInSession.ID] = []
    private(set) var tags: Set<Tag.ID> = []
    private(set) var friends: [Plant.ID] = []
    private(set) var waterings: [(plant: Plant.ID, number: Int)] = []
    private(set) var things: [Thing.ID] = []
    private(set) var lists: [ShoppingList.ID] = []
    private(set) var pauses: Set<Pause.ID> = []

    init(_ items: [ChangedItem]) {
        for item in items {
            switch item {
            case .settings: break
            case .session(let id): sessions.append(id)
            case .tag(let id): tags.insert(id)
            case .friend(let id): friends.append(id)
            case .watering(let plant, let number): waterings.append((plant, number))
            case .thing(let id): things.append(id)
            case .list(let id): lists.append(id)
            case .pause(let id): pauses.insert(id)
            }
        }
    }
}
