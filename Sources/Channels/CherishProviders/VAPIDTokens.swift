import CherishCore
import CherishPush
import Foundation
import Secrets
import Synchronization

/// The tokens by which push services recognize us: one per origin, signed with ES256 (RFC 8292). A token is valid for
/// twelve hours, of at most 24, and is replaced after one.
final class VAPIDTokens: Sendable {
    private struct Token {
        let madeAt: Date
        let authorization: String
    }

    private struct Claims: Encodable {
        let aud: String
        let exp: Int
        let sub: String
    }

    private static let lifetime: TimeInterval = 12 * 3600
    private static let timeInUse: TimeInterval = 3600
    /// Accounts choose the hosts below those that are allowed.
    static let mostOrigins = 256
    private static let header = Base64URL.encode(Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8))

    private let key: VAPIDKey
    private let publicKey: String
    private let subject: VAPIDSubject
    private let clock: @Sendable () -> Date
    private let tokens = Mutex<[String: Token]>([:])

    /// - Parameter clock: The wall clock that push services compare with their own; not the engine's now.
    init(_ key: VAPIDKey, subject: VAPIDSubject, clock: @escaping @Sendable () -> Date) {
        self.key = key
        self.subject = subject
        self.clock = clock
        publicKey = Base64URL.encode(key.publicKey)
    }

    /// The header `Authorization` for an origin, such as `https://fcm.googleapis.com`.
    func authorization(for origin: String) throws -> String {
        try tokens.withLock { tokens in
            let now = clock()
            // A clock that was put back may have made a token of the future.
            if let token = tokens[origin], (0..<VAPIDTokens.timeInUse).contains(now.timeIntervalSince(token.madeAt)) {
                return token.authorization
            }
            if tokens.count >= VAPIDTokens.mostOrigins { tokens = [:] }
            let authorization = "vapid t=\(try sign(for: origin, at: now)), k=\(publicKey)"
            tokens[origin] = Token(madeAt: now, authorization: authorization)
            return authorization
        }
    }

    private func sign(for origin: String, at now: Date) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let expiry = now.addingTimeInterval(VAPIDTokens.lifetime)
        let claims = Claims(aud: origin, exp: Int(expiry.timeIntervalSince1970), sub: subject.text)
        let signed = VAPIDTokens.header + "." + Base64URL.encode(Array(try encoder.encode(claims)))
        return signed + "." + Base64URL.encode(try key.signature(of: Array(signed.utf8)))
    }
}
