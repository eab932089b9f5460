import CherishCore
import CherishHTTP
import CherishService
import HTMLMarkup
import HTTPTypes

/// The web garden: pages for browsers, which work without JavaScript and call the same use cases as the API.
///
/// Start reading at ``GardenPage``, then at a page such as `Pages/Water.swift`. The module touches no sockets and no
/// database; it knows the rules' words, HTML, and the files in `Assets`.
public enum WebGarden {
    /// Everything that a browser may open.
    ///
    /// - Parameters:
    ///   - documents: What the operator has written for people.
    ///   - hasLinks: Whether a link signs in, as for demonstrations on one machine.
    public static func pages(_ documents: GardenDocuments = GardenDocuments(), hasLinks: Bool = false) -> Pages {
        let pages = all + documents.pages + (hasLinks ? EnterPage.pages : [])
        return Pages(
            pages.flatMap(\.routes) + [ImportPage.upload, FriendPage.card, AccountPicturePage.upload, ListPage.upload]
                + files,
            problemPage: ProblemPage.reply)
    }

    /// The pages of every garden.
    static let all: [GardenPage] = [
        GardenMainPage.pages, SignInPage.pages, SignUpPage.pages, ForgottenPage.pages, WaterPage.pages,
        ReviewPage.pages, LaterPage.pages, FriendPage.pages, PlantPage.pages, PlantCalendarPage.pages, WhyPage.pages,
        ThingsPage.pages, ThingFormPage.pages, ThingPage.pages, SharePage.pages, FeedPage.pages, StorePage.pages,
        ListsPage.pages,
        AccountCalendarPage.pages,
        MePage.pages,
        ImportPage.pages, MorePage.pages, ProfilePage.pages, EmailPage.pages, PhonePage.pages, PasswordPage.pages,
        AccountPicturePage.pages, PushesPage.pages, LookPage.pages, TagsPage.pages,
        PausesPage.pages, SessionsPage.pages, LockPage.pages,
        ExportPage.pages, EnquiryPage.pages, LeavePage.pages, OfflinePage.pages,
    ].flatMap(\.self)

    private static let shown = Pages(all.flatMap(\.routes), problemPage: ProblemPage.reply)

    /// Whether a path, with or without a query, is that of a page.
    static func isShown(_ path: String) -> Bool { shown.match(String(path.prefix { $0 != "?" })) != nil }

    /// A page with what somebody wrote when the session had ended; nil if it is no page.
    static func page(of kept: Form.Kept, for signedIn: SignedIn, _ visit: PageVisit) async throws -> PageContent? {
        guard let match = shown.match(kept.path), let shows = all.first(where: { $0.path == match.route })?.shows else {
            return nil
        }
        let visitor = try await visit.ask.services.people.visitor(Substring(signedIn.token.text))
        var again = try await PageVisit(visit.ask.again(as: visitor, at: kept.path, match.parameters))
        again.form = Form(Array(kept.body.utf8))
        return try await shows(again)
    }

    // Nobody has to be signed in, so no session is looked up.
    private static let files: [Route] = [
        Route(page: "/assets/{file}", access: .anybody) { ask in
            guard let file = ask.parameters["file"].flatMap({ GardenAssets.shared.files[$0] }) else {
                throw RefusedRequest.unknownPath
            }
            return reply(file, ask, lasting: true)
        },
        Route(page: "/worker.js", access: .anybody) { ask in reply(GardenAssets.shared.worker, ask, lasting: false) },
        Route(page: "/manifest.webmanifest", access: .anybody) { ask in
            reply(Manifest.file(Words(language: LanguageCookie.language(of: ask) ?? ask.language)), ask, lasting: false)
        },
    ]

    private static func reply(_ file: GardenAssets.File, _ ask: Ask, lasting: Bool) -> Reply {
        var reply = Reply(
            .ok,
            headers: [
                .contentType: file.mediaType, .vary: "Accept-Encoding",
                .cacheControl: lasting ? "public, max-age=31536000, immutable" : "no-cache",
            ], body: file.bytes)
        if ask.acceptsGzip, let compressed = file.compressed {
            reply.headers[.contentEncoding] = "gzip"
            reply.body = compressed
        }
        // A service worker may ask our own server, and load nothing else.
        if file.name == "worker.js" {
            reply.headers[.contentSecurityPolicy] = "default-src 'none'; connect-src 'self'; script-src 'self'"
        }
        return reply
    }
}
