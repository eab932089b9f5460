import SeededChance
import Testing

@testable import CherishCore

@Suite("The strength of passwords")
struct PasswordStrengthTests {
    private func estimate(_ text: String, for person: PersonNames = PersonNames()) -> PasswordEstimate {
        PasswordEstimate(of: FoldedPassword(String(text.precomposedScalars)), for: person)
    }

    static let scores: [(text: String, score: Int)] = [
        ("", 0), ("a", 0), ("password", 0), ("12345678", 0), ("aaaaaaaa", 0), ("qwertyuiop[]", 0), ("!@#$%^&*", 0),
        ("Password1!", 1), ("P@ssw0rd1!", 1), ("qwerty123!", 1), ("aaaaaaaa1!", 1), ("19940521", 1), ("비밀번호1!", 1),
        ("qlalfqjsgh1!", 1), ("가나다라마바사1!", 1), ("ㅂㅈㄷㄱ1234", 1), ("ｐａｓｓｗｏｒｄ１！", 1),
        ("Qwer1234!@#$", 2), ("zaq1@WSX", 2), ("abcabcabc1!", 2), ("사랑해사랑해1!", 2), ("elephant1!", 2),
        ("kx7$mq2!", 3), ("minji1994!", 3), ("dragon20240101!", 3),
        ("x9K#mQ2$vL7!", 4), ("correct horse battery staple", 4), ("봄비 내리는 창가7!", 4), ("Жёлтый-чай-5", 4),
    ]

    @Test("12.2: scores of typical passwords", arguments: scores)
    func typical(text: String, score: Int) {
        let strength = PasswordStrength(of: text)
        #expect(strength.score == score)
    }

    static let advice: [(text: String, advice: [PasswordStrength.Advice])] = [
        ("", [.tooShort, .addDigit, .addSpecial, .addWords]),
        ("kx7$mq2!", []), ("x9K#mQ2$vL7!", []),
        ("correct horse battery staple", [.addDigit, .addSpecial]),
        ("correct-horse-battery-7\t!", [.controlCharacter]),
        ("Password1!", [.common, .commonWord, .addWords]),
        ("aaaaaaaa1!", [.repeated, .addWords]),
        ("abcabcabc1!", [.repeated, .sequence, .addWords]),
        ("uiop[]1!", [.sequence, .addWords]),
        ("19940521!", [.date, .addWords]),
        ("05-21!05-21!", [.repeated, .date, .addWords]),
        ("passwordmonkey1!", [.commonWord, .addWords]),
        // It takes many guesses, but the rule refuses it.
        ("elephant#42938!", [.common]),
        (String(repeating: "kx7$mq2!", count: 17), [.tooLong]),
    ]

    @Test("12.2: advice says what to change, and strong passwords need none", arguments: advice)
    func advises(text: String, advice: [PasswordStrength.Advice]) {
        let strength = PasswordStrength(of: text)
        #expect(strength.advice == advice)
    }

