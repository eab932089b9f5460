import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// Contact with a friend, and its record (rule 3). Nothing is recorded by itself: the person says that it came about.
enum WaterPage {
    static let pages = [
        GardenPage(
            "/plants/{plant}/water",
            shows: { visit in
                try await content(visit, try await visit.ask.garden().friend(visit.plantID()).view)
            }, does: water)
    ]

    static func content(_ visit: PageVisit, _ view: PlantView) async throws -> PageContent {
        let words = visit.words
        return PageContent(
            words("물 주기", "Water"), kind: "water", tab: .garden,
            back: PageContent.Back(path: view.gardenPath, words: words("정원", "Garden")),
            main: """
                \(FriendHeading.markup(words("\(view.nickname) 물 주기" as Markup, "Water \(view.nickname)"), view, words))\
                <section aria-labelledby="contact-title">
                <h2 id="contact-title">\(words("안부를 전해요", "Say hello"))</h2>
                <ul class="tiles">
                \(contacts(view, words))</ul>
                </section>
                \(FormFields(visit: visit).form("\(view.path)/water", attributes: visit.form.isEmpty ? " data-reached" : "", record(view, visit)))
                """)
    }

    private static func contacts(_ view: PlantView, _ words: Words) -> [Markup] {
        let phone = view.plant.phone.description
        func link(_ address: String, _ method: ContactMethod, _ icon: String) -> Markup {
            """
            <li><a class="tile" href="\(address)" data-contact="\(method.rawValue)">\(Picture.icon(icon))\
            \(words.name(of: method))</a></li>

            """
        }
        func button(_ method: ContactMethod, _ icon: String) -> Markup {
            """
            <li><button type="button" class="tile" data-contact="\(method.rawValue)">\(Picture.icon(icon))\
            \(words.name(of: method))</button></li>

            """
        }
        // No message has a text: only this form of the link is understood everywhere.
        return [
            link("tel:\(phone)", .call, "call"), link("sms:\(phone)", .message, "message"),
            link("kakaotalk://launch", .kakaotalk, "message"), button(.video, "video"), button(.inPerson, "person"),
            button(.other, "more"),
        ]
    }

    private static func record(_ view: PlantView, _ visit: PageVisit) -> Markup {
        let words = visit.words
        let methods = ContactMethod.allCases.map { method -> Markup in
            let checked: Markup = visit.form["method"] == method.rawValue ? " checked" : ""
            return """
                <label class="tile"><input type="radio" name="method" value="\(method.rawValue)"\(checked) required>\
                <span>\(words.name(of: method))</span></label>

                """
        }
        let today = view.today
        // Up to seven days back, and not before the registration (rule 3.4).
        let days = (0...7).map { today + -$0 }.filter { $0 >= view.plant.plantedOn }
        let day = FormFields(visit: visit).select(
            "wateredOn", words("날짜", "The day"), value: today.description,
            options: days.map { ($0.description, words.namedDate($0, today: today)) })
        return """
            \(FormFields.fact)\
            <h2 id="reached-title" tabindex="-1">\(words("연락이 닿았나요?", "Did you reach them?"))</h2>
            <p class="hint">\(words("그렇다고 하기 전에는 아무것도 기록하지 않아요.", "Nothing is recorded until you say so."))</p>
            <fieldset id="methods" tabindex="-1">
            <legend>\(words("방법", "How"))</legend>
            <div class="tiles">
            \(methods)</div>
            </fieldset>
            <details>
            <summary>\(words("다른 날이었어요", "It was on another day"))</summary>
            \(day)</details>
            <div class="buttons">\(FormFields.submit(words("네, 이야기했어요", "Yes, we talked"), icon: "check"))
            <a class="button" href="\(view.gardenPath)">\(words("이번에는 아니에요", "Not this time"))</a></div>

            """
    }

    private static func water(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (id, form) = (try visit.plantID(), visit.form)
        guard let method = form["method"].flatMap({ ContactMethod(rawValue: $0) }) else {
            throw PageProblem.methodMissing
        }
        var request = ContactRequest(method: method)
        request.day = form["wateredOn"].flatMap { CivilDay($0) }
        request.fact = visit.fact
        let watered = try await visit.ask.garden().water(id, request)
        let (day, points) = (watered.recorded.watering.wateredOn, watered.recorded.pointsGained)
        return .page("/plants/\(id)/review/\(day)?points=\(points)")
    }
}

