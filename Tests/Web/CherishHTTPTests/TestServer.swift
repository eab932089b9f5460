import AsyncHTTPClient
import CherishCore
import CherishRuntime
import CherishService
import CherishStore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Pictures
import Postgres
import Secrets
import ServiceLifecycle
import Synchronization
import Testing

@testable import CherishHTTP

/// The messages that a test server would have sent.
final class Outbox: PersonalMessageSender {
    private let messages = Mutex<[PersonalMessage]>([])

    func send(_ message: PersonalMessage) { messages.withLock { $0.append(message) } }

    var all: [PersonalMessage] { messages.withLock { $0 } }

    /// The newest code that was sent to an address.
    func code(to email: String) throws -> String {
        let text = try #require(all.last { $0.recipient.description == email }?.text)
        return String(try #require(text.firstMatch(of: #/^\d{6}/#)).0)
    }
}

/// An answer.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    /// The body as JSON.
    var json: JSONValue {
        get throws { try JSONDecoder().decode(JSONValue.self, from: Data(body)) }
    }

    subscript(_ name: String) -> JSONValue? { (try? json)?[name] }

    func text(_ name: String) throws -> String {
        guard case .string(let text)? = self[name] else {
            throw Missing(what: "\(name) in \(status) \(String(decoding: body, as: UTF8.self))")
        }
        return text
    }

    var code: String? { try? text("code") }
}

struct Missing: Error {
    let what: String
}

/// A server over the database of the test, whose login may act for one account at a time only.
struct TestServer: Sendable {
    let port: Int
    let outbox: Outbox
    let engine: Engine
    let people: PeopleService
    let services: Services
    let client: HTTPClient

    /// Runs a server while the body runs.
    static func run(
        publicOrigin: String? = nil, trustedProxies: Set<String> = [], enquiries: String? = operatorEmail,
        connections: Connections = Connections(), tls: TLSConfiguration? = nil, time: EngineTime? = nil,
        log: LogLines? = nil, environment: [String: String] = [:], pages: Pages = Pages(),
        identities: (any IdentityVerifying)? = FakeIdentities(), beat: Duration = ChangeHub.usualBeat,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let login = try await restrictedLogin()
        let settings = try Settings(
            environment: ["DATABASE_URL": login, "CHERISH_PUSH": "stdout"].merging(environment) { $1 })
        let engine = try await Engine.openForAccounts(settings, time: time, connections: 8)
        let outbox = Outbox()
        let logger = log?.logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let port = AsyncStream<Int>.makeStream()
        let pictures = PictureMaker(program: pictureProgram, timeLimit: longWait)
        let people = PeopleService(
            engine, hasher: PasswordHasher(threads: 2, limit: 1_000), messages: outbox,
            enquiries: try enquiries.map { try EmailAddress($0) }, identities: identities)
        var serverSettings = ServerSettings(
            publicOrigin: publicOrigin, trustedProxies: trustedProxies, answerTime: longWait, logger: logger)
        serverSettings.connections = connections
        let services = Services(
            care: CareService(engine), people: people, pictures: pictures,
            changes: ChangeHub(engine, beat: beat, logger: logger))
        let server = try HTTPServer(
            services, pages: pages,
            at: ListeningAddress(host: "127.0.0.1", port: 0), tls: tls, settings: serverSettings,
            version: "test", isReady: { true }, onListening: { port.continuation.yield($0) })
        let group = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var ports = port.stream.makeAsyncIterator()
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            do {
                try await body(
                    TestServer(
                        port: try #require(await ports.next()), outbox: outbox, engine: engine, people: people,
                        services: services, client: client))
            } catch {
                try await client.shutdown()
                await group.triggerGracefulShutdown()
                throw error
            }
            try await client.shutdown()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        await engine.close()
    }

    /// In the folder of the tests.
    static let pictureProgram = ProgramPath.beside("cherish-picture")

    /// A login that is a member of `cherish_account` and of nothing else.
    private static func restrictedLogin() async throws -> String {
        let owner = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await Roles(pool: owner).establish()
        try await owner.withConnection { connection in
            try await connection.script(
                """
                DO $$ BEGIN
                    CREATE ROLE cherish_test_server LOGIN IN ROLE cherish_account;
                EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
                END $$
                """)
        }
        await owner.close()
        return TestDatabase.current.connectionString + " user=cherish_test_server"
    }

    /// Sends a request.
    func send(
        _ method: String, _ path: String, _ body: JSONValue? = nil, token: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = HTTPMethod(rawValue: method)
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(try body.bytes)
        }
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        let response = try await client.execute(request, timeout: .seconds(600))
        let bytes = try await response.body.collect(upTo: 64 * 1024 * 1024)
        return Answer(
            status: Int(response.status.code), headers: response.headers, body: Array(bytes.readableBytesView))
    }

    /// Sends a request with a file as its body.
    func sendFile(
        _ method: String, _ path: String, _ bytes: [UInt8], _ type: String, token: String,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = HTTPMethod(rawValue: method)
        request.headers.add(name: "Content-Type", value: type)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        request.body = .bytes(bytes)
        let response = try await client.execute(request, timeout: .seconds(600))
        let answer = try await response.body.collect(upTo: 64 * 1024 * 1024)
        return Answer(
            status: Int(response.status.code), headers: response.headers, body: Array(answer.readableBytesView))
    }

    /// Who gets enquiries.
    static let operatorEmail = "operator@example.com"

    static let password = "lilac-7-umbrella"

    /// Signs up, and returns the token.
    func signUp(_ email: String, timeZone: String = "Asia/Seoul") async throws -> String {
        let begun = try await send("POST", "/v1/signups", ["email": .string(email), "language": "ko"])
        let answer = try await send(
            "POST", "/v1/accounts",
            [
                "signupId": .string(try begun.text("id")), "code": .string(try outbox.code(to: email)),
                "password": .string(Self.password), "nickname": "민지", "timeZone": .string(timeZone), "language": "ko",
            ])
        #expect(answer.status == 201)
        return try answer.text("token")
    }

    /// Signs in once more, and returns the token.
    func signIn(_ email: String) async throws -> String {
        try await send(
            "POST", "/v1/sessions",
            ["email": .string(email), "password": .string(Self.password), "deviceName": "another phone"]
        ).text("token")
    }

    /// Adds a friend, and returns the id.
    func addFriend(_ phone: String = "010-1234-5678", name: String = "김하나", token: String) async throws -> String {
        let answer = try await send(
            "POST", "/v1/friends", ["name": .string(name), "phone": .string(phone), "cycleDays": 7], token: token)
        #expect(answer.status == 201)
        return try answer.text("id")
    }
}

enum NIOAddress {
    static func loopback() throws -> SocketAddress { try SocketAddress(ipAddress: "127.0.0.1", port: 1) }
}
