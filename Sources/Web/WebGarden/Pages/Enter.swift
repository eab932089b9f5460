import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// Signs somebody in by a link that works once: `/enter#TOKEN`. It exists on servers that only this machine reaches, for
/// demonstrations. A browser sends no fragment to a server, so the token stands in no log.
enum EnterPage {
    static let pages = [GardenPage("/enter", for: .anybody, shows: content, does: enter)]

    private static func content(_ visit: PageVisit) -> PageContent {
        let words = visit.words
        return PageContent(
            words("들어가기", "Enter"), kind: "sign-in",
            main: """
                <h1>\(words("정원으로 들어가요", "Into the garden"))</h1>
                <noscript><p>\(words("이 링크를 쓰려면 JavaScript가 필요해요.", "This link needs JavaScript."))</p></noscript>
                \(FormFields(visit: visit).form("/enter", attributes: " data-enter", """
                    <input type="hidden" name="token" value="">
                    \(FormFields.buttons(FormFields.submit(words("들어가기", "Enter"))))
                    """))
                """)
    }

    private static func enter(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        try await visit.ask.remember(visit.ask.services.people.enter(with: visit.form["token"] ?? ""))
        return .page("/")
    }
}
