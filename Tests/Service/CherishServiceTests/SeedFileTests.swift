import AddressBook
import CherishCore
import Foundation
import GardenArchive
import Testing

@testable import CherishService

@Suite("A seed file with documents too large for memory")
struct SeedFileTests {
    private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "fixtures/archives/account.json")

    /// All entries of a file, with this many bytes held in memory.
    private func entries(of bytes: Data, longestInMemory: Int = 100) throws -> [SeedFile.Entry] {
        let source = ByteSource(name: "seed", bytes: Array(bytes))
        var file = try SeedFile(source, columns: .none, longestInMemory: longestInMemory)
        var entries: [SeedFile.Entry] = []
        while let entry = try file.next() { entries.append(entry) }
        return entries
    }

    private func export(_ large: LargeExport) throws -> AccountExport {
        var pieces: [ExportPiece] = []
        try large.forEachPiece { pieces.append($0) }
        return try large.part(pieces)
    }

    @Test("reads an account on many lines, or on one between others, whatever the limit", arguments: [1, 100, 4000])
    func accounts(longestInMemory: Int) throws {
        let document = try Data(contentsOf: Self.fixture)
        guard case .archive(let expected) = try ExportDocument.decode(Array(document)) else { return }
        let alone = try entries(of: document, longestInMemory: max(longestInMemory, 2))
        guard case .largeAccount(1, let large)? = alone.first, alone.count == 1 else {
            Issue.record("\(alone)")
            return
        }
        #expect(try export(large) == expected)

        let line = Data(try ExportDocument.encode(expected, pretty: false))
        let friend = Data("{\"account\": \"a@example.com\", \"name\": \"Ann\", \"phone\": \"1\"}\r\n".utf8)
        if friend.count > longestInMemory { return }
        let all = try entries(of: friend + line + Data("\n\n".utf8) + friend + line, longestInMemory: longestInMemory)
        guard all.count == 4, case .friend(.success) = all[0], case .largeAccount(2, let first) = all[1],
            case .friend(.success(let card)) = all[2], case .largeAccount(5, let second) = all[3]
        else {
            Issue.record("\(all)")
            return
        }
        #expect(card.line == 4)
        #expect(try export(first) == expected)
        #expect(try export(second) == expected)
    }

    @Test("yields the friends of a new account one by one, and refuses unreadable ones")
    func newAccount() throws {
        let text = """
            {"plants": [{"name": "Ann", "phone": "1"}, {"name": 3, "phone": "2"}, {"name": "Ben", "phone": "3", "tags": ["a"]}], \
            "account": {"email": "a@example.com", "nickname": "A", "timeZone": "Asia/Seoul"}}
            """
        let all = try entries(of: Data(text.utf8))
        guard all.count == 4, case .account(1, let document) = all[0], case .friend(.success(let ann)) = all[1],
            case .refused(1, let problem) = all[2], case .friend(.success(let ben)) = all[3]
        else {
            Issue.record("\(all)")
            return
        }
        guard case .newAccount(let seed) = try ExportDocument.decode(document) else { return }
        #expect(seed.email == "a@example.com" && seed.friends.isEmpty)
        #expect(ann.name == "Ann" && ann.account == "a@example.com")
        #expect(problem.path == "plants[1].name")
        #expect(ben.tags == ["a"])
    }

    @Test("refuses a large invalid document, and continues in the next line")
    func broken() throws {
        let long = String(repeating: "x", count: 300)
        let all = try entries(of: Data("{\"account\": {\"id\": \"\(long)\"\n{\"account\": {}}\n".utf8))
        guard all.count == 2, case .refused(1, _) = all[0], case .account(2, _) = all[1] else {
            Issue.record("\(all)")
            return
        }
    }

    @Test("refuses a friend or a table with a line that is too long")
    func longLines() throws {
        let long = String(repeating: "x", count: 300)
        for text in ["{\"account\": \"a@example.com\", \"name\": \"\(long)\"}", "name,phone,\(long)\n"] {
            #expect(throws: UnreadableFile.self) { _ = try entries(of: Data(text.utf8)) }
        }
    }
}
