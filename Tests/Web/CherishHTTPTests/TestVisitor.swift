import AsyncHTTPClient
import CherishRuntime
import CherishStore
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import CherishHTTP
@testable import WebGarden

/// A browser without JavaScript: it keeps cookies, and follows no redirect by itself.
final class TestVisitor: @unchecked Sendable {
    // A test uses its visitor in one task.
    private var cookies: [String: String] = [:]
    private let server: TestServer
    private let client: HTTPClient
    var language = "en"

    /// Runs a server with pages, and the body with a function that makes visitors.
    static func run(
        time: EngineTime? = nil, environment: [String: String] = [:],
        _ body: (TestServer, () -> TestVisitor) async throws -> Void
    ) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await TestServer.run(time: time, environment: environment, pages: WebGarden.pages(hasLinks: true)) {
                server in
                try await body(server) { TestVisitor(server, client) }
            }
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private init(_ server: TestServer, _ client: HTTPClient) {
        (self.server, self.client) = (server, client)
    }

    /// Another tab of the same browser.
    func copy() -> TestVisitor {
        let copy = TestVisitor(server, client)
        (copy.cookies, copy.language) = (cookies, language)
        return copy
    }

    /// Whether the browser has a session's cookie.
    var hasSession: Bool { cookies["__Host-cherish"] != nil }

    /// Forgets the session's cookie, as if it had ended.
    func loseSession() { cookies["__Host-cherish"] = nil }

    func open(_ path: String, headers: [String: String] = [:]) async throws -> TestPage {
        try await send("GET", path, nil, headers: headers)
    }

    /// Sends a form.
    func submit(_ path: String, _ form: [(String, String)], headers: [String: String] = [:]) async throws -> TestPage {
        let body = form.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
        let usual = ["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"]
        return try await send("POST", path, Array(body.utf8), headers: usual.merging(headers) { $1 })
    }

    /// Sends a form with one file.
    func upload(_ path: String, _ bytes: [UInt8], name: String) async throws -> TestPage {
        let head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n"
        return try await send(
            "POST", path, Array(head.utf8) + bytes + Array("\r\n--x--\r\n".utf8),
            headers: ["Content-Type": "multipart/form-data; boundary=x", "Sec-Fetch-Site": "same-origin"])
    }

    private func send(_ method: String, _ path: String, _ body: [UInt8]?, headers: [String: String]) async throws
        -> TestPage
    {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(path)")
        request.method = HTTPMethod(rawValue: method)
        request.headers.add(name: "Accept", value: "text/html,application/xhtml+xml")
        request.headers.add(name: "Accept-Language", value: language)
        if !cookies.isEmpty {
            request.headers.add(name: "Cookie", value: cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
        }
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body { request.body = .bytes(body) }
        let response = try await client.execute(request, timeout: .seconds(600))
        let bytes = try await response.body.collect(upTo: 64 << 20)
        for cookie in response.headers["Set-Cookie"] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = pair[1].isEmpty ? nil : String(pair[1])
        }
        return TestPage(
            status: Int(response.status.code), headers: response.headers, bytes: Array(bytes.readableBytesView))
    }

    /// Signs up by the pages, as a person would.
    func signUp(_ email: String, nickname: String = "Minji", timeZone: String = "Asia/Seoul") async throws {
        let begun = try await submit("/sign-up", [("email", email)])
        #expect(begun.status == 303)
        let form = [
            ("code", try server.outbox.code(to: email)), ("password", TestServer.password), ("nickname", nickname),
            ("timeZone", timeZone), ("language", language), ("phone", ""),
        ]
        let signedUp = try await submit(try begun.location, form)
        #expect(signedUp.status == 303 && hasSession, "\(signedUp.text)")
    }

    /// Adds a friend by the page, and returns the id.
    func addFriend(_ name: String, _ phone: String = "010-1234-5678", cycle: Int = 7) async throws -> String {
        let added = try await submit("/plants/new", [("name", name), ("phone", phone), ("cycleDays", String(cycle))])
        #expect(added.status == 303, "\(added.text)")
        return String(try added.location.dropFirst("/?plant=".count))
    }
}

/// A page that a server answered.
struct TestPage: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Where it leads.
    var location: String {
        get throws { try #require(headers.first(name: "Location")) }
    }

    /// The value of the first field of a name.
    func value(_ name: String) throws -> String {
        let field = try #require(text.firstMatch(of: try Regex("<input[^>]* name=\"\(name)\"[^>]*>")))
        let value = try #require(String(text[field.range]).firstMatch(of: #/value="([^"]*)"/#))
        return String(value.1)
    }
}
