import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup

/// The list of everything about the account, this device, and help.
enum MorePage {
    static let pages = [GardenPage("/more", shows: content)]

    private static func content(_ visit: PageVisit) async throws -> PageContent {
        let (words, account, garden) = (visit.words, try visit.signedIn(), try await visit.ask.garden())
        let people = visit.ask.services.people
        let ways = try await people.waysIn(of: account.id)
        let (tags, sessions) = (try await garden.tags(), try await people.sessions(of: account.id))
        return PageContent(
            words("더 보기", "More"), kind: "more", tab: .more,
            main: """
                \(heading(account, hasPicture: try await garden.hasPicture(), words))\
                \(you(account, ways, words))\(ofGarden(account, tagCount: tags.count, words))\
                \(data(sessionCount: sessions.count, words))\(help(words))\
                \(leaving(isAnonymous: account.email == nil && ways.identities.isEmpty, words))
                """)
    }

    private static func heading(_ account: Account, hasPicture: Bool, _ words: Words) -> Markup {
        let picture: Markup =
            hasPicture
            ? "<img class=\"portrait\" src=\"/v1/account/picture\" alt=\"\" width=\"72\" height=\"72\">\n" : ""
        return """
            <div class="friend">
            \(picture)<div>
            <h1>\(words("더 보기", "More"))</h1>
            <p class="muted"><bdi>\(account.nickname.description)</bdi></p>
            </div>
            </div>

            """
    }

    private static func you(_ account: Account, _ ways: IdentitiesDocument, _ words: Words) -> Markup {
        let none = words("없음", "none")
        let phone = account.phone.map { phone in
            phone.description == ways.confirmedPhone.value ? phone.description : words("확인 전", "not confirmed")
        }
        return group(
            "you", words("나", "You"),
            [
                PageLink.markup("/more/picture", "camera", words("사진", "Picture")),
                PageLink.markup(
                    "/more/profile", "person", words("별명, 언어, 시간대", "Nickname, language, zone"),
                    value: account.nickname.description),
                PageLink.markup(
                    "/more/email", "message", words("이메일", "E-mail"), value: account.email?.description ?? none),
                PageLink.markup("/more/phone", "call", words("전화번호", "Phone"), value: phone ?? none),
                PageLink.markup(
                    "/more/password", "lock", words("비밀번호", "Password"), value: ways.hasPassword ? nil : none),
            ])
    }

    private static func ofGarden(_ account: Account, tagCount: Int, _ words: Words) -> Markup {
        let (switches, look) = (account.switches, GardenAppearance(account))
        let hasPushes = (Topic.ofPlants + Topic.ofThings).contains { switches.allows($0) }
        return group(
            "garden", words("내 정원", "Your garden"),
            [
                PageLink.markup(
                    "/more/pushes", "bell", words("알림", "Pushes"),
                    value: hasPushes ? words("켜짐", "on") : words("꺼짐", "off")),
                PageLink.markup(
                    "/more/appearance", "settings", words("화면", "Appearance"),
                    value: "\(words.name(of: look.colours)), \(words("\(look.size)%", "\(look.size) %"))"),
                PageLink.markup("/more/tags", "tag", words("태그", "Tags"), value: String(tagCount)),
                PageLink.markup("/more/pauses", "later", words("쉬어 가기", "Pauses")),
            ])
    }

    private static func data(sessionCount: Int, _ words: Words) -> Markup {
        group(
            "data", words("기기와 데이터", "This device and your data"),
            [
                PageLink.markup("/more/lock", "lock", words("이 기기 잠금", "Lock of this device")),
                PageLink.markup(
                    "/more/sessions", "person", words("로그인한 기기", "Signed-in devices"),
                    value: String(sessionCount)),
                PageLink.markup("/more/export", "export", words("내보내기", "Export")),
                PageLink.markup("/more/feeds", "calendar", words("달력 구독", "Calendar feed")),
            ])
    }

    private static func help(_ words: Words) -> Markup {
        group(
            "help", words("도움말", "Help"),
            [
                PageLink.markup("/more/enquiry", "message", words("문의하기", "Write to us")),
                PageLink.markup("/privacy", "check", words("개인정보 처리방침", "Privacy")),
                PageLink.markup("/terms", "check", words("이용 약관", "Terms")),
            ])
    }

    /// - Parameter isAnonymous: whether nobody can sign in again once the session has ended.
    private static func leaving(isAnonymous: Bool, _ words: Words) -> Markup {
        let signOut: Markup = """
            <form method="post" action="/sign-out"><button>\(words("로그아웃", "Sign out"))</button></form>

            """
        let leave: Markup = "<a class=\"button plain\" href=\"/more/leave\">\(words("탈퇴하기", "Leave Cherish"))</a>\n"
        guard isAnonymous else { return "<div class=\"buttons\">\n\(signOut)\(leave)</div>" }
        return """
            <details>
            <summary>\(words("로그아웃", "Sign out"))</summary>
            <p>\(words(
                "이메일이 없어서, 로그아웃하면 이 정원에 다시 들어올 수 없어요.",
                "Without an e-mail there is no way back into this garden once you have signed out."))</p>
            <div class="buttons">
            <a class="button primary" href="/more/email">\(words("이메일 더하기", "Add an e-mail"))</a>
            \(signOut)</div>
            </details>
            <div class="buttons">
            \(leave)</div>
            """
    }

    private static func group(_ name: String, _ title: String, _ rows: [Markup]) -> Markup {
        """
        <section aria-labelledby="\(name)">
        <h2 id="\(name)">\(title)</h2>
        <ul class="links">
        \(rows)</ul>
        </section>

        """
    }
}

/// What the pages that ``MorePage`` leads to have in common.
enum SettingsPage {
    /// - Parameters:
    ///   - back: where the link at the top leads; nil leads to ``MorePage``.
    ///   - done: what a form has done, by the value of `done` with which it led here.
    static func content(
        _ title: String, _ visit: PageVisit, back: PageContent.Back? = nil, done: [String: String] = [:], main: Markup
    ) -> PageContent {
        var content = PageContent(
            title, kind: "settings", tab: .more,
            back: back ?? PageContent.Back(path: "/more", words: visit.words("더 보기", "More")),
            main: "<h1>\(title)</h1>\n\(main)")
        content.notice = visit.query("done").flatMap { done[$0] }.map { "<p>\($0)</p>" }
        return content
    }

    /// A form that erases or ends something, behind a question.
    ///
    /// - Parameters:
    ///   - question: opens the form.
    ///   - consequence: what will happen.
    static func asking(
        _ fields: FormFields, _ action: String, _ question: String, consequence: String, _ button: String
    ) -> Markup {
        """
        <details>
        <summary>\(question)</summary>
        <p>\(consequence)</p>
        \(fields.form(action, "<div class=\"buttons\"><button class=\"danger\">\(button)</button></div>"))</details>

        """
    }

    /// What leads somebody who signed in long ago to the sign-in, and back here.
    static func signInAgain(_ sentence: String, next: String, _ words: Words) -> Markup {
        """
        <div class="notice careful"><p>\(sentence)</p></div>
        <div class="buttons"><a class="button primary" href="/sign-in?next=\(next.percentEncoded)">\
        \(words("다시 로그인하기", "Sign in again"))</a></div>

        """
    }
}

extension PageVisit {
    /// Whether the sign-in is recent enough for what cannot be undone (rule 12.8).
    func isFreshlySignedIn() async throws -> Bool {
        SignInSession.isFresh(signedInAt: try ask.signedIn.signedInAt, at: try await ask.services.care.now())
    }
}
