extension String {
    /// Wraps the usage line of a help page to the terminal's width; the argument parser wraps everything else.
    package func withWrappedUsage(toWidth width: Int) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.hasPrefix("USAGE: ") ? UsageText.wrapped(line, toWidth: width) : String(line)
        }.joined(separator: "\n")
    }
}

/// The usage line of a help page.
private enum UsageText {
    private static let indent = "USAGE: ".count

    /// Breaks the line before an option or argument, never within one.
    static func wrapped(_ line: Substring, toWidth width: Int) -> String {
        var lines: [String] = []
        var current = ""
        for word in words(of: line) {
            if !current.isEmpty, current.count + 1 + word.count > width {
                lines.append(current)
                current = String(repeating: " ", count: indent) + word
            } else {
                current += (current.isEmpty ? "" : " ") + word
            }
        }
        return (lines + [current]).joined(separator: "\n")
    }

    /// An option counts as one word with its value and brackets: `[--now <now>]`, `--email <email>`.
    private static func words(of line: Substring) -> [String] {
        var words: [String] = []
        var isOpen = false
        for word in line.split(separator: " ") {
            let isValue = word.hasPrefix("<") && words.last?.hasPrefix("--") == true && !isOpen
            if isOpen || isValue {
                words[words.count - 1] += " " + word
            } else {
                words.append(String(word))
            }
            if word.contains("[") { isOpen = true }
            if word.contains("]") { isOpen = false }
        }
        return words
    }
}
