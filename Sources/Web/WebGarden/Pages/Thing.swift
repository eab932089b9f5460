import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// One thing, and deleting it.
enum ThingPage {
    static let pages = [
        GardenPage("/things/{thing}", shows: content),
        GardenPage("/things/{thing}/favourite", does: mark),
        GardenPage("/things/{thing}/removal", shows: removal, does: remove),
    ]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (words, garden) = (visit.words, try await visit.ask.garden())
        let view = try await garden.thing(try visit.thingID())
        let (thing, store) = (view.thing, try await garden.store(of: view.thing))
        let tags: Markup =
            view.tags.isEmpty
            ? ""
            : """
            <ul class="chips">
            \(view.tags.map { tag -> Markup in
                "<li class=\"chip\">\(Picture.dot(tag.colour))<bdi>\(tag.name.description)</bdi></li>\n"
            })</ul>

            """
        var content = PageContent(
            thing.title.description, kind: "thing", tab: .things,
            back: PageContent.Back(path: "/things", words: words("챙길 것", "Things")),
            main: """
                <div class="heading">
                <h1><bdi>\(thing.title.description)</bdi></h1>
                \(star(view, visit))</div>
                <p>\(StateLabel.markup(view, words))</p>
                \(actions(view, visit))\(thing.note.map { note -> Markup in "<p><bdi>\(note.description)</bdi></p>\n" } ?? "")\
                <dl class="facts card">
                \(facts(view, words))\(store.map { Self.store($0, words) } ?? "")</dl>
                \(tags)<div class="buttons">
                <a class="button" href="\(view.path)/edit">\(Picture.icon("edit"))\(words("고치기", "Edit"))</a>
                \(thing.kind == .reminder && !thing.isDone ? SharePage.link(view, words) : "")\
                <a class="button plain" href="\(view.path)/removal">\(Picture.icon("trash"))\(words("지우기", "Delete"))</a>
                </div>
                """)
        content.isKept = true
        if visit.query("done") == "saved" {
            content.notice = "<p>\(words("저장했어요.", "Saved.")) \(words.due(view))</p>"
        }
        return content
    }

    private static func star(_ view: ThingView, _ visit: PageVisit) -> Markup {
        let isFavourite = view.thing.isFavourite
        return """
            <form class="star" method="post" action="\(view.path)/favourite" data-once>\
            <button name="favourite" value="\(isFavourite ? "false" : "true")" aria-pressed="\(isFavourite ? "true" : "false")">\
            \(Picture.icon(isFavourite ? "star-filled" : "star"))\
            <span class="heard">\(visit.words("즐겨찾기", "Favourite"))</span></button></form>

            """
    }

    private static func actions(_ view: ThingView, _ visit: PageVisit) -> Markup {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        if view.thing.isDone {
            return fields.form(
                "\(view.path)/reopening", FormFields.buttons(FormFields.submit(words("다시 열기", "Reopen"), icon: "later"))
            )
        }
        guard view.thing.kind == .food else {
            return fields.form(
                "\(view.path)/completion",
                """
                \(FormFields.fact)\(FormFields.buttons(FormFields.submit(words("끝냈어요", "Done"), icon: "check")))
                """)
        }
        return fields.form(
            "\(view.path)/completion",
            """
            \(FormFields.fact)<div class="buttons">
            <button class="primary" name="as" value="eaten">\(Picture.icon("check"))\(words("먹었어요", "Eaten"))</button>
            <button name="as" value="thrown_away">\(Picture.icon("trash"))\(words("버렸어요", "Thrown away"))</button>
            </div>
            """)
    }

    private static func facts(_ view: ThingView, _ words: Words) -> [Markup] {
        let thing = view.thing
        func date(_ day: CivilDay) -> String { words.fullDate(day, today: view.today) }
        var facts = [
            (words("종류", "Kind"), words.name(of: thing.kind)), (words("기한", "Due"), words.due(view)),
        ]
        if let end = thing.end { facts.append((words("끝낸 날", "Done on"), date(end.completedOn))) }
        if let category = thing.category { facts.append((words("분류", "Category"), category.description)) }
        if let boughtOn = thing.boughtOn { facts.append((words("산 날", "Bought"), date(boughtOn))) }
        if let number = thing.orderNumber { facts.append((words("주문 번호", "Order number"), number.description)) }
        if let recurrence = thing.recurrence {
            facts.append((words("되풀이", "Comes back"), words.text(recurrence, today: view.today)))
        }
        facts.append((words("알림", "Alerts"), alerts(view, words)))
        if let next = view.nextAlertAt {
            let (day, time) = (view.clock.date(next), view.clock.time(next))
            facts.append((words("다음 알림", "Next alert"), "\(date(day)) \(time)"))
        }
        return facts.map { "<div><dt>\($0.0)</dt><dd><bdi>\($0.1)</bdi></dd></div>\n" }
    }

    private static func store(_ store: Store, _ words: Words) -> Markup {
        """
        <div><dt>\(words("가게", "Store"))</dt><dd><a href="/stores/\(store.id.description)">\
        <bdi>\(store.name.description)</bdi></a></dd></div>

        """
    }

    private static func alerts(_ view: ThingView, _ words: Words) -> String {
        let thing = view.thing
        guard thing.pushesEnabled else { return words("꺼짐", "off") }
        let alerts = thing.alerts(view.warningDays).map { words.text($0) }
        if alerts.isEmpty { return words("없음", "none") }
        let repetition =
            thing.repetition == .once
            ? "" : words(", 그다음 \(words.name(of: thing.repetition))", ", then \(words.name(of: thing.repetition))")
        return alerts.joined(separator: ", ") + repetition
    }

    private static func mark(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        var edit = ThingEditRequest()
        edit.isFavourite = visit.form["favourite"] == "true"
        return .page(try await visit.ask.garden().editThing(try visit.thingID(), edit).path)
    }

    private static func removal(_ visit: PageVisit) async throws -> PageContent {
        let (words, view) = (visit.words, try await visit.ask.garden().thing(try visit.thingID()))
        let form = FormFields(visit: visit).form(
            "\(view.path)/removal",
            """
            <div class="buttons">
            <button class="danger">\(Picture.icon("trash"))\(words("지우기", "Delete"))</button>
            <a class="button" href="\(view.path)">\(words("그대로 두기", "Keep"))</a>
            </div>
            """)
        return PageContent(
            words("지울까요?", "Delete it?"), kind: "thing", tab: .things,
            back: PageContent.Back(path: view.path, words: view.thing.title.description),
            main: """
                <h1>\(words("지울까요?", "Delete it?"))</h1>
                <p><bdi>\(view.thing.title.description)</bdi> · \(words.due(view))</p>
                <p>\(words("되돌릴 수 없어요.", "This cannot be undone."))</p>
                \(form)
                """)
    }

    private static func remove(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        _ = try await visit.ask.garden().removeThing(try visit.thingID())
        return .page("/things?done=removed")
    }
}

