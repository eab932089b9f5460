import CherishCore
import HTMLMarkup
import Foundation
import Testing

@testable import ReportPage

@Suite("Charts")
struct ChartTests {
    private let words = Wording(language: .english)
    private let today = GardenFigures.tuesday

    private func column(_ values: [Int]) -> ColumnChart.Column {
        ColumnChart.Column(label: "day", name: "day", values: values)
    }

    // MARK: Columns

    @Test("columns are as high as their numbers, and stacked parts touch")
    func columns() throws {
        let series = [ColumnChart.Series(style: "water", name: "one"), ColumnChart.Series(style: "plain", name: "two")]
        let chart = ColumnChart(
            series: series, columns: [column([10, 0]), column([20, 0]), column([10, 10]), column([0, 0])],
            unit: "a day", words: words)
        let elements = try Picture(title: "t", description: "d", height: 200, drawing: chart.drawing).elements()
        let bars = elements.named("rect")
        #expect(bars.count == 4)
        let heights = try bars.map { try $0.number("height") }
        #expect(abs(heights[1] - 2 * heights[0]) < 0.1)
        #expect(abs(heights[2] - heights[0]) < 0.1)
        // The upper part of the stack begins where the lower one ends, and reaches the height of 20.
        let upper = try #require(bars.last)
        #expect(upper.hasClass("plain"))
        let (top, stack) = (try upper.number("y"), try bars[1].number("y"))
        #expect(abs(top - stack) < 0.1)
        let ends = try bars[2].number("y")
        let height = try upper.number("height")
        let gap = ends - (top + height)
        #expect((0...1.5).contains(gap))
        let titles = elements.named("title").map(\.text)
        #expect(titles.contains("day: one 10, two 10"))
    }

    @Test(
        "the scale ends above the greatest number, with at most five grid lines",
        arguments: [
            0, 1, 3, 4, 5, 7, 10, 31, 99, 100, 101, 12_345, 999_999_999,
        ])
    func scale(_ most: Int) throws {
        let chart = ColumnChart(
            series: [ColumnChart.Series(style: "water", name: "one")], columns: [column([most])], unit: "a day",
            words: words)
        let elements = try Picture(title: "t", description: "d", height: 200, drawing: chart.drawing).elements()
        let lines = elements.withClass("grid")
        #expect((2...5).contains(lines.count))
        let bars = elements.named("rect")
        #expect(bars.count == min(most, 1))
        for bar in bars {
            let highest = try lines.map { try $0.number("y1") }.min() ?? 0
            #expect(try bar.number("y") >= highest - 0.01)
            #expect(try bar.number("height") > 20)
        }
    }

