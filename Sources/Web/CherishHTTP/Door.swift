import CherishCore
import CherishRuntime
import CherishService
import CherishStore
import DocumentEncoding
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import Secrets

/// Answers every request: finds its route, and does for all of them what none may forget.
///
/// The module CherishHTTP knows HTTP, routes and problem details; the rules are the service's. It touches the sockets on
/// which it listens. Start reading at ``respond(to:context:)``; ``Route`` tells what a route is, and `Routes/` has them all.
struct Door: HTTPResponder {
    let services: Services
    let table: RouteTable
    let pages: Pages
    let settings: ServerSettings
    /// Answers that are no routes of the API, such as the OpenAPI document and probes, by path.
    let extras: [String: @Sendable () async throws -> Reply]

    func respond(to request: Request, context: DoorContext) async throws -> Response {
        // In a task of its own: a task keeps the memory of its deepest call until it ends, and that of a connection may have an
        // hour of events before it.
        async let response = response(to: request, context)
        return await response
    }

    private func response(to request: Request, _ context: DoorContext) async -> Response {
        let start = ContinuousClock.now
        let visit = Visit(request, context, settings)
        let (route, reply) = await answer(request, visit)
        let took = ContinuousClock.now - start
        note(visit, route, reply, took)
        var response = response(reply, to: request, visit)
        // What was refused may not have been read, and would be read to its end, however long it is.
        if reply.endsConnection || reply.status.code >= 400 && request.hasLongBody {
            response.headers[.connection] = "close"
            response.body = response.body.closing(context.channel)
        }
        return response
    }

    /// - Returns: the name of the route, for logs and metrics, and the answer.
    private func answer(_ request: Request, _ visit: Visit) async -> (route: String, reply: Reply) {
        let path = String(visit.path)
        if let extra = extras[path] {
            guard [.get, .head].contains(request.method) else {
                return (path, reply(to: RefusedRequest.wrongMethod(allowed: ["GET"]), visit))
            }
            return (path, await reply(visit) { try await extra() })
        }
        // A HEAD is a GET whose body is not sent.
        let method = request.method == .head ? .get : request.method
        switch (path.hasPrefix("/v1/") ? table : pages.table).match(method, path) {
        case .nothing: return ("none", reply(to: RefusedRequest.unknownPath, visit))
        case .otherMethods(let methods):
            let allowed = methods.map(\.rawValue).sorted()
            return ("none", reply(to: RefusedRequest.wrongMethod(allowed: allowed), visit))
        case .route(let route, let parameters):
            return (route.name, await reply(visit) { try await answer(request, visit, route, parameters) })
        }
    }

    private func answer(
        _ request: Request, _ visit: Visit, _ route: Route, _ parameters: [Substring: String]
    ) async throws -> Reply {
        guard request.head.authority?.isEmpty == false else {
            throw RefusedRequest.invalidHeader(.host)
        }
        try OriginCheck.require(request, publicOrigin: settings.publicOrigin)
        func ask(_ visitor: Visitor?, _ body: [UInt8], _ upload: UploadedFile? = nil) throws -> Ask {
            Ask(
                services: services, route: route, path: visit.path, parameters: parameters,
                query: request.uri.queryParameters.map { (String($0.key), String($0.value)) }, body: body,
                upload: upload, expectedVersions: try EntityTag.versions(request.headers[.ifMatch]), visitor: visitor,
                address: visit.address, origin: settings.origin(of: request), fields: request.headers)
        }
        if let expected = expectedVisitor(request, route) {
            let body = try await RequestReading.body(of: request, for: route)
            if let reply = try await answerAndProve(try ask(expected, body), request) { return reply }
            return try await carryOut(
                try ask(try await visitor(request, route), body), request, within: settings.answerTime)
        }
        let visitor = try await visitor(request, route)
        if case .upload? = route.body, let visitor {
            return try await services.uploads.admit(visitor.accountID, from: visit.address) {
                let file = try await RequestReading.upload(of: request, for: route)
                return try await carryOut(
                    try ask(visitor, file.digest, file), request,
                    within: max(settings.answerTime, UploadLine.answerTime))
            }
        }
        let body = try await RequestReading.body(of: request, for: route)
        return try await carryOut(try ask(visitor, body), request, within: settings.answerTime)
    }

