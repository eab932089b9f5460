/// A row of a table, whatever the table is about.
package struct TableRow {
    /// The line of the file in which the row begins.
    package let line: Int
    /// Trimmed, one for each column of the header; empty where the row ends early.
    package let cells: [String]
}

/// Reads a table with a header line by line, and gives the texts of its cells.
package struct TableReader {
    private var rows: CSVRowParser
    /// The titles of the columns, trimmed; nil until the header was read.
    package private(set) var titles: [String]?

    /// - Parameter headerLine: The first line of the table, which determines the separator. Pass it to ``take(_:)`` as
    ///   well.
    package init(headerLine: PhysicalLine) {
        rows = CSVRowParser(separator: CSVContactParser.separator(in: headerLine.bytes))
    }

    /// Takes the next line, and returns the row that it completes; nil for the header and for blank rows.
    ///
    /// - Throws: ``UnreadableFile``.
    package mutating func take(_ line: PhysicalLine) throws -> Result<TableRow, UnreadableContact>? {
        guard let row = try rows.take(line) else { return nil }
        guard let titles else {
            try CSVHeader.require(row)
            self.titles = (0..<row.count).map { row.text($0).trimmed }
            return nil
        }
        if row.isBlank { return nil }
        if let reason = CSVHeader.problem(in: row, columnCount: titles.count) {
            return .failure(UnreadableContact(line: row.line, reason: reason))
        }
        return .success(TableRow(line: row.line, cells: titles.indices.map { row.text($0).trimmed }))
    }

    /// The row that is open at the end of the file.
    ///
    /// - Throws: ``UnreadableFile`` if it is the header.
    package func finish() throws -> UnreadableContact? {
        try CSVContactParser.openRow(rows, hasHeader: titles != nil)
    }
}
