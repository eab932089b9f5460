/// Reads address books as phones and services export them: vCards, tables (CSV) with a header, and JSON Lines.
///
/// The format is told by what the file holds, not by its name. The file is read in small pieces, so that memory stays
/// bounded however large it is.
public struct AddressBookReader {
    private var lines: LineReader
    private var parser: any ContactParser
    private var line: PhysicalLine?
    /// What the end of the file completed, the last contact first.
    private var ending: [ContactResult]?

    /// Opens an address book.
    ///
    /// - Parameters:
    ///   - path: Where the file is; `-` is the standard input.
    ///   - columns: What the columns of a table mean, where their titles do not say it.
    /// - Throws: ``UnreadableFile`` when it cannot be read, or is empty.
    public init(path: String, columns: ColumnMap = .none) throws {
        var lines = try LineReader(path: path)
        guard let first = try lines.nextNonBlankLine() else {
            throw UnreadableFile(reason: "\(path) is empty: export the address book once more")
        }
        self.init(first: first, of: lines, columns: columns)
    }

    /// Goes on with a file of which the first line that is not blank was read.
    package init(first: PhysicalLine, of lines: LineReader, columns: ColumnMap) {
        self.lines = lines
        line = first
        parser = Self.contactParser(for: first, columns: columns)
    }

    /// How much of the file was read, 0–1; nil where its size is not known, as in a pipe.
    public var fractionRead: Double? { lines.fractionRead }

    /// The next contact in the order of the file, or why it cannot be read; nil at the end.
    ///
    /// - Throws: ``UnreadableFile`` when the file as a whole cannot be read.
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
    /// Takes the next line, and returns the contact that it completes.
    ///
    /// - Throws: ``UnreadableFile``.
    mutating func take(_ line: PhysicalLine) throws -> ContactResult?

    /// Returns what is still open at the end of the file.
    ///
    /// - Throws: ``UnreadableFile``.
    mutating func finish() throws -> [ContactResult]
}