    @Test(
        "every day is in exactly one column, whether columns are days, weeks or months",
        arguments: [1, 7, 45, 46, 90, 400, 401, 730])
    func buckets(_ days: Int) throws {
        for language in Language.allCases {
            let first = today + (1 - days)
            let buckets = TimeBuckets(from: first, to: today, Wording(language: language))
            #expect(buckets.starts.count <= 61)
            #expect(buckets.starts == buckets.starts.sorted())
            for offset in 0..<days {
                let day = first + offset
                let place = try #require(buckets.place(of: day))
                #expect(buckets.starts[place] <= day)
                if place + 1 < buckets.starts.count { #expect(day < buckets.starts[place + 1]) }
            }
            #expect(buckets.place(of: today + 40) == nil)
            let names = buckets.starts.indices.map { buckets.name(at: $0) }
            #expect(Set(names).count == names.count)
            // Columns cover only the days counted.
            if buckets.unit != .month {
                #expect(names.first?.contains(Wording(language: language).shortDate(first)) == true)
                #expect(names.last?.contains(Wording(language: language).shortDate(today)) == true)
            }
            #expect((buckets.remark == nil) == (days <= 45))
            // Over two years, each month shows its year.
            let labels = Set(buckets.starts.indices.map { buckets.label(at: $0) })
            #expect(labels.count == names.count)
        }
    }

    @Test("a chart shows all waterings of a year, reviewed or not")
    func waterings() throws {
        let days = (0..<365).map {
            GardenFigures.WateringDay(day: today + -$0, wateringCount: $0 % 5, reviewedCount: $0 % 2)
        }
        let figures = GardenFigures(today: today, firstDay: today + -364, lastDay: today, wateringDays: days)
        let content = try #require(WateringCard(figures: figures, words: words).card.content)
        let sums = content.table.rows.map { ($0.dropFirst().compactMap { Int($0) }).reduce(0, +) }
        #expect(sums.reduce(0, +) == days.reduce(0) { $0 + $1.wateringCount })
    }

    @Test("a vertical axis has its name above its numbers")
    func axes() throws {
        let pictures = try [
            WateringCard(figures: .sample(), words: words).card.picture(),
            PushCard(figures: .sample(), words: words).card.picture(),
            RhythmCard(rhythms: GardenFigures.sample().rhythms, words: words).card.picture(),
        ]
        let names = ["Waterings a week", "Pushes a week", "real gap (days)"]
        for (picture, name) in zip(pictures, names) {
            let axis = try picture.elements().withClass("axis")
            let titled = axis.first { $0.text == name }
            let title = try #require(titled).number("y")
            let numbers = try axis.filter { Int($0.text) != nil }.map { try $0.number("y") }
            let highest = try #require(numbers.min())
            // A line is 13 units high.
            #expect(highest - title > 13)
        }
    }

    // MARK: The garden

    @Test("the garden's bars are proportional to the plants, by species and stage")
    func garden() throws {
        let card = GardenCard(groups: GardenFigures.sample().groups, words: words).card
        let elements = try card.picture().elements()
        let bars = elements.named("rect")
        // Rosemary in bloom, American blue as sprout and bud, echinopsis as sprout.
        #expect(bars.map { $0.attributes["class"] } == ["bloom", "sprout", "bud", "sprout"])
        let lengths = try bars.map { try $0.number("width") + 1.5 }
        #expect(abs(lengths[1] / lengths[0] - 5) < 0.1)
        #expect(abs(lengths[3] / lengths[0] - 4) < 0.1)
        #expect(elements.withClass("figure").map(\.text) == ["1", "7", "0", "0", "4"])
        #expect(card.lead == "12 plants, 1 of them with full affection.")
        let young = GardenFigures.Group(species: .stuckyi, stage: .bud, thriving: 2, thirsty: 0, withered: 0, full: 0)
        let without = GardenCard(groups: [young], words: words).card
        #expect(without.lead == "2 plants, none with full affection yet.")
    }

    // MARK: The calendar

    @Test(
        "each day ahead has a cell, in the row of its weekday and the column of its week",
        arguments: Language.allCases)
    func calendar(_ language: Language) throws {
        let words = Wording(language: language)
        let figures = GardenFigures.sample()
        let elements = try CalendarCard(figures: figures, words: words).card.picture().elements()
        let cells = elements.withClass("cell")
        #expect(cells.count == 91)
        #expect(cells.first?.hasClass("today") == true)
        #expect(cells.withClass("today").count == 1)
        let rows = Set(try cells.map { try $0.number("y") })
        #expect(rows.count == 7)
        for (offset, cell) in cells.enumerated() {
            let week = cells[offset % 7]
            #expect(try cell.number("y") == week.number("y"))
        }
        // Tuesday is the second day of an English week and the third of a Korean one.
        let row = try cells[0].number("y")
        let top = rows.sorted().firstIndex(of: row)
        #expect(top == (language == .english ? 1 : 2))
        #expect(elements.withClass("count").map(\.text) == ["1", "4", "2"])
        #expect(elements.withClass("heat0").count == 88)
        let darkest = try #require(elements.withClass("heat4").first)
        #expect(try darkest.number("y") == cells[5].number("y"))
    }

    @Test("the darker a day, the more plants are due", arguments: [1, 2, 3, 4, 5, 17, 100, 4000])
    func levels(_ most: Int) throws {
        let days = (0...90).map { GardenFigures.DueDay(day: today + $0, plantCount: $0 * most / 90) }
        let figures = GardenFigures(
            today: today, firstDay: today, lastDay: today + 90, dueDays: days.filter { $0.plantCount > 0 })
        let card = CalendarCard(figures: figures, words: words).card
        let cells = try card.picture().elements().withClass("cell")
        let levels = try cells.map { cell -> Int in
            let level = (0...4).first { cell.hasClass("heat\($0)") }
            return try #require(level)
        }
        #expect(levels == levels.sorted())
        for (day, level) in zip(days, levels) { #expect((level == 0) == (day.plantCount == 0)) }
        let legend = try #require(card.content).legend
        #expect(legend.last?.style == "today")
        let shades = legend.dropLast()
        #expect(Set(shades.map(\.style)) == Set(levels.filter { $0 > 0 }.map { "heat\($0)" }))
        #expect(shades.last?.text.hasSuffix(words.count(most, "", "plant")) == true)
    }

    @Test("numbers of three digits are squeezed into their cells; those of four appear only in the title")
    func largeNumbers() throws {
        let days = [7, 99, 100, 999, 1000].enumerated().map {
            GardenFigures.DueDay(day: today + $0.offset, plantCount: $0.element)
        }
        let figures = GardenFigures(today: today, firstDay: today, lastDay: today + 90, dueDays: days)
        let elements = try CalendarCard(figures: figures, words: words).card.picture().elements()
        let numbers = elements.withClass("count")
        #expect(numbers.map(\.text) == ["7", "99", "100", "999"])
        let cell = try #require(elements.withClass("cell").first)
        let side = try cell.number("width")
        let lengths = try numbers.suffix(2).map { try $0.number("textLength") }
        let longest = try #require(lengths.max())
        #expect(longest < side)
        #expect(numbers.prefix(2).compactMap { $0.attributes["textLength"] }.isEmpty)
        let isInTitle = elements.named("title").contains { $0.text.hasSuffix(": 1,000 plants") }
        #expect(isInTitle)
    }

    // MARK: Rhythm

    @Test("a cycle that is kept lies on the diagonal, a later one above it")
    func rhythm() throws {
        let kept = [1, 7, 30, 90].map {
            GardenFigures.Rhythm(cycleDays: $0, plantCount: $0, medianGapDays: Double($0), longGapDays: Double($0))
        }
        let rhythms = kept + [GardenFigures.Rhythm(cycleDays: 15, plantCount: 2, medianGapDays: 22, longGapDays: 40)]
        let elements = try RhythmCard(rhythms: rhythms, words: words).card.picture().elements()
        let diagonal = try #require(elements.withClass("diagonal").first)
        let (x1, y1) = (try diagonal.number("x1"), try diagonal.number("y1"))
        let (x2, y2) = (try diagonal.number("x2"), try diagonal.number("y2"))
        let heights = try elements.withClass("dot").map { dot -> Double in
            let (x, y) = (try dot.number("cx"), try dot.number("cy"))
            return y1 + (y2 - y1) * (x - x1) / (x2 - x1) - y
        }.sorted()
        #expect(heights.count == 5)
        for height in heights.dropLast() { #expect(abs(height) < 0.1) }
        let highest = try #require(heights.last)
        #expect(highest > 5)
        let inTime = RhythmCard(rhythms: kept, words: words).card.lead
        #expect(inTime == "128 plants with a rhythm, none on a cycle that is kept later than planned.")
        let sampled = RhythmCard(rhythms: kept, isSample: true, words: words).card.lead
        #expect(sampled == "A sample of 128 plants with a rhythm, none on a cycle that is kept later than planned.")
    }

    // MARK: Keywords

    @Test("keywords do not overlap, and frequent ones are larger")
    func keywords() throws {
        let keywords = (0..<40).map { place in
            GardenFigures.Keyword(
                text: place.isMultiple(of: 2) ? "바다여행\(place)" : "sea\(place)", reviewCount: 400 - place * 9)
        }
        let drawn = try KeywordCard(keywords: keywords, words: words).card.picture().elements().withClass("word")
        #expect(drawn.count == 40)
        var sizes: [String: Double] = [:]
        var rows: [Double: [(text: String, x: Double)]] = [:]
        for word in drawn {
            let style = try #require(word.attributes["style"])
            sizes[word.text] = Double(style.replacing("font-size:", with: "").replacing("px", with: ""))
            let (x, y) = (try word.number("x"), try word.number("y"))
            rows[y, default: []].append((word.text, x))
        }
        let ordered = keywords.compactMap { sizes[$0.text] }
        #expect(ordered == ordered.sorted(by: >))
        let (largest, smallest) = (try #require(ordered.first), try #require(ordered.last))
        #expect(largest > 2 * smallest)
        for row in rows.values {
            for (left, right) in zip(row, row.dropFirst()) {
                // Half the width of each, where a Korean letter is as wide as it is high and others are half as wide.
                let room = [left.text, right.text].map { text in
                    text.reduce(0) { $0 + ($1.isASCII ? 0.5 : 1) } * (sizes[text] ?? 0) / 2
                }.reduce(0, +)
                #expect(right.x - left.x > room, "\(left.text) \(right.text)")
            }
        }
    }

    // MARK: Pushes

    @Test("pushes are counted by outcome and reason")
    func pushes() throws {
        let content = try #require(PushCard(figures: .sample(), words: words).card.content)
        #expect(content.legend.map(\.style) == ["delivered", "dead", "pending"])
        #expect(
            content.table.rows == [
                ["Delivered", "sent", "3", "60%"], ["Failed", "the device is gone", "1", "20%"],
                ["Pending", "", "1", "20%"],
            ])
        let bars = try content.picture.elements().named("rect").compactMap { $0.attributes["class"] }
        #expect(bars == ["delivered", "dead", "pending"])
    }

    // MARK: Markup

    @Test("markup escapes interpolated text, once")
    func markup() {
        let text = "a<b>&\"'"
        let cell: Markup = "<td>\(text)</td>"
        #expect(cell.source == "<td>a&lt;b&gt;&amp;&quot;&#39;</td>")
        let row: Markup = "<tr>\(cell)\([cell, cell])</tr>"
        #expect(row.source == "<tr>" + String(repeating: cell.source, count: 3) + "</tr>")
        let numbers: Markup = "\(7) \(0.125) \(2.0)"
        #expect(numbers.source == "7 0.13 2")
    }
}
