import CherishCore
import CherishHTTP
import CherishService
import Foundation
import HTMLMarkup

/// Shopping lists (rule 11): the account's own, and those that it helps with.
enum ListsPage {
    static let pages =
        [GardenPage("/lists", shows: content)] + ListFormPage.pages + ListPage.pages + NearbyListsPage.pages

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (words, garden) = (visit.words, try await visit.ask.garden())
        let own = try await garden.shoppingLists()
        let helping = try await garden.errands.lists()
        let going = own.filter { !$0.isOver }
        let over = own.filter(\.isOver)
        let sections = [
            section("helping", words("장을 봐 주는 목록", "You shop for"), helping, words),
            section("own", words("내 목록", "Your lists"), going, words),
            section("over", words("끝난 목록", "Past lists"), over, words),
        ].compactMap { $0 }
        let nothing: Markup = """
            <p class="muted">\(words(
                "살 것을 적어 올리면 가까운 이웃이 대신 사다 줄 수 있어요.",
                "Write down what you need, and a neighbour can fetch it for you."))</p>

            """
        var content = PageContent(
            words("장보기", "Shopping lists"), kind: "lists", tab: .things,
            back: PageContent.Back(path: "/things", words: words("챙길 것", "Things")),
            main: """
                <h1>\(words("장보기", "Shopping lists"))</h1>
                <ul class="tiles">
                <li><a class="tile" href="/lists/new">\(Picture.icon("plus"))<span>\(words("새 목록", "New list"))</span></a></li>
                <li><a class="tile" href="/lists/nearby">\(Picture.icon("person"))\
                <span>\(words("이웃의 목록", "Neighbours' lists"))</span></a></li>
                </ul>
                <p data-awaits="\(ListFormPage.keptName(of: nil, visit))" hidden><a href="/lists/new">\(words(
                    "쓰다 만 목록이 있어요. 이어서 쓰기", "You have begun a list. Go on writing"))</a></p>
                \(sections.isEmpty ? nothing : "\(sections)")
                """)
        let notices = [
            "removed": words("지웠어요.", "It has been deleted."),
            "released": words("목록을 돌려주었어요.", "You have given the list back."),
            "blocked": words("차단했어요. 서로의 목록이 보이지 않아요.", "Blocked. Neither finds the other's lists."),
        ]
        content.notice = visit.query("done").flatMap { notices[$0] }.map { "<p>\($0)</p>" }
        return content
    }

    private static func section(_ name: String, _ title: String, _ lists: [ShoppingListView], _ words: Words) -> Markup?
    {
        if lists.isEmpty { return nil }
        let rows = lists.map { view -> Markup in
            let other = view.ownerNickname ?? view.stored.helper?.nickname
            return """
                <li><a href="\(view.path)"><span class="who"><strong><bdi>\(view.list.title.description)</bdi></strong>\
                <span>\(words.entries(view.list.entries.count))\(other.map { " · <bdi>\($0.description)</bdi>" as Markup } ?? "")\
                </span></span><span class="due \(view.isOver ? "thriving" : "thirsty")">\(words.state(view.state))</span></a></li>

                """
        }
        return """
            <section aria-labelledby="\(name)-title">
            <h2 id="\(name)-title">\(title) <span class="muted">\(rows.count)</span></h2>
            <ul class="things">
            \(rows)</ul>
            </section>

            """
    }
}

// MARK: - Writing

/// Writing a list, and changing it: each entry is a line.
enum ListFormPage {
    static let pages = [
        GardenPage("/lists/new", shows: new, does: add), GardenPage("/lists/{list}/edit", shows: edit, does: change),
    ]

    private static func new(_ visit: PageVisit) -> PageContent {
        let words = visit.words
        return content(
            words("새 목록", "New list"), at: "/lists/new", nil, visit,
            back: PageContent.Back(path: "/lists", words: words("장보기", "Shopping lists")))
    }

    private static func edit(_ visit: PageVisit) async throws -> PageContent {
        let view = try await visit.ask.garden().shoppingList(try visit.listID())
        return content(
            visit.words("고치기", "Edit"), at: "\(view.path)/edit", view.list, visit,
            back: PageContent.Back(path: view.path, words: view.list.title.description))
    }

