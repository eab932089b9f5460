import Foundation
import JWTKit

/// A key or an account file that cannot be used.
public struct CredentialError: Error, Sendable, CustomStringConvertible {
    /// What is wrong with it, without any of its contents.
    public let description: String
}

/// The token that tells Apple who sends: signed with ES256, used for forty minutes. Apple refuses tokens older than an hour,
/// and ones that are made more often than every twenty minutes.
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
    /// Made once for all who ask at the same time.
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

    /// Another one, because Apple says that this one has run out; nil if a new one would come too soon.
    func token(insteadOf old: String) async -> String? {
        if let token = try? await token(), token != old { return token }
        // Somebody else may have made one meanwhile.
        if let current, ContinuousClock.now - current.madeAt < APNsCredential.shortestLifetime {
            let newest = try? await current.token.value
            return newest == old ? nil : newest
        }
        return try? await sign()
    }

    private func sign() async throws -> String {
        let token = Task { [keys, key, keyID, teamID] in
            await keys.add(ecdsa: key, kid: keyID)
            // Whole seconds: others may not read fractions.
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
