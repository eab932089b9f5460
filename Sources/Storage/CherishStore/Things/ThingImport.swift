import CherishCore
import Foundation
import Postgres

/// A thing to record, unless the account has it.
public struct ImportedDraft: Sendable {
    public let draft: ThingDraft
    public let tags: [TagName]
    /// Whether its due day is counted from the day of the import, so that the day does not identify the thing.
    public let isDueRelative: Bool

    public init(_ draft: ThingDraft, tags: [TagName] = [], isDueRelative: Bool = false) {
        (self.draft, self.tags, self.isDueRelative) = (draft, tags, isDueRelative)
    }
}

/// What became of one thing of an import.
public enum ThingImportOutcome: Sendable {
    case recorded
    /// The account has it already, or an earlier one of the import is the same.
    case unchanged
    /// A rule of the whole thing refuses it.
    case refused(ThingError)
}

/// What an import of things did, or would do.
public struct ThingImportResult: Sendable {
    /// In the order of the drafts.
    public var outcomes: [ThingImportOutcome] = []
    public var newTags: [TagName] = []
}

extension Garden {
    /// How many things one transaction records. Takes some milliseconds, during which the lane's scheduler waits.
    private static let thingBatch = 200

    /// Records things with their tags, some in each transaction. What the account has, open or done, is not recorded again:
    /// the same kind, title, day and time. If the due day is counted from the day of the import, an open thing with the
    /// same kind and title counts as the same.
    ///
    /// - Parameter isDryRun: whether to report what would happen without writing anything.
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/tooManyTags(limit:)``.
    public func importThings(_ drafts: [ImportedDraft], isDryRun: Bool = false) async throws -> ThingImportResult {
        var result = ThingImportResult()
        let known = try await tags().tags.map(\.name)
        for name in drafts.flatMap(\.tags) where !known.contains(name) && !result.newTags.contains(name) {
            result.newTags.append(name)
        }
        guard known.count + result.newTags.count <= Tag.maximumPerAccount else {
            throw CareError.tooManyTags(limit: Tag.maximumPerAccount)
        }
        if !isDryRun {
            for name in result.newTags { _ = try await addTag(name, colour: nil, cycle: nil) }
        }
        var seen: Set<ThingKey> = []
        for start in stride(from: 0, to: drafts.count, by: Self.thingBatch) {
            let batch = drafts[start..<min(start + Self.thingBatch, drafts.count)]
            result.outcomes += try await importThings(batch, after: seen, isDryRun: isDryRun)
            seen.formUnion(batch.map { ThingKey($0) })
        }
        return result
    }

    private func importThings(
        _ drafts: ArraySlice<ImportedDraft>, after seen: Set<ThingKey>, isDryRun: Bool
    ) async throws -> [ThingImportOutcome] {
        let existing = Statement(
            """
            SELECT kind::text, title, due_on, series_start, due_minute, done_on IS NULL FROM thing
            WHERE lane = $1 AND account_id = $2
            """, [accountID.lane, accountID])
        let reading = [AccountRow.locked(accountID, .update), existing, TagRow.list(of: accountID)]
        return try await command(reading: reading) { command, rows in
            guard let row = rows[0].first else { throw CareError.notFound(.account) }
            let account = try AccountRow.decode(row)
            let context = try command.context(for: account)
            let tags = AccountTags(tags: try TagRow.sorted(rows[2], of: accountID))
            var known = seen.union(try rows[1].flatMap(ThingKey.keys))
            var new: [(thing: Thing, planned: PlannedMoment?, tagIDs: [Tag.ID])] = []
            let outcomes = drafts.map { wanted -> ThingImportOutcome in
                do throws(ThingError) {
                    let id = Thing.ID(store.identifiers.random())
                    let (thing, change) = try Thing.record(
                        wanted.draft, id: id, for: accountID, account.warningDays, in: context)
                    guard known.insert(ThingKey(wanted)).inserted else { return .unchanged }
                    new.append((thing, change.planned, tags.tags.filter { wanted.tags.contains($0.name) }.map(\.id)))
                    return .recorded
                } catch {
                    return .refused(error)
                }
            }
            if isDryRun || new.isEmpty { return outcomes }
            let taggings = new.flatMap { entry in entry.tagIDs.map { (entry.thing.id, $0) } }
            command.note(new.map { .thing($0.thing.id) }, of: accountID)
            command.finish(
                new.map { ThingRow.insert($0.thing) } + [
                    Statement(
                        """
                        INSERT INTO thing_tag (lane, account_id, thing_id, tag_id)
                        SELECT lane.lane, $2, added.thing_id, added.tag_id
                        FROM lane, unnest($3::uuid[], $4::uuid[]) AS added (thing_id, tag_id) WHERE lane.lane = $1
                        ON CONFLICT DO NOTHING
                        """, [command.lane, accountID, taggings.map(\.0), taggings.map(\.1)])
                ], planning: new.compactMap { entry in entry.planned.map(entry.thing.occurrence) })
            return outcomes
        }
    }
}

/// What makes two things of an account the same to an import.
private struct ThingKey: Hashable {
    let kind: String
    let title: String
    /// nil if it is counted from the day of the import.
    let day: CivilDay?
    let minute: Int?

    init(_ wanted: ImportedDraft) {
        let draft = wanted.draft
        (kind, title, day) = (draft.kind.rawValue, draft.title.description, wanted.isDueRelative ? nil : draft.dueOn)
        minute = draft.dueTime?.minuteOfDay
    }

    private init(_ kind: String, _ title: String, _ day: CivilDay?, _ minute: Int?) {
        (self.kind, self.title, self.day, self.minute) = (kind, title, day, minute)
    }

    /// One that recurs is known by its present day, and by that with which it began.
    static func keys(of row: Row) throws -> [ThingKey] {
        var reader = row.reader
        let (kind, title) = (try reader.next(String.self), try reader.next(String.self))
        let days = [try reader.next(CivilDay.self), try reader.next(CivilDay.self)]
        let minute = try reader.next(Int16?.self).map { Int($0) }
        let isOpen = try reader.next(Bool.self)
        return (days + (isOpen ? [nil] : [])).map { ThingKey(kind, title, $0, minute) }
    }
}
