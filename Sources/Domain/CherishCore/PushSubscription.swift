/// A subscription to Web Push, as a browser gives it to a page (W3C Push API).
public struct PushSubscription: Hashable, Sendable {
    /// How to encrypt for the browser (RFC 8291).
    public struct Keys: Hashable, Sendable {
        /// The browser's public key: an uncompressed point, 65 bytes. Whether it is on the curve is checked where it is
        /// used.
        public let p256dh: [UInt8]
        /// A secret of the browser: 16 bytes.
        public let auth: [UInt8]

        /// nil for other lengths, or a point that is not uncompressed.
        public init?(p256dh: [UInt8], auth: [UInt8]) {
            guard p256dh.count == 65, p256dh[0] == 4, auth.count == 16 else { return nil }
            self.p256dh = p256dh
            self.auth = auth
        }

        /// Parses the texts of `PushSubscription.toJSON()`, Base64url without padding; nil for anything else.
        public init?(p256dh: String, auth: String) {
            guard let p256dh = Base64URL.decode(p256dh), let auth = Base64URL.decode(auth) else { return nil }
            self.init(p256dh: p256dh, auth: auth)
        }
    }

    /// Where pushes are posted. Whoever knows it can send the browser requests.
    public let endpoint: String
    public let keys: Keys

    public init(endpoint: String, keys: Keys) {
        self.endpoint = endpoint
        self.keys = keys
    }
}

extension PushSubscription.Keys: CustomStringConvertible {
    /// A placeholder that does not reveal the secret.
    public var description: String { "a browser's keys" }
}

extension PushSubscription: CustomStringConvertible {
    /// A placeholder that does not reveal the endpoint.
    public var description: String { "a browser's subscription" }
}
