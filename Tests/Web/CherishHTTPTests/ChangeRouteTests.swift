import AsyncHTTPClient
import CherishCore
import CherishService
import CherishStore
import CherishTestSupport
import DocumentEncoding
import Foundation
import NIOCore
import Postgres
import Testing

@testable import CherishHTTP

/// What devices learn of changes on others (rules 14.1 and 14.2).
@Suite("Changes over HTTP", .migratedDatabase)
struct ChangeRouteTests {
    /// A stream of events, as a device reads it.
    private struct Listening {
        let response: HTTPClientResponse
        private var body: HTTPClientResponse.Body.AsyncIterator
        private var text = ""

        init(_ server: TestServer, _ token: String) async throws {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/v1/events")
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            response = try await server.client.execute(request, timeout: .seconds(600))
            body = response.body.makeAsyncIterator()
        }

        /// The next event, or comment; nil at the end.
        mutating func next() async throws -> String? {
            while true {
                if let end = text.range(of: "\n\n") {
                    defer { text.removeSubrange(..<end.upperBound) }
                    return String(text[..<end.lowerBound])
                }
                guard let buffer = try await body.next() else { return nil }
                text += String(buffer: buffer)
            }
        }

        /// The cursor of the next event that is one.
        mutating func cursor() async throws -> String? {
            while let event = try await next() {
                guard let data = event.split(separator: "\n").first(where: { $0.hasPrefix("data: ") }) else { continue }
                let json = try JSONDecoder().decode([String: String].self, from: Data(data.dropFirst(6).utf8))
                #expect(event.contains("event: changed\n") && event.contains("id: \(json["cursor"] ?? "")\n"))
                return json["cursor"]
            }
            return nil
        }
    }

    private func newest(_ server: TestServer, _ token: String) async throws -> String {
        var path = "/v1/changes"
        while true {
            let answer = try await server.send("GET", path, token: token)
            if answer["complete"] == true { return try answer.text("cursor") }
            path = "/v1/changes?after=\(try answer.text("cursor"))"
        }
    }

    @Test("a device reads everything, then what has changed, each as its own route answers it")
    func changes() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let friend = try await server.addFriend(token: token)
            _ = try await server.send("POST", "/v1/tags", ["name": "work"], token: token)
            let everything = try await server.send("GET", "/v1/changes", token: token)
            #expect(everything.status == 200 && everything["complete"] == true)
            #expect(everything.headers["ETag"].count == 1)
            #expect(try await server.send("GET", "/v1/account", token: token).json == everything["settings"])
            #expect(try await server.send("GET", "/v1/sessions", token: token)["sessions"] == everything["sessions"])
            let cursor = try everything.text("cursor")
            let none = try await server.send("GET", "/v1/changes?after=\(cursor)", token: token)
            #expect(none["complete"] == true && none["friends"] == [] && none["settings"] == .null)
            #expect(try none.text("cursor") == cursor)

            _ = try await server.send("POST", "/v1/friends/\(friend)/waterings", ["method": "call"], token: token)
            _ = try await server.send("PATCH", "/v1/friends/\(friend)", ["addTags": ["work"]], token: token)
            let changed = try await server.send("GET", "/v1/changes?after=\(cursor)&limit=1000", token: token)
            guard case .array(let friends)? = changed["friends"], case .object(var plant)? = friends.first,
                case .array(let waterings)? = changed["waterings"]
            else { throw Missing(what: "a friend") }
            #expect(friends.count == 1 && waterings.count == 1)
            guard case .array(let ids)? = plant.removeValue(forKey: "tagIds") else { throw Missing(what: "tagIds") }
            #expect(ids.count == 1)
            guard case .object(var shown) = try await server.send("GET", "/v1/friends/\(friend)", token: token).json
            else { throw Missing(what: "a friend") }
            for key in ["reviews", "keywords"] { shown[key] = nil }
            #expect(plant == shown)
            let history = try await server.send("GET", "/v1/friends/\(friend)/waterings", token: token)
            #expect(history["waterings"] == .array(waterings))

