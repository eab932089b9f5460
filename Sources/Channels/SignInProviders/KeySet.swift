import Foundation
import JWTKit

/// The keys by which a provider's tokens are verified, from its key set (RFC 7517).
struct KeySet: Sendable {
    private struct Document: Decodable {
        let keys: [Entry]
    }

    /// A key, or anything else in its place: one that we cannot read must not hide the others.
    private struct Entry: Decodable {
        let key: Key?

        init(from decoder: any Decoder) throws {
            key = try? Key(from: decoder)
        }
    }

    private struct Key: Decodable {
        let kty, kid, n, e: String
        let use, alg: String?

        /// Whether it may verify the signatures that we accept. What a key leaves open, it allows.
        var isForUs: Bool {
            kty == "RSA" && (use ?? "sig") == "sig" && (alg ?? IDToken.algorithm) == IDToken.algorithm
        }
    }

    private let keys: [String: any JWTAlgorithm]

    /// Keeps the RSA keys for signatures of at least 2048 bits, and ignores others.
    ///
    /// - Returns: nil if the bytes are no key set, or none of its keys can be used.
    init?(_ bytes: Data) async {
        guard let document = try? JSONDecoder().decode(Document.self, from: bytes) else { return nil }
        var keys: [String: any JWTAlgorithm] = [:]
        for key in document.keys.compactMap(\.key) where key.isForUs {
            // JWTKit refuses keys of fewer bits.
            guard let rsa = try? Insecure.RSA.PublicKey(modulus: key.n, exponent: key.e),
                let algorithm = try? await JWTKeyCollection().add(rsa: rsa, digestAlgorithm: .sha256).getKey()
            else { continue }
            keys[key.kid] = algorithm
        }
        guard !keys.isEmpty else { return nil }
        self.keys = keys
    }

    subscript(id: String) -> (any JWTAlgorithm)? { keys[id] }
}
