import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// Everything of the account as a file.
enum ExportPage {
    static let pages = [GardenPage("/more/export", shows: content)]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let words = visit.words
        return SettingsPage.content(
            words("내보내기", "Export"), visit,
            main: """
                <p>\(words("비밀번호와 인증 번호 말고는 모두 내 것이에요.", "Everything that is yours, but passwords and codes."))</p>
                \(try await isRecent(visit) ? links(words) : again(words))
                """)
    }

    private static func isRecent(_ visit: PageVisit) async throws -> Bool {
        do {
            try await visit.ask.services.people.requireRecentProof(of: try visit.ask.signedIn)
            return true
        } catch PeopleError.signInTooOld {
            return false
        }
    }

    private static func again(_ words: Words) -> Markup {
        SettingsPage.signInAgain(
            words(
                "로그인한 지 10분이 지나서, 다시 로그인한 뒤에 내보낼 수 있어요.",
                "You signed in more than 10 minutes ago. Sign in again to export."),
            next: "/more/export", words)
    }

    private static func links(_ words: Words) -> Markup {
        let rows = ExportFormat.allCases.map { format -> Markup in
            let (name, use) = names(format, words)
            return """
                <li><a href="/v1/account/export?format=\(format.rawValue)" download>\(Picture.icon("export"))\
                <span class="label">\(name) <span class="muted">\(use)</span></span></a></li>

                """
        }
        return """
            <ul class="links">
            \(rows)</ul>
            <p class="muted">\(words("로그인한 지 10분 안에만 받을 수 있어요.", "This works within 10 minutes of a sign-in."))</p>
            """
    }

    private static func names(_ format: ExportFormat, _ words: Words) -> (name: String, use: String) {
        switch format {
        case .json: ("JSON", words("모든 것, 다른 프로그램에서 쓰게", "everything, for programs"))
        case .csv: (words("표", "Table"), words("친구, 스프레드시트에서 쓰게", "friends, for a spreadsheet"))
        case .vcard: (words("연락처", "Contacts"), words("vCard, 주소록에서 쓰게", "vCard, for an address book"))
        case .ical: (words("달력", "Calendar"), words("iCalendar, 달력 앱에서 쓰게", "iCalendar, for a calendar"))
        }
    }
}
