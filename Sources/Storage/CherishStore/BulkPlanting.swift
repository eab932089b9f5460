import CherishCore
import Foundation
import Postgres

/// A friend to add in bulk to an account's garden.
public struct BulkFriend: Sendable {
    public let accountID: Account.ID
    public let contact: FriendContact

    public init(accountID: Account.ID, contact: FriendContact) {
        self.accountID = accountID
        self.contact = contact
    }
}

/// The result of adding friends in bulk.
public struct BulkPlanting: Sendable {
    public var plantedCount = 0
    /// Friends left unchanged because they already exist, living or removed, or appear twice. Also counts friends of
    /// accounts erased in the meantime.
    public var knownCount = 0
    /// How often a friend went without a tag because the account already has the maximum number of tags.
    public var tagsLeftOutCount = 0

    public init() {}
}

/// How friends are added in bulk.
public struct BulkOptions: Sendable {
    /// The cycle of friends for whom neither the file nor a tag sets one.
    public var cycle: Cycle
    /// Whether to spread first due dates over the cycles (rule 1.9). The plants' random ids determine the spread,
    /// because nothing counts the plants.
    public var spreading = true

    public init(cycle: Cycle) {
        self.cycle = cycle
    }
}

extension CareStore {
    /// Returns the accounts with these e-mails or ids. Unknown references are absent from the result.
    public func accounts(_ references: Set<String>) async throws -> [String: Account] {
        var ids: [String: Account.ID] = [:]
        var keys: [String: String] = [:]
        for reference in references {
            if let uuid = UUID(uuidString: reference) {
                ids[reference] = Account.ID(uuid)
            } else if let email = try? EmailAddress(reference) {
                keys[reference] = email.key
            }
        }
        let (byID, byKey) = (ids, keys)
        return try await pool.withConnection { connection in
            var owners: [String: Account.ID] = [:]
            for row in try await connection.query(
                "SELECT email, account_id FROM account_email WHERE email = ANY ($1)", [Array(Set(byKey.values))])
            {
                owners[try row.decode(0)] = try row.decode(1, as: Account.ID.self)
            }
            let wanted = byID.merging(byKey.compactMapValues { owners[$0] }) { id, _ in id }
            let accounts = try await AccountRow.all(Set(wanted.values), on: connection)
            let byAccountID = Dictionary(accounts.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            return wanted.compactMapValues { byAccountID[$0] }
        }
    }

    /// Adds friends to many gardens in one transaction.
    ///
    /// Meant for a few thousand friends per call. Idempotent: leaves a friend unchanged if the account has, or once
    /// had, the phone.
    public func plantFriends(_ friends: [BulkFriend], _ options: BulkOptions) async throws -> BulkPlanting {
        if friends.isEmpty { return BulkPlanting() }
        let unique = IdentifiedFriend.unique(friends, newID: identifiers.random)
        // Most friends are new, so look up living ones only after the unique index has rejected a row. The index does
        // not cover removed friends, so those are always looked up.
        do {
            return try await plant(unique, of: friends.count, options, lookingUpLiving: false)
        } catch let error as PostgresError where error.isUniqueViolation {
            return try await plant(unique, of: friends.count, options, lookingUpLiving: true)
        }
    }

    private func plant(_ friends: [IdentifiedFriend], of count: Int, _ options: BulkOptions, lookingUpLiving: Bool)
        async throws -> BulkPlanting
    {
        let (result, changed) = try await retryingMissingPartitions(pool) {
            try await pool.withTransaction { connection in
                var gardens = try await BulkGardens(
                    of: friends, on: connection, store: self, exclusively: lookingUpLiving)
                let known = try await IdentifiedFriend.known(friends, includingLiving: lookingUpLiving, on: connection)
                let rows = gardens.plant(friends.filter { !known.contains($0.id) }, options)
                try await rows.write(on: connection)
                var result = BulkPlanting()
                result.plantedCount = rows.plants.count
                result.knownCount = count - rows.plants.count
                result.tagsLeftOutCount = gardens.tagsLeftOutCount
                return (result, rows.changes)
            }
        }
        await announcer.announce(Set(changed.keys))
        return result
    }
}

/// A friend with the random id of its future plant.
private struct IdentifiedFriend: Sendable {
    let id: Plant.ID
    let accountID: Account.ID
    let contact: FriendContact

