import CherishCore
import CherishHTTP
import CherishService
import Foundation
import HTMLMarkup

/// Postponing on D-day (rule 6), and why not on other days.
enum LaterPage {
    static let pages = [GardenPage("/plants/{plant}/later", shows: content, does: postpone)]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let view = try await visit.ask.garden().friend(visit.plantID()).view
        let words = visit.words
        return PageContent(
            words("나중에", "Later"), kind: "later", tab: .garden,
            back: PageContent.Back(path: view.gardenPath, words: words("정원", "Garden")), main: main(view, visit))
    }

    private static func main(_ view: PlantView, _ visit: PageVisit) -> Markup {
        let (words, left) = (visit.words, view.dDay.daysLeft)
        if view.dDay.condition == .thirsty {
            return """
                \(FriendHeading.markup(words("\(view.nickname) 나중에 물 주기" as Markup, "Water \(view.nickname) later"), view, words))
                \(form(view.glance, visit))
                """
        }
        let (title, reason): (Markup, Markup) =
            left > 0
            ? (
                words("아직이에요" as Markup, "Not yet"),
                words(
                    "\(view.nickname), \(left)일 뒤인 \(words.date(view.plant.dueOn))에 물을 원해요. 그날에만 미룰 수 있어요." as Markup,
                    """
                    \(view.nickname) wants water in \(words.days(left)), on \(words.date(view.plant.dueOn)). You can put it \
                    off on that day, not before.
                    """)
            )
            : (
                words("\(view.nickname), 시들었어요" as Markup, "\(view.nickname) has withered"),
                words(
                    "\(-left)일 전에 물을 원했어요. 시든 식물은 더 기다릴 수 없지만, 안부 한 번이면 되살아나요." as Markup,
                    """
                    It wanted water \(words.days(-left)) ago. A withered plant cannot wait any longer; one hello brings it \
                    back.
                    """)
            )
        return """
            \(FriendHeading.markup(title, view, words))
            <p>\(reason)</p>
            <div class="buttons">
            <a class="button primary" href="\(view.path)/water">\(Picture.icon("water"))\(words("물 주기", "Water"))</a>
            <a class="button" href="\(visit.gardenPath)">\(words("정원으로", "Back to the garden"))</a>
            </div>
            """
    }

    /// The same as a sheet over the garden.
    static func sheet(_ view: PlantGlanceView, _ visit: PageVisit) -> Markup {
        let words = visit.words
        return """
            <dialog data-sheet id="later-sheet" aria-labelledby="later-title">
            <div class="heading">
            <h2 id="later-title">\(words("\(view.nickname) 나중에 물 주기" as Markup, "Water \(view.nickname) later"))</h2>
            <form method="dialog"><button class="plain">\(Picture.icon("close"))\
            <span class="heard">\(words("닫기", "Close"))</span></button></form>
            </div>
            \(form(view, visit))</dialog>

            """
    }

    private static func form(_ view: PlantGlanceView, _ visit: PageVisit) -> Markup {
        let words = visit.words
        let tiles = (1...7).map { days -> Markup in
            let checked: Markup = visit.shown("days", or: "1") == String(days) ? " checked" : ""
            let date = words.fullDate(view.plant.dueOn + days, today: view.today)
            return """
                <label class="tile"><input type="radio" name="days" value="\(days)"\(checked) required>\
                <span>\(words.days(days))<small>\(date)</small></span></label>

                """
        }
        return FormFields(visit: visit).form(
            "\(view.path)/later",
            """
            \(FormFields.fact)\(FormFields.hidden("fromDueOn", view.plant.dueOn.description))<fieldset id="days">
            <legend>\(words("며칠 미룰까요?", "By how many days?"))</legend>
            <div class="tiles">
            \(tiles)</div>
            </fieldset>
            \(FormFields.buttons(FormFields.submit(words("미루기", "Later"))))
            """)
    }

    private static func postpone(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let id = try visit.plantID()
        _ = try await visit.ask.garden().postpone(
            id, days: visit.form["days"].flatMap { Int($0) } ?? 0,
            fromDueOn: visit.form["fromDueOn"].flatMap { CivilDay($0) }, fact: visit.fact)
        return .page("/?plant=\(id)&done=postponed")
    }
}

/// A friend's picture and names at the top of a page about one plant.
enum FriendHeading {
    static func markup(_ title: Markup, _ view: PlantView, _ words: Words, below: Markup? = nil) -> Markup {
        let usual: Markup = """
            <p class="muted"><bdi>\(view.plant.name.description)</bdi> · \
            <span class="nowrap">\(view.plant.phone.description)</span></p>
            <p>\(view.glance.dueLabel(words))</p>
            """
        return """
            <div class="friend">
            \(Picture.plant(view.glance))
            <div>
            <h1>\(title)</h1>
            \(below ?? usual)
            </div>
            </div>

            """
    }
}
