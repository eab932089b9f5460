import CherishCore
import CherishStore
import Foundation
import Secrets

/// The requests of a session that may be repeated and happen once all the same.
public struct RepeatableRequests: Sendable {
    /// A claim on a request.
    public struct Attempt: Sendable {
        fileprivate let request: IdempotentRequest
    }

    /// What is known of a request.
    public enum State: Sendable {
        /// The attempt may carry it out.
        case begun(Attempt)
        /// Another request had the key.
        case mismatch
        /// Another attempt is carrying it out.
        case running
        /// It was carried out, but its answer was lost.
        case unanswered
        case answered(status: Int, body: [UInt8])
    }

    let people: PeopleStore
    let visitor: Visitor

    /// Claims a request.
    ///
    /// - Parameters:
    ///   - key: 1–64 visible ASCII characters.
    ///   - parts: all that the request says. Only a HMAC of it is stored, because it may hold what is private.
    public func begin(key: String, parts: [[UInt8]]) async throws -> State {
        let request = IdempotentRequest(
            sessionID: visitor.sessionID, accountID: visitor.accountID, key: key,
            hash: SecretHash.hmac(parts, key: visitor.secret))
        return switch try await people.begin(request) {
        case .begun: .begun(Attempt(request: request))
        case .mismatch: .mismatch
        case .running: .running
        case .unanswered: .unanswered
        case .answered(let status, let body): .answered(status: status, body: body)
        }
    }

    /// Carries out the request; its commands note in their own transactions that they did.
    public func committing<Result: Sendable>(_ attempt: Attempt, _ body: () async throws -> Result) async throws
        -> Result
    {
        try await attempt.request.carryOut(body)
    }

    /// Stores the answer.
    public func answer(_ attempt: Attempt, status: Int, body: [UInt8]) async throws {
        try await people.answer(attempt.request, status: status, body: body)
    }

    /// Forgets a request that has changed nothing.
    public func abandon(_ attempt: Attempt) async throws {
        try await people.abandon(attempt.request)
    }
}

extension PeopleService {
    /// The requests of a session that may be repeated.
    public func requests(of visitor: Visitor) -> RepeatableRequests {
        RepeatableRequests(people: engine.store.people, visitor: visitor)
    }
}
