import CherishService
import DocumentEncoding
import HTTPTypes

/// `POST /v1/enquiries`
struct EnquiryBody: RequestBody {
    let subject, message: String

    init(_ fields: inout Fields) {
        subject = fields.required("subject", .text(atMost: 200, atLeast: 1))
        message = fields.required("message", .text(atMost: 4_000, atLeast: 1))
    }

    static let example: JSONValue = ["subject": "알림이 안 와요", "message": "어제부터 아침 알림이 오지 않아요."]
}

extension Ask {
    /// Sends the operator what somebody wrote into a form.
    ///
    /// - Throws: ``InvalidRequest`` for text that is missing or too long; as ``PeopleService/enquire(_:_:of:)``.
    package func enquire(subject: String, message: String) async throws {
        let body = try EnquiryBody(json: ["subject": .string(subject), "message": .string(message)])
        try await services.people.enquire(body.subject, body.message, of: try signedIn)
    }
}

extension Route {
    static let enquiries: [Route] = [
        Route(
            .post, "/v1/enquiries", "Sends the operator a mail, which answers go back to the account's e-mail.",
            body: EnquiryBody.self, success: .accepted
        ) { ask, _, body in
            try await ask.services.people.enquire(body.subject, body.message, of: try ask.signedIn)
            return NoContent()
        }
    ]
}
