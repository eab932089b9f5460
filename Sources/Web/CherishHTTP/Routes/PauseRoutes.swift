import CherishCore
import CherishService
import DocumentEncoding
import HTTPTypes

// Pauses (rule 13.1).

/// `POST /v1/pauses`
struct PauseBody: RequestBody {
    let request: PauseRequest

    init(_ fields: inout Fields) {
        let last = fields.required("to", .day)
        var request = PauseRequest(to: last)
        request.from = fields.optional("from", .day)
        request.tag = fields.optional("tag", .tagName)
        request.friend = fields.optional("friendId", .id)?.uuidString
        request.isSpread = fields.present("spread", .flag) ?? false
        self.request = request
    }

    static let example: JSONValue = ["from": "2031-03-04", "to": "2031-03-20", "spread": false]
}

/// `PATCH /v1/pauses/{pause}`
struct PauseEditBody: RequestBody {
    let first, last: CivilDay?
    let isSpread: Bool?
    let modifiedAt: Instant?

    init(_ fields: inout Fields) {
        first = fields.present("from", .day)
        last = fields.present("to", .day)
        isSpread = fields.present("spread", .flag)
        modifiedAt = fields.editTime()
    }

    static let example: JSONValue = ["spread": true]
}

extension Route {
    static let pauses: [Route] = [
        Route(.get, "/v1/pauses", "The pauses by their first days, those that are over too.") { ask, _, _ in
            try await ask.garden().pauses().document
        },
        Route(
            .post, "/v1/pauses", "Begins a pause of the account, of a tag or of a friend.", body: PauseBody.self,
            success: .created
        ) { ask, _, body in
            try await ask.garden().beginPause(body.request)
        },
        Route(.patch, "/v1/pauses/{pause}", "Changes a pause that is not over.", body: PauseEditBody.self) {
            ask, _, body in
            try await ask.garden(editedAt: body.modifiedAt).editPause(
                try ask.id("pause", of: .pause), from: body.first, to: body.last, isSpread: body.isSpread)
        },
        Route(
            .delete, "/v1/pauses/{pause}", "Ends a pause, so that today is no part of it.", query: EditTimeQuery.self
        ) { ask, query, _ in
            _ = try await ask.garden(editedAt: query.modifiedAt).endPause(try ask.id("pause", of: .pause))
            return NoContent()
        },
    ]
}