            guard case .string(let tag)? = ids.first else { throw Missing(what: "a tag") }
            #expect(try await server.send("DELETE", "/v1/tags/\(tag)", token: token).status == 204)
            let gone = try await server.send("GET", "/v1/changes?after=\(try changed.text("cursor"))", token: token)
            #expect(gone["deleted"] == [["kind": "tag", "id": ids[0]]])
        }
    }

    @Test("a cursor that is too old, or of another account, is refused; text that is none, too")
    func cursors() async throws {
        try await TestServer.run { server in
            let (token, other) = (
                try await server.signUp("minji@example.com"), try await server.signUp("jun@example.com")
            )
            _ = try await server.addFriend(token: token)
            let cursor = try await newest(server, token)
            let foreign = try await server.send("GET", "/v1/changes?after=\(cursor)", token: other)
            #expect((foreign.status, foreign.code) == (410, "cursor_expired"))
            for text in ["x", "MSAx", String(repeating: "A", count: 300)] {
                let answer = try await server.send("GET", "/v1/changes?after=\(text)", token: token)
                #expect((answer.status, answer.code) == (422, "invalid_cursor"))
            }
            #expect(try await server.send("GET", "/v1/changes?limit=1001", token: token).status == 422)
            #expect(try await server.send("GET", "/v1/changes").status == 401)
            #expect(try await server.send("GET", "/v1/events").status == 401)
        }
    }

    @Test("another device hears of each change, with the cursor after it, and of nobody else's")
    func events() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let phone = try await server.signIn("minji@example.com")
            var listening = try await Listening(server, phone)
            #expect(listening.response.headers["Content-Type"] == ["text/event-stream"])
            #expect(listening.response.headers["Cache-Control"] == ["no-store"])
            #expect(try await listening.next() == "retry: 2000")
            let first = try await listening.cursor()
            #expect(try await newest(server, token) == first)
            let stranger = try await server.signUp("jun@example.com")
            _ = try await server.addFriend(token: stranger)
            _ = try await server.addFriend(token: token)
            let second = try await listening.cursor()
            #expect(try await newest(server, token) == second)
            #expect(second != first)
            #expect(server.services.changes.count == 1)
            // A HEAD has no end to wait for.
            #expect(try await server.send("HEAD", "/v1/events", token: token).status == 200)
            #expect(server.services.changes.count == 1)
        }
    }

    @Test("a stream ends with its session, with the server, and when its client goes; a session has four")
    func ends() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let phone = try await server.signIn("minji@example.com")
            var listening = try await Listening(server, phone)
            _ = try await listening.cursor()
            #expect(try await server.send("DELETE", "/v1/sessions", token: token).status == 200)
            #expect(try await listening.cursor() == nil)
            #expect(try await eventually { server.services.changes.count == 0 })

            var streams: [Listening] = []
            for _ in 0..<4 {
                var stream = try await Listening(server, token)
                _ = try await stream.cursor()
                streams.append(stream)
            }
            var fifth = try await Listening(server, token)
            _ = try await fifth.cursor()
            #expect(try await streams[0].cursor() == nil)
            #expect(server.services.changes.count == 4)
            streams = []
            server.services.changes.close()
            #expect(try await fifth.cursor() == nil)
            #expect(try await server.send("GET", "/v1/events", token: token).code == "busy")
        }
    }

    @Test("without changes a device hears that the server is there; after the database was away, what it missed")
    func beats() async throws {
        try await TestServer.run(beat: .milliseconds(500)) { server in
            let token = try await server.signUp("minji@example.com")
            var listening = try await Listening(server, token)
            let first = try await listening.cursor()
            #expect(try await listening.next() == ":")
            // A change that nobody announces, such as one of a program that ended between its commit and the announcement.
            let pool = TestDatabase.current.pool(maximumConnections: 1)
            try await pool.withConnection { connection in
                _ = try await connection.query(
                    """
                    SELECT note_changes(lane, account_id, now(), kinds, ids, numbers) FROM account_change
                    ORDER BY number DESC LIMIT 1
                    """, [])
            }
            let second = try await listening.cursor()
            #expect(second != nil && second != first)
            // Those that listen are ended, as when the database starts anew.
            try await pool.withConnection { connection in
                _ = try await connection.query(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND query LIKE 'LISTEN%'
                    """, [])
            }
            _ = try await server.addFriend(token: token)
            let third = try await listening.cursor()
            #expect(third != nil && third != second)
            await pool.close()
        }
    }

    @Test("a client that reads nothing is cut off, and holds up nobody")
    func slowReaders() async throws {
        try await TestServer.run(connections: Connections(untakenTime: .seconds(1))) {
            server in
            let token = try await server.signUp("minji@example.com")
            let script = """
                import socket, sys, time
                client = socket.socket()
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
                client.connect(("127.0.0.1", int(sys.argv[1])))
                client.sendall(b"GET /v1/events HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer " + sys.argv[2].encode() + b"\\r\\n\\r\\n")
                print("listens", flush=True)
                time.sleep(600)
                """
            let sleepy = try RunningProgram("/usr/bin/env", ["python3", "-c", script, "\(server.port)", token])
            #expect(try await eventually { server.services.changes.count == 1 })
            var listening = try await Listening(server, token)
            var before = try await listening.cursor()
            // Until neither side's buffers take more.
            let pool = TestDatabase.current.pool(maximumConnections: 1)
            while server.services.changes.count == 2 {
                try await pool.withConnection { connection in
                    _ = try await connection.query(
                        """
                        SELECT note_changes(lane, account_id, now(), kinds, ids, numbers),
                            pg_notify('cherish_changes', account_id::text) FROM account_change WHERE number = 1
                        """, [])
                }
                let next = try await listening.cursor()
                #expect(next != before)
                before = next
            }
            await pool.close()
            #expect(server.services.changes.count == 1)
            sleepy.signal(SIGTERM)
            _ = await sleepy.result()
        }
    }
}
