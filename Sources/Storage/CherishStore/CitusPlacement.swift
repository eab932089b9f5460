import CherishCore
import Postgres

// Where Citus has placed the lanes, if it has (`sql/citus`). Plain PostgreSQL answers as one node.

extension Connection {
    /// Whether Citus has distributed the tables over nodes.
    package func isOnCitus() async throws -> Bool {
        let catalogue = try await query("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL")
        guard try catalogue.first?.decode(0, as: Bool.self) == true else { return false }
        let placed = try await query(
            "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_partition WHERE logicalrelid = to_regclass('lane'))")
        return try placed.first?.decode(0, as: Bool.self) == true
    }

    /// Sets something until the end of the transaction, on the nodes of Citus, too. On plain PostgreSQL the first setting
    /// means nothing. `set_config` would not reach the nodes.
    ///
    /// - Parameter setting: what follows SET LOCAL.
    func setEverywhere(_ setting: SQL) async throws {
        try await script("SET LOCAL citus.propagate_set_commands = 'local'; SET LOCAL \(setting)")
    }

    /// The lanes of each node of Citus, as the coordinator knows them; a node that is down is among them.
    fileprivate func lanesByNode() async throws -> [[Lane]] {
        guard try await isOnCitus() else { return [Lane.all] }
        let rows = try await query(
            """
            SELECT shard.lane, placement.groupid
            FROM (
                SELECT number::smallint AS lane,
                    get_shard_id_for_distribution_column('lane'::regclass, number::smallint) AS shardid
                FROM generate_series(0, 255) AS number
            ) AS shard
            JOIN pg_catalog.pg_dist_placement AS placement ON placement.shardid = shard.shardid
            ORDER BY shard.lane
            """)
        var lanes: [Int: [Lane]] = [:]
        for row in rows { lanes[try row.decode(1), default: []].append(try row.decode(0)) }
        return Array(lanes.values)
    }
}

extension ConnectionPool {
    /// Asks about all lanes at once, or, if a node of Citus is away, about the lanes of each node.
    ///
    /// - Parameter ask: asks about some lanes, or about all if there are none given. Each table must name the lanes, or
    ///   Citus asks the nodes of all of them.
    /// - Throws: what the question about all lanes threw, if no node answers.
    func askAboutLanes<Answer: Sendable>(
        _ ask: (Connection, [Lane]?) async throws -> [Answer]
    ) async throws -> [Answer] {
        do {
            return try await withConnection { try await ask($0, nil) }
        } catch let away as PostgresError where away.isConnectionFailure {
            var answers: [Answer] = []
            var hasAnswer = false
            let nodes = try await withConnection { try await $0.lanesByNode() }
            for lanes in nodes where nodes.count > 1 {
                do {
                    answers += try await withConnection { try await ask($0, lanes) }
                    hasAnswer = true
                } catch let error as PostgresError where error.isConnectionFailure {
                    continue
                }
            }
            if !hasAnswer { throw away }
            return answers
        }
    }
}
