import CherishCore
import CherishHTTP
import HTMLMarkup

/// What the operator has written for people, in Markdown; nil for nothing.
public struct GardenDocuments: Sendable {
    private let privacy, terms: MarkdownText?

    public init(privacy: String? = nil, terms: String? = nil) {
        self.privacy = privacy.map { MarkdownText($0) }
        self.terms = terms.map { MarkdownText($0) }
    }

    var pages: [GardenPage] {
        [
            GardenPage(
                "/privacy", for: .anybody,
                shows: { page($0.words("개인정보 처리방침", "Privacy"), privacy, $0) }),
            GardenPage(
                "/terms", for: .anybody, shows: { page($0.words("이용 약관", "Terms"), terms, $0) }),
        ]
    }

    private func page(_ title: String, _ text: MarkdownText?, _ visit: PageVisit) -> PageContent {
        let words = visit.words
        let heading: Markup = text?.hasTitle == true ? "" : "<h1>\(title)</h1>\n"
        let nothing: Markup = """
            <p>\(words("이 서비스를 운영하는 사람이 아직 쓰지 않았어요.", "Whoever runs this service has not written any yet."))</p>

            """
        var content = PageContent(
            title, kind: "prose", main: "<article class=\"prose\">\n\(heading)\(text?.markup ?? nothing)</article>")
        if visit.account != nil {
            content.tab = .more
            content.back = PageContent.Back(path: "/more", words: words("더 보기", "More"))
        }
        return content
    }
}
