/// Reads contacts from a table with a header, line by line.
struct CSVContactParser: ContactParser {
    private static let separators = [Byte.comma, Byte.semicolon, Byte.tab]

    private var rows: CSVRowParser
    private var header: CSVHeader?
    private let columns: ColumnMap

    /// - Parameter headerLine: The first line of the table, which determines the separator. Pass it to ``take(_:)`` as
    ///   well.
    init(headerLine: PhysicalLine, columns: ColumnMap) {
        self.columns = columns
        rows = CSVRowParser(separator: Self.separator(in: headerLine.bytes))
    }

    mutating func take(_ line: PhysicalLine) throws -> ContactResult? {
        guard let row = try rows.take(line) else { return nil }
        if header != nil { return header?.contact(in: row) }
        header = try CSVHeader(row, columns: columns)
        return nil
    }

    mutating func finish() throws -> [ContactResult] {
        try Self.openRow(rows, hasHeader: header != nil).map { [.failure($0)] } ?? []
    }

    /// The row that is open at the end of the file.
    ///
    /// - Throws: ``UnreadableFile`` if it is the header.
    static func openRow(_ rows: CSVRowParser, hasHeader: Bool) throws -> UnreadableContact? {
        guard let line = rows.openRowLine else { return nil }
        guard hasHeader else {
            throw UnreadableFile(reason: "the header of the table opens a quote that is never closed: close it")
        }
        let reason = "a quote that opens in this row is never closed; it and all that follows could not be read"
        return UnreadableContact(line: line, reason: reason)
    }

    /// The most frequent of comma, semicolon and tab outside quotes; on a tie, the first of these.
    static func separator(in line: [UInt8]) -> UInt8 {
        var counts = [0, 0, 0]
        var isQuoted = false
        for byte in line {
            if byte == Byte.quote { isQuoted.toggle() }
            if !isQuoted, let index = separators.firstIndex(of: byte) { counts[index] += 1 }
        }
        let best = counts.indices.first { counts[$0] == counts.max() } ?? 0
        return separators[best]
    }
}
