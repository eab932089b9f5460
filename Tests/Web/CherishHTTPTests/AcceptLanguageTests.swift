import CherishCore
import Testing

@testable import CherishHTTP

@Suite("Accept-Language")
struct AcceptLanguageTests {
    @Test(
        "the language with the greatest weight is chosen, and of equal ones the first",
        arguments: [
            ("ko", .korean), ("en", .english), ("KO-kr", .korean), ("ko-Hang-KR", .korean),
            ("ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7", .korean), ("en-US,en;q=0.9,ko;q=0.8", .english),
            ("en;q=0.8, ko", .korean), ("en;q=0.499,ko;q=0.5", .korean), ("ko;q=0.5,en;q=0.5", .korean),
            ("en, ko", .english), ("fr, ko;q=0.001", .korean), (" ,\tko ,, ", .korean),
            ("en;q=0.4,ko\t; Q=0.5", .korean),
            ("en;q=0.,ko;q=1.", .korean), ("en;q=0.9,ko;q=1.000", .korean),
        ] as [(String, Language)])
    func chosen(header: String, language: Language) {
        #expect(Language(accepting: header) == language)
    }

    @Test(
        "* is any language that is not named, English first; what weighs 0 is not wanted",
        arguments: [
            ("*", .english), ("ko, *", .korean), ("*, ko;q=0.5", .english), ("*;q=0.5, ko", .korean),
            ("en;q=0, *", .korean), ("en;q=0.2, *;q=0.3", .korean), ("ko;q=0, *", .english), ("ko;q=0", .english),
            ("ko;q=0.000, fr", .english),
        ] as [(String, Language)])
    func any(header: String, language: Language) {
        #expect(Language(accepting: header) == language)
    }

    @Test(
        "English without a header, for other languages, and for a malformed header as a whole",
        arguments: [
            nil, "", ",", "fr", "kor", "ko,en en", "ko_KR", "ko-", "-ko", "ko-toolonglang", "koreanlang", "*-KR,ko",
            "ko;q", "ko;q=", "ko;q=2", "ko;q=1.001", "ko;q=0.1234", "ko;q=-1", "ko;q=.5", "ko;q=0,5", "ko;q = 1",
            "ko;level=1", "ko;q=1;q=1", "ko;;q=1", ";q=1", "한국어", "ko\u{A0}", "ko\u{301}",
        ])
    func malformed(header: String?) {
        #expect(Language(accepting: header) == .english)
    }

    @Test("a header that is longer than anybody needs is not read")
    func tooLong() {
        let longest = "ko" + String(repeating: ",fr", count: 170)
        #expect(longest.utf8.count == 512)
        #expect(Language(accepting: longest) == .korean)
        #expect(Language(accepting: longest + ",") == .english)
    }
}
