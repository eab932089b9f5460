import AsyncHTTPClient
import CherishTestSupport
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import CherishHTTP

/// Address books over HTTP. What becomes of their contacts is the business of AddressBookTests and CherishServiceTests.
@Suite("Uploads of address books", .migratedDatabase)
struct ImportRouteTests {
    /// Three contacts, on lines 2, 3 and 4.
    private static let table = """
        name,phone,birthday
        김하나,010-1111-1111,1994-05-21
        이둘,010-2222-2222,
        박셋,010-3333-3333,

        """

    private func post(
        _ server: TestServer, _ text: String, _ query: String = "", type: String = "text/csv", token: String,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        try await server.sendFile(
            "POST", "/v1/imports\(query)", Array(text.utf8), type, token: token, headers: headers)
    }

    private func names(_ server: TestServer, _ token: String) async throws -> Set<String> {
        let answer = try await server.send("GET", "/v1/friends", token: token)
        guard case .array(let plants)? = answer["plants"] else { throw Missing(what: "plants") }
        return Set(
            plants.compactMap { plant in
                if case .string(let name)? = plant["name"] { name } else { nil }
            })
    }

    @Test("a dry run changes nothing; its lines choose what is imported; the import is listed and undone")
    func life() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let dry = try await post(server, Self.table, "?dryRun=true", token: token)
            #expect(dry.status == 200 && dry["dryRun"] == true && dry["planted"] == 3 && dry["importId"] == .null)
            guard case .array(let rows)? = dry["rows"] else { throw Missing(what: "rows") }
            #expect(rows.map { $0["line"] } == [2, 3, 4])
            #expect(try await names(server, token).isEmpty)

            let chosen = try await post(
                server, Self.table, "?rows=2,4&cycleDays=30&tag=%EB%8F%99%ED%98%B8%ED%9A%8C", token: token,
                headers: ["Content-Disposition": "attachment; filename=\"친구;들.csv\""])
            #expect(chosen.status == 200 && chosen["planted"] == 2 && chosen["newTags"] == ["동호회"])
            #expect(try await names(server, token) == ["김하나", "박셋"])
            let friends = try await server.send("GET", "/v1/friends?tag=%EB%8F%99%ED%98%B8%ED%9A%8C", token: token)
            guard case .array(let plants)? = friends["plants"] else { throw Missing(what: "plants") }
            #expect(plants.map { $0["cycleDays"] } == [30, 30])

