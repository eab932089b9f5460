import Crypto

/// Points on the elliptic curve P-256, such as the public keys of browsers.
public enum P256Point {
    /// Whether some bytes are a point of the curve, uncompressed. A browser with another key could decrypt nothing.
    public static func isValid(_ bytes: [UInt8]) -> Bool {
        (try? P256.KeyAgreement.PublicKey(x963Representation: bytes)) != nil
    }
}
