import CherishCore
import Foundation
import Postgres

/// An account's tags, and the friends that have each of them.
public struct AccountTags: Sendable {
    /// Sorted by name.
    public let tags: [Tag]
    public let tagIDs: [Plant.ID: [Tag.ID]]
    private let friendCounts: [Tag.ID: Int]

    /// - Parameter friendCounts: how many friends have each tag, except removed ones.
    init(tags: [Tag] = [], tagIDs: [Plant.ID: [Tag.ID]] = [:], friendCounts: [Tag.ID: Int] = [:]) {
        self.tags = tags
        self.tagIDs = tagIDs
        self.friendCounts = friendCounts
    }

    /// Returns a plant's tags, sorted by name.
    public func tags(of plant: Plant.ID) -> [Tag] {
        guard let ids = tagIDs[plant] else { return [] }
        return tags.filter { ids.contains($0.id) }
    }

    /// The name of the first tag of each plant that has any.
    public var firstTags: [Plant.ID: TagName] {
        tagIDs.compactMapValues { ids in tags.first { ids.contains($0.id) }?.name }
    }

    /// Returns the tags with these names.
    ///
    /// - Throws: ``CareError/notFound(_:)`` if the account has no such tag.
    public func tags(named names: [TagName]) throws(CareError) -> [Tag] {
        var found: [Tag] = []
        for name in names {
            guard let tag = tags.first(where: { $0.name == name }) else { throw .notFound(.tag) }
            if !found.contains(tag) { found.append(tag) }
        }
        return found
    }

    /// Returns how many friends have a tag, except removed ones.
    public func count(of tag: Tag) -> Int {
        friendCounts[tag.id] ?? 0
    }
}

/// An edit of a tag; nil leaves a property unchanged.
public struct TagEdit: Sendable {
    public var name: TagName?
    public var colour: TagColour?
    public var cycle: Cycle??

    public init() {}

    /// Leaves out the parts that newer edits have overtaken (rule 14.3).
    mutating func settle(in order: inout EditOrder) {
        order.settle("name", &name)
        order.settle("colour", &colour)
        order.settle("cycleDays", &cycle)
    }
}

/// Tags to add to and remove from a friend.
public struct Tagging: Sendable {
    public var adding: [TagName]
    public var removing: [TagName]

    public init(adding: [TagName] = [], removing: [TagName] = []) {
        self.adding = adding
        self.removing = removing
    }
}

extension Garden {
    /// Returns the account's tags.
    public func tags() async throws -> AccountTags {
        let rows = try await read([
            TagRow.list(of: accountID), TagRow.taggings(of: accountID), TagRow.friendCounts(of: accountID),
        ])
        return try TagRow.accountTags(
            try TagRow.sorted(rows[0], of: accountID), rows[1], friendCounts: rows[2])
    }

    /// Adds a tag (rule 9.1). Without a colour, its name determines one.
    ///
    /// - Throws: ``CareError/duplicateTag(_:)``, ``CareError/tooManyTags(limit:)``.
    public func addTag(_ name: TagName, colour: TagColour?, cycle: Cycle?) async throws -> Tag {
        let tag = Tag(
            id: Tag.ID(store.identifiers.random()), name: name, colour: colour ?? TagColour(for: name), cycle: cycle)
        try await tagCommand { command, known in
            guard known.tags.count < Tag.maximumPerAccount else {
                throw CareError.tooManyTags(limit: Tag.maximumPerAccount)
            }
            try TagRow.requireFree(name, in: known, except: nil)
            command.note([.tag(tag.id)], of: accountID)
            _ = try await command.connection.query(TagRow.insert(tag, account: accountID))
        }
        return tag
    }

    /// Edits a tag; its friends keep it (rule 9.3).
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/duplicateTag(_:)``.
    public func editTag(_ name: TagName, _ edit: TagEdit) async throws -> Tag {
        try await tagCommand { command, known in
            var tag = try known.tags(named: [name])[0]
            try requireExpected(tag.version)
            var order = try await editOrder(of: .tag(tag.id), command)
            var edit = edit
            edit.settle(in: &order)
            if order.isOvertaken { return tag }
            tag.version += 1
            if let newName = edit.name { try TagRow.requireFree(newName, in: known, except: tag.id) }
            tag.name = edit.name ?? tag.name
            tag.colour = edit.colour ?? tag.colour
            if let cycle = edit.cycle { tag.cycle = cycle }
            command.note([.tag(tag.id)], of: accountID)
            try await command.write(
                [TagRow.update(tag, of: accountID)] + EditedItemRow.write(order, of: .tag(tag.id), in: accountID))
            return tag
        }
    }

