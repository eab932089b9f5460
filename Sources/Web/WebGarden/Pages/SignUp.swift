import CherishCore
import CherishHTTP
import CherishService
import Foundation
import HTMLMarkup

/// Signing up with a code by mail, and beginning without an e-mail (rules 12.1 and 12.5).
enum SignUpPage {
    static let pages = [
        GardenPage("/sign-up", for: .anybody, shows: email, does: sendCode),
        GardenPage("/sign-up/{request}", for: .anybody, shows: code, does: signUp),
        GardenPage("/begin", for: .anybody, shows: beginning, does: begin),
    ]

    private static func email(_ visit: PageVisit) -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        return PageContent(
            words("가입하기", "Sign up"), kind: "sign-up",
            main: """
                <h1>\(words("가입하기", "Sign up"))</h1>
                <p>\(words("내 주소인지 확인하려고 인증 번호를 보내요.", "We send a code to your address, to be sure that it is yours."))</p>
                \(fields.form("/sign-up", """
                    \(SignInPage.email(fields, words))\
                    \(FormFields.buttons(FormFields.submit(words("인증 번호 받기", "Send the code"))))
                    """))
                <p class="muted">\(words("이미 정원이 있나요?", "You have a garden already?")) \
                <a href="/sign-in">\(words("로그인", "Sign in"))</a></p>
                """)
    }

    private static func sendCode(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let id = try await visit.ask.services.people.beginSignUp(
            email: visit.form["email"] ?? "", language: visit.words.language, from: visit.ask.address)
        return .page("/sign-up/\(id.uuidString.lowercased())")
    }

    private static func code(_ visit: PageVisit) throws -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        let consent = words(
            """
            가입하면 <a href="/terms">약관</a>에 동의하고 <a href="/privacy">개인정보 처리방침</a>을 읽은 것으로 해요.
            """ as Markup,
            """
            By signing up, you accept the <a href="/terms">terms</a> and have read the <a href="/privacy">privacy policy</a>.
            """)
        return PageContent(
            words("가입하기", "Sign up"), kind: "sign-up",
            main: """
                <h1>\(words("정원을 만들어요", "Plant your garden"))</h1>
                <p>\(words("메일로 인증 번호를 보냈어요. 없다면 스팸함을 보거나,",
                    "We have sent you a code by mail. Nothing there? Look among the junk mail, or"))
                <a href="/sign-up">\(words("다시 받아 보세요", "send it again"))</a>.</p>
                \(fields.form(visit.ask.target, """
                    \(PasswordFields.code(fields, words))\(PasswordFields.new(fields, words))\(nickname(fields, words))\
                    \(PlaceFields.phone(
                        fields, words("전화번호", "Phone"),
                        hint: words("나라 번호와 함께 써 주세요. 문자로 확인하면 비밀번호를 잊었을 때 쓸 수 있어요.",
                            "With the country code. We confirm it by a code; then it resets a forgotten password.")))\
                    \(placeAndLanguage(fields, visit))
                    <p class="small muted">\(consent)</p>
                    \(FormFields.buttons(FormFields.submit(words("가입하기", "Sign up"))))
                    """))
                """)
    }

    private static func signUp(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (ask, form) = (visit.ask, visit.form)
        // An id that is none is refused like a code that has expired.
        guard let id = ask.parameters["request"].flatMap({ UUID(uuidString: $0) }) else {
            throw PeopleError.codeExpired
        }
        let people = ask.services.people
        let signedIn = try await people.signUp(
            SignUpRequest(id: id, code: form["code"] ?? "", password: form["password"] ?? "", person: person(visit)),
            from: ask.address)
        try await ask.remember(signedIn)
        guard let phone = form.written("phone") else { return .page("/?done=welcome") }
        // The account is there, whatever is wrong with the phone: the page of phones tells.
        let visitor = try await people.visitor(Substring(signedIn.token.text))
        let isSent = (try? await people.beginPhoneChange(of: visitor, to: phone, from: ask.address)) != nil
        return .page(isSent ? "/more/phone?sent=true" : "/more/phone")
    }

    private static func beginning(_ visit: PageVisit) -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        return PageContent(
            words("이메일 없이 시작하기", "Begin without an e-mail"), kind: "begin",
            main: """
                <h1>\(words("이메일 없이 시작하기", "Begin without an e-mail"))</h1>
                <p>\(words(
                    "이메일을 더할 때까지 정원은 이 기기에만 있어요. ‘더 보기’에서 언제든 더할 수 있고, 180일 동안 쓰지 않으면 지워져요.",
                    """
                    Your garden lives on this device until you add an e-mail, which you can do at any time under “More”. \
                    It is erased after 180 days without use.
                    """))</p>
                \(fields.form("/begin", """
                    \(nickname(fields, words))\(placeAndLanguage(fields, visit))\
                    \(FormFields.buttons(FormFields.submit(words("시작하기", "Begin"))))
                    """))
                """)
    }

    private static func begin(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let signedIn = try await visit.ask.services.people.beginAnonymously(person(visit), from: visit.ask.address)
        try await visit.ask.remember(signedIn)
        return .page("/?done=welcome")
    }

    private static func person(_ visit: PageVisit) -> NewPerson {
        let form = visit.form
        return NewPerson(
            nickname: form["nickname"] ?? "", timeZone: form["timeZone"] ?? "",
            language: form["language"].flatMap { Language(rawValue: $0) } ?? visit.words.language, phone: nil,
            deviceName: visit.ask.deviceName(nil))
    }

    private static func nickname(_ fields: FormFields, _ words: Words) -> Markup {
        fields.text(
            "nickname", words("별명", "Nickname"), hint: words("체리시가 부를 이름이에요.", "How Cherish calls you."), limit: 20,
            attributes: " autocomplete=\"nickname\"")
    }

    private static func placeAndLanguage(_ fields: FormFields, _ visit: PageVisit) -> Markup {
        """
        <div class="row">
        \(PlaceFields.timeZone(fields, value: visit.words.language == .korean ? "Asia/Seoul" : "UTC", isGuessed: true))\
        \(PlaceFields.language(fields, value: visit.words.language, isGuessed: true))</div>
        """
    }
}

