import CherishCore
import HTMLMarkup

/// A page of pictures about one garden or the whole service: a single, self-contained HTML file.
///
/// This module handles charts, wording and layout. Its only input is the figures that it receives: no database, no
/// files, no clock. Start with ``html(_:of:in:)``, then read `Card` and one of the cards.
public enum ReportPage {
    /// The subject of the page.
    public enum Subject: Hashable, Sendable {
        case service
        /// - Parameter nickname: nil for a page that names nobody.
        case account(nickname: String?)
    }

    /// Renders the page as HTML. Equal figures yield equal bytes.
    ///
    /// The page works on phones and on paper, in light and dark mode, and with screen readers: each picture has a
    /// title, a description and a table. It loads nothing, and its content security policy forbids loading.
    public static func html(_ figures: GardenFigures, of subject: Subject, in language: Language) -> String {
        let words = Wording(language: language)
        let title = title(of: subject, words)
        let cards = [
            GardenCard(groups: figures.groups, words: words).card,
            CalendarCard(figures: figures, words: words).card,
            WateringCard(figures: figures, words: words).card,
            PushCard(figures: figures, words: words).card,
            RhythmCard(rhythms: figures.rhythms, isSample: figures.isRhythmSampled, words: words).card,
            KeywordCard(keywords: figures.keywords, words: words).card,
        ]
        let page: Markup = """
            <!doctype html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="color-scheme" content="light dark">
            <title>\(title) · Cherish</title>
            <style>
            \(StyleSheet.markup)
            </style>
            </head>
            <body>
            \(header(title, figures, words))
            <main>
            \(cards.map { $0.markup(words) })</main>
            <footer>
            <p>\(footer(subject, words))</p>
            </footer>
            </body>
            </html>

            """
        return page.source
    }

    private static func title(of subject: Subject, _ words: Wording) -> String {
        switch subject {
        case .service: words("모든 정원", "All gardens")
        case .account(let nickname?): words("\(nickname)님의 정원", "The garden of \(nickname)")
        case .account(nil): words("한 사람의 정원", "One garden")
        }
    }

    private static func header(_ title: String, _ figures: GardenFigures, _ words: Wording) -> Markup {
        let day = words(
            "\(words.date(figures.today)) \(words.weekday(figures.today))",
            "\(words.weekday(figures.today)), \(words.date(figures.today))")
        let tiles = tiles(figures, words).map { tile -> Markup in
            "<div><dt>\(tile.name)</dt><dd>\(tile.value)</dd></div>"
        }
        return """
            <header>
            <p class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><path class="bud" \
            d="M11 22v-9C5 13 3 9 3 4c6 0 9 3 9 8 0-4 3-7 9-7 0 6-3 9-8 9v8z"/></svg>Cherish</p>
            <h1>\(title)</h1>
            <p class="day">\(day)</p>
            <dl>\(tiles)</dl>
            </header>
            """
    }

    private static func tiles(_ figures: GardenFigures, _ words: Wording) -> [(name: String, value: String)] {
        func sum(_ count: KeyPath<GardenFigures.Group, Int>) -> String {
            words.count(figures.groups.reduce(0) { $0 + $1[keyPath: count] })
        }
        let waterings = figures.wateringDays.reduce(0) { $0 + $1.wateringCount }
        let days = figures.pastDayCount
        let ofDays = words("지난 \(days)일 물주기", "Waterings, \(days) days")
        let ofToday = words("오늘 물주기", "Waterings today")
        return [
            (words("식물", "Plants"), sum(\.plantCount)),
            (words("오늘 물이 필요", "Thirsty today"), sum(\.thirsty)),
            (words("시든 식물", "Withered"), sum(\.withered)),
            (words("애정 100", "Full affection"), sum(\.full)),
            (days == 1 ? ofToday : ofDays, words.count(waterings)),
        ]
    }

    private static func footer(_ subject: Subject, _ words: Wording) -> String {
        let service = words(
            "날짜는 계정마다 그 시간대의 날짜예요. 오늘은 UTC의 오늘이에요.",
            "Days are civil days of each account in its own zone; today is that of UTC.")
        let own = words("날짜는 계정의 시간대를 따라요.", "Days are civil days in the zone of the account.")
        let log = words(
            "알림은 기록을 보관하는 동안만 세어요.", "Pushes are counted for as long as their log is kept.")
        // The counts of the whole service outlive the log.
        return subject == .service ? service : own + " " + log
    }
}
