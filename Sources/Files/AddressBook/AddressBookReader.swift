/// Reads address books as phones and services export them: vCards, tables (CSV) with a header, and JSON Lines.
///
/// This module handles those formats, phone numbers, birthdays and the Korean lunar calendar. Its only input is the
/// bytes it reads: no database, no network, no clock. Start with ``next()``, then read one ``ContactParser``.
///
/// The format is detected from the content, not from the file name. A ``ByteSource`` is read in pieces, so memory use
/// is bounded regardless of its size.
public struct AddressBookReader {
    private var lines: LineReader
    private var parser: any ContactParser
    private var line: PhysicalLine?
    /// Contacts completed by the end of the file, last one first.
    private var ending: [ContactResult]?

    /// Opens an address book.
    ///
    /// - Parameters:
    ///   - source: Its bytes; ``ByteSource/file(_:)`` for a file.
    ///   - columns: The meanings of columns whose titles are not recognized.
    /// - Throws: ``UnreadableFile`` if the source cannot be read, is empty, or is a ZIP archive; any error of the source.
    public init(_ source: ByteSource, columns: ColumnMap = .none) throws {
        var lines = try LineReader(source)
        guard let first = try lines.nextNonBlankLine() else {
            throw UnreadableFile(reason: "\(source.name) is empty: export the address book once more")
        }
        guard !first.bytes.starts(with: Self.zip) else {
            throw UnreadableFile(
                reason: "\(source.name) is a ZIP archive or a spreadsheet: unpack it, or save the table as CSV")
        }
        self.init(first: first, of: lines, columns: columns)
    }

    /// How a ZIP archive begins, and so does a spreadsheet of today (.xlsx, .ods, .numbers).
    private static let zip = Array("PK\u{3}\u{4}".utf8)

    /// Continues with a file whose first non-blank line has been read.
    package init(first: PhysicalLine, of lines: LineReader, columns: ColumnMap) {
        self.lines = lines
        line = first
        parser = Self.contactParser(for: first, columns: columns)
    }

    /// How much of the file has been read, 0–1; nil if the size is unknown, as for a pipe.
    public var fractionRead: Double? { lines.fractionRead }

    /// Returns the next contact in file order, or the reason why it is unreadable; nil at the end.
    ///
    /// - Throws: ``UnreadableFile`` if the file as a whole cannot be read.
    public mutating func next() throws -> Result<ContactCard, UnreadableContact>? {
        while let current = line {
            let contact = try parser.take(current)
            line = try lines.nextLine()
            if let contact { return contact }
        }
        if ending == nil { ending = try parser.finish().reversed() }
        return ending?.popLast()
    }

    private static func contactParser(for first: PhysicalLine, columns: ColumnMap) -> any ContactParser {
        if VCardParser.begins(with: first) { return VCardParser() }
        if JSONContactParser.begins(with: first) { return JSONContactParser() }
        return CSVContactParser(headerLine: first, columns: columns)
    }
}

/// Turns the lines of one format into contacts.
package protocol ContactParser {
    /// Takes the next line, and returns the contact that it completes, if any.
    ///
    /// - Throws: ``UnreadableFile``.
    mutating func take(_ line: PhysicalLine) throws -> ContactResult?

    /// Returns the contacts still open at the end of the file.
    ///
    /// - Throws: ``UnreadableFile``.
    mutating func finish() throws -> [ContactResult]
}
