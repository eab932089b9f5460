/// The result of a statement: rows, or only the number of affected rows.
public struct Rows: RandomAccessCollection, Sendable {
    private let result: QueryResult

    init(_ result: QueryResult) {
        self.result = result
    }

    /// The column names.
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

/// One row of a result.
///
/// Decoding is inlinable, so that other modules get it specialized for their types: unspecialized, the run-time type
/// lookups take several times as long as the decoding itself.
public struct Row: Sendable {
    @usableFromInline let result: QueryResult
    @usableFromInline let index: Int

    init(result: QueryResult, index: Int) {
        self.result = result
        self.index = index
    }

    /// Reads the columns from left to right.
    @inlinable public var reader: RowReader { RowReader(self, from: 0) }

    /// Reads the columns from an index on, from left to right.
    @inlinable public func reader(from column: Int) -> RowReader { RowReader(self, from: column) }

    /// Whether the column is NULL. False for a column that does not exist.
    public func isNull(_ column: Int) -> Bool {
        result.types.indices.contains(column) && result.field(row: index, column: column) == nil
    }

    /// Decodes a column by its index, counted from 0.
    ///
    /// - Throws: ``PostgresError`` with code `decoding`, naming the column, if the value is NULL or of another type.
    @inlinable
    public func decode<T: PostgresDecodable>(_ column: Int, as type: T.Type = T.self) throws -> T {
        guard result.types.indices.contains(column) else { throw result.noColumn(column) }
        guard let bytes = result.field(row: index, column: column) else {
            guard let null = T.decodedNull else { throw result.unexpectedNull(column, "\(T.self)") }
            return null
        }
        do {
            return try T.decode(bytes, type: result.types[column])
        } catch {
            throw result.naming(column, error)
        }
    }

    /// Decodes a column by its name, as the server spells it.
    ///
    /// - Throws: ``PostgresError`` with code `decoding`, naming the column, if the value is NULL or of another type.
    @inlinable
    public func decode<T: PostgresDecodable>(_ name: String, as type: T.Type = T.self) throws -> T {
        guard let column = result.columns.firstIndex(of: name) else { throw result.noColumn(named: name) }
        return try decode(column, as: type)
    }
}

/// Reads the columns of a row from left to right.
public struct RowReader: Sendable {
    @usableFromInline let row: Row
    @usableFromInline var column: Int

    @inlinable
    init(_ row: Row, from column: Int) {
        self.row = row
        self.column = column
    }

    /// The name of the column last read, whether or not decoding succeeded; nil before the first.
    public var lastColumn: String? {
        row.result.columns.indices.contains(column - 1) ? row.result.columns[column - 1] : nil
    }

    /// Decodes the column at an index, counted from 0; the next read continues after it.
    ///
    /// - Throws: as ``next(_:)``.
    @inlinable
    public mutating func value<T: PostgresDecodable>(at position: Int, as type: T.Type = T.self) throws -> T {
        column = position
        return try next(type)
    }

    /// Decodes the next column.
    ///
    /// - Throws: ``PostgresError`` with code `decoding`, naming the column, if the value is NULL or of another type.
    @inlinable
    public mutating func next<T: PostgresDecodable>(_ type: T.Type = T.self) throws -> T {
        defer { column += 1 }
        return try row.decode(column, as: type)
    }
}

// MARK: - Decoding errors

extension QueryResult {
    @usableFromInline
    func noColumn(_ column: Int) -> any Error {
        PostgresError.decoding("there is no column \(column), only \(columns.count) columns")
    }

    @usableFromInline
    func noColumn(named name: String) -> any Error {
        PostgresError.decoding("there is no column \"\(name)\"")
    }

    @usableFromInline
    func unexpectedNull(_ column: Int, _ type: String) -> any Error {
        PostgresError.decoding("column \"\(columns[column])\" is NULL, which \(type) cannot be")
    }

    /// Puts the column name in front of a decoding error.
    @usableFromInline
    func naming(_ column: Int, _ error: any Error) -> any Error {
        guard var named = error as? PostgresError, named.code == .decoding else { return error }
        named.explanation = "column \"\(columns[column])\": \(named.explanation ?? "cannot be read")"
        return named
    }
}
