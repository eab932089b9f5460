import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// A plant: how it is doing, whose it is, and the newest reviews (rule 8.2).
enum PlantPage {
    static let pages = [
        GardenPage("/plants/{plant}", shows: content),
        GardenPage("/plants/{plant}/favourite", does: favour),
        GardenPage("/plants/{plant}/removal", shows: removal, does: remove),
        GardenPage("/plants/{plant}/restoration", does: restore),
    ]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let words = visit.words
        let (id, garden) = (try visit.plantID(), try await visit.ask.garden())
        let seen = try await garden.friend(id)
        let view = seen.view
        let days = seen.reviews.map(\.watering.wateredOn)
        let watered =
            if let first = days.min(), let last = days.max() {
                try await garden.calendar(id, from: first, to: last).days.compactMap(\.watering)
            } else {
                [Watering]()
            }
        let newest = Set(Dictionary(grouping: watered, by: \.wateredOn).compactMap { $1.last?.number })
        let isRemoved = view.plant.archivedAt != nil
        let pause = isRemoved ? "" : PausesPage.form(of: view, visit)
        var content = PageContent(
            view.plant.nickname.description, kind: "plant", tab: .garden,
            back: isRemoved
                ? PageContent.Back(path: "/me/plants#removed-title", words: words("떠난 식물", "Removed plants"))
                : PageContent.Back(path: view.gardenPath, words: words("정원", "Garden")),
            main: """
                \(plot(view, visit))<div class="stack">
                \(facts(view, words))\(stages(view, words))\(reviews(seen, newest: newest, words))\(pause)\(removalLink(view, words))</div>
                """)
        (content.isWide, content.isKept) = (true, true)
        if visit.query("done") == "edited" { content.notice = "<p>\(words("저장했어요.", "Saved."))</p>" }
        return content
    }

    private static func plot(_ view: PlantView, _ visit: PageVisit) -> Markup {
        let (words, dDay) = (visit.words, view.dDay)
        let percent = Int((dDay.gauge * 100).rounded())
        // Round ends would paint a dot for nothing.
        let reach: Markup =
            percent == 0
            ? ""
            : """
            <circle class="reach" cx="60" cy="60" r="54" pathLength="100" stroke-dasharray="\(percent) 100" \
            transform="rotate(-90 60 60)"/>
            """
        let buttons: Markup =
            view.plant.archivedAt == nil
            ? """
            <div class="buttons">
            <a class="button primary" href="\(view.path)/water">\(Picture.icon("water"))\(words("물 주기", "Water"))</a>
            </div>
            <div class="buttons">
            <a class="button plain" href="\(view.path)/calendar">\(Picture.icon("calendar"))\(words("달력", "Calendar"))</a>
            <a class="button plain" href="\(view.path)/edit">\(Picture.icon("edit"))\(words("고치기", "Edit"))</a>
            <a class="button plain" href="\(view.path)/why">\(words("왜 이럴까요?", "Why?"))</a>
            </div>
            """
            : FormFields(visit: visit).form(
                "\(view.path)/restoration",
                FormFields.buttons(FormFields.submit(words("정원으로 다시 데려오기", "Bring back to the garden"))))
        return """
            <section class="plot \(dDay.condition.rawValue)" aria-labelledby="title">
            <h1 id="title">\(view.nickname)</h1>
            <div class="gauge">
            <svg class="ring" viewBox="0 0 120 120" aria-hidden="true">
            <circle class="track" cx="60" cy="60" r="54"/>
            \(reach)
            </svg>
            \(Picture.plant(view.glance))
            </div>
            <p aria-hidden="true"><span class="due \(dDay.condition.rawValue)">\(dDay.label)</span></p>
            \(rest(view, words))<p class="heard">\(PlantSentence.text(view.glance, words)) \(words("물 게이지는 \(percent)%예요.", "The gauge is at \(percent) percent."))</p>
            \(buttons)
            </section>

            """
    }

    /// Until when the friend is paused.
    private static func rest(_ view: PlantView, _ words: Words) -> Markup {
        guard let last = view.plant.pausedDays.lastDay(from: view.today) else { return "" }
        return "<p class=\"muted\">\(words("쉬는 중이에요. ", "On a break, "))\(PausesPage.back(after: last, words)).</p>\n"
    }

    private static func facts(_ view: PlantView, _ words: Words) -> Markup {
        let plant = view.plant
        var rows: [(String, Markup)] = [
            (words("이름", "Name"), "<bdi>\(plant.name.description)</bdi>"),
            (words("전화번호", "Phone"), "\(plant.phone.description)"),
        ]
        if let birthday = plant.birthday {
            let year = birthday.year.map { words("\($0)년 ", " \($0)") } ?? ""
            let date = words("\(birthday.month)월 \(birthday.day)일", "\(birthday.day) \(words.month(birthday.month))")
            rows.append((words("생일", "Birthday"), "\(words(year + date, date + year))"))
        }
        let species = plant.cycle.species
        rows += [
            (
                words("식물", "Species"),
                "\(words("\(words.name(of: species)), ‘\(words.meaning(of: species))’", "\(words.name(of: species)), “\(words.meaning(of: species))”"))"
            ),
            (
                words("주기", "Cycle"),
                "\(words("\(plant.cycle.days)일마다 \(plant.alarmTime)", "every \(words.days(plant.cycle.days)) at \(plant.alarmTime)"))"
            ),
            (words("애정", "Affection"), "\(plant.affection.points) / \(Affection.full)"),
            (
                words("함께한 날", "Together"),
                "\(words("\(view.today - plant.plantedOn + 1)일째, 물 준 횟수 \(plant.wateringCount)번", "day \(view.today - plant.plantedOn + 1), watered \(plant.wateringCount == 1 ? "once" : "\(plant.wateringCount) times")"))"
            ),
        ]
        if !view.tags.isEmpty {
            let names = view.tags.map { tag -> Markup in
                "<li class=\"chip\">\(Picture.dot(tag.colour))<bdi>\(tag.name.description)</bdi></li>"
            }
            rows.append((words("태그", "Tags"), "<ul class=\"chips\">\(names)</ul>"))
        }
        let list = rows.map { name, value -> Markup in "<div><dt>\(name)</dt><dd>\(value)</dd></div>\n" }
        return """
            <section class="card" aria-labelledby="facts-title">
            <h2 id="facts-title" class="heard">\(words("정보", "Facts"))</h2>
            <dl class="facts">
            \(list)</dl>
            </section>

            """
    }

    private static func stages(_ view: PlantView, _ words: Words) -> Markup {
        let affection = view.plant.affection
        let stages = GrowthStage.allCases.map { stage -> Markup in
            let missing = stage.firstPoints - affection.points
            let kind: Markup = missing > 0 ? " class=\"ahead\"" : ""
            let reached = missing > 0 ? words("\(missing)점 남음", "in \(missing) points") : words("✓ 자람", "✓ reached")
            return """
                <li\(kind)>\(Picture.plant(view.plant.cycle.species, stage, .thriving))\(words.name(of: stage))<br>\(reached)</li>

                """
        }
        return """
            <section class="card" aria-labelledby="stages-title">
            <h2 id="stages-title">\(words("성장", "Growth"))</h2>
            <ol class="stages">
            \(stages)</ol>
            </section>

            """
    }

    /// - Parameter newest: the numbers of the waterings that stand for their days (rule 3.5).
    private static func reviews(_ seen: PlantDetailView, newest: Set<Int>, _ words: Words) -> Markup {
        let view = seen.view
        let articles = seen.reviews.map { recorded in
            ReviewArticle.markup(
                recorded.watering, points: recorded.pointsGained, of: view,
                isEditable: newest.contains(recorded.watering.number), words)
        }
        let none: Markup = "<p class=\"muted\">\(words("아직 리뷰가 없어요.", "No review yet."))</p>\n"
        return """
            <section class="card" aria-labelledby="reviews-title">
            <h2 id="reviews-title">\(words("최근 리뷰", "Newest reviews"))</h2>
            \(articles.isEmpty ? [none] : articles)</section>

            """
    }

    private static func removalLink(_ view: PlantView, _ words: Words) -> Markup {
        guard view.plant.archivedAt == nil else { return "" }
        return """
            <p><a class="button plain" href="\(view.path)/removal">\(Picture.icon("trash"))\
            \(words("정원에서 보내기", "Remove from the garden"))</a></p>

            """
    }

    private static func favour(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let id = try visit.plantID()
        var edit = FriendEditRequest()
        edit.isFavourite = visit.form["favourite"] == "true"
        _ = try await visit.ask.garden().editFriend(id, edit)
        return .page("/?plant=\(id)")
    }

    private static func removal(_ visit: PageVisit) async throws -> PageContent {
        let (view, words) = (try await visit.ask.garden().friend(visit.plantID()).view, visit.words)
        let form = FormFields(visit: visit).form(
            "\(view.path)/removal",
            """
            <div class="buttons">
            <button class="danger">\(Picture.icon("trash"))\(words("정원에서 보내기", "Remove from the garden"))</button>
            <a class="button" href="\(view.path)">\(words("그대로 두기", "Keep"))</a>
            </div>

            """)
        return PageContent(
            words("보내기", "Remove"), kind: "removal", tab: .garden,
            back: PageContent.Back(path: view.path, words: view.plant.nickname.description),
            main: """
                \(FriendHeading.markup(words("\(view.nickname), 보낼까요?" as Markup, "Remove \(view.nickname)?"), view, words))\
                <p>\(words(
                    "더는 알림이 오지 않아요. 함께한 기록은 그대로 남고, ‘내 식물’에서 언제든 다시 데려올 수 있어요.",
                    """
                    There will be no more pushes. What you did together stays in your counts, and you can bring them back \
                    from “My plants” at any time.
                    """))</p>
                \(form)
                """)
    }

    private static func remove(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let id = try visit.plantID()
        _ = try await visit.ask.garden().removeFriend(id)
        return .page("/?done=removed&removed=\(id)")
    }

    private static func restore(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let id = try visit.plantID()
        _ = try await visit.ask.garden().restoreFriend(id)
        return .page("/?plant=\(id)")
    }
}

