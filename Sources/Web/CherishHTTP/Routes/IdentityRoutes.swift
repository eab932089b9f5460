import CherishCore
import CherishService
import DocumentEncoding

// Signing in by Google or Apple (rule 12.5). Signing up and in are routes of PeopleRoutes.swift.

/// `POST /v1/account/identities`
struct IdentityBody: RequestBody {
    let proof: IdentityProof

    init(_ fields: inout Fields) {
        proof = IdentityProof(
            provider: fields.required("provider", .choice(of: IdentityProvider.self)),
            idToken: fields.required("idToken", .idToken), nonce: fields.required("nonce", .nonce))
    }

    static let example: JSONValue = [
        "provider": "google", "idToken": "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "nonce": "0S6-WzA2MjQw7c1dYbPe",
    ]
}

extension Kind<String> {
    /// Signed by the provider; those of Google and Apple have 1,000 to 2,000 characters.
    fileprivate static let idToken = text(atMost: 8_192, atLeast: 1)
    fileprivate static let nonce = text(atMost: 128, atLeast: 16)
}

extension Route {
    static let identities: [Route] = [
        Route(.get, "/v1/account/identities", "How the account is signed in to, besides a code by mail.") {
            ask, _, _ in
            try await ask.services.people.waysIn(of: try ask.signedIn.accountID)
        },
        Route(
            .post, "/v1/account/identities", "Links an identity of Google or Apple; it may be linked already.",
            repetition: .harmless, body: IdentityBody.self
        ) { ask, _, body in
            let (people, visitor) = (ask.services.people, try ask.signedIn)
            try await people.link(body.proof, to: visitor, from: ask.address)
            return try await people.waysIn(of: visitor.accountID)
        },
        Route(
            .delete, "/v1/account/identities/{provider}", "Unlinks an identity, while another way in remains."
        ) { ask, _, _ in
            guard let provider = ask.parameters["provider"].flatMap({ IdentityProvider(rawValue: $0) }) else {
                throw CareError.notFound(.identity)
            }
            try await ask.services.people.unlink(provider, from: try ask.signedIn)
            return NoContent()
        },
    ]
}
