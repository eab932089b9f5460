import CherishCore
import CherishHTTP
import HTMLMarkup

/// A code with which this device hides the garden. The server knows nothing of it.
enum LockPage {
    static let pages = [GardenPage("/more/lock", shows: content)]

    private static func content(_ visit: PageVisit) -> PageContent {
        let words = visit.words
        return SettingsPage.content(
            words("이 기기 잠금", "Lock of this device"), visit,
            main: """
                <p>\(words(
                    "이 기기를 집어 든 사람에게 정원을 가려 줘요. 암호화는 아니에요. 방법을 아는 사람은 브라우저에 남은 것을 읽을 수 있어요.",
                    """
                    A code hides your garden from people who pick up this device. It is no encryption: whoever knows how \
                    can still read what the browser keeps.
                    """))</p>
                <noscript><p class="notice careful">\(words("잠금에는 JavaScript가 필요해요.", "The lock needs JavaScript."))</p></noscript>
                <form class="card" data-lock hidden data-digits="\(words("숫자 4~12자리를 써 주세요.", "Type 4 to 12 digits."))" \
                data-differ="\(words("두 코드가 달라요.", "The two codes differ."))">
                \(off(FormFields(visit: visit)))\(on(words))\
                <p data-lock-unsupported hidden>\(words("이 브라우저에서는 잠글 수 없어요.", "This browser cannot lock the page."))</p>
                </form>
                """)
    }

    private static func off(_ fields: FormFields) -> Markup {
        let words = fields.visit.words
        let attributes: Markup = " class=\"code\" type=\"password\" inputmode=\"numeric\" autocomplete=\"off\""
        return """
            <div class="stack" data-lock-off>
            \(fields.text(
                "lock-code", words("코드", "Code"),
                hint: words("숫자 4~12자리예요. 이 기기에만 남아요.", "4 to 12 digits. It stays on this device."),
                attributes: "\(attributes) minlength=\"4\" maxlength=\"12\""))\
            \(fields.text("lock-again", words("같은 코드 한 번 더", "The same code again"), attributes: attributes))\
            \(FormFields.buttons(FormFields.submit(words("이 기기 잠그기", "Lock this device"))))</div>

            """
    }

    private static func on(_ words: Words) -> Markup {
        """
        <div class="stack" data-lock-on hidden>
        <p>\(words("✓ 이 기기는 코드를 물어봐요. 5분 넘게 다른 일을 하고 와도 물어봐요.",
            "✓ This device asks for the code, also after 5 minutes in the background."))</p>
        <button type="button" data-lock-remove>\(words("코드 없애기", "Remove the code"))</button>
        </div>

        """
    }
}

/// What covers a locked page until the code is typed. A script copies it.
enum LockCover {
    static func markup(_ words: Words) -> Markup {
        """
        <template data-lock-cover>
        <dialog class="cover" aria-labelledby="cover-title">
        <img src="\(GardenAssets.shared.path("icon.svg"))" alt="" width="72" height="72">
        <h1 id="cover-title">\(words("정원이 잠겨 있어요", "Your garden is locked"))</h1>
        <form method="dialog">
        <div class="field">
        <label for="cover-code">\(words("이 기기의 코드", "Code of this device"))</label>
        <input class="code" id="cover-code" type="password" inputmode="numeric" autocomplete="off" \
        aria-describedby="cover-wrong cover-wait">
        <p class="error" id="cover-wrong" data-lock-wrong role="alert" hidden>\(words("코드가 달라요.", "That is not the code."))</p>
        <p class="hint" id="cover-wait" data-lock-wait hidden>\(words(
            "<time>0:30</time> 뒤에 다시 해 보세요." as Markup, "Try again in <time>0:30</time>."))</p>
        </div>
        <div class="buttons"><button class="primary">\(words("열기", "Open"))</button></div>
        </form>
        <form method="post" action="/sign-out"><button class="plain">\
        \(words("코드를 잊었어요 (로그아웃)", "Forgotten? Sign out"))</button></form>
        </dialog>
        <p class="cover-missing" data-lock-missing role="alert">\(words(
            "잠금을 불러오지 못했어요. 인터넷을 확인하고 새로고침해 주세요.",
            "The lock could not be loaded. Check the network, and reload this page."))</p>
        </template>

        """
    }
}