    @Test("codes of advice are stable")
    func codes() {
        #expect(
            PasswordStrength.Advice.allCases.map(\.rawValue) == [
                "too_short", "too_long", "add_digit", "add_special", "control_character", "common", "contains_name",
                "repeated", "sequence", "date", "common_word", "add_words",
            ])
    }

    @Test("12.2: names are as easy to guess as the most common password")
    func names() {
        let person = PersonNames(email: "wisteria.jo@example.com", nickname: "Kwakjiwon")
        for text in ["wisteria.jo7!", "W1steri4.jo7!", "kwakjiwon7!", "KwakJiwon#1"] {
            let (known, unknown) = (PasswordStrength(of: text, for: person), PasswordStrength(of: text))
            #expect(known.score <= 1 && unknown.score >= 3, "\(text)")
            #expect(known.advice.contains(.containsName), "\(text)")
        }
    }

    @Test("12.2: decomposed and composed texts are equally strong")
    func normalization() {
        let strength = PasswordStrength(of: "\u{1107}\u{1169}\u{11B7}\u{1107}\u{1175}cafe\u{301}7!")
        #expect(strength == PasswordStrength(of: "봄비caf\u{E9}7!"))
    }

    /// What people build passwords of. None changes the character before it.
    private static let pieces = [
        "a", "b", "p", "q", "Q", "A", "Z", "password", "dragon", "PASS", "monkey", "qwerty", "asdf", "1", "2", "3", "9",
        "0",
        "4", "19", "20", "05", "1234", "-", ".", "!", "@", "$", " ", "가", "나", "다", "비밀번호", "ㅂ", "ㅈ", "ㄷ", "é", "Ж",
        "🙂", "漢",
        "minji", "\u{200B}",
    ]

    @Test("12.2: more characters are never weaker", arguments: [1, 2, 3] as [UInt64])
    func monotone(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let person = PersonNames(email: "minji9@example.com", nickname: "민지1")
        for _ in 0..<300 {
            var text = ""
            var (logarithm, score) = (0.0, 0)
            for _ in 0..<12 {
                text += random.element(of: PasswordStrengthTests.pieces)
                let next = estimate(text, for: person).logarithm
                let nextScore = PasswordStrength(of: text, for: person).score
                // Sums of logarithms may differ in their last digits.
                #expect(next >= logarithm - 1e-9 && nextScore >= score, "\(text)")
                (logarithm, score) = (next, nextScore)
            }
        }
    }

    @Test("12.2: each character of a word, sequence, date or repetition counts at least as much as none")
    func everyBeginning() {
        let texts = [
            "p@$$w0rdPASSWORD", "qwertyuiopQWERTYUIOP", "1994-05-21", "21.05.1994", "19940521", "가나다라마바사아자",
            "abcabcabcabc", "zyxwvut",
            "비밀번호비밀번호", "11111111111", "1!1!1!1!", "05 21 05 21", "1q2w3e4r5t",
        ]
        for text in texts {
            let logarithms = (0...text.count).map { estimate(String(text.prefix($0))).logarithm }
            for (less, more) in zip(logarithms, logarithms.dropFirst()) { #expect(less <= more + 1e-9, "\(text)") }
        }
    }

    /// What takes long: repetitions, signs that stand for letters, words, and all at once.
    private static let slow = [
        "a", "1", "@", "|", "1|!", "password", "p@$$w0rd", "qwertyuiop", "1234567890", "19", "48", "비밀번호", "🙂",
        "e\u{301}",
        "abcdefghijklmnopqrstuvwxyz0123456789",
    ]

    @Test("12.2: the longest text takes a bounded number of steps", arguments: slow)
    func bounded(unit: String) {
        let longest = String(repeating: unit, count: 1_024 / unit.utf8.count)
        let person = PersonNames(email: longest.prefix(60) + "@example.com", nickname: String(longest.prefix(20)))
        let steps = estimate(longest, for: person).steps
        // Most need 40,000, which takes a quarter of a millisecond with optimization.
        #expect(steps < 60_000)
    }

    @Test("12.2: random texts of few signs take a bounded number of steps")
    func boundedAtRandom() {
        var random = SplitMix64(seed: 5)
        let signs = "1|!i l4@a0o$5s7+t".map { $0 }
        for _ in 0..<200 {
            let pool = (0...random.number(in: 0...5)).map { _ in random.element(of: signs) }
            let text = String((0..<1_024).map { _ in random.element(of: pool) })
            let steps = estimate(text).steps
            #expect(steps < 60_000)
        }
    }

    @Test("12.2: nothing after 1,024 bytes counts")
    func refusesMore() {
        let text = String(repeating: "ab", count: 512)
        let strength = PasswordStrength(of: text + "x9K#mQ2$vL7!")
        #expect(strength == PasswordStrength(of: text + "y"))
        #expect(strength.score < 3 && strength.advice.first == .tooLong)
        // A digit after the limit is not seen; nor is a megabyte of them.
        #expect(PasswordStrength(of: text + String(repeating: "7!", count: 500_000)) == strength)
    }
}