    private static func content(
        _ title: String, at path: String, _ list: ShoppingList?, _ visit: PageVisit, back: PageContent.Back
    ) -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let lines = (list?.entries ?? []).map { entry in
            entry.name.description + (entry.quantity.map { ", \($0)" } ?? "")
        }
        let form = fields.form(
            path, attributes: " data-keep=\"\(keptName(of: list, visit))\" data-keep-on=\"device\"",
            """
            \(fields.text(
                "title", words("제목", "Title"), value: list?.title.description ?? words("장보기", "Groceries"), limit: 100,
                attributes: " autocomplete=\"off\""))\
            \(fields.area(
                "entries", words("살 것", "What to buy"),
                hint: words("한 줄에 하나씩, 쉼표 뒤에 수량을 써 주세요: 우유, 2 l", "One to a line, and after a comma how much: milk, 2 l"),
                value: lines.joined(separator: "\\n"), limit: 8_000, rows: 8))\
            \(fields.area("note", words("메모", "Note"), value: list?.note?.description ?? "", limit: 1_000, rows: 2))\
            \(fields.area(
                "deliveryNote", words("놓아둘 곳", "Where to leave it"),
                hint: words("장을 봐 주는 이웃만 봐요.", "Only the neighbour who helps reads it."),
                value: list?.deliveryNote?.description ?? "", limit: 300, rows: 2))\
            \(FormFields.buttons(FormFields.submit(words("저장", "Save"))))
            """)
        return PageContent(title, kind: "new", tab: .things, back: back, main: "<h1>\(title)</h1>\n\(form)")
    }

    /// Under which name the browser keeps what is being written, also when it is closed. A new list has the name of its account:
    /// whoever signs in next in that browser, after a session that ended elsewhere, must not find it.
    static func keptName(of list: ShoppingList?, _ visit: PageVisit) -> String {
        "list-\(list?.id.description ?? visit.account?.id.description ?? "")"
    }

    private static func request(_ form: Form) -> ShoppingListRequest {
        var request = ShoppingListRequest()
        request.title = form["title"]
        request.note = form.written("note") ?? ""
        request.deliveryNote = form.written("deliveryNote") ?? ""
        request.entries = (form["entries"] ?? "").split(whereSeparator: \.isNewline).map(String.init).filter {
            !$0.allSatisfy(\.isWhitespace)
        }.map { line in
            guard let comma = line.lastIndex(of: ",") else { return ListEntryRequest(name: line) }
            return ListEntryRequest(
                name: String(line[..<comma]), quantity: String(line[line.index(after: comma)...]))
        }
        return request
    }

    private static func add(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let list = try await visit.ask.garden().writeList(request(visit.form))
        return .page("\(list.path)?kept=\(keptName(of: nil, visit))")
    }

    private static func change(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let list = try await visit.ask.garden().editList(try visit.listID(), request(visit.form))
        return .page("\(list.path)?kept=\(keptName(of: list.list, visit))")
    }
}

// MARK: - One list

/// One list, for its owner and its helper, with what each may do.
enum ListPage {
    static let pages = [
        GardenPage("/lists/{list}", shows: content),
        action("opening") { garden, id, _ in try await garden.openList(id).path },
        action("cancellation") { garden, id, _ in try await garden.cancelList(id).path },
        action("removal") { garden, id, _ in
            _ = try await garden.removeList(id)
            return "/lists?done=removed"
        },
        action("rating") { garden, id, form in
            let list = try await garden.shoppingList(id)
            return try await garden.rateHelper(list.list.id.description, points: form.number("points")).path
        },
        action("acceptance") { garden, id, _ in try await garden.errands.accept(id).path },
        action("release") { garden, id, _ in
            try await garden.errands.release(id)
            return "/lists?done=released"
        },
        action("bought") { garden, id, form in
            try await garden.errands.mark(id, form.number("number"), isBought: form["bought"] != "false").path
        },
        action("delivery") { garden, id, _ in try await garden.errands.deliver(id).path },
        action("receipt/removal") { garden, id, _ in
            try await garden.errands.removeReceipt(of: id)
            return "/lists/\(id)"
        },
        action("block") { garden, id, _ in
            _ = try await garden.errands.block(ofList: id)
            return "/lists?done=blocked"
        },
        GardenPage("/lists/{list}/report", shows: reporting, does: report),
    ]

