import AddressBook
import Foundation
import Testing

@Suite("Files of any format")
struct FileTests {
    @Test("A file that does not exist")
    func missing() throws {
        let error = try #require(throws: UnreadableFile.self) { try readBook(path: fixture("nobody.vcf")) }
        #expect(error.reason.hasSuffix("nobody.vcf does not exist: check the path"))
        #expect(error.description == error.reason)
    }

    @Test("A directory")
    func directory() throws {
        let error = try #require(throws: UnreadableFile.self) { try readBook(path: fixture("")) }
        #expect(error.reason.hasSuffix("is a directory: name a file in it"))
    }

    // The superuser may read everything.
    @Test("A file without read permission", .enabled(if: geteuid() != 0))
    func forbidden() throws {
        try withFile(Array("name,phone\n".utf8)) { path in
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
            let error = try #require(throws: UnreadableFile.self) { try readBook(path: path) }
            #expect(error.reason.contains("may not be read"))
        }
    }

    @Test(
        "An empty file, a blank one, and one with only a byte-order mark",
        arguments: ["", " \n\t\r\n\n", "\u{FEFF}", "\u{FEFF}\n"])
    func empty(text: String) throws {
        let reason = try #require(try refusal(ofBytes: Array(text.utf8)))
        #expect(reason.hasSuffix("is empty: export the address book once more"))
    }

    @Test("A ZIP archive and a spreadsheet, whatever they are called")
    func archive() throws {
        let reason = try #require(try refusal(ofBytes: Array("PK\u{3}\u{4}\u{14}\0\u{6}\0name,phone\n".utf8)))
        #expect(reason.hasSuffix("is a ZIP archive or a spreadsheet: unpack it, or save the table as CSV"))
    }

