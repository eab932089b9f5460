import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// Why a plant's affection and due date are what they are, and what comes next.
enum WhyPage {
    static let pages = [GardenPage("/plants/{plant}/why", shows: content)]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (id, words) = (try visit.plantID(), visit.words)
        let garden = try await visit.ask.garden()
        let view = try await garden.friend(id).view
        let explained = try await garden.explainFriend(id, on: visit.query("on").flatMap { CivilDay($0) })
        let plant = explained.plant
        let story = Story(words: words, today: view.today, view: view, explained: explained)
        var content = PageContent(
            words("왜 이럴까요?", "Why?"), kind: "why", tab: .garden,
            back: PageContent.Back(path: view.path, words: view.plant.nickname.description),
            main: """
                <h1>\(words("\(view.nickname), 왜 이럴까요?" as Markup, "Why \(view.nickname) is as it is"))</h1>
                <form action="\(view.path)/why" class="row">
                <div class="field">
                <label for="on">\(words("이날의 모습", "On the day"))</label>
                <input id="on" type="date" name="on" value="\(plant.day.description)">
                </div>
                <button>\(words("보기", "Show"))</button>
                </form>
                \(story.sections)
                """)
        content.isKept = true
        return content
    }

    /// An explanation in sentences.
    private struct Story {
        let words: Words
        let today: CivilDay
        let view: PlantView
        let explained: FriendExplanation

        private var plant: PlantExplanation { explained.plant }

        var sections: Markup {
            guard let then = plant.plant else {
                return "<p>\(words("이날에는 아직 정원에 없었어요.", "It was not in the garden on that day."))</p>"
            }
            let (due, points) = (words.fullDate(then.dueOn, today: today), then.affection.points)
            return """
                \(section("due", words("\(due)에 물을 원하는 까닭", "Why it wants water on \(due)"), dueDate, isList: false))\
                \(section("affection", words("애정이 \(points)점인 까닭", "Why its affection is \(points)"), affection, isList: true))\
                \(section("next", words("앞으로 올 일", "What comes next"), upcoming, isList: true))
                """
        }

        private func section(_ id: String, _ title: String, _ sentences: [String], isList: Bool) -> Markup {
            let items = sentences.map { sentence -> Markup in isList ? "<li>\(sentence)</li>\n" : "<p>\(sentence)</p>\n"
            }
            let body: Markup = isList ? "<ul>\(items)</ul>" : "\(items)"
            return """
                <section class="card prose" aria-labelledby="why-\(id)">
                <h2 id="why-\(id)">\(title)</h2>
                \(body)
                </section>

                """
        }

        /// What set each due date, the newest first.
        private var dueDate: [String] {
            plant.dueDates.reversed().prefix(5).map { step in
                let date = words.fullDate(step.dueOn, today: today)
                return "\(date): \(sentence(step.cause))"
            }
        }

        private func sentence(_ cause: DueDateStep.Cause) -> String {
            switch cause {
            case .registration(let cycle):
                words("심었고, 주기는 \(cycle.days)일이에요.", "planted, with a cycle of \(words.days(cycle.days)).")
            case .restoration(let cycle):
                words("다시 데려왔고, 주기는 \(cycle.days)일이에요.", "brought back, with a cycle of \(words.days(cycle.days)).")
            case .edit(let cycle, _):
                words("주기를 \(cycle.days)일로 바꿨어요.", "the cycle was changed to \(words.days(cycle.days)).")
            case .watering(let watering):
                words(
                    "\(words.date(watering.wateredOn))에 물을 줬어요 (\(words.name(of: watering.method))).",
                    "watered on \(words.date(watering.wateredOn)) (\(words.name(of: watering.method).lowercased())).")
            case .postponement(let from, let days):
                words(
                    "\(words.date(from))에서 \(days)일 미뤘어요.", "put off by \(words.days(days)) from \(words.date(from)).")
            case .pause: words("쉬는 날 때문에 옮겨졌어요.", "moved by a pause.")
            case .outage:
                words(
                    "저희 문제로 알림을 보내지 못해 옮겼어요. 그동안은 시든 날로 세지 않아요.",
                    "moved, because our reminder could not leave. No day until then counts as withered.")
            }
        }

        private var affection: [String] {
            plant.affection.earnings.isEmpty
                ? [words("아직 물을 준 적이 없어요.", "It was never watered yet.")]
                : plant.affection.earnings.map { earning in
                    let watering = earning.watering
                    let lines = plant.affection.lines.filter { $0.row.entry.wateringNumber == watering.number }
                    let parts = lines.map { "+\($0.row.entry.points) \(name(of: $0.row.entry.reason))" }
                    let sum = lines.last?.sum ?? 0
                    let date = words.fullDate(watering.wateredOn, today: today)
                    if parts.isEmpty {
                        return words(
                            "\(date), \(words.name(of: watering.method)): 더 얻은 애정은 없어요.",
                            "\(date), \(words.name(of: watering.method)): nothing more to earn.")
                    }
                    return words(
                        "\(date), \(words.name(of: watering.method)): \(parts.joined(separator: ", ")). 모두 \(sum)점.",
                        "\(date), \(words.name(of: watering.method)): \(parts.joined(separator: ", ")). \(sum) in all.")
                }
        }

        private func name(of reason: AffectionReason) -> String {
            switch reason {
            case .contact: words("연락", "for the contact")
            case .keywords: words("키워드", "for keywords")
            case .memo: words("메모", "for a memo")
            }
        }

        private var upcoming: [String] {
            plant.upcoming.isEmpty
                ? [words("없어요.", "Nothing.")]
                : plant.upcoming.map { next in
                    let when = explained.localTime(of: next.at)
                    let date = "\(words.fullDate(when.date, today: today)) \(when.time)"
                    switch next.kind {
                    case .withers: return words("\(date): 시들어요.", "\(date): it withers.")
                    case .push(let topic):
                        let name = PushTopicName.text(topic, words)
                        let silent =
                            switch next.obstacle {
                            case nil: ""
                            case .paused?: words(" (쉬는 중이라 오지 않아요)", " (it will not come: a pause)")
                            default: words(" (알림이 꺼져 있어 오지 않아요)", " (it will not come: pushes are off)")
                            }
                        return words("\(date): \(name) 알림\(silent)", "\(date): a push, \(name)\(silent)")
                    }
                }
        }
    }
}

/// What a push is about.
enum PushTopicName {
    static func text(_ topic: Topic, _ words: Words) -> String {
        switch topic {
        case .wateringDue: words("물 줄 날", "it wants water")
        case .reviewMissing: words("리뷰", "the review is missing")
        case .birthday: words("생일", "the birthday")
        default: words("시듦", "it withered yesterday")
        }
    }
}
