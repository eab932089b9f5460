import CherishTestSupport
import Foundation
import Testing

@testable import CherishHTTP

/// Tags over HTTP (rule 9).
@Suite("Collections over HTTP", .migratedDatabase)
struct CollectionRouteTests {
    @Test("one tag is what the list says of it, and a refused edit shows it")
    func tag() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let friend = try await server.addFriend(token: token)
            let added = try await server.send(
                "POST", "/v1/tags", ["name": "가족", "colour": "#3b6fc9", "cycleDays": 14], token: token)
            let path = "/v1/tags/\(try added.text("id"))"
            _ = try await server.send("PATCH", "/v1/friends/\(friend)", ["addTags": ["가족"]], token: token)
            let one = try await server.send("GET", path, token: token)
            #expect(one.status == 200 && one["name"] == "가족" && one["friendCount"] == 1)
            let list = try await server.send("GET", "/v1/tags", token: token)
            #expect(list["tags"] == .array([try one.json]))
            #expect(try await server.send("GET", path.uppercased(), token: token).status == 404)
            let upper = "/v1/tags/\(try added.text("id").uppercased())"
            #expect(try await server.send("GET", upper, token: token)["name"] == "가족")
            let refused = try await server.send(
                "PATCH", path, ["name": "친구"], token: token, headers: ["If-Match": "\"9\""])
            #expect(refused.status == 412)
            #expect(try refused["present"] == one.json)
            let unknown = "/v1/tags/\(UUID().uuidString.lowercased())"
            #expect(try await server.send("GET", unknown, token: token).code == "not_found")
        }
    }
}
