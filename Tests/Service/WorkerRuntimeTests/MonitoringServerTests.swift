import CherishTestSupport
import Foundation
import FoundationNetworking
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

@testable import CherishRuntime
@testable import WorkerRuntime

@Suite("The server for scrapers and probes")
struct MonitoringServerTests {
    private static let silent = Logger(label: "cherish.test") { _ in SwiftLogNoOpLogHandler() }
    private static let request = "GET /there HTTP/1.1\r\nHost: a\r\n\r\n"
    /// No connection holds several of these.
    private static let large = String(repeating: "하", count: 1_000_000)

    private struct Answer {
        let status: Int
        let headers: (String) -> String?
        let body: String
    }

    private func ask(
        _ url: String, _ method: String = "GET", sending body: String? = nil, over session: URLSession = .shared
    ) async throws -> Answer {
        let address = try #require(URL(string: url))
        var request = URLRequest(url: address)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        let (data, response) = try await session.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        return Answer(
            status: http.statusCode, headers: { http.value(forHTTPHeaderField: $0) },
            body: String(decoding: data, as: UTF8.self))
    }

    /// Runs a body with a server that knows only `/there` and `/large`, and a path that no other server knows.
    private func withServer(
        idleTime: TimeAmount = .seconds(120), _ body: (String) async throws -> Void
    ) async throws {
        let own = "/\(UUID().uuidString)"
        let server = try await MonitoringServer.start(
            at: MonitoringAddress(host: "127.0.0.1", port: 0), idleTime: idleTime, logger: Self.silent
        ) { path in
            if path == "/large" { return .ok(Self.large) }
            guard path == "/there" || path == own else { return nil }
            return MonitoringAnswer(status: .ok, contentType: "text/plain; version=9", body: "하나\n")
        }
        let running = Task { try await server.run() }
        do {
            try await body(server.url)
            // On a busy machine this request may arrive after a short idle time, so try again.
            try await eventually("it answers nobody any more") { try await isAnswered(server.url + own) }
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        try await running.value
        #expect(try await isAnswered(server.url + own) == false)
    }

    /// Whether a new connection gets `200`. Nothing may listen, or a server of another test that got the same port.
    private func isAnswered(_ url: String) async throws -> Bool {
        guard let client = try? await connect(to: url) else { return false }
        let path = try #require(URL(string: url)).path
        client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        try await eventually("the answer has no end") { !client.isOpen }
        return client.answers == 1
    }

    private func port(of url: String) throws -> Int {
        let address = try #require(URL(string: url))
        return try #require(address.port)
    }

    private func connect(to url: String, reads: Bool = true) async throws -> RawClient {
        let pieces = Pieces()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelInitializer { $0.pipeline.addHandler(pieces) }
            .connect(host: "127.0.0.1", port: port(of: url)).get()
        return RawClient(channel: channel, pieces: pieces)
    }

    @Test("answers GET, whatever the query, and HEAD without the body")
    func paths() async throws {
        try await withServer { url in
            for path in ["/there", "/there?format=text", "/there"] {
                let answer = try await ask(url + path)
                #expect(answer.status == 200)
                #expect(answer.body == "하나\n")
                #expect(answer.headers("Content-Type") == "text/plain; version=9")
                #expect(answer.headers("Cache-Control") == "no-store")
            }
            let head = try await ask(url + "/there", "HEAD")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.headers("Content-Length") == "7")
            // URLSession ignores what a server sends after the head.
            let client = try await connect(to: url)
            client.send("HEAD /there HTTP/1.1\r\nHost: a\r\n\r\n" + Self.request)
            try await eventually("\(client.received)") { client.answers == 2 && client.received.hasSuffix("하나\n") }
            #expect(client.received.matches(of: /하나/).count == 1)
            try await client.close()
        }
    }

