import Foundation
import SeededChance
import Testing

@testable import GardenArchive

@Suite("Lines of vCards and calendars")
struct ContentLinesTests {
    /// The lines as in the file, still folded.
    private func physicalLines(_ lines: [String]) throws -> [String] {
        var written = ContentLines()
        for line in lines { written.add(line) }
        let pieces = text(written.bytes).components(separatedBy: "\r\n")
        #expect(pieces.last?.isEmpty == true, "the last line is not terminated")
        return Array(pieces.dropLast())
    }

    @Test("have at most 75 octets, whatever they contain")
    func limit() throws {
        let line = String(repeating: "x", count: 75)
        #expect(try physicalLines([line]) == [line])
        #expect(try physicalLines([line + "y"]) == [line, " y"])
        // The leading space counts.
        #expect(try physicalLines([line + line]) == [line, " \(line.dropLast())", " x"])
    }

    @Test("are never folded within a character's octets")
    func characters() throws {
        // 25 syllables of three octets fill a line; one octet before them leaves room for 24.
        let syllables = String(repeating: "가", count: 25)
        #expect(try physicalLines([syllables]) == [syllables])
        #expect(try physicalLines(["x" + syllables]) == ["x\(syllables.dropLast())", " 가"])
    }

    @Test("are the same text once unfolded", arguments: UInt64(1)...50)
    func unfolding(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pieces = (0..<Int.random(in: 0...80, using: &random)).map { _ in
            RandomExport.pieces.randomElement(using: &random) ?? ""
        }
        let line = "FN:" + pieces.joined()
        let folded = try physicalLines([line])
        let isShort = folded.allSatisfy { $0.utf8.count <= 75 }
        #expect(isShort)
        // Not by characters: a joiner at the beginning of a line merges with the preceding space.
        let rest = folded.dropFirst().map { String($0.unicodeScalars.dropFirst()) }
        #expect(Array((folded[0] + rest.joined()).utf8) == Array(line.utf8))
    }

    @Test("escape what would end a value")
    func escaping() {
        #expect(ContentLines.escaped(#"a\b, c; d: "e""#) == #"a\\b\, c\; d: "e""#)
        #expect(ContentLines.escaped("first\nsecond\r\nthird") == #"first\nsecond\nthird"#)
        // With an acute accent on it, the comma is one character to a reader, but not to a parser.
        #expect(ContentLines.escaped("a,\u{301}b").unicodeScalars.map(\.value) == [0x61, 0x5C, 0x2C, 0x301, 0x62])
    }
}
