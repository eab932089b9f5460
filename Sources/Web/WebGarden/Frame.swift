import CherishCore
import CherishHTTP
import CherishService
import Foundation
import HTMLMarkup
import HTTPTypes

/// What is special about a page, besides its frame.
struct PageContent: Sendable {
    /// A link at the top that leads back.
    struct Back: Sendable {
        let path, words: String
    }

    enum Tab: String, CaseIterable, Sendable {
        case garden, things, calendar, me, more
    }

    let title: String
    /// The class of the body: `page-garden`.
    let kind: String
    var back: Back?
    /// nil for pages of people who are not signed in.
    var tab: Tab?
    /// Whether browsers keep it, to be read without a network.
    var isKept = false
    /// Whether it has two columns in a wide window.
    var isWide = false
    /// What somebody is told at the top, such as what a form has done.
    var notice: Markup?
    /// Whether its address is a secret: nothing keeps it, and no search engine lists it.
    var isSecret = false
    /// Whether it may ask the browser where the person is.
    var asksPosition = false
    /// Whether somebody has just signed out, and this browser forgets everything.
    var isSignedOut = false
    /// Whether it shows what belongs to an account.
    var isPersonal = false
    /// The account whose copy of the garden the browser keeps; `*` on a page that is filled from any copy there is.
    var account: String?
    /// Whether browsers fill it from the copy that they keep, whosever that is.
    var isOfAnyAccount = false
    /// The text that the form before kept in the browser is not needed any more.
    var kept: String?
    var main: Markup
    /// Dialogs.
    var after: Markup = ""

    init(_ title: String, kind: String, tab: Tab? = nil, back: Back? = nil, main: Markup) {
        (self.title, self.kind, self.tab, self.back, self.main) = (title, kind, tab, back, main)
    }
}

extension PageContent.Tab {
    /// The path of a tab's page. Where another page is the first one, `/` leads there, and no longer to the garden.
    func path(_ appearance: GardenAppearance) -> String {
        switch self {
        case .garden: appearance.firstPage == .garden ? "/" : "/plants"
        case .things: "/things"
        case .calendar: "/calendar"
        case .me: "/me"
        case .more: "/more"
        }
    }
}

/// The frame of all pages.
enum Frame {
    static func reply(_ content: PageContent, _ visit: PageVisit, status: HTTPResponse.Status = .ok) -> Reply {
        var content = content
        content.kept = visit.query("kept")
        // What was just done, or is wrong, is no news later.
        if visit.query("done") != nil || visit.problem != nil { content.isKept = false }
        content.isSignedOut = visit.account == nil && visit.query("done") == "signed-out"
        content.isPersonal = visit.account != nil && !content.isOfAnyAccount
        content.account = content.isOfAnyAccount ? "*" : visit.account?.id.description
        var reply = reply(
            content, words: visit.words, appearance: GardenAppearance(visit.account), problem: visit.problem,
            status: status, acceptsGzip: visit.ask.acceptsGzip)
        // A browser in which nobody is signed in keeps no page of anybody, however the session ended.
        if visit.account == nil, !content.isOfAnyAccount { reply.headers[.gardenForget] = "1" }
        return reply
    }

    static func reply(
        _ content: PageContent, words: Words, appearance: GardenAppearance = GardenAppearance(nil),
        problem: Problem? = nil, status: HTTPResponse.Status, acceptsGzip: Bool = false
    ) -> Reply {
        let html = html(content, words, appearance, problem).bytes
        var reply = Reply(status, headers: headers, body: html)
        reply.headers[.contentLanguage] = words.language.rawValue
        if content.isKept { reply.headers[.gardenOffline] = "1" }
        if content.asksPosition {
            reply.headers[.permissionsPolicy] = "camera=(), microphone=(), geolocation=(self), payment=(), usb=()"
        }
        // Nobody finds it by Back once the person has signed out.
        if content.isPersonal || content.isSecret { reply.headers[.cacheControl] = "no-store" }
        if content.isSecret { reply.headers[.robots] = "noindex" }
        // What fits into one packet gains nothing.
        if acceptsGzip, html.count > 1_400, let compressed = Gzip.compress(html, level: 1) {
            reply.headers[.contentEncoding] = "gzip"
            reply.body = compressed
        }
        return reply
    }

