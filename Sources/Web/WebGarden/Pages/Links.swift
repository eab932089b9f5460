import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// Links to a reminder (rule 10.12): the account makes and withdraws them, and whoever has one sees the reminder.
enum SharePage {
    static let pages = [
        GardenPage("/things/{thing}/shares", shows: { try await content($0) }, does: make),
        GardenPage("/things/{thing}/shares/{share}/removal", does: withdraw),
        GardenPage("/shared/{share}", for: .anybody, shows: shared, does: copy),
    ]

    static func link(_ view: ThingView, _ words: Words) -> Markup {
        "<a class=\"button\" href=\"\(view.path)/shares\">\(Picture.icon("export"))\(words("공유하기", "Share"))</a>\n"
    }

    private static func content(_ visit: PageVisit, new: NewLink<ThingShare>? = nil) async throws -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let garden = try await visit.ask.garden()
        let view = try await garden.thing(try visit.thingID())
        let shares = try await garden.shares(of: view.thing.id.description)
        let rows = shares.map { share -> Markup in
            let end = words.fullDate(view.clock.date(share.expiresAt), today: view.today)
            let form = fields.form(
                "\(view.path)/shares/\(share.id.description)/removal", "<button>\(words("거두기", "Withdraw"))</button>")
            return """
                <li><div><span class="label">\(words("\(end)까지", "until \(end)")), \(view.clock.time(share.expiresAt).description)</span>
                \(form)</div></li>

                """
        }
        let making: Markup = """
            <form method="post" action="\(view.path)/shares" data-once>
            \(fields.select(
                "days", words("며칠 동안?", "For how long?"), value: String(ThingShare.usualDays),
                options: [1, 3, 7, 14, 30].map { (String($0), words.days($0)) }))\
            \(FormFields.buttons(FormFields.submit(words("링크 만들기", "Make a link"))))</form>

            """
        var content = PageContent(
            words("공유하기", "Share"), kind: "share", tab: .things,
            back: PageContent.Back(path: view.path, words: view.thing.title.description),
            main: """
                <h1>\(words("공유하기", "Share"))</h1>
                \(new.map { NewLinkField.markup(visit.ask.origin + $0.path, fields) } ?? "")\
                <p>\(words(
                    "링크를 가진 사람은 제목, 메모, 기한을 보고 자기 할 일로 가져갈 수 있어요. 누구의 것인지는 보이지 않아요.",
                    "Whoever has the link sees title, note and due day, and may copy them. It does not tell whose they are."))</p>
                \(making)<ul class="links">
                \(rows)</ul>
                """)
        if visit.query("done") == "withdrawn" {
            content.notice = "<p>\(words("거두었어요.", "It has been withdrawn."))</p>"
        }
        return content
    }

    /// The token is in no answer that is kept, so the form carries nothing that repeats it.
    private static func make(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let days = visit.form["days"].flatMap { Int($0) } ?? ThingShare.usualDays
        let new = try await visit.ask.garden().shareThing(try visit.thingID(), days: days)
        return .shown(try await content(visit, new: new))
    }

    private static func withdraw(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        try await visit.ask.garden().withdrawShare(try visit.ask.id("share", of: .share))
        return .page("/things/\(try visit.thingID())/shares?done=withdrawn")
    }

    // MARK: Whoever has a link

    private static func shared(_ visit: PageVisit) async throws -> PageContent {
        let (words, token) = (visit.words, visit.ask.parameters["share"] ?? "")
        let thing = try await visit.ask.services.care.sharedThing(token)
        let path = "/shared/\(token.percentEncoded)"
        let today = CivilDay(daysSinceEpoch: 0)
        let day = words.fullDate(thing.due.day, today: today)
        let due = thing.due.time.map { words("\(day) \($0)", "\(day), \($0)") } ?? day
        let action: Markup =
            visit.account == nil
            ? """
            <p><a class="button primary" href="/sign-in?next=\(path.percentEncoded)">\
            \(words("로그인해서 가져오기", "Sign in to copy it"))</a></p>
            """
            : FormFields(visit: visit).form(
                path, FormFields.buttons(FormFields.submit(words("내 할 일로 가져오기", "Copy it to my reminders"))))
        var content = PageContent(
            thing.title.description, kind: "shared", tab: visit.account == nil ? nil : .things,
            main: """
                <h1><bdi>\(thing.title.description)</bdi></h1>
                <p>\(due)</p>
                \(thing.note.map { note -> Markup in "<p><bdi>\(note.description)</bdi></p>\n" } ?? "")\(action)
                """)
        content.isSecret = true
        return content
    }

    private static func copy(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let view = try await visit.ask.garden().copySharedThing(visit.ask.parameters["share"] ?? "")
        return .page("/things?done=added&thing=\(view.thing.id.description)")
    }
}

/// Links by which other programs read the account's calendar.
enum FeedPage {
    static let pages = [
        GardenPage("/more/feeds", shows: { try await content($0) }, does: make),
        GardenPage("/more/feeds/{feed}/removal", does: remove),
    ]

    private static func content(_ visit: PageVisit, new: NewLink<CalendarFeed>? = nil) async throws -> PageContent {
        let (words, fields, account) = (visit.words, FormFields(visit: visit), try visit.signedIn())
        let (care, feeds) = (visit.ask.services.care, try await visit.ask.garden().feeds())
        let today = try care.day(of: try await care.now(), for: account)
        let rows = try feeds.map { feed -> Markup in
            let made = words.fullDate(try care.day(of: feed.createdAt, for: account), today: today)
            let form = fields.form(
                "/more/feeds/\(feed.id.description)/removal", "<button>\(words("거두기", "Withdraw"))</button>")
            return """
                <li><div><span class="label">\(words("\(made)에 만든 링크", "made on \(made)"))</span>
                \(form)</div></li>

                """
        }
        return SettingsPage.content(
            words("달력 구독", "Calendar feed"), visit,
            done: [
                "withdrawn": words("거두었어요. 이제 그 링크로는 볼 수 없어요.", "It has been withdrawn, and shows nothing any more.")
            ],
            main: """
                \(new.map { NewLinkField.markup(visit.ask.origin + $0.path, fields) } ?? "")\
                <p>\(words(
                    "다른 달력 앱에서 “URL로 구독”을 고르고 링크를 붙여 넣으면, 식물의 D-day, 생일, 챙길 것이 보여요. 링크를 가진 사람은 누구나 볼 수 있으니 조심하세요.",
                    "Subscribe to the link in another calendar app (“add by URL”): it shows D-days, birthdays and things. Anybody who has the link can read them."))</p>
                <form method="post" action="/more/feeds" data-once>
                \(FormFields.buttons(FormFields.submit(words("링크 만들기", "Make a link"))))</form>
                <ul class="links">
                \(rows)</ul>
                """)
    }

    private static func make(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        .shown(try await content(visit, new: try await visit.ask.garden().addFeed()))
    }

    private static func remove(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        try await visit.ask.garden().removeFeed(try visit.ask.id("feed", of: .feed))
        return .page("/more/feeds?done=withdrawn")
    }
}

/// A link that is shown this once, to be copied.
enum NewLinkField {
    static func markup(_ url: String, _ fields: FormFields) -> Markup {
        let words = fields.visit.words
        return """
            <div class="notice" role="status"><p><label for="link">\(words(
                "링크를 지금 복사해 두세요. 다시 볼 수 없어요.", "Copy the link now. It is not shown again."))</label></p>
            <p><input id="link" readonly value="\(url)"></p></div>

            """
    }
}