    /// Answers whoever is expected to be signed in. The session is proved by what is read, or else afterwards (decision 68).
    ///
    /// - Returns: nil if the session has ended, or if the request was refused before the session was proved.
    private func answerAndProve(_ ask: Ask, _ request: Request) async throws -> Reply? {
        func isProved() -> Bool { ask.visitor?.proof?.isGiven ?? true }
        do {
            let reply = try await carryOut(ask, request, within: settings.answerTime)
            if isProved() { return reply }
            return try await visitor(request, ask.route) == nil ? nil : reply
        } catch {
            // What is the service's own fault tells nothing of anybody, and a busy database is not asked twice.
            if isProved() || Problem.of(error, in: .english).problem.status >= 500 { throw error }
            return nil
        }
    }

    private func carryOut(_ ask: Ask, _ request: Request, within time: Duration) async throws -> Reply {
        let reply = try await Deadline.within(time, orThrow: RefusedRequest.answerTooSlow) { _ in
            do {
                // A page's form has its key inside.
                let key = ask.route.isPage ? nil : request.headers[.idempotencyKey]
                return try await Idempotency.answer(ask, key: key) {
                    try await ask.route.handle(ask)
                }
            } catch is VersionPassed {
                throw RefusedRequest.versionPassed(present: try await present(ask))
            }
        }
        return EntityTag.apply(to: reply, request)
    }

    /// The friend, tag or settings that the path is about, as a GET answers them.
    private func present(_ ask: Ask) async throws -> JSONValue? {
        let route = table.routes.first {
            $0.method == .get && $0.hasVersion && ask.route.segments.starts(with: $0.segments)
        }
        guard let route else { return nil }
        return try JSONDecoder().decode(JSONValue.self, from: Data(try await route.handle(ask).body))
    }

    /// Who has shown the token of a request before; nil unless it only reads, so that it can be carried out again.
    private func expectedVisitor(_ request: Request, _ route: Route) -> Visitor? {
        guard route.method == .get, route.access != .anybody, let token = SessionCookie.token(of: request) else {
            return nil
        }
        return services.people.expectedVisitor(token)
    }

    private func visitor(_ request: Request, _ route: Route) async throws -> Visitor? {
        if route.access == .anybody { return nil }
        do {
            guard let token = SessionCookie.token(of: request) else { throw PeopleError.notSignedIn }
            return try await services.people.visitor(token)
        } catch PeopleError.notSignedIn where route.access == .either {
            return nil
        }
    }

    private func reply(_ visit: Visit, _ body: () async throws -> Reply) async -> Reply {
        do {
            return try await body()
        } catch is CancellationError where Task.isCancelled {
            // Work that takes too long has an error of its own. So the connection has ended, which cancels this task.
            return reply(to: RefusedRequest.clientLeft, visit)
        } catch {
            return reply(to: error, visit)
        }
    }

    private func reply(to error: any Error, _ visit: Visit) -> Reply {
        let (problem, headers) = Problem.of(error, in: Language(accepting: visit.acceptLanguage))
        if problem.status >= 500 {
            let isKnown = error is RefusedRequest || error is PasswordHasherBusy
            // The log is English, whatever the person speaks.
            let english = Problem.of(error, in: .english).problem.detail
            visit.logger.log(
                level: isKnown ? .warning : .error, "failed",
                metadata: [
                    "error": "\(isKnown ? english : Failure(error).message)", "code": "\(problem.code)",
                    "request": "\(visit.id)",
                ])
        }
        var reply: Reply
        if visit.isForPage, let page = pages.page {
            reply = page(problem, visit)
        } else {
            reply = (try? Reply(HTTPResponse.Status(code: problem.status), problem)) ?? Reply(.badRequest, body: [])
            reply.headers[.contentType] = "application/problem+json"
        }
        reply.headers.append(contentsOf: headers)
        reply.endsConnection = (error as? RefusedRequest)?.endsConnection ?? false
        return reply
    }