/// A watering with its review, and a link that edits it.
enum ReviewArticle {
    /// - Parameters:
    ///   - points: what it earned; nil leaves that out.
    ///   - isEditable: whether it is the newest watering of its day, which is the one that can be edited.
    static func markup(
        _ watering: Watering, points: Int?, of view: PlantView, isEditable: Bool, _ words: Words
    ) -> Markup {
        let date = words.fullDate(watering.wateredOn, today: view.today)
        let (keywords, memo) = (watering.review?.keywords ?? [], watering.review?.memo)
        let chips = keywords.map { keyword -> Markup in "<li class=\"chip\"><bdi>\(keyword)</bdi></li>" }
        let list: Markup =
            chips.isEmpty ? "" : "<ul class=\"chips\" aria-label=\"\(words("키워드", "Keywords"))\">\(chips)</ul>\n"
        let text: Markup = memo.map { "<p class=\"memo\"><bdi>\($0)</bdi></p>\n" } ?? ""
        let none: Markup =
            watering.review == nil ? "<p class=\"muted\">\(words("아직 리뷰가 없어요.", "No review yet."))</p>\n" : ""
        let earned = points.map { words(", 애정 +\($0)", ", +\($0) affection") } ?? ""
        let link =
            watering.review == nil
            ? words("\(date) 리뷰 쓰기", "Write a review of \(date)")
            : words("\(date) 리뷰 고치기", "Edit the review of \(date)")
        let id: Markup = isEditable ? " id=\"day-\(watering.wateredOn.description)\"" : ""
        let pencil: Markup =
            isEditable
            ? """
            <a class="button plain" href="\(view.path)/review/\(watering.wateredOn.description)">\(Picture.icon("edit"))\
            <span class="heard">\(link)</span></a>
            """ : ""
        return """
            <article class="review"\(id)>
            <div class="heading">
            <h3>\(date) <span class="muted small">\(words.name(of: watering.method))\(earned)</span></h3>
            \(pencil)
            </div>
            \(list)\(text)\(none)</article>

            """
    }
}

extension GrowthStage {
    /// The affection from which a plant has it (rule 4.6).
    var firstPoints: Int {
        (0...Affection.full).first { Affection(points: $0).stage == self } ?? 0
    }
}
