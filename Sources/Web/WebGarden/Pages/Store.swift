import CherishCore
import CherishHTTP
import CherishService
import CherishStore
import Foundation
import HTMLMarkup

/// Stores (rule 10.9): what they grant, and which of their places are near.
enum StorePage {
    static let pages = [
        GardenPage("/stores", shows: list),
        GardenPage("/stores/{store}", shows: { try await content($0) }, does: find),
    ]

    private static let usualRadius = 10
    private static let radii = [1, 5, 10, 50]

    private static func list(_ visit: PageVisit) async throws -> PageContent {
        let (words, search) = (visit.words, visit.query("search") ?? "")
        let stores = try await visit.ask.garden().stores(search: search)
        let rows = stores.map { store -> Markup in
            """
            <li><a href="\(store.path)"><span class="who"><strong><bdi>\(store.name.description)</bdi></strong>\
            <span>\(words.granted(by: store))</span></span></a></li>

            """
        }
        let found: Markup =
            rows.isEmpty
            ? "<p class=\"muted\">\(words("이런 가게가 없어요.", "There is no such store."))</p>\n"
            : "<ul class=\"things\">\n\(rows)</ul>\n"
        return PageContent(
            words("가게", "Stores"), kind: "stores", tab: .things,
            back: PageContent.Back(path: "/things", words: words("챙길 것", "Things")),
            main: """
                <h1>\(words("가게", "Stores"))</h1>
                <form class="filter" action="/stores">
                <div class="field">
                <label for="search">\(words("이름", "Name"))</label>
                <input id="search" name="search" type="search" value="\(search)" autocomplete="off">
                </div>
                <button>\(words("찾기", "Find"))</button>
                </form>
                \(found)
                """)
    }

    // MARK: One store

    private static func content(_ visit: PageVisit, _ nearby: Nearby? = nil) async throws -> PageContent {
        let (words, garden) = (visit.words, try await visit.ask.garden())
        let view = try await garden.store(try visit.ask.id("store", of: .store))
        let store = view.store
        let policy: Markup =
            store.returnPolicyURL.map { url in
                """
                <p><a class="button" href="\(url.description)" rel="noopener noreferrer external">\
                \(words("반품 규정 보기", "Read its return policy"))</a></p>

                """
            } ?? ""
        let days: [(String, Int?)] = [
            (words("반품", "Returning"), store.returnDays), (words("찾아오기", "Picking up"), store.pickupDays),
        ]
        let facts = days.map { name, days -> Markup in
            let text = days.map { words("산 뒤 \($0)일", "\(words.days($0)) after the purchase") }
            return "<div><dt>\(name)</dt><dd>\(text ?? words("정해지지 않음", "not said"))</dd></div>\n"
        }
        let places: Markup =
            view.placeCount == 0
            ? ""
            : """
            <section aria-labelledby="nearby-title">
            <h2 id="nearby-title">\(words("가까운 곳", "Nearby"))</h2>
            \(nearby.map { self.places($0, words) } ?? "")\(form(store, visit))</section>

            """
        var content = PageContent(
            store.name.description, kind: "store", tab: .things,
            back: PageContent.Back(path: "/stores", words: words("가게", "Stores")),
            main: """
                <h1><bdi>\(store.name.description)</bdi></h1>
                <dl class="facts card">
                \(facts)</dl>
                \(policy)<p class="chips">\(adding(store, words))</p>
                \(places)
                """)
        content.asksPosition = true
        return content
    }

    private static func adding(_ store: Store, _ words: Words) -> [Markup] {
        [Thing.Kind.giveBack, .pickup].map { kind in
            let query = "kind=\(kind.rawValue)&store=\(store.name.description.percentEncoded)"
            return
                "<a class=\"chip\" href=\"/things/new?\(query)\">\(Picture.icon("plus"))\(words.name(of: kind))</a>\n"
        }
    }

    /// A position goes into no address of a page, and no answer is kept, so the form carries nothing that repeats it.
    private static func form(_ store: Store, _ visit: PageVisit) -> Markup {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let attributes: Markup = " inputmode=\"text\" autocomplete=\"off\" maxlength=\"20\""
        return """
            <form method="post" action="\(store.path)" data-position>
            <p><button type="button" data-here hidden>\
            \(words("내 위치로 찾기", "Look around me"))</button></p>
            <p class="error" role="alert" data-nowhere hidden>\
            \(words("위치를 알 수 없어요. 아래에 적어 주세요.", "Your position is not known. Write it below."))</p>
            <div class="row">
            \(fields.text("latitude", words("위도", "Latitude"), attributes: attributes))\
            \(fields.text("longitude", words("경도", "Longitude"), attributes: attributes))\
            \(fields.select(
                "radius", words("반경", "Radius"), value: String(usualRadius),
                options: radii.map { (String($0), "\($0) km") }))\
            </div>
            \(FormFields.buttons(FormFields.submit(words("찾기", "Look"))))</form>

            """
    }

    private static func find(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        func degrees(_ name: String) -> Double? { visit.form[name].flatMap { Double($0.filter { $0 != " " }) } }
        guard let latitude = degrees("latitude"), let longitude = degrees("longitude"),
            let position = Position(latitude: latitude, longitude: longitude)
        else { throw PageProblem.invalidPosition }
        let wanted = visit.form["radius"].flatMap { Int($0) } ?? usualRadius
        let radius = StoreCatalogue.radii.contains(wanted) ? wanted : usualRadius
        let garden = try await visit.ask.garden()
        let store = try await garden.store(try visit.ask.id("store", of: .store)).store
        let places = try await garden.places(near: position, within: radius, of: store.id)
        return .shown(try await content(visit, Nearby(position: position, radius: radius, places: places)))
    }

    // MARK: Places

    /// Places around somebody.
    struct Nearby: Sendable {
        let position: Position
        /// In kilometres.
        let radius: Int
        let places: [NearbyPlace]
    }

    private static func places(_ nearby: Nearby, _ words: Words) -> Markup {
        guard !nearby.places.isEmpty else {
            return """
                <p role="status">\(words(
                    "\(nearby.radius) km 안에는 없어요.", "There is none within \(nearby.radius) km."))</p>

                """
        }
        let rows = nearby.places.enumerated().map { index, found -> Markup in
            """
            <li><a href="\(found.place.geoURI)"><span class="who"><strong>\(index + 1). \
            <bdi>\(found.place.address.description)</bdi></strong>\
            <span>\(PlaceMap.kilometres(found.distance))</span></span></a></li>

            """
        }
        return """
            \(PlaceMap(nearby).markup(words))<ol class="things">
            \(rows)</ol>

            """
    }
}

extension Store {
    /// The path of its page.
    fileprivate var path: String { "/stores/\(id.description)" }
}

extension Place {
    /// Opens the place in an app for maps (RFC 5870). The query, which most of them know, makes them mark it.
    fileprivate var geoURI: String {
        let point = "\(position.latitude),\(position.longitude)"
        return "geo:\(point)?q=\(point)(\(address.description.percentEncoded))"
    }
}

extension Words {
    fileprivate func granted(by store: Store) -> String {
        [
            store.returnDays.map { self("반품 \($0)일", "\(days($0)) to return") },
            store.pickupDays.map { self("찾아오기 \($0)일", "\(days($0)) to pick up") },
        ].compactMap(\.self).joined(separator: " · ")
    }
}
