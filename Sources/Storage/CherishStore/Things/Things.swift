import CherishCore
import Foundation
import Postgres

/// What a command did to a thing.
public struct ChangedThing: Sendable {
    public let thing: Thing
    /// The alerts that the command set and whose time is past. They are not planned (rule 10.4).
    public var pastAlerts: [ThingAlert] = []
}

extension Garden {
    /// Records a thing (rules 10.1 and 10.2).
    ///
    /// - Parameter id: A new id; nil draws one.
    /// - Throws: ``ThingError``; ``CareError/notFound(_:)`` for a tag that the account does not have.
    public func recordThing(
        _ draft: ThingDraft, tags: [TagName] = [], id: Thing.ID? = nil
    ) async throws -> ChangedThing {
        try await command(reading: [AccountRow.locked(accountID, .share)]) { command, rows in
            guard let row = rows[0].first else { throw CareError.notFound(.account) }
            let account = try AccountRow.decode(row)
            let (thing, change) = try Thing.record(
                draft, id: id ?? Thing.ID(store.identifiers.random()), for: accountID, account.warningDays,
                in: try command.context(for: account))
            let occurrences = [change.planned].compactMap { $0.map(thing.occurrence) }
            command.note([.thing(thing.id)], of: accountID)
            if tags.isEmpty {
                command.finish([ThingRow.insert(thing)], planning: occurrences)
            } else {
                try await command.write([ThingRow.insert(thing)], planning: occurrences)
                var order = try EditOrder(madeAt: nil, now: command.now)
                try await command.tag(thing, Tagging(adding: tags), in: &order)
            }
            return ChangedThing(thing: thing, pastAlerts: change.pastAlerts)
        }
    }

    /// Edits a thing, and adds and removes tags (rule 10.7). Parts that were edited later stay (rule 14.3).
    ///
    /// - Throws: ``ThingError``, ``CareError/notFound(_:)``.
    public func editThing(_ id: Thing.ID, _ edit: ThingEdit, _ tagging: Tagging = Tagging()) async throws
        -> ChangedThing
    {
        try await command(on: id, reading: [EditedItemRow.read(.thing(id), of: accountID)]) { command, locked, rows in
            var order = try editOrder(rows[2], at: command.now)
            var edit = edit
            edit.settle(in: &order)
            let change = try locked.thing.edit(edit, locked.account.warningDays, in: locked.context)
            try await command.tag(locked.thing, tagging, in: &order)
            if order.isOvertaken { return ChangedThing(thing: locked.before) }
            return locked.finish(
                command, EditedItemRow.write(order, of: .thing(id), in: accountID), planning: change.planned,
                pastAlerts: change.pastAlerts)
        }
    }

    /// Completes a thing (rules 10.7 and 10.8).
    ///
    /// - Parameters:
    ///   - outcome: for food only.
    ///   - factID: the id that the client made (rule 14.3); repeating it changes nothing.
    /// - Throws: ``ThingError``, ``CareError/notFound(_:)``, ``CareError/madeTooLongAgo(_:days:)``.
    public func completeThing(
        _ id: Thing.ID, as outcome: ThingCompletion.Outcome? = nil, madeAt: Instant? = nil, factID: UUID? = nil
    ) async throws -> ChangedThing {
        let recorded = Statement(
            "SELECT 1 FROM thing_completion WHERE lane = $1 AND account_id = $2 AND thing_id = $3 AND fact_id = $4",
            [accountID.lane, accountID, id, factID])
        return try await command(on: id, reading: [recorded]) { command, locked, rows in
            guard rows[2].isEmpty else { return ChangedThing(thing: locked.before) }
            let (completion, planned) = try locked.thing.complete(
                as: outcome, madeAt: madeAt, locked.account.warningDays, in: locked.context)
            return locked.finish(
                command, [CompletionRow.insert(completion, of: locked.thing, factID: factID)], planning: planned)
        }
    }

    /// Undoes the newest completion of a thing (rule 10.8).
    ///
    /// - Throws: ``ThingError``, ``CareError/notFound(_:)``.
    public func reopenThing(_ id: Thing.ID) async throws -> ChangedThing {
        try await command(on: id, reading: [CompletionRow.newest(of: id, accountID)]) { command, locked, rows in
            let newest = try rows[2].first.map { row in
                var reader = row.reader
                return try CompletionRow.decode(&reader, of: id, accountID)
            }
            let planned = try locked.thing.reopen(newest, locked.account.warningDays, in: locked.context)
            let undone = newest.map { CompletionRow.undo($0.number, of: locked.thing, at: command.now) }
            return locked.finish(command, [undone].compactMap { $0 }, planning: planned)
        }
    }

