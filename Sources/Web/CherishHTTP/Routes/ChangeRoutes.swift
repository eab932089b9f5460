import CherishCore
import CherishService
import CherishStore
import HTTPTypes

// What has changed, for devices that keep a copy (rules 14.1 and 14.2).

/// `GET /v1/changes`
struct ChangesQuery: RequestQuery {
    let after: ChangeCursor?
    let limit: Int

    init(_ fields: inout Fields) {
        after = fields.present("after", .changeCursor)
        limit = fields.present("limit", .integer(1...1_000)) ?? 200
    }
}

extension Kind<ChangeCursor> {
    static let changeCursor = Kind(
        schema: Kind<Cursor>.cursor.schema, placeholder: .beginning,
        read: { value throws(InvalidValue) in
            guard case .string(let text) = value, text.utf8.count <= 200, let cursor = ChangeCursor(text: text) else {
                throw InvalidValue(.notACursor)
            }
            return cursor
        })
}

extension Route {
    static let changes: [Route] = [
        Route(
            .get, "/v1/changes", "What has changed since a cursor; without one, everything.", query: ChangesQuery.self
        ) { ask, query, _ in
            try await ask.garden().changes(
                after: query.after, limit: query.limit, for: try ask.signedIn.sessionID)
        },
        Route(
            .get, "/v1/events", "Tells at once when something has changed, with the newest cursor: server-sent events.",
            access: .session, repetition: .harmless, query: NoQuery.self, body: NoBody.self, success: .ok,
            answer: .file(["text/event-stream"])
        ) { ask, _, _ in
            let visitor = try ask.signedIn
            try ask.services.changes.requireRoom(for: ask.address)
            // A proxy must pass on each event at once.
            var reply = Reply(
                .ok,
                headers: [
                    .contentType: "text/event-stream", .cacheControl: "no-store", .xAccelBuffering: "no",
                ], body: [])
            reply.events = ServerSentEvents(changes: ask.services.changes, visitor: visitor, address: ask.address)
            return reply
        },
    ]
}

extension HTTPField.Name {
    static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!  // a valid name
}
