import CherishCore
import CherishHTTP
import HTMLMarkup
import HTTPTypes

/// A page about something that could not be answered.
enum ProblemPage {
    static func reply(_ problem: Problem, _ visit: Visit) -> Reply {
        let words = Words(language: Language(accepting: visit.acceptLanguage))
        if problem.code == "not_signed_in" {
            let path = String(visit.path)
            return GardenPage.leading(to: WebGarden.isShown(path) ? "/sign-in?next=\(path.percentEncoded)" : "/sign-in")
        }
        return Frame.reply(
            content(problem, words), words: words, status: HTTPResponse.Status(code: problem.status))
    }

    private static func content(_ problem: Problem, _ words: Words) -> PageContent {
        switch problem.status {
        case 404:
            page(
                words("여기에는 아무것도 자라지 않아요", "Nothing grows here"),
                words(
                    "그런 페이지가 없거나, 다른 사람의 정원에 있어요.",
                    "There is no such page, or it belongs to another garden."),
                Picture.plant(.dandelion, .sprout, .thriving), link: ("/", words("정원으로", "To the garden")), words)
        case 500...:
            page(
                words("정원이 잠시 닫혔어요", "The garden is closed for a moment"),
                words("잃어버린 것은 없어요. 잠시 뒤 다시 해 보세요.", "Nothing was lost: try again in a moment."),
                Picture.plant(.rosemary, .bud, .withered), link: ("", words("다시 해 보기", "Try again")), words)
        default:
            page(
                problem.detail.sentence, problem.remedy.sentence, Picture.plant(.stuckyi, .bud, .thirsty),
                link: ("/", words("정원으로", "To the garden")), words)
        }
    }

    static func page(
        _ title: String, _ sentence: String, _ picture: Markup, link: (path: String, words: String), _ words: Words
    ) -> PageContent {
        PageContent(
            title, kind: "problem",
            main: """
                <section class="card begin">
                \(picture)
                <h1>\(title)</h1>
                <p>\(sentence)</p>
                <div class="buttons"><a class="button primary" href="\(link.path)">\(link.words)</a></div>
                </section>
                """)
    }
}
