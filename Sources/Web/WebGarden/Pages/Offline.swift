import CherishCore
import HTMLMarkup

/// What a browser shows without a network for a page that it has not kept. It holds nothing personal.
enum OfflinePage {
    static let pages = [GardenPage("/offline", for: .anybody, shows: content)]

    private static func content(_ visit: PageVisit) -> PageContent {
        let words = visit.words
        var content = ProblemPage.page(
            words("연결되지 않았어요", "No connection"),
            words(
                "전에 열어 본 것은 읽을 수 있어요. 물을 주려면 네트워크가 필요해요.",
                "You can read what you opened before. Watering needs the network."),
            Picture.plant(.stuckyi, .bud, .thirsty), link: ("/", words("다시 해 보기", "Try again")), words)
        content.tab = .garden
        return content
    }
}
