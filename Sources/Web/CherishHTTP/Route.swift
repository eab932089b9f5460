import CherishCore
import CherishService
import DocumentEncoding
import Foundation
import HTTPTypes
import Hummingbird
import Pictures
import Synchronization

/// Who may call a route.
package enum Access: Sendable {
    /// Anybody.
    case anybody
    /// Whoever is signed in.
    case session
    /// Anybody; the route is told who is signed in.
    case either
}

/// What a route does with an Idempotency-Key.
package enum Repetition: Sendable {
    /// A repeated request gets the first answer again.
    case answeredAgain
    /// The route takes no key: it answers secrets, changes nothing, or does the same however often it is asked.
    case harmless
}

/// One route of the API: everything that the server, OpenAPI, metrics and tests know about it.
package struct Route: Sendable {
    let method: HTTPRequest.Method
    /// Segments, of which those in braces are parameters: `/v1/friends/{friend}`.
    package let path: String
    /// One line, for OpenAPI.
    let summary: String
    let access: Access
    let repetition: Repetition
    /// The names and kinds of the query.
    let query: [Fields.Description]
    /// nil if it takes no body.
    let body: Content?
    let success: HTTPResponse.Status
    let answer: Answer
    let handle: @Sendable (Ask) async throws -> Reply

    /// Whether it answers pages for people, and tells them on pages what went wrong.
    let isPage: Bool
    /// The segments of the path.
    let segments: [Substring]

    /// Whether If-Match can protect what the route changes: a friend, a tag, a thing, or the settings.
    var takesVersion: Bool {
        guard method != .get else { return false }
        return path.hasPrefix("/v1/friends/{friend}") || path.hasPrefix("/v1/tags/{tag}")
            || path.hasPrefix("/v1/things/{thing}") || Self.ofOwnList.contains(path)
            || path == "/v1/account" && method == .patch
    }

    /// What an owner changes of a list. A helper does not hold a version: the owner's edits end with the acceptance.
    private static let ofOwnList = [
        "/v1/lists/{list}", "/v1/lists/{list}/opening", "/v1/lists/{list}/cancellation",
    ]

    /// Whether it answers something that has a version.
    var hasVersion: Bool {
        guard case .document(let type) = answer else { return false }
        return type is any VersionedDocument.Type
    }

    /// What metrics and logs call the route: never a path, which would hold ids.
    var name: String { "\(method.rawValue) \(path)" }

    /// What a route takes.
    package enum Content: Sendable {
        case json(schema: JSONValue, example: JSONValue)
        /// A small file of one of these media types.
        case file(types: [String], mostBytes: Int)
        /// A large file of one of these media types, or a form with it.
        case upload(types: [String], mostBytes: Int)
        /// A form of a page.
        case form(mostBytes: Int)

        /// In lower case, without parameters.
        var mediaTypes: [String] {
            switch self {
            case .json: ["application/json"]
            case .file(let types, _), .upload(let types, _): types
            case .form: ["application/x-www-form-urlencoded"]
            }
        }

        var mostBytes: Int {
            switch self {
            case .json: 256 * 1024
            case .file(_, let mostBytes), .upload(_, let mostBytes), .form(let mostBytes): mostBytes
            }
        }
    }

    /// What a route answers.
    package enum Answer: Sendable {
        case nothing
        case document(any (Codable & Sendable).Type)
        /// A file of one of these media types.
        case file([String])
    }

    /// A route that answers a document, or nothing (``NoContent``).
    init<Query: RequestQuery, Body: RequestBody, Document: Codable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, access: Access = .session,
        repetition: Repetition? = nil, query: Query.Type, body: Body.Type,
        success: HTTPResponse.Status? = nil,
        _ handle: @escaping @Sendable (Ask, Query, Body) async throws -> Document
    ) {
        let isEmpty = Document.self == NoContent.self
        let success = success ?? (isEmpty ? .noContent : .ok)
        self.init(
            method, path, summary, access: access, repetition: repetition, query: query, body: body, success: success,
            answer: isEmpty ? .nothing : .document(Document.self)
        ) { ask, query, body in
            let document = try await handle(ask, query, body)
            return try isEmpty ? Reply(success, body: []) : Reply(success, document)
        }
    }

    /// A route without a query.
    init<Body: RequestBody, Document: Codable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, access: Access = .session,
        repetition: Repetition? = nil, body: Body.Type, success: HTTPResponse.Status? = nil,
        _ handle: @escaping @Sendable (Ask, NoQuery, Body) async throws -> Document
    ) {
        self.init(
            method, path, summary, access: access, repetition: repetition, query: NoQuery.self, body: body,
            success: success, handle)
    }

    /// A route without a body.
    init<Query: RequestQuery, Document: Codable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, access: Access = .session,
        query: Query.Type, success: HTTPResponse.Status? = nil,
        _ handle: @escaping @Sendable (Ask, Query, NoBody) async throws -> Document
    ) {
        self.init(method, path, summary, access: access, query: query, body: NoBody.self, success: success, handle)
    }

    /// A route without a query and a body.
    init<Document: Codable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, access: Access = .session,
        success: HTTPResponse.Status? = nil,
        _ handle: @escaping @Sendable (Ask, NoQuery, NoBody) async throws -> Document
    ) {
        self.init(
            method, path, summary, access: access, query: NoQuery.self, body: NoBody.self, success: success, handle)
    }

    /// A route that takes a file and answers nothing.
    init(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, file types: [String], mostBytes: Int,
        _ handle: @escaping @Sendable (Ask) async throws -> Void
    ) {
        self.init(
            method, path, summary, access: .session, repetition: nil, query: NoQuery.self, body: NoBody.self,
            content: .file(types: types, mostBytes: mostBytes), success: .noContent, answer: .nothing
        ) { ask, _, _ in
            try await handle(ask)
            return Reply(.noContent, body: [])
        }
    }

    /// A route that takes a large file and answers a document.
    init<Query: RequestQuery, Document: Codable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, upload types: [String], mostBytes: Int,
        query: Query.Type, _ handle: @escaping @Sendable (Ask, Query, UploadedFile) async throws -> Document
    ) {
        self.init(
            method, path, summary, access: .session, repetition: nil, query: query, body: NoBody.self,
            content: .upload(types: types, mostBytes: mostBytes), success: .ok, answer: .document(Document.self)
        ) { ask, query, _ in
            guard let file = ask.upload else { throw RefusedRequest.brokenForm }
            return try await ask.services.uploads.read { try Reply(.ok, try await handle(ask, query, file)) }
        }
    }

    /// A route that answers whatever it makes.
    init<Query: RequestQuery, Body: RequestBody>(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, access: Access, repetition: Repetition?,
        query: Query.Type, body: Body.Type, content: Content? = nil, success: HTTPResponse.Status, answer: Answer,
        _ handle: @escaping @Sendable (Ask, Query, Body) async throws -> Reply
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.access = access
        self.repetition = repetition ?? (method == .post && access == .session ? .answeredAgain : .harmless)
        self.query = Query.descriptions
        self.body = content ?? (Body.self == NoBody.self ? nil : .json(schema: Body.schema, example: Body.example))
        self.success = success
        self.answer = answer
        segments = path.split(separator: "/")
        isPage = false
        self.handle = { ask in
            var reply = try await handle(ask, try Query(ask: ask), try Body(ask: ask))
            reply.headers.append(contentsOf: ask.headers.all)
            return reply
        }
    }
}

