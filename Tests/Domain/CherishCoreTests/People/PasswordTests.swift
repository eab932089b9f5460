import CherishTestSupport
import Testing

@testable import CherishCore

@Suite("Passwords")
struct PasswordTests {
    private static let minji = PersonNames(email: "Minji.Kim@example.com", nickname: "민지")

    /// Why rule 12.2 refuses a text; nil if it accepts it.
    private func refusal(_ text: String, for person: PersonNames = minji) -> WeakPassword? {
        do {
            _ = try Password(text, for: person)
            return nil
        } catch {
            guard case .weakPassword(let reason) = error else { return nil }
            return reason
        }
    }

    @Test(
        "12.2: accepted are 8–128 characters with a digit and a special character",
        arguments: [
            "kx7$mq2!", "x9K#mQ2$vL7!", "correct horse battery staple 7!", "봄비 내리는 창가7!", "고양이는ㅋㅋㅋ9!",
            " leading 4 spaces ",
            "🙂garden٣tulip", "garden tulip ３！", "Жёлтый-чай-5", "jiwoo&sora2", "¿dónde9está?",
        ])
    func accepted(text: String) throws {
        let reason = refusal(text)
        #expect(reason == (text == " leading 4 spaces " ? .noSpecial : nil))
    }

    static let refused: [(text: String, reason: WeakPassword)] = [
        ("", .tooShort), ("kx7$mq2", .tooShort), ("사랑해7!", .tooShort),
        // Seven characters of many scalars.
        ("👨‍👩‍👧7!e\u{301}\u{302}xyz", .tooShort),
        ("kxwrmqtz!", .noDigit), ("ⅣⅨkxwrmqtz!", .noDigit), ("½kxwrmqtz!", .noDigit),
        ("kx7rmq2z", .noSpecial), ("kx7 rmq 2z", .noSpecial), ("봄비내리는창가7", .noSpecial),
        // An invisible character and a mark alone are not special.
        ("kx7rmq2z\u{200B}", .noSpecial), ("kx7rmq2q\u{301}", .noSpecial),
        ("kx7$mq2!\0", .controlCharacter), ("kx7$\tmq2!", .controlCharacter), ("kx7$mq2!\n", .controlCharacter),
        ("kx7$mq2!\u{85}", .controlCharacter), ("kx7$mq2!\u{FFFD}", .controlCharacter),
    ]

    @Test("12.2: each thing that is missing or too much has its reason", arguments: refused)
    func reasons(text: String, reason: WeakPassword) {
        let found = refusal(text)
        #expect(found == reason)
    }

    @Test("12.2: at most 128 characters and 1,024 bytes")
    func length() throws {
        // No word, and no repetition that matters here.
        let longest = String(repeating: "kx7$mq2!", count: 16)
        #expect(longest.count == 128 && refusal(longest) == nil)
        #expect(refusal(longest + "z") == .tooLong)
        // One character with marks of two bytes each; the first mark combines with the letter.
        let marked = "kx7$mq2e" + String(repeating: "\u{301}", count: 508)
        #expect(marked.count == 8 && refusal(marked) == nil)
        #expect(refusal(marked + "\u{301}") == .tooLong)
        #expect(refusal(String(repeating: "kx7$mq2!", count: 100_000)) == .tooLong)
        #expect(Password.bytesToVerify(marked + "\u{301}") == nil)
    }

    @Test("12.2: decomposed and composed texts are the same password")
    func normalization() throws {
        let composed = "봄비 내리는 caf\u{E9} 7!"
        let decomposed = "\u{1107}\u{1169}\u{11B7}\u{1107}\u{1175} 내리는 cafe\u{301} 7!"
        #expect(Array(composed.utf8) != Array(decomposed.utf8))
        let first = try Password(composed, for: PersonNames())
        let second = try Password(decomposed, for: PersonNames())
        #expect(first.bytes == second.bytes && first.bytes == Array(composed.utf8))
        #expect(Password.bytesToVerify(decomposed) == first.bytes)
        // 128 syllables of 9 bytes each, which NFC makes 3.
        let syllables = String(repeating: "\u{1112}\u{1161}\u{11AB}", count: 126) + "7!"
        let long = try Password(syllables, for: PersonNames())
        #expect(long.bytes.count == 126 * 3 + 2)
    }

