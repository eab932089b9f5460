import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup
import ThingFile

/// Recording a thing, and changing it. What most need is a title and a day; the rest waits behind *More*.
enum ThingFormPage {
    static let pages = [
        GardenPage("/things/new", shows: new, does: add),
        GardenPage("/things/{thing}/edit", shows: edit, does: change),
    ]

    private static func kind(_ visit: PageVisit) -> Thing.Kind {
        Thing.Kind(rawValue: visit.form["kind"] ?? visit.query("kind") ?? "") ?? .reminder
    }

    private static func new(_ visit: PageVisit) async throws -> PageContent {
        let (words, fields, kind) = (visit.words, FormFields(visit: visit), kind(visit))
        let garden = try await visit.ask.garden()
        let tags = try await garden.tags().map(\.tag)
        let form = fields.form(
            "/things/new",
            """
            \(FormFields.hidden("kind", kind.rawValue))\(title(fields, value: ""))\
            \(days(fields, kind, today: try await garden.today()))\
            \(FormFields.buttons(FormFields.submit(words("더하기", "Add"))))\
            <details\(visit.form.isEmpty ? "" : " open")>
            <summary>\(words("더 적기", "More"))</summary>
            \(details(fields, nil, kind))\(try await store(fields, kind, nil, garden))\(reminding(fields, nil, kind))\(ThingFormPage.tags(fields, tags, chosen: []))\
            \(FormFields.buttons(FormFields.submit(words("더하기", "Add"))))
            </details>
            """)
        let other = Thing.Kind.allCases.filter { $0 != kind }.map { other -> Markup in
            "<li><a class=\"chip\" href=\"/things/new?kind=\(other.rawValue)\">\(words.name(of: other))</a></li>\n"
        }
        return PageContent(
            words.name(of: kind), kind: "new", tab: .things,
            back: PageContent.Back(path: "/things", words: words("챙길 것", "Things")),
            main: """
                <h1>\(words.name(of: kind))</h1>
                \(form)<ul class="chips" aria-label="\(words("다른 종류", "Another kind"))">
                \(other)</ul>
                """)
    }

