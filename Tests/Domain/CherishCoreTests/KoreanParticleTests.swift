import Foundation
import Testing

@testable import CherishCore

@Suite("Korean particles")
struct KoreanParticleTests {
    /// A nickname, followed by itself with 이/가, 을/를, 은/는, 과/와.
    static let examples: [(String, [String])] = [
        // Hangul with and without a final consonant.
        ("민준", ["민준이", "민준을", "민준은", "민준과"]), ("민지", ["민지가", "민지를", "민지는", "민지와"]),
        ("가", ["가가", "가를", "가는", "가와"]), ("힣", ["힣이", "힣을", "힣은", "힣과"]),
        ("쌀", ["쌀이", "쌀을", "쌀은", "쌀과"]), ("박 씨", ["박 씨가", "박 씨를", "박 씨는", "박 씨와"]),
        // NFD.
        ("\u{1112}\u{1161}\u{11AB}", ["한이", "한을", "한은", "한과"]), ("\u{1112}\u{1161}", ["하가", "하를", "하는", "하와"]),
        // 영 일 이 삼 사 오 육 칠 팔 구
        ("친구0", ["친구0이", "친구0을", "친구0은", "친구0과"]), ("친구1", ["친구1이", "친구1을", "친구1은", "친구1과"]),
        ("친구2", ["친구2가", "친구2를", "친구2는", "친구2와"]), ("친구3", ["친구3이", "친구3을", "친구3은", "친구3과"]),
        ("친구4", ["친구4가", "친구4를", "친구4는", "친구4와"]), ("친구5", ["친구5가", "친구5를", "친구5는", "친구5와"]),
        ("친구6", ["친구6이", "친구6을", "친구6은", "친구6과"]), ("친구7", ["친구7이", "친구7을", "친구7은", "친구7과"]),
        ("친구8", ["친구8이", "친구8을", "친구8은", "친구8과"]), ("친구9", ["친구9가", "친구9를", "친구9는", "친구9와"]),
        ("F4", ["F4가", "F4를", "F4는", "F4와"]), ("10", ["10이", "10을", "10은", "10과"]),
        // Latin names as Korean writes them: 톰, 앤, 폴, 킹, 잭, 레오, 메리, 크리스.
        ("Tom", ["Tom이", "Tom을", "Tom은", "Tom과"]), ("Ann", ["Ann이", "Ann을", "Ann은", "Ann과"]),
        ("PAUL", ["PAUL이", "PAUL을", "PAUL은", "PAUL과"]), ("King", ["King이", "King을", "King은", "King과"]),
        ("Jack", ["Jack이", "Jack을", "Jack은", "Jack과"]), ("Leo", ["Leo가", "Leo를", "Leo는", "Leo와"]),
        ("Mary", ["Mary가", "Mary를", "Mary는", "Mary와"]), ("Chris", ["Chris가", "Chris를", "Chris는", "Chris와"]),
        // Emoji and punctuation at the end are ignored.
        ("민준🌱", ["민준🌱이", "민준🌱을", "민준🌱은", "민준🌱과"]), ("민지!", ["민지!가", "민지!를", "민지!는", "민지!와"]),
        ("민지👨‍👩‍👧‍👦", ["민지👨‍👩‍👧‍👦가", "민지👨‍👩‍👧‍👦를", "민지👨‍👩‍👧‍👦는", "민지👨‍👩‍👧‍👦와"]),
        ("엄마 (집)", ["엄마 (집)이", "엄마 (집)을", "엄마 (집)은", "엄마 (집)과"]),
        // The sound is unknown.
        ("🙂", ["🙂이(가)", "🙂을(를)", "🙂은(는)", "🙂과(와)"]), ("ㅋㅋ", ["ㅋㅋ이(가)", "ㅋㅋ을(를)", "ㅋㅋ은(는)", "ㅋㅋ과(와)"]),
        ("さくら", ["さくら이(가)", "さくら을(를)", "さくら은(는)", "さくら과(와)"]), ("", ["이(가)", "을(를)", "은(는)", "과(와)"]),
    ]

    @Test("7.11: particles follow the final consonant of the nickname", arguments: KoreanParticleTests.examples)
    func attached(word: String, expected: [String]) {
        let particles: [KoreanParticle] = [.subject, .object, .topic, .with]
        let attached = particles.map { $0.attached(to: word) }
        #expect(attached == expected)
    }

    @Test("7.11: every modern syllable, checked against its decomposition")
    func everySyllable() {
        // An independent check: in NFD, a syllable with a final consonant has three scalars, one without has two.
        var wrong: [String] = []
        for value in UInt32(0xAC00)...0xD7A3 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let syllable = String(Character(scalar))
            let hasFinal = syllable.decomposedStringWithCanonicalMapping.unicodeScalars.count == 3
            if KoreanParticle.endsInConsonant(syllable) != hasFinal { wrong.append(syllable) }
        }
        #expect(wrong.isEmpty)
    }

    @Test("7.11: an accent does not change a letter's sound", arguments: ["René", "Ngô", "André", "Noé"])
    func accents(name: String) {
        let topic = KoreanParticle.topic.attached(to: name)
        #expect(topic == "\(name)는")
    }
}