    /// A button: what it does with the list of its path, and where it leads.
    private static func action(
        _ name: String, _ does: @escaping @Sendable (GardenService, String, Form) async throws -> String
    ) -> GardenPage {
        GardenPage(
            "/lists/{list}/\(name)",
            does: { visit in
                .page(try await does(try await visit.ask.garden(), try visit.listID(), visit.form))
            })
    }

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (words, view) = (visit.words, try await visible(visit))
        let list = view.list
        var content = PageContent(
            list.title.description, kind: "list", tab: .things,
            back: PageContent.Back(path: "/lists", words: words("장보기", "Shopping lists")),
            main: """
                <h1><bdi>\(list.title.description)</bdi></h1>
                <p><span class="due \(view.isOver ? "thriving" : "thirsty")">\(words.state(view.state))</span></p>
                \(list.note.map { "<p><bdi>\($0.description)</bdi></p>\n" as Markup } ?? "")\(entries(view, visit))\
                <dl class="facts card">
                \(facts(view, words))</dl>
                \(receipt(view, visit))\(view.role == .owner ? ownersActions(view, visit) : helpersActions(view, visit))
                """)
        if visit.query("done") == "reported" {
            content.notice = "<p>\(words("알려 주셔서 고마워요. 운영자가 볼 거예요.", "Thank you. The operator will read it."))</p>"
        }
        return content
    }

    /// Takes the receipt that the helper sends.
    static let upload = GardenPage.upload("/lists/{list}/receipt", shows: content) { visit, bytes in
        try await visit.ask.attachReceipt(bytes)
        return "/lists/\(try visit.listID())"
    }

    /// What the shopping has cost: only the two see it (rule 11.6).
    private static func receipt(_ view: ShoppingListView, _ visit: PageVisit) -> Markup {
        let (words, format) = (visit.words, view.list.acceptance?.receipt)
        let attaches = view.role == .helper && [.accepted, .delivered].contains(view.state)
        if format == nil, !attaches { return "" }
        let address = "/v1\(view.path)/receipt"
        let shown: Markup =
            switch format {
            case .jpeg:
                "<p><a href=\"\(address)\"><img class=\"receipt\" src=\"\(address)\" alt=\"\(words("영수증", "Receipt"))\"></a></p>\n"
            case .pdf:
                "<p><a class=\"button\" href=\"\(address)\">\(words("영수증 받기 (PDF)", "Download the receipt (PDF)"))</a></p>\n"
            case nil: ""
            }
        let removal = button(
            "\(view.path)/receipt/removal", words("영수증 지우기", "Remove the receipt"), icon: "trash", isPrimary: false,
            visit)
        return """
            <section aria-labelledby="receipt-title">
            <h2 id="receipt-title">\(words("영수증", "Receipt"))</h2>
            \(shown)\(attaches ? receiptForm(view, words) : "")\(attaches && format != nil ? removal : "")</section>

            """
    }

    private static func receiptForm(_ view: ShoppingListView, _ words: Words) -> Markup {
        FormFields.upload(
            "\(view.path)/receipt", "receipt", words("사진이나 PDF", "Picture or PDF"),
            hint: words(
                "5MB까지. 부탁한 이웃만 봐요. 찍은 곳과 카메라는 남기지 않아요.",
                "Up to 5 MB. Only the neighbour you help sees it. We keep no place or camera."),
            types: ["image/jpeg", "image/png", "image/webp", "application/pdf"],
            submit: "<button>\(words("보여 주기", "Show it"))</button>")
    }

    /// The list of the path, for its owner or its helper.
    private static func visible(_ visit: PageVisit) async throws -> ShoppingListView {
        let (garden, id) = (try await visit.ask.garden(), try visit.listID())
        do {
            return try await garden.shoppingList(id)
        } catch CareError.notFound(.list) {
            return try await garden.errands.list(id)
        }
    }

    /// The helper marks entries with a button each.
    private static func entries(_ view: ShoppingListView, _ visit: PageVisit) -> Markup {
        let (words, isHelping) = (visit.words, view.role == .helper && view.state == .accepted)
        let rows = view.list.entries.enumerated().map { index, entry -> Markup in
            let name: Markup = """
                <span class="who"><strong><bdi>\(entry.name.description)</bdi></strong>\
                <span><bdi>\(entry.quantity?.description ?? "")</bdi></span></span>
                """
            let bought: Markup =
                entry.isBought
                ? "<span class=\"due thriving\">\(Picture.icon("check"))\(words("샀어요", "bought"))</span>" : ""
            guard isHelping else { return "<li><div class=\"entry\">\(name)\(bought)</div></li>\n" }
            let label = entry.isBought ? words("안 샀어요", "Not bought") : words("샀어요", "Bought")
            return """
                <li><div class="entry">\(name)\(bought)</div>\(FormFields(visit: visit).form(
                    "\(view.path)/bought",
                    """
                    \(FormFields.hidden("number", String(index + 1)))\
                    \(FormFields.hidden("bought", entry.isBought ? "false" : "true"))\
                    <button class="plain">\(Picture.icon(entry.isBought ? "later" : "check"))\
                    <span class="heard">\(label): \(entry.name.description)</span></button>
                    """))</li>

                """
        }
        return rows.isEmpty ? "" : "<ul class=\"things\">\n\(rows)</ul>\n"
    }

    private static func facts(_ view: ShoppingListView, _ words: Words) -> [Markup] {
        var facts: [(String, String)] = []
        if let owner = view.ownerNickname { facts.append((words("부탁한 이웃", "For"), owner.description)) }
        if let helper = view.stored.helper, view.role == .owner {
            let mean = helper.ratings.mean.map { words(", 평점 \($0)", ", rated \($0)") } ?? ""
            facts.append((words("장을 봐 주는 이웃", "Helper"), helper.nickname.description + mean))
        }
        if let end = view.list.expiresAt, !view.isOver {
            let today = view.clock.date(view.now)
            let day = words.fullDate(view.clock.date(end), today: today)
            facts.append((words("언제까지", "Until"), "\(day) \(view.clock.time(end))"))
        }
        if let note = view.list.deliveryNote {
            facts.append((words("놓아둘 곳", "Leave it"), note.description))
        }
        if let rating = view.list.rating { facts.append((words("준 점수", "Your rating"), "\(rating.points)")) }
        return facts.map { "<div><dt>\($0.0)</dt><dd><bdi>\($0.1)</bdi></dd></div>\n" }
    }

    private static func button(
        _ path: String, _ label: String, icon: String? = nil, isPrimary: Bool, _ visit: PageVisit
    )
        -> Markup
    {
        FormFields(visit: visit).form(
            path,
            FormFields.buttons(
                "<button class=\"\(isPrimary ? "primary" : "plain")\">\(icon.map(Picture.icon) ?? "")\(label)</button>")
        )
    }

    private static func ownersActions(_ view: ShoppingListView, _ visit: PageVisit) -> Markup {
        let (words, path) = (visit.words, view.path)
        let edit: Markup =
            "<div class=\"buttons\"><a class=\"button\" href=\"\(path)/edit\">\(Picture.icon("edit"))\(words("고치기", "Edit"))</a></div>\n"
        switch view.state {
        case .draft:
            return """
                \(button("\(path)/opening", words("이웃에게 올리기", "Show it to neighbours"), icon: "check", isPrimary: true, visit))\
                \(edit)\(button("\(path)/removal", words("지우기", "Delete"), icon: "trash", isPrimary: false, visit))
                """
        case .open:
            return "\(edit)\(button("\(path)/cancellation", words("취소하기", "Cancel it"), isPrimary: false, visit))"
        case .accepted:
            return """
                \(button("\(path)/cancellation", words("취소하기", "Cancel it"), isPrimary: false, visit))\
                \(others(view, visit))
                """
        case .delivered:
            return "\(view.list.rating == nil ? rating(view, visit) : "")\(others(view, visit))"
        case .expired, .cancelled: return view.stored.helper == nil ? "" : others(view, visit)
        }
    }

    private static func helpersActions(_ view: ShoppingListView, _ visit: PageVisit) -> Markup {
        let (words, path) = (visit.words, view.path)
        guard view.state == .accepted else { return others(view, visit) }
        return """
            \(button("\(path)/delivery", words("전해 주었어요", "Delivered"), icon: "check", isPrimary: true, visit))\
            \(button("\(path)/release", words("돌려주기", "Give it back"), icon: "later", isPrimary: false, visit))\
            \(others(view, visit))
            """
    }

    private static func rating(_ view: ShoppingListView, _ visit: PageVisit) -> Markup {
        let words = visit.words
        let choices = HelperRating.range.map { points -> Markup in
            "<button name=\"points\" value=\"\(points)\">\(points)</button>\n"
        }
        return FormFields(visit: visit).form(
            "\(view.path)/rating",
            """
            <fieldset>
            <legend>\(words("이웃에게 몇 점을 줄까요?", "How was your helper?"))</legend>
            <div class="buttons">
            \(choices)</div>
            </fieldset>
            """)
    }

    /// What anybody may do about the other person.
    private static func others(_ view: ShoppingListView, _ visit: PageVisit) -> Markup {
        let words = visit.words
        return """
            <details>
            <summary>\(words("문제가 있나요?", "Is something wrong?"))</summary>
            <div class="buttons">
            <a class="button plain" href="\(view.path)/report">\(words("운영자에게 알리기", "Tell the operator"))</a>
            </div>
            \(button("\(view.path)/block", words("차단하기", "Block this person"), isPrimary: false, visit))</details>

            """
    }

    private static func reporting(_ visit: PageVisit) async throws -> PageContent {
        let (words, view) = (visit.words, try await visible(visit))
        let form = FormFields(visit: visit).form(
            "\(view.path)/report",
            """
            \(FormFields(visit: visit).area(
                "reason", words("무엇이 잘못됐나요?", "What is wrong?"), value: "", limit: 500))\
            \(FormFields.buttons(FormFields.submit(words("보내기", "Send"))))
            """)
        return PageContent(
            words("운영자에게 알리기", "Tell the operator"), kind: "new", tab: .things,
            back: PageContent.Back(path: view.path, words: view.list.title.description),
            main: "<h1>\(words("운영자에게 알리기", "Tell the operator"))</h1>\n\(form)")
    }

    private static func report(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let list = try await visible(visit)
        try await visit.ask.garden().errands.report(list.list.id.description, reason: visit.form["reason"] ?? "")
        return .page("\(list.path)?done=reported")
    }
}

