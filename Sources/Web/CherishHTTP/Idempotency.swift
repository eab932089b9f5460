import CherishCore
import CherishService
import Foundation
import HTTPTypes

/// Gives a repeated request the first answer again, on every route that changes something for a session.
package enum Idempotency {
    /// A longer answer is not kept, so whoever repeats its request learns that it was carried out, and no more.
    private static let mostKeptBytes = 1 << 20

    /// Answers a request, or gives the answer of the same request before.
    ///
    /// What the request changes and the note that it did commit together, so that it happens once, even if a server dies
    /// in between or another one takes over.
    ///
    /// - Parameter key: the header Idempotency-Key, 1–64 visible characters; nil without one.
    package static func answer(_ ask: Ask, key: String?, _ body: @Sendable () async throws -> Reply) async throws
        -> Reply
    {
        guard let key, ask.route.repetition == .answeredAgain, let visitor = ask.visitor else {
            return try await body()
        }
        guard (1...64).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw RefusedRequest.invalidHeader(.idempotencyKey)
        }
        let parameters = ask.parameters.sorted { $0.key < $1.key }.map(\.value)
        let query = ask.query.map { "\($0)=\($1)" }.sorted()
        let target = ([ask.route.name] + parameters + query).joined(separator: " ")
        let requests = ask.services.people.requests(of: visitor)
        switch try await requests.begin(key: key, parts: [Array(target.utf8), ask.body]) {
        case .mismatch: throw RefusedRequest.idempotencyConflict
        case .running: throw RefusedRequest.requestRunning
        case .unanswered: throw RefusedRequest.answerLost
        case .answered(let status, let bytes):
            var reply = Reply(HTTPResponse.Status(code: status), body: bytes)
            if !bytes.isEmpty {
                reply.headers[.contentType] =
                    status < 400 ? "application/json; charset=utf-8" : "application/problem+json"
            }
            return reply
        case .begun(let attempt):
            return try await answer(requests, attempt, body)
        }
    }

    private static func answer(
        _ requests: RepeatableRequests, _ attempt: RepeatableRequests.Attempt,
        _ body: @Sendable () async throws -> Reply
    ) async throws -> Reply {
        do {
            let reply = try await requests.committing(attempt) { try await body() }
            if reply.body.count <= mostKeptBytes {
                try await requests.answer(attempt, status: reply.status.code, body: reply.body)
            } else {
                try await requests.abandon(attempt)
            }
            return reply
        } catch {
            // Nothing was changed, or it is noted that it was: the same key may be tried again.
            try? await requests.abandon(attempt)
            throw error
        }
    }
}
