import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// The garden without a network: what this browser's copy knows, and what waits to be sent. Every browser keeps the page, so it
/// holds nothing personal; `offline-garden.js` fills it in.
enum OfflinePage {
    static let pages = [GardenPage("/offline", for: .anybody, shows: content)]

    private static func content(_ visit: PageVisit) -> PageContent {
        let words = visit.words
        var content = PageContent(
            words("연결되지 않았어요", "No connection"), kind: "offline", tab: .garden,
            main: """
                <section class="card begin">
                \(Picture.plant(.stuckyi, .bud, .thirsty))
                <h1>\(words("연결되지 않았어요", "No connection"))</h1>
                <p>\(words(
                    "전에 열어 본 것은 읽을 수 있어요. 여기에서 한 일은 연결되면 차례대로 보낼게요.",
                    "You can read what you opened before. What you do here is sent in order once there is a network."))</p>
                <div class="buttons"><a class="button primary" href="/">\(words("다시 해 보기", "Try again"))</a></div>
                </section>
                \(section("refused", words("받아들여지지 않았어요", "Refused"), words(
                    "정원은 이것을 받아들이지 않았어요. 여기에서 지울 때까지 남아 있어요.",
                    "The garden did not accept these. They stay here until you put them away."), words))\
                \(section("waiting", words("보낼 것", "To be sent"), nil, words))\
                \(section("friends", words("친구", "Friends"), nil, words))\
                \(section("things", words("챙길 것", "Things"), nil, words))\
                \(friend(words))\(thing(words))\(deed(words))
                """)
        content.isOfAnyAccount = true
        return content
    }

    private static func section(_ id: String, _ title: String, _ text: String?, _ words: Words) -> Markup {
        let sentence = text.map { text -> Markup in "<p>\(text)</p>\n" } ?? ""
        return """
            <section class="card" id="\(id)" aria-labelledby="\(id)-title" hidden>
            <h2 id="\(id)-title" tabindex="-1">\(title)</h2>
            \(sentence)<ul class="offline" data-rows></ul>
            </section>

            """
    }

    /// A friend, with what can be done without a network.
    private static func friend(_ words: Words) -> Markup {
        let methods = ContactMethod.allCases.map { method -> Markup in
            """
            <label class="tile"><input type="radio" name="method" value="\(method.rawValue)" required>\
            <span>\(words.name(of: method))</span></label>

            """
        }
        let keywords = (1...3).map { number -> Markup in
            """
            <label class="field"><span>\(words("키워드 \(number)", "Keyword \(number)"))</span>\
            <input name="keywords" autocomplete="off" enterkeyhint="next" maxlength="20"></label>

            """
        }
        return """
            <template id="friend-row"><li><details>
            <summary><span data-name></span> <span class="due" data-due></span></summary>
            <form data-does="water">
            <fieldset>
            <legend>\(words("연락이 닿았나요?", "Did you reach them?"))</legend>
            <div class="tiles">
            \(methods)</div>
            </fieldset>
            <div class="keywords">
            \(keywords)</div>
            <label class="field"><span>\(words("메모", "Memo"))</span><textarea name="memo" rows="2" maxlength="400"></textarea></label>
            \(FormFields.buttons(FormFields.submit(words("네, 이야기했어요", "Yes, we talked"), icon: "check")))</form>
            <form data-does="edit">
            <label class="field"><span>\(words("애칭", "Nickname"))</span><input name="nickname" autocomplete="off" maxlength="80"></label>
            \(FormFields.buttons("<button>\(words("저장", "Save"))</button>"))</form>
            </details></li></template>

            """
    }

    private static func thing(_ words: Words) -> Markup {
        """
        <template id="thing-row"><li><details>
        <summary><span data-name></span> <span class="due" data-due></span></summary>
        <form data-does="complete" data-for="food"><div class="buttons">
        <button class="primary" name="as" value="eaten">\(Picture.icon("check"))\(words("먹었어요", "Eaten"))</button>
        <button name="as" value="thrown_away">\(Picture.icon("trash"))\(words("버렸어요", "Thrown away"))</button>
        </div></form>
        <form data-does="complete" data-for="others">\
        \(FormFields.buttons(FormFields.submit(words("끝냈어요", "Done"), icon: "check")))</form>
        <form data-does="edit">
        <label class="field"><span>\(words("제목", "Title"))</span><input name="title" autocomplete="off" required maxlength="400"></label>
        \(FormFields.buttons("<button>\(words("저장", "Save"))</button>"))</form>
        </details></li></template>

        """
    }

    /// Something that waits or was refused.
    private static func deed(_ words: Words) -> Markup {
        let names = [
            ("water", words("물 주기", "Watering")), ("postpone", words("미루기", "Put off")),
            ("review", words("리뷰", "Review")), ("complete", words("끝내기", "Done")),
            ("edit", words("고치기", "Edit")), ("remove", words("보내기", "Removal")),
        ].map { name, text -> Markup in "<span data-deed=\"\(name)\">\(text)</span>" }
        return """
            <template id="deed-row"><li>
            <p><strong data-name></strong> · \(names) · <time></time></p>
            <p data-reason hidden></p>
            <button data-dismiss hidden>\(words("알겠어요", "Put away"))</button>
            </li></template>

            """
    }
}
