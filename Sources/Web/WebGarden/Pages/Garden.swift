import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// The garden: one plant large, and all of them below, by nearness of watering (rule 2.4).
enum GardenMainPage {
    static let pages = [
        GardenPage(
            "/", for: .anybody, seesGarden: true, leads: firstPage,
            shows: { visit in
                visit.account == nil ? WelcomePage.content(visit) : try await content(visit)
            }),
        // Where a push about several plants leads.
        GardenPage("/plants", seesGarden: true, shows: content),
        GardenPage("/water", shows: first),
    ]

    /// The page that somebody chose as the first one, unless it is this one. A link with a query is about the garden.
    private static func firstPage(_ visit: PageVisit) -> String? {
        let appearance = GardenAppearance(visit.account)
        guard appearance.firstPage != .garden, visit.ask.query.isEmpty else { return nil }
        return appearance.firstPage.path(appearance)
    }

    /// More plants than this are on the page of all plants only.
    static let mostShown = 200

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (words, filter) = (visit.words, GardenFilter(visit.ask))
        let garden = try await visit.ask.garden()
        let seen = if let seen = visit.garden { seen } else { try await filter.glances(garden) }
        let chosen: PlantGlanceView? =
            if let id = visit.query("plant") {
                if let found = seen.plants.first(where: { $0.plant.id.description == id }) {
                    found
                } else {
                    // Not among those that were asked for; a removed one has a page of its own.
                    [try await garden.friend(id).view].first { $0.plant.archivedAt == nil }?.glance ?? seen.plants.first
                }
            } else {
                seen.plants.first
            }
        var content = PageContent(words("정원", "Garden"), kind: "garden", tab: .garden, main: "")
        content.isKept = true
        content.notice = try await DoneMessage.markup(visit, chosen) ?? PausesPage.banner(seen, visit)
        guard chosen != nil || filter.isActive else {
            content.main = empty(words)
            return content
        }
        content.isWide = true
        let isWatered = visit.query("done") == "watered"
        content.main = """
            \(chosen.map { plot($0, visit, isWatered: isWatered) } ?? "")\(list(seen, chosen, filter, visit))
            """
        if let chosen, chosen.dDay.condition == .thirsty { content.after = LaterPage.sheet(chosen, visit) }
        return content
    }

    /// Leads to the page on which the plant that needs water most is watered.
    private static func first(_ visit: PageVisit) async throws -> PageContent {
        let garden = try await visit.ask.garden()
        guard let nearest = try await garden.glances().plants.first else { return try await content(visit) }
        return try await WaterPage.content(visit, try await garden.friend(nearest.plant.id.description).view)
    }

    private static func empty(_ words: Words) -> Markup {
        """
        <section class="card begin">
        \(Picture.scene("friends", class: " class=\"picture\""))
        <h1>\(words("첫 친구를 심어 보세요", "Plant your first friend"))</h1>
        <p>\(words(
            "연락처에서 사람들을 데려와, 얼마나 자주 소식을 나눌지 정해 주세요. 전화할 때마다 식물이 자라요.",
            """
            Bring people from your contacts, and choose how often you want to hear from each of them. A plant grows with \
            every call.
            """))</p>
        <div class="buttons">
        <a class="button primary" href="/me/imports">\(Picture.icon("import"))\(words("연락처 가져오기", "Import contacts"))</a>
        <a class="button" href="/plants/new">\(Picture.icon("plus"))\(words("한 사람 더하기", "Add one person"))</a>
        </div>
        </section>
        """
    }

    private static func plot(_ view: PlantGlanceView, _ visit: PageVisit, isWatered: Bool) -> Markup {
        let (words, condition) = (visit.words, view.dDay.condition.rawValue)
        let later: Markup =
            view.dDay.condition == .thirsty
            ? """
            <a class="button" href="\(view.path)/later" data-opens="later-sheet">\(Picture.icon("later"))\
            \(words("나중에", "Later"))</a>
            """ : ""
        return """
            <section class="plot" aria-labelledby="chosen">
            <p aria-hidden="true"><span class="due \(condition)">\(view.dDay.label)</span></p>
            <h1 id="chosen" tabindex="-1"><span>\(view.phrase)</span> \(view.nickname)</h1>
            <p class="heard">\(PlantSentence.text(view, words))</p>
            <div class="ground \(condition)">
            \(AffectionBar.markup(view.plant.affection))
            \(Picture.swaying(view, isWatered: isWatered))
            \(star(view, visit))</div>
            <div class="buttons">
            <a class="button primary" href="\(view.path)/water">\(Picture.icon("water"))\(words("물 주기", "Water"))</a>
            \(later)</div>
            <div class="buttons">
            <a class="button plain" href="\(view.path)"><span>\(words("\(view.nickname) 보기" as Markup, "About \(view.nickname)"))</span></a>
            <a class="button plain" href="\(view.path)/calendar">\(Picture.icon("calendar"))\(words("달력", "Calendar"))</a>
            </div>
            </section>

            """
    }

    private static func star(_ view: PlantGlanceView, _ visit: PageVisit) -> Markup {
        let isFavourite = view.plant.isFavourite
        return """
            <form class="star" method="post" action="\(view.path)/favourite" data-once>\
            <button name="favourite" value="\(isFavourite ? "false" : "true")" aria-pressed="\(isFavourite ? "true" : "false")">\
            \(Picture.icon(isFavourite ? "star-filled" : "star"))\
            <span class="heard">\(visit.words("즐겨찾기", "Favourite"))</span></button></form>

            """
    }

    private static func list(
        _ seen: GardenGlanceView, _ chosen: PlantGlanceView?, _ filter: GardenFilter, _ visit: PageVisit
    ) -> Markup {
        let words = visit.words
        var plants = seen.plants
        if let chosen, let place = plants.firstIndex(where: { $0.plant.id == chosen.plant.id }), place > 0 {
            plants.insert(plants.remove(at: place), at: 0)
        }
        let rows = plants.prefix(mostShown).map { row($0, isChosen: $0.plant.id == chosen?.plant.id, words) }
        let more: Markup =
            plants.count > mostShown
            ? "<p><a class=\"button\" href=\"/me/plants\">\(words("모두 보기 (\(plants.count))", "Show all \(plants.count)"))</a></p>\n"
            : ""
        return """
            <section aria-labelledby="plants-title">
            <div class="heading">
            <h2 id="plants-title">\(words("모든 식물", "All plants"))</h2>
            <a class="button" href="/plants/new">\(Picture.icon("plus"))\(words("친구 더하기", "Add a friend"))</a>
            </div>
            \(filter.search("/", words))\(filter.chips(seen.tags, visit))\(filter.outcome(plants.count, visit))
            <ul class="plants">
            \(Array(rows))</ul>
            \(more)</section>
            """
    }

    static func row(_ view: PlantGlanceView, isChosen: Bool = false, to path: String? = nil, _ words: Words) -> Markup {
        let (plant, dDay) = (view.plant, view.dDay)
        let here: Markup = isChosen ? " aria-current=\"true\"" : ""
        let star: Markup =
            plant.isFavourite
            ? " \(Picture.icon("star-filled"))<span class=\"heard\">\(words("즐겨찾기", "favourite"))</span>" : ""
        // Most of the garden's page are rows, so nothing here is made in pieces.
        return """
            <li><a href="\(path ?? view.gardenPath)"\(here)>\
            \(Picture.plant(plant.cycle.species, plant.affection.stage, dDay.condition))\
            <span class="who"><strong><bdi>\(plant.nickname.description)</bdi>\(star)</strong>\
            <span><bdi>\(plant.name.description)</bdi></span></span>\
            <span class="due \(dDay.condition.rawValue)" aria-hidden="true">\(dDay.label)</span>\
            <span class="heard">\(words.dueness(dDay))</span></a></li>

            """
    }
}