    @Test(
        "UTF-16 of both byte orders, with and without a byte-order mark, in a table and in vCards",
        arguments: [(String.Encoding.utf16LittleEndian, [0xFF, 0xFE]), (.utf16BigEndian, [0xFE, 0xFF])]
            as [(String.Encoding, [UInt8])])
    func utf16(encoding: String.Encoding, mark: [UInt8]) throws {
        for text in ["name,phone\r\n김지우 🌵,1\r\n", vCard("FN:김지우 🌵", "TEL:1")] {
            let bytes = Array(try #require(text.data(using: encoding)))
            for beginning in [mark, []] {
                let book = try readBook(bytes: beginning + bytes)
                #expect(book.cards.map(\.name) == ["김지우 🌵"])
                #expect(book.unreadable.isEmpty)
            }
        }
    }

    @Test("CP949 is detected by lines that are not UTF-8; one such line among UTF-8 is refused alone")
    func korean() throws {
        // 김지우 and 똠방각하 in CP949; the second has a letter missing from EUC-KR.
        let korean: [[UInt8]] = [
            [0xB1, 0xE8, 0xC1, 0xF6, 0xBF, 0xEC], [0x8C, 0x63, 0xB9, 0xE6, 0xB0, 0xA2, 0xC7, 0xCF],
        ]
        let rows = korean.flatMap { $0 + Array(",1\n".utf8) }
        let table = try readBook(bytes: Array("name,phone\n".utf8) + rows)
        #expect(table.cards.map(\.name) == ["김지우", "똠방각하"])
        let mixed = try readBook(bytes: Array("name,phone\n이서연,1\n박도윤,2\n최하준,3\n".utf8) + rows)
        #expect(mixed.cards.map(\.name) == ["이서연", "박도윤", "최하준"])
        #expect(mixed.unreadableLines == [5, 6])
    }

    @Test("A large CP949 file is converted across pieces; a broken letter affects only its line")
    func longKorean() throws {
        let row: [UInt8] = [0xB1, 0xE8, 0xC1, 0xF6, 0xBF, 0xEC] + Array(",1\n".utf8)
        let rows = Array(repeatElement(row, count: 40_000).joined())
        let broken: [UInt8] = [0xB1] + Array(",1\n".utf8)
        let table = try readBook(bytes: Array("name,phone\n".utf8) + rows + broken + row)
        #expect(table.cards.count == 40_001)
        #expect(Set(table.cards.map(\.name)) == ["김지우"])
        #expect(table.unreadableLines == [40_002])
    }

    @Test("The UTF-8 byte-order mark is skipped", arguments: ["name,phone\nLinh,1\n", vCard("FN:Linh", "TEL:1")])
    func byteOrderMark(text: String) throws {
        let book = try readBook("\u{FEFF}" + text)
        #expect(book.cards.map(\.name) == ["Linh"])
        #expect(book.unreadable.isEmpty)
    }

    @Test("The format is detected by the first non-blank line, ignoring case")
    func format() throws {
        let card = "\n \nbegin:vcard\nversion:3.0\nfn:Linh\ntel;type=cell:1\nend:vcard\n"
        #expect(try readBook(card).cards == [ContactCard(line: 3, name: "Linh", phones: ["1"])])
        let table = "\n \nNAME , Phone\nLinh,1\n"
        #expect(try readBook(table).cards == [ContactCard(line: 4, name: "Linh", phones: ["1"])])
    }

    @Test("A line of more than 8 MiB ends the reading", arguments: ["name,phone\n", "BEGIN:VCARD\n"])
    func longLine(start: String) throws {
        let bytes = Array(start.utf8) + Array("PHOTO:".utf8) + [UInt8](repeating: 0x41, count: 9 << 20)
        #expect(try refusal(ofBytes: bytes) == "line 2 is longer than 8 MiB: this is no address book")
    }

    @Test("Newlines are LF, CR LF or CR", arguments: ["\n", "\r\n", "\r"])
    func newlines(newline: String) throws {
        let cards = (vCard("FN:Linh", "TEL:1") + vCard("FN:Emma", "TEL:2")).split(separator: "\r\n")
        let book = try readBook(cards.joined(separator: newline))
        #expect(
            book.cards == [
                ContactCard(line: 1, name: "Linh", phones: ["1"]), ContactCard(line: 6, name: "Emma", phones: ["2"]),
            ])
        let table = try readBook(["name,phone", "Linh,1", "", "Emma,2"].joined(separator: newline))
        #expect(
            table.cards == [
                ContactCard(line: 2, name: "Linh", phones: ["1"]), ContactCard(line: 4, name: "Emma", phones: ["2"]),
            ])
    }

    @Test("A newline split across two pieces is one newline", arguments: -2...2)
    func pieces(shift: Int) throws {
        let start = "name,phone\r\n"
        let name = String(repeating: "x", count: 64 * 1024 - 1 - start.utf8.count - 2 + shift)
        let book = try readBook(start + name + ",1\r\nEmma,2\r\n")
        #expect(
            book.cards == [
                ContactCard(line: 2, name: name, phones: ["1"]), ContactCard(line: 3, name: "Emma", phones: ["2"]),
            ])
    }

    @Test("The reader passes NUL bytes on as text")
    func nulBytes() throws {
        #expect(try readBook(vCard("FN:Li\0nh", "TEL:1\0")).cards.first?.name == "Li\0nh")
        #expect(try readBook("name,phone\nLi\0nh,1\0\n").cards.first?.phones == ["1\0"])
    }

    @Test("A surrogate encoded in UTF-8 makes only its contact unreadable")
    func loneSurrogate() throws {
        let surrogate: [UInt8] = [0xED, 0xA0, 0x80]
        let card = Array("BEGIN:VCARD\nVERSION:3.0\nFN:".utf8) + surrogate + Array("\nEND:VCARD\n".utf8)
        let cards = try readBook(bytes: card + Array(vCard("FN:Linh").utf8))
        #expect(cards.cards.map(\.name) == ["Linh"])
        #expect(cards.unreadableLines == [1])
        let table = try readBook(bytes: Array("name,phone\n".utf8) + surrogate + Array(",1\nLinh,2\n".utf8))
        #expect(table.cards.map(\.name) == ["Linh"])
        #expect(table.unreadableLines == [2])
    }

    @Test(
        "A lone surrogate in UTF-16 makes only its contact unreadable",
        arguments: [0xD83C, 0xDF35] as [UInt16], [true, false])
    func loneSurrogateInUTF16(surrogate: UInt16, isLittleEndian: Bool) throws {
        let rows = "name,phone,nickname\r\nLi#nh,1,\r\nEmma,2,#\r\n김지우 🌵,3,지우\r\n"
        let table = try readBook(bytes: encodedUTF16(rows, sign: surrogate, isLittleEndian: isLittleEndian))
        #expect(table.cards == [ContactCard(line: 4, name: "김지우 🌵", nickname: "지우", phones: ["3"])])
        #expect(table.unreadableLines == [2, 3])
        let text = vCard("FN:Li#nh", "TEL:1") + vCard("FN:김지우 🌵", "TEL:2")
        let cards = try readBook(bytes: encodedUTF16(text, sign: surrogate, isLittleEndian: isLittleEndian))
        #expect(cards.cards == [ContactCard(line: 6, name: "김지우 🌵", phones: ["2"])])
        #expect(cards.unreadableLines == [1])
    }

    /// Byte sequences that resemble UTF-8.
    @Test(
        "Invalid UTF-8",
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0xAF], [0xE2, 0x82], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x8C], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) throws {
        // Two lines of UTF-8, so that no other encoding is detected.
        let table = try readBook(bytes: Array("name,phone\nLinh ".utf8) + bytes + Array(",1\n김,2\n이,3\n".utf8))
        #expect(table.cards.map(\.name) == ["김", "이"])
        #expect(table.unreadableLines == [2])
    }

    @Test(
        "UTF-8 sequences of all lengths",
        arguments: ["a", "é", "\u{7FF}", "가", "\u{D7FF}", "\u{E000}", "🌵", "\u{10FFFF}"])
    func utf8(character: String) throws {
        #expect(try readBook("name,phone\n\(character),1\n").cards.map(\.name) == [character])
    }
}

/// A text in UTF-16 with a byte-order mark.
///
/// - Parameter sign: replaces each `#`.
private func encodedUTF16(_ text: String, sign: UInt16, isLittleEndian: Bool) -> [UInt8] {
    let units = [0xFEFF] + text.utf16.map { $0 == UInt16(UInt8(ascii: "#")) ? sign : $0 }
    return units.flatMap { unit -> [UInt8] in
        let (low, high) = (UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8))
        return isLittleEndian ? [low, high] : [high, low]
    }
}