extension Words {
    /// `3 days before, 09:00`.
    func text(_ alert: ThingAlert) -> String {
        switch alert {
        case .daysBefore(0, let time): self("그날 \(time)", "on the day, \(time)")
        case .daysBefore(let count, let time): self("\(count)일 전 \(time)", "\(days(count)) before, \(time)")
        case .minutesBefore(0): self("제시간에", "at its time")
        case .minutesBefore(let minutes):
            minutes % 60 == 0
                ? self("\(minutes / 60)시간 전", "\(count(minutes / 60, "hour", "hours")) before")
                : self("\(minutes)분 전", "\(count(minutes, "minute", "minutes")) before")
        }
    }

    func name(of repetition: AlertRepetition) -> String {
        switch repetition {
        case .once: self("한 번만", "once")
        case .hourly: self("한 시간마다", "every hour")
        case .daily: self("날마다", "every day")
        case .weekly: self("한 주마다", "every week")
        }
    }

    func name(of unit: Recurrence.Unit) -> String {
        switch unit {
        case .days: self("일", "days")
        case .weeks: self("주", "weeks")
        case .months: self("개월", "months")
        case .years: self("년", "years")
        }
    }

    /// `every 2 weeks, from its due day`.
    func text(_ recurrence: Recurrence, today: CivilDay) -> String {
        let base =
            recurrence.base == .due ? self("기한부터", "from its due day") : self("끝낸 날부터", "from the day it is done")
        let until = recurrence.until.map { day in
            self(", \(fullDate(day, today: today))까지", ", until \(fullDate(day, today: today))")
        }
        return self(
            "\(base) \(recurrence.every)\(name(of: recurrence.unit))마다", "every \(recurrence.interval), \(base)")
            + (until ?? "")
    }
}
