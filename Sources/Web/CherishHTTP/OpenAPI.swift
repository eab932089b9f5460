import CherishCore
import DocumentEncoding
import Foundation
import HTTPTypes

/// The OpenAPI 3.1 document, made from the table of routes.
enum OpenAPI {
    /// - Parameter version: of the programs.
    static func document(of table: RouteTable, version: String) throws -> JSONValue {
        var components: [String: JSONValue] = [:]
        let problem = try AnswerSchema.of(Problem.self, &components)
        var paths: [String: JSONValue] = [:]
        for route in table.routes {
            var operations: [String: JSONValue] = [:]
            if case .object(let known)? = paths[route.path] { operations = known }
            operations[route.method.rawValue.lowercased()] = try operation(route, problem, &components)
            paths[route.path] = .object(operations)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Cherish", "version": .string(version),
                "description":
                    "Keeps friendships alive. The rules are in docs/rules.md, the codes of errors in docs/api.md.",
                "license": ["name": "see the repository"],
            ],
            "paths": .object(paths),
            "components": [
                "schemas": .object(components),
                "securitySchemes": [
                    "token": ["type": "http", "scheme": "bearer"],
                    "cookie": ["type": "apiKey", "in": "cookie", "name": .string(SessionCookie.name)],
                ],
            ],
        ]
    }

    private static func operation(
        _ route: Route, _ problem: JSONValue, _ components: inout [String: JSONValue]
    ) throws -> JSONValue {
        var operation: [String: JSONValue] = [
            "summary": .string(route.summary), "operationId": .string(operationID(route)),
            "parameters": .array(parameters(route)),
            "security": security(route.access),
        ]
        if let body = route.body {
            operation["requestBody"] = ["required": true, "content": content(body)]
        }
        var answers: [String: JSONValue] = ["\(route.success.code)": try success(route, &components)]
        for status in refusals(route) {
            answers["\(status.code)"] = [
                "description": .string(status.reasonPhrase),
                "content": ["application/problem+json": ["schema": problem]],
            ]
        }
        operation["responses"] = .object(answers)
        return .object(operation)
    }

    private static func security(_ access: Access) -> JSONValue {
        switch access {
        case .anybody: []
        case .session: [["token": []], ["cookie": []]]
        case .either: [[:], ["token": []], ["cookie": []]]
        }
    }

    private static func content(_ content: Route.Content) -> JSONValue {
        switch content {
        case .json(let schema, let example): ["application/json": ["schema": schema, "example": example]]
        case .file(let types, _): .object(Dictionary(uniqueKeysWithValues: types.map { ($0, [:]) }))
        // Pages are not in the document.
        case .form: [:]
        case .upload(let types, _):
            .object(
                Dictionary(
                    uniqueKeysWithValues: types.map { type in
                        (type, type == "multipart/form-data" ? ["schema": formOfOneFile] : [:])
                    }))
        }
    }

    private static let formOfOneFile: JSONValue = [
        "type": "object", "additionalProperties": false, "required": ["file"],
        "properties": ["file": ["type": "string", "format": "binary"]],
    ]

    private static func success(_ route: Route, _ components: inout [String: JSONValue]) throws -> JSONValue {
        var answer: [String: JSONValue] = ["description": .string(route.success.reasonPhrase)]
        switch route.answer {
        case .nothing: break
        case .document(let type):
            answer["content"] = ["application/json": ["schema": try AnswerSchema.of(type, &components)]]
        case .file(let types):
            answer["content"] = .object(
                Dictionary(
                    uniqueKeysWithValues: types.map { type in
                        (
                            String(type.prefix { $0 != ";" }),
                            type == "application/json" ? [:] : ["schema": ["type": "string"]]
                        )
                    }))
        }
        return .object(answer)
    }

    /// What a route may refuse with, by what it is: the pipeline of the door does the same for all of its kind.
    private static func refusals(_ route: Route) -> [HTTPResponse.Status] {
        var statuses: [HTTPResponse.Status] = [
            .badRequest, .forbidden, .requestTimeout, .conflict, .contentTooLarge, .unprocessableContent,
            .tooManyRequests, .serviceUnavailable,
        ]
        // Signing in with a wrong password is refused like a wrong token.
        statuses.append(.unauthorized)
        // Without an id, too: a service may have no key of Web Push, and a token of a notification may be used.
        if route.path.contains("{") || route.access == .session || route.path.hasPrefix("/v1/push-") {
            statuses.append(.notFound)
        }
        if route.body != nil { statuses.append(.unsupportedMediaType) }
        if route.takesVersion { statuses.append(.preconditionFailed) }
        return statuses
    }

    private static func parameters(_ route: Route) -> [JSONValue] {
        let inPath: [JSONValue] = route.segments.filter { $0.hasPrefix("{") }.map { segment in
            let name = String(segment.dropFirst().dropLast())
            let schema: JSONValue =
                switch name {
                case "day": Kind<CivilDay>.day.schema
                case "provider": Kind<IdentityProvider>.choice(of: IdentityProvider.self).schema
                default: Kind<UUID>.id.schema
                }
            return ["name": .string(name), "in": "path", "required": true, "schema": schema]
        }
        let inQuery: [JSONValue] = route.query.map { parameter in
            [
                "name": .string(parameter.name), "in": "query", "required": .boolean(parameter.isRequired),
                "schema": parameter.schema,
            ]
        }
        var inHeader: [JSONValue] = []
        if route.repetition == .answeredAgain { inHeader.append(header("Idempotency-Key", "^[!-~]{1,64}$")) }
        if route.takesVersion {
            inHeader.append(header("If-Match", "^(\\*|\"[1-9][0-9]{0,17}(\\.[0-9A-Za-z_-]+)?\")$"))
        }
        return inPath + inQuery + inHeader
    }

    private static func header(_ name: String, _ pattern: String) -> JSONValue {
        [
            "name": .string(name), "in": "header", "required": false,
            "schema": ["type": "string", "pattern": .string(pattern)],
        ]
    }

    /// `POST /v1/friends/{friend}/waterings` is `postFriendsByFriendWaterings`.
    private static func operationID(_ route: Route) -> String {
        let words = route.segments.dropFirst().flatMap { segment -> [String] in
            segment.hasPrefix("{")
                ? ["By", String(segment.dropFirst().dropLast())] : segment.split(separator: "-").map(String.init)
        }
        return route.method.rawValue.lowercased()
            + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