    @Test("12.2: an old password can be verified even if newer rules would refuse it")
    func verifying() {
        #expect(Password.bytesToVerify("password") == Array("password".utf8))
        #expect(Password.bytesToVerify("") == [])
    }

    @Test(
        "12.2: the most common passwords are refused, however disguised",
        arguments: [
            "password1!", "PASSWORD1!", "PassWord!1", "1!password", "!!!123password123!!!", "p@ssw0rd1!",
            "P@$$w0rd2024!",
            "@dm1n2024!", "5unsh1ne!", "dr@g0n!!9", "h3ll0123!", "b4s3b4ll#1", "1loveyou!", "qwerty123!",
            "qwer1234!",
            "Qwer1234!@#$", "asdf1234!", "1q2w3e4r!", "1q2w3e4r5t!", "!qaz2wsx", "abc123!!", "iloveyou7!",
            "elephant#42",
            "12345678!", "!12345678", "1234-5678!", "11111111!", "１２３４５６７８！", "ｐａｓｓｗｏｒｄ１！", "pass\u{200B}word1!",
            "p\u{335}assword1!", "qlalfqjsgh1!", "tkfkdgo1004!", "비밀번호1234!", "사랑해요1004!", "가나다라마바사1!", "ㅁㄴㅇㄹ1234!",
            "Cherish2027!", "password12345678901234567890!",
        ])
    func common(text: String) {
        #expect(refusal(text, for: PersonNames()) == .common)
    }

    @Test(
        "12.2: a common word among others is no common password",
        arguments: [
            "dragon-tulip-7", "7monkeys!eat", "password for 2 pears!", "4821-9374-55!", "83920174!6", "비밀번호를 잊은 7월!",
        ])
    func uncommon(text: String) {
        #expect(refusal(text, for: PersonNames()) == nil)
    }

    static let names: [(text: String, email: String?, nickname: String?, isRefused: Bool)] = [
        ("Kx7$minji.kim", "minji.kim@example.com", nil, true),
        ("Kx7$MINJI.KIM", "minji.kim@example.com", nil, true),
        ("kx7$minji.kim@example.com", "Minji.Kim@Example.com", nil, true),
        ("kx7$minji-kim", "minji.kim@example.com", nil, false),
        ("kx7$tulips minji", nil, "Minji", true),
        ("ｋｘ７＄ｍｉｎｊｉ", nil, "Minji", true),
        ("김하나는 7월생!", nil, "김하나", true),
        // Decomposed in one of them.
        ("\u{1100}\u{1175}\u{11B7}하나는 7월생!", nil, "김하나", true),
        ("김하나는 7월생!", nil, "\u{1100}\u{1175}\u{11B7}하나", true),
        // Fewer than three characters.
        ("하나는 7월생이다!", nil, "하나", false),
        ("kx7$mq2!jo", "jo@example.com", nil, false),
        ("kx7$jo@a.kr!", "jo@a.kr", nil, true),
        // Not an address, empty, or longer than any password.
        ("kx7$nobody", "nobody", nil, true),
        ("kx7$mq2!", "", "", false),
        ("kx7$mq2!", "@", "\u{200B}\u{200B}\u{200B}", false),
        ("kx7$mq2!", String(repeating: "kx7$mq2!", count: 100), String(repeating: "a", count: 100_000), false),
    ]

    @Test(
        "12.2: the e-mail address, its local part and the nickname are refused from 3 characters on", arguments: names)
    func containsName(text: String, email: String?, nickname: String?, isRefused: Bool) {
        let person = PersonNames(email: email, nickname: nickname)
        #expect(refusal(text, for: person) == (isRefused ? .containsName : nil))
        let strength = PasswordStrength(of: text, for: person)
        #expect(strength.advice.contains(.containsName) == isRefused)
    }

