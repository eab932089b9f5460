/// The string literals of a Swift source, with the expressions that are put into them.
struct SwiftLiterals {
    struct Literal {
        var text = ""
        /// As they stand in the source: `PlantRow.columns` of `"SELECT \(PlantRow.columns)"`.
        var expressions: [String] = []
    }

    private(set) var all: [Literal] = []
    private let source: [UInt8]
    private var place = 0

    init(of source: String) {
        self.source = Array(source.utf8)
        while place < self.source.count {
            if starts(with: "//") {
                while place < self.source.count, self.source[place] != UInt8(ascii: "\n") { place += 1 }
            } else if starts(with: "\"") {
                readLiteral()
            } else {
                place += 1
            }
        }
    }

    private func starts(with text: String) -> Bool {
        place < source.count && source[place...].starts(with: text.utf8)
    }

    private mutating func readLiteral() {
        let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
        place += quotes.utf8.count
        var literal = Literal()
        var text: [UInt8] = []
        while place < source.count, !starts(with: quotes) {
            if starts(with: "\\(") {
                place += 2
                literal.expressions.append(readExpression())
            } else if starts(with: "\\") {
                place += 2
            } else {
                text.append(source[place])
                place += 1
            }
        }
        place += quotes.utf8.count
        literal.text = String(decoding: text, as: UTF8.self)
        all.append(literal)
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
