import HTMLMarkup

/// A text in a safe subset of Markdown: headings, paragraphs, lists within lists, strong words, emphasis and links.
/// Whatever else it holds, such as HTML, is shown as it was written.
///
/// It is read here and not by a library: those for CommonMark leave the asterisks where a particle follows a bracket, as
/// in `**회원(이용자)**은`, which Korean terms are full of.
struct MarkdownText: Sendable {
    let markup: Markup
    /// Whether it has a heading of its own for the page.
    let hasTitle: Bool

    init(_ text: String) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        var reader = BlockReader(lines)
        let blocks = reader.blocks()
        markup = "\(blocks.map(\.markup))"
        hasTitle = blocks.contains { $0.isTitle }
    }
}

private enum Block {
    case heading(level: Int, Substring)
    case paragraph(String)
    /// - start: the number of the first item; nil without numbers.
    case list(start: Int?, [[Block]])

    var isTitle: Bool {
        if case .heading(1, _) = self { true } else { false }
    }

    var isParagraph: Bool {
        if case .paragraph = self { true } else { false }
    }

    var markup: Markup {
        switch self {
        case .heading(let level, let text): "<h\(level)>\(Inline.markup(text))</h\(level)>\n"
        case .paragraph(let text): "<p>\(Inline.markup(text[...]))</p>\n"
        case .list(let start, let items):
            if let start {
                "<ol\(start == 1 ? "" : " start=\"\(start)\"" as Markup)>\n\(items.map(Block.item))</ol>\n"
            } else {
                "<ul>\n\(items.map(Block.item))</ul>\n"
            }
        }
    }

    /// An item of a list. Its only paragraph needs no element of its own.
    private static func item(_ blocks: [Block]) -> Markup {
        if blocks.count(where: \.isParagraph) == 1, case .paragraph(let text)? = blocks.first {
            return "<li>\(Inline.markup(text[...]))\(blocks.dropFirst().map(\.markup))</li>\n"
        }
        return "<li>\(blocks.map(\.markup))</li>\n"
    }
}

/// Takes lines apart into blocks.
private struct BlockReader {
    private var lines: ArraySlice<Substring>

    init(_ lines: [Substring]) {
        self.lines = lines[...]
    }

    mutating func blocks() -> [Block] {
        var blocks: [Block] = []
        while let line = lines.first {
            if line.isBlank {
                lines.removeFirst()
            } else if let heading = BlockReader.heading(line) {
                blocks.append(heading)
                lines.removeFirst()
            } else if let marker = ListMarker(line) {
                blocks.append(list(from: marker))
            } else {
                blocks.append(paragraph())
            }
        }
        return blocks
    }

    /// `## What we keep`
    private static func heading(_ line: Substring) -> Block? {
        let level = line.prefix { $0 == "#" }.count
        let text = line.dropFirst(level)
        guard (1...6).contains(level), text.first == " " else { return nil }
        return .heading(level: level, text.trimmed)
    }

    private mutating func paragraph() -> Block {
        var text: [Substring] = []
        while let line = lines.first, text.isEmpty || BlockReader.continues(line) {
            text.append(line.trimmed)
            lines.removeFirst()
        }
        return .paragraph(text.joined(separator: "\n"))
    }

    /// Whether a line goes on with the paragraph before it.
    private static func continues(_ line: Substring) -> Bool {
        !line.isBlank && heading(line) == nil && ListMarker(line) == nil
    }

    private mutating func list(from first: ListMarker) -> Block {
        var items: [[Block]] = []
        while let line = lines.first, let marker = ListMarker(line), (marker.number == nil) == (first.number == nil) {
            var own = [line.dropFirst(marker.width)]
            lines.removeFirst()
            while let line = lines.first {
                let isWithin = line.isBlank || line.indentation >= marker.width
                guard isWithin || own.last?.isBlank == false && BlockReader.continues(line) else { break }
                own.append(line.dropFirst(min(marker.width, line.indentation)))
                lines.removeFirst()
            }
            var reader = BlockReader(own)
            items.append(reader.blocks())
        }
        return .list(start: first.number, items)
    }
}

/// What begins an item of a list: `- `, `* `, `+ `, `1. `, `1) `.
private struct ListMarker {
    /// nil without numbers.
    let number: Int?
    /// How far the text of the item is from the margin.
    let width: Int