/// The review of a watering (rule 5): keywords and a memo. Later, and no review at all, are equal choices.
enum ReviewPage {
    static let pages = [
        GardenPage("/plants/{plant}/review", shows: newest),
        GardenPage("/plants/{plant}/review/{day}", shows: content, does: write),
        GardenPage("/plants/{plant}/review/{day}/declination", does: decline),
        GardenPage("/plants/{plant}/review/{day}/deletion", does: delete),
    ]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        try await content(visit, try visit.plantID(), try visit.ask.day("day"))
    }

    private static func content(_ visit: PageVisit, _ id: String, _ day: CivilDay) async throws -> PageContent {
        let words = visit.words
        let garden = try await visit.ask.garden()
        let view = try await garden.friend(id).view
        // Of several waterings of a day, the newest is meant (rule 3.5).
        let watering = try await garden.calendar(id, from: day, to: day).days.last { $0.kind == .watered }?.watering
        guard let watering else { throw CareError.notFound(.watering) }
        let path = "\(view.path)/review/\(day)"
        let isNew = points(visit) != nil
        let back = isNew ? after(view.gardenPath, visit) : "\(view.path)"
        let heading = FriendHeading.markup(
            words("\(view.nickname), 어땠나요?" as Markup, "How was it with \(view.nickname)?"), view, words,
            below:
                "<p class=\"muted\">\(words.name(of: watering.method)), \(words.fullDate(day, today: view.today))</p>")
        return PageContent(
            words("리뷰", "Review"), kind: "review", tab: .garden,
            back: PageContent.Back(path: back, words: isNew ? words("정원", "Garden") : view.plant.nickname.description),
            main: """
                \(heading)\(FormFields(visit: visit).form(
                    path, attributes: " data-keep=\"review-\(id)-\(day.description)\"", form(watering, path, back, visit, isNew: isNew)))
                """)
    }

    /// Where a push about a missing review leads: the newest watering.
    private static func newest(_ visit: PageVisit) async throws -> PageContent {
        let (id, garden) = (try visit.plantID(), try await visit.ask.garden())
        guard let day = try await garden.friend(id).view.plant.lastWateredOn else {
            throw CareError.notFound(.watering)
        }
        return try await content(visit, id, day)
    }

    /// The points of a watering that was just recorded; nil for a review that is edited.
    private static func points(_ visit: PageVisit) -> String? {
        visit.form.isEmpty ? visit.query("points") : visit.form["points"]
    }

    /// The garden in which the plant drinks.
    private static func after(_ gardenPath: String, _ visit: PageVisit) -> String {
        let points = points(visit).flatMap { Int($0) } ?? 0
        return "\(gardenPath)&done=watered&points=\(points)"
    }

    private static func form(
        _ watering: Watering, _ path: String, _ back: String, _ visit: PageVisit, isNew: Bool
    ) -> Markup {
        let (words, fields, review) = (visit.words, FormFields(visit: visit), watering.review)
        let sent = visit.form.all("keywords")
        let keywords = (1...3).map { number -> Markup in
            let known = visit.form.isEmpty ? review?.keywords ?? [] : sent
            return fields.keyword(number, value: known.count >= number ? known[number - 1] : "")
        }
        let other: Markup =
            review == nil
            ? """
            <button formaction="\(path)/declination" formnovalidate>\(words("리뷰 안 쓰기", "No review"))</button>
            """
            : "<button formaction=\"\(path)/deletion\" formnovalidate>\(words("리뷰 지우기", "Delete the review"))</button>"
        return """
            \(isNew ? FormFields.hidden("points", points(visit) ?? "") : "")<fieldset>
            <legend>\(words("무슨 이야기를 나눴나요?", "What did you talk about?"))</legend>
            <div class="keywords">
            \(keywords)</div>
            </fieldset>
            \(fields.area(
                "memo", words("메모", "Memo"),
                hint: words("다음에 이야기할 때를 위해서예요. 나만 볼 수 있어요.", "For the next time you talk. Only you see it."),
                value: review?.memo ?? "", limit: 100))
            <div class="stack">
            <div class="buttons">\(FormFields.submit(words("저장", "Save")))</div>
            <div class="equal"><a class="button" href="\(back)">\(words("나중에", "Later"))</a>\(other)</div>
            </div>

            """
    }

    private static func write(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (id, day) = (try visit.plantID(), try visit.ask.day("day"))
        let keywords = visit.form.all("keywords").filter { !$0.allSatisfy(\.isWhitespace) }
        let written = try await visit.ask.garden().rewriteReview(
            id, on: day, keywords: keywords, memo: visit.form.written("memo"))
        return .page(done(visit, id, day, points: written.recorded.pointsGained))
    }

    private static func decline(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (id, day) = (try visit.plantID(), try visit.ask.day("day"))
        let declined = try await visit.ask.garden().declineReview(id, on: day)
        return .page(done(visit, id, day, points: declined.recorded.pointsGained))
    }

    private static func delete(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (id, day) = (try visit.plantID(), try visit.ask.day("day"))
        _ = try await visit.ask.garden().deleteReview(id, on: day)
        return .page("/plants/\(id)/calendar?month=\(day.description.prefix(7))")
    }

    /// The garden with the motion after a watering, or the calendar from which a review was edited.
    private static func done(_ visit: PageVisit, _ id: String, _ day: CivilDay, points: Int) -> String {
        let kept = "kept=review-\(id)-\(day)"
        return visit.form["points"] == nil
            ? "/plants/\(id)/calendar?month=\(day.description.prefix(7))&\(kept)"
            : "/?plant=\(id)&done=watered&points=\(points)&\(kept)"
    }
}

extension FormFields {
    /// One of the keywords of a review, at most five characters long.
    fileprivate func keyword(_ number: Int, value: String) -> Markup {
        let name = "keyword-\(number)"
        let wrong = visit.problem.flatMap { FieldOfProblem.name($0.code) == name ? $0 : nil }
        let invalid: Markup = wrong == nil ? "" : " aria-invalid=\"true\""
        return """
            <div class="field">
            <label for="\(name)">\(visit.words("키워드 \(number)", "Keyword \(number)"))</label>
            <input id="\(name)" name="keywords" autocomplete="off" enterkeyhint="next" data-count="5" value="\(value)"\
            \(invalid) aria-describedby="\(name)-count">
            <span class="count" id="\(name)-count" aria-live="polite">\(value.visibleCount)/5</span>
            </div>

            """
    }
}
