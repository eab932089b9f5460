import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup
import HTTPTypes

/// Signing in and out.
enum SignInPage {
    static let pages = [
        GardenPage("/sign-in", for: .anybody, shows: { content($0, keeping: Form.Kept($0.form)) }, does: signIn),
        // A session that has ended must not keep a browser from forgetting.
        GardenPage("/sign-out", for: .anybody, does: signOut),
    ]

    /// - Parameter kept: what was written when the session had ended; it is there again after the sign-in.
    static func content(_ visit: PageVisit, keeping kept: Form.Kept?) -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let asked = kept?.path ?? OwnPath(visit.form["next"] ?? visit.query("next")).text
        // What only takes forms cannot be opened afterwards.
        let next = WebGarden.isShown(asked) ? asked : "/"
        var content = PageContent(
            words("로그인", "Sign in"), kind: "sign-in",
            main: """
                <h1>\(words("로그인", "Sign in"))</h1>
                \(fields.form("/sign-in", """
                    \(FormFields.hidden("next", next))\(kept.map { FormFields.hidden("kept", $0.body) } ?? "")\
                    \(email(fields, words))\(password(fields, words))\
                    \(FormFields.buttons(FormFields.submit(words("로그인", "Sign in"))))
                    """))
                <div class="buttons">
                <a class="button plain" href="/forgotten">\(words("비밀번호를 잊었어요", "Forgotten password"))</a>
                <a class="button plain" href="/sign-up">\(words("가입하기", "Sign up"))</a>
                </div>
                """)
        if kept != nil {
            content.notice = """
                <p>\(words("로그인이 끝났어요. 다시 로그인하면 쓰던 글이 그대로 있어요.",
                    "You have been signed out. Sign in, and what you wrote is still there."))</p>
                """
        }
        return content
    }

    static func email(_ fields: FormFields, _ words: Words, value: String = "", isOptional: Bool = false) -> Markup {
        fields.text(
            "email", words("이메일", "E-mail"), isOptional: isOptional, value: value,
            attributes: """
                 type="email" autocomplete="username" inputmode="email" enterkeyhint="next" autocapitalize="none" \
                spellcheck="false"
                """)
    }

    static func password(_ fields: FormFields, _ words: Words) -> Markup {
        fields.text(
            "password", words("비밀번호", "Password"), isShownAgain: false,
            attributes: " type=\"password\" autocomplete=\"current-password\" enterkeyhint=\"go\"")
    }

    private static func signIn(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (ask, form) = (visit.ask, visit.form)
        let signedIn = try await Ask.countingSignIn {
            try await ask.services.people.signIn(
                email: form["email"] ?? "", password: form["password"] ?? "", deviceName: ask.deviceName(nil),
                from: ask.address)
        }
        try await ask.remember(signedIn)
        if let kept = Form.Kept(form), let content = try await WebGarden.page(of: kept, for: signedIn, visit) {
            return .shown(content)
        }
        return .page(OwnPath(form["next"]).text)
    }

    private static func signOut(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        if let visitor = visit.ask.visitor {
            try await visit.ask.services.people.endSession(visitor.sessionID, of: visitor.accountID)
        }
        visit.ask.forgetBrowser()
        return .page("/?done=signed-out")
    }
}
