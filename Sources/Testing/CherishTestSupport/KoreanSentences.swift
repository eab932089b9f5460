/// Checks what programs say in Korean.
public enum KoreanSentences {
    /// What is wrong: sentences that do not end in the polite 요, and numbers that only the English text has.
    public static func flaws(_ korean: [String], besides english: String) -> [String] {
        let sentences = korean.flatMap { $0.split(separator: ". ", omittingEmptySubsequences: false) }
        let impolite = sentences.filter { $0.trimmingSuffix(".").last != "요" }.map { "\"\($0)\" does not end in 요" }
        let missing = numbers(english).subtracting(numbers(korean.joined(separator: " ")))
        return impolite + missing.sorted().map { "\($0) is missing" }
    }

    private static func numbers(_ text: String) -> Set<Int> {
        Set(text.split { !("0"..."9").contains($0) }.compactMap { Int($0) })
    }
}

extension Substring {
    fileprivate func trimmingSuffix(_ suffix: String) -> Substring {
        hasSuffix(suffix) ? dropLast(suffix.count) : self
    }
}