extension Route {
    /// A page for browsers. Unlike other routes, it takes any query.
    ///
    /// - Parameters:
    ///   - access: a large file is taken from whoever is signed in only.
    ///   - form: what a form sends to it; nil for a page that is only read.
    package init(
        page path: String, access: Access = .either, form: Content? = nil,
        _ handle: @escaping @Sendable (Ask) async throws -> Reply
    ) {
        (method, self.path, summary) = (form == nil ? .get : .post, path, "")
        (self.access, repetition) = (access, form == nil ? .harmless : .answeredAgain)
        (query, body, success, answer) = ([], form, .ok, .file(["text/html"]))
        segments = path.split(separator: "/")
        isPage = true
        self.handle = { ask in
            var reply = try await handle(ask)
            reply.headers.append(contentsOf: ask.headers.all)
            return reply
        }
    }
}

/// The answer of a route that answers nothing.
struct NoContent: Codable, Sendable {}

/// A request without a body.
struct NoBody: RequestBody {
    init(_ fields: inout Fields) {}
    static var example: JSONValue { [:] }
}

extension RequestBody {
    fileprivate init(ask: Ask) throws {
        if Self.self == NoBody.self {
            var fields = Fields([:])
            self.init(&fields)
        } else {
            try self.init(json: try ask.json())
        }
    }
}

