import Foundation
import Testing

@testable import CherishCore

@Suite("Review")
struct ReviewTests {
    @Test("5.1: limits: three keywords of five characters, and a memo of 100")
    func limits() throws {
        let memo = String(repeating: "글", count: 100)
        let review = try Review(keywords: ["가나다라마", "abcde", "12345"], memo: memo)
        #expect(review.keywords == ["가나다라마", "abcde", "12345"])
        #expect(review.memo == memo)
        #expect(throws: CareError.memoTooLong(length: 101)) { try Review(keywords: [], memo: memo + "글") }
        #expect(throws: CareError.keywordTooLong(length: 6)) { try Review(keywords: ["가나다라마바"], memo: nil) }
        #expect(throws: CareError.tooManyKeywords(4)) { try Review(keywords: ["가", "나", "다", "라"], memo: nil) }
    }

    /// What a reader sees as one character.
    static let clusters: [(String, String)] = [
        ("a syllable in NFC", "가"), ("a syllable in NFD", "\u{1100}\u{1161}"),
        ("a syllable with a final in NFD", "\u{1112}\u{1161}\u{11AB}"), ("a family", "👨‍👩‍👧‍👦"), ("a flag", "🇰🇷"),
        ("a kiss", "👩‍❤️‍💋‍👨"), ("a skin tone", "👍🏽"), ("a keycap", "1️⃣"), ("an accent", "e\u{301}"),
        ("several marks", "a\u{301}\u{323}\u{308}"), ("a flag by tags", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"),
    ]

    @Test("5.2: a character is what a reader sees", arguments: ReviewTests.clusters)
    func cluster(name: String, text: String) throws {
        let five = String(repeating: text, count: 5)
        let review = try Review(keywords: [five], memo: String(repeating: text, count: 100))
        #expect(review.keywords.first?.count == 5, "\(name)")
        #expect(throws: CareError.keywordTooLong(length: 6)) { try Review(keywords: [five + text], memo: nil) }
        #expect(throws: CareError.memoTooLong(length: 101)) {
            try Review(keywords: [], memo: String(repeating: text, count: 101))
        }
    }

    @Test("5.2: text is stored in NFC", arguments: ReviewTests.clusters)
    func normalized(name: String, text: String) throws {
        let review = try Review(keywords: [text], memo: text)
        let expected = Array(text.precomposedStringWithCanonicalMapping.unicodeScalars)
        let (keyword, memo) = (try #require(review.keywords.first), try #require(review.memo))
        #expect(Array(keyword.unicodeScalars) == expected, "\(name)")
        #expect(Array(memo.unicodeScalars) == expected, "\(name)")
    }

    @Test("5.2: text is in NFC even after invisible characters were removed")
    func normalizedWithoutInvisible() throws {
        // A zero-width space between the two letters of 가, and a soft hyphen before an accent.
        for (text, expected) in [("\u{1100}\u{200B}\u{1161}", "\u{AC00}"), ("e\u{AD}\u{301}", "\u{E9}")] {
            let review = try Review(keywords: [text], memo: nil)
            let keyword = try #require(review.keywords.first)
            #expect(Array(keyword.unicodeScalars) == Array(expected.unicodeScalars))
        }
    }

    static let folded: [(String, String)] = [
        ("  점심  ", "점심"), ("a  b", "a b"), ("a\tb", "a b"), ("a\r\nb", "a b"), ("a\u{3000}b", "a b"),
        ("a\u{00A0}b", "a b"), ("a\u{2028}b", "a b"), ("\u{FEFF}점심", "점심"), ("a\u{200B}b", "ab"),
        ("a\u{0}b", "a b"), ("\u{1B}a", "a"), ("a\u{85}b", "a b"),
    ]

    @Test("5.2: text is trimmed and inner white space folded", arguments: ReviewTests.folded)
    func folding(text: String, expected: String) throws {
        let review = try Review(keywords: [text], memo: text)
        #expect(review.keywords == [expected])
        #expect(review.memo == expected)
    }

    @Test("5.2: five characters with white space around them fit")
    func trimmedBeforeCounting() throws {
        let review = try Review(keywords: [" \n가나다라마\t "], memo: "\u{3000}" + String(repeating: "글", count: 100) + "\n")
        #expect(review.keywords == ["가나다라마"])
        #expect(review.memo?.count == 100)
    }

    @Test(
        "5.2: invisible keywords are empty",
        arguments: ["", " ", "\n", "\u{200B}", "\u{FEFF}\u{2060}", "\u{AD}"])
    func emptyKeyword(text: String) {
        #expect(throws: CareError.keywordEmpty) { try Review(keywords: [text], memo: "메모") }
    }

    @Test(
        "5.2: joiners, direction marks, variation selectors and fillers alone are invisible too",
        arguments: [
            "\u{200D}", "\u{200C}", "\u{200E}", "\u{200F}", "\u{FE0F}", "\u{034F}", "\u{061C}", "\u{2063}",
            // Hangul fillers: popular as invisible nicknames.
            "\u{3164}", "\u{115F}\u{1160}", "\u{FFA0}",
        ])
    func invisibleKeyword(text: String) {
        #expect(throws: CareError.keywordEmpty) { try Review(keywords: [text], memo: "메모") }
    }

    @Test("5.2: equal keywords are refused, however they were typed")
    func repeated() throws {
        let pairs = [
            ("안부", "안부"), ("안부", " 안부"), ("가", "\u{1100}\u{1161}"), ("a b", "a \t b"), ("안\u{200B}부", "안부"),
        ]
        for (first, second) in pairs {
            #expect(throws: CareError.keywordRepeated) { try Review(keywords: [first, second], memo: nil) }
        }
        _ = try Review(keywords: ["Tea", "tea"], memo: nil)
    }

    @Test("5.3: a blank memo is none, and an empty review is none")
    func empty() throws {
        let review = try Review(keywords: ["안부"], memo: " \n ")
        #expect(review.memo == nil)
        #expect(throws: CareError.reviewEmpty) { try Review(keywords: [], memo: nil) }
        #expect(throws: CareError.reviewEmpty) { try Review(keywords: [], memo: "\u{200B}") }
    }

    @Test("5.3: a review is edited and deleted later; the watering stays")
    func editAndDelete() throws {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"), keywords: ["안부"])
        try garden.writeReview(1, at: seoul("2027-04-02T10:00"), memo: "늦은 메모")
        #expect(garden.waterings.first?.review?.keywords.isEmpty == true)
        #expect(garden.waterings.first?.review?.memo == "늦은 메모")
        try garden.deleteReview(1, at: seoul("2027-04-03T10:00"))
        #expect(garden.waterings.count == 1)
        #expect(garden.waterings.first?.review == nil)
        let now = try seoul("2027-04-03T11:00")
        #expect(throws: CareError.notFound(.review)) { try garden.deleteReview(1, at: now) }
    }

    @Test("5.4: a watering whose review was declined gets no reminder, and can still be reviewed later")
    func decline() throws {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"))
        try garden.declineReview(1, at: seoul("2027-03-02T10:10"))
        #expect(garden.waterings.first?.isReviewDeclined == true)
        try garden.tick(at: seoul("2027-03-02T11:00"))
        #expect(garden.sent(.reviewMissing).isEmpty)
        let outcomes = garden.ended.map(\.verdict)
        #expect(outcomes == [.end(.superseded, .declined)])
        try garden.writeReview(1, at: seoul("2027-03-02T12:00"), memo: "그래도")
        #expect(garden.waterings.first?.isReviewDeclined == false)
    }
}
