import SeededChance
import Testing

import CherishCore

@Suite("Verification codes")
struct VerificationCodeTests {
    @Test(
        "12.4: a code can be written as people copy it",
        arguments: ["012345", " 012345", "012345\n", "\t012 345 ", "012-345", "\u{A0}012345\r\n"])
    func readable(text: String) throws {
        let code = try #require(VerificationCode(text))
        #expect(code.text == "012345")
    }

    @Test(
        "12.4: anything else is no code",
        arguments: [
            "", " ", "12345", "0123456", "01234a", "01-2345", "0123 45", "012--345", "012 - 345", "012_345", "-012345",
            "012345-", "+12345", "012-34", "012 ", "０１２３４５", "٠١٢٣٤٥", "012345\0", "012345 012345", "012\n345",
            "0.12345",
            "0\u{301}12345", "0123\u{200B}45", String(repeating: " ", count: 100) + "012345",
        ])
    func unreadable(text: String) {
        let code = VerificationCode(text)
        #expect(code == nil)
    }

    @Test("12.4: what is drawn can be read back, with leading zeros")
    func drawn() {
        var random = SplitMix64(seed: 1)
        var leadingZeros = 0
        for _ in 0..<10_000 {
            let code = VerificationCode.random(using: &random)
            #expect(code.text.utf8.count == 6)
            #expect(VerificationCode(code.text) == code)
            if code.text.hasPrefix("0") { leadingZeros += 1 }
        }
        // 1,000 expected, with a standard deviation of 30.
        #expect((850...1_150).contains(leadingZeros))
    }

    @Test("12.4: every digit is equally likely at every place, and so is every pair")
    func uniform() {
        var random = SplitMix64(seed: 2)
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 10), count: 6)
        var pairs = [Int](repeating: 0, count: 100)
        for _ in 0..<60_000 {
            let digits = VerificationCode.random(using: &random).text.utf8.map { Int($0) - 48 }
            for (place, digit) in digits.enumerated() { counts[place][digit] += 1 }
            pairs[digits[0] * 10 + digits[5]] += 1
        }
        // 6,000 expected, with a standard deviation of 73; 600 expected, with a standard deviation of 24.
        for count in counts.joined() { #expect((5_600...6_400).contains(count)) }
        for count in pairs { #expect((470...730).contains(count)) }
    }

    /// A generator whose numbers are all the same.
    private struct Constant: RandomNumberGenerator {
        let value: UInt64
        mutating func next() -> UInt64 { value }
    }

    @Test("12.4: the first and the last code can be drawn")
    func ends() {
        // The exact half would be drawn again without end, since it would make some codes more likely than others.
        var (highest, middle) = (Constant(value: .max), Constant(value: 1 << 63 | 1 << 40))
        #expect(VerificationCode.random(using: &highest).text == "999999")
        #expect(VerificationCode.random(using: &middle).text == "500000")
    }

    @Test("12.4: the limits")
    func limits() {
        #expect(VerificationCode.length == 6 && VerificationCode.lifetimeSeconds == 600)
        #expect(VerificationCode.maximumTries == 5)
        #expect(VerificationCode.maximumPerHour == 3 && VerificationCode.maximumPerDay == 10)
    }

    @Test("12.4: a code shows itself nowhere")
    func redaction() throws {
        let code = try #require(VerificationCode("834917"))
        var dumped = ""
        dump(code, to: &dumped)
        dump([code: code], to: &dumped)
        for text in ["\(code)", String(reflecting: code), "\([code])", "\(Optional(code) as Any)", dumped] {
            #expect(text.contains("a verification code") && !text.contains("834917"))
        }
        #expect(Mirror(reflecting: code).children.isEmpty)
    }
}
