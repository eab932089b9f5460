import Foundation

/// Korean particles whose form depends on whether the preceding word ends in a consonant (rule 7.11).
///
/// The raw values hold the form after a consonant, then the form after a vowel.
public enum KoreanParticle: String, CaseIterable, Sendable {
    case subject = "이/가"
    case object = "을/를"
    case topic = "은/는"
    case with = "과/와"

    private var forms: (afterConsonant: StaticString, afterVowel: StaticString, both: StaticString) {
        switch self {
        case .subject: ("이", "가", "이(가)")
        case .object: ("을", "를", "을(를)")
        case .topic: ("은", "는", "은(는)")
        case .with: ("과", "와", "과(와)")
        }
    }

    /// Appends the particle that matches a word, or both forms if the word's pronunciation is unknown: `🙂이(가)`.
    func append(after word: String, to bytes: inout [UInt8]) {
        let form =
            switch KoreanParticle.endsInConsonant(word) {
            case true?: forms.afterConsonant
            case false?: forms.afterVowel
            case nil: forms.both
            }
        form.withUTF8Buffer { bytes += $0 }
    }

    /// The word with the matching particle.
    public func attached(to word: String) -> String {
        var bytes = Array(word.utf8)
        append(after: word, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decides by the last character that is read aloud, skipping emoji and punctuation; nil if there is none.
    static func endsInConsonant(_ word: String) -> Bool? {
        // Most nicknames end in a Hangul syllable.
        if let last = word.unicodeScalars.last, last.isHangulSyllable { return last.hasFinalConsonant }
        // Strip accents from letters (é is read as e); Hangul syllables stay whole.
        let letters = word.compactMap { $0.isRead ? $0 : $0.withoutAccents }
        guard let last = letters.last?.unicodeScalars.first else { return nil }
        if last.isHangulSyllable { return last.hasFinalConsonant }
        switch last.value {
        case 0x30...0x39:
            // 영 일 이 삼 사 오 육 칠 팔 구
            return [0x30, 0x31, 0x33, 0x36, 0x37, 0x38].contains(last.value)
        default:
            // Latin names as spelled in Korean: Tom 톰, Ann 앤, Paul 폴, Jack 잭, Bob 밥, Pat 팻, King 킹.
            let ending = String(letters.suffix(2)).lowercased()
            return ending.hasSuffix("ng") || ending.last.map { "lmnbckpt".contains($0) } == true
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isHangulSyllable: Bool { (0xAC00...0xD7A3).contains(value) }

    /// Syllables are ordered by initial, vowel, and final; every 28th has no final.
    fileprivate var hasFinalConsonant: Bool { (value - 0xAC00) % 28 != 0 }
}

extension Character {
    /// Whether this is read aloud: a Hangul syllable, a digit, or a Latin letter without accents.
    fileprivate var isRead: Bool {
        guard unicodeScalars.count == 1, let scalar = unicodeScalars.first else { return false }
        switch scalar.value {
        case 0xAC00...0xD7A3, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
        default: return false
        }
    }

    /// The letter without its accents, or the syllable composed from decomposed Hangul; nil if it is not read aloud.
    fileprivate var withoutAccents: Character? {
        let composed = String(self).precomposedScalars.first.map(Character.init)
        if let composed, composed.isRead { return composed }
        let base = String(self).decomposedStringWithCanonicalMapping.unicodeScalars.first.map(Character.init)
        return base.flatMap { $0.isRead ? $0 : nil }
    }
}