/// Which plants somebody wants to see.
struct GardenFilter: Sendable {
    let search: String
    let tag: String?
    let isFavouritesOnly: Bool

    init(_ ask: Ask) {
        search = ask.query("search") ?? ""
        tag = ask.query("tag")
        isFavouritesOnly = ask.query("favourite") == "true"
    }

    var isActive: Bool { !search.isEmpty || tag != nil || isFavouritesOnly }

    /// The plants that match.
    func glances(_ garden: GardenService) async throws -> GardenGlanceView {
        try await garden.glances(search: search, tag: tag, isFavouritesOnly: isFavouritesOnly)
    }

    /// The field in which one searches.
    func search(_ path: String, _ words: Words) -> Markup {
        """
        <form class="filter" role="search" action="\(path)">
        <div class="field">
        <label class="heard" for="search">\(words("이름, 별명, 전화번호로 찾기", "Search by name, nickname or phone"))</label>
        <input type="search" id="search" name="search" placeholder="\(words("찾기", "Search"))" value="\(search)" \
        enterkeyhint="search" autocomplete="off" maxlength="200">
        </div>
        <button>\(Picture.icon("search"))<span class="heard">\(words("찾기", "Search"))</span></button>
        </form>

        """
    }

    func chips(_ tags: [Tag], _ visit: PageVisit) -> Markup {
        let words = visit.words
        func chip(_ path: String, _ content: Markup, isCurrent: Bool) -> Markup {
            let here: Markup = isCurrent ? " aria-current=\"true\"" : ""
            return "<li><a class=\"chip\" href=\"\(path)\"\(here)>\(content)</a></li>\n"
        }
        let ofTags = tags.map { tag in
            chip(
                "/?tag=\(tag.name.description.percentEncoded)",
                "\(Picture.dot(tag.colour))<bdi>\(tag.name.description)</bdi>",
                isCurrent: self.tag == tag.name.description)
        }
        return """
            <ul class="chips" aria-label="\(words("골라 보기", "Show only"))">
            \(chip(visit.gardenPath, "\(words("모두", "All"))", isCurrent: !isActive))\
            \(chip("/?favourite=true", "\(Picture.icon("star"))\(words("즐겨찾기", "Favourites"))", isCurrent: isFavouritesOnly))\
            \(ofTags)</ul>

            """
    }

