import CherishCore
import CherishRuntime
import CherishService
import Foundation
import Logging
import SignInProviders

/// Verifies ID tokens by the keys of Google and Apple, and logs why one is refused. Whoever sent it is not told.
struct SignInTokens: IdentityVerifying {
    private let verifier: IdentityVerifier
    private let logger: Logger

    /// - Throws: ``SettingError`` for unusable client ids.
    init(logger: Logger) throws {
        do throws(SignInSettingError) {
            let settings = try SignInProviderSettings(environment: ProcessInfo.processInfo.environment)
            (verifier, self.logger) = (IdentityVerifier(settings, logger: logger), logger)
        } catch {
            throw SettingError(variable: error.variable, problem: error.problem)
        }
    }

    func verify(provider: IdentityProvider, idToken: String, nonce: String) async throws -> VerifiedIdentity {
        do throws(SignInProviderError) {
            let now = Instant(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))
            return try await verifier.verify(provider, idToken: idToken, nonce: nonce, at: now)
        } catch {
            switch error {
            case .off: throw PeopleError.providerNotOffered
            case .providerAway: throw PeopleError.providerUnreachable
            case .invalidToken:
                logger.info(
                    "an ID token was refused", metadata: ["provider": "\(provider.rawValue)", "reason": "\(error)"])
                throw PeopleError.identityRefused
            }
        }
    }
}
