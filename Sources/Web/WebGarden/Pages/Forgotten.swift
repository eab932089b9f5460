import CherishCore
import CherishHTTP
import CherishService
import Foundation
import HTMLMarkup

/// A forgotten password (rule 12.4).
enum ForgottenPage {
    static let pages = [
        GardenPage("/forgotten", for: .anybody, shows: address, does: sendCode),
        GardenPage("/forgotten/{request}", for: .anybody, shows: code, does: reset),
    ]

    private static func address(_ visit: PageVisit) -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        return PageContent(
            words("비밀번호를 잊었어요", "Forgotten password"), kind: "forgotten",
            main: """
                <h1>\(words("비밀번호를 잊었어요", "Forgotten password"))</h1>
                <p>\(words("이메일이나 확인한 전화로 인증 번호를 보내요.",
                    "We send a code to your e-mail, or to the phone that you confirmed."))</p>
                \(fields.form("/forgotten", """
                    <fieldset>
                    <legend>\(words("받을 곳", "Where to"))</legend>
                    \(SignInPage.email(fields, words, isOptional: true))\
                    \(PlaceFields.phone(
                        fields, words("또는 전화번호", "or phone"),
                        hint: words("나라 번호와 함께 +82 10 1234 5678처럼 써 주세요.",
                            "With the country code, such as +82 10 1234 5678.")))
                    </fieldset>
                    \(FormFields.buttons(FormFields.submit(words("인증 번호 받기", "Send the code"))))
                    """))
                """)
    }

    private static func sendCode(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (people, form, address) = (visit.ask.services.people, visit.form, visit.ask.address)
        let id =
            if let phone = form.written("phone"), form.written("email") == nil {
                try await people.beginPasswordReset(phone: phone, from: address)
            } else {
                try await people.beginPasswordReset(email: form["email"] ?? "", from: address)
            }
        return .page("/forgotten/\(id.uuidString.lowercased())")
    }

    private static func code(_ visit: PageVisit) -> PageContent {
        let (words, fields) = (visit.words, FormFields(visit: visit))
        return PageContent(
            words("새 비밀번호", "New password"), kind: "forgotten",
            main: """
                <h1>\(words("새 비밀번호", "New password"))</h1>
                <p>\(words("그 주소로 된 정원이 있다면 인증 번호를 보냈어요. 다른 모든 기기에서는 로그아웃돼요.",
                    """
                    If there is a garden with that address, a code is on its way. All other devices are signed out.
                    """))</p>
                \(fields.form(visit.ask.target, """
                    \(PasswordFields.code(fields, words))\(PasswordFields.new(fields, words))\
                    \(FormFields.buttons(FormFields.submit(words("비밀번호 바꾸기", "Set the password"))))
                    """))
                """)
    }

    private static func reset(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        guard let id = visit.ask.parameters["request"].flatMap({ UUID(uuidString: $0) }) else {
            throw PeopleError.codeExpired
        }
        try await visit.ask.services.people.resetPassword(
            id, code: visit.form["code"] ?? "", password: visit.form["password"] ?? "", from: visit.ask.address)
        return .page("/sign-in")
    }
}
