import CherishCore
import Crypto
import Foundation

/// Encrypts pushes for one browser (RFC 8291), each as a single record of `aes128gcm` (RFC 8188).
struct WebPushEncryption {
    /// The text is longer than ``longestText``.
    struct TooLong: Error {}

    /// The bytes of a text that make a body of 4,096 bytes, which push services have to take (RFC 8030, section 7.2).
    static let longestText = 3993
    private static let recordSize: UInt32 = 4096
    private static let saltLength = 16

    private let browser: P256.KeyAgreement.PublicKey
    private let keys: PushSubscription.Keys

    /// nil if the browser's key is no point of the curve.
    init?(_ keys: PushSubscription.Keys) {
        guard let browser = try? P256.KeyAgreement.PublicKey(x963Representation: keys.p256dh) else { return nil }
        self.browser = browser
        self.keys = keys
    }

    /// Encrypts a text with a key and a salt that are used once.
    ///
    /// - Throws: ``TooLong``.
    func body(of text: [UInt8]) throws -> [UInt8] {
        let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        return try body(of: text, sender: P256.KeyAgreement.PrivateKey(), salt: salt)
    }

    /// - Parameters:
    ///   - sender: The key whose public half the body begins with.
    ///   - salt: 16 bytes.
    func body(of text: [UInt8], sender: P256.KeyAgreement.PrivateKey, salt: [UInt8]) throws -> [UInt8] {
        precondition(salt.count == WebPushEncryption.saltLength, "RFC 8188 has 16 bytes of salt")
        guard text.count <= WebPushEncryption.longestText else { throw TooLong() }
        let senderKey = Array(sender.publicKey.x963Representation)
        let shared = try sender.sharedSecretFromKeyAgreement(with: browser)
        let agreed = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: keys.auth, sharedInfo: Array("WebPush: info\0".utf8) + keys.p256dh + senderKey,
            outputByteCount: 32)
        let secret = HKDF<SHA256>.extract(inputKeyMaterial: agreed, salt: salt)
        let key = HKDF<SHA256>.expand(
            pseudoRandomKey: secret, info: Array("Content-Encoding: aes128gcm\0".utf8), outputByteCount: 16)
        let nonce = HKDF<SHA256>.expand(
            pseudoRandomKey: secret, info: Array("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
        // 2 ends the last record; no padding follows.
        let sealed = try AES.GCM.seal(
            text + [2], using: key, nonce: try AES.GCM.Nonce(data: nonce.withUnsafeBytes { Array($0) }))
        var body = salt
        body.reserveCapacity(103 + text.count)
        body += withUnsafeBytes(of: WebPushEncryption.recordSize.bigEndian) { Array($0) }
        body.append(UInt8(senderKey.count))
        body += senderKey
        body += sealed.ciphertext
        body += sealed.tag
        return body
    }
}
