import CherishCore
import CherishService
import DocumentEncoding

// The phone of an account (rule 12.6).

/// `PUT /v1/account/phone`
struct PhoneBody: RequestBody {
    let phone: String

    init(_ fields: inout Fields) {
        phone = fields.required("phone", .phone)
    }

    static let example: JSONValue = ["phone": "010-1234-5678"]
}

extension Route {
    static let phones: [Route] = [
        Route(
            .put, "/v1/account/phone", "Sends a code by text message to another phone.", body: PhoneBody.self,
            success: .accepted
        ) { ask, _, body in
            try await ask.services.people.beginPhoneChange(
                of: try ask.signedIn, to: body.phone, from: ask.address)
            return NoContent()
        },
        Route(
            .post, "/v1/account/phone/confirmation",
            "Takes the phone that the code confirms; another account that had it loses it.", repetition: .harmless,
            body: ConfirmationBody.self
        ) { ask, _, body in
            try await ask.services.people.confirmPhone(of: try ask.signedIn, code: body.code)
            return AccountDocument(try await ask.garden().account())
        },
    ]
}