    /// Tells how many plants match.
    func outcome(_ count: Int, _ visit: PageVisit) -> Markup {
        guard isActive else { return "" }
        let words = visit.words
        let found =
            search.isEmpty
            ? words("\(count)그루", words.count(count, "plant", "plants"))
            : words(
                "‘\(search)’에 맞는 식물 \(count)그루",
                "\(words.count(count, "plant", "plants")) \(count == 1 ? "matches" : "match") “\(search)”")
        return "<p role=\"status\">\(found). <a href=\"\(visit.gardenPath)\">\(words("모두 보기", "Show all"))</a></p>\n"
    }
}

/// What somebody is told after a form.
enum DoneMessage {
    static func markup(_ visit: PageVisit, _ chosen: PlantGlanceView?) async throws -> Markup? {
        let words = visit.words
        switch visit.query("done") {
        case "welcome":
            return """
                <p>\(words("정원에 오신 것을 환영해요!", "Welcome to your garden!")) \
                <a href="/more/pushes">\(words("알림 켜기", "Turn on pushes"))</a></p>
                """
        case "back":
            return "<p>\(words("다시 만나 반가워요. 모두 잘 있어요.", "Good to have you back. Everybody is still there."))</p>"
        case "watered":
            guard let chosen else { return nil }
            let points = visit.query("points").flatMap { Int($0) } ?? 0
            let affection = chosen.plant.affection.points
            let grown: Markup =
                points > 0
                ? "\(words("애정이 \(points) 올라 \(affection)점이 됐어요.", "Affection grew by \(points), to \(affection)."))"
                : ""
            return words(
                "<p data-motion-line>\(chosen.nickname), 물을 마셨어요. \(grown)</p>",
                "<p data-motion-line>\(chosen.nickname) has been watered. \(grown)</p>")
        case "postponed":
            guard let chosen else { return nil }
            let date = words.fullDate(chosen.plant.dueOn, today: chosen.today)
            return words(
                "<p>\(chosen.nickname), \(date)까지 기다려요.</p>", "<p>\(chosen.nickname) waits until \(date).</p>")
        case "removed":
            guard let id = visit.query("removed"), let removed = try? await visit.ask.garden().friend(id).view else {
                return nil
            }
            let fields = FormFields(visit: visit)
            return """
                <p>\(words("\(removed.nickname), 정원을 떠났어요." as Markup, "\(removed.nickname) has left the garden."))</p>
                \(fields.form("\(removed.path)/restoration", "<button>\(words("되돌리기", "Undo"))</button>"))
                """
        default: return nil
        }
    }
}

/// How a plant is doing, as one sentence for a screen reader.
enum PlantSentence {
    static func text(_ view: PlantGlanceView, _ words: Words) -> String {
        let (left, affection) = (view.dDay.daysLeft, view.plant.affection)
        let need =
            switch left {
            case ..<0 where view.dDay.condition == .thirsty:
                words("쉬는 동안 시들지 않고 물을 기다려요.", "It waits for water, and does not wither during the pause.")
            case 0: words("D-day예요. 오늘 물을 원해요.", "D-day: it wants water today.")
            case 1...: words("\(left)일 뒤에 물을 원해요.", "It wants water in \(words.days(left)).")
            default: words("\(-left)일 전부터 시들어 있어요.", "It has been withered for \(words.days(-left)).")
            }
        let stage = words.name(of: affection.stage)
        return words(
            "\(need) 애정은 100점 중 \(affection.points)점, \(stage) 단계예요.",
            "\(need) Its affection is \(affection.points) of 100, a \(stage.lowercased()).")
    }
}

/// The bar of affection (rule 4), with marks where the stages begin.
enum AffectionBar {
    static func markup(_ affection: Affection) -> Markup {
        let points = affection.points
        return """
            <div class="affection" aria-hidden="true">
            <svg class="icon" viewBox="0 0 24 24"><path fill="currentColor" d="M12 20.5 4.2 12.7a4.9 4.9 0 0 1 0-7 4.9 4.9 0 0 1 7 0l.8.8.8-.8a4.9 4.9 0 0 1 7 7z"/></svg>
            <svg>
            <rect class="track" x=".75" y="0" width="10.5" height="100%" rx="5.25"/>
            <rect class="reach" x="2" y="\(100 - points)%" width="8" height="\(points)%" rx="4"/>
            <line class="mark" x1="1" x2="11" y1="76%" y2="76%"/>
            <line class="mark" x1="1" x2="11" y1="52%" y2="52%"/>
            </svg>
            \(points)
            </div>
            """
    }
}
