import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// The phone, which resets a forgotten password once a code has confirmed it (rules 12.4 and 12.6).
enum PhonePage {
    static let pages = [
        GardenPage("/more/phone", shows: { try await content($0, isSent: $0.query("sent") == "true") }, does: sendCode),
        GardenPage("/more/phone/confirmation", shows: { try await content($0, isSent: true) }, does: confirm),
        GardenPage("/more/phone/removal", does: remove),
    ]

    /// - Parameter isSent: whether a code is on its way.
    private static func content(_ visit: PageVisit, isSent: Bool) async throws -> PageContent {
        let (words, fields, account) = (visit.words, FormFields(visit: visit), try visit.signedIn())
        let confirmed = try await visit.ask.services.people.waysIn(of: account.id).confirmedPhone.value
        let removal: Markup =
            account.phone == nil
            ? ""
            : SettingsPage.asking(
                fields, "/more/phone/removal", words("전화번호 지우기", "Remove the phone"),
                consequence: words(
                    "비밀번호를 잊었을 때 문자로 인증 번호를 받을 수 없게 돼요.",
                    "A forgotten password can then not be reset by a text message."),
                words("지우기", "Remove"))
        return SettingsPage.content(
            words("전화번호", "Phone"), visit,
            done: [
                "confirmed": words("전화번호를 확인했어요.", "Your phone has been confirmed."),
                "removed": words("전화번호를 지웠어요.", "Your phone has been removed."),
            ],
            main: """
                <p>\(words("확인한 전화로는 잊은 비밀번호를 다시 정할 수 있어요. 다른 사람에게는 보이지 않아요.",
                    "A confirmed phone resets a forgotten password. Nobody else sees it."))</p>
                \(present(account, confirmed: confirmed, words))\(isSent ? code(fields) : "")\
                \(number(fields, account, isSent: isSent))\(removal)
                """)
    }

    private static func present(_ account: Account, confirmed: String?, _ words: Words) -> Markup {
        guard let phone = account.phone?.description else { return "" }
        let state = phone == confirmed ? words("확인했어요", "confirmed") : words("아직 확인하지 않았어요", "not confirmed yet")
        return "<p>\(words("지금", "Now")): <span class=\"nowrap\">\(phone)</span>, \(state)</p>\n"
    }

    private static func number(_ fields: FormFields, _ account: Account, isSent: Bool) -> Markup {
        let (words, send) = (fields.visit.words, fields.visit.words("인증 번호 받기", "Send the code"))
        let form = fields.form(
            "/more/phone",
            """
            \(fields.text(
                "phone", words("전화번호", "Phone"),
                hint: words("나라 번호와 함께, 또는 사는 나라에서 거는 대로 써 주세요.",
                    "With the country code, or as you dial it at home."),
                value: isSent ? "" : account.phone?.description ?? "",
                attributes: " type=\"tel\" inputmode=\"tel\" autocomplete=\"tel\""))\
            \(FormFields.buttons(isSent ? "<button>\(send)</button>" : FormFields.submit(send)))
            """)
        guard isSent else { return form }
        return """
            <details>
            <summary>\(words("오지 않았나요? 다시 받기", "Nothing came? Send it again"))</summary>
            \(form)</details>

            """
    }

    private static func code(_ fields: FormFields) -> Markup {
        let words = fields.visit.words
        let form = fields.form(
            "/more/phone/confirmation",
            """
            \(PasswordFields.code(fields, words))\(FormFields.buttons(FormFields.submit(words("확인", "Confirm"))))
            """)
        return """
            <section class="card" aria-labelledby="code-title">
            <h2 id="code-title">\(words("문자로 인증 번호를 보냈어요", "We have sent you a code by text message"))</h2>
            \(form)</section>

            """
    }

    private static func sendCode(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        try await visit.ask.services.people.beginPhoneChange(
            of: try visit.ask.signedIn, to: visit.form["phone"] ?? "", from: visit.ask.address)
        return .page("/more/phone?sent=true")
    }

    private static func confirm(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        try await visit.ask.services.people.confirmPhone(of: try visit.ask.signedIn, code: visit.form["code"] ?? "")
        return .page("/more/phone?done=confirmed")
    }

    private static func remove(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        var request = AccountEditRequest()
        request.phone = ""
        _ = try await visit.ask.garden().editAccount(request)
        return .page("/more/phone?done=removed")
    }
}
