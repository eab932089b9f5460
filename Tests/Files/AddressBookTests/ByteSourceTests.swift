import AddressBook
import Testing

@Suite("Address books from any byte source")
struct ByteSourceTests {
    private struct Interrupted: Error {}

    /// Umlauts, Hangul and two-byte newlines, which pieces may split.
    private static let table = "name,phone\r\nJürgen,+49 30 123456\r\n김민지,010-1234-5678\r\n"

    private static let encodings: [[UInt8]] = [
        Array(table.utf8),
        [0xEF, 0xBB, 0xBF] + Array(table.utf8),
        [0xFF, 0xFE] + table.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] },
    ]

    private func cards(_ source: ByteSource) throws -> [ContactCard] {
        var reader = try AddressBookReader(source)
        var cards: [ContactCard] = []
        while let contact = try reader.next() { cards.append(try contact.get()) }
        return cards
    }

    private func pieces(of bytes: [UInt8], size: Int) -> ByteSource {
        var rest = bytes[...]
        var isEmptyNext = false
        return ByteSource(name: "pieces") {
            // An empty piece between others is not the end.
            isEmptyNext.toggle()
            if isEmptyNext { return [] }
            if rest.isEmpty { return nil }
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
    }

    @Test(
        "its file name has no folders and no control characters, and is not too long",
        arguments: [
            ("contacts.vcf", "contacts.vcf"), ("/home/me/contacts.vcf", "contacts.vcf"), ("-", "-"), ("", ""),
            ("../../etc/passwd", "passwd"), ("a\0b\nc.csv", "abc.csv"), ("folder/", "folder"),
            (String(repeating: "가", count: 300), String(repeating: "가", count: 255)),
        ])
    func fileName(name: String, expected: String) {
        #expect(ByteSource(name: name, bytes: []).fileName == expected)
    }

    @Test("a file, memory and pieces of any size give the same contacts", arguments: encodings)
    func sources(bytes: [UInt8]) throws {
        let fromFile = try withFile(bytes) { try cards(.file($0)) }
        #expect(fromFile.map(\.name) == ["Jürgen", "김민지"])
        #expect(try cards(ByteSource(name: "memory", bytes: bytes)) == fromFile)
        for size in [1, 2, 3, 7, 1000] {
            #expect(try cards(pieces(of: bytes, size: size)) == fromFile, "pieces of \(size) bytes")
        }
    }

    @Test("its name appears in messages, and its size gives the progress")
    func nameAndSize() throws {
        for blank in ["", " \n"] {
            let error = #expect(throws: UnreadableFile.self) {
                try cards(ByteSource(name: "empty.csv", bytes: Array(blank.utf8)))
            }
            #expect(error?.reason.hasPrefix("empty.csv is empty") == true)
        }
        let bytes = Self.encodings[0]
        #expect(try AddressBookReader(ByteSource(name: "memory", bytes: bytes)).fractionRead == 1)
        #expect(try AddressBookReader(pieces(of: bytes, size: 5)).fractionRead == nil)
    }

    @Test("an error of the source is rethrown, not taken for the end")
    func interrupted() throws {
        var pieces = [Array("name,phone\n".utf8), Array("Linh,1\n".utf8)]
        let source = ByteSource(name: "request") {
            if pieces.isEmpty { throw Interrupted() }
            return pieces.removeFirst()
        }
        #expect(throws: Interrupted.self) { try cards(source) }
    }
}