// MARK: - Nearby

/// Open lists of neighbours: a picture of how far away they are, and a list that says the same.
enum NearbyListsPage {
    static let pages = [GardenPage("/lists/nearby", shows: content)]
    private static let radii = [2, 6, 10, 20, 50]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let words = visit.words
        let radius = visit.query("radius").flatMap { Int($0) } ?? NeighbourRadius.usual.kilometres
        return PageContent(
            words("이웃의 목록", "Neighbours' lists"), kind: "lists", tab: .things,
            back: PageContent.Back(path: "/lists", words: words("장보기", "Shopping lists")),
            main: "<h1>\(words("이웃의 목록", "Neighbours' lists"))</h1>\n\(try await found(within: radius, visit))")
    }

    private static func found(within radius: Int, _ visit: PageVisit) async throws -> Markup {
        let words = visit.words
        let lists: [ErrandService.Nearby]
        do {
            lists = try await visit.ask.garden().errands.nearby(within: radius)
        } catch ShoppingListError.postcodeUnknown {
            return """
                <p>\(words(
                    "어디 사는지 몰라서 가까운 목록을 찾을 수 없어요. 프로필에 우편번호와 나라를 써 주세요.",
                    "Cherish does not know where you are. Write your postcode and country into your profile."))</p>
                <p><a class="button" href="/more/profile">\(words("프로필", "Profile"))</a></p>

                """
        }
        let chips = radii.map { kilometres -> Markup in
            let here: Markup = kilometres == radius ? " aria-current=\"true\"" : ""
            return
                "<li><a class=\"chip\" href=\"/lists/nearby?radius=\(String(kilometres))\"\(here)>\(String(kilometres)) km</a></li>\n"
        }
        let rows = lists.map { row($0, visit) }
        let none: Markup = """
            <p class="muted">\(words("가까운 곳에 열린 목록이 없어요.", "There is no open list near you."))</p>

            """
        return """
            <ul class="chips" aria-label="\(words("얼마나 멀리까지", "How far away"))">
            \(chips)</ul>
            \(rows.isEmpty ? none : "\(NeighbourMap.markup(lists, radius: radius, words))<ul class=\"things\">\n\(rows)</ul>\n")
            """
    }

