/// One row of a table.
struct CSVRow {
    /// The line of the file in which it begins.
    let line: Int
    /// Without their quotes.
    let cells: [String]
    let isUTF8: Bool
    /// Whether there were more cells than any table has; the rest is not held.
    let hasTooManyCells: Bool
}

/// Cuts lines into the cells of a table (RFC 4180).
///
/// A quote opens a quoted cell only where the cell begins; in the middle of an unquoted cell it stands for itself. What follows
/// a closing quote up to the separator is added to the cell.
struct CSVRowParser {
    /// The most bytes in one row: 8 MiB.
    static let longestRow = 8 * 1024 * 1024
    /// The most cells in one row.
    static let mostCells = 4096

    private enum Place {
        case start, unquoted, quoted, afterQuote
    }

    private let separator: UInt8
    private var place = Place.start
    private var cell: [UInt8] = []
    private var cells: [[UInt8]] = []
    private var hasTooManyCells = false
    private var size = 0
    private var encoding = UTF8Check()

    /// The line in which the row begins that is not complete yet, because a quoted cell goes on.
    private(set) var openRowLine: Int?

    init(separator: UInt8) {
        self.separator = separator
    }

    /// Takes the next line, and returns the row that it completes.
    ///
    /// - Throws: ``UnreadableFile`` when the row is too long.
    mutating func take(_ line: PhysicalLine) throws -> CSVRow? {
        let rowLine = openRowLine ?? line.number
        size += line.bytes.count
        guard size <= Self.longestRow else {
            let reason = "the row that begins in line \(rowLine) is longer than 8 MiB: close the quote that opens in it"
            throw UnreadableFile(reason: reason)
        }
        encoding.check(line.bytes[...])
        for byte in line.bytes { take(byte) }
        if place == .quoted {
            openRowLine = rowLine
            encoding.check(line.newline[...])
            cell += line.newline
            size += line.newline.count
            return nil
        }
        return endRow(rowLine)
    }

    private mutating func take(_ byte: UInt8) {
        switch (place, byte) {
        case (.start, Byte.quote): place = .quoted
        case (.quoted, Byte.quote): place = .afterQuote
        case (.quoted, _): cell.append(byte)
        case (.afterQuote, Byte.quote):
            cell.append(byte)
            place = .quoted
        case (_, separator): endCell()
        default:
            cell.append(byte)
            place = .unquoted
        }
    }

    private mutating func endCell() {
        if cells.count < Self.mostCells {
            cells.append(cell)
        } else {
            hasTooManyCells = true
        }
        cell = []
        place = .start
    }

    private mutating func endRow(_ line: Int) -> CSVRow {
        endCell()
        let row = CSVRow(
            line: line,
            cells: cells.map { String(decoding: $0, as: UTF8.self) },
            isUTF8: encoding.isComplete,
            hasTooManyCells: hasTooManyCells
        )
        self = CSVRowParser(separator: separator)
        return row
    }
}
