import Crypto

/// SHA-256 and HMAC-SHA256 of tokens, codes and requests.
public enum SecretHash {
    /// The SHA-256 of some bytes: 32 bytes.
    ///
    /// Only for secrets of at least 128 random bits, and for codes that expire within minutes; passwords take
    /// ``PasswordHasher``.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: bytes))
    }

    /// The SHA-256 of bytes in memory that somebody else owns.
    public static func sha256(bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        return Array(hash.finalize())
    }

    /// The SHA-256 of bytes that come in pieces.
    ///
    /// - Parameter next: returns the next piece; nil at the end.
    public static func sha256(of next: () throws -> [UInt8]?) rethrows -> [UInt8] {
        var hash = SHA256()
        while let piece = try next() { hash.update(data: piece) }
        return Array(hash.finalize())
    }

    /// The SHA-256 of a text in UTF-8.
    public static func sha256(_ text: String) -> [UInt8] {
        sha256(Array(text.utf8))
    }

    /// The HMAC-SHA256 of several parts under a key. The length of each part counts, so that no byte may move from one
    /// to the next.
    public static func hmac(_ parts: [[UInt8]], key: [UInt8]) -> [UInt8] {
        var mac = HMAC<SHA256>(key: SymmetricKey(data: key))
        for part in parts {
            mac.update(data: withUnsafeBytes(of: UInt64(part.count).bigEndian) { Array($0) })
            mac.update(data: part)
        }
        return Array(mac.finalize())
    }
}
