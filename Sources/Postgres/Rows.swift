/// What a statement answered: rows, or only how many it affected.
public struct Rows: RandomAccessCollection, Sendable {
    private let result: QueryResult

    init(_ result: QueryResult) {
        self.result = result
    }

    /// The names of the columns.
    public var columns: [String] { result.columns }
    /// Rows inserted, updated, deleted or selected; 0 for other commands.
    public var affectedRows: Int { result.affectedRows }
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { result.rowCount }

    /// The row at a position.
    public subscript(position: Int) -> Row {
        precondition(position >= 0 && position < result.rowCount, "there are \(result.rowCount) rows")
        return Row(result: result, index: position)
    }
}

/// One row of an answer.
public struct Row: Sendable {
    private let result: QueryResult
    private let index: Int

    init(result: QueryResult, index: Int) {
        self.result = result
        self.index = index
    }

    /// Reads the columns from left to right.
    public var reader: RowReader { RowReader(self) }

    /// Whether the column holds NULL. A column that is not there does not.
    public func isNull(_ column: Int) -> Bool {
        result.columns.indices.contains(column) && result.field(row: index, column: column) == nil
    }

    /// Reads a column by its place, counted from 0.
    ///
    /// - Throws: ``PostgresError`` with code `decoding`, naming the column, if it holds something else or NULL.
    public func decode<T: PostgresDecodable>(_ column: Int, as type: T.Type = T.self) throws -> T {
        guard result.columns.indices.contains(column) else {
            throw PostgresError.decoding("there is no column \(column), only \(result.columns.count) columns")
        }
        guard let bytes = result.field(row: index, column: column) else {
            guard let null = T.decodedNull else {
                throw PostgresError.decoding("column \"\(result.columns[column])\" is NULL, which \(T.self) cannot be")
            }
            return null
        }
        do {
            return try T.decode(bytes, type: result.type(ofColumn: column))
        } catch let failure as PostgresError where failure.code == .decoding {
            var error = failure
            error.explanation = "column \"\(result.columns[column])\": \(error.explanation ?? "cannot be read")"
            throw error
        }
    }

    /// Reads a column by its name, as the server spells it.
    ///
    /// - Throws: ``PostgresError`` with code `decoding`, naming the column, if it holds something else or NULL.
    public func decode<T: PostgresDecodable>(_ name: String, as type: T.Type = T.self) throws -> T {
        guard let column = result.columns.firstIndex(of: name) else {
            throw PostgresError.decoding("there is no column \"\(name)\"")
        }
        return try decode(column, as: type)
    }
}

/// Reads the columns of a row from left to right.
public struct RowReader: Sendable {
    private let row: Row
    private var column = 0

    init(_ row: Row) {
        self.row = row
    }

    /// Reads the next column.
    ///
    /// - Throws: ``PostgresError`` with code `decoding`, naming the column, if it holds something else or NULL.
    public mutating func next<T: PostgresDecodable>(_ type: T.Type = T.self) throws -> T {
        defer { column += 1 }
        return try row.decode(column, as: type)
    }
}
