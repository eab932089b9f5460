import CherishCore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Testing

@testable import CherishHTTP

/// Shopping lists between neighbours over HTTP (rule 11), as two apps use them.
@Suite("11: shopping lists over HTTP", .migratedDatabase)
struct ListRouteTests {
    private let start = Instant("2027-03-01T01:00:00Z")!

    /// A server with two accounts of postcodes that are 3 km apart.
    private func withNeighbours(_ body: (TestServer, _ owner: String, _ helper: String) async throws -> Void)
        async throws
    {
        try await TestServer.run(time: .fixed(start)) { server in
            // The server's own login may not write the catalogue.
            let pool = TestDatabase.current.pool(maximumConnections: 1)
            try await pool.withConnection { connection in
                try await connection.script(
                    "INSERT INTO postcode VALUES ('KR', '04524', 37.5, 127), ('KR', '04525', 37.527, 127)")
            }
            await pool.close()
            let owner = try await person("minji", "04524", server)
            try await body(server, owner, try await person("hana", "04525", server))
        }
    }

    private func person(_ name: String, _ postcode: JSONValue, _ server: TestServer) async throws -> String {
        let token = try await server.signUp("\(name)@example.com")
        let edited = try await server.send(
            "PATCH", "/v1/account", ["nickname": .string(name), "postcode": postcode, "country": "kr"], token: token)
        #expect(edited["country"] == "KR")
        return token
    }

    private func written(_ server: TestServer, _ token: String) async throws -> String {
        let written = try await server.send(
            "POST", "/v1/lists",
            [
                "title": " 장보기 ", "note": "저지방", "deliveryNote": "secret door",
                "entries": [["name": "우유", "quantity": "2 l"], ["name": "달걀"]],
            ], token: token)
        #expect(written.status == 201 && written["title"] == "장보기" && written["state"] == "draft")
        return try written.text("id")
    }

    private func lists(_ answer: Answer) throws -> [JSONValue] {
        guard case .array(let lists)? = answer["lists"] else { throw Missing(what: "lists") }
        return lists
    }

    @Test("two people: written, opened, found, accepted, bought, delivered, rated")
    func way() async throws {
        try await withNeighbours { server, owner, helper in
            let list = "/v1/lists/\(try await written(server, owner))"
            let names: Set<String> = [
                "id", "accountId", "ownerNickname", "role", "title", "note", "deliveryNote", "state", "createdAt",
                "openedAt",
                "expiresAt", "entries", "acceptedAt", "deliveredAt", "cancelledAt", "rating", "helper", "receipt",
                "version",
                "modifiedAt",
            ]
            let draft = try await server.send("GET", list, token: owner)
            guard case .object(let fields) = try draft.json else { throw Missing(what: "an object") }
            #expect(Set(fields.keys) == names)
            #expect(try await server.send("GET", list, token: helper).status == 404)
            #expect(try lists(try await server.send("GET", "/v1/lists/nearby", token: helper)).isEmpty)
            let edited = try await server.send(
                "PATCH", list, ["entries": [["name": "우유"]], "note": .null], token: owner,
                headers: ["If-Match": "\"1\""])
            #expect(edited["version"] == 2 && edited["note"] == .null)
            #expect(
                try await server.send("POST", "\(list)/opening", token: owner, headers: ["If-Match": "\"1\""]).status
                    == 412)
            let opened = try await server.send("POST", "\(list)/opening", token: owner)
            #expect(opened["state"] == "open" && opened["expiresAt"] == "2027-03-08T01:00:00Z")

            let nearby = try await server.send("GET", "/v1/lists/nearby?radius=4", token: helper)
            #expect(
                try lists(nearby) == [
                    [
                        "id": draft["id"] ?? .null, "ownerNickname": "minji", "entryCount": 1, "secondsLeft": 604_800,
                        "distanceKm": 4,
                    ]
                ])
            #expect(try lists(try await server.send("GET", "/v1/lists/nearby?radius=2", token: helper)).isEmpty)
            #expect(try await server.send("GET", "/v1/lists/nearby?radius=51", token: helper).status == 422)
            // Until it is accepted, nothing but that is told.
            #expect(try await server.send("GET", list, token: helper).status == 404)

