import Foundation
import JWTKit

/// A JSON web token with a verified signature.
struct SignedToken: Sendable {
    struct Header: Decodable, Sendable {
        let alg: String?
        let kid: String?
    }

    struct Claims: Decodable, Sendable {
        let iss: String?
        let aud: String?
        let scope: String?
        let iat: Double?
        let exp: Double?
    }

    let header: Header
    let claims: Claims
}

/// Verifies tokens synchronously: a server has one thread, and JWTKit's own key collection is an actor.
struct TokenVerifier: Sendable {
    private let algorithm: any JWTAlgorithm

    /// Verifies ES256, as Apple does.
    static func es256(publicKeyPEM: String) async throws -> TokenVerifier {
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: try ES256PublicKey(pem: publicKeyPEM))
        return TokenVerifier(algorithm: try await keys.getKey())
    }

    /// Verifies RS256, as Google does.
    static func rs256(publicKeyPEM: String) async throws -> TokenVerifier {
        let keys = JWTKeyCollection()
        await keys.add(rsa: try Insecure.RSA.PublicKey(pem: publicKeyPEM), digestAlgorithm: .sha256)
        return TokenVerifier(algorithm: try await keys.getKey())
    }

    /// Nil if the text is not a token or its signature does not match the key.
    func verify(_ text: String) -> SignedToken? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.decode(SignedToken.Header.self, from: parts[0]), header.alg == algorithm.name,
            let claims = Self.decode(SignedToken.Claims.self, from: parts[1]),
            let signature = Self.bytes(ofBase64URL: parts[2])
        else { return nil }
        let signed = Data("\(parts[0]).\(parts[1])".utf8)
        guard (try? algorithm.verify(signature, signs: signed)) == true else { return nil }
        return SignedToken(header: header, claims: claims)
    }

    private static func decode<Part: Decodable>(_ type: Part.Type, from text: Substring) -> Part? {
        bytes(ofBase64URL: text).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }

    private static func bytes(ofBase64URL text: Substring) -> Data? {
        var encoded = String(text).replacing("-", with: "+").replacing("_", with: "/")
        encoded += String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4)
        return Data(base64Encoded: encoded)
    }
}