    /// Deletes a thing with all that happened to it. Devices learn that it is gone (rule 14.2).
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/editedSince`` if it was edited after the person decided that.
    public func removeThing(_ id: Thing.ID) async throws {
        try await command(on: id, reading: [EditedItemRow.read(.thing(id), of: accountID)]) { command, locked, rows in
            var order = try editOrder(rows[2], at: command.now)
            try order.delete()
            command.note([.thing(id)], of: accountID)
            command.finish([Statement("SELECT delete_things($1, $2, $3)", [command.lane, accountID, [id]])])
        }
    }

    /// A thing and its account, read and locked for a command.
    struct LockedThing: Sendable {
        /// As it was read.
        let before: Thing
        /// As the command leaves it, with the next version.
        var thing: Thing
        let account: Account
        let context: CommandContext

        /// Writes the thing with COMMIT, and plans its next alert.
        func finish(
            _ command: LaneCommand, _ statements: [Statement] = [], planning planned: PlannedMoment?,
            pastAlerts: [ThingAlert] = []
        ) -> ChangedThing {
            command.note([.thing(thing.id)], of: thing.accountID)
            command.finish(
                [ThingRow.update(thing)] + statements, planning: [planned].compactMap { $0.map(thing.occurrence) })
            return ChangedThing(thing: thing, pastAlerts: pastAlerts)
        }
    }

    /// Runs a command about a thing. Account and thing are read and locked with the lane, in one round trip.
    ///
    /// - Parameter statements: what else the command reads in that round trip.
    func command<Result: Sendable>(
        on thing: Thing.ID, reading statements: [Statement] = [],
        _ body: (LaneCommand, inout LockedThing, [Rows]) async throws -> Result
    ) async throws -> Result {
        let locking = [AccountRow.locked(accountID, .share), ThingRow.locked(thing, of: accountID)]
        return try await command(reading: locking + statements) { command, rows in
            guard let account = rows[0].first else { throw CareError.notFound(.account) }
            guard let row = rows[1].first else { throw CareError.notFound(.thing) }
            let owner = try AccountRow.decode(account)
            let before = try ThingRow.decode(row)
            try requireExpected(before.version)
            var locked = LockedThing(
                before: before, thing: before, account: owner, context: try command.context(for: owner))
            locked.thing.version += 1
            locked.thing.modifiedAt = command.now
            return try await body(command, &locked, rows)
        }
    }
}

extension LaneCommand {
    /// Adds and removes tags of a thing. The thing's row must be locked.
    ///
    /// - Throws: ``CareError/notFound(_:)`` for a tag that the account does not have,
    ///   ``CareError/tooManyTags(limit:)``.
    fileprivate func tag(_ thing: Thing, _ tagging: Tagging, in order: inout EditOrder) async throws {
        if tagging.adding.isEmpty && tagging.removing.isEmpty { return }
        let rows = try await connection.query(
            "SELECT tag_id FROM thing_tag WHERE lane = $1 AND account_id = $2 AND thing_id = $3",
            [lane, thing.accountID, thing.id])
        let (new, removed) = try await changes(tagging, of: thing.accountID, had: rows, in: &order)
        try await write([
            Statement(
                "SELECT delete_thing_tags($1, $2, $3, $4)", [lane, thing.accountID, thing.id, removed]),
            Statement(
                """
                INSERT INTO thing_tag (lane, account_id, thing_id, tag_id)
                SELECT lane.lane, $2, $3, tag_id FROM lane, unnest($4::uuid[]) AS added (tag_id) WHERE lane.lane = $1
                ON CONFLICT DO NOTHING
                """, [lane, thing.accountID, thing.id, new]),
        ])
    }
}

// MARK: - Reading

/// Things with their tags, as an account sees them.
public struct ThingsOverview: Sendable {
    public let viewpoint: Viewpoint
    /// In no order.
    public let things: [Thing]
    /// Sorted by name.
    public let tags: [Tag]
    private let tagIDs: [Thing.ID: Set<Tag.ID>]

    init(viewpoint: Viewpoint, things: [Thing], tags: [Tag], taggings: Rows) throws {
        (self.viewpoint, self.things, self.tags) = (viewpoint, things, tags)
        var tagIDs: [Thing.ID: Set<Tag.ID>] = [:]
        for row in taggings {
            var reader = row.reader
            tagIDs[try reader.next(), default: []].insert(try reader.next())
        }
        self.tagIDs = tagIDs
    }

    /// Returns the tags with these names.
    ///
    /// - Throws: ``CareError/notFound(_:)`` if the account has no such tag.
    public func tags(named names: [TagName]) throws(CareError) -> [Tag] {
        try AccountTags(tags: tags).tags(named: names)
    }

    /// A thing's tags, sorted by name.
    public func tags(of thing: Thing.ID) -> [Tag] {
        guard let ids = tagIDs[thing] else { return [] }
        return tags.filter { ids.contains($0.id) }
    }
}