    private static func edit(_ visit: PageVisit) async throws -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let garden = try await visit.ask.garden()
        let view = try await garden.thing(try visit.thingID())
        let thing = view.thing
        let tags = try await garden.tags().map(\.tag)
        let form = fields.form(
            "\(view.path)/edit",
            """
            \(title(fields, value: thing.title.description))\
            \(fields.text(
                "due", words("기한", "Due day"), hint: words("내일, 3일 뒤, 다음 주 금요일처럼 써도 돼요.", "Or tomorrow, in 3 days, next Friday."),
                value: thing.due.day.description, attributes: " autocomplete=\"off\""))\
            \(details(fields, view, thing.kind))\(try await store(fields, thing.kind, thing, garden))\(reminding(fields, view, thing.kind))\
            \(ThingFormPage.tags(fields, tags, chosen: view.tags))\
            <div class="buttons">\(FormFields.submit(words("저장", "Save")))
            <a class="button" href="\(view.path)">\(words("취소", "Cancel"))</a></div>

            """)
        return PageContent(
            words("고치기", "Edit"), kind: "edit", tab: .things,
            back: PageContent.Back(path: view.path, words: thing.title.description),
            main: """
                <h1>\(words("<bdi>\(thing.title.description)</bdi> 고치기" as Markup, "Edit <bdi>\(thing.title.description)</bdi>"))</h1>
                \(form)
                """)
    }

    // MARK: Fields

    private static func title(_ fields: FormFields, value: String) -> Markup {
        fields.text(
            "title", fields.visit.words("제목", "Title"), value: value, limit: 100,
            attributes: " autocomplete=\"off\" maxlength=\"400\"")
    }

    /// Some days as tiles, each with its date, and a field for any other. Where a store may grant days, it may decide.
    private static func days(_ fields: FormFields, _ kind: Thing.Kind, today: CivilDay) -> Markup {
        let (visit, words) = (fields.visit, fields.visit.words)
        let choices = [
            (0, words("오늘", "Today")), (1, words("내일", "Tomorrow")), (3, words("3일 뒤", "In 3 days")),
            (7, words("일주일 뒤", "In a week")),
        ]
        let chosen = visit.shown("day", or: (today + 1).description)
        let tiles = choices.map { ahead, name -> Markup in
            let day = today + ahead
            let checked: Markup = chosen == day.description ? " checked" : ""
            return """
                <label class="tile"><input type="radio" name="day" value="\(day.description)"\(checked)>\
                <span>\(name)<small>\(words.fullDate(day, today: today))</small></span></label>

                """
        }
        let byStore: Markup =
            kind.hasStore
            ? """
            <label class="tile"><input type="radio" name="day" value=""\(chosen.isEmpty ? " checked" : "")>\
            <span>\(words("가게가 정한 날", "As the store says"))\
            <small>\(words("산 날과 가게를 적으면", "with the store and the day of purchase"))</small></span></label>

            """ : ""
        return """
            <fieldset>
            <legend>\(words("언제까지?", "Due when?"))</legend>
            <div class="tiles">
            \(tiles)\(byStore)</div>
            \(fields.text(
                "due", words("다른 날", "Another day"),
                hint: words("다음 주 금요일, 2주 뒤, 3월 5일처럼 쓰세요. 쓰면 위에서 고른 날 대신이에요.", "Next Friday, in 2 weeks, 5 March. It takes the place of the day above."),
                isOptional: true, attributes: " autocomplete=\"off\""))\
            </fieldset>

            """
    }

    private static func details(_ fields: FormFields, _ view: ThingView?, _ kind: Thing.Kind) -> Markup {
        let (words, thing) = (fields.visit.words, view?.thing)
        var markup: Markup = ""
        if kind.hasTime {
            markup = """
                \(markup)\(fields.text(
                    "dueTime", words("시각", "Time"), isOptional: true, value: thing?.due.time?.description ?? "",
                    attributes: " type=\"time\""))
                """
        }
        if kind == .food {
            markup = """
                \(markup)\(fields.text(
                    "category", words("분류", "Category"), isOptional: true, value: thing?.category?.description ?? "",
                    limit: 20, attributes: " autocomplete=\"off\""))
                """
        }
        if kind.hasPurchase {
            markup = """
                \(markup)\(fields.text(
                    "boughtOn", words("산 날", "Bought on"), isOptional: true, value: thing?.boughtOn?.description ?? "",
                    attributes: " type=\"date\""))
                """
        }
        if kind.hasStore {
            markup = """
                \(markup)\(fields.text(
                    "orderNumber", words("주문 번호", "Order number"), isOptional: true,
                    value: thing?.orderNumber?.description ?? "", limit: 60, attributes: " autocomplete=\"off\""))
                """
        }
        return """
            \(markup)\(fields.area(
                "note", words("메모", "Note"), value: thing?.note?.description ?? "", limit: 1_000))
            """
    }

    /// A store of the catalogue, by its name.
    private static func store(_ fields: FormFields, _ kind: Thing.Kind, _ thing: Thing?, _ garden: GardenService)
        async throws -> Markup
    {
        guard kind.hasStore else { return "" }
        let words = fields.visit.words
        let known = try await garden.stores()
        let name =
            if let thing { try await garden.store(of: thing)?.name.description } else { fields.visit.query("store") }
        if known.isEmpty, name == nil { return "" }
        let options = known.prefix(mostOffered).map { "<option value=\"\($0.name.description)\">\n" as Markup }
        return """
            \(fields.text(
                "store", words("가게", "Store"), isOptional: true, value: name ?? "",
                attributes: " list=\"stores\" autocomplete=\"off\""))\
            <datalist id="stores">
            \(options)</datalist>
            <p><a class="chip" href="/stores">\(words("가게 찾아보기", "Find a store"))</a></p>

            """
    }

    /// Browsers offer these while somebody types; the page of stores finds the others.
    private static let mostOffered = 200

    /// Alerts that most people want; those that a thing has besides are offered, too.
    private static func reminding(_ fields: FormFields, _ view: ThingView?, _ kind: Thing.Kind) -> Markup {
        let (words, thing) = (fields.visit.words, view?.thing)
        let usual: [ThingAlert] =
            [7, 3, 1, 0].map { .daysBefore($0, at: ThingAlert.usualTime) }
            + (kind.hasTime ? [60, 30, 0].map { .minutesBefore($0) } : [])
        let chosen = thing?.chosenAlerts ?? []
        let offered = usual + chosen.filter { !usual.contains($0) }
        let boxes = offered.map { alert in
            fields.box(
                "alerts", "\(words.text(alert))", isTicked: chosen.contains(alert), value: alert.description)
        }
        let mode = thing.map { $0.chosenAlerts == nil ? "usual" : $0.chosenAlerts == [] ? "none" : "chosen" } ?? "usual"
        let repetitions = AlertRepetition.allCases.map { ($0.rawValue, words.name(of: $0)) }
        let recurrence = thing?.recurrence
        let units =
            [("", words("되풀이하지 않음", "never"))] + Recurrence.Unit.allCases.map { ($0.rawValue, words.name(of: $0)) }
        return """
            <fieldset>
            <legend>\(words("알림", "Alerts"))</legend>
            \(fields.select(
                "alertMode", words("언제 알릴까요?", "When to remind"), value: mode,
                options: [
                    ("usual", words("알아서", "as usual")), ("chosen", words("아래에서 골라서", "as chosen below")),
                    ("none", words("알리지 않기", "never")),
                ]))\
            <div id="alerts">\(boxes)</div>
            \(fields.select(
                "notice", words("마지막 알림 뒤에", "After the last alert"), value: thing?.repetition.rawValue ?? "once",
                options: repetitions))\
            \(fields.box(
                "pushesEnabled", "\(words("이것의 알림 받기", "Pushes about this"))", isTicked: thing?.pushesEnabled ?? true,
                isSwitch: true))\
            </fieldset>
            <fieldset>
            <legend>\(words("되풀이", "Comes back"))</legend>
            <div class="row">
            \(fields.text(
                "every", words("얼마마다", "Every"), isOptional: true, value: recurrence.map { String($0.every) } ?? "",
                attributes: " type=\"number\" inputmode=\"numeric\" min=\"1\" max=\"99\""))\
            \(fields.select("unit", words("단위", "Unit"), value: recurrence?.unit.rawValue ?? "", options: units))\
            </div>
            \(fields.select(
                "base", words("무엇부터 셀까요?", "Counted from"), value: recurrence?.base.rawValue ?? "due",
                options: [("due", words("기한", "its due day")), ("completion", words("끝낸 날", "the day it is done"))]))\
            \(fields.text(
                "until", words("마지막 날", "Last day"), isOptional: true, value: recurrence?.until?.description ?? "",
                attributes: " type=\"date\""))\
            </fieldset>

            """
    }

    private static func tags(_ fields: FormFields, _ tags: [Tag], chosen: [Tag]) -> Markup {
        if tags.isEmpty { return "" }
        let boxes = tags.map { tag in
            fields.box(
                "tags", "<bdi>\(tag.name.description)</bdi>", isTicked: chosen.contains { $0.id == tag.id },
                value: tag.name.description)
        }
        return """
            <fieldset>
            <legend>\(fields.visit.words("태그", "Tags"))</legend>
            \(boxes)</fieldset>

            """
    }

    // MARK: Forms

    private static func add(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (form, kind, garden) = (visit.form, kind(visit), try await visit.ask.garden())
        var request = ThingRequest(kind: kind, title: form["title"] ?? "")
        request.dueOn = try await dueDay(visit, garden)
        request.time = form.written("dueTime")
        request.note = form.written("note")
        request.category = form.written("category")
        request.boughtOn = try day(form, "boughtOn")
        request.orderNumber = form.written("orderNumber")
        if kind.hasStore { request.store = form.written("store") }
        request.alerts = try alerts(form)
        request.repetition = form["notice"].flatMap { AlertRepetition(rawValue: $0) } ?? .once
        request.recurrence = try recurrence(form)
        request.pushesEnabled = form["pushesEnabled"] == "true"
        request.tags = form.all("tags")
        let view = try await garden.recordThing(request)
        return .page("/things?done=added&thing=\(view.thing.id.description)")
    }

    private static func change(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (form, garden) = (visit.form, try await visit.ask.garden())
        let before = try await garden.thing(try visit.thingID())
        let kind = before.thing.kind
        var request = ThingEditRequest()
        request.title = form["title"] ?? ""
        request.dueOn = try await dueDay(visit, garden)
        if kind.hasTime { request.time = form["dueTime"] ?? "" }
        request.note = form["note"] ?? ""
        if kind == .food { request.category = form["category"] ?? "" }
        if kind.hasPurchase { request.boughtOn = .some(try day(form, "boughtOn")) }
        if kind.hasStore {
            request.orderNumber = form["orderNumber"] ?? ""
            request.store = try await store(form, before.thing, garden)
        }
        request.alerts = .some(try alerts(form))
        request.repetition = form["notice"].flatMap { AlertRepetition(rawValue: $0) }
        request.recurrence = .some(try recurrence(form))
        request.pushesEnabled = form["pushesEnabled"] == "true"
        let (had, wanted) = (before.tags.map(\.name.description), form.all("tags"))
        request.addedTags = wanted.filter { !had.contains($0) }
        request.removedTags = had.filter { !wanted.contains($0) }
        return .page("\(try await garden.editThing(before.thing.id.description, request).path)?done=saved")
    }

    /// The store that was written. One that stays as it was is not looked for by its name, which several countries may
    /// have.
    private static func store(_ form: Form, _ thing: Thing, _ garden: GardenService) async throws -> String? {
        let written = form.written("store")
        return try await garden.store(of: thing)?.name.description == written ? nil : written ?? ""
    }

    /// The day that was written, or else the one that was tapped.
    private static func dueDay(_ visit: PageVisit, _ garden: GardenService) async throws -> CivilDay? {
        guard let text = visit.form.written("due") else { return try day(visit.form, "day") }
        guard let day = DayWords(today: try await garden.today()).day(text) else { throw ThingError.unreadableDay }
        return day
    }

    private static func day(_ form: Form, _ name: String) throws(ThingError) -> CivilDay? {
        guard let text = form.written(name) else { return nil }
        guard let day = CivilDay(text) else { throw .unreadableDay }
        return day
    }

    /// nil for those of rule 10.4.
    private static func alerts(_ form: Form) throws(ThingError) -> [ThingAlert]? {
        switch form["alertMode"] {
        case "none": return []
        case "chosen":
            var alerts: [ThingAlert] = []
            for text in form.all("alerts") { alerts.append(try ThingAlert(text)) }
            return alerts
        default: return nil
        }
    }

    private static func recurrence(_ form: Form) throws -> Recurrence? {
        guard let unit = form["unit"].flatMap({ Recurrence.Unit(rawValue: $0) }) else { return nil }
        let every = form.written("every").map { Int($0) ?? 0 } ?? 1
        return try Recurrence(
            every: every, unit, from: form["base"].flatMap { Recurrence.Base(rawValue: $0) } ?? .due,
            until: try day(form, "until"))
    }
}
