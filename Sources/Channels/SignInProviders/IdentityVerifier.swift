import CherishCore
import Crypto
import Foundation
import Logging

/// Verifies ID tokens of Google and Apple (rule 12.5; OpenID Connect Core 1.0, 3.1.3.7).
public struct IdentityVerifier: Sendable {
    /// How far a provider's clock may be off, in seconds.
    static let leeway = 60.0
    /// The greatest age of a token, in seconds.
    static let oldest = 86_400.0

    private struct Source: Sendable {
        let settings: SignInProviderSettings.Entry
        let keys: ProviderKeys
    }

    private let sources: [IdentityProvider: Source]

    /// Makes a verifier that keeps the keys of each provider. No provider is asked before the first token comes.
    public init(_ settings: SignInProviderSettings, logger: Logger) {
        var sources: [IdentityProvider: Source] = [:]
        for (provider, entry) in settings.entries {
            let download = KeyDownload(
                url: entry.origin.keysURL, additionalRoots: settings.additionalRoots, clock: settings.clock)
            sources[provider] = Source(
                settings: entry,
                keys: ProviderKeys(provider, download, clock: settings.clock, logger: logger))
        }
        self.sources = sources
    }

    /// Verifies a token.
    ///
    /// The token must contain the nonce, or its SHA-256 in lower-case hexadecimal or Base64url. An app makes a random
    /// nonce for each attempt to sign in. It gives the provider either the nonce, or a hash of it, as is usual with
    /// Apple, and afterwards gives us the token and the nonce. So a token that an app got for another attempt is
    /// refused. Whoever steals a token can read the nonce in it, and send that: a thief is kept off by TLS, and by the
    /// token's expiry.
    ///
    /// - Parameters:
    ///   - nonce: 16 to 128 visible ASCII characters.
    ///   - now: The time by which the token must be valid.
    /// - Throws: ``SignInProviderError``.
    public func verify(
        _ provider: IdentityProvider, idToken: String, nonce: String, at now: Instant
    ) async throws(SignInProviderError) -> VerifiedIdentity {
        guard let source = sources[provider] else { throw .off(provider) }
        guard (16...128).contains(nonce.utf8.count), nonce.isVisibleASCII else { throw .invalidToken(.nonceUnusable) }
        let token = try IDToken(idToken)
        let key = try await source.keys.key(token.keyID)
        guard (try? key.verify(token.signature, signs: token.signed)) == true else { throw .invalidToken(.signature) }
        let claims = try token.claims()
        try IdentityVerifier.checkAddressees(of: claims, source.settings)
        try IdentityVerifier.checkTimes(of: claims, at: now)
        guard let claimed = claims.nonce, IdentityVerifier.forms(of: nonce).contains(claimed) else {
            throw .invalidToken(.nonce)
        }
        guard let subject = claims.subject, (1...255).contains(subject.utf8.count), subject.isVisibleASCII else {
            throw .invalidToken(.subject)
        }
        return VerifiedIdentity(
            provider: provider, subject: subject, email: claims.email, isEmailConfirmed: claims.isEmailVerified)
    }

    /// Whether the provider issued it, and for us.
    private static func checkAddressees(
        of claims: IDToken.Claims, _ settings: SignInProviderSettings.Entry
    ) throws(SignInProviderError) {
        guard let issuer = claims.issuer, settings.origin.issuers.contains(issuer) else {
            throw .invalidToken(.issuer)
        }
        guard !settings.clientIDs.isDisjoint(with: claims.audiences) else { throw .invalidToken(.audience) }
        // With one audience, it may be another app of ours that asked for the token, as on Android.
        guard claims.audiences.count == 1 || claims.authorizedParty.map(settings.clientIDs.contains) == true else {
            throw .invalidToken(.authorizedParty)
        }
    }

    private static func checkTimes(of claims: IDToken.Claims, at now: Instant) throws(SignInProviderError) {
        let time = Double(now.microsecondsSinceEpoch) / 1_000_000
        guard let expiresAt = claims.expiresAt, time < expiresAt + leeway else { throw .invalidToken(.expired) }
        guard let issuedAt = claims.issuedAt, time <= issuedAt + oldest else { throw .invalidToken(.tooOld) }
        guard issuedAt <= time + leeway, claims.notBefore ?? issuedAt <= time + leeway else {
            throw .invalidToken(.notYetValid)
        }
    }

    /// What a token may say of a nonce.
    private static func forms(of nonce: String) -> Set<String> {
        let hash = SHA256.hash(data: Data(nonce.utf8))
        let hexadecimal = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return [nonce, hexadecimal, Data(hash).base64URL]
    }
}

extension String {
    /// Whether it has no spaces, control characters or characters beyond ASCII.
    fileprivate var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
