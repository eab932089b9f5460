import CherishCore
import Crypto
import Foundation

/// A header `Authorization` of RFC 8292 whose signature was verified.
public struct VAPIDHeader: Sendable {
    private struct Claims: Decodable {
        let aud: String
        let exp: Double
        let sub: String?
    }

    private struct Head: Decodable {
        let typ: String
        let alg: String
    }

    /// The origin that the token is for.
    public let audience: String
    /// Seconds since 1970.
    public let expiry: Double
    /// Whom to contact.
    public let subject: String?
    /// The key that signed it: an uncompressed point.
    public let key: [UInt8]

    /// nil unless the text is such a header, signed by the key that it names.
    public init?(_ text: String) {
        guard let parts = text.wholeMatch(of: #/vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+)/#)?.output,
            let head = Self.decode(Head.self, parts.1), head.typ == "JWT", head.alg == "ES256",
            let claims = Self.decode(Claims.self, parts.2), let key = Base64URL.decode(parts.4),
            let publicKey = try? P256.Signing.PublicKey(x963Representation: key),
            let signature = Base64URL.decode(parts.3).flatMap({
                try? P256.Signing.ECDSASignature(rawRepresentation: $0)
            }), publicKey.isValidSignature(signature, for: Array("\(parts.1).\(parts.2)".utf8))
        else { return nil }
        audience = claims.aud
        expiry = claims.exp
        subject = claims.sub
        self.key = key
    }

    private static func decode<Part: Decodable>(_ type: Part.Type, _ text: Substring) -> Part? {
        Base64URL.decode(text).flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
    }
}
