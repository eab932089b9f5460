import CherishCore
import CherishHTTP
import CherishService
import Foundation
import HTMLMarkup

/// Where the account is signed in (rule 12.3).
enum SessionsPage {
    static let pages = [
        GardenPage("/more/sessions", shows: content),
        GardenPage("/more/sessions/removal", does: endOthers),
        GardenPage("/more/sessions/{session}/removal", does: end),
    ]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (words, care, account) = (visit.words, visit.ask.services.care, try visit.signedIn())
        let sessions = try await visit.ask.services.people.sessions(of: account.id)
        let today = try care.day(of: try await care.now(), for: account)
        let rows = try sessions.map { session in
            try row(session, used: care.day(of: session.usedAt, for: account), today: today, visit)
        }
        let ending = SettingsPage.asking(
            FormFields(visit: visit), "/more/sessions/removal", words("다른 기기 모두 로그아웃", "Sign out all others"),
            consequence: words(
                "이 기기만 남아요. 다른 기기에서는 다시 로그인해야 해요.",
                "Only this device stays signed in. The others have to sign in again."),
            words("모두 로그아웃", "Sign out all others"))
        return SettingsPage.content(
            words("로그인한 기기", "Signed-in devices"), visit,
            done: [
                "ended": words("그 기기에서 로그아웃했어요.", "That device has been signed out."),
                "others": words("다른 기기에서 모두 로그아웃했어요.", "All other devices have been signed out."),
            ],
            main: """
                <ul class="links">
                \(rows)</ul>
                \(sessions.count > 1 ? ending : "")
                """)
    }

    private static func row(
        _ session: SignInSession, used: CivilDay, today: CivilDay, _ visit: PageVisit
    ) throws -> Markup {
        let (words, name) = (visit.words, session.deviceName)
        let isThis = session.id == (try visit.ask.signedIn.sessionID)
        let state =
            isThis
            ? words("이 기기", "this device")
            : words(
                "마지막 사용: \(words.namedDate(used, today: today))", "last used: \(words.namedDate(used, today: today))")
        let form = FormFields(visit: visit).form(
            "/more/sessions/\(session.id.description)/removal",
            "<button>\(words("로그아웃", "Sign out"))<span class=\"heard\"> \(name)</span></button>")
        return """
            <li><div><span class="label"><strong><bdi>\(name)</bdi></strong> <span class="muted">\(state)</span></span>
            \(isThis ? "" : form)</div></li>

            """
    }

    private static func end(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        guard let id = UUID(uuidString: try visit.ask.id("session", of: .session)) else {
            throw CareError.notFound(.session)
        }
        try await visit.ask.services.people.endSession(SignInSession.ID(id), of: try visit.ask.signedIn.accountID)
        return .page("/more/sessions?done=ended")
    }

    private static func endOthers(_ visit: PageVisit) async throws -> GardenPage.Outcome {
        let visitor = try visit.ask.signedIn
        _ = try await visit.ask.services.people.endSessions(of: visitor.accountID, keeping: visitor.sessionID)
        return .page("/more/sessions?done=others")
    }
}
