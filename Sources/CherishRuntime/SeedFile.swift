import AddressBook
import Foundation

/// Reads a seed file: a table of friends, or JSON – accounts and friends, one a line, or a single account on many lines,
/// which begins with a line of `{` alone.
struct SeedFile {
    enum Entry {
        /// A JSON document of an account, and the line on which it begins.
        case account(line: Int, document: [UInt8])
        /// A friend, who names the account.
        case friend(Result<ContactCard, UnreadableContact>)
    }

    private enum Format {
        case table(AddressBookReader)
        case json(LineReader, next: PhysicalLine?)
    }

    /// The most bytes in one line: an account with ten thousand friends and their past has some 30 MiB.
    private static let longestLine = 256 * 1024 * 1024

    private var format: Format
    private var friends = JSONContactParser()

    /// - Parameter path: the file; `-` is the standard input.
    /// - Throws: ``UnreadableFile`` when it cannot be read.
    init(path: String, columns: ColumnMap) throws {
        var lines = try LineReader(path: path == "-" ? "/dev/stdin" : path, longestLine: Self.longestLine)
        let first = try lines.nextNonBlankLine()
        if let first, !JSONContactParser.begins(with: first) {
            format = .table(AddressBookReader(first: first, of: lines, columns: columns))
        } else {
            format = .json(lines, next: first)
        }
    }

    /// How much of the file was read, 0–1; nil where its size is not known, as in a pipe.
    var fractionRead: Double? {
        switch format {
        case .table(let book): book.fractionRead
        case .json(let lines, _): lines.fractionRead
        }
    }

    /// The next account or friend in the order of the file; nil at its end.
    ///
    /// - Throws: ``UnreadableFile`` when the system cannot read on.
    mutating func next() throws -> Entry? {
        switch format {
        case .table(var book):
            defer { format = .table(book) }
            return try book.next().map { .friend($0) }
        case .json(var lines, let first):
            guard let line = try first ?? lines.nextNonBlankLine() else { return nil }
            defer { format = .json(lines, next: nil) }
            if Self.namesAccount(line.bytes), let friend = try friends.take(line) { return .friend(friend) }
            return .account(line: line.number, document: try Self.document(from: line, lines: &lines))
        }
    }

    /// All that follows belongs to a document that begins with `{` alone.
    private static func document(from line: PhysicalLine, lines: inout LineReader) throws -> [UInt8] {
        var bytes = line.bytes
        guard bytes.filter({ $0 > UInt8(ascii: " ") }) == [UInt8(ascii: "{")] else { return bytes }
        while let more = try lines.nextLine() { bytes += more.newline + more.bytes }
        return bytes
    }

    /// Whether `"account"` has a text for its value: that is a friend's. A document of an account has an object there. Inside
    /// of texts the quotes would stand behind backslashes.
    private static func namesAccount(_ bytes: [UInt8]) -> Bool {
        guard let key = bytes.firstRange(of: "\"account\"".utf8) else { return false }
        let value = bytes[key.upperBound...].drop { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }
        return value.first == UInt8(ascii: "\"")
    }
}
