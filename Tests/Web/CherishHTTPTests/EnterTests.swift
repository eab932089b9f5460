import CherishTestSupport
import Testing

@testable import CherishHTTP
@testable import WebGarden

/// Links that sign in (for demonstrations).
@Suite("A link that signs in", .migratedDatabase)
struct EnterTests {
    @Test("works once, and the token in it is worth nothing afterwards")
    func once() async throws {
        try await TestVisitor.run { server, visitor in
            let token = try await server.signUp("minji@example.com")
            let (first, second) = (visitor(), visitor())
            let entered = try await first.submit("/enter", [("token", token)])
            #expect(entered.status == 303 && first.hasSession)
            #expect(try await first.open("/me").status == 200)
            #expect(try await server.send("GET", "/v1/account", token: token).status == 401)
            #expect(try await second.submit("/enter", [("token", token)]).status == 401)
            #expect(!second.hasSession)
            for wrong in ["", "x", String(token.dropLast()), token + "A"] {
                #expect(try await second.submit("/enter", [("token", wrong)]).status == 401)
            }
        }
    }

    @Test("is not there on a server that others reach")
    func elsewhere() {
        #expect(WebGarden.pages().match("/enter") == nil)
        #expect(WebGarden.pages(hasLinks: true).match("/enter")?.route == "/enter")
    }
}
