import CherishCore
import CherishPush
import Foundation
import SeededChance
import Testing

@Suite("JSON written as bytes")
struct JSONWriterTests {
    /// A value of every kind of member.
    private struct Document: Codable, Equatable {
        var id: String
        var inner: Inner
        var missing: String?
        var text: String

        struct Inner: Codable, Equatable {
            var day, instant: String
        }
    }

    private func written(_ text: String, _ id: Plant.ID, _ day: CivilDay, _ instant: Instant) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("id", id)
            json.member("inner") { json in
                json.member("day", day)
                json.member("instant", instant)
            }
            json.member("missing", String?.none)
            json.member("text", text)
        }
        return json.bytes
    }

    @Test("equals what Foundation reads, whatever the text holds", arguments: 1...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        // Every control character, quotes, backslashes, and characters of one to four bytes.
        let alphabet =
            (0..<0x20).map { Character(Unicode.Scalar(UInt8($0))) }
            + ["\"", "\\", "/", "\u{7F}", "a", "é", "가", "\u{2028}", "👨‍👩‍👧‍👦", "e\u{301}"]
        for _ in 1...200 {
            let length = chance.number(in: 0...40)
            let text = String((0..<length).map { _ in alphabet[chance.number(in: 0...alphabet.count - 1)] })
            let (id, day) = (Plant.ID(UUID()), try #require(CivilDay("2027-03-02")) + chance.number(in: -9999...9999))
            let instant = Instant(microsecondsSinceEpoch: Int64(chance.number(in: 0...4_000_000_000_000_000)))
            let bytes = written(text, id, day, instant)
            let read = try JSONDecoder().decode(Document.self, from: Data(bytes))
            #expect(Array(read.text.unicodeScalars) == Array(text.unicodeScalars))
            #expect(read.id == id.uuid.uuidString.lowercased())
            #expect(CivilDay(read.inner.day) == day)
            #expect(Instant(read.inner.instant) == instant)
            #expect(read.missing == nil)
            // Byte for byte what JSONEncoder writes, but for the members that it leaves out.
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let encoded = String(decoding: try encoder.encode(read), as: UTF8.self)
            let own = String(decoding: bytes, as: UTF8.self).replacing(#""missing":null,"#, with: "")
            #expect(own == encoded)
        }
    }
}