    /// Deletes a tag; its friends stay, without it (rule 9.3).
    ///
    /// - Returns: how many friends had it, except removed ones.
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/editedSince`` if it was edited after the person decided that.
    public func removeTag(_ name: TagName) async throws -> Int {
        let (friendCount, isToReplan) = try await tagCommand { command, known in
            let tag = try known.tags(named: [name])[0]
            try requireExpected(tag.version)
            var order = try await editOrder(of: .tag(tag.id), command)
            try order.delete()
            let rows = try await command.connection.query(
                """
                SELECT count(*) FROM plant_tag CROSS JOIN LATERAL (
                    SELECT 1 FROM plant
                    WHERE plant.lane = $1 AND plant.id = plant_tag.plant_id AND plant.removed_at IS NULL OFFSET 0
                ) AS living
                WHERE plant_tag.lane = $1 AND plant_tag.tag_id = $2
                """, [command.lane, tag.id])
            guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no counts") }
            let friendCount = try reader.nextCount()
            command.note([.tag(tag.id)], of: accountID)
            // Its pauses end with it.
            let pauses = try PauseRow.pauses(try await command.connection.query(PauseRow.list(of: accountID)))
            command.note(pauses.filter { $0.scope == .tag(tag.id) }.map { .pause($0.id) }, of: accountID)
            let isToReplan = try await command.replanWherePaused(accountID)
            _ = try await command.connection.query(TagRow.delete([tag.id], of: accountID, unlessUsed: false))
            return (friendCount, isToReplan)
        }
        if isToReplan { try await finishReplanning() }
        return friendCount
    }

    private func editOrder(of item: ChangedItem, _ command: LaneCommand) async throws -> EditOrder {
        try editOrder(
            try await command.connection.query(EditedItemRow.read(item, of: accountID)), at: command.now)
    }

    /// Locks the account's row to serialize changes of its tags. Does not read who has them: there may be 100,000.
    private func tagCommand<Result: Sendable>(
        _ body: (LaneCommand, AccountTags) async throws -> Result
    ) async throws -> Result {
        try await command { command in
            _ = try await command.account(accountID, lock: .update)
            return try await body(
                command, AccountTags(tags: try await TagRow.tags(of: accountID, on: command.connection)))
        }
    }
}

extension LaneCommand {
    /// Adds and removes tags of a plant. The plant's row must be locked.
    ///
    /// - Throws: ``CareError/notFound(_:)`` for a tag that the account does not have,
    ///   ``CareError/tooManyTags(limit:)``.
    func tag(_ plant: Plant, _ tagging: Tagging, in order: inout EditOrder) async throws {
        if tagging.adding.isEmpty && tagging.removing.isEmpty { return }
        let rows = try await connection.query(
            "SELECT tag_id FROM plant_tag WHERE lane = $1 AND plant_id = $2", [lane, plant.id])
        let (new, removed) = try await changes(tagging, of: plant.accountID, had: rows, in: &order)
        try await untag(removed.map { (plant.id, $0) })
        try await write([TagRow.tag(new.map { (plant.id, $0) }, lane: lane)])
    }

