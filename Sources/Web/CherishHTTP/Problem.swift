import BoundedWork
import CherishCore
import CherishRuntime
import CherishService
import DocumentEncoding
import Foundation
import HTTPTypes
import Pictures
import Secrets

/// A request that never reached a rule.
package enum RefusedRequest: Error, Sendable, Equatable {
    case unknownPath
    case wrongMethod(allowed: [String])
    case unreadableBody
    /// The body breaks HTTP itself.
    case brokenBody
    /// The body is no form with one file.
    case brokenForm
    /// Another file of the account is underway.
    case uploadRunning
    case bodyTooLong(limit: Int)
    case wrongMediaType(wanted: String)
    case foreignOrigin
    case invalidHeader(Header)
    case tooSlow
    case answerTooSlow
    /// The connection ended before the answer. Nobody reads this problem, but the log and the metrics have its status.
    case clientLeft
    case idempotencyConflict
    case requestRunning
    case answerLost
    /// - present: what there is now.
    case versionPassed(present: JSONValue?)

    /// A header that is wrong.
    package enum Header: String, CaseIterable, Sendable {
        case host = "Host"
        case idempotencyKey = "Idempotency-Key"
        case ifMatch = "If-Match"
    }
}

/// An error as RFC 9457 wants it.
package struct Problem: Codable, Sendable, Equatable {
    package struct Detail: Codable, Sendable, Equatable {
        package let pointer, code, detail: String
    }

    /// A path of our own documentation.
    let type: String
    let title: String
    package let status: Int
    package let code: String
    /// A sentence for a person, in a language of theirs.
    package private(set) var detail: String
    /// What to do, in the same language; empty if the sentence says so itself.
    package private(set) var remedy: String
    /// Each value that is wrong.
    package private(set) var errors: [Detail]
    /// What there is now, where something else was expected (412); null otherwise.
    var present: Nullable<JSONValue> = Nullable(nil)

    private init(
        status: Int, code: String, title: String, detail: String, remedy: String, errors: [Detail] = []
    ) {
        (self.status, self.code, self.title, self.detail) = (status, code, title, detail)
        (self.remedy, self.errors) = (remedy, errors)
        type = "/docs/errors#\(code)"
    }

    private init(_ status: Int, _ code: String, _ detail: String, _ remedy: String, errors: [Detail] = []) {
        let words = code.replacing("_", with: " ")
        self.init(
            status: status, code: code, title: words.prefix(1).uppercased() + words.dropFirst(), detail: detail,
            remedy: remedy, errors: errors)
    }

    /// The problem that an error is, with the headers that go with it.
    package static func of(_ error: any Error, in language: Language) -> (problem: Problem, headers: HTTPFields) {
        var (problem, headers) = english(error)
        let spoken: Language = language == .korean && problem.turnKorean(error) ? .korean : .english
        headers[.contentLanguage] = spoken.rawValue
        headers[.vary] = "Accept-Language"
        return (problem, headers)
    }

    /// Says the same in Korean.
    ///
    /// - Returns: false for an error that speaks English only; the problem stays as it is.
    private mutating func turnKorean(_ error: any Error) -> Bool {
        if let known = error as? any ExplainedInKorean {
            (detail, remedy) = known.korean
        } else if status >= 500 {
            (detail, remedy) = ("지금은 서비스가 이 일을 할 수 없어요.", "잠시 후 다시 시도해 주세요.")
        } else {
            return false
        }
        if let request = error as? InvalidRequest { errors = request.problems.map { Detail($0, in: .korean) } }
        return true
    }

    private static func english(_ error: any Error) -> (problem: Problem, headers: HTTPFields) {
        switch error {
        case let error as InvalidRequest: (Problem(error.problems), [:])
        case let error as RefusedRequest: (Problem(error), error.headers)
        case is PasswordHasherBusy:
            (Problem(503, "busy", "too many people sign in at this moment", "try again soon"), [.retryAfter: "2"])
        case is LineFull:
            (Problem(503, "busy", "too many files are being read", "try again soon"), [.retryAfter: "10"])
        case is HubFull: (Problem(503, "busy", "too many devices listen", "try again soon"), [.retryAfter: "10"])
        case let error as PictureError: (Problem(error), error == .busy ? [.retryAfter: "5"] : [:])
        default: english(Failure(error))
        }
    }

    /// One wrong value has the code of its rule; several have one that says so.
    private init(_ problems: [InvalidValue]) {
        let errors = problems.map { Detail($0, in: .english) }
        if errors.count == 1 {
            self.init(422, errors[0].code, errors[0].detail, "", errors: errors)
        } else {
            self.init(422, "invalid_request", "several values of the request are wrong", "see errors", errors: errors)
        }
    }

    private static func english(_ failure: Failure) -> (problem: Problem, headers: HTTPFields) {
        var headers: HTTPFields = [:]
        if let seconds = failure.retryAfter { headers[.retryAfter] = "\(seconds)" }
        if failure.httpStatus == 401 { headers[.wwwAuthenticate] = "Bearer" }
        // What only an operator can mend says nothing about the machine to a stranger; the log does.
        let isOurs = failure.httpStatus >= 500
        return (
            Problem(
                failure.httpStatus, failure.code, isOurs ? "the service cannot do this at the moment" : failure.problem,
                isOurs ? "try again later" : failure.remedy ?? ""), headers
        )
    }

    private init(_ error: PictureError) {
        let parts = error.description.split(separator: "; ", maxSplits: 1).map(String.init)
        let (status, code) =
            switch error {
            case .notAPicture: (422, "not_a_picture")
            case .notAReceipt: (422, "not_a_receipt")
            case .tooManyPages: (422, "too_many_pages")
            case .tooManyBytes: (413, "body_too_long")
            case .tooManyPixels: (422, "too_many_pixels")
            case .broken: (422, "broken_picture")
            case .busy: (503, "busy")
            case .unusableProgram: (500, "internal")
            }
        if status == 500 {
            // Where the program lies is the operator's business; the log has it.
            self.init(status, code, "the service cannot do this at the moment", "try again later")
        } else {
            self.init(status, code, parts[0], parts.last ?? "")
        }
    }

    private init(_ error: RefusedRequest) {
        switch error {
        case .unknownPath: self.init(404, "not_found", "there is nothing at this path", "see /openapi.json")
        case .wrongMethod(let allowed):
            self.init(
                405, "wrong_method", "this path has other methods", "use \(allowed.joined(separator: ", "))")
        case .unreadableBody: self.init(400, "unreadable_body", "the body is no JSON in UTF-8", "send an object")
        case .brokenBody: self.init(400, "broken_body", "the body breaks the rules of HTTP", "send it again")
        case .brokenForm:
            self.init(400, "broken_form", "this is no form with exactly one file", "send the file alone as the body")
        case .uploadRunning:
            self.init(409, "upload_running", "another file of yours is still being read", "send this one afterwards")
        case .bodyTooLong(let limit):
            self.init(413, "body_too_long", "the body is too long", "send at most \(limit) bytes")
        case .wrongMediaType(let wanted):
            self.init(415, "wrong_media_type", "the body is of another kind", "send it as \(wanted)")
        case .foreignOrigin:
            self.init(
                403, "foreign_origin", "another site sent this request", "use the pages of this service, or a token")
        case .invalidHeader(let header):
            let wanted =
                switch header {
                case .host: "send exactly one"
                case .idempotencyKey: "write 1 to 64 visible ASCII characters"
                case .ifMatch: "write the ETag of an answer, or a version like \"7\""
                }
            self.init(400, "invalid_header", "\(header.rawValue) is not understood", wanted)
        case .tooSlow: self.init(408, "too_slow", "the request took too long to arrive", "send it again")
        case .answerTooSlow: self.init(503, "too_slow", "this took too long", "try again later")
        case .clientLeft:
            self.init(499, "client_left", "the connection ended before the answer", "send it again")
        case .idempotencyConflict:
            self.init(
                422, "idempotency_conflict", "another request had this Idempotency-Key",
                "make a new key for each request")
        case .requestRunning:
            self.init(409, "request_running", "the first request with this key is still running", "try again soon")
        case .answerLost:
            self.init(
                409, "answer_lost", "the first request with this key was carried out, but its answer was lost",
                "read what there is now")
        case .versionPassed(let present):
            self.init(
                412, "version_passed", "this was changed since, perhaps on another device",
                "look at present, and decide anew")
            self.present = Nullable(present)
        }
    }
}

extension Problem.Detail {
    fileprivate init(_ value: InvalidValue, in language: Language) {
        self.init(pointer: value.pointer, code: value.code, detail: value.detail(in: language))
    }
}

extension RefusedRequest {
    /// Whether the rest of the request is not worth reading.
    var endsConnection: Bool {
        switch self {
        case .tooSlow, .bodyTooLong, .brokenBody: true
        default: false
        }
    }

    fileprivate var headers: HTTPFields {
        switch self {
        case .wrongMethod(let allowed): [.allow: allowed.joined(separator: ", ")]
        case .answerTooSlow: [.retryAfter: "5"]
        case .requestRunning: [.retryAfter: "1"]
        case .uploadRunning: [.retryAfter: "5"]
        default: [:]
        }
    }
}
