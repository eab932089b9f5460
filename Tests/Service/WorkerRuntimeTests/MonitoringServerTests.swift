import CherishTestSupport
import Foundation
import FoundationNetworking
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import CherishRuntime
@testable import WorkerRuntime

@Suite("The server for scrapers and probes")
struct MonitoringServerTests {
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

    /// Runs a body with a server that knows only `/there`, and a path that no other server knows.
    private func withServer(_ body: (String) async throws -> Void) async throws {
        let own = "/\(UUID().uuidString)"
        let server = try await MonitoringServer.start(at: MonitoringAddress(host: "127.0.0.1", port: 0)) { path in
            guard path == "/there" || path == own else { return nil }
            return MonitoringAnswer(status: .ok, contentType: "text/plain; version=9", body: "하나\n")
        }
        let running = Task { try await server.run() }
        do {
            try await body(server.url)
            #expect(try await isAnswered(server.url + own))
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
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = 5
        return (try? await ask(url, over: URLSession(configuration: settings)))?.status == 200
    }

    private func port(of url: String) throws -> Int {
        let address = try #require(URL(string: url))
        return try #require(address.port)
    }

    private func connect(to port: Int) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port).get()
    }

    @Test("answers GET, whatever the query, and HEAD without the body")
    func paths() async throws {
        try await withServer { url in
            for path in ["/there", "/there?format=text", "/there"] {
                let answer = try await ask(url + path)
                #expect(answer.status == 200)
                #expect(answer.body == "하나\n")
                #expect(answer.headers("Content-Type") == "text/plain; version=9")
            }
            let head = try await ask(url + "/there", "HEAD")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.headers("Content-Length") == "7")
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
            // By hand: URLSession waits a minute for an answer that does not come.
            let channel = try await connect(to: try port(of: url))
            let request = "POST /there HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"
            let body = String(repeating: "x", count: 100_000)
            try? await channel.writeAndFlush(ByteBuffer(string: request + body)).get()
            let isCutOff = try await eventually { !channel.isActive }
            #expect(isCutOff)
            #expect(try await ask(url + "/there").status == 200)
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

    @Test("closes connections beyond its limit, and serves again once others end")
    func places() async throws {
        try await withServer { url in
            let number = try port(of: url)
            var channels: [any Channel] = []
            for _ in 0..<80 { channels.append(try await connect(to: number)) }
            let isBounded = try await eventually { channels.filter(\.isActive).count == 64 }
            #expect(isBounded)
            for channel in channels { try? await channel.close().get() }
            let serves = try await eventually { (try? await ask(url + "/there"))?.status == 200 }
            #expect(serves)
        }
    }

    @Test("a taken port is refused by the name of its setting")
    func takenPort() async throws {
        try await withServer { url in
            let number = try port(of: url)
            let error = try await #require(throws: SettingError.self) {
                let taken = MonitoringAddress(host: "127.0.0.1", port: number)
                _ = try await MonitoringServer.start(at: taken) { _ in nil }
            }
            #expect(error.description.hasPrefix("CHERISH_METRICS_PORT cannot be used: nothing can listen at 127.0.0.1"))
        }
    }
}