    /// The account's tags with these names.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    func tags(named names: [TagName], of account: Account.ID) async throws -> [Tag] {
        try AccountTags(tags: try await TagRow.tags(of: account, on: connection)).tags(named: names)
    }

    /// Which tags are new and which go, for a friend or a thing.
    ///
    /// - Parameters:
    ///   - rows: the ids of the tags that it has.
    ///   - order: tags that were added or removed later stay as they are (rule 14.3).
    /// - Throws: ``CareError/notFound(_:)`` for a tag that the account does not have,
    ///   ``CareError/tooManyTags(limit:)``.
    func changes(
        _ tagging: Tagging, of account: Account.ID, had rows: Rows, in order: inout EditOrder
    ) async throws -> (new: [Tag.ID], removed: [Tag.ID]) {
        let known = AccountTags(tags: try await TagRow.tags(of: account, on: connection))
        let removed = try known.tags(named: tagging.removing).map(\.id).filter { order.wins("tag \($0)") }
        let added = try known.tags(named: tagging.adding).map(\.id).filter { order.wins("tag \($0)") }
        let kept = Set(try rows.map { try $0.decode(0, as: Tag.ID.self) }).subtracting(removed)
        guard kept.union(added).count <= Tag.maximumPerFriend else {
            throw CareError.tooManyTags(limit: Tag.maximumPerFriend)
        }
        return (added.filter { !kept.contains($0) }, removed)
    }

    /// Removes tags from plants. Each statement covers few plants and reads only the rows between the first and the
    /// last of them, whatever the planner estimates.
    func untag(_ taggings: [(plantID: Plant.ID, tagID: Tag.ID)]) async throws {
        if taggings.isEmpty { return }
        let taggings = taggings.sorted { $0.plantID < $1.plantID }
        for start in stride(from: 0, to: taggings.count, by: PlantRow.mostUpdated) {
            try await writePlanningEachTime([
                TagRow.untag(taggings[start..<min(start + PlantRow.mostUpdated, taggings.count)], lane: lane)
            ])
        }
    }
}

enum TagRow {
    static let columns: SQL = "id, name, colour, cycle_days, version"

    /// Returns an account's tags and the plants that have them, including removed plants.
    static func all(of account: Account.ID, on connection: Connection) async throws -> AccountTags {
        let tags = try await tags(of: account, on: connection)
        if tags.isEmpty { return AccountTags() }
        return try accountTags(tags, try await connection.query(taggings(of: account)))
    }

    /// Selects which plants have which tags, removed plants included.
    static func taggings(of account: Account.ID) -> Statement {
        Statement(
            """
            SELECT plant_id, tag_id FROM plant_tag
            WHERE lane = $1 AND tag_id = ANY (ARRAY(SELECT id FROM tag WHERE lane = $1 AND account_id = $2))
            """, [account.lane, account])
    }

    /// Selects how many friends have each tag, except removed ones.
    static func friendCounts(of account: Account.ID) -> Statement {
        // OFFSET 0 keeps the planner from starting with the plants, which it takes for few without statistics.
        Statement(
            """
            SELECT plant_tag.tag_id, count(*) FROM plant_tag
            CROSS JOIN LATERAL (
                SELECT 1 FROM plant
                WHERE plant.lane = $1 AND plant.id = plant_tag.plant_id AND plant.removed_at IS NULL OFFSET 0
            ) AS living
            WHERE plant_tag.lane = $1
                AND plant_tag.tag_id = ANY (ARRAY(SELECT id FROM tag WHERE lane = $1 AND account_id = $2))
            GROUP BY plant_tag.tag_id
            """, [account.lane, account])
    }

    /// The tags with their plants and friends.
    ///
    /// - Parameters:
    ///   - taggings: as ``taggings(of:)`` selects them.
    ///   - friendCounts: as ``friendCounts(of:)`` selects them; none where nobody asks for counts.
    static func accountTags(_ tags: [Tag], _ taggings: Rows, friendCounts: Rows? = nil) throws -> AccountTags {
        var tagIDs: [Plant.ID: [Tag.ID]] = [:]
        for row in taggings { tagIDs[try row.decode(0), default: []].append(try row.decode(1)) }
        var counts: [Tag.ID: Int] = [:]
        if let friendCounts {
            for row in friendCounts {
                var reader = row.reader
                counts[try reader.next()] = try reader.nextCount()
            }
        }
        return AccountTags(tags: tags, tagIDs: tagIDs, friendCounts: counts)
    }

    /// Returns an account's tags, sorted by name, without their plants.
    static func tags(of account: Account.ID, on connection: Connection) async throws -> [Tag] {
        try sorted(try await connection.query(list(of: account)), of: account)
    }

    /// Selects an account's tags.
    static func list(of account: Account.ID) -> Statement {
        Statement("SELECT \(columns) FROM tag WHERE lane = $1 AND account_id = $2", [account.lane, account])
    }