extension Garden {
    /// Returns the account's thing whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func thing(_ prefix: String) async throws -> Thing {
        guard let range = UUID.range(beginningWith: prefix) else { throw CareError.notFound(.thing) }
        let rows = try await read(
            """
            SELECT \(ThingRow.columns) FROM thing
            WHERE lane = $1 AND account_id = $2 AND id BETWEEN $3 AND $4 LIMIT 2
            """, [accountID.lane, accountID, range.lowerBound, range.upperBound])
        return try ThingRow.decode(try rows.only(beginningWith: prefix, orElse: .thing))
    }

    /// Returns the things that are open, or those that were done, with their tags.
    public func things(areDone: Bool = false) async throws -> ThingsOverview {
        try await overview(
            of: Statement(
                """
                SELECT \(ThingRow.columns) FROM thing
                WHERE lane = $1 AND account_id = $2 AND (done_on IS NOT NULL) = $3
                """, [accountID.lane, accountID, areDone]))
    }

    /// Returns one thing with its tags.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func detail(of id: Thing.ID) async throws -> ThingsOverview {
        let seen = try await overview(of: ThingRow.read(id, of: accountID))
        if seen.things.isEmpty { throw CareError.notFound(.thing) }
        return seen
    }

    private func overview(of things: Statement) async throws -> ThingsOverview {
        let seen = try await see([things, TagRow.list(of: accountID), taggingsOfThings])
        return try ThingsOverview(
            viewpoint: seen.viewpoint, things: try seen.rows[0].map(ThingRow.decode),
            tags: try TagRow.sorted(seen.rows[1], of: accountID), taggings: seen.rows[2])
    }

    private var taggingsOfThings: Statement {
        Statement(
            "SELECT thing_id, tag_id FROM thing_tag WHERE lane = $1 AND account_id = $2", [accountID.lane, accountID])
    }
}

/// What an account has to do and has done on some days.
public struct GardenAgenda: Sendable {
    public let viewpoint: Viewpoint
    /// The open things that are due on the days.
    public let things: ThingsOverview
    /// The living plants, in the order of rule 2.4.
    public let plants: [Plant]
    public let tags: AccountTags
    /// Of the days, sorted by day, then by recording order.
    public let waterings: [Plant.ID: [Watering]]
    /// Whether there are more waterings than were asked for.
    public let isCut: Bool
}

extension Garden {
    /// Returns what is due and was done from `first` through `last`, in one round trip. Today in the account's zone is
    /// only known with the answer, so a day more may be returned.
    ///
    /// - Parameters:
    ///   - first: nil means today, or `last` if that is earlier.
    ///   - last: nil means as many days as there may be.
    ///   - mostDays: the maximum number of days.
    ///   - limit: the maximum number of waterings.
    public func agenda(from first: CivilDay?, to last: CivilDay?, mostDays: Int, limit: Int) async throws
        -> GardenAgenda
    {
        let parameters: [any PostgresEncodable] = [
            accountID.lane, accountID, first, last, store.time.fixedInstant, Int32(mostDays),
        ]
        let from: SQL = "coalesce($3, least((coalesce($5, clock_timestamp()) AT TIME ZONE 'UTC')::date - 1, $4))"
        let days: SQL = "BETWEEN \(from) AND least(coalesce($4, 'infinity'), \(from) + $6::int)"
        let things = Statement(
            """
            SELECT \(ThingRow.columns) FROM thing
            WHERE lane = $1 AND account_id = $2 AND done_on IS NULL AND due_on \(days)
            """, parameters)
        let waterings = Statement(
            """
            SELECT plant_id, \(WateringRow.columns) FROM watering
            WHERE lane = $1 AND plant_id = ANY (ARRAY(
                    SELECT id FROM plant WHERE lane = $1 AND account_id = $2 AND removed_at IS NULL))
                AND watered_on \(days)
            ORDER BY plant_id, watered_on, number LIMIT $7
            """, parameters + [limit + 1])
        let seen = try await see(
            [things, TagRow.list(of: accountID), taggingsOfThings, plantList(isArchived: false), waterings]
                + [TagRow.taggings(of: accountID)])
        let tags = try TagRow.sorted(seen.rows[1], of: accountID)
        return GardenAgenda(
            viewpoint: seen.viewpoint,
            things: try ThingsOverview(
                viewpoint: seen.viewpoint, things: try seen.rows[0].map(ThingRow.decode), tags: tags,
                taggings: seen.rows[2]),
            plants: Plant.listed(try seen.rows[3].map(PlantRow.decode)),
            tags: try TagRow.accountTags(tags, seen.rows[5]),
            waterings: try self.waterings(Array(seen.rows[4].prefix(limit))), isCut: seen.rows[4].count > limit)
    }
}

extension CareStore {
    /// Returns the account of the thing whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func owner(ofThing prefix: String) async throws -> Account.ID {
        try await find("account_id", in: "thing", prefix, orElse: .thing).decode(0)
    }
}
