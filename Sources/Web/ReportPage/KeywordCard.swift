import CherishCore
import HTMLMarkup

/// A word cloud of keywords: the more frequent, the larger.
struct KeywordCard {
    /// A word of the cloud at its final size.
    private struct Word {
        let keyword: GardenFigures.Keyword
        let size: Double
        /// Estimated, because the fonts are unknown.
        let width: Double
        let style: String
    }

    private static let smallest = 13.0
    private static let largest = 34.0
    private static let gap = 12.0
    private static let widest = 344.0
    private static let shown = 40

    let keywords: [GardenFigures.Keyword]
    let words: Wording

    var card: Card {
        let heading = words("자주 쓴 키워드", "Keywords")
        guard let first = keywords.first else {
            return Card(
                id: "keywords", heading: heading, lead: words("아직 키워드가 없어요.", "No keywords yet."), content: nil)
        }
        let lead = words(
            "가장 자주 쓴 키워드는 ‘\(first.text)’, \(words.count(first.reviewCount))번이에요.",
            "Most often “\(first.text)”, \(words.count(first.reviewCount, "", "time")).")
        var top = 4.0
        var drawing: [Markup] = []
        for row in rows {
            let height = Self.height(of: row)
            drawing += draw(row, baseline: top + height * 0.78)
            top += height
        }
        return Card(
            id: "keywords", heading: heading, lead: lead,
            content: Card.Content(
                picture: Picture(title: heading, description: lead, height: top + 4, drawing: drawing), table: table,
                remark: words("클수록 자주 쓴 키워드예요.", "The larger, the more often.")))
    }

    // MARK: Layout

    /// Puts the largest words into the middle row, and into the middle of each row.
    private var rows: [[Word]] {
        var rows: [[Word]] = []
        var free = 0.0
        for word in sized {
            if rows.isEmpty || word.width > free {
                rows.append([])
                free = Self.widest
            }
            rows[rows.count - 1].append(word)
            free -= word.width + Self.gap
        }
        return Self.fromTheMiddle(rows).map { Self.fromTheMiddle($0) }
    }

    private var sized: [Word] {
        let shown = keywords.prefix(Self.shown)
        let most = Double(shown.first?.reviewCount ?? 1)
        let least = Double(shown.last?.reviewCount ?? 1)
        return shown.map { keyword in
            let weight = most > least ? ((Double(keyword.reviewCount) - least) / (most - least)).squareRoot() : 0.5
            let size = Self.smallest + (Self.largest - Self.smallest) * weight
            return Word(
                keyword: keyword, size: size, width: min(Self.ems(keyword.text) * size, Self.widest),
                style: weight > 0.66 ? "loud" : weight > 0.33 ? "clear" : "soft")
        }
    }

    /// 1st, 2nd, 3rd … become … 4th, 2nd, 1st, 3rd, 5th …
    private static func fromTheMiddle<Element>(_ elements: [Element]) -> [Element] {
        var result: [Element] = []
        for (place, element) in elements.enumerated() {
            if place.isMultiple(of: 2) { result.append(element) } else { result.insert(element, at: 0) }
        }
        return result
    }

    /// The width of a text in ems. Korean letters and emoji are about square, most Latin letters are narrower. Assumes
    /// wide fonts, so that words never overlap.
    private static func ems(_ text: String) -> Double {
        text.reduce(0) { sum, character in
            let isSquare = "mwMW@%".contains(character) || character.unicodeScalars.contains { $0.value >= 0x1100 }
            return sum + (isSquare ? 1.05 : 0.72)
        }
    }

    private static func height(of row: [Word]) -> Double { (row.map(\.size).max() ?? 0) * 1.3 }

    // MARK: Drawing

    private func draw(_ row: [Word], baseline: Double) -> [Markup] {
        let width = row.reduce(-Self.gap) { $0 + $1.width + Self.gap }
        var left = (Picture.width - width) / 2
        return row.map { word -> Markup in
            let centre = left + word.width / 2
            left += word.width + Self.gap
            let title = "\(word.keyword.text): \(words.count(word.keyword.reviewCount, "번", "time"))"
            return """
                <text class="word \(word.style)" x="\(centre)" y="\(baseline)" style="font-size:\(word.size)px">\
                <title>\(title)</title>\(word.keyword.text)</text>
                """
        }
    }

    private var table: DataTable {
        DataTable(
            columns: [
                DataTable.Column(title: words("키워드", "Keyword")),
                DataTable.Column(title: words("기록", "Reviews"), isNumber: true),
            ], rows: keywords.prefix(Self.shown).map { [$0.text, words.count($0.reviewCount)] })
    }
}
