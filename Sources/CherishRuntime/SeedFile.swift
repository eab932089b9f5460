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

    /// The most bytes in one document: an account with ten thousand friends and their past has some 30 MiB.
    private static let longestDocument = 256 * 1024 * 1024

    /// Where the file is a table.
    private var table: AddressBookReader?
    private var lines: LineReader
    /// The line that told the format, until it is taken.
    private var first: PhysicalLine?
    private var friends = JSONContactParser()

    /// - Parameter path: the file; `-` is the standard input.
    /// - Throws: ``UnreadableFile`` when it cannot be read.
    init(path: String, columns: ColumnMap) throws {
        lines = try LineReader(path: path, longestLine: Self.longestDocument)
        first = try lines.nextNonBlankLine()
        if let first, !JSONContactParser.begins(with: first) {
            table = AddressBookReader(first: first, of: lines, columns: columns)
        }
    }

    /// How much of the file was read, 0–1; nil where its size is not known, as in a pipe.
    var fractionRead: Double? { table?.fractionRead ?? lines.fractionRead }

    /// The next account or friend in the order of the file; nil at its end.
    ///
    /// - Throws: ``UnreadableFile`` when the system cannot read on.
    mutating func next() throws -> Entry? {
        if table != nil { return try table?.next().map { .friend($0) } }
        guard let line = try first ?? lines.nextNonBlankLine() else { return nil }
        first = nil
        if Self.namesAccount(line.bytes), let friend = try friends.take(line) { return .friend(friend) }
        return .account(line: line.number, document: try document(from: line))
    }

    /// All that follows belongs to a document that begins with `{` alone.
    private mutating func document(from line: PhysicalLine) throws -> [UInt8] {
        var bytes = line.bytes
        guard bytes.filter({ $0 > UInt8(ascii: " ") }) == [UInt8(ascii: "{")] else { return bytes }
        while let more = try lines.nextLine() {
            bytes += more.newline + more.bytes
            guard bytes.count <= Self.longestDocument else {
                let limit = Self.longestDocument / 1024 / 1024
                throw UnreadableFile(
                    reason:
                        "the document that begins in line \(line.number) is longer than \(limit) MiB: write one a line")
            }
        }
        return bytes
    }

    /// Whether a key `"account"` has a text for its value: that is a friend's. A document of an account has an object there.
    /// Inside of texts the quotes would stand behind backslashes.
    private static func namesAccount(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while let key = rest.firstRange(of: "\"account\"".utf8) {
            rest = rest[key.upperBound...].drop { $0 <= UInt8(ascii: " ") }
            guard rest.first == UInt8(ascii: ":") else { continue }
            return rest.dropFirst().first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "\"")
        }
        return false
    }
}
