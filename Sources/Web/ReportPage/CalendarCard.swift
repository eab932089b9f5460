import CherishCore
import HTMLMarkup

/// Upcoming D-days: one column per week; the more plants are due on a day, the stronger its colour.
struct CalendarCard {
    private static let pitch = 23.0
    private static let side = 21.0
    private static let left = 35.0
    private static let top = 20.0

    let figures: GardenFigures
    let words: Wording

    var card: Card {
        let heading = words("다가오는 D-day", "D-days ahead")
        let total = figures.dueDays.reduce(0) { $0 + $1.plantCount }
        let withered = figures.groups.reduce(0) { $0 + $1.withered }
        let remark = words(
            "이미 시든 \(words.count(withered))그루는 여기에 없어요.",
            "Not in here: \(words.count(withered, "", "plant")) withered already.")
        guard let busiest = figures.dueDays.max(by: { $0.plantCount < $1.plantCount }) else {
            return Card(
                id: "calendar", heading: heading,
                lead: words(
                    "\(words.date(figures.lastDay))까지 물이 필요한 식물이 없어요.",
                    "No plant is due until \(words.date(figures.lastDay))."), content: nil)
        }
        let several = words(
            """
            \(words.shortDate(figures.lastDay))까지 \(words.count(total))그루에 물이 필요해요. \
            가장 바쁜 날은 \(words.shortDate(busiest.day))이에요.
            """,
            """
            \(words.count(total, "", "plant")) due until \(words.shortDate(figures.lastDay)); \
            the busiest day is \(words.shortDate(busiest.day)).
            """)
        let single = words(
            "\(words.shortDate(busiest.day))에 물이 필요한 식물은 \(words.count(total))그루예요.",
            "\(words.count(total, "", "plant")) due, on \(words.shortDate(busiest.day)).")
        let lead = figures.dueDays.count == 1 ? single : several
        return Card(
            id: "calendar", heading: heading, lead: lead,
            content: Card.Content(
                picture: picture(lead, most: busiest.plantCount), legend: legend(most: busiest.plantCount),
                table: table, remark: withered > 0 ? remark : nil))
    }

    // MARK: Levels

    /// The counts at which the four colours begin.
    private func steps(most: Int) -> [Int] {
        (0..<4).map { 1 + $0 * max(1, (most + 3) / 4) }
    }

    /// 0 for no plant, else 1–4.
    private func level(_ plants: Int, most: Int) -> Int {
        plants == 0 ? 0 : steps(most: most).filter { plants >= $0 }.count + paleLevels(most: most)
    }

    /// Skips the palest colour if no day has more than two plants, because it would be hard to see.
    private func paleLevels(most: Int) -> Int { max(0, 4 - most) / 2 }

    private func legend(most: Int) -> [LegendEntry] {
        let starts = steps(most: most).filter { $0 <= most }
        let levels = starts.enumerated().map { place, start -> LegendEntry in
            let end = place + 1 < starts.count ? starts[place + 1] - 1 : most
            let range = (start == end ? "" : words.count(start) + "–") + words.count(end, "그루", "plant")
            return LegendEntry(style: "heat\(place + 1 + paleLevels(most: most))", text: range)
        }
        return levels + [LegendEntry(style: "today", text: words("오늘", "today"))]
    }

    // MARK: Drawing

    private func picture(_ lead: String, most: Int) -> Picture {
        let counts = Dictionary(figures.dueDays.map { ($0.day, $0.plantCount) }, uniquingKeysWith: +)
        let length = figures.lastDay - figures.today
        let cells = (0...max(0, length)).map { offset -> Markup in
            let day = figures.today + offset
            return cell(day, counts[day] ?? 0, most: most)
        }
        return Picture(
            title: words("날마다 물이 필요한 식물", "Plants due on each day"), description: lead,
            height: Self.top + 7 * Self.pitch, drawing: weekdayNames + monthNames + cells)
    }

    private func corner(_ day: CivilDay) -> (x: Double, y: Double) {
        let place = words.placeInWeek(figures.today) + (day - figures.today)
        return (Self.left + Double(place / 7) * Self.pitch, Self.top + Double(place % 7) * Self.pitch)
    }

    private func cell(_ day: CivilDay, _ plants: Int, most: Int) -> Markup {
        let (x, y) = corner(day)
        let level = level(plants, most: most)
        let title = "\(words.weekdayAndDate(day)): \(words.count(plants, "그루", "plant"))"
        let style = "cell heat\(level)" + (day == figures.today ? " today" : "")
        let rectangle: Markup = """
            <rect class="\(style)" x="\(x)" y="\(y)" width="\(Self.side)" height="\(Self.side)" rx="4">\
            <title>\(title)</title></rect>
            """
        // Four digits do not fit; the tooltip and the table show them.
        guard plants > 0, plants < 1000 else { return rectangle }
        let squeezed: Markup = plants < 100 ? "" : " textLength=\"\(Self.side - 2)\" lengthAdjust=\"spacingAndGlyphs\""
        let number: Markup = """
            <text class="count middle on\(level)" x="\(x + Self.side / 2)" y="\(y + Self.side / 2 + 4)"\(squeezed)>\
            \(plants)</text>
            """
        return "\(rectangle)\(number)"
    }

    private var weekdayNames: [Markup] {
        words.weekdays.enumerated().map { place, name -> Markup in
            let y = Self.top + Double(place) * Self.pitch + Self.side / 2 + 4
            return "<text class=\"axis end\" x=\"\(Self.left - 4)\" y=\"\(y)\">\(name)</text>"
        }
    }

    /// Above the first column and each column in which a month begins, unless the previous name leaves no room.
    private var monthNames: [Markup] {
        var names: [Markup] = []
        var free = 0.0
        for offset in 0...max(0, figures.lastDay - figures.today) {
            let day = figures.today + offset
            let x = corner(day).x
            guard offset == 0 || day.components.day == 1, x >= free, x < Picture.width - 20 else { continue }
            names.append("<text class=\"axis\" x=\"\(x)\" y=\"13\">\(words.monthName(of: day))</text>")
            free = x + 36
        }
        return names
    }

    private var table: DataTable {
        DataTable(
            columns: [
                DataTable.Column(title: words("날", "Day")), DataTable.Column(title: words("요일", "Weekday")),
                DataTable.Column(title: words("식물", "Plants"), isNumber: true),
            ],
            rows: figures.dueDays.map { [words.date($0.day), words.weekday($0.day), words.count($0.plantCount)] })
    }
}
