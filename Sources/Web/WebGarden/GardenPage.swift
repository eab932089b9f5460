import CherishCore
import CherishHTTP
import CherishService
import Foundation
import HTMLMarkup
import HTTPTypes

/// A page of the web garden: what it shows, and what its form does. All of them are in ``WebGarden/all``.
///
/// A form that was refused is shown again, with what was written and what is wrong. One that was accepted leads to another
/// page by 303, so that a reload sends nothing twice. Each form of somebody who is signed in carries a random `once`, with
/// which a repeated one gets the first answer again.
struct GardenPage: Sendable {
    enum Access: Sendable {
        case anybody, signedIn
    }

    /// Where an accepted form leads.
    enum Outcome: Sendable {
        case page(String)
        case shown(PageContent)
    }

    let path: String
    let access: Access
    /// Whether it shows the garden.
    let seesGarden: Bool
    /// Another page to which it leads somebody; nil to show itself.
    let leads: @Sendable (PageVisit) -> String?
    let shows: (@Sendable (PageVisit) async throws -> PageContent)?
    let does: (@Sendable (PageVisit) async throws -> Outcome)?

    init(
        _ path: String, for access: Access = .signedIn, seesGarden: Bool = false,
        leads: @escaping @Sendable (PageVisit) -> String? = { _ in nil },
        shows: (@Sendable (PageVisit) async throws -> PageContent)? = nil,
        does: (@Sendable (PageVisit) async throws -> Outcome)? = nil
    ) {
        (self.path, self.access, self.seesGarden) = (path, access, seesGarden)
        (self.leads, self.shows, self.does) = (leads, shows, does)
    }

    /// Its routes: one that shows it, and one for its form.
    var routes: [Route] {
        var routes: [Route] = []
        if shows != nil {
            routes.append(Route(page: path) { ask in try await show(PageVisit(ask, seesGarden: seesGarden)) })
        }
        if does != nil {
            routes.append(
                Route(page: path, form: .form(mostBytes: access == .signedIn ? Self.mostFormBytes : Self.mostByAnybody))
                { ask in
                    var visit = try await PageVisit(ask)
                    visit.form = Form(ask.body)
                    return try await send(visit)
                })
        }
        return routes
    }

    /// Many friends of an import fit into a form.
    private static let mostFormBytes = 2 << 20
    private static let mostByAnybody = 256 << 10
    /// How long a repeated form waits for the answer of the first one.
    private static let patience = Duration.seconds(5)

    /// The route of a form with a picture or a PDF and nothing else.
    ///
    /// - Parameters:
    ///   - shows: the page that says what is wrong with the file.
    ///   - does: takes the file, and says where that leads.
    static func upload(
        _ path: String, shows: @escaping @Sendable (PageVisit) async throws -> PageContent,
        does: @escaping @Sendable (PageVisit, [UInt8]) async throws -> String
    ) -> Route {
        Route(page: path, access: .session, form: .pictureForm) { ask in
            var visit = try await PageVisit(ask)
            do {
                guard let file = ask.upload else { throw RefusedRequest.brokenForm }
                return leading(to: try await does(visit, file.bytes()))
            } catch {
                let (problem, headers) = Problem.of(error, in: visit.words.language)
                guard problem.status < 500 else { throw error }
                visit.problem = problem
                var reply = Frame.reply(
                    try await shows(visit), visit, status: HTTPResponse.Status(code: problem.status))
                reply.headers.append(contentsOf: headers)
                return reply
            }
        }
    }

    private func show(_ visit: PageVisit) async throws -> Reply {
        guard let shows else { throw CareError.notFound(.plant) }
        if access == .signedIn, visit.account == nil {
            let query = visit.ask.query.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
            let here = visit.ask.target + (query.isEmpty ? "" : "?\(query)")
            return Self.leading(to: "/sign-in?next=\(here.percentEncoded)")
        }
        if let elsewhere = leads(visit) { return Self.leading(to: elsewhere) }
        return Frame.reply(try await shows(visit), visit)
    }

    private func send(_ visit: PageVisit) async throws -> Reply {
        guard let does else { throw CareError.notFound(.plant) }
        if access == .signedIn, visit.account == nil {
            // What was written survives the sign-in.
            let kept = shows == nil ? nil : Form.Kept(visit.ask)
            return Frame.reply(SignInPage.content(visit, keeping: kept), visit, status: .unauthorized)
        }
        do {
            return try await once(visit) {
                switch try await does(visit) {
                case .page(let path): Reply(.seeOther, body: Array(path.utf8))
                case .shown(let content): Frame.reply(content, visit)
                }
            }.leading
        } catch {
            let (problem, headers) = Problem.of(error, in: visit.words.language)
            // What is our fault is logged; what leads to no page of this form is told by a page of its own.
            guard problem.status < 500, let shows else { throw error }
            var again = visit
            again.problem = problem
            var reply = Frame.reply(
                try await shows(again), again, status: HTTPResponse.Status(code: problem.status))
            reply.headers.append(contentsOf: headers)
            return reply
        }
    }

    /// Carries out a form once. A second tap drops the answer of the first in the browser, so it waits for that.
    private func once(_ visit: PageVisit, _ body: @Sendable () async throws -> Reply) async throws -> Reply {
        let end = ContinuousClock.now + Self.patience
        while true {
            do {
                return try await Idempotency.answer(visit.ask, key: visit.form["once"], body)
            } catch let error as RefusedRequest
                where [.requestRunning, .answerLost].contains(error) && ContinuousClock.now < end
            {
                // What was carried out a moment ago may have no answer yet.
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// An answer that leads to another page.
    static func leading(to path: String) -> Reply { Reply(.seeOther, headers: [.location: path], body: []) }
}

extension Reply {
    /// Of a reply by 303, repeated or not, the body is where it leads.
    fileprivate var leading: Reply {
        guard status == .seeOther else { return self }
        var reply = self
        reply.headers[.contentType] = nil
        reply.headers[.location] = String(decoding: body, as: UTF8.self)
        reply.body = []
        return reply
    }
}

extension Form {
    /// A form that was sent by somebody whose session had ended.
    struct Kept: Sendable {
        let path: String
        let body: String

        /// No password and no code is ever in a page (rule 12.4).
        private static let secrets = ["code", "password", "present"]
        /// More, such as a table of contacts, has to be sent again: it is twice as long in the page.
        private static let mostBytes = 64 << 10

        /// - Returns: nil for a form that is too long.
        init?(_ ask: Ask) {
            let fields = ask.body.split(separator: UInt8(ascii: "&")).map { String(decoding: $0, as: UTF8.self) }
            let shown = fields.filter { field in !Self.secrets.contains { field.hasPrefix("\($0)=") } }
            let body = shown.joined(separator: "&")
            guard body.utf8.count <= Self.mostBytes else { return nil }
            (path, self.body) = (ask.target, body)
        }

        /// Reads it from the sign-in form; nil if there is none.
        init?(_ form: Form) {
            guard let body = form.written("kept") else { return nil }
            (path, self.body) = (OwnPath(form["next"]).text, body)
        }
    }
}

extension String {
    /// For a query: everything but letters, digits and `-._~/` is escaped.
    var percentEncoded: String {
        addingPercentEncoding(
            withAllowedCharacters: .init(charactersIn: "-._~/").union(.alphanumerics.intersection(.ascii)))
            ?? ""
    }
}

extension CharacterSet {
    fileprivate static let ascii = CharacterSet(charactersIn: "\u{0}"..."\u{7F}")
}
