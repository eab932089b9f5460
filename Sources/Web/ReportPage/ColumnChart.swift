import HTMLMarkup

/// Stacked columns over time.
struct ColumnChart {
    struct Column {
        /// Shown below the column if there is room.
        let label: String
        /// What the column covers.
        let name: String
        /// One value per series, from the bottom up; none negative.
        let values: [Int]
    }

    struct Series {
        /// A class of the style sheet.
        let style: String
        let name: String
    }

    private static let left = 48.0
    private static let right = 356.0
    private static let top = 28.0
    private static let bottom = 164.0
    static let height = 190.0

    let series: [Series]
    let columns: [Column]
    /// The unit of the vertical axis.
    let unit: String
    let words: Wording

    var drawing: [Markup] {
        [unitName] + grid + columns.indices.map { column(at: $0) } + labels
    }

    // MARK: Scale

    private var most: Int { columns.map { $0.values.reduce(0, +) }.max() ?? 0 }

    /// 1, 2 or 5 times a power of ten, so that at most four lines lie above zero.
    private var step: Int {
        var step = 1
        let factors = [2, 5, 10]
        var power = 1
        while step * 4 < most, power < Int.max / 100 {
            if let next = factors.first(where: { $0 * power * 4 >= most }) { return next * power }
            power *= 10
            step = power
        }
        return step
    }

    private var ceiling: Int { max(1, (most + step - 1) / step) * step }

    private func y(_ value: Int) -> Double {
        Self.bottom - (Self.bottom - Self.top) * Double(value) / Double(ceiling)
    }

    private var pitch: Double { (Self.right - Self.left) / Double(max(1, columns.count)) }

    private func centre(of place: Int) -> Double { Self.left + (Double(place) + 0.5) * pitch }

    // MARK: Drawing

    private var unitName: Markup { "<text class=\"axis\" x=\"0\" y=\"13\">\(unit)</text>" }

    private var grid: [Markup] {
        stride(from: 0, through: ceiling, by: step).map { value -> Markup in
            """
            <line class="grid" x1="\(Self.left)" y1="\(y(value))" x2="\(Self.right)" y2="\(y(value))"/>\
            <text class="axis end" x="\(Self.left - 5)" y="\(y(value) + 4)">\(words.compact(value))</text>
            """
        }
    }

    private func column(at place: Int) -> Markup {
        let column = columns[place]
        let width = min(max(pitch * 0.76, 1), 28)
        var base = 0
        var parts: [Markup] = []
        for (series, value) in zip(series, column.values) where value > 0 {
            let (upper, lower) = (y(base + value), y(base))
            // The gap between two parts of a stack.
            let height = max(lower - upper - (base > 0 ? 1 : 0), 0.5)
            parts.append(
                """
                <rect class="\(series.style)" x="\(centre(of: place) - width / 2)" y="\(upper)" width="\(width)" \
                height="\(height)" rx="1"/>
                """)
            base += value
        }
        if parts.isEmpty { return "" }
        return "<g><title>\(title(of: column))</title>\(parts)</g>"
    }

    private func title(of column: Column) -> String {
        let values = zip(series, column.values).filter { $0.1 > 0 }.map { "\($0.0.name) \(words.count($0.1))" }
        return "\(column.name): \(values.joined(separator: ", "))"
    }

    /// At most four, so that they do not overlap.
    private var labels: [Markup] {
        let every = max(1, (columns.count + 3) / 4)
        return columns.indices.filter { $0.isMultiple(of: every) }.map { place -> Markup in
            let x = min(centre(of: place), Self.right - 36)
            return "<text class=\"axis middle\" x=\"\(x)\" y=\"\(Self.bottom + 18)\">\(columns[place].label)</text>"
        }
    }
}
