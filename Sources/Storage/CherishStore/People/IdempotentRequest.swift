import CherishCore
import Foundation
import Postgres

/// A request that its sender may repeat, claimed by one attempt (docs/decisions/0044).
public struct IdempotentRequest: Sendable {
    public let sessionID: SignInSession.ID
    public let accountID: Account.ID
    /// 1–64 visible ASCII characters, chosen by the sender.
    public let key: String
    /// 32 bytes that stand for all that was sent.
    public let hash: [UInt8]
    /// A random id: whoever knows it may change something for the request.
    public let attempt: UUID

    public init(
        sessionID: SignInSession.ID, accountID: Account.ID, key: String, hash: [UInt8], attempt: UUID = UUID()
    ) {
        (self.sessionID, self.accountID, self.key) = (sessionID, accountID, key)
        (self.hash, self.attempt) = (hash, attempt)
    }

    /// What was known of the request.
    public enum State: Sendable, Equatable {
        /// This attempt may begin.
        case begun
        /// Another request had the key.
        case mismatch
        /// Another attempt began less than 30 seconds ago.
        case running
        /// It was carried out, but no answer was stored.
        case unanswered
        case answered(status: Int, body: [UInt8])
    }

    /// The request that the current task carries out. Each command notes in its own transaction that it did: a command of
    /// an attempt that another one has replaced changes nothing.
    @TaskLocal static var current: IdempotentRequest?

    /// Carries out the request.
    ///
    /// - Throws: ``RequestTakenOver`` if another attempt has replaced this one.
    public func carryOut<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await IdempotentRequest.$current.withValue(self) { try await body() }
        } catch let error as PostgresError where error.sqlState == "55000" {
            throw RequestTakenOver()
        }
    }

    /// Sent with COMMIT.
    var commit: Statement {
        Statement("SELECT commit_request($1, $2, $3, $4)", [accountID.lane, sessionID, key, attempt])
    }
}

/// Another attempt carries out the same request: this one took too long, and changed nothing.
public struct RequestTakenOver: Error, Sendable {}

extension PeopleStore {
    /// Claims a request for its attempt.
    public func begin(_ request: IdempotentRequest) async throws -> IdempotentRequest.State {
        let rows = try await call(
            "SELECT state, status, body FROM begin_request($1, $2, $3, $4, $5, $6, \(now("$7")))",
            [
                request.accountID.lane, request.accountID, request.sessionID, request.key, Bytea(request.hash),
                request.attempt, store.time.fixedInstant,
            ], as: request.accountID)
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no answer of a function") }
        let state = try reader.next(String.self)
        let status = try reader.next(Int16?.self)
        let body = try reader.next(Bytea?.self)
        switch state {
        case "begun": return .begun
        case "mismatch": return .mismatch
        case "running": return .running
        case "unanswered": return .unanswered
        default:
            guard let status, let body else { throw UnreadableRow(what: "an answer without a status") }
            return .answered(status: Int(status), body: body.bytes)
        }
    }

    /// Stores the answer of a request.
    public func answer(_ request: IdempotentRequest, status: Int, body: [UInt8]) async throws {
        _ = try await call(
            "SELECT answer_request($1, $2, $3, $4, $5, $6)",
            [
                request.accountID.lane, request.sessionID, request.key, request.attempt, Int16(status), Bytea(body),
            ], as: request.accountID)
    }

    /// Forgets a request that has changed nothing.
    public func abandon(_ request: IdempotentRequest) async throws {
        _ = try await call(
            "SELECT abandon_request($1, $2, $3, $4)",
            [request.accountID.lane, request.sessionID, request.key, request.attempt], as: request.accountID)
    }
}
