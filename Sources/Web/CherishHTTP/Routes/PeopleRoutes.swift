import CherishCore
import CherishService
import DocumentEncoding
import Foundation
import HTTPTypes
import Metrics

// Signing up, signing in, sessions, and the account (rule 12).

/// `POST /v1/signups`
struct SignUpCodeBody: RequestBody {
    let email: String
    let language: Language

    init(_ fields: inout Fields) {
        email = fields.required("email", .email)
        language = fields.required("language", .choice(of: Language.self))
    }

    static let example: JSONValue = ["email": "minji@example.com", "language": "ko"]
}

/// `POST /v1/accounts`
struct AccountBody: RequestBody {
    enum Proof: Sendable {
        case code(String, signUpID: UUID, password: String)
        case identity(IdentityProof)
    }

    let proof: Proof
    let nickname, timeZone: String
    let language: Language
    let phone, deviceName: String?
    let usesCookie: Bool

    init(_ fields: inout Fields) {
        if fields.has("provider") {
            proof = .identity(IdentityBody(&fields).proof)
        } else {
            proof = .code(
                fields.required("code", .code), signUpID: fields.required("signupId", .id),
                password: fields.required("password", .password))
        }
        nickname = fields.required("nickname", .nickname)
        timeZone = fields.required("timeZone", .timeZone)
        language = fields.required("language", .choice(of: Language.self))
        phone = fields.optional("phone", .phone)
        deviceName = fields.optional("deviceName", .deviceName)
        usesCookie = fields.present("cookie", .flag) ?? false
    }

    static let example: JSONValue = [
        "signupId": "3c5f6bd0-63a1-4a55-8f0e-3f0a3c1c1f6e", "code": "012345", "password": "lilac-7-umbrella",
        "nickname": "민지", "timeZone": "Asia/Seoul", "language": "ko", "phone": .null, "deviceName": "Minji's phone",
    ]
}

/// `POST /v1/accounts/anonymous`
struct AnonymousBody: RequestBody {
    let nickname, timeZone: String
    let language: Language
    let deviceName: String?
    let usesCookie: Bool

    init(_ fields: inout Fields) {
        nickname = fields.required("nickname", .nickname)
        timeZone = fields.required("timeZone", .timeZone)
        language = fields.required("language", .choice(of: Language.self))
        deviceName = fields.optional("deviceName", .deviceName)
        usesCookie = fields.present("cookie", .flag) ?? false
    }

    static let example: JSONValue = [
        "nickname": "민지", "timeZone": "Asia/Seoul", "language": "ko", "deviceName": "Minji's phone",
    ]
}

/// `POST /v1/sessions`
struct SignInBody: RequestBody {
    enum Proof: Sendable {
        case password(String, email: String)
        case identity(IdentityProof)
    }

    let proof: Proof
    let deviceName: String?
    let usesCookie: Bool

    init(_ fields: inout Fields) {
        if fields.has("provider") {
            proof = .identity(IdentityBody(&fields).proof)
        } else {
            // Neither is checked: what is no e-mail is refused like a wrong one.
            proof = .password(
                fields.required("password", .password), email: fields.required("email", .text(atMost: 254)))
        }
        deviceName = fields.optional("deviceName", .deviceName)
        usesCookie = fields.present("cookie", .flag) ?? false
    }

    static let example: JSONValue = [
        "email": "minji@example.com", "password": "lilac-7-umbrella", "deviceName": "Minji's phone",
    ]
}

/// `POST /v1/password-resets`
struct PasswordResetCodeBody: RequestBody {
    enum Address: Sendable {
        case email(String)
        /// With country code.
        case phone(String)
    }

    let address: Address

    init(_ fields: inout Fields) {
        address =
            if fields.has("phone") {
                .phone(fields.required("phone", .phone))
            } else {
                .email(fields.required("email", .email))
            }
    }

    static let example: JSONValue = ["email": "minji@example.com"]
}

/// `PUT /v1/account/email`
struct EmailBody: RequestBody {
    let email: String

    init(_ fields: inout Fields) {
        email = fields.required("email", .email)
    }