    private static let headers: HTTPFields = [
        .contentType: "text/html; charset=utf-8",
        .vary: "Accept-Encoding, Accept-Language, Cookie",
        .contentSecurityPolicy: """
        default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
        manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types cherish
        """,
        .crossOriginOpenerPolicy: "same-origin",
        .permissionsPolicy: "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    ]

    private static func html(
        _ content: PageContent, _ words: Words, _ appearance: GardenAppearance, _ problem: Problem?
    ) -> Markup {
        let assets = GardenAssets.shared
        let classes: Markup = content.isWide ? " class=\"two\"" : ""
        let offline: Markup = content.isKept ? " data-offline" : ""
        let signedOut: Markup = content.isSignedOut ? " data-signed-out" : ""
        let modules = assets.modules.map { path -> Markup in "<link rel=\"modulepreload\" href=\"\(path)\">\n" }
        return """
            <!doctype html>
            <html lang="\(words.language.rawValue)"\(appearance.attributes)>
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <title>\(content.title) · Cherish</title>
            <link rel="stylesheet" href="\(assets.path("garden.css"))">
            <link rel="manifest" href="/manifest.webmanifest">
            <link rel="icon" href="\(assets.path("icon.svg"))" type="image/svg+xml">
            <link rel="apple-touch-icon" href="\(assets.path("apple-touch-icon-180.png"))">
            <meta name="theme-color" media="(prefers-color-scheme: light)" content="#f6f3ec">
            <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#131915">
            <script src="\(assets.path("cover.js"))"></script>
            <script type="module" src="\(assets.path("garden.js"))"></script>
            \(modules)\
            </head>
            <body class="page-\(content.kind)"\(attribute("data-kept", content.kept))\(attribute("data-account", content.account))\(signedOut)>
            <a class="skip" href="#main">\(words("본문으로 가기", "Skip to the content"))</a>
            <header class="top">\(top(content))</header>
            <main id="main"\(classes)\(offline)>
            \(errors(problem))\(notice(content.notice))\(content.main)
            </main>
            \(content.tab.map { tabs($0, appearance, words) } ?? foot(words))
            \(content.isKept ? offlineWords(words) : "")\(content.account == nil ? "" : queueWords(words))\(content.after)\(content.tab == nil ? "" : LockCover.markup(words))</body>
            </html>

            """
    }

    /// What a page says when it is read without a network.
    private static func offlineWords(_ words: Words) -> Markup {
        """
        <template data-offline-words><p class="notice careful"><span>\(words(
            "인터넷에 연결되어 있지 않아요. 이 페이지는" as Markup, "There is no network. This page is of"
        )) <time></time>\(words("의 모습이에요.", "."))</span></p></template>

        """
    }

    /// What pages say of what waits to be sent.
    private static func queueWords(_ words: Words) -> Markup {
        """
        <template data-queue-words><p class="notice" data-queue>\
        <a href="/offline#waiting" data-count-of="waiting">\(words("보낼 것" as Markup, "To be sent")) <strong></strong></a>\
        <a href="/offline#refused" data-count-of="refused">\(words("받아들여지지 않은 것" as Markup, "Refused")) <strong></strong></a>\
        </p></template>

        """
    }

    private static func top(_ content: PageContent) -> Markup {
        if let back = content.back {
            return "<a class=\"back\" href=\"\(back.path)\">\(Picture.icon("back"))<bdi>\(back.words)</bdi></a>"
        }
        let icon = GardenAssets.shared.path("icon.svg")
        return "<a class=\"brand\" href=\"/\"><img src=\"\(icon)\" alt=\"\" width=\"28\" height=\"28\">Cherish</a>"
    }

    private static func errors(_ problem: Problem?) -> Markup {
        guard let problem else { return "" }
        let items = [problem.remedy].filter { !$0.isEmpty }.map { item -> Markup in
            guard let field = FieldOfProblem.name(problem.code) else { return "<li>\(item.sentence)</li>" }
            return "<li><a href=\"#\(field)\">\(item.sentence)</a></li>"
        }
        let list: Markup = items.isEmpty ? "" : "<ul>\(items)</ul>"
        return """
            <section class="errors" id="errors" tabindex="-1" autofocus aria-labelledby="errors-title">
            <h2 id="errors-title">\(problem.detail.sentence)</h2>
            \(list)
            </section>

            """
    }

    private static func notice(_ notice: Markup?) -> Markup {
        notice.map { "<div class=\"notice\" role=\"status\">\($0)</div>\n" } ?? ""
    }

    private static func tabs(
        _ current: PageContent.Tab, _ appearance: GardenAppearance, _ words: Words
    ) -> Markup {
        let links = PageContent.Tab.allCases.map { tab -> Markup in
            let icon =
                switch tab {
                case .garden: "home"
                case .things: "check"
                case .calendar: "calendar"
                case .me: "person"
                case .more: "more"
                }
            let here: Markup = tab == current ? " aria-current=\"page\"" : ""
            return """
                <a href="\(tab.path(appearance))"\(here)>\(Picture.icon(icon))\(words.name(of: tab))</a>

                """
        }
        return "<nav class=\"tabs\" aria-label=\"\(words("페이지", "Pages"))\">\n\(links)</nav>\n"
    }

    private static func foot(_ words: Words) -> Markup {
        let other: Language = words.language == .korean ? .english : .korean
        let (code, name) = (other.rawValue, other == .korean ? "한국어" : "English")
        return """
            <footer class="foot">
            <a href="/privacy">\(words("개인정보", "Privacy"))</a>
            <a href="/terms">\(words("약관", "Terms"))</a>
            <a href="/?language=\(code)" hreflang="\(code)" lang="\(code)">\(name)</a>
            </footer>

            """
    }

    /// An attribute with its value; nothing for nil.
    static func attribute(_ name: String, _ value: String?) -> Markup {
        value.map { " \(name)=\"\($0)\"" } ?? ""
    }
}

/// How an account wants pages to look: the part of its appearance (rule 12.6) that the web garden understands.
struct GardenAppearance: Sendable {
    enum Colours: String, CaseIterable, Sendable {
        case system, light, dark
    }

