import Postgres

/// A table, and the columns that COPY fills after the lane.
struct CopyTarget: Sendable {
    let table: String
    let columns: SQL

    var statement: SQL { "COPY \(name: table) (lane, \(columns)) FROM STDIN (FORMAT binary)" }
}

extension Connection {
    /// Adds rows within a transaction. Uses COPY, or a temporary table if the target is a view of the schema `garden`,
    /// because views do not support COPY.
    func fill(_ target: CopyTarget, _ write: @escaping @Sendable (inout CopyWriter) throws -> Void) async throws {
        let kinds = try await query("SELECT relkind = 'v' FROM pg_class WHERE oid = to_regclass($1)", [target.table])
        guard try kinds.first?.decode(0, as: Bool.self) == true else {
            _ = try await copyIn(target.statement, write)
            return
        }
        try await script(
            """
            CREATE TEMPORARY TABLE filling ON COMMIT DROP AS
            SELECT lane, \(target.columns) FROM \(name: target.table) WITH NO DATA
            """)
        _ = try await copyIn("COPY filling FROM STDIN (FORMAT binary)", write)
        try await script(
            """
            INSERT INTO \(name: target.table) (lane, \(target.columns)) SELECT lane, \(target.columns) FROM filling;
            DROP TABLE filling
            """)
    }
}