    init?(_ line: Substring) {
        let text = line.dropFirst(line.indentation)
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let sign = text.dropFirst(digits.count).first
        // A year begins a date: 2027. 3. 2.
        guard digits.count <= 3, let sign, (digits.isEmpty ? "-*+" : ".)").contains(sign) else { return nil }
        let rest = text.dropFirst(digits.count + 1)
        guard rest.first == " " else { return nil }
        number = Int(digits)
        width = line.count - rest.drop { $0 == " " }.count
    }
}

/// Strong words, emphasis and links within a line of text.
private enum Inline {
    static func markup(_ text: Substring) -> Markup {
        var (markup, plain, rest): (Markup, String, Substring) = ("", "", text)
        func before() -> Character? { text[..<rest.startIndex].last }
        while let character = rest.first {
            if character == "\\", let next = rest.dropFirst().first, next.isASCII, next.isPunctuation || next.isSymbol {
                plain.append(next)
                rest = rest.dropFirst(2)
            } else if let found = link(rest) ?? emphasis(rest, before: before()) {
                markup += "\(plain)\(found.markup)"
                (plain, rest) = ("", found.rest)
            } else {
                plain.append(character)
                rest = rest.dropFirst()
            }
        }
        return "\(markup)\(plain)"
    }

    /// `[our terms](https://example.org/terms)`
    private static func link(_ text: Substring) -> (markup: Markup, rest: Substring)? {
        guard text.first == "[", let labelEnd = end(of: text, "[", "]") else { return nil }
        let target = text[text.index(after: labelEnd)...]
        guard target.first == "(", let targetEnd = end(of: target, "(", ")") else { return nil }
        let address = String(target[..<targetEnd].dropFirst())
        guard isSafe(address) else { return nil }
        let label = text[..<labelEnd].dropFirst()
        return ("<a href=\"\(address)\">\(markup(label))</a>", target[target.index(after: targetEnd)...])
    }

    /// Where the bracket is closed that a text begins with.
    private static func end(of text: Substring, _ opening: Character, _ closing: Character) -> Substring.Index? {
        var (depth, isEscaped) = (0, false)
        for index in text.indices {
            if isEscaped {
                isEscaped = false
            } else if text[index] == "\\" {
                isEscaped = true
            } else if text[index] == opening {
                depth += 1
            } else if text[index] == closing {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    /// Whether a link may lead there: to a page of ours, another site, or a mail.
    private static func isSafe(_ address: String) -> Bool {
        if OwnPath(address).text == address { return true }
        let scheme = address.prefix { $0 != ":" }.lowercased()
        return ["http", "https", "mailto"].contains(scheme) && address.count > scheme.count + 1
            && address.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.value >= 0x20 }
    }

    /// `**strong**`, `*emphasis*`, or the same with `_`, which does not count within a word.
    private static func emphasis(_ text: Substring, before: Character?) -> (markup: Markup, rest: Substring)? {
        guard let sign = text.first, sign == "*" || sign == "_" else { return nil }
        let isStrong = text.dropFirst().first == sign
        let inner = text.dropFirst(isStrong ? 2 : 1)
        guard let first = inner.first, !first.isWhitespace, sign == "*" || before?.isWordPart != true,
            let range = closing(sign, isStrong: isStrong, in: inner)
        else { return nil }
        let content = markup(inner[..<range.lowerBound])
        return (isStrong ? "<strong>\(content)</strong>" : "<em>\(content)</em>", inner[range.upperBound...])
    }

    /// Where what a sign has opened ends.
    private static func closing(
        _ sign: Character, isStrong: Bool, in text: Substring
    ) -> Range<Substring.Index>? {
        var index = text.startIndex
        while index < text.endIndex {
            let run = text[index...].prefix { $0 == sign }
            if run.isEmpty {
                // A backslash takes the sign behind it along.
                index =
                    text.index(index, offsetBy: text[index] == "\\" ? 2 : 1, limitedBy: text.endIndex) ?? text.endIndex
                continue
            }
            // Of three signs, the inner one ends what was opened last.
            let length = isStrong ? 2 : 1
            let isLong = isStrong ? run.count >= 2 : run.count != 2
            let follower = text[run.endIndex...].first
            if isLong, index > text.startIndex, !text[text.index(before: index)].isWhitespace,
                sign == "*" || follower?.isWordPart != true
            {
                return text.index(run.endIndex, offsetBy: -length)..<run.endIndex
            }
            index = run.endIndex
        }
        return nil
    }
}

extension Substring {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }

    /// How many blanks it begins with.
    fileprivate var indentation: Int { prefix { $0 == " " }.count }

    fileprivate var trimmed: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

extension Character {
    fileprivate var isWordPart: Bool { isLetter || isNumber }
}
