import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// Nickname, language, time zone and postcode (rule 12.6).
enum ProfilePage {
    static let pages = [GardenPage("/more/profile", shows: content, does: save)]

    private static func content(_ visit: PageVisit) throws -> PageContent {
        let (words, fields, account) = (visit.words, FormFields(visit: visit), try visit.signedIn())
        let form = fields.form(
            "/more/profile",
            """
            \(fields.text(
                "nickname", words("별명", "Nickname"), hint: words("체리시가 부를 이름이에요.", "How Cherish calls you."),
                value: account.nickname.description, limit: 20, attributes: " autocomplete=\"nickname\""))\
            \(PlaceFields.language(fields, value: account.language))\
            \(PlaceFields.timeZone(fields, value: account.timeZone))\
            \(fields.text(
                "postcode", words("우편번호", "Postcode"), isOptional: true, value: account.postcode?.description ?? "",
                attributes: " autocomplete=\"postal-code\""))\
            \(fields.text(
                "country", words("우편번호의 나라", "Country of the postcode"),
                hint: words("KR처럼 두 글자로 써 주세요.", "Two letters, like KR."), isOptional: true,
                value: account.country?.description ?? "", limit: 2, attributes: " autocomplete=\"country\""))\
            \(FormFields.buttons(FormFields.submit(words("저장", "Save"))))
            """)
        return SettingsPage.content(
            words("프로필", "Profile"), visit, done: ["saved": words("저장했어요.", "Saved.")], main: form)
    }

    private static func save(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let form = visit.form
        var request = AccountEditRequest()
        request.nickname = form["nickname"]
        request.language = form["language"].flatMap { Language(rawValue: $0) }
        request.timeZone = form["timeZone"]
        request.postcode = form.written("postcode") ?? ""
        request.country = form.written("country") ?? ""
        _ = try await visit.ask.garden().editAccount(request)
        // The manifest is in the language of the cookie.
        if let language = request.language { visit.ask.headers.add(.setCookie, LanguageCookie.header(language)) }
        return .page("/more/profile?done=saved")
    }
}
