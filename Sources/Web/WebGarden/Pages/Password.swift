import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// Another password, or the first one (rules 12.2 and 12.3).
enum PasswordPage {
    static let pages = [GardenPage("/more/password", shows: content, does: change)]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let words = visit.words
        return SettingsPage.content(
            words("비밀번호", "Password"), visit,
            done: [
                "confirmed": words(
                    "이메일을 더했어요. 이제 비밀번호를 정해 주세요.", "Your e-mail has been added. Now choose a password."),
                "changed": words(
                    "비밀번호를 바꿨어요. 다른 기기에서는 로그아웃됐어요.",
                    "Your password has been changed. All other devices are signed out."),
            ],
            main: try await form(visit))
    }

    private static func form(_ visit: PageVisit) async throws -> Markup {
        let (words, fields, account) = (visit.words, FormFields(visit: visit), try visit.signedIn())
        guard let email = account.email else {
            return """
                <p>\(words("비밀번호로 로그인하려면 이메일이 있어야 해요.", "A password needs an e-mail to sign in with."))</p>
                <div class="buttons"><a class="button primary" href="/more/email">\(words("이메일 더하기", "Add an e-mail"))</a></div>
                """
        }
        let hasPassword = try await visit.ask.services.people.waysIn(of: account.id).hasPassword
        if !hasPassword, try await !visit.isFreshlySignedIn() {
            return """
                \(SettingsPage.signInAgain(
                    words("로그인한 지 10분이 지나서, 다시 로그인한 뒤에 비밀번호를 정할 수 있어요.",
                        "You signed in more than 10 minutes ago. Sign in again to choose a password."),
                    next: "/more/password", words))\
                <p><a href="/forgotten">\(words("인증 번호로 비밀번호 정하기", "Choose one with a code by mail"))</a></p>
                """
        }
        return """
            \(fields.form(
                "/more/password",
                """
                \(PasswordFields.username(email))\(hasPassword ? PasswordFields.present(fields, words) : "")\
                \(PasswordFields.new(fields, words))\
                \(FormFields.buttons(FormFields.submit(words("비밀번호 정하기", "Set the password"))))
                """))
            <p class="muted">\(words("다른 모든 기기에서는 로그아웃돼요.", "All other devices are signed out."))</p>
            """
    }

    private static func change(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (visitor, form) = (try visit.ask.signedIn, visit.form)
        try await PasswordFields.checkingPresent {
            try await visit.ask.services.people.changePassword(
                of: visitor, from: PasswordFields.present(in: form), to: form["password"] ?? "",
                from: visit.ask.address)
        }
        return .page("/more/password?done=changed")
    }
}

extension PasswordFields {
    /// Tells password managers whose password it is.
    static func username(_ email: EmailAddress) -> Markup {
        "<input hidden type=\"email\" autocomplete=\"username\" value=\"\(email.description)\" readonly>\n"
    }

    /// The password of somebody who is signed in.
    static func present(_ fields: FormFields, _ words: Words) -> Markup {
        fields.text(
            "present", words("지금 비밀번호", "Present password"), isShownAgain: false,
            attributes: " type=\"password\" autocomplete=\"current-password\"")
    }

    /// What was written there; nil for nothing.
    static func present(in form: Form) -> String? { form["present"].flatMap { $0.isEmpty ? nil : $0 } }

    /// Says of a wrong password what helps somebody who is signed in.
    static func checkingPresent(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch PeopleError.wrongPassword {
            throw PageProblem.presentPasswordWrong
        }
    }
}