    @Test("12.4: a password shows itself nowhere")
    func redaction() throws {
        let secret = "kx7$mq2!"
        let password = try Password(secret, for: PasswordTests.minji)
        var dumped = ""
        dump(password, to: &dumped)
        dump(["key": password], to: &dumped)
        let texts = [
            String(describing: password), String(reflecting: password), "\(password)", "\([password])",
            "\(Optional(password) as Any)", dumped,
        ]
        for text in texts {
            #expect(text.contains("a password"))
            #expect(!text.contains(secret) && !text.contains("107") && !text.contains("bytes"))
        }
        #expect(Mirror(reflecting: password).children.isEmpty)
    }

    @Test("the list has 10,000 words, each once, in lower case, and no disguise leads away from it")
    func list() {
        for (rank, word) in [(1, "123456"), (2, "password"), (10, "dragon")] {
            var walk = WordWalk(CommonPasswords.tree, FoldedPassword(word).symbols)
            walk.begin(at: 0)
            let ranks = walk.matches.filter { $0.isWhole && $0.disguises == 0 }.map(\.logarithm)
            #expect(ranks.contains { abs($0 - logarithm(rank)) < 1e-9 }, "\(word)")
        }
        #expect(CommonPasswords.listed.count == 10_000)
        #expect(Set(CommonPasswords.listed).count == 10_000)
        let isFolded = CommonPasswords.listed.allSatisfy { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        #expect(isFolded)
        let capital = CommonPasswords.listed.first { $0 != $0.lowercased() }
        #expect(capital == nil)
        let overlooked = CommonPasswords.listed.first { !FoldedPassword(String($0)).isCommon }
        #expect(overlooked == nil)
    }

    /// The power of ten of a small rank.
    private func logarithm(_ rank: Int) -> Double { [1: 0, 2: 0.301_029_995_66, 10: 1][rank] ?? .nan }
}

@Suite("Messages of refusals about people")
struct PeopleErrorTests {
    private static let others: [PeopleError] = [
        .wrongPassword, .codeWrong, .codeExpired, .tooManyTries, .identityRefused, .identityUnknown, .identityTaken,
        .providerLinked, .lastWayIn, .emailKnown, .emailUnconfirmed, .emailMissing, .phoneMissing, .confirmationWrong,
        .providerNotOffered, .providerUnreachable,
        .notSignedIn, .signInTooOld, .slowDown(seconds: 1), .slowDown(seconds: 90),
    ]
    static let all = WeakPassword.allCases.map(PeopleError.weakPassword) + others

    @Test("codes are stable")
    func codes() {
        let codes = Set(PeopleErrorTests.all.map(\.code)).sorted()
        #expect(
            codes == [
                "code_expired", "code_wrong", "confirmation_wrong", "email_known", "email_missing", "email_unconfirmed",
                "identity_refused",
                "identity_taken", "identity_unknown", "last_way_in", "not_signed_in", "phone_missing",
                "provider_linked",
                "provider_not_offered", "provider_unreachable", "sign_in_too_old", "slow_down", "too_many_tries",
                "weak_password", "wrong_password",
            ])
        #expect(
            WeakPassword.allCases.map(\.rawValue) == [
                "too_short", "too_long", "no_digit", "no_special", "control_character", "common", "contains_name",
            ])
    }

    @Test("each has a remedy that fits every program: no command, no option", arguments: all)
    func remedies(error: PeopleError) {
        #expect(error.description == "\(error.problem); \(error.remedy)")
        #expect(!error.remedy.isEmpty && !error.remedy.contains(";") && !error.problem.contains(";"))
        for word in ["cherish ", "--", "'", "command", "1 seconds"] { #expect(!error.description.contains(word)) }
    }

    @Test("each says the same in Korean", arguments: all)
    func korean(error: PeopleError) {
        let (problem, remedy) = error.korean
        #expect(KoreanSentences.flaws([problem, remedy], besides: error.description) == [])
    }

    @Test("12.9: the wait is at least a second")
    func waiting() {
        #expect(PeopleError.slowDown(seconds: 90).remedy == "try again in 90 seconds")
        #expect(PeopleError.slowDown(seconds: 0).remedy == "try again in 1 second")
    }
}
