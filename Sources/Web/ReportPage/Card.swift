import HTMLMarkup

/// A picture with a title, and a description for people who cannot see it.
struct Picture {
    /// The width of all pictures, in units of about one pixel on a phone.
    static let width = 360.0

    let title: String
    let description: String
    let height: Double
    let drawing: [Markup]

    func svg(id: String) -> Markup {
        """
        <svg viewBox="0 0 \(Picture.width) \(height)" role="img" aria-labelledby="\(id)-title \(id)-description">\
        <title id="\(id)-title">\(title)</title><desc id="\(id)-description">\(description)</desc>\(drawing)</svg>
        """
    }
}

/// The figures behind a picture.
struct DataTable {
    struct Column {
        let title: String
        var isNumber = false
    }

    let columns: [Column]
    let rows: [[String]]

    /// - Parameter caption: What the table shows; for screen readers only.
    func markup(caption: String) -> Markup {
        let titles = columns.map { column -> Markup in
            "<th scope=\"col\"\(column.attributes)>\(column.title)</th>"
        }
        let lines = rows.map { row -> Markup in
            let cells = zip(columns, row).enumerated().map { place, cell -> Markup in
                let (column, text) = cell
                return place == 0
                    ? "<th scope=\"row\"\(column.attributes)><bdi>\(text)</bdi></th>"
                    : "<td\(column.attributes)><bdi>\(text)</bdi></td>"
            }
            return "<tr>\(cells)</tr>\n"
        }
        return """
            <table><caption class="heard">\(caption)</caption><thead><tr>\(titles)</tr></thead><tbody>
            \(lines)</tbody></table>
            """
    }
}

extension DataTable.Column {
    fileprivate var attributes: Markup { isNumber ? " class=\"number\"" : "" }
}

/// The meaning of a colour.
struct LegendEntry {
    /// A class of the style sheet.
    let style: String
    let text: String
}

/// A section of the page: heading, sentence, picture, and the table behind it.
struct Card {
    struct Content {
        let picture: Picture
        var legend: [LegendEntry] = []
        let table: DataTable
        var remark: String?
    }

    /// Identifies the section in links and labels.
    let id: String
    let heading: String
    /// What the picture shows, or that there is nothing yet.
    let lead: String
    /// nil if there is nothing to show.
    let content: Content?

    func markup(_ words: Wording) -> Markup {
        let shown: Markup = content.map { figure($0, words) } ?? ""
        let style = content == nil ? "card empty" : "card"
        return """
            <section class="\(style)" aria-labelledby="\(id)">
            <h2 id="\(id)">\(heading)</h2>
            <p class="lead">\(lead)</p>
            \(shown)</section>

            """
    }

    private func figure(_ content: Content, _ words: Wording) -> Markup {
        let entries = content.legend.map { entry -> Markup in
            "<li><span class=\"swatch \(entry.style)\"></span>\(entry.text)</li>"
        }
        let legend: Markup = entries.isEmpty ? "" : "<ul class=\"legend\">\(entries)</ul>\n"
        let remark: Markup = content.remark.map { text -> Markup in "<p class=\"remark\">\(text)</p>\n" } ?? ""
        return """
            <figure>\(content.picture.svg(id: id))
            \(legend)\(remark)</figure>
            <details><summary>\(words("숫자로 보기", "As a table"))<span class="heard">: \(heading)</span></summary>
            \(content.table.markup(caption: heading))
            </details>

            """
    }
}
