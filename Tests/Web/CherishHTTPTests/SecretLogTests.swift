import CherishCore
import CherishTestSupport
import Foundation
import Testing

@testable import CherishHTTP

/// Markers in everything that a person sends, and none of them in the log.
@Suite("The server's log", .migratedDatabase)
struct SecretLogTests {
    @Test("names no person, address, password, token, code, friend or memo, at any level")
    func secrets() async throws {
        let log = LogLines()
        try await TestServer.run(log: log) { server in
            let token = try await server.signUp("marker-email@example.com")
            let code = try server.outbox.code(to: "marker-email@example.com")
            let friend = try await server.addFriend("010-8642-1357", name: "MarkerName", token: token)
            _ = try await server.send(
                "POST", "/v1/friends/\(friend)/waterings?marker=query",
                ["method": "call", "keywords": ["표식"], "memo": "marker-memo"], token: token,
                headers: [
                    "User-Agent": "marker-agent", "Idempotency-Key": "marker-key", "traceparent": "00-marker-trace-1",
                ])
            _ = try await server.send("GET", "/v1/friends?search=MarkerSearch", token: token)
            _ = try await server.send("GET", "/v1/marker-path", token: token)
            _ = try await server.send(
                "POST", "/v1/sessions", ["email": "marker-email@example.com", "password": "marker-wrong-1"])
            _ = try await server.send("PUT", "/v1/account/phone", ["phone": "010-8642-1357"], token: token)
            _ = try await server.send("POST", "/v1/password-resets", ["phone": "+82 10-8642-1357"])
            _ = try await server.send(
                "POST", "/v1/accounts/anonymous",
                ["nickname": "marker-nickname", "timeZone": "Asia/Seoul", "language": "ko"])
            for path in ["/v1/sessions", "/v1/account/identities"] {
                _ = try await server.send(
                    "POST", path, FakeIdentities.body("marker-subject", "marker-identity@example.com"), token: token)
            }
            _ = try await server.send("POST", "/v1/tags", ["name": "marker-tag", "marker-field": 1], token: token)
            _ = try await server.send(
                "POST", "/v1/enquiries", ["subject": "marker-subject", "message": "marker-message"], token: token)
            expectNone(
                of: [
                    "marker", "Marker", "8642", "1357", "표식", TestServer.password, token, String(token.suffix(20)),
                    code, friend,
                ],
                in: log.all)
        }
    }

    private func expectNone(of secrets: [String], in lines: [String]) {
        #expect(lines.filter { $0.contains("answered") }.count >= 8)
        #expect(lines.contains { $0.contains("POST /v1/friends/{friend}/waterings") })
        for secret in secrets {
            let found = lines.first { $0.contains(secret) }
            #expect(found == nil, "\(secret)")
        }
    }
}
