import AddressBook
import Foundation
import GardenArchive

/// Reads a seed file: a table of friends, or JSON – accounts and friends, one a line, or a single account on many lines,
/// which begins with a line of `{` alone.
struct SeedFile {
    enum Entry {
        /// A JSON document of an account, and the line on which it begins.
        case account(line: Int, document: [UInt8])
        /// An account of an export that is too large for memory.
        case largeAccount(line: Int, LargeExport)
        /// A document, or a friend of one, that cannot be read.
        case refused(line: Int, ExportProblem)
        /// A friend, who names the account.
        case friend(Result<ContactCard, UnreadableContact>)
    }

    /// The most bytes in a document that is read in memory, where it takes some times as many: an account with a thousand friends
    /// and their past.
    static let longestInMemory = 4 * 1024 * 1024

    /// Where the file is a table.
    private var table: AddressBookReader?
    private var lines: LineReader
    private let longestInMemory: Int
    /// The line that told the format, until it is taken.
    private var first: PhysicalLine?
    private var friends = JSONContactParser()
    /// Those of a new account whose document is too large for memory.
    private var friendsOfAccount: (line: Int, email: String, pieces: LargeDocumentPieces)?

    /// - Throws: ``UnreadableFile`` when it cannot be read; what the source throws.
    init(_ source: ByteSource, columns: ColumnMap, longestInMemory: Int = SeedFile.longestInMemory) throws {
        self.longestInMemory = longestInMemory
        lines = try LineReader(source, longestLine: longestInMemory)
        first = try lines.nextNonBlankPart()
        if let first, !JSONContactParser.begins(with: first) {
            guard first.isWhole else { throw lines.tooLong(first) }
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
        if let friend = try nextFriendOfAccount() { return friend }
        guard let line = try first ?? lines.nextNonBlankPart() else { return nil }
        first = nil
        if Self.namesAccount(line.bytes) {
            guard line.isWhole else { throw lines.tooLong(line) }
            if let friend = try friends.take(line) { return .friend(friend) }
        }
        return try account(from: line)
    }

    /// A document ends with its line; one that begins with `{` alone, with the file.
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
