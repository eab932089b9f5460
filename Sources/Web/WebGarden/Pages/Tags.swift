import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// The tags (rule 9).
enum TagsPage {
    static let pages = [
        GardenPage("/more/tags", shows: list, does: add),
        GardenPage("/more/tags/{tag}", shows: edit, does: change),
        GardenPage("/more/tags/{tag}/removal", shows: removal, does: remove),
    ]

    private static func list(_ visit: PageVisit) async throws -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let tags = try await visit.ask.garden().tags()
        let rows = tags.map { row($0, words) }
        let list: Markup =
            tags.isEmpty
            ? "<p class=\"muted\">\(words("아직 태그가 없어요.", "There are no tags yet."))</p>\n"
            : "<ul class=\"links\">\n\(rows)</ul>\n"
        let form = fields.form(
            "/more/tags",
            """
            \(name(fields, value: ""))\(cycle(fields, value: ""))\
            \(FormFields.buttons(FormFields.submit(words("더하기", "Add"))))
            """)
        return SettingsPage.content(
            words("태그", "Tags"), visit,
            done: [
                "added": words("태그를 더했어요.", "The tag has been added."),
                "saved": words("저장했어요.", "Saved."),
                "removed": words("태그를 지웠어요. 친구는 그대로 있어요.", "The tag has been deleted. Its friends stay."),
            ],
            main: """
                \(list)<section class="card" aria-labelledby="new-title">
                <h2 id="new-title">\(words("새 태그", "A new tag"))</h2>
                \(form)</section>
                """)
    }

    private static func row(_ view: TagView, _ words: Words) -> Markup {
        let (tag, count) = (view.tag, view.friendCount)
        return """
            <li><a href="/more/tags/\(tag.id.description)">\(Picture.dot(tag.colour))\
            <span class="label"><bdi>\(tag.name.description)</bdi></span>\
            <span class="value">\(words("\(count)그루", words.count(count, "plant", "plants")))</span></a></li>

            """
    }

    private static func name(_ fields: FormFields, value: String) -> Markup {
        fields.text(
            "name", fields.visit.words("이름", "Name"), value: value, limit: 20, attributes: " autocomplete=\"off\"")
    }

    private static func cycle(_ fields: FormFields, value: String) -> Markup {
        let words = fields.visit.words
        return fields.text(
            "cycleDays", words("새 친구의 주기", "Cycle of new friends"),
            hint: words("1일부터 90일까지. 비우면 정하지 않아요.", "1 to 90 days. Empty: none."), isOptional: true,
            value: value, attributes: " type=\"number\" inputmode=\"numeric\" min=\"1\" max=\"90\"")
    }

    private static func add(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        _ = try await visit.ask.garden().addTag(
            visit.form["name"] ?? "", colour: nil, cycleDays: visit.form.written("cycleDays").map { Int($0) ?? 0 })
        return .page("/more/tags?done=added")
    }

    private static func tag(_ visit: PageVisit) async throws -> TagView {
        try await visit.ask.garden().tag(try visit.ask.id("tag", of: .tag))
    }

    private static func edit(_ visit: PageVisit) async throws -> PageContent {
        let (words, fields, tag) = (visit.words, FormFields(visit: visit), try await tag(visit).tag)
        let path = "/more/tags/\(tag.id.description)"
        let form = fields.form(
            path,
            """
            \(name(fields, value: tag.name.description))\
            \(fields.text(
                "colour", words("색", "Colour"), value: tag.colour.description, attributes: " type=\"color\""))\
            \(cycle(fields, value: tag.cycle.map { String($0.days) } ?? ""))\
            \(FormFields.buttons(FormFields.submit(words("저장", "Save"))))
            """)
        return SettingsPage.content(
            words("태그", "Tag"), visit, back: PageContent.Back(path: "/more/tags", words: words("태그", "Tags")),
            main: """
                \(form)<p><a class="button plain" href="\(path)/removal">\(Picture.icon("trash"))\
                \(words("태그 지우기", "Delete the tag"))</a></p>
                """)
    }

    private static func change(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let form = visit.form
        var request = TagEditRequest()
        request.name = form["name"]
        request.colour = form["colour"]
        // What is no number is no cycle either.
        request.cycleDays = form.written("cycleDays").map { Int($0) ?? -1 } ?? 0
        _ = try await visit.ask.garden().editTag(try await tag(visit).tag.name.description, request)
        return .page("/more/tags?done=saved")
    }

    private static func removal(_ visit: PageVisit) async throws -> PageContent {
        let (words, view) = (visit.words, try await tag(visit))
        let (path, count) = ("/more/tags/\(view.tag.id.description)", view.friendCount)
        let form = FormFields(visit: visit).form(
            "\(path)/removal",
            """
            <div class="buttons">
            <button class="danger">\(Picture.icon("trash"))\(words("태그 지우기", "Delete the tag"))</button>
            <a class="button" href="\(path)">\(words("그대로 두기", "Keep"))</a>
            </div>
            """)
        return SettingsPage.content(
            words("태그를 지울까요?", "Delete the tag?"), visit,
            back: PageContent.Back(path: path, words: words("태그", "Tag")),
            main: """
                <p>\(Picture.dot(view.tag.colour)) <bdi>\(view.tag.name.description)</bdi></p>
                <p>\(words(
                    "친구 \(count)명에게서 이 태그가 사라져요. 친구와 식물은 그대로 있어요.",
                    "It disappears from \(words.count(count, "friend", "friends")). Friends and plants stay."))</p>
                \(form)
                """)
    }

    private static func remove(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        _ = try await visit.ask.garden().removeTag(try await tag(visit).tag.name.description)
        return .page("/more/tags?done=removed")
    }
}
