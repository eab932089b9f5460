import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// Pickups, returns, reminders and food (rule 10): what is open by kind, and what was done.
enum ThingsPage {
    static let pages = [
        GardenPage("/things", shows: content),
        GardenPage("/things/{thing}/completion", does: complete),
        GardenPage("/things/{thing}/reopening", does: reopen),
    ]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (words, filter) = (visit.words, ThingFilter(visit.ask))
        let garden = try await visit.ask.garden()
        let things = try await garden.things(filter.query)
        let tags = try await garden.tags().map(\.tag)
        let kinds = Thing.Kind.allCases.filter { kind in things.contains { $0.thing.kind == kind } }
        let sections = kinds.map { kind -> Markup in
            let rows = things.filter { $0.thing.kind == kind }.map { row($0, visit) }
            return """
                <section aria-labelledby="\(kind.rawValue)-title">
                <h2 id="\(kind.rawValue)-title">\(words.plural(of: kind)) <span class="muted">\(rows.count)</span></h2>
                <ul class="things">
                \(rows)</ul>
                </section>

                """
        }
        let nothing: Markup = """
            <p class="muted">\(filter.isActive
                ? words("여기에 맞는 것이 없어요.", "Nothing here matches.")
                : words("챙길 것이 없어요. 위에서 하나 골라 더해 보세요.", "Nothing to remember yet. Add something above."))</p>

            """
        var content = PageContent(
            words("챙길 것", "Things"), kind: "things", tab: .things,
            main: """
                <h1>\(filter.query.areDone ? words("끝낸 것", "Done") : words("챙길 것", "Things"))</h1>
                \(adding(words))\(filter.markup(tags, words))\(sections.isEmpty ? nothing : "\(sections)")
                """)
        content.notice = try await notice(visit)
        content.isKept = true
        return content
    }

    /// One tap chooses the kind of something new.
    private static func adding(_ words: Words) -> Markup {
        let links = Thing.Kind.allCases.map { kind -> Markup in
            """
            <li><a class="tile" href="/things/new?kind=\(kind.rawValue)">\(Picture.icon("plus"))\
            <span>\(words.name(of: kind))</span></a></li>

            """
        }
        return """
            <ul class="tiles" aria-label="\(words("더하기", "Add"))">
            \(links)</ul>
            <p><a class="chip" href="/lists">🥕 \(words("이웃과 장보기", "Shopping between neighbours"))</a></p>

            """
    }

    private static func row(_ view: ThingView, _ visit: PageVisit) -> Markup {
        let (thing, words) = (view.thing, visit.words)
        let star: Markup =
            thing.isFavourite
            ? " \(Picture.icon("star-filled"))<span class=\"heard\">\(words("즐겨찾기", "favourite"))</span>" : ""
        let dots = view.tags.map { Picture.dot($0.colour) }
        return """
            <li><a href="\(view.path)"><span class="who"><strong><bdi>\(thing.title.description)</bdi>\(star)</strong>\
            <span>\(words.due(view)) \(dots)</span></span>\(StateLabel.markup(view, words))</a>\
            \(view.thing.isDone ? reopening(view, visit) : completion(view, visit))</li>

            """
    }

    private static func completion(_ view: ThingView, _ visit: PageVisit) -> Markup {
        let words = visit.words
        let label = view.thing.kind == .food ? words("먹었어요", "Eaten") : words("끝냈어요", "Done")
        return FormFields(visit: visit).form(
            "\(view.path)/completion",
            """
            \(FormFields.fact)<button class="plain">\(Picture.icon("check"))<span class="heard">\(label): </span>\
            <span class="heard">\(view.thing.title.description)</span></button>
            """)
    }

    private static func reopening(_ view: ThingView, _ visit: PageVisit) -> Markup {
        let words = visit.words
        return FormFields(visit: visit).form(
            "\(view.path)/reopening",
            """
            <button class="plain">\(Picture.icon("later"))<span class="heard">\(words("되돌리기", "Undo")): </span>\
            <span class="heard">\(view.thing.title.description)</span></button>
            """)
    }

    /// What was just done, with a button that undoes it.
    private static func notice(_ visit: PageVisit) async throws -> Markup? {
        let words = visit.words
        if visit.query("done") == "removed" { return "<p>\(words("지웠어요.", "It has been deleted."))</p>" }
        guard let done = visit.query("done"), let id = visit.query("thing"),
            let view = try? await visit.ask.garden().thing(id)
        else { return nil }
        let title: Markup = "<bdi>\(view.thing.title.description)</bdi>"
        switch done {
        case "added": return "<p>\(title) · \(words.due(view))</p>"
        case "reopened": return words("<p>\(title), 다시 열었어요.</p>", "<p>\(title) is open again.</p>")
        case "completed":
            let next: Markup =
                view.thing.isDone ? "" : words(" 다음은 \(words.due(view)).", " Next: \(words.due(view)).")
            let undo = FormFields(visit: visit).form(
                "\(view.path)/reopening", "<button class=\"plain\">\(words("되돌리기", "Undo"))</button>")
            return words("<p>\(title), 끝냈어요.\(next)</p>\(undo)", "<p>\(title) is done.\(next)</p>\(undo)")
        default: return nil
        }
    }

    private static func complete(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let outcome = visit.form["as"].flatMap { ThingCompletion.Outcome(rawValue: $0) }
        let view = try await visit.ask.garden().completeThing(
            try visit.thingID(), as: outcome, fact: visit.fact)
        return .page("/things?done=completed&thing=\(view.thing.id.description)")
    }

    private static func reopen(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let view = try await visit.ask.garden().reopenThing(try visit.thingID())
        return .page("/things?done=reopened&thing=\(view.thing.id.description)")
    }
}

