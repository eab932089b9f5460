import Crypto
import CryptoExtras
import Foundation
import JWTKit

/// A key pair as a provider gives it out, made for one run.
public struct TestSigningKey: Sendable {
    /// PKCS #8 in PEM.
    public let privateKeyPEM: String
    public let publicKeyPEM: String

    /// For ES256, as Apple's `.p8` files.
    public static func es256() -> TestSigningKey {
        let key = P256.Signing.PrivateKey()
        return TestSigningKey(
            privateKeyPEM: key.pemRepresentation, publicKeyPEM: key.publicKey.pemRepresentation)
    }

    /// For RS256, as in Google's service accounts. Takes some time.
    public static func rs256() throws -> TestSigningKey {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        return TestSigningKey(
            privateKeyPEM: key.pkcs8PEMRepresentation, publicKeyPEM: key.publicKey.pemRepresentation)
    }

    /// A provider token as Apple wants it, signed with this key.
    public func providerToken(keyID: String, teamID: String) async throws -> String {
        struct Claims: JWTPayload {
            let iss: IssuerClaim
            let iat: IssuedAtClaim

            func verify(using key: some JWTAlgorithm) throws {}
        }
        let keys = JWTKeyCollection()
        let kid = JWKIdentifier(string: keyID)
        await keys.add(ecdsa: try ES256PrivateKey(pem: privateKeyPEM), kid: kid)
        return try await keys.sign(
            Claims(iss: IssuerClaim(value: teamID), iat: IssuedAtClaim(value: Date())), kid: kid)
    }
}
