import CherishCore
import CherishTestSupport
import DocumentEncoding
import Foundation
import Testing

@testable import CherishHTTP

/// The document is made of what the server does; `scripts/check-api` has it judged by programs that nobody here wrote.
@Suite("OpenAPI", .migratedDatabase)
struct OpenAPITests {
    @Test("describes every route, and no two operations have one name")
    func routes() throws {
        let document = try OpenAPI.document(of: RouteTable(Route.all), version: "1")
        var names: [String] = []
        for route in Route.all {
            let operation = try #require(document["paths"]?[route.path]?[route.method.rawValue.lowercased()])
            guard case .string(let name)? = operation["operationId"] else { continue }
            names.append(name)
            #expect(operation["responses"]?["\(route.success.code)"] != nil)
            #expect((operation["requestBody"] != nil) == (route.body != nil))
        }
        #expect(Set(names).count == Route.all.count)
        #expect(Set(Route.all.map(\.name)).count == Route.all.count)
    }

    @Test("every example of a body is taken as it stands")
    func examples() async throws {
        // What an example cannot know, such as a code.
        let expected: [String: Int] = [
            "POST /v1/accounts": 409, "PUT /v1/password-resets/{reset}": 409,
            "POST /v1/account/email/confirmation": 409, "POST /v1/account/identities": 401,
            "POST /v1/account/phone/confirmation": 409, "POST /v1/push-actions": 404,
            "POST /v1/friends/{friend}/postponements": 409,
            // It has been completed by then.
            "POST /v1/things/{thing}/shares": 409,
            // The account's own draft, and a list that nobody has.
            "PUT /v1/lists/{list}/entries/{number}/bought": 404, "PUT /v1/lists/{list}/rating": 409,
            "POST /v1/blocks": 404,
        ]
        try await TestServer.run { server in
            let token = try await server.signUp("minji@example.com")
            let friend = try await server.addFriend("010-5555-5555", token: token)
            _ = try await server.send(
                "POST", "/v1/friends/\(friend)/waterings", ["method": "call"], token: token)
            let tag = try await server.send("POST", "/v1/tags", ["name": "old"], token: token).text("id")
            let thing = try await server.send(
                "POST", "/v1/things", ["kind": "reminder", "title": "old", "dueOn": "2027-03-05"], token: token
            ).text("id")
            let day = try await server.send("GET", "/v1/today", token: token).text("day")
            let list = try await server.send("POST", "/v1/lists", ["title": "old"], token: token).text("id")
            let pause = try await server.send("POST", "/v1/pauses", ["to": .string(day)], token: token).text("id")
            let ids = [
                "friend": friend, "tag": tag, "pause": pause, "thing": thing, "list": list, "number": "1", "day": day,
                "reset": UUID().uuidString,
            ]
            // The account's end comes last, the change of its password before it.
            let last = [
                "POST /v1/account/email/confirmation", "PUT /v1/account/email",
                "POST /v1/account/phone/confirmation", "PUT /v1/account/phone", "DELETE /v1/account",
                "PUT /v1/account/password",
            ]
            let routes = Route.all.sorted {
                (last.firstIndex(of: $0.name) ?? -1) < (last.firstIndex(of: $1.name) ?? -1)
            }
            for route in routes where route.name != "PUT /v1/account/password" {
                guard case .json(_, let example)? = route.body else { continue }
                let path = ids.reduce(route.path) { $0.replacing("{\($1.key)}", with: $1.value) }
                // Signing in would end the session that comes along.
                let answer = try await server.send(
                    route.method.rawValue, path, example, token: route.access == .session ? token : nil)
                let status = expected[route.name] ?? Int(route.success.code)
                #expect(answer.status == status, "\(route.name): \(String(decoding: answer.body, as: UTF8.self))")
            }
        }
    }

    @Test("what a body reads is what its schema names, with its limits")
    func schemas() throws {
        let schema = FriendBody.schema
        #expect(schema["additionalProperties"] == false)
        #expect(schema["required"] == ["name", "phone"])
        #expect(schema["properties"]?["cycleDays"]?["maximum"] == 90)
        #expect(schema["properties"]?["cycleDays"]?["type"] == ["integer", "null"])
        #expect(WateringBody.schema["properties"]?["method"]?["enum"]?.strings.count == ContactMethod.allCases.count)
        var components: [String: JSONValue] = [:]
        _ = try AnswerSchema.of(FriendsPage.self, &components)
        #expect(components["FriendsPage"]?["properties"]?["plants"]?["items"] == ["$ref": "#/components/schemas/Plant"])
        #expect(components["Plant"]?["properties"]?["birthday"] == ["type": ["string", "null"]])
        #expect(components["Plant"]?["required"]?.strings.count == 31)
    }
}

extension JSONValue {
    fileprivate var strings: [JSONValue] { if case .array(let items) = self { items } else { [] } }
}
