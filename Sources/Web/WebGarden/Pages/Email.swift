import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// Another e-mail, or the first one of somebody who began without (rules 12.5 and 12.6).
enum EmailPage {
    static let pages = [
        GardenPage("/more/email", shows: content, does: sendCode),
        GardenPage("/more/email/confirmation", shows: code, does: confirm),
    ]

    private static func content(_ visit: PageVisit) throws -> PageContent {
        let (words, fields, email) = (visit.words, FormFields(visit: visit), try visit.signedIn().email)
        let present: Markup =
            email.map { "<p>\(words("지금", "Now")): <bdi>\($0.description)</bdi></p>\n" }
                ?? """
                <p>\(words(
                "아직 이메일이 없어요. 더하면 다른 기기에서도 로그인할 수 있고, 정원은 그대로예요.",
                "There is none yet. With one you can sign in on other devices, and your garden stays as it is."))</p>

                """
        let form = fields.form(
            "/more/email",
            """
            \(fields.text(
                "email", words("새 이메일", "New e-mail"),
                hint: words("그 주소로 인증 번호를 보내요. 확인하기 전에는 아무것도 바뀌지 않아요.",
                    "We send a code there. Until it is confirmed, nothing changes."),
                attributes: """
                     type="email" autocomplete="email" inputmode="email" autocapitalize="none" spellcheck="false"
                    """))\
            \(FormFields.buttons(FormFields.submit(words("인증 번호 받기", "Send the code"))))
            """)
        return SettingsPage.content(
            words("이메일", "E-mail"), visit,
            done: ["confirmed": words("이메일을 바꿨어요.", "Your e-mail has been changed.")],
            main: """
                \(present)\(form)<p><a class="button plain" href="/more/email/confirmation">\
                \(words("인증 번호가 이미 있어요", "I have the code already"))</a></p>
                """)
    }

    private static func sendCode(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        try await visit.ask.services.people.beginEmailChange(
            of: try visit.ask.signedIn, to: visit.form["email"] ?? "", from: visit.ask.address)
        return .page("/more/email/confirmation")
    }

    private static func code(_ visit: PageVisit) -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let form = fields.form(
            "/more/email/confirmation",
            """
            \(PasswordFields.code(fields, words))\(FormFields.buttons(FormFields.submit(words("확인", "Confirm"))))
            """)
        return SettingsPage.content(
            words("이메일 확인", "Confirm the e-mail"), visit,
            back: PageContent.Back(path: "/more/email", words: words("이메일", "E-mail")),
            main: """
                <p>\(words("새 주소로 인증 번호를 보냈어요. 없다면 스팸함을 보거나,",
                    "We have sent a code to the new address. Nothing there? Look among the junk mail, or"))
                <a href="/more/email">\(words("다시 받아 보세요", "send it again"))</a>.</p>
                \(form)
                """)
    }

    private static func confirm(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let isFirst = try visit.signedIn().email == nil
        try await visit.ask.services.people.confirmEmail(of: try visit.ask.signedIn, code: visit.form["code"] ?? "")
        // Whoever began without an e-mail can choose a password now.
        return .page(isFirst ? "/more/password?done=confirmed" : "/more/email?done=confirmed")
    }
}
