import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// A plant's calendar, month by month (rule 8.3): watered, due and projected days, and the reviews.
enum PlantCalendarPage {
    static let pages = [GardenPage("/plants/{plant}/calendar", shows: content)]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (id, words) = (try visit.plantID(), visit.words)
        let garden = try await visit.ask.garden()
        let view = try await garden.friend(id).view
        let month = visit.query("month").flatMap { CalendarMonth($0) } ?? CalendarMonth(of: view.today)
        let days = try await garden.calendar(id, from: month.first, to: month.last).days
        let watered = days.filter { $0.kind == .watered }.compactMap(\.watering)
        // A day stands for its newest watering (rule 3.5).
        let newest = Set(Dictionary(grouping: watered, by: \.wateredOn).compactMap { $1.last?.number })
        let articles = watered.reversed().map {
            ReviewArticle.markup($0, points: nil, of: view, isEditable: newest.contains($0.number), words)
        }
        let none: Markup =
            "<p class=\"muted\">\(words("이 달에는 아직 물을 주지 않았어요.", "Not watered in this month."))</p>\n"
        var content = PageContent(
            words("달력", "Calendar"), kind: "calendar", tab: .garden,
            back: PageContent.Back(path: view.path, words: view.plant.nickname.description),
            main: """
                <section class="stack" aria-labelledby="title">
                <h1 id="title">\(words("\(view.nickname)의 달력" as Markup, "Calendar of \(view.nickname)"))</h1>
                \(turn(month, words))\(table(month, days, today: view.today, words))\(legend(words))</section>
                <section class="card" aria-labelledby="days-title">
                <h2 id="days-title">\(words("\(words.month(month.month))에 물 준 날", "Watered in \(words.month(month.month))"))</h2>
                \(articles.isEmpty ? [none] : articles)</section>
                """)
        (content.isWide, content.isKept) = (true, true)
        return content
    }

    private static func turn(_ month: CalendarMonth, _ words: Words) -> Markup {
        func link(_ other: CalendarMonth?, _ kind: Markup) -> Markup {
            guard let other else { return "<span></span>" }
            return """
                <a class="button plain\(kind)" href="?month=\(other.description)">\(Picture.icon("back"))\
                <span class="heard">\(words.month(other.month, of: other.year))</span></a>
                """
        }
        return """
            <nav class="turn" aria-label="\(words("달", "Month"))">
            \(link(month.moved(by: -1), ""))
            <h2 id="month">\(words.month(month.month, of: month.year))</h2>
            \(link(month.moved(by: 1), " forward"))
            </nav>

            """
    }

    private static func table(
        _ month: CalendarMonth, _ days: [CalendarDay], today: CivilDay, _ words: Words
    ) -> Markup {
        let kinds = Dictionary(grouping: days, by: \.day)
        let head = (1...7).map { number -> Markup in
            let name = words.weekday(number)
            return """
                <th scope="col"><span aria-hidden="true">\(String(name.prefix(1)))</span><span class="heard">\(name)</span></th>
                """
        }
        let blanks = month.first.weekday - 1
        var cells = Array(repeating: "<td></td>" as Markup, count: blanks)
        for day in month.first...month.last {
            cells.append(cell(day, kinds[day]?.map(\.kind) ?? [], isToday: day == today, words))
        }
        cells += Array(repeating: "<td></td>" as Markup, count: (7 - cells.count % 7) % 7)
        let weeks = stride(from: 0, to: cells.count, by: 7).map { start -> Markup in
            "<tr>\(Array(cells[start..<start + 7]))</tr>\n"
        }
        return """
            <table class="month" aria-labelledby="month">
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(weeks)</tbody>
            </table>

            """
    }

    private static func cell(_ day: CivilDay, _ kinds: [CalendarDay.Kind], isToday: Bool, _ words: Words) -> Markup {
        let (number, here) = (day.components.day, isToday ? words(", 오늘", ", today") : "")
        let todayClass: Markup = isToday ? " today" : ""
        if kinds.contains(.watered) {
            return """
                <td><a class="watered\(todayClass)" href="#day-\(day.description)">\(number)\(Picture.icon("water"))\
                <span class="heard">\(words("물 줌", "watered"))\(here)</span></a></td>
                """
        }
        if kinds.contains(.due) {
            return """
                <td><span class="due-day\(todayClass)">\(number)\(Picture.icon("later"))\
                <span class="heard">\(words("물 줄 날", "due"))\(here)</span></span></td>
                """
        }
        if kinds.contains(.projected) {
            return """
                <td><span class="projected">\(number)<span class="heard">\(words("예정", "projected"))</span></span></td>
                """
        }
        let spoken: Markup = isToday ? "<span class=\"heard\">\(words("오늘", "today"))</span>" : ""
        return isToday ? "<td><span class=\"today\">\(number)\(spoken)</span></td>" : "<td><span>\(number)</span></td>"
    }

    private static func legend(_ words: Words) -> Markup {
        """
        <ul class="legend">
        <li><i class="watered">\(Picture.icon("water"))</i>\(words("물 준 날", "watered"))</li>
        <li><i class="due-day">\(Picture.icon("later"))</i>\(words("물 줄 날", "due"))</li>
        <li><i class="projected"></i>\(words("예정", "projected"))</li>
        </ul>

        """
    }
}

/// A month of a calendar: `2027-03`.
struct CalendarMonth: Sendable, Equatable, CustomStringConvertible {
    let year, month: Int
    let first, last: CivilDay

    /// nil for other texts, and months that no civil day is in.
    init?(_ text: String) {
        guard let first = CivilDay("\(text)-01") else { return nil }
        self.init(of: first)
    }

    init(of day: CivilDay) {
        let parts = day.components
        (year, month) = (parts.year, parts.month)
        first = day + (1 - parts.day)
        last = first + (CivilDay.length(ofMonth: parts.month, year: parts.year) - 1)
    }

    /// - Returns: nil beyond the years that rules speak of.
    func moved(by months: Int) -> CalendarMonth? {
        let day = months < 0 ? first + -1 : last + 1
        return (2000...2099).contains(day.components.year) ? CalendarMonth(of: day) : nil
    }

    var description: String { String(first.description.prefix(7)) }
}
