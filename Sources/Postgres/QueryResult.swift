import CLibPQ

/// Owns a `PGresult`.
///
/// `@unchecked Sendable`: a `PGresult` is immutable once the query that made it is over, and only functions that read
/// it are called here, so every thread may look at it. It is cleared when nobody refers to it any more.
@usableFromInline
final class QueryResult: @unchecked Sendable {
    private let pointer: OpaquePointer
    @usableFromInline let columns: [String]
    /// The type of each column.
    @usableFromInline let types: [PostgresType]
    let rowCount: Int

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        // The columns of a COPY have no names.
        columns = (0..<PQnfields(pointer)).map { PQfname(pointer, $0).map { String(cString: $0) } ?? "" }
        types = (0..<PQnfields(pointer)).map { PostgresType(rawValue: PQftype(pointer, $0)) }
        rowCount = Int(PQntuples(pointer))
    }

    deinit {
        PQclear(pointer)
    }

    var status: ExecStatusType { PQresultStatus(pointer) }

    /// Whether the statement was done.
    var isSuccess: Bool {
        status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY
    }

    /// Whether the connection has changed into one of the modes of COPY.
    var isCopy: Bool {
        status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH
    }

    var isBinaryCopy: Bool { PQbinaryTuples(pointer) == 1 }

    /// Rows inserted, updated, deleted, copied or selected; 0 for other commands.
    var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    /// The bytes of a field, nil for NULL. They live as long as this result.
    @usableFromInline
    func field(row: Int, column: Int) -> UnsafeRawBufferPointer? {
        let length = PQgetlength(pointer, Int32(row), Int32(column))
        // Only what has no length can be NULL, so most fields are asked about once less.
        if length == 0, PQgetisnull(pointer, Int32(row), Int32(column)) != 0 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(pointer, Int32(row), Int32(column)), count: Int(length))
    }

    /// The failure this result tells of.
    func failure(sql: String) -> PostgresError {
        var error = PostgresError(code: .server)
        // Both are shown in logs, so they must be what they are called, whatever the server says.
        error.sqlState = diagnostic("C").flatMap { PostgresError.isState($0) ? $0 : nil }
        error.constraint = diagnostic("n").flatMap { PostgresError.isName($0) ? $0 : nil }
        error.table = diagnostic("t")
        error.serverMessage = diagnostic("M") ?? String(cString: PQresultErrorMessage(pointer))
        error.detail = diagnostic("D")
        error.hint = diagnostic("H")
        error.sql = sql
        return error
    }

    /// A field of the error. libpq names them by character literals (`PG_DIAG_…`), which Swift does not import.
    private func diagnostic(_ name: Unicode.Scalar) -> String? {
        guard let text = PQresultErrorField(pointer, Int32(name.value)) else { return nil }
        return String(cString: text)
    }
}