    @Test("lists its paths on 404, and accepts no other method")
    func refusals() async throws {
        try await withServer { url in
            let missing = try await ask(url + "/etc/passwd")
            #expect(missing.status == 404)
            #expect(missing.body == "there are /metrics, /livez and /readyz\n")
            let deletion = try await ask(url + "/there", "DELETE")
            #expect(deletion.status == 405)
            #expect(deletion.headers("Allow") == "GET, HEAD")
        }
    }

    @Test("refuses a body without reading it, and closes the connection")
    func bodies() async throws {
        try await withServer { url in
            for (fields, status) in [
                ("POST /there HTTP/1.1\r\nHost: a\r\nContent-Length: 5", "405"),
                ("GET /there HTTP/1.1\r\nHost: a\r\nContent-Length: 5", "413"),
                ("GET /there HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked", "413"),
            ] {
                let client = try await connect(to: url)
                client.send(fields + "\r\n\r\n")
                try await eventually("\(fields) is not cut off") { !client.isOpen }
                #expect(client.received.hasPrefix("HTTP/1.1 \(status) "), "\(client.received)")
            }
            let client = try await connect(to: url)
            client.send("POST /there HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
            client.send(String(repeating: "x", count: 100_000))
            try await eventually("the body is read") { !client.isOpen }
            #expect(try await ask(url + "/there").status == 200)
        }
    }

    @Test("refuses a head that is too long")
    func longHeads() async throws {
        let long = String(repeating: "a", count: 10_000)
        try await withServer { url in
            for (name, head) in [
                ("a path", "GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n"),
                ("a field without end", "GET /there HTTP/1.1\r\nHost: a\r\nX: \(long)"),
                (
                    "long fields",
                    "GET /there HTTP/1.1\r\n\(String(repeating: "X: \(long.prefix(6_000))\r\n", count: 3))\r\n"
                ),
                ("many fields", "GET /there HTTP/1.1\r\n\(String(repeating: "X: a\r\n", count: 101))\r\n"),
            ] {
                let client = try await connect(to: url)
                client.send(head)
                try await eventually("\(name) is accepted") { !client.isOpen }
                #expect(client.received.hasPrefix("HTTP/1.1 400 "), "\(name): \(client.received)")
            }
        }
    }

    @Test("answers many concurrent requests")
    func many() async throws {
        try await withServer { url in
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await ask(url + "/there").status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(answers == Array(repeating: 200, count: 50))
        }
    }

    @Test("has 64 connections at most; further ones wait until others end")
    func places() async throws {
        try await withServer { url in
            var clients: [RawClient] = []
            for _ in 0..<80 {
                clients.append(try await connect(to: url))
                clients.last?.send(Self.request)
            }
            func answered() -> [RawClient] { clients.filter { $0.answers > 0 } }
            try await eventually("\(answered().count) are answered") { answered().count >= 64 }
            // One more would be answered while the first client asks again and again.
            try await askAgain(clients[0])
            #expect(answered().count == 64)
            try await clients[63].close()
            try await eventually("nobody gets the free place") { answered().count > 64 }
            try await askAgain(clients[0])
            #expect(answered().count == 65)
            for client in answered() { try? await client.close() }
            try await eventually("\(answered().count) are answered") { answered().count == 80 }
        }
    }

    private func askAgain(_ client: RawClient) async throws {
        for _ in 0..<20 {
            let answers = client.answers
            client.send(Self.request)
            try await eventually("no answer") { client.answers > answers }
        }
    }

    @Test("closes connections that are idle, send a head byte by byte, or take no answer")
    func slowClients() async throws {
        try await withServer(idleTime: .seconds(1)) { url in
            let idle = try await connect(to: url)
            let trickling = try await connect(to: url)
            trickling.send("GET /there HTTP/1.1\r\nX: ")
            let deaf = try await connect(to: url, reads: false)
            deaf.askForMuch()
            var polls = 0
            try await eventually("\(idle.isOpen), \(trickling.isOpen), \(deaf.isOpen)") {
                polls += 1
                // Each byte comes in time, and all of them together are no long head.
                if polls.isMultiple(of: 10) {
                    trickling.send("a")
                    // What does not read learns only by writing that its connection is closed.
                    deaf.send(Self.request)
                }
                return !idle.isOpen && !trickling.isOpen && !deaf.isOpen
            }
        }
    }

    @Test("finishes an answer when the process is to stop")
    func stopping() async throws {
        let gate = Gate()
        let server = try await MonitoringServer.start(
            at: MonitoringAddress(host: "127.0.0.1", port: 0), patience: longWait, logger: Self.silent
        ) { _ in
            await gate.pass()
            return .ok("late")
        }
        let group = ServiceGroup(services: [server], logger: Self.silent)
        async let running: Void = group.run()
        let client = try await connect(to: server.url)
        client.send(Self.request)
        try await eventually("no request arrives") { await gate.waitingCount == 1 }
        await group.triggerGracefulShutdown()
        try await eventually("it still listens") { (try? await connect(to: server.url).close()) == nil }
        await gate.open()
        try await running
        try await eventually("the answer is cut off") { client.received.hasSuffix("late\n") }
    }

    @Test("does not wait for a client that takes no answer when the process is to stop")
    func stoppingWithoutReader() async throws {
        let answers = Atomic<Int>(0)
        let server = try await MonitoringServer.start(
            at: MonitoringAddress(host: "127.0.0.1", port: 0), idleTime: .hours(1), patience: .milliseconds(100),
            logger: Self.silent
        ) { _ in
            answers.wrappingAdd(1, ordering: .relaxed)
            return .ok(Self.large)
        }
        let group = ServiceGroup(services: [server], logger: Self.silent)
        async let running: Void = group.run()
        let deaf = try await connect(to: server.url, reads: false)
        deaf.askForMuch()
        try await eventually("no request arrives") { answers.load(ordering: .relaxed) > 0 }
        await group.triggerGracefulShutdown()
        try await running
        try? await deaf.close()
    }

    @Test("may be cancelled while connections arrive")
    func arrivals() async throws {
        for _ in 0..<repetitions(100, inDebug: 20) {
            let server = try await MonitoringServer.start(
                at: MonitoringAddress(host: "127.0.0.1", port: 0), logger: Self.silent
            ) { _ in .ok("there") }
            let running = Task { try await server.run() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        // Until nothing listens any more.
                        while let client = try? await connect(to: server.url) { try? await client.close() }
                    }
                }
                for _ in 0..<5 { try await connect(to: server.url).close() }
                running.cancel()
                try await running.value
            }
        }
    }

    @Test("a taken port is refused by the name of its setting")
    func takenPort() async throws {
        try await withServer { url in
            let number = try port(of: url)
            let error = try await #require(throws: SettingError.self) {
                let taken = MonitoringAddress(host: "127.0.0.1", port: number)
                _ = try await MonitoringServer.start(at: taken, logger: Self.silent) { _ in nil }
            }
            #expect(error.description.hasPrefix("CHERISH_METRICS_PORT cannot be used: nothing can listen at 127.0.0.1"))
        }
    }
}

/// A client that may break the protocol.
private struct RawClient {
    let channel: any Channel
    let pieces: Pieces

    var isOpen: Bool { channel.isActive }
    var received: String { pieces.text.withLock { $0 } }
    /// How many answers with status 200 have arrived.
    var answers: Int { received.matches(of: #/HTTP/1\.1 200 /#).count }

    func send(_ text: String) {
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    /// Asks for more than a connection holds.
    func askForMuch() {
        send(String(repeating: "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", count: 20))
    }

    func close() async throws {
        try await channel.close().get()
    }
}

/// What a client has received.
private final class Pieces: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    let text = Mutex("")

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let piece = String(buffer: unwrapInboundIn(data))
        text.withLock { $0 += piece }
    }
}