/// Fields about where and how a person can be reached.
enum PlaceFields {
    static func phone(_ fields: FormFields, _ label: String, hint: String, value: String = "") -> Markup {
        fields.text(
            "phone", label, hint: hint, isOptional: true, value: value,
            attributes: " type=\"tel\" inputmode=\"tel\" autocomplete=\"tel\"")
    }

    static func timeZone(_ fields: FormFields, value: String, isGuessed: Bool = false) -> Markup {
        let words = fields.visit.words
        let known = zones.contains(value) ? zones : [value] + zones
        return fields.select(
            "timeZone", words("시간대", "Time zone"), hint: words("날짜와 알림이 따라요.", "Days and alarms follow it."),
            value: value, attributes: isGuessed && fields.visit.form.isEmpty ? " data-guess=\"timeZone\"" : "",
            options: known.map { ($0, $0.replacing("_", with: " ")) })
    }

    static func language(_ fields: FormFields, value: Language, isGuessed: Bool = false) -> Markup {
        fields.select(
            "language", fields.visit.words("언어", "Language"), value: value.rawValue,
            attributes: isGuessed && fields.visit.form.isEmpty && LanguageCookie.language(of: fields.visit.ask) == nil
                ? " data-guess=\"language\"" : "",
            options: [("ko", "한국어"), ("en", "English")])
    }

    private static let zones: [String] = TimeZone.knownTimeZoneIdentifiers.filter {
        $0.contains("/") && !$0.hasPrefix("SystemV/") || $0 == "UTC"
    }.sorted()
}

/// Fields of codes and new passwords.
enum PasswordFields {
    static func code(_ fields: FormFields, _ words: Words) -> Markup {
        fields.text(
            "code", words("인증 번호", "Code"),
            hint: words("여섯 자리예요. 10분 동안 쓸 수 있어요.", "Six digits. It is valid for 10 minutes."),
            isShownAgain: fields.visit.problem?.code != "code_wrong",
            attributes: """
                 class="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{6}" maxlength="6" \
                enterkeyhint="next"
                """)
    }

    static func new(_ fields: FormFields, _ words: Words, name: String = "password") -> Markup {
        fields.text(
            name, name == "password" ? words("비밀번호", "Password") : words("새 비밀번호", "New password"),
            hint: words("8자 이상, 숫자와 특수문자를 넣어 주세요.", "At least 8 characters, with a digit and a special character."),
            isShownAgain: false, attributes: " type=\"password\" autocomplete=\"new-password\" minlength=\"8\"")
    }
}
