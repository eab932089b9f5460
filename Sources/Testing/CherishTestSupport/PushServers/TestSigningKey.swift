import Crypto
import CryptoExtras
import Foundation
import JWTKit

/// A key pair like those that providers issue, generated for one run.
public struct TestSigningKey: Sendable {
    /// PKCS #8 in PEM.
    public let privateKeyPEM: String
    public let publicKeyPEM: String

    /// A key for ES256, like Apple's `.p8` files.
    public static func es256() -> TestSigningKey {
        let key = P256.Signing.PrivateKey()
        return TestSigningKey(
            privateKeyPEM: key.pemRepresentation, publicKeyPEM: key.publicKey.pemRepresentation)
    }

    /// A key for RS256, like those of Google's service accounts. Slow.
    public static func rs256() throws -> TestSigningKey {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        return TestSigningKey(
            privateKeyPEM: key.pkcs8PEMRepresentation, publicKeyPEM: key.publicKey.pemRepresentation)
    }

    /// A provider token as Apple expects it, signed with this key.
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
