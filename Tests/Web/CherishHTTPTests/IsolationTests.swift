import CherishCore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Postgres
import Testing

@testable import CherishHTTP

/// Nobody reaches what belongs to another account, by any route.
@Suite("Isolation over HTTP", .migratedDatabase)
struct IsolationTests {
    /// What a stranger tries with the ids of another account. Every route that takes an id, or that lists what is somebody's,
    /// has a row; a missing row fails ``complete()``.
    private static let attacks: [String: (body: JSONValue?, expected: Set<Int>)] = [
        "GET /v1/changes": (nil, [200]),
        "GET /v1/events": (nil, [200]),
        "GET /v1/sessions": (nil, [200]),
        "DELETE /v1/sessions": (nil, [200]),
        "DELETE /v1/sessions/{session}": (nil, [404]),
        "GET /v1/things/{thing}/shares": (nil, [404]),
        "POST /v1/things/{thing}/shares": ([:], [404]),
        "DELETE /v1/shares/{share}": (nil, [404]),
        "POST /v1/shares/{share}/copies": (nil, [404]),
        "GET /v1/feeds": (nil, [200]),
        "POST /v1/feeds": (nil, [201]),
        "DELETE /v1/feeds/{feed}": (nil, [404]),
        "GET /v1/stores": (nil, [200]),
        "GET /v1/stores/{store}": (nil, [404]),
        "POST /v1/places/nearby": (["latitude": 37, "longitude": 127], [200]),
        "GET /v1/account": (nil, [200]),
        "PATCH /v1/account": (["nickname": "x"], [200]),
        "PUT /v1/account/password": (["password": "wrong-1-password", "newPassword": "tulip-8-umbrella"], [401]),
        "PUT /v1/account/email": (["email": "jun@example.com"], [202]),
        "POST /v1/account/email/confirmation": (["code": "123456"], [409, 422]),
        "PUT /v1/account/phone": (["phone": "010-7777-1111"], [202]),
        "POST /v1/account/phone/confirmation": (["code": "123456"], [409, 422]),
        "GET /v1/account/identities": (nil, [200]),
        "POST /v1/account/identities": (FakeIdentities.body("victim", "victim@example.com"), [409]),
        "DELETE /v1/account/identities/{provider}": (nil, [404]),
        "GET /v1/account/export": (nil, [200]),
        "GET /v1/account/picture": (nil, [404]),
        "PUT /v1/account/picture": (nil, [415]),
        "DELETE /v1/account/picture": (nil, [204]),
        "GET /v1/friends": (nil, [200]),
        "POST /v1/friends": (["name": "x", "phone": "010-9999-9999", "cycleDays": 3], [201, 409]),
        "GET /v1/friends/{friend}": (nil, [404]),
        "PATCH /v1/friends/{friend}": (["cycleDays": 3], [404]),
        "DELETE /v1/friends/{friend}": (nil, [404]),
        "POST /v1/friends/{friend}/restoration": (nil, [404]),
        "GET /v1/friends/{friend}/waterings": (nil, [404]),
        "POST /v1/friends/{friend}/waterings": (["method": "call"], [404]),
        "PUT /v1/friends/{friend}/waterings/{day}/review": (["keywords": ["x"]], [404]),
        "DELETE /v1/friends/{friend}/waterings/{day}/review": (nil, [404]),
        "POST /v1/friends/{friend}/waterings/{day}/review/declination": (nil, [404]),
        "POST /v1/friends/{friend}/postponements": (["days": 1], [404]),
        "GET /v1/friends/{friend}/calendar": (nil, [404]),
        "GET /v1/friends/{friend}/explanation": (nil, [404]),
        "GET /v1/calendar": (nil, [200]),
        "GET /v1/stats": (nil, [200]),
        "GET /v1/preview": (nil, [200]),
        "GET /v1/today": (nil, [200]),
        "GET /v1/things": (nil, [200]),
        "POST /v1/things": (["kind": "food", "title": "x", "dueOn": "2027-03-05"], [201]),
        "GET /v1/things/{thing}": (nil, [404]),
        "PATCH /v1/things/{thing}": (["title": "x"], [404]),
        "DELETE /v1/things/{thing}": (nil, [404]),
        "POST /v1/things/{thing}/completion": ([:], [404]),
        "DELETE /v1/things/{thing}/completion": (nil, [404]),
        "GET /v1/agenda": (nil, [200]),
        "GET /v1/lists": (nil, [200]),
        "POST /v1/lists": (["title": "x"], [201]),
        "GET /v1/lists/nearby": (nil, [409]),
        "GET /v1/lists/{list}": (nil, [404]),
        "PATCH /v1/lists/{list}": (["title": "x"], [404]),
        "DELETE /v1/lists/{list}": (nil, [404]),
        "POST /v1/lists/{list}/opening": (nil, [404]),
        "POST /v1/lists/{list}/cancellation": (nil, [404]),
        "PUT /v1/lists/{list}/rating": (["points": 5], [404]),
        "POST /v1/lists/{list}/acceptance": (nil, [404]),
        "DELETE /v1/lists/{list}/acceptance": (nil, [404]),
        "PUT /v1/lists/{list}/entries/{number}/bought": (["bought": true], [404]),
        "POST /v1/lists/{list}/delivery": (nil, [404]),
        "GET /v1/lists/{list}/receipt": (nil, [404]),
        "PUT /v1/lists/{list}/receipt": (nil, [415]),
        "DELETE /v1/lists/{list}/receipt": (nil, [404]),
        "POST /v1/lists/{list}/reports": (["reason": "x"], [404]),
        "GET /v1/blocks": (nil, [200]),
        "POST /v1/blocks": (["listId": "0d5c0a0e-6f0e-4a53-9d1c-4b8f2f6f9a11"], [404]),
        "DELETE /v1/blocks/{block}": (nil, [404]),
        "GET /v1/tags": (nil, [200]),
        "POST /v1/tags": (["name": "theirs"], [201, 409]),
        "GET /v1/tags/{tag}": (nil, [404]),
        "PATCH /v1/tags/{tag}": (["name": "x"], [404]),
        "DELETE /v1/tags/{tag}": (nil, [404]),
        "GET /v1/pauses": (nil, [200]),
        "POST /v1/pauses": (["to": "2027-03-20", "tag": "theirs"], [201, 404]),
        "PATCH /v1/pauses/{pause}": (["spread": true], [404]),
        "DELETE /v1/pauses/{pause}": (nil, [404]),
        "GET /v1/devices": (nil, [200]),
        "POST /v1/devices": (["platform": "webhook", "token": "https://example.com/theirs"], [201]),
        "DELETE /v1/devices/{device}": (nil, [404]),
        "GET /v1/imports": (nil, [200]),
        "POST /v1/imports": (["name": "x", "phone": "010-7777-7777"], [200]),
        "DELETE /v1/imports/{import}": (nil, [404]),
        "POST /v1/enquiries": (["subject": "x", "message": "x"], [202]),
        "DELETE /v1/session": (nil, [204]),
        "DELETE /v1/account": (["password": "wrong-1-password"], [401]),
    ]