/// Which things somebody wants to see, and in which order (rule 10.10).
struct ThingFilter: Sendable {
    let query: ThingQuery

    init(_ ask: Ask) {
        var query = ThingQuery()
        query.areDone = ask.query("list") == "done"
        query.kind = ask.query("kind").flatMap { Thing.Kind(rawValue: $0) }
        query.tags = ask.query("tag").map { [$0] } ?? []
        query.isFavouritesOnly = ask.query("favourite") == "true"
        query.order = ask.query("sort").flatMap { ThingOrder(rawValue: $0) } ?? .due
        self.query = query
    }

    var isActive: Bool { query.areDone || query.kind != nil || !query.tags.isEmpty || query.isFavouritesOnly }

    func markup(_ tags: [Tag], _ words: Words) -> Markup {
        let isPlain = !isActive
        var chips = [
            chip("", "\(words("모두", "All"))", isCurrent: isPlain),
            chip(
                "favourite=true", "\(Picture.icon("star"))\(words("즐겨찾기", "Favourites"))",
                isCurrent: query.isFavouritesOnly),
        ]
        chips += Thing.Kind.allCases.map { kind in
            chip("kind=\(kind.rawValue)", "\(words.plural(of: kind))", isCurrent: query.kind == kind)
        }
        chips += tags.map { tag in
            let name = tag.name.description
            return chip(
                "tag=\(name.percentEncoded)", "\(Picture.dot(tag.colour))<bdi>\(name)</bdi>",
                isCurrent: query.tags == [name])
        }
        chips.append(chip("list=done", "\(Picture.icon("check"))\(words("끝낸 것", "Done"))", isCurrent: query.areDone))
        let options = ThingOrder.allCases.map {
            FormFields.option($0.rawValue, words.name(of: $0), chosen: query.order.rawValue)
        }
        return """
            <ul class="chips" aria-label="\(words("골라 보기", "Show only"))">
            \(chips)</ul>
            <form class="filter" action="/things">
            \(hiddenFilter)<div class="field">
            <label class="heard" for="sort">\(words("순서", "Order"))</label>
            <select id="sort" name="sort">
            \(options)</select>
            </div>
            <button>\(words("정렬", "Sort"))</button>
            </form>

            """
    }

