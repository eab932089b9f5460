import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// The account's calendar by month, week and day (rule 10.11): things, friends to water, waterings and birthdays.
enum AccountCalendarPage {
    static let pages = [GardenPage("/calendar", shows: content)]

    private enum Span: String, CaseIterable {
        case month, week, day
    }

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (words, garden) = (visit.words, try await visit.ask.garden())
        let span = visit.query("view").flatMap { Span(rawValue: $0) } ?? .month
        let today = try await garden.today()
        let day = visit.query("on").flatMap { CivilDay($0) }.flatMap { Thing.dueDays.contains($0) ? $0 : nil } ?? today
        let (first, last) = days(span, of: day)
        let agenda = try await garden.agenda(from: first, to: last)
        let entries = Dictionary(uniqueKeysWithValues: agenda.days.map { ($0.day, $0.entries) })
        let table: Markup = span == .month ? month(CalendarMonth(of: day), entries, today: today, words) : ""
        let lists = agenda.days.map { list($0.day, $0.entries, today: today, words) }
        let nothing: Markup = "<p class=\"muted\">\(words("여기에는 아무것도 없어요.", "There is nothing here."))</p>\n"
        var content = PageContent(
            words("달력", "Calendar"), kind: "agenda", tab: .calendar,
            main: """
                <section class="stack" aria-labelledby="title">
                <h1 id="title">\(words("달력", "Calendar"))</h1>
                \(choice(span, day, words))\(turn(span, day, today: today, words))\(table)</section>
                <section class="stack" aria-labelledby="days-title">
                <h2 id="days-title" class="heard">\(words("날마다", "Day by day"))</h2>
                \(lists.isEmpty ? [nothing] : lists)</section>
                """)
        (content.isWide, content.isKept) = (span == .month, true)
        return content
    }

    /// Weeks begin on Monday.
    private static func days(_ span: Span, of day: CivilDay) -> (first: CivilDay, last: CivilDay) {
        switch span {
        case .month:
            let month = CalendarMonth(of: day)
            return (month.first, month.last)
        case .week:
            let first = day + (1 - day.weekday)
            return (first, first + 6)
        case .day: return (day, day)
        }
    }

    private static func path(_ span: Span, _ day: CivilDay) -> String {
        "/calendar?view=\(span.rawValue)&on=\(day.description)"
    }

    private static func choice(_ current: Span, _ day: CivilDay, _ words: Words) -> Markup {
        let chips = Span.allCases.map { span -> Markup in
            let here: Markup = span == current ? " aria-current=\"true\"" : ""
            let name =
                switch span {
                case .month: words("달", "Month")
                case .week: words("주", "Week")
                case .day: words("날", "Day")
                }
            return "<li><a class=\"chip\" href=\"\(path(span, day))\"\(here)>\(name)</a></li>\n"
        }
        return "<ul class=\"chips\" aria-label=\"\(words("보기", "View"))\">\n\(chips)</ul>\n"
    }

    private static func turn(_ span: Span, _ day: CivilDay, today: CivilDay, _ words: Words) -> Markup {
        let (first, last) = days(span, of: day)
        func link(_ to: CivilDay, _ kind: Markup, _ name: String) -> Markup {
            guard Thing.dueDays.contains(to) else { return "<span></span>" }
            return """
                <a class="button plain\(kind)" href="\(path(span, to))">\(Picture.icon("back"))\
                <span class="heard">\(name)</span></a>
                """
        }
        let title =
            switch span {
            case .month: words.month(day.components.month, of: day.components.year)
            case .week: "\(words.date(first)) – \(words.date(last))"
            case .day: words.namedDate(day, today: today)
            }
        return """
            <nav class="turn" aria-label="\(words("앞뒤", "Before and after"))">
            \(link(first + -1, "", words("앞", "Before")))
            <h2 id="span">\(title)</h2>
            \(link(last + 1, " forward", words("뒤", "After")))
            </nav>

            """
    }

    // MARK: Months

    private static func month(
        _ month: CalendarMonth, _ entries: [CivilDay: [AgendaView.Entry]], today: CivilDay, _ words: Words
    ) -> Markup {
        let head = (1...7).map { number -> Markup in
            let name = words.weekday(number)
            return """
                <th scope="col"><span aria-hidden="true">\(String(name.prefix(1)))</span><span class="heard">\(name)</span></th>
                """
        }
        var cells = Array(repeating: "<td></td>" as Markup, count: month.first.weekday - 1)
        for day in month.first...month.last {
            cells.append(cell(day, entries[day] ?? [], isToday: day == today, words))
        }
        cells += Array(repeating: "<td></td>" as Markup, count: (7 - cells.count % 7) % 7)
        let weeks = stride(from: 0, to: cells.count, by: 7).map { start -> Markup in
            "<tr>\(Array(cells[start..<start + 7]))</tr>\n"
        }
        return """
            <table class="month" aria-labelledby="span">
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(weeks)</tbody>
            </table>

            """
    }

    /// Up to three dots in the colours of the tags, or the number of entries.
    private static func cell(
        _ day: CivilDay, _ entries: [AgendaView.Entry], isToday: Bool, _ words: Words
    ) -> Markup {
        let here = isToday ? words(", 오늘", ", today") : ""
        let count =
            entries.isEmpty ? "" : words(", \(entries.count)개", ", \(words.count(entries.count, "entry", "entries"))")
        let marks: [Markup] =
            entries.count > 3
            ? ["\(entries.count)"]
            : entries.map { entry in
                entry.colours.first.map { Picture.dot($0) }
                    ?? "<svg class=\"dot\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><circle cx=\"6\" cy=\"6\" r=\"6\" fill=\"currentColor\"/></svg>"
            }
        let today: Markup = isToday ? " class=\"today\"" : ""
        return """
            <td><a\(today) href="\(path(.day, day))">\(day.components.day)<span class="heard">\(here)\(count)</span>\
            <span class="dots" aria-hidden="true">\(marks)</span></a></td>
            """
    }

    // MARK: Days

    private static func list(
        _ day: CivilDay, _ entries: [AgendaView.Entry], today: CivilDay, _ words: Words
    ) -> Markup {
        let rows = entries.map { entry -> Markup in
            let state: Markup =
                entry.state.map { state in
                    switch state {
                    case .overdue, .expiring, .expired: "<span class=\"due late\">\(words.name(of: state))</span>"
                    default: "<span class=\"due\">\(words.name(of: state))</span>"
                    }
                } ?? ""
            return """
                <li><a href="\(link(entry))"><span class="time">\(entry.time?.description ?? "")</span>\
                <span class="who"><strong><bdi>\(entry.title)</bdi></strong>\
                <span>\(words.name(of: entry.kind)) \(entry.colours.map { Picture.dot($0) })</span></span>\(state)</a></li>

                """
        }
        return """
            <section aria-labelledby="day-\(day.description)">
            <h3 id="day-\(day.description)">\(words.namedDate(day, today: today))</h3>
            <ul class="things">
            \(rows)</ul>
            </section>

            """
    }

    private static func link(_ entry: AgendaView.Entry) -> String {
        if case .thing = entry.kind { "/things/\(entry.id)" } else { "/plants/\(entry.id)" }
    }
}

extension Words {
    func name(of kind: AgendaView.Entry.Kind) -> String {
        switch kind {
        case .thing(let kind): name(of: kind)
        case .plantDue: self("물 줄 날", "wants water")
        case .plantProjected: self("물 줄 날, 예정", "will want water")
        case .watered: self("물 줌", "watered")
        case .birthday: self("생일", "birthday")
        }
    }

    func name(of state: Thing.State) -> String {
        switch state {
        case .done: self("끝냄", "done")
        case .upcoming: self("예정", "upcoming")
        case .due: self("오늘", "due today")
        case .overdue: self("지남", "overdue")
        case .fresh: self("괜찮음", "fresh")
        case .expiring: self("곧 기한", "expiring")
        case .expired: self("기한 지남", "expired")
        }
    }
}
