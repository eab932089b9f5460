import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// Leaving for good (rules 8.6 and 12.8).
enum LeavePage {
    static let pages = [GardenPage("/more/leave", shows: content, does: leave)]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let words = visit.words
        let seen = try await visit.ask.garden().statistics()
        let plants = words.count(seen.plantCount, "plant", "plants")
        let waterings = words.count(seen.wateringCount, "watering", "waterings")
        return SettingsPage.content(
            words("탈퇴하기", "Leave Cherish"), visit,
            main: """
                <div class="notice careful"><p>\(words(
                    "식물 \(seen.plantCount)그루, 물 준 기록 \(seen.wateringCount)번과 나머지 모두가 바로 영원히 지워져요. 아무도 되돌릴 수 없어요.",
                    """
                    Your \(plants), \(waterings) and everything else are erased for good, at once. Nobody can bring them back.
                    """))</p></div>
                <p>\(words("그 전에 ", "You may want to "))<a href="/more/export">\(words("내보내기", "export"))</a>\
                \(words("를 해 두어도 좋아요.", " them first."))</p>
                \(try await form(visit))
                """)
    }

    private static func form(_ visit: PageVisit) async throws -> Markup {
        let words = visit.words
        guard let proof = try await proof(visit) else {
            return SettingsPage.signInAgain(
                words(
                    "로그인한 지 10분이 지나서, 다시 로그인한 뒤에 탈퇴할 수 있어요.",
                    "You signed in more than 10 minutes ago. Sign in again to leave."),
                next: "/more/leave", words)
        }
        // Nothing is left that could answer a repeated form, so it carries no `once`.
        return """
            <form method="post" action="/more/leave" data-once>
            \(proof)<label class="choice"><input type="checkbox" id="understood" name="understood" value="true" required>\
            <span>\(words("모두 영원히 지워도 돼요", "Erase everything for good"))</span></label>
            <div class="buttons">
            <button class="danger">\(words("지우고 탈퇴하기", "Erase and leave"))</button>
            <a class="button" href="/more">\(words("남기", "Stay"))</a>
            </div>
            </form>
            """
    }

    /// The field by which somebody proves who they are, empty after a fresh sign-in; nil without any.
    private static func proof(_ visit: PageVisit) async throws -> Markup? {
        let (words, fields, account) = (visit.words, FormFields(visit: visit), try visit.signedIn())
        let ways = try await visit.ask.services.people.waysIn(of: account.id)
        if let email = account.email, ways.hasPassword {
            return "\(PasswordFields.username(email))\(PasswordFields.present(fields, words))"
        }
        if account.email == nil, ways.identities.isEmpty {
            return fields.text(
                "confirmation", words("별명", "Nickname"),
                hint: words(
                    "확인하려고 여쭤봐요. 이대로 써 주세요: \(account.nickname)",
                    "To be sure, write it as it is: \(account.nickname)"),
                attributes: " autocomplete=\"off\"")
        }
        return try await visit.isFreshlySignedIn() ? "" : nil
    }

    private static func leave(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let (ask, form) = (visit.ask, visit.form)
        guard form["understood"] == "true" else { throw PageProblem.erasureUnconfirmed }
        try await PasswordFields.checkingPresent {
            try await ask.services.people.requireProof(
                of: try ask.signedIn, password: PasswordFields.present(in: form),
                confirmation: form.written("confirmation"), from: ask.address)
        }
        _ = try await ask.garden().erase()
        ask.forgetBrowser()
        return .page("/?done=signed-out")
    }
}
