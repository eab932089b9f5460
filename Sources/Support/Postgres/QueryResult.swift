import CLibPQ

/// Owns a `PGresult`.
///
/// `@unchecked Sendable`: a `PGresult` is immutable once its query is done, and this class only calls functions that
/// read it. The last reference clears it.
@usableFromInline
final class QueryResult: @unchecked Sendable {
    private let pointer: OpaquePointer
    @usableFromInline let columns: [String]
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

    /// Whether the statement succeeded.
    var isSuccess: Bool {
        status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY
    }

    /// Whether the connection entered a COPY mode.
    var isCopy: Bool {
        status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH
    }

    var isBinaryCopy: Bool { PQbinaryTuples(pointer) == 1 }

    /// Rows inserted, updated, deleted, copied or selected; 0 for other commands.
    var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    /// The bytes of a field, or nil for NULL. Valid as long as this result lives.
    @usableFromInline
    func field(row: Int, column: Int) -> UnsafeRawBufferPointer? {
        let length = PQgetlength(pointer, Int32(row), Int32(column))
        // Only an empty field can be NULL, so most fields save a call.
        if length == 0, PQgetisnull(pointer, Int32(row), Int32(column)) != 0 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(pointer, Int32(row), Int32(column)), count: Int(length))
    }

    /// The error that this result reports.
    func failure(sql: String) -> PostgresError {
        var error = PostgresError(code: .server)
        // Both appear in logs, so validate them whatever the server sends.
        error.sqlState = diagnostic("C").flatMap { PostgresError.isState($0) ? $0 : nil }
        error.constraint = diagnostic("n").flatMap { PostgresError.isName($0) ? $0 : nil }
        error.table = diagnostic("t")
        error.serverMessage = diagnostic("M") ?? String(cString: PQresultErrorMessage(pointer))
        error.detail = diagnostic("D")
        error.hint = diagnostic("H")
        error.sql = sql
        error.restoreFromMessageOfNode()
        return error
    }

    /// Whether the server ends the connection after this error.
    var isFatal: Bool { diagnostic("V") != "ERROR" }

    /// A field of the error. libpq names them with character literals (`PG_DIAG_…`), which Swift does not import.
    private func diagnostic(_ name: Unicode.Scalar) -> String? {
        guard let text = PQresultErrorField(pointer, Int32(name.value)) else { return nil }
        return String(cString: text)
    }
}
