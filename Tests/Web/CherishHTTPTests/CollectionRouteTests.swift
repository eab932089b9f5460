import CherishCore
import CherishService
import CherishTestSupport
import DocumentEncoding
import Foundation
import Postgres
import Secrets
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

    /// The environment of a server with Web Push.
    private static func webPush(in folder: URL) throws -> (environment: [String: String], publicKey: String) {
        let path = folder.appendingPathComponent("webpush.pem").path
        let publicKey = try PushKey.make(at: path)
        return (
            [
                "CHERISH_WEBPUSH_KEY": path, "CHERISH_WEBPUSH_SUBJECT": "mailto:push@example.com",
                "CHERISH_PUBLIC_URL": "https://cherish.example", "CHERISH_WEBPUSH_HOSTS": "push.example.org",
            ], publicKey
        )
    }

    @Test("a browser asks for the key and subscribes; its pushes end with its session")
    func browser() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (environment, publicKey) = try Self.webPush(in: folder)
        try await TestServer.run(environment: environment) { server in
            #expect(try await server.send("GET", "/v1/push-key")["key"] == .string(publicKey))
            let token = try await server.signUp("minji@example.com")
            let keys = try #require(TestBrowser().keys)
            let subscription: [String: JSONValue] = [
                "platform": "web", "token": "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
                "p256dh": .string(Base64URL.encode(keys.p256dh)), "auth": .string(Base64URL.encode(keys.auth)),
            ]
            func add(_ changes: [String: JSONValue]) async throws -> Answer {
                try await server.send(
                    "POST", "/v1/devices", .object(subscription.merging(changes) { $1 }), token: token)
            }
            let added = try await add([:])
            #expect(added.status == 201 && added["platform"] == "web" && added["secret"] == .null)
            #expect(!String(decoding: added.body, as: UTF8.self).contains(Base64URL.encode(keys.auth)))
            #expect(try await add(["token": "https://a.push.example.org:8443/x"]).status == 201)

            // A host that only resembles an allowed one, one inside our network, and no https.
            for endpoint in [
                "https://evilfcm.googleapis.com/x", "https://fcm.googleapis.com.example/x",
                "https://xpush.example.org/x", "https://127.0.0.1/x", "https://169.254.169.254/x",
                "http://fcm.googleapis.com/x",
            ] {
                let refused = try await add(["token": .string(endpoint)])
                #expect(refused.status == 422 && refused.code == "usage", "\(endpoint)")
            }
            // Points that are not on the curve, are compressed, or no Base64url; a secret of another length.
            let offCurve = [4] + [UInt8](repeating: 1, count: 64)
            for change: [String: JSONValue] in [
                ["p256dh": .string(Base64URL.encode(offCurve))], ["p256dh": "AAAA"], ["p256dh": "!"],
                ["auth": "AAAA"], ["auth": ""],
            ] {
                let refused = try await add(change)
                #expect(refused.status == 422 && refused.code == "invalid_subscription_key", "\(change)")
            }
            // A browser without keys, and keys of something that is no browser.
            let without: JSONValue = ["platform": "web", "token": "https://fcm.googleapis.com/x"]
            #expect(try await server.send("POST", "/v1/devices", without, token: token).code == "not_a_choice")
            #expect(try await add(["platform": "ios"]).code == "not_a_choice")

            #expect(try await server.send("DELETE", "/v1/session", token: token).status == 204)
            let again = try await server.signIn("minji@example.com")
            #expect(try await server.send("GET", "/v1/devices", token: again)["devices"] == [])
        }
    }

    @Test("a notification puts its plant off by a day, once")
    func pushAction() async throws {
        try await TestServer.run(time: .fixed(try seoul("2027-02-23T10:00"))) { server in
            let token = try await server.signUp("minji@example.com")
            _ = try await server.addFriend(token: token)
        }
        try await TestServer.run(time: .fixed(try seoul("2027-03-02T10:00"))) { server in
            let session = try await server.signIn("minji@example.com")
            let token = CapabilityToken(
                in: Account.ID(
                    try #require(
                        UUID(uuidString: try await server.send("GET", "/v1/account", token: session).text("id")))
                ).lane)
            let owner = TestDatabase.current.pool(maximumConnections: 1)
            try await owner.withConnection { connection in
                _ = try await connection.query(
                    """
                    INSERT INTO device (lane, id, account_id, platform, token, p256dh, auth, added_at)
                    SELECT lane, id, id, 'web', 'x', '\\x04' || repeat('a', 64)::bytea, repeat('a', 16)::bytea, '2027-03-01'
                    FROM account
                    """)
                _ = try await connection.query(
                    """
                    INSERT INTO push_action (lane, token_hash, account_id, device_id, subject_id, topic, ref, action, expires_at)
                    SELECT lane, $1, account_id, account_id, id, 'watering_due', due_on - date '1970-01-01', 'later', '2027-03-03'
                    FROM plant
                    """, [Bytea(SecretHash.sha256(token.secret))])
            }
            await owner.close()
            let body: JSONValue = ["token": .string(token.text)]
            #expect(try await server.send("POST", "/v1/push-actions", body).status == 204)
            let friends = try await server.send("GET", "/v1/friends", token: session)
            guard case .array(let plants)? = friends["plants"] else { throw Missing(what: "plants") }
            #expect(plants.first?["dueOn"] == "2027-03-03" && plants.first?["postponementCount"] == 1)
            let again = try await server.send("POST", "/v1/push-actions", body)
            #expect(again.status == 404 && again.code == "not_found")
            for wrong in ["", "x", String(token.text.dropLast())] {
                let refused = try await server.send("POST", "/v1/push-actions", ["token": .string(wrong)])
                #expect(refused.status == 404)
            }
            // From another site's page, it is a forgery.
            let foreign = try await server.send(
                "POST", "/v1/push-actions", body, headers: ["Sec-Fetch-Site": "cross-site"])
            #expect(foreign.status == 403)
        }
    }

    @Test("a service without Web Push says so")
    func noPushKey() async throws {
        try await TestServer.run { server in
            let answer = try await server.send("GET", "/v1/push-key", headers: ["Accept-Language": "ko"])
            #expect(answer.status == 404 && answer.code == "web_push_off")
            #expect(try answer.text("detail").contains("브라우저"))
        }
    }
}