    static let example: JSONValue = ["email": "minji@example.com"]
}

/// `PUT /v1/password-resets/{reset}`
struct PasswordResetBody: RequestBody {
    let code, password: String

    init(_ fields: inout Fields) {
        code = fields.required("code", .code)
        password = fields.required("password", .password)
    }

    static let example: JSONValue = ["code": "012345", "password": "lilac-8-umbrella"]
}

/// `POST /v1/password-strength`
struct PasswordStrengthBody: RequestBody {
    let password: String
    let email, nickname: String?

    init(_ fields: inout Fields) {
        password = fields.required("password", .password)
        email = fields.optional("email", .text(atMost: 254))
        nickname = fields.optional("nickname", .text(atMost: 400))
    }

    static let example: JSONValue = ["password": "lilac-7-umbrella", "email": "minji@example.com", "nickname": .null]
}

/// `PUT /v1/account/password`
struct PasswordBody: RequestBody {
    /// nil for an account that has none.
    let password: String?
    let newPassword: String

    init(_ fields: inout Fields) {
        password = fields.optional("password", .password)
        newPassword = fields.required("newPassword", .password)
    }

    static let example: JSONValue = ["password": "lilac-7-umbrella", "newPassword": "lilac-8-umbrella"]
}

/// `POST /v1/account/email/confirmation`
struct ConfirmationBody: RequestBody {
    let code: String

    init(_ fields: inout Fields) {
        code = fields.required("code", .code)
    }

    static let example: JSONValue = ["code": "012345"]
}

/// `DELETE /v1/account`
struct LeavingBody: RequestBody {
    let password: String?
    /// The nickname of somebody anonymous.
    let confirmation: String?

    init(_ fields: inout Fields) {
        password = fields.optional("password", .password)
        confirmation = fields.optional("confirmation", .text(atMost: 400))
    }

    static let example: JSONValue = ["password": "lilac-7-umbrella"]
}

/// `PATCH /v1/account`
struct AccountEditBody: RequestBody {
    let request: AccountEditRequest
    let modifiedAt: Instant?

    init(_ fields: inout Fields) {
        var request = AccountEditRequest()
        request.nickname = fields.present("nickname", .nickname)
        request.timeZone = fields.present("timeZone", .timeZone)
        request.dayEndsAt = fields.present("dayEndsAt", .dayEnd)
        // Another phone takes a code: PUT /v1/account/phone.
        request.phone = fields.removal("phone") ? "" : nil
        request.postcode = fields.removable("postcode", .postcode).map { $0 ?? "" }
        request.country = fields.removable("country", .country).map { $0 ?? "" }
        request.language = fields.present("language", .choice(of: Language.self))
        request.appearance = fields.present("appearance", .appearance)
        request.wateringPushes = fields.present("wateringPushes", .flag)
        request.reviewPushes = fields.present("reviewPushes", .flag)
        request.birthdayPushes = fields.present("birthdayPushes", .flag)
        request.witheredPushes = fields.present("witheredPushes", .flag)
        request.thingPushes = fields.present("thingPushes", .flag)
        request.expiryWarningDays = fields.present("expiryWarningDays", .warningDays)
        self.request = request
        modifiedAt = fields.editTime()
    }

    static let example: JSONValue = [
        "nickname": "민지", "birthdayPushes": true, "postcode": "04524", "appearance": ["colours": "dark"],
    ]
}

