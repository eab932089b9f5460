import CherishCore
import Postgres

extension CareStore {
    /// Writes an account that is too large for memory, completely or not at all, as the other ``seed(_:)`` does.
    ///
    /// - Returns: the result, and how many friends were written.
    /// - Throws: what the other ``seed(_:)`` throws, and errors from unreadable pieces.
    public func seed(
        _ export: some PiecewiseExport
    ) async throws -> (outcome: SeededAccount, friendCount: Int) {
        let account = export.head.account
        _ = try zones.clock(of: account)
        do {
            return try await retryingMissingPartitions(pool) {
                try await pool.withTransaction { connection in
                    // Check before filling the shelf for nothing, and again under the lane's lock.
                    let known = try await SeedWriting.known([account.id], on: connection)
                    if !known.isEmpty { return (.known, 0) }
                    let shelf = try await PieceShelf(export, on: connection)
                    var writing = try await SeedWriting([export.head], on: connection, store: self)
                    if !writing.knownIDs.isEmpty { return (.known, 0) }
                    try await shelf.namingAllMonths {
                        try await writing.write()
                        try await shelf.forEachPart { pieces in
                            try await writing.writeFriends(of: [try export.part(pieces)])
                        }
                        try await writing.writePauses()
                    }
                    return (writing.outcome(of: account.id), shelf.plantCount)
                }
            }
        } catch let error as PostgresError where error.isAboutContent {
            throw UnfitExport(error)
        }
    }
}

/// Holds the pieces of an account in a temporary table until they are written plant by plant. Needed because a document
/// lists all plants first and then their pushes, in planning order.
private struct PieceShelf {
    let plantCount: Int
    private let connection: Connection
    /// One planned instant per month.
    private let plannedMonths: [Instant]

    init(_ export: some PiecewiseExport, on connection: Connection) async throws {
        try await connection.script(
            """
            CREATE TEMPORARY TABLE archive_piece (
                list smallint NOT NULL, import_index integer NOT NULL, index integer NOT NULL, plant_id uuid NOT NULL,
                planned_at timestamptz, bytes bytea NOT NULL
            ) ON COMMIT DROP
            """)
        _ = try await connection.copyIn(
            "COPY archive_piece (list, import_index, index, plant_id, planned_at, bytes) FROM STDIN (FORMAT binary)"
        ) { rows in
            try export.forEachPiece { piece in
                try rows.append(
                    piece.list.rawValue, Int32(piece.importIndex), Int32(piece.index), piece.plantID, piece.plannedAt,
                    Bytea(piece.bytes))
            }
        }
        try await connection.script("CREATE INDEX ON archive_piece (plant_id); ANALYZE archive_piece")
        let counts = try await connection.query("SELECT count(*) FROM archive_piece WHERE list = 0")
        let months = try await connection.query(
            """
            SELECT min(planned_at) FROM archive_piece WHERE planned_at IS NOT NULL
            GROUP BY date_trunc('month', planned_at AT TIME ZONE 'UTC')
            """)
        plantCount = try counts.first?.decode(0) ?? 0
        plannedMonths = try months.map { try $0.decode(0) }
        self.connection = connection
    }

    /// Passes on all pieces, grouped by plant: first those of the document's plants, in its order, then those about
    /// plants that the document lacks.
    func forEachPart(_ take: ([ExportPiece]) async throws -> Void) async throws {
        try await pages(
            """
            DECLARE shelved_plants NO SCROLL CURSOR FOR
            SELECT list, import_index, index, plant_id, bytes FROM archive_piece WHERE list = 0 ORDER BY index
            """, fetch: "FETCH 250 FROM shelved_plants"
        ) { plants in
            let others = try await connection.query(
                """
                SELECT list, import_index, index, plant_id, bytes FROM archive_piece
                WHERE plant_id = ANY ($1) AND list <> 0 ORDER BY list, import_index, index
                """, [plants.map(\.plantID)])
            try await take(plants + (try others.map { try ExportPiece($0) }))
        }
        try await pages(
            """
            DECLARE shelved_others NO SCROLL CURSOR FOR
            SELECT list, import_index, index, plant_id, bytes FROM archive_piece AS other
            WHERE list <> 0 AND NOT EXISTS (
                SELECT 1 FROM archive_piece AS plant WHERE plant.plant_id = other.plant_id AND plant.list = 0)
            ORDER BY list, import_index, index
            """, fetch: "FETCH 250 FROM shelved_others", take)
    }

    private func pages(
        _ declaration: SQL, fetch: SQL, _ take: ([ExportPiece]) async throws -> Void
    ) async throws {
        _ = try await connection.query(declaration)
        while true {
            let rows = try await connection.query(fetch)
            if rows.isEmpty { return }
            try await take(rows.map { try ExportPiece($0) })
        }
    }

    /// If a part fails because the calendar lacks a month, names the months of all parts, so that the account is not
    /// rewritten once per month.
    func namingAllMonths(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let missing as MissingPartition {
            throw MissingPartition(
                makeStatements: missing.makeStatements
                    + plannedMonths.map { Statement("SELECT make_calendar_partition($1)", [$0]) },
                refusal: missing.refusal)
        }
    }
}

extension ExportPiece {
    fileprivate init(_ row: Row) throws {
        var reader = row.reader
        guard let list = List(rawValue: try reader.next()) else { throw UnreadableRow(what: "an unknown list") }
        self.init(
            list: list, importIndex: try reader.next(), index: try reader.next(), plantID: try reader.next(),
            bytes: try reader.next(Bytea.self).bytes)
    }
}
