import Crypto

/// The key by which push services recognize an installation (RFC 8292): ECDSA on P-256.
///
/// A browser subscribes with its public half, and takes pushes that are signed with this key alone. With a new key,
/// every browser has to subscribe again.
public struct VAPIDKey: Sendable {
    private let key: P256.Signing.PrivateKey

    /// Makes a new key.
    public init() {
        key = P256.Signing.PrivateKey()
    }

    /// Reads PKCS #8 or SEC 1 in PEM; nil for anything else, such as a key on another curve.
    public init?(pem: String) {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else { return nil }
        self.key = key
    }

    /// The secret itself: PKCS #8 in PEM.
    public var pem: String { key.pemRepresentation }

    /// The public key as an uncompressed point, 65 bytes: a browser's `applicationServerKey`.
    public var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    /// The signature of some bytes by ES256, 64 bytes (RFC 7518, section 3.4).
    public func signature(of bytes: [UInt8]) throws -> [UInt8] {
        Array(try key.signature(for: bytes).rawRepresentation)
    }
}

extension VAPIDKey: CustomStringConvertible {
    /// A placeholder that does not reveal the key.
    public var description: String { "a VAPID key" }
}