    private func response(_ reply: Reply, to request: Request, _ visit: Visit) -> Response {
        var headers = reply.headers
        headers[.requestID] = visit.id
        headers[.xContentTypeOptions] = "nosniff"
        headers[.cacheControl] = headers[.cacheControl] ?? "no-store"
        headers[.contentSecurityPolicy] =
            headers[.contentSecurityPolicy] ?? "default-src 'none'; frame-ancestors 'none'"
        headers[.referrerPolicy] = "no-referrer"
        headers[.contentLength] = reply.events == nil ? "\(reply.length)" : nil
        if reply.status == .noContent || reply.status == .notModified { headers[.contentLength] = nil }
        let isEmpty = request.method == .head || reply.length == 0 && reply.events == nil
        return Response(
            status: reply.status, headers: headers, body: isEmpty ? ResponseBody() : reply.responseBody)
    }

    private func note(_ visit: Visit, _ route: String, _ reply: Reply, _ took: Duration) {
        let labels = [("route", route), ("status", "\(reply.status.code)")]
        Counter(label: "cherish_http_requests_total", dimensions: labels).increment()
        Metrics.Timer(label: "cherish_http_request_seconds", dimensions: [("route", route)])
            .recordNanoseconds(Int64(took / .nanoseconds(1)))
        var metadata: Logger.Metadata = [
            "request": "\(visit.id)", "route": "\(route)", "status": "\(reply.status.code)",
            "bytes": "\(reply.length)", "milliseconds": "\(Int((took / .milliseconds(1)).rounded()))",
        ]
        if let trace = visit.trace { metadata["trace"] = "\(trace)" }
        visit.logger.info("answered", metadata: metadata)
    }
}

extension Request {
    /// Whether a body may follow that takes long to read.
    fileprivate var hasLongBody: Bool {
        headers[.transferEncoding] != nil || headers[.contentLength].map { Int($0) ?? .max > 65_536 } ?? false
    }
}

/// What is known of a request before it is read.
package struct Visit: Sendable {
    let id: String
    package let path: Substring
    /// Whether a person looks at the answer in a browser.
    let isForPage: Bool
    let address: NetworkAddress
    /// The header of that name; nil without one.
    package let acceptLanguage: String?
    /// The trace that it belongs to (W3C Trace Context); nil without one.
    let trace: String?
    let logger: Logger

    init(_ request: Request, _ context: DoorContext, _ settings: ServerSettings) {
        id = RequestID.random()
        path = request.uri.path[...]
        isForPage = !path.hasPrefix("/v1/") && request.headers[.accept]?.contains("text/html") == true
        address = NetworkAddress(settings.clientAddress(context.remoteAddress, request.headers[.xForwardedFor]))
        acceptLanguage = request.headers[.acceptLanguage]
        trace = request.headers[.traceParent].flatMap { text in
            let parts = text.split(separator: "-")
            // Only what the standard allows goes into the log.
            guard parts.count == 4, parts[1].utf8.count == 32,
                parts[1].utf8.allSatisfy({
                    UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
                })
            else { return nil }
            return String(parts[1])
        }
        logger = settings.logger
    }
}

/// Names a request in its answer and in the log.
private enum RequestID {
    /// 32 hexadecimal digits.
    static func random() -> String {
        let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return [high, low].map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// What Hummingbird tells of a connection.
struct DoorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// nil for a socket that has none.
    let remoteAddress: SocketAddress?
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
        channel = source.channel
    }
}

extension ResponseBody {
    /// The same body; the connection is closed once it is sent. Otherwise the rest of the request would be read, however long
    /// it is.
    fileprivate func closing(_ channel: any Channel) -> ResponseBody {
        ResponseBody(contentLength: contentLength) { writer in
            try await self.write(writer)
            channel.close(promise: nil)
        }
    }
}

extension HTTPField.Name {
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!  // a valid name
    static let requestID = HTTPField.Name("X-Request-Id")!  // a valid name
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!  // a valid name
    static let traceParent = HTTPField.Name("traceparent")!  // a valid name
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!  // a valid name
    static let clearSiteData = HTTPField.Name("Clear-Site-Data")!  // a valid name
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!  // a valid name
}
