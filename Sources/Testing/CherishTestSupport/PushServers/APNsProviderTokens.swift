import Foundation
import Synchronization

/// The provider tokens that an APNs server has seen. Each is verified only once, because senders use one for an hour.
final class APNsProviderTokens: Sendable {
    private struct Seen {
        /// When the valid tokens were issued, in seconds since 1970.
        var issued: [String: Double] = [:]
        var latest: String?
        var changes = 0
    }

    private let verifier: TokenVerifier
    private let keyID: String
    private let teamID: String
    private let maximumChanges: Int
    private let now: @Sendable () -> Date
    private let seen = Mutex(Seen())

    private static let maximumAge = 3600.0
    private static let scheme = "bearer "

    init(
        verifier: TokenVerifier, keyID: String, teamID: String, maximumChanges: Int,
        now: @escaping @Sendable () -> Date
    ) {
        self.verifier = verifier
        self.keyID = keyID
        self.teamID = teamID
        self.maximumChanges = maximumChanges
        self.now = now
    }

    /// How many distinct valid tokens were seen.
    var validCount: Int { seen.withLock { $0.issued.count } }

    /// Throws an `APNsRules.Refusal` unless the header holds a valid token.
    func check(_ authorization: String?) throws {
        guard let authorization, authorization.prefix(Self.scheme.count).lowercased() == Self.scheme else {
            throw APNsRules.Refusal(status: 403, reason: "MissingProviderToken")
        }
        let token = String(authorization.dropFirst(Self.scheme.count))
        let issued = try issueTime(of: token)
        guard now().timeIntervalSince1970 - issued <= Self.maximumAge else {
            throw APNsRules.Refusal(status: 403, reason: "ExpiredProviderToken")
        }
        let isAllowed = seen.withLock { seen in
            guard seen.latest != token else { return true }
            if seen.latest != nil {
                guard seen.changes < maximumChanges else { return false }
                seen.changes += 1
            }
            seen.latest = token
            return true
        }
        guard isAllowed else { throw APNsRules.Refusal(status: 429, reason: "TooManyProviderTokenUpdates") }
    }

    private func issueTime(of token: String) throws -> Double {
        if let known = seen.withLock({ $0.issued[token] }) { return known }
        guard let signed = verifier.verify(token), signed.header.kid == keyID, signed.claims.iss == teamID,
            let issued = signed.claims.iat
        else { throw APNsRules.Refusal(status: 403, reason: "InvalidProviderToken") }
        seen.withLock { $0.issued[token] = issued }
        return issued
    }
}