    /// Returns the friends in row order, so that concurrent calls acquire locks in the same order. Of several friends
    /// with the same account and phone, the first wins.
    static func unique(_ friends: [BulkFriend], newID: () -> UUID) -> [IdentifiedFriend] {
        let places = friends.indices.sorted { left, right in
            let (leftOwner, rightOwner) = (friends[left].accountID, friends[right].accountID)
            if leftOwner != rightOwner { return (leftOwner.lane, leftOwner) < (rightOwner.lane, rightOwner) }
            let (leftPhone, rightPhone) = (friends[left].contact.phones[0], friends[right].contact.phones[0])
            return leftPhone == rightPhone ? left < right : leftPhone.description < rightPhone.description
        }
        var unique: [IdentifiedFriend] = []
        unique.reserveCapacity(friends.count)
        for place in places {
            let (owner, contact) = (friends[place].accountID, friends[place].contact)
            if let last = unique.last, last.accountID == owner, last.contact.phones[0] == contact.phones[0] { continue }
            unique.append(IdentifiedFriend(id: Plant.ID(newID()), accountID: owner, contact: contact))
        }
        return unique
    }

    /// Returns the friends whom the account once had and removed and, on request, those it still has.
    ///
    /// ARRAY and the row comparison steer the planner. It treats lane and account as independent, and would otherwise
    /// read the whole garden for each phone.
    static func known(_ friends: [IdentifiedFriend], includingLiving: Bool, on connection: Connection) async throws
        -> Set<Plant.ID>
    {
        // One statement for each lane, because the lane determines the shard.
        let lanes = Dictionary(grouping: friends, by: \.accountID.lane).sorted { $0.key < $1.key }
        let answers = try await connection.pipeline(
            lanes.map { lane, friends in
                Statement(
                    """
                    SELECT wanted.id FROM unnest($2::uuid[], $3::uuid[], $4::text[]) AS wanted (id, account_id, phone)
                    WHERE wanted.account_id = ANY (ARRAY (
                            SELECT plant.account_id FROM plant WHERE plant.lane = $1 AND plant.phone = wanted.phone
                                AND plant.removed_at IS NOT NULL))
                        OR $5 AND EXISTS (
                            SELECT 1 FROM plant WHERE plant.lane = $1 AND plant.removed_at IS NULL
                                AND (plant.account_id, plant.phone) >= (wanted.account_id, wanted.phone)
                                AND (plant.account_id, plant.phone) <= (wanted.account_id, wanted.phone))
                    """,
                    [
                        lane, friends.map(\.id), friends.map(\.accountID),
                        friends.map(\.contact.phones[0].description), includingLiving,
                    ])
            })
        return Set(try answers.joined().map { try $0.decode(0, as: Plant.ID.self) })
    }
}

/// The locked accounts of some friends, with what the rules need to know about each.
private struct BulkGardens {
    private struct Garden {
        let account: Account
        let context: CommandContext
        var tags = TagRoster()
        var pauses: [Pause] = []
    }

    private var gardens: [Account.ID: Garden] = [:]
    private let now: Instant
    private let newTagID: () -> Tag.ID

    /// Locks lanes before accounts, as every command does, and both in sorted order.
    ///
    /// - Parameter exclusively: whether no other command may add a friend to these accounts meanwhile.
    init(of friends: [IdentifiedFriend], on connection: Connection, store: CareStore, exclusively: Bool) async throws {
        let random = store.identifiers.random
        newTagID = { Tag.ID(random()) }
        let ids = Set(friends.map(\.accountID))
        let withTags = friends.contains { !$0.contact.tags.isEmpty }
        let lanes = try await store.lockLanes(Set(ids.map(\.lane)), on: connection)
        now = lanes.now
        // Only one transaction at a time may create an account's tags.
        let lock: RowLock = withTags || exclusively ? .update : .share
        for account in try await AccountRow.all(ids, on: connection, lock: lock) {
            gardens[account.id] = Garden(
                account: account,
                context: CommandContext(
                    now: now, zone: try store.zones.clock(of: account),
                    calendarCursor: lanes.cursors[account.id.lane] ?? now))
        }
        for (account, pauses) in try await PauseRow.all(of: Array(gardens.keys), on: connection) {
            gardens[account]?.pauses = pauses
        }
        guard withTags else { return }
        for (account, tags) in try await TagRow.all(of: Array(gardens.keys), on: connection) {
            gardens[account]?.tags = TagRoster(tags)
        }
    }

