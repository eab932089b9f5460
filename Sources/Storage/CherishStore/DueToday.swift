import CherishCore
import Postgres

/// What an account is to do today: what is due on the day or was due before (rule 14.4).
public struct DueToday: Sendable {
    public let today: CivilDay
    /// Living plants and open things, those due last first; not all of them, if there are many.
    public let plants: [Plant]
    public let things: [Thing]
    /// How many there are: due today, and due before.
    public let dueCount, overdueCount: Int

    /// - Parameter rows: plants, things, and the counts of both.
    fileprivate init(_ rows: [Rows], on today: CivilDay) throws {
        self.today = today
        plants = try rows[0].compactMap(PlantRow.decodeUnlessBroken)
        things = try rows[1].compactMap { row in try readable { try ThingRow.decode(row) } }
        var counts = (due: 0, overdue: 0)
        for row in rows[2...].joined() {
            var reader = row.reader
            counts.due += try reader.nextCount()
            counts.overdue += try reader.nextCount()
        }
        (dueCount, overdueCount) = counts
    }
}

extension Garden {
    /// Returns what is due today or was due before.
    ///
    /// - Parameter limit: how many plants and how many things are returned at most.
    public func dueToday(limit: Int) async throws -> DueToday {
        // Which day it is depends on the zone.
        let today = try day(try await viewpoint())
        return try DueToday(try await read(Self.due(of: accountID, on: today, limit: limit)), on: today)
    }

    private func day(_ viewpoint: Viewpoint) throws -> CivilDay {
        try store.zones.clock(of: viewpoint.account).day(at: viewpoint.now)
    }

    private static func due(of account: Account.ID, on today: CivilDay, limit: Int) -> [Statement] {
        let parameters: [any PostgresEncodable] = [account.lane, account, today]
        let counts: SQL = "SELECT count(*) FILTER (WHERE due_on = $3), count(*) FILTER (WHERE due_on < $3)"
        // While it is paused after its due date, a plant stays thirsty (rule 13.1).
        let conditions: SQL = """
            SELECT count(*) FILTER (WHERE withers_on(due_on, pauses) > $3),
                count(*) FILTER (WHERE withers_on(due_on, pauses) <= $3)
            """
        let plants: SQL = "FROM plant WHERE lane = $1 AND account_id = $2 AND removed_at IS NULL AND due_on <= $3"
        let things: SQL = "FROM thing WHERE lane = $1 AND account_id = $2 AND done_on IS NULL AND due_on <= $3"
        return [
            Statement(
                "SELECT \(PlantRow.columns) \(plants) ORDER BY due_on DESC, id LIMIT $4", parameters + [Int32(limit)]),
            Statement(
                "SELECT \(ThingRow.columns) \(things) ORDER BY due_on DESC, due_minute, id LIMIT $4",
                parameters + [Int32(limit)]),
            Statement("\(conditions) \(plants)", parameters), Statement("\(counts) \(things)", parameters),
        ]
    }
}
