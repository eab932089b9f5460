import SeededChance
import Testing

@testable import CherishCore

@Suite("Texts")
struct TextTests {
    /// A letter with marks above it, which is one character of this many bytes. In NFC, the letter and its first mark
    /// are one scalar of 2 bytes, and each further mark has 2.
    private func marked(_ bytes: Int) -> String {
        "a" + String(repeating: "\u{301}", count: bytes / 2)
    }

    @Test("1.5: a name has at most 64 bytes for each of 50 characters, even if it has fewer")
    func nameBytes() throws {
        let longest = try ContactName(marked(3200))
        #expect(longest.description.utf8.count == 3200)
        #expect(longest.description.count == 1)
        #expect(throws: CareError.invalidName) { try ContactName(marked(3202)) }
    }

    @Test("1.5, 9.1: nicknames and tags have at most 64 bytes for each of 20 characters")
    func shortTextBytes() throws {
        let nickname = try Nickname(marked(1280))
        #expect(nickname.description.utf8.count == 1280)
        #expect(throws: CareError.invalidNickname) { try Nickname(marked(1282)) }
        let tag = try TagName(marked(1280))
        #expect(tag.description.utf8.count == 1280)
        let long = marked(1282)
        #expect(throws: CareError.invalidTag(long)) { try TagName(long) }
    }

    @Test("5.2: the longest emoji in use fit")
    func emoji() throws {
        // Four people with skin tones: 41 bytes.
        let families = String(repeating: "👨🏽‍👩🏽‍👧🏽‍👦🏽", count: 50)
        let name = try ContactName(families)
        #expect(name.description == families)
    }

    @Test("1.5: a default nickname is never blank, and obeys the byte limit")
    func defaultNickname() throws {
        let fillers = String(repeating: "\u{115F}\u{1160}", count: 20)
        let spacedFillers = String(repeating: "\u{115F}\u{1160} ", count: 12)
        let joiners = String(repeating: "\u{200D}", count: 500)
        let names: [(String, String)] = [
            ("\(fillers)a", "a"), ("\(spacedFillers)김하나", "김하나"), ("\(joiners)김하나", "김하나"),
            // Something among the first 20 characters is visible.
            ("\u{115F}\u{1160} 김하나, 우리 동네", "\u{115F}\u{1160} 김하나, 우리 동네"),
            (marked(3200), marked(1280)),
        ]
        for (text, expected) in names {
            let name = try ContactName(text)
            let nickname = try Nickname(nil, for: name)
            #expect(Array(nickname.description.unicodeScalars) == Array(expected.precomposedScalars))
            let again = try Nickname(nickname.description)
            #expect(again == nickname)
        }
    }

    @Test("5.2: the fast path for plain text agrees with full normalization")
    func plain() throws {
        // Besides plain text: a tab, DEL, both ends of the Hangul syllables and their neighbours, a letter, an emoji.
        let pieces = [
            "a", "Z", "~", "!", " ", "가", "힣", "김", "\t", "\u{7F}", "\u{ABFF}", "\u{D7A4}", "\u{E000}", "é", "🙂",
        ]
        var random = SplitMix64(seed: 3)
        var plainCount = 0
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            guard let length = TidyText.plainLength(text) else { continue }
            plainCount += 1
            #expect(Array(TidyText.tidy(text).unicodeScalars) == Array(text.unicodeScalars))
            #expect(text.count == length)
            #expect(text.utf8.count <= 64 * length)
            #expect(!TidyText.hasControlCharacter(text))
        }
        #expect(plainCount > 500)
    }
}

@Suite("Instants at the limits of the range")
struct InstantRangeTests {
    @Test(
        "an instant whose year in UTC does not have four digits is refused",
        arguments: [
            "0001-01-01T00:00:00+00:01", "0001-01-01T00:59:59.999999+01:00", "9999-12-31T23:59:59-23:59",
            "9999-12-31T23:59:00-00:01",
        ])
    func outside(text: String) {
        let moment = Instant(text)
        #expect(moment == nil)
    }

    static let readable = [
        ("0001-01-01T01:00:00+01:00", "0001-01-01T00:00:00Z"), ("0001-01-01T00:00:00-23:59", "0001-01-01T23:59:00Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("9999-12-31T22:59:59-01:00", "9999-12-31T23:59:59Z"),
    ]

    @Test("the first and last instants can be read and written back", arguments: InstantRangeTests.readable)
    func inside(text: String, expected: String) throws {
        let moment = try instant(text)
        #expect(moment.description == expected)
        let again = try instant(moment.description)
        #expect(again == moment)
    }

    @Test("5.1: a keyword or memo of few characters but endless marks is too long")
    func endlessMarks() throws {
        let marked = "e" + String(repeating: "\u{301}\u{302}", count: 40)
        // Three times 160 bytes, since the first mark combines with the letter.
        #expect(throws: CareError.keywordTooLong(length: 8)) {
            try Review(keywords: [marked + marked + marked], memo: nil)
        }
        let short = try Review(keywords: [marked], memo: marked)
        #expect(short.keywords.map(\.count) == [1] && short.memo?.count == 1)
        #expect(throws: CareError.memoTooLong(length: 103)) {
            try Review(keywords: [], memo: String(repeating: marked, count: 41))
        }
    }
}