    private(set) var tagsLeftOutCount = 0

    /// Registers the friends whose accounts still exist.
    mutating func plant(_ friends: [IdentifiedFriend], _ options: BulkOptions) -> BulkRows {
        var rows = BulkRows(plantedAt: now)
        rows.plants.reserveCapacity(friends.count)
        for friend in friends {
            guard let garden = gardens[friend.accountID] else { continue }
            let tags = tags(of: friend)
            let cycle = friend.contact.cycle ?? Tag.defaultCycle(of: tags) ?? options.cycle
            let (plant, occurrences) = Plant.register(
                Registration(friend.contact, cycle: cycle), id: friend.id, for: garden.account,
                in: garden.context,
                firstDueIn: options.spreading ? CycleSpread.firstDueIn(cycle, for: friend.id) : nil,
                pausedDays: garden.pauses.days(of: nil, tagIDs: tags.map(\.id)))
            rows.plants.append(plant)
            rows.occurrences[plant.accountID.lane, default: []] += occurrences
            rows.taggings += tags.map { (plant, $0.id) }
        }
        rows.newTags = gardens.values.flatMap { garden in garden.tags.newTags.map { ($0, garden.account.id) } }
        return rows
    }

    private mutating func tags(of friend: IdentifiedFriend) -> [Tag] {
        let names = friend.contact.tags.prefix(Tag.maximumPerFriend)
        if names.isEmpty { return [] }
        let tags = gardens[friend.accountID]?.tags.tags(named: Array(names), newID: newTagID) ?? []
        tagsLeftOutCount += Set(names).count - tags.count
        return tags
    }
}

/// The rows to write for new friends of many gardens.
private struct BulkRows {
    let plantedAt: Instant
    var plants: [Plant] = []
    var occurrences: [Lane: [Occurrence]] = [:]
    var newTags: [(tag: Tag, accountID: Account.ID)] = []
    var taggings: [(plant: Plant, tagID: Tag.ID)] = []

    /// What devices are told of.
    var changes: [Account.ID: [ChangedItem]] {
        var changes = Dictionary(grouping: plants, by: \.accountID).mapValues { $0.map { ChangedItem.friend($0.id) } }
        for (tag, account) in newTags { changes[account, default: []].append(.tag(tag.id)) }
        return changes
    }

    func write(on connection: Connection) async throws {
        if plants.isEmpty { return }
        // First, because all is done again if the calendar lacks a month.
        do {
            try await OccurrenceRow.copy(occurrences, to: connection)
        } catch let error as PostgresError where error.isMissingPartition {
            throw OccurrenceRow.missingPartition(occurrences.values.flatMap { $0 }, after: error)
        }
        let (plants, plantedAt) = (plants, plantedAt)
        _ = try await connection.copyIn(PlantRow.copy.statement) { rows in
            for plant in plants { try PlantRow.append(plant, createdAt: plantedAt, to: &rows) }
        }
        _ = try await connection.copyIn(CycleChangeRow.copy.statement) { rows in
            for plant in plants {
                try CycleChangeRow.append(plant, changedAt: plantedAt, to: &rows)
                guard plant.isMovedByPause else { continue }
                try CycleChangeRow.append(DueDateChange(pausing: plant, changedAt: plantedAt), of: plant, to: &rows)
            }
        }
        try await writeTags(on: connection)
        _ = try await connection.pipeline(ChangeRow.note(changes, at: plantedAt))
    }

    private func writeTags(on connection: Connection) async throws {
        if taggings.isEmpty { return }
        _ = try await connection.pipeline(newTags.map { TagRow.insert($0.tag, account: $0.accountID) })
        let taggings = taggings
        _ = try await connection.copyIn(TagRow.copy.statement) { rows in
            for (plant, tagID) in taggings { try rows.append(plant.accountID.lane, plant.id, tagID) }
        }
    }
}
