import Foundation
import JWTKit

/// A key or account file that cannot be used.
public struct CredentialError: Error, Sendable, CustomStringConvertible {
    /// What is wrong with it. Never quotes its contents.
    public let description: String
}

/// The token that authenticates us to Apple: signed with ES256, used for forty minutes. Apple rejects tokens older than
/// an hour, and tokens created more than once in twenty minutes.
actor APNsCredential {
    private struct Claims: JWTPayload {
        let iss: IssuerClaim
        let iat: IssuedAtClaim

        func verify(using key: some JWTAlgorithm) throws {}
    }

    private static let lifetime = Duration.seconds(40 * 60)
    private static let shortestLifetime = Duration.seconds(20 * 60)

    private let key: ES256PrivateKey
    private let keyID: JWKIdentifier
    private let teamID: String
    private let keys = JWTKeyCollection()
    /// Signed once for all concurrent callers.
    private var current: (madeAt: ContinuousClock.Instant, token: Task<String, any Error>)?

    /// - Throws: ``CredentialError``.
    init(_ settings: APNsSettings) throws {
        do {
            key = try ES256PrivateKey(pem: settings.privateKey)
        } catch {
            throw CredentialError(description: "it holds no EC private key in PEM (a .p8 file of Apple's)")
        }
        keyID = JWKIdentifier(string: settings.keyID)
        teamID = settings.teamID
    }

    func token() async throws -> String {
        if let current, ContinuousClock.now - current.madeAt < APNsCredential.lifetime {
            return try await current.token.value
        }
        return try await sign()
    }

    /// Returns a replacement for a token that Apple calls expired; nil if it is too soon for a new one.
    func token(insteadOf old: String) async -> String? {
        if let token = try? await token(), token != old { return token }
        // A concurrent caller may have replaced it already.
        if let current, ContinuousClock.now - current.madeAt < APNsCredential.shortestLifetime {
            let newest = try? await current.token.value
            return newest == old ? nil : newest
        }
        return try? await sign()
    }

    private func sign() async throws -> String {
        let token = Task { [keys, key, keyID, teamID] in
            await keys.add(ecdsa: key, kid: keyID)
            // Whole seconds, because other parsers may not accept fractions.
            let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
            return try await keys.sign(
                Claims(iss: IssuerClaim(value: teamID), iat: IssuedAtClaim(value: now)), kid: keyID)
        }
        current = (.now, token)
        do {
            return try await token.value
        } catch {
            if current?.token == token { current = nil }
            throw error
        }
    }
}
