import CherishCore
import CherishRuntime
import Foundation
import Secrets

/// The key by which push services of browsers recognize this installation (`CHERISH_WEBPUSH_KEY`).
public enum PushKey {
    /// Makes a key in a new file that only its owner may read.
    ///
    /// - Returns: its public half in Base64url.
    /// - Throws: ``OutputError``, also if there is a file already: a new key ends all subscriptions.
    public static func make(at path: String) throws -> String {
        let key = VAPIDKey()
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw OutputError.cannotCreate(path, reason: errno) }
        defer { close(descriptor) }
        let failure = Array(key.pem.utf8 + [UInt8(ascii: "\n")]).withUnsafeBytes {
            StandardStreams.write($0, to: descriptor)
        }
        guard failure == nil, fsync(descriptor) == 0 else {
            let reason = failure ?? errno
            unlink(path)
            throw OutputError.failed(path, reason: reason)
        }
        return Base64URL.encode(key.publicKey)
    }

    /// The public half of the configured key in Base64url, with which browsers subscribe (`applicationServerKey`); nil
    /// without Web Push.
    ///
    /// - Throws: ``SettingError`` that names the variable.
    public static func publicKey(_ settings: Settings) throws -> String? {
        try settings.providers.webPush.map { Base64URL.encode(try $0.key().publicKey) }
    }
}