    static let sizes = [100, 115, 130, 150]

    /// The pages of which one may come first.
    static let firstPages: [PageContent.Tab] = [.garden, .things, .calendar, .me]

    var colours = Colours.system
    /// Of text, in percent.
    var size = 100
    /// What `/` shows.
    var firstPage = PageContent.Tab.garden

    init(_ account: Account?) {
        guard case .object(let object)? = account?.appearance.document else { return }
        if case .string(let text)? = object["colours"], let known = Colours(rawValue: text) { colours = known }
        if case .integer(let number)? = object["size"], Self.sizes.contains(number) { size = number }
        if case .string(let text)? = object["firstPage"], let known = PageContent.Tab(rawValue: text),
            Self.firstPages.contains(known)
        {
            firstPage = known
        }
    }

    fileprivate var attributes: Markup {
        let theme: Markup = colours == .system ? "" : " data-theme=\"\(colours.rawValue)\""
        return size == 100 ? theme : "\(theme) data-size=\"\(size)\""
    }
}

extension String {
    /// With a capital and a full stop: our messages have neither in English.
    var sentence: String {
        guard let last else { return self }
        return prefix(1).uppercased() + dropFirst() + (".!?。".contains(last) ? "" : ".")
    }
}

extension HTTPField.Name {
    static let gardenOffline = HTTPField.Name("X-Garden-Offline")!  // a valid name
    static let robots = HTTPField.Name("X-Robots-Tag")!  // a valid name
    static let gardenForget = HTTPField.Name("X-Garden-Forget")!  // a valid name
    static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!  // a valid name
    static let permissionsPolicy = HTTPField.Name("Permissions-Policy")!  // a valid name
}