    @Test("every route that needs a session is attacked here")
    func complete() {
        let routes = Set(Route.all.filter { $0.access == .session }.map(\.name))
        #expect(routes.subtracting(Self.attacks.keys).isEmpty)
        #expect(Set(Self.attacks.keys).subtracting(routes).isEmpty)
    }

    /// The ids of what an account has.
    private struct Victim {
        let token: String
        /// By the name of the path's parameter.
        let ids: [String: String]
        /// What no other account may read.
        let secrets: [String]
    }

    private func victim(_ server: TestServer) async throws -> Victim {
        let token = try await server.signUp("victim@example.com")
        let friend = try await server.addFriend("010-7777-7777", name: "피해자", token: token)
        _ = try await server.send(
            "POST", "/v1/friends/\(friend)/waterings", ["method": "call", "memo": "secret memo"], token: token)
        let tag = try await server.send("POST", "/v1/tags", ["name": "theirs"], token: token)
        let thing = try await server.send(
            "POST", "/v1/things", ["kind": "reminder", "title": "secret errand", "dueOn": "2027-03-05"], token: token)
        let list = try await server.send(
            "POST", "/v1/lists",
            ["title": "secret shopping", "deliveryNote": "secret door", "entries": [["name": "secret milk"]]],
            token: token)
        let device = try await server.send(
            "POST", "/v1/devices", ["platform": "webhook", "token": "https://example.com/victim"], token: token)
        _ = try await server.send(
            "POST", "/v1/account/identities", FakeIdentities.body("victim", "victim@example.com"), token: token)
        let sessions = try await server.send("GET", "/v1/sessions", token: token)
        guard case .array(let listed)? = sessions["sessions"], case .string(let session)? = listed.first?["id"] else {
            throw Missing(what: "a session")
        }
        let day = try await server.send("GET", "/v1/today", token: token).text("day")
        let last = try #require(CivilDay(day)) + 5
        let pause = try await server.send(
            "POST", "/v1/pauses", ["from": .string(last.description), "to": .string(last.description)], token: token)
        let ids = [
            "friend": friend, "pause": try pause.text("id"), "tag": try tag.text("id"), "device": try device.text("id"),
            "session": session,
            "import": UUID().uuidString.lowercased(), "day": day, "provider": "google",
            "thing": try thing.text("id"), "list": try list.text("id"), "number": "1",
        ]
        return Victim(
            token: token, ids: ids,
            secrets: [
                friend, ids["pause"]!, ids["device"]!, ids["tag"]!, session, "7777", "피해자", "secret memo",
                "victim@example.com",
                "secret errand", ids["thing"]!, "secret shopping", "secret door", "secret milk", ids["list"]!,
            ])
    }

