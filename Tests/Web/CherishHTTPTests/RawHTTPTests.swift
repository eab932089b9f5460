import CherishTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CherishHTTP

/// Requests that break HTTP, and known ways to hide one request in another: each is refused with the connection, and none
/// is answered twice.
@Suite("Broken HTTP", .migratedDatabase)
struct RawHTTPTests {
    private static let host = "Host: x\r\n"
    private static let json = "Content-Type: application/json\r\n"
    private static let hidden = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"

    private static func post(_ fields: String, _ body: String) -> String {
        "POST /v1/signups HTTP/1.1\r\n\(host)\(json)\(fields)\r\n\(body)"
    }

    private static func get(_ fields: String) -> String { "GET /v1/account HTTP/1.1\r\n\(fields)\r\n" }

    static let attacks: [(name: String, request: String)] = [
        ("a length beside chunks", post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + hidden)),
        ("two lengths", post("Content-Length: 2\r\nContent-Length: 40\r\n", "{}" + hidden)),
        ("a list of lengths", post("Content-Length: 2, 2\r\n", "{}" + hidden)),
        ("a length with a sign", post("Content-Length: +2\r\n", "{}" + hidden)),
        ("a negative length", post("Content-Length: -2\r\n", "{}" + hidden)),
        ("an unknown coding", post("Transfer-Encoding: xchunked\r\n", "2\r\n{}\r\n0\r\n\r\n" + hidden)),
        ("a space before the colon", post("Transfer-Encoding : chunked\r\n", "2\r\n{}\r\n0\r\n\r\n" + hidden)),
        ("chunked, but not last", post("Transfer-Encoding: chunked, identity\r\n", "2\r\n{}\r\n0\r\n\r\n" + hidden)),
        ("a chunk without a length", post("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n" + hidden)),
        ("a chunk of impossible length", post("Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFFF\r\n{}" + hidden)),
        (
            "an extension of a chunk with a line feed",
            post("Transfer-Encoding: chunked\r\n", "2;\nx\r\n{}\r\n0\r\n\r\n")
        ),
        ("a folded field", get(host + "X: a\r\n b\r\n")),
        ("line feeds alone", "GET /v1/account HTTP/1.1\nHost: x\n\n" + hidden),
        ("NUL in a field", get(host + "X: a\0b\r\n")),
        ("an escape in a field", get(host + "traceparent: \u{1B}[31m\r\n")),
        ("no host", get("")),
        ("a long path", "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\n\(host)\r\n"),
        ("a long field", get(host + "X: \(String(repeating: "a", count: 20_000))\r\n")),
        ("many fields", get(host + String(repeating: "X: a\r\n", count: 200))),
        ("HTTP/0.9", "GET /v1/account\r\n\r\n"),
        ("HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ]

    @Test("is refused once")
    func attacks() async throws {
        try await TestServer.run { server in
            for (name, request) in Self.attacks {
                let answers = try await answers(to: request, port: server.port)
                #expect(answers.count == 1, "\(name): \(answers)")
                #expect(answers.first?.hasPrefix("HTTP/1.1 4") == true, "\(name): \(answers)")
                #expect(!answers.contains { $0.contains(" 200 ") || $0.contains(" 500 ") }, "\(name): \(answers)")
            }
            // Nothing of it has done any harm.
            #expect(try await server.send("GET", "/livez").status == 200)
        }
    }

    @Test("even the answer to a request that is none tells browsers to insist on TLS")
    func strictTransport() async throws {
        try await TestServer.run(publicOrigin: "https://cherish.example") { server in
            for request in [Self.get(""), Self.get("X: a\0b\r\n"), "GET /livez HTTP/1.1\r\n\(Self.host)\r\n"] {
                let answer = try await exchange(request, port: server.port).lowercased()
                #expect(answer.contains("\r\nstrict-transport-security: max-age=31536000\r\n"), "\(answer)")
            }
        }
    }

    @Test("a client that takes nothing of its answers loses the connection")
    func untakenAnswers() async throws {
        try await TestServer.run(connections: Connections(untakenTime: .seconds(1))) { server in
            let script = """
                import socket, sys, time
                client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.settimeout(300)
                try:
                    # Answers of a hundred kilobytes, until neither side's buffers take more.
                    while True: client.sendall(b"GET /openapi.json HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" * 100)
                except ConnectionError: print("closed")
                """
            let python = try RunningProgram("/usr/bin/env", ["python3", "-c", script, "\(server.port)"])
            #expect(await python.result().output == "closed\n")
            #expect(try await server.send("GET", "/livez").status == 200)
        }
    }

    @Test("a client that is silent over HTTP/2 loses the connection")
    func silence() async throws {
        let tls = try TestCertificateAuthority().serverConfiguration(hosts: ["127.0.0.1"])
        try await TestServer.run(connections: Connections(silentTime: .seconds(1)), tls: tls) { server in
            let script = """
                import socket, ssl, sys
                context = ssl._create_unverified_context()
                context.set_alpn_protocols(["h2"])
                client = context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=300))
                print(client.selected_alpn_protocol())
                client.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
                try:
                    while client.recv(65536): pass
                except (ssl.SSLError, ConnectionError): pass
                print("closed")
                """
            let python = try RunningProgram("/usr/bin/env", ["python3", "-c", script, "\(server.port)"])
            #expect(await python.result().output == "h2\nclosed\n")
        }
    }

    /// The beginning of a client in Python that has an HTTP/2 connection.
    private static let clientOfHTTP2 = """
        import socket, ssl, sys
        context = ssl._create_unverified_context()
        context.set_alpn_protocols(["h2"])
        client = context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=300))
        answers = client.makefile("rb")
        HEADERS, RESET, PING, ACKNOWLEDGED = 1, 3, 6, 1
        def frame(kind, flags, stream, payload):
            return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload
        def head(flags, *fields):
            fields = (b":scheme", b"https"), (b":authority", b"x"), *fields
            block = b"".join(bytes([0, len(k)]) + k + bytes([len(v)]) + v for k, v in fields)
            return frame(HEADERS, flags, 1, block)
        def await_answer(kind, flags=0):
            while start := answers.read(9):
                answers.read(int.from_bytes(start[:3], "big"))
                if start[3] == kind and start[4] & flags == flags: return
        # Otherwise the connection could end before the server has read the request.
        def await_reading():
            client.sendall(frame(PING, 0, 0, b"received"))
            await_answer(PING, ACKNOWLEDGED)
        client.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + frame(4, 0, 0, b""))

        """

    @Test(
        "a body over HTTP/2 is taken when it has ended, and refused when it breaks off",
        arguments: [("end", "202"), ("short", "400"), ("close", "400"), ("reset", "400")])
    func bodyOfHTTP2(ending: String, status: String) async throws {
        let tls = try TestCertificateAuthority().serverConfiguration(hosts: ["127.0.0.1"])
        let log = LogLines()
        try await TestServer.run(tls: tls, log: log) { server in
            let script =
                Self.clientOfHTTP2
                    + """
                    ending, body = sys.argv[2], b'{"email": "minji@example.com", "language": "ko"}'
                    fields = [(b":method", b"POST"), (b":path", b"/v1/signups"), (b"content-type", b"application/json")]
                    # The other bodies have no announced length.
                    if ending == "short": fields += [(b"content-length", b"49")]
                    client.sendall(head(4, *fields) + frame(0, int(ending in ("end", "short")), 1, body))
                    if ending == "reset": client.sendall(frame(RESET, 0, 1, (8).to_bytes(4, "big")))
                    if ending in ("end", "short"): await_answer(HEADERS)
                    else: await_reading()
                    print("sent")
                    """
            let python = try RunningProgram("/usr/bin/env", ["python3", "-c", script, "\(server.port)", ending])
            let result = await python.result()
            #expect(result.output == "sent\n", "\(result.errors)")
            try await eventually("there is an answer") { log.all.contains { $0.contains("route=POST /v1/signups") } }
            #expect(log.all.contains { $0.contains("status=\(status)") })
            #expect(server.outbox.all.count == (ending == "end" ? 1 : 0))
        }
    }

    @Test("a client that leaves before its answer is no failure of the server")
    func leavingClient() async throws {
        struct Answer: Codable, Sendable { let isLate: Bool }
        let slow = Route(.get, "/slow", "waits", access: .anybody) { _, _, _ in
            try await Task.sleep(for: longWait)
            return Answer(isLate: true)
        }
        let pages = Pages([slow]) { problem, _ in Reply(HTTPResponse.Status(code: problem.status), body: []) }
        let tls = try TestCertificateAuthority().serverConfiguration(hosts: ["127.0.0.1"])
        let log = LogLines()
        try await TestServer.run(tls: tls, log: log, pages: pages) { server in
            let script =
                Self.clientOfHTTP2
                    + """
                    client.sendall(head(5, (b":method", b"GET"), (b":path", b"/slow")))
                    await_reading()
                    """
            let python = try RunningProgram("/usr/bin/env", ["python3", "-c", script, "\(server.port)"])
            let result = await python.result()
            #expect(result.status == 0, "\(result.errors)")
            try await eventually("the answer is noted") {
                log.all.contains { $0.contains("route=GET /slow") && $0.contains("status=499") }
            }
            #expect(!log.all.contains { $0.hasPrefix("error") || $0.hasPrefix("warning") })
        }
    }

    @Test("a client that begins no TLS handshake loses the connection; one that does is answered")
    func handshakes() async throws {
        let authority = try TestCertificateAuthority()
        let tls = try authority.serverConfiguration(hosts: ["127.0.0.1"])
        try await TestServer.run(connections: Connections(handshakeTime: .seconds(1)), tls: tls) { server in
            let script = """
                import socket, ssl, sys
                context = ssl._create_unverified_context()
                address = ("127.0.0.1", int(sys.argv[1]))
                silent = socket.create_connection(address, timeout=300)
                # Begins a handshake, and never goes on.
                stalled = socket.create_connection(address, timeout=300)
                incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
                try: context.wrap_bio(incoming, outgoing).do_handshake()
                except ssl.SSLWantReadError: stalled.sendall(outgoing.read())
                secure = context.wrap_socket(socket.create_connection(address, timeout=300))
                print(silent.recv(1))
                while stalled.recv(65536): pass
                secure.sendall(b"GET /livez HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
                print(secure.recv(12))
                """
            let python = try RunningProgram("/usr/bin/env", ["python3", "-c", script, "\(server.port)"])
            #expect(await python.result().output == "b''\nb'HTTP/1.1 200'\n")
        }
    }

    @Test("a body that is longer than announced by the limit is not read to its end")
    func endlessBody() async throws {
        try await TestServer.run { server in
            let head = Self.post("Content-Length: 1000000000\r\n", "")
            let answers = try await answers(to: head + String(repeating: "a", count: 300_000), port: server.port)
            #expect(answers.count == 1 && answers.first?.contains(" 413 ") == true, "\(answers)")
        }
    }

    /// All that a server sends.
    private func exchange(_ request: String, port: Int) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try RawHTTPTests.exchange(request, port: port) }) }.start()
        }
    }

    /// The status lines that a server sends until it closes the connection, or says nothing for a second after one.
    private func answers(to request: String, port: Int) async throws -> [String] {
        try await exchange(request, port: port).matches(of: #/HTTP/1\.1 \d{3} [^\r]*/#).map { String($0.0) }
    }

    private static func exchange(_ request: String, port: Int) throws -> String {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Missing(what: "a connection") }
        func wait(_ seconds: Int) {
            var wait = timeval(tv_sec: seconds, tv_usec: 0)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        }
        // A busy machine takes its time.
        wait(60)
        let bytes = Array(request.utf8)
        // The server may close before it has all.
        _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            if count <= 0 { break }
            received += piece[..<count]
            wait(1)
        }
        return String(decoding: received, as: UTF8.self)
    }
}