/// The parameters of a query, read by name.
protocol RequestQuery: Sendable {
    init(_ fields: inout Fields)
}

/// A request without a query.
struct NoQuery: RequestQuery {
    init(_ fields: inout Fields) {}
}

extension RequestQuery {
    /// - Throws: ``InvalidRequest`` with everything that is wrong.
    fileprivate init(ask: Ask) throws {
        var described = Fields()
        _ = Self(&described)
        let kinds = Dictionary(uniqueKeysWithValues: described.descriptions.map { ($0.name, $0.schema) })
        var given: [String: JSONValue] = [:]
        for (name, text) in ask.query { given[name] = JSONValue(parameter: text, kinds[name]) }
        var fields = Fields(given, prefix: "?")
        let query = Self(&fields)
        let problems = fields.finish()
        guard problems.isEmpty else { throw InvalidRequest(problems: problems) }
        self = query
    }

    fileprivate static var descriptions: [Fields.Description] {
        var fields = Fields()
        _ = Self(&fields)
        return fields.descriptions
    }
}

extension JSONValue {
    /// The text of a parameter as the kind that is wanted; text that is none stays text, and is refused as such.
    fileprivate init(parameter text: String, _ schema: JSONValue?) {
        let types: [JSONValue] =
            switch schema?["type"] {
            case .array(let types)?: types
            case let type?: [type]
            case nil: []
            }
        if types.contains("integer"), let number = Int(text) {
            self = .integer(number)
        } else if types.contains("boolean"), text == "true" || text == "false" {
            self = .boolean(text == "true")
        } else {
            self = .string(text)
        }
    }
}

/// A request as a route sees it.
package struct Ask: Sendable {
    package let services: Services
    package let route: Route
    let path: Substring
    /// The values of the path's parameters, by name.
    package let parameters: [Substring: String]
    /// Decoded names and values of the query.
    package let query: [(String, String)]
    /// The bytes of the body, or the SHA-256 of a file that is uploaded.
    package let body: [UInt8]
    package let upload: UploadedFile?
    /// The versions of which the request may change something, by If-Match; nil is any.
    let expectedVersions: Set<Int>?
    /// Who is signed in; nil on routes for anybody.
    package let visitor: Visitor?
    package let address: NetworkAddress
    /// Where people reach the service, such as `https://cherish.example`: before the path of a link.
    package let origin: String
    /// The headers of the request.
    let fields: HTTPFields
    /// Headers that the answer gets.
    package let headers = ReplyHeaders()

    /// The names of the app and the system, as the client gives them.
    var userAgent: String { fields[.userAgent] ?? "" }

    /// The same request as if somebody else had asked for another page.
    package func again(as visitor: Visitor, at path: String, _ parameters: [Substring: String]) -> Ask {
        Ask(
            services: services, route: route, path: path[...], parameters: parameters, query: [], body: [], upload: nil,
            expectedVersions: nil, visitor: visitor, address: address, origin: origin, fields: fields)
    }

    /// The path that was asked for.
    package var target: String { String(path) }

    /// Whether the client understands gzip.
    package var acceptsGzip: Bool { fields[.acceptEncoding]?.contains("gzip") ?? false }

    /// A cookie of that name; nil if there is none.
    package func cookie(_ name: String) -> Substring? { SessionCookie.cookie(name, in: fields) }

    /// The language that the client prefers.
    package var language: Language { Language(accepting: fields[.acceptLanguage]) }

    /// - Throws: ``PeopleError/notSignedIn``, which only a route for anybody that needs a session can see.
    package var signedIn: Visitor {
        get throws {
            guard let visitor else { throw PeopleError.notSignedIn }
            return visitor
        }
    }

    /// The garden of whoever is signed in. There is no other way to plants, tags, devices and imports.
    ///
    /// - Parameter editedAt: When the person made the edit, by the device's clock; nil if the request does not say (rule 14.3).
    package func garden(editedAt: Instant? = nil) async throws -> GardenService {
        try await services.care.garden(of: .visitor(try signedIn)).expecting(expectedVersions)
            .editing(at: editedAt)
    }

    /// A parameter of the path that is a whole id.
    ///
    /// - Throws: ``CareError/notFound(_:)`` for other text.
    package func id(_ name: Substring, of subject: CareError.Subject) throws -> String {
        guard let text = parameters[name], text.utf8.count == 36, UUID(uuidString: text) != nil else {
            throw CareError.notFound(subject)
        }
        return text
    }

    /// A parameter of the path that is a day.
    package func day(_ name: Substring) throws -> CivilDay {
        guard let text = parameters[name], let day = CivilDay(text) else { throw CareError.notFound(.watering) }
        return day
    }

    fileprivate func json() throws -> JSONValue {
        do {
            return try JSONDecoder().decode(JSONValue.self, from: Data(body))
        } catch {
            throw RefusedRequest.unreadableBody
        }
    }
}

