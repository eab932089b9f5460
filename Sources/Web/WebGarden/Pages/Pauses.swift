import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup
import ThingFile

/// The pauses of the account, of tags and of friends (rule 13.1).
enum PausesPage {
    static let pages = [
        GardenPage("/more/pauses", shows: list, does: begin),
        GardenPage("/more/pauses/end", shows: list, does: endAll),
        GardenPage("/more/pauses/{pause}/end", shows: one, does: end),
    ]

    private static func list(_ visit: PageVisit) async throws -> PageContent {
        let words = visit.words
        let garden = try await visit.ask.garden()
        let (view, tags) = (try await garden.pauses(), try await garden.tags())
        let rows = view.current.map { row($0, view.today, visit) }
        let current: Markup =
            rows.isEmpty
            ? "<p class=\"muted\">\(words("지금은 쉬고 있지 않아요.", "Nothing is paused."))</p>\n"
            : "<ul class=\"cards\">\n\(rows)</ul>\n"
        return SettingsPage.content(
            words("쉬어 가기", "Pauses"), visit,
            done: [
                "begun": words("푹 쉬고 오세요. 그동안 아무도 시들지 않아요.", "Take your time. Nothing withers meanwhile."),
                "ended": words("다시 만나 반가워요.", "Good to have you back."),
            ],
            main: """
                <p>\(words(
                    "쉬는 동안에는 목마르거나 시드는 식물이 없고, 알림도 가지 않아요. 물 주는 날은 돌아오는 날로 옮겨져요.",
                    """
                    While you pause, no plant gets thirsty or withers, and no push is sent. What would be due is due on the \
                    day you are back.
                    """))</p>
                \(current)<section class="card" aria-labelledby="new-title">
                <h2 id="new-title">\(words("쉬는 날 정하기", "Take a break"))</h2>
                \(form(tags, view.today, visit))</section>
                """)
    }

    /// The list, for whoever comes back to a form that was refused.
    private static func one(_ visit: PageVisit) async throws -> PageContent {
        let id = try visit.ask.id("pause", of: .pause)
        let pauses = try await visit.ask.garden().pauses().pauses
        guard pauses.contains(where: { $0.pause.id.description == id.lowercased() }) else {
            throw CareError.notFound(.pause)
        }
        return try await list(visit)
    }

    private static func row(_ view: PauseView, _ today: CivilDay, _ visit: PageVisit) -> Markup {
        let (words, days) = (visit.words, view.pause.days)
        let whom: Markup =
            if let tag = view.tag {
                words("태그 <bdi>\(tag.description)</bdi>" as Markup, "Friends with <bdi>\(tag.description)</bdi>")
            } else if let friend = view.friend {
                "<bdi>\(friend.description)</bdi>"
            } else {
                words("정원 전체" as Markup, "The whole garden")
            }
        let span =
            days.lowerBound > today
            ? words(
                "\(words.date(days.lowerBound))부터 \(words.date(days.upperBound))까지",
                "from \(words.date(days.lowerBound)) to \(words.date(days.upperBound))")
            : back(after: days.upperBound, words)
        let button =
            days.lowerBound > today ? words("취소", "Cancel") : words("이제 돌아왔어요", "I am back")
        return """
            <li class="card"><p><strong>\(whom)</strong><br>\(span)</p>
            \(FormFields(visit: visit).form(
                "/more/pauses/\(view.pause.id.description)/end",
                "<div class=\"buttons\"><button>\(button)</button></div>"))</li>

            """
    }

    /// `back on 21 March`.
    static func back(after last: CivilDay, _ words: Words) -> String {
        words("\(words.date(last + 1))에 돌아와요", "back on \(words.date(last + 1))")
    }

    private static func form(_ tags: [TagView], _ today: CivilDay, _ visit: PageVisit) -> Markup {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        // A refused pause of one friend must not become one of the whole garden.
        let friend = visit.shown("friend", or: "")
        let whom: Markup =
            !friend.isEmpty
            ? FormFields.hidden("friend", friend)
            : tags.isEmpty
                ? ""
                : fields.select(
                    "tag", words("누구를", "Whom"), value: "",
                    options: [("", words("정원 전체", "The whole garden"))]
                        + tags.map {
                            ($0.tag.name.description, words("태그 \($0.tag.name)", "Friends with \($0.tag.name)"))
                        })
        return fields.form(
            "/more/pauses",
            """
            \(whom)\
            \(fields.text("from", words("첫날", "First day"), value: today.description, attributes: " type=\"date\""))\
            \(fields.text(
                "to", words("마지막 날", "Last day"), value: (today + 7).description, attributes: " type=\"date\""))\
            \(spreadBox(fields))\
            \(FormFields.buttons(FormFields.submit(words("쉬기", "Pause"))))
            """)
    }

    private static func spreadBox(_ fields: FormFields) -> Markup {
        let words = fields.visit.words
        return fields.box(
            "spread", "\(words("돌아오는 날 한꺼번에 몰리지 않게 나누기", "Spread what is due when you are back"))",
            hint: words("오래 쉴 때 좋아요.", "Good after a long break."), isTicked: false)
    }

    /// The form on the page of a friend.
    static func form(of view: PlantView, _ visit: PageVisit) -> Markup {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        return """
            <details>
            <summary>\(words("이 친구와 잠시 쉬기", "Pause this friend"))</summary>
            \(fields.form(
                "/more/pauses",
                """
                \(FormFields.hidden("friend", view.plant.id.description))\
                \(FormFields.hidden("from", view.today.description))\
                \(fields.text(
                    "to", words("마지막 날", "Last day"), value: (view.today + 7).description, attributes: " type=\"date\""))\
                \(FormFields.buttons(FormFields.submit(words("쉬기", "Pause"))))
                """))</details>

            """
    }

    private static func begin(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (form, garden) = (visit.form, try await visit.ask.garden())
        let days = DayWords(today: try await garden.today())
        guard let last = days.day(form["to"] ?? ""), let first = days.day(form["from"] ?? "") else {
            throw ThingError.unreadableDay
        }
        var request = PauseRequest(to: last)
        request.from = first
        request.tag = form.written("tag")
        request.friend = form.written("friend")
        request.isSpread = form["spread"] == "true"
        _ = try await garden.beginPause(request)
        return .page("/more/pauses?done=begun")
    }

    private static func end(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        _ = try await visit.ask.garden().endPause(try visit.ask.id("pause", of: .pause))
        return .page("/more/pauses?done=ended")
    }

    /// Ends all pauses of the whole account that today belongs to: one tap in the garden.
    private static func endAll(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let garden = try await visit.ask.garden()
        let view = try await garden.pauses()
        for pause in view.pauses.map(\.pause) where pause.scope == .account && pause.days.contains(view.today) {
            _ = try await garden.endPause(pause.id.description)
        }
        return .page("/?done=back")
    }

    /// Says in the garden that the whole account is paused, and ends that at a tap.
    static func banner(_ seen: GardenGlanceView, _ visit: PageVisit) -> Markup? {
        guard let last = seen.account.pausedDays.lastDay(from: seen.today) else { return nil }
        let words = visit.words
        return """
            <p>\(words("쉬는 중이에요. ", "You are on a break, "))\(back(after: last, words))\(words(".", "."))</p>
            \(FormFields(visit: visit).form(
                "/more/pauses/end",
                "<button>\(words("이제 돌아왔어요", "I am back"))</button>"))
            """
    }
}
