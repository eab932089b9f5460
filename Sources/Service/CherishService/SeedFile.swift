import AddressBook
import Foundation
import GardenArchive

/// Reads a seed file: a table of friends, JSON Lines of accounts and friends, or a single account on many lines, the
/// first of which is `{` alone.
struct SeedFile {
    enum Entry {
        /// The JSON document of an account, and its first line.
        case account(line: Int, document: [UInt8])
        /// An account of an export that is too large for memory.
        case largeAccount(line: Int, LargeExport)
        /// An unreadable document, or an unreadable friend in one.
        case refused(line: Int, ExportProblem)
        /// A friend, with its account's e-mail or id.
        case friend(Result<ContactCard, UnreadableContact>)
    }

    /// The maximum size, in bytes, of a document that is parsed in memory, where it takes several times as much: an
    /// account with a thousand friends and their history.
    static let longestInMemory = 4 * 1024 * 1024

    /// The reader of a table; nil for JSON.
    private var table: AddressBookReader?
    private var lines: LineReader
    private let longestInMemory: Int
    /// The line from which the format was detected, until it is consumed.
    private var first: PhysicalLine?
    private var friends = JSONContactParser()
    /// The friends of a new account whose document is too large for memory.
    private var friendsOfAccount: (line: Int, email: String, pieces: LargeDocumentPieces)?

    /// - Throws: ``UnreadableFile`` if the source cannot be read; errors of the source.
    init(_ source: ByteSource, columns: ColumnMap, longestInMemory: Int = SeedFile.longestInMemory) throws {
        self.longestInMemory = longestInMemory
        lines = try LineReader(source, longestLine: longestInMemory)
        first = try lines.nextNonBlankPart()
        if let first, !JSONContactParser.begins(with: first) {
            guard first.isWhole else { throw lines.tooLong(first) }
            table = AddressBookReader(first: first, of: lines, columns: columns)
        }
    }

    /// The fraction of the file that has been read, 0–1; nil if its size is unknown, as for a pipe.
    var fractionRead: Double? { table?.fractionRead ?? lines.fractionRead }

    /// The next account or friend in the order of the file; nil at its end.
    ///
    /// - Throws: ``UnreadableFile`` if a read fails.
    mutating func next() throws -> Entry? {
        if table != nil { return try table?.next().map { .friend($0) } }
        if let friend = try nextFriendOfAccount() { return friend }
        guard let line = try first ?? lines.nextNonBlankPart() else { return nil }
        first = nil
        if Self.namesAccount(line.bytes) {
            guard line.isWhole else { throw lines.tooLong(line) }
            if let friend = try friends.take(line) { return .friend(friend) }
        }
        return try account(from: line)
    }

    /// Reads a document. It ends with its line or, if its first line is `{` alone, with the file.
    private mutating func account(from line: PhysicalLine) throws -> Entry {
        let isOnManyLines = line.isWhole && line.bytes.filter { $0 > UInt8(ascii: " ") } == [UInt8(ascii: "{")]
        var bytes = line.bytes + line.newline
        var isWhole = line.isWhole
        var large: LargeDocument?
        while isOnManyLines || !isWhole, let more = try lines.nextPart() {
            isWhole = more.isWhole
            bytes += more.bytes + more.newline
            guard bytes.count > longestInMemory else { continue }
            let document = try large ?? LargeDocument()
            try document.append(bytes)
            (large, bytes) = (document, [])
        }
        guard let large else { return .account(line: line.number, document: bytes) }
        try large.append(bytes)
        do {
            return try account(in: large, line: line.number)
        } catch let problem as ExportProblem {
            return .refused(line: line.number, problem)
        }
    }

    private mutating func account(in document: LargeDocument, line: Int) throws -> Entry {
        var pieces = document.pieces()
        let rest = try pieces.rest()
        switch try ExportDocument.decode(rest) {
        case .archive:
            return .largeAccount(line: line, try LargeExport(document, rest: rest))
        case .newAccount(let seed):
            friendsOfAccount = (line, seed.email, document.pieces())
            return .account(line: line, document: rest)
        }
    }

    private mutating func nextFriendOfAccount() throws -> Entry? {
        guard let (line, email, _) = friendsOfAccount else { return nil }
        do {
            while let piece = try friendsOfAccount?.pieces.next() {
                guard piece.list == .plants else { continue }
                return .friend(.success(ContactCard(try FriendSeed(piece), of: email, line: line)))
            }
        } catch let problem as ExportProblem {
            return .refused(line: line, problem)
        }
        friendsOfAccount = nil
        return nil
    }

    /// Whether a key `"account"` has a string as its value, as for a friend. In the document of an account, the value
    /// is an object. Inside a string, the quotes of the key would be escaped.
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