    /// What is chosen stays so while the order changes.
    private var hiddenFilter: Markup {
        var fields: Markup = ""
        if query.areDone { fields = FormFields.hidden("list", "done") }
        if let kind = query.kind { fields = FormFields.hidden("kind", kind.rawValue) }
        if let tag = query.tags.first { fields = FormFields.hidden("tag", tag) }
        if query.isFavouritesOnly { fields = FormFields.hidden("favourite", "true") }
        return fields
    }

    private func chip(_ query: String, _ content: Markup, isCurrent: Bool) -> Markup {
        let here: Markup = isCurrent ? " aria-current=\"true\"" : ""
        return "<li><a class=\"chip\" href=\"/things\(query.isEmpty ? "" : "?\(query)")\"\(here)>\(content)</a></li>\n"
    }
}

/// The state of a thing, in words. What is late or about to expire is red, too.
enum StateLabel {
    static func markup(_ view: ThingView, _ words: Words) -> Markup {
        "<span class=\"due \(kind(view.state))\">\(words.state(view))</span>"
    }

    private static func kind(_ state: Thing.State) -> String {
        switch state {
        case .due: "thirsty"
        case .overdue, .expiring, .expired: "late"
        case .upcoming, .fresh, .done: "thriving"
        }
    }
}

extension PageVisit {
    /// The id of the thing in the path.
    func thingID() throws -> String { try ask.id("thing", of: .thing) }
}

extension ThingView {
    /// The path of its page.
    var path: String { "/things/\(thing.id.description)" }
}

// MARK: - Words

extension Words {
    func name(of kind: Thing.Kind) -> String {
        switch kind {
        case .pickup: self("찾아올 것", "Pickup")
        case .giveBack: self("반품할 것", "Return")
        case .reminder: self("할 일", "Reminder")
        case .food: self("식품", "Food")
        }
    }

    func plural(of kind: Thing.Kind) -> String {
        switch kind {
        case .pickup: self("찾아올 것", "Pickups")
        case .giveBack: self("반품할 것", "Returns")
        case .reminder: self("할 일", "Reminders")
        case .food: self("식품", "Food")
        }
    }

    func name(of order: ThingOrder) -> String {
        switch order {
        case .due: self("기한 순", "Due first")
        case .bought: self("산 날 순", "Bought last first")
        case .title: self("제목 순", "By title")
        case .newest: self("새것부터", "Newest first")
        }
    }

    /// When a thing is due: `Friday, 5 March, 15:00`.
    func due(_ view: ThingView) -> String {
        let day = fullDate(view.thing.due.day, today: view.today)
        return view.thing.due.time.map { self("\(day) \($0)", "\(day), \($0)") } ?? day
    }

    /// How a thing stands: `in 3 days`, `expiring, 2 days left`.
    func state(_ view: ThingView) -> String {
        let left = view.daysLeft
        let (days, past) = (self.days(abs(left)), self("\(-left)일 지남", "\(self.days(-left)) late"))
        switch view.state {
        case .done:
            guard let end = view.thing.end else { return self("끝냄", "done") }
            switch end.outcome {
            case .eaten?: return self("먹음", "eaten")
            case .thrownAway?: return self("버림", "thrown away")
            case nil: return self("끝냄", "done")
            }
        case .upcoming: return left == 1 ? self("내일", "tomorrow") : self("\(days) 남음", "in \(days)")
        case .due: return self("오늘", "today")
        case .overdue: return past
        case .fresh: return self("\(days) 남음", "\(days) left")
        case .expiring:
            return left == 0 ? self("오늘까지", "expires today") : self("곧 기한, \(days) 남음", "expiring, \(days) left")
        case .expired: return self("기한 지남, \(days) 전", "expired \(days) ago")
        }
    }
}