            let listed = try await server.send("GET", "/v1/imports", token: token)
            guard case .array(let imports)? = listed["imports"] else { throw Missing(what: "imports") }
            #expect(imports.count == 1 && imports[0]["fileName"] == "친구;들.csv")
            let undone = try await server.send("DELETE", "/v1/imports/\(try chosen.text("importId"))", token: token)
            #expect(undone.status == 200)
            #expect(try await names(server, token).isEmpty)
        }
    }

    @Test("ranges of lines are chosen, and a line without a contact is refused")
    func lines() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let ranges = try await post(server, Self.table, "?dryRun=true&rows=3-9", token: token)
            #expect(ranges["planted"] == 2)
            for rows in ["2,5", "4,5", "5-9"] {
                let none = try await post(server, Self.table, "?rows=\(rows)", token: token)
                #expect(none.status == 422 && none.code == "no_contact", "\(rows)")
            }
            for rows in ["", "0", "2,", "4-3", "-3", "1-2-3", "x", "9999999999"] {
                let answer = try await post(server, Self.table, "?rows=\(rows)", token: token)
                #expect(answer.status == 422 && answer.code == "invalid_rows", "\(rows)")
            }
            #expect(try await names(server, token).isEmpty)
        }
    }

    @Test("columns with other titles are named, days may come before months, and what is new is merged")
    func options() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let header = "성함,연락처,생일\n"
            let table = header + "김하나,010-1111-1111,05/06/1994\n"
            let columns = "name%3D%EC%84%B1%ED%95%A8,phone%3D%EC%97%B0%EB%9D%BD%EC%B2%98"
            let first = try await post(
                server, header + "김하나,010-1111-1111,\n", "?columns=\(columns)", token: token)
            #expect(first["planted"] == 1)
            let second = try await post(
                server, table, "?dayFirst=true&merge=true&columns=\(columns)", token: token)
            #expect(second["merged"] == 1)
            let friends = try await server.send("GET", "/v1/friends", token: token)
            guard case .array(let plants)? = friends["plants"] else { throw Missing(what: "plants") }
            #expect(plants.map { $0["birthday"] } == ["1994-06-05"])
            let wrong = try await post(server, table, "?columns=nome%3Dx", token: token)
            #expect(wrong.status == 422 && wrong.code == "invalid_columns")
            let unknown = try await post(server, table, "?merg=true", token: token)
            #expect(unknown.status == 422 && unknown.code == "unknown_name")
        }
    }

    @Test("curl's form with a file of any name is read like the file alone")
    func form() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cherish-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let name = "친구 \"한\" 명.vcf"
            let card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:김하나\r\nTEL:010-1111-1111\r\nEND:VCARD\r\n"
            try card.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
            let curl = try RunningProgram(
                "/usr/bin/env",
                [
                    "curl", "-sS", "-H", "Authorization: Bearer \(token)", "-F",
                    "file=@\"\(folder.path)/친구 \\\"한\\\" 명.vcf\"", "http://127.0.0.1:\(server.port)/v1/imports",
                ])
            let result = await curl.result()
            #expect(result.output.contains("\"planted\":1"), "\(result.output) \(result.errors)")
            #expect(try await names(server, token) == ["김하나"])
            let listed = try await server.send("GET", "/v1/imports", token: token)
            guard case .array(let imports)? = listed["imports"] else { throw Missing(what: "imports") }
            #expect(imports.map { $0["fileName"] } == [.string(name)])
        }
    }

    @Test(
        "a form that is none, or holds anything but one file, is refused",
        arguments: [
            "", "--b", "--b--", "--b\r\n", "--b\r\n\r\nx\r\n--b--", "x--b\r\n\(head)\r\nx\r\n--b--",
            "--b\r\n\(head)\r\nx", "--b\r\n\(head)\r\nx\r\n--b", "--b\r\n\(head)\r\nx\r\n--b-",
            "--bb\r\n\(head)\r\nx\r\n--b--", "--b\r\n\(head)x\r\n--b--", "--b\r\n\(head)\r\nx\r\n--b--and more",
            "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx\r\n--b--",
            "--b\r\nno colon\r\n\(head)\r\nx\r\n--b--",
            "--b\r\n\(head)Content-Transfer-Encoding: base64\r\n\r\nx\r\n--b--",
            "--b\r\n\(head)\r\nx\r\n--b\r\n\(head)\r\ny\r\n--b--",
            "--b\r\n\(head)\r\nx\r\n--b\r\nContent-Disposition: form-data; name=\"merge\"\r\n\r\ntrue\r\n--b--",
            "--b\r\n\(head)X: \(String(repeating: "x", count: 9_000))\r\n\r\nx\r\n--b--",
        ])
    func brokenForm(body: String) async throws {
        #expect(throws: RefusedRequest.brokenForm) {
            try Array(body.utf8).withUnsafeBytes { try MultipartForm.onlyFile(in: $0, boundary: "b") }
        }
    }

    @Test("the file of a form keeps every byte, also those that look like its end")
    func fileOfForm() throws {
        for content in ["", "\r\n", "--b--", "\r\n--", "x\r\n--c--\r\n", "\r\n\r\n", "\0"] {
            for end in ["", "\r\n", " \r\n"] {
                let body = Array("--b \r\n\(head)\r\n\(content)\r\n--b--\(end)".utf8)
                let file = try body.withUnsafeBytes { try MultipartForm.onlyFile(in: $0, boundary: "b") }
                #expect(file.name == "a\"b.csv")
                #expect(String(decoding: body[file.range], as: UTF8.self) == content)
            }
        }
    }

    @Test("an empty file, a ZIP that calls itself a vCard, and another type are refused, in Korean too")
    func unreadable() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let empty = try await post(server, "", token: token)
            #expect(empty.status == 422 && empty.code == "unreadable_file")
            let zip = try await server.sendFile(
                "POST", "/v1/imports", [0x50, 0x4B, 3, 4, 0x14, 0, 0, 0, 8, 0, 0xFF, 0xFE], "text/vcard", token: token,
                headers: ["Accept-Language": "ko"])
            #expect(zip.status == 422 && zip.code == "unreadable_file")
            #expect(try zip.text("detail") == "주소록 파일로 읽을 수 없어요.")
            #expect(try await post(server, Self.table, type: "image/png", token: token).status == 415)
            #expect(try await post(server, Self.table, type: "multipart/form-data", token: token).code == "broken_form")
        }
    }

    @Test("a file of more than 100 MiB is refused before it is read")
    func tooLong() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let script = """
                import http.client, sys
                connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
                connection.putrequest("POST", "/v1/imports")
                for name, value in [("Authorization", "Bearer " + sys.argv[2]), ("Content-Type", "text/csv"),
                                    ("Content-Length", str((100 << 20) + 1))]:
                    connection.putheader(name, value)
                connection.endheaders()
                print(connection.getresponse().status)
                """
            let python = try RunningProgram("/usr/bin/env", ["python3", "-c", script, "\(server.port)", token])
            #expect(await python.result().output == "413\n")
        }
    }

    @Test("a repeated upload happens once; the same key with another file, or for more than a dry run, is refused")
    func repetition() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let key = ["Idempotency-Key": "key"]
            let first = try await post(server, Self.table, token: token, headers: key)
            let again = try await post(server, Self.table, token: token, headers: key)
            #expect(first.status == 200 && again.body == first.body)
            let other = try await post(server, Self.table + "최넷,010-4444-4444,\n", token: token, headers: key)
            #expect(other.status == 422 && other.code == "idempotency_conflict")
            let dry = ["Idempotency-Key": "dry"]
            #expect(try await post(server, Self.table, "?dryRun=true", token: token, headers: dry).status == 200)
            #expect(try await post(server, Self.table, token: token, headers: dry).code == "idempotency_conflict")
        }
    }

    @Test("one file of an account arrives at a time; other accounts and other requests do not wait for it")
    func neighbours() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let stranger = try await server.signUp("jun@example.com")
            let gate = Gate()
            let (port, client) = (server.port, server.client)
            let slow = Task {
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/v1/imports")
                request.method = .POST
                request.headers.add(name: "Content-Type", value: "text/csv")
                request.headers.add(name: "Authorization", value: "Bearer \(token)")
                let (pieces, entrance) = AsyncStream<ByteBuffer>.makeStream()
                request.body = .stream(pieces, length: .unknown)
                entrance.yield(ByteBuffer(string: "name,phone\n"))
                Task {
                    await gate.pass()
                    entrance.yield(ByteBuffer(string: "김하나,010-1111-1111\n"))
                    entrance.finish()
                }
                let response = try await client.execute(request, timeout: .seconds(600))
                return Int(response.status.code)
            }
            try await eventually("the first file was never underway") { server.services.uploads.underwayCount == 1 }
            #expect(try await post(server, Self.table, token: token).code == "upload_running")
            #expect(try await post(server, Self.table, token: stranger)["planted"] == 3)
            #expect(try await server.send("GET", "/v1/friends", token: token).status == 200)
            await gate.open()
            #expect(try await slow.value == 200)
            #expect(try await names(server, token) == ["김하나"])
            #expect(try await post(server, Self.table, token: token)["planted"] == 2)
        }
    }
}

/// The headers of a part that is a file.
private let head = "content-disposition: form-data; name=\"file\"; filename=\"a%22b.csv\"\r\nContent-Type: text/csv\r\n"