    /// All that the victim can see.
    private func belongings(_ victim: Victim, _ server: TestServer) async throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        for path in [
            "/v1/account", "/v1/account/identities", "/v1/friends", "/v1/tags", "/v1/devices", "/v1/imports",
            "/v1/stats", "/v1/things", "/v1/lists", "/v1/pauses",
        ] {
            all.append(try await server.send("GET", path, token: victim.token).body)
        }
        all.append(try await server.send("GET", "/v1/friends/\(victim.ids["friend"]!)", token: victim.token).body)
        return all
    }

    @Test("a stranger's session finds, reads and changes nothing, by any route")
    func strangers() async throws {
        try await TestServer.run { server in
            let victim = try await victim(server)
            let before = try await belongings(victim, server)
            // The routes that end the session or the account come last.
            let ends = ["DELETE /v1/session", "DELETE /v1/account"]
            let routes = Route.all.filter { $0.access == .session }
                .sorted { !ends.contains($0.name) && ends.contains($1.name) }
            var token = try await server.signUp("stranger@example.com")
            for route in routes {
                if ends.contains(route.name) {
                    token = try await server.signUp("\(route.segments[1])@example.com")
                }
                let attack = try #require(Self.attacks[route.name])
                let path = victim.ids.reduce(route.path) { $0.replacing("{\($1.key)}", with: $1.value) }
                // A stream has no end; what is in it, ChangeRouteTests look at.
                let method = route.name == "GET /v1/events" ? "HEAD" : route.method.rawValue
                let answer = try await server.send(method, path, attack.body, token: token)
                #expect(attack.expected.contains(answer.status), "\(route.name): \(answer.status)")
                let text = String(decoding: answer.body, as: UTF8.self)
                for secret in victim.secrets where attack.body.map({ !"\($0)".contains(secret) }) ?? true {
                    #expect(!text.contains(secret), "\(route.name) reveals \(secret)")
                }
            }
            #expect(try await belongings(victim, server) == before)
        }
    }

    @Test(
        "a token that is missing, truncated, of another lane, with another secret, or of an erased account is refused")
    func tokens() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let parsed = try #require(SessionToken(token))
            let otherLane = SessionToken(
                lane: Lane(parsed.lane.number &+ 1), sessionID: parsed.sessionID, secret: parsed.secret)
            let otherSecret = SessionToken(
                lane: parsed.lane, sessionID: parsed.sessionID, secret: parsed.secret.reversed())
            let gone = try await server.signUp("gone@example.com")
            // The server knows whose the sessions were.
            for seen in [token, gone] {
                #expect(try await server.send("GET", "/v1/account", token: seen).status == 200)
            }
            let left = try await server.send("DELETE", "/v1/account", [:], token: gone)
            #expect(left.status == 200)
            let bad = [
                nil, "", "x", String(token.dropLast()), token + "A", "\(token)=", token.uppercased(), otherLane.text,
                otherSecret.text, gone, " \(token)", "Bearer \(token)",
            ]
            for route in Route.all where route.access == .session {
                for text in bad {
                    let path = route.path.replacing(#/\{\w+\}/#, with: UUID().uuidString.lowercased())
                    let body = Self.attacks[route.name]?.body
                    let answer = try await server.send(route.method.rawValue, path, body, token: text)
                    #expect(answer.status == 401, "\(route.name) with \(text ?? "none"): \(answer.status)")
                    #expect(answer.headers.first(name: "WWW-Authenticate") == "Bearer")
                }
            }
            #expect(try await server.send("GET", "/v1/account", token: token).status == 200)
        }
    }

    @Test("whoever can use the server's login still cannot read a password, a token or a code")
    func serverLogin() async throws {
        try await TestServer.run { server in
            _ = try await server.signUp("minji@example.com")
            for table in ["account_password", "account_session", "verification_code", "throttle", "idempotent_request"]
            {
                for schema in ["public", "garden"] where "\(schema).\(table)" != "garden.account_session" {
                    let error = await #expect(throws: PostgresError.self) {
                        try await server.engine.store.pool.withConnection {
                            _ = try await $0.query(SQL(trusting: "SELECT * FROM \(schema).\(table)"))
                        }
                    }
                    #expect(["42501", "42P01"].contains(error?.sqlState ?? ""), "\(schema).\(table)")
                }
            }
        }
    }
}
