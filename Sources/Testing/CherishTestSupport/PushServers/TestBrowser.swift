import CherishCore
import Crypto
import Foundation

/// A browser that subscribes to Web Push and decrypts what it gets (RFC 8291).
public struct TestBrowser: Sendable {
    /// Its key pair.
    public let key: P256.KeyAgreement.PrivateKey
    /// Its secret: 16 bytes.
    public let auth: [UInt8]

    private static let headLength = 86
    private static let tagLength = 16

    /// A new browser by default.
    public init(
        key: P256.KeyAgreement.PrivateKey = P256.KeyAgreement.PrivateKey(),
        auth: [UInt8] = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    ) {
        self.key = key
        self.auth = auth
    }

    /// The keys that a page passes on; nil if the secret does not have 16 bytes.
    public var keys: PushSubscription.Keys? {
        PushSubscription.Keys(p256dh: Array(key.publicKey.x963Representation), auth: auth)
    }

    /// The text of a body with one record of `aes128gcm`; nil if it was encrypted for another browser, or wrongly.
    public func text(of body: [UInt8]) -> [UInt8]? {
        let isWhole = body.count > Self.headLength + Self.tagLength
        guard isWhole, body[16..<20].elementsEqual([0, 0, 16, 0]), body[20] == 65 else { return nil }
        let sender = Array(body[21..<Self.headLength])
        let own = Array(key.publicKey.x963Representation)
        guard let senderKey = try? P256.KeyAgreement.PublicKey(x963Representation: sender),
            let shared = try? key.sharedSecretFromKeyAgreement(with: senderKey)
        else { return nil }
        let agreed = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: auth, sharedInfo: Array("WebPush: info\0".utf8) + own + sender,
            outputByteCount: 32)
        func derived(_ purpose: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: agreed, salt: Array(body[..<16]), info: Array("Content-Encoding: \(purpose)\0".utf8),
                outputByteCount: count)
        }
        let nonce = derived("nonce", 12).withUnsafeBytes { Array($0) }
        guard let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: body[Self.headLength..<(body.count - Self.tagLength)],
                tag: body.suffix(Self.tagLength)),
            var text = try? Array(AES.GCM.open(box, using: derived("aes128gcm", 16)))
        else { return nil }
        while text.last == 0 { text.removeLast() }
        return text.popLast() == 2 ? text : nil
    }
}
