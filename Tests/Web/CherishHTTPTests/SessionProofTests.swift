import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishHTTP

/// The server expects that a session which it has seen goes on, and has the database prove it with what is read (decision 68).
@Suite("Sessions that were seen", .migratedDatabase)
struct SessionProofTests {
    private func owner(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) async throws {
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        _ = try await pool.withConnection { try await $0.execute(sql, parameters) }
        await pool.close()
    }

    /// Routes that read a garden in one round trip, in several, and not at all.
    private static let paths = [
        "/v1/account", "/v1/friends", "/v1/sessions", "/v1/account/identities", "/v1/changes", "/v1/account/export",
        "/v1/lists", "/v1/lists/nearby", "/v1/friends/0d5c0a0e-6f0e-4a53-9d1c-4b8f2f6f9a11", "/v1/agenda",
    ]

    @Test("12.3: one that was ended elsewhere is refused at once, by every route", arguments: paths)
    func endedElsewhere(path: String) async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            #expect(server.people.expectedVisitor(token) == nil)
            let before = try await server.send("GET", path, token: token)
            #expect(before.status != 401 && before.status < 500)
            #expect(server.people.expectedVisitor(token)?.proof?.isGiven == false)
            let again = try await server.send("GET", path, token: token)
            #expect(again.status == before.status)
            try await owner("DELETE FROM account_session")
            let after = try await server.send("GET", path, token: token)
            #expect(after.status == 401)
            #expect(after.code == "not_signed_in")
            // From now on, nothing is read for the token before it is refused.
            #expect(server.people.expectedVisitor(token) == nil)
        }
    }

    @Test("12.3: in the browser, somebody whose session was ended elsewhere sees the welcome page")
    func endedInBrowser() async throws {
        try await TestVisitor.run { server, visitor in
            let browser = visitor()
            try await browser.signUp("minji@example.com")
            for _ in 1...2 { #expect(try await browser.open("/").text.contains("page-garden")) }
            try await owner("DELETE FROM account_session")
            let page = try await browser.open("/")
            #expect(page.status == 200)
            #expect(!page.text.contains("page-garden"))
            #expect(page.text.contains("href=\"/sign-up\""))
        }
    }

    @Test("12.3: each use is noted, once an hour")
    func noted() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            _ = try await server.send("GET", "/v1/account", token: token)
            try await owner("UPDATE account_session SET used_at = used_at - interval '2 hours'")
            #expect(try await server.send("GET", "/v1/account", token: token).status == 200)
            let pool = TestDatabase.current.pool(maximumConnections: 1)
            let rows = try await pool.withConnection {
                try await $0.query("SELECT now() - used_at < interval '1 hour' FROM account_session")
            }
            await pool.close()
            #expect(try rows.map { try $0.decode(0, as: Bool.self) } == [true])
        }
    }

    @Test("12.5: a password that was given again elsewhere counts, whatever the server saw before")
    func givenAgain() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            try await owner("UPDATE account_session SET signed_in_at = signed_in_at - interval '1 hour'")
            #expect(try await server.send("GET", "/v1/account/export", token: token).code == "sign_in_too_old")
            try await owner("UPDATE account_session SET signed_in_at = now()")
            #expect(try await server.send("GET", "/v1/account/export", token: token).status == 200)
        }
    }
}