    /// Selects the tags of a plant.
    static func list(of account: Account.ID, on plant: Plant.ID) -> Statement {
        Statement(
            """
            SELECT \(columns) FROM tag WHERE lane = $1 AND account_id = $2
                AND id = ANY (ARRAY(SELECT tag_id FROM plant_tag WHERE lane = $1 AND plant_id = $3))
            """, [account.lane, account, plant])
    }

    static func sorted(_ rows: Rows, of account: Account.ID) throws -> [Tag] {
        try rows.map { try decode($0, in: account.lane) }.sorted { $0.name < $1.name }
    }

    /// Returns the tags of several accounts.
    static func all(of accounts: [Account.ID], on connection: Connection) async throws -> [Account.ID: [Tag]] {
        let rows = try await connection.pipeline(
            Dictionary(grouping: accounts, by: \.lane).map { lane, accounts in
                Statement(
                    "SELECT account_id, \(columns) FROM tag WHERE lane = $1 AND account_id = ANY ($2)",
                    [lane, accounts])
            })
        var tags: [Account.ID: [Tag]] = [:]
        for row in rows.joined() {
            var reader = row.reader
            let account = try reader.next(Account.ID.self)
            tags[account, default: []].append(try decode(&reader, in: account.lane))
        }
        return tags
    }

    static func decode(_ row: Row, in lane: Lane? = nil) throws -> Tag {
        var reader = row.reader
        return try decode(&reader, in: lane)
    }

    private static func decode(_ reader: inout RowReader, in lane: Lane? = nil) throws -> Tag {
        let id = try reader.next(Tag.ID.self)
        return try reader.reading("tag", key: { (lane.map { [.lane($0)] } ?? []) + [.id(id)] }) { reader in
            let name = TagName(stored: try reader.next())
            let colour = try reader.next(Int.self).within(0...0xFF_FFFF, orHolds: "a colour of more than three bytes")
            let cycle = try reader.next(Int?.self).map { days throws(CareError) in try Cycle(days: days) }
            return Tag(
                id: id, name: name, colour: TagColour(rgb: UInt32(colour)), cycle: cycle, version: try reader.next())
        }
    }

    static func requireFree(_ name: TagName, in known: AccountTags, except id: Tag.ID?) throws(CareError) {
        if known.tags.contains(where: { $0.name == name && $0.id != id }) {
            throw .duplicateTag(name.description)
        }
    }

    static func insert(_ tag: Tag, account: Account.ID) -> Statement {
        Statement(
            "INSERT INTO tag (lane, account_id, name_key, \(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            [
                account.lane, account, tag.name.key, tag.id, tag.name.description, Int32(tag.colour.rgb),
                tag.cycle?.days, tag.version,
            ])
    }

    static func update(_ tag: Tag, of account: Account.ID) -> Statement {
        Statement(
            """
            UPDATE tag SET name_key = $4, name = $5, colour = $6, cycle_days = $7, version = $8
            WHERE lane = $1 AND account_id = $2 AND id = $3
            """,
            [
                account.lane, account, tag.id, tag.name.key, tag.name.description, Int32(tag.colour.rgb),
                tag.cycle?.days, tag.version,
            ])
    }

    static func tag(_ taggings: [(plantID: Plant.ID, tagID: Tag.ID)], lane: Lane) -> Statement {
        Statement(
            """
            INSERT INTO plant_tag (lane, plant_id, tag_id)
            SELECT lane.lane, plant_id, tag_id FROM lane, unnest($2::uuid[], $3::uuid[]) AS added (plant_id, tag_id)
            WHERE lane.lane = $1
            ON CONFLICT DO NOTHING
            """, [lane, taggings.map(\.plantID), taggings.map(\.tagID)])
    }

    /// The COPY target for taggings: lane, plant and tag.
    static let copy = CopyTarget(table: "plant_tag", columns: "plant_id, tag_id")

    /// - Parameter taggings: sorted by plant.
    static func untag(_ taggings: ArraySlice<(plantID: Plant.ID, tagID: Tag.ID)>, lane: Lane) -> Statement {
        Statement(
            "SELECT delete_plant_tags($1, $2, $3)", [lane, taggings.map(\.plantID), taggings.map(\.tagID)])
    }

    static func delete(_ ids: [Tag.ID], of account: Account.ID, unlessUsed: Bool) -> Statement {
        Statement("SELECT delete_tags($1, $2, $3, $4)", [account.lane, account, ids, unlessUsed])
    }
}
