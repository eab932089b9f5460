import CherishStore
import CherishTestSupport
import SeededChance
import Testing

@testable import CherishCore

@Suite("Texts in NFC", .migratedDatabase)
struct NormalizationTests {
    /// Scalars known to Unicode 14, the version in PostgreSQL 15.
    private static func known(_ values: ClosedRange<UInt32>) -> [Unicode.Scalar] {
        values.compactMap(Unicode.Scalar.init).filter { scalar in
            scalar.properties.age.map { $0.major <= 14 } ?? false
        }
    }

    /// Scalars that may combine: the parts of a syllable in spelling order, and marks after letters.
    private static let beginnings = [
        known(0x41...0x24F), known(0x370...0x5F4), known(0x900...0x1000), known(0x1100...0x115E),
        known(0xA960...0xA97C),
        known(0xAC00...0xD7A3), known(0x3041...0x30FF), known(0x10000...0x11FFF), known(0x1F900...0x1F9FF),
    ]
    private static let endings = [
        known(0x300...0x36F), known(0x93C...0x9D7), known(0x1161...0x11FF), known(0xD7B0...0xD7FB),
        known(0x3099...0x309A),
        known(0x11000...0x11FFF), known(0x20D0...0x20DC),
    ]

    @Test("5.2: PostgreSQL agrees on Latin, Indic, Hangul old and new, kana and letters beyond U+FFFF")
    func sameAsPostgreSQL() async throws {
        var random = SplitMix64(seed: 18)
        func scalar(_ ranges: [[Unicode.Scalar]]) -> Unicode.Scalar {
            let range = ranges[Int.random(in: 0..<ranges.count, using: &random)]
            return range[Int.random(in: 0..<range.count, using: &random)]
        }
        let jamo = Self.known(0x1100...0x115E).flatMap { leading in
            Self.known(0x1161...0x11FF).map { String(String.UnicodeScalarView([leading, $0])) }
        }
        let texts =
            jamo
            + (0..<100_000).map { _ in
                let marks = (0..<Int.random(in: 0...3, using: &random)).map { _ in scalar(Self.endings) }
                return String(String.UnicodeScalarView([scalar(Self.beginnings)] + marks))
            }
        let normalized = try await ServiceUnderTest().texts(
            "SELECT normalize(text, NFC) FROM unnest($1::text[]) WITH ORDINALITY AS given (text, number) ORDER BY number",
            [texts])
        #expect(normalized.count == texts.count)
        let different = zip(texts, normalized).filter { text, expected in
            !text.precomposedScalars.elementsEqual(expected.unicodeScalars)
        }
        #expect(different.isEmpty, "\(different.prefix(10).map { $0.0.unicodeScalars.map(\.value) })")
        #expect(zip(texts, normalized).count { !$0.unicodeScalars.elementsEqual($1.unicodeScalars) } > 1000)
    }

    @Test("5.2: a friend's name keeps letters of old Hangul and marks beyond U+FFFF")
    func names() throws {
        for name in ["\u{1113}\u{1165}", "\u{1102}\u{119E}\u{11AF}", "\u{10041}\u{301}"] {
            #expect(try ContactName(name).description.unicodeScalars.elementsEqual(name.unicodeScalars))
        }
    }
}
