/// Reads address books as phones and services export them: vCard 3.0, and tables (CSV) with a header.
public enum AddressBookReader {
    /// Hands over the contacts of a file one by one, in the order of the file.
    ///
    /// The format is told by what the file holds, not by its name. The file is read in small pieces, so that memory stays
    /// bounded however large it is. Contacts handed over before a failure have been handed over.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - receive: Called with each contact, or with why it cannot be read. What it throws ends the reading.
    /// - Throws: ``UnreadableFile`` when the file as a whole cannot be read, and whatever `receive` throws.
    public static func read(
        path: String,
        _ receive: (Result<ContactCard, UnreadableContact>) throws -> Void
    ) throws {
        var lines = try LineReader(path: path)
        guard let first = try lines.nextNonBlankLine() else {
            throw UnreadableFile(reason: "\(path) is empty: export the address book once more")
        }
        var parser = contactParser(for: first)
        var line: PhysicalLine? = first
        while let current = line {
            if let contact = try parser.take(current) { try receive(contact) }
            line = try lines.nextLine()
        }
        for contact in try parser.finish() { try receive(contact) }
    }

    private static func contactParser(for first: PhysicalLine) -> any ContactParser {
        if VCardParser.begins(with: first) { return VCardParser() }
        return CSVContactParser(headerLine: first)
    }
}

/// Turns the lines of one format into contacts.
protocol ContactParser {
    /// Takes the next line, and returns the contact that it completes.
    ///
    /// - Throws: ``UnreadableFile``.
    mutating func take(_ line: PhysicalLine) throws -> ContactResult?

    /// Returns what is still open at the end of the file.
    ///
    /// - Throws: ``UnreadableFile``.
    mutating func finish() throws -> [ContactResult]
}
