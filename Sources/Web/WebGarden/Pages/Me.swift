import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// My page: counts, and all plants (rule 8.1).
enum MePage {
    static let pages = [GardenPage("/me", shows: content), GardenPage("/me/plants", shows: plants)]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (words, account) = (visit.words, try visit.signedIn())
        let garden = try await visit.ask.garden()
        let counts = try await garden.statistics()
        let portrait: Markup =
            try await garden.hasPicture()
            ? "<img class=\"portrait\" src=\"/v1/account/picture\" alt=\"\" width=\"72\" height=\"72\">" : ""
        let numbers = [
            (words("식물", counts.plantCount == 1 ? "plant" : "plants"), counts.plantCount),
            (words("물 주기", counts.wateringCount == 1 ? "watering" : "waterings"), counts.wateringCount),
            (words("미루기", "put off"), counts.postponementCount), (words("활짝 핀 식물", "in full bloom"), counts.fullCount),
        ].map { name, number -> Markup in "<div><dt>\(name)</dt><dd>\(number)</dd></div>\n" }
        var content = PageContent(
            words("나", "Me"), kind: "me", tab: .me,
            main: """
                <div class="friend">
                \(portrait)
                <div>
                <h1><bdi>\(account.nickname.description)</bdi></h1>
                <p class="muted"><bdi>\(account.email?.description ?? words("이메일 없음", "no e-mail"))</bdi></p>
                </div>
                </div>
                <section aria-labelledby="counts-title">
                <h2 id="counts-title" class="heard">\(words("횟수", "Counts"))</h2>
                <dl class="counts">
                \(numbers)</dl>
                </section>
                <ul class="links">
                \(PageLink.markup("/me/plants", "home", words("내 식물", "My plants"), value: String(counts.plantCount)))\
                \(PageLink.markup("/me/imports", "import", words("연락처 가져오기", "Import contacts")))\
                \(PageLink.markup("/plants/new", "plus", words("한 사람 더하기", "Add one person")))\
                \(PageLink.markup("/more/profile", "edit", words("프로필", "Profile")))\
                </ul>
                """)
        content.isKept = true
        return content
    }

    private static func plants(_ visit: PageVisit) async throws -> PageContent {
        let (words, filter) = (visit.words, GardenFilter(visit.ask))
        let garden = try await visit.ask.garden()
        let seen = try await filter.glances(garden)
        var query = FriendQuery()
        query.isArchived = true
        let removed = filter.isActive ? [] : try await garden.friends(query).plants
        var content = PageContent(
            words("내 식물", "My plants"), kind: "plants", tab: .me,
            back: PageContent.Back(path: "/me", words: words("나", "Me")),
            main: """
                <h1>\(words("내 식물", "My plants"))</h1>
                \(filter.search("/me/plants", words))\(filter.outcome(seen.plants.count, visit))<ul class="plants">
                \(seen.plants.map { GardenMainPage.row($0, words) })</ul>
                \(removed.isEmpty ? "" : list(removed, visit))
                """)
        content.isKept = true
        return content
    }

    private static func list(_ removed: [PlantView], _ visit: PageVisit) -> Markup {
        let words = visit.words
        let rows = removed.map { view -> Markup in
            let button: Markup = """
                <button>\(words("다시 데려오기", "Bring back"))<span class="heard"> \(view.nickname)</span></button>
                """
            return """
                <li><div><a class="label" href="\(view.path)"><strong>\(view.nickname)</strong> \
                <span class="muted"><bdi>\(view.plant.name.description)</bdi></span></a>
                \(FormFields(visit: visit).form("\(view.path)/restoration", button))</div></li>

                """
        }
        return """
            <section aria-labelledby="removed-title">
            <h2 id="removed-title">\(words("떠난 식물", "Removed"))</h2>
            <ul class="links">
            \(rows)</ul>
            </section>
            """
    }
}

/// A line of a list that leads to a page.
enum PageLink {
    static func markup(_ path: String, _ icon: String, _ label: String, value: String? = nil) -> Markup {
        let more: Markup = value.map { "<span class=\"value\"><bdi>\($0)</bdi></span>" } ?? ""
        return """
            <li><a href="\(path)">\(Picture.icon(icon))<span class="label">\(label)</span>\(more)</a></li>

            """
    }
}
