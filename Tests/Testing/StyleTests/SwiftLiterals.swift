/// The string literals of a Swift source, with the expressions that are put into them, and what stands around them.
struct SwiftLiterals {
    struct Literal {
        /// With a space in place of each expression and each escape, so that words do not run together.
        var text = ""
        /// As they stand in the source: `PlantRow.columns` of `"SELECT \(PlantRow.columns)"`.
        var expressions: [String] = []
        /// Whether it is added to something by `+` or `+=`, or something to it.
        var isAdded = false
        /// Whether it begins with `#`, where this reader finds no expressions.
        var isRaw = false
    }

    private(set) var all: [Literal] = []
    /// The source without comments, and with `""` in place of each literal.
    var code: String { String(decoding: codeBytes, as: UTF8.self) }

    private var codeBytes: [UInt8] = []
    private let source: [UInt8]
    private var place = 0

    init(of source: String) {
        self.source = Array(source.utf8)
        while place < self.source.count {
            if starts(with: "//") {
                while place < self.source.count, self.source[place] != UInt8(ascii: "\n") { place += 1 }
            } else if starts(with: "\"") {
                readLiteral()
                codeBytes += "\"\"".utf8
            } else {
                codeBytes.append(self.source[place])
                place += 1
            }
        }
    }

    private func starts(with text: String) -> Bool {
        place < source.count && source[place...].starts(with: text.utf8)
    }

    private mutating func readLiteral() {
        let start = place
        let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
        place += quotes.utf8.count
        var literal = Literal()
        var text: [UInt8] = []
        while place < source.count, !starts(with: quotes) {
            if starts(with: "\\(") {
                place += 2
                literal.expressions.append(readExpression())
                text.append(UInt8(ascii: " "))
            } else if starts(with: "\\") {
                place += 2
                text.append(UInt8(ascii: " "))
            } else {
                text.append(source[place])
                place += 1
            }
        }
        place += quotes.utf8.count
        literal.text = String(decoding: text, as: UTF8.self)
        literal.isAdded = isAdded(from: start)
        literal.isRaw = source[..<start].last == UInt8(ascii: "#")
        all.append(literal)
    }

    /// Whether a literal that ends here stands beside a `+`, or behind a `+=`.
    private func isAdded(from start: Int) -> Bool {
        let before = source[..<start].lastIndex { !Self.isBlank($0) }
        let after = source.dropFirst(place).first { !Self.isBlank($0) }
        let plus = UInt8(ascii: "+")
        if after == plus { return true }
        guard let before else { return false }
        return source[before] == plus || source[...before].suffix(2).elementsEqual("+=".utf8)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n")
    }

    /// Up to the parenthesis that ends it, which is passed.
    private mutating func readExpression() -> String {
        let start = place
        var depth = 1
        while place < source.count {
            if starts(with: "\"") {
                readLiteral()
                continue
            }
            if starts(with: "(") { depth += 1 }
            if starts(with: ")") { depth -= 1 }
            place += 1
            if depth == 0 { return String(decoding: source[start..<place - 1], as: UTF8.self) }
        }
        return ""
    }
}