extension Route {
    static let people: [Route] = [
        Route(
            .post, "/v1/signups", "Sends a code to somebody who wants an account, or a note that there is one.",
            access: .anybody, body: SignUpCodeBody.self, success: .accepted
        ) { ask, _, body in
            let id = try await ask.services.people.beginSignUp(
                email: body.email, language: body.language, from: ask.address)
            return CodeRequestDocument(id: id.uuidString.lowercased())
        },
        Route(
            .post, "/v1/accounts", "Signs up with a code or an identity, and signs in.", access: .anybody,
            body: AccountBody.self, success: .created
        ) { ask, _, body in
            let people = ask.services.people
            let person = NewPerson(
                nickname: body.nickname, timeZone: body.timeZone, language: body.language, phone: body.phone,
                deviceName: ask.deviceName(body.deviceName))
            let signedIn =
                switch body.proof {
                case .code(let code, let id, let password):
                    try await people.signUp(
                        SignUpRequest(id: id, code: code, password: password, person: person), from: ask.address)
                case .identity(let proof): try await people.signUp(person, by: proof, from: ask.address)
                }
            return try await ask.welcome(signedIn, withCookie: body.usesCookie)
        },
        Route(
            .post, "/v1/accounts/anonymous", "Begins an account without an e-mail, and signs in.", access: .anybody,
            body: AnonymousBody.self, success: .created
        ) { ask, _, body in
            let person = NewPerson(
                nickname: body.nickname, timeZone: body.timeZone, language: body.language, phone: nil,
                deviceName: ask.deviceName(body.deviceName))
            let signedIn = try await ask.services.people.beginAnonymously(person, from: ask.address)
            return try await ask.welcome(signedIn, withCookie: body.usesCookie)
        },
        Route(
            .post, "/v1/sessions", "Signs in with a password or an identity, and ends the session that came with it.",
            access: .either, body: SignInBody.self, success: .created
        ) { ask, _, body in
            let people = ask.services.people
            let deviceName = ask.deviceName(body.deviceName)
            let signedIn = try await Ask.countingSignIn {
                switch body.proof {
                case .password(let password, let email):
                    try await people.signIn(
                        email: email, password: password, deviceName: deviceName, from: ask.address)
                case .identity(let proof):
                    try await people.signIn(by: proof, deviceName: deviceName, from: ask.address)
                }
            }
            return try await ask.welcome(signedIn, withCookie: body.usesCookie)
        },
        Route(
            .post, "/v1/password-resets", "Sends a code by mail or text message to somebody who forgot the password.",
            access: .anybody,
            body: PasswordResetCodeBody.self, success: .accepted
        ) { ask, _, body in
            let people = ask.services.people
            let id =
                switch body.address {
                case .email(let email): try await people.beginPasswordReset(email: email, from: ask.address)
                case .phone(let phone): try await people.beginPasswordReset(phone: phone, from: ask.address)
                }
            return CodeRequestDocument(id: id.uuidString.lowercased())
        },
        Route(
            .put, "/v1/password-resets/{reset}", "Sets a new password with the code, and ends all sessions.",
            access: .anybody, body: PasswordResetBody.self
        ) { ask, _, body in
            // An id that is none is refused like a code that has expired.
            guard let id = ask.parameters["reset"].flatMap({ UUID(uuidString: $0) }) else {
                throw PeopleError.codeExpired
            }
            try await ask.services.people.resetPassword(
                id, code: body.code, password: body.password, from: ask.address)
            return NoContent()
        },
        Route(
            .post, "/v1/password-strength", "Tells how strong a password is; stores and logs nothing.",
            access: .anybody, body: PasswordStrengthBody.self
        ) { _, _, body in
            PasswordStrengthDocument(body.password, for: PersonNames(email: body.email, nickname: body.nickname))
        },
        Route(.get, "/v1/sessions", "The account's sessions, the one used last first.") { ask, _, _ in
            let visitor = try ask.signedIn
            return SessionsDocument(
                try await ask.services.people.sessions(of: visitor.accountID), current: visitor.sessionID)
        },
        Route(.delete, "/v1/sessions", "Ends all other sessions.") { ask, _, _ in
            let visitor = try ask.signedIn
            return EndedSessionsDocument(
                ended: try await ask.services.people.endSessions(of: visitor.accountID, keeping: visitor.sessionID))
        },
        Route(.delete, "/v1/sessions/{session}", "Ends a session.") { ask, _, _ in
            guard let id = UUID(uuidString: try ask.id("session", of: .session)) else {
                throw CareError.notFound(.session)
            }
            try await ask.services.people.endSession(SignInSession.ID(id), of: try ask.signedIn.accountID)
            return NoContent()
        },
        Route(.delete, "/v1/session", "Signs out.") { ask, _, _ in
            let visitor = try ask.signedIn
            try await ask.services.people.endSession(visitor.sessionID, of: visitor.accountID)
            ask.forgetBrowser()
            return NoContent()
        },
        Route(.get, "/v1/account", "The account and its settings.") { ask, _, _ in
            AccountDocument(try await ask.garden().account())
        },
        Route(.patch, "/v1/account", "Changes settings.", body: AccountEditBody.self) { ask, _, body in
            AccountDocument(try await ask.garden(editedAt: body.modifiedAt).editAccount(body.request))
        },
        Route(
            .delete, "/v1/account",
            "Erases the account for good; needs the password, a sign-in not older than 10 minutes, or an anonymous nickname.",
            body: LeavingBody.self
        ) { ask, _, body in
            let visitor = try ask.signedIn
            try await ask.services.people.requireProof(
                of: visitor, password: body.password, confirmation: body.confirmation, from: ask.address)
            let erasure = try await ask.garden().erase()
            ask.forgetBrowser()
            return ErasureDocument(erasure)
        },
        Route(
            .put, "/v1/account/password",
            "Changes the password, or sets the first one soon after a sign-in, and ends all other sessions.",
            body: PasswordBody.self
        ) { ask, _, body in
            try await ask.services.people.changePassword(
                of: try ask.signedIn, from: body.password, to: body.newPassword, from: ask.address)
            return NoContent()
        },
        Route(
            .put, "/v1/account/email", "Sends a code to another e-mail; the answer never tells whether it is known.",
            body: EmailBody.self, success: .accepted
        ) { ask, _, body in
            try await ask.services.people.beginEmailChange(
                of: try ask.signedIn, to: body.email, from: ask.address)
            return NoContent()
        },
        Route(
            .post, "/v1/account/email/confirmation", "Takes the e-mail that the code confirms.",
            repetition: .harmless, body: ConfirmationBody.self
        ) { ask, _, body in
            try await ask.services.people.confirmEmail(of: try ask.signedIn, code: body.code)
            return AccountDocument(try await ask.garden().account())
        },
    ]
}