            let accepted = try await server.send("POST", "\(list)/acceptance", token: helper)
            #expect(accepted["state"] == "accepted" && accepted["deliveryNote"] == "secret door")
            #expect(
                accepted["role"] == "helper" && accepted["ownerNickname"] == "minji" && accepted["accountId"] == .null)
            #expect(try await server.send("POST", "\(list)/acceptance", token: owner).code == "own_list")
            let third = try await person("doyun", "04525", server)
            let late = try await server.send("POST", "\(list)/acceptance", token: third)
            #expect(late.status == 409 && late.code == "already_accepted")
            #expect(try await server.send("GET", list, token: third).status == 404)
            #expect(try await server.send("PATCH", list, ["title": "x"], token: owner).code == "list_accepted")

            let bought = try await server.send("PUT", "\(list)/entries/1/bought", [:], token: helper)
            #expect(bought["entries"] == [["number": 1, "name": "우유", "quantity": .null, "bought": true]])
            #expect(
                try await server.send("PUT", "\(list)/entries/2/bought", [:], token: helper).code == "no_such_entry")
            #expect(try await server.send("PUT", "\(list)/entries/1/bought", [:], token: owner).status == 404)
            let helping = try await server.send("GET", "/v1/lists?helping=true", token: helper)
            #expect(try lists(helping).count == 1)
            #expect(try await server.send("POST", "\(list)/delivery", token: helper)["state"] == "delivered")
            let rated = try await server.send("PUT", "\(list)/rating", ["points": 5], token: owner)
            #expect(rated["rating"] == 5 && rated["helper"] == ["nickname": "hana", "rating": .null, "ratingCount": 0])
            #expect(try await server.send("PUT", "\(list)/rating", ["points": 6], token: owner).status == 422)
            #expect(try await server.send("DELETE", list, token: owner).code == "not_a_draft")
        }
    }

    private func fixture(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Service/PicturesTests/Fixtures")
        return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    @Test("a receipt: a picture or a PDF without metadata, for the two alone; a PDF is no page of ours")
    func receipt() async throws {
        try await withNeighbours { server, owner, helper in
            let list = "/v1/lists/\(try await written(server, owner))"
            let receipt = "\(list)/receipt"
            _ = try await server.send("POST", "\(list)/opening", token: owner)
            let picture = try fixture("location.jpg")
            func put(_ bytes: [UInt8], _ type: String, _ token: String) async throws -> Answer {
                try await server.sendFile("PUT", receipt, bytes, type, token: token, headers: ["Accept-Language": "en"])
            }
            #expect(try await put(picture, "image/jpeg", helper).status == 404)
            _ = try await server.send("POST", "\(list)/acceptance", token: helper)
            #expect(try await server.send("GET", receipt, token: owner).status == 404)
            #expect(try await put(picture, "image/jpeg", owner).status == 404)
            #expect(try await put(picture, "image/jpeg", helper).status == 204)
            #expect(try await server.send("GET", list, token: owner)["receipt"] == "image/jpeg")
            for token in [owner, helper] {
                let answer = try await server.send("GET", receipt, token: token)
                #expect(answer.status == 200 && answer.headers.first(name: "Content-Type") == "image/jpeg")
                #expect(answer.headers.first(name: "X-Content-Type-Options") == "nosniff")
                #expect(answer.body.starts(with: [0xff, 0xd8]))
                #expect(answer.body.firstRange(of: Array("Exif".utf8)) == nil)
                let tag = try #require(answer.headers.first(name: "ETag"))
                let again = try await server.send("GET", receipt, token: token, headers: ["If-None-Match": tag])
                #expect(again.status == 304)
            }
            // What it is, its content says.
            #expect(try await put(try fixture("receipt.pdf"), "image/png", helper).status == 204)
            let pdf = try await server.send("GET", receipt, token: owner)
            #expect(pdf.headers.first(name: "Content-Type") == "application/pdf")
            #expect(pdf.headers.first(name: "Content-Disposition") == "attachment; filename=\"receipt.pdf\"")
            #expect(pdf.body.firstRange(of: Array("whereabouts".utf8)) == nil)
            let third = try await person("doyun", "04525", server)
            for method in ["GET", "DELETE"] {
                #expect(try await server.send(method, receipt, token: third).status == 404)
            }
            #expect(try await server.send("DELETE", receipt, token: owner).status == 404)

            for (bytes, type, code) in [
                (Array("<svg/>".utf8), "image/png", "not_a_receipt"),
                (try fixture("locked.pdf"), "application/pdf", "broken_picture"),
                (try fixture("pages-21.pdf"), "application/pdf", "too_many_pages"),
            ] {
                let refused = try await put(bytes, type, helper)
                #expect(refused.status == 422 && refused.code == code)
            }
            #expect(try await put(Array("<html>".utf8), "text/html", helper).status == 415)
            #expect(try await server.send("GET", receipt, token: owner).body == pdf.body)
            _ = try await server.send("POST", "\(list)/delivery", token: helper)
            #expect(try await server.send("DELETE", receipt, token: helper).status == 204)
            #expect(try await server.send("GET", list, token: owner)["receipt"] == .null)
            #expect(try await server.send("GET", receipt, token: owner).code == "not_found")
        }
    }

    @Test("given back, reported, blocked, cancelled; and refusals in Korean")
    func others() async throws {
        try await withNeighbours { server, owner, helper in
            let list = "/v1/lists/\(try await written(server, owner))"
            _ = try await server.send("POST", "\(list)/opening", token: owner)
            _ = try await server.send("POST", "\(list)/acceptance", token: helper)
            #expect(try await server.send("DELETE", "\(list)/acceptance", token: helper).status == 204)
            #expect(try await server.send("DELETE", "\(list)/acceptance", token: helper).status == 404)
            let reported = try await server.send("POST", "\(list)/reports", ["reason": "돈을 달래요"], token: helper)
            #expect(reported.status == 204)
            let block = try await server.send(
                "POST", "/v1/blocks", ["listId": .string(String(list.dropFirst(10)))], token: helper)
            #expect(block.status == 201 && block["nickname"] == "minji")
            #expect(try lists(try await server.send("GET", "/v1/lists/nearby", token: helper)).isEmpty)
            #expect(try await server.send("POST", "\(list)/acceptance", token: helper).status == 404)
            #expect(
                try await server.send("DELETE", "/v1/blocks/\(try block.text("id"))", token: helper).status == 204)
            #expect(try lists(try await server.send("GET", "/v1/lists/nearby", token: helper)).count == 1)
            #expect(try await server.send("POST", "\(list)/cancellation", token: owner)["state"] == "cancelled")
            let refused = try await server.send(
                "POST", "\(list)/opening", token: owner, headers: ["Accept-Language": "ko"])
            #expect(refused.status == 409 && refused["detail"] == "취소한 목록이에요." && refused["remedy"] == "새 목록을 써 주세요.")
        }
    }
}