    private static func row(_ nearby: ErrandService.Nearby, _ visit: PageVisit) -> Markup {
        let (words, list) = (visit.words, nearby.list)
        let hours = Int(nearby.now.duration(to: list.expiresAt) / .seconds(3600))
        let left =
            hours < 48
            ? words("\(hours)시간 남음", "\(hours) hours left") : words("\(hours / 24)일 남음", "\(hours / 24) days left")
        return """
            <li><div class="entry"><span class="who"><strong><bdi>\(list.ownerNickname.description)</bdi></strong>\
            <span>\(words.entries(list.entryCount)) · \(words("\(list.distance.kilometres) km 안", "less than \(list.distance.kilometres) km")) · \(left)</span></span></div>\
            \(FormFields(visit: visit).form(
                "/lists/\(list.id.description)/acceptance",
                """
                <button class="plain">\(words("맡기", "Accept"))\
                <span class="heard">: \(list.ownerNickname.description)</span></button>
                """))</li>

            """
    }
}

/// Distances as rings around the person, with a carrot for each list. A direction is not known: the carrots go round.
enum NeighbourMap {
    private static let outerRing = 140.0

    static func markup(_ lists: [ErrandService.Nearby], radius: Int, _ words: Words) -> Markup {
        let furthest = max(lists.map { $0.list.distance.kilometres }.max() ?? 2, 2)
        let scale = outerRing / Double(furthest)
        let step = furthest <= 10 ? 2 : furthest <= 20 ? 4 : 10
        let rings = stride(from: step, through: furthest, by: step).map { kilometres -> Markup in
            let length = Double(kilometres) * scale
            return """
                <circle class="ring" r="\(text(length))"/>\
                <text class="scale" y="\(text(length - 4))">\(String(kilometres)) km</text>

                """
        }
        let carrots = lists.enumerated().map { index, nearby -> Markup in
            // The golden angle keeps neighbours in the list apart.
            let (angle, distance) = (Double(index) * 2.399963, (Double(nearby.list.distance.kilometres) - 1) * scale)
            return """
                <g transform="translate(\(text(sin(angle) * distance)) \(text(-cos(angle) * distance)))">\
                <path class="leaves" d="M-5 -7Q-4 -14 0 -9Q4 -14 5 -7Z"/><path class="carrot" d="M-6 -7Q0 -10 6 -7L0 12Z"/></g>

                """
        }
        return """
            <svg class="place-map card" viewBox="-160 -160 320 320" role="img" \
            aria-label="\(words("가까운 목록까지의 거리; 방향은 뜻이 없어요", "How far away the lists are; the direction means nothing"))">
            \(rings)<circle class="here" r="6"/>
            \(carrots)</svg>

            """
    }

    private static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}

extension Form {
    /// A number that a button sends; 0 for anything else.
    fileprivate func number(_ name: String) -> Int { self[name].flatMap { Int($0) } ?? 0 }
}

extension PageVisit {
    /// The id of the list in the path.
    fileprivate func listID() throws -> String { try ask.id("list", of: .list) }
}

extension ShoppingListView {
    /// The path of its page.
    fileprivate var path: String { "/lists/\(list.id.description)" }

    fileprivate var isOver: Bool { [.delivered, .expired, .cancelled].contains(state) }
}

extension Words {
    fileprivate func entries(_ count: Int) -> String { self("\(count)가지", count == 1 ? "1 entry" : "\(count) entries") }

    fileprivate func state(_ state: ShoppingList.State) -> String {
        switch state {
        case .draft: self("쓰는 중", "draft")
        case .open: self("이웃이 볼 수 있어요", "open")
        case .accepted: self("이웃이 맡았어요", "accepted")
        case .delivered: self("받았어요", "delivered")
        case .expired: self("기한이 지났어요", "expired")
        case .cancelled: self("취소했어요", "cancelled")
        }
    }
}
