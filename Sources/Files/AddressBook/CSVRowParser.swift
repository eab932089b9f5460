/// One row of a table.
struct CSVRow {
    /// The line of the file in which the row begins.
    let line: Int
    /// The unquoted contents of the cells, concatenated.
    fileprivate let bytes: [UInt8]
    /// The range of each cell in `bytes`.
    fileprivate let cells: [Range<Int>]
    let isUTF8: Bool
    /// Whether the row exceeds the cell limit; the rest is dropped.
    let hasTooManyCells: Bool

    /// The number of cells.
    var count: Int { cells.count }

    /// Whether all cells are blank.
    var isBlank: Bool { cells.indices.allSatisfy(isBlank) }

    /// The text of a column, counted from 0; empty beyond the end of the row.
    func text(_ column: Int) -> String {
        guard column < cells.count else { return "" }
        let text = String(decoding: bytes[cells[column]], as: UTF8.self)
        return bytes[cells[column]].first == Byte.apostrophe ? text.withoutFormulaMark : text
    }

    /// Whether a column is blank.
    func isBlank(_ column: Int) -> Bool {
        guard column < cells.count, let first = bytes[cells[column]].first else { return true }
        // Fast path: most cells begin with a letter or digit.
        if first > Byte.space, first < 0x7F, first != Byte.apostrophe { return false }
        return text(column).isBlank
    }
}

extension String {
    /// Characters that begin a formula, or that a spreadsheet strips before it looks for one.
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\t", "\r", "\n", "\0", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// The text without the apostrophe that keeps a spreadsheet from running it as a formula. Our own tables have it,
    /// as do those of other careful exporters.
    fileprivate var withoutFormulaMark: String {
        let rest = unicodeScalars.drop { $0 == "'" }
        guard let start = rest.first, String.formulaStarts.contains(start) else { return self }
        return String(unicodeScalars.dropFirst())
    }
}

/// Splits lines into the cells of a table (RFC 4180).
///
/// A quote opens a quoted cell only at the start of the cell; inside an unquoted cell it is literal. Text between a
/// closing quote and the separator is appended to the cell.
struct CSVRowParser {
    /// The maximum size of a row: 8 MiB.
    static let longestRow = 8 * 1024 * 1024
    /// The maximum number of cells in a row.
    static let mostCells = 4096

    private enum Place {
        case start, unquoted, quoted, afterQuote
    }

    private let separator: UInt8
    private var place = Place.start
    private var bytes: [UInt8] = []
    private var cells: [Range<Int>] = []
    private var cellStart = 0
    private var hasTooManyCells = false
    private var size = 0
    private var encoding = UTF8Check()
    /// The last row's number of cells, to reserve capacity for the next.
    private var usualCount = 0

    /// The first line of a row whose quoted cell continues on the next line; nil if no row is open.
    private(set) var openRowLine: Int?

    init(separator: UInt8) {
        self.separator = separator
    }

    /// Takes the next line and returns the row that it completes.
    ///
    /// - Throws: ``UnreadableFile`` if the row is too long.
    mutating func take(_ line: PhysicalLine) throws -> CSVRow? {
        if openRowLine == nil, let row = plainRow(line) { return row }
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
            bytes += line.newline
            size += line.newline.count
            return nil
        }
        return endRow(rowLine)
    }

    /// Fast path for a line without quotes: slices its bytes at the separators.
    private mutating func plainRow(_ line: PhysicalLine) -> CSVRow? {
        var cells: [Range<Int>] = []
        cells.reserveCapacity(usualCount)
        let separator = separator
        let isPlain = line.bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            for position in bytes.indices {
                if bytes[position] == Byte.quote { return false }
                guard bytes[position] == separator else { continue }
                guard cells.count < Self.mostCells - 1 else { return false }
                cells.append(start..<position)
                start = position + 1
            }
            cells.append(start..<bytes.count)
            return true
        }
        guard isPlain else { return nil }
        usualCount = cells.count
        var encoding = UTF8Check()
        encoding.check(line.bytes[...])
        return CSVRow(
            line: line.number, bytes: line.bytes, cells: cells, isUTF8: encoding.isComplete, hasTooManyCells: false)
    }

    private mutating func take(_ byte: UInt8) {
        switch (place, byte) {
        case (.start, Byte.quote): place = .quoted
        case (.quoted, Byte.quote): place = .afterQuote
        case (.quoted, _): bytes.append(byte)
        case (.afterQuote, Byte.quote):
            bytes.append(byte)
            place = .quoted
        case (_, separator): endCell()
        default:
            bytes.append(byte)
            place = .unquoted
        }
    }

    private mutating func endCell() {
        if cells.count < Self.mostCells {
            cells.append(cellStart..<bytes.count)
        } else {
            hasTooManyCells = true
            bytes.removeSubrange(cellStart...)
        }
        cellStart = bytes.count
        place = .start
    }

    private mutating func endRow(_ line: Int) -> CSVRow {
        endCell()
        let row = CSVRow(
            line: line, bytes: bytes, cells: cells, isUTF8: encoding.isComplete, hasTooManyCells: hasTooManyCells)
        let usualCount = cells.count
        self = CSVRowParser(separator: separator)
        self.usualCount = usualCount
        return row
    }
}