/// What the routes call.
public struct Services: Sendable {
    package let care: CareService
    package let people: PeopleService
    package let pictures: PictureMaker
    package let uploads = UploadLine()
    let changes: ChangeHub

    public init(care: CareService, people: PeopleService, pictures: PictureMaker, changes: ChangeHub) {
        (self.care, self.people, self.pictures, self.changes) = (care, people, pictures, changes)
    }
}

/// Headers that a route adds to its answer.
package final class ReplyHeaders: Sendable {
    private let fields = Mutex(HTTPFields())

    var all: HTTPFields { fields.withLock { $0 } }

    package func add(_ name: HTTPField.Name, _ value: String) {
        fields.withLock { $0.append(HTTPField(name: name, value: value)) }
    }
}

/// An answer.
package struct Reply: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields = [:]
    package var body: [UInt8]
    /// What is sent instead of the body.
    var file: SpooledFile?
    /// What is sent instead of the body, for as long as the client listens; nil for an answer that has an end.
    var events: ServerSentEvents?
    /// Of what the body describes, if that has one.
    var version: Int?
    /// Whether the connection is closed after it.
    var endsConnection = false

    package init(_ status: HTTPResponse.Status, headers: HTTPFields = [:], body: [UInt8], file: SpooledFile? = nil) {
        (self.status, self.headers, self.body, self.file) = (status, headers, body, file)
    }

    /// A document as JSON.
    init(_ status: HTTPResponse.Status, _ document: some Encodable) throws {
        self.init(
            status, headers: [.contentType: "application/json; charset=utf-8"],
            body: try DocumentEncoder.bytes(of: document))
        version = (document as? any VersionedDocument)?.version
    }
}

/// All routes, found by method and path.
struct RouteTable: Sendable {
    enum Match: Sendable {
        case route(Route, [Substring: String])
        /// The path exists with other methods.
        case otherMethods([HTTPRequest.Method])
        case nothing
    }

    let routes: [Route]
    /// By number of segments.
    private let byLength: [Int: [Route]]

    init(_ routes: [Route]) {
        self.routes = routes
        byLength = Dictionary(grouping: routes, by: \.segments.count)
    }

    /// Finds the route of a path. Fixed segments win over parameters.
    func match(_ method: HTTPRequest.Method, _ path: String) -> Match {
        let segments = path == "/" ? [] : path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        // An empty segment, as in `//`, is nobody's id.
        guard path.hasPrefix("/"), segments.allSatisfy({ !$0.isEmpty }) else { return .nothing }
        let found = (byLength[segments.count] ?? []).compactMap { route in
            RouteTable.parameters(route.segments, segments).map { (route: route, parameters: $0) }
        }
        guard let fewest = found.map(\.parameters.count).min() else { return .nothing }
        let best = found.filter { $0.parameters.count == fewest }
        if let match = best.first(where: { $0.route.method == method }) { return .route(match.route, match.parameters) }
        return .otherMethods(best.map(\.route.method))
    }

    /// - Returns: nil for a path of another route.
    private static func parameters(_ pattern: [Substring], _ segments: ArraySlice<Substring>) -> [Substring: String]? {
        guard zip(pattern, segments).allSatisfy({ $0 == $1 || $0.hasPrefix("{") }) else { return nil }
        var parameters: [Substring: String] = [:]
        for (wanted, given) in zip(pattern, segments) where wanted.hasPrefix("{") {
            let text = given.utf8.contains(UInt8(ascii: "%")) ? given.removingPercentEncoding : String(given)
            guard let text else { return nil }
            parameters[wanted.dropFirst().dropLast()] = text
        }
        return parameters
    }
}
