import CherishCore
import CherishHTTP
import CherishService
import DocumentEncoding
import HTMLMarkup

/// How pages look: colours, and the size of text; and which of them comes first.
enum LookPage {
    static let pages = [GardenPage("/more/appearance", shows: content, does: save)]

    private static func content(_ visit: PageVisit) throws -> PageContent {
        let (words, look) = (visit.words, GardenAppearance(try visit.signedIn()))
        let colours = GardenAppearance.Colours.allCases.map { ($0.rawValue, words.name(of: $0)) }
        let sizes = GardenAppearance.sizes.map { (String($0), words("\($0)%", "\($0) %")) }
        let pages = GardenAppearance.firstPages.map { ($0.rawValue, words.name(of: $0)) }
        let form = FormFields(visit: visit).form(
            "/more/appearance",
            """
            \(tiles("colours", words("색", "Colours"), chosen: visit.shown("colours", or: look.colours.rawValue), colours))\
            \(tiles("size", words("글자 크기", "Size of text"), chosen: visit.shown("size", or: String(look.size)), sizes))\
            \(tiles("firstPage", words("첫 페이지", "First page"), chosen: visit.shown("firstPage", or: look.firstPage.rawValue), pages))\
            \(FormFields.buttons(FormFields.submit(words("저장", "Save"))))
            """)
        return SettingsPage.content(
            words("화면", "Appearance"), visit, done: ["saved": words("저장했어요.", "Saved.")], main: form)
    }

    private static func tiles(
        _ name: String, _ legend: String, chosen: String, _ options: [(value: String, words: String)]
    ) -> Markup {
        let tiles = options.map { value, words -> Markup in
            let checked: Markup = value == chosen ? " checked" : ""
            return """
                <label class="tile"><input type="radio" name="\(name)" value="\(value)"\(checked) required>\
                <span>\(words)</span></label>

                """
        }
        return """
            <fieldset>
            <legend>\(legend)</legend>
            <div class="tiles">
            \(tiles)</div>
            </fieldset>

            """
    }

    /// What other apps have stored in the appearance stays.
    private static func save(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        var look: [String: JSONValue] = [:]
        if case .object(let object) = try visit.signedIn().appearance.document { look = object }
        if let colours = visit.form["colours"].flatMap({ GardenAppearance.Colours(rawValue: $0) }) {
            look["colours"] = .string(colours.rawValue)
        }
        if let size = visit.form["size"].flatMap({ Int($0) }), GardenAppearance.sizes.contains(size) {
            look["size"] = .integer(size)
        }
        if let page = visit.form["firstPage"], GardenAppearance.firstPages.contains(where: { $0.rawValue == page }) {
            look["firstPage"] = .string(page)
        }
        var request = AccountEditRequest()
        request.appearance = .object(look)
        _ = try await visit.ask.garden().editAccount(request)
        return .page("/more/appearance?done=saved")
    }
}

extension Words {
    func name(of tab: PageContent.Tab) -> String {
        switch tab {
        case .garden: self("정원", "Garden")
        case .things: self("챙길 것", "Things")
        case .calendar: self("달력", "Calendar")
        case .me: self("나", "Me")
        case .more: self("더 보기", "More")
        }
    }

    func name(of colours: GardenAppearance.Colours) -> String {
        switch colours {
        case .system: self("시스템과 같게", "as the system")
        case .light: self("밝게", "light")
        case .dark: self("어둡게", "dark")
        }
    }
}
