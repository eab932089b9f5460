import CherishCore
import CherishStore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Testing

@testable import CherishHTTP

@Suite("Enquiries over HTTP", .migratedDatabase)
struct EnquiryRouteTests {
    private static let body: JSONValue = ["subject": "알림이 안 와요", "message": "어제부터\n오지 않아요."]

    private func ask(_ server: TestServer, _ token: String, key: String? = nil) async throws -> Answer {
        try await server.send(
            "POST", "/v1/enquiries", Self.body, token: token, headers: key.map { ["Idempotency-Key": $0] } ?? [:])
    }

    @Test("an enquiry goes to the operator, who answers to the account's e-mail; a repeated one goes once")
    func mail() async throws {
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let account = try await server.send("GET", "/v1/account", token: token).text("id")
            let count = server.outbox.all.count
            for _ in 1...2 {
                let answer = try await ask(server, token, key: "key")
                #expect(answer.status == 202 && answer.body.isEmpty)
            }
            #expect(server.outbox.all.count == count + 1)
            let mail = try #require(server.outbox.all.last)
            #expect(mail.recipient.description == TestServer.operatorEmail)
            #expect(mail.replyTo?.description == "minji@example.com")
            #expect(mail.subject == "Cherish: 알림이 안 와요")
            #expect(mail.text.hasPrefix("어제부터\n오지 않아요.\n") && mail.text.contains(account))
            for wrong: JSONValue in [
                ["subject": "", "message": "x"], ["subject": "x", "message": ""], ["subject": "x"],
                ["subject": .string(String(repeating: "가", count: 201)), "message": "x"],
                ["subject": "x", "message": .string(String(repeating: "가", count: 4_001))],
            ] {
                #expect(try await server.send("POST", "/v1/enquiries", wrong, token: token).status == 422)
            }
            #expect(server.outbox.all.count == count + 1)
        }
    }

    @Test("an account has five a day; the sixth waits until tomorrow, whatever housekeeping does")
    func limit() async throws {
        let start = Instant("2027-03-01T09:00:00Z")!
        var token = ""
        try await TestServer.run(time: .fixed(start)) { server in
            token = try await server.signUp("minji@example.com")
            for _ in 1...5 { #expect(try await ask(server, token).status == 202) }
            let sixth = try await ask(server, token)
            #expect(sixth.status == 429 && sixth.code == "slow_down")
            #expect(sixth.headers.first(name: "Retry-After") == "\(15 * 3600)")
            let other = try await server.signUp("jun@example.com")
            #expect(try await ask(server, other).status == 202)
        }
        let evening = start.adding(hours: 14)
        let pool = TestDatabase.current.pool(maximumConnections: 2)
        _ = try await Housekeeping(pool: pool, time: .fixed(evening), retention: 90).run()
        await pool.close()
        for (hours, status) in [(14, 429), (15, 202)] {
            try await TestServer.run(time: .fixed(start.adding(hours: hours))) { server in
                let answer = try await ask(server, token)
                #expect(answer.status == status)
            }
        }
    }

    @Test("a service without an address for them says so, and sends nothing")
    func off() async throws {
        try await TestServer.run(enquiries: nil) { server in
            let token = try await server.signUp("minji@example.com")
            let count = server.outbox.all.count
            let answer = try await ask(server, token)
            #expect(answer.status == 404 && answer.code == "enquiries_off")
            #expect(server.outbox.all.count == count)
        }
    }
}
