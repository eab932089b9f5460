/// A destination of an account's pushes.
public struct Device: Hashable, Sendable {
    public typealias ID = Identifier<Device>

    /// The platform, which determines the provider.
    public enum Platform: String, CaseIterable, Sendable {
        case ios, android, webhook, web

        /// Whether a token identifies a phone or a browser, which belongs to one account at a time. Several accounts may
        /// share a webhook.
        public var isPersonal: Bool { self != .webhook }
    }

    /// Why a device no longer receives pushes.
    public struct Retirement: Hashable, Sendable {
        public let at: Instant
        /// The provider's reason, or `not_refreshed`.
        public let reason: String

        public init(at: Instant, reason: String) {
            self.at = at
            self.reason = reason
        }
    }

    public let id: ID
    public let platform: Platform
    /// The provider's token, the URL of a webhook, or the endpoint of a browser's subscription.
    public let token: String
    /// The signing secret of a webhook; nil for other platforms.
    public let secret: WebhookSecret?
    /// How to encrypt for a browser; nil for other platforms.
    public let subscriptionKeys: PushSubscription.Keys?
    /// When the device was last added; an app adds it again at every start.
    public let addedAt: Instant
    public let retirement: Retirement?

    public init(
        id: ID, platform: Platform, token: String, secret: WebhookSecret? = nil,
        subscriptionKeys: PushSubscription.Keys? = nil, addedAt: Instant, retirement: Retirement? = nil
    ) {
        self.id = id
        self.platform = platform
        self.token = token
        self.secret = secret
        self.subscriptionKeys = subscriptionKeys
        self.addedAt = addedAt
        self.retirement = retirement
    }

    /// Why the device gets no more pushes, as far as is known without its provider: Google expires an Android token
    /// that was not refreshed for 270 days.
    public func retirement(at now: Instant) -> Retirement? {
        if let retirement { return retirement }
        guard platform == .android, addedAt.adding(hours: 270 * 24) < now else { return nil }
        return Retirement(at: now, reason: "not_refreshed")
    }
}

/// The outcome of sending a push to one device.
public enum DeviceOutcome: String, CaseIterable, Sendable {
    /// The provider accepted it.
    case accepted
    /// To be retried.
    case failed
    /// The provider will never accept it.
    case refused
    /// The device is gone: its token is invalid.
    case tokenDead = "token_dead"
}
