import CherishTestSupport
import Foundation
import Testing

@testable import CherishHTTP

/// The picture of an account over HTTP (rule 12.7). What becomes of pictures is the business of PicturesTests.
@Suite("Pictures over HTTP", .migratedDatabase)
struct PictureRouteTests {
    private func fixture(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Service/PicturesTests/Fixtures")
        return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    @Test("a picture is set, read, replaced and removed; the account's version grows, and another account has its own")
    func life() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let path = "/v1/account/picture"
            #expect(try await server.send("GET", path, token: token).status == 404)
            #expect(
                try await server.sendFile("PUT", path, try fixture("location.jpg"), "image/jpeg", token: token).status
                    == 204)
            let first = try await server.send("GET", path, token: token)
            #expect(first.status == 200 && first.headers.first(name: "Content-Type") == "image/jpeg")
            #expect(first.body.starts(with: [0xFF, 0xD8]))
            #expect(first.body.firstRange(of: Array("Exif".utf8)) == nil)
            let tag = try #require(first.headers.first(name: "ETag"))
            #expect(try await server.send("GET", path, token: token, headers: ["If-None-Match": tag]).status == 304)
            // The type in the header does not matter, as long as it is one of the three.
            #expect(
                try await server.sendFile("PUT", path, try fixture("rgba.png"), "image/webp", token: token).status
                    == 204)
            #expect(try await server.send("GET", path, token: token).body != first.body)
            #expect(try await server.send("GET", "/v1/account", token: token)["version"] == 3)
            let stranger = try await server.signUp("jun@example.com")
            #expect(try await server.send("GET", path, token: stranger).status == 404)
            #expect(try await server.send("DELETE", path, token: token).status == 204)
            #expect(try await server.send("GET", path, token: token).status == 404)
        }
    }

    @Test("what is no picture, too long or of another kind is refused, and the picture of before stays")
    func refusals() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let path = "/v1/account/picture"
            func put(_ bytes: [UInt8], _ type: String = "image/png", language: String = "en") async throws -> Answer {
                try await server.sendFile(
                    "PUT", path, bytes, type, token: token, headers: ["Accept-Language": language])
            }
            #expect(try await put(try fixture("rgb.png")).status == 204)
            let before = try await server.send("GET", path, token: token).body
            let gif = try await put(try fixture("other.gif"))
            #expect(gif.status == 422 && gif.code == "not_a_picture")
            let korean = try await put(try fixture("other.gif"), language: "ko")
            #expect(try korean.text("detail") == "사진이 아니에요.")
            let cut = try await put(Array(try fixture("rgb.png").dropLast(20)))
            #expect(cut.status == 422 && cut.code == "broken_picture")
            #expect(try await put(Array("<svg/>".utf8), "image/svg+xml").status == 415)
            #expect(try await put([], "image/png").code == "not_a_picture")
            // The server closes the connection instead of reading on, so the answer may not arrive.
            let long = try? await put([UInt8](repeating: 0, count: 5 * 1024 * 1024 + 1))
            #expect(long == nil || long?.status == 413 && long?.code == "body_too_long")
            #expect(try await server.send("GET", path, token: token).body == before)
        }
    }
}