extension Ask {
    package static func countingSignIn(_ body: () async throws -> SignedIn) async throws -> SignedIn {
        func count(_ outcome: String) {
            Counter(label: "cherish_sign_ins_total", dimensions: [("outcome", outcome)]).increment()
        }
        do {
            let signedIn = try await body()
            count("right")
            return signedIn
        } catch let error as PeopleError {
            switch error {
            case .wrongPassword, .identityRefused, .identityUnknown: count("wrong")
            case .slowDown: count("slowed_down")
            default: break
            }
            throw error
        }
    }

    /// Lets a browser forget the cookie and whatever pages have kept.
    package func forgetBrowser() {
        headers.add(.setCookie, SessionCookie.header(nil))
        headers.add(.clearSiteData, "\"cache\", \"cookies\", \"storage\"")
    }

    /// What the app calls its device, or else the browser, or else what its user agent says, shortened.
    package func deviceName(_ given: String?) -> String {
        let name =
            given ?? Browser.name(userAgent) ?? String(userAgent.filter { $0.isASCII && !$0.isNewline }.prefix(64))
        return name.isEmpty ? "unknown" : name
    }

    /// Lets a browser keep the token of somebody who has just signed in, in place of the one that it had.
    package func remember(_ signedIn: SignedIn) async throws {
        try await endFormerSession(after: signedIn)
        headers.add(.setCookie, SessionCookie.header(signedIn.token.text))
    }

    private func endFormerSession(after signedIn: SignedIn) async throws {
        if let visitor { try await services.people.end(visitor, after: signedIn) }
    }

    /// The answer to somebody who has just signed in. A page takes the token as a cookie, which its scripts cannot read.
    fileprivate func welcome(_ signedIn: SignedIn, withCookie usesCookie: Bool) async throws -> SignedInDocument {
        if usesCookie { try await remember(signedIn) } else { try await endFormerSession(after: signedIn) }
        return SignedInDocument(signedIn, showsToken: !usesCookie)
    }
}
