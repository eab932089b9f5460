import CherishCore
import Postgres

// Things in exports and seeds. They are read and written whole: an account has a few hundred, unlike waterings.
extension ThingRow {
    /// Returns an account's things with all that happened to them, sorted by id.
    static func histories(of account: Account.ID, tags: [Tag], on connection: Connection) async throws
        -> [ThingHistory]
    {
        let parameters: [any PostgresEncodable] = [account.lane, account]
        let answers = try await connection.pipeline([
            Statement("SELECT \(columns) FROM thing WHERE lane = $1 AND account_id = $2 ORDER BY id", parameters),
            Statement(
                """
                SELECT thing_id, undone_at, \(CompletionRow.columns) FROM thing_completion
                WHERE lane = $1 AND account_id = $2 ORDER BY thing_id, number
                """, parameters),
            Statement("SELECT thing_id, tag_id FROM thing_tag WHERE lane = $1 AND account_id = $2", parameters),
        ])
        var completions: [Thing.ID: [ExportedCompletion]] = [:]
        for row in answers[1] {
            var reader = row.reader
            let (thing, undoneAt) = (try reader.next(Thing.ID.self), try reader.next(Instant?.self))
            completions[thing, default: []].append(
                ExportedCompletion(
                    completion: try CompletionRow.decode(&reader, of: thing, account), undoneAt: undoneAt))
        }
        var tagIDs: [Thing.ID: Set<Tag.ID>] = [:]
        for row in answers[2] { tagIDs[try row.decode(0), default: []].insert(try row.decode(1)) }
        let sorted = tags.sorted { $0.name < $1.name }.map(\.id)
        return try answers[0].map { row in
            let thing = try decode(row)
            return ThingHistory(
                thing: thing, tagIDs: tagIDs[thing.id].map { ids in sorted.filter(ids.contains) } ?? [],
                completions: completions[thing.id] ?? [])
        }
    }

    /// Writes the things of an account that was just written, and plans their alerts.
    static func write(
        _ histories: [ThingHistory], of account: Account.ID, in context: CommandContext, on connection: Connection
    ) async throws {
        if histories.isEmpty { return }
        var histories = histories
        var occurrences: [Occurrence] = []
        for index in histories.indices {
            if let occurrence = histories[index].catchUp(in: context) { occurrences.append(occurrence) }
        }
        var statements: [Statement] = []
        for history in histories {
            statements.append(insert(history.thing))
            statements += history.completions.flatMap { exported in
                [CompletionRow.insert(exported.completion, of: history.thing, factID: nil)]
                    + (exported.undoneAt.map {
                        [CompletionRow.undo(exported.completion.number, of: history.thing, at: $0)]
                    } ?? [])
            }
            if !history.tagIDs.isEmpty {
                statements.append(
                    Statement(
                        """
                        INSERT INTO thing_tag (lane, account_id, thing_id, tag_id)
                        SELECT lane.lane, $2, $3, tag_id FROM lane, unnest($4::uuid[]) AS added (tag_id)
                        WHERE lane.lane = $1
                        """, [account.lane, account, history.thing.id, history.tagIDs]))
            }
        }
        do {
            _ = try await connection.pipeline(statements)
            _ = try await connection.pipeline([OccurrenceRow.insertAgain(occurrences, lane: account.lane)])
        } catch let error as PostgresError where error.isMissingPartition {
            throw OccurrenceRow.missingPartition(occurrences, after: error)
        }
    }
}
